//! From a change on disk, or a key, to the bytes on the terminal.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use super::fleet::{Fleet, decide, decision, long_transcript, runs, said, turn_begins, turn_ends};
use super::program::closeout;
use super::samples::{Samples, time};
use super::screen::Screen;
use super::table::{Reference, Table};
use super::{Scope, start};

/// So long between two changes: frames that the world asks for are a thirtieth of a second apart, and
/// the look at the work tree that follows a change is to be over.
const PAUSE: Duration = Duration::from_millis(70);

/// Runs the group.
pub(crate) fn run(scope: &Scope, table: &mut Table) -> Result<()> {
    let count = scope.pick(200, 30);
    for n in scope.pick(vec![1, 100, 1000], vec![1, 20]) {
        let fleet = Fleet::new(n)?;
        let (firsts, judged) = start::cold_starts(&fleet, scope.pick(15, 4))?;
        let bare = time(15, || {
            let _ = fleet.world.command(closeout()).arg("--version").output();
        });
        let reference = Reference::new("closeout --version", &bare);
        table.times(&format!("start to first frame, {n} workspaces"), &firsts, Some(&reference), "≤ 8 ms");
        let goal = match n {
            1 => "≤ 12 ms",
            100 => "≤ 70 ms",
            1000 => "≤ 500 ms",
            _ => "",
        };
        table.times(&format!("start to all judged, {n} workspaces"), &judged, None, goal);
        let (mut screen, _, _) = start::started(&fleet)?;
        screen.settle(Duration::from_millis(1500));
        renames(&mut screen, &fleet, count, n, table)?;
        keys(&mut screen, count, n, table)?;
        if n <= 100 {
            commits(&mut screen, &fleet, count.min(100), n, table)?;
        }
        if n == 1 {
            for size in scope.pick(vec![5_000_000, 500_000_000], vec![5_000_000]) {
                transcripts(&mut screen, &fleet, size, count, table)?;
            }
        }
    }
    Ok(())
}

/// A word of one letter, another each time, so that all of its cells change on the screen.
fn word(number: usize) -> String {
    let letters = b"ABCDEFGHJKMPQRSTUVWXYZ";
    char::from(letters[number % letters.len()]).to_string().repeat(9)
}

/// The worktrees whose rows are on the screen.
fn on_screen(screen: &Screen, fleet: &Fleet) -> Vec<PathBuf> {
    let text = screen.contents();
    let is_shown = |top: &&PathBuf| {
        let name = top.file_name().unwrap_or_default().to_string_lossy().into_owned();
        text.contains(&format!(" {name} "))
    };
    fleet.tops.iter().filter(is_shown).take(20).cloned().collect()
}

fn renames(screen: &mut Screen, fleet: &Fleet, count: usize, n: usize, table: &mut Table) -> Result<()> {
    let tops = on_screen(screen, fleet);
    ensure!(!tops.is_empty(), "no row is on the screen:\n{}", screen.contents());
    let mut samples = Samples::default();
    for number in 0..count {
        let top = &tops[number % tops.len()];
        let word = word(number / tops.len().max(2) + number);
        let new = top.join(".closeout/new");
        fs::write(&new, decision(&word))?;
        screen.settle(PAUSE + Duration::from_millis(u64::try_from(number % 7)? * 5));
        let began = Instant::now();
        fs::rename(&new, top.join(".closeout/decision.json"))?;
        samples.push(screen.wait_for_bytes(word.as_bytes())? - began);
    }
    let goal = match n {
        1 => "≤ 2 / 5 ms",
        100 => "≤ 2.5 / 5 ms",
        1000 => "≤ 3 / 6 ms",
        _ => "",
    };
    table.times(&format!("decision file to screen, {n} workspaces"), &samples, None, goal);
    decide(&tops[0], "first")
}

fn keys(screen: &mut Screen, count: usize, n: usize, table: &mut Table) -> Result<()> {
    let mut samples = Samples::default();
    for _ in 0..count {
        screen.settle(Duration::from_millis(20));
        let began = Instant::now();
        // Help opens and closes: a frame that differs, also where there is only one row.
        screen.press(b"?")?;
        samples.push(screen.wait_for_bytes(b"")? - began);
    }
    table.times(&format!("key to frame, {n} workspaces"), &samples, None, "≤ 1 / 2 ms");
    if n > 1 {
        let mut samples = Samples::default();
        for number in 0..count {
            screen.settle(Duration::from_millis(20));
            let began = Instant::now();
            screen.press(if number / 8 % 2 == 0 { b"j" } else { b"k" })?;
            samples.push(screen.wait_for_bytes(b"")? - began);
        }
        table.times(&format!("key j or k to frame, {n} workspaces"), &samples, None, "≤ 1 / 2 ms");
        screen.press(b"g")?;
    }
    screen.settle(Duration::from_millis(300));
    Ok(())
}

/// Timed from the end of `git commit`, which a session runs in an open turn; the selected workspace's newest commit is on
/// the screen.
fn commits(screen: &mut Screen, fleet: &Fleet, count: usize, n: usize, table: &mut Table) -> Result<()> {
    let mut samples = Samples::default();
    let top = fleet.main();
    let transcript = fleet.world.transcript(top);
    append(&transcript, &turn_begins(top))?;
    screen.press(b"/main\r")?;
    screen.settle(Duration::from_millis(300));
    // The tab with the commits.
    screen.press(b"4")?;
    let mut n_early = 0;
    for number in 0..count {
        let subject = word(number);
        append(&transcript, &runs(top, number, "git commit -a -F .git/message"))?;
        screen.settle(Duration::from_millis(300));
        let before = screen.contents();
        fs::write(top.join("d0/f1.txt"), format!("{number}\n"))?;
        fleet.world.git(top, &["commit", "-q", "-a", "-m", &subject])?;
        let ended = Instant::now();
        if !before.contains(&subject) {
            let seen = screen.wait_for(|text| text.contains(&subject))?;
            n_early += usize::from(seen < ended);
            samples.push(seen.saturating_duration_since(ended));
        }
    }
    table.times(&format!("git commit to screen, {n} workspaces"), &samples, None, "≤ 3 / 6 ms");
    table.note(format!("{n_early} of {count} commits were on the screen before git had ended"));
    append(&transcript, &turn_ends(top, "That was the parser."))?;
    screen.press(b"1")?;
    screen.press(b"/")?;
    screen.press(b"\x1b")?;
    Ok(())
}

fn transcripts(screen: &mut Screen, fleet: &Fleet, size: u64, count: usize, table: &mut Table) -> Result<()> {
    let top = fleet.main();
    let path = fleet.world.transcript(top);
    long_transcript(&path, size, top)?;
    screen.settle(Duration::from_millis(1500));
    let mut samples = Samples::default();
    for number in 0..count {
        let word = word(number);
        screen.settle(PAUSE);
        let began = Instant::now();
        append(&path, &said(top, &format!("{word} is next, the rest follows.")))?;
        samples.push(screen.wait_for_bytes(word.as_bytes())? - began);
    }
    let megabytes = size / 1_000_000;
    table.times(&format!("transcript of {megabytes} MB to screen"), &samples, None, "≤ 2 / 4 ms");
    Ok(())
}

fn append(path: &Path, text: &str) -> Result<()> {
    OpenOptions::new().append(true).open(path)?.write_all(text.as_bytes()).map_err(Into::into)
}
