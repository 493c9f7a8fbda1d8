//! What earlier runs have settled: the store, as a run sees it.
//!
//! The verdicts of a subject are the same every time, for the same code, the same settings and the
//! same Whet. So they are worked out once and kept under a key. Everything that a verdict depends on
//! goes into the key. Claims of stages are noted while a subject is at work. So a run that is stopped
//! loses only the work in progress.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use ir::{FunctionId, Input, Mutant, Space};
use llvm::Unit;
use settle::{
    Checker, Claim, Conclusion, Kept, KeptParametric, Kill, Leg, Open, ParametricMutant, Settled, Subject,
    Test, Twin, observe,
};
use stages::Canonical;
use store::record::{self, Entry, KeptTest};
use store::{Key, Slice, Store, Whole};

use crate::plan::STAGES;

/// Where the store is, in the folder of `whet.toml` or where Whet runs.
pub(crate) const FOLDER: &str = ".whet";

/// The part of a record that has everything.
const ALL: &str = "";

/// What earlier runs have settled of a file.
pub(crate) struct Cache<'a> {
    whole: Whole<'a>,
    /// All that decides a verdict besides the code.
    settings: String,
    /// None: the user wants no store.
    folder: Option<PathBuf>,
    store: OnceLock<Store>,
    /// The store failed, and the user was told.
    failed: AtomicBool,
}

