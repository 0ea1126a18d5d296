//! How a path is written to closeout's own files: as text, or in hexadecimal if it is not UTF-8, since JSON
//! cannot hold it exactly otherwise.
//!
//! Pure: value to text and back.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::model::hex::{hex, unhex};

/// A path in exactly one of the two forms. Flattened into the object it belongs to.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct WrittenPath {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    path_hex: Option<String>,
}

impl WrittenPath {
    pub(super) fn of(path: &Path) -> WrittenPath {
        let text = path.to_str().map(str::to_owned);
        let path_hex = text.is_none().then(|| hex(path.as_os_str().as_bytes()));
        WrittenPath { path: text, path_hex }
    }

    /// The path.
    ///
    /// # Errors
    /// What is wrong with the written form, in words.
    pub(super) fn read(self) -> Result<PathBuf, &'static str> {
        match (self.path, self.path_hex) {
            (Some(path), None) => Ok(PathBuf::from(path)),
            (None, Some(hex)) => unhex(hex.as_bytes())
                .map(|bytes| PathBuf::from(OsString::from_vec(bytes)))
                .ok_or("`path_hex` is not hexadecimal"),
            (Some(_), Some(_)) | (None, None) => Err("it must have either `path` or `path_hex`"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_path_comes_back_as_it_was() {
        for bytes in [&b"/w/a b"[..], "/w/日本".as_bytes(), b"/w/\xff\n", b""] {
            let path = PathBuf::from(OsString::from_vec(bytes.to_vec()));
            let json = serde_json::to_string(&WrittenPath::of(&path)).unwrap();
            assert_eq!(serde_json::from_str::<WrittenPath>(&json).unwrap().read(), Ok(path), "{json}");
        }
    }

    #[test]
    fn what_is_no_path_is_told() {
        for json in ["{}", r#"{"path":"/w","path_hex":"2f"}"#, r#"{"path_hex":"2"}"#, r#"{"path_hex":"2x"}"#]
        {
            assert!(serde_json::from_str::<WrittenPath>(json).unwrap().read().is_err(), "{json}");
        }
    }
}
