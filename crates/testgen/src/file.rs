//! A test file: `test_<unit>.c`, with all it takes to build and run it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;

use bv::Word;
use ir::{
    Datum, FunctionId, GlobalId, MAIN, Mutant, Observation, Path, Program, Seen, Stream, Type, TypeId,
    looks_at_addresses, paths,
};
use settle::Test;
use source::count;

use crate::check::Checks;
use crate::declare::{declare, definitions, prototype};
use crate::fold::fold;
use crate::frame::{self, fixture, head, is_of_the_library, main, runner};
use crate::link::Link;
use crate::output;
use crate::reach::{Reach, reach};
use crate::release::Release;
use crate::scene::{Scene, initial, is_zero};
use crate::stream;
use crate::stub::Stubs;
use crate::unnamed::name_records;
use crate::{PROGRAM_MAIN, Suite, observation};

/// How the first line of a file of ours ends.
pub const SIGNATURE: &str = "written by Whet.";

/// How many changes a comment shows before it only counts.
const SHOWN: usize = 3;

/// The text of the test file.
pub fn file(suite: &Suite) -> String {
    let program = &name_records(suite.program);
    let suite = &Suite { program, ..*suite };
    let file = File::new(suite);
    let tests = suite.tests.iter().zip(suite.names);
    let (special, tests): (Vec<_>, Vec<_>) = tests.partition(|(test, _)| file.is_special(test));
    let group = if special.is_empty() { "" } else { SPECIAL_CASES };
    let text = |tests: Vec<(&Test, &String)>| {
        tests.into_iter().map(|(test, name)| file.test(test, name)).collect::<String>()
    };
    let tests = text(tests) + group + &text(special);
    let fixture = fixture(suite, &file.reset());
    let declarations = file.declarations(&[&fixture, &tests]);
    let runner = runner(suite.framework, file.apart);
    let main = main(suite, file.apart, !file.reset().is_empty());
    let head = head(suite, &[&declarations, &runner, &fixture, &tests, &main].map(String::as_str));
    let text = [head, declarations, runner, fixture, tests, main].concat();
    if suite.framework.is_cpp() { in_cpp(&text) } else { text }
}

/// What is called otherwise in C++.
fn in_cpp(text: &str) -> String {
    let mut out = String::new();
    for word in text.split_inclusive(|c: char| !c.is_ascii_alphanumeric() && c != '_') {
        match word.strip_prefix("_Bool") {
            Some(rest) if rest.len() <= 1 => {
                out.push_str("bool");
                out.push_str(rest);
            }
            _ => out.push_str(word),
        }
    }
    out
}

/// What the tests of a file have in common.
struct File<'a> {
    suite: &'a Suite<'a>,
    /// By how many tests each mutant is killed.
    killers: HashMap<Mutant, usize>,
    reach: HashMap<FunctionId, Reach>,
    stubs: Stubs<'a>,
    link: Link<'a>,
    /// The globals that a test sets or a subject may write. Each test starts with them as the program does.
    globals: BTreeSet<GlobalId>,
    /// How functions are called that have no name outside.
    paths: BTreeMap<FunctionId, Path>,
    /// Parameters that are given more than one element somewhere, so that a reader takes them for arrays.
    arrays: BTreeSet<(FunctionId, usize)>,
    /// Whether each test needs a process of its own.
    apart: bool,
}

/// Stands before the tests that only special cases need.
const SPECIAL_CASES: &str = "\n/* Special cases that no other test has. */\n";

impl<'a> File<'a> {
    /// Whether only special cases need a test.
    fn is_special(&self, test: &Test) -> bool {
        let is_case = |mutant: &Mutant| self.suite.changes[mutant.0 as usize - 1].special_case.is_some();
        !test.kills.is_empty() && test.kills.iter().all(is_case)
    }

