//! The scene of a test: a variable for each object of the input, and how values are written in terms of them.
//!
//! Objects are named after the parameters that lead to them. A constant string that nobody looks at
//! afterwards needs no variable: it is written where it is used, as in `length("ab")`.

use std::collections::BTreeSet;

use ir::observe::{Bytes, Start, seen};
use ir::{
    Datum, Field, FunctionId, GlobalId, Input, Observation, Program, Record, Scalar, Seen, Type, TypeId,
    rules,
};

use crate::Suite;
use crate::c::{float_literal, is_char, literal, string, text};
use crate::declare::declare;
use crate::foreign::is_keyword;
use crate::framework::Framework;
use crate::stream;

/// Names that a variable of a test must not have, besides those of the program.
const TAKEN: [&str; 60] = [
    "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum",
    "extern", "float", "for", "goto", "if", "inline", "int", "long", "register", "restrict", "return",
    "short", "signed", "sizeof", "static", "struct", "switch", "typedef", "union", "unsigned", "void",
    "volatile", "while", "bool", "true", "false", "typeof", "NULL", "NAN", "INFINITY", "free", "malloc",
    "calloc", "memcpy", "memset", "isnan", "signbit", "capture", "printed", "calls", "stdout", "stderr",
    "stdin", "stream", "provide", "main", "element", "state", "set_up",
];

/// Up to so many elements, zeros are written one by one.
const FEW: usize = 4;

pub(crate) struct Scene<'a> {
    pub program: &'a Program,
    pub framework: Framework,
    callable: &'a [FunctionId],
    input: &'a Input,
    /// The subject looks at addresses, so each variable says what its own is a multiple of.
    pub aligned: bool,
    /// The objects that the subject frees. Sorted.
    freed: &'a [u32],
    /// One for each object; none for those that nothing leads to.
    variables: Vec<Option<Variable>>,
    /// The variables of structs that are passed by value, by parameter.
    copies: Vec<Option<String>>,
    /// The objects that need a declaration, each after those it points to.
    order: Vec<usize>,
    names: BTreeSet<String>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Variable {
    Array(String),
    /// An object of one element, declared without brackets.
    Single(String),
    /// A pointer to memory from the heap, which the subject frees.
    Heap(String),
    /// A pointer to a stream.
    Stream(String),
    /// Written in its place.
    Literal,
}

