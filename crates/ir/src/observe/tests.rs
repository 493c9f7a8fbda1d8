//! What is laid out is seen again.

use arbtest::arbitrary::{Result, Unstructured};

use super::*;
use crate::random::word;
use crate::{Float, Object, Pointer, Record, Scalar};

/// Memory of one object of the input.
struct One {
    bytes: Vec<u8>,
    undefined: Vec<u8>,
}

/// A pointer is the number of its object, from 1, and the offset above.
impl View for One {
    fn place(&self, bits: u64) -> PointsTo {
        match (bits as u8, (bits >> 8) as i64) {
            (0, _) => PointsTo::Null,
            (object, offset) => PointsTo::Input { object: u32::from(object) - 1, offset },
        }
    }

    fn input(&self, _: u32) -> Option<Bytes<'_>> {
        Some(Bytes { bytes: &self.bytes, undefined: &self.undefined })
    }

    fn fresh(&self, _: u32) -> Bytes<'_> {
        unreachable!("nothing is made")
    }

    fn global(&self, _: GlobalId) -> Option<Bytes<'_>> {
        None
    }

    fn held(&self, _: GlobalId) -> Option<Bytes<'_>> {
        None
    }
}

fn address(datum: &Datum) -> u64 {
    match datum {
        Datum::Pointer { object, element } => u64::from(object + 1) | u64::from(*element) << 8,
        _ => 0,
    }
}

fn random_type(u: &mut Unstructured, program: &mut Program, depth: u32) -> Result<TypeId> {
    let of = match u.int_in_range(0..=if depth == 0 { 2 } else { 6 })? {
        0 => {
            let width = *u.choose(&[1, 8, 16, 32, 64, 128])?;
            Type::Integer(Scalar { name: "integer".to_string(), width, signed: u.arbitrary()? })
        }
        1 => Type::Float(Float { name: "float".to_string(), width: *u.choose(&[32, 64])? }),
        2 => {
            let to = TypeId(0);
            Type::Pointer(Pointer { name: "pointer".to_string(), to, constant: false, untyped: false })
        }
        3 => Type::Array { of: random_type(u, program, depth - 1)?, count: u.int_in_range(0..=3)? },
        4 => Type::Opaque { name: "opaque".to_string(), size: u.int_in_range(0..=3)? },
        _ => random_record(u, program, depth)?,
    };
    program.types.push(of);
    Ok(TypeId(program.types.len() as u32 - 1))
}

/// A struct with gaps and bit-fields, or a union.
fn random_record(u: &mut Unstructured, program: &mut Program, depth: u32) -> Result<Type> {
    let union = u.int_in_range(0..=3)? == 0;
    let (mut fields, mut end) = (vec![], 0u64);
    for at in 0..u.int_in_range(0..=4)? {
        let of = random_type(u, program, depth - 1)?;
        let bits = match program.of(of) {
            Type::Integer(scalar) if u.arbitrary()? => Some(u.int_in_range(1..=scalar.width)?),
            _ => None,
        };
        let gap = u.int_in_range(0..=9)?;
        let start = if bits.is_some() { end + gap } else { (end + gap).div_ceil(8) * 8 };
        let offset = if union { 0 } else { start };
        end = end.max(offset + bits.map_or(8 * program.size(of), u64::from));
        fields.push(Field { name: format!("f{at}"), of, offset, bits });
    }
    let size = end.div_ceil(8) + u.int_in_range(0..=1)?;
    Ok(Type::Record(Record { name: "struct s".to_string(), union, size, fields, flexible: false }))
}

/// A value, and as what it should be seen.
fn random_datum(u: &mut Unstructured, program: &Program, of: TypeId) -> Result<(Datum, Seen)> {
    let both = |word: Word| (Datum::Word(word), Seen::Word(word));
    let list = |parts: Vec<(Datum, Seen)>| {
        let (data, seen) = parts.into_iter().unzip();
        (Datum::Aggregate(data), Seen::Aggregate(seen))
    };
    Ok(match program.of(of) {
        Type::Integer(scalar) => both(word(u, scalar.width)?),
        Type::Float(float) => {
            let word = Word::new(float.width, u.arbitrary()?);
            (Datum::Word(word), Seen::Word(canonical(word)))
        }
        Type::Pointer(_) if u.arbitrary()? => (Datum::Null, Seen::Null),
        Type::Pointer(_) => {
            let (object, element) = (u.int_in_range(0..=9)?, u.int_in_range(0..=9)?);
            (Datum::Pointer { object, element }, Seen::Input { object, offset: element.into() })
        }
        Type::Array { of, count } => {
            list((0..*count).map(|_| random_datum(u, program, *of)).collect::<Result<_>>()?)
        }
        Type::Record(record) => {
            let part = |field: &Field| match field.bits {
                Some(bits) => word(u, bits).map(both),
                None => random_datum(u, program, field.of),
            };
            list(program.parts(record).into_iter().map(part).collect::<Result<_>>()?)
        }
        Type::Opaque { size, .. } => list((0..*size).map(|_| word(u, 8).map(both)).collect::<Result<_>>()?),
        Type::Function { .. } => unreachable!("no function is an object"),
    })
}

#[test]
fn what_is_laid_out_is_seen_again() {
    arbtest::arbtest(|u| {
        let mut program = Program::default();
        let of = random_type(u, &mut program, 3)?;
        let count = u.int_in_range(0..=3)?;
        let values = (0..count).map(|_| random_datum(u, &program, of)).collect::<Result<Vec<_>>>()?;
        let (elements, expected): (Vec<Datum>, Vec<Seen>) = values.into_iter().unzip();
        let object = Object { of, elements, constant: false };
        let (bytes, undefined) = lay_out_object(&program, &object, &address);
        let input = Input { objects: vec![object], ..Input::default() };
        let observation = observe(&program, None, &input, &One { bytes, undefined }, vec![]);
        assert_eq!(observation.objects, [expected], "{program}");
        Ok(())
    })
    .budget_ms(1_000);
}

#[test]
fn gaps_are_not_assigned() {
    let integer = |width| Type::Integer(Scalar { name: "integer".to_string(), width, signed: false });
    let field = |of, offset, bits| Field { name: "f".to_string(), of: TypeId(of), offset, bits };
    let fields = vec![field(0, 0, Some(3)), field(0, 5, Some(6)), field(1, 16, None)];
    let record = Record { name: "struct s".to_string(), union: false, size: 5, fields, flexible: false };
    let program =
        Program { types: vec![integer(8), integer(16), Type::Record(record)], ..Program::default() };
    let words = [Word::new(3, 7), Word::new(6, 0x21), Word::new(16, 0x1234)];
    let element = Datum::Aggregate(words.into_iter().map(Datum::Word).collect());
    let object = Object { of: TypeId(2), elements: vec![element], constant: false };
    let (bytes, undefined) = lay_out_object(&program, &object, &address);
    assert_eq!(bytes, [0x27, 0x04, 0x34, 0x12, 0]);
    assert_eq!(undefined, [0x18, 0xf8, 0, 0, 0xff]);
}

#[test]
fn all_nans_are_seen_as_one() {
    let float = Type::Float(Float { name: "float".to_string(), width: 32 });
    let program = Program { types: vec![float], ..Program::default() };
    let view = One { bytes: vec![], undefined: vec![] };
    let see = |bits: u32| {
        let bytes = bits.to_le_bytes();
        seen(&program, TypeId(0), Bytes { bytes: &bytes, undefined: &[] }, &view)
    };
    assert_eq!(see(0x7fc0_0001), see(0xffff_ffff));
    assert_ne!(see(0x8000_0000), see(0));
}
