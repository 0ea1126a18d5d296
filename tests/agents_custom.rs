//! Tests of agents that a person describes: what is refused in the configuration, and sessions by their
//! outputs, records and status files, also as they go wrong.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use closeout::agent::{self, Adapter, Argument, Asking, Memories, SessionsRead, Trace};
use closeout::config::{Config, LayerOrigin, Sources, WORKSPACE_FILE, parse_layer};
use closeout::model::{
    Activity, ActivitySource, ActivityState, AgentTrail, Claim, CustomAgent, LiveStatus, Names, ReadProblem,
    SessionObservation, TaskKind, Timestamp, TranscriptFormat, TurnState,
};
use closeout::present::reason;
use proptest::prelude::*;
use tempfile::TempDir;

use crate::support::weighed_words;

/// A workspace of its own, and a home directory.
struct Machine {
    _temp: TempDir,
    top: PathBuf,
    workspace: PathBuf,
    memory: Memories,
}

impl Machine {
    fn new() -> Machine {
        let temp = crate::support::scratch::folder();
        let top = temp.path().canonicalize().unwrap();
        let workspace = top.join("work.x");
        fs::create_dir(&workspace).unwrap();
        fs::create_dir_all(top.join("home/.config/closeout")).unwrap();
        Machine { _temp: temp, top, workspace, memory: Memories::default() }
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.workspace.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// The agents of a configuration, as the program gets them.
    fn agents(&self, text: &str) -> Vec<CustomAgent> {
        fs::write(self.top.join("home/.config/closeout/config.toml"), text).unwrap();
        let sources = Sources { home: Some(self.top.join("home")), ..Sources::default() };
        Config::load(&sources).unwrap().agents().to_vec()
    }

    fn agent(&self, text: &str) -> CustomAgent {
        let agents = self.agents(&format!("[[agent]]\nname = \"mine\"\n{text}"));
        let [agent] = agents.try_into().unwrap();
        agent
    }

    fn read(&mut self, agent: &CustomAgent) -> SessionsRead {
        agent::sessions(&[Adapter::described(agent.clone())], &self.workspace, &[], &mut self.memory)
    }

    fn session(&mut self, agent: &CustomAgent) -> SessionObservation {
        let read = self.read(agent);
        assert_eq!(read.trouble, []);
        assert_eq!(read.sessions.len(), 1, "{read:?}");
        read.sessions.into_iter().next().unwrap()
    }

    /// What is made of the agent's words at the time `now` (milliseconds): what it does, and its question.
    fn weighed(&self, agent: &CustomAgent, now: i64) -> (Activity, Option<String>) {
        let asked = weighed_words::Asked {
            workspace: &self.workspace,
            task_kind: TaskKind::ReadInfo,
            adapter: Adapter::described(agent.clone()),
            sessions: Vec::new(),
            now,
            own_session: None,
        };
        let words = weighed_words::sample(asked).session_facts.unwrap();
        (
            words.activity.unwrap(),
            words.last_words.and_then(|words| words.question.clone()).map(|question| question.text),
        )
    }
}

fn set_time(path: &Path, seconds: u64) {
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
    File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
}

const JSONL: &str = r#"
transcript = ".mine/*.jsonl"
format = "jsonl"
fields.role = "message.role"
fields.text = "message.content"
fields.time = "at"
"#;

// --- configuration ----------------------------------------------------------------------------------

/// What is wrong in a text of the person, as lines without the file name.
fn refused(text: &str) -> String {
    match parse_layer(text, "f", LayerOrigin::User, Some(Path::new("/home/ann"))) {
        Ok(_) => String::new(),
        Err(error) => error.to_string(),
    }
}

/// What is wrong in the keys of an entry that is right without them.
fn refused_keys(keys: &str) -> String {
    refused(&format!("[[agent]]\nname = \"mine\"\n{keys}"))
}

#[test]
fn an_entry_becomes_an_agent() {
    let machine = Machine::new();
    let text = r#"
[[agent]]
name = "mine"
transcript = "~/.mine/{slug}/*.jsonl"
format = "jsonl"
fields.role = "message.role"
fields.text = "message.content"
status_file = ".mine/status.json"
reply_file = ".mine/reply.md"
commands.probe = ["mine", "ask"]
commands.reply = ["~/bin/mine", "continue", "{session_file}"]

[[agent]]
name = "other"
output = "out/*.md"
"#;
    let home = machine.top.join("home").display().to_string();
    let list = |parts: &[&str]| Some(parts.iter().map(|part| (*part).to_owned()).collect());
    let program = format!("{home}/bin/mine");
    let expected = CustomAgent {
        name: "mine".to_owned(),
        trail: AgentTrail::Transcript {
            place: format!("{home}/.mine/{{slug}}/*.jsonl"),
            format: TranscriptFormat::Jsonl {
                role: "message.role".to_owned(),
                text: "message.content".to_owned(),
                time: None,
            },
        },
        status_file: Some(".mine/status.json".to_owned()),
        reply_file: Some(".mine/reply.md".to_owned()),
        probe: list(&["mine", "ask"]),
        query: None,
        reply: list(&[&program, "continue", "{session_file}"]),
    };
    let agents = machine.agents(text);
    assert_eq!(agents[0], expected);
    assert_eq!(agents[1].trail, AgentTrail::Output { place: "out/*.md".to_owned() });
}

#[test]
fn each_mistake_has_its_place_its_key_and_what_is_allowed() {
    let said = refused("[[agent]]\nnam = \"mine\"\noutput = \"a.md\"\n");
    let allowed = "allowed here: name, output, transcript, format, fields, status_file, reply_file, commands";
    assert_eq!(
        said,
        format!(
            "f:1:1: `agent.name` is missing\n\
             f:2:1: `agent.nam` is not a closeout key; did you mean `agent.name`?; {allowed}"
        )
    );
    let cases = [
        ("output = 5", "f:3:10: `agent.output` must be a string, not a whole number"),
        ("", "f:1:1: `agent.output` or `transcript` is missing: one of them says where its words are"),
        (
            "output = \"a\"\ntranscript = \"b\"",
            "f:4:1: `agent.transcript` cannot stand beside `output`: one of them says where its words are",
        ),
        ("output = \"a\"\nformat = \"claude\"", "f:4:1: `agent.format` belongs to a `transcript`"),
        ("transcript = \"a\"", "f:3:1: `agent.format` is missing: it is \"claude\", \"codex\" or \"jsonl\""),
        (
            "transcript = \"a\"\nformat = \"jsnol\"",
            "f:4:10: `agent.format` must be \"claude\", \"codex\" or \"jsonl\", not \"jsnol\"; did you mean \"jsonl\"?",
        ),
        (
            "transcript = \"a\"\nformat = \"jsonl\"\nfields.role = \"r\"",
            "f:3:1: `agent.fields.text` is missing: a dotted path into each line, like \"message.role\"",
        ),
        (
            "transcript = \"a\"\nformat = \"jsonl\"\nfields = {role = \"r\", text = \"t\", tmie = \"x\"}",
            "f:5:35: `agent.fields.tmie` is not a closeout key; did you mean `agent.fields.time`?; \
             allowed here: role, text, time",
        ),
        (
            "output = \"a\"\ncommands.probe = []",
            "f:4:18: `agent.commands.probe` must be a list of strings: a program, by its name or an absolute \
             path, and its arguments",
        ),
        (
            "output = \"a\"\ncommands = 5",
            "f:4:12: `agent.commands` must be a table with probe, query, reply, not a whole number",
        ),
        (
            "output = \"a\"\nstatus_file = \"*.json\"",
            "f:4:15: `agent.status_file` must be one file, without `*` and `?`",
        ),
    ];
    for (keys, expected) in cases {
        assert_eq!(refused_keys(keys), expected, "{keys}");
    }
    assert_eq!(refused("agent = 5"), "f:1:1: `agent` must be a list of tables: write [[agent]]");
    assert_eq!(refused("agent = [5]"), "f:1:1: `agent` must be a list of tables: write [[agent]]");
    assert!(refused("[[agnet]]").contains("did you mean `agent`?"));
}

#[test]
fn a_place_that_leads_elsewhere_or_is_the_same_for_all_is_refused() {
    let refused_places = [
        "", "..", "../x", "a/../../x", "a/", "/", "/var/out.md", "~/out.md", "~/{nmae}/x", "a/**/b",
        "{name}*.md", "{workspace", "a\\u0000b", "a\\nb", "~bob/{", "/a/{slug}/../x",
    ];
    for place in refused_places {
        assert_ne!(refused_keys(&format!("output = \"{place}\"")), "", "{place:?}");
    }
    for place in ["out.md", "./a/*/b?.md", "~/{name}/x", "/v/{slug}/*.md", "{workspace}/x", "/m{workspace}/x"]
    {
        assert_eq!(refused_keys(&format!("output = \"{place}\"")), "", "{place:?}");
    }
    for program in ["\"\"", "\"./x\"", "\"a/b\"", "\"-x\"", "\"x\", 5", "\"x\\u0000\""] {
        assert_ne!(refused_keys(&format!("output = \"a\"\ncommands.reply = [{program}]")), "", "{program}");
    }
}

#[test]
fn names_are_ones_own() {
    for name in
        ["", "claude", "codex", "gemini", "opencode", "Mine", "a b", "a/b", "ab\\u001b", &"a".repeat(33)]
    {
        assert_ne!(refused(&format!("[[agent]]\nname = \"{name}\"\noutput = \"a\"")), "", "{name:?}");
    }
    let twice = "[[agent]]\nname = \"a\"\noutput = \"a\"\n[[agent]]\nname = \"a\"\noutput = \"b\"\n";
    assert_eq!(refused(twice), "f:5:1: `agent.name` is the name of another agent too: \"a\"");
}

#[test]
fn a_workspace_describes_no_agent() {
    let text = "[[agent]]\nname = \"mine\"\noutput = \"a\"\ncommands.reply = [\"evil\"]\n";
    let said = parse_layer(text, "f", LayerOrigin::Workspace, None).unwrap_err().to_string();
    assert!(said.contains("`agent` counts only in your own configuration file"), "{said}");
    let machine = Machine::new();
    machine.write(WORKSPACE_FILE, text);
    let sources = Sources { home: Some(machine.top.join("home")), ..Sources::default() };
    let config = Config::load(&sources).unwrap();
    assert_eq!(config.for_workspace(&machine.workspace).1.len(), 1);
    assert_eq!(config.agents(), []);
}

#[test]
fn the_documented_example_is_right() {
    let text: String = closeout::config::DEFAULT_TEXT
        .lines()
        .skip_while(|line| *line != "# [[agent]]")
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.strip_prefix("# "))
        .flat_map(|line| [line, "\n"])
        .collect();
    assert_eq!(refused(&text), "");
    assert_eq!(Machine::new().agents(&text).len(), 1);
}

