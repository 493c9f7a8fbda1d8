//! From floats to integers: which of them fit. What the others become differs between machines.

use inkwell::FloatPredicate;
use inkwell::builder::Builder;
use inkwell::module::Module;
use inkwell::types::{FloatType, IntType};
use inkwell::values::{
    AnyValue, AnyValueEnum, BasicValueEnum, FloatValue, InstructionOpcode, InstructionValue, IntValue,
};

/// Whether a float fits the integer that it is to become, computed in front of
/// the conversion. None for floats that we do not define.
pub(super) fn fits<'c>(
    module: &Module<'c>,
    builder: &Builder<'c>,
    conversion: InstructionValue<'c>,
) -> Option<IntValue<'c>> {
    let operand = conversion.get_operand(0).and_then(|operand| operand.value());
    let (Some(BasicValueEnum::FloatValue(from)), AnyValueEnum::IntValue(result)) =
        (operand, conversion.as_any_value_enum())
    else {
        return None;
    };
    let bits = significand(module, from.get_type())?;
    let signed = conversion.get_opcode() == InstructionOpcode::FPToSI;
    let place = "the builder has a place";
    builder.position_before(&conversion);
    let (least, least_fits, end) = bounds(from.get_type(), result.get_type(), bits, signed);
    let above = if least_fits { FloatPredicate::OGE } else { FloatPredicate::OGT };
    let above = builder.build_float_compare(above, from, least, "above").expect(place);
    let below = builder.build_float_compare(FloatPredicate::OLT, from, end, "below").expect(place);
    Some(builder.build_and(above, below, "fits").expect(place))
}

/// The numbers between which a conversion is fine: the lower one, whether it is fine itself, and the
/// upper one, which is not. Each is exact: a power of two, or one less where the float has room for it.
fn bounds<'c>(
    from: FloatType<'c>,
    to: IntType<'c>,
    significand: u32,
    signed: bool,
) -> (FloatValue<'c>, bool, FloatValue<'c>) {
    let width = to.get_bit_width();
    let magnitude = if signed { width - 1 } else { width };
    let end = 2f64.powi(magnitude as i32);
    let (least, least_fits) = match signed {
        false => (-1.0, false),
        true if width < significand => (-end - 1.0, false),
        true => (-end, true),
    };
    (from.const_float(least), least_fits, from.const_float(end))
}

/// How many bits a float is exact to; none for those that we do not define.
fn significand(module: &Module, of: FloatType) -> Option<u32> {
    let context = module.get_context();
    if of == context.f32_type() {
        Some(f32::MANTISSA_DIGITS)
    } else if of == context.f64_type() {
        Some(f64::MANTISSA_DIGITS)
    } else {
        None
    }
}
