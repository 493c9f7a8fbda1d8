//! Stubs: bodies for functions that the file under test calls and that are defined elsewhere.
//!
//! A stub records what it is called with. It returns what the test has set, call by
//! call, and zero after that. If there are stubs for several functions, one more list
//! records their calls in order, because the order is observed. What an argument
//! leads to may change after the call, or be gone, so the stub keeps a copy of it.

use std::collections::BTreeSet;

use ir::{Datum, External, ExternalId, Observation, Program, Seen, SeenCall, Type, TypeId};
use settle::Test;

use crate::check::Checks;
use crate::declare::{declare, function};
use crate::framework::Fact;
use crate::name::helper;
use crate::observation;
use crate::scene::Scene;

/// The stubs of a test file.
pub(crate) struct Stubs<'a> {
    program: &'a Program,
    stubs: Vec<Stub<'a>>,
    /// Room for the list of calls, if there is one.
    list: Option<usize>,
}

struct Stub<'a> {
    id: ExternalId,
    external: &'a External,
    /// How many calls it notes: one more than any test has something to say about.
    room: usize,
    /// For each parameter, room for its text if that is what counts.
    texts: Vec<Option<usize>>,
    /// For each parameter, what is kept of that to which it leads.
    copies: Vec<Option<Copied>>,
}

/// Elements that are copied when a stub is called.
#[derive(Clone, Copy)]
struct Copied {
    of: TypeId,
    /// The most of any call.
    most: usize,
    /// Whether some calls lead to fewer.
    varies: bool,
}

