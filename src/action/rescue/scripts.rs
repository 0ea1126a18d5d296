//! Which files of a workspace a command or a script calls, as far as words name them: what belongs to a program that
//! is trusted.
//!
//! It must not run anything, and must not leave the workspace and its git directory.

use std::collections::BTreeSet;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::git::Repository;

/// Of a script up to this size the words are looked at for files that it names.
const SCRIPT_CAP: usize = 64 << 10;
/// Ends of the names of scripts.
const ENDS: [&str; 14] =
    ["bash", "cjs", "fish", "js", "lua", "mjs", "php", "pl", "ps1", "py", "rb", "sh", "ts", "zsh"];

/// True for what a script runs rather than works on.
fn is_script(path: &Path) -> bool {
    let is_called_so = path.extension().is_some_and(|end| ENDS.iter().any(|it| end == *it));
    is_called_so || path.metadata().is_ok_and(|metadata| metadata.mode() & 0o100 != 0)
}

/// The scripts that are called, and those that they call.
pub(super) struct Scripts<'r> {
    repo: &'r Repository,
    /// Found and not read yet.
    pub(super) next: BTreeSet<PathBuf>,
    /// Found at all.
    found: BTreeSet<PathBuf>,
}

impl<'r> Scripts<'r> {
    /// None found yet.
    pub(super) fn new(repo: &'r Repository) -> Scripts<'r> {
        Scripts { repo, next: BTreeSet::new(), found: BTreeSet::new() }
    }

    /// Adds what a script names: from the top, and beside it, as scripts find what belongs to them.
    pub(super) fn add(&mut self, path: &Path, content: &[u8]) {
        let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let is_new = self.found.insert(real);
        if !is_new || content.len() > SCRIPT_CAP {
            return;
        }
        let text = String::from_utf8_lossy(content);
        let beside = path.parent().unwrap_or(&self.repo.top);
        for line in text.lines() {
            let mut is_read_in = false;
            for word in words(line) {
                is_read_in |= matches!(word, "." | "source");
                let name = word.trim_start_matches('/');
                for folder in [&*self.repo.top, beside] {
                    let meant = std::iter::once(name.to_owned()).chain(as_modules(path, name));
                    let named = meant.filter_map(|name| inside(self.repo, &folder.join(name)));
                    let called = named.filter(|named| is_read_in || is_script(named));
                    self.next.extend(called.filter(|named| !self.found.contains(named)));
                }
            }
        }
    }
}

/// What a word can be the name of where a language leaves the end of a file's name away.
fn as_modules(script: &Path, word: &str) -> Vec<String> {
    let end = script.extension().and_then(|end| end.to_str()).filter(|end| ENDS.contains(end));
    let Some(end) = end else { return Vec::new() };
    let is_python = end == "py";
    let base = if is_python { word.replace('.', "/") } else { word.to_owned() };
    let index = if is_python { "__init__.py".to_owned() } else { format!("index.{end}") };
    vec![format!("{base}.{end}"), format!("{base}/{index}")]
}

/// Files of the workspace or of its git directory that stand in a command.
pub(super) fn named_files(texts: &[String], repo: &Repository) -> BTreeSet<PathBuf> {
    texts.iter().flat_map(|text| words(text)).filter_map(|word| inside(repo, &repo.top.join(word))).collect()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| c.is_whitespace() || "\"'`;|&()<>{}=$,".contains(c));
    words.filter(|word| !word.is_empty() && word.len() <= 4096)
}

/// A file, if it is one of the workspace or of its git directory.
fn inside(repo: &Repository, path: &Path) -> Option<PathBuf> {
    let path = path.canonicalize().ok()?;
    let is_inside = [&repo.top, &repo.git_dir, &repo.common_dir].iter().any(|it| path.starts_with(it));
    (is_inside && path.metadata().is_ok_and(|metadata| metadata.is_file())).then_some(path)
}
