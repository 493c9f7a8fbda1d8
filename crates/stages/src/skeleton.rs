//! Inputs as variables: the shape of every input that the types allow, up to a size.
//!
//! Each number is a variable, and so is each choice: whether a pointer is null, how many elements an object
//! has, which function a pointer names. A model of the solver is an input, and an input is an
//! assignment to the variables; what lies beyond the end of an object is there, but nobody can read it.

use std::rc::Rc;

use bv::{Domain, Term, Terms, Word};
use ir::step::Value;
use ir::{
    Case, Class, Datum, ExternalId, FunctionId, GlobalId, Input, Program, Space, Special, Type, TypeId,
};

use crate::assumptions::sharing;
use crate::encode::expanse::{Expanse, Unknown};
use crate::encode::memory::{Memory, write_bits};
use crate::encode::object::{Object, Origin};
use crate::encode::possible::multiple;

/// So many results of a function without a body are inputs; a run that asks for more is cut.
pub const RESULTS: usize = 6;

/// The most variables that a subject may have. What needs more is given fewer elements.
const VARIABLES: usize = 4_000;

#[derive(Clone)]
pub struct Skeleton {
    pub arguments: Vec<Slot>,
    pub objects: Vec<Shape>,
    pub globals: Vec<(GlobalId, Slot)>,
    pub results: Vec<(ExternalId, Vec<Slot>)>,
    /// What always holds of the variables.
    pub constraint: Term,
    /// The most elements of an object, which may be fewer than asked for.
    pub size: u32,
    /// How many variables there are. They come before all others.
    variables: usize,
}

/// A place for a datum.
#[derive(Clone, Debug)]
pub enum Slot {
    Word(Term),
    Null,
    Pointer(Pointer),
    /// One of these functions, or null if the number is none of theirs.
    Function {
        choice: Term,
        candidates: Vec<FunctionId>,
    },
    Aggregate(Vec<Slot>),
}

#[derive(Clone, Debug)]
pub struct Pointer {
    /// A truth value: it is not null.
    present: Term,
    object: usize,
    /// It points into the object of another parameter if the truth value holds, to the element with this number.
    shared: Option<(Term, usize, Term)>,
    /// How many bytes from the start of its own object it points, if not to the start.
    offset: Option<Term>,
}

/// An object of the input.
#[derive(Clone, Debug)]
pub struct Shape {
    pub of: TypeId,
    pub constant: bool,
    /// How many elements there are, a word of 32 bits; at least one.
    count: Term,
    elements: Vec<Slot>,
    /// In place of elements, if there may be any number of them.
    unknown: Option<Rc<Unknown>>,
}

/// That a byte is one of these.
fn is_of_class(terms: &mut Terms, byte: Term, class: Class) -> Term {
    let mut cases = Vec::new();
    for (first, last) in class.ranges() {
        let [first, last] = [first, last].map(|byte| terms.constant(Word::new(8, u128::from(*byte))));
        let (after, before) = (terms.ule(first, byte), terms.ule(byte, last));
        cases.push(terms.and(after, before));
    }
    terms.any(cases)
}

impl Pointer {
    /// It leads to the start of an object of its own.
    fn is_own(&self, terms: &mut Terms) -> Term {
        match self.shared {
            Some((shared, ..)) => {
                let apart = terms.not(shared);
                terms.and(self.present, apart)
            }
            None => self.present,
        }
    }
}

impl Slot {
    fn mapped(&self, change: &mut dyn FnMut(Term) -> Term) -> Slot {
        match self {
            Slot::Word(term) => Slot::Word(change(*term)),
            Slot::Null => Slot::Null,
            Slot::Pointer(pointer) => Slot::Pointer(Pointer {
                present: change(pointer.present),
                object: pointer.object,
                shared: pointer
                    .shared
                    .map(|(shared, other, element)| (change(shared), other, change(element))),
                offset: pointer.offset.map(change),
            }),
            Slot::Function { choice, candidates } => {
                Slot::Function { choice: change(*choice), candidates: candidates.clone() }
            }
            Slot::Aggregate(slots) => Slot::Aggregate(slots.iter().map(|slot| slot.mapped(change)).collect()),
        }
    }
}

