//! The server that an agent's own process may have: what is asked of it, as data. Nothing here opens a
//! connection.

use std::collections::BTreeMap;

use crate::model::{PermissionOption, SessionObservation, StatusReport};

/// What such a server is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApiAsk<'a> {
    /// The session, to see that the server answers for it.
    Session,
    /// Which sessions are at work.
    Status,
    /// Which permissions are waited for.
    Permissions,
    /// Which questions are.
    Questions,
    /// Words of the person for the session.
    Prompt {
        /// The words.
        text: &'a str,
    },
    /// The answer to a permission.
    Answer {
        /// The server's id of what it waits for.
        request: &'a str,
        /// The answer, in the server's words.
        answer: &'a str,
    },
}

/// A request to such a server: a `POST` if it has a body, which is JSON, else a `GET`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiRequest {
    /// Letters, digits, `/` and `_` only.
    pub path: String,
    /// What is sent.
    pub body: Option<String>,
}

/// The bodies of three answers, as they came; `None` for one that did not come.
#[derive(Debug, Clone, Copy, Default)]
pub struct ApiAnswers<'a> {
    /// To [`ApiAsk::Status`].
    pub status: Option<&'a [u8]>,
    /// To [`ApiAsk::Permissions`].
    pub permission: Option<&'a [u8]>,
    /// To [`ApiAsk::Questions`].
    pub question: Option<&'a [u8]>,
}

/// What a kind of agent's server understands, and what its answers mean.
pub trait AgentServer: Sync {
    /// How something is asked of the server of the session's process; `None` for what cannot stand in a
    /// request.
    fn request(&self, session: &SessionObservation, ask: &ApiAsk<'_>) -> Option<ApiRequest>;

    /// Whether this is the server's answer on the session.
    fn is_about(&self, session: &SessionObservation, answer: &[u8]) -> bool;

    /// What the answers tell of each session, by its id: what it waits for, else that it is at work. What is no
    /// answer of that kind tells nothing.
    fn reports(&self, answers: &ApiAnswers<'_>) -> BTreeMap<String, StatusReport>;

    /// The permission that the session waits for: its id, and what it is about.
    fn waits_for(&self, session: &SessionObservation, answer: &[u8]) -> Option<(String, String)>;

    /// The answers to a permission. What allows more than this one call is none of them.
    fn permission_options(&self) -> Vec<PermissionOption>;
}
