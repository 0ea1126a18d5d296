//! The only runner of git children of a rescue: explicit git directory and work tree, and what every
//! call of git has (`process::GitCall`).
//!
//! It must not search for a repository. Commands that read the index or the work tree run in the
//! shadow; only those that run nothing (`SECURITY.md` 1.2) see the real git directory.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::error::RescueError;
use super::shadow::Shadow;
use crate::git::Repository;
use crate::process::{self, Cancel, End, GitCall, Launcher, Output, Spec};

/// How long a command may take that looks at lists.
const QUICK: Duration = Duration::from_secs(10);
/// How long a command may take that moves contents.
const LONG: Duration = Duration::from_mins(15);
/// The most that is kept of an answer: a million paths fit.
const ANSWER_CAP: usize = 256 << 20;
/// Settings of a rescue beside those that every call has.
const SETTINGS: [&str; 9] = [
    // Advice would be taken for a warning that something was not read.
    "advice.sparseIndexExpanded=false",
    // Contents are written to the disk by one call of ours; a reference must never be there without.
    "core.fsync=reference",
    "core.symlinks=true",
    "core.ignoreCase=false",
    "core.precomposeUnicode=false",
    "core.bigFileThreshold=16m",
    // A pack is looked at through windows, which count as memory: without a bound they are as large as the pack.
    "core.packedGitWindowSize=4m",
    "core.packedGitLimit=32m",
    "fastimport.unpackLimit=0",
];

/// What a command gets as its input.
pub(super) enum Input {
    /// Our own lock, so that the worktree stays locked as long as the child lives.
    Lock,
    /// These bytes.
    Bytes(Vec<u8>),
    /// This file from its present place on.
    File(Arc<File>),
}

/// What programs get that a person trusts.
pub(super) struct ForPrograms<'a> {
    /// Their environment.
    pub(super) env: &'a [(OsString, OsString)],
    /// Their time.
    pub(super) limit: Duration,
    /// What gives them a session of their own.
    pub(super) launcher: Option<&'a Launcher>,
}

/// The runner for one repository.
pub(super) struct Git<'a> {
    /// Git, by absolute path.
    pub(super) program: &'a Path,
    /// The user's home, for the user's own configuration.
    pub(super) home: Option<&'a Path>,
    /// The repository.
    pub(super) repo: &'a Repository,
    /// Our own lock on the worktree.
    pub(super) lock: Arc<File>,
    /// Ends a command early; `None` for what is finished in any case.
    pub(super) cancel: Option<&'a Cancel>,
}

