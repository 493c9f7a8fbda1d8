//! Canonical: optimise original and mutants; equal code is a proof.
//!
//! Cheap and surprisingly strong, so it comes before any solver. The input is the meta-mutant in the form that is to be
//! compared ([`DefinedForm::Compare`](crate::define::DefinedForm)): with no undefined behaviour left, LLVM cannot "prove" a fault away by
//! exploiting it.
//!
//! There are two levels. The mutated function by itself: what holds of it holds wherever it is called from. And the function
//! that a test calls, with all that it calls inlined, where more is known, but only of that function.
//!
//! After Riener's Optimizer and MetaOptimizer (2011), and trivial compiler equivalence (Papadakis et al., 2015).

mod copies;
mod form;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::passes::PassBuilderOptions;
use ir::{FunctionId, Mutant};
use rayon::prelude::*;

use crate::{Error, Unit, native};
use copies::{Copies, Texts};
use form::{CanonicalForm, Names, form};

/// One fixed list. The first line takes memory apart into values, the second finds what is equal or constant, the third
/// brings loops into one shape, and the last cleans up what the others left.
const PASSES: &str = "always-inline,function(\
    sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg,\
    reassociate,gvn,sccp,constraint-elimination,correlated-propagation,adce,\
    loop-simplify,loop(loop-rotate),indvars,\
    instcombine<no-verify-fixpoint>,simplifycfg,early-cse<memssa>,gvn,instcombine<no-verify-fixpoint>,simplifycfg,adce)";

/// Mutants that are optimised in one module. Modules are independent, so that threads share the work.
const BATCH: usize = 32;

/// A call with more lines than this, when all is inlined, is not looked at as a whole.
const LINES: usize = 2_000;

/// Which mutants have the same code.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Canonical {
    /// The smallest number with the same code of the mutated function.
    alone: HashMap<Mutant, Mutant>,
    /// The same for the function that is called, with everything inlined; of the smallest numbers above.
    inlined: HashMap<(FunctionId, Mutant), Mutant>,
}

impl Canonical {
    /// The smallest number whose code is the same when this function is called: 0 is the original.
    pub fn representative(&self, subject: FunctionId, mutant: Mutant) -> Mutant {
        let alone = self.alone.get(&mutant).copied().unwrap_or(mutant);
        self.inlined.get(&(subject, alone)).copied().unwrap_or(alone)
    }

    /// Whether the mutated function has the original's code, whoever calls it.
    pub fn is_original(&self, mutant: Mutant) -> bool {
        self.alone.get(&mutant) == Some(&Mutant::ORIGINAL)
    }
}

/// Optimises the original and mutants, and compares. `subjects` are the functions that are called, each with the mutants
/// that it judges.
pub fn canonical(unit: &Unit, subjects: &[(FunctionId, Vec<Mutant>)]) -> Result<Canonical, Error> {
    let texts = Texts::new(&unit.comparable);
    let mut homes: BTreeMap<&[String], Vec<Mutant>> = BTreeMap::new();
    let judged: BTreeSet<Mutant> = subjects.iter().flat_map(|(_, mutants)| mutants).copied().collect();
    for mutant in judged {
        homes.entry(unit.homes(mutant)).or_default().push(mutant);
    }
    let mut canonical = Canonical::default();
    for (homes, mutants) in homes.iter().filter(|(homes, _)| homes.iter().all(|home| texts.has(home))) {
        canonical.alone.extend(alone(&texts, homes, mutants)?);
    }
    for (subject, mutants) in subjects {
        let entry = &unit.program.function(*subject).name;
        let first = |mutant: &Mutant| canonical.alone.get(mutant) == Some(mutant);
        for (homes, own) in &homes {
            let own: Vec<Mutant> =
                own.iter().copied().filter(|it| first(it) && mutants.contains(it)).collect();
            let Some(inlining) = Inlining::new(&texts, entry, homes).filter(|_| !own.is_empty()) else {
                continue;
            };
            let found = classes(&texts, &own, |copies, mutant| {
                copies.add(entry, mutant, &|callee| inlining.of(callee, mutant))
            })?;
            canonical.inlined.extend(found.into_iter().map(|(mutant, first)| ((*subject, mutant), first)));
        }
    }
    Ok(canonical)
}

/// For each mutant the smallest number, 0 included, with the same code of every function that they change.
fn alone(texts: &Texts, homes: &[String], mutants: &[Mutant]) -> Result<Vec<(Mutant, Mutant)>, Error> {
    let mut codes: BTreeMap<Mutant, Vec<Mutant>> = BTreeMap::new();
    for home in homes {
        for (mutant, first) in classes(texts, mutants, |copies, mutant| copies.add(home, mutant, &|_| None))?
        {
            codes.entry(mutant).or_default().push(first);
        }
    }
    let mut first: HashMap<Vec<Mutant>, Mutant> = HashMap::new();
    first.insert(vec![Mutant::ORIGINAL; homes.len()], Mutant::ORIGINAL);
    Ok(codes.into_iter().map(|(mutant, code)| (mutant, *first.entry(code).or_insert(mutant))).collect())
}

