//! Replies through the server in the session's own process, if it has one: words that cannot act as keys,
//! addressed to this session by id, and answers to a permission.
//!
//! It must not use the server of any other process: each server of an agent knows all sessions, and one that
//! does not have this session open would work on it alongside the one that does.

use super::channel::{Chosen, plain, refused};
use super::loopback::{self, NoResponse};
use super::pane::Sent;
use super::{Current, Replier};
use crate::agent::processes::listening_ports;
use crate::agent::{AgentServer, ApiAnswers, ApiAsk, ApiRequest};
use crate::model::{
    ActionProblem, LiveStatus, PermissionPrompt, ProcessId, Receipt, ReceiptState, ReplyChannel, ReplyPlan,
    ServerPermission,
};

/// How many ports of a process are tried.
const MAX_PORTS: usize = 4;

impl Replier<'_> {
    /// The channel through the server of the session's process; `None` if it has none that answers.
    pub(super) fn by_server(&self, current: &Current) -> Option<Result<Chosen, ActionProblem>> {
        let process = current.view.process?;
        let server = self.adapter.server()?;
        let session = server.request(&current.session, &ApiAsk::Session)?;
        let answers = |port: &u16| {
            let told = get(process, *port, &session);
            told.is_some_and(|told| server.is_about(&current.session, &told))
        };
        let port = listening_ports(process).into_iter().take(MAX_PORTS).find(answers)?;
        let ask = |ask| get(process, port, &server.request(&current.session, &ask)?);
        // Without these facts it is unknown what the session is doing.
        let (status, permission, question) =
            (ask(ApiAsk::Status)?, ask(ApiAsk::Permissions)?, ask(ApiAsk::Questions)?);
        let answers =
            ApiAnswers { status: Some(&status), permission: Some(&permission), question: Some(&question) };
        let word = server.reports(&answers).remove(current.session.session_id.as_str());
        let waits = server.waits_for(&current.session, &permission);
        let chosen = |warnings, permission| Chosen {
            warnings,
            pane: current.view.pane.clone(),
            ..plain(ReplyChannel::Api { port, process, permission })
        };
        Some(match (waits, word.map(|word| word.status)) {
            (Some((request, what)), _) => {
                let prompt = PermissionPrompt { what, options: server.permission_options() };
                Ok(chosen(Vec::new(), Some(ServerPermission { request, prompt })))
            }
            // A question of the agent is answered through another channel.
            (None, Some(LiveStatus::Waiting { .. })) => return None,
            (None, Some(LiveStatus::Busy)) => {
                let warning = "it is working: your text waits until its turn is over".to_owned();
                Ok(chosen(vec![warning], None))
            }
            (None, _) => Ok(chosen(Vec::new(), None)),
        })
    }

    /// Sends the words to the server.
    pub(super) fn post_words(&self, plan: &ReplyPlan, text: &str, receipt: &Receipt) -> Sent {
        let request = |server: &dyn AgentServer, current: &Current| {
            server.request(&current.session, &ApiAsk::Prompt { text })
        };
        let is_busy = match self.post(plan, request)? {
            Posted::Perhaps(why) => return Ok(self.by_record(receipt, why)),
            Posted::Taken(current) => current.turn_is_open(),
        };
        (self.report)("given to its server; waiting until its record shows it");
        if self.wait_until(|current| current.shows(receipt)) {
            return Ok((ReceiptState::Consumed, None));
        }
        Ok((if is_busy { ReceiptState::Queued } else { ReceiptState::Delivered }, None))
    }

    /// Sends the answer to a permission to the server.
    pub(super) fn post_answer(&self, plan: &ReplyPlan, answer: &str) -> Sent {
        let ReplyChannel::Api { permission: Some(permission), .. } = &plan.channel else {
            return Err(refused("it no longer waits for permission; nothing was sent", "look again"));
        };
        let ask = ApiAsk::Answer { request: &permission.request, answer };
        match self.post(plan, |server, current| server.request(&current.session, &ask))? {
            Posted::Taken(_) => Ok((ReceiptState::Delivered, Some("its server took the answer".to_owned()))),
            Posted::Perhaps(why) => Ok((ReceiptState::Unknown, Some(why.to_owned()))),
        }
    }

    /// Sends one request, if everything is as confirmed at this very moment.
    fn post(
        &self,
        plan: &ReplyPlan,
        request: impl Fn(&dyn AgentServer, &Current) -> Option<ApiRequest>,
    ) -> Result<Posted, ActionProblem> {
        let current = (self.look)()?;
        let ReplyChannel::Api { port, process, .. } = self.as_planned(plan, &current)?.channel else {
            return Err(refused("it would be sent another way; nothing was sent", "look again"));
        };
        let request = self.adapter.server().and_then(|server| request(server, &current));
        let request = request.ok_or_else(|| {
            refused("its server cannot be asked that; nothing was sent", "answer it in its pane")
        })?;
        match loopback::ask(process, port, &request) {
            Ok(response) if (200..300).contains(&response.status) => Ok(Posted::Taken(Box::new(current))),
            Ok(response) => {
                let message = format!("its server refused it (status {})", response.status);
                Err(refused(message, "answer it in its pane"))
            }
            Err(NoResponse::NotSent) => {
                Err(refused("its server can no longer be reached; nothing was sent", "look again"))
            }
            Err(NoResponse::Perhaps) => {
                Ok(Posted::Perhaps("its server did not answer: it may have been taken"))
            }
        }
    }
}

enum Posted {
    /// It was accepted; the session's state right before.
    Taken(Box<Current>),
    /// It is unknown whether it arrived, for this reason.
    Perhaps(&'static str),
}

impl Current {
    fn turn_is_open(&self) -> bool {
        matches!(self.session.turn, crate::model::TurnState::Open { .. })
    }
}

/// The body of a successful response.
fn get(process: ProcessId, port: u16, request: &ApiRequest) -> Option<Vec<u8>> {
    loopback::ask(process, port, request)
        .ok()
        .filter(|response| response.status == 200)
        .map(|response| response.body)
}