struct Builder<'a> {
    program: &'a Program,
    space: &'a Space,
    terms: &'a mut Terms,
    objects: Vec<Shape>,
    constraint: Term,
    any_size: bool,
}

/// Offsets have 32 bits, one of which is the sign.
const BYTES: u32 = i32::MAX as u32;

impl Skeleton {
    /// How many variables there are. They come before all others.
    pub fn variables(&self) -> usize {
        self.variables
    }

    /// The variables for a subject, made in an empty graph.
    pub fn new(program: &Program, function: FunctionId, space: &Space, terms: &mut Terms) -> Skeleton {
        let mut size = space.size;
        loop {
            let space = Space { size, ..space.clone() };
            let skeleton = Skeleton::of_size(program, function, &space, terms, false);
            if skeleton.variables <= VARIABLES || size == 1 {
                return skeleton;
            }
            *terms = Terms::new();
            size /= 2;
        }
    }

    /// The same for buffers of any size, into the middle of which pointers may lead; None if there are none, or if some hold other things
    /// than numbers.
    pub fn of_any_size(
        program: &Program,
        function: FunctionId,
        space: &Space,
        terms: &mut Terms,
    ) -> Option<Skeleton> {
        let skeleton = Skeleton::of_size(program, function, space, terms, true);
        let is_open = |shape: &Shape| shape.unknown.is_some();
        (!skeleton.objects.is_empty() && skeleton.objects.iter().all(is_open)).then_some(skeleton)
    }

    fn of_size(
        program: &Program,
        function: FunctionId,
        space: &Space,
        terms: &mut Terms,
        any_size: bool,
    ) -> Skeleton {
        let constraint = terms.truth(true);
        let mut builder = Builder { program, space, terms, objects: vec![], constraint, any_size };
        let parameters = &program.function(function).signature.parameters;
        let mut arguments: Vec<Slot> =
            parameters.iter().map(|parameter| builder.slot(&parameter.name, parameter.of, 0)).collect();
        for (one, other) in sharing(program, function, space) {
            builder.share(&mut arguments, one, other);
        }
        let global = |id: &GlobalId| {
            let global = program.global(*id);
            (*id, builder.slot(&global.name, global.of, 0))
        };
        let globals = space.globals.iter().map(global).collect();
        let reachable = ir::reachable_externals(program, function);
        let mut results = Vec::new();
        for id in reachable {
            let external = program.external(id);
            let Some(of) = external.result.filter(|_| !external.prints) else { continue };
            let slots = (0..RESULTS).map(|at| builder.slot(&format!("{}_{at}", external.name), of, 0));
            results.push((id, slots.collect()));
        }
        let Builder { objects, constraint, .. } = builder;
        let variables = terms.variables().count();
        Skeleton { arguments, objects, globals, results, constraint, size: space.size, variables }
    }

    /// The variable of a global that is a number.
    pub fn global(&self, id: GlobalId) -> Option<Term> {
        self.globals.iter().find_map(|(global, slot)| match slot {
            Slot::Word(term) if *global == id => Some(*term),
            _ => None,
        })
    }

