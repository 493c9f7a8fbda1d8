//! Choices: mutants that change what is evaluated at all, and not only its value.
//!
//! Without its condition, an `if` evaluates less. `a || b` skips `b` where `a && b` would not.
//! Replacing one value by another cannot express that. So these mutants are made in the text
//! that clang compiles. More C goes around each place ([`instrument`](super::instrument)), and
//! asks `__whet_choice(n)` what to do. The answer 0 is the original, and each other answer is
//! a mutant. In the module, the question becomes a site like any other, whose arms are
//! constants. As for all mutants, an edit of the file as it was says what the mutant is in C.

use std::ops::Range;

use inkwell::module::Module;
use source::{Edit, Text};

use super::instrument::{C, Insertion, N, insertion};
use super::plan::{Code, Scope};
use super::{constant, expansion, wording};
use crate::ast::{
    Ast, Function, HeaderId, Integer, NodeId, NodeKind, Origin, Other, Statement, Unary, skip_space,
};
use crate::mutate::operators::{Extent, Operator, Operators};
use crate::sources::Sources;

/// One place where mutants choose.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Choice {
    /// The function that it is in, by its place in the tree.
    pub function: usize,
    /// The header that has the function.
    pub header: Option<HeaderId>,
    pub answer: Answer,
    /// What each other answer means.
    pub alternatives: Vec<Alternative>,
    pub insertions: Vec<Insertion>,
}

/// What the original's answer is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Answer {
    pub bits: u64,
    /// Of 64 bits, not of 32.
    pub is_wide: bool,
}

/// A mutant, and the answer that makes it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Alternative {
    pub operator: Operator,
    pub edit: Edit,
    pub(super) code: Code,
}

/// Which way to go: the original's way has the number 0.
const WAY: Answer = Answer { bits: 0, is_wide: false };

/// The choices of all functions that are chosen. The module is that of the file as it is.
pub(crate) fn plan(
    module: &Module,
    ast: &Ast,
    sources: Sources,
    operators: &Operators,
    is_chosen: impl Fn(&Function) -> bool,
) -> Vec<Choice> {
    let mut choices = Vec::new();
    for (at, function) in ast.functions.iter().enumerate().filter(|(_, function)| is_chosen(function)) {
        let text = sources.of(function.header);
        let Some(scope) = Scope::new(module, function, text) else { continue };
        let planner = Planner { function, text, at, scope, operators };
        for id in evaluated(function) {
            let made = operators.iter().filter_map(|(operator, extent)| planner.choice(id, operator, extent));
            let mut made: Vec<Choice> = made.filter(|choice| !choice.alternatives.is_empty()).collect();
            // The answer is the number itself, and only one can be given.
            if matches!(function[id].kind, NodeKind::Literal(_)) && made.len() > 1 {
                let others = made.split_off(1).into_iter().flat_map(|choice| choice.alternatives);
                made[0].alternatives.extend(others);
            }
            choices.extend(made);
        }
    }
    choices
}

/// All that is evaluated where it stands whenever control comes by: not when
/// the program is compiled, and not never.
fn evaluated(function: &Function) -> Vec<NodeId> {
    let mut found = Vec::new();
    let mut is_evaluated: Vec<bool> = Vec::new();
    // Children come after their parent.
    for id in function.ids() {
        let is_fine = function.parent(id).is_none_or(|parent| {
            let children = &function[parent].children;
            let is_reached = match function[parent].kind {
                // The function itself.
                NodeKind::Other => function.parent(parent).is_none(),
                NodeKind::Declaration { .. }
                | NodeKind::Designated
                | NodeKind::Cast
                | NodeKind::Statement(Statement::Case(_)) => children.last() == Some(&id),
                _ => true,
            };
            is_reached && is_evaluated[parent.index()]
        });
        is_evaluated.push(is_fine);
        found.extend(is_fine.then_some(id));
    }
    found
}

struct Planner<'a, 'c> {
    function: &'a Function,
    text: &'a Text,
    /// The place of the function in the tree.
    at: usize,
    /// What clang made of it as it is.
    scope: Scope<'a, 'c>,
    operators: &'a Operators,
}

