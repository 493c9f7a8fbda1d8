//! Records: what was found, as text.
//!
//! Functions, globals, types and mutants are named by their number in the
//! [`Slice`]. What cannot be named this way is not written. A record that makes
//! no sense is ignored. Either costs an answer, and never gives a wrong one.

use bv::Word;
use ir::{Datum, FunctionId, Input, Mutant, Object, Unsupported};
use serde_json::{Value, json};
use settle::{
    Claim, Granted, Kept, KeptParametric, Leg, Obligation, Open, ParametricClaim, Proof, Sanitiser, Shown,
};

use crate::Slice;

/// What was found of one mutant of a subject.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    pub mutant: Mutant,
    pub kept: Kept,
    /// Another mutant that does the same.
    pub twin: Option<Mutant>,
}

/// A test of a suite, without what can be computed again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KeptTest {
    pub subject: FunctionId,
    pub input: Input,
    pub kills: Vec<Mutant>,
    pub may_kill: Vec<Mutant>,
    pub whole: bool,
    pub soft: bool,
}

/// What a subject found.
pub fn entries(slice: &Slice, entries: &[Entry]) -> Option<String> {
    let entry = |entry: &Entry| {
        let twin = match &entry.twin {
            Some(twin) => Some(slice.mutants.of(twin)?),
            None => None,
        };
        Some(json!([slice.mutants.of(&entry.mutant)?, kept(slice, &entry.kept)?, twin]))
    };
    list(entries, entry).map(|list| list.to_string())
}

pub fn read_entries(slice: &Slice, text: &str) -> Option<Vec<Entry>> {
    let entry = |value: &Value| {
        let [mutant, kept, twin] = parts(value)?;
        let twin = if twin.is_null() { None } else { Some(read_mutant(slice, twin)?) };
        Some(Entry { mutant: read_mutant(slice, mutant)?, kept: read_kept(slice, kept)?, twin })
    };
    read_list(&serde_json::from_str(text).ok()?, entry)
}

/// What was claimed of some mutants.
pub fn claims(slice: &Slice, claims: &[(Mutant, Claim)]) -> Option<String> {
    list(claims, |claimed| claim(slice, claimed)).map(|list| list.to_string())
}

pub fn read_claims(slice: &Slice, text: &str) -> Option<Vec<(Mutant, Claim)>> {
    read_list(&serde_json::from_str(text).ok()?, |value| read_claim(slice, value))
}

/// What a leg of a search has found.
pub fn leg(slice: &Slice, leg: &Leg) -> Option<String> {
    let claims = |claims: &[(Mutant, Claim)]| list(claims, |claimed| claim(slice, claimed));
    let corpus = list(&leg.corpus, |input| self::input(slice, input))?;
    Some(json!([claims(&leg.claims)?, claims(&leg.weak)?, corpus]).to_string())
}

pub fn read_leg(slice: &Slice, text: &str) -> Option<Leg> {
    let value: Value = serde_json::from_str(text).ok()?;
    let [claims, weak, corpus] = parts(&value)?;
    let read = |claims: &Value| read_list(claims, |value| read_claim(slice, value));
    let corpus = read_list(corpus, |value| read_input(slice, value))?;
    Some(Leg { claims: read(claims)?, weak: read(weak)?, corpus })
}

/// The tests that were chosen.
pub fn tests(slice: &Slice, tests: &[KeptTest]) -> Option<String> {
    let numbers = |mutants: &[Mutant]| list(mutants, |mutant| Some(slice.mutants.of(mutant)?.into()));
    let test = |test: &KeptTest| {
        Some(json!([
            slice.functions.of(&test.subject)?,
            input(slice, &test.input)?,
            numbers(&test.kills)?,
            numbers(&test.may_kill)?,
            test.whole,
            test.soft,
        ]))
    };
    list(tests, test).map(|list| list.to_string())
}

