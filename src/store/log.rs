//! The log: one file per day in the state folder, readable by this user only, limited in size, and never
//! written to the screen.
//!
//! The files are not written by `tracing_appender::rolling`, which makes them readable by others, follows
//! links, has no size limit and reports its own failures on stderr, where the screen is. Its deletion of
//! old files (`max_log_files`) is reimplemented here, by name. Its background writer thread is used.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::thread;

use tracing::Subscriber;
use tracing::level_filters::LevelFilter;
use tracing_appender::non_blocking::{NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt;

use crate::model::display_text;

use super::StoreError;
use super::folder::own_folder;
use crate::disk::write::{is_removed, open_to_append};

/// How many days are kept, today included.
const MAX_FILES: usize = 5;

/// The largest file, in bytes. Further lines of that day are dropped.
const MAX_FILE: u64 = 8 << 20;

/// The longest line, in characters.
const MAX_LINE: usize = 4_000;

/// How many lines wait for the disk at most; a thread that logs more has to wait. Their memory is reserved
/// at the start: the crate's default of 128,000 lines takes 5 MB and several milliseconds.
const MAX_WAITING_LINES: usize = 1_024;

/// The parts before and after the day in a file name.
const PREFIX: &str = "closeout.";
const SUFFIX: &str = ".log";

/// The name of the folder with the log files, inside the state folder.
const LOG: &str = "log";

/// Keeps the log running. Everything logged until it is dropped is then on disk.
#[derive(Debug)]
#[must_use = "dropping it ends the log"]
pub struct LogGuard {
    _worker: Option<WorkerGuard>,
}

/// Starts the log of this process below the state folder, which is created (0700) if missing. It contains closeout's
/// events at `level` and more severe ones, and warnings at most from other crates.
///
/// # Errors
/// The folder, today's file or the writer's thread cannot be created, or the log was started before.
pub fn start(state: &Path, level: LevelFilter) -> Result<LogGuard, StoreError> {
    if level == LevelFilter::OFF {
        return Ok(LogGuard { _worker: None });
    }
    let (subscriber, guard) = subscriber(state, level)?;
    tracing::subscriber::set_global_default(subscriber).map_err(|_| StoreError::LogStarted)?;
    Ok(guard)
}

/// Starts the log of a command that ends soon. Each line is written at once, without a thread; folder and file are
/// created for the first line.
///
/// # Errors
/// The log was started before.
pub fn start_at_once(state: &Path, level: LevelFilter) -> Result<LogGuard, StoreError> {
    if level != LevelFilter::OFF {
        let subscriber = subscriber_to(Mutex::new(DailyFile::new(state.to_owned())), level);
        tracing::subscriber::set_global_default(subscriber).map_err(|_| StoreError::LogStarted)?;
    }
    Ok(LogGuard { _worker: None })
}

/// The log without making it the default of the process, for use in one scope.
///
/// # Errors
/// The folder, today's file or the writer's thread cannot be created.
pub fn subscriber(
    state: &Path,
    level: LevelFilter,
) -> Result<(impl Subscriber + Send + Sync + 'static, LogGuard), StoreError> {
    let mut file = DailyFile::new(state.to_owned());
    file.turn_to(&today())?;
    // The crate panics when the system refuses its thread; the same request, made here first, gives an error.
    let probe = thread::Builder::new().spawn(|| ()).map_err(StoreError::io("start the log in", state))?;
    drop(probe.join());
    // Nothing is dropped if the disk is slow, because the log is read when something went wrong.
    let (writer, worker) =
        NonBlockingBuilder::default().lossy(false).buffered_lines_limit(MAX_WAITING_LINES).finish(file);
    Ok((subscriber_to(writer, level), LogGuard { _worker: Some(worker) }))
}

fn subscriber_to(
    writer: impl for<'w> MakeWriter<'w> + Send + Sync + 'static,
    level: LevelFilter,
) -> impl Subscriber + Send + Sync + 'static {
    let lines = tracing_subscriber::fmt::layer().with_ansi(false).with_writer(writer);
    let targets = Targets::new().with_default(level.min(LevelFilter::WARN)).with_target("closeout", level);
    tracing_subscriber::registry().with(targets).with(lines)
}

/// The day in UTC, such as `2026-11-21`.
fn today() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%d").to_string()
}

struct DailyFile {
    state: PathBuf,
    day: String,
    file: Option<File>,
}

impl DailyFile {
    fn new(state: PathBuf) -> DailyFile {
        DailyFile { state, day: String::new(), file: None }
    }

    /// Opens the file of `day`, creating the folder if needed. Whoever finds it new deletes files that are too old.
    fn turn_to(&mut self, day: &str) -> Result<(), StoreError> {
        let folder = own_folder(&self.state, LOG)?;
        let path = folder.join(format!("{PREFIX}{day}{SUFFIX}"));
        let mut begin = || {
            let file = self.file.insert(open_to_append(&path, Some(0o600))?);
            day.clone_into(&mut self.day);
            if file.metadata()?.len() == 0 { remove_old(&folder) } else { Ok(()) }
        };
        begin().map_err(StoreError::io("open the log in", &folder))
    }

