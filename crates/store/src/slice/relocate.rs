//! The walk through a program that makes a slice. It writes a copy of each part, with new numbers.

use std::fmt::Write;

use bv::Word;
use ir::{
    Action, Argument, Arm, End, External, Function, FunctionId, Global, Operand, POINTER_BYTES,
    POINTER_WIDTH, Position, Program, SiteId, Type, TypeId,
};
use settle::Subject;

use super::number::Numbering;
use super::{Slice, Whole};

/// An address is written as something of this width, or of one more for each
/// that follows. No word is that wide.
const ADDRESS: u32 = 1_000_000;

pub(super) struct Walk<'a> {
    whole: Whole<'a>,
    pub slice: Slice,
    sites: Numbering<SiteId>,
    /// The addresses in the part that is being written: of a global or of a function, with the offset.
    addresses: Vec<(&'static str, u32, u32)>,
    /// Any function may be called.
    open: bool,
    /// Something was met that the lifted program does not tell.
    vague: bool,
}

impl<'a> Walk<'a> {
    pub(super) fn new(whole: Whole<'a>, subject: &Subject) -> Walk<'a> {
        let slice = Slice {
            text: String::new(),
            functions: Numbering::default(),
            globals: Numbering::default(),
            externals: Numbering::default(),
            types: Numbering::default(),
            places: Numbering::default(),
            mutants: Numbering::of_list(&subject.mutants),
        };
        let vague = whole.lookalike;
        Walk { whole, slice, sites: Numbering::default(), addresses: vec![], open: false, vague }
    }

    /// Writes all that was met, and all that is met meanwhile. None if that does not tell everything.
    pub(super) fn finish(mut self) -> Option<Slice> {
        let program = self.whole.program;
        let [mut functions, mut sites, mut globals, mut externals, mut types] = [0; 5];
        while !self.vague {
            if let Some(id) = self.slice.functions.get(functions) {
                self.function(id);
                functions += 1;
            } else if let Some(id) = self.sites.get(sites) {
                self.site(id);
                sites += 1;
            } else if let Some(id) = self.slice.globals.get(globals) {
                self.global(program.global(id));
                globals += 1;
            } else if let Some(id) = self.slice.externals.get(externals) {
                let External { name, parameters, result, variadic, prints } = program.external(id).clone();
                let parameters = parameters.into_iter().map(|of| self.of(of)).collect();
                let result = result.map(|of| self.of(of));
                self.write(&External { name, parameters, result, variadic, prints });
                externals += 1;
            } else if let Some(id) = self.slice.types.get(types) {
                self.r#type(program.of(id));
                types += 1;
            } else if std::mem::take(&mut self.open) {
                let all = (0..program.functions.len() as u32).map(FunctionId);
                let all = all.filter(|id| !program.function(*id).library);
                all.for_each(|id| _ = self.slice.functions.number(id));
            } else {
                return Some(self.slice);
            }
        }
        None
    }

    /// Writes a part, with the addresses that it mentions.
    fn write(&mut self, part: &dyn std::fmt::Debug) {
        let addresses = std::mem::take(&mut self.addresses);
        let _ = writeln!(self.slice.text, "{part:?} {addresses:?}");
    }

    fn function(&mut self, id: FunctionId) {
        let program = self.whole.program;
        let mut function: Function = program.function(id).clone();
        let is_opaque = function.unsupported.is_some() && !program.is_door(id);
        self.vague |= is_opaque || program.volatile.contains(&id);
        for parameter in &mut function.signature.parameters {
            parameter.of = self.of(parameter.of);
        }
        function.signature.result = function.signature.result.map(|of| self.of(of));
        function.door = function.door.map(|id| self.callee(id));
        for block in &mut function.blocks {
            for instruction in &mut block.instructions {
                self.action(&mut instruction.action);
                instruction.at = self.place(instruction.at);
            }
            self.end(&mut block.end);
            block.at = self.place(block.at);
        }
        // What it mentions in ways that leave no trace in its code.
        for mentioned in &self.whole.mentions[id.0 as usize] {
            self.slice.functions.number(*mentioned);
        }
        self.write(&function);
    }

    fn action(&mut self, action: &mut Action) {
        match action {
            Action::Apply { arguments, .. } => self.operands(arguments),
            Action::Site { site, arguments } => {
                *site = SiteId(self.sites.number(*site));
                self.operands(arguments);
            }
            Action::Call { function, arguments } => {
                *function = self.callee(*function);
                self.operands(arguments);
            }
            // How much, how far and which byte: numbers, whatever they look like.
            Action::Local { size: _ } | Action::Allocate { size: _ } => {}
            Action::Load { pointer, width: _, number: _ }
            | Action::Free { pointer }
            | Action::Extent { pointer }
            | Action::Alignment { pointer } => {
                self.operand(pointer);
            }
            Action::Store { pointer, value } => {
                self.operand(pointer);
                self.operand(value);
            }
            Action::Offset { pointer, by: _ } => self.operand(pointer),
            Action::Copy { to, from, length: _, overlap: _ } => {
                self.operand(to);
                self.operand(from);
            }
            Action::Fill { to, byte: _, length: _ } => self.operand(to),
            Action::CallPointer { pointer, arguments } => {
                self.open = true;
                self.operand(pointer);
                self.operands(arguments);
            }
            Action::External { external, arguments } => {
                external.0 = self.slice.externals.number(*external);
                for Argument { operand, of, text: _ } in arguments {
                    self.operand(operand);
                    *of = self.of(*of);
                }
            }
            Action::Check { condition, fault: _ } => self.operand(condition),
            Action::Stop(_) => {}
            Action::Unsupported(_) => self.vague = true,
        }
    }

    fn end(&mut self, end: &mut End) {
        match end {
            End::Jump(edge) => self.operands(&mut edge.arguments),
            End::Branch { condition, then, otherwise } => {
                self.operand(condition);
                self.operands(&mut then.arguments);
                self.operands(&mut otherwise.arguments);
            }
            End::Switch { value, cases, default } => {
                self.operand(value);
                cases.iter_mut().for_each(|(_, edge)| self.operands(&mut edge.arguments));
                self.operands(&mut default.arguments);
            }
            End::Return(operand) => operand.iter_mut().for_each(|operand| self.operand(operand)),
            End::Unreachable => {}
        }
    }

    /// With the variants of those mutants that the subject judges. The others' never run.
    fn site(&mut self, id: SiteId) {
        let mut site = self.whole.program.site(id).clone();
        site.at = self.place(site.at);
        self.arm(&mut site.original);
        site.variants.retain(|(mutant, _)| self.slice.mutants.of(mutant).is_some());
        for (mutant, arm) in &mut site.variants {
            mutant.0 = self.slice.mutants.number(*mutant);
            self.arm(arm);
        }
        self.write(&site);
    }

    fn arm(&mut self, arm: &mut Arm) {
        arm.instructions.iter_mut().for_each(|instruction| self.operands(&mut instruction.arguments));
        self.operand(&mut arm.result);
    }

    fn global(&mut self, global: &Global) {
        let mut global = global.clone();
        // How the compiler calls a literal depends on how many there are before it.
        if global.name.starts_with('.') {
            global.name.clear();
        }
        let (of, mut contents) = (global.of, std::mem::take(&mut global.contents));
        let doubtful = self.contents(of, &mut contents, 0);
        global.contents = contents;
        global.of = self.of(of);
        self.write(&(global, doubtful));
    }

    /// Takes the addresses out of what a global holds. Where the type does not
    /// tell whether there is one, the bytes stay, too. Returns where that is so.
    fn contents(&mut self, of: TypeId, bytes: &mut [u8], at: usize) -> Vec<usize> {
        let program = self.whole.program;
        let size = (program.size(of) as usize).min(bytes.len());
        match program.of(of) {
            Type::Pointer(_) => {
                if let Some(address) = bytes.first_chunk_mut().filter(|_| size == POINTER_BYTES as usize)
                    && self.address(u64::from_le_bytes(*address))
                {
                    *address = [0; POINTER_BYTES as usize];
                }
                vec![]
            }
            Type::Array { of, count: _ } => {
                let element = program.size(*of).max(1) as usize;
                let places = (0..size / element).map(|number| number * element);
                places.flat_map(|start| self.contents(*of, &mut bytes[start..], at + start)).collect()
            }
            Type::Record(record) if record.union && program.has_pointers(of) => {
                self.doubtful(&bytes[..size], at)
            }
            Type::Record(record) => {
                let fields = record.fields.iter().filter(|field| field.bits.is_none());
                let starts = fields
                    .map(|field| (field.of, field.offset as usize / 8))
                    .filter(|(_, start)| *start < size);
                starts.flat_map(|(of, start)| self.contents(of, &mut bytes[start..], at + start)).collect()
            }
            Type::Opaque { .. } => self.doubtful(&bytes[..size], at),
            Type::Integer(_) | Type::Float(_) | Type::Function { .. } => vec![],
        }
    }

    /// What may be addresses, for all that is known.
    fn doubtful(&mut self, bytes: &[u8], at: usize) -> Vec<usize> {
        let words = bytes.chunks_exact(POINTER_BYTES as usize).enumerate();
        let words = words.map(|(number, word)| (at + number * POINTER_BYTES as usize, word));
        let is_address = |(_, word): &(usize, &[u8])| {
            word.first_chunk().is_some_and(|word| self.address(u64::from_le_bytes(*word)))
        };
        words.filter(is_address).map(|(at, _)| at).collect::<Vec<usize>>()
    }

    fn r#type(&mut self, of: &Type) {
        let mut copy = of.clone();
        match &mut copy {
            Type::Integer(_) | Type::Float(_) | Type::Opaque { .. } => {}
            Type::Pointer(pointer) => pointer.to = self.of(pointer.to),
            Type::Array { of, count: _ } => *of = self.of(*of),
            Type::Record(record) => {
                for field in &mut record.fields {
                    field.of = self.of(field.of);
                }
            }
            Type::Function { parameters, result, variadic: _ } => {
                // An input may name any function that fits.
                self.open = true;
                parameters.iter_mut().for_each(|of| *of = self.of(*of));
                *result = result.map(|of| self.of(of));
            }
        }
        self.write(&copy);
    }