impl Planner<'_, '_> {
    fn choice(&self, id: NodeId, operator: Operator, extent: Extent) -> Option<Choice> {
        let (alternatives, insertions) = match (operator, &self.function[id].kind) {
            (Operator::Lcr, NodeKind::Logical { and, .. }) => self.logical(id, *and)?,
            (Operator::Dcr, _) => self.condition(id)?,
            (Operator::Ror, NodeKind::Binary { .. }) if extent == Extent::Sufficient => self.constant(id)?,
            (Operator::Uoi, NodeKind::Unary(Unary::Not)) => self.negation(id)?,
            (Operator::Cr, NodeKind::Return) => self.returned(id)?,
            (Operator::Cr, NodeKind::Text) => self.literal(id)?,
            // What IVI does to a constant, CR does, too.
            (Operator::Ivi, NodeKind::Literal(_)) if self.operators.has(Operator::Cr.name()) => return None,
            (Operator::Cr | Operator::Ivi, NodeKind::Literal(_)) => return self.number(id, operator, extent),
            (Operator::Par, NodeKind::Literal(_)) => return self.parameter(id),
            (
                Operator::Sdl,
                NodeKind::Assign { .. }
                | NodeKind::Compound { .. }
                | NodeKind::Increment { .. }
                | NodeKind::Call { .. },
            ) => self.statement(id)?,
            (Operator::Sbr, NodeKind::Break | NodeKind::Continue | NodeKind::Return) => self.jump(id)?,
            // What a format asks for must stay in its order.
            (Operator::Arg, NodeKind::Call { types, variadic: false, .. }) => self.arguments(id, types)?,
            (Operator::Aor | Operator::Ror | Operator::Bor | Operator::Lcr, _) => {
                self.expansion(id, operator, extent)?
            }
            _ => return None,
        };
        let alternatives = alternatives.into_iter().zip(1..);
        let alternatives = alternatives
            .map(|(edit, way)| Alternative { operator, edit, code: Code::Constant(way) })
            .collect();
        Some(self.made(WAY, alternatives, insertions))
    }

    fn made(&self, answer: Answer, alternatives: Vec<Alternative>, insertions: Vec<Insertion>) -> Choice {
        Choice { function: self.at, header: self.function.header, answer, alternatives, insertions }
    }

    /// The use of a macro becomes what it stands for, with one token changed.
    fn expansion(&self, id: NodeId, operator: Operator, extent: Extent) -> Option<Planned> {
        let node = &self.function[id];
        let range =
            self.operand(id).filter(|_| node.origin == Origin::Operand && node.kind != NodeKind::Implicit)?;
        let expansion = self.function.expansion(&range)?;
        // The two sides of a choice must be of one type, so it must have a name.
        (node.integer.is_some() || node.other.is_some()).then_some(())?;
        let replacements = expansion::mutants(self.function, id, self.text, expansion, operator, extent);
        if replacements.is_empty() || replacements.iter().any(|it| it.contains([C, '\n'])) {
            return None;
        }
        let edits = replacements
            .iter()
            .map(|replacement| Edit { range: range.clone(), replacement: replacement.clone() })
            .collect();
        let original = self.text.slice(range.clone());
        let arms: String = replacements
            .iter()
            .zip(1..)
            .map(|(it, answer)| format!("{}{answer}?(__typeof__({original}))({it}):", ask("C==")))
            .collect();
        let around = range.end - range.start;
        let insertions = vec![
            insertion(range.start, true, around, &format!("({arms}")),
            insertion(range.end, false, around, ")"),
        ];
        Some((edits, insertions))
    }

