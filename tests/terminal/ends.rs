//! What becomes of a rescue that runs when a person ends it, leaves, or the program is told to end: it is taken back
//! or finished, and nothing that it started is left.

use std::fs;
use std::path::PathBuf;

use rustix::process::Signal;

use super::actions::{demo, is_asked, on_uncommitted, state_of};
use super::{LARGE, wait_for_state};
use crate::support::pty::Terminal;
use crate::support::repo::Repo;
use crate::support::test_env::TestEnv;

/// A rescue of the demonstration's uncommitted work that runs: its hook has begun, and waits.
struct Running {
    env: TestEnv,
    repo: Repo,
    terminal: Terminal,
    before: (String, String, String),
}

impl Running {
    /// The hook of this name waits until [`Running::release`].
    fn in_hook(name: &str) -> Running {
        let (env, repo) = demo();
        let before = state_of(&repo);
        let hooks = PathBuf::from(repo.git(["rev-parse", "--path-format=absolute", "--git-common-dir"]))
            .join("hooks");
        let (started, release) = (env.at("started"), env.at("release"));
        // What hides from the one who ends it has the folder of the workspace as its own, too.
        let body = format!(
            "(setsid sh -c 'trap \"\" TERM HUP; while :; do sleep 100; done' >/dev/null 2>&1 </dev/null &)\n\
             echo > {}\nwhile [ ! -e {} ]; do sleep 0.05; done",
            started.display(),
            release.display()
        );
        let script = repo.script("hook", &body);
        fs::create_dir_all(&hooks).unwrap();
        fs::rename(script, hooks.join(name)).unwrap();
        let run = env.run(repo.path(), &["trust", "--yes"]);
        assert_eq!(run.code, 0, "{run:?}");
        let mut terminal = on_uncommitted(&env, LARGE);
        terminal.press("c");
        terminal.wait_for("the preview", |shown| is_asked(shown, "commit"));
        terminal.press("h");
        terminal.wait_for("the hooks", |shown| shown.has("hooks run: ") && is_asked(shown, "commit"));
        terminal.press("y");
        terminal.wait_for("the hook", |_| started.exists());
        Running { env, repo, terminal, before }
    }

    fn release(&self) {
        fs::write(self.env.at("release"), "").unwrap();
    }

    /// Nothing was committed, nothing is left, and it is written down.
    fn assert_taken_back(&self) {
        assert_eq!(state_of(&self.repo), self.before);
        self.assert_nothing_left();
        let log = self.env.run(self.repo.path(), &["log"]);
        let is_told = |line: &str| line.contains("cancelled: ended on request");
        assert!(log.out.lines().any(is_told), "{log:?}");
        let records = self.repo.git(["for-each-ref", "--format=%(refname)", "refs/closeout/rescue/"]);
        assert_eq!(records.lines().count(), 1, "{records}");
    }

    /// The commit is there as a whole, and can be taken back.
    fn assert_committed(&self) {
        self.assert_nothing_left();
        assert_ne!(self.repo.head(), self.before.1);
        let undone = self.env.run(self.repo.path(), &["undo", "--yes"]);
        assert_eq!((undone.code, state_of(&self.repo)), (0, self.before.clone()), "{undone:?}");
    }

    fn assert_nothing_left(&self) {
        let lives_here = |process: &PathBuf| {
            let cwd = fs::read_link(process.join("cwd")).is_ok_and(|cwd| cwd == self.repo.path());
            let is_program = process
                .file_name()
                .is_some_and(|name| name.to_str() == Some(&self.terminal.pid().to_string()));
            cwd && !is_program
        };
        let processes = fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
        assert_eq!(processes.filter(lives_here).collect::<Vec<_>>(), Vec::<PathBuf>::new());
        let locks = crate::support::test_env::traces(&self.env.at("demo/shop/.git"));
        assert!(
            !locks.iter().any(|line| PathBuf::from(line.split(' ').next().unwrap())
                .extension()
                .is_some_and(|it| it == "lock")),
            "{locks:?}"
        );
    }
}

