//! Holds a file against the table and says in words what does not fit.

use std::collections::BTreeSet;

use super::source::{self, Context, Found, Source};
use super::table::{
    CHANGING_METHODS, EXCEPTIONS, Exception, NEEDS, Need, RESERVED_CRATES, ROOMS, Right, Room,
    WRITING_METHODS,
};

/// Roots of paths that are not outside crates.
const OWN_ROOTS: [&str; 5] = ["crate", "std", "core", "alloc", "Self"];

/// What does not fit in a file of a room, each thing once.
pub(super) fn findings(room: &Room, file: &str, text: &str) -> Vec<String> {
    let exception = EXCEPTIONS.iter().find(|exception| exception.file == file);
    findings_with(room, exception, file, text)
}

/// The same with another exception than the table's.
pub(super) fn findings_with(
    room: &Room,
    exception: Option<&Exception>,
    file: &str,
    text: &str,
) -> Vec<String> {
    let room = &Allowed { room, exception };
    let mut found = BTreeSet::new();
    if !has_module_doc(text) {
        found.insert(format!("{file}: has no module doc"));
    }
    match source::read(file, text) {
        Some(source) => {
            for path in &source.paths {
                check_path(room, file, path, &mut found);
            }
            check_rights(room, file, &source, &mut found);
        }
        None => {
            found.insert(format!("{file}: is not Rust"));
        }
    }
    for name in rooms_in_text(text) {
        check_arrow(room, file, name, &mut found);
    }
    found.into_iter().collect()
}

/// What does not fit in a file at the top of `src/`: there are two, the crate and the program.
pub(super) fn findings_of_crate_root(file: &str, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    if !has_module_doc(text) {
        found.push(format!("{file}: has no module doc"));
    }
    match (file, source::read(file, text)) {
        (_, None) => found.push(format!("{file}: is not Rust")),
        ("src/lib.rs", Some(source)) => {
            if source.has_other_than_modules {
                found.push(format!("{file}: holds something else than its rooms"));
            }
        }
        ("src/main.rs", Some(source)) => {
            let is_elsewhere = |path: &Found| {
                path.segments.first().is_some_and(|root| root == "crate")
                    && path.segments.get(1).is_some_and(|room| room != "cli" && room != "main")
            };
            if source.paths.iter().any(is_elsewhere) {
                found.push(format!("{file}: imports another room than `cli`"));
            }
        }
        (_, Some(_)) => found.push(format!("{file}: stands in no room")),
    }
    found
}

/// A room and what one of its files may do beyond it.
struct Allowed<'t> {
    room: &'t Room,
    exception: Option<&'t Exception>,
}

impl Allowed<'_> {
    fn has(&self, right: Right) -> bool {
        self.room.rights.contains(&right)
            || self.exception.is_some_and(|exception| exception.rights.contains(&right))
    }

    fn may_use(&self, name: &str) -> bool {
        if self.exception.is_some_and(|exception| exception.crates.contains(&name)) {
            return true;
        }
        let is_reserved = RESERVED_CRATES
            .iter()
            .any(|(reserved, rooms)| *reserved == name && !rooms.contains(&self.room.name));
        !is_reserved && self.room.crates.is_none_or(|crates| crates.contains(&name))
    }
}

fn has_module_doc(text: &str) -> bool {
    text.starts_with("//! ") || text.starts_with("#![doc")
}

fn check_path(room: &Allowed<'_>, file: &str, path: &Found, found: &mut BTreeSet<String>) {
    let Found { segments, written, is_glob, context, .. } = path;
    if written.windows(2).any(|pair| pair[0] == "super" && pair[1] == "super") {
        found.insert(format!("{file}: goes up by super::super"));
    }
    if segments.first().is_some_and(|root| root == "crate") {
        if *is_glob && *context == Context::Program {
            found.insert(format!("{file}: has a glob import of this crate"));
        }
        if let Some(target) = segments.get(1) {
            check_arrow(room, file, target, found);
            if target == room.room.name {
                return;
            }
        }
    } else if *context == Context::Program {
        check_crate(room, file, segments, found);
    }
    if *context == Context::Test {
        return;
    }
    if let Some((prefix, need)) = need_of(segments) {
        let is_allowed = match need {
            Need::Nothing => true,
            Need::Of(right) => room.has(right),
            Need::Refused => false,
        };
        if !is_allowed && is_crate_allowed(room, segments) {
            found.insert(format!("{file}: uses `{prefix}`, which `{}` has no right to", room.room.name));
        }
    }
}

