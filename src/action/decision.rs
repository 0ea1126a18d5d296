//! Writes a workspace's decision file, so that no model has to.
//!
//! It must not follow a link, replace anything but a regular file, leave a half-written file, or make the work
//! tree dirty: closeout's own folder gets a `.gitignore`.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Component, Path, PathBuf};

use rustix::fs::FileType;
use rustix::io::Errno;
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use crate::disk::Folder;
use crate::disk::write::{self, NewFile, Over};
use crate::model::ActionClass;

/// The folder that closeout creates in a workspace.
const OWN_FOLDER: &str = ".closeout";
/// The environment variable that holds the id of the check.
const CHECK_ID_VARIABLE: &str = "AGENTCORE_COMPLETION_CHECK_ID";
/// The environment variable that holds the path of the decision file.
const FILE_VARIABLE: &str = "CLOSEOUT_DECISION_FILE";

/// What a decision file says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DecisionText<'a> {
    /// Whether the work is complete.
    pub is_complete: bool,
    /// Why, in the person's words.
    pub reason: Option<&'a str>,
    /// The id of the check that this decision answers.
    pub check_id: Option<&'a str>,
}

/// Why a decision file was not written. Paths in it are untrusted text.
#[derive(Debug, thiserror::Error)]
pub enum DecisionError {
    /// The name is empty or leads outside the workspace.
    #[error("the decision file {name:?} is not a path inside the workspace")]
    Outside {
        /// The configured name.
        name: String,
    },
    /// Something other than a regular file, such as a link, folder or FIFO, is at that path or on the way to
    /// it.
    #[error("{} is {what} and is left as it is", path.display())]
    InTheWay {
        /// The path of the obstacle.
        path: PathBuf,
        /// What it is, in words for the message.
        what: &'static str,
    },
    /// The system refused an operation.
    #[error("cannot write {}: {source}", path.display())]
    Io {
        /// The path that was being written.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
}

impl DecisionError {
    /// The class of an action that fails with this error: *Refused* unless the system failed.
    pub fn class(&self) -> ActionClass {
        match self {
            DecisionError::Outside { .. } | DecisionError::InTheWay { .. } => ActionClass::Refused,
            DecisionError::Io { .. } => ActionClass::Failed,
        }
    }
}

/// Writes the decision file `name`: a path relative to the workspace, or an absolute one that a person named.
///
/// Creates missing folders on the way to it. The file appears atomically and whole, with mode 0600. Returns its
/// path and the SHA-256 of its content in hexadecimal.
///
/// # Errors
/// Something else is in the way, or the system refuses. No earlier decision file is changed then.
pub fn write(
    workspace: &Path,
    name: &str,
    text: &DecisionText<'_>,
) -> Result<(PathBuf, String), DecisionError> {
    let outside = || DecisionError::Outside { name: name.to_owned() };
    let asked = Path::new(name);
    let (top, relative) = match (asked.strip_prefix(workspace), asked.is_absolute()) {
        (Ok(inside), _) => (workspace, inside),
        (Err(_), false) => (workspace, asked),
        // A person named this path: its folder may be reached through links, but the file itself must not be
        // one.
        (Err(_), true) => {
            let file_name = asked.file_name().ok_or_else(outside)?;
            (asked.parent().ok_or_else(outside)?, Path::new(file_name))
        }
    };
    let mut parts = Vec::new();
    for component in relative.components() {
        match component {
            Component::Normal(part) => parts.push(part),
            Component::CurDir => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return Err(outside()),
        }
    }
    let file_name = parts.pop().ok_or_else(outside)?;
    let mut path = top.to_owned();
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |errno: Errno| refusal(path, errno)
    };
    let mut folder = Folder::open(top).map_err(failed(top))?;
    for (depth, part) in parts.into_iter().enumerate() {
        path.push(part);
        folder = write::folder_in(&folder, part).map_err(failed(&path))?;
        if depth == 0 && part == OWN_FOLDER && top == workspace {
            // Keeps closeout's own folder out of git's sight, unless a `.gitignore` there already decides what
            // is seen.
            let path = path.join(".gitignore");
            write::create_once(&folder, ".gitignore", b"*\n")
                .map_err(|source| DecisionError::Io { path, source })?;
        }
    }
    path.push(file_name);
    check_place(&folder, file_name, &path)?;
    let content = content(text);
    NewFile::create(&folder, 0o600, content.as_bytes())
        .and_then(|file| file.put_whole(file_name, Over::Any))
        .map_err(|source| DecisionError::Io { path: path.clone(), source })?;
    Ok((path, format!("{:x}", Sha256::digest(content.as_bytes()))))
}

/// The environment variables that tell a started program where to write its decision and which id it must
/// carry.
pub fn variables(workspace: &Path, name: Option<&str>, check_id: Option<&str>) -> Vec<(OsString, OsString)> {
    let id = check_id.map(|id| (CHECK_ID_VARIABLE.into(), id.into()));
    let file = name.map(|name| (FILE_VARIABLE.into(), workspace.join(name).into_os_string()));
    id.into_iter().chain(file).collect()
}

/// The same instructions in words, for the prompt of an agent that may write files.
pub fn label(workspace: &Path, name: &str, check_id: Option<&str>) -> String {
    let path = workspace.join(name);
    let complete = content(&DecisionText { is_complete: true, reason: None, check_id });
    format!(
        "When you end your work, write your decision to the file {}: one JSON object like {} if everything \
         that was asked for is done, else with \"decision\": \"incomplete\" and the open points as a list of \
         texts \"reasons\". `closeout decide complete|incomplete --reason TEXT` writes it too.",
        path.display(),
        complete.trim()
    )
}

fn content(text: &DecisionText<'_>) -> String {
    let mut object = Map::new();
    let decision = if text.is_complete { "complete" } else { "incomplete" };
    object.insert("decision".to_owned(), Value::from(decision));
    if let Some(check_id) = text.check_id {
        object.insert("check_id".to_owned(), Value::from(check_id));
    }
    if let Some(reason) = text.reason {
        object.insert("reasons".to_owned(), Value::from(vec![reason]));
    }
    format!("{}\n", Value::Object(object))
}

/// Refuses anything but an absent path or a regular file as the place for the decision.
fn check_place(folder: &Folder, name: &OsStr, path: &Path) -> Result<(), DecisionError> {
    let what = match folder.kind(name) {
        Err(Errno::NOENT) | Ok(FileType::RegularFile) => return Ok(()),
        Err(errno) => return Err(refusal(path.to_owned(), errno)),
        Ok(FileType::Symlink) => "a link",
        Ok(FileType::Directory) => "a folder",
        Ok(FileType::Fifo) => "a FIFO",
        Ok(_) => "a socket or a device",
    };
    Err(DecisionError::InTheWay { path: path.to_owned(), what })
}

fn refusal(path: PathBuf, errno: Errno) -> DecisionError {
    match errno {
        Errno::LOOP => DecisionError::InTheWay { path, what: "a link" },
        // Opened with both O_NOFOLLOW and O_DIRECTORY, a link in place of a folder is reported as "not a
        // directory".
        Errno::NOTDIR => DecisionError::InTheWay { path, what: "no folder, or a link to one," },
        other => DecisionError::Io { path, source: other.into() },
    }
}
