//! What agents told closeout's hook: the events of each session, and what follows from them.
//!
//! [`event_of`] makes an event of what an agent puts on the standard input of its hook; `store` writes
//! it down, one line an event, one file a session. [`HookReader`] reads such a file from its end and
//! follows it; the fold over its lines tells what the session does. [`survey`] finds the sessions that
//! left events. Interpreting is pure; only reading touches the disk, and nothing here writes.

mod attach;
mod find;
mod fold;
mod gate_call;
mod payload;
mod reader;
mod tool_input;

pub use attach::{HookReader, is_own_place};
pub use find::survey;
pub use fold::HookFold;
pub use gate_call::gate_call;
pub use payload::event_of;
