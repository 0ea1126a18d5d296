//! Why the program cannot go on with its configuration.

use std::io;
use std::path::PathBuf;

use crate::model::display_text;

use super::Problems;

/// Why a configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file is there, or was asked for by name, and cannot be read.
    #[error("cannot read the configuration {}: {source}", display_text::path(path))]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A directory, FIFO, socket or (where links are refused) a link stands in its place.
    #[error("the configuration {} is {what}, not a regular file", display_text::path(path))]
    NotAFile {
        /// The file.
        path: PathBuf,
        /// What it is instead.
        what: &'static str,
    },
    /// It is larger than the cap.
    #[error("the configuration {} is larger than {limit} bytes", display_text::path(path))]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The cap in bytes.
        limit: u64,
    },
    /// It says something that is not allowed.
    #[error("{0}")]
    Invalid(Problems),
    /// The embedded defaults lack a key: a fault of the program.
    #[error("the built-in configuration has no `{key}`")]
    NoDefault {
        /// The full name of the key.
        key: String,
    },
}

impl ConfigError {
    /// The same as problems of the file `source`, which does not count.
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
