//! From libclang's cursors to our tree.

use std::collections::HashSet;
use std::ops::Range;
use std::path::Path;

use clang_sys::*;
use source::Text;

use super::libclang;
use super::macros::Macros;
use super::parsed_file::{ParsedFile, ask};
use super::{
    Ast, AstError, Declared, Function, Header, HeaderId, Literal, LiteralForm, Node, NodeId, NodeKind,
    Origin, Statement, Token, Unary, fold, place,
};
use crate::mutate::binary::Binary;
use crate::sources;

pub(super) fn parse(file: &Path, flags: &[String], with_headers: bool) -> Result<Ast, AstError> {
    let libclang = libclang::load()?;
    let unit = ParsedFile::new(libclang, file, flags)?;
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
    let unit = ParsedFile::new(libclang::load()?, file, flags)?;
    Ok(unit.declared(&unit.children(unit.root())))
}

impl ParsedFile {
    fn declared(&self, top: &[CXCursor]) -> Declared {
        let mut declared = Declared { puns: self.has_puns(top), ..Declared::default() };
        let is_declaration =
            |cursor: &&CXCursor| matches!(cursor.kind, CXCursor_FunctionDecl | CXCursor_VarDecl);
        declared.names = top.iter().filter(is_declaration).map(|cursor| self.name(*cursor)).collect();
        for cursor in top.iter().copied().filter(|cursor| cursor.kind == CXCursor_FunctionDecl) {
            let symbol = || self.libclang.text(ask!(self, clang_Cursor_getMangling(cursor)));
            if self.is_of_system(cursor) {
                declared.system.insert(symbol());
            } else if self.is_definition(cursor)
                && ask!(self, clang_Cursor_isFunctionInlined(cursor)) != 0
                && ask!(self, clang_Cursor_getStorageClass(cursor)) != CX_SC_Static
            {
                declared.inline.insert(symbol());
            }
        }
        declared
    }

    /// The user's headers that define functions, in the order of the first ones.
    fn headers(&self, top: &[CXCursor]) -> Vec<ParsedFile> {
        let mut files: Vec<CXFile> = Vec::new();
        for cursor in top.iter().filter(|cursor| self.is_definition(**cursor)) {
            let file = self.header(*cursor);
            files.extend(file.filter(|file| !files.iter().any(|known| self.is_same(*known, *file))));
        }
        files.into_iter().filter_map(|file| self.of_header(file)).collect()
    }

    /// The functions that are defined in this file. A text that is read several times, and
    /// defines another function each time, is left alone: a change in it would change them all.
    fn functions(&self, top: &[CXCursor], header: Option<HeaderId>) -> Vec<Function> {
        let macros = Macros::new(self, top);
        let own: Vec<(CXCursor, Range<usize>)> = top
            .iter()
            .filter(|cursor| self.is_definition(**cursor))
            .filter_map(|cursor| Some((*cursor, self.range(*cursor)?)))
            .collect();
        let mut sorted: Vec<&Range<usize>> = own.iter().map(|(_, range)| range).collect();
        sorted.sort_by_key(|range| (range.start, range.end));
        // By their starts; what reaches into another one is not alone, and neither is the other.
        let mut crowded: HashSet<usize> = HashSet::new();
        let mut last: Option<&Range<usize>> = None;
        for range in sorted {
            if let Some(before) = last.filter(|before| range.start < before.end) {
                crowded.extend([before.start, range.start]);
            }
            last = last.filter(|before| before.end > range.end).or(Some(range));
        }
        own.iter()
            .filter(|(_, range)| !range.is_empty() && !crowded.contains(&range.start))
            .map(|(cursor, _)| Function { header, ..self.function(*cursor, &macros) })
            .collect()
    }

    fn is_definition(&self, cursor: CXCursor) -> bool {
        cursor.kind == CXCursor_FunctionDecl && ask!(self, clang_isCursorDefinition(cursor)) != 0
    }

