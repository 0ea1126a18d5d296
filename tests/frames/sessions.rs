//! Sessions on the screen: what the row says of them, the block in the detail, the way to a pane, and
//! the old ones that are folded away.

use std::sync::Arc;

use closeout::model::{
    Activity, ActivitySource, ActivityState, Attention, Claim, Evidence, Fact, Intent, Origin, PartRole,
    QuestionWeight, Rejection, SessionName, SetAside, Source, VerdictState, WorkspaceView,
};
use closeout::ui::{self, Focus, Input, KeyCode, KeyPress, Look, Reaction, State};
use insta::assert_snapshot;

use crate::support::samples::five;
use crate::support::screen::{
    NOW, frame, minutes_ago, part, picture, press, screen, screen_of, seen_screen_of, text_of,
};
use crate::support::session_samples::{
    all, codex_asks_beside_claude, codex_wants_permission_beside_claude, gone, guessed, japanese_question,
    just_finished, pane, session, silent, wants_permission, with_subagents, with_todos,
};

/// All samples with the folded line, as a picture.
fn all_of(width: u16, height: u16, look: Look) -> String {
    let views = all();
    let mut state = screen_of(width, height, &views);
    state.look = look;
    state.n_older = 12;
    let _ = ui::views_changed(&mut state, &views);
    picture(&frame(&state, &views))
}

#[test]
fn all_sessions_on_a_small_screen() {
    assert_snapshot!(all_of(80, 24, Look::colour()));
}

#[test]
fn all_sessions_on_a_middle_screen() {
    assert_snapshot!(all_of(120, 40, Look::colour()));
}

#[test]
fn all_sessions_on_a_large_screen() {
    assert_snapshot!(all_of(200, 60, Look::colour()));
}

#[test]
fn all_sessions_in_ascii() {
    assert_snapshot!(all_of(80, 24, Look::ascii()));
}

/// One story alone, at the three sizes: the row, and what of the detail has room.
fn alone(view: WorkspaceView) -> String {
    let views = [view];
    let sizes = [(80, 24), (120, 40), (200, 60)];
    let on_frame = sizes.map(|(width, height)| {
        let rows = text_of(&frame(&screen_of(width, height, &views), &views));
        let last = rows.iter().rposition(|row| !row.trim_matches([' ', '│']).is_empty()).unwrap();
        let shown: Vec<&str> = rows[..last].iter().map(|row| row.trim_end_matches([' ', '│'])).collect();
        format!("{}\n{}", shown.join("\n").trim_end(), rows[last])
    });
    on_frame.join("\n\n")
}

#[test]
fn one_claude_at_work_with_subagents() {
    assert_snapshot!(alone(with_subagents()));
}

#[test]
fn a_permission_in_the_row() {
    assert_snapshot!(alone(wants_permission()));
}

#[test]
fn codex_asks_beside_an_idle_claude() {
    assert_snapshot!(alone(codex_asks_beside_claude()));
}

#[test]
fn a_session_that_is_gone_and_old_ones() {
    assert_snapshot!(alone(gone()));
}

#[test]
fn sessions_that_were_left_are_one_line() {
    let mut view = codex_asks_beside_claude();
    let left = Evidence::abstain(Source::LiveSession, "codex", Rejection::LeftOver, Origin::File.as_read());
    let left = part(PartRole::Rejected, left.because(Fact::LeftForAnother));
    Arc::make_mut(view.verdict.as_mut().unwrap()).parts = vec![left.clone(), left];
    view.attention = None;
    let asked = view.sessions[1].clone();
    view.sessions.push(asked);
    for session in &mut view.sessions[1..] {
        Arc::make_mut(session).set_aside = Some(SetAside::LeftOver);
    }
    let views = [view];
    let mut state = screen_of(120, 40, &views);
    for tab in ["1", "5"] {
        let _ = press(&mut state, &views, tab);
        let shown = text_of(&frame(&state, &views)).join("\n");
        assert!(shown.contains("2 left over"), "{shown}");
        assert!(!shown.contains("codex") && !shown.contains("went on"), "{shown}");
    }
}

