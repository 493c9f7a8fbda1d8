//! Parametric mutants: one verdict for all values of the parameter.
//!
//! A stage claims a list of tests, and that each value is killed by one of them or is equivalent.
//! The checker replays the tests, each with a value that it kills. Then it attacks the rest.
//! Values at the edges that no test kills must be equivalent, so no input may kill them.

use bv::Word;
use ir::{Datum, FunctionId, GlobalId, Input, Mutant, Outcome, run};

use crate::alarm::{Alarm, Cause};
use crate::check::{Budget, Rejection};
use crate::keep::seen_again;
use crate::verdict::Ending;
use crate::{Checker, Conclusion, Granted, Kill, Obligation, Open, Shown, observe, outcomes_differ};

/// The stage of these mutants.
pub(crate) const STAGE: &str = "parametric";

/// A mutant that reads a parameter in place of a constant or a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ParametricMutant {
    pub mutant: Mutant,
    /// The variable that holds the parameter.
    pub parameter: GlobalId,
    /// The bits of a value, and whether one of them is the sign.
    pub width: u32,
    pub signed: bool,
}

/// What is claimed of the values of a parametric mutant.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ParametricClaim {
    /// Inputs that kill, each with a value that it kills and none before it does.
    pub tests: Vec<(Input, Word)>,
    /// The values that make an equivalent mutant, as far as they are listed.
    pub equivalent: Vec<Word>,
    /// Whether there are more of these.
    pub more: bool,
    /// What the proofs of that take for granted.
    pub granted: Granted,
    /// What another solver has to confirm. Filled only when somebody will ask.
    pub obligations: Vec<Obligation>,
    /// A value that is left.
    pub left: Option<Word>,
    /// Whether every value is killed or equivalent.
    pub complete: bool,
    /// Each test kills one value.
    pub singly: bool,
}

/// What is known of a parametric mutant: a claim that survived the checker.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParametricVerdict {
    pub subject: FunctionId,
    /// Each kills some values that those before it do not. The inputs are without the parameter.
    pub tests: Vec<Kill>,
    /// What was claimed, and held.
    pub claim: ParametricClaim,
    /// The values that make an equivalent mutant, as C has them.
    pub except: Vec<String>,
    /// A value that no test kills, and nobody has proved equivalent.
    pub left: Option<String>,
    /// Whether the user wants all values dealt with, even if each needs a test of its own.
    pub strict: bool,
}

/// What is worth keeping of a verdict, without what can be computed again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KeptParametric {
    pub claim: ParametricClaim,
    /// How each test shows, and whether not even the machine saw the mutant end.
    pub shown: Vec<(Shown, bool)>,
}

impl ParametricMutant {
    /// The input with this value of the parameter.
    pub fn with(self, input: &Input, value: Word) -> Input {
        let mut input = input.clone();
        let word = Word::new(64, value.bits());
        input.globals.push((self.parameter, Datum::Word(word)));
        input.globals.sort_by_key(|(global, _)| *global);
        input
    }

    fn in_words(self, value: &Word) -> String {
        match self.signed {
            true => value.signed().to_string(),
            false => value.bits().to_string(),
        }
    }

    /// Numbers that a claim about all of them is most likely wrong about: the
    /// edges, and what is next to others.
    fn probes(self, near: impl Iterator<Item = Word>) -> Vec<Word> {
        let value = |value: i128| Word::from_signed(self.width, value);
        let edges = [0, 1, -1, 1i128 << (self.width - 1), (1i128 << (self.width - 1)) - 1].map(value);
        let next_to = |word: Word| [-1, 1].map(|by| value(word.signed() + by));
        let mut probes: Vec<Word> = edges.into_iter().chain(near.flat_map(next_to)).collect();
        probes.sort();
        probes.dedup();
        probes
    }
}

impl ParametricVerdict {
    fn new(
        subject: FunctionId,
        parametric: ParametricMutant,
        claim: ParametricClaim,
        tests: Vec<Kill>,
        strict: bool,
    ) -> ParametricVerdict {
        let except = claim.equivalent.iter().map(|value| parametric.in_words(value)).collect();
        let left = claim.left.as_ref().map(|value| parametric.in_words(value));
        ParametricVerdict { subject, tests, claim, except, left, strict }
    }

    /// Whether there is something left to do.
    pub fn is_open(&self) -> bool {
        !self.claim.complete && (self.strict || self.tests.is_empty())
    }

    /// What became of the values.
    pub fn in_words(&self) -> String {
        let ParametricClaim { more, complete, singly, .. } = self.claim;
        let tests = match self.tests.len() {
            1 => "1 test".to_string(),
            count => format!("{count} tests"),
        };
        let except = self.except.iter().map(|value| format!("p = {value}"));
        let except: Vec<String> = except.chain(more.then(|| "others".to_string())).collect();
        if complete && self.tests.is_empty() {
            return "equivalent for every p".to_string();
        }
        if complete {
            let except =
                if except.is_empty() { String::new() } else { format!(" except {}", except.join(", ")) };
            return format!("{tests}, for every p{except}");
        }
        let left = self.left.as_ref().map_or(String::new(), |value| format!(", the next is p = {value}"));
        match singly {
            true => format!("one test per value: {} killed{left}", self.tests.len()),
            false if self.left.is_none() => {
                format!("{tests}; no solver could tell whether they suffice for every p")
            }
            false => format!("{tests}, not for every p{left}"),
        }
    }
}

