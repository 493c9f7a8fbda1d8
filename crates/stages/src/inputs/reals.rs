//! Floats worth trying.

use fastrand::Rng;

/// The edges of the type, and what is no number.
const EDGES: [f64; 14] = [
    0.0,
    -0.0,
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::MAX,
    f64::MIN_POSITIVE,
    // The least subnormal numbers of both widths.
    5e-324,
    1e-45,
    f32::MAX as f64,
    f64::EPSILON,
    1e10,
    -1e10,
    0.1,
];

/// A float that is small, near something mentioned or seen before, at an edge, or anything.
pub(super) fn real(random: &mut Rng, mentioned: &[f64], earlier: &[f64]) -> f64 {
    let near = |random: &mut Rng, value: f64| match random.u32(..8) {
        0 => value + 1.0,
        1 => value - 1.0,
        2 => -value,
        3 => value.next_up(),
        4 => value.next_down(),
        _ => value,
    };
    match random.u32(..16) {
        0 => EDGES[random.usize(..EDGES.len())],
        1..=4 if !mentioned.is_empty() => {
            let value = mentioned[random.usize(..mentioned.len())];
            near(random, value)
        }
        5..=7 if !earlier.is_empty() => {
            let value = earlier[random.usize(..earlier.len())];
            near(random, value)
        }
        8 => f64::from(random.i32(-20..=20)) / 4.0,
        9 => f64::from(random.i32(-1000..=1000)) / 10.0,
        10 => f64::from_bits(random.u64(..)),
        11 => f64::from(random.i32(-1_000_000..=1_000_000)),
        _ => f64::from(random.i32(-4..=10)),
    }
}
