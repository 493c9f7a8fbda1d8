//! Making inputs shorter, on the machine.
//!
//! A search with buffers of thousands of elements finds long inputs first. They are slow to look at, and hard
//! to read. So whatever is kept is cut before: halves of buffers are taken out, then quarters and eighths, as
//! long as the run still shows what it was kept for. A batch tries many cuts of one kind at once.
//!
//! Values stay as they are. Whoever chooses the tests makes these plain.

use std::ops::Range;

use ir::{Datum, Input, Object, Sighting};

use crate::hunt::vary::{follow, keep_inside};

/// Shorter inputs are as good as any.
const SHORT: usize = 24;

/// So many batches are tried for one input.
const ROUNDS: usize = 24;

/// A buffer is cut into so many parts, one of which is taken out.
const PARTS: [usize; 4] = [2, 4, 8, 16];

/// Shorter inputs that are tried at once have about this length together.
const AT_ONCE: usize = 1 << 17;

/// An input that still shows what is wanted, and is no longer. `run` tells what each of some inputs shows;
/// none if nobody can tell.
pub(super) fn reduce(
    input: &Input,
    mut run: impl FnMut(&[Input]) -> Option<Vec<Sighting>>,
    is_wanted: impl Fn(&Sighting) -> bool,
) -> Input {
    let mut best = input.clone();
    let mut parts = PARTS.into_iter().peekable();
    for _ in 0..ROUNDS {
        let Some(count) = parts.peek().filter(|_| length(&best) > SHORT) else { break };
        let mut cuts = cuts(&best, *count);
        cuts.sort_by_key(Cut::rest);
        let at_once = (AT_ONCE / length(&best)).max(1);
        let mut shorter = None;
        for some in cuts.chunks(at_once) {
            let candidates: Vec<Input> = some.iter().flat_map(|cut| cut.of(&best)).collect();
            let Some(sightings) = run(&candidates) else { return best };
            let shown = candidates.into_iter().zip(sightings).find(|(_, sighting)| is_wanted(sighting));
            shorter = shown.map(|(shorter, _)| shorter);
            if shorter.is_some() {
                break;
            }
        }
        match shorter {
            Some(shorter) => best = shorter,
            None => _ = parts.next(),
        }
    }
    best
}

/// How many values the buffers of an input hold.
pub(super) fn length(input: &Input) -> usize {
    fn values(datum: &Datum) -> usize {
        match datum {
            Datum::Aggregate(parts) => parts.iter().map(values).sum(),
            _ => 1,
        }
    }
    // All elements of an object are alike.
    let of = |object: &Object| object.elements.len() * object.elements.first().map_or(0, values);
    input.objects.iter().map(of).sum()
}

/// A part that is taken out of some buffers, which are equally long.
struct Cut {
    objects: Vec<usize>,
    length: usize,
    part: Range<usize>,
    /// How many elements are left in all buffers of the input.
    rest: usize,
}

impl Cut {
    fn rest(&self) -> usize {
        self.rest
    }

    /// The shorter inputs: with numbers that follow the length, if there are any, and without.
    fn of(&self, input: &Input) -> impl Iterator<Item = Input> {
        let mut cut = input.clone();
        for object in &self.objects {
            cut.objects[*object].elements.drain(self.part.clone());
            keep_inside(&mut cut, *object);
        }
        let mut followed = cut.clone();
        let follows = follow(&mut followed, self.length, self.length - self.part.len());
        follows.then_some(followed).into_iter().chain([cut])
    }
}

/// The cuts that take one of so many parts out of a buffer, or out of all buffers that are as long.
fn cuts(input: &Input, parts: usize) -> Vec<Cut> {
    let mut cuts = Vec::new();
    let all: usize = input.objects.iter().map(|object| object.elements.len()).sum();
    for (at, object) in input.objects.iter().enumerate() {
        let length = object.elements.len();
        let is_alike = |other: &usize| input.objects[*other].elements.len() == length;
        let alike: Vec<usize> = (0..input.objects.len()).filter(is_alike).collect();
        let alone = (alike.len() > 1).then(|| vec![at]);
        let is_first = alike[0] == at;
        for objects in alone.into_iter().chain(is_first.then_some(alike)) {
            for part in (0..parts).rev().filter(|_| length >= 2 * parts) {
                let part = part * length / parts..(part + 1) * length / parts;
                let rest = all - part.len() * objects.len();
                cuts.push(Cut { objects: objects.clone(), length, part, rest });
            }
        }
    }
    cuts
}

#[cfg(test)]
mod tests {
    use bv::Word;
    use ir::TypeId;

    use super::*;

    /// Bytes, and a number that says how many there are.
    fn input(bytes: usize, number: i128) -> Input {
        let byte = |at: usize| Datum::Word(Word::new(8, at as u128));
        let object = Object { of: TypeId(0), elements: (0..bytes).map(byte).collect(), constant: true };
        Input {
            arguments: vec![
                Datum::Pointer { object: 0, element: 0 },
                Datum::Word(Word::from_signed(32, number)),
            ],
            objects: vec![object],
            ..Input::default()
        }
    }

    fn contains(input: &Input, byte: u128) -> bool {
        input.objects[0].elements.contains(&Datum::Word(Word::new(8, byte)))
    }

    #[test]
    fn what_is_wanted_stays_and_the_rest_goes() {
        let run = |inputs: &[Input]| {
            let sighting = |input: &Input| Sighting { returned: contains(input, 77), ..Sighting::default() };
            Some(inputs.iter().map(sighting).collect())
        };
        let reduced = reduce(&input(200, 200), run, |sighting| sighting.returned);
        assert!(length(&reduced) <= SHORT && contains(&reduced, 77), "{reduced:?}");
        let says = reduced.arguments[1].word().map(Word::signed);
        assert_eq!(says, Some(length(&reduced) as i128), "a number that says how long it is follows");
    }

    #[test]
    fn what_cannot_be_cut_stays_as_it_is() {
        let nothing = |inputs: &[Input]| Some(vec![Sighting::default(); inputs.len()]);
        assert_eq!(reduce(&input(200, 3), nothing, |sighting| sighting.returned), input(200, 3));
    }
}
