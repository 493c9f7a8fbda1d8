//! The C library against the system's: for every function of ISO C's headers, the interpreter runs our body
//! or musl's, and the machine runs the system's, on the same random inputs.
//!
//! A function that is not tried here is in the documentation, with the reason. `WHET_RUNS` makes more calls.

mod table;

use std::collections::BTreeMap;

use bv::Word;
use ir::{Datum, Input, Mutant, Object, Outcome, Program, Seen, Type};
use llvm::{Native, Operators, Options, Overflow, ProcessEnd, Unit};
use table::{Call, HEADERS, Nearness, PREAMBLE};

/// Each function is called 64 times in a run.
const CALLS: usize = 64;

const RUNS: u64 = 8;

/// Blocks of the code around the calls.
const FUEL: u64 = 10_000_000;

/// By so many units in the last place, two good libraries may differ. The gamma function is the worst of
/// glibc's.
const UNITS: f64 = 16.0;

fn load(c: &str) -> Unit {
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join("subject.c");
    std::fs::write(&file, c).expect("there is room");
    let options = Options {
        file,
        clang: None,
        flags: vec![],
        overflow: Overflow::Undefined,
        operators: Operators::default(),
        functions: vec![],
        headers: false,
        versions: vec![],
    };
    llvm::load(&options).unwrap_or_else(|error| panic!("{error}"))
}

fn input(program: &Program, id: ir::FunctionId, seed: u64) -> Input {
    let mut input = Input::default();
    for parameter in &program.function(id).signature.parameters {
        let datum = match program.of(parameter.of) {
            Type::Pointer(pointer) => {
                let object = input.objects.len() as u32;
                let elements = match program.is_stream(pointer.to) {
                    true => bytes(seed),
                    false => vec![program.zero(pointer.to); CALLS],
                };
                input.objects.push(Object { of: pointer.to, elements, constant: false });
                Datum::Pointer { object, element: 0 }
            }
            _ => Datum::Word(Word::new(64, seed.into())),
        };
        input.arguments.push(datum);
    }
    if let Some(id) = program.standard_input() {
        let Type::Pointer(pointer) = program.of(program.global(id).of) else {
            unreachable!("it leads there")
        };
        let object = input.objects.len() as u32;
        input.objects.push(Object { of: pointer.to, elements: bytes(seed), constant: false });
        input.globals.push((id, Datum::Pointer { object, element: 0 }));
    }
    input
}

/// What a stream holds, with one byte behind: numbers and words, in lines, and sometimes anything.
fn bytes(seed: u64) -> Vec<Datum> {
    let mut state = seed;
    let mut random = move |below: u64| {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (state >> 33) % below
    };
    let length = random(400);
    let byte = |_| match random(40) {
        0 => random(256) as u8,
        at => b"0123456789 ,-+abcd\n 0123456789 ,-+abcd\n"[at as usize - 1],
    };
    (0..=length).map(byte).map(|byte| Datum::Word(Word::new(8, byte.into()))).collect()
}

/// How the results of one function compare.
#[derive(Default)]
struct Tally {
    calls: u64,
    /// Calls on which not all bits are the same.
    unlike: u64,
    wrong: Vec<String>,
}

