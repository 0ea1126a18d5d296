//! The reply box: what is written and sent, what is confirmed, and what is seen before that.

use std::sync::Arc;

use closeout::model::{
    Action, ActionClass, ActionKind, ActionOutcome, ActionProblem, ActivitySource, ActivityState,
    AskedByTool, AskedOption, AskedQuestion, Attention, Draft, HeldEnd, HeldNow, HeldReply, HeldStep, Intent,
    LongText, PaneInput, PermissionOption, PermissionPrompt, ProcessId, Receipt, ReceiptState, ReplyBody,
    ReplyChannel, ReplyPlan, Response, ScreenPrompt, SessionName, WorkspaceView,
};
use closeout::ui::{self, Dialog, Edited, Input, KeyCode, KeyPress, Look, Mouse, MouseKind, Reaction, State};
use insta::assert_snapshot;
use ratatui::Terminal;
use ratatui::backend::{Backend, TestBackend};

use crate::support::samples::asks_in_japanese;
use crate::support::screen::{
    NOW, frame, minutes_ago, picture, press, screen, screen_of, seen_screen_of, text_of,
};
use crate::support::session_samples::{pane, session};

/// The workspace that asks, with the session that does.
fn asks() -> WorkspaceView {
    let mut view = asks_in_japanese();
    let mut claude = session("claude", ActivityState::Asks, ActivitySource::Transcript, 12, "");
    claude.question = view.last_words.as_ref().unwrap().question.clone();
    claude.pane = Some(pane("%3"));
    claude.name = Some("検索画面".to_owned());
    view.sessions = vec![claude.into()];
    view
}

fn name(agent: &str) -> SessionName {
    SessionName::new(agent, format!("{agent}-0b1c2d3e"))
}

fn in_pane(input: PaneInput) -> ReplyChannel {
    let process = ProcessId { pid: 7, started_at: 1 };
    ReplyChannel::Pane { pane: pane("%3"), server: 1, process, input }
}

fn plan_for(view: &WorkspaceView) -> ReplyPlan {
    ReplyPlan {
        id: "r-1".to_owned(),
        session: name("claude"),
        channel: in_pane(PaneInput::Paste { long_text: None }),
        pane: Some(pane("%3")),
        state: ActivityState::Asks,
        question: view.sessions[0].question.clone(),
        warnings: Vec::new(),
        unsettled: None,
    }
}

fn receipt(state: ReceiptState, excerpt: &str) -> Receipt {
    Receipt {
        id: "r-1".to_owned(),
        session: name("claude"),
        channel_words: "pasted into tmux pane %3".to_owned(),
        excerpt: excerpt.to_owned(),
        text_sum: Receipt::sum_of(excerpt),
        sent_at: minutes_ago(4),
        state,
        detail: None,
    }
}

fn response(view: &WorkspaceView, kind: ActionKind, outcome: ActionOutcome) -> Response {
    let is_plan = kind == ActionKind::Plan;
    Response::Action { workspace: view.id.clone(), number: 1, kind, is_plan, outcome: Box::new(outcome) }
}

/// The workspace whose agent works, and to which a reply cannot go now.
fn busy() -> (WorkspaceView, State) {
    let mut view = asks();
    Arc::make_mut(&mut view.sessions[0]).activity.state = ActivityState::Working;
    Arc::make_mut(&mut view.sessions[0]).question = None;
    let mut state = screen_of(80, 24, std::slice::from_ref(&view));
    let _ = press(&mut state, std::slice::from_ref(&view), "i");
    let problem = ActionProblem::new(ActionClass::Refused, "it works").with_next("wait until it is idle");
    let _ = hear(&mut state, std::slice::from_ref(&view), ActionKind::Plan, ActionOutcome::Failed(problem));
    read(&mut state);
    (view, state)
}

#[test]
fn a_reply_to_an_agent_at_work_is_held_until_its_turn_has_ended() {
    let (view, mut state) = busy();
    let mut views = [view];
    let hold = |state: &mut State, views: &[WorkspaceView]| key(state, views, KeyPress::ctrl('s')).intents;
    assert_eq!(hold(&mut state, &views), []);
    assert!(
        shows(&state, &views, "nothing is written yet") && shows(&state, &views, "Ctrl-S send when idle")
    );
    let _ = press(&mut state, &views, "then fix it");
    assert_snapshot!("hold_a_reply", picture(&frame(&state, &views)));
    let reply = HeldReply {
        id: String::new(),
        session: name("claude"),
        text: "then fix it".to_owned(),
        held_at: NOW,
        claimed_at: None,
        hindrance: None,
    };
    let action = |reply: &HeldReply, step| Action::Held { reply: Box::new(reply.clone()), step };
    assert_eq!(hold(&mut state, &views), [wants(&views[0], action(&reply, HeldStep::Keep))]);
    assert_eq!(state.dialog, None);
    // It is in the row and in the detail, and ends by the key of what runs.
    let waits = HeldReply { id: "h".to_owned(), held_at: minutes_ago(3), ..reply };
    let outcome = ActionOutcome::Held { reply: Box::new(waits.clone()), now: HeldNow::Kept };
    let _ = hear(&mut state, &views, ActionKind::Reply, outcome);
    views[0].actions.held =
        vec![HeldReply { hindrance: Some("its input box is not empty".to_owned()), ..waits }];
    assert_snapshot!("a_reply_is_held", picture(&frame(&state, &views)));
    let cancels = action(&views[0].actions.held[0], HeldStep::Drop(HeldEnd::ByYou));
    assert_eq!(press(&mut state, &views, "x").intents, [wants(&views[0], cancels)]);
    // What another closeout is sending is nobody's to cancel.
    views[0].actions.held[0].claimed_at = Some(NOW);
    assert_eq!(press(&mut state, &views, "x").intents, []);
}