// --- sessions ---------------------------------------------------------------------------------------

#[test]
fn an_output_file_is_the_last_message_with_its_time() {
    let mut machine = Machine::new();
    let agent = machine.agent("output = \"out/answer.md\"");
    assert_eq!(machine.read(&agent).sessions, []);
    let path = machine.write("out/answer.md", "I see two ways.\n\nWhich of the two would you like?\n");
    set_time(&path, 1000);
    let session = machine.session(&agent);
    assert_eq!((session.agent.as_str(), session.session_id.as_str()), ("mine", "out/answer.md"));
    let message = session.last_message.unwrap();
    assert_eq!(message.text, "I see two ways.\n\nWhich of the two would you like?");
    assert_eq!(message.at, Some(Timestamp(1_000_000)));
    assert_eq!(session.turn, TurnState::Unknown);
    let (activity, question) = machine.weighed(&agent, 1_001_000);
    assert_eq!(activity.state, ActivityState::Unknown);
    assert_eq!(question.as_deref(), Some("Which of the two would you like?"));
}

#[test]
fn an_output_that_says_nothing_is_no_session() {
    let mut machine = Machine::new();
    let agent = machine.agent("output = \"*.md\"");
    machine.write("a.md", " \n\n");
    assert_eq!(machine.read(&agent).sessions, []);
}

