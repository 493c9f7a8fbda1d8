//! What each idea buys: the papers' eight programs once more, each time without one of them.
//!
//! The stages are left out one by one, by the command. What a solver is asked, and which
//! one, is compared below the stages, on one thread and without anything that makes
//! queries easier: no sampling, no lockstep, no sweeping, no simulation of what was found.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use bv::{Domain, Op, Term, Terms, Word};
use ir::{FunctionId, Mutant, Space};
use lab::measure::{load, subjects};
use serde_json::{Value, json};
use smt::{Answer, Fuel, Process, Solver};
use stages::{Bounds, Encoding, Names, Plan, Request, Skeleton, difference};

use crate::Lab;
use crate::thesis::{MODEL, PROGRAMS, rounded};

/// The programs without arrays are the first ones.
const SCALARS: usize = 8;

/// Stages that are run, and what that leaves out.
const STAGES: [(&str, &str); 3] = [
    ("the whole of Whet", "canonical,simulate,inductive,bounded"),
    ("no simulation", "canonical,inductive,bounded"),
    ("no canonical", "simulate,inductive,bounded"),
];

/// A way of asking a solver: its name, and what it makes of a subject.
type Way = (&'static str, fn(&Subject) -> Tally);

const WAYS: [Way; 4] = [
    ("solver: one query for each mutant, one graph", one_by_one),
    ("solver: a free mutant number, with blocking", all_in_one),
    ("solver: a new solver and graph for each mutant", afresh),
    ("solver: Z3 in place of Bitwuzla", with_z3),
];

/// There are no loops, so that any bound will do.
const BOUNDS: Bounds = Bounds { iterations: 1, blocks: 20_000 };

/// For each query. Z3 knows no fuel of ours, and has as long as this lasts us.
const FUEL: Fuel = Fuel(50_000);
const GUARD: Duration = Duration::from_secs(5);

/// A way that has not settled a program by then has failed, and all that is left counts as open.
const PATIENCE: Duration = Duration::from_secs(40);

pub(crate) fn measure(lab: &Lab) -> Result<Value> {
    let mut rows = Vec::new();
    let mut note = |way: &str, program: &str, tally: Tally| {
        let Tally { killed, equivalent, open, time } = tally;
        let seconds = rounded(time.as_secs_f64());
        eprintln!("  {way}: {program}: {open} open, {seconds} s");
        rows.push(json!({"way": way, "program": program, "killed": killed, "equivalent": equivalent, "open": open, "seconds": seconds}));
    };
    for (way, stages) in STAGES {
        for (name, _, _) in &PROGRAMS[..SCALARS] {
            let folder = tempfile::tempdir()?;
            let arguments = [&MODEL[..], &["--stages", stages]].concat();
            let ran = lab.whet.run(&lab.program(&format!("thesis/{name}.c")), &arguments, folder.path())?;
            let count = |what: &str| ran.verdicts.count(what) as usize;
            let killed = count("killed") + count("duplicate");
            let time = Duration::from_secs_f64(ran.seconds);
            // What was looked at within limits only is not settled.
            let open = count("open") + count("limited");
            note(way, name, Tally { killed, equivalent: count("equivalent"), open, time });
        }
    }
    for (way, ask) in WAYS {
        for (name, _, _) in &PROGRAMS[..SCALARS] {
            let unit = load(&lab.program(&format!("thesis/{name}.c")), MODEL[1], llvm::Overflow::Wrap)?;
            let (function, mutants) = subjects(&unit).into_iter().next().context("there is a function")?;
            let subject = Subject { unit: &unit, plan: Plan::new(&unit.program), function, mutants };
            let started = Instant::now();
            let tally = ask(&subject);
            note(way, name, Tally { time: started.elapsed(), ..tally });
        }
    }
    Ok(json!(rows))
}

/// What became of the mutants.
#[derive(Clone, Copy, Default)]
struct Tally {
    killed: usize,
    equivalent: usize,
    open: usize,
    time: Duration,
}

impl Tally {
    fn add(&mut self, answer: Option<Answer>) {
        match answer {
            Some(Answer::Sat(_)) => self.killed += 1,
            Some(Answer::Unsat) => self.equivalent += 1,
            Some(Answer::Unknown) | None => self.open += 1,
        }
    }
}

struct Subject<'a> {
    unit: &'a llvm::Unit,
    plan: Plan<'a>,
    function: FunctionId,
    mutants: Vec<Mutant>,
}

/// The original in a term graph, and what it takes to ask about a mutant.
struct Graph<'a> {
    terms: Terms,
    names: Names,
    inputs: Skeleton<'a>,
    original: Encoding,
    valid: Term,
}

