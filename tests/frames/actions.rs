//! Actions on the screen: the preview of a rescue, undo, asking an agent, a decision, and what became of
//! them. Pictures, and scripts of keys whose intents are compared whole.

use std::sync::Arc;

use closeout::model::{
    Action, ActionClass, ActionKind, ActionOutcome, ActionProblem, Actor, AskPurpose, AutoBudget, CheckAsk,
    CheckPlace, CommitAuthor, CommitId, CommitTarget, ConfiguredCheck, Hindrance, Intent, JumpOutcome,
    LeftOut, MarkOrder, MarkSeen, OwnProgram, PlanNote, PlannedChange, PlannedPrograms, PlannedSplit,
    ProbeReading, ProbeWord, ReceiptState, RecordCost, RecordOrder, RefName, RescuePlan, Response, Rule,
    RunningAction, SplitKind, TaskKind, TrustItem, TrustKind, TrustList, UndoDirection, VerdictState, Why,
    WorkspaceView,
};
use closeout::ui::{self, Dialog, Edited, Input, KeyCode, KeyPress, Look, Mouse, MouseKind, Reaction, State};
use insta::assert_snapshot;

use crate::support::action_samples::{
    RECORD, ask_plan, attempt, branch_plan, history, large_plan, left_out, path, plan, plan_detached,
    plan_refused, plan_to_split, read, receipt, rescued, running_probe, running_turn, smart_report, tell,
    undo_plan, verify_report,
};
use crate::support::samples::{commit_id, five, rescue};
use crate::support::screen::{NOW, frame, judged, picture, press, screen_of, text_of};
use crate::support::session_samples::with_todos;

/// The row of `payments` in [`five`].
const ROW: usize = 1;

/// A screen with `payments` selected, on which this came.
fn with(size: (u16, u16), views: &[WorkspaceView], kind: ActionKind, outcome: ActionOutcome) -> State {
    let mut state = screen_of(size.0, size.1, views);
    let _ = press(&mut state, views, "j");
    let _ = tell(&mut state, views, ROW, kind, outcome);
    read(&mut state);
    state
}

fn preview(size: (u16, u16), views: &[WorkspaceView], plan: RescuePlan) -> State {
    with(size, views, ActionKind::Plan, ActionOutcome::RescuePlanned(Box::new(plan)))
}

fn action(views: &[WorkspaceView], action: Action) -> Intent {
    Intent::Action { workspace: views[ROW].id.clone(), action: Box::new(action) }
}

fn last_line(state: &State, views: &[WorkspaceView]) -> String {
    text_of(&frame(state, views)).pop().unwrap()
}

/// The line above the hints, where a message ends.
fn message_line(state: &State, views: &[WorkspaceView]) -> String {
    text_of(&frame(state, views)).into_iter().nth_back(1).unwrap()
}

#[test]
fn a_rescue_on_a_small_screen() {
    let views = five();
    assert_snapshot!(picture(&frame(&preview((80, 24), &views, plan()), &views)));
}

#[test]
fn a_rescue_on_a_large_screen() {
    let views = five();
    assert_snapshot!(picture(&frame(&preview((200, 60), &views, plan()), &views)));
}

#[test]
fn a_rescue_on_a_tiny_screen() {
    let views = five();
    assert_snapshot!(picture(&frame(&preview((44, 10), &views, plan()), &views)));
}

#[test]
fn a_rescue_in_ascii_with_a_secret_taken_in() {
    let views = five();
    let mut state = preview((80, 24), &views, plan());
    state.look = Look::ascii();
    for _ in 0..30 {
        if text_of(&frame(&state, &views)).iter().any(|row| row.contains("added by you: possible secret")) {
            break;
        }
        let _ = press(&mut state, &views, "j ");
    }
    assert_snapshot!(picture(&frame(&state, &views)));
}

#[test]
fn a_rescue_that_is_refused() {
    let views = five();
    assert_snapshot!(picture(&frame(&preview((80, 24), &views, plan_refused()), &views)));
}

#[test]
fn a_rescue_to_another_branch() {
    let views = five();
    let state = preview((80, 24), &views, plan_detached());
    assert_snapshot!(picture(&frame(&state, &views)));
}

#[test]
fn an_undo() {
    let views = five();
    let undo = ActionOutcome::UndoPlanned(Box::new(undo_plan(UndoDirection::Undo)));
    assert_snapshot!(picture(&frame(&with((80, 24), &views, ActionKind::Plan, undo), &views)));
}

#[test]
fn commits_that_no_branch_holds() {
    let views = five();
    let planned = ActionOutcome::BranchPlanned(Box::new(branch_plan()));
    let mut state = with((80, 24), &views, ActionKind::Record, planned);
    assert_snapshot!(picture(&frame(&state, &views)));
    let _ = press(&mut state, &views, "y");
    let kept = ActionOutcome::CommitsKept(Box::new(branch_plan()));
    let _ = tell(&mut state, &views, ROW, ActionKind::Rescue, kept);
    let said = state.answer.clone().unwrap();
    assert_eq!(said, "2 commits kept on the new branch rescue/20260921T100000Z, at c0ffee1\nz undoes it");
}

/// What a person had taken back is loose, too, and nothing to rescue: the verdict knows what is left.
#[test]
fn a_rescue_of_commits_is_hinted_where_the_verdict_would_keep_some() {
    let hints = |loose: &[CommitId]| {
        let mut view = judged("docs", VerdictState::Complete, Why::Rule(Rule::YesWithCommits));
        Arc::make_mut(view.git.as_mut().unwrap()).commits.n_lost = 1;
        Arc::make_mut(view.verdict.as_mut().unwrap()).loose = loose.to_vec();
        let views = [view];
        last_line(&screen_of(80, 24, &views), &views)
    };
    let (none, one) = (hints(&[]), hints(&[commit_id("c0ffee1")]));
    assert!(!none.contains("c rescue") && one.contains("c rescue"), "{none}\n{one}");
}

#[test]
fn a_smart_check_before_it_is_made() {
    let views = five();
    let asked = ActionOutcome::AskPlanned(Box::new(ask_plan(AskPurpose::Probe)));
    assert_snapshot!(picture(&frame(&with((80, 24), &views, ActionKind::Plan, asked), &views)));
}

#[test]
fn the_report_of_the_closer() {
    let views = five();
    let verified = ActionOutcome::Verified(Box::new(verify_report()));
    let mut state = with((80, 24), &views, ActionKind::Verify, verified);
    let _ = press(&mut state, &views, "j");
    assert_snapshot!(picture(&frame(&state, &views)));
}

#[test]
fn a_rescue_that_failed() {
    let views = five();
    let problem =
        ActionProblem::new(ActionClass::Refused, "changed since you looked").with_next("look again: c");
    let state = with((80, 24), &views, ActionKind::Rescue, ActionOutcome::Failed(problem));
    assert_snapshot!(picture(&frame(&state, &views)));
}

#[test]
fn what_runs_and_what_was_done_in_the_detail() {
    let mut view = rescue();
    view.actions.running = Some(running_probe().into());
    view.actions.history = history(&view);
    view.actions.receipts = vec![receipt(ReceiptState::Unknown), receipt(ReceiptState::Consumed)];
    view.actions.smart_check = Some(smart_report().into());
    view.actions.verified = Some(verify_report().into());
    let views = [view];
    let mut state = screen_of(80, 100, &views);
    let _ = press(&mut state, &views, "l");
    assert_snapshot!(picture(&frame(&state, &views)));
}

