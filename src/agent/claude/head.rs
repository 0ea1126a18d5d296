//! What the first lines of a transcript say, which never changes: the folder in which the session was
//! started, how, and whether it is a fork.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

use super::folder::Listed;
use super::history::is_from_a_person;
use super::line::Line;
use crate::agent::record::{LineReader, read_range, take_lines};
use crate::disk;
use crate::model::{SessionOrigin, Timestamp};

/// The sizes of the leading piece, tried in turn, in bytes. The first nearly always suffices; the others
/// are for a long first prompt.
const PIECES: [u64; 3] = [8 << 10, 64 << 10, 1 << 20];
/// If a line before the conversation is this much newer than its first line, the conversation was copied.
/// In milliseconds.
const COPIED_AFTER_MS: i64 = 1000;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Head {
    /// The folder in which the session was started. Untrusted.
    pub(super) cwd: Option<PathBuf>,
    /// How the session was started.
    pub(super) origin: SessionOrigin,
    /// The id of the conversation's first line. A fork of the session has the same.
    pub(super) first_uuid: Option<String>,
    /// Whether the conversation is older than the lines before it, so copied from elsewhere.
    pub(super) is_copy: bool,
    /// Whether nothing has been said yet.
    pub(super) is_blank: bool,
}

/// The heads read so far, by record path.
#[derive(Debug, Default)]
pub(super) struct Heads {
    /// Boxed, because an empty slot of the map takes as much memory as a full one.
    known: HashMap<Box<Path>, Box<Known>>,
}

#[derive(Debug)]
struct Known {
    inode: u64,
    size: u64,
    head: Head,
}

#[derive(Debug, Default)]
struct Fold {
    head: Head,
    /// The newest time among the lines before the conversation.
    before: Option<Timestamp>,
    is_said: bool,
}

impl Heads {
    /// The head of the record at `path`. It is read once, except that the head of an empty session is read
    /// again whenever the record grows.
    pub(super) fn of(&mut self, path: &Path, file: &Listed) -> io::Result<&Head> {
        let is_current = self.known.get(path).is_some_and(|known| {
            known.inode == file.inode
                && file.size >= known.size
                && (!known.head.is_blank || known.size == file.size)
        });
        if !is_current {
            let known = Known { inode: file.inode, size: file.size, head: Head::read(path)? };
            self.known.insert(path.into(), Box::new(known));
        }
        self.known.get(path).map(|known| &known.head).ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// The head of a record, if it has been read.
    pub(super) fn known(&self, path: &Path) -> Option<&Head> {
        self.known.get(path).map(|known| &known.head)
    }

    /// Drops all heads for which `is_kept` is false.
    pub(super) fn retain(&mut self, is_kept: impl Fn(&Path) -> bool) {
        self.known.retain(|path, _| is_kept(path));
    }
}

impl Head {
    fn read(path: &Path) -> io::Result<Head> {
        let (file, length) = disk::open_sized(path)?;
        let mut fold = Fold::default();
        for piece in PIECES {
            // Some file systems tell no length.
            let end = if length == 0 { piece } else { piece.min(length) };
            let bytes = read_range(&file, 0, end)?;
            let is_all = (bytes.len() as u64) < piece;
            fold = Fold::default();
            take_lines(&mut fold, &bytes);
            if is_all {
                fold.head.is_blank = !fold.is_said;
            }
            if is_all || fold.is_enough() {
                break;
            }
        }
        Ok(fold.head)
    }
}

impl LineReader for Fold {
    fn take(&mut self, line: &[u8]) {
        if self.is_enough() {
            return;
        }
        let Some(line) = Line::parse(line).filter(|line| !line.is_sidechain) else { return };
        let at = line.at();
        let head = &mut self.head;
        if head.cwd.is_none() {
            head.cwd = line.cwd.as_ref().map(PathBuf::from);
        }
        if let (None, Some(uuid)) = (&head.first_uuid, &line.uuid) {
            head.first_uuid = Some(uuid.clone());
            head.is_copy =
                self.before.zip(at).is_some_and(|(before, at)| before.millis_since(at) > COPIED_AFTER_MS);
        } else if head.first_uuid.is_none() {
            self.before = self.before.max(at);
        }
        if head.origin == SessionOrigin::Unknown {
            head.origin = origin(&line);
        }
        self.is_said |= is_said(&line);
    }

    fn pass_over(&mut self, _begin: &[u8]) {
        self.is_said = true;
    }

    fn is_enough(&self) -> bool {
        let head = &self.head;
        self.is_said && head.cwd.is_some() && head.first_uuid.is_some()
    }
}

/// How the client that wrote this line was started.
fn origin(line: &Line<'_>) -> SessionOrigin {
    match (line.prompt_source.as_deref(), line.entrypoint.as_deref()) {
        (Some("typed"), _) | (_, Some("cli")) => SessionOrigin::Person,
        (Some("sdk"), _) => SessionOrigin::Headless,
        (_, Some(entrypoint)) if entrypoint.starts_with("sdk") => SessionOrigin::Headless,
        _ => SessionOrigin::Unknown,
    }
}

/// Whether the user or the agent said something in this line.
fn is_said(line: &Line<'_>) -> bool {
    match &*line.kind {
        "assistant" => true,
        "user" if !line.is_meta => {
            let blocks = line.message().and_then(|message| message.blocks()).unwrap_or_default();
            let text = blocks.iter().find_map(|block| block.text.as_deref()).unwrap_or_default();
            blocks.iter().any(|block| block.tool_use_id.is_some())
                || is_from_a_person(line, text)
                // `/clear` discarded the conversation before it.
                || text.starts_with("<command-name>/clear")
        }
        "system" => line.blocked_prompt().is_some(),
        _ => false,
    }
}
