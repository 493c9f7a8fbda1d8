//! A weak topological order: in which sequence to visit blocks when there are loops.
//!
//! The order nests the blocks into components, the loops. Each component has a head, which comes
//! first in it, and its blocks stand together. For every edge from `u` to `v`, either `v` comes
//! after `u`, or `v` is the head of a component that contains `u`: a back edge. So every cycle
//! passes through the head of a component that contains the whole cycle. Bounding the iterations
//! of every component therefore bounds every path. This holds for all graphs, reducible or not.
//!
//! In the unrolled program, there is a copy of a block for each vector of iterations
//! of the components around it. A [`Key`] sorts these copies such that an edge always
//! leads from a smaller to a greater one. If copies are visited in the order of their
//! keys, all predecessors of a copy come before it, and can be merged there.
//!
//! After Bourdoncle, "Efficient chaotic iteration strategies with widenings" (1993). As he does,
//! we take strongly connected components, remove their heads and repeat. We use stacks of our own
//! in place of recursion: machine-written functions have more blocks than a thread has stack.

mod search;

use std::ops::Range;

use crate::{BlockId, Function};

/// A component of an [`Order`], numbered by the position of its head. An outer component
/// has a smaller number than an inner one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ComponentId(pub u32);

/// Blocks that reach each other, in a loop or several.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Component {
    /// Where iterations begin. It heads no other component.
    pub head: BlockId,
    /// The component right around this one.
    pub parent: Option<ComponentId>,
    /// How many components are around this one.
    pub depth: u32,
    /// The positions of its blocks; the first is the head's.
    pub positions: Range<u32>,
}

/// Covers the blocks that the entry reaches, and no others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Order {
    /// By position.
    blocks: Vec<BlockId>,
    /// By block.
    positions: Vec<Option<u32>>,
    /// By block: the innermost component that contains it.
    innermost: Vec<Option<ComponentId>>,
    components: Vec<Component>,
}

/// A block in certain iterations of the components around it. Ordered such that every edge leads to
/// a greater key.
///
/// For each component around the block, outermost first, the position of its head and the iteration,
/// counted from 0; then the position of the block. Two keys first differ at a position or at an
/// iteration of the same component, so comparing number by number is right.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Key(Vec<u32>);

/// The order of a function's blocks. A function without blocks has an empty one.
pub fn order(function: &Function) -> Order {
    let successors: Vec<Vec<BlockId>> = function
        .blocks
        .iter()
        .map(|block| block.end.edges().into_iter().map(|edge| edge.to).collect())
        .collect();
    search::run(&successors)
}

impl Order {
    /// The blocks that the entry reaches, in order.
    pub fn blocks(&self) -> &[BlockId] {
        &self.blocks
    }

    /// None for a block that the entry does not reach.
    pub fn position(&self, block: BlockId) -> Option<u32> {
        self.positions[block.0 as usize]
    }

    pub fn component(&self, id: ComponentId) -> &Component {
        &self.components[id.0 as usize]
    }

    /// All components, by the position of their heads.
    pub fn components(&self) -> impl Iterator<Item = (ComponentId, &Component)> {
        self.components.iter().enumerate().map(|(at, component)| (ComponentId(at as u32), component))
    }

    /// The components that contain a block, outermost first.
    pub fn around(&self, block: BlockId) -> Vec<ComponentId> {
        let innermost = self.innermost[block.0 as usize];
        let mut around: Vec<_> = std::iter::successors(innermost, |id| self.component(*id).parent).collect();
        around.reverse();
        around
    }

    /// The component that has this block as its head.
    pub fn headed_by(&self, block: BlockId) -> Option<ComponentId> {
        self.innermost[block.0 as usize].filter(|id| self.component(*id).head == block)
    }

    /// The component whose next iteration this edge begins, if it is a back edge.
    pub fn repeats(&self, from: BlockId, to: BlockId) -> Option<ComponentId> {
        let position = self.position(from)?;
        self.headed_by(to).filter(|id| self.component(*id).positions.contains(&position))
    }

    /// The key of the entry, before anything was repeated.
    pub fn entry(&self) -> Key {
        self.key(&[], Function::ENTRY)
    }

    /// The key of a block, before anything was repeated.
    pub fn start(&self, block: BlockId) -> Key {
        self.key(&[], block)
    }

    /// The block that a key stands for.
    pub fn block(&self, key: &Key) -> BlockId {
        let position = *key.0.last().expect("a key ends with the position of its block");
        self.blocks[position as usize]
    }

    /// Where an edge from this key's block leads. The components that it stays in keep their iteration;
    /// those that it enters, by the head or (in an irreducible graph) elsewhere, start at 0. A back edge
    /// begins the next iteration.
    pub fn follow(&self, key: &Key, to: BlockId) -> Key {
        if let Some(id) = self.repeats(self.block(key), to) {
            let depth = self.component(id).depth as usize;
            let mut kept = key.0[..2 * depth + 2].to_vec();
            kept[2 * depth + 1] += 1;
            return self.key(&kept, to);
        }
        // What both are in is a prefix of what either is in, since components nest.
        let heads = self.around(to).into_iter().map(|id| self.component(id).positions.start);
        let around = &key.0[..key.0.len() - 1];
        let shared = around.chunks_exact(2).zip(heads).take_while(|(pair, head)| pair[0] == *head).count();
        self.key(&key.0[..2 * shared], to)
    }

    /// For a back edge, the iteration that it begins, which is at least 1; the first iteration of a component
    /// is number 0 and needs no back edge. None for any other edge. Take it as the number of times that
    /// the loop was repeated, to compare with a bound.
    pub fn iteration(&self, key: &Key, to: BlockId) -> Option<u32> {
        let id = self.repeats(self.block(key), to)?;
        Some(key.0[2 * self.component(id).depth as usize + 1] + 1)
    }

    /// The iterations of the components around a key's block, outermost first.
    pub fn iterations(&self, key: &Key) -> Vec<(ComponentId, u32)> {
        let around = self.around(self.block(key));
        around.into_iter().zip(key.0.chunks_exact(2).map(|pair| pair[1])).collect()
    }

    /// The key of a block whose outer components are given, and which is new to all others.
    fn key(&self, outer: &[u32], block: BlockId) -> Key {
        let position = self.position(block).expect("a walk from the entry stays within reach of it");
        let mut key = outer.to_vec();
        for id in self.around(block).into_iter().skip(outer.len() / 2) {
            key.extend([self.component(id).positions.start, 0]);
        }
        key.push(position);
        Key(key)
    }
}

#[cfg(test)]
mod tests;
