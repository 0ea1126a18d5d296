//! The only runner of the git program: the repository is named explicitly and never searched for, the
//! environment is built from nothing, and settings keep git from starting what the repository or the
//! environment names (`SECURITY.md` 1.2).
//!
//! Commands that read the index or the work tree run in a shadow; only those that start nothing see the
//! real git directory. Each is confined to what it is meant to change: most change nothing, none anything outside of
//! the git directories and closeout's own folders. A caller must not be able to weaken this, and git's quotes of files
//! outside must not be repeated.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::call_error::{GitError, succeeded};
use super::command::{command_of, is_long, is_writing, leaves_nothing};
use super::repository::Repository;
use super::shadow::{Shadow, quoted};
use super::trouble::not_repeated;
use super::user_files::home_variable;
use crate::disk::Folder;
use crate::process::{self, Budget, Cancel, End, Launcher, Output, Question, Spec};

/// Settings that keep git from starting programs and from using the network.
const SETTINGS: [&str; 9] = [
    "core.fsmonitor=false", "core.hooksPath=/dev/null", "core.pager=cat", "core.alternateRefsCommand=",
    "safe.bareRepository=explicit", "log.showSignature=false", "protocol.allow=never", "gc.auto=0",
    "maintenance.auto=false",
];
/// Variables with the same purpose, and those that make the output the same everywhere.
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
/// How much input makes a command's time limit one second longer, in bytes: a list of paths may be long.
const INPUT_A_SECOND: usize = 50_000;

/// How much memory of its own a git may take, in bytes: four times what it needs for a million files.
const MAX_MEMORY: u64 = 4 << 30;

/// How a room calls git.
#[derive(Debug, Clone, Copy)]
pub struct CallPolicy {
    /// Settings added to those of every call. They may only restrict further; an exception is explained
    /// where it is made.
    pub settings: &'static [&'static str],
    /// Folders added to the search path, in which git finds programs other than its own parts.
    pub programs: &'static str,
    /// The time limit of commands that read lists; longer for one that is given a long list.
    pub limit: Duration,
    /// The time limit of commands that move contents.
    pub long_limit: Duration,
    /// How much of the output is kept, in bytes.
    pub answer_cap: usize,
}

/// The standard input of a command.
#[derive(Debug)]
pub enum Stdin {
    /// The runner's lock file, if it has one, so that the lock lasts as long as the child. Otherwise
    /// nothing.
    Lock,
    /// These bytes.
    Bytes(Vec<u8>),
    /// This file, from its current position.
    File(Arc<File>),
}

/// What is passed to programs the user trusts.
#[derive(Debug)]
pub struct ForPrograms<'a> {
    /// Their environment.
    pub env: &'a [(OsString, OsString)],
    /// Their time limit.
    pub limit: Duration,
    /// What gives them a session of their own.
    pub launcher: Option<&'a Launcher>,
}

/// Runs git for one repository.
#[derive(Debug)]
pub struct Git<'a> {
    /// The git program, by absolute path.
    pub program: &'a Path,
    /// The user's home directory, for the user's own configuration. `None` reads no such configuration.
    pub home: Option<&'a Path>,
    /// The repository.
    pub repo: &'a Repository,
    /// The room's policy.
    pub policy: CallPolicy,
    /// A locked file that every child without input inherits ([`Stdin::Lock`]). One with input must write only
    /// to a folder of its own.
    pub lock: Option<Arc<File>>,
    /// Ends a command early; `None` for work that is completed in any case.
    pub cancel: Option<&'a Cancel>,
    /// Where [`Git::real`] puts new objects and finds more than the repository has; `None` for the repository's
    /// own folder, which no command writes to then.
    pub objects: Option<&'a Path>,
    /// What the calls of a command, a reading or an action may lose together when they hang.
    pub budget: Budget,
}

