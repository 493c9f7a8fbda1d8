//! What a slice depends on, and what it does not.

use super::*;

/// The text of the slice of `@f`, with every mutant of its own.
fn text(program: &str, lookalike: bool) -> String {
    let program = ir::parse(program).unwrap_or_else(|error| panic!("{error}\n{program}"));
    ir::verify(&program).unwrap_or_else(|flaws| panic!("{}", flaws[0]));
    let function = program.named("f").expect("there is such a function");
    let mentions = vec![vec![]; program.functions.len()];
    let whole = Whole { program: &program, mentions: &mentions, text: "", lookalike };
    let mut mutants: Vec<Mutant> =
        program.sites.iter().flat_map(|site| &site.variants).map(|(mutant, _)| *mutant).collect();
    // The last site is somebody else's.
    mutants.retain(|mutant| mutant.0 < 100);
    let subject = Subject::alone(function, mutants);
    Slice::new(whole, &subject, &Space::default()).text
}

#[track_caller]
fn check(one: &str, other: &str, same: bool) {
    assert_eq!(text(one, false) == text(other, false), same, "{}\n{}", text(one, false), text(other, false));
}

const F: &str = r#"function @f(%0 x: s32 "int") -> s32 "int" { block0: %1:i32 = site 0(%0) @ 3:7 %2:i32 = load.i32 @total @ 4:7 return %1 }
    site 0(%0:i32) -> i32 { original: return %0 mutant 1: return 7:i32 }"#;
const TOTAL: &str = r#"global @total: s32 "int" = zero 4 "#;
const OTHER: &str = r#"global @other: s32 "int" = zero 4 "#;
const G: &str = r#"function @g(%0 x: s32 "int") -> s32 "int" { block0: return %0 } "#;

#[test]
fn what_a_subject_does_not_reach_is_nothing_to_it() {
    let plain = format!("{TOTAL}{F}");
    check(&plain, &plain, true);
    check(&plain, &format!("{OTHER}{TOTAL}{F}"), true);
    check(&plain, &format!("{TOTAL}{G}{F}"), true);
    check(&plain, &plain.replace("@ 3:7", "@ 30:9"), true);
    check(&plain, &plain.replace("mutant 1", "mutant 21"), true);
}

#[test]
fn what_a_subject_reaches_matters() {
    let plain = format!("{TOTAL}{F}");
    check(&plain, &plain.replace("7:i32", "8:i32"), false);
    check(&plain, &plain.replace("zero 4", "\"\\u{1}\\0\\0\\0\""), false);
    check(&plain, &plain.replace("zero 4", "zero 4 static"), false);
    check(&plain, &plain.replace("@total", "@sum"), false);
    check(&plain, &plain.replace("mutant 1", "mutant 100"), false);
    // Two places that were the same.
    check(&plain, &plain.replace("@ 4:7", "@ 3:7"), false);
    // The address of one global is not that of another, although nothing else differs.
    let both = format!("{OTHER}{TOTAL}{F}");
    check(&both, &both.replace("load.i32 @total", "load.i32 @other"), false);
    check(&format!("{TOTAL}{F}"), &format!("{TOTAL}{F}").replace("load.i32 @total", "load.i32 1:i64"), false);
}

#[test]
fn what_is_called_matters_but_not_the_mutants_in_it() {
    let calls = F.replace("return %1", "%3:i32 = call @g(%1) return %3");
    let site = "site 1(%0:i32) -> i32 { original: return %0 mutant 100: return 1:i32 }";
    let g = G.replace("block0: return %0", "block0: %1:i32 = site 1(%0) return %1");
    let plain = format!("{TOTAL}{g}{calls} {site}");
    check(&plain, &plain.replace("mutant 100: return 1", "mutant 100: return 2"), true);
    check(
        &plain,
        &plain.replace("original: return %0 mutant 100", "original: return 1:i32 mutant 100"),
        false,
    );
}

#[test]
fn what_a_global_leads_to_matters() {
    // A pointer to the second global, which is `@".str"`, or to the third.
    let with = |contents: &str, first: &str| {
        format!(
            "type 0 = s32 \"int\" type 1 = s8 \"char\" type 2 = array 2 of type 1 type 3 = pointer \"char *\" to type 1
            {first} global @total: type 3 = \"{contents}\" global @\".str\": type 2 = \"a\\0\" constant static
            global @\".str.1\": type 2 = \"b\\0\" constant static {F}"
        )
        .replace("load.i32", "load.i64")
        .replace("%2:i32", "%2:i64")
    };
    let address = |at: u32| -> String {
        let address = u64::from(ir::FIRST_OBJECT + at) << 32;
        address.to_le_bytes().iter().map(|byte| format!("\\u{{{byte:x}}}")).collect()
    };
    let [one, two, three] = [0, 1, 2].map(address);
    check(&with(&two, ""), &with(&two, ""), true);
    check(&with(&two, ""), &with(&three, ""), false);
    check(&with(&one, ""), &with(&two, ""), false);
    check(&with(&two, ""), &with(&two, "").replace("a\\0", "c\\0"), false);
    // The literal has another number and another name, but is the same.
    let moved = with(&three, "global @other: type 0 = zero 4").replace("\".str\"", "\".str.7\"");
    check(&with(&two, ""), &moved, true);
}

#[test]
fn where_any_function_may_be_called_all_of_them_matter() {
    let calls = F.replace("return %1", "%3:i32 = call pointer @g(%1) return %3");
    let plain = format!("{TOTAL}{G}{calls}");
    let more = r#"function @h(%0 x: s32 "int") -> s32 "int" { block0: return 3:i32 } "#;
    check(&plain, &format!("{TOTAL}{G}{more}{calls}"), false);
}

#[test]
fn where_the_program_does_not_tell_everything_all_of_it_matters() {
    let unsupported = F.replace("return %1", "unsupported \"inline assembly\" return %1");
    check(&format!("{TOTAL}{unsupported}"), &format!("{TOTAL}{G}{unsupported}"), false);
    let (one, other) = (format!("{TOTAL}{F}"), format!("{TOTAL}{G}{F}"));
    assert_ne!(text(&one, true), text(&other, true));
}
