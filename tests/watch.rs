//! The watcher over the real system in temporary folders, and over a made-up one where the system's
//! limits are meant. Nothing here sleeps: a test waits for a watch event, and that something is *not*
//! sighted is shown by a later change that is (the kernel keeps the order).

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use closeout::model::{Names, Parts, ProcessId, WatchProblem, WatchTarget, WorkspaceId};
use closeout::watch::{
    Backend, Hint, Inbox, OnHint, ProcessEnds, WatchError, WatchNews, WatchRefusal, Watcher, hints_of,
};
use notify::event::{AccessKind, CreateKind, Flag, ModifyKind, RenameMode};
use notify::{Event, EventKind};
use tempfile::TempDir;

const LIMIT: Duration = Duration::from_secs(30);

/// One piece of news.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Changed { workspace: WorkspaceId, parts: Parts },
    EventsLost,
    WatchChanged { workspace: WorkspaceId, problem: Option<WatchProblem> },
    Rearm,
}

fn pieces(news: WatchNews) -> Vec<Piece> {
    assert!(!news.is_empty(), "no news is not sent");
    let problem = |(workspace, problem)| Piece::WatchChanged { workspace, problem };
    let changed = |(workspace, parts)| Piece::Changed { workspace, parts };
    let lost = news.is_lossy.then_some(Piece::EventsLost);
    let rearm = news.must_rearm.then_some(Piece::Rearm);
    let problems = news.problems.into_iter().map(problem);
    problems.chain(news.changed.into_iter().map(changed)).chain(lost).chain(rearm).collect()
}

fn pass_on(news: WatchNews, sender: &Sender<Piece>) {
    for sighting in pieces(news) {
        drop(sender.send(sighting));
    }
}

/// A watcher and its owner: what is sighted is kept in order, and re-arming is done when it is asked for.
struct Owner {
    watcher: Watcher,
    sightings: Receiver<Piece>,
}

impl Owner {
    fn new() -> Owner {
        let (sender, sightings) = mpsc::channel();
        let watcher = Watcher::start(move |news| pass_on(news, &sender)).unwrap();
        Owner { watcher, sightings }
    }

    fn over(start: impl FnOnce(OnHint) -> Box<dyn Backend>) -> Owner {
        let (sender, sightings) = mpsc::channel();
        let send = move |news| pass_on(news, &sender);
        let watcher = Watcher::start_on(send, |on_hint| Ok(start(on_hint))).unwrap();
        Owner { watcher, sightings }
    }

    fn watch(&self, workspace: &WorkspaceId, folder: &Path, names: Names, parts: Parts) -> Parts {
        self.watcher.watch(workspace, &[WatchTarget::new(folder, names, parts)])
    }

    /// All sightings up to the first change of `workspace`, that one included.
    fn until_changed(&self, workspace: &WorkspaceId) -> Vec<Piece> {
        self.until(|sighting| matches!(sighting, Piece::Changed { workspace: w, .. } if w == workspace))
    }

    fn until(&self, is_last: impl Fn(&Piece) -> bool) -> Vec<Piece> {
        let mut seen = Vec::new();
        loop {
            let sighting = self.sightings.recv_timeout(LIMIT).expect("the sighting does not come");
            if sighting == Piece::Rearm {
                self.watcher.rearm();
            }
            let ends = is_last(&sighting);
            seen.push(sighting);
            if ends {
                return seen;
            }
        }
    }

    /// Everything that is sighted of what happened before this call, re-arming included: a change in a
    /// folder of its own comes after all of it.
    fn all_so_far(&self) -> Vec<Piece> {
        let (_dir, path) = folder();
        self.watch(&ws("sentinel"), &path, Names::these(["x"]), Parts::CHECKS);
        fs::create_dir(path.join("x")).unwrap();
        let mut seen = self.until_changed(&ws("sentinel"));
        seen.pop();
        while let Ok(sighting) = self.sightings.try_recv() {
            if sighting == Piece::Rearm {
                self.watcher.rearm();
            }
            seen.push(sighting);
        }
        self.watcher.watch(&ws("sentinel"), &[]);
        seen
    }
}

fn ws(name: &str) -> WorkspaceId {
    WorkspaceId::local(format!("/work/{name}"))
}

fn folder() -> (TempDir, PathBuf) {
    let dir = crate::support::scratch::folder();
    let path = dir.path().canonicalize().unwrap();
    (dir, path)
}

/// How many directories at or below `path` the kernel watches for this process.
fn n_watched(path: &Path) -> usize {
    let mut below = vec![path.to_owned()];
    let mut inodes = BTreeSet::new();
    while let Some(folder) = below.pop() {
        inodes.insert(format!("ino:{:x}", fs::metadata(&folder).unwrap().ino()));
        let entries = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap());
        below.extend(entries.filter(|entry| entry.file_type().unwrap().is_dir()).map(|entry| entry.path()));
    }
    let is_inside =
        |line: &&str| line.starts_with("inotify") && line.split(' ').any(|word| inodes.contains(word));
    let handles = fs::read_dir("/proc/self/fdinfo").unwrap().map(|handle| handle.unwrap().path());
    // Other tests close handles meanwhile.
    let told = handles.filter_map(|handle| fs::read_to_string(handle).ok());
    told.map(|told| told.lines().filter(is_inside).count()).sum()
}

