//! Printing and parsing, there and back.

use crate::{ParseError, parse};

/// Parses, and prints the same again.
fn check(text: &str) {
    let program = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(program.to_string(), text);
    assert_eq!(parse(&program.to_string()), Ok(program));
}

/// One function with this text as its only block.
fn check_block(block: &str) {
    check(&format!("function @f() {{\nblock0:\n    {block}\n}}\n"));
}

fn check_error(text: &str, expect: &str) {
    match parse(text) {
        Ok(program) => panic!("this should be no program:\n{program}"),
        Err(error) => assert_eq!(error.to_string(), expect, "in {text}"),
    }
}

fn check_block_error(block: &str, expect: &str) {
    check_error(&format!("function @f() {{ block0: {block} }}"), &format!("line 1: {expect}"));
}

const MAX: &str = r#"function @max(%0 a: s32 "int", %1 b: s32 "int") -> s32 "int" {
    unused %5:i8
block0:
    %2:i1 = site 0(%0, %1) @ 2:14
    branch %2, block1, block2(%1) @ 2:12
block1:
    %3:i32 = add nuw nsw %0, 0:i32
    jump block2(%3)
block2(%4:i32):
    return %4 @ 2:5
}

function @"a name"(%0 "": u8 "unsigned \"char\"") unsupported "inline \\ assembly\n" @ 7:1

site 0(%0:i32, %1:i32) -> i1 @ 2:14 {
original:
    %2 = sgt %0, %1
    return %2
mutant 1:
    %2 = sub nsw %0, %1
    %3 = sge %2, 0:i32
    return %3
mutant 7:
    return 1:i1
}

site 1() -> i8 {
original:
    return -1:i8
}
"#;

#[test]
fn what_is_printed_is_parsed_to_the_same_program() {
    check("");
    check(MAX);
    check("function @whet.site.7() {\nblock0:\n    return\n}\n");
    check("function @\"7\"() -> u1 \"_Bool\" {\nblock0:\n    return 1:i1\n}\n");
    check_block("return");
    check_block("return uninitialised:i7 @ 4:9");
    check_block("return -128:i8");
    check_block("return -170141183460469231731687303715884105728:i128");
    check_block("unreachable @ 1:2");
    check_block("switch %0 { default => block0 }");
    check_block("switch %0 { -1:i8 => block1, 5:i8 => block2(%1, 0:i8), default => block0 } @ 3:4");
    check_block("%0:i64 = zext.i64 1:i1\n    return");
    check_block("%0:i64 = sext.i64 uninitialised:i1\n    return");
    check_block("%0:i8 = extract[15:8] 1:i32\n    return");
    check_block("%0:i8 = ite 1:i1, 2:i8, 3:i8\n    return");
    check_block("call @f()\n    return");
    check_block("unsupported \"a \\\"quoted\\\" text\" @ 9:9\n    unreachable");
    check_block("%0:i64 = fromsigned.i64 1:i8\n    return");
    check_block("%0:i64 = fresize.i64 1:i32\n    return");
    for op in bv::op::PLAIN {
        check_block(&format!("%0:i8 = {} nsw 1:i8, 2:i8\n    return", op.name()));
    }
}

/// Something of everything that has to do with memory and its types.
const MEMORY: &str = r#"type 0 = s8 "char"
type 1 = pointer "const char *" constant to type 0
type 2 = struct "struct node" 24 { value: type 0 at 0, flag: type 0 at 8 bits 3, "": type 5 at 32, next: type 3 at 128 }
type 3 = pointer "struct node *" to type 2
type 4 = f64 "double"
type 5 = union "" 4 flexible { }
type 6 = array 3 of type 4
type 7 = function (type 3, type 4) -> type 0
type 8 = pointer "void *" untyped to type 0
type 9 = opaque "long double" 16
type 10 = function ()
type 11 = s8 "char"
type 12 = function (type 11) -> type 11 variadic
global @list: type 2 = "\u{1}\0abÿ\"\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
global @numbers: type 6 = zero 24 constant
global @count: type 11 = "\u{7}" static
external @puts(pointer "const char *" constant to s8 "char") -> type 11 prints
external @printf(pointer "const char *" constant to s8 "char") variadic
external @getchar() -> s8 "char"

