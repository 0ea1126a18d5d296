//! Finds the files of a workspace that a command or script calls, as far as words name them: they belong to the
//! program that is trusted.
//!
//! It must not run anything, and must not look outside the workspace and its git directory.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use crate::action::rescue::Rescuer;
use crate::action::rescue::base::{RescueError, names, whole_file};
use crate::action::rescue::trust::shell;
use crate::git::Repository;
use crate::model::display_text;
use crate::process;

/// The largest script whose words are searched for file names, in bytes.
const SCRIPT_CAP: usize = 64 << 10;
/// Words by which a script in a language other than shell starts programs, or code that it does not name.
const STARTS: [&str; 13] = [
    "subprocess", "os.system", "popen", "spawn", "exec", "child_process", "system(", "importlib",
    "__import__", "eval", "require(`", "import(", "qx",
];
/// File extensions of scripts.
const ENDS: [&str; 14] =
    ["bash", "cjs", "fish", "js", "lua", "mjs", "php", "pl", "ps1", "py", "rb", "sh", "ts", "zsh"];

/// Whether a file is something that a script runs rather than processes: by extension, or executable.
fn is_script(path: &Path) -> bool {
    let is_called_so = path.extension().is_some_and(|end| ENDS.iter().any(|it| end == *it));
    is_called_so || path.metadata().is_ok_and(|metadata| metadata.mode() & 0o100 != 0)
}

/// The scripts that are called, directly or by other scripts.
pub(crate) struct Scripts<'r> {
    repo: &'r Repository,
    /// Found but not yet read.
    pub(crate) next: BTreeSet<PathBuf>,
    /// Already read.
    found: BTreeSet<PathBuf>,
    /// What is run but cannot be traced, as the scripts write it.
    pub(crate) unknown: BTreeSet<String>,
}

impl<'r> Scripts<'r> {
    pub(crate) fn new(repo: &'r Repository) -> Scripts<'r> {
        Scripts { repo, next: BTreeSet::new(), found: BTreeSet::new(), unknown: BTreeSet::new() }
    }

    /// Adds the files that a script names, resolved from the top and from the script's own folder.
    pub(crate) fn add(&mut self, path: &Path, content: &[u8]) {
        let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let is_below = self.is_below(&real);
        if !self.found.insert(real) {
            return;
        }
        let text = String::from_utf8_lossy(content);
        // Words are repeated to the user. A file outside that does not begin like a script may be a private one.
        let is_untold = content.len() > SCRIPT_CAP || !(is_below || text.starts_with("#!"));
        let beside = path.parent().unwrap_or(&self.repo.top);
        let is_shell = is_shell(path, &text);
        if is_untold || text.contains('\0') || (!is_shell && STARTS.iter().any(|it| text.contains(it))) {
            let name = path.strip_prefix(&self.repo.top).unwrap_or(path);
            self.unknown.insert(format!("what {} starts", display_text::path(name)));
        }
        if is_untold {
            return;
        }
        if is_shell {
            self.add_commands(&text, beside);
        }
        for line in text.lines() {
            let mut is_read_in = false;
            for word in parts(line) {
                is_read_in |= matches!(word, "." | "source");
                let name = word.trim_start_matches('/');
                for folder in [&*self.repo.top, beside] {
                    let meant = std::iter::once(name.to_owned()).chain(as_modules(path, name));
                    let named = meant.filter_map(|name| inside(self.repo, &folder.join(name)));
                    let called = named.filter(|named| is_read_in || is_script(named));
                    self.next.extend(called.filter(|named| !self.found.contains(named)));
                }
            }
        }
    }
}

impl Scripts<'_> {
    /// Adds the workspace files that a shell text runs, and the commands in it that cannot be traced.
    pub(crate) fn add_commands(&mut self, text: &str, beside: &Path) {
        let mut folders = vec![self.repo.top.clone(), beside.to_owned()];
        for entered in shell::entered(text) {
            let below: Vec<PathBuf> =
                folders.iter().take(2).map(|folder| folder.join(from_top(&entered))).collect();
            folders.extend(below);
        }
        let mut called = BTreeSet::new();
        let unknown = shell::unknown_commands(text, &mut |word| {
            if Path::new(word).is_absolute() && !word.contains('$') && !self.is_below(Path::new(word)) {
                // It belongs to this machine, not to the workspace.
                return Path::new(word).exists();
            }
            let places = folders.iter().flat_map(|folder| [folder.join(word), folder.join(from_top(word))]);
            let found: Vec<PathBuf> = places.filter_map(|place| inside(self.repo, &place)).collect();
            let is_found = !found.is_empty();
            called.extend(found);
            is_found
        });
        self.unknown.extend(unknown);
        self.next.extend(called.into_iter().filter(|path| !self.found.contains(path)));
    }

