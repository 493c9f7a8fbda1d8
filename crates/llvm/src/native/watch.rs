//! Notes what a run of the original does, for the [hunt](super::hunt).
//!
//! The module gets four maps, which the server reads after a run:
//!
//! - `__whet_block_counts`: how often each block of the user's functions was entered.
//! - `__whet_infected`: the mutants that would have given another value somewhere. For this, the original arm
//!   of a site calls a function that computes all other arms from the same arguments and compares. It skips
//!   mutants that are infected already, and `__whet_unwatched` says of how many that is not true. So a loop
//!   does not pay for them in every round.
//! - `__whet_distances`: how close the two sides of a comparison came. The server does the arithmetic.
//!
//! An arm that would trap infects, too. So a division is computed here with 1 in place of a divisor that the
//! machine cannot divide by.

use std::collections::HashMap;

use inkwell::attributes::AttributeLoc;
use inkwell::builder::Builder;
use inkwell::llvm_sys::core::{
    LLVMGetNumOperands, LLVMGetOperand, LLVMInsertIntoBuilder, LLVMInstructionClone, LLVMSetOperand,
};
use inkwell::llvm_sys::prelude::LLVMValueRef;
use inkwell::module::{Linkage, Module};
use inkwell::types::{BasicMetadataTypeEnum, BasicTypeEnum, IntType};
use inkwell::values::{
    AsValueRef, BasicMetadataValueEnum, BasicValue, BasicValueEnum, FunctionValue, InstructionOpcode,
    InstructionValue, IntValue, PointerValue,
};
use inkwell::{AddressSpace, IntPredicate};

use super::outside::callee;
use crate::define::{DEMAND, division_of, enumerated};
use crate::lift;
use crate::mutate::SITE_PREFIX;

const PLACE: &str = "the builder has a place";

/// The functions of the C library that compare bytes: how, as hunt.c has it, and whether the third argument
/// says how many at most.
const BYTES: [(&str, u64, bool); 6] = [
    ("memcmp", 0, true),
    ("bcmp", 0, true),
    ("strcmp", 1, false),
    ("strncmp", 1, true),
    ("strcasecmp", 3, false),
    ("strncasecmp", 3, true),
];

/// A switch with more cases than this is a table, and to be close to one of them means little.
const MOST_CASES: u32 = 64;

/// Writes all that a run of the original notes into the module. There may be more mutants than these: another
/// version of the file is one, too.
pub(super) fn watch(module: &Module, mutants: u32) {
    let is_site =
        |function: &FunctionValue| function.get_name().to_bytes().starts_with(SITE_PREFIX.as_bytes());
    let sites: Vec<FunctionValue> = module.get_functions().filter(is_site).collect();
    let mutants =
        sites.iter().flat_map(|site| arms(*site)).fold(mutants, |most, (mutant, _)| most.max(mutant));
    let mut watch = Watch {
        module,
        builder: module.get_context().create_builder(),
        comparisons: 0,
        compared: vec![],
        site_of: vec![0; mutants as usize + 1],
    };
    let blocks: u64 =
        lift::user_functions(module).map(|function| u64::from(function.count_basic_blocks())).sum();
    let (byte, word) = (watch.byte(), watch.word());
    watch.map("__whet_watching", byte, 1);
    watch.map("__whet_block_counts", byte, blocks);
    watch.map("__whet_infected", byte, u64::from(mutants) + 1);
    watch.map("__whet_unwatched", word, sites.len() as u64);
    watch.count_blocks();
    for (at, site) in sites.iter().enumerate() {
        watch.watch_site(at as u64, *site);
    }
    watch.watch_comparisons();
    watch.map("__whet_distances", byte, watch.comparisons);
    watch.write_tables(&[blocks, u64::from(mutants) + 1, sites.len() as u64, watch.comparisons]);
}

struct Watch<'a, 'c> {
    module: &'a Module<'c>,
    builder: Builder<'c>,
    comparisons: u64,
    /// Comparisons and switches, before anything was added.
    compared: Vec<InstructionValue<'c>>,
    /// By mutant.
    site_of: Vec<u64>,
}

