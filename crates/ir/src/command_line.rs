//! What `main` is given: words on a command line.
//!
//! Types say little of the parameters of `int main(int argc, char **argv)`. C says that `argv` leads to
//! `argc` strings and a null pointer, and every system passes the name of the program as the first of them.
//! An input that is not so is no input of a program.

use bv::Word;

use crate::{Datum, FunctionId, Input, Object, Program, Type, TypeId};

/// The function where a program begins.
pub const MAIN: &str = "main";

/// Whether a function is a `main` that others can call as a system would: with a command line, or with
/// nothing.
pub fn is_main(program: &Program, function: FunctionId) -> bool {
    let function_of = program.function(function);
    let plain = function_of.signature.parameters.is_empty() && !function_of.signature.variadic;
    function_of.name == MAIN && (plain || takes_command_line(program, function))
}

/// Whether a function takes a command line.
pub fn takes_command_line(program: &Program, function: FunctionId) -> bool {
    parts(program, function).is_some()
}

/// Whether the arguments are a command line, if the function takes one.
pub fn is_command_line(program: &Program, function: FunctionId, input: &Input) -> bool {
    if !takes_command_line(program, function) {
        return true;
    }
    let [Datum::Word(count), argv] = input.arguments.as_slice() else { return false };
    let Datum::Pointer { object, element: 0 } = argv else { return false };
    let words = &input.objects[*object as usize].elements;
    let Some((Datum::Null, words)) = words.split_last() else { return false };
    let is_counted = !words.is_empty() && count.bits() == words.len() as u128;
    is_counted && words.iter().all(|word| is_text(input, word))
}

/// Makes a command line of the arguments, if the function takes one. What is there of words stays.
pub fn make_command_line(program: &Program, function: FunctionId, input: &mut Input) {
    let Some(Parts { count, word, letter }) = parts(program, function) else { return };
    let argv = match input.arguments[1] {
        Datum::Pointer { object, .. } => object as usize,
        _ => put(input, Object { of: word.0, elements: vec![], constant: word.1 }),
    };
    let elements = std::mem::take(&mut input.objects[argv].elements);
    let room = elements.len().max(2) - 1;
    let is_word =
        |datum: &Datum| matches!(datum, Datum::Pointer { object, element: 0 } if *object as usize != argv);
    let mut words: Vec<Datum> = elements.into_iter().take_while(is_word).take(room).collect();
    for at in words.iter().filter_map(object_of) {
        let letters = &mut input.objects[at].elements;
        let zero = Datum::Word(Word::zero(8));
        if letters.last() != Some(&zero) {
            // One in place of the last: there may be no room for more.
            letters.pop();
            letters.push(zero);
        }
    }
    if words.is_empty() {
        let text = [b'a', 0].map(|byte| Datum::Word(Word::new(8, u128::from(byte))));
        let object = put(input, Object { of: letter.0, elements: text.to_vec(), constant: letter.1 });
        words.push(Datum::Pointer { object: object as u32, element: 0 });
    }
    input.arguments[0] = Datum::Word(Word::new(count, words.len() as u128));
    words.push(Datum::Null);
    input.objects[argv].elements = words;
    input.arguments[1] = Datum::Pointer { object: argv as u32, element: 0 };
}

/// What a command line is made of.
struct Parts {
    /// The width of `argc`.
    count: u32,
    /// The type of an element of `argv`, and whether it is constant.
    word: (TypeId, bool),
    /// The same of what that leads to.
    letter: (TypeId, bool),
}

/// None if the function takes no command line.
fn parts(program: &Program, function: FunctionId) -> Option<Parts> {
    let function = program.function(function);
    let [count, argv] = function.signature.parameters.as_slice() else { return None };
    let (Type::Integer(count), Type::Pointer(argv)) = (program.of(count.of), program.of(argv.of)) else {
        return None;
    };
    let Type::Pointer(word) = program.of(argv.to) else { return None };
    let Type::Integer(letter) = program.of(word.to) else { return None };
    let fits =
        function.name == MAIN && !function.signature.variadic && count.width == 32 && letter.width == 8;
    fits.then_some(Parts {
        count: count.width,
        word: (argv.to, argv.constant),
        letter: (word.to, word.constant),
    })
}

