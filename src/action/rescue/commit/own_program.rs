//! Runs the person's own rescue program instead of the built-in commit: a configured command, or
//! `commit-rescue.py` at the top of the workspace. The record comes first. The result is judged by the commits
//! that exist afterwards; it must not be judged by what the program says.

use crate::action::rescue::Rescuer;
use crate::action::rescue::base::{JournalEntry, Move, PinnedAs, RescueError, Saved, Settings, references};
use crate::action::rescue::lock::WorktreeLock;
use crate::action::rescue::ref_transaction::branch::inode;
use crate::action::rescue::ref_transaction::kept_index;
use crate::action::rescue::ref_transaction::target::in_progress;
use crate::action::rescue::snapshot::Recorded;
use crate::action::rescue::survey::commits::differing;
use crate::action::rescue::survey::{self, SeenIndex, Spool, listing, seen_index};
use crate::action::rescue::trust::{Copies, hooks};
use crate::git::{Git, Stdin, commit_id, operation};
use crate::model::{CommitId, CommitTarget, RescuePlan, Rescued, display_text};
use crate::process::{self, End, Output, ProcessError};

impl Rescuer {
    /// Runs the person's own program instead of the commit and examines what it did.
    pub(crate) fn run_own(
        &self,
        worktree: &WorktreeLock,
        git: &Git<'_>,
        current: &Recorded,
        plan: &RescuePlan,
        saved: &Saved,
    ) -> Result<Rescued, RescueError> {
        let is_beside = matches!(plan.target, Some(CommitTarget::NewBranch(_)));
        let Some(branch) = plan.branch.clone().filter(|_| !is_beside) else {
            let why = "a rescue program commits to the branch that is checked out";
            return Err(RescueError::Refused(why.to_owned()));
        };
        // It runs git itself, with the settings that count then: they are read anew.
        let settings = Settings::read(git)?;
        let programs = self.programs(git, &settings, &current.survey.entries, &current.survey.untracked)?;
        let Some(own) = &programs.own else {
            return Err(RescueError::Refused("there is no rescue program that can be started".to_owned()));
        };
        if !programs.is_own_trusted {
            return Err(RescueError::Untrusted(format!(
                "the rescue program is not trusted: {}",
                own.words.join(" ")
            )));
        }
        let copies = Copies::write(&programs, current.shadow.file("programs"))?;
        let mut spec = self.spec_of(copies.command(&own.program, &own.args), &git.repo.top);
        spec = spec.env("CLOSEOUT_RECORD", &*saved.reference);
        if let Some(name) = &plan.programs.spec {
            spec = spec.env("CLOSEOUT_SPEC", name);
        }
        spec.stdin = Some(plan.message.clone().into_bytes());
        let message = message_of(process::run(&spec))?;
        let replaced = programs.files.changed().map(display_text::path);
        // Even after a cancellation, what the program did is examined and journalled.
        let held = self.cancel.hold();
        let git = &git.to_the_end();
        if held.is_none() && listing::head(git)?.commit == plan.head {
            return Err(RescueError::Cancelled);
        }
        let commits = new_commits(git, plan, message.as_deref())?;
        let id = worktree.new_id();
        let pinned = references::pin(git, PinnedAs::Visible, &worktree.repo.key, &id, &commits)
            .map_err(|error| error.to_string());
        let undoable = pinned
            .and_then(|_| journal_own(worktree, git, current, plan, saved, (id, commits.last().copied())));
        let mut notes: Vec<String> = message.into_iter().collect();
        let can_be_undone = match undoable {
            Ok(()) => true,
            Err(words) => {
                notes.push(format!(
                    "{words}, so that an undo would not be exact; the record {} gives the work back",
                    saved.reference
                ));
                false
            }
        };
        // The commits are entered all the same, so that they can be taken back.
        if let Some(path) = replaced {
            return Err(RescueError::SavedOnly(format!(
                "{path} changed while the rescue program ran: what ran may not be what is trusted; its commits are on \
                 {branch}"
            )));
        }
        let changed = commits.last().map(|last| differing(git, plan.head, *last)).transpose()?;
        let n_paths = changed.map_or(0, |paths| paths.len());
        Ok(Rescued { record: plan.record.clone(), commits, branch, n_paths, notes, can_be_undone })
    }
}

