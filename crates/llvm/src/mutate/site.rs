//! Writing site functions into the module.

use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap};
use std::ops::RangeInclusive;

use inkwell::IntPredicate;
use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::builder::Builder;
use inkwell::llvm_sys::core::{
    LLVMGetBasicBlockTerminator, LLVMGetIncomingBlock, LLVMInsertIntoBuilder, LLVMInstructionClone,
    LLVMSetOperand,
};
use inkwell::llvm_sys::debuginfo::LLVMInstructionSetDebugLoc;
use inkwell::module::{Linkage, Module};
use inkwell::types::{BasicMetadataTypeEnum, BasicType, IntType};
use inkwell::values::{
    AsValueRef, BasicMetadataValueEnum, BasicValueEnum, FunctionValue, GlobalValue, InstructionOpcode,
    InstructionValue, IntValue, Operand,
};
use source::Change;

use super::instrument::{QUESTION, WIDE_QUESTION};
use super::places;
use super::plan::{Anchor, Code, Site, Variant};
use crate::lift;

/// The global that says which mutant runs.
pub(crate) const SELECTOR: &str = "__whet_mutant";
/// What the names of site functions begin with.
pub(crate) const SITE_PREFIX: &str = "whet.site.";
/// Marks the return of a mutant's arm with its number.
pub(crate) const MUTANT_KIND: &str = "whet.mutant";
/// Names the mutants, each with operator, place, original and replacement.
pub(crate) const MUTANTS: &str = "whet.mutants";

/// Inkwell reports a builder without a position, and operands of unlike types; both would be our mistake.
const WELL_PLACED: &str = "the builder has a position, and the operands have their types";

/// Puts the sites in. Constants first: an operation that moves into its site takes its operands
/// along as arguments, and one of them may be a site by then.
pub(super) fn insert<'c>(module: &Module<'c>, sites: &[Site<'c>]) {
    let context = module.get_context();
    let selector = module.add_global(context.i32_type(), None, SELECTOR);
    selector.set_initializer(&context.i32_type().const_zero());
    let parameter = sites.iter().any(Site::is_parametric).then(|| {
        let parameter = module.add_global(context.i64_type(), None, ir::PARAMETER);
        parameter.set_initializer(&context.i64_type().const_zero());
        parameter
    });
    let functions: Vec<FunctionValue<'c>> =
        sites.iter().enumerate().map(|(at, site)| function(module, selector, at, site)).collect();
    let order = |site: &Site<'c>| match site.anchor {
        Anchor::Constant { .. } | Anchor::Operand { .. } | Anchor::Choice(..) => 0,
        Anchor::Result(_) => 1,
        Anchor::Operation(_) => 2,
    };
    let mut calls: Vec<(&Site<'c>, FunctionValue<'c>)> = sites.iter().zip(functions).collect();
    calls.sort_by_key(|(site, _)| order(site));
    let questions = questions(module);
    for (site, function) in calls {
        let parameter = parameter.filter(|_| site.is_parametric());
        match site.anchor {
            Anchor::Choice(number, _) => {
                let questions = questions.get(&number.into()).map_or(&[][..], Vec::as_slice);
                answer(module, questions, function, parameter);
            }
            anchor => call(module, anchor, function, parameter),
        }
    }
}

/// Where each choice is asked for, by its number.
fn questions<'c>(module: &Module<'c>) -> HashMap<u64, Vec<InstructionValue<'c>>> {
    let mut found: HashMap<u64, Vec<InstructionValue<'c>>> = HashMap::new();
    let asked = [QUESTION, WIDE_QUESTION].into_iter().filter_map(|name| module.get_function(name));
    for call in asked.flat_map(|function| lift::users(function.as_value_ref())) {
        if let Some(number) = places::constant(call, 0) {
            found.entry(number).or_default().push(call);
        }
    }
    found
}

/// Has a site answer a question.
fn answer<'c>(
    module: &Module<'c>,
    questions: &[InstructionValue<'c>],
    function: FunctionValue<'c>,
    parameter: Option<GlobalValue<'c>>,
) {
    let builder = module.get_context().create_builder();
    for question in questions {
        builder.position_before(question);
        let arguments: Vec<BasicMetadataValueEnum> =
            parameter.map(|parameter| read(&builder, parameter, question).into()).into_iter().collect();
        let call = builder.build_call(function, &arguments, "choice").expect(WELL_PLACED);
        // SAFETY: a call is an instruction.
        let call = unsafe { InstructionValue::new(call.as_value_ref()) };
        call.set_debug_location(question.get_debug_location());
        question.replace_all_uses_with(&call);
        question.erase_from_basic_block();
    }
}