impl Checker<'_> {
    /// What follows from a claim about all values of a mutant, if it survives.
    pub fn parametric(
        &self,
        subject: FunctionId,
        parametric: ParametricMutant,
        claim: ParametricClaim,
        strict: bool,
        attacks: &[Input],
    ) -> Conclusion {
        let check = || {
            let tests = self.replay_tests(subject, parametric, &claim)?;
            self.attack_values(subject, parametric, &claim, attacks)?;
            let claims = claim.complete || !claim.obligations.is_empty();
            if claims {
                let method = "for every p";
                self.second_opinion(subject, parametric.mutant, STAGE, method, &claim.obligations)?;
            }
            Ok(tests)
        };
        match check() {
            Ok(tests) => {
                let verdict = ParametricVerdict::new(subject, parametric, claim.clone(), tests, strict);
                Conclusion::of(Ending::Parametric(verdict))
            }
            Err(Rejection(why)) => Conclusion::open(Open::Rejected(why)),
        }
    }

    fn replay_tests(
        &self,
        subject: FunctionId,
        parametric: ParametricMutant,
        claim: &ParametricClaim,
    ) -> Result<Vec<Kill>, Rejection> {
        let replay = |(input, value): &(Input, Word)| {
            let kill = self.kill(subject, parametric.mutant, &parametric.with(input, *value))?;
            Ok(Kill { input: input.clone(), ..kill })
        };
        claim.tests.iter().map(replay).collect()
    }

    /// Looks for an input that kills a value which is said to be equivalent.
    fn attack_values(
        &self,
        subject: FunctionId,
        parametric: ParametricMutant,
        claim: &ParametricClaim,
        attacks: &[Input],
    ) -> Result<(), Rejection> {
        let runs = |input: &Input, value: Word, fuel: u64| {
            run(self.program, subject, parametric.mutant, &parametric.with(input, value), fuel)
        };
        let tests: Vec<(&Input, Outcome)> = claim
            .tests
            .iter()
            .filter_map(|(input, _)| {
                let original = observe(self.program, subject, input, self.limits)?;
                Some((input, original.outcome))
            })
            .collect();
        // Whoever takes that long may have been killed by a time-out.
        let is_killed = |value: &Word| {
            tests.iter().any(|(input, original)| {
                let outcome = runs(input, *value, self.limits.mutant).outcome;
                outcomes_differ(original, &outcome) || outcome == Outcome::OutOfFuel
            })
        };
        let mut equivalent = claim.equivalent.clone();
        if claim.complete {
            let probes = parametric.probes(claim.tests.iter().map(|(_, value)| *value));
            equivalent.extend(probes.into_iter().filter(|value| !is_killed(value)));
        }
        let mut budget = Budget::default();
        for input in attacks {
            let Some(original) = observe(self.program, subject, input, self.limits) else { continue };
            for value in &equivalent {
                let changed = runs(input, *value, self.limits.mutant);
                if outcomes_differ(&original.outcome, &changed.outcome) {
                    let whole = parametric.with(input, *value);
                    let is_covered = self.has_covered(&claim.granted, subject, parametric.mutant, &whole);
                    let value = parametric.in_words(value);
                    let why = format!("p = {value} was claimed to be equivalent, but {input:?} kills it");
                    if is_covered {
                        self.alarm(Alarm {
                            input: Some(whole),
                            method: format!("equivalent for p = {value}"),
                            seen: why.clone(),
                            ..Alarm::new(Cause::Refuted, subject, parametric.mutant, STAGE)
                        });
                    }
                    return Err(Rejection(why));
                }
                budget.burn(changed.fuel);
            }
            if budget.is_spent() {
                break;
            }
        }
        Ok(())
    }
}

impl KeptParametric {
    /// None if there is no parametric verdict in it.
    pub fn of(conclusion: &Conclusion) -> Option<KeptParametric> {
        let Ending::Parametric(verdict) = conclusion.ending() else { return None };
        let shown =
            verdict.tests.iter().map(|kill| (kill.shown, kill.mutant == Outcome::OutOfFuel)).collect();
        let claim = ParametricClaim { obligations: vec![], ..verdict.claim.clone() };
        Some(KeptParametric { claim, shown })
    }

    /// What was found, as the checker saw it then. None if it cannot be so.
    pub fn recall(
        self,
        checker: &Checker,
        subject: FunctionId,
        parametric: ParametricMutant,
        strict: bool,
    ) -> Option<Conclusion> {
        let KeptParametric { claim, shown } = self;
        if claim.tests.len() != shown.len() {
            return None;
        }
        let again = |((input, value), (shown, hangs)): (&(Input, Word), &(Shown, bool))| {
            let whole = parametric.with(input, *value);
            let kill = seen_again(checker, subject, parametric.mutant, whole, *shown, *hangs)?;
            Some(Kill { input: input.clone(), ..kill })
        };
        let tests: Option<Vec<Kill>> = claim.tests.iter().zip(&shown).map(again).collect();
        let verdict = ParametricVerdict::new(subject, parametric, claim.clone(), tests?, strict);
        Some(Conclusion::of(Ending::Parametric(verdict)))
    }
}
