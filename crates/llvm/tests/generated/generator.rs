//! Random C functions over all integer types: every operator and statement that the lift knows.
//!
//! They need not make sense. Most have some undefined behaviour on some input, and some run for ever.

use std::fmt::Write;

/// As C writes them. A parameter may have each; a variable may also be an `__int128`.
const TYPES: [&str; 12] = [
    "_Bool",
    "char",
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned int",
    "long",
    "unsigned long",
    "long long",
    "unsigned long long",
];

const BINARY: [&str; 18] =
    ["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "<", "<=", ">", ">=", "==", "!=", "&&", "||"];

const ASSIGNING: [&str; 11] = ["=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="];

/// Deeper expressions only repeat what these do.
const EXPRESSION_DEPTH: u32 = 3;
const STATEMENT_DEPTH: u32 = 2;

/// A C file with this many functions, called `f0`, `f1`, … Later ones call earlier ones.
pub(crate) fn file(random: &mut Random, functions: usize) -> String {
    let mut generator = Generator {
        random,
        arities: vec![],
        variables: vec![],
        constants: vec![],
        text: String::new(),
        labels: 0,
        loops: 0,
    };
    for _ in 0..functions {
        generator.function();
    }
    generator.text
}

/// SplitMix64: a test has to be the same on every machine.
pub(crate) struct Random(pub u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    pub(crate) fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    pub(crate) fn choose<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}

struct Generator<'a> {
    random: &'a mut Random,
    /// How many arguments each function so far takes.
    arities: Vec<usize>,
    /// What is in scope.
    variables: Vec<String>,
    /// Global constants.
    constants: Vec<String>,
    text: String,
    labels: usize,
    /// How many loops stand around.
    loops: usize,
}

