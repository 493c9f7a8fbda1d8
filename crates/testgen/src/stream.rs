//! Streams that a test gives: files without a name that hold some bytes.
//!
//! Standard input leads to such a file, too. It may have read from what it led to before, so it is opened
//! anew.

use ir::{Datum, Program};

use crate::c::string;
use crate::name::helper;

/// What C calls standard input.
pub(crate) const STANDARD_INPUT: &str = "stdin";

/// What a stream holds. The last byte of its object is not read.
pub(crate) fn content(elements: &[Datum]) -> Vec<u8> {
    let read = &elements[..elements.len().saturating_sub(1)];
    read.iter().map(|byte| byte.word().map_or(0, |word| word.bits() as u8)).collect()
}

/// The line that makes a stream with this content.
pub(crate) fn made(program: &Program, name: &str, content: &[u8]) -> Vec<String> {
    let given = format!("{}, {}", string(content), content.len());
    vec![match name {
        STANDARD_INPUT => format!("{}({given});", helper(program, "provide")),
        _ => format!("FILE *{name} = {}({given});", helper(program, "stream")),
    }]
}

/// Functions for the test file, as far as the tests call them.
pub(crate) fn definitions(program: &Program, tests: &str) -> String {
    let [stream, provide] = ["stream", "provide"].map(|name| helper(program, name));
    let provides = tests.contains(&format!(" {provide}("));
    let mut out = String::new();
    if provides || tests.contains(&format!(" {stream}(")) {
        out += &format!(
            "
/* A stream that holds these bytes. */
static FILE *{stream}(const char *bytes, size_t length)
{{
    FILE *file = tmpfile();
    fwrite(bytes, 1, length, file);
    rewind(file);
    return file;
}}
"
        );
    }
    if provides {
        out += &format!(
            "
/* Lets standard input hold these bytes, and forget what it has read before. */
static void {provide}(const char *bytes, size_t length)
{{
    FILE *file = {stream}(bytes, length);
    if (freopen(\"/dev/null\", \"r\", stdin))
        dup2(fileno(file), fileno(stdin));
    fclose(file);
}}
"
        );
    }
    out
}
