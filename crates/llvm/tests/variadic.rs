//! Variadic calls: the interpreter against machine code, and against what clang makes of the same file.
//!
//! The interpreter and our machine code pass arguments in memory. Clang passes them as C does on this
//! machine, in registers first. So the third one knows nothing of our ways.

use std::collections::hash_map::RandomState;
use std::fmt::Write;
use std::hash::{BuildHasher, Hasher};
use std::process::Command;

use bv::Word;
use ir::{Datum, FunctionId, Input, Mutant, Outcome, Seen};
use llvm::{Native, Operators, Options, Overflow, ProcessEnd};

/// How many functions call, each with other arguments, and how many inputs each gets.
const CALLERS: usize = 60;
const INPUTS: usize = 4;
/// There are six registers for integers and eight for floats.
const MOST: u64 = 14;
const FUEL: u64 = 10_000;

/// The arguments of every kind, as a caller writes them, and how one is read and made a number.
const KINDS: [(char, &str, &str); 9] = [
    ('i', "a", "va_arg(*l, int)"),
    ('c', "c", "va_arg(*l, int)"),
    ('u', "(unsigned) b", "va_arg(*l, unsigned)"),
    ('l', "b", "va_arg(*l, long long)"),
    ('d', "a * 0.5", "(long) (va_arg(*l, double) * 4)"),
    ('f', "(float) c", "(long) va_arg(*l, double)"),
    ('s', "&text[c % 5]", "*va_arg(*l, const char *)"),
    (
        't',
        "(struct two) { a, c * 0.25 }",
        "({ struct two t = va_arg(*l, struct two); t.a + (long) (t.d * 8); })",
    ),
    (
        'b',
        "(struct big) { a, b, c }",
        "({ struct big t = va_arg(*l, struct big); t.a + 3 * t.b + 5 * t.c; })",
    ),
];

const HEAD: &str = r#"#include <stdarg.h>
struct two { int a; double d; };
struct big { long a, b, c; };
static const char text[] = "abcdefgh";
"#;

/// It may hand its list to another function, go on with a copy, or call itself.
const FORMAT: &str = r#"
static unsigned long by_value(va_list l)
{
    return (long) (va_arg(l, double) * 2);
}
static unsigned long mix(const char *kinds, ...)
{
    unsigned long h = 7;
    va_list list, copy;
    va_start(list, kinds);
    for (; *kinds; kinds++) {
        if (*kinds == 'i')
            h = 31 * h + mix("luc", (long long) *kinds, va_arg(list, int), 'x');
        else if (*kinds == 'l') {
            va_copy(copy, list);
            h = 31 * h + read('l', &copy) + read('l', &list);
            va_end(copy);
        } else if (*kinds == 'd') {
            va_copy(copy, list);
            h = 31 * h + by_value(copy) + read('d', &list);
            va_end(copy);
        } else
            h = 31 * h + read(*kinds, &list);
    }
    va_end(list);
    return h;
}
static unsigned long (*const pointers[])(const char *, ...) = { mix, mix };
"#;

struct Random(u64);

impl Random {
    /// Knuth's generator; its upper bits are good enough.
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % end
    }
}

fn file(random: &mut Random) -> String {
    let mut c = format!("{HEAD}static unsigned long read(char kind, va_list *l)\n{{\n    switch (kind) {{\n");
    for (kind, _, read) in KINDS {
        let _ = writeln!(c, "    case '{kind}': return {read};");
    }
    c += "    }\n    return 0;\n}\n";
    c += FORMAT;
    for at in 0..CALLERS {
        let chosen: Vec<_> =
            (0..random.below(MOST + 1)).map(|_| KINDS[random.below(KINDS.len() as u64) as usize]).collect();
        let kinds: String = chosen.iter().map(|(kind, ..)| *kind).collect();
        let arguments: String = chosen.iter().map(|(_, argument, _)| format!(", {argument}")).collect();
        let callee = ["mix", "pointers[c & 1]"][random.below(2) as usize];
        let _ = writeln!(c, "unsigned long f{at}(int a, long long b, unsigned char c)");
        let _ = writeln!(c, "{{\n    return {callee}(\"{kinds}\"{arguments});\n}}");
    }
    c
}

#[test]
fn random_calls_agree() {
    let seed = std::env::var("WHET_SEED").ok().and_then(|seed| seed.parse().ok());
    // Another one for each run.
    let seed = seed.unwrap_or_else(|| RandomState::new().build_hasher().finish());
    let mut random = Random(seed);
    let c = file(&mut random);
    let folder = tempfile::tempdir().expect("there is room");
    let path = folder.path().join("calls.c");
    std::fs::write(&path, &c).expect("there is room");
    let options = Options {
        file: path,
        clang: None,
        flags: vec![],
        overflow: Overflow::Undefined,
        operators: Operators::default(),
        functions: vec![],
        headers: false,
        versions: vec![],
    };
    let unit = llvm::load(&options).unwrap_or_else(|error| panic!("{error}, seed {seed}\n{c}"));
    let native = Native::build(&unit).unwrap_or_else(|error| panic!("{error}, seed {seed}\n{c}"));
    let (mut calls, mut found) = (String::new(), Vec::new());
    for at in 0..CALLERS {
        for _ in 0..INPUTS {
            let (a, b, d) = (
                random.below(2000) as i64 - 1000,
                random.below(1 << 31) as i64 - (1 << 30),
                random.below(256),
            );
            let words =
                [Word::from_signed(32, a.into()), Word::from_signed(64, b.into()), Word::new(8, d.into())];
            let input = Input { arguments: words.map(Datum::Word).to_vec(), ..Input::default() };
            let id = unit.program.named(&format!("f{at}")).expect("it is defined");
            let interpreted = value(&unit, id, &input);
            let run = native.run(id, Mutant::ORIGINAL, &input, FUEL);
            let ProcessEnd::Returned(seen) = run.expect("the server answers") else {
                panic!("f{at}, seed {seed}\n{c}")
            };
            assert_eq!(interpreted, number(&seen.result), "f{at}({a}, {b}, {d}), seed {seed}\n{c}");
            let _ = writeln!(calls, "    printf(\"%lu\\n\", f{at}({a}, {b}LL, {d}));");
            found.push(interpreted.to_string());
        }
    }
    let program = format!("{c}\n#include <stdio.h>\nint main(void)\n{{\n{calls}    return 0;\n}}\n");
    assert_eq!(run(folder.path(), &program), found, "seed {seed}\n{c}");
}

fn value(unit: &llvm::Unit, id: FunctionId, input: &Input) -> u64 {
    match ir::run(&unit.program, id, Mutant::ORIGINAL, input, FUEL).outcome {
        Outcome::Returned(seen) => number(&seen.result),
        other => panic!("{other:?}"),
    }
}

fn number(seen: &Option<Seen>) -> u64 {
    match seen {
        Some(Seen::Word(word)) => word.bits() as u64,
        other => panic!("{other:?}"),
    }
}

/// The lines that a program prints.
fn run(folder: &std::path::Path, c: &str) -> Vec<String> {
    let (file, program) = (folder.join("program.c"), folder.join("program"));
    std::fs::write(&file, c).expect("there is room");
    let clang =
        ["clang-19", "clang"].into_iter().find(|name| Command::new(name).arg("--version").output().is_ok());
    let status =
        Command::new(clang.expect("there is a clang")).arg("-w").arg(&file).arg("-o").arg(&program).status();
    assert!(status.expect("clang runs").success(), "{c}");
    let output = Command::new(program).output().expect("it runs");
    String::from_utf8_lossy(&output.stdout).lines().map(str::to_string).collect()
}
