//! The reports as those read them who take them: the schema, an XML parser, a browser, GitHub, a terminal.

mod browser;
mod sound;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use browser::Browser;
use serde_json::Value;

/// A name with what each format would take for its own signs.
const ODD: &str = "it's <odd>, 100% & \"new\": \u{e4}.c";

/// Every kind of verdict, and text that is no UTF-8, ends scripts and rings bells.
const SOURCE: &[u8] = b"/* Gr\xf6\xdfe </script><script>window.broken = 1</script> <!-- & \"x\" */
#include <stddef.h>

/* \xe4 */ int clip(int x)
{
    if (x > 100)
        return 100;
    return x;
}

int probe(int a)
{
    __asm__(\"\");
    return a + 1;
}

int spin(int n)
{
    int i = 0;
    while (i < n)
        i++;
    return i;
}

const char *bell(int loud)
{
    /* \xf0\x9f\xa6\x80 */ return loud ? \"\x07<&]]>`{0}`\" : NULL;
}

int level;
int raised(int x)
{
    return x + level;
}
";

/// A folder with the C file above in it.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Folder {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        std::fs::write(folder.path().join(ODD), SOURCE).expect("a file can be written");
        Folder(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.read(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Whet as it runs outside of GitHub, with more flags.
    fn command(&self, flags: &[&str]) -> Command {
        self.command_on(ODD, flags)
    }

    fn command_on(&self, file: &str, flags: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_whet"));
        command.args(["run", file]).args(flags).current_dir(self.0.path());
        for name in ["GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "GITHUB_WORKSPACE", "NO_COLOR"] {
            command.env_remove(name);
        }
        command
    }

    fn files(&self) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir(self.path("whet-out")) else { return vec![] };
        let mut names: Vec<String> =
            entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

fn run(mut command: Command, expect: i32) -> Output {
    let output = sound::output(&mut command);
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(expect), "{out}{err}");
    output
}

/// One run with all reports, for the tests that only read them.
fn all_reports() -> &'static Folder {
    static FOLDER: OnceLock<Folder> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = Folder::new();
        run(folder.command(&["--reports", "json,html,sarif,junit,markdown"]), 3);
        folder
    })
}

/// What `verdicts.json` says of the mutants.
fn verdicts() -> Vec<Value> {
    list(&all_reports().json("whet-out/verdicts.json")["mutants"])
}

fn list(value: &Value) -> Vec<Value> {
    value.as_array().expect("a list").clone()
}

fn only_entry(value: &Value) -> (String, Value) {
    let object = value.as_object().expect("an object");
    assert_eq!(object.len(), 1);
    let (key, value) = object.iter().next().expect("one entry");
    (key.clone(), value.clone())
}

fn check_valid(report: &Value) {
    let schema = include_str!("schema/mutation-testing-report-schema.json");
    let schema = serde_json::from_str(schema).expect("the schema is JSON");
    let validator = jsonschema::validator_for(&schema).expect("the schema is a schema");
    let errors: Vec<String> =
        validator.iter_errors(report).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(errors.is_empty(), "{errors:#?}");
}

#[test]
fn the_report_is_valid_in_its_schema() {
    let report = all_reports().json("whet-out/report.json");
    check_valid(&report);
    assert_eq!(report["schemaVersion"], "2");
    assert_eq!((&report["framework"]["name"], &report["config"]["bound"]), (&"Whet".into(), &8.into()));
    let (name, file) = only_entry(&report["files"]);
    assert_eq!((&*name, &file["language"]), (ODD, &"c".into()));
    assert_eq!(file["source"], String::from_utf8_lossy(SOURCE).as_ref());
}

#[test]
fn a_file_without_mutants_has_a_valid_report() {
    let folder = Folder::new();
    std::fs::write(folder.path(ODD), "int f(void)\n{\n    return 1;\n}\n").expect("a file can be written");
    run(folder.command(&["--operators", "AOR"]), 0);
    let report = folder.json("whet-out/report.json");
    check_valid(&report);
    assert_eq!(report["testFiles"], Value::Null);
}

/// The part of a text between two places, as a browser counts.
fn slice(text: &str, location: &Value) -> String {
    let lines: Vec<&str> = text.split('\n').collect();
    let number = |value: &Value| value.as_u64().expect("a number") as usize;
    let (start, end) = (&location["start"], &location["end"]);
    let (first, last) = (number(&start["line"]), number(&end["line"]));
    let rest = lines[first - 1..last].join("\n");
    let units: Vec<u16> = rest.encode_utf16().collect();
    let before: usize = lines[first - 1..last - 1].iter().map(|line| line.encode_utf16().count() + 1).sum();
    String::from_utf16_lossy(&units[number(&start["column"]) - 1..before + number(&end["column"]) - 1])
}

