//! Finds the sessions under `tmp/`, and the folder in which each was started.
//!
//! A session is `tmp/<project>/chats/session-<time>-<id8>.jsonl`. Subagents' records lie one folder deeper
//! and are no sessions. Only the head of each record is read, once.

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, DirEntry};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::NAME;
use super::chat::Chat;
use crate::agent::commands::COPY_PREFIX;
use crate::agent::kind::{FoundSession, Survey, SurveyAsk};
use crate::agent::record::{
    entries, modified_at, note_unreadable, open_record, read_range, read_small, take_lines,
};
use crate::model::{Names, Parts, ReadProblem, SessionId, Timestamp, Unreadable, WatchTarget};

/// Further projects are ignored.
const MAX_PROJECTS: usize = 10_000;
/// How many folders of chats are watched for new sessions: those with the most recent activity.
const MAX_WATCHED: usize = 256;
/// How much of the start of a record is read for its head, in bytes. The second size applies if the first
/// holds no complete line.
const HEADS: [u64; 2] = [4 << 10, 64 << 10];
/// The head, and the line in which an imported session says so.
const N_HEAD_LINES: usize = 2;
/// The naming pattern of session records.
const PREFIX: &str = "session-";
const SUFFIX: &str = ".jsonl";

#[derive(Debug, Default)]
pub(crate) struct SurveyMemory {
    heads: HashMap<PathBuf, Known>,
}

/// A head and the file it was read from.
#[derive(Debug, Clone)]
struct Known {
    inode: u64,
    head: Head,
    is_seen: bool,
}

#[derive(Debug, Clone)]
struct Head {
    session_id: SessionId,
    /// False for subagents and for copies made by closeout.
    is_session: bool,
}

pub(in crate::agent) fn survey(home: &Path, ask: &SurveyAsk<'_>, memory: &mut SurveyMemory) -> Survey {
    let mut survey = Survey::default();
    let tmp = home.join("tmp");
    survey.watch_targets.push(WatchTarget::new(home, Names::these([PROJECTS]), Parts::WORDS));
    survey.watch_targets.push(WatchTarget::new(&tmp, Names::Any, Parts::WORDS).arrivals());
    let projects = Projects::read(home, &mut survey.problems);
    let mut watched = Vec::new();
    let is_folder = |entry: &DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
    let folders = entries(&tmp, "the folder of the projects", &mut survey.problems);
    for entry in folders.filter(is_folder).take(MAX_PROJECTS) {
        let project = entry.path();
        let name = entry.file_name();
        let folder = name.to_str().and_then(|name| projects.folder_of(name, &project));
        if folder.as_deref().is_some_and(|folder| !ask.covers(folder)) {
            continue;
        }
        let chats = project.join("chats");
        let moved_at = fs::symlink_metadata(&chats).map_or(Timestamp(i64::MIN), |found| modified_at(&found));
        watched.push((moved_at, chats.clone()));
        match folder {
            Some(folder) => find_in(&chats, &folder, ask, memory, &mut survey),
            None => tell_unknown(&chats, &mut survey),
        }
    }
    memory.heads.retain(|_, known| std::mem::take(&mut known.is_seen));
    watched.sort_unstable_by(|one, other| other.cmp(one));
    let targets = watched.into_iter().take(MAX_WATCHED);
    survey.watch_targets.extend(targets.map(|(_, chats)| {
        WatchTarget::new(chats, Names::Ending(SUFFIX.to_owned()), Parts::WORDS).arrivals()
    }));
    survey
}

/// Finds the sessions in one folder of chats, all started in `folder`.
fn find_in(chats: &Path, folder: &Path, ask: &SurveyAsk<'_>, memory: &mut SurveyMemory, survey: &mut Survey) {
    for entry in records(chats, survey) {
        let Ok(metadata) = entry.metadata() else { continue };
        if !metadata.is_file() {
            continue;
        }
        let moved_at = modified_at(&metadata);
        if !ask.wants(folder, moved_at) {
            survey.n_older += 1;
            continue;
        }
        let record = entry.path();
        let Some(head) = head_of(&record, metadata.ino(), memory) else { continue };
        if head.is_session {
            survey.found.push(FoundSession::new(NAME, head.session_id, folder, record, moved_at));
        }
    }
}

/// Reports how many sessions are left out because their project's folder is unknown.
fn tell_unknown(chats: &Path, survey: &mut Survey) {
    let n_sessions = records(chats, survey).count();
    if n_sessions > 0 {
        let detail = format!("{n_sessions} sessions are left out: nothing names the folder of this project");
        let name = chats.display().to_string();
        survey.problems.push(Unreadable { name, problem: ReadProblem::Invalid, detail });
    }
}