/// How the functions that an entry leads to are inlined, for mutants of one of them, or of some.
struct Inlining<'t> {
    inlined: BTreeSet<&'t str>,
    /// Those that lead to the mutants.
    leading: BTreeSet<&'t str>,
}

impl<'t> Inlining<'t> {
    /// None if it would say nothing new, or something wrong: what is called through a pointer, or calls itself by way of
    /// others, stays outside, and a mutant must not hide there.
    fn new(texts: &Texts<'t>, entry: &str, homes: &[String]) -> Option<Inlining<'t>> {
        let reached = reached(texts, entry);
        let is_cyclic = |function: &&str| self::reached(texts, function).contains(*function);
        let inlined: BTreeSet<&str> =
            reached.iter().copied().filter(|function| *function != entry && !is_cyclic(function)).collect();
        let is_home = |function: &str| homes.iter().any(|home| home == function);
        let leads =
            |function: &&&str| is_home(function) || self::reached(texts, function).into_iter().any(is_home);
        let leading: BTreeSet<&str> = reached.iter().filter(leads).copied().collect();
        let is_outside = |function: &&str| {
            *function != entry && !inlined.contains(function) || texts.is_addressed(function)
        };
        let says_more = !inlined.is_empty() && expanded(texts, entry, &inlined) <= LINES;
        (says_more && (is_home(entry) || !leading.is_empty()) && !leading.iter().any(is_outside))
            .then_some(Inlining { inlined, leading })
    }

    fn of(&self, callee: &str, mutant: Mutant) -> Option<Mutant> {
        let mutant = if self.leading.contains(callee) { mutant } else { Mutant::ORIGINAL };
        self.inlined.contains(callee).then_some(mutant)
    }
}

/// The functions that a function calls, and those that they call.
fn reached<'t>(texts: &Texts<'t>, function: &str) -> BTreeSet<&'t str> {
    let mut reached: BTreeSet<&str> = BTreeSet::new();
    let mut open: Vec<&str> = texts.calls(function).to_vec();
    while let Some(function) = open.pop() {
        if reached.insert(function) {
            open.extend(texts.calls(function));
        }
    }
    reached
}

/// How many lines a function has with these inlined.
fn expanded(texts: &Texts, function: &str, inlined: &BTreeSet<&str>) -> usize {
    let calls = texts.calls(function).iter().filter(|callee| inlined.contains(**callee));
    calls.fold(texts.lines(function), |lines, callee| match lines {
        0..=LINES => lines + expanded(texts, callee, inlined),
        enough => enough,
    })
}

/// For each mutant the smallest number, 0 included, with the same code. `add` makes the copy that is looked at.
fn classes(
    texts: &Texts,
    mutants: &[Mutant],
    add: impl Fn(&mut Copies, Mutant) -> String + Sync,
) -> Result<Vec<(Mutant, Mutant)>, Error> {
    let all: Vec<Mutant> = std::iter::once(Mutant::ORIGINAL).chain(mutants.iter().copied()).collect();
    let names = Names::default();
    let forms: Vec<Vec<Option<CanonicalForm>>> = all
        .par_chunks(BATCH)
        .map(|batch| {
            let mut copies = Copies::new(texts);
            let symbols: Vec<String> = batch.iter().map(|mutant| add(&mut copies, *mutant)).collect();
            optimised(&copies.text(), &symbols, &names).map_err(Error::Internal)
        })
        .collect::<Result<_, Error>>()?;
    let mut first: HashMap<CanonicalForm, Mutant> = HashMap::new();
    let with_form = all.into_iter().zip(forms.into_iter().flatten());
    let found = with_form.map(|(mutant, form)| match form {
        Some(form) => (mutant, *first.entry(form).or_insert(mutant)),
        None => (mutant, mutant),
    });
    Ok(found.filter(|(mutant, _)| *mutant != Mutant::ORIGINAL).collect())
}

/// The forms of these functions of a module, after the passes.
fn optimised(text: &str, symbols: &[String], names: &Names) -> Result<Vec<Option<CanonicalForm>>, String> {
    let context = Context::create();
    let buffer = MemoryBuffer::create_from_memory_range_copy(text.as_bytes(), "copies");
    let module = context.create_module_from_ir(buffer).map_err(|message| message.to_string())?;
    let machine = native::machine::target_machine(&module)?;
    module
        .run_passes(PASSES, &machine, PassBuilderOptions::create())
        .map_err(|message| message.to_string())?;
    let forms = symbols.iter().map(|symbol| form(module.get_function(symbol)?, names));
    Ok(forms.collect())
}
