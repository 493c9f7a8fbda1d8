//! Reading a run's memory by the types of C, and laying out an input by them.
//!
//! Two engines need this: the interpreter, whose pointers are numbers of
//! objects, and the native build, whose pointers are addresses. What they have
//! in common is a view: where a pointer leads, and which bytes lie there.

use bv::{Word, float};

use crate::printed;
use crate::{
    Datum, Field, Fresh, FunctionId, GlobalId, Input, Object, Observation, POINTER_BYTES, Pointer, Program,
    Seen, SeenCall, Type, TypeId,
};

/// Memory after a run, or during a call to the outside.
pub trait View {
    /// Where a pointer with these bits leads.
    fn place(&self, bits: u64) -> PointsTo;
    /// An object of the input, by its position there; none if the run freed it.
    fn input(&self, object: u32) -> Option<Bytes<'_>>;
    /// An object that the run made.
    fn fresh(&self, block: u32) -> Bytes<'_>;
    /// A global; none if it holds what it held at the start.
    fn global(&self, global: GlobalId) -> Option<Bytes<'_>>;
    /// What a global holds that a call is given, changed or not.
    fn held(&self, global: GlobalId) -> Option<Bytes<'_>>;
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PointsTo {
    Null,
    Input {
        object: u32,
        offset: i64,
    },
    Global {
        global: GlobalId,
        offset: i64,
    },
    Function(FunctionId),
    /// Into a living object that the run made.
    Fresh {
        block: u32,
        offset: i64,
    },
    Elsewhere,
}

/// Bytes, and a mask of what is not assigned for each; no masks if all is assigned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bytes<'a> {
    pub bytes: &'a [u8],
    pub undefined: &'a [u8],
}

/// How far pointers are followed.
#[derive(Clone, Copy)]
struct Reach {
    /// How many in a row, into objects that have no name.
    depth: u32,
    /// Whether into static variables, too.
    statics: bool,
    /// Whether this is an argument of a call. Whoever is called looks into all
    /// that it is given, and when it looks, what lies deeper has no copy.
    call: bool,
}

/// How many pointers in a row we follow into objects that have no name: a list
/// of three, or an array of texts in a struct.
pub const DEPTH: u32 = 3;

/// What a pointer into a static variable shows are so many elements: texts are
/// shorter, and of a pool of memory nobody looks at the whole.
const WINDOW: u64 = 256;

/// What a caller sees after a run. The result is given as it would lie in memory.
pub fn observe(
    program: &Program,
    result: Option<(TypeId, Bytes)>,
    input: &Input,
    view: &impl View,
    calls: Vec<SeenCall>,
) -> Observation {
    let mut reader = Reader::new(program, view);
    let (calls, printed) = printed::take(program, calls);
    let mut observation = Observation { calls, printed, ..Observation::default() };
    observation.result = result.map(|(of, bytes)| reader.follow(of, bytes, ALL));
    for (at, object) in (0..).zip(&input.objects) {
        let bytes = view.input(at);
        observation.freed.extend(bytes.is_none().then_some(at));
        let elements = bytes.map(|bytes| reader.elements(object.of, object.elements.len(), bytes, ALL));
        // A constant one is seen only if it has changed all the same: `*(int *)p = 3` is fine where the
        // object itself is not constant.
        let is_seen = |elements: &Vec<Seen>| !object.constant || *elements != given(program, input, object);
        observation.objects.push(elements.filter(is_seen).unwrap_or_default());
    }
    for (at, global) in program.globals.iter().enumerate().filter(|(_, global)| !global.constant) {
        let id = GlobalId(at as u32);
        let Some(bytes) = view.global(id) else { continue };
        // Of what is hidden the address is all that counts: what it leads to is compared where it is.
        let reach = Reach { statics: global.external, ..ALL };
        let value = reader.follow(global.of, bytes, reach);
        // Bits that belong to no field may have changed. Nobody sees those.
        if value == start(program, id, input, reach) {
            continue;
        }
        let list = if global.external { &mut observation.globals } else { &mut observation.hidden };
        list.push((id, value));
    }
    observation
}

