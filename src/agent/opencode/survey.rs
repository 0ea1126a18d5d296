//! Finds the sessions, and the folder in which each was started: two queries on the table `session`. Also
//! decides whether a database change calls for a survey: it does if there is a message in a session that the
//! last survey did not find. opencode writes its log many times per turn, and surveying all agents each time
//! would be too expensive.

use std::collections::{HashMap, HashSet};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rusqlite::{OptionalExtension, params};

use super::store::{self, Settling, Store};
use super::{DATABASE, LOG, NAME, is_session_id};
use crate::agent::kind::{FoundSession, Survey, SurveyAsk};
use crate::model::{Names, Parts, SessionId, Timestamp, Unreadable, WatchTarget};

/// How many sessions are found, the newest first.
const MAX_FOUND: u32 = 20_000;
/// The longest folder path accepted, in bytes.
const LONGEST_PATH: u32 = 4 << 10;

#[derive(Debug, Default)]
pub(crate) struct SurveyMemory {
    settling: Settling,
    /// The parameters of the last survey.
    asked: Option<(Timestamp, Option<PathBuf>, Vec<PathBuf>)>,
    found: Vec<FoundSession>,
    n_older: usize,
    /// What the last survey knows about messages, to tell a new session's message from a known one's.
    pub(super) arrivals: Arrivals,
}

impl SurveyMemory {
    /// Whether the last survey covered at least as much.
    fn covers(&self, ask: &SurveyAsk<'_>) -> bool {
        self.asked.as_ref().is_some_and(|(since, within, all_of)| {
            ask.since >= *since
                && ask.within == within.as_deref()
                && ask.all_of.iter().all(|folder| all_of.contains(folder))
        })
    }

    /// What was found of what is asked for, and how many older sessions there are beside it. What a wider question
    /// found is kept for the next one.
    fn answer(&self, ask: &SurveyAsk<'_>) -> (Vec<FoundSession>, usize) {
        let is_wanted = |found: &&FoundSession| ask.wants(&found.place.folder, found.moved_at);
        let found: Vec<FoundSession> = self.found.iter().filter(is_wanted).cloned().collect();
        let n_older = self.n_older + self.found.len() - found.len();
        (found, n_older)
    }
}

#[derive(Debug)]
struct Found {
    sessions: Vec<FoundSession>,
    n_older: usize,
    arrivals: Arrivals,
}

pub(in crate::agent) fn survey(data_dir: &Path, ask: &SurveyAsk<'_>, memory: &mut SurveyMemory) -> Survey {
    let database = store::database(data_dir);
    let mut survey = Survey { watch_targets: vec![target(data_dir)], ..Survey::default() };
    match find(&database, ask, memory) {
        Ok(()) => (survey.found, survey.n_older) = memory.answer(ask),
        Err(unreadable) => {
            *memory = SurveyMemory::default();
            survey.problems.push(unreadable);
        }
    }
    survey
}

/// Where a message of a session not found yet would show. Messages of known sessions show there too;
/// `is_news` distinguishes them.
pub(super) fn target(data_dir: &Path) -> WatchTarget {
    WatchTarget::new(data_dir, Names::these([DATABASE, LOG]), Parts::WORDS)
}

fn find(database: &Path, ask: &SurveyAsk<'_>, memory: &mut SurveyMemory) -> Result<(), Unreadable> {
    let Some(stamp) = store::stamp(database)? else {
        *memory = SurveyMemory::default();
        return Ok(());
    };
    if memory.settling.is_unchanged(&stamp) && memory.covers(ask) {
        return Ok(());
    }
    let found = store::read(database, &stamp, |store| query(store, database, ask))?;
    memory.settling.note(stamp);
    memory.asked = Some((ask.since, ask.within.map(Path::to_owned), ask.all_of.to_vec()));
    memory.found = found.sessions;
    memory.n_older = found.n_older;
    memory.arrivals = found.arrivals;
    Ok(())
}

