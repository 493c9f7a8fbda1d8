//! LLVM's text, word by word. What stands in quotation marks is one word, whatever it says.

/// A word, with its sign if it has one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Word<'a> {
    /// `@name`
    Symbol(String),
    /// `%name`: a type, or something inside of a function.
    Local(String),
    /// `#3`, `!7` or `!srcloc`, which differ from file to file and mean little.
    Number,
    Plain(&'a str),
}

/// The words of a text, without comments.
pub(super) fn words(text: &str) -> impl Iterator<Item = Word<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            rest = rest.trim_start();
            match rest.strip_prefix(';') {
                Some(comment) => rest = comment.find('\n').map_or("", |end| &comment[end..]),
                None => break,
            }
        }
        let sign = rest.chars().next()?;
        let behind = &rest[sign.len_utf8()..];
        let length = word(behind);
        let (word, after) = match sign {
            '@' if length > 0 => (Word::Symbol(name(&behind[..length])), &behind[length..]),
            '%' if length > 0 => (Word::Local(name(&behind[..length])), &behind[length..]),
            // `!"round.upward"` is no number.
            '#' | '!' if length > 0 && !behind.starts_with('"') => (Word::Number, &behind[length..]),
            _ => {
                let length = self::word(rest).max(sign.len_utf8());
                (Word::Plain(&rest[..length]), &rest[length..])
            }
        };
        rest = after;
        Some(word)
    })
}

/// How long the name, the number or the text in quotation marks is that begins here.
fn word(text: &str) -> usize {
    match text.strip_prefix('"') {
        // A quotation mark inside is written as a number.
        Some(quoted) => quoted.find('"').map_or(text.len(), |end| end + 2),
        None => {
            let is_end = |c: char| !c.is_ascii_alphanumeric() && !"_.$-+".contains(c);
            text.find(is_end).unwrap_or(text.len())
        }
    }
}

/// A name without its quotation marks. Bytes that have no sign of their own are
/// two digits behind a backslash.
fn name(word: &str) -> String {
    let Some(quoted) = word.strip_prefix('"') else { return word.to_string() };
    let mut pieces = quoted.trim_end_matches('"').split('\\');
    let mut bytes = pieces.next().unwrap_or_default().as_bytes().to_vec();
    for piece in pieces {
        let digits = piece.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.extend(digits);
        bytes.extend_from_slice(digits.map_or(piece, |_| &piece[2..]).as_bytes());
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &[Word]) {
        assert_eq!(words(text).collect::<Vec<_>>(), expect);
    }

    #[test]
    fn signs_tell_what_a_name_is_of() {
        let (symbol, local) = (Word::Symbol("a.b".to_string()), Word::Local("struct.s".to_string()));
        let (open, close) = (Word::Plain("("), Word::Plain(")"));
        check("@a.b(%struct.s)", &[symbol.clone(), open.clone(), local.clone(), close.clone()]);
        check("@\"a.b\"(%\"struct.s\")", &[symbol, open, local, close]);
    }

    #[test]
    fn a_name_may_have_any_bytes() {
        check("@\"\\01a\\C3\\A9b\"", &[Word::Symbol("\u{1}aéb".to_string())]);
    }

    #[test]
    fn what_stands_in_quotation_marks_is_one_word() {
        check("c\"a #1 @b ;\" x ; y", &[Word::Plain("c"), Word::Plain("\"a #1 @b ;\""), Word::Plain("x")]);
        check("#1 !srcloc !2", &[Word::Number, Word::Number, Word::Number]);
        check("!\"round.upward\"", &[Word::Plain("!"), Word::Plain("\"round.upward\"")]);
    }
}