/// Reads the parameter of the program, at the place of the instruction that wants it.
fn read<'c>(
    builder: &Builder<'c>,
    parameter: GlobalValue<'c>,
    user: &InstructionValue<'c>,
) -> BasicValueEnum<'c> {
    let of = parameter.as_pointer_value().get_type().get_context().i64_type();
    let value = builder.build_load(of, parameter.as_pointer_value(), "p").expect(WELL_PLACED);
    // SAFETY: a load is an instruction.
    let load = unsafe { InstructionValue::new(value.as_value_ref()) };
    load.set_debug_location(user.get_debug_location());
    value
}

/// Lists the mutants in the module, for a reader of the file.
pub(super) fn describe(module: &Module<'_>, changes: &[Change]) {
    let context = module.get_context();
    for (at, change) in changes.iter().enumerate() {
        let place = change.place();
        let words = [change.operator.as_str(), &place, &change.original, change.replacement()];
        let number = context.i32_type().const_int(at as u64 + 1, false);
        let mut fields: Vec<BasicMetadataValueEnum> = vec![number.into()];
        fields.extend(words.iter().map(|word| BasicMetadataValueEnum::from(context.metadata_string(word))));
        module
            .add_global_metadata(MUTANTS, &context.metadata_node(&fields))
            .expect("the name has no zero byte");
    }
}

fn function<'c>(
    module: &Module<'c>,
    selector: GlobalValue<'c>,
    at: usize,
    site: &Site<'c>,
) -> FunctionValue<'c> {
    let context = module.get_context();
    let operands = match site.anchor {
        Anchor::Operation(instruction) => operands(instruction),
        Anchor::Result(instruction) => vec![result(instruction)],
        Anchor::Operand { user, operand } => vec![value_operand(user, operand)],
        Anchor::Constant { .. } | Anchor::Choice(..) => vec![],
    };
    let result = match site.anchor {
        Anchor::Operation(instruction) | Anchor::Result(instruction) => result(instruction).get_type(),
        Anchor::Constant { user, operand } | Anchor::Operand { user, operand } => {
            value_operand(user, operand).get_type()
        }
        Anchor::Choice(_, answer) if answer.is_wide => context.i64_type().into(),
        Anchor::Choice(..) => context.i32_type().into(),
    };
    let mut parameters: Vec<BasicMetadataTypeEnum> =
        operands.iter().map(|operand| operand.get_type().into()).collect();
    if site.is_parametric() {
        parameters.push(context.i64_type().into());
    }
    let name = format!("{SITE_PREFIX}{}", at + 1);
    let function = module.add_function(&name, result.fn_type(&parameters, false), Some(Linkage::Internal));
    let inline = context.create_enum_attribute(Attribute::get_named_enum_kind_id("alwaysinline"), 0);
    function.add_attribute(AttributeLoc::Function, inline);
    for (parameter, name) in function.get_param_iter().zip(["a", "b"]) {
        parameter.set_name(name);
    }

    let builder = context.create_builder();
    let entry = context.append_basic_block(function, "entry");
    let original = context.append_basic_block(function, "original");
    builder.position_at_end(original);
    let value = original_value(&builder, site.anchor, function);
    builder.build_return(Some(&value)).expect(WELL_PLACED);
    let mut cases = Vec::new();
    for variant in &site.variants {
        let block = context.append_basic_block(function, &format!("m{}", variant.mutant));
        builder.position_at_end(block);
        let value = variant_value(&builder, site.anchor, function, variant);
        let number = context.i32_type().const_int(variant.mutant.into(), false);
        let end = builder.build_return(Some(&value)).expect(WELL_PLACED);
        mark(end, number);
        cases.push((number, block));
    }
    builder.position_at_end(entry);
    let mutant =
        builder.build_load(context.i32_type(), selector.as_pointer_value(), "mutant").expect(WELL_PLACED);
    builder.build_switch(mutant.into_int_value(), original, &cases).expect(WELL_PLACED);
    function
}