    /// Writes one line; `day` is the current day.
    fn write_line(&mut self, line: &[u8], day: &str) -> io::Result<()> {
        if self.file.is_none() || self.day != day {
            self.turn_to(day).map_err(io::Error::other)?;
        }
        let Some(file) = &mut self.file else { return Ok(()) };
        // Other processes write to the same file, so its size is queried rather than counted.
        let size = file.metadata()?.len();
        if size >= MAX_FILE {
            return Ok(());
        }
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        // An event is one line, and no foreign text can forge a line or reach a terminal unfiltered.
        let shown = display_text::bytes(line);
        let mut text = display_text::shorten(&shown, MAX_LINE).into_owned();
        text.push('\n');
        if size + text.len() as u64 >= MAX_FILE {
            text.push_str("closeout: this file is full; what follows today is not written\n");
        }
        // A single write, so that lines of several processes do not mix.
        file.write_all(text.as_bytes())
    }
}

impl Write for DailyFile {
    /// Takes a whole line, as the subscriber passes it. A line that cannot be written (disk full) is
    /// dropped, because there is nowhere to report it.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let _ = self.write_line(line, &today());
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Deletes all but the newest files. Only regular files with a log file's name are touched.
fn remove_old(folder: &Path) -> io::Result<()> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        if entry.file_type()?.is_file() && name.to_str().is_some_and(is_log_name) {
            names.push(name);
        }
    }
    names.sort();
    let n_old = names.len().saturating_sub(MAX_FILES);
    for name in &names[..n_old] {
        // Another process may be faster.
        is_removed(fs::remove_file(folder.join(name)))?;
    }
    Ok(())
}

/// Whether this is `closeout.YYYY-MM-DD.log`.
fn is_log_name(name: &str) -> bool {
    let day = name.strip_prefix(PREFIX).and_then(|rest| rest.strip_suffix(SUFFIX));
    day.is_some_and(|day| day.len() == 10 && day.chars().all(|sign| sign.is_ascii_digit() || sign == '-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(state: &Path) -> PathBuf {
        state.join(LOG)
    }

    #[test]
    fn five_days_are_kept_and_other_files_are_not_touched() {
        let state = tempfile::tempdir().unwrap();
        fs::create_dir(folder(state.path())).unwrap();
        fs::write(folder(state.path()).join("closeout.notes.log"), "mine").unwrap();
        let mut log = DailyFile::new(state.path().to_owned());
        for day in 1..=9 {
            log.write_line(b"x\n", &format!("2026-01-{day:02}")).unwrap();
        }
        let entries = fs::read_dir(folder(state.path())).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        let days = (5..=9).map(|day| format!("closeout.2026-01-{day:02}.log"));
        assert_eq!(names, days.chain(["closeout.notes.log".to_owned()]).collect::<Vec<_>>());
    }

    #[test]
    fn a_file_does_not_grow_beyond_its_cap() {
        let state = tempfile::tempdir().unwrap();
        let mut log = DailyFile::new(state.path().to_owned());
        let path = folder(state.path()).join("closeout.2026-01-01.log");
        fs::create_dir(folder(state.path())).unwrap();
        File::create(&path).unwrap().set_len(MAX_FILE - 10).unwrap();
        for _ in 0..100 {
            log.write_line(b"twenty bytes of text\n", "2026-01-01").unwrap();
        }
        assert!(fs::metadata(&path).unwrap().len() < MAX_FILE + 200);
        let content = fs::read(&path).unwrap();
        assert!(content.ends_with(
            b"twenty bytes of text\ncloseout: this file is full; what follows today is not written\n"
        ));
    }

    #[test]
    fn a_link_in_the_place_of_the_file_is_not_followed() {
        let state = tempfile::tempdir().unwrap();
        let target = state.path().join("target");
        fs::write(&target, "").unwrap();
        fs::create_dir(folder(state.path())).unwrap();
        std::os::unix::fs::symlink(&target, folder(state.path()).join("closeout.2026-01-01.log")).unwrap();
        let mut log = DailyFile::new(state.path().to_owned());
        assert!(log.write_line(b"x\n", "2026-01-01").is_err());
        assert_eq!(fs::read(&target).unwrap(), b"");
    }

    #[test]
    fn an_event_is_one_line_without_controls() {
        let state = tempfile::tempdir().unwrap();
        let mut log = DailyFile::new(state.path().to_owned());
        log.write_line(b"a\n2026 INFO forged\x1b[2J\n", "2026-01-01").unwrap();
        let content = fs::read_to_string(folder(state.path()).join("closeout.2026-01-01.log")).unwrap();
        assert_eq!(content, "a␊2026 INFO forged␛[2J\n");
    }
}