    /// `a && b`: the other operation, the left side, the right side, 1, 0.
    ///
    /// `a || b` is `!(!a && !b)`, so that the same operation serves for both if
    /// both sides and the result are negated.
    fn logical(&self, id: NodeId, and: bool) -> Option<Planned> {
        let node = self.written(id)?;
        let [left, right] = self.function[id].children[..] else { return None };
        let (first, second) = (self.operand(left)?, self.operand(right)?);
        let other = wording::replace_logical(self.function, self.text, id)?;
        let whole = |replacement: String| Edit { range: node.clone(), replacement };
        let is_truth = self.is_truth(id);
        let side = |id: NodeId, range: &Range<usize>| {
            let side = self.text.slice(range.clone());
            let bare = &self.function[self.bare(id)].kind;
            let is_one = matches!(bare, NodeKind::Variable | NodeKind::Call { .. } | NodeKind::Plain);
            // The whole is 0 or 1, and so must its side be.
            let side = match is_truth || is_truth_value(bare) {
                true => side,
                false if is_one => format!("!!{side}"),
                false => format!("!!({side})"),
            };
            whole(wording::glue(self.text, &node, &side))
        };
        let mut edits = vec![other, side(left, &first), side(right, &second)];
        // A side of another one that is constant leaves nothing but the other
        // side, or nothing: that one has it already.
        if !self.is_side(id) {
            edits.push(whole(wording::glue(self.text, &node, "1")));
            edits.push(whole(wording::glue(self.text, &node, "0")));
        }
        let around = node.end - node.start;
        let [before, between] = match and {
            true => ["(((C>=3?C!=5:!!(", "(C==2||C==4||(!!("],
            false => ["(((C>=3?C==4:!!(", "(C!=2&&C!=5&&(!!("],
        };
        let opens = |offset, text: &str| insertion(offset, true, around, &ask(text));
        let closes = |offset, text: &str| insertion(offset, false, around, &ask(text));
        let insertions = vec![
            opens(first.start, before),
            closes(first.end, ")!=(C==1))"),
            opens(second.start, between),
            closes(second.end, ")!=(C==1))))!=(C==1))"),
        ];
        Some((edits, insertions))
    }

    /// A condition: 1 (a loop would not end), 0, its negation.
    fn condition(&self, id: NodeId) -> Option<Planned> {
        let is_loop = self.is_condition(id)?;
        let inner = self.bare(id);
        if matches!(self.function[inner].kind, NodeKind::Literal(_)) {
            return None;
        }
        let range = self.operand(id)?;
        let text = self.text.slice(range.clone());
        let whole = |replacement: &str| Edit {
            range: range.clone(),
            replacement: wording::glue(self.text, &range, replacement),
        };
        let is_one = matches!(
            self.function[self.function.explicit(id)].kind,
            NodeKind::Variable | NodeKind::Call { .. } | NodeKind::Paren | NodeKind::Plain
        );
        let negated = if is_one { format!("!{text}") } else { format!("!({text})") };
        let around = range.end - range.start;
        let wrap = |before, after| {
            // The condition may be `a && b`, which has text put in between as well.
            vec![
                insertion(range.start, true, around, &ask(before)).outer(),
                insertion(range.end, false, around, &ask(after)).outer(),
            ]
        };
        let is_not = matches!(self.function[inner].kind, NodeKind::Unary(Unary::Not));
        // The negation of a negation is made where that stands.
        Some(match (is_loop, is_not) {
            (false, false) => {
                (vec![whole("1"), whole("0"), whole(&negated)], wrap("(C==1||(C!=2&&(!!(", ")!=(C==3))))"))
            }
            (false, true) => (vec![whole("1"), whole("0")], wrap("(C==1||(C!=2&&(", ")))")),
            (true, false) => (vec![whole("0"), whole(&negated)], wrap("(C!=1&&(!!(", ")!=(C==2)))")),
            (true, true) => (vec![whole("0")], wrap("(C!=1&&(", "))")),
        })
    }

    /// A comparison that is a value by itself becomes a constant.
    fn constant(&self, id: NodeId) -> Option<Planned> {
        let NodeKind::Binary { op, .. } = &self.function[id].kind else { return None };
        let value = if op.sufficient_constant()? { "1" } else { "0" };
        if self.is_truth(id) {
            return None;
        }
        let range = self.written(id)?;
        let around = range.end - range.start;
        let edit = Edit { replacement: wording::glue(self.text, &range, value), range: range.clone() };
        let insertions = vec![
            insertion(range.start, true, around, &ask(&format!("(C?{value}:("))),
            insertion(range.end, false, around, "))"),
        ];
        Some((vec![edit], insertions))
    }

