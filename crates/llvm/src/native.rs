//! The native build: the meta-mutant as machine code, to run what the interpreter ran.
//!
//! One build serves all runs. The defined meta-mutant, with a wrapper for each function, is compiled in this process
//! and linked to a shared library; a small server ([replay.c](../src/native/replay.c)), compiled when Whet
//! was, loads it. Each request is run in a process of its own, so that nothing a mutant does hurts the next one. To have
//! clang compile and link it all takes five times as long. The wrappers take their arguments from memory, in slots of 16 bytes: only
//! compiled code knows how a function wants to be called, so nobody has to build calls at run time.
//!
//! A recursion may use up the stack before its fuel, if its frames are large; the system then ends it with a signal.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, OnceLock};
use std::time::Duration;

use bv::Word;
use inkwell::OptimizationLevel;
use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::{Linkage, Module};
use inkwell::passes::PassBuilderOptions;
use inkwell::targets::{CodeModel, FileType, InitializationConfig, RelocMode, Target};
use inkwell::values::FunctionValue;
use ir::{Function, FunctionId, Input, Mutant, Program, Scalar};

use crate::define::Trap;
use crate::{Error, Unit, lift};

/// The server, as an executable; the build script made it.
const SERVER: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/replay"));

/// A mutant that may hang is given many steps, and these passes make a step five times as fast. The defined form has
/// nothing that they could take advantage of.
const PASSES: &str = "always-inline,function(sroa,early-cse,simplifycfg)";

/// How often to try to start the server while the system thinks that somebody still writes it.
const STARTS: u32 = 100;

/// What a run of the machine code came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NativeOutcome {
    /// With the value, unless the function returns none.
    Returned(Option<Word>),
    /// It did what the machine cannot do, or what cannot be reached.
    Trapped(Trap),
    OutOfFuel,
    /// The system ended it.
    Signal(i32),
    /// It had fuel, but took longer than the outer guard allows.
    GuardFired,
    /// It left by itself, as `exit` does, with this status.
    Exited(i32),
}

/// A native build, ready to run.
pub struct Native {
    /// The width of each function's result; none for what returns nothing.
    results: Vec<Option<u32>>,
    server: Mutex<Server>,
}

struct Server {
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Native {
    pub fn build(unit: &Unit) -> Result<Native, Error> {
        let folder = tempfile::tempdir().map_err(Error::Temporary)?;
        let (object, library) = (folder.path().join("meta.o"), folder.path().join("meta.so"));
        std::fs::write(&object, machine_code(unit)?).map_err(Error::Temporary)?;
        let mut command = Command::new("ld");
        command.arg("-shared").arg(&object).arg("-o").arg(&library).stdin(Stdio::null());
        let output =
            command.output().map_err(|source| Error::CannotRun { program: "ld".to_string(), source })?;
        if !output.status.success() {
            return Err(Error::NativeBuild(String::from_utf8_lossy(&output.stderr).into_owned()));
        }
        let program = folder.path().join("replay");
        executable(&program, SERVER).map_err(Error::Temporary)?;
        let result = |function: &Function| function.signature.result.as_ref().map(|scalar| scalar.width);
        let results = unit.program.functions.iter().map(result).collect();
        let server = Server::start(&program, &library)
            .map_err(|source| Error::CannotRun { program: "replay".to_string(), source })?;
        // The server has all it needs in memory, and whoever stops us now leaves nothing behind.
        Ok(Native { results, server: Mutex::new(server) })
    }

    /// Runs a function that takes and returns integers only, as the original or as a mutant.
    pub fn run(
        &self,
        function: FunctionId,
        mutant: Mutant,
        input: &Input,
        fuel: u64,
    ) -> Result<NativeOutcome, Error> {
        let mut request = format!("{:x} {:x} {fuel:x}", function.0, mutant.0);
        for word in &input.arguments {
            write!(request, " {:x}", word.bits()).expect("writing to memory does not fail");
        }
        request.push('\n');
        let answer = {
            let mut server = self.server.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            server.ask(&request).map_err(|error| Error::NativeDied(error.to_string()))?
        };
        let result = self.results[function.0 as usize];
        outcome(&answer, result)
            .ok_or_else(|| Error::NativeDied(format!("it answered {answer:?} to {request:?}")))
    }
}

impl Server {
    fn start(program: &Path, library: &Path) -> std::io::Result<Server> {
        let mut command = Command::new(program);
        command.arg(library).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        // A process that another thread starts at this moment holds our files open until it runs.
        let mut child = command.spawn();
        for _ in 0..STARTS {
            if !matches!(&child, Err(error) if error.kind() == ErrorKind::ExecutableFileBusy) {
                break;
            }
            std::thread::sleep(Duration::from_millis(1));
            child = command.spawn();
        }
        let mut child = child?;
        let requests = child.stdin.take().expect("it is piped");
        let answers = BufReader::new(child.stdout.take().expect("it is piped"));
        let mut server = Server { child, requests, answers };
        match server.ask("")?.as_str() {
            "ready\n" => Ok(server),
            _ => Err(std::io::Error::other("it does not start")),
        }
    }

