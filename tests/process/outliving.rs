//! No child of the program outlives it, however it ends; and what programs lose by hanging adds up to one budget.

use std::fs;
use std::path::Path;
use std::process::Child;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use closeout::process::{Budget, End, Question, run};
use rustix::process::{Pid, Signal, kill_process};

use super::{now, script};
use crate::support::repo::Repo;
use crate::support::test_env::TestEnv;

/// A repository in which everything that reads an object waits for ever.
fn hanging() -> Repo {
    let repo = Repo::new();
    repo.write("a", "1\n").commit("one");
    repo.write("a", "2\n");
    for folder in fs::read_dir(repo.at(".git/objects")).unwrap() {
        for file in fs::read_dir(folder.unwrap().path()).unwrap() {
            repo.fifo(&file.unwrap().path());
        }
    }
    repo
}

/// The processes that run for this repository, by what their environment names.
fn children(repo: &Repo) -> Vec<i32> {
    let wanted = format!("GIT_WORK_TREE={}", repo.path().display()).into_bytes();
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let pids = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    pids.filter(|pid| {
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|variable| variable == wanted)
    })
    .collect()
}

/// Starts the program, and waits until it has a child that hangs.
fn start(repo: &Repo, words: &str) -> Child {
    let env = TestEnv::beside(repo);
    env.configure("[watch]\ncollect_limit_seconds = 2\n");
    let arguments: Vec<&str> = words.split(' ').collect();
    let program = env.command(repo.path(), &arguments).spawn().unwrap();
    let until = now() + Duration::from_secs(20);
    while children(repo).is_empty() {
        assert!(now() < until, "{words}: nothing was started");
        std::thread::sleep(Duration::from_millis(2));
    }
    program
}

#[test]
fn no_child_outlives_a_program_that_ends_by_itself() {
    for words in ["status", "check", "rescue --dry-run"] {
        let repo = hanging();
        start(&repo, words).wait().unwrap();
        assert_eq!(children(&repo), Vec::<i32>::new(), "{words}");
    }
}

#[test]
fn no_child_outlives_a_program_that_is_killed() {
    std::thread::scope(|scope| {
        for signal in [Signal::INT, Signal::TERM, Signal::HUP, Signal::QUIT, Signal::KILL] {
            scope.spawn(move || {
                for words in ["status", "rescue --dry-run"] {
                    let repo = hanging();
                    let mut program = start(&repo, words);
                    let pid = Pid::from_raw(i32::try_from(program.id()).unwrap()).unwrap();
                    kill_process(pid, signal).unwrap();
                    program.wait().unwrap();
                    let until = now() + Duration::from_secs(10);
                    while !children(&repo).is_empty() {
                        assert!(now() < until, "{words}, {signal:?}: {:?}", children(&repo));
                        std::thread::sleep(Duration::from_millis(5));
                    }
                }
            });
        }
    });
}

#[test]
fn hangs_add_up_to_one_budget_and_work_costs_nothing() {
    let budget = Budget::new(Duration::from_secs(1));
    let (_folder, mut busy) = script("n=0; while [ $n -lt 300000 ]; do n=$((n+1)); done; exit 3");
    let (folder, mut hangs) = script("echo x >> begun; sleep 1000 & wait");
    for spec in [&mut busy, &mut hangs] {
        spec.time_limit = Duration::from_mins(10);
        spec.budget = Some(budget.clone());
    }
    assert_eq!(run(&busy).unwrap().end, End::Code(3));
    assert_eq!(budget.left(), budget.total());
    let began = now();
    for _ in 0..5 {
        assert_eq!(run(&hangs).unwrap().end, End::TimedOut);
    }
    assert!(began.elapsed() < Duration::from_secs(10));
    assert_eq!(budget.left(), Duration::ZERO);
    assert_eq!(n_lines(&folder.path().join("begun")), 1, "nothing is started without time");

    let closed = Budget::new(Duration::from_mins(1));
    hangs.budget = Some(closed.clone());
    std::thread::scope(|scope| {
        let running = scope.spawn(|| run(&hangs).unwrap().end);
        while n_lines(&folder.path().join("begun")) < 2 {
            std::thread::sleep(Duration::from_millis(2));
        }
        closed.close();
        assert_eq!(running.join().unwrap(), End::TimedOut);
    });
}

fn n_lines(file: &Path) -> usize {
    fs::read_to_string(file).unwrap_or_default().lines().count()
}

#[test]
fn what_is_known_to_wait_in_vain_is_ended_soon_and_what_works_is_not_suspected() {
    let n_asked = Arc::new(AtomicUsize::new(0));
    let question = |answer| {
        let n_asked = Arc::clone(&n_asked);
        Some(Question::new(move || {
            n_asked.fetch_add(1, Ordering::SeqCst);
            answer
        }))
    };
    let (_folder, mut busy) = script("n=0; while [ $n -lt 1000000 ]; do n=$((n+1)); done");
    let (_folder, mut hangs) = script("sleep 1000");
    for spec in [&mut busy, &mut hangs] {
        spec.time_limit = Duration::from_hours(1);
        spec.budget = Some(Budget::new(Duration::from_mins(10)));
    }
    busy.waits_in_vain = question(true);
    assert_eq!((run(&busy).unwrap().end, n_asked.load(Ordering::SeqCst)), (End::Code(0), 0));

    let budget = Budget::new(Duration::from_mins(10));
    (hangs.budget, hangs.waits_in_vain) = (Some(budget.clone()), question(true));
    assert_eq!((run(&hangs).unwrap().end, n_asked.load(Ordering::SeqCst)), (End::TimedOut, 1));
    let left = budget.left();
    hangs.waits_in_vain = question(false);
    assert_eq!((run(&hangs).unwrap().end, n_asked.load(Ordering::SeqCst)), (End::TimedOut, 2));
    let (known, unknown) = (budget.total().abs_diff(left), left.abs_diff(budget.left()));
    assert!(known < unknown, "{known:?} {unknown:?}");
}

#[test]
fn what_a_part_of_a_budget_loses_is_lost_to_the_whole() {
    let whole = Budget::new(Duration::from_millis(900));
    let parts = [whole.part(Duration::from_millis(400)), whole.part(Duration::from_millis(800))];
    let (_folder, mut hangs) = script("sleep 1000 & wait");
    hangs.time_limit = Duration::from_hours(1);
    let mut left = Vec::new();
    for part in &parts {
        hangs.budget = Some(part.clone());
        assert_eq!(run(&hangs).unwrap().end, End::TimedOut);
        left.push((part.left(), whole.left()));
    }
    assert_eq!(left, [(Duration::ZERO, Duration::from_millis(500)), (Duration::ZERO, Duration::ZERO)]);
    // The whole is what is used up.
    assert_eq!(parts.map(|part| part.total()), [whole.total(), whole.total()]);
    let closed = Budget::default();
    closed.part(Duration::from_secs(1)).close();
    assert!(!closed.left().is_zero(), "a part that is given up ends nothing else");
}
