//! Tests in C, built with the meta-mutant in the place of the file under test.
//!
//! The tests have a `main` and any framework. The environment chooses the mutant, and how many
//! blocks of the file under test may run. So a test that a mutant keeps from ending stops after
//! the same number of blocks on every machine. A C file of ours (`tested.c`) does this. It also
//! tells which functions were entered: a mutant in any other function behaves like the original.

mod inside;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use inkwell::module::{Linkage, Module};
use inkwell::passes::PassBuilderOptions;
use inkwell::targets::FileType;
use inkwell::values::{AsValueRef, FunctionValue, GlobalValue};
use rayon::prelude::*;

use crate::clang::{self, Clang};
use crate::native::machine;
use crate::{Error, Unit, lift};

const SUPPORT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/tested.o"));

/// What `tested.c` calls a page: the fuel comes first in the report, and a byte
/// for each function after so many bytes.
const PAGE: usize = 65_536;

/// Where the tests of another file find what was called `main` in the file under test.
const PROGRAM_MAIN: &str = "program_main";

/// Where tests are built with the meta-mutant.
pub struct TestBed<'a> {
    unit: &'a Unit,
    /// Goes when this does.
    folder: tempfile::TempDir,
    /// What is in the meta-mutant, when it is built.
    contents: OnceLock<Contents>,
}

/// The names of what is in the meta-mutant for tests.
struct Contents {
    /// In the order of the bytes in the report.
    functions: Vec<String>,
    /// Those that others can name.
    variables: Vec<String>,
}

/// What to build.
pub struct Build<'a> {
    /// C files and object files: tests, frameworks.
    pub sources: &'a [PathBuf],
    pub flags: &'a [String],
    /// Where to look for headers.
    pub folders: &'a [&'a Path],
    /// Flags that come last, such as those for a sanitizer.
    pub last: &'a [&'a str],
}

/// Tests of the user's that are compiled, but not linked yet. There is no need for a mutant to do this, so
/// that tests that do not compile are found before anything else is done.
pub struct CompiledTests {
    /// Goes when this does.
    _folder: tempfile::TempDir,
    /// What clang made of the sources. What it need not compile stays what it is.
    pub objects: Vec<PathBuf>,
    /// Flags that name the libraries of their languages.
    pub libraries: Vec<String>,
}

impl CompiledTests {
    /// Compiles tests, with this clang if one is given.
    pub fn new(clang: Option<&Clang>, build: &Build) -> Result<CompiledTests, Error> {
        let folder = tempfile::tempdir().map_err(Error::Temporary)?;
        let place = |number: usize| folder.path().join(format!("{number}.o"));
        let (_, objects) = Clang::find(clang, |clang| compile(clang, build, &place))?;
        Ok(CompiledTests { _folder: folder, objects, libraries: libraries(build) })
    }
}

/// A program that runs tests on any mutant.
pub struct Tested<'a> {
    pub program: PathBuf,
    /// In the order of the bytes in the report.
    functions: &'a [String],
}

/// What a run of the tests left behind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reached {
    /// How many blocks ran, in all processes together.
    pub blocks: u64,
    /// The functions that were entered.
    pub functions: Vec<String>,
}

impl<'a> TestBed<'a> {
    pub fn new(unit: &'a Unit) -> Result<TestBed<'a>, Error> {
        let folder = tempfile::tempdir().map_err(Error::Temporary)?;
        std::fs::write(folder.path().join("tested.o"), SUPPORT).map_err(Error::Temporary)?;
        Ok(TestBed { unit, folder, contents: OnceLock::new() })
    }

    /// Builds tests under a name that no others of this bed have.
    pub fn build(&self, name: &str, build: &Build) -> Result<Tested<'_>, Error> {
        // Clang takes about as long for the tests as LLVM for the meta-mutant.
        let (objects, functions) = rayon::join(|| self.compile(name, build), || self.contents());
        let (objects, functions) = (objects?, &functions?.functions);
        let program = self.place(name);
        let mut command = self.clang(build);
        command.args(objects).args(["meta.o", "tested.o"].map(|name| self.place(name)));
        command.arg("-o").arg(&program);
        link(&mut command, build)?;
        Ok(Tested { program, functions })
    }

