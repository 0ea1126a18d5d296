//! Reads a file of `src/` into what the rules ask of it: its paths, resolved, and a few other facts.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};

use super::names::{self, Kind};

/// What one file says.
#[derive(Default)]
pub(super) struct Source {
    /// Every path in code, resolved as far as one file allows.
    pub(super) paths: Vec<Found>,
    /// Every method that is called, with whether its one argument is `true`.
    pub(super) methods: Vec<(String, bool, Context)>,
    /// Async functions, blocks, closures and awaits outside tests.
    pub(super) n_async: usize,
    /// Macros that are called outside tests.
    pub(super) macros: Vec<String>,
    pub(super) has_extern_crate: bool,
    /// A module `tests` that is built into the program.
    pub(super) has_bare_test_module: bool,
    pub(super) has_other_than_modules: bool,
    /// What `use` calls by a name of its own in the program, with the path that is meant.
    pub(super) names: BTreeMap<String, Vec<String>>,
    /// Methods of a type's own: the type as this file calls it, and the method.
    pub(super) defined_methods: Vec<(Vec<String>, String)>,
    /// What is called on `self`, with the type around it.
    pub(super) self_calls: Vec<(Vec<String>, String)>,
    /// What is defined.
    pub(super) definitions: BTreeSet<(Kind, String)>,
}

/// A path in code.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Found {
    /// Its segments; those of a path into this crate begin with `crate`.
    pub(super) segments: Vec<String>,
    /// As it was written, for `super::super`.
    pub(super) written: Vec<String>,
    pub(super) is_glob: bool,
    /// A `pub use`: it hands a name on and uses nothing.
    pub(super) is_reexport: bool,
    pub(super) context: Context,
}

/// Whether code is part of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Context {
    Program,
    Test,
}

/// What was read, by file and text.
type Known = HashMap<(String, String), Option<Arc<Source>>>;

/// All rules ask of the same files.
static READ: Mutex<Option<Known>> = Mutex::new(None);

/// Reads a file; `None` if it is not Rust.
pub(super) fn read(file: &str, text: &str) -> Option<Arc<Source>> {
    let mut all = READ.lock().unwrap_or_else(PoisonError::into_inner);
    let known = all.get_or_insert_default().entry((file.to_owned(), text.to_owned()));
    known.or_insert_with(|| parse(file, text).map(Arc::new)).clone()
}

fn parse(file: &str, text: &str) -> Option<Source> {
    let tree = syn::parse_file(text).ok()?;
    let n_tests_around = usize::from(is_test_file(file));
    let mut reader = Reader { module: module_of(file), n_tests_around, ..Reader::default() };
    reader.source.has_other_than_modules = tree.items.iter().any(|item| !matches!(item, syn::Item::Mod(_)));
    reader.visit_file(&tree);
    reader.source.definitions = names::definitions(&tree);
    Some(reader.finish())
}

/// A module `tests` in a file or folder of its own; the rules see to it that it is one of tests only.
pub(super) fn is_test_file(file: &str) -> bool {
    file.ends_with("/tests.rs") || file.contains("/tests/")
}

/// The lines of a file that are part of the program: those without what stands behind `#[cfg(test)]`, as rustfmt lays it out.
pub(super) fn program_lines(text: &str) -> Vec<&str> {
    let mut lines = text.lines();
    let mut program = Vec::new();
    while let Some(line) = lines.next() {
        if line.trim() != "#[cfg(test)]" {
            program.push(line);
            continue;
        }
        let indent = line.len() - line.trim_start().len();
        let is_end = |line: &&str| [';', ',', '}'].iter().any(|sign| line.ends_with(*sign));
        let closes = |line: &&str| line.len() > indent && line.as_bytes()[indent] != b' ' && is_end(line);
        let mut item = lines.by_ref().skip_while(|line| line.trim_start().starts_with("#["));
        if !item.next().is_some_and(|first| is_end(&first)) {
            item.find(closes);
        }
    }
    program
}

/// `src/judge/questions/mod.rs` is the module `judge::questions`.
pub(super) fn module_of(file: &str) -> Vec<String> {
    let path = file.trim_start_matches("src/").trim_end_matches(".rs");
    let mut segments: Vec<String> = path.split('/').map(str::to_owned).collect();
    if segments.last().is_some_and(|last| ["mod", "lib", "main"].contains(&last.as_str())) {
        segments.pop();
    }
    segments
}

#[derive(Default)]
struct Reader {
    source: Source,
    module: Vec<String>,
    n_tests_around: usize,
    /// What `use` made of a name, in the program and in tests.
    aliases: BTreeMap<(Context, String), Vec<String>>,
    raw: Vec<Found>,
    is_reexport: bool,
    /// The type of the `impl` around.
    self_type: Option<Vec<String>>,
}

