//! The `[[agent]]` entries of the user's file, which describe agents of their own. Pure.
//!
//! They name commands and places outside the workspaces, so no other layer may contain them.

use toml::Spanned;
use toml::de::DeValue;

use crate::model::{AgentTrail, BUILT_IN_AGENTS, CustomAgent, TranscriptFormat};

use super::kind::{Kind, Value, one_of};
use super::problem::shown;
use super::reader::{Reader, texts, type_name};

/// The table with the entries.
pub(super) const AGENTS: &str = "agent";

/// How many entries are allowed.
const MAX_AGENTS: usize = 32;
/// How long a name may be, in bytes.
const MAX_NAME: usize = 32;
/// How long a place, a field or an argument may be, in bytes (`PATH_MAX` on Linux).
const MAX_TEXT: usize = 4096;
/// How many parts a command may have, including the program.
const MAX_ARGUMENTS: usize = 100;
/// The placeholders for the workspace in a place.
const PLACEHOLDERS: [&str; 3] = ["{workspace}", "{name}", "{slug}"];

const KEYS: [&str; 8] =
    ["name", "output", "transcript", "format", "fields", "status_file", "reply_file", "commands"];
const FIELDS: [&str; 3] = ["role", "text", "time"];
const COMMANDS: [&str; 3] = ["probe", "query", "reply"];
const FORMATS: [&str; 3] = ["claude", "codex", "jsonl"];

/// What was read of one entry, and where each of its keys is.
#[derive(Default)]
struct Entry {
    name: Option<String>,
    output: Option<String>,
    transcript: Option<String>,
    format: Option<String>,
    fields: [Option<String>; 3],
    status_file: Option<String>,
    reply_file: Option<String>,
    commands: [Option<Vec<String>>; 3],
    /// The keys present, valid or not, each with its offset.
    given: Vec<(&'static str, usize)>,
}

impl Entry {
    fn place_of(&self, key: &str) -> Option<usize> {
        self.given.iter().find(|(given, _)| *given == key).map(|(_, at)| *at)
    }
}

impl Reader<'_> {
    pub(super) fn read_agents(
        &mut self,
        at: usize,
        value: &Spanned<DeValue<'_>>,
        agents: &mut Vec<CustomAgent>,
    ) {
        for (at, table) in self.tables(AGENTS, at, value, MAX_AGENTS, ": it names commands") {
            let mut read = Entry::default();
            for (name, value) in table {
                self.read_agent_key(name.get_ref(), name.span().start, value, &mut read);
            }
            self.finish_agent(at, read, agents);
        }
    }

    fn read_agent_key(&mut self, key: &str, at: usize, value: &Spanned<DeValue<'_>>, entry: &mut Entry) {
        let Some(known) = KEYS.iter().copied().find(|known| *known == key) else {
            self.unknown_in(AGENTS, key, at, &KEYS);
            return;
        };
        entry.given.push((known, at));
        match known {
            "name" => entry.name = self.agent_text(known, value, check_name),
            "output" => entry.output = self.agent_text(known, value, |text| check_place(text, true)),
            "transcript" => entry.transcript = self.agent_text(known, value, |text| check_place(text, true)),
            "format" => entry.format = self.agent_text(known, value, check_format),
            "status_file" => {
                entry.status_file = self.agent_text(known, value, |text| check_place(text, false));
            }
            "reply_file" => entry.reply_file = self.agent_text(known, value, |text| check_place(text, false)),
            "fields" => {
                for (index, at, value) in self.agent_section(known, value, &FIELDS) {
                    let key = format!("fields.{}", FIELDS[index]);
                    entry.given.push(("fields", at));
                    entry.fields[index] = self.agent_text(&key, value, check_field);
                }
            }
            _ => {
                for (index, _, value) in self.agent_section(known, value, &COMMANDS) {
                    let key = format!("commands.{}", COMMANDS[index]);
                    entry.commands[index] = self.agent_command(&key, value);
                }
            }
        }
    }

