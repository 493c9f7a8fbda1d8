//! All mutants in one encoding: their number is a term, as it is a variable of the meta-mutant.
//!
//! A solver that may choose the number finds some mutant that some input kills; it is then told to find another one, until there is none. We
//! ask about each mutant by itself, which is faster by far; this is here to be measured against.
//!
//! After SymBMC (Riener, Bloem, Fey, 2011).

use bv::{Domain, Term, Terms, Word};
use ir::step::{self, Faults, Value};
use ir::{FunctionId, Site};

use super::{Bounds, Chosen, Encoder, Encoding, Numbers, Plan, memory};
use crate::skeleton::Skeleton;

impl Plan<'_> {
    /// Encodes a function under the mutant whose number a term of 32 bits is. A number that no mutant has means the original, but what it
    /// breaks counts as if a mutant did.
    pub fn encode_any(
        &self,
        terms: &mut Terms,
        numbers: &mut Numbers,
        subject: FunctionId,
        number: Term,
        inputs: &Skeleton,
        bounds: Bounds,
    ) -> Encoding {
        self.encode_chosen(terms, numbers, subject, Chosen::Any(number), inputs, bounds, None)
    }
}

impl Encoder<'_, '_, '_> {
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
            let own = self.terms.constant(Word::new(32, mutant.0.into()));
            guards.push(self.terms.equal(number, own));
        }
        let any = self.terms.any(guards.iter().copied());
        let none = self.terms.not(any);
        let mut value = self.guarded_arm(&site.original, none, arguments, faults);
        for ((_, arm), guard) in site.variants.iter().zip(guards) {
            let variant = self.guarded_arm(arm, guard, arguments, faults);
            value = memory::choose(self.terms, guard, variant, value);
        }
        value
    }

    /// What an arm gives. What it breaks, it breaks where the guard holds.
    fn guarded_arm(
        &mut self,
        arm: &ir::Arm,
        guard: Term,
        arguments: &[Value<Term>],
        faults: &mut Faults<Term>,
    ) -> Value<Term> {
        let mut own = Faults::new();
        let value = step::arm(self.terms, arm, arguments.iter().copied(), &mut own);
        for (fault, happens) in own {
            faults.push((fault, self.terms.and(guard, happens)));
        }
        value
    }
}
