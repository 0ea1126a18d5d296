//! How a session came to be, by its first lines and those of the others beside it.

use super::find::Candidate;
use super::head::Heads;
use crate::model::SessionOrigin;

/// How the session of `candidate` came to be. A copy begins with the very line of the session that it
/// continues, and was made later.
pub(super) fn origin_of(candidate: &Candidate, all: &[Candidate], heads: &Heads) -> SessionOrigin {
    let Some(head) = heads.known(&candidate.path) else { return SessionOrigin::Unknown };
    let Some(first) = &head.first_uuid else { return head.origin.clone() };
    let twins = all.iter().filter(|other| {
        other.path != candidate.path
            && other.path.parent() == candidate.path.parent()
            && heads.known(&other.path).is_some_and(|twin| twin.first_uuid.as_ref() == Some(first))
    });
    let made_at = candidate.file.made_at;
    let is_original = |twin: &&Candidate| {
        let is_copy = heads.known(&twin.path).is_some_and(|twin| twin.is_copy);
        match (is_copy, head.is_copy) {
            (false, true) => true,
            (true, false) => false,
            _ => twin.file.made_at.zip(made_at).is_some_and(|(twin, own)| twin < own),
        }
    };
    match twins.filter(is_original).min_by_key(|twin| twin.file.made_at) {
        Some(original) => SessionOrigin::Fork { of: Some(original.file.id.clone()) },
        None if head.is_copy => SessionOrigin::Fork { of: None },
        None => head.origin.clone(),
    }
}
