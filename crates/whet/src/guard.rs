//! What happens when Whet itself breaks: the rest of the run goes on.
//!
//! The work is done in parts, each with a name: a stage on a function, a batch of mutants, a step of the
//! run. If a part panics, only that part is lost. If it brings down the process, as an abort in a solver
//! or in LLVM does, all other parts would be lost, too. So all work is done in a copy of this process. The
//! copy is made at the very start, while there is only one thread. It notes each part before it begins. If
//! the copy dies, the parent tells the user and makes another copy. The new copy leaves out the part that
//! broke, and finds in the store what the first one settled.
//!
//! With several threads, several parts are running when one of them breaks. Then the next copy has a
//! single thread, so that its last note names the part that breaks.
//!
//! Either way the user is told, and the exit code says that there is a bug.
//!
//! Signals that ask for the end go to the parent, which hands them on to its
//! copy. A copy ends at once, unless it [counts](count_signals) them.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock};

use ir::Mutant;
use rustix::process::{Pid, Signal, WaitOptions, WaitStatus};
use settle::{Claim, Leg, Notebook, Open};

/// The most copies that are made. If more parts than this break, no run gets past the bug.
const COPIES: usize = 16;

/// What a note may hold: a name, and how many parts began before.
const NOTE: usize = 4_096;

/// Says how the name of a part begins that is to break, for tests: `abort PART`
/// or `panic PART`. Only a build with assertions asks for it.
const BREAK: &str = "WHET_BREAK";

/// How Whet does its work in this process.
struct Guard {
    /// Parts that have broken before.
    broken: Vec<String>,
    /// Only one thread works.
    careful: bool,
    notes: Notes,
}

static GUARD: OnceLock<Guard> = OnceLock::new();

/// Whether something has broken, in this process or before.
static FOUND: AtomicBool = AtomicBool::new(false);

/// What the parent can read when this process is no more.
struct Notes {
    file: File,
    parts: Mutex<Parts>,
}

#[derive(Default)]
struct Parts {
    begun: u64,
    /// By the place of their notes.
    running: Vec<bool>,
}

/// Does all work in copies of this process. Returns in each copy, and never in the process itself.
pub(crate) fn work_in_copies() {
    // Without a temporary file there is no guard, and whoever needs one says so.
    let Ok(file) = tempfile::tempfile() else { return };
    let (mut broken, mut careful) = (Vec::new(), false);
    hand_on_signals();
    for copy in 1.. {
        // SAFETY: nobody has started a thread yet.
        let child = unsafe { fork() };
        if child < 0 {
            // The system has no room for another process: then there is no guard.
            return;
        }
        let Some(child) = Pid::from_raw(child) else {
            // A copy does not outlive the process that the user knows of.
            let _ = rustix::process::set_parent_process_death_signal(Some(Signal::KILL));
            CHILD.store(0, Ordering::Relaxed);
            set_handlers(DEFAULT);
            FOUND.store(!broken.is_empty(), Ordering::Relaxed);
            let notes = Notes { file, parts: Mutex::default() };
            let _ = GUARD.set(Guard { broken, careful, notes });
            if careful {
                let _ = rayon::ThreadPoolBuilder::new().num_threads(1).build_global();
            }
            return;
        };
        CHILD.store(child.as_raw_pid(), Ordering::Relaxed);
        let status = wait(child);
        let Some(signal) = status.terminating_signal().and_then(Signal::from_named_raw) else {
            std::process::exit(status.exit_status().unwrap_or(crate::Exit::Bug as i32));
        };
        if !is_crash(signal) {
            die_of(signal);
        }
        let running = running(&file);
        if running.len() > 1 && !careful && copy < COPIES {
            careful = true;
            continue;
        }
        let part = running.last().cloned();
        let name = part.as_deref().unwrap_or("its beginning");
        tell(&format!("{} ended it in this part of its work: {name}", text(signal)));
        // A copy that cannot leave the part out would die again.
        let can_go_on =
            part.as_ref().is_some_and(|part| part.starts_with(OPTIONAL) && !broken.contains(part));
        if !can_go_on || copy >= COPIES || reads_standard_input() {
            std::process::exit(crate::Exit::Bug as i32);
        }
        broken.extend(part);
        careful = false;
    }
}

/// The signals that ask for the end.
const ENDING: [Signal; 2] = [Signal::INT, Signal::TERM];

/// The handler that ends a process, and the one that ignores a signal, as the system knows them.
const DEFAULT: usize = 0;
const IGNORE: usize = 1;