function @f(%0 p: pointer "void *" untyped to s8 "char", %1 x: f64 "double") -> s8 "char" {
block0:
    %2:i64 = local 24:i64 @ 1:1
    %3:i64 = offset @list, -4:i64
    store %3, %2
    store @count, 5:i8
    %4:i17 = load.i17 @count
    %5:i64 = load.i64 4294967297:i64
    copy %3, @list, 8:i64 @ 2:2
    copy overlap %3, %2, 8:i64
    fill %2, uninitialised:i8, 3:i64
    %6:i64 = allocate %5
    free %6
    %7:i64 = extent 0:i64
    %8:i8 = call pointer @g(%2, %2)
    %9:i64 = sub pointers %2, %3
    %10:i1 = slt pointers %2, %3
    %11:i8 = external @puts(text @list: pointer "const char *" constant to s8 "char")
    external @printf(%2: pointer "const char *" constant to s8 "char", text %2: type 3)
    %12:i8 = not bits %11
    check %10, "index out of bounds" @ 3:3
    stop "failed assertion"
    return %8
}

function @g(a: type 2, b: s8 "char") -> type 2 variadic as (%0:i64, %1:i64) -> i8 door @"g door" {
block0:
    return 0:i8
}

function @"g door"(%0 result: type 3) library static unsupported "why"

function @h() as () -> i8 {
block0:
    return 0:i8
}
"#;

#[test]
fn memory_and_its_types_are_printed_and_parsed_to_the_same() {
    check(MEMORY);
}

#[test]
fn small_types_need_no_table() {
    check(
        "function @f(%0 p: pointer \"int **\" to pointer \"int *\" to s32 \"int\") -> f32 \"float\" {\nblock0:\n    unreachable\n}\n",
    );
    check("global @g: s32 \"int\" = zero 4\n\nfunction @f() {\nblock0:\n    return\n}\n");
    // A table of its own is kept where it says more than the rest.
    check("type 0 = s8 \"char\"\n");
    check(
        "type 0 = u8 \"b\"\ntype 1 = u8 \"a\"\n\nfunction @f(%0 a: u8 \"a\", %1 b: u8 \"b\") {\nblock0:\n    return\n}\n",
    );
}

#[test]
fn a_pointer_to_a_global_or_a_function_may_be_written_by_name() {
    let parsed = |operand: &str| {
        parse(&format!(
            "function @f() {{ block0: return {operand} }} global @a: u8 \"\" = zero 1 global @f: u8 \"\" = zero 1 function @g() {{ }}"
        ))
    };
    let address = |at: u32| format!("{}:i64", u64::from(crate::FIRST_OBJECT + at) << 32);
    assert_eq!(parsed("@a"), parsed(&address(0)));
    // The global comes first.
    assert_eq!(parsed("@f"), parsed(&address(1)));
    assert_eq!(parsed("@g"), parsed(&address(3)));
}

#[test]
fn comments_and_line_breaks_mean_nothing() {
    let program = parse("function @f()\n->s8\"char\" ; the result\n{block0:return\n5:i8}").unwrap();
    assert_eq!(program.to_string(), "function @f() -> s8 \"char\" {\nblock0:\n    return 5:i8\n}\n");
}

#[test]
fn a_constant_may_be_written_signed_or_unsigned() {
    let block = |text: &str| parse(&format!("function @f() {{ block0: return {text} }}"));
    assert_eq!(block("255:i8"), block("-1:i8"));
    assert_eq!(block("1:i1"), block("-1:i1"));
}