#[test]
fn opencode_with_todos() {
    assert_snapshot!(alone(with_todos()));
}

#[test]
fn a_guess_by_the_title_of_the_pane() {
    assert_snapshot!(alone(guessed()));
}

#[test]
fn a_question_in_japanese() {
    assert_snapshot!(alone(japanese_question()));
}

/// The row of a workspace on a small screen.
fn row(view: WorkspaceView) -> String {
    let views = [view];
    text_of(&frame(&screen_of(80, 24, &views), &views))[2].clone()
}

#[test]
fn a_row_says_what_the_session_does_and_for_how_long() {
    let rows: Vec<(WorkspaceView, &str)> = vec![
        (with_subagents(), "▌● WORKING dates claude 2/5 12m Bash: cargo test --all"),
        (wants_permission(), "▌! PERMISSION server claude 3m Bash: cargo test -- --ignored"),
        (codex_asks_beside_claude(), "▌? COMPLETE migration claude+1 9m codex asks: Shall I drop"),
        (
            codex_wants_permission_beside_claude(),
            "▌! PERMISSION release claude+1 6m codex: shell: git push origin main",
        ),
        (gone(), "▌○ INCOMPLETE docs feature/docs gemini 1h no evidence that the wo… · gone"),
        (with_todos(), "▌● WORKING cart opencode 3/7 4m edit: src/cart.ts"),
        (guessed(), "▌● WORKING firmware codex 31m [guess] shell: make"),
        (silent(), "▌○ INCOMPLETE reports codex 14m no evidence that the wor… · unknown, silent"),
        (just_finished(), "▌✔ COMPLETE login claude 4/4 5m “The login works.”"),
    ];
    for (view, shown) in rows {
        // How wide a column is, is another matter.
        let row = row(view).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(row.starts_with(shown), "{row}\n{shown}");
    }
}

#[test]
fn enter_goes_to_the_pane_of_the_session_that_wants_the_person() {
    for (view, wanted) in [
        (with_subagents(), "claude"),
        (codex_asks_beside_claude(), "codex"),
        (codex_wants_permission_beside_claude(), "codex"),
    ] {
        let views = [view];
        let mut state = seen_screen_of(80, 24, &views);
        let session = SessionName::new(wanted, format!("{wanted}-0b1c2d3e"));
        let jump = Intent::JumpToPane { workspace: views[0].id.clone(), session };
        let wanted = Reaction { intents: vec![jump], ..Reaction::default() };
        assert_eq!(press(&mut state, &views, "\n"), wanted);
        assert_eq!(state.focus, Focus::List);
        // Also from the detail.
        let _ = press(&mut state, &views, "l");
        assert_eq!((state.focus, press(&mut state, &views, "\n")), (Focus::Detail, wanted));
    }
}

#[test]
fn enter_opens_where_no_session_has_a_pane_and_l_opens_anywhere() {
    for (view, keys) in [(with_todos(), "\n"), (with_todos(), "l"), (with_subagents(), "l")] {
        let views = [view];
        let mut state = seen_screen_of(80, 24, &views);
        let glance = Intent::Glance { workspace: views[0].id.clone() };
        assert_eq!(press(&mut state, &views, keys).intents, [glance]);
        assert_eq!((state.focus, state.is_zoomed), (Focus::Detail, true), "{keys:?}");
        let _ = press(&mut state, &views, "h");
        assert_eq!((state.focus, state.is_zoomed), (Focus::List, false));
    }
    let mut state = screen_of(80, 24, &five());
    let right = Input::Key(KeyPress::plain(KeyCode::Right));
    let _ = ui::update(&mut state, &five(), right);
    assert_eq!(state.focus, Focus::Detail);
}

fn last_line(state: &State, views: &[WorkspaceView]) -> String {
    text_of(&frame(state, views)).pop().unwrap()
}

