//! `closeout reply`: answers a session's question or its request for permission, and reports the result. It
//! must not send what was not confirmed.

use std::io::{self, IsTerminal as _, Read as _};
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use crate::engine::{OneShot, clock};
use crate::model::{
    Action, ActionClass, ActionProgress, ActivityState, AskedOption, HeldReply, Receipt, ReplyBody,
    ReplyChannel, ReplyPlan, RunView, SessionName, SessionView, WorkspaceId, WorkspaceView, display_text,
};
use crate::present::json as forms;
use crate::present::reply_json::ReplyPlanRow;

use super::args::Reply;
use super::environment::Environment;
use super::exit::{Ended, Failure, Outcome};
use super::json::{self, Printed};
use super::runtime::Signalled;
use super::target::{self, Target};
use super::{output, reply_words, target_workspace};

/// The interval at which the record is checked while waiting for the reply to appear.
const LOOK_AGAIN: Duration = Duration::from_millis(500);

/// The most that is read from standard input, in bytes: more than any channel accepts.
const MAX: u64 = 2 << 20;

struct Meant {
    workspace: WorkspaceId,
    asking: Box<SessionView>,
}

/// What `--json` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Planned {
    /// How the reply would go, or went.
    plan: ReplyPlanRow,
    /// What became of it; null when nothing was sent.
    receipt: Option<Receipt>,
}

impl Planned {
    fn of(plan: &ReplyPlan, receipt: Option<&Receipt>) -> Planned {
        Planned { plan: ReplyPlanRow::of(plan), receipt: receipt.cloned() }
    }
}

pub(super) fn run(environment: &Environment, reply: &Reply) -> Ended {
    let named = reply.target.as_deref().unwrap_or(".");
    let target = Target::of(environment, named);
    let config = target.engine_config(environment)?;
    let mut all = OneShot::judge_telling(&config, target_workspace::tell_wait);
    let judged = all.judged();
    let Meant { workspace, asking } = find(&judged.views, &target, reply)?;
    let session = asking.session_name();
    if reply.when_idle && is_busy(&asking) {
        return hold(&mut all, &workspace, session, reply);
    }
    let planned = all.answer(&workspace, Action::plan_reply(session), &|_| ());
    if planned.is_err() && !reply.json {
        output::print(&reply_words::asked(&asking))?;
    }
    let plan = planned?;
    if !reply.json {
        output::print(&reply_words::plan(&plan, reply.text.is_none()))?;
    }
    let Some(body) = body(&plan, reply)? else {
        if reply.json {
            Printed::new(ActionClass::Done, Planned::of(&plan, None)).print()?;
        }
        return Ok(Outcome::Done);
    };
    if let (ReplyBody::Text { text }, false) = (&body, reply.json)
        && let Some(warning) = plan.warning_of(text)
    {
        output::print_line(&format!("note     {warning}"))?;
    }
    if !target_workspace::confirm(&reply_words::confirm(&plan, &body), reply.yes) {
        return json::declined("nothing was sent", reply.json);
    }
    send(&mut all, &workspace, &plan, body, reply)
}

/// Whether its turn continues, or may continue.
fn is_busy(session: &SessionView) -> bool {
    use crate::model::ActivityState::{Background, Unknown, Working};
    matches!(session.activity.state, Working | Background | Unknown)
}

/// Holds the words until the turn has ended.
fn hold(all: &mut OneShot<'_>, workspace: &WorkspaceId, session: SessionName, reply: &Reply) -> Ended {
    let text = text_of(reply)?.filter(|text| !text.trim().is_empty());
    let text = text.ok_or_else(|| Failure::Usage("there is no text to hold".to_owned()))?;
    let agent = display_text::line(&session.agent).into_owned();
    if !target_workspace::confirm(&format!("Send it to {agent} when its turn has ended?"), reply.yes) {
        return json::declined("nothing was sent", reply.json);
    }
    let held = HeldReply {
        id: String::new(),
        session,
        text,
        held_at: clock::now(),
        claimed_at: None,
        hindrance: None,
    };
    all.answer(workspace, Action::hold(held), &|_| ())?;
    let message = "held; an open closeout or `closeout watch --headless` sends it when the turn has ended";
    if reply.json {
        let printed = Printed::new(ActionClass::Done, json::NoContent {});
        printed.ending(Outcome::Done, Some(message.to_owned()), Vec::new()).print()?;
    } else {
        output::print_line(message)?;
    }
    Ok(Outcome::Done)
}