impl<'a> Git<'a> {
    /// The same for what was begun and is finished, whoever wants it to end.
    pub(super) fn to_the_end(&self) -> Git<'a> {
        Git { lock: Arc::clone(&self.lock), cancel: None, ..*self }
    }

    /// An error when somebody wants it to end.
    pub(super) fn check_cancelled(&self) -> Result<(), RescueError> {
        if self.cancel.is_some_and(Cancel::is_cancelled) {
            return Err(RescueError::Cancelled { kept: None });
        }
        Ok(())
    }

    /// The same runner for another repository.
    pub(super) fn on<'r>(&'r self, repo: &'r Repository) -> Git<'r> {
        Git { lock: Arc::clone(&self.lock), repo, ..*self }
    }

    /// A command on the real git directory: one that runs nothing of the repository's.
    pub(super) fn real<A: AsRef<OsStr>>(
        &self,
        args: impl IntoIterator<Item = A>,
        input: Input,
    ) -> Result<Output, RescueError> {
        self.run(self.spec(&self.repo.git_dir), args, input)
    }

    /// Writes the content of the blob `id` to `file`, whatever its size.
    pub(super) fn write_blob(&self, id: &str, file: &Arc<File>) -> Result<(), RescueError> {
        let mut spec = self.spec(&self.repo.git_dir);
        spec.stdout_file = Some(Arc::clone(file));
        let output = self.run(spec, ["cat-file", "blob", id], Input::Lock)?;
        succeeded("cat-file", output).map(drop)
    }

    /// A command that sees `shadow` for the git directory and writes objects to `objects`.
    pub(super) fn shadowed<A: AsRef<OsStr>>(
        &self,
        shadow: &Shadow,
        objects: &Path,
        args: impl IntoIterator<Item = A>,
        input: Input,
    ) -> Result<Output, RescueError> {
        self.shadowed_with(shadow, &shadow.index, objects, args, input)
    }

    /// The same for filters that are trusted: they get the environment that a person gives to programs, and
    /// their own time.
    pub(super) fn shadowed_with_programs<A: AsRef<OsStr>>(
        &self,
        shadow: &Shadow,
        objects: &Path,
        args: impl IntoIterator<Item = A>,
        input: Input,
        programs: &ForPrograms<'_>,
    ) -> Result<Output, RescueError> {
        let spec = self.shadow_spec(shadow, &shadow.index, objects);
        let mut spec = programs.env.iter().fold(spec, |spec, (name, value)| spec.env(name, value));
        spec.own_session = programs.launcher.cloned();
        self.run_within(spec, args, input, Some(programs.limit))
    }

    /// The same with another index than the copy.
    pub(super) fn shadowed_with<A: AsRef<OsStr>>(
        &self,
        shadow: &Shadow,
        index: &Path,
        objects: &Path,
        args: impl IntoIterator<Item = A>,
        input: Input,
    ) -> Result<Output, RescueError> {
        self.run(self.shadow_spec(shadow, index, objects), args, input)
    }

    fn shadow_spec(&self, shadow: &Shadow, index: &Path, objects: &Path) -> Spec {
        self.spec(&shadow.git_dir)
            // The user's own settings can name filters, which would run on what the agent wrote.
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_INDEX_FILE", index)
            .env("GIT_OBJECT_DIRECTORY", objects)
            .env("GIT_ALTERNATE_OBJECT_DIRECTORIES", quoted(&self.repo.common_dir.join("objects")))
    }

    fn spec(&self, git_dir: &Path) -> Spec {
        let call = GitCall { program: self.program, home: self.home, git_dir, work_tree: &self.repo.top };
        let mut spec = call.spec();
        spec.stdout_cap = ANSWER_CAP;
        SETTINGS.iter().fold(spec, |spec, setting| spec.args(["-c", setting]))
    }

    fn run<A: AsRef<OsStr>>(
        &self,
        spec: Spec,
        args: impl IntoIterator<Item = A>,
        input: Input,
    ) -> Result<Output, RescueError> {
        self.run_within(spec, args, input, None)
    }

    fn run_within<A: AsRef<OsStr>>(
        &self,
        mut spec: Spec,
        args: impl IntoIterator<Item = A>,
        input: Input,
        limit: Option<Duration>,
    ) -> Result<Output, RescueError> {
        let args: Vec<OsString> = args.into_iter().map(|arg| arg.as_ref().to_owned()).collect();
        self.check_cancelled()?;
        let what = command_of(&args);
        spec.cancel = self.cancel.cloned();
        spec.time_limit = match what.as_str() {
            "fast-import" | "verify-pack" | "update-index" | "cat-file" | "bundle" | "pack-objects" => LONG,
            _ => QUICK,
        };
        spec.time_limit = limit.unwrap_or(spec.time_limit);
        spec = spec.args(args);
        match input {
            Input::Lock => spec.stdin_file = Some(Arc::clone(&self.lock)),
            Input::Bytes(bytes) => spec.stdin = Some(bytes),
            Input::File(file) => spec.stdin_file = Some(file),
        }
        let output = process::run(&spec)?;
        match output.end {
            End::TimedOut => Err(RescueError::TimedOut(what)),
            End::Cancelled => Err(RescueError::Cancelled { kept: None }),
            End::AtCap => Err(RescueError::Git { what, words: "it was ended".to_owned() }),
            End::Signal(signal) => Err(RescueError::Git { what, words: format!("signal {signal}") }),
            End::Code(_) if output.is_stdout_cut || output.was_held => {
                Err(RescueError::Git { what, words: "its answer is not complete".to_owned() })
            }
            End::Code(_) => Ok(output),
        }
    }
}

/// The name of the command: what follows the settings.
fn command_of(args: &[OsString]) -> String {
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        if arg != "-c" {
            return arg.to_string_lossy().into_owned();
        }
        rest.next();
    }
    String::new()
}

/// The output of a command that must have succeeded.
pub(super) fn succeeded(what: &str, output: Output) -> Result<Output, RescueError> {
    if output.is_success() {
        return Ok(output);
    }
    let words = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(RescueError::Git { what: what.to_owned(), words })
}

/// The one line that a command answered.
pub(super) fn line(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).trim_end_matches('\n').to_owned()
}

/// A path in a list that git splits at colons, as git unquotes it.
fn quoted(path: &Path) -> OsString {
    use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
    let mut text = b"\"".to_vec();
    for byte in path.as_os_str().as_bytes() {
        if matches!(byte, b'"' | b'\\') {
            text.push(b'\\');
        }
        text.push(*byte);
    }
    text.push(b'"');
    OsString::from_vec(text)
}
