//! Git's facts as evidence: commits say YES, uncommitted changes are DIRTY, and failing to answer is FAIL.
//! Must not run git.

use crate::model::{
    Changes, Claim, CommitAside, CommitCounts, Evidence, Fact, GitFacts, GitReason, HeadNews, Observations,
    Operation, Origin, Parts, Point, Provenance, Reading, Reason, Rejection, Source, TaskKind, Unreadable,
};

use super::context::{EvidenceSet, WeighContext};

const NAME: &str = "git";

pub(super) fn weigh(observations: &Observations, context: &WeighContext<'_>, evidence_set: &mut EvidenceSet) {
    let with_changes = observations.parts.contains(Parts::CHANGES);
    match &observations.git {
        Reading::Present(git) => {
            evidence_set.add(Parts::COMMITS, commits(&git.facts));
            // A bisect is a search and leaves nothing half done: it counts only for a session that began it, which
            // `combine` knows.
            if let Some(operation) = git.facts.operation.filter(|operation| *operation != Operation::Bisect) {
                evidence_set.add(Parts::COMMITS, unfinished(operation));
            }
            if let Some(changes) = &git.facts.changes {
                evidence_set.add(Parts::CHANGES, uncommitted(changes));
            }
        }
        Reading::Unreadable(unreadable) => {
            evidence_set.add(Parts::COMMITS, silent(Source::Commits, unreadable));
            if with_changes {
                evidence_set.add(Parts::CHANGES, silent(Source::Changes, unreadable));
            }
        }
        Reading::NotLookedAt => {}
        Reading::NotConfigured | Reading::Absent { .. } => {
            evidence_set.add(Parts::COMMITS, no_repository(context));
        }
    }
}

/// The state that git shows at this look.
fn read() -> Provenance {
    Origin::Git.as_read()
}

fn commits(facts: &GitFacts) -> Evidence {
    let counts = &facts.commits;
    let newest_at = counts.newest.iter().map(|commit| commit.at).max();
    let has_news = counts.stays.iter().any(|stay| stay.news != HeadNews::None);
    let mut evidence = if counts.n_new == 0 && counts.n_cancelled > 0 && has_news {
        // A task may be to take back what the one before it did; `combine` knows when it was asked for.
        Evidence::claim(Source::Commits, NAME, Claim::Yes, read())
            .because(GitReason::Cancelled(counts.n_cancelled))
    } else if counts.n_new > 0 {
        let reason = GitReason::NewCommits { n: counts.n_new, is_at_least: counts.is_cut };
        Evidence::claim(Source::Commits, NAME, Claim::Yes, Origin::Git.at(newest_at)).because(reason)
    } else if counts.n_rescued > 0 {
        // What a rescue committed is told below.
        Evidence::abstain(Source::Commits, NAME, Rejection::Vacuous, read())
    } else {
        Evidence::abstain(Source::Commits, NAME, Rejection::Vacuous, read()).because(Fact::NoNewCommit)
    };
    let stashed = (facts.n_stashed > 0).then_some(GitReason::Stashed(facts.n_stashed));
    evidence.reasons.extend(asides(counts).chain(stashed).map(Reason::Git));
    evidence.reasons.extend(facts.notes.iter().cloned().map(Reason::Words));
    evidence
}

/// A merge, rebase or the like that was started but not finished: it is open work, no matter what was
/// committed before.
pub(in crate::judge) fn unfinished(operation: Operation) -> Evidence {
    let evidence = Evidence::claim(Source::Commits, format!("git {}", operation.label()), Claim::No, read())
        .because(GitReason::Unfinished(operation));
    Evidence { points: vec![Point::Operation(operation)], ..evidence }
}

/// Commits since the baseline that are not new work.
fn asides(counts: &CommitCounts) -> impl Iterator<Item = GitReason> {
    let asides = [
        (CommitAside::Rescued, counts.n_rescued),
        (CommitAside::Foreign, counts.n_foreign),
        (CommitAside::Empty, counts.n_empty),
        (CommitAside::Noise, counts.n_noise),
        (CommitAside::Elsewhere, counts.n_elsewhere),
        (CommitAside::Landed, counts.n_landed),
        (CommitAside::Lost, counts.n_lost),
    ];
    asides.into_iter().filter(|(_, n)| *n > 0).map(|(aside, n)| GitReason::Aside(aside, n))
}

fn uncommitted(changes: &Changes) -> Evidence {
    let evidence = if changes.is_clean() {
        Evidence::abstain(Source::Changes, NAME, Rejection::Vacuous, read()).because(Fact::TreeClean)
    } else {
        Evidence::claim(Source::Changes, NAME, Claim::Dirty, read())
            .because(GitReason::Uncommitted(changes.counts()))
    };
    if changes.noise.is_empty() {
        return evidence;
    }
    evidence.because(GitReason::Noise(changes.noise.iter().map(String::as_str).collect()))
}

fn silent(source: Source, unreadable: &Unreadable) -> Evidence {
    Evidence { is_required: true, ..Evidence::claim(source, NAME, Claim::Fail, read()) }
        .because(unreadable.detail.clone())
}

fn no_repository(context: &WeighContext<'_>) -> Evidence {
    match context.task_kind {
        TaskKind::Implementation => {
            let evidence = Evidence::abstain(Source::Commits, NAME, Rejection::Unreadable, read())
                .because(Fact::RepositoryNeeded);
            Evidence { is_required: true, ..evidence }
        }
        TaskKind::ReadInfo | TaskKind::Report => {
            Evidence::abstain(Source::Commits, NAME, Rejection::NotConfigured, read())
                .because(Fact::NoRepository)
        }
    }
}
