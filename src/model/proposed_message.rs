//! The proposed message of a rescue commit, made from words and the included paths, in the form of
//! Conventional Commits, with trailers that identify it as a rescue. The user can still include and exclude
//! paths, so every front builds the message here, from the plan alone.
//!
//! It must not invent what was done: if no words say it, the message names the paths.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use super::{CommitPath, MessageWords, PlannedChange, PlannedPath, RescuePlan, SplitKind, display_text};

/// How many paths are listed.
const NAMED: usize = 10;
/// The maximum line width, in terminal columns.
const COLUMNS: usize = 72;
/// The maximum length of a scope, in bytes.
const SCOPE: usize = 20;
/// Folder names that say nothing about their content.
const GENERIC: [&str; 12] =
    ["src", "lib", "app", "apps", "packages", "crates", "internal", "pkg", "cmd", "modules", "test", "tests"];

type Change<'a> = (&'a [u8], PlannedChange);

impl MessageWords {
    /// The message for a rescue that makes one commit with these changes.
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

    /// The message for one of several commits, derived from its paths alone.
    pub fn message_of_part(&self, changes: &[Change<'_>]) -> String {
        self.with_body(&of_paths(changes), None, changes)
    }

    /// Appends the trailers that identify a rescue to a message.
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
    /// Changes which paths are in the commit. Messages that are still as proposed are proposed again for the
    /// new selection; messages that the user edited stay.
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

    /// All proposed messages for the current selection of paths.
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
                // The staged part is described like the whole.
                (SplitKind::Staged, 0) => whole.clone(),
                (SplitKind::Staged | SplitKind::Folders | SplitKind::Agent, _) => part(&commit.paths),
            })
        });
        let parts = parts.collect();
        Proposals { whole, parts }
    }
}

struct Proposals {
    whole: String,
    /// One per commit of each split, in order.
    parts: Vec<String>,
}

/// A `Word-and-word: value` line, which git treats as a trailer.
fn is_trailer(line: &str) -> bool {
    line.split_once(": ").is_some_and(|(token, value)| {
        !token.is_empty()
            && !value.trim().is_empty()
            && token.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
    })
}

/// A subject derived from the paths alone.
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
    // The description names the place already, so there is no scope.
    assembled(kind, &[], &description)
}

/// A file name without control or invisible characters.
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

/// Shortens a text to `room` columns; at a word boundary if there is one in the second half.
fn fitted(text: &str, room: usize) -> String {
    if text.width() <= room {
        return text.to_owned();
    }
    let mut width = 0;
    let mut end = 0;
    for (place, sign) in text.char_indices() {
        width += sign.width().unwrap_or(0);
        // One column is reserved for the ellipsis.
        if width > room - 1 {
            break;
        }
        end = place + sign.len_utf8();
    }
    let mut kept = &text[..end];
    if let Some(blank) = kept.rfind(' ').filter(|blank| *blank > end / 2) {
        kept = &kept[..blank];
    }
    // A sequence of characters can be wider than the sum of its parts, so the whole is measured again.
    let mut shown = format!("{}…", kept.trim_end_matches([' ', ',', ';', ':', '、']));
    while shown.width() > room && shown.chars().count() > 1 {
        shown.pop();
        shown.pop();
        shown.push('…');
    }
    shown
}

/// The scope: the first telling folder that contains all changes, if it is one short plain word.
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

/// The commit type, if the paths leave no doubt about it.
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
