//! Chooses the channel of a reply from the agent and the current state of its session. It must not refuse
//! without saying why and what to do.

use super::pane::Address;
use super::{Current, Replier};
use crate::agent::Asking;
use crate::model::{
    ActionClass, ActionProblem, ActivitySource, ActivityState, LiveStatus, LongText, Pane, PaneInput,
    PermissionPrompt, Question, ReplyChannel, ReplyPlan,
};

/// The chosen channel and what a person should know about it.
pub(super) struct Chosen {
    pub(super) channel: ReplyChannel,
    pub(super) warnings: Vec<String>,
    /// The pane that a person can jump to.
    pub(super) pane: Option<Pane>,
    /// The checked address of the pane, if the reply goes to one.
    pub(super) address: Option<Address>,
}

impl Chosen {
    /// Turns this into a choice that sends nothing, for the given reason.
    pub(super) fn close(&mut self, why: impl Into<String>) {
        if let ReplyChannel::Pane { input, .. } = &self.channel {
            self.channel = ReplyChannel::Nowhere { prompt: input.screen_prompt(), next: Vec::new() };
        }
        self.address = None;
        self.warnings.push(why.into());
    }
}

pub(super) fn refused(message: impl Into<String>, next: impl Into<String>) -> ActionProblem {
    ActionProblem::new(ActionClass::Refused, message).with_next(next)
}

/// Chooses the channel.
pub(super) fn choose(replier: &Replier<'_>, current: &Current) -> Result<Chosen, ActionProblem> {
    let adapter = replier.adapter;
    let state = current.view.activity.state;
    if let Some(path) = adapter.reply_file(replier.workspace) {
        return Ok(plain(ReplyChannel::File { path }));
    }
    let resumed = adapter.command(&current.session, &Asking::Reply { text: String::new() });
    if adapter.facts().is_described {
        let program = resumed.ok_or_else(|| {
            let name = adapter.name();
            refused(
                format!("there is no way to write to {name}"),
                "give it a `reply_file` or `commands.reply` in your configuration",
            )
        })?;
        return Ok(plain(ReplyChannel::Resume { program: program.program, is_described: true }));
    }
    // The agent's own server accepts words at any time, and for this session alone.
    if let Some(chosen) = replier.by_server(current) {
        return chosen;
    }
    if state == ActivityState::NeedsPermission {
        return Ok(permission(replier, current));
    }
    if is_over(current) {
        return over(replier, current, resumed.map(|command| command.program));
    }
    if state == ActivityState::Asks {
        return Ok(dialog(replier, current));
    }
    if adapter.facts().has_queue {
        return queue(replier, current);
    }
    pane(replier, current)
}

pub(super) fn plain(channel: ReplyChannel) -> Chosen {
    Chosen { channel, warnings: Vec::new(), pane: None, address: None }
}

/// Whether nobody has the session open.
fn is_over(current: &Current) -> bool {
    match current.view.activity.state {
        ActivityState::Gone => true,
        ActivityState::Idle => current.view.process.is_none() && current.is_surely_gone,
        ActivityState::Working
        | ActivityState::NeedsPermission
        | ActivityState::Asks
        | ActivityState::Background
        | ActivityState::Unknown => false,
    }
}

/// For a session that nobody has open: the agent's program resumes it.
fn over(replier: &Replier<'_>, current: &Current, program: Option<String>) -> Result<Chosen, ActionProblem> {
    let Some(program) = program else {
        let why = replier.adapter.facts().never_resumed;
        let why = why.unwrap_or("its agent's CLI cannot resume it: its id or folder is unknown");
        return Err(refused(
            format!("it is not open, and {why}"),
            "open it on its own screen and answer there",
        ));
    };
    let mut chosen = plain(ReplyChannel::Resume { program, is_described: false });
    chosen.warnings.push("it runs without a screen: whatever needs a permission is denied".to_owned());
    if current.view.activity.state != ActivityState::Gone {
        chosen.warnings.push("if it is still open somewhere, close it: closeout does not see it".to_owned());
    }
    Ok(chosen)
}

