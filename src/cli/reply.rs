//! `closeout reply`: answers the question of a session, or the permission that it waits for, and says what
//! became of it.

use std::io::{self, IsTerminal as _, Read as _};
use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;

use crate::config::Flags;
use crate::engine::{OneShot, Overlay, Scope, clock};
use crate::model::{
    Act, ActOutcome, ActProblem, ActProgress, Receipt, ReplyBody, ReplyPlan, SessionName, SessionView,
    WorkspaceId, WorkspaceView, display_text,
};

use super::args::Reply;
use super::environment::Environment;
use super::exit::{Failure, Outcome};
use super::{Ended, acting, output, report};

/// The most that is read of standard input, in bytes: more than any way takes.
const MOST: u64 = 2 << 20;
/// How often the record is looked at while the reply is waited for.
const LOOK_AGAIN: Duration = Duration::from_millis(500);

/// A session that is meant.
struct Meant {
    workspace: WorkspaceId,
    session: SessionName,
}

/// What `--json` prints.
#[derive(Serialize)]
struct Told<'a> {
    version: u32,
    plan: &'a ReplyPlan,
    receipt: Option<&'a Receipt>,
    problem: Option<&'a ActProblem>,
}

/// Runs it.
pub(super) fn run(environment: &Environment, reply: &Reply) -> Ended {
    let named = reply.target.as_deref().unwrap_or(".");
    let path = environment.absolute(&PathBuf::from(named));
    let is_folder = path.is_dir();
    let scope = if is_folder {
        Scope::One(path)
    } else {
        Scope::Worktrees { with_sessions: true, here: environment.here.clone(), paths: Vec::new() }
    };
    let launch = environment.launch(scope, Flags::default(), Overlay::default())?;
    let mut all = OneShot::judge(&launch);
    let judged = all.judged();
    let Meant { workspace, session } = find(&judged.views, named, is_folder, reply)?;
    let act = Act::PlanReply { session };
    let outcome = all.act(&workspace, act, &|_| ());
    let ActOutcome::ReplyPlanned(plan) = &outcome else { return Ok(acting::unexpected(&outcome)) };
    if !reply.json {
        show(plan)?;
    }
    let Some(body) = body(plan, reply)? else {
        if reply.json {
            let told = Told { version: report::VERSION, plan, receipt: None, problem: None };
            output::print_line(&report::line(&told))?;
        }
        return Ok(Outcome::Done);
    };
    if !acting::confirm(&question(plan, &body), reply.yes) {
        return Ok(Outcome::Act(crate::model::ActClass::Cancelled));
    }
    let is_seen = io::stderr().is_terminal();
    let progress = move |progress: ActProgress| {
        if is_seen && !progress.words.is_empty() {
            output::complain(&display_text::line(&progress.words));
        }
    };
    let sent = all.act(&workspace, Act::Reply { plan: plan.clone(), body }, &progress);
    if let ActOutcome::Replied(receipt) = sent {
        let receipt = wait(&mut all, &workspace, *receipt, reply.wait);
        tell(plan, &receipt, reply.json)?;
        return Ok(Outcome::Act(receipt.state.class()));
    }
    if let (ActOutcome::Failed(problem), true) = (&sent, reply.json) {
        let told = Told { version: report::VERSION, plan, receipt: None, problem: Some(problem) };
        output::print_line(&report::line(&told))?;
    }
    Ok(acting::unexpected(&sent))
}

/// The one session that is meant: of the workspace, or with this id or the beginning of it.
fn find(views: &[WorkspaceView], named: &str, is_folder: bool, reply: &Reply) -> Result<Meant, Failure> {
    let is_named = |session: &SessionView| {
        let wanted = reply.session.as_deref().or((!is_folder).then_some(named));
        wanted.is_none_or(|wanted| session.session_id == wanted || is_beginning(wanted, &session.session_id))
    };
    let all: Vec<(&WorkspaceView, &SessionView)> = views
        .iter()
        .flat_map(|view| view.sessions.iter().map(move |session| (view, session)))
        .filter(|(_, session)| is_named(session))
        .collect();
    let asking: Vec<_> = all.iter().copied().filter(|(_, session)| waits(session)).collect();
    let meant = match (all.as_slice(), asking.as_slice()) {
        ([one], _) | (_, [one]) => *one,
        ([], _) => {
            let named = display_text::line(named);
            return Err(Failure::NoWorkspace(format!("there is no session of an agent at or named {named}")));
        }
        (several, _) => {
            let mut words = "several sessions could be meant; name one with --session:".to_owned();
            for (_, session) in several {
                let line = format!(
                    "\n  {} {}{}",
                    display_text::line(&session.agent),
                    display_text::line(&session.session_id),
                    session
                        .name
                        .as_deref()
                        .map(|name| format!("  {}", display_text::line(name)))
                        .unwrap_or_default()
                );
                words.push_str(&line);
            }
            return Err(Failure::Usage(words));
        }
    };
    let (view, session) = meant;
    let session = SessionName { agent: session.agent.clone(), session_id: session.session_id.clone() };
    Ok(Meant { workspace: view.id.clone(), session })
}

