//! Reports when a process ends, without polling: the kernel's handle for a process becomes readable then
//! (`pidfd_open(2)`). If the kernel has no such handles, the slow pass finds out.

use std::collections::BTreeMap;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::{Arc, Mutex, PoisonError};
use std::{io, thread};

use rustix::buffer::spare_capacity;
use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};
use rustix::event::{EventfdFlags, eventfd};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use super::{Inbox, WatchEvent};
use crate::model::{Parts, ProcessId, WorkspaceId};

/// Stands for the order to end, in place of a number of a watch.
const END: u64 = 0;

/// The processes whose end is told, and the thread that sleeps until one ends.
pub struct ProcessEnds {
    queue: Arc<OwnedFd>,
    end: OwnedFd,
    inbox: Inbox,
    watched: Arc<Mutex<Watched>>,
}

#[derive(Debug, Default)]
struct Watched {
    /// Counts up; 0 is none.
    last_number: u64,
    /// Dropping a handle takes it out of the queue.
    processes: BTreeMap<u64, (WorkspaceId, ProcessId, OwnedFd)>,
}

impl ProcessEnds {
    /// Starts the thread. What ends is told to `inbox` as a change of the words of its workspace.
    ///
    /// # Errors
    /// The system gives no queue, or no thread.
    pub fn start(inbox: Inbox) -> io::Result<ProcessEnds> {
        let queue = Arc::new(epoll::create(CreateFlags::CLOEXEC)?);
        let end = eventfd(0, EventfdFlags::CLOEXEC)?;
        epoll::add(&queue, &end, EventData::new_u64(END), EventFlags::IN)?;
        let watched = Arc::<Mutex<Watched>>::default();
        let (its_queue, its_watched) = (Arc::clone(&queue), Arc::clone(&watched));
        let its_inbox = inbox.clone();
        thread::Builder::new()
            .name("process ends".to_owned())
            .spawn(move || tell_ends(&its_queue, &its_watched, &its_inbox))?;
        Ok(ProcessEnds { queue, end, inbox, watched })
    }

    /// Watches these processes for `workspace` instead of those before. One that has ended already, or is
    /// not there any more, is told at once.
    pub fn watch(&self, workspace: &WorkspaceId, processes: &[ProcessId]) {
        let mut watched = self.watched.lock().unwrap_or_else(PoisonError::into_inner);
        let is_kept = |of: &WorkspaceId, process: &ProcessId| of != workspace || processes.contains(process);
        watched.processes.retain(|_, (of, process, _)| is_kept(of, process));
        for process in processes {
            let is_known =
                watched.processes.values().any(|(of, known, _)| of == workspace && known == process);
            if is_known {
                continue;
            }
            let handle = match open(*process) {
                Ok(handle) => handle,
                // It ended between the reading that named it and this.
                Err(Errno::SRCH) => {
                    self.inbox.put(WatchEvent::Changed { workspace: workspace.clone(), parts: Parts::WORDS });
                    continue;
                }
                // No such facility, or no room for more handles: the slow pass finds out.
                Err(_) => continue,
            };
            watched.last_number += 1;
            let number = watched.last_number;
            if epoll::add(&*self.queue, handle.as_fd(), EventData::new_u64(number), EventFlags::IN).is_ok() {
                watched.processes.insert(number, (workspace.clone(), *process, handle));
            }
        }
    }
}

impl Drop for ProcessEnds {
    fn drop(&mut self) {
        // Nothing to do where it fails: the thread ends with the program.
        let _ = rustix::io::write(&self.end, &1_u64.to_ne_bytes());
    }
}

/// A handle on the process with this number. It may be another process than the one that was meant: the
/// reading that follows its end compares the start, so a wrong one costs one look too many.
fn open(process: ProcessId) -> Result<OwnedFd, Errno> {
    let pid = i32::try_from(process.pid).ok().and_then(Pid::from_raw).ok_or(Errno::INVAL)?;
    pidfd_open(pid, PidfdFlags::empty())
}

/// Sleeps until a process ends, tells it, and forgets it; until the end is ordered.
fn tell_ends(queue: &OwnedFd, watched: &Mutex<Watched>, inbox: &Inbox) {
    let mut events = Vec::with_capacity(16);
    loop {
        events.clear();
        match epoll::wait(queue, spare_capacity(&mut events), None) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => {
                tracing::error!("the ends of processes are not told any more: {error}");
                return;
            }
        }
        for event in &events {
            let number = event.data.u64();
            if number == END {
                return;
            }
            let ended = watched.lock().unwrap_or_else(PoisonError::into_inner).processes.remove(&number);
            if let Some((workspace, ..)) = ended {
                inbox.put(WatchEvent::Changed { workspace, parts: Parts::WORDS });
            }
        }
    }
}
