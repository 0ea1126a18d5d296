//! What a value may be: a single check for all layers, so that flags and files follow the same rules.

use std::path::{Component, Path};

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::{HoursOfDay, TaskKind};

use super::problem::{meant, shown};

/// How many entries a list may have.
const MAX_ENTRIES: usize = 100;

/// How long a path may be, in bytes (`PATH_MAX` on Linux).
const MAX_PATH: usize = 4096;

/// How long a revision may be, in bytes.
const MAX_REVISION: usize = 256;

/// A value as written, before or after its check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Value {
    /// A string.
    Text(String),
    /// A list of strings.
    List(Vec<String>),
    /// A whole number.
    Number(i64),
    /// True or false.
    Switch(bool),
}

/// What a value may be.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    /// The name of a task kind.
    Task,
    /// A git revision.
    Revision,
    /// A path in the workspace, or an empty string for none.
    PathOrNone,
    /// A list of paths or patterns in the workspace.
    Paths,
    /// A program and its arguments.
    Command,
    /// A list of names; the parameter says of what.
    Names(&'static str),
    /// A list of pairs `NAME=VALUE`; the parameter says of what.
    Pairs(&'static str),
    /// A list of these words.
    Words(&'static [&'static str]),
    /// A span of the day, or an empty string for none.
    Hours,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A whole number in this range, both ends included.
    Number { from: i64, to: i64 },
    /// True or false.
    Switch,
}

impl Kind {
    /// What is allowed, in words that follow "must be".
    pub(super) fn allowed(self) -> String {
        match self {
            Kind::Task => one_of(&TaskKind::names()),
            Kind::Revision => "a revision as git understands it, which does not begin with `-`".to_owned(),
            Kind::PathOrNone => "a path inside the workspace, or \"\" for none".to_owned(),
            Kind::Paths => format!("a list of at most {MAX_ENTRIES} paths inside the workspace"),
            Kind::Command => {
                format!(
                    "a list of a program and at most {} arguments, without control characters",
                    MAX_ENTRIES - 1
                )
            }
            Kind::Names(of) => format!("a list of at most {MAX_ENTRIES} names of {of}"),
            Kind::Pairs(of) => format!("a list of at most {MAX_ENTRIES} {of}"),
            Kind::Words(words) => format!("a list of words, each {}", one_of(words)),
            Kind::Hours => "a span of the day like \"22:00-07:30\", or \"\" for none".to_owned(),
            Kind::Choice(words) => one_of(words),
            Kind::Number { from, to } => format!("a whole number from {from} to {to}"),
            Kind::Switch => "true or false".to_owned(),
        }
    }

    /// The value in its normal form, or what is wrong with it, in words that follow the key.
    pub(super) fn check(self, value: Value) -> Result<Value, String> {
        match (self, value) {
            (
                Kind::Task | Kind::Choice(_) | Kind::Revision | Kind::PathOrNone | Kind::Hours,
                Value::Text(text),
            ) => self.check_text(text).map(Value::Text),
            (Kind::Paths, Value::List(entries)) => self.check_paths(&entries),
            (Kind::Command | Kind::Names(_) | Kind::Pairs(_) | Kind::Words(_), Value::List(entries)) => {
                self.check_list(entries)
            }
            (Kind::Number { from, to }, Value::Number(number)) => {
                if (from..=to).contains(&number) {
                    Ok(Value::Number(number))
                } else {
                    Err(self.refused(&number.to_string()))
                }
            }
            (Kind::Switch, Value::Switch(switch)) => Ok(Value::Switch(switch)),
            (_, value) => Err(self.refused(value.type_name())),
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "any other text is fine as it is")]
    fn check_text(self, text: String) -> Result<String, String> {
        let refused = || Err(self.refused(&quoted(&text)));
        match self {
            Kind::Task => match TaskKind::from_name(&text) {
                Some(kind) => Ok(kind.name().to_owned()),
                None => Err(self.refused_word(&text, &TaskKind::names())),
            },
            Kind::Choice(words) if !words.contains(&text.as_str()) => Err(self.refused_word(&text, words)),
            Kind::Revision => {
                let is_usable = !text.trim().is_empty()
                    && text.len() <= MAX_REVISION
                    && !text.starts_with('-')
                    && !text.chars().any(char::is_control);
                if is_usable { Ok(text) } else { refused() }
            }
            Kind::PathOrNone if !text.is_empty() => inside(&text).map_or_else(refused, Ok),
            Kind::Hours if !text.is_empty() && HoursOfDay::parse(&text).is_none() => refused(),
            _ => Ok(text),
        }
    }

