//! The tabs of a workspace, each at every size, and what is left to do: marking points and sending them back.

use std::sync::Arc;

use strum::VariantArray as _;

use closeout::model::{
    Action, Checklist, CommandEnd, Draft, HistoryEntry, HistoryEvent, Intent, ItemState, MarkOrder,
    OpenPoint, PointKind, PointState, ProbeAttempt, Proof, Source, VerdictState, WorkspaceView,
};
use closeout::ui::{self, Dialog, Focus, State, Tab};
use insta::assert_snapshot;

use crate::support::action_samples::{history, smart_report, verify_report};
use crate::support::samples::{failing, five};
use crate::support::screen::{
    NOW, frame, item, minutes_ago, picture, press, screen_of, seen_screen_of, text_of,
};
use crate::support::session_samples::with_todos;

const SIZES: [(u16, u16); 4] = [(44, 14), (80, 24), (120, 40), (200, 60)];

fn point(kind: PointKind, source: Source, text: &str, state: PointState) -> OpenPoint {
    OpenPoint {
        id: format!("point/{text}"),
        source,
        from: "claude".to_owned(),
        session: None,
        kind,
        text: text.to_owned(),
        state,
        since: minutes_ago(30),
        is_earlier: false,
        weighs: true,
    }
}

/// Two test failures, uncommitted work, and ten todos of which four are done.
fn busy() -> WorkspaceView {
    let mut view = WorkspaceView { sessions: with_todos().sessions, ..failing() };
    let titles: Vec<String> = (1..=10).map(|number| format!("Step {number} of the import")).collect();
    let state = |at: usize| if at < 4 { ItemState::Done } else { ItemState::Open };
    let items = titles.iter().enumerate().map(|(at, title)| item(title, state(at))).collect();
    view.checklists = vec![Arc::new(Checklist { from: "claude".to_owned(), items })];
    let open = PointState::Open;
    let mut points = vec![
        point(PointKind::Finish, Source::Tests, "reads_empty_file fails", open),
        point(PointKind::Finish, Source::Tests, "keeps_order fails", PointState::Sent { at: minutes_ago(2) }),
        point(PointKind::Keep, Source::Changes, "2 files are not committed", open),
    ];
    points.extend(titles[4..].iter().map(|title| point(PointKind::Finish, Source::Plan, title, open)));
    points.push(point(
        PointKind::Finish,
        Source::Command,
        "clippy fails",
        PointState::Done { at: minutes_ago(1) },
    ));
    Arc::make_mut(view.verdict.as_mut().unwrap()).left_to_do.points = points;
    let attempts = &smart_report().attempts;
    let attempt = |number: u32| ProbeAttempt { number, ..attempts[number as usize % attempts.len()].clone() };
    let mut report = smart_report();
    report.attempts = (1..=5).map(attempt).collect();
    view.actions.smart_check = Some(report.into());
    view.actions.history = history(&view);
    let happened = |minutes, what| HistoryEntry {
        at: minutes_ago(minutes),
        workspace: view.id.clone(),
        agent: Some("claude".to_owned()),
        what,
    };
    let became = |state, before, proof| HistoryEvent::Verdict { state, before: Some(before), proof };
    view.actions.timeline = vec![
        happened(4, became(VerdictState::Incomplete, VerdictState::Working, None)),
        happened(9, became(VerdictState::Working, VerdictState::Complete, None)),
        happened(50, HistoryEvent::Seen { after_ms: 95_000 }),
        happened(52, HistoryEvent::Notice { why: "finished".to_owned() }),
        happened(52, became(VerdictState::Complete, VerdictState::Working, Some(Proof::Checked))),
        happened(
            120,
            HistoryEvent::Iteration {
                run: "r".to_owned(),
                number: 2,
                end: CommandEnd::Code(0),
                verdict: VerdictState::Incomplete,
                took_ms: 63_000,
                was_active: false,
            },
        ),
    ];
    view
}

fn shown(state: &State, views: &[WorkspaceView]) -> String {
    text_of(&frame(state, views)).join("\n")
}

#[test]
fn every_tab_at_every_size() {
    let mut views = vec![busy()];
    views.extend(five().into_iter().filter(|view| ["api", "docs"].contains(&view.name.as_str())));
    for (width, height) in SIZES {
        for (at, &tab) in Tab::VARIANTS.iter().enumerate() {
            let mut state = screen_of(width, height, &views);
            let _ = press(&mut state, &views, &format!("{}", at + 1));
            assert_eq!((state.tab, state.focus), (tab, Focus::Detail));
            assert_snapshot!(format!("tab_{}_{width}x{height}", at + 1), picture(&frame(&state, &views)));
        }
    }
}

#[test]
fn a_checklist_of_ten_points_and_five_attempts_are_whole_on_a_small_screen() {
    let views = [busy(), five().remove(0)];
    let mut state = screen_of(80, 24, &views);
    let _ = press(&mut state, &views, "2+");
    let left = shown(&state, &views);
    for number in 1..=10 {
        assert!(left.contains(&format!("Step {number} of the import")), "{left}");
    }
    assert!(left.contains("reads_empty_file fails") && left.contains("sent 2m ago"), "{left}");
    let _ = press(&mut state, &views, "3");
    let asked = shown(&state, &views);
    for number in 1..=5 {
        assert!(asked.lines().any(|line| line.trim_start().starts_with(&format!("{number}  "))), "{asked}");
    }
    let _ = press(&mut state, &views, "+");
    assert!(shown(&state, &views).contains("left to do"), "the list is back");
}

