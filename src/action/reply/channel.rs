//! Which way a reply goes, by the agent and by what its session does at this moment. Every refusal says why,
//! and what to do.

use super::pane::Address;
use super::{Replier, Seen};
use crate::agent::panes::{tells_by_title, title_status};
use crate::agent::{Asking, hooks_tell_keys, permission_keys};
use crate::model::{
    ActClass, ActProblem, ActivitySource, ActivityState, LiveStatus, PermissionPrompt, ReplyChannel,
    display_text,
};

/// The way that was chosen.
pub(super) struct Chosen {
    pub(super) channel: ReplyChannel,
    pub(super) words: String,
    pub(super) warnings: Vec<String>,
    pub(super) permission: Option<PermissionPrompt>,
    /// Of a pane.
    pub(super) address: Option<Address>,
}

fn refused(words: impl Into<String>, next: impl Into<String>) -> ActProblem {
    ActProblem::new(ActClass::Refused, words).with_next(next)
}

/// Chooses the way.
pub(super) fn choose(replier: &Replier<'_>, seen: &Seen) -> Result<Chosen, ActProblem> {
    let adapter = replier.adapter;
    let state = seen.view.activity.state;
    if let Some(path) = adapter.reply_file(replier.workspace) {
        let words = format!("written to the file {}", display_text::path(&path));
        return Ok(plain(ReplyChannel::File { path }, words));
    }
    let resumed = adapter.command(&seen.session, &Asking::Reply { text: String::new() });
    if matches!(adapter, crate::agent::Adapter::Custom(_)) {
        let program = resumed.ok_or_else(|| {
            let name = adapter.name();
            refused(
                format!("there is no way to write to {name}"),
                "give it a `reply_file` or `commands.reply` in your configuration",
            )
        })?;
        return Ok(plain(ReplyChannel::Resume, format!("given to the program `{}`", program.program)));
    }
    if state == ActivityState::NeedsPermission {
        return permission(replier, seen);
    }
    if is_over(seen) {
        return over(replier, seen, resumed.map(|command| command.program));
    }
    if state == ActivityState::Asks {
        return Err(refused(
            "it shows a dialog of its own, in which keys choose: words would be taken for keys",
            "answer it in its pane",
        ));
    }
    if adapter.has_queue() {
        return queue(replier, seen);
    }
    pane(replier, seen)
}

fn plain(channel: ReplyChannel, words: String) -> Chosen {
    Chosen { channel, words, warnings: Vec::new(), permission: None, address: None }
}

/// Whether nobody has the session open.
fn is_over(seen: &Seen) -> bool {
    match seen.view.activity.state {
        ActivityState::Gone => true,
        ActivityState::Idle => seen.view.process.is_none() && seen.is_surely_gone,
        ActivityState::Working
        | ActivityState::NeedsPermission
        | ActivityState::Asks
        | ActivityState::Background
        | ActivityState::Unknown => false,
    }
}

/// For a session that nobody has open: its agent's program goes on with it.
fn over(replier: &Replier<'_>, seen: &Seen, program: Option<String>) -> Result<Chosen, ActProblem> {
    let agent = replier.adapter.name();
    let Some(program) = program else {
        let why = if agent == "gemini" {
            "Gemini CLI can lose a session that it goes on with without a screen"
        } else {
            "its agent's program cannot go on with it: its id or its folder is not known"
        };
        return Err(refused(
            format!("it is not open, and {why}"),
            "open it on its own screen and answer there",
        ));
    };
    let mut chosen = plain(
        ReplyChannel::Resume,
        format!("the session is not open: `{program}` goes on with it, without a screen"),
    );
    chosen
        .warnings
        .push("without a screen nobody is asked: what it has no permission for is refused to it".to_owned());
    if seen.view.activity.state != ActivityState::Gone {
        chosen
            .warnings
            .push("close it where it is still open, if it is: closeout sees it nowhere".to_owned());
    }
    Ok(chosen)
}

