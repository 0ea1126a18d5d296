//! The process is killed at each named step of a commit and an undo. After the next start the state is the one
//! before or the one after, and every action is possible again.

use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use strum::VariantArray as _;

use closeout::action::rescue::{Recovered, RescueError, RescueStep, Rescuer};
use rustix::process::Signal;

use closeout::model::{CommitTarget, RecordState, RefName, SplitKind};

use super::fixture::*;
use super::keep::journal;
use super::loose::detached;
use crate::support::repo::{Repo, git_program};

/// Tells the process that is to die the repository, the action and the step.
const ORDER: &str = "CLOSEOUT_TEST_KILL";

/// Not a test of its own: what the killed process does.
#[test]
#[ignore = "run by the tests of this module in a process of its own"]
fn act_and_die() {
    let Ok(order) = std::env::var(ORDER) else { return };
    let fields: Vec<&str> = order.split('\n').collect();
    let (top, action, n) = (std::path::Path::new(fields[0]), fields[1], fields[2].parse::<usize>().unwrap());
    let step = RescueStep::VARIANTS[n];
    let signal = Signal::from_named_raw(fields[3].parse().unwrap()).unwrap();
    let beside = top.parent().unwrap();
    let rescuer = closeout::action::rescue::Rescuer {
        is_synced: false,
        at_step: Some(Box::new(move |reached| {
            if reached == step {
                let own = rustix::process::getpid();
                rustix::process::kill_process(own, signal).unwrap();
            }
        })),
        ..closeout::action::rescue::Rescuer::new(
            crate::support::repo::git_program(),
            Some(beside.join("home")),
            beside.join("state"),
        )
    };
    match action {
        "commit" => {
            let plan = rescuer.plan(top, "rescue: work\n").unwrap();
            rescuer.commit(top, &plan).unwrap();
        }
        "branch" => {
            let mut plan = rescuer.plan(top, "rescue: work\n").unwrap();
            plan.target = Some(CommitTarget::NewBranch(RefName::of_branch("beside")));
            rescuer.commit(top, &plan).unwrap();
        }
        "split" => {
            let mut plan = rescuer.plan(top, "rescue: work\n").unwrap();
            plan.split = Some(SplitKind::Staged);
            rescuer.commit(top, &plan).unwrap();
        }
        "keep" => {
            let head = std::fs::read_to_string(top.join(".git/HEAD")).unwrap();
            let plan = rescuer.branch_plan(top, &[head.trim().parse().unwrap()]).unwrap();
            rescuer.create_branch(top, &plan).unwrap();
        }
        "undo" => rescuer.undo(top).unwrap(),
        "redo" => rescuer.redo(top).unwrap(),
        "recover" => assert_ne!(rescuer.recover(top).unwrap(), Recovered::InPart),
        other => panic!("{other}"),
    }
}

/// Runs the action in its own process; returns true if it was killed.
fn killed_at(repo: &Repo, action: &str, step: RescueStep) -> bool {
    signalled_at(repo, action, step, Signal::KILL)
}

/// The same with another signal. An action that fails by itself fails the test.
#[expect(clippy::disallowed_methods, reason = "the process that is killed must be another")]
fn signalled_at(repo: &Repo, action: &str, step: RescueStep, signal: Signal) -> bool {
    let n = RescueStep::VARIANTS.iter().position(|it| *it == step).unwrap();
    // The test runner may ignore a signal, as under `nohup`, and children inherit that.
    let output = Command::new("env")
        .arg("--default-signal")
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "rescue::kill::act_and_die", "--ignored", "--nocapture"])
        .env(ORDER, format!("{}\n{action}\n{n}\n{}", repo.path().display(), signal.as_raw()))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    match output.status.signal() {
        Some(number) => assert_eq!(number, signal.as_raw(), "{said}"),
        None => assert!(output.status.success(), "{action} at {step:?}: {}\n{said}", output.status),
    }
    output.status.signal().is_some()
}

