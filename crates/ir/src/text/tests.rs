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
    for op in bv::op::PLAIN {
        check_block(&format!("%0:i8 = {} nsw 1:i8, 2:i8\n    return", op.name()));
    }
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
    check_error("\n\nfoo", "line 3: expected `function` or `site`, found `foo`");
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
    check_block_error("site x", "expected a number of 32 bits, found `x`");
    check_block_error("return @ 1", "expected `:`, found `}`");
}

#[test]
fn the_error_can_be_taken_apart() {
    assert_eq!(
        parse("\n)"),
        Err(ParseError { line: 2, what: "expected `function` or `site`, found `)`".to_string() })
    );
}
