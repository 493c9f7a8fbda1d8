//! Canonical: optimise original and mutants; equal code is a proof.
//!
//! Cheap and surprisingly strong, so it comes before any solver. The input is the meta-mutant in the form
//! that is to be compared ([`DefinedForm::Compare`](crate::define::DefinedForm)): with no undefined behaviour
//! left, LLVM cannot "prove" a fault away by exploiting it.
//!
//! There are two levels. The first is the mutated function by itself: what holds for it holds wherever it is
//! called from. The second is the function that a test calls, with all that it calls inlined. There more is
//! known, but it holds only for that function.
//!
//! Another version of the file stands in for several functions at once. By themselves, all of them are
//! compared, and they call each other by the names of the original. If all are the same, so is every call, by
//! induction on how deep calls are nested.
//!
//! Each level is tried with a short list of passes. What is alive and still differs is compared once more
//! after a long one, as a compiler runs it.
//!
//! The cost is the number of copies times the size of a function. So the caller asks only about mutants that
//! are still alive, and about those that no input has told apart.
//!
//! After Riener's Optimizer and MetaOptimizer (2011), and trivial compiler equivalence (Papadakis et al.,
//! 2015).

mod copies;
mod fold;
mod form;
mod phis;
mod unassigned;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Mutex;

use bv::Stop;
use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::passes::PassBuilderOptions;
use ir::{FunctionId, Mutant, SameCode};
use rayon::prelude::*;

use crate::{Error, Graft, Unit, native};
use copies::{Callee, Copies, Texts};
use form::{CanonicalForm, Names, form};
use unassigned::Caller;

/// Takes memory apart into values. Only then is it known what may be [unassigned].
const FIRST: &str = "always-inline,function(sroa)";

/// One fixed list. The first two lines find what is equal or constant, the third brings loops into one shape,
/// and the last cleans up what the others left.
const SHORT: &str = "function(\
    early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg,\
    reassociate,gvn,sccp,constraint-elimination,correlated-propagation,adce,\
    loop-simplify,loop(loop-rotate),indvars,\
    instcombine<no-verify-fixpoint>,simplifycfg,early-cse<memssa>,gvn,instcombine<no-verify-fixpoint>,simplifycfg,adce)";

/// What a compiler would do beyond that: it goes twice over the function, takes apart conditions and loops in
/// between, and drops what is written in vain. Passes that look at more than one function would believe that
/// the module is all there is.
const LONG: &str = "function(\
    early-cse<memssa>,jump-threading,correlated-propagation,simplifycfg,\
    instcombine<no-verify-fixpoint>,reassociate,\
    loop-mssa(loop-instsimplify,loop-simplifycfg,licm,loop-rotate,licm,simple-loop-unswitch),\
    simplifycfg,instcombine<no-verify-fixpoint>,loop(loop-idiom,indvars,loop-deletion,loop-unroll-full),\
    sroa,mldst-motion,gvn,sccp,bdce,constraint-elimination,instcombine<no-verify-fixpoint>,\
    jump-threading,correlated-propagation,adce,memcpyopt,dse,loop-mssa(licm),\
    simplifycfg<hoist-common-insts;sink-common-insts>,instcombine<no-verify-fixpoint>,\
    reassociate,gvn,sccp,dse,adce,simplifycfg,instcombine<no-verify-fixpoint>)";

/// Copies that are optimised in one module. Modules are independent, so that threads share the work.
const BATCH: usize = 32;

/// A call with more lines than this, when all is inlined, is not looked at as a whole.
const LINES: usize = 2_000;

/// Optimises functions, and compares their code. What becomes of a function by itself is remembered.
pub struct Optimiser<'u> {
    unit: &'u Unit,
    texts: Texts<'u>,
    /// The mutants that are other versions of the file.
    versions: HashSet<Mutant>,
    names: Names,
    /// Says when to end. A mutant that was not compared by then has the code of no other.
    stop: Stop,
    /// The forms of functions by themselves; none if there is nothing to compare.
    alone: Mutex<HashMap<(Copied<'u>, Effort), Option<CanonicalForm>>>,
}

/// A function under a mutant.
type Copied<'u> = (&'u str, Mutant);

/// How much is done to a function before it is compared.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Effort {
    Short,
    /// For what is alive, and still differs from the original.
    Long,
}

impl Effort {
    fn passes(self) -> &'static str {
        match self {
            Effort::Short => SHORT,
            Effort::Long => LONG,
        }
    }
}