    /// The same for tests that include the file under test. They call the functions of the meta-mutant all
    /// the same, with all else as clang understands the file.
    pub fn build_inside(&self, name: &str, build: &Build) -> Result<Tested<'_>, Error> {
        let contents = self.contents()?;
        let mut objects = Vec::new();
        for (number, source) in build.sources.iter().enumerate() {
            let [bitcode, object] = ["bc", "o"].map(|end| self.place(&format!("{name}-{number}.{end}")));
            run(self.clang(build).args(["-c", "-emit-llvm"]).arg(source).arg("-o").arg(&bitcode))?;
            let bitcode = std::fs::read(bitcode).map_err(Error::Temporary)?;
            let stripped = inside::without_bodies(&bitcode, contents)?;
            std::fs::write(&object, stripped).map_err(Error::Temporary)?;
            objects.push(object);
        }
        let program = self.place(name);
        let mut command = self.clang(build);
        command.args(objects).args(["meta.o", "tested.o"].map(|name| self.place(name)));
        command.arg("-o").arg(&program);
        link(&mut command, build)?;
        Ok(Tested { program, functions: &contents.functions })
    }

    /// Builds tests with a C file as it is, with no mutant in it, under a name that no others of this
    /// bed have. If a function has another name in the file than in the tests, that comes second.
    pub fn build_plain(
        &self,
        name: &str,
        build: &Build,
        file: &Path,
        renamed: &[(String, String)],
    ) -> Result<PathBuf, Error> {
        let objects = self.compile(name, build)?;
        let (object, program) = (self.place(&format!("{name}-file.o")), self.place(name));
        let mut command = self.clang(build);
        // As a mutant runs: arithmetic wraps, and nothing is made of what C leaves undefined.
        command.args(["-x", "c", "-O0", "-fwrapv"]);
        run(command.arg("-c").arg(file).arg("-o").arg(&object))?;
        rename_main(&object)?;
        let mut command = self.clang(build);
        command.args(objects).arg(object).arg("-o").arg(&program);
        command.args(renamed.iter().map(|(tested, own)| format!("-Wl,--defsym={tested}={own}")));
        link(&mut command, build)?;
        Ok(program)
    }

    fn compile(&self, name: &str, build: &Build) -> Result<Vec<PathBuf>, Error> {
        compile(&self.unit.clang, build, &|number| self.place(&format!("{name}-{number}.o")))
    }

    /// What is in the meta-mutant, which is an object file from then on.
    fn contents(&self) -> Result<&Contents, Error> {
        if let Some(contents) = self.contents.get() {
            return Ok(contents);
        }
        let (object, contents) = self.unit.object_for_tests()?;
        std::fs::write(self.place("meta.o"), object).map_err(Error::Temporary)?;
        Ok(self.contents.get_or_init(|| contents))
    }

    fn clang(&self, build: &Build) -> Command {
        command(&self.unit.clang, build)
    }

    fn place(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

/// The tests as object files in these places, all at a time. What clang need not compile stays what it is.
fn compile(
    clang: &Clang,
    build: &Build,
    place: &(dyn Fn(usize) -> PathBuf + Sync),
) -> Result<Vec<PathBuf>, Error> {
    let compile = |(number, source): (usize, &PathBuf)| -> Result<PathBuf, Error> {
        if !is_c(source) && !is_cpp(source) {
            return Ok(source.clone());
        }
        let object = place(number);
        run(command(clang, build).arg("-c").arg(source).arg("-o").arg(&object))?;
        Ok(object)
    };
    let objects: Vec<Result<PathBuf, Error>> = build.sources.par_iter().enumerate().map(compile).collect();
    objects.into_iter().collect()
}

fn command(clang: &Clang, build: &Build) -> Command {
    let mut command = Command::new(&clang.program);
    let flags = clang::for_tests(build.flags);
    command.args(clang::LENIENT).arg("-w").args(flags.iter().filter(|flag| !is_library(flag)));
    command.arg(clang::UNSANITISED);
    for folder in build.folders {
        command.arg("-I").arg(folder);
    }
    command.args(build.last);
    command
}

fn link(command: &mut Command, build: &Build) -> Result<(), Error> {
    command.args(build.flags.iter().filter(|flag| is_library(flag))).args(["-lm", "-lpthread"]);
    run(command.args(libraries(build)))
}

/// Gives `main` in an object file the name that tests have for it. If clang knew the function by that name,
/// it would return nothing at its end, and `__func__` would be another.
fn rename_main(object: &Path) -> Result<(), Error> {
    let rename = format!("main={PROGRAM_MAIN}");
    run(Command::new("objcopy").arg("--redefine-sym").arg(rename).arg(object))
}

/// The libraries of the languages that tests are written in.
fn libraries(build: &Build) -> Vec<String> {
    let is_cpp = build.sources.iter().any(|source| is_cpp(source));
    is_cpp.then(|| "-lstdc++".to_string()).into_iter().collect()
}

fn run(command: &mut Command) -> Result<(), Error> {
    let output = clang::run(command)?;
    if output.status.success() {
        return Ok(());
    }
    Err(Error::TestsDoNotBuild { message: String::from_utf8_lossy(&output.stderr).trim_end().to_string() })
}

fn is_library(flag: &str) -> bool {
    ["-l", "-L", "-Wl,"].iter().any(|prefix| flag.starts_with(prefix))
}

fn is_c(source: &Path) -> bool {
    source.extension().is_some_and(|extension| extension == "c")
}

fn is_cpp(source: &Path) -> bool {
    source.extension().is_some_and(|extension| ["cc", "cpp", "cxx", "C"].iter().any(|it| extension == *it))
}

impl Unit {
    /// The meta-mutant for tests as an object file, and what is in it.
    fn object_for_tests(&self) -> Result<(Vec<u8>, Contents), Error> {
        let context = inkwell::context::Context::create();
        let module = crate::parse_text(&context, &self.chosen_by_environment()?)?;
        let functions: Vec<FunctionValue> = lift::user_functions(&module).collect();
        let names = functions.iter().map(|it| it.get_name().to_string_lossy().into_owned()).collect();
        let is_hidden = |it: &GlobalValue| matches!(it.get_linkage(), Linkage::Internal | Linkage::Private);
        let is_visible = |it: &GlobalValue| it.get_initializer().is_some() && !is_hidden(it);
        let variables = module.get_globals().filter(is_visible);
        let variables = variables.map(|it| it.get_name().to_string_lossy().into_owned()).collect();
        let contents = Contents { functions: names, variables };
        note_entries(&module, &functions);
        // All processes share one, which `tested.c` has.
        if let Some(fuel) = module.get_global("__whet_fuel") {
            fuel.set_linkage(inkwell::module::Linkage::External);
            // SAFETY: without a value it is a declaration.
            unsafe { inkwell::llvm_sys::core::LLVMSetInitializer(fuel.as_value_ref(), std::ptr::null_mut()) };
        }
        if let Some(main) = module.get_function("main") {
            main.as_global_value().set_name(PROGRAM_MAIN);
        }
        inside::open(&functions);
        crate::alias::put_back(&module, &self.aliases);
        crate::verify(&module, "the meta-mutant for tests")?;
        let machine = machine::target_machine(&module).map_err(Error::Internal)?;
        let internal = |message: inkwell::support::LLVMString| Error::Internal(message.to_string());
        module.run_passes(machine::PASSES, &machine, PassBuilderOptions::create()).map_err(internal)?;
        let object = machine.write_to_memory_buffer(&module, FileType::Object).map_err(internal)?;
        Ok((object.as_slice().to_vec(), contents))
    }
}

/// Each function sets its byte when it is entered.
fn note_entries(module: &Module, functions: &[FunctionValue]) {
    let context = module.get_context();
    let (byte, pointer) = (context.i8_type(), context.ptr_type(inkwell::AddressSpace::default()));
    let room = byte.array_type(functions.len() as u32);
    let nowhere = module.add_global(room, None, "whet.nowhere");
    nowhere.set_linkage(inkwell::module::Linkage::Internal);
    nowhere.set_initializer(&room.const_zero());
    let entered = module.add_global(pointer, None, "__whet_entered");
    entered.set_initializer(&nowhere.as_pointer_value());
    let count = module.add_global(context.i64_type(), None, "__whet_function_count");
    count.set_initializer(&context.i64_type().const_int(functions.len() as u64, false));
    let builder = context.create_builder();
    for (at, function) in functions.iter().enumerate() {
        let Some(first) = function.get_first_basic_block().and_then(|block| block.get_first_instruction())
        else {
            continue;
        };
        builder.position_before(&first);
        let place = "the builder has a place";
        let start = builder.build_load(pointer, entered.as_pointer_value(), "entered").expect(place);
        let index = context.i64_type().const_int(at as u64, false);
        // SAFETY: there is a byte for each function.
        let slot = unsafe { builder.build_gep(byte, start.into_pointer_value(), &[index], "slot") };
        builder.build_store(slot.expect(place), byte.const_int(1, false)).expect(place);
    }
}

impl Tested<'_> {
    /// An empty report, for the environment variable `WHET_REPORT`.
    pub fn new_report(&self) -> Result<PathBuf, Error> {
        let path = self.program.with_extension("report");
        std::fs::write(&path, vec![0; PAGE + self.functions.len()]).map_err(Error::Temporary)?;
        Ok(path)
    }

    /// What a run wrote there that began with this much fuel.
    pub fn reached(&self, report: &Path, fuel: u64) -> Result<Reached, Error> {
        let bytes = std::fs::read(report).map_err(Error::Temporary)?;
        let left = bytes.first_chunk::<8>().map_or(fuel, |bytes| u64::from_le_bytes(*bytes));
        let entered = bytes.iter().skip(PAGE).zip(self.functions).filter(|(byte, _)| **byte != 0);
        let functions = entered.map(|(_, name)| name.clone()).collect();
        Ok(Reached { blocks: fuel.saturating_sub(left), functions })
    }
}
