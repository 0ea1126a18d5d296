//! `closeout rescues`, `restore` and `forget`.

use std::fs;

use serde_json::Value;

use super::rescue::{dirty, run};
use crate::rescue::forget::age_in;
use crate::rescue::loose::age_kept;
use crate::support::repo::Repo;
use crate::support::test_env::TestEnv;

fn records(env: &TestEnv, repo: &Repo) -> (i32, Vec<Value>) {
    let listed = run(env, repo, &["rescues", "--json"]);
    (listed.code, listed.json()["records"].as_array().unwrap().clone())
}

#[test]
fn a_record_is_listed_given_back_and_deleted_only_with_a_yes_to_the_loss() {
    let (env, repo) = (TestEnv::new(), dirty());
    assert_eq!(records(&env, &repo), (0, vec![]));
    assert_eq!(run(&env, &repo, &["rescue", "--record-only"]).code, 0);
    let (code, listed) = records(&env, &repo);
    assert_eq!((code, listed.len()), (0, 1));
    let reference = listed[0]["reference"].as_str().unwrap();
    let name = reference.rsplit('/').next().unwrap();
    let text = run(&env, &repo, &["rescues"]).out;
    assert!(text.contains(name) && text.contains("1 record,"), "{text}");
    let path = repo.path().to_str().unwrap();
    let into = env.at("given-back");
    let restore = ["restore", name, into.to_str().unwrap(), "--path", path];
    let restored = env.run(env.at("."), &restore);
    assert_eq!(restored.code, 0, "{restored:?}");
    assert_eq!(fs::read_to_string(into.join(".env")).unwrap(), "TOKEN=1\n");
    assert_eq!(fs::read_to_string(into.join("parser.rs")).unwrap(), "staged\nand not\n");
    fs::remove_file(into.join(".env")).unwrap();
    let again = env.run(env.at("."), &restore);
    assert_eq!(again.code, 0, "{again:?}");
    assert!(
        again.out.starts_with("1 file written to ")
            && again.out.contains(" more were there already and stay as they are"),
        "{again:?}"
    );
    fs::write(into.join("parser.rs"), "edited\n").unwrap();
    let refused = env.run(env.at("."), &restore);
    assert_eq!(refused.code, 20, "{refused:?}");
    assert!(refused.err.contains("parser.rs is not as in the record"), "{refused:?}");
    assert_eq!(fs::read_to_string(into.join("parser.rs")).unwrap(), "edited\n");
    let forget = ["forget", name, "--path", path, "--yes"];
    let refused = env.run(env.at("."), &forget);
    assert_eq!(refused.code, 20, "{refused:?}");
    let lost = env.run(env.at("."), &[&forget[..], &["--lose-work"]].concat());
    assert_eq!(lost.code, 0, "{lost:?}");
    assert_eq!(records(&env, &repo), (0, vec![]));
    let log = run(&env, &repo, &["log", "--json"]).out;
    for kind in ["record", "restore", "forget"] {
        assert!(log.contains(&format!("\"kind\":\"{kind}\"")), "{log}");
    }
    let unknown = env.run(env.at("."), &["restore", "nothing", "x", "--path", path]);
    assert_eq!(unknown.code, 20, "{unknown:?}");
}

#[test]
fn old_records_whose_work_is_in_a_branch_go_with_one_yes() {
    let (env, repo) = (TestEnv::new(), Repo::new());
    repo.write("done", "and committed later\n");
    let path = repo.path().to_str().unwrap();
    let forget_old = |more: &[&str]| env.run(env.at("."), &[&["forget", "--old", "-C", path], more].concat());
    assert_eq!(forget_old(&["--yes"]).code, 12);
    assert_eq!(run(&env, &repo, &["rescue", "--record-only"]).code, 0);
    repo.commit("all of it");
    repo.write("later", "and this is in no branch\n");
    assert_eq!(run(&env, &repo, &["rescue", "--record-only"]).code, 0);
    let (_, listed) = records(&env, &repo);
    let times = listed.iter().map(|record| record["time"].as_i64().unwrap());
    let journals = fs::read_dir(env.at("state/rescue")).unwrap();
    let journal = journals.map(|entry| entry.unwrap().path().join("journal")).find(|it| it.exists()).unwrap();
    times.for_each(|time| age_in(&journal, time, 31));
    let asked = forget_old(&[]);
    assert_eq!((asked.code, records(&env, &repo).1.len()), (24, 2), "{asked:?}");
    let old = listed[1]["reference"].as_str().unwrap();
    let forgotten = forget_old(&["--yes"]);
    assert!(forgotten.code == 0 && forgotten.out.contains(old), "{forgotten:?}");
    let (_, left) = records(&env, &repo);
    assert_eq!(left.len(), 1);
    assert_eq!(left[0]["reference"], listed[0]["reference"]);
}

/// No old record is needed for that, and it is shown, told and audited.
#[test]
fn old_references_that_keep_commits_go_with_one_yes() {
    let (env, repo) = (TestEnv::new(), Repo::new());
    repo.write("a", "1\n").commit("first");
    repo.git(["checkout", "-q", "--detach"]);
    let path = repo.path().to_str().unwrap();
    let forget_old = |more: &[&str]| env.run(env.at("."), &[&["forget", "--old", "-C", path], more].concat());
    repo.write("a", "2\n").commit("second");
    assert_eq!(run(&env, &repo, &["rescue", "--yes"]).code, 0);
    let journals = fs::read_dir(env.at("state/rescue")).unwrap();
    let journal = journals.map(|entry| entry.unwrap().path().join("journal")).find(|it| it.exists()).unwrap();
    let old = age_kept(&repo, &journal);
    repo.write("a", "3\n").commit("third");
    assert_eq!(run(&env, &repo, &["rescue", "--yes"]).code, 0);
    let kept = || repo.git(["for-each-ref", "--format=%(refname)", "refs/closeout/kept"]);
    let asked = forget_old(&[]);
    assert!(asked.code == 24 && kept().contains(&old), "{asked:?}");
    assert!(asked.out.contains(&old) && asked.err.contains("1 reference that keeps commits"), "{asked:?}");
    let forgotten = forget_old(&["--yes"]);
    assert!(forgotten.code == 0 && !kept().contains(&old) && kept().lines().count() == 1, "{forgotten:?}");
    assert!(forgotten.out.contains(&old) && forgotten.out.contains("can no longer undo"), "{forgotten:?}");
    let log = fs::read_to_string(env.at("state/audit.jsonl")).unwrap_or_default();
    assert!(log.contains(&old), "{log}");
}
