//! Maps a project's short name to its folder: by the file `.project_root` in `tmp/<name>/`, which is what
//! the client itself goes by, else by `projects.json`.
//!
//! A name from `projects.json` is only compared with the names of existing folders; it never becomes part
//! of a path.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::agent::record::{note_unreadable, read_small};
use crate::model::{ReadProblem, Unreadable};

pub(super) const LIST: &str = "projects.json";
/// The file that names a project's folder.
const ROOT: &str = ".project_root";
/// The longest list read, in bytes.
const LONGEST_LIST: u64 = 8 << 20;
/// The longest root file read, in bytes: Linux's longest path and a line feed.
const LONGEST_ROOT: u64 = 4097;

#[derive(Deserialize)]
struct List {
    projects: BTreeMap<String, String>,
}

/// The folders in `projects.json` by short name.
#[derive(Debug, Default)]
pub(super) struct Projects {
    by_name: HashMap<String, PathBuf>,
}

impl Projects {
    /// Reads the list. Anything wrong with it is added to `problems`.
    pub(super) fn read(home: &Path, problems: &mut Vec<Unreadable>) -> Projects {
        let path = home.join(LIST);
        let bytes = match read_small(&path, LONGEST_LIST) {
            Ok(bytes) => bytes,
            Err(error) => {
                note_unreadable(problems, &path, "the list of projects", &error);
                return Projects::default();
            }
        };
        let invalid = |detail: String| Unreadable {
            name: path.display().to_string(),
            problem: ReadProblem::Invalid,
            detail,
        };
        let list: List = match serde_json::from_slice(&bytes) {
            Ok(list) => list,
            Err(error) => {
                problems.push(invalid(format!("the list of projects is not what it should be: {error}")));
                return Projects::default();
            }
        };
        let n_listed = list.projects.len();
        let usable =
            list.projects.into_iter().filter(|(folder, name)| is_name(name) && folder.starts_with('/'));
        let mut n_used = 0;
        let mut by_name = HashMap::new();
        for (folder, name) in usable {
            n_used += 1;
            by_name.entry(name).or_insert_with(|| PathBuf::from(folder));
        }
        if n_used < n_listed {
            let n = n_listed - n_used;
            problems
                .push(invalid(format!("{n} entries are passed over: no short name, or no absolute path")));
        }
        Projects { by_name }
    }

    /// The folder of the project `name`, whose data is in `place`.
    pub(super) fn folder_of(&self, name: &str, place: &Path) -> Option<PathBuf> {
        root_of(place).or_else(|| self.by_name.get(name).cloned())
    }
}

/// The client's own rule for short names.
fn is_name(name: &str) -> bool {
    let is_sign = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    !name.is_empty() && name.bytes().all(is_sign)
}

fn root_of(place: &Path) -> Option<PathBuf> {
    let text = String::from_utf8(read_small(&place.join(ROOT), LONGEST_ROOT).ok()?).ok()?;
    let root = text.trim_end_matches(['\n', '\r']);
    let is_path = root.starts_with('/') && !root.contains(['\n', '\0']);
    is_path.then(|| PathBuf::from(root))
}
