//! The text that clang compiles: the user's, with choices in it.
//!
//! Text is only ever inserted, on the same line. So everything else keeps its
//! line, and its column is easy to compute.

use std::ops::Range;

use source::{Position, Text};

use super::choice::Choice;
use crate::ast::HeaderId;
use crate::sources::Sources;

/// What is asked: which way to go, or which number to take.
pub(crate) const QUESTION: &str = "__whet_choice";
pub(crate) const WIDE_QUESTION: &str = "__whet_number";

/// The declarations of the questions, for clang.
pub(crate) const DECLARATIONS: &str = "int __whet_choice(int);\nlong long __whet_number(int);\n";

/// Stand for the questions in what is put in, until the choice has its number.
pub(super) const C: char = '\u{1}';
pub(super) const N: char = '\u{2}';

/// Text that is put in at one place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Insertion {
    offset: usize,
    /// Opens something that ends further on, or closes something that began before.
    opens: bool,
    /// How much text there is between the two: what is longer goes around what is shorter.
    length: usize,
    /// Goes around what is as long as itself.
    is_outer: bool,
    text: String,
}

pub(super) fn insertion(offset: usize, opens: bool, length: usize, text: &str) -> Insertion {
    Insertion { offset, opens, length, is_outer: false, text: text.to_string() }
}

impl Insertion {
    /// It goes around what is as long as itself.
    pub(super) fn outer(self) -> Insertion {
        Insertion { is_outer: true, ..self }
    }

    /// The text for the choice that has this number.
    fn with_number(&self, number: usize) -> String {
        let ask = |question: &str| format!("{question}({number})");
        self.text.replace(C, &ask(QUESTION)).replace(N, &ask(WIDE_QUESTION))
    }
}

/// A text with choices in it.
pub(crate) struct Instrumented {
    pub bytes: Vec<u8>,
    /// What was put in, in the order of the text.
    put_in: Vec<PutIn>,
}

struct PutIn {
    /// Where it stands now.
    range: Range<usize>,
    /// The place of its choice among all.
    choice: usize,
}

/// The file, or a header of it, with these choices in it.
pub(crate) fn instrumented(sources: Sources, header: Option<HeaderId>, choices: &[Choice]) -> Instrumented {
    let text = sources.of(header);
    let mut bytes = Vec::with_capacity(text.bytes().len() * 2);
    let (mut put_in, mut done) = (Vec::new(), 0);
    for (number, insertion) in sorted(header, choices) {
        bytes.extend_from_slice(&text.bytes()[done..insertion.offset]);
        let start = bytes.len();
        bytes.extend_from_slice(insertion.with_number(number).as_bytes());
        put_in.push(PutIn { range: start..bytes.len(), choice: number - 1 });
        done = insertion.offset;
    }
    bytes.extend_from_slice(&text.bytes()[done..]);
    Instrumented { bytes, put_in }
}

impl Instrumented {
    /// The choices for which something was put in that stands in this range, at least in part.
    pub(crate) fn choices_in(&self, range: Range<usize>) -> impl Iterator<Item = usize> {
        let first = self.put_in.partition_point(|it| it.range.end <= range.start);
        self.put_in[first..].iter().take_while(move |it| it.range.start < range.end).map(|it| it.choice)
    }

    /// The place in the user's text of one that is theirs.
    pub(crate) fn original(&self, place: usize) -> usize {
        let before = self.put_in.iter().take_while(|it| it.range.end <= place);
        place - before.map(|it| it.range.len()).sum::<usize>()
    }
}

/// How places on the lines of a text move when choices are put in.
pub(crate) struct Moves<'t> {
    text: &'t Text,
    /// In the order of the text.
    moves: Vec<Move>,
}

struct Move {
    at: usize,
    /// It moves what begins here only if that is no longer than this.
    around: usize,
    line: u32,
    /// How much is put in.
    length: u32,
    /// The sum on its line so far, this one included.
    by: u32,
}

impl<'t> Moves<'t> {
    pub(crate) fn new(sources: Sources<'t>, header: Option<HeaderId>, choices: &[Choice]) -> Moves<'t> {
        let text = sources.of(header);
        let mut moves: Vec<Move> = Vec::new();
        for (number, insertion) in sorted(header, choices) {
            let length = insertion.with_number(number).len() as u32;
            let line = text.position(insertion.offset).line;
            let before = moves.last().filter(|last| last.line == line).map_or(0, |last| last.by);
            // What ends here is over.
            let around = if insertion.opens { insertion.length } else { usize::MAX };
            moves.push(Move { at: insertion.offset, around, line, length, by: before + length });
        }
        Moves { text, moves }
    }

    /// By how many columns a place moves to the right, given where something begins and how long it is. What
    /// is put in at its beginning moves it only if it goes around all of it; else it is a part of it now.
    pub(crate) fn shift(&self, offset: usize, length: usize) -> u32 {
        let line = self.text.position(offset).line;
        let end = self.moves.partition_point(|it| it.at <= offset);
        let before = |it: &&Move| it.at < offset || it.at == offset && it.around >= length;
        let last = self.moves[..end].iter().rev().find(before);
        last.filter(|last| last.line == line).map_or(0, |last| last.by)
    }

    /// The way back.
    pub(crate) fn columns(&self) -> Columns {
        let put_in = |it: &Move| (self.text.position(it.at), it.length);
        Columns { put_in: self.moves.iter().map(put_in).collect() }
    }
}

/// Where things stand in the user's own text.
pub(crate) struct Columns {
    /// The places there at which text was put in, in their order, and how much.
    put_in: Vec<(Position, u32)>,
}

impl Columns {
    /// The place in the user's text of one in the text with choices. What was put in stands where it was put.
    pub(crate) fn original(&self, at: Position) -> Position {
        let mut column = at.column;
        let first = self.put_in.partition_point(|(place, _)| place.line < at.line);
        for (place, length) in self.put_in[first..].iter().take_while(|(place, _)| place.line == at.line) {
            if column < place.column {
                break;
            }
            column = column.saturating_sub(*length).max(place.column);
        }
        Position { column, ..at }
    }
}

/// All insertions in the order of the text, each with the number of its choice. At one place, what ends comes
/// before what begins, and the larger one goes around the smaller.
fn sorted(header: Option<HeaderId>, choices: &[Choice]) -> Vec<(usize, &Insertion)> {
    let numbered = choices.iter().zip(1..).filter(|(choice, _)| choice.header == header);
    let mut all: Vec<(usize, &Insertion)> = numbered
        .flat_map(|(choice, number)| choice.insertions.iter().map(move |insertion| (number, insertion)))
        .collect();
    all.sort_by_key(|(number, insertion)| {
        let (length, number) = (2 * insertion.length as i64 + i64::from(insertion.is_outer), *number as i64);
        let order = if insertion.opens { (-length, number) } else { (length, -number) };
        (insertion.offset, insertion.opens, order)
    });
    all
}
