//! From libclang's cursors to our tree.

use std::ops::Range;
use std::path::Path;

use clang_sys::*;
use source::Text;

use super::libclang;
use super::macros::Macros;
use super::unit::Unit;
use super::{
    Ast, AstError, Declared, Form, Function, Header, HeaderId, Kind, Literal, Node, NodeId, Origin,
    Statement, Token, Unary, fold, place,
};
use crate::mutate::operators::Binary;
use crate::sources;

pub(super) fn parse(file: &Path, flags: &[String], with_headers: bool) -> Result<Ast, AstError> {
    let libclang = libclang::load()?;
    let unit = Unit::new(libclang, file, flags)?;
    let top = unit.children(unit.root());
    let declared = unit.declared(&top);
    let mut ast = Ast { functions: unit.functions(&top, None), headers: vec![], declared };
    if with_headers {
        for header in unit.headers(&top) {
            let id = HeaderId(ast.headers.len() as u32);
            ast.functions.extend(header.functions(&top, Some(id)));
            let (path, text) = (header.path(), Text::new(header.text.clone()));
            ast.headers.push(Header { name: sources::name(&path), path, text });
        }
    }
    Ok(ast)
}

pub(super) fn declared(file: &Path, flags: &[String]) -> Result<Declared, AstError> {
    let unit = Unit::new(libclang::load()?, file, flags)?;
    Ok(unit.declared(&unit.children(unit.root())))
}

impl Unit {
    fn declared(&self, top: &[CXCursor]) -> Declared {
        let mut declared = Declared::default();
        for cursor in top.iter().copied().filter(|cursor| cursor.kind == CXCursor_FunctionDecl) {
            let libclang = self.libclang;
            let symbol = || libclang.text(unsafe { (libclang.clang_Cursor_getMangling)(cursor) });
            if self.is_of_system(cursor) {
                declared.system.insert(symbol());
            } else if self.is_definition(cursor)
                && unsafe { (libclang.clang_Cursor_isFunctionInlined)(cursor) } != 0
                && unsafe { (libclang.clang_Cursor_getStorageClass)(cursor) } != CX_SC_Static
            {
                declared.inline.insert(symbol());
            }
        }
        declared
    }

    /// The user's headers that define functions, in the order of the first ones.
    fn headers(&self, top: &[CXCursor]) -> Vec<Unit> {
        let mut files: Vec<CXFile> = Vec::new();
        for cursor in top.iter().filter(|cursor| self.is_definition(**cursor)) {
            let file = self.header(*cursor);
            files.extend(file.filter(|file| !files.iter().any(|known| self.is_same(*known, *file))));
        }
        files.into_iter().filter_map(|file| self.of_header(file)).collect()
    }

    /// The functions that are defined in this file. A text that is read several times, and defines another function each time,
    /// is left alone: a change in it would change them all.
    fn functions(&self, top: &[CXCursor], header: Option<HeaderId>) -> Vec<Function> {
        let macros = Macros::new(self, top);
        let own: Vec<(CXCursor, Range<usize>)> = top
            .iter()
            .filter(|cursor| self.is_definition(**cursor))
            .filter_map(|cursor| Some((*cursor, self.range(*cursor)?)))
            .collect();
        let is_single = |range: &Range<usize>| {
            own.iter().filter(|(_, other)| other.start < range.end && range.start < other.end).count() == 1
        };
        own.iter()
            .filter(|(_, range)| is_single(range))
            .map(|(cursor, _)| Function { header, ..self.function(*cursor, &macros) })
            .collect()
    }

    fn is_definition(&self, cursor: CXCursor) -> bool {
        cursor.kind == CXCursor_FunctionDecl
            && unsafe { (self.libclang.clang_isCursorDefinition)(cursor) } != 0
    }

    fn function(&self, cursor: CXCursor, macros: &Macros) -> Function {
        let (file, _) = self.debug_place(unsafe { (self.libclang.clang_getCursorLocation)(cursor) });
        let symbol = self.libclang.text(unsafe { (self.libclang.clang_Cursor_getMangling)(cursor) });
        let mut nodes: Vec<Node> = Vec::new();
        // A stack of our own: long sums nest deeper than the machine's stack likes.
        let mut open: Vec<(CXCursor, Option<NodeId>)> = vec![(cursor, None)];
        while let Some((cursor, parent)) = open.pop() {
            let id = NodeId(nodes.len() as u32);
            let children = self.children(cursor);
            nodes.push(self.node(cursor, parent, &children, &file, macros));
            if let Some(parent) = parent {
                nodes[parent.0 as usize].children.push(id);
            }
            open.extend(children.into_iter().rev().map(|child| (child, Some(id))));
        }
        let expansions = self.range(cursor).map_or(vec![], |range| macros.expansions(&range));
        let name = self.name(cursor);
        let mut function = Function { name, symbol, header: None, file, expansions, nodes };
        self.find_tokens(&mut function);
        fold::fold(&mut function, macros);
        function
    }

