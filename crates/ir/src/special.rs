//! Special cases of a function's inputs: values at which code is often wrong, because somebody forgot them.

use bv::{Word, float};

use crate::{Action, Datum, End, FunctionId, Input, Instruction, Operand, Program, Type, TypeId};

/// A case of one parameter.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Special {
    pub parameter: usize,
    pub case: Case,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Case {
    /// The number is this one; of floats, bit by bit.
    Word(Word),
    /// The float is no number.
    Nan,
    Null,
    /// The first byte of a string, or the only one of an empty one.
    First(Class),
    /// The last byte of a string, before its end.
    Last(Class),
    /// The number is that of the elements that this parameter leads to.
    Size(usize),
}

/// Bytes that programs treat alike.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Class {
    Nul,
    Space,
    Tab,
    Newline,
    Sign,
    Digit,
    Upper,
    Lower,
    /// Of ASCII.
    Other,
    High,
}

impl Class {
    pub const ALL: [Class; 10] = [
        Class::Nul,
        Class::Space,
        Class::Tab,
        Class::Newline,
        Class::Sign,
        Class::Digit,
        Class::Upper,
        Class::Lower,
        Class::Other,
        Class::High,
    ];

    /// The bytes, from each first one to the last.
    pub fn ranges(self) -> &'static [(u8, u8)] {
        match self {
            Class::Nul => &[(0, 0)],
            Class::Space => &[(b' ', b' ')],
            Class::Tab => &[(b'\t', b'\t')],
            Class::Newline => &[(b'\n', b'\n')],
            Class::Sign => &[(b'+', b'+'), (b'-', b'-')],
            Class::Digit => &[(b'0', b'9')],
            Class::Upper => &[(b'A', b'Z')],
            Class::Lower => &[(b'a', b'z')],
            Class::Other => &[
                (0x01, 0x08),
                (0x0b, 0x1f),
                (b'!', b'*'),
                (b',', b','),
                (b'.', b'/'),
                (b':', b'@'),
                (b'[', b'`'),
                (b'{', 0x7f),
            ],
            Class::High => &[(0x80, 0xff)],
        }
    }

    fn has(self, byte: u8) -> bool {
        self.ranges().iter().any(|(first, last)| (*first..=*last).contains(&byte))
    }

    fn in_words(self) -> &'static str {
        match self {
            Class::Nul => "NUL",
            Class::Space => "a space",
            Class::Tab => "a tab",
            Class::Newline => "a newline",
            Class::Sign => "a sign",
            Class::Digit => "a digit",
            Class::Upper => "an upper-case letter",
            Class::Lower => "a lower-case letter",
            Class::Other => "another character of ASCII",
            Class::High => "0x80 or above",
        }
    }
}

/// So many numbers that a function compares with are cases of each parameter.
const COMPARED: usize = 8;

impl Program {
    /// The special cases of a function's parameters.
    pub fn specials(&self, function: FunctionId) -> Vec<Special> {
        let parameters = &self.function(function).signature.parameters;
        let compared = self.compared_with(function);
        let is_constant = |of: TypeId| matches!(self.of(of), Type::Pointer(pointer) if pointer.constant);
        let has_constant_text = parameters.iter().any(|it| self.leads_to_text(it.of) && is_constant(it.of));
        let mut specials = Vec::new();
        for (at, parameter) in parameters.iter().enumerate() {
            let mut add = |case| specials.push(Special { parameter: at, case });
            match self.of(parameter.of) {
                Type::Integer(scalar) => {
                    let (width, signed) = (scalar.width, scalar.signed && scalar.width > 1);
                    for number in integers(width, signed, &compared) {
                        add(Case::Word(Word::from_signed(width, number)));
                    }
                    let buffers = parameters.iter().enumerate().filter(|(_, it)| self.is_buffer(it.of));
                    buffers.filter(|_| width >= 16).for_each(|(of, _)| add(Case::Size(of)));
                }
                Type::Float(float) => {
                    floats(float.width).into_iter().for_each(|word| add(Case::Word(word)));
                    add(Case::Nan);
                }
                Type::Pointer(pointer) => {
                    add(Case::Null);
                    // Where there are texts that stay as they are, others are where something is written to.
                    if self.leads_to_text(parameter.of) && (pointer.constant || !has_constant_text) {
                        Class::ALL.into_iter().for_each(|class| add(Case::First(class)));
                        Class::ALL.into_iter().skip(1).for_each(|class| add(Case::Last(class)));
                    }
                }
                _ => {}
            }
        }
        specials
    }

    fn leads_to_text(&self, of: TypeId) -> bool {
        let Type::Pointer(pointer) = self.of(of) else { return false };
        matches!(self.of(pointer.to), Type::Integer(scalar) if scalar.width == 8) && !pointer.untyped
    }

    fn is_buffer(&self, of: TypeId) -> bool {
        match self.of(of) {
            Type::Pointer(pointer) => !matches!(self.of(pointer.to), Type::Function { .. } | Type::Record(_)),
            _ => false,
        }
    }

