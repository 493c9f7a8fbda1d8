//! Random types, globals and functions without a body.
//!
//! Objects are small, up to four elements of a few bytes. What can go wrong
//! with pointers goes wrong there too, and a solver can handle them.

use arbitrary::{Result, Unstructured};

use super::{one_in, scalar};
use crate::memory::pointer;
use crate::{
    External, Field, Float, Global, GlobalId, Parameter, Pointer, Program, Record, Scalar, Signature, Type,
    TypeId,
};

/// The most elements of a global, of a local, and of an object of the input.
pub(super) const MOST_ELEMENTS: u64 = 4;

/// Types as they are needed, each once.
pub(super) fn intern(program: &mut Program, of: Type) -> TypeId {
    let at = program.types.iter().position(|other| *other == of).unwrap_or_else(|| {
        program.types.push(of);
        program.types.len() - 1
    });
    TypeId(at as u32)
}

/// What pointers point to: mostly integers, at times a struct with a gap, with bit-fields, or with a pointer.
pub(super) fn element(u: &mut Unstructured, program: &mut Program) -> Result<TypeId> {
    Ok(match u.int_in_range(0..=13)? {
        0..=3 => integer(program, "char", 8, true),
        4..=5 => integer(program, "unsigned short", 16, false),
        6..=7 => integer(program, "int", 32, true),
        8 => with_gap(program),
        9 => with_bits(program),
        10 => node(program),
        11 => union(program),
        12 => intern(program, Type::Float(Float { name: "float".to_string(), width: 32 })),
        _ => {
            let to = integer(program, "char", 8, true);
            pointer_to(program, to, false)
        }
    })
}

pub(super) fn signature(u: &mut Unstructured, program: &mut Program, is_subject: bool) -> Result<Signature> {
    let mut parameters = Vec::new();
    let count = if one_in(u, 12)? { 0 } else { u.int_in_range(1..=4)? };
    for at in 0..count {
        let of = match u.int_in_range(0..=19)? {
            0..=12 => word(u, program)?,
            19 if is_subject => {
                let integer = integer(program, "char", 8, true);
                let function =
                    Type::Function { parameters: vec![integer], result: Some(integer), variadic: false };
                let function = intern(program, function);
                pointer_to(program, function, false)
            }
            _ => {
                let (to, constant) = (element(u, program)?, one_in(u, 4)?);
                pointer_to(program, to, constant)
            }
        };
        parameters.push(Parameter { name: format!("p{at}"), of });
    }
    let result = match u.int_in_range(0..=11)? {
        11 => None,
        10 => {
            let to = element(u, program)?;
            Some(pointer_to(program, to, false))
        }
        _ => Some(word(u, program)?),
    };
    Ok(Signature { parameters, result, variadic: false })
}

/// Up to three globals, and a text to print.
pub(super) fn globals(u: &mut Unstructured, program: &mut Program) -> Result<()> {
    let text = integer(program, "char", 8, true);
    let of = intern(program, Type::Array { of: text, count: 3 });
    program.globals.push(Global {
        name: "text".to_string(),
        of,
        contents: b"hi\0".to_vec(),
        constant: true,
        external: false,
    });
    for at in 0..u.int_in_range(0..=3)? {
        let element = element(u, program)?;
        let count = 1 << u.int_in_range(0..=2)?;
        let of = intern(program, Type::Array { of: element, count });
        let size = program.size(of) as usize;
        let contents = if program.has_pointers(element) {
            let mut contents = vec![0; size];
            // A pointer to the text, where the type is just that.
            if let Type::Pointer(_) = program.of(element) {
                let text = pointer(program.global_object(GlobalId(0)));
                contents[..8].copy_from_slice(&(text.bits() as u64).to_le_bytes());
            }
            contents
        } else {
            (0..size).map(|_| u.arbitrary()).collect::<Result<_>>()?
        };
        let (constant, external) = (one_in(u, 4)?, !one_in(u, 3)?);
        program.globals.push(Global { name: format!("g{at}"), of, contents, constant, external });
    }
    Ok(())
}

