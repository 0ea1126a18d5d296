//! The table of the verdict over every situation: which ones are COMPLETE and why, what may never make one,
//! and ordinary days that must not nag.

use std::collections::BTreeMap;

use closeout::judge::combine::table::{
    AtWork, Deliverable, Done, Failure, LastPrompt, LastTurn, Limit, No, Situation, Tree, UserMark, decide,
    settle,
};
use closeout::model::{Proof, Rule, VerdictState};

const PROMPTS: [LastPrompt; 2] = [LastPrompt::Work, LastPrompt::Answered];

/// Calls `look` with every situation that is proven well enough.
fn every(mut look: impl FnMut(&Situation)) {
    let mut situation = quiet();
    for deliverable in [Deliverable::Work, Deliverable::Output, Deliverable::NoOutput] {
        for activity in [AtWork::Rests, AtWork::Perhaps, AtWork::Works] {
            for mark in [UserMark::None, UserMark::Done, UserMark::Open] {
                for (asks, is_asked, waits, acted_outside) in flags() {
                    for failure in [Failure::None, Failure::Run, Failure::Unreadable, Failure::Decisions] {
                        situation = Situation {
                            deliverable,
                            activity,
                            mark,
                            asks,
                            is_asked,
                            waits,
                            acted_outside,
                            failure,
                            ..situation
                        };
                        every_claim(situation, &mut look);
                    }
                }
            }
        }
    }
}

fn every_claim(situation: Situation, look: &mut impl FnMut(&Situation)) {
    for limit in [Limit::Within, Limit::UsedUp, Limit::NeverAnswered] {
        for no in [No::Silent, No::Unreadable, No::Says, No::SaysAgain] {
            for turn in [LastTurn::Ended, LastTurn::Cut] {
                for done in [Done::Silent, Done::Words, Done::Yes] {
                    for tree in [Tree::Clean, Tree::AtRisk, Tree::Unknown] {
                        for prompt in PROMPTS {
                            look(&Situation { limit, no, turn, done, tree, prompt, ..situation });
                        }
                    }
                }
            }
        }
    }
}

fn flags() -> impl Iterator<Item = (bool, bool, bool, bool)> {
    (0..16_u8).map(|bits| (bits & 1 != 0, bits & 2 != 0, bits & 4 != 0, bits & 8 != 0))
}

/// An asked session at rest that said nothing of its end.
fn quiet() -> Situation {
    Situation {
        deliverable: Deliverable::Work,
        activity: AtWork::Rests,
        mark: UserMark::None,
        asks: false,
        failure: Failure::None,
        is_asked: true,
        limit: Limit::Within,
        no: No::Silent,
        turn: LastTurn::Ended,
        waits: false,
        done: Done::Silent,
        tree: Tree::Clean,
        acted_outside: false,
        prompt: LastPrompt::Work,
        proof: Proof::Said,
        required: Proof::Said,
    }
}

fn is_complete(situation: &Situation) -> bool {
    decide(situation).0 == VerdictState::Complete
}

/// Each class of COMPLETE, written down by what a careful person wants to know before they say "done".
fn a_careful_person_says_done(situation: &Situation) -> Option<Rule> {
    if situation.activity == AtWork::Works {
        return None;
    }
    match situation.mark {
        UserMark::Done => return Some(Rule::ByYou),
        UserMark::Open => return None,
        UserMark::None => {}
    }
    let nothing_is_open = !situation.asks
        && situation.no == No::Silent
        && situation.failure == Failure::None
        && situation.turn == LastTurn::Ended
        && situation.activity == AtWork::Rests
        && !situation.waits
        && situation.limit == Limit::Within;
    if !nothing_is_open || !situation.is_asked || situation.tree != Tree::Clean {
        return None;
    }
    match situation.deliverable {
        Deliverable::Output => Some(Rule::OutputStands),
        Deliverable::NoOutput => None,
        Deliverable::Work => match (situation.done, situation.prompt) {
            (Done::Yes, _) => Some(Rule::YesClean),
            (Done::Words, _) if situation.acted_outside => Some(Rule::DoneOutside),
            (_, LastPrompt::Answered) => Some(Rule::Answered),
            (_, LastPrompt::Work) => None,
        },
    }
}

