//! The expressions of a C file as the user wrote them: what, where, of which type.
//!
//! Mutants come out of this tree. So each has an exact range in the source, and each is
//! a change that one could make in the source. libclang reads the file with the flags of
//! the compilation. What leaves this module is plain data: one tree for each function
//! that the file defines, and on demand for each that a header of the user's defines.
//!
//! Code that comes out of a macro is in the tree, because its types and precedences matter to what
//! is around it. But it is marked: it has no place of its own in the text. The exception is a macro
//! whose whole body is one number, such as `#define LIMIT 10`: its use is a literal like any other.

// libclang's constants are named as in C.
#![allow(non_upper_case_globals)]

mod fold;
mod integer;
mod libclang;
mod macros;
mod padding;
mod parsed_file;
mod place;
mod puns;
mod visit;

use std::collections::BTreeSet;
use std::ops::{Index, Range};
use std::path::{Path, PathBuf};

use source::{Position, Text};

pub(crate) use integer::{Integer, Rank};
pub(crate) use place::skip_space;

use crate::mutate::binary::Binary;

#[derive(Debug, thiserror::Error)]
pub enum AstError {
    #[error("cannot use libclang 19 ({tried}): install it (the package `libclang1-19`)")]
    NoLibclang { tried: String },
    #[error("libclang cannot read {file}: {message}")]
    DoesNotParse { file: String, message: String },
}

/// The functions that the file itself defines, in its order, then those of headers.
#[derive(Clone, Debug)]
pub(crate) struct Ast {
    pub functions: Vec<Function>,
    pub headers: Vec<Header>,
    pub declared: Declared,
}

/// What the module does not tell of what it only declares. By the names there, unless it is said otherwise.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Declared {
    /// All functions and variables that every function can use, by their names in C.
    pub names: BTreeSet<String>,
    /// Those in headers of the system.
    pub system: BTreeSet<String>,
    /// Those of the user with an inline body, which clang leaves to another file to compile.
    pub inline: BTreeSet<String>,
    /// Whether the memory of floats may be looked at as something else.
    pub puns: bool,
}

/// A header of the user's with functions that are mutated, too.
#[derive(Clone, Debug)]
pub(crate) struct Header {
    /// As the compiler opened it.
    pub path: PathBuf,
    /// For the user.
    pub name: String,
    pub text: Text,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct HeaderId(pub u32);

#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub name: String,
    /// Its name in the module.
    pub symbol: String,
    /// None: the file itself has it.
    pub header: Option<HeaderId>,
    /// No other file can name it.
    pub is_static: bool,
    /// The last component of the file's name in debug information: `#line` may change it.
    pub file: String,
    /// Uses of macros that are operands, in the order of the text.
    expansions: Vec<Expansion>,
    /// Children come after their parent.
    nodes: Vec<Node>,
}

/// The use of a macro, and what it stands for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Expansion {
    pub range: Range<usize>,
    pub pieces: Vec<Piece>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Piece {
    Token(String),
    /// The text there.
    Argument(Range<usize>),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct NodeId(u32);

#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub kind: NodeKind,
    /// Bytes of the file, or of the header.
    pub range: Range<usize>,
    /// Where debug information puts it: its start; for the declaration of a variable, the name.
    pub at: Option<Position>,
    /// The same in bytes of the file.
    pub offset: usize,
    /// None unless it is an integer (or an enumeration).
    pub integer: Option<Integer>,
    /// What it is if it is something else that C computes with.
    pub other: Option<Other>,
    /// The size of what it points to, if that is an object of a known size.
    pub pointee: Option<u64>,
    pub parent: Option<NodeId>,
    pub children: Vec<NodeId>,
    pub origin: Origin,
    /// None unless it names a struct with padding.
    pub copy: Option<StructCopy>,
}

/// How a copy of a struct looks that leaves out what no member covers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct StructCopy {
    /// Where debug information puts it.
    pub at: Position,
    /// The same in bytes of the file.
    pub offset: usize,
    /// In bytes.
    pub size: usize,
    /// The bytes that no member covers.
    pub gaps: Vec<Range<usize>>,
}

