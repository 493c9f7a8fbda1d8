//! A survey of a subject: which places valid inputs reach, and what makes inputs invalid.
//!
//! A proof about a place that no valid input reaches is true, and worth nothing. The
//! reason is often a bug of the original: every input that would reach the place breaks
//! a rule of C first. So every proof is compared with the survey before it is reported.
//!
//! The original is blamed only if the inputs themselves cannot be the reason ([`is_excused`]).
//! A real caller may have what our inputs lack: a longer buffer, a pointer in place of null,
//! two pointers into one buffer, or a function elsewhere that assigns something.

use std::collections::BTreeSet;

use ir::interpret::{Misdeed, Victim, explain, run_watched};
use ir::rules::Access;
use ir::{
    Datum, Fault, Function, FunctionId, Infection, Input, Mutant, Outcome, Position, Program, SiteId,
    looks_at_addresses, reachable_externals,
};

use crate::Limits;

/// What a survey may burn, in blocks: some hundredths of a second.
const FUEL: u64 = 300_000;

/// What inputs do to the original.
#[derive(Clone, Debug, Default)]
pub struct Survey {
    pub subject: Option<FunctionId>,
    /// How many inputs were tried.
    pub tried: usize,
    /// How many inputs were valid.
    valid: usize,
    /// The arguments of the inputs on which nothing goes wrong, or on which the program ends.
    fine: Vec<Vec<Datum>>,
    /// The sites that valid inputs reach.
    reached: BTreeSet<SiteId>,
    /// What the original does wrong, most frequent first.
    wrongs: Vec<Wrong>,
}

/// Something that the original does wrong.
#[derive(Clone, Debug)]
struct Wrong {
    fault: Fault,
    at: Option<Position>,
    /// The first input on which it happens: inputs come simplest first.
    input: Input,
    misdeed: Option<Misdeed>,
    /// How many of the inputs that were tried make it happen.
    inputs: usize,
    /// The arguments of these inputs.
    arguments: Vec<Vec<Datum>>,
    /// The sites that these inputs reach.
    sites: BTreeSet<SiteId>,
}

/// Something that the original does wrong, and on which mutants depend: no
/// valid input comes to them because of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    pub subject: FunctionId,
    pub fault: Fault,
    pub at: Option<Position>,
    /// What happens: ``reads before `numbers` ``.
    pub what: String,
    /// When it happens, as far as a simple rule tells: `size > 0`.
    pub when: Option<String>,
    /// The simplest input on which it happens.
    pub input: Input,
    /// How many inputs make it happen, of those that were tried.
    pub inputs: usize,
    pub tried: usize,
    pub mutants: Vec<Mutant>,
}

impl Finding {
    /// What happens and when, in a sentence without an end.
    pub fn in_words(&self) -> String {
        let mutants = match self.mutants.len() {
            1 => "1 mutant depends".to_string(),
            many => format!("{many} mutants depend"),
        };
        format!("{}; {mutants} on it", self.what_and_when())
    }

    pub(crate) fn what_and_when(&self) -> String {
        let when = match &self.when {
            Some(when) => format!("whenever {when}"),
            None => format!("on {} of {} inputs that were tried", self.inputs, self.tried),
        };
        format!("{} {when}", self.what)
    }
}