/// A site that gives the number of the mutant if it is one of these, and 0 for all others.
pub(crate) fn version_site<'c>(module: &Module<'c>, numbers: &BTreeSet<u32>) -> FunctionValue<'c> {
    let context = module.get_context();
    let of = context.i32_type();
    let count =
        module.get_functions().filter(|it| it.get_name().to_bytes().starts_with(SITE_PREFIX.as_bytes()));
    let name = format!("{SITE_PREFIX}{}", count.count() + 1);
    let function = module.add_function(&name, of.fn_type(&[], false), Some(Linkage::Internal));
    let inline = context.create_enum_attribute(Attribute::get_named_enum_kind_id("alwaysinline"), 0);
    function.add_attribute(AttributeLoc::Function, inline);
    let builder = context.create_builder();
    let entry = context.append_basic_block(function, "entry");
    let original = context.append_basic_block(function, "original");
    builder.position_at_end(original);
    builder.build_return(Some(&of.const_zero())).expect(WELL_PLACED);
    let mut cases = Vec::new();
    for number in numbers {
        let block = context.append_basic_block(function, &format!("m{number}"));
        let number = of.const_int((*number).into(), false);
        builder.position_at_end(block);
        mark(builder.build_return(Some(&number)).expect(WELL_PLACED), number);
        cases.push((number, block));
    }
    builder.position_at_end(entry);
    let selector = module.get_global(SELECTOR).expect("the meta-mutant has a selector");
    let mutant = builder.build_load(of, selector.as_pointer_value(), "mutant").expect(WELL_PLACED);
    builder.build_switch(mutant.into_int_value(), original, &cases).expect(WELL_PLACED);
    function
}

/// Marks the end of a mutant's arm with its number.
fn mark<'c>(end: InstructionValue<'c>, number: IntValue<'c>) {
    let context = number.get_type().get_context();
    let kind = context.get_kind_id(MUTANT_KIND);
    end.set_metadata(context.metadata_node(&[number.into()]), kind).expect("a node may be attached");
}

/// What clang wrote, with its flags, over the parameters of the site.
fn original_value<'c>(
    builder: &Builder<'c>,
    anchor: Anchor<'c>,
    function: FunctionValue<'c>,
) -> BasicValueEnum<'c> {
    match anchor {
        Anchor::Operation(instruction) => {
            // SAFETY: the copy has no place yet; it gets one, and operands of
            // this function, before anyone looks.
            unsafe {
                let copy = LLVMInstructionClone(instruction.as_value_ref());
                LLVMInstructionSetDebugLoc(copy, std::ptr::null_mut());
                let operands = instruction.get_num_operands() as usize;
                for (at, parameter) in function.get_param_iter().take(operands).enumerate() {
                    LLVMSetOperand(copy, at as u32, parameter.as_value_ref());
                }
                LLVMInsertIntoBuilder(builder.as_mut_ptr(), copy);
                BasicValueEnum::new(copy)
            }
        }
        Anchor::Result(_) | Anchor::Operand { .. } => parameter(function, 0),
        Anchor::Constant { user, operand } => value_operand(user, operand),
        Anchor::Choice(_, answer) => {
            let result = function.get_type().get_return_type().expect("a site gives a value");
            result.into_int_type().const_int(answer.bits, false).into()
        }
    }
}

fn variant_value<'c>(
    builder: &Builder<'c>,
    anchor: Anchor<'c>,
    function: FunctionValue<'c>,
    variant: &Variant,
) -> BasicValueEnum<'c> {
    let result = || function.get_type().get_return_type().expect("a site gives a value").into_int_type();
    let original = || original_value(builder, anchor, function).into_int_value();
    let signed = |value: i64, of: IntType<'c>| of.const_int(value as u64, true);
    let built = match variant.code {
        Code::Arithmetic(opcode) => {
            return arithmetic(builder, opcode, parameter(function, 0), parameter(function, 1));
        }
        Code::Comparison(predicate) => match (parameter(function, 0), parameter(function, 1)) {
            (BasicValueEnum::PointerValue(a), BasicValueEnum::PointerValue(b)) => {
                builder.build_int_compare(predicate, a, b, "x")
            }
            (a, b) => builder.build_int_compare(predicate, a.into_int_value(), b.into_int_value(), "x"),
        },
        Code::FloatComparison(predicate) => {
            let (a, b) =
                (parameter(function, 0).into_float_value(), parameter(function, 1).into_float_value());
            builder.build_float_compare(predicate, a, b, "x")
        }
        Code::Plus(plus) => builder.build_int_add(original(), signed(plus, result()), "x"),
        Code::Not => builder.build_not(original(), "x"),
        Code::IsNonzero { signed: is_signed, plus } => {
            let int = function.get_type().get_context().i32_type();
            let narrow = parameter(function, 0).into_int_value();
            let promoted = match is_signed {
                true => builder.build_int_s_extend(narrow, int, "promoted"),
                false => builder.build_int_z_extend(narrow, int, "promoted"),
            };
            let sum = builder.build_int_add(promoted.expect(WELL_PLACED), signed(plus, int), "sum");
            builder.build_int_compare(IntPredicate::NE, sum.expect(WELL_PLACED), int.const_zero(), "x")
        }
        Code::Constant(bits) => return result().const_int(bits, false).into(),
        Code::Negate => match original_value(builder, anchor, function) {
            BasicValueEnum::FloatValue(value) => {
                return builder.build_float_neg(value, "x").expect(WELL_PLACED).into();
            }
            value => builder.build_int_neg(value.into_int_value(), "x"),
        },
        Code::Complement => builder.build_not(original(), "x"),
        Code::Argument(at) => return parameter(function, at),
        Code::Parameter { width, signed } => return parameter_read(builder, function, width, signed),
        Code::Offset(bytes) => {
            let context = function.get_type().get_context();
            let address = original_value(builder, anchor, function).into_pointer_value();
            let by = signed(bytes, context.i64_type());
            // SAFETY: it is for the mutant to know whether there is anything.
            let moved = unsafe { builder.build_gep(context.i8_type(), address, &[by], "x") };
            return moved.expect(WELL_PLACED).into();
        }
        Code::Instead { first, last, is } => return instead(builder, original(), first..=last, is),
    };
    built.expect(WELL_PLACED).into()
}