impl<'a> Scene<'a> {
    /// The caller says which parameters are arrays even where there is only one element.
    pub(crate) fn new(
        suite: &Suite<'a>,
        parameters: &[ir::Parameter],
        input: &'a Input,
        observation: &'a Observation,
        literals: bool,
        is_array: impl Fn(usize) -> bool,
    ) -> Scene<'a> {
        let program = suite.program;
        let mut scene = Scene {
            program,
            framework: suite.framework,
            callable: suite.callable,
            input,
            aligned: false,
            freed: &observation.freed,
            variables: vec![None; input.objects.len()],
            copies: vec![None; input.arguments.len()],
            order: vec![],
            names: taken(program),
        };
        let looked_at = if literals { looked_at(input, observation) } else { vec![2; input.objects.len()] };
        for (at, (parameter, datum)) in parameters.iter().zip(&input.arguments).enumerate() {
            let name = if parameter.name.is_empty() { "argument" } else { &parameter.name };
            if let Datum::Aggregate(_) = datum {
                scene.copies[at] = Some(scene.fresh_name(name));
            }
            scene.visit(datum, parameter.of, name, is_array(at), &looked_at);
        }
        for (id, datum) in &input.globals {
            let global = program.global(*id);
            if let (Some(true), Datum::Pointer { object, .. }) =
                (program.standard_input().map(|it| it == *id), datum)
            {
                scene.variables[*object as usize] = Some(Variable::Stream(global.name.clone()));
                scene.order.push(*object as usize);
            }
            scene.visit(datum, global.of, &format!("{}_target", global.name), false, &looked_at);
        }
        for (external, datums) in &input.results {
            let external = program.external(*external);
            for (datum, of) in datums.iter().zip(std::iter::repeat(external.result)) {
                let Some(of) = of else { continue };
                scene.visit(datum, of, &format!("{}_result", external.name), false, &looked_at);
            }
        }
        scene
    }

    /// A name like this one that is not in use yet.
    pub(crate) fn fresh_name(&mut self, name: &str) -> String {
        let numbered = (2..).map(|number| format!("{name}_{number}"));
        let is_free = |name: &String| !self.names.contains(name) && !is_keyword(name);
        let free = std::iter::once(name.to_string()).chain(numbered).find(is_free);
        let free = free.unwrap_or_default();
        self.names.insert(free.clone());
        free
    }

    /// The variable of an object, and whether it is declared without brackets.
    pub(crate) fn variable(&self, object: usize) -> Option<(String, bool)> {
        match self.variables[object].as_ref()? {
            Variable::Array(name) | Variable::Heap(name) => Some((name.clone(), false)),
            Variable::Single(name) => Some((name.clone(), true)),
            Variable::Literal | Variable::Stream(_) => None,
        }
    }

    /// The streams that the test has opened for itself, and that the subject leaves open.
    pub(crate) fn open_streams(&self) -> Vec<String> {
        let open = self.order.iter().filter(|at| !self.freed.contains(&(**at as u32)));
        let name = |at: &usize| match &self.variables[*at] {
            Some(Variable::Stream(name)) if name != stream::STANDARD_INPUT => Some(name.clone()),
            _ => None,
        };
        open.filter_map(name).collect()
    }

    /// The declarations of all variables.
    pub(crate) fn declarations(&self, parameters: &[ir::Parameter]) -> Vec<String> {
        let mut lines = Vec::new();
        for at in &self.order {
            let object = &self.input.objects[*at];
            let elements: Vec<Seen> = object.elements.iter().map(|it| self.seen(object.of, it)).collect();
            match &self.variables[*at] {
                Some(Variable::Single(name)) => {
                    let value = self.initialiser(object.of, &elements[0]).unwrap_or_default();
                    let padded = if reads_behind(self.program, object.of) { "static " } else { "" };
                    let declared = declare(self.program, object.of, name);
                    lines.push(format!("{}{padded}{declared} = {value};", self.alignment()));
                }
                Some(Variable::Array(name)) => {
                    let array = self.array(name, object.of, &elements);
                    lines.extend(array.map(|array| format!("{}{array}", self.alignment())));
                }
                Some(Variable::Heap(name)) => lines.extend(self.made_on_heap(name, object.of, &elements)),
                Some(Variable::Stream(name)) => {
                    lines.extend(stream::made(self.program, name, &stream::content(&object.elements)));
                }
                Some(Variable::Literal) | None => {}
            }
        }
        for (at, (parameter, datum)) in parameters.iter().zip(&self.input.arguments).enumerate() {
            let Some(name) = &self.copies[at] else { continue };
            let value = self.initialiser(parameter.of, &self.seen(parameter.of, datum)).unwrap_or_default();
            lines.push(format!("{} = {value};", declare(self.program, parameter.of, name)));
        }
        lines
    }

    /// What comes before a declaration. Memory from the heap is aligned in any case.
    fn alignment(&self) -> String {
        let prefix = format!("__attribute__((aligned({}))) ", rules::ALIGNMENT);
        if self.aligned { prefix } else { String::new() }
    }

    /// `int *name = malloc(sizeof *name);` and what puts these values there.
    fn made_on_heap(&self, name: &str, of: TypeId, elements: &[Seen]) -> Vec<String> {
        let program = self.program;
        let starred = match program.of(of) {
            Type::Array { .. } => format!("(*{name})"),
            _ => format!("*{name}"),
        };
        let declared = declare(program, of, &starred);
        // C++ takes no pointer to anything for one to something.
        let cast = match (self.framework.is_cpp(), program.of(of)) {
            (false, _) => String::new(),
            (true, Type::Array { .. }) => format!("({})", declare(program, of, "(*)")),
            (true, _) => format!("({})", declare(program, of, "*")),
        };
        let count = elements.len();
        let is_array = matches!(program.of(of), Type::Array { .. });
        if let Some(bytes) = bytes(program, of, elements) {
            // The last zero is C's own.
            let text = string(bytes.strip_suffix(&[0]).unwrap_or(&bytes));
            return vec![
                format!("{declared} = {cast}malloc({count});"),
                format!("memcpy({name}, {text}, {count});"),
            ];
        }
        if count > FEW && elements.iter().all(is_zero) {
            return vec![format!("{declared} = {cast}calloc({count}, sizeof *{name});")];
        }
        if let ([element], false) = (elements, is_array) {
            let value = self.initialiser(of, element).unwrap_or_default();
            let value = match program.of(of) {
                Type::Record(_) => format!("({}){value}", declare(program, of, "")),
                _ => value,
            };
            return vec![
                format!("{declared} = {cast}malloc(sizeof *{name});"),
                format!("*{name} = {value};"),
            ];
        }
        let values = self.list(of, elements).unwrap_or_default();
        let made = format!("{declared} = {cast}malloc({count} * sizeof *{name});");
        if self.framework.is_cpp() {
            let there = format!("{name}_values");
            let declared = format!("const {} = {values};", declare(program, of, &format!("{there}[]")));
            return vec![made, declared, format!("memcpy({name}, {there}, sizeof {there});")];
        }
        let literal = format!("({}){values}", declare(program, of, "[]"));
        vec![made, format!("memcpy({name}, {literal}, {count} * sizeof *{name});")]
    }

    /// `int name[] = {3, 1, 2};`, if all elements can be written down.
    pub(crate) fn array(&self, name: &str, of: TypeId, elements: &[Seen]) -> Option<String> {
        let whole = Seen::Aggregate(elements.to_vec());
        let zeros = is_zero(&whole) && elements.len() > FEW;
        let value = match bytes(self.program, of, elements) {
            _ if elements.is_empty() => {
                return Some(format!("{};", declare(self.program, of, &format!("{name}[1]"))));
            }
            Some(bytes) => characters(&bytes),
            None if zeros => "{0}".to_string(),
            None => self.list(of, elements)?,
        };
        // A string that fills its array says how long it is; more zeros than its own have to be asked for.
        let stated = match value.starts_with('"') {
            true => {
                bytes(self.program, of, elements).and_then(|it| Some(text(&it)?.len() + 1))
                    != Some(elements.len())
            }
            false => zeros,
        };
        let length = if stated { elements.len().to_string() } else { String::new() };
        Some(format!("{} = {value};", declare(self.program, of, &format!("{name}[{length}]"))))
    }

    /// The argument for a parameter.
    pub(crate) fn argument(&self, at: usize, of: TypeId) -> String {
        match &self.copies[at] {
            Some(name) => name.clone(),
            None => self.given(of, &self.input.arguments[at]),
        }
    }

    /// An expression for a value of the input that is not an aggregate.
    pub(crate) fn given(&self, of: TypeId, datum: &Datum) -> String {
        let value = self.initialiser(of, &self.seen(of, datum)).unwrap_or_default();
        let (Datum::Pointer { object, .. }, Type::Pointer(pointer)) = (datum, self.program.of(of)) else {
            return value;
        };
        let object = &self.input.objects[*object as usize];
        if pointer.untyped || self.program.of(object.of) == self.program.of(pointer.to) {
            return value;
        }
        format!("({}){value}", declare(self.program, of, ""))
    }

    /// A value of the input, as one sees it.
    pub(crate) fn seen(&self, of: TypeId, datum: &Datum) -> Seen {
        match (datum, self.program.of(of)) {
            (Datum::Word(word), _) => Seen::Word(*word),
            (Datum::Null, _) => Seen::Null,
            (Datum::Function(function), _) => Seen::Function(*function),
            (Datum::Pointer { object, element }, _) => {
                let size = self.program.size(self.input.objects[*object as usize].of) as i64;
                Seen::Input { object: *object, offset: i64::from(*element) * size }
            }
            (Datum::Aggregate(parts), Type::Record(record)) => {
                let fields = self.program.parts(record);
                Seen::Aggregate(parts.iter().zip(fields).map(|(it, field)| self.seen(field.of, it)).collect())
            }
            (Datum::Aggregate(parts), Type::Array { of, .. }) => {
                Seen::Aggregate(parts.iter().map(|it| self.seen(*of, it)).collect())
            }
            (Datum::Aggregate(parts), _) => {
                Seen::Aggregate(parts.iter().map(|it| self.seen(of, it)).collect())
            }
        }
    }

    /// A global that holds what it holds at the start.
    pub(crate) fn initial(&self, global: GlobalId) -> Seen {
        let given = self.input.globals.iter().find(|(id, _)| *id == global);
        match given {
            Some((_, datum)) => self.seen(self.program.global(global).of, datum),
            None => initial(self.program, global),
        }
    }

    /// What a variable of this type is initialised with; none if the value has no name here.
    pub(crate) fn initialiser(&self, of: TypeId, value: &Seen) -> Option<String> {
        match (self.program.of(of), value) {
            (Type::Integer(scalar), Seen::Word(word)) => Some(literal(*word, scalar)),
            (Type::Float(float), Seen::Word(word)) => Some(float_literal(*word, float)),
            (Type::Record(record), Seen::Aggregate(parts)) => self.record(record, parts),
            (Type::Array { of, .. }, Seen::Aggregate(elements)) => match bytes(self.program, *of, elements) {
                Some(bytes) => Some(characters(&bytes)),
                None if is_zero(value) => Some("{0}".to_string()),
                None => self.list(*of, elements),
            },
            (Type::Opaque { .. }, value) => is_zero(value).then(|| "0".to_string()),
            (_, pointer) => self.address(pointer),
        }
    }

    /// A pointer to something that has a name here.
    pub(crate) fn address(&self, pointer: &Seen) -> Option<String> {
        match pointer {
            Seen::Null => Some("NULL".to_string()),
            Seen::Function(function) => self.function(*function),
            Seen::Input { object, offset } => Some(self.pointer(*object, *offset)),
            Seen::Global { global, offset } => self.global(*global, *offset),
            _ => None,
        }
    }

    fn list(&self, of: TypeId, elements: &[Seen]) -> Option<String> {
        let element =
            |it: &Seen| if is_zero(it) { Some(zero(self.program, of)) } else { self.initialiser(of, it) };
        let elements: Option<Vec<String>> = elements.iter().map(element).collect();
        Some(format!("{{{}}}", elements?.join(", ")))
    }

    /// `{.x = 1}`: what is zero goes without saying.
    fn record(&self, record: &Record, parts: &[Seen]) -> Option<String> {
        let mut said = Vec::new();
        self.fields(record, parts, &mut said)?;
        Some(if said.is_empty() { "{0}".to_string() } else { format!("{{{}}}", said.join(", ")) })
    }

    fn fields(&self, record: &Record, parts: &[Seen], said: &mut Vec<String>) -> Option<()> {
        for (field, part) in self.program.parts(record).into_iter().zip(parts).filter(|(_, it)| !is_zero(it))
        {
            match (self.program.of(field.of), part) {
                // The fields of an anonymous struct are fields of the one around it.
                (Type::Record(inner), Seen::Aggregate(parts)) if field.name.is_empty() => {
                    self.fields(inner, parts, said)?;
                }
                (Type::Integer(scalar), Seen::Word(word)) => {
                    said.push(format!(".{} = {}", field.name, literal(*word, &in_bits(scalar, field))));
                }
                _ => said.push(format!(".{} = {}", field.name, self.initialiser(field.of, part)?)),
            }
        }
        Some(())
    }

    /// The name of a function, if it has one here.
    pub(crate) fn function(&self, id: FunctionId) -> Option<String> {
        self.callable.contains(&id).then(|| self.program.function(id).name.clone())
    }

    /// A pointer into an object of the input.
    fn pointer(&self, object: u32, offset: i64) -> String {
        let at = object as usize;
        let object = &self.input.objects[at];
        let size = self.program.size(object.of).max(1) as i64;
        let (element, rest) = (offset.div_euclid(size), offset.rem_euclid(size));
        match &self.variables[at] {
            Some(Variable::Single(name)) if offset == 0 => format!("&{name}"),
            Some(Variable::Single(name)) if offset == size => format!("&{name} + 1"),
            Some(Variable::Single(name)) => format!("(char *)&{name} + {offset}"),
            Some(Variable::Array(name) | Variable::Heap(name) | Variable::Stream(name)) if offset == 0 => {
                name.clone()
            }
            Some(Variable::Stream(name)) => format!("(FILE *)((char *){name} + {offset})"),
            Some(Variable::Array(name) | Variable::Heap(name))
                if rest == 0 && offset > 0 && element < object.elements.len() as i64 =>
            {
                format!("&{name}[{element}]")
            }
            Some(Variable::Array(name) | Variable::Heap(name)) if rest == 0 && offset > 0 => {
                format!("{name} + {element}")
            }
            Some(Variable::Array(name) | Variable::Heap(name)) => format!("(char *){name} + {offset}"),
            Some(Variable::Literal) | None => {
                let elements: Vec<Seen> = object.elements.iter().map(|it| self.seen(object.of, it)).collect();
                let bytes = bytes(self.program, object.of, &elements).unwrap_or_default();
                string(text(&bytes).unwrap_or_default())
            }
        }
    }

    /// A pointer to a global; to a string that has no name, the string.
    fn global(&self, id: GlobalId, offset: i64) -> Option<String> {
        let global = self.program.global(id);
        if !global.external {
            return constant_text(self.program, id, offset).map(string);
        }
        Some(match self.program.of(global.of) {
            Type::Array { .. } if offset == 0 => global.name.clone(),
            Type::Array { of, .. }
                if offset > 0 && (offset as u64).is_multiple_of(self.program.size(*of).max(1)) =>
            {
                format!("&{}[{}]", global.name, offset as u64 / self.program.size(*of).max(1))
            }
            _ if offset == 0 => format!("&{}", global.name),
            _ => format!("(char *)&{} + {offset}", global.name),
        })
    }

    /// Finds names for all that a value leads to.
    fn visit(&mut self, datum: &Datum, of: TypeId, name: &str, is_array: bool, looked_at: &[usize]) {
        match (datum, self.program.of(of)) {
            (Datum::Pointer { object, element }, _) => {
                let at = *object as usize;
                if self.variables[at].is_some() {
                    return;
                }
                let input = self.input;
                let object = &input.objects[at];
                let elements: Vec<Seen> = object.elements.iter().map(|it| self.seen(object.of, it)).collect();
                let bytes = bytes(self.program, object.of, &elements);
                let whole =
                    bytes.as_deref().and_then(text).is_some_and(|text| text.len() + 1 == elements.len());
                if self.program.is_stream(object.of) {
                    self.variables[at] = Some(Variable::Stream(self.fresh_name(name)));
                    self.order.push(at);
                    return;
                }
                let is_freed = self.freed.contains(&(at as u32));
                if object.constant && whole && looked_at[at] == 1 && *element == 0 && !is_freed {
                    self.variables[at] = Some(Variable::Literal);
                    return;
                }
                let single = elements.len() == 1 && *element == 0 && !is_array && !whole;
                let unique = self.fresh_name(name);
                self.variables[at] = Some(match (is_freed, single) {
                    (true, _) => Variable::Heap(unique),
                    (false, true) => Variable::Single(unique),
                    (false, false) => Variable::Array(unique),
                });
                let below = self.below(object.of, name);
                for element in &object.elements {
                    self.visit(element, object.of, &below, false, looked_at);
                }
                self.order.push(at);
            }
            (Datum::Aggregate(parts), Type::Record(record)) => {
                let program = self.program;
                for (field, part) in program.parts(record).into_iter().zip(parts) {
                    let name = if field.name.is_empty() { name } else { &field.name };
                    self.visit(part, field.of, name, false, looked_at);
                }
            }
            (Datum::Aggregate(parts), Type::Array { of, .. }) => {
                for part in parts {
                    self.visit(part, *of, name, false, looked_at);
                }
            }
            _ => {}
        }
    }

    /// What to call what the elements of an object point to.
    fn below(&self, of: TypeId, name: &str) -> String {
        let Type::Pointer(pointer) = self.program.of(of) else { return name.to_string() };
        match self.program.of(pointer.to) {
            Type::Integer(scalar) if is_char(scalar) => "text".to_string(),
            _ => format!("{name}_0"),
        }
    }
}

