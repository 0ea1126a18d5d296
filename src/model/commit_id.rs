//! The id of a commit, checked where it is read, so that a name, an abbreviation or nothing at all cannot stand in its
//! place. Must not know whether there is such a commit.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::hex;

/// The full id of a commit in either of git's formats, and never the null id, by which git says "none". As text and as
/// JSON its hexadecimal digits; `{:.7}` shows the first seven.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(inline)]
pub struct CommitId(Digits);

/// Inline, so that a copy is cheap and a workspace keeps no text for an id.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Digits {
    Sha1([u8; 20]),
    Sha256([u8; 32]),
}

/// The error for a text that is no id of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoCommitId;

impl CommitId {
    /// The id with these bytes; `None` if they are no id of either format, or the null id.
    pub fn of_bytes(bytes: &[u8]) -> Option<CommitId> {
        let digits = match bytes.len() {
            20 => Digits::Sha1(bytes.try_into().ok()?),
            32 => Digits::Sha256(bytes.try_into().ok()?),
            _ => return None,
        };
        bytes.iter().any(|byte| *byte != 0).then_some(CommitId(digits))
    }

    /// Its bytes.
    pub fn as_bytes(&self) -> &[u8] {
        match &self.0 {
            Digits::Sha1(bytes) => bytes,
            Digits::Sha256(bytes) => bytes,
        }
    }
}

impl FromStr for CommitId {
    type Err = NoCommitId;

    fn from_str(text: &str) -> Result<CommitId, NoCommitId> {
        let bytes = Some(text).filter(|text| text.len() <= 64).and_then(|text| hex::unhex(text.as_bytes()));
        bytes.and_then(|bytes| CommitId::of_bytes(&bytes)).ok_or(NoCommitId)
    }
}

impl TryFrom<String> for CommitId {
    type Error = NoCommitId;

    fn try_from(text: String) -> Result<CommitId, NoCommitId> {
        text.parse()
    }
}

impl From<CommitId> for String {
    fn from(id: CommitId) -> String {
        hex::hex(id.as_bytes())
    }
}

impl fmt::Display for CommitId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&hex::hex(self.as_bytes()))
    }
}

impl fmt::Debug for CommitId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for NoCommitId {}

impl fmt::Display for NoCommitId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not the full id of a commit")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_whole_and_names_something() {
        for id in ["0123456789abcdef0123456789abcdef01234567".to_owned(), "5e".repeat(32)] {
            let parsed: CommitId = id.parse().unwrap();
            assert_eq!((parsed.to_string(), format!("{parsed:.7}")), (id.clone(), id[..7].to_owned()));
            assert_eq!(id.to_uppercase().parse(), Ok(parsed), "git takes it, too");
            assert_eq!(CommitId::of_bytes(parsed.as_bytes()), Some(parsed));
            assert_eq!(serde_json::to_value(parsed).unwrap(), serde_json::json!(id));
            assert_eq!(serde_json::from_value::<CommitId>(serde_json::json!(id)).unwrap(), parsed);
        }
        let (null, nulls) = ("0".repeat(40), "0".repeat(64));
        let (short, long, other) = ("a".repeat(39), "a".repeat(42), "g".repeat(40));
        for text in ["", "abc1234", "HEAD", &short, &long, &other, &null, &nulls] {
            assert_eq!(text.parse::<CommitId>(), Err(NoCommitId), "{text}");
            assert!(serde_json::from_value::<CommitId>(serde_json::json!(text)).is_err(), "{text}");
        }
    }

    #[test]
    fn an_id_needs_no_more_room_than_its_bytes_and_their_format() {
        assert_eq!(size_of::<Option<CommitId>>(), 33);
    }
}