#[test]
fn each_file_that_matches_is_a_session_and_the_newest_comes_first() {
    let mut machine = Machine::new();
    let agent = machine.agent("output = \"runs/*/out-?.md\"");
    for (n, name) in ["runs/a/out-1.md", "runs/b/out-2.md", "runs/b/out-22.md", "runs/c/x.md", "out-1.md"]
        .iter()
        .enumerate()
    {
        let path = machine.write(name, "words");
        set_time(&path, 1000 + n as u64);
    }
    machine.write("runs/.hidden/out-1.md", "words");
    let ids: Vec<_> = machine.read(&agent).sessions.into_iter().map(|session| session.session_id).collect();
    assert_eq!(ids, ["runs/b/out-2.md", "runs/a/out-1.md"]);
}

#[test]
fn a_place_outside_is_the_workspaces_own() {
    let mut machine = Machine::new();
    let slug = agent::claude_folder_name(&machine.workspace);
    let places = [
        (format!("{}/store/{{name}}/out.md", machine.top.display()), "store/work.x/out.md".to_owned()),
        (format!("{}/slugs/{{slug}}/*.md", machine.top.display()), format!("slugs/{slug}/out.md")),
        (
            format!("{}/mirror{{workspace}}/out.md", machine.top.display()),
            format!("mirror{}/out.md", machine.workspace.display()),
        ),
    ];
    for (place, file) in places {
        let agent = machine.agent(&format!("output = \"{place}\""));
        let path = machine.top.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "words").unwrap();
        assert_eq!(machine.session(&agent).session_id, *path.display().to_string(), "{place}");
    }
}