/// A global as the program starts.
pub(crate) fn initial(program: &Program, global: GlobalId) -> Seen {
    let global = program.global(global);
    seen(program, global.of, Bytes { bytes: &global.contents, undefined: &[] }, &Start(program))
}

/// The text that begins somewhere in a constant without a name, such as a string literal.
pub(crate) fn constant_text(program: &Program, global: GlobalId, offset: i64) -> Option<&[u8]> {
    let global = program.global(global);
    let bytes = global.contents.get(usize::try_from(offset).ok()?..)?;
    let is_text = match program.of(global.of) {
        // What has no name has no type in C either.
        Type::Opaque { .. } => true,
        Type::Array { of, .. } => matches!(program.of(*of), Type::Integer(scalar) if is_char(scalar)),
        _ => false,
    };
    let end = bytes.iter().position(|byte| *byte == 0)?;
    (is_text && global.constant).then(|| &bytes[..end])
}

/// The type of a field, as wide as it really is.
pub(crate) fn in_bits(scalar: &Scalar, field: &Field) -> Scalar {
    Scalar { width: field.bits.unwrap_or(scalar.width), ..scalar.clone() }
}

/// The bytes of an array of characters.
pub(crate) fn bytes(program: &Program, of: TypeId, elements: &[Seen]) -> Option<Vec<u8>> {
    match program.of(of) {
        Type::Integer(scalar) if is_char(scalar) => {}
        _ => return None,
    }
    let byte = |seen: &Seen| if let Seen::Word(word) = seen { Some(word.bits() as u8) } else { None };
    elements.iter().map(byte).collect()
}

