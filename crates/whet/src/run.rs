//! `whet run`: from a C file to verdicts and tests.

use std::path::PathBuf;

use anyhow::{Context, bail};
use ir::Mutant;
use llvm::{CompiledTests, Unit};
use report::OWN_TESTS;
use settle::{Conclusion, Limits};
use source::Change;
use testgen::foreign_name;

use crate::Exit;
use crate::alarms;
use crate::cli::{Run, Static};
use crate::compose::{Composed, Composer, is_build_error};
use crate::deadline::Deadline;
use crate::export::Export;
use crate::files;
use crate::guard;
use crate::machine::SecondSolver;
use crate::plan::{Method, Own, Plan};
use crate::progress::{Line, Timings};
use crate::publish::Outcome;
use crate::reference::{self, Differences, Reference};
use crate::reports;
use crate::session::{Rules, Session};
use crate::test_file::{Earlier, TestFiles, compile_own};

pub(crate) fn run(arguments: &Run, store: PathBuf) -> anyhow::Result<Exit> {
    let formats = reports::chosen(&arguments.reports)?;
    let export = Export::chosen(arguments)?;
    let second_solver = SecondSolver::wanted(arguments.double_check)?;
    start_threads(arguments)?;

    let timings = Timings::new();
    let deadline = Deadline::watch(timings.started, arguments.time, arguments.quiet);
    let line = Line::new(arguments.quiet);
    let own_tests = compile_own_tests(arguments)?;
    let unit = timings.step("compile and seed", || load(arguments, &deadline))?;
    can_be_named(&unit, arguments)?;
    let framework = arguments.tests.framework();
    let earlier = Earlier::find(test_path(arguments, false), framework)?;
    let earlier_inside = Earlier::find(test_path(arguments, true), framework)?;
    let reference = Reference::find(arguments, &unit)?;
    let mut session = open_session(arguments, &unit, second_solver, store, line, timings, &deadline)?;
    let tests = TestFiles::new(&unit, &arguments.selection.file, &arguments.clang.flags, framework);
    let own_conclusions = run_own_tests(own_tests, &mut session, &tests)?;

    let jobs = session.look_up()?;
    files::prepare(&arguments.out)?;
    let decided = session.settle(jobs)?;
    let mut conclusions = decided.conclusions(&session.plan, &own_conclusions);
    let differences = compare_with_reference(&session, reference.as_ref())?;

    session.line.step("tests");
    let composer = Composer {
        arguments,
        session: &session,
        files: &tests,
        reference: reference.as_ref(),
        differences: &differences,
        conclusions: &conclusions,
        inside: false,
    };
    let composed =
        [compose(&composer, &earlier)?, compose(&Composer { inside: true, ..composer }, &earlier_inside)?];
    let exported = export.files(&composer)?;
    composed.iter().for_each(|composed| doubt(&session.plan.changes, &mut conclusions, composed));
    session.line.finish();

    composed[0].draft.opinion.tell(arguments);
    let mut alarms = alarms::about(&unit, &arguments.selection.name(), session.checker.alarms());
    alarms.extend(reference.iter().flat_map(|reference| reference.alarms(&differences)));
    let outcome = Outcome {
        arguments,
        session: &session,
        decided: &decided,
        conclusions: &conclusions,
        composed: &composed,
        exported: &exported,
        alarms: &alarms,
    };
    outcome.publish(&formats)
}

/// Comes first, because even compiling the file uses threads.
fn start_threads(arguments: &Run) -> anyhow::Result<()> {
    if let Some(jobs) = arguments.jobs.filter(|_| !guard::is_careful()) {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs as usize);
        pool.build_global().context("cannot start threads")?;
    }
    Ok(())
}

fn load(arguments: &Run, deadline: &Deadline) -> anyhow::Result<Unit> {
    let versions: Vec<llvm::Version> = reference::version(arguments).into_iter().collect();
    let selection = arguments.selection.beside_reference(arguments.reference.is_some());
    selection.load(&arguments.clang, versions, &deadline.stop)
}

/// An error if tests could not name what is in the file.
fn can_be_named(unit: &Unit, arguments: &Run) -> anyhow::Result<()> {
    match foreign_name(&unit.program, arguments.tests.framework()) {
        Some((name, what)) => bail!(
            "{} has something named `{name}`, which is {what}: write tests for another framework, as in `--tests c`",
            arguments.selection.name()
        ),
        None => Ok(()),
    }
}

