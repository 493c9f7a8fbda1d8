//! How an order is found: take strongly connected components, remove their
//! heads, and repeat with what is left.

use super::{Component, ComponentId, Order};
use crate::{BlockId, Function};

/// Orders the blocks that the entry reaches along these edges.
pub(super) fn run(successors: &[Vec<BlockId>]) -> Order {
    Search::new(successors).run()
}

/// What is still to do, last first.
enum Task {
    /// Order the blocks that these reach within the component, its head aside.
    Sort(Vec<BlockId>, Option<ComponentId>),
    Place(BlockId),
    /// Place a component with this head, in this parent, made of these blocks.
    Open(BlockId, Option<ComponentId>, Vec<BlockId>),
    Close(ComponentId),
}

struct Search<'a> {
    successors: &'a [Vec<BlockId>],
    order: Order,
    /// By block: when [`Search::sort`] came to it, counted from 1; 0 if it did not yet.
    number: Vec<u32>,
    /// By block: the least number known to be reachable from it and still open.
    low: Vec<u32>,
}

impl<'a> Search<'a> {
    fn new(successors: &'a [Vec<BlockId>]) -> Search<'a> {
        let count = successors.len();
        let order = Order {
            blocks: Vec::new(),
            positions: vec![None; count],
            innermost: vec![None; count],
            components: Vec::new(),
        };
        Search { successors, order, number: vec![0; count], low: vec![0; count] }
    }

    fn run(mut self) -> Order {
        let mut tasks = Vec::new();
        if !self.successors.is_empty() {
            tasks.push(Task::Sort(vec![Function::ENTRY], None));
        }
        while let Some(task) = tasks.pop() {
            match task {
                Task::Sort(roots, within) => {
                    // Tarjan's algorithm finds what is last first, which is how a stack wants it.
                    let found = self.sort(&roots, within);
                    tasks.extend(found.into_iter().map(|blocks| self.place(blocks, within)));
                }
                Task::Place(block) => self.put(block),
                Task::Open(head, parent, blocks) => {
                    let id = ComponentId(self.order.components.len() as u32);
                    let start = self.order.blocks.len() as u32;
                    let depth = parent.map_or(0, |parent| self.order.component(parent).depth + 1);
                    self.order.components.push(Component { head, parent, depth, positions: start..start });
                    for block in blocks {
                        self.order.innermost[block.0 as usize] = Some(id);
                    }
                    self.put(head);
                    tasks.push(Task::Close(id));
                    tasks.push(Task::Sort(self.successors[head.0 as usize].clone(), Some(id)));
                }
                Task::Close(id) => {
                    self.order.components[id.0 as usize].positions.end = self.order.blocks.len() as u32;
                }
            }
        }
        self.order
    }

    fn put(&mut self, block: BlockId) {
        self.order.positions[block.0 as usize] = Some(self.order.blocks.len() as u32);
        self.order.blocks.push(block);
    }

    /// The first of the blocks is the one by which the search entered. It becomes the head: where
    /// the graph is reducible, that is the block that dominates the loop.
    fn place(&self, blocks: Vec<BlockId>, within: Option<ComponentId>) -> Task {
        let head = blocks[0];
        let repeats = blocks.len() > 1 || self.successors[head.0 as usize].contains(&head);
        if repeats { Task::Open(head, within, blocks) } else { Task::Place(head) }
    }

    fn is_within(&self, block: BlockId, within: Option<ComponentId>) -> bool {
        let at = block.0 as usize;
        self.order.innermost[at] == within && self.order.positions[at].is_none()
    }

    /// The strongly connected components of what the roots reach within a component, its head
    /// aside, last first (Tarjan 1972). Each starts with the block that the search came to first.
    fn sort(&mut self, roots: &[BlockId], within: Option<ComponentId>) -> Vec<Vec<BlockId>> {
        /// Its number is closed: it belongs to a component found before.
        const CLOSED: u32 = u32::MAX;
        let mut found: Vec<Vec<BlockId>> = Vec::new();
        let mut open: Vec<BlockId> = Vec::new();
        let mut count = 0;
        // Successors are taken from the last to the first, so that `then` comes before `otherwise`.
        for root in roots.iter().rev() {
            let mut path: Vec<(BlockId, usize)> = Vec::new();
            let mut next = Some(*root);
            loop {
                if let Some(block) = next.take()
                    && self.is_within(block, within)
                {
                    let at = block.0 as usize;
                    if self.number[at] == 0 {
                        count += 1;
                        (self.number[at], self.low[at]) = (count, count);
                        open.push(block);
                        path.push((block, self.successors[at].len()));
                    } else if let Some((from, _)) = path.last() {
                        let low = &mut self.low[from.0 as usize];
                        *low = (*low).min(self.number[at]);
                    }
                }
                let Some((block, left)) = path.last_mut() else { break };
                let (block, at) = (*block, block.0 as usize);
                if *left > 0 {
                    *left -= 1;
                    next = Some(self.successors[at][*left]);
                    continue;
                }
                path.pop();
                if let Some((from, _)) = path.last() {
                    self.low[from.0 as usize] = self.low[from.0 as usize].min(self.low[at]);
                }
                if self.low[at] == self.number[at] {
                    let start = open.iter().rposition(|other| *other == block).expect("it is open");
                    let blocks = open.split_off(start);
                    blocks.iter().for_each(|block| self.number[block.0 as usize] = CLOSED);
                    found.push(blocks);
                }
            }
        }
        found.iter().flatten().for_each(|block| self.number[block.0 as usize] = 0);
        found
    }
}
