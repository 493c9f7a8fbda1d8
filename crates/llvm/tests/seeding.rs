//! What seeding costs: clang runs twice, whatever the file is like, and a few times more if it must.

use std::os::unix::fs::PermissionsExt;

use llvm::{Clang, Listing, Operators, Options, Overflow};
use source::Change;

/// Lists the mutants of some C. Returns how often clang was started, too.
fn list(c: &str, operators: &str, flags: &[&str]) -> (Listing, usize) {
    let folder = tempfile::tempdir().expect("there is room");
    let (file, clang, log) =
        (folder.path().join("subject.c"), folder.path().join("clang"), folder.path().join("log"));
    std::fs::write(&file, c).expect("there is room");
    let script = format!("#!/bin/sh\necho >> '{}'\nexec clang-19 \"$@\"\n", log.display());
    std::fs::write(&clang, script).expect("there is room");
    std::fs::set_permissions(&clang, std::fs::Permissions::from_mode(0o755)).expect("it is ours");
    let options = Options {
        file,
        clang: Some(Clang { program: clang.into() }),
        flags: flags.iter().map(|flag| flag.to_string()).collect(),
        overflow: Overflow::Undefined,
        operators: Operators::parse(operators).expect("they exist"),
        functions: vec![],
        headers: false,
        versions: vec![],
    };
    let listing = llvm::list(&options).unwrap_or_else(|error| panic!("{error}"));
    let runs = std::fs::read(&log).expect("clang was started").len();
    (listing, runs)
}

/// What becomes of the macros that are used in a file, in its order: `original → replacement | replacement`.
fn of_macros(listing: &Listing) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let is_use = |text: &str| {
        text.ends_with(')') && text.starts_with(|c: char| c.is_ascii_uppercase()) && !text.contains("||")
    };
    let is_of_operation = |name: &str| ["AOR", "ROR", "BOR"].contains(&name);
    let used = |change: &&Change| is_use(&change.original) && is_of_operation(&change.operator);
    for change in listing.changes.iter().filter(used) {
        let start = format!("{} → ", change.original);
        match found.last_mut() {
            Some(last) if last.starts_with(&start) => *last += &format!(" | {}", change.replacement()),
            _ => found.push(start + change.replacement()),
        }
    }
    found
}

/// Everything of which one operator makes what C does not have.
const ILL_TYPED: &str = r##"
#include <stddef.h>
#include <stdint.h>
#define AT(p, i) ((p) + (i))
#define GAP(p, q) ((p) - (q))
#define END(p, n) ((n) + (p))
#define BYTES(p) ((char *)(p) + sizeof(*(p)))
#define OUTER(p, t, m) ((t *)((char *)(p) - offsetof(t, m)))
#define LAST ((size_t)-1)
#define RAW(p) ((uint8_t *)(void *)(p))
#define NAMES(p) ((const char *const *)(p) + 1)
#define HALF(x) ((x) / 2.0)
#define WIDE(x) ((x) * 2.0L > 1)
#define SQUARE(x) (x * x)
#define COMPLEX(z) ((z) * (z) == (z))
#define IS_NULL(p) ((void *)0 == (p))
#define CALLED(f) ((int (*)(int))(f) == 0)
#define MORE(p) (AT(p, 1) != NULL)
#define TWICE(p) (*(p) + *(p))
#define BLOCK(x) ({ int y = (x) * 2; y + 1; })
#define CHOSEN(x) _Generic((x), int: (x) * 2, default: (x) + 1)
#define TRUTH(x) ((_Bool)(x) & 1)

enum e { E0, E1 };
struct s { int a; unsigned b : 3; const int c; char name[8]; struct s *next; enum e e; int (*call)(int); };
struct pair { int x, y; };
static struct pair make(int x, int y) { return (struct pair){ x, y }; }
static int twice(int x) { return 2 * x; }