impl<'u> Optimiser<'u> {
    pub fn new(unit: &'u Unit, stop: &Stop) -> Optimiser<'u> {
        Optimiser {
            unit,
            texts: Texts::new(&unit.comparable),
            versions: unit.versions.iter().flatten().map(|version| Mutant(version.number)).collect(),
            names: Names::default(),
            stop: stop.clone(),
            alone: Mutex::default(),
        }
    }

    /// Which mutants have the same code as another one of their group when this function is called. Groups
    /// are sorted, and may contain the original.
    pub fn compare(&self, subject: FunctionId, groups: &[Vec<Mutant>]) -> Result<Vec<SameCode>, Error> {
        let mut same = self.compare_with(Effort::Short, subject, groups)?;
        let found: HashSet<Mutant> = same.iter().map(|same| same.mutant).collect();
        let alive = groups.iter().filter(|group| group.contains(&Mutant::ORIGINAL));
        let left = alive.map(|group| group.iter().copied().filter(|it| !found.contains(it)).collect());
        let left: Vec<Vec<Mutant>> = left.filter(|group: &Vec<Mutant>| group.len() > 1).collect();
        same.extend(self.compare_with(Effort::Long, subject, &left)?);
        Ok(same)
    }

    fn compare_with(
        &self,
        effort: Effort,
        subject: FunctionId,
        groups: &[Vec<Mutant>],
    ) -> Result<Vec<SameCode>, Error> {
        self.optimise_alone(effort, groups.iter().flatten())?;
        let (mut same, mut groups) = (Vec::new(), groups.to_vec());
        for group in &mut groups {
            let found = self.compare_alone(effort, group);
            group.retain(|mutant| found.iter().all(|same| same.mutant != *mutant));
            same.extend(found);
        }
        groups.retain(|group| group.len() > 1);
        same.extend(self.compare_inlined(effort, subject, &groups)?);
        Ok(same)
    }

    /// The functions that a mutant changes.
    fn homes(&self, mutant: Mutant) -> &'u [String] {
        if mutant == Mutant::ORIGINAL { &[] } else { self.unit.homes(mutant) }
    }