    fn node(
        &self,
        cursor: CXCursor,
        parent: Option<NodeId>,
        children: &[CXCursor],
        file: &str,
        macros: &Macros,
    ) -> Node {
        let kind = self.kind(cursor, children);
        let range = self.range(cursor);
        let origin = range.as_ref().map_or(Origin::Tangled, |range| macros.origin(range));
        let start = match kind {
            Kind::Declaration { .. } => unsafe { (self.libclang.clang_getCursorLocation)(cursor) },
            _ => unsafe {
                (self.libclang.clang_getRangeStart)((self.libclang.clang_getCursorExtent)(cursor))
            },
        };
        let (in_file, position) = self.debug_place(start);
        Node {
            kind,
            range: range.unwrap_or(0..0),
            at: (in_file == file).then_some(position),
            offset: self.offset(start).unwrap_or(0),
            integer: self.integer(cursor),
            other: self.other(cursor),
            pointee: self.pointee(cursor),
            parent,
            children: Vec::new(),
            origin,
        }
    }

    fn kind(&self, cursor: CXCursor, children: &[CXCursor]) -> Kind {
        match cursor.kind {
            CXCursor_BinaryOperator | CXCursor_CompoundAssignOperator => self.binary(cursor),
            CXCursor_UnaryOperator => match unsafe {
                (self.libclang.clang_getCursorUnaryOperatorKind)(cursor)
            } {
                CXUnaryOperator_PostInc | CXUnaryOperator_PreInc => Kind::Increment { up: true, token: None },
                CXUnaryOperator_PostDec | CXUnaryOperator_PreDec => {
                    Kind::Increment { up: false, token: None }
                }
                CXUnaryOperator_Minus => Kind::Unary(Unary::Minus),
                CXUnaryOperator_LNot => Kind::Unary(Unary::Not),
                CXUnaryOperator_Not => Kind::Unary(Unary::Complement),
                CXUnaryOperator_Deref | CXUnaryOperator_AddrOf | CXUnaryOperator_Plus => Kind::Plain,
                _ => Kind::Other,
            },
            CXCursor_DeclRefExpr => {
                let declaration = unsafe { (self.libclang.clang_getCursorReferenced)(cursor) };
                match declaration.kind {
                    CXCursor_VarDecl | CXCursor_ParmDecl => Kind::Variable,
                    CXCursor_EnumConstantDecl => Kind::Literal(Literal {
                        value: unsafe { (self.libclang.clang_getEnumConstantDeclValue)(declaration) }.into(),
                        form: Form::Enumerator(self.name(cursor)),
                    }),
                    _ => Kind::Other,
                }
            }
            CXCursor_IntegerLiteral => {
                let range = self.range(cursor).unwrap_or(0..0);
                let text = String::from_utf8_lossy(&self.text[range]).into_owned();
                self.value(cursor)
                    .map_or(Kind::Other, |value| Kind::Literal(Literal { value, form: Form::Number(text) }))
            }
            CXCursor_CharacterLiteral => self
                .value(cursor)
                .map_or(Kind::Other, |value| Kind::Literal(Literal { value, form: Form::Character })),
            CXCursor_ParenExpr if children.len() == 1 => Kind::Paren,
            CXCursor_UnexposedExpr
                if children.len() == 1 && self.range(cursor) == self.range(children[0]) =>
            {
                Kind::Implicit
            }
            CXCursor_UnexposedExpr if self.begins_with(cursor, b".[") => Kind::Designated,
            CXCursor_InitListExpr => Kind::List,
            CXCursor_CStyleCastExpr => Kind::Cast,
            CXCursor_CallExpr => {
                let callee = unsafe { (self.libclang.clang_getCursorReferenced)(cursor) };
                let symbol = (callee.kind == CXCursor_FunctionDecl)
                    .then(|| self.libclang.text(unsafe { (self.libclang.clang_Cursor_getMangling)(callee) }));
                let types = children.iter().skip(1).map(|argument| self.type_name(*argument)).collect();
                Kind::Call { symbol, types, variadic: self.is_variadic(children) }
            }
            CXCursor_StringLiteral => Kind::Text,
            CXCursor_ArraySubscriptExpr | CXCursor_MemberRefExpr | CXCursor_DeclStmt => Kind::Plain,
            CXCursor_CompoundLiteralExpr => Kind::Plain,
            CXCursor_ConditionalOperator if children.len() == 3 => Kind::Conditional,
            CXCursor_ReturnStmt => Kind::Return,
            CXCursor_BreakStmt => Kind::Break,
            CXCursor_ContinueStmt => Kind::Continue,
            CXCursor_VarDecl if self.is_set_by_control(cursor, children) => {
                let of = unsafe { (self.libclang.clang_getCursorType)(cursor) };
                Kind::Declaration { constant: unsafe { (self.libclang.clang_isConstQualifiedType)(of) } != 0 }
            }
            CXCursor_ForStmt => Kind::For,
            CXCursor_CompoundStmt | CXCursor_LabelStmt => Kind::Statement(Statement::Block),
            CXCursor_DefaultStmt => Kind::Statement(Statement::Default),
            CXCursor_IfStmt => Kind::Statement(Statement::If),
            CXCursor_WhileStmt => Kind::Statement(Statement::While),
            CXCursor_SwitchStmt => Kind::Statement(Statement::Switch),
            CXCursor_CaseStmt => {
                let values = match children {
                    [only, _] => self.value(*only).map(|value| (value, value)),
                    [first, last, _] => self.value(*first).zip(self.value(*last)),
                    _ => None,
                };
                Kind::Statement(Statement::Case(values))
            }
            CXCursor_DoStmt => Kind::Statement(Statement::Do),
            _ => Kind::Other,
        }
    }

