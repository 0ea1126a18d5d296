//! The server that an agent's own process may run, and the requests to it, as data. Nothing here opens a
//! connection.

use std::collections::BTreeMap;

use crate::model::{PermissionOption, SessionObservation, StatusReport};

/// A request to such a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApiAsk<'a> {
    /// The session, to check that the server knows it.
    Session,
    /// Which sessions are working.
    Status,
    /// Which permissions are pending.
    Permissions,
    /// Which questions are pending.
    Questions,
    /// A user's text for the session.
    Prompt {
        /// The text.
        text: &'a str,
    },
    /// An answer to a permission request.
    Answer {
        /// The server's id for the permission request.
        request: &'a str,
        /// The answer, in the server's terms.
        answer: &'a str,
    },
}

/// An HTTP request: a `POST` if it has a body, which is JSON, else a `GET`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiRequest {
    /// Contains only letters, digits, `/` and `_`.
    pub path: String,
    /// What is sent.
    pub body: Option<String>,
}

/// The raw bodies of three responses; `None` for one that did not arrive.
#[derive(Debug, Clone, Copy, Default)]
pub struct ApiAnswers<'a> {
    /// To [`ApiAsk::Status`].
    pub status: Option<&'a [u8]>,
    /// To [`ApiAsk::Permissions`].
    pub permission: Option<&'a [u8]>,
    /// To [`ApiAsk::Questions`].
    pub question: Option<&'a [u8]>,
}

/// The requests an agent's server understands, and what its responses mean.
pub trait AgentServer: Sync {
    /// The request for `ask` to the server of the session's process. `None` if something in it cannot be
    /// part of a request.
    fn request(&self, session: &SessionObservation, ask: &ApiAsk<'_>) -> Option<ApiRequest>;

    /// Whether this response to [`ApiAsk::Session`] describes the session.
    fn is_about(&self, session: &SessionObservation, answer: &[u8]) -> bool;

    /// The status of each session that the responses mention, by id: what it waits for, else that it is
    /// working. A response of another kind says nothing.
    fn reports(&self, answers: &ApiAnswers<'_>) -> BTreeMap<String, StatusReport>;

    /// The permission that the session waits for: its id, and what it is about.
    fn waits_for(&self, session: &SessionObservation, answer: &[u8]) -> Option<(String, String)>;

    /// The possible answers to a permission request. Answers that allow more than this one call are left
    /// out.
    fn permission_options(&self) -> Vec<PermissionOption>;
}