#[test]
fn why_says_what_completion_waits_for() {
    let views = [busy()];
    let words = shown(&screen_of(120, 40, &views), &views);
    assert!(words.contains("COMPLETE when: 8 points are closed and the work is committed"), "{words}");
}

#[test]
fn marked_points_are_sent_back_as_one_reply_that_can_be_edited() {
    let views = [busy()];
    let mut state = screen_of(80, 24, &views);
    // The first point is marked, the second left out, the third marked.
    let sent = press(&mut state, &views, "2 j b");
    let Some(Dialog::Reply(_)) = &state.dialog else { panic!("{:?}", state.dialog) };
    let texts: Vec<&Draft> = sent
        .intents
        .iter()
        .filter_map(|intent| if let Intent::KeepDraft { draft, .. } = intent { Some(draft) } else { None })
        .collect();
    let text = &texts.last().unwrap().text;
    assert!(text.ends_with(":\n- reads_empty_file fails\n- 2 files are not committed"), "{text}");
    assert!(!text.contains("Step"), "{text}");
    let plans = |intent: &Intent| matches!(intent, Intent::Action { action, .. } if matches!(**action, Action::PlanReply { .. }));
    assert_eq!(sent.intents.iter().filter(|intent| plans(intent)).count(), 1);
    assert_snapshot!("points_to_send_80x24", picture(&frame(&state, &views)));
}

#[test]
fn without_a_mark_all_that_is_left_is_sent_and_nothing_that_is_done() {
    let views = [busy()];
    let mut state = screen_of(80, 24, &views);
    let sent = press(&mut state, &views, "b");
    let text = format!("{:?}", sent.intents);
    assert!(text.contains("Step 10 of the import") && text.contains("keeps_order fails"), "{text}");
    assert!(!text.contains("clippy fails"), "{text}");
    // What was written before stays, and the same points are not written twice.
    let draft = sent.intents.iter().find_map(|intent| {
        if let Intent::KeepDraft { draft, .. } = intent { Some(draft.clone()) } else { None }
    });
    let mut views = [busy()];
    views[0].actions.drafts = draft.into_iter().collect();
    let mut state = screen_of(80, 24, &views);
    let again = format!("{:?}", press(&mut state, &views, "b").intents);
    assert_eq!(again.matches("Step 10 of the import").count(), 1, "{again}");
}

#[test]
fn a_point_under_the_cursor_is_marked_as_not_of_this_task() {
    let views = [busy()];
    let mut state = screen_of(80, 24, &views);
    let _ = press(&mut state, &views, "2jd");
    let words = shown(&state, &views);
    assert!(words.contains("not of this task: "), "{words}");
    let _ = press(&mut state, &views, "t\n");
    ui::on_frame(&mut state, NOW.plus_millis(-5000));
    ui::on_input(&mut state, NOW);
    let intents = press(&mut state, &views, "y").intents;
    let points = &views[0].verdict.as_ref().unwrap().left_to_do.points;
    let of_point = |id: &str| Intent::Action {
        workspace: views[0].id.clone(),
        action: Box::new(Action::Mark {
            order: MarkOrder::NotOfThisTask { point: Some(id.to_owned()) },
            reason: None,
        }),
    };
    assert!(points.iter().any(|point| intents == [of_point(&point.id)]), "{intents:?}");
}

#[test]
fn where_nothing_is_for_an_agent_it_is_said() {
    let mut view = busy();
    Arc::make_mut(view.verdict.as_mut().unwrap()).left_to_do.points =
        vec![point(PointKind::Answer, Source::LastWords, "Which one?", PointState::Open)];
    view.actions.verified = Some(verify_report().into());
    let views = [view];
    let mut state = seen_screen_of(80, 24, &views);
    assert_eq!(press(&mut state, &views, "b").intents, []);
    assert_eq!(state.answer.as_deref(), Some("it waits for you, not for more work: i answers"));
    let mut done = busy();
    Arc::make_mut(done.verdict.as_mut().unwrap()).left_to_do.points = Vec::new();
    let views = [done];
    let mut state = seen_screen_of(80, 24, &views);
    assert_eq!(press(&mut state, &views, "b").intents, []);
    assert_eq!(state.answer.as_deref(), Some("no point here is for an agent"));
}

#[test]
fn a_key_without_a_row_says_why_it_does_nothing() {
    let views = [busy()];
    let mut state = seen_screen_of(80, 24, &views);
    let _ = press(&mut state, &views, "/zzz\n");
    for key in ["c", "d", "i", "b", "p", "z", "V"] {
        state.answer = None;
        assert_eq!(press(&mut state, &views, key).intents, []);
        assert_eq!(state.answer.as_deref(), Some("no row matches the filter: Esc shows all"), "{key}");
    }
    let mut state = seen_screen_of(80, 24, &[]);
    assert_eq!(press(&mut state, &[], "c").intents, []);
    assert_eq!(state.answer.as_deref(), Some("no row is selected"));
}
