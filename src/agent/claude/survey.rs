//! Finds the sessions under `projects/`, and the folder in which each was started.
//!
//! A survey lists the folders and the times of their records, because appending to a record does not touch
//! its folder's time. The head of a recently modified record is read once.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::fs::DirEntry;
use std::path::{Path, PathBuf};

use super::NAME;
use super::entry::Entry;
use super::folder::{is_at_or_below, name_begin, record_folder, record_path, records};
use super::head::Heads;
use super::registry::{KnownEntries, Registry};
use crate::agent::kind::{FoundSession, Survey, SurveyAsk};
use crate::agent::record::{entries, note_unreadable};
use crate::model::{Names, Parts, Timestamp, WatchTarget};

/// How many folders are examined.
const MAX_FOLDERS: usize = 8192;
/// How many folders are watched for new sessions: those with the most recent activity.
const MAX_WATCHED: usize = 256;

#[derive(Debug, Default)]
pub(crate) struct SurveyMemory {
    heads: Heads,
}

/// Live sessions by id. A session is removed once it is found.
type Living<'a> = HashMap<&'a str, &'a Entry>;

/// A folder under `projects/` after it was examined.
struct Looked {
    path: PathBuf,
    /// When a record in it was last modified, in nanoseconds; 0 if there is none.
    moved_at: i64,
    /// Records of sessions without content. They are watched until they have some.
    blank: Vec<String>,
}

pub(in crate::agent) fn survey(config_dir: &Path, ask: &SurveyAsk<'_>, memory: &mut SurveyMemory) -> Survey {
    let registry = Registry::read(config_dir, &mut KnownEntries::default());
    let mut living: Living<'_> = registry.living().map(|entry| (entry.session_id.as_str(), entry)).collect();
    let projects = config_dir.join("projects");
    let mut survey = Survey::default();
    let mut looked = Vec::new();
    let all_of: Vec<String> = ask.all_of.iter().map(|folder| name_begin(folder)).collect();
    for folder in folders(&projects, ask.within, &mut survey) {
        let name = folder.file_name().and_then(OsStr::to_str).unwrap_or_default();
        let is_all_wanted = all_of.iter().any(|begin| is_at_or_below(name, begin));
        let since = if is_all_wanted { Timestamp(i64::MIN) } else { ask.since };
        looked.push(look_into(folder, since, ask, &mut living, &mut memory.heads, &mut survey));
    }
    if ask.within.is_none() {
        let there: HashSet<&Path> = looked.iter().map(|folder| &*folder.path).collect();
        memory.heads.retain(|path| path.parent().is_some_and(|folder| there.contains(folder)));
    }
    survey.found.extend(living.into_values().filter_map(|entry| without_record(config_dir, entry, ask)));
    survey.watch_targets = watch_targets(&projects, &registry, looked);
    survey
}

/// The folders that may hold sessions within `within`.
fn folders(projects: &Path, within: Option<&Path>, survey: &mut Survey) -> Vec<PathBuf> {
    let begin = within.map(name_begin).unwrap_or_default();
    let entries = entries(projects, "the session's record", &mut survey.problems);
    let is_wanted = |entry: &DirEntry| {
        entry.file_name().to_str().is_some_and(|name| is_at_or_below(name, &begin))
            && entry.file_type().is_ok_and(|kind| kind.is_dir())
    };
    entries.filter(is_wanted).take(MAX_FOLDERS).map(|entry| entry.path()).collect()
}

/// Adds the sessions of one folder whose record grew at or after `since` to `survey` and removes them from `living`.
fn look_into(
    path: PathBuf,
    since: Timestamp,
    ask: &SurveyAsk<'_>,
    living: &mut Living<'_>,
    heads: &mut Heads,
    survey: &mut Survey,
) -> Looked {
    let mut looked = Looked { path, moved_at: 0, blank: Vec::new() };
    let files = match records(&looked.path) {
        Ok(files) => files,
        Err(error) => {
            note_unreadable(&mut survey.problems, &looked.path, "the session's record", &error);
            return looked;
        }
    };
    for file in files {
        looked.moved_at = looked.moved_at.max(file.written_at);
        let entry = living.get(file.id.as_str()).copied();
        if entry.is_none() && file.moved_at() < since {
            survey.n_older += 1;
            continue;
        }
        let record = file.path(&looked.path);
        // An unreadable record is reported when the session is read.
        let Ok(head) = heads.of(&record, &file) else { continue };
        if head.is_blank {
            looked.blank.push(format!("{}.jsonl", file.id));
        }
        let folder = head.cwd.clone().or_else(|| entry?.cwd.clone());
        let is_blank = head.is_blank && entry.is_none();
        let Some(folder) = folder.filter(|folder| !is_blank && ask.covers(folder)) else {
            continue;
        };
        living.remove(file.id.as_str());
        let moved_at = file.moved_at();
        survey.found.push(FoundSession::new(NAME, file.id, folder, record, moved_at));
    }
    looked
}

/// A live session without a record.
fn without_record(config_dir: &Path, entry: &Entry, ask: &SurveyAsk<'_>) -> Option<FoundSession> {
    let folder = entry.cwd.clone().filter(|folder| ask.covers(folder))?;
    let id = entry.session_id.clone();
    // The id becomes part of a path.
    if !id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
        return None;
    }
    let record = record_path(&record_folder(config_dir, &folder), &id);
    let moved_at = Timestamp(entry.status_updated_at.or(entry.started_at).unwrap_or_default());
    Some(FoundSession::new(NAME, id, folder, record, moved_at))
}

/// Where a new session would show.
fn watch_targets(projects: &Path, registry: &Registry, mut looked: Vec<Looked>) -> Vec<WatchTarget> {
    let mut targets =
        vec![WatchTarget::new(projects, Names::Any, Parts::WORDS).arrivals(), registry.arrivals()];
    targets.extend(registry.unclear_target());
    looked.sort_unstable_by_key(|folder| std::cmp::Reverse(folder.moved_at));
    looked.truncate(MAX_WATCHED);
    for Looked { path, blank, .. } in looked {
        if !blank.is_empty() {
            targets.push(WatchTarget::new(path.clone(), Names::these(blank), Parts::WORDS));
        }
        let names = Names::Ending(".jsonl".to_owned());
        targets.push(WatchTarget::new(path, names, Parts::WORDS).arrivals());
    }
    targets
}