pub fn read_tests(slice: &Slice, text: &str) -> Option<Vec<KeptTest>> {
    let mutants = |value: &Value| read_list(value, |mutant| read_mutant(slice, mutant));
    let test = |value: &Value| {
        let [subject, input, kills, may_kill, whole, soft] = parts(value)?;
        Some(KeptTest {
            subject: slice.functions.get(number(subject)?)?,
            input: read_input(slice, input)?,
            kills: mutants(kills)?,
            may_kill: mutants(may_kill)?,
            whole: whole.as_bool()?,
            soft: soft.as_bool()?,
        })
    };
    read_list(&serde_json::from_str(text).ok()?, test)
}

/// What was found of a parametric mutant.
pub fn parametric(slice: &Slice, kept: &KeptParametric) -> Option<String> {
    let KeptParametric { claim, shown } = kept;
    let ParametricClaim { tests, equivalent, more, granted, obligations: _, left, complete, singly } = claim;
    let tests: Vec<_> = tests.iter().zip(shown).collect();
    let test = |((input, value), (shown, hangs)): &(&(Input, Word), &(Shown, bool))| {
        let input = self::input(slice, input)?;
        Some(json!([input, word(value), name_of(*shown)?, hangs]))
    };
    let tests = list(&tests, test)?;
    let equivalent: Vec<String> = equivalent.iter().map(word).collect();
    let left = left.as_ref().map(word);
    Some(json!([tests, equivalent, more, self::granted(granted), left, complete, singly]).to_string())
}

pub fn read_parametric(slice: &Slice, text: &str) -> Option<KeptParametric> {
    let value: Value = serde_json::from_str(text).ok()?;
    let [tests, equivalent, more, granted, left, complete, singly] = parts(&value)?;
    let test = |value: &Value| {
        let [input, number, shown, hangs] = parts(value)?;
        let input = read_input(slice, input)?;
        Some(((input, read_word(number)?), (read_shown(shown)?, hangs.as_bool()?)))
    };
    let (tests, shown) = read_list(tests, test)?.into_iter().unzip();
    let claim = ParametricClaim {
        tests,
        equivalent: read_list(equivalent, read_word)?,
        more: more.as_bool()?,
        granted: read_granted(granted)?,
        obligations: vec![],
        left: if left.is_null() { None } else { Some(read_word(left)?) },
        complete: complete.as_bool()?,
        singly: singly.as_bool()?,
    };
    Some(KeptParametric { claim, shown })
}

fn claim(slice: &Slice, (mutant, claim): &(Mutant, Claim)) -> Option<Value> {
    let claim = match claim {
        Claim::Killed(input) => json!({ "killed": self::input(slice, input)? }),
        Claim::Equivalent(Proof { method, granted, obligations }) => {
            let obligations: Vec<&str> = obligations.iter().map(|it| it.0.as_str()).collect();
            json!({ "equivalent": [method, self::granted(granted), obligations] })
        }
        Claim::Duplicate(of) => json!({ "duplicate": slice.mutants.of(of)? }),
        Claim::Open(open) => json!({ "open": self::open(slice, open)? }),
    };
    Some(json!([slice.mutants.of(mutant)?, claim]))
}

fn read_claim(slice: &Slice, value: &Value) -> Option<(Mutant, Claim)> {
    let [mutant, claim] = parts(value)?;
    let (kind, value) = claim.as_object()?.iter().next()?;
    let claim = match kind.as_str() {
        "killed" => Claim::Killed(read_input(slice, value)?),
        "equivalent" => {
            let [method, granted, obligations] = parts(value)?;
            let obligations = texts(obligations)?.into_iter().map(Obligation).collect();
            let granted = read_granted(granted)?;
            Claim::Equivalent(Proof { method: self::text(method)?, granted, obligations })
        }
        "duplicate" => Claim::Duplicate(read_mutant(slice, value)?),
        "open" => Claim::Open(read_open(slice, value)?),
        _ => return None,
    };
    Some((read_mutant(slice, mutant)?, claim))
}

fn kept(slice: &Slice, kept: &Kept) -> Option<Value> {
    Some(match kept {
        Kept::Killed { stage, input, shown, hangs } => {
            json!({ "killed": [stage, self::input(slice, input)?, name_of(*shown)?, hangs] })
        }
        Kept::Equivalent { stage, method, granted } => {
            json!({ "equivalent": [stage, method, self::granted(granted)] })
        }
        Kept::Open(open) => json!({ "open": self::open(slice, open)? }),
    })
}