impl<'c> Watch<'_, 'c> {
    fn byte(&self) -> IntType<'c> {
        self.module.get_context().i8_type()
    }

    fn number(&self, number: u64) -> IntValue<'c> {
        self.module.get_context().i64_type().const_int(number, false)
    }

    fn word(&self) -> IntType<'c> {
        self.module.get_context().i32_type()
    }

    /// Has a place more than it needs, so that none is empty.
    fn map(&self, name: &str, of: IntType<'c>, size: u64) {
        let of = of.array_type(size as u32 + 1);
        self.module.add_global(of, None, name).set_initializer(&of.const_zero());
    }

    fn place(&self, map: &str, of: IntType<'c>, at: u64) -> PointerValue<'c> {
        let map = self.module.get_global(map).expect("the maps come first").as_pointer_value();
        // SAFETY: each map has a place for each of its numbers.
        unsafe { self.builder.build_gep(of, map, &[self.number(at)], "place") }.expect(PLACE)
    }

    fn load(&self, map: &str, of: IntType<'c>, at: u64) -> IntValue<'c> {
        let place = self.place(map, of, at);
        self.builder.build_load(of, place, "noted").expect(PLACE).into_int_value()
    }

    fn store(&self, map: &str, at: u64, value: IntValue<'c>) {
        self.builder.build_store(self.place(map, value.get_type(), at), value).expect(PLACE);
    }

    fn is_zero(&self, value: IntValue<'c>) -> IntValue<'c> {
        let zero = value.get_type().const_zero();
        self.builder.build_int_compare(IntPredicate::EQ, value, zero, "zero").expect(PLACE)
    }

    /// Counts in each block. After 255 comes 1, so that no block looks as if it was never entered.
    fn count_blocks(&mut self) {
        let blocks: Vec<_> =
            lift::user_functions(self.module).flat_map(|function| function.get_basic_blocks()).collect();
        for (at, block) in blocks.into_iter().enumerate() {
            let is_first = |instruction: &InstructionValue| {
                matches!(instruction.get_opcode(), InstructionOpcode::Alloca | InstructionOpcode::Phi)
            };
            self.compared.extend(block.get_instructions().filter(is_comparison));
            let first = block.get_instructions().find(|it| !is_first(it)).expect("a block has an end");
            self.builder.position_before(&first);
            let count = self.load("__whet_block_counts", self.byte(), at as u64);
            let one = self.byte().const_int(1, false);
            let next = self.builder.build_int_add(count, one, "next").expect(PLACE);
            let wrapped = self.is_zero(next);
            let wrapped = self.builder.build_int_z_extend(wrapped, self.byte(), "wrapped").expect(PLACE);
            let next = self.builder.build_int_add(next, wrapped, "next").expect(PLACE);
            self.store("__whet_block_counts", at as u64, next);
        }
    }

    /// Lets the original arm of a site look at the others.
    fn watch_site(&mut self, number: u64, site: FunctionValue<'c>) {
        let Some(result) = site.get_type().get_return_type() else { return };
        let arms = arms(site);
        let original =
            choice(site).get_operand(1).and_then(|it| it.block()).expect("a site has an original arm");
        self.compared.extend(original.get_instructions().filter(is_comparison));
        let watcher = self.watcher(number, site, result, &arms);
        for (mutant, _) in &arms {
            self.site_of[*mutant as usize] = number;
        }
        let end = original.get_terminator().expect("an arm ends with its value");
        let value = end.get_operand(0).and_then(|it| it.value()).expect("an arm has a value");
        self.builder.position_before(&end);
        let mut arguments: Vec<BasicMetadataValueEnum> = site.get_param_iter().map(Into::into).collect();
        arguments.push(value.into());
        self.builder.build_call(watcher, &arguments, "").expect(PLACE);
    }

    /// The function that a site calls with its arguments and the value of its original arm. Its outer part is
    /// inlined, and mostly finds that there is nothing to do.
    fn watcher(
        &self,
        number: u64,
        site: FunctionValue<'c>,
        result: BasicTypeEnum<'c>,
        arms: &[(u32, InstructionValue<'c>)],
    ) -> FunctionValue<'c> {
        let context = self.module.get_context();
        let mut parameters: Vec<_> = site.get_type().get_param_types();
        parameters.push(result.into());
        let of = context.void_type().fn_type(&parameters, false);
        let add = |name: &str| self.module.add_function(name, of, Some(Linkage::Internal));
        let (outer, inner) = (add(&format!("whet.watch.{number}")), add(&format!("whet.watched.{number}")));
        for (function, attribute) in [(outer, "alwaysinline"), (inner, "noinline")] {
            function.add_attribute(AttributeLoc::Function, enumerated(self.module, attribute));
        }
        let blocks = ["entry", "watched", "look", "done"].map(|name| context.append_basic_block(outer, name));
        let [entry, watched, look, done] = blocks;
        self.builder.position_at_end(entry);
        let none = self.is_zero(self.load("__whet_unwatched", self.word(), number));
        self.builder.build_conditional_branch(none, done, watched).expect(PLACE);
        self.builder.position_at_end(watched);
        let off = self.is_zero(self.load("__whet_watching", self.byte(), 0));
        self.builder.build_conditional_branch(off, done, look).expect(PLACE);
        self.builder.position_at_end(look);
        let arguments: Vec<BasicMetadataValueEnum> = outer.get_param_iter().map(Into::into).collect();
        self.builder.build_call(inner, &arguments, "").expect(PLACE);
        self.builder.build_unconditional_branch(done).expect(PLACE);
        self.builder.position_at_end(done);
        self.builder.build_return(None).expect(PLACE);

        self.builder.position_at_end(context.append_basic_block(inner, "entry"));
        for (mutant, arm) in arms {
            self.watch_arm(number, site, inner, *mutant, *arm);
        }
        self.builder.build_return(None).expect(PLACE);
        outer
    }

    /// Notes whether a mutant's arm gives another value. Begins in the block of the builder, and ends in
    /// another one.
    fn watch_arm(
        &self,
        number: u64,
        site: FunctionValue<'c>,
        watcher: FunctionValue<'c>,
        mutant: u32,
        first: InstructionValue<'c>,
    ) {
        let context = self.module.get_context();
        let [look, infect, next] =
            ["look", "infect", "next"].map(|name| context.append_basic_block(watcher, name));
        let clean = self.is_zero(self.load("__whet_infected", self.byte(), mutant.into()));
        self.builder.build_conditional_branch(clean, look, next).expect(PLACE);
        self.builder.position_at_end(look);
        let mut copied: HashMap<LLVMValueRef, LLVMValueRef> = site
            .get_param_iter()
            .zip(watcher.get_param_iter())
            .map(|(of_site, own)| (of_site.as_value_ref(), own.as_value_ref()))
            .collect();
        let mut traps = context.bool_type().const_zero();
        let mut instruction = Some(first);
        let mut value = None;
        while let Some(at) = instruction {
            if at.get_opcode() == InstructionOpcode::Return {
                value = at.get_operand(0).and_then(|it| it.value());
                break;
            }
            if let Some(trap) = self.copy(at, &mut copied) {
                traps = self.builder.build_or(traps, trap, "traps").expect(PLACE);
            }
            instruction = at.get_next_instruction();
        }
        let value = value.expect("an arm ends with its value");
        // SAFETY: the copy of a value is one of the same type.
        let value = unsafe {
            BasicValueEnum::new(copied.get(&value.as_value_ref()).copied().unwrap_or(value.as_value_ref()))
        };
        let original = watcher.get_last_param().expect("the last one is the value");
        let differs = self.differ(value, original);
        let differs =
            self.builder.build_select(traps, context.bool_type().const_all_ones(), differs, "differs");
        let differs = differs.expect(PLACE).into_int_value();
        self.builder.build_conditional_branch(differs, infect, next).expect(PLACE);
        self.builder.position_at_end(infect);
        self.store("__whet_infected", mutant.into(), self.byte().const_int(1, false));
        let left = self.load("__whet_unwatched", self.word(), number);
        let left = self.builder.build_int_sub(left, self.word().const_int(1, false), "left").expect(PLACE);
        self.store("__whet_unwatched", number, left);
        self.builder.build_unconditional_branch(next).expect(PLACE);
        self.builder.position_at_end(next);
    }

    /// Copies an instruction of an arm. What would trap does not; the condition for that is returned.
    fn copy(
        &self,
        instruction: InstructionValue<'c>,
        copied: &mut HashMap<LLVMValueRef, LLVMValueRef>,
    ) -> Option<IntValue<'c>> {
        let of = |copied: &HashMap<LLVMValueRef, LLVMValueRef>, value: LLVMValueRef| {
            copied.get(&value).copied().unwrap_or(value)
        };
        let operand = |copied: &HashMap<LLVMValueRef, LLVMValueRef>, at: u32| {
            let value = instruction.get_operand(at).and_then(|it| it.value()).expect("it has an operand");
            // SAFETY: an operand of an instruction, or its copy.
            unsafe { BasicValueEnum::new(of(copied, value.as_value_ref())) }.into_int_value()
        };
        let callee = callee(instruction);
        if callee.as_deref() == Some(DEMAND) {
            let holds = operand(copied, 0);
            return Some(self.builder.build_not(holds, "fails").expect(PLACE));
        }
        if let Some(opcode) = callee.as_deref().and_then(division_of) {
            let (left, right) = (operand(copied, 0), operand(copied, 1));
            let (quotient, traps) = self.divide(opcode, left, right);
            copied.insert(instruction.as_value_ref(), quotient.as_value_ref());
            return Some(traps);
        }
        // SAFETY: the copy has operands of its own function before anybody looks at it.
        unsafe {
            let copy = LLVMInstructionClone(instruction.as_value_ref());
            for at in 0..LLVMGetNumOperands(copy) as u32 {
                LLVMSetOperand(copy, at, of(copied, LLVMGetOperand(copy, at)));
            }
            LLVMInsertIntoBuilder(self.builder.as_mut_ptr(), copy);
            copied.insert(instruction.as_value_ref(), copy);
        }
        None
    }

    /// A division by 1 where the machine cannot divide, and whether that is so.
    fn divide(
        &self,
        opcode: InstructionOpcode,
        left: IntValue<'c>,
        right: IntValue<'c>,
    ) -> (IntValue<'c>, IntValue<'c>) {
        use InstructionOpcode::{SDiv, SRem, UDiv, URem};
        let of = right.get_type();
        let mut traps = self.is_zero(right);
        if let SDiv | SRem = opcode {
            let sign = of.const_int(u64::from(of.get_bit_width()) - 1, false);
            let least = self.builder.build_left_shift(of.const_int(1, false), sign, "least").expect(PLACE);
            let is = |value, other| {
                self.builder.build_int_compare(IntPredicate::EQ, value, other, "is").expect(PLACE)
            };
            let overflow =
                self.builder.build_and(is(left, least), is(right, of.const_all_ones()), "overflow");
            traps = self.builder.build_or(traps, overflow.expect(PLACE), "traps").expect(PLACE);
        }
        let one = of.const_int(1, false);
        let right = self.builder.build_select(traps, one, right, "divisor").expect(PLACE).into_int_value();
        let quotient = match opcode {
            UDiv => self.builder.build_int_unsigned_div(left, right, "quotient"),
            URem => self.builder.build_int_unsigned_rem(left, right, "quotient"),
            SDiv => self.builder.build_int_signed_div(left, right, "quotient"),
            _ => self.builder.build_int_signed_rem(left, right, "quotient"),
        };
        (quotient.expect(PLACE), traps)
    }

    /// Whether two values have different bits. What has no plain bits is taken to differ.
    fn differ(&self, one: BasicValueEnum<'c>, other: BasicValueEnum<'c>) -> IntValue<'c> {
        let context = self.module.get_context();
        match (self.bits(one), self.bits(other)) {
            (Some(one), Some(other)) => {
                self.builder.build_int_compare(IntPredicate::NE, one, other, "differ").expect(PLACE)
            }
            _ => context.bool_type().const_all_ones(),
        }
    }

    fn bits(&self, value: BasicValueEnum<'c>) -> Option<IntValue<'c>> {
        let context = self.module.get_context();
        let wide = context.i64_type();
        match value {
            BasicValueEnum::IntValue(value) => Some(value),
            BasicValueEnum::PointerValue(value) => {
                Some(self.builder.build_ptr_to_int(value, wide, "bits").expect(PLACE))
            }
            BasicValueEnum::FloatValue(value) => {
                let of = value.get_type();
                let bits = if of == context.f32_type() {
                    context.i32_type()
                } else if of == context.f64_type() {
                    wide
                } else {
                    return None;
                };
                Some(self.builder.build_bit_cast(value, bits, "bits").expect(PLACE).into_int_value())
            }
            _ => None,
        }
    }

    /// Tells the server of each comparison, before it is made.
    fn watch_comparisons(&mut self) {
        for instruction in std::mem::take(&mut self.compared) {
            self.builder.position_before(&instruction);
            let operand = |at: u32| instruction.get_operand(at).and_then(|it| it.value());
            match instruction.get_opcode() {
                InstructionOpcode::Switch => {
                    let Some(value) = operand(0) else { continue };
                    let cases = instruction.get_num_operands() / 2 - 1;
                    for at in (1..=cases).take_while(|_| cases <= MOST_CASES) {
                        if let Some(case) = operand(2 * at) {
                            self.watch_comparison(value, case, false);
                        }
                    }
                }
                InstructionOpcode::Call => self.watch_bytes(instruction),
                _ => {
                    let is_signed = instruction.get_icmp_predicate().is_some_and(|predicate| {
                        use IntPredicate::{SGE, SGT, SLE, SLT};
                        matches!(predicate, SGE | SGT | SLE | SLT)
                    });
                    if let (Some(left), Some(right)) = (operand(0), operand(1)) {
                        self.watch_comparison(left, right, is_signed);
                    }
                }
            }
        }
    }

    /// Tells the server of a call that compares bytes.
    fn watch_bytes(&mut self, call: InstructionValue<'c>) {
        let context = self.module.get_context();
        let (word, wide, pointer) =
            (context.i32_type(), context.i64_type(), context.ptr_type(AddressSpace::default()));
        let Some((_, how, is_limited)) = compares_bytes(call) else { return };
        let operand = |at: u32| call.get_operand(at).and_then(|it| it.value());
        let (Some(BasicValueEnum::PointerValue(left)), Some(BasicValueEnum::PointerValue(right))) =
            (operand(0), operand(1))
        else {
            return;
        };
        let most = match operand(2) {
            Some(BasicValueEnum::IntValue(most)) if is_limited => {
                self.builder.build_int_z_extend_or_bit_cast(most, wide, "most").expect(PLACE)
            }
            _ => wide.const_all_ones(),
        };
        let (id, how) = (word.const_int(self.comparisons, false), word.const_int(how, false));
        let arguments = [id.into(), how.into(), left.into(), right.into(), most.into()];
        let of = [word.into(), word.into(), pointer.into(), pointer.into(), wide.into()];
        self.tell("__whet_compare_bytes", &of, &arguments);
        self.comparisons += 1;
    }

    fn watch_comparison(&mut self, left: BasicValueEnum<'c>, right: BasicValueEnum<'c>, is_signed: bool) {
        let context = self.module.get_context();
        let (word, wide, real) = (context.i32_type(), context.i64_type(), context.f64_type());
        let id = word.const_int(self.comparisons, false);
        match (left, right) {
            (BasicValueEnum::IntValue(left), BasicValueEnum::IntValue(right)) => {
                let width = left.get_type().get_bit_width();
                if !(8..=64).contains(&width) {
                    return;
                }
                let widen = |value: IntValue<'c>| match is_signed {
                    true => self.builder.build_int_s_extend_or_bit_cast(value, wide, "side").expect(PLACE),
                    false => self.builder.build_int_z_extend_or_bit_cast(value, wide, "side").expect(PLACE),
                };
                let width = word.const_int(width.into(), false);
                let arguments = [id.into(), width.into(), widen(left).into(), widen(right).into()];
                let of = [word.into(), word.into(), wide.into(), wide.into()];
                self.tell("__whet_compare", &of, &arguments);
            }
            (BasicValueEnum::FloatValue(left), BasicValueEnum::FloatValue(right)) => {
                let of = left.get_type();
                if of != context.f32_type() && of != real {
                    return;
                }
                let widen = |value| self.builder.build_float_ext(value, real, "side").expect(PLACE);
                let width = word.const_int(if of == real { 64 } else { 32 }, false);
                let arguments = [id.into(), width.into(), widen(left).into(), widen(right).into()];
                let of = [word.into(), word.into(), real.into(), real.into()];
                self.tell("__whet_compare_real", &of, &arguments);
            }
            _ => return,
        }
        self.comparisons += 1;
    }

    fn tell(&self, name: &str, of: &[BasicMetadataTypeEnum<'c>], arguments: &[BasicMetadataValueEnum<'c>]) {
        let of = self.module.get_context().void_type().fn_type(of, false);
        let declare = || self.module.add_function(name, of, Some(Linkage::External));
        let function = self.module.get_function(name).unwrap_or_else(declare);
        self.builder.build_call(function, arguments, "").expect(PLACE);
    }

    /// The sizes of the maps, and the site of each mutant.
    fn write_tables(&self, sizes: &[u64]) {
        let context = self.module.get_context();
        let sizes: Vec<IntValue> = sizes.iter().map(|size| self.number(*size)).collect();
        let word = context.i32_type();
        let sites: Vec<IntValue> = self.site_of.iter().map(|site| word.const_int(*site, false)).collect();
        for (name, table) in [
            ("__whet_map_sizes", context.i64_type().const_array(&sizes)),
            ("__whet_site_of", word.const_array(&sites)),
        ] {
            let global = self.module.add_global(table.get_type(), Some(AddressSpace::default()), name);
            global.set_initializer(&table);
            global.set_constant(true);
        }
    }
}

/// Where a site chooses an arm.
fn choice<'c>(site: FunctionValue<'c>) -> InstructionValue<'c> {
    let entry = site.get_first_basic_block().expect("a site has a body");
    entry.get_terminator().expect("a site chooses an arm")
}