    fn operands(&mut self, operands: &mut [Operand]) {
        operands.iter_mut().for_each(|operand| self.operand(operand));
    }

    /// An address is written as what it is the address of.
    fn operand(&mut self, operand: &mut Operand) {
        let Operand::Constant(word) = operand else { return };
        let next = ADDRESS + self.addresses.len() as u32;
        if word.width() == POINTER_WIDTH && self.address(bits(*word)) {
            *operand = Operand::Uninitialised(next);
        }
    }

    /// Notes an address; whether it is one.
    fn address(&mut self, bits: u64) -> bool {
        let program = self.whole.program;
        let (object, offset) = ((bits >> 32) as u32, bits as u32);
        if !(ir::FIRST_OBJECT..program.input_object()).contains(&object) {
            return false;
        }
        let address = match program.function_of(object) {
            Some(function) => ("function", self.slice.functions.number(function), offset),
            None => {
                let global = program.global_of(object).expect("it is below the functions");
                ("global", self.slice.globals.number(global), offset)
            }
        };
        self.addresses.push(address);
        true
    }

    fn callee(&mut self, id: FunctionId) -> FunctionId {
        FunctionId(self.slice.functions.number(id))
    }

    fn of(&mut self, id: TypeId) -> TypeId {
        TypeId(self.slice.types.number(id))
    }

    /// Where the same place is mentioned again, it is the same number.
    fn place(&mut self, at: Option<Position>) -> Option<Position> {
        at.map(|at| Position { line: self.slice.places.number(at), column: 0 })
    }
}

fn bits(word: Word) -> u64 {
    word.bits() as u64
}

/// All places in a program.
pub(super) fn places(program: &Program) -> Numbering<Position> {
    let mut places = Numbering::default();
    for function in &program.functions {
        let unsupported = function.unsupported.iter().filter_map(|unsupported| unsupported.at);
        let instructions = function
            .blocks
            .iter()
            .flat_map(|block| block.instructions.iter().map(|instruction| instruction.at).chain([block.at]));
        unsupported.chain(instructions.flatten()).for_each(|at| _ = places.number(at));
    }
    program.sites.iter().filter_map(|site| site.at).for_each(|at| _ = places.number(at));
    places
}
