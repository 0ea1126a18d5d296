//! What becomes of an open point that no evidence mentions any more. Must not look at what is still mentioned.

use crate::model::{
    Claim, Evidence, OpenPoint, Origin, PointState, Rejection, SessionName, Source, Timestamp,
};

/// What becomes of a point that no evidence mentions any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// Its source was not read: it may still be open.
    Kept,
    /// Its source was read and says otherwise.
    Done,
    /// Its source counts no more, or is not there any more.
    Dropped,
}

/// The point as it is listed now; `None` if it is dropped.
///
/// A person who reads "done" relies on it, so nothing is done because nobody mentions it: its source has to be read and say
/// otherwise. What was not read stays, without weight. It need not stay for ever: a look that finds that the source is gone
/// (a plan was deleted, a check is no longer configured, a session is left over) drops the point, because nobody did it
/// and nobody asks for it any more. The monitor drops those of sessions without a record.
pub(super) fn closed(
    known: &OpenPoint,
    evidence: &[&Evidence],
    prompted_at: Option<Timestamp>,
    now: Timestamp,
) -> Option<OpenPoint> {
    if let PointState::Done { at } = known.state {
        return prompted_at.is_none_or(|prompted_at| prompted_at <= at).then(|| known.clone());
    }
    match fate(known, evidence) {
        Fate::Kept => Some(OpenPoint { weighs: false, ..known.clone() }),
        Fate::Done => Some(OpenPoint { state: PointState::Done { at: now }, ..known.clone() }),
        Fate::Dropped => None,
    }
}

fn fate(known: &OpenPoint, evidence: &[&Evidence]) -> Fate {
    let of_source = |evidence: &&&Evidence| {
        is_same_source(evidence.source, known.source)
            && evidence.name == known.from
            && evidence.session() == known.session.as_ref()
    };
    let mut same = evidence.iter().filter(of_source).peekable();
    if same.peek().is_some() {
        return said(same.find_map(|evidence| evidence.rejection()));
    }
    match &known.session {
        Some(session) => in_session(session, evidence),
        None => in_place(known.source, evidence),
    }
}

/// What a source says of a point that it does not mention.
fn said(rejection: Option<Rejection>) -> Fate {
    match rejection {
        Some(Rejection::Unreadable) => Fate::Kept,
        Some(
            Rejection::Stale
            | Rejection::Foreign
            | Rejection::MidTurn
            | Rejection::LeftOver
            | Rejection::Dismissed
            | Rejection::Absent
            | Rejection::NotConfigured,
        ) => Fate::Dropped,
        Some(Rejection::Vacuous | Rejection::Undecided) | None => Fate::Done,
    }
}

/// The same for a plan, a run or words of a session, which say nothing at all any more. Whoever reads a session's record
/// reads all of them.
fn in_session(session: &SessionName, evidence: &[&Evidence]) -> Fate {
    let mut fate = Fate::Kept;
    for evidence in evidence.iter().filter(|evidence| evidence.session() == Some(session)) {
        match (evidence.source, evidence.rejection()) {
            // It was asked nothing for this task, or another session after it.
            (Source::LiveSession, Some(Rejection::LeftOver | Rejection::Vacuous)) => return Fate::Dropped,
            (_, Some(Rejection::Unreadable)) => {}
            _ => fate = Fate::Done,
        }
    }
    fate
}

/// The same for a source outside of sessions. Whether a look read it is told by what is read together with it: that says
/// something at every look, if only that nothing is configured.
fn in_place(source: Source, evidence: &[&Evidence]) -> Fate {
    let is_any = |is_kin: fn(&Evidence) -> bool| evidence.iter().any(|evidence| is_kin(evidence));
    let gone_if = |is_read: bool| if is_read { Fate::Dropped } else { Fate::Kept };
    match source {
        // The row of a check stands there at every look while it is configured, and an answer until the next one.
        Source::Command | Source::Probe | Source::LiveSession | Source::Run => Fate::Dropped,
        // Which one of them it was matters.
        Source::Plan | Source::RequiredFiles => gone_if(is_any(is_of_files)),
        Source::Output | Source::LastWords => gone_if(is_any(is_decision)),
        // An operation of git that has ended, a report under another name, a decision by another way.
        Source::Commits | Source::Changes => match evidence.iter().find(|evidence| is_of_git(evidence)) {
            None => Fate::Kept,
            Some(git) if git.is_rejected_as(Rejection::NotConfigured) => Fate::Dropped,
            Some(_) => Fate::Done,
        },
        Source::Tests | Source::Closer => {
            let is_other = |it: &&&Evidence| it.source == source && it.session().is_none();
            together(evidence.iter().filter(is_other))
        }
        Source::Decision | Source::DecisionWithId | Source::Marker => {
            together(evidence.iter().filter(|evidence| is_decision(evidence)))
        }
    }
}

/// What several pieces of evidence say of a point that none of them mentions.
fn together<'a>(evidence: impl Iterator<Item = &'a &'a Evidence>) -> Fate {
    let mut fate = Fate::Kept;
    for evidence in evidence {
        // A NO that names no point closes none: nothing could be verified.
        let is_mute = evidence.claim == Claim::No && evidence.points.is_empty();
        let told = if is_mute { Fate::Kept } else { said(evidence.rejection()) };
        match told {
            Fate::Kept => return Fate::Kept,
            Fate::Done => fate = Fate::Done,
            Fate::Dropped if fate == Fate::Kept => fate = Fate::Dropped,
            Fate::Dropped => {}
        }
    }
    fate
}

fn is_of_files(evidence: &Evidence) -> bool {
    evidence.provenance.origin == Origin::File
        && matches!(evidence.source, Source::Plan | Source::RequiredFiles | Source::Tests | Source::Closer)
}

fn is_decision(evidence: &Evidence) -> bool {
    matches!(evidence.source, Source::Decision | Source::DecisionWithId | Source::Marker)
}

fn is_of_git(evidence: &Evidence) -> bool {
    evidence.provenance.origin == Origin::Git
        && evidence.claim != Claim::Fail
        && !evidence.is_rejected_as(Rejection::Unreadable)
}

/// Whether both are one: a decision with the id of one check is one without an id for another.
pub(super) fn is_same_source(one: Source, other: Source) -> bool {
    let is_file = |source| matches!(source, Source::Decision | Source::DecisionWithId);
    one == other || is_file(one) && is_file(other)
}
