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
    let Some(fixture) = ReplyFixture::new() else { return };
    let (pane, pid) = fixture.start();
    let plan = fixture.plan().unwrap();
    assert_eq!(plan.state, ActivityState::Idle);
    assert!(plan.question.as_ref().unwrap().text.contains("Which of the two"));
    let ReplyChannel::Pane { pane: named, process, .. } = &plan.channel else { panic!("{plan:?}") };
    assert_eq!((&named.id, process.pid), (&pane, pid));
    assert_eq!(plan.channel.to_string(), format!("pasted into tmux pane {pane}"));
    let receipt = std::thread::scope(|scope| {
        scope.spawn(|| {
            // The agent takes it when Return comes.
            fixture.wait_for_bytes(BEGIN.len() + 1 + END.len() + 1);
            fixture.say("2", "");
        });
        fixture.send(&plan, "2").unwrap()
    });
    assert_eq!((receipt.state, receipt.detail, &*receipt.excerpt), (ReceiptState::Consumed, None, "2"));
    assert_eq!(fixture.bytes(), format!("{BEGIN}2{END}\r"));
    assert_eq!(fixture.server.run(&["list-buffers"]), "", "nothing of it stays in tmux");
}

/// R01: each through the pane, byte for byte; nothing runs.
#[test]
fn words_that_look_like_options_keys_and_commands_arrive_as_they_are() {
    let Some(fixture) = ReplyFixture::new() else { return };
    fixture.start();
    let canary = fixture.repo.root().join("canary");
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
                fixture.wait_for_bytes(wanted.len());
                fixture.say(text, "Which one?");
            });
            fixture.send(&fixture.plan().unwrap(), text).unwrap()
        });
        assert_eq!(receipt.state, ReceiptState::Consumed, "{text:?}");
        assert_eq!(fixture.bytes(), wanted, "{text:?}");
    }
    assert!(!canary.exists());
}

/// R02.
#[test]
fn control_characters_are_refused_with_the_position_and_nothing_is_typed() {
    let Some(fixture) = ReplyFixture::new() else { return };
    fixture.start();
    for (text, place) in [("a\x03b", 2), ("\x1b[A", 1), ("x\x1b[201~rm", 2), ("日本\u{9b}", 3), ("ab\0", 3)]
    {
        let words = refused(fixture.send(&fixture.plan().unwrap(), text));
        assert!(words.contains(&format!("character {place} is")), "{text:?}: {words}");
    }
    assert_eq!(fixture.bytes(), "");
}

/// R03: one message, since the pane takes pastes in brackets; a line end arrives as a terminal sends it.
#[test]
fn several_lines_are_one_message() {
    let Some(fixture) = ReplyFixture::new() else { return };
    fixture.start();
    fixture.send(&fixture.plan().unwrap(), "one\ntwo\n\nthree").unwrap();
    let wanted = format!("{BEGIN}one\rtwo\r\rthree{END}\r");
    assert_eq!(fixture.wait_for_bytes(wanted.len()), wanted);
}

/// R07: the key is pressed twice.
#[test]
fn one_plan_sends_one_reply() {
    let Some(fixture) = ReplyFixture::new() else { return };
    fixture.start();
    let plan = fixture.plan().unwrap();
    fixture.send(&plan, "once").unwrap();
    assert!(refused(fixture.send(&plan, "once")).contains("sent already"));
    let wanted = format!("{BEGIN}once{END}\r");
    assert_eq!(fixture.wait_for_bytes(wanted.len()), wanted);
}

/// R08: the agent ignores Return.
#[test]
fn what_is_typed_and_not_taken_is_held_and_said_before_the_next() {
    let Some(fixture) = ReplyFixture::new() else { return };
    fixture.start();
    let receipt = fixture.send(&fixture.plan().unwrap(), "hello").unwrap();
    assert_eq!((receipt.state, receipt.state.class()), (ReceiptState::Held, ActionClass::Unknown));
    let plan = fixture.plan().unwrap();
    assert_eq!(plan.unsettled, None);
    assert!(
        plan.warnings.iter().any(|warning| warning.contains("not seen to be taken")),
        "{:?}",
        plan.warnings
    );
}

/// R10.
#[test]
fn long_words_arrive_whole_or_are_refused_with_the_limit() {
    let Some(fixture) = ReplyFixture::new() else { return };
    fixture.start();
    let long = "0123456789".repeat(10_000);
    fixture.send(&fixture.plan().unwrap(), &long).unwrap();
    let wanted = format!("{BEGIN}{long}{END}\r");
    assert!(fixture.wait_for_bytes(wanted.len()) == wanted);
    let words = refused(fixture.send(&fixture.plan().unwrap(), &long.repeat(2)));
    assert!(words.contains("131072"), "{words}");
    assert!(fixture.bytes() == wanted);
}

