//! Decides whether a database change calls for a survey: it does if there is a message in a session that
//! the last survey did not find. opencode writes its log many times per turn, and surveying all agents each
//! time would be too expensive.

use std::collections::HashSet;
use std::path::Path;

use rusqlite::OptionalExtension;

use super::store::{self, Settling, Store};

/// How many new messages are examined. With more, a survey is cheaper.
const MAX_NEW: usize = 256;

/// What the last survey, and the checks since, know about messages.
#[derive(Debug, Default)]
pub(super) struct Arrivals {
    settling: Settling,
    /// The last known row of `message`; `None` before the first survey.
    last_row: Option<i64>,
    /// Sessions whose messages need no survey: they were found, or are subagents.
    known: HashSet<String>,
}

impl Arrivals {
    /// The state after a survey that found the sessions `known`.
    pub(super) fn after_survey(store: &Store, known: HashSet<String>) -> rusqlite::Result<Arrivals> {
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
    let Ok(look) = store::read(&database, &stamp, |store| look(store, last_row, known)) else { return true };
    if look.is_news {
        return true;
    }
    arrivals.settling.note(stamp);
    arrivals.last_row = Some(look.last_row);
    arrivals.known.extend(look.subagents);
    false
}

#[derive(Debug)]
struct Look {
    is_news: bool,
    last_row: i64,
    subagents: Vec<String>,
}

fn look(store: &Store, after: i64, known: &HashSet<String>) -> rusqlite::Result<Look> {
    let last_row = last_row(store)?.unwrap_or(i64::MIN);
    let mut look = Look { is_news: last_row < after, last_row, subagents: Vec::new() };
    let sql = format!("SELECT CAST(session_id AS TEXT) FROM message WHERE rowid > ?1 LIMIT {MAX_NEW}");
    let mut statement = store.connection().prepare(&sql)?;
    let sessions = statement.query_map([after], |row| row.get::<_, String>(0))?;
    let mut n_new = 0;
    for id in sessions {
        let id = id?;
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