#[test]
fn what_runs_is_in_its_row() {
    let mut views = five();
    views[ROW].actions.running = Some(running_probe().into());
    let mut state = screen_of(80, 24, &views);
    let _ = press(&mut state, &views, "j");
    let rows = text_of(&frame(&state, &views));
    assert!(rows[5].contains("asking the agent: waits, then asks"), "{}", rows[5]);
    assert!(rows[23].contains("x end it"), "{}", rows[23]);
    // The seconds are seen to pass while it runs, and only then.
    assert_eq!(ui::next_change(&state, &views, NOW), Some(NOW.plus_millis(700)));
    assert_eq!(
        press(&mut state, &views, "x").intents,
        [Intent::CancelAction { workspace: views[ROW].id.clone(), number: running_probe().number }]
    );
}

/// Nobody is told that an agent did not say what it said.
#[test]
fn a_check_whose_agent_is_done_and_whose_changes_are_left_says_so() {
    let mut views = five();
    let mut report = smart_report();
    let _ = report.attempts.pop();
    views[ROW].actions.smart_check = Some(report.clone().into());
    let mut state = screen_of(100, 60, &views);
    let _ = press(&mut state, &views, "j3");
    let is_said = |views: &[WorkspaceView], words: &str| {
        text_of(&frame(&state, views)).iter().any(|row| row.contains(words))
    };
    assert!(is_said(&views, "All questions are used up, and the agent did not say that it is done."));
    report.attempts.push(attempt(2, Some(ProbeReading::Answered(ProbeWord::Complete))));
    views[ROW].actions.smart_check = Some(report.into());
    assert!(is_said(&views, "The agent says it is done, and its changes are not committed."));
}

/// A person must see that tokens are spent without their word.
#[test]
fn what_closeout_asks_by_itself_is_in_the_row_the_detail_and_the_header() {
    let mut views = five();
    views[ROW].actions.running = Some(Box::new(RunningAction { is_automatic: true, ..running_probe() }));
    let mut state = screen_of(80, 24, &views);
    let header = |state: &State, views: &[WorkspaceView]| text_of(&frame(state, views))[0].clone();
    assert!(!header(&state, &views).contains("auto ask"));
    state.asks_by_itself = true;
    assert!(header(&state, &views).ends_with(" · auto ask"), "{}", header(&state, &views));
    let _ = press(&mut state, &views, "j");
    let rows = text_of(&frame(&state, &views));
    assert!(rows[5].contains("auto ask: waits, then asks"), "{}", rows[3]);
    assert!(rows.iter().any(|row| row.contains("Under way  auto ask, 75 s · x ends it")), "{rows:#?}");
    assert!(rows[23].contains("x end it"), "{}", rows[23]);
    // The counts are of more use where there is no room for both.
    let mut narrow = screen_of(44, 14, &views);
    let before = header(&narrow, &views);
    narrow.asks_by_itself = true;
    assert_eq!(header(&narrow, &views), before);
    // Why it was not asked is said, and is no trouble.
    views[ROW].actions.running = None;
    let words = "not asked automatically: 6 of 6 this hour";
    views[ROW].not_asked = Some(Hindrance::Budget(AutoBudget { n_sent: 6, per_hour: 6 }));
    let rows = text_of(&frame(&state, &views));
    assert!(rows.iter().any(|row| row.contains(words)), "{rows:#?}");
    let mut history = history(&views[ROW]);
    history[0].by = Actor::Automatic;
    views[ROW].actions.history = history;
    let mut tall = screen_of(100, 60, &views);
    let _ = press(&mut tall, &views, "j6");
    let rows = text_of(&frame(&tall, &views));
    assert!(rows.iter().any(|row| row.contains("1 commit of fix/rounding  (automatic)")), "{rows:#?}");
}

/// The turn of an agent that answers a reply, and what of it is confirmed.
#[test]
fn the_turn_of_an_agent_is_ended_only_after_a_yes() {
    let mut views = five();
    views[ROW].actions.answering = vec![running_turn()];
    let mut state = screen_of(80, 24, &views);
    let _ = press(&mut state, &views, "j");
    assert_snapshot!("a_turn_that_answers", picture(&frame(&state, &views)));
    assert_eq!(press(&mut state, &views, "x").intents, []);
    assert_snapshot!("end_a_turn", picture(&frame(&state, &views)));
    assert_eq!(press(&mut state, &views, "y").intents, [], "it could not be read yet");
    read(&mut state);
    let end = Intent::CancelAction { workspace: views[ROW].id.clone(), number: running_turn().number };
    assert_eq!(press(&mut state, &views, "y").intents, [end]);
    assert_eq!(state.dialog, None);
}

/// They end with closeout: they are shown, and can be waited for or ended each by its number.
#[test]
fn leaving_shows_the_turns_that_end_with_closeout() {
    let mut views = five();
    views[ROW].actions.answering = vec![running_turn()];
    views[ROW].actions.running = Some(running_probe().into());
    let mut state = screen_of(80, 24, &views);
    assert!(!press(&mut state, &views, "q").is_quit);
    assert_snapshot!("leave_with_a_turn", picture(&frame(&state, &views)));
    read(&mut state);
    let end = |number| Intent::CancelAction { workspace: views[ROW].id.clone(), number };
    let ended = [end(running_probe().number), end(running_turn().number)];
    assert_eq!(press(&mut state, &views, "x").intents, ended);
}

#[test]
fn whoever_leaves_is_asked_what_becomes_of_what_runs() {
    let quiet = five();
    let mut busy = five();
    busy[ROW].actions.running = Some(running_probe().into());
    let ctrl_c = |state: &mut State, views: &[WorkspaceView]| {
        ui::update(state, views, Input::Key(KeyPress::ctrl('c')))
    };
    let cancel = Intent::CancelAction { workspace: busy[ROW].id.clone(), number: running_probe().number };
    // Nothing is lost where nothing runs, or only a look.
    let mut looking = five();
    looking[ROW].actions.running =
        Some(Box::new(RunningAction { kind: ActionKind::Plan, ..running_probe() }));
    for views in [&quiet, &looking] {
        let mut state = screen_of(80, 24, views);
        assert!(press(&mut state, views, "q").is_quit);
    }
    // Asked, and stayed: what ends later ends nothing else.
    let mut state = screen_of(80, 24, &busy);
    assert!(!press(&mut state, &busy, "gq").is_quit);
    let rows = text_of(&frame(&state, &busy));
    assert!(rows[21].contains("asking the agent: waits, then asks"), "{rows:?}");
    assert!(rows[23].contains("q wait and quit") && rows[23].contains("Esc stay"), "{}", rows[23]);
    // Its seconds are seen to pass, whichever is selected.
    assert_eq!(ui::next_change(&state, &busy, NOW), Some(NOW.plus_millis(700)));
    assert_eq!(press(&mut state, &busy, "x").intents, [], "too early");
    let _ = press(&mut state, &busy, "\u{1b}");
    assert!(state.dialog.is_none() && !ui::views_changed(&mut state, &quiet).is_quit);
    // Waited for.
    let mut state = screen_of(80, 24, &busy);
    let waiting = press(&mut state, &busy, "gjqq");
    assert_eq!((waiting.is_quit, waiting.intents.contains(&cancel)), (false, false));
    assert!(!ui::views_changed(&mut state, &busy).is_quit);
    assert!(ui::views_changed(&mut state, &quiet).is_quit);
    // Ended, by the key once the box was read, and by Ctrl-C at once; which leaves at once when it comes again.
    let mut state = screen_of(80, 24, &busy);
    let _ = press(&mut state, &busy, "gjq");
    read(&mut state);
    assert_eq!(press(&mut state, &busy, "x").intents, std::slice::from_ref(&cancel));
    let mut state = screen_of(80, 24, &busy);
    let _ = press(&mut state, &busy, "gjq");
    let ended = ctrl_c(&mut state, &busy);
    assert_eq!((ended.is_quit, ended.intents), (false, vec![cancel]));
    assert!(ui::views_changed(&mut state.clone(), &quiet).is_quit);
    assert!(ctrl_c(&mut state, &busy).is_quit);
    // From another box, too.
    let mut state = with((80, 24), &busy, ActionKind::Plan, ActionOutcome::RescuePlanned(Box::new(plan())));
    assert!(!ctrl_c(&mut state, &busy).is_quit && state.dialog.is_some());
    assert!(!ctrl_c(&mut state, &busy).is_quit && ctrl_c(&mut state, &busy).is_quit);
}

