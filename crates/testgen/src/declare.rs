//! Declarations: types in C's inside-out notation, and definitions of structs and unions.
//!
//! A test file cannot include the file under test, and there may be no header. So the types that the tests
//! name are defined again, in an order in which each is complete where it is used.

use std::collections::BTreeSet;

use ir::{Program, Record, Signature, Type, TypeId};

use crate::c::{type_name, unqualified};
use crate::foreign::is_keyword;
use crate::layout::{is_natural, is_packed, raised_field, raised_record};

/// Declares a name of this type: `int (*f)(int)`. Without a name, the type itself.
pub(crate) fn declare(program: &Program, of: TypeId, name: &str) -> String {
    declarator(program, of, name.to_string(), false)
}

/// `int clamp(int x, int lo, int hi)`.
pub fn prototype(program: &Program, name: &str, signature: &Signature) -> String {
    let parameter = |(of, name): (TypeId, String)| declare(program, of, &name);
    // A prototype needs no names, and C++ could not read these.
    let named = |name: &'_ str| if is_keyword(name) { String::new() } else { name.to_string() };
    let parameters = signature.parameters.iter().map(|it| (it.of, named(&it.name)));
    let further = signature.variadic.then(|| "...".to_string());
    let parameters = parameters.map(parameter).chain(further);
    function(program, name, parameters.collect(), signature.result)
}

/// A function with parameters that are declared already.
pub(crate) fn function(
    program: &Program,
    name: &str,
    parameters: Vec<String>,
    result: Option<TypeId>,
) -> String {
    let parameters = if parameters.is_empty() { "void".to_string() } else { parameters.join(", ") };
    let inner = format!("{name}({parameters})");
    result.map_or(format!("void {inner}"), |of| declare(program, of, &inner))
}

/// The definitions of all records that these types need, each before it is used.
pub(crate) fn definitions(program: &Program, types: impl IntoIterator<Item = TypeId>) -> Vec<String> {
    let (defined, declared, begun) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    let mut out = Definitions { program, defined, declared, begun, lines: vec![] };
    for of in types {
        out.complete(of);
    }
    out.lines
}

/// Whether C can name this record; otherwise it is defined where it is used.
pub(crate) fn is_named(record: &Record) -> bool {
    let name = tag(record).unwrap_or(name(record));
    let is_word = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_word && name != keyword(record)
}

fn keyword(record: &Record) -> &'static str {
    if record.union { "union" } else { "struct" }
}

fn name(record: &Record) -> &str {
    unqualified(&record.name)
}

fn tag(record: &Record) -> Option<&str> {
    name(record).strip_prefix(keyword(record)).and_then(|name| name.strip_prefix(' '))
}

fn declarator(program: &Program, of: TypeId, inner: String, constant: bool) -> String {
    let join = |base: &str| {
        let base = if constant { format!("const {base}") } else { base.to_string() };
        let space = if inner.is_empty() || inner.starts_with('[') { "" } else { " " };
        format!("{base}{space}{inner}")
    };
    match program.of(of) {
        Type::Integer(scalar) => join(&type_name(scalar)),
        Type::Float(float) => join(if float.width == 32 { "float" } else { "double" }),
        Type::Opaque { name, .. } => join(name),
        Type::Record(record) if is_named(record) => join(name(record)),
        Type::Record(record) => join(&body(program, record, "")),
        Type::Pointer(pointer) => {
            let space = if inner.is_empty() || inner.starts_with('[') { "" } else { " " };
            let inner = if constant { format!("*const{space}{inner}") } else { format!("*{inner}") };
            match program.of(pointer.to) {
                // What is not known needs no name either: the address is all there is to it.
                _ if pointer.untyped => {
                    format!("{}void {inner}", if pointer.constant { "const " } else { "" })
                }
                Type::Array { .. } | Type::Function { .. } => {
                    declarator(program, pointer.to, format!("({inner})"), pointer.constant)
                }
                _ => declarator(program, pointer.to, inner, pointer.constant),
            }
        }
        Type::Array { of, count } => declarator(program, *of, format!("{inner}[{count}]"), constant),
        Type::Function { parameters, result, variadic } => {
            let parameters = parameters.iter().map(|of| declare(program, *of, ""));
            let further = variadic.then(|| "...".to_string());
            function(program, &inner, parameters.chain(further).collect(), *result)
        }
    }
}

struct Definitions<'a> {
    program: &'a Program,
    /// By name: one record may stand under several numbers.
    defined: BTreeSet<String>,
    /// Those that were mentioned before they could be defined.
    declared: BTreeSet<String>,
    begun: BTreeSet<TypeId>,
    lines: Vec<String>,
}

