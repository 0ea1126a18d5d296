//! A person at closeout's screen, at 80x24, beside 38 worktrees in four of which real clients work: finds who waits,
//! reads why, answers, rescues, undoes, sends two points back and marks a row, by the hints alone.

use std::path::Path;

use anyhow::{Context as _, Result, ensure};

use crate::client::Client;
use crate::closeout_program::{self as program, Follow, does, said};
use crate::outcome::Tally;
use crate::tmux::Pane;
use crate::together::{self, kept};
use crate::wait::SHOWN;
use crate::world::{WORKTREES, World};

const GROUP: &str = "crowd";
/// How many worktrees there are.
const N_WORKTREES: usize = 38;
const CLAUDE: &str = "claude";
/// What the plan of the scripted model leaves open.
const POINTS: [&str; 2] = ["Fix the parser", "Write a test"];

/// The screen, and the person before it.
struct Person<'a> {
    world: &'a World,
    screen: Pane,
    keep: &'a Path,
}

/// The checks, each from where the one before left the screen. Claude Code waits for permission at first.
pub(crate) fn tell(tally: &mut Tally, programs: &Path, clients: &[Client], keep: &Path) {
    if clients.len() < Client::ALL.len() {
        tally.skip(GROUP, "not all four clients can be run");
        return;
    }
    let mut made = None;
    tally.check(GROUP, "the four start in a repository of 38 worktrees", || {
        made = Some(made_world(programs, clients)?);
        Ok(())
    });
    let Some((world, follow, claude)) = made else { return };
    let mut person = None;
    tally.check(GROUP, "the first row is who waits, and why is below", || {
        let screen = program::open_screen_in(&world, "shop", (80, 24))?;
        person.insert(Person { world: &world, screen, keep }).finds_who_waits()
    });
    let Some(person) = person else { return };
    let steps: [(&str, &dyn Fn() -> Result<()>); 6] = [
        ("so it is at 44x14, and the key is among the hints", &|| {
            person.finds_who_waits_at_the_smallest_size()
        }),
        ("a permission is given by the hints alone", &|| person.allows(&follow)),
        ("what is left uncommitted is rescued, and the rescue undone, by the hints alone", &|| {
            person.rescues_and_undoes()
        }),
        ("what is left to do is one key away", &|| person.sees_two_points(&follow, &claude)),
        ("a row is marked, and the mark taken back, by the hints alone", &|| person.marks()),
        ("two marked points are sent back, and turn to done", &|| person.sends_two_points(&follow)),
    ];
    for (name, step) in steps {
        if !tally.check(GROUP, name, step) {
            break;
        }
    }
}

/// The world with the four at work; Claude Code's pane.
fn made_world(programs: &Path, clients: &[Client]) -> Result<(World, Follow, Pane)> {
    let world = World::new(programs, clients)?;
    // The repository's own worktree is one of them.
    for n in WORKTREES.len() + 1..N_WORKTREES {
        world.add_worktree(&format!("quiet-{n}"))?;
    }
    // A permission is answered by a key only where a hook names it.
    let (code, out, err) = program::run(&world, &["hook", "install", "--agent", CLAUDE])?;
    ensure!(code == Some(0), "hook install ended with {code:?}: {out}{err}");
    let follow = Follow::start(&world)?;
    let panes = together::start(&world)?;
    let claude = panes.into_iter().find(|(client, _)| *client == Client::Claude).context("no Claude Code")?.1;
    let asks = |row: &_| does(row, "needs_permission");
    follow.wait(follow.since_start(), &world.at(CLAUDE), "needs permission", asks)?;
    Ok((world, follow, claude))
}

