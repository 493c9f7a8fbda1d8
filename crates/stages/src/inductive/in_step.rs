//! Original and mutant in step: they come to the same heads in the same states.
//!
//! Here `R(s, t)` of `inductive.rs` says: `s` and `t` are at the same head, with the same memory, and the
//! same values in all live registers but some, `free`. A register of the mutant that is free may hold any
//! number. At first no register is free. If a model shows registers that differ at a head, these become free,
//! and the proof starts anew. Only numbers can become free: a pointer has to lead somewhere.
//!
//! The two need not keep the same pace. One of them may be a round ahead at the entry, and one may need a
//! round more in the end ([`Pace`]). Then the step is from `s` to the next head but one, or to the end.

use std::collections::{BTreeMap, BTreeSet};

use bv::Term;
use bv::formula::{not, or};
use ir::step::Value;
use ir::{BlockId, Mutant, Register};

use super::induction::{ATTEMPTS, Induction, Lead, Proved};
use super::query::Checked;
use super::words;
use crate::encode::{Segment, Stop};
use crate::memory::differs;

/// How the two go along with each other.
#[derive(Clone, Copy)]
pub(super) struct Pace {
    /// Which of them is a round ahead when they first meet.
    entry: Lead,
    /// Whether one may need a round more than the other in the end.
    rest: bool,
}

impl Pace {
    pub(super) const EVEN: Pace = Pace { entry: Lead::None, rest: false };
    const ALL: [Pace; 4] = [
        Pace::EVEN,
        Pace { entry: Lead::None, rest: true },
        Pace { entry: Lead::Original, rest: true },
        Pace { entry: Lead::Mutant, rest: true },
    ];
}

/// By head, the registers that may differ.
type Free = BTreeMap<BlockId, BTreeSet<Register>>;

/// One segment of both.
struct Step {
    /// The original can be where it begins, and breaks no rule.
    clean: Term,
    /// The two neither end alike nor meet again.
    bad: Term,
    /// What differs where they meet.
    apart: Vec<Apart>,
}

/// A register at a head that both come to.
struct Apart {
    head: BlockId,
    register: Register,
    /// They come there, and it differs.
    differs: Term,
}

/// How the two come to a head.
struct Met {
    /// They come to the same one, with the same memory.
    met: Term,
    /// And a free register was never assigned.
    undefined: Term,
    apart: Vec<Apart>,
}

impl<'a> Induction<'a> {
    /// Whether the mutant does what the original does, at some pace.
    pub(super) fn in_step(&mut self, mutant: Mutant) -> Option<Proved> {
        // Most equivalent mutants are so in any state, and invariants cost more than all the rest.
        let found = if self.is_searched { None } else { self.at_pace(mutant, Pace::EVEN) };
        if found.is_some() {
            return found;
        }
        self.find_invariants();
        Pace::ALL.into_iter().find_map(|pace| self.at_pace(mutant, pace))
    }

