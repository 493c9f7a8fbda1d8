//! From killed mutants to a test file.
//!
//! Tests are [chosen](Composer::draft), written, built and run. Each passes on the original and
//! fails on the mutants that it claims. Tests that are in the file already stay. Mutants that they
//! do not kill get new tests. If the new tests cannot be merged, they go into a second file.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use ir::{FunctionId, Input, Mutant};
use settle::{Conclusion, Ending, Kill, OwnKill, ParametricVerdict, Test, suite};
use source::Change;

use crate::cli::{Overflow, Run};
use crate::parametric;
use crate::reference::{Differences, Disagreement, Opinion, Reference};
use crate::session::Session;
use crate::special;
use crate::test_file::{Earlier, TestFiles, beside};
use crate::trial::Trial;

/// A killed mutant: through which subject, and how.
pub(crate) type Killed<'a> = (FunctionId, Mutant, &'a Kill);

/// Everything that the tests depend on.
pub(crate) struct Composer<'a> {
    pub arguments: &'a Run,
    pub session: &'a Session<'a>,
    pub files: &'a TestFiles<'a>,
    pub reference: Option<&'a Reference<'a>>,
    /// Where the file and the reference differ, found without any mutant's help.
    pub differences: &'a Differences,
    pub conclusions: &'a [Conclusion],
    /// Whether the tests include the file, and call what no other file can. All others do not.
    pub inside: bool,
}

/// Tests that were chosen, and what the reference says of them.
#[derive(Default)]
pub(crate) struct Draft {
    pub tests: Vec<Test>,
    pub opinion: Opinion,
}

impl Draft {
    /// What the file does on a test that it fails, because the reference does something else.
    pub(crate) fn disagreement(&self, test: &Test) -> Option<&Disagreement> {
        self.opinion.disagreements.iter().find(|it| it.is_about(test))
    }

    fn fails(&self, test: &Test) -> bool {
        self.disagreement(test).is_some()
    }

    /// Removes mutants that no test kills after all. Tests without a mutant go, unless the file fails them.
    fn forget(&mut self, unconfirmed: &BTreeSet<Mutant>) {
        for test in &mut self.tests {
            test.kills.retain(|mutant| !unconfirmed.contains(mutant));
        }
        let is_kept: Vec<bool> =
            self.tests.iter().map(|test| !test.kills.is_empty() || self.fails(test)).collect();
        let mut is_kept = is_kept.into_iter();
        self.tests.retain(|_| is_kept.next().unwrap_or(true));
    }
}

/// A test file, ready to be written.
pub(crate) struct Composed {
    /// Where the tests go: a second file if they could not be merged into the first.
    pub path: PathBuf,
    /// None: nothing changes.
    pub text: Option<String>,
    /// The new tests.
    pub draft: Draft,
    pub names: Vec<String>,
    /// The mutants that tests from earlier runs kill.
    pub kept: BTreeSet<Mutant>,
    /// The mutants that the new tests should kill, and do not.
    pub unconfirmed: BTreeSet<Mutant>,
    /// Whether that is because the tests do not build.
    pub is_unbuilt: bool,
    /// Whether there was no time left to try the tests, so that none are written.
    pub untried: bool,
}

impl Composed {
    /// Nothing changes.
    pub(crate) fn nothing(path: PathBuf) -> Composed {
        let (draft, names, text) = (Draft::default(), vec![], None);
        let (kept, unconfirmed) = (BTreeSet::new(), BTreeSet::new());
        Composed { path, text, draft, names, kept, unconfirmed, is_unbuilt: false, untried: false }
    }
}

