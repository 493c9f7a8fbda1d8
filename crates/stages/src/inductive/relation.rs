//! Two functions that are not the same, or a mutant whose variables go their own way: what they have to do with each other is found
//! out.
//!
//! The loops of both are paired, first with first. At a pair of heads, both are in states of their own, with the same memory; what
//! relates their numbers and pointers is filtered from many equations, as the invariants are. If what is left keeps itself up, and suffices
//! for both to return the same, they are equal.

use std::collections::{BTreeMap, BTreeSet};

use bv::{Domain, Op, Term, Terms, Word};
use ir::step::{OBJECT, OFFSET};
use ir::{Action, BlockId, End, Function, FunctionId, Mutant, Operand, Program, Register};

use super::invariants::{Candidate, Kept, orders, within_objects};
use super::shape::Shape;
use super::{Head, Induction, Lead};
use crate::encode::{Segment, Stop};

/// An equation between the states of both.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Relation {
    mutant: Side,
    original: Side,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Side {
    Number(Register),
    /// The offset of a pointer.
    Offset(Register),
    Plus(Register, i8),
    Difference(Register, Register),
    /// The low 32 bits of a number, times the size of an element.
    Scaled(Register, u32),
    /// A pointer, so many elements of this size further on.
    Moved(Register, Register, u32),
    Extended {
        register: Register,
        to: u32,
        signed: bool,
    },
}

/// More registers than this are not related to each other.
const REGISTERS: usize = 10;

/// More pointers than this are not compared with each other, and places that are so far from them.
const PLACES: usize = 6;

/// How many counterexamples are looked at before a relation is given up.
const ROUNDS: usize = 300;

impl Side {
    fn word(self, terms: &mut Terms, stop: &Stop) -> Option<Term> {
        let word = |register: Register| stop.values[register.0 as usize].map(|value| value.word);
        match self {
            Side::Number(register) => word(register),
            Side::Offset(register) => word(register).map(|word| terms.apply(OFFSET, &[word])),
            Side::Plus(register, number) => {
                let word = word(register)?;
                let number = terms.constant(Word::from_signed(terms.width(&word), number.into()));
                Some(terms.add(word, number))
            }
            Side::Difference(one, other) => {
                let (one, other) = (word(one)?, word(other)?);
                if terms.width(&one) != terms.width(&other) {
                    return None;
                }
                Some(terms.sub(one, other))
            }
            Side::Scaled(register, size) => {
                let word = word(register).filter(|word| terms.width(word) >= 32)?;
                let low = if terms.width(&word) > 32 { terms.apply(OFFSET, &[word]) } else { word };
                let size = terms.constant(Word::new(32, size.into()));
                Some(terms.mul(low, size))
            }
            Side::Moved(pointer, number, size) => {
                let pointer = word(pointer).filter(|word| terms.width(word) == 64)?;
                let by = Side::Scaled(number, size).word(terms, stop)?;
                let (object, offset) = (terms.apply(OBJECT, &[pointer]), terms.apply(OFFSET, &[pointer]));
                let moved = terms.add(offset, by);
                Some(terms.concat(object, moved))
            }
            Side::Extended { register, to, signed } => {
                let word = word(register).filter(|word| terms.width(word) <= to)?;
                Some(terms.apply(if signed { Op::Sext(to) } else { Op::Zext(to) }, &[word]))
            }
        }
    }
}

impl Side {
    /// In the user's words, with this behind each name.
    fn in_words(self, function: &Function, prime: &str) -> Option<String> {
        let name = |register: Register| name(function, register).map(|name| format!("{name}{prime}"));
        Some(match self {
            Side::Number(register) | Side::Extended { register, .. } | Side::Offset(register) => {
                name(register)?
            }
            Side::Plus(register, number) if number < 0 => format!("{} - {}", name(register)?, -number),
            Side::Plus(register, number) => format!("{} + {number}", name(register)?),
            Side::Difference(one, other) => format!("{} - {}", name(one)?, name(other)?),
            // C counts in elements.
            Side::Moved(pointer, number, _) => format!("{} + {}", name(pointer)?, name(number)?),
            Side::Scaled(register, _) => name(register)?,
        })
    }
}

impl Relation {
    fn in_words(&self, original: &Function, mutant: &Function) -> Option<String> {
        let (left, right) = (self.mutant.in_words(mutant, "'")?, self.original.in_words(original, "")?);
        let is_place = |side: Side| matches!(side, Side::Scaled(..));
        match (is_place(self.mutant), is_place(self.original)) {
            (false, false) => Some(format!("{left} == {right}")),
            (_, _) => Some(format!("{left} is where {right} is")),
        }
    }

