//! What closeout does when it is started as a guardian: it waits until the closeout that started it has
//! ended, by whatever signal, and then ends the children that this one left behind.
//!
//! A process killed with SIGKILL cannot end its children, and the kernel's own way (`PR_SET_PDEATHSIG`)
//! reaches a child only through `unsafe` code or one more program in between, and never what that child
//! started. It must not end anything that does not carry its closeout's mark.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::ffi::OsStrExt as _;
use std::process::ExitCode;
use std::thread;

use rustix::fs::FileType;
use rustix::process::Signal;

use super::clock::now;
use super::{BETWEEN_ROUNDS, GRACE, KILLING, descendants};

/// The first argument, which appears in no help text.
pub(super) const ARGUMENT: &str = "__guardian";
/// A child was started.
pub(super) const BEGUN: u8 = b'+';
/// A child has ended and was reaped.
pub(super) const ENDED: u8 = b'-';

/// Guards the children marked with `mark`, of the process at the other end of standard input.
pub(super) fn run(mark: Option<&OsStr>) -> ExitCode {
    match mark.map(guard) {
        Some(Ok(())) => ExitCode::SUCCESS,
        None | Some(Err(_)) => ExitCode::FAILURE,
    }
}

fn guard(mark: &OsStr) -> io::Result<()> {
    let news = rustix::stdio::stdin();
    if FileType::from_raw_mode(rustix::fs::fstat(news)?.st_mode) != FileType::Fifo {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    if n_left(File::from(news.try_clone_to_owned()?)) != 0 {
        end_all(mark);
    }
    Ok(())
}

/// Follows the news until their writer is gone. Returns how many more children have begun than ended.
fn n_left(mut news: File) -> i64 {
    let (mut n_left, mut buffer) = (0, [0_u8; 1024]);
    loop {
        match news.read(&mut buffer) {
            Ok(0) => return n_left,
            Ok(n_read) => {
                for sign in &buffer[..n_read] {
                    n_left += i64::from(*sign == BEGUN) - i64::from(*sign == ENDED);
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            // Better one look too many.
            Err(_) => return -1,
        }
    }
}

/// Asks every marked process to end, and kills what does not.
fn end_all(mark: &OsStr) {
    let own = rustix::process::getpid().as_raw_nonzero().get().cast_unsigned();
    let began = now();
    let mut is_asked = false;
    // The writing end of the pipe was open in a child until that child carried its mark, so all of them can be
    // found now.
    loop {
        let left = descendants::left_behind(own, mark.as_bytes());
        if left.is_empty() || began.elapsed() > GRACE + 2 * KILLING {
            return;
        }
        // Git removes its locks first, which takes a moment on a busy machine.
        let signal = if began.elapsed() < KILLING { Signal::TERM } else { Signal::KILL };
        for process in left {
            if signal == Signal::KILL || !is_asked {
                descendants::signal(process, signal);
            }
        }
        is_asked = true;
        thread::sleep(BETWEEN_ROUNDS);
    }
}
