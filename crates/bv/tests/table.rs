//! The operator table against a second opinion, on all words of small widths.
//!
//! The reference is written over integers of unlimited size, as far as these widths can
//! tell: the exact result first, then its residue or whether it left the range.

use bv::op::PLAIN;
use bv::{Op, Word};

/// All pairs at these widths, and all at 8 bits: 33 operators times 65,536 pairs is half a second.
const WIDTHS: [u32; 6] = [1, 2, 3, 4, 5, 8];

#[test]
fn binary_operators_compute_the_residue_of_the_exact_result() {
    for width in WIDTHS {
        for (a, b) in pairs(width) {
            let on_integers = PLAIN.iter().copied().filter(|op| !op.takes_floats());
            for op in on_integers.filter(|op| !matches!(op, Op::Not | Op::Neg | Op::Ite | Op::Concat)) {
                let found = op.eval(&[a, b]);
                assert_eq!(found.bits() as i64, reference(op, width, a, b), "{} {a:?} {b:?}", op.name());
            }
        }
    }
}

#[test]
fn unary_operators_and_resizing_keep_the_bits_that_they_should() {
    for width in WIDTHS {
        for a in words(width) {
            let digits = |word: Word| format!("{:0width$b}", word.bits(), width = word.width() as usize);
            let bits = digits(a);
            let flipped: String = bits.chars().map(|bit| if bit == '0' { '1' } else { '0' }).collect();
            assert_eq!(digits(Op::Not.eval(&[a])), flipped);
            assert_eq!(Op::Neg.eval(&[a]).bits() as i64, residue(width, -signed(a)));
            for more in [0, 1, 5] {
                let wide = Op::Zext(width + more).eval(&[a]);
                assert_eq!(digits(wide), "0".repeat(more as usize) + &bits);
                let wide = Op::Sext(width + more).eval(&[a]);
                assert_eq!(digits(wide), bits[..1].repeat(more as usize) + &bits);
            }
            for lo in 0..width {
                for hi in lo..width {
                    let slice = &bits[(width - 1 - hi) as usize..=(width - 1 - lo) as usize];
                    assert_eq!(digits(Op::Extract { hi, lo }.eval(&[a])), slice);
                }
            }
            for b in words(3) {
                assert_eq!(digits(Op::Concat.eval(&[a, b])), bits.clone() + &digits(b));
                for condition in [false, true] {
                    let b = Word::new(width, b.bits());
                    let chosen = Op::Ite.eval(&[Word::truth(condition), a, b]);
                    assert_eq!(chosen, if condition { a } else { b });
                }
            }
        }
    }
}

#[test]
fn the_widest_words_overflow_as_the_narrow_ones_do() {
    let (min, max, one) = (Word::signed_min(128), Word::signed_max(128), Word::one(128));
    let ones = Word::ones(128);
    let overflows = |op: Op, a: Word, b: Word| op.eval(&[a, b]).is_true();
    assert!(overflows(Op::SaddO, max, one) && !overflows(Op::SaddO, max, ones));
    assert!(overflows(Op::SsubO, min, one) && !overflows(Op::SsubO, min, ones));
    assert!(overflows(Op::SmulO, min, ones) && !overflows(Op::SmulO, max, ones));
    assert!(overflows(Op::UaddO, ones, one) && !overflows(Op::UaddO, max, one));
    assert!(overflows(Op::UmulO, ones, Word::new(128, 2)) && !overflows(Op::UmulO, ones, one));
    assert_eq!(Op::Sdiv.eval(&[min, ones]), min);
    assert_eq!(Op::Srem.eval(&[min, ones]), Word::zero(128));
    assert_eq!(Op::Udiv.eval(&[one, Word::zero(128)]), ones);
    assert_eq!(Op::Shl.eval(&[one, Word::new(128, 127)]), min);
    assert_eq!(Op::Shl.eval(&[one, Word::new(128, 128)]), Word::zero(128));
    assert_eq!(Op::Ashr.eval(&[min, ones]), ones);
}

