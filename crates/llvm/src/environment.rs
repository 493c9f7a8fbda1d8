//! The meta-mutant as a program or library of its own: the environment variable
//! `WHET_MUTANT` says which mutant runs.
//!
//! A constructor reads the variable before anything else runs. A program that
//! links the module can also set `__whet_mutant` at any time.

use crate::{Error, Unit};

/// Reads the number without help from the C library, which the file itself may be a part of. A test may have
/// a `getenv` of its own.
const CHOOSE: &str = r#"
@whet.variable = private constant [13 x i8] c"WHET_MUTANT=\00"

define internal void @whet.choose() {
entry:
  %list = load ptr, ptr @__environ
  br label %each

each:
  %place = phi ptr [ %list, %entry ], [ %following, %other ]
  %text = load ptr, ptr %place
  %none = icmp eq ptr %text, null
  br i1 %none, label %end, label %compare

compare:
  %index = phi i64 [ 0, %each ], [ %further, %character ]
  %letter = getelementptr i8, ptr @whet.variable, i64 %index
  %expected = load i8, ptr %letter
  %start = getelementptr i8, ptr %text, i64 %index
  %is_all = icmp eq i8 %expected, 0
  br i1 %is_all, label %next, label %character

character:
  %actual = load i8, ptr %start
  %further = add i64 %index, 1
  %is_same = icmp eq i8 %actual, %expected
  br i1 %is_same, label %compare, label %other

other:
  %following = getelementptr ptr, ptr %place, i64 1
  br label %each

next:
  %at = phi ptr [ %start, %compare ], [ %after, %digit ]
  %number = phi i32 [ 0, %compare ], [ %longer, %digit ]
  %byte = load i8, ptr %at
  %value = sub i8 %byte, 48
  %is_digit = icmp ult i8 %value, 10
  br i1 %is_digit, label %digit, label %found

digit:
  %tens = mul i32 %number, 10
  %wide = zext i8 %value to i32
  %longer = add i32 %tens, %wide
  %after = getelementptr i8, ptr %at, i64 1
  br label %next

found:
  store i32 %number, ptr @__whet_mutant
  br label %end

end:
  ret void
}
"#;

const CONSTRUCTOR: &str = "{ i32, ptr, ptr } { i32 0, ptr @whet.choose, ptr null }";
const CONSTRUCTORS: &str = "@llvm.global_ctors = appending global [";

impl Unit {
    /// The meta-mutant as LLVM assembly that runs the mutant which `WHET_MUTANT` names.
    pub fn chosen_by_environment(&self) -> Result<String, Error> {
        let mut text = with_constructor(self.linked());
        text += CHOOSE;
        if !self.linked().contains("@__environ =") {
            text += "\n@__environ = external global ptr\n";
        }
        let context = inkwell::context::Context::create();
        let module = crate::parse_text(&context, &text)?;
        crate::thread::put_back(&module);
        crate::verify(&module, "the meta-mutant")?;
        Ok(module.print_to_string().to_string())
    }
}

/// The module with our constructor, beside those that it has.
fn with_constructor(text: &str) -> String {
    let Some(start) = text.find(CONSTRUCTORS) else {
        return format!("{text}\n{CONSTRUCTORS}1 x {{ i32, ptr, ptr }}] [{CONSTRUCTOR}]\n");
    };
    let list = start + CONSTRUCTORS.len();
    let digits = text[list..].bytes().take_while(u8::is_ascii_digit).count();
    let count: usize = text[list..list + digits].parse().unwrap_or(0);
    let end = list + text[list..].find("]\n").unwrap_or(0);
    format!("{}{}{}, {CONSTRUCTOR}{}", &text[..list], count + 1, &text[list + digits..end], &text[end..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_constructor_joins_those_that_are_there() {
        let text = "@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @a, ptr null }]\nx";
        assert_eq!(
            with_constructor(text),
            format!(
                "@llvm.global_ctors = appending global [2 x {{ i32, ptr, ptr }}] [{{ i32, ptr, ptr }} {{ i32 65535, ptr @a, ptr null }}, {CONSTRUCTOR}]\nx"
            )
        );
    }
}
