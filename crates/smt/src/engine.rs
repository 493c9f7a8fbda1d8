//! The engine: Bitwuzla through our shim, made safe.
//!
//! A [`Raw`] term is a pointer into the engine that made it and lives as long as that.
//! Both are private to this crate; only [`Solver`](crate::Solver) owns one, together with
//! the terms it made, so they cannot be mixed up or outlive each other. Sorts fit because
//! `bv::lower` makes the calls, and terms of a graph are well sorted by construction. Where that
//! is wrong, Bitwuzla rejects the call, and we panic: it is a bug of ours.

use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr::NonNull;

use bv::{Builder, Stop, Term, Variable, Word};
use rustc_hash::FxHashMap;

#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Raw(NonNull<c_void>);

pub(crate) enum Result {
    Sat,
    Unsat,
    Unknown,
}

pub(crate) struct Engine {
    handle: NonNull<c_void>,
    variables: FxHashMap<Variable, (Raw, u32)>,
    /// The handle leads there.
    _stop: Stop,
}

// SAFETY: an engine has a term manager of its own and shares nothing with others.
// `four_threads_do_not_disturb_each_other` tries it.
unsafe impl Send for Engine {}
// SAFETY: a name for a term of the engine, of no use without it.
unsafe impl Send for Raw {}

impl Engine {
    /// Checks end soon after the sign is set, and give [`Result::Unknown`].
    pub(crate) fn new(stop: &Stop, normalise: bool) -> Engine {
        // SAFETY: an atomic truth value has the bits of C's `bool`, and ours
        // lives longer than the engine. The shim never returns null.
        let handle = unsafe { whet_new(stop.flag().as_ptr(), normalise.into()) };
        Engine {
            handle: NonNull::new(handle).expect("the shim never returns null"),
            variables: FxHashMap::default(),
            _stop: stop.clone(),
        }
    }

    /// The result, and how often the solver looked at the fuel.
    pub(crate) fn check(&mut self, assumptions: &[Raw], fuel: u64) -> (Result, u64) {
        let mut polls = 0;
        // SAFETY: the terms are this engine's; Bitwuzla does not write to the array.
        let result = unsafe {
            whet_check(self.handle.as_ptr(), assumptions.len(), assumptions.as_ptr(), fuel, &mut polls)
        };
        let result = match result {
            0 => Result::Unknown,
            1 => Result::Sat,
            2 => Result::Unsat,
            3 => self.reject(),
            other => unreachable!("the shim has four results, not {other}"),
        };
        (result, polls)
    }

    fn term(&self, term: *mut c_void) -> Raw {
        NonNull::new(term).map(Raw).unwrap_or_else(|| self.reject())
    }

    fn reject(&self) -> ! {
        // SAFETY: the text lives until the next call, and ends with a zero.
        let why = unsafe { CStr::from_ptr(whet_rejection(self.handle.as_ptr())) };
        panic!("Bitwuzla rejects a call: {}", why.to_string_lossy().trim_end());
    }

    /// The value in the model; call it after `Sat` only. None for a variable that was never built.
    pub(crate) fn value(&mut self, variable: Variable) -> Option<Word> {
        let &(term, width) = self.variables.get(&variable)?;
        let mut halves = [0u64; 2];
        // SAFETY: the term is this engine's, and there is room for two halves.
        if unsafe { whet_value(self.handle.as_ptr(), term, &mut halves) } == 0 {
            self.reject();
        }
        Some(Word::new(width, (halves[1] as u128) << 64 | halves[0] as u128))
    }
}

impl Builder for Engine {
    type Term = Raw;

    fn constant(&mut self, word: Word) -> Raw {
        let (low, high) = (word.bits() as u64, (word.bits() >> 64) as u64);
        // SAFETY: a word fits its width, which is at least 1.
        self.term(unsafe { whet_constant(self.handle.as_ptr(), word.width(), low, high) })
    }

