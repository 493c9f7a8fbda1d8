//! Which sites a function has: the source says what, debug locations say where in the module.

use inkwell::module::Module;
use inkwell::values::{InstructionOpcode, InstructionValue};
use inkwell::{FloatPredicate, IntPredicate};
use source::{Edit, Text};

use super::places::Places;
use super::{constant, operation, variable};
use crate::ast::{Function, Kind, NodeId, Origin};
use crate::operators::{Binary, Operator, Replaces, Value};

/// One place with its mutants.
pub(super) struct Site<'c> {
    /// Where it stands in the source.
    pub offset: usize,
    pub place: Place<'c>,
    pub variants: Vec<Variant>,
}

/// What becomes the call of a site function.
#[derive(Clone, Copy)]
pub(super) enum Place<'c> {
    /// The instruction moves into the site.
    Operation(InstructionValue<'c>),
    /// Its result goes through the site.
    Result(InstructionValue<'c>),
    /// The constant that is this operand comes out of the site.
    Constant { user: InstructionValue<'c>, operand: u32 },
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
}

/// All that is known when a node is looked at.
pub(super) struct Scope<'f, 'c> {
    pub function: &'f Function,
    pub text: &'f Text,
    pub places: Places<'c>,
}

pub(super) fn plan<'c>(
    module: &Module<'c>,
    function: &Function,
    text: &Text,
    operators: &[Operator],
) -> Vec<Site<'c>> {
    let Some(places) = Places::new(module, function) else { return vec![] };
    let scope = Scope { function, text, places };
    let written = function.ids().filter(|id| function[*id].origin == Origin::Written);
    let sites = written.flat_map(|id| {
        operators.iter().filter_map(|operator| site(&scope, id, *operator)).collect::<Vec<_>>()
    });
    sites.filter(|site| !site.variants.is_empty()).collect()
}

fn site<'c>(scope: &Scope<'_, 'c>, id: NodeId, operator: Operator) -> Option<Site<'c>> {
    let (offset, place, replacements) = match (operator.row().replaces, &scope.function[id].kind) {
        (Replaces::Operations(ops), Kind::Binary { op, .. } | Kind::Compound { op, .. })
            if ops.contains(op) =>
        {
            operation::site(scope, id, ops)?
        }
        (Replaces::Operations(ops), Kind::Increment { .. }) if ops.contains(&Binary::Add) => {
            operation::increment(scope, id)?
        }
        (Replaces::Values(values), Kind::Variable) => variable::site(scope, id, values)?,
        (Replaces::Values(values), Kind::Literal(_)) => constant::site(scope, id, values)?,
        _ => return None,
    };
    let variants =
        replacements.into_iter().map(|(edit, code)| Variant { operator, edit, code, mutant: 0 }).collect();
    Some(Site { offset, place, variants })
}

/// Whether something is divided by this expression. A constant zero there is no mutant: compilers warn of it, and
/// make of it what they like.
pub(super) fn is_divisor(function: &Function, id: NodeId) -> bool {
    let Some(parent) = function.parent(id) else { return false };
    match &function[parent].kind {
        Kind::Paren | Kind::Implicit | Kind::Cast => is_divisor(function, parent),
        Kind::Binary { op, .. } | Kind::Compound { op, .. } => {
            matches!(op, Binary::Div | Binary::Rem) && function[parent].children.last() == Some(&id)
        }
        _ => false,
    }
}

/// Where a site stands in the source, what it is in the module, and its mutants.
pub(super) type Found<'c> = (usize, Place<'c>, Vec<(Edit, Code)>);

impl Value {
    /// What it makes of a value.
    pub(super) fn of(self, value: i128) -> i128 {
        match self {
            Value::Plus(plus) => value + i128::from(plus),
            Value::Zero => 0,
        }
    }
}
