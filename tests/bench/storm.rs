//! A storm of file events: the keys go on being answered, no more is collected at once than at rest, and what is
//! shown at its end is right. The references are the same things before the storm.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use rustix::process::{Pid, Signal, kill_process};

use super::fleet::{Fleet, decide, said};
use super::machine::{Usage, n_threads};
use super::samples::Samples;
use super::screen::Screen;
use super::table::{Reference, Table};
use super::{Scope, start};

/// Workspaces in the storm.
const N_WORKSPACES: usize = 20;
/// Between two changes.
const GAP: Duration = Duration::from_millis(1);
/// Between two keys.
const KEY_GAP: Duration = Duration::from_millis(50);
/// What only the help page says.
const HELP: &str = "show or hide this page";

/// Runs the group.
pub(crate) fn run(scope: &Scope, table: &mut Table) -> Result<()> {
    let n_events = scope.pick(10_000, 2_000);
    let fleet = Fleet::new(N_WORKSPACES)?;
    let (mut screen, _, _) = start::started(&fleet)?;
    screen.settle(Duration::from_millis(1500));
    let pid = screen.pid()?;
    let (mut quiet_keys, mut quiet_words) = (Samples::default(), Samples::default());
    for number in 0..scope.pick(20, 6) {
        for is_help in [true, false] {
            screen.settle(KEY_GAP);
            quiet_keys.push(press_help(&mut screen, is_help)?);
        }
        screen.settle(KEY_GAP);
        quiet_words.push(last_word(&mut screen, &fleet, number)?);
    }
    let tops = fleet.tops.clone();
    let transcripts: Vec<PathBuf> = tops.iter().map(|top| fleet.world.transcript(top)).collect();
    let before = Usage::of(pid)?;
    let storm = std::thread::spawn(move || blow(n_events, &tops, &transcripts));
    let (mut keys, mut most_threads, mut is_help) = (Samples::default(), 0, false);
    while !storm.is_finished() {
        screen.take_in_for(KEY_GAP);
        is_help = !is_help;
        keys.push(press_help(&mut screen, is_help)?);
        most_threads = most_threads.max(n_threads(pid)?);
    }
    let took = storm.join().ok().context("the storm broke")??;
    let used = Usage::of(pid)?.since(before);
    if is_help {
        press_help(&mut screen, false)?;
    }
    let mut right = Samples::default();
    right.push(last_word(&mut screen, &fleet, usize::MAX)?);
    let name = format!("{n_events} events in {:.1} s, {N_WORKSPACES} workspaces", took.as_secs_f64());
    let reference = Reference::new("before it", &quiet_keys);
    table.times(&format!("key to frame, {name}"), &keys, Some(&reference), "≤ 50 ms");
    let reference = Reference::new("before it", &quiet_words);
    table.times(&format!("last event to right verdict, {name}"), &right, Some(&reference), "≤ 2 s");
    let share = used.cpu.as_secs_f64() / took.as_secs_f64() * 100.0;
    let value = format!("{share:.0} % of a core, {most_threads} threads at most");
    table.value(&format!("load, {name}"), &value, "threads as at rest: 2 collections at once");
    for is_stalled in [false, true] {
        flood(&mut screen, &fleet, is_stalled, scope, table)?;
    }
    Ok(())
}

/// Files made as fast as they can be, and the decision that counts as the last one. A stalled reader sees no event until
/// all is over: the system's queue has overflowed by then, and the last event is among the lost ones.
fn flood(
    screen: &mut Screen,
    fleet: &Fleet,
    is_stalled: bool,
    scope: &Scope,
    table: &mut Table,
) -> Result<()> {
    let n_files = scope.pick(100_000, 20_000);
    let mut right = Samples::default();
    let process = Pid::from_raw(i32::try_from(screen.pid()?)?).context("no process")?;
    for round in 0..scope.pick(if is_stalled { 3 } else { 1 }, 2) {
        screen.settle(Duration::from_millis(500));
        if is_stalled {
            kill_process(process, Signal::STOP)?;
        }
        for number in 0..n_files {
            let top = &fleet.tops[number % fleet.tops.len()];
            decide(top, &format!("file {number}"))?;
        }
        let word = format!("FLOODED{}{round}END", u8::from(is_stalled));
        decide(fleet.main(), &word)?;
        let ended = Instant::now();
        if is_stalled {
            kill_process(process, Signal::CONT)?;
        }
        right.push(screen.wait_for(|text| text.contains(&word))?.saturating_duration_since(ended));
    }
    let reader = if is_stalled { "a stalled reader" } else { "a reader" };
    let name = format!("{n_files} files made before {reader}");
    table.times(&format!("last event to right verdict, {name}"), &right, None, "≤ 1 s, each time");
    Ok(())
}

/// Opens or closes the help page.
fn press_help(screen: &mut Screen, is_help: bool) -> Result<Duration> {
    let pressed = Instant::now();
    screen.press(b"?")?;
    Ok(screen.wait_for(|text| text.contains(HELP) == is_help)? - pressed)
}

/// Writes a decision and waits until its reason is shown.
fn last_word(screen: &mut Screen, fleet: &Fleet, number: usize) -> Result<Duration> {
    let word = format!("LASTWORD{number}END");
    let began = Instant::now();
    decide(fleet.main(), &word)?;
    Ok(screen.wait_for(|text| text.contains(&word))?.saturating_duration_since(began))
}

/// Changes files one after the other: records grow, decisions are replaced, files of the work tree are written.
fn blow(n_events: usize, tops: &[PathBuf], transcripts: &[PathBuf]) -> Result<Duration> {
    let began = Instant::now();
    for number in 0..n_events {
        let (top, transcript) = (&tops[number % tops.len()], &transcripts[number % tops.len()]);
        match number / tops.len() % 3 {
            0 => {
                let line = said(top, &format!("Step {number} is done, more to do."));
                OpenOptions::new().append(true).open(transcript)?.write_all(line.as_bytes())?;
            }
            1 => decide(top, &format!("step {number}"))?,
            _ => fs::write(top.join("d0/f1.txt"), format!("{number}\n"))?,
        }
        let next = began + GAP * u32::try_from(number + 1)?;
        std::thread::sleep(next.saturating_duration_since(Instant::now()));
    }
    Ok(began.elapsed())
}
