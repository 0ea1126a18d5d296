//! What the lines of Claude Code tell beside the words: what a tool was called with, tokens, subagents;
//! and records as they go wrong.

use super::*;

impl Machine {
    fn called(&self, tool: &str, input: &Value) -> TurnState {
        let call = json!({"type": "assistant", "timestamp": LATE, "message": {"id": "1", "stop_reason": "tool_use",
            "content": [{"type": "tool_use", "id": "t", "name": tool, "input": input}]}});
        read_claude_transcript("s", (self.prompt("go", EARLY) + &self.line(&call)).as_bytes()).turn
    }
}

#[test]
fn an_open_call_is_told_with_what_it_was_called_with() {
    let machine = Machine::new();
    let cases = [
        ("Bash", json!({"command": "cargo test", "description": "Run the tests"}), Some("cargo test")),
        ("Edit", json!({"file_path": "/work/main.rs", "old_string": "a"}), Some("/work/main.rs")),
        ("NotebookEdit", json!({"notebook_path": "/work/a.ipynb"}), Some("/work/a.ipynb")),
        ("Grep", json!({"pattern": "fn main", "path": "src"}), Some("fn main")),
        ("WebFetch", json!({"url": "https://example.test", "prompt": "read"}), Some("https://example.test")),
        ("WebSearch", json!({"query": "rust"}), Some("rust")),
        ("Agent", json!({"description": "Count the files", "prompt": "count"}), Some("Count the files")),
        ("AskUserQuestion", json!({"questions": [{"question": ""}, {"question": "Which?"}]}), Some("Which?")),
        ("mcp__db__run", json!({"sql": "drop table"}), None),
        ("Bash", json!({"command": 7}), None),
        ("Bash", json!({"command": "  ", "description": "List"}), Some("List")),
        ("Bash", json!([1]), None),
    ];
    for (tool, input, expected) in cases {
        let TurnState::Open { tool: open, what, .. } = machine.called(tool, &input) else { panic!("{tool}") };
        assert_eq!((open.as_deref(), what.as_deref()), (Some(tool), expected));
    }
    let TurnState::Open { what, .. } = machine.called("Bash", &json!({"command": "あ".repeat(9000)})) else {
        panic!("no turn")
    };
    assert_eq!(what.unwrap().chars().count(), 201);
}

#[test]
fn the_tokens_are_those_of_the_last_reply() {
    let machine = Machine::new();
    let reply = |usage: Value| {
        machine.line(&json!({"type": "assistant", "timestamp": LATE, "message": {"id": "1", "model": "m",
            "content": [], "stop_reason": "end_turn", "usage": usage}}))
    };
    let tokens =
        |lines: &[String]| read_claude_transcript("s", lines.concat().as_bytes()).usage.context_tokens;
    let first = reply(json!({"input_tokens": 3, "cache_read_input_tokens": 90_000,
        "cache_creation_input_tokens": 2000, "output_tokens": 7, "service_tier": "standard"}));
    assert_eq!(tokens(std::slice::from_ref(&first)), Some(92_010));
    assert_eq!(tokens(&[first.clone(), reply(json!({"input_tokens": 5}))]), Some(5));
    let synthetic = machine.line(&json!({"type": "assistant", "message": {"model": "<synthetic>",
        "content": [], "usage": {"input_tokens": 0, "output_tokens": 0}}}));
    let broken = [synthetic, reply(json!(null)), reply(json!({"input_tokens": -1})), reply(json!("many"))];
    assert_eq!(tokens(&[vec![first], broken.to_vec()].concat()), Some(92_010));
    let most = u64::MAX;
    assert_eq!(tokens(&[reply(json!({"input_tokens": most, "output_tokens": most}))]), Some(most));
}

#[test]
fn prompts_are_counted_where_the_whole_record_was_read() {
    let mut machine = Machine::new();
    let turn = machine.prompt(FULL, EARLY) + &machine.reply("1", "done", EARLY);
    let path = machine.write("s", &turn.repeat(3));
    assert_eq!(machine.session().usage.n_turns, Some(3));
    append(&path, &turn);
    assert_eq!(machine.session().usage.n_turns, Some(4));
    let filler = machine.line(&json!({"type": "attachment", "attachment": {"type": "x".repeat(1_100_000)}}));
    machine.write("s", &(turn.clone() + &filler + &turn.repeat(3)));
    assert_eq!(machine.session().usage.n_turns, None);
}

