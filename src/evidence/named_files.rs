//! Finds the files that prompts name, and of these the ones that neither are there nor were written under another folder.
//! Must not decide whether a prompt asked for one; the judge reads that.

use std::collections::{BTreeMap, BTreeSet};

use super::named_plans::prompts;
use super::required_files::Search;
use super::untrusted_file::{FileReach, FileRefusal, WorkspaceDir};
use crate::model::{Deed, GitFacts, Observations, SessionObservation, bare_words};

/// At most so many bytes of a prompt are searched; what follows is material.
const MAX_PROMPT: usize = 20_000;
/// At most this many files are looked up.
const MAX_FILES: usize = 20;
/// The longest name.
const LONGEST_NAME: usize = 200;
/// How names end that are of files for sure: not of a library ("node.js"), a version or a host.
const ENDINGS: [&str; 56] = [
    "adoc", "bat", "bicep", "c", "cfg", "cjs", "conf", "cpp", "cs", "css", "csv", "dart", "erb", "ex", "exs",
    "go", "gradle", "graphql", "h", "hpp", "html", "ini", "ipynb", "java", "json", "jsonl", "jsx", "kt",
    "kts", "lua", "md", "mdx", "mjs", "php", "proto", "ps1", "py", "rb", "rs", "rst", "scala", "scss", "sh",
    "sql", "svg", "swift", "tf", "toml", "ts", "tsx", "txt", "vue", "xml", "yaml", "yml", "zig",
];

/// What is known of the files that prompts name, for collections that do not read all of it.
#[derive(Debug, Default)]
pub(super) struct NamedFiles {
    /// By paths from the workspace's top, without those that a session wrote or whose name stands in one of its commands.
    named: Vec<String>,
    /// The names of all changed files, in lower case, without folders; `None` where they are too many to be told.
    changed: Option<Vec<String>>,
    /// Whether a file of this name was somewhere in the work tree at the first look. The search takes long.
    is_elsewhere: BTreeMap<String, bool>,
    absent: Vec<String>,
}

impl NamedFiles {
    /// Takes the names from prompts.
    pub(super) fn read_prompts(&mut self, found: &Observations) {
        let mut seen = BTreeSet::new();
        let names = found.sessions().flat_map(in_prompts).filter(|name| seen.insert(*name));
        let names: Vec<&str> = names.collect();
        // Most prompts name no file, and the steps need not be searched.
        let written = if names.is_empty() { None } else { Written::of(found) };
        let unwritten = |name: &&str| written.as_ref().is_some_and(|written| !written.may_have(base(name)));
        self.named = names.into_iter().filter(unwritten).take(MAX_FILES).map(str::to_owned).collect();
    }

    /// Takes the names of files that commits since the baseline and uncommitted changes have.
    pub(super) fn read_changes(&mut self, git: &GitFacts) {
        let Some(changes) = &git.changes else { return };
        let commits = &git.commits;
        let committed: Option<Vec<_>> = commits.newest.iter().map(|commit| commit.paths.as_ref()).collect();
        let is_all =
            commits.n_new as usize <= commits.newest.len() && changes.n_paths as usize <= changes.files.len();
        self.changed = committed.filter(|_| is_all).map(|committed| {
            let uncommitted = changes.files.iter().map(|file| &file.path);
            committed.into_iter().flatten().chain(uncommitted).map(|path| base(path).to_lowercase()).collect()
        });
    }

    /// Looks which files are not there, and of whose name none was changed or is in another folder.
    pub(super) fn look(&mut self, directory: &WorkspaceDir) {
        let Some(changed) = &self.changed else { return self.absent.clear() };
        let is_gone =
            |name: &str| matches!(directory.open_file(name, FileReach::Workspace), Err(FileRefusal::Absent));
        let is_changed = |name: &str| {
            let lower = base(name).to_lowercase();
            changed.iter().any(|changed| is_named(changed, &lower))
        };
        let mut search = Search::default();
        let mut is_elsewhere = |name: &String| {
            *self.is_elsewhere.entry(name.clone()).or_insert_with(|| {
                let found = search.matching_files(directory, &format!("**/{}", base(name)), 1);
                !found.paths.is_empty() || found.not_seen.is_some()
            })
        };
        let absent =
            self.named.iter().filter(|name| !is_changed(name) && is_gone(name) && !is_elsewhere(name));
        self.absent = absent.cloned().collect();
    }

    /// The files that were not there at the last look.
    pub(super) fn absent(&self) -> &[String] {
        &self.absent
    }
}

fn in_prompts(session: &SessionObservation) -> impl Iterator<Item = &str> {
    prompts(session).flat_map(|prompt| {
        let end = prompt.floor_char_boundary(MAX_PROMPT);
        // Scripts without blanks set names beside their own signs.
        prompt[..end].split(|sign: char| !sign.is_ascii()).flat_map(bare_words).filter(|word| is_file(word))
    })
}

/// What all sessions wrote, or may have written.
struct Written<'s> {
    /// The names of files that an edit tool wrote, in lower case, without folders.
    files: BTreeSet<String>,
    commands: Vec<&'s str>,
}

impl<'s> Written<'s> {
    /// `None` where a step may have written anything.
    fn of(found: &'s Observations) -> Option<Written<'s>> {
        let mut written = Written { files: BTreeSet::new(), commands: Vec::new() };
        let turns = found.sessions().flat_map(|session| &session.history.turns);
        for step in turns.flat_map(|turn| &turn.steps) {
            match &step.deed {
                Deed::Edit { paths, .. } => {
                    written.files.extend(paths.iter().map(|path| base(path).to_lowercase()));
                }
                Deed::Command(run) if run.is_cut => return None,
                // What a commit's message says is not written yet.
                Deed::Command(run) if run.command.starts_with("git commit") => {}
                Deed::Command(run) => written.commands.push(&run.command),
                Deed::SentOff { was_read: true, .. } | Deed::Asked { .. } => {}
                Deed::SentOff { was_read: false, .. } | Deed::Other { .. } => return None,
            }
        }
        Some(written)
    }

    /// Whether a file of this name may be among it.
    fn may_have(&self, name: &str) -> bool {
        let lower = name.to_lowercase();
        self.files.iter().any(|file| is_named(file, &lower))
            || self.commands.iter().any(|command| command.contains(name))
    }
}

/// Whether a word is the path of a file in the workspace.
fn is_file(word: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_' | b'/');
    let ends = || base(word).rsplit_once('.').filter(|(stem, _)| !stem.is_empty());
    word.len() <= LONGEST_NAME
        && !word.starts_with('/')
        && word.bytes().all(is_plain)
        && !word.split('/').any(|part| part == ".." || part.is_empty())
        && ends().is_some_and(|(_, end)| ENDINGS.contains(&end))
}

/// Whether a file is called so, both in lower case, be it with a number or a date in front: `0042_orders.sql`.
fn is_named(file: &str, name: &str) -> bool {
    let number = file.strip_suffix(name);
    number
        .is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'_' | b'-')))
}

fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_told_from_libraries_hosts_and_patterns() {
        for name in ["docs/load.md", "docker-compose.yml", ".github/workflows/ci.yaml", "a.py"] {
            assert!(is_file(name), "{name}");
        }
        for other in
            ["node.js", "example.com", "v2.4", "src/*.ts", "../a.md", "/etc/a.conf", ".md", "a//b.md"]
        {
            assert!(!is_file(other), "{other}");
        }
    }
}
