//! Three closeouts in a tmux of their own, whose bytes another tmux gets as their terminal: what Claude Code asks is told
//! there exactly once.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use crate::client::Client;
use crate::closeout_program as program;
use crate::loops::GROUP;
use crate::outcome::Tally;
use crate::tmux::quoted;
use crate::wait::{CLIENT, QUIET, until};
use crate::world::World;

/// The notice of the question, as a terminal gets it.
const NOTICE: &str = "\u{1b}]9;claude: asks a question";

/// The check.
pub(crate) fn tell(tally: &mut Tally, world: &World) {
    tally.check(GROUP, "a question reaches the outer terminal once, with three closeouts open", || {
        let inner = Inner { socket: world.at("tmp").join("inner") };
        let told = told_once(world, &inner);
        let _ = fs::remove_file(config(world));
        told
    });
}

fn config(world: &World) -> PathBuf {
    world.home().join(".config/closeout/config.toml")
}

/// The tmux in which the closeouts are; it ends with its value.
struct Inner {
    socket: PathBuf,
}

impl Inner {
    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new("tmux");
        command.args(["-u", "-f", "/dev/null", "-S"]).arg(&self.socket).args(words).env_remove("TMUX");
        command
    }

    fn run(&self, words: &[&str]) -> Result<()> {
        let output = self.command(words).output().context("tmux")?;
        let complaint = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "tmux {}: {complaint}", words.join(" "));
        Ok(())
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        let _ = self.command(&["kill-server"]).output();
    }
}

/// How often the notice stands in what the terminal was sent.
fn n_told(bytes: &Path) -> usize {
    let bytes = fs::read(bytes).unwrap_or_default();
    bytes.windows(NOTICE.len()).filter(|window| *window == NOTICE.as_bytes()).count()
}

fn told_once(world: &World, inner: &Inner) -> Result<()> {
    let file = config(world);
    fs::create_dir_all(file.parent().context("no folder")?)?;
    fs::write(&file, "[notify]\nways = [\"osc9\"]\nabout = [\"question\"]\n")?;
    let exports: Vec<String> = world
        .plain_variables()
        .iter()
        .map(|(name, value)| format!("export {}\n", quoted(&format!("{name}={}", value.display()))))
        .collect();
    let opening = world.at("tmp").join("open");
    let closeout = quoted(&program::program().display().to_string());
    let here = quoted(&world.at("shop").display().to_string());
    fs::write(&opening, format!("{}cd {here}\nexec {closeout}\n", exports.concat()))?;
    let opening = format!("sh {}", quoted(&opening.display().to_string()));
    inner.run(&["new-session", "-d", "-s", "watch", "-x", "100", "-y", "90", &opening])?;
    inner.run(&["set", "-g", "allow-passthrough", "on"])?;
    for _ in 0..2 {
        inner.run(&["split-window", "-d", "-t", "watch:", &opening])?;
        inner.run(&["select-layout", "-t", "watch:", "even-vertical"])?;
    }
    let socket = inner.socket.display().to_string();
    let attach =
        ["env", "-u", "TMUX", "tmux", "-u", "-f", "/dev/null", "-S", &socket, "attach", "-t", "watch"];
    let attach = attach.map(str::to_owned);
    let outer = world.tmux.open(&world.at("elsewhere"), (100, 91), &world.plain_variables(), &attach)?;
    let bytes = world.at("tmp").join("outer-bytes");
    world.tmux.keep_bytes(&outer, &bytes)?;
    world.tmux.wait_for(&outer, "three closeouts", CLIENT, |shown| shown.matches("claude").count() >= 3)?;
    let client = world.start(Client::Claude, "claude", &[])?;
    for n in 1..=2 {
        world.prompt(&client, "Plan the format")?;
        until("the notice", CLIENT, || (n_told(&bytes) >= n).then_some(()))
            .with_context(|| world.tmux.screen(&outer))?;
        // Whoever is slower has its time.
        std::thread::sleep(QUIET);
        ensure!(n_told(&bytes) == n, "told {} times, and {n} questions were asked", n_told(&bytes));
    }
    world.tmux.close(&client);
    world.tmux.close(&outer);
    Ok(())
}
