//! What a command did outside the work tree, as its exit code and its own lines tell. Must not know what was asked for.

use super::catalog::Catalog;
use super::exit_says::{ExitSays, TRIVIAL};
use super::narrowing::has_file_end;
use super::wrapper::Call;
use crate::model::CommandRun;

/// Acts that send the work somewhere; where one of them fails, nothing came of it.
const SENDS: [&str; 5] = ["push", "pull request", "release", "publish", "deploy"];
/// How tools begin the line that says so.
const REFUSALS: [&str; 9] = [
    "error: failed to push", "! [rejected]", "! [remote rejected]", "fatal: ", "npm error ", "npm ERR! ",
    "error: failed to publish", "error: api errors", "pull request create failed",
];
/// What is in the lines of a push, a pull request and a publication that went through.
const DONE: [(&str, &[&str]); 3] = [
    ("push", &[" -> ", "Everything up-to-date", "set up to track"]),
    ("pull request", &["/pull/", "/merge_requests/", "/pull-requests/"]),
    ("publish", &["+ ", "Published ", "View at:", "Successfully registered gem", "digest: sha256"]),
];
/// Words in the names of scripts and targets that may do these.
const NAMES: [(&str, &[&str]); 6] = [
    ("push", &["push", "submit", "release", "publish", "deploy", "ship"]),
    ("pull request", &["pulls", "merge_requests", "pr", "mr", "pullrequest", "submit", "review"]),
    ("merge", &["merge", "release", "land"]),
    ("publish", &["publish", "release", "upload"]),
    ("deploy", &["deploy", "release", "ship", "rollout", "publish"]),
    ("tag", &["tag", "tags", "release", "version", "bump"]),
];

/// How many words of a call may name what it does; those behind them are its arguments.
pub(super) const N_NAMING: usize = 3;

/// An act, with the words of the call.
pub(super) type NamedAct<'c> = (&'c str, String);

/// What one command did outside the work tree.
#[derive(Debug, Default)]
pub(super) struct Acts<'c> {
    /// The acts whose exit code says that they succeeded.
    pub(super) done: Vec<NamedAct<'c>>,
    /// What else was likely done: its own lines say so while the code is hidden, or the name of a script.
    pub(super) likely: Vec<NamedAct<'c>>,
    /// The last act that is known to have failed, by the code or by the lines of a hidden one.
    pub(super) failed: Option<NamedAct<'c>>,
}

impl<'c> Acts<'c> {
    /// Reads the acts of the calls of one command; of each call, `seen` is what the exit code says.
    pub(super) fn of<'a>(
        calls: impl Iterator<Item = (&'a Call, ExitSays, String)>,
        run: &CommandRun,
        catalog: &'c Catalog,
    ) -> Acts<'c> {
        let mut acts = Acts::default();
        for (call, seen, line) in calls {
            let Some(act) = catalog.act_of(&call.words) else {
                if seen == ExitSays::Zero && !catalog.is_act(&call.words) {
                    acts.likely.extend(by_name(call, catalog).map(|act| (act, line.clone())));
                }
                continue;
            };
            // `git checkout main` switches, `git checkout src/a.rs` takes work back.
            let names_file =
                || call.words.iter().skip(2).any(|word| !word.starts_with('-') && has_file_name(word));
            let act = if act == "switch" && names_file() { "undo" } else { act };
            match seen {
                ExitSays::Zero => acts.done.push((act, line)),
                _ if act == "tag" && !says_refused(&run.output) => acts.likely.push((act, line)),
                // What conflicts is merged all the same, or left in the middle, which git tells.
                _ if act == "merge" => acts.likely.push((act, line)),
                _ if !SENDS.contains(&act) => {}
                ExitSays::NotZero(_) => acts.failed = Some((act, line)),
                ExitSays::InFailedChain | ExitSays::Nothing if says_refused(&run.output) => {
                    acts.failed = Some((act, line));
                }
                ExitSays::InFailedChain | ExitSays::Nothing => {
                    if says_done(act, &run.output) {
                        acts.likely.push((act, line));
                    }
                }
            }
        }
        acts
    }
}

/// Whether an act of this name sends the work somewhere.
pub(super) fn sends(act: &str) -> bool {
    SENDS.contains(&act)
}

/// Whether an act's own lines say that it failed.
fn says_refused(output: &str) -> bool {
    output.lines().any(|line| REFUSALS.iter().any(|refusal| line.trim_start().starts_with(refusal)))
}

/// Whether an act's own lines say that it succeeded; those of a deployment have too many forms to be known.
fn says_done(act: &str, output: &str) -> bool {
    match DONE.iter().find(|(known, _)| *known == act) {
        Some((_, signs)) => output.lines().any(|line| signs.iter().any(|sign| line.contains(sign))),
        None => !output.trim().is_empty(),
    }
}

/// The acts that a call of a script may do, by the words that name it: `make deploy`, `npm run release`, `bash ops/push.sh`.
fn by_name(call: &Call, catalog: &Catalog) -> impl Iterator<Item = &'static str> {
    let first = call.words.first().map(String::as_str).unwrap_or_default();
    let may_act = first != "git" && !TRIVIAL.contains(&first) && !catalog.is_read(&call.words);
    let names = call.words.iter().take(N_NAMING).filter(|word| may_act && !word.starts_with('-'));
    let names = names.map(|word| word.rsplit('/').next().unwrap_or(word));
    let is_of_name = |sign: char| sign.is_alphanumeric() || sign == '_';
    let words: Vec<&str> = names.flat_map(|name| name.split(move |sign| !is_of_name(sign))).collect();
    let found = NAMES.iter().filter(|(_, names)| words.iter().any(|word| names.contains(word)));
    found.map(|(act, _)| *act).collect::<Vec<_>>().into_iter()
}

/// Whether a word ends as the name of a file, and not as a version does.
fn has_file_name(word: &str) -> bool {
    has_file_end(word)
        && word.rsplit('.').next().is_some_and(|end| end.starts_with(|sign: char| sign.is_ascii_alphabetic()))
}