#[test]
fn what_can_be_sent_now_is_not_held() {
    let mut views = [asks()];
    Arc::make_mut(&mut views[0].sessions[0]).activity.state = ActivityState::Idle;
    let mut state = open(&views, plan_for(&views[0]), SMALL);
    let _ = press(&mut state, &views, "yes");
    assert_eq!(key(&mut state, &views, KeyPress::ctrl('s')).intents, []);
    assert!(shows(&state, &views, "Enter sends it now") && !shows(&state, &views, "send when idle"));
}

/// What a person does after they have read what is there.
fn read(state: &mut State) {
    ui::on_frame(state, NOW.plus_millis(-5000));
    ui::on_input(state, NOW);
}

fn hear(state: &mut State, views: &[WorkspaceView], kind: ActionKind, outcome: ActionOutcome) -> Reaction {
    let view = &views[0];
    ui::on_response(state, views, response(view, kind, outcome))
}

fn planned(plan: ReplyPlan) -> ActionOutcome {
    ActionOutcome::ReplyPlanned(Box::new(plan))
}

/// The box on a screen of this size, with its plan, and read.
fn open(views: &[WorkspaceView], plan: ReplyPlan, (width, height): (u16, u16)) -> State {
    let mut state = screen_of(width, height, views);
    let _ = press(&mut state, views, "i");
    let _ = hear(&mut state, views, ActionKind::Plan, planned(plan));
    read(&mut state);
    state
}

const SMALL: (u16, u16) = (80, 24);

fn key(state: &mut State, views: &[WorkspaceView], key: KeyPress) -> Reaction {
    ui::update(state, views, Input::Key(key))
}

fn alt(code: KeyCode) -> KeyPress {
    KeyPress { alt: true, ..KeyPress::plain(code) }
}

fn kept(view: &WorkspaceView, text: &str) -> Intent {
    let draft = Draft { session: name("claude"), text: text.to_owned() };
    Intent::KeepDraft { workspace: view.id.clone(), draft }
}

fn wants(view: &WorkspaceView, action: Action) -> Intent {
    Intent::Action { workspace: view.id.clone(), action: Box::new(action) }
}

fn sends(view: &WorkspaceView, plan: &ReplyPlan, text: &str) -> Intent {
    let body = ReplyBody::Text { text: text.to_owned() };
    wants(view, Action::Reply { plan: Box::new(plan.clone()), body })
}

fn shows(state: &State, views: &[WorkspaceView], words: &str) -> bool {
    let text = text_of(&frame(state, views)).join("\n");
    let is_there = text.contains(words);
    if !is_there {
        eprintln!("{text}");
    }
    is_there
}

#[test]
fn i_and_space_ask_how_a_reply_would_go_to_the_session_that_asks() {
    for keys in ["i", " "] {
        let mut view = asks();
        view.sessions.insert(0, session("codex", ActivityState::Idle, ActivitySource::Process, 3, "").into());
        let views = [view];
        let mut state = seen_screen_of(80, 24, &views);
        let reaction = press(&mut state, &views, keys);
        assert_eq!(reaction.intents, [wants(&views[0], Action::PlanReply { session: name("claude") })]);
        assert!(matches!(state.dialog, Some(Dialog::Reply(_))));
    }
    let views = [asks_in_japanese()];
    let mut state = seen_screen_of(80, 24, &views);
    assert_eq!(press(&mut state, &views, "i").intents, []);
    assert_eq!(state.answer.as_deref(), Some("no agent session is known here"));
}

