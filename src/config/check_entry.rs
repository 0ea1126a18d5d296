//! The `[[check]]` entries of the user's file: what must hold before work counts as complete. Pure.
//!
//! They name programs, so no other layer may contain them.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::model::{CheckAsk, CheckMode, CheckPlace, ConfiguredCheck};

use super::kind::{Kind, Value};
use super::pattern::Pattern;
use super::problem::{meant, shown};
use super::reader::{Reader, number, texts, type_name};

/// The table with the entries.
pub(super) const CHECKS: &str = "check";

/// How many entries are allowed.
const MAX_CHECKS: usize = 64;
/// How long a name may be, in characters.
const MAX_NAME: usize = 64;
/// How many elements a list may have, and how long an element may be, in bytes.
const MAX_ENTRIES: usize = 100;
const MAX_TEXT: usize = 4096;
/// The default and the highest time limit of a program, in seconds.
const LIMIT_S: u32 = 600;
const MAX_LIMIT_S: i64 = 86_400;

/// The default and the highest number of times per hour that a model is asked.
const PER_HOUR: u32 = 6;
const MAX_PER_HOUR: i64 = 60;

const KEYS: [&str; 14] = [
    "name", "kind", "path", "command", "agent", "model", "criteria", "per_hour", "files", "paths",
    "max_lines", "of", "limit_seconds", "where",
];
const KINDS: [&str; 9] = ["command", "external", "judge", "plan", "files", "tests", "scope", "all", "any"];

/// A check, for the workspaces that match the pattern, or for all without one.
#[derive(Debug, Clone)]
pub(super) struct CheckEntry {
    pub(super) pattern: Option<Pattern>,
    pub(super) check: ConfiguredCheck,
}

#[derive(Default)]
struct Entry {
    name: Option<String>,
    kind: Option<String>,
    pattern: Option<Pattern>,
    command: Option<Vec<String>>,
    agent: Option<String>,
    model: Option<String>,
    criteria: Option<Vec<String>>,
    per_hour: Option<i64>,
    files: Option<Vec<String>>,
    paths: Option<Vec<String>>,
    max_lines: Option<i64>,
    of: Option<Vec<String>>,
    limit: Option<i64>,
    place: Option<String>,
}