impl<'a> Cache<'a> {
    /// Reads the store in a folder, if there is one. Changes nothing.
    pub(crate) fn find(
        unit: &'a Unit,
        folder: Option<PathBuf>,
        settings: String,
    ) -> anyhow::Result<Cache<'a>> {
        let Unit { program, mentions, meta, lookalike, .. } = unit;
        let whole = Whole { program, mentions, text: meta, lookalike: *lookalike };
        let settings = format!("{} {} {settings}", env!("WHET_FINGERPRINT"), llvm::version());
        let cache = Cache { whole, settings, folder, store: OnceLock::new(), failed: AtomicBool::new(false) };
        if let Some(folder) = &cache.folder
            && let Some(store) = Store::find(folder)?
        {
            let _ = cache.store.set(store);
        }
        Ok(cache)
    }

    /// Makes sure that there is a store to write to.
    pub(crate) fn begin(&self) -> anyhow::Result<()> {
        if let Some(folder) = &self.folder
            && self.store.get().is_none()
        {
            let _ = self.store.set(Store::open(folder)?);
        }
        Ok(())
    }

    /// Where a subject that these stages look at is kept, and what was found about its mutants before. If
    /// that is unknown for these mutants, it may be known for all mutants of the subject.
    pub(crate) fn look_up(
        &self,
        subject: &Subject,
        all: &Subject,
        space: &Space,
        checker: &Checker,
        stages: &[&'static str],
    ) -> anyhow::Result<(Option<SubjectCache<'_, 'a>>, Option<Vec<Settled>>)> {
        let own = self.subject(subject, space, stages);
        let whole = if subject == all { None } else { self.subject(all, space, stages) };
        let mut caches = own.iter().chain(&whole);
        let known = caches.find_map(|cache| cache.recall(checker, subject).transpose()).transpose()?;
        Ok((own, known))
    }

    /// None if the user wants no store.
    fn subject(
        &self,
        subject: &Subject,
        space: &Space,
        stages: &[&'static str],
    ) -> Option<SubjectCache<'_, 'a>> {
        self.folder.as_ref()?;
        let slice = Slice::new(self.whole, subject, space);
        let key = Key::of(&[&self.settings, &slice.text, &stages.join(" ")]);
        Some(SubjectCache { cache: self, slice, key })
    }

    /// The tests for what was killed, chosen before or now.
    pub(crate) fn tests(
        &self,
        killed: &[(FunctionId, Mutant, &Kill)],
        checker: &Checker,
        choose: impl FnOnce() -> Vec<Test>,
        in_hurry: &dyn Fn() -> bool,
    ) -> anyhow::Result<Vec<Test>> {
        if self.folder.is_none() {
            return Ok(choose());
        }
        let mutants: Vec<Mutant> = killed.iter().map(|(_, mutant, _)| *mutant).collect();
        let slice = Slice::of_all(self.whole, &mutants);
        let kills: String = killed
            .iter()
            .map(|(subject, mutant, kill)| format!("{subject:?} {mutant:?} {kill:?}\n"))
            .collect();
        let key = Key::of(&[&self.settings, &slice.text, &kills, "tests"]);
        let recall = |test: KeptTest| {
            let KeptTest { subject, input, kills, may_kill, whole, soft } = test;
            let returns = observe(self.whole.program, subject, &input, checker.limits)?.outcome;
            Some(Test { subject, input, returns, kills, may_kill, whole, soft })
        };
        let known = self.get(&key, ALL)?.and_then(|text| record::read_tests(&slice, &text));
        if let Some(tests) = known.and_then(|tests| tests.into_iter().map(recall).collect()) {
            return Ok(tests);
        }
        let tests = choose();
        // Another run may have the time to choose better ones.
        if in_hurry() {
            return Ok(tests);
        }
        let keep = |test: &Test| {
            let Test { subject, input, returns: _, kills, may_kill, whole, soft } = test.clone();
            KeptTest { subject, input, kills, may_kill, whole, soft }
        };
        let text = record::tests(&slice, &tests.iter().map(keep).collect::<Vec<KeptTest>>());
        self.put(&key, ALL, text);
        Ok(tests)
    }

    /// The conclusion about a parametric mutant, found before or now, and whether it was
    /// known. The inputs are those that were worth a look, and decide which tests are chosen.
    pub(crate) fn parametric(
        &self,
        question: &Question,
        checker: &Checker,
        work: impl FnOnce() -> Conclusion,
    ) -> (Conclusion, bool) {
        let Question { subject, parametric, space, inputs, settings, strict } = *question;
        if self.folder.is_none() {
            return (work(), false);
        }
        let of = Subject::alone(subject, vec![parametric.mutant]);
        let slice = Slice::new(self.whole, &of, space);
        let inputs: Option<Vec<_>> = inputs.iter().map(|input| record::input(&slice, input)).collect();
        let Some(inputs) = inputs else { return (work(), false) };
        let inputs = format!("{inputs:?}");
        let key = Key::of(&[&self.settings, &slice.text, &inputs, settings, "parametric"]);
        let text = self.get(&key, ALL).ok().flatten();
        let known = text.and_then(|text| record::read_parametric(&slice, &text));
        if let Some(conclusion) = known.and_then(|known| known.recall(checker, subject, parametric, strict)) {
            return (conclusion, true);
        }
        let conclusion = work();
        let text = KeptParametric::of(&conclusion).and_then(|kept| record::parametric(&slice, &kept));
        self.put(&key, ALL, text);
        (conclusion, false)
    }

    /// Whether a test file with this text was tried before, on this very program.
    pub(crate) fn has_tried(&self, text: &str) -> anyhow::Result<bool> {
        Ok(self.folder.is_some() && self.get(&self.trial(text), ALL)?.is_some())
    }

    pub(crate) fn note_tried(&self, text: &str) {
        self.put(&self.trial(text), ALL, Some(String::new()));
    }

    fn trial(&self, text: &str) -> Key {
        Key::of(&[&self.settings, self.whole.text, text, "tried"])
    }

    fn get(&self, key: &Key, part: &str) -> anyhow::Result<Option<String>> {
        match self.store.get() {
            Some(store) => Ok(store.get(key, part)?),
            None => Ok(None),
        }
    }

    /// If nothing can be kept, the next run takes longer. Nothing else happens.
    fn put(&self, key: &Key, part: &str, text: Option<String>) {
        let (Some(store), Some(text)) = (self.store.get(), text) else { return };
        if let Err(error) = store.put(key, part, &text) {
            self.warn(&error);
        }
    }

    fn warn(&self, error: &store::Error) {
        if !self.failed.swap(true, Ordering::Relaxed) {
            eprintln!("whet: cannot keep any more verdicts for the next run: {error}");
        }
    }
}

/// All that decides the conclusion about a parametric mutant, besides the code and the settings of the run.
pub(crate) struct Question<'q> {
    pub subject: FunctionId,
    pub parametric: ParametricMutant,
    pub space: &'q Space,
    pub inputs: &'q [Input],
    pub settings: &'q str,
    /// Decides what is open, and not what is found.
    pub strict: bool,
}

