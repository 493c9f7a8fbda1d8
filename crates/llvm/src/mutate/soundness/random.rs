//! Random subjects for the soundness test.

use super::check;

/// Random subjects. What they avoid is undefined in a copy and folded by the compiler to whatever it
/// likes: constants that are shifted by too much, and the division of the least number by -1.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) % bound
    }

    fn pick<'t>(&mut self, from: &[&'t str]) -> &'t str {
        from[self.below(from.len() as u64) as usize]
    }

    fn variable(&mut self) -> String {
        self.pick(&["a", "b", "c", "d", "e"]).to_string()
    }

    /// A variable more often than a literal, which is at least 2 and a shift may take it.
    fn right(&mut self, depth: u32) -> String {
        match self.below(4) {
            0 => format!("{}{}", 2 + self.below(28), self.pick(&["", "u", "L", "ul", "LL"])),
            _ => self.expression(depth),
        }
    }

    fn expression(&mut self, depth: u32) -> String {
        if depth == 0 {
            return self.variable();
        }
        let left = self.expression(depth - 1);
        match self.below(16) {
            0..=3 => format!("{left} {} {}", self.pick(&["+", "-", "*", "/", "%"]), self.right(depth - 1)),
            // In parentheses, or `<< 13` could become a part of `<< 13 * 17`.
            4..=6 => {
                format!("({left}{}{})", self.pick(&["&", "|", "^", "<<", ">>"]), self.operand(depth - 1))
            }
            7 | 8 => {
                let than =
                    self.pick(&["-1", "0", "'a'", "-128", "255u", "2147483647", "0xffffffff", "-2147483648"]);
                format!("{left} {} {than}", self.pick(&["<", "<=", ">", ">=", "==", "!="]))
            }
            9 => {
                format!("{left} {} {}", self.pick(&["<", "<=", ">", ">=", "==", "!="]), self.right(depth - 1))
            }
            10 => format!("({left})"),
            11 => format!("({})({left})", self.pick(&TYPES)),
            12 => format!("{}({left})", self.pick(&["-", "~", "!", "- -", "(_Bool)"])),
            13 => format!("({left} {} {})", self.pick(&["&&", "||"]), self.right(depth - 1)),
            14 => format!("({left} ? {} : {})", self.right(depth - 1), self.right(depth - 1)),
            _ => format!("id({left})"),
        }
    }

    fn operand(&mut self, depth: u32) -> String {
        let operand = self.right(depth);
        if operand.len() > 4 { format!("({operand})") } else { operand }
    }

    fn statement(&mut self) -> String {
        let (to, value) = (self.variable(), self.right(2));
        match self.below(5) {
            0 => format!("{to} = {value};"),
            1 => format!("if ({value}) {to}{};", self.pick(&["++", "--"])),
            2 => format!("{to} {}= {value};", self.pick(&["&", "|", "^", "<<", ">>"])),
            _ => format!("{to} {}= {value};", self.pick(&["+", "-", "*", "/", "%"])),
        }
    }
}

const TYPES: [&str; 11] = [
    "_Bool",
    "char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned",
    "long",
    "unsigned long",
    "long long",
    "unsigned long long",
];

/// Enough to meet most pairs of types over time, few enough for a test.
const SUBJECTS: u64 = 8;

#[test]
fn random_subjects() {
    for seed in 1..=SUBJECTS {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let parameters = ["a", "b", "c"].map(|name| format!("{} {name}", random.pick(&TYPES))).join(", ");
        let (d, e) = (random.pick(&TYPES), random.pick(&TYPES));
        let mut body =
            format!("{d} d = {}; {e} e = {};\n", random.below(100), random.expression(0).replace('e', "b"));
        for _ in 0..4 {
            body += &format!("{}\n", random.statement());
        }
        body += &format!("return {};", random.expression(4));
        check(&parameters, "", &body);
    }
}