    /// The entries of a table inside an entry, each with the index of its key in `allowed`.
    fn agent_section<'v>(
        &mut self,
        section: &str,
        value: &'v Spanned<DeValue<'_>>,
        allowed: &[&str],
    ) -> Vec<(usize, usize, &'v Spanned<DeValue<'v>>)> {
        let DeValue::Table(table) = value.get_ref() else {
            let found = type_name(value.get_ref());
            let what = format!("must be a table with {}, not {found}", allowed.join(", "));
            self.agent_problem(value.span().start, section, what);
            return Vec::new();
        };
        let mut found = Vec::new();
        for (name, value) in table {
            let at = name.span().start;
            match allowed.iter().position(|allowed| allowed == name.get_ref()) {
                Some(index) => found.push((index, at, value)),
                None => self.unknown_in(&format!("{AGENTS}.{section}"), name.get_ref(), at, allowed),
            }
        }
        found
    }

    fn agent_text(
        &mut self,
        key: &str,
        value: &Spanned<DeValue<'_>>,
        check: impl Fn(&str) -> Result<(), String>,
    ) -> Option<String> {
        let checked = match value.get_ref().as_str() {
            Some(text) => self.at_home(text).and_then(|text| check(&text).map(|()| text)),
            None => Err(format!("must be a string, not {}", type_name(value.get_ref()))),
        };
        checked.map_err(|what| self.agent_problem(value.span().start, key, what)).ok()
    }

    fn agent_command(&mut self, key: &str, value: &Spanned<DeValue<'_>>) -> Option<Vec<String>> {
        let rule = "must be a list of strings: a program, by its name or an absolute path, and its arguments";
        let Some(mut parts) = texts(value.get_ref()).filter(|parts| parts.len() <= MAX_ARGUMENTS) else {
            self.agent_problem(value.span().start, key, rule.to_owned());
            return None;
        };
        let is_text = |part: &String| part.len() <= MAX_TEXT && !part.contains('\0');
        let program = parts.first().map(|program| self.at_home(program));
        let is_program = |program: &str| {
            !program.is_empty()
                && !program.starts_with('-')
                && (program.starts_with('/') || !program.contains('/'))
        };
        match program {
            Some(Ok(program)) if is_program(&program) && parts.iter().all(is_text) => {
                parts[0] = program;
                Some(parts)
            }
            Some(Err(what)) => {
                self.agent_problem(value.span().start, key, what);
                None
            }
            Some(Ok(_)) | None => {
                self.agent_problem(value.span().start, key, rule.to_owned());
                None
            }
        }
    }

    /// The text with a leading `~/` replaced by the home directory.
    fn at_home(&self, text: &str) -> Result<String, String> {
        let Some(rest) = text.strip_prefix("~/") else { return Ok(text.to_owned()) };
        let home = self.home.ok_or_else(|| "begins with `~/`, and no home directory is known".to_owned())?;
        let home = home.to_str().filter(|home| !home.contains(['*', '?', '{', '}']));
        let home = home.ok_or_else(|| {
            "begins with `~/`, and the path of the home directory has pattern characters (`* ? { }`)"
                .to_owned()
        })?;
        Ok(format!("{}/{rest}", home.trim_end_matches('/')))
    }

    /// Builds the agent, if nothing is missing.
    fn finish_agent(&mut self, at: usize, entry: Entry, agents: &mut Vec<CustomAgent>) {
        if entry.place_of("name").is_none() {
            self.agent_problem(at, "name", "is missing".to_owned());
        }
        if let Some(name) = &entry.name
            && agents.iter().any(|agent| agent.name == *name)
        {
            let at = entry.place_of("name").unwrap_or(at);
            self.agent_problem(at, "name", format!("is the name of another agent too: \"{}\"", shown(name)));
            return;
        }
        let trail = self.trail(at, &entry);
        let [probe, query, reply] = entry.commands;
        if let (Some(name), Some(trail)) = (entry.name, trail) {
            let Entry { status_file, reply_file, .. } =
                Entry { commands: [None, None, None], name: None, ..entry };
            agents.push(CustomAgent { name, trail, status_file, reply_file, probe, query, reply });
        }
    }

    fn trail(&mut self, at: usize, entry: &Entry) -> Option<AgentTrail> {
        let (output, transcript) = (entry.place_of("output"), entry.place_of("transcript"));
        match (output, transcript) {
            (None, None) => {
                let what = "or `transcript` is missing: one of them says where its words are";
                self.agent_problem(at, "output", what.to_owned());
                None
            }
            (Some(_), Some(at)) => {
                let what = "cannot stand beside `output`: one of them says where its words are";
                self.agent_problem(at, "transcript", what.to_owned());
                None
            }
            (Some(_), None) => {
                for key in ["format", "fields"] {
                    if let Some(at) = entry.place_of(key) {
                        self.agent_problem(at, key, "belongs to a `transcript`".to_owned());
                    }
                }
                entry.output.clone().map(|place| AgentTrail::Output { place })
            }
            (None, Some(at)) => {
                let format = self.format(at, entry)?;
                entry.transcript.clone().map(|place| AgentTrail::Transcript { place, format })
            }
        }
    }

    fn format(&mut self, at: usize, entry: &Entry) -> Option<TranscriptFormat> {
        if entry.place_of("format").is_none() {
            self.agent_problem(at, "format", format!("is missing: it is {}", one_of(&FORMATS)));
            return None;
        }
        let of_client = match entry.format.as_deref()? {
            "claude" => Some(TranscriptFormat::Claude),
            "codex" => Some(TranscriptFormat::Codex),
            _ => None,
        };
        if of_client.is_some() {
            if let Some(at) = entry.place_of("fields") {
                self.agent_problem(at, "fields", "belongs to the format \"jsonl\"".to_owned());
            }
            return of_client;
        }
        let [role, text, time] = entry.fields.clone();
        for (name, field) in [("fields.role", &role), ("fields.text", &text)] {
            if field.is_none() {
                let what = "is missing: a dotted path into each line, like \"message.role\"".to_owned();
                self.agent_problem(at, name, what);
            }
        }
        Some(TranscriptFormat::Jsonl { role: role?, text: text?, time })
    }

    fn agent_problem(&mut self, at: usize, key: &str, what: String) {
        self.problem(at, Some(format!("{AGENTS}.{key}")), what);
    }
}

