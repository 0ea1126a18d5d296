//! Whether a call runs all of a check or a part of it, and the words that restrict it. Must not look at how it ended.

use super::catalog::{Rules, is_option};
use super::wrapper::Call;

/// Options that pick packages of a repository: all of the check, for these.
const PACKAGE_OPTIONS: [&str; 5] = ["--filter", "-F", "-w", "--workspace", "--scope"];

/// Whether a call of a tool, named by its first `n_words` words, runs only a part of the check.
pub(super) fn is_part(rules: &Rules, call: &Call, n_words: usize) -> bool {
    part(rules, call, n_words).1
}

/// The words that restrict a call, and whether it runs only a part of the check.
pub(super) fn part(rules: &Rules, call: &Call, n_words: usize) -> (Vec<String>, bool) {
    let (named, rest) = call.words.split_at(n_words.min(call.words.len()));
    let mut narrowed_by = narrowing(rules, rest);
    narrowed_by.extend(packages_before(rules, named));
    let narrows = |word: &String| {
        let is_part = word.starts_with('-')
            || !rules.takes_folders
            || word.contains('*')
            || has_file_end(word)
            || word.contains("::");
        is_part && !(rules.runs_others && picks_packages(word))
    };
    // A script with a longer name, such as `test:unit`, runs a part of the tests.
    let script = call.words.get(n_words.wrapping_sub(1)).filter(|word| {
        rules.runs_others
            && word.contains(':')
            && !["ci", "all", "run"].iter().any(|end| word.ends_with(&format!(":{end}")))
    });
    // `:app:test` is a task of one project.
    let project = call
        .words
        .get(n_words.wrapping_sub(1))
        .filter(|word| !rules.runs_others && word.contains(':') && !rules.whole.contains(word));
    let is_part = script.is_some() || project.is_some() || narrowed_by.iter().any(narrows);
    narrowed_by.extend(script.or(project).cloned());
    (narrowed_by, is_part)
}

/// Whether a word picks packages: the option by itself, or with its value behind it.
pub(super) fn picks_packages(word: &str) -> bool {
    is_option(word.split(' ').next().unwrap_or(word), PACKAGE_OPTIONS.into_iter())
}

/// The packages that options within the words that name the call pick: `pnpm --filter api test`.
fn packages_before(rules: &Rules, named: &[String]) -> Vec<String> {
    let pairs = named.windows(2).filter(|pair| rules.runs_others && picks_packages(&pair[0]));
    pairs.map(|pair| if pair[0].contains('=') { pair[0].clone() } else { pair.join(" ") }).collect()
}

/// The name in what picks a package: `api` of `@acme/api...` and of `--filter=./apps/api`; `None` where it is no name.
fn package_name(value: &str) -> Option<&str> {
    let value = value.rsplit('=').next().unwrap_or(value);
    let name = value.trim_end_matches(['.', '^', '/', '}']);
    let name = name.rsplit('/').next().unwrap_or(name);
    let is_name = |sign: char| sign.is_alphanumeric() || sign == '-' || sign == '_';
    (!name.is_empty() && name.chars().all(is_name)).then_some(name)
}

/// The packages that the options of a call pick.
pub fn packages(command: &str) -> Vec<&str> {
    let words: Vec<&str> = command.split_whitespace().collect();
    let picking = words.iter().enumerate().filter(|(_, word)| picks_packages(word));
    let values =
        picking.filter_map(|(at, word)| if word.contains('=') { Some(word) } else { words.get(at + 1) });
    values.filter_map(|value| package_name(value)).collect()
}

/// The words after a call that restrict it.
fn narrowing(rules: &Rules, words: &[String]) -> Vec<String> {
    let mut narrowing = Vec::new();
    let mut at = 0;
    while let Some(word) = words.get(at) {
        at += 1;
        if word == "--" {
            continue;
        }
        if word.starts_with('-') && word != "-" {
            let takes_next = !word.contains('=') && is_option(word, rules.values.iter());
            if rules.runs_others && picks_packages(word) {
                let value = words.get(at).filter(|_| takes_next).map_or("", String::as_str);
                narrowing.push(format!("{word} {value}"));
            }
            if is_option(word, rules.part.iter()) {
                narrowing.push(word.clone());
            } else if takes_next {
                at += 1;
            }
        } else if !rules.whole.contains(word) && !word.contains('=') {
            narrowing.push(word.clone());
        }
    }
    narrowing.sort_unstable();
    narrowing
}

/// Whether a word ends as the name of a file does.
pub(super) fn has_file_end(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or_default();
    let end = name.rsplit_once('.').map(|(begin, end)| (!begin.is_empty(), end));
    end.is_some_and(|(has_begin, end)| {
        has_begin && (1..=5).contains(&end.len()) && end.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}