/// Whoever leaves presses no key that would show it.
#[test]
fn what_ends_while_the_person_leaves_is_told_with_its_reason() {
    let mut views = five();
    views[ROW].actions.running = Some(running_probe().into());
    let problem = ActionProblem::new(ActionClass::SavedOnly, "something was staged").with_next("look again");
    let failed = || ActionOutcome::Failed(problem.clone());
    let told = "Rescue: something was staged\nlook again";
    // In the box that waits for it; it can still be shown to whoever stays.
    let mut state = screen_of(80, 24, &views);
    let _ = press(&mut state, &views, "jq");
    let _ = tell(&mut state, &views, ROW, ActionKind::Rescue, failed());
    assert_eq!(state.later, [told]);
    let _ = press(&mut state, &views, "\u{1b}");
    assert_eq!(state.answer.as_deref(), Some(told));
    let _ = press(&mut state, &views, "V");
    assert!(matches!(state.dialog, Some(Dialog::Report(_))));
    // After the screen; nothing is told over another thing.
    let mut state = screen_of(80, 24, &views);
    let _ = press(&mut state, &views, "j");
    state.is_over = true;
    let _ = tell(&mut state, &views, ROW, ActionKind::Rescue, failed());
    let planned = ActionOutcome::RescuePlanned(Box::new(plan()));
    let _ = tell(&mut state, &views, ROW, ActionKind::Record, planned);
    let kept = format!("Nothing was committed. The record of the work is kept: {RECORD}");
    assert_eq!((&state.dialog, &state.later[..]), (&None, &[told.to_owned(), kept][..]));
}

/// It is answered, and not shown as one that is being ended.
#[test]
fn what_is_finished_first_is_said() {
    let mut views = five();
    views[ROW].actions.running =
        Some(Box::new(RunningAction { kind: ActionKind::Rescue, ..running_probe() }));
    let mut state = screen_of(80, 24, &views);
    let _ = press(&mut state, &views, "j");
    let told = Response::EndsLater { workspace: views[ROW].id.clone(), kind: ActionKind::Rescue };
    let _ = ui::on_response(&mut state, &views, told);
    assert_eq!(
        state.answer.as_deref(),
        Some("Rescue: it first finishes what it is moving right now, then ends by itself")
    );
}

#[test]
fn each_key_asks_for_its_plan_and_nothing_more() {
    let views = five();
    let mut state = screen_of(80, 24, &views);
    let _ = press(&mut state, &views, "j");
    for (key, wanted) in [
        ("c", Action::PlanRescue { message: None, order: RecordOrder::default() }),
        ("z", Action::PlanUndo { way: UndoDirection::Undo }),
        ("Z", Action::PlanUndo { way: UndoDirection::Redo }),
        ("p", Action::PlanAsk { purpose: AskPurpose::Probe, session: None, options: Box::default() }),
        ("v", Action::PlanAsk { purpose: AskPurpose::Verify, session: None, options: Box::default() }),
    ] {
        let wanted = Reaction { intents: vec![action(&views, wanted)], ..Reaction::default() };
        assert_eq!(press(&mut state, &views, key), wanted, "{key}");
    }
    assert_eq!(press(&mut state, &views, "x").intents, []);
    assert!(message_line(&state, &views).contains("closeout runs nothing here"));
}

/// The whole plan goes back as it was shown; nothing else is wanted.
#[test]
fn y_commits_exactly_the_plan_that_is_shown() {
    let views = five();
    let mut state = preview((80, 24), &views, plan());
    assert_eq!(
        press(&mut state, &views, "y").intents,
        [action(&views, Action::Rescue { plan: Box::new(plan()) })]
    );
    assert_eq!(state.dialog, None);
}

#[test]
fn a_path_that_is_left_out_can_be_taken_in_where_that_can_be_asked_for() {
    let views = five();
    let mut state = preview((80, 40), &views, plan());
    // Down to the last of the three that are left out, which is of a nested repository.
    let is_at = |state: &State, name: &str| {
        let buffer = frame(state, &views);
        let rows = text_of(&buffer);
        let reversed = |y: usize| {
            let cell = &buffer.content[y * 80 + 10];
            cell.modifier.contains(ratatui::style::Modifier::REVERSED)
        };
        rows.iter().enumerate().any(|(y, row)| row.contains(name) && reversed(y))
    };
    for name in [".env", "data/big.bin", "vendor/lib/a.c"] {
        for _ in 0..30 {
            if is_at(&state, name) {
                break;
            }
            let _ = press(&mut state, &views, "j");
        }
        assert!(is_at(&state, name), "{name}\n{}", text_of(&frame(&state, &views)).join("\n"));
        let _ = press(&mut state, &views, " ");
    }
    let shown = text_of(&frame(&state, &views)).join("\n");
    assert!(shown.contains("It cannot be in the commit"), "{shown}");
    assert!(shown.contains("Commit 6 files, 314 MB, 1 deleted, to fix/rounding?"), "{shown}");
    assert!(shown.contains("added by you: possible secret (1), over 10 MB (1)"), "{shown}");
    // Space again leaves it out.
    let _ = press(&mut state, &views, "k ");
    let mut wanted = plan();
    wanted.paths[0].left_out = None;
    assert_eq!(
        press(&mut state, &views, "y").intents,
        [action(&views, Action::Rescue { plan: Box::new(wanted) })]
    );
}

