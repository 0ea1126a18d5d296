//! The kind of a task; it selects the judge's verdict table.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantArray};

/// The kind of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[derive(EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE")]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum TaskKind {
    /// Work that ends in commits; the default in a git work tree.
    Implementation,
    /// Read and answer; the answer is the deliverable.
    ReadInfo,
    /// Write a report; the report is the deliverable.
    Report,
}

impl TaskKind {
    /// The name used in configuration, flags and JSON.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// All names, in the order in which help lists them.
    pub fn names() -> Vec<&'static str> {
        TaskKind::VARIANTS.iter().map(|kind| kind.name()).collect()
    }

    /// The kind with this name; case is ignored, and `-` equals `_`.
    pub fn from_name(name: &str) -> Option<TaskKind> {
        let folded = name.trim().to_ascii_uppercase().replace('-', "_");
        folded.parse().ok()
    }
}
