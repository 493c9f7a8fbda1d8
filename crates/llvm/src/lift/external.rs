//! Functions without a body: which of them we know, and what types the others have.

use std::collections::{BTreeSet, HashMap};

use inkwell::module::Module;
use inkwell::types::AsTypeRef;
use inkwell::values::{AsValueRef, FunctionValue};
use ir::{External, ExternalId, Fault, TypeId};

use super::ctype::Types;
use super::debug::{self, Shape, Type};
use super::operation::Unsupported;
use super::{constant, elsewhere, mentions, print, system, text};
use crate::assertion;
use crate::library;
use crate::variadic;

/// A function of the C library that is an action of ours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Known {
    Allocate,
    Free,
    Extent,
    Alignment,
    /// A fault of this kind, unless its argument holds.
    Check(Fault),
    Stop(Fault),
    Prints(&'static [print::PrintArgument]),
    /// It may do more than we can observe, and nobody can replace it.
    OutOfReach,
}

/// The function of ours whose parameters have the types of all that is defined elsewhere, and their names.
const QUESTION: &str = "__whet_externals";

pub(super) fn known(function: FunctionValue) -> Option<Known> {
    let name = text(function.get_name());
    Some(match name.as_str() {
        "malloc" | "__whet_allocate" => Known::Allocate,
        "__whet_free" => Known::Free,
        "__whet_extent" => Known::Extent,
        "__whet_alignment" => Known::Alignment,
        "__whet_require" => Known::Check(Fault::NullArgument),
        variadic::CHECK => Known::Check(Fault::Argument),
        "__whet_settle" => Known::Check(Fault::LeftOpen),
        "exit" | "_exit" | "_Exit" => Known::Stop(Fault::Exit),
        "abort" => Known::Stop(Fault::Abort),
        name if assertion::is_failure(name) => Known::Stop(Fault::Assertion),
        _ => match print::kinds(&name) {
            Some(kinds) => Known::Prints(kinds),
            None if system::is_of_system(function) => Known::OutOfReach,
            None => return None,
        },
    })
}

/// The functions that a module mentions and that somebody else must have.
pub(super) fn without_body<'c>(module: &Module<'c>) -> impl Iterator<Item = FunctionValue<'c>> {
    module.get_functions().filter(|function| {
        function.count_basic_blocks() == 0
            && function.get_intrinsic_id() == 0
            && !mentions::places(function.as_value_ref()).is_empty()
    })
}

/// Takes the question out of a module, once it is answered.
pub(super) fn forget(module: &Module) {
    if let Some(answer) = module.get_function(QUESTION) {
        // SAFETY: nobody calls it.
        unsafe { answer.delete() };
    }
}

/// A function in C whose debug information has the types of all functions without
/// a body, and of all variables that are defined elsewhere. What is declared
/// within a function only, or nowhere, has no name that could be used for it.
pub(super) fn question(module: &Module, declared: &BTreeSet<String>) -> Option<String> {
    let is_unknown = |function: &FunctionValue| {
        let has_types = function.count_params() > 0 || !function.get_type().is_var_arg();
        has_types && (known(*function).is_none() || system::is_named_input(*function))
    };
    let unknown = without_body(module).filter(is_unknown);
    let mut names: Vec<String> = unknown.map(|function| text(function.get_name())).collect();
    names.retain(|name| !library::has(name));
    names.extend(elsewhere::variables(module).map(constant::name));
    names.retain(|name| declared.contains(name));
    let parameters: Vec<String> = names.iter().map(|name| format!("__typeof__(&{name}) {name}")).collect();
    (!names.is_empty()).then(|| format!("void {QUESTION}({}) {{}}\n", parameters.join(", ")))
}

/// The functions without a body that a program calls.
pub(super) struct Externals<'c> {
    pub list: Vec<External>,
    described: HashMap<String, Vec<Option<Type>>>,
    variables: HashMap<String, Type>,
    numbers: HashMap<FunctionValue<'c>, ExternalId>,
}

