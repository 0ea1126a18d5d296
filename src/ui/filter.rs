//! Which workspaces the filter shows: every word of it must match a field, most of them fuzzily.
//!
//! The order of the list is never changed by it: most urgent first, filtered or not.

use nucleo_matcher::pattern::{Atom, AtomKind, CaseMatching, Normalization};
use nucleo_matcher::{Config, Matcher, Utf32Str};

use super::state::State;
use crate::model::WorkspaceView;
use crate::present::row;

/// More characters than this a person does not type into a filter.
pub(super) const MAX_SIGNS: usize = 200;

/// The positions in `views` of what the filter lets through; all where nothing is written.
pub(super) fn matching(state: &State, views: &[WorkspaceView]) -> Vec<usize> {
    let wanted: Vec<Wanted> = state.filter.text.split_whitespace().map(Wanted::new).collect();
    if wanted.is_empty() {
        return (0..views.len()).collect();
    }
    let mut matcher = Matcher::new(Config::DEFAULT);
    let mut buffer = Vec::new();
    (0..views.len())
        .filter(|&position| {
            let view = &views[position];
            wanted.iter().all(|word| word.matches(view, &mut matcher, &mut buffer))
        })
        .collect()
}

/// One word of the filter. In a long text nearly every word is found with its letters scattered, so
/// the question is searched for the word as it is.
struct Wanted {
    scattered: Atom,
    whole: Atom,
}

impl Wanted {
    fn new(word: &str) -> Wanted {
        let atom = |kind| Atom::new(word, CaseMatching::Smart, Normalization::Smart, kind, false);
        Wanted { scattered: atom(AtomKind::Fuzzy), whole: atom(AtomKind::Substring) }
    }

    fn matches(&self, view: &WorkspaceView, matcher: &mut Matcher, buffer: &mut Vec<char>) -> bool {
        let branch = view.git.as_ref().and_then(|git| git.head.branch());
        let verdict = view.verdict.as_ref();
        let agents = view.sessions.iter().map(|session| Some(session.agent.as_str()));
        let fields = [Some(view.name.as_str()), branch, view.agent.as_deref()].into_iter().chain(agents);
        let state = [Some(row::state_of(view)), verdict.map(|verdict| verdict.state.name())];
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
