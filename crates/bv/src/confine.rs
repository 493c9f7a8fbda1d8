//! Confining: the same formula over fewer bits, where only small inputs make it true.
//!
//! A solver takes words apart into bits. It does not see that a sum of ten digits' cubes is at most
//! 7,290, and that a number equal to the sum is, too. Such a number has 13 bits and not 32, and the query
//! becomes easy.
//!
//! `range` finds what must hold of the inputs wherever the formula is true. Narrower inputs give narrower
//! ranges the next time. In the end each term is computed on no more bits than its range needs.
//!
//! Always: the formula is `root or outside`, and `outside` is unsatisfiable if `range` is right. A proof
//! that refutes `root` puts `outside` to another solver as well.

use std::collections::BTreeMap;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::formula::{equal, not};
use crate::range::{Range, Ranges};
use crate::{Domain, Node, Op, Term, Terms};

/// The same formula with narrower inputs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Confined {
    /// True for the same inputs.
    pub root: Term,
    /// The formula holds for an input that is not narrow. Never true.
    pub outside: Term,
}

/// How often ranges are computed anew. The second time finds most of what there is.
const ROUNDS: usize = 4;

/// A word is narrowed if that saves so many bits.
const WORTHWHILE: u32 = 4;

impl Terms {
    /// The same formula over fewer bits, if it is true for narrow inputs only.
    pub fn confine(&mut self, root: Term) -> Option<Confined> {
        let cone = self.cone(&[root]);
        let mut inputs = BTreeMap::new();
        for _ in 0..ROUNDS {
            let Some(facts) = Ranges::new(self, &cone, &inputs).inputs(root, &inputs) else {
                return Some(Confined { root: self.truth(false), outside: root });
            };
            if *facts == inputs {
                break;
            }
            inputs = Rc::unwrap_or_clone(facts);
        }
        let few = |(input, range): (&Term, &Range)| Some((*input, Few::of(*range, self.width(input))?));
        let few: Vec<(Term, Few)> = inputs.iter().filter_map(few).collect();
        if few.is_empty() {
            return None;
        }
        // From here on, an input is any word that its low bits can be.
        let inputs = few.iter().map(|(input, few)| (*input, few.range(self.width(input)))).collect();
        let ranges = Ranges::new(self, &cone, &inputs).ranges;
        let mut is_inside = self.truth(true);
        for (input, few) in few {
            let low = self.low_bits(input, few);
            is_inside = self.and(is_inside, equal(input, low));
        }
        let outside = self.and(root, not(is_inside));
        let inside = self.narrowed(root, &cone, &ranges);
        Some(Confined { root: self.and(inside, is_inside), outside })
    }

    /// The root of a cone, computed on as few bits as the ranges of its terms have.
    fn narrowed(&mut self, root: Term, cone: &[Term], ranges: &FxHashMap<Term, Range>) -> Term {
        let mut narrow: FxHashMap<Term, Term> = FxHashMap::default();
        for term in cone {
            let width = self.width(term);
            let new = match *self.node(*term) {
                Node::Constant(_) => *term,
                Node::Variable(_) => {
                    Few::of(ranges[term], width).map_or(*term, |few| self.low_bits(*term, few))
                }
                Node::Apply(op, arguments) => {
                    let given: Vec<Term> = arguments.iter().map(|argument| narrow[argument]).collect();
                    match self.sufficient(*term, op, &arguments, ranges) {
                        Some(few) => {
                            let low = given.iter().map(|argument| self.extract(*argument, few.bits - 1, 0));
                            let low: Vec<Term> = low.collect();
                            let result = self.apply(op, &low);
                            self.apply(few.extension(width), &[result])
                        }
                        None => self.apply(op, &given),
                    }
                }
            };
            narrow.insert(*term, new);
        }
        narrow[&root]
    }

    /// The low bits on which an operation can be computed, if there are much fewer than it has.
    fn sufficient(
        &self,
        term: Term,
        op: Op,
        arguments: &[Term],
        ranges: &FxHashMap<Term, Range>,
    ) -> Option<Few> {
        let width = self.width(&term);
        match op {
            // A solver computes bitwise operations for nothing, so that narrowing gains nothing.
            _ if op.is_bitwise() => None,
            _ if op.is_local() => Few::of(ranges[&term], width),
            // A quotient is the same on fewer bits if the arguments fit these as well.
            Op::Sdiv | Op::Srem | Op::Udiv | Op::Urem => {
                let of = arguments.iter().map(|argument| ranges[argument]);
                let all = of.fold(ranges[&term], Range::hull);
                let signed = matches!(op, Op::Sdiv | Op::Srem);
                Few::of(all, width).filter(|few| few.signed == signed)
            }
            _ => None,
        }
    }

