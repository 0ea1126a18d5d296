//! How urgently finished work has to be committed (DESIGN.md 2.4). Must not decide whether it has to be.

use crate::model::{ChangedFile, Claim, Head, OnDisk, RescueDegree, SessionView, TaskWork, Timestamp};

use super::case::{Case, changes};
use super::scope;
use super::situation::Tally;
use super::whose::{self, n_lost};
use super::why;

/// If a session was active within this many milliseconds, it or its person is expected to commit the work.
const DAY_MS: i64 = 86_400_000;

/// A part of the uncommitted work: a file, or what was kept apart.
struct Part<'a> {
    path: Option<&'a str>,
    /// When it was last written; `None` if that is not known, as of a deleted file.
    written_at: Option<Timestamp>,
}

/// How urgently finished work has to be committed.
pub(super) fn degree(tally: &Tally<'_>, case: &Case<'_>) -> RescueDegree {
    let is_on_branch =
        case.git.is_some_and(|git| matches!(git.head, Head::Branch { .. })) && n_lost(case) == 0;
    let is_lasting = is_on_branch && !case.is_temporary;
    let is_safe = is_lasting && tally.cut_turn().is_none() && is_looked_after(tally, case);
    if is_safe || why::is_on_branch(tally, case) { RescueDegree::ToCommit } else { RescueDegree::AtRisk }
}

/// Whether each part of the work is that of a session that lives or was active within a day, as far as it is known
/// whose it is.
fn is_looked_after(tally: &Tally<'_>, case: &Case<'_>) -> bool {
    let parts = parts(tally, case);
    let mut sessions = case.sessions.iter();
    if parts.is_empty() || case.work.by_session.is_empty() {
        return sessions.any(|session| is_young(session, case));
    }
    parts.iter().all(|part| makers(part, case).iter().any(|maker| is_young(maker, case)))
}

fn is_young(session: &SessionView, case: &Case<'_>) -> bool {
    session.process.is_some() || session.moved_at.is_some_and(|at| case.taken_at.millis_since(at) < DAY_MS)
}

fn parts<'a>(tally: &Tally<'a>, case: &Case<'a>) -> Vec<Part<'a>> {
    let work = case.work;
    let files = changes(case).into_iter().flat_map(|changes| changes.files.iter().zip(&changes.on_disk));
    let is_of_task = |(file, on_disk): &(&ChangedFile, &Option<OnDisk>)| {
        let is_persons = |since| whose::is_persons(file, on_disk.as_ref(), since, work);
        !work.first_prompt_at.is_some_and(is_persons)
    };
    let files = files.filter(is_of_task).map(|(file, on_disk)| Part {
        path: Some(&file.path),
        written_at: on_disk.map(|on_disk| written_at(&on_disk, work)),
    });
    let apart = tally.claims(Claim::Dirty).filter(|evidence| scope::is_kept_apart(evidence));
    let apart = apart.map(|evidence| Part { path: None, written_at: evidence.said_at() });
    files.chain(apart).collect()
}

/// When a file was written. A file that was moved here keeps its old time.
fn written_at(on_disk: &OnDisk, work: &TaskWork) -> Timestamp {
    if work.moves_files { on_disk.changed_at } else { on_disk.modified_at }
}

/// The sessions that can have made a part of the work: those that name it and were there when it was written, else those
/// that were there, else those that name it, else all that had begun.
fn makers<'a>(part: &Part<'_>, case: &Case<'a>) -> Vec<&'a SessionView> {
    let mut makers: Vec<(u8, &SessionView)> = Vec::new();
    for work in &case.work.by_session {
        let session = case.sessions.iter().find(|session| session.is(&work.session));
        let began = part.written_at.zip(work.began_at);
        let had_begun = began.is_none_or(|(written_at, began_at)| !whose::is_before(written_at, began_at));
        let Some(session) = session.filter(|_| had_begun) else { continue };
        let was_there = part.written_at.is_some_and(|written_at| {
            let is_within = |moved_at: Timestamp| !whose::is_before(moved_at, written_at);
            session.process.is_some() || session.moved_at.is_some_and(is_within)
        });
        let names = part.path.is_some_and(|path| whose::is_among(path, work.paths.iter()));
        makers.push((u8::from(was_there) * 2 + u8::from(names), session));
    }
    let likeliest = makers.iter().map(|(weight, _)| *weight).max();
    makers.retain(|(weight, _)| Some(*weight) == likeliest);
    makers.into_iter().map(|(_, session)| session).collect()
}
