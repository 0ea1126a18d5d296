//! What a rescue must know of a repository's settings. They are read as text; none is obeyed that
//! names a program.

use std::collections::BTreeSet;

use super::error::RescueError;
use super::git::{Git, Input, line, succeeded};

/// Settings of the section `core` that say what is ignored and how contents are converted.
const HARMLESS: [&str; 5] = ["attributesfile", "autocrlf", "eol", "excludesfile", "checkroundtripencoding"];

/// The settings.
#[derive(Debug, Default)]
pub(super) struct Settings {
    /// Of the section `core`: what the shadow takes over.
    pub(super) harmless: Vec<(String, String)>,
    /// Names of filters for which a program is configured.
    pub(super) filters: BTreeSet<String>,
}

impl Settings {
    /// True when line ends are converted without an attribute.
    pub(super) fn is_converting(&self) -> bool {
        self.harmless
            .iter()
            .rev()
            .find(|(key, _)| key == "autocrlf")
            .is_some_and(|(_, value)| value != "false")
    }

    /// Reads them, and refuses formats that cannot be recorded.
    pub(super) fn read(git: &Git<'_>) -> Result<Settings, RescueError> {
        let output = git.real(["config", "--list", "-z", "--includes"], Input::Lock)?;
        let output = succeeded("config", output)?;
        let mut settings = Settings::default();
        let mut is_bare = false;
        for entry in String::from_utf8_lossy(&output.stdout).split('\0') {
            let (key, value) = entry.split_once('\n').unwrap_or((entry, "true"));
            if let Some(name) = key.strip_prefix("core.") {
                is_bare = if name == "bare" { value == "true" } else { is_bare };
                if HARMLESS.contains(&name) {
                    settings.harmless.push((name.to_owned(), value.to_owned()));
                }
            }
            let program = key.strip_prefix("filter.").and_then(|rest| rest.rsplit_once('.'));
            if let Some((name, "clean" | "process" | "required")) = program {
                settings.filters.insert(name.to_owned());
            }
        }
        if is_bare {
            return Err(RescueError::Refused("the repository is bare: it has no work tree".to_owned()));
        }
        let format = succeeded("rev-parse", git.real(["rev-parse", "--show-object-format"], Input::Lock)?)?;
        match line(&format).as_str() {
            "sha1" => Ok(settings),
            other => {
                Err(RescueError::Refused(format!("object ids of the format {other} are not supported yet")))
            }
        }
    }
}