#[test]
fn the_hint_says_what_enter_does() {
    let views = [with_subagents()];
    let mut state = screen_of(80, 24, &views);
    assert!(last_line(&state, &views).starts_with(" Enter go to pane  l open  1-6 tabs"));
    let _ = press(&mut state, &views, "l");
    assert!(last_line(&state, &views).starts_with(" Esc back  Enter go to pane  1-6 tabs"));
    let views = [with_todos()];
    let mut state = screen_of(80, 24, &views);
    assert!(last_line(&state, &views).starts_with(" Enter open  1-6 tabs"));
    let _ = press(&mut state, &views, "\n");
    assert!(last_line(&state, &views).starts_with(" Esc back  1-6 tabs"));
}

#[test]
fn an_answer_is_shown_in_full_until_the_next_key() {
    let views = [with_subagents()];
    let mut state = screen_of(80, 24, &views);
    let sentence = "closeout is not in tmux. The session is shown in pane %3; to see it, run";
    let command = "tmux -S /tmp/tmux-1000/default attach -t '$0:@1.%3'\u{1b}[31m";
    state.answer = Some(format!("{sentence}\n{command}"));
    let rows = text_of(&frame(&state, &views));
    assert_eq!(rows[21], format!(" {sentence}"));
    assert_eq!(rows[22], " tmux -S /tmp/tmux-1000/default attach -t '$0:@1.%3'␛[31m");
    let _ = press(&mut state, &views, "k");
    assert!(last_line(&state, &views).contains("Enter go to pane"));
}

#[test]
fn o_shows_and_folds_older_sessions() {
    let views = five();
    let mut state = screen_of(80, 24, &views);
    assert!(!text_of(&frame(&state, &views)).join("").contains("older"));
    state.n_older = 12;
    assert_eq!(text_of(&frame(&state, &views))[12], "   12 older sessions · o to show");
    assert_eq!(press(&mut state, &views, "o").intents, [Intent::ShowOlder { is_shown: true }]);
    assert_eq!(text_of(&frame(&state, &views))[12], "   old sessions included · o to hide");
    assert_eq!(press(&mut state, &views, "o").intents, [Intent::ShowOlder { is_shown: false }]);
    let mut state = screen_of(80, 24, &[]);
    state.n_older = 1;
    let shown = text_of(&frame(&state, &[])).join("\n");
    assert!(shown.contains("1 older session · o to show"), "{shown}");
}

#[test]
fn the_age_in_a_row_is_that_of_what_it_speaks_of() {
    let mut view = just_finished();
    // The work was judged complete when closeout first looked, 5 minutes after it was.
    assert_eq!(view.verdict_since, Some(NOW));
    assert!(row(view.clone()).contains("  5m  "));
    // A state that came under its eyes (a decision, an answer to a probe) is as old as that.
    view.is_found_state = false;
    assert!(row(view.clone()).contains(" now  "));
    view.is_found_state = true;
    // Without a source for it, there is the verdict's own.
    Arc::make_mut(&mut view.sessions[0]).ended_at = None;
    Arc::make_mut(&mut view.sessions[0]).activity =
        Activity { since: None, ..view.sessions[0].activity.clone() };
    assert!(row(view.clone()).contains(" now  "));
    // The first age to change is asked for: the 12 minutes of the turn, and no other.
    let mut at_work = with_subagents();
    Arc::make_mut(&mut at_work.sessions[0]).subagents.clear();
    at_work.verdict_since = Some(minutes_ago(120));
    at_work.activity.since = Some(minutes_ago(130));
    at_work.reading.taken_at = None;
    let state = screen(80, 24, Look::colour());
    assert_eq!(ui::next_change(&state, &[at_work], NOW), Some(minutes_ago(-50)));
}

