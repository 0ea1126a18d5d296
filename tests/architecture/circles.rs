//! Finds circles: files of one room that need each other, by way of others or directly.
//!
//! File A needs file B if the program's code in A names something that B defines, or calls a method on `self`
//! that B defines. A `pub use` hands a name on and needs nothing: who uses the name needs the file where it is
//! defined. Tests do not count.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::source::{self, Context, Source};

/// Names may be handed on this many times.
const MAX_HOPS: usize = 8;

/// A circle of files.
pub(super) struct Circle {
    /// Its files, sorted.
    pub(super) files: Vec<String>,
    /// Which of its files needs which, for what.
    pub(super) explanation: String,
}

/// The circles of each room.
pub(super) fn circles(files: &[(String, String)]) -> Vec<Circle> {
    let arrows = CrateFiles::new(files).arrows();
    let mut circles = Vec::new();
    let mut is_placed = BTreeSet::new();
    let reach: BTreeMap<&str, BTreeSet<&str>> =
        arrows.keys().map(|file| (*file, reachable(&arrows, file))).collect();
    for (file, reached) in &reach {
        if !reached.contains(file) || is_placed.contains(file) {
            continue;
        }
        let circle: Vec<&str> = reached
            .iter()
            .copied()
            .filter(|other| reach.get(other).is_some_and(|back| back.contains(file)))
            .collect();
        is_placed.extend(circle.iter().copied());
        let files = circle.iter().map(|file| (*file).to_owned()).collect();
        circles.push(Circle { files, explanation: explanation(&arrows, &circle) });
    }
    circles
}

/// From file to file of one room, with what is needed there.
pub(super) fn arrows(files: &[(String, String)]) -> Vec<(String, String, String)> {
    let arrows = CrateFiles::new(files).arrows();
    let listed = arrows.into_iter().flat_map(|(from, needed)| {
        let what = |names: BTreeSet<String>| names.into_iter().collect::<Vec<_>>().join(", ");
        needed.into_iter().map(move |(to, names)| (from.to_owned(), to.to_owned(), what(names)))
    });
    listed.collect()
}

fn explanation(arrows: &Arrows<'_>, circle: &[&str]) -> String {
    let mut lines = vec![format!("a circle of {} files:", circle.len())];
    for file in circle {
        for (needed, what) in arrows.get(file).into_iter().flatten() {
            if circle.contains(needed) {
                let what: Vec<&str> = what.iter().map(String::as_str).collect();
                lines.push(format!("  {file} needs {needed} for {}", what.join(", ")));
            }
        }
    }
    lines.join("\n")
}

/// From file to file, with what is needed there.
type Arrows<'f> = BTreeMap<&'f str, BTreeMap<&'f str, BTreeSet<String>>>;

fn reachable<'f>(arrows: &Arrows<'f>, from: &str) -> BTreeSet<&'f str> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<&str> = vec![from];
    while let Some(file) = open.pop() {
        for next in arrows.get(file).into_iter().flat_map(BTreeMap::keys) {
            if reached.insert(*next) {
                open.push(*next);
            }
        }
    }
    reached
}

struct CrateFiles<'f> {
    /// The module of each file, with `crate` in front.
    modules: BTreeMap<Vec<String>, &'f str>,
    sources: BTreeMap<&'f str, Arc<Source>>,
    /// Where the methods of a type are: by the type's file, its name and the method.
    methods: BTreeMap<(&'f str, String, String), BTreeSet<&'f str>>,
}

impl<'f> CrateFiles<'f> {
    fn new(files: &'f [(String, String)]) -> Self {
        let mut all = Self { modules: BTreeMap::new(), sources: BTreeMap::new(), methods: BTreeMap::new() };
        for (file, text) in files.iter().filter(|(file, _)| !source::is_test_file(file)) {
            let Some(source) = source::read(file, text) else { continue };
            let module = std::iter::once("crate".to_owned()).chain(source::module_of(file)).collect();
            all.modules.insert(module, file);
            all.sources.insert(file, source);
        }
        let mut methods: BTreeMap<_, BTreeSet<&str>> = BTreeMap::new();
        for (file, source) in &all.sources {
            for (owner, method) in &source.defined_methods {
                let owner = all.definition_in(file, owner);
                methods.entry((owner.0, owner.1, method.clone())).or_default().insert(*file);
            }
        }
        all.methods = methods;
        all
    }

    fn arrows(&self) -> Arrows<'f> {
        let mut arrows: Arrows<'f> = BTreeMap::new();
        for (file, source) in &self.sources {
            let needed = arrows.entry(file).or_default();
            let program =
                source.paths.iter().filter(|path| path.context == Context::Program && !path.is_reexport);
            for path in program {
                if let Some((target, name)) = self.definition(file, &path.segments)
                    && !name.is_empty()
                {
                    needed.entry(target).or_default().insert(name);
                }
            }
            for (owner, method) in &source.self_calls {
                let (owner_file, owner) = self.definition_in(file, owner);
                let defined = self.methods.get(&(owner_file, owner.clone(), method.clone()));
                for target in defined.into_iter().flatten() {
                    needed.entry(target).or_default().insert(format!("{owner}::{method}"));
                }
            }
            needed.retain(|target, _| target != file && super::room_of(target) == super::room_of(file));
        }
        arrows
    }

    /// The file that defines what a path names that is written in a file, and the name; the name is empty for a
    /// module. `None` for what is outside of this crate or of a file's own.
    fn definition(&self, file: &str, path: &[String]) -> Option<(&'f str, String)> {
        let mut path = self.absolute(file, path)?;
        for _ in 0..MAX_HOPS {
            let length = (1..=path.len()).rev().find(|length| self.modules.contains_key(&path[..*length]))?;
            let file = self.modules[&path[..length]];
            let Some(name) = path.get(length) else { return Some((file, String::new())) };
            let Some(full) = self.sources[file].names.get(name) else { return Some((file, name.clone())) };
            let full: Vec<String> = full.iter().chain(&path[length + 1..]).cloned().collect();
            path = self.absolute(file, &full)?;
        }
        None
    }

    /// A path that begins with `crate`; `child::name` means a module below the file that writes it.
    fn absolute(&self, file: &str, path: &[String]) -> Option<Vec<String>> {
        if path.first()? == "crate" {
            return Some(path.to_vec());
        }
        let own = std::iter::once("crate".to_owned()).chain(source::module_of(file));
        let below: Vec<String> = own.chain(path.iter().cloned()).collect();
        let child = below.len() - path.len() + 1;
        self.modules.contains_key(&below[..child]).then_some(below)
    }

    /// The same for a path as a file writes it, which may name something of the file itself.
    fn definition_in(&self, file: &'f str, path: &[String]) -> (&'f str, String) {
        self.definition(file, path).unwrap_or_else(|| (file, path.join("::")))
    }
}