    /// That an input is of a special case; None if no input of this shape can be. A pointer into another one's object is of none.
    pub fn is_special(&self, terms: &mut Terms, special: Special) -> Option<Term> {
        match (special.case, self.arguments.get(special.parameter)?) {
            (Case::Word(word), Slot::Word(term)) => {
                let word = terms.constant(word);
                Some(terms.equal(*term, word))
            }
            (Case::Nan, Slot::Word(term)) => {
                let is_number = terms.feq(*term, *term);
                Some(terms.not(is_number))
            }
            (Case::Null, Slot::Null) => Some(terms.truth(true)),
            (Case::Null, Slot::Pointer(pointer)) => Some(terms.not(pointer.present)),
            (Case::First(class), Slot::Pointer(pointer)) => {
                let Slot::Word(first) = self.objects[pointer.object].elements.first()? else { return None };
                let (own, is_one) = (pointer.is_own(terms), is_of_class(terms, *first, class));
                Some(terms.and(own, is_one))
            }
            (Case::Last(class), Slot::Pointer(pointer)) => {
                let Shape { elements, count, .. } = &self.objects[pointer.object];
                let mut bytes = Vec::new();
                for slot in elements {
                    let Slot::Word(byte) = slot else { return None };
                    bytes.push(*byte);
                }
                let mut cases = Vec::new();
                let zero = terms.constant(Word::zero(8));
                let mut before = terms.truth(true);
                for (end, pair) in (1u128..).zip(bytes.windows(2)) {
                    let goes_on = terms.ne(pair[0], zero);
                    before = terms.and(before, goes_on);
                    let (ends, is_one) = (terms.equal(pair[1], zero), is_of_class(terms, pair[0], class));
                    let end = terms.constant(Word::new(32, end));
                    let is_there = terms.ult(end, *count);
                    cases.push(terms.all([before, ends, is_one, is_there]));
                }
                let (own, any) = (pointer.is_own(terms), terms.any(cases));
                Some(terms.and(own, any))
            }
            (Case::Size(of), Slot::Word(term)) => {
                let Slot::Pointer(pointer) = self.arguments.get(of)? else { return None };
                let count = self.objects[pointer.object].count;
                let size = match terms.width(term) {
                    width if width < 32 => terms.extract(count, width - 1, 0),
                    32 => count,
                    width => terms.zext(count, width),
                };
                let (own, is_size) = (pointer.is_own(terms), terms.equal(*term, size));
                Some(terms.and(own, is_size))
            }
            _ => None,
        }
    }

    /// The same with other terms in place of its variables.
    pub fn mapped(&self, change: &mut dyn FnMut(Term) -> Term) -> Skeleton {
        let objects = self.objects.iter().map(|shape| Shape {
            count: change(shape.count),
            elements: shape.elements.iter().map(|slot| slot.mapped(change)).collect(),
            ..shape.clone()
        });
        let objects = objects.collect();
        Skeleton {
            arguments: self.arguments.iter().map(|slot| slot.mapped(change)).collect(),
            objects,
            globals: self.globals.iter().map(|(id, slot)| (*id, slot.mapped(change))).collect(),
            results: self
                .results
                .iter()
                .map(|(id, slots)| (*id, slots.iter().map(|slot| slot.mapped(change)).collect()))
                .collect(),
            constraint: change(self.constraint),
            size: self.size,
            variables: self.variables,
        }
    }

    /// What objects of any size hold at first.
    pub fn unknowns(&self) -> impl Iterator<Item = &Rc<Unknown>> {
        self.objects.iter().filter_map(|shape| shape.unknown.as_ref())
    }

    /// The objects of the input as memory, from this number on.
    pub fn memory(&self, program: &Program, terms: &mut Terms, memory: &mut Memory) {
        for (at, shape) in self.objects.iter().enumerate() {
            let size = program.size(shape.of) as u32;
            let bytes = terms.constant(Word::new(32, size.into()));
            let length = terms.mul(shape.count, bytes);
            let alive = terms.truth(true);
            let number = program.input_object() + at as u32;
            if let Some(unknown) = &shape.unknown {
                let words = Expanse::new(Rc::clone(unknown));
                memory.insert(number, Object::vast(Origin::Input, alive, length, words));
                continue;
            }
            // Between the fields of a struct there are zeros.
            let zeros = Rc::new(vec![0; size as usize * shape.elements.len()]);
            let mut object = Object::filled(Origin::Input, alive, length, zeros);
            for (at, slot) in shape.elements.iter().enumerate() {
                let offset = 8 * u64::from(size) * at as u64;
                self.lay_out(program, terms, &mut object, shape.of, slot, offset);
            }
            memory.insert(number, object);
        }
    }