fn changed(workspace: &WorkspaceId, parts: Parts) -> Piece {
    Piece::Changed { workspace: workspace.clone(), parts }
}

fn replace(file: &Path, text: &str) {
    let new = file.with_extension("new");
    fs::write(&new, text).unwrap();
    fs::rename(&new, file).unwrap();
}

#[test]
fn a_named_file_is_sighted_when_created_written_replaced_and_deleted() {
    let (_dir, path) = folder();
    let file = path.join("decision.json");
    let owner = Owner::new();
    owner.watch(&ws("a"), &path, Names::these(["decision.json"]), Parts::WORDS);
    let actions: [(&str, &dyn Fn()); 5] = [
        ("create", &|| drop(fs::File::create(&file).unwrap())),
        ("write", &|| fs::write(&file, "{}").unwrap()),
        ("replace", &|| replace(&file, "{1}")),
        ("replace again", &|| replace(&file, "{2}")),
        ("delete", &|| fs::remove_file(&file).unwrap()),
    ];
    for (action, perform) in actions {
        perform();
        assert_eq!(owner.until_changed(&ws("a")), [changed(&ws("a"), Parts::WORDS)], "{action}");
        owner.all_so_far();
    }
}

#[test]
fn an_atomic_replacement_is_sighted_once() {
    let (_dir, path) = folder();
    let owner = Owner::new();
    owner.watch(&ws("a"), &path, Names::these(["decision.json"]), Parts::WORDS);
    replace(&path.join("decision.json"), "{}");
    assert_eq!(owner.all_so_far(), [changed(&ws("a"), Parts::WORDS)]);
}

#[test]
fn other_names_in_the_folder_and_folders_below_are_not_sighted() {
    let (_dir, path) = folder();
    fs::create_dir(path.join("below")).unwrap();
    let owner = Owner::new();
    owner.watch(&ws("a"), &path, Names::Ending(".jsonl".into()), Parts::WORDS);
    fs::write(path.join("other.json"), "{}").unwrap();
    fs::write(path.join("below/x.jsonl"), "{}").unwrap();
    fs::remove_file(path.join("other.json")).unwrap();
    assert_eq!(owner.all_so_far(), []);
    fs::create_dir(path.join("s.jsonl")).unwrap();
    assert_eq!(owner.until_changed(&ws("a")), [changed(&ws("a"), Parts::WORDS)]);
}

// W05
#[test]
fn reading_is_not_sighted() {
    let (_dir, path) = folder();
    fs::write(path.join("output.md"), "text").unwrap();
    fs::create_dir(path.join("sub")).unwrap();
    let owner = Owner::new();
    owner.watch(&ws("a"), &path, Names::Any, Parts::WORDS);
    for _ in 0..100 {
        fs::read(path.join("output.md")).unwrap();
        fs::read_dir(&path).unwrap().for_each(drop);
        fs::read_dir(path.join("sub")).unwrap().for_each(drop);
        fs::metadata(path.join("output.md")).unwrap();
    }
    assert_eq!(owner.all_so_far(), []);
    fs::write(path.join("output.md"), "more").unwrap();
    owner.until_changed(&ws("a"));
}

// W01
#[test]
fn a_decision_after_a_burst_of_20_000_creations_is_sighted_and_the_burst_is_folded() {
    let (_dir, path) = folder();
    let (woken, wakes) = mpsc::channel();
    let inbox = Inbox::new(move || woken.send(()).unwrap_or_default());
    let watcher = {
        let inbox = inbox.clone();
        Watcher::start(move |news| inbox.put(news)).unwrap()
    };
    let targets = [
        WatchTarget::new(&path, Names::Ending(".log".into()), Parts::CHECKS),
        WatchTarget::new(&path, Names::these(["decision.json"]), Parts::WORDS),
    ];
    watcher.watch(&ws("a"), &targets);
    // Links are entries like any other and cheap to make.
    fs::File::create(path.join("file")).unwrap();
    for n in 0..20_000 {
        fs::hard_link(path.join("file"), path.join(format!("{n}.log"))).unwrap();
    }
    replace(&path.join("decision.json"), "{}");
    loop {
        wakes.recv_timeout(LIMIT).expect("the decision is not sighted");
        let taken = pieces(inbox.take());
        assert!(taken.len() <= 3, "{taken:?}");
        let is_decision = |sighting: &Piece| match sighting {
            Piece::Changed { parts, .. } => parts.contains(Parts::WORDS),
            Piece::EventsLost => true,
            Piece::WatchChanged { .. } | Piece::Rearm => false,
        };
        if taken.iter().any(is_decision) {
            return;
        }
    }
}

