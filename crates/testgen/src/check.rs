//! Checks: what was observed, as assertions of Unity.
//!
//! They are exact, because a test has to fail on every mutant that it kills. Unity compares floats with a
//! tolerance, so floats are compared by C. Where nothing was assigned, nothing is checked.

use ir::{Field, GlobalId, Observation, Program, Record, Scalar, Seen, Type, TypeId};

use crate::c::{is_char, literal, string, text};
use crate::declare::innermost;
use crate::framework::{Fact, Framework};
use crate::layout::is_dense;
use crate::scene::{Scene, bytes, constant_text, in_bits, initial, is_zero};

/// Up to so many zeros are written into a string; more are left to the length of an array.
const FEW: usize = 3;

pub(crate) struct Checks<'s, 'a> {
    pub scene: &'s mut Scene<'a>,
    pub observation: &'s Observation,
    pub lines: Vec<String>,
}

impl Checks<'_, '_> {
    pub(crate) fn say(&mut self, fact: Fact) {
        self.lines.push(self.scene.framework.check(fact));
    }

    /// Checks a value, given as an expression that can be evaluated again and again.
    pub(crate) fn value(&mut self, place: &str, of: TypeId, seen: &Seen) {
        let program = self.scene.program;
        match (program.of(of), seen) {
            (_, Seen::Undefined | Seen::Elsewhere) => {}
            (Type::Integer(scalar), Seen::Word(word)) => {
                self.equal(scalar, &literal(*word, scalar), place);
            }
            (Type::Integer(_), Seen::Nonzero { negative }) => {
                let is = match negative {
                    Some(true) => "<",
                    Some(false) => ">",
                    None => "!=",
                };
                self.say(Fact::True(&format!("{place} {is} 0")));
            }
            (Type::Float(_), Seen::Word(_)) => self.float(place, of, seen),
            (Type::Pointer(pointer), seen) => self.pointer(place, pointer, seen),
            (Type::Array { of, .. }, Seen::Aggregate(elements)) => self.elements(place, *of, elements),
            (Type::Record(record), Seen::Aggregate(parts)) => self.record(place, record, parts),
            _ => {}
        }
    }

    /// The elements of an array, or of what a pointer points to.
    pub(crate) fn elements(&mut self, place: &str, of: TypeId, elements: &[Seen]) {
        let program = self.scene.program;
        let assigned = elements.iter().rposition(Seen::is_assigned).map_or(0, |last| last + 1);
        let elements = &elements[..assigned];
        if let Some(bytes) = bytes(program, of, elements).filter(|bytes| !bytes.is_empty()) {
            return self.characters(place, of, &bytes, elements);
        }
        let whole = elements.len() > 1 && !elements.iter().any(|it| has_gap(program, of, it));
        match (array_kind(program, of), whole) {
            (Some((kind, length)), true) => self.numbers(place, of, elements, &kind, length),
            (None, true) if can_compare_bytes(program, of) => {
                if let Some(expected) = self.expected(place, of, elements) {
                    let size = &format!("sizeof {expected}");
                    self.say(Fact::Memory { expected: &expected, actual: place, size });
                } else {
                    self.one_by_one(place, of, elements);
                }
            }
            _ => self.one_by_one(place, of, elements),
        }
    }

    fn one_by_one(&mut self, place: &str, of: TypeId, elements: &[Seen]) {
        for (at, element) in elements.iter().enumerate() {
            self.value(&format!("{place}[{at}]"), of, element);
        }
    }

    fn numbers(&mut self, place: &str, of: TypeId, elements: &[Seen], kind: &str, length: usize) {
        let count = elements.len() * length;
        let mut numbers = Vec::new();
        elements.iter().for_each(|element| flatten(element, &mut numbers));
        let same = numbers.iter().all(|seen| *seen == numbers[0]);
        // Only Unity takes an array of arrays for one.
        if same && count > 2 && (length == 1 || self.scene.framework == Framework::Unity) {
            let value =
                self.scene.initialiser(innermost(self.scene.program, of), numbers[0]).unwrap_or_default();
            self.say(Fact::Each { kind, expected: &value, actual: place, count });
        } else if let Some(expected) = self.expected(place, of, elements) {
            self.say(Fact::Array { kind, expected: &expected, actual: place, count });
        }
    }