impl Reader<'_> {
    pub(super) fn read_checks(
        &mut self,
        at: usize,
        value: &Spanned<DeValue<'_>>,
        checks: &mut Vec<CheckEntry>,
    ) {
        for (at, table) in self.tables(CHECKS, at, value, MAX_CHECKS, ": it names commands") {
            self.read_check(at, table, checks);
        }
        self.look_at_groups(at, checks);
    }

    fn read_check(&mut self, at: usize, table: &DeTable<'_>, checks: &mut Vec<CheckEntry>) {
        let mut entry = Entry::default();
        let mut is_read = true;
        for (name, value) in table {
            is_read &= self.read_check_key(name.get_ref(), name.span().start, value, &mut entry);
        }
        if !is_read {
            return;
        }
        match checked(entry) {
            Ok(found) if checks.iter().any(|known| known.check.name == found.check.name) => {
                let what = format!("is the name of another check too: \"{}\"", shown(&found.check.name));
                self.check_problem(at, "name", what);
            }
            Ok(found) => checks.push(found),
            Err((key, what)) => self.check_problem(at, key, what),
        }
    }

    /// Reads one key. False if it is invalid, which is reported.
    fn read_check_key(
        &mut self,
        key: &str,
        at: usize,
        value: &Spanned<DeValue<'_>>,
        entry: &mut Entry,
    ) -> bool {
        let text = || value.get_ref().as_str().map(str::to_owned);
        let list = || texts(value.get_ref());
        let number = || number(value.get_ref());
        let is_read = match key {
            "name" => set(&mut entry.name, text()),
            "kind" => set(&mut entry.kind, text()),
            "command" => set(&mut entry.command, list().map(|words| self.at_home_each(words))),
            "agent" => set(&mut entry.agent, text()),
            "where" => set(&mut entry.place, text()),
            "model" => set(&mut entry.model, text()),
            "criteria" => set(&mut entry.criteria, list()),
            "per_hour" => set(&mut entry.per_hour, number()),
            "files" => set(&mut entry.files, list()),
            "paths" => set(&mut entry.paths, list()),
            "of" => set(&mut entry.of, list()),
            "max_lines" => set(&mut entry.max_lines, number()),
            "limit_seconds" => set(&mut entry.limit, number()),
            "path" => match text().map(|text| Pattern::parse(&text, self.home)) {
                Some(Err(what)) => {
                    self.check_problem(value.span().start, key, what);
                    return false;
                }
                read => set(&mut entry.pattern, read.and_then(Result::ok)),
            },
            _ => {
                self.unknown_in(CHECKS, key, at, &KEYS);
                return false;
            }
        };
        if !is_read {
            let wanted = match key {
                "command" | "criteria" | "files" | "paths" | "of" => "a list of strings",
                "max_lines" | "per_hour" | "limit_seconds" => "a whole number",
                _ => "a string",
            };
            let what = format!("must be {wanted}, not {}", type_name(value.get_ref()));
            self.check_problem(value.span().start, key, what);
        }
        is_read
    }

    /// Replaces a leading `~/` in each part of a command by the home directory.
    fn at_home_each(&self, words: Vec<String>) -> Vec<String> {
        let home = self.home.and_then(|home| home.to_str());
        let at_home = |word: String| match (word.strip_prefix("~/"), home) {
            (Some(rest), Some(home)) => format!("{}/{rest}", home.trim_end_matches('/')),
            (Some(_), None) | (None, _) => word,
        };
        words.into_iter().map(at_home).collect()
    }

    /// Checks that groups name only existing checks, and that no check belongs to two groups.
    fn look_at_groups(&mut self, at: usize, checks: &[CheckEntry]) {
        let mut wrong = Vec::new();
        let mut taken: Vec<String> = Vec::new();
        for entry in checks {
            let CheckAsk::Group { of, .. } = &entry.check.ask else { continue };
            for name in of {
                let is_there = checks.iter().any(|other| other.check.name == *name);
                if !is_there || *name == entry.check.name {
                    wrong.push(format!("names a check that does not exist: \"{}\"", shown(name)));
                } else if taken.contains(name) {
                    wrong.push(format!("names a check that another group has: \"{}\"", shown(name)));
                }
                taken.push(name.clone());
            }
        }
        for what in wrong {
            self.check_problem(at, "of", what);
        }
    }

    fn check_problem(&mut self, at: usize, key: &str, what: String) {
        self.problem(at, Some(format!("{CHECKS}.{key}")), what);
    }
}

fn set<T>(place: &mut Option<T>, value: Option<T>) -> bool {
    let is_read = value.is_some();
    *place = value;
    is_read
}

/// Builds the check, or returns the invalid key and what is wrong with it.
fn checked(entry: Entry) -> Result<CheckEntry, (&'static str, String)> {
    let missing = |key: &'static str| (key, "is missing".to_owned());
    let name = entry.name.clone().ok_or_else(|| missing("name"))?;
    if name.trim().is_empty() || name.chars().count() > MAX_NAME || name.chars().any(char::is_control) {
        return Err(("name", format!("must have 1 to {MAX_NAME} characters, and no control characters")));
    }
    let kind = entry.kind.clone().ok_or_else(|| missing("kind"))?;
    let command = || {
        let command = entry.command.clone().ok_or_else(|| missing("command"))?;
        let is_usable =
            command.first().is_some_and(|program| !program.is_empty() && !program.starts_with('-'));
        if is_usable && is_list(&command) {
            Ok(command)
        } else {
            Err(("command", "must be a list of a program and its arguments".to_owned()))
        }
    };
    let of = || entry.of.clone().filter(|of| !of.is_empty() && is_list(of)).ok_or_else(|| missing("of"));
    let files = || within_workspace(entry.files.clone().unwrap_or_default());
    let ask = match kind.as_str() {
        "judge" => judge(&entry)?,
        "plan" => CheckAsk::Plan { files: files()? },
        "tests" => CheckAsk::Tests { files: files()? },
        "files" if entry.files.is_none() => return Err(missing("files")),
        "files" => CheckAsk::Files { files: files()? },
        "command" => CheckAsk::Command { command: command()? },
        "external" => CheckAsk::External { command: command()? },
        "scope" => scope(entry.paths.clone().unwrap_or_default(), entry.max_lines)?,
        "all" => CheckAsk::Group { mode: CheckMode::All, of: of()? },
        "any" => CheckAsk::Group { mode: CheckMode::Any, of: of()? },
        other => {
            let meant = meant(other, &KINDS);
            let what = format!("must be one of {}, not \"{}\"{meant}", KINDS.join(", "), shown(other));
            return Err(("kind", what));
        }
    };
    let limit_s = up_to("limit_seconds", entry.limit, LIMIT_S, MAX_LIMIT_S)?;
    let place = place(&entry, &ask)?;
    Ok(CheckEntry { pattern: entry.pattern, check: ConfiguredCheck { name, ask, limit_s, place } })
}

