//! What a caller in C sees of a function: the types that C gives, checked against those that LLVM has.
//!
//! The two differ more often than one would think. A small struct arrives as an `i64`, an `__int128` as two
//! of them, and the `char` of a function without a prototype as an `int`. Structs go through a door, so that
//! everything else is passed as it is.

use inkwell::types::BasicTypeEnum;
use inkwell::values::{AsValueRef, BasicValueEnum, FunctionValue, InstructionOpcode};
use ir::{Parameter, Signature, TypeId};

use super::ctype::Types;
use super::debug::{self, Shape, Type};
use super::layout::width_of;
use super::operation::Unsupported;
use super::variable::users;
use crate::variadic;

/// What clang calls a list of arguments.
const LIST: &str = "__va_list_tag";

/// The signature of a function, or why it has none that we can call.
pub(super) fn of(function: FunctionValue, types: &mut Types) -> Result<Signature, Unsupported> {
    if function.get_type().is_var_arg() {
        return Err("the number of arguments varies".to_string());
    }
    let described = debug::types_of(function).ok_or("there is no debug information")?;
    let (result, described) = described.split_first().ok_or("there is no debug information")?;
    let variadic = variadic::was_variadic(function);
    let described = own(described, variadic);
    let names = names(function, described.len());
    let mut parameters = Vec::new();
    for (name, of) in names.iter().zip(described) {
        check(&format!("parameter `{name}`"), *of)?;
        let of = of
            .and_then(|of| types.of(of))
            .ok_or_else(|| format!("parameter `{name}` is of an unknown type"))?;
        parameters.push(Parameter { name: name.clone(), of });
    }
    let result = match result {
        None => None,
        Some(of) => {
            check("the result", Some(*of))?;
            Some(types.of(*of).ok_or("the result is of an unknown type")?)
        }
    };
    let mut signature = Signature { parameters, result, variadic };
    if !needs_door(function) {
        as_passed(function, &mut signature, types)?;
    }
    Ok(signature)
}

/// The parameter of a function that is a list of arguments, in words. Only a variadic function makes one.
pub(super) fn list(function: FunctionValue) -> Option<Unsupported> {
    let described = debug::types_of(function)?;
    let described = own(described.get(1..)?, is_variadic(function));
    let at = described.iter().position(|of| of.is_some_and(is_list))?;
    let name = &names(function, described.len())[at];
    Some(format!("parameter `{name}` is a list of arguments (`va_list`)"))
}

/// Whether a pointer leads to a list, or to an array of them, as which C declares one.
fn is_list(of: Type) -> bool {
    let base = |of: Type| of.plain().and_then(Type::base).and_then(Type::plain);
    let Some(to) = base(of).filter(|_| of.plain().map(Type::shape) == Some(Shape::Pointer)) else {
        return false;
    };
    let element = if to.shape() == Shape::Array { base(to) } else { Some(to) };
    element.is_some_and(|of| of.own_name() == LIST)
}

/// Whether a struct is passed or returned by value, or more arguments may follow. A door passes none of
/// these.
pub(super) fn needs_door(function: FunctionValue) -> bool {
    let is_variadic = is_variadic(function);
    is_variadic || debug::types_of(function).unwrap_or_default().into_iter().flatten().any(is_record)
}

fn is_variadic(function: FunctionValue) -> bool {
    function.get_type().is_var_arg() || variadic::was_variadic(function)
}

/// The types of the parameters that have a name. Where more arguments may follow, debug information has one
/// more entry.
fn own(described: &[Option<Type>], variadic: bool) -> &[Option<Type>] {
    match described {
        [own @ .., None] if variadic => own,
        all => all,
    }
}

fn is_record(of: Type) -> bool {
    matches!(of.plain().map(Type::shape), Some(Shape::Struct | Shape::Union))
}

