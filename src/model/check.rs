//! The checks that the user configured for a workspace, and the results of their last runs.
//!
//! Plain values. `judge::checkers` decides how checks combine and what they say about the work; `action` runs
//! them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Timestamp, stable_hash};

/// All checks of a workspace.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct CheckPlan {
    /// The checks, in the order in which they run.
    pub checks: Vec<ConfiguredCheck>,
    /// How the checks outside any group are combined.
    pub mode: CheckMode,
    /// True if they run on their own after a turn. Only the user's own configuration can say so.
    pub is_automatic: bool,
}

/// One check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ConfiguredCheck {
    /// Its name, of which there is one.
    pub name: String,
    /// What it asks for.
    pub ask: CheckAsk,
    /// How long it may take, in seconds.
    pub limit_s: u32,
    /// Where it runs.
    #[serde(rename = "where")]
    pub place: CheckPlace,
}

/// Where a check runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CheckPlace {
    /// On this machine.
    #[default]
    Here,
    /// Elsewhere, after the agent ended: without a result it opposes nothing, and nothing is `checked`.
    Ci,
}

/// What a check asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum CheckAsk {
    /// A program ends with 0.
    Command {
        /// The program and its arguments.
        command: Vec<String>,
    },
    /// A program is given the context as JSON and says whether the work is complete.
    External {
        /// The program and its arguments.
        command: Vec<String>,
    },
    /// Only these paths were changed, and not too many lines.
    Scope {
        /// Patterns of paths from the workspace; empty allows all.
        paths: Vec<String>,
        /// The most changed lines, added and removed ones together.
        max_lines: Option<u64>,
    },
    /// A model that did none of the work finds each written criterion met, and names what shows it.
    Judge {
        /// The agent whose program asks it; `None` is that of the session whose words count.
        agent: Option<String>,
        /// Its model, as that program names it; `None` is the program's own choice.
        model: Option<String>,
        /// The criteria.
        criteria: Vec<String>,
        /// How many times per hour it is asked at most.
        per_hour: u32,
    },
    /// Every step of a plan is done. Read at every look; nothing has to be run.
    Plan {
        /// Plan files, from the workspace; empty stands for all plans that the verdict knows, todo lists among them.
        files: Vec<String>,
    },
    /// All these files are there. Read at every look.
    Files {
        /// Paths or patterns from the workspace.
        files: Vec<String>,
    },
    /// Test results are of this task, and none failed. Read at every look.
    Tests {
        /// Result files, from the workspace; empty stands for those of the settings.
        files: Vec<String>,
    },
    /// Others, combined.
    Group {
        /// How.
        mode: CheckMode,
        /// Their names.
        of: Vec<String>,
    },
}

/// The result of a check that every look reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckStanding {
    /// It is met.
    Met,
    /// It had nothing to check: it passes, and proves nothing.
    Vacuous,
    /// It is not met.
    Unmet,
}

/// How checks are combined.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CheckMode {
    /// All must be met; the first that is not ends it.
    #[default]
    All,
    /// One must be met; the first that is ends it.
    Any,
}

/// The result of the last run of a check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckRecord {
    /// The check.
    pub name: String,
    /// The identity of the check's definition: a check that was changed since then counts as not run.
    pub asked: String,
    /// When the run ended.
    pub at: Timestamp,
    /// A fingerprint of HEAD and the uncommitted changes at that time; `None` if they could not be read.
    pub content: Option<String>,
    /// True if there was no work yet: a failure then is not the agent's.
    pub is_before_work: bool,
    /// The result.
    pub result: CheckResult,
    /// The check's explanation of the result. Untrusted text.
    pub feedback: String,
    /// The end of its output. Untrusted text.
    pub output: String,
    /// The times within the last hour at which a model was asked for this check.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sent: Vec<Timestamp>,
}

/// The result of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckResult {
    /// It is met.
    Passed,
    /// It is not.
    Failed,
    /// It could not be run, timed out, or gave no usable answer.
    Broken,
}

impl CheckPlan {
    /// The checks that belong to no group.
    pub fn top(&self) -> impl Iterator<Item = &ConfiguredCheck> {
        self.checks.iter().filter(|check| !self.checks.iter().any(|group| group.has(&check.name)))
    }

    /// The plan files named by checks.
    pub fn plan_files(&self) -> impl Iterator<Item = &String> {
        self.files_of(|ask| if let CheckAsk::Plan { files } = ask { files } else { &[] })
    }

    /// The files that checks require.
    pub fn demanded_files(&self) -> impl Iterator<Item = &String> {
        self.files_of(|ask| if let CheckAsk::Files { files } = ask { files } else { &[] })
    }

    /// The test result files named by checks.
    pub fn result_files(&self) -> impl Iterator<Item = &String> {
        self.files_of(|ask| if let CheckAsk::Tests { files } = ask { files } else { &[] })
    }

    fn files_of(&self, of: fn(&CheckAsk) -> &[String]) -> impl Iterator<Item = &String> {
        self.checks.iter().flat_map(move |check| of(&check.ask))
    }

    /// The check of this name.
    pub fn named(&self, name: &str) -> Option<&ConfiguredCheck> {
        self.checks.iter().find(|check| check.name == name)
    }
}

impl CheckAsk {
    /// The program with its arguments, if the check runs one.
    pub fn into_command(self) -> Option<Vec<String>> {
        let (CheckAsk::Command { command } | CheckAsk::External { command }) = self else { return None };
        Some(command)
    }

    /// True if it is a check that every look reads and names no file: it stands for all sources of its kind.
    #[expect(clippy::wildcard_enum_match_arm, reason = "no other check has files")]
    pub fn names_no_file(&self) -> bool {
        match self {
            CheckAsk::Plan { files } | CheckAsk::Files { files } | CheckAsk::Tests { files } => {
                files.is_empty()
            }
            _ => true,
        }
    }

    /// True if nothing has to be run for it, because every look reads it.
    pub fn is_read(&self) -> bool {
        matches!(self, CheckAsk::Plan { .. } | CheckAsk::Files { .. } | CheckAsk::Tests { .. })
    }
}

impl ConfiguredCheck {
    fn has(&self, name: &str) -> bool {
        matches!(&self.ask, CheckAsk::Group { of, .. } if of.iter().any(|member| member == name))
    }

    /// The name of its row in the evidence.
    pub fn row_name(&self) -> String {
        format!("check {}", self.name)
    }

    /// The identity of its definition: it changes whenever the definition does.
    pub fn identity(&self) -> String {
        format!("{:032x}", stable_hash(format!("{:?}", self.ask).as_bytes()))
    }
}
