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

/// Asks libclang about a cursor, a type, a location or a file, which are passed by value.
macro_rules! ask {
    ($unit:expr, $function:ident($($argument:expr),* $(,)?)) => {
        // SAFETY: these questions have an answer for everything that came out of a tree, if
        // only "none". The tree lives as long as its unit, and whoever asks has the unit.
        unsafe { ($unit.libclang.$function)($($argument),*) }
    };
}
pub(super) use ask;

/// A file that libclang has read, or a header of it.
pub(super) struct ParsedFile {
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

impl ParsedFile {
    pub(super) fn new(
        libclang: &'static Libclang,
        file: &Path,
        flags: &[String],
    ) -> Result<ParsedFile, AstError> {
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
            let mut unit = ParsedFile { libclang, tree, handle, file, text: vec![] };
            if let Some(message) = unit.first_error() {
                return Err(failed(&message));
            }
            unit.text = unit.contents(file).ok_or_else(|| failed("it does not show its contents"))?;
            Ok(unit)
        }
    }

    /// The same, but what is asked is about another file that was read along with it.
    pub(super) fn of_header(&self, file: CXFile) -> Option<ParsedFile> {
        let (libclang, handle, text) = (self.libclang, self.handle, self.contents(file)?);
        Some(ParsedFile { libclang, tree: Rc::clone(&self.tree), handle, file, text })
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
        self.libclang.text(ask!(self, clang_getFileName(self.file))).into()
    }

    /// The header that a cursor stands in, if it is one of the user's.
    pub(super) fn header(&self, cursor: CXCursor) -> Option<CXFile> {
        let (file, _) = self.file_and_offset(ask!(self, clang_getCursorLocation(cursor)));
        (!file.is_null() && !self.is_of_system(cursor) && !self.is_same(file, self.file)).then_some(file)
    }

    /// Whether a cursor stands in a header of the system.
    pub(super) fn is_of_system(&self, cursor: CXCursor) -> bool {
        let location = ask!(self, clang_getCursorLocation(cursor));
        ask!(self, clang_Location_isInSystemHeader(location)) != 0
    }

    pub(super) fn is_same(&self, one: CXFile, other: CXFile) -> bool {
        ask!(self, clang_File_isEqual(one, other)) != 0
    }

    fn first_error(&self) -> Option<String> {
        let count = ask!(self, clang_getNumDiagnostics(self.handle));
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
        ask!(self, clang_getTranslationUnitCursor(self.handle))
    }

    pub(super) fn children(&self, cursor: CXCursor) -> Vec<CXCursor> {
        extern "C" fn push(child: CXCursor, _: CXCursor, children: CXClientData) -> CXChildVisitResult {
            // SAFETY: `children` is the vector below, and nobody else touches it meanwhile.
            unsafe { (*children.cast::<Vec<CXCursor>>()).push(child) };
            CXChildVisit_Continue
        }
        let mut children: Vec<CXCursor> = Vec::new();
        // SAFETY: `push` gets the vector back, as what it is, and is not called after this call.
        unsafe { (self.libclang.clang_visitChildren)(cursor, push, ptr::from_mut(&mut children).cast()) };
        children
    }

    pub(super) fn name(&self, cursor: CXCursor) -> String {
        self.libclang.text(ask!(self, clang_getCursorSpelling(cursor)))
    }

    /// Where it stands in the file, if that is where it starts and ends.
    pub(super) fn range(&self, cursor: CXCursor) -> Option<Range<usize>> {
        let extent = ask!(self, clang_getCursorExtent(cursor));
        let start = self.offset(ask!(self, clang_getRangeStart(extent)))?;
        let end = self.offset(ask!(self, clang_getRangeEnd(extent)))?;
        (start <= end).then_some(start..end)
    }

    pub(super) fn offset(&self, location: CXSourceLocation) -> Option<usize> {
        let (file, offset) = self.file_and_offset(location);
        (!file.is_null() && self.is_same(file, self.file)).then_some(offset)
    }

