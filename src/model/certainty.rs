//! How certain a reading of free text is.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How certain a judgement on a text is, from the least certain up. The levels are calibrated on labelled
/// messages of real agents (`tests/corpus/README.md` has the figures).
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, JsonSchema
)]
#[serde(rename_all = "snake_case")]
pub enum Certainty {
    /// Careful readers may differ: a question of this certainty asks for attention and decides nothing.
    Low,
    /// Usually right: a question of this certainty holds COMPLETE back.
    #[default]
    Medium,
    /// Right at least 97 times in 100 on messages of real agents.
    High,
}