impl Reader {
    fn context(&self) -> Context {
        if self.n_tests_around > 0 { Context::Test } else { Context::Program }
    }

    fn push(&mut self, written: Vec<String>, is_glob: bool) {
        let segments = self.absolute(&written);
        let (is_reexport, context) = (self.is_reexport, self.context());
        self.raw.push(Found { segments, written, is_glob, is_reexport, context });
    }

    /// Resolves `self`, `super` and the crate's own name.
    fn absolute(&self, written: &[String]) -> Vec<String> {
        let mut base: Option<Vec<String>> = None;
        let mut rest = written;
        while let [first, others @ ..] = rest {
            match (first.as_str(), &mut base) {
                ("self", None) => base = Some(self.module.clone()),
                ("super", None) => {
                    let mut above = self.module.clone();
                    above.pop();
                    base = Some(above);
                }
                ("super", Some(above)) => {
                    above.pop();
                }
                ("crate" | "closeout" | "$crate", None) => base = Some(Vec::new()),
                _ => break,
            }
            rest = others;
        }
        match base {
            Some(base) => {
                let own = std::iter::once("crate".to_owned());
                own.chain(base).chain(rest.iter().cloned()).collect()
            }
            None => rest.to_vec(),
        }
    }

    fn read_use(&mut self, tree: &syn::UseTree, before: &[String]) {
        let with = |name: String| -> Vec<String> { before.iter().cloned().chain([name]).collect() };
        match tree {
            syn::UseTree::Path(path) => self.read_use(&path.tree, &with(path.ident.to_string())),
            syn::UseTree::Group(group) => {
                for item in &group.items {
                    self.read_use(item, before);
                }
            }
            syn::UseTree::Glob(_) => self.push(before.to_vec(), true),
            syn::UseTree::Name(name) => {
                let name = name.ident.to_string();
                let full = if name == "self" { before.to_vec() } else { with(name.clone()) };
                let alias = if name == "self" { before.last().cloned() } else { Some(name) };
                self.add_alias(alias, &full);
                self.push(full, false);
            }
            syn::UseTree::Rename(rename) => {
                let name = rename.ident.to_string();
                let full = if name == "self" { before.to_vec() } else { with(name) };
                self.add_alias(Some(rename.rename.to_string()), &full);
                self.push(full, false);
            }
        }
    }

    fn add_alias(&mut self, alias: Option<String>, full: &[String]) {
        let Some(alias) = alias else { return };
        let full = self.absolute(full);
        if full.first() != Some(&alias) || full.len() > 1 {
            self.aliases.insert((self.context(), alias), full);
        }
    }

    /// Paths inside the arguments of a macro, which `syn` does not parse.
    fn read_tokens(&mut self, tokens: TokenStream) {
        let mut path: Vec<String> = Vec::new();
        let mut n_colons = 0;
        for token in tokens {
            match token {
                TokenTree::Ident(name) => {
                    if n_colons != 2 {
                        self.end_path(&mut path);
                    }
                    path.push(name.to_string());
                    n_colons = 0;
                }
                TokenTree::Punct(sign) if sign.as_char() == ':' => n_colons += 1,
                TokenTree::Group(group) => {
                    self.end_path(&mut path);
                    n_colons = 0;
                    self.read_tokens(group.stream());
                }
                TokenTree::Punct(_) | TokenTree::Literal(_) => {
                    self.end_path(&mut path);
                    n_colons = 0;
                }
            }
        }
        self.end_path(&mut path);
    }

    fn end_path(&mut self, path: &mut Vec<String>) {
        if path.len() > 1 {
            let path = std::mem::take(path);
            self.push(path, false);
        } else {
            path.clear();
        }
    }

    fn add_self_call(&mut self, method: &proc_macro2::Ident) {
        if let (Context::Program, Some(owner)) = (self.context(), &self.self_type) {
            self.source.self_calls.push((owner.clone(), method.to_string()));
        }
    }

    fn finish(mut self) -> Source {
        for mut found in std::mem::take(&mut self.raw) {
            found.segments = resolved(&self.aliases, found.segments, found.context);
            self.source.paths.push(found);
        }
        for methods in [&mut self.source.defined_methods, &mut self.source.self_calls] {
            for (owner, _) in methods {
                *owner = resolved(&self.aliases, std::mem::take(owner), Context::Program);
            }
        }
        let names = self.aliases.into_iter().filter(|((context, _), _)| *context == Context::Program);
        self.source.names = names.map(|((_, name), full)| (name, full)).collect();
        self.source
    }