/// The entries of a folder of chats that are named like records.
fn records(chats: &Path, survey: &mut Survey) -> impl Iterator<Item = DirEntry> + use<> {
    let is_real = fs::symlink_metadata(chats).is_ok_and(|found| found.is_dir());
    let entries = is_real.then(|| entries(chats, "the folder of chats", &mut survey.problems));
    let is_record = |entry: &DirEntry| {
        let name = entry.file_name();
        name.to_str().is_some_and(|name| name.starts_with(PREFIX) && name.ends_with(SUFFIX))
    };
    entries.into_iter().flatten().filter(is_record)
}

/// The head of a record; `None` if it cannot be opened. A head that is not written yet is read again next
/// time.
fn head_of(record: &Path, inode: u64, memory: &mut SurveyMemory) -> Option<Head> {
    if let Some(known) = memory.heads.get_mut(record).filter(|known| known.inode == inode) {
        known.is_seen = true;
        return Some(known.head.clone());
    }
    let file = open_record(record).ok()?;
    let mut chat = Chat::default();
    for length in HEADS {
        let piece = read_range(&file, 0, length).ok()?;
        let lines = piece.split_inclusive(|byte| *byte == b'\n').take(N_HEAD_LINES);
        let length = lines.map(<[u8]>::len).sum();
        if take_lines(&mut chat, &piece[..length]) > 0 {
            break;
        }
    }
    let is_own = chat.imported_from.as_deref().is_some_and(is_own_copy);
    let is_session = !chat.is_subagent && !is_own;
    let Some(id) = chat.session_id() else {
        let session_id = record.file_stem()?.to_str()?.into();
        return Some(Head { session_id, is_session });
    };
    let head = Head { session_id: id.into(), is_session };
    memory.heads.insert(record.to_owned(), Known { inode, head: head.clone(), is_seen: true });
    Some(head)
}

/// Whether a session was imported from a copy that closeout made.
pub(super) fn is_own_copy(imported_from: &str) -> bool {
    let name = Path::new(imported_from).file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| name.starts_with(COPY_PREFIX))
}

const PROJECTS: &str = "projects.json";
/// The file that names a project's folder.
const PROJECT_ROOT: &str = ".project_root";
/// The longest list read, in bytes.
const LONGEST_LIST: u64 = 8 << 20;
/// The longest root file read, in bytes: Linux's longest path and a line feed.
const LONGEST_ROOT: u64 = 4097;

#[derive(Deserialize)]
struct ProjectList {
    projects: BTreeMap<String, String>,
}

/// The folders in `projects.json` by short name.
#[derive(Debug, Default)]
pub(super) struct Projects {
    by_name: HashMap<String, PathBuf>,
}

impl Projects {
    /// Reads the list. Anything wrong with it is added to `problems`.
    pub(super) fn read(home: &Path, problems: &mut Vec<Unreadable>) -> Projects {
        let path = home.join(PROJECTS);
        let bytes = match read_small(&path, LONGEST_LIST) {
            Ok(bytes) => bytes,
            Err(error) => {
                note_unreadable(problems, &path, "the list of projects", &error);
                return Projects::default();
            }
        };
        let invalid = |detail: String| Unreadable {
            name: path.display().to_string(),
            problem: ReadProblem::Invalid,
            detail,
        };
        let list: ProjectList = match serde_json::from_slice(&bytes) {
            Ok(list) => list,
            Err(error) => {
                problems.push(invalid(format!("the list of projects has an unknown form: {error}")));
                return Projects::default();
            }
        };
        let n_listed = list.projects.len();
        let usable =
            list.projects.into_iter().filter(|(folder, name)| is_name(name) && folder.starts_with('/'));
        let mut n_used = 0;
        let mut by_name = HashMap::new();
        for (folder, name) in usable {
            n_used += 1;
            by_name.entry(name).or_insert_with(|| PathBuf::from(folder));
        }
        if n_used < n_listed {
            let n = n_listed - n_used;
            problems.push(invalid(format!("{n} entries are skipped: no short name, or no absolute path")));
        }
        Projects { by_name }
    }

    /// The folder of the project `name`, whose data is in `place`.
    pub(super) fn folder_of(&self, name: &str, place: &Path) -> Option<PathBuf> {
        root_of(place).or_else(|| self.by_name.get(name).cloned())
    }
}

/// The client's own rule for short names.
fn is_name(name: &str) -> bool {
    let is_sign = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    !name.is_empty() && name.bytes().all(is_sign)
}

fn root_of(place: &Path) -> Option<PathBuf> {
    let text = String::from_utf8(read_small(&place.join(PROJECT_ROOT), LONGEST_ROOT).ok()?).ok()?;
    let root = text.trim_end_matches(['\n', '\r']);
    let is_path = root.starts_with('/') && !root.contains(['\n', '\0']);
    is_path.then(|| PathBuf::from(root))
}