    /// Puts a value into an object, so many bits from its start.
    pub fn lay_out(
        &self,
        program: &Program,
        terms: &mut Terms,
        object: &mut Object,
        of: TypeId,
        slot: &Slot,
        offset: u64,
    ) {
        match (program.of(of), slot) {
            (Type::Array { of, .. }, Slot::Aggregate(elements)) => {
                let size = 8 * program.size(*of);
                for (at, element) in elements.iter().enumerate() {
                    self.lay_out(program, terms, object, *of, element, offset + size * at as u64);
                }
            }
            (Type::Record(record), Slot::Aggregate(parts)) => {
                for (field, part) in program.parts(record).into_iter().zip(parts) {
                    match (field.bits, part) {
                        (Some(_), Slot::Word(word)) => {
                            write_bits(terms, object, offset + field.offset, Value::of(*word));
                        }
                        _ => self.lay_out(program, terms, object, field.of, part, offset + field.offset),
                    }
                }
            }
            (_, Slot::Aggregate(parts)) => {
                for (at, part) in parts.iter().enumerate() {
                    let word = self.word(program, terms, part);
                    write_bits(terms, object, offset + 8 * at as u64, Value::of(word));
                }
            }
            (_, slot) => {
                let word = self.word(program, terms, slot);
                let width = 8 * program.size(of) as u32;
                let word = if terms.width(&word) < width { terms.zext(word, width) } else { word };
                write_bits(terms, object, offset, Value::of(word));
            }
        }
    }

    /// A value that is not an aggregate, as a word.
    pub fn word(&self, program: &Program, terms: &mut Terms, slot: &Slot) -> Term {
        match slot {
            Slot::Word(term) => *term,
            Slot::Null | Slot::Aggregate(_) => terms.constant(Word::zero(64)),
            Slot::Pointer(pointer) => self.pointer(program, terms, pointer),
            Slot::Function { choice, candidates } => {
                let mut object = terms.constant(Word::zero(32));
                for (at, function) in candidates.iter().enumerate() {
                    let at = terms.constant(Word::new(8, at as u128));
                    let number = terms.constant(Word::new(32, program.function_object(*function).into()));
                    let chosen = terms.equal(*choice, at);
                    object = terms.ite(chosen, number, object);
                }
                let offset = terms.constant(Word::zero(32));
                terms.concat(object, offset)
            }
        }
    }

    fn pointer(&self, program: &Program, terms: &mut Terms, pointer: &Pointer) -> Term {
        let number = |terms: &mut Terms, at: usize| {
            terms.constant(Word::new(32, (program.input_object() + at as u32).into()))
        };
        let none = terms.constant(Word::zero(32));
        let mut object = number(terms, pointer.object);
        let mut offset = pointer.offset.unwrap_or(none);
        if let Some((shared, other, element)) = pointer.shared {
            let size = program.size(self.objects[other].of);
            let size = terms.constant(Word::new(32, size.into()));
            let place = terms.mul(element, size);
            let other = number(terms, other);
            object = terms.ite(shared, other, object);
            offset = terms.ite(shared, place, offset);
        }
        let object = terms.ite(pointer.present, object, none);
        let offset = terms.ite(pointer.present, offset, none);
        terms.concat(object, offset)
    }

    /// The input that a model stands for.
    pub fn input(&self, terms: &Terms, model: &[Word]) -> Input {
        let value = |term: Term| terms.eval(term, model);
        let mut used = vec![None; self.objects.len()];
        let mut input = Input::default();
        let mut reader =
            Reader { skeleton: self, value: &value, used: &mut used, objects: &mut input.objects };
        input.arguments = self.arguments.iter().map(|slot| reader.datum(slot)).collect();
        input.globals = self.globals.iter().map(|(id, slot)| (*id, reader.datum(slot))).collect();
        input.results = self
            .results
            .iter()
            .map(|(id, slots)| (*id, slots.iter().map(|slot| reader.datum(slot)).collect()))
            .collect();
        input
    }

