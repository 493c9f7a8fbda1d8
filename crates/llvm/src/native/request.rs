//! Requests: an input, laid out at the addresses where the server will have it.
//!
//! We decide where objects go, so pointers are plain numbers when they are
//! sent. Objects lie in slots, as replay.c says. The slots are far enough apart
//! that an address a little off still tells which object it strayed from.

use ir::observe::{lay_out_object, lay_out_value};
use ir::{Datum, FunctionId, GlobalId, Input, Mutant, Program, Type, TypeId, rules};

use super::SanitisedBuild;
use super::addresses::Addresses;

/// These are those of replay.c.
const SLOT: u64 = 1 << 16;
const GAP: u64 = SLOT / 2;
pub(super) const MARGIN: u64 = SLOT / 4;

/// An object at its address.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed {
    pub start: u64,
    pub size: u64,
}

pub(super) struct Request {
    /// With their length in front.
    pub bytes: Vec<u8>,
    /// The objects of the input, then those that only the door knows.
    pub placed: Vec<Placed>,
    /// How many bytes come back of each object that is not freed.
    pub read: Vec<u64>,
    /// Which of them takes the result, if that is a struct.
    pub result: Option<usize>,
}

pub(super) struct Run<'a> {
    pub program: &'a Program,
    pub function: FunctionId,
    pub mutant: Mutant,
    pub input: &'a Input,
    pub fuel: u64,
}

impl Request {
    pub(super) fn new(run: &Run, addresses: &Addresses, sanitiser: Option<SanitisedBuild>) -> Request {
        let Run { program, input, .. } = *run;
        let exact = sanitiser.is_none() && !addresses.must_align(run.function);
        let mut writer = Writer { addresses, exact, next: 0, placed: vec![], writes: vec![] };
        for object in &input.objects {
            writer.place(program.size(object.of) * object.elements.len() as u64);
        }
        let inside = writer.placed.clone();
        let address = |datum: &Datum| match datum {
            Datum::Pointer { object, element } => {
                let size = program.size(input.objects[*object as usize].of);
                inside[*object as usize].start + u64::from(*element) * size
            }
            Datum::Function(function) => addresses.functions[function.0 as usize],
            Datum::Null | Datum::Word(_) | Datum::Aggregate(_) => 0,
        };
        for (object, placed) in input.objects.iter().zip(&inside) {
            writer.write(placed.start, lay_out_object(program, object, &address).0);
        }
        for (global, datum) in &input.globals {
            writer.set_global(program, *global, datum, &address);
        }
        let mut read: Vec<u64> = inside.iter().map(|placed| placed.size).collect();
        let signature = &program.function(run.function).signature;
        let mut arguments: Vec<u128> = Vec::new();
        let is_record = |of: &TypeId| matches!(program.of(*of), Type::Record(_));
        let result = signature.result.filter(is_record).map(|of| {
            let size = program.size(of);
            let at = writer.place(size);
            writer.writes.push((writer.placed[at].start, vec![0; size as usize], vec![0xff; size as usize]));
            arguments.push(writer.placed[at].start.into());
            read.push(size);
            at
        });
        for (parameter, datum) in signature.parameters.iter().zip(&input.arguments) {
            arguments.push(match datum {
                Datum::Word(word) => word.bits(),
                Datum::Aggregate(_) => {
                    let (bytes, _) = lay_out_value(program, parameter.of, datum, &address);
                    let at = writer.place(bytes.len() as u64);
                    writer.write(writer.placed[at].start, bytes);
                    writer.placed[at].start.into()
                }
                pointer => address(pointer).into(),
            });
        }
        let called = program.function(run.function).door.unwrap_or(run.function);
        let mut bytes = Message::default();
        bytes.numbers(&[called.0.into(), run.mutant.0.into(), run.fuel, writer.next]);
        bytes.writes(&writer.writes, sanitiser);
        bytes.numbers(&[read.len() as u64]);
        for (placed, size) in writer.placed.iter().zip(&read) {
            bytes.numbers(&[placed.start, placed.size, *size]);
        }
        // The first of them are the caller's, and on the heap.
        bytes.numbers(&[input.objects.len() as u64]);
        bytes.numbers(&[input.results.len() as u64]);
        for (external, results) in &input.results {
            bytes.numbers(&[external.0.into(), results.len() as u64]);
            for datum in results {
                bytes.word(datum.word().map_or_else(|| address(datum).into(), |word| word.bits()));
            }
        }
        bytes.numbers(&[arguments.len() as u64]);
        arguments.into_iter().for_each(|argument| bytes.word(argument));
        Request { bytes: bytes.finish(), placed: writer.placed, read, result }
    }
}

