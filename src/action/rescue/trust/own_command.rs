//! Finds the person's own program that can replace the commit: a configured command, or `commit-rescue.py` at
//! the top of the workspace. It must not start it.

use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use crate::action::rescue::Rescuer;
use crate::process;

/// The name of the program at the top of a workspace.
const NAME: &str = "commit-rescue.py";

/// A program that can be started.
pub(crate) struct OwnProgram {
    /// Its absolute path.
    pub(crate) program: PathBuf,
    pub(crate) args: Vec<OsString>,
    /// The command as a person wrote it or would recognise it.
    pub(crate) words: Vec<String>,
}

/// The program for this workspace, if there is one that can be started.
pub(crate) fn find(rescuer: &Rescuer, top: &Path) -> Option<OwnProgram> {
    let path_var =
        rescuer.program_env.iter().find(|(name, _)| name == "PATH").map(|(_, value)| value.as_os_str());
    if let Some(command) = &rescuer.own_program {
        let (first, args) = command.split_first()?;
        let path = Path::new(first);
        let program = if path.is_absolute() {
            path.to_owned()
        } else if path.components().count() > 1 {
            top.join(path)
        } else {
            process::find_program(first.to_str()?, path_var)?
        };
        let words = command.iter().map(|word| word.to_string_lossy().into_owned()).collect();
        return Some(OwnProgram { program, args: args.to_vec(), words });
    }
    let script = top.join(NAME);
    let metadata = script.symlink_metadata().ok().filter(std::fs::Metadata::is_file)?;
    if metadata.permissions().mode() & 0o100 != 0 {
        return Some(OwnProgram { program: script, args: Vec::new(), words: vec![NAME.to_owned()] });
    }
    let python = process::find_program("python3", path_var)?;
    let words = vec!["python3".to_owned(), NAME.to_owned()];
    Some(OwnProgram { program: python, args: vec![script.into_os_string()], words })
}