/// Sends what was confirmed, and reports the result.
fn send(
    all: &mut OneShot<'_>,
    workspace: &WorkspaceId,
    plan: &ReplyPlan,
    body: ReplyBody,
    reply: &Reply,
) -> Ended {
    let is_seen = io::stderr().is_terminal();
    let progress = move |progress: ActionProgress| {
        let ends = if progress.taken.is_some() { "; Ctrl-C ends its turn" } else { "" };
        if is_seen && !progress.message.is_empty() {
            output::complain(&format!("{}{ends}", display_text::line(&progress.message)));
        }
    };
    let signalled = Signalled::listen(all.cancel());
    // Only text shows up in a record; the effect of a key is known once it is sent.
    let is_shown_later = matches!(body, ReplyBody::Text { .. });
    let receipt = match all.answer(workspace, Action::reply(Box::new(plan.clone()), body), &progress) {
        Ok(receipt) => *receipt,
        Err(problem) => {
            if reply.json {
                Printed::of_problem(&problem, Planned::of(plan, None)).print()?;
            }
            return Ok(target_workspace::fail(&problem));
        }
    };
    let seconds = if is_shown_later { reply.wait } else { 0 };
    let receipt = wait(all, workspace, receipt, seconds, &signalled);
    tell(plan, &receipt, reply.json)?;
    Ok(signalled.signal().map_or(Outcome::Action(receipt.state.class()), Outcome::Signalled))
}

/// The one session that is meant: of several, the one that is waiting for an answer. A supervised run that
/// waits comes first: it passes the answer to its agent's session itself. A session that was left has to be named.
fn find(views: &[WorkspaceView], target: &Target, reply: &Reply) -> Result<Meant, Failure> {
    let is_named = reply.session.is_some() || matches!(target, Target::Session(_));
    let (left, all): (Vec<_>, Vec<_>) = target
        .sessions(views, reply.session.as_deref())
        .into_iter()
        .partition(|(_, session)| session.is_left_over() && !is_named);
    let asking: Vec<_> = all.iter().copied().filter(|(_, session)| waits(session)).collect();
    let run = asking.iter().copied().find(|(_, session)| session.agent == RunView::AGENT);
    let asking = run.map_or(asking, |run| vec![run]);
    let (view, session) = match (all.as_slice(), asking.as_slice()) {
        ([one], _) | (_, [one]) => *one,
        ([], _) if left.is_empty() => return Err(target.not_found()),
        ([], _) => return Err(target::left_over(&left)),
        (several, _) => return Err(target::several(several, "name one with --session")),
    };
    Ok(Meant { workspace: view.id.clone(), asking: Box::new(session.clone()) })
}

/// Whether the session is waiting for the person, who has neither left it nor dismissed what it asks.
fn waits(session: &SessionView) -> bool {
    use crate::model::ActivityState::{Asks, NeedsPermission};
    let asks = session.question.is_some() || matches!(session.activity.state, Asks | NeedsPermission);
    session.set_aside.is_none() && asks
}

/// What to send; `None` if only the plan was requested.
fn body(plan: &ReplyPlan, reply: &Reply) -> Result<Option<ReplyBody>, Failure> {
    let wanted = match (reply.allow, reply.deny) {
        (true, _) => Some("allow once"),
        (_, true) => Some("deny"),
        (false, false) => None,
    };
    if let Some(wanted) = wanted {
        let permission = plan.channel.permission();
        let permission = permission.ok_or_else(|| Failure::Refused(no_permission(plan).to_owned()))?;
        let option = permission.options.iter().find(|option| option.label.starts_with(wanted));
        let option = option.ok_or_else(|| {
            Failure::Refused("it is unclear which key would answer it: answer it in its pane".to_owned())
        })?;
        let (answer, what) = (option.answer.clone(), permission.what.clone());
        return Ok(Some(ReplyBody::Permission { answer, what }));
    }
    match reply.text.as_deref() {
        None => Ok(None),
        Some(text) if plan.state == ActivityState::Asks && !is_file(plan) => option_of(plan, text).map(Some),
        Some(_) => Ok(text_of(reply)?.map(|text| ReplyBody::Text { text })),
    }
}

