//! The processes of agents on this machine according to `/proc` (proc(5)), and which of them belongs to a
//! session.
//!
//! One pass opens one small file per process, and more only for those that may be an agent's. A process is
//! identified by PID and start time, so a reused PID identifies another process. Sends no signals, and
//! draws no conclusions from what cannot be read.

mod environment;
mod lineage;
mod recognise;
mod sockets;
mod table;

pub(super) use environment::is_look;
pub use environment::tmux_socket;
pub(super) use lineage::line_of_parents;
pub use lineage::{is_agent_above, is_below};
pub use sockets::{ends_connection, listening_ports};
pub use table::{AgentProcess, ProcessTable, Sought};