fn place(entry: &Entry, ask: &CheckAsk) -> Result<CheckPlace, (&'static str, String)> {
    match (entry.place.as_deref(), ask) {
        (None | Some("here"), _) => Ok(CheckPlace::Here),
        (Some("ci"), CheckAsk::Command { .. } | CheckAsk::External { .. }) => Ok(CheckPlace::Ci),
        (Some("ci"), _) => Err(("where", "can be \"ci\" only for the kinds command and external".to_owned())),
        (Some(other), _) => Err(("where", format!("must be here or ci, not \"{}\"", shown(other)))),
    }
}

/// The number given for a key, from 1 to `most`, or `usual` if there is none.
fn up_to(
    key: &'static str,
    given: Option<i64>,
    usual: u32,
    most: i64,
) -> Result<u32, (&'static str, String)> {
    let Some(given) = given else { return Ok(usual) };
    let number = u32::try_from(given).ok().filter(|_| (1..=most).contains(&given));
    number.ok_or_else(|| (key, format!("must be from 1 to {most}, not {given}")))
}

/// A check in which a model is asked about written criteria.
fn judge(entry: &Entry) -> Result<CheckAsk, (&'static str, String)> {
    let criteria = entry.criteria.clone().ok_or_else(|| ("criteria", "is missing".to_owned()))?;
    if criteria.is_empty() || !is_list(&criteria) || criteria.iter().any(|text| text.trim().is_empty()) {
        return Err(("criteria", format!("must be a list of 1 to {MAX_ENTRIES} criteria, each in words")));
    }
    let name = |key, name: &Option<String>| match name {
        Some(name) if name.is_empty() || name.starts_with('-') || name.chars().any(char::is_control) => {
            Err((key, "must be a name".to_owned()))
        }
        name => Ok(name.clone()),
    };
    let per_hour = up_to("per_hour", entry.per_hour, PER_HOUR, MAX_PER_HOUR)?;
    let (agent, model) = (name("agent", &entry.agent)?, name("model", &entry.model)?);
    Ok(CheckAsk::Judge { agent, model, criteria, per_hour })
}

fn within_workspace(files: Vec<String>) -> Result<Vec<String>, (&'static str, String)> {
    match Kind::Paths.check(Value::List(files)) {
        Ok(Value::List(files)) => Ok(files),
        Ok(Value::Text(_) | Value::Number(_) | Value::Switch(_)) => {
            Err(("files", "must be a list".to_owned()))
        }
        Err(what) => Err(("files", what)),
    }
}

fn scope(paths: Vec<String>, max_lines: Option<i64>) -> Result<CheckAsk, (&'static str, String)> {
    if paths.is_empty() && max_lines.is_none() {
        return Err(("paths", "or `max_lines` is missing: one of them says what is allowed".to_owned()));
    }
    if !is_list(&paths) {
        return Err(("paths", format!("must be a list of at most {MAX_ENTRIES} patterns")));
    }
    let max_lines = max_lines
        .map(|lines| u64::try_from(lines).map_err(|_| ("max_lines", "must not be negative".to_owned())))
        .transpose()?;
    Ok(CheckAsk::Scope { paths, max_lines })
}

fn is_list(entries: &[String]) -> bool {
    entries.len() <= MAX_ENTRIES
        && entries.iter().all(|entry| entry.len() <= MAX_TEXT && !entry.contains('\0'))
}
