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