// K01
#[test]
fn a_rescue_that_is_killed_at_any_step_ends_before_or_done() {
    for &step in RescueStep::VARIANTS {
        let repo = rich();
        let before = fingerprint(&repo);
        assert!(killed_at(&repo, "commit", step), "{step:?} was not reached");
        assert_eq!(fingerprint(&repo).work_tree, before.work_tree, "{step:?}");
        rescuer(&repo).recover(repo.path()).unwrap();
        let after = fingerprint(&repo);
        assert_eq!(after.locks, Vec::<String>::new(), "{step:?}");
        if after.references != before.references {
            // After: undo is exact.
            assert_eq!(repo.git(["log", "-1", "--format=%s"]), "rescue: work");
            rescuer(&repo).undo(repo.path()).unwrap();
        }
        assert_eq!(fingerprint(&repo), before, "{step:?}");
        // Once more, and undone once more.
        commit(&repo);
        rescuer(&repo).undo(repo.path()).unwrap();
        assert_eq!(fingerprint(&repo), before, "{step:?}");
        repo.git(["fsck", "--connectivity-only", "--no-dangling"]);
    }
}

// K02
#[test]
fn an_undo_that_is_killed_at_any_step_ends_before_or_done() {
    let steps = RescueStep::VARIANTS
        .iter()
        .copied()
        .skip_while(|step| *step != RescueStep::IndexPrepared)
        .chain([RescueStep::Locked]);
    for step in steps {
        let repo = rich();
        let before = fingerprint(&repo);
        commit(&repo);
        let done = fingerprint(&repo);
        assert!(killed_at(&repo, "undo", step), "{step:?} was not reached");
        rescuer(&repo).recover(repo.path()).unwrap();
        let after = fingerprint(&repo);
        if after.references == before.references {
            assert_eq!(after, before, "{step:?}");
            assert!(matches!(rescuer(&repo).undo(repo.path()), Err(RescueError::Nothing)));
        } else {
            assert_eq!(after, done, "{step:?}");
            rescuer(&repo).undo(repo.path()).unwrap();
            assert_eq!(fingerprint(&repo), before, "{step:?}");
        }
    }
}

// K01, K02: the reflog line that git would have written is there too, exactly once.
#[test]
fn the_reflogs_tell_of_a_move_that_was_killed() {
    for step in [RescueStep::Checked, RescueStep::BranchMoved, RescueStep::IndexMoved] {
        let repo = rich();
        let before = repo.head();
        assert!(killed_at(&repo, "commit", step));
        rescuer(&repo).recover(repo.path()).unwrap();
        rescuer(&repo).recover(repo.path()).unwrap();
        let told = |name: &str| repo.git(["reflog", "--format=%H %gs", name]);
        let is_done = repo.head() != before;
        assert_eq!(is_done, step != RescueStep::Checked);
        for name in ["HEAD", "main"] {
            let n = told(name).lines().filter(|line| line.ends_with(" closeout")).count();
            assert_eq!(n, usize::from(is_done), "{step:?}: {name}");
        }
        if is_done {
            assert!(told("HEAD").starts_with(&repo.head()));
            assert!(killed_at(&repo, "undo", RescueStep::BranchMoved));
            rescuer(&repo).recover(repo.path()).unwrap();
            assert!(told("HEAD").starts_with(&before));
        }
    }
}

// K05
#[test]
fn a_recovery_that_is_killed_is_taken_up_by_the_next() {
    for step in [RescueStep::Locked, RescueStep::IndexMoved, RescueStep::MoveDone] {
        let repo = rich();
        let before = fingerprint(&repo);
        assert!(killed_at(&repo, "commit", RescueStep::BranchMoved));
        assert!(killed_at(&repo, "recover", step), "{step:?} was not reached");
        killed_at(&repo, "recover", step);
        rescuer(&repo).recover(repo.path()).unwrap();
        assert_eq!(fingerprint(&repo).locks, Vec::<String>::new());
        rescuer(&repo).undo(repo.path()).unwrap();
        assert_eq!(fingerprint(&repo), before, "{step:?}");
    }
}

// K01, combined with what the agent does before the next start.
#[test]
fn what_is_staged_after_a_cut_commit_is_kept_by_the_recovery() {
    let repo = rich();
    let before = fingerprint(&repo);
    assert!(killed_at(&repo, "commit", RescueStep::IndexMoved));
    repo.write("late", "late\n").stage("late");
    let staged = fingerprint(&repo);
    rescuer(&repo).recover(repo.path()).unwrap();
    let after = fingerprint(&repo);
    assert_eq!((&after.index, &after.references), (&staged.index, &staged.references));
    assert_eq!(after.locks, Vec::<String>::new());
    // The commit is known to be made, so it can be undone once the index is as the commit left it.
    repo.git(["rm", "-q", "--cached", "late"]);
    repo.remove("late");
    rescuer(&repo).undo(repo.path()).unwrap();
    assert_eq!(fingerprint(&repo), before);
}

