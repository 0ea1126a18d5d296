//! Whether a session did what it was asked for where git does not see it: in a folder outside the work tree, or in a file
//! that git ignores. Must not judge whether it is enough.

use std::path::Path;

use super::tasks::SessionTask;
use crate::judge::{runs, task};
use crate::model::{Deed, Exit, SessionObservation, bare_words};

/// Whether a session committed in a folder outside the work tree that its last prompt names, or wrote a file there, or
/// one of those that git ignores (from the top), that is all it asks for.
pub(super) fn wrote_outside(
    session: &SessionObservation,
    task: &SessionTask,
    top: &str,
    ignored: &[String],
) -> bool {
    let home = session.folder.as_ref().and_then(|folder| folder.to_str());
    let (Some(home), Some(current)) = (home, task.current()) else { return false };
    let place = Place { home, top, ignored: ignored.iter().map(|path| format!("{top}/{path}")).collect() };
    let is_all = task::is_one_demand(&current.last_prompt);
    let words = bare_words(&current.last_prompt);
    let named: Vec<&str> = words.filter(|word| place.is_unseen(word)).collect();
    let turns = session.history.turns.iter();
    let turns = turns.filter(|turn| turn.order >= current.asked && turn.order < current.end);
    turns.flat_map(|turn| &turn.steps).any(|step| match &step.deed {
        Deed::Edit { paths, was_done: true } => {
            is_all && paths.iter().any(|path| named.iter().any(|word| place.means(word, path)))
        }
        Deed::Command(run) => {
            let is_written = |named: &&str| {
                is_all && is_written_by(&run.command, named) || is_committed_in(&run.command, named)
            };
            run.exit == Exit::Code(0) && named.iter().any(is_written)
        }
        Deed::Edit { .. } | Deed::Asked { .. } | Deed::SentOff { .. } | Deed::Other { .. } => false,
    })
}

/// Where a session works.
struct Place<'a> {
    /// Its folder.
    home: &'a str,
    /// The top of the work tree.
    top: &'a str,
    /// The files in it that git ignores, absolute.
    ignored: Vec<String>,
}

impl Place<'_> {
    fn full(&self, path: &str) -> Option<String> {
        runs::path_from(Some(self.home), path)
    }

    fn is_elsewhere(&self, full: &str) -> bool {
        full.starts_with('/') && !Path::new(full).starts_with(self.top)
    }

    /// Whether a word of a prompt names what git does not see. An ignored file may be named without its folder.
    fn is_unseen(&self, word: &str) -> bool {
        let is_elsewhere = || self.full(word).is_some_and(|full| self.is_elsewhere(&full));
        word.starts_with("~/")
            || word.contains('/') && is_elsewhere()
            || self.ignored.iter().any(|path| self.is_ignored_as(word, path))
    }

    fn is_ignored_as(&self, word: &str, path: &str) -> bool {
        self.full(word).as_deref() == Some(path) || path.rsplit('/').next() == Some(word)
    }

    /// Whether such a word means the file that a call wrote. Where the person's home is, the record does not tell.
    fn means(&self, word: &str, written: &str) -> bool {
        let Some(path) = self.full(written) else { return false };
        if self.ignored.contains(&path) {
            return self.is_ignored_as(word, &path);
        }
        match word.strip_prefix('~') {
            Some(rest) => self.is_elsewhere(&path) && path.ends_with(rest),
            None => self.full(word).as_ref() == Some(&path),
        }
    }
}

/// Whether a command line writes to `path`.
fn is_written_by(command: &str, path: &str) -> bool {
    const WRITERS: [&str; 8] = ["> ", ">", "tee ", "tee -a ", "mkdir ", "mkdir -p ", "touch ", "-o "];
    let writes = WRITERS.iter().any(|writer| command.contains(&format!("{writer}{path}")));
    let is_target =
        command.ends_with(path) && ["cp ", "mv ", "rsync "].iter().any(|verb| command.starts_with(verb));
    writes || is_target
}

fn is_committed_in(command: &str, path: &str) -> bool {
    let is_there = command.contains(&format!("cd {path}")) || command.contains(&format!("-C {path}"));
    is_there && command.contains("commit")
}
