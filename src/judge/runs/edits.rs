//! Which commands change files of the work tree, or may. A command not known to be read-only counts as a
//! change, because a green run before it no longer proves anything. Must not look at the disk.

use super::catalog::Catalog;
use super::script::{Command, joined};
use super::wrapper::Call;

/// Extensions of scripts. What a script does is unknown, so it may have changed files.
const SCRIPT_ENDS: [&str; 9] = [".py", ".js", ".mjs", ".cjs", ".ts", ".rb", ".pl", ".sh", ".php"];
/// Extensions of documents, which no compiler and no test reads as a rule.
const DOCUMENT_ENDS: [&str; 4] = [".md", ".markdown", ".rst", ".adoc"];
/// Signs that an inline program writes files.
const WRITING_CALLS: [&str; 14] = [
    "write", "open(", "'w'", "\"w\"", "rename", "unlink", "replace(", "remove", "copy", "move", "dump(",
    "save", "mkdir", "sub(",
];
/// Whether a command changes files of the work tree, or may.
pub(super) fn changes_files(command: &Command, call: &Call, home: Option<&str>, catalog: &Catalog) -> bool {
    let is_inside = |target: &String| is_in_tree(target, command.folder.as_deref(), home);
    if command.writes.iter().any(is_inside) {
        return true;
    }
    let words = &call.words;
    let Some(first) = words.first().map(String::as_str) else { return false };
    let targets = || words[1..].iter().filter(|word| !word.starts_with('-'));
    match first {
        "tee" | "mv" | "cp" | "rm" | "touch" | "ln" | "rsync" | "truncate" => targets().any(is_inside),
        "python" | "python2" | "python3" | "py" | "node" | "ruby" | "perl" | "php" | "bash" | "sh"
        | "tsx" | "ts-node" | "deno" | "bun" => runs_program(words, command, catalog),
        _ => catalog.is_edit(words) || is_script(&command.words),
    }
}

/// Whether this is a script of the project, called by its path.
fn is_script(words: &[String]) -> bool {
    words.first().is_some_and(|first| {
        first.contains('/')
            && SCRIPT_ENDS.iter().any(|end| first.ends_with(end))
            && !first.starts_with("/usr/")
    })
}

/// Whether an interpreter runs a program that may write: a script, or text with calls that write.
fn runs_program(words: &[String], command: &Command, catalog: &Catalog) -> bool {
    let writes = |text: &str| WRITING_CALLS.iter().any(|call| text.contains(call));
    if let Some(text) = &command.heredoc {
        return writes(text);
    }
    let inline =
        words.iter().position(|word| matches!(word.as_str(), "-c" | "-e" | "--eval" | "-p" | "-ne" | "-r"));
    if let Some(at) = inline {
        return words.get(at + 1).is_some_and(|text| writes(text));
    }
    if catalog.is_edit(words) {
        return true;
    }
    let asks_only =
        words.iter().any(|word| matches!(word.as_str(), "--version" | "-V" | "--help" | "-h" | "-v"));
    let is_script = |word: &String| SCRIPT_ENDS.iter().any(|end| word.ends_with(end));
    !asks_only && words[1..].iter().any(is_script)
}

/// Whether a file is a document, judging by its name.
pub(super) fn is_document(path: &str) -> bool {
    DOCUMENT_ENDS.iter().any(|end| path.ends_with(end))
}

/// Whether a path lies in the work tree, judging by its text. Files written as evidence
/// for closeout are not work.
pub(super) fn is_in_tree(path: &str, folder: Option<&str>, home: Option<&str>) -> bool {
    let Some(full) = joined(folder, path) else { return true };
    let is_evidence = full.split('/').any(|part| part == ".closeout");
    let is_below = home.is_some_and(|home| {
        let rest = full.strip_prefix(home.trim_end_matches('/'));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    });
    let is_nowhere = full.starts_with("/dev/") && !is_below || path.starts_with('&');
    let is_outside = match home {
        Some(_) if full.starts_with('/') => !is_below,
        _ => full.starts_with("/tmp/") || full.starts_with("/var/") || full.starts_with("/private/"),
    };
    let is_variable = full.starts_with('~') || full.starts_with("$TMP") || full.starts_with("$HOME");
    !is_evidence && !is_nowhere && !is_outside && !is_variable
}
