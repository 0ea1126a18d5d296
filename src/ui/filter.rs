//! Decides which workspaces the filter shows: every word of it must match a field, most of them fuzzily.
//!
//! Matches in a workspace's name rank above matches in its other text; equal matches keep the order of the
//! list. `s:asks` matches a state and nothing else.

use nucleo_matcher::pattern::{Atom, AtomKind, CaseMatching, Normalization};
use nucleo_matcher::{Config, Matcher, Utf32Str};

use super::state::State;
use crate::model::WorkspaceView;
use crate::present::row;

/// The most characters in a filter, more than a person types.
pub(super) const MAX_SIGNS: usize = 200;

/// The positions in `views` of the workspaces that the filter lets through; all if it is empty.
pub(super) fn matching(state: &State, views: &[WorkspaceView]) -> Vec<usize> {
    let wanted: Vec<Wanted> = state.filter.text.split_whitespace().map(Wanted::new).collect();
    if wanted.is_empty() {
        return (0..views.len()).collect();
    }
    let mut matcher = Matcher::new(Config::DEFAULT);
    let mut buffer = Vec::new();
    let mut matching: Vec<(bool, usize)> = Vec::new();
    for (position, view) in views.iter().enumerate() {
        if wanted.iter().all(|word| word.matches(view, &mut matcher, &mut buffer)) {
            let is_named = wanted.iter().any(|word| word.names(view, &mut matcher, &mut buffer));
            matching.push((!is_named, position));
        }
    }
    matching.sort_unstable();
    matching.into_iter().map(|(_, position)| position).collect()
}

/// Prefix of a word that matches a state.
const STATE: &str = "s:";

/// One word of the filter. Scattered letters match almost any long text, so in the question the word must occur
/// as typed.
struct Wanted {
    scattered: Atom,
    whole: Atom,
    is_state: bool,
}

impl Wanted {
    fn new(word: &str) -> Wanted {
        let state = word.strip_prefix(STATE).filter(|state| !state.is_empty());
        let word = state.unwrap_or(word);
        let case = if state.is_some() { CaseMatching::Ignore } else { CaseMatching::Smart };
        let atom = |kind| Atom::new(word, case, Normalization::Smart, kind, false);
        let (scattered, whole) = (atom(AtomKind::Fuzzy), atom(AtomKind::Substring));
        Wanted { scattered, whole, is_state: state.is_some() }
    }

    /// Whether the workspace's own name contains it as typed.
    fn names(&self, view: &WorkspaceView, matcher: &mut Matcher, buffer: &mut Vec<char>) -> bool {
        !self.is_state && self.whole.score(Utf32Str::new(&view.name, buffer), matcher).is_some()
    }

    fn matches(&self, view: &WorkspaceView, matcher: &mut Matcher, buffer: &mut Vec<char>) -> bool {
        let branch = view.git.as_ref().and_then(|git| git.head.branch());
        let verdict = view.verdict.as_deref();
        let agents = view.sessions.iter().map(|session| Some(session.agent.as_str()));
        let fields = [Some(view.name.as_str()), branch, view.agent.as_deref()].into_iter().chain(agents);
        let state = [Some(row::state_of(view)), verdict.map(|verdict| verdict.state.name())];
        if self.is_state {
            let mut states = state.into_iter().flatten();
            return states.any(|field| self.whole.score(Utf32Str::new(field, buffer), matcher).is_some());
        }
        let sessions = view.sessions.iter();
        let beside = sessions.map(|session| session.question.as_ref().map(|asked| asked.text.as_str()));
        let question = verdict.and_then(|verdict| verdict.question.as_ref()).map(|asked| asked.text.as_str());
        let mut found =
            |atom: &Atom, field: &str| atom.score(Utf32Str::new(field, buffer), matcher).is_some();
        fields.flatten().any(|field| found(&self.scattered, field))
            || state
                .into_iter()
                .chain([question])
                .chain(beside)
                .flatten()
                .any(|field| found(&self.whole, field))
    }
}