impl<'a> Composer<'a> {
    /// Keeps the tests that are in the file, adds those that are missing, and tries them all.
    pub(crate) fn compose(&self, earlier: &Earlier) -> anyhow::Result<Composed> {
        let killed = self.killed();
        let mut draft = self.session.timings.step("choose tests", || self.draft(&killed))?;
        self.acquit(&mut draft);
        let nothing = Composed::nothing(earlier.path.clone());
        if draft.tests.is_empty() {
            return Ok(Composed { draft, ..nothing });
        }
        if self.session.deadline.is_over() {
            return Ok(Composed { untried: true, ..nothing });
        }
        let names = self.names(&draft.tests);
        let text = self.text(&draft.tests, &names, &draft);
        if !earlier.texts.is_empty() && earlier.texts != [text.clone()] {
            return self.extend(earlier, &killed);
        }
        if self.session.cache.has_tried(&text)? {
            return Ok(Composed { text: Some(text), draft, names, ..nothing });
        }
        let (unconfirmed, is_whole) =
            self.unconfirmed(&self.without_failing(&text, &draft, &names), &draft, &names, &killed)?;
        if unconfirmed.is_empty() {
            if is_whole {
                self.session.cache.note_tried(&text);
            }
            return Ok(Composed { text: Some(text), draft, names, ..nothing });
        }
        draft.forget(&unconfirmed);
        let names = self.names(&draft.tests);
        let text = (!draft.tests.is_empty()).then(|| self.text(&draft.tests, &names, &draft));
        Ok(Composed { text, draft, names, unconfirmed, ..nothing })
    }

