//! Runs a target: first all seeds, then inputs derived from them. Each is judged by the target's own check, by
//! processor time, and by memory if nothing else runs in the process.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

use super::mutation::{Random, mutated};
use super::targets::{Target, corpus};
use super::worlds::World;

/// The processor time that any input may take, plus a share per byte, in an unoptimised build on a busy
/// machine. Quadratic behaviour takes minutes for the longest inputs.
const TIME: Duration = Duration::from_millis(400);
const TIME_A_BYTE: Duration = Duration::from_micros(30);
/// How much one input may raise the process's peak memory, in bytes: 2,048 times the longest input.
const MEMORY: u64 = 128 << 20;
/// An input that takes longer than this hangs.
const PATIENCE: Duration = Duration::from_mins(1);

/// How long a target runs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Length {
    /// The maximum number of inputs besides the seeds.
    pub(crate) n_cases: u64,
    /// The maximum time, however few inputs that allows.
    pub(crate) time: Duration,
    /// Whether nothing else runs in this process, so that its memory use is that of the inputs.
    pub(crate) is_alone: bool,
}

/// The result of a run.
#[derive(Debug)]
pub(crate) struct Ran {
    /// The number of seeds from the corpus and the fixtures.
    pub(crate) n_seeds: usize,
    /// The number of inputs derived from them.
    pub(crate) n_cases: u64,
    /// The longest processor time of one input.
    pub(crate) slowest: Duration,
}

/// Runs a target with the random numbers of a seed. The error names what does not hold and where the input was
/// kept.
pub(crate) fn run(target: &'static Target, seed: u64, length: Length) -> Result<Ran, String> {
    let current = Arc::new(Mutex::new(Vec::new()));
    let (tell, told) = mpsc::channel();
    let inputs = Arc::clone(&current);
    let worker = std::thread::Builder::new()
        .name(target.name.to_owned())
        // The same size as in the engine's own threads, so that unbounded recursion over an input fails here.
        .stack_size(2 << 20)
        .spawn(move || drop(tell.send(all(target, seed, length, &inputs))))
        .map_err(|error| error.to_string())?;
    let patience = length.time.saturating_add(PATIENCE);
    let ran = match told.recv_timeout(patience) {
        Ok(ran) => ran,
        Err(RecvTimeoutError::Timeout) => Err("it hangs".to_owned()),
        Err(RecvTimeoutError::Disconnected) => {
            let _ = worker.join();
            Err("it panicked".to_owned())
        }
    };
    ran.map_err(|what| {
        let input = current.lock().unwrap_or_else(PoisonError::into_inner);
        format!("{}: {what}; the input is kept in {}", target.name, keep(target, &input).display())
    })
}

#[expect(clippy::disallowed_methods, reason = "a run ends by time")]
fn all(target: &Target, seed: u64, length: Length, current: &Mutex<Vec<u8>>) -> Result<Ran, String> {
    let seeds = seeds(target);
    let mut world = World::new();
    let mut ran = Ran { n_seeds: seeds.len(), n_cases: 0, slowest: Duration::ZERO };
    for (name, input) in &seeds {
        ran.slowest = ran.slowest.max(
            one(target, &mut world, input, current, length.is_alone)
                .map_err(|what| format!("{}: {what}", name.display()))?,
        );
    }
    let mut random = Random::new(seed, target.name.bytes().map(u64::from).sum());
    let begun = Instant::now();
    let empty = (PathBuf::new(), Vec::new());
    while ran.n_cases < length.n_cases && begun.elapsed() < length.time {
        let pick = |random: &mut Random| &seeds.get(random.below(seeds.len() + 1)).unwrap_or(&empty).1;
        let (first, second) = (pick(&mut random), pick(&mut random));
        let input = mutated(&mut random, first, second);
        ran.slowest = ran.slowest.max(one(target, &mut world, &input, current, length.is_alone)?);
        ran.n_cases += 1;
    }
    Ok(ran)
}

/// Feeds one input; returns the processor time it took.
fn one(
    target: &Target,
    world: &mut World,
    input: &[u8],
    current: &Mutex<Vec<u8>>,
    is_alone: bool,
) -> Result<Duration, String> {
    input.clone_into(&mut current.lock().unwrap_or_else(PoisonError::into_inner));
    let (memory, begun) = (most_memory(is_alone), time_of_processor());
    let read = catch_unwind(AssertUnwindSafe(|| (target.read)(world, input)));
    let took = time_of_processor().saturating_sub(begun);
    read.map_err(|_| "it panicked".to_owned())??;
    let n_bytes = u32::try_from(input.len()).unwrap_or(u32::MAX);
    if took > TIME + TIME_A_BYTE * n_bytes {
        return Err(format!("{n_bytes} bytes took {took:?}"));
    }
    let more = most_memory(is_alone).saturating_sub(memory);
    if more > MEMORY {
        return Err(format!("{n_bytes} bytes took {} MB", more >> 20));
    }
    Ok(took)
}

#[expect(clippy::disallowed_methods, reason = "what other processes take does not count")]
fn time_of_processor() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// The peak memory of this process so far, in bytes.
fn most_memory(is_alone: bool) -> u64 {
    if !is_alone {
        return 0;
    }
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok()).unwrap_or(0) << 10
}

/// The seeds with their paths, sorted by name.
fn seeds(target: &Target) -> Vec<(PathBuf, Vec<u8>)> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut paths = vec![corpus(target)];
    paths.extend(target.seeds.iter().map(|name| tests.join(name)));
    let mut found = Vec::new();
    while let Some(path) = paths.pop() {
        if path.is_dir() {
            paths.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
        } else if let Ok(content) = fs::read(&path) {
            found.push((path, content));
        }
    }
    found.sort();
    found
}

/// Keeps an input for inspection; returns its path.
fn keep(target: &Target, input: &[u8]) -> PathBuf {
    let path = std::env::temp_dir().join(format!("closeout-fuzz-{}-{}", target.name, input.len()));
    // If it cannot be kept, the seed of the run reproduces it.
    let _ = fs::write(&path, input);
    path
}
