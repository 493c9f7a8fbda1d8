//! What is printed: taken from the streams during the call, and compared as text.
//!
//! The C library's own functions print, so there is nothing to replace. Instead the stream leads to a
//! file while the subject runs.

use ir::{Observation, Program, Seen};

use crate::c::string;
use crate::format;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Stream {
    Out,
    Error,
}

impl Stream {
    pub const ALL: [Stream; 2] = [Stream::Out, Stream::Error];

    pub fn name(self) -> &'static str {
        match self {
            Stream::Out => "stdout",
            Stream::Error => "stderr",
        }
    }
}

/// What the original prints to a stream; none if we cannot tell.
pub fn expected(program: &Program, observation: &Observation, stream: Stream) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    for call in &observation.calls {
        let external = program.external(call.external);
        if !external.prints {
            continue;
        }
        let (to, arguments) = destination(program, &external.name, &call.arguments)?;
        if to == stream {
            out.extend(format::printed(&external.name, &arguments)?);
        }
    }
    // The text is compared as a string.
    (!out.contains(&0)).then_some(out)
}

/// Whether a function that prints may print to this stream.
pub fn may_print(name: &str, stream: Stream) -> bool {
    match name {
        "perror" => stream == Stream::Error,
        "putchar" | "puts" | "printf" | "vprintf" | "putchar_unlocked" => stream == Stream::Out,
        _ => true,
    }
}

/// The stream, and the other arguments.
fn destination(program: &Program, name: &str, arguments: &[Seen]) -> Option<(Stream, Vec<Seen>)> {
    let stream = |seen: &Seen| match seen {
        Seen::Global { global, .. } => {
            Stream::ALL.into_iter().find(|stream| program.global(*global).name == stream.name())
        }
        _ => None,
    };
    match name {
        "fprintf" => Some((stream(arguments.first()?)?, arguments[1..].to_vec())),
        "fputs" | "fputc" | "putc" => Some((stream(arguments.get(1)?)?, arguments[..1].to_vec())),
        "putchar" | "puts" | "printf" | "putchar_unlocked" => Some((Stream::Out, arguments.to_vec())),
        _ => None,
    }
}

pub fn check(stream: Stream, text: &[u8]) -> String {
    format!("TEST_ASSERT_EQUAL_STRING({}, printed({}));", string(text), stream.name())
}

/// Functions for the test file. There is room for one letter more than any test expects.
pub fn definitions(longest: usize) -> String {
    let room = longest + 2;
    format!(
        "
/* Between capture and printed, a stream leads to a file in place of the console. */
static int console[2];
static FILE *file[2];

static void capture(FILE *stream)
{{
    int which = stream == stderr;
    fflush(stream);
    console[which] = dup(fileno(stream));
    file[which] = tmpfile();
    dup2(fileno(file[which]), fileno(stream));
}}

static const char *printed(FILE *stream)
{{
    static char text[{room}];
    int which = stream == stderr;
    fflush(stream);
    dup2(console[which], fileno(stream));
    close(console[which]);
    rewind(file[which]);
    text[fread(text, 1, sizeof text - 1, file[which])] = '\\0';
    fclose(file[which]);
    return text;
}}
"
    )
}
