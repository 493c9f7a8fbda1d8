//! A file that libclang has read, and what can be asked about its cursors.

use std::ffi::{CString, c_char, c_int};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::ptr;
use std::rc::Rc;

use clang_sys::*;
use source::Position;

use super::libclang::Libclang;
use super::{AstError, Integer, Other};
use crate::clang::LENIENT;

/// A file that libclang has read, or a header of it.
pub(super) struct Unit {
    pub(super) libclang: &'static Libclang,
    tree: Rc<Tree>,
    pub(super) handle: CXTranslationUnit,
    /// Ranges and offsets are of this file, and so is the text.
    pub(super) file: CXFile,
    pub(super) text: Vec<u8>,
}

/// What libclang keeps for us.
struct Tree {
    libclang: &'static Libclang,
    index: CXIndex,
    handle: CXTranslationUnit,
}

impl Drop for Tree {
    fn drop(&mut self) {
        // SAFETY: both are ours, and nothing that came out of them outlives us.
        unsafe {
            if !self.handle.is_null() {
                (self.libclang.clang_disposeTranslationUnit)(self.handle);
            }
            (self.libclang.clang_disposeIndex)(self.index);
        }
    }
}

impl Unit {
    pub(super) fn new(libclang: &'static Libclang, file: &Path, flags: &[String]) -> Result<Unit, AstError> {
        let failed = |message: &str| AstError::DoesNotParse {
            file: file.display().to_string(),
            message: message.into(),
        };
        let c_string = |text: &str| CString::new(text).map_err(|_| failed("a flag contains a zero byte"));
        let name = c_string(&file.to_string_lossy())?;
        let flags = ["clang"].iter().chain(LENIENT).copied().chain(flags.iter().map(String::as_str));
        // `-O0` after the user's flags, as in the compilation: `__OPTIMIZE__` must not differ.
        let flags: Vec<CString> =
            flags.chain(["-w", "-x", "c", "-O0"]).map(c_string).collect::<Result<_, AstError>>()?;
        let flags: Vec<*const c_char> = flags.iter().map(|flag| flag.as_ptr()).collect::<Vec<_>>();
        // SAFETY: the strings outlive the call; libclang copies what it keeps.
        unsafe {
            let index = (libclang.clang_createIndex)(0, 0);
            let mut tree = Tree { libclang, index, handle: ptr::null_mut() };
            let code = (libclang.clang_parseTranslationUnit2FullArgv)(
                index,
                name.as_ptr(),
                flags.as_ptr(),
                flags.len() as c_int,
                ptr::null_mut(),
                0,
                CXTranslationUnit_DetailedPreprocessingRecord as u32,
                &mut tree.handle,
            );
            let handle = tree.handle;
            if code != CXError_Success || handle.is_null() {
                return Err(failed("it gave up"));
            }
            let file = (libclang.clang_getFile)(handle, name.as_ptr());
            let tree = Rc::new(tree);
            let mut unit = Unit { libclang, tree, handle, file, text: vec![] };
            if let Some(message) = unit.first_error() {
                return Err(failed(&message));
            }
            unit.text = unit.contents(file).ok_or_else(|| failed("it does not show its contents"))?;
            Ok(unit)
        }
    }

    /// The same, but what is asked is about another file that was read along with it.
    pub(super) fn of_header(&self, file: CXFile) -> Option<Unit> {
        let (libclang, handle, text) = (self.libclang, self.handle, self.contents(file)?);
        Some(Unit { libclang, tree: Rc::clone(&self.tree), handle, file, text })
    }

    fn contents(&self, file: CXFile) -> Option<Vec<u8>> {
        let mut length = 0;
        // SAFETY: libclang keeps the contents as long as the tree, and gives their length.
        unsafe {
            let data = (self.libclang.clang_getFileContents)(self.handle, file, &mut length);
            (!data.is_null()).then(|| std::slice::from_raw_parts(data.cast::<u8>(), length).to_vec())
        }
    }