impl<'a> Git<'a> {
    /// The same runner without cancellation, for work that was begun and has to be completed.
    #[must_use]
    pub fn to_the_end(&self) -> Git<'a> {
        // A hang before it must not keep it from being completed, and one more must not cost much.
        Git { cancel: None, ..self.anew() }
    }

    /// The same runner with a budget of its own, for files of closeout's own.
    #[must_use]
    pub fn anew(&self) -> Git<'a> {
        Git { lock: self.lock.clone(), budget: Budget::default(), ..*self }
    }

    /// The same runner with new objects in `objects`, beside those of the repository.
    #[must_use]
    pub fn with_objects<'o>(&self, objects: &'o Path) -> Git<'o>
    where
        'a: 'o,
    {
        Git { lock: self.lock.clone(), budget: self.budget.clone(), objects: Some(objects), ..*self }
    }

    /// The same runner for another repository.
    pub fn on<'r>(&'r self, repo: &'r Repository) -> Git<'r> {
        Git { lock: self.lock.clone(), budget: self.budget.clone(), repo, ..*self }
    }

    /// Fails if the caller has cancelled.
    ///
    /// # Errors
    /// [`GitError::Cancelled`].
    pub fn check_cancelled(&self) -> Result<(), GitError> {
        if self.cancel.is_some_and(Cancel::is_cancelled) { Err(GitError::Cancelled) } else { Ok(()) }
    }

    /// Whether git itself accepts the repository, which may belong to someone else. Git checks that only
    /// for a repository that it finds, not for one that is named.
    ///
    /// # Errors
    /// Git did not respond.
    pub fn is_allowed(&self) -> Result<bool, GitError> {
        let mut spec = self.spec(&self.repo.git_dir);
        spec.env.retain(|(name, _)| name != "GIT_DIR" && name != "GIT_WORK_TREE");
        Ok(self.run(spec, owned(["rev-parse", "--git-dir"]), Stdin::Lock, None)?.is_success())
    }

    /// Runs a command on the real git directory. It must be one that starts nothing the repository names. One that
    /// changes references runs only if no link is on the way to them.
    ///
    /// # Errors
    /// Git did not respond, or was not run. How the command ended is in the output.
    pub fn real<A: AsRef<OsStr>>(
        &self,
        args: impl IntoIterator<Item = A>,
        input: Stdin,
    ) -> Result<Output, GitError> {
        let args = owned(args);
        let command = command_of(&args);
        let mut spec = self.spec(&self.repo.git_dir);
        if is_writing(&command) {
            let names = args.iter().filter_map(|arg| arg.to_str()).filter(|arg| arg.starts_with("refs/"));
            let names: Vec<&str> = names.collect();
            self.repo.check_writes(&names).map_err(GitError::Linked)?;
            self.repo.check_logs(&names).map_err(GitError::Linked)?;
            // A link that comes after this look is followed by git, and then stopped by the kernel.
            let held = self.repo.held().map_err(|error| failed(command, &error.to_string()))?;
            spec.may_change = Some(held.map(|folder| Arc::new(folder.into())).to_vec());
        }
        if let Some(objects) = self.objects {
            spec.may_change.get_or_insert_default().extend(own(objects));
            spec = self.with_own_objects(spec, objects);
        }
        self.run(spec, args, input, None)
    }

    /// What a command prints that is run as by [`Git::real`] and has to succeed.
    ///
    /// # Errors
    /// As [`Git::real`], or the command failed.
    pub fn answer<A: AsRef<OsStr>>(
        &self,
        args: impl IntoIterator<Item = A>,
        input: Stdin,
    ) -> Result<Vec<u8>, GitError> {
        let args = owned(args);
        let command = command_of(&args);
        Ok(succeeded(&command, self.real(args, input)?)?.stdout)
    }

    /// The lines of what a command prints that reads nothing and has to succeed.
    ///
    /// # Errors
    /// As [`Git::answer`].
    pub fn lines<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>) -> Result<Vec<String>, GitError> {
        let answer = self.answer(args, Stdin::Lock)?;
        Ok(String::from_utf8_lossy(&answer).lines().map(str::to_owned).collect())
    }

    /// The content of the blob `id`, which may also be `<commit>:<path>`. `None` if it is longer than
    /// `most` bytes.
    ///
    /// # Errors
    /// Git did not respond, or there is no such blob.
    pub fn blob(&self, id: &str, most: usize) -> Result<Option<Vec<u8>>, GitError> {
        let mut spec = self.spec(&self.repo.git_dir);
        spec.stdout_cap = most;
        match self.run(spec, owned(["cat-file", "blob", id]), Stdin::Lock, None) {
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
        let output = self.run(spec, owned(["cat-file", "blob", id]), Stdin::Lock, None)?;
        succeeded("cat-file", output).map(drop)
    }

    /// Runs a command with `shadow` as the git directory; it writes objects to those of the shadow.
    ///
    /// # Errors
    /// As [`Git::real`].
    pub fn shadowed<A: AsRef<OsStr>>(
        &self,
        shadow: &Shadow,
        args: impl IntoIterator<Item = A>,
        input: Stdin,
    ) -> Result<Output, GitError> {
        self.shadowed_with(shadow, &shadow.index, args, input)
    }

    /// Like [`Git::shadowed`], for trusted filters: they get the environment and time limit of users'
    /// programs.
    ///
    /// # Errors
    /// As [`Git::real`].
    pub fn shadowed_with_programs<A: AsRef<OsStr>>(
        &self,
        shadow: &Shadow,
        args: impl IntoIterator<Item = A>,
        input: Stdin,
        programs: &ForPrograms<'_>,
    ) -> Result<Output, GitError> {
        let spec = Spec { may_change: None, max_memory: None, ..self.shadow_spec(shadow, &shadow.index) };
        let mut spec = programs.env.iter().fold(spec, |spec, (name, value)| spec.env(name, value));
        spec.own_session = programs.launcher.cloned();
        self.run(spec, owned(args), input, Some(programs.limit))
    }

    /// Like [`Git::shadowed`], with another index.
    ///
    /// # Errors
    /// As [`Git::real`].
    pub fn shadowed_with<A: AsRef<OsStr>>(
        &self,
        shadow: &Shadow,
        index: &Path,
        args: impl IntoIterator<Item = A>,
        input: Stdin,
    ) -> Result<Output, GitError> {
        self.run(self.shadow_spec(shadow, index), owned(args), input, None)
    }

    fn shadow_spec(&self, shadow: &Shadow, index: &Path) -> Spec {
        let mut spec = self.spec(&shadow.git_dir);
        spec.may_change = Some(own(shadow.folder()).into_iter().collect());
        if !shadow.has_user_settings {
            // The user's own settings can name filters, which would process what the agent wrote.
            spec = spec.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        }
        self.with_own_objects(spec.env("GIT_INDEX_FILE", index), &shadow.objects)
    }

    fn with_own_objects(&self, spec: Spec, objects: &Path) -> Spec {
        let real = self.repo.common_dir.join("objects");
        let spec =
            if objects == real { spec } else { spec.env("GIT_ALTERNATE_OBJECT_DIRECTORIES", quoted(&real)) };
        spec.env("GIT_OBJECT_DIRECTORY", objects)
    }

    fn spec(&self, git_dir: &Path) -> Spec {
        let top = &self.repo.top;
        let (name, home) = home_variable(self.home);
        let mut spec = Spec::new(self.program, top)
            .env("GIT_DIR", git_dir)
            .env("GIT_WORK_TREE", top)
            // Even a wrongly named repository must not make git search the folders above.
            .env("GIT_CEILING_DIRECTORIES", top.parent().unwrap_or(top))
            .env(name, home);
        spec = VARIABLES.iter().fold(spec, |spec, (name, value)| spec.env(name, value));
        // git finds its own parts next to itself.
        let mut path = self.program.parent().map(|folder| folder.as_os_str().to_owned()).unwrap_or_default();
        path.push(self.policy.programs);
        spec = spec.env("PATH", path).args(["--no-optional-locks"]);
        spec.stdout_cap = self.policy.answer_cap;
        spec.may_change = Some(Vec::new());
        spec.max_memory = Some(MAX_MEMORY);
        let settings = SETTINGS.iter().chain(self.policy.settings);
        settings.fold(spec, |spec, setting| spec.args(["-c", setting]))
    }

    fn run(
        &self,
        mut spec: Spec,
        args: Vec<OsString>,
        input: Stdin,
        limit: Option<Duration>,
    ) -> Result<Output, GitError> {
        self.check_cancelled()?;
        let command = command_of(&args);
        let n_bytes = if let Stdin::Bytes(bytes) = &input { bytes.len() } else { 0 };
        let for_input = Duration::from_secs((n_bytes / INPUT_A_SECOND) as u64);
        let usual = if is_long(&command) { self.policy.long_limit } else { self.policy.limit + for_input };
        spec.cancel = self.cancel.cloned();
        spec.time_limit = limit.unwrap_or(usual);
        // A person's programs may wait for whatever they like.
        spec.budget = limit.is_none().then(|| self.budget.clone());
        let (repo, home) = (self.repo.clone(), self.home.map(Path::to_owned));
        spec.waits_in_vain = Some(Question::new(move || repo.obstacle(home.as_deref()).is_some()));
        let left = self.budget.left();
        spec = spec.args(args);
        // What it was given or has written must still be as before, and nothing of the repository changed or locked.
        let can_be_repeated =
            spec.stdout_file.is_none() && !matches!(input, Stdin::File(_)) && leaves_nothing(&command);
        match input {
            Stdin::Lock => spec.stdin_file.clone_from(&self.lock),
            Stdin::Bytes(bytes) => spec.stdin = Some(bytes),
            Stdin::File(file) => spec.stdin_file = Some(file),
        }
        let mut output = process::run(&spec)?;
        let is_lost = output.was_held || matches!(output.end, End::Signal(_));
        if is_lost && limit.is_none() && can_be_repeated {
            // A machine under load ends a git, or keeps its pipe open for a moment.
            output = process::run(&spec)?;
        }
        if !output.stderr.is_empty()
            && let Some(link) = self.repo.linked_file()
        {
            output.stderr = not_repeated(&link).into_bytes();
        }
        self.repo.explain(&mut output.stderr, self.home);
        match output.end {
            End::TimedOut => {
                let lost =
                    if limit.is_some() { spec.time_limit } else { left.saturating_sub(self.budget.left()) };
                let whole = (limit.is_none() && self.budget.left().is_zero()).then(|| self.budget.total());
                let lost = Some(lost).filter(|_| !left.is_zero());
                Err(GitError::TimedOut { command, lost, whole, cause: self.repo.obstacle(self.home) })
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

/// One of closeout's own folders, held open. Without it the command fails where it would write.
fn own(folder: &Path) -> Option<Arc<OwnedFd>> {
    Folder::open(folder).ok().map(|folder| Arc::new(folder.into()))
}

fn failed(command: String, message: &str) -> GitError {
    GitError::Failed { command, message: message.to_owned() }
}

fn owned<A: AsRef<OsStr>>(args: impl IntoIterator<Item = A>) -> Vec<OsString> {
    args.into_iter().map(|arg| arg.as_ref().to_owned()).collect()
}