#[test]
fn the_whole_message_is_written_in_place() {
    let views = five();
    let ctrl = |state: &mut State, sign| ui::update(state, &views, Input::Key(KeyPress::ctrl(sign)));
    let mut state = preview((80, 24), &views, plan());
    let _ = press(&mut state, &views, "e");
    assert_snapshot!(picture(&frame(&state, &views)));
    // The cursor stands at the end of the first line. y is a letter here.
    let _ = ctrl(&mut state, 'u');
    let _ = press(&mut state, &views, "fix: yen ");
    let _ = ui::update(&mut state, &views, Input::Paste("四捨五入\r\n\u{1b}[31m".to_owned()));
    let _ = ui::update(&mut state, &views, Input::Key(KeyPress::plain(KeyCode::Down)));
    let _ = ui::update(&mut state, &views, Input::Key(KeyPress::plain(KeyCode::Down)));
    let _ = press(&mut state, &views, "And ");
    let _ = ctrl(&mut state, 'j');
    let _ = press(&mut state, &views, "\n");
    let mut wanted = plan();
    wanted.message =
        "fix: yen 四捨五入\n[31m\n\nWorkAnd \n that codex left uncommitted.\n\nRescued-by: closeout"
            .to_owned();
    let confirmed = press(&mut state, &views, "y").intents;
    assert_eq!(confirmed, [action(&views, Action::Rescue { plan: Box::new(wanted) })]);
}

#[test]
fn a_message_that_is_left_is_as_it_was_and_what_was_written_is_not_lost() {
    let views = five();
    let mut state = preview((80, 24), &views, plan());
    let _ = press(&mut state, &views, "e!\u{1b}");
    assert!(message_line(&state, &views).contains("e continues with what you wrote"));
    let wanted = action(&views, Action::Rescue { plan: Box::new(plan()) });
    assert_eq!(press(&mut state.clone(), &views, "y").intents, [wanted]);
    let mut changed = plan();
    changed.message = changed.message.replacen('\n', "!?\n", 1);
    let wanted = action(&views, Action::Rescue { plan: Box::new(changed) });
    assert_eq!(press(&mut state, &views, "e?\ny").intents, [wanted]);
    // Nothing was written: nothing is said.
    let mut state = preview((80, 24), &views, plan());
    let _ = press(&mut state, &views, "e\u{1b}");
    assert!(!last_line(&state, &views).contains("goes on"));
}

#[test]
fn the_editor_gets_the_message_and_gives_it_back() {
    let views = five();
    let mut state = preview((80, 24), &views, plan());
    let _ = press(&mut state, &views, "e");
    let given = ui::update(&mut state, &views, Input::Key(KeyPress::ctrl('e')));
    assert_eq!(given.edit, Some(plan().message));
    let _ = ui::update(&mut state, &views, Input::Edited(Edited::Failed("vi is not there".to_owned())));
    assert!(text_of(&frame(&state, &views)).join("\n").contains("vi is not there"));
    let _ = ui::update(&mut state, &views, Input::Edited(Edited::Text("docs: a\n\nb".to_owned())));
    let wanted = RescuePlan { message: "docs: a\n\nb".to_owned(), ..plan() };
    let wanted = action(&views, Action::Rescue { plan: Box::new(wanted) });
    assert_eq!(press(&mut state, &views, "\ny").intents, [wanted]);
}

#[test]
fn l_goes_to_what_is_left_out() {
    let views = five();
    let mut state = preview((80, 24), &views, plan());
    let _ = press(&mut state, &views, "Gl");
    let shown = text_of(&frame(&state, &views));
    assert!(shown.iter().any(|row| row.contains("Left out")), "{}", shown.join("\n"));
    // The row of the first path that is left out is taken in from there.
    let _ = press(&mut state, &views, " ");
    let shown = text_of(&frame(&state, &views)).join("\n");
    assert!(shown.contains("added by you: "), "{shown}");
    // Where nothing is left out, the key means nothing.
    let mut state = preview((80, 24), &views, large_plan(3));
    let before = frame(&state, &views);
    let _ = press(&mut state, &views, "l");
    assert_eq!(frame(&state, &views), before);
}

#[test]
fn what_is_said_of_staged_versions_is_true_of_the_way_that_is_chosen() {
    let views = five();
    let mut plan = plan_to_split();
    plan.notes = vec![PlanNote::StagedVersions(2), PlanNote::Unsigned];
    plan.splits[0].n_staged_versions = 1;
    let mut state = preview((120, 40), &views, plan);
    let said = |state: &State, words: &str| text_of(&frame(state, &views)).join("\n").contains(words);
    assert!(said(&state, "the staged versions of 2 files are not committed"));
    let _ = press(&mut state, &views, "s");
    assert!(said(&state, "the staged version of 1 file is not committed"));
    assert!(said(&state, "the commit is not signed") && !said(&state, "2 files are not committed"));
}

#[test]
fn asking_shows_the_prompt_first_and_no_schema_in_the_command() {
    let views = five();
    let mut plan = ask_plan(AskPurpose::Verify);
    plan.prompt = "You check whether a task\nis finished.\n\n- one\n- two".to_owned();
    plan.max_attempts = 2;
    plan.interval_seconds = 0;
    let schema = format!("{{\n  {}}}", "\"type\": \"object\", ".repeat(20));
    plan.command = ["claude", "-p", "--json-schema", &schema, &plan.prompt].map(str::to_owned).into();
    let state = with((80, 40), &views, ActionKind::Plan, ActionOutcome::AskPlanned(Box::new(plan)));
    let shown = text_of(&frame(&state, &views));
    let at = |words: &str| shown.iter().position(|row| row.trim() == words);
    let prompt = at("You check whether a task is finished.").expect("the prompt");
    let command = at("claude -p --json-schema <JSON, 365 B> <the prompt>");
    assert!(command > Some(prompt), "{}", shown.join("\n"));
    assert!(shown.iter().any(|row| row.contains("once; once more if the answer cannot be read")));
}

#[test]
fn what_a_plan_offers_is_chosen_and_goes_with_it() {
    let views = five();
    let mut state = preview((80, 24), &views, plan_detached());
    // The new branch is chosen beforehand.
    let branch = CommitTarget::NewBranch(RefName::of_branch("rescue/20261122T043000"));
    let wanted = RescuePlan { target: Some(branch), ..plan_detached() };
    assert_eq!(
        press(&mut state, &views, "y").intents,
        [action(&views, Action::Rescue { plan: Box::new(wanted) })]
    );

    let mut state = preview((80, 24), &views, plan_to_split());
    // No name is known to git: y asks for it.
    assert_eq!(press(&mut state, &views, "sy").intents, []);
    assert_eq!(press(&mut state, &views, "Ada\n").intents, []);
    assert!(text_of(&frame(&state, &views)).join("\n").contains("Name <mail address>"));
    let _ = press(&mut state, &views, " <ada@example.org>\n");
    let shown = text_of(&frame(&state, &views)).join("\n");
    assert!(shown.contains("as 2 commits"), "{shown}");
    // Of one that would hold nothing else than what is left out nothing is said: it is not made.
    assert!(shown.contains("commit 1") && shown.contains("commit 2"), "{shown}");
    let mut emptied = plan_to_split();
    emptied.splits[0].commits[0].paths.retain(|path| path.path == b".env");
    let mut one = preview((80, 24), &views, emptied);
    let _ = press(&mut one, &views, "s");
    let shown = text_of(&frame(&one, &views)).join("\n");
    assert!(shown.contains("as 1 commit,") && !shown.contains("commit 2"), "{shown}");
    assert!(shown.contains("commit 1   fix: src"), "{shown}");
    let author = Some(CommitAuthor { name: "Ada".to_owned(), mail: "ada@example.org".to_owned() });
    let wanted = RescuePlan { split: Some(SplitKind::Folders), author, ..plan_to_split() };
    assert_eq!(
        press(&mut state, &views, "y").intents,
        [action(&views, Action::Rescue { plan: Box::new(wanted) })]
    );
}