#[test]
fn each_mutant_of_the_report_stands_where_it_is_and_says_why() {
    let report = all_reports().json("whet-out/report.json");
    let (_, file) = only_entry(&report["files"]);
    let source = file["source"].as_str().expect("a text");
    let mut statuses = Vec::new();
    for (entry, verdict) in list(&file["mutants"]).iter().zip(verdicts()) {
        assert_eq!(entry["id"].as_str(), Some(&*verdict["id"].to_string()));
        assert_eq!(slice(source, &entry["location"]), verdict["original"], "{entry}");
        assert_eq!(entry["replacement"], verdict["replacement"]);
        assert_eq!(
            (&entry["mutatorName"], &entry["killedBy"]),
            (&verdict["operator"], &verdict["killed_by"])
        );
        let killers = list(&entry["killedBy"]);
        let covering = list(&entry["coveredBy"]);
        assert!(killers.iter().all(|test| covering.contains(test)), "who kills also reaches: {entry}");
        let (status, why) = match verdict["status"].as_str().expect("a word") {
            "killed" if verdict["method"] == "never returns" || verdict["method"] == "time-out" => {
                ("Timeout", &verdict["method"])
            }
            "killed" => ("Killed", &verdict["method"]),
            "open" => ("Survived", &verdict["reason"]),
            "limited" => ("Survived", &verdict["method"]),
            _ => ("Ignored", &verdict["method"]),
        };
        assert_eq!(entry["status"], status);
        let reason = entry["statusReason"].as_str().expect("a reason");
        assert!(reason.contains(why.as_str().expect("a text")), "{entry} {verdict}");
        statuses.push((status, verdict["status"].clone()));
    }
    for expect in [
        ("Killed", "killed"),
        ("Timeout", "killed"),
        ("Ignored", "equivalent"),
        ("Ignored", "duplicate"),
        ("Survived", "open"),
        ("Survived", "limited"),
    ] {
        assert!(statuses.contains(&(expect.0, expect.1.into())), "there is no {expect:?}");
    }
}

#[test]
fn a_proof_says_what_it_takes_for_granted() {
    let report = all_reports().json("whet-out/report.json");
    let (_, file) = only_entry(&report["files"]);
    let entries = list(&file["mutants"]);
    let mut limited = 0;
    for (entry, verdict) in entries.iter().zip(verdicts()) {
        let (is_proved, is_limited) = (verdict["status"] == "equivalent", verdict["status"] == "limited");
        let reason = entry["statusReason"].as_str().expect("a reason");
        let granted = [list(&verdict["limits"]), list(&verdict["assumptions"])].concat();
        for line in &granted {
            assert!(reason.contains(line.as_str().expect("a text")), "{reason}");
        }
        assert_eq!(is_proved && granted.is_empty(), reason.ends_with("; for all inputs"), "{reason}");
        assert_eq!(is_limited, !list(&verdict["limits"]).is_empty(), "{verdict}");
        limited += usize::from(is_limited);
    }
    assert!(limited > 0, "no proof has a limit");
}

#[test]
fn tests_are_listed_where_they_stand_and_by_what_they_reach() {
    let report = all_reports().json("whet-out/report.json");
    let (name, tests) = only_entry(&report["testFiles"]);
    assert_eq!(name, format!("whet-out/test_{ODD}"));
    let source = tests["source"].as_str().expect("a text");
    assert_eq!(source, all_reports().read(&name));
    for test in list(&tests["tests"]) {
        let text = slice(source, &test["location"]);
        let name = test["name"].as_str().expect("a name");
        assert!(text.starts_with(&format!("void {name}(void)\n{{\n")) && text.ends_with("\n}"), "{text}");
    }
    let (_, file) = only_entry(&report["files"]);
    let reaching = |line: u64| {
        let mutants = list(&file["mutants"]);
        let there = mutants.iter().find(|mutant| mutant["location"]["start"]["line"] == line);
        list(&there.expect("there is a mutant")["coveredBy"])
    };
    // Not all that compare come to the line below.
    assert!(reaching(7).len() < reaching(6).len() && !reaching(7).is_empty());
    assert!(reaching(14).is_empty(), "nobody can call this one");
}

