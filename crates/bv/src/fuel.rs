//! Fuel: how much memory and work may go into terms, by a model that is the same on every machine.
//!
//! Nobody asks the allocator or the clock. What grows is counted: the terms of a graph, what an encoder keeps
//! of the paths that it follows, and the gates that a solver makes of terms. Each has a price in bytes. Work
//! is counted in operators that are applied. So the same work comes to its limit at the same place
//! everywhere.

/// A number of bytes, as the model counts them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Memory(pub u64);

/// A number of operators that are applied to terms. Rules apply most of them. About a million take a second.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Work(pub u64);

impl Work {
    pub const UNLIMITED: Work = Work(u64::MAX);
}

/// What a graph has no more of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Lack {
    Memory,
    Work,
}

/// What is worked on at the same time gets an equal share. It does not depend on the number of threads,
/// because then the verdicts would.
const SHARES: u64 = 4;

/// This part of a share is for the graph and what is kept beside it. The rest, and what the graph does not
/// use, is for the circuits of a solver.
const GRAPH: u64 = 2;

/// What a term costs: its node, its place in tables, and its value under a few samples. Measured: 70 to 140
/// bytes for the node, and 20 for each sample.
const TERM: u64 = 400;

/// What a gate costs in a solver: a node of the circuit, three clauses, and the lists that lead there.
/// Measured on sums, products, quotients and floats, by the growth of Bitwuzla.
const GATE: u64 = 450;

impl Memory {
    /// One gigabyte, on every machine.
    pub const DEFAULT: Memory = Memory(1 << 30);
    pub const UNLIMITED: Memory = Memory(u64::MAX);

    /// What one piece of work may use, such as a batch of mutants.
    pub fn share(self) -> Memory {
        Memory(self.0 / SHARES)
    }

    /// What a graph may use, with all that is kept beside it.
    pub fn graph(self) -> Memory {
        Memory(self.0 / GRAPH)
    }

    /// What so many terms use.
    pub fn of_terms(terms: usize) -> Memory {
        Memory((terms as u64).saturating_mul(TERM))
    }

    /// How many gates a solver may make beside a graph of so many terms: it gets what the graph does not use.
    /// Most circuits that are large come from a graph that is small.
    pub fn gates_beside(self, terms: usize) -> u64 {
        let graph = Memory::of_terms(terms).min(self.graph());
        (self.0 - graph.0) / GATE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_solver_gets_what_the_graph_does_not_use() {
        let memory = Memory(1 << 30);
        let most = memory.gates_beside(0);
        assert_eq!(most, (1 << 30) / GATE);
        assert!(memory.gates_beside(1000) < most);
        assert_eq!(memory.gates_beside(usize::MAX), (1 << 29) / GATE, "half of it is the solver's own");
    }
}