    /// `!a` becomes `a`, where only its truth counts.
    fn negation(&self, id: NodeId) -> Option<Planned> {
        if !self.is_truth(id) {
            return None;
        }
        let range = self.written(id)?;
        let operand = self.operand(*self.function[id].children.first()?)?;
        let replacement = wording::glue(self.text, &range, &self.text.slice(operand));
        let around = range.end - range.start;
        let insertions = vec![
            insertion(range.start, true, around, "("),
            insertion(range.end, false, around, &ask("!=C)")),
        ];
        Some((vec![Edit { range, replacement }], insertions))
    }

    /// `return a;` becomes `return 0;`, `return 1;`, `return -1;`, if that is no news.
    fn returned(&self, id: NodeId) -> Option<Planned> {
        let child = *self.function[id].children.first()?;
        let value = self.operand(child)?;
        let statement = self.written(id)?;
        let end = self.semicolon(statement.end)?;
        let values: &[i128] = match (self.function[child].integer, self.function[child].other) {
            (Some(integer), _) if integer.is_bool() => &[0, 1],
            (Some(integer), _) if integer.signed => &[0, 1, -1],
            (Some(_), _) => &[0, 1],
            (None, Some(Other::Float(_))) => &[0, 1, -1],
            (None, Some(Other::Pointer)) => &[0],
            (None, None) => return None,
        };
        let literal = match &self.function[self.bare(child)].kind {
            NodeKind::Literal(literal) => Some(literal.value),
            _ => None,
        };
        let news: Vec<i128> = values.iter().copied().filter(|value| literal != Some(*value)).collect();
        let edits = news.iter().map(|number| Edit {
            range: value.clone(),
            replacement: wording::glue(self.text, &value, &number.to_string()),
        });
        let around = end - statement.start;
        let returns: String =
            news.iter().zip(1..).map(|(number, at)| ask(&format!("if(C=={at})return {number};"))).collect();
        let insertions = vec![
            insertion(statement.start, true, around, &format!("{{{returns}")),
            insertion(end, false, around, "}"),
        ];
        Some((edits.collect(), insertions))
    }

    /// A constant becomes another one, where that is more than another operand.
    /// The answer is the number itself, so that there is no way to go.
    fn number(&self, id: NodeId, operator: Operator, extent: Extent) -> Option<Choice> {
        let range = self.written(id)?;
        let values = constant::values(operator, extent)?;
        if constant::site(&self.scope, id, values).is_some() {
            return None;
        }
        let integer = self.function[id].integer?;
        let (original, edits) = constant::edits(&self.scope, id, values)?;
        let bits = |value: i128| if integer == Integer::INT { u64::from(value as u32) } else { value as u64 };
        let alternatives = edits.into_iter();
        let alternatives = alternatives
            .map(|(edit, value)| Alternative { operator, edit, code: Code::Constant(bits(value)) })
            .collect();
        Some(self.answered(range, integer, bits(original), alternatives))
    }

    /// The same with a parameter.
    fn parameter(&self, id: NodeId) -> Option<Choice> {
        let range = self.written(id)?;
        if constant::parameter(&self.scope, id).is_some() {
            return None;
        }
        let integer = self.function[id].integer.filter(|integer| !integer.is_bool())?;
        let (original, _) = constant::edits(&self.scope, id, &[])?;
        let bits = if integer == Integer::INT { u64::from(original as u32) } else { original as u64 };
        let edit = wording::parametric(&self.scope, id);
        let code = Code::Parameter { width: integer.width, signed: integer.signed };
        let alternative = Alternative { operator: Operator::Par, edit, code };
        Some(self.answered(range, integer, bits, vec![alternative]))
    }

    /// A constant that is the answer to a question.
    fn answered(
        &self,
        range: Range<usize>,
        integer: Integer,
        bits: u64,
        alternatives: Vec<Alternative>,
    ) -> Choice {
        let is_wide = integer != Integer::INT;
        let (before, after) = match is_wide {
            false => ("(".to_string(), format!(",{C})")),
            true => (format!("(({})(", integer.name()), format!(",{N}))")),
        };
        let around = range.end - range.start;
        let insertions =
            vec![insertion(range.start, true, around, &before), insertion(range.end, false, around, &after)];
        self.made(Answer { bits, is_wide }, alternatives, insertions)
    }

