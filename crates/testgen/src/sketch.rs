//! Programs without bodies and tests by hand, to see how they are written.

use std::sync::Arc;

use bv::Word;
use ir::{
    Action, Argument, Block, Datum, End, External, ExternalId, Field, Float, Fresh, Function, FunctionId,
    Global, GlobalId, Input, Instruction, Object, Observation, Operand, Outcome, Parameter, Pointer, Program,
    Record, Scalar, Seen, Signature, Type, TypeId,
};
use settle::Test;

use crate::{Framework, Suite, file, names};

#[derive(Default)]
pub(crate) struct Sketch {
    pub program: Program,
    pub tests: Vec<Test>,
    /// Whether the tests include the file.
    pub inside: bool,
    input: Input,
    seen: Observation,
}

impl Sketch {
    pub(crate) fn of(&mut self, of: Type) -> TypeId {
        let types = &mut self.program.types;
        let at = types.iter().position(|known| *known == of).unwrap_or_else(|| {
            types.push(of);
            types.len() - 1
        });
        TypeId(at as u32)
    }

    pub(crate) fn integer(&mut self, name: &str, width: u32, signed: bool) -> TypeId {
        self.of(Type::Integer(Scalar { name: name.to_string(), width, signed }))
    }

    pub(crate) fn int(&mut self) -> TypeId {
        self.integer("int", 32, true)
    }

    pub(crate) fn char(&mut self) -> TypeId {
        self.integer("char", 8, true)
    }

    pub(crate) fn double(&mut self) -> TypeId {
        self.of(Type::Float(Float { name: "double".to_string(), width: 64 }))
    }

    pub(crate) fn pointer(&mut self, to: TypeId, constant: bool) -> TypeId {
        self.of(Type::Pointer(Pointer { name: String::new(), to, constant, untyped: false }))
    }

    pub(crate) fn array(&mut self, of: TypeId, count: u64) -> TypeId {
        self.of(Type::Array { of, count })
    }

    /// Fields in a row, without gaps.
    pub(crate) fn record(
        &mut self,
        name: &str,
        union: bool,
        fields: &[(&str, TypeId, Option<u32>)],
    ) -> TypeId {
        let mut end = 0;
        let mut list = Vec::new();
        for (name, of, bits) in fields {
            let width = bits.map_or(8 * self.program.size(*of), u64::from);
            let offset = if union { 0 } else { end };
            list.push(Field { name: name.to_string(), of: *of, offset, bits: *bits });
            end = end.max(offset + width);
        }
        let size = end.div_ceil(32) * 4;
        self.of(Type::Record(Record { name: name.to_string(), union, size, fields: list, flexible: false }))
    }

    /// Points a field at its own record, which was made with another type there.
    pub(crate) fn tie(&mut self, record: TypeId, field: usize, of: TypeId) {
        if let Type::Record(record) = &mut self.program.types[record.0 as usize] {
            record.fields[field].of = of;
        }
    }

    /// A function that calls these functions and writes these globals.
    pub(crate) fn function(
        &mut self,
        name: &str,
        parameters: &[(&str, TypeId)],
        result: Option<TypeId>,
        calls: &[ExternalId],
        writes: &[GlobalId],
    ) -> FunctionId {
        let byte = self.char();
        let call = calls.iter().map(|external| Action::External {
            external: *external,
            arguments: vec![Argument { operand: Operand::Constant(Word::zero(8)), of: byte, text: false }],
        });
        let address = |global: &GlobalId| {
            Operand::Constant(Word::new(64, u128::from(ir::FIRST_OBJECT + global.0) << 32))
        };
        let write = writes.iter().map(|global| Action::Store {
            pointer: address(global),
            value: Operand::Constant(Word::zero(8)),
        });
        let instructions = call.chain(write).map(|action| Instruction { result: None, action, at: None });
        let block = Block {
            parameters: vec![],
            instructions: instructions.collect(),
            end: End::Return(None),
            at: None,
        };
        let parameter = |(name, of): &(&str, TypeId)| Parameter { name: name.to_string(), of: *of };
        self.program.functions.push(Function {
            name: name.to_string(),
            signature: Signature {
                parameters: parameters.iter().map(parameter).collect(),
                result,
                variadic: false,
            },
            registers: vec![],
            arity: 0,
            result: None,
            door: None,
            library: false,
            sealed: false,
            external: true,
            blocks: vec![block],
            unsupported: None,
            names: Default::default(),
        });
        FunctionId(self.program.functions.len() as u32 - 1)
    }

