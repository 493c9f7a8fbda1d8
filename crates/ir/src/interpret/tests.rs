//! What runs come to, in programs of a few lines.

mod memory;
mod outside;

use super::*;
use crate::{Seen, parse, verify};

const FUEL: u64 = 1_000;

fn program(text: &str) -> Program {
    let program = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    if let Err(flaws) = verify(&program) {
        panic!("{}\n{text}", flaws[0]);
    }
    program
}

/// What a run of the first function comes to, in short.
fn outcome(program: &Program, mutant: u32, arguments: &[i128], fuel: u64) -> String {
    let words = arguments.iter().zip(&program.functions[0].registers);
    let input = Input::words(words.map(|(word, width)| Word::from_signed(*width, *word)));
    outcome_on(program, mutant, &input, fuel)
}

fn outcome_on(program: &Program, mutant: u32, input: &Input, fuel: u64) -> String {
    let Run { outcome, fuel } = run(program, FunctionId(0), Mutant(mutant), input, fuel);
    let place = |at: Option<Position>| at.map_or(String::new(), |at| format!(" @ {at}"));
    match outcome {
        Outcome::Returned(observation) => match &observation.result {
            Some(Seen::Word(word)) => format!("{} after {fuel}", word.signed()),
            Some(seen) => format!("{seen:?} after {fuel}"),
            None => format!("returned after {fuel}"),
        },
        Outcome::Faulted(fault, at) => format!("{}{} after {fuel}", fault.text(), place(at)),
        Outcome::OutOfFuel => format!("out of fuel after {fuel}"),
        Outcome::Diverged => format!("diverged after {fuel}"),
        Outcome::Unsupported(what, at) => format!("unsupported: {what}{} after {fuel}", place(at)),
    }
}

/// The operation stands at a site, as the original and as mutant 1: what C leaves
/// undefined ends the one, and the machine goes on with the other unless it traps.
fn check_operation(operation: &str, a: i128, b: i128, original: &str, mutant: &str) {
    let text = format!(
        r#"function @f(%0 a: s8 "char", %1 b: s8 "char") -> s8 "char" {{
        block0: %2:i8 = site 0(%0, %1) @ 1:2 return %2 @ 3:4 }}
        site 0(%0:i8, %1:i8) -> i8 {{
        original: %2 = {operation} %0, %1 return %2
        mutant 1: %2 = {operation} %0, %1 return %2 }}"#
    );
    let program = program(&text);
    assert_eq!(outcome(&program, 0, &[a, b], FUEL), format!("{original} after 1"));
    assert_eq!(outcome(&program, 1, &[a, b], FUEL), format!("{mutant} after 1"));
}

/// A function `char f(char a)` with these blocks, and some to call.
fn check(blocks: &str, argument: i128, fuel: u64, expect: &str) {
    let text = format!(
        r#"function @f(%0 a: s8 "char") -> s8 "char" {{ {blocks} }}
        function @double(%0 a: s8 "char") -> s8 "char" {{ block0: %1:i8 = add nsw %0, %0 @ 9:9 return %1 }}
        function @nothing() {{ block0: return }}
        function @forget(%0 a: s8 "char") -> s8 "char" {{ block0: return uninitialised:i8 }}
        function @asm() unsupported "inline assembly" @ 7:7"#
    );
    assert_eq!(outcome(&program(&text), 0, &[argument], fuel), expect, "{blocks}");
}

#[test]
fn the_original_is_held_to_the_rules_of_c_and_a_mutant_runs_as_its_binary() {
    check_operation("add", 127, 1, "-128", "-128");
    check_operation("add nsw", 126, 1, "127", "127");
    check_operation("add nsw", 127, 1, "signed overflow @ 1:2", "-128");
    check_operation("add nuw", -1, 1, "unsigned overflow @ 1:2", "0");
    check_operation("sub nsw", -128, 1, "signed overflow @ 1:2", "127");
    check_operation("mul nsw", 64, 2, "signed overflow @ 1:2", "-128");
    check_operation("shl", 1, 7, "-128", "-128");
    check_operation("shl", 1, 8, "oversize shift @ 1:2", "1");
    check_operation("ashr", -128, 9, "oversize shift @ 1:2", "-64");
    check_operation("lshr", -128, -1, "oversize shift @ 1:2", "1");
    check_operation("sdiv", -7, 2, "-3", "-3");
    check_operation("sdiv", 1, 0, "division by zero @ 1:2", "division by zero @ 1:2");
    check_operation("udiv", 1, 0, "division by zero @ 1:2", "division by zero @ 1:2");
    check_operation("srem", -128, -1, "division overflow @ 1:2", "division overflow @ 1:2");
}