/// The parameter of a parametric mutant, which the site has as its last argument. As a number of the
/// parameter's own type, it is converted to the type of the site.
fn parameter_read<'c>(
    builder: &Builder<'c>,
    function: FunctionValue<'c>,
    width: u32,
    signed: bool,
) -> BasicValueEnum<'c> {
    let given = function.get_last_param().expect("the site is given the parameter").into_int_value();
    let own = function
        .get_type()
        .get_context()
        .custom_width_int_type(std::num::NonZeroU32::new(width).expect("a number has bits"))
        .expect("LLVM has it");
    let narrow = match width {
        64 => given,
        _ => builder.build_int_truncate(given, own, "narrow").expect(WELL_PLACED),
    };
    let of = function.get_type().get_return_type().expect("a site gives a value").into_int_type();
    let converted = match (of.get_bit_width().cmp(&width), signed) {
        (Ordering::Equal, _) => return narrow.into(),
        (Ordering::Less, _) => builder.build_int_truncate(narrow, of, "x"),
        (Ordering::Greater, true) => builder.build_int_s_extend(narrow, of, "x"),
        (Ordering::Greater, false) => builder.build_int_z_extend(narrow, of, "x"),
    };
    converted.expect(WELL_PLACED).into()
}

/// The value, but `is` where it is one of a range of numbers.
fn instead<'c>(
    builder: &Builder<'c>,
    value: IntValue<'c>,
    range: RangeInclusive<u64>,
    is: u64,
) -> BasicValueEnum<'c> {
    let number = |number| value.get_type().const_int(number, false);
    let (first, length) = (*range.start(), range.end().wrapping_sub(*range.start()));
    let is_meant = match length {
        0 => builder.build_int_compare(IntPredicate::EQ, value, number(first), "is_meant"),
        _ => {
            let distance = builder.build_int_sub(value, number(first), "distance").expect(WELL_PLACED);
            builder.build_int_compare(IntPredicate::ULE, distance, number(length), "is_meant")
        }
    };
    builder.build_select(is_meant.expect(WELL_PLACED), number(is), value, "x").expect(WELL_PLACED)
}

fn arithmetic<'c>(
    builder: &Builder<'c>,
    opcode: InstructionOpcode,
    a: BasicValueEnum<'c>,
    b: BasicValueEnum<'c>,
) -> BasicValueEnum<'c> {
    if a.is_float_value() {
        let (a, b) = (a.into_float_value(), b.into_float_value());
        let built = match opcode {
            InstructionOpcode::FAdd => builder.build_float_add(a, b, "x"),
            InstructionOpcode::FSub => builder.build_float_sub(a, b, "x"),
            InstructionOpcode::FMul => builder.build_float_mul(a, b, "x"),
            InstructionOpcode::FDiv => builder.build_float_div(a, b, "x"),
            other => unreachable!("no operation of C on floats means {other:?}"),
        };
        return built.expect(WELL_PLACED).into();
    }
    let (a, b) = (a.into_int_value(), b.into_int_value());
    let built = match opcode {
        InstructionOpcode::Add => builder.build_int_add(a, b, "x"),
        InstructionOpcode::Sub => builder.build_int_sub(a, b, "x"),
        InstructionOpcode::Mul => builder.build_int_mul(a, b, "x"),
        InstructionOpcode::SDiv => builder.build_int_signed_div(a, b, "x"),
        InstructionOpcode::UDiv => builder.build_int_unsigned_div(a, b, "x"),
        InstructionOpcode::SRem => builder.build_int_signed_rem(a, b, "x"),
        InstructionOpcode::URem => builder.build_int_unsigned_rem(a, b, "x"),
        InstructionOpcode::And => builder.build_and(a, b, "x"),
        InstructionOpcode::Or => builder.build_or(a, b, "x"),
        InstructionOpcode::Xor => builder.build_xor(a, b, "x"),
        InstructionOpcode::Shl => builder.build_left_shift(a, b, "x"),
        InstructionOpcode::LShr => builder.build_right_shift(a, b, false, "x"),
        InstructionOpcode::AShr => builder.build_right_shift(a, b, true, "x"),
        other => unreachable!("no operation of C means {other:?}"),
    };
    built.expect(WELL_PLACED).into()
}