#[test]
fn a_choice_is_given_by_its_key_and_sent_by_enter() {
    let views = [asks()];
    let plan = plan_for(&views[0]);
    // The full-width sign of an input method that was left on does as well.
    for typed in ["2", "２"] {
        let mut state = open(&views, plan.clone(), SMALL);
        assert_eq!(press(&mut state, &views, typed).intents, [kept(&views[0], "")]);
        assert_eq!(press(&mut state, &views, "\n").intents, [sends(&views[0], &plan, "2")]);
        // Pressed twice it is sent once (R07).
        assert_eq!(press(&mut state, &views, "\n\n2").intents, []);
        let outcome = ActionOutcome::Replied(Box::new(receipt(ReceiptState::Queued, "2")));
        assert_eq!(hear(&mut state, &views, ActionKind::Reply, outcome).intents, []);
        assert_eq!(state.dialog, None);
        assert_eq!(state.answer.as_deref(), Some("claude: queued by the agent (pasted into tmux pane %3)"));
    }
}

#[test]
fn what_begins_like_a_choice_can_go_on_as_text() {
    let views = [asks()];
    let mut state = open(&views, plan_for(&views[0]), SMALL);
    let typed = press(&mut state, &views, "2番");
    assert_eq!(typed.intents, [kept(&views[0], ""), kept(&views[0], "2番")]);
    let erased = key(&mut state, &views, KeyPress::ctrl('u'));
    assert_eq!(erased.intents, [kept(&views[0], "")]);
    // A choice is taken back as a whole.
    let _ = press(&mut state, &views, "1");
    let erased = key(&mut state, &views, KeyPress::plain(KeyCode::Backspace));
    assert_eq!(erased.intents, [kept(&views[0], "")]);
}

#[test]
fn signs_are_written_as_they_are_and_enter_sends_all_lines() {
    let views = [asks()];
    let plan = plan_for(&views[0]);
    let mut state = open(&views, plan.clone(), SMALL);
    let _ = press(&mut state, &views, "-x `$(id)` ");
    let _ = key(&mut state, &views, alt(KeyCode::Enter));
    let _ = press(&mut state, &views, "はい");
    let _ = key(&mut state, &views, KeyPress::ctrl('j'));
    let reaction = ui::update(&mut state, &views, Input::Paste("a\u{1b}b\rc".to_owned()));
    let text = "-x `$(id)` \nはい\nab\nc";
    assert_eq!(reaction.intents, [kept(&views[0], text)]);
    assert!(shows(&state, &views, "left out: 1 control character"));
    let undone = key(&mut state, &views, alt(KeyCode::Char('u')));
    assert_eq!(undone.intents, [kept(&views[0], "-x `$(id)` \nはい\n")]);
    let again = key(&mut state, &views, KeyPress::ctrl('y'));
    assert_eq!(again.intents, [kept(&views[0], text)]);
    assert_eq!(press(&mut state, &views, "\n").intents, [sends(&views[0], &plan, text)]);
}

#[test]
fn nothing_is_sent_before_it_was_shown_how() {
    let views = [asks()];
    let mut state = screen_of(80, 24, &views);
    let _ = press(&mut state, &views, "i");
    read(&mut state);
    let typed = press(&mut state, &views, "yes\n");
    assert!(typed.intents.iter().all(|intent| matches!(intent, Intent::KeepDraft { .. })));
    assert!(shows(&state, &views, "still checking how it can be sent"));
    // The plan comes between two keys of somebody who types on.
    let plan = plan_for(&views[0]);
    let _ = hear(&mut state, &views, ActionKind::Plan, planned(plan.clone()));
    assert_eq!(press(&mut state, &views, "\n").intents, []);
    assert!(shows(&state, &views, "pasted into tmux pane %3"));
    ui::on_frame(&mut state, NOW);
    ui::on_input(&mut state, NOW.plus_millis(300));
    assert_eq!(press(&mut state, &views, "\n").intents, []);
    ui::on_input(&mut state, NOW.plus_millis(900));
    assert_eq!(press(&mut state, &views, "\n").intents, [sends(&views[0], &plan, "yes")]);
}

#[test]
fn an_empty_reply_is_not_sent() {
    let views = [asks()];
    let mut state = open(&views, plan_for(&views[0]), SMALL);
    assert_eq!(press(&mut state, &views, "\n").intents, []);
    assert!(shows(&state, &views, "nothing is written yet"));
}

#[test]
fn a_refusal_says_why_and_keeps_the_text() {
    let views = [asks()];
    let mut state = screen_of(80, 24, &views);
    let _ = press(&mut state, &views, "i");
    read(&mut state);
    let _ = press(&mut state, &views, "no");
    let problem =
        ActionProblem::new(ActionClass::Refused, "the pane shows a shell now").with_next("resume it");
    let _ = hear(&mut state, &views, ActionKind::Plan, ActionOutcome::Failed(problem));
    assert!(shows(&state, &views, "it cannot be sent now: the pane shows a shell now"));
    assert!(shows(&state, &views, "resume it") && shows(&state, &views, "▌ no"));
    let again = press(&mut state, &views, "\n");
    assert_eq!(again.intents, [wants(&views[0], Action::PlanReply { session: name("claude") })]);
}