#[test]
fn nothing_is_typed_while_it_works_waits_or_asks() {
    let Some(fixture) = ReplyFixture::new() else { return };
    let (_, pid) = fixture.start();
    let plan = fixture.plan().unwrap();
    fixture.set_status(pid, "busy", None);
    assert!(refused(fixture.send(&plan, "y")).contains("it is working"));
    assert!(refused(fixture.plan()).contains("it is working"));
    fixture.set_status(pid, "waiting", Some("input needed"));
    assert!(refused(fixture.send(&fixture.plan().unwrap(), "y")).contains("key presses"));
    fixture.set_status(pid, "waiting", Some("permission prompt"));
    let words = refused(fixture.send(&plan, "y"));
    assert!(words.contains("changed since you looked"), "{words}");
    // Which call it is for is not certain: no option, and no words.
    let plan = fixture.plan().unwrap();
    assert_eq!(plan.channel.permission().unwrap().options, []);
    assert!(refused(fixture.send(&plan, "y")).contains("text would decide it"));
    assert_eq!(fixture.bytes(), "");
}

/// Return would send them with the reply.
#[test]
fn words_that_somebody_left_in_the_input_box_are_not_sent_with_a_reply() {
    let Some(fixture) = ReplyFixture::new() else { return };
    let (pane, _) = fixture.start();
    let plans = [fixture.plan().unwrap(), fixture.plan().unwrap()];
    let words = "half a draft";
    // Behind the words, and at their beginning.
    for (plan, column) in plans.iter().zip([14, 2]) {
        fixture.draw_box(&pane, words, column);
        assert!(refused(fixture.send(plan, "2")).contains("hold somebody's text"));
        assert!(refused(fixture.plan()).contains("hold somebody's text"));
    }
    assert_eq!(fixture.bytes(), "");
    assert_eq!(fixture.server.run(&["list-buffers"]), "");
    fixture.draw_box(&pane, "", 2);
    fixture.send(&fixture.plan().unwrap(), "2").unwrap();
    let wanted = format!("{BEGIN}2{END}\r");
    assert_eq!(fixture.wait_for_bytes(wanted.len()), wanted);
}

#[test]
fn another_question_than_the_one_that_was_seen_is_not_answered() {
    let Some(fixture) = ReplyFixture::new() else { return };
    fixture.start();
    let plan = fixture.plan().unwrap();
    fixture.say("go on", "Shall I delete the database?");
    let words = refused(fixture.send(&plan, "yes"));
    assert!(words.contains("its question has changed"), "{words}");
    assert_eq!(fixture.bytes(), "");
}

#[test]
fn a_command_of_the_agent_is_no_reply() {
    let Some(fixture) = ReplyFixture::new() else { return };
    fixture.start();
    for text in ["/clear", "!rm -rf x", "#note"] {
        assert!(refused(fixture.send(&fixture.plan().unwrap(), text)).contains("command"), "{text}");
    }
    assert_eq!(fixture.bytes(), "");
}

/// R04, R05, R06: somebody scrolls, a session with a name that begins alike is there, the agent's pane is a shell now.
#[test]
fn nothing_is_typed_into_a_shell_a_neighbour_or_a_pane_in_copy_mode() {
    let Some(fixture) = ReplyFixture::new() else { return };
    let (pane, _) = fixture.start();
    let plan = fixture.plan().unwrap();
    fixture.server.run(&["copy-mode", "-t", &pane]);
    assert!(refused(fixture.send(&plan, "words")).contains("copy mode"));
    fixture.server.run(&["send-keys", "-t", &pane, "-X", "cancel"]);
    let neighbour = fixture.repo.root().join("neighbour");
    let listen = format!("exec cat > '{}'", neighbour.display());
    fixture.server.run(&["new-session", "-d", "-s", "work-2", &listen]);
    fixture.server.run(&["respawn-pane", "-k", "-t", &pane, "exec sh"]);
    assert!(fixture.send(&plan, "words").is_err());
    assert_eq!(fixture.bytes(), "");
    assert!(!fixture.server.run(&["capture-pane", "-p", "-t", &pane]).contains("words"));
    fixture.server.run(&["kill-session", "-t", "=work"]);
    assert!(fixture.send(&plan, "words").is_err());
    assert_eq!(std::fs::read_to_string(neighbour).unwrap_or_default(), "");
}