int pointers(char *p, const char *q, void *v, size_t n)
{
    if (p == NULL || q == NULL || v != NULL) return (int)GAP(p, q);
    p = AT(p, n);
    p = END(p, n);
    p = BYTES(p);
    if (IS_NULL(v) || MORE(p) || n == LAST) return *RAW(v);
    v = (char *)v + 2;
    return TWICE(p);
}
int arrays(int i)
{
    int local[] = { 1, [2] = 3, i };
    char text[] = "abc", buffer[4] = "xy";
    static const int fixed[] = { 4, 5, 6 };
    const char *const names[2] = { "a", "b" };
    int (*rows)[3] = (int (*)[3])local;
    int any[i + 1];
    any[0] = rows[0][1] + (int[3]){ 1, 2, 3 }[i] + (int)sizeof(int[4]) + (int)(sizeof(local) / sizeof(local[0]));
    return any[0] + text[0] + buffer[1] + fixed[2] + **NAMES(names) + (__typeof__(1))i;
}
int structs(struct s *s, struct s t)
{
    s->a = t.a; s->b = 5; s->b += t.b; s->e = E1; s->next = &t;
    struct s *outer = OUTER(&s->a, struct s, a);
    struct pair pair = make(1, 2), other = { .y = 4 };
    if (s->e == E0 && outer != s && s->call == twice) return make(s->a, t.a).x;
    return s->name[1] + (s->next ? s->next->c : pair.x) + other.y;
}
int floats(double d, float f, long double l, _Complex double z)
{
    return HALF(d) > f || WIDE(l) || SQUARE(d) == f || COMPLEX(z) || d * f > l;
}
int functions(int (*h)(int), int x)
{
    int (*g)(int) = h ? h : twice;
    if (h == NULL || CALLED(h) || g != twice) return (*g)(x + 1);
    return g(x) + BLOCK(x) + CHOSEN(x) + ({ int z = x; z * 2; });
}
int bits(uint8_t a, _Bool b, int c)
{
    b = TRUTH(c); b |= a; a <<= 1;
    switch (c) { case 1 ... 4: return a & 3; case 'a': case (3 + 4): return -1; default: break; }
    _Static_assert(sizeof(int) == 4 && 1, "");
    __asm__ volatile("" : : "r"(c + 1) : "memory");
    if (__builtin_expect(c == 2, 0) && __builtin_constant_p(c)) __builtin_trap();
    return b ? a : ~c;
}
"##;

#[test]
fn what_has_no_type_is_not_made() {
    let (listing, runs) = list(ILL_TYPED, "default", &[]);
    assert_eq!(runs, 2);
    let expect = [
        "AT(p, n) → ((p) - (n))",
        "BYTES(p) → ((char *) (p) - sizeof(* (p)))",
        "IS_NULL(v) → ((void *) 0 <= (v)) | ((void *) 0 >= (v))",
        "MORE(p) → (AT(p, 1) < NULL) | (AT(p, 1) > NULL)",
        "TWICE(p) → (* (p) - * (p)) | (* (p) * * (p)) | (* (p) / * (p)) | (* (p) % * (p))",
        "NAMES(names) → ((const char * const *) (names) - 1)",
        "OUTER(&s->a, struct s, a) → ((struct s *) ((char *) (&s->a) + offsetof(struct s, a)))",
        "HALF(d) → ((d) + 2.0) | ((d) - 2.0) | ((d) * 2.0)",
        "WIDE(l) → ((l) + 2.0L > 1) | ((l) - 2.0L > 1) | ((l) / 2.0L > 1) | ((l) * 2.0L >= 1) | ((l) * 2.0L != 1)",
        "SQUARE(d) → (d + d) | (d - d) | (d / d)",
        "COMPLEX(z) → ((z) + (z) == (z)) | ((z) - (z) == (z)) | ((z) / (z) == (z))",
        "CALLED(h) → ((int(*) (int)) (h) <= 0) | ((int(*) (int)) (h) >= 0)",
        "BLOCK(x) → ({ int y = (x) + 2; y + 1; }) | ({ int y = (x) - 2; y + 1; }) | ({ int y = (x) / 2; y + 1; }) | ({ int y = (x) % 2; y + 1; }) | ({ int y = (x) * 2; y - 1; }) | ({ int y = (x) * 2; y * 1; }) | ({ int y = (x) * 2; y / 1; }) | ({ int y = (x) * 2; y % 1; })",
        "CHOSEN(x) → _Generic((x), int : (x) + 2, default : (x) + 1) | _Generic((x), int : (x) - 2, default : (x) + 1) | _Generic((x), int : (x) / 2, default : (x) + 1) | _Generic((x), int : (x) % 2, default : (x) + 1) | _Generic((x), int : (x) * 2, default : (x) - 1) | _Generic((x), int : (x) * 2, default : (x) * 1) | _Generic((x), int : (x) * 2, default : (x) / 1) | _Generic((x), int : (x) * 2, default : (x) % 1)",
        "TRUTH(c) → ((_Bool) (c) | 1) | ((_Bool) (c) ^ 1)",
    ];
    assert_eq!(of_macros(&listing), expect);
    assert_eq!(list(ILL_TYPED, "all", &[]).1, 2);
}

