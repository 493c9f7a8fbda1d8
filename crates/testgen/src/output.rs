//! What is printed: taken from the streams during the call, and compared as text.
//!
//! The C library's own functions print, so there is nothing to replace. Instead
//! the stream leads to a file while the subject runs.
//!
//! Texts are compared as strings, which end at a NUL. If a NUL may be printed,
//! if only by a mutant, the length is compared as well.

use std::collections::BTreeSet;

use ir::{ExternalId, Observation, Program, SeenCall, Stream};

use crate::c::string;
use crate::check::Checks;
use crate::framework::Fact;
use crate::name::helper;

/// The first of two descriptors that keep the console in the meantime, far from those that a program opens.
/// With fixed ones, a test needs no `dup` and no `close`, which are names that a program may have for
/// something of its own.
const CONSOLE: u32 = 100;

/// What the original prints to a stream; none if we cannot tell.
pub(crate) fn expected(program: &Program, observation: &Observation, stream: Stream) -> Option<Vec<u8>> {
    // Where these print to, nobody knows.
    let is_unclear = |call: &SeenCall| program.external(call.external).prints;
    if observation.calls.iter().any(is_unclear) {
        return None;
    }
    observation.printed(stream).known().map(<[u8]>::to_vec)
}

/// Whether one of these functions may print a NUL.
pub(crate) fn may_print_nul(program: &Program, externals: &BTreeSet<ExternalId>) -> bool {
    let is_text = |global: &ir::Global| global.constant && has_character(&global.contents);
    externals.iter().map(|id| program.external(*id)).any(|external| match external.name.as_str() {
        "putchar" | "putchar_unlocked" | "fputc" | "putc" | "_IO_putc" | "__whet_show" | "__whet_show_in" => {
            external.prints
        }
        "printf" | "fprintf" => external.prints && program.globals.iter().any(is_text),
        _ => false,
    })
}

/// Whether this is a format with `%c` in it.
fn has_character(format: &[u8]) -> bool {
    let format = String::from_utf8_lossy(format).replace("%%", "");
    let letter = |conversion: &str| conversion.chars().find(char::is_ascii_alphabetic);
    format.split('%').skip(1).any(|conversion| letter(conversion) == Some('c'))
}

pub(crate) fn check(checks: &mut Checks, stream: Stream, text: &[u8], may_print_nul: bool) {
    let program = checks.scene.program;
    let (expected, length) = (&string(text), &text.len().to_string());
    let actual = &printed(program, stream);
    checks.say(match text.contains(&0) {
        true => Fact::Memory { expected, actual, size: length },
        false => Fact::Text { expected, actual },
    });
    if may_print_nul {
        let actual = &helper(program, "printed_length");
        checks.say(Fact::Equal { kind: "INT", expected: length, actual });
    }
}

/// Sends a stream to a file.
pub(crate) fn capture(program: &Program, stream: Stream) -> String {
    format!("{}({})", helper(program, "capture"), stream.name())
}

/// What a stream has sent there.
pub(crate) fn printed(program: &Program, stream: Stream) -> String {
    format!("{}({})", helper(program, "printed"), stream.name())
}

/// Functions for the test file. There is room for one letter more than any test expects.
pub(crate) fn definitions(program: &Program, longest: usize, may_print_nul: bool) -> String {
    let room = longest + 2;
    let names = ["capture", "printed", "printed_length", "file"];
    let [capture, printed, printed_length, file] = names.map(|name| helper(program, name));
    let console = CONSOLE;
    let (length, note) = match may_print_nul {
        true => (format!("static size_t {printed_length};\n"), format!("    {printed_length} = length;\n")),
        false => (String::new(), String::new()),
    };
    format!(
        "
/* Between {capture} and {printed}, a stream leads to a file in place of the console. */
static FILE *{file}[2];
{length}
static void {capture}(FILE *stream)
{{
    int which = stream == stderr;
    fflush(stream);
    dup2(fileno(stream), {console} + which);
    {file}[which] = tmpfile();
    dup2(fileno({file}[which]), fileno(stream));
}}

static const char *{printed}(FILE *stream)
{{
    static char text[{room}];
    int which = stream == stderr;
    fflush(stream);
    dup2({console} + which, fileno(stream));
    rewind({file}[which]);
    size_t length = fread(text, 1, sizeof text - 1, {file}[which]);
    text[length] = '\\0';
{note}    fclose({file}[which]);
    return text;
}}
"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_may_be_a_nul() {
        assert!(has_character(b"%d: %-3c\n"));
        assert!(!has_character(b"%d%% c %s\n"));
    }
}
