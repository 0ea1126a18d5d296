//! Sends one reply through the chosen channel and reports what is known right afterwards. It must not press
//! Return where the state has changed since the paste.

use std::borrow::Cow;
use std::io;
use std::path::Path;
use std::time::Duration;

use super::channel::{Chosen, refused};
use super::input_box::{self, AtCursor};
use super::pane::{Address, NotTyped, Sent};
use super::program::Ran;
use super::prompt_key::KeyFate;
use super::{Current, Replier, dialog, text};
use crate::agent::Asking;
use crate::disk::Folder;
use crate::disk::write::{NewFile, Over};
use crate::model::{
    ActionClass, ActionProblem, ActivityState, Receipt, ReceiptState, ReplyBody, ReplyChannel, ReplyPlan,
};

/// The time limit of a call to an agent's queue.
const QUEUE_LIMIT: Duration = Duration::from_secs(30);
/// The pause after a paste grows by one millisecond per this many bytes.
const BYTES_A_MS: usize = 200;

impl Replier<'_> {
    /// The text by which a person recognises the reply, if it may go this way: its words, or what the key
    /// means.
    pub(super) fn prepare<'b>(
        &self,
        plan: &ReplyPlan,
        body: &'b ReplyBody,
        chosen: &Chosen,
        current: &Current,
    ) -> Result<Cow<'b, str>, ActionProblem> {
        match (body, chosen.channel.permission()) {
            (ReplyBody::Option { place, label, call }, _) => {
                dialog::check(self.adapter, *place, label, call, current)?;
                Ok(format!("answered: {label}").into())
            }
            // An agent that is described takes words from its file or program, whatever its screen shows.
            (ReplyBody::Text { .. }, _)
                if current.view.activity.state == ActivityState::Asks
                    && !self.adapter.facts().is_described =>
            {
                Err(refused(
                    "it asks in a dialog on its screen, which would take text for key presses. Nothing was sent",
                    "choose one of its options, or answer it in its pane",
                ))
            }
            (ReplyBody::Text { .. }, Some(_)) => Err(refused(
                "it waits for permission: text would decide it. Nothing was sent",
                "answer the permission first",
            )),
            (ReplyBody::Text { text }, None) => {
                let typing = self.adapter.facts().typing;
                text::check(text, &chosen.channel, typing.as_ref())?;
                let is_bracketed = chosen.address.as_ref().and_then(|address| address.is_bracketed);
                if text.contains('\n') && is_bracketed == Some(false) {
                    let message =
                        "it has several lines, and the program in the pane would take each for a reply";
                    return Err(refused(message, "write it in one line"));
                }
                let asking = Asking::Queue { text: text.clone() };
                let is_queue = matches!(chosen.channel, ReplyChannel::Queue { .. });
                let session = (self.look)()?.session;
                if is_queue && self.adapter.command(&session, &asking).is_none() {
                    let message = "it is longer than the agent's queue takes (100 KiB). Nothing was sent";
                    return Err(refused(
                        message,
                        "put it into a file in the workspace, and tell the agent to read it",
                    ));
                }
                Ok(text.into())
            }
            (ReplyBody::Permission { .. }, None) => {
                Err(refused("it no longer waits for permission; nothing was sent", "look again"))
            }
            (ReplyBody::Permission { answer, what }, Some(prompt)) => {
                let is_same = *what == prompt.what && plan.channel.permission().as_ref() == Some(&prompt);
                if !is_same || !prompt.options.iter().any(|option| option.answer == *answer) {
                    return Err(refused(
                        "it waits for another permission than the one that you answered; nothing was sent",
                        "look again",
                    ));
                }
                let keys = self.permission_keys(current).map_or(&[][..], |keys| keys.keys);
                let given = keys.iter().find(|key| key.answer == answer).map_or("answered", |key| key.given);
                Ok(format!("{given}: {what}").into())
            }
        }
    }

    /// Sends the reply. An error means that nothing was sent. Calls `taken` when the agent has it and continues
    /// its turn.
    pub(super) fn deliver(
        &self,
        plan: &ReplyPlan,
        body: &ReplyBody,
        receipt: &Receipt,
        taken: &dyn Fn(&Receipt),
    ) -> Result<Receipt, ActionProblem> {
        let sent = match (&plan.channel, body) {
            (ReplyChannel::Pane { .. }, ReplyBody::Text { text }) => self.type_words(plan, text, receipt),
            (ReplyChannel::Pane { .. }, ReplyBody::Permission { answer, .. }) => self.answer(plan, answer),
            (ReplyChannel::Pane { .. }, ReplyBody::Option { place, label, call }) => {
                self.choose_option(plan, *place, label, call)
            }
            (ReplyChannel::Nowhere { .. } | ReplyChannel::Run { .. }, _) => {
                Err(refused("it can only be answered on its own screen", "answer it there"))
            }
            (ReplyChannel::File { path }, ReplyBody::Text { text }) => {
                write_file(path, self.workspace, text)?;
                let message = "the file is there; the agent takes it when it looks".to_owned();
                Ok((ReceiptState::Queued, Some(message)))
            }
            (ReplyChannel::Queue { .. }, ReplyBody::Text { text }) => self.queue(plan, text, receipt),
            (ReplyChannel::Resume { .. }, ReplyBody::Text { text }) => {
                self.resume_session(text, receipt, taken)
            }
            (ReplyChannel::Api { .. }, ReplyBody::Text { text }) => self.post_words(plan, text, receipt),
            (ReplyChannel::Api { .. }, ReplyBody::Permission { answer, .. }) => {
                self.post_answer(plan, answer)
            }
            (_, ReplyBody::Permission { .. } | ReplyBody::Option { .. }) => Err(refused(
                "a prompt on its screen can only be answered in a pane",
                "answer it on its screen",
            )),
        };
        sent.map(|(state, detail)| Receipt { state, detail, ..receipt.clone() })
    }

    /// The cursor position in the pane's empty input box; `None` for an agent whose empty box is not known. The
    /// screen does not tell whether the agent accepts words, only whether someone's words are in the box:
    /// Return would send both.
    pub(super) fn empty_box(&self, address: &Address) -> Result<Option<AtCursor>, ActionProblem> {
        let known = self.adapter.facts().typing.and_then(|typing| typing.empty_box);
        let Some(empty) = known.filter(|_| self.tmux.is_some()) else { return Ok(None) };
        let message = "its input box seems to hold somebody's text, or a dialog or another mode is open; \
                       nothing was typed";
        let empty = self.screen_when(address, |at| input_box::is_empty(at, &empty))?;
        empty.map(Some).ok_or_else(|| refused(message, "send or clear them in its pane, or answer there"))
    }

    fn type_words(&self, plan: &ReplyPlan, text: &str, receipt: &Receipt) -> Sent {
        let (tmux, address, _) = self.pane_now(plan)?;
        let current = self.empty_box(&address)?;
        if let Err(not_typed) = tmux.paste(&address, current.as_ref(), text, &plan.id) {
            return not_typed.sent();
        }
        let typing_ms = self.adapter.facts().typing.map_or(0, |typing| u64::from(typing.pause_ms));
        let more_ms = u64::try_from(text.len() / BYTES_A_MS).unwrap_or(0);
        std::thread::sleep(Duration::from_millis(typing_ms + more_ms));
        let held =
            |why: &str| Ok((ReceiptState::Held, Some(format!("typed, but Return was not pressed: {why}"))));
        // A permission prompt may have appeared meanwhile, or another program.
        match self.pane_now(plan) {
            Ok((tmux, address, _)) => match tmux.press(&address, None, "Enter") {
                Ok(()) => {}
                Err(NotTyped::Surely(problem)) => return held(&problem.message),
                Err(NotTyped::Perhaps) => return held("tmux did not answer"),
            },
            Err(problem) => return held(&problem.message),
        }
        (self.report)("typed; waiting until its record shows it");
        if self.wait_until(|current| current.shows(receipt)) {
            return Ok((ReceiptState::Consumed, None));
        }
        Ok((ReceiptState::Held, Some("typed, but its record does not show it yet".to_owned())))
    }

    fn answer(&self, plan: &ReplyPlan, answer: &str) -> Sent {
        let (tmux, address, current) = self.pane_now(plan)?;
        let known = self.permission_keys(&current);
        let Some(key) = known.and_then(|known| known.keys.iter().find(|key| key.answer == answer)) else {
            return Err(refused("which key would answer it is not certain", "answer it in its pane"));
        };
        let at = self.drawn_prompt(&address, &current)?;
        let asked = plan.channel.permission().map(|prompt| prompt.what);
        let is_answered = |current: &Current| {
            let what = self.adapter.permission_keys(&current.session).ok().map(|(what, _)| what);
            current.view.activity.state != ActivityState::NeedsPermission || what != asked.as_deref()
        };
        let typed = self.type_key(plan, (tmux, &address, &current), (key.key, at.as_ref()), &is_answered)?;
        Ok(match typed {
            KeyFate::Taken => (ReceiptState::Delivered, Some("the prompt is gone".to_owned())),
            KeyFate::Stands { n_keys } => (ReceiptState::Held, Some(KeyFate::standing(n_keys))),
            KeyFate::Unknown => NotTyped::Perhaps.sent()?,
        })
    }

    fn queue(&self, plan: &ReplyPlan, text: &str, receipt: &Receipt) -> Sent {
        let current = (self.look)()?;
        self.as_planned(plan, &current)?;
        let asking = Asking::Queue { text: text.to_owned() };
        let command = self.adapter.command(&current.session, &asking);
        let command =
            command.ok_or_else(|| refused("its agent's queue cannot be called", "answer it in its pane"))?;
        let state = if current.view.activity.state == ActivityState::Idle {
            ReceiptState::Delivered
        } else {
            ReceiptState::Queued
        };
        match self.programs.run(&command, QUEUE_LIMIT, &self.cancel) {
            Ran::NotStarted(why) => Err(refused(why, "answer it in its pane")),
            Ran::Well if self.wait_until(|current| current.shows(receipt)) => {
                Ok((ReceiptState::Consumed, None))
            }
            Ran::Well => Ok((state, None)),
            Ran::Failed(why) if !self.wait_until(|current| current.shows(receipt)) => {
                Err(refused(format!("its agent's queue refused it: {why}"), "answer it in its pane"))
            }
            Ran::Failed(why) => Ok((ReceiptState::Consumed, Some(why))),
            Ran::CutOff(why) => Ok(self.by_record(receipt, &why)),
        }
    }
}

