//! How a compiler lays out a struct by itself, so that a definition asks for what is different.

use ir::{Field, Program, Record, Type, TypeId};

/// Beyond this, nobody aligns a variable. In bytes.
const WIDEST: u64 = 4096;

/// Whether a field stands where its type would not be put by itself.
pub(crate) fn is_packed(program: &Program, record: &Record) -> bool {
    let strays = |field: &Field| {
        field.bits.is_none() && !field.offset.is_multiple_of(8 * alignment(program, field.of))
    };
    record.fields.iter().any(strays) || !record.size.is_multiple_of(widest(program, record))
}

/// The alignment that has to be asked for, for a field to stand where it does
/// if all before it ends at this bit. In bytes.
pub(crate) fn raised_field(program: &Program, field: &Field, end: u64) -> Option<u64> {
    let natural = 8 * alignment(program, field.of);
    let fits = |bits: &u64| end.next_multiple_of(*bits) == field.offset;
    let stands_by_itself = field.bits.is_some() || field.offset == 0 || fits(&natural);
    let wider = std::iter::successors(Some(2 * natural), |bits| Some(2 * bits));
    (!stands_by_itself).then(|| wider.take_while(|bits| *bits <= 8 * WIDEST).find(fits))?.map(|bits| bits / 8)
}

/// The alignment that has to be asked for, for a record to be as large as it is. In bytes.
pub(crate) fn raised_record(program: &Program, record: &Record) -> Option<u64> {
    let natural = widest(program, record);
    let bits = |field: &Field| field.bits.map_or(8 * program.size(field.of), u64::from);
    let end = record.fields.iter().map(|field| (field.offset + bits(field)).div_ceil(8)).max().unwrap_or(0);
    let fits = |bytes: &u64| end.next_multiple_of(*bytes) == record.size;
    let wider = std::iter::successors(Some(2 * natural), |bytes| Some(2 * bytes));
    let wanted = !is_packed(program, record) && !fits(&natural);
    wanted.then(|| wider.take_while(|bytes| *bytes <= WIDEST).find(fits))?
}

/// Whether the compiler puts a bit-field there by itself, when all before it ends
/// here: at the next bit, or in the next unit if it does not fit into this one.
pub(crate) fn is_natural(field: &Field, unit: u64, end: u64) -> bool {
    let bits = u64::from(field.bits.unwrap_or(0));
    let next = if end / unit == (end + bits - 1) / unit { end } else { end.next_multiple_of(unit) };
    next == field.offset
}

/// Whether every byte of a value belongs to a field, so that bytes can be compared.
pub(crate) fn is_dense(program: &Program, of: TypeId) -> bool {
    match program.of(of) {
        Type::Array { of, .. } => is_dense(program, *of),
        Type::Record(record) => {
            let sizes = record.fields.iter().map(|field| program.size(field.of));
            let plain = record.fields.iter().all(|it| it.bits.is_none() && is_dense(program, it.of));
            plain && !record.union && sizes.sum::<u64>() == record.size
        }
        _ => true,
    }
}

/// In bytes.
fn alignment(program: &Program, of: TypeId) -> u64 {
    match program.of(of) {
        Type::Array { of, .. } => alignment(program, *of),
        Type::Record(record) if is_packed(program, record) => 1,
        Type::Record(record) => raised_record(program, record).unwrap_or_else(|| widest(program, record)),
        _ => program.size(of).max(1),
    }
}

/// The alignment of the field that asks for most, by its type.
fn widest(program: &Program, record: &Record) -> u64 {
    record.fields.iter().map(|field| alignment(program, field.of)).max().unwrap_or(1)
}