/// What an object of the input shows at the start of a run.
fn given(program: &Program, input: &Input, object: &Object) -> Vec<Seen> {
    let (bytes, undefined) = lay_out_object(program, object, &|datum| address(program, input, datum));
    let bytes = Bytes { bytes: &bytes, undefined: &undefined };
    Reader::new(program, &Start(program)).elements(object.of, object.elements.len(), bytes, ALL)
}

/// What a global shows at the start of a run.
fn start(program: &Program, id: GlobalId, input: &Input, reach: Reach) -> Seen {
    let global = program.global(id);
    let given = input.globals.iter().find(|(given, _)| *given == id);
    let laid_out = given.map(|(_, datum)| {
        lay_out_value(program, global.of, datum, &|datum| address(program, input, datum)).0
    });
    let bytes = laid_out.as_ref().unwrap_or(&global.contents);
    Reader::new(program, &Start(program)).follow(global.of, Bytes { bytes, undefined: &[] }, reach)
}

fn named(program: &Program, function: FunctionId) -> Seen {
    match program.function(function).external {
        true => Seen::Function(function),
        false => Seen::StaticFunction(function),
    }
}

/// A value in memory, with addresses of static variables as they are.
pub fn seen(program: &Program, of: TypeId, bytes: Bytes, view: &impl View) -> Seen {
    Reader::new(program, view).follow(of, bytes, Reach { statics: false, ..ALL })
}

/// An argument as the function without a body sees it that is called with it, at the time of the call.
pub fn handed(program: &Program, input: &Input, of: TypeId, bytes: Bytes, view: &impl View) -> Seen {
    let mut reader = Reader::new(program, view);
    let pointer = reader.follow(of, bytes, CALL);
    let Type::Pointer(Pointer { to, .. }) = program.of(of) else { return pointer };
    // What a stream holds, nobody sees without reading it.
    if program.is_stream(*to) {
        return pointer;
    }
    let (bytes, own, offset, constant) = match pointer {
        Seen::Input { object, offset } => {
            let given = &input.objects[object as usize];
            (view.input(object), given.of, offset, given.constant)
        }
        Seen::Global { global, offset } if !program.global(global).constant => {
            (view.held(global), program.global(global).of, offset, false)
        }
        _ => return pointer,
    };
    match bytes.map(|bytes| reader.window(*to, bytes, offset, CALL.deeper())) {
        Some(mut contents) => {
            hide_addresses(program, *to, &mut contents, own, offset);
            Seen::Handed { pointer: Box::new(pointer), contents, constant }
        }
        None => pointer,
    }
}

/// What a pointer in memory shows a caller, if so many more may be followed.
pub fn shown(program: &Program, to: TypeId, bits: u64, view: &impl View, depth: u32) -> Seen {
    Reader::new(program, view).target(to, view.place(bits), Reach { depth, ..ALL })
}

struct Reader<'a, V> {
    program: &'a Program,
    view: &'a V,
    /// The objects on the heap that were seen so far, as the view numbers them.
    blocks: Vec<u32>,
}

