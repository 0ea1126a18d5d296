//! What a repository's configuration says about its format. Git reads these keys without following
//! includes.
//!
//! It must not read anything else from the file, so that no value here can be another program's secret.

use std::path::PathBuf;

use super::object_id::ObjectFormat;
use super::trouble::{Read, trouble};
use crate::model::{ReadProblem, display_text};

/// The newest format of a repository that git knows (`core.repositoryFormatVersion`).
const NEWEST: i64 = 1;

/// Extensions that every git knows with which closeout works, whatever their values.
const COMMON: [&str; 5] = ["noop", "noop-v1", "partialclone", "preciousobjects", "worktreeconfig"];

/// The format of a repository.
#[derive(Debug, Default)]
pub(super) struct Format {
    /// Whether the git directory has no work tree beside it.
    pub(super) is_bare: bool,
    /// Whether references are stored as reftable.
    pub(super) is_reftable: bool,
    /// Whether it has an extension that not every git knows.
    pub(super) is_extended: bool,
    /// The format of object ids.
    pub(super) objects: ObjectFormat,
    /// Files named in the configuration that every reader opens, as written there.
    pub(super) named_files: Vec<PathBuf>,
    /// The exclude file (`core.excludesFile`) it names, as written there.
    pub(super) excludes_file: Option<PathBuf>,
}

impl Format {
    /// Parses the text of a configuration file.
    ///
    /// # Errors
    /// The repository's format, or that of its objects, is not supported.
    pub(super) fn parse(text: &[u8]) -> Read<Format> {
        let mut format = Format::default();
        let mut section = String::new();
        for line in String::from_utf8_lossy(text).lines() {
            let mut line = line.trim();
            if let Some(rest) = line.strip_prefix('[') {
                let Some((name, rest)) = rest.split_once(']') else { continue };
                section = name.trim().to_ascii_lowercase();
                line = rest.trim();
            }
            if line.is_empty() || line.starts_with(['#', ';']) {
                continue;
            }
            let (key, value) = line.split_once('=').unwrap_or((line, "true"));
            let key = key.trim().to_ascii_lowercase();
            let value = value.split(['#', ';']).next().unwrap_or_default().trim().trim_matches('"');
            match (section.as_str(), key.as_str()) {
                ("core", "bare") => format.is_bare = is_true(value),
                ("core", "repositoryformatversion") if value.parse::<i64>().is_ok_and(|it| it > NEWEST) => {
                    let detail = format!("a repository of the format {value} is not supported");
                    return Err(trouble(ReadProblem::Unsupported, detail));
                }
                ("core", key @ ("excludesfile" | "attributesfile")) => {
                    format.named_files.push(PathBuf::from(value));
                    if key == "excludesfile" {
                        format.excludes_file = Some(PathBuf::from(value));
                    }
                }
                ("extensions", "refstorage") => {
                    let value = value.to_ascii_lowercase();
                    format.is_reftable = value.starts_with("reftable");
                    format.is_extended |= !["files", "reftable"].contains(&value.as_str());
                }
                ("extensions", "objectformat") => {
                    format.objects = ObjectFormat::named(&value.to_ascii_lowercase()).ok_or_else(|| {
                        let shown = display_text::line(value);
                        let detail = format!("object ids of the format {shown} are not supported");
                        trouble(ReadProblem::Unsupported, detail)
                    })?;
                }
                ("extensions", key) => format.is_extended |= !COMMON.contains(&key),
                (section, "path") if section.starts_with("include") => {
                    format.named_files.push(PathBuf::from(value));
                }
                _ => {}
            }
        }
        Ok(format)
    }
}

/// Whether a boolean setting is true, by git's rules.
pub fn is_true(value: &str) -> bool {
    matches!(value.to_ascii_lowercase().as_str(), "true" | "yes" | "on")
        || value.parse::<i64>().is_ok_and(|number| number != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_extension_that_not_every_git_knows_extends_the_format() {
        let cases = [
            ("[core]\n\tbare = false\n", false),
            ("[extensions]\n\t# none\n\n", false),
            ("[extensions]\n\tworktreeConfig = true\n\tpartialClone = origin\n", false),
            ("[extensions]\n\trefStorage = reftable\n\tobjectFormat = sha256\n", false),
            ("[extensions] noop-v1\n", false),
            ("[extensions]\n\trelativeWorktrees = true\n", true),
            ("[extensions] later\n", true),
            ("[extensions]\n\trefStorage = later\n", true),
        ];
        for (text, is_extended) in cases {
            assert_eq!(Format::parse(text.as_bytes()).unwrap().is_extended, is_extended, "{text}");
        }
    }
}