    fn within<T>(&mut self, attributes: &[syn::Attribute], visit: impl FnOnce(&mut Self) -> T) -> T {
        let is_test = usize::from(attributes.iter().any(is_for_tests));
        self.n_tests_around += is_test;
        let answer = visit(self);
        self.n_tests_around -= is_test;
        answer
    }

    fn count_async(&mut self, is_async: bool) {
        if is_async && self.context() == Context::Program {
            self.source.n_async += 1;
        }
    }
}

/// A path with the names that `use` made replaced by what they mean.
fn resolved(
    aliases: &BTreeMap<(Context, String), Vec<String>>,
    mut segments: Vec<String>,
    context: Context,
) -> Vec<String> {
    // An alias of an alias of an alias; no file needs more.
    for _ in 0..3 {
        let Some(first) = segments.first() else { break };
        let Some(full) = aliases.get(&(context, first.clone())) else { break };
        if full.first() == Some(first) {
            break;
        }
        segments = full.iter().chain(&segments[1..]).cloned().collect();
    }
    segments
}

/// `#[test]` and `#[cfg(test)]`.
fn is_for_tests(attribute: &syn::Attribute) -> bool {
    let path = attribute.path();
    let is_plain = |tokens: &TokenStream| tokens.to_string() == "test";
    path.is_ident("test")
        || (path.is_ident("cfg")
            && matches!(&attribute.meta, syn::Meta::List(list) if is_plain(&list.tokens)))
}

impl<'ast> Visit<'ast> for Reader {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        let is_bare = item.ident == "tests" && !item.attrs.iter().any(is_for_tests);
        self.source.has_bare_test_module |= is_bare && self.context() == Context::Program;
        self.module.push(item.ident.to_string());
        self.within(&item.attrs, |reader| visit::visit_item_mod(reader, item));
        self.module.pop();
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.within(&item.attrs, |reader| visit::visit_item_fn(reader, item));
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.is_reexport = !matches!(item.vis, syn::Visibility::Inherited);
        self.within(&item.attrs, |reader| reader.read_use(&item.tree, &[]));
        self.is_reexport = false;
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        let around = self.self_type.take();
        if let syn::Type::Path(owner) = &*item.self_ty {
            let owner: Vec<String> = owner.path.segments.iter().map(|part| part.ident.to_string()).collect();
            self.self_type = Some(self.absolute(&owner));
        }
        self.within(&item.attrs, |reader| visit::visit_item_impl(reader, item));
        self.self_type = around;
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.within(&item.attrs, |reader| {
            if let (Context::Program, Some(owner)) = (reader.context(), &reader.self_type) {
                reader.source.defined_methods.push((owner.clone(), item.sig.ident.to_string()));
            }
            visit::visit_impl_item_fn(reader, item);
        });
    }

    fn visit_item_extern_crate(&mut self, _: &'ast syn::ItemExternCrate) {
        self.source.has_extern_crate = true;
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.segments.len() == 2 && path.segments[0].ident == "Self" {
            self.add_self_call(&path.segments[1].ident);
        }
        self.push(path.segments.iter().map(|segment| segment.ident.to_string()).collect(), false);
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, called: &'ast syn::Macro) {
        if self.context() == Context::Program
            && let Some(last) = called.path.segments.last()
        {
            self.source.macros.push(last.ident.to_string());
        }
        self.read_tokens(called.tokens.clone());
        visit::visit_macro(self, called);
    }

    fn visit_signature(&mut self, signature: &'ast syn::Signature) {
        self.count_async(signature.asyncness.is_some());
        visit::visit_signature(self, signature);
    }

    fn visit_expr_async(&mut self, block: &'ast syn::ExprAsync) {
        self.count_async(true);
        visit::visit_expr_async(self, block);
    }

    fn visit_expr_await(&mut self, awaited: &'ast syn::ExprAwait) {
        self.count_async(true);
        visit::visit_expr_await(self, awaited);
    }

    fn visit_expr_closure(&mut self, closure: &'ast syn::ExprClosure) {
        self.count_async(closure.asyncness.is_some());
        visit::visit_expr_closure(self, closure);
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        let is_true = |argument: &syn::Expr| {
            matches!(argument, syn::Expr::Lit(literal)
                if matches!(&literal.lit, syn::Lit::Bool(switch) if switch.value))
        };
        let has_true = call.args.len() == 1 && call.args.iter().all(is_true);
        self.source.methods.push((call.method.to_string(), has_true, self.context()));
        if matches!(&*call.receiver, syn::Expr::Path(receiver) if receiver.path.is_ident("self")) {
            self.add_self_call(&call.method);
        }
        visit::visit_expr_method_call(self, call);
    }
}
