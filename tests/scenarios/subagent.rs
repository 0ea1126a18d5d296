//! The verbs of a session's subagents: `sub:verb`, or with a number `sub2:verb`; the agents write a record of each.
//!
//! `sub:call` with its assignment sends one off for which the session waits, `sub:send` one in the background;
//! `sub:report` with its last words, `sub:killed` and `sub:failed` tell the session of its end. `sub:in` gives it a
//! folder of its own. `sub:raw` and `sub:tail` write into its record, `sub:lost` takes it away (Claude Code). All else it says and does itself.

use std::path::{Path, PathBuf};

use super::world::{Deed, World, agent_of};

/// How a subagent ended, as its session is told.
pub(super) enum End<'a> {
    Report(&'a str),
    Killed,
    Failed,
}

/// A record whose session sends off subagents.
pub(super) trait Lead {
    fn send_off(&mut self, number: usize, at: i64, what: &str, is_in_background: bool);
    fn hear_of(&mut self, number: usize, at: i64, end: &End<'_>);
    fn tell_subagent(&mut self, number: usize, at: i64, deed: &Deed<'_>);
    fn place_subagent(&mut self, number: usize, folder: PathBuf);
}

impl World {
    pub(super) fn take_of_subagent(&mut self, session: &str, number: &str, verb: &str, at: i64, words: &str) {
        let number: usize = if number.is_empty() { 1 } else { number.parse().unwrap() };
        let folder = self.subagent_folders.get(&(session.to_owned(), number)).cloned().unwrap_or_default();
        let work = self.work();
        if verb == "in" {
            self.subagent_folders.insert((session.to_owned(), number), PathBuf::from(words));
        }
        let path = (verb == "edit").then(|| self.edit(&folder, at, words));
        if let "raw" | "tail" | "lost" = verb {
            let record = self.claude.get_mut(session).unwrap().subagent(number);
            return if verb == "lost" { record.lose() } else { record.write_line_of(verb, at, words) };
        }
        let lead: &mut dyn Lead = match agent_of(session) {
            "codex" => self.codex.get_mut(session).unwrap(),
            "opencode" => self.opencode.get_mut(session).unwrap(),
            "gemini" => self.gemini.get_mut(session).unwrap(),
            _ => self.claude.get_mut(session).unwrap(),
        };
        match (verb, path) {
            ("call" | "send", _) => lead.send_off(number, at, words, verb == "send"),
            ("report", _) => lead.hear_of(number, at, &End::Report(words)),
            ("killed", _) => lead.hear_of(number, at, &End::Killed),
            ("failed", _) => lead.hear_of(number, at, &End::Failed),
            ("in", _) => lead.place_subagent(number, clean(&work.join(words))),
            (_, Some(path)) => lead.tell_subagent(number, at, &Deed::Edit(path)),
            (verb, None) => lead.tell_subagent(number, at, &Deed::of(verb, words).unwrap()),
        }
    }
}

/// A path without `..`, as clients write it.
fn clean(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for part in path.components() {
        if part == std::path::Component::ParentDir {
            clean.pop();
        } else {
            clean.push(part);
        }
    }
    clean
}