// W01
#[test]
fn a_reader_that_stalls_until_the_kernel_drops_events_is_told_so() {
    let limit = fs::read_to_string("/proc/sys/fs/inotify/max_queued_events").unwrap();
    let limit: usize = limit.trim().parse().unwrap();
    if limit > 100_000 {
        eprintln!("SKIPPED: this system queues {limit} events, too many to exceed in a test");
        return;
    }
    let (_dir, path) = folder();
    fs::create_dir(path.join("x")).unwrap();
    let gate = Arc::new(Mutex::new(()));
    let (sender, sightings) = mpsc::channel();
    let watcher = {
        let gate = Arc::clone(&gate);
        Watcher::start(move |news| {
            drop(gate.lock().unwrap());
            pass_on(news, &sender);
        })
        .unwrap()
    };
    let owner = Owner { watcher, sightings };
    owner.watch(&ws("a"), &path, Names::these(["first", "last"]), Parts::WORDS);
    {
        let _closed = gate.lock().unwrap();
        fs::create_dir(path.join("first")).unwrap();
        for n in 0..limit {
            let (from, to) = if n % 2 == 0 { ("x", "y") } else { ("y", "x") };
            fs::rename(path.join(from), path.join(to)).unwrap();
        }
    }
    let seen = owner.until(|sighting| *sighting == Piece::EventsLost);
    assert_eq!(seen, [changed(&ws("a"), Parts::WORDS), Piece::EventsLost]);
    assert_eq!(owner.until(|sighting| *sighting == Piece::Rearm), [Piece::Rearm]);
    fs::create_dir(path.join("last")).unwrap();
    owner.until_changed(&ws("a"));
}

#[test]
fn the_mark_of_lost_events_is_seen_on_an_event_without_a_path() {
    let told = |event: notify::Result<Event>| {
        let told = Mutex::new(Vec::new());
        hints_of(&event, &|hint| told.lock().unwrap().push(format!("{hint:?}")));
        told.into_inner().unwrap()
    };
    assert_eq!(told(Ok(Event::new(EventKind::Other).set_flag(Flag::Rescan))), ["Lost"]);
    assert_eq!(told(Err(notify::Error::generic("read failed"))), ["Lost"]);
    let on = |kind| Ok(Event::new(kind).add_path("/f/x".into()));
    assert_eq!(told(on(EventKind::Create(CreateKind::File))), ["Arrived(\"/f/x\")"]);
    assert_eq!(told(on(EventKind::Modify(ModifyKind::Any))), ["Changed(\"/f/x\")"]);
    assert_eq!(told(on(EventKind::Modify(ModifyKind::Name(RenameMode::From)))), ["Gone(\"/f/x\")"]);
    assert_eq!(told(on(EventKind::Modify(ModifyKind::Name(RenameMode::To)))), ["Arrived(\"/f/x\")"]);
    assert!(told(on(EventKind::Modify(ModifyKind::Name(RenameMode::Both)))).is_empty());
    assert!(told(on(EventKind::Access(AccessKind::Read))).is_empty());
}

#[test]
fn lost_events_are_told_once_until_they_are_taken_and_all_watches_are_checked() {
    let (_dir, path) = folder();
    let made_up = MadeUp::with_limit(10);
    let inbox = Inbox::new(|| ());
    let watcher = {
        let inbox = inbox.clone();
        Watcher::start_on(move |news| inbox.put(news), |on_hint| Ok(made_up.start(on_hint))).unwrap()
    };
    watcher.watch(&ws("a"), &[WatchTarget::new(path.join("a"), Names::Any, Parts::WORDS)]);
    assert_eq!(made_up.watched(), std::slice::from_ref(&path));
    // Created while the made-up system says nothing.
    fs::create_dir(path.join("a")).unwrap();
    for _ in 0..1000 {
        made_up.tell(Hint::Lost);
    }
    assert_eq!(pieces(inbox.take()), [Piece::EventsLost, Piece::Rearm]);
    watcher.rearm();
    assert_eq!(pieces(inbox.take()), [changed(&ws("a"), Parts::WORDS)]);
    assert_eq!(made_up.watched(), [path.join("a")]);
    watcher.rearm();
    assert_eq!(inbox.take(), WatchNews::default());
}

#[test]
fn a_missing_folder_is_awaited_however_deep_and_told_when_it_comes() {
    let (_dir, path) = folder();
    let deep = path.join("a/b/c");
    let owner = Owner::new();
    owner.watch(&ws("a"), &deep, Names::these(["x"]), Parts::WORDS);
    assert_eq!(n_watched(&path), 1);
    fs::create_dir_all(&deep).unwrap();
    fs::write(deep.join("x"), "1").unwrap();
    assert_eq!(owner.until_changed(&ws("a")), [Piece::Rearm, changed(&ws("a"), Parts::WORDS)]);
    owner.all_so_far();
    replace(&deep.join("x"), "2");
    assert_eq!(owner.all_so_far(), [changed(&ws("a"), Parts::WORDS)]);
    assert_eq!(n_watched(&path), 1);
}