    /// The numbers that a function compares something with, those near zero first.
    fn compared_with(&self, function: FunctionId) -> Vec<i128> {
        let mut found = Vec::new();
        // What mutants ask for is not the program's own.
        let mut asked: Vec<Operand> = Vec::new();
        for block in &self.function(function).blocks {
            for Instruction { action, result, .. } in &block.instructions {
                let is_question = match action {
                    Action::Site { site, .. } => self.site(*site).parameters.is_empty(),
                    Action::Apply { arguments, .. } => arguments.iter().any(|it| asked.contains(it)),
                    _ => false,
                };
                if is_question {
                    asked.extend(result.map(Operand::Register));
                    continue;
                }
                let compared = self.operations(action).into_iter().filter(|(op, _)| op.compares());
                found.extend(compared.flat_map(|(_, operands)| operands).filter_map(|it| number(&it)));
            }
            if let End::Switch { value, cases, .. } = &block.end
                && !asked.contains(value)
            {
                found.extend(cases.iter().map(|(word, _)| word.signed()));
            }
        }
        found.sort_by_key(|number| (number.unsigned_abs(), *number < 0));
        found.dedup();
        found
    }

    /// A case in the words of the source.
    pub fn special_in_words(&self, function: FunctionId, special: Special) -> String {
        let parameters = &self.function(function).signature.parameters;
        let parameter = &parameters[special.parameter];
        let name = &parameter.name;
        match (special.case, self.of(parameter.of)) {
            (Case::Nan, _) => format!("{name} is not a number"),
            (Case::Word(word), Type::Float(_)) => format!("{name} == {:?}", float::value(word)),
            (Case::Word(word), Type::Integer(scalar)) if scalar.signed => {
                format!("{name} == {}", word.signed())
            }
            (Case::Word(word), _) => format!("{name} == {}", word.bits()),
            (Case::Null, _) => format!("{name} == NULL"),
            (Case::First(Class::Nul), _) => format!("{name} is empty"),
            (Case::First(class), _) => format!("{name} begins with {}", class.in_words()),
            (Case::Last(class), _) => format!("{name} ends with {}", class.in_words()),
            (Case::Size(of), _) => format!("{name} is the size of {}", parameters[of].name),
        }
    }
}

impl Special {
    /// Whether an input is of this case.
    pub fn holds(&self, input: &Input) -> bool {
        let Some(argument) = input.arguments.get(self.parameter) else { return false };
        match (self.case, argument) {
            (Case::Word(wanted), Datum::Word(word)) => wanted == *word,
            (Case::Nan, Datum::Word(word)) => float::is_nan(*word),
            (Case::Null, Datum::Null) => true,
            (Case::First(class), pointer) => {
                bytes(input, pointer).first().is_some_and(|byte| class.has(*byte))
            }
            (Case::Last(class), pointer) => {
                let bytes = bytes(input, pointer);
                let end = bytes.iter().position(|byte| *byte == 0);
                end.is_some_and(|end| end > 0 && class.has(bytes[end - 1]))
            }
            (Case::Size(of), Datum::Word(word)) => match input.arguments.get(of) {
                Some(Datum::Pointer { object, element }) => {
                    let elements = input.objects[*object as usize].elements.len() as u128;
                    elements.checked_sub(u128::from(*element)) == Some(word.bits())
                }
                _ => false,
            },
            _ => false,
        }
    }
}

fn number(operand: &Operand) -> Option<i128> {
    match operand {
        Operand::Constant(word) => Some(word.signed()),
        _ => None,
    }
}

/// The bytes that a pointer leads to.
fn bytes(input: &Input, pointer: &Datum) -> Vec<u8> {
    let Datum::Pointer { object, element } = pointer else { return vec![] };
    let elements = input.objects[*object as usize].elements.iter().skip(*element as usize);
    elements.map_while(|datum| datum.word()).map(|word| word.bits() as u8).collect()
}

/// Those at the edges of a type, and some others.
fn integers(width: u32, signed: bool, compared: &[i128]) -> Vec<i128> {
    let (least, most) = match signed {
        true => (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1),
        false => (0, (1i128 << width) - 1),
    };
    let mut integers: Vec<i128> = Vec::new();
    let others = compared.iter().copied().filter(|number| ![0, 1, -1, least, most].contains(number));
    for number in [0, 1, -1, least, most].into_iter().chain(others.take(COMPARED)) {
        if (least..=most).contains(&number) && !integers.contains(&number) {
            integers.push(number);
        }
    }
    integers
}

fn floats(width: u32) -> Vec<Word> {
    let numbers = [0.0, -0.0, 1.0, -1.0, f64::INFINITY, f64::NEG_INFINITY];
    let mut words: Vec<Word> = numbers.into_iter().map(|number| float::word(width, number)).collect();
    // And the smallest number above zero.
    words.push(Word::one(width));
    words
}
