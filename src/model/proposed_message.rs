//! The proposed message of a rescue commit: from words and the paths that are in it, in the form of
//! Conventional Commits, with trailers that say that it is a rescue. A person may still take paths in and leave
//! them out, so that every front makes it here, from the plan alone.
//!
//! It must not invent what was done: without words that say it, the paths are named.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use super::{CommitPath, MessageWords, PlannedChange, PlannedPath, RescuePlan, SplitKind, display_text};

/// So many paths are named.
const NAMED: usize = 10;
/// The widest line, in columns of a terminal.
const COLUMNS: usize = 72;
/// The longest scope, in signs.
const SCOPE: usize = 20;
/// Folders that say nothing about what is in them.
const GENERIC: [&str; 12] =
    ["src", "lib", "app", "apps", "packages", "crates", "internal", "pkg", "cmd", "modules", "test", "tests"];

/// A path with what became of it.
type Change<'a> = (&'a [u8], PlannedChange);

impl MessageWords {
    /// A message for the whole of a rescue that changes these paths.
    pub fn message(&self, changes: &[Change<'_>]) -> String {
        let subject = match &self.done {
            Some(done) => {
                let kind = by_paths(changes).or(self.kind.as_deref()).unwrap_or("chore");
                assembled(kind, changes, done)
            }
            None => of_paths(changes),
        };
        self.with_body(&subject, self.said.as_deref(), changes)
    }

    /// A message for one commit of several: told by its paths alone.
    pub fn message_of_part(&self, changes: &[Change<'_>]) -> String {
        self.with_body(&of_paths(changes), None, changes)
    }

    /// The message as it was typed, with the trailers that say what it is.
    pub fn with_trailers(&self, message: &str) -> String {
        let text = message.trim_end_matches('\n');
        let last = text.rsplit("\n\n").next().unwrap_or_default();
        let gap = if text.contains("\n\n") && last.lines().all(is_trailer) { "\n" } else { "\n\n" };
        format!("{text}{gap}Rescued-by: closeout\nRescue-record: {}\n", self.record)
    }

    fn with_body(&self, subject: &str, said: Option<&str>, changes: &[Change<'_>]) -> String {
        let mut message = format!("{subject}\n\n");
        if let Some(said) = said {
            let _ = write!(message, "{said}\n\n");
        }
        for (path, change) in changes.iter().take(NAMED) {
            let verb = match change {
                PlannedChange::Added => "add",
                PlannedChange::Modified => "change",
                PlannedChange::Deleted => "delete",
            };
            // Writing to a string cannot fail.
            let _ = writeln!(message, "- {verb} {}", display_text::bytes(path));
        }
        if changes.len() > NAMED {
            let _ = writeln!(message, "- and {} more", changes.len() - NAMED);
        }
        self.with_trailers(message.trim_end())
    }
}

impl RescuePlan {
    /// Changes which paths are in the commit. Each message that is as it was proposed is proposed anew for
    /// what is in it then; what a person wrote stays.
    pub fn choose_paths<T>(&mut self, choose: impl FnOnce(&mut [PlannedPath]) -> T) -> T {
        let before = self.proposals();
        let chosen = choose(&mut self.paths);
        let after = self.proposals();
        let was_proposed = self.message == before.whole;
        if was_proposed {
            self.message.clone_from(&after.whole);
        }
        let parts = before.parts.iter().zip(after.parts);
        let commits = self.splits.iter_mut().flat_map(|split| &mut split.commits);
        for (commit, (before, after)) in commits.zip(parts) {
            if commit.message == *before {
                commit.message = after;
            }
        }
        chosen
    }

    /// Every message as it is proposed for what is in the commit now.
    fn proposals(&self) -> Proposals {
        let is_in = |path: &&PlannedPath| path.left_out.is_none();
        let changes: BTreeMap<&[u8], PlannedChange> =
            self.paths.iter().filter(is_in).map(|path| (&path.path[..], path.change)).collect();
        let all: Vec<Change<'_>> = changes.iter().map(|(path, change)| (*path, *change)).collect();
        let whole = self.words.message(&all);
        let part = |paths: &[CommitPath]| {
            let known = |path: &'_ CommitPath| changes.get_key_value(&path.path[..]).map(|(a, b)| (*a, *b));
            self.words.message_of_part(&paths.iter().filter_map(known).collect::<Vec<_>>())
        };
        let parts = self.splits.iter().flat_map(|split| {
            split.commits.iter().enumerate().map(|(n, commit)| match (split.kind, n) {
                // What is staged is told as the whole.
                (SplitKind::Staged, 0) => whole.clone(),
                (SplitKind::Staged | SplitKind::Folders | SplitKind::Agent, _) => part(&commit.paths),
            })
        });
        let parts = parts.collect();
        Proposals { whole, parts }
    }
}

/// The messages of a plan.
struct Proposals {
    whole: String,
    /// Of each commit of each split, in their order.
    parts: Vec<String>,
}

/// `Word-and-word: value`, as git takes it for a trailer.
fn is_trailer(line: &str) -> bool {
    line.split_once(": ").is_some_and(|(token, value)| {
        !token.is_empty()
            && !value.trim().is_empty()
            && token.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
    })
}

/// The subject that the paths alone give.
fn of_paths(changes: &[Change<'_>]) -> String {
    let kind = by_paths(changes).unwrap_or("chore");
    let verb = match changes.first() {
        Some((_, first)) if changes.iter().all(|(_, change)| change == first) => match first {
            PlannedChange::Added => "add",
            PlannedChange::Modified => "change",
            PlannedChange::Deleted => "delete",
        },
        Some(_) | None => "save work on",
    };
    let description = if let [(path, _)] = changes {
        format!("{verb} {}", short_name(path))
    } else {
        let folder = common_folder(changes);
        let place = if folder.is_empty() { String::new() } else { format!(" in {}", folder.join("/")) };
        format!("{verb} {} files{place}", changes.len())
    };
    // The place is named already.
    assembled(kind, &[], &description)
}

/// The name of a file without control or invisible signs.
fn short_name(path: &[u8]) -> String {
    let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
    display_text::bytes(name)
}

fn assembled(kind: &str, changes: &[Change<'_>], description: &str) -> String {
    let head = match scope(changes) {
        Some(scope) => format!("{kind}({scope}): "),
        None => format!("{kind}: "),
    };
    let room = COLUMNS - head.width();
    head + &fitted(description, room)
}

/// The text within so many columns; at the end of a word if one ends in the second half.
fn fitted(text: &str, room: usize) -> String {
    if text.width() <= room {
        return text.to_owned();
    }
    let mut width = 0;
    let mut end = 0;
    for (place, sign) in text.char_indices() {
        width += sign.width().unwrap_or(0);
        // One column for the sign that tells of the rest.
        if width > room - 1 {
            break;
        }
        end = place + sign.len_utf8();
    }
    let mut kept = &text[..end];
    if let Some(blank) = kept.rfind(' ').filter(|blank| *blank > end / 2) {
        kept = &kept[..blank];
    }
    // A sign may be as wide as two that stand alone; the whole is measured again.
    let mut shown = format!("{}…", kept.trim_end_matches([' ', ',', ';', ':', '、']));
    while shown.width() > room && shown.chars().count() > 1 {
        shown.pop();
        shown.pop();
        shown.push('…');
    }
    shown
}

/// The folder that all changes lie in, as a scope: one short plain word.
fn scope(changes: &[Change<'_>]) -> Option<String> {
    let folder = common_folder(changes);
    let name = folder.into_iter().find(|name| !GENERIC.contains(&name.as_str()))?;
    let is_plain = name.len() <= SCOPE
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
        && !name.starts_with('.');
    is_plain.then_some(name)
}

fn common_folder(changes: &[Change<'_>]) -> Vec<String> {
    let mut folders = changes.iter().map(|(path, _)| {
        let mut parts: Vec<&[u8]> = path.split(|byte| *byte == b'/').collect();
        parts.pop();
        parts
    });
    let mut common = folders.next().unwrap_or_default();
    for folder in folders {
        let n = common.iter().zip(&folder).take_while(|(a, b)| a == b).count();
        common.truncate(n);
    }
    common.into_iter().map(display_text::bytes).collect()
}

/// A kind that the paths leave no doubt about.
fn by_paths(changes: &[Change<'_>]) -> Option<&'static str> {
    let all = |is: fn(&str) -> bool| {
        !changes.is_empty()
            && changes.iter().all(|(path, _)| is(&String::from_utf8_lossy(path).to_lowercase()))
    };
    let is_test = |path: &str| {
        path.split('/').any(|part| matches!(part, "test" | "tests" | "spec" | "specs" | "__tests__"))
            || path.contains("_test.")
            || path.contains(".test.")
            || path.contains(".spec.")
    };
    let is_doc = |path: &str| {
        path.split('/').any(|part| matches!(part, "doc" | "docs"))
            || [".md", ".rst", ".adoc", ".txt"].iter().any(|end| path.ends_with(end))
    };
    let is_ci = |path: &str| {
        path.starts_with(".github/workflows/")
            || path.starts_with(".gitlab-ci")
            || path.starts_with(".circleci/")
    };
    if all(is_test) {
        Some("test")
    } else if all(is_ci) {
        Some("ci")
    } else if all(is_doc) {
        Some("docs")
    } else {
        None
    }
}