/// The longest prefix of the path that the table knows.
fn need_of(segments: &[String]) -> Option<(&'static str, Need)> {
    let path = segments.join("::");
    NEEDS
        .iter()
        .filter(|(prefix, _)| {
            path.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
        })
        .max_by_key(|(prefix, _)| prefix.len())
        .map(|(prefix, need)| (*prefix, *need))
}

fn check_arrow(room: &Allowed<'_>, file: &str, target: &str, found: &mut BTreeSet<String>) {
    let is_room = ROOMS.iter().any(|other| other.name == target);
    if is_room && target != room.room.name && !room.room.imports.contains(&target) {
        found.insert(format!("{file}: imports `{target}`, which `{}` may not", room.room.name));
    }
}

fn check_crate(room: &Allowed<'_>, file: &str, segments: &[String], found: &mut BTreeSet<String>) {
    if !is_crate_allowed(room, segments) {
        found.insert(format!("{file}: uses the crate `{}`, which `{}` may not", segments[0], room.room.name));
    }
}

/// Only what is a dependency is a crate: a path may begin with a type or module of the file too.
fn is_crate_allowed(room: &Allowed<'_>, segments: &[String]) -> bool {
    let Some(first) = segments.first() else { return true };
    if segments.len() < 2 || OWN_ROOTS.contains(&first.as_str()) || !dependencies().contains(first) {
        return true;
    }
    room.may_use(first)
}

/// The names of all dependencies, as code writes them.
fn dependencies() -> BTreeSet<String> {
    let manifest: toml::Table = include_str!("../../Cargo.toml").parse().unwrap();
    let names =
        ["dependencies", "dev-dependencies"].iter().filter_map(|table| manifest.get(*table)?.as_table());
    names.flat_map(|table| table.keys()).map(|name| name.replace('-', "_")).collect()
}

fn check_rights(room: &Allowed<'_>, file: &str, source: &Source, found: &mut BTreeSet<String>) {
    if source.has_extern_crate {
        found.insert(format!("{file}: has an extern crate"));
    }
    if source.has_bare_test_module {
        found.insert(format!("{file}: has a module `tests` without #[cfg(test)]"));
    }
    if !room.has(Right::Concurrency) {
        if source.n_async > 0 {
            found.insert(format!("{file}: is async, which `{}` may not be", room.room.name));
        }
        if source.macros.iter().any(|name| name == "thread_local") {
            found.insert(format!("{file}: has a thread_local, which `{}` may not", room.room.name));
        }
    }
    let opens_raw = |(method, _, context): &&(String, bool, Context)| {
        *context == Context::Program && method == "custom_flags"
    };
    if !room.has(Right::OpenRaw) && source.methods.iter().any(|method| opens_raw(&method)) {
        found.insert(format!("{file}: calls `custom_flags`, which is for `disk` alone"));
    }
    if room.has(Right::WriteFiles) {
        return;
    }
    for (method, has_true, context) in &source.methods {
        let opens = *has_true && WRITING_METHODS.contains(&method.as_str());
        if *context == Context::Program && (opens || CHANGING_METHODS.contains(&method.as_str())) {
            found.insert(format!("{file}: calls `{method}`, and `{}` has no right to write", room.room.name));
        }
    }
}

/// The second net: rooms that are named after `crate::` anywhere but in comments, as in an attribute's
/// text, which is no code for the parser.
fn rooms_in_text(text: &str) -> Vec<&str> {
    text.lines()
        .map(|line| line.split("//").next().unwrap_or_default())
        .flat_map(|line| line.split("crate::").skip(1))
        .map(|rest| {
            rest.split(|sign: char| !sign.is_alphanumeric() && sign != '_').next().unwrap_or_default()
        })
        .collect()
}
