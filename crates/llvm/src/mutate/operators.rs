//! The operators: which mutants there are, in one table.
//!
//! A row says what an operator applies to and what it puts there. What a replacement means in LLVM
//! stands in [`Binary::meaning`], how it reads in C in [`Binary::token`]; nothing else knows.
//!
//! The set `seed` is that of Riener's SymBMC papers (2011).

use std::collections::BTreeMap;

use inkwell::values::InstructionOpcode;
use inkwell::{FloatPredicate, IntPredicate};

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
        about: "arithmetic by other arithmetic, also += and the like, and ++ by --",
        example: ("a + b", "a - b"),
    },
    Row {
        operator: Operator::Ror,
        name: "ROR",
        about: "a comparison by another one",
        example: ("a < b", "a <= b"),
    },
    Row {
        operator: Operator::Bor,
        name: "BOR",
        about: "a bit operation or a shift by another one, also &= and the like",
        example: ("a & b", "a | b"),
    },
    Row {
        operator: Operator::Lcr,
        name: "LCR",
        about: "&& by || and back, or by its left side, its right side, 1, 0",
        example: ("a && b", "a || b"),
    },
    Row {
        operator: Operator::Dcr,
        name: "DCR",
        about: "the condition of if, ?: and loops by 1 (not of loops), 0 and its negation",
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
        about: "a constant by 0, 1, -1, one more, one less; what is returned by 0, 1, -1; a text by an empty one",
        example: ("a + 5", "a + 6"),
    },
    Row {
        operator: Operator::Ivi,
        name: "IVI",
        about: "a read of an integer variable or a constant: plus 1, minus 1, 0",
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
        about: "a pointer by the next one or the one before",
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
        about: "a constant or a read of an integer variable by an unknown number, for all numbers at once; in no set",
        example: ("a > 0", "a > p"),
    },
    Row {
        operator: Operator::Sci,
        name: "SCI",
        about: "as if a special case of a parameter were forgotten: a limit, an empty string, a null pointer; with --reference, else in no set",
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

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum OperatorError {
    #[error("{}; sets of them: {}", unknown(name), set_names())]
    Unknown { name: String },
    #[error("`{0}` leaves no mutation operator")]
    None(String),
}

/// The operators that are used, each with its extent.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Operators(BTreeMap<Operator, Extent>);

impl Operators {
    /// A list such as `seed`, `AOR,ROR` or `default,-SDL`: sets and operators, with a minus to leave something out. What is named
    /// by itself is used in full.
    pub fn parse(list: &str) -> Result<Operators, OperatorError> {
        if list.trim() == "none" {
            return Ok(Operators::none());
        }
        let mut operators = BTreeMap::new();
        let unknown = |name: &str| OperatorError::Unknown { name: name.to_string() };
        let mut names = list.split(',').map(str::trim).filter(|name| !name.is_empty()).peekable();
        if names.peek().is_some_and(|first| first.starts_with('-')) {
            operators.extend(named("default").ok_or_else(|| unknown("default"))?);
        }
        for name in names {
            match name.strip_prefix('-') {
                Some(name) => {
                    for (operator, _) in named(name).ok_or_else(|| unknown(name))? {
                        operators.remove(&operator);
                    }
                }
                None => {
                    for (operator, extent) in named(name).ok_or_else(|| unknown(name))? {
                        let known = operators.entry(operator).or_insert(extent);
                        *known = extent.max(*known);
                    }
                }
            }
        }
        if operators.is_empty() {
            Err(OperatorError::None(list.to_string()))
        } else {
            Ok(Operators(operators))
        }
    }

    /// No mutants at all.
    pub fn none() -> Operators {
        Operators(BTreeMap::new())
    }

    /// Whether an operator of this name is used.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.keys().any(|operator| operator.name() == name)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (Operator, Extent)> + '_ {
        self.0.iter().map(|(operator, extent)| (*operator, *extent))
    }
}

impl Operator {
    pub fn row(self) -> &'static Row {
        TABLE.iter().find(|row| row.operator == self).expect("each operator has a row")
    }

    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The operations among which it chooses; none if it is about something else.
    pub(crate) fn family(self) -> &'static [Binary] {
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

/// What a set or the name of one operator stands for.
fn named(name: &str) -> Option<Vec<(Operator, Extent)>> {
    let set = SETS.iter().find(|(set, _)| set.eq_ignore_ascii_case(name)).map(|(_, set)| set.to_vec());
    let row = || TABLE.iter().find(|row| row.name.eq_ignore_ascii_case(name));
    set.or_else(|| row().map(|row| vec![(row.operator, Full)]))
}

/// Whether there is an operator of this name.
pub(crate) fn is_known(name: &str) -> bool {
    TABLE.iter().any(|row| row.name == name)
}

