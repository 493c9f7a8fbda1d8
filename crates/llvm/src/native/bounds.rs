//! What we need of clang's UndefinedBehaviorSanitizer: a check of each array
//! index, with a trap. Code that is said to be unreachable traps in every build.

use inkwell::IntPredicate;
use inkwell::attributes::AttributeLoc;
use inkwell::module::{Linkage, Module};
use inkwell::values::{FunctionValue, InstructionOpcode, InstructionValue};

use crate::bounds::{self, Limit};
use crate::define::{Trap, enumerated};
use crate::lift;

/// Checks the indexes of all that the user wrote.
pub(super) fn watch(module: &Module) {
    let check = write_check(module);
    for function in lift::user_functions(module) {
        let blocks = function.get_basic_block_iter();
        let instructions = blocks.flat_map(|block| block.get_instructions());
        let is_address = |each: &InstructionValue| each.get_opcode() == InstructionOpcode::GetElementPtr;
        let addresses: Vec<InstructionValue> = instructions.filter(is_address).collect();
        for address in addresses {
            for limit in bounds::limits(address) {
                insert(module, check, address, &limit);
            }
        }
    }
}

fn insert(module: &Module, check: FunctionValue, address: InstructionValue, limit: &Limit) {
    let context = module.get_context();
    let builder = context.create_builder();
    builder.position_before(&address);
    let extended = limit.index_in_64_bits(&builder);
    let below = context.i64_type().const_int(limit.watched_below, false);
    builder.build_call(check, &[extended.into(), below.into()], "").expect("the builder has a place");
}

/// The function that traps unless its first argument is below the second. A negative index is a large one.
fn write_check<'c>(module: &Module<'c>) -> FunctionValue<'c> {
    let context = module.get_context();
    let (builder, number) = (context.create_builder(), context.i64_type());
    let of = context.void_type().fn_type(&[number.into(), number.into()], false);
    let check = module.add_function("whet.index", of, Some(Linkage::Internal));
    check.add_attribute(AttributeLoc::Function, enumerated(module, "alwaysinline"));
    let argument = |at| check.get_nth_param(at).expect("it has two").into_int_value();
    let [entry, stop, go] = ["entry", "stop", "go"].map(|name| context.append_basic_block(check, name));
    let place = "the builder has a place";
    builder.position_at_end(entry);
    let fine = builder.build_int_compare(IntPredicate::ULT, argument(0), argument(1), "fine").expect(place);
    builder.build_conditional_branch(fine, go, stop).expect(place);
    builder.position_at_end(stop);
    let trap = module.get_function("__whet_trap").expect("the defined form has one");
    let code = context.i32_type().const_int(Trap::Index as u64, false);
    builder.build_call(trap, &[code.into()], "").expect(place);
    builder.build_unreachable().expect(place);
    builder.position_at_end(go);
    builder.build_return(None).expect(place);
    check
}