    /// A text becomes the empty one. One that says how to print is left alone.
    fn literal(&self, id: NodeId) -> Option<Planned> {
        let range = self.written(id)?;
        let parent = self.function.parent(id)?;
        if self.function[parent].kind != NodeKind::Implicit || range.end - range.start <= 2 {
            return None;
        }
        let (above, _) = self.function.explicit_parent(id)?;
        if matches!(self.function[above].kind, NodeKind::Call { variadic: true, .. }) {
            return None;
        }
        let around = range.end - range.start;
        let edit = Edit { range: range.clone(), replacement: "\"\"".to_string() };
        let insertions = vec![
            insertion(range.start, true, around, &ask("(C?\"\":")),
            insertion(range.end, false, around, ")"),
        ];
        Some((vec![edit], insertions))
    }

    /// A statement goes.
    fn statement(&self, id: NodeId) -> Option<Planned> {
        self.function.is_statement(id).then(|| self.deleted(id))?
    }

    fn jump(&self, id: NodeId) -> Option<Planned> {
        self.leads_on(id).then(|| self.deleted(id))?
    }

    fn deleted(&self, id: NodeId) -> Option<Planned> {
        let range = self.written(id)?;
        let end = self.semicolon(range.end)?;
        let edit = Edit { range: range.start..end, replacement: ";".to_string() };
        let around = end - range.start;
        let insertions =
            vec![insertion(range.start, true, around, &ask("{if(!C){")), insertion(end, false, around, "}}")];
        Some((vec![edit], insertions))
    }

    /// Two neighbours of one type change places.
    fn arguments(&self, id: NodeId, types: &[String]) -> Option<Planned> {
        let range = self.written(id)?;
        let children = &self.function[id].children;
        let (mut edits, mut calls) = (Vec::new(), String::new());
        for at in 1..children.len().saturating_sub(1) {
            let (Some(first), Some(second)) = (self.operand(children[at]), self.operand(children[at + 1]))
            else {
                continue;
            };
            let slice = |range: Range<usize>| self.text.slice(range);
            let (one, other) = (slice(first.clone()), slice(second.clone()));
            if types.get(at - 1) != types.get(at) || one == other || first.end > second.start {
                continue;
            }
            let swapped = format!("{other}{}{one}", slice(first.end..second.start));
            let call =
                format!("{}{swapped}{}", slice(range.start..first.start), slice(second.end..range.end));
            // What is put in stays on its line, and holds nothing that ends there.
            if call.contains(['\n', '#', C]) || call.contains("//") {
                continue;
            }
            edits.push(Edit { range: first.start..second.end, replacement: swapped });
            calls += &format!("{}{}?{call}:", ask("C=="), edits.len());
        }
        let around = range.end - range.start;
        let insertions = vec![
            insertion(range.start, true, around, &format!("({calls}")),
            insertion(range.end, false, around, ")"),
        ];
        (!edits.is_empty()).then_some((edits, insertions))
    }

    /// The range of a node whose every token stands in the file.
    fn written(&self, id: NodeId) -> Option<Range<usize>> {
        let node = &self.function[id];
        (node.origin == Origin::Written && !node.range.is_empty()).then(|| node.range.clone())
    }

    /// The range of an operand: written, or the use of a macro that is one.
    fn operand(&self, id: NodeId) -> Option<Range<usize>> {
        let node = &self.function[id];
        let is_seen = match node.origin {
            Origin::Written => true,
            // What is inside of the macro cannot be told apart from the whole of it.
            Origin::Operand => {
                let parent = self.function.explicit_parent(id);
                parent.is_some_and(|(parent, _)| self.function[parent].origin == Origin::Written)
            }
            Origin::Tangled => false,
        };
        (is_seen && !node.range.is_empty()).then(|| node.range.clone())
    }

    /// The end of a statement, behind its semicolon.
    fn semicolon(&self, end: usize) -> Option<usize> {
        let at = skip_space(self.text.bytes(), end);
        (self.text.bytes().get(at) == Some(&b';')).then_some(at + 1)
    }

    /// The node without parentheses and conversions.
    fn bare(&self, mut id: NodeId) -> NodeId {
        while matches!(self.function[id].kind, NodeKind::Paren | NodeKind::Implicit) {
            id = self.function[id].children[0];
        }
        id
    }