fn query(store: &Store, database: &Path, ask: &SurveyAsk<'_>) -> rusqlite::Result<Found> {
    store.need("session", &["id", "directory", "time_updated"])?;
    let parent = store.column("session", "parent_id");
    let archived = store.column("session", "time_archived");
    // `directory` is compared as bytes, because `LIKE` would treat `_` and `%` in it as wildcards.
    let of_folder = format!(
        "{parent} IS NULL AND {archived} IS NULL AND octet_length(id) <= 100 AND octet_length(directory) <= \
         {LONGEST_PATH} AND (?2 IS NULL OR CAST(directory AS BLOB) = ?2 \
         OR substr(CAST(directory AS BLOB), 1, length(?3)) = ?3)"
    );
    let within = ask.within.map(|folder| folder.as_os_str().as_bytes().to_vec());
    let below = within.as_ref().map(|folder| [folder.as_slice(), b"/"].concat());
    let since = if ask.all_of.is_empty() { ask.since.0 } else { i64::MIN };
    let sql = format!(
        "SELECT CAST(id AS TEXT), CAST(directory AS TEXT), CAST(time_updated AS INTEGER) FROM session \
         WHERE {of_folder} AND time_updated >= ?1 ORDER BY time_updated DESC LIMIT {MAX_FOUND}"
    );
    let mut statement = store.connection().prepare(&sql)?;
    let mut rows = statement.query(params![since, within, below])?;
    let mut sessions = Vec::new();
    let mut n_older = 0;
    let mut wanted: HashMap<String, bool> = HashMap::new();
    while let Some(row) = rows.next()? {
        let (Ok(id), Ok(folder)) = (row.get::<_, String>(0), row.get::<_, String>(1)) else { continue };
        let moved_at = Timestamp(row.get(2)?);
        // Whether an older one is wanted depends on its folder alone.
        let is_wanted = moved_at >= ask.since
            || *wanted.entry(folder.clone()).or_insert_with(|| ask.wants(Path::new(&folder), moved_at));
        if !is_wanted {
            n_older += 1;
        } else if is_session_id(&id) && Path::new(&folder).is_absolute() {
            sessions.push(FoundSession::new(NAME, id, folder, database, moved_at));
        }
    }
    let sql = format!("SELECT count(*) FROM session WHERE {of_folder} AND time_updated < ?1");
    let n_unread: u32 =
        store.connection().query_row(&sql, params![since, within, below], |row| row.get(0))?;
    let n_older = n_older + usize::try_from(n_unread).unwrap_or(usize::MAX);
    let known: HashSet<SessionId> = sessions.iter().map(|found| found.place.session_id.clone()).collect();
    let arrivals = Arrivals::after_survey(store, known)?;
    Ok(Found { sessions, n_older, arrivals })
}

/// How many new messages are examined. With more, a survey is cheaper.
const MAX_NEW: usize = 256;

/// What the last survey, and the checks since, know about messages.
#[derive(Debug, Default)]
pub(super) struct Arrivals {
    settling: Settling,
    /// The last known row of `message`; `None` before the first survey.
    last_row: Option<i64>,
    /// Sessions whose messages need no survey: they were found, or are subagents.
    known: HashSet<SessionId>,
}

impl Arrivals {
    /// The state after a survey that found the sessions `known`.
    fn after_survey(store: &Store, known: HashSet<SessionId>) -> rusqlite::Result<Arrivals> {
        Ok(Arrivals { settling: Settling::default(), last_row: last_row(store)?, known })
    }
}

/// Whether the database changed in a way that calls for a survey. Costs a few `stat` calls if nothing
/// changed, and one short query if something did.
pub(in crate::agent) fn is_news(data_dir: &Path, arrivals: &mut Arrivals) -> bool {
    let database = store::database(data_dir);
    // A missing or unreadable database is for the survey to report.
    let Ok(Some(stamp)) = store::stamp(&database) else { return true };
    let Some(last_row) = arrivals.last_row else { return true };
    if arrivals.settling.is_unchanged(&stamp) {
        return false;
    }
    let known = &arrivals.known;
    let Ok(look) = store::read(&database, &stamp, |store| new_messages(store, last_row, known)) else {
        return true;
    };
    if look.is_news {
        return true;
    }
    arrivals.settling.note(stamp);
    arrivals.last_row = Some(look.last_row);
    arrivals.known.extend(look.subagents);
    false
}

#[derive(Debug)]
struct NewMessages {
    is_news: bool,
    last_row: i64,
    subagents: Vec<SessionId>,
}

fn new_messages(store: &Store, after: i64, known: &HashSet<SessionId>) -> rusqlite::Result<NewMessages> {
    let last_row = last_row(store)?.unwrap_or(i64::MIN);
    let mut look = NewMessages { is_news: last_row < after, last_row, subagents: Vec::new() };
    let sql = format!("SELECT CAST(session_id AS TEXT) FROM message WHERE rowid > ?1 LIMIT {MAX_NEW}");
    let mut statement = store.connection().prepare(&sql)?;
    let sessions = statement.query_map([after], |row| row.get::<_, String>(0))?;
    let mut n_new = 0;
    for id in sessions {
        let id = SessionId::from(id?);
        n_new += 1;
        if known.contains(&id) || look.subagents.contains(&id) {
            continue;
        }
        if is_subagent(store, &id)? {
            look.subagents.push(id);
        } else {
            look.is_news = true;
        }
    }
    look.is_news |= n_new == MAX_NEW;
    Ok(look)
}

fn is_subagent(store: &Store, id: &str) -> rusqlite::Result<bool> {
    let parent = store.column("session", "parent_id");
    let sql = format!("SELECT {parent} IS NOT NULL FROM session WHERE id = ?1");
    Ok(store.connection().query_row(&sql, [id], |row| row.get(0)).optional()?.unwrap_or(false))
}

fn last_row(store: &Store) -> rusqlite::Result<Option<i64>> {
    store.need("message", &["id", "session_id", "data"])?;
    // In an empty table the first message is news.
    let last: Option<i64> =
        store.connection().query_row("SELECT max(rowid) FROM message", [], |row| row.get(0))?;
    Ok(Some(last.unwrap_or(0)))
}