pub(crate) fn is_zero(value: &Seen) -> bool {
    match value {
        Seen::Word(word) => word.is_zero(),
        Seen::Null => true,
        Seen::Aggregate(parts) => parts.iter().all(is_zero),
        _ => false,
    }
}

/// Zero for one element of a list. There, `{0}` is not for everything: compilers
/// ask for all the braces, and for all the fields, unless one is named.
fn zero(program: &Program, of: TypeId) -> String {
    match program.of(of) {
        Type::Array { of, .. } => format!("{{{}}}", zero(program, *of)),
        Type::Record(record) => match scalar_field(program, record) {
            Some((_, true)) => "{0}".to_string(),
            Some((field, false)) => format!("{{.{} = {}}}", field.name, zero(program, field.of)),
            None => match program.parts(record).first() {
                Some(field) => format!("{{.{} = {}}}", field.name, zero(program, field.of)),
                None => "{0}".to_string(),
            },
        },
        Type::Integer(scalar) => literal(bv::Word::zero(scalar.width), scalar),
        Type::Float(float) => float_literal(bv::Word::zero(float.width), float),
        Type::Opaque { .. } => "0".to_string(),
        Type::Pointer(_) | Type::Function { .. } => "NULL".to_string(),
    }
}

/// A field of a record that is no aggregate, and whether it is the first one.
fn scalar_field<'a>(program: &'a Program, record: &'a Record) -> Option<(&'a Field, bool)> {
    let mut first = true;
    for field in program.parts(record) {
        let found = match program.of(field.of) {
            Type::Record(inner) if field.name.is_empty() => {
                scalar_field(program, inner).map(|(it, _)| (it, false))
            }
            Type::Record(_) | Type::Array { .. } => None,
            _ => Some((field, first)),
        };
        if found.is_some() {
            return found;
        }
        first = false;
    }
    None
}

