//! Runs an action in its own process and sends a signal at a random moment: to the rescuing process alone, to the
//! process with all its children, or to one git child.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use super::cycle_action::{CycleAction, WORD};
use super::disk::Disk;
use super::random::Random;

/// The limit for anything that is waited for.
const PATIENCE: Duration = Duration::from_mins(1);

/// What is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Target {
    /// The rescuing process; its children live on.
    Parent,
    /// The process and its children.
    Group,
    /// One child, as the kernel does when memory runs out.
    Child,
    /// Nobody, but the process and its children are asked to end, as by a shell or a service manager.
    Term,
    /// The same, as by a terminal that is closed.
    Hup,
    /// Nobody: the process stands still for a while and goes on.
    Stop,
    /// The power of the whole machine.
    Power,
}

impl Target {
    /// A random target; the signals that end nothing for certain are half as likely.
    pub(crate) fn any(random: &mut Random) -> Target {
        use Target::{Child, Group, Hup, Parent, Stop, Term};
        *random.one_of(&[Parent, Parent, Group, Group, Child, Child, Term, Hup, Stop])
    }
}

/// The conditions under which an action runs.
#[derive(Clone, Copy)]
pub(crate) struct ShotSetting<'s> {
    /// Whether everything is on disk when it is reported as saved.
    pub(crate) is_synced: bool,
    /// The name of closeout's state folder.
    pub(crate) state: &'static str,
    /// The disk whose power is cut.
    pub(crate) disk: Option<&'s Disk>,
}

/// The outcome of an action that was shot at.
#[derive(Debug)]
pub(crate) struct Shot {
    /// Whether anything was killed.
    pub(crate) is_hit: bool,
    /// The references that were reported as saved.
    pub(crate) saved: Vec<String>,
    /// The final report: true for "done", with its words.
    pub(crate) outcome: Option<(bool, String)>,
}

impl Shot {
    /// What the action did, in a line for a person.
    pub(crate) fn line(&self, cycle_action: CycleAction, target: Target, what: &str) -> String {
        let Shot { is_hit, outcome, .. } = self;
        format!("{} ({target:?} killed: {is_hit}) {what}; it said {outcome:?}", cycle_action.name())
    }
}

/// The usual time of each action here, for aiming.
#[derive(Debug, Default)]
pub(crate) struct Pace(BTreeMap<CycleAction, Duration>);

impl Pace {
    fn of(&self, cycle_action: CycleAction) -> Duration {
        self.0.get(&cycle_action).copied().unwrap_or(Duration::from_millis(100))
    }

    fn learn(&mut self, cycle_action: CycleAction, took: Duration) {
        let known = self.of(cycle_action);
        self.0.insert(cycle_action, (known * 7 + took) / 8);
    }
}

/// Shoots at what `target` names. True if anything was killed.
fn hit(target: Target, pid: Pid, random: &mut Random, setting: &ShotSetting) -> Result<bool> {
    Ok(match target {
        Target::Parent => is_alive(pid) && kill_process(pid, Signal::KILL).is_ok(),
        Target::Group => kill_all(pid),
        Target::Child => kill_one(pid),
        Target::Term => is_alive(pid) && kill_process_group(pid, Signal::TERM).is_ok(),
        Target::Hup => is_alive(pid) && kill_process_group(pid, Signal::HUP).is_ok(),
        Target::Stop => {
            stop(pid);
            std::thread::sleep(Duration::from_millis(random.next() % 40));
            // It may have ended by itself.
            let _ = kill_process(pid, Signal::CONT);
            false
        }
        Target::Power => {
            let disk = setting.disk.context("no disk of its own")?;
            let all = stop_all(pid);
            disk.copy()?;
            kill_each(pid, &all)
        }
    })
}

