//! A reference that is a program: it gets numbers and texts as arguments, and prints the result.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use ir::{Datum, Input, Observation, Outcome, Program, Seen, Type, TypeId};
use settle::Test;

use super::Word;
use crate::trial::wait;

/// How long a program may take for one test.
const PATIENCE: Duration = Duration::from_secs(20);

/// Asks a program: the function and its arguments on the command line, the result on standard output.
pub(super) fn ask(path: &Path, program: &Program, test: &Test) -> anyhow::Result<Word> {
    let Outcome::Returned(own) = &test.returns else { bail!("a test of something that does not return") };
    let function = program.function(test.subject);
    let mut command = Command::new(absolute(path)?);
    command.arg(&function.name);
    for (parameter, datum) in function.signature.parameters.iter().zip(&test.input.arguments) {
        let Some(text) = argument(program, &test.input, parameter.of, datum) else {
            let (function, parameter) = (&function.name, &parameter.name);
            let what = "that a command line cannot hold: neither a number nor a text";
            return Ok(Word::Unclear(format!("`{function}`: `{parameter}` may be a value {what}")));
        };
        command.arg(text);
    }
    let text = answer(&mut command, path)?;
    let mut expected = (**own).clone();
    let does = |expected: Observation| Ok(Word::Does(Outcome::Returned(Arc::new(expected))));
    let Some(of) = function.signature.result else { return does(expected) };
    let word = match program.of(of) {
        Type::Integer(scalar) => {
            let number = text.parse::<i128>().ok();
            let word = number.map(|it| bv::Word::new(scalar.width, it as u128));
            let fits = |word: &bv::Word| {
                Some(if scalar.signed { word.signed() } else { word.bits() as i128 }) == number
            };
            word.filter(fits)
        }
        Type::Float(float) if float.width == 32 => {
            text.parse::<f32>().ok().map(|it| bv::Word::new(32, it.to_bits().into()))
        }
        Type::Float(_) => text.parse::<f64>().ok().map(|it| bv::Word::new(64, it.to_bits().into())),
        _ => None,
    };
    let Some(word) = word else {
        bail!("{} printed no number that `{}` could return: {text}", path.display(), function.name);
    };
    expected.result = Some(Seen::Word(word));
    does(expected)
}

/// What a program prints, if it ends well and in time.
fn answer(command: &mut Command, path: &Path) -> anyhow::Result<String> {
    let output = tempfile::NamedTempFile::new().context("cannot write a temporary file")?;
    let file = output.reopen().context("cannot write a temporary file")?;
    command.stdin(Stdio::null()).stdout(file).process_group(0);
    let mut child = command.spawn().with_context(|| format!("cannot run {}", path.display()))?;
    match wait(&mut child, PATIENCE)? {
        None => bail!("{} did not end within {} seconds", path.display(), PATIENCE.as_secs()),
        Some(status) if !status.success() => bail!("{} failed: {status}", path.display()),
        Some(_) => {}
    }
    let bytes = std::fs::read(output.path()).context("cannot read a temporary file")?;
    Ok(String::from_utf8_lossy(&bytes).trim().to_string())
}

fn absolute(path: &Path) -> anyhow::Result<PathBuf> {
    path.canonicalize().with_context(|| format!("cannot read {}", path.display()))
}

/// An argument as a command line has it.
fn argument(program: &Program, input: &Input, of: TypeId, datum: &Datum) -> Option<OsString> {
    let number = match (program.of(of), datum) {
        (Type::Integer(scalar), Datum::Word(word)) if scalar.signed => word.signed().to_string(),
        (Type::Integer(_), Datum::Word(word)) => word.bits().to_string(),
        (Type::Float(float), Datum::Word(word)) if float.width == 32 => {
            f32::from_bits(word.bits() as u32).to_string()
        }
        (Type::Float(_), Datum::Word(word)) => f64::from_bits(word.bits() as u64).to_string(),
        (Type::Pointer(pointer), Datum::Pointer { object, element }) if !program.is_stream(pointer.to) => {
            let object = &input.objects[*object as usize];
            let bytes = object.elements.get(*element as usize..)?.iter().map(|datum| datum.word());
            let bytes: Vec<u8> = bytes
                .map(|word| word.filter(|it| it.width() == 8).map(|it| it.bits() as u8))
                .collect::<Option<_>>()?;
            let end = bytes.iter().position(|byte| *byte == 0)?;
            return Some(OsString::from_vec(bytes[..end].to_vec()));
        }
        _ => return None,
    };
    Some(number.into())
}
