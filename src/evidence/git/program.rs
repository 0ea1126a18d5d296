//! The reader for repositories that libgit2 cannot or should not read: the git program, as a child process with
//! a time limit.
//!
//! It uses only commands that run nothing of the repository's (`SECURITY.md` 1.2). The one that would,
//! `status`, sees a shadow of the git directory instead. Names from outside are passed as full names or ids,
//! never as options.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::time::Duration;

use super::in_process::EQUIVALENCE_LIMIT;
use super::reader::{Commit, Compared, Entry, Ref, Repo, TreeId};
use super::{GitAsk, porcelain, settings};
use crate::git::{
    self, CallPolicy, Git, GitError, Gitlink, Gitlinks, LogEntry, Read, ReflogAction, Repository, Shadow,
    Stdin, damaged_config, trouble,
};
use crate::model::{CommitId, GitReader, Head, Operation, ReadProblem, Unreadable};
use crate::process::{End, Output};

/// How long one call may take that gets on all the while (SECURITY.md 1.2). The whole reading has its limit, too.
const GIT_LIMIT: Duration = Duration::from_secs(10);
/// The most bytes that are read of an answer; 100,000 changed paths fit.
const ANSWER_CAP: usize = 64 << 20;
/// At most this many entries of a log are requested.
const LOG_LIMIT: usize = 5_000;
/// The fields of a commit: id, tree, parents, committer time, author time, subject, message.
const COMMIT_FORMAT: &str = "--format=%H%x00%T%x00%P%x00%ct%x00%at%x00%s%x00%B%x00";
pub(super) struct Program<'a> {
    git: Git<'a>,
    /// Whether it is asked because something hung: what it would wait for is looked for first.
    is_careful: bool,
}

impl<'a> Program<'a> {
    /// Prepares to read the repository as `ask` says; `None` without a git program.
    pub(super) fn new(repository: &'a Repository, ask: &GitAsk<'a>) -> Option<Program<'a>> {
        let policy = CallPolicy {
            settings: &[],
            // Filters that the user's own configuration names are found there.
            programs: ":/usr/local/bin:/usr/bin:/bin",
            limit: GIT_LIMIT,
            long_limit: GIT_LIMIT,
            answer_cap: ANSWER_CAP,
        };
        let git = Git {
            program: ask.program?,
            home: ask.home,
            repo: repository,
            policy,
            lock: None,
            cancel: None,
            objects: None,
            budget: ask.budget.clone(),
        };
        Some(Program { git, is_careful: ask.reader == Some(GitReader::Program) })
    }

    /// Whether git itself accepts the repository, which may belong to another user.
    pub(super) fn is_allowed(&self) -> Read<bool> {
        self.git.is_allowed().map_err(unreadable)
    }

    /// Checks that git knows the format of the repository, of which a shadow says nothing.
    pub(super) fn check_known(&self) -> Read<()> {
        succeed(self.ask(["rev-parse", "--git-dir"])?).map(drop)
    }

    /// The unfinished operation, if any.
    pub(super) fn operation(&self) -> Read<Option<Operation>> {
        git::operation(&self.git).map_err(unreadable)
    }

    fn ask<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>) -> Read<Output> {
        self.git.real(args, Stdin::Lock).map_err(unreadable)
    }

    fn ask_about(&self, args: &[&str], lines: impl Iterator<Item = String>) -> Read<Output> {
        let input = lines.flat_map(|line| line.into_bytes().into_iter().chain([b'\n'])).collect();
        self.git.real(args, Stdin::Bytes(input)).map_err(unreadable)
    }

    fn shadow(&self) -> Read<Shadow> {
        let shadow = Shadow::for_reading(self.git.repo, self.head()?.commit())?;
        shadow.configure(&settings::kept(&self.git, self.is_careful).map_err(unreadable)?)?;
        Ok(shadow)
    }

    /// The first file of ignore rules that git would wait for, in words.
    fn hanging_rules(&self) -> Read<Option<String>> {
        self.git.hanging_rules(&self.shadow()?).map_err(unreadable)
    }

    /// Runs a command that sees the shadow as the git directory.
    fn ask_in_shadow<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>) -> Read<Output> {
        let shadow = self.shadow()?;
        let hanging = self.is_careful.then(|| self.git.hanging_rules(&shadow)).transpose();
        if let Some(words) = hanging.map_err(unreadable)?.flatten() {
            return Err(trouble(ReadProblem::NotAFile, git::says_waiting(&words)));
        }
        succeed(self.git.shadowed(&shadow, args, Stdin::Lock).map_err(unreadable)?)
    }

    fn status_with(&self, untracked: &str, folder: Option<&[u8]>) -> Read<Vec<Entry>> {
        use std::os::unix::ffi::OsStrExt as _;
        let untracked = format!("--untracked-files={untracked}");
        // Git would enter submodules by their own configuration, so it must not look into them.
        let args =
            ["status", "--porcelain=v2", "-z", "--no-renames", "--ignore-submodules=dirty", &untracked];
        let folder = folder.map(|folder| [OsStr::new("--"), OsStr::from_bytes(folder)]);
        let args = args.into_iter().map(OsStr::new).chain(folder.into_iter().flatten());
        porcelain::status(&self.ask_in_shadow(args)?.stdout)
    }
}