fn object_of(datum: &Datum) -> Option<usize> {
    match datum {
        Datum::Pointer { object, .. } => Some(*object as usize),
        _ => None,
    }
}

/// Whether it leads to the start of letters that end with a zero.
fn is_text(input: &Input, word: &Datum) -> bool {
    let Datum::Pointer { object, element: 0 } = word else { return false };
    let last = input.objects[*object as usize].elements.last();
    last.and_then(Datum::word).is_some_and(|letter| letter.is_zero())
}

fn put(input: &mut Input, object: Object) -> usize {
    input.objects.push(object);
    input.objects.len() - 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    fn program(name: &str) -> Program {
        let text = format!(
            r#"type 0 = s32 "int"
            type 1 = s8 "char"
            type 2 = pointer "char *" to type 1
            type 3 = pointer "char **" to type 2
            function @{name}(%0 argc: type 0, %1 argv: type 3) {{ block0: return }}"#
        );
        parse(&text).unwrap_or_else(|error| panic!("{error}"))
    }

    fn letters(text: &[u8]) -> Object {
        let elements = text.iter().map(|byte| Datum::Word(Word::new(8, u128::from(*byte)))).collect();
        Object { of: TypeId(1), elements, constant: false }
    }

    /// An input with these words, and a null pointer behind each `None`.
    fn input(count: u128, words: &[Option<&[u8]>]) -> Input {
        let mut objects = vec![Object { of: TypeId(2), elements: vec![], constant: false }];
        for word in words {
            let at = objects.len() as u32;
            objects[0].elements.push(word.map_or(Datum::Null, |_| Datum::Pointer { object: at, element: 0 }));
            objects.extend(word.map(letters));
        }
        let argv = Datum::Pointer { object: 0, element: 0 };
        Input { arguments: vec![Datum::Word(Word::new(32, count)), argv], objects, ..Input::default() }
    }

    #[test]
    fn a_command_line_is_counted_and_ends_with_null() {
        let program = program("main");
        let check = |input: Input, expect: bool| {
            assert_eq!(is_command_line(&program, FunctionId(0), &input), expect, "{input:?}");
        };
        check(input(1, &[Some(b"a\0"), None]), true);
        check(input(2, &[Some(b"a\0"), Some(b"\0"), None]), true);
        check(input(2, &[Some(b"a\0"), None]), false);
        check(input(1, &[Some(b"a\0")]), false);
        check(input(1, &[Some(b"a"), None]), false);
        check(input(0, &[None]), false);
        check(input(1, &[None, Some(b"a\0")]), false);
    }

    #[test]
    fn whatever_is_made_a_command_line_is_one() {
        let program = program("main");
        let check = |mut input: Input| {
            make_command_line(&program, FunctionId(0), &mut input);
            assert!(is_command_line(&program, FunctionId(0), &input), "{input:?}");
        };
        check(input(7, &[Some(b"ab"), None, Some(b"c")]));
        check(input(0, &[]));
        check(input(0, &[None]));
        check(input(1, &[Some(b"")]));
        let nothing = vec![Datum::Word(Word::zero(32)), Datum::Null];
        check(Input { arguments: nothing, ..Input::default() });
    }

    #[test]
    fn other_functions_take_anything() {
        let program = program("begin");
        let anything = input(7, &[None]);
        let mut same = anything.clone();
        make_command_line(&program, FunctionId(0), &mut same);
        assert_eq!(same, anything);
        assert!(is_command_line(&program, FunctionId(0), &anything) && !is_main(&program, FunctionId(0)));
    }
}