#[test]
fn what_did_not_go_for_certain_stays_with_the_next_step() {
    let views = [asks()];
    let plan = plan_for(&views[0]);
    for (state_of_it, words) in [
        (ReceiptState::Refused, "not sent"),
        (ReceiptState::Held, "typed, not taken yet"),
        (ReceiptState::Unknown, "may have been sent"),
    ] {
        let mut state = open(&views, plan.clone(), SMALL);
        let _ = press(&mut state, &views, "ok\n");
        let outcome = ActionOutcome::Replied(Box::new(receipt(state_of_it, "ok")));
        let reaction = hear(&mut state, &views, ActionKind::Reply, outcome);
        assert_eq!((reaction.intents, state.dialog.is_some()), (Vec::new(), true));
        assert!(shows(&state, &views, words) && shows(&state, &views, "▌ ok"), "{state_of_it:?}");
        assert!(shows(&state, &views, "Enter try again"));
    }
    // What was typed is seen in the record later.
    let mut state = open(&views, plan, SMALL);
    let _ = press(&mut state, &views, "ok\n");
    for state_of_it in [ReceiptState::Held, ReceiptState::Consumed] {
        let outcome = ActionOutcome::Replied(Box::new(receipt(state_of_it, "ok")));
        let _ = hear(&mut state, &views, ActionKind::Reply, outcome);
    }
    assert_eq!(state.dialog, None);
    assert_eq!(state.answer.as_deref(), Some("claude: read by the agent (pasted into tmux pane %3)"));
}

#[test]
fn an_act_that_failed_keeps_the_text() {
    let views = [asks()];
    let mut state = open(&views, plan_for(&views[0]), SMALL);
    let _ = press(&mut state, &views, "ok\n");
    let problem = ActionProblem::new(ActionClass::Failed, "the disk is full");
    let _ = hear(&mut state, &views, ActionKind::Reply, ActionOutcome::Failed(problem));
    assert!(shows(&state, &views, "not sent: the disk is full") && shows(&state, &views, "▌ ok"));
}

#[test]
fn after_one_that_may_have_been_sent_it_is_asked_first() {
    let views = [asks()];
    let plan = ReplyPlan { unsettled: Some(receipt(ReceiptState::Unknown, "use 1")), ..plan_for(&views[0]) };
    let mut state = open(&views, plan.clone(), SMALL);
    assert_eq!(press(&mut state, &views, "2\n").intents, [kept(&views[0], "")]);
    assert_snapshot!(picture(&frame(&state, &views)));
    // Enter is not yes, and yes counts when it could be read.
    assert_eq!(press(&mut state, &views, "\ny").intents, []);
    read(&mut state);
    let _ = press(&mut state, &views, "n");
    read(&mut state);
    let _ = press(&mut state, &views, "\n");
    read(&mut state);
    assert_eq!(press(&mut state, &views, "y").intents, [sends(&views[0], &plan, "2")]);
}

fn permission(options: &[(&str, &str)]) -> PermissionPrompt {
    let option = |(label, answer): &(&str, &str)| PermissionOption {
        label: (*label).to_owned(),
        answer: (*answer).to_owned(),
    };
    PermissionPrompt {
        what: "Bash: rm -rf build && cargo test".to_owned(),
        options: options.iter().map(option).collect(),
    }
}

fn needs_permission() -> WorkspaceView {
    let mut view = asks();
    Arc::make_mut(&mut view.sessions[0]).activity.state = ActivityState::NeedsPermission;
    Arc::make_mut(&mut view.sessions[0]).question = None;
    view
}

#[test]
fn of_an_agent_without_hooks_no_word_is_said_about_them() {
    let mut view = needs_permission();
    view.attention = Some(Attention::Permission);
    let is_said = |view: &WorkspaceView| {
        let views = std::slice::from_ref(view);
        text_of(&frame(&screen_of(200, 60, views), views)).iter().any(|line| line.contains("hook"))
    };
    assert!(is_said(&view), "only a hook tells closeout which call of this one waits");
    Arc::make_mut(&mut view.sessions[0]).agent = "mine".to_owned();
    assert!(!is_said(&view));
}

#[test]
fn a_permission_is_answered_by_a_choice_and_a_yes_and_never_by_enter() {
    let views = [needs_permission()];
    let prompt = permission(&[("allow once", "1"), ("deny", "3")]);
    let channel = in_pane(PaneInput::Permission(prompt.clone()));
    let plan = ReplyPlan { channel, question: None, ..plan_for(&views[0]) };
    let mut state = open(&views, plan.clone(), SMALL);
    assert_snapshot!("permission_options", picture(&frame(&state, &views)));
    // Letters and Enter decide nothing.
    assert_eq!(press(&mut state, &views, "y\nno\n").intents, []);
    assert_eq!(press(&mut state, &views, "3").intents, [], "there is no third");
    assert_eq!(press(&mut state, &views, "1y\n").intents, [], "yes counts when it could be read");
    assert!(shows(&state, &views, "Answer “allow once”?  y yes  n no"));
    read(&mut state);
    let body = ReplyBody::Permission { answer: "1".to_owned(), what: prompt.what };
    let sent = wants(&views[0], Action::Reply { plan: Box::new(plan), body });
    assert_eq!(press(&mut state, &views, "y").intents, [sent]);
    let outcome = ActionOutcome::Replied(Box::new(receipt(ReceiptState::Delivered, "")));
    assert_eq!(hear(&mut state, &views, ActionKind::Reply, outcome).intents, []);
    assert_eq!(state.dialog, None);
}

