//! Comments in the source that suppress mutants, and those that suppress none.

use std::fmt;

use source::{Suppression, suppressions};

use super::plan::Variant;
use crate::ast::{Ast, Function, HeaderId};
use crate::mutate::operators::{self, Operators, TABLE};
use crate::sources::Sources;

/// A comment that should suppress mutants, but does not do what it says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Idle {
    /// The header that it is in; None: the file itself.
    pub header: Option<String>,
    pub line: u32,
    pub why: Why,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Why {
    NoMutant,
    /// There is no such operator.
    Unknown(String),
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Why::NoMutant => write!(f, "this comment suppresses no mutant"),
            Why::Unknown(name) => write!(f, "{}", operators::unknown(name)),
        }
    }
}

/// All comments of the sources that are about mutants.
pub(super) struct Comments<'a> {
    sources: Sources<'a>,
    comments: Vec<Comment>,
}

struct Comment {
    header: Option<HeaderId>,
    suppression: Suppression,
    is_used: bool,
}

impl<'a> Comments<'a> {
    pub(super) fn new(sources: Sources<'a>) -> Comments<'a> {
        let known = TABLE.map(|row| row.name);
        let comments = sources.all().flat_map(|header| {
            let found = suppressions(sources.of(header), &known).into_iter();
            found.map(move |suppression| Comment { header, suppression, is_used: false })
        });
        Comments { sources, comments: comments.collect() }
    }

    /// Whether a comment suppresses this one.
    pub(super) fn keep_away(&mut self, header: Option<HeaderId>, variant: &Variant) -> bool {
        let line = self.sources.of(header).position(variant.edit.range.start).line;
        let mut is_kept_away = false;
        for comment in self.comments.iter_mut().filter(|comment| comment.header == header) {
            if comment.suppression.covers(line, variant.operator.name()) {
                comment.is_used = true;
                is_kept_away = true;
            }
        }
        is_kept_away
    }

    /// Those that do not do what they say. Where no mutants were asked for, none can be kept away.
    pub(super) fn idle(
        &self,
        ast: &Ast,
        operators: &Operators,
        is_chosen: impl Fn(&Function) -> bool,
    ) -> Vec<Idle> {
        let mut found = Vec::new();
        for Comment { header, suppression, is_used } in &self.comments {
            let idle = |why| Idle {
                header: self.sources.name(*header).map(str::to_string),
                line: suppression.line,
                why,
            };
            let unknown = suppression.operators.iter().filter(|name| !operators::is_known(name));
            let before = found.len();
            found.extend(unknown.map(|name| idle(Why::Unknown(name.clone()))));
            let is_asked_for = suppression.operators.is_empty()
                || suppression.operators.iter().any(|name| operators.has(name));
            let mut inside =
                ast.functions.iter().filter(|it| self.holds_for(*header, suppression, it)).peekable();
            let is_elsewhere = inside.peek().is_some() && !inside.any(&is_chosen);
            if !is_used && found.len() == before && is_asked_for && !is_elsewhere {
                found.push(idle(Why::NoMutant));
            }
        }
        found
    }

    /// Whether a comment is about lines of this function.
    fn holds_for(&self, header: Option<HeaderId>, suppression: &Suppression, function: &Function) -> bool {
        let span = self.sources.of(header).span(function.range());
        function.header == header && suppression.first <= span.end.line && span.start.line <= suppression.last
    }
}
