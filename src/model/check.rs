//! The checks that a person configured for a workspace, and what came of their last runs.
//!
//! Plain values. How checks are combined and what they say of the work is for `judge::checkers`; `action` runs them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Timestamp, stable_hash};

/// All checks of a workspace.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckPlan {
    /// The checks, in the order in which they run.
    pub checks: Vec<ConfiguredCheck>,
    /// How those that no group has are combined.
    pub mode: CheckMode,
    /// Whether they run by themselves when a turn has ended. Only the person's own configuration says so.
    #[serde(default)]
    pub is_automatic: bool,
}

/// One check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ConfiguredCheck {
    /// Its name, of which there is one.
    pub name: String,
    /// What it asks for.
    pub ask: CheckAsk,
    /// How long it may take, in seconds.
    pub limit_s: u32,
}

/// What a check asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
        /// It is asked so often within an hour at most.
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

/// How a check stands that is read at every look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckStanding {
    /// It is met.
    Met,
    /// There was nothing to check: it passes, and proves nothing.
    Vacuous,
    /// It is not met.
    Unmet,
}

/// How checks are combined.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CheckMode {
    /// All must be met; the first that is not ends it.
    #[default]
    All,
    /// One must be met; the first that is ends it.
    Any,
}

/// What came of the last run of a check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckRecord {
    /// The check.
    pub name: String,
    /// The identity of what was asked for: a check that was changed since has not run.
    pub asked: String,
    /// When it ended.
    pub at: Timestamp,
    /// A name for HEAD and the uncommitted changes as they were; `None` where nobody could look.
    pub content: Option<String>,
    /// Whether there was no work yet: what fails then is not the agent's.
    pub is_before_work: bool,
    /// What came of it.
    pub result: CheckResult,
    /// What it says, in words. Untrusted text.
    pub feedback: String,
    /// The end of what it printed. Untrusted text.
    pub output: String,
    /// When a model was asked for it within the last hour.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sent: Vec<Timestamp>,
}

/// What came of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckResult {
    /// It is met.
    Passed,
    /// It is not.
    Failed,
    /// It could not be run, took too long, or answered nothing usable.
    Broken,
}

impl CheckPlan {
    /// The checks that no group has.
    pub fn top(&self) -> impl Iterator<Item = &ConfiguredCheck> {
        self.checks.iter().filter(|check| !self.checks.iter().any(|group| group.has(&check.name)))
    }

    /// The plan files that checks name.
    pub fn plan_files(&self) -> impl Iterator<Item = &String> {
        self.files_of(|ask| if let CheckAsk::Plan { files } = ask { files } else { &[] })
    }

    /// The files that checks demand.
    pub fn demanded_files(&self) -> impl Iterator<Item = &String> {
        self.files_of(|ask| if let CheckAsk::Files { files } = ask { files } else { &[] })
    }

    /// The test results that checks name.
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
    /// The program with its arguments, where it runs one.
    pub fn into_command(self) -> Option<Vec<String>> {
        match self {
            CheckAsk::Command { command } | CheckAsk::External { command } => Some(command),
            CheckAsk::Scope { .. }
            | CheckAsk::Judge { .. }
            | CheckAsk::Plan { .. }
            | CheckAsk::Files { .. }
            | CheckAsk::Tests { .. }
            | CheckAsk::Group { .. } => None,
        }
    }

    /// Whether it names no files that every look reads, and stands for all sources of its kind.
    pub fn names_no_file(&self) -> bool {
        match self {
            CheckAsk::Plan { files } | CheckAsk::Files { files } | CheckAsk::Tests { files } => {
                files.is_empty()
            }
            CheckAsk::Command { .. }
            | CheckAsk::External { .. }
            | CheckAsk::Scope { .. }
            | CheckAsk::Judge { .. }
            | CheckAsk::Group { .. } => true,
        }
    }

    /// Whether nothing has to be run for it: every look reads it.
    pub fn is_read(&self) -> bool {
        matches!(self, CheckAsk::Plan { .. } | CheckAsk::Files { .. } | CheckAsk::Tests { .. })
    }
}

impl ConfiguredCheck {
    fn has(&self, name: &str) -> bool {
        matches!(&self.ask, CheckAsk::Group { of, .. } if of.iter().any(|member| member == name))
    }

    /// What its row is called.
    pub fn row_name(&self) -> String {
        format!("check {}", self.name)
    }

    /// The identity of what it asks for.
    pub fn identity(&self) -> String {
        format!("{:032x}", stable_hash(format!("{:?}", self.ask).as_bytes()))
    }
}