/// What C computes with, beside integers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Other {
    /// `float` or `double`, of this width.
    Float(u32),
    Pointer,
}

/// How far a node is the text that the reader sees.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Origin {
    /// Every token stands in the file, but for uses of macros that are an operand in themselves.
    Written,
    /// All of it comes out of one macro that is an operand in itself, such as `#define SUM (a + b)`.
    Operand,
    /// Some token comes out of another macro, which may end in the middle of an
    /// expression, or of another file.
    Tangled,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum NodeKind {
    /// `a + b`
    Binary {
        op: Binary,
        token: Option<Token>,
    },
    /// `a += b`
    Compound {
        op: Binary,
        token: Option<Token>,
    },
    /// `a = b`
    Assign {
        token: Option<Token>,
    },
    /// `a && b`, or `a || b`.
    Logical {
        and: bool,
        token: Option<Token>,
    },
    /// `a, b`
    Comma,
    /// `a++`, `--a`
    Increment {
        up: bool,
        token: Option<Token>,
    },
    /// `-a`, `!a`, `~a`
    Unary(Unary),
    /// The use of a variable or parameter.
    Variable,
    Literal(Literal),
    /// `"abc"`
    Text,
    /// `(a)`
    Paren,
    /// A conversion that the compiler inserted.
    Implicit,
    /// `(T) a`: the last child is `a`, the others belong to the type.
    Cast,
    /// `f(a, b)`: the first child is `f`.
    Call {
        symbol: Option<String>,
        /// The types of the arguments, after conversion.
        types: Vec<String>,
        /// It takes more arguments than it has parameters.
        variadic: bool,
    },
    /// `a ? b : c`
    Conditional,
    Return,
    Break,
    Continue,
    /// A local variable that has its initialiser as its last child, and is set when control comes by.
    Declaration {
        /// Clang puts the value of a constant in place of its uses, so that a
        /// change in the module would not be seen there.
        constant: bool,
    },
    /// `{a, b}`
    List,
    /// `.a = b`, `[a] = b`, `(T){b}`: the last child is the value, the others are constants or names.
    Designated,
    /// `for (…)`
    For,
    /// Another statement.
    Statement(Statement),
    /// Something whose operands are evaluated as they stand: `a[b]`, `a.b`,
    /// `*a`, `&a`, the list of a declaration.
    Plain,
    /// Anything else. What is inside may be evaluated when the program is compiled, or not at all.
    Other,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Unary {
    Minus,
    Not,
    Complement,
}

/// Statements by which of their children are statements themselves: their values are not used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Statement {
    /// `{ … }` and labels: all.
    Block,
    /// All but the first, which is the condition.
    If,
    /// The same.
    While,
    /// `do … while`: all but the last, which is the condition.
    Do,
    /// All but the first.
    Switch,
    /// The last; before it stands a constant, or the first and the last one of
    /// a range. Their values, if they are known.
    Case(Option<(i128, i128)>),
    /// `default: …`: the only one.
    Default,
}

/// The token of an operator.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Token {
    pub range: Range<usize>,
    pub at: Position,
}

/// A constant in the source. The node's type is its type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Literal {
    pub value: i128,
    pub form: LiteralForm,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum LiteralForm {
    /// As written, without the sign.
    Number(String),
    Character,
    Enumerator(String),
}

/// Reads the file. `flags` are those of the compilation.
pub(crate) fn parse(file: &Path, flags: &[String], with_headers: bool) -> Result<Ast, AstError> {
    visit::parse(file, flags, with_headers)
}

/// What a file declares.
pub(crate) fn declared(file: &Path, flags: &[String]) -> Result<Declared, AstError> {
    visit::declared(file, flags)
}

/// Has libclang do what it does once; whether it is there shows when it is used.
pub(crate) fn initialise() {
    libclang::initialise();
}

