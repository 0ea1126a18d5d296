//! The reader for repositories that libgit2 cannot or should not read: the git program, as a child
//! with a time limit.
//!
//! Only commands that run nothing of the repository's are used (`SECURITY.md` 1.2); the one that
//! would (`status`) sees a shadow of the git directory instead. Names that came from outside are full
//! names or ids, never options.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::time::Duration;

use super::in_process::EQUIVALENCE_LIMIT;
use super::index_file::{self, Gitlink, Gitlinks};
use super::porcelain;
use super::reader::{Commit, Entry, Id, Ref, Repo};
use super::shadow::{Setting, Shadow};
use crate::git::{self, LogEntry, Read, ReflogAction, Repository, damaged_config, trouble};
use crate::model::{GitReader, Head, ReadProblem};
use crate::process::{self, End, GitCall, Output, Spec};

/// The most that is read of an answer; 100,000 changed paths fit.
const ANSWER_CAP: usize = 64 << 20;
/// So many entries of a log are asked for.
const LOG_LIMIT: usize = 5_000;
/// What is asked of each commit: id, tree, parents, committer time, subject, message.
const COMMIT_FORMAT: &str = "--format=%H%x00%T%x00%P%x00%ct%x00%s%x00%B%x00";

/// How the git program is called.
#[derive(Debug, Clone, Copy)]
pub(super) struct Call<'a> {
    /// Its absolute path.
    pub(super) program: &'a Path,
    /// The user's home folder.
    pub(super) home: Option<&'a Path>,
    /// How long one call may take.
    pub(super) time_limit: Duration,
}

/// A repository read by the git program.
pub(super) struct Program<'a> {
    repository: &'a Repository,
    call: Call<'a>,
    /// The settings of the repository that `status` needs, when somebody has read them already.
    settings: Option<Vec<Setting>>,
}

impl<'a> Program<'a> {
    /// The repository of `repository`. `settings` are what [`super::shadow::is_needed`] lets through.
    pub(super) fn new(
        repository: &'a Repository,
        call: Call<'a>,
        settings: Option<Vec<Setting>>,
    ) -> Program<'a> {
        Program { repository, call, settings }
    }

    /// Whether git itself takes the repository, which may belong to somebody else. It decides that
    /// only for a repository that it found, not for one that was named.
    pub(super) fn is_allowed(&self) -> Read<bool> {
        let mut spec = self.spec(&self.repository.git_dir).args(["rev-parse", "--git-dir"]);
        spec.env.retain(|(name, _)| name != "GIT_DIR" && name != "GIT_WORK_TREE");
        Ok(finish(&spec)?.is_success())
    }

    /// A call whose repository is `git_dir`.
    fn spec(&self, git_dir: &Path) -> Spec {
        let call = GitCall {
            program: self.call.program,
            home: self.call.home,
            git_dir,
            work_tree: &self.repository.top,
        };
        // Wider than what git itself needs: the filters of the user's own configuration are there.
        let mut spec = call.spec().env("PATH", search_path(self.call.program));
        spec.time_limit = self.call.time_limit;
        spec.stdout_cap = ANSWER_CAP;
        spec
    }

    fn ask<A: Into<OsString>>(&self, args: impl IntoIterator<Item = A>) -> Read<Output> {
        finish(&self.spec(&self.repository.git_dir).args(args))
    }

    fn ask_about(&self, args: &[&str], lines: &[String]) -> Read<Output> {
        let mut spec = self.spec(&self.repository.git_dir).args(args.iter().copied());
        let mut input = lines.join("\n");
        input.push('\n');
        spec.stdin = Some(input.into_bytes());
        finish(&spec)
    }

    /// The settings of the repository, includes and all, that its shadow keeps.
    fn settings(&self) -> Read<Vec<Setting>> {
        let output = succeed(self.ask(["config", "--list", "--show-scope", "-z"])?)?;
        Ok(porcelain::settings(&output.stdout))
    }

    /// The answer to a command that sees the shadow for the git directory.
    fn ask_in_shadow<A: Into<OsString>>(&self, args: impl IntoIterator<Item = A>) -> Read<Output> {
        let settings = match &self.settings {
            Some(settings) => settings.clone(),
            None => self.settings()?,
        };
        let head = self.head()?;
        let shadow = Shadow::make(self.repository, head.commit(), &settings)?;
        let spec = self
            .spec(shadow.git_dir())
            .env("GIT_INDEX_FILE", self.repository.git_dir.join("index"))
            .env("GIT_OBJECT_DIRECTORY", self.repository.common_dir.join("objects"))
            .args(args);
        succeed(finish(&spec)?)
    }

    fn status_with(&self, untracked: &str, folder: Option<&[u8]>) -> Read<Vec<Entry>> {
        use std::os::unix::ffi::OsStrExt as _;
        let untracked = format!("--untracked-files={untracked}");
        // What submodules hold is not git's to look for: it would enter them by their own configuration.
        let args =
            ["status", "--porcelain=v2", "-z", "--no-renames", "--ignore-submodules=dirty", &untracked];
        let folder = folder.map(|folder| [OsStr::new("--"), OsStr::from_bytes(folder)]);
        let args = args.into_iter().map(OsStr::new).chain(folder.into_iter().flatten());
        porcelain::status(&self.ask_in_shadow(args)?.stdout)
    }
}