/// Runs the action and kills after a part of its usual time.
pub(crate) fn fire(
    cycle_action: CycleAction,
    target: Target,
    random: &mut Random,
    pace: &mut Pace,
    folders: (&Path, &Path),
    setting: &ShotSetting,
) -> Result<Shot> {
    let (top, root) = folders;
    // More shots hit the second half, where things move; some come too late to hit anything.
    let part = u32::try_from(if random.percent(50) { random.below(1150) } else { 550 + random.below(600) })?;
    let is_spared = random.percent(20);
    let delay = if is_spared { PATIENCE } else { pace.of(cycle_action) * part / 1000 };
    let mut child = Command::new(std::env::current_exe()?)
        .args([WORD, cycle_action.name()])
        .arg(top)
        .arg(root)
        .arg(setting.state)
        .arg(if setting.is_synced { "synced" } else { "quick" })
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .process_group(0)
        .spawn()?;
    let pid = Pid::from_raw(i32::try_from(child.id())?).context("no process")?;
    let mut lines = BufReader::new(child.stdout.take().context("no output")?).lines();
    ensure!(lines.next().transpose()?.as_deref() == Some("go"), "the cycle_action did not begin");
    let begun = Instant::now();
    while begun.elapsed() < delay && is_alive(pid) {
        std::thread::sleep(delay.saturating_sub(begun.elapsed()).min(Duration::from_micros(500)));
    }
    let is_hit = hit(target, pid, random, setting)?;
    let rest: Vec<String> = lines.map_while(Result::ok).collect();
    while child.try_wait()?.is_none() {
        ensure!(begun.elapsed() < PATIENCE, "the {} does not end", cycle_action.name());
        std::thread::sleep(Duration::from_millis(1));
    }
    let took = begun.elapsed();
    if let Some(disk) = setting.disk {
        disk.restart()?;
    }
    let told =
        |word: &str| rest.iter().filter_map(|line| Some(line.strip_prefix(word)?.to_owned())).collect();
    let saved: Vec<String> = told("saved ");
    let done: Vec<String> = told("ok ");
    let not: Vec<String> = told("no ");
    let outcome =
        done.into_iter().map(|words| (true, words)).chain(not.into_iter().map(|words| (false, words)));
    let outcome = outcome.last();
    if !is_hit && target != Target::Stop && outcome.as_ref().is_some_and(|(is_done, _)| *is_done) {
        pace.learn(cycle_action, took);
    }
    Ok(Shot { is_hit, saved, outcome })
}

fn state(pid: Pid) -> Option<char> {
    let text = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?;
    text.rsplit_once(") ")?.1.chars().next()
}

fn is_alive(pid: Pid) -> bool {
    state(pid).is_some_and(|state| !matches!(state, 'Z' | 'X'))
}

fn kill_all(pid: Pid) -> bool {
    let all = stop_all(pid);
    kill_each(pid, &all)
}

/// Stops a process and its descendants, each before its children are listed, so that it can start no more.
/// Returns the descendants.
fn stop_all(pid: Pid) -> Vec<Pid> {
    let mut all = vec![pid];
    let mut place = 0;
    while let Some(process) = all.get(place).copied() {
        stop(process);
        all.extend(children(process));
        place += 1;
    }
    all.split_off(1)
}

/// Stops a process. One inside a system call completes that first.
fn stop(pid: Pid) {
    if !is_alive(pid) || kill_process(pid, Signal::STOP).is_err() {
        return;
    }
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE && state(pid).is_some_and(|state| !matches!(state, 'T' | 'Z' | 'X')) {
        std::hint::spin_loop();
    }
}

fn kill_each(pid: Pid, below: &[Pid]) -> bool {
    let is_hit = is_alive(pid) && kill_process(pid, Signal::KILL).is_ok();
    for child in below {
        // It may have ended by itself.
        let _ = kill_process(*child, Signal::KILL);
    }
    is_hit
}

/// Kills the next child that appears.
fn kill_one(pid: Pid) -> bool {
    while is_alive(pid) {
        if let Some(child) = children(pid).into_iter().find(|child| is_alive(*child)) {
            return kill_process(child, Signal::KILL).is_ok();
        }
    }
    false
}

fn children(pid: Pid) -> Vec<Pid> {
    let pid = pid.as_raw_nonzero();
    let text = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
    text.split_whitespace().filter_map(|word| Pid::from_raw(word.parse().ok()?)).collect()
}