    /// Optimises the homes of mutants by themselves, as they are under the mutant and in the original.
    fn optimise_alone<'m>(
        &self,
        effort: Effort,
        mutants: impl Iterator<Item = &'m Mutant>,
    ) -> Result<(), Error> {
        let both =
            |mutant: &Mutant, home: &'u String| [(home.as_str(), *mutant), (home.as_str(), Mutant::ORIGINAL)];
        let copied =
            mutants.flat_map(|mutant| self.homes(*mutant).iter().flat_map(|home| both(mutant, home)));
        let missing: BTreeSet<Copied> = {
            let alone = self.alone.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            copied
                .filter(|copied| self.texts.has(copied.0) && !alone.contains_key(&(*copied, effort)))
                .collect()
        };
        let missing: Vec<Copied> = missing.into_iter().collect();
        let forms = self.forms(effort, &missing, |copies, (home, mutant)| {
            let stand_ins = self.stand_ins(*mutant);
            copies.add(home, *mutant, &|callee| stand_ins.of(callee))
        })?;
        let mut alone = self.alone.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if !self.stop.is_set() {
            alone.extend(missing.into_iter().map(|copied| (copied, effort)).zip(forms));
        }
        Ok(())
    }

    /// Compares the homes of mutants by themselves.
    fn compare_alone(&self, effort: Effort, group: &[Mutant]) -> Vec<SameCode> {
        let alone = self.alone.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let forms = |homes: &'u [String], mutant: Mutant| {
            let form = |home: &'u String| alone.get(&((home.as_str(), mutant), effort)).cloned().flatten();
            homes.iter().map(form).collect::<Option<Vec<CanonicalForm>>>()
        };
        let has_original = group.contains(&Mutant::ORIGINAL);
        let mut firsts: HashMap<(&[String], Vec<CanonicalForm>), Mutant> = HashMap::new();
        let mut same = Vec::new();
        for mutant in group.iter().filter(|mutant| **mutant != Mutant::ORIGINAL) {
            let homes = self.homes(*mutant);
            let Some(own) = forms(homes, *mutant) else { continue };
            let is_original = has_original && forms(homes, Mutant::ORIGINAL).as_ref() == Some(&own);
            let first = *firsts.entry((homes, own)).or_insert(*mutant);
            let of = if is_original { Mutant::ORIGINAL } else { first };
            if of != *mutant {
                same.push(SameCode { mutant: *mutant, of, alone: true });
            }
        }
        same
    }

    /// Compares the function that is called, with all that it calls inlined.
    fn compare_inlined(
        &self,
        effort: Effort,
        subject: FunctionId,
        groups: &[Vec<Mutant>],
    ) -> Result<Vec<SameCode>, Error> {
        let entry = self.unit.program.function(subject).name.as_str();
        let mut inlinings: HashMap<(&[String], Option<Mutant>), Option<Inlining>> = HashMap::new();
        for mutant in groups.iter().flatten() {
            let (homes, version) = self.kind(*mutant);
            let new = || Inlining::new(&self.texts, entry, homes, version);
            inlinings.entry((homes, version)).or_insert_with(new);
        }
        let inlining = |mutant: Mutant| inlinings[&self.kind(mutant)].as_ref();
        let mut wanted: Vec<Copied> = Vec::new();
        for group in groups {
            let of_group: Vec<Mutant> = group.iter().copied().filter(|it| inlining(*it).is_some()).collect();
            if of_group.len() > 1 {
                wanted.extend(of_group.into_iter().map(|mutant| (entry, mutant)));
            }
        }
        wanted.sort();
        wanted.dedup();
        let forms = self.forms(effort, &wanted, |copies, (entry, mutant)| {
            copies.add(entry, *mutant, &|callee| match inlining(*mutant) {
                Some(inlining) => inlining.of(callee, *mutant),
                None => Callee::Outside,
            })
        })?;
        let forms: HashMap<Mutant, CanonicalForm> =
            wanted.iter().zip(forms).filter_map(|((_, mutant), form)| Some((*mutant, form?))).collect();
        let mut same = Vec::new();
        for group in groups {
            let mut firsts: HashMap<&CanonicalForm, Mutant> = HashMap::new();
            for mutant in group {
                let Some(form) = forms.get(mutant) else { continue };
                let of = *firsts.entry(form).or_insert(*mutant);
                if of != *mutant {
                    same.push(SameCode { mutant: *mutant, of, alone: false });
                }
            }
        }
        Ok(same)
    }

    /// What decides how calls are inlined under a mutant.
    fn kind(&self, mutant: Mutant) -> (&'u [String], Option<Mutant>) {
        (self.homes(mutant), Some(mutant).filter(|mutant| self.versions.contains(mutant)))
    }

    fn stand_ins(&self, mutant: Mutant) -> StandIns<'u> {
        let homes = if self.versions.contains(&mutant) { self.homes(mutant) } else { &[] };
        StandIns::new(&self.texts, homes, mutant)
    }

    /// The forms of functions after the passes. `add` makes the copy that is looked at, and returns its name.
    fn forms(
        &self,
        effort: Effort,
        wanted: &[Copied<'u>],
        add: impl Fn(&mut Copies, &Copied<'u>) -> String + Sync,
    ) -> Result<Vec<Option<CanonicalForm>>, Error> {
        let batch = |batch: &[Copied<'u>]| {
            if self.stop.is_set() {
                return Ok(vec![None; batch.len()]);
            }
            let mut copies = Copies::new(&self.texts);
            let copy = |copied: &Copied<'u>| Copy {
                symbol: add(&mut copies, copied),
                caller: if self.texts.is_called(copied.0) { Caller::Anyone } else { Caller::Outside },
            };
            let batch: Vec<Copy> = batch.iter().map(copy).collect();
            optimised(&copies.text(), effort.passes(), &batch, &self.names).map_err(Error::Internal)
        };
        let forms: Vec<_> = wanted.par_chunks(BATCH).map(batch).collect::<Result<_, Error>>()?;
        Ok(forms.into_iter().flatten().collect())
    }
}

/// A copy that is looked at.
struct Copy {
    symbol: String,
    caller: Caller,
}

/// The functions of a version that stand in for those of the file.
struct StandIns<'t> {
    /// Each with the one that it stands in for.
    of: HashMap<&'t str, &'t str>,
}

impl<'t> StandIns<'t> {
    fn new(texts: &Texts<'t>, homes: &'t [String], version: Mutant) -> StandIns<'t> {
        let stand_in = |home: &'t String| Some((texts.stand_in(home, version)?, home.as_str()));
        StandIns { of: homes.iter().filter_map(stand_in).collect() }
    }

    /// A stand-in calls others, and itself, by the names that the original has for them.
    fn of(&self, callee: &str) -> Callee {
        let home = self.of.get(callee);
        home.map_or(Callee::Outside, |home| Callee::Renamed(home.to_string()))
    }
}

