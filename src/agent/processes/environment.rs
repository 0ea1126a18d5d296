//! What the environment of a process tells: the tmux server in which it was started, and whether it is a look of
//! closeout's own. All else in it is passed over: it holds secrets.

use std::fs::File;
use std::io::Read as _;
use std::path::PathBuf;

use crate::agent::commands::LOOK;
use crate::model::ProcessId;

/// How much of an environment is read, in bytes; the variable stands near its begin or its end.
const LONGEST_ENVIRONMENT: u64 = 1 << 20;

/// The socket of the server in whose pane the process was started, by its `TMUX` variable.
pub fn tmux_socket(process: ProcessId) -> Option<PathBuf> {
    socket_in(&environment(process.pid)?)
}

/// Whether a closeout started this process to look into a session ([`LOOK`]); false where that cannot be read.
pub(in crate::agent) fn is_look(pid: u32) -> bool {
    let is_mark =
        |variable: &[u8]| variable.strip_prefix(LOOK.as_bytes()).is_some_and(|rest| rest.starts_with(b"="));
    environment(pid).is_some_and(|environment| environment.split(|byte| *byte == 0).any(is_mark))
}

fn environment(pid: u32) -> Option<Vec<u8>> {
    let mut environment = Vec::new();
    let file = File::open(format!("/proc/{pid}/environ")).ok()?;
    file.take(LONGEST_ENVIRONMENT).read_to_end(&mut environment).ok()?;
    Some(environment)
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
