//! The temporary files of one command line. They are private to this user, in a folder of their own, and must
//! not outlive the command.

use std::ffi::OsString;
use std::io::{self, Read as _, Write as _};
use std::path::Path;

use tempfile::TempDir;

use crate::agent::{AgentCommand, Argument, COPY_PREFIX};
use crate::disk;
use crate::disk::write::create_new;

/// The largest record that is copied, in bytes.
const LARGEST_RECORD: u64 = 256 << 20;

/// The arguments and variables of a command line, and the files that some of them name.
pub(super) struct Files {
    pub(super) arguments: Vec<OsString>,
    pub(super) environment: Vec<(OsString, OsString)>,
    /// Deleted with its contents on drop.
    _folder: Option<TempDir>,
}

impl Files {
    /// Creates the files of a command. `copy` fills an empty file with a copy of the session's record; `ending`
    /// is the extension of that copy.
    pub(super) fn make(
        command: &AgentCommand,
        ending: &str,
        copy: &dyn Fn(&Path) -> io::Result<()>,
    ) -> io::Result<Files> {
        let values = command.environment.iter().map(|(_, value)| value);
        let all: Vec<&Argument> = command.arguments.iter().chain(values).collect();
        let needs_folder = all.iter().any(|argument| !matches!(argument, Argument::Text(_)));
        let folder =
            needs_folder.then(|| tempfile::Builder::new().prefix("closeout-ask-").tempdir()).transpose()?;
        let mut made = Vec::new();
        for (index, argument) in all.into_iter().enumerate() {
            let at = |name: String| {
                folder.as_ref().map(|folder| folder.path().join(name)).ok_or(io::ErrorKind::NotFound)
            };
            let value = match argument {
                Argument::Text(text) => OsString::from(text),
                Argument::File(content) => {
                    let path = at(format!("{index}.json"))?;
                    create_new(&path)?.write_all(content.as_bytes())?;
                    path.into_os_string()
                }
                Argument::RecordCopy => {
                    let path = at(format!("{COPY_PREFIX}{index}.{ending}"))?;
                    create_new(&path)?;
                    copy(&path)?;
                    path.into_os_string()
                }
            };
            made.push(value);
        }
        let values = made.split_off(command.arguments.len());
        let names = command.environment.iter().map(|(name, _)| OsString::from(name));
        Ok(Files { arguments: made, environment: names.zip(values).collect(), _folder: folder })
    }
}

/// Copies a record into an existing empty file. Fails above [`LARGEST_RECORD`].
pub(super) fn copy_file(record: &Path, to: &Path) -> io::Result<()> {
    let from = disk::open(record)?;
    if from.metadata()?.len() > LARGEST_RECORD {
        return Err(io::Error::other("its record is larger than 256 MiB"));
    }
    let mut to = std::fs::OpenOptions::new().write(true).open(to)?;
    io::copy(&mut from.take(LARGEST_RECORD), &mut to).map(drop)
}