/// A string if the array ends like one, and a list of characters otherwise.
fn characters(bytes: &[u8]) -> String {
    if let Some(text) = text(bytes) {
        return string(text);
    }
    let scalar = Scalar { name: "char".to_string(), width: 8, signed: true };
    let letters: Vec<String> =
        bytes.iter().map(|byte| literal(bv::Word::new(8, u128::from(*byte)), &scalar)).collect();
    format!("{{{}}}", letters.join(", "))
}

/// Whether code may read on behind the last member, which is an array, into bytes that belong to
/// no member. These are zero where a variable lives for ever; on the stack, they may be anything.
fn reads_behind(program: &Program, of: TypeId) -> bool {
    let Type::Record(record) = program.of(of) else { return false };
    let last = record.fields.last().filter(|_| !record.union);
    last.is_some_and(|field| {
        let ends = field.offset / 8 + program.size(field.of);
        matches!(program.of(field.of), Type::Array { .. }) && ends < record.size && !program.has_pointers(of)
    })
}

fn taken(program: &Program) -> BTreeSet<String> {
    let functions = program.functions.iter().map(|it| &it.name);
    let globals = program.globals.iter().map(|it| &it.name);
    let externals = program.externals.iter().map(|it| &it.name);
    let records = program.types.iter().filter_map(|it| match it {
        Type::Record(record) => Some(&record.name),
        _ => None,
    });
    let ours = TAKEN.iter().map(|name| name.to_string());
    functions.chain(globals).chain(externals).chain(records).cloned().chain(ours).collect()
}

