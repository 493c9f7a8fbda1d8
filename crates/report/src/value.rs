//! Values in JSON: numbers, text, arrays, objects for structs, and null.
//!
//! They are meant to be read, so a pointer shows what it points to. If that is not
//! enough, as for a pointer into the middle of something, words say where it leads.

use bv::Word;
use ir::{Datum, Float, Input, Program, Record, Seen, Type, TypeId};
use serde_json::{Map, Value};

/// Values with their names: `a = 1, b = "x"`.
pub fn named_values(values: &Map<String, Value>) -> String {
    let named = values.iter().map(|(name, value)| format!("{name} = {value}"));
    named.collect::<Vec<String>>().join(", ")
}

/// A value of an input.
pub(crate) fn given(program: &Program, input: &Input, of: TypeId, datum: &Datum) -> Value {
    match (datum, program.of(of)) {
        (Datum::Word(word), of) => word_of(*word, of),
        (Datum::Null, _) => Value::Null,
        (Datum::Function(function), _) => program.function(*function).name.clone().into(),
        (Datum::Pointer { object, element }, _) => {
            let object = &input.objects[*object as usize];
            if program.is_stream(object.of) {
                // The last byte is not read.
                let bytes: Vec<u8> =
                    object.elements.iter().filter_map(Datum::word).map(|it| it.bits() as u8).collect();
                let (_, read) = bytes.split_last().unwrap_or((&0, &[]));
                return String::from_utf8_lossy(read).into_owned().into();
            }
            let rest = object.elements.get(*element as usize..).unwrap_or_default();
            let values = rest.iter().map(|it| given(program, input, object.of, it)).collect();
            list(program, object.of, rest.iter().map(Datum::word), values)
        }
        (Datum::Aggregate(parts), Type::Array { of, .. }) => {
            let values = parts.iter().map(|it| given(program, input, *of, it)).collect();
            list(program, *of, parts.iter().map(Datum::word), values)
        }
        (Datum::Aggregate(parts), Type::Record(record)) => {
            fields(program, record, parts, |field, part| given(program, input, field.of, part))
        }
        (Datum::Aggregate(parts), _) => parts
            .iter()
            .map(|part| part.word().map_or(Value::Null, |word| (word.bits() as u64).into()))
            .collect(),
    }
}

/// A value that was observed.
pub(crate) fn observed(program: &Program, of: TypeId, seen: &Seen) -> Value {
    match (seen, program.of(of)) {
        (Seen::Word(word), of) => word_of(*word, of),
        (Seen::Null, _) => Value::Null,
        (Seen::Nonzero { negative: Some(true) }, _) => "a negative number".into(),
        (Seen::Nonzero { negative: Some(false) }, _) => "a positive number".into(),
        (Seen::Nonzero { negative: None }, _) => "a number that is not zero".into(),
        (Seen::Undefined, _) => "undefined".into(),
        (Seen::Elsewhere, _) => "somewhere else".into(),
        (Seen::Input { object, offset }, _) => {
            format!("byte {offset} of object {object} of the input").into()
        }
        (Seen::Global { global, offset: 0 }, _) => format!("&{}", program.global(*global).name).into(),
        (Seen::Global { global, offset }, _) => {
            format!("byte {offset} of {}", program.global(*global).name).into()
        }
        (Seen::Function(function) | Seen::StaticFunction(function), _) => {
            program.function(*function).name.clone().into()
        }
        (Seen::Fresh(fresh), Type::Pointer(pointer)) => elements(program, pointer.to, &fresh.elements),
        (Seen::Static { contents, .. }, Type::Pointer(pointer)) => elements(program, pointer.to, contents),
        (Seen::Text(text), _) => String::from_utf8_lossy(text).into_owned().into(),
        (Seen::Aggregate(parts), Type::Array { of, .. }) => elements(program, *of, parts),
        (Seen::Aggregate(parts), Type::Record(record)) => {
            fields(program, record, parts, |field, part| observed(program, field.of, part))
        }
        (Seen::Aggregate(parts), _) => parts
            .iter()
            .map(|part| word(part).map_or(Value::Null, |word| (word.bits() as u64).into()))
            .collect(),
        (Seen::Handed { contents, .. }, Type::Pointer(pointer)) => elements(program, pointer.to, contents),
        (Seen::Handed { pointer, .. }, _) => observed(program, of, pointer),
        (Seen::Fresh(_) | Seen::Static { .. }, _) => unreachable!("only a pointer leads to what has no name"),
    }
}

/// The elements of an object as they were observed.
pub(crate) fn elements(program: &Program, of: TypeId, parts: &[Seen]) -> Value {
    let values = parts.iter().map(|part| observed(program, of, part)).collect();
    list(program, of, parts.iter().map(word), values)
}

fn word(seen: &Seen) -> Option<Word> {
    match seen {
        Seen::Word(word) => Some(*word),
        _ => None,
    }
}

