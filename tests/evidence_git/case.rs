//! How a case is asked: by both readers, which must agree on every fact.

use std::path::Path;
use std::time::Duration;

use closeout::evidence::git::{BaselineChoice, GitAsk, GitMemory, observe};
use closeout::model::{
    Baseline, BaselineOrigin, GitFacts, GitObservation, GitReader, Reading, Timestamp, Unreadable,
};

use crate::support::repo::{Repo, git_program};

/// An observation by one reader (`None` lets closeout choose).
pub(super) fn look(
    repo: &Repo,
    path: &Path,
    baseline: BaselineChoice<'_>,
    reader: Option<GitReader>,
    memory: &mut GitMemory,
) -> Reading<GitObservation> {
    look_with(repo, path, baseline, reader, memory, &[])
}

/// The same with evidence files.
pub(super) fn look_with(
    repo: &Repo,
    path: &Path,
    baseline: BaselineChoice<'_>,
    reader: Option<GitReader>,
    memory: &mut GitMemory,
    evidence_files: &[String],
) -> Reading<GitObservation> {
    let (program, home) = (git_program(), repo.home());
    let budget = closeout::process::Budget::new(Duration::from_secs(20));
    let ask = GitAsk {
        changes: true,
        baseline,
        evidence_files,
        reader,
        program: Some(&program),
        home: Some(&home),
        ..GitAsk::new(repo.now(), &budget)
    };
    observe(path, &ask, memory)
}

/// What was read.
pub(super) fn present(read: Reading<GitObservation>) -> GitObservation {
    let Reading::Present(observation) = read else { panic!("read nothing: {read:?}") };
    observation
}

/// The facts that both readers agree on, apart from who read.
pub(super) fn facts(repo: &Repo, baseline: BaselineChoice<'_>) -> GitFacts {
    facts_with(repo, baseline, &[])
}

/// The same with evidence files.
pub(super) fn facts_with(repo: &Repo, baseline: BaselineChoice<'_>, evidence_files: &[String]) -> GitFacts {
    let read = |reader| {
        let memory = &mut GitMemory::default();
        present(look_with(repo, repo.path(), baseline, Some(reader), memory, evidence_files))
    };
    let mut program = read(GitReader::Program);
    let in_process = read(GitReader::InProcess);
    assert_eq!(program.facts.reader, GitReader::Program);
    assert_eq!(in_process.facts.reader, GitReader::InProcess);
    program.facts.reader = GitReader::InProcess;
    assert_eq!(in_process, program, "the readers disagree");
    in_process.facts
}

/// What the program alone reads.
pub(super) fn facts_by_program(repo: &Repo, baseline: BaselineChoice<'_>) -> GitFacts {
    let observation = present(look(repo, repo.path(), baseline, None, &mut GitMemory::default()));
    assert_eq!(observation.facts.reader, GitReader::Program);
    observation.facts
}

/// The reason why nothing was read by this reader.
pub(super) fn refusal(repo: &Repo, path: &Path, reader: Option<GitReader>) -> Unreadable {
    let read = look(repo, path, BaselineChoice::Find, reader, &mut GitMemory::default());
    let Reading::Unreadable(unreadable) = read else { panic!("read: {read:?}") };
    unreadable
}

/// HEAD as it is now, remembered as first seen.
pub(super) fn first_seen(repo: &Repo) -> Baseline {
    // The clock has moved past the last commit.
    Baseline {
        commit: String::from_utf8_lossy(&repo.try_git(&["rev-parse", "-q", "--verify", "HEAD"], &[]).stdout)
            .trim()
            .parse()
            .ok(),
        origin: BaselineOrigin::FirstSeen,
        set_at: repo.now(),
        commit_time: None::<Timestamp>,
    }
}

/// New, foreign, empty, elsewhere, lost since a remembered baseline.
pub(super) fn counts(repo: &Repo, baseline: &Baseline) -> (u32, u32, u32, u32, u32) {
    let commits = facts(repo, BaselineChoice::Remembered(baseline)).commits;
    (commits.n_new, commits.n_foreign, commits.n_empty, commits.n_elsewhere, commits.n_lost)
}
