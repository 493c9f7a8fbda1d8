//! What lies between the members of a struct, where one is copied.
//!
//! C says that a copy of a struct need not copy what no member covers: an assignment, an argument, a result.
//! A call of `memcpy` copies all. Clang makes the same instruction of both, so the tree has to tell.

use std::ops::Range;

use clang_sys::*;

use super::StructCopy;
use super::parsed_file::{ParsedFile, ask};

/// Few structs have more bytes. Of larger ones, all is taken for copied.
const MOST: usize = 1 << 12;

impl ParsedFile {
    /// How a copy of this expression looks, if it names a struct with padding.
    pub(super) fn struct_copy(&self, cursor: CXCursor, in_file: &str) -> Option<StructCopy> {
        let names_object = matches!(
            cursor.kind,
            CXCursor_DeclRefExpr
                | CXCursor_MemberRefExpr
                | CXCursor_UnaryOperator
                | CXCursor_ArraySubscriptExpr
        );
        let of = self.canonical_type(cursor);
        if !names_object || of.kind != CXType_Record {
            return None;
        }
        let size = self.size(of).filter(|size| *size <= MOST)?;
        let mut is_covered = vec![false; size];
        self.cover(of, &mut is_covered)?;
        let gaps = runs(&is_covered);
        let place = ask!(self, clang_getCursorLocation(cursor));
        let (file, at) = self.debug_place(place);
        let offset = self.offset(place)?;
        (file == in_file && !gaps.is_empty()).then_some(StructCopy { at, offset, size, gaps })
    }

    fn size(&self, of: CXType) -> Option<usize> {
        usize::try_from(ask!(self, clang_Type_getSizeOf(of))).ok()
    }

    /// Marks the bytes that belong to members. None if that is not known.
    fn cover(&self, of: CXType, is_covered: &mut [bool]) -> Option<()> {
        let of = ask!(self, clang_getCanonicalType(of));
        match of.kind {
            CXType_ConstantArray => {
                let element = ask!(self, clang_getArrayElementType(of));
                let size = self.size(element)?.max(1);
                is_covered.chunks_mut(size).try_for_each(|part| self.cover(element, part))
            }
            CXType_Record => {
                let declaration = ask!(self, clang_getTypeDeclaration(of));
                // Any member of a union may be the one that has a value.
                if declaration.kind != CXCursor_StructDecl {
                    is_covered.fill(true);
                    return Some(());
                }
                self.children(declaration).into_iter().try_for_each(|it| self.cover_member(it, is_covered))
            }
            _ => {
                is_covered.fill(true);
                Some(())
            }
        }
    }

    fn cover_member(&self, member: CXCursor, is_covered: &mut [bool]) -> Option<()> {
        if member.kind != CXCursor_FieldDecl {
            let is_nameless = ask!(self, clang_Cursor_isAnonymousRecordDecl(member)) != 0;
            return (!is_nameless).then_some(());
        }
        let start = usize::try_from(ask!(self, clang_Cursor_getOffsetOfField(member))).ok()?;
        if let Ok(width) = usize::try_from(ask!(self, clang_getFieldDeclBitWidth(member))) {
            is_covered.get_mut(start / 8..(start + width).div_ceil(8))?.fill(true);
            return Some(());
        }
        let of = ask!(self, clang_getCursorType(member));
        // An array without a size has no elements here.
        let size = self.size(of).unwrap_or(0);
        self.cover(of, is_covered.get_mut(start / 8..start / 8 + size)?)
    }
}

/// Where nothing is covered.
fn runs(is_covered: &[bool]) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for at in (0..is_covered.len()).filter(|at| !is_covered[*at]) {
        match runs.last_mut().filter(|run| run.end == at) {
            Some(run) => run.end += 1,
            None => runs.push(at..at + 1),
        }
    }
    runs
}
