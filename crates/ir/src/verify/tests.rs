//! What the verifier rejects, case by case.

use crate::{Function, Program, parse, verify};

fn parsed(text: &str) -> Program {
    parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The first flaw, or nothing.
fn check(text: &str, expect: &str) {
    let found = match verify(&parsed(text)) {
        Ok(()) => String::new(),
        Err(flaws) => flaws[0].to_string(),
    };
    assert_eq!(found, expect, "in\n{text}");
}

/// The blocks of `int f(int a, char b)`, beside a site and functions to call.
fn check_blocks(blocks: &str, expect: &str) {
    let text = format!(
        r#"function @f(%0 a: s32 "int", %1 b: s8 "char") -> s32 "int" {{ {blocks} }}
        function @g(%0 a: s32 "int") -> s8 "char" {{ block0: return 1:i8 }}
        function @void() {{ block0: return }}
        site 0(%0:i32) -> i8 {{ original: return 1:i8 }}"#
    );
    check(&text, expect);
}

/// As the only block, followed by a return.
fn check_instruction(instruction: &str, expect: &str) {
    let expect =
        if expect.is_empty() { String::new() } else { format!("@f, block 0, instruction 0: {expect}") };
    check_blocks(&format!("block0: {instruction} return 0:i32"), &expect);
}

fn check_end(end: &str, expect: &str) {
    let expect = if expect.is_empty() { String::new() } else { format!("@f, block 0: {expect}") };
    check_blocks(&format!("block0: {end} block1(%2:i8): return 0:i32 block2: unreachable"), &expect);
}

fn check_arm(arm: &str, expect: &str) {
    let expect = if expect.is_empty() { String::new() } else { format!("site 0, mutant 1: {expect}") };
    check(&format!("site 0(%0:i8) -> i8 {{ original: return %0 mutant 1: {arm} }}"), &expect);
}

#[test]
fn operators_get_arguments_of_the_right_widths() {
    check_instruction("%2:i32 = add %0, %0", "");
    check_instruction("%2:i32 = add nsw %0, %0", "");
    check_instruction("%2:i32 = add %0, %1", "argument 1 of add is of i8, not of i32");
    check_instruction("%2:i8 = add %0, %0", "%2 is of i8, not of i32");
    check_instruction("%2:i32 = add %0", "add has 1 arguments where 2 are expected");
    check_instruction("%2:i32 = neg %0, %0", "neg has 2 arguments where 1 are expected");
    check_instruction("%2:i1 = slt %1, 0:i8", "");
    check_instruction("%2:i1 = slt %1, 0:i9", "argument 1 of slt is of i9, not of i8");
    check_instruction("%2:i8 = slt %1, 0:i8", "%2 is of i8, not of i1");
    check_instruction("%2:i8 = ite 1:i1, %1, 0:i8", "");
    check_instruction("%2:i8 = ite 1:i2, %1, 0:i8", "the condition of ite is of i2, not of i1");
    check_instruction("%2:i8 = ite 1:i1, %1, %0", "argument 2 of ite is of i32, not of i8");
    check_instruction("%2:i33 = zext.i33 %0", "");
    check_instruction("%2:i32 = zext.i32 %0", "zext makes i32 no wider than i32");
    check_instruction("%2:i8 = sext.i8 %0", "sext makes i8 no wider than i32");
    check_instruction("%2:i128 = sext.i129 %1", "a width lies between 1 and 128, not at 129");
    check_instruction("%2:i1 = extract[31:31] %0", "");
    check_instruction("%2:i8 = extract[32:25] %0", "i32 has no bits 32 to 25");
    check_instruction("%2:i8 = extract[0:7] %0", "i32 has no bits 0 to 7");
    check_instruction("%2:i40 = concat %0, %1", "");
    check_instruction("%2:i128 = concat %0, 1:i128", "a width lies between 1 and 128, not at 160");
    check_instruction("%2:i32 = not uninitialised:i32", "");
    check_instruction("%2:i32 = not uninitialised:i0", "a width lies between 1 and 128, not at 0");
    check_instruction("%2:i32 = not %9", "there is no %9 here");
    check_instruction("%2:i32 = shl nsw %0, %0", "shl has no signed overflow to promise");
    check_instruction("%2:i32 = udiv nuw %0, %0", "udiv has no unsigned overflow to promise");
    check_instruction("add %0, %0", "nothing takes the result");
}

#[test]
fn calls_and_sites_match_what_they_name() {
    check_instruction("%2:i8 = call @g(%0)", "");
    check_instruction("%2:i8 = call @g(%1)", "argument 0 is of i8, not of i32");
    check_instruction("%2:i8 = call @g()", "0 arguments where 1 are expected");
    check_instruction("%2:i32 = call @g(%0)", "%2 is of i32, not of i8");
    check_instruction("call @g(%0)", "nothing takes the result");
    check_instruction("call @void()", "");
    check_instruction("%2:i8 = call @void()", "there is no result for %2");
    check_instruction("%2:i8 = site 0(%0)", "");
    check_instruction("%2:i8 = site 0(%1)", "argument 0 is of i8, not of i32");
    check_instruction("%2:i8 = site 0(%0, %0)", "2 arguments where 1 are expected");
    check_instruction("%2:i32 = site 0(%0)", "%2 is of i32, not of i8");
    check_instruction("%2:i32 = site 1(%0)", "there is no site 1");
    check_instruction("unsupported \"this\"", "");
    check_instruction("%2:i8 = unsupported \"this\"", "there is no result for %2");
}

#[test]
fn ends_match_blocks_and_the_signature() {
    check_end("return %0", "");
    check_end("return %1", "what it returns is of i8, not of i32");
    check_end("return", "it returns no value, and the signature has one");
    check(
        "function @f() { block0: return 1:i1 }",
        "@f, block 0: it returns a value, and the signature has none",
    );
    check_end("unreachable", "");
    check_end("jump block1(%1)", "");
    check_end("jump block1(%0)", "edge to block 1: argument 0 is of i32, not of i8");
    check_end("jump block1", "edge to block 1: 0 arguments where 1 are expected");
    check_end("jump block2(%0)", "edge to block 2: 1 arguments where 0 are expected");
    check_end("jump block3", "there is no block 3");
    check_end("jump block0", "an edge leads to the entry");
    check_end("branch 1:i1, block1(0:i8), block2", "");
    check_end("branch 1:i1, block1, block2", "edge to block 1: 0 arguments where 1 are expected");
    check_end("branch %1, block2, block2", "the condition is of i8, not of i1");
    check_end("switch %1 { 1:i8 => block2, 2:i8 => block2, default => block1(%1) }", "");
    check_end(
        "switch %1 { 1:i8 => block2, 2:i8 => block2, 1:i8 => block2, default => block2 }",
        "case 1 stands twice",
    );
    check_end("switch %1 { 255:i8 => block2, -1:i8 => block2, default => block2 }", "case -1 stands twice");
    check_end("switch %1 { 1:i32 => block2, default => block2 }", "case 1 is of i32, not of i8");
    check_end("switch %1 { 1:i8 => block9, default => block2 }", "there is no block 9");
    check_blocks("block0(%2:i8): return 0:i32", "@f: its entry has parameters");
    check_blocks("", "@f: it has no blocks and does not say why");
}

#[test]
fn a_definition_stands_once_and_before_every_use() {
    check_blocks("block0: %2:i32 = not %0 %3:i32 = not %2 return %3", "");
    check_blocks(
        "block0: %2:i32 = not %3 %3:i32 = not %0 return %3",
        "@f: %3 may be used before it is defined",
    );
    check_blocks("block0: %2:i32 = not %2 return %2", "@f: %2 may be used before it is defined");
    check_blocks("block0: %0:i32 = not %0 return %0", "@f: %0 is defined twice");
    check_blocks("block0: %2:i32 = not %0 %2:i32 = not %0 return %0", "@f: %2 is defined twice");
    check_blocks("block0: jump block1(%0, %0) block1(%2:i32, %2:i32): return %2", "@f: %2 is defined twice");
    check_blocks("unused %2:i32 block0: return %0", "");
    check_blocks("unused %2:i32 block0: return %2", "@f: %2 may be used before it is defined");
    check_blocks("unused %2:i200 block0: return %0", "@f: a width lies between 1 and 128, not at 200");
    // On one way to the join, or on both.
    let diamond = |then: &str, join: &str| {
        format!(
            "block0: branch 1:i1, block1, block2 block1: {then} jump block3 block2: jump block3 block3: {join}"
        )
    };
    check_blocks(&diamond("%2:i32 = not %0", "return %0"), "");
    check_blocks(&diamond("%2:i32 = not %0", "return %2"), "@f: %2 may be used before it is defined");
    // Around a loop: the argument of the back edge is defined by then.
    check_blocks(
        "block0: jump block1(%0) block1(%2:i32): %3:i32 = not %2 branch 1:i1, block1(%3), block2 block2: return %3",
        "",
    );
    check_blocks(
        "block0: jump block1 block1: branch 1:i1, block2, block3 block2: %2:i32 = not %0 jump block1 block3: return %2",
        "@f: %2 may be used before it is defined",
    );
    // Nothing reaches block 1, so nothing is used there too early.
    check_blocks("block0: return %0 block1: %2:i32 = not %3 %3:i32 = not %2 return %3", "");
    check_blocks(
        "block0: return %0 block1: %2:i32 = not %1 return %0",
        "@f, block 1, instruction 0: %2 is of i32, not of i8",
    );
}

#[test]
fn arms_are_straight_lines_over_their_arguments() {
    check_arm("return %0", "");
    check_arm("%1 = add nsw %0, %0 %2 = mul %1, 3:i8 return %2", "");
    check_arm("return 0:i9", "the result is of i9, not of i8");
    check_arm("return %1", "there is no %1 here");
    check_arm("%1 = not %1 return %0", "there is no %1 here");
    check_arm("%1 = eq %0, %0 return %1", "the result is of i1, not of i8");
    check_arm("%1 = add %0, 0:i9 return %1", "argument 1 of add is of i9, not of i8");
    check_arm("%1 = xor nuw %0, %0 return %1", "xor has no unsigned overflow to promise");
    check(
        "site 0(%0:i0) -> i8 { original: return 0:i8 }",
        "site 0: a width lies between 1 and 128, not at 0",
    );
    check("site 0() -> i129 { original: return 0:i8 }", "site 0: a width lies between 1 and 128, not at 129");
    check("site 0() -> i1 { original: return 0:i8 }", "site 0, original: the result is of i8, not of i1");
}

#[test]
fn a_mutant_stands_once_and_in_order() {
    let sites = |first: &str, second: &str| {
        let site = |mutants: &str| {
            let arms = mutants.split_whitespace().map(|mutant| format!(" mutant {mutant}: return 1:i1"));
            format!("-> i1 {{ original: return 0:i1{} }}", arms.collect::<String>())
        };
        format!("site 0() {} site 1() {}", site(first), site(second))
    };
    check(&sites("", "1 2 7"), "");
    check(&sites("3 5", "1 4"), "");
    check(&sites("0 1", ""), "site 0: mutant 0 is the original");
    check(&sites("", "2 1"), "site 1: the mutants are not in order");
    check(&sites("1 1", ""), "sites: mutant 1 stands at two places");
    check(&sites("1 2", "2 3"), "sites: mutant 2 stands at two places");
}

#[test]
fn functions_have_names_of_their_own_and_blocks_unless_unsupported() {
    let function = "function @f() { block0: return }";
    check(&format!("{function} {function}"), "@f: another function has this name");
    check("function @f(%0 a: s8 \"char\") unsupported \"why\"", "");
    check(
        "function @f(%0 a: s0 \"char\") unsupported \"why\"",
        "type 0: a width lies between 1 and 128, not at 0",
    );
    check(
        "function @f() -> s0 \"void\" unsupported \"why\"",
        "type 0: a width lies between 1 and 128, not at 0",
    );
}

#[test]
fn what_the_text_cannot_say_is_rejected_too() {
    let program = parsed("function @f(%0 a: s8 \"char\") -> s8 \"char\" { block0: return %0 }");
    let check = |change: fn(&mut Function), expect: &str| {
        let mut program = program.clone();
        change(&mut program.functions[0]);
        assert_eq!(verify(&program).unwrap_err()[0].to_string(), expect);
        // Even a broken program can be looked at.
        assert!(!program.to_string().is_empty());
    };
    check(|function| function.registers[0] = 9, "@f: %0, a parameter, is of i9, not of i8");
    check(|function| function.registers.clear(), "@f: it has fewer registers than parameters");
    let unsupported = |function: &mut Function| {
        function.unsupported = Some(crate::Unsupported { what: "why".to_string(), at: None });
    };
    check(unsupported, "@f: it is unsupported and has blocks all the same");
    check(
        |function| {
            function.unsupported = Some(crate::Unsupported { what: "why".to_string(), at: None });
            function.blocks.clear();
            function.registers.push(8);
        },
        "@f: it is unsupported and has registers beyond its parameters",
    );
    check(|function| function.blocks[0].parameters.push(crate::Register(7)), "@f: its entry has parameters");
}

/// Beside functions, globals and externals to name.
fn check_memory(instruction: &str, expect: &str) {
    let text = format!(
        r#"type 0 = s8 "char"
        type 1 = struct "struct s" 1 {{ a: type 0 at 0 }}
        type 2 = pointer "char *" to type 0
        external @put(s8 "char", type 2) -> s8 "char"
        external @print(type 2) variadic
        external @odd() -> type 1
        function @f(%0 p: type 2, %1 a: s8 "char", %2 n: s64 "long") {{ block0: {instruction} return }}"#
    );
    let expect =
        if expect.is_empty() { String::new() } else { format!("@f, block 0, instruction 0: {expect}") };
    check(&text, &expect);
}

#[test]
fn memory_is_worked_on_by_words_of_the_right_widths() {
    check_memory("%3:i64 = local %2", "");
    check_memory("%3:i64 = local %1", "the size is of i8, not of i64");
    check_memory("%3:i32 = local %2", "%3 is of i32, not of i64");
    check_memory("local %2", "nothing takes the result");
    check_memory("%3:i64 = allocate 1:i32", "the size is of i32, not of i64");
    check_memory("%3:i9 = load.i9 %0", "");
    check_memory("%3:i8 = load.i9 %0", "%3 is of i8, not of i9");
    check_memory("%3:i8 = load.i8 %1", "the pointer is of i8, not of i64");
    check_memory("%3:i8 = load.i0 %0", "a width lies between 1 and 128, not at 0");
    check_memory("store %0, %1", "");
    check_memory("store %1, %0", "the pointer is of i8, not of i64");
    check_memory("store %0, %7", "there is no %7 here");
    check_memory("%3:i64 = store %0, %1", "there is no result for %3");
    check_memory("%3:i64 = offset %0, %2", "");
    check_memory("%3:i64 = offset %0, %1", "the distance is of i8, not of i64");
    check_memory("copy %0, %0, %2", "");
    check_memory("copy %0, %1, %2", "the pointer is of i8, not of i64");
    check_memory("copy %0, %0, %1", "the length is of i8, not of i64");
    check_memory("fill %0, 0:i32, %2", "");
    check_memory("fill %0, 0:i7, %2", "the byte is of i7 only");
    check_memory("fill %0, %1, %1", "the length is of i8, not of i64");
    check_memory("free %1", "the pointer is of i8, not of i64");
    check_memory("%3:i64 = extent %0", "");
    check_memory("%3:i32 = extent %0", "%3 is of i32, not of i64");
    check_memory("call pointer %0(%1)", "");
    check_memory("%3:i5 = call pointer %0(%1)", "");
    check_memory("call pointer %1(%1)", "the pointer is of i8, not of i64");
    check_memory("check 1:i1, \"index out of bounds\"", "");
    check_memory("check %1, \"index out of bounds\"", "the condition is of i8, not of i1");
    check_memory("%3:i8 = stop \"call of exit\"", "there is no result for %3");
}

#[test]
fn only_pointers_are_taken_for_pointers() {
    check_memory("%3:i64 = sub pointers %0, %0", "");
    check_memory("%3:i1 = sge pointers %0, %0", "");
    check_memory("%3:i1 = slt pointers %1, %1", "slt of i8 has nothing to do with pointers");
    check_memory("%3:i64 = add pointers %0, %0", "add of i64 has nothing to do with pointers");
    check_memory("%3:i1 = eq pointers %0, %0", "eq of i64 has nothing to do with pointers");
}

#[test]
fn floats_are_of_two_widths() {
    check_memory("%3:i64 = fadd %2, %2", "");
    check_memory("%3:i8 = fadd %1, %1", "fadd works on floats, and there are none of i8");
    check_memory("%3:i32 = fromsigned.i32 %1", "");
    check_memory("%3:i16 = fromsigned.i16 %1", "fromsigned works on floats, and there are none of i16");
    check_memory("%3:i8 = tosigned.i8 %1", "tosigned works on floats, and there are none of i8");
    check_memory("%3:i64 = fresize.i64 %2", "");
}

#[test]
fn calls_to_the_outside_match_what_they_name() {
    check_memory("%3:i8 = external @put(%1: type 0, text %0: type 2)", "");
    check_memory("external @put(%1: type 0, text %0: type 2)", "nothing takes the result");
    check_memory("%3:i8 = external @put(%1: type 0)", "1 arguments where 2 are expected");
    check_memory(
        "%3:i8 = external @put(%1: type 0, %0: type 2, %1: type 0)",
        "3 arguments where 2 are expected",
    );
    check_memory("external @print(%0: type 2, %1: type 0)", "");
    check_memory("external @print(%0: type 2, %1: type 9)", "there is no type 9");
    check_memory("external @print(%0: type 2, %1: type 1)", "argument 1 is of a type that no word has");
    check_memory("external @print(%0: type 2, text %1: type 0)", "argument 1 is no pointer to a text");
    check_memory(
        "%3:i8 = external @put(%0: type 2, %0: type 2)",
        "argument 0 is not of the parameter's type",
    );
    check_memory("%3:i8 = external @put(%0: type 0, %0: type 2)", "argument 0 is of i64, not of i8");
    check_memory("%3:i8 = external @odd()", "what it returns is of a type that no word has");
}

#[test]
fn types_are_known_and_have_a_size() {
    check("type 0 = pointer \"\" to type 0", "");
    check("type 0 = pointer \"\" to type 1", "type 0: there is no type 1");
    check("type 0 = function (type 0) -> type 2", "type 0: there is no type 2");
    check("type 0 = array 2 of type 0", "type 0: it contains itself");
    check(
        "type 0 = struct \"\" 8 { a: type 1 at 0 } type 1 = array 1 of type 0",
        "type 0: it contains itself",
    );
    check("type 0 = s0 \"\"", "type 0: a width lies between 1 and 128, not at 0");
    check("type 0 = f16 \"half\"", "type 0: there are no floats of i16");
    let record = |field: &str| format!("type 0 = u32 \"\" type 1 = struct \"\" 6 {{ a: type 0 {field} }}");
    check(&record("at 16"), "");
    check(&record("at 24"), "type 1: field \"a\" ends outside of the record");
    check(&record("at 12"), "type 1: field \"a\" starts within a byte");
    check(&record("at 12 bits 32"), "");
    check(&record("at 12 bits 33"), "type 1: field \"a\" has no 33 bits");
    check(&record("at 47 bits 2"), "type 1: field \"a\" ends outside of the record");
}

#[test]
fn globals_and_externals_are_of_types_that_exist() {
    check("global @g: u32 \"\" = zero 4", "");
    // A struct may end with an array that is as long as its contents.
    check("global @g: u32 \"\" = zero 5", "");
    check("global @g: u32 \"\" = zero 3", "@g: it has 3 bytes, and its type 4");
    check("global @g: type 7 = zero 3", "@g: there is no type 7");
    check("external @e(type 7)", "@e: there is no type 7");
    check("external @e() -> type 8", "@e: there is no type 8");
}

#[test]
fn a_door_takes_a_pointer_for_each_struct() {
    let check = |function: &str, door: &str, expect: &str| {
        let text = format!(
            r#"type 0 = s8 "char"
            type 1 = struct "struct s" 4 {{ }}
            function @f{function} door @door {{ block0: return 0:i32 }}
            function @door(){door} {{ block0: unreachable }}"#
        );
        check(&text, expect);
    };
    let function = "(a: type 1, b: type 0) -> type 1 as (%0:i32, %1:i8) -> i32";
    check(function, " as (%0:i64, %1:i64, %2:i8)", "");
    check(function, " as (%0:i64, %1:i8)", "@f: its door: it takes 2 words where 3 are passed");
    check(function, " as (%0:i64, %1:i32, %2:i8)", "@f: its door: %1, a parameter, is of i32, not of i64");
    check(
        function,
        " as (%0:i64, %1:i64, %2:i8) -> i8",
        "@f: its door: it returns a word, and the signature has none",
    );
    let plain = "(a: type 1) -> type 0 as (%0:i32) -> i32";
    check(plain, " as (%0:i64) -> i8", "");
    check(plain, " as (%0:i64)", "@f: its door: it returns no word, and the signature has one");
    check(plain, " as (%0:i64) -> i8 door @f", "@f: its door has a door");
}