#[test]
fn a_shift_of_an_odd_width_is_taken_modulo_that_width() {
    let program = program(
        r#"function @f(%0 a: s12 "_BitInt(12)", %1 b: s12 "_BitInt(12)") -> s12 "_BitInt(12)" {
        block0: %2:i12 = shl %0, %1 return %2 }"#,
    );
    assert_eq!(outcome(&program, 1, &[1, 13], FUEL), "2 after 1");
    assert_eq!(outcome(&program, 0, &[1, 13], FUEL), "oversize shift after 1");
}

#[test]
fn an_uninitialised_variable_may_be_copied_but_not_used() {
    let undefined = "read of an uninitialised variable";
    check("block0: jump block1(uninitialised:i8) block1(%1:i8): return %0", 5, FUEL, "5 after 2");
    check("block0: return uninitialised:i8 @ 3:3", 5, FUEL, &format!("{undefined} @ 3:3 after 1"));
    check(
        "block0: %1:i8 = neg uninitialised:i8 @ 2:2 return %0",
        5,
        FUEL,
        &format!("{undefined} @ 2:2 after 1"),
    );
    check(
        "block0: branch uninitialised:i1, block1, block1 @ 4:4 block1: return %0",
        5,
        FUEL,
        &format!("{undefined} @ 4:4 after 1"),
    );
    check(
        "block0: switch uninitialised:i8 { default => block1 } block1: return %0",
        5,
        FUEL,
        &format!("{undefined} after 1"),
    );
    check("block0: %1:i8 = call @forget(%0) return %0", 5, FUEL, "5 after 2");
    check("block0: %1:i8 = call @forget(%0) return %1", 5, FUEL, &format!("{undefined} after 2"));
    check("block0: %1:i8 = call @forget(uninitialised:i8) return %0", 5, FUEL, "5 after 2");
}

#[test]
fn a_mutant_that_uses_an_uninitialised_variable_stops() {
    let program =
        program(r#"function @f() -> s8 "char" { block0: %0:i8 = add uninitialised:i8, 3:i8 return %0 }"#);
    let expect = "read of an uninitialised variable after 1";
    assert_eq!(outcome(&program, 1, &[], FUEL), expect);
}

#[test]
fn every_block_costs_one_unit_of_fuel() {
    let loops = "block0: jump block1(%0) block1(%1:i8): %2:i1 = eq %1, 0:i8 branch %2, block3, block2
        block2: %3:i8 = sub %1, 1:i8 jump block1(%3) block3: return %1";
    check(loops, 0, FUEL, "0 after 3");
    check(loops, 3, FUEL, "0 after 9");
    check(loops, 3, 9, "0 after 9");
    check(loops, 3, 8, "out of fuel after 8");
    check(loops, 3, 0, "out of fuel after 0");
    let calls = "block0: call @nothing() call @nothing() return %0";
    check(calls, 1, 3, "1 after 3");
    check(calls, 1, 2, "out of fuel after 2");
    check("block0: jump block1 block1: jump block1", 1, 5, "out of fuel after 5");
    check("block0: %2:i8 = add %0, 1:i8 %1:i8 = call @f(%2) return %1", 1, 100, "out of fuel after 100");
}

#[test]
fn edges_read_all_arguments_before_they_write_parameters() {
    let swap = "block0: jump block1(%0, 7:i8, 0:i1) block1(%1:i8, %2:i8, %3:i1): branch %3, block2, block1(%2, %1, 1:i1)
        block2: return %1";
    check(swap, 5, FUEL, "7 after 4");
}

#[test]
fn control_goes_where_it_should() {
    let switch =
        "block0: switch %0 { 1:i8 => block1(10:i8), -1:i8 => block1(20:i8), default => block1(30:i8) }
        block1(%1:i8): return %1";
    check(switch, 1, FUEL, "10 after 2");
    check(switch, 255, FUEL, "20 after 2");
    check(switch, 2, FUEL, "30 after 2");
    check("block0: unreachable @ 8:8", 1, FUEL, &format!("{} @ 8:8 after 1", Fault::Unreachable.text()));
    check("block0: unsupported \"a float\" @ 6:6 return %0", 1, FUEL, "unsupported: a float @ 6:6 after 1");
    check("block0: call @asm() return %0", 1, FUEL, "unsupported: inline assembly @ 7:7 after 1");
    let nested = "block0: %1:i8 = call @double(%0) %2:i8 = call @double(%1) return %2";
    check(nested, 5, FUEL, "20 after 3");
    check(nested, 50, FUEL, "signed overflow @ 9:9 after 3");
}

#[test]
fn a_function_may_return_nothing() {
    let program = program("function @f() { block0: return }");
    assert_eq!(outcome(&program, 0, &[], FUEL), "returned after 1");
}

#[test]
fn a_site_infects_the_mutants_that_differ_there() {
    let program = program(
        r#"function @f(%0 a: s8 "char", %1 b: s8 "char") -> s8 "char" {
        block0: %2:i8 = site 0(%0, %1) %3:i1 = sgt %2, 0:i8 branch %3, block1, block2
        block1: %4:i8 = site 1(%0, %1) return %4
        block2: return 0:i8 }
        site 0(%0:i8, %1:i8) -> i8 {
        original: %2 = add %0, %1 return %2
        mutant 1: %2 = sub %0, %1 return %2
        mutant 2: %2 = or %0, %1 return %2
        mutant 3: %2 = add nsw %1, %0 return %2
        mutant 4: %2 = udiv %0, %1 %3 = add %0, %1 return %3 }
        site 1(%0:i8, %1:i8) -> i8 {
        original: return %0
        mutant 7: return %1 }"#,
    );
    let infected = |a: i128, b: i128| {
        let mut infection = Infection::new(&program);
        let input = Input::words([Word::from_signed(8, a), Word::from_signed(8, b)]);
        run_watched(&program, FunctionId(0), &input, FUEL, &mut infection);
        infection.mutants().map(|mutant| mutant.0).collect::<Vec<_>>()
    };
    assert_eq!(infected(1, 2), [1, 7]);
    assert_eq!(infected(1, 1), [1, 2]);
    // The trap is a difference though the value is the same.
    assert_eq!(infected(1, 0), [4, 7]);
    // Site 1 is not reached; the overflow of mutant 3 wraps to the value of the original.
    assert_eq!(infected(127, 1), [1, 2]);
    assert_eq!(infected(-1, -1), [1, 2]);
}

