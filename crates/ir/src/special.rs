//! Special cases of a function's inputs: values at which code is often wrong, because somebody forgot them.

use bv::{Word, float};

use crate::{Action, Datum, End, FunctionId, Input, Instruction, Operand, Program, Type, TypeId};

/// A case of one parameter.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SpecialCase {
    pub parameter: usize,
    pub condition: Condition,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Condition {
    /// The number is this one; of floats, bit by bit.
    Word(Word),
    /// The float is no number.
    Nan,
    Null,
    /// The first byte of a string, or the only one of an empty one.
    First(ByteClass),
    /// The last byte of a string, before its end.
    Last(ByteClass),
    /// The number is that of the elements that this parameter leads to.
    Size(usize),
}

/// Bytes that programs treat alike.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ByteClass {
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

impl ByteClass {
    pub const ALL: [ByteClass; 10] = [
        ByteClass::Nul,
        ByteClass::Space,
        ByteClass::Tab,
        ByteClass::Newline,
        ByteClass::Sign,
        ByteClass::Digit,
        ByteClass::Upper,
        ByteClass::Lower,
        ByteClass::Other,
        ByteClass::High,
    ];

    /// The bytes, from each first one to the last.
    pub fn ranges(self) -> &'static [(u8, u8)] {
        match self {
            ByteClass::Nul => &[(0, 0)],
            ByteClass::Space => &[(b' ', b' ')],
            ByteClass::Tab => &[(b'\t', b'\t')],
            ByteClass::Newline => &[(b'\n', b'\n')],
            ByteClass::Sign => &[(b'+', b'+'), (b'-', b'-')],
            ByteClass::Digit => &[(b'0', b'9')],
            ByteClass::Upper => &[(b'A', b'Z')],
            ByteClass::Lower => &[(b'a', b'z')],
            ByteClass::Other => &[
                (0x01, 0x08),
                (0x0b, 0x1f),
                (b'!', b'*'),
                (b',', b','),
                (b'.', b'/'),
                (b':', b'@'),
                (b'[', b'`'),
                (b'{', 0x7f),
            ],
            ByteClass::High => &[(0x80, 0xff)],
        }
    }

    fn has(self, byte: u8) -> bool {
        self.ranges().iter().any(|(first, last)| (*first..=*last).contains(&byte))
    }

    fn in_words(self) -> &'static str {
        match self {
            ByteClass::Nul => "NUL",
            ByteClass::Space => "a space",
            ByteClass::Tab => "a tab",
            ByteClass::Newline => "a newline",
            ByteClass::Sign => "a sign",
            ByteClass::Digit => "a digit",
            ByteClass::Upper => "an upper-case letter",
            ByteClass::Lower => "a lower-case letter",
            ByteClass::Other => "another character of ASCII",
            ByteClass::High => "0x80 or above",
        }
    }
}

/// So many numbers that a function compares with are cases of each parameter.
const COMPARED: usize = 8;

impl Program {
    /// The special cases of a function's parameters.
    pub fn special_cases(&self, function: FunctionId) -> Vec<SpecialCase> {
        let parameters = &self.function(function).signature.parameters;
        let compared = self.compared_with(function);
        let is_constant = |of: TypeId| matches!(self.of(of), Type::Pointer(pointer) if pointer.constant);
        let has_constant_text = parameters.iter().any(|it| self.leads_to_text(it.of) && is_constant(it.of));
        let mut cases = Vec::new();
        for (at, parameter) in parameters.iter().enumerate() {
            let mut add = |condition| cases.push(SpecialCase { parameter: at, condition });
            match self.of(parameter.of) {
                Type::Integer(scalar) => {
                    let (width, signed) = (scalar.width, scalar.signed && scalar.width > 1);
                    for number in integers(width, signed, &compared) {
                        add(Condition::Word(Word::from_signed(width, number)));
                    }
                    let buffers = parameters.iter().enumerate().filter(|(_, it)| self.is_buffer(it.of));
                    buffers.filter(|_| width >= 16).for_each(|(of, _)| add(Condition::Size(of)));
                }
                Type::Float(float) => {
                    floats(float.width).into_iter().for_each(|word| add(Condition::Word(word)));
                    add(Condition::Nan);
                }
                Type::Pointer(pointer) => {
                    add(Condition::Null);
                    // Where there are texts that stay as they are, others are where something is written to.
                    if self.leads_to_text(parameter.of) && (pointer.constant || !has_constant_text) {
                        ByteClass::ALL.into_iter().for_each(|class| add(Condition::First(class)));
                        ByteClass::ALL.into_iter().skip(1).for_each(|class| add(Condition::Last(class)));
                    }
                }
                _ => {}
            }
        }
        cases
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
    pub fn special_case_in_words(&self, function: FunctionId, case: SpecialCase) -> String {
        let parameters = &self.function(function).signature.parameters;
        let parameter = &parameters[case.parameter];
        let name = &parameter.name;
        match (case.condition, self.of(parameter.of)) {
            (Condition::Nan, _) => format!("{name} is not a number"),
            (Condition::Word(word), Type::Float(_)) => format!("{name} == {:?}", float::value(word)),
            (Condition::Word(word), Type::Integer(scalar)) if scalar.signed => {
                format!("{name} == {}", word.signed())
            }
            (Condition::Word(word), _) => format!("{name} == {}", word.bits()),
            (Condition::Null, _) => format!("{name} == NULL"),
            (Condition::First(ByteClass::Nul), _) => format!("{name} is empty"),
            (Condition::First(class), _) => format!("{name} begins with {}", class.in_words()),
            (Condition::Last(class), _) => format!("{name} ends with {}", class.in_words()),
            (Condition::Size(of), _) => format!("{name} is the size of {}", parameters[of].name),
        }
    }
}

impl SpecialCase {
    /// Whether an input is of this case.
    pub fn holds(&self, input: &Input) -> bool {
        let Some(argument) = input.arguments.get(self.parameter) else { return false };
        match (self.condition, argument) {
            (Condition::Word(wanted), Datum::Word(word)) => wanted == *word,
            (Condition::Nan, Datum::Word(word)) => float::is_nan(*word),
            (Condition::Null, Datum::Null) => true,
            (Condition::First(class), pointer) => {
                bytes(input, pointer).first().is_some_and(|byte| class.has(*byte))
            }
            (Condition::Last(class), pointer) => {
                let bytes = bytes(input, pointer);
                let end = bytes.iter().position(|byte| *byte == 0);
                end.is_some_and(|end| end > 0 && class.has(bytes[end - 1]))
            }
            (Condition::Size(of), Datum::Word(word)) => match input.arguments.get(of) {
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