fn read_kept(slice: &Slice, value: &Value) -> Option<Kept> {
    let (kind, value) = value.as_object()?.iter().next()?;
    Some(match kind.as_str() {
        "killed" => {
            let [stage, input, shown, hangs] = parts(value)?;
            Kept::Killed {
                stage: text(stage)?,
                input: read_input(slice, input)?,
                shown: read_shown(shown)?,
                hangs: hangs.as_bool()?,
            }
        }
        "equivalent" => {
            let [stage, method, granted] = parts(value)?;
            Kept::Equivalent { stage: text(stage)?, method: text(method)?, granted: read_granted(granted)? }
        }
        "open" => Kept::Open(read_open(slice, value)?),
        _ => return None,
    })
}

fn granted(granted: &Granted) -> Value {
    let Granted { assumptions, caller_may_break, limits, rounds, size } = granted;
    json!([assumptions, caller_may_break, limits, rounds, size])
}

fn read_granted(value: &Value) -> Option<Granted> {
    let [assumptions, caller_may_break, limits, rounds, size] = parts(value)?;
    let limit = |value: &Value| if value.is_null() { Some(None) } else { number(value).map(Some) };
    Some(Granted {
        assumptions: texts(assumptions)?,
        caller_may_break: caller_may_break.as_bool()?,
        limits: texts(limits)?,
        rounds: limit(rounds)?,
        size: limit(size)?,
    })
}

const SHOWN: [(Shown, &str); 6] = [
    (Shown::Plainly, "plainly"),
    (Shown::Stopped, "stopped"),
    (Shown::With(Sanitiser::Address), "address"),
    (Shown::With(Sanitiser::Undefined), "undefined"),
    (Shown::With(Sanitiser::Memory), "memory"),
    (Shown::Nowhere, "nowhere"),
];

fn name_of(shown: Shown) -> Option<&'static str> {
    Some(SHOWN.iter().find(|(known, _)| *known == shown)?.1)
}

fn read_shown(value: &Value) -> Option<Shown> {
    Some(SHOWN.iter().find(|(_, name)| value == name)?.0)
}

fn open(slice: &Slice, open: &Open) -> Option<Value> {
    Some(match open {
        Open::Unsupported(Unsupported { what, at: None }) => json!(["unsupported", what]),
        Open::Unsupported(Unsupported { what, at: Some(at) }) => {
            json!(["unsupported", what, slice.places.of(at)?])
        }
        Open::OutOfFuel(what) => json!(["fuel", what]),
        Open::OutOfMemory => json!(["memory"]),
        Open::OutOfReach => json!(["reach"]),
        Open::Escapes(function) => json!(["escapes", function]),
        Open::Rejected(why) => json!(["rejected", why]),
        Open::Broken(part) => json!(["broken", part]),
        // Another run goes on from there.
        Open::Stopped(_) => return None,
        Open::Untried => json!(["untried"]),
    })
}

fn read_open(slice: &Slice, value: &Value) -> Option<Open> {
    let parts = value.as_array()?;
    let (kind, rest) = parts.split_first()?;
    Some(match (kind.as_str()?, rest) {
        ("unsupported", [what]) => Open::Unsupported(Unsupported { what: text(what)?, at: None }),
        ("unsupported", [what, at]) => {
            let at = slice.places.get(number(at)?)?;
            Open::Unsupported(Unsupported { what: text(what)?, at: Some(at) })
        }
        ("fuel", [what]) => Open::OutOfFuel(text(what)?),
        ("memory", []) => Open::OutOfMemory,
        ("reach", []) => Open::OutOfReach,
        ("escapes", [function]) => Open::Escapes(text(function)?),
        ("rejected", [why]) => Open::Rejected(text(why)?),
        ("broken", [part]) => Open::Broken(text(part)?),
        ("untried", []) => Open::Untried,
        _ => return None,
    })
}

