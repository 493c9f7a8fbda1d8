//! Random C functions over memory: pointers, arrays, structs, strings, globals,
//! the heap, floats, and calls to the outside.
//!
//! Indexes are mostly masked to what is surely there, so that most runs return; the others stray on purpose.

use std::fmt::Write;

use super::generator::Random;

/// What every file starts with.
const PRELUDE: &str = r#"#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct inner { short h; char c; };
struct record { char c; int x; unsigned b : 3; int d : 7; long y; struct inner in; unsigned char a[5]; float r; };
struct node { int v; struct node *next; };
union both { int i; unsigned char b[6]; };

int table[4] = {1, 2, 3, 4};
static long counter = 5;
struct record shared = {'c', 7, 3, -5, 9, {1, 'd'}, {1, 2, 3}, 0.5f};
static unsigned char grid[3][4];
char buffer[8] = "text";
static const char *const names[] = {"ab", "cde", ""};
int *cursor = &table[1];
union both either;

int outside(int value, int *place);
void note(const char *text, unsigned char more);

static int add(int a, int b) { return (int)((unsigned)a + (unsigned)b); }
static int pick(int a, int b) { return a < b ? a : b; }
static int (*chosen)(int, int) = add;

"#;

/// A type of parameters, and how a parameter of it is used as an integer.
struct ParameterKind {
    declared: &'static str,
    /// Expressions over the name, `@`, that are integers and can be assigned to; `#` is a free index.
    places: &'static [&'static str],
    /// Whether it may be null.
    pointer: bool,
}

const KINDS: &[ParameterKind] = &[
    ParameterKind { declared: "int @", places: &["@"], pointer: false },
    ParameterKind { declared: "unsigned char @", places: &["@"], pointer: false },
    ParameterKind { declared: "long @", places: &["@"], pointer: false },
    ParameterKind { declared: "double @", places: &["@"], pointer: false },
    ParameterKind { declared: "float @", places: &["@"], pointer: false },
    ParameterKind { declared: "_Bool @", places: &["@"], pointer: false },
    ParameterKind { declared: "int *@", places: &["@[#]", "*@", "*(@ + #)"], pointer: true },
    ParameterKind { declared: "unsigned char *@", places: &["@[#]", "*@"], pointer: true },
    ParameterKind { declared: "short *@", places: &["@[#]", "*@"], pointer: true },
    ParameterKind { declared: "double *@", places: &["@[#]", "*@"], pointer: true },
    ParameterKind {
        declared: "struct record *@",
        places: &["@->c", "@->x", "@->b", "@->d", "@->y", "@->in.h", "@->a[# % 5u]", "@->r", "@[#].x"],
        pointer: true,
    },
    ParameterKind {
        declared: "struct record @",
        places: &["@.c", "@.x", "@.b", "@.d", "@.y", "@.in.c", "@.a[# % 5u]", "@.r"],
        pointer: false,
    },
    ParameterKind { declared: "struct inner @", places: &["@.h", "@.c"], pointer: false },
    ParameterKind {
        declared: "struct node *@",
        places: &["@->v", "(@->next ? @->next : @)->v"],
        pointer: true,
    },
    ParameterKind { declared: "union both *@", places: &["@->i", "@->b[# % 6u]"], pointer: true },
    ParameterKind { declared: "int **@", places: &["**@", "(*@)[#]"], pointer: true },
];

/// Places that every function can use.
const SHARED: &[&str] = &[
    "table[# & 3]",
    "counter",
    "shared.x",
    "shared.a[# % 5u]",
    "shared.d",
    "grid[# % 3u][# & 3]",
    "buffer[# & 7]",
    "*cursor",
    "either.i",
    "either.b[# % 6u]",
];

const OPERATORS: &[&str] = &["+", "-", "*", "&", "|", "^", "<", "==", "!=", ">=", "&&"];

