//! The answer to a question that an agent asks by a tool, in a dialog on its screen: an option by its key, only
//! where it is certain what the key does, and never words.

use closeout::model::{
    ActionClass, ActionProblem, ActivityState, AskedByTool, AskedOption, Receipt, ReceiptState, ReplyBody,
};
use serde_json::{Value, json};

use super::fixture::{ReplyFixture, send_body};

const QUESTION: &str = "Which database should I use?";
/// As Claude Code 2.1.330 draws it, the first option selected.
const DIALOG: [&str; 8] = [
    " ☐ Database",
    QUESTION,
    "❯ 1. PostgreSQL",
    "     A server",
    "  2. SQLite",
    "  3. Type something.",
    "  4. Chat about this",
    "Enter to select · ↑/↓ to navigate · Esc to cancel",
];

fn one() -> Value {
    json!([{"question": QUESTION, "header": "Database", "multiSelect": false, "options": [
        {"label": "PostgreSQL", "description": "A server"}, {"label": "SQLite", "description": ""}]}])
}

/// The agent calls the tool: the line that the client writes before it shows the dialog.
fn calls(fixture: &ReplyFixture, id: &str, questions: &Value) {
    let call =
        json!({"type": "tool_use", "id": id, "name": "AskUserQuestion", "input": {"questions": questions}});
    let message = json!({"id": format!("m-{id}"), "role": "assistant", "model": "mock",
        "stop_reason": "tool_use", "content": [call]});
    fixture.record("assistant", &message, &json!({}));
}

/// The line that the client writes when the dialog was answered.
fn is_answered(fixture: &ReplyFixture, id: &str, label: &str) {
    let result = json!({"type": "tool_result", "tool_use_id": id, "content": "answered"});
    let message = json!({"role": "user", "content": [result]});
    fixture.record("user", &message, &json!({"toolUseResult": {"answers": {QUESTION: label}}}));
}

/// A fixture whose agent asks, with the dialog on its screen; its pane.
fn asking(questions: &Value) -> Option<(ReplyFixture, String, u32)> {
    let fixture = ReplyFixture::new()?;
    let (pane, pid) = fixture.start();
    fixture.say("choose", "");
    calls(&fixture, "toolu_1", questions);
    fixture.set_status(pid, "waiting", Some("input needed"));
    fixture.draw(&pane, &DIALOG, (0, 2));
    Some((fixture, pane, pid))
}

fn option(place: usize, label: &str, call: &str) -> ReplyBody {
    ReplyBody::Option { place, label: label.to_owned(), call: call.to_owned() }
}

fn refused(outcome: Result<Receipt, ActionProblem>) -> String {
    let problem = outcome.unwrap_err();
    assert_eq!(problem.class, ActionClass::Refused, "{problem:?}");
    problem.message
}

#[test]
fn an_option_is_chosen_by_its_key_and_the_answer_is_seen_in_the_record() {
    let Some((fixture, pane, _)) = asking(&one()) else { return };
    let plan = fixture.plan().unwrap();
    assert_eq!(plan.state, ActivityState::Asks);
    let asked = plan.channel.asked().unwrap();
    let question = &asked.questions[0];
    assert_eq!((&*asked.call, asked.is_alone, asked.questions.len()), ("toolu_1", true, 1));
    assert_eq!(question.label(), format!("Database: {QUESTION}"));
    let options: Vec<String> = question.options.iter().map(AskedOption::label).collect();
    assert_eq!(options, ["PostgreSQL: A server", "SQLite"]);
    assert_eq!(plan.channel.to_string(), format!("typed into tmux pane {pane}"));
    let config = fixture.engine_config(&[]);
    // Words, an option that is not there, and one of another call.
    let words = ReplyBody::Text { text: "2".to_owned() };
    assert!(refused(send_body(&config, &plan, words)).contains("key presses"));
    for body in
        [option(0, "SQLite", "toolu_1"), option(2, "Type something.", "toolu_1"), option(1, "SQLite", "x")]
    {
        assert!(refused(send_body(&config, &plan, body)).contains("another option"));
    }
    assert_eq!(fixture.bytes(), "");
    let receipt = std::thread::scope(|scope| {
        scope.spawn(|| {
            fixture.wait_for_bytes(1);
            is_answered(&fixture, "toolu_1", "SQLite");
        });
        send_body(&config, &plan, option(1, "SQLite", "toolu_1")).unwrap()
    });
    assert_eq!((receipt.state, receipt.detail), (ReceiptState::Consumed, None));
    assert_eq!(receipt.excerpt, "answered: SQLite");
    assert_eq!(fixture.bytes(), "2");
}