/// The declaration in C of a function that takes a pointer in place of each struct; None if there are no
/// words for it.
pub(super) fn door(function: FunctionValue, door: &str) -> Option<String> {
    let described = debug::types_of(function)?;
    let (result, parameters) = described.split_first()?;
    let parameters = own(parameters, is_variadic(function));
    let spelled = |of: Type| {
        let name = of.name();
        let nameless = name.contains("struct *") || name.ends_with("struct") || name.ends_with("union");
        (!nameless).then(|| format!("__typeof__({name})"))
    };
    let (mut declared, mut passed) = (Vec::new(), Vec::new());
    for (at, of) in parameters.iter().enumerate() {
        let of = (*of)?;
        let star = if is_record(of) { "*" } else { "" };
        declared.push(format!("{} {star}a{at}", spelled(of)?));
        passed.push(format!("{star}a{at}"));
    }
    let call = format!("{}({})", function.get_name().to_string_lossy(), passed.join(", "));
    let (returns, body) = match result {
        None => ("void".to_string(), format!("{call};")),
        Some(of) if is_record(*of) => {
            declared.insert(0, format!("{} *result", spelled(*of)?));
            // A struct with constant members cannot be assigned to, but copied.
            let copy = "__builtin_memcpy(result, &value, sizeof value);";
            ("void".to_string(), format!("{} value = {call}; {copy}", spelled(*of)?))
        }
        Some(of) => (spelled(*of)?, format!("return {call};")),
    };
    let declared = if declared.is_empty() { "void".to_string() } else { declared.join(", ") };
    Some(format!("{returns} {door}({declared}) {{ {body} }}\n"))
}

/// Says what a type is if it is none that we can pass.
fn check(what: &str, of: Option<Type>) -> Result<(), Unsupported> {
    let Some(of) = of else { return Err(format!("{what} has no type")) };
    let name = of.name();
    let plain = of.plain();
    match plain.map(Type::shape) {
        Some(Shape::Integer { .. } | Shape::Enumeration) if of.bits() <= 64 => Ok(()),
        Some(Shape::Float | Shape::Struct | Shape::Union | Shape::Pointer) => Ok(()),
        _ => Err(format!("{what} is of a type that we do not handle (`{name}`)")),
    }
}

/// Holds the types of C against those of LLVM, one by one.
fn as_passed(
    function: FunctionValue,
    signature: &mut Signature,
    types: &mut Types,
) -> Result<(), Unsupported> {
    let values = function.get_params();
    if values.len() != signature.parameters.len() {
        return Err("its parameters are passed in parts".to_string());
    }
    for (value, parameter) in values.iter().zip(&mut signature.parameters) {
        parameter.of = passed(value.get_type(), parameter.of, types)
            .ok_or_else(|| format!("parameter `{}` is not passed as one value", parameter.name))?;
    }
    signature.result = match (signature.result, function.get_type().get_return_type()) {
        (None, None) => None,
        (Some(of), Some(returned)) => {
            Some(passed(returned, of, types).ok_or("the result is not passed as one value")?)
        }
        _ => return Err("the result is not passed as one value".to_string()),
    };
    Ok(())
}

fn passed(passed: BasicTypeEnum, of: TypeId, types: &mut Types) -> Option<TypeId> {
    let width = width_of(passed)?;
    let own = match &types.table[of.0 as usize] {
        ir::Type::Integer(scalar) => scalar.width,
        ir::Type::Float(float) => float.width,
        ir::Type::Pointer(_) => 64,
        _ => return None,
    };
    match own {
        own if own == width => Some(of),
        // Without a prototype, what is narrower than `int` travels as one.
        ..32 if width == 32 && passed.is_int_type() => Some(types.integer("int", 32, true)),
        _ => None,
    }
}

/// The names of the parameters in C. A struct that is returned in memory takes a value that is no parameter,
/// and one that is passed in parts takes several.
fn names(function: FunctionValue, count: usize) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut values = function.get_params();
    if variadic::was_variadic(function) {
        values.pop();
    }
    let exact = values.len() == count;
    for (at, value) in values.into_iter().enumerate() {
        let name = parameter_name(value, at);
        let is_part = !exact && (names.contains(&name) || name == "agg");
        if !is_part {
            names.push(name);
        }
    }
    if names.len() != count {
        names = (0..count).map(|at| format!("arg{at}")).collect();
    }
    names
}

/// The name in C. Clang names the value after it, or (without a prototype) what it is narrowed to.
fn parameter_name(value: BasicValueEnum, at: usize) -> String {
    let named =
        |name: &std::ffi::CStr| Some(name.to_string_lossy().into_owned()).filter(|name| !name.is_empty());
    let narrowed = || {
        let user = users(value.as_value_ref()).into_iter().next()?;
        (user.get_opcode() == InstructionOpcode::Trunc).then_some(())?;
        user.get_name().and_then(named)
    };
    let name = named(value.get_name()).or_else(narrowed);
    name.map_or_else(|| format!("arg{at}"), |name| without_part(&name))
}

/// A parameter that is passed in parts gives its name to each: `x.coerce0`.
fn without_part(name: &str) -> String {
    name.split('.').next().unwrap_or(name).to_string()
}