#[test]
fn a_larger_file_costs_no_more_runs() {
    for copies in [1, 60] {
        let body = |at: usize| {
            let body = "if (p == NULL || AT(p, n) == NULL) return 1; return MAX(*p, 3) + f(n, NULL, p);";
            format!("int f{at}(int *p, long n) {{ {body} }}\n")
        };
        let head = "#define NULL ((void *)0)\n#define AT(p, i) ((p) + (i))\n#define MAX(a, b) ((a) > (b) ? (a) : (b))\nint f(long, int *, int *);\n";
        let c = head.to_string() + &(0..copies).map(body).collect::<String>();
        let (listing, runs) = list(&c, "default", &[]);
        assert_eq!((runs, listing.changes.len() % copies), (2, 0), "{copies} copies");
    }
}

/// None of this is seen in the syntax tree, but clang complains about it: about
/// the choice itself, about something near it, and about another line.
#[test]
fn what_clang_complains_about_is_left_out_at_once() {
    let good = "int good(int a, int b) { if (a && b) return a + 1; return b; }\n";
    let named = "int named(int a) { constexpr int k = 4; return a && k; }\n";
    let folded = "int folded(int a)\n{\nconst int n = 5;\na = a && n;\nint t[n] = {};\nt[1] = a;\nreturn t[1] + 3;\n}\n";
    let count = |listing: &Listing, name: &str| {
        listing.changes.iter().filter(|change| change.function == name).count()
    };
    let (alone, runs) = list(good, "default", &["-std=c23"]);
    assert_eq!(runs, 2);
    for copies in [1, 20] {
        let bad = |at: usize| {
            [named, folded]
                .concat()
                .replace("named(", &format!("named{at}("))
                .replace("folded(", &format!("folded{at}("))
        };
        // A text that says to be another one is still found.
        let c =
            format!("#line 90 \"other.y\"\n{}\n#line 1\n{good}", (0..copies).map(bad).collect::<String>());
        let (listing, runs) = list(&c, "default", &["-std=c23"]);
        assert!(runs <= 4, "{runs} runs for {copies} copies");
        assert_eq!(count(&listing, "good"), count(&alone, "good"));
        assert!(count(&listing, "named0") > 0 && count(&listing, "folded0") > 0);
    }
}

#[test]
fn long_chains_are_seeded() {
    let chain = |length: usize, link: &str| {
        (0..length).map(|at| link.replace('N', &at.to_string())).collect::<String>()
    };
    let check = |c: &str, least: usize| {
        let (listing, runs) = list(c, "LCR,DCR,SDL", &[]);
        assert_eq!(runs, 2);
        assert!(listing.changes.len() >= least, "{} of {least}", listing.changes.len());
    };
    check(&format!("int f(int a) {{ return\na{}; }}", chain(400, "\n&& a != N")), 400 * 3);
    check(&format!("int f(int a) {{ {}; return a; }}", chain(400, "if (a == N) a = 3;\nelse ")), 400 * 4);
    check(&format!("int f(int a) {{ return {}\na; }}", chain(400, "a == N ? N :\n")), 400 * 3);
}
