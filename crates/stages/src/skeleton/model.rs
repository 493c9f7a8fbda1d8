//! From models to inputs and back: the input that an assignment to the variables stands for, and the other
//! way round.

use bv::{Node, Term, Terms, Word};
use ir::{Datum, Input};

use super::{Skeleton, Slot};

impl Skeleton<'_> {
    /// The input that a model stands for.
    pub(crate) fn input(&self, terms: &Terms, model: &[Word]) -> Input {
        let value = |term: Term| terms.eval(term, model);
        let used = vec![None; self.objects.len()];
        let mut reader = Reader { skeleton: self, value: &value, used, objects: vec![] };
        let arguments = self.arguments.iter().map(|slot| reader.datum(slot)).collect();
        let globals = self.globals.iter().map(|(id, slot)| (*id, reader.datum(slot))).collect();
        let results = self
            .results
            .iter()
            .map(|(id, slots)| (*id, slots.iter().map(|slot| reader.datum(slot)).collect()))
            .collect();
        Input { arguments, objects: reader.objects, globals, results }
    }

    /// The assignment that an input stands for. None if the input does not have this shape.
    pub fn assignment(&self, terms: &Terms, input: &Input) -> Option<Vec<Word>> {
        // Two pointers into one object may have no variables. A sample less is no loss.
        if is_shared(input) {
            return None;
        }
        let variables = terms.variables().take(self.variables);
        let words = variables.map(|variable| Word::zero(terms.variable_width(variable)));
        let mut writer = Writer { skeleton: self, terms, input, words: words.collect() };
        for object in &self.objects {
            writer.set(object.count, Word::one(32));
        }
        for (slot, datum) in self.arguments.iter().zip(&input.arguments) {
            writer.assign(slot, datum)?;
        }
        if self.globals.len() != input.globals.len() {
            return None;
        }
        for (id, slot) in &self.globals {
            let (_, datum) = input.globals.iter().find(|(global, _)| global == id)?;
            writer.assign(slot, datum)?;
        }
        for (id, slots) in &self.results {
            let Some((_, data)) = input.results.iter().find(|(external, _)| external == id) else { continue };
            if data.len() > slots.len() {
                return None;
            }
            for (slot, datum) in slots.iter().zip(data) {
                writer.assign(slot, datum)?;
            }
        }
        Some(writer.words)
    }
}

/// Whether two pointers of an input lead to one object.
fn is_shared(input: &Input) -> bool {
    let mut pointers = vec![0; input.objects.len()];
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
    pointers.iter().any(|count| *count > 1)
}

/// Writes an input into an assignment.
struct Writer<'a, 'p> {
    skeleton: &'a Skeleton<'p>,
    terms: &'a Terms,
    input: &'a Input,
    words: Vec<Word>,
}

impl Writer<'_, '_> {
    /// None if the slot has no room for the datum.
    fn assign(&mut self, slot: &Slot, datum: &Datum) -> Option<()> {
        match (slot, datum) {
            (Slot::Word(term), Datum::Word(word)) => self.set(*term, *word),
            (Slot::Null, Datum::Null) | (Slot::Pointer(_), Datum::Null) => {}
            (Slot::Function { choice, candidates }, Datum::Null) => {
                self.set(*choice, Word::new(8, candidates.len() as u128));
            }
            (Slot::Function { choice, candidates }, Datum::Function(function)) => {
                let at = candidates.iter().position(|candidate| candidate == function)?;
                self.set(*choice, Word::new(8, at as u128));
            }
            (Slot::Aggregate(slots), Datum::Aggregate(data)) => {
                for (slot, datum) in slots.iter().zip(data) {
                    self.assign(slot, datum)?;
                }
            }
            (Slot::Pointer(pointer), Datum::Pointer { object, element: 0 }) => {
                self.set(pointer.present, Word::truth(true));
                let (shape, object) =
                    (&self.skeleton.objects[pointer.object], self.input.objects.get(*object as usize)?);
                if object.of != shape.of
                    || object.elements.is_empty()
                    || object.elements.len() > shape.elements.len()
                {
                    return None;
                }
                self.set(shape.count, Word::new(32, object.elements.len() as u128));
                for (slot, datum) in shape.elements.iter().zip(&object.elements) {
                    self.assign(slot, datum)?;
                }
            }
            _ => return None,
        }
        Some(())
    }

    fn set(&mut self, variable: Term, word: Word) {
        if let Node::Variable(variable) = self.terms.node(variable) {
            self.words[variable.index()] = word;
        }
    }
}

/// Reads an input out of a model. Objects that no pointer leads to are left out.
struct Reader<'a, 'p> {
    skeleton: &'a Skeleton<'p>,
    value: &'a dyn Fn(Term) -> Word,
    /// The number that an object has in the input.
    used: Vec<Option<u32>>,
    objects: Vec<ir::Object>,
}

impl Reader<'_, '_> {
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
                Some(sharing) if (self.value)(sharing.holds).is_true() => {
                    let element = (self.value)(sharing.element).bits() as u32;
                    Datum::Pointer { object: self.object(sharing.object), element }
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