    fn holds(&self, terms: &mut Terms, original: &Stop, mutant: &Stop) -> Term {
        match (self.mutant.word(terms, mutant), self.original.word(terms, original)) {
            (Some(one), Some(other)) if terms.width(&one) == terms.width(&other) => terms.equal(one, other),
            _ => terms.truth(false),
        }
    }
}

/// A pair of heads.
#[derive(Clone)]
pub struct Pair {
    pub original: BlockId,
    mutant: BlockId,
    shape: Shape,
    /// The registers of the mutant that are live there.
    live: Vec<Register>,
    /// Any state of the mutant there; memory aside, which is the original's.
    pub any: Stop,
    relations: Vec<Relation>,
    /// What holds of the mutant alone.
    own: Vec<Candidate>,
}

impl Pair {
    /// Takes nothing for granted.
    pub(super) fn forget(&mut self) {
        self.relations.clear();
        self.own.clear();
    }

    /// The relations in two states, and then what holds of the mutant alone.
    fn facts(&self, terms: &mut Terms, original: &Stop, mutant: &Stop) -> Vec<Term> {
        let mut facts: Vec<Term> =
            self.relations.iter().map(|it| it.holds(terms, original, mutant)).collect();
        facts.extend(self.own.iter().map(|it| it.holds(terms, mutant)));
        facts
    }
}

/// What both do from one pair of heads on.
pub struct Both {
    near: Segment,
    far: Segment,
    theirs: Segment,
    further: Segment,
}