    /// The mutants that need a test.
    pub(crate) fn killed(&self) -> Vec<Killed<'a>> {
        let killed = |(change, conclusion): (&Change, &'a Conclusion)| match conclusion.ending() {
            Ending::Killed { subject, kill, .. } => {
                let is_here = self.session.plan.is_inside(*subject) == self.inside;
                is_here.then_some((*subject, Mutant(change.number), kill))
            }
            Ending::ByOwnTests { .. }
            | Ending::Equivalent(_)
            | Ending::Limited(_)
            | Ending::Parametric(_)
            | Ending::SpecialCase { .. }
            | Ending::Open(_) => None,
        };
        self.session.plan.changes.iter().zip(self.conclusions).filter_map(killed).collect()
    }

    /// Few tests that kill these mutants, and all that parametric mutants,
    /// special cases and the reference need.
    pub(crate) fn draft(&self, killed: &[Killed]) -> anyhow::Result<Draft> {
        let session = self.session;
        let others: Vec<Mutant> = killed.iter().map(|(_, mutant, _)| *mutant).collect();
        let mut tests = parametric::tests(session, &self.parametric(), &others);
        let done: BTreeSet<Mutant> = tests.iter().flat_map(|test| &test.kills).copied().collect();
        let rest: Vec<Killed> =
            killed.iter().filter(|(_, mutant, _)| !done.contains(mutant)).copied().collect();
        let look = |subject: FunctionId, mutant: Mutant, input: &Input| {
            session.checker.kill(subject, mutant, input).ok().map(|kill| kill.shown)
        };
        let in_hurry = || session.deadline.is_near();
        let choose = || suite(&session.unit.program, &rest, &look, &in_hurry, session.checker.limits);
        tests.extend(session.cache.tests(&rest, &session.checker, choose, &in_hurry)?);
        tests.sort_by_key(|test| test.subject);
        if self.inside {
            return Ok(Draft { tests, opinion: Opinion::default() });
        }
        special::tests(session, self.conclusions, &mut tests);
        let Some(reference) = self.reference else { return Ok(Draft { tests, opinion: Opinion::default() }) };
        let mut opinion = reference.correct(&mut tests)?;
        opinion.disagreements.extend(self.differences.disagreements.iter().cloned());
        for test in &self.differences.tests {
            let is_known = |it: &Test| (it.subject, &it.input) == (test.subject, &test.input);
            if !tests.iter().any(is_known) {
                tests.push(test.clone());
            }
        }
        tests.sort_by_key(|test| test.subject);
        Ok(Draft { tests, opinion })
    }

    /// The parametric mutants that tests kill.
    fn parametric(&self) -> Vec<(Mutant, &'a ParametricVerdict)> {
        let verdict = |(change, conclusion): (&Change, &'a Conclusion)| match conclusion.ending() {
            Ending::Parametric(verdict) if !self.inside => Some((Mutant(change.number), verdict)),
            _ => None,
        };
        self.session.plan.changes.iter().zip(self.conclusions).filter_map(verdict).collect()
    }

    pub(crate) fn names(&self, tests: &[Test]) -> Vec<String> {
        testgen::names(&self.session.unit.program, tests)
    }

    /// A file of some tests of a draft.
    fn text(&self, tests: &[Test], names: &[String], draft: &Draft) -> String {
        let Composer { arguments, session, files, .. } = self;
        let unit = session.unit;
        let reference = arguments.reference.as_ref().map(|path| path.display().to_string());
        let fails = "FAILS today: the program does not do what the reference does.";
        let remark = |test: &Test| draft.fails(test).then(|| fails.to_string());
        testgen::file(&testgen::Suite {
            framework: files.framework,
            file: &arguments.selection.file_name(),
            has_main: session.plan.has_main,
            inside: self.inside,
            wraps: arguments.selection.overflow == Overflow::Wrap,
            program: &unit.program,
            callable: &unit.external,
            elsewhere: &unit.elsewhere,
            changes: &unit.changes,
            tests,
            names,
            reference: reference
                .as_deref()
                .filter(|_| !self.inside)
                .map(|name| (name, draft.opinion.speaks_for_all())),
            remark: &remark,
        })
    }

    fn trial(&self, text: &str) -> anyhow::Result<Trial<'_>> {
        if self.inside { self.files.trial_inside(text) } else { self.files.trial(text) }
    }

    /// A file of one test.
    fn alone(&self, test: &Test, draft: &Draft) -> String {
        let tests = std::slice::from_ref(test);
        self.text(tests, &self.names(tests), draft)
    }

    /// Takes back that the original fails a test, if it passes it: the original and the reference differ, but
    /// no test can tell.
    fn acquit(&self, draft: &mut Draft) {
        let failing = draft.tests.iter().filter(|test| draft.fails(test) && !test.soft);
        let passes = |test: &&Test| self.trial(&self.alone(test, draft)).is_ok();
        let acquitted: Vec<Test> = failing.filter(passes).cloned().collect();
        let is_acquitted = |it: &Disagreement| acquitted.iter().any(|test| it.is_about(test));
        draft.opinion.disagreements.retain(|it| !is_acquitted(it));
    }

    /// Adds tests for mutants that the tests in the file do not kill.
    fn extend(&self, earlier: &Earlier, killed: &[Killed<'a>]) -> anyhow::Result<Composed> {
        let Some(kept) = self.kept(earlier, killed)? else {
            return Ok(Composed { untried: true, ..Composed::nothing(earlier.path.clone()) });
        };
        let (old, all) = (&earlier.texts[0], earlier.texts.concat());
        let rest: Vec<Killed> =
            killed.iter().filter(|(_, mutant, _)| !kept.contains(mutant)).copied().collect();
        let mut draft = self.draft(&rest)?;
        self.acquit(&mut draft);
        let missing: Vec<Test> =
            draft.tests.iter().filter(|test| self.is_missing(test, &draft, &rest, &all)).cloned().collect();
        draft.tests = missing;
        let nothing = Composed { kept, ..Composed::nothing(earlier.path.clone()) };
        if draft.tests.is_empty() {
            return Ok(Composed { draft, ..nothing });
        }
        let names: Vec<String> =
            self.names(&draft.tests).into_iter().map(|name| unused(&all, name)).collect();
        let new = self.text(&draft.tests, &names, &draft);
        if let Some(text) = testgen::merge(self.files.framework, old, &new)
            && let Ok((unconfirmed, _)) = self.unconfirmed(&text, &draft, &names, &rest)
        {
            return Ok(Composed { text: Some(text), draft, names, unconfirmed, ..nothing });
        }
        let path = beside(&earlier.path, earlier.texts.len() + 1);
        let new_only = self.without_failing(&new, &draft, &names);
        let (unconfirmed, _) = self.unconfirmed(&new_only, &draft, &names, &rest)?;
        Ok(Composed { path, text: Some(new), draft, names, unconfirmed, ..nothing })
    }

    /// The mutants that tests from earlier runs kill. None if there is no time left to find out.
    fn kept(&self, earlier: &Earlier, killed: &[Killed]) -> anyhow::Result<Option<BTreeSet<Mutant>>> {
        let (file, path) = (self.files.file.display(), &earlier.path);
        let explain = || {
            let path = path.display();
            format!(
                "the tests in {path} fail on {file} as it is: fix them, or remove the file and Whet writes a new one"
            )
        };
        let mut kept = BTreeSet::new();
        for text in &earlier.texts {
            let mutants = killed.iter().map(|(_, mutant, _)| *mutant);
            let missing: Vec<Mutant> = mutants.filter(|mutant| !kept.contains(mutant)).collect();
            let trial = self.trial(text).map_err(|error| match is_build_error(&error) {
                true => error.context(cannot_build(path)),
                false => error.context(explain()),
            })?;
            let is_over = || self.session.deadline.is_over();
            let (kills, untried) = trial.kills(self.files.unit, &missing, &|_| {}, &is_over)?;
            if !untried.is_empty() {
                return Ok(None);
            }
            kept.extend(kills.into_iter().map(OwnKill::mutant));
        }
        Ok(Some(kept))
    }

    /// Whether a test has to be added to files with this text. A test that kills nothing in a plain build is
    /// missing if its body is.
    fn is_missing(&self, test: &Test, draft: &Draft, rest: &[Killed], all: &str) -> bool {
        let mut seen = rest.iter().filter(|(.., kill)| kill.shown.in_any_build());
        if seen.any(|(_, mutant, _)| test.kills.contains(mutant)) {
            return true;
        }
        let text = self.alone(test, draft);
        !testgen::body(self.files.framework, &text).is_some_and(|body| all.contains(body))
    }

    /// The mutants that these tests should kill in any build, and do not; and whether there was time to try
    /// all. The tests must pass on the original.
    fn unconfirmed(
        &self,
        text: &str,
        draft: &Draft,
        names: &[String],
        killed: &[Killed],
    ) -> anyhow::Result<(BTreeSet<Mutant>, bool)> {
        let timings = &self.session.timings;
        let trial = timings.step("build tests", || self.trial(text)).map_err(|error| {
            // What the file has named may be something else in a test.
            if self.inside && is_build_error(&error) {
                return error;
            }
            let what = "the tests that Whet wrote do not pass on the original, and are not kept";
            llvm::Error::Internal(format!("{what}: {error:#}")).into()
        })?;
        let passing = draft.tests.iter().zip(names).filter(|(test, _)| !draft.fails(test));
        let kills = passing.flat_map(|(test, name)| test.kills.iter().map(|mutant| (*mutant, name.as_str())));
        let killer: BTreeMap<Mutant, &str> = kills.collect();
        let in_any_build = killed.iter().filter(|(.., kill)| kill.shown.in_any_build());
        let claimed: Vec<(Mutant, &str)> =
            in_any_build.filter_map(|(_, mutant, _)| Some((*mutant, *killer.get(mutant)?))).collect();
        timings.step("try tests", || trial.survivors(&claimed, &self.session.deadline))
    }

    /// The text of a draft without the tests that the original fails.
    fn without_failing(&self, text: &str, draft: &Draft, names: &[String]) -> String {
        let passing = draft.tests.iter().zip(names).filter(|(test, _)| !draft.fails(test));
        let (tests, names): (Vec<Test>, Vec<String>) =
            passing.map(|(test, name)| (test.clone(), name.clone())).unzip();
        if tests.len() == draft.tests.len() { text.to_string() } else { self.text(&tests, &names, draft) }
    }
}

/// Whether it says that tests do not build.
pub(crate) fn is_build_error(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(llvm::Error::TestsDoNotBuild { .. }))
}

/// What to do if tests from an earlier run do not build.
fn cannot_build(path: &Path) -> String {
    format!(
        "the tests in {} do not build: if they need the real framework, say where it is, as in `-- -I unity/src` or `-- -lcmocka`",
        path.display()
    )
}

/// A name like this one that the text does not have.
fn unused(text: &str, name: String) -> String {
    let numbered = (2..).map(|number| format!("{name}_{number}"));
    let mut names = std::iter::once(name.clone()).chain(numbered);
    names.find(|name| !text.contains(name.as_str())).unwrap_or(name)
}