impl<'c> Externals<'c> {
    pub(super) fn new(module: &Module<'c>) -> Externals<'c> {
        let (mut described, mut variables) = (HashMap::new(), HashMap::new());
        if let Some(answer) = module.get_function(QUESTION) {
            let types = debug::types_of(answer).unwrap_or_default().into_iter().skip(1);
            for (value, pointer) in answer.get_params().into_iter().zip(types) {
                let Some(of) = pointer.and_then(Type::base) else { continue };
                let name = constant::name(value.as_value_ref());
                match of.plain().filter(|plain| plain.shape() == Shape::Function) {
                    Some(function) => described.extend(function.function().map(|types| (name, types))),
                    None => drop(variables.insert(name, of)),
                }
            }
        }
        Externals { list: vec![], described, variables, numbers: HashMap::new() }
    }

    /// The type of a variable that is defined elsewhere, if C says so.
    pub(super) fn variable(&self, name: &str, types: &mut Types) -> Option<TypeId> {
        types.of(*self.variables.get(name)?)
    }

    /// A function that prints.
    pub(super) fn printing(
        &mut self,
        function: FunctionValue<'c>,
        parameters: Vec<TypeId>,
        types: &mut Types,
    ) -> ExternalId {
        let result = function.get_type().get_return_type().map(|of| types.guess(of.as_type_ref()));
        let variadic = function.get_type().is_var_arg();
        let name = text(function.get_name());
        // The user's file may declare it, and so may our library.
        if let Some(at) = self.list.iter().position(|known| known.prints && known.name == name) {
            return ExternalId(at as u32);
        }
        self.put(function, External { name, parameters, result, variadic, prints: true })
    }

    /// A function about which nothing is known but its type.
    pub(super) fn unknown(
        &mut self,
        function: FunctionValue<'c>,
        types: &mut Types,
    ) -> Result<ExternalId, Unsupported> {
        if let Some(id) = self.numbers.get(&function) {
            return Ok(*id);
        }
        let name = text(function.get_name());
        let of = function.get_type();
        let (parameters, result) = self.types(function, types);
        let is_record = |of: &TypeId| {
            !matches!(
                types.table[of.0 as usize],
                ir::Type::Integer(_) | ir::Type::Float(_) | ir::Type::Pointer(_)
            )
        };
        if parameters.iter().chain(&result).any(is_record)
            || result.is_some() != of.get_return_type().is_some()
        {
            return Err(format!("a call to `{name}`, which has no body and takes or returns a struct"));
        }
        let variadic = of.is_var_arg();
        Ok(self.put(function, External { name, parameters, result, variadic, prints: false }))
    }

    /// The types of the parameters and of the result; guessed, if C does not say.
    pub(super) fn types(&self, function: FunctionValue, types: &mut Types) -> (Vec<TypeId>, Option<TypeId>) {
        let of = function.get_type();
        let passed = of.get_param_types();
        let described = self.described.get(&text(function.get_name())).filter(|described| {
            let parameters = described.iter().skip(1).flatten().count();
            parameters == passed.len()
        });
        match described {
            Some(described) => {
                let (result, parameters) = described.split_first().expect("the result comes first");
                let result = result.map(|of| types.of(of).unwrap_or_else(|| types.byte()));
                let parameters =
                    parameters.iter().flatten().map(|of| types.of(*of).unwrap_or_else(|| types.byte()));
                (parameters.collect(), result)
            }
            None => {
                let result = of.get_return_type().map(|of| types.guess(of.as_type_ref()));
                (passed.iter().map(|of| types.guess(of.as_type_ref())).collect(), result)
            }
        }
    }

    fn put(&mut self, function: FunctionValue<'c>, external: External) -> ExternalId {
        let next = ExternalId(self.list.len() as u32);
        let id = *self.numbers.entry(function).or_insert(next);
        if id == next {
            self.list.push(external);
        }
        id
    }
}