/// Where the verdicts of one subject are kept.
pub(crate) struct SubjectCache<'p, 'a> {
    cache: &'p Cache<'a>,
    slice: Slice,
    key: Key,
}

impl SubjectCache<'_, '_> {
    /// What was found of these mutants, if all of it is known.
    fn recall(&self, checker: &Checker, subject: &Subject) -> anyhow::Result<Option<Vec<Settled>>> {
        let Some(text) = self.cache.get(&self.key, ALL)? else { return Ok(None) };
        let Some(mut entries) = record::read_entries(&self.slice, &text) else { return Ok(None) };
        let is_judged = |mutant: &Mutant| subject.mutants.binary_search(mutant).is_ok();
        entries.retain(|entry| is_judged(&entry.mutant));
        let settled = |Entry { mutant, kept, twin }: Entry| {
            let verdict = kept.recall(checker, subject.function, mutant, &STAGES)?;
            let twin = twin.filter(is_judged).map(|of| Twin { of, stage: Canonical::NAME });
            Some(Settled { subject: subject.function, mutant, verdict, twin })
        };
        let settled: Option<Vec<Settled>> = entries.into_iter().map(settled).collect();
        Ok(settled.filter(|settled| settled.len() == subject.mutants.len()))
    }

    /// Keeps what was found of all mutants of a subject.
    pub(crate) fn keep(&self, settled: &[Settled]) {
        let entry = |found: &Settled| {
            Some(Entry {
                mutant: found.mutant,
                kept: Kept::of(&found.verdict)?,
                twin: found.twin.map(|twin| twin.of),
            })
        };
        let entries: Option<Vec<Entry>> = settled.iter().map(entry).collect();
        let Some(text) = entries.and_then(|entries| record::entries(&self.slice, &entries)) else { return };
        self.cache.put(&self.key, ALL, Some(text));
        // What the stages have claimed on the way is no longer needed.
        if let Some(store) = self.cache.store.get()
            && let Err(error) = store.keep_only(&self.key, ALL)
        {
            self.cache.warn(&error);
        }
    }
}

impl SubjectCache<'_, '_> {
    /// A name for what is claimed of these mutants, that does not depend on their numbers in the file.
    fn part(&self, part: &str, mutants: &[Mutant]) -> String {
        let number =
            |mutant: &Mutant| self.slice.number(*mutant).map_or("?".to_string(), |it| it.to_string());
        format!("{part}: {}", mutants.iter().map(number).collect::<Vec<String>>().join(" "))
    }
}

impl settle::Notebook for SubjectCache<'_, '_> {
    fn recall(&self, part: &str, mutants: &[Mutant]) -> Option<Vec<(Mutant, Claim)>> {
        let text = self.cache.get(&self.key, &self.part(part, mutants)).ok().flatten()?;
        record::read_claims(&self.slice, &text)
    }

    fn note(&self, part: &str, mutants: &[Mutant], claims: &[(Mutant, Claim)]) {
        // What went wrong once may go well the next time.
        if claims.iter().any(|(_, claim)| matches!(claim, Claim::Open(Open::Rejected(_)))) {
            return;
        }
        self.cache.put(&self.key, &self.part(part, mutants), record::claims(&self.slice, claims));
    }

    fn recall_leg(&self, part: &str, mutants: &[Mutant]) -> Option<Leg> {
        let text = self.cache.get(&self.key, &self.part(part, mutants)).ok().flatten()?;
        record::read_leg(&self.slice, &text)
    }

    fn note_leg(&self, part: &str, mutants: &[Mutant], leg: &Leg) {
        self.cache.put(&self.key, &self.part(part, mutants), record::leg(&self.slice, leg));
    }
}

/// The folder of the store, given where `whet.toml` is.
pub(crate) fn folder(config: Option<&Path>) -> PathBuf {
    let home = config.and_then(Path::parent).map(Path::to_path_buf);
    home.unwrap_or_default().join(FOLDER)
}
