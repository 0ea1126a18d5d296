//! Reads the sessions of a configured agent in one workspace.

use std::fs::File;
use std::io;
use std::path::Path;

use super::jsonl::{self, Fields};
use super::search::{Found, Place};
use super::status;
use crate::agent::record::{Followed, LineReader, modified_at, read_range};
use crate::agent::record_text::end_of;
use crate::agent::{MAX_READ, SessionsRead, read_claude_transcript, read_codex_rollout};
use crate::model::{AgentMessage, AgentTrail, CustomAgent, SessionObservation, TranscriptFormat, TurnState};

/// How much of the end of an output is read, in bytes.
const LONGEST_OUTPUT: u64 = 256 << 10;
/// The longest first line read separately from a record's end, in bytes.
const LONGEST_HEAD: u64 = 256 << 10;

/// State kept between two reads of a workspace's records: the agent's name, the session's id, and the
/// lines.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    records: Vec<(String, String, Followed<Lines>)>,
}

/// Reads the sessions of `agent` in `workspace`, the newest first. Its status file is taken to describe the
/// newest one.
pub(in crate::agent) fn sessions(agent: &CustomAgent, workspace: &Path, memory: &mut Memory) -> SessionsRead {
    let mut read = SessionsRead::default();
    let Some(place) = Place::of(agent.trail.place(), workspace) else { return read };
    let search = place.search();
    read.watch_targets.extend(search.watch_targets);
    read.kept_here.extend(search.files.iter().map(|found| workspace.join(&found.id)));
    read.count_unread(search.files.iter().map(|found| found.moved_at));
    let newest: Vec<Found> = search.files.into_iter().take(MAX_READ).collect();
    for found in &newest {
        let in_workspace = |session| SessionObservation { folder: Some(workspace.to_owned()), ..session };
        let session = read_one(agent, &place, found, memory);
        read.take(Path::new(&found.id), session.map(|session| session.map(in_workspace)));
    }
    memory.records.retain(|(name, id, _)| *name != agent.name || newest.iter().any(|found| found.id == *id));
    if let Some(place) = agent.status_file.as_deref().and_then(|text| Place::of(text, workspace)) {
        read.watch_targets.extend(place.search().watch_targets);
        read.kept_here.extend(place.exact_path());
        if let (Some(session), Some((word, process))) = (read.sessions.first_mut(), status::read(&place)) {
            session.live.push(word);
            session.process = process;
        }
    }
    read
}

fn read_one(
    agent: &CustomAgent,
    place: &Place,
    found: &Found,
    memory: &mut Memory,
) -> io::Result<Option<SessionObservation>> {
    let file = place.open(&found.id)?;
    let session = match &agent.trail {
        AgentTrail::Output { .. } => output(agent, &found.id, &file)?,
        AgentTrail::Transcript { format, .. } => Some(transcript(agent, format, &found.id, &file, memory)?),
    };
    Ok(session.filter(|session| session.last_message.is_some() || session.turn != TurnState::Unknown))
}

/// A session whose last message is the end of a file. Nothing in the file says whether more will follow.
fn output(agent: &CustomAgent, id: &str, file: &File) -> io::Result<Option<SessionObservation>> {
    let metadata = file.metadata()?;
    let start = metadata.len().saturating_sub(LONGEST_OUTPUT);
    let bytes = read_range(file, start, metadata.len())?;
    let text = String::from_utf8_lossy(&bytes);
    let text = end_of(text.trim(), usize::try_from(LONGEST_OUTPUT).unwrap_or(usize::MAX));
    let at = Some(modified_at(&metadata));
    let last_message = (!text.is_empty()).then(|| AgentMessage { text: text.to_owned(), at });
    Ok(Some(SessionObservation {
        last_message,
        written_at: at,
        ..SessionObservation::named(&agent.name, id)
    }))
}

fn transcript(
    agent: &CustomAgent,
    format: &TranscriptFormat,
    id: &str,
    file: &File,
    memory: &mut Memory,
) -> io::Result<SessionObservation> {
    let at = memory.records.iter().position(|(name, known, _)| *name == agent.name && known == id);
    let is_followed = match at {
        Some(at) => memory.records[at].2.follow(file, &file.metadata()?)?,
        None => false,
    };
    let at = match at {
        Some(at) if is_followed => at,
        Some(at) => {
            memory.records[at].2 = Followed::open(file)?;
            at
        }
        None => {
            memory.records.push((agent.name.clone(), id.to_owned(), Followed::open(file)?));
            memory.records.len() - 1
        }
    };
    let followed = &memory.records[at].2;
    let lines = &followed.reader;
    let is_whole = followed.begins_at == 0 && !lines.is_cut;
    let mut session = match format {
        TranscriptFormat::Claude => read_claude_transcript(id, lines.bytes()),
        TranscriptFormat::Codex => {
            let mut bytes = if is_whole { Vec::new() } else { first_line(file)? };
            bytes.extend_from_slice(lines.bytes());
            read_codex_rollout(&bytes).unwrap_or_else(|| SessionObservation::named(&agent.name, id))
        }
        TranscriptFormat::Jsonl { role, text, time } => {
            let mut session = SessionObservation::named(&agent.name, id);
            let fields = Fields { role, text, time: time.as_deref() };
            jsonl::tell(fields, lines.bytes(), &mut session);
            session
        }
    };
    session.agent.clone_from(&agent.name);
    session.session_id = id.into();
    session.written_at = Some(modified_at(&file.metadata()?));
    session.n_skipped_lines = session.n_skipped_lines.saturating_add(lines.n_passed_over);
    session.is_partial = session.is_partial || followed.is_cut;
    session.usage.n_turns = session.usage.n_turns.filter(|_| is_whole);
    session.history.is_whole &= is_whole;
    Ok(session)
}

/// The first line of a record of which only the end was read. Empty if it is longer than [`LONGEST_HEAD`].
fn first_line(file: &File) -> io::Result<Vec<u8>> {
    let mut bytes = read_range(file, 0, LONGEST_HEAD)?;
    let length = bytes.iter().position(|byte| *byte == b'\n').map_or(0, |feed| feed + 1);
    bytes.truncate(length);
    Ok(bytes)
}

/// How much of the end of a record is kept, in bytes.
const KEPT: usize = 1 << 20;
/// Once this many bytes are read, no earlier piece is requested.
const ENOUGH: usize = 512 << 10;

/// The last lines of a record.
#[derive(Debug, Default)]
struct Lines {
    bytes: Vec<u8>,
    /// Whether earlier lines were dropped.
    is_cut: bool,
    /// How many lines were too long.
    n_passed_over: u32,
}

impl LineReader for Lines {
    fn take(&mut self, line: &[u8]) {
        if line.len() >= KEPT {
            self.pass_over(line);
            return;
        }
        self.bytes.extend_from_slice(line);
        self.bytes.push(b'\n');
        // The buffer grows to twice the size before it is trimmed, so that trimming costs a constant per
        // byte.
        if self.bytes.len() > 2 * KEPT {
            let from = self.bytes.len() - KEPT;
            let line_end = self.bytes[from..].iter().position(|byte| *byte == b'\n');
            self.bytes.drain(..line_end.map_or(self.bytes.len(), |end| from + end + 1));
            self.is_cut = true;
        }
    }

    fn pass_over(&mut self, _begin: &[u8]) {
        self.n_passed_over = self.n_passed_over.saturating_add(1);
    }

    fn is_enough(&self) -> bool {
        self.bytes.len() >= ENOUGH
    }
}

impl Lines {
    /// The lines, each with its line feed.
    fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}
