//! Random code that works with memory.
//!
//! It never computes with a pointer as with a number, and never looks at a pointer's bytes.
//! No defined C program does so, and the numbers of objects would become part of the meaning.
//! So pointers have a list of their own, with what is known of the object that they point to.

use arbitrary::Result;
use bv::{Op, Word};

use super::Body;
use crate::random::line::Pointee;
use crate::random::{one_in, word};
use crate::{
    Action, Argument, ExternalId, Field, Flags, Function, FunctionId, Global, GlobalId, Operand, Register,
    Type, TypeId,
};

/// A part of an element that can be read and written.
#[derive(Clone, Copy)]
struct Leaf {
    /// In bits, from the start of the element.
    offset: u64,
    of: TypeId,
    bits: Option<u32>,
}

/// The byte that a bit-field lies in.
const UNIT: u32 = 8;

impl Body<'_, '_> {
    pub(super) fn memory(&mut self) -> Result<()> {
        match self.u.int_in_range(0..=25)? {
            0..=6 => self.load(),
            7..=12 => self.store(),
            13..=14 => self.raw(),
            15 => self.walk(),
            16 => self.compare(),
            17..=18 => self.copy(),
            19 => self.overwrite(),
            20 => self.allocate(),
            21 => self.free(),
            22 => self.outside(),
            23 => self.choose_pointer(),
            24 => self.alignment(),
            _ => self.call_pointer(),
        }
    }

    /// A variable in memory, most of the time with a value.
    pub(super) fn local(&mut self, of: TypeId) -> Result<Register> {
        let elements = 1 << self.u.int_in_range(0..=2)?;
        let size = self.size(of, elements);
        self.object(Action::Local { size }, Pointee { of, elements, constant: false, heap: false })
    }

    /// A pointer of this type for a call.
    pub(super) fn pointer_argument(&mut self, of: TypeId) -> Result<Operand> {
        let Type::Pointer(pointer) = self.program.of(of) else { unreachable!("the type is a pointer's") };
        let (to, constant) = (pointer.to, pointer.constant);
        if let Type::Function { .. } = self.program.of(to) {
            return Ok(null());
        }
        self.pointer_like(Pointee { of: to, elements: 1, constant, heap: false })
    }

    /// A pointer for a join that takes one like this.
    pub(super) fn pointer_like(&mut self, pointee: Pointee) -> Result<Operand> {
        let fits = |other: &Pointee| other.of == pointee.of && (pointee.constant || !other.constant);
        match self.pointer_to(fits)? {
            Some((register, _)) => Ok(Operand::Register(register)),
            None => self.local(pointee.of).map(Operand::Register),
        }
    }

    /// What a join may take: a pointer like one that there is.
    pub(super) fn some_pointee(&mut self) -> Result<Option<Pointee>> {
        let found = self.pointer_to(|_| true)?;
        Ok(found.map(|(_, pointee)| Pointee { elements: 1, heap: false, ..pointee }))
    }

    /// A pointer that somebody gave us, from now on known as one.
    pub(super) fn adopt(&mut self, register: Register, of: TypeId) {
        let Type::Pointer(pointer) = self.program.of(of) else { return };
        let function = matches!(self.program.of(pointer.to), Type::Function { .. });
        let elements = if function { 0 } else { 1 };
        // What a caller gives is on the heap, mostly: it may be another function's variable.
        let pointee = Pointee { of: pointer.to, elements, constant: pointer.constant, heap: !function };
        self.line.pointees.insert(register, pointee);
    }

    /// Makes the globals known, by pointers to their start.
    pub(super) fn adopt_globals(&mut self) -> Result<()> {
        for at in 0..self.program.globals.len() {
            let Global { of, constant, .. } = self.program.globals[at];
            let Type::Array { of, count } = *self.program.of(of) else { continue };
            let start = crate::memory::pointer(self.program.global_object(GlobalId(at as u32)));
            let (pointer, by) = (Operand::Constant(start), distance(0));
            let pointee = Pointee { of, elements: count, constant, heap: false };
            self.moved(Action::Offset { pointer, by }, pointee)?;
        }
        Ok(())
    }

    fn load(&mut self) -> Result<()> {
        let Some((base, pointee)) = self.pointer_to(|_| true)? else { return Ok(()) };
        let leaf = self.leaf(pointee.of)?;
        let pointer = self.element(base, pointee, leaf)?;
        if let Type::Pointer(_) = self.program.of(leaf.of) {
            return self.load_pointer(pointer, leaf.of);
        }
        let loaded = self.load_leaf(pointer, leaf)?;
        self.take_up(loaded)
    }