#[test]
fn every_name_finds_its_operator() {
    for op in PLAIN {
        assert_eq!(Op::named(op.name()), Some(*op));
    }
    assert_eq!(Op::named("nonsense"), None);
}

fn reference(op: Op, width: u32, a: Word, b: Word) -> i64 {
    let (ua, ub) = (unsigned(a), unsigned(b));
    let (sa, sb) = (signed(a), signed(b));
    let size = 1i64 << width;
    let truth = |value: bool| value as i64;
    let leaves_signed = |exact: i64| truth(!(-size / 2..size / 2).contains(&exact));
    let leaves_unsigned = |exact: i64| truth(!(0..size).contains(&exact));
    // Rounded down, and then towards zero.
    let floor = |a: i64, b: i64| a.div_euclid(b);
    let truncated =
        |a: i64, b: i64| if (a < 0) == (b < 0) { a.abs() / b.abs() } else { -(a.abs() / b.abs()) };
    let power = |amount: i64| if amount < width as i64 { 1i64 << amount } else { size };
    match op {
        Op::Add => residue(width, ua + ub),
        Op::Sub => residue(width, ua - ub),
        Op::Mul => residue(width, ua * ub),
        Op::Udiv if ub == 0 => size - 1,
        Op::Udiv => ua / ub,
        Op::Urem if ub == 0 => ua,
        Op::Urem => ua % ub,
        Op::Sdiv if sb == 0 => residue(width, if sa < 0 { 1 } else { -1 }),
        Op::Sdiv => residue(width, truncated(sa, sb)),
        Op::Srem if sb == 0 => ua,
        Op::Srem => residue(width, sa - sb * truncated(sa, sb)),
        Op::And => bitwise(width, |at| ua >> at & 1 == 1 && ub >> at & 1 == 1),
        Op::Or => bitwise(width, |at| ua >> at & 1 == 1 || ub >> at & 1 == 1),
        Op::Xor => bitwise(width, |at| ua >> at & 1 != ub >> at & 1),
        Op::Shl => residue(width, ua * power(ub)),
        Op::Lshr => floor(ua, power(ub)),
        Op::Ashr => residue(width, floor(sa, power(ub))),
        Op::Eq => truth(ua == ub),
        Op::Ne => truth(ua != ub),
        Op::Ult => truth(ua < ub),
        Op::Ule => truth(ua <= ub),
        Op::Ugt => truth(ua > ub),
        Op::Uge => truth(ua >= ub),
        Op::Slt => truth(sa < sb),
        Op::Sle => truth(sa <= sb),
        Op::Sgt => truth(sa > sb),
        Op::Sge => truth(sa >= sb),
        Op::SaddO => leaves_signed(sa + sb),
        Op::UaddO => leaves_unsigned(ua + ub),
        Op::SsubO => leaves_signed(sa - sb),
        Op::UsubO => leaves_unsigned(ua - ub),
        Op::SmulO => leaves_signed(sa * sb),
        Op::UmulO => leaves_unsigned(ua * ub),
        _ => unreachable!("not a binary operator"),
    }
}

fn bitwise(width: u32, set: impl Fn(u32) -> bool) -> i64 {
    (0..width).map(|at| (set(at) as i64) << at).sum()
}

fn residue(width: u32, exact: i64) -> i64 {
    exact.rem_euclid(1 << width)
}

fn unsigned(word: Word) -> i64 {
    word.bits() as i64
}

fn signed(word: Word) -> i64 {
    let (value, size) = (word.bits() as i64, 1i64 << word.width());
    if value >= size / 2 { value - size } else { value }
}

fn words(width: u32) -> impl Iterator<Item = Word> {
    (0..1u128 << width).map(move |bits| Word::new(width, bits))
}

fn pairs(width: u32) -> impl Iterator<Item = (Word, Word)> {
    words(width).flat_map(move |a| words(width).map(move |b| (a, b)))
}
