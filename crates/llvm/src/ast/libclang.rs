//! The few functions of libclang that we call, found in the shared library at run time.
//!
//! The crate `clang-sys` has the types. We do not use its loading: it takes the first libclang that it
//! finds, and keeps it for one thread. We need the libclang of the clang that compiles, from any thread.

use std::ffi::{CStr, c_char, c_int, c_uint};
use std::sync::OnceLock;

use clang_sys::*;

use super::AstError;

/// Where distributions put it; the last ones leave it to the dynamic linker.
const PLACES: &[&str] = &[
    "/usr/lib/llvm-19/lib/libclang-19.so.1",
    "/usr/lib/llvm19/lib/libclang.so.19.1",
    "/usr/lib64/llvm19/lib64/libclang.so.19.1",
    "/opt/homebrew/opt/llvm@19/lib/libclang.dylib",
    "libclang-19.so.1",
    "libclang.so.19.1",
    "libclang-19.so",
];

/// Layouts of the AST and numbers of cursor kinds belong to one version.
const VERSION: &str = "clang version 19.";

macro_rules! functions {
    ($($name:ident($($type:ty),*) $(-> $result:ty)?;)*) => {
        #[allow(non_snake_case)]
        pub(super) struct Libclang {
            $(pub(super) $name: unsafe extern "C" fn($($type),*) $(-> $result)?,)*
        }

        impl Libclang {
            fn find(library: &'static libloading::Library) -> Result<Libclang, libloading::Error> {
                // SAFETY: the signatures are those of clang-c/Index.h.
                unsafe { Ok(Libclang { $($name: *library.get(concat!(stringify!($name), "\0").as_bytes())?,)* }) }
            }
        }
    };
}

functions! {
    clang_getClangVersion() -> CXString;
    clang_getCString(CXString) -> *const c_char;
    clang_disposeString(CXString);
    clang_createIndex(c_int, c_int) -> CXIndex;
    clang_disposeIndex(CXIndex);
    clang_parseTranslationUnit2FullArgv(
        CXIndex, *const c_char, *const *const c_char, c_int, *mut CXUnsavedFile, c_uint, c_uint,
        *mut CXTranslationUnit
    ) -> CXErrorCode;
    clang_disposeTranslationUnit(CXTranslationUnit);
    clang_getNumDiagnostics(CXTranslationUnit) -> c_uint;
    clang_getDiagnostic(CXTranslationUnit, c_uint) -> CXDiagnostic;
    clang_getDiagnosticSeverity(CXDiagnostic) -> CXDiagnosticSeverity;
    clang_formatDiagnostic(CXDiagnostic, c_uint) -> CXString;
    clang_disposeDiagnostic(CXDiagnostic);
    clang_getTranslationUnitCursor(CXTranslationUnit) -> CXCursor;
    clang_getFile(CXTranslationUnit, *const c_char) -> CXFile;
    clang_File_isEqual(CXFile, CXFile) -> c_int;
    clang_getFileName(CXFile) -> CXString;
    clang_Location_isInSystemHeader(CXSourceLocation) -> c_int;
    clang_getFileContents(CXTranslationUnit, CXFile, *mut usize) -> *const c_char;
    clang_getLocationForOffset(CXTranslationUnit, CXFile, c_uint) -> CXSourceLocation;
    clang_getFileLocation(CXSourceLocation, *mut CXFile, *mut c_uint, *mut c_uint, *mut c_uint);
    clang_getPresumedLocation(CXSourceLocation, *mut CXString, *mut c_uint, *mut c_uint);
    clang_getRangeStart(CXSourceRange) -> CXSourceLocation;
    clang_getRangeEnd(CXSourceRange) -> CXSourceLocation;
    clang_visitChildren(CXCursor, CXCursorVisitor, CXClientData) -> c_uint;
    clang_getCursorExtent(CXCursor) -> CXSourceRange;
    clang_getCursorLocation(CXCursor) -> CXSourceLocation;
    clang_getCursorReferenced(CXCursor) -> CXCursor;
    clang_getCursorSpelling(CXCursor) -> CXString;
    clang_getCursorType(CXCursor) -> CXType;
    clang_getCursorBinaryOperatorKind(CXCursor) -> CXBinaryOperatorKind;
    clang_getCursorUnaryOperatorKind(CXCursor) -> CXUnaryOperatorKind;
    clang_equalCursors(CXCursor, CXCursor) -> c_uint;
    clang_isCursorDefinition(CXCursor) -> c_uint;
    clang_Cursor_getMangling(CXCursor) -> CXString;
    clang_Cursor_isFunctionInlined(CXCursor) -> c_uint;
    clang_Cursor_getStorageClass(CXCursor) -> CX_StorageClass;
    clang_Cursor_getVarDeclInitializer(CXCursor) -> CXCursor;
    clang_Cursor_isMacroFunctionLike(CXCursor) -> c_uint;
    clang_Cursor_Evaluate(CXCursor) -> CXEvalResult;
    clang_EvalResult_getKind(CXEvalResult) -> CXEvalResultKind;
    clang_EvalResult_isUnsignedInt(CXEvalResult) -> c_uint;
    clang_EvalResult_getAsUnsigned(CXEvalResult) -> u64;
    clang_EvalResult_getAsLongLong(CXEvalResult) -> i64;
    clang_EvalResult_dispose(CXEvalResult);
    clang_getEnumConstantDeclValue(CXCursor) -> i64;
    clang_getEnumDeclIntegerType(CXCursor) -> CXType;
    clang_getCanonicalType(CXType) -> CXType;
    clang_getTypeDeclaration(CXType) -> CXCursor;
    clang_getTypeSpelling(CXType) -> CXString;
    clang_getPointeeType(CXType) -> CXType;
    clang_getArrayElementType(CXType) -> CXType;
    clang_getUnqualifiedType(CXType) -> CXType;
    clang_equalTypes(CXType, CXType) -> c_uint;
    clang_isFunctionTypeVariadic(CXType) -> c_uint;
    clang_isConstQualifiedType(CXType) -> c_uint;
    clang_Type_getSizeOf(CXType) -> i64;
    clang_Cursor_getOffsetOfField(CXCursor) -> i64;
    clang_getFieldDeclBitWidth(CXCursor) -> c_int;
    clang_Cursor_isAnonymousRecordDecl(CXCursor) -> c_uint;
    clang_tokenize(CXTranslationUnit, CXSourceRange, *mut *mut CXToken, *mut c_uint);
    clang_getTokenSpelling(CXTranslationUnit, CXToken) -> CXString;
    clang_disposeTokens(CXTranslationUnit, *mut CXToken, c_uint);
}

