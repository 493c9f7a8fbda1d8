//! Mutants with an unknown number in them: one verdict for all numbers.
//!
//! What is claimed is a list of tests, and that each number is killed by one of them or equivalent. The checker replays the tests, each with a number that
//! it kills, and attacks the rest: numbers at the edges that no test kills must be equivalent, and so no input may kill them.

use bv::Word;
use ir::{Datum, FunctionId, GlobalId, Input, Mutant, Outcome, run};

use crate::alarm::{Alarm, Cause};
use crate::check::{Budget, Rejection};
use crate::keep::seen_again;
use crate::verdict::Ending;
use crate::{Checker, Conclusion, Granted, Kill, Obligation, Open, Shown, observe, outcomes_differ};

/// The stage of these mutants.
pub(crate) const STAGE: &str = "parametric";

/// A mutant with an unknown number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unknown {
    pub mutant: Mutant,
    /// The variable that is read for it.
    pub parameter: GlobalId,
    /// The bits of the number, and whether one of them is the sign.
    pub width: u32,
    pub signed: bool,
}

/// What is claimed of the numbers of a mutant.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Members {
    /// Inputs that kill, each with a number that it kills and none before it does.
    pub tests: Vec<(Input, Word)>,
    /// The numbers that make an equivalent mutant, as far as they are listed.
    pub equivalent: Vec<Word>,
    /// Whether there are more of these.
    pub more: bool,
    /// What the proofs of that take for granted.
    pub granted: Granted,
    /// What another solver has to confirm. Filled only when somebody will ask.
    pub obligations: Vec<Obligation>,
    /// A number that is left.
    pub left: Option<Word>,
    /// Whether every number is killed or equivalent.
    pub complete: bool,
    /// Each test kills one number.
    pub singly: bool,
}

/// What is known of a mutant with an unknown number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Family {
    pub subject: FunctionId,
    /// Each kills some numbers that those before it do not. The inputs are without the unknown.
    pub tests: Vec<Kill>,
    /// What was claimed, and held.
    pub members: Members,
    /// The numbers that make an equivalent mutant, as C has them.
    pub except: Vec<String>,
    /// A number that no test kills, and nobody has proved equivalent.
    pub left: Option<String>,
    /// Whether the user wants all numbers dealt with, even if each needs a test of its own.
    pub strict: bool,
}

/// What is worth keeping of a family, without what can be computed again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KeptFamily {
    pub members: Members,
    /// How each test shows, and whether not even the machine saw the mutant end.
    pub shown: Vec<(Shown, bool)>,
}

impl Unknown {
    /// An input with a number in it.
    pub fn with(self, input: &Input, number: Word) -> Input {
        let mut input = input.clone();
        let word = Word::new(64, number.bits());
        input.globals.push((self.parameter, Datum::Word(word)));
        input.globals.sort_by_key(|(global, _)| *global);
        input
    }

    fn in_words(self, number: &Word) -> String {
        match self.signed {
            true => number.signed().to_string(),
            false => number.bits().to_string(),
        }
    }

    /// Numbers that a claim about all of them is most likely wrong about: the edges, and what is next to others.
    fn probes(self, near: impl Iterator<Item = Word>) -> Vec<Word> {
        let number = |value: i128| Word::from_signed(self.width, value);
        let edges = [0, 1, -1, 1i128 << (self.width - 1), (1i128 << (self.width - 1)) - 1].map(number);
        let next_to = |word: Word| [-1, 1].map(|by| number(word.signed() + by));
        let mut probes: Vec<Word> = edges.into_iter().chain(near.flat_map(next_to)).collect();
        probes.sort();
        probes.dedup();
        probes
    }
}

impl Family {
    fn new(
        subject: FunctionId,
        unknown: Unknown,
        members: Members,
        tests: Vec<Kill>,
        strict: bool,
    ) -> Family {
        let except = members.equivalent.iter().map(|number| unknown.in_words(number)).collect();
        let left = members.left.as_ref().map(|number| unknown.in_words(number));
        Family { subject, tests, members, except, left, strict }
    }

    /// Whether there is something left to do.
    pub fn is_open(&self) -> bool {
        !self.members.complete && (self.strict || self.tests.is_empty())
    }

    /// What became of the numbers.
    pub fn in_words(&self) -> String {
        let Members { more, complete, singly, .. } = self.members;
        let tests = match self.tests.len() {
            1 => "1 test".to_string(),
            count => format!("{count} tests"),
        };
        let except = self.except.iter().map(|number| format!("p = {number}"));
        let except: Vec<String> = except.chain(more.then(|| "others".to_string())).collect();
        if complete && self.tests.is_empty() {
            return "equivalent for every p".to_string();
        }
        if complete {
            let except =
                if except.is_empty() { String::new() } else { format!(" except {}", except.join(", ")) };
            return format!("{tests}, for every p{except}");
        }
        let left = self.left.as_ref().map_or(String::new(), |number| format!(", the next is p = {number}"));
        match singly {
            true => format!("one test per value: {} killed{left}", self.tests.len()),
            false if self.left.is_none() => format!("{tests}; whether for every p, no solver could say"),
            false => format!("{tests}, not for every p{left}"),
        }
    }
}