    /// Whether the mutant does what the original does, if the two keep this pace.
    pub(super) fn at_pace(&mut self, mutant: Mutant, pace: Pace) -> Option<Proved> {
        let mut free = Free::new();
        'anew: for _ in 0..ATTEMPTS {
            let mut refuted = Vec::new();
            for start in self.starts() {
                let Step { clean, bad, apart } = self.step(mutant, start, &free, pace);
                let differ = apart.iter().map(|apart| apart.differs);
                let any = self.terms.any(differ.chain([bad]));
                let query = self.terms.and(clean, any);
                let model = match self.check(query) {
                    Checked::Never => {
                        refuted.push(query);
                        continue;
                    }
                    Checked::Under(model) => model,
                    Checked::TooHard => return None,
                };
                if self.terms.eval(bad, &model).is_true() {
                    return None;
                }
                for Apart { head, register, differs } in apart {
                    if self.terms.eval(differs, &model).is_true() {
                        if !self.heads[&head].shape.is_number(register) {
                            return None;
                        }
                        free.entry(head).or_default().insert(register);
                    }
                }
                continue 'anew;
            }
            return Some(Proved { refuted, relation: self.same_variables(&free) });
        }
        None
    }

    /// What is the same at the heads, in the user's words.
    fn same_variables(&self, free: &Free) -> String {
        let subject = self.task.subject;
        let mut names: Vec<String> = Vec::new();
        for block in self.heads.keys() {
            for register in self.plan.live(subject, *block) {
                let is_free = free.get(block).is_some_and(|free| free.contains(&register));
                let name = words::name(self.task.program.function(subject), register);
                if let Some(name) = name.filter(|_| !is_free) {
                    names.push(format!("{name} == {name}'"));
                }
            }
        }
        words::listed(names)
    }

    /// One segment of both, from related states.
    fn step(&mut self, mutant: Mutant, start: Option<BlockId>, free: &Free, pace: Pace) -> Step {
        let any = start.map(|block| (block, self.heads[&block].any.clone()));
        let own = any.clone().map(|(block, any)| (block, self.freed(any, free.get(&block))));
        let follow = |induction: &mut Induction<'a>, mutant, further, any: &Option<(BlockId, Stop)>| {
            let any = any.as_ref().map(|(block, any)| (*block, any));
            induction.segment(induction.task.subject, mutant, any, further)
        };
        let (near, theirs) = (follow(self, Mutant::ORIGINAL, false, &any), follow(self, mutant, false, &own));
        let clean = self.clean(start);
        if !pace.rest {
            let Met { met, undefined, apart } = self.meet(&near, &theirs, free);
            let end = self.ends(&near, &theirs);
            let met_well = self.well(met, &near, &theirs);
            let neither = not(or(end, met_well));
            return Step { clean, bad: self.terms.or(neither, undefined), apart };
        }
        let (far, further) = (follow(self, Mutant::ORIGINAL, true, &any), follow(self, mutant, true, &own));
        // A valid input breaks no rule later on either.
        let clean = self.terms.and(clean, not(far.encoding.fault));
        let lead = if start.is_none() { pace.entry } else { Lead::None };
        let (ours, others) = match lead {
            Lead::None => (&near, &theirs),
            Lead::Original => (&far, &theirs),
            Lead::Mutant => (&near, &further),
        };
        let Met { met, undefined, apart } = self.meet(ours, others, free);
        // Where one has returned, the other may need a round more.
        let ended = [self.ends(&near, &further), self.ends(&far, &theirs), self.ends(&far, &further)];
        let end = self.terms.any(ended);
        let met_well = self.well(met, ours, others);
        let neither = self.terms.not(or(end, met_well));
        // A difference counts only where the two meet, and not where they end.
        let goes_on = self.terms.not(end);
        let undefined = self.terms.and(undefined, goes_on);
        let counted = |apart: Apart| Apart { differs: self.terms.and(apart.differs, goes_on), ..apart };
        let apart = apart.into_iter().map(counted).collect();
        Step { clean, bad: self.terms.or(neither, undefined), apart }
    }

    /// The state of a mutant in which some registers are its own.
    fn freed(&mut self, mut any: Stop, free: Option<&BTreeSet<Register>>) -> Stop {
        for register in free.into_iter().flatten() {
            let width = self.task.program.function(self.task.subject).registers[register.0 as usize];
            let own = self.terms.variable(&format!("own {}", register.0), width);
            any.values[register.0 as usize] = Some(Value::of(own));
        }
        any
    }

    /// Where both come to the same head, with the same memory.
    fn meet(&mut self, original: &Segment, mutant: &Segment, free: &Free) -> Met {
        let (mut met, mut undefined, mut apart) = (Vec::new(), Vec::new(), Vec::new());
        for (head, ours) in &original.stops {
            let Some(theirs) = mutant.stops.get(head) else { continue };
            let both = self.terms.and(ours.guard, theirs.guard);
            let memory = ours.state.memory.differs(&mut self.terms, &theirs.state.memory);
            met.push(self.terms.and(both, not(memory)));
            for register in self.plan.live(self.task.subject, *head) {
                let at = register.0 as usize;
                let (Some(our_value), Some(value)) = (ours.values[at], theirs.values[at]) else { continue };
                if free.get(head).is_some_and(|free| free.contains(&register)) {
                    // It may be any number, but has to be one.
                    undefined.extend(value.undefined.map(|_| both));
                    continue;
                }
                let differs = differs(&mut self.terms, our_value, value);
                let differs = self.terms.and(both, differs);
                if !self.terms.is_never(differs) {
                    apart.push(Apart { head: *head, register, differs });
                }
            }
        }
        Met { met: self.terms.any(met), undefined: self.terms.any(undefined), apart }
    }
}