impl Person<'_> {
    fn shown(&self) -> String {
        self.world.tmux.screen(&self.screen)
    }

    fn sees(&self, what: &str, is_there: impl Fn(&str) -> bool) -> Result<()> {
        self.world.tmux.wait_for(&self.screen, what, SHOWN, is_there)
    }

    /// Presses a key once its hint stands in the last line, as in `i answer`. The hint of a key that does not count
    /// yet is another one: `y (commit)`.
    fn presses(&self, key: &str, hint: &str) -> Result<()> {
        self.sees(hint, |shown| shown.lines().last().is_some_and(|last| last.contains(hint)))?;
        self.world.tmux.press(&self.screen, key)
    }

    /// Presses the key that the hint begins with.
    fn by_hint(&self, hint: &str) -> Result<()> {
        self.presses(hint.split(' ').next().unwrap_or_default(), hint)
    }

    /// Confirms by a key of a box, and waits for what follows.
    fn confirms(&self, hint: &str, what: &str, is_done: impl Fn(&str) -> bool) -> Result<()> {
        self.by_hint(hint)?;
        self.sees(what, is_done)
    }

    /// What became of an action stands over the hints until the next key: one that changes nothing here.
    fn clears_the_message(&self, key: &str) -> Result<()> {
        self.world.tmux.press(&self.screen, key)?;
        self.sees("the hints", |shown| shown.lines().last().is_some_and(|last| last.contains("? help")))
    }

    fn kept(&self, name: &str) {
        kept(self.keep, &format!("crowd-{name}-80x24"), &self.shown());
    }

    fn finds_who_waits(&self) -> Result<()> {
        let is_first = |shown: &str| {
            let lines: Vec<&str> = shown.lines().collect();
            !shown.contains("not read yet")
                && shown.contains("needs you")
                && lines.iter().take(6).any(|line| line.contains(CLAUDE))
        };
        self.sees("who waits", is_first)?;
        self.sees("why it waits", |shown| shown.contains("touch made-by-tool"))?;
        self.kept("1-who-waits");
        Ok(())
    }

    fn finds_who_waits_at_the_smallest_size(&self) -> Result<()> {
        let screen = program::open_screen_in(self.world, "shop", (44, 14))?;
        let is_first = |shown: &str| {
            let row = shown.lines().find(|line| line.starts_with('▌')).unwrap_or_default();
            row.contains(CLAUDE) && shown.lines().last().is_some_and(|last| last.contains("i answer"))
        };
        let seen = self.world.tmux.wait_for(&screen, "who waits", SHOWN, is_first);
        kept(self.keep, "crowd-1-who-waits-44x14", &self.world.tmux.screen(&screen));
        self.world.tmux.close(&screen);
        seen
    }

    fn allows(&self, follow: &Follow) -> Result<()> {
        let mark = follow.mark();
        self.by_hint("i answer")?;
        self.sees("the options", |shown| shown.contains("1  allow once"))?;
        self.kept("2-answer");
        let asks = |shown: &str| shown.contains("Answer “allow once”?");
        self.presses("1", "1-2 choose")?;
        self.sees("the question", asks)?;
        self.confirms("y yes, send it", "the answer", |shown| !asks(shown))?;
        let is_over = |row: &_| does(row, "idle") && said(row, "The tool has run.");
        follow.wait(mark, &self.world.at(CLAUDE), "the end of the tool", is_over)?;
        ensure!(self.world.at(CLAUDE).join("made-by-tool").exists(), "the tool did not run");
        Ok(())
    }

    fn rescues_and_undoes(&self) -> Result<()> {
        self.clears_the_message("Escape")?;
        self.by_hint("c rescue")?;
        self.sees("the preview", |shown| shown.contains("made-by-tool") && shown.contains("Rescue"))?;
        self.kept("3-rescue");
        self.by_hint("a author")?;
        self.sees("the author's field", |shown| shown.contains("Enter keep"))?;
        self.world.tmux.type_text(&self.screen, "Ada <ada@example.org>")?;
        self.sees("the author", |shown| shown.contains("Ada <ada@example.org>"))?;
        self.by_hint("Enter keep")?;
        self.confirms("y commit", "the commit", |shown| shown.contains("z undoes it"))?;
        self.world.tmux.press(&self.screen, "z")?;
        self.sees("the undo", |shown| shown.contains("Undo a rescue"))?;
        self.confirms("y do it", "the commit taken back", |shown| shown.contains("undid 1 commit"))?;
        ensure!(self.world.at(CLAUDE).join("made-by-tool").exists(), "the file is gone");
        Ok(())
    }

    /// The client makes a plan with two open steps; the tab of what is left to do shows them.
    fn sees_two_points(&self, follow: &Follow, claude: &Pane) -> Result<()> {
        let mark = follow.mark();
        self.world.prompt(claude, "Make a plan")?;
        let is_made = |row: &_| does(row, "idle") && said(row, "The plan is made.");
        follow.wait(mark, &self.world.at(CLAUDE), "the plan", is_made)?;
        self.clears_the_message("2")?;
        self.sees("the open points", |shown| POINTS.iter().all(|point| shown.contains(point)))
    }

    fn sends_two_points(&self, follow: &Follow) -> Result<()> {
        let (world, tmux) = (self.world, &self.world.tmux);
        self.clears_the_message("2")?;
        for point in POINTS {
            // The selected row has a cursor too, in its first column.
            let under_cursor =
                |shown: &str| shown.lines().any(|line| line.contains(point) && line.starts_with(" ▌"));
            while !under_cursor(&self.shown()) {
                let before = self.shown();
                tmux.press(&self.screen, "j")?;
                self.sees("the cursor moved", |shown| shown != before)?;
            }
            self.by_hint("Space select")?;
            self.sees("the point marked", |shown| {
                shown.lines().any(|line| line.contains(point) && line.contains("[x]"))
            })?;
        }
        self.kept("6-two-points");
        self.by_hint("b send back")?;
        // Nothing is sent before its route is shown.
        self.sees("the message and its route", |shown| {
            shown.contains("This is left to do") && !shown.contains("checking how")
        })?;
        self.kept("7-message");
        let mark = follow.mark();
        self.by_hint("Enter send")?;
        let is_done = |row: &_| does(row, "idle") && said(row, "Both points are done.");
        follow.wait(mark, &world.at(CLAUDE), "both points done", is_done).with_context(|| self.shown())?;
        self.sees("no open point", |shown| !shown.contains("2 Left to do (2)"))?;
        self.kept("8-done");
        Ok(())
    }

    fn marks(&self) -> Result<()> {
        let by_you = |shown: &str| shown.contains("by your own word");
        self.by_hint("d mark")?;
        self.sees("the marks", |shown| shown.contains("What is the state of the work here?"))?;
        self.kept("5-mark");
        // The key and what it means stand in the box.
        self.world.tmux.press(&self.screen, "o")?;
        self.sees("the reason", |shown| shown.contains("not done. Why?"))?;
        self.by_hint("Enter keep")?;
        self.confirms("y do it", "the mark", by_you)?;
        self.clears_the_message("2")?;
        self.by_hint("d mark")?;
        self.sees("what the same key does now", |shown| shown.contains("remove the mark: not done"))?;
        self.world.tmux.press(&self.screen, "o")?;
        self.sees("the question", |shown| shown.contains("Remove the mark “not done”?"))?;
        self.confirms("y do it", "the mark taken back", |shown| {
            !by_you(shown) && !shown.contains("remove the mark: not done")
        })
    }
}
