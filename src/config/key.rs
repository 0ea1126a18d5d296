//! The table of keys: their names, the values they allow, and the layers that may set them.

use crate::model::{Bounds, PROBE_INTERVAL_SECONDS, PROBE_TIMEOUT_SECONDS, PROBES};

use super::kind::Kind;

/// A key of the configuration. `SPECS` has the name of each and what it allows.
#[expect(missing_docs, reason = "the table of keys says what each is")]
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Key {
    TaskKind,
    BaselineRev,
    DecisionFile,
    Outputs,
    CloserReport,
    Plans,
    RequiredFiles,
    TestResults,
    CloserAgentId,
    CloserStep,
    Noise,
    Require,
    Offers,
    StallStage,
    UnreadableLimit,
    SilentTurnMinutes,
    ReconcileMinutes,
    PollSeconds,
    CollectLimitSeconds,
    FoldAfterHours,
    RescueCommand,
    RescueProtected,
    Look,
    Mouse,
    NotifyWays,
    NotifyAbout,
    NotifyCommand,
    NotifyQuietHours,
    NotifyQuestion,
    LogLevel,
    ChecksMode,
    ChecksRun,
    GateEnabled,
    GateMaxBlocks,
    GateDeadlineMinutes,
    GateTimeLimitSeconds,
    GateFinalTools,
    MaxProbes,
    ProbeIntervalSeconds,
    ProbeTimeoutSeconds,
    FinalRescueAttempt,
    SecondOpinion,
    AutoProbe,
    Models,
    AutoProbesPerHour,
}

/// Whose layer it is, which decides which keys count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LayerOrigin {
    /// The embedded defaults.
    BuiltIn,
    /// The user's own file.
    User,
    /// A workspace's file: untrusted.
    Workspace,
}

/// What a workspace's own files (`.closeout.toml`, `config.json`) may do with a key. Agents can write these
/// files, so none of these lets an agent soften its own verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// Nothing: only the user sets it. The key changes how all workspaces are judged, watched or shown, or
    /// it names a command.
    Person,
    /// Nothing, but the user may set it for some workspaces only. The key spends something of the user's:
    /// attention, time or tokens.
    PersonForSome,
    /// It applies if the user says nothing, and cannot soften a verdict.
    Offers,
    /// It adds to what the user says and removes nothing: another entry of a list, a switch turned on. What
    /// an agent may have added can say NO, but never a YES that counts.
    Adds,
    /// It could soften a verdict: it applies only if the user says nothing and the baseline's commit
    /// contains the same file. The verdict mentions it.
    Settled,
}

pub(super) struct Spec {
    pub(super) key: Key,
    /// The table it belongs to; empty for the top level.
    pub(super) section: &'static str,
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    pub(super) reach: Reach,
}

pub(super) const COMPLETION_CHECK: &str = "completion_check";

const fn spec(key: Key, section: &'static str, name: &'static str, kind: Kind, reach: Reach) -> Spec {
    Spec { key, section, name, kind, reach }
}

const fn number(from: i64, to: i64) -> Kind {
    Kind::Number { from, to }
}

/// A whole number within `bounds`.
const fn within(bounds: Bounds) -> Kind {
    number(bounds.least as i64, bounds.most as i64)
}

