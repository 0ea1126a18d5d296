//! An agent that keeps working during a rescue: it writes, stages, and collects garbage.

use std::fs;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use closeout::action::rescue::{RescueError, RescueStep, Rescuer};

use super::fixture::*;
use crate::support::repo::Repo;

/// A file that is the same in two readings, 20 ms apart, counts as unchanged. A write is shorter than this,
/// unless the machine is busy.
const STILL: Duration = Duration::from_millis(15);

/// Content that reveals whether it is complete.
fn whole(number: usize) -> Vec<u8> {
    format!("begin {number}\n{}end {number}\n", "x\n".repeat(number % 3000)).into_bytes()
}

fn is_whole(content: &[u8]) -> bool {
    let text = String::from_utf8_lossy(content);
    let number = text.lines().next().and_then(|line| line.strip_prefix("begin ")).unwrap_or("none");
    text.ends_with(&format!("end {number}\n"))
}

/// Runs `agent` over and over while `rescues` runs.
fn beside(agent: impl Fn(usize) + Sync, rescues: impl FnOnce()) {
    /// Stops the agent even if a rescue panics.
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
        // For each file, when the current write began, and the longest write so far.
        let writes = Mutex::new([(None::<Instant>, Duration::ZERO); 10]);
        let agent = |number: usize| {
            let path = repo.at(&format!("f{}", number % 10));
            let content = whole(number);
            #[expect(clippy::disallowed_methods, reason = "it is about real time")]
            let began = Instant::now();
            writes.lock().unwrap()[number % 10].0 = Some(began);
            if number.is_multiple_of(2) {
                fs::write(path, content).unwrap();
            } else {
                fs::write(&path, &content[..content.len() / 2]).unwrap();
                thread::sleep(Duration::from_millis(3));
                fs::write(&path, content).unwrap();
            }
            let write = &mut writes.lock().unwrap()[number % 10];
            *write = (None, write.1.max(began.elapsed()));
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
                        // A half-written file that stayed unchanged this long really was on disk like that.
                        let (begun, longest) = writes.lock().unwrap()[name];
                        let longest = begun.map_or(longest, |begun| longest.max(begun.elapsed()));
                        assert!(
                            is_whole(&stored) || longest > STILL,
                            "f{name} is torn in a settled record; no write took longer than {longest:?}"
                        );
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
                // What was read of a repository that lacks something for a moment is in the vault, and verified there.
                Ok(record) if record.vault.is_some() => {}
                Ok(record) => assert_holds_the_work_tree(&repo, &record),
                Err(error) => {
                    assert!(matches!(error, RescueError::Damage(_) | RescueError::Git { .. }), "{error:?}");
                }
            }
        }
    });
    repo.git(["fsck", "--connectivity-only", "--no-dangling"]);
}

// C11: `CLOSEOUT_TEST_ALL=1` makes a hundred rescues.
#[test]
fn an_agent_that_stages_all_the_time_is_not_disturbed() {
    let n_rescues = if std::env::var_os("CLOSEOUT_TEST_ALL").is_some() { 100 } else { 12 };
    let repo = rich();
    repo.write("theirs", "0\n").stage("theirs");
    let (n_failed, n_staged) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let agent = |_| {
        // The same content with a new time: the index is rewritten each time, but its meaning stays.
        let file = fs::File::options().write(true).open(repo.at("theirs")).unwrap();
        #[expect(clippy::disallowed_methods, reason = "another time each time")]
        file.set_modified(std::time::SystemTime::now()).unwrap();
        let output = repo.try_git(&["add", "theirs"], &[]);
        n_staged.fetch_add(1, Ordering::Relaxed);
        if !output.status.success() {
            n_failed.fetch_add(1, Ordering::Relaxed);
        }
        // Where git is quick, the agent would hold the lock so often that every rescue only saves.
        thread::sleep(Duration::from_millis(3));
    };
    let mut n_moved: usize = 0;
    let held = Held::default();
    #[expect(clippy::disallowed_methods, reason = "it is about real time")]
    let begun = Instant::now();
    beside(agent, || {
        for round in 0..n_rescues {
            let rescuer = Rescuer { is_synced: round == 0, at_step: Some(held.watch()), ..rescuer(&repo) };
            let plan = rescuer.plan(repo.path(), "rescue: work\n").unwrap();
            match rescuer.commit(repo.path(), &plan) {
                Ok(_) => n_moved += 1,
                Err(RescueError::SavedOnly(_) | RescueError::Busy(_)) => continue,
                Err(error) => panic!("{error:?}"),
            }
            // Sometimes the agent holds the lock; it is gone a moment later.
            while let Err(error) = rescuer.undo(repo.path()) {
                assert!(matches!(error, RescueError::Busy(_)), "{error:?}");
            }
            n_moved += 1;
        }
    });
    let lasted = begun.elapsed();
    let (n_failed, n_staged) = (n_failed.into_inner(), n_staged.into_inner());
    let held = held.sorted();
    assert!(!held.is_empty(), "{n_staged} `git add` left no rescue the lock");
    let (usual, longest) = (held[held.len() / 2].0, held[held.len() - 1].0);
    // As many attempts as fall by chance into the time in which the index was locked, and some more, since it is chance.
    let held_together: Duration = held.iter().map(|(held, _)| *held).sum();
    let n_expected =
        held_together.as_secs_f64() / lasted.as_secs_f64() * f64::from(u32::try_from(n_staged).unwrap());
    let n_by_chance = (1..1000).take_while(|n| f64::from(*n) < 2.0 + 3.0 * n_expected).count();
    // A busy machine can deschedule us while we hold the lock: each time can cost the agent one attempt.
    let n_put_aside = held.iter().filter(|(_, put_aside)| *put_aside > Duration::from_millis(1)).count();
    eprintln!(
        "{n_failed} of {n_staged} `git add` failed beside {n_moved} moves of the branch; the index was locked for \
         {usual:?}, at most {longest:?}, and put aside {n_put_aside} times"
    );
    assert_eq!(held.len(), n_moved);
    assert!(
        n_failed <= n_by_chance + n_put_aside,
        "{n_failed} of {n_staged} beside {n_moved} moves, {n_expected:.2} by chance, {n_put_aside} put aside"
    );
    assert!(usual < Duration::from_millis(5), "{usual:?}");
    assert!(longest < Duration::from_millis(50), "{longest:?}");
    assert_eq!(fingerprint(&repo).locks, Vec::<String>::new());
}

