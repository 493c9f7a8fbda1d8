//! KLEE's `.ktest`, version 3: named objects and their bytes.
//!
//! Numbers are big-endian; what the objects hold is as it lies in memory. After
//! `lib/Basic/KTest.cpp` of KLEE, which reads nothing that is empty: so a null
//! pointer has no object, and a test with an empty buffer does not fit.

use ir::Program;

use super::{Given, Value, bytes};

const MAGIC: &[u8] = b"KTEST";
const VERSION: u32 = 3;

pub(super) fn file_name(number: usize) -> String {
    format!("test{number:06}.ktest")
}

/// One object for each parameter: what it holds, or what the buffer holds that it leads to.
pub(super) fn contents(program: &Program, file: &str, given: &[Given]) -> Option<Vec<u8>> {
    let led = given.iter().filter(|given| !matches!(given.value, Value::Null));
    let objects: Vec<(&str, Vec<u8>)> = led.map(|given| (&*given.name, bytes(program, given))).collect();
    let mut out = MAGIC.to_vec();
    put_number(&mut out, VERSION);
    put_count(&mut out, 1)?;
    put(&mut out, file.as_bytes())?;
    // Symbolic arguments of `main`: how many, and how long. There are none.
    put_number(&mut out, 0);
    put_number(&mut out, 0);
    put_count(&mut out, objects.len())?;
    for (name, bytes) in objects {
        put(&mut out, name.as_bytes())?;
        put(&mut out, &bytes)?;
    }
    Some(out)
}

/// Bytes after their number, of which there is at least one.
fn put(out: &mut Vec<u8>, bytes: &[u8]) -> Option<()> {
    if bytes.is_empty() {
        return None;
    }
    put_count(out, bytes.len())?;
    out.extend(bytes);
    Some(())
}

fn put_count(out: &mut Vec<u8>, count: usize) -> Option<()> {
    put_number(out, u32::try_from(count).ok()?);
    Some(())
}

fn put_number(out: &mut Vec<u8>, number: u32) {
    out.extend(number.to_be_bytes());
}