impl Survey {
    /// Tries inputs on the original, until valid ones have reached all sites
    /// that are wanted, there are no more, or enough fuel is burned.
    pub fn new<'i>(
        program: &Program,
        subject: FunctionId,
        inputs: impl IntoIterator<Item = &'i Input>,
        wanted: &BTreeSet<SiteId>,
        limits: Limits,
    ) -> Survey {
        let mut survey = Survey { subject: Some(subject), ..Survey::default() };
        let mut fuel = FUEL;
        for input in inputs {
            if fuel == 0 || (survey.has_valid() && wanted.is_subset(&survey.reached)) {
                break;
            }
            let mut infection = Infection::new(program);
            let run = run_watched(program, subject, input, limits.short().original, &mut infection);
            survey.note(program, input, &run.outcome, &infection, limits);
            fuel = fuel.saturating_sub(run.fuel);
        }
        survey.wrongs.sort_by_key(|wrong| std::cmp::Reverse(wrong.inputs));
        survey
    }

    fn note(
        &mut self,
        program: &Program,
        input: &Input,
        outcome: &Outcome,
        infection: &Infection,
        limits: Limits,
    ) {
        self.tried += 1;
        let sites = infection.sites();
        let (fault, at) = match outcome {
            Outcome::Returned(_) => {
                self.reached.extend(sites);
                self.valid += 1;
                self.fine.push(input.arguments.clone());
                return;
            }
            // To end the program is no mistake, and to go on for long need not be one.
            Outcome::Faulted(Fault::Exit | Fault::Abort | Fault::Assertion, _)
            | Outcome::OutOfFuel
            | Outcome::Diverged
            | Outcome::Unsupported(..) => {
                self.fine.push(input.arguments.clone());
                return;
            }
            Outcome::Faulted(fault, at) => (*fault, *at),
        };
        let misdeed = self.subject.and_then(|it| explain(program, it, input, limits.short().original));
        if self.subject.is_some_and(|subject| is_excused(program, subject, input, fault, misdeed)) {
            return;
        }
        let known = self.wrongs.iter_mut().find(|wrong| (wrong.fault, wrong.at) == (fault, at));
        let wrong = match known {
            Some(wrong) => wrong,
            None => {
                let (input, arguments, sites) = (input.clone(), vec![], BTreeSet::new());
                self.wrongs.push(Wrong { fault, at, input, misdeed, inputs: 0, arguments, sites });
                self.wrongs.last_mut().expect("it was just put there")
            }
        };
        wrong.inputs += 1;
        wrong.arguments.push(input.arguments.clone());
        wrong.sites.extend(sites);
    }

    /// Whether a valid input comes to a site.
    pub fn reaches(&self, site: SiteId) -> bool {
        self.reached.contains(&site)
    }

    /// Whether there is a valid input at all.
    pub fn has_valid(&self) -> bool {
        self.valid > 0
    }

    /// Notes what one more valid input reaches.
    pub fn add(&mut self, infection: &Infection) {
        self.reached.extend(infection.sites());
    }

    /// What the original does wrong that keeps valid inputs away from these mutants.
    pub fn findings(&self, program: &Program, mutants: &[Mutant]) -> Vec<Finding> {
        let Some(subject) = self.subject else { return vec![] };
        let finding = |(wrong, mutants): (&Wrong, Vec<Mutant>)| Finding {
            subject,
            fault: wrong.fault,
            at: wrong.at,
            what: wrong.in_words(program, subject),
            when: self.when(program, wrong),
            input: wrong.input.clone(),
            inputs: wrong.inputs,
            tried: self.tried,
            mutants,
        };
        self.blame(program, mutants).into_iter().map(finding).collect()
    }

    /// What keeps valid inputs away from these mutants: what the original does wrong on inputs that
    /// come to them, or that could come there by no other way. Each with the mutants that depend on it.
    fn blame(&self, program: &Program, mutants: &[Mutant]) -> Vec<(&Wrong, Vec<Mutant>)> {
        let mut blamed: Vec<(&Wrong, Vec<Mutant>)> = Vec::new();
        let behind: Vec<BTreeSet<SiteId>> = self.wrongs.iter().map(|wrong| behind(program, wrong)).collect();
        for mutant in mutants {
            let Some(site) = program.site_of(*mutant) else { continue };
            let comes = |at: &usize| self.wrongs[*at].sites.contains(&site) || behind[*at].contains(&site);
            let Some(at) = (0..self.wrongs.len()).find(comes) else { continue };
            let wrong = &self.wrongs[at];
            match blamed.iter_mut().find(|(it, _)| std::ptr::eq(*it, wrong)) {
                Some((_, mutants)) => mutants.push(*mutant),
                None => blamed.push((wrong, vec![*mutant])),
            }
        }
        blamed
    }

    /// When something goes wrong, as far as a simple rule about one argument tells: `size > 0`.
    fn when(&self, program: &Program, wrong: &Wrong) -> Option<String> {
        let parameters = &program.function(self.subject?).signature.parameters;
        (0..parameters.len()).find_map(|at| {
            let of = |inputs: &[Vec<Datum>]| -> Option<Vec<i128>> {
                inputs.iter().map(|arguments| number(program, parameters[at].of, &arguments[at])).collect()
            };
            let rule = rule(&of(&wrong.arguments)?, &of(&self.fine)?)?;
            Some(match matches!(program.of(parameters[at].of), ir::Type::Pointer(_)) {
                true if rule == "== 0" => format!("{} is null", parameters[at].name),
                true if rule == "!= 0" => format!("{} is not null", parameters[at].name),
                true => return None,
                false => format!("{} {rule}", parameters[at].name),
            })
        })
    }
}

