//! From the meta-mutant to a library of machine code, in this process. Clang would take five times as long.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use inkwell::OptimizationLevel;
use inkwell::attributes::AttributeLoc;
use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::{Linkage, Module};
use inkwell::passes::PassBuilderOptions;
use inkwell::targets::{CodeModel, FileType, InitializationConfig, RelocMode, Target, TargetMachine};
use inkwell::types::AsTypeRef;
use inkwell::values::{BasicValue, BasicValueEnum, FunctionValue, InstructionValue};
use ir::Program;

use super::outside::CallSite;
use super::{SanitisedBuild, bounds, outside, table, watch};
use crate::define::{self, enumerated};
use crate::lift::layout;
use crate::streams::{self, Executor};
use crate::{Error, ast};

/// A mutant that may hang is given many steps, and these passes make a step five
/// times as fast. The defined form has nothing that they could take advantage of.
pub(crate) const PASSES: &str = "always-inline,function(sroa,early-cse,simplifycfg)";

/// What machine code is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Purpose {
    Replay,
    Sanitised(SanitisedBuild),
    /// To note what the original does; with so many mutants.
    Hunt {
        mutants: u32,
    },
}

/// A shared library in the folder, and the calls of functions without a body in it.
pub(super) fn build(
    meta: &str,
    program: &Program,
    purpose: Purpose,
    folder: &Path,
) -> Result<(PathBuf, Vec<CallSite>), Error> {
    let (object, library) = (folder.join("meta.o"), folder.join("meta.so"));
    let (code, sites) = machine_code(meta, program, purpose).map_err(Error::Internal)?;
    std::fs::write(&object, code).map_err(Error::Temporary)?;
    let mut command = Command::new("ld");
    command.arg("-shared").arg(&object).arg("-o").arg(&library).stdin(Stdio::null());
    let output = command.output().map_err(|source| Error::CannotRun { program: "ld".to_string(), source })?;
    if !output.status.success() {
        return Err(Error::NativeBuild(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    Ok((library, sites))
}

/// The meta-mutant with its tables, as an object file.
fn machine_code(meta: &str, program: &Program, purpose: Purpose) -> Result<(Vec<u8>, Vec<CallSite>), String> {
    let sanitiser = match purpose {
        Purpose::Sanitised(sanitiser) => Some(sanitiser),
        Purpose::Replay | Purpose::Hunt { .. } => None,
    };
    let context = Context::create();
    let buffer = MemoryBuffer::create_from_memory_range_copy(meta.as_bytes(), "meta");
    let module = context.create_module_from_ir(buffer).map_err(|message| message.to_string())?;
    module.strip_debug_info();
    if sanitiser == Some(SanitisedBuild::Address) {
        bounds::watch(&module);
    }
    forget_constructors(&module);
    if let Purpose::Hunt { mutants } = purpose {
        watch::watch(&module, mutants);
        outside::redirect_ends(&module);
    }
    let is_memory = sanitiser == Some(SanitisedBuild::Memory);
    streams::redirect(&module, if is_memory { Executor::Program } else { Executor::Machine });
    streams::define_standard_input(&module);
    let sites = outside::connect(&module, program);
    outside::redirect_heap(&module, sanitiser);
    outside::close_system(&module);
    if sanitiser.is_none() {
        table::spread_globals(&module, program);
    }
    keep_names_inside(&module);
    table::write(&module, program);
    if let Some(sanitiser) = sanitiser {
        sanitise(&module, sanitiser);
    }
    let machine = target_machine(&module)?;
    let passes = sanitiser.map_or(PASSES, SanitisedBuild::passes);
    module.verify().map_err(|message| format!("the native module is not valid LLVM: {message}"))?;
    module
        .run_passes(passes, &machine, PassBuilderOptions::create())
        .map_err(|message| message.to_string())?;
    let object =
        machine.write_to_memory_buffer(&module, FileType::Object).map_err(|message| message.to_string())?;
    Ok((object.as_slice().to_vec(), sites))
}

/// Nothing runs before a request. What a constructor may have set is out of
/// reach anyway ([`startup`](crate::lift)), and what it calls may not be there.
fn forget_constructors(module: &Module) {
    for list in ["llvm.global_ctors", "llvm.global_dtors"] {
        if let Some(global) = module.get_global(list) {
            // SAFETY: nobody uses the list but the linker.
            unsafe { global.delete() };
        }
    }
}

/// The machine that a module is for.
pub(crate) fn target_machine(module: &Module) -> Result<TargetMachine, String> {
    initialise()?;
    let triple = module.get_triple();
    let target = Target::from_triple(&triple).map_err(|message| message.to_string())?;
    target
        .create_target_machine(&triple, "", "", OptimizationLevel::None, RelocMode::PIC, CodeModel::Default)
        .ok_or_else(|| "LLVM has no machine for this target".to_string())
}

/// Asks for the checks of a sanitizer.
fn sanitise(module: &Module, sanitiser: SanitisedBuild) {
    let bodies = module.get_functions().filter(|function| function.count_basic_blocks() > 0);
    let attribute = enumerated(module, sanitiser.attribute());
    for function in bodies {
        function.add_attribute(AttributeLoc::Function, attribute);
        if sanitiser == SanitisedBuild::Memory {
            forget_zeros(module, function);
        }
    }
}

/// A variable that starts at zero hides a read that comes too early. What lies between the members of a
/// struct keeps its zero. A compiler may assign it together with them, so that its sanitizer notices nothing.
fn forget_zeros(module: &Module, function: FunctionValue) {
    let kind = module.get_context().get_kind_id(define::ZERO);
    let instructions: Vec<InstructionValue> =
        function.get_basic_block_iter().flat_map(|block| block.get_instructions()).collect();
    for zero in instructions.into_iter().filter(|each| each.get_metadata(kind).is_some()) {
        clear_gaps(module, zero);
        zero.erase_from_basic_block();
    }
}

/// Gives zeros to what lies between the members of a variable that is about to get its zero.
fn clear_gaps(module: &Module, zero: InstructionValue) {
    let Some(BasicValueEnum::PointerValue(variable)) = define::operand(zero, 0) else { return };
    let Some(of) = variable.as_instruction_value().and_then(|it| it.get_allocated_type().ok()) else {
        return;
    };
    let context = module.get_context();
    let (builder, byte) = (context.create_builder(), context.i8_type());
    builder.position_before(&zero);
    for gap in layout::gaps(of.as_type_ref()).unwrap_or_default() {
        let [start, length] = [gap.start, gap.len()].map(|at| context.i64_type().const_int(at as u64, false));
        // SAFETY: the offset lies within the variable.
        let place = unsafe { builder.build_gep(byte, variable, &[start], "gap") };
        let place = place.expect("the builder has a place");
        builder.build_memset(place, 1, byte.const_zero(), length).expect("an alignment of 1 is fine");
    }
}

/// Tells LLVM of this machine, and libclang of all others. Both do it by way of
/// one list in LLVM, and two threads that do it at a time make a circle of it,
/// so it is done here, once, before anybody looks at the list.
pub(crate) fn initialise() -> Result<(), String> {
    static DONE: OnceLock<Result<(), String>> = OnceLock::new();
    let tell = || {
        Target::initialize_native(&InitializationConfig::default())?;
        ast::initialise();
        Ok(())
    };
    DONE.get_or_init(tell).clone()
}

/// The user's names are the user's: no function of the file stands in for one
/// that the server calls. What the file only declares may be missing
/// altogether, as long as nobody calls it. What a trap does, the server says.
fn keep_names_inside(module: &Module) {
    let is_intrinsic = |function: &FunctionValue| function.get_intrinsic_id() != 0;
    for function in module.get_functions().filter(|function| !is_intrinsic(function)) {
        if function.count_basic_blocks() == 0 {
            function.set_linkage(Linkage::ExternalWeak);
        } else if function.get_name() != c"__whet_trap" {
            function.set_linkage(Linkage::Internal);
        }
    }
    for global in module.get_globals() {
        let name = global.get_name().to_bytes();
        if global.is_declaration() {
            global.set_linkage(Linkage::ExternalWeak);
        } else if !name.starts_with(b"__whet_") && !name.starts_with(b"llvm.") {
            global.set_linkage(Linkage::Internal);
        }
    }
}
