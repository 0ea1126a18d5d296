//! The format of a stored baseline: one JSON object with the version of its format.
//!
//! Pure: text to value and back.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::model::{Baseline, Timestamp};

use super::written_path::WrittenPath;

/// The version of the format that is written, and the newest one that is read.
const VERSION: u32 = 1;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) path: PathBuf,
    pub(super) baseline: Baseline,
    /// Since when the directory is known to be gone.
    pub(super) gone_since: Option<Timestamp>,
}

/// Why a text is not a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Unread {
    /// A newer version of the format, which must not be changed.
    Newer(u32),
    /// Any other reason, in words.
    Damaged(String),
}

#[derive(Serialize, Deserialize)]
struct Form {
    version: u32,
    #[serde(flatten)]
    path: WrittenPath,
    baseline: Baseline,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    gone_since: Option<Timestamp>,
}

/// Only the version: a newer format may have nothing else in common.
#[derive(Deserialize)]
struct VersionOnly {
    version: u32,
}

impl Record {
    pub(super) fn to_json(&self) -> Result<Vec<u8>, serde_json::Error> {
        let form = Form {
            version: VERSION,
            path: WrittenPath::of(&self.path),
            baseline: self.baseline.clone(),
            gone_since: self.gone_since,
        };
        let mut json = serde_json::to_vec_pretty(&form)?;
        json.push(b'\n');
        Ok(json)
    }

    pub(super) fn from_json(json: &[u8]) -> Result<Record, Unread> {
        let damaged = |error: serde_json::Error| Unread::Damaged(error.to_string());
        let VersionOnly { version } = serde_json::from_slice(json).map_err(damaged)?;
        if version > VERSION {
            return Err(Unread::Newer(version));
        }
        let form: Form = serde_json::from_slice(json).map_err(damaged)?;
        let path = form.path.read().map_err(|wrong| Unread::Damaged(wrong.to_owned()))?;
        Ok(Record { path, baseline: form.baseline, gone_since: form.gone_since })
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt as _;

    use super::*;
    use crate::model::BaselineOrigin;

    fn record(path: PathBuf) -> Record {
        let baseline = Baseline {
            commit: "a".repeat(40).parse().ok(),
            origin: BaselineOrigin::BranchPoint("origin/main".to_owned()),
            set_at: Timestamp(5),
            commit_time: None,
        };
        Record { path, baseline, gone_since: Some(Timestamp(7)) }
    }

    #[test]
    fn a_record_comes_back_as_it_was_also_with_a_path_that_is_no_utf8() {
        for path in [PathBuf::from("/w/日本"), PathBuf::from(OsString::from_vec(b"/w/\xff\n".to_vec()))] {
            let record = record(path);
            assert_eq!(Record::from_json(&record.to_json().unwrap()), Ok(record));
        }
    }

    #[test]
    fn a_newer_format_is_told_from_a_damaged_one() {
        assert_eq!(Record::from_json(b"{\"version\":2,\"x\":1}"), Err(Unread::Newer(2)));
        for json in ["", "{", "{\"version\":1}", "[]", "\0"] {
            assert!(matches!(Record::from_json(json.as_bytes()), Err(Unread::Damaged(_))), "{json}");
        }
    }
}
