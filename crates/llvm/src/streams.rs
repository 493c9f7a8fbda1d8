//! Calls of functions that print and read, as the program that we reason about and the machine have them.
//!
//! A call of `printf` whose format is a constant is an action of ours: a proof compares its arguments, and
//! whoever runs it makes the text of them. All others are calls of our C library, which makes the text by
//! code, and prints it character by character: those that go on with a list, those whose format is computed,
//! and those whose result somebody looks at. The machine calls the server, which lets the system's library
//! make the text. Only MemorySanitizer wants to see each argument.
//!
//! A stream that is read is an input: an object with its bytes. So is what `stdin` leads to. Our library
//! reads from the object, and the server makes a stream of the system's of it. Functions without a stream get
//! `stdin`.
//!
//! Either way the function has another name, with `__whet_` in front. What other files are linked with keeps
//! the names of C.

use inkwell::AddressSpace;
use inkwell::llvm_sys::core::LLVMSetOperand;
use inkwell::llvm_sys::debuginfo::{LLVMInstructionGetDebugLoc, LLVMInstructionSetDebugLoc};
use inkwell::module::Module;
use inkwell::types::{BasicMetadataTypeEnum, BasicType, BasicTypeEnum, FunctionType};
use inkwell::values::{
    AsValueRef, BasicMetadataValueEnum, BasicValue, FunctionValue, InstructionOpcode, InstructionValue,
    Operand,
};

use crate::lift::{self, operation};

/// The variable of the C library that leads to standard input.
pub(crate) const STANDARD_INPUT: &str = "stdin";

/// The one that returns a `size_t`.
const FWRITE: &str = "fwrite";

/// A function that returns an `int`, by its name, how many parameters it has, and whether more arguments may
/// follow.
type Known = (&'static str, u32, bool);

const PRINTING: [Known; 13] = [
    ("_IO_putc", 2, false),
    ("fflush", 1, false),
    ("fprintf", 2, true),
    ("fputc", 2, false),
    ("fputs", 2, false),
    (FWRITE, 4, false),
    ("printf", 1, true),
    ("putc", 2, false),
    ("putchar", 1, false),
    ("putchar_unlocked", 1, false),
    ("puts", 1, false),
    ("vfprintf", 3, false),
    ("vprintf", 2, false),
];

/// A function that reads, the one that does the same, and whether that one is given `stdin` first.
const READING: [(&str, &str, bool); 30] = [
    ("_IO_getc", "fgetc", false),
    ("__isoc99_fscanf", "fscanf", false),
    ("__isoc99_scanf", "fscanf", true),
    ("__isoc99_vfscanf", "vfscanf", false),
    ("__isoc99_vscanf", "vfscanf", true),
    ("clearerr", "clearerr", false),
    ("fclose", "fclose", false),
    ("feof", "feof", false),
    ("feof_unlocked", "feof", false),
    ("ferror", "ferror", false),
    ("fgetc", "fgetc", false),
    ("fgetc_unlocked", "fgetc", false),
    ("fgets", "fgets", false),
    ("fgets_unlocked", "fgets", false),
    ("fread", "fread", false),
    ("fread_unlocked", "fread", false),
    ("fscanf", "fscanf", false),
    ("fseek", "fseek", false),
    ("fseeko", "fseek", false),
    ("ftell", "ftell", false),
    ("ftello", "ftell", false),
    ("getc", "fgetc", false),
    ("getc_unlocked", "fgetc", false),
    ("getchar", "fgetc", true),
    ("getchar_unlocked", "fgetc", true),
    ("rewind", "rewind", false),
    ("scanf", "fscanf", true),
    ("ungetc", "ungetc", false),
    ("vfscanf", "vfscanf", false),
    ("vscanf", "vfscanf", true),
];

/// Who is going to execute the calls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Executor {
    /// Some calls are actions of its own.
    Program,
    /// The server has all functions.
    Machine,
}

/// Lets calls lead to the functions with our names, and pointers to functions that read, too.
pub(crate) fn redirect(module: &Module, executor: Executor) {
    redirect_calls(module, executor);
    let readers = READING.iter().filter(|(_, _, needs_stdin)| !needs_stdin);
    for (known, name, _) in readers {
        let Some(function) = module.get_function(known).filter(|it| it.count_basic_blocks() == 0) else {
            continue;
        };
        let is_used = function.as_global_value().as_pointer_value().get_first_use().is_some();
        let has_prototype = !function.get_type().is_var_arg();
        if is_used && has_prototype {
            let ours = ours(module, name, function.get_type());
            if ours.get_type() == function.get_type() {
                function.replace_all_uses_with(ours);
            }
        }
    }
}