    fn is_below(&self, path: &Path) -> bool {
        [&self.repo.top, &self.repo.git_dir, &self.repo.common_dir].iter().any(|it| path.starts_with(it))
    }
}

/// The part of a word after a leading variable, as in `$ROOT/`.
fn from_top(word: &str) -> &str {
    let is_from_elsewhere = word.starts_with('$');
    let rest = if is_from_elsewhere { word.split_once('/').map_or("", |(_, rest)| rest) } else { word };
    rest.trim_start_matches('/')
}

/// Whether this is a shell script: by its first line, otherwise by its extension.
fn is_shell(path: &Path, text: &str) -> bool {
    match text.strip_prefix("#!").and_then(|rest| rest.lines().next()) {
        Some(line) => {
            line.split(['/', ' ']).any(|word| matches!(word, "sh" | "bash" | "dash" | "ksh" | "zsh" | "ash"))
        }
        None => path.extension().is_none_or(|end| ["sh", "bash", "zsh", "env"].iter().any(|it| end == *it)),
    }
}

/// The file names that a word can stand for in languages whose imports omit the extension.
fn as_modules(script: &Path, word: &str) -> Vec<String> {
    let end = script.extension().and_then(|end| end.to_str()).filter(|end| ENDS.contains(end));
    let Some(end) = end else { return Vec::new() };
    let is_python = end == "py";
    let base = if is_python { word.replace('.', "/") } else { word.to_owned() };
    let index = if is_python { "__init__.py".to_owned() } else { format!("index.{end}") };
    vec![format!("{base}.{end}"), format!("{base}/{index}")]
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

/// The largest file whose content counts, in bytes; for larger ones the change time counts instead.
const FILE_CAP: u64 = 16 << 20;

/// The tracked files of a work tree, with one digest over all of them.
#[derive(Default)]
pub(crate) struct Tracked {
    /// Paths relative to the top.
    pub(crate) paths: Vec<Vec<u8>>,
    /// The digest of names, modes, sizes and contents.
    pub(crate) sum: String,
}

impl Tracked {
    /// The current state of the files at these paths.
    pub(crate) fn of(top: &Path, paths: impl Iterator<Item = Vec<u8>>) -> Result<Tracked, RescueError> {
        let mut tracked = Tracked { paths: paths.collect(), sum: String::new() };
        tracked.paths.dedup();
        let mut sum = Sha256::new();
        for name in &tracked.paths {
            let path = top.join(std::ffi::OsStr::from_bytes(name));
            let metadata = path.symlink_metadata().ok();
            let about = metadata.as_ref().map_or((0, 0), |it| (it.mode(), it.len()));
            sum.update(name);
            sum.update(format!("\0{about:?} ").as_bytes());
            if metadata.as_ref().is_some_and(|it| it.is_file() && it.len() <= FILE_CAP) {
                sum.update(whole_file::read(&path, FILE_CAP)?.unwrap_or_default());
            } else if let Some(it) = &metadata {
                // A link can only be replaced, which changes its time; a large file is too expensive to read.
                sum.update(format!("{} {}", it.ctime(), it.ctime_nsec()).as_bytes());
            }
        }
        tracked.sum = names::hex(&sum.finalize());
        Ok(tracked)
    }
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
