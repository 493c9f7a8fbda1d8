//! Ranges: between which numbers terms lie, and what must hold of inputs where a formula is true.
//!
//! The range of a term follows from the ranges of its arguments (see `rewrite::bound`). The other way round,
//! a comparison that holds narrows what it compares, then what that is computed from, down to the inputs. A
//! disjunction tells what all its cases agree on. One pass upwards does both, because what a truth value
//! says of inputs depends only on what lies below it.
//!
//! After interval constraint propagation (HC4; Benhamou, Goualard, Granvilliers and Puget, 1999), for words.

use std::collections::BTreeMap;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::rewrite::bound::range_from;
use crate::{Domain, Node, Op, Term, Terms, Word};

/// So many choices are looked through on the way from a comparison to inputs.
const DEPTH: u32 = 4;

/// Between which numbers a word lies, in both readings. Neither is empty.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Range {
    pub(crate) signed: (i128, i128),
    pub(crate) unsigned: (u128, u128),
}

impl Range {
    pub(crate) fn whole(width: u32) -> Range {
        Range {
            signed: (Word::signed_min(width).signed(), Word::signed_max(width).signed()),
            unsigned: (0, Word::ones(width).bits()),
        }
    }

    /// None if there is no such word.
    pub(crate) fn meet(self, other: Range, width: u32) -> Option<Range> {
        let mut signed = (self.signed.0.max(other.signed.0), self.signed.1.min(other.signed.1));
        let mut unsigned = (self.unsigned.0.max(other.unsigned.0), self.unsigned.1.min(other.unsigned.1));
        // Where the sign is known, the two readings tell each other.
        let bits = |number: i128| Word::from_signed(width, number).bits();
        let number = |bits: u128| Word::new(width, bits).signed();
        if signed.0 >= 0 || signed.1 < 0 {
            unsigned = (unsigned.0.max(bits(signed.0)), unsigned.1.min(bits(signed.1)));
        }
        let half = Word::signed_min(width).bits();
        if unsigned.1 < half || unsigned.0 >= half {
            signed = (signed.0.max(number(unsigned.0)), signed.1.min(number(unsigned.1)));
        }
        (signed.0 <= signed.1 && unsigned.0 <= unsigned.1).then_some(Range { signed, unsigned })
    }

    pub(crate) fn hull(self, other: Range) -> Range {
        Range {
            signed: (self.signed.0.min(other.signed.0), self.signed.1.max(other.signed.1)),
            unsigned: (self.unsigned.0.min(other.unsigned.0), self.unsigned.1.max(other.unsigned.1)),
        }
    }
}

/// What holds of inputs; None: this cannot be true.
pub(crate) type Facts = Option<Rc<BTreeMap<Term, Range>>>;

/// The ranges of all terms of a cone.
pub(crate) struct Ranges<'a> {
    terms: &'a Terms,
    pub(crate) ranges: FxHashMap<Term, Range>,
    /// Of each truth value: what holds of inputs where it is false, and where it is true.
    facts: FxHashMap<Term, [Facts; 2]>,
    nothing: Rc<BTreeMap<Term, Range>>,
}

