//! The meaning of `PATH|SESSION`: one rule for all commands that take it.
//!
//! A directory is a workspace. Anything else is the id of a session, or its first characters, of which six
//! are enough. If several sessions match, all are listed and none may be chosen.

use std::fmt::Write as _;
use std::path::PathBuf;

use crate::config::Flags;
use crate::engine::{EngineConfig, Overrides, Scope};
use crate::model::{SessionView, WorkspaceView, display_text};

use super::environment::Environment;
use super::exit::Failure;

/// The fewest characters of an id that name a session.
const LEAST: usize = 6;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Target {
    /// A workspace, by a directory in it.
    Folder(PathBuf),
    /// A session, by its id or the beginning of it.
    Session(String),
}

impl Target {
    pub(super) fn of(environment: &Environment, named: &str) -> Target {
        let path = environment.absolute(named.as_ref());
        if path.is_dir() { Target::Folder(path) } else { Target::Session(named.to_owned()) }
    }

    /// The parameters of an engine that looks at the target: one workspace, or all in which the session may be.
    pub(super) fn engine_config(&self, environment: &Environment) -> Result<EngineConfig, Failure> {
        let scope = match self {
            Target::Folder(path) => Scope::One(path.clone()),
            Target::Session(_) => environment.worktrees(&[]),
        };
        environment.engine_config(scope, Flags::default(), Overrides::default())
    }

    /// The sessions in `views` that the target names; `narrower` is a further id or beginning of one, from a
    /// flag.
    pub(super) fn sessions<'v>(
        &self,
        views: &'v [WorkspaceView],
        narrower: Option<&str>,
    ) -> Vec<(&'v WorkspaceView, &'v SessionView)> {
        let own = match self {
            Target::Folder(_) => None,
            Target::Session(named) => Some(named.as_str()),
        };
        let is_meant = |session: &SessionView| {
            [own, narrower].into_iter().flatten().all(|wanted| names(wanted, &session.session_id))
        };
        let all = views.iter().flat_map(|view| view.sessions.iter().map(move |session| (view, &**session)));
        let mut meant: Vec<_> = all.filter(|(_, session)| is_meant(session)).collect();
        // A complete id may also be the beginning of a longer one: prefer the exact match.
        if let Some(wanted) = narrower.or(own)
            && meant.iter().any(|(_, session)| session.session_id == wanted)
        {
            meant.retain(|(_, session)| session.session_id == wanted);
        }
        meant
    }

    /// The failure if the target was not found.
    pub(super) fn not_found(&self) -> Failure {
        Failure::NoWorkspace(match self {
            Target::Folder(path) => {
                format!("there is no session of an agent at {}", display_text::path(path))
            }
            Target::Session(named) => format!(
                "{} is neither a directory nor a session id, nor the first {LEAST} or more characters of one",
                display_text::line(named)
            ),
        })
    }
}

/// The failure if several sessions match: lists them; `way` says how to name one.
pub(super) fn several(sessions: &[(&WorkspaceView, &SessionView)], way: &str) -> Failure {
    list(&format!("several sessions match; {way}"), sessions)
}

/// The failure if all that match were left: cleared, or followed by others.
pub(super) fn left_over(sessions: &[(&WorkspaceView, &SessionView)]) -> Failure {
    list("only sessions that you left match; name one with --session", sessions)
}

fn list(what: &str, sessions: &[(&WorkspaceView, &SessionView)]) -> Failure {
    let mut message = format!("{what}:");
    for (view, session) in sessions {
        let name = session.name.as_deref().map(|name| format!("  {}", display_text::line(name)));
        // Writing to a string cannot fail.
        let _ = write!(
            message,
            "\n  {} {}  in {}{}",
            display_text::line(&session.agent),
            display_text::line(&session.session_id),
            view.name,
            name.unwrap_or_default()
        );
    }
    Failure::Usage(message)
}

/// Whether `wanted` is `id`, or enough of its beginning.
fn names(wanted: &str, id: &str) -> bool {
    wanted == id || (wanted.chars().count() >= LEAST && id.starts_with(wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_named_by_its_id_or_six_signs_of_its_beginning() {
        for (wanted, id, is_named) in [
            ("5e3c6d27-f91a", "5e3c6d27-f91a", true),
            ("5e3c6d", "5e3c6d27-f91a", true),
            ("5e3c6", "5e3c6d27-f91a", false),
            ("a", "a", true),
            ("", "a", false),
            ("会話会話会話", "会話会話会話一", true),
            ("5e3c6d28", "5e3c6d27-f91a", false),
        ] {
            assert_eq!(names(wanted, id), is_named, "{wanted} {id}");
        }
    }
}
