//! What becomes of wrong claims, with a machine and a solver that say what they are told to.

use std::collections::BTreeSet;

use bv::Word;
use ir::parse;

use super::*;
use crate::{
    Conclusion, Ending, Granted, Left, Obligation, ParametricClaim, ParametricMutant, Settled, Verdict,
    conclude, conclude_alone,
};

/// A machine that does what the interpreter does, and is off by so much.
struct Echo<'a> {
    program: &'a Program,
    off_by: i128,
}

impl Native for Echo<'_> {
    fn run(
        &self,
        subject: FunctionId,
        mutant: Mutant,
        input: &Input,
        fuel: u64,
    ) -> Result<NativeOutcome, String> {
        Ok(match run(self.program, subject, mutant, input, fuel).outcome {
            Outcome::Returned(mut seen) => {
                if let Some(ir::Seen::Word(word)) = &mut std::sync::Arc::make_mut(&mut seen).result {
                    *word = Word::from_signed(word.width(), word.signed() + self.off_by);
                }
                NativeOutcome::Returned(seen)
            }
            Outcome::OutOfFuel | Outcome::Diverged => NativeOutcome::OutOfFuel,
            _ => NativeOutcome::Trapped,
        })
    }

    fn sanitised(
        &self,
        sanitiser: Sanitiser,
        _: FunctionId,
        _: Mutant,
        _: &Input,
        _: u64,
    ) -> Result<Option<Sanitiser>, String> {
        Ok(Some(sanitiser))
    }
}

/// A solver with one answer.
struct Says(bool);

impl SecondOpinion for Says {
    fn confirms(&self, _: &str) -> Result<bool, String> {
        Ok(self.0)
    }
}

const F: FunctionId = FunctionId(0);