    fn load_leaf(&mut self, pointer: Operand, leaf: Leaf) -> Result<Operand> {
        let Some(bits) = leaf.bits else {
            let width = self.program.width(leaf.of).expect("a leaf is a word");
            return self.loaded(pointer, width);
        };
        let unit = self.loaded(pointer, UNIT)?;
        let lo = (leaf.offset % u64::from(UNIT)) as u32;
        self.line.push_with(self.u, Op::Extract { hi: lo + bits - 1, lo }, Flags::default(), vec![unit])
    }

    /// Follows a pointer in memory, unless it is null, as careful programs do.
    fn load_pointer(&mut self, from: Operand, of: TypeId) -> Result<()> {
        let Type::Pointer(pointer) = self.program.of(of) else { unreachable!("the type is a pointer's") };
        let to = pointer.to;
        let pointee = Pointee { of: to, elements: 1, constant: true, heap: false };
        let loaded = self.moved(Action::Load { pointer: from, width: 64, number: false }, pointee)?;
        if one_in(self.u, 6)? {
            return Ok(());
        }
        let Some((other, second)) =
            self.pointer_to(|pointee| pointee.of == to)?.filter(|(other, _)| *other != loaded)
        else {
            // Nothing else is at hand, and it may be null.
            self.line.pointees.insert(loaded, Pointee { elements: 0, ..pointee });
            return Ok(());
        };
        let loaded = Operand::Register(loaded);
        let is_null = self.plain(Op::Eq, loaded, Word::zero(64))?;
        self.take_up(is_null)?;
        let pointee = Pointee { constant: second.constant, ..pointee };
        let arguments = vec![is_null, Operand::Register(other), loaded];
        self.moved(Action::Apply { op: Op::Ite, flags: Flags::default(), arguments }, pointee)?;
        Ok(())
    }

    fn store(&mut self) -> Result<()> {
        let careless = one_in(self.u, 30)?;
        let writable = |pointee: &Pointee| careless || !pointee.constant;
        let Some((base, pointee)) = self.pointer_to(writable)? else { return Ok(()) };
        let leaf = self.leaf(pointee.of)?;
        let pointer = self.element(base, pointee, leaf)?;
        let value = match (self.program.of(leaf.of), leaf.bits) {
            (Type::Pointer(_), _) if one_in(self.u, 4)? => null(),
            (Type::Pointer(_), _) => self.pointer_argument(leaf.of)?,
            (_, None) => {
                let width = self.program.width(leaf.of).expect("a leaf is a word");
                self.line.operand(self.u, width)?
            }
            (_, Some(bits)) => {
                // The bits around it stay what they are, assigned or not.
                let lo = (leaf.offset % u64::from(UNIT)) as u32;
                let value = self.line.operand(self.u, bits)?;
                let wide = self.line.push_with(self.u, Op::Zext(UNIT), Flags::default(), vec![value])?;
                let shifted = self.plain(Op::Shl, wide, Word::new(UNIT, lo.into()))?;
                let unit = self.loaded(pointer, UNIT)?;
                let others = !(((1u128 << bits) - 1) << lo);
                let kept = self.plain(Op::And, unit, Word::new(UNIT, others))?;
                self.line.push_with(self.u, Op::Or, Flags::default(), vec![kept, shifted])?
            }
        };
        self.instruction(None, Action::Store { pointer, value })
    }

    /// Reads or writes bytes regardless of what they are part of.
    fn raw(&mut self) -> Result<()> {
        let program = self.program;
        let plain = |pointee: &Pointee| !program.has_pointers(pointee.of);
        let Some((base, pointee)) = self.pointer_to(plain)? else { return Ok(()) };
        let size = program.size(pointee.of) * pointee.elements;
        let width = *self.u.choose(&[8, 8, 16, 32, 1, 24])?;
        let room = size.saturating_sub(u64::from(width / 8)).min(u64::from(u8::MAX));
        let by = self.masked(room + 1)?;
        let pointer = self.offset(base, by)?;
        if pointee.constant || self.u.arbitrary()? {
            let loaded = self.loaded(pointer, width)?;
            return self.take_up(loaded);
        }
        let value = self.line.operand(self.u, width)?;
        self.instruction(None, Action::Store { pointer, value })
    }

    /// A pointer to a later element.
    fn walk(&mut self) -> Result<()> {
        let Some((base, pointee)) = self.pointer_to(|pointee| pointee.elements > 1)? else { return Ok(()) };
        let size = self.program.size(pointee.of);
        let steps = self.u.int_in_range(0..=pointee.elements - 1)?;
        let left = Pointee { elements: pointee.elements - steps, heap: false, ..pointee };
        let action = Action::Offset { pointer: Operand::Register(base), by: distance(steps * size) };
        self.moved(action, left)?;
        Ok(())
    }

