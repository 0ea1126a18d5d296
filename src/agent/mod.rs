//! The agents: where their sessions are on disk, and what their records tell.
//!
//! One kind of agent is one variant of [`Adapter`]: it knows where the sessions of a workspace are, which
//! of them is the newest, and how its record is read. All that interprets a record is pure (a fold over
//! lines); only finding and reading touch the disk. Nothing here reads the environment or the clock, and
//! nothing here writes: the places are given as parameters.

mod adapter;
mod claude;
mod record_tail;

pub use adapter::{Adapter, SessionMemory, newest_session};
pub use claude::{folder_name as claude_folder_name, read_transcript as read_claude_transcript};