#[test]
fn an_error_names_the_line_and_what_was_expected() {
    check_error(
        "\n\nfoo",
        "line 3: expected `function`, `site`, `type`, `global` or `external`, found `foo`",
    );
    check_error("function f", "line 1: expected a name such as `@main`, found `f`");
    check_error("function @f {", "line 1: expected `(`, found `{`");
    check_error("function @f(%1 a", "line 1: expected `%0`, found `%1`");
    check_error("function @f(%0 a: i32)", "line 1: expected a type such as `u32`, found `i32`");
    check_error("function @f(%0 a: s32)", "line 1: expected a quoted text, found `)`");
    check_error("function @f(%0 a: s32 \"int\"", "line 1: expected `,` or `)`, found the end");
    check_error("function @f() {\n", "line 2: expected `block0` or `}`, found the end");
    check_error("function @f() {\nblock1:", "line 2: expected `block0` or `}`, found `block1`");
    check_error("function @f() {\nblock0:\n}", "line 3: expected an instruction, found `}`");
    check_error("function @f() unsupported why", "line 1: expected a quoted text, found `why`");
    check_error("type 1 = u8 \"\"", "line 1: the next type is 0");
    check_error("type 0 = array 2 of u8 \"\"", "line 1: a type in the table mentions others by number");
    check_error("type 0 = pointer \"\" type 1", "line 1: expected `to`, found `type`");
    check_error("global @g: u8 \"\" = \"\u{100}\"", "line 1: 'Ā' is no byte");
    check_error(
        "type 0 = struct \"s\" 1 { } function @f(%0 a: type 0)",
        "line 1: type 0 is no word, so `as` must say what is passed",
    );
    check_error("function @f() door @g", "line 1: there is no function `@g`");
    check_error("site 1", "line 1: expected `0`, found `1`");
    check_error("site 0(i32)", "line 1: expected `%0`, found `i32`");
    check_error("site 0() -> i1 { mutant 1:", "line 1: expected `original`, found `mutant`");
    check_error(
        "site 0() -> i1 { original: return",
        "line 1: expected a register, a constant or `uninitialised`, found the end",
    );
    check_error("site 0() -> i1 { original: %1 = add", "line 1: expected `%0`, found `%1`");
    check_error("site 0() -> i1 { original: return 1:i1 )", "line 1: expected `mutant` or `}`, found `)`");
    check_error(
        "site 0() -> i1 { original: return 1:i1 mutant -1",
        "line 1: expected a number of 32 bits, found `-1`",
    );
    check_error("site 0() -> i1 @ 4 {", "line 1: expected `:`, found `{`");
    check_error("\"a\nb\"", "line 1: a quoted text does not end on its line");
    check_error("\"\\x\"", "line 1: nothing is escaped like this");
    check_error("\"\\u{d800}\"", "line 1: `\\u{d800` is no character");
    check_error("#", "line 1: `#` starts nothing");
    check_error("%x", "line 1: expected a number after `%`");
    check_error("%4294967296", "line 1: there is no register 4294967296");
    check_error(&"9".repeat(40), &format!("line 1: {} is no number of 128 bits", "9".repeat(40)));
}

#[test]
fn an_error_in_a_block_names_what_was_expected() {
    check_block_error("frob %0", "expected an instruction, found `frob`");
    check_block_error("zext %0", "expected an instruction, found `zext`");
    check_block_error("add.i8 %0", "expected an instruction, found `add.i8`");
    check_block_error("%0 = add %1", "expected `:`, found `=`");
    check_block_error("%0:i8 = add nsw", "expected a register, a constant or `uninitialised`, found `}`");
    check_block_error("%0:i8 = add 1:i8 %0:i9 = add 1:i8", "%0 has width 8 elsewhere");
    check_block_error("%0:i8 = extract[7] 1:i8", "expected `:`, found `]`");
    check_block_error("%1:i8 = neg 1:i8 return", "%0 is neither defined nor listed as `unused`");
    check_block_error("return 256:i8", "256 does not fit i8");
    check_block_error("return -129:i8", "-129 does not fit i8");
    check_block_error("return 0:i0", "there are no constants of i0");
    check_block_error("return 0:i129", "there are no constants of i129");
    check_block_error("return 0", "expected `:`, found `}`");
    check_block_error("jump", "expected a block, found `}`");
    check_block_error("jump blocky", "expected a block, found `blocky`");
    check_block_error("jump block0(%0", "expected `,` or `)`, found `}`");
    check_block_error("branch %0 block1", "expected `,`, found `block1`");
    check_block_error("branch 1:i1, block1", "expected `,`, found `}`");
    check_block_error("switch 1:i8 { %0", "expected a case or `default`, found `%0`");
    check_block_error("switch 1:i8 { 1:i8 block0", "expected `=>`, found `block0`");
    check_block_error("switch 1:i8 { default => block0,", "expected `}`, found `,`");
    check_block_error("call @g()", "there is no function `@g`");
    check_block_error("return @g", "there is no global or function `@g`");
    check_block_error("external @g()", "there is no external `@g` yet");
    check_block_error("stop \"it\"", "there is no fault \"it\"");
    check_block_error("load %0", "expected an instruction, found `load`");
    check_block_error("store %0 %1", "expected `,`, found `%1`");
    check_block_error("site x", "expected a number of 32 bits, found `x`");
    check_block_error("return @ 1", "expected `:`, found `}`");
}

#[test]
fn the_error_can_be_taken_apart() {
    assert_eq!(
        parse("\n)"),
        Err(ParseError {
            line: 2,
            what: "expected `function`, `site`, `type`, `global` or `external`, found `)`".to_string()
        })
    );
}