// A lock that appears after a crash is someone else's, even if the system gave it the inode of ours.
#[test]
fn a_lock_of_another_is_kept_by_the_recovery() {
    for step in [RescueStep::MoveJournalled, RescueStep::IndexMoved] {
        let repo = rich();
        assert!(killed_at(&repo, "commit", step));
        for name in ["index.lock", "HEAD.lock", "refs/heads/main.lock"] {
            // Someone removes our lock, if it is there.
            let _ = std::fs::remove_file(repo.git_dir().join(name));
            std::fs::write(repo.git_dir().join(name), "of another\n").unwrap();
        }
        // It may report that the lock is taken.
        let _ = rescuer(&repo).recover(repo.path());
        for name in ["index.lock", "HEAD.lock", "refs/heads/main.lock"] {
            assert_eq!(std::fs::read(repo.git_dir().join(name)).unwrap(), b"of another\n", "{step:?}");
            std::fs::remove_file(repo.git_dir().join(name)).unwrap();
        }
        rescuer(&repo).recover(repo.path()).unwrap();
        assert_eq!(fingerprint(&repo).locks, Vec::<String>::new());
    }
}

// K01, K02 for a commit to a new branch: only that branch appears and disappears.
#[test]
fn a_new_branch_is_there_or_not_whenever_the_process_is_killed() {
    let steps =
        [RescueStep::CommitPinned, RescueStep::MoveJournalled, RescueStep::BranchMoved, RescueStep::MoveDone];
    for (action, step) in
        steps.into_iter().flat_map(|step| [("branch", step), ("undo", step), ("redo", step)])
    {
        if action != "branch" && step == RescueStep::CommitPinned {
            continue;
        }
        let repo = rich();
        let before = fingerprint(&repo);
        if action != "branch" {
            let mut plan = plan(&repo);
            plan.target = Some(CommitTarget::NewBranch(RefName::of_branch("beside")));
            rescuer(&repo).commit(repo.path(), &plan).unwrap();
        }
        if action == "redo" {
            rescuer(&repo).undo(repo.path()).unwrap();
        }
        assert!(killed_at(&repo, action, step), "{action} {step:?} was not reached");
        rescuer(&repo).recover(repo.path()).unwrap();
        let after = fingerprint(&repo);
        assert_eq!(leftovers(&repo), Vec::<String>::new(), "{action} {step:?}");
        assert_eq!(
            (&after.work_tree, &after.index, &after.locks),
            (&before.work_tree, &before.index, &before.locks)
        );
        if after.references == before.references {
            assert!(
                matches!(rescuer(&repo).undo(repo.path()), Err(RescueError::Nothing)),
                "{action} {step:?}"
            );
        } else {
            assert_eq!(repo.git(["log", "-1", "--format=%s", "beside"]), "rescue: work");
            rescuer(&repo).undo(repo.path()).unwrap();
        }
        assert_eq!(fingerprint(&repo), before, "{action} {step:?}");
    }
}

// K01, K02 for commits that no branch holds: their branch is there or not, and they are always there.
#[test]
fn a_branch_for_loose_commits_is_there_or_not_whenever_the_process_is_killed() {
    let steps = [
        RescueStep::Locked,
        RescueStep::CommitPinned,
        RescueStep::MoveJournalled,
        RescueStep::BranchMoved,
        RescueStep::MoveDone,
    ];
    for step in steps {
        let (repo, tip) = detached();
        let before = fingerprint(&repo);
        assert!(killed_at(&repo, "keep", step), "{step:?} was not reached");
        rescuer(&repo).recover(repo.path()).unwrap();
        assert_eq!(leftovers(&repo), Vec::<String>::new(), "{step:?}");
        if fingerprint(&repo) == before {
            let plan = rescuer(&repo).branch_plan(repo.path(), &[tip.parse().unwrap()]).unwrap();
            rescuer(&repo).create_branch(repo.path(), &plan).unwrap();
        }
        assert_eq!(
            repo.git(["for-each-ref", "--format=%(objectname)", "refs/heads/rescue"]),
            tip,
            "{step:?}"
        );
        rescuer(&repo).undo(repo.path()).unwrap();
        assert_eq!(fingerprint(&repo), before, "{step:?}");
        repo.git(["fsck", "--connectivity-only", "--no-dangling"]);
    }
}