    /// The name under which the file was opened.
    pub(super) fn path(&self) -> PathBuf {
        self.libclang.text(unsafe { (self.libclang.clang_getFileName)(self.file) }).into()
    }

    /// The header that a cursor stands in, if it is one of the user's.
    pub(super) fn header(&self, cursor: CXCursor) -> Option<CXFile> {
        let (mut file, mut line, mut column, mut offset) = (ptr::null_mut(), 0, 0, 0);
        unsafe {
            let location = (self.libclang.clang_getCursorLocation)(cursor);
            (self.libclang.clang_getFileLocation)(location, &mut file, &mut line, &mut column, &mut offset);
            (!file.is_null() && !self.is_of_system(cursor) && !self.is_same(file, self.file)).then_some(file)
        }
    }

    /// Whether a cursor stands in a header of the system.
    pub(super) fn is_of_system(&self, cursor: CXCursor) -> bool {
        // SAFETY: any cursor of ours has a location, and any location can be asked.
        unsafe {
            let location = (self.libclang.clang_getCursorLocation)(cursor);
            (self.libclang.clang_Location_isInSystemHeader)(location) != 0
        }
    }

    pub(super) fn is_same(&self, one: CXFile, other: CXFile) -> bool {
        unsafe { (self.libclang.clang_File_isEqual)(one, other) != 0 }
    }

    fn first_error(&self) -> Option<String> {
        let count = unsafe { (self.libclang.clang_getNumDiagnostics)(self.handle) };
        (0..count).find_map(|at| {
            // SAFETY: `at` is below the count.
            unsafe {
                let diagnostic = (self.libclang.clang_getDiagnostic)(self.handle, at);
                let is_error = (self.libclang.clang_getDiagnosticSeverity)(diagnostic) >= CXDiagnostic_Error;
                let text = self.libclang.text((self.libclang.clang_formatDiagnostic)(diagnostic, 0));
                (self.libclang.clang_disposeDiagnostic)(diagnostic);
                is_error.then_some(text)
            }
        })
    }

    pub(super) fn root(&self) -> CXCursor {
        unsafe { (self.libclang.clang_getTranslationUnitCursor)(self.handle) }
    }

    pub(super) fn children(&self, cursor: CXCursor) -> Vec<CXCursor> {
        extern "C" fn push(child: CXCursor, _: CXCursor, children: CXClientData) -> CXChildVisitResult {
            // SAFETY: `children` is the vector below, and nobody else touches it meanwhile.
            unsafe { (*children.cast::<Vec<CXCursor>>()).push(child) };
            CXChildVisit_Continue
        }
        let mut children: Vec<CXCursor> = Vec::new();
        unsafe { (self.libclang.clang_visitChildren)(cursor, push, ptr::from_mut(&mut children).cast()) };
        children
    }

    pub(super) fn name(&self, cursor: CXCursor) -> String {
        self.libclang.text(unsafe { (self.libclang.clang_getCursorSpelling)(cursor) })
    }

    /// Where it stands in the file, if that is where it starts and ends.
    pub(super) fn range(&self, cursor: CXCursor) -> Option<Range<usize>> {
        let extent = unsafe { (self.libclang.clang_getCursorExtent)(cursor) };
        let start = self.offset(unsafe { (self.libclang.clang_getRangeStart)(extent) })?;
        let end = self.offset(unsafe { (self.libclang.clang_getRangeEnd)(extent) })?;
        (start <= end).then_some(start..end)
    }

    pub(super) fn offset(&self, location: CXSourceLocation) -> Option<usize> {
        let (mut file, mut line, mut column, mut offset) = (ptr::null_mut(), 0, 0, 0);
        unsafe {
            (self.libclang.clang_getFileLocation)(location, &mut file, &mut line, &mut column, &mut offset)
        };
        (!file.is_null() && self.is_same(file, self.file)).then_some(offset as usize)
    }

