//! Symbols of SMT-LIB that read like the names of variables.

/// Reserved words, and the names of the theories. They cannot be declared again.
fn reserved(name: &str) -> bool {
    const WORDS: &[&str] = &[
        "let",
        "forall",
        "exists",
        "match",
        "par",
        "as",
        "true",
        "false",
        "and",
        "or",
        "not",
        "xor",
        "ite",
        "distinct",
        "concat",
        "extract",
        "repeat",
        "zero_extend",
        "sign_extend",
        "rotate_left",
        "rotate_right",
        "BINARY",
        "DECIMAL",
        "HEXADECIMAL",
        "NUMERAL",
        "STRING",
        "Bool",
        "BitVec",
        "fp",
        "NaN",
        "RNE",
        "RNA",
        "RTP",
        "RTN",
        "RTZ",
        "roundNearestTiesToEven",
        "roundNearestTiesToAway",
        "roundTowardPositive",
        "roundTowardNegative",
        "roundTowardZero",
        "FloatingPoint",
        "RoundingMode",
        "Float16",
        "Float32",
        "Float64",
        "Float128",
        "Real",
    ];
    let theory = ["bv", "fp.", "to_fp"];
    WORDS.contains(&name) || theory.iter().any(|prefix| name.starts_with(prefix))
}

/// A symbol that reads like the name. Whatever SMT-LIB does not allow becomes `_`.
pub(super) fn symbol(name: &str) -> String {
    let simple = |c: char| c.is_ascii_alphanumeric() || "~!@$%^&*_-+=<>.?/".contains(c);
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    if starts && name.chars().all(simple) && !reserved(name) {
        return name.into();
    }
    // Solvers differ on whether |and| is the same symbol as and; a prefix keeps clear of it.
    let prefix = if reserved(name) { "_" } else { "" };
    let printable =
        |c: char| if c == '|' || c == '\\' || !(c.is_ascii_graphic() || c == ' ') { '_' } else { c };
    format!("|{prefix}{}|", name.chars().map(printable).collect::<String>())
}