/// Decides on addresses, and collects what goes there.
struct Writer<'a> {
    addresses: &'a Addresses,
    /// Objects end exactly at their page. For a sanitizer they need not, which sees no more than the end of a
    /// group of eight bytes. They must not if somebody looks at addresses.
    exact: bool,
    next: u64,
    placed: Vec<Placed>,
    /// An address, what to put there, and masks of what is not assigned.
    writes: Vec<(u64, Vec<u8>, Vec<u8>)>,
}

impl Writer<'_> {
    /// Puts a value of the input somewhere. A sanitizer takes its padding for assigned, as it does in a test
    /// that initialises a struct, so that no kill rests on reading it.
    fn write(&mut self, start: u64, bytes: Vec<u8>) {
        let assigned = vec![0; bytes.len()];
        self.writes.push((start, bytes, assigned));
    }

    fn place(&mut self, size: u64) -> usize {
        self.next += (MARGIN + size + GAP).div_ceil(SLOT);
        let end = self.addresses.arena + self.next * SLOT - GAP;
        let start = if self.exact { end - size } else { (end - size) / rules::ALIGNMENT * rules::ALIGNMENT };
        self.placed.push(Placed { start, size });
        self.placed.len() - 1
    }

    fn set_global(
        &mut self,
        program: &Program,
        id: GlobalId,
        datum: &Datum,
        address: &impl Fn(&Datum) -> u64,
    ) {
        let start = self.addresses.globals[id.0 as usize];
        if start != 0 {
            self.write(start, lay_out_value(program, program.global(id).of, datum, address).0);
        }
    }
}

struct Message(Vec<u8>);

impl Default for Message {
    /// With room for the length.
    fn default() -> Message {
        Message(vec![0; 8])
    }
}

impl Message {
    fn numbers(&mut self, numbers: &[u64]) {
        numbers.iter().for_each(|number| self.0.extend(number.to_le_bytes()));
    }

    fn word(&mut self, word: u128) {
        self.0.extend(word.to_le_bytes());
    }

    fn writes(&mut self, writes: &[(u64, Vec<u8>, Vec<u8>)], sanitiser: Option<SanitisedBuild>) {
        self.numbers(&[writes.len() as u64]);
        for (start, bytes, _) in writes {
            self.numbers(&[*start, bytes.len() as u64]);
            self.0.extend(bytes);
        }
        // Only one of the sanitizers can make use of what is not assigned.
        let unassigned: Vec<u64> = match sanitiser {
            Some(SanitisedBuild::Memory) => {
                writes.iter().flat_map(|(start, _, masks)| unassigned(*start, masks)).collect()
            }
            _ => vec![],
        };
        self.numbers(&[unassigned.len() as u64]);
        for address in unassigned {
            self.numbers(&[address, 1]);
        }
    }

    fn finish(mut self) -> Vec<u8> {
        let length = self.0.len() as u64 - 8;
        self.0[..8].copy_from_slice(&length.to_le_bytes());
        self.0
    }
}

/// The addresses of bytes of which no bit is assigned.
fn unassigned(start: u64, masks: &[u8]) -> impl Iterator<Item = u64> + '_ {
    masks.iter().enumerate().filter(|(_, mask)| **mask == 0xff).map(move |(at, _)| start + at as u64)
}