    /// Whether it is the condition of something, and if so, whether of a loop.
    fn is_condition(&self, id: NodeId) -> Option<bool> {
        let parent = self.function.parent(id)?;
        let node = &self.function[parent];
        let (is_first, is_last) = (node.children.first() == Some(&id), node.children.last() == Some(&id));
        match node.kind {
            NodeKind::Statement(Statement::If) if is_first => Some(false),
            NodeKind::Statement(Statement::While) if is_first => Some(true),
            NodeKind::Conditional if is_first => Some(false),
            NodeKind::Statement(Statement::Do) if is_last => Some(true),
            NodeKind::For if !is_last => {
                let range = &self.function[id].range;
                let (before, after) = (&self.text.bytes()[..range.start], &self.text.bytes()[range.end..]);
                let is_middle =
                    before.trim_ascii_end().ends_with(b";") && after.trim_ascii_start().starts_with(b";");
                is_middle.then_some(true)
            }
            _ => None,
        }
    }

    /// Whether all that counts of it is whether it is zero.
    fn is_truth(&self, id: NodeId) -> bool {
        let mut child = id;
        loop {
            let Some(parent) = self.function.parent(child) else { return false };
            match self.function[parent].kind {
                NodeKind::Paren => child = parent,
                NodeKind::Logical { .. } | NodeKind::Unary(Unary::Not) => return true,
                _ => return self.is_condition(child).is_some(),
            }
        }
    }

    /// Whether it is a side of `&&` or `||`.
    fn is_side(&self, id: NodeId) -> bool {
        let mut above = self.function.parent(id);
        while let Some(NodeKind::Paren) = above.map(|id| &self.function[id].kind) {
            above = above.and_then(|id| self.function.parent(id));
        }
        above.is_some_and(|id| matches!(self.function[id].kind, NodeKind::Logical { .. }))
    }

    /// Whether control goes on to something else when a jump is deleted: what follows in a block,
    /// or around it. A value must still be returned, and what changes nothing is not made.
    fn leads_on(&self, id: NodeId) -> bool {
        let function = self.function;
        let is_return = function[id].kind == NodeKind::Return;
        let returns_value = is_return && !function[id].children.is_empty();
        if returns_value && !self.ends_in_return(id) {
            return false;
        }
        let mut child = id;
        loop {
            let Some(parent) = function.parent(child) else { return false };
            let node = &function[parent];
            let is_last = node.children.last() == Some(&child);
            match node.kind {
                NodeKind::Statement(Statement::Block) if !is_last => return true,
                NodeKind::Statement(
                    Statement::Block | Statement::If | Statement::Case(_) | Statement::Default,
                ) => child = parent,
                // The last of a loop's body goes round again, and a `break` there does not.
                NodeKind::Statement(Statement::While | Statement::Do) | NodeKind::For => {
                    return function[id].kind != NodeKind::Continue;
                }
                NodeKind::Statement(Statement::Switch) if function[id].kind == NodeKind::Break => {
                    return false;
                }
                NodeKind::Statement(Statement::Switch) => child = parent,
                _ => return false,
            }
        }
    }

    /// Whether the function's last statement is a `return`, and another one than this.
    fn ends_in_return(&self, id: NodeId) -> bool {
        let function = self.function;
        let root = function.ids().next().expect("a function has a node");
        let body = function[root].children.last().copied();
        let last = body.and_then(|body| function[body].children.last().copied());
        last.is_some_and(|last| function[last].kind == NodeKind::Return && last != id)
    }
}

/// Whether it is 0 or 1.
fn is_truth_value(kind: &NodeKind) -> bool {
    match kind {
        NodeKind::Logical { .. } | NodeKind::Unary(Unary::Not) => true,
        NodeKind::Binary { op, .. } => op.sufficient_constant().is_some(),
        _ => false,
    }
}

/// The edits, one for each answer, and the text that asks.
type Planned = (Vec<Edit>, Vec<Insertion>);

/// C that asks: a `C` stands for each question.
fn ask(text: &str) -> String {
    text.replace('C', &C.to_string())
}