/// Where the git program finds its own parts and the filters of the user's own configuration.
fn search_path(program: &Path) -> OsString {
    let mut path = program.parent().map(|folder| folder.as_os_str().to_owned()).unwrap_or_default();
    path.push(":/usr/local/bin:/usr/bin:/bin");
    path
}

/// Runs git to its end; an answer that came too late or is too long is no answer.
fn finish(spec: &Spec) -> Read<Output> {
    let output = process::run(spec).map_err(|error| {
        let source =
            std::error::Error::source(&error).map(|source| format!(": {source}")).unwrap_or_default();
        trouble(ReadProblem::Io, format!("{error}{source}"))
    })?;
    if output.end == End::TimedOut {
        let seconds = spec.time_limit.as_secs_f32();
        return Err(trouble(ReadProblem::TimedOut, format!("git did not answer within {seconds} s")));
    }
    if output.is_stdout_cut {
        return Err(trouble(ReadProblem::TooLarge, "git's answer is longer than 64 MiB"));
    }
    Ok(output)
}

/// The answer, or what git said was wrong.
fn succeed(output: Output) -> Read<Output> {
    if output.is_success() {
        return Ok(output);
    }
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let words = said
        .lines()
        .find_map(|line| line.strip_prefix("fatal: ").or(line.strip_prefix("error: ")))
        .or(said.lines().next())
        .unwrap_or("git failed without a word");
    let is_of_config = ["bad config", "bad numeric config", "bad boolean config", "unable to parse config"]
        .iter()
        .any(|start| words.starts_with(start));
    if is_of_config {
        return Err(trouble(ReadProblem::Invalid, damaged_config(words)));
    }
    let problem = if said.contains("unknown repository extension") || said.contains("unknown object format") {
        ReadProblem::Unsupported
    } else if said.contains("dubious ownership") || said.contains("Permission denied") {
        ReadProblem::Refused
    } else {
        ReadProblem::Invalid
    };
    Err(trouble(problem, words))
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(output.stdout.trim_ascii()).into_owned()
}