fn check_name(name: &str) -> Result<(), String> {
    let is_sign =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'_');
    if name.is_empty() || name.len() > MAX_NAME || !name.bytes().all(is_sign) {
        let found = shown(name);
        return Err(format!("must be 1 to {MAX_NAME} of a-z, 0-9, \"-\" and \"_\", not \"{found}\""));
    }
    if BUILT_IN_AGENTS.contains(&name) {
        return Err(format!("must not be \"{name}\": closeout knows that agent itself"));
    }
    Ok(())
}

fn check_format(format: &str) -> Result<(), String> {
    Kind::Choice(&FORMATS).check(Value::Text(format.to_owned())).map(drop)
}

fn check_field(path: &str) -> Result<(), String> {
    let is_path = !path.is_empty()
        && path.len() <= MAX_TEXT
        && path.split('.').all(|name| !name.is_empty() && !name.chars().any(char::is_control));
    if is_path {
        return Ok(());
    }
    Err(format!("must be a dotted path into each line, like \"message.role\", not \"{}\"", shown(path)))
}

/// Checks a place: a path below the workspace, or an absolute one that depends on the workspace.
fn check_place(place: &str, is_pattern_allowed: bool) -> Result<(), String> {
    if place.is_empty() || place.len() > MAX_TEXT || place.chars().any(char::is_control) {
        return Err("must be a path".to_owned());
    }
    let mut rest = place.to_owned();
    for placeholder in PLACEHOLDERS {
        rest = rest.replace(placeholder, "");
    }
    if rest.contains(['{', '}']) {
        return Err(format!("may have {} in braces, and nothing else", PLACEHOLDERS.join(", ")));
    }
    let names: Vec<&str> = place.split('/').filter(|name| !matches!(*name, "" | ".")).collect();
    if names.contains(&"..") {
        return Err("must have no `..` in it".to_owned());
    }
    if names.is_empty() || place.ends_with('/') {
        return Err("must name a file".to_owned());
    }
    if place.starts_with('/') && rest == place {
        let what = "is the same for all workspaces: an absolute path must have";
        return Err(format!("{what} {} in it", PLACEHOLDERS.join(" or ")));
    }
    if names.contains(&"**") {
        return Err("must have no `**` in it; `*` and `?` match within one folder".to_owned());
    }
    if names.iter().any(|name| name.contains('{') && name.contains(['*', '?'])) {
        return Err("must have no `*` or `?` in a name that has braces".to_owned());
    }
    if !is_pattern_allowed && place.contains(['*', '?']) {
        return Err("must be one file, without `*` and `?`".to_owned());
    }
    Ok(())
}
