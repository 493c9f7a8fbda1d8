//! Which sites a function has: the source says what, debug locations say where in the module.

use std::cell::OnceCell;

use inkwell::module::Module;
use inkwell::values::{InstructionOpcode, InstructionValue};
use inkwell::{FloatPredicate, IntPredicate};
use source::{Edit, ParameterType, Text};

use super::case::Switches;
use super::choice::{Alternative, Answer, Choice};
use super::places::InstructionsByPlace;
use super::{case, constant, operation, pointer, unary, variable};
use crate::ast::{Function, HeaderId, Integer, NodeId, NodeKind, Origin, Statement};
use crate::mutate::binary::Binary;
use crate::mutate::operators::{Extent, Operator, Operators, SEED, Value};

/// One place with its mutants.
pub(super) struct Site<'c> {
    /// The C function that it is in.
    pub function: String,
    /// The header that has the function.
    pub header: Option<HeaderId>,
    pub anchor: Anchor<'c>,
    pub variants: Vec<Variant>,
}

/// What becomes the call of a site function.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Anchor<'c> {
    /// The instruction moves into the site.
    Operation(InstructionValue<'c>),
    /// Its result goes through the site.
    Result(InstructionValue<'c>),
    /// The constant that is this operand comes out of the site.
    Constant { user: InstructionValue<'c>, operand: u32 },
    /// What this operand is goes through the site.
    Operand { user: InstructionValue<'c>, operand: u32 },
    /// The question of the choice with this number, wherever it is asked.
    Choice(u32, Answer),
}

pub(super) struct Variant {
    pub operator: Operator,
    pub edit: Edit,
    pub code: Code,
    /// Its number; 0 until it has one.
    pub mutant: u32,
}

/// What a mutant computes at its site, from the arguments `a` and `b` and what the original computes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Code {
    Arithmetic(InstructionOpcode),
    Comparison(IntPredicate),
    FloatComparison(FloatPredicate),
    /// The original plus this.
    Plus(i64),
    /// The original, a truth value, negated.
    Not,
    /// Whether `a`, promoted to `int`, plus this, is not zero.
    IsNonzero {
        signed: bool,
        plus: i64,
    },
    /// The bits of the result.
    Constant(u64),
    /// The original, negated as a number.
    Negate,
    /// The original, all bits inverted.
    Complement,
    /// This one of the arguments.
    Argument(u32),
    /// The original, an address, so many bytes further.
    Offset(i64),
    /// The parameter of the program, as a number of so many bits, widened by its sign or with zeros.
    Parameter {
        width: u32,
        signed: bool,
    },
    /// The original, but this in place of all that go from the first to the last.
    Instead {
        first: u64,
        last: u64,
        is: u64,
    },
}

/// All that is known when a node is looked at.
pub(super) struct Scope<'f, 'c> {
    pub function: &'f Function,
    pub text: &'f Text,
    pub places: InstructionsByPlace<'c>,
    /// What is found out about each `switch` when somebody asks.
    pub switches: OnceCell<Switches<'c>>,
}

impl<'f, 'c> Scope<'f, 'c> {
    /// None if the module does not define the function.
    pub(super) fn new(module: &Module<'c>, function: &'f Function, text: &'f Text) -> Option<Scope<'f, 'c>> {
        let places = InstructionsByPlace::new(module, function)?;
        Some(Scope { function, text, places, switches: OnceCell::new() })
    }
}

pub(super) fn plan<'c>(
    module: &Module<'c>,
    function: &Function,
    text: &Text,
    operators: &Operators,
) -> Vec<Site<'c>> {
    let Some(scope) = Scope::new(module, function, text) else { return vec![] };
    let written = function.ids().filter(|id| function[*id].origin == Origin::Written);
    let sites = written.flat_map(|id| {
        operators
            .iter()
            .filter_map(|(operator, extent)| site(&scope, id, operator, extent))
            .collect::<Vec<_>>()
    });
    sites.filter(|site| !site.variants.is_empty()).collect()
}