    /// The assignment that an input stands for; none if it does not have this shape.
    pub fn assignment(&self, terms: &Terms, input: &Input) -> Option<Vec<Word>> {
        let mut words: Vec<Word> =
            terms.variables().take(self.variables).map(|(_, _, width)| Word::zero(width)).collect();
        for shape in &self.objects {
            set(terms, &mut words, shape.count, Word::one(32));
        }
        // Where two pointers share an object, the variables may have no room for it; a sample less is no loss.
        let mut pointers = vec![0; input.objects.len()];
        count_pointers(&mut pointers, input);
        if pointers.iter().any(|count| *count > 1) {
            return None;
        }
        for (slot, datum) in self.arguments.iter().zip(&input.arguments) {
            self.assign(terms, &mut words, input, slot, datum)?;
        }
        if self.globals.len() != input.globals.len() {
            return None;
        }
        for (id, slot) in &self.globals {
            let (_, datum) = input.globals.iter().find(|(global, _)| global == id)?;
            self.assign(terms, &mut words, input, slot, datum)?;
        }
        for (id, slots) in &self.results {
            let Some((_, data)) = input.results.iter().find(|(external, _)| external == id) else { continue };
            if data.len() > slots.len() {
                return None;
            }
            for (slot, datum) in slots.iter().zip(data) {
                self.assign(terms, &mut words, input, slot, datum)?;
            }
        }
        Some(words)
    }

    fn assign(
        &self,
        terms: &Terms,
        words: &mut [Word],
        input: &Input,
        slot: &Slot,
        datum: &Datum,
    ) -> Option<()> {
        match (slot, datum) {
            (Slot::Word(term), Datum::Word(word)) => set(terms, words, *term, *word),
            (Slot::Null, Datum::Null) | (Slot::Pointer(_), Datum::Null) => {}
            (Slot::Function { choice, candidates }, Datum::Null) => {
                set(terms, words, *choice, Word::new(8, candidates.len() as u128));
            }
            (Slot::Function { choice, candidates }, Datum::Function(function)) => {
                let at = candidates.iter().position(|candidate| candidate == function)?;
                set(terms, words, *choice, Word::new(8, at as u128));
            }
            (Slot::Aggregate(slots), Datum::Aggregate(data)) => {
                for (slot, datum) in slots.iter().zip(data) {
                    self.assign(terms, words, input, slot, datum)?;
                }
            }
            (Slot::Pointer(pointer), Datum::Pointer { object, element: 0 }) => {
                set(terms, words, pointer.present, Word::truth(true));
                let (shape, object) = (&self.objects[pointer.object], input.objects.get(*object as usize)?);
                if object.of != shape.of
                    || object.elements.is_empty()
                    || object.elements.len() > shape.elements.len()
                {
                    return None;
                }
                set(terms, words, shape.count, Word::new(32, object.elements.len() as u128));
                for (slot, datum) in shape.elements.iter().zip(&object.elements) {
                    self.assign(terms, words, input, slot, datum)?;
                }
            }
            _ => return None,
        }
        Some(())
    }
}

/// How many pointers of the input lead to each object.
fn count_pointers(pointers: &mut [u32], input: &Input) {
    let elements = input.objects.iter().flat_map(|object| &object.elements);
    let globals = input.globals.iter().map(|(_, datum)| datum);
    let results = input.results.iter().flat_map(|(_, results)| results);
    let mut waiting: Vec<&Datum> =
        input.arguments.iter().chain(elements).chain(globals).chain(results).collect();
    while let Some(datum) = waiting.pop() {
        match datum {
            Datum::Pointer { object, .. } => pointers[*object as usize] += 1,
            Datum::Aggregate(parts) => waiting.extend(parts),
            Datum::Word(_) | Datum::Null | Datum::Function(_) => {}
        }
    }
}

