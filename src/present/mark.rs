//! A person's statements about a workspace, in words.

use super::age;
use super::counts;
use super::phrases::mark as phrase;
use crate::model::{MarkLapse, MarkOrder, MarkWord, Marks, Timestamp};

/// A statement, in a few words.
pub(crate) fn order(order: &MarkOrder) -> String {
    match order {
        MarkOrder::Done => phrase::done().to_owned(),
        MarkOrder::Open => phrase::open().to_owned(),
        MarkOrder::Quiet => phrase::quiet().to_owned(),
        MarkOrder::NotOfThisTask { point: Some(point) } => phrase::point_not_of_task(point),
        MarkOrder::NotOfThisTask { point: None } => phrase::points_not_of_task().to_owned(),
        MarkOrder::BaselineHere => phrase::baseline_here().to_owned(),
        MarkOrder::TaskKind { task_kind } => phrase::kind(task_kind.name()),
        MarkOrder::TakeBack { order: said } => phrase::take_back(self::order(said)),
        MarkOrder::Clear => phrase::clear().to_owned(),
    }
}

/// The statements that still hold, each with its age and reason. The reasons are untrusted text.
pub(crate) fn holding(marks: &Marks, now: Timestamp) -> Vec<String> {
    let said = |what: &str, at: Timestamp, reason: Option<&str>| match reason {
        Some(reason) => phrase::said_because(what, age::ago(now, at), reason),
        None => phrase::said(what, age::ago(now, at)),
    };
    let word = marks.word.as_ref().map(|mark| {
        let what = match mark.word {
            MarkWord::Done => phrase::done(),
            MarkWord::Open => phrase::open(),
        };
        said(what, mark.at, mark.reason.as_deref())
    });
    let quiet = marks.quiet.as_ref().map(|mark| said(phrase::quiet(), mark.at, mark.reason.as_deref()));
    let dismissed =
        (!marks.not_of_task.is_empty()).then(|| counts::points_not_of_task(marks.not_of_task.len()));
    let kind = marks.task_kind.map(|kind| phrase::kind(kind.name()));
    let baseline = marks.baseline.as_ref();
    let baseline = baseline.map(|mark| said(phrase::baseline_here(), mark.at, mark.reason.as_deref()));
    [word, quiet, dismissed, kind, baseline].into_iter().flatten().collect()
}

/// Why a verdict given by the person no longer holds; `None` if none lapsed.
pub(crate) fn lapsed(marks: &Marks) -> Option<String> {
    let why = |lapse| match lapse {
        MarkLapse::Prompt => phrase::lapsed_by_prompt(),
        MarkLapse::Question => phrase::lapsed_by_question(),
        MarkLapse::Point => phrase::lapsed_by_point(),
        MarkLapse::Content => phrase::lapsed_by_content(),
    };
    marks.lapsed.map(|lapse| phrase::lapsed(why(lapse)))
}

/// The text shown when no mark holds.
pub(crate) fn nothing() -> &'static str {
    phrase::nothing()
}
