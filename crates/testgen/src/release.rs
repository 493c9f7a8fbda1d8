//! Release: what a test has got from the heap is freed at its end, so that LeakSanitizer has nothing to say.
//!
//! Objects are freed from the inside out, each once, by the first pointer that leads to it. What
//! the unit keeps for itself in static variables is left alone. Where a mutant may have made
//! less memory than the original, all of it is touched first, so that AddressSanitizer notices.

use std::collections::BTreeSet;

use ir::{Fresh, Observation, Pointer, Program, Seen, Type, TypeId};

use crate::check::member;

pub(crate) struct Release<'a> {
    program: &'a Program,
    /// Blocks that the unit keeps.
    kept: BTreeSet<u32>,
    /// Blocks that are taken care of.
    done: BTreeSet<u32>,
    /// Blocks to whose start some pointer leads.
    starts: BTreeSet<u32>,
    /// Whether to touch what no check does.
    touches: bool,
    pub lines: Vec<String>,
}

impl<'a> Release<'a> {
    /// None if the unit may keep anything.
    pub(crate) fn new(program: &'a Program, observation: &Observation, touches: bool) -> Option<Release<'a>> {
        let mut starts = BTreeSet::new();
        let globals = observation.globals.iter().map(|(_, seen)| seen);
        let objects = observation.objects.iter().flatten();
        for seen in observation.result.iter().chain(objects).chain(globals) {
            each_fresh(seen, &mut |fresh| starts.extend((fresh.offset == 0).then_some(fresh.block)));
        }
        let mut kept = BTreeSet::new();
        for (_, seen) in &observation.hidden {
            if leads_elsewhere(seen) {
                return None;
            }
            each_fresh(seen, &mut |fresh| kept.extend([fresh.block]));
        }
        Some(Release { program, kept, done: BTreeSet::new(), starts, touches, lines: vec![] })
    }

    /// Frees all that a value leads to, given as an expression.
    pub(crate) fn value(&mut self, place: &str, of: TypeId, seen: &Seen) {
        match (self.program.of(of), seen) {
            (Type::Pointer(pointer), Seen::Fresh(fresh)) => self.object(place, pointer, fresh),
            (Type::Array { of, .. }, Seen::Aggregate(parts)) => self.elements(place, *of, parts),
            (Type::Record(record), Seen::Aggregate(parts)) => {
                for (field, part) in self.program.parts(record).into_iter().zip(parts) {
                    self.value(&member(place, field), field.of, part);
                }
            }
            _ => {}
        }
    }

    pub(crate) fn elements(&mut self, place: &str, of: TypeId, elements: &[Seen]) {
        for (at, element) in elements.iter().enumerate() {
            self.value(&format!("{place}[{at}]"), of, element);
        }
    }

    fn object(&mut self, place: &str, pointer: &Pointer, fresh: &Fresh) {
        let reached_at_start = self.starts.contains(&fresh.block);
        if (fresh.offset > 0 && reached_at_start) || !self.done.insert(fresh.block) {
            return;
        }
        match fresh.elements.as_slice() {
            [element] => self.value(&format!("(*{place})"), pointer.to, element),
            elements => self.elements(place, pointer.to, elements),
        }
        // An expression of its own needs no parentheses.
        let bare = place.strip_prefix("(*").and_then(|rest| rest.strip_suffix(')'));
        let bare = bare.map_or(place.to_string(), |rest| format!("*{rest}"));
        let plain = if pointer.constant { format!("(void *){bare}") } else { bare };
        let (size, is_kept) = (fresh.size, self.kept.contains(&fresh.block));
        if self.touches && !self.is_touched(pointer, fresh) {
            // What is kept stays as it is.
            self.lines.push(match is_kept {
                true => format!("memmove({plain}, {plain}, {size});"),
                false => format!("memset({plain}, 0, {size});"),
            });
        }
        if is_kept {
            return;
        }
        self.lines.push(match fresh.offset {
            0 => format!("free({plain});"),
            offset => format!("free((char *){place} - {offset});"),
        });
    }

    /// Whether the checks look at the last byte of an object.
    fn is_touched(&self, pointer: &Pointer, fresh: &Fresh) -> bool {
        let whole = self.program.size(pointer.to) * fresh.elements.len() as u64;
        let last = fresh.elements.last();
        whole == fresh.size && last.is_none_or(|last| self.is_checked_to_its_end(pointer.to, last))
    }

    fn is_checked_to_its_end(&self, of: TypeId, seen: &Seen) -> bool {
        match (self.program.of(of), seen) {
            (_, Seen::Undefined | Seen::Elsewhere) => false,
            (Type::Array { of, .. }, Seen::Aggregate(parts)) => {
                parts.last().is_some_and(|last| self.is_checked_to_its_end(*of, last))
            }
            (Type::Record(record), Seen::Aggregate(parts)) => {
                let fields = self.program.parts(record);
                let last =
                    fields.into_iter().zip(parts).next_back().filter(|(field, _)| field.bits.is_none());
                last.is_some_and(|(field, part)| {
                    field.offset / 8 + self.program.size(field.of) == record.size
                        && self.is_checked_to_its_end(field.of, part)
                })
            }
            (Type::Integer(_) | Type::Float(_) | Type::Pointer(_), _) => true,
            _ => false,
        }
    }
}

fn each_fresh(seen: &Seen, visit: &mut impl FnMut(&Fresh)) {
    match seen {
        Seen::Fresh(fresh) => {
            visit(fresh);
            fresh.elements.iter().for_each(|part| each_fresh(part, visit));
        }
        Seen::Aggregate(parts) => parts.iter().for_each(|part| each_fresh(part, visit)),
        _ => {}
    }
}

fn leads_elsewhere(seen: &Seen) -> bool {
    match seen {
        Seen::Elsewhere => true,
        Seen::Fresh(Fresh { elements: parts, .. }) | Seen::Aggregate(parts) => {
            parts.iter().any(leads_elsewhere)
        }
        _ => false,
    }
}