    /// Whether two pointers are equal, or, within one object, which is first and how far apart they are.
    fn compare(&mut self) -> Result<()> {
        let Some((one, pointee)) = self.pointer_to(|_| true)? else { return Ok(()) };
        let pointers = !one_in(self.u, 3)?;
        let (op, other) = if pointers {
            let op = *self.u.choose(&[Op::Sub, Op::Slt, Op::Sle, Op::Sgt, Op::Sge])?;
            let size = self.program.size(pointee.of);
            // At times into another object.
            let base =
                if one_in(self.u, 8)? { self.pointer_to(|_| true)?.map(|(other, _)| other) } else { None };
            let by = self.masked(size * pointee.elements + 1)?;
            (op, self.offset(base.unwrap_or(one), by)?)
        } else {
            let op = *self.u.choose(&[Op::Eq, Op::Ne])?;
            let Some((other, _)) = self.pointer_to(|_| true)? else { return Ok(()) };
            (op, Operand::Register(other))
        };
        let mut arguments = vec![Operand::Register(one), other];
        if self.u.arbitrary()? {
            arguments.swap(0, 1);
        }
        let result = if self.u.arbitrary()? && op != Op::Sub {
            let site = self.sites.comparison(self.u, op, pointers)?;
            let result = self.line.define(1);
            self.instruction(Some(result), Action::Site { site, arguments })?;
            Operand::Register(result)
        } else {
            self.line.push_with(self.u, op, Flags { pointers, ..Flags::default() }, arguments)?
        };
        self.take_up(result)
    }

    fn copy(&mut self) -> Result<()> {
        let Some((to, target)) = self.pointer_to(|pointee| !pointee.constant)? else { return Ok(()) };
        let Some((from, source)) = self.pointer_to(|pointee| pointee.of == target.of)? else { return Ok(()) };
        let size = self.program.size(target.of);
        let whole = size * target.elements.min(source.elements);
        if whole > 2 && !self.program.has_pointers(target.of) && one_in(self.u, 2)? {
            return self.shift(to, from, whole);
        }
        // A pointer is copied whole, or not at all.
        let length = match self.program.has_pointers(target.of) || self.u.arbitrary()? {
            true => distance(whole),
            false => self.masked(whole + 1)?,
        };
        let overlap = to == from || self.u.arbitrary()?;
        let (to, from) = (Operand::Register(to), Operand::Register(from));
        self.instruction(None, Action::Copy { to, from, length, overlap })
    }

    /// Copies a byte further, from an object to itself, or from what may be the same one. The two may touch.
    fn shift(&mut self, register: Register, other: Register, whole: u64) -> Result<()> {
        let to = self.offset(register, distance(1))?;
        let length = if self.u.arbitrary()? { distance(whole - 1) } else { self.masked(whole)? };
        let from = Operand::Register(if self.u.arbitrary()? { register } else { other });
        let overlap = !one_in(self.u, 3)?;
        self.instruction(None, Action::Copy { to, from, length, overlap })
    }

    fn overwrite(&mut self) -> Result<()> {
        let program = self.program;
        let writable = |pointee: &Pointee| !pointee.constant && !program.has_pointers(pointee.of);
        let Some((to, pointee)) = self.pointer_to(writable)? else { return Ok(()) };
        let whole = program.size(pointee.of) * pointee.elements;
        let length = if self.u.arbitrary()? { distance(whole) } else { self.masked(whole + 1)? };
        let width = *self.u.choose(&[8, 32])?;
        let byte = self.line.operand(self.u, width)?;
        self.instruction(None, Action::Fill { to: Operand::Register(to), byte, length })
    }

    fn allocate(&mut self) -> Result<()> {
        let like = self.pointer_to(|_| true)?.map(|(_, pointee)| pointee.of);
        let Some(of) = like else { return Ok(()) };
        let elements = 1 << self.u.int_in_range(0..=2)?;
        let size = self.size(of, elements);
        let pointee = Pointee { of, elements, constant: false, heap: true };
        let register = self.object(Action::Allocate { size }, pointee)?;
        if one_in(self.u, 3)? { self.extent(register) } else { Ok(()) }
    }

    fn extent(&mut self, register: Register) -> Result<()> {
        let result = self.line.define(64);
        self.instruction(Some(result), Action::Extent { pointer: Operand::Register(register) })?;
        self.take_up(Operand::Register(result))
    }