    /// What debug information says about a place: the last component of the file, and the position.
    pub(super) fn debug_place(&self, location: CXSourceLocation) -> (String, Position) {
        let (mut line, mut column) = (0, 0);
        let file = unsafe {
            let mut file = CXString { data: ptr::null(), private_flags: 0 };
            (self.libclang.clang_getPresumedLocation)(location, &mut file, &mut line, &mut column);
            self.libclang.text(file)
        };
        let file = file.rsplit('/').next().unwrap_or_default().to_string();
        (file, Position { line, column })
    }

    pub(super) fn integer(&self, cursor: CXCursor) -> Option<Integer> {
        unsafe {
            let mut kind =
                (self.libclang.clang_getCanonicalType)((self.libclang.clang_getCursorType)(cursor));
            if kind.kind == CXType_Enum {
                let declaration = (self.libclang.clang_getTypeDeclaration)(kind);
                let holder = (self.libclang.clang_getEnumDeclIntegerType)(declaration);
                kind = (self.libclang.clang_getCanonicalType)(holder);
            }
            // Libclang crashes when it is asked for the size of a builtin function.
            Integer::new(kind.kind, || (self.libclang.clang_Type_getSizeOf)(kind))
        }
    }

    pub(super) fn other(&self, cursor: CXCursor) -> Option<Other> {
        let kind = unsafe {
            (self.libclang.clang_getCanonicalType)((self.libclang.clang_getCursorType)(cursor)).kind
        };
        match kind {
            CXType_Float => Some(Other::Float(32)),
            CXType_Double => Some(Other::Float(64)),
            CXType_Pointer => Some(Other::Pointer),
            _ => None,
        }
    }

    /// The size of what a pointer points to, if that is an object of a known size.
    pub(super) fn pointee(&self, cursor: CXCursor) -> Option<u64> {
        unsafe {
            let of = (self.libclang.clang_getCanonicalType)((self.libclang.clang_getCursorType)(cursor));
            if of.kind != CXType_Pointer {
                return None;
            }
            let to = (self.libclang.clang_getCanonicalType)((self.libclang.clang_getPointeeType)(of));
            if matches!(to.kind, CXType_Void | CXType_FunctionProto | CXType_FunctionNoProto) {
                return None;
            }
            u64::try_from((self.libclang.clang_Type_getSizeOf)(to)).ok().filter(|size| *size > 0)
        }
    }

    /// The canonical type of an expression, as C writes it.
    pub(super) fn type_name(&self, cursor: CXCursor) -> String {
        unsafe {
            let of = (self.libclang.clang_getCanonicalType)((self.libclang.clang_getCursorType)(cursor));
            self.libclang.text((self.libclang.clang_getTypeSpelling)(of))
        }
    }

    /// Whether a call with these children, the callee first, may pass any number of arguments.
    pub(super) fn is_variadic(&self, children: &[CXCursor]) -> bool {
        let Some(callee) = children.first() else { return false };
        unsafe {
            let of = (self.libclang.clang_getCanonicalType)((self.libclang.clang_getCursorType)(*callee));
            let pointee = (self.libclang.clang_getPointeeType)(of);
            let function = if pointee.kind == CXType_Invalid { of } else { pointee };
            (self.libclang.clang_isFunctionTypeVariadic)(function) != 0
        }
    }

    /// The value of a literal.
    pub(super) fn value(&self, cursor: CXCursor) -> Option<i128> {
        unsafe {
            let result = (self.libclang.clang_Cursor_Evaluate)(cursor);
            if result.is_null() {
                return None;
            }
            let value =
                ((self.libclang.clang_EvalResult_getKind)(result) == CXEval_Int).then(|| {
                    match (self.libclang.clang_EvalResult_isUnsignedInt)(result) {
                        0 => i128::from((self.libclang.clang_EvalResult_getAsLongLong)(result)),
                        _ => i128::from((self.libclang.clang_EvalResult_getAsUnsigned)(result)),
                    }
                });
            (self.libclang.clang_EvalResult_dispose)(result);
            value
        }
    }
}
