//! When a second model reads an agent's last words, and what its reading changes: whole effects, and verdicts.

use closeout::model::{
    Action, ActionClass, ActionOutcome, ActionProblem, Certainty, Claim, Effect, Evidence, Hindrance,
    LastWords, Opinion, OpinionReading, Origin, Rejection, Source, VerdictState, name_of_words,
};

use super::scene::{
    DUE, RECONCILE, RESTED, Scene, answer, asks, at, finished, moment, name, view, wake, woke,
};

const WORDS: &str = "The parser is in place. The old one would go then.";

/// Words of the first session, whose reading is so certain.
fn last_words_of(text: &str, certainty: Certainty) -> LastWords {
    LastWords {
        text: text.to_owned(),
        is_cut: false,
        at: Some(at(RESTED)),
        from: name().agent,
        question: None,
        certainty: Some(certainty),
    }
}

/// A workspace with uncertain words, whose person wants them read.
fn scene() -> Scene {
    Scene::new().but(|scene| {
        scene.settings.may_be_asked = false;
        scene.settings.second_reader = Some(name().agent);
        scene.last_words = Some(last_words_of(WORDS, Certainty::Low));
    })
}

/// The words are to be read: the whole effect.
fn reads_words(number: u64, scene: &Scene) -> Effect {
    let Effect::Action(mut request) = asks(number, RESTED) else { panic!("no action") };
    request.action = Action::SecondOpinion { moment: moment(RESTED) };
    request.settings = scene.settings.clone();
    request.last_words = scene.last_words.as_ref().map(|words| words.text.clone());
    Effect::Action(request)
}

fn opinion(reading: OpinionReading) -> Opinion {
    Opinion {
        by: "claude".to_owned(),
        words: name_of_words(WORDS),
        reading,
        quote: "The old one would go then.".to_owned(),
        at: at(DUE + 900),
    }
}

/// The state before and after the reading is known.
fn states(scene: &Scene, reading: OpinionReading) -> [VerdictState; 2] {
    let (mut monitor, _) = scene.read();
    let before = view(&mut monitor).verdict.unwrap().state;
    assert_eq!(monitor.update(woke(DUE)), [reads_words(1, scene), wake(RECONCILE)]);
    let outcome = ActionOutcome::Opined(Box::new(opinion(reading)));
    let effects = monitor.update(finished(DUE + 900, 1, outcome, None));
    let effects = answer(&mut monitor, &effects, scene, DUE + 950);
    // The same words are read once.
    assert!(!effects.iter().any(|effect| matches!(effect, Effect::Action(_))), "{effects:?}");
    [before, view(&mut monitor).verdict.unwrap().state]
}

#[test]
fn words_of_which_closeout_is_not_certain_are_read_once_by_another_model() {
    let (mut monitor, first) = scene().read();
    assert_eq!(first, [wake(DUE)]);
    assert_eq!(monitor.update(woke(DUE)), [reads_words(1, &scene()), wake(RECONCILE)]);
    assert!(view(&mut monitor).actions.running.unwrap().is_automatic);
}

#[test]
fn nobody_reads_them_where_the_person_did_not_say_so_or_they_are_certain() {
    let cases: [(&str, Scene); 5] = [
        ("nobody is named", scene().but(|scene| scene.settings.second_reader = None)),
        ("medium", scene().but(|scene| scene.last_words = Some(last_words_of(WORDS, Certainty::Medium)))),
        ("high", scene().but(|scene| scene.last_words = Some(last_words_of(WORDS, Certainty::High)))),
        ("no words", scene().but(|scene| scene.last_words = None)),
        ("a reader that leaves traces", scene().but(|scene| scene.agents.clear())),
    ];
    for (name, scene) in cases {
        let (mut monitor, first) = scene.read();
        assert_eq!(first, [], "{name}");
        assert_eq!(monitor.update(woke(DUE)), [wake(RECONCILE)], "{name}");
    }
}

/// The agent's own word is worth more.
#[test]
fn where_the_agent_itself_may_be_asked_it_is() {
    let scene = scene().but(|scene| scene.settings.may_be_asked = true);
    let (mut monitor, _) = scene.read();
    let effects = monitor.update(woke(DUE));
    let Effect::Action(request) = &effects[0] else { panic!("{effects:?}") };
    assert_eq!(request.action, Action::AutoProbe { moment: moment(RESTED) });
}

#[test]
fn a_reading_adds_a_question_or_what_is_open_and_never_makes_work_complete() {
    let committed = Evidence::claim(Source::Commits, "git", Claim::Yes, Origin::Git.as_read());
    let clean = Evidence::abstain(Source::Changes, "git", Rejection::Vacuous, Origin::Git.as_read());
    let silent = scene();
    let done = scene().but(|scene| {
        scene.evidence.retain(|evidence| !matches!(evidence.source, Source::Commits | Source::Changes));
        scene.evidence.extend([committed, clean]);
    });
    for (what, scene) in [("silent", &silent), ("done", &done)] {
        let [_, asks] = states(scene, OpinionReading::Asks);
        assert_eq!(asks, VerdictState::AwaitingResponse, "{what}");
        let [_, unfinished] = states(scene, OpinionReading::Unfinished);
        assert_eq!(unfinished, VerdictState::Incomplete, "{what}");
        let [before, finished] = states(scene, OpinionReading::Finished);
        assert_eq!(finished, before, "{what}");
    }
    assert_eq!(states(&silent, OpinionReading::Finished)[1], VerdictState::Incomplete);
}

#[test]
fn a_reading_of_other_words_counts_for_nothing_and_one_of_these_is_kept() {
    let kept = |opinion: Opinion| scene().but(|scene| scene.reports.opinion = Some(opinion.into()));
    let (mut monitor, first) = kept(opinion(OpinionReading::Asks)).read();
    assert_eq!(view(&mut monitor).verdict.unwrap().state, VerdictState::AwaitingResponse);
    assert_eq!(first, []);
    let other = Opinion { words: name_of_words("Others."), ..opinion(OpinionReading::Asks) };
    let (mut monitor, first) = kept(other).read();
    assert_ne!(view(&mut monitor).verdict.unwrap().state, VerdictState::AwaitingResponse);
    assert_eq!(first, [wake(DUE)]);
    // What is certain needs no other reader, even one that has read it.
    let certain = kept(opinion(OpinionReading::Asks))
        .but(|scene| scene.last_words = Some(last_words_of(WORDS, Certainty::High)));
    let (mut monitor, _) = certain.read();
    assert_ne!(view(&mut monitor).verdict.unwrap().state, VerdictState::AwaitingResponse);
}

#[test]
fn a_reading_that_failed_is_told_and_not_tried_again_in_this_moment() {
    let scene = scene();
    let (mut monitor, _) = scene.read();
    let _ = monitor.update(woke(DUE));
    let problem = ActionProblem::new(ActionClass::TimedOut, "claude did not answer in time");
    let effects = monitor.update(finished(DUE + 900, 1, ActionOutcome::Failed(problem), None));
    let effects = answer(&mut monitor, &effects, &scene, DUE + 950);
    assert!(!effects.iter().any(|effect| matches!(effect, Effect::Action(_))), "{effects:?}");
    let told = view(&mut monitor).not_asked;
    assert_eq!(told, Some(Hindrance::Failed("claude did not answer in time".to_owned())));
    assert_eq!(monitor.update(woke(DUE + 60_000)), [wake(RECONCILE)]);
}