impl Wrong {
    /// What happens, in words: ``reads before `numbers` ``.
    fn in_words(&self, program: &Program, subject: FunctionId) -> String {
        let plain = || self.fault.text().to_string();
        let Some(Misdeed { access, of, offset }) = self.misdeed else { return plain() };
        let how = match access {
            Access::Read => "reads",
            Access::Write => "writes",
        };
        let parameters = &program.function(subject).signature.parameters;
        let points = |object: u32| move |argument: &Datum| matches!(argument, Datum::Pointer { object: it, .. } if *it == object);
        let name = match of {
            Victim::Input(object) => self
                .input
                .arguments
                .iter()
                .position(points(object))
                .map(|at| format!("`{}`", parameters[at].name)),
            Victim::Global(global) => Some(format!("`{}`", program.global(global).name)),
            Victim::Made | Victim::Nothing => None,
        };
        let name = name.unwrap_or_else(|| "an object".to_string());
        match self.fault {
            Fault::NullAccess => format!("{how} through a null pointer"),
            Fault::OutOfBounds | Fault::Stray if of == Victim::Nothing => plain(),
            Fault::OutOfBounds | Fault::Stray if offset < 0 => format!("{how} before {name}"),
            Fault::OutOfBounds | Fault::Stray => format!("{how} beyond the end of {name}"),
            _ => plain(),
        }
    }
}

/// Whether a fault may be the fault of our inputs, and not of the original:
/// other inputs, which we do not try, may not have it.
fn is_excused(
    program: &Program,
    subject: FunctionId,
    input: &Input,
    fault: Fault,
    misdeed: Option<Misdeed>,
) -> bool {
    match fault {
        // A number of ours is no address.
        Fault::NullAccess | Fault::Stray if looks_at_addresses(program, subject) => true,
        // A function need not take null pointers, and some of ours are null
        // only because they are nested too deeply.
        Fault::NullAccess | Fault::NullArgument | Fault::InvalidCall => has_null(input),
        // A caller may have a longer buffer.
        Fault::OutOfBounds | Fault::Stray => matches!(
            misdeed,
            Some(Misdeed { of: Victim::Input(_), offset: 0.., .. } | Misdeed { of: Victim::Nothing, .. })
                | None
        ),
        // A caller may have pointers into one buffer.
        Fault::ForeignPointers | Fault::FarPointer | Fault::AddressAsNumber => true,
        // The input is at fault.
        Fault::ImpossibleResult | Fault::NoCommandLine => true,
        // A caller passes arguments in the place of `...`, and no input of ours does.
        Fault::Argument => program.function(subject).signature.variadic,
        // A caller may have sorted the array, and so on.
        Fault::LeftOpen => true,
        // A function elsewhere may assign it.
        Fault::UninitialisedRead => {
            reachable_externals(program, subject).into_iter().any(|id| !program.external(id).prints)
        }
        _ => false,
    }
}

fn has_null(input: &Input) -> bool {
    fn is_null(datum: &Datum) -> bool {
        match datum {
            Datum::Null => true,
            Datum::Aggregate(parts) => parts.iter().any(is_null),
            _ => false,
        }
    }
    let inside = input.objects.iter().flat_map(|object| &object.elements);
    let globals = input.globals.iter().map(|(_, datum)| datum);
    let results = input.results.iter().flat_map(|(_, results)| results);
    input.arguments.iter().chain(inside).chain(globals).chain(results).any(is_null)
}

/// The sites that a run comes to only if it gets past the place where something goes wrong.
fn behind(program: &Program, wrong: &Wrong) -> BTreeSet<SiteId> {
    let Some(at) = wrong.at else { return BTreeSet::new() };
    let is_there = |instruction: &ir::Instruction| instruction.at == Some(at);
    let guarded = |function: &Function| {
        let stops = |block: &ir::Block| block.instructions.iter().position(is_there);
        let mut before = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut todo = vec![Function::ENTRY];
        while let Some(id) = todo.pop().filter(|_| !function.blocks.is_empty()) {
            if !seen.insert(id) {
                continue;
            }
            let block = function.block(id);
            let end = stops(block);
            before.extend(
                block.instructions[..end.unwrap_or(block.instructions.len())].iter().filter_map(site),
            );
            if end.is_none() {
                todo.extend(block.end.edges().iter().map(|edge| edge.to));
            }
        }
        let all = function.blocks.iter().flat_map(|block| &block.instructions).filter_map(site);
        all.filter(|site| !before.contains(site)).collect::<Vec<_>>()
    };
    let has =
        |function: &&Function| function.blocks.iter().flat_map(|block| &block.instructions).any(is_there);
    program.functions.iter().filter(has).flat_map(guarded).collect()
}