#[test]
fn a_permission_that_comes_while_one_types_takes_no_key_and_no_text() {
    let mut view = asks();
    view.actions.drafts = vec![Draft { session: name("claude"), text: "first".to_owned() }];
    let views = [view];
    let mut state = screen_of(80, 24, &views);
    let _ = press(&mut state, &views, "i");
    read(&mut state);
    assert_eq!(press(&mut state, &views, "!").intents, [kept(&views[0], "first!")]);
    let prompt = permission(&[("allow once", "1")]);
    let channel = in_pane(PaneInput::Permission(prompt));
    let plan = ReplyPlan { channel, ..plan_for(&views[0]) };
    let _ = hear(&mut state, &views, ActionKind::Plan, planned(plan));
    assert_eq!(press(&mut state, &views, "1y1y\n").intents, []);
    assert_eq!(ui::update(&mut state, &views, Input::Paste("1y".to_owned())).intents, []);
    // The answer to the prompt takes the draft of words from nobody.
    read(&mut state);
    let _ = press(&mut state, &views, "1");
    read(&mut state);
    let _ = press(&mut state, &views, "y");
    let outcome = ActionOutcome::Replied(Box::new(receipt(ReceiptState::Delivered, "")));
    let reaction = hear(&mut state, &views, ActionKind::Reply, outcome);
    assert_eq!((reaction.intents, state.dialog), (vec![kept(&views[0], "first!")], None));
}

#[test]
fn where_a_permission_has_no_safe_answer_enter_goes_to_the_pane() {
    let views = [needs_permission()];
    let plan = ReplyPlan {
        question: None,
        channel: ReplyChannel::Nowhere {
            prompt: Some(ScreenPrompt::Permission { what: permission(&[]).what }),
            next: vec![
                "after `closeout hook install`, its next permission prompts can be answered here".to_owned(),
            ],
        },
        warnings: vec!["it is unclear which keys would answer it".to_owned()],
        ..plan_for(&views[0])
    };
    let mut state = open(&views, plan, SMALL);
    assert_snapshot!("permission_in_its_pane", picture(&frame(&state, &views)));
    assert_eq!(press(&mut state, &views, "1y").intents, []);
    let jump = Intent::JumpToPane { workspace: views[0].id.clone(), session: name("claude") };
    assert_eq!(press(&mut state, &views, "\n").intents, [jump]);
}

/// A session whose screen shows a dialog with these questions.
fn asks_in_a_dialog(questions: Vec<AskedQuestion>) -> WorkspaceView {
    let mut view = asks();
    let asked = AskedByTool { call: "toolu_1".to_owned(), questions, is_alone: true };
    Arc::make_mut(&mut view.sessions[0]).question = Some(asked.as_question());
    Arc::make_mut(&mut view.sessions[0]).asks = Some(asked);
    Arc::make_mut(&mut view.sessions[0]).activity.detail = Some("Which database should I use?".to_owned());
    view
}

fn database() -> AskedQuestion {
    let option = |label: &str, description: &str| AskedOption {
        label: label.to_owned(),
        description: description.to_owned(),
    };
    AskedQuestion {
        heading: Some("Database".to_owned()),
        text: "Which database should I use?".to_owned(),
        options: vec![option("PostgreSQL", "A server"), option("SQLite", "A \u{1b}[31mfile")],
        takes_several: false,
        has_previews: false,
    }
}

#[test]
fn an_option_of_a_dialog_is_chosen_by_its_key_and_confirmed() {
    let views = [asks_in_a_dialog(vec![database()])];
    let plan = ReplyPlan {
        channel: in_pane(PaneInput::Option(views[0].sessions[0].asks.clone().unwrap())),
        ..plan_for(&views[0])
    };
    // Until it is known how it goes there is no field for words either.
    let mut state = screen_of(80, 24, &views);
    let _ = press(&mut state, &views, "i");
    read(&mut state);
    assert_eq!(press(&mut state, &views, "12no\n").intents, []);
    assert!(shows(&state, &views, "SQLite") && !shows(&state, &views, "▌ no"));
    let mut state = open(&views, plan.clone(), SMALL);
    assert_snapshot!("dialog_options", picture(&frame(&state, &views)));
    assert_eq!(press(&mut state, &views, "y3no\n").intents, [], "letters, Enter, and a third option");
    assert_eq!(press(&mut state, &views, "2\n").intents, [], "Enter counts when it could be read");
    assert!(shows(&state, &views, "Answer “SQLite”?  Enter yes  n no"));
    read(&mut state);
    let body = ReplyBody::Option { place: 1, label: "SQLite".to_owned(), call: "toolu_1".to_owned() };
    let sent = wants(&views[0], Action::Reply { plan: Box::new(plan), body });
    assert_eq!(press(&mut state, &views, "\n").intents, [sent]);
}

