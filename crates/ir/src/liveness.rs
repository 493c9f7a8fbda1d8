//! Liveness: which registers a block may still read that were written before it.
//!
//! At a join, two states have to agree on these registers only. So the encoder merges
//! them and forgets the rest, and a proof by induction relates them at a loop head.
//!
//! There is one walk for each register, from its uses backwards to its definition (after Appel's "liveness
//! by use"). It costs no more than the answer is long. In SSA form, a register that is live at the entry
//! and is no parameter has a definition that does not dominate its uses. The verifier asks for just that.

use crate::{BlockId, End, Function, Operand, Register};

/// The registers that are live where each block begins, by block, sorted. A block's own parameters are
/// defined by the block, so they are not among them; arguments of an edge are read by the block
/// that the edge leaves.
pub fn live_in(function: &Function) -> Vec<Vec<Register>> {
    let count = function.blocks.len();
    let mut predecessors: Vec<Vec<BlockId>> = vec![vec![]; count];
    let mut defined_in: Vec<Option<BlockId>> = vec![None; function.registers.len()];
    // By register: the blocks that read it before they define it, if they do.
    let mut exposed: Vec<Vec<BlockId>> = vec![vec![]; function.registers.len()];
    for (at, block) in function.blocks.iter().enumerate() {
        let id = BlockId(at as u32);
        for parameter in &block.parameters {
            defined_in[parameter.0 as usize] = Some(id);
        }
        for instruction in &block.instructions {
            for register in registers(instruction.action.operands()) {
                expose(&mut exposed, &defined_in, register, id);
            }
            if let Some(result) = instruction.result {
                defined_in[result.0 as usize] = Some(id);
            }
        }
        for register in registers(end_reads(&block.end)) {
            expose(&mut exposed, &defined_in, register, id);
        }
        for edge in block.end.edges() {
            predecessors[edge.to.0 as usize].push(id);
        }
    }

    let mut live: Vec<Vec<Register>> = vec![vec![]; count];
    for (at, mut blocks) in exposed.into_iter().enumerate() {
        let register = Register(at as u32);
        while let Some(block) = blocks.pop() {
            let live = &mut live[block.0 as usize];
            if live.last() == Some(&register) {
                continue;
            }
            live.push(register);
            let before = &predecessors[block.0 as usize];
            blocks.extend(before.iter().filter(|block| defined_in[at] != Some(**block)));
        }
    }
    live
}

fn expose(exposed: &mut [Vec<BlockId>], defined_in: &[Option<BlockId>], register: Register, block: BlockId) {
    let at = register.0 as usize;
    if defined_in[at] != Some(block) && exposed[at].last() != Some(&block) {
        exposed[at].push(block);
    }
}

fn registers<'a>(operands: impl Iterator<Item = &'a Operand>) -> impl Iterator<Item = Register> {
    operands.filter_map(|operand| match operand {
        Operand::Register(register) => Some(*register),
        Operand::Constant(_) | Operand::Uninitialised(_) => None,
    })
}

fn end_reads(end: &End) -> impl Iterator<Item = &Operand> {
    let decides = match end {
        End::Branch { condition, .. } => Some(condition),
        End::Switch { value, .. } => Some(value),
        End::Return(value) => value.as_ref(),
        End::Jump(_) | End::Unreachable => None,
    };
    decides.into_iter().chain(end.edges().into_iter().flat_map(|edge| &edge.arguments))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The registers that are live where each block of `char f(char a, char b)` begins.
    fn check(blocks: &str, expect: &[&[u32]]) {
        let text = format!("function @f(%0 a: s8 \"char\", %1 b: s8 \"char\") -> s8 \"char\" {{ {blocks} }}");
        let program = crate::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let live = live_in(&program.functions[0]);
        let live: Vec<Vec<u32>> =
            live.into_iter().map(|block| block.into_iter().map(|register| register.0).collect()).collect();
        assert_eq!(live, expect, "{text}");
    }

    #[test]
    fn a_register_is_live_until_its_last_read() {
        check("block0: return 0:i8", &[&[]]);
        check("block0: return %1", &[&[1]]);
        check("block0: %2:i8 = add %1, %0 return %2", &[&[0, 1]]);
        check("block0: jump block1 block1: return %1", &[&[1], &[1]]);
        check("block0: %2:i8 = not %0 jump block1 block1: return %2", &[&[0], &[2]]);
    }

    #[test]
    fn parameters_belong_to_their_block_and_arguments_to_the_block_before() {
        check("block0: jump block1(%0) block1(%2:i8): return %2", &[&[0], &[]]);
        check("block0: jump block1(%0) block1(%2:i8): %3:i8 = add %2, %1 return %3", &[&[0, 1], &[1]]);
    }

    #[test]
    fn only_one_way_may_need_it() {
        let text = "block0: branch 1:i1, block1, block2 block1: return %0 block2: return %1";
        check(text, &[&[0, 1], &[0], &[1]]);
        let text =
            "block0: switch %0 { 1:i8 => block1, default => block2 } block1: return %1 block2: unreachable";
        check(text, &[&[0, 1], &[1], &[]]);
    }

    #[test]
    fn what_a_loop_reads_is_live_all_around_it() {
        let text = "block0: %2:i8 = not %0 jump block1(%2)
            block1(%3:i8): branch 1:i1, block2, block3
            block2: %4:i8 = add %3, %1 jump block1(%4)
            block3: return %2";
        check(text, &[&[0, 1], &[1, 2], &[1, 2, 3], &[2]]);
    }
}