    fn check_list(self, entries: Vec<String>) -> Result<Value, String> {
        if let Kind::Words(words) = self {
            return match entries.iter().find(|entry| !words.contains(&entry.as_str())) {
                None => Ok(Value::List(entries)),
                Some(entry) => Err(self.refused_word(entry, words)),
            };
        }
        let is_usable = |entry: &String| {
            let is_name = !entry.is_empty() && !entry.starts_with('-') && !entry.contains(' ');
            let is_pair = entry.split_once('=').is_some_and(|(_, value)| !value.is_empty());
            entry.len() <= MAX_PATH
                && (is_pair || !matches!(self, Kind::Pairs(_)))
                && !entry.chars().any(char::is_control)
                && (is_name || matches!(self, Kind::Command))
        };
        let has_program = entries.first().is_none_or(|first| !first.is_empty());
        if entries.len() <= MAX_ENTRIES && entries.iter().all(is_usable) && has_program {
            Ok(Value::List(entries))
        } else {
            Err(self.refused("this list"))
        }
    }

    /// The sentence "must be …, not …", in which `found` is what was found.
    pub(super) fn refused(self, found: &str) -> String {
        format!("must be {}, not {found}", self.allowed())
    }

    fn refused_word(self, text: &str, words: &[&str]) -> String {
        self.refused(&quoted(text)) + &meant(text, words)
    }

    fn check_paths(self, entries: &[String]) -> Result<Value, String> {
        if entries.len() > MAX_ENTRIES {
            return Err(self.refused(&format!("{} of them", entries.len())));
        }
        let mut paths = Vec::with_capacity(entries.len());
        for entry in entries {
            match inside(entry) {
                Some(path) => paths.push(path),
                None => return Err(format!("must be {}, and {} is not", self.allowed(), quoted(entry))),
            }
        }
        Ok(Value::List(paths))
    }
}

impl Value {
    fn type_name(&self) -> &'static str {
        match self {
            Value::Text(_) => "a string",
            Value::List(_) => "a list",
            Value::Number(_) => "a number",
            Value::Switch(_) => "true or false",
        }
    }
}

/// Normalises a path: without `.` and repeated separators. `None` unless it names something below the
/// folder it is relative to. Evidence files are compared with git's paths, which have this form.
fn inside(path: &str) -> Option<String> {
    if path.len() > MAX_PATH || path.chars().any(char::is_control) {
        return None;
    }
    let mut parts = Vec::new();
    for component in Path::new(path).components() {
        match component {
            Component::Normal(part) => parts.push(part.to_str()?),
            Component::CurDir => {}
            Component::Prefix(_) | Component::RootDir | Component::ParentDir => return None,
        }
    }
    if parts.is_empty() { None } else { Some(parts.join("/")) }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", shown(text))
}

/// The words in quotes, with "or" before the last.
pub(super) fn one_of(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        Some(_) | None => quoted.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_leaves_the_workspace_is_refused() {
        for path in ["/etc/passwd", "../x", "a/../../x", "a/..", ".", "./", "a\nb", "a\0b", ""] {
            assert_eq!(inside(path), None, "{path:?}");
        }
    }

    #[test]
    fn a_path_gets_the_form_that_git_uses() {
        assert_eq!(inside("./a//b/./c.md/"), Some("a/b/c.md".to_owned()));
        assert_eq!(inside("docs/**/*.md"), Some("docs/**/*.md".to_owned()));
        assert_eq!(inside("報告.md"), Some("報告.md".to_owned()));
    }

    #[test]
    fn a_revision_is_never_a_flag() {
        assert!(Kind::Revision.check(Value::Text("--output=x".to_owned())).is_err());
        assert!(Kind::Revision.check(Value::Text("HEAD@{1 day ago}".to_owned())).is_ok());
    }
}
