//! Orders of graphs by hand and by chance.

use arbtest::arbitrary::{Result, Unstructured};

use super::*;
use crate::{Block, Edge, End, Operand, Signature};

/// A function with these edges and nothing else. A block without successors returns.
fn graph(successors: &[Vec<u32>]) -> Function {
    let edge = |to: u32| Edge { to: BlockId(to), arguments: vec![] };
    let block = |to: &Vec<u32>| {
        let end = match to.split_last() {
            None => End::Return(None),
            Some((last, others)) => End::Switch {
                value: Operand::Uninitialised(32),
                cases: (0..).zip(others).map(|(at, to)| (bv::Word::new(32, at), edge(*to))).collect(),
                default: edge(*last),
            },
        };
        Block { parameters: vec![], instructions: vec![], end, at: None }
    };
    Function {
        name: "graph".to_string(),
        signature: Signature::default(),
        registers: vec![],
        arity: 0,
        result: None,
        door: None,
        library: false,
        sealed: false,
        external: true,
        blocks: successors.iter().map(block).collect(),
        unsupported: None,
        names: Default::default(),
    }
}

/// As Bourdoncle writes it: blocks in sequence, components in brackets.
fn text(order: &Order) -> String {
    let mut text = String::new();
    for (position, block) in (0..).zip(order.blocks()) {
        let around = order.around(*block);
        let opens = around.iter().filter(|id| order.component(**id).positions.start == position);
        let closes = around.iter().filter(|id| order.component(**id).positions.end == position + 1);
        text += if position > 0 { " " } else { "" };
        text += &"(".repeat(opens.count());
        text += &block.0.to_string();
        text += &")".repeat(closes.count());
    }
    text
}

fn check(successors: &[&[u32]], expect: &str) {
    let successors: Vec<Vec<u32>> = successors.iter().map(|to| to.to_vec()).collect();
    assert_eq!(text(&order(&graph(&successors))), expect);
}

#[test]
fn blocks_come_after_their_predecessors_and_loops_stand_together() {
    check(&[], "");
    check(&[&[]], "0");
    check(&[&[2, 1], &[3], &[3], &[]], "0 2 1 3");
    check(&[&[0]], "(0)");
    check(&[&[1], &[1, 2], &[]], "0 (1) 2");
    check(&[&[1], &[2, 3], &[1], &[]], "0 (1 2) 3");
    check(&[&[1], &[3, 2], &[1], &[]], "0 (1 2) 3");
    check(&[&[1], &[2, 4], &[3, 1], &[2], &[]], "0 (1 (2 3)) 4");
    // An edge out of two loops at once.
    check(&[&[1], &[2], &[3, 1], &[2, 4], &[]], "0 (1 (2 3)) 4");
    // Irreducible: a loop with two ways in.
    check(&[&[1, 2], &[2], &[1, 3], &[]], "0 (2 1) 3");
    // A block out of reach.
    check(&[&[2], &[2], &[]], "0 2");
}

#[test]
fn the_example_of_bourdoncles_paper() {
    // His blocks 1 to 8 are ours 0 to 7: 1 2 (3 4 (5 6) 7) 8.
    check(&[&[1], &[2, 7], &[3], &[4, 6], &[5], &[4, 6], &[2, 7], &[]], "0 1 (2 3 (4 5) 6) 7");
}

#[test]
fn many_blocks_do_not_overflow_the_stack() {
    const BLOCKS: u32 = 20_000;
    let chain: Vec<Vec<u32>> =
        (0..BLOCKS).map(|at| if at + 1 < BLOCKS { vec![at + 1] } else { vec![0] }).collect();
    assert_eq!(order(&graph(&chain)).components().count(), 1);
    const NESTED: u32 = 1_000;
    let mut loops: Vec<Vec<u32>> = (1..=NESTED).map(|at| vec![at]).collect();
    loops.extend((NESTED..2 * NESTED).map(|at| vec![2 * NESTED - at, at + 1]));
    loops.push(vec![]);
    let order = order(&graph(&loops));
    assert_eq!(order.components().map(|(_, component)| component.depth).max(), Some(NESTED - 1));
}

#[derive(Debug)]
struct TestCase {
    successors: Vec<Vec<u32>>,
    /// Which successor to take at each step of a walk.
    walk: Vec<u8>,
}

fn test_case(u: &mut Unstructured) -> Result<TestCase> {
    let count = u.int_in_range(1..=12u32)?;
    let mut successors = Vec::new();
    for _ in 0..count {
        let degree = u.int_in_range(0..=3)?;
        successors.push((0..degree).map(|_| u.int_in_range(0..=count - 1)).collect::<Result<_>>()?);
    }
    let walk = (0..u.int_in_range(0..=60)?).map(|_| u.arbitrary()).collect::<Result<_>>()?;
    Ok(TestCase { successors, walk })
}

fn check_property(test_case: &TestCase) {
    let order = order(&graph(&test_case.successors));
    for from in order.blocks() {
        for to in &test_case.successors[from.0 as usize] {
            let (from_position, to_position) = (order.position(*from), order.position(BlockId(*to)));
            assert!(to_position.is_some(), "what a reachable block reaches is reachable");
            let forward = from_position < to_position;
            assert_ne!(forward, order.repeats(*from, BlockId(*to)).is_some(), "{from:?} to {to}");
        }
    }
    for (id, component) in order.components() {
        let head = order.position(component.head).unwrap();
        assert_eq!(head, component.positions.start);
        for position in component.positions.clone() {
            assert!(order.around(order.blocks()[position as usize]).contains(&id));
        }
        if let Some(parent) = component.parent {
            let parent = order.component(parent);
            assert!(parent.positions.start < head && component.positions.end <= parent.positions.end);
        }
    }
    let mut key = order.entry();
    for choice in &test_case.walk {
        let block = order.block(&key);
        let successors = &test_case.successors[block.0 as usize];
        if successors.is_empty() {
            break;
        }
        let to = BlockId(successors[*choice as usize % successors.len()]);
        let next = order.follow(&key, to);
        assert!(key < next, "{key:?} to {next:?}");
        assert_eq!(order.block(&next), to);
        let iteration = order.iterations(&next).last().map(|(_, iteration)| *iteration);
        match order.iteration(&key, to) {
            Some(begun) => assert_eq!(Some(begun), iteration),
            None => assert_eq!(order.repeats(block, to), None),
        }
        key = next;
    }
}

#[test]
fn smoke() {
    arbtest::arbtest(|u| {
        check_property(&test_case(u)?);
        Ok(())
    })
    .budget_ms(1_000);
}