/// All keys, in the order of `config/default.toml`.
pub(super) const SPECS: [Spec; 45] = [
    spec(Key::TaskKind, "", "task_kind", Kind::Task, Reach::Settled),
    spec(Key::BaselineRev, "baseline", "rev", Kind::Revision, Reach::Settled),
    spec(Key::DecisionFile, "evidence", "decision_file", Kind::PathOrNone, Reach::Settled),
    spec(Key::Outputs, "evidence", "outputs", Kind::Paths, Reach::Settled),
    spec(Key::CloserReport, "evidence", "closer_report", Kind::PathOrNone, Reach::Settled),
    spec(Key::Plans, "evidence", "plans", Kind::Paths, Reach::Adds),
    spec(Key::RequiredFiles, "evidence", "required_files", Kind::Paths, Reach::Adds),
    spec(Key::TestResults, "evidence", "test_results", Kind::Paths, Reach::Adds),
    spec(Key::CloserAgentId, "closer", "agent_id", Kind::PathOrNone, Reach::Offers),
    spec(Key::CloserStep, "closer", "step", Kind::PathOrNone, Reach::Offers),
    spec(Key::Noise, "work", "noise", Kind::Paths, Reach::PersonForSome),
    spec(Key::Require, "verdict", "require", Kind::Choice(&["said", "committed", "checked"]), Reach::Adds),
    spec(Key::Offers, "judge", "offers", Kind::Choice(&["ask", "done"]), Reach::Person),
    spec(Key::StallStage, "judge", "stall_stage", number(2, 20), Reach::Person),
    spec(Key::UnreadableLimit, "judge", "unreadable_limit", number(1, 100), Reach::Person),
    spec(Key::SilentTurnMinutes, "judge", "silent_turn_minutes", number(1, 1440), Reach::Person),
    spec(Key::SecondOpinion, "judge", "second_opinion", Kind::PathOrNone, Reach::PersonForSome),
    spec(Key::ReconcileMinutes, "watch", "reconcile_minutes", number(1, 1440), Reach::Person),
    spec(Key::PollSeconds, "watch", "poll_seconds", number(1, 3600), Reach::Person),
    spec(Key::CollectLimitSeconds, "watch", "collect_limit_seconds", number(1, 600), Reach::Person),
    spec(Key::FoldAfterHours, "sessions", "fold_after_hours", number(1, 8760), Reach::Person),
    spec(Key::RescueCommand, "rescue", "command", Kind::Command, Reach::Person),
    spec(Key::RescueProtected, "rescue", "protected", Kind::Names("branches"), Reach::Person),
    spec(Key::Look, "ui", "look", Kind::Choice(&["auto", "color", "plain", "ascii"]), Reach::Person),
    spec(Key::Mouse, "ui", "mouse", Kind::Switch, Reach::Person),
    spec(
        Key::NotifyWays,
        "notify",
        "ways",
        Kind::Words(&["bell", "title", "osc9", "osc777", "osc99", "desktop"]),
        Reach::PersonForSome,
    ),
    spec(
        Key::NotifyAbout,
        "notify",
        "about",
        Kind::Words(&["question", "permission", "rescue", "stalled", "error", "limit", "finished"]),
        Reach::PersonForSome,
    ),
    spec(Key::NotifyCommand, "notify", "command", Kind::Command, Reach::PersonForSome),
    spec(Key::NotifyQuietHours, "notify", "quiet_hours", Kind::Hours, Reach::PersonForSome),
    spec(Key::NotifyQuestion, "notify", "question", Kind::Switch, Reach::PersonForSome),
    spec(
        Key::LogLevel,
        "log",
        "level",
        Kind::Choice(&["off", "error", "warn", "info", "debug", "trace"]),
        Reach::Person,
    ),
    spec(Key::ChecksMode, "checks", "mode", Kind::Choice(&["all", "any"]), Reach::PersonForSome),
    spec(Key::ChecksRun, "checks", "run", Kind::Choice(&["asked", "turn-end"]), Reach::PersonForSome),
    spec(Key::GateEnabled, "gate", "enabled", Kind::Switch, Reach::PersonForSome),
    spec(Key::GateMaxBlocks, "gate", "max_blocks", number(1, 100), Reach::PersonForSome),
    spec(Key::GateDeadlineMinutes, "gate", "deadline_minutes", number(0, 1440), Reach::PersonForSome),
    spec(Key::GateTimeLimitSeconds, "gate", "time_limit_seconds", number(1, 3600), Reach::Person),
    spec(Key::GateFinalTools, "gate", "final_tools", Kind::Names("tools"), Reach::PersonForSome),
    spec(Key::MaxProbes, COMPLETION_CHECK, "max_probes", within(PROBES), Reach::Offers),
    spec(
        Key::ProbeIntervalSeconds,
        COMPLETION_CHECK,
        "probe_interval_seconds",
        within(PROBE_INTERVAL_SECONDS),
        Reach::Offers,
    ),
    spec(
        Key::ProbeTimeoutSeconds,
        COMPLETION_CHECK,
        "probe_timeout_seconds",
        within(PROBE_TIMEOUT_SECONDS),
        Reach::Offers,
    ),
    spec(Key::FinalRescueAttempt, COMPLETION_CHECK, "final_rescue_attempt", Kind::Switch, Reach::Adds),
    spec(
        Key::Models,
        COMPLETION_CHECK,
        "models",
        Kind::Pairs("agents with a model, like \"claude=haiku\""),
        Reach::Person,
    ),
    spec(Key::AutoProbe, COMPLETION_CHECK, "auto_probe", Kind::Switch, Reach::PersonForSome),
    spec(Key::AutoProbesPerHour, COMPLETION_CHECK, "auto_probes_per_hour", number(1, 60), Reach::Person),
];

impl Spec {
    /// Why the key is ignored in a layer of this origin, at the top level or in an entry for some
    /// workspaces. `None` if it counts.
    pub(super) fn refusal(&self, origin: LayerOrigin, is_for_some: bool) -> Option<&'static str> {
        match self.reach {
            Reach::Person if origin == LayerOrigin::Workspace || is_for_some => {
                Some("counts only for all workspaces, in your own configuration file")
            }
            Reach::PersonForSome if origin == LayerOrigin::Workspace => {
                Some("counts only in your own configuration file")
            }
            Reach::Person | Reach::PersonForSome | Reach::Offers | Reach::Adds | Reach::Settled => None,
        }
    }

    /// The name with its section, as users write it.
    pub(super) fn full_name(&self) -> String {
        full_name(self.section, self.name)
    }
}

pub(super) fn full_name(section: &str, name: &str) -> String {
    if section.is_empty() { name.to_owned() } else { format!("{section}.{name}") }
}

pub(super) fn find(section: &str, name: &str) -> Option<&'static Spec> {
    SPECS.iter().find(|spec| spec.section == section && spec.name == name)
}

pub(super) fn spec_of(key: Key) -> Option<&'static Spec> {
    SPECS.iter().find(|spec| spec.key == key)
}

impl Key {
    /// All keys with their full names, in the order of `config/default.toml`.
    pub fn all() -> impl Iterator<Item = (Key, String)> {
        SPECS.iter().map(|spec| (spec.key, spec.full_name()))
    }

    /// The full name, such as `judge.offers`.
    pub fn full_name(self) -> String {
        spec_of(self).map_or_else(String::new, Spec::full_name)
    }
}