/// Returns its argument. Mutant 1 returns one more for 5, mutant 2 always the
/// same, mutant 3 a parameter in place of the 0 that is added.
fn program() -> Program {
    let text = r#"global @whet_parameter: s64 "long" = zero 8 static
        function @f(%0 x: s32 "int") -> s32 "int" {
        block0: %1:i32 = site 0(%0)
            %2:i64 = load.i64 @whet_parameter
            %3:i32 = extract[31:0] %2
            %4:i32 = site 1(%1, %3)
            return %4 }
        site 0(%0:i32) -> i32 { original: return %0
            mutant 1: %1 = eq %0, 5:i32 %2 = zext.i32 %1 %3 = add %0, %2 return %3
            mutant 2: %1 = add %0, 0:i32 return %1 }
        site 1(%0:i32, %1:i32) -> i32 { original: return %0 mutant 3: %2 = add %0, %1 return %2 }"#;
    parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn input(value: u128) -> Input {
    Input::words([Word::new(32, value)])
}

fn inputs() -> Vec<Input> {
    (0..10).map(input).collect()
}

fn proof(granted: Granted) -> Claim {
    let obligations = vec![Obligation("(check-sat)".to_string())];
    Claim::Equivalent(Proof { method: "by a wave of the hand".to_string(), granted, obligations })
}

fn up_to(rounds: u32) -> Granted {
    Granted { limits: vec![format!("up to {rounds}")], rounds: Some(rounds), ..Granted::default() }
}

/// What a checker makes of a claim about a mutant, and the causes of its alarms.
fn check(
    mutant: u32,
    claim: Claim,
    off_by: i128,
    second: Option<bool>,
) -> (Result<Verdict, Open>, Vec<Cause>) {
    let program = program();
    let native = Arc::new(Echo { program: &program, off_by });
    let second = second.map(Says);
    let mut checker = Checker::new(&program, native, Limits::default());
    checker.second_opinion = second.map(|solver| Arc::new(solver) as Arc<dyn SecondOpinion>);
    let verdict = Verdict::check(&checker, F, Mutant(mutant), "stage", claim, &inputs());
    (verdict, checker.alarms().into_iter().map(|alarm| alarm.cause).collect())
}

#[test]
fn a_true_claim_raises_no_alarm() {
    for second in [None, Some(true)] {
        let (verdict, alarms) = check(2, proof(Granted::default()), 0, second);
        assert!(verdict.is_ok_and(|verdict| verdict.proof().is_some()));
        assert_eq!(alarms, []);
    }
    let (verdict, alarms) = check(1, Claim::Killed(input(5)), 0, None);
    assert!(verdict.is_ok_and(|verdict| verdict.kill().is_some()));
    assert_eq!(alarms, []);
}

#[test]
fn a_refuted_proof_is_an_alarm() {
    let (verdict, alarms) = check(1, proof(Granted::default()), 0, None);
    assert!(verdict.is_err_and(|open| open.reason().contains("is refuted by")));
    assert_eq!(alarms, [Cause::Refuted]);
    // A run that repeats nothing is one that was looked at.
    let (verdict, alarms) = check(1, proof(up_to(8)), 0, None);
    assert!(verdict.is_err());
    assert_eq!(alarms, [Cause::Refuted]);
}

#[test]
fn what_kills_a_mutant_beyond_the_rounds_of_a_proof_is_a_witness() {
    let (verdict, alarms) = check(1, proof(up_to(0)), 0, None);
    let verdict = verdict.unwrap_or_else(|open| panic!("{open:?}"));
    assert_eq!((verdict.stage(), verdict.kill().map(|kill| &kill.input)), ("checker", Some(&input(5))));
    assert_eq!(alarms, []);
}

#[test]
fn what_kills_a_mutant_beyond_the_sizes_of_a_proof_is_a_witness() {
    let small = Granted { limits: vec!["small".to_string()], size: Some(2), ..Granted::default() };
    let buffer = |elements: usize| Input {
        objects: vec![ir::Object {
            of: ir::TypeId(0),
            elements: vec![ir::Datum::Null; elements],
            constant: false,
        }],
        ..input(0)
    };
    assert!(small.covers(&buffer(2), || 1_000) && !small.covers(&buffer(3), || 1));
}

#[test]
fn a_kill_that_contradicts_an_earlier_proof_is_an_alarm() {
    let program = program();
    let native = Arc::new(Echo { program: &program, off_by: 0 });
    let checker = Checker::new(&program, native, Limits::default());
    let check = |claim: Claim, attacks: &[Input]| {
        Verdict::check(&checker, F, Mutant(1), "stage", claim, attacks)
            .unwrap_or_else(|open| panic!("{open:?}"))
    };
    // Nobody attacks it, and so it is believed.
    let proof = check(proof(up_to(8)), &[]);
    let kill = check(Claim::Killed(input(5)), &[]);
    checker.compare(Mutant(1), &proof, &kill);
    assert_eq!(checker.alarms().len(), 1);
    checker.compare(Mutant(1), &kill, &proof);
    assert_eq!(checker.alarms().len(), 1);
}

#[test]
fn a_solver_that_contradicts_is_an_alarm() {
    let (verdict, alarms) = check(2, proof(Granted::default()), 0, Some(false));
    assert!(verdict.is_err());
    assert_eq!(alarms, [Cause::SecondSolver]);
}

#[test]
fn a_machine_that_sees_something_else_is_an_alarm() {
    let (verdict, alarms) = check(1, Claim::Killed(input(5)), 1, None);
    assert!(verdict.is_err_and(|open| open.reason().contains("the original gives 6 on the machine and 5")));
    assert_eq!(alarms, [Cause::Machine]);
}

/// What a subject found: of mutant 1 if it was killed, of mutant 2 if not.
fn settled(claim: Claim) -> Settled {
    let mutant = if matches!(claim, Claim::Killed(_)) { 1 } else { 2 };
    let (verdict, _) = check(mutant, claim, 0, None);
    Settled { subject: F, mutant: Mutant(mutant), verdict, twin: None }
}

#[test]
fn a_proof_with_limits_is_limited_whoever_else_proves_more() {
    let conclude = |found: &[Settled]| conclude(&program(), found, &[]);
    let full = || settled(proof(Granted::default()));
    assert!(matches!(conclude(&[full(), full()]).ending(), Ending::Equivalent(_)));
    let limited = conclude(&[settled(proof(up_to(3))), full()]);
    let Ending::Limited(proved) = limited.ending() else { panic!("{limited:?}") };
    assert_eq!(proved.granted.limits, ["up to 3"]);
    let open = Settled { subject: F, mutant: Mutant(2), verdict: Err(Open::Untried), twin: None };
    assert_eq!(conclude(&[settled(proof(up_to(3))), open]), Conclusion::open(Open::Untried));
}

#[test]
fn callers_kill_and_a_proof_needs_all_of_those_who_may_break_it() {
    let conclude = |found: Granted, callers: &[Settled]| {
        let program = program();
        conclude(&program, &[settled(proof(found))], callers).ending().clone()
    };
    let doubtful = || Granted { caller_may_break: true, ..Granted::default() };
    let full = || settled(proof(Granted::default()));
    let killed = || settled(Claim::Killed(input(5)));
    assert!(matches!(conclude(doubtful(), &[]), Ending::Equivalent(_)));
    assert!(matches!(conclude(doubtful(), &[full(), full()]), Ending::Equivalent(_)));
    assert!(matches!(conclude(doubtful(), &[full(), killed()]), Ending::Killed { .. }));
    assert!(matches!(conclude(up_to(3), &[killed()]), Ending::Killed { .. }));
    let Ending::Limited(proved) = conclude(doubtful(), &[settled(proof(up_to(3))), full()]) else {
        panic!("a caller was not proved to keep to the assumptions")
    };
    assert_eq!(proved.granted.limits, ["`f` keeps to the assumptions when it calls `f`"]);
    // Its own proof takes nothing for granted that a caller decides.
    assert!(matches!(conclude(Granted::default(), &[settled(proof(up_to(3)))]), Ending::Equivalent(_)));
}

#[test]
fn what_a_static_function_shows_alone_counts_where_callers_leave_something() {
    let program = program();
    let nobody = BTreeSet::new();
    let with = |through: Conclusion, left: Left, alone: Settled, callers: &BTreeSet<FunctionId>| {
        conclude_alone(&program, through, left, &alone, callers).ending().clone()
    };
    let open = || Conclusion::open(Open::Untried);
    let limited = || conclude(&program, &[settled(proof(up_to(3)))], &[]);
    let full = || settled(proof(Granted::default()));
    let killed = || settled(Claim::Killed(input(5)));
    assert!(matches!(with(open(), Left::All, killed(), &nobody), Ending::Killed { alone: true, .. }));
    // No caller may make the call, and no difference was found within the limits of all of them.
    assert!(matches!(with(limited(), Left::Limits, killed(), &nobody), Ending::Limited(_)));
    assert!(matches!(with(limited(), Left::All, killed(), &nobody), Ending::Killed { alone: true, .. }));
    for through in [open(), limited()] {
        let Ending::Equivalent(proved) = with(through, Left::Limits, full(), &nobody) else {
            panic!("it holds for all callers")
        };
        assert_eq!(proved.alone, Some(F));
    }
    // What callers have proved or killed is not left to find out.
    assert_eq!(conclude(&program, &[full()], &[]).left(), None);
    assert_eq!(conclude(&program, &[killed()], &[]).left(), None);
    assert_eq!((open().left(), limited().left()), (Some(Left::All), Some(Left::Limits)));
    assert_eq!(Conclusion::open(Open::Stopped("".to_string())).left(), None);
    // Those who use the function may do what its proof takes for granted that they do not.
    let doubtful = || settled(proof(Granted { caller_may_break: true, ..Granted::default() }));
    assert!(matches!(with(open(), Left::All, doubtful(), &nobody), Ending::Equivalent(_)));
    let Ending::Limited(proved) = with(open(), Left::All, doubtful(), &BTreeSet::from([F])) else {
        panic!("nobody has asked the caller")
    };
    assert_eq!(proved.granted.limits, ["`f` keeps to the assumptions when it calls `f`"]);
}

/// What a checker makes of a claim about all values of the parameter of mutant
/// 3, and how many alarms there are.
fn parametric(claim: ParametricClaim, second: Option<bool>) -> (Conclusion, usize) {
    let program = program();
    let native = Arc::new(Echo { program: &program, off_by: 0 });
    let second = second.map(Says);
    let mut checker = Checker::new(&program, native, Limits::default());
    checker.second_opinion = second.map(|solver| Arc::new(solver) as Arc<dyn SecondOpinion>);
    let parameter = program.parameter().unwrap_or_else(|| panic!("there is one"));
    let parametric = ParametricMutant { mutant: Mutant(3), parameter, width: 32, signed: true };
    let conclusion = checker.parametric(F, parametric, claim, false, &inputs());
    (conclusion, checker.alarms().len())
}

#[test]
fn a_claim_about_all_numbers_is_attacked_and_confirmed_as_others_are() {
    let value = |it: i128| Word::from_signed(32, it);
    let right = ParametricClaim {
        tests: vec![(input(0), value(1))],
        equivalent: vec![value(0)],
        complete: true,
        obligations: vec![Obligation("(check-sat)".to_string())],
        ..ParametricClaim::default()
    };
    let holds = |conclusion: &Conclusion| matches!(conclusion.ending(), Ending::Parametric(_));
    for second in [None, Some(true)] {
        let (conclusion, alarms) = parametric(right.clone(), second);
        assert!(holds(&conclusion) && alarms == 0, "{conclusion:?}");
    }
    let wrong = ParametricClaim { equivalent: vec![value(0), value(7)], ..right.clone() };
    let untested = ParametricClaim { tests: vec![], ..right.clone() };
    for (claim, second) in [(wrong, None), (untested, None), (right.clone(), Some(false))] {
        let (conclusion, alarms) = parametric(claim, second);
        assert!(matches!(conclusion.ending(), Ending::Open(_)) && alarms == 1, "{conclusion:?}");
    }
    let bare = ParametricClaim { obligations: vec![], ..right };
    let (conclusion, alarms) = parametric(bare, Some(true));
    assert!(matches!(conclusion.ending(), Ending::Open(_)) && alarms == 0, "{conclusion:?}");
}
