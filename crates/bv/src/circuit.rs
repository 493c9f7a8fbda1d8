//! How large terms are for a solver that makes circuits of them.

use crate::{Domain, Node, Op, Term, Terms};

impl Terms {
    /// About how many gates a circuit has that computes these terms. A million of them keep a solver busy
    /// for seconds before it begins to search.
    pub fn gates(&self, roots: &[Term]) -> u64 {
        self.cone(roots).iter().map(|term| self.own_gates(*term)).sum()
    }

    /// About how many gates a term adds to a circuit that has its arguments. Measured for words of 32 and 64
    /// bits, by the growth of Bitwuzla.
    pub fn own_gates(&self, term: Term) -> u64 {
        let Node::Apply(op, arguments) = self.node(term) else { return 0 };
        let width = arguments.iter().map(|argument| u64::from(self.width(argument))).max().unwrap_or(0);
        let is_known = arguments.iter().any(|argument| self.known(argument).is_some());
        match op {
            // Wires.
            Op::Not | Op::Zext(_) | Op::Sext(_) | Op::Extract { .. } | Op::Concat => 0,
            Op::Udiv | Op::Urem | Op::Sdiv | Op::Srem => 12 * width * width,
            Op::Mul | Op::SmulO | Op::UmulO if is_known => 3 * width * width,
            Op::Mul | Op::SmulO | Op::UmulO | Op::FMul | Op::FDiv | Op::FSqrt => 8 * width * width,
            Op::Add | Op::Sub | Op::Neg | Op::SaddO | Op::UaddO | Op::SsubO | Op::UsubO => 10 * width,
            Op::Shl | Op::Lshr | Op::Ashr if self.known(&arguments[1]).is_some() => 0,
            Op::Shl | Op::Lshr | Op::Ashr => 3 * width * u64::from(width.ilog2() + 1),
            // Two numbers are shifted to a common exponent, and the result is rounded.
            Op::FAdd | Op::FSub => 150 * width,
            // One number is shifted and rounded.
            Op::FFloor | Op::FCeil | Op::FTrunc | Op::FRint | Op::FRoundAway => 90 * width,
            Op::FromSigned(to) | Op::FromUnsigned(to) => 90 * width.max(u64::from(*to)),
            Op::ToSigned(to) | Op::ToUnsigned(to) | Op::FResize(to) => 90 * width.max(u64::from(*to)),
            _ => 3 * width,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Domain, Op, Terms, Word};

    #[test]
    fn division_is_larger_than_multiplication_and_that_than_addition() {
        let mut terms = Terms::new();
        let (a, b) = (terms.variable("a", 32), terms.variable("b", 32));
        let ten = terms.constant(Word::new(32, 10));
        let of = |terms: &mut Terms, op, other| {
            let term = terms.apply(op, &[a, other]);
            terms.gates(&[term])
        };
        let quotient = of(&mut terms, Op::Udiv, b);
        let product = of(&mut terms, Op::Mul, b);
        let multiple = of(&mut terms, Op::Mul, ten);
        let sum = of(&mut terms, Op::Add, b);
        assert!(quotient > product && product > multiple && multiple > sum && sum > 0);
    }

    #[test]
    fn what_is_shared_counts_once() {
        let mut terms = Terms::new();
        let (a, b) = (terms.variable("a", 32), terms.variable("b", 32));
        let quotient = terms.apply(Op::Udiv, &[a, b]);
        let sum = terms.add(quotient, a);
        let difference = terms.sub(quotient, a);
        assert!(terms.gates(&[sum, difference]) < 2 * terms.gates(&[quotient]));
    }
}