#[test]
fn a_missing_folder_that_comes_level_by_level_is_told_when_it_is_there() {
    let (_dir, path) = folder();
    let deep = path.join("a/b/c");
    let owner = Owner::new();
    owner.watch(&ws("a"), &deep, Names::Any, Parts::WORDS);
    for level in ["a", "a/b", "a/b/c"] {
        fs::create_dir(path.join(level)).unwrap();
        owner.until(|sighting| *sighting == Piece::Rearm);
    }
    assert_eq!(owner.until_changed(&ws("a")), [changed(&ws("a"), Parts::WORDS)]);
}

#[test]
fn an_awaited_folder_that_came_and_went_is_sighted_since_it_may_have_been_read() {
    let (_dir, path) = folder();
    let worktrees = path.join("worktrees");
    let owner = Owner::new();
    owner.watch(&ws("a"), &worktrees, Names::Any, Parts::COMMITS);
    fs::create_dir(&worktrees).unwrap();
    fs::remove_dir(&worktrees).unwrap();
    assert_eq!(owner.until_changed(&ws("a")), [Piece::Rearm, changed(&ws("a"), Parts::COMMITS)]);
}

#[test]
fn a_folder_that_is_removed_with_its_parents_and_made_again_is_watched_again() {
    let (_dir, path) = folder();
    let deep = path.join("a/b");
    fs::create_dir_all(&deep).unwrap();
    let owner = Owner::new();
    owner.watch(&ws("a"), &deep, Names::these(["x"]), Parts::WORDS);
    for round in 0..5 {
        fs::remove_dir_all(path.join("a")).unwrap();
        let gone = owner.all_so_far();
        assert!(gone.contains(&changed(&ws("a"), Parts::WORDS)), "{round}: {gone:?}");
        fs::create_dir_all(&deep).unwrap();
        let back = owner.all_so_far();
        assert!(back.contains(&changed(&ws("a"), Parts::WORDS)), "{round}: {back:?}");
        fs::create_dir(deep.join("x")).unwrap();
        assert_eq!(owner.all_so_far(), [changed(&ws("a"), Parts::WORDS)], "{round}");
        assert_eq!(n_watched(&path), 1, "{round}");
    }
}

// W04
#[test]
fn a_folder_that_is_removed_and_made_again_at_once_is_watched_again() {
    let (_dir, path) = folder();
    let deep = path.join("a/b");
    fs::create_dir_all(&deep).unwrap();
    let owner = Owner::new();
    owner.watch(&ws("a"), &deep, Names::these(["x"]), Parts::WORDS);
    owner.watch(&ws("top"), &path, Names::these(["nothing"]), Parts::CHECKS);
    for round in 0..20 {
        fs::remove_dir_all(path.join("a")).unwrap();
        fs::create_dir_all(&deep).unwrap();
        let seen = owner.all_so_far();
        assert!(seen.contains(&changed(&ws("a"), Parts::WORDS)), "{round}: {seen:?}");
        fs::create_dir(deep.join("x")).unwrap();
        assert_eq!(owner.all_so_far(), [changed(&ws("a"), Parts::WORDS)], "{round}");
    }
}

#[test]
fn a_folder_that_is_renamed_away_is_told_and_the_one_put_in_its_place_is_watched() {
    let (_dir, path) = folder();
    let (live, away) = (path.join("live"), path.join("away"));
    fs::create_dir(&live).unwrap();
    let owner = Owner::new();
    owner.watch(&ws("a"), &live, Names::these(["x"]), Parts::WORDS);
    fs::rename(&live, &away).unwrap();
    assert_eq!(owner.until_changed(&ws("a")), [Piece::Rearm, changed(&ws("a"), Parts::WORDS)]);
    fs::write(away.join("x"), "not ours any more").unwrap();
    fs::create_dir(&live).unwrap();
    assert_eq!(owner.until_changed(&ws("a")), [Piece::Rearm, changed(&ws("a"), Parts::WORDS)]);
    fs::create_dir(live.join("x")).unwrap();
    assert_eq!(owner.until_changed(&ws("a")), [changed(&ws("a"), Parts::WORDS)]);
    assert_eq!(n_watched(&path), 1);
}

#[test]
fn folders_below_a_watched_one_survive_that_their_parent_is_replaced() {
    let (_dir, path) = folder();
    let below = path.join("mid/below");
    fs::create_dir_all(&below).unwrap();
    let owner = Owner::new();
    // All three levels are watched, and `notify` itself drops those below one that moves away.
    owner.watch(&ws("top"), &path, Names::these(["nothing"]), Parts::CHECKS);
    owner.watch(&ws("mid"), &path.join("mid"), Names::these(["x"]), Parts::COMMITS);
    owner.watch(&ws("below"), &below, Names::these(["x"]), Parts::WORDS);
    fs::create_dir_all(path.join("new/below")).unwrap();
    fs::rename(path.join("mid"), path.join("old")).unwrap();
    fs::rename(path.join("new"), path.join("mid")).unwrap();
    let seen = owner.all_so_far();
    assert!(seen.contains(&changed(&ws("mid"), Parts::COMMITS)), "{seen:?}");
    assert!(seen.contains(&changed(&ws("below"), Parts::WORDS)), "{seen:?}");
    fs::create_dir(below.join("x")).unwrap();
    assert_eq!(owner.until_changed(&ws("below")), [changed(&ws("below"), Parts::WORDS)]);
    fs::create_dir(path.join("mid/x")).unwrap();
    assert_eq!(owner.until_changed(&ws("mid")), [changed(&ws("mid"), Parts::COMMITS)]);
}

