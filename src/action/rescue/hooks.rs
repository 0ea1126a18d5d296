//! Hooks that a person asked for, of a repository that they trust. The record was made before; what a hook does
//! to the work tree is found by reading it again, and said: the commit holds what was confirmed.
//!
//! It must not run a hook that is not exactly as it was trusted.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::Rescuer;
use super::error::RescueError;
use super::reading::Blob;
use super::trust::Programs;
use crate::disk;
use crate::git::{Git, Shadow};
use crate::model::display_text;
use crate::process::{self, End, Spec};

/// So much of what a hook says is shown, in bytes.
const SAID: usize = 2000;
/// The longest message that is taken from a hook, in bytes.
const LONGEST_MESSAGE: u64 = 1 << 20;
/// So many paths are named.
const NAMED: usize = 10;

/// The hooks of one commit.
pub(super) struct Hooks<'a> {
    rescuer: &'a Rescuer,
    git: &'a Git<'a>,
    shadow: &'a Shadow,
    paths: BTreeMap<&'static str, PathBuf>,
}

impl<'a> Hooks<'a> {
    /// The hooks of `programs`, which must be trusted.
    pub(super) fn of(
        rescuer: &'a Rescuer,
        git: &'a Git<'a>,
        shadow: &'a Shadow,
        programs: Programs,
    ) -> Result<Hooks<'a>, RescueError> {
        if !programs.is_trusted {
            return Err(RescueError::Untrusted("the hooks of this repository are not trusted".to_owned()));
        }
        Ok(Hooks { rescuer, git, shadow, paths: programs.hooks })
    }

    /// What git runs before it makes a commit; the message that comes out. `index` holds what is committed.
    pub(super) fn before(&self, index: &Path, message: &str) -> Result<String, RescueError> {
        self.run("pre-commit", index, &[])?;
        let file = self.shadow.file("COMMIT_EDITMSG");
        fs::write(&file, message).map_err(RescueError::io("write", &file))?;
        let name = file.to_string_lossy().into_owned();
        self.run("prepare-commit-msg", index, &[&name, "message"])?;
        self.run("commit-msg", index, &[&name])?;
        let text = disk::read(&file, LONGEST_MESSAGE).map_err(RescueError::io("read", &file))?;
        Ok(String::from_utf8_lossy(&text.unwrap_or_default()).into_owned())
    }

    /// What git runs after a commit; in words when it failed, which changes nothing any more.
    pub(super) fn after(&self) -> Option<String> {
        let index = self.git.repo.index();
        let error = self.run("post-commit", &index, &[]).err()?;
        if matches!(error, RescueError::Cancelled { .. }) {
            return Some("the hook post-commit was ended on request".to_owned());
        }
        Some(error.to_string())
    }

    fn run(&self, name: &str, index: &Path, args: &[&str]) -> Result<(), RescueError> {
        let Some(path) = self.paths.get(name) else { return Ok(()) };
        let failed = |words: &str| Err(RescueError::SavedOnly(format!("the hook {name} {words}")));
        let again = self.rescuer.programs(self.git, self.shadow)?;
        if !again.is_trusted {
            return Err(RescueError::Untrusted(format!("the hook {name}, or what it belongs to, changed")));
        }
        let mut spec = Spec::new(path, &self.git.repo.top).args(args);
        for (name, value) in &self.rescuer.program_env {
            spec = spec.env(name, value);
        }
        spec = spec
            .env("GIT_DIR", &self.git.repo.git_dir)
            .env("GIT_INDEX_FILE", index)
            .env("GIT_EDITOR", ":")
            .env("GIT_PREFIX", "");
        spec.time_limit = self.rescuer.program_limit;
        spec.own_session.clone_from(&self.rescuer.launcher);
        spec.cancel = Some(self.rescuer.cancel.clone());
        let output = process::run(&spec)?;
        match output.end {
            End::Code(0) => Ok(()),
            End::TimedOut => failed("did not end in its time and was ended"),
            End::Cancelled => Err(RescueError::Cancelled { kept: None }),
            End::Code(_) | End::Signal(_) | End::AtCap => failed(&format!("failed: {}", said(&output))),
        }
    }
}

/// The end of what a program said.
pub(super) fn said(output: &process::Output) -> String {
    let all = [&output.stdout[..], &output.stderr[..]].concat();
    let start = all.len().saturating_sub(SAID);
    String::from_utf8_lossy(&all[start..]).trim().to_owned()
}

/// How the work tree differs now from what was recorded, in words; `None` when it does not.
pub(super) fn difference(
    before: &BTreeMap<Vec<u8>, Blob>,
    after: &BTreeMap<Vec<u8>, Blob>,
) -> Option<String> {
    let is_same = |path: &Vec<u8>| {
        let (old, new) = (before.get(path), after.get(path));
        old.map(|it| (&it.id, it.stamp.git_mode())) == new.map(|it| (&it.id, it.stamp.git_mode()))
    };
    let differing: Vec<&Vec<u8>> = before
        .keys()
        .chain(after.keys().filter(|path| !before.contains_key(*path)))
        .filter(|path| !is_same(path))
        .collect();
    if differing.is_empty() {
        return None;
    }
    let name = |path: &Vec<u8>| {
        let what = match (before.contains_key(path), after.contains_key(path)) {
            (true, false) => "deleted",
            (false, _) => "made",
            (true, true) => "changed",
        };
        format!("{} {what}", display_text::bytes(path))
    };
    let names: Vec<String> = differing.iter().take(NAMED).map(|path| name(path)).collect();
    let rest = differing.len().saturating_sub(NAMED);
    let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
    Some(names.join(", ") + &more)
}