/// Whether this is enough of an id to name a session.
fn is_beginning(wanted: &str, id: &str) -> bool {
    wanted.len() >= 6 && id.starts_with(wanted)
}

/// Whether the session waits for the person.
fn waits(session: &SessionView) -> bool {
    use crate::model::ActivityState::{Asks, NeedsPermission};
    session.question.is_some() || matches!(session.activity.state, Asks | NeedsPermission)
}

/// What is to be sent; `None` when only the plan was wanted.
fn body(plan: &ReplyPlan, reply: &Reply) -> Result<Option<ReplyBody>, Failure> {
    let wanted = match (reply.allow, reply.deny) {
        (true, _) => Some("allow once"),
        (_, true) => Some("deny"),
        (false, false) => None,
    };
    if let Some(wanted) = wanted {
        let permission = plan.permission.as_ref();
        let permission = permission.ok_or_else(|| Failure::Usage("it waits for no permission".to_owned()))?;
        let option = permission.options.iter().find(|option| option.label.starts_with(wanted));
        let option = option.ok_or_else(|| {
            Failure::Usage("which key would answer it is not certain: answer it in its pane".to_owned())
        })?;
        let (answer, what) = (option.answer.clone(), permission.what.clone());
        return Ok(Some(ReplyBody::Permission { answer, what }));
    }
    match reply.text.as_deref() {
        None => Ok(None),
        Some("-") => {
            let mut text = String::new();
            io::stdin()
                .lock()
                .take(MOST)
                .read_to_string(&mut text)
                .map_err(|source| Failure::Stream { what: "cannot read the reply".to_owned(), source })?;
            let text = text.strip_suffix('\n').map(str::to_owned).unwrap_or(text);
            Ok(Some(ReplyBody::Text { text }))
        }
        Some(text) => Ok(Some(ReplyBody::Text { text: text.to_owned() })),
    }
}

/// What a person sees before they confirm.
fn show(plan: &ReplyPlan) -> Result<(), Failure> {
    let mut lines = vec![format!(
        "to       {} {}",
        display_text::line(&plan.session.agent),
        display_text::line(&plan.session.session_id)
    )];
    if let Some(question) = &plan.question {
        lines.extend(display_text::block(&question.text).lines().map(|line| format!("asks     {line}")));
        for choice in &question.choices {
            let label = display_text::line(&choice.label);
            lines.push(format!("         {label}) {}", display_text::line(&choice.text)));
        }
    }
    if let Some(permission) = &plan.permission {
        lines.push(format!("wants    {}", display_text::line(&permission.what)));
        for option in &permission.options {
            lines.push(format!("         {} ({})", option.label, option.answer));
        }
    }
    lines.push(format!("goes     {}", display_text::line(&plan.channel_words)));
    lines.extend(plan.warnings.iter().map(|warning| format!("note     {}", display_text::line(warning))));
    if let Some(unsettled) = &plan.unsettled {
        lines.push(format!(
            "note     this may have been sent before, and nobody knows: {}",
            display_text::line(&unsettled.excerpt)
        ));
    }
    output::print(&format!("{}\n", lines.join("\n")))
}

fn question(plan: &ReplyPlan, body: &ReplyBody) -> String {
    match (body, &plan.unsettled) {
        (ReplyBody::Permission { answer, .. }, _) => {
            let options = plan.permission.iter().flat_map(|permission| &permission.options);
            let label = options.filter(|option| option.answer == *answer).map(|option| option.label.as_str());
            format!("Answer \"{}\"?", label.collect::<String>())
        }
        (ReplyBody::Text { .. }, Some(_)) => {
            "Send it, though an earlier reply may have been sent?".to_owned()
        }
        (ReplyBody::Text { .. }, None) => "Send it?".to_owned(),
    }
}

/// Waits until the reply is seen in the session's record, for so many seconds at most.
fn wait(all: &mut OneShot<'_>, workspace: &WorkspaceId, receipt: Receipt, seconds: u32) -> Receipt {
    let begun = clock::now();
    let mut receipt = receipt;
    while receipt.state.is_open() && clock::now().millis_since(begun) < i64::from(seconds) * 1000 {
        std::thread::sleep(LOOK_AGAIN);
        all.look_again();
        let views = all.judged().views;
        let receipts = views.into_iter().filter(|view| view.id == *workspace).flat_map(|view| view.receipts);
        let known = receipts.into_iter().find(|known| known.id == receipt.id);
        receipt = known.unwrap_or(receipt);
    }
    receipt
}

fn tell(plan: &ReplyPlan, receipt: &Receipt, is_json: bool) -> Result<(), Failure> {
    if is_json {
        let told = Told { version: report::VERSION, plan, receipt: Some(receipt), problem: None };
        return output::print_line(&report::line(&told));
    }
    let state = report::line(&receipt.state);
    let words = receipt.words.as_deref().map(|words| format!(": {}", display_text::line(words)));
    output::print_line(&format!("{}{}", state.trim_matches('"'), words.unwrap_or_default()))
}
