//! `closeout stats`: figures on actions and events, in total, per agent and per week.
//!
//! Each is counted only from the lines that `closeout log` shows, so that it can be checked by hand.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::{
    ActionClass, ActionKind, AuditEntry, HistoryEntry, HistoryEvent, Proof, RunStatus, Timestamp,
    VerdictState, WorkspaceId, display_text,
};
use crate::present::json::{VERSION, line};

use super::environment::Environment;
use super::exit::{Ended, Outcome};
use super::log::{self, Part};
use super::run_args::Stats;
use super::{output, text};

/// What `stats --json` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Figures {
    /// The version of this form.
    version: u32,
    /// All together.
    all: Group,
    /// For each agent, by its name; what no agent is known of is under "".
    agents: BTreeMap<String, Group>,
    /// For each week, by its ISO number like 2026-W48.
    weeks: BTreeMap<String, Group>,
}

/// The figures of one group. A rate is null where there was nothing to count.
#[derive(Debug, Default, Serialize, JsonSchema)]
struct Group {
    #[serde(flatten)]
    counts: Counts,
    /// Commands that closeout ended while the agent was at work, of all that it ended.
    false_abort_rate: Option<f64>,
    /// Rescues that ended with a commit, of all that a person wanted.
    rescue_success_rate: Option<f64>,
    /// Questions to agents, for each smart check.
    probes_per_check: Option<f64>,
    /// Iterations and smart checks that timed out, of all.
    time_out_rate: Option<f64>,
    /// From finished to seen, the median, in milliseconds.
    seen_after_ms: Option<i64>,
    /// How often a gate held an agent back, of all that asked it.
    gate_block_rate: Option<f64>,
}

/// What was counted.
#[derive(Debug, Default, Serialize, JsonSchema)]
struct Counts {
    /// Iterations of supervised runs.
    iterations: u32,
    /// Runs that ended, by how.
    runs: BTreeMap<&'static str, u32>,
    /// Commands that closeout ended.
    aborts: u32,
    /// Those of which the agent was at work.
    false_aborts: u32,
    /// Iterations and smart checks that timed out.
    time_outs: u32,
    /// Rescues that were wanted, and had something to do.
    rescues: u32,
    /// Those that ended with a commit.
    rescued: u32,
    /// Smart checks.
    smart_checks: u32,
    /// Questions that they sent.
    probes: u32,
    /// Replies to agents.
    replies: u32,
    /// Marks of a person.
    marks: u32,
    /// How often a gate held an agent back.
    gate_blocks: u32,
    /// How often a gate let an agent go.
    gate_passes: u32,
    /// How often work became COMPLETE.
    completed: u32,
    /// The same, by proof.
    proofs: BTreeMap<&'static str, u32>,
    #[serde(skip)]
    seen_after_ms: Vec<i64>,
}

pub(super) fn run(environment: &Environment, stats: &Stats) -> Ended {
    let mut tally = Tally::default();
    let (audit, history) = log::read(environment, &Part::Since(stats.since), stats.since.is_some())?;
    if stats.since.is_none() {
        // There may be a million: they are counted as they are read.
        log::each_event(environment, &mut |entry| tally.add_event(&entry))?;
    }
    for entry in &history.entries {
        tally.add_event(entry);
    }
    for entry in &audit.entries {
        tally.add_action(entry);
    }
    let figures = tally.figures();
    if stats.json {
        output::print_line(&line(&figures))?;
    } else {
        output::print(&table(&figures))?;
    }
    Ok(Outcome::Done)
}

#[derive(Default)]
struct Tally {
    all: Counts,
    weeks: BTreeMap<String, Counts>,
    agents: BTreeMap<String, Counts>,
    /// What no agent is named of, until it is known who was last at work there.
    of_workspaces: HashMap<WorkspaceId, Counts>,
    /// The agent last known in each workspace.
    known: HashMap<WorkspaceId, String>,
}

impl Tally {
    fn add_event(&mut self, entry: &HistoryEntry) {
        if let Some(agent) =
            entry.agent.as_ref().filter(|agent| self.known.get(&entry.workspace) != Some(*agent))
        {
            self.known.insert(entry.workspace.clone(), agent.clone());
        }
        self.add(&entry.workspace, entry.agent.as_deref(), entry.at, &|counts| counts.add_event(entry));
    }

