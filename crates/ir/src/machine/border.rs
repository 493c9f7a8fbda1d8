//! The border of a run: what the caller gives and sees, and calls to the outside.

use std::collections::HashMap;

use bv::Word;

use crate::machine::{Given, Running};
use crate::memory::{self, Memory};
use crate::observe::{Bytes, address, handed, lay_out_object, lay_out_value, observe};
use crate::step::{self, Faults, Value};
use crate::{
    Argument, Datum, ExternalId, FunctionId, Input, Observation, POINTER_WIDTH, Program, Seen, SeenCall,
    Type, TypeId,
};

pub(super) struct Border<'a> {
    program: &'a Program,
    function: FunctionId,
    input: &'a Input,
    /// The object that takes the result, if that is a struct.
    result: Option<u32>,
    calls: Vec<SeenCall>,
    /// How often each function without a body was called.
    counts: HashMap<ExternalId, usize>,
}

impl<'a> Border<'a> {
    /// Lays out the input in memory; the words that the function is called with.
    pub(super) fn new<D: Running>(
        program: &'a Program,
        function: FunctionId,
        input: &'a Input,
        memory: &mut Memory<D>,
    ) -> (Border<'a>, Vec<Word>) {
        let address = |datum: &Datum| address(program, input, datum);
        for (at, object) in input.objects.iter().enumerate() {
            let (bytes, undefined) = lay_out_object(program, object, &address);
            memory.add_input(at as u32, bytes, undefined);
        }
        for (global, datum) in &input.globals {
            let of = program.global(*global).of;
            let (bytes, undefined) = lay_out_value(program, of, datum, &address);
            memory.set_global(*global, bytes, undefined);
        }
        let signature = &program.function(function).signature;
        let mut hidden =
            |bytes: Vec<u8>, undefined: Vec<u8>| memory.add_input(memory::HIDDEN, bytes, undefined);
        let mut arguments = Vec::new();
        let mut result = None;
        if let Some(of) = signature.result.filter(|of| matches!(program.of(*of), Type::Record(_))) {
            let size = program.size(of) as usize;
            let object = hidden(vec![0; size], vec![0xff; size]);
            arguments.push(memory::pointer(object));
            result = Some(object);
        }
        for (parameter, datum) in signature.parameters.iter().zip(&input.arguments) {
            arguments.push(match datum {
                Datum::Word(word) => *word,
                Datum::Aggregate(_) => {
                    let (bytes, undefined) = lay_out_value(program, parameter.of, datum, &address);
                    memory::pointer(hidden(bytes, undefined))
                }
                pointer => Word::new(64, address(pointer).into()),
            });
        }
        (Border { program, function, input, result, calls: vec![], counts: HashMap::new() }, arguments)
    }

    /// What the caller sees when the function returns this, unless a fault happens.
    pub(super) fn observe<D: Running>(
        &mut self,
        domain: &mut D,
        value: Option<Value<D::Word>>,
        memory: &Memory<D>,
        faults: &mut Faults<D::Word>,
    ) -> Observation {
        let calls = std::mem::take(&mut self.calls);
        let Some(of) = self.program.function(self.function).signature.result else {
            return observe(self.program, None, self.input, memory, calls);
        };
        if let Some(object) = self.result {
            return observe(self.program, Some((of, memory.bytes(object))), self.input, memory, calls);
        }
        let value = value.expect("the verifier has seen to it");
        let word = step::used(domain, value, faults);
        let bytes = in_memory(self.program, of, domain.now(&word));
        let result = Some((of, Bytes { bytes: &bytes, undefined: &[] }));
        observe(self.program, result, self.input, memory, calls)
    }

    /// Calls a function without a body: notes the arguments, and gives the next of its results.
    pub(super) fn call<D: Running>(
        &mut self,
        domain: &mut D,
        id: ExternalId,
        arguments: &[Argument],
        words: &[D::Word],
        memory: &Memory<D>,
        faults: &mut Faults<D::Word>,
    ) -> Option<D::Word> {
        let mut observed = Vec::new();
        for (argument, word) in arguments.iter().zip(words) {
            observed.push(if argument.text {
                Seen::Text(memory.text(domain, word, faults))
            } else {
                let bytes = in_memory(self.program, argument.of, domain.now(word));
                handed(self.program, self.input, argument.of, Bytes { bytes: &bytes, undefined: &[] }, memory)
            });
        }
        self.calls.push(SeenCall::new(self.program, id, observed));
        let of = self.program.external(id).result?;
        let count = self.counts.entry(id).or_default();
        let results = self.input.results.iter().find(|(external, _)| *external == id);
        let datum = results.and_then(|(_, results)| results.get(*count));
        let word = match datum {
            Some(Datum::Word(word)) => *word,
            Some(pointer) => Word::new(64, address(self.program, self.input, pointer).into()),
            None => Word::zero(self.program.width(of).unwrap_or(POINTER_WIDTH)),
        };
        *count += 1;
        Some(domain.given(Given::Result(id, *count - 1), word))
    }
}

/// A word as it lies in memory.
fn in_memory(program: &Program, of: TypeId, word: Word) -> Vec<u8> {
    word.bits().to_le_bytes()[..(program.size(of) as usize).min(16)].to_vec()
}
