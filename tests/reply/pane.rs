//! Words for a live session in a pane of tmux.

use closeout::model::{ActionClass, ActionProblem, ActivityState, ReceiptState, ReplyChannel};

use super::fixture::{BEGIN, END, ReplyFixture};

fn refused(outcome: Result<impl std::fmt::Debug, ActionProblem>) -> String {
    let problem = outcome.unwrap_err();
    assert_eq!(problem.class, ActionClass::Refused, "{problem:?}");
    assert!(problem.next.is_some(), "a refusal says what to do: {problem:?}");
    problem.message
}

#[test]
fn words_are_pasted_sent_and_seen_in_the_record() {
    let Some(bench) = ReplyFixture::new() else { return };
    let (pane, pid) = bench.start();
    let plan = bench.plan().unwrap();
    assert_eq!(plan.state, ActivityState::Idle);
    assert!(plan.question.as_ref().unwrap().text.contains("Which of the two"));
    let ReplyChannel::Pane { pane: named, process, .. } = &plan.channel else { panic!("{plan:?}") };
    assert_eq!((&named.id, process.pid), (&pane, pid));
    assert_eq!(plan.channel.to_string(), format!("pasted into tmux pane {pane}"));
    let receipt = std::thread::scope(|scope| {
        scope.spawn(|| {
            // The agent takes it when Return comes.
            bench.wait_for_bytes(BEGIN.len() + 1 + END.len() + 1);
            bench.say("2", "");
        });
        bench.send(&plan, "2").unwrap()
    });
    assert_eq!((receipt.state, receipt.detail, &*receipt.excerpt), (ReceiptState::Consumed, None, "2"));
    assert_eq!(bench.bytes(), format!("{BEGIN}2{END}\r"));
    assert_eq!(bench.server.run(&["list-buffers"]), "", "nothing of it stays in tmux");
}

/// R01: each through the pane, byte for byte; nothing runs.
#[test]
fn words_that_look_like_options_keys_and_commands_arrive_as_they_are() {
    let Some(bench) = ReplyFixture::new() else { return };
    bench.start();
    let canary = bench.repo.root().join("canary");
    let run = format!("$(touch '{0}') `touch '{0}'` #(touch '{0}') #{{q:x}} %1", canary.display());
    let texts = [
        "-R hello", "Enter", "C-c", "rm a;", ";", "a\\;", "\"quoted\" 'too'", "はい、2でお願いします 👍🏽",
        &run,
    ];
    let mut wanted = String::new();
    for text in texts {
        wanted.extend([BEGIN, text, END, "\r"]);
        let receipt = std::thread::scope(|scope| {
            scope.spawn(|| {
                bench.wait_for_bytes(wanted.len());
                bench.say(text, "Which one?");
            });
            bench.send(&bench.plan().unwrap(), text).unwrap()
        });
        assert_eq!(receipt.state, ReceiptState::Consumed, "{text:?}");
        assert_eq!(bench.bytes(), wanted, "{text:?}");
    }
    assert!(!canary.exists());
}

/// R02.
#[test]
fn control_characters_are_refused_with_the_position_and_nothing_is_typed() {
    let Some(bench) = ReplyFixture::new() else { return };
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
    let Some(bench) = ReplyFixture::new() else { return };
    bench.start();
    bench.send(&bench.plan().unwrap(), "one\ntwo\n\nthree").unwrap();
    let wanted = format!("{BEGIN}one\rtwo\r\rthree{END}\r");
    assert_eq!(bench.wait_for_bytes(wanted.len()), wanted);
}

/// R07: the key is pressed twice.
#[test]
fn one_plan_sends_one_reply() {
    let Some(bench) = ReplyFixture::new() else { return };
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
    let Some(bench) = ReplyFixture::new() else { return };
    bench.start();
    let receipt = bench.send(&bench.plan().unwrap(), "hello").unwrap();
    assert_eq!((receipt.state, receipt.state.class()), (ReceiptState::Held, ActionClass::Unknown));
    let plan = bench.plan().unwrap();
    assert_eq!(plan.unsettled, None);
    assert!(plan.warnings.iter().any(|warning| warning.contains("not seen taken")), "{:?}", plan.warnings);
}

/// R10.
#[test]
fn long_words_arrive_whole_or_are_refused_with_the_limit() {
    let Some(bench) = ReplyFixture::new() else { return };
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
    let Some(bench) = ReplyFixture::new() else { return };
    let (_, pid) = bench.start();
    let plan = bench.plan().unwrap();
    bench.set_status(pid, "busy", None);
    assert!(refused(bench.send(&plan, "y")).contains("it works"));
    assert!(refused(bench.plan()).contains("it works"));
    bench.set_status(pid, "waiting", Some("input needed"));
    assert!(refused(bench.send(&bench.plan().unwrap(), "y")).contains("taken for keys"));
    bench.set_status(pid, "waiting", Some("permission prompt"));
    let words = refused(bench.send(&plan, "y"));
    assert!(words.contains("changed since you looked"), "{words}");
    // Which call it is for is not certain: no option, and no words.
    let plan = bench.plan().unwrap();
    assert_eq!(plan.channel.permission().unwrap().options, []);
    assert!(refused(bench.send(&plan, "y")).contains("words would decide it"));
    assert_eq!(bench.bytes(), "");
}

/// Return would send them with the reply.
#[test]
fn words_that_somebody_left_in_the_input_box_are_not_sent_with_a_reply() {
    let Some(bench) = ReplyFixture::new() else { return };
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
    let Some(bench) = ReplyFixture::new() else { return };
    bench.start();
    let plan = bench.plan().unwrap();
    bench.say("go on", "Shall I delete the database?");
    let words = refused(bench.send(&plan, "yes"));
    assert!(words.contains("its question is another one"), "{words}");
    assert_eq!(bench.bytes(), "");
}

#[test]
fn a_command_of_the_agent_is_no_reply() {
    let Some(bench) = ReplyFixture::new() else { return };
    bench.start();
    for text in ["/clear", "!rm -rf x", "#note"] {
        assert!(refused(bench.send(&bench.plan().unwrap(), text)).contains("command"), "{text}");
    }
    assert_eq!(bench.bytes(), "");
}

/// R04, R05, R06: somebody scrolls, a session with a name that begins alike is there, the agent's pane is a shell now.
#[test]
fn nothing_is_typed_into_a_shell_a_neighbour_or_a_pane_in_copy_mode() {
    let Some(bench) = ReplyFixture::new() else { return };
    let (pane, _) = bench.start();
    let plan = bench.plan().unwrap();
    bench.server.run(&["copy-mode", "-t", &pane]);
    assert!(refused(bench.send(&plan, "words")).contains("copy mode"));
    bench.server.run(&["send-keys", "-t", &pane, "-X", "cancel"]);
    let neighbour = bench.repo.root().join("neighbour");
    let listen = format!("exec cat > '{}'", neighbour.display());
    bench.server.run(&["new-session", "-d", "-s", "work-2", &listen]);
    bench.server.run(&["respawn-pane", "-k", "-t", &pane, "exec sh"]);
    assert!(bench.send(&plan, "words").is_err());
    assert_eq!(bench.bytes(), "");
    assert!(!bench.server.run(&["capture-pane", "-p", "-t", &pane]).contains("words"));
    bench.server.run(&["kill-session", "-t", "=work"]);
    assert!(bench.send(&plan, "words").is_err());
    assert_eq!(std::fs::read_to_string(neighbour).unwrap_or_default(), "");
}
