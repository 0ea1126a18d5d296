//! What must be known beside a verdict, in words: the same on the screen and in text.

use super::{counts, mark, sets};
use crate::model::{Warning, WorkspaceView};

/// A sentence for each warning: the same points again and again, then what the judge warns of. A mark that has
/// lapsed says why.
pub(crate) fn of(view: &WorkspaceView) -> Vec<String> {
    let Some(verdict) = &view.verdict else { return Vec::new() };
    let again = (verdict.stage > 1).then(|| counts::points_again(verdict.stage));
    let known = verdict.warnings.iter().map(|warning| {
        let lapsed = mark::lapsed(&view.marks).filter(|_| *warning == Warning::MarkLapsed);
        lapsed.unwrap_or_else(|| sets::warning(*warning).to_owned())
    });
    again.into_iter().chain(known).collect()
}
