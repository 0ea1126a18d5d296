//! A person at closeout's screen whose checks run by themselves when a turn ends and by `C`, and who has Claude Code
//! write the messages of a rescue, by `m` in its box and by `--ask-messages`, or writes them in an editor of their own.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::client::Client;
use crate::closeout_program as program;
use crate::loops::GROUP;
use crate::outcome::Tally;
use crate::screen::{READ, commit_as_ada, select};
use crate::tmux::Pane;
use crate::wait::{CLIENT, SHOWN, until};
use crate::world::World;

const WORKTREE: &str = "screened";
const MADE: &str = "made-by-tool";
/// What the scripted model answers where it is asked for messages.
const PROPOSED: &str = "Keep what the tool made";
/// Takes the place of what stands below the first line, which tells the commit.
const EDITOR: &str = "#!/bin/sh\n{ head -1 \"$1\"; echo 'Written in my editor'; } > \"$1.new\"; cat \"$1.new\" > \"$1\"; rm \"$1.new\"\n";

/// The checks, each from where the one before left the worktree.
pub(crate) fn tell(tally: &mut Tally, world: &World, keep: &Path) {
    let mut screen = None;
    tally.check(GROUP, "a check runs by itself when the turn has ended", || {
        configure(world)?;
        checked_at_the_end(world, screen.insert(open(world)?))
    });
    let Some(screen) = screen else { return };
    tally.check(GROUP, "a check runs by `C`", || checked_by_key(world, &screen));
    tally.check(GROUP, "the messages of a rescue are the agent's, by `m` in its box", || {
        asked_in_the_box(world, &screen, keep)
    });
    world.tmux.close(&screen);
    tally.check(GROUP, "they are by `rescue --ask-messages`, which changes nothing", || {
        asked_in_a_shell(world)
    });
    tally.check(GROUP, "they are the person's own by `rescue --edit`", || edited(world));
    let _ = fs::remove_file(config(world));
}

fn config(world: &World) -> std::path::PathBuf {
    world.home().join(".config/closeout/config.toml")
}

fn configure(world: &World) -> Result<()> {
    let file = config(world);
    fs::create_dir_all(file.parent().context("no folder")?)?;
    let check = format!("test -f {MADE} || {{ echo nothing is made; exit 1; }}");
    let text = format!(
        "[checks]\nrun = \"turn-end\"\n[[check]]\nname = \"unit\"\nkind = \"command\"\ncommand = [\"sh\", \"-c\", \"{check}\"]\n"
    );
    Ok(fs::write(file, text)?)
}

/// A screen from which Claude Code can be started.
fn open(world: &World) -> Result<Pane> {
    let words = [program::program().display().to_string()];
    world.tmux.open(&world.at("shop"), (80, 24), &world.variables_of(Client::Claude), &words)
}

/// Waits until the row of the check has this claim and these words.
fn sees_check(world: &World, claim: &str, words: &str) -> Result<()> {
    let path = world.at(WORKTREE).display().to_string();
    let mut last = Value::Null;
    let found = until(&format!("the check to say {claim}"), CLIENT, || {
        let (_, out, _) = program::run(world, &["check", &path, "--json"]).ok()?;
        let report: Value = serde_json::from_str(&out).ok()?;
        let rows = report["workspaces"][0]["evidence"].as_array()?.clone();
        last = rows.into_iter().find(|row| row["name"] == "check unit")?;
        (last["claim"] == claim && last["reasons"].to_string().contains(words)).then_some(())
    });
    found.with_context(|| last.to_string())
}

fn checked_at_the_end(world: &World, screen: &Pane) -> Result<()> {
    let tmux = &world.tmux;
    tmux.wait_for(screen, "the worktree", SHOWN, |shown| shown.contains("closeout"))?;
    let client = world.start(Client::Claude, WORKTREE, &[])?;
    world.prompt(&client, "Run the tool")?;
    let asks = |shown: &str| Client::Claude.is_asking_for_leave(shown);
    tmux.wait_for(&client, "the prompt for a leave", CLIENT, asks)?;
    tmux.accept(&client, asks)?;
    // Nobody asked for it.
    let seen = sees_check(world, "YES", "");
    tmux.close(&client);
    seen
}