#[test]
fn every_key_but_y_leaves_or_stays() {
    let views = five();
    for key in ["n", "\n", "\u{1b}", "q"] {
        let mut state = preview((80, 24), &views, plan());
        assert_eq!(press(&mut state, &views, key).intents, [], "{key:?}");
        assert_eq!(state.dialog, None);
        assert_eq!(
            state.answer,
            Some(format!("Nothing was committed. The record of the work is kept: {RECORD}"))
        );
    }
    let mut state = preview((80, 24), &views, plan());
    for sign in (' '..='~').filter(|sign| !"ynqe".contains(*sign)) {
        assert_eq!(press(&mut state, &views, &sign.to_string()).intents, [], "{sign}");
        assert!(matches!(state.dialog, Some(Dialog::Rescue(_))), "{sign}");
    }
    // Neither a paste nor a press of the mouse says yes.
    assert_eq!(ui::update(&mut state, &views, Input::Paste("y\ny".to_owned())).intents, []);
    let click = Mouse { kind: MouseKind::Press, column: 1, row: 23 };
    assert_eq!(ui::update(&mut state, &views, Input::Mouse(click)).intents, []);
    assert!(matches!(state.dialog, Some(Dialog::Rescue(_))));
    // Nothing to confirm where nothing can be committed.
    let mut state = preview((80, 24), &views, plan_refused());
    assert_eq!(press(&mut state, &views, "yby").intents, []);
}

/// SECURITY.md 1.1, look-alike approval.
#[test]
fn a_key_that_was_typed_before_the_box_could_be_read_says_nothing() {
    let views = five();
    let mut state = screen_of(80, 24, &views);
    let _ = press(&mut state, &views, "j");
    let at = |millis: i64| NOW.plus_millis(millis);
    ui::on_input(&mut state, at(0));
    let outcome = ActionOutcome::RescuePlanned(Box::new(plan()));
    let _ = tell(&mut state, &views, ROW, ActionKind::Plan, outcome);
    // Before any frame showed it, however late.
    ui::on_input(&mut state, at(5_000));
    assert_eq!(press(&mut state, &views, "y").intents, []);
    assert!(state.answer.as_deref().unwrap().starts_with("Not yet"));
    ui::on_frame(&mut state, at(6_000));
    assert!(message_line(&state, &views).contains("Not yet"));
    ui::on_input(&mut state, at(6_200));
    assert_eq!(press(&mut state, &views, "jy").intents, []);
    // Somebody who types on never gets to it.
    for millis in (6_500..9_000).step_by(300) {
        ui::on_input(&mut state, at(millis));
        assert_eq!(press(&mut state, &views, "y").intents, [], "{millis}");
    }
    ui::on_input(&mut state, at(9_500));
    assert_eq!(
        press(&mut state, &views, "y").intents,
        [action(&views, Action::Rescue { plan: Box::new(plan()) })]
    );
}

/// SECURITY.md 1.1: what nobody can see, nobody can confirm.
#[test]
fn on_a_screen_too_small_for_the_box_no_key_confirms_it() {
    let views = five();
    let mut state = preview((80, 24), &views, plan());
    let resize = |state: &mut State, width, height| {
        let _ = ui::update(state, &views, Input::Resize(ui::Size { width, height }));
        ui::on_frame(state, NOW);
    };
    resize(&mut state, 20, 5);
    assert_eq!(text_of(&frame(&state, &views))[1].trim(), "20x5, needs 30x8");
    ui::on_input(&mut state, NOW.plus_millis(5_000));
    assert_eq!(press(&mut state, &views, "y").intents, []);
    // Seen again, it can be read first.
    resize(&mut state, 80, 24);
    ui::on_input(&mut state, NOW.plus_millis(100));
    assert_eq!(press(&mut state, &views, "y").intents, []);
    ui::on_input(&mut state, NOW.plus_millis(1_000));
    assert_eq!(
        press(&mut state, &views, "y").intents,
        [action(&views, Action::Rescue { plan: Box::new(plan()) })]
    );
}

#[test]
fn the_hint_says_when_y_counts() {
    let views = five();
    let mut state = screen_of(80, 24, &views);
    let _ = press(&mut state, &views, "j");
    let _ = tell(&mut state, &views, ROW, ActionKind::Plan, ActionOutcome::RescuePlanned(Box::new(plan())));
    assert!(last_line(&state, &views).starts_with(" y (commit)  n Enter Esc leave"));
    ui::on_frame(&mut state, NOW.plus_millis(-100));
    assert_eq!(ui::next_change(&state, &views, NOW), Some(NOW.plus_millis(300)));
    read(&mut state);
    let mut state = preview((80, 24), &views, plan());
    assert!(last_line(&state, &views).starts_with(" y commit  n Enter Esc leave"));
    // Resizing does not make it count sooner, nor later.
    let _ = ui::update(&mut state, &views, Input::Resize(ui::Size { width: 100, height: 30 }));
    assert!(last_line(&state, &views).starts_with(" y commit"));
}

#[test]
fn a_plan_for_another_row_opens_nothing_there() {
    let views = five();
    let mut state = screen_of(80, 24, &views);
    let _ = press(&mut state, &views, "gjc");
    let _ = press(&mut state, &views, "g");
    let _ = tell(&mut state, &views, ROW, ActionKind::Plan, ActionOutcome::RescuePlanned(Box::new(plan())));
    assert_eq!(state.dialog, None);
    let words = "payments: the rescue is ready: c shows it";
    assert_eq!(state.answer.as_deref(), Some(words));
    // Its key there shows it, and asks for no second one; on any other row it asks for that row's own.
    let _ = press(&mut state, &views, "gjj");
    let other = Intent::Action {
        workspace: views[2].id.clone(),
        action: Box::new(Action::PlanRescue { message: None, order: RecordOrder::default() }),
    };
    assert_eq!(press(&mut state, &views, "c").intents, [other]);
    let _ = press(&mut state, &views, "gj");
    assert_eq!(press(&mut state, &views, "c").intents, []);
    assert!(matches!(state.dialog, Some(Dialog::Rescue(_))));
    // It is guarded as if it had come now.
    assert_eq!(press(&mut state, &views, "y").intents, []);
}

#[test]
fn a_plan_opens_nothing_over_a_filter_a_page_or_another_box() {
    let views = five();
    for keys in ["2/pay", "2?", "gjd"] {
        let mut state = screen_of(80, 24, &views);
        let _ = press(&mut state, &views, keys);
        let before = state.dialog.clone();
        let _ =
            tell(&mut state, &views, ROW, ActionKind::Plan, ActionOutcome::RescuePlanned(Box::new(plan())));
        assert_eq!(state.dialog, before, "{keys}");
    }
    // What came while a box was open is said when it is closed.
    let mut state = screen_of(80, 24, &views);
    let _ = press(&mut state, &views, "gjd");
    let _ = tell(&mut state, &views, ROW, ActionKind::Rescue, ActionOutcome::Rescued(Box::new(rescued())));
    assert_eq!(state.answer, None);
    let _ = press(&mut state, &views, "\u{1b}");
    let said = state.answer.clone().unwrap();
    assert_eq!(said, "committed 4 files to fix/rounding as c0ffee1\nz undoes it\nthe commit is not signed");
}