/// The site of a choice: its mutants are what the answers mean.
pub(super) fn of_choice<'c>(function: &Function, choice: &Choice, number: u32) -> Site<'c> {
    let variant = |alternative: &Alternative| Variant {
        operator: alternative.operator,
        edit: alternative.edit.clone(),
        code: alternative.code,
        mutant: 0,
    };
    let variants = choice.alternatives.iter().map(variant).collect();
    let anchor = Anchor::Choice(number, choice.answer);
    Site { function: function.symbol.clone(), header: function.header, anchor, variants }
}

fn site<'c>(scope: &Scope<'_, 'c>, id: NodeId, operator: Operator, extent: Extent) -> Option<Site<'c>> {
    let (anchor, replacements) = match (operator, &scope.function[id].kind) {
        (_, NodeKind::Binary { op, .. } | NodeKind::Compound { op, .. })
            if operator.operations().contains(op) =>
        {
            operation::site(scope, id, operator.operations(), extent)?
        }
        (Operator::Aor, NodeKind::Increment { .. }) => operation::increment(scope, id)?,
        (Operator::Uoi, NodeKind::Variable) => unary::insert(scope, id)?,
        (Operator::Uoi, NodeKind::Unary(unary)) => unary::remove(scope, id, *unary)?,
        (Operator::Ptr, NodeKind::Variable) => pointer::site(scope, id)?,
        (Operator::Scr, NodeKind::Statement(Statement::Case(Some(_)))) => case::site(scope, id)?,
        (Operator::Ivi, NodeKind::Variable) => variable::site(scope, id, SEED)?,
        (Operator::Par, NodeKind::Variable) => variable::parameter(scope, id)?,
        (Operator::Par, NodeKind::Literal(_)) => constant::parameter(scope, id)?,
        (_, NodeKind::Literal(_)) => constant::site(scope, id, constant::values(operator, extent)?)?,
        _ => return None,
    };
    let variants =
        replacements.into_iter().map(|(edit, code)| Variant { operator, edit, code, mutant: 0 }).collect();
    let (function, header) = (scope.function.symbol.clone(), scope.function.header);
    Some(Site { function, header, anchor, variants })
}

/// Whether something is divided by this expression. A constant zero there is no
/// mutant: compilers warn of it, and make of it what they like.
pub(super) fn is_divisor(function: &Function, id: NodeId) -> bool {
    let Some(parent) = function.parent(id) else { return false };
    match &function[parent].kind {
        NodeKind::Paren | NodeKind::Implicit | NodeKind::Cast => is_divisor(function, parent),
        NodeKind::Binary { op, .. } | NodeKind::Compound { op, .. } => {
            matches!(op, Binary::Div | Binary::Rem) && function[parent].children.last() == Some(&id)
        }
        _ => false,
    }
}

/// What a site is in the module, and its mutants.
pub(super) type Found<'c> = (Anchor<'c>, Vec<(Edit, Code)>);

impl Code {
    /// The type of its parameter, if it is parametric.
    pub(super) fn parameter(self) -> Option<ParameterType> {
        match self {
            Code::Parameter { width, signed } => Some(ParameterType { width, signed }),
            _ => None,
        }
    }
}

impl Site<'_> {
    /// Whether a mutant of it wants to know the parameter of the program.
    pub(super) fn is_parametric(&self) -> bool {
        self.variants.iter().any(|variant| variant.code.parameter().is_some())
    }
}

impl Value {
    /// What it makes of a value.
    pub(super) fn of(self, value: i128, integer: Integer) -> i128 {
        match self {
            Value::Plus(plus) => value + i128::from(plus),
            Value::Zero => 0,
            Value::Is(value) => value.into(),
            Value::Least => integer.min(),
            Value::Greatest => integer.max(),
            Value::Negated => -value,
            Value::Complemented => !value,
        }
    }
}
