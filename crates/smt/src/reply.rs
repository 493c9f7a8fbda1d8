//! Reading the little SMT-LIB that matters: declarations, and answers to `(get-value …)`.

use bv::{MAX_WIDTH, Word};

/// How much of an answer that we cannot read is quoted in an error.
const QUOTE: usize = 200;

/// The symbols that a script of ours declares, in its order.
pub(crate) fn declared(script: &str) -> Vec<&str> {
    let lines = script.lines().filter_map(|line| line.strip_prefix("(declare-const "));
    lines.map(|line| tokens(line)[0]).collect()
}

/// The values in `((symbol value) …)`, in the order in which they were asked for.
pub(crate) fn values(text: &str, count: usize) -> Option<Vec<Word>> {
    if count == 0 {
        return Some(vec![]);
    }
    let tokens = tokens(text);
    let mut tokens = tokens.iter().copied();
    expect(&mut tokens, "(")?;
    let mut words = Vec::with_capacity(count);
    for _ in 0..count {
        expect(&mut tokens, "(")?;
        tokens.next()?;
        words.push(value(&mut tokens)?);
        expect(&mut tokens, ")")?;
    }
    expect(&mut tokens, ")")?;
    Some(words)
}

/// The start of an answer, on one line.
pub(crate) fn short(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(QUOTE) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// `true`, `#b0101`, `#x05` or `(_ bv5 4)`.
fn value<'t>(tokens: &mut impl Iterator<Item = &'t str>) -> Option<Word> {
    let token = tokens.next()?;
    match token {
        "true" => return Some(Word::truth(true)),
        "false" => return Some(Word::truth(false)),
        "(" => {
            expect(tokens, "_")?;
            let bits = tokens.next()?.strip_prefix("bv")?.parse().ok()?;
            let width = tokens.next()?.parse().ok()?;
            expect(tokens, ")")?;
            return word(width, bits);
        }
        _ => {}
    }
    let (digits, bits_per_digit) = match token.split_at_checked(2)? {
        ("#b", digits) => (digits, 1),
        ("#x", digits) => (digits, 4),
        _ => return None,
    };
    let bits = u128::from_str_radix(digits, 1 << bits_per_digit).ok()?;
    word(digits.len() as u32 * bits_per_digit, bits)
}

fn word(width: u32, bits: u128) -> Option<Word> {
    (1..=MAX_WIDTH).contains(&width).then(|| Word::new(width, bits))
}

fn expect<'t>(tokens: &mut impl Iterator<Item = &'t str>, token: &str) -> Option<()> {
    (tokens.next()? == token).then_some(())
}

/// Parentheses, `|quoted symbols|`, and everything else between blanks.
fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let end = match first {
            '(' | ')' => 1,
            '|' => rest[1..].find('|').map_or(rest.len(), |end| end + 2),
            _ => rest.find(|c: char| c.is_whitespace() || "()|".contains(c)).unwrap_or(rest.len()),
        };
        tokens.push(&rest[..end]);
        rest = rest[end..].trim_start();
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_write_a_value_is_read() {
        let text = "((a #x0f)\n (|a b)| #b101) (c true) (d (_ bv7 33)))\n";
        let expected = vec![Word::new(8, 15), Word::new(3, 5), Word::truth(true), Word::new(33, 7)];
        assert_eq!(values(text, 4), Some(expected));
    }

    #[test]
    fn declarations_are_found_quoted_or_not() {
        let script =
            "(set-logic QF_BV)\n(declare-const a (_ BitVec 8))\n(declare-const |a b| Bool)\n(check-sat)\n";
        assert_eq!(declared(script), ["a", "|a b|"]);
    }

    #[test]
    fn what_is_no_list_of_values_is_refused() {
        for text in ["", "((a", "((a maybe))", "(error \"no model\")", "((a #b))", "((a (_ bv1 0)))"] {
            assert_eq!(values(text, 1), None, "{text}");
        }
    }
}
