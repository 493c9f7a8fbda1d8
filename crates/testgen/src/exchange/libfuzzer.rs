//! Seeds for fuzzers: the bytes of an input, one after the other.
//!
//! What has a fixed size comes first, in the order of the parameters, and then what buffers hold. So a fuzz
//! target can take its numbers from the front, and what is left is the buffer. A null pointer has no bytes.

use ir::Program;

use super::{Given, Value, bytes};

pub(super) fn contents(program: &Program, given: &[Given]) -> Vec<u8> {
    let is_buffer = |given: &&Given| matches!(given.value, Value::Buffer(_));
    let (buffers, plain): (Vec<&Given>, Vec<&Given>) = given.iter().partition(is_buffer);
    plain.into_iter().chain(buffers).flat_map(|given| bytes(program, given)).collect()
}