#[test]
fn a_subagent_is_told_with_what_it_was_sent_to_do() {
    let mut machine = Machine::new();
    let text = String::from_utf8(fixture("subagent.jsonl")).unwrap();
    let before_the_report =
        text.split_inclusive('\n').take_while(|line| !line.contains("<task-notification>"));
    let text = before_the_report
        .collect::<String>()
        .replace("/home/user/project", machine.workspace.to_str().unwrap());
    let path = machine.write("s", &text);
    let whats = |machine: &mut Machine| -> Vec<Option<String>> {
        machine.session().subagents.into_iter().map(|subagent| subagent.what).collect()
    };
    let count = Some("Count the files".to_owned());
    assert_eq!(whats(&mut machine), std::slice::from_ref(&count));
    // An answer without it: the label beside the subagent's record has it.
    fs::write(
        &path,
        text.replace(
            r#""agentId":"a6d1b59d7c5eaf88b","description""#,
            r#""agentId":"a6d1b59d7c5eaf88b","d""#,
        ),
    )
    .unwrap();
    assert_eq!(whats(&mut machine), [None]);
    let folder = machine.folder.join("s/subagents");
    fs::create_dir_all(&folder).unwrap();
    let label = folder.join("agent-a6d1b59d7c5eaf88b.meta.json");
    fs::copy(fixtures().join("state/subagent.sidechain.meta.json"), &label).unwrap();
    assert_eq!(whats(&mut machine), [count]);
    fs::write(&label, "{").unwrap();
    assert_eq!(whats(&mut machine), [None]);
}

#[test]
fn a_line_of_50_mb_costs_a_bounded_look_and_what_follows_is_read() {
    let mut machine = Machine::new();
    let result = machine
        .line(&json!({"type": "user", "timestamp": LATE, "message": {"role": "user", "content":
        [{"type": "tool_result", "tool_use_id": "t", "content": "x".repeat(50 << 20)}]}}));
    let path = machine.write("s", &(machine.prompt("before", EARLY) + &result));
    // Nothing that can be reached tells anything, and that is said.
    let session = machine.session();
    assert_eq!((session.last_message, session.is_partial), (None, true));
    append(&path, &(machine.prompt("after", LATE) + &machine.reply("1", "read", LATE)));
    let session = machine.session();
    assert_eq!(session.last_message.unwrap().text, "read");
    assert_eq!(session.prompt.as_deref(), Some("after"));
    machine.memory = Memories::default();
    assert_eq!(machine.last_words(), "read");
}

#[test]
fn a_record_cut_in_the_middle_of_a_line_is_read_up_to_there_and_then_anew() {
    let mut machine = Machine::new();
    let text = machine.prompt("go", EARLY)
        + &machine.reply("1", "first", EARLY)
        + &machine.reply("2", "second", LATE);
    let path = machine.write("s", &text);
    assert_eq!(machine.last_words(), "second");
    let file = File::options().write(true).open(&path).unwrap();
    file.set_len(u64::try_from(text.len() - 30).unwrap()).unwrap();
    assert_eq!(machine.last_words(), "first");
    append(&path, "\u{fffd}\n");
    append(&path, &machine.reply("3", "third", LATE));
    let session = machine.session();
    assert_eq!((session.last_message.unwrap().text.as_str(), session.n_skipped_lines), ("third", 1));
    fs::remove_file(&path).unwrap();
    assert_eq!(machine.read(), Reading::Absent { name: "session".to_owned() });
}

#[test]
fn a_record_without_permission_is_said_to_be_refused() {
    let mut machine = Machine::new();
    let path = machine.write("s", &machine.prompt("go", EARLY));
    fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o0)).unwrap();
    if File::open(&path).is_ok() {
        return eprintln!(
            "SKIPPED a_record_without_permission_is_said_to_be_refused: root may read everything"
        );
    }
    let Reading::Unreadable(unreadable) = machine.read() else { panic!("it was read") };
    assert_eq!(unreadable.problem, ReadProblem::Refused);
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(48))]

    #[test]
    fn any_bytes_beside_each_other_give_an_answer(
        name in 0usize..24, cut in 0usize..40_000, length in 0usize..2000,
        noise in proptest::collection::vec(0u8.., 0..80)) {
        let mut machine = Machine::new();
        let mut names: Vec<_> = fs::read_dir(fixtures().join("transcripts")).unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        let mut bytes = fixture(&names[name % names.len()]);
        let from = cut.min(bytes.len());
        let to = (from + length).min(bytes.len());
        bytes.splice(from..to, noise.iter().copied());
        fs::write(machine.folder.join("s.jsonl"), &bytes).unwrap();
        fs::create_dir(machine.config_dir.join("sessions")).unwrap();
        fs::write(machine.config_dir.join("sessions/1.json"), &noise).unwrap();
        let reading = machine.read();
        proptest::prop_assert!(reading.unreadable().is_none());
        // What was read and followed is what is read at once.
        fs::write(machine.folder.join("s.jsonl"), [bytes.as_slice(), b"\n{}\n"].concat()).unwrap();
        let followed = machine.read();
        machine.memory = Memories::default();
        proptest::prop_assert_eq!(followed, machine.read());
    }
}
