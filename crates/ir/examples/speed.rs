//! How fast the interpreter is, in million instructions per second.
//!
//! Run with `cargo run --release -p whet-ir --example speed`. One number per kind of code:
//! arithmetic in a loop, the same with sites, watched for infection, calls, and memory.

use std::time::Instant;

use ir::interpret::run_watched;
use ir::{Infection, Input, Mutant, Outcome, Program, parse, run, verify};

const ROUNDS: u32 = 3_000;
/// The best of so many, each shorter than a time slice, since machines have other things to do.
const REPEATS: u32 = 300;
const FUEL: u64 = 100_000_000;

/// Six instructions a round.
const LOOP: &str = r#"
function @loop(%0 n: s32 "int") -> s32 "int" {
block0:
    jump block1(0:i32, 1:i32)
block1(%1:i32, %2:i32):
    %3:i1 = slt %1, %0
    branch %3, block2, block3
block2:
    %4:i32 = mul %2, 1664525:i32
    %5:i32 = add %4, 1013904223:i32
    %6:i32 = lshr %5, 3:i32
    %7:i32 = xor %5, %6
    %8:i32 = add nsw %1, 1:i32
    jump block1(%8, %7)
block3:
    return %2
}
"#;

/// Two sites a round, with three mutants each that are all infected soon, or never.
const SITES: &str = r#"
function @loop(%0 n: s32 "int") -> s32 "int" {
block0:
    jump block1(0:i32, 1:i32)
block1(%1:i32, %2:i32):
    %3:i1 = site 0(%1, %0)
    branch %3, block2, block3
block2:
    %4:i32 = mul %2, 1664525:i32
    %5:i32 = site 1(%4)
    %6:i32 = lshr %5, 3:i32
    %7:i32 = xor %5, %6
    %8:i32 = add nsw %1, 1:i32
    jump block1(%8, %7)
block3:
    return %2
}
site 0(%0:i32, %1:i32) -> i1 {
original:
    %2 = slt %0, %1
    return %2
mutant 1:
    %2 = ult %0, %1
    return %2
mutant 2:
    %2 = ne %0, %1
    return %2
mutant 3:
    %2 = sgt %1, %0
    return %2
}
site 1(%0:i32) -> i32 {
original:
    %1 = add %0, 1013904223:i32
    return %1
mutant 4:
    %1 = sub %0, 1013904223:i32
    return %1
mutant 5:
    return %0
}
"#;

/// A call a round, of a function with one instruction.
const CALLS: &str = r#"
function @loop(%0 n: s32 "int") -> s32 "int" {
block0:
    jump block1(0:i32, 1:i32)
block1(%1:i32, %2:i32):
    %3:i1 = slt %1, %0
    branch %3, block2, block3
block2:
    %4:i32 = mul %2, 1664525:i32
    %5:i32 = call @inner(%4)
    %6:i32 = lshr %5, 3:i32
    %7:i32 = xor %5, %6
    %8:i32 = add nsw %1, 1:i32
    jump block1(%8, %7)
block3:
    return %2
}
function @inner(%0 a: s32 "int") -> s32 "int" {
block0:
    %1:i32 = add %0, 1013904223:i32
    return %1
}
"#;

/// Two loads, two stores and two additions a round, of an object of its own and of one on the heap.
const MEMORY: &str = r#"
function @loop(%0 n: s32 "int") -> s32 "int" {
block0:
    %1:i64 = local 4:i64
    %2:i64 = allocate 8:i64
    store %1, 0:i32
    store %2, 1:i64
    jump block1
block1:
    %3:i32 = load.i32 %1
    %4:i1 = slt %3, %0
    branch %4, block2, block3
block2:
    %5:i32 = add nsw %3, 1:i32
    store %1, %5
    %6:i64 = load.i64 %2
    %7:i64 = add %6, 3:i64
    store %2, %7
    jump block1
block3:
    free %2
    return %3
}
"#;

fn main() {
    measure("arithmetic", LOOP, false);
    measure("sites", SITES, false);
    measure("sites, watched", SITES, true);
    measure("calls", CALLS, false);
    measure("memory", MEMORY, false);
}

fn measure(what: &str, text: &str, watched: bool) {
    let program: Program = parse(text).expect("the text is right");
    verify(&program).expect("the program is right");
    let function = program.named("loop").expect("it is there");
    let input = Input::words([bv::Word::new(32, ROUNDS as u128)]);
    let mut infection = Infection::new(&program);
    let mut seconds = f64::INFINITY;
    for _ in 0..REPEATS {
        let start = Instant::now();
        let run = match watched {
            true => run_watched(&program, function, &input, FUEL, &mut infection),
            false => run(&program, function, Mutant::ORIGINAL, &input, FUEL),
        };
        seconds = seconds.min(start.elapsed().as_secs_f64());
        assert!(matches!(run.outcome, Outcome::Returned(_)), "{run:?}");
    }
    println!("{what:16} {:6.1} million instructions per second", (6 * ROUNDS) as f64 / seconds / 1e6);
}
