//! Every dialog, page and section at every size that a terminal usually has.

use closeout::model::{
    ActionClass, ActionKind, ActionOutcome, ActionProblem, AskPurpose, CheckAsk, CheckPlace, ConfiguredCheck,
    HeldReply, MarkOrder, MarkSeen, RescuePlan, UndoDirection, WorkspaceView,
};
use insta::assert_snapshot;

use crate::support::action_samples::{
    ask_plan, branch_plan, plan, plan_refused, plan_to_split, read, running_turn, smart_report, tell,
    undo_plan, verify_report,
};
use crate::support::samples::five;
use crate::support::screen::{NOW, frame, minutes_ago, picture, press, screen_of};
use crate::support::session_samples::with_todos;

const SIZES: [(u16, u16); 4] = [(44, 14), (80, 24), (120, 40), (200, 60)];

/// The five workspaces, the first with everything that a dialog can show.
fn views() -> Vec<WorkspaceView> {
    let mut views = five();
    let view = &mut views[0];
    view.sessions = with_todos().sessions;
    view.actions.verified = Some(verify_report().into());
    view.checks = vec![ConfiguredCheck {
        name: "tests".to_owned(),
        ask: CheckAsk::Command {
            command: ["sh", "-c", "cargo test --workspace && cargo clippy --all-targets"]
                .map(str::to_owned)
                .to_vec(),
        },
        limit_s: 600,
        place: CheckPlace::Here,
    }];
    view.marks.take(&MarkOrder::Quiet, Some("only a trial"), minutes_ago(9), &MarkSeen::default());
    let session = &view.sessions[0];
    view.actions.held = vec![HeldReply {
        id: "h".to_owned(),
        session: session.session_name(),
        text: "Then write the release notes, and say which of the points of the list they leave out."
            .to_owned(),
        held_at: minutes_ago(6),
        claimed_at: None,
        hindrance: None,
    }];
    views
}

#[test]
fn every_dialog_and_page_at_every_size() {
    let views = views();
    let dialogs = [
        ("list", ""),
        ("help", "?"),
        ("help_filtered", "?/rescue\n"),
        ("filter", "/s:ask"),
        ("mark", "d"),
        ("mark_reason", "doit was only tried"),
        ("mark_taken_back", "ds"),
        ("report", "V"),
        ("reply", "i"),
        ("send_back", "b"),
        ("zoomed", "+"),
    ];
    for (name, keys) in dialogs {
        for (width, height) in SIZES {
            let mut state = screen_of(width, height, &views);
            let _ = press(&mut state, &views, "g");
            let _ = press(&mut state, &views, keys);
            assert_snapshot!(format!("{name}_{width}x{height}"), picture(&frame(&state, &views)));
        }
    }
}

#[test]
fn leaving_while_an_agent_answers_at_every_size() {
    let mut views = views();
    views[1].actions.answering = vec![running_turn()];
    for (width, height) in SIZES {
        let mut state = screen_of(width, height, &views);
        let _ = press(&mut state, &views, "q");
        assert_snapshot!(format!("leave_{width}x{height}"), picture(&frame(&state, &views)));
    }
    assert!(NOW > minutes_ago(1));
}

#[test]
fn every_plan_and_every_end_of_one_at_every_size() {
    let views = views();
    let plan_of = |outcome| (ActionKind::Plan, outcome);
    let asked = |purpose| plan_of(ActionOutcome::AskPlanned(Box::new(ask_plan(purpose))));
    let undo = |way| plan_of(ActionOutcome::UndoPlanned(Box::new(undo_plan(way))));
    let nameless = RescuePlan { author: None, ..plan() };
    let problem =
        ActionProblem::new(ActionClass::Refused, "changed since you looked: src/lib.rs is another file")
            .with_next("look again");
    let dialogs = [
        ("rescue", plan_of(ActionOutcome::RescuePlanned(Box::new(plan()))), ""),
        ("rescue_to_split", plan_of(ActionOutcome::RescuePlanned(Box::new(plan_to_split()))), ""),
        ("checks", plan_of(ActionOutcome::ChecksPlanned(None)), ""),
        ("rescue_refused", plan_of(ActionOutcome::RescuePlanned(Box::new(plan_refused()))), ""),
        ("rescue_author", plan_of(ActionOutcome::RescuePlanned(Box::new(nameless))), "y"),
        ("branch", plan_of(ActionOutcome::BranchPlanned(Box::new(branch_plan()))), ""),
        ("undo", undo(UndoDirection::Undo), ""),
        ("redo", undo(UndoDirection::Redo), ""),
        ("ask", asked(AskPurpose::Probe), ""),
        ("verify", asked(AskPurpose::Verify), ""),
        ("asked", (ActionKind::Probe, ActionOutcome::Checked(Box::new(smart_report()))), ""),
        ("not_done", (ActionKind::Rescue, ActionOutcome::Failed(problem)), ""),
    ];
    for (name, (kind, outcome), keys) in dialogs {
        for (width, height) in SIZES {
            let mut state = screen_of(width, height, &views);
            let _ = press(&mut state, &views, "g");
            let _ = tell(&mut state, &views, 0, kind, outcome.clone());
            read(&mut state);
            let _ = press(&mut state, &views, keys);
            assert_snapshot!(format!("{name}_{width}x{height}"), picture(&frame(&state, &views)));
        }
    }
}
