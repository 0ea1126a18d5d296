//! What subagents of Claude Code did, read from the records beside the session's.

use std::fmt::Write as _;

use super::*;
use crate::support::turns::texts;

const AT: [&str; 4] = [
    "2026-11-21T20:00:10.000Z", "2026-11-21T20:00:20.000Z", "2026-11-21T20:00:30.000Z",
    "2026-11-21T20:00:40.000Z",
];

impl Machine {
    /// A command of a subagent, with its result.
    fn ran(&self, id: &str, command: &str, at: &str) -> String {
        let call = json!({"type": "tool_use", "id": id, "name": "Bash", "input": {"command": command}});
        let result = json!({"type": "tool_result", "tool_use_id": id, "content": "ok"});
        self.line(&json!({"type": "assistant", "isSidechain": true, "timestamp": at,
            "message": {"id": id, "content": [call], "stop_reason": "tool_use"}}))
            + &self.line(&json!({"type": "user", "isSidechain": true, "timestamp": at,
                "message": {"role": "user", "content": [result]}}))
    }

    /// The path of a subagent's record, in a folder that is made.
    fn beside(&self, session: &str, agent: &str) -> PathBuf {
        let folder = self.folder.join(session).join("subagents");
        fs::create_dir_all(&folder).unwrap();
        folder.join(format!("agent-{agent}.jsonl"))
    }

    fn steps(&mut self) -> Vec<String> {
        texts(&self.session().history)
    }
}

fn append(path: &Path, text: &str) {
    OpenOptions::new().append(true).open(path).unwrap().write_all(text.as_bytes()).unwrap();
}

#[test]
fn a_recorded_subagents_steps_stand_among_the_sessions() {
    let mut machine = Machine::new();
    let session = String::from_utf8(fixture("subagent.jsonl")).unwrap();
    let session = session.replace("/home/user/project", machine.workspace.to_str().unwrap());
    machine.write("2e023bbf-04c7-4762-8937-87f158f77b1e", &session);
    let prompt = "person: Ask a helper";
    let notice = "notice: <task-notification>";
    assert_eq!(machine.steps(), [prompt, "sent off: Count the files", "Finished", notice, "Finished"]);
    let record = machine.beside("2e023bbf-04c7-4762-8937-87f158f77b1e", "a6d1b59d7c5eaf88b");
    fs::write(record, fixture("subagent.sidechain.jsonl")).unwrap();
    let read = [prompt, "sent off, read: Count the files", "run ls | wc -l: Code(0)", "Finished", notice];
    assert_eq!(machine.steps()[..5], read);
    assert_eq!(machine.last_words(), "The helper counted the files: there are three.");
}

#[test]
fn a_second_look_reads_what_was_appended() {
    let mut machine = Machine::new();
    machine.write("s", &machine.sent_off("ab12"));
    let record = machine.beside("s", "ab12");
    let begin = machine.prompt("help", AT[0]) + &machine.ran("1", "one", AT[1]);
    fs::write(&record, &begin).unwrap();
    assert_eq!(machine.steps()[1..], ["sent off, read: ", "run one: Code(0)", "Finished"]);
    // In place of what was read already stands something else, as long: the look after it does not read that again.
    append(&record, &machine.ran("2", "two", AT[2]));
    assert_eq!(machine.steps()[2..], ["run one: Code(0)", "run two: Code(0)", "Finished"]);
    let end = fs::read_to_string(&record).unwrap().split_off(begin.len());
    fs::write(&record, begin.replace("one", "six") + &end + &machine.ran("3", "three", AT[3])).unwrap();
    assert_eq!(
        machine.steps()[2..],
        ["run one: Code(0)", "run two: Code(0)", "run three: Code(0)", "Finished"]
    );
    // A record that was written anew is read anew.
    fs::write(&record, machine.prompt("help", AT[0]) + &machine.ran("4", "four", AT[1])).unwrap();
    assert_eq!(machine.steps()[2..], ["run four: Code(0)", "Finished"]);
    fs::remove_file(&record).unwrap();
    assert_eq!(machine.steps()[1..], ["sent off: ", "Finished"]);
}