    fn new(suite: &'a Suite<'a>) -> File<'a> {
        let mut killers: HashMap<Mutant, usize> = HashMap::new();
        for mutant in suite.tests.iter().flat_map(|test| test.kills.iter().chain(&test.may_kill)) {
            *killers.entry(*mutant).or_default() += 1;
        }
        let subjects = subjects(suite);
        let reach: HashMap<FunctionId, Reach> =
            subjects.into_iter().map(|subject| (subject, reach(suite.program, subject))).collect();
        let set = suite.tests.iter().flat_map(|test| &test.input.globals).map(|(global, _)| *global);
        let seen =
            suite.tests.iter().filter_map(observation).flat_map(|it| &it.globals).map(|(global, _)| *global);
        let written = reach.values().flat_map(|reach| reach.visible(suite.program));
        let globals = set.chain(seen).chain(written);
        let standard_input = suite.program.standard_input();
        let is_set = |id: &GlobalId| suite.program.global(*id).external && Some(*id) != standard_input;
        let globals: BTreeSet<GlobalId> = globals.filter(is_set).collect();
        let reached = reach.values().flat_map(|reach| &reach.externals).copied().collect();
        let stubs = Stubs::new(suite.program, suite.tests, &reached);
        let apart = reach.values().any(|reach| reach.exits)
            || keeps_state(suite.program, &reach)
            || globals.iter().any(|global| set_up(suite, *global).is_none());
        let link = Link::new(suite, &reached);
        let paths = paths(suite.program);
        File { suite, killers, globals, arrays: arrays(suite.tests), paths, stubs, link, reach, apart }
    }

    /// Types, globals and functions of the file under test, and what stands in for those of others.
    fn declarations(&self, texts: &[&str]) -> String {
        let mut out = if self.suite.inside { String::new() } else { self.of_the_file(texts) };
        out.push_str(&self.link.definitions());
        out.push_str(&self.stubs.definitions());
        if self.suite.tests.iter().any(|test| !self.captured(test).is_empty()) {
            let texts = self.suite.tests.iter().flat_map(|test| self.captured(test));
            let longest = texts.filter_map(|(_, text)| text).map(|text| text.len()).max().unwrap_or(0);
            let program = self.suite.program;
            let nul = self.reach.values().any(|it| output::may_print_nul(program, &it.externals));
            out.push_str(&output::definitions(program, longest, nul));
        }
        out.push_str(&stream::definitions(self.suite.program, &texts.concat()));
        // The file under test is not C++.
        if self.suite.framework.is_cpp() { format!("extern \"C\" {{\n{out}}}\n") } else { out }
    }

    /// Types, globals and functions of the file under test.
    fn of_the_file(&self, texts: &[&str]) -> String {
        let program = self.suite.program;
        let named = |name: &str| texts.iter().any(|text| mentions(text, name));
        let is_named = |id: &FunctionId| {
            let function = program.function(*id);
            function.unsupported.is_none() && named(&function.name)
        };
        let functions = self.suite.callable.iter().copied().filter(is_named);
        let functions: BTreeSet<FunctionId> = functions.chain(subjects(self.suite)).collect();
        let globals = (0..).map(GlobalId).zip(&program.globals);
        let globals = globals.filter(|(_, global)| global.external && named(&global.name)).map(|(id, _)| id);
        let globals = globals.filter(|id| Some(*id) != program.standard_input());
        let globals: BTreeSet<GlobalId> = globals.chain(self.globals.iter().copied()).collect();
        let signatures = functions.iter().map(|id| &program.function(*id).signature);
        let mut types: Vec<TypeId> = signatures
            .flat_map(|it| it.parameters.iter().map(|parameter| parameter.of).chain(it.result))
            .collect();
        // Where a path begins, a constant may be declared as well.
        let begun = functions.iter().filter_map(|id| self.paths.get(id)).map(|path| path.global);
        let globals: BTreeSet<GlobalId> = globals.into_iter().chain(begun).collect();
        types.extend(globals.iter().map(|id| program.global(*id).of));
        types.extend(self.stubs.types());
        types.extend(self.link.types());
        types.extend(self.suite.tests.iter().flat_map(|test| &test.input.objects).map(|object| object.of));
        let mut out = String::new();
        for definition in definitions(program, types) {
            let _ = writeln!(out, "{}", fold(&definition));
        }
        out.push_str(if out.is_empty() { "" } else { "\n" });
        for id in &globals {
            let global = program.global(*id);
            let is_cpp = self.suite.framework.is_cpp();
            let storage = match program.thread_local.contains(id) {
                true if is_cpp => "__thread ",
                true => "_Thread_local ",
                false => "",
            };
            let _ = writeln!(out, "extern {storage}{};", declare(program, global.of, &global.name));
        }
        for id in functions.into_iter().filter(|id| !self.paths.contains_key(id)) {
            let function = program.function(id);
            let _ = writeln!(out, "{};", prototype(program, known_as(&function.name), &function.signature));
        }
        out
    }

    /// What each test starts with, so that it does not depend on those before it.
    fn reset(&self) -> Vec<String> {
        let globals = self.globals.iter().filter_map(|id| set_up(self.suite, *id));
        self.stubs.reset().into_iter().chain(globals).collect()
    }

    fn test(&self, test: &Test, name: &str) -> String {
        let program = self.suite.program;
        let function = program.function(test.subject);
        let parameters = &function.signature.parameters;
        let nothing = Observation::default();
        let seen = observation(test).unwrap_or(&nothing);
        // A sanitizer watches both sides of a variable, but only one of a literal.
        let aligned = looks_at_addresses(program, test.subject);
        let literals = !is_of_the_library(&function.name) && !test.soft && !aligned;
        let is_array = |at| self.arrays.contains(&(test.subject, at));
        let mut scene = Scene::new(self.suite, parameters, &test.input, seen, literals, is_array);
        scene.aligned = aligned;
        let mut lines = scene.declarations(parameters);
        let is_set = |(id, _): &&(GlobalId, Datum)| Some(*id) != program.standard_input();
        for (global, datum) in test.input.globals.iter().filter(is_set) {
            let value = scene.seen(program.global(*global).of, datum);
            lines.extend(assignment(&scene, *global, &value));
        }
        lines.extend(self.stubs.results(&scene, &test.input.results));
        lines.extend(self.stubs.lengths(seen));

        let arguments: Vec<String> =
            parameters.iter().enumerate().map(|(at, it)| scene.argument(at, it.of)).collect();
        let call = format!("{}({})", self.callee(test.subject), arguments.join(", "));
        let captured = self.captured(test);
        lines.extend(captured.iter().map(|(stream, _)| format!("{};", output::capture(program, *stream))));
        let result = seen.result.as_ref().zip(function.signature.result);
        let named = result.filter(|(seen, of)| !captured.is_empty() || needs_a_name(program, *of, seen));
        let named = named.map(|(seen, of)| (scene.fresh_name("result"), of, seen));
        let mut checks = Checks { scene: &mut scene, observation: seen, lines };
        match (&named, result) {
            (Some((name, of, _)), _) => {
                checks.lines.push(format!("{} = {call};", declare(program, *of, name)))
            }
            (None, Some((seen, of))) => {
                let before = checks.lines.len();
                checks.value(&call, of, seen);
                if checks.lines.len() == before {
                    checks.lines.push(format!("{call};"));
                }
            }
            (None, None) => checks.lines.push(format!("{call};")),
        }
        let nul =
            self.reach.get(&test.subject).is_some_and(|it| output::may_print_nul(program, &it.externals));
        for (stream, text) in &captured {
            match text {
                Some(text) => output::check(&mut checks, *stream, text, nul),
                None => {
                    let printed = output::printed(program, *stream);
                    checks.lines.push(format!("{printed}; /* not checked: it cannot be predicted */"));
                }
            }
        }
        if let Some((name, of, seen)) = &named {
            checks.value(name, *of, seen);
        }
        self.check_memory(&mut checks, test);
        if let Some(reach) = self.reach.get(&test.subject) {
            self.stubs.check(&mut checks, &reach.externals);
        }
        let result = named.as_ref().map(|(name, of, seen)| (name.as_str(), *of, *seen));
        self.release(&mut checks, test, result);
        let closed = checks.scene.open_streams().into_iter().map(|name| format!("fclose({name});"));
        let closed: Vec<String> = closed.collect();
        checks.lines.extend(closed);
        let comment = comment(self.suite, test, &self.killers);
        let test = frame::test(self.suite, name, &checks.lines, self.apart, !self.reset().is_empty());
        format!("\n{comment}{test}")
    }

    /// How a test calls a function.
    fn callee(&self, subject: FunctionId) -> &str {
        let name = &self.suite.program.function(subject).name;
        match self.paths.get(&subject) {
            Some(path) if !self.suite.inside => &path.expression,
            _ => known_as(name),
        }
    }

    /// What the objects of the input and the globals hold afterwards.
    fn check_memory(&self, checks: &mut Checks, test: &Test) {
        let program = self.suite.program;
        let observation = checks.observation;
        for (at, elements) in observation.objects.iter().enumerate() {
            let object = &test.input.objects[at];
            // Of a constant one there is something to see only if it has changed.
            let is_seen = !object.constant || !elements.is_empty();
            if let (Some((place, single)), true) = (checks.scene.variable(at), is_seen) {
                match (single, elements.as_slice()) {
                    (true, [element]) => checks.value(&place, object.of, element),
                    _ => checks.elements(&place, object.of, elements),
                }
            }
        }
        let mut globals: BTreeSet<GlobalId> =
            self.reach.get(&test.subject).map(|it| it.visible(program).collect()).unwrap_or_default();
        globals.extend(observation.globals.iter().map(|(id, _)| *id));
        for id in globals.into_iter().filter(|id| Some(*id) != program.standard_input()) {
            let changed = observation.globals.iter().find(|(global, _)| *global == id);
            let seen = changed.map_or_else(|| checks.scene.initial(id), |(_, seen)| seen.clone());
            checks.value(&program.global(id).name, program.global(id).of, &seen);
        }
    }

    /// Frees what the test can reach.
    fn release(&self, checks: &mut Checks, test: &Test, result: Option<(&str, TypeId, &Seen)>) {
        let program = self.suite.program;
        let Some(mut release) = Release::new(program, checks.observation, test.soft) else { return };
        if let Some((name, of, seen)) = result {
            release.value(name, of, seen);
        }
        for (at, elements) in checks.observation.objects.iter().enumerate() {
            let of = test.input.objects[at].of;
            match (checks.scene.variable(at), elements.as_slice()) {
                (Some((place, true)), [element]) => release.value(&place, of, element),
                (Some((place, _)), elements) => release.elements(&place, of, elements),
                (None, _) => {}
            }
        }
        for (id, seen) in &checks.observation.globals {
            let global = program.global(*id);
            release.value(&global.name, global.of, seen);
        }
        checks.lines.append(&mut release.lines);
    }

    /// The streams that the subject may print to, and what it prints there.
    fn captured(&self, test: &Test) -> Vec<(Stream, Option<Vec<u8>>)> {
        let program = self.suite.program;
        let Some(reach) = self.reach.get(&test.subject) else { return vec![] };
        let prints = |stream: Stream| {
            let externals = reach.externals.iter().map(|id| program.external(*id));
            externals.filter(|it| it.prints).any(|it| ir::may_print(&it.name, stream))
        };
        let streams = Stream::ALL.into_iter().filter(|stream| prints(*stream));
        let text = |stream| observation(test).and_then(|it| output::expected(program, it, stream));
        streams.map(|stream| (stream, text(stream))).collect()
    }
}