/// A C file with this many functions, called `f0`, `f1`, … Later ones call earlier ones.
pub(crate) fn file(random: &mut Random, functions: usize) -> String {
    let mut generator = Generator {
        random,
        places: vec![],
        ints: vec![],
        integral: vec![],
        text: PRELUDE.to_string(),
        names: 0,
    };
    for number in 0..functions {
        generator.function(number);
    }
    generator.text
}

struct Generator<'a> {
    random: &'a mut Random,
    /// What is in scope and can be assigned to.
    places: Vec<String>,
    /// Pointers to `int` in scope.
    ints: Vec<String>,
    /// The functions so far that take two integers.
    integral: Vec<String>,
    text: String,
    names: usize,
}

impl Generator<'_> {
    fn function(&mut self, number: usize) {
        self.places = SHARED.iter().map(|place| place.to_string()).collect();
        self.ints.clear();
        let kinds: Vec<&ParameterKind> = match self.random.one_in(3) {
            true => vec![&KINDS[0]; 2],
            false => (0..1 + self.random.below(3)).map(|_| self.random.choose(KINDS)).collect(),
        };
        let results =
            ["int", "long", "double", "int *", "struct record", "struct inner", "char *", "struct node *"];
        let result =
            *self.random.choose(&results[..if kinds.len() == 2 && !kinds[0].pointer { 2 } else { 8 }]);
        let parameters: Vec<String> = kinds
            .iter()
            .enumerate()
            .map(|(at, kind)| kind.declared.replace('@', &format!("p{at}")))
            .collect();
        self.put(&format!("{result} f{number}({})\n{{\n", parameters.join(", ")));
        self.put("int small[4] = {1, 2};\nint *walk = small;\nstruct record own = shared;\n");
        self.put("unsigned i = 3;\nchar word[6] = \"abc\";\n");
        for place in
            ["small[# & 3]", "*walk", "own.x", "own.a[# % 5u]", "own.in.h", "i", "word[# % 6u]", "own.y"]
        {
            self.places.push(place.to_string());
        }
        self.ints.extend(["small", "walk", "table"].map(str::to_string));
        for (at, kind) in kinds.iter().enumerate() {
            let name = format!("p{at}");
            // Now and then nobody asks.
            if kind.pointer && !self.random.one_in(12) {
                let more = if kind.declared.contains("**") { format!(" || !*{name}") } else { String::new() };
                let nothing =
                    if result.starts_with("struct") && !result.ends_with('*') { "own" } else { "0" };
                let nothing = if result == "struct inner" { "own.in" } else { nothing };
                self.put(&format!("if (!{name}{more}) return {nothing};\n"));
            }
            if kind.declared == "int *@" {
                self.ints.push(name.clone());
            }
            self.places.extend(kind.places.iter().map(|place| place.replace('@', &name)));
        }
        for _ in 0..3 + self.random.below(6) {
            self.statement(2);
        }
        for (at, kind) in kinds.iter().enumerate().filter(|(_, kind)| kind.pointer) {
            match self.random.below(8) {
                0 => self.put(&format!("free(p{at});\n")),
                1 if kind.declared == "int *@" => self.put(&format!("p{at} = realloc(p{at}, 12);\n")),
                _ => {}
            }
        }
        let value = self.result(result);
        self.put(&format!("return {value};\n}}\n\n"));
        if parameters == ["int p0", "int p1"] {
            self.integral.push(format!("f{number}"));
        }
    }

    fn result(&mut self, of: &str) -> String {
        match of {
            "int *" => match self.random.below(5) {
                0 => "0".to_string(),
                1 => format!("cursor = &table[{} & 3]", self.index()),
                2 => "memcpy(malloc(sizeof small), small, sizeof small)".to_string(),
                _ => {
                    let pointer = self.pointer();
                    format!("{pointer} + {}", self.random.below(3))
                }
            },
            "char *" => match self.random.below(4) {
                0 => format!("strchr(buffer, {})", self.expression(1)),
                1 => "strdup(word)".to_string(),
                2 => format!("(char *) names[{} % 3u]", self.index()),
                _ => "buffer + strlen(word) % 8".to_string(),
            },
            "struct node *" => {
                let value = self.expression(2);
                let name = self.name("n");
                self.put(&format!(
                    "struct node *{name} = calloc(1, sizeof *{name});\n{name}->v = {value};\n"
                ));
                if self.random.one_in(2) {
                    self.put(&format!(
                        "{name}->next = malloc(sizeof *{name});\n{name}->next->v = {value};\n"
                    ));
                }
                name
            }
            "struct record" => "own".to_string(),
            "struct inner" => "own.in".to_string(),
            _ => self.expression(3),
        }
    }

    fn statement(&mut self, depth: u32) {
        match self.random.below(if depth == 0 { 9 } else { 13 }) {
            0..4 => {
                let place = self.place();
                let operator = *self.random.choose(&["=", "=", "+=", "-=", "^=", "|="]);
                let value = self.expression(2);
                // Not every place is an integer, and not every sum has room.
                match operator {
                    "=" => self.put(&format!("{place} = {value};\n")),
                    _ => self.put(&format!(
                        "{place} = (unsigned) (long) {place} {} (unsigned) (long) ({value});\n",
                        &operator[..1]
                    )),
                }
            }
            4 => {
                let (pointer, index) = (self.pointer(), self.index());
                let step = *self.random.choose(&["walk++;", "walk = small + 1;", "--walk;", "walk += 2;"]);
                match self.random.below(3) {
                    0 => self.put(&format!("walk = &{pointer}[{index} & 1];\n")),
                    1 => self.put(&format!("{step}\n")),
                    _ => self.put("walk = small;\n"),
                }
            }
            5 => self.library(),
            6 => self.outside(),
            7 => {
                let statement = *self.random.choose(&[
                    "own = shared;",
                    "shared = own;",
                    "own.in = shared.in;",
                    "chosen = pick;",
                    "chosen = i & 1 ? add : pick;",
                    "memcpy(&own, &shared, sizeof own);",
                    "cursor = walk;",
                    "grid[1][i & 3]++;",
                ]);
                self.put(&format!("{statement}\n"));
            }
            8 => {
                let (name, size) = (self.name("h"), self.expression(1));
                self.put(&format!("int *{name} = malloc((1 + ((unsigned) ({size}) & 3)) * sizeof(int));\n"));
                let value = self.expression(2);
                self.put(&format!("{name}[0] = {value};\n"));
                match self.random.below(4) {
                    0 => self.put(&format!("{name} = realloc({name}, 24);\n{name}[3] = {name}[0];\n")),
                    1 => self.put(&format!("cursor = {name};\n")),
                    2 => self.put(&format!("i += {name}[0];\nfree({name});\n")),
                    _ => self.put(&format!("i ^= {name}[i & 1];\n")),
                }
            }
            9 | 10 => {
                let condition = self.expression(2);
                self.put(&format!("if ({condition}) {{\n"));
                self.block(depth);
                self.put("}\n");
            }
            _ => {
                let (name, limit) = (self.name("k"), 1 + self.random.below(4));
                self.put(&format!("for (int {name} = 0; {name} < {limit}; {name}++) {{\n"));
                self.places.push(name);
                self.block(depth);
                self.places.pop();
                self.put("}\n");
            }
        }
    }

    fn block(&mut self, depth: u32) {
        for _ in 0..1 + self.random.below(2) {
            self.statement(depth - 1);
        }
    }

    fn library(&mut self) {
        let (pointer, value, index) = (self.pointer(), self.expression(1), self.index());
        let statement = match self.random.below(12) {
            0 => format!("memset(small, (int) ({value}), {index} % 17u);"),
            1 => format!("memcpy(small, {pointer}, 4);"),
            2 => format!("memmove(buffer + ({index} & 3), buffer, 4);"),
            3 => "i = strlen(buffer);".to_string(),
            4 => format!("i = memcmp(small, {pointer}, 4) < 0;"),
            5 => format!("strncpy(buffer, word, {index} & 7);"),
            6 => "i = strcmp(buffer, word) > 0;".to_string(),
            7 => format!("i = strchr(word, (int) ({value})) != 0;"),
            8 => format!("i = isalpha((unsigned char) ({value})) != 0;"),
            9 => "i = strtol(word, 0, 16);".to_string(),
            10 => format!("i = abs((short) ({value}));"),
            _ => "strcat(word, names[i % 3u]);".to_string(),
        };
        self.put(&format!("{statement}\n"));
    }

    fn outside(&mut self) {
        // One that strayed from its array points into whatever variable the machine has there.
        let pointer = Some(self.pointer()).filter(|pointer| pointer != "walk").unwrap_or("small".to_string());
        let value = self.expression(2);
        let statement = match self.random.below(5) {
            0 => format!("i = outside((int) (long) ({value}), {pointer});"),
            1 => format!("note(names[i % 3u], (unsigned char) (long) ({value}));"),
            2 => format!("printf(\"%d %s\\n\", (int) (long) ({value}), names[i % 3u]);"),
            3 => format!("fprintf(stderr, \"%lu\\n\", (unsigned long) (long) ({value}));"),
            _ => "puts(word);".to_string(),
        };
        self.put(&format!("{statement}\n"));
    }

    fn expression(&mut self, depth: u32) -> String {
        if depth == 0 || self.random.one_in(5) {
            return match self.random.below(4) {
                0 => (self.random.below(20) as i64 - 5).to_string(),
                _ => self.place(),
            };
        }
        match self.random.below(12) {
            0 => "(int) sizeof own".to_string(),
            1 => {
                let (one, other) = (self.pointer(), self.pointer());
                let relation = *self.random.choose(&["==", "!="]);
                format!("({one} {relation} {other})")
            }
            2 => "(walk - small)".to_string(),
            3 => "(walk < small + 4)".to_string(),
            4 => format!("chosen((int) (long) ({}), 3)", self.expression(depth - 1)),
            5 if !self.integral.is_empty() => {
                let callee = self.random.choose(&self.integral).clone();
                format!(
                    "{callee}((int) (long) ({}), (int) (long) ({}))",
                    self.expression(depth - 1),
                    self.expression(0)
                )
            }
            6 => format!("(int) ({} * 0.5)", self.expression(depth - 1)),
            7 => format!("(float) ({})", self.expression(depth - 1)),
            8 => format!(
                "({} ? {} : {})",
                self.place(),
                self.expression(depth - 1),
                self.expression(depth - 1)
            ),
            _ => {
                let (left, operator) = (self.expression(depth - 1), *self.random.choose(OPERATORS));
                // Half of the places are floats, which know no bits.
                format!(
                    "((unsigned) (long) ({left}) {operator} (unsigned) (long) ({}))",
                    self.expression(depth - 1)
                )
            }
        }
    }

    fn place(&mut self) -> String {
        let place = self.random.choose(&self.places).clone();
        let mut text = String::new();
        for part in place.split_inclusive('#') {
            match part.strip_suffix('#') {
                Some(before) => {
                    let index = self.index();
                    text += before;
                    text += &index;
                }
                None => text += part,
            }
        }
        text
    }

    /// Mostly little.
    fn index(&mut self) -> String {
        match self.random.below(10) {
            0..5 => "0u".to_string(),
            5 => "1u".to_string(),
            6 => "(i & 1)".to_string(),
            7 => "(i & 3)".to_string(),
            8 => "i".to_string(),
            _ => self.random.below(6).to_string() + "u",
        }
    }

    fn pointer(&mut self) -> String {
        self.random.choose(&self.ints).clone()
    }

    fn name(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    fn put(&mut self, text: &str) {
        self.text.write_str(text).expect("writing to memory does not fail");
    }
}
