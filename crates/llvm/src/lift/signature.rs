//! What a caller in C sees of a function: the types that C gives, checked against those that LLVM has.
//!
//! The two differ more often than one would think. A small struct arrives as an `i64`, an `__int128` as two of
//! them, and the `char` of a function without a prototype as an `int`.

use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::types::BasicTypeEnum;
use inkwell::values::{AsValueRef, BasicValueEnum, FunctionValue, InstructionOpcode};
use ir::{Parameter, Scalar, Signature};

use super::debug::{self, Shape, Signed, Type};
use super::operation::{Unsupported, width_of};
use super::variable::users;

/// The signature of a function, or why it has none that we can call.
pub(super) fn of(function: FunctionValue) -> Result<Signature, Unsupported> {
    if function.get_type().is_var_arg() {
        return Err("the number of arguments varies".to_string());
    }
    let types = debug::types_of(function).ok_or("there is no debug information")?;
    let (result, parameters) = types.split_first().ok_or("there is no debug information")?;
    let values = function.get_params();
    for (at, of) in parameters.iter().enumerate() {
        let name = values.get(at).map_or_else(|| format!("arg{at}"), |value| parameter_name(*value, at));
        check(&format!("parameter `{name}`"), *of)?;
    }
    if let Some(of) = result {
        check("the result", Some(*of))?;
    }
    if values.len() != parameters.len() {
        return Err("its parameters are passed in parts".to_string());
    }
    let parameters = values.iter().zip(parameters).enumerate().map(|(at, (value, of))| {
        let name = parameter_name(*value, at);
        let scalar = scalar(function, AttributeLoc::Param(at as u32), value.get_type(), *of)
            .ok_or_else(|| format!("parameter `{name}` is not passed as an integer"))?;
        Ok(Parameter { name, scalar })
    });
    let parameters = parameters.collect::<Result<_, Unsupported>>()?;
    let result = match (result, function.get_type().get_return_type()) {
        (None, None) => None,
        (of, Some(returned)) => Some(
            scalar(function, AttributeLoc::Return, returned, *of)
                .ok_or("the result is not passed as an integer")?,
        ),
        (Some(_), None) => return Err("the result is not passed as an integer".to_string()),
    };
    Ok(Signature { parameters, result })
}

/// Says what a type is if it is not an integer that is passed as one.
fn check(what: &str, of: Option<Type>) -> Result<(), Unsupported> {
    let Some(of) = of else { return Err(format!("{what} has no type")) };
    let name = of.name();
    let kind = match of.shape() {
        Shape::Integer { .. } if !name.contains("__int128") => return Ok(()),
        Shape::Pointer => "a pointer",
        Shape::Float => "a floating-point number",
        Shape::Struct => "a struct",
        Shape::Union => "a union",
        Shape::Array => "an array",
        Shape::Integer { .. } | Shape::Other => "of a type that we do not handle",
    };
    Err(format!("{what} is {kind} (`{name}`)"))
}

fn scalar(
    function: FunctionValue,
    at: AttributeLoc,
    passed: BasicTypeEnum,
    of: Option<Type>,
) -> Option<Scalar> {
    let width = width_of(passed)?;
    let of = of?;
    let Shape::Integer { signed } = of.shape() else { return None };
    let has = |name| function.get_enum_attribute(at, Attribute::get_named_enum_kind_id(name)).is_some();
    // Without a prototype, what is narrower than `int` travels as one.
    if width == 32 && of.bits() < 32 {
        return Some(Scalar { name: "int".to_string(), width, signed: true });
    }
    let signed = match signed {
        Signed::Yes => true,
        Signed::No => false,
        Signed::Char => has("signext"),
    };
    Some(Scalar { name: of.name(), width, signed })
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