fn redirect_calls(module: &Module, executor: Executor) {
    for function in lift::user_functions(module).collect::<Vec<_>>() {
        let blocks = function.get_basic_block_iter();
        for call in blocks.flat_map(|block| block.get_instructions()).collect::<Vec<_>>() {
            if let Some(reading) = reading(call) {
                read(module, call, reading);
                continue;
            }
            let Some(callee) = callee(call) else { continue };
            if executor == Executor::Machine || !lift::is_printed_by_its_arguments(callee, call) {
                let ours = ours(module, &callee.get_name().to_string_lossy(), callee.get_type());
                // SAFETY: the function that is called is the last operand of a call, and both have the same
                // type.
                unsafe {
                    LLVMSetOperand(call.as_value_ref(), call.get_num_operands() - 1, ours.as_value_ref());
                }
            }
        }
    }
}

/// What stands in for a function that reads.
struct Reading<'c> {
    callee: FunctionValue<'c>,
    name: &'static str,
    needs_stdin: bool,
}

fn reading(instruction: InstructionValue) -> Option<Reading> {
    if instruction.get_opcode() != InstructionOpcode::Call {
        return None;
    }
    let (callee, fits) = operation::callee(instruction)?;
    let name = callee.get_name().to_string_lossy();
    let (_, name, needs_stdin) = READING.iter().find(|(known, ..)| *known == name)?;
    // Nobody says what a function without a prototype is given.
    let of = callee.get_type();
    let has_prototype = !of.is_var_arg() || of.count_param_types() > 0;
    let is_declared = callee.count_basic_blocks() == 0 && fits && has_prototype;
    is_declared.then_some(Reading { callee, name, needs_stdin: *needs_stdin })
}

/// Puts a call of our function in the place of one that reads.
fn read<'c>(module: &Module<'c>, call: InstructionValue<'c>, reading: Reading<'c>) {
    let Reading { callee, name, needs_stdin } = reading;
    let of = callee.get_type();
    if !needs_stdin {
        let ours = ours(module, name, of);
        if ours.get_type() == of {
            // SAFETY: as above.
            unsafe { LLVMSetOperand(call.as_value_ref(), call.get_num_operands() - 1, ours.as_value_ref()) };
        }
        return;
    }
    let address = module.get_context().ptr_type(AddressSpace::default());
    let mut parameters: Vec<BasicMetadataTypeEnum> = vec![address.into()];
    parameters.extend(of.get_param_types());
    let Some(result) = of.get_return_type() else { return };
    let ours = ours(module, name, result.fn_type(&parameters, of.is_var_arg()));
    let builder = module.get_context().create_builder();
    builder.position_before(&call);
    let stream =
        module.get_global(STANDARD_INPUT).unwrap_or_else(|| module.add_global(address, None, STANDARD_INPUT));
    let stream =
        builder.build_load(address, stream.as_pointer_value(), "stdin").expect("the builder has a place");
    let given =
        (0..call.get_num_operands() - 1).filter_map(|at| call.get_operand(at).and_then(Operand::value));
    let arguments: Vec<BasicMetadataValueEnum> =
        std::iter::once(stream).chain(given).map(Into::into).collect();
    let new = builder.build_call(ours, &arguments, "read").expect("the builder has a place");
    // SAFETY: both are instructions, and a place of the source may be none.
    unsafe {
        LLVMInstructionSetDebugLoc(new.as_value_ref(), LLVMInstructionGetDebugLoc(call.as_value_ref()))
    };
    let new = new.try_as_basic_value().expect_basic("it returns a number");
    call.replace_all_uses_with(&new.as_instruction_value().expect("a call is an instruction"));
    call.erase_from_basic_block();
}

/// The function with a name of ours that a call should lead to.
fn callee(instruction: InstructionValue) -> Option<FunctionValue> {
    if instruction.get_opcode() != InstructionOpcode::Call {
        return None;
    }
    let (callee, fits) = operation::callee(instruction)?;
    (fits && is_known(callee)).then_some(callee)
}

/// Whether a function is one of those, and declared as C has it.
fn is_known(function: FunctionValue) -> bool {
    let name = function.get_name().to_string_lossy();
    let of = function.get_type();
    let width = if name == FWRITE { 64 } else { 32 };
    let is_wide = |of: BasicTypeEnum| of.is_int_type() && of.into_int_type().get_bit_width() == width;
    let returns_number = of.get_return_type().is_some_and(is_wide);
    let is_as_declared = |(known, parameters, variadic): &Known| {
        *known == name && *parameters == of.count_param_types() && *variadic == of.is_var_arg()
    };
    function.count_basic_blocks() == 0 && returns_number && PRINTING.iter().any(is_as_declared)
}

/// The function that has a name of ours.
fn ours<'c>(module: &Module<'c>, name: &str, of: FunctionType<'c>) -> FunctionValue<'c> {
    let name = format!("__whet_{name}");
    module.get_function(&name).unwrap_or_else(|| module.add_function(&name, of, None))
}

/// Gives the machine a variable of its own for standard input, which a request sets.
pub(crate) fn define_standard_input(module: &Module) {
    if let Some(stream) =
        module.get_global(STANDARD_INPUT).filter(|stream| stream.get_initializer().is_none())
    {
        stream.set_initializer(&module.get_context().ptr_type(AddressSpace::default()).const_null());
    }
}
