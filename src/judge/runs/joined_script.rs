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
    let behind = verbs(Group::IsRun).map(|(at, _)| only_run(named_before(&part[..at], catalog)));
    let before =
        verbs(Group::RunsWhat).map(|(at, verb)| only_run(named_after(&part[at + verb.len()..], catalog)));
    let passing = verbs(Group::Passes)
        .filter(|_| has(Group::WantsPass, part))
        .map(|(at, _)| named_before(&part[..at], catalog));
    behind.chain(before).chain(passing).find(|found: &Vec<Demanded>| !found.is_empty()).unwrap_or_default()
}

fn only_run(found: Vec<Demanded>) -> Vec<Demanded> {
    found.into_iter().map(Demanded::only_run).collect()
}

/// The checks that a text ends with, before particles, each joined to the one before it.
fn named_before(text: &str, catalog: &Catalog) -> Vec<Demanded> {
    let mut found = Vec::new();
    let mut text = text.trim_end();
    loop {
        while let Some(rest) =
            PHRASES.joined(Group::Articles).find_map(|particle| text.strip_suffix(particle))
        {
            text = rest.trim_end();
        }
        let command = text.rsplit(|sign: char| !sign.is_ascii()).next().unwrap_or_default();
        let named = of_words(command, catalog).map(|demanded| (demanded, command.len()));
        let named = named.or_else(|| {
            let demanded = of_kind(|noun| text.ends_with(noun))?;
            let length = demanded.words.len();
            Some((demanded, length))
        });
        let Some((demanded, length)) = named else { break };
        found.push(demanded);
        let before = text[..text.len() - length].trim_end();
        let Some(rest) = words::of("joins_names").iter().find_map(|word| before.strip_suffix(word)) else {
            break;
        };
        text = rest.trim_end();
    }
    found.reverse();
    found
}

/// The checks that a text begins with, after words such as "all", each joined to the one before it.
fn named_after(text: &str, catalog: &Catalog) -> Vec<Demanded> {
    let mut found = Vec::new();
    let mut text = text.trim_start();
    loop {
        while let Some(rest) = PHRASES.joined(Group::Articles).find_map(|article| text.strip_prefix(article))
        {
            text = rest.trim_start();
        }
        let command = text.split(|sign: char| !sign.is_ascii()).next().unwrap_or_default();
        let named = of_words(command, catalog).map(|demanded| (demanded, command.len()));
        let named = named.or_else(|| {
            let demanded = of_kind(|noun| text.starts_with(noun))?;
            let length = demanded.words.len();
            Some((demanded, length))
        });
        let Some((demanded, length)) = named else { break };
        found.push(demanded);
        let after = text[length..].trim_start();
        let Some(rest) = words::of("joins_names").iter().find_map(|word| after.strip_prefix(word)) else {
            break;
        };
        text = rest.trim_start();
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
