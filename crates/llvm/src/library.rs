//! The C library: bodies of our own, in C, for the functions that unit-level code calls.
//!
//! They are compiled when Whet is built, and lifted like the user's code if somebody calls them. Only the
//! program that we reason about has them. The native build calls the real library, which keeps ours honest.

use inkwell::context::ContextRef;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::Module;

use crate::variadic;

/// Written by the build script.
static BITCODE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/library.bc"));

/// In the context of the module that is lifted, so that types can be compared.
pub(crate) fn parse<'c>(context: ContextRef<'c>) -> Module<'c> {
    let buffer = MemoryBuffer::create_from_memory_range_copy(BITCODE, "library");
    let library = Module::parse_bitcode_from_buffer(&buffer, context).expect("clang wrote it");
    variadic::make_plain(&library);
    library
}