impl Checker<'_> {
    /// What follows from a claim about all numbers of a mutant, if it survives.
    pub fn family(
        &self,
        subject: FunctionId,
        unknown: Unknown,
        members: Members,
        strict: bool,
        attacks: &[Input],
    ) -> Conclusion {
        let check = || {
            let tests = self.replay_tests(subject, unknown, &members)?;
            self.attack_family(subject, unknown, &members, attacks)?;
            let claims = members.complete || !members.obligations.is_empty();
            if claims {
                let method = "for every p";
                self.second_opinion(subject, unknown.mutant, STAGE, method, &members.obligations)?;
            }
            Ok(tests)
        };
        match check() {
            Ok(tests) => {
                let family = Family::new(subject, unknown, members.clone(), tests, strict);
                Conclusion::of(Ending::Family(family))
            }
            Err(Rejection(why)) => Conclusion::open(Open::Rejected(why)),
        }
    }

    fn replay_tests(
        &self,
        subject: FunctionId,
        unknown: Unknown,
        members: &Members,
    ) -> Result<Vec<Kill>, Rejection> {
        let replay = |(input, number): &(Input, Word)| {
            let kill = self.kill(subject, unknown.mutant, &unknown.with(input, *number))?;
            Ok(Kill { input: input.clone(), ..kill })
        };
        members.tests.iter().map(replay).collect()
    }

    /// Looks for an input that kills a number which is said to be equivalent.
    fn attack_family(
        &self,
        subject: FunctionId,
        unknown: Unknown,
        members: &Members,
        attacks: &[Input],
    ) -> Result<(), Rejection> {
        let runs = |input: &Input, number: Word, fuel: u64| {
            run(self.program, subject, unknown.mutant, &unknown.with(input, number), fuel)
        };
        let tests: Vec<(&Input, Outcome)> = members
            .tests
            .iter()
            .filter_map(|(input, _)| {
                let original = observe(self.program, subject, input, self.limits)?;
                Some((input, original.outcome))
            })
            .collect();
        // Whoever takes that long may have been killed by a time-out.
        let is_killed = |number: &Word| {
            tests.iter().any(|(input, original)| {
                let outcome = runs(input, *number, self.limits.mutant).outcome;
                outcomes_differ(original, &outcome) || outcome == Outcome::OutOfFuel
            })
        };
        let mut equivalent = members.equivalent.clone();
        if members.complete {
            let probes = unknown.probes(members.tests.iter().map(|(_, number)| *number));
            equivalent.extend(probes.into_iter().filter(|number| !is_killed(number)));
        }
        let mut budget = Budget::default();
        for input in attacks {
            let Some(original) = observe(self.program, subject, input, self.limits) else { continue };
            for number in &equivalent {
                let changed = runs(input, *number, self.limits.mutant);
                if outcomes_differ(&original.outcome, &changed.outcome) {
                    let whole = unknown.with(input, *number);
                    let is_covered = self.has_covered(&members.granted, subject, unknown.mutant, &whole);
                    let number = unknown.in_words(number);
                    let why = format!("p = {number} was said to be equivalent, and {input:?} kills it");
                    if is_covered {
                        self.alarm(Alarm {
                            input: Some(whole),
                            method: format!("equivalent for p = {number}"),
                            seen: why.clone(),
                            ..Alarm::new(Cause::Refuted, subject, unknown.mutant, STAGE)
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

impl KeptFamily {
    /// None if there is no family in it, or one that another attempt may well settle.
    pub fn of(conclusion: &Conclusion) -> Option<KeptFamily> {
        let Ending::Family(family) = conclusion.ending() else { return None };
        let shown = family.tests.iter().map(|kill| (kill.shown, kill.mutant == Outcome::OutOfFuel)).collect();
        let members = Members { obligations: vec![], ..family.members.clone() };
        Some(KeptFamily { members, shown })
    }

    /// What was found, as the checker saw it then. None if it cannot be so.
    pub fn recall(
        self,
        checker: &Checker,
        subject: FunctionId,
        unknown: Unknown,
        strict: bool,
    ) -> Option<Conclusion> {
        let KeptFamily { members, shown } = self;
        if members.tests.len() != shown.len() {
            return None;
        }
        let again = |((input, number), (shown, hangs)): (&(Input, Word), &(Shown, bool))| {
            let whole = unknown.with(input, *number);
            let kill = seen_again(checker, subject, unknown.mutant, whole, *shown, *hangs)?;
            Some(Kill { input: input.clone(), ..kill })
        };
        let tests: Option<Vec<Kill>> = members.tests.iter().zip(&shown).map(again).collect();
        let family = Family::new(subject, unknown, members.clone(), tests?, strict);
        Some(Conclusion::of(Ending::Family(family)))
    }
}
