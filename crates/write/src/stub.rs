//! Stubs: bodies for functions that the file under test calls and that are defined elsewhere.
//!
//! A stub notes what it is called with, and returns what the test has put down for it, call by call, and zero
//! after that. Calls of several functions are noted in one list, too, because their order is observed.

use std::collections::BTreeSet;

use ir::{Datum, External, ExternalId, Observation, Program, Seen, SeenCall, Type, TypeId};
use settle::Test;

use crate::check::Checks;
use crate::declare::{declare, function};
use crate::observation;
use crate::scene::Scene;

/// The stubs of a test file.
pub struct Stubs<'a> {
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
}

impl<'a> Stubs<'a> {
    /// Of the functions that the subjects may call, those that the C library does not have.
    pub fn new(program: &'a Program, tests: &[Test], reached: &BTreeSet<ExternalId>) -> Stubs<'a> {
        let ids = reached.iter().filter(|id| !program.external(**id).prints);
        let stubs: Vec<Stub> = ids.map(|id| stub(program, *id, tests)).collect();
        let longest = tests.iter().filter_map(observation).map(|it| listed(program, it).len()).max();
        let name = program.externals.iter().map(|it| it.name.len()).max();
        let list = (stubs.len() > 1).then(|| longest.unwrap_or(0) + name.unwrap_or(0) + 2);
        Stubs { program, stubs, list }
    }

    pub fn is_empty(&self) -> bool {
        self.stubs.is_empty()
    }

    /// The types that the stubs name.
    pub fn types(&self) -> impl Iterator<Item = TypeId> {
        self.stubs
            .iter()
            .flat_map(|stub| stub.external.parameters.iter().chain(&stub.external.result))
            .copied()
    }

    pub fn definitions(&self) -> String {
        let mut out = String::new();
        if self.is_empty() {
            return out;
        }
        out.push_str(
            "\n/* Stubs: each notes its arguments, and returns what the test has put down, call by call. */\n",
        );
        if let Some(room) = self.list {
            out.push_str(&format!(
                "static char calls[{room}];\n\n\
                 static void note(const char *name)\n{{\n    \
                 strncat(calls, name, sizeof calls - 1 - strlen(calls));\n}}\n"
            ));
        }
        for stub in &self.stubs {
            out.push_str(&self.definition(stub));
        }
        out
    }

    /// What every test starts with.
    pub fn reset(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if self.list.is_some() {
            lines.push("calls[0] = '\\0';".to_string());
        }
        for Stub { external: External { name, result, .. }, .. } in &self.stubs {
            lines.push(format!("{name}_count = 0;"));
            if result.is_some() {
                lines.push(format!("memset({name}_results, 0, sizeof {name}_results);"));
            }
        }
        lines
    }

    /// Puts down what the stubs return.
    pub fn results(&self, scene: &Scene, results: &[(ExternalId, Vec<Datum>)]) -> Vec<String> {
        let mut lines = Vec::new();
        for (id, datums) in results {
            let Some(stub) = self.stubs.iter().find(|stub| stub.id == *id) else { continue };
            let Some(of) = stub.external.result else { continue };
            for (at, datum) in datums.iter().enumerate().take(stub.room) {
                let value = scene.given(of, datum);
                if value != "0" && value != "NULL" {
                    lines.push(format!("{}_results[{at}] = {value};", stub.external.name));
                }
            }
        }
        lines
    }

    /// Checks the calls, of the functions that the subject may call.
    pub fn check(&self, checks: &mut Checks, reached: &BTreeSet<ExternalId>) {
        let observation = checks.observation;
        if self.list.is_some() && self.stubs.iter().any(|stub| reached.contains(&stub.id)) {
            let expected = listed(self.program, observation);
            checks.lines.push(format!("TEST_ASSERT_EQUAL_STRING(\"{expected}\", calls);"));
        }
        for stub in self.stubs.iter().filter(|stub| reached.contains(&stub.id)) {
            let name = &stub.external.name;
            let calls: Vec<&SeenCall> =
                observation.calls.iter().filter(|call| call.external == stub.id).collect();
            if self.list.is_none() {
                checks.lines.push(format!("TEST_ASSERT_EQUAL_INT({}, {name}_count);", calls.len()));
            }
            for (at, call) in calls.iter().enumerate() {
                for (number, (of, seen)) in stub.external.parameters.iter().zip(&call.arguments).enumerate() {
                    let place = format!("{name}_calls[{at}].{}", parameter(stub.external, number));
                    match seen {
                        // What they point to may have changed since.
                        Seen::Fresh(_) => checks.lines.push(format!("TEST_ASSERT_NOT_NULL({place});")),
                        _ => checks.value(&place, *of, seen),
                    }
                }
            }
        }
    }

    fn definition(&self, stub: &Stub) -> String {
        let External { name, parameters, result, variadic, .. } = stub.external;
        let room = stub.room;
        let mut out = String::from("\n");
        if !parameters.is_empty() {
            let fields: Vec<String> =
                (0..parameters.len()).map(|at| format!("{};", self.field(stub, at))).collect();
            out.push_str(&format!("static struct {{ {} }} {name}_calls[{room}];\n", fields.join(" ")));
        }
        out.push_str(&format!("static int {name}_count;\n"));
        if let Some(of) = result {
            let results = declare(self.program, *of, &format!("{name}_results[{room}]"));
            out.push_str(&format!("static {results};\n"));
        }
        let named = |(at, of): (usize, &TypeId)| declare(self.program, *of, &parameter(stub.external, at));
        let mut declared: Vec<String> = parameters.iter().enumerate().map(named).collect();
        // C wants a parameter before them.
        declared.extend((*variadic && !parameters.is_empty()).then(|| "...".to_string()));
        out.push_str(&format!("\n{}\n{{\n", function(self.program, name, declared, *result)));
        if self.list.is_some() {
            out.push_str(&format!("    note(\"{name} \");\n"));
        }
        let nothing =
            if result.is_some() { format!("return {name}_results[{}];", room - 1) } else { "return;".into() };
        if parameters.is_empty() && result.is_none() {
            return out + &format!("    {name}_count++;\n}}\n");
        }
        out.push_str(&format!(
            "    int call = {name}_count++;\n    if (call >= {room}) {{\n        {nothing}\n    }}\n"
        ));
        for at in 0..parameters.len() {
            let parameter = parameter(stub.external, at);
            let place = format!("{name}_calls[call].{parameter}");
            out.push_str(&match stub.texts[at] {
                Some(_) => format!("    strncpy({place}, {parameter}, sizeof {place} - 1);\n"),
                None => format!("    {place} = {parameter};\n"),
            });
        }
        if result.is_some() {
            out.push_str(&format!("    return {name}_results[call];\n"));
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
    // A mutant may go on to results that the original never asks for.
    let put_down = tests.iter().flat_map(|test| &test.input.results).filter(|(external, _)| *external == id);
    let put_down = put_down.map(|(_, results)| results.len()).max().unwrap_or(0);
    Stub { id, external, room: most.max(put_down) + 1, texts }
}

fn parameter(external: &External, at: usize) -> String {
    if external.parameters.len() == 1 { "argument".to_string() } else { format!("argument_{}", at + 1) }
}

/// The names of the functions called, each with a space behind it.
fn listed(program: &Program, observation: &Observation) -> String {
    let called = observation.calls.iter().map(|call| program.external(call.external));
    called.filter(|external| !external.prints).map(|external| format!("{} ", external.name)).collect()
}