    fn alignment(&mut self) -> Result<()> {
        let Some((register, _)) = self.pointer_to(|_| true)? else { return Ok(()) };
        let result = self.line.define(64);
        self.instruction(Some(result), Action::Alignment { pointer: Operand::Register(register) })?;
        self.take_up(Operand::Register(result))
    }

    /// Frees what is on the heap, or null. Other pointers to it may be left, but this one is not used again.
    fn free(&mut self) -> Result<()> {
        let careless = one_in(self.u, 12)?;
        let heap = self.pointer_to(|pointee| careless || pointee.heap)?;
        let Some((register, pointee)) = heap else {
            return self.instruction(None, Action::Free { pointer: null() });
        };
        if one_in(self.u, 8)? {
            self.extent(register)?;
        }
        if !careless {
            self.line.pointees.insert(register, Pointee { elements: 0, heap: false, ..pointee });
        }
        self.instruction(None, Action::Free { pointer: Operand::Register(register) })
    }

    /// Calls a function without a body.
    fn outside(&mut self) -> Result<()> {
        let at = self.u.choose_index(self.program.externals.len())?;
        let external = self.program.externals[at].clone();
        let mut arguments = Vec::new();
        for of in &external.parameters {
            let text = matches!(self.program.of(*of), Type::Pointer(_));
            let operand = match self.program.width(*of) {
                // The text is the first global.
                _ if text => {
                    Operand::Constant(crate::memory::pointer(self.program.global_object(GlobalId(0))))
                }
                width => self.line.operand(self.u, width.expect("an argument is a word"))?,
            };
            arguments.push(Argument { operand, of: *of, text });
        }
        if external.variadic
            && let Some(of) = external.result
        {
            let width = self.program.width(of).expect("a result is a word");
            arguments.push(Argument { operand: self.line.operand(self.u, width)?, of, text: false });
        }
        let result = external.result.map(|of| self.program.width(of).expect("a result is a word"));
        let result = result.map(|width| self.line.define(width));
        self.instruction(result, Action::External { external: ExternalId(at as u32), arguments })?;
        result.map_or(Ok(()), |result| self.take_up(Operand::Register(result)))
    }

    fn choose_pointer(&mut self) -> Result<()> {
        let Some((one, first)) = self.pointer_to(|_| true)? else { return Ok(()) };
        let Some((other, second)) = self.pointer_to(|pointee| pointee.of == first.of)? else { return Ok(()) };
        let condition = self.line.condition(self.u)?;
        let pointee = Pointee {
            of: first.of,
            elements: first.elements.min(second.elements),
            constant: first.constant || second.constant,
            heap: false,
        };
        let arguments = vec![condition, Operand::Register(one), Operand::Register(other)];
        self.moved(Action::Apply { op: Op::Ite, flags: Flags::default(), arguments }, pointee)?;
        Ok(())
    }

    /// Calls one that the caller gave, or one of the functions that come later.
    fn call_pointer(&mut self) -> Result<()> {
        let given = self
            .line
            .pointers()
            .into_iter()
            .find(|(_, pointee)| matches!(self.program.of(pointee.of), Type::Function { .. }));
        if let Some((register, pointee)) = given {
            let Type::Function { parameters, result, .. } = self.program.of(pointee.of) else {
                return Ok(());
            };
            let widths: Vec<u32> = parameters.iter().filter_map(|of| self.program.width(*of)).collect();
            let result = result.and_then(|of| self.program.width(of));
            let arguments = self.operands(&widths)?;
            return self.call_to(Operand::Register(register), arguments, result);
        }
        let later = self.at + 1..self.program.functions.len();
        if later.is_empty() {
            return Ok(());
        }
        let callee = self.u.int_in_range(later.start..=later.end - 1)?;
        let arguments = self.call_arguments(callee)?;
        let pointer = crate::memory::pointer(self.program.function_object(FunctionId(callee as u32)));
        let Function { result, .. } = self.program.functions[callee];
        self.call_to(Operand::Constant(pointer), arguments, result)
    }

    /// What comes back counts as a number only if it is one.
    fn call_to(&mut self, pointer: Operand, arguments: Vec<Operand>, result: Option<u32>) -> Result<()> {
        let result = result.map(|width| self.line.define(width));
        let callee = match pointer {
            Operand::Constant(word) => {
                let first = self.program.function_object(FunctionId(0));
                Some((word.bits() >> 32) as u32 - first)
            }
            _ => None,
        };
        self.instruction(result, Action::CallPointer { pointer, arguments })?;
        let Some(result) = result else { return Ok(()) };
        let of = callee.and_then(|at| self.program.functions[at as usize].signature.result);
        if let Some(of) = of.filter(|of| matches!(self.program.of(*of), Type::Pointer(_))) {
            self.adopt(result, of);
            return Ok(());
        }
        self.take_up(Operand::Register(result))
    }

