//! How a test gets its name: the function, the values it is called with, and what the rules tell.
//!
//! An example is `test_find_b_returns_null_when_s_is_empty`. If a [rule](rule) says something
//! about a parameter, the name has that in place of the value. If a name is too long, it says
//! less. First it leaves out which parameters are equal, then all that follows `when`, then the
//! answer. In the end it has only as many values as there is room for.

mod rule;

use std::collections::{HashMap, HashSet};

use ir::{Datum, FunctionId, GlobalId, Input, Program, Type, TypeId};
use settle::Test;

use crate::c::{float_literal, is_char, literal};
use crate::stream;

/// Longer names are cut: they have said enough by then.
const LONGEST: usize = 60;

/// A name for each test, all different.
pub fn names(program: &Program, tests: &[Test]) -> Vec<String> {
    let mut taken: HashSet<String> = known(program).into_iter().cloned().collect();
    let mut compared: HashMap<FunctionId, Vec<(usize, usize)>> = HashMap::new();
    let mut named = Vec::new();
    for test in tests {
        let pairs = compared.entry(test.subject).or_insert_with(|| ir::compared(program, test.subject));
        let name = name(program, test, pairs);
        let shortest = start(program, test).len();
        let numbered = (2..).map(|number| with_number(&name, number, shortest));
        let free = std::iter::once(name.clone()).chain(numbered).find(|name| taken.insert(name.clone()));
        named.push(free.unwrap_or(name));
    }
    named
}

/// The name with a number behind it, cut if it would be too long.
fn with_number(name: &str, number: usize, shortest: usize) -> String {
    let number = format!("_{number}");
    let room = LONGEST.saturating_sub(number.len()).max(shortest);
    let ends = name.char_indices().map(|(at, c)| at + c.len_utf8());
    let end = ends.take_while(|end| *end <= room).last().unwrap_or(0);
    format!("{}{number}", name[..end].trim_end_matches('_'))
}

/// A name like this one, for something of the test file's own, that the program does not have.
pub(crate) fn helper(program: &Program, name: &str) -> String {
    let known = known(program);
    let mut name = name.to_string();
    while known.contains(&name) {
        name = format!("test_{name}");
    }
    name
}

/// All names that the program uses.
fn known(program: &Program) -> HashSet<&String> {
    let functions = program.functions.iter().map(|it| &it.name);
    let externals = program.externals.iter().map(|it| &it.name);
    functions.chain(externals).chain(program.globals.iter().map(|it| &it.name)).collect()
}

fn name(program: &Program, test: &Test, compared: &[(usize, usize)]) -> String {
    let start = start(program, test);
    let special = rule::special(program, test);
    let answer: Vec<String> = rule::answer(program, test).map(str::to_string).into_iter().collect();
    let equal = rule::equal(program, test, compared);
    let all = values(program, test, |_| true);
    let others = values(program, test, |at| special[at].is_none());
    let special: Vec<String> = special.into_iter().flatten().collect();
    let everything = [special.clone(), equal].concat();
    let sentences = [
        [others.clone(), answer.clone(), when(&everything)].concat(),
        [others, answer.clone(), when(&special)].concat(),
        [all.clone(), answer].concat(),
    ];
    let mut sentences = sentences.iter().map(|words| format!("{start}_{}", words.join("_")));
    let fitting = sentences.find(|name| name.len() <= LONGEST).unwrap_or_else(|| cut(&start, &all));
    fitting.trim_end_matches('_').to_string()
}

fn start(program: &Program, test: &Test) -> String {
    format!("test_{}", program.function(test.subject).name)
}

/// The values of some arguments.
fn values(program: &Program, test: &Test, says: impl Fn(usize) -> bool) -> Vec<String> {
    let parameters = &program.function(test.subject).signature.parameters;
    let values = parameters.iter().zip(&test.input.arguments).enumerate().filter(|(at, _)| says(*at));
    let parts = values.flat_map(|(_, (parameter, datum))| words(program, &test.input, parameter.of, datum));
    // What is read is like one more argument.
    let is_read = |(id, _): &&(GlobalId, Datum)| Some(*id) == program.standard_input();
    let read = test.input.globals.iter().filter(is_read);
    let read = read.flat_map(|(id, datum)| words(program, &test.input, program.global(*id).of, datum));
    parts.chain(read).filter(|part| !part.is_empty()).collect()
}