#[test]
fn where_no_key_is_certain_the_options_are_shown_and_enter_goes_to_the_pane() {
    let port =
        AskedQuestion { heading: None, text: "Which ports?".to_owned(), takes_several: true, ..database() };
    let views = [asks_in_a_dialog(vec![database(), port])];
    let asked = views[0].sessions[0].asks.clone();
    let nowhere = |next| ReplyChannel::Nowhere { prompt: asked.clone().map(ScreenPrompt::Asked), next };
    let plan = ReplyPlan {
        channel: nowhere(Vec::new()),
        warnings: vec!["it asks several questions at once: answer them one by one there".to_owned()],
        ..plan_for(&views[0])
    };
    let mut state = open(&views, plan.clone(), (80, 30));
    assert_snapshot!("dialog_in_its_pane", picture(&frame(&state, &views)));
    assert_eq!(press(&mut state, &views, "12y").intents, []);
    let jump = Intent::JumpToPane { workspace: views[0].id.clone(), session: name("claude") };
    assert_eq!(press(&mut state, &views, "\n").intents, [jump]);
    // Without a pane to go to Enter is no key.
    let next = vec!["answer it in its terminal".to_owned()];
    let mut state = open(&views, ReplyPlan { pane: None, channel: nowhere(next), ..plan }, (80, 30));
    assert!(shows(&state, &views, "answer it in its terminal"));
    assert!(!shows(&state, &views, "Enter"));
    assert_eq!(press(&mut state, &views, "\n").intents, []);
}

#[test]
fn what_becomes_of_a_long_text_is_said_once_it_is_long() {
    let views = [asks()];
    let words = "more than 3 lines are marked".to_owned();
    let long_text = Some(LongText { n_lines: 3, n_signs: 800, words });
    let channel = in_pane(PaneInput::Paste { long_text });
    let mut state = open(&views, ReplyPlan { channel, ..plan_for(&views[0]) }, SMALL);
    let _ = press(&mut state, &views, "2");
    assert!(!shows(&state, &views, "are marked"));
    let _ = ui::update(&mut state, &views, Input::Paste("a\nb\nc\nd".to_owned()));
    assert!(shows(&state, &views, "more than 3 lines are marked"));
}

#[test]
fn when_several_ask_one_is_chosen_and_tab_turns_to_another() {
    let mut view = asks();
    let mut codex = session("codex", ActivityState::Asks, ActivitySource::Hook, 2, "Which port?");
    codex.name = Some("the server".to_owned());
    view.sessions.push(codex.into());
    view.actions.drafts = vec![
        Draft { session: name("codex"), text: "8080".to_owned() },
        Draft { session: name("gone"), text: "for one that is gone".to_owned() },
    ];
    let views = [view];
    let mut state = seen_screen_of(80, 24, &views);
    assert_eq!(press(&mut state, &views, "i").intents, []);
    assert_snapshot!("several_ask", picture(&frame(&state, &views)));
    let plans = |agent: &str| wants(&views[0], Action::PlanReply { session: name(agent) });
    assert_eq!(press(&mut state, &views, "j\n").intents, [plans("codex")]);
    assert!(shows(&state, &views, "▌ 8080") && shows(&state, &views, "Which port?"));
    // A draft outlives its session.
    assert_eq!(press(&mut state, &views, "\t").intents, [plans("gone")]);
    assert!(shows(&state, &views, "▌ for one that is gone"));
    assert_eq!(press(&mut state, &views, "\t").intents, [plans("claude")]);
}

#[test]
fn a_draft_comes_back_and_outlives_its_workspace() {
    let mut view = asks();
    view.actions.drafts = vec![Draft { session: name("claude"), text: "half a rep".to_owned() }];
    let views = [view];
    let mut state = open(&views, plan_for(&views[0]), SMALL);
    assert!(shows(&state, &views, "▌ half a rep"));
    let _ = ui::views_changed(&mut state, &[]);
    assert_eq!(press(&mut state, &[], "ly").intents.last(), Some(&kept(&views[0], "half a reply")));
    assert!(shows(&state, &[], "This workspace is gone. What you write is kept."));
    let _ = press(&mut state, &[], "\u{1b}");
    assert_eq!((state.dialog, state.answer.as_deref()), (None, Some("the draft is kept")));
}

