//! Random loops of the kind that people write, which chance alone would hardly make: a counter, a sum, a
//! limit. Each part has mutants.

use arbitrary::{Result, Unstructured};

/// What stands in brackets becomes a site: which part of the loop it is, the counter and the sum. `W` is the
/// width of all numbers.
const SHAPES: [&str; 4] = [
    "block0: %2:iW = [start 0:iW 0:iW] %3:iW = [start 0:iW 0:iW] jump block1(%2, %3)
     block1(%4:iW, %5:iW): %6:i1 = [condition %4 %5] branch %6, block2, block3
     block2: %7:iW = [sum %4 %5] %8:iW = [step %4 %5] jump block1(%8, %7)
     block3: %9:iW = [sum %4 %5] return %9",
    // It may be left early.
    "block0: %2:iW = [start 0:iW 0:iW] %3:iW = [start 0:iW 0:iW] jump block1(%2, %3)
     block1(%4:iW, %5:iW): %6:i1 = [condition %4 %5] branch %6, block2, block4
     block2: %7:i1 = [condition %5 %4] branch %7, block3, block5
     block3: %8:iW = [sum %4 %5] %9:iW = [step %4 %5] jump block1(%9, %8)
     block4: return %5
     block5: %10:iW = [sum %4 %5] return %10",
    // The condition comes last.
    "block0: %2:iW = [start 0:iW 0:iW] jump block1(%2, 0:iW)
     block1(%3:iW, %4:iW): %5:iW = [sum %3 %4] %6:iW = [step %3 %4] %7:i1 = [condition %6 %5] branch %7, block1(%6, %5), block2
     block2: %8:iW = [sum %6 %5] return %8",
    // Another loop in it.
    "block0: %2:iW = [start 0:iW 0:iW] jump block1(%2, 0:iW)
     block1(%3:iW, %4:iW): %5:i1 = [condition %3 %4] branch %5, block2, block5
     block2: %6:iW = [start %3 %4] jump block3(%6, %4)
     block3(%7:iW, %8:iW): %9:i1 = [condition %7 %8] branch %9, block4, block6
     block4: %10:iW = [sum %7 %8] %11:iW = [step %7 %8] jump block3(%11, %10)
     block5: return %4
     block6: %12:iW = [step %3 %8] jump block1(%12, %8)",
];

/// What each part of a loop usually is. `%0` is the counter, `%1` the sum, `%2` and `%3` are parameters.
fn usual(part: &str) -> &'static [&'static str] {
    match part {
        "start" => &["add 0 0", "add 1 0", "add %2 0"],
        "condition" => {
            &["ult %0 %2", "slt %0 %2", "ne %0 %2", "ule %0 %2", "ugt %0 0", "ne %0 0", "ult %1 %3"]
        }
        "sum" => &["add %1 %0", "add %1 1", "xor %1 %0", "mul %1 %3", "add %1 %3", "shl %1 1", "add %1 0"],
        "step" => &["add %0 1", "add %0 1", "sub %0 1", "add %0 2", "lshr %0 1", "and %0 %3"],
        _ => unreachable!("a loop has no {part}"),
    }
}

const OPERANDS: [&str; 7] = ["%0", "%1", "%2", "%3", "0", "1", "2"];

const COMPARISONS: [&str; 10] = ["ult", "ule", "ugt", "uge", "eq", "ne", "slt", "sle", "sgt", "sge"];

const OPERATORS: [&str; 11] =
    ["add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr", "udiv", "urem"];

/// Mutants of each site.
const MUTANTS: usize = 3;

/// A function of one number of eight bits, or of two of five.
pub(crate) fn text(u: &mut Unstructured) -> Result<String> {
    let two = u.arbitrary()?;
    let (width, second, first) = if two {
        ("5", ", %1 m: u5 \"small\"", "block0:")
    } else {
        ("8", "", "block0: %1:i8 = add 3:i8, 0:i8")
    };
    let shape = u.choose(&SHAPES)?.replace("block0:", first);
    let (mut body, mut sites) = (String::new(), String::new());
    let mut parts = shape.split(['[', ']']);
    for number in 0.. {
        body.extend(parts.next());
        let Some(part) = parts.next() else { break };
        let words: Vec<&str> = part.split(' ').collect();
        body.push_str(&format!("site {number}({}, {}, %0, %1)", words[1], words[2]));
        sites.push_str(&site(u, number, words[0])?);
    }
    let text = format!("function @f(%0 n: uW \"small\"{second}) -> uW \"small\" {{\n{body}\n}}\n{sites}");
    Ok(text.replace('W', width))
}

/// A part of the loop, and its mutants: another operator, another operand, or anything.
fn site(u: &mut Unstructured, number: usize, part: &str) -> Result<String> {
    let original: Vec<&str> = u.choose(usual(part))?.split(' ').collect();
    let is_condition = part == "condition";
    let promise = if !is_condition && u.ratio(1, 3)? { promise(original[0]) } else { "" };
    let operators: &[&str] = if is_condition { &COMPARISONS } else { &OPERATORS };
    let result = if is_condition { "1" } else { "W" };
    let mut text = format!("site {number}(%0:iW, %1:iW, %2:iW, %3:iW) -> i{result} {{\noriginal:\n");
    text.push_str(&arm(original[0], promise, original[1], original[2]));
    for at in 0..MUTANTS {
        let (mut op, mut left, mut right) = (original[0], original[1], original[2]);
        let changes = u.int_in_range(0..=4)?;
        if changes != 2 {
            op = u.choose(operators)?;
        }
        if changes >= 2 {
            right = u.choose(&OPERANDS)?;
        }
        if changes == 4 {
            left = u.choose(&OPERANDS)?;
        }
        text.push_str(&format!("mutant {}:\n", number * MUTANTS + at + 1));
        text.push_str(&arm(op, "", left, right));
    }
    Ok(text + "}\n")
}

fn arm(op: &str, promise: &str, left: &str, right: &str) -> String {
    let operand = |operand: &str| match operand.starts_with('%') {
        true => operand.to_string(),
        false => format!("{operand}:iW"),
    };
    format!("%4 = {op}{promise} {}, {}\nreturn %4\n", operand(left), operand(right))
}

/// What the source may promise of an operation: inputs that break it are not valid.
fn promise(op: &str) -> &'static str {
    if ["add", "sub", "mul"].contains(&op) { " nsw" } else { "" }
}
