//! Rules: what the name of a test can tell besides the values of the call.
//!
//! A rule tells only what the input and the observation show, and only what a
//! reader would say as well: a parameter is null, a text is empty, two numbers that
//! the function compares are equal, a question is answered with true or false.

use ir::{Datum, FunctionId, Observation, Program, Seen, Type, TypeId};
use settle::Test;

use crate::c::{is_char, text};
use crate::observation;

/// Words in the names of functions that answer a question with 0 or 1:
/// `is_empty`, `queue_has_room`, `canMove`.
const QUESTIONS: [&str; 3] = ["is", "has", "can"];

/// What is special about each argument by itself: `s_is_null`.
pub(super) fn special(program: &Program, test: &Test) -> Vec<Option<String>> {
    let parameters = &program.function(test.subject).signature.parameters;
    let special = |(at, datum): (usize, &Datum)| -> Option<String> {
        let name = Some(&parameters[at].name).filter(|name| !name.is_empty())?;
        match datum {
            Datum::Null => Some(format!("{name}_is_null")),
            datum if is_empty_text(program, test, datum) => Some(format!("{name}_is_empty")),
            _ => None,
        }
    };
    test.input.arguments.iter().enumerate().map(special).collect()
}

/// Which numbers are the same, of those that the function compares: `a_equals_c`.
pub(super) fn equal(program: &Program, test: &Test, compared: &[(usize, usize)]) -> Vec<String> {
    let parameters = &program.function(test.subject).signature.parameters;
    let number = |at: usize| {
        test.input.arguments[at].word().filter(|word| is_number(program, parameters[at].of, *word))
    };
    let is_equal = |(one, other): &&(usize, usize)| number(*one).is_some() && number(*one) == number(*other);
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (one, other) in compared.iter().filter(is_equal) {
        match groups.iter_mut().find(|group| group.contains(one) || group.contains(other)) {
            Some(group) => group.extend([*one, *other]),
            None => groups.push(vec![*one, *other]),
        }
    }
    let names = |group: Vec<usize>| -> Option<String> {
        let names =
            (0..parameters.len()).filter(|at| group.contains(at)).map(|at| parameters[at].name.as_str());
        say_equal(&names.collect::<Vec<&str>>())
    };
    groups.into_iter().filter_map(names).collect()
}

/// What the answer is, if it is one of few: `returns_true`, `returns_null`.
pub(super) fn answer(program: &Program, test: &Test) -> Option<&'static str> {
    let result = observation(test)?.result.as_ref()?;
    let of = program.of(program.function(test.subject).signature.result?);
    match (of, result) {
        (Type::Pointer(_), Seen::Null) => Some("returns_null"),
        (Type::Integer(scalar), Seen::Word(word)) if scalar.width == 1 || asks(program, test.subject) => {
            match word.bits() {
                0 => Some("returns_false"),
                1 => Some("returns_true"),
                _ => None,
            }
        }
        _ => None,
    }
}

fn say_equal(names: &[&str]) -> Option<String> {
    match names {
        _ if names.iter().any(|name| name.is_empty()) => None,
        [one, other] => Some(format!("{one}_equals_{other}")),
        [others @ .., last] => Some(format!("{}_and_{last}_are_equal", others.join("_"))),
        [] => None,
    }
}

/// A NaN is equal to nothing.
fn is_number(program: &Program, of: TypeId, word: bv::Word) -> bool {
    !matches!(program.of(of), Type::Float(_)) || !bv::float::is_nan(word)
}

/// A text without letters, which stays as it is: a buffer that gets its letters
/// from the function is no text before.
fn is_empty_text(program: &Program, test: &Test, datum: &Datum) -> bool {
    let Datum::Pointer { object: at, element: 0 } = datum else { return false };
    let object = &test.input.objects[*at as usize];
    let is_letters = matches!(program.of(object.of), Type::Integer(scalar) if is_char(scalar));
    let bytes: Vec<u8> =
        object.elements.iter().filter_map(Datum::word).map(|word| word.bits() as u8).collect();
    let stays = observation(test).is_some_and(|seen| is_unchanged(seen, *at as usize, &object.elements));
    is_letters && text(&bytes) == Some(&[]) && stays
}

/// Whether an object holds afterwards what it held before, or nobody looks.
fn is_unchanged(observation: &Observation, object: usize, before: &[Datum]) -> bool {
    let after = observation.objects.get(object).map_or(&[][..], Vec::as_slice);
    let is_same = |(seen, datum): (&Seen, &Datum)| matches!((seen, datum), (Seen::Word(seen), Datum::Word(word)) if seen == word);
    after.iter().zip(before).all(is_same)
}

/// Whether a function is named like a question.
fn asks(program: &Program, function: FunctionId) -> bool {
    let words = words(&program.function(function).name);
    words.iter().any(|word| QUESTIONS.contains(&word.as_str()))
}

/// The words of a name, in small letters: `queue_isEmpty` has three.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut after_small = false;
    for c in name.chars() {
        if c == '_' || c.is_ascii_uppercase() && after_small {
            words.push(String::new());
        }
        if let (Some(word), true) = (words.last_mut(), c != '_') {
            word.push(c.to_ascii_lowercase());
        }
        after_small = c.is_ascii_lowercase();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_made_of_words() {
        assert_eq!(words("queue_isEmpty"), ["queue", "is", "empty"]);
        assert_eq!(words("issue"), ["issue"]);
        assert_eq!(words("HAS_ROOM"), ["has", "room"]);
    }
}