/// It may have been written for another question than the one that stands above it now.
#[test]
fn a_draft_of_before_is_not_sent_by_the_first_enter() {
    let mut view = asks();
    view.actions.drafts = vec![Draft { session: name("claude"), text: "2".to_owned() }];
    let views = [view];
    let plan = plan_for(&views[0]);
    let mut state = open(&views, plan.clone(), SMALL);
    assert_eq!(press(&mut state, &views, "\n").intents, []);
    assert!(shows(&state, &views, "written earlier, perhaps for another question"));
    assert_eq!(press(&mut state, &views, "\n").intents, [sends(&views[0], &plan, "2")]);
    // What was changed since is the person's word of now.
    let mut state = open(&views, plan.clone(), SMALL);
    let _ = press(&mut state, &views, "!");
    assert_eq!(press(&mut state, &views, "\n").intents, [sends(&views[0], &plan, "2!")]);
}

/// The workspace with another question than before, whose answers have the same keys.
fn asks_another(view: &WorkspaceView) -> WorkspaceView {
    let mut view = view.clone();
    let asked = Arc::make_mut(&mut view.sessions[0]).question.as_mut().unwrap();
    "1. keep or 2. delete the old data?".clone_into(&mut asked.text);
    view
}

/// What was picked or written for one question must not answer the next one by a single Enter.
#[test]
fn the_next_question_takes_a_picked_answer_away_and_asks_about_a_text() {
    let before = [asks()];
    let after = [asks_another(&before[0])];
    let plan = plan_for(&after[0]);
    let plans = wants(&after[0], Action::PlanReply { session: name("claude") });
    let turn = |typed: &str| {
        let mut state = open(&before, plan_for(&before[0]), SMALL);
        let _ = press(&mut state, &before, typed);
        let reaction = ui::views_changed(&mut state, &after);
        let _ = hear(&mut state, &after, ActionKind::Plan, planned(plan.clone()));
        read(&mut state);
        (state, reaction.intents)
    };

    let (mut state, intents) = turn("2");
    assert_eq!(intents, [kept(&after[0], ""), plans.clone()]);
    assert_eq!(press(&mut state, &after, "\n").intents, []);
    assert!(shows(&state, &after, "delete the old data?") && shows(&state, &after, "nothing is written yet"));
    assert_eq!(press(&mut state, &after, "1\n").intents.last(), Some(&sends(&after[0], &plan, "1")));

    let (mut state, intents) = turn("the second");
    assert_eq!(intents, [plans]);
    assert_eq!(press(&mut state, &after, "\n").intents, []);
    assert!(shows(&state, &after, "perhaps for another question"));
    assert_eq!(press(&mut state, &after, "\n").intents, [sends(&after[0], &plan, "the second")]);
}

/// A plan that was made while the turn ended says how the reply would go to a session at work.
#[test]
fn a_turn_that_ends_while_the_way_is_looked_for_has_it_looked_for_again() {
    let rests = [asks()];
    let mut works = rests.clone();
    Arc::make_mut(&mut works[0].sessions[0]).activity.state = ActivityState::Working;
    let mut state = screen_of(80, 24, &works);
    let _ = press(&mut state, &works, "i");
    assert_eq!(ui::views_changed(&mut state, &rests).intents, []);
    let outdated = ReplyPlan { state: ActivityState::Working, ..plan_for(&works[0]) };
    let again = hear(&mut state, &rests, ActionKind::Plan, planned(outdated)).intents;
    assert_eq!(again, [wants(&rests[0], Action::PlanReply { session: name("claude") })]);
    let _ = hear(&mut state, &rests, ActionKind::Plan, planned(plan_for(&rests[0])));
    read(&mut state);
    assert_eq!(
        press(&mut state, &rests, "ok\n").intents.last(),
        Some(&sends(&rests[0], &plan_for(&rests[0]), "ok"))
    );
}

#[test]
fn the_editor_gets_the_text_and_gives_it_back() {
    let views = [asks()];
    let mut state = open(&views, plan_for(&views[0]), SMALL);
    let _ = press(&mut state, &views, "draft");
    let reaction = key(&mut state, &views, KeyPress::ctrl('e'));
    assert_eq!((reaction.edit.as_deref(), reaction.intents), (Some("draft"), Vec::new()));
    let back = Input::Edited(Edited::Failed("vi is not there".to_owned()));
    assert_eq!(ui::update(&mut state, &views, back).intents, []);
    assert!(shows(&state, &views, "vi is not there") && shows(&state, &views, "▌ draft"));
    let back = Input::Edited(Edited::Text("one\ntwo\u{7}".to_owned()));
    assert_eq!(ui::update(&mut state, &views, back).intents, [kept(&views[0], "one\ntwo")]);
    let undone = key(&mut state, &views, alt(KeyCode::Char('u')));
    assert_eq!(undone.intents, [kept(&views[0], "draft")]);
}