/// What tests call a function.
fn known_as(name: &str) -> &str {
    if name == MAIN { PROGRAM_MAIN } else { name }
}

/// The functions that are tested.
pub(crate) fn subjects(suite: &Suite) -> BTreeSet<FunctionId> {
    suite.tests.iter().map(|test| test.subject).collect()
}

fn arrays(tests: &[Test]) -> BTreeSet<(FunctionId, usize)> {
    let mut arrays = BTreeSet::new();
    for test in tests {
        for (at, datum) in test.input.arguments.iter().enumerate() {
            if let Datum::Pointer { object, .. } = datum
                && test.input.objects[*object as usize].elements.len() > 1
            {
                arrays.insert((test.subject, at));
            }
        }
    }
    arrays
}

/// Whether a name occurs in a text, as a whole word.
fn mentions(text: &str, name: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(name).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + name.len()..]);
        !before.ends_with(is_letter) && !after.starts_with(is_letter)
    })
}

/// Whether one subject may read what another, or an earlier run of itself, has
/// left where no test can reset it.
fn keeps_state(program: &Program, reach: &HashMap<FunctionId, Reach>) -> bool {
    let written = reach.values().flat_map(|reach| &reach.written);
    let is_hidden = |id: &&GlobalId| !program.global(**id).external && !program.is_kept_for_input(**id);
    let mut hidden = written.filter(is_hidden);
    hidden.any(|id| reach.values().any(|reach| reach.read.contains(id)))
}