    /// A word by its low bits.
    fn low_bits(&mut self, word: Term, few: Few) -> Term {
        let width = self.width(&word);
        let low = self.extract(word, few.bits - 1, 0);
        self.apply(few.extension(width), &[low])
    }
}

/// A word is determined by so many low bits: the rest are zeros, or copies of the sign.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Few {
    bits: u32,
    signed: bool,
}

impl Few {
    /// The low bits that determine a word of this range, if there are much fewer than it has.
    fn of(range: Range, width: u32) -> Option<Few> {
        let bits = |most: u128| u128::BITS - most.leading_zeros();
        // From -8 to 7 the same three bits vary; one more has the sign.
        let vary = |number: i128| bits((if number < 0 { !number } else { number }) as u128);
        let signed = 1 + vary(range.signed.0).max(vary(range.signed.1));
        let unsigned = bits(range.unsigned.1).max(1);
        let few = Few { bits: signed.min(unsigned), signed: signed < unsigned };
        (few.bits + WORTHWHILE <= width).then_some(few)
    }

    /// All words that are determined by these bits.
    fn range(self, width: u32) -> Range {
        let whole = Range::whole(width);
        let own = Range::whole(self.bits);
        let part = match self.signed {
            true => Range { signed: own.signed, ..whole },
            false => Range { unsigned: own.unsigned, ..whole },
        };
        whole.meet(part, width).unwrap_or(whole)
    }

    fn extension(self, width: u32) -> Op {
        if self.signed { Op::Sext(width) } else { Op::Zext(width) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Word;

    /// How many bits of `x` are left in a formula about it.
    fn check(formula: impl Fn(&mut Terms, Term) -> Term, expect: Option<u32>) {
        let mut terms = Terms::new();
        let x = terms.variable("x", 32);
        let root = formula(&mut terms, x);
        let bits = terms.confine(root).map(|confined| {
            let cone = terms.cone(&[confined.root]);
            let extracts = cone.iter().filter_map(|term| match terms.node(*term) {
                Node::Apply(Op::Extract { hi, .. }, _) => Some(hi + 1),
                _ => None,
            });
            extracts.max().unwrap_or(0)
        });
        assert_eq!(bits, expect);
    }

    fn number(terms: &mut Terms, number: i128) -> Term {
        terms.constant(Word::from_signed(32, number))
    }

    /// A comparison of `x`, or of what is made of it by an operator and a number, with a number.
    fn compare(op: Op, made: Option<(Op, i128)>, with: i128) -> impl Fn(&mut Terms, Term) -> Term {
        move |terms, x| {
            let left = match made {
                Some((op, by)) => {
                    let by = number(terms, by);
                    terms.apply(op, &[x, by])
                }
                None => x,
            };
            let with = number(terms, with);
            terms.apply(op, &[left, with])
        }
    }

    #[test]
    fn comparisons_confine_what_they_compare() {
        check(compare(Op::Ult, None, 1024), Some(10));
        check(compare(Op::Ule, None, 1024), Some(11));
        check(compare(Op::Slt, None, 1024), None);
        check(compare(Op::Ugt, None, 1024), None);
        check(compare(Op::Ult, Some((Op::Udiv, 10)), 10), Some(7));
    }

    #[test]
    fn what_a_number_equals_confines_it() {
        // The cubes of three digits.
        let cubes = |terms: &mut Terms, x: Term| {
            let ten = number(terms, 10);
            let (mut rest, mut sum) = (x, number(terms, 0));
            for _ in 0..3 {
                let digit = terms.apply(Op::Srem, &[rest, ten]);
                let square = terms.mul(digit, digit);
                let cube = terms.mul(square, digit);
                sum = terms.add(sum, cube);
                rest = terms.apply(Op::Sdiv, &[rest, ten]);
            }
            terms.equal(sum, x)
        };
        check(cubes, Some(13));
        check(
            |terms, x| {
                let (equal, small) = (cubes(terms, x), compare(Op::Ult, None, 100)(terms, x));
                terms.or(equal, small)
            },
            Some(13),
        );
        check(
            |terms, x| {
                let (equal, odd) = (cubes(terms, x), terms.extract(x, 0, 0));
                terms.or(equal, odd)
            },
            None,
        );
    }

    #[test]
    fn what_cannot_be_is_false() {
        let contradiction = |terms: &mut Terms, x: Term| {
            let (small, large) =
                (compare(Op::Ult, Some((Op::Udiv, 10)), 10)(terms, x), compare(Op::Ugt, None, 99)(terms, x));
            terms.and(small, large)
        };
        check(contradiction, Some(0));
    }
}
