//! Values: words with a mask of the bits that were never assigned. How they are chosen, cut, joined and
//! compared.

use bv::formula::ne;
use bv::{Domain, Node, Op, Term, Terms, Word};
use ir::step::{OBJECT, OFFSET, Value, trimmed};

use super::Object;

/// The object of a pointer.
pub(crate) fn object_of(terms: &mut Terms, pointer: Term) -> Term {
    terms.apply(OBJECT, &[pointer])
}

/// The offset of a pointer, and the low half of any other word.
pub(crate) fn offset_of(terms: &mut Terms, pointer: Term) -> Term {
    terms.apply(OFFSET, &[pointer])
}

/// The first value if the condition holds, else the second. Pointers stay in two halves, so that it is plain
/// to see which object they lead to.
pub(crate) fn choose(terms: &mut Terms, condition: Term, a: Value<Term>, b: Value<Term>) -> Value<Term> {
    if a == b {
        return a;
    }
    let word = if looks_like_pointer(terms, a.word) || looks_like_pointer(terms, b.word) {
        let [object, offset] = [OBJECT, OFFSET].map(|half| {
            let (a, b) = (terms.apply(half, &[a.word]), terms.apply(half, &[b.word]));
            terms.ite(condition, a, b)
        });
        terms.concat(object, offset)
    } else {
        terms.ite(condition, a.word, b.word)
    };
    if a.undefined.is_none() && b.undefined.is_none() {
        return Value::of(word);
    }
    let none = no_mask(terms, word);
    let (a, b) = (a.undefined.unwrap_or(none), b.undefined.unwrap_or(none));
    let undefined = Some(terms.ite(condition, a, b));
    trimmed(terms, Value { word, undefined })
}

/// Whether a word of 64 bits has a known number in its upper half, as pointers do, and something else below.
fn looks_like_pointer(terms: &Terms, word: Term) -> bool {
    match terms.node(word) {
        Node::Apply(Op::Concat, arguments)
            if terms.width(&word) == 64 && terms.width(&arguments[0]) == 32 =>
        {
            let mut top = arguments[0];
            while let Node::Apply(Op::Ite, arguments) = terms.node(top) {
                top = arguments[2];
            }
            terms.known(&top).is_some()
        }
        Node::Constant(constant) => {
            constant.width() == 64 && constant.bits() >> 32 != 0 && constant.bits() as u32 == 0
        }
        _ => false,
    }
}

/// Whether two values differ: in their words, or in which bits were assigned.
pub(crate) fn differs(terms: &mut Terms, one: Value<Term>, other: Value<Term>) -> Term {
    if terms.width(&one.word) != terms.width(&other.word) {
        return terms.truth(true);
    }
    let words = terms.ne(one.word, other.word);
    if one.undefined == other.undefined {
        return words;
    }
    let none = no_mask(terms, one.word);
    let (one, other) = (one.undefined.unwrap_or(none), other.undefined.unwrap_or(none));
    terms.or(words, ne(one, other))
}

/// Some bits of a value.
pub(super) fn slice(terms: &mut Terms, value: &Value<Term>, low: u32, bits: u32) -> Value<Term> {
    if low == 0 && bits == terms.width(&value.word) {
        return *value;
    }
    let high = low + bits - 1;
    let word = terms.extract(value.word, high, low);
    let undefined = value.undefined.map(|mask| terms.extract(mask, high, low));
    trimmed(terms, Value { word, undefined })
}

/// Values next to each other, the lowest first, as one.
pub(super) fn join(terms: &mut Terms, pieces: &[Value<Term>]) -> Value<Term> {
    let (mut joined, rest) = (pieces[0], &pieces[1..]);
    for piece in rest {
        let undefined = match (joined.undefined, piece.undefined) {
            (None, None) => None,
            (low, high) => {
                let low = low.unwrap_or_else(|| no_mask(terms, joined.word));
                let high = high.unwrap_or_else(|| no_mask(terms, piece.word));
                Some(terms.concat(high, low))
            }
        };
        joined = Value { word: terms.concat(piece.word, joined.word), undefined };
    }
    joined
}

/// The mask of a word that is assigned whole.
fn no_mask(terms: &mut Terms, word: Term) -> Term {
    let width = terms.width(&word);
    terms.constant(Word::zero(width))
}

/// Some bits of an object: a value as its type has it. They need not be whole bytes.
pub(crate) fn bits_of(terms: &mut Terms, object: &Object, offset: u64, width: u32) -> Value<Term> {
    let (first, low) = ((offset / 8) as u32, (offset % 8) as u32);
    let bytes = (low + width).div_ceil(8);
    let value = object.read(terms, first, bytes);
    slice(terms, &value, low, width)
}

/// Assigns some bits of an object. They need not be whole bytes.
pub(crate) fn put_bits(terms: &mut Terms, object: &mut Object, offset: u64, value: Value<Term>) {
    let width = terms.width(&value.word);
    let (first, low) = ((offset / 8) as u32, (offset % 8) as u32);
    let bytes = (low + width).div_ceil(8);
    if low == 0 && width == 8 * bytes {
        return object.write(terms, first, value);
    }
    let before = object.read(terms, first, bytes);
    let after = 8 * bytes - low - width;
    let mut pieces = vec![];
    if low > 0 {
        pieces.push(slice(terms, &before, 0, low));
    }
    pieces.push(value);
    if after > 0 {
        pieces.push(slice(terms, &before, low + width, after));
    }
    let whole = join(terms, &pieces);
    object.write(terms, first, whole);
}
