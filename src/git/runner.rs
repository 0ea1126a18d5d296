//! The one runner of the git program: a repository that is named and never looked for, an environment built from
//! nothing, and settings that keep git from starting what the repository or the environment names
//! (`SECURITY.md` 1.2).
//!
//! Commands that read the index or the work tree run in a shadow; only those that run nothing see the real git
//! directory. It must not be weakened by a caller, and must not repeat what git quotes of a file outside.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::repository::Repository;
use super::shadow::Shadow;
use crate::model::display_text;
use crate::process::{self, Cancel, End, Launcher, Output, ProcessError, Spec};

/// Settings that keep git from starting anything or reaching out.
const SETTINGS: [&str; 9] = [
    "core.fsmonitor=false", "core.hooksPath=/dev/null", "core.pager=cat", "core.alternateRefsCommand=",
    "safe.bareRepository=explicit", "log.showSignature=false", "protocol.allow=never", "gc.auto=0",
    "maintenance.auto=false",
];
/// Variables that do the same, and those that make answers the same everywhere.
const VARIABLES: [(&str, &str); 8] = [
    ("GIT_ALLOW_PROTOCOL", "none"),
    ("GIT_LITERAL_PATHSPECS", "1"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_PAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("LC_ALL", "C"),
];
/// Commands that move contents.
const LONG_COMMANDS: [&str; 6] =
    ["fast-import", "verify-pack", "update-index", "cat-file", "bundle", "pack-objects"];

/// Why git gave no answer.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// It did not end in its time and was ended.
    #[error("git {command} did not answer within {} s", .limit.as_secs_f32())]
    TimedOut {
        /// The command.
        command: String,
        /// The time that it had.
        limit: Duration,
    },
    /// It was ended because the caller did not want it any more.
    #[error("git was ended on request")]
    Cancelled,
    /// Its answer is longer than is kept.
    #[error("git's answer is longer than {} MiB", .cap >> 20)]
    TooLong {
        /// The command.
        command: String,
        /// How much is kept, in bytes.
        cap: usize,
    },
    /// It failed.
    #[error("git {command} failed: {message}")]
    Failed {
        /// The command.
        command: String,
        /// What it wrote to its error output, or how it ended.
        message: String,
    },
    /// It could not be run.
    #[error(transparent)]
    Process(#[from] ProcessError),
}

/// How a room calls git.
#[derive(Debug, Clone, Copy)]
pub struct CallPolicy {
    /// Settings beside those that every call has. They can only forbid more, or it is said why there.
    pub settings: &'static [&'static str],
    /// Folders in which git finds programs beside its own parts, for the search path.
    pub programs: &'static str,
    /// How long a command may take that looks at lists.
    pub limit: Duration,
    /// How long a command may take that moves contents.
    pub long_limit: Duration,
    /// The most that is kept of an answer, in bytes.
    pub answer_cap: usize,
}

/// What a command gets as its input.
#[derive(Debug)]
pub enum Stdin {
    /// The lock of the runner, if it has one, so that the lock lasts as long as the child. Else nothing.
    Lock,
    /// These bytes.
    Bytes(Vec<u8>),
    /// This file from its present place on.
    File(Arc<File>),
}

/// What programs get that a person trusts.
#[derive(Debug)]
pub struct ForPrograms<'a> {
    /// Their environment.
    pub env: &'a [(OsString, OsString)],
    /// Their time.
    pub limit: Duration,
    /// What gives them a session of their own.
    pub launcher: Option<&'a Launcher>,
}

/// The runner for one repository.
#[derive(Debug)]
pub struct Git<'a> {
    /// Git, by absolute path.
    pub program: &'a Path,
    /// The user's home, for the user's own configuration; `None` reads none.
    pub home: Option<&'a Path>,
    /// The repository.
    pub repo: &'a Repository,
    /// How it is called.
    pub policy: CallPolicy,
    /// A locked file that each child holds.
    pub lock: Option<Arc<File>>,
    /// Ends a command early; `None` for what is finished in any case.
    pub cancel: Option<&'a Cancel>,
    /// Set when a command does not answer in its time; from then on each has a tenth of it, so that what hangs is waited
    /// for once. `None` gives each its whole time.
    pub has_hung: Option<&'a AtomicBool>,
}