impl<'a, V: View> Reader<'a, V> {
    fn new(program: &'a Program, view: &'a V) -> Reader<'a, V> {
        Reader { program, view, blocks: vec![] }
    }

    fn follow(&mut self, of: TypeId, bytes: Bytes, reach: Reach) -> Seen {
        let program = self.program;
        match program.of(of) {
            Type::Integer(scalar) => word(bytes, 0, scalar.width),
            Type::Float(of) => match word(bytes, 0, of.width) {
                Seen::Word(word) => Seen::Word(canonical(word)),
                other => other,
            },
            Type::Pointer(pointer) => match word(bytes, 0, 64) {
                Seen::Word(word) => self.target(pointer.to, self.view.place(word.bits() as u64), reach),
                other => other,
            },
            Type::Array { of, count } => Seen::Aggregate(self.elements(*of, *count as usize, bytes, reach)),
            Type::Record(record) => {
                let part = |field: &Field| match field.bits {
                    Some(bits) => word(bytes, field.offset, bits),
                    None => {
                        let start = (field.offset / 8) as usize;
                        let end = start + program.size(field.of) as usize;
                        self.follow(field.of, bytes.range(start, end), reach)
                    }
                };
                Seen::Aggregate(program.parts(record).into_iter().map(part).collect())
            }
            Type::Opaque { size, .. } => {
                Seen::Aggregate((0..*size).map(|at| word(bytes, 8 * at, 8)).collect())
            }
            Type::Function { .. } => Seen::Elsewhere,
        }
    }

    fn target(&mut self, of: TypeId, place: PointsTo, reach: Reach) -> Seen {
        match place {
            PointsTo::Null => Seen::Null,
            PointsTo::Input { object, offset } => Seen::Input { object, offset },
            PointsTo::Global { global, offset } if reach.statics && self.program.is_hidden(global) => {
                let contents = self.contents(of, global, offset, reach);
                Seen::Static { global, offset, contents }
            }
            PointsTo::Global { global, offset } => Seen::Global { global, offset },
            PointsTo::Function(function) => named(self.program, function),
            PointsTo::Fresh { block, offset } if reach.depth > 0 => {
                let view = self.view;
                let (rest, count) = self.rest(of, view.fresh(block), offset);
                let size = rest.bytes.len() as u64;
                let offset = view.fresh(block).bytes.len() as u64 - size;
                let block = self.number(block);
                let elements = self.elements(of, count as usize, rest, reach.deeper());
                Seen::Fresh(Fresh { block, offset, size, elements })
            }
            PointsTo::Fresh { .. } | PointsTo::Elsewhere => Seen::Elsewhere,
        }
    }

    /// What lies in a static variable from where a pointer points to.
    fn contents(&mut self, of: TypeId, global: GlobalId, offset: i64, reach: Reach) -> Vec<Seen> {
        if reach.depth == 0 {
            return vec![];
        }
        let (program, view) = (self.program, self.view);
        let bytes = if reach.call { view.held(global) } else { view.global(global) };
        let mut contents = match bytes {
            Some(bytes) => self.window(of, bytes, offset, reach.deeper()),
            None => {
                let bytes = Bytes { bytes: &program.global(global).contents, undefined: &[] };
                Reader::new(program, &Start(program)).window(of, bytes, offset, reach.deeper())
            }
        };
        hide_addresses(program, of, &mut contents, program.global(global).of, offset);
        contents
    }

    /// Some elements; of a text, those up to its end, unless a call is given all.
    fn window(&mut self, of: TypeId, bytes: Bytes, offset: i64, reach: Reach) -> Vec<Seen> {
        let (rest, count) = self.rest(of, bytes, offset);
        let count = count.min(self.program.window(of));
        let mut found = self.elements(of, count as usize, rest, reach);
        let end = found.iter().position(|seen| *seen == Seen::Word(Word::zero(8)));
        if let (true, Some(end)) = (self.program.is_text(of) && !reach.call, end) {
            found.truncate(end + 1);
        }
        found
    }

    /// What there is of an object from an offset on, and how many whole elements that are.
    fn rest<'b>(&self, of: TypeId, bytes: Bytes<'b>, offset: i64) -> (Bytes<'b>, u64) {
        let start = offset.clamp(0, bytes.bytes.len() as i64) as usize;
        let rest = bytes.range(start, bytes.bytes.len());
        (rest, rest.bytes.len() as u64 / self.program.size(of).max(1))
    }

    fn elements(&mut self, of: TypeId, count: usize, bytes: Bytes, reach: Reach) -> Vec<Seen> {
        let size = self.program.size(of) as usize;
        let element = |at: usize| self.follow(of, bytes.range(at * size, (at + 1) * size), reach);
        (0..count).map(element).collect()
    }

    /// How an object on the heap is numbered in what is seen.
    fn number(&mut self, block: u32) -> u32 {
        let known = self.blocks.iter().position(|known| *known == block);
        let at = known.unwrap_or_else(|| {
            self.blocks.push(block);
            self.blocks.len() - 1
        });
        at as u32
    }
}

/// Forgets what shows a part of an address, as the bytes of a struct do that has pointers
/// and is looked at through a `void *`. Each engine has addresses of its own, and no test
/// can say what is in them. `own` is what the elements of the object really are.
fn hide_addresses(program: &Program, of: TypeId, contents: &mut [Seen], own: TypeId, offset: i64) {
    if program.has_pointers(of) {
        return;
    }
    let (size, whole) = (program.size(of).max(1) as i64, program.size(own).max(1) as i64);
    let addresses = program.pointers(own);
    for (at, seen) in (0..).zip(contents) {
        let (start, end) = (offset + at * size, offset + (at + 1) * size);
        // One element of ours may span some of the object's.
        let overlaps = |element: i64, address: u64| {
            let address = element * whole + address as i64;
            start < address + POINTER_BYTES as i64 && address < end
        };
        let mut elements = start.div_euclid(whole)..=(end - 1).div_euclid(whole);
        if elements.any(|element| addresses.iter().any(|(address, _)| overlaps(element, *address))) {
            *seen = Seen::Elsewhere;
        }
    }
}