#[test]
fn undo_redo_and_asking_are_confirmed_as_planned() {
    let views = five();
    let order = RecordOrder { is_size_allowed: true, ..RecordOrder::default() };
    let cost = RecordCost { n_files: 20_000, n_bytes: 3_000_000_000, n_free_bytes: 8_000_000_000 };
    for (outcome, wanted) in [
        (ActionOutcome::SizeAsked(cost), Action::PlanRescue { message: None, order }),
        (
            ActionOutcome::BranchPlanned(Box::new(branch_plan())),
            Action::KeepCommits { plan: Box::new(branch_plan()) },
        ),
        (
            ActionOutcome::UndoPlanned(Box::new(undo_plan(UndoDirection::Undo))),
            Action::Undo { plan: Box::new(undo_plan(UndoDirection::Undo)) },
        ),
        (
            ActionOutcome::UndoPlanned(Box::new(undo_plan(UndoDirection::Redo))),
            Action::Undo { plan: Box::new(undo_plan(UndoDirection::Redo)) },
        ),
        (
            ActionOutcome::AskPlanned(Box::new(ask_plan(AskPurpose::Probe))),
            Action::Ask { plan: Box::new(ask_plan(AskPurpose::Probe)) },
        ),
        (
            ActionOutcome::AskPlanned(Box::new(ask_plan(AskPurpose::Verify))),
            Action::Ask { plan: Box::new(ask_plan(AskPurpose::Verify)) },
        ),
    ] {
        let mut state = with((80, 24), &views, ActionKind::Plan, outcome.clone());
        assert_eq!(press(&mut state, &views, "\n").intents, []);
        assert_eq!(state.dialog, None);
        let mut state = with((80, 24), &views, ActionKind::Plan, outcome);
        assert_eq!(press(&mut state, &views, "jGgy").intents, [action(&views, wanted)]);
    }
}

#[test]
fn a_mark_takes_a_choice_a_reason_and_a_yes() {
    let views = five();
    let mut state = screen_of(80, 24, &views);
    let _ = press(&mut state, &views, "gjd");
    read(&mut state);
    assert_eq!(press(&mut state, &views, "yy\u{1b}").intents, []);
    assert_eq!(state.dialog, None);
    let _ = press(&mut state, &views, "dd");
    let shown = text_of(&frame(&state, &views));
    let at = |words: &str| shown.iter().position(|row| row.contains(words));
    assert!(at("done. Why? A line, or none.") < at("because"), "{}", shown.join("\n"));
    let _ = press(&mut state, &views, "yes, 全部 y\n");
    // The question is a new one: a y that was typed on says nothing.
    assert_eq!(press(&mut state, &views, "y").intents, []);
    read(&mut state);
    let mark = Action::Mark { order: MarkOrder::Done, reason: Some("yes, 全部 y".to_owned()) };
    assert_eq!(press(&mut state, &views, "y").intents, [action(&views, mark)]);
    let _ = press(&mut state, &views, "do\n");
    read(&mut state);
    let shown = text_of(&frame(&state, &views)).join("\n");
    assert!(shown.contains("Mark it: not done?"), "{shown}");
    let mark = Action::Mark { order: MarkOrder::Open, reason: None };
    assert_eq!(press(&mut state, &views, "y").intents, [action(&views, mark)]);
}

#[test]
fn a_mark_that_holds_is_told_and_taken_back_by_the_same_key() {
    let mut views = five();
    let mut state = screen_of(80, 24, &views);
    let id = state.selected.clone().unwrap();
    // Nothing was said: there is nothing to take back.
    let _ = press(&mut state, &views, "dc");
    assert!(!text_of(&frame(&state, &views)).join("\n").contains("Take back"));
    let _ = press(&mut state, &views, "\u{1b}");
    let view = views.iter_mut().find(|view| view.id == id).unwrap();
    let at = NOW.plus_millis(-300_000);
    view.marks.take(&MarkOrder::Done, Some("good enough"), at, &MarkSeen::default());
    let said = "You said 5m ago: done, because good enough";
    assert!(text_of(&frame(&state, &views)).join("\n").contains(said), "in the detail");
    let _ = press(&mut state, &views, "d");
    assert_snapshot!(picture(&frame(&state, &views)));
    let _ = press(&mut state, &views, "c");
    read(&mut state);
    let clear = Action::Mark { order: MarkOrder::Clear, reason: None };
    let clear = Intent::Action { workspace: id, action: Box::new(clear) };
    assert_eq!(press(&mut state, &views, "y").intents, [clear]);
}

#[test]
fn the_key_of_a_mark_that_holds_takes_that_one_back() {
    let mut views = five();
    let mut state = screen_of(80, 24, &views);
    let at = NOW.plus_millis(-300_000);
    let point = MarkOrder::NotOfThisTask { point: Some("p".to_owned()) };
    let kind = MarkOrder::TaskKind { task_kind: TaskKind::Report };
    for order in [MarkOrder::Done, MarkOrder::Quiet, point, kind] {
        views[0].marks.take(&order, None, at, &MarkSeen::default());
    }
    let keys = [
        ("dd", MarkOrder::Done),
        ("ds", MarkOrder::Quiet),
        ("dt", MarkOrder::NotOfThisTask { point: None }),
        ("d3", MarkOrder::TaskKind { task_kind: TaskKind::Report }),
    ];
    for (keys, order) in keys {
        let _ = press(&mut state, &views, keys);
        let shown = text_of(&frame(&state, &views)).join("\n");
        assert!(shown.to_lowercase().contains("remove the mark"), "{keys}\n{shown}");
        read(&mut state);
        let back = MarkOrder::TakeBack { order: Box::new(order) };
        let action = Action::Mark { order: back, reason: None };
        let wanted = Intent::Action { workspace: views[0].id.clone(), action: Box::new(action) };
        assert_eq!(press(&mut state, &views, "y").intents.pop(), Some(wanted), "{keys}");
    }
    // What does not hold is said as ever.
    let _ = press(&mut state, &views, "do");
    assert!(text_of(&frame(&state, &views)).join("\n").contains("not done. Why?"));
}

#[test]
fn a_lapse_is_told_with_its_reason() {
    let mut views = five();
    views[0].marks.lapsed = Some(closeout::model::MarkLapse::Question);
    Arc::make_mut(views[0].verdict.as_mut().unwrap()).warnings = vec![closeout::model::Warning::MarkLapsed];
    let mut state = screen_of(80, 24, &views);
    let words = "Your mark has lapsed: there is a new question.";
    let shown = |state: &State| text_of(&frame(state, &views)).join("\n");
    assert!(shown(&state).contains(words), "{}", shown(&state));
    let _ = press(&mut state, &views, "d");
    assert!(shown(&state).contains(words), "{}", shown(&state));
}