#[test]
fn what_cannot_be_read_of_a_record_is_unknown() {
    let mut machine = Machine::new();
    machine.write("s", &machine.sent_off("ab12"));
    let record = machine.beside("s", "ab12");
    let begin = machine.prompt("help", AT[0]) + &machine.ran("1", "one", AT[1]);
    let long = format!("{{\"type\":\"user\",\"message\":\"{}\"}}\n", "x".repeat(9 << 20));
    let unknown = ["sent off: ", "run one: Code(0)", "sent off: ", "Finished (steps are missing)"];
    for text in [
        format!("{begin}broken\n"),
        format!("{begin}{{\"type\":\"assistant\",\"message\":1}}\n"),
        format!("{begin}{{\"type\":\"assi"),
        begin.clone() + &long,
    ] {
        fs::write(&record, text).unwrap();
        assert_eq!(machine.steps()[1..], unknown);
    }
    let unread = ["sent off: ", "sent off: ", "Finished (steps are missing)"];
    fs::write(&record, "").unwrap();
    assert_eq!(machine.steps()[1..], unread);
    fs::remove_file(&record).unwrap();
    fs::create_dir(&record).unwrap();
    assert_eq!(machine.steps()[1..], unread);
    fs::remove_dir(&record).unwrap();
    std::os::unix::fs::symlink(machine.folder.join("s.jsonl"), &record).unwrap();
    assert_eq!(machine.steps()[1..], unread);
}

#[test]
fn of_many_subagents_only_the_newest_are_read() {
    let mut machine = Machine::new();
    machine.write("s", &machine.sent_off("ab12"));
    for n in 0..80 {
        let record = machine.beside("s", &format!("a{n}"));
        fs::write(&record, machine.prompt("help", AT[0]) + &machine.ran("1", &n.to_string(), AT[1])).unwrap();
        let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_795_300_000 + n);
        File::options().write(true).open(&record).unwrap().set_modified(time).unwrap();
    }
    let steps = machine.steps();
    assert_eq!(steps.iter().filter(|step| step.starts_with("run ")).count(), 64);
    assert!(steps.contains(&"run 79: Code(0)".to_owned()) && !steps.contains(&"run 15: Code(0)".to_owned()));
    assert_eq!(steps.last().unwrap(), "Finished (steps are missing)");
}

#[test]
fn all_records_together_are_read_up_to_a_limit() {
    let mut machine = Machine::new();
    machine.write("s", &machine.sent_off("ab12"));
    let filler = machine.line(&json!({"type": "progress", "text": "x".repeat(1 << 20)})).repeat(20);
    for (n, agent) in (0..).zip(["ab12", "cd34"]) {
        let record = machine.beside("s", agent);
        let text = machine.prompt("help", AT[0]) + &machine.ran("1", agent, AT[1]) + &filler;
        fs::write(&record, text).unwrap();
        let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_795_300_000 + n);
        File::options().write(true).open(&record).unwrap().set_modified(time).unwrap();
    }
    let steps = machine.steps();
    assert!(
        steps.contains(&"run cd34: Code(0)".to_owned()) && !steps.contains(&"run ab12: Code(0)".to_owned())
    );
    assert_eq!(steps.last().unwrap(), "Finished (steps are missing)");
}

#[test]
fn records_of_versions_around_2_0_lie_beside_the_session_s() {
    let mut machine = Machine::new();
    machine.write("s", &machine.sent_off("ab12"));
    let text = machine.prompt("help", AT[0]) + &machine.ran("1", "one", AT[1]);
    fs::write(machine.folder.join("agent-ab12.jsonl"), text).unwrap();
    assert_eq!(machine.steps()[1..], ["sent off, read: ", "run one: Code(0)", "Finished"]);
}

#[test]
fn older_versions_wrote_a_subagents_lines_among_the_sessions() {
    let mut machine = Machine::new();
    let call = |at: &str| {
        machine.line(&json!({"type": "assistant", "timestamp": at, "message": {"id": "1",
            "stop_reason": "tool_use", "content": [{"type": "tool_use", "id": "t", "name": "Task", "input": {}}]}}))
    };
    let mut text = machine.prompt("ask a helper", EARLY) + &call(EARLY);
    let prompt = machine.line(&json!({"type": "user", "isSidechain": true, "timestamp": AT[0],
        "message": {"role": "user", "content": "Delete everything?"}}));
    write!(text, "{prompt}{}", machine.ran("s", "one", AT[1])).unwrap();
    text += &machine.reply("2", "Done.", AT[2]);
    machine.write("s", &text);
    assert_eq!(machine.steps(), ["person: ask a helper", "sent off: ", "run one: Code(0)", "Finished"]);
    assert_eq!(machine.session().n_skipped_lines, 0);
}