#[test]
fn sessions_that_are_over_fold_away_and_others_never() {
    let mut view = gone();
    let mut late = session("codex", ActivityState::Working, ActivitySource::Hook, 2, "shell: make");
    late.pane = Some(pane("%8"));
    view.sessions.push(late.into());
    let views = [view];
    let mut state = screen_of(80, 40, &views);
    let _ = press(&mut state, &views, "5+");
    let shown = text_of(&frame(&state, &views)).join("\n");
    assert!(shown.contains("Sessions  8") && shown.contains("+4 ended"), "{shown}");
    assert!(
        shown.contains("codex  working 2m: shell: make") && shown.contains("fork of 5f0e9d8c"),
        "{shown}"
    );
}

#[test]
fn what_is_not_known_is_said_to_be_unknown() {
    let mut view = silent();
    Arc::make_mut(&mut view.sessions[0]).activity = Activity::unknown();
    Arc::make_mut(&mut view.sessions[0]).moved_at = None;
    view.activity = Activity::unknown();
    // A record of an old session that does not tell: nothing lives there.
    assert!(!row(view.clone()).contains("unknown"));
    Arc::make_mut(&mut view.sessions[0]).pane = Some(pane("%2"));
    let mut state = screen_of(80, 24, &[view.clone()]);
    let _ = press(&mut state, &[view.clone()], "5");
    let shown = text_of(&frame(&state, &[view])).join("\n");
    assert!(shown.contains("· unknown\n") && shown.contains("codex  unknown  "), "{shown}");
}

#[test]
fn the_own_question_comes_before_that_of_another_session() {
    let mut view = japanese_question();
    view.sessions.extend(codex_asks_beside_claude().sessions.pop());
    assert!(row(view.clone()).contains("検索結果を保存する"));
    // Answered, it gives way; what it offers does not keep it.
    let verdict = Arc::make_mut(view.verdict.as_mut().unwrap());
    verdict.question.as_mut().unwrap().weight = QuestionWeight::Offer;
    Arc::make_mut(&mut view.sessions[0]).question = None;
    assert!(row(view).contains("codex asks: Shall I drop"));
}

/// What another session offers is no question and keeps nothing open; it is read once, like the newest session's.
#[test]
fn the_offer_of_another_session_has_its_sign_its_words_and_no_more() {
    let mut view = codex_asks_beside_claude();
    view.attention = Some(Attention::Finished);
    let codex = Arc::make_mut(&mut view.sessions[1]);
    let offer = codex.question.as_mut().unwrap();
    (offer.text, offer.weight) = ("Shall I add a benchmark?".to_owned(), QuestionWeight::Offer);
    assert!(row(view.clone()).starts_with("▌◇ COMPLETE"), "{}", row(view.clone()));
    assert!(row(view.clone()).contains("codex offers: Shall I add"), "{}", row(view.clone()));
    let detail = text_of(&frame(&screen_of(120, 60, &[view.clone()]), &[view.clone()])).join("\n");
    assert!(detail.contains("an offer of more work") && detail.contains("offers: Shall I add a benchmark?"));
    view.is_seen = true;
    assert!(!row(view.clone()).contains('◇'));
    view.is_seen = false;
    Arc::make_mut(view.verdict.as_mut().unwrap()).state = VerdictState::Incomplete;
    assert!(!row(view).contains('◇'));
}

#[test]
fn git_without_facts_says_why() {
    let mut view = gone();
    view.git = None;
    let reason = "the repository belongs to another user";
    let evidence = Evidence::claim(Source::Commits, "git", Claim::Fail, Origin::Git.as_read())
        .because(reason.to_owned());
    Arc::make_mut(view.verdict.as_mut().unwrap()).parts = vec![part(PartRole::Decided, evidence)];
    let views = [view];
    let mut state = screen_of(80, 40, &views);
    let _ = press(&mut state, &views, "4");
    let rows = text_of(&frame(&state, &views));
    let heading = rows.iter().position(|row| row == " Git").unwrap();
    assert_eq!(rows[heading + 1], format!("   {reason}"));
}
