//! `closeout rescues`, `restore` and `forget`.

use std::fs;

use serde_json::Value;

use super::rescue::{dirty, run};
use crate::support::desk::Desk;

fn records(desk: &Desk, repo: &crate::support::repo::Repo) -> (i32, Vec<Value>) {
    let listed = run(desk, repo, &["rescues", "--json"]);
    (listed.code, listed.json()["records"].as_array().unwrap().clone())
}

#[test]
fn a_record_is_listed_given_back_and_deleted_only_with_a_yes_to_the_loss() {
    let (desk, repo) = (Desk::new(), dirty());
    assert_eq!(records(&desk, &repo), (0, vec![]));
    assert_eq!(run(&desk, &repo, &["rescue", "--record-only"]).code, 0);
    let (code, listed) = records(&desk, &repo);
    assert_eq!((code, listed.len()), (0, 1));
    let reference = listed[0]["reference"].as_str().unwrap();
    let name = reference.rsplit('/').next().unwrap();
    let text = run(&desk, &repo, &["rescues"]).out;
    assert!(text.contains(name) && text.contains("1 record,"), "{text}");
    let path = repo.path().to_str().unwrap();
    let into = desk.at("given-back");
    let restore = ["restore", name, into.to_str().unwrap(), "--path", path];
    let restored = desk.run(desk.at("."), &restore);
    assert_eq!(restored.code, 0, "{restored:?}");
    assert_eq!(fs::read_to_string(into.join(".env")).unwrap(), "TOKEN=1\n");
    assert_eq!(fs::read_to_string(into.join("parser.rs")).unwrap(), "staged\nand not\n");
    let again = desk.run(desk.at("."), &restore);
    assert_eq!(again.code, 20, "{again:?}");
    let forget = ["forget", name, "--path", path, "--yes"];
    let refused = desk.run(desk.at("."), &forget);
    assert_eq!(refused.code, 20, "{refused:?}");
    let lost = desk.run(desk.at("."), &[&forget[..], &["--lose-work"]].concat());
    assert_eq!(lost.code, 0, "{lost:?}");
    assert_eq!(records(&desk, &repo), (0, vec![]));
    let log = run(&desk, &repo, &["log", "--json"]).out;
    for kind in ["record", "restore", "forget"] {
        assert!(log.contains(&format!("\"kind\":\"{kind}\"")), "{log}");
    }
    let unknown = desk.run(desk.at("."), &["restore", "nothing", "x", "--path", path]);
    assert_eq!(unknown.code, 20, "{unknown:?}");
}