impl<'a> Graph<'a> {
    fn new(subject: &Subject<'a>) -> Graph<'a> {
        let Subject { unit, plan, function, .. } = subject;
        let (mut terms, mut names) = (Terms::new(), Names::default());
        let inputs = Skeleton::new(&unit.program, *function, &Space::default(), &mut terms);
        let request = Request { inputs: &inputs, mutant: Mutant::ORIGINAL, bounds: BOUNDS };
        let original = plan.encode(&mut terms, &mut names, request);
        let fine = terms.not(original.fault);
        let valid = terms.all([inputs.constraint, fine, original.returned]);
        Graph { terms, names, inputs, original, valid }
    }

    /// That an input kills a mutant.
    fn query(&mut self, subject: &Subject, mutant: Mutant) -> Term {
        let Graph { terms, names, inputs, .. } = self;
        let encoding = subject.plan.encode(terms, names, Request { inputs, mutant, bounds: BOUNDS });
        self.killed(&encoding)
    }

    fn killed(&mut self, mutant: &Encoding) -> Term {
        let Graph { terms, inputs, original, valid, .. } = self;
        let differ = difference(terms, inputs, original, mutant);
        let differs = terms.and(mutant.returned, differ.seen);
        let observed = terms.or(mutant.fault, differs);
        terms.and(*valid, observed)
    }
}

fn one_by_one(subject: &Subject) -> Tally {
    let (mut graph, mut solver) = (Graph::new(subject), Solver::new());
    one_after_the_other(subject, |mutant| {
        let query = graph.query(subject, mutant);
        solver.check(&graph.terms, &[query], FUEL).ok()
    })
}

fn afresh(subject: &Subject) -> Tally {
    one_after_the_other(subject, |mutant| {
        let mut graph = Graph::new(subject);
        let query = graph.query(subject, mutant);
        Solver::new().check(&graph.terms, &[query], FUEL).ok()
    })
}

fn with_z3(subject: &Subject) -> Tally {
    let mut graph = Graph::new(subject);
    let z3 = Process::new("z3", &["-in"]);
    one_after_the_other(subject, |mutant| {
        let query = graph.query(subject, mutant);
        match graph.terms.known(&query) {
            Some(word) if word.is_zero() => Some(Answer::Unsat),
            _ => z3.check(&graph.terms, &[query], GUARD).ok(),
        }
    })
}

fn one_after_the_other(subject: &Subject, mut ask: impl FnMut(Mutant) -> Option<Answer>) -> Tally {
    let started = Instant::now();
    let mut tally = Tally::default();
    for mutant in &subject.mutants {
        let in_time = started.elapsed() < PATIENCE;
        tally.add(if in_time { ask(*mutant) } else { None });
    }
    tally
}

/// The solver chooses the mutant, and is told to choose another one, until
/// there is none: what is left is equivalent.
fn all_in_one(subject: &Subject) -> Tally {
    let mut graph = Graph::new(subject);
    let number = graph.terms.variable("mutant", 32);
    let Graph { terms, names, inputs, .. } = &mut graph;
    let any = subject.plan.encode_any(terms, names, inputs, number, BOUNDS);
    let query = graph.killed(&any);
    let mut solver = Solver::new();
    let constant = |terms: &mut Terms, number: u32| terms.constant(Word::new(32, number.into()));
    // Mutants are numbered from 1 on.
    let end = constant(&mut graph.terms, subject.mutants.len() as u32 + 1);
    let zero = constant(&mut graph.terms, 0);
    let limits = [graph.terms.apply(Op::Ne, &[number, zero]), graph.terms.apply(Op::Ult, &[number, end])];
    limits.into_iter().for_each(|limit| solver.assert(&graph.terms, limit));

    let started = Instant::now();
    let mut tally = Tally::default();
    loop {
        let left = subject.mutants.len() - tally.killed;
        if started.elapsed() >= PATIENCE {
            return Tally { open: left, ..tally };
        }
        match solver.check(&graph.terms, &[query], FUEL) {
            Ok(Answer::Sat(model)) => {
                let found = graph.terms.eval(number, model.words());
                let found = graph.terms.constant(found);
                let other = graph.terms.apply(Op::Ne, &[number, found]);
                solver.assert(&graph.terms, other);
                tally.killed += 1;
            }
            Ok(Answer::Unsat) => return Tally { equivalent: left, ..tally },
            Ok(Answer::Unknown) | Err(_) => return Tally { open: left, ..tally },
        }
    }
}