#[test]
fn a_loop_that_makes_no_progress_is_seen_to_diverge() {
    let stuck = "block0: jump block1(%0) block1(%1:i8): jump block2 block2: jump block1(%1)";
    assert!(outcome_of(stuck, 5, 1_000).starts_with("diverged after 3"), "{}", outcome_of(stuck, 5, 1_000));
    // Counting up, it wraps around after 256 rounds and is where it was.
    let wraps = "block0: jump block1(%0) block1(%1:i8): %2:i8 = add %1, 1:i8 jump block1(%2)";
    assert!(outcome_of(wraps, 5, 5_000).starts_with("diverged"), "{}", outcome_of(wraps, 5, 5_000));
    let counts = "block0: jump block1(0:i64) block1(%1:i64): %2:i64 = add %1, 1:i64 jump block1(%2)";
    assert_eq!(outcome_of(counts, 5, 5_000), "out of fuel after 5000");
}

#[test]
fn the_same_call_again_and_again_is_no_divergence() {
    let text = "block0: jump block1(0:i8) block1(%1:i8): %2:i8 = call @double(3:i8) %3:i8 = add %1, 1:i8 \
                %4:i1 = slt %3, 100:i8 branch %4, block1(%3), block2 block2: return %2";
    assert_eq!(outcome_of(text, 5, 5_000), "6 after 202");
}

#[test]
fn a_call_within_the_same_call_is_seen_to_diverge() {
    let text = "block0: %1:i8 = call @f(%0) return %1";
    assert_eq!(outcome_of(text, 5, 5_000), "diverged after 2");
    let decreasing = "block0: %1:i64 = zext.i64 %0 %2:i8 = sub %0, 1:i8 %3:i1 = eq %0, 0:i8 branch %3, block1, block2 \
                      block1: return %0 block2: %4:i8 = call @f(%2) return %4";
    assert_eq!(outcome_of(decreasing, 5, 5_000), "0 after 12");
}

fn outcome_of(blocks: &str, argument: i128, fuel: u64) -> String {
    let text = format!(
        r#"function @f(%0 a: s8 "char") -> s8 "char" {{ {blocks} }}
        function @double(%0 a: s8 "char") -> s8 "char" {{ block0: %1:i8 = add nsw %0, %0 return %1 }}"#
    );
    outcome(&program(&text), 0, &[argument], fuel)
}
