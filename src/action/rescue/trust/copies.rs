//! Copies of programs as they were read, in a folder of closeout's own, so that what runs is what was checked.
//!
//! A script that is wholly understood runs with the files that it calls replaced by their copies. What is not covered
//! runs from its place, as it is then.

use std::ffi::{OsStr, OsString};
use std::fs::{self, Permissions};
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use crate::action::rescue::Rescuer;
use crate::action::rescue::base::RescueError;
use crate::action::rescue::trust::{Programs, shell};
use crate::process::Spec;

/// The copies of what a workspace's programs call.
pub(crate) struct Copies<'a> {
    programs: &'a Programs,
    folder: PathBuf,
}

impl<'a> Copies<'a> {
    /// Writes the copies into `folder`, which is made anew.
    pub(crate) fn write(programs: &'a Programs, folder: PathBuf) -> Result<Copies<'a>, RescueError> {
        match fs::remove_dir_all(&folder) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(RescueError::io("remove", &folder)(error));
            }
            _ => {}
        }
        let copies = Copies { programs, folder };
        for path in programs.called.values() {
            // One that could not be read has no copy, and does not run.
            if let Some(content) = programs.files.content(path) {
                write(&copies.place(path), &copies.rewritten(content))?;
            }
        }
        Ok(copies)
    }

    /// Where the copy of a file is.
    fn place(&self, path: &Path) -> PathBuf {
        let n = self.programs.called.values().filter(|it| &***it < path).count();
        self.folder.join(n.to_string()).join(path.file_name().unwrap_or_default())
    }

    /// A script with its calls replaced; unchanged if not all of it is understood.
    pub(crate) fn in_text(&self, text: &str) -> String {
        let Some(reading) = shell::read(text).filter(|reading| reading.unknown.is_empty()) else {
            return text.to_owned();
        };
        let (mut made, mut end) = (String::new(), 0);
        for call in reading.calls {
            let Some(path) = self.programs.called.get(OsStr::new(&call.path)) else { continue };
            let content = self.programs.files.content(path).unwrap_or_default();
            let words = if call.is_direct { interpreter(content) } else { Vec::new() };
            let words = words.into_iter().map(OsString::from).chain([self.place(path).into_os_string()]);
            let quoted: Vec<String> =
                words.map(|word| format!("'{}'", word.to_string_lossy().replace('\'', r"'\''"))).collect();
            made.push_str(&text[end..call.span.start]);
            made.push_str(&quoted.join(" "));
            end = call.span.end;
        }
        made + &text[end..]
    }

    fn rewritten(&self, content: &[u8]) -> Vec<u8> {
        match std::str::from_utf8(content) {
            Ok(text) => self.in_text(text).into_bytes(),
            Err(_) => content.to_owned(),
        }
    }

    /// The command for a hook. It finds the other files of its folder beside its copy.
    pub(crate) fn hook(&self, hook: &Path) -> Result<Vec<OsString>, RescueError> {
        let place = |path: &Path| {
            let below = path.strip_prefix(&self.programs.hooks_folder).ok()?;
            Some(self.folder.join("hooks").join(below))
        };
        let lost = || RescueError::Untrusted(format!("{} is not there any more", hook.display()));
        let (content, copy) = self.programs.files.content(hook).zip(place(hook)).ok_or_else(lost)?;
        for (path, content) in self.programs.files.iter() {
            if let Some(copy) = place(path) {
                write(&copy, content)?;
            }
        }
        write(&copy, &self.rewritten(content))?;
        Ok(interpreter(content).into_iter().map(OsString::from).chain([copy.into_os_string()]).collect())
    }

    /// The words of a command with each file of the workspace replaced by its copy.
    pub(crate) fn command(&self, program: &Path, arguments: &[OsString]) -> Vec<OsString> {
        let called = &self.programs.called;
        let started = called
            .get(program.as_os_str())
            .map_or_else(Vec::new, |path| interpreter(self.programs.files.content(path).unwrap_or_default()));
        let words = std::iter::once(program.as_os_str()).chain(arguments.iter().map(OsString::as_os_str));
        let copied = words.map(|word| match called.get(word) {
            Some(path) => self.place(path).into_os_string(),
            None => word.to_owned(),
        });
        started.into_iter().map(OsString::from).chain(copied).collect()
    }
}

impl Rescuer {
    /// How a trusted program is started, at the top of the work tree.
    pub(crate) fn spec_of(&self, mut command: Vec<OsString>, top: &Path) -> Spec {
        let program = if command.is_empty() { OsString::new() } else { command.remove(0) };
        let mut spec = Spec::new(PathBuf::from(program), top).args(command);
        for (name, value) in &self.program_env {
            spec = spec.env(name, value);
        }
        spec.time_limit = self.program_limit;
        spec.own_session.clone_from(&self.launcher);
        spec.cancel = Some(self.cancel.clone());
        spec
    }
}

/// The words by which a script is started: those of its first line, or the shell's. None for a binary.
fn interpreter(content: &[u8]) -> Vec<String> {
    let Ok(text) = std::str::from_utf8(content) else { return Vec::new() };
    let Some(line) = text.strip_prefix("#!").and_then(|rest| rest.lines().next()) else {
        return if text.contains('\0') { Vec::new() } else { vec!["/bin/sh".to_owned()] };
    };
    let (program, argument) = line.trim().split_once([' ', '\t']).unwrap_or((line.trim(), ""));
    [program, argument.trim()].into_iter().filter(|it| !it.is_empty()).map(str::to_owned).collect()
}

fn write(path: &Path, content: &[u8]) -> Result<(), RescueError> {
    let failed = |error| RescueError::io("write", path)(error);
    fs::create_dir_all(path.parent().unwrap_or(path)).map_err(failed)?;
    fs::write(path, content).map_err(failed)?;
    fs::set_permissions(path, Permissions::from_mode(0o700)).map_err(failed)
}
