//! The `[[tool]]` entries of the user's file: tests, builds, linters and type checks of their own, in the form of
//! `assets/checks.toml`. Pure.
//!
//! What a tool's lines mean decides what proves work, so no other layer may contain them.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::model::{CheckKind, CheckTool};

use super::kind::one_of;
use super::problem::shown;
use super::reader::{Reader, number, texts, type_name};

/// The table with the entries.
pub(super) const TOOLS: &str = "tool";

/// How many entries are allowed.
const MAX_TOOLS: usize = 100;
/// How long a name may be, in characters.
const MAX_NAME: usize = 64;
/// How many elements a list may have, and how long an element may be, in bytes.
const MAX_ENTRIES: usize = 100;
const MAX_TEXT: usize = 4096;

const KEYS: [&str; 20] = [
    "name", "kind", "run", "each", "with", "without", "part", "values", "whole", "takes_folders", "watch",
    "is_silent", "runs_others", "covers", "empty_codes", "fail", "pass", "empty", "failing", "failing_below",
];
const KINDS: [(&str, CheckKind); 4] = [
    ("test", CheckKind::Test),
    ("build", CheckKind::Build),
    ("lint", CheckKind::Lint),
    ("types", CheckKind::Types),
];

impl Reader<'_> {
    pub(super) fn read_tools(&mut self, at: usize, value: &Spanned<DeValue<'_>>, tools: &mut Vec<CheckTool>) {
        for (at, table) in self.tables(TOOLS, at, value, MAX_TOOLS, ": it says what proves work") {
            self.read_tool(at, table, tools);
        }
    }

    fn read_tool(&mut self, at: usize, table: &DeTable<'_>, tools: &mut Vec<CheckTool>) {
        let mut tool = CheckTool::default();
        let mut is_read = true;
        for (name, value) in table {
            let key = name.get_ref();
            if !KEYS.contains(&&**key) {
                self.unknown_in(TOOLS, key, name.span().start, &KEYS);
                is_read = false;
            } else if let Err(what) = take(key, value.get_ref(), &mut tool) {
                self.tool_problem(value.span().start, key, what);
                is_read = false;
            }
        }
        for key in ["name", "kind", "run"] {
            if !table.iter().any(|(name, _)| name.get_ref() == key) {
                self.tool_problem(at, key, "is missing".to_owned());
                is_read = false;
            }
        }
        if tools.iter().any(|known| known.name == tool.name) {
            let what = format!("is the name of another tool too: \"{}\"", shown(&tool.name));
            self.tool_problem(at, "name", what);
        } else if is_read {
            tools.push(tool);
        }
    }

    fn tool_problem(&mut self, at: usize, key: &str, what: String) {
        self.problem(at, Some(format!("{TOOLS}.{key}")), what);
    }
}

/// Takes the value of a key over; the error says what it must be, in words that follow the key.
fn take(key: &str, value: &DeValue<'_>, tool: &mut CheckTool) -> Result<(), String> {
    let wanted = |wanted: &str| format!("must be {wanted}, not {}", type_name(value));
    if let Some(switch) = switch_of(key, tool) {
        *switch = value.as_bool().ok_or_else(|| wanted("true or false"))?;
    } else if let Some(list) = list_of(key, tool) {
        let is_usable = |entry: &String| !entry.trim().is_empty() && entry.len() <= MAX_TEXT;
        let entries = texts(value).ok_or_else(|| wanted("a list of strings"))?;
        if entries.len() > MAX_ENTRIES || !entries.iter().all(is_usable) || key == "run" && entries.is_empty()
        {
            return Err(format!("must be 1 to {MAX_ENTRIES} strings that are not empty"));
        }
        *list = entries;
    } else if key == "empty_codes" {
        let code = |entry: &Spanned<DeValue<'_>>| i32::try_from(number(entry.get_ref())?).ok();
        let codes = value.as_array().map(|codes| codes.iter().map(code).collect::<Option<Vec<i32>>>());
        tool.empty_codes = codes.flatten().ok_or_else(|| wanted("a list of exit codes"))?;
    } else if key == "kind" {
        let kind = value.as_str().and_then(|name| KINDS.iter().find(|(known, _)| *known == name));
        tool.kind = kind.ok_or_else(|| format!("must be {}", one_of(&KINDS.map(|(name, _)| name))))?.1;
    } else {
        let name = value.as_str().ok_or_else(|| wanted("a string"))?;
        if name.trim().is_empty() || name.chars().count() > MAX_NAME || name.chars().any(char::is_control) {
            return Err(format!("must be a name of 1 to {MAX_NAME} characters"));
        }
        name.clone_into(&mut tool.name);
    }
    Ok(())
}

fn switch_of<'t>(key: &str, tool: &'t mut CheckTool) -> Option<&'t mut bool> {
    Some(match key {
        "each" => &mut tool.each,
        "takes_folders" => &mut tool.takes_folders,
        "is_silent" => &mut tool.is_silent,
        "runs_others" => &mut tool.runs_others,
        _ => return None,
    })
}

fn list_of<'t>(key: &str, tool: &'t mut CheckTool) -> Option<&'t mut Vec<String>> {
    Some(match key {
        "run" => &mut tool.run,
        "with" => &mut tool.with,
        "without" => &mut tool.without,
        "part" => &mut tool.part,
        "values" => &mut tool.values,
        "whole" => &mut tool.whole,
        "watch" => &mut tool.watch,
        "covers" => &mut tool.covers,
        "fail" => &mut tool.fail,
        "pass" => &mut tool.pass,
        "empty" => &mut tool.empty,
        "failing" => &mut tool.failing,
        "failing_below" => &mut tool.failing_below,
        _ => return None,
    })
}