/// By the agent's own queue.
fn queue(replier: &Replier<'_>, seen: &Seen) -> Result<Chosen, ActProblem> {
    let asking = Asking::Queue { text: String::new() };
    let command = replier.adapter.command(&seen.session, &asking).ok_or_else(|| {
        refused("it cannot be named to its agent: its id or its folder is not known", "answer it in its pane")
    })?;
    let mut chosen = plain(ReplyChannel::Queue, format!("by the queue of `{}`", command.program));
    match seen.view.activity.state {
        ActivityState::Working | ActivityState::Background => {
            chosen.warnings.push("it works: the words wait in its queue, or steer its turn".to_owned());
        }
        ActivityState::Unknown => {
            chosen.warnings.push("what it does is not known: the words may wait in its queue".to_owned());
        }
        ActivityState::Idle | ActivityState::NeedsPermission | ActivityState::Asks | ActivityState::Gone => {}
    }
    Ok(chosen)
}

/// Pasted into the pane of a live session that is idle.
fn pane(replier: &Replier<'_>, seen: &Seen) -> Result<Chosen, ActProblem> {
    let wait = "wait until it is idle, or answer in its pane";
    match seen.view.activity.state {
        ActivityState::Idle => {}
        ActivityState::Working => {
            let words =
                "it works: a prompt for a permission could come up under the words, and take them for keys";
            return Err(refused(words, wait));
        }
        ActivityState::Background => {
            let words = "work that it began goes on, and could ask for a permission under the words";
            return Err(refused(words, wait));
        }
        ActivityState::Unknown
        | ActivityState::NeedsPermission
        | ActivityState::Asks
        | ActivityState::Gone => {
            return Err(refused(
                "what it does at this moment is not known",
                "look at its pane and answer there",
            ));
        }
    }
    let typing = replier.adapter.typing().ok_or_else(|| {
        refused("what its screen makes of pasted words was never tried", "answer it in its pane")
    })?;
    let (channel, words, address) = in_pane(replier, seen)?;
    let folder = seen.session.folder.as_deref().unwrap_or(replier.workspace);
    let agent = replier.adapter.name();
    if tells_by_title(agent) && title_status(agent, &address.title, folder) != Some(LiveStatus::Idle) {
        return Err(refused("the title of its pane does not say that it is ready", wait));
    }
    let mut warnings = vec!["words that stand in its input box already are sent with these".to_owned()];
    warnings.extend(typing.warning.map(str::to_owned));
    Ok(Chosen { channel, words, warnings, permission: None, address: Some(address) })
}

/// For a session that waits for a permission: no words, only the options of its prompt.
fn permission(replier: &Replier<'_>, seen: &Seen) -> Result<Chosen, ActProblem> {
    let (channel, words, address) = in_pane(replier, seen).map_err(|problem| ActProblem {
        words: format!("it waits for a permission, and {}", problem.words),
        ..problem
    })?;
    let (what, options) = match permission_keys(&seen.session) {
        Some((what, keys)) => (what.to_owned(), keys.iter().map(Into::into).collect()),
        None => (seen.view.activity.detail.clone().unwrap_or_default(), Vec::new()),
    };
    let mut warnings = Vec::new();
    let words = if options.is_empty() {
        warnings.push("which keys would answer it is not certain: answer it in its pane".to_owned());
        if hooks_tell_keys(replier.adapter.name()) && !is_told_by_hook(seen) {
            warnings.push("its next ones can be answered here after `closeout hook install`".to_owned());
        }
        "in no way from here".to_owned()
    } else {
        words.replacen("pasted into", "a key, typed into", 1)
    };
    let permission = Some(PermissionPrompt { what, options });
    Ok(Chosen { channel, words, warnings, permission, address: Some(address) })
}

/// Whether a hook of the session tells what it waits for.
fn is_told_by_hook(seen: &Seen) -> bool {
    seen.session.live.iter().any(|word| word.source == ActivitySource::Hook)
}

/// The pane of its process, as it is now.
fn in_pane(replier: &Replier<'_>, seen: &Seen) -> Result<(ReplyChannel, String, Address), ActProblem> {
    let elsewhere = "answer it in its terminal";
    let Some(process) = seen.view.process else {
        return Err(refused("it is not known whether and where it is open", elsewhere));
    };
    let (Some(tmux), Some(pane)) = (&replier.tmux, &seen.view.pane) else {
        return Err(refused("it is open outside of tmux, where closeout cannot type", elsewhere));
    };
    let address = tmux.find(pane, process)?;
    let words = format!("pasted into tmux pane {}", pane.id);
    let channel = ReplyChannel::Pane { pane: pane.clone(), server: address.server, process };
    Ok((channel, words, address))
}
