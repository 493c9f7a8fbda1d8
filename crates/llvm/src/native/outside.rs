//! Calls that leave the subject: functions without a body, and the heap.
//!
//! A function without a body is not called. Instead, the server is told the arguments, and gives
//! the next result that the request has for it. The lifted program says what an argument is to
//! the caller: text, a number or a pointer. Its calls are in the same blocks in the same order.
//!
//! No other function of the system is called either, unless our library has it, too. What happens there, the
//! lifted program does not say, and nobody should have to fear it.
//!
//! The heap is the server's, so it knows what is left when the run ends. A sanitizer has
//! a heap of its own. What the caller gave is not from there, and the server frees it.

use std::collections::HashMap;

use inkwell::AddressSpace;
use inkwell::builder::Builder;
use inkwell::module::{Linkage, Module};
use inkwell::types::{BasicMetadataTypeEnum, BasicType};
use inkwell::values::{
    AnyValue, AnyValueEnum, AsValueRef, BasicMetadataValueEnum, BasicValue, BasicValueEnum, CallSiteValue,
    FunctionValue, InstructionOpcode, InstructionValue, IntValue,
};
use ir::{Action, Argument, ExternalId, Function, Program, Type};

use super::SanitisedBuild;
use crate::define::Trap;
use crate::{assertion, library, lift};

/// A call of a function without a body, as it stands in the program.
pub(super) struct CallSite {
    pub external: ExternalId,
    pub arguments: Vec<Argument>,
}

/// The functions of the C library that allocate and free. The server has each under the name `__whet_…`.
pub(super) const HEAP: [&str; 8] =
    ["malloc", "calloc", "realloc", "reallocarray", "free", "strdup", "strndup", "aligned_alloc"];

const PLACE: &str = "the builder has a place";

/// Those that take what may be the caller's.
const FREEING: [&str; 3] = ["realloc", "reallocarray", "free"];

/// Lets the server take the place of the heap.
pub(super) fn redirect_heap(module: &Module, sanitiser: Option<SanitisedBuild>) {
    let names: &[&str] = if sanitiser.is_none() { &HEAP } else { &FREEING };
    let declared = names.iter().filter_map(|name| module.get_function(name));
    for function in declared.filter(|function| function.count_basic_blocks() == 0) {
        let name = format!("__whet_{}", function.get_name().to_string_lossy());
        let ours = module.add_function(&name, function.get_type(), None);
        function.replace_all_uses_with(ours);
    }
}

/// What ends the process, and the function of the server that only ends the run.
const ENDS: [(&str, &str); 6] = [
    ("exit", "__whet_exit"),
    ("_exit", "__whet_exit"),
    ("_Exit", "__whet_exit"),
    ("quick_exit", "__whet_exit"),
    ("abort", "__whet_abort"),
    ("__assert_fail", "__whet_abort"),
];

/// Lets the server go on after a run that would end its process.
pub(super) fn redirect_ends(module: &Module) {
    for (name, ours) in ENDS {
        let Some(function) = module.get_function(name).filter(|it| it.count_basic_blocks() == 0) else {
            continue;
        };
        let declare = || module.add_function(ours, function.get_type(), None);
        function.replace_all_uses_with(module.get_function(ours).unwrap_or_else(declare));
    }
}

/// Makes a trap of each function that is declared only, unless the lifted program has what it does, too. So
/// nothing that a mutant does reaches the system: no file is opened, and no command is run.
pub(super) fn close_system(module: &Module) {
    let is_harmless = |name: &str| {
        library::has(name)
            || name.starts_with("__whet_")
            || HEAP.contains(&name)
            || ENDS.iter().any(|(end, _)| *end == name)
            || assertion::is_failure(name)
    };
    let trap = module.get_function("__whet_trap").expect("the defined form has it");
    let context = module.get_context();
    let builder = context.create_builder();
    for function in module.get_functions() {
        let is_declared = function.count_basic_blocks() == 0 && function.get_intrinsic_id() == 0;
        if !is_declared || function == trap || is_harmless(&function.get_name().to_string_lossy()) {
            continue;
        }
        builder.position_at_end(context.append_basic_block(function, "closed"));
        let code = context.i32_type().const_int(Trap::Unsupported as u64, false);
        builder.build_call(trap, &[code.into()], "").expect(PLACE);
        builder.build_unreachable().expect(PLACE);
    }
}

