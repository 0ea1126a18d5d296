//! Layered configuration: built-in defaults, the user's own file, the workspace's file, environment, flags.
//!
//! [`Config::load`] reads what applies to the whole program; [`Config::for_workspace`] adds what a
//! workspace says about itself. `config/default.toml` is embedded and is the only place with defaults;
//! [`Key`] is the table of what may be set where. Parsing ([`parse_layer`]) is a pure function of the text;
//! only `file` reads the disk, and the environment is passed in.
//!
//! Nothing here writes, runs anything or decides a verdict. A workspace's file is untrusted: it is read
//! without following links and up to a size limit, and only keys that cannot run anything count. Entries
//! that name a command or say what proves work (`agent_entry`, `check_entry`, `tool_entry`) count in the user's own file only.

mod agent_entry;
mod check_entry;
mod completion_check;
mod effective;
mod error;
mod file;
mod key;
mod kind;
mod layer;
mod listing;
mod own_word;
mod pattern;
mod problem;
mod reader;
mod sources;
mod stack;
mod tool_entry;

pub use completion_check::{CompletionCheck, parse_completion_check};
pub use effective::{AutoProbes, CloserSettings, Config, RescueSettings, UiSettings};
pub use error::ConfigError;
pub use key::{Key, LayerOrigin};
pub use kind::Value;
pub use layer::{Layer, parse_layer};
pub use listing::{ListedSetting, Listing, SettingOrigin};
pub use own_word::OwnValue;
pub use problem::{Place, Problem, Problems, nearest};
pub use sources::{Flags, LookSetting, Sources};

/// The built-in configuration, which is also its own reference.
pub const DEFAULT_TEXT: &str = include_str!("../../config/default.toml");

/// The same values as the build script wrote them, without the comments, which take longer to read.
const DEFAULT_VALUES: &str = include_str!(concat!(env!("OUT_DIR"), "/default.toml"));

/// The name of a workspace's own file, in its top folder.
pub const WORKSPACE_FILE: &str = ".closeout.toml";

/// The JSON file that may contain a block `completion_check`: the user's, and a workspace's.
const JSON_FILE: &str = "config.json";