fn try_call(unit: &Unit, native: &Native, call: &Call, runs: u64) -> Tally {
    let mut tally = Tally::default();
    let id = unit.program.named(&format!("try_{}", call.function)).expect("it is defined");
    for seed in 0..runs {
        let input = input(&unit.program, id, seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let ours = match ir::run(&unit.program, id, Mutant::ORIGINAL, &input, FUEL).outcome {
            Outcome::Returned(seen) => seen,
            other => {
                tally.wrong.push(format!("{other:?}"));
                return tally;
            }
        };
        let theirs = match native.run(id, Mutant::ORIGINAL, &input, FUEL).expect("the server answers") {
            ProcessEnd::Returned(seen) => seen,
            other => {
                tally.wrong.push(format!("natively {other:?}"));
                return tally;
            }
        };
        if ours.printed != theirs.printed {
            tally.wrong.push(format!("seed {seed}: {:?} and {:?} are printed", ours.printed, theirs.printed));
        }
        for at in 0..CALLS {
            tally.calls += 1;
            let pair = |object: usize| (&ours.objects[object][at], &theirs.objects[object][at]);
            let (numbers, texts) = (pair(0), pair(1));
            let near = is_near(numbers.0, numbers.1, call.nearness) && texts.0 == texts.1;
            tally.unlike += u64::from(numbers.0 != numbers.1);
            if !near && tally.wrong.len() < 3 {
                tally.wrong.push(format!(
                    "seed {seed}, call {at}: {} and {}",
                    show(numbers, texts).0,
                    show(numbers, texts).1
                ));
            }
        }
    }
    tally
}

fn show(numbers: (&Seen, &Seen), texts: (&Seen, &Seen)) -> (String, String) {
    let one = |number: &Seen, text: &Seen| match (number, text) {
        (Seen::Word(number), Seen::Word(text)) => {
            format!("{:e} {}", f64::from_bits(number.bits() as u64), text.signed())
        }
        other => format!("{other:?}"),
    };
    (one(numbers.0, texts.0), one(numbers.1, texts.1))
}

fn is_near(ours: &Seen, theirs: &Seen, nearness: Nearness) -> bool {
    let (Seen::Word(one), Seen::Word(other)) = (ours, theirs) else { return false };
    let (one, other) = (f64::from_bits(one.bits() as u64), f64::from_bits(other.bits() as u64));
    let unit = match nearness {
        _ if ours == theirs => return true,
        _ if one.is_nan() && other.is_nan() => return true,
        Nearness::Equal => return false,
        Nearness::Double => f64::EPSILON,
        Nearness::Float => f64::from(f32::EPSILON),
    };
    // Among the least numbers, a unit is larger in proportion.
    let least = if nearness == Nearness::Float { f64::from(f32::MIN_POSITIVE) } else { f64::MIN_POSITIVE };
    (one - other).abs() <= UNITS * unit * one.abs().max(other.abs()).max(least)
}

/// All functions of the headers, with how their calls agree; the documentation has the others.
#[test]
fn our_library_does_what_the_system_s_does() {
    let runs = std::env::var("WHET_RUNS").ok().and_then(|runs| runs.parse().ok()).unwrap_or(RUNS);
    let mut lines: BTreeMap<(&str, &str), String> = BTreeMap::new();
    let mut wrong = Vec::new();
    // Nothing is said of mathematics where a file looks at `errno`.
    let (errors, others): (Vec<Call>, Vec<Call>) =
        table::calls().into_iter().partition(|call| call.code.contains("errno"));
    for calls in [errors, others] {
        let functions: String = calls.iter().map(table::function).collect();
        let unit = load(&format!("{PREAMBLE}{functions}"));
        let native = Native::build(&unit).unwrap_or_else(|error| panic!("{error}"));
        for call in &calls {
            let tally = try_call(&unit, &native, call, runs);
            let share = 100.0 * (tally.calls - tally.unlike) as f64 / tally.calls.max(1) as f64;
            let same = if tally.unlike == 0 { "all".to_string() } else { format!("{share:.2} %") };
            lines.insert((call.header, call.function), format!("{} calls, {same} the same", tally.calls));
            wrong.extend(tally.wrong.iter().map(|what| format!("{}: {what}", call.function)));
        }
    }
    let documented = documented();
    for (header, functions) in HEADERS {
        for function in functions.split_whitespace() {
            let tried = lines.get(&(header, function));
            let reason = documented.get(function);
            println!("{header:<9} {function:<14} {}", tried.or(reason).map_or("?", String::as_str));
            match (tried, reason) {
                (Some(_), Some(_)) => {
                    wrong.push(format!("{function} is said to be out of reach, and is not"))
                }
                (None, None) => wrong.push(format!("{function} is neither tried nor documented")),
                _ => {}
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The functions of which the documentation says why they are out of reach.
fn documented() -> BTreeMap<String, String> {
    let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/library.md");
    let page = std::fs::read_to_string(page).expect("the page is there");
    let rows =
        page.lines().filter_map(|line| line.strip_prefix("| `")?.strip_suffix(" |")?.split_once(" | "));
    let mut found = BTreeMap::new();
    for (names, reason) in rows {
        for name in names.trim_end_matches('`').split("`, `") {
            found.insert(name.to_string(), reason.to_string());
        }
    }
    found
}