    fn binary(&self, cursor: CXCursor) -> Kind {
        let token = None;
        let op = match unsafe { (self.libclang.clang_getCursorBinaryOperatorKind)(cursor) } {
            CXBinaryOperator_Mul | CXBinaryOperator_MulAssign => Binary::Mul,
            CXBinaryOperator_Div | CXBinaryOperator_DivAssign => Binary::Div,
            CXBinaryOperator_Rem | CXBinaryOperator_RemAssign => Binary::Rem,
            CXBinaryOperator_Add | CXBinaryOperator_AddAssign => Binary::Add,
            CXBinaryOperator_Sub | CXBinaryOperator_SubAssign => Binary::Sub,
            CXBinaryOperator_Shl | CXBinaryOperator_ShlAssign => Binary::Shl,
            CXBinaryOperator_Shr | CXBinaryOperator_ShrAssign => Binary::Shr,
            CXBinaryOperator_And | CXBinaryOperator_AndAssign => Binary::And,
            CXBinaryOperator_Xor | CXBinaryOperator_XorAssign => Binary::Xor,
            CXBinaryOperator_Or | CXBinaryOperator_OrAssign => Binary::Or,
            CXBinaryOperator_LT => Binary::Lt,
            CXBinaryOperator_GT => Binary::Gt,
            CXBinaryOperator_LE => Binary::Le,
            CXBinaryOperator_GE => Binary::Ge,
            CXBinaryOperator_EQ => Binary::Eq,
            CXBinaryOperator_NE => Binary::Ne,
            CXBinaryOperator_LAnd => return Kind::Logical { and: true, token },
            CXBinaryOperator_LOr => return Kind::Logical { and: false, token },
            CXBinaryOperator_Assign => return Kind::Assign { token },
            CXBinaryOperator_Comma => return Kind::Comma,
            _ => return Kind::Other,
        };
        if cursor.kind == CXCursor_CompoundAssignOperator {
            return Kind::Compound { op, token };
        }
        Kind::Binary { op, token }
    }

    /// A local variable with an initialiser.
    fn is_set_by_control(&self, cursor: CXCursor, children: &[CXCursor]) -> bool {
        unsafe {
            let storage = (self.libclang.clang_Cursor_getStorageClass)(cursor);
            let initialiser = (self.libclang.clang_Cursor_getVarDeclInitializer)(cursor);
            let is_last = |child: &CXCursor| (self.libclang.clang_equalCursors)(*child, initialiser) != 0;
            matches!(storage, CX_SC_None | CX_SC_Auto | CX_SC_Register)
                && children.last().is_some_and(is_last)
        }
    }

    /// Whether its text begins with one of these.
    fn begins_with(&self, cursor: CXCursor, bytes: &[u8]) -> bool {
        self.range(cursor)
            .and_then(|range| self.text.get(range.start))
            .is_some_and(|first| bytes.contains(first))
    }

    fn find_tokens(&self, function: &mut Function) {
        for at in 0..function.nodes.len() {
            let node = &function.nodes[at];
            let spelling = match &node.kind {
                Kind::Binary { op, .. } => op.token().to_string(),
                Kind::Compound { op, .. } => format!("{}=", op.token()),
                Kind::Assign { .. } => "=".to_string(),
                Kind::Logical { and: true, .. } => "&&".to_string(),
                Kind::Logical { and: false, .. } => "||".to_string(),
                Kind::Increment { up: true, .. } => "++".to_string(),
                Kind::Increment { up: false, .. } => "--".to_string(),
                _ => continue,
            };
            let range = match node.children[..] {
                [left, right] => {
                    let (left, right) = (function[left].range.end, function[right].range.start);
                    place::token_between(&self.text, &spelling, left, right)
                }
                [only] => {
                    let only = &function[only].range;
                    place::token_between(&self.text, &spelling, node.range.start, only.start)
                        .or_else(|| place::token_at_end(&self.text, &spelling, only.end, node.range.end))
                }
                _ => None,
            };
            let found = range.and_then(|range| self.token(range, &function.file));
            if let Kind::Binary { token, .. }
            | Kind::Compound { token, .. }
            | Kind::Assign { token }
            | Kind::Logical { token, .. }
            | Kind::Increment { token, .. } = &mut function.nodes[at].kind
            {
                *token = found;
            }
        }
    }

    fn token(&self, range: Range<usize>, file: &str) -> Option<Token> {
        let location =
            unsafe { (self.libclang.clang_getLocationForOffset)(self.handle, self.file, range.start as u32) };
        let (in_file, at) = self.debug_place(location);
        (in_file == file).then_some(Token { range, at })
    }
}
