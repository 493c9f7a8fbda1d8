//! The values of a parameter that are worth a look before any solver is asked.

use std::collections::BTreeSet;

use bv::Word;
use ir::{Action, Program};
use settle::ParametricMutant;
use settle::Task;

use crate::inputs::integers;

/// Values in the sample.
const SAMPLE: usize = 40;

/// The value that is there without the mutant, if it is a constant.
pub(super) fn original(program: &Program, parametric: ParametricMutant) -> Option<Word> {
    let blocks = program.functions.iter().flat_map(|function| &function.blocks);
    let mut instructions = blocks.flat_map(|block| &block.instructions);
    let word = instructions.find_map(|instruction| {
        let Action::Site { site, arguments } = &instruction.action else { return None };
        let site = program.site(*site);
        let is_own = site.variants.iter().any(|(mutant, _)| *mutant == parametric.mutant);
        site.constant(arguments).filter(|_| is_own)
    })?;
    let ParametricMutant { width, signed, .. } = parametric;
    let value = Word::new(width, word.bits());
    let widened = match signed {
        true => Word::from_signed(word.width(), value.signed()),
        false => Word::new(word.width(), value.bits()),
    };
    (word.width() >= width && widened == word).then_some(value)
}

/// Values at the edges, near what the program mentions, and some others.
pub(super) fn sample(task: &Task, parametric: ParametricMutant) -> Vec<Word> {
    let ParametricMutant { width, signed, .. } = parametric;
    let (least, most) = match signed {
        true => (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1),
        false => (0, (1i128 << width) - 1),
    };
    let near = |number: i128| [number, number + 1, number - 1];
    let mentioned = integers(task.program, task.subject);
    let edges = [least, most, least + 1, most - 1, most / 2, least / 2, 100, -100];
    let own = original(task.program, parametric)
        .map(|word| if signed { word.signed() } else { word.bits() as i128 });
    let own = own.into_iter().flat_map(near);
    let small = (0..=10).flat_map(|number| [number, -number]);
    let mut seen: BTreeSet<Word> = BTreeSet::new();
    let mut sample = Vec::new();
    for number in own.chain(small).chain(edges).chain(mentioned.into_iter().flat_map(near)) {
        let word = Word::from_signed(width, number);
        if (least..=most).contains(&number) && seen.insert(word) {
            sample.push(word);
        }
    }
    sample.truncate(SAMPLE);
    sample
}
