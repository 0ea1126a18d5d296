//! Each thing that a person can want of the engine: which input asks for it, and for which workspace.

use std::collections::BTreeSet;

use closeout::model::{
    Action, ActionKind, ActionProgress, Intent, RecordOrder, RunningAction, WorkspaceView,
};
use closeout::ui::{self, Input, KeyPress, Reaction};
use strum::VariantNames as _;

use crate::support::samples::five;
use crate::support::screen::{minutes_ago, press, screen_of};
use crate::support::session_samples::{japanese_question, wants_permission};

/// What a script of keys comes to on these workspaces, the first of them selected.
fn intents_of(views: &[WorkspaceView], keys: &str) -> Vec<Intent> {
    let mut state = screen_of(80, 24, views);
    press(&mut state, views, keys).intents
}

fn running(number: u64) -> RunningAction {
    RunningAction {
        number,
        kind: ActionKind::Rescue,
        since: minutes_ago(1),
        progress: ActionProgress::default(),
        is_cancelled: false,
        is_automatic: false,
        is_plan: false,
    }
}

#[test]
fn every_intent_comes_of_an_input_and_names_its_workspace() {
    let views = five();
    let id = views[0].id.clone();
    let mut seen = BTreeSet::new();
    let mut holds = |intents: Vec<Intent>, intent: Intent| {
        assert!(intents.contains(&intent), "{intents:?} lacks {intent:?}");
        seen.insert(<&str>::from(&intent));
    };
    holds(intents_of(&views, "R"), Intent::Refresh { workspace: Some(id.clone()) });
    let mut state = screen_of(80, 24, &views);
    let all = ui::update(&mut state, &views, Input::Key(KeyPress::ctrl('r')));
    holds(all.intents, Intent::Refresh { workspace: None });
    holds(intents_of(&views, "l"), Intent::Look { workspace: id.clone() });
    let mut state = screen_of(80, 24, &views);
    let back: Reaction = ui::update(&mut state, &views, Input::Focus);
    holds(back.intents, Intent::Glance { workspace: id.clone() });
    let mut state = ui::State { n_older: 2, is_unfolded: true, ..screen_of(80, 24, &views) };
    holds(press(&mut state, &views, "o").intents, Intent::ShowOlder { is_shown: true });
    let plan = Action::PlanRescue { message: None, order: RecordOrder::default() };
    holds(intents_of(&views, "c"), Intent::Action { workspace: id.clone(), action: Box::new(plan) });
    let mut busy = views.clone();
    busy[0].actions.running = Some(running(7).into());
    holds(intents_of(&busy, "x"), Intent::CancelAction { workspace: id, number: 7 });

    let waits = vec![wants_permission()];
    let session = &waits[0].sessions[0];
    let jump = Intent::JumpToPane { workspace: waits[0].id.clone(), session: session.session_name() };
    holds(intents_of(&waits, "\n"), jump);

    let asks = vec![japanese_question()];
    let session = &asks[0].sessions[0];
    let name = session.session_name();
    let mut state = screen_of(80, 24, &asks);
    let kept = press(&mut state, &asks, "ino\u{1b}").intents.into_iter().find(|intent| {
        matches!(intent, Intent::KeepDraft { workspace, draft }
            if *workspace == asks[0].id && draft.session == name && draft.text == "no")
    });
    holds(kept.clone().into_iter().collect(), kept.unwrap());
    assert_eq!(seen, Intent::VARIANTS.iter().copied().collect(), "an intent that no test names");
}
