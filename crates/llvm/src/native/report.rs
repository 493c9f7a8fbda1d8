//! Reports: from what a run told on its way to what a caller sees.

use std::collections::BTreeMap;

use ir::observe::{handed, observe};
use ir::{GlobalId, Input, Observation, Program, Seen, SeenCall, Stream};

use super::addresses::{Addresses, ServerMemory, assigned};
use super::outside::CallSite;
use super::request::{Request, Run};

/// These are those of replay.c.
const CALL: u64 = 1;
const WORD: u64 = 2;
const TEXT: u64 = 3;
const BLOCK: u64 = 4;
const END: u64 = 5;
const READ: u64 = 6;
const GLOBAL: u64 = 7;
const FREED: u64 = 8;
const PRINTED: u64 = 9;

/// Something that the run told.
enum Told<'a> {
    Call(u64),
    Word(u128),
    Text(&'a [u8]),
    Block(u64, &'a [u8]),
    End,
    Read(&'a [u8]),
    /// In the place of an object that the run freed.
    Freed,
    Global(GlobalId, &'a [u8]),
    /// To a stream, by the server's number for it.
    Printed(u64, &'a [u8]),
}

/// What the caller sees of a run that returned. None if the report makes no sense.
pub(super) fn observation(
    run: &Run,
    request: &Request,
    addresses: &Addresses,
    sites: &[CallSite],
    result: [u8; 16],
    told: &[u8],
) -> Option<Observation> {
    let Run { program, input, .. } = *run;
    let mut memory = empty(request, addresses, input);
    let mut calls = Vec::new();
    let mut printed: [Vec<u8>; 2] = [vec![], vec![]];
    let mut reader = Reader(told);
    while let Some(next) = reader.next()? {
        match next {
            Told::Call(site) => {
                calls.push(call(
                    program,
                    sites.get(site as usize)?,
                    input,
                    empty(request, addresses, input),
                    &mut reader,
                )?);
            }
            Told::Read(bytes) => memory.objects.push(Some(bytes)),
            Told::Freed => memory.objects.push(None),
            Told::Global(global, bytes) => {
                memory.globals.insert(global, bytes);
            }
            Told::Block(start, bytes) => memory.blocks.push((start, bytes)),
            Told::Printed(stream, bytes) => {
                let stream = Stream::ALL.get(stream.checked_sub(1)? as usize)?;
                printed[*stream as usize].extend(bytes);
            }
            Told::Word(_) | Told::Text(_) | Told::End => return None,
        }
    }
    let is_whole = |(bytes, size): (&Option<&[u8]>, &u64)| bytes.is_none_or(|it| it.len() as u64 == *size);
    if memory.objects.len() != request.read.len() || !memory.objects.iter().zip(&request.read).all(is_whole) {
        return None;
    }
    let of = program.function(run.function).signature.result;
    let bytes = match request.result {
        Some(at) => memory.objects[at]?,
        None => &result[..of.map_or(0, |of| (program.size(of) as usize).min(result.len()))],
    };
    let mut seen = observe(program, of.map(|of| (of, assigned(bytes))), input, &memory, calls);
    for (known, text) in seen.printed.iter_mut().zip(printed) {
        known.text.extend(text);
    }
    Some(seen)
}

fn empty<'a>(request: &'a Request, addresses: &'a Addresses, input: &Input) -> ServerMemory<'a> {
    ServerMemory {
        addresses,
        placed: &request.placed,
        inputs: input.objects.len(),
        objects: vec![],
        globals: BTreeMap::new(),
        blocks: vec![],
    }
}

/// A call of a function without a body, with what memory was like then.
fn call<'a>(
    program: &Program,
    site: &CallSite,
    input: &Input,
    mut memory: ServerMemory<'a>,
    reader: &mut Reader<'a>,
) -> Option<SeenCall> {
    let mut arguments = Vec::new();
    loop {
        match reader.next()?? {
            Told::Block(start, bytes) => memory.blocks.push((start, bytes)),
            Told::Read(bytes) => memory.objects.push(Some(bytes)),
            Told::Freed => memory.objects.push(None),
            Told::Global(global, bytes) => {
                memory.globals.insert(global, bytes);
            }
            Told::End => break,
            argument => arguments.push(argument),
        }
    }
    if arguments.len() != site.arguments.len() {
        return None;
    }
    let observed = site.arguments.iter().zip(arguments).map(|(argument, told)| match told {
        Told::Text(bytes) => Some(Seen::Text(bytes.to_vec())),
        Told::Word(word) => {
            let bytes = word.to_le_bytes();
            let size = (program.size(argument.of) as usize).min(bytes.len());
            Some(handed(program, input, argument.of, assigned(&bytes[..size]), &memory))
        }
        _ => None,
    });
    Some(SeenCall::new(program, site.external, observed.collect::<Option<_>>()?))
}

/// What is left to read.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    /// What comes next, or nothing at the end. None if it makes no sense.
    #[allow(clippy::option_option)]
    fn next(&mut self) -> Option<Option<Told<'a>>> {
        if self.0.is_empty() {
            return Some(None);
        }
        Some(Some(match self.number()? {
            CALL => Told::Call(self.number()?),
            WORD => Told::Word(u128::from(self.number()?) | u128::from(self.number()?) << 64),
            TEXT => Told::Text(self.bytes()?),
            BLOCK => Told::Block(self.number()?, self.bytes()?),
            END => Told::End,
            READ => Told::Read(self.bytes()?),
            FREED => Told::Freed,
            GLOBAL => Told::Global(GlobalId(self.number()? as u32), self.bytes()?),
            PRINTED => Told::Printed(self.number()?, self.bytes()?),
            _ => return None,
        }))
    }

    fn number(&mut self) -> Option<u64> {
        let (number, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*number))
    }

    /// A length, and so many bytes.
    fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = self.number()?;
        let (bytes, rest) = self.0.split_at_checked(length as usize)?;
        self.0 = rest;
        Some(bytes)
    }
}