fn checked_by_key(world: &World, screen: &Pane) -> Result<()> {
    // A tree as it was before the work would be one whose failure is not the agent's.
    let other = world.at(WORKTREE).join("other.txt");
    fs::write(&other, "other\n")?;
    fs::remove_file(world.at(WORKTREE).join(MADE))?;
    select(world, screen, WORKTREE, "? help")?;
    world.tmux.press(screen, "C")?;
    world
        .tmux
        .wait_for(screen, "the checks", SHOWN, |shown| shown.contains("Run the checks you configured?"))?;
    std::thread::sleep(READ);
    world.tmux.press(screen, "y")?;
    sees_check(world, "NO", "nothing is made").with_context(|| world.tmux.screen(screen))?;
    Ok(fs::remove_file(other)?)
}

fn asked_in_the_box(world: &World, screen: &Pane, keep: &Path) -> Result<()> {
    let tmux = &world.tmux;
    fs::write(world.at(WORKTREE).join(MADE), "made\n")?;
    select(world, screen, WORKTREE, "c rescue")?;
    tmux.press(screen, "c")?;
    tmux.wait_for(screen, "the preview", CLIENT, |shown| shown.contains(MADE))?;
    std::thread::sleep(READ);
    tmux.press(screen, "m")?;
    tmux.wait_for(screen, "its cost", SHOWN, |shown| shown.contains("tokens"))?;
    std::thread::sleep(READ);
    tmux.press(screen, "m")?;
    tmux.wait_for(screen, "the proposal", CLIENT, |shown| shown.contains(PROPOSED))?;
    crate::together::kept(keep, "loop-messages-80x24", &tmux.screen(screen));
    std::thread::sleep(READ);
    commit_as_ada(tmux, screen)?;
    ensure!(subject(world)? == PROPOSED, "the commit is {}", subject(world)?);
    Ok(())
}

fn asked_in_a_shell(world: &World) -> Result<()> {
    let folder = world.at(WORKTREE);
    fs::write(folder.join(MADE), "made again\n")?;
    let before = subject(world)?;
    let words = ["rescue", &folder.display().to_string(), "--ask-messages", "--dry-run", "--json"];
    let (code, out, err) = program::run_as(world, Client::Claude, &words)?;
    let plan: Value = serde_json::from_str(&out).with_context(|| format!("{out}{err}"))?;
    ensure!(code == Some(0) && plan.to_string().contains(PROPOSED), "{code:?}: {plan}{err}");
    ensure!(subject(world)? == before, "something was committed");
    ensure!(fs::read_to_string(folder.join(MADE))? == "made again\n", "the file was changed");
    Ok(())
}

fn edited(world: &World) -> Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let tmux = &world.tmux;
    let editor = world.at("tmp").join("editor");
    fs::write(&editor, EDITOR)?;
    fs::set_permissions(&editor, fs::Permissions::from_mode(0o700))?;
    let mut variables = world.plain_variables();
    variables.push(("VISUAL".to_owned(), editor.into()));
    let words = [
        program::program().display().to_string(),
        "rescue".to_owned(),
        "--edit".to_owned(),
        "--author".to_owned(),
        "Ada <ada@example.org>".to_owned(),
    ];
    let pane = tmux.open(&world.at(WORKTREE), (100, 40), &variables, &words)?;
    let asks = |shown: &str| shown.contains("Written in my editor") && shown.contains("[y/N]");
    tmux.wait_for(&pane, "what was written and the question", CLIENT, asks)?;
    tmux.type_text(&pane, "y")?;
    tmux.press(&pane, "Enter")?;
    until("the commit", SHOWN, || (subject(world).ok()? == "Written in my editor").then_some(()))
        .with_context(|| tmux.screen(&pane))?;
    tmux.close(&pane);
    Ok(())
}

/// The subject of the worktree's last commit.
fn subject(world: &World) -> Result<String> {
    let mut git = Command::new("git");
    git.args(["log", "-1", "--format=%s"]).current_dir(world.at(WORKTREE));
    let output = git.env_clear().envs(world.plain_variables()).output().context("git")?;
    Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned())
}