#[test]
fn a_record_of_ones_own_is_read_by_its_fields_and_followed() {
    let mut machine = Machine::new();
    let agent = machine.agent(JSONL);
    let prompt = r#"{"at": "1970-01-01T00:16:40Z", "message": {"role": "User", "content": "Fix it"}}"#;
    let path = machine.write(".mine/s.jsonl", format!("{prompt}\n"));
    let session = machine.session(&agent);
    assert_eq!(session.prompt.as_deref(), Some("Fix it"));
    assert_eq!(session.prompted_at, Some(Timestamp(1_000_000)));
    assert_eq!(session.turn, TurnState::Open { since: Some(Timestamp(1_000_000)), tool: None, what: None });
    let answer =
        r#"{"at": 1001.5, "message": {"role": "assistant", "content": ["It is", {"text": "fixed."}]}}"#;
    fs::write(&path, format!("{prompt}\n{answer}\n{{\"kind\": \"note\"}}\nno json\n{{\"half\":")).unwrap();
    let session = machine.session(&agent);
    assert_eq!(session.last_message.unwrap().text, "It is\n\nfixed.");
    assert_eq!(session.turn, TurnState::Unknown, "nobody can tell what the line that is no JSON said");
    assert_eq!(session.usage.n_turns, Some(1));
    assert_eq!(session.n_skipped_lines, 2);
    fs::write(&path, format!("{prompt}\n{answer}\n{{\"kind\": \"note\"}}\n")).unwrap();
    assert_eq!(machine.session(&agent).turn, TurnState::Ended { at: Some(Timestamp(1_001_500)) });
    // Milliseconds, and a record that was written anew.
    let later = answer.replace("1001.5", "1700000000000").replace("fixed", "done");
    fs::write(&path, format!("{later}\n")).unwrap();
    let session = machine.session(&agent);
    assert_eq!(session.turn, TurnState::Ended { at: Some(Timestamp(1_700_000_000_000)) });
    assert_eq!(session.last_message.unwrap().text, "It is\n\ndone.");
    assert_eq!(machine.weighed(&agent, 1_700_000_001_000).0.state, ActivityState::Idle);
}

