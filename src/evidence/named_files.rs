//! Finds the files that prompts name, and of these the ones that neither are there nor were written under another folder.
//! Must not decide whether a prompt asked for one; the judge reads that.

use super::untrusted_file::{FileReach, FileRefusal, WorkspaceDir};
use crate::model::{Deed, GitFacts, Observations, PromptKind, SessionObservation, bare_words};

/// At most this many turns of a session are searched, from the newest.
const MAX_TURNS: usize = 40;
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

/// The files that prompts name, by paths from the workspace's top, without those that a session wrote or whose name stands
/// in one of its commands.
pub(super) fn find(found: &Observations) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    for name in found.sessions().flat_map(in_prompts) {
        let is_of_work = || found.sessions().any(|session| is_touched(session, base(name)));
        if files.len() < MAX_FILES && !files.iter().any(|known| known == name) && !is_of_work() {
            files.push(name.to_owned());
        }
    }
    files
}

/// The names of all files that commits since the baseline and uncommitted changes have, in lower case, without folders;
/// `None` where they are too many to be told.
pub(super) fn changed(git: &GitFacts) -> Option<Vec<String>> {
    let commits = &git.commits;
    let changes = git.changes.as_ref()?;
    let committed: Option<Vec<_>> = commits.newest.iter().map(|commit| commit.paths.as_ref()).collect();
    let is_all =
        commits.n_new as usize <= commits.newest.len() && changes.n_paths as usize <= changes.files.len();
    let changed = changes.files.iter().map(|file| &file.path);
    let paths = committed.filter(|_| is_all)?.into_iter().flatten().chain(changed);
    Some(paths.map(|path| base(path).to_lowercase()).collect())
}

/// The files of `named` that are not there, and of whose name none of the `changed` files is.
pub(super) fn absent(directory: &WorkspaceDir, named: &[String], changed: Option<&[String]>) -> Vec<String> {
    let Some(changed) = changed else { return Vec::new() };
    let is_gone =
        |name: &str| matches!(directory.open_file(name, FileReach::Workspace), Err(FileRefusal::Absent));
    let is_elsewhere = |name: &str| changed.contains(&base(name).to_lowercase());
    named.iter().filter(|name| !is_elsewhere(name) && is_gone(name)).cloned().collect()
}

fn in_prompts(session: &SessionObservation) -> impl Iterator<Item = &str> {
    let newest = session.history.turns.iter().rev().take(MAX_TURNS);
    let prompts = newest.filter_map(|turn| turn.prompt.as_deref());
    let own = prompts.filter(|prompt| matches!(prompt.kind, PromptKind::Person | PromptKind::CustomCommand));
    own.flat_map(|prompt| {
        let end = prompt.text.floor_char_boundary(MAX_PROMPT);
        // Scripts without blanks set names beside their own signs.
        prompt.text[..end]
            .split(|sign: char| !sign.is_ascii())
            .flat_map(bare_words)
            .filter(|word| is_file(word))
    })
}

/// Whether a session wrote a file of this name, or may have, by a command.
fn is_touched(session: &SessionObservation, name: &str) -> bool {
    let steps = session.history.turns.iter().flat_map(|turn| &turn.steps);
    steps.into_iter().any(|step| match &step.deed {
        Deed::Edit { paths, .. } => paths.iter().any(|path| base(path).eq_ignore_ascii_case(name)),
        Deed::Command(run) => run.is_cut || run.command.contains(name),
        Deed::Other { .. } => true,
        Deed::SentOff { was_read, .. } => !was_read,
        Deed::Asked { .. } => false,
    })
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
