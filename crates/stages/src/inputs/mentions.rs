//! What a program mentions: constants, characters, words, and the outside.
//!
//! Only code that the function can reach counts. A library has many other constants.

use std::collections::BTreeSet;

use bv::{Word, float};
use ir::{Action, Arm, End, ExternalId, Function, FunctionId, Global, GlobalId, Operand, Program, Type};

#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Mentions {
    /// Integers that are computed with, as signed numbers. Sorted.
    pub(crate) integers: Vec<i128>,
    /// Floats that are computed with.
    pub(crate) reals: Vec<f64>,
    /// Integers that may be characters, and the characters of the words. Sorted.
    pub(crate) characters: Vec<u8>,
    /// String literals, without their ends.
    pub(crate) words: Vec<Vec<u8>>,
    /// Functions without a body whose result is an input. Sorted.
    pub(crate) externals: Vec<ExternalId>,
}

/// Tables may be long; their first values are enough to know what they are about.
const TABLE: usize = 32;

/// Longer texts are messages, not keywords.
const LONGEST_WORD: usize = 32;

impl Mentions {
    pub(crate) fn of(program: &Program, function: FunctionId) -> Mentions {
        let mut gathered = Gathered::default();
        for function in ir::reachable(program, function) {
            gathered.function(program, program.function(function));
        }
        for global in &gathered.globals.clone() {
            gathered.global(program, program.global(*global));
        }
        let of_words = gathered.words.iter().flatten().copied();
        let characters: BTreeSet<u8> =
            gathered.integers.iter().filter_map(|integer| character(*integer)).chain(of_words).collect();
        Mentions {
            integers: gathered.integers.into_iter().collect(),
            reals: gathered.reals.into_iter().map(f64::from_bits).collect(),
            characters: characters.into_iter().collect(),
            words: gathered.words,
            externals: gathered.externals.into_iter().collect(),
        }
    }
}

/// An integer that is most likely a character, if the function is given characters.
fn character(integer: i128) -> Option<u8> {
    let byte = u8::try_from(integer).ok()?;
    matches!(byte, b'\t'..=b'\r' | b' '..=b'~').then_some(byte)
}

#[derive(Default)]
struct Gathered {
    integers: BTreeSet<i128>,
    /// The bits of doubles, which can be told apart.
    reals: BTreeSet<u64>,
    words: Vec<Vec<u8>>,
    globals: BTreeSet<GlobalId>,
    externals: BTreeSet<ExternalId>,
}

impl Gathered {
    fn function(&mut self, program: &Program, function: &Function) {
        for block in &function.blocks {
            block.instructions.iter().for_each(|instruction| self.action(program, &instruction.action));
            let on_edges = block.end.edges().into_iter().flat_map(|edge| &edge.arguments);
            on_edges.for_each(|operand| self.operand(program, operand, false));
            match &block.end {
                End::Return(Some(operand)) => self.operand(program, operand, false),
                End::Switch { cases, .. } => {
                    self.integers.extend(cases.iter().map(|(word, _)| word.signed()))
                }
                _ => {}
            }
        }
    }

    fn action(&mut self, program: &Program, action: &Action) {
        let floats = match action {
            Action::Apply { op, .. } => op.takes_floats(),
            Action::Site { site, .. } => {
                let arm = &program.site(*site).original;
                self.arm(program, arm);
                arm.instructions.iter().any(|instruction| instruction.op.takes_floats())
            }
            Action::External { external, .. } => {
                let External { prints, returns } = External::of(program, *external);
                if !prints && returns {
                    self.externals.insert(*external);
                }
                // A value that is only printed decides nothing.
                if prints {
                    return;
                }
                false
            }
            // Distances in memory say nothing about values. Where something starts does.
            Action::Offset { pointer, .. } => return self.operand(program, pointer, false),
            Action::Local { .. } => return,
            _ => false,
        };
        action.operands().for_each(|operand| self.operand(program, operand, floats));
    }

    fn arm(&mut self, program: &Program, arm: &Arm) {
        for instruction in &arm.instructions {
            let floats = instruction.op.takes_floats();
            instruction.arguments.iter().for_each(|operand| self.operand(program, operand, floats));
        }
        self.operand(program, &arm.result, false);
    }

    fn operand(&mut self, program: &Program, operand: &Operand, float: bool) {
        let Operand::Constant(word) = operand else { return };
        match word.width() {
            1 => {}
            32 | 64 if float => _ = self.reals.insert(float::value(*word).to_bits()),
            64 if is_pointer(program, *word) => {
                let object = (word.bits() >> 32) as u32;
                self.globals.extend(program.global_of(object));
            }
            _ => _ = self.integers.insert(word.signed()),
        }
    }

    fn global(&mut self, program: &Program, global: &Global) {
        let (of, elements) = match program.of(global.of) {
            Type::Array { of, .. } => (*of, TABLE),
            _ => (global.of, 1),
        };
        let chunks = global.contents.chunks_exact(program.size(of).max(1) as usize);
        match program.of(of) {
            Type::Integer(scalar) if scalar.width == 8 && elements > 1 => {
                if let [text @ .., 0] = global.contents.as_slice()
                    && global.constant
                    && (1..=LONGEST_WORD).contains(&text.len())
                    && !text.contains(&0)
                {
                    self.words.push(text.to_vec());
                }
            }
            Type::Integer(scalar) => {
                let values = chunks.map(|chunk| Word::new(scalar.width, little_endian(chunk)).signed());
                self.integers.extend(values.take(elements));
            }
            Type::Float(found) => {
                let values = chunks.map(|chunk| float::value(Word::new(found.width, little_endian(chunk))));
                self.reals.extend(values.take(elements).map(f64::to_bits));
            }
            _ => {}
        }
    }
}

/// What matters about a function without a body.
struct External {
    prints: bool,
    /// It returns something that an input can hold.
    returns: bool,
}

impl External {
    fn of(program: &Program, id: ExternalId) -> External {
        let external = program.external(id);
        let returns = external
            .result
            .is_some_and(|of| matches!(program.of(of), Type::Integer(_) | Type::Float(_) | Type::Pointer(_)));
        External { prints: external.prints, returns }
    }
}

/// Whether a word points to a global or a function.
fn is_pointer(program: &Program, word: Word) -> bool {
    (ir::FIRST_OBJECT..program.input_object()).contains(&((word.bits() >> 32) as u32))
}

fn little_endian(bytes: &[u8]) -> u128 {
    bytes.iter().rev().fold(0, |all, byte| all << 8 | u128::from(*byte))
}