/// The line with the score, as the terminal has it.
fn score_in_words() -> String {
    let text = all_reports().read("whet-out/report.md");
    let line = text.lines().find_map(|line| line.strip_prefix("**score ")).expect("there is a score");
    format!("score {}", line.trim_end_matches("**"))
}

#[test]
fn the_score_is_the_same_interval_everywhere() {
    let folder = all_reports();
    let again = run(folder.command(&["--out", "again", "--reports", "none"]), 3);
    let words = score_in_words();
    assert!(String::from_utf8_lossy(&again.stdout).contains(&words), "{words}");
    assert!(folder.read("whet-out/report.html").contains(&format!(">{words}<")), "{words}");
    let score = &folder.json("whet-out/report.json")["whet"]["score"];
    assert_eq!(score["words"], words.as_str());
    let summary = &folder.json("whet-out/verdicts.json")["summary"];
    assert_eq!((&score["low"], &score["high"]), (&summary["score_low"], &summary["score_high"]));
    assert!(score["low"].as_f64() < score["high"].as_f64(), "{score}");
    // What others compute from the statuses is the lower end.
    let (_, file) = only_entry(&folder.json("whet-out/report.json")["files"]);
    let mutants = list(&file["mutants"]);
    let count = |of: &[&str]| {
        mutants.iter().filter(|mutant| of.contains(&mutant["status"].as_str().expect("a word"))).count()
    };
    let (dead, alive) = (count(&["Killed", "Timeout"]), count(&["Survived"]));
    assert_eq!(score["low"].as_f64(), Some(dead as f64 / (dead + alive) as f64));
}

/// Nothing leads to one of the two, so that it is called itself.
const ALONE: &str = "static int least(int a)
{
    return a < 3 ? 3 : a;
}

int most(int a)
{
    return a > 3 ? 3 : a;
}
";

#[test]
fn a_kill_of_a_function_alone_is_marked_everywhere_and_counted_apart() {
    let folder = Folder::new();
    std::fs::write(folder.path("two.c"), ALONE).expect("a file can be written");
    let output = run(folder.command_on("two.c", &["--reports", "json,html,sarif,junit,markdown"]), 0);
    let verdicts = folder.json("whet-out/verdicts.json");
    let alone: Vec<Value> = list(&verdicts["mutants"])
        .into_iter()
        .filter(|mutant| mutant["status"] == "killed" && mutant["alone"] == true)
        .collect();
    let all = verdicts["summary"]["killed"].as_u64().expect("a number");
    assert!(alone.iter().all(|mutant| mutant["function"] == "least" && mutant["through"] == "least"));
    assert!(!alone.is_empty() && (alone.len() as u64) < all);
    assert_eq!(verdicts["summary"]["alone"], alone.len());
    let words = format!("{all} of {all} killed ({} alone)", alone.len());
    let terminal = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(terminal.contains(&words) && terminal.contains("killed  alone  equivalent"), "{terminal}");
    assert!(folder.read("whet-out/report.html").contains(&words));
    assert_eq!(folder.json("whet-out/report.json")["whet"]["alone"], alone.len());
    let markdown = folder.read("whet-out/report.md");
    assert!(markdown.contains(&words) && markdown.contains("| killed | alone |"), "{markdown}");
    assert!(markdown.contains("### Killed alone"), "{markdown}");
    let junit = folder.read("whet-out/junit.xml");
    let is_marked = |line: &&str| line.contains("Killed (") && line.contains(", alone): ");
    assert_eq!(junit.lines().filter(is_marked).count(), alone.len(), "{junit}");
    let results = list(&folder.json("whet-out/report.sarif")["runs"][0]["results"]);
    assert_eq!(results.len(), alone.len());
    for result in results {
        assert_eq!((&result["kind"], &result["level"]), (&"informational".into(), &"none".into()));
        assert!(result["message"]["text"].as_str().is_some_and(|text| text.contains(", alone): ")));
    }
    // The two functions have tests in two files, and each test is listed where it stands.
    check_valid(&folder.json("whet-out/report.json"));
    let files = folder.json("whet-out/report.json")["testFiles"].clone();
    let tests: usize =
        files.as_object().expect("files").values().map(|file| list(&file["tests"]).len()).sum();
    assert_eq!(
        (files.as_object().map(|files| files.len()), verdicts["summary"]["tests"].clone()),
        (Some(2), tests.into())
    );
}