/// A line that gives a global the value with which the program starts.
fn set_up(suite: &Suite, id: GlobalId) -> Option<String> {
    let nothing = (ir::Input::default(), Observation::default());
    let scene = Scene::new(suite, &[], &nothing.0, &nothing.1, true, |_| false);
    assignment(&scene, id, &initial(suite.program, id))
}

/// A line that sets a global, if there is one.
fn assignment(scene: &Scene, id: GlobalId, value: &Seen) -> Option<String> {
    let program = scene.program;
    let global = program.global(id);
    let (name, of) = (&global.name, global.of);
    match program.of(of) {
        Type::Array { .. } | Type::Record(_) | Type::Opaque { .. } if is_zero(value) => {
            Some(format!("memset(&{name}, 0, sizeof {name});"))
        }
        Type::Array { .. } => {
            let (of, value) = (declare(program, of, ""), scene.initialiser(of, value)?);
            let value = if value.starts_with('"') { format!("{{{value}}}") } else { value };
            if scene.framework.is_cpp() {
                let initial = declare(program, global.of, &format!("{name}_initial"));
                return Some(format!(
                    "static const {initial} = {value}; memcpy({name}, {name}_initial, sizeof {name});"
                ));
            }
            Some(format!("memcpy({name}, ({of}){value}, sizeof {name});"))
        }
        Type::Record(_) => {
            Some(format!("{name} = ({}){};", declare(program, of, ""), scene.initialiser(of, value)?))
        }
        _ => Some(format!("{name} = {};", scene.initialiser(of, value)?)),
    }
}