fn test_path(arguments: &Run, inside: bool) -> PathBuf {
    let (framework, file) = (arguments.tests.framework(), arguments.selection.file_name());
    arguments.out.join(if inside { framework.inside_file_name(&file) } else { framework.file_name(&file) })
}

fn open_session<'u>(
    arguments: &'u Run,
    unit: &'u Unit,
    second_solver: Option<SecondSolver>,
    store: PathBuf,
    line: Line,
    timings: Timings,
    deadline: &Deadline,
) -> anyhow::Result<Session<'u>> {
    let changes = arguments.part.choose(&arguments.selection.file, unit)?;
    let method = Method::chosen(&arguments.stages, arguments.double_check)?;
    // A test in C++ cannot include a file in C.
    let statics = if arguments.tests.framework().is_cpp() { Static::None } else { arguments.statics };
    let plan = Plan::new(unit, changes, &arguments.search, method, statics)?;
    let rules = Rules {
        limits: Limits { memory: arguments.search.memory, ..Limits::default() },
        overflow: arguments.selection.overflow,
        flags: &arguments.clang.flags,
        second_solver,
        store: (!arguments.no_store).then_some(store),
        line,
        deadline: deadline.clone(),
    };
    Session::open(plan, rules, timings)
}

/// Compiles the user's own tests, if there are any.
fn compile_own_tests(arguments: &Run) -> anyhow::Result<Option<CompiledTests>> {
    let Run { with_tests, selection, clang, .. } = arguments;
    let compile = || compile_own(with_tests, &selection.file, &clang.flags);
    (!with_tests.is_empty()).then(compile).transpose()
}

/// Runs the user's own tests on all mutants. Mutants that they kill, or had no time for, leave the plan.
fn run_own_tests(
    own_tests: Option<CompiledTests>,
    session: &mut Session,
    files: &TestFiles,
) -> anyhow::Result<Own> {
    let Some(own_tests) = own_tests else { return Ok(Own::new()) };
    let (kills, untried) = session.timings.step(OWN_TESTS, || {
        session.line.step(OWN_TESTS);
        let on_kill = |mutant| settle::Progress::settle(&session.line, mutant, true);
        files.own_tests(&own_tests, &session.plan.mutants(), &on_kill, &session.deadline.stop)
    })?;
    let mut own = session.credit(&kills);
    own.extend(session.leave_open(&untried));
    Ok(own)
}

/// Looks for inputs on which the file and the reference differ.
fn compare_with_reference(session: &Session, reference: Option<&Reference>) -> anyhow::Result<Differences> {
    match reference {
        Some(reference) => {
            session.timings.step("compare with the reference", || reference.search(&session.deadline))
        }
        None => Ok(Differences::default()),
    }
}

/// A test file. If Whet breaks here, there is none, but the verdicts are still reported.
fn compose(composer: &Composer, earlier: &Earlier) -> anyhow::Result<Composed> {
    let nothing = || Composed::nothing(earlier.path.clone());
    match guard::attempt("that writes tests", || composer.compose(earlier)) {
        Some(Err(error)) if composer.inside && earlier.texts.is_empty() && is_build_error(&error) => {
            let unconfirmed = composer.killed().iter().map(|(_, mutant, _)| *mutant).collect();
            Ok(Composed { unconfirmed, is_unbuilt: true, ..nothing() })
        }
        Some(Err(error)) => match error.downcast::<llvm::Error>() {
            Ok(llvm::Error::Internal(bug)) => {
                guard::tell(&bug);
                Ok(nothing())
            }
            Ok(error) => Err(error.into()),
            Err(error) => Err(error),
        },
        Some(composed) => composed,
        None => Ok(nothing()),
    }
}

/// A mutant on which its own test passes is not killed.
fn doubt(changes: &[Change], conclusions: &mut [Conclusion], composed: &Composed) {
    let why = match composed.is_unbuilt {
        true => "the test that was written for it, which includes the file, does not build",
        false => "the test that was written for it passes on it",
    };
    for (change, conclusion) in changes.iter().zip(conclusions) {
        if composed.unconfirmed.contains(&Mutant(change.number)) {
            conclusion.doubt(why);
        }
    }
}