#[test]
fn the_page_shows_the_file_the_score_and_a_mutant_without_a_network() {
    let folder = all_reports();
    let page = folder.path("whet-out/report.html");
    let mut browser = Browser::open(&page);
    browser.evaluate(
        "new Promise((done) => document.readyState === 'complete' ? done() : addEventListener('load', done))",
    );
    browser.evaluate(include_str!("browser/page.js"));

    let overview =
        browser.evaluate("when(() => text(document).includes('Mutation Score') && text(document))");
    let overview = overview.as_str().expect("a text");
    let count = |status: &str| verdicts().iter().filter(|verdict| verdict["status"] == status).count();
    let alive = count("open") + count("limited");
    let score = 100.0 * count("killed") as f64 / (count("killed") + alive) as f64;
    // The page cannot have a file with this sign.
    let shown = ODD.replace('%', "\u{ff05}");
    for expect in [&shown, &format!("{score:.2}"), &verdicts().len().to_string(), &score_in_words()] {
        assert!(overview.contains(expect), "no {expect} in {overview}");
    }

    browser.evaluate("click(all('td a').find((link) => text(link).includes('odd')))");
    browser.evaluate("when(() => all('.token').length)");
    let words = |browser: &mut Browser, class: &str| {
        let words = browser.evaluate(&format!("all('.token.{class}').map(text).join(' ')"));
        words.as_str().expect("a text").to_string()
    };
    assert!(words(&mut browser, "keyword").contains("while"), "C has its colours");
    assert!(words(&mut browser, "macro").contains("#include <stddef.h>"));
    assert!(
        words(&mut browser, "comment").contains("</script><script>window.broken = 1</script> <!-- & \"x\"")
    );

    // Only survivors show at first.
    browser.evaluate("when(() => boxes().length)");
    browser.evaluate("boxes().filter((box) => !box.checked).forEach((box) => box.click())");
    for (status, heading) in [("killed", "Killed"), ("equivalent", "Ignored"), ("open", "Survived")] {
        let verdict =
            verdicts().into_iter().find(|verdict| verdict["status"] == status).expect("there is one");
        let evidence = [&verdict["method"], &verdict["reason"]].into_iter().find_map(Value::as_str);
        let evidence = evidence.expect("a method or a reason");
        let mut expect = vec![
            format!("{} {heading}", verdict["operator"].as_str().expect("a text")),
            evidence.to_string(),
            format!("mutant {}, in {}: ", verdict["id"], verdict["function"].as_str().expect("a text")),
        ];
        expect.extend(verdict["killed_by"][0].as_str().map(|test| format!("Killed by:\n          {test}")));
        let details = browser.evaluate(&format!("details({}, {:?})", verdict["id"], expect[2]));
        let details = details.as_str().expect("a text");
        for expect in expect {
            assert!(details.contains(&expect), "no {expect:?} in {details:?}");
        }
    }

    assert_eq!(browser.evaluate("typeof window.broken"), "undefined", "a comment became a script");
    assert_eq!(browser.evaluate("performance.getEntriesByType('resource').length"), 0);
    assert_eq!(browser.requests.len(), 1, "the page itself, and nothing else: {:?}", browser.requests);
    assert!(browser.errors.is_empty(), "{:?}", browser.errors);
}

#[test]
fn sarif_has_a_result_for_each_mutant_that_is_alive() {
    let log = all_reports().json("whet-out/report.sarif");
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    let rules = list(&run["tool"]["driver"]["rules"]);
    let results = list(&run["results"]);
    let is_alive = |verdict: &Value| verdict["status"] == "open" || verdict["status"] == "limited";
    let open: Vec<Value> = verdicts().into_iter().filter(is_alive).collect();
    assert_eq!(results.len(), open.len());
    let source = String::from_utf8_lossy(SOURCE);
    for (result, verdict) in results.iter().zip(&open) {
        let index = result["ruleIndex"].as_u64().expect("an index") as usize;
        assert_eq!((&result["ruleId"], &rules[index]["id"]), (&verdict["operator"], &verdict["operator"]));
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(
            place["artifactLocation"]["uri"],
            "it%27s%20%3Codd%3E%2C%20100%25%20%26%20%22new%22%3A%20%C3%A4.c"
        );
        let region = &place["region"];
        let location = serde_json::json!({
            "start": { "line": region["startLine"], "column": region["startColumn"] },
            "end": { "line": region["endLine"], "column": region["endColumn"] },
        });
        assert_eq!(slice(&source, &location), verdict["original"]);
        let (level, why) = match verdict["status"].as_str() {
            Some("open") => ("warning", &verdict["reason"]),
            _ => ("note", &verdict["limits"][0]),
        };
        assert_eq!(result["level"], level, "{result}");
        let message = result["message"]["text"].as_str().expect("a text");
        assert!(message.contains(why.as_str().expect("a reason")), "{message}");
    }
}

