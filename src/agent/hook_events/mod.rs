//! What agents reported to closeout's hook: the events of each session, and what follows from them.
//!
//! [`event_of`] makes an event from what an agent passes to its hook on standard input. `store` appends it,
//! one line per event and one file per session. [`HookReader`] reads such a file from its end and follows
//! it; the fold over its lines says what the session is doing. [`survey`] finds the sessions that left
//! events. Interpretation is pure; only reading touches the disk, and nothing here writes.

mod attach;
mod find;
mod fold;
mod payload;
mod tool_input;

pub use attach::{HookReader, is_own_place};
pub use find::survey;
pub use fold::HookFold;
pub use payload::{event_of, gate_call};
