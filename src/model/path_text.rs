//! The JSON form of paths, whose bytes need not be text. Must not read a path back.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::display_text;
use super::hex::hex;

/// A path: bytes need not be text.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PathText {
    /// The path; bytes that are no UTF-8 as `\xNN`.
    pub path: String,
    /// The bytes of a path that is no UTF-8, in hexadecimal. Else the path is exact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_hex: Option<String>,
}

impl PathText {
    /// The path with these bytes.
    pub fn of(bytes: &[u8]) -> PathText {
        match std::str::from_utf8(bytes) {
            Ok(path) => PathText { path: path.to_owned(), path_hex: None },
            Err(_) => PathText { path: display_text::bytes(bytes), path_hex: Some(hex(bytes)) },
        }
    }

    fn of_path(path: &Path) -> PathText {
        PathText::of(path.as_os_str().as_encoded_bytes())
    }
}

/// Serialises the path with these bytes.
pub(super) fn bytes<S: Serializer>(path: &[u8], to: S) -> Result<S::Ok, S::Error> {
    PathText::of(path).serialize(to)
}

/// Serialises the paths with these bytes.
pub(super) fn all_bytes<S: Serializer>(paths: &[Vec<u8>], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(paths.iter().map(|path| PathText::of(path)))
}

/// Serialises a path on this machine.
#[expect(clippy::ref_option, reason = "serde hands over the field itself")]
pub(super) fn optional<S: Serializer>(path: &Option<PathBuf>, to: S) -> Result<S::Ok, S::Error> {
    path.as_deref().map(PathText::of_path).serialize(to)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_exact_or_has_its_bytes() {
        assert_eq!(PathText::of("a\nü".as_bytes()), PathText { path: "a\nü".to_owned(), path_hex: None });
        let odd = PathText { path: "a\\xFF␛".to_owned(), path_hex: Some("61ff1b".to_owned()) };
        assert_eq!(PathText::of(b"a\xff\x1b"), odd);
    }
}
