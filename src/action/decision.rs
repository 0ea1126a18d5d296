//! Writes the decision file of a workspace, so that no model has to.
//!
//! It must not follow a link, replace anything that is no regular file, leave a half-written file, or make the
//! work tree dirty: closeout's own folder gets a `.gitignore`.

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

/// The folder that closeout makes in a workspace.
const OWN_FOLDER: &str = ".closeout";
/// The variable with the id of the check.
pub const CHECK_ID_VARIABLE: &str = "AGENTCORE_COMPLETION_CHECK_ID";
/// The variable with the path of the decision file.
pub const FILE_VARIABLE: &str = "CLOSEOUT_DECISION_FILE";

/// What a decision file says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DecisionText<'a> {
    /// Whether the work is complete.
    pub is_complete: bool,
    /// Why, in the person's words.
    pub reason: Option<&'a str>,
    /// The id of the check that it is for.
    pub check_id: Option<&'a str>,
}

/// Why a decision file was not written. Paths are untrusted text.
#[derive(Debug, thiserror::Error)]
pub enum DecisionError {
    /// The name leads out of the workspace, or is none.
    #[error("the decision file {name:?} is not a path inside the workspace")]
    Outside {
        /// The name.
        name: String,
    },
    /// A link, a folder, a FIFO or another thing stands in the way.
    #[error("{} is {what} and is left as it is", path.display())]
    InTheWay {
        /// Where.
        path: PathBuf,
        /// What it is, in words.
        what: &'static str,
    },
    /// The system refused.
    #[error("cannot write {}: {source}", path.display())]
    Io {
        /// What was to be written.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
}

impl DecisionError {
    /// How an action ends that failed so.
    pub fn class(&self) -> ActionClass {
        match self {
            DecisionError::Outside { .. } | DecisionError::InTheWay { .. } => ActionClass::Refused,
            DecisionError::Io { .. } => ActionClass::Failed,
        }
    }
}

/// Writes the decision file `name`: a path from the workspace, or an absolute one that a person named. The
/// folders on its way are made. In place at once, whole, for this user only; answers with its path and the SHA-256 of its content, in
/// hexadecimal.
///
/// # Errors
/// Something else stands in the way, or the system refuses; then all is as before.
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
        // A person named it: its folder may be reached through links, the file itself may be none.
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
            // Git does not look at closeout's own folder, unless something says already what of it is seen.
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

/// The variables by which a started program learns where its decision goes and which id it must carry.
pub fn variables(workspace: &Path, name: Option<&str>, check_id: Option<&str>) -> Vec<(OsString, OsString)> {
    let id = check_id.map(|id| (CHECK_ID_VARIABLE.into(), id.into()));
    let file = name.map(|name| (FILE_VARIABLE.into(), workspace.join(name).into_os_string()));
    id.into_iter().chain(file).collect()
}

/// The same in words, for the prompt of an agent that may write.
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

/// Only nothing or a regular file may stand where the decision goes.
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
        // With both flags set a link in place of a folder is told as "not a directory".
        Errno::NOTDIR => DecisionError::InTheWay { path, what: "no folder, or a link to one," },
        other => DecisionError::Io { path, source: other.into() },
    }
}
