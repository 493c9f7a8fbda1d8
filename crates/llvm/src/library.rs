//! The C library: bodies of our own, and musl's.
//!
//! Both are compiled when Whet is built, and lifted like the user's code if somebody calls them. Our own come
//! first: they check what C asks of the caller, and a proof can look into them. For other functions, musl has
//! the body. It is kept as many small modules with an index, so a file pays only for what it reaches.
//!
//! Of musl's functions, a program may call those that are [admitted]. What they call in turn is not
//! restricted: what nobody has is unsupported where it is called.
//!
//! Only the program that we reason about has these bodies. The native build calls the system's library, which
//! keeps them honest.

pub(crate) mod admitted;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::OnceLock;

use inkwell::context::{Context, ContextRef};
use inkwell::llvm_sys::core::{
    LLVMAliasGetAliasee, LLVMAliasSetAliasee, LLVMGetFirstGlobalAlias, LLVMGetNamedGlobalAlias,
    LLVMGetNextGlobalAlias, LLVMIsAFunction, LLVMReplaceAllUsesWith, LLVMSetValueName2,
};
use inkwell::llvm_sys::prelude::LLVMValueRef;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::{Linkage, Module};
use inkwell::values::{AsValueRef, FunctionValue};

use crate::lift::{name, places};
use crate::variadic;

/// Our own bodies. The build script has written this, and the next two.
static OWN: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/library.bc"));

/// The modules of musl, one behind the other.
static MODULES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/musl.bc"));

/// A line for each module: where it begins, how long it is, and the names that it defines.
static INDEX: &str = include_str!(concat!(env!("OUT_DIR"), "/musl.index"));

/// What a program needs of the library.
pub(crate) struct Library<'c> {
    pub(crate) module: Module<'c>,
    /// All functions that the program leads to.
    pub(crate) bodies: Vec<FunctionValue<'c>>,
    /// The names under which the program knows some of them, besides their own.
    pub(crate) second_names: HashMap<String, FunctionValue<'c>>,
}

impl<'c> Library<'c> {
    /// The library for a program that calls functions with these names.
    pub(crate) fn of(context: ContextRef<'c>, names: &[String]) -> Library<'c> {
        let module = parse(context, OWN);
        let mut linked = BTreeSet::new();
        let mut wanted: Vec<&str> =
            names.iter().map(String::as_str).filter(|name| has(name) && !own().contains(*name)).collect();
        loop {
            let members: Vec<&Member> = wanted.iter().filter_map(|name| index().get(name)).collect();
            for member in members.into_iter().filter(|member| linked.insert(member.start)) {
                let other = parse(context, member.bytes());
                leave_ours(&other);
                module.link_in_module(other).expect("one name stands for one thing");
            }
            let called = names.iter().filter(|name| has(name)).filter_map(|name| function(&module, name));
            let bodies = reached(&module, called.collect());
            wanted = missing(&module, &bodies);
            wanted.retain(|name| index().get(name).is_some_and(|member| !linked.contains(&member.start)));
            if wanted.is_empty() {
                break;
            }
        }
        let second_names = resolve_aliases(&module, names);
        let looks_at_errors = names.iter().any(|name| name == "__errno_location");
        let [open, none] = ["__whet_open_error", "__whet_no_error"].map(|name| module.get_function(name));
        if let (Some(open), Some(none), false) = (open, none, looks_at_errors) {
            open.replace_all_uses_with(none);
        }
        variadic::make_plain(&module);
        let first = |(second, first): (String, String)| Some((second, module.get_function(&first)?));
        let second_names: HashMap<String, FunctionValue> =
            second_names.into_iter().filter_map(first).collect();
        let public = |name: &String| second_names.get(name).copied().or_else(|| module.get_function(name));
        let called = names.iter().filter(|name| has(name)).filter_map(public).collect();
        let bodies = reached(&module, called);
        Library { module, bodies, second_names }
    }

    /// What a program calls by this name.
    pub(crate) fn body(&self, name: &str) -> Option<FunctionValue<'c>> {
        self.second_names.get(name).copied().or_else(|| self.module.get_function(name))
    }
}

/// Whether a program that calls a function of this name gets a body of the library's.
pub(crate) fn has(name: &str) -> bool {
    own().contains(name) || admitted::is_admitted(name)
}

/// Where a module of musl is.
struct Member {
    start: usize,
    length: usize,
}

impl Member {
    fn bytes(&self) -> &'static [u8] {
        &MODULES[self.start..self.start + self.length]
    }
}

/// The module of musl that defines a name.
fn index() -> &'static HashMap<&'static str, Member> {
    static PARSED: OnceLock<HashMap<&'static str, Member>> = OnceLock::new();
    PARSED.get_or_init(|| {
        let mut found = HashMap::new();
        for line in INDEX.lines() {
            let mut words = line.split(' ');
            let mut number = || words.next().and_then(|word| word.parse().ok()).expect("a line has two");
            let (start, length) = (number(), number());
            for name in words {
                // What two modules define, the first one has, as in any archive.
                found.entry(name).or_insert(Member { start, length });
            }
        }
        found
    })
}

/// The functions that have a body of our own.
fn own() -> &'static HashSet<String> {
    static NAMES: OnceLock<HashSet<String>> = OnceLock::new();
    NAMES.get_or_init(|| {
        let context = Context::create();
        let buffer = MemoryBuffer::create_from_memory_range_copy(OWN, "library");
        let module = Module::parse_bitcode_from_buffer(&buffer, &context).expect("clang wrote it");
        let public = module.get_functions().filter(is_public);
        public.map(|function| name(function.as_value_ref())).collect()
    })
}