#[test]
fn a_folder_that_is_replaced_again_and_again_is_watched_in_the_end() {
    let (_dir, path) = folder();
    let (live, away) = (path.join("live"), path.join("away"));
    fs::create_dir(&live).unwrap();
    let owner = Owner::new();
    owner.watch(&ws("a"), &live, Names::these(["decision.json"]), Parts::WORDS);
    let writer = {
        let live = live.clone();
        std::thread::spawn(move || {
            for _ in 0..300 {
                fs::rename(&live, &away).unwrap();
                fs::create_dir(&live).unwrap();
                fs::remove_dir(&away).unwrap();
            }
        })
    };
    while !writer.is_finished() {
        owner.all_so_far();
    }
    writer.join().unwrap();
    owner.all_so_far();
    fs::create_dir(live.join("decision.json")).unwrap();
    assert_eq!(owner.all_so_far(), [changed(&ws("a"), Parts::WORDS)]);
    assert_eq!(n_watched(&path), 1);
}

#[test]
fn workspaces_share_a_folder_each_with_its_names_and_parts() {
    let (_dir, path) = folder();
    let owner = Owner::new();
    owner.watch(&ws("a"), &path, Names::these(["main"]), Parts::COMMITS);
    owner.watch(&ws("b"), &path, Names::these(["topic"]), Parts::COMMITS | Parts::CHANGES);
    owner.watch(&ws("c"), &path, Names::Any, Parts::CHECKS);
    assert_eq!(n_watched(&path), 1);
    fs::create_dir(path.join("main")).unwrap();
    let expected = [changed(&ws("a"), Parts::COMMITS), changed(&ws("c"), Parts::CHECKS)];
    assert_eq!(owner.until_changed(&ws("c")), expected);
    fs::create_dir(path.join("topic")).unwrap();
    let expected = [changed(&ws("b"), Parts::COMMITS | Parts::CHANGES), changed(&ws("c"), Parts::CHECKS)];
    assert_eq!(owner.until_changed(&ws("c")), expected);
}

#[test]
fn two_targets_of_one_workspace_add_their_parts() {
    let (_dir, path) = folder();
    let owner = Owner::new();
    let targets = [
        WatchTarget::new(&path, Names::these(["x"]), Parts::WORDS),
        WatchTarget::new(&path, Names::Any, Parts::CHECKS),
    ];
    assert_eq!(owner.watcher.watch(&ws("a"), &targets), Parts::WORDS | Parts::CHECKS);
    fs::create_dir(path.join("x")).unwrap();
    assert_eq!(owner.until_changed(&ws("a")), [changed(&ws("a"), Parts::WORDS | Parts::CHECKS)]);
}

#[test]
fn new_targets_replace_the_old_ones_and_none_end_the_watching() {
    let (_dir, path) = folder();
    let (one, two) = (path.join("one"), path.join("two"));
    fs::create_dir(&one).unwrap();
    fs::create_dir(&two).unwrap();
    let owner = Owner::new();
    assert_eq!(owner.watch(&ws("a"), &one, Names::Any, Parts::WORDS), Parts::WORDS);
    assert_eq!(owner.watch(&ws("a"), &one, Names::Any, Parts::WORDS), Parts::empty());
    assert_eq!(owner.watch(&ws("a"), &two, Names::Any, Parts::CHECKS), Parts::CHECKS);
    assert_eq!(n_watched(&path), 1);
    fs::create_dir(one.join("x")).unwrap();
    fs::create_dir(two.join("x")).unwrap();
    assert_eq!(owner.all_so_far(), [changed(&ws("a"), Parts::CHECKS)]);
    owner.watcher.watch(&ws("a"), &[]);
    fs::create_dir(two.join("y")).unwrap();
    assert_eq!(owner.all_so_far(), []);
    assert_eq!(n_watched(&path), 0);
}

#[test]
fn a_folder_reached_by_links_is_watched_once_under_all_its_names() {
    let (_dir, path) = folder();
    let real = path.join("real");
    fs::create_dir(&real).unwrap();
    std::os::unix::fs::symlink(&real, path.join("link")).unwrap();
    let owner = Owner::new();
    owner.watch(&ws("a"), &path.join("link"), Names::these(["x"]), Parts::WORDS);
    owner.watch(&ws("b"), &real, Names::these(["x"]), Parts::CHECKS);
    assert_eq!(n_watched(&path), 1);
    fs::create_dir(path.join("link/x")).unwrap();
    let expected = [changed(&ws("a"), Parts::WORDS), changed(&ws("b"), Parts::CHECKS)];
    assert_eq!(owner.until_changed(&ws("b")), expected);
}

