//! Making the variables of a subject's inputs, by the types of its signature.
//!
//! A buffer has up to `size` elements, each with variables of its own; or any number of words, which have
//! none. In the second case a pointer may lead into the middle of its buffer.

use bv::formula::{mul, uge, ule};
use bv::{Domain, Term, Terms, Word};
use ir::{FunctionId, GlobalId, Program, Space, Type, TypeId, takes_command_line};

use super::{InputObject, InputPointer, Sharing, Skeleton, Slot};
use crate::memory::{FirstWords, multiple, number};

/// So many results of a function without a body are inputs. A run that asks for more is cut.
pub(crate) const RESULTS: usize = 6;

/// The most variables that a subject may have. One that needs more gets fewer elements.
const VARIABLES: usize = 4_000;

/// The most bytes of an object: offsets have 32 bits, one of which is the sign.
const BYTES: u32 = i32::MAX as u32;

/// The pairs of parameters that may share one buffer: the user says so, and their types are the same.
pub(crate) fn sharing(program: &Program, subject: FunctionId, space: &Space) -> Vec<(usize, usize)> {
    let parameters = &program.function(subject).signature.parameters;
    let to = |at: usize| match program.of(parameters.get(at)?.of) {
        Type::Pointer(pointer) => Some(pointer.to),
        _ => None,
    };
    let is_shared =
        |pair: &&(usize, usize)| pair.0 != pair.1 && to(pair.0).is_some() && to(pair.0) == to(pair.1);
    space.may_alias.iter().filter(is_shared).copied().collect()
}

/// How large the buffers of an input are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Buffers {
    UpToSize,
    OfAnySize,
}

impl<'p> Skeleton<'p> {
    /// The variables for a subject, made in an empty graph.
    pub fn new(program: &'p Program, subject: FunctionId, space: &Space, terms: &mut Terms) -> Skeleton<'p> {
        let mut size = space.size;
        loop {
            let space = Space { size, ..space.clone() };
            let skeleton = Skeleton::with(Buffers::UpToSize, program, subject, &space, terms);
            if skeleton.variables <= VARIABLES || size == 1 {
                return skeleton;
            }
            *terms = terms.emptied();
            size /= 2;
        }
    }

    /// The same for buffers of any size. None if there are no buffers, or if some hold other things than
    /// numbers.
    pub(crate) fn of_any_size(
        program: &'p Program,
        subject: FunctionId,
        space: &Space,
        terms: &mut Terms,
    ) -> Option<Skeleton<'p>> {
        let skeleton = Skeleton::with(Buffers::OfAnySize, program, subject, space, terms);
        let is_open = |object: &InputObject| object.words.is_some();
        (!skeleton.objects.is_empty() && skeleton.objects.iter().all(is_open)).then_some(skeleton)
    }

    fn with(
        buffers: Buffers,
        program: &'p Program,
        subject: FunctionId,
        space: &Space,
        terms: &mut Terms,
    ) -> Skeleton<'p> {
        let constraint = terms.truth(true);
        let mut builder = Builder { program, space, terms, objects: vec![], constraint, buffers };
        let parameters = &program.function(subject).signature.parameters;
        let mut arguments: Vec<Slot> =
            parameters.iter().map(|parameter| builder.slot(&parameter.name, parameter.of, 0)).collect();
        for (one, other) in sharing(program, subject, space) {
            builder.share(&mut arguments, one, other);
        }
        let mut global = |id: GlobalId| {
            let global = program.global(id);
            (id, builder.slot(&global.name, global.of, 0))
        };
        let globals = space.globals.iter().copied().map(&mut global).collect();
        let choice = program.choice().map(global);
        let mut results = Vec::new();
        for id in ir::reachable_externals(program, subject) {
            let external = program.external(id);
            let Some(of) = external.result.filter(|_| !external.prints) else { continue };
            let slots = (0..RESULTS).map(|at| builder.slot(&format!("{}_{at}", external.name), of, 0));
            results.push((id, slots.collect()));
        }
        if takes_command_line(program, subject) {
            builder.command_line(&arguments);
        }
        let Builder { objects, constraint, .. } = builder;
        let (size, variables) = (space.size, terms.variables().count());
        Skeleton {
            program,
            subject,
            arguments,
            objects,
            globals,
            choice,
            results,
            constraint,
            size,
            variables,
        }
    }
}

