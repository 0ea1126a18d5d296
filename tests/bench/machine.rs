//! Facts about the machine and about processes, from procfs.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, Result};

/// Prints cores, processor and load, so that a table can be judged later.
pub(crate) fn print_facts() {
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').take(3).collect::<Vec<_>>().join(" ");
    let processors = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = processors
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(':'))
        .map_or("unknown processor", |(_, model)| model.trim());
    println!("machine: {cores} cores, {model}, load {load} (1, 5, 15 minutes)");
    println!("with a load near the number of cores, wall times are noise: look at ratios, counts and CPU");
}

/// What a process has used since it began, over all its threads that still live.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Usage {
    /// Voluntary context switches: the times it went to sleep, so one for each wake-up.
    pub(crate) n_switches: u64,
    /// CPU time as the scheduler counts it.
    pub(crate) cpu: Duration,
}

impl Usage {
    /// Reads it.
    pub(crate) fn of(pid: u32) -> Result<Usage> {
        let mut usage = Usage { n_switches: 0, cpu: Duration::ZERO };
        for task in fs::read_dir(format!("/proc/{pid}/task"))? {
            let task = task?.path();
            let status = fs::read_to_string(task.join("status"))?;
            usage.n_switches += field(&status, "voluntary_ctxt_switches:")?;
            let schedstat = fs::read_to_string(task.join("schedstat"))?;
            let nanos = schedstat.split(' ').next().context("schedstat is empty")?;
            usage.cpu += Duration::from_nanos(nanos.parse()?);
        }
        Ok(usage)
    }

    /// What came after `before`.
    pub(crate) fn since(self, before: Usage) -> Usage {
        Usage {
            n_switches: self.n_switches.saturating_sub(before.n_switches),
            cpu: self.cpu.saturating_sub(before.cpu),
        }
    }
}

/// The proportional share of memory, in kB.
pub(crate) fn pss_kb(pid: u32) -> Result<u64> {
    field(&fs::read_to_string(format!("/proc/{pid}/smaps_rollup"))?, "Pss:")
}

/// How many threads a process has.
pub(crate) fn n_threads(pid: u32) -> Result<u64> {
    field(&fs::read_to_string(format!("/proc/{pid}/status"))?, "Threads:")
}

/// How many inotify watches a process has.
pub(crate) fn n_watches(pid: u32) -> Result<usize> {
    let mut count = 0;
    for entry in fs::read_dir(format!("/proc/{pid}/fdinfo"))? {
        let path: PathBuf = entry?.path();
        // A descriptor may be closed while the folder is read.
        let info = fs::read_to_string(path).unwrap_or_default();
        count += info.lines().filter(|line| line.starts_with("inotify wd:")).count();
    }
    Ok(count)
}

fn field(text: &str, name: &str) -> Result<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    let line = line.with_context(|| format!("procfs has no {name}"))?;
    let number = line.split_whitespace().next().context("no number")?;
    Ok(number.parse()?)
}