impl<'a> Ranges<'a> {
    pub(crate) fn new(terms: &'a Terms, cone: &[Term], inputs: &BTreeMap<Term, Range>) -> Ranges<'a> {
        let (ranges, facts) = (FxHashMap::default(), FxHashMap::default());
        let mut all = Ranges { terms, ranges, facts, nothing: Rc::new(BTreeMap::new()) };
        for term in cone {
            let range = match inputs.get(term) {
                Some(range) => *range,
                None => all.range(*term),
            };
            all.ranges.insert(*term, range);
            if terms.width(term) == 1 {
                let facts = [false, true].map(|value| all.facts_where(*term, value));
                all.facts.insert(*term, facts);
            }
        }
        all
    }

    /// What holds of inputs where the root is true, and what was known of them before.
    pub(crate) fn inputs(&self, root: Term, known: &BTreeMap<Term, Range>) -> Facts {
        self.both(self.facts[&root][1].clone(), Some(Rc::new(known.clone())))
    }

    fn range(&self, term: Term) -> Range {
        let node = self.terms.node(term);
        range_from(self.terms, node, self.terms.width(&term), |argument| self.ranges[&argument])
    }

    fn facts_where(&self, term: Term, value: bool) -> Facts {
        let Node::Apply(op, arguments) = self.terms.node(term) else {
            let known = self.terms.known(&term);
            return known.is_none_or(|word| word.is_true() == value).then(|| self.nothing.clone());
        };
        let of = |at: usize, value: bool| self.facts[&arguments[at]][usize::from(value)].clone();
        let is_truth = self.terms.width(&arguments[0]) == 1;
        match op {
            Op::Not => of(0, !value),
            Op::And if value => self.both(of(0, true), of(1, true)),
            Op::And => self.either(of(0, false), of(1, false)),
            Op::Or if value => self.either(of(0, true), of(1, true)),
            Op::Or => self.both(of(0, false), of(1, false)),
            Op::Eq | Op::Ne | Op::Xor if is_truth => {
                let same = (*op == Op::Eq) == value;
                let one = self.both(of(0, true), of(1, same));
                self.either(one, self.both(of(0, false), of(1, !same)))
            }
            Op::Ite => {
                let yes = self.both(of(0, true), of(1, value));
                self.either(yes, self.both(of(0, false), of(2, value)))
            }
            op if op.compares() && !op.takes_floats() => {
                self.compared(*op, arguments[0], arguments[1], value)
            }
            _ => Some(self.nothing.clone()),
        }
    }

    /// What a comparison tells of what it compares.
    fn compared(&self, op: Op, a: Term, b: Term, value: bool) -> Facts {
        match (op, value) {
            (Op::Eq, true) | (Op::Ne, false) => {
                self.both(self.within(a, self.ranges[&b], DEPTH), self.within(b, self.ranges[&a], DEPTH))
            }
            (Op::Ult, true) | (Op::Uge, false) => self.ordered(a, b, false, true),
            (Op::Ule, true) | (Op::Ugt, false) => self.ordered(a, b, false, false),
            (Op::Ugt, true) | (Op::Ule, false) => self.ordered(b, a, false, true),
            (Op::Uge, true) | (Op::Ult, false) => self.ordered(b, a, false, false),
            (Op::Slt, true) | (Op::Sge, false) => self.ordered(a, b, true, true),
            (Op::Sle, true) | (Op::Sgt, false) => self.ordered(a, b, true, false),
            (Op::Sgt, true) | (Op::Sle, false) => self.ordered(b, a, true, true),
            (Op::Sge, true) | (Op::Slt, false) => self.ordered(b, a, true, false),
            _ => Some(self.nothing.clone()),
        }
    }

    /// The first is not above the second, or below it.
    fn ordered(&self, a: Term, b: Term, signed: bool, strict: bool) -> Facts {
        let whole = Range::whole(self.terms.width(&a));
        let (mut below, mut above) = (whole, whole);
        let (less, greater) = (self.ranges[&a], self.ranges[&b]);
        if signed {
            below.signed.1 = greater.signed.1.checked_sub(i128::from(strict))?;
            above.signed.0 = less.signed.0.checked_add(i128::from(strict))?;
        } else {
            below.unsigned.1 = greater.unsigned.1.checked_sub(u128::from(strict))?;
            above.unsigned.0 = less.unsigned.0.checked_add(u128::from(strict))?;
        }
        self.both(self.within(a, below, DEPTH), self.within(b, above, DEPTH))
    }

    /// What holds of inputs where a term is in a range.
    fn within(&self, mut term: Term, mut range: Range, depth: u32) -> Facts {
        loop {
            let own = self.ranges[&term];
            range = own.meet(range, self.terms.width(&term))?;
            if range == own {
                return Some(self.nothing.clone());
            }
            match self.terms.node(term) {
                Node::Variable(_) => return Some(Rc::new(BTreeMap::from([(term, range)]))),
                Node::Apply(Op::Ite, arguments) if depth > 0 => {
                    let [no, yes] = self.facts[&arguments[0]].clone();
                    let yes = self.both(yes, self.within(arguments[1], range, depth - 1));
                    return self.either(yes, self.both(no, self.within(arguments[2], range, depth - 1)));
                }
                Node::Apply(op, arguments) => match self.computed_from(*op, arguments, range) {
                    Some(before) => (term, range) = (arguments[0], before),
                    None => return Some(self.nothing.clone()),
                },
                Node::Constant(_) => return Some(self.nothing.clone()),
            }
        }
    }

    /// Where the first argument of an operation lies whose result is in a range. None if that is not known.
    fn computed_from(&self, op: Op, arguments: &[Term], range: Range) -> Option<Range> {
        let width = self.terms.width(&arguments[0]);
        let whole = Range::whole(width);
        let first = self.ranges[&arguments[0]];
        let constant = || self.terms.known(&arguments[1]);
        match op {
            Op::Sext(_) => Some(Range { signed: range.signed, ..whole }),
            Op::Zext(_) => Some(Range { unsigned: range.unsigned, ..whole }),
            Op::Add => {
                let by = constant()?.signed();
                let (least, most) = (first.signed.0.checked_add(by)?, first.signed.1.checked_add(by)?);
                let is_exact = least >= whole.signed.0 && most <= whole.signed.1;
                let before = (range.signed.0.checked_sub(by)?, range.signed.1.checked_sub(by)?);
                is_exact.then_some(Range { signed: before, ..whole })
            }
            Op::Sdiv => {
                let divisor = Some(constant()?.signed()).filter(|divisor| *divisor > 0)?;
                let least = range.signed.0.checked_mul(divisor)?.checked_sub(divisor - 1)?;
                let most = range.signed.1.checked_mul(divisor)?.checked_add(divisor - 1)?;
                Some(Range { signed: (least, most), ..whole })
            }
            Op::Udiv | Op::Lshr => {
                let number = constant()?.bits();
                let divisor =
                    if op == Op::Udiv { number } else { 1u128.checked_shl(number.try_into().ok()?)? };
                let least = range.unsigned.0.checked_mul(divisor)?;
                let most = range.unsigned.1.checked_mul(divisor)?.checked_add(divisor.checked_sub(1)?)?;
                (number < width.into() || op == Op::Udiv)
                    .then_some(Range { unsigned: (least, most), ..whole })
            }
            _ => None,
        }
    }

    fn both(&self, one: Facts, other: Facts) -> Facts {
        let (one, other) = (one?, other?);
        let (few, mut many) = if one.len() < other.len() { (one, other) } else { (other, one) };
        for (input, range) in few.iter() {
            let range = match many.get(input) {
                Some(known) => known.meet(*range, self.terms.width(input))?,
                None => *range,
            };
            Rc::make_mut(&mut many).insert(*input, range);
        }
        Some(many)
    }

    fn either(&self, one: Facts, other: Facts) -> Facts {
        let (Some(one), Some(other)) = (&one, &other) else { return one.or(other) };
        let in_both = one.iter().filter_map(|(input, range)| Some((*input, range.hull(*other.get(input)?))));
        let in_both: BTreeMap<Term, Range> = in_both.collect();
        Some(if in_both.is_empty() { self.nothing.clone() } else { Rc::new(in_both) })
    }
}