// K01 for several commits: all of them or none.
#[test]
fn several_commits_are_all_there_or_none_whenever_the_process_is_killed() {
    for step in [
        RescueStep::TreeMade,
        RescueStep::CommitPinned,
        RescueStep::IndexLocked,
        RescueStep::BranchMoved,
        RescueStep::IndexMoved,
    ] {
        let repo = rich();
        let before = fingerprint(&repo);
        assert!(killed_at(&repo, "split", step), "{step:?} was not reached");
        rescuer(&repo).recover(repo.path()).unwrap();
        if fingerprint(&repo).references != before.references {
            assert_eq!(rescuer(&repo).undo_plan(repo.path()).unwrap().commits.len(), 2);
            rescuer(&repo).undo(repo.path()).unwrap();
        }
        assert_eq!(fingerprint(&repo), before, "{step:?}");
    }
}

// K04: the signals that a terminal or shell sends. Nothing handles them here, so the end is just as sudden.
#[test]
fn a_rescue_that_is_told_to_end_ends_before_or_done() {
    for signal in [Signal::TERM, Signal::INT, Signal::HUP, Signal::QUIT] {
        for step in [
            RescueStep::Imported,
            RescueStep::IndexLocked,
            RescueStep::Checked,
            RescueStep::BranchMoved,
            RescueStep::IndexMoved,
        ] {
            let repo = rich();
            let before = fingerprint(&repo);
            assert!(signalled_at(&repo, "commit", step, signal), "{signal:?} at {step:?}");
            assert_eq!(fingerprint(&repo).work_tree, before.work_tree);
            rescuer(&repo).recover(repo.path()).unwrap();
            let after = fingerprint(&repo);
            assert_eq!(after.locks, Vec::<String>::new(), "{signal:?} at {step:?}");
            if after.references != before.references {
                rescuer(&repo).undo(repo.path()).unwrap();
            }
            assert_eq!(fingerprint(&repo), before, "{signal:?} at {step:?}");
        }
    }
}

// K01: a killed rescue leaves nothing in our own folder that the next start cannot remove.
#[test]
fn a_start_finds_what_was_cut_and_clears_away_what_was_left() {
    let repo = rich();
    let rescuer = rescuer(&repo);
    assert!(killed_at(&repo, "commit", RescueStep::Imported));
    assert_eq!((rescuer.unfinished(), left_work(&rescuer).len()), (vec![], 1));
    rescuer.sweep();
    assert_eq!(left_work(&rescuer), Vec::<PathBuf>::new());
    assert!(killed_at(&repo, "commit", RescueStep::BranchMoved));
    assert_eq!(rescuer.unfinished(), [repo.path()]);
    rescuer.recover(repo.path()).unwrap();
    assert_eq!(rescuer.unfinished(), Vec::<std::path::PathBuf>::new());
}

/// The working folders in the rescuer's own folders.
fn left_work(rescuer: &Rescuer) -> Vec<PathBuf> {
    let folders = fs::read_dir(rescuer.state.join("rescue")).unwrap().flatten();
    let inside = folders.flat_map(|folder| fs::read_dir(folder.path()).unwrap().flatten());
    let works = inside.filter(|entry| entry.file_name().to_string_lossy().starts_with("work"));
    works.map(|entry| entry.path()).collect()
}

// K01: a git child that reads its input holds no lock. If it outlives its rescue, it writes into the working folder
// while that is removed.
#[test]
fn a_working_folder_goes_although_a_child_that_outlived_its_rescue_writes_into_it() {
    let repo = rich();
    let rescuer = rescuer(&repo);
    assert!(killed_at(&repo, "commit", RescueStep::Imported));
    let packs = left_work(&rescuer)[0].join("objects/pack");
    let write = |n: usize| fs::write(packs.join(format!("tmp_idx_{n}")), b"");
    (0..2000).for_each(|n| write(n).unwrap());
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            (2000..100_000).take_while(|n| write(*n).is_ok() && !is_over.load(Ordering::SeqCst)).count()
        });
        rescuer.sweep();
        is_over.store(true, Ordering::SeqCst);
    });
    assert_eq!(left_work(&rescuer), Vec::<PathBuf>::new());
}