impl Repo for Program<'_> {
    fn reader(&self) -> GitReader {
        GitReader::Program
    }

    fn head(&self) -> Read<Head> {
        if self.repository.has_ref_files() {
            return git::head(self.repository);
        }
        let branch = self.ask(["symbolic-ref", "-q", "HEAD"])?;
        let commit = self.ask(["rev-parse", "-q", "--verify", "HEAD^{commit}"])?;
        let commit = commit.is_success().then(|| text(&commit));
        match (branch.is_success(), commit) {
            (true, commit) => {
                let name = text(&branch);
                let name = name.strip_prefix("refs/heads/").unwrap_or(&name).to_owned();
                Ok(match commit {
                    Some(commit) => Head::Branch { name, commit },
                    None => Head::Unborn { name },
                })
            }
            (false, Some(commit)) => Ok(Head::Detached { commit }),
            (false, None) => succeed(branch)
                .and_then(|_| Err(trouble(ReadProblem::Invalid, "HEAD names neither a branch nor a commit"))),
        }
    }

    fn reflog(&self, name: &str) -> Read<Vec<LogEntry>> {
        if self.repository.has_ref_files() {
            return git::reflog(self.repository, name);
        }
        let limit = format!("--max-count={LOG_LIMIT}");
        let args = [
            "log",
            "-g",
            "--date=raw",
            "--format=%H%x00%gd%x00%gs",
            "-z",
            &limit,
            "--end-of-options",
            name,
            "--",
        ];
        let output = self.ask(args)?;
        // A reference without a log is an error to git.
        if !output.is_success() {
            return Ok(Vec::new());
        }
        let mut entries: Vec<LogEntry> = porcelain::log(&output.stdout)
            .into_iter()
            .map(|(new, time, message)| LogEntry {
                old: String::new(),
                new,
                time,
                action: ReflogAction::parse(&message),
            })
            .collect();
        entries.reverse();
        let mut before = entries.first().map(|first| "0".repeat(first.new.len())).unwrap_or_default();
        for entry in &mut entries {
            entry.old = std::mem::replace(&mut before, entry.new.clone());
        }
        Ok(entries)
    }

    fn resolve(&self, rev: &str) -> Read<Option<Id>> {
        let rev = format!("{rev}^{{commit}}");
        let output = self.ask(["rev-parse", "-q", "--verify", "--end-of-options", &rev])?;
        Ok(output.is_success().then(|| text(&output)))
    }

    fn commits(&self, ids: &[Id]) -> Read<Vec<Option<Commit>>> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let args = [
            "rev-list",
            "--no-walk=unsorted",
            "--ignore-missing",
            "--no-commit-header",
            COMMIT_FORMAT,
            "--stdin",
        ];
        let output = succeed(self.ask_about(&args, ids)?)?;
        let found = porcelain::commits(&output.stdout);
        Ok(ids.iter().map(|id| found.iter().find(|commit| commit.id == *id).cloned()).collect())
    }

    fn file(&self, commit: &str, path: &str, most: usize) -> Read<Option<Vec<u8>>> {
        let listed = succeed(self.ask(["ls-tree", "-z", commit, "--", path])?)?;
        let is_file =
            [b"100644 blob ", b"100755 blob "].iter().any(|start| listed.stdout.starts_with(*start));
        if !is_file {
            return Ok(None);
        }
        let mut spec =
            self.spec(&self.repository.git_dir).args(["cat-file", "blob", &format!("{commit}:{path}")]);
        spec.stdout_cap = most;
        match finish(&spec) {
            Err(unreadable) if unreadable.problem == ReadProblem::TooLarge => Ok(None),
            output => Ok(Some(succeed(output?)?.stdout)),
        }
    }

    fn walk(&self, from: &[Id], hide: &[Id], limit: usize) -> Read<Vec<Commit>> {
        let limit = format!("--max-count={limit}");
        let args = ["rev-list", "--date-order", "--no-commit-header", COMMIT_FORMAT, &limit, "--stdin"];
        let lines: Vec<String> = from.iter().cloned().chain(hide.iter().map(|id| format!("^{id}"))).collect();
        Ok(porcelain::commits(&succeed(self.ask_about(&args, &lines)?)?.stdout))
    }

    fn ahead_behind(&self, head: &str, other: &str) -> Read<(u32, u32)> {
        let range = format!("{head}...{other}");
        let output = succeed(self.ask(["rev-list", "--left-right", "--count", &range])?)?;
        let answer = text(&output);
        let counts = answer
            .split_once('\t')
            .and_then(|(ahead, behind)| Some((ahead.parse().ok()?, behind.parse().ok()?)));
        counts.ok_or_else(|| trouble(ReadProblem::Invalid, "git did not count as expected"))
    }

    fn merge_base(&self, one: &str, two: &str) -> Read<Option<Id>> {
        let output = self.ask(["merge-base", one, two])?;
        if output.end == End::Code(1) {
            return Ok(None);
        }
        Ok(Some(text(&succeed(output)?)))
    }

    fn refs(&self, names: &[&str]) -> Read<Vec<Ref>> {
        const FORMAT: &str =
            "--format=%(objecttype) %(objectname) %(*objecttype) %(*objectname) %(symref) %(refname)";
        let output = self.ask(["for-each-ref", FORMAT].into_iter().chain(names.iter().copied()))?;
        Ok(porcelain::refs(&succeed(output)?.stdout))
    }

    fn equivalents(&self, head: &str, base: &str) -> Read<HashSet<Id>> {
        let range = format!("{head}...{base}");
        let limit = format!("--max-count={EQUIVALENCE_LIMIT}");
        let output = succeed(self.ask([
            "rev-list",
            "--cherry-mark",
            "--left-only",
            "--no-merges",
            &limit,
            &range,
        ])?)?;
        Ok(text(&output).lines().filter_map(|line| line.strip_prefix('=')).map(str::to_owned).collect())
    }

    fn has_own_changes(&self, merge: &Commit) -> Read<bool> {
        let args =
            ["diff-tree", "-r", "-c", "--name-only", "--no-commit-id", "--no-renames", "--no-ext-diff"];
        let output = succeed(self.ask(args.into_iter().chain(["--no-textconv", &merge.id]))?)?;
        Ok(!output.stdout.trim_ascii().is_empty())
    }

    fn upstream(&self, name: &str) -> Read<Option<String>> {
        let branch = format!("refs/heads/{name}");
        let output = succeed(self.ask([
            "for-each-ref",
            "--format=%(refname)%00%(upstream)%00%(upstream:track)",
            &branch,
        ])?)?;
        Ok(String::from_utf8_lossy(&output.stdout).lines().find_map(|line| {
            let mut fields = line.split('\0');
            let is_it = fields.next() == Some(&branch);
            let upstream = fields.next().filter(|upstream| is_it && !upstream.is_empty())?;
            (fields.next() != Some("[gone]")).then(|| upstream.to_owned())
        }))
    }

    fn gitlinks(&self) -> Read<Vec<Gitlink>> {
        match index_file::gitlinks(self.repository)? {
            Gitlinks::Listed(gitlinks) => Ok(gitlinks),
            Gitlinks::Elsewhere => {
                porcelain::gitlinks(&self.ask_in_shadow(["ls-files", "--stage", "-v", "-z"])?.stdout)
            }
        }
    }

    fn status(&self, _gitlinks: &[Gitlink]) -> Read<Vec<Entry>> {
        self.status_with("normal", None)
    }

    fn untracked_below(&self, folder: &[u8]) -> Read<Vec<Vec<u8>>> {
        let entries = self.status_with("all", Some(folder))?;
        Ok(entries
            .into_iter()
            .filter(|entry| entry.unstaged == Some(crate::model::ChangeKind::Untracked))
            .map(|entry| entry.path)
            .collect())
    }
}