/// The copy that does the work; 0 in the copy itself.
static CHILD: AtomicI32 = AtomicI32::new(0);

/// What counts signals in a copy.
static COUNT: AtomicPtr<AtomicU32> = AtomicPtr::new(std::ptr::null_mut());

fn hand_on_signals() {
    extern "C" fn hand_on(_: i32) {
        if let Some(child) = Pid::from_raw(CHILD.load(Ordering::Relaxed)) {
            let _ = rustix::process::kill_process(child, Signal::TERM);
        }
    }
    set_handlers(hand_on as extern "C" fn(i32) as usize);
}

/// From now on, signals that ask for the end are counted, and end nothing.
/// Ctrl-C reaches the parent and the copy; only what the parent hands on counts.
pub(crate) fn count_signals(count: &'static AtomicU32) {
    extern "C" fn counts(signal: i32) {
        // SAFETY: the pointer is null, or leads to a counter that lives as long as the process.
        if let Some(count) = unsafe { COUNT.load(Ordering::Relaxed).as_ref() }
            && signal == Signal::TERM.as_raw()
        {
            count.fetch_add(1, Ordering::Relaxed);
        }
    }
    COUNT.store(std::ptr::from_ref(count).cast_mut(), Ordering::Relaxed);
    set_handlers(counts as extern "C" fn(i32) as usize);
}

/// Sets the handler of all signals that ask for the end. One that was ignored
/// from the start, as in a background job, stays so.
fn set_handlers(handler: usize) {
    for ending in ENDING {
        // SAFETY: the handlers are ours, and do only what a handler may: they load, add and send a signal.
        unsafe {
            if signal(ending.as_raw(), handler) == IGNORE {
                signal(ending.as_raw(), IGNORE);
            }
        }
    }
}

/// Whether there was a bug.
pub(crate) fn has_found_a_bug() -> bool {
    FOUND.load(Ordering::Relaxed)
}

/// Tells the user about a bug of ours, so that it does not look like the user's mistake.
pub(crate) fn tell(bug: &dyn std::fmt::Display) {
    FOUND.store(true, Ordering::Relaxed);
    eprintln!("whet: this is a bug in Whet: {bug}");
    eprintln!("whet: please report it, with the C file if you can share it.");
}

/// Whether this copy has a single thread, to find out which part breaks.
pub(crate) fn is_careful() -> bool {
    GUARD.get().is_some_and(|guard| guard.careful)
}

/// The names of parts that a run can do without begin so.
const OPTIONAL: &str = "the stage ";

/// Does a part that a run can do without. None if it breaks, now or in an earlier copy.
pub(crate) fn attempt<T>(part: &str, work: impl FnOnce() -> T) -> Option<T> {
    let part = format!("{OPTIONAL}{part}");
    if GUARD.get().is_some_and(|guard| guard.broken.contains(&part)) {
        return None;
    }
    // Whoever has called the panic's hook has told the user.
    std::panic::catch_unwind(AssertUnwindSafe(|| noted(&part, work))).ok()
}

/// Does a part, whose name stays behind if the process dies of it.
pub(crate) fn noted<T>(part: &str, work: impl FnOnce() -> T) -> T {
    let place = GUARD.get().map(|guard| guard.notes.begin(part));
    // A panic ends the part as well.
    let ends = Ends(place);
    if cfg!(debug_assertions) {
        break_for_a_test(part);
    }
    let result = work();
    drop(ends);
    result
}

struct Ends(Option<usize>);

impl Drop for Ends {
    fn drop(&mut self) {
        if let (Some(guard), Some(place)) = (GUARD.get(), self.0) {
            guard.notes.end(place);
        }
    }
}

impl Notes {
    fn begin(&self, part: &str) -> usize {
        let mut parts = self.parts.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        parts.begun += 1;
        let free = parts.running.iter().position(|running| !running);
        let place = free.unwrap_or_else(|| {
            parts.running.push(true);
            parts.running.len() - 1
        });
        parts.running[place] = true;
        let mut note = parts.begun.to_le_bytes().to_vec();
        note.extend(part.bytes().take(NOTE - note.len() - 1));
        note.push(0);
        self.write(place, &note);
        place
    }

    fn end(&self, place: usize) {
        let mut parts = self.parts.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        parts.running[place] = false;
        self.write(place, &0u64.to_le_bytes());
    }

    /// What cannot be noted is missing from a sentence, and nothing else.
    fn write(&self, place: usize, note: &[u8]) {
        let _ = self.file.write_all_at(note, (place * NOTE) as u64);
    }
}

