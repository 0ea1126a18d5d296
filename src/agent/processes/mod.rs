//! The processes of agents on this machine according to `/proc` (proc(5)), and which of them belongs to a
//! session.
//!
//! One pass opens one small file per process, and more only for those that may be an agent's. A process is
//! identified by PID and start time, so a reused PID identifies another process. Sends no signals, and
//! draws no conclusions from what cannot be read.

mod recognise;
mod sockets;
mod table;

pub use sockets::{ends_connection, listening_ports};
pub(super) use table::line_of_parents;
pub use table::{AgentProcess, ProcessTable, Sought, is_agent_above, is_below};