#[test]
fn a_renamed_parent_and_a_link_pointed_elsewhere_are_found_by_a_recheck() {
    let (_dir, path) = folder();
    fs::create_dir_all(path.join("base/a/git")).unwrap();
    fs::create_dir(path.join("repo")).unwrap();
    fs::create_dir(path.join("other")).unwrap();
    std::os::unix::fs::symlink(path.join("repo"), path.join("link")).unwrap();
    let owner = Owner::new();
    owner.watch(&ws("a"), &path.join("base/a/git"), Names::Any, Parts::COMMITS);
    owner.watch(&ws("b"), &path.join("link"), Names::Any, Parts::WORDS);
    fs::rename(path.join("base/a"), path.join("base/b")).unwrap();
    fs::create_dir_all(path.join("base/a/git")).unwrap();
    fs::remove_file(path.join("link")).unwrap();
    std::os::unix::fs::symlink(path.join("other"), path.join("link")).unwrap();
    assert_eq!(owner.all_so_far(), []);
    owner.watcher.recheck();
    let seen: Vec<_> = owner.sightings.try_iter().collect();
    assert_eq!(seen, [changed(&ws("a"), Parts::COMMITS), changed(&ws("b"), Parts::WORDS)]);
    fs::create_dir(path.join("base/a/git/HEAD.lock")).unwrap();
    assert_eq!(owner.until_changed(&ws("a")), [changed(&ws("a"), Parts::COMMITS)]);
    fs::create_dir(path.join("other/x")).unwrap();
    assert_eq!(owner.until_changed(&ws("b")), [changed(&ws("b"), Parts::WORDS)]);
    owner.watcher.recheck();
    assert_eq!(owner.sightings.try_iter().count(), 0);
}

#[test]
fn whatever_happens_to_a_tree_the_folders_that_are_there_are_watched() {
    churn(&["a", "b", "a/a", "a/b", "b/a", "b/b", "a/a/a", "a/a/b", "a/b/a", "b/a/b"], &|_| ());
}

#[test]
fn whatever_happens_to_a_tree_a_recheck_repairs_sparse_watches() {
    churn(&["a/a", "b", "a/b/a", "b/a/b"], &Watcher::recheck);
}

/// Makes, removes and renames directories at random (the same each time), and after each round checks
/// that exactly the folders that exist are watched.
fn churn(targets: &[&str], repair: &dyn Fn(&Watcher)) {
    const PLACES: [&str; 8] = ["a", "b", "a/a", "a/b", "b/a", "b/b", "a/a/a", "b/a/b"];
    let (_dir, path) = folder();
    let owner = Owner::new();
    for target in targets {
        owner.watch(&ws(target), &path.join(target), Names::these(["probe"]), Parts::WORDS);
    }
    let mut random = 1_u32;
    let mut next = |n: usize| {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (random >> 16) as usize % n
    };
    for round in 0..150 {
        for _ in 0..=next(6) {
            let (one, other) = (path.join(PLACES[next(8)]), path.join(PLACES[next(8)]));
            // Many of these fail, since what they need is not there.
            let done = match next(3) {
                0 => fs::create_dir_all(one),
                1 => fs::remove_dir_all(one),
                _ => fs::rename(one, other),
            };
            drop(done);
        }
        owner.all_so_far();
        repair(&owner.watcher);
        owner.all_so_far();
        let there: Vec<_> = targets.iter().filter(|target| path.join(target).is_dir()).collect();
        for target in &there {
            fs::create_dir(path.join(target).join("probe")).unwrap();
        }
        let expected: Vec<_> = there.iter().map(|target| changed(&ws(target), Parts::WORDS)).collect();
        assert_eq!(owner.all_so_far(), expected, "round {round}");
        for target in &there {
            fs::remove_dir(path.join(target).join("probe")).unwrap();
        }
        owner.all_so_far();
    }
}

#[test]
fn a_dropped_watcher_ends_its_thread() {
    let (_dir, path) = folder();
    let owner = Owner::new();
    owner.watch(&ws("a"), &path, Names::Any, Parts::WORDS);
    drop(owner.watcher);
    fs::create_dir(path.join("x")).unwrap();
    // The thread held the last sender.
    assert_eq!(owner.sightings.recv_timeout(LIMIT), Err(RecvTimeoutError::Disconnected));
}

#[test]
fn a_system_without_a_watcher_is_an_error_in_words() {
    let reason = "too many open files".to_owned();
    let started = Watcher::start_on(|_| (), |_| Err(WatchError(reason)));
    let error = started.err().expect("it has started");
    assert_eq!(error.to_string(), "cannot start watching files: too many open files");
}

