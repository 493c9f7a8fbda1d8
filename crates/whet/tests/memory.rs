//! Memory is fuel: what needs too much of it is open, and the run goes on.

mod folder;

use folder::{Folder, stdout};

/// Texts that are joined in a buffer, at places that the input decides.
const JOIN: &str = "#include <string.h>
void join(char *to, const char *a, const char *b, unsigned n)
{
    unsigned used = 0;
    for (unsigned i = 0; i < n; i++) {
        memcpy(to + used, a, strlen(a));
        used += strlen(a);
        memcpy(to + used, b, strlen(b));
        used += strlen(b);
    }
    to[used] = 0;
}
int twice(int a)
{
    return a + a;
}
";

/// What a run says that looks at sums with these flags.
fn says(flags: &[&str]) -> String {
    let folder = Folder::new(&[("join.c", JOIN)]);
    let run = ["run", "join.c", "--operators", "AOR", "--stages", "bounded", "--no-store", "--timings"];
    let output = folder.whet(&[&run, flags].concat());
    assert!(matches!(output.status.code(), Some(0 | 3)), "{output:?}");
    stdout(&output)
}

#[test]
fn a_function_that_needs_too_much_is_open_and_the_others_are_settled() {
    let text = says(&["--memory", "16M"]);
    assert!(text.contains("needs more memory than --memory allows: try again with more"), "{text}");
    assert!(!text.contains("join.c:16"), "the mutants of `twice` need little: {text}");
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let score = |jobs: &str| {
        let text = says(&["--memory", "64M", "--jobs", jobs]);
        text.lines().filter(|line| line.starts_with("score")).map(String::from).collect::<Vec<_>>()
    };
    assert_eq!(score("1"), score("3"));
}

#[test]
fn the_peak_is_printed() {
    let text = says(&["--function", "twice"]);
    let peak = text.lines().find_map(|line| line.trim().strip_prefix("peak memory"));
    let number = peak.and_then(|peak| peak.trim().strip_suffix(" MB")).expect("it is there");
    assert!(number.parse::<f64>().is_ok_and(|number| number > 10.0), "{number}");
}
