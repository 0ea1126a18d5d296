//! An agent that works on while a rescue is made: it writes, stages, collects garbage.

use std::fs;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use closeout::action::rescue::{RescueError, Rescuer};

use super::bench::*;
use crate::support::repo::Repo;

/// A content that shows whether it is whole.
fn whole(number: usize) -> Vec<u8> {
    format!("begin {number}\n{}end {number}\n", "x\n".repeat(number % 3000)).into_bytes()
}

fn is_whole(content: &[u8]) -> bool {
    let text = String::from_utf8_lossy(content);
    let number = text.lines().next().and_then(|line| line.strip_prefix("begin ")).unwrap_or("none");
    text.ends_with(&format!("end {number}\n"))
}

/// Runs `agent` again and again beside `rescues`.
fn beside(agent: impl Fn(usize) + Sync, rescues: impl FnOnce()) {
    /// Says "enough" also when a rescue panics.
    struct Enough<'a>(&'a AtomicBool);
    impl Drop for Enough<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }
    let is_enough = AtomicBool::new(false);
    thread::scope(|scope| {
        let _enough = Enough(&is_enough);
        scope.spawn(|| {
            let mut number = 0;
            while !is_enough.load(Ordering::Relaxed) {
                agent(number);
                number += 1;
            }
        });
        rescues();
    });
}

// C01: a hundred writes a second, half of them in two steps.
#[test]
fn what_is_written_all_the_time_is_recorded_whole_or_called_unsettled() {
    for pause in [Duration::from_millis(10), Duration::from_millis(150)] {
        let repo = Repo::new();
        for name in 0..10 {
            repo.write(&format!("f{name}"), whole(name));
        }
        let agent = |number: usize| {
            let path = repo.at(&format!("f{}", number % 10));
            let content = whole(number);
            if number.is_multiple_of(2) {
                fs::write(path, content).unwrap();
            } else {
                fs::write(&path, &content[..content.len() / 2]).unwrap();
                thread::sleep(Duration::from_millis(3));
                fs::write(&path, content).unwrap();
            }
            thread::sleep(pause);
        };
        let (mut n_settled, mut n_committed) = (0, 0);
        beside(agent, || {
            for round in 0..6 {
                let rescuer = Rescuer { is_synced: round == 0, ..rescuer(&repo) };
                let plan = rescuer.plan(repo.path(), "rescue: work\n").unwrap();
                if plan.record.is_settled {
                    n_settled += 1;
                    for name in 0..10 {
                        let stored =
                            content(&repo, &plan.record.snapshot, format!("f{name}").as_bytes()).unwrap();
                        assert!(is_whole(&stored), "f{name} is torn in a settled record");
                    }
                } else {
                    assert!(plan.refusal.is_some(), "a visible commit of what does not hold still");
                }
                match rescuer.commit(repo.path(), &plan) {
                    Ok(_) => {
                        n_committed += 1;
                        rescuer.undo(repo.path()).unwrap();
                    }
                    Err(RescueError::SavedOnly(_)) => {}
                    Err(error) => panic!("{error:?}"),
                }
            }
        });
        eprintln!("a write each {pause:?}: {n_settled} of 6 settled, {n_committed} committed and taken back");
        assert_eq!(fingerprint(&repo).locks, Vec::<String>::new());
        repo.git(["fsck", "--connectivity-only", "--no-dangling"]);
    }
}

// C10
#[test]
fn garbage_is_collected_all_the_time_and_no_record_misses_contents() {
    let repo = rich();
    let agent = |_| drop(repo.try_git(&["gc", "-q", "--prune=now"], &[]));
    beside(agent, || {
        for round in 0..6 {
            repo.write("a new file", format!("{round}\n"));
            match (Rescuer { is_synced: round == 0, ..rescuer(&repo) }).record(repo.path()) {
                Ok(record) => assert_holds_the_work_tree(&repo, &record),
                Err(error) => {
                    assert!(matches!(error, RescueError::Damage(_) | RescueError::Git { .. }), "{error:?}");
                }
            }
        }
    });
    repo.git(["fsck", "--connectivity-only", "--no-dangling"]);
}

// C11: `CLOSEOUT_TEST_ALL=1` makes a hundred rescues of it.
#[test]
fn an_agent_that_stages_all_the_time_is_not_disturbed() {
    let n_rescues = if std::env::var_os("CLOSEOUT_TEST_ALL").is_some() { 100 } else { 12 };
    let repo = rich();
    repo.write("theirs", "0\n").stage("theirs");
    let (n_failed, n_staged) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let agent = |_| {
        // The same content at another time: the index is written each time, and its meaning stays.
        let file = fs::File::options().write(true).open(repo.at("theirs")).unwrap();
        #[expect(clippy::disallowed_methods, reason = "another time each time")]
        file.set_modified(std::time::SystemTime::now()).unwrap();
        let output = repo.try_git(&["add", "theirs"], &[]);
        n_staged.fetch_add(1, Ordering::Relaxed);
        if !output.status.success() {
            n_failed.fetch_add(1, Ordering::Relaxed);
        }
    };
    let mut n_moved: usize = 0;
    beside(agent, || {
        for round in 0..n_rescues {
            let rescuer = Rescuer { is_synced: round == 0, ..rescuer(&repo) };
            let plan = rescuer.plan(repo.path(), "rescue: work\n").unwrap();
            match rescuer.commit(repo.path(), &plan) {
                Ok(_) => n_moved += 1,
                Err(RescueError::SavedOnly(_) | RescueError::Busy(_)) => continue,
                Err(error) => panic!("{error:?}"),
            }
            // A lock of the agent's is met now and then; it is gone a moment later.
            while let Err(error) = rescuer.undo(repo.path()) {
                assert!(matches!(error, RescueError::Busy(_)), "{error:?}");
            }
            n_moved += 1;
        }
    });
    let (n_failed, n_staged) = (n_failed.into_inner(), n_staged.into_inner());
    eprintln!("{n_failed} of {n_staged} `git add` failed beside {n_moved} moves of the branch");
    // A process that is put aside while it holds the lock costs the agent one try, never two.
    assert!(n_failed <= n_moved, "{n_failed} of {n_staged} beside {n_moved} moves");
    assert_eq!(fingerprint(&repo).locks, Vec::<String>::new());
}
