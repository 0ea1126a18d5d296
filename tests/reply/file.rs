//! Words for an agent that reads them from a file (R09).

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use closeout::agent::Adapter;
use closeout::engine::EngineConfig;
use closeout::model::{ActionClass, ActivityState, AgentTrail, CustomAgent, ReceiptState, ReplyChannel};

use super::fixture::{ReplyFixture, plan, send};
use crate::support::repo::Repo;
use crate::support::test_env::TestEnv;

const TEXT: &str = "はい\n- $(x)\tok";

fn fixture() -> Option<(ReplyFixture, EngineConfig)> {
    fixture_with(None)
}

fn fixture_with(status: Option<&str>) -> Option<(ReplyFixture, EngineConfig)> {
    let fixture = ReplyFixture::without_agent()?;
    fixture.repo.write("out.md", "Shall I go on?").write("box/.keep", "");
    if let Some(status) = status {
        fixture.repo.write("status.json", status);
    }
    let agent = CustomAgent {
        name: "mine".to_owned(),
        trail: AgentTrail::Output { place: "out.md".to_owned() },
        status_file: status.map(|_| "status.json".to_owned()),
        reply_file: Some("box/reply.md".to_owned()),
        probe: None,
        query: None,
        reply: None,
    };
    let config = fixture.launch_with(fixture.server.tmux(None), Adapter::described(agent), &[]);
    Some((fixture, config))
}

fn names(fixture: &ReplyFixture) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(fixture.repo.at("box"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn the_file_is_there_as_a_whole_and_for_this_user_only() {
    let Some((fixture, config)) = fixture() else { return };
    let seen = plan(&config, "out.md").unwrap();
    let path = fixture.repo.at("box/reply.md");
    assert_eq!(seen.channel, ReplyChannel::File { path: path.clone() });
    let receipt = send(&config, &seen, TEXT).unwrap();
    assert_eq!(receipt.state, ReceiptState::Queued);
    assert_eq!(fs::read_to_string(&path).unwrap(), TEXT);
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(names(&fixture), [".keep", "reply.md"]);
}

#[test]
fn what_stands_there_already_stays() {
    let Some((fixture, config)) = fixture() else { return };
    fixture.repo.write("box/reply.md", "first");
    let problem = send(&config, &plan(&config, "out.md").unwrap(), TEXT).unwrap_err();
    assert_eq!(problem.class, ActionClass::Failed);
    assert!(problem.message.contains("is already there"), "{problem:?}");
    assert_eq!(fs::read_to_string(fixture.repo.at("box/reply.md")).unwrap(), "first");
    assert_eq!(names(&fixture), [".keep", "reply.md"]);
}

#[test]
fn no_link_is_followed() {
    let Some((fixture, config)) = fixture() else { return };
    let outside = fixture.repo.root().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("file"), "kept").unwrap();
    symlink(outside.join("file"), fixture.repo.at("box/reply.md")).unwrap();
    let problem = send(&config, &plan(&config, "out.md").unwrap(), TEXT).unwrap_err();
    assert_eq!(problem.class, ActionClass::Failed);
    assert_eq!(fs::read_to_string(outside.join("file")).unwrap(), "kept");
    // The folder itself is a link.
    fs::remove_dir_all(fixture.repo.at("box")).unwrap();
    symlink(&outside, fixture.repo.at("box")).unwrap();
    let problem = send(&config, &plan(&config, "out.md").unwrap(), TEXT).unwrap_err();
    assert_eq!(problem.class, ActionClass::Failed);
    let left: Vec<_> = fs::read_dir(&outside).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["file"]);
}

#[test]
fn a_folder_that_is_not_there_is_a_failure_that_says_so() {
    let Some((fixture, config)) = fixture() else { return };
    fs::remove_dir_all(fixture.repo.at("box")).unwrap();
    let problem = send(&config, &plan(&config, "out.md").unwrap(), TEXT).unwrap_err();
    assert_eq!(problem.class, ActionClass::Failed);
    assert!(!fixture.repo.at("box").exists());
}

#[test]
fn an_agent_that_waits_for_an_answer_or_a_permission_takes_words_from_its_file() {
    for (status, state) in [
        (r#"{"status":"waiting"}"#, ActivityState::Asks),
        (r#"{"status":"permission","detail":"git push"}"#, ActivityState::NeedsPermission),
    ] {
        let Some((fixture, config)) = fixture_with(Some(status)) else { return };
        let seen = plan(&config, "out.md").unwrap();
        assert_eq!(seen.state, state, "{status}");
        let receipt = send(&config, &seen, TEXT).unwrap();
        assert_eq!(receipt.state, ReceiptState::Queued, "{status}");
        assert_eq!(fs::read_to_string(fixture.repo.at("box/reply.md")).unwrap(), TEXT);
    }
}

#[test]
fn a_permission_of_an_agent_that_takes_words_is_no_key() {
    let repo = Repo::new();
    repo.write("out.md", "I would push now.")
        .write("status.json", r#"{"status":"permission","detail":"git push"}"#);
    let env = TestEnv::beside(&repo);
    env.configure("[[agent]]\nname = \"mine\"\noutput = \"out.md\"\nstatus_file = \"status.json\"\nreply_file = \"reply.md\"\n");
    let allowed = env.run(repo.path(), &["reply", "--allow", "--yes"]);
    assert_eq!(allowed.code, 20, "{allowed:?}");
    assert!(allowed.err.contains("say in a reply what it may do"), "{allowed:?}");
    let said = env.run(repo.path(), &["reply", ".", "Yes, push it.", "--yes"]);
    assert_eq!(said.code, 0, "{said:?}");
    assert_eq!(fs::read_to_string(repo.at("reply.md")).unwrap(), "Yes, push it.");
}