impl<'a> Stubs<'a> {
    /// Of the functions that the subjects may call, those that the C library does not have.
    pub(crate) fn new(program: &'a Program, tests: &[Test], reached: &BTreeSet<ExternalId>) -> Stubs<'a> {
        let ids = reached.iter().filter(|id| !program.external(**id).prints);
        let stubs: Vec<Stub> = ids.map(|id| stub(program, *id, tests)).collect();
        let longest = tests.iter().filter_map(observation).map(|it| listed(program, it).len()).max();
        let name = program.externals.iter().map(|it| it.name.len()).max();
        let list = (stubs.len() > 1).then(|| longest.unwrap_or(0) + name.unwrap_or(0) + 2);
        Stubs { program, stubs, list }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.stubs.is_empty()
    }

    /// The types that the stubs name.
    pub(crate) fn types(&self) -> impl Iterator<Item = TypeId> {
        self.stubs
            .iter()
            .flat_map(|stub| stub.external.parameters.iter().chain(&stub.external.result))
            .copied()
    }

    pub(crate) fn definitions(&self) -> String {
        let mut out = String::new();
        if self.is_empty() {
            return out;
        }
        out.push_str(
            "\n/* Stubs: each records its arguments, and returns what the test has set, call by call. */\n",
        );
        if let Some(room) = self.list {
            let [calls, note] = ["calls", "note"].map(|name| helper(self.program, name));
            out.push_str(&format!(
                "static char {calls}[{room}];\n\n\
                 static void {note}(const char *name)\n{{\n    \
                 strncat({calls}, name, sizeof {calls} - 1 - strlen({calls}));\n}}\n"
            ));
        }
        for stub in &self.stubs {
            out.push_str(&self.definition(stub));
        }
        out
    }

    /// What every test starts with.
    pub(crate) fn reset(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if self.list.is_some() {
            lines.push(format!("{}[0] = '\\0';", helper(self.program, "calls")));
        }
        for stub in &self.stubs {
            lines.push(format!("{} = 0;", self.name(stub, "count")));
            if stub.external.result.is_some() {
                let results = self.name(stub, "results");
                lines.push(format!("memset({results}, 0, sizeof {results});"));
            }
            for at in stub.varying() {
                let lengths = self.lengths_of(stub, at);
                lines.push(format!("memset({lengths}, 0, sizeof {lengths});"));
            }
        }
        lines
    }

    /// Puts down what the stubs return.
    pub(crate) fn results(&self, scene: &Scene, results: &[(ExternalId, Vec<Datum>)]) -> Vec<String> {
        let mut lines = Vec::new();
        for (id, datums) in results {
            let Some(stub) = self.stubs.iter().find(|stub| stub.id == *id) else { continue };
            let Some(of) = stub.external.result else { continue };
            for (at, datum) in datums.iter().enumerate().take(stub.room) {
                let value = scene.given(of, datum);
                if value != "0" && value != "NULL" {
                    lines.push(format!("{}[{at}] = {value};", self.name(stub, "results")));
                }
            }
        }
        lines
    }

    /// Puts down how much the stubs copy.
    pub(crate) fn lengths(&self, observation: &Observation) -> Vec<String> {
        let mut lines = Vec::new();
        for stub in &self.stubs {
            let calls = observation.calls.iter().filter(|call| call.external == stub.id);
            for (call, seen) in calls.enumerate() {
                for at in stub.varying() {
                    let length = copied(self.program, &seen.arguments[at]).len();
                    if length > 0 {
                        lines.push(format!("{}[{call}] = {length};", self.lengths_of(stub, at)));
                    }
                }
            }
        }
        lines
    }

    /// Checks the calls, of the functions that the subject may call.
    pub(crate) fn check(&self, checks: &mut Checks, reached: &BTreeSet<ExternalId>) {
        let observation = checks.observation;
        if self.list.is_some() && self.stubs.iter().any(|stub| reached.contains(&stub.id)) {
            let expected = listed(self.program, observation);
            let calls = helper(self.program, "calls");
            checks.say(Fact::Text { expected: &format!("\"{expected}\""), actual: &calls });
        }
        for stub in self.stubs.iter().filter(|stub| reached.contains(&stub.id)) {
            let (noted, count) = (self.name(stub, "calls"), self.name(stub, "count"));
            let calls: Vec<&SeenCall> =
                observation.calls.iter().filter(|call| call.external == stub.id).collect();
            if self.list.is_none() {
                let expected = &calls.len().to_string();
                checks.say(Fact::Equal { kind: "INT", expected, actual: &count });
            }
            for (at, call) in calls.iter().enumerate() {
                for (number, (of, seen)) in stub.external.parameters.iter().zip(&call.arguments).enumerate() {
                    let place = format!("{noted}[{at}].{}", parameter(stub.external, number));
                    match seen {
                        // What has no name may be gone by now.
                        Seen::Fresh(_) | Seen::Static { .. } if !is_constant(self.program, seen) => {
                            checks.say(Fact::NotNull(&place));
                        }
                        _ => checks.value(&place, *of, seen),
                    }
                    if let Some(Copied { of, .. }) = stub.copies[number] {
                        checks.elements(&format!("{place}_data"), of, copied(self.program, seen));
                    }
                }
            }
        }
    }

    fn definition(&self, stub: &Stub) -> String {
        let External { name, parameters, result, variadic, .. } = stub.external;
        let room = stub.room;
        let [calls, count, results] = ["calls", "count", "results"].map(|what| self.name(stub, what));
        let mut out = String::from("\n");
        if !parameters.is_empty() {
            let fields = (0..parameters.len()).map(|at| self.field(stub, at));
            let copies = (0..parameters.len()).filter_map(|at| self.copy(stub, at));
            let fields: Vec<String> = fields.chain(copies).map(|field| format!("{field};")).collect();
            out.push_str(&format!("static struct {{ {} }} {calls}[{room}];\n", fields.join(" ")));
        }
        out.push_str(&format!("static int {count};\n"));
        if let Some(of) = result {
            let declared = declare(self.program, *of, &format!("{results}[{room}]"));
            out.push_str(&format!("static {declared};\n"));
        }
        for at in stub.varying() {
            out.push_str(&format!("static size_t {}[{room}];\n", self.lengths_of(stub, at)));
        }
        let named = |(at, of): (usize, &TypeId)| declare(self.program, *of, &parameter(stub.external, at));
        let mut declared: Vec<String> = parameters.iter().enumerate().map(named).collect();
        // C wants a parameter before them.
        declared.extend((*variadic && !parameters.is_empty()).then(|| "...".to_string()));
        out.push_str(&format!("\n{}\n{{\n", function(self.program, name, declared, *result)));
        if self.list.is_some() {
            out.push_str(&format!("    {}(\"{name} \");\n", helper(self.program, "note")));
        }
        let nothing =
            if result.is_some() { format!("return {results}[{}];", room - 1) } else { "return;".into() };
        if parameters.is_empty() && result.is_none() {
            return out + &format!("    {count}++;\n}}\n");
        }
        out.push_str(&format!(
            "    int call = {count}++;\n    if (call >= {room}) {{\n        {nothing}\n    }}\n"
        ));
        for at in 0..parameters.len() {
            let parameter = parameter(stub.external, at);
            let place = format!("{calls}[call].{parameter}");
            out.push_str(&match stub.texts[at] {
                Some(_) => format!("    strncpy({place}, {parameter}, sizeof {place} - 1);\n"),
                None => format!("    {place} = {parameter};\n"),
            });
            if let Some(copied) = stub.copies[at] {
                let size = match copied.varies {
                    true if self.program.size(copied.of) == 1 => {
                        format!("{}[call]", self.lengths_of(stub, at))
                    }
                    true => format!("{}[call] * sizeof {place}_data[0]", self.lengths_of(stub, at)),
                    false => format!("sizeof {place}_data"),
                };
                out.push_str(&format!(
                    "    if ({parameter} != NULL) {{\n        memcpy({place}_data, {parameter}, {size});\n    }}\n"
                ));
            }
        }
        if result.is_some() {
            out.push_str(&format!("    return {results}[call];\n"));
        }
        out + "}\n"
    }

    fn field(&self, stub: &Stub, at: usize) -> String {
        let name = parameter(stub.external, at);
        match stub.texts[at] {
            Some(room) => format!("char {name}[{room}]"),
            None => declare(self.program, stub.external.parameters[at], &name),
        }
    }

    /// What a stub's own variable is called.
    fn name(&self, stub: &Stub, what: &str) -> String {
        helper(self.program, &format!("{}_{what}", stub.external.name))
    }

    /// The table that says how many elements each call leads to.
    fn lengths_of(&self, stub: &Stub, at: usize) -> String {
        self.name(stub, &format!("{}_lengths", parameter(stub.external, at)))
    }

    /// Room for what a parameter leads to.
    fn copy(&self, stub: &Stub, at: usize) -> Option<String> {
        let Copied { of, most, .. } = stub.copies[at]?;
        Some(declare(self.program, of, &format!("{}_data[{most}]", parameter(stub.external, at))))
    }
}

impl Stub<'_> {
    /// The parameters that lead to more in one call than in another.
    fn varying(&self) -> impl Iterator<Item = usize> {
        (0..self.copies.len()).filter(|at| self.copies[*at].is_some_and(|copied| copied.varies))
    }
}