/// A text with all that is hard to draw.
const HARD: &str =
    "日本語の返事です。長い行は箱の幅で折り返されます。次の行。\ncafe\u{301} 👩\u{200D}💻 🇯🇵 tab\there";

#[test]
fn the_box_at_several_sizes() {
    let mut view = asks();
    view.actions.drafts = vec![Draft { session: name("claude"), text: HARD.to_owned() }];
    let views = [view];
    let warnings = vec!["Its work tree changed since it asked.".to_owned()];
    let plan = ReplyPlan { warnings, ..plan_for(&views[0]) };
    for (name, size) in [
        ("reply_box_80x24", (80, 24)),
        ("reply_box_200x60", (200, 60)),
        ("reply_box_44x14", (44, 14)),
        ("reply_box_30x8", (30, 8)),
    ] {
        let state = open(&views, plan.clone(), size);
        assert_snapshot!(name, picture(&frame(&state, &views)));
    }
}

#[test]
fn the_box_without_colour_and_without_signs() {
    let mut view = asks();
    view.actions.drafts = vec![Draft { session: name("claude"), text: HARD.to_owned() }];
    let views = [view];
    let mut state = screen(80, 24, Look::ascii());
    let _ = ui::views_changed(&mut state, &views);
    let _ = press(&mut state, &views, "i");
    let _ = hear(&mut state, &views, ActionKind::Plan, planned(plan_for(&views[0])));
    assert_snapshot!(picture(&frame(&state, &views)));
}

/// Where the cursor of the terminal stands.
fn cursor(state: &State, views: &[WorkspaceView]) -> (u16, u16) {
    let mut terminal = Terminal::new(TestBackend::new(state.size.width, state.size.height)).unwrap();
    terminal.draw(|frame| drop(ui::draw(frame, state, views, NOW))).unwrap();
    let at = terminal.backend_mut().get_cursor_position().unwrap();
    (at.x, at.y)
}

#[test]
fn the_cursor_stands_where_the_next_sign_comes() {
    let views = [asks()];
    let mut state = open(&views, plan_for(&views[0]), SMALL);
    let row_of = |state: &State| {
        let rows = text_of(&frame(state, &views));
        u16::try_from(rows.iter().position(|row| row.starts_with(" ▌")).unwrap()).unwrap()
    };
    let first = row_of(&state);
    assert_eq!(cursor(&state, &views), (3, first));
    for (typed, column) in [("は", 5), ("い", 7), ("e", 8), ("\u{301}", 8), ("👩", 10), ("x", 11)] {
        let _ = press(&mut state, &views, typed);
        assert_eq!(cursor(&state, &views), (column, first), "{typed}");
    }
    let _ = key(&mut state, &views, KeyPress::plain(KeyCode::Home));
    assert_eq!(cursor(&state, &views), (3, first));
    let _ = key(&mut state, &views, KeyPress::ctrl('j'));
    assert_eq!(cursor(&state, &views), (3, first + 1));
    // A press of the mouse puts it there.
    let mouse = Mouse { kind: MouseKind::Press, column: 8, row: first + 1 };
    let _ = ui::update(&mut state, &views, Input::Mouse(mouse));
    assert_eq!(cursor(&state, &views), (8, first + 1));
}

#[test]
fn a_long_question_scrolls_and_the_text_stays() {
    let mut view = asks();
    let long: Vec<String> = (1..=40).map(|number| format!("line {number} of the question")).collect();
    Arc::make_mut(&mut view.sessions[0]).question.as_mut().unwrap().text = long.join("\n");
    let views = [view];
    let mut state = open(&views, plan_for(&views[0]), SMALL);
    let _ = press(&mut state, &views, "here");
    assert!(shows(&state, &views, "line 1 of the question") && shows(&state, &views, "▌ here"));
    let _ = key(&mut state, &views, KeyPress::plain(KeyCode::PageDown));
    assert!(!text_of(&frame(&state, &views)).iter().any(|row| row.contains("line 1 of")));
    let mouse = Mouse { kind: MouseKind::ScrollUp, column: 8, row: 10 };
    for _ in 0..20 {
        let _ = ui::update(&mut state, &views, Input::Mouse(mouse));
    }
    assert!(shows(&state, &views, "line 1 of the question") && shows(&state, &views, "▌ here"));
    assert!(shows(&state, &views, "of 42"));
}

#[test]
fn a_long_text_scrolls_with_its_cursor() {
    let views = [asks()];
    let mut state = open(&views, plan_for(&views[0]), SMALL);
    let long: Vec<String> = (1..=60).map(|number| format!("row {number}")).collect();
    let _ = ui::update(&mut state, &views, Input::Paste(long.join("\n")));
    assert!(shows(&state, &views, "▌ row 60") && shows(&state, &views, "どちら"));
    let _ = key(&mut state, &views, KeyPress { ctrl: true, ..KeyPress::plain(KeyCode::Home) });
    assert!(shows(&state, &views, "▌ row 1"));
}