/// One that prints, and up to two whose results are inputs.
pub(super) fn externals(u: &mut Unstructured, program: &mut Program) -> Result<()> {
    let (text, int) = (integer(program, "char", 8, true), integer(program, "int", 32, true));
    let text = pointer_to(program, text, true);
    program.externals.push(External {
        name: "show".to_string(),
        parameters: vec![text],
        result: Some(int),
        variadic: false,
        prints: true,
    });
    for at in 0..u.int_in_range(0..=2)? {
        let mut parameters = Vec::new();
        for _ in 0..u.int_in_range(0..=2)? {
            parameters.push(word(u, program)?);
        }
        let result = if one_in(u, 6)? { None } else { Some(word(u, program)?) };
        let variadic = one_in(u, 6)?;
        program.externals.push(External {
            name: format!("e{at}"),
            parameters,
            result,
            variadic,
            prints: false,
        });
    }
    Ok(())
}

pub(super) fn pointer_to(program: &mut Program, to: TypeId, constant: bool) -> TypeId {
    let name = match program.of(to) {
        Type::Integer(Scalar { name, .. }) | Type::Float(Float { name, .. }) => format!("{name} *"),
        Type::Pointer(pointer) => format!("{}*", pointer.name),
        Type::Record(record) => format!("{} *", record.name),
        _ => "function *".to_string(),
    };
    let name = if constant { format!("const {name}") } else { name };
    intern(program, Type::Pointer(Pointer { name, to, constant, untyped: false }))
}

fn word(u: &mut Unstructured, program: &mut Program) -> Result<TypeId> {
    let scalar = scalar(u)?;
    Ok(intern(program, Type::Integer(scalar)))
}

fn integer(program: &mut Program, name: &str, width: u32, signed: bool) -> TypeId {
    intern(program, Type::Integer(Scalar { name: name.to_string(), width, signed }))
}

/// `struct gap { char a; unsigned short b; }`
fn with_gap(program: &mut Program) -> TypeId {
    let (a, b) = (integer(program, "char", 8, true), integer(program, "unsigned short", 16, false));
    let fields = vec![field("a", a, 0, None), field("b", b, 16, None)];
    record(program, "struct gap", 4, fields, false)
}

/// `struct bits { unsigned char a : 3, b : 4; char c; }`, which leaves a bit to nobody.
fn with_bits(program: &mut Program) -> TypeId {
    let (bits, c) = (integer(program, "unsigned char", 8, false), integer(program, "char", 8, true));
    let fields = vec![field("a", bits, 0, Some(3)), field("b", bits, 3, Some(4)), field("c", c, 8, None)];
    record(program, "struct bits", 2, fields, false)
}

/// `union either { char a; int b; }`
fn union(program: &mut Program) -> TypeId {
    let (a, b) = (integer(program, "char", 8, true), integer(program, "int", 32, true));
    record(program, "union either", 4, vec![field("a", a, 0, None), field("b", b, 0, None)], true)
}

/// `struct node { char value; struct node *next; }`
fn node(program: &mut Program) -> TypeId {
    let is_node = |of: &Type| matches!(of, Type::Record(record) if record.name == "struct node");
    if let Some(at) = program.types.iter().position(is_node) {
        return TypeId(at as u32);
    }
    let value = integer(program, "char", 8, true);
    // The struct comes before the pointer to it.
    let next = TypeId(program.types.len() as u32 + 1);
    let fields = vec![field("value", value, 0, None), field("next", next, 64, None)];
    let node = record(program, "struct node", 16, fields, false);
    pointer_to(program, node, false);
    node
}

fn record(program: &mut Program, name: &str, size: u64, fields: Vec<Field>, union: bool) -> TypeId {
    intern(program, Type::Record(Record { name: name.to_string(), union, size, fields, flexible: false }))
}

fn field(name: &str, of: TypeId, offset: u64, bits: Option<u32>) -> Field {
    Field { name: name.to_string(), of, offset, bits }
}