/// Why nothing can be allowed or denied.
fn no_permission(plan: &ReplyPlan) -> &'static str {
    if plan.state == ActivityState::NeedsPermission && is_file(plan) {
        "it takes words only: say in a reply what it may do"
    } else {
        "it is not waiting for permission"
    }
}

/// Whether the words go to a place that accepts them whatever the session is doing.
fn is_file(plan: &ReplyPlan) -> bool {
    matches!(plan.channel, ReplyChannel::File { .. } | ReplyChannel::Resume { .. } | ReplyChannel::Run { .. })
}

/// The words, from the argument or from standard input.
fn text_of(reply: &Reply) -> Result<Option<String>, Failure> {
    if reply.text.as_deref() != Some("-") {
        return Ok(reply.text.clone());
    }
    let mut text = String::new();
    let read = io::stdin().lock().take(MAX).read_to_string(&mut text);
    read.map_err(|source| Failure::Stream { what: "cannot read the reply".to_owned(), source })?;
    Ok(Some(text.strip_suffix('\n').map(str::to_owned).unwrap_or(text)))
}

/// The option of a dialog that `text` names, by its number or its label.
fn option_of(plan: &ReplyPlan, text: &str) -> Result<ReplyBody, Failure> {
    let asked = plan.channel.asked().filter(|_| plan.has_way());
    let Some((asked, question)) = asked.and_then(|asked| Some((asked, asked.questions.first()?))) else {
        return Err(Failure::Refused("it asks in a dialog on its screen: answer it in its pane".to_owned()));
    };
    let wanted = text.trim();
    let is_meant = |(at, option): &(usize, &AskedOption)| {
        wanted == (at + 1).to_string() || option.label.trim().to_lowercase() == wanted.to_lowercase()
    };
    let Some((place, option)) = question.options.iter().enumerate().find(is_meant) else {
        let message = format!(
            "it asks in a dialog: choose one of its {} options by number or name; type any other answer in its pane",
            question.options.len()
        );
        return Err(Failure::Refused(message));
    };
    Ok(ReplyBody::Option { place, label: option.label.clone(), call: asked.call.clone() })
}

/// Waits until the reply appears in the session's record, until the time limit, or for a signal.
fn wait(
    all: &mut OneShot<'_>,
    workspace: &WorkspaceId,
    receipt: Receipt,
    seconds: u32,
    signalled: &Signalled,
) -> Receipt {
    let begun = clock::now();
    let mut receipt = receipt;
    let limit = i64::from(seconds) * 1000;
    while receipt.state.is_open() && clock::now().millis_since(begun) < limit && signalled.signal().is_none()
    {
        std::thread::sleep(LOOK_AGAIN);
        all.read_again();
        let views = all.judged().views;
        let receipts =
            views.into_iter().filter(|view| view.id == *workspace).flat_map(|view| view.actions.receipts);
        let known = receipts.into_iter().find(|known| known.id == receipt.id);
        receipt = known.unwrap_or(receipt);
    }
    receipt
}

fn tell(plan: &ReplyPlan, receipt: &Receipt, is_json: bool) -> Result<(), Failure> {
    if is_json {
        let printed = Printed::new(receipt.state.class(), Planned::of(plan, Some(receipt)));
        return printed
            .ending(Outcome::Action(receipt.state.class()), receipt.detail.clone(), Vec::new())
            .print();
    }
    let state = forms::line(&receipt.state);
    let words = receipt.detail.as_deref().map(|words| format!(": {}", display_text::line(words)));
    output::print_line(&format!("{}{}", state.trim_matches('"'), words.unwrap_or_default()))
}