/// Enters what the program did in the journal, so that it can be undone exactly. Fails with the reason why
/// it cannot be.
fn journal_own(
    worktree: &WorktreeLock,
    git: &Git<'_>,
    current: &Recorded,
    plan: &RescuePlan,
    saved: &Saved,
    (id, last): (String, Option<CommitId>),
) -> Result<(), String> {
    let words = |error: RescueError| error.to_string();
    if let Some(begun) = operation(git).map_err(|error| error.to_string())? {
        return Err(in_progress(begun));
    }
    let shadow = seen_index::shadow(
        &worktree.repo,
        &worktree.folder.join(format!("work-after-{}", worktree.any_id())),
    )
    .map_err(words)?;
    shadow.configure(&current.settings.for_shadow()).map_err(|error| error.detail)?;
    let mut spool = Spool::create(git, &shadow.file("stream")).map_err(words)?;
    let after = survey::survey(git, &shadow, &mut spool).map_err(words)?;
    if let Some(difference) = hooks::difference(&current.survey.blobs, &after.blobs) {
        return Err(format!("the work tree is another one now ({difference})"));
    }
    let keep = |raw| kept_index::keep(worktree, raw);
    let index_before = current.shadow.raw_index.as_ref().map(keep).transpose().map_err(words)?;
    let index_after = shadow.raw_index.as_ref().map(keep).transpose().map_err(words)?;
    let last = last.ok_or("there is no commit")?;
    worktree.sync().map_err(words)?;
    if SeenIndex::read(&worktree.repo.index()).map_err(words)?.raw != shadow.raw_index {
        return Err("the index changed".to_owned());
    }
    let branch = plan.branch.clone().ok_or("HEAD is detached")?;
    let made = Move {
        from: plan.head,
        digest_before: saved.digest.clone(),
        digest_after: listing::digest(&after.entries),
        index_before,
        index_after,
        // The index that the program left: if we crash before the next line, recovery takes the move for
        // done.
        inode: inode(&worktree.repo.index()).unwrap_or_default(),
        is_branch_only: false,
        ..Move::of_branch(id.clone(), branch, Some(last), None, Some(saved.reference.clone()))
    };
    worktree.journal.append(&JournalEntry::Moving(made)).map_err(words)?;
    worktree.journal.append(&JournalEntry::Moved { id }).map_err(words)
}

/// What to report about the program's end. An error only if it was never started.
fn message_of(ran: Result<Output, ProcessError>) -> Result<Option<String>, RescueError> {
    let output = match ran {
        Ok(output) => output,
        Err(error @ (ProcessError::Lost { .. } | ProcessError::Stays { .. })) => {
            return Ok(Some(error.to_string()));
        }
        Err(error @ (ProcessError::NotAbsolute { .. } | ProcessError::Start { .. })) => {
            return Err(error.into());
        }
    };
    Ok(match output.end {
        End::Code(0) => None,
        End::TimedOut => Some("the rescue program did not end in its time and was ended".to_owned()),
        End::Cancelled => Some("the rescue program was ended on request".to_owned()),
        End::Code(_) | End::Signal(_) | End::AtCap => {
            Some(format!("the rescue program failed: {}", hooks::said(&output)))
        }
    })
}

/// The commits that were added to the branch, oldest first.
fn new_commits(
    git: &Git<'_>,
    plan: &RescuePlan,
    message: Option<&str>,
) -> Result<Vec<CommitId>, RescueError> {
    let after = listing::head(git)?;
    let saved_only = |words: &str| {
        let words = message.map_or_else(|| words.to_owned(), |message| format!("{message}; {words}"));
        Err(RescueError::SavedOnly(words))
    };
    if after.branch != plan.branch {
        return saved_only("the rescue program left the branch");
    }
    let Some(newest) = after.commit.filter(|_| after.commit != plan.head) else {
        return saved_only("the rescue program made no commit");
    };
    if let Some(old) = plan.head
        && !git
            .real(["merge-base", "--is-ancestor", &old.to_string(), &newest.to_string()], Stdin::Lock)?
            .is_success()
    {
        return saved_only("the rescue program changed commits that were there");
    }
    let mut args = vec!["rev-list".to_owned(), "--reverse".to_owned(), newest.to_string()];
    args.extend(plan.head.iter().map(|old| format!("^{old}")));
    git.lines(&args)?.iter().map(|id| Ok(commit_id("rev-list", id)?)).collect()
}