    fn truth(&mut self, value: bool) -> Raw {
        // SAFETY: no precondition.
        self.term(unsafe { whet_truth(self.handle.as_ptr(), value as u32) })
    }

    fn variable(&mut self, variable: Variable, name: &str, width: u32) -> Raw {
        let text = CString::new(name).unwrap_or_default();
        let sort = if width == 1 { 0 } else { width };
        // SAFETY: the name is a C string for the time of the call.
        let term = self.term(unsafe { whet_variable(self.handle.as_ptr(), text.as_ptr(), sort) });
        self.variables.insert(variable, (term, width));
        term
    }

    fn rounding(&mut self, mode: &str) -> Raw {
        // SAFETY: pointer and length belong together.
        self.term(unsafe { whet_rounding(self.handle.as_ptr(), mode.as_ptr().cast(), mode.len()) })
    }

    fn unknown(&mut self, term: Term, width: u32) -> Raw {
        let name = CString::new(format!("t{}", term.index())).expect("there is no zero in it");
        // SAFETY: the name is a C string for the time of the call.
        self.term(unsafe { whet_variable(self.handle.as_ptr(), name.as_ptr(), width) })
    }

    fn assert(&mut self, fact: Raw) {
        // SAFETY: the term is this engine's, see the head of this file.
        if unsafe { whet_assert(self.handle.as_ptr(), fact) } == 0 {
            self.reject();
        }
    }

    fn apply(&mut self, smt_name: &str, indices: &[u32], arguments: &[Raw]) -> Raw {
        assert!(indices.len() <= 2, "no operator of bit-vectors and floats has more than two indices");
        // SAFETY: pointers and lengths belong together, and the terms are this engine's.
        self.term(unsafe {
            whet_apply(
                self.handle.as_ptr(),
                smt_name.as_ptr().cast(),
                smt_name.len(),
                indices.len(),
                indices.as_ptr(),
                arguments.len(),
                arguments.as_ptr(),
            )
        })
    }

    fn knows_overflow(&self) -> bool {
        true
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // SAFETY: nobody else has the handle, and all terms go with the engine.
        unsafe { whet_delete(self.handle.as_ptr()) }
    }
}

// The other side is src/shim.cpp.
unsafe extern "C" {
    fn whet_new(stop: *const bool, normalise: u32) -> *mut c_void;
    fn whet_delete(engine: *mut c_void);
    fn whet_rejection(engine: *mut c_void) -> *const c_char;
    fn whet_truth(engine: *mut c_void, value: u32) -> *mut c_void;
    fn whet_constant(engine: *mut c_void, width: u32, low: u64, high: u64) -> *mut c_void;
    fn whet_variable(engine: *mut c_void, name: *const c_char, width: u32) -> *mut c_void;
    fn whet_rounding(engine: *mut c_void, name: *const c_char, length: usize) -> *mut c_void;
    fn whet_apply(
        engine: *mut c_void,
        name: *const c_char,
        length: usize,
        indices_count: usize,
        indices: *const u32,
        count: usize,
        arguments: *const Raw,
    ) -> *mut c_void;
    fn whet_assert(engine: *mut c_void, term: Raw) -> i32;
    fn whet_check(
        engine: *mut c_void,
        count: usize,
        assumptions: *const Raw,
        fuel: u64,
        polls: *mut u64,
    ) -> i32;
    fn whet_value(engine: *mut c_void, term: Raw, halves: *mut [u64; 2]) -> i32;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rejected_call_is_a_panic_that_can_be_caught() {
        let mut engine = Engine::new(&Stop::default(), true);
        let [byte, short] = [8, 16].map(|width| engine.constant(Word::new(width, 1)));
        let sum = std::panic::AssertUnwindSafe(|| engine.apply("bvadd", &[], &[byte, short]));
        let panic = std::panic::catch_unwind(sum).err().expect("the widths do not fit");
        let message = panic.downcast_ref::<String>().expect("it has a message");
        assert!(message.starts_with("Bitwuzla rejects a call: "), "{message}");
    }
}