fn set(terms: &Terms, words: &mut [Word], variable: Term, word: Word) {
    if let bv::Node::Variable(variable) = terms.node(variable) {
        words[variable.index()] = word;
    }
}

impl Builder<'_> {
    /// A place for a value that is reached by following so many pointers.
    fn slot(&mut self, name: &str, of: TypeId, depth: u32) -> Slot {
        match self.program.of(of) {
            Type::Integer(scalar) => Slot::Word(self.terms.variable(name, scalar.width)),
            Type::Float(float) => Slot::Word(self.terms.variable(name, float.width)),
            Type::Pointer(pointer) => match self.program.of(pointer.to) {
                Type::Function { .. } => self.function(name, pointer.to),
                _ if depth == self.space.depth => Slot::Null,
                _ => self.object(name, pointer.to, pointer.constant, depth + 1),
            },
            Type::Array { of, count } => Slot::Aggregate(
                (0..*count).map(|at| self.slot(&format!("{name}_{at}"), *of, depth)).collect(),
            ),
            Type::Record(record) => {
                let parts = self.program.parts(record);
                let part = |field: &ir::Field| match field.bits {
                    Some(bits) => Slot::Word(self.terms.variable(&format!("{name}_{}", field.name), bits)),
                    None => self.slot(&format!("{name}_{}", field.name), field.of, depth),
                };
                Slot::Aggregate(parts.into_iter().map(part).collect())
            }
            Type::Function { .. } => Slot::Null,
            Type::Opaque { size, .. } => Slot::Aggregate(
                (0..*size).map(|at| Slot::Word(self.terms.variable(&format!("{name}_{at}"), 8))).collect(),
            ),
        }
    }

    fn object(&mut self, name: &str, of: TypeId, constant: bool, depth: u32) -> Slot {
        let present = self.terms.variable(&format!("{name}_is_there"), 1);
        if let Some(unit) = self.unit(of).filter(|_| self.any_size) {
            let count = self.terms.variable(&format!("{name}_count"), 32);
            let offset = multiple(self.terms, &format!("{name}_offset"), unit.into());
            self.within(count, Word::one(32), Word::new(32, (BYTES / unit).into()));
            let bytes = self.terms.constant(Word::new(32, unit.into()));
            let end = self.terms.mul(count, bytes);
            let inside = self.terms.ule(offset, end);
            self.constraint = self.terms.and(self.constraint, inside);
            let unknown = Some(Unknown::new(unit, true));
            self.objects.push(Shape { of, constant, count, elements: vec![], unknown });
            let object = self.objects.len() - 1;
            return Slot::Pointer(Pointer { present, object, shared: None, offset: Some(offset) });
        }
        let most = self.space.elements(self.program, of, depth);
        let count = if most == 1 {
            self.terms.constant(Word::one(32))
        } else {
            let count = self.terms.variable(&format!("{name}_count"), 32);
            self.within(count, Word::one(32), Word::new(32, most.into()));
            count
        };
        // Its number is taken before those of the objects that it points to.
        let object = self.objects.len();
        self.objects.push(Shape { of, constant, count, elements: vec![], unknown: None });
        let elements = (0..most).map(|at| self.slot(&format!("{name}_{at}"), of, depth)).collect();
        self.objects[object].elements = elements;
        Slot::Pointer(Pointer { present, object, shared: None, offset: None })
    }

    fn within(&mut self, word: Term, least: Word, most: Word) {
        let (least, most) = (self.terms.constant(least), self.terms.constant(most));
        let (some, fits) = (self.terms.uge(word, least), self.terms.ule(word, most));
        let both = self.terms.and(some, fits);
        self.constraint = self.terms.and(self.constraint, both);
    }

    /// The bytes of a number, if a type has nothing else in it.
    fn unit(&self, of: TypeId) -> Option<u32> {
        match self.program.of(of) {
            Type::Integer(_) | Type::Float(_) => {
                Some(self.program.size(of) as u32).filter(|size| [1, 2, 4, 8].contains(size))
            }
            Type::Opaque { size: 1, .. } => Some(1),
            _ => None,
        }
    }

    fn function(&mut self, name: &str, of: TypeId) -> Slot {
        let candidates = self.space.candidates(self.program, of);
        Slot::Function { choice: self.terms.variable(name, 8), candidates }
    }

    /// Lets the later of two parameters point into the object of the earlier one.
    fn share(&mut self, arguments: &mut [Slot], one: usize, other: usize) {
        let (one, other) = (one.min(other), one.max(other));
        let Ok([Slot::Pointer(first), Slot::Pointer(second)]) = arguments.get_disjoint_mut([one, other])
        else {
            return;
        };
        let shape = &self.objects[first.object];
        if shape.of != self.objects[second.object].of {
            return;
        }
        let shared = self.terms.variable("shared", 1);
        let mut allowed = self.terms.and(shared, first.present);
        // Either may point further on than the other, and right behind the end.
        let [first_element, second_element] = ["shared_first", "shared_second"].map(|name| {
            let element = self.terms.variable(name, 32);
            let inside = self.terms.ule(element, shape.count);
            allowed = self.terms.and(allowed, inside);
            element
        });
        let not_shared = self.terms.not(shared);
        let fine = self.terms.or(not_shared, allowed);
        self.constraint = self.terms.and(self.constraint, fine);
        // That two pairs may share does not say that all three may.
        first.shared.get_or_insert((shared, first.object, first_element));
        second.shared = Some((shared, first.object, second_element));
        // What one of them may write, the other may see.
        let constant = shape.constant && self.objects[second.object].constant;
        self.objects[first.object].constant = constant;
    }
}

