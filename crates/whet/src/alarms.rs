//! Alarms: what showed that Whet itself is wrong. The user is told, and gets all that it takes to report it.

use std::fmt::Write;
use std::path::Path;

use anyhow::Context;
use llvm::Unit;
use settle::Alarm;

use crate::Exit;
use crate::files;

/// The most reproducers. Nobody needs more to find the bug.
const WRITTEN: usize = 10;

/// What each reproducer is called, and a number.
const FOLDER: &str = "refuted";

/// The file that makes a folder one of ours.
const REPORT: &str = "report.txt";

/// An alarm, and the file that it is about.
pub(crate) struct Found<'a> {
    unit: &'a Unit,
    file: String,
    alarm: Alarm,
}

/// The alarms about a file.
pub(crate) fn about<'a>(unit: &'a Unit, file: &str, alarms: Vec<Alarm>) -> Vec<Found<'a>> {
    alarms.into_iter().map(|alarm| Found { unit, file: file.to_string(), alarm }).collect()
}

/// Writes a reproducer for each alarm into a folder, takes away those of earlier runs, and tells the user.
pub(crate) fn publish(out: &Path, found: &[Found]) -> anyhow::Result<()> {
    clear(out)?;
    for (at, found) in found.iter().take(WRITTEN).enumerate() {
        found.reproduce(&folder(out, at + 1))?;
    }
    if !found.is_empty() {
        let (first, last) = (folder(out, 1), folder(out, found.len().min(WRITTEN)));
        let with = match first == last {
            true => first.display().to_string(),
            false => format!("{} to {}", first.display(), last.display()),
        };
        eprintln!("{}, with {with}.", sentence(found.len()));
    }
    Ok(())
}

/// Tells the user about alarms that get no folder.
pub(crate) fn tell(found: &[Found]) {
    if !found.is_empty() {
        eprintln!("{}, with both files and this:", sentence(found.len()));
    }
    for found in found.iter().take(WRITTEN) {
        eprintln!("\n{}", found.text().trim_end());
    }
}

/// A run with an alarm is not a success.
pub(crate) fn exit(exit: Exit, found: &[Found]) -> Exit {
    if exit == Exit::Settled && !found.is_empty() { Exit::Bug } else { exit }
}

fn sentence(alarms: usize) -> String {
    let claims = match alarms {
        1 => "1 claim of Whet was refuted by its own checker".to_string(),
        many => format!("{many} claims of Whet were refuted by its own checker"),
    };
    format!("whet: {claims}. This is a bug in Whet: please report it")
}

fn folder(out: &Path, number: usize) -> std::path::PathBuf {
    out.join(format!("{FOLDER}-{number}"))
}

/// Removes the reproducers of earlier runs.
fn clear(out: &Path) -> anyhow::Result<()> {
    for number in 1..=WRITTEN {
        let folder = folder(out, number);
        if folder.join(REPORT).exists() {
            std::fs::remove_dir_all(&folder)
                .with_context(|| format!("cannot remove {}", folder.display()))?;
        }
    }
    Ok(())
}

impl Found<'_> {
    /// The C text, the mutant as a patch, and what was claimed and seen.
    fn reproduce(&self, folder: &Path) -> anyhow::Result<()> {
        files::prepare(folder)?;
        let name = Path::new(&self.file).file_name().unwrap_or_default();
        files::store(&folder.join(name), self.unit.text.bytes())?;
        if let Some(patch) = self.patch() {
            files::store(&folder.join("mutant.diff"), &patch)?;
        }
        files::store(&folder.join(REPORT), self.text().as_bytes())
    }

    fn patch(&self) -> Option<Vec<u8>> {
        let Found { unit, file, alarm } = self;
        let change = unit.changes.get((alarm.mutant.0 as usize).checked_sub(1)?)?;
        Some(source::unified(unit.text_of(change), &change.edit, change.file(file)))
    }

    fn text(&self) -> String {
        let Found { unit, file, alarm } = self;
        let Alarm { mutant, cause, subject, stage, method, input, seen } = alarm;
        let arguments = std::env::args_os().map(|argument| argument.to_string_lossy().into_owned());
        let arguments: Vec<String> = arguments.collect();
        let mut text = format!("Whet {}, LLVM {}\n", env!("CARGO_PKG_VERSION"), llvm::version());
        let mut line = |what: &str, value: &str| {
            if !value.is_empty() {
                let _ = writeln!(text, "{what}: {value}");
            }
        };
        line("command", &arguments.join(" "));
        line("file", file);
        line("what is wrong", cause.text());
        line("function", &unit.program.function(*subject).name);
        line("mutant", &mutant.0.to_string());
        line("claimed by", stage);
        line("claim", method);
        if let Some(input) = input {
            let values = report::inputs(&unit.program, *subject, input);
            line("input", &serde_json::Value::Object(values).to_string());
            line("the same, in full", &format!("{input:?}"));
        }
        line("seen", seen);
        match self.patch() {
            Some(patch) => text + &format!("\n{}", String::from_utf8_lossy(&patch)),
            None => text,
        }
    }
}

#[cfg(test)]
mod tests {
    use ir::{FunctionId, Input, Mutant};
    use settle::Cause;

    use super::*;

    #[test]
    fn a_report_has_what_it_takes_to_find_the_bug() {
        let home = tempfile::tempdir().expect("a temporary folder can be made");
        let file = home.path().join("next.c");
        std::fs::write(&file, "int next(int x)\n{\n    return x + 1;\n}\n").expect("a file can be written");
        let unit = llvm::load(&llvm::Options {
            file: file.clone(),
            clang: None,
            flags: vec![],
            overflow: llvm::Overflow::Undefined,
            operators: llvm::Operators::parse("AOR").expect("there is such an operator"),
            functions: vec![],
            headers: false,
            versions: vec![],
        })
        .expect("it compiles");
        let alarm = Alarm {
            mutant: Mutant(1),
            cause: Cause::Refuted,
            subject: FunctionId(0),
            stage: "bounded",
            method: "no input tells the difference".to_string(),
            input: Some(Input::words([bv::Word::new(32, 7)])),
            seen: "this input kills it".to_string(),
        };
        let found = about(&unit, "next.c", vec![alarm]);
        let out = home.path().join("out");
        publish(&out, &found).expect("it can be written");
        let text = std::fs::read_to_string(out.join("refuted-1/report.txt")).expect("it is there");
        for expect in [
            "file: next.c\n",
            "what is wrong: an input contradicts a proof\n",
            "function: next\n",
            "claimed by: bounded\n",
            "input: {\"x\":7}\n",
            "seen: this input kills it\n",
            "-    return x + 1;\n",
        ] {
            assert!(text.contains(expect), "no {expect} in {text}");
        }
        assert!(out.join("refuted-1/next.c").exists() && out.join("refuted-1/mutant.diff").exists());
        assert_eq!(exit(Exit::Settled, &found), Exit::Bug);
        assert_eq!(exit(Exit::Open, &found), Exit::Open);
        publish(&out, &[]).expect("it can be taken away");
        assert!(!out.join("refuted-1").exists());
        assert_eq!(exit(Exit::Settled, &[]), Exit::Settled);
    }
}
