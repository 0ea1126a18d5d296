//! The tmux server in which a process was started.

use std::fs::File;
use std::io::Read as _;
use std::path::PathBuf;

use crate::model::ProcessId;

/// How much of an environment is read, in bytes; the variable stands near its begin or its end.
const LONGEST_ENVIRONMENT: u64 = 1 << 20;

/// The socket of the server in whose pane the process was started, by its `TMUX` variable. All else in
/// its environment is passed over: it holds secrets.
pub fn tmux_socket(process: ProcessId) -> Option<PathBuf> {
    let mut environment = Vec::new();
    let file = File::open(format!("/proc/{}/environ", process.pid)).ok()?;
    file.take(LONGEST_ENVIRONMENT).read_to_end(&mut environment).ok()?;
    socket_in(&environment)
}

/// `TMUX` is the socket's path, the server's process and a number, with commas between (tmux(1)).
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