fn site(instruction: &ir::Instruction) -> Option<SiteId> {
    match instruction.action {
        ir::Action::Site { site, .. } => Some(site),
        _ => None,
    }
}

/// An argument as a number: an integer by its sign, a pointer as whether it is there.
fn number(program: &Program, of: ir::TypeId, datum: &Datum) -> Option<i128> {
    match (program.of(of), datum) {
        (ir::Type::Integer(integer), Datum::Word(word)) => {
            Some(if integer.signed { word.signed() } else { word.bits() as i128 })
        }
        (_, Datum::Null) => Some(0),
        (_, Datum::Pointer { .. } | Datum::Function(_)) => Some(1),
        _ => None,
    }
}

/// What holds for all numbers of the first list and none of the second, in the simplest way.
fn rule(wrong: &[i128], valid: &[i128]) -> Option<String> {
    let (least, most) = (*wrong.iter().min()?, *wrong.iter().max()?);
    let (Some(lowest), Some(highest)) = (valid.iter().min(), valid.iter().max()) else { return None };
    if least > *highest {
        return Some(if *highest <= 0 && least > 0 { "> 0".to_string() } else { format!("> {highest}") });
    }
    if most < *lowest {
        return Some(if *lowest >= 0 && most < 0 { "< 0".to_string() } else { format!("< {lowest}") });
    }
    if least == most && !valid.contains(&least) {
        return Some(format!("== {least}"));
    }
    if lowest == highest && !wrong.contains(lowest) {
        return Some(format!("!= {lowest}"));
    }
    None
}

#[cfg(test)]
mod tests {
    use bv::Word;

    use super::*;

    /// A function that reads before its buffer whenever its number is positive.
    const PROGRAM: &str = r#"
        type 0 = s32 "int"
        type 1 = pointer "int *" to type 0
        function @f(%0 numbers: type 1, %1 size: type 0) -> type 0 {
        block0: %2:i1 = slt 0:i32, %1 branch %2, block1, block2
        block1: %3:i64 = offset %0, -4:i64 %4:i32 = load.i32 %3 @ 9:5 %5:i32 = site 0(%4) return %5
        block2: return 0:i32 }
        site 0(%0:i32) -> i32 { original: return %0 mutant 1: %1 = add %0, 1:i32 return %1 }"#;

    fn input(size: i128) -> Input {
        let element = Datum::Word(Word::zero(32));
        let object = ir::Object { of: ir::TypeId(0), elements: vec![element], constant: false };
        let arguments =
            vec![Datum::Pointer { object: 0, element: 0 }, Datum::Word(Word::from_signed(32, size))];
        Input { arguments, objects: vec![object], ..Input::default() }
    }

    #[test]
    fn what_goes_wrong_is_named_with_the_inputs_that_make_it_happen() {
        let program = ir::parse(PROGRAM).unwrap_or_else(|error| panic!("{error}"));
        let inputs = [0, 1, -1, 5].map(input);
        let wanted = BTreeSet::from([SiteId(0)]);
        let survey = Survey::new(&program, FunctionId(0), &inputs, &wanted, Limits::default());
        assert_eq!(survey.tried, 4);
        assert!(!survey.reaches(SiteId(0)));
        let findings = survey.findings(&program, &[Mutant(1)]);
        let [finding] = &findings[..] else { panic!("{findings:?}") };
        assert_eq!((finding.inputs, finding.at.map(|at| at.line)), (2, Some(9)));
        assert_eq!(finding.in_words(), "reads before `numbers` whenever size > 0; 1 mutant depends on it");
    }

    #[test]
    fn rules_are_simple() {
        let check = |wrong: &[i128], valid: &[i128], expect: Option<&str>| {
            assert_eq!(rule(wrong, valid).as_deref(), expect, "{wrong:?} {valid:?}");
        };
        check(&[1, 5], &[0, -3], Some("> 0"));
        check(&[-1, -5], &[0, 3], Some("< 0"));
        check(&[9, 10], &[8, 1], Some("> 8"));
        check(&[0], &[-1, 1], Some("== 0"));
        check(&[-1, 1], &[0], Some("!= 0"));
        check(&[1, 3], &[2, 4], None);
        check(&[1], &[], None);
    }
}