#[test]
fn fingerprints_stay_when_lines_move() {
    let prints = |folder: &Folder| {
        let results = list(&folder.json("whet-out/report.sarif")["runs"][0]["results"]);
        let print = |result: &Value| result["partialFingerprints"]["whetMutant/v1"].to_string();
        results.iter().map(print).collect::<Vec<_>>()
    };
    let moved = Folder::new();
    std::fs::write(moved.path(ODD), [b"int before;\n\n", SOURCE].concat()).expect("a file can be written");
    run(moved.command(&["--reports", "sarif", "--function", "probe"]), 3);
    let mut before = prints(all_reports());
    before.retain(|print| print.starts_with("\"probe:"));
    assert_eq!(prints(&moved), before);
    let all = before.len();
    before.sort();
    before.dedup();
    assert_eq!(before.len(), all, "no two mutants have the same");
}

#[test]
fn junit_has_a_case_for_each_mutant() {
    let text = all_reports().read("whet-out/junit.xml");
    let document = roxmltree::Document::parse(&text).expect("it is XML");
    let cases: Vec<_> = document.descendants().filter(|node| node.has_tag_name("testcase")).collect();
    assert_eq!(cases.len(), verdicts().len());
    let element =
        |case: &roxmltree::Node, name: &str| case.children().find(|node| node.has_tag_name(name)).is_some();
    for (case, verdict) in cases.iter().zip(verdicts()) {
        assert_eq!(case.attribute("file"), Some(ODD));
        assert_eq!(case.attribute("line"), Some(&*verdict["line"].to_string()));
        assert_eq!(case.parent().expect("a suite").attribute("name"), verdict["function"].as_str());
        let shown = (element(case, "failure"), element(case, "skipped"));
        let expect = match verdict["status"].as_str().expect("a word") {
            "killed" => (false, false),
            "open" | "limited" => (true, false),
            _ => (false, true),
        };
        assert_eq!(shown, expect, "{verdict}");
    }
    let count = |name: &str| cases.iter().filter(|case| element(case, name)).count().to_string();
    let root = document.root_element();
    assert_eq!(root.attribute("failures"), Some(&*count("failure")));
    assert_eq!(root.attribute("skipped"), Some(&*count("skipped")));
    // The bell in the text is no XML, and the rest of it is still there.
    let names = cases.iter().filter_map(|case| case.attribute("name"));
    assert!(
        names.clone().any(|name| name.contains("\"\u{fffd}<&]]>`{0}`\"")),
        "{:?}",
        names.collect::<Vec<_>>()
    );
}

#[test]
fn markdown_holds_any_text() {
    let text = all_reports().read("whet-out/report.md");
    assert!(text.starts_with(&format!("## Whet: `{ODD}`\n\n**score ")), "{text}");
    assert!(text.contains(&format!("- `{ODD}:14:12` UOI `a → -a`: inline assembly (line 13)\n")), "{text}");
}

#[test]
fn github_gets_annotations_and_a_summary() {
    let folder = Folder::new();
    let root = folder.0.path().parent().expect("a folder is somewhere");
    std::fs::write(folder.path("summary.md"), "# Before\n").expect("a file can be written");
    let mut command = folder.command(&["--function", "probe"]);
    command.env("GITHUB_ACTIONS", "true").env("GITHUB_WORKSPACE", root);
    command.env("GITHUB_STEP_SUMMARY", folder.path("summary.md"));
    let output = run(command, 3);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let inside = folder.0.path().file_name().expect("it has a name").to_string_lossy().into_owned();
    let expect = format!(
        "::warning file={inside}/it's <odd>%2C 100%25 & \"new\"%3A ä.c,line=14,col=12,title=11 mutants are alive::\
         UOI  a → -a: inline assembly (line 13)%0ACR  a + 1 → 0: inline assembly (line 13)%0A"
    );
    let warnings: Vec<&str> = text.lines().filter(|line| line.starts_with("::")).collect();
    assert!(warnings.len() == 1 && warnings[0].starts_with(&expect), "{text}");
    let summary = folder.read("summary.md");
    assert!(summary.starts_with(&format!("# Before\n## Whet: `{ODD}`\n")), "{summary}");

    let mut quiet = folder.command(&["--function", "probe", "-q"]);
    quiet.env("GITHUB_ACTIONS", "true");
    assert_eq!(run(quiet, 3).stdout, b"");

    let mut nowhere = folder.command(&["--function", "probe"]);
    nowhere.env("GITHUB_STEP_SUMMARY", "no/such/summary.md");
    let output = run(nowhere, 1);
    ends_with(&output, "whet: cannot append to no/such/summary.md, which GITHUB_STEP_SUMMARY names: ");
}