/// A container, or another home, has its own state folder for the same repository.
#[test]
fn a_closeout_with_another_state_folder_takes_no_proof_of_ownership_away() {
    let steps = [
        RescueStep::PackMoved,
        RescueStep::IndexPrepared,
        RescueStep::MoveJournalled,
        RescueStep::Checked,
        RescueStep::IndexLocked,
        RescueStep::BranchMoved,
    ];
    for step in steps {
        let repo = rich();
        let before = fingerprint(&repo);
        assert!(killed_at(&repo, "commit", step), "{step:?} was not reached");
        let cut = leftovers(&repo);
        let other = Rescuer { state: repo.root().join("other-state"), ..rescuer(&repo) };
        other.recover(repo.path()).unwrap();
        assert_eq!(leftovers(&repo), cut, "{step:?}");
        rescuer(&repo).recover(repo.path()).unwrap();
        assert_eq!(leftovers(&repo), Vec::<String>::new(), "{step:?}");
        let after = fingerprint(&repo);
        if after.references != before.references {
            rescuer(&repo).undo(repo.path()).unwrap();
        }
        assert_eq!(fingerprint(&repo), before, "{step:?}");
    }
}

/// Every lock, prepared file and `.keep` file in the git directory.
pub(super) fn leftovers(repo: &Repo) -> Vec<String> {
    let is_left =
        |name: &str| [".lock", ".keep"].iter().any(|end| name.ends_with(end)) || name.contains(".closeout-");
    let mut found: Vec<String> =
        files_below(&repo.git_dir()).into_iter().filter(|name| is_left(name)).collect();
    found.sort();
    found
}

// X05: a damaged line is about no pack and no lock below closeout's own references.
#[test]
fn what_a_killed_rescue_left_goes_although_a_line_of_the_journal_is_damaged() {
    let repo = rich();
    let made = record(&repo);
    let text = fs::read_to_string(journal(&repo)).unwrap();
    fs::write(journal(&repo), text + "0000 {\"act\":\"mo").unwrap();
    repo.write("e", "changed\n");
    assert!(killed_at(&repo, "commit", RescueStep::PackMoved));
    fs::write(repo.git_dir().join(format!("{}.lock", made.reference)), "").unwrap();
    assert!(leftovers(&repo).iter().any(|name| name.contains(".keep")));
    rescuer(&repo).recover(repo.path()).unwrap();
    assert_eq!(leftovers(&repo), Vec::<String>::new());
    assert!(rescuer(&repo).list(repo.path()).unwrap().is_damaged());
}

/// The journal line is written after the reference: what is interrupted in between is a record all the same.
#[test]
fn a_record_that_was_cut_before_its_line_in_the_journal_is_adopted() {
    for step in [RescueStep::ReferenceMade, RescueStep::RecordJournalled] {
        let repo = rich();
        assert!(killed_at(&repo, "commit", step), "{step:?} was not reached");
        let found = rescuer(&repo).list(repo.path()).unwrap();
        assert!(!found.is_damaged(), "{step:?}: {:?}", found.notices);
        assert_eq!(found.records.len(), 1, "{step:?}");
        assert_eq!(found.records[0].state, RecordState::Kept, "{step:?}");
        let into = repo.root().join("into");
        assert!(rescuer(&repo).restore(repo.path(), &found.records[0].reference, &into).unwrap() > 0);
        // A reference that no record announced stays unknown.
        repo.git(["update-ref", &(found.records[0].reference.to_string() + "0"), "HEAD"]);
        assert!(rescuer(&repo).list(repo.path()).unwrap().is_damaged());
    }
}

