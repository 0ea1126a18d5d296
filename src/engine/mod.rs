//! Wiring without a screen: carries out the monitor's effects and answers them with events.
//!
//! [`Engine`] watches and keeps running; [`OneShot`] reads everything once and returns. Both collect
//! and act with the same code; each has its own order of doing so. This room must not judge or draw; here only
//! [`clock`] reads the time.

mod actions;
mod awaited_collections;
mod background_collections;
pub mod clock;
mod collect;
mod discover;
mod discovering;
mod draft_keeping;
mod engine_config;
mod event;
mod folder_reader;
mod for_fronts;
mod found;
mod gate;
mod history;
mod live;
mod live_runs;
mod long_wait;
mod once;
mod pane_jump;
mod recall;
mod recovering;
mod reports_elsewhere;
mod running_actions;
mod session_folders;
mod store_lane;
mod suspicion;
mod watching;

pub use actions::audit::Audited;
pub use actions::rescuer::problem as rescue_problem;
pub use engine_config::{EngineConfig, FrontKind, Overrides, Scope};
pub use gate::Gate;
pub use live::Engine;
pub use long_wait::{LongWait, TellWait};
pub use once::{Judged, OneShot};