impl Induction<'_> {
    /// Whether a function does what the original does under a mutant, in whatever way; the queries that say so.
    pub(super) fn related(&mut self, mutant: Mutant, function: FunctionId) -> Option<(Vec<Term>, String)> {
        let pairs = self.pairs(mutant, function)?;
        [Lead::None, Lead::Original, Lead::Mutant]
            .into_iter()
            .find_map(|lead| self.keeps_up(mutant, function, &mut pairs.clone(), lead))
    }

    /// The heads of both, paired, with all equations between what is live there.
    pub(super) fn pairs(&mut self, mutant: Mutant, function: FunctionId) -> Option<Vec<Pair>> {
        let entry = self.segment(function, mutant, None, false);
        if entry.is_torn {
            return None;
        }
        let first = entry.stops;
        let heads = self.shapes(function, mutant, &first)?;
        let (ours, theirs): (Vec<BlockId>, Vec<BlockId>) =
            (self.heads.keys().copied().collect(), heads.keys().copied().collect());
        if ours.len() != theirs.len() {
            return None;
        }
        let pair = |(original, other): (&BlockId, &BlockId)| {
            let relations = self.relations(*original, &heads[other]);
            let mut any = heads[other].any.clone();
            any.state = self.heads[original].any.state.clone();
            let (shape, live) = (heads[other].shape.clone(), self.plan.live(function, *other));
            let mut own = within_objects(&shape);
            own.extend(orders(&self.terms, &shape, first.get(other)));
            Pair { original: *original, mutant: *other, shape, live, any, relations, own }
        };
        Some(ours.iter().zip(&theirs).map(pair).collect())
    }

    /// Filters the relations until they keep themselves up, and asks whether they suffice.
    fn keeps_up(
        &mut self,
        mutant: Mutant,
        function: FunctionId,
        pairs: &mut [Pair],
        lead: Lead,
    ) -> Option<(Vec<Term>, String)> {
        let starts: Vec<Option<usize>> = std::iter::once(None).chain((0..pairs.len()).map(Some)).collect();
        let both: Vec<Both> =
            starts.iter().map(|start| self.both(mutant, function, start.map(|at| &pairs[at]))).collect();
        // How they begin depends on no relation.
        let entry = self.parts(None, &both[0], pairs, lead);
        if self.check(entry)?.is_some() {
            return None;
        }
        // By start and pair.
        let ways: Vec<(usize, usize)> =
            (0..starts.len()).flat_map(|start| (0..pairs.len()).map(move |pair| (start, pair))).collect();
        let mut waiting: BTreeSet<(usize, usize)> = ways.iter().copied().collect();
        let mut kept: BTreeMap<(usize, usize), Vec<Term>> = BTreeMap::new();
        let (mut rounds, mut began) = (0, false);
        while let Some(way) = waiting.first().copied() {
            let (start, pair) = way;
            if start > 0 && !began {
                began = true;
                // All relations that hold at first hold here, and only fewer will: if they do not suffice, no others do.
                for (start, both) in starts.iter().zip(&both).skip(1) {
                    let query = self.parts(*start, both, pairs, lead);
                    if self.check(query).is_some_and(|model| model.is_some()) {
                        return None;
                    }
                }
            }
            match self.related_still(starts[start], &both[start], pairs, pair, lead)? {
                Kept::All(queries) => {
                    waiting.remove(&way);
                    kept.insert(way, queries);
                }
                Kept::Some(_) if rounds == ROUNDS => return None,
                Kept::Some(holds) => {
                    rounds += 1;
                    let mut holds = holds.into_iter();
                    pairs[pair].relations.retain(|_| holds.next().unwrap_or(false));
                    pairs[pair].own.retain(|_| holds.next().unwrap_or(false));
                    // Less is known there now, which is where these begin.
                    waiting.extend(ways.iter().filter(|(start, _)| *start == pair + 1));
                }
            }
        }
        let mut refuted: Vec<Term> = kept.into_values().flatten().chain([entry]).collect();
        for (start, both) in starts.iter().zip(&both).skip(1) {
            let query = self.parts(*start, both, pairs, lead);
            if self.check(query)?.is_some() {
                return None;
            }
            refuted.push(query);
        }
        let (ours, theirs) =
            (self.task.program.function(self.task.subject), self.task.program.function(function));
        let all = pairs.iter().flat_map(|pair| &pair.relations);
        let words = all.filter_map(|relation| relation.in_words(ours, theirs)).collect();
        Some((refuted, listed(words)))
    }

    pub(super) fn both(&mut self, mutant: Mutant, function: FunctionId, pair: Option<&Pair>) -> Both {
        let subject = self.task.subject;
        let ours = pair.map(|pair| (pair.original, self.heads[&pair.original].any.clone()));
        let ours = ours.as_ref().map(|(block, any)| (*block, any));
        let theirs = pair.map(|pair| (pair.mutant, &pair.any));
        Both {
            near: self.segment(subject, Mutant::ORIGINAL, ours, false),
            far: self.segment(subject, Mutant::ORIGINAL, ours, true),
            theirs: self.segment(function, mutant, theirs, false),
            further: self.segment(function, mutant, theirs, true),
        }
    }

    /// The original can be in its state, breaks no rule, and the mutant is related to it.
    pub(super) fn clean_pair(&mut self, start: Option<usize>, both: &Both, pairs: &[Pair]) -> Term {
        let clean = self.clean(start.map(|at| pairs[at].original));
        let fine = self.terms.not(both.far.encoding.fault);
        let mut facts = vec![clean, fine];
        if let Some(pair) = start.map(|at| &pairs[at]) {
            let any = self.heads[&pair.original].any.clone();
            facts.extend(pair.facts(&mut self.terms, &any, &pair.any));
        }
        self.terms.all(facts)
    }

    /// What of both is to meet.
    pub(super) fn meeting(start: Option<usize>, both: &Both, lead: Lead) -> (&Segment, &Segment) {
        match if start.is_none() { lead } else { Lead::None } {
            Lead::None => (&both.near, &both.theirs),
            Lead::Original => (&both.far, &both.theirs),
            Lead::Mutant => (&both.near, &both.further),
        }
    }

    /// Both come to a pair of heads, with the same memory.
    pub(super) fn meets(
        &mut self,
        one: &Segment,
        other: &Segment,
        pair: &Pair,
    ) -> Option<(Term, Stop, Stop)> {
        let (ours, theirs) = (one.stops.get(&pair.original)?, other.stops.get(&pair.mutant)?);
        let memory = super::shape::memory_differs(&mut self.terms, &ours.state, &theirs.state);
        let same = self.terms.not(memory);
        let met = self.terms.all([ours.guard, theirs.guard, same]);
        let met = self.well(met, one, other);
        Some((met, ours.clone(), theirs.clone()))
    }

    /// Which relations at a pair of heads hold if both come there. None if the solver gives up.
    fn related_still(
        &mut self,
        start: Option<usize>,
        both: &Both,
        pairs: &[Pair],
        pair: usize,
        lead: Lead,
    ) -> Option<Kept> {
        let clean = self.clean_pair(start, both, pairs);
        let (one, other) = Self::meeting(start, both, lead);
        let pair = &pairs[pair];
        let Some((met, ours, theirs)) = self.meets(one, other, pair) else { return Some(Kept::All(vec![])) };
        let facts = pair.facts(&mut self.terms, &ours, &theirs);
        let premise = self.terms.and(clean, met);
        self.keep(premise, &facts)
    }

    /// That they are related at the start, and part.
    fn parts(&mut self, start: Option<usize>, both: &Both, pairs: &[Pair], lead: Lead) -> Term {
        let good = self.good(start, both, pairs, lead);
        let bad = self.terms.not(good);
        let clean = self.clean_pair(start, both, pairs);
        self.terms.and(clean, bad)
    }

    /// Both meet again, in states of the shape that was looked at; or both return the same.
    pub(super) fn good(&mut self, start: Option<usize>, both: &Both, pairs: &[Pair], lead: Lead) -> Term {
        let Both { near, far, theirs, further } = both;
        let mut good = vec![
            self.ends(near, theirs),
            self.ends(near, further),
            self.ends(far, theirs),
            self.ends(far, further),
        ];
        let (one, other) = Self::meeting(start, both, lead);
        for pair in pairs {
            if let Some((met, _, stop)) = self.meets(one, other, pair)
                && pair.shape.covers(&Shape::of(&mut self.terms, &pair.live, &stop))
            {
                good.push(met);
            }
        }
        self.terms.any(good)
    }

    /// All equations between what is live at two heads.
    fn relations(&self, original: BlockId, mutant: &Head) -> Vec<Relation> {
        let shape = &self.heads[&original].shape;
        let numbers: Vec<(Register, u32)> = shape.numbers().take(REGISTERS).collect();
        let pointers: Vec<(Register, u32)> = shape.pointers().take(REGISTERS).collect();
        let mut relations = Vec::new();
        let mut add = |mutant: Side, original: Side| relations.push(Relation { mutant, original });
        let own_numbers: Vec<(Register, u32)> = mutant.shape.numbers().take(REGISTERS).collect();
        for (own, width) in own_numbers.iter().copied() {
            let left = Side::Number(own);
            for (at, (number, other_width)) in numbers.iter().enumerate() {
                if *other_width == width {
                    add(left, Side::Number(*number));
                    add(left, Side::Plus(*number, 1));
                    add(left, Side::Plus(*number, -1));
                    for (other, third_width) in numbers.iter().skip(at + 1) {
                        if *third_width == width {
                            add(left, Side::Difference(*number, *other));
                            add(left, Side::Difference(*other, *number));
                        }
                    }
                    for (other, _) in own_numbers.iter().filter(|(other, it)| *other != own && *it == width) {
                        add(Side::Difference(own, *other), Side::Number(*number));
                    }
                } else if *other_width < width {
                    for signed in [true, false] {
                        add(left, Side::Extended { register: *number, to: width, signed });
                    }
                } else {
                    for signed in [true, false] {
                        add(
                            Side::Extended { register: own, to: *other_width, signed },
                            Side::Number(*number),
                        );
                    }
                }
            }
            for (pointer, _) in &pointers {
                if width >= 32 {
                    for size in [1, 2, 4, 8] {
                        add(Side::Scaled(own, size), Side::Offset(*pointer));
                    }
                }
            }
        }
        let places: Vec<(Register, u32)> = shape.places().take(PLACES).collect();
        let own_places: Vec<(Register, u32)> = mutant.shape.places().take(PLACES).collect();
        let is_index = |(number, width): &(Register, u32)| (*width >= 32).then_some(*number);
        for (own, own_unit) in &own_places {
            for (place, unit) in &places {
                add(Side::Number(*own), Side::Number(*place));
                for number in numbers.iter().filter_map(is_index) {
                    add(Side::Number(*own), Side::Moved(*place, number, *own_unit));
                }
                for number in mutant.shape.numbers().take(REGISTERS).filter_map(|it| is_index(&it)) {
                    add(Side::Moved(*own, number, *unit), Side::Number(*place));
                }
            }
        }
        for (own, _) in mutant.shape.pointers().take(REGISTERS) {
            for (number, width) in &numbers {
                if *width >= 32 {
                    for size in [1, 2, 4, 8] {
                        add(Side::Offset(own), Side::Scaled(*number, size));
                    }
                }
            }
        }
        relations
    }
}