/// Lets the server take the place of functions without a body. The calls by number, as it will name them.
pub(super) fn connect(module: &Module, program: &Program) -> Vec<CallSite> {
    let ids = (0..).map(ExternalId);
    let ids: HashMap<&str, ExternalId> =
        program.externals.iter().map(|external| external.name.as_str()).zip(ids).collect();
    let mut outside = Outside { module, builder: module.get_context().create_builder(), sites: vec![] };
    for function in lift::user_functions(module) {
        let name = function.get_name().to_string_lossy();
        let lifted = program.functions.iter().find(|lifted| lifted.name == name);
        outside.connect(function, lifted, &ids);
    }
    let is_seen = |argument: &Argument| !argument.text && matches!(program.of(argument.of), Type::Pointer(_));
    if outside.sites.iter().any(|site| site.arguments.iter().any(is_seen)) {
        lift::user_functions(module).for_each(|function| outside.show_variables(function));
    }
    outside.sites
}

struct Outside<'a, 'c> {
    module: &'a Module<'c>,
    builder: Builder<'c>,
    sites: Vec<CallSite>,
}

impl<'c> Outside<'_, 'c> {
    fn connect(
        &mut self,
        function: FunctionValue<'c>,
        lifted: Option<&Function>,
        ids: &HashMap<&str, ExternalId>,
    ) {
        for (at, block) in function.get_basic_blocks().into_iter().enumerate() {
            let mut calls: HashMap<ExternalId, Vec<InstructionValue>> = HashMap::new();
            for instruction in block.get_instructions() {
                let id = callee(instruction).and_then(|name| ids.get(name.as_str()).copied());
                if let Some(id) = id {
                    calls.entry(id).or_default().push(instruction);
                }
            }
            let instructions =
                lifted.and_then(|lifted| lifted.blocks.get(at)).map(|block| &block.instructions);
            for (id, calls) in calls {
                let actions = instructions.into_iter().flatten().map(|instruction| &instruction.action);
                let known: Vec<&Vec<Argument>> = actions
                    .filter_map(|action| match action {
                        Action::External { external, arguments } if *external == id => Some(arguments),
                        _ => None,
                    })
                    .collect();
                // Where the lifted program has something unsupported, nobody asks what the machine does.
                let matched = known.len() == calls.len();
                for (at, call) in calls.into_iter().enumerate() {
                    self.replace(
                        call,
                        matched.then(|| CallSite { external: id, arguments: known[at].clone() }),
                    );
                }
            }
        }
    }

    fn replace(&mut self, call: InstructionValue<'c>, site: Option<CallSite>) {
        self.builder.position_before(&call);
        let context = self.module.get_context();
        let number = |number: u64| context.i64_type().const_int(number, false);
        let answer = match site {
            Some(site) => {
                let (at, external) = (number(self.sites.len() as u64), number(site.external.0.into()));
                self.call("__whet_call", &[at.into()], false);
                let operands = operands(call);
                // A stream that nobody looks at may be left out at the front.
                let skipped = operands.len().saturating_sub(site.arguments.len());
                for (argument, value) in site.arguments.iter().zip(operands.into_iter().skip(skipped)) {
                    self.tell(argument, value);
                }
                self.sites.push(site);
                self.call("__whet_answer", &[external.into()], true)
            }
            None => {
                let code = context.i32_type().const_int(Trap::Unsupported as u64, false);
                self.call("__whet_trap", &[code.into()], false);
                self.call("__whet_answer", &[number(0).into()], true)
            }
        };
        let answer = answer.try_as_basic_value().expect_basic("it returns a pointer").into_pointer_value();
        let of: Option<inkwell::types::BasicTypeEnum> = match call.as_any_value_enum() {
            AnyValueEnum::IntValue(value) => Some(value.get_type().into()),
            AnyValueEnum::FloatValue(value) => Some(value.get_type().into()),
            AnyValueEnum::PointerValue(value) => Some(value.get_type().into()),
            AnyValueEnum::StructValue(value) => Some(value.get_type().into()),
            AnyValueEnum::VectorValue(value) => Some(value.get_type().into()),
            _ => None,
        };
        if let Some(of) = of {
            let result = self.builder.build_load(of, answer, "answer").expect(PLACE);
            let result = result.as_instruction_value().expect("a load is an instruction");
            result.set_alignment(1).expect("a load has an alignment");
            call.replace_all_uses_with(&result);
        }
        call.erase_from_basic_block();
    }

    fn tell(&self, argument: &Argument, value: BasicValueEnum<'c>) {
        let context = self.module.get_context();
        let (word, zero) = (context.i64_type(), context.i64_type().const_zero());
        match value {
            BasicValueEnum::PointerValue(pointer) => {
                let how = if argument.text { "__whet_text" } else { "__whet_pointer" };
                self.call(how, &[pointer.into()], false);
            }
            BasicValueEnum::IntValue(value) => {
                let (low, high) = self.halves(value);
                self.call("__whet_word", &[low.into(), high.into()], false);
            }
            BasicValueEnum::FloatValue(value) if value.get_type() == context.f32_type() => {
                let bits = self.builder.build_bit_cast(value, context.i32_type(), "bits").expect(PLACE);
                let bits = self.builder.build_int_z_extend(bits.into_int_value(), word, "bits").expect(PLACE);
                self.call("__whet_word", &[bits.into(), zero.into()], false);
            }
            BasicValueEnum::FloatValue(value) if value.get_type() == context.f64_type() => {
                let bits = self.builder.build_bit_cast(value, word, "bits").expect(PLACE);
                self.call("__whet_word", &[bits.into(), zero.into()], false);
            }
            _ => {
                let code = context.i32_type().const_int(Trap::Unsupported as u64, false);
                self.call("__whet_trap", &[code.into()], false);
            }
        }
    }

    /// The lower and the upper half of a word.
    fn halves(&self, value: IntValue<'c>) -> (IntValue<'c>, IntValue<'c>) {
        let half = self.module.get_context().i64_type();
        let width = value.get_type().get_bit_width();
        if width <= half.get_bit_width() {
            let low = self.builder.build_int_z_extend_or_bit_cast(value, half, "low").expect(PLACE);
            return (low, half.const_zero());
        }
        let low = self.builder.build_int_truncate(value, half, "low").expect(PLACE);
        let by = value.get_type().const_int(half.get_bit_width().into(), false);
        let high = self.builder.build_right_shift(value, by, false, "high").expect(PLACE);
        (low, self.builder.build_int_truncate_or_bit_cast(high, half, "high").expect(PLACE))
    }

    /// Tells the server which variables have an address that a call may be given.
    fn show_variables(&self, function: FunctionValue<'c>) {
        let blocks = function.get_basic_block_iter();
        let instructions: Vec<InstructionValue> = blocks.flat_map(|block| block.get_instructions()).collect();
        let is_variable = |each: &&InstructionValue<'c>| {
            each.get_opcode() == InstructionOpcode::Alloca && has_address_taken(**each)
        };
        let variables: Vec<InstructionValue> = instructions.iter().filter(is_variable).copied().collect();
        if variables.is_empty() {
            return;
        }
        self.builder.position_before(&instructions[0]);
        let before =
            self.call("__whet_enter", &[], true).try_as_basic_value().expect_basic("it returns a number");
        for variable in variables {
            self.show(variable);
        }
        for end in instructions.iter().filter(|each| each.get_opcode() == InstructionOpcode::Return) {
            self.builder.position_before(end);
            self.call("__whet_leave", &[before.into()], false);
        }
    }

    fn show(&self, variable: InstructionValue<'c>) {
        let next = variable.get_next_instruction().expect("a block ends with something else");
        self.builder.position_before(&next);
        let size = variable.get_allocated_type().ok().and_then(|of| of.size_of());
        let count = variable.get_operand(0).and_then(|operand| operand.value());
        let (Some(size), Some(BasicValueEnum::IntValue(count))) = (size, count) else { return };
        let count =
            self.builder.build_int_z_extend_or_bit_cast(count, size.get_type(), "count").expect(PLACE);
        let bytes = self.builder.build_int_mul(count, size, "bytes").expect(PLACE);
        let address = variable.as_any_value_enum().into_pointer_value();
        self.call("__whet_local", &[address.into(), bytes.into()], false);
    }

    /// Calls a function of the server. What it returns, if it does, is as wide as an address.
    fn call(&self, name: &str, arguments: &[BasicMetadataValueEnum<'c>], returns: bool) -> CallSiteValue<'c> {
        let context = self.module.get_context();
        let declare = || {
            let parameters: Vec<BasicMetadataTypeEnum> = arguments.iter().map(of).collect();
            let of = match (returns, name) {
                (false, _) => context.void_type().fn_type(&parameters, false),
                (true, "__whet_enter") => context.i64_type().fn_type(&parameters, false),
                (true, _) => context.ptr_type(AddressSpace::default()).fn_type(&parameters, false),
            };
            self.module.add_function(name, of, Some(Linkage::External))
        };
        let function = self.module.get_function(name).unwrap_or_else(declare);
        self.builder.build_call(function, arguments, "").expect(PLACE)
    }
}

fn of<'c>(value: &BasicMetadataValueEnum<'c>) -> BasicMetadataTypeEnum<'c> {
    match value {
        BasicMetadataValueEnum::IntValue(value) => value.get_type().into(),
        BasicMetadataValueEnum::PointerValue(value) => value.get_type().into(),
        _ => unreachable!("the server takes numbers and addresses"),
    }
}

