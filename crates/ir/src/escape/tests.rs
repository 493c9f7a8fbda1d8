//! Who escapes, and who stays inside.

use super::*;
use crate::parse;

/// A subject `f` and a static function `g`, whose address is `@g`; and whether it escapes.
fn check(rest: &str, expect: bool) {
    let text = format!(
        r#"type 0 = s32 "int"
        type 1 = function (type 0) -> type 0
        type 2 = pointer "int (*)(int)" to type 1
        type 3 = pointer "int (**)(int)" to type 2
        type 4 = pointer "int (*const *)(int)" constant to type 2
        {rest}
        function @g(%0 x: type 0) -> type 0 static {{ block0: return %0 }}
        function @qsort(%0 by: type 2) library {{ block0: return }}"#
    );
    let program = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let (f, g) = (FunctionId(0), program.named("g").expect("it is there"));
    let mut mentions = vec![vec![]; program.functions.len()];
    mentions[0] = vec![g];
    let escapes = Escapes { program: &program, callable: &[f], mentions: &mentions };
    assert_eq!(escapes.through(f), if expect { vec![g] } else { vec![] }, "{text}");
}

#[test]
fn what_is_returned_or_stored_for_the_caller_escapes() {
    check("function @f() -> type 2 { block0: return @g }", true);
    check("function @f(%0 out: type 3) { block0: store %0, @g return }", true);
    check("function @f(%0 out: type 4) { block0: store %0, @g return }", false);
    check("global @seen: type 2 = zero 8 function @f() { block0: store @seen, @g return }", true);
}

#[test]
fn what_is_only_called_stays_inside() {
    check("function @f() -> type 2 { block0: %0:i32 = call @g(1:i32) return 0:i64 }", false);
    check("function @f() -> type 2 { block0: %0:i32 = call @g(1:i32) call @qsort(@g) return 0:i64 }", false);
    check("function @f() -> type 2 { block0: %0:i32 = call pointer @g(1:i32) return 0:i64 }", false);
}

#[test]
fn what_nobody_can_hold_stays_inside() {
    check("global @own: type 2 = zero 8 static function @f() { block0: store @own, @g return }", false);
}
