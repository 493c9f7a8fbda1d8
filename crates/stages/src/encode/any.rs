//! All mutants in one encoding: their number is a term, as it is a variable of the meta-mutant.
//!
//! A solver that may choose the number finds some mutant that some input kills. It is then told to find
//! another one, until there is none. We ask about each mutant by itself, which is faster by far. This is here
//! to be measured against.
//!
//! After SymBMC (Riener, Bloem, Fey, 2011).

use bv::{Term, Terms, Word};
use ir::step::{self, Faults, Value};
use ir::{Arm, Mutant, Site};

use super::{Bounds, Chosen, Encoder, Encoding, Names, Plan, Request};
use crate::memory::choose;
use crate::skeleton::Skeleton;

impl Plan<'_> {
    /// Encodes a subject under the mutant whose number a term of 32 bits is. A number that no mutant has
    /// means the original, but what that breaks counts as if a mutant broke it.
    pub fn encode_any(
        &self,
        terms: &mut Terms,
        names: &mut Names,
        inputs: &Skeleton,
        number: Term,
        bounds: Bounds,
    ) -> Encoding {
        let mut encoder = self.encoder(terms, names, Request { inputs, mutant: Mutant::ORIGINAL, bounds });
        encoder.chosen = Chosen::Any(number);
        encoder.whole()
    }
}

impl Encoder<'_> {
    /// What a site gives under the mutant with this number.
    pub(super) fn any_arm(
        &mut self,
        site: &Site,
        number: Term,
        arguments: &[Value<Term>],
        faults: &mut Faults<Term>,
    ) -> Value<Term> {
        let mut guards = Vec::new();
        for (mutant, _) in &site.variants {
            guards.push(self.terms.equal(number, Word::new(32, mutant.0.into())));
        }
        let any = self.terms.any(guards.iter().copied());
        let none = self.terms.not(any);
        let mut value = self.guarded_arm(&site.original, none, arguments, faults);
        for ((_, arm), guard) in site.variants.iter().zip(guards) {
            let variant = self.guarded_arm(arm, guard, arguments, faults);
            value = choose(self.terms, guard, variant, value);
        }
        value
    }

    /// What an arm gives. Its faults happen where the guard holds.
    fn guarded_arm(
        &mut self,
        arm: &Arm,
        guard: Term,
        arguments: &[Value<Term>],
        faults: &mut Faults<Term>,
    ) -> Value<Term> {
        let mut own = Faults::new();
        let value = step::arm(self.terms, arm, arguments.len(), |_, at| arguments[at], &mut own);
        for (fault, happens) in own {
            faults.push((fault, self.terms.and(guard, happens)));
        }
        value
    }
}