/// In the context of the module that is lifted, so that types can be compared.
fn parse<'c>(context: ContextRef<'c>, bitcode: &[u8]) -> Module<'c> {
    let buffer = MemoryBuffer::create_from_memory_range_copy(bitcode, "library");
    Module::parse_bitcode_from_buffer(&buffer, context).expect("clang wrote it")
}

fn is_public(function: &FunctionValue) -> bool {
    function.count_basic_blocks() > 0 && function.get_linkage() != Linkage::Internal
}

/// Where musl has a body that we have, too, ours is called.
fn leave_ours(member: &Module) {
    let theirs: Vec<FunctionValue> = member.get_functions().filter(is_public).collect();
    for body in theirs {
        let public = name(body.as_value_ref());
        if own().contains(&public) {
            // SAFETY: the name is text with its length, and LLVM copies it.
            unsafe { LLVMSetValueName2(body.as_value_ref(), c"musl's".as_ptr(), 6) };
            body.set_linkage(Linkage::Internal);
            let named: Vec<LLVMValueRef> =
                // SAFETY: an alias has something that it names.
                aliases(member).filter(|alias| unsafe { LLVMAliasGetAliasee(*alias) } == body.as_value_ref()).collect();
            let ours = member.add_function(&public, body.get_type(), None);
            body.replace_all_uses_with(ours);
            // What is only declared has no second name.
            // SAFETY: the same body as before.
            named.into_iter().for_each(|alias| unsafe { LLVMAliasSetAliasee(alias, body.as_value_ref()) });
        }
    }
}

/// These functions, and all that they lead to.
fn reached<'c>(module: &Module<'c>, mut bodies: Vec<FunctionValue<'c>>) -> Vec<FunctionValue<'c>> {
    let mut known: HashSet<LLVMValueRef> = HashSet::new();
    bodies.retain(|body| body.count_basic_blocks() > 0 && known.insert(body.as_value_ref()));
    let all: Vec<FunctionValue> =
        module.get_functions().filter(|each| each.count_basic_blocks() > 0).collect();
    let callers: Vec<Vec<LLVMValueRef>> = all.iter().map(|each| places(each.as_value_ref())).collect();
    loop {
        let before = bodies.len();
        for (function, callers) in all.iter().zip(&callers) {
            if callers.iter().any(|caller| known.contains(caller)) && known.insert(function.as_value_ref()) {
                bodies.push(*function);
            }
        }
        if bodies.len() == before {
            return bodies;
        }
    }
}

/// The names that these bodies mention, and that nothing in the module defines.
fn missing(module: &Module, bodies: &[FunctionValue]) -> Vec<&'static str> {
    let bodies: HashSet<LLVMValueRef> = bodies.iter().map(|body| body.as_value_ref()).collect();
    let functions = module
        .get_functions()
        .filter(|function| function.count_basic_blocks() == 0 && function.get_intrinsic_id() == 0);
    let variables = module.get_globals().filter(|global| global.is_declaration());
    let declared = functions.map(|it| it.as_value_ref()).chain(variables.map(|it| it.as_value_ref()));
    let mentioned = declared.filter(|it| places(*it).iter().any(|place| bodies.contains(place)));
    mentioned.filter_map(|it| index().get_key_value(name(it).as_str()).map(|(name, _)| *name)).collect()
}

/// The body that a name stands for, which may be a second name.
fn function<'c>(module: &Module<'c>, name: &str) -> Option<FunctionValue<'c>> {
    let named = || {
        // SAFETY: the module lives, the name is text with its length, and an alias has something that it
        // names.
        let object = unsafe {
            let alias = LLVMGetNamedGlobalAlias(module.as_mut_ptr(), name.as_ptr().cast(), name.len());
            if alias.is_null() {
                return None;
            }
            LLVMAliasGetAliasee(alias)
        };
        // SAFETY: any value may be asked what it is.
        unsafe { (!LLVMIsAFunction(object).is_null()).then(|| FunctionValue::new(object)).flatten() }
    };
    module.get_function(name).or_else(named).filter(|function| function.count_basic_blocks() > 0)
}

fn aliases(module: &Module) -> impl Iterator<Item = LLVMValueRef> {
    // SAFETY: the module lives, and nobody adds to its list meanwhile.
    let next = |alias: &LLVMValueRef| unsafe { LLVMGetNextGlobalAlias(*alias) };
    // SAFETY: the same.
    let first = unsafe { LLVMGetFirstGlobalAlias(module.as_mut_ptr()) };
    let some = |alias: LLVMValueRef| (!alias.is_null()).then_some(alias);
    std::iter::successors(some(first), move |alias| some(next(alias)))
}

/// Uses of second names become uses of the first. Those second names that the program knows, each with the
/// first.
fn resolve_aliases(module: &Module, names: &[String]) -> HashMap<String, String> {
    let second = names.iter().filter(|name| has(name) && module.get_function(name).is_none());
    let first = |second: &String| Some((second.clone(), name(function(module, second)?.as_value_ref())));
    let second_names = second.filter_map(first).collect();
    for alias in aliases(module) {
        // SAFETY: an alias has something that it names.
        unsafe { LLVMReplaceAllUsesWith(alias, LLVMAliasGetAliasee(alias)) };
    }
    second_names
}