impl Definitions<'_> {
    /// Defines this type and all it is made of. A pointer needs only the name of what it points to, but a
    /// reader, and a test that follows it, want to see that, too.
    fn complete(&mut self, of: TypeId) {
        if !self.begun.insert(of) {
            return;
        }
        match self.program.of(of) {
            Type::Record(record) => self.define(record),
            _ => below(self.program, of).into_iter().for_each(|of| self.complete(of)),
        }
    }

    /// What a record holds must be complete before it. What it only points to
    /// may have to wait: that may hold the record.
    fn define(&mut self, record: &Record) {
        if is_named(record) && !self.defined.insert(name(record).to_string()) {
            return;
        }
        let program = self.program;
        let (held, pointed): (Vec<TypeId>, Vec<TypeId>) =
            members(program, record).into_iter().partition(|of| matches!(program.of(*of), Type::Record(_)));
        held.into_iter().for_each(|of| self.complete(of));
        let (waiting, free): (Vec<TypeId>, Vec<TypeId>) =
            pointed.into_iter().partition(|of| self.lead(*of, record));
        free.into_iter().for_each(|of| self.complete(of));
        if is_named(record) {
            // Within its own definition a tag is known, but the name of a typedef is not.
            let known = tag(record).is_some() && self.declared.insert(name(record).to_string());
            waiting.iter().for_each(|of| self.mention(*of));
            let forward = !known && !self.declared.insert(name(record).to_string());
            self.lines.push(definition(program, record, forward));
        }
        waiting.into_iter().for_each(|of| self.complete(of));
    }

    /// Declares the records that a pointer leads to, but not what those lead to.
    fn mention(&mut self, of: TypeId) {
        let Type::Record(record) = self.program.of(of) else {
            return below(self.program, of).into_iter().for_each(|of| self.mention(of));
        };
        let (keyword, name) = (keyword(record), name(record));
        if is_named(record) && self.declared.insert(name.to_string()) {
            self.lines.push(match tag(record) {
                Some(_) => format!("{name};"),
                None => format!("typedef {keyword} {name} {name};"),
            });
        }
    }

    /// Whether pointers and members lead from a type to a record.
    fn lead(&self, from: TypeId, to: &Record) -> bool {
        let mut seen = BTreeSet::new();
        let mut open = vec![from];
        while let Some(of) = open.pop() {
            match self.program.of(of) {
                Type::Record(found) if is_named(found) && name(found) == name(to) => return true,
                _ if seen.insert(of) => open.extend(below(self.program, of)),
                _ => {}
            }
        }
        false
    }
}

/// The types that a type is directly made of.
fn below(program: &Program, of: TypeId) -> Vec<TypeId> {
    match program.of(of) {
        Type::Array { of, .. } => vec![*of],
        Type::Pointer(pointer) if !pointer.untyped => vec![pointer.to],
        Type::Function { parameters, result, .. } => parameters.iter().chain(result).copied().collect(),
        Type::Record(record) => record.fields.iter().map(|field| field.of).collect(),
        _ => vec![],
    }
}

/// What a record is made of, with elements in place of arrays, and the members
/// of what has no name in its place.
fn members(program: &Program, record: &Record) -> Vec<TypeId> {
    let mut members = Vec::new();
    for field in &record.fields {
        let of = innermost(program, field.of);
        match program.of(of) {
            Type::Record(inner) if !is_named(inner) => members.extend(self::members(program, inner)),
            _ => members.push(of),
        }
    }
    members
}

/// A record as a line of its own. The name of a typedef may stand before it already, as a tag.
fn definition(program: &Program, record: &Record, forward: bool) -> String {
    match (tag(record), name(record)) {
        (Some(tag), _) => format!("{};", body(program, record, tag)),
        (None, name) if forward => format!("{};", body(program, record, name)),
        (None, name) => format!("typedef {} {name};", body(program, record, "")),
    }
}

/// `struct point { int x; int y; }`; the tag may be empty.
fn body(program: &Program, record: &Record, tag: &str) -> String {
    let space = if tag.is_empty() { "" } else { " " };
    let mut out = format!("{} {tag}{space}{{ ", keyword(record));
    let packed = is_packed(program, record);
    // Bits that no field has named.
    let mut end = 0;
    for field in &record.fields {
        if let (Some(_), Type::Integer(scalar), false) = (field.bits, program.of(field.of), record.union) {
            let unit = u64::from(scalar.width.max(8));
            while end < field.offset && field.offset - end < 2 * unit && !is_natural(field, unit, end) {
                let gap = (unit - end % unit).min(field.offset - end);
                out.push_str(&format!("{} : {gap}; ", type_name(scalar)));
                end += gap;
            }
        }
        let bits = field.bits.map_or(String::new(), |bits| format!(" : {bits}"));
        let raised = raised_field(program, field, end).filter(|_| !record.union && !packed);
        let align = raised.map_or(String::new(), |bytes| format!("_Alignas({bytes}) "));
        out.push_str(&format!("{align}{}{bits}; ", declare(program, field.of, &field.name)));
        end = field.offset + field.bits.map_or(8 * program.size(field.of), u64::from);
    }
    // Of which type does not matter, but a struct that ends so is passed in another way.
    out.push_str(if record.flexible { "char rest[]; " } else { "" });
    out.push('}');
    out.push_str(if packed { " __attribute__((packed))" } else { "" });
    if let Some(bytes) = raised_record(program, record) {
        out.push_str(&format!(" __attribute__((aligned({bytes})))"));
    }
    out
}

/// What arrays of arrays are made of in the end.
pub(crate) fn innermost(program: &Program, of: TypeId) -> TypeId {
    match program.of(of) {
        Type::Array { of, .. } => innermost(program, *of),
        _ => of,
    }
}