/// What the user calls a register.
pub fn name(function: &Function, register: Register) -> Option<String> {
    let parameter = function.signature.parameters.get(register.0 as usize).filter(|_| {
        (register.0 as usize) < function.arity && function.signature.parameters.len() == function.arity
    });
    let parameter = parameter.map(|parameter| parameter.name.clone());
    function.names.0.get(&register).cloned().or(parameter).filter(|name| !name.is_empty())
}

/// More equations than this are more than anybody reads.
const SHOWN: usize = 8;

/// The equations as one.
pub fn listed(mut words: Vec<String>) -> String {
    let mut seen = std::collections::BTreeSet::new();
    words.retain(|word| seen.insert(word.clone()));
    let more = words.len().saturating_sub(SHOWN);
    words.truncate(SHOWN);
    match (words.is_empty(), more) {
        (true, _) => "the loops keep step".to_string(),
        (false, 0) => words.join(" && "),
        (false, more) => format!("{} && {more} more", words.join(" && ")),
    }
}

/// The function that is called in place of another under a mutant, with all that that one is given, if there is one: the first block asks
/// a site for a number and switches by it, and the mutant's own number leads to nothing but the call.
pub fn stand_in(program: &Program, subject: FunctionId, mutant: Mutant) -> Option<FunctionId> {
    let function = program.function(subject);
    let entry = function.blocks.first()?;
    let End::Switch { value: Operand::Register(chosen), cases, .. } = &entry.end else { return None };
    let asked = entry.instructions.iter().find(|instruction| instruction.result == Some(*chosen))?;
    let Action::Site { site, .. } = asked.action else { return None };
    let (_, arm) = program.site(site).variants.iter().find(|(variant, _)| *variant == mutant)?;
    let Operand::Constant(answer) = arm.result else { return None };
    let is_silent = arm.instructions.is_empty()
        && entry.instructions.iter().all(|it| it == asked || matches!(it.action, Action::Local { .. }));
    let (_, edge) = cases.iter().find(|(case, _)| *case == answer)?;
    let block = function.block(edge.to);
    let [call] = block.instructions.as_slice() else { return None };
    let Action::Call { function: other, arguments } = &call.action else { return None };
    let returned = match &block.end {
        End::Return(None) => true,
        End::Return(Some(Operand::Register(register))) => Some(*register) == call.result,
        _ => false,
    };
    (returned && is_silent && hands_on(function, arguments)).then_some(*other)
}

