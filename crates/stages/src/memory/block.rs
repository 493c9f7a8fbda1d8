//! Operations on blocks of bytes whose length the input may decide: copy and fill.
//!
//! Units of up to eight bytes are moved at once if all places and lengths are multiples of that. Each unit
//! is written under the condition that the length reaches it.

use bv::Term;
use ir::rules;
use ir::step::Value;

use super::access::{Target, Touch};
use super::place::PLACES;
use super::{Access, Possible, SplitPointer, SymbolicMemory, Trouble, choose, number};

/// A copy of so many bytes.
#[derive(Clone, Copy)]
pub(crate) struct Copying {
    pub(crate) to: Term,
    pub(crate) from: Term,
    /// In 64 bits.
    pub(crate) length: Term,
    /// Source and target may overlap.
    pub(crate) overlap: bool,
}

impl SymbolicMemory {
    pub(crate) fn copy(&mut self, access: &mut Access, copying: Copying) -> Result<(), Trouble> {
        let Copying { to, from, length, overlap } = copying;
        let (to, from) = (access.split(to), access.split(from));
        let length = rules::length(access.terms, &length);
        let some = Some(rules::touches(access.terms, &length));
        let targets = self.targets(access, to.object, some)?;
        let sources = self.targets(access, from.object, some)?;
        if !overlap {
            rules::apart(access.terms, &to, &from, &length, &mut access.faults);
        }
        let unit = access.unit(&[to.offset, from.offset, length]);
        let most = self.most(access, [&targets, &sources], length)?;
        // Everything is read before anything is written, as in `memmove`.
        let before = self.clone();
        for source in &sources {
            let read = Touch { offset: from.offset, length, how: rules::Access::Read, happens: some };
            self.reach(access, source, read);
        }
        for target in &targets {
            let write = Touch { offset: to.offset, length, how: rules::Access::Write, happens: some };
            if self.reach(access, target, write).is_none() {
                continue;
            }
            for at in (0..most).step_by(unit as usize) {
                let unit = unit.min(most - at);
                let inside = access.terms.ult(number(at), length);
                if access.terms.is_never(inside) {
                    break;
                }
                let source = access.plus(from.offset, at);
                let Some(value) = before.unit(access, &sources, source, unit)? else { continue };
                let offset = access.plus(to.offset, at);
                let condition = access.both(target.condition, Some(inside));
                let object = self.get_mut(target.number).expect("it was reached");
                access.write(object, offset, value, condition)?;
            }
        }
        Ok(())
    }

    /// The bytes at an offset, of whichever source it is.
    fn unit(
        &self,
        access: &mut Access,
        sources: &[Target],
        offset: Term,
        bytes: u32,
    ) -> Result<Option<Value<Term>>, Trouble> {
        let mut found: Option<Value<Term>> = None;
        for source in sources {
            let Some(object) = self.get(source.number) else { continue };
            let Some(value) = access.read(object, offset, bytes)? else { continue };
            found = Some(match (found, source.condition) {
                (Some(found), Some(condition)) => choose(access.terms, condition, value, found),
                _ => value,
            });
        }
        Ok(found)
    }

    /// Writes the same byte so many times; the length has 64 bits.
    pub(crate) fn fill(
        &mut self,
        access: &mut Access,
        to: Term,
        byte: Value<Term>,
        length: Term,
    ) -> Result<(), Trouble> {
        let SplitPointer { object, offset: start } = access.split(to);
        let length = rules::length(access.terms, &length);
        let some = Some(rules::touches(access.terms, &length));
        let targets = self.targets(access, object, some)?;
        let most = self.most(access, [&targets, &targets], length)?;
        for target in &targets {
            let write = Touch { offset: start, length, how: rules::Access::Write, happens: some };
            if self.reach(access, target, write).is_none() {
                continue;
            }
            for at in 0..most {
                let inside = access.terms.ult(number(at), length);
                if access.terms.is_never(inside) {
                    break;
                }
                let offset = access.plus(start, at);
                let condition = access.both(target.condition, Some(inside));
                let object = self.get_mut(target.number).expect("it was reached");
                access.write(object, offset, byte, condition)?;
            }
        }
        Ok(())
    }

    /// The most bytes that an operation of this length can touch in all these objects.
    fn most(&self, access: &mut Access, touched: [&[Target]; 2], length: Term) -> Result<u32, Trouble> {
        let capacity = |targets: &[Target]| {
            let objects = targets.iter().filter_map(|target| self.get(target.number));
            objects.map(|object| object.capacity).max().unwrap_or(0)
        };
        let room = touched.map(capacity).into_iter().min().unwrap_or(0);
        let most = match access.possible.of(access.terms, length) {
            // A length beyond the room is out of bounds, and nothing is copied then.
            Possible::Few(lengths) => {
                let fitting = lengths.into_iter().filter(|length| *length <= u64::from(room)).max();
                fitting.unwrap_or(0) as u32
            }
            Possible::Steps { .. } => room,
        };
        if most > PLACES as u32 { Err(Trouble::TooLarge) } else { Ok(most) }
    }
}
