//! What came of the checks: passed, failed, or skipped with a loud line. It runs them one after another and
//! decides nothing about what they look at.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use anyhow::Result;

/// From when on no group is begun: `.ci/run` gives all of it twelve minutes, and a slow machine is no fault of the program.
const LAST_LOOK: Duration = Duration::from_mins(8);
/// From when on nothing is looked at twice.
const LAST_SECOND_LOOK: Duration = Duration::from_mins(7);
/// From when on no check is begun, not even in the middle of a group: one check waits for a few minutes at most.
const LAST_CHECK: Duration = Duration::from_mins(9);

/// Why a check was not made, as an error, so that it can come from any depth.
#[derive(Debug)]
pub(crate) struct Skip(pub(crate) String);

impl std::fmt::Display for Skip {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Skip {}

/// An error that makes the check one that was skipped.
pub(crate) fn skip(reason: impl Into<String>) -> anyhow::Error {
    anyhow::Error::new(Skip(reason.into()))
}

/// What came of all checks.
#[derive(Debug)]
pub(crate) struct Tally {
    /// When the first of all checks began.
    pub(crate) begun: Instant,
    n_passed: usize,
    skipped: Vec<String>,
    failed: Vec<String>,
    /// What failed in one of two looks at a group.
    failed_once: Vec<String>,
    measured: Vec<String>,
}

impl Tally {
    /// Nothing has been checked yet, and the time is measured from `begun`.
    pub(crate) fn new(begun: Instant) -> Tally {
        Tally {
            begun,
            n_passed: 0,
            skipped: Vec::new(),
            failed: Vec::new(),
            failed_once: Vec::new(),
            measured: Vec::new(),
        }
    }

    /// Makes one check, and says what came of it. True if it passed.
    pub(crate) fn check(&mut self, group: &str, name: &str, make: impl FnOnce() -> Result<()>) -> bool {
        if self.begun.elapsed() > LAST_CHECK {
            self.skip(&format!("{group}: {name}"), "no time is left for it");
            return false;
        }
        let begun = Instant::now();
        let outcome = catch_unwind(AssertUnwindSafe(make))
            .unwrap_or_else(|panic| Err(anyhow::anyhow!("panicked: {}", words_of(panic.as_ref()))));
        let seconds = begun.elapsed().as_secs_f32();
        match outcome {
            Ok(()) => {
                self.n_passed += 1;
                println!("ok       {group}: {name} ({seconds:.1} s)");
                true
            }
            Err(error) => {
                if let Some(Skip(reason)) = error.downcast_ref::<Skip>() {
                    self.skip(&format!("{group}: {name}"), reason);
                } else {
                    println!("FAILED   {group}: {name} ({seconds:.1} s)\n         {error:#}");
                    self.failed.push(format!("{group}: {name}"));
                }
                false
            }
        }
    }

    /// Makes a group of checks, and all of it once more, from its beginning, if one of them fails: the clients are
    /// other people's programs, and on a busy machine they lose a key now and then. What fails in both looks
    /// has failed. What failed in one look only is told at the end; so is what there was no time to look at
    /// again, which counts as not checked.
    pub(crate) fn look_twice(&mut self, group: &str, look: impl Fn(&mut Tally)) {
        if self.begun.elapsed() > LAST_LOOK {
            self.skip(group, "no time is left for it");
            return;
        }
        let mut first = Tally::new(self.begun);
        look(&mut first);
        if first.failed.is_empty() {
            self.add(first);
            return;
        }
        if self.begun.elapsed() > LAST_SECOND_LOOK {
            for name in std::mem::take(&mut first.failed) {
                first.skip(&name, "it failed, and no time is left to look again");
            }
            self.add(first);
            return;
        }
        println!("again    {group}: {} failed, so all of it is checked once more", first.failed.len());
        let mut second = Tally::new(self.begun);
        look(&mut second);
        self.add(second.after(first));
    }

    /// The second look at a group: only what failed in the first one too has failed.
    fn after(mut self, first: Tally) -> Tally {
        let (both, second): (Vec<_>, Vec<_>) =
            self.failed.drain(..).partition(|name| first.failed.contains(name));
        let once = first.failed.into_iter().filter(|name| !both.contains(name)).chain(second);
        self.failed_once.extend(once);
        self.failed = both;
        self
    }

    fn add(&mut self, mut other: Tally) {
        self.n_passed += other.n_passed;
        self.skipped.append(&mut other.skipped);
        self.failed.append(&mut other.failed);
        self.failed_once.append(&mut other.failed_once);
        self.measured.append(&mut other.measured);
    }

    /// Says that something was not checked, and why.
    pub(crate) fn skip(&mut self, what: &str, reason: &str) {
        eprintln!("SKIPPED real agents: {what}: {reason}");
        self.skipped.push(format!("{what}: {reason}"));
    }

    /// Keeps a measured time for the table at the end.
    pub(crate) fn measured(&mut self, line: String) {
        println!("measured {line}");
        self.measured.push(line);
    }

    /// Prints what came of all, the counts in the last line. True if nothing failed, and nothing that had
    /// to be checked was skipped.
    pub(crate) fn conclude(&self, is_required: bool) -> bool {
        if !self.measured.is_empty() {
            println!("\nFrom the agent's own change to the line of `status --follow`:");
            self.measured.iter().for_each(|line| println!("  {line}"));
        }
        for name in &self.failed_once {
            println!("once     {name}: failed in one of two looks");
        }
        for name in &self.failed {
            println!("FAILED   {name}");
        }
        for what in &self.skipped {
            eprintln!("SKIPPED real agents: {what}");
        }
        if is_required && !self.skipped.is_empty() {
            eprintln!("CLOSEOUT_REAL_AGENTS=required, and {} skipped", self.skipped.len());
        }
        let n_checked = self.n_passed + self.failed.len();
        println!(
            "real agents: {n_checked} checked, {} failed, {} skipped",
            self.failed.len(),
            self.skipped.len()
        );
        self.failed.is_empty() && (self.skipped.is_empty() || !is_required)
    }
}

fn words_of(panic: &(dyn std::any::Any + Send)) -> &str {
    panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("without words")
}