/// A message goes with the mark that it is about; one about something else stays.
#[test]
fn a_lapse_takes_only_the_message_of_its_mark() {
    let marked = || ActionOutcome::Marked { order: MarkOrder::Done, reason: None };
    let views = five();
    let mut lapsed = five();
    lapsed[ROW].marks.lapsed = Some(closeout::model::MarkLapse::Question);
    let mut state = with((80, 24), &views, ActionKind::Mark, marked());
    assert!(state.answer.is_some());
    let _ = ui::views_changed(&mut state, &lapsed);
    assert_eq!(state.answer, None);
    for key in ["", "1"] {
        let mut state = with((80, 24), &views, ActionKind::Mark, marked());
        let _ = press(&mut state, &views, key);
        let outcome = JumpOutcome::Refused { reason: "it has no pane".to_owned() };
        let _ =
            ui::on_response(&mut state, &views, Response::Jump { workspace: views[0].id.clone(), outcome });
        let said = state.answer.clone();
        assert!(said.as_ref().is_some_and(|words| words.contains("it has no pane")), "{said:?}");
        let _ = ui::views_changed(&mut state, &lapsed);
        assert_eq!(state.answer, said, "after {key:?}");
    }
}

#[test]
fn the_checks_that_are_configured_are_shown_whole_and_run_after_a_yes() {
    let mut views = five();
    let mut state = screen_of(80, 24, &views);
    let _ = press(&mut state, &views, "gjC");
    assert_eq!(state.dialog, None);
    assert!(state.answer.as_ref().is_some_and(|words| words.contains("[[check]]")), "{:?}", state.answer);
    let check = |name: &str, ask| ConfiguredCheck {
        name: name.to_owned(),
        ask,
        limit_s: 60,
        place: CheckPlace::Here,
    };
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<String>>();
    views[ROW].checks = vec![
        check("tests", CheckAsk::Command { command: words(&["sh", "-c", "cargo test && cargo clippy"]) }),
        check("small", CheckAsk::Scope { paths: words(&["src"]), max_lines: Some(200) }),
    ];
    assert_eq!(press(&mut state, &views, "C").intents, [action(&views, Action::PlanChecks)]);
    let _ = tell(&mut state, &views, ROW, ActionKind::Plan, ActionOutcome::ChecksPlanned(None));
    assert_snapshot!("run_the_checks", picture(&frame(&state, &views)));
    assert_eq!(press(&mut state, &views, "y").intents, []);
    read(&mut state);
    let run = |trusting| action(&views, Action::RunChecks { trusting });
    assert_eq!(press(&mut state, &views, "y").intents, [run(None)]);
    // What is not trusted is shown whole, and exactly that is trusted.
    let item = |kind, name: &str, content: &str| TrustItem {
        kind,
        name: name.to_owned(),
        content: content.to_owned(),
    };
    let list = TrustList {
        items: vec![
            item(TrustKind::Check, "./ci.sh\u{1b}[2K", "./ci.sh --all"),
            item(TrustKind::File, "ci.sh", "38 bytes, sha256 2c26b46b"),
        ],
        digest: "d1".to_owned(),
    };
    let outcome = ActionOutcome::ChecksPlanned(Some(Box::new(list)));
    let _ = tell(&mut state, &views, ROW, ActionKind::Plan, outcome);
    assert_snapshot!("trust_and_run_the_checks", picture(&frame(&state, &views)));
    read(&mut state);
    assert_eq!(press(&mut state, &views, "y").intents, [run(Some("d1".to_owned()))]);
}

#[test]
fn the_agent_is_asked_for_messages_after_its_cost_was_told_and_the_box_stays() {
    let mut views = five();
    views[ROW].sessions = with_todos().sessions;
    let mut state = preview((80, 24), &views, plan());
    let has = |state: &State, words: &str| {
        let shown = text_of(&frame(state, &views)).join(" ");
        assert!(shown.contains(words), "{words}: {shown}");
    };
    let asked = || action(&views, Action::AskMessages { plan: Box::new(plan()), with: None });
    assert_eq!(press(&mut state, &views, "m").intents, []);
    has(&state, "costs tokens");
    // Another key takes the offer back.
    assert_eq!(press(&mut state, &views, "jm").intents, []);
    read(&mut state);
    assert_eq!(press(&mut state, &views, "m").intents, [asked()]);
    // Meanwhile nothing else can begin.
    assert_eq!(press(&mut state, &views, "my").intents, []);
    has(&state, "the agent is asked for messages");
    let problem = ActionProblem::new(ActionClass::Failed, "claude gave no messages");
    let _ = tell(&mut state, &views, ROW, ActionKind::Messages, ActionOutcome::Failed(problem));
    has(&state, "claude gave no messages");
    let _ = press(&mut state, &views, "m");
    read(&mut state);
    assert_eq!(press(&mut state, &views, "m").intents, [asked()]);
    let proposed = RescuePlan { message: "Say more".to_owned(), ..plan() };
    let outcome = ActionOutcome::RescuePlanned(Box::new(proposed.clone()));
    let _ = tell(&mut state, &views, ROW, ActionKind::Messages, outcome);
    has(&state, "Say more");
    assert_eq!(press(&mut state, &views, "y").intents, [], "it is a new question");
    read(&mut state);
    let wanted = action(&views, Action::Rescue { plan: Box::new(proposed) });
    assert_eq!(press(&mut state, &views, "y").intents, [wanted]);
}

#[test]
fn what_an_agent_proposes_changes_nothing_else_that_was_chosen() {
    let mut views = five();
    views[ROW].sessions = with_todos().sessions;
    let shown = |state: &State| text_of(&frame(state, &views)).join("\n");
    let mut state = preview((80, 40), &views, plan_to_split());
    // A secret is taken in, an author is named, and a message is begun and left.
    let _ = press(&mut state, &views, "l aAda <ada@example.org>\ne!\u{1b}m");
    read(&mut state);
    let asked = press(&mut state, &views, "m").intents.pop();
    let Some(Intent::Action { action: asked, .. }) = asked else { panic!("{asked:?}") };
    let Action::AskMessages { plan: sent, .. } = *asked else { panic!("{asked:?}") };
    assert!(sent.paths[0].left_out.is_none() && sent.author.is_some());
    let mut proposed = RescuePlan { split: Some(SplitKind::Agent), ..(*sent).clone() };
    proposed.splits.push(PlannedSplit { kind: SplitKind::Agent, ..sent.splits[0].clone() });
    let outcome = ActionOutcome::RescuePlanned(Box::new(proposed.clone()));
    let _ = tell(&mut state, &views, ROW, ActionKind::Messages, outcome);
    read(&mut state);
    assert!(shown(&state).contains("as 2 commits"), "{}", shown(&state));
    // One commit: what was written is there. Then the other ways, and the agent's again.
    let _ = press(&mut state, &views, "se");
    assert!(shown(&state).contains("in totals!"), "{}", shown(&state));
    let _ = press(&mut state, &views, "\u{1b}ss");
    // The secret is left out again, and another author is named.
    let _ = press(&mut state, &views, "l aEve <eve@example.org>\n");
    assert!(!shown(&state).contains("added by you"), "{}", shown(&state));
    let author = Some(CommitAuthor { name: "Eve".to_owned(), mail: "eve@example.org".to_owned() });
    let mut wanted = RescuePlan { author, ..proposed };
    wanted.paths[0].left_out = Some(LeftOut::Secret);
    let wanted = action(&views, Action::Rescue { plan: Box::new(wanted) });
    assert_eq!(press(&mut state, &views, "y").intents, [wanted]);
}

#[test]
fn an_open_point_of_the_closer_goes_into_the_reply_box() {
    let mut view = with_todos();
    view.actions.verified = Some(verify_report().into());
    let views = [view];
    let mut state = screen_of(80, 24, &views);
    let _ = press(&mut state, &views, "V");
    assert!(matches!(state.dialog, Some(Dialog::Report(_))));
    let _ = press(&mut state, &views, "ji");
    assert!(matches!(state.dialog, Some(Dialog::Reply(_))), "{:?}", state.dialog);
}