struct Builder<'a> {
    program: &'a Program,
    space: &'a Space,
    terms: &'a mut Terms,
    objects: Vec<InputObject>,
    constraint: Term,
    buffers: Buffers,
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
                _ => self.pointer(name, pointer.to, pointer.constant, depth + 1),
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

    fn function(&mut self, name: &str, of: TypeId) -> Slot {
        let candidates = self.space.candidates(self.program, of);
        Slot::Function { choice: self.terms.variable(name, 8), candidates }
    }

    /// A pointer to an object of its own, or null.
    fn pointer(&mut self, name: &str, of: TypeId, constant: bool, depth: u32) -> Slot {
        let present = self.terms.variable(&format!("{name}_is_there"), 1);
        if let Some(unit) = self.unit(of).filter(|_| self.buffers == Buffers::OfAnySize) {
            let count = self.terms.variable(&format!("{name}_count"), 32);
            let offset = multiple(self.terms, &format!("{name}_offset"), unit.into());
            self.within(count, 1, BYTES / unit);
            let inside = self.terms.ule(offset, mul(count, number(unit)));
            self.constraint = self.terms.and(self.constraint, inside);
            let words = Some(FirstWords::new(unit, true));
            self.objects.push(InputObject { of, constant, count, elements: vec![], words });
            let object = self.objects.len() - 1;
            return Slot::Pointer(InputPointer { present, object, shared: None, offset: Some(offset) });
        }
        let most = self.space.elements(self.program, of, depth);
        let count = if most == 1 {
            self.terms.constant(Word::one(32))
        } else {
            let count = self.terms.variable(&format!("{name}_count"), 32);
            self.within(count, 1, most);
            count
        };
        // Its number is taken before those of the objects that it points to.
        let object = self.objects.len();
        self.objects.push(InputObject { of, constant, count, elements: vec![], words: None });
        let elements = (0..most).map(|at| self.slot(&format!("{name}_{at}"), of, depth)).collect();
        self.objects[object].elements = elements;
        Slot::Pointer(InputPointer { present, object, shared: None, offset: None })
    }

    /// The first argument counts the strings to which the second one leads, and null comes after them.
    /// [`ir::is_command_line`] says the same of an input.
    fn command_line(&mut self, arguments: &[Slot]) {
        let [Slot::Word(count), Slot::Pointer(argv)] = arguments else { return };
        let InputObject { count: room, elements, .. } = self.objects[argv.object].clone();
        let mut holds = vec![argv.present];
        let more = self.terms.add(*count, number(1));
        holds.push(self.terms.equal(more, room));
        holds.push(self.terms.uge(*count, number(1)));
        for (at, slot) in (0..).zip(&elements) {
            let Slot::Pointer(word) = slot else { return };
            let is_word = self.terms.ult(number(at), *count);
            holds.push(self.terms.equal(word.present, is_word));
            let InputObject { count: length, elements: letters, .. } = self.objects[word.object].clone();
            for (at, letter) in (1..).zip(&letters) {
                let Slot::Word(letter) = letter else { return };
                let is_last = self.terms.equal(length, number(at));
                let is_zero = self.terms.equal(*letter, Word::zero(8));
                holds.push(self.terms.implies(is_last, is_zero));
            }
        }
        for each in holds {
            self.constraint = self.terms.and(self.constraint, each);
        }
    }

    fn within(&mut self, word: Term, least: u32, most: u32) {
        let both = self.terms.and(uge(word, number(least)), ule(word, number(most)));
        self.constraint = self.terms.and(self.constraint, both);
    }

    /// The bytes of a number, if a type is one.
    fn unit(&self, of: TypeId) -> Option<u32> {
        match self.program.of(of) {
            Type::Integer(_) | Type::Float(_) => {
                Some(self.program.size(of) as u32).filter(|size| [1, 2, 4, 8].contains(size))
            }
            Type::Opaque { size: 1, .. } => Some(1),
            _ => None,
        }
    }

    /// Lets the later of two parameters point into the object of the earlier one.
    fn share(&mut self, arguments: &mut [Slot], one: usize, other: usize) {
        let (one, other) = (one.min(other), one.max(other));
        let Ok([Slot::Pointer(first), Slot::Pointer(second)]) = arguments.get_disjoint_mut([one, other])
        else {
            return;
        };
        let target = &self.objects[first.object];
        if target.of != self.objects[second.object].of {
            return;
        }
        let holds = self.terms.variable("shared", 1);
        let mut allowed = self.terms.and(holds, first.present);
        // Either may point further on than the other, and right behind the end.
        let [first_element, second_element] = ["shared_first", "shared_second"].map(|name| {
            let element = self.terms.variable(name, 32);
            allowed = self.terms.and(allowed, ule(element, target.count));
            element
        });
        let fine = self.terms.implies(holds, allowed);
        self.constraint = self.terms.and(self.constraint, fine);
        // If two pairs may share an object, all three still may not.
        let object = first.object;
        first.shared.get_or_insert(Sharing { holds, object, element: first_element });
        second.shared = Some(Sharing { holds, object, element: second_element });
        // If one of them may be written through, the other one sees it.
        let constant = target.constant && self.objects[second.object].constant;
        self.objects[object].constant = constant;
    }
}
