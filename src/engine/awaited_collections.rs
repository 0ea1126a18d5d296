//! The collections of [`super::OneShot`], which waits for the next answer and needs no runtime: on a few threads, each
//! with a limit, so that a workspace that hangs delays no other one. Nothing is kept between them, as hardly any
//! workspace is read twice.
//!
//! It must not judge, and must not wait for what it has given up.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use crate::evidence::CollectContext;
use crate::model::{CollectProblem, CollectRequest, Event, Timestamp, WorkspaceId};
use crate::process::Budget;

use super::long_wait::{LongWait, TOLD_AFTER_MS, TellWait};
use super::suspicion::{self, SUSPECTED_AFTER_MS};
use super::{EngineConfig, clock, collect};

/// The number of collections that run at once.
const N_WORKERS: usize = 2;
/// A collection that takes longer, in milliseconds, no longer counts as one of them, so that a workspace that hangs
/// delays no other one.
const UNCOUNTED_AFTER_MS: i64 = 250;
/// The number of threads at most: more would slow each other down until all seem to hang.
const MAX_WORKERS: usize = 8;

/// The collections that wait or run, and what the workers tell.
pub(super) struct AwaitedCollections<'a> {
    config: &'a EngineConfig,
    queue: Arc<Mutex<VecDeque<(CollectRequest, Budget)>>>,
    running: Vec<Running>,
    /// What programs may still lose in each workspace.
    budgets: BTreeMap<WorkspaceId, Budgets>,
    /// Reports a long wait to a person, and the workspaces for which that was done.
    tell: TellWait,
    waited_for: BTreeSet<WorkspaceId>,
    news: Receiver<News>,
    news_sender: Sender<News>,
    /// The number of workers that serve the queue. A worker lowers it while it holds the queue's lock, so no
    /// request is left without one.
    n_workers: Arc<AtomicUsize>,
}

/// What programs may lose in a workspace.
struct Budgets {
    /// In its collections and actions, all together.
    whole: Budget,
    /// In its collections: the part of the whole that leaves the rest to an action.
    reading: Budget,
}

/// A collection that has no answer yet.
struct Running {
    request: CollectRequest,
    requested_at: Timestamp,
    /// When a worker took it.
    begun_at: Option<Timestamp>,
    budget: Budget,
    /// Whether somebody looks for what it may be waiting for, or has looked.
    is_suspected: bool,
}

/// What a worker tells about the collection of a workspace with this generation.
enum News {
    Begun(WorkspaceId, u64, Timestamp),
    WaitsInVain(WorkspaceId, u64),
    Answered(Event),
}

impl Running {
    fn has_run_for(&self, now: Timestamp) -> i64 {
        self.begun_at.map_or(0, |begun_at| now.millis_since(begun_at))
    }
}

