//! How the decision of a check was received: through which channel, and why a file was not used. It decides
//! nothing.

use schemars::JsonSchema;
use serde::Serialize;
use strum::IntoStaticStr;

/// The channel that decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, JsonSchema, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
#[serde(rename_all = "kebab-case")]
pub enum DecisionSource {
    /// An object in the decision file.
    FileJson,
    /// A word in the decision file.
    FileLegacy,
    /// A word in the output.
    Marker,
    /// An object on a line of the output.
    OutputJson,
    /// Nothing decided.
    #[default]
    None,
}

impl DecisionSource {
    /// The name used in JSON.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// Why the decision file was not used, or that nothing was there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum DecisionReason {
    /// More than 1 MiB.
    TooLarge,
    /// The file could not be read as text.
    Unreadable,
    /// Nothing visible in the file.
    EmptyFile,
    /// It begins like JSON and is none, repeats a key, or nests deeper than 32 levels.
    InvalidJson,
    /// JSON, but a list.
    NotAnObject,
    /// No `decision`, or not a string.
    MissingDecision,
    /// A `decision` that is none of the five words.
    UnknownDecision,
    /// The id of another check.
    CheckIdMismatch,
    /// The id is the name of a variable that was not expanded.
    CheckIdPlaceholder,
    /// Written before the check, and no id that says otherwise.
    StaleFile,
    /// Text without a verdict.
    NoMarkerInFile,
    /// No file, and nothing in the output.
    NoDecision,
}

impl DecisionReason {
    /// The name used in JSON.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// What became of the decision, for the user and for programs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DecisionReport {
    /// The channel that decided.
    pub source: DecisionSource,
    /// Whether the id in the file is the expected one; none if nothing could be compared.
    pub check_id_match: Option<bool>,
    /// The id of this check, where one was given.
    pub expected: Option<String>,
    /// The id that the decision file carries. Untrusted text.
    pub found: Option<String>,
    /// Why the decision file was not used; none if it decided, or was not there while the output decided.
    pub reason: Option<DecisionReason>,
}
