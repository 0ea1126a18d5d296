//! Reports when a process ends, without polling: the kernel makes a process's handle readable then
//! (`pidfd_open(2)`). If the kernel has no such handles, the slow pass notices the end.

use std::collections::BTreeMap;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::{Arc, Mutex, PoisonError};
use std::{io, thread};

use rustix::buffer::spare_capacity;
use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};
use rustix::event::{EventfdFlags, eventfd};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use super::{Inbox, WatchNews};
use crate::model::{Parts, ProcessId, WorkspaceId};

/// The queue number that orders the thread to end; watches have other numbers.
const END: u64 = 0;

/// The processes whose end is reported, and the thread that sleeps until one ends.
pub struct ProcessEnds {
    queue: Arc<OwnedFd>,
    end: OwnedFd,
    inbox: Inbox,
    watched: Arc<Mutex<Watched>>,
}

#[derive(Debug, Default)]
struct Watched {
    /// Counts up, so that no number is used twice; 0 means [`END`].
    last_number: u64,
    /// Dropping a handle removes it from the queue.
    processes: BTreeMap<u64, (WorkspaceId, ProcessId, OwnedFd)>,
}

impl ProcessEnds {
    /// Starts the thread. The end of a process goes to `inbox` as a change of its workspace's [`Parts::WORDS`].
    ///
    /// # Errors
    /// The system cannot create the queue or the thread.
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

    /// Watches these processes for `workspace` instead of the earlier ones. One that has already ended or does
    /// not exist is reported at once.
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
                // It ended after the read that named it.
                Err(Errno::SRCH) => {
                    self.inbox.put(WatchNews::changed(workspace.clone(), Parts::WORDS));
                    continue;
                }
                // No such facility, or no room for more handles: the slow pass notices the end.
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
        // A failure does no harm: the thread ends with the program.
        let _ = rustix::io::write(&self.end, &1_u64.to_ne_bytes());
    }
}

/// A handle for the process with this id. The id may meanwhile belong to another process: the read that follows
/// its end compares start times, so a wrong handle costs only one extra read.
fn open(process: ProcessId) -> Result<OwnedFd, Errno> {
    let pid = i32::try_from(process.pid).ok().and_then(Pid::from_raw).ok_or(Errno::INVAL)?;
    pidfd_open(pid, PidfdFlags::empty())
}

/// Sleeps until a process ends, reports it and forgets it; returns when ordered to end.
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
                inbox.put(WatchNews::changed(workspace, Parts::WORDS));
            }
        }
    }
}