impl<'a> Git<'a> {
    /// The same for what was begun and is finished, whoever wants it to end.
    #[must_use]
    pub fn to_the_end(&self) -> Git<'a> {
        Git { lock: self.lock.clone(), cancel: None, ..*self }
    }

    /// The same runner for another repository.
    pub fn on<'r>(&'r self, repo: &'r Repository) -> Git<'r> {
        Git { lock: self.lock.clone(), repo, ..*self }
    }

    /// Refuses when somebody wants it to end.
    ///
    /// # Errors
    /// [`GitError::Cancelled`].
    pub fn check_cancelled(&self) -> Result<(), GitError> {
        if self.cancel.is_some_and(Cancel::is_cancelled) { Err(GitError::Cancelled) } else { Ok(()) }
    }

    /// Whether git itself takes the repository, which may belong to somebody else. It decides that only for a
    /// repository that it found, not for one that was named.
    ///
    /// # Errors
    /// Git gave no answer.
    pub fn is_allowed(&self) -> Result<bool, GitError> {
        let mut spec = self.spec(&self.repo.git_dir);
        spec.env.retain(|(name, _)| name != "GIT_DIR" && name != "GIT_WORK_TREE");
        Ok(self.run(spec, ["rev-parse", "--git-dir"], Stdin::Lock)?.is_success())
    }

    fn has_hung(&self) -> bool {
        self.has_hung.is_some_and(|it| it.load(Ordering::Relaxed))
    }

    /// A command on the real git directory: one that runs nothing of the repository's.
    ///
    /// # Errors
    /// Git gave no answer; how it ended is in the answer.
    pub fn real<A: AsRef<OsStr>>(
        &self,
        args: impl IntoIterator<Item = A>,
        input: Stdin,
    ) -> Result<Output, GitError> {
        self.run(self.spec(&self.repo.git_dir), args, input)
    }

    /// The content of the blob `id`, which may also be written `<commit>:<path>`; `None` when it is longer than
    /// `most` bytes.
    ///
    /// # Errors
    /// Git gave no answer, or there is no such blob.
    pub fn blob(&self, id: &str, most: usize) -> Result<Option<Vec<u8>>, GitError> {
        let mut spec = self.spec(&self.repo.git_dir);
        spec.stdout_cap = most;
        match self.run(spec, ["cat-file", "blob", id], Stdin::Lock) {
            Err(GitError::TooLong { .. }) => Ok(None),
            output => succeeded("cat-file", output?).map(|output| Some(output.stdout)),
        }
    }

    /// Writes the content of the blob `id` to `file`, whatever its size.
    ///
    /// # Errors
    /// As [`Git::blob`].
    pub fn write_blob(&self, id: &str, file: &Arc<File>) -> Result<(), GitError> {
        let mut spec = self.spec(&self.repo.git_dir);
        spec.stdout_file = Some(Arc::clone(file));
        let output = self.run(spec, ["cat-file", "blob", id], Stdin::Lock)?;
        succeeded("cat-file", output).map(drop)
    }

    /// A command that sees `shadow` for the git directory and writes objects to `objects`.
    ///
    /// # Errors
    /// As [`Git::real`].
    pub fn shadowed<A: AsRef<OsStr>>(
        &self,
        shadow: &Shadow,
        objects: &Path,
        args: impl IntoIterator<Item = A>,
        input: Stdin,
    ) -> Result<Output, GitError> {
        self.shadowed_with(shadow, &shadow.index, objects, args, input)
    }

    /// The same for filters that are trusted: they get the environment that a person gives to programs, and
    /// their own time.
    ///
    /// # Errors
    /// As [`Git::real`].
    pub fn shadowed_with_programs<A: AsRef<OsStr>>(
        &self,
        shadow: &Shadow,
        objects: &Path,
        args: impl IntoIterator<Item = A>,
        input: Stdin,
        programs: &ForPrograms<'_>,
    ) -> Result<Output, GitError> {
        let spec = self.shadow_spec(shadow, &shadow.index, objects);
        let mut spec = programs.env.iter().fold(spec, |spec, (name, value)| spec.env(name, value));
        spec.own_session = programs.launcher.cloned();
        self.run_within(spec, args, input, Some(programs.limit))
    }

    /// The same as [`Git::shadowed`] with another index.
    ///
    /// # Errors
    /// As [`Git::real`].
    pub fn shadowed_with<A: AsRef<OsStr>>(
        &self,
        shadow: &Shadow,
        index: &Path,
        objects: &Path,
        args: impl IntoIterator<Item = A>,
        input: Stdin,
    ) -> Result<Output, GitError> {
        self.run(self.shadow_spec(shadow, index, objects), args, input)
    }

    fn shadow_spec(&self, shadow: &Shadow, index: &Path, objects: &Path) -> Spec {
        let real = self.repo.common_dir.join("objects");
        let mut spec = self.spec(&shadow.git_dir);
        if !shadow.has_user_settings {
            // The user's own settings can name filters, which would run on what the agent wrote.
            spec = spec.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        }
        if objects != real {
            spec = spec.env("GIT_ALTERNATE_OBJECT_DIRECTORIES", quoted(&real));
        }
        spec.env("GIT_INDEX_FILE", index).env("GIT_OBJECT_DIRECTORY", objects)
    }

    fn spec(&self, git_dir: &Path) -> Spec {
        let top = &self.repo.top;
        let mut spec = Spec::new(self.program, top)
            .env("GIT_DIR", git_dir)
            .env("GIT_WORK_TREE", top)
            // Not even a repository that was not named right is looked for above.
            .env("GIT_CEILING_DIRECTORIES", top.parent().unwrap_or(top));
        spec = VARIABLES.iter().fold(spec, |spec, (name, value)| spec.env(name, value));
        spec = match self.home {
            Some(home) => spec.env("HOME", home),
            None => spec.env("GIT_CONFIG_GLOBAL", "/dev/null"),
        };
        // git finds its own parts beside itself.
        let mut path = self.program.parent().map(|folder| folder.as_os_str().to_owned()).unwrap_or_default();
        path.push(self.policy.programs);
        spec = spec.env("PATH", path).args(["--no-optional-locks"]);
        spec.stdout_cap = self.policy.answer_cap;
        let settings = SETTINGS.iter().chain(self.policy.settings);
        settings.fold(spec, |spec, setting| spec.args(["-c", setting]))
    }

    fn run<A: AsRef<OsStr>>(
        &self,
        spec: Spec,
        args: impl IntoIterator<Item = A>,
        input: Stdin,
    ) -> Result<Output, GitError> {
        self.run_within(spec, args, input, None)
    }

    fn run_within<A: AsRef<OsStr>>(
        &self,
        mut spec: Spec,
        args: impl IntoIterator<Item = A>,
        input: Stdin,
        limit: Option<Duration>,
    ) -> Result<Output, GitError> {
        let args: Vec<OsString> = args.into_iter().map(|arg| arg.as_ref().to_owned()).collect();
        self.check_cancelled()?;
        let command = command_of(&args);
        let is_long = LONG_COMMANDS.contains(&command.as_str());
        let usual = if is_long { self.policy.long_limit } else { self.policy.limit };
        let usual = if self.has_hung() { usual.min(self.policy.limit) / 10 } else { usual };
        spec.cancel = self.cancel.cloned();
        spec.time_limit = limit.unwrap_or(usual);
        spec = spec.args(args);
        match input {
            Stdin::Lock => spec.stdin_file.clone_from(&self.lock),
            Stdin::Bytes(bytes) => spec.stdin = Some(bytes),
            Stdin::File(file) => spec.stdin_file = Some(file),
        }
        let mut output = process::run(&spec)?;
        if !output.stderr.is_empty()
            && let Some(link) = self.repo.linked_file()
        {
            output.stderr = not_repeated(&link).into_bytes();
        }
        match output.end {
            End::TimedOut => {
                if let Some(has_hung) = self.has_hung {
                    has_hung.store(true, Ordering::Relaxed);
                }
                Err(GitError::TimedOut { command, limit: spec.time_limit })
            }
            End::Cancelled => Err(GitError::Cancelled),
            End::AtCap => Err(failed(command, "it was ended")),
            End::Signal(signal) => Err(failed(command, &format!("signal {signal}"))),
            End::Code(_) if output.is_stdout_cut => Err(GitError::TooLong { command, cap: spec.stdout_cap }),
            End::Code(_) if output.was_held => Err(failed(command, "its answer is not complete")),
            End::Code(_) => Ok(output),
        }
    }
}

fn failed(command: String, message: &str) -> GitError {
    GitError::Failed { command, message: message.to_owned() }
}

/// What stands in place of words that could quote a file to which a link of the git directory leads.
pub fn not_repeated(link: &Path) -> String {
    let shown = display_text::path(link);
    format!("fatal: {shown} is a symbolic link, so what git says of it is not repeated here")
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
///
/// # Errors
/// [`GitError::Failed`] with what it wrote to its error output.
pub fn succeeded(command: &str, output: Output) -> Result<Output, GitError> {
    if output.is_success() {
        return Ok(output);
    }
    let message = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(GitError::Failed { command: command.to_owned(), message })
}

/// The one line that a command answered.
pub fn line(output: &Output) -> String {
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