/// What to say about a name that is none: the one that is most like it, and all others.
pub(crate) fn unknown(name: &str) -> String {
    let distance = |row: &&Row| distance(&name.to_ascii_uppercase(), row.name);
    // With all letters changed, every name is as near as any other.
    let nearest = TABLE.iter().min_by_key(distance).filter(|row| distance(row) < row.name.len());
    let perhaps = nearest.map_or(String::new(), |row| format!(", perhaps {}", row.name));
    let rows: Vec<&str> = TABLE.iter().map(|row| row.name).collect();
    format!("there is no mutation operator `{name}`{perhaps}: the operators are {}", rows.join(", "))
}

/// How many letters one has to put in, take out or change to get from one word to another.
fn distance(from: &str, to: &str) -> usize {
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (at, letter) in from.bytes().enumerate() {
        let mut above = std::mem::replace(&mut row[0], at + 1);
        for (other, wanted) in to.bytes().enumerate() {
            let change = above + usize::from(letter != wanted);
            above = row[other + 1];
            row[other + 1] = change.min(above + 1).min(row[other] + 1);
        }
    }
    row[to.len()]
}

fn set_names() -> String {
    SETS.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}

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

/// An operation of two operands in C.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
    And,
    Or,
    Xor,
    Shl,
    Shr,
    /// The right shift that the type does not have: logical if it is signed, arithmetic if not.
    OtherShr,
}

/// What the operands of an operation are, after C's conversions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Operands {
    Signed,
    Unsigned,
    Float,
    Pointer,
}

/// What an operation is to LLVM.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Meaning {
    Arithmetic(InstructionOpcode),
    Comparison(IntPredicate),
    FloatComparison(FloatPredicate),
}

impl Binary {
    /// The operation on such operands. None if C has no such operation.
    pub(crate) fn meaning(self, operands: Operands) -> Option<Meaning> {
        match operands {
            Operands::Signed => Some(self.of_integers(true)),
            Operands::Unsigned => Some(self.of_integers(false)),
            Operands::Float => self.of_floats(),
            // Addresses have no sign.
            Operands::Pointer => match self.of_integers(false) {
                comparison @ Meaning::Comparison(_) => Some(comparison),
                _ => None,
            },
        }
    }

    fn of_integers(self, signed: bool) -> Meaning {
        use InstructionOpcode as Op;
        use IntPredicate as Is;
        use Meaning::{Arithmetic, Comparison};
        match (self, signed) {
            (Binary::Add, _) => Arithmetic(Op::Add),
            (Binary::Sub, _) => Arithmetic(Op::Sub),
            (Binary::Mul, _) => Arithmetic(Op::Mul),
            (Binary::Div, true) => Arithmetic(Op::SDiv),
            (Binary::Div, false) => Arithmetic(Op::UDiv),
            (Binary::Rem, true) => Arithmetic(Op::SRem),
            (Binary::Rem, false) => Arithmetic(Op::URem),
            (Binary::Lt, true) => Comparison(Is::SLT),
            (Binary::Lt, false) => Comparison(Is::ULT),
            (Binary::Le, true) => Comparison(Is::SLE),
            (Binary::Le, false) => Comparison(Is::ULE),
            (Binary::Gt, true) => Comparison(Is::SGT),
            (Binary::Gt, false) => Comparison(Is::UGT),
            (Binary::Ge, true) => Comparison(Is::SGE),
            (Binary::Ge, false) => Comparison(Is::UGE),
            (Binary::Eq, _) => Comparison(Is::EQ),
            (Binary::Ne, _) => Comparison(Is::NE),
            (Binary::And, _) => Arithmetic(Op::And),
            (Binary::Or, _) => Arithmetic(Op::Or),
            (Binary::Xor, _) => Arithmetic(Op::Xor),
            (Binary::Shl, _) => Arithmetic(Op::Shl),
            (Binary::Shr, true) | (Binary::OtherShr, false) => Arithmetic(Op::AShr),
            (Binary::Shr, false) | (Binary::OtherShr, true) => Arithmetic(Op::LShr),
        }
    }

    fn of_floats(self) -> Option<Meaning> {
        use InstructionOpcode as Op;
        use Meaning::{Arithmetic, FloatComparison};
        Some(match self {
            Binary::Add => Arithmetic(Op::FAdd),
            Binary::Sub => Arithmetic(Op::FSub),
            Binary::Mul => Arithmetic(Op::FMul),
            Binary::Div => Arithmetic(Op::FDiv),
            Binary::Lt => FloatComparison(FloatPredicate::OLT),
            Binary::Le => FloatComparison(FloatPredicate::OLE),
            Binary::Gt => FloatComparison(FloatPredicate::OGT),
            Binary::Ge => FloatComparison(FloatPredicate::OGE),
            Binary::Eq => FloatComparison(FloatPredicate::OEQ),
            // A NaN differs from everything.
            Binary::Ne => FloatComparison(FloatPredicate::UNE),
            Binary::Rem | Binary::And | Binary::Or | Binary::Xor => return None,
            Binary::Shl | Binary::Shr | Binary::OtherShr => return None,
        })
    }