    /// The file that a location is in, null if in none, and the offset there.
    fn file_and_offset(&self, location: CXSourceLocation) -> (CXFile, usize) {
        let (mut file, mut line, mut column, mut offset) = (ptr::null_mut(), 0, 0, 0);
        // SAFETY: the location is of our tree, and libclang writes to all four.
        unsafe {
            (self.libclang.clang_getFileLocation)(location, &mut file, &mut line, &mut column, &mut offset)
        };
        (file, offset as usize)
    }

    /// What debug information says about a place: the last component of the file, and the position.
    pub(super) fn debug_place(&self, location: CXSourceLocation) -> (String, Position) {
        let (mut line, mut column) = (0, 0);
        let mut file = CXString { data: ptr::null(), private_flags: 0 };
        // SAFETY: the location is of our tree, and libclang writes to all three.
        unsafe { (self.libclang.clang_getPresumedLocation)(location, &mut file, &mut line, &mut column) };
        let file = self.libclang.text(file);
        let file = file.rsplit('/').next().unwrap_or_default().to_string();
        (file, Position { line, column })
    }

    pub(super) fn integer(&self, cursor: CXCursor) -> Option<Integer> {
        let mut of = self.canonical_type(cursor);
        if of.kind == CXType_Enum {
            let declaration = ask!(self, clang_getTypeDeclaration(of));
            let holder = ask!(self, clang_getEnumDeclIntegerType(declaration));
            of = ask!(self, clang_getCanonicalType(holder));
        }
        // Libclang crashes when it is asked for the size of a builtin function.
        Integer::new(of.kind, || ask!(self, clang_Type_getSizeOf(of)))
    }

    pub(super) fn other(&self, cursor: CXCursor) -> Option<Other> {
        match self.canonical_type(cursor).kind {
            CXType_Float => Some(Other::Float(32)),
            CXType_Double => Some(Other::Float(64)),
            CXType_Pointer => Some(Other::Pointer),
            _ => None,
        }
    }

    /// The size of what a pointer points to, if that is an object of a known size.
    pub(super) fn pointee(&self, cursor: CXCursor) -> Option<u64> {
        let of = self.canonical_type(cursor);
        if of.kind != CXType_Pointer {
            return None;
        }
        let to = ask!(self, clang_getPointeeType(of));
        let to = ask!(self, clang_getCanonicalType(to));
        if matches!(to.kind, CXType_Void | CXType_FunctionProto | CXType_FunctionNoProto) {
            return None;
        }
        u64::try_from(ask!(self, clang_Type_getSizeOf(to))).ok().filter(|size| *size > 0)
    }

    /// The canonical type of an expression, as C writes it.
    pub(super) fn type_name(&self, cursor: CXCursor) -> String {
        self.libclang.text(ask!(self, clang_getTypeSpelling(self.canonical_type(cursor))))
    }

    /// The type of what a cursor stands for, without the names that the file gives to types.
    pub(super) fn canonical_type(&self, cursor: CXCursor) -> CXType {
        let of = ask!(self, clang_getCursorType(cursor));
        ask!(self, clang_getCanonicalType(of))
    }

    /// Whether a call with these children, the callee first, may pass any number of arguments.
    pub(super) fn is_variadic(&self, children: &[CXCursor]) -> bool {
        let Some(callee) = children.first() else { return false };
        let of = self.canonical_type(*callee);
        let pointee = ask!(self, clang_getPointeeType(of));
        let function = if pointee.kind == CXType_Invalid { of } else { pointee };
        ask!(self, clang_isFunctionTypeVariadic(function)) != 0
    }

    /// The value of a literal.
    pub(super) fn value(&self, cursor: CXCursor) -> Option<i128> {
        // SAFETY: the cursor is of our tree. The result is ours if there is
        // one, and is not used after it is given back.
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
