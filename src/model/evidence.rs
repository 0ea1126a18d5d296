//! What one source says at one moment, unjudged.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

use super::{Fact, Origin, Point, Provenance, Reason, SessionName, Timestamp, provenance::ProvenanceFields};

/// What one source says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Evidence {
    /// The source.
    pub source: Source,
    /// Which one of its kind, for the user: a file name, an agent. Untrusted text.
    pub name: String,
    /// Where it comes from, and of what moment it is.
    #[serde(flatten)]
    #[schemars(with = "ProvenanceFields")]
    pub provenance: Provenance,
    /// What it claims, or why nothing of it counts.
    #[serde(flatten)]
    #[schemars(with = "ClaimFields")]
    pub claim: Claim,
    /// How good its word is.
    pub strength: Strength,
    /// True when a check passed because there was nothing to check.
    pub is_vacuous: bool,
    /// True when the verdict cannot do without this source.
    pub is_required: bool,
    /// Why it claims this. In JSON, the words of each reason.
    #[schemars(with = "Vec<String>")]
    pub reasons: Vec<Reason>,
    /// The single points behind the claim, with names that are stable between rounds.
    #[serde(rename = "fingerprints")]
    #[schemars(with = "Vec<String>")]
    pub points: Vec<Point>,
    /// Where the raw text is.
    pub pointer: Option<Box<Pointer>>,
}

impl Evidence {
    /// Evidence from a source that claims nothing, with the reason.
    pub fn abstain(
        source: Source,
        name: impl Into<String>,
        rejection: Rejection,
        provenance: Provenance,
    ) -> Evidence {
        Evidence::claim(source, name, Claim::Abstain(rejection), provenance)
    }

    /// Evidence with this claim: verified, without reasons yet.
    pub fn claim(source: Source, name: impl Into<String>, claim: Claim, provenance: Provenance) -> Evidence {
        Evidence {
            source,
            name: name.into(),
            provenance,
            claim,
            strength: Strength::Verified,
            is_vacuous: false,
            is_required: false,
            reasons: Vec::new(),
            points: Vec::new(),
            pointer: None,
        }
    }

    /// The same evidence, no longer counted, with the reason.
    #[must_use]
    pub fn rejected(self, rejection: Rejection, why: impl Into<Reason>) -> Evidence {
        Evidence { claim: Claim::Abstain(rejection), ..self }.because(why)
    }

    /// The same evidence with one more reason.
    #[must_use]
    pub fn because(mut self, reason: impl Into<Reason>) -> Evidence {
        // Most have one, and a vector that grows takes room for four.
        self.reasons.reserve_exact(1);
        self.reasons.push(reason.into());
        self
    }

    /// When the source said it; `None` for what was read now, and where nothing tells.
    pub fn said_at(&self) -> Option<Timestamp> {
        self.provenance.moment.time()
    }

    /// The session that it is of, where it is of one.
    pub fn session(&self) -> Option<&SessionName> {
        self.provenance.origin.session()
    }

    /// Why it does not count; `None` if it claims something.
    pub fn rejection(&self) -> Option<Rejection> {
        self.claim.rejection()
    }

    /// True if it does not count for this reason.
    pub fn is_rejected_as(&self, rejection: Rejection) -> bool {
        self.claim == Claim::Abstain(rejection)
    }

    /// True if it rests on this point.
    pub fn has(&self, point: &Point) -> bool {
        self.points.contains(point)
    }

    /// True if nobody said it: it was inferred from a record that shows no work. An agent may still be asked
    /// (DESIGN.md 2.3, R3).
    pub fn is_inferred_from_silence(&self) -> bool {
        self.reasons.contains(&Reason::Fact(Fact::NoneOfItsWork))
    }

    /// True for a decision file or a closer's report that exists but cannot be used: what it was meant to say
    /// is unknown. A query of the closer that failed is none: nothing was said.
    pub fn is_unreadable_report(&self) -> bool {
        matches!(self.source, Source::Decision | Source::Closer)
            && self.provenance.origin == Origin::File
            && self.is_rejected_as(Rejection::Unreadable)
    }

    /// True if it says that the work is done, and had something to check.
    pub fn is_yes(&self) -> bool {
        self.claim == Claim::Yes && !self.is_vacuous
    }
}

/// Who speaks. A closed set; each source has one rank (DESIGN.md 2.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// A live session by its own structured word.
    LiveSession,
    /// The run itself: exit code, crash, API error as the last reply.
    Run,
    /// A configured command.
    Command,
    /// Test results.
    Tests,
    /// Files that must be there.
    RequiredFiles,
    /// Commits since the baseline.
    Commits,
    /// Uncommitted changes.
    Changes,
    /// A decision file that carries the id of this check.
    DecisionWithId,
    /// A plan: the agent's todos, a plan file, a task list in Markdown.
    Plan,
    /// The closer's checklist.
    Closer,
    /// A decision file without an id.
    Decision,
    /// A JSON line or marker in the output.
    Marker,
    /// The agent's answer to a probe.
    Probe,
    /// The deliverable of READ_INFO and REPORT.
    Output,
    /// The agent's last words, read by the question detector.
    LastWords,
}