/// Some bits, counted from the lowest bit of the first byte.
fn word(bytes: Bytes, offset: u64, width: u32) -> Seen {
    let gather = |bytes: &[u8]| {
        let (first, shift) = ((offset / 8) as usize, offset % 8);
        let last = ((offset + u64::from(width)).div_ceil(8) as usize).min(bytes.len());
        let taken = &bytes[first..last];
        let all = taken.iter().take(16).rev().fold(0u128, |all, byte| all << 8 | u128::from(*byte));
        // A bit-field of up to 128 bits that starts within a byte may end in a byte more.
        let beyond = taken.get(16).map_or(0, |byte| u128::from(*byte) << (128 - shift));
        Word::new(width, all >> shift | beyond)
    };
    if !bytes.undefined.is_empty() && !gather(bytes.undefined).is_zero() {
        return Seen::Undefined;
    }
    Seen::Word(gather(bytes.bytes))
}

/// All NaNs are one.
fn canonical(word: Word) -> Word {
    if float::is_nan(word) { float::nan(word.width()) } else { word }
}

const ALL: Reach = Reach { depth: DEPTH, statics: true, call: false };

/// What a stub can copy: what an argument leads to, and nothing further.
const CALL: Reach = Reach { depth: 1, statics: true, call: true };

impl Reach {
    fn deeper(self) -> Reach {
        Reach { depth: self.depth - 1, ..self }
    }
}

impl Program {
    /// Whether no test can name this global. Streams are known by other means.
    pub fn is_hidden(&self, global: GlobalId) -> bool {
        let global = self.global(global);
        !global.external && !self.is_stream(global.of)
    }

    /// How many elements of this type a pointer into a static variable shows.
    /// One to a struct is mostly to that one.
    pub fn window(&self, of: TypeId) -> u64 {
        if matches!(self.of(of), Type::Record(_)) { 1 } else { WINDOW }
    }

    /// Whether this is the type of characters, so that a pointer to it leads to a text.
    pub fn is_text(&self, of: TypeId) -> bool {
        matches!(self.of(of), Type::Integer(scalar) if matches!(scalar.name.as_str(), "char" | "const char"))
    }
}

/// Memory before a run: there are only globals, functions and what the input brings.
pub struct Start<'a>(pub &'a Program);

impl View for Start<'_> {
    fn place(&self, bits: u64) -> PointsTo {
        let (object, offset) = ((bits >> 32) as u32, i64::from(bits as u32 as i32));
        if bits == 0 {
            return PointsTo::Null;
        }
        let global = self.0.global_of(object).map(|global| PointsTo::Global { global, offset });
        let function = || self.0.function_of(object).map(PointsTo::Function);
        let input = || {
            let object = object.checked_sub(self.0.input_object())?;
            Some(PointsTo::Input { object, offset })
        };
        global.or_else(function).or_else(input).unwrap_or(PointsTo::Elsewhere)
    }

    fn input(&self, _: u32) -> Option<Bytes<'_>> {
        unreachable!("what a global leads to is read where it is")
    }

    fn fresh(&self, _: u32) -> Bytes<'_> {
        unreachable!("nothing has run yet")
    }

    fn global(&self, _: GlobalId) -> Option<Bytes<'_>> {
        None
    }

    fn held(&self, _: GlobalId) -> Option<Bytes<'_>> {
        None
    }
}

impl<'a> Bytes<'a> {
    pub fn range(self, start: usize, end: usize) -> Bytes<'a> {
        let undefined = if self.undefined.is_empty() { self.undefined } else { &self.undefined[start..end] };
        Bytes { bytes: &self.bytes[start..end], undefined }
    }
}