/// Writes `text` to `path`: in full beside its place, then moved there. It must not overwrite anything or follow a link. On
/// an error, nothing new is left at that path.
fn write_file(path: &Path, workspace: &Path, text: &str) -> Result<(), ActionProblem> {
    let failed = |error: io::Error| {
        let is_taken = error.kind() == io::ErrorKind::AlreadyExists;
        let what = if is_taken { "something is already there".to_owned() } else { error.to_string() };
        let next = if is_taken {
            "the agent has not taken its last reply; wait until it has, or remove the file"
        } else {
            "make sure that its folder exists, is writable and has space"
        };
        let message = format!("the reply file {} was not written: {what}", path.display());
        ActionProblem::new(ActionClass::Failed, message).with_next(next)
    };
    let name = path.file_name().ok_or_else(|| failed(io::ErrorKind::InvalidInput.into()))?;
    let folder = open_folder(path.parent().unwrap_or(Path::new("/")), workspace).map_err(failed)?;
    NewFile::create(&folder, 0o600, text.as_bytes())
        .and_then(|file| file.put_whole(name, Over::Nothing))
        .map_err(failed)?;
    // Makes the name survive a power failure. If that fails, the file is there all the same.
    let _ = rustix::fs::fsync(&folder);
    Ok(())
}

/// Opens the folder. Below the workspace no component may be a link; outside, a person chose the path, and only
/// the last component may not be one.
fn open_folder(path: &Path, workspace: &Path) -> io::Result<Folder> {
    match path.strip_prefix(workspace) {
        Ok(below) => Ok(Folder::open_unlinked(workspace)?.folder(below)?),
        Err(_) => Ok(Folder::open_unlinked(path)?),
    }
}
