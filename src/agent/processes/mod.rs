//! The processes of agents on this machine, as `/proc` tells of them (proc(5)), and which of them is a
//! session's.
//!
//! One pass opens one small file for each process, and more only for those that can be an agent's. A
//! process is named by its number and its start, so that a number that is used again names another. It
//! signals nothing, and takes what it cannot read for a reason to say nothing.

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
