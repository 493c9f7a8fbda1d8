//! C's operations on two operands: what each means in LLVM, how it reads in C,
//! and which others are enough to put in its place.

use inkwell::values::InstructionOpcode;
use inkwell::{FloatPredicate, IntPredicate};

use super::operators::Operator;

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

    /// What is put in its place if few mutants are wanted. Whoever kills these kills
    /// all of the family: for comparisons that was shown by Kaminski, Ammann and Offutt
    /// (2013); the third one is a constant, which is made where whole conditions are.
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
                Operator::Aor.operations()
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
        let operators = [Operator::Aor, Operator::Ror, Operator::Bor];
        operators.iter().flat_map(|operator| operator.operations()).copied().find(|op| op.token() == token)
    }

    pub(crate) fn is_equality(self) -> bool {
        matches!(self, Binary::Eq | Binary::Ne)
    }

    /// Its operands are not brought to a common type.
    pub(crate) fn is_shift(self) -> bool {
        matches!(self, Binary::Shl | Binary::Shr | Binary::OtherShr)
    }
}