/// How long a lock was held: without, and with only, the time in which its holder waited for a processor.
type Hold = (Duration, Duration);

/// How long the index was locked, from the last look before the lock until the new index was in place.
#[derive(Default)]
struct Held(Arc<Mutex<Holds>>);

#[derive(Default)]
struct Holds {
    begun: Option<(Instant, Duration)>,
    all: Vec<Hold>,
}

impl Held {
    #[expect(clippy::disallowed_methods, reason = "it is about real time")]
    fn watch(&self) -> Box<dyn Fn(RescueStep) + Send + Sync> {
        let held = Arc::clone(&self.0);
        Box::new(move |step| {
            let mut held = held.lock().unwrap();
            if step == RescueStep::Checked {
                held.begun = Some((Instant::now(), waited()));
            } else if step == RescueStep::IndexMoved {
                let (began, waited_before) = held.begun.take().unwrap();
                let put_aside = waited().saturating_sub(waited_before);
                held.all.push((began.elapsed().saturating_sub(put_aside), put_aside));
            }
        })
    }

    fn sorted(&self) -> Vec<Hold> {
        let mut all = self.0.lock().unwrap().all.clone();
        all.sort();
        all
    }
}

/// How long this thread has waited for a processor since its start; zero if the kernel does not report it.
fn waited() -> Duration {
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text.split(' ').nth(1).and_then(|field| field.parse().ok());
    nanoseconds.map_or(Duration::ZERO, Duration::from_nanos)
}

// A garbage collection deletes the packs that it listed before the record had its reference, and loose objects likewise.
#[test]
fn a_record_needs_nothing_that_a_garbage_collection_may_be_about_to_delete() {
    let repo = rich();
    repo.write("worked-on", "packed once, and held by nothing\n");
    let id = repo.git(["hash-object", "-w", "worked-on"]);
    let packs = repo.git_dir().join("objects/pack");
    let base = packs.join("pack").display().to_string();
    let name = repo.git_with_input(&["pack-objects", "-q", &base], format!("{id}\n")).stdout;
    let pack = packs.join(format!("pack-{}.pack", String::from_utf8(name).unwrap().trim()));
    repo.git(["prune-packed"]);
    repo.write("staged", "loose, and held by the index\n").stage("staged");
    let staged = repo.git(["rev-parse", ":staged"]);
    let loose = repo.git_dir().join("objects").join(&staged[..2]).join(&staged[2..]);

    let record = record(&repo);
    for gone in [&pack, &pack.with_extension("idx"), &loose] {
        fs::remove_file(gone).unwrap();
    }
    assert_holds_the_work_tree(&repo, &record);
    assert_eq!(repo.git(["cat-file", "-t", &id]), "blob");
    assert_eq!(repo.git(["cat-file", "-t", &staged]), "blob");
}