#[test]
fn a_record_in_the_format_of_another_client_is_read_as_one() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/agents");
    let cases = [("claude", "claude/transcripts/question.jsonl"), ("codex", "codex/rollouts/question.jsonl")];
    for (format, fixture) in cases {
        let mut machine = Machine::new();
        let agent = machine.agent(&format!("transcript = \"log.jsonl\"\nformat = \"{format}\""));
        let text = fs::read_to_string(fixtures.join(fixture)).unwrap();
        machine.write("log.jsonl", &text);
        let session = machine.session(&agent);
        assert_eq!((session.agent.as_str(), session.session_id.as_str()), ("mine", "log.jsonl"));
        assert!(matches!(session.turn, TurnState::Ended { .. }), "{:?}", session.turn);
        let words = session.last_message.unwrap().text;
        assert!(words.contains('?'));
        // The same with so much in the middle that only the end is read.
        let (head, rest) = text.split_once('\n').unwrap();
        let middle = "{\"type\": \"unknown\"}\n".repeat(500_000);
        machine.write("log.jsonl", format!("{head}\n{middle}{rest}"));
        assert_eq!(machine.session(&agent).last_message.unwrap().text, words, "{format}");
        machine.write("log.jsonl", "no record\n");
        assert_eq!(machine.read(&agent).sessions, []);
    }
}