    /// What is put in its place if few mutants are wanted. Whoever kills these kills all of the family: for comparisons that
    /// was shown by Kaminski, Ammann and Offutt (2013); the third one is a constant, which is made where whole
    /// conditions are.
    pub(crate) fn sufficient(self, operands: Operands) -> &'static [Binary] {
        match (self, operands) {
            // No order between objects, so there is no more than equal or not.
            (Binary::Eq, Operands::Pointer) => &[Binary::Ne],
            (Binary::Ne, Operands::Pointer) => &[Binary::Eq],
            (Binary::Lt, _) => &[Binary::Le, Binary::Ne],
            (Binary::Le, _) => &[Binary::Lt, Binary::Eq],
            (Binary::Gt, _) => &[Binary::Ge, Binary::Ne],
            (Binary::Ge, _) => &[Binary::Gt, Binary::Eq],
            (Binary::Eq, _) => &[Binary::Le, Binary::Ge],
            (Binary::Ne, _) => &[Binary::Lt, Binary::Gt],
            (Binary::And, _) => &[Binary::Or, Binary::Xor],
            (Binary::Or, _) => &[Binary::And, Binary::Xor],
            (Binary::Xor, _) => &[Binary::And, Binary::Or],
            (Binary::Shl, _) => &[Binary::Shr],
            (Binary::Shr | Binary::OtherShr, _) => &[Binary::Shl],
            (Binary::Add | Binary::Sub | Binary::Mul | Binary::Div | Binary::Rem, _) => {
                Operator::Aor.family()
            }
        }
    }

    /// What a comparison of the sufficient set comes to if it is a constant.
    pub(crate) fn sufficient_constant(self) -> Option<bool> {
        match self {
            Binary::Lt | Binary::Gt | Binary::Eq => Some(false),
            Binary::Le | Binary::Ge | Binary::Ne => Some(true),
            _ => None,
        }
    }

    pub(crate) fn token(self) -> &'static str {
        match self {
            Binary::Add => "+",
            Binary::Sub => "-",
            Binary::Mul => "*",
            Binary::Div => "/",
            Binary::Rem => "%",
            Binary::Lt => "<",
            Binary::Le => "<=",
            Binary::Gt => ">",
            Binary::Ge => ">=",
            Binary::Eq => "==",
            Binary::Ne => "!=",
            Binary::And => "&",
            Binary::Or => "|",
            Binary::Xor => "^",
            Binary::Shl => "<<",
            Binary::Shr | Binary::OtherShr => ">>",
        }
    }

    /// How tightly it binds: a higher number binds tighter. `&&` has 2, `||` has 1.
    pub(crate) fn precedence(self) -> u8 {
        match self {
            Binary::Mul | Binary::Div | Binary::Rem => 10,
            Binary::Add | Binary::Sub => 9,
            Binary::Shl | Binary::Shr | Binary::OtherShr => 8,
            Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge => 7,
            Binary::Eq | Binary::Ne => 6,
            Binary::And => 5,
            Binary::Xor => 4,
            Binary::Or => 3,
        }
    }

    /// The operation that a token stands for between two operands.
    pub(crate) fn of_token(token: &str) -> Option<Binary> {
        let families = [Operator::Aor, Operator::Ror, Operator::Bor];
        families.iter().flat_map(|operator| operator.family()).copied().find(|op| op.token() == token)
    }

    pub(crate) fn is_equality(self) -> bool {
        matches!(self, Binary::Eq | Binary::Ne)
    }

    /// Its operands are not brought to a common type.
    pub(crate) fn is_shift(self) -> bool {
        matches!(self, Binary::Shl | Binary::Shr | Binary::OtherShr)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(list: &str) -> String {
        let operators = Operators::parse(list).expect("it makes sense");
        let name = |(operator, extent): (Operator, Extent)| match extent {
            Sufficient => operator.name().to_lowercase(),
            Full => operator.name().to_string(),
        };
        operators.iter().map(name).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_list_names_operators_and_sets() {
        assert_eq!(names("ror, AOR,ROR"), "AOR ROR");
        assert_eq!(names("seed"), "AOR ROR BOR IVI");
        assert_eq!(names("seed,LCR,-BOR"), "AOR ROR LCR IVI");
        assert_eq!(names("default,-LCR,-DCR,-UOI,-SBR,-ARG,-PTR,-SCR"), "AOR ror bor cr SDL");
        assert_eq!(names("-AOR,-LCR,-DCR,-UOI,-SBR,-ARG,-PTR,-SCR,ROR"), "ROR bor cr SDL");
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_known_ones() {
        let message = Operators::parse("AOR,XYZ").expect_err("there is no XYZ").to_string();
        assert!(message.starts_with("there is no mutation operator `XYZ`: the operators are AOR, ROR, "));
        assert!(message.ends_with("; sets of them: seed, default, all"));
        let message = Operators::parse("SDX").expect_err("there is no SDX").to_string();
        assert!(
            message.starts_with("there is no mutation operator `SDX`, perhaps SDL: the operators are AOR")
        );
        assert!(Operators::parse(" ,").is_err());
        assert!(Operators::parse("AOR,-AOR").is_err());
    }

    #[test]
    fn the_table_has_each_operator_once_and_in_order() {
        assert!(TABLE.windows(2).all(|pair| pair[0].operator < pair[1].operator));
    }
}
