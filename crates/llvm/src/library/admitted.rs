//! The functions of musl that a program may call, and what is known of their results.
//!
//! A function is admitted when somebody has made sure that it does the same as the system's, in the
//! interpreter and natively (`tests/agreement.rs`). All others are open, as functions of the system.

/// How exactly C says what a function computes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Precision {
    /// One result is right.
    Exact,
    /// Another library may give a number beside it.
    Approximate,
}

/// Functions of numbers, whose results are numbers. A proof does not look into them: of their results it
/// knows only that they are the same where the arguments are. All of musl's approximations are among them,
/// because another library has others. So are some exact functions whose loops no solver could follow.
const SEALED: &[(Precision, &str)] = &[
    (
        Precision::Approximate,
        "acos acosf acosh acoshf asin asinf asinh asinhf atan atanf atan2 atan2f atanh atanhf cbrt cbrtf cos cosf cosh \
         coshf erf erff erfc erfcf exp expf exp2 exp2f exp10 exp10f expm1 expm1f hypot hypotf log logf log10 log10f \
         log1p log1pf log2 log2f pow powf sin sinf sinh sinhf tan tanf tanh tanhf tgamma tgammaf",
    ),
    (Precision::Exact, "fmod fmodf ldexp ldexpf remainder remainderf scalbln scalblnf scalbn scalbnf"),
];

/// Functions of `<math.h>` that a proof looks into.
const PLAIN_MATHEMATICS: &str = "frexp frexpf ilogb ilogbf logb logbf modf modff nextafter nextafterf";

/// Others that a proof looks into.
const PLAIN: &str = "\
    atof difftime __fpclassify __fpclassifyf __isoc99_sscanf __isoc99_vsscanf nan nanf snprintf sprintf sscanf strtod \
    strtof vsnprintf vsprintf vsscanf";

/// Functions of `<math.h>` with a body of our own that may report errors, too.
const OWN_WITH_ERRORS: &str = "\
    fdim fdimf llrint llrintf llround llroundf lrint lrintf lround lroundf sincos sincosf sqrt sqrtf";

/// Whether a program may call musl's function.
pub(crate) fn is_admitted(name: &str) -> bool {
    precision(name).is_some() || [PLAIN_MATHEMATICS, PLAIN].iter().any(|names| is_among(names, name))
}

/// Whether a proof does not look into this function, and what it would see there.
pub(crate) fn precision(name: &str) -> Option<Precision> {
    SEALED.iter().find(|(_, names)| is_among(names, name)).map(|(precision, _)| *precision)
}

/// Whether C leaves it to the library to set `errno`. The system's does in many cases, and musl's never does.
pub(crate) fn may_set_errno(name: &str) -> bool {
    precision(name).is_some()
        || [PLAIN_MATHEMATICS, OWN_WITH_ERRORS].iter().any(|names| is_among(names, name))
}

fn is_among(names: &str, name: &str) -> bool {
    names.split_whitespace().any(|known| known == name)
}
