//! Layered configuration: built in, the person's own file, the workspace's file, environment, flags.
//!
//! [`Config::load`] reads what holds for the whole program; [`Config::for_workspace`] adds what one
//! workspace says of itself. `config/default.toml` is embedded and is the only place with defaults;
//! [`Key`] is the table of what may be written where. Parsing ([`parse_layer`]) is a pure function of
//! a text; only `file` reads the disk, and the environment is handed in.
//!
//! Nothing here writes, runs anything or decides a verdict. A workspace's file is untrusted: it is
//! read without following links and within a cap, and only keys that cannot run anything count. What names
//! a command (`agent_entry`) counts in the person's own file only.

mod agent_entry;
mod check_entry;
mod completion_check;
mod effective;
mod error;
mod file;
mod key;
mod kind;
mod layer;
mod near_name;
mod own_word;
mod pattern;
mod problem;
mod reader;
mod sources;
mod stack;

pub use completion_check::{CompletionCheck, parse_completion_check};
pub use effective::{AutoProbes, CloserSettings, Config, LogSettings, RescueSettings, UiSettings};
pub use error::ConfigError;
pub use key::{Key, LayerOrigin};
pub use layer::{Layer, parse_layer};
pub use near_name::nearest;
pub use problem::{Place, Problem, Problems};
pub use sources::{Flags, LookSetting, Sources};

/// The built-in configuration, which is its own reference.
pub const DEFAULT_TEXT: &str = include_str!("../../config/default.toml");

/// The name of a workspace's own file, in its top folder.
pub const WORKSPACE_FILE: &str = ".closeout.toml";
