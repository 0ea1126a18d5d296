//! Reads every workspace once and ends: for one-shot fronts. No watches, no runtime; two threads,
//! because collections wait for the disk as much as they compute.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use crate::agent::SurveyMemory;
use crate::evidence::Memory;
use crate::model::{CollectProblem, CollectRequest, Effect, Event, Timestamp, WorkspaceView};
use crate::monitor::Monitor;
use crate::store::Store;

use super::discover::{self, Known};
use super::{Launch, clock, collect};

/// How many collections run at once.
const N_WORKERS: usize = 2;

/// What one look at everything brought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judged {
    /// The workspaces, in no order.
    pub views: Vec<WorkspaceView>,
    /// Paths that are no workspace, each with the reason.
    pub refused: Vec<(PathBuf, String)>,
    /// What could not be remembered, in words.
    pub notices: Vec<String>,
}

/// Judges everything in the scope of `launch` once. Baselines found for the first time are
/// remembered. A workspace that does not answer within the configured limit is given up; its thread
/// is left behind, and the caller's process ends it.
pub fn judge_once(launch: &Launch) -> Judged {
    let mut notices = Vec::new();
    let store = open_store(launch, &mut notices);
    let remembered = store.as_ref().map(Store::baselines).transpose().unwrap_or_else(|error| {
        notices.push(error.to_string());
        None
    });
    let remembered = remembered.unwrap_or_default();
    notices.extend(remembered.notices);
    let mut monitor = Monitor::new(launch.config.policy(), launch.config.watch());
    let known = Known { baselines: remembered.baselines, with_older: false };
    let discovery = discover::discover(launch, &known, &mut SurveyMemory::default());
    notices.extend(discovery.problems);
    let mut run = Run::new(launch);
    let mut effects = monitor.update(discovery.event);
    let mut views = std::collections::BTreeMap::new();
    loop {
        for effect in effects.drain(..) {
            match effect {
                Effect::Collect(request) => run.start(*request),
                Effect::RememberBaseline { workspace, baseline } => {
                    if let Some(Err(error)) =
                        store.as_ref().map(|store| store.remember_baseline(&workspace, &baseline))
                    {
                        notices.push(error.to_string());
                    }
                }
                Effect::Watch { .. }
                | Effect::WatchProcesses { .. }
                | Effect::RecheckWatches
                | Effect::JumpToPane { .. }
                | Effect::Wake { .. } => {}
            }
        }
        for view in monitor.take_changes().views {
            views.insert(view.id.clone(), view);
        }
        match run.next() {
            Some(event) => effects = monitor.update(event),
            None => break,
        }
    }
    Judged { views: views.into_values().collect(), refused: monitor.refused().to_vec(), notices }
}

pub(super) fn open_store(launch: &Launch, notices: &mut Vec<String>) -> Option<Store> {
    let folder = launch.state_folder.as_ref()?;
    match Store::open(folder) {
        Ok(store) => Some(store),
        Err(error) => {
            notices.push(format!("nothing is remembered in this run: {error}"));
            None
        }
    }
}

/// The collections of one look.
struct Run<'a> {
    launch: &'a Launch,
    limit: Duration,
    queue: Arc<Mutex<VecDeque<CollectRequest>>>,
    running: Vec<(CollectRequest, Timestamp)>,
    n_queued: usize,
    answers: (Sender<Event>, Receiver<Event>),
    n_workers: usize,
}

impl<'a> Run<'a> {
    fn new(launch: &'a Launch) -> Run<'a> {
        Run {
            launch,
            limit: Duration::from_millis(launch.config.watch().collect_limit_ms),
            queue: Arc::default(),
            running: Vec::new(),
            n_queued: 0,
            answers: channel(),
            n_workers: 0,
        }
    }

    fn start(&mut self, request: CollectRequest) {
        self.running.push((request.clone(), clock::now()));
        self.queue.lock().unwrap_or_else(PoisonError::into_inner).push_back(request);
        self.n_queued += 1;
    }

    /// The next answer; `None` when nothing runs any more.
    fn next(&mut self) -> Option<Event> {
        while self.n_workers < N_WORKERS.min(self.running.len()) {
            self.spawn_worker();
        }
        while !self.running.is_empty() {
            match self.answers.1.recv_timeout(self.limit) {
                Ok(event) => {
                    if let Event::Collected { workspace, generation, .. } = &event {
                        let n_before = self.running.len();
                        self.running.retain(|(request, _)| {
                            &request.workspace != workspace || request.generation != *generation
                        });
                        // An answer that was given up before is no answer any more.
                        if self.running.len() < n_before {
                            return Some(event);
                        }
                    }
                }
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    // Every worker hangs: what each works on is given up, and others take over.
                    let (request, began) = self.running.remove(0);
                    self.n_workers = self.n_workers.saturating_sub(1);
                    if !self.running.is_empty() {
                        self.spawn_worker();
                    }
                    return Some(collect::answer(&request, began, Err(CollectProblem::TimedOut)));
                }
            }
        }
        None
    }

    fn spawn_worker(&mut self) {
        self.n_workers += 1;
        let queue = Arc::clone(&self.queue);
        let sender = self.answers.0.clone();
        let launch = self.launch.clone();
        thread::spawn(move || {
            loop {
                let next = queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
                let Some(request) = next else { break };
                let began = clock::now();
                let outcome = collect::perform(&request, &launch.surroundings(began), &mut Memory::default());
                if sender.send(collect::answer(&request, began, outcome)).is_err() {
                    break;
                }
            }
        });
    }
}