/// Reads an input out of a model. Objects that nobody points to are left out.
struct Reader<'a> {
    skeleton: &'a Skeleton,
    value: &'a dyn Fn(Term) -> Word,
    /// The number that an object has in the input.
    used: &'a mut Vec<Option<u32>>,
    objects: &'a mut Vec<ir::Object>,
}

impl Reader<'_> {
    fn datum(&mut self, slot: &Slot) -> Datum {
        match slot {
            Slot::Word(term) => Datum::Word((self.value)(*term)),
            Slot::Null => Datum::Null,
            Slot::Function { choice, candidates } => {
                let at = (self.value)(*choice).bits() as usize;
                candidates.get(at).map_or(Datum::Null, |function| Datum::Function(*function))
            }
            Slot::Aggregate(slots) => Datum::Aggregate(slots.iter().map(|slot| self.datum(slot)).collect()),
            Slot::Pointer(pointer) if !(self.value)(pointer.present).is_true() => Datum::Null,
            Slot::Pointer(pointer) => match pointer.shared {
                Some((shared, other, element)) if (self.value)(shared).is_true() => {
                    let element = (self.value)(element).bits() as u32;
                    Datum::Pointer { object: self.object(other), element }
                }
                _ => Datum::Pointer { object: self.object(pointer.object), element: 0 },
            },
        }
    }

    fn object(&mut self, at: usize) -> u32 {
        if let Some(number) = self.used[at] {
            return number;
        }
        let number = self.objects.len() as u32;
        self.used[at] = Some(number);
        let shape = &self.skeleton.objects[at];
        self.objects.push(ir::Object { of: shape.of, elements: vec![], constant: shape.constant });
        let count = (self.value)(shape.count).bits() as usize;
        let elements = shape.elements.iter().take(count).map(|slot| self.datum(slot)).collect();
        self.objects[number as usize].elements = elements;
        number
    }
}