/// Calls the site in place of its anchor.
fn call<'c>(
    module: &Module<'c>,
    anchor: Anchor<'c>,
    function: FunctionValue<'c>,
    parameter: Option<GlobalValue<'c>>,
) {
    let builder = module.get_context().create_builder();
    let (at, arguments) = match anchor {
        Anchor::Operation(instruction) => (instruction, operands(instruction)),
        Anchor::Result(instruction) => {
            let next = instruction.get_next_instruction().expect("a load does not end a block");
            (next, vec![result(instruction)])
        }
        Anchor::Constant { user, operand } => (end_of_incoming(user, operand).unwrap_or(user), vec![]),
        Anchor::Operand { user, operand } => (user, vec![value_operand(user, operand)]),
        Anchor::Choice(..) => unreachable!("a choice is answered where it is asked"),
    };
    builder.position_before(&at);
    let parameter = parameter.map(|parameter| read(&builder, parameter, &at));
    let arguments: Vec<BasicMetadataValueEnum> =
        arguments.into_iter().chain(parameter).map(Into::into).collect();
    let call = builder.build_call(function, &arguments, "site").expect(WELL_PLACED);
    let value = call.as_value_ref();
    // SAFETY: a call is an instruction.
    let call = unsafe { InstructionValue::new(value) };
    // A call that may be inlined must have a location where the function has them.
    match anchor {
        Anchor::Operation(instruction) => {
            call.set_debug_location(instruction.get_debug_location());
            instruction.replace_all_uses_with(&call);
            instruction.erase_from_basic_block();
        }
        Anchor::Result(instruction) => {
            call.set_debug_location(instruction.get_debug_location());
            instruction.replace_all_uses_with(&call);
            call.set_operand(0, result(instruction));
        }
        Anchor::Constant { user, operand } | Anchor::Operand { user, operand } => {
            call.set_debug_location(user.get_debug_location());
            // SAFETY: the operand is a value of the same type. Inkwell's own refuses phi instructions.
            unsafe { LLVMSetOperand(user.as_value_ref(), operand, value) };
        }
        Anchor::Choice(..) => {}
    }
}

/// Where control leaves for a phi: its operands are computed there.
fn end_of_incoming<'c>(user: InstructionValue<'c>, operand: u32) -> Option<InstructionValue<'c>> {
    // SAFETY: a phi has a block for each operand, and each block has an end.
    (user.get_opcode() == InstructionOpcode::Phi).then(|| unsafe {
        let block = LLVMGetIncomingBlock(user.as_value_ref(), operand);
        InstructionValue::new(LLVMGetBasicBlockTerminator(block))
    })
}

fn parameter<'c>(function: FunctionValue<'c>, at: u32) -> BasicValueEnum<'c> {
    function.get_nth_param(at).expect("the site has it")
}

fn operands<'c>(instruction: InstructionValue<'c>) -> Vec<BasicValueEnum<'c>> {
    (0..instruction.get_num_operands()).map(|at| value_operand(instruction, at)).collect()
}

fn value_operand<'c>(instruction: InstructionValue<'c>, at: u32) -> BasicValueEnum<'c> {
    match instruction.get_operand(at) {
        Some(Operand::Value(value)) => value,
        _ => unreachable!("places are chosen for their operands"),
    }
}

fn result<'c>(instruction: InstructionValue<'c>) -> BasicValueEnum<'c> {
    // SAFETY: places are chosen for their results.
    unsafe { BasicValueEnum::new(instruction.as_value_ref()) }
}