/// The first file of ignore rules that git would wait for, in words. One that it passes over is in nobody's way; without a
/// git program, or where git cannot tell, each counts.
pub fn hanging_rules(repository: &Repository, ask: &GitAsk<'_>) -> Option<String> {
    let folder = repository.folders_with_hanging_rules().into_iter().next()?;
    let first = || Some(git::says_no_file(&repository.top.join(folder).join(".gitignore")));
    match Program::new(repository, ask).map(|program| program.hanging_rules()) {
        Some(Ok(hanging)) => hanging,
        Some(Err(_)) | None => first(),
    }
}

fn unreadable(error: GitError) -> Unreadable {
    match error {
        GitError::TimedOut { .. } => trouble(ReadProblem::TimedOut, error.to_string()),
        GitError::TooLong { .. } => trouble(ReadProblem::TooLarge, error.to_string()),
        GitError::Failed { message, .. } => said(&message),
        GitError::Process(_) | GitError::Cancelled | GitError::Linked(_) => {
            let source = std::error::Error::source(&error).map(|source| format!(": {source}"));
            trouble(ReadProblem::Io, format!("{error}{}", source.unwrap_or_default()))
        }
    }
}

/// The answer, or git's error message.
fn succeed(output: Output) -> Read<Output> {
    if output.is_success() { Ok(output) } else { Err(said(&String::from_utf8_lossy(&output.stderr))) }
}

/// An error with git's own message.
fn said(said: &str) -> Unreadable {
    let words = said
        .lines()
        .find_map(|line| line.strip_prefix("fatal: ").or(line.strip_prefix("error: ")))
        .or(said.lines().next())
        .unwrap_or("git failed without a word");
    // What a message announces stands below it.
    let listed: Vec<&str> = said.lines().filter_map(|line| line.strip_prefix('\t')).collect();
    let words =
        &if words.ends_with(':') { format!("{words} {}", listed.join(", ")) } else { words.to_owned() };
    let is_of_config = ["bad config", "bad numeric config", "bad boolean config", "unable to parse config"]
        .iter()
        .any(|start| words.starts_with(start));
    if is_of_config {
        return trouble(ReadProblem::Invalid, damaged_config(words));
    }
    let problem = if said.contains("unknown repository extension") || said.contains("unknown object format") {
        ReadProblem::Unsupported
    } else if said.contains("dubious ownership") || said.contains("Permission denied") {
        ReadProblem::Refused
    } else {
        ReadProblem::Invalid
    };
    trouble(problem, words)
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(output.stdout.trim_ascii()).into_owned()
}

