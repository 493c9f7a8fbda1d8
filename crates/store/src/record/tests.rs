//! What is written is read again as it was.

use ir::{ExternalId, GlobalId, Position, Space, TypeId};
use settle::Subject;

use super::*;
use crate::Whole;

fn slice() -> Slice {
    let text = r#"type 0 = s32 "int"
        type 1 = pointer "int *" to type 0
        global @total: type 0 = zero 4
        external @ask(type 0) -> type 0
        function @f(%0 p: type 1) -> type 0 {
        block0: %1:i32 = load.i32 %0 @ 3:5
            %2:i32 = site 0(%1) @ 4:1
            %3:i32 = external @ask(%2: type 0)
            store @total, %3
            return %3 }
        site 0(%0:i32) -> i32 { original: return %0 mutant 3: return 0:i32 mutant 5: return 1:i32 }"#;
    let program = ir::parse(text).unwrap_or_else(|error| panic!("{error}"));
    let whole = Whole { program: &program, mentions: &[vec![]], text: "", lookalike: false };
    let subject = Subject::alone(FunctionId(0), vec![Mutant(3), Mutant(5)]);
    Slice::new(whole, &subject, &Space::default())
}

fn some_input() -> Input {
    let word = |value: u128| Datum::Word(Word::new(32, value));
    Input {
        arguments: vec![
            Datum::Pointer { object: 0, element: 1 },
            Datum::Null,
            Datum::Function(FunctionId(0)),
        ],
        objects: vec![Object {
            of: TypeId(0),
            elements: vec![word(7), Datum::Aggregate(vec![word(u32::MAX.into())])],
            constant: true,
        }],
        globals: vec![(GlobalId(0), word(1))],
        results: vec![(ExternalId(0), vec![word(2), word(3)])],
    }
}

#[test]
fn entries_are_read_as_they_were_written() {
    let slice = slice();
    let mut kept = vec![Kept::Equivalent {
        stage: "bounded".to_string(),
        method: "none \"at\" all".to_string(),
        granted: Granted {
            assumptions: vec!["a".to_string()],
            caller_may_break: true,
            limits: vec!["l".to_string()],
            rounds: Some(8),
            size: Some(4),
        },
    }];
    kept.extend(SHOWN.map(|(shown, _)| Kept::Killed {
        stage: "simulate".to_string(),
        input: some_input(),
        shown,
        hangs: false,
    }));
    let at = Some(Position { line: 4, column: 1 });
    kept.extend(
        [
            Open::Unsupported(Unsupported { what: "x".to_string(), at: None }),
            Open::Unsupported(Unsupported { what: "x".to_string(), at }),
            Open::OutOfFuel("it".to_string()),
            Open::OutOfMemory,
            Open::OutOfReach,
            Open::Escapes("f".to_string()),
            Open::Rejected("no".to_string()),
            Open::Untried,
        ]
        .map(Kept::Open),
    );
    let all: Vec<Entry> =
        kept.into_iter().map(|kept| Entry { mutant: Mutant(5), kept, twin: Some(Mutant(3)) }).collect();
    let text = entries(&slice, &all).expect("all of it can be written");
    assert_eq!(read_entries(&slice, &text), Some(all));
}

#[test]
fn parametric_mutants_are_read_as_they_were_written() {
    let slice = slice();
    let number = |value: u128| Word::new(32, value);
    let claim = ParametricClaim {
        tests: vec![(some_input(), number(7)), (some_input(), number(u32::MAX.into()))],
        equivalent: vec![number(0)],
        more: true,
        granted: Granted { assumptions: vec!["a".to_string()], size: Some(4), ..Granted::default() },
        obligations: vec![],
        left: Some(number(3)),
        complete: false,
        singly: true,
    };
    let kept = KeptParametric { claim, shown: vec![(Shown::Plainly, false), (Shown::Nowhere, true)] };
    let text = super::parametric(&slice, &kept).expect("all of it can be written");
    assert_eq!(read_parametric(&slice, &text), Some(kept));
    assert_eq!(read_parametric(&slice, "[[],[],false,[[],false,[],null,null],null,true]"), None);
}

#[test]
fn claims_are_read_as_they_were_written() {
    let slice = slice();
    let proof = Proof {
        method: "m".to_string(),
        granted: Granted { limits: vec!["l".to_string()], rounds: Some(8), ..Granted::default() },
        obligations: vec![Obligation("(check)".to_string())],
    };
    let all = vec![
        (Mutant(3), Claim::Killed(some_input())),
        (Mutant(5), Claim::Equivalent(proof)),
        (Mutant(5), Claim::Duplicate(Mutant(3))),
        (Mutant(5), Claim::Open(Open::Untried)),
    ];
    let text = claims(&slice, &all).expect("all of it can be written");
    assert_eq!(read_claims(&slice, &text), Some(all));
}

#[test]
fn a_leg_is_read_as_it_was_written() {
    let slice = slice();
    let leg = Leg {
        claims: vec![(Mutant(3), Claim::Killed(some_input()))],
        weak: vec![(Mutant(5), Claim::Killed(Input::default()))],
        corpus: vec![some_input(), Input::default()],
    };
    let text = super::leg(&slice, &leg).expect("all of it can be written");
    assert_eq!(read_leg(&slice, &text), Some(leg));
    assert_eq!(read_leg(&slice, "[[],[]]"), None);
}

#[test]
fn tests_are_read_as_they_were_written() {
    let slice = slice();
    let test = KeptTest {
        subject: FunctionId(0),
        input: some_input(),
        kills: vec![Mutant(3)],
        may_kill: vec![Mutant(5)],
        whole: true,
        soft: false,
    };
    let text = tests(&slice, std::slice::from_ref(&test)).expect("all of it can be written");
    assert_eq!(read_tests(&slice, &text), Some(vec![test]));
}

#[test]
fn what_has_no_place_in_the_slice_is_not_written() {
    let entry = |mutant, kept| entries(&slice(), &[Entry { mutant, kept, twin: None }]);
    assert_eq!(entry(Mutant(4), Kept::Open(Open::Untried)), None);
    let at = Some(Position { line: 99, column: 1 });
    assert_eq!(
        entry(Mutant(3), Kept::Open(Open::Unsupported(Unsupported { what: "x".to_string(), at }))),
        None
    );
}

#[test]
fn nonsense_is_no_record() {
    for text in [
        "",
        "{}",
        "[[0]]",
        "[[0,{\"killed\":[]},null]]",
        "[[9,{\"open\":[\"untried\"]},null]]",
        "[[0,{\"open\":[\"later\"]},null]]",
    ] {
        assert_eq!(read_entries(&slice(), text), None, "{text}");
    }
}