#[test]
fn a_failure_of_a_look_is_said_and_one_of_an_act_stays() {
    let views = five();
    let problem =
        || ActionOutcome::Failed(ActionProblem::new(ActionClass::Nothing, "nothing is uncommitted"));
    let state = with((80, 24), &views, ActionKind::Plan, problem());
    assert_eq!((state.dialog, state.answer.as_deref()), (None, Some("nothing is uncommitted")));
    let mut state = with((80, 24), &views, ActionKind::Undo, problem());
    let _ = press(&mut state, &views, "jkl");
    assert!(matches!(state.dialog, Some(Dialog::Report(_))));
    let _ = press(&mut state, &views, "\n");
    assert_eq!(state.dialog, None);
}

#[test]
fn a_plan_of_ten_thousand_paths_is_scrolled_to_its_end() {
    let views = five();
    let mut state = preview((80, 24), &views, large_plan(10_000));
    let _ = press(&mut state, &views, "G");
    let shown = text_of(&frame(&state, &views)).join("\n");
    assert!(shown.contains("src/09999.rs") && !shown.contains("src/00000.rs"), "{shown}");
    assert!(shown.contains("Commit 10000 files, 10 MB, to fix/rounding?"), "{shown}");
    let _ = press(&mut state, &views, "g");
    assert!(text_of(&frame(&state, &views)).join("\n").contains("message"));
}

#[test]
fn names_of_paths_are_shown_as_they_are_and_in_full() {
    let views = five();
    let mut hostile = plan();
    let long = format!("src/{}end.rs", "長い名前/".repeat(12));
    hostile.paths = vec![
        path(*b"a\nb\x1b[31m\xff.rs", PlannedChange::Added, 1),
        left_out("exe.\u{202e}gpj", 2, LeftOut::Secret),
        path(long.clone(), PlannedChange::Added, 3),
    ];
    hostile.record.gaps = Vec::new();
    hostile.message = "x\u{1b}]52;c;aGk=\u{7}".to_owned();
    let mut state = preview((80, 30), &views, hostile);
    let _ = press(&mut state, &views, "G");
    let shown = text_of(&frame(&state, &views)).join("\n");
    assert!(shown.contains("a␊b␛[31m\\xFF.rs") && shown.contains("exe.‹U+202E›gpj"), "{shown}");
    // The row cuts the long name; at the cursor it is shown whole.
    let whole: String = shown.chars().filter(|sign| !sign.is_whitespace()).collect();
    assert!(whole.contains(&long), "{shown}");
    let _ = press(&mut state, &views, "\u{1b}");
    let escape = Input::Key(KeyPress::plain(KeyCode::Esc));
    assert_eq!(ui::update(&mut state, &views, escape).intents, []);
}

#[test]
fn a_dialog_of_a_workspace_that_is_gone_confirms_for_that_workspace_only() {
    let views = five();
    let mut state = preview((80, 24), &views, plan());
    let gone: Vec<WorkspaceView> = views.iter().filter(|view| view.name != "payments").cloned().collect();
    let _ = ui::views_changed(&mut state, &gone);
    assert!(text_of(&frame(&state, &gone)).join("\n").contains("Rescue  payments"));
    assert_eq!(
        press(&mut state, &gone, "y").intents[0],
        action(&views, Action::Rescue { plan: Box::new(plan()) })
    );
}

#[test]
fn a_proposed_message_follows_what_is_taken_in_and_a_written_one_stays() {
    let views = five();
    let mut planned = plan_to_split();
    planned.words.record = RECORD.to_owned();
    // The plan as it is proposed: from nothing to its own paths.
    let reasons: Vec<Option<LeftOut>> = planned.paths.iter().map(|path| path.left_out).collect();
    planned.paths.iter_mut().for_each(|path| path.left_out = Some(LeftOut::Large));
    planned.message = planned.words.message(&[]);
    for commit in &mut planned.splits[0].commits {
        commit.message = planned.words.message_of_part(&[]);
    }
    planned.choose_paths(|paths| {
        paths.iter_mut().zip(reasons).for_each(|(path, reason)| path.left_out = reason);
    });
    planned.author = plan().author;
    assert!(planned.message.starts_with("chore: save work on 4 files\n"), "{}", planned.message);
    // Written by a person, and left so.
    let written = RescuePlan { message: "fix: by hand\n".to_owned(), ..planned.clone() };
    let mut changed = written.clone();
    changed.choose_paths(|paths| paths[0].left_out = None);
    assert_eq!(changed.message, written.message);
    assert_ne!(changed.splits, written.splits);
    let mut state = preview((80, 24), &views, planned.clone());
    let shown = |state: &State| text_of(&frame(state, &views)).join("\n");
    // The first row that can be taken in is that of `.env`.
    for _ in 0..30 {
        if shown(&state).contains("added by you: possible secret") {
            break;
        }
        let _ = press(&mut state, &views, "j ");
    }
    let mut wanted = planned.clone();
    wanted.choose_paths(|paths| paths[0].left_out = None);
    assert!(wanted.message.starts_with("chore: save work on 5 files\n\n- add .env\n"), "{}", wanted.message);
    assert!(wanted.splits[0].commits[0].message.contains("- add .env"));
    assert_eq!(
        press(&mut state, &views, "y").intents,
        [action(&views, Action::Rescue { plan: Box::new(wanted) })]
    );
}

#[test]
fn programs_that_are_not_trusted_are_named_with_the_command_that_asks() {
    let views = five();
    let mut planned = plan();
    let shown =
        |plan: &RescuePlan| text_of(&frame(&preview((80, 40), &views, plan.clone()), &views)).join("\n");
    assert!(!shown(&planned).contains("closeout trust"));
    planned.programs.filters = vec!["lfs".to_owned()];
    assert!(shown(&planned).contains("`closeout trust` shows these programs"), "{}", shown(&planned));
    planned.programs.is_trusted = true;
    assert!(!shown(&planned).contains("closeout trust"));
    // An own program outside the workspace is trusted by itself, and offered.
    planned.programs = PlannedPrograms::default();
    planned.programs.own = Some(OwnProgram { words: vec!["save".to_owned()], is_trusted: false });
    assert!(shown(&planned).contains("`closeout trust` shows these programs"), "{}", shown(&planned));
    planned.programs.own = Some(OwnProgram { words: vec!["save".to_owned()], is_trusted: true });
    let text = shown(&planned);
    assert!(!text.contains("closeout trust") && text.contains("save  (not used)"), "{text}");
}

#[test]
fn a_message_leaves_the_hints_in_sight() {
    let views = five();
    for (width, height) in [(44, 14), (80, 24), (200, 60)] {
        let mut state = screen_of(width, height, &views);
        let hints = last_line(&state, &views);
        state.answer = Some("committed 4 files as c0ffee1\nz undoes it".to_owned());
        assert_eq!(last_line(&state, &views), hints);
        let shown = text_of(&frame(&state, &views));
        let [.., first, second, _] = &shown[..] else { panic!("{shown:?}") };
        let message = ("committed 4 files as c0ffee1", "z undoes it");
        assert_eq!((first.trim(), second.trim()), message);
    }
}