impl<'a> AwaitedCollections<'a> {
    pub(super) fn new(config: &'a EngineConfig, tell: TellWait) -> AwaitedCollections<'a> {
        let (news_sender, news) = channel();
        AwaitedCollections {
            config,
            tell,
            waited_for: BTreeSet::new(),
            queue: Arc::default(),
            running: Vec::new(),
            budgets: BTreeMap::new(),
            news,
            news_sender,
            n_workers: Arc::default(),
        }
    }

    /// Requests a collection.
    pub(super) fn start(&mut self, request: CollectRequest) {
        let (budget, requested_at) = (self.budgets(&request.workspace).reading.clone(), clock::now());
        let asked = (request.clone(), budget.clone());
        self.running.push(Running { request, requested_at, begun_at: None, budget, is_suspected: false });
        self.queue.lock().unwrap_or_else(PoisonError::into_inner).push_back(asked);
    }

    /// What the programs of an action in a workspace may lose: what its collections have left.
    pub(super) fn budget(&mut self, workspace: &WorkspaceId) -> Budget {
        self.budgets(workspace).whole.clone()
    }

    fn budgets(&mut self, workspace: &WorkspaceId) -> &mut Budgets {
        let most = self.config.may_lose();
        self.budgets.entry(workspace.clone()).or_insert_with(|| {
            let whole = Budget::default();
            Budgets { reading: whole.part(most), whole }
        })
    }

    /// The next answer; `None` when nothing is running.
    pub(super) fn next(&mut self) -> Option<Event> {
        while !self.running.is_empty() {
            let now = clock::now();
            self.tell_waits(now);
            self.suspect(now);
            let limit = self.limit_ms();
            if let Some(late) = self.running.iter().position(|it| it.has_run_for(now) >= limit) {
                return Some(self.give_up(late));
            }
            if let Err(error) = self.start_workers(now) {
                return self.without_workers(&error);
            }
            let answer = match self.news.recv_timeout(self.until_next_step(now)) {
                Ok(news) => self.take(news),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => None,
            };
            if answer.is_some() {
                return answer;
            }
        }
        None
    }

    /// How long an attempt may take, in milliseconds.
    fn limit_ms(&self) -> i64 {
        i64::try_from(self.config.attempt_limit().as_millis()).unwrap_or(i64::MAX)
    }

    /// Starts the workers that are missing. An error if there is none at all.
    fn start_workers(&self, now: Timestamp) -> io::Result<()> {
        let n_slow = self.running.iter().filter(|it| it.has_run_for(now) >= UNCOUNTED_AFTER_MS).count();
        let n_wanted = (N_WORKERS + n_slow).min(MAX_WORKERS).min(self.running.len());
        while self.n_workers.load(Ordering::SeqCst) < n_wanted {
            if let Err(error) = self.spawn_worker() {
                let is_served = self.n_workers.load(Ordering::SeqCst) > 0;
                return if is_served { Ok(()) } else { Err(error) };
            }
        }
        Ok(())
    }

    /// How long there is nothing to do about any collection, unless a worker tells something.
    fn until_next_step(&self, now: Timestamp) -> Duration {
        let limit = self.limit_ms();
        let until_step = |it: &Running| {
            let has_run_for = it.has_run_for(now);
            let steps = [UNCOUNTED_AFTER_MS, SUSPECTED_AFTER_MS, TOLD_AFTER_MS];
            let ahead = steps.into_iter().find(|step| has_run_for < *step);
            ahead.unwrap_or(limit).min(limit) - has_run_for
        };
        let next_step = self.running.iter().map(until_step).min().unwrap_or(UNCOUNTED_AFTER_MS);
        Duration::from_millis(next_step.max(1).unsigned_abs())
    }

    /// Takes what a worker tells; returns the answer to a collection, if that is one. News of a collection that was
    /// already given up is dropped.
    fn take(&mut self, news: News) -> Option<Event> {
        match news {
            News::Begun(workspace, generation, begun_at) => {
                let index = self.index(&workspace, generation)?;
                self.running[index].begun_at = Some(begun_at);
                None
            }
            News::WaitsInVain(workspace, generation) => {
                let index = self.index(&workspace, generation)?;
                Some(self.give_up(index))
            }
            News::Answered(event) => {
                let Event::Collected { workspace, generation, .. } = &event else { return None };
                let index = self.index(workspace, *generation)?;
                self.running.remove(index);
                Some(event)
            }
        }
    }

    /// Tells of each reading that takes long by now. A second attempt belongs to the same reading.
    fn tell_waits(&mut self, now: Timestamp) {
        for running in self.running.iter().filter(|it| it.has_run_for(now) >= TOLD_AFTER_MS) {
            let workspace = &running.request.workspace;
            if self.waited_for.insert(workspace.clone()) {
                let limit = self.config.collect_limit();
                (self.tell)(&LongWait { workspace: workspace.clone(), action: None, limit });
            }
        }
    }

    /// Has somebody look for what each collection that takes long by now may be waiting for, beside this thread: that can
    /// take long, too.
    fn suspect(&mut self, now: Timestamp) {
        let is_one = |it: &&mut Running| !it.is_suspected && it.has_run_for(now) >= SUSPECTED_AFTER_MS;
        for running in self.running.iter_mut().filter(is_one) {
            running.is_suspected = true;
            let (request, home) = (running.request.clone(), self.config.home.clone());
            let sender = self.news_sender.clone();
            // Without a thread for it, the limit ends the collection.
            let _ = thread::Builder::new().spawn(move || {
                if suspicion::waits_in_vain(&request, home.as_deref()) {
                    // Sending fails only after the command has ended.
                    let _ = sender.send(News::WaitsInVain(request.workspace, request.generation));
                }
            });
        }
    }

    fn index(&self, workspace: &WorkspaceId, generation: u64) -> Option<usize> {
        self.running
            .iter()
            .position(|it| it.request.workspace == *workspace && it.request.generation == generation)
    }

    /// Gives a collection up: its programs end, and its thread is abandoned.
    fn give_up(&mut self, index: usize) -> Event {
        let Running { request, requested_at, begun_at, budget, .. } = self.running.remove(index);
        one_less(&self.n_workers);
        let budgets = self.budgets(&request.workspace);
        budgets.reading = budgets.whole.part(budget.left());
        budget.close();
        collect::answer(&request, begun_at.unwrap_or(requested_at), Err(CollectProblem::TimedOut))
    }

    /// Fails the oldest request, since no worker can be started.
    fn without_workers(&mut self, error: &io::Error) -> Option<Event> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        let Running { request, requested_at, .. } = self.running.drain(..1).next()?;
        let problem = CollectProblem::Broke(format!("no thread can be started: {error}"));
        Some(collect::answer(&request, requested_at, Err(problem)))
    }

    fn spawn_worker(&self) -> io::Result<()> {
        self.n_workers.fetch_add(1, Ordering::SeqCst);
        let n_workers = Arc::clone(&self.n_workers);
        let queue = Arc::clone(&self.queue);
        let sender = self.news_sender.clone();
        let config = self.config.clone();
        let started = thread::Builder::new().spawn(move || {
            widen_heap();
            let mut memory = collect::Memory::for_once();
            loop {
                let mut waiting = queue.lock().unwrap_or_else(PoisonError::into_inner);
                let Some((request, budget)) = waiting.pop_front() else {
                    // A later request gets a new worker.
                    one_less(&n_workers);
                    break;
                };
                drop(waiting);
                let began = clock::now();
                let context = CollectContext { budget, ..config.collect_context(began) };
                if sender.send(News::Begun(request.workspace.clone(), request.generation, began)).is_err() {
                    break;
                }
                let outcome = collect::perform(&request, &context, config.catalog, &mut memory);
                memory = collect::Memory::for_once_after(memory);
                if sender.send(News::Answered(collect::answer(&request, began, outcome))).is_err() {
                    break;
                }
            }
        });
        started.map(drop).inspect_err(|_| one_less(&self.n_workers))
    }
}

/// What a collection of a small workspace needs of a thread's heap, in bytes.
const HEAP: usize = 1400 << 10;

/// Allocates at once what a collection needs of this thread's heap, and frees it again: the C library grows
/// any heap but the first one page at a time, with a system call for each.
fn widen_heap() {
    // A large block does not come from the heap, until one that was larger has been freed.
    for size in [HEAP + (64 << 10), HEAP] {
        drop(std::hint::black_box(Vec::<u8>::with_capacity(size)));
    }
}

/// Counts one worker less. A worker that was given up may be counted again when it ends after all.
fn one_less(n_workers: &AtomicUsize) {
    let _ = n_workers.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |n| n.checked_sub(1));
}