/// How many pointers lead to each object, before and after.
fn looked_at(input: &Input, observation: &Observation) -> Vec<usize> {
    let mut counts = vec![0; input.objects.len()];
    let data = input.arguments.iter().chain(input.globals.iter().map(|(_, datum)| datum));
    let results = input.results.iter().flat_map(|(_, datums)| datums);
    for datum in data.chain(results).chain(input.objects.iter().flat_map(|it| &it.elements)) {
        count_given(datum, &mut counts);
    }
    // A pointer in an object that is looked at afterwards leads there a second time.
    let globals = observation.globals.iter().map(|(_, seen)| seen);
    let arguments = observation.calls.iter().flat_map(|call| &call.arguments);
    let objects = observation.objects.iter().flatten();
    for seen in observation.result.iter().chain(globals).chain(arguments).chain(objects) {
        count_seen(seen, &mut counts);
    }
    // What is seen of an object is looked at, too. Of a constant one that is so only if it has changed.
    for (count, elements) in counts.iter_mut().zip(&observation.objects) {
        *count += usize::from(!elements.is_empty());
    }
    counts
}

fn count_given(datum: &Datum, counts: &mut [usize]) {
    match datum {
        Datum::Pointer { object, .. } => counts[*object as usize] += 1,
        Datum::Aggregate(parts) => parts.iter().for_each(|part| count_given(part, counts)),
        _ => {}
    }
}

fn count_seen(seen: &Seen, counts: &mut [usize]) {
    match seen {
        Seen::Input { object, .. } => counts[*object as usize] += 1,
        Seen::Aggregate(parts) | Seen::Static { contents: parts, .. } => {
            parts.iter().for_each(|part| count_seen(part, counts));
        }
        Seen::Fresh(fresh) => fresh.elements.iter().for_each(|part| count_seen(part, counts)),
        Seen::Handed { pointer, contents, .. } => {
            count_seen(pointer, counts);
            contents.iter().for_each(|part| count_seen(part, counts));
        }
        _ => {}
    }
}
