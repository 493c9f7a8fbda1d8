//! What a run prints: one text for each stream, however many calls have printed it.
//!
//! A test catches what a stream is sent, and compares it as a whole. So `printf("%d\n", n)` is the same as
//! `printf("%d", n)` and `putchar('\n')`, and two numbers are the same that a format shows alike. It does not
//! see either what was printed before a call of another function, and what after it.
//!
//! Where C or we do not know the text of a call, such as that of an address, the text ends, and the calls
//! from there on take its place.

mod format;

use crate::{External, Program, Seen, SeenCall};

/// A stream that is open when a program starts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Stream {
    Out,
    Error,
}

impl Stream {
    pub const ALL: [Stream; 2] = [Stream::Out, Stream::Error];

    /// What C calls it.
    pub fn name(self) -> &'static str {
        match self {
            Stream::Out => "stdout",
            Stream::Error => "stderr",
        }
    }
}

/// What a stream was sent.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Printed {
    pub text: Vec<u8>,
    /// The first call whose text nobody knows, and all after it that print to the stream.
    pub rest: Vec<SeenCall>,
}

impl Printed {
    /// The text, if all of it is known.
    pub fn known(&self) -> Option<&[u8]> {
        self.rest.is_empty().then_some(&self.text)
    }
}

/// Takes the calls that print to a known stream out of all calls, and gives what each stream was sent.
pub(crate) fn take(program: &Program, calls: Vec<SeenCall>) -> (Vec<SeenCall>, [Printed; 2]) {
    let (mut others, mut printed) = (Vec::new(), [Printed::default(), Printed::default()]);
    for call in calls {
        let external = program.external(call.external);
        let Some((stream, arguments)) = destination(program, external, &call.arguments) else {
            others.push(call);
            continue;
        };
        let Printed { text, rest } = &mut printed[stream as usize];
        match format::printed(&external.name, &arguments).filter(|_| rest.is_empty()) {
            Some(more) => text.extend(more),
            None => rest.push(call),
        }
    }
    (others, printed)
}

/// Whether a function that prints may print to this stream.
pub fn may_print(name: &str, stream: Stream) -> bool {
    match name {
        "perror" => stream == Stream::Error,
        "putchar" | "puts" | "printf" | "putchar_unlocked" | "__whet_show" => stream == Stream::Out,
        _ => true,
    }
}

/// The stream that a call prints to, and its other arguments. None if it does not print, or nobody knows
/// where.
fn destination(program: &Program, external: &External, arguments: &[Seen]) -> Option<(Stream, Vec<Seen>)> {
    let stream = |at: usize| match arguments.get(at)? {
        Seen::Global { global, .. } => {
            Stream::ALL.into_iter().find(|stream| program.global(*global).name == stream.name())
        }
        _ => None,
    };
    if !external.prints {
        return None;
    }
    match external.name.as_str() {
        "fprintf" => Some((stream(0)?, arguments[1..].to_vec())),
        "fflush" => Some((stream(0)?, vec![])),
        "fputs" | "fputc" | "putc" | "_IO_putc" | "__whet_show_in" => {
            Some((stream(1)?, arguments[..1].to_vec()))
        }
        "putchar" | "puts" | "printf" | "putchar_unlocked" | "__whet_show" => {
            Some((Stream::Out, arguments.to_vec()))
        }
        "perror" => Some((Stream::Error, arguments.to_vec())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use bv::Word;

    use super::*;
    use crate::{Difference, ExternalId, Observation, parse};

    const STREAMS: &str = r#"
        global @stderr: u8 "FILE" = "\0" constant static
        external @printf(pointer "const char *" constant to s8 "char") variadic prints
        external @putchar(u8 "unsigned char") prints
        external @fputs(pointer "const char *" constant to s8 "char", pointer "FILE *" to u8 "FILE") prints
        external @note()
        function @f() { block0: return }"#;

    fn text(text: &str) -> Seen {
        Seen::Text(text.as_bytes().to_vec())
    }

    fn double(value: f64) -> Seen {
        Seen::Word(Word::new(64, value.to_bits().into()))
    }

    fn seen(calls: &[(u32, &[Seen])]) -> Observation {
        let program = parse(STREAMS).unwrap_or_else(|error| panic!("{error}"));
        let call = |(external, arguments): &(u32, &[Seen])| {
            SeenCall::new(&program, ExternalId(*external), arguments.to_vec())
        };
        let (calls, printed) = take(&program, calls.iter().map(call).collect());
        Observation { calls, printed, ..Observation::default() }
    }

    #[test]
    fn who_prints_a_text_does_not_matter() {
        let letter = |letter: u8| Seen::Word(Word::new(8, letter.into()));
        let one = seen(&[(0, &[text("%.1f\n"), double(0.25)]), (3, &[])]);
        let other = seen(&[(0, &[text("%.1f"), double(0.2)]), (3, &[]), (1, &[letter(b'\n')])]);
        assert_eq!(one.printed(Stream::Out).known(), Some(&b"0.2\n"[..]));
        assert_eq!(one.difference(&other), Difference::None);
        assert_eq!((one.calls.len(), one.calls == other.calls), (1, true));
        assert_eq!(one.difference(&seen(&[(0, &[text("0.2")]), (3, &[])])), Difference::Plain);
    }

    #[test]
    fn each_stream_has_a_text_of_its_own() {
        let stderr = Seen::Global { global: crate::GlobalId(0), offset: 0 };
        let one = seen(&[(2, &[text("a"), stderr.clone()]), (0, &[text("b")])]);
        let other = seen(&[(0, &[text("b")]), (2, &[text("a"), stderr])]);
        assert_eq!(one.printed(Stream::Error).known(), Some(&b"a"[..]));
        assert_eq!(one.difference(&other), Difference::None);
    }

    #[test]
    fn what_is_not_known_tells_nothing_apart_and_is_not_the_same() {
        let one = seen(&[(0, &[text("a%f"), double(f64::NAN)])]);
        let other = seen(&[(0, &[text("a%f"), double(1.0)])]);
        assert_eq!(one.printed(Stream::Out).known(), None);
        assert_eq!(one.difference(&other), Difference::None);
        assert!(one.differs_inside(&other));
        assert_eq!(other.difference(&one), Difference::Plain);
    }
}