    fn add_action(&mut self, entry: &AuditEntry) {
        self.add(&entry.workspace, entry.agent.as_deref(), entry.at, &|counts| counts.add_action(entry));
    }

    fn add(
        &mut self,
        workspace: &WorkspaceId,
        agent: Option<&str>,
        at: Timestamp,
        add: &dyn Fn(&mut Counts),
    ) {
        add(&mut self.all);
        add(of(&mut self.weeks, &week(at)));
        match agent {
            Some(agent) => add(of(&mut self.agents, agent)),
            None => add(self.of_workspaces.entry(workspace.clone()).or_default()),
        }
    }

    fn figures(mut self) -> Figures {
        for (workspace, counts) in self.of_workspaces {
            let agent = self.known.get(&workspace).map_or("", String::as_str);
            of(&mut self.agents, agent).add_all(counts);
        }
        let groups = |counted: BTreeMap<String, Counts>| {
            counted.into_iter().map(|(name, counts)| (name, Group::of(counts))).collect()
        };
        Figures {
            version: VERSION,
            all: Group::of(self.all),
            agents: groups(self.agents),
            weeks: groups(self.weeks),
        }
    }
}

/// The counts of a group, which is made where it is new.
fn of<'c>(groups: &'c mut BTreeMap<String, Counts>, name: &str) -> &'c mut Counts {
    groups.entry(name.to_owned()).or_default()
}

impl Counts {
    fn add_all(&mut self, other: Counts) {
        let add = |sums: &mut BTreeMap<&'static str, u32>, more: BTreeMap<&'static str, u32>| {
            for (name, count) in more {
                *sums.entry(name).or_default() += count;
            }
        };
        self.iterations += other.iterations;
        add(&mut self.runs, other.runs);
        self.aborts += other.aborts;
        self.false_aborts += other.false_aborts;
        self.time_outs += other.time_outs;
        self.rescues += other.rescues;
        self.rescued += other.rescued;
        self.smart_checks += other.smart_checks;
        self.probes += other.probes;
        self.replies += other.replies;
        self.marks += other.marks;
        self.gate_blocks += other.gate_blocks;
        self.gate_passes += other.gate_passes;
        self.completed += other.completed;
        add(&mut self.proofs, other.proofs);
        self.seen_after_ms.extend(other.seen_after_ms);
    }

    fn add_event(&mut self, entry: &HistoryEntry) {
        match &entry.what {
            HistoryEvent::Verdict { state: VerdictState::Complete, proof, .. } => {
                self.completed += 1;
                *self.proofs.entry(proof.map_or("unknown", Proof::name)).or_default() += 1;
            }
            HistoryEvent::Seen { after_ms } => self.seen_after_ms.push(*after_ms),
            HistoryEvent::Iteration { end, was_active, .. } => {
                self.iterations += 1;
                self.time_outs += u32::from(end.is_time_out());
                let is_abort = end.is_time_out() || *end == crate::model::CommandEnd::Ended;
                self.aborts += u32::from(is_abort);
                self.false_aborts += u32::from(is_abort && *was_active);
            }
            HistoryEvent::RunEnded { status, .. } => {
                *self.runs.entry(RunStatus::name(*status)).or_default() += 1;
            }
            HistoryEvent::GatePassed => self.gate_passes += 1,
            HistoryEvent::Verdict { .. } | HistoryEvent::Notice { .. } => {}
        }
    }

    fn add_action(&mut self, entry: &AuditEntry) {
        let class = entry.end.as_ref().map(|end| end.class);
        #[expect(clippy::wildcard_enum_match_arm, reason = "no other action is counted")]
        match entry.kind {
            // Nothing was at risk.
            ActionKind::Rescue if class == Some(ActionClass::Nothing) => {}
            ActionKind::Rescue => {
                self.rescues += 1;
                self.rescued += u32::from(matches!(class, Some(ActionClass::Done | ActionClass::SavedGaps)));
            }
            ActionKind::Probe => {
                self.smart_checks += 1;
                self.probes += entry.end.as_ref().and_then(|end| end.count).unwrap_or_default();
                self.time_outs += u32::from(class == Some(ActionClass::TimedOut));
            }
            ActionKind::Reply => self.replies += 1,
            ActionKind::Mark => self.marks += 1,
            ActionKind::Gate => self.gate_blocks += 1,
            _ => {}
        }
    }
}

