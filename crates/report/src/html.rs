//! `report.html`: one file that opens without a network.
//!
//! The page is the web component of the npm package `mutation-testing-elements`
//! with the report in it; `assets/NOTICE` says which version, and whom we thank.
//! A content security policy keeps the page from asking anybody for anything.
//!
//! The component chooses the highlighter by the file's extension, and shows
//! what it does not know as plain text. It does not know C. So `assets/c.js`
//! makes plain text mean C: that is true of all files in the report.
//!
//! The component computes a score of its own, which is one number: the lower
//! end of ours (see [`crate::fate`]). So the page begins with the interval.

use crate::escape::{script, xml};
use crate::{Report, original, report_json};

const COMPONENT: &str = include_str!("../assets/mutation-test-elements.js");
const GRAMMAR: &str = include_str!("../assets/c.js");
const PAGE: &str = include_str!("../assets/page.html");

/// The text of `report.html`.
pub(crate) fn html(report: &Report) -> String {
    let document = script(&report_json::document(report, shown).to_string());
    let parts = [
        ("{title}", &*xml(report.file)),
        ("{component}", COMPONENT),
        ("{grammar}", GRAMMAR),
        ("{score}", &*xml(&report.summary().in_words())),
        ("{original}", &originals(report)),
        ("{report}", &document),
    ];
    fill(PAGE, &parts)
}

/// What the original does wrong, a paragraph each.
fn originals(report: &Report) -> String {
    let paragraph = |finding| {
        let (line, call) = (original::line(report, finding), original::call(report, finding));
        format!("<p class=\"original\">{}, as in <code>{}</code></p>\n", xml(&line), xml(&call))
    };
    report.findings.iter().map(paragraph).collect()
}

/// A name that the component can make an address of: it takes a percent sign
/// for an escape, and stops. So it gets the wide one.
fn shown(name: &str) -> String {
    name.replace('%', "\u{ff05}")
}

/// Puts each part where its name stands, in this order. What was put in is not looked at again.
fn fill(page: &str, parts: &[(&str, &str)]) -> String {
    let mut out = String::new();
    let mut rest = page;
    for (name, part) in parts {
        let (before, after) = rest.split_once(name).expect("the page has a place for each part, in order");
        out += before;
        out += part;
        rest = after;
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scripts_do_not_end_early() {
        for script in [COMPONENT, GRAMMAR] {
            let script = script.to_ascii_lowercase();
            assert!(!script.contains("</script") && !script.contains("<script"));
        }
    }

    #[test]
    fn parts_are_put_in_as_they_are() {
        assert_eq!(fill("<{a}|{b}>", &[("{a}", "{b}$1"), ("{b}", "x")]), "<{b}$1|x>");
    }
}
