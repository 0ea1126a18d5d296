//! Runs commit hooks that a person requested, in a repository that they trust. The record comes first. What a
//! hook changes in the work tree is found by reading it again and is reported; the commit holds what was
//! confirmed.
//!
//! It must not run a hook that is not exactly as it was trusted.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::action::rescue::Rescuer;
use crate::action::rescue::base::{RescueError, Settings};
use crate::action::rescue::survey::{Blob, listing};
use crate::action::rescue::trust::{Copies, Programs};
use crate::disk;
use crate::git::{Git, Shadow, index_entries, quoted};
use crate::model::display_text;
use crate::process::{self, End};

/// How much of a hook's output is shown, in bytes.
const SAID: usize = 2000;
/// The longest message that is accepted from a hook, in bytes.
const LONGEST_MESSAGE: u64 = 1 << 20;
/// How many changed paths are named.
const NAMED: usize = 10;

/// The hooks of one commit.
pub(crate) struct Hooks<'a> {
    rescuer: &'a Rescuer,
    git: &'a Git<'a>,
    shadow: &'a Shadow,
    programs: Programs,
}

impl<'a> Hooks<'a> {
    /// The hooks of `programs`, which must be trusted.
    pub(crate) fn of(
        rescuer: &'a Rescuer,
        git: &'a Git<'a>,
        shadow: &'a Shadow,
        programs: Programs,
    ) -> Result<Hooks<'a>, RescueError> {
        if !programs.is_trusted {
            return Err(RescueError::Untrusted("the hooks of this repository are not trusted".to_owned()));
        }
        Ok(Hooks { rescuer, git, shadow, programs })
    }

    /// Runs the hooks that precede a commit and returns the resulting message. `index` holds what is committed.
    pub(crate) fn before(&self, index: &Path, message: &str) -> Result<String, RescueError> {
        self.run("pre-commit", index, &[])?;
        let file = self.shadow.file("COMMIT_EDITMSG");
        fs::write(&file, message).map_err(RescueError::io("write", &file))?;
        let name = file.to_string_lossy().into_owned();
        self.run("prepare-commit-msg", index, &[&name, "message"])?;
        self.run("commit-msg", index, &[&name])?;
        let text = disk::read(&file, LONGEST_MESSAGE).map_err(RescueError::io("read", &file))?;
        Ok(String::from_utf8_lossy(&text.unwrap_or_default()).into_owned())
    }

    /// Runs the hook that follows a commit. Returns a text if it failed; the commit stands either way.
    pub(crate) fn after(&self) -> Option<String> {
        let index = self.git.repo.index();
        let error = self.run("post-commit", &index, &[]).err()?;
        if matches!(error, RescueError::Cancelled) {
            return Some("the hook post-commit was ended on request".to_owned());
        }
        Some(error.to_string())
    }

    fn run(&self, name: &str, index: &Path, args: &[&str]) -> Result<(), RescueError> {
        let Some(path) = self.programs.hooks.get(name) else { return Ok(()) };
        let failed = |words: &str| Err(RescueError::SavedOnly(format!("the hook {name} {words}")));
        // Read anew, because what ran since, or an agent, may have changed them.
        let settings = Settings::read(self.git)?;
        let untracked = listing::untracked(self.git, self.shadow)?;
        let entries = index_entries(self.git, self.shadow, &self.shadow.index)?;
        let now = self.rescuer.programs(self.git, &settings, &entries, &untracked)?;
        if now.list.digest != self.programs.list.digest {
            return Err(RescueError::Untrusted(format!("the hook {name}, or what it belongs to, changed")));
        }
        let command = Copies::write(&now, self.shadow.file("programs"))?.hook(path)?;
        let spec = self
            .rescuer
            .spec_of(command, &self.git.repo.top)
            .args(args)
            .env("GIT_DIR", &self.git.repo.git_dir)
            .env("GIT_INDEX_FILE", index)
            // What is to be committed is not in the repository yet.
            .env("GIT_ALTERNATE_OBJECT_DIRECTORIES", quoted(&self.shadow.objects))
            .env("GIT_EDITOR", ":")
            .env("GIT_PREFIX", "");
        let output = process::run(&spec)?;
        if let Some(changed) = now.files.changed() {
            let changed = display_text::path(changed);
            return failed(&format!("ran while {changed} changed: what ran may not be what is trusted"));
        }
        match output.end {
            End::Code(0) => Ok(()),
            End::TimedOut => failed("did not end in its time and was ended"),
            End::Cancelled => Err(RescueError::Cancelled),
            End::Code(_) | End::Signal(_) | End::AtCap => failed(&format!("failed: {}", said(&output))),
        }
    }
}

/// The end of a program's output, at most [`SAID`] bytes.
pub(crate) fn said(output: &process::Output) -> String {
    let all = [&output.stdout[..], &output.stderr[..]].concat();
    let start = all.len().saturating_sub(SAID);
    String::from_utf8_lossy(&all[start..]).trim().to_owned()
}

/// Describes how the work tree differs from what was recorded; `None` if it does not.
pub(crate) fn difference(
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