/// An array, or text if it is an array of characters that ends as a string does.
fn list(
    program: &Program,
    of: TypeId,
    words: impl Iterator<Item = Option<Word>>,
    values: Vec<Value>,
) -> Value {
    let is_char =
        matches!(program.of(of), Type::Integer(scalar) if scalar.name.trim_start_matches("const ") == "char");
    let bytes: Option<Vec<u8>> = words.map(|word| Some(word?.bits() as u8)).collect();
    let text = bytes.filter(|_| is_char).and_then(|mut bytes| (bytes.pop()? == 0).then_some(bytes));
    match text.map(String::from_utf8) {
        Some(Ok(text)) => text.into(),
        _ => values.into(),
    }
}

/// The fields of an anonymous struct are fields of the one around it.
fn fields<T>(
    program: &Program,
    record: &Record,
    parts: &[T],
    value: impl Fn(&ir::Field, &T) -> Value,
) -> Value {
    let mut object = Map::new();
    for (field, part) in program.parts(record).into_iter().zip(parts) {
        match value(field, part) {
            Value::Object(inner) if field.name.is_empty() => object.extend(inner),
            value => drop(object.insert(field.name.clone(), value)),
        }
    }
    object.into()
}

fn word_of(word: Word, of: &Type) -> Value {
    match of {
        Type::Integer(scalar) => number(word, scalar.signed),
        Type::Float(float) => decimal(word, float),
        _ => number(word, false),
    }
}

/// A JSON number; what JSON readers cannot hold exactly is a string.
fn number(word: Word, signed: bool) -> Value {
    let value = if signed { word.signed() } else { word.bits() as i128 };
    match (i64::try_from(value), u64::try_from(value)) {
        (Ok(value), _) => value.into(),
        (_, Ok(value)) => value.into(),
        _ => value.to_string().into(),
    }
}

/// JSON has no word for what is not finite.
fn decimal(word: Word, float: &Float) -> Value {
    let value = match float.width {
        // The shortest decimal that is this number among the narrow ones, not among the wide.
        32 => f32::from_bits(word.bits() as u32).to_string().parse().unwrap_or(f64::NAN),
        _ => f64::from_bits(word.bits() as u64),
    };
    serde_json::Number::from_f64(value).map_or_else(|| value.to_string().into(), Value::Number)
}

#[cfg(test)]
mod tests {
    use ir::{Field, Fresh, Object, Pointer, Scalar};

    use super::*;

    fn integer(name: &str, width: u32, signed: bool) -> Type {
        Type::Integer(Scalar { name: name.to_string(), width, signed })
    }

    /// int, char, a pointer to char, and a struct with an int in three bits and a pointer to char.
    fn program() -> Program {
        let (int, text) = (TypeId(0), TypeId(2));
        let field = |name: &str, of, offset, bits| Field { name: name.to_string(), of, offset, bits };
        let fields = vec![field("kind", int, 0, Some(3)), field("name", text, 64, None)];
        let pointer = Pointer { name: "char *".to_string(), to: TypeId(1), constant: false, untyped: false };
        let record =
            Record { name: "struct item".to_string(), union: false, size: 16, fields, flexible: false };
        let types = vec![
            integer("int", 32, true),
            integer("char", 8, true),
            Type::Pointer(pointer),
            Type::Record(record),
            Type::Float(Float { name: "float".to_string(), width: 32 }),
        ];
        Program { types, ..Program::default() }
    }

    #[test]
    fn a_struct_is_an_object_and_a_string_is_text() {
        let letters = b"a\"b\0".iter().map(|byte| Datum::Word(Word::new(8, u128::from(*byte)))).collect();
        let object = Object { of: TypeId(1), elements: letters, constant: false };
        let input = Input { objects: vec![object], ..Input::default() };
        let item = Datum::Aggregate(vec![
            Datum::Word(Word::from_signed(3, -2)),
            Datum::Pointer { object: 0, element: 0 },
        ]);
        let value = given(&program(), &input, TypeId(3), &item);
        assert_eq!(value.to_string(), r#"{"kind":-2,"name":"a\"b"}"#);
    }

    #[test]
    fn what_is_no_text_is_an_array() {
        let elements = [1, 2].map(|byte| Seen::Word(Word::new(8, byte))).to_vec();
        let fresh = Fresh { block: 0, offset: 0, size: 2, elements };
        assert_eq!(observed(&program(), TypeId(2), &Seen::Fresh(fresh)).to_string(), "[1,2]");
        assert_eq!(observed(&program(), TypeId(2), &Seen::Null), Value::Null);
    }

    #[test]
    fn a_float_is_a_number_unless_it_is_none() {
        let float = |value: f32| Seen::Word(Word::new(32, value.to_bits().into()));
        assert_eq!(observed(&program(), TypeId(4), &float(0.1)).to_string(), "0.1");
        assert_eq!(observed(&program(), TypeId(4), &float(f32::NAN)).to_string(), r#""NaN""#);
    }
}
