//! What the first lines of a transcript tell for good: the folder that the session was begun in, how,
//! and whether it is a copy of another one.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

use super::folder::Listed;
use super::line::Line;
use super::prompt::is_from_a_person;
use crate::agent::record::{LineReader, open_record, read_range, take_lines};
use crate::model::{SessionOrigin, Timestamp};

/// The sizes of the piece at the begin that are tried one after the other, in bytes. The first one has
/// nearly always all; the others are for a long first prompt.
const PIECES: [u64; 3] = [8 << 10, 64 << 10, 1 << 20];
/// A line that was written so much later than one that it stands before shows that the latter was
/// copied, in milliseconds.
const COPIED_AFTER_MS: i64 = 1000;

/// What the first lines tell.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Head {
    /// The folder that the session was begun in. Untrusted text.
    pub(super) cwd: Option<PathBuf>,
    /// How it was begun.
    pub(super) origin: SessionOrigin,
    /// The id of the first line of the conversation; a copy of the session has the same.
    pub(super) first_uuid: Option<String>,
    /// True when the conversation is older than the lines before it: it was copied from elsewhere.
    pub(super) is_copy: bool,
    /// True when nothing was said so far.
    pub(super) is_blank: bool,
}

/// The heads that were read, by the path of the record.
#[derive(Debug, Default)]
pub(super) struct Heads {
    known: HashMap<PathBuf, Known>,
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
    /// The head of the record `file` in `folder`. It is read once; the head of a session in which nothing
    /// was said so far, each time the record grew.
    pub(super) fn of(&mut self, path: &Path, file: &Listed) -> io::Result<&Head> {
        let is_current = self.known.get(path).is_some_and(|known| {
            known.inode == file.inode
                && file.size >= known.size
                && (!known.head.is_blank || known.size == file.size)
        });
        if !is_current {
            let known = Known { inode: file.inode, size: file.size, head: Head::read(path)? };
            self.known.insert(path.to_owned(), known);
        }
        self.known.get(path).map(|known| &known.head).ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// The head of a record, if it was read.
    pub(super) fn known(&self, path: &Path) -> Option<&Head> {
        self.known.get(path).map(|known| &known.head)
    }

    /// Forgets all but those for which `is_kept` holds.
    pub(super) fn retain(&mut self, is_kept: impl Fn(&Path) -> bool) {
        self.known.retain(|path, _| is_kept(path));
    }
}

impl Head {
    /// Reads the head of a record.
    fn read(path: &Path) -> io::Result<Head> {
        let file = open_record(path)?;
        let mut fold = Fold::default();
        for piece in PIECES {
            let bytes = read_range(&file, 0, piece)?;
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

/// Whether a person or the agent said something in this line.
fn is_said(line: &Line<'_>) -> bool {
    match &*line.kind {
        "assistant" => true,
        "user" if !line.is_meta => {
            let blocks = line.message().and_then(|message| message.blocks()).unwrap_or_default();
            let text = blocks.iter().find_map(|block| block.text.as_deref()).unwrap_or_default();
            blocks.iter().any(|block| block.tool_use_id.is_some())
                || is_from_a_person(line, text)
                // The conversation before it was thrown away.
                || text.starts_with("<command-name>/clear")
        }
        "system" => line.blocked_prompt().is_some(),
        _ => false,
    }
}
