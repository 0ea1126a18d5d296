//! Finds the files that sessions wrote, or whose names stand in prompts, so that git can say which of them it ignores. Must
//! not decide whether a task asked for them; the judge does.

use std::path::{Component, Path};

use crate::git::Read;
use crate::model::{Deed, Observations, Reading, SessionObservation, Turn, bare_words};

/// At most this many turns of a session are searched, from the newest.
const MAX_TURNS: usize = 40;
/// At most this many files are looked up.
const MAX_FILES: usize = 40;
/// The longest name.
const LONGEST_NAME: usize = 300;

/// The files, absolute, those of the newest turns first.
pub(super) fn candidates(found: &Observations) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    let sessions = found.sessions();
    for file in sessions.flat_map(of_session) {
        if files.len() < MAX_FILES && !files.contains(&file) {
            files.push(file);
        }
    }
    files
}

fn of_session(session: &SessionObservation) -> impl Iterator<Item = String> {
    let newest = session.history.turns.iter().rev().take(MAX_TURNS);
    let named = newest.flat_map(|turn| written(turn).chain(in_prompt(turn)));
    named.filter_map(|name| absolute(session.folder.as_deref()?, name))
}

fn written(turn: &Turn) -> impl Iterator<Item = &str> {
    let paths = turn.steps.iter().flat_map(|step| match &step.deed {
        Deed::Edit { paths, was_done: true } => &paths[..],
        Deed::Edit { .. }
        | Deed::Command(_)
        | Deed::Asked { .. }
        | Deed::SentOff { .. }
        | Deed::Other { .. } => &[],
    });
    paths.map(String::as_str)
}

/// The words of a prompt that look like names of files.
fn in_prompt(turn: &Turn) -> impl Iterator<Item = &str> {
    let words = turn.prompt.iter().flat_map(|prompt| bare_words(&prompt.text));
    words.filter(|word| word.contains(['.', '/']) && !word.contains("://"))
}

fn absolute(folder: &Path, name: &str) -> Option<String> {
    let is_plain = !Path::new(name).components().any(|part| part == Component::ParentDir);
    let path = folder.join(name);
    (name.len() <= LONGEST_NAME && is_plain).then(|| path.to_str().map(str::to_owned))?
}

/// The ignored files, if git told them. If not, it is unknown what no commit will hold, and what git shows is not the whole.
pub(super) fn known<T>(told: Read<Vec<String>>, git: &mut Reading<T>) -> Vec<String> {
    told.unwrap_or_else(|unreadable| {
        if git.present().is_some() {
            *git = Reading::Unreadable(unreadable);
        }
        Vec::new()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ReadProblem, Unreadable};

    #[test]
    fn what_git_does_not_tell_is_unknown_and_not_nothing() {
        let detail = "git ls-files failed".to_owned();
        let unreadable = Unreadable { name: "git".to_owned(), problem: ReadProblem::Io, detail };
        let mut git = Reading::Present(());
        assert_eq!(known(Ok(vec![".env".to_owned()]), &mut git), [".env"]);
        assert_eq!(git, Reading::Present(()));
        assert_eq!(known(Err(unreadable.clone()), &mut git), Vec::<String>::new());
        assert_eq!(git, Reading::Unreadable(unreadable.clone()));
        let mut git = Reading::<()>::NotLookedAt;
        assert_eq!(known(Err(unreadable), &mut git), Vec::<String>::new());
        assert_eq!(git, Reading::NotLookedAt);
    }
}
