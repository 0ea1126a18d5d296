//! A witness of the agent's own change: it looks every millisecond at the agent's records, so that the
//! delay from the agent's write to closeout's line can be told.

use std::fs::{self, File};
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Looks for words in what is written to the files of a folder after its start. A database writes pages
/// and not words: there every change is kept, and the last one before the line counts, so that the delay is
/// told as at least so long.
pub(crate) struct Witness {
    is_over: Arc<AtomicBool>,
    found: Arc<Mutex<Vec<Instant>>>,
    thread: Option<JoinHandle<()>>,
}

/// A file, and what of it was read.
struct Watched {
    path: PathBuf,
    read: u64,
    kind: Kind,
    changed: Option<std::time::SystemTime>,
}

impl Witness {
    /// Starts to look for `words` below `folder`.
    pub(crate) fn start(folder: &Path, words: &str) -> Witness {
        let is_over = Arc::new(AtomicBool::new(false));
        let found = Arc::new(Mutex::new(Vec::new()));
        let mut files = watched(folder, true);
        let (folder, words) = (folder.to_owned(), words.as_bytes().to_owned());
        let thread = thread::spawn({
            let (is_over, found) = (Arc::clone(&is_over), Arc::clone(&found));
            move || {
                for round in 1_u32.. {
                    if is_over.load(Ordering::Relaxed) {
                        return;
                    }
                    if round.is_multiple_of(50) {
                        let fresh = watched(&folder, false);
                        files.extend(
                            fresh
                                .into_iter()
                                .filter(|new| files.iter().all(|old| old.path != new.path))
                                .collect::<Vec<_>>(),
                        );
                    }
                    if files.iter_mut().any(|file| file.gained(&words)) {
                        found.lock().unwrap_or_else(PoisonError::into_inner).push(Instant::now());
                    }
                    thread::sleep(Duration::from_millis(1));
                }
            }
        });
        Witness { is_over, found, thread: Some(thread) }
    }

    /// When the words were written, if they were: the last time before `came`.
    pub(crate) fn found(mut self, came: Instant) -> Option<Instant> {
        self.end();
        let found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        found.iter().copied().rfind(|at| *at <= came)
    }

    fn end(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for Witness {
    fn drop(&mut self) {
        self.end();
    }
}

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Lines are appended.
    Lines,
    /// It is replaced or written over: it is read anew when its time changes.
    Whole,
    /// Pages of a database.
    Pages,
}

impl Watched {
    fn gained(&mut self, words: &[u8]) -> bool {
        let Ok(metadata) = fs::metadata(&self.path) else { return false };
        if self.kind != Kind::Lines {
            let changed = metadata.modified().ok();
            if changed == self.changed {
                return false;
            }
            self.changed = changed;
            return self.kind == Kind::Pages
                || fs::read(&self.path).is_ok_and(|content| holds(&content, words));
        }
        if metadata.len() == self.read {
            return false;
        }
        let mut gained = Vec::new();
        let from = self.read.min(metadata.len());
        let read = File::open(&self.path).and_then(|mut file| {
            // A word may have been cut by the last look.
            file.seek(SeekFrom::Start(from.saturating_sub(words.len() as u64)))?;
            file.read_to_end(&mut gained)
        });
        self.read = metadata.len();
        read.is_ok() && holds(&gained, words)
    }
}

fn holds(content: &[u8], words: &[u8]) -> bool {
    content.windows(words.len()).any(|window| window == words)
}

/// The records below a folder; what is there at the start counts as read.
fn watched(folder: &Path, is_start: bool) -> Vec<Watched> {
    let mut open = vec![folder.to_owned()];
    let mut files = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let (path, Ok(metadata)) = (entry.path(), entry.metadata()) else { continue };
            if metadata.is_dir() {
                open.push(path);
                continue;
            }
            let kind = match path.extension().and_then(|extension| extension.to_str()) {
                Some("json") => Some(Kind::Whole),
                Some("jsonl") => Some(Kind::Lines),
                Some("db-wal") => Some(Kind::Pages),
                _ => None,
            };
            if let Some(kind) = kind {
                let read = if is_start { metadata.len() } else { 0 };
                let changed = if is_start { metadata.modified().ok() } else { None };
                files.push(Watched { path, read, kind, changed });
            }
        }
    }
    files
}