/// Through the agent's own queue.
fn queue(replier: &Replier<'_>, current: &Current) -> Result<Chosen, ActionProblem> {
    let asking = Asking::Queue { text: String::new() };
    let command = replier.adapter.command(&current.session, &asking).ok_or_else(|| {
        refused(
            "its agent cannot be told which session it is: its id or folder is unknown",
            "answer it in its pane",
        )
    })?;
    let mut chosen = plain(ReplyChannel::Queue { program: command.program });
    match current.view.activity.state {
        ActivityState::Working | ActivityState::Background => {
            chosen
                .warnings
                .push("it is working: your text waits in its queue, or steers its turn".to_owned());
        }
        ActivityState::Unknown => {
            chosen.warnings.push("its state is unknown: your text may wait in its queue".to_owned());
        }
        ActivityState::Idle | ActivityState::NeedsPermission | ActivityState::Asks | ActivityState::Gone => {}
    }
    Ok(chosen)
}

/// Pasted into the pane of a live, idle session.
fn pane(replier: &Replier<'_>, current: &Current) -> Result<Chosen, ActionProblem> {
    let wait = "wait until it is idle, or answer in its pane";
    match current.view.activity.state {
        ActivityState::Idle => {}
        ActivityState::Working => {
            let words = "it is working: a permission prompt could open and take your text for key presses";
            return Err(refused(words, wait));
        }
        ActivityState::Background => {
            let words = "its background work is still running: a permission prompt could open and take \
                         your text for key presses";
            return Err(refused(words, wait));
        }
        ActivityState::Unknown
        | ActivityState::NeedsPermission
        | ActivityState::Asks
        | ActivityState::Gone => {
            return Err(refused("its current state is unknown", "look at its pane and answer there"));
        }
    }
    let typing = replier
        .adapter
        .facts()
        .typing
        .ok_or_else(|| refused("pasting into its screen is untested", "answer it in its pane"))?;
    let long_text = typing.long_paste.map(|long| LongText {
        n_lines: long.n_lines,
        n_signs: long.n_signs,
        words: long.words.to_owned(),
    });
    let (channel, address) = in_pane(replier, current, PaneInput::Paste { long_text })?;
    let folder = current.session.folder.as_deref().unwrap_or(replier.workspace);
    let is_ready = replier.adapter.title_status(&address.title, folder) == Some(LiveStatus::Idle);
    if replier.adapter.facts().tells_by_title && !is_ready {
        return Err(refused("the title of its pane does not say that it is ready", wait));
    }
    match replier.adapter.is_shown(&current.session, current.record.as_deref(), &address.title) {
        Some(true) => {}
        Some(false) => {
            let words = "its screen shows another session, or was just told to continue one";
            return Err(refused(words, "go back to it on its screen and answer there"));
        }
        None => {
            let words = "its screen may show another session, which would get your text";
            return Err(refused(words, "answer it in its pane"));
        }
    }
    let mut chosen = plain(channel);
    if typing.empty_box.is_none() {
        chosen.warnings.push("text that is already in its input box is sent along".to_owned());
    }
    Ok(Chosen { pane: current.view.pane.clone(), address: Some(address), ..chosen })
}

/// For a session that waits for permission: no text, only the options of its prompt.
fn permission(replier: &Replier<'_>, current: &Current) -> Chosen {
    let known = replier.adapter.permission_keys(&current.session);
    let (what, options) = match &known {
        Ok((what, keys)) => ((*what).to_owned(), keys.keys.iter().map(Into::into).collect()),
        Err(_) => (current.view.activity.detail.clone().unwrap_or_default(), Vec::new()),
    };
    let input = PaneInput::Permission(PermissionPrompt { what, options });
    let mut chosen = by_a_key(replier, current, known.as_ref().err().copied(), Some(input));
    if let ReplyChannel::Nowhere { next, .. } = &mut chosen.channel
        && chosen.pane.is_some()
        && known.is_err()
    {
        let is_told = current.session.live.iter().any(|word| word.source == ActivitySource::Hook);
        if replier.adapter.facts().permission.is_some() && !is_told {
            next.push(
                "after `closeout hook install`, its next permission prompts can be answered here".to_owned(),
            );
        }
    }
    chosen
}