#[test]
fn x_ends_a_rescue_with_all_that_it_started_and_the_record_stays() {
    let mut running = Running::in_hook("pre-commit");
    running.terminal.press("x");
    running.terminal.wait_for("what was kept", |shown| {
        shown.has("ended on request; all is as it was")
            && shown.has("the work is kept in refs/closeout/rescue/")
    });
    running.assert_taken_back();
    // Again, to its end.
    running.release();
    running.terminal.press("c");
    running.terminal.wait_for("the preview", |shown| is_asked(shown, "commit"));
    running.terminal.press("y");
    running.terminal.wait_for("the commit", |shown| shown.has("z undoes it"));
    running.assert_committed();
}

#[test]
fn q_asks_what_becomes_of_what_runs_and_waits_for_it() {
    let mut running = Running::in_hook("pre-commit");
    let ask =
        |shown: &crate::support::pty::Shown| shown.has("What should happen to it?") && shown.has("rescue");
    for leave in ["q", "\x03"] {
        running.terminal.press(leave);
        running.terminal.wait_for("the question", ask);
        running.terminal.press("\x1b");
        running.terminal.wait_for("the list", |shown| !ask(shown) && shown.selected() == Some("uncommitted"));
    }
    running.terminal.press("q");
    running.terminal.wait_for("the question", ask);
    running.terminal.press("q");
    running.terminal.wait_for("the waiting", |shown| shown.has("closeout quits when it has ended."));
    assert_eq!(running.repo.head(), running.before.1);
    running.release();
    assert_eq!(running.terminal.wait_for_end(), 0);
    running.terminal.assert_put_back();
    assert!(running.terminal.shown().has("closeout: committed "), "{:?}", running.terminal.shown());
    running.assert_committed();
}

/// Nothing is shown any more that a key could open.
#[test]
fn why_a_rescue_failed_is_told_to_whoever_has_left() {
    let mut running = Running::in_hook("pre-commit");
    running.terminal.press("q");
    running.terminal.wait_for("the question", |shown| shown.has("What should happen to it?"));
    running.terminal.press("q");
    running.terminal.wait_for("the waiting", |shown| shown.has("closeout quits when it has ended."));
    running.repo.git(["add", "-A"]);
    running.release();
    assert_eq!(running.terminal.wait_for_end(), 0);
    running.terminal.assert_put_back();
    let shown = running.terminal.shown();
    assert!(shown.has("since you looked") && shown.has("the work is kept in"), "{shown:?}");
    assert_eq!(running.repo.head(), running.before.1);
}

#[test]
fn a_person_who_leaves_can_end_what_runs() {
    for keys in ["x", "\x03"] {
        let mut running = Running::in_hook("pre-commit");
        running.terminal.press("q");
        running.terminal.wait_for("the question", |shown| shown.has("x end it and quit"));
        running.terminal.press(keys);
        assert_eq!(running.terminal.wait_for_end(), 0, "{keys:?}");
        running.terminal.assert_put_back();
        assert!(running.terminal.shown().has("the work is kept in"), "{:?}", running.terminal.shown());
        running.assert_taken_back();
    }
}

/// K04
#[test]
fn a_rescue_is_taken_back_when_the_program_is_told_to_end() {
    for (signal, code) in [(Signal::TERM, 143), (Signal::INT, 130), (Signal::HUP, 129)] {
        let running = Running::in_hook("pre-commit");
        running.terminal.signal(signal);
        assert_eq!(running.terminal.wait_for_end(), code, "{signal:?}");
        running.terminal.assert_put_back();
        running.assert_taken_back();
    }
}

/// K04: the branch has moved by then.
#[test]
fn a_commit_that_is_made_stays_when_the_program_is_told_to_end() {
    let running = Running::in_hook("post-commit");
    running.terminal.signal(Signal::TERM);
    assert_eq!(running.terminal.wait_for_end(), 143);
    running.terminal.assert_put_back();
    let log = running.env.run(running.repo.path(), &["log"]);
    assert!(log.out.lines().any(|line| line.contains("rescue") && line.contains("done")), "{log:?}");
    running.assert_committed();
}

/// K04
#[test]
fn a_rescue_is_taken_back_when_the_terminal_is_closed() {
    let Running { env, repo, terminal, before } = Running::in_hook("pre-commit");
    assert_eq!(terminal.close(), 129);
    let terminal = Terminal::start(&env, &env.shop(), &[], LARGE);
    wait_for_state(&terminal, "uncommitted", "RESCUE");
    Running { env, repo, terminal, before }.assert_taken_back();
}