    fn ask(&mut self, request: &str) -> std::io::Result<String> {
        self.requests.write_all(request.as_bytes())?;
        let mut answer = String::new();
        self.answers.read_line(&mut answer)?;
        Ok(answer)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already; then there is nothing to do.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn outcome(answer: &str, result: Option<u32>) -> Option<NativeOutcome> {
    let (what, number) = answer.trim_end().split_once(' ')?;
    let number = u128::from_str_radix(number, 16).ok()?;
    Some(match what {
        "r" => NativeOutcome::Returned(result.map(|width| Word::new(width, number))),
        "t" => match Trap::from_code(number as u64)? {
            Trap::OutOfFuel => NativeOutcome::OutOfFuel,
            trap => NativeOutcome::Trapped(trap),
        },
        "s" => NativeOutcome::Signal(number as i32),
        "g" => NativeOutcome::GuardFired,
        "x" => NativeOutcome::Exited(number as i32),
        _ => return None,
    })
}

/// The meta-mutant with its wrappers, as an object file.
fn machine_code(unit: &Unit) -> Result<Vec<u8>, Error> {
    let internal = |message: String| Error::Internal(message);
    let text = format!("{}\n{}", unit.meta, wrappers(&unit.program));
    let context = Context::create();
    let buffer = MemoryBuffer::create_from_memory_range_copy(text.as_bytes(), "meta");
    let module = context.create_module_from_ir(buffer).map_err(|message| internal(message.to_string()))?;
    keep_names_inside(&module);
    module.strip_debug_info();
    initialise().map_err(internal)?;
    let triple = module.get_triple();
    let target = Target::from_triple(&triple).map_err(|message| internal(message.to_string()))?;
    let machine = target
        .create_target_machine(&triple, "", "", OptimizationLevel::None, RelocMode::PIC, CodeModel::Default)
        .ok_or_else(|| internal("LLVM has no machine for this target".to_string()))?;
    module
        .run_passes(PASSES, &machine, PassBuilderOptions::create())
        .map_err(|message| internal(message.to_string()))?;
    let object = machine
        .write_to_memory_buffer(&module, FileType::Object)
        .map_err(|message| internal(message.to_string()))?;
    Ok(object.as_slice().to_vec())
}

/// Tells LLVM of this machine. To tell it twice, from two threads, corrupts its list.
fn initialise() -> Result<(), String> {
    static DONE: OnceLock<Result<(), String>> = OnceLock::new();
    DONE.get_or_init(|| Target::initialize_native(&InitializationConfig::default())).clone()
}

fn executable(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).mode(0o700).open(path)?.write_all(bytes)
}

/// The user's names are the user's: no function of the file stands in for one that the server calls. What the file
/// only declares may be missing altogether, as long as nobody calls it.
fn keep_names_inside(module: &Module) {
    for function in lift::user_functions(module) {
        function.set_linkage(Linkage::Internal);
    }
    let is_intrinsic = |function: &FunctionValue| function.get_intrinsic_id() != 0;
    for function in module.get_functions().filter(|function| function.count_basic_blocks() == 0) {
        if !is_intrinsic(&function) {
            function.set_linkage(Linkage::ExternalWeak);
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

/// A function `void (word *arguments, word *result)` around each function, and a table of them.
fn wrappers(program: &Program) -> String {
    let mut text = String::new();
    let (mut calls, mut arities) = (Vec::new(), Vec::new());
    for (at, function) in program.functions.iter().enumerate() {
        arities.push(format!("i32 {}", function.signature.parameters.len()));
        if function.unsupported.is_some() {
            calls.push("ptr null".to_string());
            continue;
        }
        calls.push(format!("ptr @whet.call.{at}"));
        write_wrapper(&mut text, at, function).expect("writing to memory does not fail");
    }
    let count = program.functions.len();
    text + &format!(
        "@__whet_calls = constant [{count} x ptr] [{}]\n@__whet_arities = constant [{count} x i32] [{}]\n",
        calls.join(", "),
        arities.join(", ")
    )
}

fn write_wrapper(text: &mut String, at: usize, function: &Function) -> std::fmt::Result {
    writeln!(text, "define void @whet.call.{at}(ptr %arguments, ptr %result) {{")?;
    let mut arguments = Vec::new();
    for (at, parameter) in function.signature.parameters.iter().enumerate() {
        let scalar = &parameter.scalar;
        writeln!(text, "  %slot{at} = getelementptr i128, ptr %arguments, i64 {at}")?;
        writeln!(text, "  %a{at} = load i{}, ptr %slot{at}, align 16", scalar.width)?;
        arguments.push(format!("i{} {} %a{at}", scalar.width, extension(scalar)));
    }
    let name = quoted(&function.name);
    let arguments = arguments.join(", ");
    match &function.signature.result {
        Some(scalar) => {
            let width = scalar.width;
            writeln!(text, "  %r = call {} i{width} @{name}({arguments})", extension(scalar))?;
            writeln!(text, "  %wide = zext i{width} %r to i128")?;
            writeln!(text, "  store i128 %wide, ptr %result, align 16")?;
        }
        None => writeln!(text, "  call void @{name}({arguments})")?,
    }
    writeln!(text, "  ret void\n}}")
}

/// How an integer fills a register of the machine: what is narrower than `int` is widened by the caller.
fn extension(scalar: &Scalar) -> &'static str {
    match (scalar.width < 32, scalar.signed) {
        (false, _) => "",
        (true, true) => "signext",
        (true, false) => "zeroext",
    }
}

/// A name as LLVM's assembly writes it.
fn quoted(name: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let byte = |byte: u8| if plain(byte) { char::from(byte).to_string() } else { format!("\\{byte:02X}") };
    format!("\"{}\"", name.bytes().map(byte).collect::<String>())
}