/// It need not wait for a command in the worktree where it was cut. Where git itself fails, nothing is known of it, and it
/// stays announced.
#[test]
fn a_record_that_was_cut_in_another_worktree_is_adopted_and_never_for_lost_where_git_fails() {
    for is_beside in [true, false] {
        let repo = rich();
        let cut = if is_beside {
            repo.git(["worktree", "add", "-q", "-b", "beside", "../beside"]);
            repo.beside("beside")
        } else {
            repo.clone()
        };
        cut.write("work", "1\n");
        assert!(killed_at(&cut, "commit", RescueStep::ReferenceMade));
        let git = git_program().display().to_string();
        let calls = format!("case \"$*\" in *'rev-list --format'*) kill -9 $$ ;; esac\nexec '{git}' \"$@\"");
        let git = repo.script("odd-git", &calls);
        if is_beside {
            // Of an announcement there that cannot be read, nothing follows here.
            let own = fs::read_dir(repo.root().join("state/rescue")).unwrap();
            let mut announced = own.map(|entry| entry.unwrap().path().join("pending"));
            let pending = announced.find(|path| path.exists()).unwrap();
            fs::rename(&pending, repo.root().join("aside")).unwrap();
            fs::create_dir(&pending).unwrap();
            assert!(rescuer(&repo).list(repo.path()).unwrap().is_damaged());
            fs::remove_dir(&pending).unwrap();
            fs::rename(repo.root().join("aside"), &pending).unwrap();
        }
        let failed = Rescuer { git, ..rescuer(&repo) }.list(repo.path());
        assert!(matches!(failed, Err(RescueError::Git { .. })), "{is_beside}: {failed:?}");
        let found = rescuer(&repo).list(repo.path()).unwrap();
        assert_eq!(found.notices, [], "{is_beside}");
        let states: Vec<_> = found.records.iter().map(|record| record.state).collect();
        assert_eq!(states, [RecordState::Kept], "{is_beside}");
        assert_eq!(found.records[0].worktree.as_deref(), Some(cut.path()));
        let into = repo.root().join("into");
        assert!(rescuer(&repo).restore(repo.path(), &found.records[0].reference, &into).unwrap() > 0);
    }
}

/// One that is being made right now is no record yet, and no damage.
#[test]
fn a_record_that_another_worktree_is_making_is_not_listed_yet() {
    let repo = rich();
    repo.git(["worktree", "add", "-q", "-b", "beside", "../beside"]);
    let beside = repo.beside("beside");
    beside.write("work", "1\n");
    let main = repo.clone();
    let at_made = move || {
        let found = rescuer(&main).list(main.path()).unwrap();
        assert_eq!((found.records.len(), found.notices), (0, vec![]));
    };
    rescuer_at(&beside, RescueStep::ReferenceMade, at_made).record(beside.path()).unwrap();
    assert_eq!(rescuer(&repo).list(repo.path()).unwrap().records[0].state, RecordState::Kept);
}

// K03
#[test]
fn locks_that_a_kill_left_on_own_references_are_removed_and_those_of_others_stay() {
    let repo = Repo::new();
    repo.write("f", "1\n");
    let made = rescuer(&repo).record(repo.path()).unwrap();
    let [key, id] =
        made.reference.strip_prefix("refs/closeout/rescue/").unwrap().split('/').collect::<Vec<_>>()[..]
    else {
        panic!("{made:?}")
    };
    let other = if id.contains("-0") { "1" } else { "0" };
    let of_another = format!("20200101T000000Z-{}", other.repeat(8));
    let own = [
        format!("closeout/rescue/{key}/{id}.lock"),
        format!("closeout/visible/{key}/1-{id}.lock"),
        format!("closeout/moved/{key}/{id}-abcdef12.lock"),
        format!("closeout-12345678/rescue/{key}/{id}.lock"),
    ];
    let others = [format!("closeout/rescue/{key}/{of_another}.lock"), "heads/main.lock".to_owned()];
    let at = |name: &String| repo.git_dir().join("refs").join(name);
    for lock in own.iter().chain(&others) {
        fs::create_dir_all(at(lock).parent().unwrap()).unwrap();
        fs::write(at(lock), "").unwrap();
    }
    repo.write("f", "2\n");
    rescuer(&repo).record(repo.path()).unwrap();
    let left: Vec<&String> = own.iter().chain(&others).filter(|lock| at(lock).exists()).collect();
    assert_eq!(left, others.iter().collect::<Vec<_>>());
}

/// Nobody else would do it: its worktree is gone.
#[test]
fn what_a_rescue_left_that_was_killed_in_a_worktree_that_is_gone_is_released() {
    let repo = Repo::new();
    let linked = repo.worktree("linked");
    linked.write("work", "1\n");
    drop(rescuer(&linked));
    assert!(killed_at(&linked, "commit", RescueStep::PackMoved));
    repo.git(["worktree", "remove", "--force", &linked.path().display().to_string()]);
    assert!(leftovers(&repo).iter().any(|name| name.contains(".keep")));
    rescuer(&repo).recover(repo.path()).unwrap();
    assert_eq!(leftovers(&repo), Vec::<String>::new());
}
