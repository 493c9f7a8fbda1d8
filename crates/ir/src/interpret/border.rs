//! The border of a run: what the caller gives and sees, and calls to the outside.

use std::collections::HashMap;

use bv::{Concrete, Word};

use crate::memory::{self, Memory};
use crate::observe::{Bytes, handed, lay_out_object, lay_out_value, observe};
use crate::step::{self, Faults, Value};
use crate::{
    Argument, Datum, ExternalId, Fault, FunctionId, Input, Observation, POINTER_WIDTH, Program, Seen,
    SeenCall, Type, TypeId,
};

pub struct Border<'a> {
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
    pub fn new(
        program: &'a Program,
        function: FunctionId,
        input: &'a Input,
        memory: &mut Memory,
    ) -> (Border<'a>, Vec<Word>) {
        let address = |datum: &Datum| address(program, input, datum);
        for (at, object) in input.objects.iter().enumerate() {
            let (bytes, undefined) = lay_out_object(program, object, &address);
            memory.add_input(at as u32, bytes, undefined);
        }
        for (global, datum) in &input.globals {
            let of = program.global(*global).of;
            memory.set_global(*global, lay_out_value(program, of, datum, &address).0);
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

    /// What the caller sees when the function returns this.
    pub fn observe(&mut self, value: Option<Value<Word>>, memory: &Memory) -> Result<Observation, Fault> {
        let calls = std::mem::take(&mut self.calls);
        let Some(of) = self.program.function(self.function).signature.result else {
            return Ok(observe(self.program, None, self.input, memory, calls));
        };
        if let Some(object) = self.result {
            return Ok(observe(self.program, Some((of, memory.bytes(object))), self.input, memory, calls));
        }
        let mut faults = Faults::new();
        let value = value.expect("the verifier has seen to it");
        let word = step::used(&mut Concrete, value, &mut faults);
        if let Some((fault, _)) = faults.iter().find(|(_, happens)| happens.is_true()) {
            return Err(*fault);
        }
        let bytes = in_memory(self.program, of, word);
        Ok(observe(
            self.program,
            Some((of, Bytes { bytes: &bytes, undefined: &[] })),
            self.input,
            memory,
            calls,
        ))
    }

    /// Calls a function without a body: notes the arguments, and gives the next of its results.
    pub fn call(
        &mut self,
        id: ExternalId,
        arguments: &[(Argument, Value<Word>)],
        memory: &Memory,
    ) -> Result<Option<Word>, Fault> {
        let mut observed = Vec::new();
        for (argument, value) in arguments {
            let mut faults = Faults::new();
            let word = step::used(&mut Concrete, *value, &mut faults);
            if let Some((fault, _)) = faults.iter().find(|(_, happens)| happens.is_true()) {
                return Err(*fault);
            }
            observed.push(if argument.text {
                Seen::Text(memory.text(word)?)
            } else {
                let bytes = in_memory(self.program, argument.of, word);
                handed(self.program, self.input, argument.of, Bytes { bytes: &bytes, undefined: &[] }, memory)
            });
        }
        self.calls.push(SeenCall::new(self.program, id, observed));
        let external = self.program.external(id);
        let Some(of) = external.result else { return Ok(None) };
        let count = self.counts.entry(id).or_default();
        let results = self.input.results.iter().find(|(external, _)| *external == id);
        let datum = results.and_then(|(_, results)| results.get(*count));
        *count += 1;
        Ok(Some(match datum {
            Some(Datum::Word(word)) => *word,
            Some(pointer) => Word::new(64, address(self.program, self.input, pointer).into()),
            None => Word::zero(self.program.width(of).unwrap_or(POINTER_WIDTH)),
        }))
    }
}

/// A word as it lies in memory.
fn in_memory(program: &Program, of: TypeId, word: Word) -> Vec<u8> {
    word.bits().to_le_bytes()[..(program.size(of) as usize).min(16)].to_vec()
}

/// The bits of a pointer of the input.
fn address(program: &Program, input: &Input, datum: &Datum) -> u64 {
    match datum {
        Datum::Pointer { object, element } => {
            let size = program.size(input.objects[*object as usize].of);
            (u64::from(program.input_object() + object) << 32) | (u64::from(*element) * size)
        }
        Datum::Function(function) => u64::from(program.function_object(*function)) << 32,
        Datum::Null | Datum::Word(_) | Datum::Aggregate(_) => 0,
    }
}
