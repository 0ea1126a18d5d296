//! A reply by the server that the session's own process has, where it has one: words that no key can be made
//! of, for this session by its id, and the answer to a permission.
//!
//! It must not ask a server of any other process: each server of an agent knows all sessions, and one that
//! does not have this session open would work on it beside the one that has.

use super::channel::{Chosen, plain, refused};
use super::loopback::{self, NoResponse};
use super::pane::Sent;
use super::{Current, Replier};
use crate::agent::processes::listening_ports;
use crate::agent::{AgentServer, ApiAnswers, ApiAsk, ApiRequest};
use crate::model::{
    ActionProblem, LiveStatus, PermissionPrompt, ProcessId, Receipt, ReceiptState, ReplyChannel, ReplyPlan,
};

/// More ports of a process are not asked.
const MOST_PORTS: usize = 4;

impl Replier<'_> {
    /// The way by the server of the session's process; `None` where it has none that answers.
    pub(super) fn by_server(&self, current: &Current) -> Option<Result<Chosen, ActionProblem>> {
        let process = current.view.process?;
        let server = self.adapter.server()?;
        let session = server.request(&current.session, &ApiAsk::Session)?;
        let answers = |port: &u16| {
            let told = get(process, *port, &session);
            told.is_some_and(|told| server.is_about(&current.session, &told))
        };
        let port = listening_ports(process).into_iter().take(MOST_PORTS).find(answers)?;
        let ask = |ask| get(process, port, &server.request(&current.session, &ask)?);
        // Without these it is not known what the session does.
        let (status, permission, question) =
            (ask(ApiAsk::Status)?, ask(ApiAsk::Permissions)?, ask(ApiAsk::Questions)?);
        let answers =
            ApiAnswers { status: Some(&status), permission: Some(&permission), question: Some(&question) };
        let word = server.reports(&answers).remove(&current.session.session_id);
        let waits = server.waits_for(&current.session, &permission);
        let words = format!("by the server of its own process, on port {port}");
        let chosen = |request, warnings, permission| Chosen {
            warnings,
            permission,
            pane: current.view.pane.clone(),
            ..plain(ReplyChannel::Api { port, process, request }, words.clone())
        };
        Some(match (waits, word.map(|word| word.status)) {
            (Some((request, what)), _) => {
                let prompt = PermissionPrompt { what, options: server.permission_options() };
                Ok(chosen(Some(request), Vec::new(), Some(prompt)))
            }
            // A question of the agent's is answered in its own way.
            (None, Some(LiveStatus::Waiting { .. })) => return None,
            (None, Some(LiveStatus::Busy)) => {
                let warning = "it works: the words wait until its turn is over".to_owned();
                Ok(chosen(None, vec![warning], None))
            }
            (None, _) => Ok(chosen(None, Vec::new(), None)),
        })
    }

    /// Gives the words to the server.
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

    /// Gives the answer to a permission to the server.
    pub(super) fn post_answer(&self, plan: &ReplyPlan, answer: &str) -> Sent {
        let ReplyChannel::Api { request: Some(id), .. } = &plan.channel else {
            return Err(refused("it waits for no permission any more; nothing was sent", "look again"));
        };
        let ask = ApiAsk::Answer { request: id, answer };
        match self.post(plan, |server, current| server.request(&current.session, &ask))? {
            Posted::Taken(_) => Ok((ReceiptState::Delivered, Some("its server took the answer".to_owned()))),
            Posted::Perhaps(why) => Ok((ReceiptState::Unknown, Some(why.to_owned()))),
        }
    }

    /// Sends one request, if all is as it was confirmed at this very moment.
    fn post(
        &self,
        plan: &ReplyPlan,
        request: impl Fn(&dyn AgentServer, &Current) -> Option<ApiRequest>,
    ) -> Result<Posted, ActionProblem> {
        let current = (self.look)()?;
        let ReplyChannel::Api { port, process, .. } = self.as_planned(plan, &current)?.channel else {
            return Err(refused("it would go another way; nothing was sent", "look again"));
        };
        let request = self.adapter.server().and_then(|server| request(server, &current));
        let request = request.ok_or_else(|| {
            refused("its server cannot be asked that; nothing was sent", "answer it in its pane")
        })?;
        match loopback::ask(process, port, &request) {
            Ok(response) if (200..300).contains(&response.status) => Ok(Posted::Taken(Box::new(current))),
            Ok(response) => {
                let words = format!("its server refused it (status {})", response.status);
                Err(refused(words, "answer it in its pane"))
            }
            Err(NoResponse::NotSent) => {
                Err(refused("its server cannot be reached any more; nothing was sent", "look again"))
            }
            Err(NoResponse::Perhaps) => {
                Ok(Posted::Perhaps("its server did not answer: it may have been taken"))
            }
        }
    }
}

/// What became of a request.
enum Posted {
    /// It was taken; how the session was right before.
    Taken(Box<Current>),
    /// Nobody knows.
    Perhaps(&'static str),
}

impl Current {
    fn turn_is_open(&self) -> bool {
        matches!(self.session.turn, crate::model::TurnState::Open { .. })
    }
}

/// The body of an answer that is one.
fn get(process: ProcessId, port: u16, request: &ApiRequest) -> Option<Vec<u8>> {
    loopback::ask(process, port, request)
        .ok()
        .filter(|response| response.status == 200)
        .map(|response| response.body)
}
