//! When Whet itself breaks, the rest of the run goes on, the user is told, and the exit code says so.
//!
//! The binary that tests run breaks on demand: `WHET_BREAK` names a part of the work, and how it ends.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

const C: &str = "int f(unsigned x) { return x * 2654435761u == 0xdeadbeefu ? 5 : 7; }\nint g(int a) { return (a & 7) + 1; }\n";

struct Run {
    output: Output,
    verdicts: Value,
}

fn run(folder: &Path, breaks: &str, arguments: &[&str]) -> Run {
    std::fs::write(folder.join("program.c"), C).expect("a file can be written");
    let mut whet = Command::new(env!("CARGO_BIN_EXE_whet"));
    whet.current_dir(folder).args(["run", "program.c", "--reports", "none"]).args(arguments);
    let output = whet.env("WHET_BREAK", breaks).output().expect("whet runs");
    let text = std::fs::read_to_string(folder.join("whet-out/verdicts.json")).unwrap_or_default();
    Run { output, verdicts: serde_json::from_str(&text).unwrap_or_default() }
}

impl Run {
    fn said(&self) -> String {
        String::from_utf8_lossy(&self.output.stderr).into_owned()
    }

    /// The reasons of open mutants, each once.
    fn reasons(&self) -> Vec<&str> {
        let mutants = self.verdicts["mutants"].as_array().expect("there are verdicts");
        let mut reasons: Vec<&str> = mutants.iter().filter_map(|mutant| mutant["reason"].as_str()).collect();
        reasons.sort();
        reasons.dedup();
        reasons
    }
}

#[track_caller]
fn check(breaks: &str, arguments: &[&str], reasons: &[&str], tells: &str) {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let run = run(folder.path(), breaks, arguments);
    assert_eq!(run.output.status.code(), Some(70), "{}", run.said());
    assert!(run.said().contains(tells) && run.said().contains("please report it"), "{}", run.said());
    assert_eq!(run.reasons(), reasons);
    assert!(run.verdicts["summary"]["killed"].as_u64() > Some(10), "the rest is settled");
    assert!(folder.path().join("whet-out/test_program.c").exists(), "and has tests");
}

const STAGE: &str = "the stage bounded on f";

#[test]
fn a_stage_that_panics_or_aborts_leaves_its_mutants_open() {
    let reasons = &["a bug in Whet stopped bounded"];
    for arguments in [&[][..], &["--no-store"], &["--jobs", "1"]] {
        check(&format!("panic {STAGE}"), arguments, reasons, "this is a bug in Whet: panicked");
        let tells = "an abort ended it in this part of its work: the stage bounded on f";
        check(&format!("abort {STAGE}"), arguments, reasons, tells);
    }
}

#[test]
fn a_batch_that_breaks_costs_no_more_than_its_own_mutants() {
    for how in ["panic", "abort"] {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        // The first mutant that is left for it.
        let run = run(
            folder.path(),
            &format!("{how} {STAGE}: bounded up to 1, first round, mutants 1 "),
            &["--no-store"],
        );
        assert_eq!(run.output.status.code(), Some(70), "{}", run.said());
        assert!(run.said().contains("this is a bug in Whet"), "{}", run.said());
        // What kills the mutants of other batches kills these, too.
        assert_eq!(run.reasons(), [""; 0]);
    }
}

#[test]
fn a_stage_that_others_make_up_for_costs_nothing() {
    for how in ["panic", "abort"] {
        check(&format!("{how} the stage simulate on f"), &[], &[], "this is a bug in Whet");
        check(&format!("{how} the stage canonical"), &[], &[], "this is a bug in Whet");
    }
}

#[test]
fn verdicts_are_reported_also_without_tests() {
    for how in ["panic", "abort"] {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let run = run(folder.path(), &format!("{how} the stage that writes tests"), &[]);
        assert_eq!(run.output.status.code(), Some(70), "{}", run.said());
        assert!(run.verdicts["summary"]["killed"].as_u64() > Some(10), "{}", run.said());
        assert!(!folder.path().join("whet-out/test_program.c").exists());
    }
}

#[test]
fn what_no_run_can_do_without_ends_it_with_one_sentence() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let run = run(folder.path(), "abort compile and seed", &[]);
    assert_eq!(run.output.status.code(), Some(70));
    let expect = "whet: this is a bug in Whet: an abort ended it in this part of its work: compile and seed\n\
                  whet: please report it, with the C file if you can share it.\n";
    assert_eq!(run.said(), expect);
}

#[test]
fn what_broke_is_tried_again_the_next_time() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    assert_eq!(run(folder.path(), &format!("abort {STAGE}"), &[]).output.status.code(), Some(70));
    let again = run(folder.path(), "", &[]);
    assert_eq!((again.output.status.code(), again.reasons()), (Some(0), vec![]), "{}", again.said());
}

#[test]
fn a_version_without_a_common_sample_is_no_reason_to_break() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let body = "double a = 1.0; for (int i = 0; i < 2; i++) { if (a - e <= 0.5) break; a = 0.5 * (a + e); } return cos(e);";
    let write = |name: &str, body: &str| {
        let text = format!("#include <math.h>\ndouble f(double e) {{ {body} }}\n");
        std::fs::write(folder.path().join(name), text).expect("a file can be written");
    };
    write("old.c", body);
    write("new.c", &format!("if (e > 100) {{ {body} }} else return 0;"));
    let mut whet = Command::new(env!("CARGO_BIN_EXE_whet"));
    let output =
        whet.current_dir(folder.path()).args(["diff", "old.c", "new.c"]).output().expect("whet runs");
    assert_eq!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stderr));
}
