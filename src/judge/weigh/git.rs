//! Git's facts as evidence: commits say YES, uncommitted changes are DIRTY, and failing to answer is FAIL.
//! Must not run git.

use crate::model::{
    Changes, Claim, CommitCounts, Evidence, Fact, GitFacts, HeadNews, Observations, Operation, Parts, Point,
    Reading, Reason, Rejection, Source, TaskKind, Unreadable, quantity,
};

use super::context::{EvidenceSet, WeighContext};

const NAME: &str = "git";

pub(super) fn weigh(observations: &Observations, scales: &WeighContext<'_>, pile: &mut EvidenceSet) {
    let with_changes = observations.parts.contains(Parts::CHANGES);
    match &observations.git {
        Reading::Present(git) => {
            pile.add(Parts::COMMITS, commits(&git.facts));
            pile.evidence.extend(unfinished(&git.facts).map(|evidence| (Parts::COMMITS, evidence)));
            if let Some(changes) = &git.facts.changes {
                pile.add(Parts::CHANGES, uncommitted(changes));
            }
        }
        Reading::Unreadable(unreadable) => {
            pile.add(Parts::COMMITS, silent(Source::Commits, unreadable));
            if with_changes {
                pile.add(Parts::CHANGES, silent(Source::Changes, unreadable));
            }
        }
        Reading::NotLookedAt => {}
        Reading::NotConfigured | Reading::Absent { .. } => pile.add(Parts::COMMITS, no_repository(scales)),
    }
}

fn commits(facts: &GitFacts) -> Evidence {
    let counts = &facts.commits;
    let newest_at = counts.newest.iter().map(|commit| commit.at).max();
    let has_news = counts.stays.iter().any(|stay| stay.news != HeadNews::None);
    let mut evidence = if counts.n_new == 0 && counts.n_cancelled > 0 && has_news {
        // A task may be to take back what the one before it did; `combine` knows when it was asked for.
        Evidence::claim(Source::Commits, NAME, Claim::Yes).because(format!(
            "{} since the baseline",
            quantity::counted(counts.n_cancelled, "commit", "commits")
        ))
    } else if counts.n_new > 0 {
        let at_least = if counts.is_cut { "at least " } else { "" };
        Evidence::claim(Source::Commits, NAME, Claim::Yes)
            .because(format!(
                "{at_least}{} since the baseline",
                quantity::counted(counts.n_new, "new commit", "new commits")
            ))
            .at(newest_at)
    } else {
        Evidence::abstain(Source::Commits, NAME, Rejection::Vacuous).because(Fact::NoNewCommit)
    };
    evidence.reasons.extend(asides(counts).into_iter().map(Reason::Words));
    if facts.n_stashed > 0 {
        evidence.reasons.push(Reason::Words(format!(
            "{} in the stash of this repository",
            quantity::counted(facts.n_stashed, "entry", "entries")
        )));
    }
    evidence.reasons.extend(facts.notes.iter().cloned().map(Reason::Words));
    evidence
}

/// A merge, rebase or the like that was started but not finished: it is open work, no matter what was
/// committed before. A bisect is a search and leaves nothing half done.
fn unfinished(facts: &GitFacts) -> Option<Evidence> {
    let name = match facts.operation? {
        Operation::Merge => "merge",
        Operation::Rebase => "rebase",
        Operation::CherryPick => "cherry-pick",
        Operation::Revert => "revert",
        Operation::ApplyMailbox => "am",
        Operation::Bisect => return None,
    };
    let evidence = Evidence::claim(Source::Commits, format!("git {name}"), Claim::No)
        .because(format!("a {name} was begun and is not ended"));
    Some(Evidence { points: vec![Point::Operation(name.to_owned())], ..evidence })
}

/// Commits since the baseline that are not new work, in words.
fn asides(counts: &CommitCounts) -> Vec<String> {
    let said = [
        (counts.n_rescued, "of a rescue, which says nothing of the work's end"),
        (counts.n_foreign, "made elsewhere"),
        (counts.n_empty, "without own changes"),
        (counts.n_elsewhere, "made here and only on another branch"),
        (counts.n_lost, "made here that no branch reaches any more"),
    ];
    said.into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{} {what}", quantity::counted(count, "commit", "commits")))
        .collect()
}

fn uncommitted(changes: &Changes) -> Evidence {
    if changes.is_clean() {
        return Evidence::abstain(Source::Changes, NAME, Rejection::Vacuous).because(Fact::TreeClean);
    }
    let kinds: Vec<String> = [
        (changes.n_staged, "staged"),
        (changes.n_unstaged, "unstaged"),
        (changes.n_untracked, "untracked"),
        (changes.n_conflicted, "in conflict"),
    ]
    .into_iter()
    .filter(|(count, _)| *count > 0)
    .map(|(count, what)| format!("{count} {what}"))
    .collect();
    let twice = match changes.n_counted_twice() {
        0 => String::new(),
        n_twice => format!(" ({})", quantity::counted(n_twice, "counts twice", "count twice")),
    };
    Evidence::claim(Source::Changes, NAME, Claim::Dirty).because(format!(
        "{} not committed: {}{twice}",
        quantity::counted(changes.n_paths, "file is", "files are"),
        kinds.join(", ")
    ))
}

fn silent(source: Source, unreadable: &Unreadable) -> Evidence {
    Evidence { is_required: true, ..Evidence::claim(source, NAME, Claim::Fail) }
        .because(unreadable.detail.clone())
}

fn no_repository(scales: &WeighContext<'_>) -> Evidence {
    match scales.task_kind {
        TaskKind::Implementation => {
            let evidence = Evidence::abstain(Source::Commits, NAME, Rejection::Unreadable)
                .because(Fact::RepositoryNeeded);
            Evidence { is_required: true, ..evidence }
        }
        TaskKind::ReadInfo | TaskKind::Report => {
            Evidence::abstain(Source::Commits, NAME, Rejection::NotConfigured).because(Fact::NoRepository)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::present::reason;

    #[test]
    fn the_kinds_of_changes_add_up_to_the_files() {
        let said = |n_staged, n_unstaged, n_untracked, n_paths| {
            let changes = Changes { n_staged, n_unstaged, n_untracked, n_paths, ..Changes::default() };
            reason::all(&uncommitted(&changes))
        };
        assert_eq!(said(0, 1, 0, 1), ["1 file is not committed: 1 unstaged"]);
        assert_eq!(said(1, 1, 2, 4), ["4 files are not committed: 1 staged, 1 unstaged, 2 untracked"]);
        assert_eq!(
            said(1, 1, 3, 4),
            ["4 files are not committed: 1 staged, 1 unstaged, 3 untracked (1 counts twice)"]
        );
        assert_eq!(said(3, 3, 0, 4), ["4 files are not committed: 3 staged, 3 unstaged (2 count twice)"]);
    }
}