fn when(conditions: &[String]) -> Vec<String> {
    if conditions.is_empty() { vec![] } else { vec!["when".to_string(), conditions.join("_and_")] }
}

/// A name with as many values as there is room for.
fn cut(start: &str, values: &[String]) -> String {
    let mut name = start.to_string();
    for value in values {
        if name.len() + "_".len() + value.len() > LONGEST {
            break;
        }
        name = format!("{name}_{value}");
    }
    name
}

/// A value in words that a name can be made of.
fn words(program: &Program, input: &Input, of: TypeId, datum: &Datum) -> Vec<String> {
    match (datum, program.of(of)) {
        (Datum::Word(word), Type::Integer(scalar)) if is_char(scalar) => letters(&[word.bits() as u8]),
        (Datum::Word(word), Type::Integer(scalar)) => vec![number(&literal(*word, scalar))],
        (Datum::Word(word), Type::Float(float)) => {
            vec![number(float_literal(*word, float).trim_end_matches('f'))]
        }
        (Datum::Null, _) => vec!["null".to_string()],
        (Datum::Function(function), _) => vec![program.function(*function).name.clone()],
        (Datum::Pointer { object, element }, _) => {
            let object = &input.objects[*object as usize];
            elements(program, input, object.of, object.elements.get(*element as usize..).unwrap_or_default())
        }
        (Datum::Aggregate(parts), Type::Array { of, .. }) => elements(program, input, *of, parts),
        (Datum::Aggregate(parts), Type::Record(record)) => {
            let said = program.parts(record).into_iter().zip(parts).filter(|(_, part)| !is_zero(part));
            let said: Vec<String> = said
                .flat_map(|(field, part)| {
                    std::iter::once(field.name.clone()).chain(words(program, input, field.of, part))
                })
                .collect();
            if said.is_empty() { vec!["zero".to_string()] } else { said }
        }
        _ => vec![],
    }
}

fn elements(program: &Program, input: &Input, of: TypeId, elements: &[Datum]) -> Vec<String> {
    if program.is_stream(of) {
        return letters(&stream::content(elements));
    }
    if let Type::Integer(scalar) = program.of(of)
        && is_char(scalar)
    {
        let bytes: Vec<u8> = elements.iter().filter_map(Datum::word).map(|word| word.bits() as u8).collect();
        let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
        return letters(&bytes[..end]);
    }
    elements.iter().flat_map(|element| words(program, input, of, element)).collect()
}

fn is_zero(datum: &Datum) -> bool {
    match datum {
        Datum::Word(word) => word.is_zero(),
        Datum::Null => true,
        Datum::Aggregate(parts) => parts.iter().all(is_zero),
        Datum::Pointer { .. } | Datum::Function(_) => false,
    }
}

fn letters(bytes: &[u8]) -> Vec<String> {
    if bytes.is_empty() {
        return vec!["empty".to_string()];
    }
    let spell = |byte: &u8| match byte {
        0 => "_nul_".to_string(),
        b'\t' => "_tab_".to_string(),
        b'\n' => "_newline_".to_string(),
        b' ' => "_space_".to_string(),
        b',' => "_comma_".to_string(),
        b'-' => "_minus_".to_string(),
        b'+' => "_plus_".to_string(),
        b'.' => "_dot_".to_string(),
        byte if byte.is_ascii_alphanumeric() => char::from(*byte).to_string(),
        byte => format!("_{byte:02x}_"),
    };
    let spelled: String = bytes.iter().map(spell).collect();
    vec![spelled.split('_').filter(|word| !word.is_empty()).collect::<Vec<_>>().join("_")]
}

fn number(literal: &str) -> String {
    let text = literal.to_lowercase();
    let text = text.trim_end_matches(['u', 'l']).replace('-', "minus_");
    text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

#[cfg(test)]
mod tests;
