//! What a prompt asks for outside the work tree, such as a push: what failed and was not repeated, or of which nothing
//! shows that it was done, is undone work (DESIGN.md 2.2: missing evidence is no YES). Must not know what git tells.

use std::sync::Arc;

use crate::judge::runs::{self, DemandedAct, Demands};
use crate::judge::words;
use crate::model::{
    ActingRun, Claim, Deed, Evidence, Fact, Origin, Parts, Point, Reason, RunsSummary, SessionObservation,
    Source,
};

use super::act_names;
use super::context::EvidenceSet;
use super::excerpt;
use super::tasks::SessionTask;

/// Weighs the acts that the prompts of a session ask for; `all` are the runs of all sessions that count, also its own.
pub(super) fn weigh(
    summary: &RunsSummary,
    all: &[&RunsSummary],
    session: &SessionObservation,
    task: &SessionTask,
    demands: &[Arc<Demands>],
    evidence_set: &mut EvidenceSet,
) {
    let failed = summary.failed_act.as_ref();
    if let Some(failed) = failed
        && (demands.iter().any(|prompt| prompt.mentions(&failed.act))
            || task.all_prompts(session).any(|prompt| act_names::names_act(prompt, &failed.act)))
        && !is_told_of(&failed.act, session, task)
    {
        let what = excerpt::reason(&failed.command);
        let point = Point::OrderedAct { act: failed.act.clone(), words: what.clone() };
        let provenance = Origin::of(session).at(failed.moment.at);
        let evidence = Evidence::claim(Source::Command, what.clone(), Claim::No, provenance)
            .because(Reason::RunFailed(what));
        evidence_set.add(Parts::WORDS, Evidence { points: vec![point], ..evidence });
    }
    let is_told = session.history.tells_steps && task.current().is_some_and(|task| !task.is_begin_unread);
    if !is_told || may_hide_acts(session, task) {
        return;
    }
    for demanded in runs::demanded_acts(demands.iter().map(AsRef::as_ref)) {
        let has_failed = failed.is_some_and(|failed| failed.act == demanded.act);
        if has_failed
            || all.iter().any(|runs| shows(runs, demanded))
            || is_told_of(demanded.act, session, task)
        {
            continue;
        }
        let words = excerpt::reason(&demanded.words);
        let point = Point::OrderedAct { act: demanded.act.to_owned(), words: words.clone() };
        let evidence =
            Evidence::claim(Source::Command, words.clone(), Claim::No, Origin::of(session).as_read())
                .because(Reason::Demanded(words, Fact::OrderedActUnseen));
        evidence_set.add(Parts::WORDS, Evidence { points: vec![point], ..evidence });
    }
}

/// Whether the task has steps that may have done anything: of tools that nobody knows, or of subagents whose records were
/// not read.
fn may_hide_acts(session: &SessionObservation, task: &SessionTask) -> bool {
    task.turns(session).flat_map(|turn| &turn.steps).any(|step| match step.deed {
        Deed::Other { .. } | Deed::SentOff { was_read: false, .. } => true,
        Deed::Command(_) | Deed::Edit { .. } | Deed::Asked { .. } | Deed::SentOff { .. } => false,
    })
}

/// Whether these runs show that the act was done, or that it likely was.
fn shows(runs: &RunsSummary, demanded: &DemandedAct) -> bool {
    let is_it = |act: &ActingRun| {
        act.act == demanded.act
            || match demanded.act {
                // What opens or merges a pull request has pushed its branch, and what makes a release its tag.
                "push" => {
                    ["pull request", "release"].contains(&&*act.act)
                        || act.act == "merge" && !act.command.starts_with("git ")
                }
                "tag" | "publish" | "deploy" => act.act == "release",
                _ => false,
            }
    };
    runs.acts.iter().chain(&runs.likely_acts).any(|act| is_it(act))
}

/// Whether the person tells that it is done: "I pushed it myself".
fn is_told_of(act: &str, session: &SessionObservation, task: &SessionTask) -> bool {
    let tells = |prompt: &str| {
        let lower = prompt.trim_start().to_lowercase();
        act_names::names_act(&lower, act) && words::begins(&lower, "tells_of_act")
    };
    task.all_prompts(session).chain(task.side_prompts()).any(tells)
}