/// The mutants of a site, each with the first instruction of its arm.
fn arms<'c>(site: FunctionValue<'c>) -> Vec<(u32, InstructionValue<'c>)> {
    let switch = choice(site);
    let arm = |at: u32| {
        let mutant = switch.get_operand(2 * at)?.value()?.into_int_value();
        let arm = switch.get_operand(2 * at + 1)?.block()?;
        Some((mutant.get_zero_extended_constant()? as u32, arm.get_first_instruction()?))
    };
    (1..switch.get_num_operands() / 2).filter_map(arm).collect()
}

/// Whether an instruction compares what a run computes. A choice between mutants is none of its business.
fn is_comparison(instruction: &InstructionValue) -> bool {
    let operand = |at: u32| instruction.get_operand(at).and_then(|it| it.value());
    match instruction.get_opcode() {
        InstructionOpcode::Switch => !operand(0).is_some_and(is_choice),
        InstructionOpcode::ICmp | InstructionOpcode::FCmp => {
            !operand(0).is_some_and(is_choice) && !operand(1).is_some_and(is_choice)
        }
        InstructionOpcode::Call => compares_bytes(*instruction).is_some(),
        _ => false,
    }
}

/// How a call compares bytes, if it is one of a function that does.
fn compares_bytes(call: InstructionValue) -> Option<(&'static str, u64, bool)> {
    let callee = callee(call)?;
    BYTES.into_iter().find(|(name, ..)| *name == callee)
}

/// Whether a value is the answer of a site without arguments, or a truth value as a number.
fn is_choice(value: BasicValueEnum) -> bool {
    let Some(instruction) = value.as_instruction_value() else { return false };
    match instruction.get_opcode() {
        InstructionOpcode::Call => {
            instruction.get_num_operands() == 1
                && callee(instruction).is_some_and(|name| name.starts_with(SITE_PREFIX))
        }
        InstructionOpcode::ZExt => match instruction.get_operand(0).and_then(|it| it.value()) {
            Some(BasicValueEnum::IntValue(value)) => value.get_type().get_bit_width() == 1,
            _ => false,
        },
        _ => false,
    }
}