    fn characters(&mut self, place: &str, of: TypeId, bytes: &[u8], elements: &[Seen]) {
        let count = bytes.len();
        match text(bytes) {
            Some(text) if text.len() + 1 == count => {
                self.say(Fact::Text { expected: &string(text), actual: place });
            }
            Some([]) => self.say(Fact::Each { kind: "CHAR", expected: "0", actual: place, count }),
            Some(text) if count - text.len() > FEW => {
                if let Some(expected) = self.expected(place, of, elements) {
                    let size = &format!("sizeof {expected}");
                    self.say(Fact::Memory { expected: &expected, actual: place, size });
                }
            }
            None if count == 1 => self.character(bytes[0], place),
            // The last zero is C's own.
            _ => {
                let written = string(bytes.strip_suffix(&[0]).unwrap_or(bytes));
                self.say(Fact::Memory { expected: &written, actual: place, size: &count.to_string() });
            }
        }
    }

    /// Declares an array with these values, and gives its name.
    fn expected(&mut self, place: &str, of: TypeId, elements: &[Seen]) -> Option<String> {
        // Asked for first, so that no name is spent on what cannot be written down.
        self.scene.array("", of, elements)?;
        let last = place.rsplit(['.', '>', '*', '(', ' ']).next().unwrap_or_default();
        let last: String = last.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        let first = !self.lines.iter().any(|line| line.contains(" expected"));
        let name = if first || last.is_empty() { "expected".to_string() } else { format!("expected_{last}") };
        let name = self.scene.fresh_name(&name);
        let line = self.scene.array(&name, of, elements)?;
        self.lines.push(if line.starts_with("const ") { line } else { format!("const {line}") });
        Some(name)
    }

    fn record(&mut self, place: &str, record: &Record, parts: &[Seen]) {
        let program = self.scene.program;
        for (field, part) in program.parts(record).into_iter().zip(parts) {
            let place = member(place, field);
            match (program.of(field.of), part) {
                (Type::Integer(scalar), Seen::Word(word)) => {
                    let value = literal(*word, &in_bits(scalar, field));
                    self.equal(scalar, &value, &place);
                }
                _ => self.value(&place, field.of, part),
            }
        }
    }

    fn equal(&mut self, scalar: &Scalar, expected: &str, actual: &str) {
        let kind = match (scalar.width, scalar.signed) {
            (1, _) if expected == "1" => return self.say(Fact::True(actual)),
            (1, _) => return self.say(Fact::False(actual)),
            (8, _) if is_char(scalar) => "CHAR",
            (64, true) => "INT64",
            (64, false) => "UINT64",
            (128, _) => return self.say(Fact::True(&format!("{expected} == {actual}"))),
            (_, true) => "INT",
            (_, false) => "UINT",
        };
        self.say(Fact::Equal { kind, expected, actual });
    }

    fn character(&mut self, byte: u8, place: &str) {
        let scalar = Scalar { name: "char".to_string(), width: 8, signed: true };
        let value = literal(bv::Word::new(8, u128::from(byte)), &scalar);
        self.equal(&scalar, &value, &format!("{place}[0]"));
    }

    fn float(&mut self, place: &str, of: TypeId, seen: &Seen) {
        let Some(value) = self.scene.initialiser(of, seen) else { return };
        match value.as_str() {
            "NAN" => self.say(Fact::True(&format!("isnan({place})"))),
            _ => self.say(Fact::True(&format!("{value} == {place}"))),
        }
        // C takes the two zeros for equal, and the caller may not.
        if value.trim_end_matches('f').trim_start_matches('-') == "0.0" {
            let signbit = &format!("signbit({place})");
            self.say(if value.starts_with('-') { Fact::True(signbit) } else { Fact::False(signbit) });
        }
    }

    fn pointer(&mut self, place: &str, pointer: &ir::Pointer, seen: &Seen) {
        match seen {
            Seen::Null => self.say(Fact::Null(place)),
            Seen::Fresh(fresh) => self.target(place, pointer, &fresh.elements),
            Seen::Static { contents, .. } => self.target(place, pointer, contents),
            Seen::Handed { pointer: known, .. } => self.pointer(place, pointer, known),
            Seen::StaticFunction(_) => self.say(Fact::True(&format!("{place} != NULL"))),
            Seen::Global { global, offset } if !self.scene.program.global(*global).external => {
                let elements = self.hidden(*global, *offset, pointer.to);
                self.target(place, pointer, &elements);
            }
            Seen::Text(text) => self.say(Fact::Text { expected: &string(text), actual: place }),
            Seen::Function(function) => match self.scene.function(*function) {
                Some(name) => self.say(Fact::True(&format!("{place} == {name}"))),
                None => self.say(Fact::NotNull(place)),
            },
            _ => {
                if let Some(expected) = self.scene.address(seen) {
                    self.say(Fact::Pointer { expected: &expected, actual: place });
                }
            }
        }
    }

