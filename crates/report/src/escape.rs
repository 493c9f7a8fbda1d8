//! Escaping: each format has signs of its own, and text from outside must not be taken for them.

/// For XML, in elements and attributes alike. Line breaks in an attribute would be read as blanks.
pub(crate) fn xml(text: &str) -> String {
    let mut out = String::new();
    for c in printable(text).chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\'' => out += "&#39;",
            '\n' => out += "&#10;",
            '\r' => out += "&#13;",
            '\t' => out += "&#9;",
            c => out.push(c),
        }
    }
    out
}

/// JSON that may stand in an HTML script: nothing in it can end the script, or start a comment.
pub(crate) fn script(json: &str) -> String {
    // In JSON, this sign occurs in strings only.
    json.replace('<', "\\u003c")
}

/// A code span of Markdown: fenced by more backticks than the text has in a row.
pub(crate) fn code_span(text: &str) -> String {
    let text = one_line(&printable(text));
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    // A blank on each side is taken off again, and keeps apart what belongs to the text.
    let blank =
        if text.starts_with(['`', ' ']) || text.ends_with(['`', ' ']) || text.is_empty() { " " } else { "" };
    format!("{fence}{blank}{text}{blank}{fence}")
}

/// Words in Markdown. What could be taken for markup stands there as itself.
pub(crate) fn words(text: &str) -> String {
    let mut out = String::new();
    for c in one_line(&printable(text)).chars() {
        match c {
            '<' => out += "&lt;",
            '&' => out += "&amp;",
            '\\' | '*' | '_' | '[' | ']' | '|' | '~' | '#' => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    out
}

/// The message of a workflow command of GitHub.
pub(crate) fn command_message(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A property of a workflow command of GitHub.
pub(crate) fn command_property(text: &str) -> String {
    command_message(text).replace(':', "%3A").replace(',', "%2C")
}

/// A path as a URI reference: absolute if the path is.
pub(crate) fn uri(path: &str) -> String {
    let mut out = String::from(if path.starts_with('/') { "file://" } else { "" });
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => {
                out.push(byte as char)
            }
            other => out += &format!("%{other:02X}"),
        }
    }
    out
}

/// The text without its line breaks.
pub(crate) fn one_line(text: &str) -> String {
    if !text.contains(['\n', '\r']) {
        return text.to_string();
    }
    let lines = text.lines().map(|line| line.trim_end_matches('\\').trim());
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

/// The text with a replacement character for each sign that XML forbids and a terminal would obey.
pub(crate) fn printable(text: &str) -> String {
    let forbidden = |c: char| {
        (c.is_control() && !matches!(c, '\t' | '\n' | '\r')) || matches!(c, '\u{fffe}' | '\u{ffff}')
    };
    text.replace(forbidden, "\u{fffd}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn xml_keeps_its_signs_apart() {
        assert_eq!(xml("a < b && \"c\"\n"), "a &lt; b &amp;&amp; &quot;c&quot;&#10;");
        assert_eq!(xml("\u{1}\u{1b}[0m\u{7f}\u{ffff}"), "\u{fffd}\u{fffd}[0m\u{fffd}\u{fffd}");
    }

    #[test]
    fn nothing_ends_a_script() {
        assert_eq!(script(r#"{"a":"</script><!--"}"#), r#"{"a":"\u003c/script>\u003c!--"}"#);
    }

    #[test]
    fn a_code_span_holds_any_text() {
        assert_eq!(code_span("a | b"), "`a | b`");
        assert_eq!(code_span("`x"), "`` `x ``");
        assert_eq!(code_span("a ``` b"), "````a ``` b````");
        assert_eq!(code_span("a;\n    b;"), "`a; b;`");
        assert_eq!(code_span(""), "`  `");
    }

    #[test]
    fn words_are_no_markup() {
        assert_eq!(words("`f` <b> a*b_c [x](y)"), "`f` &lt;b> a\\*b\\_c \\[x\\](y)");
    }

    #[test]
    fn a_command_of_github_has_one_line() {
        assert_eq!(command_message("50 %\r\n: a, b"), "50 %25%0D%0A: a, b");
        assert_eq!(command_property("a,b:c.c"), "a%2Cb%3Ac.c");
    }

    #[test]
    fn a_path_becomes_a_uri() {
        assert_eq!(uri("src/my file#1.c"), "src/my%20file%231.c");
        assert_eq!(uri("/tmp/ä.c"), "file:///tmp/%C3%A4.c");
    }
}
