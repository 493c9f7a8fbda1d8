//! Words for messages: numbers with their nouns, and the name that a user most likely meant.

/// How much alike two names are, from 0 to 1, before one is taken for a slip of the other. Two letters in
/// the wrong order or a wrong one of three are above it, and names that share one letter are below.
const ALIKE: f64 = 0.6;

/// A number of things, such as `1 mutant` and `3 mutants`.
pub fn count(number: usize, what: &str) -> String {
    plural(number, what, &format!("{what}s"))
}

/// A number before words that depend on it, such as `1 mutant survives` and `3 mutants survive`.
pub fn plural(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// The known name that is most like one that nobody knows, whatever the case of its letters. None if none is
/// like it.
pub fn nearest<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let name = name.to_lowercase();
    let likeness = |known: &str| strsim::jaro_winkler(&name, &known.to_lowercase());
    let alike = known.into_iter().filter(|known| likeness(known) > ALIKE);
    alike.max_by(|a, b| likeness(a).total_cmp(&likeness(b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_recognised() {
        let known = ["json", "html", "junit", "min-score", "SDL"];
        for (name, meant) in
            [("htlm", "html"), ("xunit", "junit"), ("min_score", "min-score"), ("sdx", "SDL")]
        {
            assert_eq!(nearest(name, known), Some(meant));
        }
    }

    #[test]
    fn a_name_like_no_other_is_no_slip() {
        assert_eq!(nearest("qqq", ["json", "html"]), None);
        assert_eq!(nearest("qqq", []), None);
    }

    #[test]
    fn one_thing_is_no_plural() {
        assert_eq!([0, 1, 2].map(|number| count(number, "test")), ["0 tests", "1 test", "2 tests"]);
    }
}
