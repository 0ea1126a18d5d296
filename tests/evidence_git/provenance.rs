//! Where a file's content comes from, as it is remembered.

use std::time::Duration;

use closeout::evidence::git::{ContentOrigin, GitAsk, GitMemory, provenance};

use crate::support::repo::{Repo, git_program};

#[test]
fn what_is_remembered_of_a_file_never_outlives_what_it_was_read_from() {
    let repo = Repo::new();
    let program = git_program();
    let budget = closeout::process::Budget::new(Duration::from_secs(20));
    let ask = GitAsk { program: Some(&program), ..GitAsk::new(repo.now(), &budget) };
    let mut kept = GitMemory::default();
    let mut traced = |content: &str, baseline: &str| {
        let of = |memory: &mut GitMemory| {
            let baseline = baseline.parse().ok();
            let found = provenance(repo.path(), "note", content.as_bytes(), baseline, &ask, memory).unwrap();
            memory.close();
            found
        };
        let remembered = of(&mut kept);
        assert_eq!(remembered, of(&mut GitMemory::default()), "{content} since {baseline}");
        assert_eq!(remembered, of(&mut kept), "{content} since {baseline}");
        remembered
    };
    let first = repo.head();
    assert_eq!(traced("a", &first), ContentOrigin::default());
    repo.write("note", "a").stage("note");
    let second = repo.commit("a note");
    let of_head = traced("a", &first);
    assert!(of_head.since.is_some() && !of_head.is_of_baseline);
    assert_eq!(traced("b", &first), ContentOrigin::default());
    assert!(traced("a", &second).is_of_baseline);
    repo.commit_file("other");
    assert_eq!(traced("a", &first), of_head);
    repo.git(["reset", "-q", "--hard", &first]);
    assert_eq!(traced("a", &first), ContentOrigin::default());
}