impl Generator<'_> {
    fn function(&mut self) {
        let number = self.arities.len();
        if self.random.one_in(4) {
            let (of, value) = (*self.random.choose(&TYPES), self.literal());
            self.put(&format!("static const {of} c{number} = {value};\n"));
            self.constants.push(format!("c{number}"));
        }
        let arity = self.random.below(4);
        let parameters: Vec<String> =
            (0..arity).map(|at| format!("{} p{at}", self.random.choose(&TYPES))).collect();
        let linkage = if self.random.one_in(4) { "static " } else { "" };
        let result = *self.random.choose(&TYPES);
        let parameters = if arity == 0 { "void".to_string() } else { parameters.join(", ") };
        self.put(&format!("{linkage}{result} f{number}({parameters})\n{{\n"));
        self.variables = (0..arity).map(|at| format!("p{at}")).collect();
        for _ in 0..2 + self.random.below(5) {
            self.statement(STATEMENT_DEPTH);
        }
        // Now and then the end of the function is reached without a value.
        if !self.random.one_in(10) {
            let value = self.digest();
            self.put(&format!("return {value};\n"));
        }
        self.put("}\n\n");
        self.arities.push(arity);
    }

    fn block(&mut self, depth: u32) {
        let scope = self.variables.len();
        self.put("{\n");
        for _ in 0..1 + self.random.below(3) {
            self.statement(depth);
        }
        self.put("}\n");
        self.variables.truncate(scope);
    }

    fn statement(&mut self, depth: u32) {
        let kinds = if depth == 0 { 4 } else { 13 };
        match self.random.below(kinds) {
            0 => self.declaration(),
            1 | 2 => {
                let expression = self.assignment(EXPRESSION_DEPTH);
                self.put(&format!("{expression};\n"));
            }
            3 => match self.random.below(6) {
                0 => {
                    let value = self.expression(2);
                    self.put(&format!("return {value};\n"));
                }
                1 if self.loops > 0 => self.put("break;\n"),
                2 if self.loops > 0 => self.put("continue;\n"),
                _ => {
                    let expression = self.expression(EXPRESSION_DEPTH);
                    self.put(&format!("{expression};\n"));
                }
            },
            4 | 5 => {
                let condition = self.expression(2);
                self.put(&format!("if ({condition}) "));
                self.block(depth - 1);
                if self.random.one_in(2) {
                    self.put("else ");
                    self.block(depth - 1);
                }
            }
            6 | 7 => self.counted(depth),
            8 => {
                let condition = self.staying();
                self.put(&format!("while ({condition}) "));
                self.looping(depth);
            }
            9 => {
                let condition = self.staying();
                self.put("do ");
                self.looping(depth);
                self.put(&format!("while ({condition});\n"));
            }
            10 => self.switch(depth),
            11 => self.irreducible(depth),
            _ => self.block(depth - 1),
        }
    }

    /// A third of the variables start without a value.
    fn declaration(&mut self) {
        let of = if self.random.one_in(12) { "__int128" } else { self.random.choose(&TYPES) };
        let name = format!("v{}", self.labels);
        self.labels += 1;
        if self.random.one_in(3) {
            self.put(&format!("{of} {name};\n"));
        } else {
            let value = self.expression(EXPRESSION_DEPTH);
            self.put(&format!("{of} {name} = {value};\n"));
        }
        self.variables.push(name);
    }

    fn counted(&mut self, depth: u32) {
        let counter = format!("i{}", self.labels);
        self.labels += 1;
        let (of, limit) = (*self.random.choose(&TYPES[1..]), self.random.below(7));
        self.put(&format!("for ({of} {counter} = 0; {counter} < {limit}; {counter}++) "));
        self.variables.push(counter);
        self.looping(depth);
        self.variables.pop();
    }

    /// The condition of a loop. Few loops have no end: one is enough to end all that call it.
    fn staying(&mut self) -> String {
        let condition = self.expression(2);
        if self.random.one_in(12) {
            return condition;
        }
        let counter = format!("n{}", self.labels);
        self.labels += 1;
        let times = self.random.below(5);
        self.put(&format!("int {counter} = {times};\n"));
        format!("{condition} && --{counter} > 0")
    }

    fn looping(&mut self, depth: u32) {
        self.loops += 1;
        self.block(depth - 1);
        self.loops -= 1;
    }

    fn switch(&mut self, depth: u32) {
        let value = self.expression(2);
        self.put(&format!("switch ({value}) {{\n"));
        for case in 0..2 + self.random.below(4) {
            if self.random.one_in(5) {
                continue;
            }
            self.put(&format!("case {}: ", case * 3));
            self.block(depth - 1);
            if self.random.one_in(2) {
                self.put("break;\n");
            }
        }
        if self.random.one_in(2) {
            self.put("default: ");
            self.block(depth - 1);
        }
        self.put("}\n");
    }

    /// A loop that is also entered in its middle.
    fn irreducible(&mut self, depth: u32) {
        let label = format!("l{}", self.labels);
        self.labels += 1;
        let (enter, stay) = (self.expression(2), self.staying());
        self.put(&format!("if ({enter}) goto {label};\nwhile ({stay}) {{\n"));
        self.looping(depth);
        self.put(&format!("{label}: ;\n"));
        self.looping(depth);
        self.put("}\n");
    }

    /// Everything in scope, so that no difference is lost on the way out, through operators on words whose
    /// highest bit is often set: there signed and unsigned differ, and C's promotions seldom lead there.
    fn digest(&mut self) -> String {
        let mut digest = format!("(unsigned long) {}", self.expression(EXPRESSION_DEPTH));
        for variable in self.variables.clone() {
            let (of, operator) =
                (*self.random.choose(&["unsigned", "unsigned long"]), *self.random.choose(&BINARY));
            let right = match operator {
                "<<" | ">>" => "5".to_string(),
                _ => format!("(({of}) {} | 1)", self.leaf()),
            };
            let factor = 2 * self.random.below(50) + 3;
            digest = format!("({digest}) * {factor} + (({of}) ~{variable} {operator} {right})");
        }
        // A narrow result would drop the high bits, so they are folded down.
        format!("({digest}) % 0xfffffffbul")
    }

    fn expression(&mut self, depth: u32) -> String {
        if depth == 0 {
            return self.leaf();
        }
        match self.random.below(14) {
            0 | 1 => self.leaf(),
            2 => {
                let (operator, operand) =
                    (*self.random.choose(&["-", "~", "!", "+"]), self.expression(depth - 1));
                format!("({operator} {operand})")
            }
            3 => {
                let (of, operand) = (*self.random.choose(&TYPES), self.expression(depth - 1));
                format!("(({of}) {operand})")
            }
            4 => {
                let (condition, then) = (self.expression(depth - 1), self.expression(depth - 1));
                format!("({condition} ? {then} : {})", self.expression(depth - 1))
            }
            5 => self.assignment(depth - 1),
            6 if !self.arities.is_empty() => self.call(depth - 1),
            7 => {
                let first = self.expression(depth - 1);
                format!("({first}, {})", self.expression(depth - 1))
            }
            _ => {
                let (left, operator) = (self.expression(depth - 1), *self.random.choose(&BINARY));
                format!("({left} {operator} {})", self.right(operator, depth - 1))
            }
        }
    }

    fn assignment(&mut self, depth: u32) -> String {
        if self.variables.is_empty() {
            return self.leaf();
        }
        let variable = self.random.choose(&self.variables).clone();
        match self.random.below(6) {
            0 => format!("({variable}++)"),
            1 => format!("(--{variable})"),
            _ => {
                let operator = *self.random.choose(&ASSIGNING);
                format!("({variable} {operator} {})", self.right(operator, depth.saturating_sub(1)))
            }
        }
    }

    /// The right operand. Most programs would do nothing but divide by zero if nobody took care.
    fn right(&mut self, operator: &str, depth: u32) -> String {
        let operand = self.expression(depth);
        match operator {
            "/" | "%" | "/=" | "%=" if !self.random.one_in(10) => format!("({operand} | 1)"),
            "<<" | ">>" | "<<=" | ">>=" if self.random.one_in(2) => format!("({operand} & 7)"),
            _ => operand,
        }
    }

    fn call(&mut self, depth: u32) -> String {
        let callee = self.random.below(self.arities.len());
        let arguments: Vec<String> = (0..self.arities[callee]).map(|_| self.expression(depth)).collect();
        format!("f{callee}({})", arguments.join(", "))
    }

    fn leaf(&mut self) -> String {
        match self.random.below(8) {
            0 | 1 => self.literal(),
            2 if !self.constants.is_empty() => self.random.choose(&self.constants).clone(),
            _ if self.variables.is_empty() => self.literal(),
            _ => self.random.choose(&self.variables).clone(),
        }
    }

    fn literal(&mut self) -> String {
        match self.random.below(6) {
            0..4 => self.random.below(10).to_string(),
            4 => format!("{}u", self.random.below(300)),
            _ => format!("0x{:x}", self.random.next() >> self.random.below(64)),
        }
    }

    fn put(&mut self, text: &str) {
        self.text.write_str(text).expect("writing to memory does not fail");
    }
}
