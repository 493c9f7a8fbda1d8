//! The functions of musl that a program may call, and what is known of their results.
//!
//! A function is admitted when somebody has made sure that it does the same as the system's, in the interpreter and
//! natively (`tests/agreement.rs`). All others are open, as functions of the system.

/// How exactly C says what a function computes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Precision {
    /// One result is right.
    Exact,
    /// Another library may give a number beside it.
    Approximate,
}

/// Functions of numbers, whose results are numbers. A proof does not look into them: of their results it knows only that
/// they are the same where the arguments are. All of musl's approximations are among them, because another
/// library has others. So are some exact functions whose loops no solver could follow.
const SEALED: &[(Precision, &str)] = &[
    (
        Precision::Approximate,
        "acos acosf acosh acoshf asin asinf asinh asinhf atan atanf atan2 atan2f atanh atanhf cbrt cbrtf cos cosf cosh \
         coshf erf erff erfc erfcf exp expf exp2 exp2f exp10 exp10f expm1 expm1f hypot hypotf log logf log10 log10f \
         log1p log1pf log2 log2f pow powf sin sinf sinh sinhf tan tanf tanh tanhf tgamma tgammaf",
    ),
    (
        Precision::Exact,
        "fma fmaf fmod fmodf ldexp ldexpf remainder remainderf scalbln scalblnf scalbn scalbnf",
    ),
];

/// Functions that a proof looks into.
const PLAIN: &str = "frexp frexpf ilogb ilogbf logb logbf modf modff nextafter nextafterf remquo remquof";

/// Functions of `<math.h>` with a body of our own that report errors as those of musl do.
const OWN_WITH_ERRORS: &str = "fdim fdimf llrint llround lrint lround lroundf sqrt sqrtf";

/// Whether a program may call musl's function.
pub(crate) fn is_admitted(name: &str) -> bool {
    precision(name).is_some() || is_among(PLAIN, name)
}

/// Whether a proof does not look into this function, and what it would see there.
pub(crate) fn precision(name: &str) -> Option<Precision> {
    SEALED.iter().find(|(_, names)| is_among(names, name)).map(|(precision, _)| *precision)
}

/// Whether C leaves it to the library to set `errno`. The system's does in many cases, and musl's never does.
pub(crate) fn may_set_errno(name: &str) -> bool {
    is_admitted(name) || is_among(OWN_WITH_ERRORS, name)
}

fn is_among(names: &str, name: &str) -> bool {
    names.split_whitespace().any(|known| known == name)
}