    /// What lies where a pointer leads, if that has no name here.
    fn target(&mut self, place: &str, pointer: &ir::Pointer, elements: &[Seen]) {
        let before = self.lines.len();
        let place = if pointer.untyped { format!("((unsigned char *){place})") } else { place.to_string() };
        match (elements, self.scene.program.of(pointer.to)) {
            ([Seen::Aggregate(parts)], Type::Record(record)) => {
                self.record(&format!("(*{place})"), record, parts);
            }
            ([element], Type::Integer(scalar)) if !is_char(scalar) => {
                self.value(&format!("*{place}"), pointer.to, element);
            }
            _ => self.elements(&place, pointer.to, elements),
        }
        // Unity sees by itself to null where it is given a string or an array.
        let follows = self.lines[before..].iter().any(|line| {
            line.contains(&format!("*{place}")) || line.contains(&format!("{place}[")) || line.contains("->")
        });
        if follows || self.lines.len() == before {
            self.lines.insert(before, self.scene.framework.check(Fact::NotNull(&place)));
        }
    }

    /// What a global that no test can name holds after the call, from an offset on.
    fn hidden(&self, id: GlobalId, offset: i64, of: TypeId) -> Vec<Seen> {
        let program = self.scene.program;
        let is_text = matches!(program.of(of), Type::Integer(scalar) if is_char(scalar));
        if let (true, Some(text)) = (is_text, constant_text(program, id, offset)) {
            let byte = |byte: &u8| Seen::Word(bv::Word::new(8, u128::from(*byte)));
            return text.iter().chain(&[0]).map(byte).collect();
        }
        let changed = self.observation.hidden.iter().find(|(global, _)| *global == id);
        let seen = changed.map_or_else(|| initial(program, id), |(_, seen)| seen.clone());
        let global = program.global(id).of;
        if program.of(global) == program.of(of) && offset == 0 {
            return vec![seen];
        }
        let (Type::Array { of: element, .. }, Seen::Aggregate(elements)) = (program.of(global), seen) else {
            return vec![];
        };
        let size = program.size(of).max(1) as i64;
        if program.of(*element) != program.of(of) || offset < 0 || offset % size != 0 {
            return vec![];
        }
        let mut elements = elements.into_iter().skip((offset / size) as usize).collect::<Vec<_>>();
        // Of a string, what stands before its end.
        let end = elements.iter().position(is_zero);
        if let (true, Some(end)) = (is_text, end) {
            elements.truncate(end + 1);
        }
        elements
    }
}

/// The field of a struct, also through a pointer.
pub(crate) fn member(place: &str, field: &Field) -> String {
    if field.name.is_empty() {
        return place.to_string();
    }
    match place.strip_prefix("(*").and_then(|rest| rest.strip_suffix(')')) {
        Some(pointer) => format!("{pointer}->{}", field.name),
        None => format!("{place}.{}", field.name),
    }
}

/// Unity's word for arrays of these, and how many numbers one of them holds.
fn array_kind(program: &Program, of: TypeId) -> Option<(String, usize)> {
    match program.of(of) {
        Type::Array { of, count } => {
            let (kind, length) = array_kind(program, *of)?;
            Some((kind, length * *count as usize))
        }
        Type::Integer(scalar) if is_char(scalar) => Some(("CHAR".to_string(), 1)),
        Type::Integer(scalar) if scalar.width <= 64 => {
            let sign = if scalar.signed { "" } else { "U" };
            let width = if scalar.width == 32 { String::new() } else { scalar.width.max(8).to_string() };
            Some((format!("{sign}INT{width}"), 1))
        }
        _ => None,
    }
}

/// Whether equal bytes and equal values are the same here.
fn can_compare_bytes(program: &Program, of: TypeId) -> bool {
    is_dense(program, of) && !program.has_pointers(of) && !matches!(program.of(of), Type::Opaque { .. })
}

fn flatten<'s>(seen: &'s Seen, out: &mut Vec<&'s Seen>) {
    match seen {
        Seen::Aggregate(parts) => parts.iter().for_each(|part| flatten(part, out)),
        _ => out.push(seen),
    }
}

/// Whether a part is not assigned, or is a NaN, of which there are many.
fn has_gap(program: &Program, of: TypeId, seen: &Seen) -> bool {
    match (program.of(of), seen) {
        (Type::Float(float), Seen::Word(word)) => crate::c::float_literal(*word, float) == "NAN",
        (Type::Array { of, .. }, Seen::Aggregate(parts)) => parts.iter().any(|it| has_gap(program, *of, it)),
        (Type::Record(record), Seen::Aggregate(parts)) => {
            program.parts(record).into_iter().zip(parts).any(|(field, it)| has_gap(program, field.of, it))
        }
        (_, Seen::Undefined | Seen::Elsewhere) => true,
        _ => false,
    }
}