/// Whether more than one line looks at a result.
fn needs_a_name(program: &Program, of: TypeId, seen: &Seen) -> bool {
    match (program.of(of), seen) {
        (Type::Record(_), _) => true,
        // A zero is looked at for its sign, too.
        (Type::Float(float), Seen::Word(word)) => word.is_zero() || *word == Word::signed_min(float.width),
        (_, Seen::Fresh(_) | Seen::Static { .. }) => true,
        (_, Seen::Global { global, .. }) => !program.global(*global).external,
        _ => false,
    }
}

/// What the test is for: the changes that no other test would notice, as far as that is known.
fn comment(suite: &Suite, test: &Test, killers: &HashMap<Mutant, usize>) -> String {
    if let Some(remark) = (suite.remark)(test) {
        return format!("/* {} */\n", one_line(&remark));
    }
    let own: Vec<Mutant> = test.kills.iter().copied().filter(|mutant| killers[mutant] == 1).collect();
    let all = count(test.kills.len(), "mutant");
    let mut lines = match (test.whole, own.len()) {
        (true, 0) => vec![format!("Kills {all}.")],
        (true, alone) => vec![format!("Kills {all}, {alone} of them alone:")],
        (false, _) => vec![format!("Kills {all} or more, among them:")],
    };
    for mutant in own.iter().take(SHOWN) {
        let change = &suite.changes[mutant.0 as usize - 1];
        let (original, replacement) = (one_line(&change.original), one_line(change.replacement()));
        lines.push(match &change.special_case {
            Some(case) => format!("  {}: the special case {case}", change.place()),
            None => format!("  {}: {original} -> {replacement}", change.place()),
        });
    }
    if own.len() > SHOWN {
        lines.push(format!("  and {} more", own.len() - SHOWN));
    }
    match lines.as_slice() {
        [line] => format!("/* {line} */\n"),
        lines => format!("/* {} */\n", lines.join("\n * ")),
    }
}

/// Source text inside of a comment must neither end it nor begin another.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace("*/", "* /").replace("/*", "/ *")
}

#[cfg(test)]
mod tests;
