//! Tables of the library: how to call its functions, and where its functions and globals are.
//!
//! A wrapper takes the arguments of its function from memory, in slots of 16 bytes. Only compiled
//! code knows how a function wants to be called, and so nobody has to build calls at run time.

use inkwell::AddressSpace;
use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::llvm_sys::LLVMLinkage;
use inkwell::llvm_sys::core::{
    LLVMAddGlobal, LLVMArrayType2, LLVMConstNull, LLVMConstStructInContext, LLVMDeleteGlobal,
    LLVMGetAlignment, LLVMGetInitializer, LLVMGetModuleContext, LLVMGlobalGetValueType,
    LLVMInt8TypeInContext, LLVMIsGlobalConstant, LLVMReplaceAllUsesWith, LLVMSetAlignment,
    LLVMSetGlobalConstant, LLVMSetInitializer, LLVMSetLinkage, LLVMSetValueName2, LLVMStructTypeInContext,
};
use inkwell::module::Module;
use inkwell::values::{AsValueRef, FunctionValue, GlobalValue, IntValue, PointerValue};
use ir::{Function, Global, Program};

use super::outside;

/// The bytes of a slot.
const SLOT: u64 = 16;

/// What lies between two globals, in bytes, so that an address a little outside
/// of one still tells which it strayed from.
pub(super) const GAP: u64 = 256;

pub(super) fn write(module: &Module, program: &Program) {
    let context = module.get_context();
    let address = context.ptr_type(AddressSpace::default());
    let null = address.const_null();
    let find = |function: &Function| {
        module.get_function(&function.name).filter(|found| found.get_intrinsic_id() == 0)
    };
    let calls: Vec<PointerValue> = program
        .functions
        .iter()
        .enumerate()
        .map(|(at, function)| match find(function) {
            Some(found) if is_callable(function, found) => {
                wrap(module, at, found).as_global_value().as_pointer_value()
            }
            _ => null,
        })
        .collect();
    let functions: Vec<PointerValue> = program
        .functions
        .iter()
        .map(|function| {
            // The server has the heap.
            let ours = module.get_function(&format!("__whet_{}", function.name));
            let found = ours.filter(|_| outside::HEAP.contains(&function.name.as_str())).or(find(function));
            found.map_or(null, |found| found.as_global_value().as_pointer_value())
        })
        .collect();
    let globals: Vec<Option<GlobalValue>> =
        program.globals.iter().map(|global| defined(module, global)).collect();
    let size = |(global, found): (&Global, &Option<GlobalValue>)| {
        let size = if global.constant || found.is_none() { 0 } else { global.contents.len() };
        context.i64_type().const_int(size as u64, false)
    };
    let sizes: Vec<IntValue> = program.globals.iter().zip(&globals).map(size).collect();
    let globals: Vec<PointerValue> =
        globals.iter().map(|global| global.map_or(null, |global| global.as_pointer_value())).collect();
    let count = |count: usize| context.i64_type().const_int(count as u64, false);
    put(module, "__whet_calls", address.const_array(&calls));
    put(module, "__whet_functions", address.const_array(&functions));
    put(module, "__whet_globals", address.const_array(&globals));
    put(module, "__whet_global_sizes", context.i64_type().const_array(&sizes));
    let counts = [count(functions.len()), count(globals.len())];
    put(module, "__whet_counts", context.i64_type().const_array(&counts));
}

/// Gives each global some room, so that the address after its last byte is still its own.
pub(super) fn spread_globals(module: &Module, program: &Program) {
    for global in program.globals.iter().filter_map(|global| defined(module, global)) {
        let name = global.get_name().to_owned();
        let old = global.as_value_ref();
        // SAFETY: a global with an initial value is replaced by one that starts
        // with the same, of the same name.
        unsafe {
            let module = module.as_mut_ptr();
            let context = LLVMGetModuleContext(module);
            let gap = LLVMArrayType2(LLVMInt8TypeInContext(context), GAP);
            let mut types = [LLVMGlobalGetValueType(old), gap];
            let mut values = [LLVMGetInitializer(old), LLVMConstNull(gap)];
            let of = LLVMStructTypeInContext(context, types.as_mut_ptr(), 2, 0);
            let new = LLVMAddGlobal(module, of, c"".as_ptr());
            LLVMSetInitializer(new, LLVMConstStructInContext(context, values.as_mut_ptr(), 2, 0));
            LLVMSetGlobalConstant(new, LLVMIsGlobalConstant(old));
            LLVMSetAlignment(new, LLVMGetAlignment(old));
            LLVMSetLinkage(new, LLVMLinkage::LLVMInternalLinkage);
            LLVMReplaceAllUsesWith(old, new);
            LLVMDeleteGlobal(old);
            LLVMSetValueName2(new, name.as_ptr(), name.to_bytes().len());
        }
    }
}

/// The global of the module, if it has its value there.
fn defined<'c>(module: &Module<'c>, global: &Global) -> Option<GlobalValue<'c>> {
    module.get_global(&global.name).filter(|found| found.get_initializer().is_some())
}

/// Whether the function can be called with words.
fn is_callable(function: &Function, found: FunctionValue) -> bool {
    function.unsupported.is_none() && function.door.is_none() && found.count_basic_blocks() > 0
}

/// A function `void (word *arguments, word *result)` around a function.
fn wrap<'c>(module: &Module<'c>, at: usize, function: FunctionValue<'c>) -> FunctionValue<'c> {
    let context = module.get_context();
    let builder = context.create_builder();
    let place = "the builder has a place";
    let address = context.ptr_type(AddressSpace::default());
    let of = context.void_type().fn_type(&[address.into(), address.into()], false);
    let wrapper = module.add_function(&format!("__whet_call_{at}"), of, None);
    builder.position_at_end(context.append_basic_block(wrapper, "entry"));
    let [slots, result] =
        [0, 1].map(|at| wrapper.get_nth_param(at).expect("it has two").into_pointer_value());
    let mut arguments = Vec::new();
    for (at, parameter) in function.get_params().into_iter().enumerate() {
        let by = context.i64_type().const_int(at as u64 * SLOT, false);
        // SAFETY: the caller has a slot for each argument.
        let slot = unsafe { builder.build_gep(context.i8_type(), slots, &[by], "slot").expect(place) };
        arguments.push(builder.build_load(parameter.get_type(), slot, "argument").expect(place).into());
    }
    let call = builder.build_call(function, &arguments, "").expect(place);
    // What is narrower than a register is widened by the caller.
    for location in
        std::iter::once(AttributeLoc::Return).chain((0..function.count_params()).map(AttributeLoc::Param))
    {
        for name in ["signext", "zeroext"] {
            let kind = Attribute::get_named_enum_kind_id(name);
            if let Some(attribute) = function.get_enum_attribute(location, kind) {
                call.add_attribute(location, attribute);
            }
        }
    }
    if let Some(value) = call.try_as_basic_value().basic() {
        builder.build_store(result, value).expect(place);
    }
    builder.build_return(None).expect(place);
    wrapper
}

fn put<'c>(module: &Module<'c>, name: &str, table: inkwell::values::ArrayValue<'c>) {
    let global = module.add_global(table.get_type(), None, name);
    global.set_initializer(&table);
    global.set_constant(true);
}