/// The parts that were on their way when the process died, the latest last. A
/// part within another one stands for both.
fn running(file: &File) -> Vec<String> {
    let mut found: Vec<(u64, String)> = Vec::new();
    for place in 0.. {
        let mut note = [0; NOTE];
        let Ok(length @ 1..) = file.read_at(&mut note, (place * NOTE) as u64) else { break };
        let Some((begun, name)) = note[..length].split_first_chunk() else { break };
        let begun = u64::from_le_bytes(*begun);
        let end = name.iter().position(|byte| *byte == 0).unwrap_or(name.len());
        if begun > 0 {
            found.push((begun, String::from_utf8_lossy(&name[..end]).into_owned()));
        }
    }
    let _ = file.set_len(0);
    found.sort();
    let names: Vec<String> = found.into_iter().map(|(_, name)| name).collect();
    // Stages have batches, and steps of the run have stages.
    let has_stage = names.iter().any(|name| name.starts_with(OPTIONAL));
    let is_within = |outer: &String| {
        has_stage && !outer.starts_with(OPTIONAL)
            || names.iter().any(|name| name != outer && name.starts_with(outer.as_str()))
    };
    names.iter().filter(|name| !is_within(name)).cloned().collect()
}

fn wait(child: Pid) -> WaitStatus {
    loop {
        if let Ok(Some((_, status))) = rustix::process::waitpid(Some(child), WaitOptions::empty()) {
            return status;
        }
    }
}

/// Whether a process that ends so has broken, rather than been stopped.
fn is_crash(signal: Signal) -> bool {
    [Signal::ABORT, Signal::SEGV, Signal::BUS, Signal::ILL, Signal::FPE, Signal::TRAP].contains(&signal)
}

fn text(signal: Signal) -> &'static str {
    match signal {
        Signal::ABORT => "an abort",
        Signal::SEGV | Signal::BUS => "a bad access",
        _ => "a trap",
    }
}

/// Ends as the copy did.
fn die_of(signal: Signal) -> ! {
    let _ = rustix::process::kill_process(rustix::process::getpid(), signal);
    std::process::exit(128 + signal.as_raw());
}

/// What was read is gone, and another copy would see nothing.
fn reads_standard_input() -> bool {
    std::env::args_os().any(|argument| argument == "-" || argument.to_string_lossy().ends_with("=-"))
}

fn break_for_a_test(part: &str) {
    let Ok(wanted) = std::env::var(BREAK) else { return };
    match wanted.split_once(' ') {
        Some(("abort", name)) if part.starts_with(name) => std::process::abort(),
        Some(("panic", name)) if part.starts_with(name) => panic!("as the test wants"),
        _ => {}
    }
}

unsafe extern "C" {
    fn fork() -> i32;
    fn signal(signal: i32, handler: usize) -> usize;
}

/// Why a mutant is open that was to be settled by a part that broke.
pub(crate) fn broken(stage: &str) -> Open {
    Open::Broken(stage.to_string())
}

/// Remembers what a subject's batches claimed, and guards them.
pub(crate) struct Guarded<'a> {
    pub notebook: &'a dyn Notebook,
    /// The subject's name.
    pub subject: &'a str,
}

impl Notebook for Guarded<'_> {
    fn recall(&self, part: &str, mutants: &[Mutant]) -> Option<Vec<(Mutant, Claim)>> {
        self.notebook.recall(part, mutants)
    }

    fn note(&self, part: &str, mutants: &[Mutant], claims: &[(Mutant, Claim)]) {
        self.notebook.note(part, mutants, claims);
    }

    fn recall_leg(&self, part: &str, mutants: &[Mutant]) -> Option<Leg> {
        self.notebook.recall_leg(part, mutants)
    }

    fn note_leg(&self, part: &str, mutants: &[Mutant], leg: &Leg) {
        self.notebook.note_leg(part, mutants, leg);
    }

    fn attempt(
        &self,
        part: &str,
        mutants: &[Mutant],
        work: &mut dyn FnMut() -> Vec<(Mutant, Claim)>,
    ) -> Option<Vec<(Mutant, Claim)>> {
        let stage = part.split(' ').next().unwrap_or_default();
        let numbers: Vec<String> = mutants.iter().map(|mutant| mutant.0.to_string()).collect();
        attempt(&format!("{stage} on {}: {part}, mutants {}", self.subject, numbers.join(" ")), work)
    }
}
