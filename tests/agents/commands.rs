//! The command lines by which Claude Code is asked or told something.

use closeout::agent::{AgentCommand, AnswerPlace, Argument, Asking, Trace};

use super::*;

const ID: &str = "5e3c6d27-f91a-4d5d-9f33-af66db01304c";

fn session(id: &str, folder: Option<&str>) -> SessionObservation {
    let mut session = read_claude_transcript(id, b"");
    session.folder = folder.map(PathBuf::from);
    session
}

fn command(session: &SessionObservation, asking: &Asking) -> Option<AgentCommand> {
    Adapter::named("claude", PathBuf::from("/home/user/.claude")).unwrap().command(session, asking)
}

fn arguments(command: &AgentCommand) -> Vec<&str> {
    let text = |argument: &'_ Argument| match argument {
        Argument::Text(_) => {}
        Argument::File(_) | Argument::RecordCopy => panic!("a file"),
    };
    command.arguments.iter().for_each(text);
    let texts = command.arguments.iter().filter_map(|argument| match argument {
        Argument::Text(text) => Some(text.as_str()),
        Argument::File(_) | Argument::RecordCopy => None,
    });
    texts.collect()
}

const LOOK: [&str; 10] = [
    "-p", "--resume", ID, "--no-session-persistence", "--settings", r#"{"disableAllHooks":true}"#,
    "--permission-mode", "plan", "--output-format", "json",
];

#[test]
fn a_probe_leaves_no_trace_runs_no_hook_and_takes_its_prompt_from_standard_input() {
    let prompt = "--dangerously-skip-permissions\n`rm -rf`".to_owned();
    let probe =
        command(&session(ID, Some("/work")), &Asking::Probe { prompt: prompt.clone(), model: None }).unwrap();
    assert_eq!((probe.program.as_str(), arguments(&probe)), ("claude", LOOK.to_vec()));
    assert_eq!((probe.stdin, probe.folder), (prompt, PathBuf::from("/work")));
    let variables = [("CLAUDE_CODE_MAX_RETRIES", "1"), ("CLOSEOUT_PROBE", "1")];
    assert_eq!(probe.environment, variables.map(|(name, value)| (name.to_owned(), value.into())));
    assert_eq!((probe.trace, probe.answer), (Trace::Nothing, AnswerPlace::ResultObject));
}

#[test]
fn the_closer_is_a_probe_with_a_schema() {
    let asking =
        Asking::Closer { prompt: "list".to_owned(), schema: "{\"type\":\"object\"}".to_owned(), model: None };
    let closer = command(&session(ID, Some("/work")), &asking).unwrap();
    assert_eq!(arguments(&closer), [&LOOK[..], &["--json-schema", "{\"type\":\"object\"}"]].concat());
    assert_eq!((closer.stdin.as_str(), closer.trace), ("list", Trace::Nothing));
}

#[test]
fn a_reply_becomes_part_of_the_session_and_is_told_in_its_own_folder() {
    let fresh = Asking::Fresh {
        prompt: "judge".to_owned(),
        schema: "{}".to_owned(),
        model: Some("haiku".to_owned()),
    };
    let fresh = command(&session("", Some("/work")), &fresh).unwrap();
    assert!(!arguments(&fresh).contains(&"--resume"), "a new session: {:?}", arguments(&fresh));
    assert!(arguments(&fresh).ends_with(&["--json-schema", "{}", "--model", "haiku"]));
    assert_eq!(fresh.trace, Trace::Nothing);
    let asking = Asking::Reply { text: "-yes\nand go on".to_owned() };
    let reply = command(&session(ID, Some("/work/sub")), &asking).unwrap();
    assert_eq!(arguments(&reply), ["-p", "--resume", ID, "--output-format", "json"]);
    assert_eq!((reply.stdin.as_str(), reply.folder), ("-yes\nand go on", PathBuf::from("/work/sub")));
    assert_eq!((reply.trace, reply.environment), (Trace::InSession, vec![]));
}

#[test]
fn there_is_no_queue_for_a_live_session() {
    let asking = Asking::Queue { text: "go on".to_owned() };
    assert_eq!(command(&session(ID, Some("/work")), &asking), None);
}

#[test]
fn an_id_that_is_none_of_the_clients_and_a_folder_that_is_not_known_are_refused() {
    let asking = Asking::Probe { prompt: "status".to_owned(), model: None };
    let long = format!("{ID}-{ID}");
    let others = [
        "", "--dangerously-skip-permissions", "my work", "5e3c6d27-f91a-4d5d-9f33-af66db01304",
        "5e3c6d27-f91a-4d5d-9f33-af66db01304g", "5e3c6d27f91a4d5d9f33af66db01304c",
        "-e3c6d27-f91a-4d5d-9f33-af66db01304c", "5e3c6d27-f91a-4d5d-9f33-af66db0130é", &long,
    ];
    for id in others {
        assert_eq!(command(&session(id, Some("/work")), &asking), None, "{id}");
    }
    for folder in [None, Some("work"), Some("")] {
        assert_eq!(command(&session(ID, folder), &asking), None, "{folder:?}");
    }
}

#[test]
fn versions_between_those_that_were_tried_are_known() {
    let adapter = Adapter::named("claude", PathBuf::from("/home/user/.claude")).unwrap();
    for version in ["1.0.128", "2.1.197", "2.1.330", "2.0.0", "2.1.330-beta.1"] {
        assert!(adapter.facts().knows_version(version), "{version}");
    }
    for version in ["1.0.127", "2.1.331", "3.0.0", "0.2.9", "", "2.1", "2.1.330.1", "v2.1.330", "2.x.1", "-"]
    {
        assert!(!adapter.facts().knows_version(version), "{version}");
    }
}