impl Group {
    fn of(mut counts: Counts) -> Group {
        counts.seen_after_ms.sort_unstable();
        let middle = counts.seen_after_ms.len() / 2;
        Group {
            false_abort_rate: rate(counts.false_aborts, counts.aborts),
            rescue_success_rate: rate(counts.rescued, counts.rescues),
            probes_per_check: rate(counts.probes, counts.smart_checks),
            time_out_rate: rate(counts.time_outs, counts.iterations + counts.smart_checks),
            seen_after_ms: counts.seen_after_ms.get(middle).copied(),
            gate_block_rate: rate(counts.gate_blocks, counts.gate_blocks + counts.gate_passes),
            counts,
        }
    }
}

fn rate(part: u32, of: u32) -> Option<f64> {
    (of > 0).then(|| f64::from(part) / f64::from(of))
}

/// The ISO week of a moment in local time.
fn week(at: Timestamp) -> String {
    text::local_time(at).strftime("%G-W%V").to_string()
}

fn table(figures: &Figures) -> String {
    let mut text = String::new();
    let heads = [
        "", "iterations", "time-outs", "false aborts", "probes/check", "rescued", "complete", "checked",
        "seen after", "gate",
    ];
    write_row(&mut text, &heads.map(str::to_owned));
    write_row(&mut text, &cells("all", &figures.all));
    for (agent, group) in &figures.agents {
        let name = if agent.is_empty() { "no agent" } else { agent };
        write_row(&mut text, &cells(&display_text::line(name), group));
    }
    for (week, group) in &figures.weeks {
        write_row(&mut text, &cells(week, group));
    }
    text.push_str(&plots(&figures.weeks));
    text
}

