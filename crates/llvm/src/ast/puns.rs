//! Whether a file looks at the memory of floats as something else.
//!
//! It may do so in two ways: through a pointer that was converted, or through another member of a union. Both
//! are seen in the types. The code that looks may be far away from the code that writes the float, so this is
//! asked of the whole file.
//!
//! A conversion of what an allocation returns is fine, and so is one for a function that copies or frees.

use std::collections::HashSet;

use clang_sys::*;

use super::parsed_file::{ParsedFile, ask};

/// They return memory in which nothing is stored.
const ALLOCATE: &[&str] = &["malloc", "calloc", "realloc", "reallocarray", "aligned_alloc", "alloca"];

/// They look at no bits.
const DISCARD: &[&str] = &["free", "realloc", "reallocarray", "memset", "bzero"];

/// They move all bits to another place. What is there tells how they are looked at.
const COPY: &[&str] = &["memcpy", "memmove", "mempcpy", "bcopy"];

impl ParsedFile {
    /// Whether anything outside of the system's headers may look at bits of floats.
    pub(super) fn has_puns(&self, top: &[CXCursor]) -> bool {
        top.iter().any(|cursor| !self.is_of_system(*cursor) && self.has_pun(*cursor))
    }

    fn has_pun(&self, cursor: CXCursor) -> bool {
        let mut open = vec![cursor];
        while let Some(cursor) = open.pop() {
            let children = self.children(cursor);
            let is_pun = match cursor.kind {
                CXCursor_UnionDecl => self.mixes(ask!(self, clang_getCursorType(cursor))),
                CXCursor_UnexposedExpr | CXCursor_CStyleCastExpr => {
                    children.last().is_some_and(|from| self.converts(*from, cursor))
                }
                CXCursor_CallExpr => {
                    let name = self.name(cursor);
                    let is = |names: &[&str]| names.iter().any(|known| plain(&name) == *known);
                    if is(DISCARD) || is(COPY) && self.copies_alike(&children) {
                        // What the arguments are made of may still look at bits.
                        open.extend(children.iter().map(|argument| self.unconverted(*argument)));
                        continue;
                    }
                    false
                }
                _ => false,
            };
            if is_pun {
                return true;
            }
            open.extend(children);
        }
        false
    }

    /// Whether a conversion lets somebody look at floats as something else, or write floats elsewhere.
    fn converts(&self, from: CXCursor, to: CXCursor) -> bool {
        let (Some(old), Some(new)) = (self.pointee_type(from), self.pointee_type(to)) else { return false };
        !self.is_alike(old, new) && !self.is_fresh(from)
    }

    /// Whether a pointer leads to what an allocation has just made, or is null.
    fn is_fresh(&self, pointer: CXCursor) -> bool {
        let mut pointer = pointer;
        loop {
            match pointer.kind {
                CXCursor_CallExpr => return ALLOCATE.contains(&plain(&self.name(pointer))),
                CXCursor_IntegerLiteral => return true,
                CXCursor_ParenExpr | CXCursor_UnexposedExpr | CXCursor_CStyleCastExpr => {
                    let Some(inner) = self.children(pointer).pop() else { return false };
                    pointer = inner;
                }
                _ => return false,
            }
        }
    }

    /// Whether a call copies between places for the same things.
    fn copies_alike(&self, children: &[CXCursor]) -> bool {
        let [_, to, from, ..] = children else { return false };
        let of = |argument: &CXCursor| self.pointee_type(self.unconverted(*argument));
        of(to).zip(of(from)).is_some_and(|(to, from)| self.is_alike(to, from))
    }

    /// An expression before it is converted for its surroundings.
    fn unconverted(&self, expression: CXCursor) -> CXCursor {
        let mut expression = expression;
        while expression.kind == CXCursor_UnexposedExpr {
            let inner = self.children(expression).pop();
            let Some(inner) = inner.filter(|inner| self.pointee_type(*inner).is_some()) else { break };
            expression = inner;
        }
        expression
    }

    /// Whether two types have no floats, or the same ones in the same places.
    fn is_alike(&self, one: CXType, other: CXType) -> bool {
        let [one, other] = [one, other].map(|of| self.unqualified(of));
        if one.kind == CXType_Pointer && other.kind == CXType_Pointer {
            let [one, other] = [one, other].map(|of| ask!(self, clang_getPointeeType(of)));
            return self.is_alike(one, other);
        }
        if ask!(self, clang_equalTypes(one, other)) != 0 {
            return true;
        }
        let [one, other] = [one, other].map(|of| self.scalars(of));
        let has_floats = |scalars: &HashSet<CXTypeKind>| scalars.iter().any(is_float);
        one == other && one.len() == 1 || !has_floats(&one) && !has_floats(&other)
    }

    /// Whether a union has a float in one member, and something else in another.
    fn mixes(&self, of: CXType) -> bool {
        let scalars = self.scalars(of);
        scalars.len() > 1 && scalars.iter().any(is_float)
    }

    /// The type of what a pointer leads to, or of the elements of an array.
    fn pointee_type(&self, expression: CXCursor) -> Option<CXType> {
        let of = ask!(self, clang_getCursorType(expression));
        let of = ask!(self, clang_getCanonicalType(of));
        match of.kind {
            CXType_Pointer => Some(ask!(self, clang_getPointeeType(of))),
            CXType_ConstantArray | CXType_IncompleteArray | CXType_VariableArray => {
                Some(ask!(self, clang_getArrayElementType(of)))
            }
            _ => None,
        }
    }

    /// A type without the names that the file gives to it, and without `const` and the like.
    fn unqualified(&self, of: CXType) -> CXType {
        let of = ask!(self, clang_getCanonicalType(of));
        ask!(self, clang_getUnqualifiedType(of))
    }

    /// The kinds of scalars that a type is made of.
    fn scalars(&self, of: CXType) -> HashSet<CXTypeKind> {
        let (mut found, mut open) = (HashSet::new(), vec![of]);
        while let Some(of) = open.pop() {
            let of = ask!(self, clang_getCanonicalType(of));
            match of.kind {
                CXType_ConstantArray | CXType_IncompleteArray | CXType_VariableArray => {
                    open.push(ask!(self, clang_getArrayElementType(of)));
                }
                CXType_Record => {
                    let declaration = ask!(self, clang_getTypeDeclaration(of));
                    let fields = self.children(declaration).into_iter();
                    let fields = fields.filter(|child| child.kind == CXCursor_FieldDecl);
                    open.extend(fields.map(|field| ask!(self, clang_getCursorType(field))));
                }
                kind => {
                    found.insert(kind);
                }
            }
        }
        found
    }
}

fn is_float(kind: &CXTypeKind) -> bool {
    matches!(*kind, CXType_Float | CXType_Double)
}

/// The name of a function of the library without the prefix of the compiler's own.
fn plain(name: &str) -> &str {
    name.strip_prefix("__builtin_").unwrap_or(name)
}