/// How the functions that an entry leads to are inlined, for mutants of one of them, or of some.
struct Inlining<'t> {
    inlined: HashSet<&'t str>,
    /// Those that lead to the mutants.
    leading: HashSet<&'t str>,
}

impl<'t> Inlining<'t> {
    /// None if it would say nothing new, or something wrong: what is called through a pointer, or calls
    /// itself by way of others, stays outside, and a mutant must not hide there.
    fn new(
        texts: &Texts<'t>,
        entry: &str,
        homes: &[String],
        version: Option<Mutant>,
    ) -> Option<Inlining<'t>> {
        let calls = Calls { texts, version };
        let reached = calls.reached(entry);
        let is_cyclic = |function: &&str| calls.reached(function).contains(*function);
        let inlined: HashSet<&str> =
            reached.iter().copied().filter(|function| *function != entry && !is_cyclic(function)).collect();
        let is_original = homes.is_empty();
        // A version may inline a stand-in where the original calls nothing.
        let says_more = is_original || !inlined.is_empty();
        if !says_more || calls.expanded(entry, &inlined) > LINES {
            return None;
        }
        let is_home = |function: &str| homes.iter().any(|home| home == function);
        let leads = |function: &&&str| is_home(function) || calls.reached(function).into_iter().any(is_home);
        let leading: HashSet<&str> = reached.iter().filter(leads).copied().collect();
        let is_outside = |function: &&str| {
            *function != entry && !inlined.contains(function) || texts.is_addressed(function)
        };
        (is_original || (is_home(entry) || !leading.is_empty()) && !leading.iter().any(is_outside))
            .then_some(Inlining { inlined, leading })
    }

    fn of(&self, callee: &str, mutant: Mutant) -> Callee {
        let mutant = if self.leading.contains(callee) { mutant } else { Mutant::ORIGINAL };
        if self.inlined.contains(callee) { Callee::Inlined(mutant) } else { Callee::Outside }
    }
}

/// Who calls whom. Of the functions that only versions have, those of one version count.
struct Calls<'a, 't> {
    texts: &'a Texts<'t>,
    version: Option<Mutant>,
}

impl<'t> Calls<'_, 't> {
    fn of(&self, function: &str) -> impl Iterator<Item = &'t str> {
        let is_there = |callee: &&'t str| match self.version {
            _ if !Graft::is_grafted(callee) => true,
            Some(version) => Graft::is_of(callee, version.0),
            None => false,
        };
        self.texts.calls(function).iter().copied().filter(is_there)
    }

    /// The functions that a function calls, and those that they call.
    fn reached(&self, function: &str) -> BTreeSet<&'t str> {
        let mut reached: BTreeSet<&str> = BTreeSet::new();
        let mut open: Vec<&str> = self.of(function).collect();
        while let Some(function) = open.pop() {
            if reached.insert(function) {
                open.extend(self.of(function));
            }
        }
        reached
    }

    /// How many lines a function has with these inlined; enough, if there are too many.
    fn expanded(&self, function: &str, inlined: &HashSet<&str>) -> usize {
        let calls = self.of(function).filter(|callee| inlined.contains(callee));
        calls.fold(self.texts.lines(function), |lines, callee| match lines {
            0..=LINES => lines + self.expanded(callee, inlined),
            enough => enough,
        })
    }
}

/// The forms of these functions of a module, after the passes.
fn optimised(
    text: &str,
    passes: &str,
    copies: &[Copy],
    names: &Names,
) -> Result<Vec<Option<CanonicalForm>>, String> {
    let context = Context::create();
    let buffer = MemoryBuffer::create_from_memory_range_copy(text.as_bytes(), "copies");
    let module = context.create_module_from_ir(buffer).map_err(|message| message.to_string())?;
    let machine = native::machine::target_machine(&module)?;
    let run = |passes| module.run_passes(passes, &machine, PassBuilderOptions::create());
    run(FIRST).map_err(|message| message.to_string())?;
    for (function, copy) in copies.iter().filter_map(|copy| Some((module.get_function(&copy.symbol)?, copy)))
    {
        unassigned::keep_uses(&module, function, copy.caller);
    }
    run(passes).map_err(|message| message.to_string())?;
    let forms = copies.iter().map(|copy| {
        let function = module.get_function(&copy.symbol)?;
        unassigned::forget_constants(function);
        form(function, names)
    });
    Ok(forms.collect())
}
