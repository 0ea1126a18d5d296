//! Words for a live session in a pane of tmux.

use closeout::model::{ActClass, ActProblem, ActivityState, ReceiptState, ReplyChannel};

use super::bench::{BEGIN, Bench, END, wait};

fn refused(outcome: Result<impl std::fmt::Debug, ActProblem>) -> String {
    let problem = outcome.unwrap_err();
    assert_eq!(problem.class, ActClass::Refused, "{problem:?}");
    assert!(problem.next.is_some(), "a refusal says what to do: {problem:?}");
    problem.words
}

#[test]
fn words_are_pasted_sent_and_seen_in_the_record() {
    let Some(bench) = Bench::new() else { return };
    let (pane, pid) = bench.start();
    let plan = bench.plan().unwrap();
    assert_eq!(plan.state, ActivityState::Idle);
    assert!(plan.question.as_ref().unwrap().text.contains("Which of the two"));
    let ReplyChannel::Pane { pane: named, process, .. } = &plan.channel else { panic!("{plan:?}") };
    assert_eq!((&named.id, process.pid), (&pane, pid));
    assert_eq!(plan.channel_words, format!("pasted into tmux pane {pane}"));
    let receipt = std::thread::scope(|scope| {
        scope.spawn(|| {
            // The agent takes it when Return comes.
            bench.wait_for_bytes(BEGIN.len() + 1 + END.len() + 1);
            bench.say("2", "");
        });
        bench.send(&plan, "2").unwrap()
    });
    assert_eq!((receipt.state, receipt.words, &*receipt.excerpt), (ReceiptState::Consumed, None, "2"));
    assert_eq!(bench.bytes(), format!("{BEGIN}2{END}\r"));
    assert_eq!(bench.server.run(&["list-buffers"]), "", "nothing of it stays in tmux");
}

/// R01: each through the pane, byte for byte; nothing runs.
#[test]
fn words_that_look_like_options_keys_and_commands_arrive_as_they_are() {
    let Some(bench) = Bench::new() else { return };
    bench.start();
    let canary = bench.repo.root().join("canary");
    let run = format!("$(touch '{0}') `touch '{0}'` #(touch '{0}') #{{q:x}} %1", canary.display());
    let texts = [
        "-R hello",
        "Enter",
        "C-c",
        "rm a;",
        ";",
        "a\\;",
        "\"quoted\" 'too'",
        "はい、2でお願いします 👍🏽",
        &run,
    ];
    let mut wanted = String::new();
    for text in texts {
        let receipt = bench.send(&bench.plan().unwrap(), text).unwrap();
        assert_eq!(receipt.state, ReceiptState::Held, "{text:?}: nobody took it");
        wanted.extend([BEGIN, text, END, "\r"]);
        assert_eq!(bench.wait_for_bytes(wanted.len()), wanted, "{text:?}");
    }
    assert!(!canary.exists());
}

/// R02.
#[test]
fn control_characters_are_refused_with_the_position_and_nothing_is_typed() {
    let Some(bench) = Bench::new() else { return };
    bench.start();
    for (text, place) in [("a\x03b", 2), ("\x1b[A", 1), ("x\x1b[201~rm", 2), ("日本\u{9b}", 3), ("ab\0", 3)]
    {
        let words = refused(bench.send(&bench.plan().unwrap(), text));
        assert!(words.contains(&format!("character {place} is")), "{text:?}: {words}");
    }
    assert_eq!(bench.bytes(), "");
}

/// R03: one message, since the pane takes pastes in brackets; a line end arrives as a terminal sends it.
#[test]
fn several_lines_are_one_message() {
    let Some(bench) = Bench::new() else { return };
    bench.start();
    bench.send(&bench.plan().unwrap(), "one\ntwo\n\nthree").unwrap();
    let wanted = format!("{BEGIN}one\rtwo\r\rthree{END}\r");
    assert_eq!(bench.wait_for_bytes(wanted.len()), wanted);
}

/// A person was writing in the agent's own box: Return would send that too.
#[test]
fn where_somebodys_words_stand_in_the_input_box_nothing_is_typed() {
    let Some(bench) = Bench::new() else { return };
    let (pane, _) = bench.start();
    let plan = bench.plan().unwrap();
    // The box as Claude Code 2.1.330 draws it, by the terminal of the pane.
    let tty = bench.server.run(&["display-message", "-p", "-t", &pane, "#{pane_tty}"]);
    let draw = |words: &str| {
        let edge = "─".repeat(40);
        let screen = format!("\x1b[2J\x1b[H{edge}\r\n\r\n{edge}\x1b[2;1H❯\u{a0}{words}");
        std::fs::write(&tty, screen).unwrap();
        let wanted = 2 + words.len();
        wait("the box", || {
            let cursor = bench.server.run(&["display-message", "-p", "-t", &pane, "#{cursor_x},#{cursor_y}"]);
            (cursor == format!("{wanted},1")).then_some(())
        });
    };
    draw("half a draft");
    for outcome in [bench.plan().map(|_| ()), bench.send(&plan, "2").map(|_| ())] {
        let words = refused(outcome);
        assert!(words.starts_with("words stand in its input box already"), "{words}");
    }
    assert_eq!(bench.bytes(), "");
    draw("");
    let receipt = bench.send(&bench.plan().unwrap(), "2").unwrap();
    assert_eq!(receipt.state, ReceiptState::Held, "nobody took it");
    assert_eq!(bench.bytes(), format!("{BEGIN}2{END}\r"));
}

