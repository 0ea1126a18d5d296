//! `closeout rescues`, `restore` and `forget`.

use std::fs;

use serde_json::{Value, json};

use super::rescue::{dirty, run};
use super::schema;
use crate::rescue::forget::age_in;
use crate::rescue::loose::age_kept;
use crate::rescue::unknown::{object, unpack};
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
fn a_restore_prints_as_json_what_it_wrote_and_what_it_left_out() {
    let (env, repo) = (TestEnv::new(), dirty());
    assert_eq!(run(&env, &repo, &["rescue", "--record-only", "--vault"]).code, 0);
    let (_, listed) = records(&env, &repo);
    let reference = listed[0]["reference"].as_str().unwrap();
    let into = env.at("given-back");
    let restore = |record: &str, more: &[&str]| {
        let words = ["restore", record, into.to_str().unwrap(), "--json"];
        let ran = env.run(repo.path(), &[&words[..], more].concat());
        let printed = ran.json();
        schema().assert_valid(&printed);
        assert_eq!((&printed["version"], &printed["exit_code"]), (&json!(1), &json!(ran.code)), "{ran:?}");
        (ran.code, printed)
    };
    let file = |name: &str| json!({"path": name});
    let there = |name: &str| json!({"path": name, "reason": "already_there"});

    let (code, one) = restore(reference, &["--only", "parser.rs"]);
    assert_eq!((code, &one["class"], &one["reason"]), (0, &json!("done"), &Value::Null), "{one:#}");
    assert_eq!((&one["record"], &one["bundle"]), (&json!(reference), &Value::Null), "{one:#}");
    assert_eq!(one["into"], file(into.to_str().unwrap()), "{one:#}");
    assert_eq!((&one["files"], &one["skipped"]), (&json!([file("parser.rs")]), &json!([])), "{one:#}");
    assert_eq!((&one["is_logged"], &one["why_not_logged"]), (&json!(true), &Value::Null), "{one:#}");

    let (code, all) = restore(reference, &[]);
    assert_eq!((code, &all["skipped"]), (0, &json!([there("parser.rs")])), "{all:#}");
    assert!(all["files"].as_array().unwrap().contains(&file(".env")), "{all:#}");

    let bundles = fs::read_dir(env.at("state/rescue")).unwrap();
    let bundles =
        bundles.filter_map(|folder| fs::read_dir(folder.unwrap().path().join("vault")).ok()).flatten();
    let bundle = bundles.map(|entry| entry.unwrap().path()).next().unwrap();
    let (code, of_bundle) = restore(bundle.to_str().unwrap(), &["--only", "parser.rs"]);
    assert_eq!((code, &of_bundle["record"]), (0, &Value::Null), "{of_bundle:#}");
    assert_eq!(of_bundle["bundle"], file(bundle.to_str().unwrap()), "{of_bundle:#}");
    assert_eq!(of_bundle["skipped"], json!([there("parser.rs")]), "{of_bundle:#}");

    fs::write(into.join("parser.rs"), "edited\n").unwrap();
    for (record, words) in
        [(reference, "parser.rs is not as in the record"), ("nothing", "there is no record of that name")]
    {
        let (code, refused) = restore(record, &[]);
        assert_eq!((code, &refused["class"]), (20, &json!("refused")), "{refused:#}");
        assert!(refused["reason"].as_str().unwrap().contains(words), "{refused:#}");
    }
}

/// A script learns which files are there, and which of them it can get by the same restore.
#[test]
fn a_restore_that_lacks_a_content_prints_what_it_wrote_as_json() {
    let (env, repo) = (TestEnv::new(), dirty());
    assert_eq!(run(&env, &repo, &["rescue", "--record-only"]).code, 0);
    let (_, listed) = records(&env, &repo);
    let reference = listed[0]["reference"].as_str().unwrap();
    unpack(&repo);
    let content = |path: &str| object(&repo, &repo.git(["rev-parse", &format!("{reference}:{path}")]));
    fs::remove_file(content(".env")).unwrap();
    fs::copy(content("parser.rs"), content(".env")).unwrap();
    let into = env.at("given-back");
    let failed = env.run(repo.path(), &["restore", reference, into.to_str().unwrap(), "--json"]);
    let printed = failed.json();
    schema().assert_valid(&printed);
    assert_eq!((failed.code, &printed["exit_code"]), (40, &json!(40)), "{failed:?}");
    assert_eq!(printed["class"], "damage", "{printed:#}");
    let damaged = json!([{"path": ".env", "reason": "damaged"}]);
    assert_eq!(printed["skipped"], damaged, "{printed:#}");
    let written = json!({"path": "parser.rs"});
    assert!(printed["files"].as_array().unwrap().contains(&written), "{printed:#}");
    assert!(
        printed["reason"].as_str().unwrap().contains(".env") && failed.err.contains(".env"),
        "{failed:?}"
    );
    assert!(into.join("parser.rs").exists() && !into.join(".env").exists());
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