impl Ast {
    /// Calls functions what the module calls them, where `symbol` knows of another name.
    pub(crate) fn rename<'a>(&mut self, symbol: impl Fn(&str) -> Option<&'a String>) {
        for function in &mut self.functions {
            let calls = function.nodes.iter_mut().filter_map(|node| match &mut node.kind {
                NodeKind::Call { symbol, .. } => symbol.as_mut(),
                _ => None,
            });
            for name in calls.chain([&mut function.symbol]) {
                if let Some(other) = symbol(name) {
                    name.clone_from(other);
                }
            }
        }
    }

    /// The function of the file that has this byte in it.
    pub(crate) fn around(&self, offset: usize) -> Option<&Function> {
        let own = self.functions.iter().filter(|function| function.header.is_none());
        own.into_iter().find(|function| function.range().contains(&offset))
    }

    /// Moves all places in a file to the right on their lines, by so many columns as
    /// `by` says for an offset and a length: it is compiled with more text in it.
    pub(crate) fn shift(&mut self, header: Option<HeaderId>, by: impl Fn(usize, usize) -> u32) {
        let own = self.functions.iter_mut().filter(|function| function.header == header);
        for node in own.flat_map(|function| &mut function.nodes) {
            if let Some(at) = &mut node.at {
                at.column += by(node.offset, node.range.len());
            }
            if let Some(copy) = &mut node.copy {
                // The name of a member stands within the expression.
                let length = if copy.offset == node.offset { node.range.len() } else { 0 };
                copy.at.column += by(copy.offset, length);
            }
            if let NodeKind::Binary { token, .. }
            | NodeKind::Compound { token, .. }
            | NodeKind::Assign { token }
            | NodeKind::Logical { token, .. }
            | NodeKind::Increment { token, .. } = &mut node.kind
                && let Some(token) = token
            {
                token.at.column += by(token.range.start, 0);
            }
        }
    }
}

impl Function {
    /// All of it, in bytes of its file.
    pub(crate) fn range(&self) -> Range<usize> {
        self.nodes.first().map_or(0..0, |root| root.range.clone())
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.nodes.len() as u32).map(NodeId)
    }

    /// What the macro stands for that is used at exactly this place.
    pub(crate) fn expansion(&self, range: &Range<usize>) -> Option<&Expansion> {
        let at =
            self.expansions.binary_search_by_key(&range.start, |expansion| expansion.range.start).ok()?;
        (self.expansions[at].range == *range).then_some(&self.expansions[at])
    }

    pub(crate) fn parent(&self, id: NodeId) -> Option<NodeId> {
        self[id].parent
    }

    /// Whether it is a statement by itself, so that nobody uses its value. In `for (a; b; c) d`
    /// only `d` is one: which of the others a child is, the tree does not say.
    pub(crate) fn is_statement(&self, id: NodeId) -> bool {
        let Some(parent) = self.parent(id) else { return false };
        let node = &self[parent];
        let (is_first, is_last) = (node.children.first() == Some(&id), node.children.last() == Some(&id));
        match node.kind {
            NodeKind::Statement(Statement::Block | Statement::Default) => true,
            NodeKind::Statement(Statement::If | Statement::While | Statement::Switch) => !is_first,
            NodeKind::Statement(Statement::Do) => !is_last,
            NodeKind::For | NodeKind::Statement(Statement::Case(_)) => is_last,
            _ => false,
        }
    }

    /// The node under conversions that the compiler inserted.
    pub(crate) fn explicit(&self, mut id: NodeId) -> NodeId {
        while self[id].kind == NodeKind::Implicit {
            id = self[id].children[0];
        }
        id
    }

    /// The nearest node above that the user wrote, and the child of it that leads here.
    pub(crate) fn explicit_parent(&self, id: NodeId) -> Option<(NodeId, NodeId)> {
        let mut child = id;
        loop {
            let parent = self.parent(child)?;
            if self[parent].kind != NodeKind::Implicit {
                return Some((parent, child));
            }
            child = parent;
        }
    }
}

impl NodeId {
    /// Its place among all nodes of its function.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

impl Index<NodeId> for Function {
    type Output = Node;

    fn index(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }
}