impl Source {
    /// The rank of the source: it orders explanations and breaks ties; smaller is stronger. It never lets a
    /// YES beat a fresh NO.
    pub fn rank(self) -> u8 {
        match self {
            Source::LiveSession => 0,
            Source::Run => 1,
            Source::Command | Source::Tests | Source::RequiredFiles => 2,
            Source::Commits | Source::Changes => 3,
            Source::DecisionWithId => 4,
            Source::Plan => 5,
            Source::Closer => 6,
            Source::Decision => 7,
            Source::Marker => 8,
            Source::Probe => 9,
            Source::Output | Source::LastWords => 10,
        }
    }

    /// The source's name for the user.
    pub fn title(self) -> &'static str {
        match self {
            Source::LiveSession => "session",
            Source::Run => "run",
            Source::Command => "command",
            Source::Tests => "tests",
            Source::RequiredFiles => "required files",
            Source::Commits => "commits",
            Source::Changes => "changes",
            Source::DecisionWithId | Source::Decision => "decision",
            Source::Plan => "plan",
            Source::Closer => "closer",
            Source::Marker => "marker",
            Source::Probe => "probe",
            Source::Output => "output",
            Source::LastWords => "last words",
        }
    }
}

/// What a source claims: a closed set. Rejected evidence claims nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[derive(IntoStaticStr)]
#[strum(serialize_all = "UPPERCASE")]
#[serde(into = "ClaimFields")]
pub enum Claim {
    /// The work is done.
    Yes,
    /// The work is not done.
    No,
    /// The user has to answer something.
    Ask,
    /// Background work is running.
    Wait,
    /// Work is in progress.
    Work,
    /// There are uncommitted changes.
    Dirty,
    /// Something failed.
    Fail,
    /// Nothing that counts, for this reason.
    Abstain(Rejection),
}

/// How a claim stands in JSON.
#[derive(Serialize, JsonSchema)]
struct ClaimFields {
    /// What it claims.
    #[schemars(with = "ClaimName")]
    claim: &'static str,
    /// Why it does not count, when the claim is `ABSTAIN`.
    rejection: Option<Rejection>,
}

/// What a source claims. A closed set.
#[derive(JsonSchema)]
#[schemars(rename = "Claim", rename_all = "SCREAMING_SNAKE_CASE")]
#[expect(dead_code, reason = "only the schema names them")]
enum ClaimName {
    /// The work is done.
    Yes,
    /// The work is not done.
    No,
    /// The user is asked.
    Ask,
    /// Background work runs.
    Wait,
    /// Work continues.
    Work,
    /// Changes are not committed.
    Dirty,
    /// Something failed.
    Fail,
    /// Nothing that counts.
    Abstain,
}

impl From<Claim> for ClaimFields {
    fn from(claim: Claim) -> ClaimFields {
        ClaimFields { claim: claim.name(), rejection: claim.rejection() }
    }
}

impl Claim {
    /// The name used on the screen and in JSON.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Why it is none; `None` for one that counts.
    pub fn rejection(self) -> Option<Rejection> {
        match self {
            Claim::Abstain(rejection) => Some(rejection),
            Claim::Yes | Claim::No | Claim::Ask | Claim::Wait | Claim::Work | Claim::Dirty | Claim::Fail => {
                None
            }
        }
    }
}

/// Why evidence does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Rejection {
    /// No settings name it.
    NotConfigured,
    /// It is configured and is not there.
    Absent,
    /// It is older than the task.
    Stale,
    /// It belongs to another check or session.
    Foreign,
    /// It could not be read or understood.
    Unreadable,
    /// There was nothing to check.
    Vacuous,
    /// It was read and says neither yes nor no.
    Undecided,
    /// The turn was interrupted or broken off, or how it ended is unknown: nothing in it claims anything.
    MidTurn,
    /// It is of a session without a process that was silent for long, and the user asked another one since.
    LeftOver,
    /// The user said that it is not of this task.
    Dismissed,
}

/// How good a word is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Strength {
    /// Read from the world: git, files, test results.
    Verified,
    /// The user says so: closeout's own record has that they wrote this very file.
    Person,
    /// The agent says so, or the author is unknown.
    SelfReported,
    /// Inferred from words.
    Guess,
}

/// Where the raw text of evidence is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Pointer {
    /// Path or name of the place. Untrusted text.
    pub place: String,
    /// The words that matter, shortened. Untrusted text.
    pub excerpt: Option<String>,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn provenance_is_the_session_and_the_time_in_json() {
        let json = |provenance| {
            let evidence = Evidence::claim(Source::Plan, "p", Claim::Yes, provenance);
            let mut json = serde_json::to_value(evidence).unwrap();
            let fields = json.as_object_mut().unwrap();
            (fields.remove("session"), fields.remove("said_at"))
        };
        let name = SessionName::new("claude", "a");
        let session = json!({ "agent": "claude", "session_id": "a" });
        assert_eq!(json(Origin::Session(name.into()).at(Timestamp(5))), (Some(session), Some(json!(5))));
        assert_eq!(json(Origin::File.at(None)), (None, Some(json!(null))));
        assert_eq!(json(Origin::Git.as_read()), (None, Some(json!(null))));
    }
}
