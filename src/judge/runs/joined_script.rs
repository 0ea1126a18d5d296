//! The checks that a prompt tells an agent to run in scripts that have no blanks between words, or particles at them. Must
//! not look at what was run.

use super::Catalog;
use super::clause::QUOTES;
use super::named_check::{Demanded, KINDS, of_call, of_tool};
use crate::judge::task::phrases::{Group, PHRASES};
use crate::judge::words;

/// The orders in a part of a prompt whose script has no blanks between words, or particles at them: the verb stands
/// behind what is run (Japanese, Korean) or before it (Chinese).
pub(super) fn in_joined_script(part: &str, catalog: &Catalog) -> Vec<Demanded> {
    let has = |group: Group, text: &str| {
        let text: String = text.split_whitespace().collect();
        PHRASES.joined(group).any(|phrase| text.contains(phrase))
    };
    if has(Group::NoOrder, part) {
        return Vec::new();
    }
    let verbs = |group| PHRASES.joined(group).flat_map(|verb| part.match_indices(verb));
    let only_run = |found: Vec<Demanded>| found.into_iter().map(Demanded::only_run).collect();
    let before = |at: usize| named_at(Side::End, &part[..at], catalog);
    let after = |at: usize| named_at(Side::Begin, &part[at..], catalog);
    let run_behind = verbs(Group::IsRun).map(|(at, _)| only_run(before(at)));
    let run_before = verbs(Group::RunsWhat).map(|(at, verb)| only_run(after(at + verb.len())));
    let passing = verbs(Group::Passes).filter(|_| has(Group::WantsPass, part)).map(|(at, _)| before(at));
    let mut found = run_behind.chain(run_before).chain(passing);
    found.find(|found: &Vec<Demanded>| !found.is_empty()).unwrap_or_default()
}

/// The end of a text at which checks are named.
#[derive(Clone, Copy)]
enum Side {
    Begin,
    End,
}

impl Side {
    /// The text without this at its side.
    fn strip<'t>(self, text: &'t str, what: &str) -> Option<&'t str> {
        match self {
            Side::Begin => text.strip_prefix(what).map(str::trim_start),
            Side::End => text.strip_suffix(what).map(str::trim_end),
        }
    }

    /// What is written at its side in letters of a command line.
    fn command(self, text: &str) -> &str {
        let mut parts = text.split(|sign: char| !sign.is_ascii());
        match self {
            Side::Begin => parts.next().unwrap_or_default(),
            Side::End => parts.next_back().unwrap_or_default(),
        }
    }
}

/// The checks that a text has at one side, beside particles and words such as "all", each joined to the one before it; in
/// their order.
fn named_at(side: Side, text: &str, catalog: &Catalog) -> Vec<Demanded> {
    let mut found = Vec::new();
    let mut text = text.trim();
    loop {
        while let Some(rest) = PHRASES.joined(Group::Articles).find_map(|beside| side.strip(text, beside)) {
            text = rest;
        }
        let command = side.command(text);
        let named = of_words(command, catalog).map(|demanded| (demanded, command.to_owned()));
        let named = named.or_else(|| {
            let demanded = of_kind(|noun| side.strip(text, noun).is_some())?;
            let noun = demanded.words.clone();
            Some((demanded, noun))
        });
        let Some((demanded, words)) = named else { break };
        found.push(demanded);
        let Some(rest) = side.strip(text, &words) else { break };
        let Some(rest) = words::of("joins_names").iter().find_map(|word| side.strip(rest, word)) else {
            break;
        };
        text = rest;
    }
    if matches!(side, Side::End) {
        found.reverse();
    }
    found
}

fn of_words(command: &str, catalog: &Catalog) -> Option<Demanded> {
    let words: Vec<String> =
        command.split_whitespace().map(|word| word.trim_matches(QUOTES).to_owned()).collect();
    let is_code =
        command.trim().len() > 1 && command.trim().starts_with('`') && command.trim().ends_with('`');
    of_tool(&words, catalog).or_else(|| of_call(&words, catalog).filter(|_| is_code))
}

fn of_kind(is_named: impl Fn(&str) -> bool) -> Option<Demanded> {
    KINDS.iter().find_map(|(group, kind)| {
        let noun = PHRASES.joined(*group).find(|noun| is_named(noun))?;
        Some(Demanded::of_kind(*kind, noun.to_owned()))
    })
}