#[test]
fn an_answer_that_was_given_otherwise_in_this_moment_is_no_receipt() {
    let Some((fixture, _, _)) = asking(&one()) else { return };
    let plan = fixture.plan().unwrap();
    let receipt = std::thread::scope(|scope| {
        scope.spawn(|| {
            fixture.wait_for_bytes(1);
            is_answered(&fixture, "toolu_1", "PostgreSQL");
        });
        send_body(&fixture.engine_config(&[]), &plan, option(1, "SQLite", "toolu_1")).unwrap()
    });
    assert_eq!(receipt.state, ReceiptState::Unknown);
    assert!(receipt.detail.unwrap().contains("another answer: PostgreSQL"));
}

/// Its key would be text, a leave, or an answer to something else.
#[test]
fn no_key_is_typed_where_its_screen_would_make_another_thing_of_it() {
    let Some((fixture, pane, pid)) = asking(&one()) else { return };
    let config = fixture.engine_config(&[]);
    let send = |plan| send_body(&config, &plan, option(0, "PostgreSQL", "toolu_1"));
    let permission = [" Do you want to proceed?", " ❯ 1. Yes", "   2. No", " Esc to cancel · Tab to amend"];
    let own_words = DIALOG.map(|line| match line {
        "❯ 1. PostgreSQL" => "  1. PostgreSQL",
        "  3. Type something." => "❯ 3. my own",
        other => other,
    });
    for (screen, place) in
        [(&permission[..], (1, 1)), (&own_words[..], (11, 5)), (&DIALOG[3..], (0, 0)), (&DIALOG[..], (0, 0))]
    {
        fixture.draw(&pane, &DIALOG, (0, 2));
        let plan = fixture.plan().unwrap();
        fixture.draw(&pane, screen, place);
        assert!(refused(send(plan)).contains("does not look ready for a key"), "{screen:?}");
        let plan = fixture.plan().unwrap();
        assert_eq!((plan.has_way(), plan.pane.is_some()), (false, true));
        assert!(plan.warnings[0].contains("does not look ready for a key"), "{:?}", plan.warnings);
    }
    fixture.draw(&pane, &DIALOG, (0, 2));
    // A second call came up beside it; then the first was answered and the second stands alone.
    let plans = [(); 3].map(|()| fixture.plan().unwrap());
    let [first, second, third] = plans;
    calls(&fixture, "toolu_2", &one());
    assert!(refused(send(first)).contains("changed since you looked"));
    assert!(!fixture.plan().unwrap().has_way());
    is_answered(&fixture, "toolu_1", "SQLite");
    assert!(refused(send(second)).contains("changed since you looked"));
    fixture.set_status(pid, "busy", None);
    assert!(refused(send(third)).contains("it is working"));
    assert_eq!(fixture.bytes(), "");
}

#[test]
fn where_it_is_not_certain_what_a_key_does_the_options_are_shown_and_none_can_be_chosen() {
    let several = |mut questions: Value| {
        questions[0]["multiSelect"] = json!(true);
        questions
    };
    let two = json!([one()[0], {"question": "Which port?", "options": [{"label": "80"}, {"label": "81"}]}]);
    let previews = |mut questions: Value| {
        questions[0]["options"][0]["preview"] = json!("+--+");
        questions
    };
    let same = json!([{"question": "?", "options": [{"label": "a"}, {"label": "a"}]}]);
    let cases = [
        (several(one()), "several options can be chosen together"),
        (two, "several questions at once"),
        (previews(one()), "previews"),
        (same, "cannot be told apart"),
    ];
    for (questions, why) in cases {
        let Some((fixture, _, _)) = asking(&questions) else { return };
        let plan = fixture.plan().unwrap();
        assert!(!plan.has_way(), "{why}");
        assert!(plan.pane.is_some());
        assert!(plan.warnings[0].contains(why), "{:?}", plan.warnings);
        let AskedByTool { questions: shown, .. } = plan.channel.asked().cloned().unwrap();
        assert_eq!(shown.len(), questions.as_array().unwrap().len());
        let label = shown[0].options[0].label.clone();
        assert!(send_body(&fixture.engine_config(&[]), &plan, option(0, &label, "toolu_1")).is_err());
        assert_eq!(fixture.bytes(), "");
    }
}
