//! The first line of a proposed message: `type(scope): description`, never wider than 72 columns. Pure.
//!
//! It must not invent what was done: without words that say it, the paths are named.

use unicode_width::UnicodeWidthChar as _;
use unicode_width::UnicodeWidthStr as _;

use super::Change;
use super::words;
use crate::model::{PlannedChange, display_text};

/// The widest line, in columns of a terminal.
pub(super) const COLUMNS: usize = 72;
/// The longest scope, in signs.
const SCOPE: usize = 20;
/// Folders that say nothing about what is in them.
const GENERIC: [&str; 12] =
    ["src", "lib", "app", "apps", "packages", "crates", "internal", "pkg", "cmd", "modules", "test", "tests"];

/// The subject for the whole of a rescue.
pub(super) fn of(task: Option<&str>, last_words: Option<&str>, changes: &[Change]) -> String {
    let asked = task.and_then(|task| sentences(task).find_map(|sentence| words::as_order(&sentence)));
    let told = || last_words.and_then(|said| sentences(said).find_map(|sentence| words::as_done(&sentence)));
    match asked.or_else(told) {
        Some(description) => {
            let kind = by_paths(changes).unwrap_or_else(|| words::kind_of(&description));
            assembled(kind, changes, &description)
        }
        None => of_paths(changes),
    }
}

/// The subject that the paths alone give.
pub(super) fn of_paths(changes: &[Change]) -> String {
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

fn assembled(kind: &str, changes: &[Change], description: &str) -> String {
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
fn scope(changes: &[Change]) -> Option<String> {
    let folder = common_folder(changes);
    let name = folder.into_iter().find(|name| !GENERIC.contains(&name.as_str()))?;
    let is_plain = name.len() <= SCOPE
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
        && !name.starts_with('.');
    is_plain.then_some(name)
}

fn common_folder(changes: &[Change]) -> Vec<String> {
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
fn by_paths(changes: &[Change]) -> Option<&'static str> {
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

/// The sentences of a text, without what is no prose.
fn sentences(text: &str) -> impl Iterator<Item = String> {
    let lines: Vec<String> = prose_lines(text).take(40).collect();
    lines.into_iter().flat_map(|line| {
        let mut sentences = Vec::new();
        let mut sentence = String::new();
        let mut signs = line.chars().peekable();
        while let Some(sign) = signs.next() {
            let is_end = match sign {
                '。' | '！' | '？' => true,
                '.' | '!' | '?' | ';' => signs.peek().is_none_or(|next| *next == ' '),
                _ => false,
            };
            sentence.push(sign);
            if is_end {
                sentences.push(std::mem::take(&mut sentence));
            }
        }
        sentences.push(sentence);
        sentences
    })
}

/// The lines that are prose: no code, no marks of Markdown, nothing that a client put in.
fn prose_lines(text: &str) -> impl Iterator<Item = String> {
    let mut is_code = false;
    text.lines().filter_map(move |line| {
        let line = line.trim();
        if line.starts_with("```") || line.starts_with("~~~") {
            is_code = !is_code;
            return None;
        }
        let line = line.trim_start_matches(['#', '>', '*', '-', '•', ' ']);
        let line = line.trim_start_matches(|c: char| c.is_ascii_digit()).strip_prefix(". ").unwrap_or(line);
        let is_other =
            is_code || line.starts_with(['<', '|', '@', '{', '[', '$']) || line.starts_with("http");
        // `/command words`: the words.
        let line = match line.strip_prefix('/') {
            Some(command) => command.split_once(' ').map_or("", |(_, words)| words),
            None => line,
        };
        let plain: String = plain(line);
        (!is_other && !plain.is_empty()).then_some(plain)
    })
}

/// One line without marks, controls and signs that nobody sees; blanks are single.
fn plain(line: &str) -> String {
    let shown: String = line
        .chars()
        .filter(|c| !matches!(c, '`' | '*') && !display_text::is_unsafe(*c) && !c.is_control())
        .collect();
    shown.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The first paragraph that is prose.
pub(super) fn prose(text: &str) -> String {
    let paragraphs = text.split("\n\n").map(|paragraph| prose_lines(paragraph).collect::<Vec<_>>().join(" "));
    paragraphs
        .filter(|paragraph| !paragraph.is_empty())
        .map(|it| it.chars().take(2000).collect())
        .next()
        .unwrap_or_default()
}

/// Pieces of a text between which a line can be broken: words, and each wide sign.
pub(super) fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut start = 0;
    for (place, sign) in text.char_indices() {
        let end = place + sign.len_utf8();
        let is_mark = matches!(text[end..].chars().next(), Some('。' | '、' | '」' | '）' | 'ー'));
        if sign == ' ' || (sign.width() == Some(2) && !is_mark) {
            pieces.push(&text[start..end]);
            start = end;
        }
    }
    pieces.push(&text[start..]);
    pieces
}
