//! Where evidence comes from, and of what moment it is (DESIGN.md 2.2). There is no default: whoever makes
//! evidence has to say both. Must not judge what age takes away.

use schemars::JsonSchema;
use serde::Serialize;

use super::{SessionName, SessionObservation, Timestamp};

/// Where evidence comes from, and of what moment it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(into = "ProvenanceFields")]
pub struct Provenance {
    /// What it was read from.
    pub origin: Origin,
    /// When it was said or done.
    pub moment: Moment,
}

/// What evidence was read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// The repository: its commits, its index, its work tree.
    Git,
    /// A file: a decision, a report, a plan, test results, an output.
    File,
    /// The record, the words or the process of this session.
    Session(Box<SessionName>),
    /// An agent's answer to a question of closeout's.
    Answer,
    /// A check that the user configured: its last run, or what its sources say together.
    Check,
    /// A supervised run.
    Run,
}

/// When evidence was said or done: the moment of the fact, not of the file where the fact has one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// Then.
    At(Timestamp),
    /// It is a state that was found at this look, and as old as the look.
    AsRead,
    /// It was said or done before, and its source does not tell when.
    Unknown,
}

impl Origin {
    /// This session.
    pub fn of(session: &SessionObservation) -> Origin {
        Origin::Session(Box::new(session.session_name()))
    }

    /// Evidence from here that was said or done at this time; `None` where its source does not tell.
    pub fn at(self, time: impl Into<Option<Timestamp>>) -> Provenance {
        Provenance { origin: self, moment: time.into().map_or(Moment::Unknown, Moment::At) }
    }

    /// A state that was found here at this look.
    pub fn as_read(self) -> Provenance {
        Provenance { origin: self, moment: Moment::AsRead }
    }

    /// The session, where it is one.
    pub fn session(&self) -> Option<&SessionName> {
        match self {
            Origin::Session(name) => Some(name),
            Origin::Git | Origin::File | Origin::Answer | Origin::Check | Origin::Run => None,
        }
    }
}

impl Moment {
    /// The time, where one is known.
    pub fn time(self) -> Option<Timestamp> {
        match self {
            Moment::At(time) => Some(time),
            Moment::AsRead | Moment::Unknown => None,
        }
    }
}

/// How provenance stands in JSON.
#[derive(Serialize, JsonSchema)]
pub(super) struct ProvenanceFields {
    /// The session that it is of, where it is of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<SessionName>,
    /// When the source said it.
    said_at: Option<Timestamp>,
}

impl From<Provenance> for ProvenanceFields {
    fn from(provenance: Provenance) -> ProvenanceFields {
        let said_at = provenance.moment.time();
        match provenance.origin {
            Origin::Session(name) => ProvenanceFields { session: Some(*name), said_at },
            Origin::Git | Origin::File | Origin::Answer | Origin::Check | Origin::Run => {
                ProvenanceFields { session: None, said_at }
            }
        }
    }
}
