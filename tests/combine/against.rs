//! What speaks against the work, what ages it, and what has nothing to do with it never makes it COMPLETE.

use super::*;

/// What can be added to any case.
#[derive(Debug, Clone, Copy)]
enum Added {
    No,
    Ask,
    Failure,
    CutTurn,
    ForeignCommit,
}

const ALL: [Added; 5] = [Added::No, Added::Ask, Added::Failure, Added::CutTurn, Added::ForeignCommit];

fn added(what: Added, source: Source) -> Evidence {
    match what {
        Added::No => Evidence::claim(source, "added", Claim::No, Origin::File.as_read()),
        Added::Ask => Evidence::claim(Source::LastWords, "added", Claim::Ask, Origin::File.as_read()),
        Added::Failure => Evidence::claim(Source::Run, "added", Claim::Fail, Origin::Run.as_read()),
        Added::CutTurn => {
            Evidence::abstain(Source::LiveSession, "added", Rejection::MidTurn, Origin::File.as_read())
        }
        Added::ForeignCommit => {
            Evidence::abstain(Source::Commits, "added", Rejection::Foreign, Origin::Git.as_read())
        }
    }
}

/// The state at `now`, after a prompt for work at `prompted_at`.
fn state_at(kind: TaskKind, evidence: &[Evidence], now: i64, prompted_at: Option<i64>) -> VerdictState {
    let (policy, rounds) = (policy(&SomePolicy::default()), Rounds::default());
    let case = Case {
        task_kind: kind,
        policy: &policy,
        rounds: &rounds,
        git: None,
        question: None,
        prompted_at: prompted_at.map(Timestamp),
        work: &TaskWork::default(),
        sessions: &[],
        is_temporary: false,
        taken_at: Timestamp(now),
        mark: UserMark::None,
        lapsed: None,
        required: Proof::Said,
        prompt: LastPrompt::Work,
        acted_outside: false,
        passed_at: None,
        is_checked: false,
        is_unseen_in_ci: false,
        chosen: &[],
        before: &[],
    };
    combine(evidence, &case).state
}

const NOW: i64 = 1_000_000_000;

proptest! {
    #[test]
    fn what_is_added_against_the_work_never_completes_it(
        (kind, mut evidence, rounds, seed) in any_case(),
        what in prop::sample::select(ALL.to_vec()),
    ) {
        let before = state_of(kind, &evidence, &rounds);
        evidence.push(added(what, SOURCES[usize::try_from(seed % 15).unwrap()]));
        let after = state_of(kind, &evidence, &rounds);
        if before != VerdictState::Complete || !matches!(what, Added::ForeignCommit) {
            prop_assert_ne!(after, VerdictState::Complete, "{:?}", what);
        }
    }

    #[test]
    fn neither_age_nor_a_prompt_completes_anything(
        (kind, evidence, _, _) in any_case(),
        ages in prop::collection::vec(prop::option::of(0..NOW), 12),
        prompted_at in prop::option::of(0..NOW),
        later in 0..NOW,
    ) {
        let dated: Vec<Evidence> = evidence
            .into_iter()
            .zip(ages)
            .map(|(evidence, age)| {
                let provenance = Origin::File.at(age.map(|age| Timestamp(NOW - age)));
                Evidence { provenance, ..evidence }
            })
            .collect();
        if state_at(kind, &dated, NOW, prompted_at) != VerdictState::Complete {
            prop_assert_ne!(state_at(kind, &dated, NOW + later, prompted_at), VerdictState::Complete);
            let prompted_again = prompted_at.max(Some(later));
            prop_assert_ne!(state_at(kind, &dated, NOW, prompted_again), VerdictState::Complete);
        }
    }
}