// W02
#[test]
fn a_reached_limit_is_told_for_that_workspace_only_and_is_over_when_a_watch_is_freed() {
    let (_dir, path) = folder();
    for name in ["a", "b", "c"] {
        fs::create_dir(path.join(name)).unwrap();
    }
    let made_up = MadeUp::with_limit(2);
    let owner = Owner::over(|on_hint| made_up.start(on_hint));
    let problem = |workspace: &str, problem| Piece::WatchChanged { workspace: ws(workspace), problem };
    for name in ["a", "b", "c"] {
        owner.watch(&ws(name), &path.join(name), Names::Any, Parts::WORDS);
    }
    let seen: Vec<_> = owner.sightings.try_iter().collect();
    assert_eq!(seen, [problem("c", Some(WatchProblem::LimitReached))]);
    // Tried again when its targets are set again, and not told again.
    owner.watch(&ws("c"), &path.join("c"), Names::Any, Parts::WORDS);
    assert_eq!(owner.sightings.try_iter().count(), 0);
    made_up.tell(Hint::Changed(&path.join("a/x")));
    assert_eq!(owner.sightings.try_iter().collect::<Vec<_>>(), [changed(&ws("a"), Parts::WORDS)]);
    owner.watcher.watch(&ws("b"), &[]);
    let seen: Vec<_> = owner.sightings.try_iter().collect();
    assert_eq!(seen, [problem("c", None), changed(&ws("c"), Parts::WORDS)]);
    assert_eq!(made_up.watched(), [path.join("a"), path.join("c")]);
}

#[test]
fn another_failure_is_told_in_words_and_is_over_when_a_recheck_succeeds() {
    let (_dir, path) = folder();
    let made_up = MadeUp::with_limit(2);
    made_up.0.lock().unwrap().failure = Some("permission denied");
    let owner = Owner::over(|on_hint| made_up.start(on_hint));
    owner.watch(&ws("a"), &path, Names::Any, Parts::WORDS);
    let words = format!("cannot watch {}: permission denied", path.display());
    let failed = |problem| Piece::WatchChanged { workspace: ws("a"), problem };
    let seen: Vec<_> = owner.sightings.try_iter().collect();
    assert_eq!(seen, [failed(Some(WatchProblem::Failed(words)))]);
    made_up.0.lock().unwrap().failure = None;
    owner.watcher.recheck();
    let seen: Vec<_> = owner.sightings.try_iter().collect();
    assert_eq!(seen, [failed(None), changed(&ws("a"), Parts::WORDS)]);
}

#[test]
fn a_folder_that_comes_while_it_begins_to_be_awaited_is_not_missed() {
    let (_dir, path) = folder();
    let made_up = MadeUp::with_limit(10);
    let coming = path.join("a/b");
    made_up.before_watch({
        let (path, coming) = (path.clone(), coming.clone());
        move |place| {
            if place == path {
                fs::create_dir_all(&coming).unwrap();
            }
        }
    });
    let owner = Owner::over(|on_hint| made_up.start(on_hint));
    owner.watch(&ws("a"), &coming, Names::Any, Parts::WORDS);
    assert_eq!(made_up.watched(), [coming]);
}

#[test]
fn a_new_directory_with_the_inode_of_the_old_one_is_not_taken_for_it() {
    let (_dir, path) = folder();
    let made_up = MadeUp::with_limit(10);
    let owner = Owner::over(|on_hint| made_up.start(on_hint));
    let target = path.join("a");
    fs::create_dir(&target).unwrap();
    owner.watch(&ws("a"), &target, Names::Any, Parts::WORDS);
    for _ in 0..10 {
        fs::remove_dir(&target).unwrap();
        fs::create_dir(&target).unwrap();
        owner.watcher.recheck();
        let seen: Vec<_> = owner.sightings.try_iter().collect();
        assert_eq!(seen, [changed(&ws("a"), Parts::WORDS)]);
    }
}

#[test]
fn a_folder_that_never_stays_the_same_is_refused_in_the_end_and_the_others_stay_watched() {
    let (_dir, path) = folder();
    let (restless, calm) = (path.join("restless"), path.join("calm"));
    fs::create_dir(&restless).unwrap();
    fs::create_dir(&calm).unwrap();
    let made_up = MadeUp::with_limit(10);
    made_up.before_watch({
        let restless = restless.clone();
        move |place| {
            if place == restless {
                fs::remove_dir(place).unwrap();
                fs::create_dir(place).unwrap();
            }
        }
    });
    let owner = Owner::over(|on_hint| made_up.start(on_hint));
    owner.watch(&ws("calm"), &calm, Names::Any, Parts::WORDS);
    owner.watch(&ws("restless"), &restless, Names::Any, Parts::WORDS);
    let seen = owner.until(|sighting| matches!(sighting, Piece::WatchChanged { .. }));
    let words = "its directories are replaced without pause".to_owned();
    let problem = Some(WatchProblem::Failed(words));
    assert_eq!(seen.last(), Some(&Piece::WatchChanged { workspace: ws("restless"), problem }));
    while let Ok(sighting) = owner.sightings.try_recv() {
        assert_ne!(sighting, Piece::Rearm);
    }
    made_up.tell(Hint::Changed(&calm.join("x")));
    assert_eq!(owner.until_changed(&ws("calm")), [changed(&ws("calm"), Parts::WORDS)]);
}