/// The library, loaded once for the process.
pub(super) fn load() -> Result<&'static Libclang, AstError> {
    static LOADED: OnceLock<Result<Libclang, String>> = OnceLock::new();
    LOADED.get_or_init(open).as_ref().map_err(|tried| AstError::NoLibclang { tried: tried.clone() })
}

pub(super) fn initialise() {
    let Ok(libclang) = load() else { return };
    // SAFETY: an index that nothing is read into, and that is given back.
    unsafe { (libclang.clang_disposeIndex)((libclang.clang_createIndex)(0, 0)) };
}

fn open() -> Result<Libclang, String> {
    let mut tried = String::from("not found in any known place");
    for place in PLACES {
        // SAFETY: libclang runs no code of note when it is loaded.
        let Ok(library) = (unsafe { libloading::Library::new(place) }) else { continue };
        // Never unloaded: its functions are used until the process ends.
        let found = Libclang::find(Box::leak(Box::new(library)));
        match found {
            Ok(libclang) if libclang.version().contains(VERSION) => return Ok(libclang),
            Ok(libclang) => tried = format!("{place} is {}", libclang.version()),
            Err(error) => tried = format!("{place}: {error}"),
        }
    }
    Err(tried)
}

impl Libclang {
    fn version(&self) -> String {
        // SAFETY: takes no arguments.
        self.text(unsafe { (self.clang_getClangVersion)() })
    }

    /// The contents of a string of libclang, which ends with this.
    pub(super) fn text(&self, string: CXString) -> String {
        // SAFETY: the string is alive until we dispose of it here, and nobody else has it.
        unsafe {
            let data = (self.clang_getCString)(string);
            let text = if data.is_null() {
                String::new()
            } else {
                CStr::from_ptr(data).to_string_lossy().into_owned()
            };
            (self.clang_disposeString)(string);
            text
        }
    }
}
