//! Reads the environment of a process for two things: the tmux server it was started in, and whether it is
//! one of closeout's own probes. Everything else in it is ignored, because it contains secrets.

use std::path::PathBuf;

use crate::agent::commands::LOOK;
use crate::agent::process_stat::read_kernel_file;
use crate::model::ProcessId;

/// How much of an environment is read, in bytes. The variables are near its start or its end.
const LONGEST_ENVIRONMENT: u64 = 1 << 20;

/// The socket of the tmux server in whose pane the process was started, from its `TMUX` variable.
pub fn tmux_socket(process: ProcessId) -> Option<PathBuf> {
    socket_in(&environment(process.pid)?)
}

/// Whether closeout started this process as a probe ([`LOOK`]). False if that cannot be read.
pub(in crate::agent) fn is_look(pid: u32) -> bool {
    let is_mark =
        |variable: &[u8]| variable.strip_prefix(LOOK.as_bytes()).is_some_and(|rest| rest.starts_with(b"="));
    environment(pid).is_some_and(|environment| environment.split(|byte| *byte == 0).any(is_mark))
}

fn environment(pid: u32) -> Option<Vec<u8>> {
    read_kernel_file(&format!("/proc/{pid}/environ"), LONGEST_ENVIRONMENT).ok()
}

/// The socket's path in the value of `TMUX`, which is that path, the server's PID and a number, separated
/// by commas (tmux(1)).
fn socket_in(environment: &[u8]) -> Option<PathBuf> {
    let mut variables = environment.split(|byte| *byte == 0);
    let value = variables.find_map(|variable| variable.strip_prefix(b"TMUX="))?;
    let mut parts = std::str::from_utf8(value).ok()?.rsplitn(3, ',');
    let (_number, _server, socket) = (parts.next()?, parts.next()?, PathBuf::from(parts.next()?));
    socket.is_absolute().then_some(socket)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_socket_is_read_and_nothing_else() {
        let socket = |environment: &str| socket_in(environment.as_bytes());
        let told = "KEY=secret\0TMUX=/tmp/tmux-1000/a,b,815,0\0HOME=/home/user\0";
        assert_eq!(socket(told), Some(PathBuf::from("/tmp/tmux-1000/a,b")));
        assert_eq!(socket("XTMUX=/a,1,0\0TMUX=relative,1,0\0"), None);
        assert_eq!(socket("TMUX=\0"), None);
    }
}