/// The commit that git printed.
fn id(output: &Output) -> Read<CommitId> {
    text(output).parse().map_err(|_| trouble(ReadProblem::Invalid, "git printed no id of a commit"))
}

impl Repo for Program<'_> {
    fn reader(&self) -> GitReader {
        GitReader::Program
    }

    fn head(&self) -> Read<Head> {
        if self.git.repo.has_ref_files() {
            return git::head(self.git.repo);
        }
        let branch = self.ask(["symbolic-ref", "-q", "HEAD"])?;
        let commit = self.ask(["rev-parse", "-q", "--verify", "HEAD^{commit}"])?;
        let commit = commit.is_success().then(|| id(&commit)).transpose()?;
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
        if self.git.repo.has_ref_files() {
            return git::reflog(self.git.repo, name);
        }
        let limit = format!("--max-count={LOG_LIMIT}");
        let args = [
            "log", "-g", "--date=raw", "--format=%H%x00%gd%x00%gs", "-z", &limit, "--end-of-options", name,
            "--",
        ];
        let output = self.ask(args)?;
        // For git, a reference without a log is an error.
        if !output.is_success() {
            return Ok(Vec::new());
        }
        let mut entries: Vec<LogEntry> = porcelain::log(&output.stdout)
            .into_iter()
            .map(|(new, time, message)| LogEntry {
                old: None,
                new: Some(new),
                time,
                action: ReflogAction::parse(&message),
                merged: git::merged(&message),
                from: git::moved_from(&message),
            })
            .collect();
        // A log that was cut does not tell where HEAD stood before its first entry.
        let start = if entries.len() < LOG_LIMIT { None } else { entries.pop().and_then(|first| first.new) };
        entries.reverse();
        let mut before = start;
        for entry in &mut entries {
            entry.old = std::mem::replace(&mut before, entry.new);
        }
        Ok(entries)
    }

    fn resolve(&self, rev: &str) -> Read<Option<CommitId>> {
        let rev = format!("{rev}^{{commit}}");
        let output = self.ask(["rev-parse", "-q", "--verify", "--end-of-options", &rev])?;
        output.is_success().then(|| id(&output)).transpose()
    }

    fn commits(&self, ids: &[CommitId]) -> Read<Vec<Option<Commit>>> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let args = [
            "rev-list", "--no-walk=unsorted", "--ignore-missing", "--no-commit-header", COMMIT_FORMAT,
            "--stdin",
        ];
        let output = succeed(self.ask_about(&args, ids.iter().map(CommitId::to_string))?)?;
        let found = porcelain::commits(&output.stdout);
        Ok(ids.iter().map(|id| found.iter().find(|commit| commit.id == *id).cloned()).collect())
    }

    fn file(&self, commit: CommitId, path: &str, most: usize) -> Read<Option<Vec<u8>>> {
        let listed = succeed(self.ask(["ls-tree", "-z", &commit.to_string(), "--", path])?)?;
        let is_file =
            [b"100644 blob ", b"100755 blob "].iter().any(|start| listed.stdout.starts_with(*start));
        if !is_file {
            return Ok(None);
        }
        self.git.blob(&format!("{commit}:{path}"), most).map_err(unreadable)
    }

    fn trees(&self, root: &TreeId, folders: &[Vec<u8>]) -> Read<Vec<Option<Vec<u8>>>> {
        // A name with a line feed cannot be passed on a line.
        let names = folders.iter().map(|folder| if folder.contains(&b'\n') { b"//" } else { &folder[..] });
        let input = names.flat_map(|name| [root.as_bytes(), b":", name, b"\n"].concat()).collect();
        let output = self.git.real(["cat-file", "--batch"], Stdin::Bytes(input)).map_err(unreadable)?;
        Ok(porcelain::trees(&succeed(output)?.stdout))
    }

    fn walk(&self, from: &[CommitId], hide: &[CommitId], limit: usize) -> Read<Vec<Commit>> {
        let limit = format!("--max-count={limit}");
        let args = ["rev-list", "--date-order", "--no-commit-header", COMMIT_FORMAT, &limit, "--stdin"];
        let lines = from.iter().map(CommitId::to_string).chain(hide.iter().map(|id| format!("^{id}")));
        Ok(porcelain::commits(&succeed(self.ask_about(&args, lines)?)?.stdout))
    }

    fn ahead_behind(&self, head: CommitId, other: CommitId) -> Read<(u32, u32)> {
        let range = format!("{head}...{other}");
        let output = succeed(self.ask(["rev-list", "--left-right", "--count", &range])?)?;
        let answer = text(&output);
        let counts = answer
            .split_once('\t')
            .and_then(|(ahead, behind)| Some((ahead.parse().ok()?, behind.parse().ok()?)));
        counts.ok_or_else(|| trouble(ReadProblem::Invalid, "git did not count as expected"))
    }

    fn merge_base(&self, one: CommitId, two: CommitId) -> Read<Option<CommitId>> {
        let output = self.ask(["merge-base", &one.to_string(), &two.to_string()])?;
        if output.end == End::Code(1) {
            return Ok(None);
        }
        id(&succeed(output)?).map(Some)
    }

    fn refs(&self, names: &[&str]) -> Read<Vec<Ref>> {
        const FORMAT: &str =
            "--format=%(objecttype) %(objectname) %(*objecttype) %(*objectname) %(symref) %(refname)";
        let output = self.ask(["for-each-ref", FORMAT].into_iter().chain(names.iter().copied()))?;
        Ok(porcelain::refs(&succeed(output)?.stdout))
    }

    fn equivalents(&self, head: CommitId, base: CommitId) -> Read<HashSet<CommitId>> {
        let range = format!("{head}...{base}");
        let limit = format!("--max-count={EQUIVALENCE_LIMIT}");
        let output =
            succeed(self.ask(["rev-list", "--cherry-mark", "--left-only", "--no-merges", &limit, &range])?)?;
        Ok(text(&output).lines().filter_map(|line| line.strip_prefix('=')?.parse().ok()).collect())
    }

    fn paths(&self, commit: &Commit) -> Read<Vec<Vec<u8>>> {
        let args = ["diff-tree", "-r", "-c", "-z", "--root", "--name-only", "--no-commit-id", "--no-renames"];
        let output = succeed(self.ask(args.into_iter().chain([
            "--no-ext-diff",
            "--no-textconv",
            &commit.id.to_string(),
        ]))?)?;
        let paths = output.stdout.split(|byte| *byte == 0).filter(|path| !path.is_empty());
        Ok(paths.map(<[u8]>::to_vec).collect())
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

    fn gitlinks(&self, of_file: Gitlinks) -> Read<Vec<Gitlink>> {
        match of_file {
            Gitlinks::Listed(gitlinks) => Ok(gitlinks),
            Gitlinks::Elsewhere => {
                let shadow = self.shadow()?;
                let entries = git::index_entries(&self.git, &shadow, &shadow.index).map_err(unreadable)?;
                Ok(entries.into_iter().filter(|entry| !entry.is_flagged()).filter_map(Gitlink::of).collect())
            }
        }
    }

    fn status(&self, _of: &Compared<'_>) -> Read<Vec<Entry>> {
        self.status_with("normal", None)
    }

    fn are_ignored(&self, paths: &[&str]) -> Read<Vec<bool>> {
        // `check-ignore` takes no literal paths.
        let listed = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--"];
        let said = self.ask_in_shadow(listed.iter().chain(paths))?.stdout;
        let ignored: HashSet<&[u8]> = said.split(|byte| *byte == 0).collect();
        Ok(paths.iter().map(|path| ignored.contains(path.as_bytes())).collect())
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
