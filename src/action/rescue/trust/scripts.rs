//! Finds the files that a command or script calls: they belong to the program that is trusted.
//!
//! It must not run anything. What it cannot be sure to have found is reported as unknown.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use crate::action::rescue::Rescuer;
use crate::action::rescue::trust::shell::{self, Call, Reading};
use crate::git::Repository;
use crate::model::display_text;
use crate::process;

/// The largest script that is read, in bytes.
const SCRIPT_CAP: usize = 64 << 10;

/// The scripts that are called, directly or by other scripts.
pub(crate) struct Scripts<'r> {
    repo: &'r Repository,
    /// Found but not yet read.
    pub(crate) next: BTreeSet<PathBuf>,
    /// Already read.
    found: BTreeSet<PathBuf>,
    /// Of these, the ones that run nothing unknown themselves.
    understood: BTreeSet<PathBuf>,
    /// The files that scripts call, by the words that call them.
    called: BTreeMap<OsString, PathBuf>,
    /// What is run but cannot be traced, as the scripts write it.
    pub(crate) unknown: BTreeSet<String>,
}

impl<'r> Scripts<'r> {
    pub(crate) fn new(repo: &'r Repository) -> Scripts<'r> {
        Scripts {
            repo,
            next: BTreeSet::new(),
            found: BTreeSet::new(),
            understood: BTreeSet::new(),
            called: BTreeMap::new(),
            unknown: BTreeSet::new(),
        }
    }

    /// Adds what a script calls.
    pub(crate) fn add(&mut self, path: &Path, content: &[u8]) {
        let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        // Words are repeated to the user. A file outside that does not begin like a script may be a private one.
        let is_told = self.is_below(&real) || content.starts_with(b"#!");
        if !self.found.insert(real.clone()) {
            return;
        }
        let text = std::str::from_utf8(content).ok().filter(|it| is_told && it.len() <= SCRIPT_CAP);
        match text.and_then(shell::read) {
            Some(reading) => {
                if reading.unknown.is_empty() {
                    self.understood.insert(real);
                }
                self.take(reading);
            }
            None => self.add_unread(path),
        }
    }

    /// Adds a file of which is not known what it runs.
    pub(crate) fn add_unread(&mut self, path: &Path) {
        let name = path.strip_prefix(&self.repo.top).unwrap_or(path);
        self.unknown.insert(format!("what {} starts", display_text::path(name)));
    }

    /// Adds what the command in a setting calls.
    pub(crate) fn add_command(&mut self, text: &str) {
        // Git quotes the path that it puts in the place of `%f`. Within quotes it would not be quoted any more.
        let is_odd = text.contains('%')
            && (text.contains(['\'', '"', '\\'])
                || text.split_whitespace().any(|word| word.contains('%') && word != "%f"));
        match shell::read(text).filter(|_| !is_odd) {
            Some(reading) => self.take(reading),
            None => drop(self.unknown.insert(text.to_owned())),
        }
    }

    fn take(&mut self, reading: Reading) {
        self.unknown.extend(reading.unknown);
        for call in reading.calls {
            let Some(path) = self.target(&call) else {
                self.unknown.insert(call.path);
                continue;
            };
            if !self.found.contains(&path) {
                self.next.insert(path.clone());
            }
            self.called.insert(call.path.into(), path);
        }
    }

    /// The file that a call means: programs start at the top, and what is understood never leaves it.
    fn target(&self, call: &Call) -> Option<PathBuf> {
        let path = self.repo.top.join(&call.path).canonicalize().ok()?;
        let metadata = path.metadata().ok().filter(std::fs::Metadata::is_file)?;
        (!call.is_direct || metadata.mode() & 0o111 != 0).then_some(path)
    }

    /// Adds the files of the workspace that the person's own command consists of.
    pub(crate) fn add_own(&mut self, own: &OwnProgram) -> BTreeMap<OsString, PathBuf> {
        self.add_command(&own.words.join(" "));
        let words = std::iter::once(own.program.clone().into_os_string()).chain(own.args.iter().cloned());
        words.filter_map(|word| Some((word.clone(), inside(self.repo, &self.repo.top.join(word))?))).collect()
    }

    /// The files that are called from scripts, as far as these are understood, by the words that call them.
    pub(crate) fn understood_calls(&self) -> BTreeMap<OsString, PathBuf> {
        let mut called = self.called.clone();
        called.retain(|_, path| self.understood.contains(path));
        called
    }

    pub(crate) fn is_below(&self, path: &Path) -> bool {
        [&self.repo.top, &self.repo.git_dir, &self.repo.common_dir].iter().any(|it| path.starts_with(it))
    }
}

/// The files of the workspace or its git directory that a command names.
pub(crate) fn named_files(texts: &[String], repo: &Repository) -> BTreeSet<PathBuf> {
    texts.iter().flat_map(|text| parts(text)).filter_map(|word| inside(repo, &repo.top.join(word))).collect()
}

fn parts(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| c.is_whitespace() || "\"'`;|&()<>{}=$,".contains(c));
    words.filter(|word| !word.is_empty() && word.len() <= 4096)
}

/// The resolved path, if it is a file of the workspace or its git directory.
fn inside(repo: &Repository, path: &Path) -> Option<PathBuf> {
    let path = path.canonicalize().ok()?;
    let is_inside = [&repo.top, &repo.git_dir, &repo.common_dir].iter().any(|it| path.starts_with(it));
    (is_inside && path.metadata().is_ok_and(|metadata| metadata.is_file())).then_some(path)
}

/// The name of the program at the top of a workspace.
const OWN_SCRIPT: &str = "commit-rescue.py";

/// A program that can be started.
pub(crate) struct OwnProgram {
    /// Its absolute path.
    pub(crate) program: PathBuf,
    pub(crate) args: Vec<OsString>,
    /// The command as a person wrote it or would recognise it.
    pub(crate) words: Vec<String>,
}

impl OwnProgram {
    /// Whether a word of it names a file of the workspace, or could once the file is there.
    pub(crate) fn could_be_inside(&self, repo: &Repository) -> bool {
        let is_inside = |part: &str| {
            let path = Path::new(part);
            let is_file_name = part.contains('/') || path.extension().is_some_and(|end| !end.is_empty());
            if path.is_absolute() { path.starts_with(&repo.top) } else { is_file_name }
        };
        let could_be = self.words.iter().any(|word| parts(word).any(is_inside));
        could_be || !named_files(&self.words, repo).is_empty()
    }
}

/// The person's own program that can replace the commit here, if there is one that can be started: a configured command,
/// or `commit-rescue.py` at the top of the workspace.
pub(crate) fn own_command(rescuer: &Rescuer, top: &Path) -> Option<OwnProgram> {
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
    let script = top.join(OWN_SCRIPT);
    let metadata = script.symlink_metadata().ok().filter(std::fs::Metadata::is_file)?;
    if metadata.permissions().mode() & 0o100 != 0 {
        return Some(OwnProgram { program: script, args: Vec::new(), words: vec![OWN_SCRIPT.to_owned()] });
    }
    let python = process::find_program("python3", path_var)?;
    let words = vec!["python3".to_owned(), OWN_SCRIPT.to_owned()];
    Some(OwnProgram { program: python, args: vec![script.into_os_string()], words })
}