/// The name of the function that an instruction calls directly.
pub(super) fn callee(instruction: InstructionValue) -> Option<String> {
    if instruction.get_opcode() != InstructionOpcode::Call {
        return None;
    }
    let called = instruction.get_operand(instruction.get_num_operands() - 1)?.value()?;
    // SAFETY: any value may be asked whether it is a function.
    let function = unsafe { FunctionValue::new(called.as_value_ref()) }?;
    Some(function.get_name().to_string_lossy().into_owned())
}

/// The arguments of a call.
fn operands(call: InstructionValue) -> Vec<BasicValueEnum> {
    let count = call.get_num_operands() - 1;
    (0..count).filter_map(|at| call.get_operand(at).and_then(|operand| operand.value())).collect()
}

/// Whether a variable is used by more than plain reads and writes.
fn has_address_taken(variable: InstructionValue) -> bool {
    let mut next = variable.get_first_use();
    while let Some(used) = next {
        let user = used.get_user().as_any_value_enum();
        let plain = match instruction(user) {
            Some(user) if user.get_opcode() == InstructionOpcode::Load => true,
            Some(user) if user.get_opcode() == InstructionOpcode::Store => {
                let stored = user.get_operand(0).and_then(|operand| operand.value());
                stored.is_some_and(|stored| stored.as_value_ref() != variable.as_value_ref())
            }
            _ => false,
        };
        if !plain {
            return true;
        }
        next = used.get_next_use();
    }
    false
}

fn instruction(value: AnyValueEnum) -> Option<InstructionValue> {
    match value {
        AnyValueEnum::InstructionValue(value) => Some(value),
        AnyValueEnum::IntValue(value) => value.as_instruction(),
        AnyValueEnum::FloatValue(value) => value.as_instruction(),
        AnyValueEnum::PointerValue(value) => value.as_instruction(),
        AnyValueEnum::StructValue(value) => value.as_instruction(),
        AnyValueEnum::ArrayValue(value) => value.as_instruction(),
        _ => None,
    }
}