/// An input, as a value.
pub fn input(slice: &Slice, input: &Input) -> Option<Value> {
    let data = |data: &[Datum]| list(data, |datum| self::datum(slice, datum));
    let object = |object: &Object| {
        Some(json!([slice.types.of(&object.of)?, data(&object.elements)?, object.constant]))
    };
    Some(json!([
        data(&input.arguments)?,
        list(&input.objects, object)?,
        list(&input.globals, |(id, datum)| Some(json!([slice.globals.of(id)?, self::datum(slice, datum)?])))?,
        list(&input.results, |(id, results)| Some(json!([slice.externals.of(id)?, data(results)?])))?,
    ]))
}

fn read_input(slice: &Slice, value: &Value) -> Option<Input> {
    let data = |value: &Value| read_list(value, |datum| read_datum(slice, datum));
    let [arguments, objects, globals, results] = parts(value)?;
    let object = |value: &Value| {
        let [of, elements, constant] = parts(value)?;
        let of = slice.types.get(number(of)?)?;
        Some(Object { of, elements: data(elements)?, constant: constant.as_bool()? })
    };
    let global = |value: &Value| {
        let [id, datum] = parts(value)?;
        Some((slice.globals.get(number(id)?)?, read_datum(slice, datum)?))
    };
    let result = |value: &Value| {
        let [id, results] = parts(value)?;
        Some((slice.externals.get(number(id)?)?, data(results)?))
    };
    let mut input = Input {
        arguments: data(arguments)?,
        objects: read_list(objects, object)?,
        globals: read_list(globals, global)?,
        results: read_list(results, result)?,
    };
    // Where other parts of the file have changed, the order of the numbers may be another.
    input.globals.sort();
    input.results.sort();
    Some(input)
}

fn datum(slice: &Slice, datum: &Datum) -> Option<Value> {
    Some(match datum {
        Datum::Word(word) => json!(self::word(word)),
        Datum::Null => Value::Null,
        Datum::Pointer { object, element } => json!({ "to": [object, element] }),
        Datum::Function(id) => json!({ "function": slice.functions.of(id)? }),
        Datum::Aggregate(data) => list(data, |datum| self::datum(slice, datum))?,
    })
}

fn read_datum(slice: &Slice, value: &Value) -> Option<Datum> {
    Some(match value {
        Value::Null => Datum::Null,
        Value::String(_) => Datum::Word(read_word(value)?),
        Value::Array(_) => Datum::Aggregate(read_list(value, |datum| read_datum(slice, datum))?),
        Value::Object(object) => match (object.get("to"), object.get("function")) {
            (Some(to), _) => {
                let [object, element] = parts(to)?;
                Datum::Pointer { object: number(object)?, element: number(element)? }
            }
            (_, Some(function)) => Datum::Function(slice.functions.get(number(function)?)?),
            _ => return None,
        },
        _ => return None,
    })
}

fn word(word: &Word) -> String {
    format!("{}:{}", word.width(), word.bits())
}

fn read_word(value: &Value) -> Option<Word> {
    let (width, bits) = value.as_str()?.split_once(':')?;
    let width = width.parse().ok().filter(|width| (1..=bv::MAX_WIDTH).contains(width))?;
    Some(Word::new(width, bits.parse().ok()?))
}

fn read_mutant(slice: &Slice, value: &Value) -> Option<Mutant> {
    slice.mutants.get(number(value)?)
}

fn list<T>(items: &[T], one: impl Fn(&T) -> Option<Value>) -> Option<Value> {
    items.iter().map(one).collect::<Option<Vec<Value>>>().map(Value::Array)
}

fn read_list<T>(value: &Value, one: impl Fn(&Value) -> Option<T>) -> Option<Vec<T>> {
    value.as_array()?.iter().map(one).collect()
}

/// The elements of a list of this length.
fn parts<const N: usize>(value: &Value) -> Option<[&Value; N]> {
    value.as_array()?.iter().collect::<Vec<_>>().try_into().ok()
}

fn number(value: &Value) -> Option<u32> {
    value.as_u64().and_then(|number| number.try_into().ok())
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_string)
}

fn texts(value: &Value) -> Option<Vec<String>> {
    read_list(value, text)
}

#[cfg(test)]
mod tests;
