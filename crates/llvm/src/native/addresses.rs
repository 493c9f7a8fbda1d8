//! Where functions, globals and objects are in the server's memory, and what an address there means.

use std::collections::{BTreeMap, HashMap, HashSet};

use ir::observe::{Bytes, PointsTo, View};
use ir::{FunctionId, GlobalId, Program, looks_at_addresses};

use super::request::Placed;

pub(super) struct Addresses {
    /// Where objects of the input can be put.
    pub arena: u64,
    /// By number; 0 for what the machine code does not have.
    pub functions: Vec<u64>,
    pub globals: Vec<u64>,
    function_at: HashMap<u64, FunctionId>,
    /// By address, with their sizes. They lie apart from each other.
    global_at: BTreeMap<u64, (GlobalId, u64)>,
    /// The functions for which it matters what addresses are multiples of.
    aligned: HashSet<FunctionId>,
}

/// The streams that the C library opens, in the order of the introduction. The program knows them as globals.
const STREAMS: [&str; 3] = ["stdin", "stdout", "stderr"];

impl Addresses {
    /// From what the server says of itself. None if it says something else.
    pub(super) fn new(introduction: &[u64], program: &Program) -> Option<Addresses> {
        let (arena, rest) = introduction.split_first()?;
        let (streams, rest) = rest.split_at_checked(STREAMS.len())?;
        let (functions, globals) = rest.split_at_checked(program.functions.len())?;
        if globals.len() != program.globals.len() {
            return None;
        }
        let mut globals = globals.to_vec();
        for (global, address) in program.globals.iter().zip(&mut globals) {
            // One of that name which the user defined has an address already.
            let stream = STREAMS.iter().position(|name| *name == global.name).filter(|_| *address == 0);
            *address = stream.map_or(*address, |stream| streams[stream]);
        }
        let function_at = functions.iter().enumerate().map(|(at, address)| (*address, FunctionId(at as u32)));
        let size = |at: usize| program.globals[at].contents.len() as u64;
        let global_at =
            globals.iter().enumerate().map(|(at, address)| (*address, (GlobalId(at as u32), size(at))));
        let all = (0..program.functions.len() as u32).map(FunctionId);
        Some(Addresses {
            arena: *arena,
            aligned: all.filter(|function| looks_at_addresses(program, *function)).collect(),
            functions: functions.to_vec(),
            function_at: function_at.collect(),
            global_at: global_at.filter(|(address, _)| *address != 0).collect(),
            globals,
        })
    }
}

impl Addresses {
    /// Whether objects for a function must lie at addresses as they would in a test.
    pub(super) fn must_align(&self, function: FunctionId) -> bool {
        self.aligned.contains(&function)
    }

    /// The global that an address points into, or right behind.
    fn global_at(&self, address: u64) -> Option<(u64, GlobalId)> {
        let before = self.global_at.range(..=address).next_back();
        let inside = before.filter(|(start, (_, size))| address - **start <= *size);
        inside.map(|(start, (global, _))| (*start, *global))
    }
}

/// What the server's memory held after a run, or during a call.
pub(super) struct ServerMemory<'a> {
    pub addresses: &'a Addresses,
    pub placed: &'a [Placed],
    /// How many of these are objects of the input.
    pub inputs: usize,
    /// What the objects hold, in the same order; nothing for what is freed.
    pub objects: Vec<Option<&'a [u8]>>,
    /// What has changed.
    pub globals: BTreeMap<GlobalId, &'a [u8]>,
    /// What the run made, by address.
    pub blocks: Vec<(u64, &'a [u8])>,
}

impl View for ServerMemory<'_> {
    fn place(&self, bits: u64) -> PointsTo {
        if bits == 0 {
            return PointsTo::Null;
        }
        if let Some(function) = self.addresses.function_at.get(&bits) {
            return PointsTo::Function(*function);
        }
        let offset = |start: u64| bits.wrapping_sub(start) as i64;
        // What lies outside of its object leads nowhere.
        let inside = |start: u64, size: usize| offset(start) >= 0 && offset(start) <= size as i64;
        if let Some(at) = self.placed.iter().position(|placed| inside(placed.start, placed.size as usize)) {
            if at >= self.inputs || self.objects.get(at) == Some(&None) {
                return PointsTo::Elsewhere;
            }
            return PointsTo::Input { object: at as u32, offset: offset(self.placed[at].start) };
        }
        if let Some((start, global)) = self.addresses.global_at(bits) {
            return PointsTo::Global { global, offset: offset(start) };
        }
        let is_here = |(start, bytes): &(u64, &[u8])| inside(*start, bytes.len());
        match self.blocks.iter().position(is_here) {
            Some(block) => PointsTo::Fresh { block: block as u32, offset: offset(self.blocks[block].0) },
            None => PointsTo::Elsewhere,
        }
    }

    fn input(&self, object: u32) -> Option<Bytes<'_>> {
        self.objects.get(object as usize).copied().flatten().map(assigned)
    }

    fn fresh(&self, block: u32) -> Bytes<'_> {
        assigned(self.blocks[block as usize].1)
    }

    fn global(&self, global: GlobalId) -> Option<Bytes<'_>> {
        self.globals.get(&global).map(|bytes| assigned(bytes))
    }

    fn held(&self, global: GlobalId) -> Option<Bytes<'_>> {
        self.global(global)
    }
}

/// The machine does not know what was never assigned.
pub(super) fn assigned(bytes: &[u8]) -> Bytes<'_> {
    Bytes { bytes, undefined: &[] }
}