    fn function(&self, cursor: CXCursor, macros: &Macros) -> Function {
        let (file, _) = self.debug_place(ask!(self, clang_getCursorLocation(cursor)));
        let symbol = self.libclang.text(ask!(self, clang_Cursor_getMangling(cursor)));
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
        let is_static = ask!(self, clang_Cursor_getStorageClass(cursor)) == CX_SC_Static;
        let mut function = Function { name, symbol, header: None, is_static, file, expansions, nodes };
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
            NodeKind::Declaration { .. } => ask!(self, clang_getCursorLocation(cursor)),
            _ => {
                let extent = ask!(self, clang_getCursorExtent(cursor));
                ask!(self, clang_getRangeStart(extent))
            }
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
            copy: self.struct_copy(cursor, file),
        }
    }

    fn kind(&self, cursor: CXCursor, children: &[CXCursor]) -> NodeKind {
        match cursor.kind {
            CXCursor_BinaryOperator | CXCursor_CompoundAssignOperator => self.binary(cursor),
            CXCursor_UnaryOperator => self.unary(cursor),
            CXCursor_DeclRefExpr => {
                let declaration = ask!(self, clang_getCursorReferenced(cursor));
                match declaration.kind {
                    CXCursor_VarDecl | CXCursor_ParmDecl => NodeKind::Variable,
                    CXCursor_EnumConstantDecl => NodeKind::Literal(Literal {
                        value: ask!(self, clang_getEnumConstantDeclValue(declaration)).into(),
                        form: LiteralForm::Enumerator(self.name(cursor)),
                    }),
                    _ => NodeKind::Other,
                }
            }
            CXCursor_IntegerLiteral => {
                let range = self.range(cursor).unwrap_or(0..0);
                let text = String::from_utf8_lossy(&self.text[range]).into_owned();
                self.value(cursor).map_or(NodeKind::Other, |value| {
                    NodeKind::Literal(Literal { value, form: LiteralForm::Number(text) })
                })
            }
            CXCursor_CharacterLiteral => self.value(cursor).map_or(NodeKind::Other, |value| {
                NodeKind::Literal(Literal { value, form: LiteralForm::Character })
            }),
            CXCursor_ParenExpr if children.len() == 1 => NodeKind::Paren,
            CXCursor_UnexposedExpr
                if children.len() == 1 && self.range(cursor) == self.range(children[0]) =>
            {
                NodeKind::Implicit
            }
            CXCursor_UnexposedExpr if self.begins_with(cursor, b".[") => NodeKind::Designated,
            CXCursor_CompoundLiteralExpr => NodeKind::Designated,
            CXCursor_InitListExpr => NodeKind::List,
            CXCursor_CStyleCastExpr => NodeKind::Cast,
            CXCursor_CallExpr => {
                let callee = ask!(self, clang_getCursorReferenced(cursor));
                let symbol = (callee.kind == CXCursor_FunctionDecl)
                    .then(|| self.libclang.text(ask!(self, clang_Cursor_getMangling(callee))));
                let types = children.iter().skip(1).map(|argument| self.type_name(*argument)).collect();
                NodeKind::Call { symbol, types, variadic: self.is_variadic(children) }
            }
            CXCursor_StringLiteral => NodeKind::Text,
            CXCursor_ArraySubscriptExpr | CXCursor_MemberRefExpr | CXCursor_DeclStmt => NodeKind::Plain,
            CXCursor_ConditionalOperator if children.len() == 3 => NodeKind::Conditional,
            CXCursor_ReturnStmt => NodeKind::Return,
            CXCursor_BreakStmt => NodeKind::Break,
            CXCursor_ContinueStmt => NodeKind::Continue,
            CXCursor_VarDecl if self.is_set_by_control(cursor, children) => {
                let of = ask!(self, clang_getCursorType(cursor));
                NodeKind::Declaration { constant: ask!(self, clang_isConstQualifiedType(of)) != 0 }
            }
            CXCursor_ForStmt => NodeKind::For,
            CXCursor_CompoundStmt | CXCursor_LabelStmt => NodeKind::Statement(Statement::Block),
            CXCursor_DefaultStmt => NodeKind::Statement(Statement::Default),
            CXCursor_IfStmt => NodeKind::Statement(Statement::If),
            CXCursor_WhileStmt => NodeKind::Statement(Statement::While),
            CXCursor_SwitchStmt => NodeKind::Statement(Statement::Switch),
            CXCursor_CaseStmt => {
                let values = match children {
                    [only, _] => self.value(*only).map(|value| (value, value)),
                    [first, last, _] => self.value(*first).zip(self.value(*last)),
                    _ => None,
                };
                NodeKind::Statement(Statement::Case(values))
            }
            CXCursor_DoStmt => NodeKind::Statement(Statement::Do),
            _ => NodeKind::Other,
        }
    }

    fn unary(&self, cursor: CXCursor) -> NodeKind {
        match ask!(self, clang_getCursorUnaryOperatorKind(cursor)) {
            CXUnaryOperator_PostInc | CXUnaryOperator_PreInc => NodeKind::Increment { up: true, token: None },
            CXUnaryOperator_PostDec | CXUnaryOperator_PreDec => {
                NodeKind::Increment { up: false, token: None }
            }
            CXUnaryOperator_Minus => NodeKind::Unary(Unary::Minus),
            CXUnaryOperator_LNot => NodeKind::Unary(Unary::Not),
            CXUnaryOperator_Not => NodeKind::Unary(Unary::Complement),
            CXUnaryOperator_Deref | CXUnaryOperator_AddrOf | CXUnaryOperator_Plus => NodeKind::Plain,
            _ => NodeKind::Other,
        }
    }

    fn binary(&self, cursor: CXCursor) -> NodeKind {
        let token = None;
        let op = match ask!(self, clang_getCursorBinaryOperatorKind(cursor)) {
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
            CXBinaryOperator_LAnd => return NodeKind::Logical { and: true, token },
            CXBinaryOperator_LOr => return NodeKind::Logical { and: false, token },
            CXBinaryOperator_Assign => return NodeKind::Assign { token },
            CXBinaryOperator_Comma => return NodeKind::Comma,
            _ => return NodeKind::Other,
        };
        if cursor.kind == CXCursor_CompoundAssignOperator {
            return NodeKind::Compound { op, token };
        }
        NodeKind::Binary { op, token }
    }

    /// A local variable with an initialiser.
    fn is_set_by_control(&self, cursor: CXCursor, children: &[CXCursor]) -> bool {
        let storage = ask!(self, clang_Cursor_getStorageClass(cursor));
        let initialiser = ask!(self, clang_Cursor_getVarDeclInitializer(cursor));
        let is_last = |child: &CXCursor| ask!(self, clang_equalCursors(*child, initialiser)) != 0;
        matches!(storage, CX_SC_None | CX_SC_Auto | CX_SC_Register) && children.last().is_some_and(is_last)
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
                NodeKind::Binary { op, .. } => op.token().to_string(),
                NodeKind::Compound { op, .. } => format!("{}=", op.token()),
                NodeKind::Assign { .. } => "=".to_string(),
                NodeKind::Logical { and: true, .. } => "&&".to_string(),
                NodeKind::Logical { and: false, .. } => "||".to_string(),
                NodeKind::Increment { up: true, .. } => "++".to_string(),
                NodeKind::Increment { up: false, .. } => "--".to_string(),
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
            if let NodeKind::Binary { token, .. }
            | NodeKind::Compound { token, .. }
            | NodeKind::Assign { token }
            | NodeKind::Logical { token, .. }
            | NodeKind::Increment { token, .. } = &mut function.nodes[at].kind
            {
                *token = found;
            }
        }
    }

    fn token(&self, range: Range<usize>, file: &str) -> Option<Token> {
        let location = ask!(self, clang_getLocationForOffset(self.handle, self.file, range.start as u32));
        let (in_file, at) = self.debug_place(location);
        (in_file == file).then_some(Token { range, at })
    }
}