/// A system that watches what it is told to, up to a limit, and says what the test says.
#[derive(Clone)]
struct MadeUp(Arc<Mutex<MadeUpState>>);

struct MadeUpState {
    watched: BTreeSet<PathBuf>,
    limit: usize,
    failure: Option<&'static str>,
    on_hint: Option<OnHint>,
    /// What the world does just before a watch is set.
    before_watch: Option<BeforeWatch>,
}

type BeforeWatch = Box<dyn Fn(&Path) + Send>;

impl MadeUp {
    fn with_limit(limit: usize) -> MadeUp {
        let watched = BTreeSet::new();
        let state = MadeUpState { watched, limit, failure: None, on_hint: None, before_watch: None };
        MadeUp(Arc::new(Mutex::new(state)))
    }

    fn before_watch(&self, action: impl Fn(&Path) + Send + 'static) {
        self.0.lock().unwrap().before_watch = Some(Box::new(action));
    }

    fn start(&self, on_hint: OnHint) -> Box<dyn Backend> {
        self.0.lock().unwrap().on_hint = Some(on_hint);
        Box::new(self.clone())
    }

    fn tell(&self, hint: Hint<'_>) {
        let state = self.0.lock().unwrap();
        state.on_hint.as_ref().expect("not started")(hint);
    }

    fn watched(&self) -> Vec<PathBuf> {
        self.0.lock().unwrap().watched.iter().cloned().collect()
    }
}

impl Backend for MadeUp {
    fn watch(&mut self, place: &Path) -> Result<(), WatchRefusal> {
        let mut state = self.0.lock().unwrap();
        if let Some(action) = &state.before_watch {
            action(place);
        }
        if let Some(words) = state.failure {
            return Err(WatchRefusal::Failed(words.to_owned()));
        }
        if state.watched.len() >= state.limit {
            return Err(WatchRefusal::LimitReached);
        }
        state.watched.insert(place.to_owned());
        Ok(())
    }

    fn unwatch(&mut self, place: &Path) {
        self.0.lock().unwrap().watched.remove(place);
    }
}

#[test]
fn who_asks_for_arrivals_alone_hears_of_no_writes() {
    let (_dir, path) = folder();
    fs::write(path.join("old"), "1").unwrap();
    let owner = Owner::new();
    let arrivals = WatchTarget::new(&path, Names::Any, Parts::WORDS).arrivals();
    owner.watcher.watch(&ws("arrivals"), &[arrivals]);
    owner.watch(&ws("all"), &path, Names::Any, Parts::WORDS);
    fs::write(path.join("old"), "2").unwrap();
    let seen = owner.until_changed(&ws("all"));
    assert!(!seen.contains(&changed(&ws("arrivals"), Parts::WORDS)), "{seen:?}");
    fs::write(path.join("new"), "1").unwrap();
    owner.until_changed(&ws("arrivals"));
    fs::rename(path.join("old"), path.join("moved here")).unwrap();
    owner.until_changed(&ws("arrivals"));
}

/// Waits until something is sighted, and takes it.
fn sighted(inbox: &Inbox, filled: &Receiver<()>) -> Vec<Piece> {
    loop {
        let news = inbox.take();
        if !news.is_empty() {
            return pieces(news);
        }
        filled.recv_timeout(LIMIT).expect("the sighting does not come");
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "processes that are to end")]
fn the_end_of_a_process_is_told_to_each_workspace_that_watches_it() {
    let (sender, filled) = mpsc::channel();
    let inbox = Inbox::new(move || {
        let _ = sender.send(());
    });
    let ends = ProcessEnds::start(inbox.clone()).unwrap();
    let mut children: Vec<_> =
        (0..3).map(|_| std::process::Command::new("sleep").arg("600").spawn().unwrap()).collect();
    let process = |n: usize| ProcessId { pid: children[n].id(), started_at: 0 };
    let (first, second, third) = (process(0), process(1), process(2));
    ends.watch(&ws("a"), &[first, second]);
    ends.watch(&ws("b"), &[second, third]);
    // The first is not watched any more, and the second is still watched.
    ends.watch(&ws("a"), &[second]);
    children[0].kill().unwrap();
    children[0].wait().unwrap();
    children[1].kill().unwrap();
    let mut seen = sighted(&inbox, &filled);
    while seen.len() < 2 {
        seen.extend(sighted(&inbox, &filled));
    }
    seen.sort_by_key(|sighting| format!("{sighting:?}"));
    assert_eq!(seen, [changed(&ws("a"), Parts::WORDS), changed(&ws("b"), Parts::WORDS)]);
    children[1].wait().unwrap();
    children[2].kill().unwrap();
    assert_eq!(sighted(&inbox, &filled), [changed(&ws("b"), Parts::WORDS)]);
    children[2].wait().unwrap();
}