fn stub<'a>(program: &'a Program, id: ExternalId, tests: &[Test]) -> Stub<'a> {
    let external = program.external(id);
    let calls_of = |it: &Observation| it.calls.iter().filter(|call| call.external == id).count();
    let most = tests.iter().filter_map(observation).map(calls_of).max().unwrap_or(0);
    let calls = tests.iter().filter_map(observation).flat_map(|it| &it.calls).filter(|it| it.external == id);
    let mut texts = vec![None; external.parameters.len()];
    for (room, seen) in calls.flat_map(|call| (0..texts.len()).zip(&call.arguments)).collect::<Vec<_>>() {
        if let (Seen::Text(text), Type::Pointer(_)) = (seen, program.of(external.parameters[room])) {
            texts[room] = texts[room].max(Some(text.len() + 2));
        }
    }
    let calls =
        || tests.iter().filter_map(observation).flat_map(|it| &it.calls).filter(|it| it.external == id);
    let copies = (0..texts.len())
        .map(|at| copies(program, external.parameters[at], calls().map(|call| &call.arguments[at])));
    let copies = copies.collect();
    // A mutant may go on to results that the original never asks for.
    let put_down = tests.iter().flat_map(|test| &test.input.results).filter(|(external, _)| *external == id);
    let put_down = put_down.map(|(_, results)| results.len()).max().unwrap_or(0);
    Stub { id, external, room: most.max(put_down) + 1, texts, copies }
}

/// What to keep of that to which a parameter leads, from what was seen of it.
fn copies<'s>(program: &Program, of: TypeId, seen: impl Iterator<Item = &'s Seen>) -> Option<Copied> {
    let Type::Pointer(pointer) = program.of(of) else { return None };
    let seen = seen.filter(|seen| **seen != Seen::Null && !is_constant(program, seen));
    let lengths: BTreeSet<usize> = seen.map(|seen| seen.contents().len()).collect();
    let most = *lengths.last()?;
    (most > 0).then_some(Copied { of: pointer.to, most, varies: lengths.len() > 1 })
}

/// The elements that a stub copies.
fn copied<'s>(program: &Program, seen: &'s Seen) -> &'s [Seen] {
    if is_constant(program, seen) { &[] } else { seen.contents() }
}

/// Whether a pointer leads to what never changes, so that a test can look at it later.
fn is_constant(program: &Program, seen: &Seen) -> bool {
    match seen {
        Seen::Static { global, .. } => program.global(*global).constant,
        Seen::Handed { constant, .. } => *constant,
        _ => false,
    }
}

fn parameter(external: &External, at: usize) -> String {
    if external.parameters.len() == 1 { "argument".to_string() } else { format!("argument_{}", at + 1) }
}

/// The names of the functions called, each with a space behind it.
fn listed(program: &Program, observation: &Observation) -> String {
    let called = observation.calls.iter().map(|call| program.external(call.external));
    called.filter(|external| !external.prints).map(|external| format!("{} ", external.name)).collect()
}