/// The bits of a pointer of the input, as the interpreter has them.
pub(crate) fn address(program: &Program, input: &Input, datum: &Datum) -> u64 {
    match datum {
        Datum::Pointer { object, element } => {
            let size = program.size(input.objects[*object as usize].of);
            (u64::from(program.input_object() + object) << 32) | (u64::from(*element) * size)
        }
        Datum::Function(function) => u64::from(program.function_object(*function)) << 32,
        Datum::Null | Datum::Word(_) | Datum::Aggregate(_) => 0,
    }
}

/// Lays out a value in memory. Bits that belong to no field stay unassigned:
/// their masks are kept. Where pointers lead, the caller says.
pub fn lay_out(
    program: &Program,
    of: TypeId,
    datum: &Datum,
    bytes: &mut [u8],
    undefined: &mut [u8],
    address: &impl Fn(&Datum) -> u64,
) {
    match (program.of(of), datum) {
        (Type::Array { of, .. }, Datum::Aggregate(elements)) => {
            let size = program.size(*of) as usize;
            for (at, element) in elements.iter().enumerate() {
                let range = at * size..(at + 1) * size;
                lay_out(program, *of, element, &mut bytes[range.clone()], &mut undefined[range], address);
            }
        }
        (Type::Record(record), Datum::Aggregate(parts)) => {
            for (field, part) in program.parts(record).into_iter().zip(parts) {
                if let (Some(bits), Datum::Word(word)) = (field.bits, part) {
                    put(bytes, undefined, field.offset, bits, word.bits());
                    continue;
                }
                let start = (field.offset / 8) as usize;
                let range = start..start + program.size(field.of) as usize;
                lay_out(program, field.of, part, &mut bytes[range.clone()], &mut undefined[range], address);
            }
        }
        (_, Datum::Aggregate(parts)) => {
            for (at, part) in parts.iter().enumerate() {
                put(bytes, undefined, 8 * at as u64, 8, part.word().map_or(0, Word::bits));
            }
        }
        (_, Datum::Word(word)) => put(bytes, undefined, 0, bytes.len() as u32 * 8, word.bits()),
        (_, pointer) => put(bytes, undefined, 0, 64, address(pointer).into()),
    }
}

/// The bytes of a value by itself, and the masks of what is not assigned: what lies between the fields of a
/// struct. C does not say what a caller leaves there.
pub fn lay_out_value(
    program: &Program,
    of: TypeId,
    datum: &Datum,
    address: &impl Fn(&Datum) -> u64,
) -> (Vec<u8>, Vec<u8>) {
    let size = program.size(of) as usize;
    let (mut bytes, mut undefined) = (vec![0; size], vec![0xff; size]);
    lay_out(program, of, datum, &mut bytes, &mut undefined, address);
    (bytes, undefined)
}

/// The bytes of an object of the input, and the masks of what is not assigned, as above.
pub fn lay_out_object(
    program: &Program,
    object: &Object,
    address: &impl Fn(&Datum) -> u64,
) -> (Vec<u8>, Vec<u8>) {
    let size = program.size(object.of) as usize;
    let mut bytes = vec![0; size * object.elements.len()];
    let mut undefined = vec![0xff; bytes.len()];
    for (at, element) in object.elements.iter().enumerate() {
        let range = at * size..(at + 1) * size;
        lay_out(program, object.of, element, &mut bytes[range.clone()], &mut undefined[range], address);
    }
    (bytes, undefined)
}

/// Assigns some bits, counted from the lowest bit of the first byte.
fn put(bytes: &mut [u8], undefined: &mut [u8], offset: u64, width: u32, bits: u128) {
    if offset.is_multiple_of(8) && width.is_multiple_of(8) {
        // Whole bytes, as nearly always: bit by bit would take most of the time of a search.
        let start = (offset / 8) as usize;
        let places = bytes.iter_mut().zip(undefined).skip(start);
        for ((byte, undefined), value) in places.zip(bits.to_le_bytes()).take(width as usize / 8) {
            (*byte, *undefined) = (value, 0);
        }
        return;
    }
    for at in 0..u64::from(width) {
        let (byte, bit) = (((offset + at) / 8) as usize, (offset + at) % 8);
        let Some(place) = bytes.get_mut(byte) else { return };
        *place = *place & !(1 << bit) | ((bits >> at & 1) as u8) << bit;
        undefined[byte] &= !(1 << bit);
    }
}

#[cfg(test)]
mod tests;
