//! The input that shows that two versions differ, and the test that was seen to tell them apart.
//!
//! Not every difference that the stages find shows in a test. So some inputs are tried, each as small as it
//! can be made, until one of them has a test that passes on the old version and fails on the new one.

use ir::{FunctionId, Input, Outcome, Seen};
use settle::{Claim, Ending, Kill, Sanitiser, Settled, Shown, Verdict, conclude, kills, shrink};

use super::answer::{self, Finding};
use super::{Comparison, MAIN, NEW};
use crate::cli::Diff;
use crate::session::Session;
use crate::test_file::TestFiles;
use crate::trial;

/// For how many inputs a test is tried. Each takes two builds.
const CANDIDATES: usize = 5;

/// What a shell sees of the result of `main`.
const STATUS: u128 = 0xff;

/// The flags for the address and undefined-behaviour sanitizers, without the checks for what Whet allows.
const STRICT: &[&str] = &[
    "-fsanitize=address,undefined",
    "-fno-sanitize=shift-base,pointer-overflow",
    "-fno-sanitize-recover=all",
    "-fstrict-flex-arrays=1",
];

/// The same for what was never assigned.
const ASSIGNED: &[&str] = &["-fsanitize=memory"];

impl Comparison<'_> {
    /// The first of some inputs that a test shows to differ, beginning with the one that a stage found.
    pub(super) fn witnessed(
        &self,
        session: &Session,
        subject: FunctionId,
        stage: &'static str,
        found: &Input,
    ) -> anyhow::Result<Finding> {
        let (program, limits) = (&self.unit.program, session.checker.limits);
        let attacks = session.attacks(subject);
        let others =
            attacks.iter().filter(|input| !kills(program, subject, input, &[NEW], limits).is_empty());
        let mut doubt = None;
        for input in std::iter::once(found).chain(others).take(CANDIDATES) {
            let small = shrink(program, subject, &[NEW], input, limits);
            let as_found = (small != *input).then(|| input.clone());
            for input in std::iter::once(small).chain(as_found) {
                let claim = Claim::Killed(input);
                let verdict = Verdict::check(&session.checker, subject, NEW, stage, claim, &[]);
                let found = Settled { subject, mutant: NEW, verdict, twin: None };
                let conclusion = conclude(&self.unit.program, &[found], &[]);
                let Ending::Killed { kill, .. } = conclusion.ending() else { continue };
                match self.doubt(subject, kill)? {
                    None => return Ok(Finding::Judged(Box::new(conclusion))),
                    found => doubt = doubt.or(found),
                }
            }
        }
        Ok(Finding::Unknown(doubt.unwrap_or_else(|| "the two were seen to differ only once".to_string())))
    }

    /// Why the difference is in doubt: the test that should tell the two apart does not.
    fn doubt(&self, subject: FunctionId, kill: &Kill) -> anyhow::Result<Option<String>> {
        let Diff { old, new, clang, tests, .. } = self.arguments;
        if self.unit.program.function(subject).name == MAIN {
            return Ok(self.doubt_about_main(kill));
        }
        let files = TestFiles::new(self.unit, old, &clang.flags, tests.framework());
        let text = answer::test(self.arguments, self.unit, subject, kill);
        let sanitise = match kill.shown {
            Shown::Plainly | Shown::Stopped | Shown::Nowhere => &[],
            Shown::With(Sanitiser::Address | Sanitiser::Undefined) => STRICT,
            Shown::With(Sanitiser::Memory) => ASSIGNED,
        };
        let on_old = files.end_on(&text, old, &[], sanitise)?;
        let on_new = files.end_on(&text, new, &self.renamed, sanitise)?;
        let is_seen = match (&on_old, &on_new) {
            (trial::Ending::Passed, trial::Ending::Failed) => true,
            (trial::Ending::Passed, trial::Ending::TimedOut) => kill.mutant == Outcome::Diverged,
            // A broken rule of C need not show in a binary.
            (trial::Ending::Passed, trial::Ending::Passed) => kill.shown == Shown::Nowhere,
            // If the new file lacks something that the test needs, it runs as a mutant of the old one.
            (trial::Ending::Passed, trial::Ending::DoesNotBuild(_)) if kill.shown.in_any_build() => {
                kill.mutant != Outcome::Diverged && files.tells_apart(&text, NEW)?
            }
            // There may be no such sanitizer here; the checker has one of its own.
            (trial::Ending::DoesNotBuild(_), _) | (_, trial::Ending::DoesNotBuild(_)) => {
                !kill.shown.in_any_build()
            }
            _ => false,
        };
        let describe = |ending: &trial::Ending| match ending {
            trial::Ending::Passed => "passes",
            trial::Ending::Failed => "fails",
            trial::Ending::TimedOut => "does not end",
            trial::Ending::DoesNotBuild(_) => "does not build",
        };
        let (one, other) = (describe(&on_old), describe(&on_new));
        let how = if one == other {
            format!("{one} on both")
        } else {
            format!("{one} on the old version and {other} on the new one")
        };
        let what = format!("the two go different ways, but a test for it {how}");
        Ok((!is_seen).then_some(what))
    }

    /// A program is started by a shell, so that not every call of `main` ever happens, and little of what it
    /// does is seen.
    fn doubt_about_main(&self, kill: &Kill) -> Option<String> {
        let status = |outcome: &Outcome| match outcome {
            Outcome::Returned(seen) => match seen.result {
                Some(Seen::Word(word)) => Some(word.bits() & STATUS),
                _ => None,
            },
            _ => None,
        };
        let is_given = !kill.input.arguments.is_empty() || !kill.input.globals.is_empty();
        let is_seen = kill.shown.in_any_build() && status(&kill.original) != status(&kill.mutant);
        let what = "the two differ when `main` is called as a function, but a shell may never see that";
        (is_given || !is_seen).then(|| what.to_string())
    }
}