#[test]
fn complete_is_what_a_careful_person_calls_done_and_nothing_else() {
    let mut classes: BTreeMap<String, usize> = BTreeMap::new();
    let mut n_all = 0_u32;
    every(|situation| {
        n_all += 1;
        let (state, rule) = decide(situation);
        let said = (state == VerdictState::Complete).then_some(rule);
        assert_eq!(said, a_careful_person_says_done(situation), "{situation:?}");
        if let Some(rule) = said {
            *classes.entry(format!("{rule:?}")).or_default() += 1;
        }
    });
    assert_eq!(n_all, 746_496, "the number of situations");
    let names: Vec<&str> = classes.keys().map(String::as_str).collect();
    assert_eq!(names, ["Answered", "ByYou", "DoneOutside", "OutputStands", "YesClean"]);
}

#[test]
fn nothing_that_speaks_against_the_work_makes_it_complete() {
    every(|situation| {
        if is_complete(situation) {
            return;
        }
        // Work that only this work tree has, an open point and the like may be added to anything.
        let worse = [
            Situation { no: No::Says, ..*situation },
            Situation { asks: true, ..*situation },
            Situation { turn: LastTurn::Cut, ..*situation },
            Situation { failure: Failure::Run, ..*situation },
            Situation { waits: true, ..*situation },
            Situation { tree: Tree::AtRisk, ..*situation },
            Situation { activity: AtWork::Works, ..*situation },
        ];
        assert!(!worse.iter().any(is_complete), "{situation:?}");
    });
}

#[test]
fn the_bar_only_takes_completes_away() {
    for proof in [Proof::Said, Proof::Committed, Proof::Checked] {
        for required in [Proof::Said, Proof::Committed, Proof::Checked] {
            let situation = Situation { done: Done::Yes, proof, required, ..quiet() };
            let expected = if proof >= required {
                (VerdictState::Complete, Rule::YesClean)
            } else {
                (VerdictState::Incomplete, Rule::NotProven)
            };
            assert_eq!(decide(&situation), expected, "{proof:?} where {required:?} is required");
            let marked = Situation { mark: UserMark::Done, ..situation };
            assert_eq!(decide(&marked), (VerdictState::Complete, Rule::ByYou));
        }
    }
}

#[test]
fn what_is_said_so_far_is_the_verdict_without_the_work() {
    every(|situation| {
        let at_rest = Situation { activity: AtWork::Rests, ..*situation };
        if situation.activity == AtWork::Works {
            assert_eq!(decide(situation), (VerdictState::Working, Rule::SessionWorks));
            assert_eq!(settle(situation), decide(&at_rest));
        }
    });
}

