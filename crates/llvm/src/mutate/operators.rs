//! The operators: which mutants there are, in one table.
//!
//! A row says what an operator applies to and what it puts there. `binary.rs` says what a replacement
//! means in LLVM and how it reads in C. `operators/selection.rs` reads lists of operators.
//!
//! The set `seed` is that of Riener's SymBMC papers (2011).

mod selection;

use super::binary::Binary;
pub use selection::{OperatorError, Operators};
pub(crate) use selection::{is_known, unknown};

/// A rule that makes mutants. Ordered as in the table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Operator {
    Aor,
    Ror,
    Bor,
    Lcr,
    Dcr,
    Uoi,
    Cr,
    Ivi,
    Sdl,
    Sbr,
    Arg,
    Ptr,
    Scr,
    Par,
    Sci,
}

/// How many of an operator's mutants are made.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Extent {
    /// Those that are not likely to be killed along with others.
    Sufficient,
    Full,
}

/// What an operator does.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub operator: Operator,
    pub name: &'static str,
    /// For the user.
    pub about: &'static str,
    /// A piece of C, and what it may become.
    pub example: (&'static str, &'static str),
}

pub const TABLE: [Row; 15] = [
    Row {
        operator: Operator::Aor,
        name: "AOR",
        about: "replaces arithmetic with other arithmetic, also += and the like, and ++ with --",
        example: ("a + b", "a - b"),
    },
    Row {
        operator: Operator::Ror,
        name: "ROR",
        about: "replaces a comparison with another one",
        example: ("a < b", "a <= b"),
    },
    Row {
        operator: Operator::Bor,
        name: "BOR",
        about: "replaces a bit operation or a shift with another one, also &= and the like",
        example: ("a & b", "a | b"),
    },
    Row {
        operator: Operator::Lcr,
        name: "LCR",
        about: "replaces && with || and back, or with its left side, its right side, 1, 0",
        example: ("a && b", "a || b"),
    },
    Row {
        operator: Operator::Dcr,
        name: "DCR",
        about: "replaces the condition of if, ?: and loops with 1 (not of loops), 0 and its negation",
        example: ("if (a < b)", "if (0)"),
    },
    Row {
        operator: Operator::Uoi,
        name: "UOI",
        about: "removes - ! ~, or puts - or ~ before a variable",
        example: ("-a", "a"),
    },
    Row {
        operator: Operator::Cr,
        name: "CR",
        about: "replaces a constant with 0, 1, -1, one more, one less; what is returned with 0, 1, -1; a text with an empty one",
        example: ("a + 5", "a + 6"),
    },
    Row {
        operator: Operator::Ivi,
        name: "IVI",
        about: "replaces a read of an integer variable or a constant with one more, one less, 0",
        example: ("a", "(a + 1)"),
    },
    Row {
        operator: Operator::Sdl,
        name: "SDL",
        about: "deletes an assignment, or a call whose result is not used",
        example: ("a = 1;", ";"),
    },
    Row {
        operator: Operator::Sbr,
        name: "SBR",
        about: "deletes a break, continue or return, if there is somewhere to go on",
        example: ("break;", ";"),
    },
    Row {
        operator: Operator::Arg,
        name: "ARG",
        about: "swaps two arguments of one type",
        example: ("f(a, b)", "f(b, a)"),
    },
    Row {
        operator: Operator::Ptr,
        name: "PTR",
        about: "replaces a pointer with the next one or the one before",
        example: ("*p", "*(p + 1)"),
    },
    Row {
        operator: Operator::Scr,
        name: "SCR",
        about: "removes a case of a switch",
        example: ("case 1:", ""),
    },
    Row {
        operator: Operator::Par,
        name: "PAR",
        about: "replaces a constant or a read of an integer variable with a parameter p, for all its values at once; in no set",
        example: ("a > 0", "a > p"),
    },
    Row {
        operator: Operator::Sci,
        name: "SCI",
        about: "forgets a special case of a parameter: a limit, an empty string, a null pointer; with --reference, else in no set",
        example: ("{", "{ /* as if n == 0 were forgotten */"),
    },
];

use Extent::{Full, Sufficient};

/// Names for several operators.
const SETS: &[(&str, &[(Operator, Extent)])] = &[
    ("seed", &[(Operator::Aor, Full), (Operator::Ror, Full), (Operator::Bor, Full), (Operator::Ivi, Full)]),
    (
        "default",
        &[
            (Operator::Aor, Full),
            (Operator::Ror, Sufficient),
            (Operator::Bor, Sufficient),
            (Operator::Lcr, Full),
            (Operator::Dcr, Full),
            (Operator::Uoi, Full),
            (Operator::Cr, Sufficient),
            (Operator::Sdl, Full),
            (Operator::Sbr, Full),
            (Operator::Arg, Full),
            (Operator::Ptr, Full),
            (Operator::Scr, Full),
        ],
    ),
    (
        "all",
        &[
            (Operator::Aor, Full),
            (Operator::Ror, Full),
            (Operator::Bor, Full),
            (Operator::Lcr, Full),
            (Operator::Dcr, Full),
            (Operator::Uoi, Full),
            (Operator::Cr, Full),
            (Operator::Ivi, Full),
            (Operator::Sdl, Full),
            (Operator::Sbr, Full),
            (Operator::Arg, Full),
            (Operator::Ptr, Full),
            (Operator::Scr, Full),
        ],
    ),
];

/// What comes in place of a constant.
pub(crate) const CONSTANTS: &[Value] =
    &[Value::Zero, Value::Is(1), Value::Is(-1), Value::Plus(1), Value::Plus(-1)];
/// The same, and the limits of its type.
pub(crate) const ALL_CONSTANTS: &[Value] = &[
    Value::Zero,
    Value::Is(1),
    Value::Is(-1),
    Value::Plus(1),
    Value::Plus(-1),
    Value::Least,
    Value::Greatest,
];
/// What comes in place of a variable or a constant in the papers.
pub(crate) const SEED: &[Value] = &[Value::Plus(1), Value::Plus(-1), Value::Zero];

/// What comes in place of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Value {
    Plus(i64),
    Zero,
    Is(i64),
    /// The limits of the type.
    Least,
    Greatest,
    Negated,
    /// All bits inverted.
    Complemented,
}

impl Operator {
    pub fn row(self) -> &'static Row {
        TABLE.iter().find(|row| row.operator == self).expect("each operator has a row")
    }

    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The operations among which it chooses; none if it is about something else.
    pub(crate) fn operations(self) -> &'static [Binary] {
        match self {
            Operator::Aor => &[Binary::Add, Binary::Sub, Binary::Mul, Binary::Div, Binary::Rem],
            Operator::Ror => &[Binary::Lt, Binary::Le, Binary::Gt, Binary::Ge, Binary::Eq, Binary::Ne],
            Operator::Bor => {
                &[Binary::And, Binary::Or, Binary::Xor, Binary::Shl, Binary::Shr, Binary::OtherShr]
            }
            _ => &[],
        }
    }
}

/// The sets, each with the names of its operators. One in small letters is used as far as it suffices.
pub fn sets() -> impl Iterator<Item = (&'static str, String)> {
    SETS.iter().map(|(set, members)| {
        let name = |(operator, extent): &(Operator, Extent)| match extent {
            Sufficient => operator.name().to_lowercase(),
            Full => operator.name().to_string(),
        };
        (*set, members.iter().map(name).collect::<Vec<_>>().join(" "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_each_operator_once_and_in_order() {
        assert!(TABLE.windows(2).all(|pair| pair[0].operator < pair[1].operator));
    }
}