/// The last line of what is said begins with this. A slow machine shows progress before.
fn ends_with(output: &Output, expected: &str) {
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(text.lines().last().is_some_and(|line| line.starts_with(expected)), "{text}");
}

#[test]
fn the_user_chooses_the_reports() {
    let tests = format!("test_{ODD}");
    let check = |flags: &[&str], expect: &[&str]| {
        let folder = Folder::new();
        run(folder.command(&[flags, &["--function", "clip"]].concat()), 0);
        let mut expect = [expect, &[&*tests, "verdicts.json"]].concat();
        expect.sort();
        assert_eq!(folder.files(), expect, "{flags:?}");
    };
    check(&[], &["report.html", "report.json"]);
    check(&["--reports", "none"], &[]);
    check(&["--reports", "junit,sarif", "--reports", "junit"], &["junit.xml", "report.sarif"]);
}

#[test]
fn mistakes_about_reports_get_one_sentence() {
    let check = |flags: &[&str], expect: &str| {
        let folder = Folder::new();
        let output = run(folder.command(flags), 1);
        assert_eq!(String::from_utf8_lossy(&output.stderr), format!("whet: {expect}\n"));
        assert_eq!(folder.files(), [""; 0], "{flags:?} wrote something");
    };
    let known = "--reports takes json, html, sarif, junit, markdown, none";
    check(&["--reports", "htlm"], &format!("there is no report `htlm`: did you mean `html`? {known}"));
    check(
        &["--reports", "json,xunit"],
        &format!("there is no report `xunit`: did you mean `junit`? {known}"),
    );
    check(&["--reports", "pdf"], &format!("there is no report `pdf`: {known}"));
    check(&["--reports", ""], &format!("there is no report ``: {known}"));
    check(&["--reports", "json,none"], "--reports takes reports or `none`, not both");
}

#[test]
fn a_report_that_cannot_be_written_leaves_nothing_half_done() {
    let folder = Folder::new();
    std::fs::create_dir_all(folder.path("whet-out/report.html/taken")).expect("a folder can be made");
    let output = run(folder.command(&["--function", "clip"]), 1);
    ends_with(&output, "whet: cannot write whet-out/report.html: ");
    let tests = format!("test_{ODD}");
    assert_eq!(folder.files(), ["report.html", "report.json", &tests, "verdicts.json"]);
}

#[test]
fn the_same_run_writes_the_same_reports() {
    let again = Folder::new();
    run(again.command(&["--reports", "json,html,sarif,junit,markdown", "--jobs", "1"]), 3);
    let first = all_reports();
    assert_eq!(first.files(), again.files());
    for name in first.files() {
        let name = format!("whet-out/{name}");
        assert!(first.read(&name) == again.read(&name), "{name} differs");
    }
}

/// What a terminal is sent.
fn in_a_terminal(folder: &Folder, no_colour: &str) -> String {
    let line = format!("{} run odd.c --function clip", env!("CARGO_BIN_EXE_whet"));
    std::fs::copy(folder.path(ODD), folder.path("odd.c")).expect("a file can be copied");
    let mut script = Command::new("script");
    script.args(["-qec", &line, "/dev/null"]).current_dir(folder.0.path());
    script.env("TERM", "xterm").env("NO_COLOR", no_colour);
    String::from_utf8_lossy(&run(script, 0).stdout).into_owned()
}

#[test]
fn a_terminal_gets_colours_unless_somebody_minds() {
    let folder = Folder::new();
    let colourful = in_a_terminal(&folder, "");
    assert!(colourful.contains("\x1b[1m\x1b[32mscore 100 %"), "{colourful:?}");
    let plain = in_a_terminal(&folder, "1");
    assert!(plain.contains("\nscore 100 %") && !plain.contains("\x1b[1m"), "{plain:?}");
}

#[test]
fn the_browser_is_found_by_the_names_that_the_set_up_knows() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/setup.sh");
    let script = std::fs::read_to_string(script).expect("the script is there");
    assert!(script.contains(&format!("browsers=({})", browser::NAMES.join(" "))), "they have drifted apart");
}
