//! What holds of every frame, whatever the views hold and whatever the size.

use std::sync::Arc;

use closeout::model::{
    Head, NextAction, Pane, SessionOrigin, TodoProgress, Why, WorkspaceView, display_text,
};
use closeout::ui::{Focus, Look, State};
use proptest::prelude::*;

use crate::support::samples::{commit_id, five};
use crate::support::screen::{frame, last_words, press, screen_of};
use crate::support::session_samples::{codex_asks_beside_claude, with_subagents};

/// Strings as agents, repositories and attackers write them.
fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        any::<String>(),
        "[ -~]{0,40}",
        Just("\u{1b}[31m".to_owned()),
        Just("\u{202e}".to_owned()),
        Just("👩\u{200D}💻".to_owned()),
        Just("日本語のとても長い文".to_owned()),
        Just("e\u{301}\u{301}\u{301}".to_owned()),
        Just("\n\n- [ ] a\n  > b\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```\nx\n".to_owned()),
        Just("&#27;&#8238;".to_owned()),
        Just("ｶﾞﾊﾟ\u{0E33}\u{1100}\u{1161}".to_owned()),
    ];
    prop::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat())
}

/// The five workspaces with every text replaced.
fn hostile_views() -> impl Strategy<Value = Vec<WorkspaceView>> {
    prop::collection::vec(prop::collection::vec(hostile(), 12), 0..6).prop_map(|texts| {
        texts.into_iter().zip(five()).map(|(words, view)| with_words(view, &words)).collect()
    })
}

fn with_words(mut view: WorkspaceView, words: &[String]) -> WorkspaceView {
    view.name.clone_from(&words[0]);
    view.agent = Some(words[1].clone());
    view.model = Some(words[2].clone());
    view.prompt = Some(words[3].clone());
    view.reading.problems.settings = (words[4].len() > 20).then(|| words[4].clone());
    view.activity.detail = Some(words[5].clone());
    view.last_words = Some(last_words(&words[6], 5).into());
    view.sessions = with_subagents().sessions;
    view.sessions.extend(codex_asks_beside_claude().sessions);
    for (session, word) in view.sessions.iter_mut().map(Arc::make_mut).zip(words) {
        session.agent.clone_from(word);
        session.name = Some(words[3].clone());
        session.version = Some(words[8].clone());
        session.model = Some(words[2].clone());
        session.activity.detail = Some(words[5].clone());
        session.origin = SessionOrigin::Fork { of: Some(words[1].as_str().into()) };
        session.todos = Some(TodoProgress { n_done: 1, n_all: u32::MAX, active: Some(words[4].clone()) });
        session.question.iter_mut().for_each(|question| question.text.clone_from(&words[6]));
        session.subagents.iter_mut().for_each(|subagent| subagent.what = Some(words[7].clone()));
        session.pane = Some(Pane { socket: None, id: words[9].clone() });
    }
    if let Some(git) = view.git.as_mut().map(Arc::make_mut) {
        git.head = Head::Branch { name: words[7].clone(), commit: commit_id("e1") };
        git.changes = None;
        git.notes = vec![words[9].clone()];
        for file in git.changes.iter_mut().flat_map(|changes| &mut changes.files) {
            file.path.clone_from(&words[10]);
        }
    }
    if let Some(verdict) = view.verdict.as_mut().map(Arc::make_mut) {
        verdict.why = Why::Because(verdict.rule(), words[11].clone().into());
        verdict.next_action = NextAction::Repair(Some(words[0].clone().into()));
        for part in &mut verdict.parts {
            let evidence = Arc::make_mut(&mut part.evidence);
            evidence.name.clone_from(&words[1]);
            evidence.reasons = vec![words[2].clone().into(), words[3].clone().into()];
        }
        if let Some(question) = &mut verdict.question {
            question.text.clone_from(&words[6]);
            question.choices.iter_mut().for_each(|choice| choice.label.clone_from(&words[9]));
        }
    }
    view
}

fn on_frame(state: &State, views: &[WorkspaceView]) -> Result<(), TestCaseError> {
    for cell in &frame(state, views).content {
        prop_assert!(!cell.symbol().chars().any(display_text::is_unsafe), "{:?}", cell.symbol());
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_view_and_no_size_breaks_a_frame_or_reaches_the_terminal(
        views in hostile_views(),
        width in 0u16..250,
        height in 0u16..80,
        keys in prop::sample::select(vec!["", "\n", "\tjjjG", "?G", "/a", "w\n", "jjG", "/日\n"]),
        notice in hostile(),
        look in prop::sample::select(vec![Look::colour(), Look::plain(), Look::ascii()]),
    ) {
        let mut state = screen_of(width, height, &views);
        state.look = look;
        state.answer = (notice.len() > 30).then(|| notice.clone());
        state.n_older = notice.len();
        state.notices = vec![notice];
        on_frame(&state, &views)?;
        let _ = press(&mut state, &views, keys);
        on_frame(&state, &views)?;
    }

    #[test]
    fn the_last_line_of_a_detail_can_be_reached(
        views in hostile_views(),
        width in 30u16..250,
        height in 8u16..80,
    ) {
        let mut state = screen_of(width, height, &views);
        let _ = press(&mut state, &views, "\tG");
        let scrolled = state.detail_top;
        let before = frame(&state, &views);
        state.detail_top = usize::MAX;
        prop_assert!(state.focus != Focus::Detail || before == frame(&state, &views), "top {scrolled}");
    }
}