/// A figure's name and how to read it.
type Figure = (&'static str, fn(&Counts) -> u32);

/// How many of the newest weeks are drawn.
const MAX_WEEKS: usize = 52;

/// A line for each figure that is not always zero, with a bar for each week.
fn plots(weeks: &BTreeMap<String, Group>) -> String {
    let figures: [Figure; 4] = [
        ("complete", |counts| counts.completed),
        ("iterations", |counts| counts.iterations),
        ("time-outs", |counts| counts.time_outs),
        ("gate blocks", |counts| counts.gate_blocks),
    ];
    let mut text = String::new();
    let first = weeks.len().saturating_sub(MAX_WEEKS);
    for (name, figure) in figures {
        let values: Vec<u32> = weeks.values().skip(first).map(|group| figure(&group.counts)).collect();
        let most = values.iter().copied().max().unwrap_or_default();
        if values.len() > 1 && most > 0 {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{name:<12}  {}  at most {most} a week", bars(&values, most));
        }
    }
    if text.is_empty() { text } else { format!("\n{text}") }
}

/// Each value as a bar in eighths of the largest; zero has no bar.
fn bars(values: &[u32], most: u32) -> String {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let bar = |value: &u32| match value {
        0 => ' ',
        value => {
            let eighths = u64::from(*value) * 8 / u64::from(most.max(1));
            usize::try_from(eighths).map_or('█', |eighths| BARS[eighths.clamp(1, 8) - 1])
        }
    };
    values.iter().map(bar).collect()
}

fn cells(name: &str, group: &Group) -> [String; 10] {
    let counts = &group.counts;
    let percent =
        |rate: Option<f64>| rate.map_or_else(|| "-".to_owned(), |rate| format!("{:.0} %", rate * 100.0));
    let checked = counts.proofs.get("checked").copied().unwrap_or_default();
    [
        name.to_owned(),
        counts.iterations.to_string(),
        percent(group.time_out_rate),
        percent(group.false_abort_rate),
        group.probes_per_check.map_or_else(|| "-".to_owned(), |number| format!("{number:.1}")),
        percent(group.rescue_success_rate),
        counts.completed.to_string(),
        percent(rate(checked, counts.completed)),
        group.seen_after_ms.map_or_else(|| "-".to_owned(), |millis| format!("{} s", millis / 1000)),
        group.gate_block_rate.map_or_else(
            || "-".to_owned(),
            |_| format!("{} of {}", counts.gate_blocks, counts.gate_blocks + counts.gate_passes),
        ),
    ]
}

fn write_row(text: &mut String, cells: &[String; 10]) {
    let [name, rest @ ..] = cells;
    // Writing to a string cannot fail.
    let _ = write!(text, "{name:<12}");
    for cell in rest {
        let _ = write!(text, "  {cell:>12}");
    }
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ActionEnd, Actor, CommandEnd};

    fn event(at: i64, agent: Option<&str>, what: HistoryEvent) -> HistoryEntry {
        let agent = agent.map(str::to_owned);
        HistoryEntry { at: Timestamp(at), workspace: WorkspaceId::local("/w"), agent, what }
    }

    fn action(kind: ActionKind, class: ActionClass, count: Option<u32>) -> AuditEntry {
        AuditEntry {
            id: String::new(),
            at: Timestamp(0),
            by: Actor::Command,
            workspace: WorkspaceId::local("/w"),
            kind,
            plan: String::new(),
            agent: (kind == ActionKind::Gate).then(|| "codex".to_owned()),
            end: Some(ActionEnd { at: Timestamp(1), class, message: String::new(), count }),
            decided: None,
        }
    }

    #[test]
    fn the_figures_are_those_of_the_log() {
        let iteration = |end, was_active| HistoryEvent::Iteration {
            run: "r".to_owned(),
            number: 1,
            end,
            verdict: VerdictState::Incomplete,
            took_ms: 1,
            was_active,
        };
        let complete = |proof| HistoryEvent::Verdict { state: VerdictState::Complete, before: None, proof };
        let entries = vec![
            event(0, Some("claude"), complete(Some(Proof::Checked))),
            event(0, None, complete(Some(Proof::Said))),
            event(0, None, iteration(CommandEnd::Code(0), true)),
            event(0, None, iteration(CommandEnd::StoodStill, false)),
            event(0, None, iteration(CommandEnd::TookTooLong, true)),
            event(0, None, HistoryEvent::GatePassed),
            event(7 * 86_400_000, None, HistoryEvent::Seen { after_ms: 3_000 }),
        ];
        let actions = [
            action(ActionKind::Rescue, ActionClass::Done, None),
            action(ActionKind::Rescue, ActionClass::Refused, None),
            action(ActionKind::Rescue, ActionClass::Nothing, None),
            action(ActionKind::Probe, ActionClass::Done, Some(3)),
            action(ActionKind::Probe, ActionClass::TimedOut, None),
            action(ActionKind::Gate, ActionClass::Done, Some(2)),
        ];
        let mut tally = Tally::default();
        for entry in &entries {
            tally.add_event(entry);
        }
        for entry in &actions {
            tally.add_action(entry);
        }
        let found = tally.figures();
        let all = &found.all;
        assert_eq!(all.false_abort_rate, Some(0.5));
        assert_eq!(all.rescue_success_rate, Some(0.5));
        assert_eq!(all.probes_per_check, Some(1.5));
        assert_eq!(all.time_out_rate, Some(0.6));
        assert_eq!(all.seen_after_ms, Some(3_000));
        assert_eq!(all.counts.proofs, BTreeMap::from([("checked", 1), ("said", 1)]));
        assert_eq!((all.counts.gate_blocks, found.weeks.len()), (1, 2));
        assert_eq!((all.gate_block_rate, found.agents["codex"].counts.gate_blocks), (Some(0.5), 1));
        // An entry without an agent counts for the agent known in its workspace.
        assert_eq!(found.agents.keys().collect::<Vec<_>>(), ["claude", "codex"]);
        assert_eq!(Group::of(Counts::default()).false_abort_rate, None);
        let table = table(&found);
        assert!(table.contains("complete      █   at most 2 a week"), "{table}");
        assert_eq!(bars(&[0, 1, 8, 16], 16), " ▁▄█");
    }
}