    pub(crate) fn global(&mut self, name: &str, of: TypeId, contents: &[u8], external: bool) -> GlobalId {
        let (name, contents) = (name.to_string(), contents.to_vec());
        self.program.globals.push(Global { name, of, contents, constant: !external, external });
        GlobalId(self.program.globals.len() as u32 - 1)
    }

    pub(crate) fn external(
        &mut self,
        name: &str,
        parameters: &[TypeId],
        result: Option<TypeId>,
        prints: bool,
    ) -> ExternalId {
        let (name, parameters) = (name.to_string(), parameters.to_vec());
        self.program.externals.push(External { name, parameters, result, variadic: false, prints });
        ExternalId(self.program.externals.len() as u32 - 1)
    }

    /// An object of the next test, with what it holds afterwards.
    pub(crate) fn object(&mut self, of: TypeId, elements: Vec<Datum>, after: Option<Vec<Seen>>) -> Datum {
        let object = self.input.objects.len() as u32;
        self.input.objects.push(Object { of, elements, constant: after.is_none() });
        self.seen.objects.push(after.unwrap_or_default());
        Datum::Pointer { object, element: 0 }
    }

    pub(crate) fn text(&mut self, before: &[u8], after: Option<&[u8]>) -> Datum {
        let char = self.char();
        let elements = before.iter().map(|byte| Datum::Word(Word::new(8, u128::from(*byte)))).collect();
        self.object(char, elements, after.map(letters))
    }

    pub(crate) fn ints(&mut self, before: &[i32], after: Option<&[i32]>) -> Datum {
        let int = self.int();
        let elements = before.iter().map(|value| given(*value)).collect();
        self.object(int, elements, after.map(|after| after.iter().map(|value| seen(*value)).collect()))
    }

    /// A test with the objects made since the last one. The caller may change what it gives and sees first.
    pub(crate) fn test(
        &mut self,
        subject: FunctionId,
        arguments: Vec<Datum>,
        result: Option<Seen>,
        more: impl FnOnce(&mut Input, &mut Observation),
    ) {
        let (mut input, mut observation) = (std::mem::take(&mut self.input), std::mem::take(&mut self.seen));
        input.arguments = arguments;
        observation.result = result;
        more(&mut input, &mut observation);
        let returns = Outcome::Returned(Arc::new(observation));
        self.tests.push(Test::new(subject, input, returns, vec![]));
    }

    pub(crate) fn names(&self) -> Vec<String> {
        names(&self.program, &self.tests)
    }

    pub(crate) fn file(&self) -> String {
        let (program, tests, names) = (&self.program, &self.tests, &self.names());
        let callable: Vec<FunctionId> = (0..program.functions.len() as u32).map(FunctionId).collect();
        file(&Suite {
            reference: None,
            remark: &|_| None,
            framework: Framework::Unity,
            file: "unit.c",
            has_main: false,
            inside: self.inside,
            wraps: false,
            program,
            callable: &callable,
            elsewhere: &[],
            changes: &[],
            tests,
            names,
        })
    }

    /// The lines of the last test.
    pub(crate) fn last(&self) -> Vec<String> {
        let file = self.file();
        let tests = file.split("\nint main(void)").next().unwrap_or_default();
        let body = tests.rsplit("(void)\n{\n").next().unwrap_or_default();
        body.lines().filter(|line| *line != "}").map(|line| line.trim_start().to_string()).collect()
    }
}

pub(crate) fn given(value: i32) -> Datum {
    Datum::Word(Word::from_signed(32, value.into()))
}

pub(crate) fn seen(value: i32) -> Seen {
    Seen::Word(Word::from_signed(32, value.into()))
}

/// A pointer to the start of an object on the heap, of elements of so many bytes.
pub(crate) fn fresh(size: u64, elements: Vec<Seen>) -> Seen {
    Seen::Fresh(Fresh { block: 0, offset: 0, size: size * elements.len() as u64, elements })
}

pub(crate) fn letters(bytes: &[u8]) -> Vec<Seen> {
    bytes.iter().map(|byte| Seen::Word(Word::new(8, u128::from(*byte)))).collect()
}