/// An ordinary day, and what a person expects to see at its end.
struct Day(&'static str, Situation, VerdictState);

#[test]
#[expect(clippy::too_many_lines, reason = "a table: a day a line")]
fn ordinary_days_do_not_nag() {
    use VerdictState::{
        AwaitingResponse, Complete, Error, Incomplete, NoTask, RescueNeeded, Stalled, Waiting, Working,
    };
    let day = quiet();
    let yes = Situation { done: Done::Yes, ..day };
    let said = Situation { done: Done::Words, ..day };
    let report = Situation { deliverable: Deliverable::Output, ..day };
    let nobody = Situation { is_asked: false, ..day };
    let days = [
        Day("it committed, and the tree is clean", Situation { proof: Proof::Committed, ..yes }, Complete),
        Day("it committed after its tests passed", Situation { proof: Proof::Checked, ..yes }, Complete),
        Day("a decision file says complete", yes, Complete),
        Day(
            "finished, and its person commits by hand",
            Situation { tree: Tree::AtRisk, ..said },
            RescueNeeded,
        ),
        Day("committed half, and the rest is changed", Situation { tree: Tree::AtRisk, ..yes }, RescueNeeded),
        Day("a WIP commit is work to be committed", Situation { tree: Tree::AtRisk, ..day }, Incomplete),
        Day("it says done, and nothing changed", said, Incomplete),
        Day("\"push it\", and it was pushed", Situation { acted_outside: true, ..said }, Complete),
        Day("a merge by its command line tool", Situation { acted_outside: true, ..said }, Complete),
        Day("it pushed and says nothing of the end", Situation { acted_outside: true, ..day }, Incomplete),
        Day("\"what does this do?\", answered", Situation { prompt: LastPrompt::Answered, ..day }, Complete),
        Day("the same, and it calls that done", Situation { prompt: LastPrompt::Answered, ..said }, Complete),
        // What the task before left is evidence still: its commits stay a YES, its words stay what they are.
        Day("a side question or thanks after finished work", yes, Complete),
        Day("thanks after half the work", Situation { no: No::Says, ..said }, Incomplete),
        Day("a side question beside uncommitted work", Situation { tree: Tree::AtRisk, ..yes }, RescueNeeded),
        Day(
            "a question whose answer left files behind",
            Situation { prompt: LastPrompt::Answered, tree: Tree::AtRisk, ..day },
            RescueNeeded,
        ),
        Day("a review that found missing tests", Situation { prompt: LastPrompt::Answered, ..day }, Complete),
        Day("a review in a workspace of kind READ_INFO", report, Complete),
        Day("a report that was written and committed", Situation { done: Done::Yes, ..report }, Complete),
        Day("a report beside changed code", Situation { tree: Tree::AtRisk, ..report }, RescueNeeded),
        Day(
            "a report that is not there",
            Situation { deliverable: Deliverable::NoOutput, ..day },
            Incomplete,
        ),
        Day("a report that asks back", Situation { asks: true, ..report }, AwaitingResponse),
        Day("an idle work tree", nobody, NoTask),
        Day("a work tree with a person's own commits", Situation { done: Done::Yes, ..nobody }, NoTask),
        Day("a work tree with a person's own changes", Situation { tree: Tree::AtRisk, ..nobody }, NoTask),
        Day("an abandoned session, cut in mid-turn", Situation { turn: LastTurn::Cut, ..day }, Incomplete),
        Day("the same with a commit", Situation { turn: LastTurn::Cut, ..yes }, Incomplete),
        Day(
            "an abandoned session that its person called done",
            Situation { turn: LastTurn::Cut, mark: UserMark::Done, ..day },
            Complete,
        ),
        Day(
            "Esc, and then by hand to the end",
            Situation { turn: LastTurn::Cut, mark: UserMark::Done, ..yes },
            Complete,
        ),
        Day("\"not done\", says the person", Situation { mark: UserMark::Open, ..yes }, Incomplete),
        Day(
            "a person's \"done\" while it works on",
            Situation { mark: UserMark::Done, activity: AtWork::Works, ..day },
            Working,
        ),
        Day("a dev server goes on after the commit", Situation { proof: Proof::Committed, ..yes }, Complete),
        Day("a build in the background", Situation { waits: true, ..yes }, Waiting),
        Day("a subagent goes on", Situation { waits: true, ..said }, Waiting),
        Day("two agents, one works", Situation { activity: AtWork::Works, ..yes }, Working),
        Day("two agents, one asks", Situation { asks: true, ..yes }, AwaitingResponse),
        Day(
            "two agents, one waits for permission",
            Situation { asks: true, waits: true, ..yes },
            AwaitingResponse,
        ),
        Day("two agents, both finished", yes, Complete),
        Day("the record grows and nobody tells", Situation { activity: AtWork::Perhaps, ..day }, Working),
        Day(
            "its tests were red before it began, and it committed",
            Situation { proof: Proof::Committed, ..yes },
            Complete,
        ),
        Day("its tests fail", Situation { no: No::Says, ..yes }, Incomplete),
        Day("a todo is open", Situation { no: No::Says, ..said }, Incomplete),
        Day("the same test fails for the third time", Situation { no: No::SaysAgain, ..yes }, Stalled),
        Day("a usage limit", Situation { failure: Failure::Run, ..yes }, Error),
        Day("git does not answer", Situation { failure: Failure::Unreadable, ..yes }, Error),
        Day("a loop at its deadline", Situation { limit: Limit::UsedUp, ..day }, Stalled),
        Day(
            "a loop at its deadline with uncommitted work",
            Situation { limit: Limit::UsedUp, tree: Tree::AtRisk, ..day },
            RescueNeeded,
        ),
        Day("a loop whose agent never answered", Situation { limit: Limit::NeverAnswered, ..day }, Error),
        Day("asked, and nothing happened yet", day, Incomplete),
        Day(
            "done by its word, and the tree was not looked at",
            Situation { tree: Tree::Unknown, ..yes },
            Incomplete,
        ),
        Day("done, and its person wants tests", Situation { required: Proof::Checked, ..yes }, Incomplete),
    ];
    assert!(days.len() >= 50, "{} days", days.len());
    for Day(what, situation, expected) in days {
        assert_eq!(decide(&situation).0, expected, "{what}");
    }
}