/// R04: the agent ended and left a shell.
#[test]
fn a_pane_in_which_a_shell_is_left_is_no_place_for_words() {
    let Some(bench) = Bench::new() else { return };
    let script = bench.script(super::bench::SESSION, "work");
    let shell = bench.repo.root().join("shell");
    let command =
        bench.repo.script("wrapper", &format!("'{}'; cat > '{}'", script.display(), shell.display()));
    let (pane, wrapper) = bench.start_script(&command, "work");
    let agent = wait("the agent's entry", || {
        let entries = std::fs::read_dir(bench.repo.home().join(".claude/sessions")).ok()?;
        entries
            .flatten()
            .find_map(|entry| entry.file_name().to_str()?.strip_suffix(".json")?.parse::<i32>().ok())
    });
    assert_ne!(u32::try_from(agent).unwrap(), wrapper);
    let plan = bench.plan().unwrap();
    assert!(matches!(plan.channel, ReplyChannel::Pane { .. }));
    let pid = rustix::process::Pid::from_raw(agent).unwrap();
    rustix::process::kill_process_group(pid, rustix::process::Signal::KILL).ok();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).ok();
    // Its `cat` holds the pane until it sees that nobody is there; the shell comes after it.
    bench.server.run(&["send-keys", "-t", &pane, "C-d"]);
    wait("the shell", || shell.exists().then_some(()));
    refused(bench.send(&plan, "rm -rf x"));
    assert_eq!(std::fs::read(&shell).unwrap(), b"");
}

/// R05: the session `agent-1` is gone, `agent-10` is there.
#[test]
fn a_pane_whose_name_begins_alike_is_not_taken_for_it() {
    let Some(bench) = Bench::new() else { return };
    let other = "6e3c6d27-f91a-4d5d-9f33-af66db01304c";
    bench.say_in(other, "begin", "Done.");
    let first = bench.script(super::bench::SESSION, "agent-1");
    let (pane, _) = bench.start_script(&first, "agent-1");
    bench.start_script(&bench.script(other, "agent-10"), "agent-10");
    let plan = bench.plan().unwrap();
    bench.server.run(&["kill-pane", "-t", &pane]);
    refused(bench.send(&plan, "hello"));
    let typed = std::fs::read(bench.repo.root().join("bytes-agent-10")).unwrap();
    assert_eq!(typed, b"");
}

/// R06.
#[test]
fn a_pane_in_copy_mode_loses_nothing() {
    let Some(bench) = Bench::new() else { return };
    let (pane, _) = bench.start();
    let plan = bench.plan().unwrap();
    bench.server.run(&["copy-mode", "-t", &pane]);
    assert!(refused(bench.send(&plan, "hello")).contains("copy mode"));
    assert!(refused(bench.plan()).contains("copy mode"));
    assert_eq!(bench.bytes(), "");
    bench.server.run(&["send-keys", "-t", &pane, "-X", "cancel"]);
    let plan = bench.plan().unwrap();
    bench.send(&plan, "hello").unwrap();
    let wanted = format!("{BEGIN}hello{END}\r");
    assert_eq!(bench.wait_for_bytes(wanted.len()), wanted);
}

/// The pane's id exists again after the server was started anew, and another agent is in it.
#[test]
fn a_pane_of_another_server_with_the_same_id_is_another_pane() {
    let Some(bench) = Bench::new() else { return };
    let (pane, _) = bench.start();
    let plan = bench.plan().unwrap();
    bench.server.run(&["kill-server"]);
    let left = bench.repo.root().join("bytes-work");
    wait("the end of the agent", || {
        let entries = std::fs::read_dir("/proc").unwrap().flatten();
        let mut lines = entries.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
        let own = bench.repo.root().display().to_string();
        (!lines.any(|line| String::from_utf8_lossy(&line).contains(&own))).then_some(())
    });
    std::fs::remove_file(&left).unwrap();
    bench.server.run(&["new-session", "-d", "-s", "other", "-x", "80", "-y", "24", "cat"]);
    let (again, _) = bench.start();
    assert_eq!(again, pane);
    assert!(refused(bench.send(&plan, "hello")).contains("changed since you looked"));
    assert_eq!(bench.bytes(), "");
}