    /// One of the pointers that can be used here.
    fn pointer_to(&mut self, fits: impl Fn(&Pointee) -> bool) -> Result<Option<(Register, Pointee)>> {
        let fitting: Vec<(Register, Pointee)> = self
            .line
            .pointers()
            .into_iter()
            .filter(|(_, pointee)| pointee.elements > 0 && fits(pointee))
            .collect();
        if fitting.is_empty() { Ok(None) } else { self.u.choose(&fitting).map(|pointer| Some(*pointer)) }
    }

    /// A part of a type, of those that stand for it.
    fn leaf(&mut self, of: TypeId) -> Result<Leaf> {
        let mut leaf = Leaf { offset: 0, of, bits: None };
        while let Type::Record(record) = self.program.of(leaf.of) {
            let Field { of, offset, bits, .. } = self.u.choose(&record.fields)?;
            leaf = Leaf { offset: leaf.offset + offset, of: *of, bits: *bits };
        }
        Ok(leaf)
    }

    /// A pointer to a part of some element, mostly of one that exists.
    fn element(&mut self, base: Register, pointee: Pointee, leaf: Leaf) -> Result<Operand> {
        let size = self.program.size(pointee.of);
        // An object of the input may have more than the one that is sure to be there.
        let elements = if one_in(self.u, 12)? { 4 } else { pointee.elements };
        let index = self.masked(elements)?;
        let scaled = match index {
            Operand::Constant(index) => distance(index.bits() as u64 * size),
            index => self.plain(Op::Mul, index, Word::new(64, size.into()))?,
        };
        let start = leaf.offset / 8;
        let by = match scaled {
            Operand::Constant(scaled) => distance(scaled.bits() as u64 + start),
            scaled => self.plain(Op::Add, scaled, Word::new(64, start.into()))?,
        };
        self.offset(base, by)
    }

    /// A word of 64 bits below the limit: a constant, or a few bits of
    /// something; at times with no care taken.
    fn masked(&mut self, limit: u64) -> Result<Operand> {
        if limit <= 1 || self.u.arbitrary()? {
            return Ok(distance(self.u.int_in_range(0..=limit.saturating_sub(1))?));
        }
        let something = self.line.operand(self.u, 8)?;
        let most = (1u128 << limit.ilog2()) - 1;
        let careless = one_in(self.u, 40)?;
        let cut = if careless { something } else { self.plain(Op::And, something, Word::new(8, most))? };
        let op = if careless { Op::Sext(64) } else { Op::Zext(64) };
        self.line.push_with(self.u, op, Flags::default(), vec![cut])
    }

    /// A pointer that is used at once.
    fn offset(&mut self, base: Register, by: Operand) -> Result<Operand> {
        let pointer = Operand::Register(base);
        if by == distance(0) {
            return Ok(pointer);
        }
        let of = self.line.pointees[&base];
        let moved = self.moved(Action::Offset { pointer, by }, Pointee { elements: 0, heap: false, ..of })?;
        Ok(Operand::Register(moved))
    }

    /// A new object. Mostly it gets a value at once; where pointers are, that is null.
    fn object(&mut self, action: Action, pointee: Pointee) -> Result<Register> {
        let register = self.moved(action, pointee)?;
        if !one_in(self.u, 8)? {
            let to = Operand::Register(register);
            let has_pointers = self.program.has_pointers(pointee.of);
            let byte = if has_pointers { Word::zero(8) } else { word(self.u, 8)? };
            let length = self.size(pointee.of, pointee.elements);
            self.instruction(None, Action::Fill { to, byte: Operand::Constant(byte), length })?;
        }
        Ok(register)
    }

    /// An instruction that gives a pointer.
    fn moved(&mut self, action: Action, pointee: Pointee) -> Result<Register> {
        let register = self.line.define(64);
        self.line.pointees.insert(register, pointee);
        self.instruction(Some(register), action)?;
        Ok(register)
    }

    fn loaded(&mut self, pointer: Operand, width: u32) -> Result<Operand> {
        let result = self.line.define(width);
        self.instruction(Some(result), Action::Load { pointer, width, number: false })?;
        Ok(Operand::Register(result))
    }

    fn size(&self, of: TypeId, elements: u64) -> Operand {
        distance(self.program.size(of) * elements)
    }
}

fn distance(bytes: u64) -> Operand {
    Operand::Constant(Word::new(64, bytes.into()))
}

fn null() -> Operand {
    distance(0)
}
