//! Reads texts from an agent: the decision file, the closer's report, the declared outputs.

use serde::de::IgnoredAny;

use super::untrusted_file::{FileReach, FileRefusal, UntrustedFile, WorkspaceDir};
use crate::model::{ReadProblem, Reading, TextFile, Timestamp};

/// The longest decision file, report or plan, in bytes (vectors/README.md, decision rule 3).
pub(super) const LONGEST_DOCUMENT: u64 = 1 << 20;
/// How much of the start and of the end of a long output is read, in bytes.
const HEAD: u64 = 64 << 10;
const TAIL: u64 = 192 << 10;
/// How far from a cut to look for a line break, in bytes.
const LINE_SEARCH: usize = 4 << 10;
/// A file younger than this may still be being written, in milliseconds.
const YOUNG_MS: i64 = 2000;

/// Reads a file that the settings may name.
pub(super) fn configured<T>(name: Option<&str>, read: impl FnOnce(&str) -> Reading<T>) -> Reading<T> {
    name.map_or(Reading::NotConfigured, read)
}

/// Reads a document, in full or not at all.
pub(super) fn read_document(directory: &WorkspaceDir, name: &str, reach: FileReach) -> Reading<TextFile> {
    document(directory, name, reach).unwrap_or_else(|refusal| refusal.into_reading(name))
}

fn document(
    directory: &WorkspaceDir,
    name: &str,
    reach: FileReach,
) -> Result<Reading<TextFile>, FileRefusal> {
    let file = directory.open_file(name, reach)?;
    let bytes = file.read_whole(LONGEST_DOCUMENT)?;
    Ok(Reading::Present(text_file(&file, text(&bytes), false)))
}

/// Reads a text file of the workspace that the settings do not name: at most 1 MiB, below the workspace,
/// not through links.
pub fn read_untrusted_text(directory: &WorkspaceDir, name: &str) -> Reading<TextFile> {
    read_document(directory, name, FileReach::Workspace)
}

/// Reads a document that may be in the middle of being written. If it is younger than two seconds, and is
/// empty or begins like JSON without being valid JSON, the result is [`ReadProblem::HalfWritten`]. No other
/// channel then decides in its place; the caller has to look again.
pub(super) fn read_decision(directory: &WorkspaceDir, name: &str, now: Timestamp) -> Reading<TextFile> {
    let reading = read_document(directory, name, FileReach::Named);
    match reading {
        Reading::Present(file) if is_young(file.written_at, now) && !is_whole(&file.content) => {
            half_written(name).into_reading(name)
        }
        Reading::Present(_)
        | Reading::NotLookedAt
        | Reading::NotConfigured
        | Reading::Absent { .. }
        | Reading::Unreadable(_) => reading,
    }
}

/// The refusal of a file that is still being written.
pub(super) fn half_written(name: &str) -> FileRefusal {
    FileRefusal::because(name, ReadProblem::HalfWritten, "it was written just now and is not whole yet")
}

/// Whether a file was written so recently that its writer may not be finished.
pub(super) fn is_young(written_at: Timestamp, now: Timestamp) -> bool {
    now.millis_since(written_at).abs() < YOUNG_MS
}

fn is_whole(content: &str) -> bool {
    let content = content.trim_start_matches('\u{feff}').trim();
    let is_json = content.starts_with(['{', '[']);
    !content.is_empty() && (!is_json || serde_json::from_str::<IgnoredAny>(content).is_ok())
}

/// Reads an output of any length. Of a long one, only the start and the end.
pub(super) fn read_output(directory: &WorkspaceDir, name: &str) -> Reading<TextFile> {
    output(directory, name).unwrap_or_else(|refusal| refusal.into_reading(name))
}

fn output(directory: &WorkspaceDir, name: &str) -> Result<Reading<TextFile>, FileRefusal> {
    let file = directory.open_file(name, FileReach::Named)?;
    if file.size <= HEAD + TAIL {
        let bytes = file.read_range(0, HEAD + TAIL)?;
        return Ok(Reading::Present(text_file(&file, text(&bytes), false)));
    }
    let head = file.read_range(0, HEAD)?;
    let tail = file.read_range(file.size - TAIL, TAIL)?;
    let (head, tail) = (begin_of(&head), end_of(&tail));
    let n_left_out = file.size - (head.len() + tail.len()) as u64;
    let content = format!("{}\n\n[… {n_left_out} bytes left out …]\n\n{}", text(head), text(tail));
    Ok(Reading::Present(text_file(&file, content, true)))
}

/// Cuts the end back to a complete line, or to a complete character if lines are long.
fn begin_of(head: &[u8]) -> &[u8] {
    let from = head.len().saturating_sub(LINE_SEARCH);
    if let Some(at) = head[from..].iter().rposition(|byte| *byte == b'\n') {
        return &head[..from + at];
    }
    let is_cut = |end: &usize| head.get(*end).is_none_or(|byte| byte & 0xC0 != 0x80);
    let last = (head.len().saturating_sub(4)..head.len()).rev().find(is_cut);
    &head[..last.unwrap_or(head.len())]
}

/// Cuts the start forward to a complete line, or to a complete character if lines are long.
fn end_of(tail: &[u8]) -> &[u8] {
    let until = tail.len().min(LINE_SEARCH);
    if let Some(at) = tail[..until].iter().position(|byte| *byte == b'\n') {
        return &tail[at + 1..];
    }
    let first = tail.iter().take(4).position(|byte| byte & 0xC0 != 0x80);
    &tail[first.unwrap_or(0)..]
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn text_file(file: &UntrustedFile, content: String, is_excerpt: bool) -> TextFile {
    TextFile { name: file.name.clone(), content, size: file.size, is_excerpt, written_at: file.written_at }
}
