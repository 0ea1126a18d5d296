//! Everything in and around a repository that could run a program, for the user to review before they trust
//! it.
//!
//! Plain values. Text from the repository is shown only through [`display_text`](super::display_text).

use schemars::JsonSchema;
use serde::Serialize;

/// Everything in and around a repository that could run a program during an action, for the user to trust.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TrustList {
    /// One thing each, in a fixed order.
    pub items: Vec<TrustItem>,
    /// The sum of the workspace's path and of all items with their contents. Another byte is another digest.
    pub digest: String,
}

/// One thing that could run a program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TrustItem {
    /// What it is.
    pub kind: TrustKind,
    /// The name of the setting, or the path of the file. Untrusted text.
    pub name: String,
    /// The command, the line with the attribute, or the size and sum of the file. Untrusted text.
    pub content: String,
}

/// What could run a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TrustKind {
    /// A setting of git that names a program.
    Setting,
    /// A line that gives a filter to paths.
    Attribute,
    /// A file in the folder of hooks.
    Hook,
    /// A file of the workspace that a command names.
    File,
    /// The user's own rescue program.
    RescueProgram,
    /// What a script runs and is not understood: it is trusted only for the tracked and new files as they are now.
    NotCovered,
    /// A check that the user configured, which runs a file of the workspace.
    Check,
}
