//! The operators: which mutants there are, in one table.
//!
//! A row says what an operator applies to and what it puts there. What a replacement means in LLVM
//! stands in [`Binary::meaning`], how it reads in C in [`Binary::token`]; nothing else knows.
//!
//! The set `seed` is that of Riener's SymBMC papers (2011).

use inkwell::values::InstructionOpcode;
use inkwell::{FloatPredicate, IntPredicate};

/// A rule that makes mutants. Ordered as in the table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Operator {
    Aor,
    Ror,
    Bor,
    Ivi,
}

/// What an operator does.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub operator: Operator,
    pub name: &'static str,
    /// For the user.
    pub about: &'static str,
    pub(crate) replaces: Replaces,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Replaces {
    /// Each of these by each other one, also as `+=` is by `-=`.
    Operations(&'static [Binary]),
    /// Each use of an integer variable, and each integer constant.
    Values(&'static [Value]),
}

pub const TABLE: [Row; 4] = [
    Row {
        operator: Operator::Aor,
        name: "AOR",
        about: "replaces arithmetic: + - * / %, also += …, and ++ by --; of floats, all but %",
        replaces: Replaces::Operations(&[Binary::Add, Binary::Sub, Binary::Mul, Binary::Div, Binary::Rem]),
    },
    Row {
        operator: Operator::Ror,
        name: "ROR",
        about: "replaces comparisons: < <= > >= == !=",
        replaces: Replaces::Operations(&[
            Binary::Lt,
            Binary::Le,
            Binary::Gt,
            Binary::Ge,
            Binary::Eq,
            Binary::Ne,
        ]),
    },
    Row {
        operator: Operator::Bor,
        name: "BOR",
        about: "replaces bit operations: & | ^ << and >>, arithmetic and logical, also &= …",
        replaces: Replaces::Operations(&[
            Binary::And,
            Binary::Or,
            Binary::Xor,
            Binary::Shl,
            Binary::Shr,
            Binary::OtherShr,
        ]),
    },
    Row {
        operator: Operator::Ivi,
        name: "IVI",
        about: "changes a use of an integer variable or constant: plus 1, minus 1, 0",
        replaces: Replaces::Values(&[Value::Plus(1), Value::Plus(-1), Value::Zero]),
    },
];

/// Names for several operators.
const SETS: &[(&str, &[Operator])] =
    &[("seed", &[Operator::Aor, Operator::Ror, Operator::Bor, Operator::Ivi])];

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("there is no mutation operator `{name}`: the operators are {known}")]
pub struct UnknownOperator {
    pub name: String,
    pub known: String,
}

impl Operator {
    pub fn row(self) -> &'static Row {
        TABLE.iter().find(|row| row.operator == self).expect("each operator has a row")
    }

    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The operators of a list such as `seed` or `AOR,ROR`, in the order of the table.
    pub fn set(list: &str) -> Result<Vec<Operator>, UnknownOperator> {
        let mut operators = Vec::new();
        for name in list.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            let row = TABLE.iter().find(|row| row.name.eq_ignore_ascii_case(name));
            let set = SETS.iter().find(|(set, _)| set.eq_ignore_ascii_case(name));
            match (row, set) {
                (Some(row), _) => operators.push(row.operator),
                (None, Some((_, set))) => operators.extend_from_slice(set),
                (None, None) => return Err(UnknownOperator { name: name.to_string(), known: known() }),
            }
        }
        if operators.is_empty() {
            return Err(UnknownOperator { name: list.to_string(), known: known() });
        }
        operators.sort();
        operators.dedup();
        Ok(operators)
    }
}

fn known() -> String {
    let rows: Vec<&str> = TABLE.iter().map(|row| row.name).collect();
    let sets: Vec<&str> = SETS.iter().map(|(name, _)| *name).collect();
    format!("{}; sets of them: {}", rows.join(", "), sets.join(", "))
}

/// What comes in place of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Value {
    Plus(i64),
    Zero,
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

    #[test]
    fn a_list_names_operators_and_sets() {
        assert_eq!(Operator::set("ror, AOR,ROR"), Ok(vec![Operator::Aor, Operator::Ror]));
        assert_eq!(Operator::set("seed"), Ok(TABLE.iter().map(|row| row.operator).collect()));
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_known_ones() {
        let message = Operator::set("AOR,XYZ").expect_err("there is no XYZ").to_string();
        assert_eq!(
            message,
            "there is no mutation operator `XYZ`: the operators are AOR, ROR, BOR, IVI; sets of them: seed"
        );
        assert!(Operator::set(" ,").is_err());
    }
}
