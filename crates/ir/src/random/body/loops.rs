//! Random loops, and ways out of them.

use arbitrary::Result;
use bv::{Op, Word};

use super::{Body, Carried, MOST_ROUNDS, edge};
use crate::random::{one_in, width};
use crate::{Edge, End, Operand};

impl Body<'_, '_> {
    /// A loop. Mostly it counts down from a constant or from a few bits of
    /// something; at times it waits for what may never be.
    pub(super) fn repeat(&mut self, depth: u32) -> Result<()> {
        const COUNTER: u32 = 8;
        let start = match self.u.arbitrary()? {
            true => Operand::Constant(Word::new(COUNTER, self.u.int_in_range(1..=MOST_ROUNDS)? as u128)),
            false => {
                let something = self.line.operand(self.u, COUNTER)?;
                self.plain(Op::And, something, Word::new(COUNTER, MOST_ROUNDS as u128))?
            }
        };
        let counts = !one_in(self.u, 10)?;
        let carried = self.some_kinds()?;
        let kinds: Vec<Carried> = [Carried::Word(COUNTER)].into_iter().chain(carried).collect();
        let head = self.join(&kinds);
        let (body, exit) = (self.block(&[]), self.join(&[]));
        let mut enter = self.edge_to_join(head, &kinds)?;
        enter.arguments[0] = start;
        self.finish(End::Jump(enter))?;

        self.start_join(head);
        let counter = Operand::Register(self.blocks[head.0 as usize].parameters[0]);
        let condition = match counts {
            true => self.plain(Op::Ne, counter, Word::zero(COUNTER))?,
            false => self.line.condition(self.u)?,
        };
        let leave = self.edge_to_join(exit, &[])?;
        self.finish(End::Branch { condition, then: edge(body), otherwise: leave })?;

        let scope = self.line.scope.len();
        self.start(body);
        self.exits.push(exit);
        self.statements(depth + 1)?;
        self.exits.pop();
        let less = self.plain(Op::Sub, counter, Word::one(COUNTER))?;
        let mut again = self.edge_to_join(head, &kinds)?;
        again.arguments[0] = less;
        self.finish(End::Jump(again))?;
        self.line.scope.truncate(scope);
        self.start_join(exit);
        Ok(())
    }

    /// A loop of two blocks that can be entered at either: irreducible.
    pub(super) fn two_ways_in(&mut self) -> Result<()> {
        let (counter, scope) = (width(self.u)?.clamp(3, 8), self.line.scope.len());
        let rounds = Word::new(counter, self.u.int_in_range(0..=MOST_ROUNDS / 2)? as u128);
        let condition = self.line.condition(self.u)?;
        let kinds = [Carried::Word(counter)];
        let [one, other, exit] = [self.join(&kinds), self.join(&kinds), self.join(&[])];
        let enter = |to| Edge { to, arguments: vec![Operand::Constant(rounds), self.accumulator] };
        let (then, otherwise) = (enter(one), enter(other));
        self.finish(End::Branch { condition, then, otherwise })?;
        for (from, to) in [(one, other), (other, one)] {
            self.line.scope.truncate(scope);
            self.start_join(from);
            let left = Operand::Register(self.blocks[from.0 as usize].parameters[0]);
            let condition = self.plain(Op::Eq, left, Word::zero(counter))?;
            let less = self.plain(Op::Sub, left, Word::one(counter))?;
            let result = self.line.apply(self.u)?;
            self.take_up(result)?;
            let then = self.edge_to_join(exit, &[])?;
            let again = Edge { to, arguments: vec![less, self.accumulator] };
            self.finish(End::Branch { condition, then, otherwise: again })?;
        }
        self.line.scope.truncate(scope);
        self.start_join(exit);
        Ok(())
    }

    /// Under some condition, leaves a loop, or several, or the function.
    pub(super) fn escape(&mut self) -> Result<()> {
        let condition = self.line.condition(self.u)?;
        let next = self.block(&[]);
        if !self.exits.is_empty() && self.u.arbitrary()? {
            let exit = *self.u.choose(&self.exits)?;
            let then = self.edge_to_join(exit, &[])?;
            self.finish(End::Branch { condition, then, otherwise: edge(next) })?;
        } else {
            let leave = self.block(&[]);
            self.finish(End::Branch { condition, then: edge(leave), otherwise: edge(next) })?;
            let scope = self.line.scope.len();
            self.start(leave);
            let end = if one_in(self.u, 8)? { End::Unreachable } else { self.returned()? };
            self.finish(end)?;
            self.line.scope.truncate(scope);
        }
        self.start(next);
        Ok(())
    }
}
