//! The form of a remembered baseline on disk: one JSON object, with the version of its format.
//!
//! Pure: text to value and back. A path that is no UTF-8 is written in hexadecimal, since JSON has no
//! other way to hold it exactly.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::model::{Baseline, Timestamp};

/// The version that this program writes and the newest that it reads.
const VERSION: u32 = 1;

/// What is remembered of one workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Record {
    /// The directory of the workspace.
    pub(super) path: PathBuf,
    pub(super) baseline: Baseline,
    /// Since when the directory is known to be gone.
    pub(super) gone_since: Option<Timestamp>,
}

/// Why a text is no record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Unread {
    /// A newer version of the format, which is not touched.
    Newer(u32),
    /// Anything else, in words.
    Damaged(String),
}

#[derive(Serialize, Deserialize)]
struct Form {
    version: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    path_hex: Option<String>,
    baseline: Baseline,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    gone_since: Option<Timestamp>,
}

/// The version alone: a newer format may have nothing else in common.
#[derive(Deserialize)]
struct VersionOnly {
    version: u32,
}

impl Record {
    pub(super) fn to_json(&self) -> Result<Vec<u8>, serde_json::Error> {
        let path = self.path.to_str().map(str::to_owned);
        let path_hex = if path.is_none() { Some(to_hex(self.path.as_os_str().as_bytes())) } else { None };
        let form = Form {
            version: VERSION,
            path,
            path_hex,
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
        let path = match (form.path, form.path_hex) {
            (Some(path), None) => PathBuf::from(path),
            (None, Some(hex)) => from_hex(&hex)
                .map(|bytes| PathBuf::from(OsString::from_vec(bytes)))
                .ok_or_else(|| Unread::Damaged("`path_hex` is not hexadecimal".to_owned()))?,
            (Some(_), Some(_)) | (None, None) => {
                return Err(Unread::Damaged("it must have either `path` or `path_hex`".to_owned()));
            }
        };
        Ok(Record { path, baseline: form.baseline, gone_since: form.gone_since })
    }
}

/// The name of the file for a workspace: a hash of its path (FNV-1a, 128 bits), which stays the same in
/// every version of the program and of its compiler.
pub(super) fn file_name(workspace: &Path) -> String {
    const BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    let hash = workspace
        .as_os_str()
        .as_bytes()
        .iter()
        .fold(BASIS, |hash, byte| (hash ^ u128::from(*byte)).wrapping_mul(PRIME));
    format!("{hash:032x}.json")
}

pub(super) fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut hex, byte| {
        // Writing to a string cannot fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

pub(super) fn from_hex(hex: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = hex
        .chars()
        .map(|digit| digit.to_digit(16).and_then(|value| u8::try_from(value).ok()))
        .collect::<Option<_>>()?;
    if !digits.len().is_multiple_of(2) {
        return None;
    }
    Some(digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::BaselineOrigin;

    fn record(path: PathBuf) -> Record {
        let baseline = Baseline {
            commit: Some("a".repeat(40)),
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

    #[test]
    fn the_name_of_a_record_never_changes() {
        // Published test vectors of FNV-1a with 128 bits: the empty text and "a".
        assert_eq!(file_name(Path::new("")), "6c62272e07bb014262b821756295c58d.json");
        assert_eq!(file_name(Path::new("a")), "d228cb696f1a8caf78912b704e4a8964.json");
    }
}
