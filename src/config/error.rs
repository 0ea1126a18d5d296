//! Why the configuration cannot be used.

use std::io;
use std::path::PathBuf;

use crate::model::display_text;

use super::Problems;

/// Why a configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file exists, or was named explicitly, but cannot be read.
    #[error("cannot read the configuration {}: {source}", display_text::path(path))]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A directory, FIFO, socket or (where links are refused) a symbolic link is in its place.
    #[error("the configuration {} is {what}, not a regular file", display_text::path(path))]
    NotAFile {
        /// The file.
        path: PathBuf,
        /// What it is instead.
        what: &'static str,
    },
    /// It exceeds the size limit.
    #[error("the configuration {} is larger than {limit} bytes", display_text::path(path))]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The limit in bytes.
        limit: u64,
    },
    /// It contains an invalid value.
    #[error("{0}")]
    Invalid(Problems),
    /// The built-in defaults lack a key, which is a bug in closeout.
    #[error("the built-in configuration has no `{key}`")]
    NoDefault {
        /// The full name of the key.
        key: String,
    },
}

impl ConfigError {
    /// The error as problems of the file `source`, which is then ignored.
    pub(super) fn problems(&self, source: &str) -> Problems {
        let what = match self {
            ConfigError::Invalid(problems) => return problems.clone(),
            ConfigError::Unreadable { source, .. } => format!("cannot be read: {source}"),
            ConfigError::NotAFile { what, .. } => format!("is {what}, not a regular file; it does not count"),
            ConfigError::TooLarge { limit, .. } => format!("is larger than {limit} bytes; it does not count"),
            ConfigError::NoDefault { .. } => self.to_string(),
        };
        Problems::of_file(source, what)
    }
}