#[test]
fn the_status_file_is_the_newest_sessions_live_word() {
    let mut machine = Machine::new();
    let agent = machine.agent("output = \"*.md\"\nstatus_file = \".mine/status.json\"");
    let old = machine.write("old.md", "words");
    set_time(&old, 999);
    set_time(&machine.write("new.md", "words"), 1000);
    let cases = [
        ("working", ActivityState::Working),
        ("idle", ActivityState::Idle),
        ("waiting", ActivityState::Asks),
        ("permission", ActivityState::NeedsPermission),
        ("background", ActivityState::Background),
        ("done", ActivityState::Gone),
        ("error", ActivityState::Idle),
    ];
    for (status, expected) in cases {
        let text = format!(r#"{{"status": "{status}", "detail": "cargo test"}}"#);
        set_time(&machine.write(".mine/status.json", text), 1001);
        let (activity, _) = machine.weighed(&agent, 1_002_000);
        assert_eq!((activity.state, activity.source), (expected, ActivitySource::Registry), "{status}");
        assert_eq!(activity.since, Some(Timestamp(1_001_000)));
    }
    let read = machine.read(&agent);
    assert_eq!(read.sessions[0].live[0].what.as_deref(), Some("cargo test"));
    assert_eq!(read.sessions[1].live, []);
    for broken in ["", "{", "[]", "{\"status\": 5}", "{\"status\": \"dancing\"}", &"x".repeat(100_000)] {
        machine.write(".mine/status.json", broken);
        assert_eq!(machine.read(&agent).sessions[0].live, [], "{broken:.20}");
    }
}

#[test]
fn an_error_in_the_status_file_is_a_failed_run_until_the_record_goes_on() {
    let machine = Machine::new();
    let agent = machine.agent(&format!("{JSONL}\nstatus_file = \"s.json\""));
    let line = |at: u32, role: &str| {
        format!(r#"{{"at": {at}, "message": {{"role": "{role}", "content": "Words."}}}}"#)
    };
    let path = machine.write(".mine/s.jsonl", format!("{}\n{}\n", line(1000, "user"), line(1001, "agent")));
    set_time(&machine.write("s.json", r#"{"status": "error", "detail": "out of disk"}"#), 1002);
    let failed = || {
        let asked = weighed_words::Asked {
            workspace: &machine.workspace,
            task_kind: TaskKind::ReadInfo,
            adapter: Adapter::described(agent.clone()),
            sessions: Vec::new(),
            now: 1_010_000,
            own_session: None,
        };
        let evidence = weighed_words::sample(asked).evidence;
        evidence.into_iter().map(|(_, evidence)| evidence).find(|evidence| evidence.claim == Claim::Fail)
    };
    assert!(reason::all(&failed().unwrap())[0].contains("out of disk"));
    let later = [line(1000, "user"), line(1001, "agent"), line(1003, "user"), line(1004, "agent")];
    fs::write(&path, later.join("\n") + "\n").unwrap();
    assert_eq!(failed(), None);
}

#[test]
fn a_process_that_does_not_live_or_started_after_its_word_is_gone() {
    let mut machine = Machine::new();
    let agent = machine.agent("output = \"a.md\"\nstatus_file = \"s.json\"");
    machine.write("a.md", "words");
    let status = |pid: u32, status: &str| format!(r#"{{"status": "{status}", "pid": {pid}}}"#);
    // This process lives, and wrote just now.
    machine.write("s.json", status(std::process::id(), "working"));
    let session = machine.session(&agent);
    assert_eq!(session.live[0].status, LiveStatus::Busy);
    assert_eq!(session.process.unwrap().pid, std::process::id());
    // The same number in a word from before it started.
    set_time(&machine.workspace.join("s.json"), 1000);
    let session = machine.session(&agent);
    assert_eq!((session.live[0].status.clone(), session.process), (LiveStatus::Gone, None));
    // No process has a number beyond the limit of Linux (2^22).
    machine.write("s.json", status(4_194_305, "working"));
    assert_eq!(machine.session(&agent).live[0].status, LiveStatus::Gone);
    machine.write("s.json", status(4_194_305, "done"));
    assert_eq!(machine.session(&agent).live[0].status, LiveStatus::Ended);
    // That it failed is its last word too.
    machine.write("s.json", status(4_194_305, "error"));
    assert_eq!(machine.session(&agent).live[0].status, LiveStatus::Failed);
}

#[test]
fn what_would_change_is_watched() {
    let mut machine = Machine::new();
    let agent = machine.agent("output = \"out/*.md\"\nstatus_file = \".mine/status.json\"");
    let target = |folder: &str, names| (machine.workspace.join(folder), names);
    let expected =
        [target("out", Names::Ending(".md".to_owned())), target(".mine", Names::these(["status.json"]))];
    for _ in ["before there is anything", "with files"] {
        let targets = machine.read(&agent).watch_targets.into_iter();
        assert_eq!(
            targets.map(|target| (target.folder.to_path_buf(), target.names)).collect::<Vec<_>>(),
            expected
        );
        machine.write("out/a.md", "words");
        machine.write(".mine/status.json", "{}");
    }
}

// --- bad input --------------------------------------------------------------------------------------

#[test]
fn no_link_below_the_workspace_is_followed() {
    let mut machine = Machine::new();
    let secret = machine.top.join("secret");
    fs::create_dir(&secret).unwrap();
    fs::write(secret.join("key.md"), "a secret").unwrap();
    let agent = machine.agent("output = \"out/*.md\"\nstatus_file = \"link/key.md\"");
    symlink(&secret, machine.workspace.join("out")).unwrap();
    symlink(&secret, machine.workspace.join("link")).unwrap();
    assert_eq!(machine.read(&agent).sessions, []);
    fs::remove_file(machine.workspace.join("out")).unwrap();
    fs::create_dir(machine.workspace.join("out")).unwrap();
    symlink(secret.join("key.md"), machine.workspace.join("out/a.md")).unwrap();
    let read = machine.read(&agent);
    assert_eq!(read.sessions, []);
    assert_eq!(read.trouble[0].problem, ReadProblem::Link);
}

#[test]
fn what_is_no_regular_file_is_said_and_nothing_hangs() {
    let mut machine = Machine::new();
    let agent = machine.agent("output = \"a.md\"\nstatus_file = \"s.json\"");
    for name in ["a.md", "s.json"] {
        let path = machine.workspace.join(name);
        rustix::fs::mkfifoat(rustix::fs::CWD, &path, rustix::fs::Mode::RWXU).unwrap();
    }
    let read = machine.read(&agent);
    assert_eq!(read.sessions, []);
    assert_eq!(read.trouble[0].problem, ReadProblem::NotAFile);
    fs::remove_file(machine.workspace.join("a.md")).unwrap();
    fs::create_dir(machine.workspace.join("a.md")).unwrap();
    let read = machine.read(&agent);
    assert_eq!((read.sessions, read.trouble), (Vec::new(), Vec::new()));
}

#[test]
fn only_the_end_of_a_long_output_is_kept() {
    let mut machine = Machine::new();
    let agent = machine.agent("output = \"a.md\"");
    machine.write("a.md", format!("{}\nThe end.", "語".repeat(1 << 20)));
    let text = machine.session(&agent).last_message.unwrap().text;
    assert!(text.len() <= 256 << 10);
    assert!(text.ends_with("The end."));
}

#[test]
fn a_long_record_with_endless_lines_is_read_from_its_end() {
    let mut machine = Machine::new();
    let agent = machine.agent(JSONL);
    let message =
        |role: &str, text: &str| format!(r#"{{"message": {{"role": "{role}", "content": "{text}"}}}}"#);
    let mut text = format!("{}\n", message("user", "First")).repeat(60_000);
    text.push_str(&message("user", &"x".repeat(3 << 20)));
    text.push('\n');
    text.push_str(&message("assistant", "Done."));
    text.push('\n');
    machine.write(".mine/s.jsonl", text);
    let session = machine.session(&agent);
    assert_eq!(session.last_message.unwrap().text, "Done.");
    assert_eq!(session.usage.n_turns, None);
}

// --- commands ---------------------------------------------------------------------------------------

#[test]
fn commands_are_the_persons_with_the_words_on_standard_input() {
    let mut machine = Machine::new();
    let agent = machine.agent(
        "output = \"a.md\"\n\
         commands.query = [\"mine\", \"--schema\", \"{schema_file}\", \"{session_file}\", \"x{schema_file}\"]\n\
         commands.reply = [\"mine\", \"go\"]\n",
    );
    machine.write("a.md", "words");
    let session = machine.session(&agent);
    let adapter = Adapter::described(agent);
    let text = |text: &str| Argument::Text(text.to_owned());
    let query = Asking::Closer { prompt: "Check $(x)".to_owned(), schema: "{}".to_owned(), model: None };
    let command = adapter.command(&session, &query).unwrap();
    assert_eq!(command.program, "mine");
    assert_eq!(command.stdin, "Check $(x)");
    assert_eq!(command.folder, machine.workspace);
    let file = machine.workspace.join("a.md").display().to_string();
    assert_eq!(
        command.arguments,
        [text("--schema"), Argument::File("{}".to_owned()), text(&file), text("x{schema_file}")]
    );
    let reply = adapter.command(&session, &Asking::Reply { text: "Go on".to_owned() }).unwrap();
    assert_eq!((reply.stdin.as_str(), reply.trace), ("Go on", Trace::InSession));
    assert_eq!(adapter.command(&session, &Asking::Probe { prompt: "?".to_owned(), model: None }), None);
    assert_eq!(adapter.command(&session, &Asking::Queue { text: "?".to_owned() }), None);
}

// --- properties -------------------------------------------------------------------------------------

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn any_entry_is_taken_or_refused_with_a_reason(
        key in "(name|output|transcript|format|fields|status_file|reply_file|commands|[a-z_]{1,12})",
        value in prop_oneof!["\"[ -~&&[^\"\\\\]]{0,20}\"", "-?[1-9][0-9]{0,4}", "\\[\\]", "\\{\\}", "true"],
    ) {
        let text = format!("[[agent]]\n{key} = {value}\n");
        // An entry with one key is never whole.
        prop_assert!(refused(&text).contains("agent"), "{}", text);
    }

    #[test]
    fn any_record_is_read(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
        let mut machine = Machine::new();
        let agent = machine.agent(JSONL);
        machine.write(".mine/s.jsonl", bytes);
        prop_assert_eq!(machine.read(&agent).trouble, []);
    }
}