/// For a session that asks in a dialog on its screen: no text, only one of the options.
fn dialog(replier: &Replier<'_>, current: &Current) -> Chosen {
    let input = current.session.asked.clone().map(PaneInput::Option);
    by_a_key(replier, current, replier.adapter.option_dialog(&current.session).err(), input)
}

/// A key for the prompt on the screen, if it is known. `why` says why the right key is not certain, if it is not.
fn by_a_key(replier: &Replier<'_>, current: &Current, why: Option<&str>, input: Option<PaneInput>) -> Chosen {
    let prompt = input.as_ref().and_then(PaneInput::screen_prompt);
    let in_pane = input.map(|input| in_pane(replier, current, input)).transpose();
    let mut chosen = match in_pane {
        Ok(Some((channel, address))) => Chosen { address: Some(address), ..plain(channel) },
        Ok(None) => plain(ReplyChannel::Nowhere { prompt, next: Vec::new() }),
        Err(problem) => {
            let next = problem.next.into_iter().collect();
            Chosen { warnings: vec![problem.message], ..plain(ReplyChannel::Nowhere { prompt, next }) }
        }
    };
    if let Some(why) = why {
        chosen.close(why);
    } else if let Some(address) = chosen.address.as_ref().filter(|_| replier.adapter.facts().tells_by_title) {
        // The screen may show another session than the one that waits.
        let folder = current.session.folder.as_deref().unwrap_or(replier.workspace);
        let status = replier.adapter.title_status(&address.title, folder);
        if !matches!(status, Some(LiveStatus::Waiting { .. })) {
            chosen.close("the title of its pane does not say that it waits for you");
        }
    }
    chosen.pane = current.view.pane.clone().filter(|_| replier.tmux.is_some());
    chosen
}

/// The current pane of the session's process, to take this input.
fn in_pane(
    replier: &Replier<'_>,
    current: &Current,
    input: PaneInput,
) -> Result<(ReplyChannel, Address), ActionProblem> {
    let elsewhere = "answer it in its terminal";
    let Some(process) = current.view.process else {
        return Err(refused("closeout does not know whether or where it is open", elsewhere));
    };
    let Some(tmux) = &replier.tmux else {
        let message = "tmux was not found on the PATH, and closeout can type at its screen only through tmux";
        return Err(refused(message, elsewhere));
    };
    let Some(pane) = &current.view.pane else {
        return Err(refused("it is open outside of tmux, where closeout cannot type", elsewhere));
    };
    let address = tmux.find(pane, process)?;
    let channel = ReplyChannel::Pane { pane: pane.clone(), server: address.server, process, input };
    Ok((channel, address))
}

impl Replier<'_> {
    /// Chooses the channel again and refuses unless it is as confirmed.
    pub(super) fn as_planned(&self, plan: &ReplyPlan, current: &Current) -> Result<Chosen, ActionProblem> {
        let chosen = choose(self, current)?;
        let changed = |what: &str| {
            let message = format!("changed since you looked: {what}; nothing was sent");
            Err(ActionProblem::new(ActionClass::Refused, message).with_next("look again"))
        };
        if chosen.channel.permission() != plan.channel.permission() {
            return changed("it waits for another permission, or for none");
        }
        if chosen.channel.asked() != plan.channel.asked() {
            return changed("it asks something else now, or nothing");
        }
        if chosen.channel != plan.channel {
            return changed("it would be sent another way");
        }
        let is_queue = matches!(plan.channel, ReplyChannel::Queue { .. });
        let text = |question: &Option<Question>| question.as_ref().map(|asked| asked.text.clone());
        if !is_queue && text(&current.view.question) != text(&plan.question) {
            return changed("its question has changed");
        }
        Ok(chosen)
    }
}