/// R07: the key is pressed twice.
#[test]
fn one_plan_sends_one_reply() {
    let Some(bench) = Bench::new() else { return };
    bench.start();
    let plan = bench.plan().unwrap();
    bench.send(&plan, "once").unwrap();
    assert!(refused(bench.send(&plan, "once")).contains("sent already"));
    let wanted = format!("{BEGIN}once{END}\r");
    assert_eq!(bench.wait_for_bytes(wanted.len()), wanted);
}

/// R08: the agent ignores Return.
#[test]
fn what_is_typed_and_not_taken_is_held_and_said_before_the_next() {
    let Some(bench) = Bench::new() else { return };
    bench.start();
    let receipt = bench.send(&bench.plan().unwrap(), "hello").unwrap();
    assert_eq!((receipt.state, receipt.state.class()), (ReceiptState::Held, ActClass::Unknown));
    let plan = bench.plan().unwrap();
    assert_eq!(plan.unsettled, None);
    assert!(plan.warnings.iter().any(|warning| warning.contains("not seen taken")), "{:?}", plan.warnings);
}

/// R10.
#[test]
fn long_words_arrive_whole_or_are_refused_with_the_limit() {
    let Some(bench) = Bench::new() else { return };
    bench.start();
    let long = "0123456789".repeat(10_000);
    bench.send(&bench.plan().unwrap(), &long).unwrap();
    let wanted = format!("{BEGIN}{long}{END}\r");
    assert!(bench.wait_for_bytes(wanted.len()) == wanted);
    let words = refused(bench.send(&bench.plan().unwrap(), &long.repeat(2)));
    assert!(words.contains("131072"), "{words}");
    assert!(bench.bytes() == wanted);
}

#[test]
fn nothing_is_typed_while_it_works_waits_or_asks() {
    let Some(bench) = Bench::new() else { return };
    let (_, pid) = bench.start();
    let plan = bench.plan().unwrap();
    bench.set_status(pid, "busy", None);
    assert!(refused(bench.send(&plan, "y")).contains("it works"));
    assert!(refused(bench.plan()).contains("it works"));
    bench.set_status(pid, "waiting", Some("input needed"));
    assert!(refused(bench.plan()).contains("dialog"));
    bench.set_status(pid, "waiting", Some("permission prompt"));
    let words = refused(bench.send(&plan, "y"));
    assert!(words.contains("changed since you looked"), "{words}");
    // Which call it is for is not certain: no option, and no words.
    let plan = bench.plan().unwrap();
    assert_eq!(plan.permission.as_ref().unwrap().options, []);
    assert!(refused(bench.send(&plan, "y")).contains("words would decide it"));
    assert_eq!(bench.bytes(), "");
}

/// Return would send them with the reply.
#[test]
fn words_that_somebody_left_in_the_input_box_are_not_sent_with_a_reply() {
    let Some(bench) = Bench::new() else { return };
    let (pane, _) = bench.start();
    let plans = [bench.plan().unwrap(), bench.plan().unwrap()];
    let words = "half a draft";
    // Behind the words, and at their beginning.
    for (plan, column) in plans.iter().zip([14, 2]) {
        bench.draw_box(&pane, words, column);
        assert!(refused(bench.send(plan, "2")).contains("stand in its input box"));
        assert!(refused(bench.plan()).contains("stand in its input box"));
    }
    assert_eq!(bench.bytes(), "");
    assert_eq!(bench.server.run(&["list-buffers"]), "");
    bench.draw_box(&pane, "", 2);
    bench.send(&bench.plan().unwrap(), "2").unwrap();
    let wanted = format!("{BEGIN}2{END}\r");
    assert_eq!(bench.wait_for_bytes(wanted.len()), wanted);
}

#[test]
fn another_question_than_the_one_that_was_seen_is_not_answered() {
    let Some(bench) = Bench::new() else { return };
    bench.start();
    let plan = bench.plan().unwrap();
    bench.say("go on", "Shall I delete the database?");
    let words = refused(bench.send(&plan, "yes"));
    assert!(words.contains("its question is another one"), "{words}");
    assert_eq!(bench.bytes(), "");
}

#[test]
fn a_command_of_the_agent_is_no_reply() {
    let Some(bench) = Bench::new() else { return };
    bench.start();
    for text in ["/clear", "!rm -rf x", "#note"] {
        assert!(refused(bench.send(&bench.plan().unwrap(), text)).contains("command"), "{text}");
    }
    assert_eq!(bench.bytes(), "");
}