/// Whether these are the parameters of a function, in their order.
fn hands_on(function: &Function, arguments: &[Operand]) -> bool {
    let parameters = (0..function.arity as u32).map(|at| Operand::Register(Register(at)));
    arguments.iter().copied().eq(parameters)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether mutant 5 of a function with this first block is seen as a call of another function.
    fn check(entry: &str, expect: bool) {
        let text = format!(
            r#"function @f(%0 x: s32 "int") -> s32 "int" {{
block0:
{entry}
block1:
    %2:i32 = call @g(%0)
    return %2
block2:
    return %0
}}

function @g(%0 x: s32 "int") -> s32 "int" {{
block0:
    return 7:i32
}}

site 0() -> i32 {{
original:
    return 0:i32
mutant 5:
    return 5:i32
}}

site 1(%0:i32) -> i32 {{
original:
    return %0
mutant 6:
    return 6:i32
}}
"#
        );
        let program = ir::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let found = stand_in(&program, FunctionId(0), Mutant(5));
        assert_eq!(found, expect.then_some(FunctionId(1)), "{text}");
    }

    #[test]
    fn a_function_stands_in_where_the_site_alone_leads_to_it() {
        check("    %1:i32 = site 0()\n    switch %1 { 5:i32 => block1, default => block2 }", true);
    }

    #[test]
    fn a_switch_over_something_else_is_the_program_s_own() {
        check("    %1:i32 = site 0()\n    switch %0 { 5:i32 => block1, default => block2 }", false);
        check(
            "    %1:i32 = site 0()\n    %3:i32 = site 1(%0)\n    switch %3 { 5:i32 => block1, default => block2 }",
            false,
        );
        check(
            "    %1:i32 = site 0()\n    %3:i32 = add %1, 0:i32\n    switch %3 { 5:i32 => block1, default => block2 }",
            false,
        );
    }

    #[test]
    fn a_switch_that_leads_elsewhere_is_no_call() {
        check("    %1:i32 = site 0()\n    switch %1 { 4:i32 => block1, default => block2 }", false);
        check("    %1:i32 = site 0()\n    switch %1 { 5:i32 => block2, default => block1 }", false);
    }
}
