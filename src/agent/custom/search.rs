//! Finds the files at a configured place, opening one folder after the other.

use std::fs::File;
use std::io;
use std::path::{Component, Path, PathBuf};

use rustix::fs::FileType;

use crate::agent::claude_folder_name;
use crate::disk::{self, Folder};
use crate::model::{Names, Parts, Timestamp, WatchTarget};

/// How many directory entries are examined per place.
const MAX_ENTRIES: usize = 20_000;
/// How many folders are entered and watched per place.
const MAX_FOLDERS: usize = 64;

/// A place resolved for one workspace: a base folder, and the names below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    base: PathBuf,
    names: Vec<Name>,
    /// Whether `base` is the workspace, which no symbolic link may lead out of.
    is_inside: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Name {
    Exact(String),
    /// May contain `*` and `?`.
    Pattern(String),
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Found {
    pub(super) moved_at: Timestamp,
    /// The path relative to the workspace, or the absolute path of a file outside it.
    pub(super) id: String,
}

#[derive(Debug, Default)]
pub(super) struct Search {
    /// The files, the newest first.
    pub(super) files: Vec<Found>,
    /// Where a change to them, or a new file, would show.
    pub(super) watch_targets: Vec<WatchTarget>,
    n_entries: usize,
}

impl Place {
    /// The place that `text` names for `workspace`. `None` if it is invalid, which the configuration
    /// refuses too.
    pub(super) fn of(text: &str, workspace: &Path) -> Option<Place> {
        let (base, rest) = match text.strip_prefix("{workspace}/") {
            Some(rest) => (workspace, rest),
            None if text.starts_with('/') => (Path::new("/"), &text[1..]),
            None => (workspace, text),
        };
        let mut names = Vec::new();
        for name in rest.split('/').filter(|name| !matches!(*name, "" | ".")) {
            push_names(&mut names, name, workspace)?;
        }
        (!names.is_empty()).then(|| Place { base: base.to_owned(), is_inside: base == workspace, names })
    }

    pub(super) fn search(&self) -> Search {
        let mut search = Search::default();
        if let Some((last, folders)) = self.names.split_last() {
            // Outside the workspace, the user vouches for the names before the first pattern: links in them
            // are followed.
            let n_exact = folders.iter().take_while(|name| matches!(name, Name::Exact(_))).count();
            let n_given = if self.is_inside { 0 } else { n_exact };
            let start = self.base.join(joined(&folders[..n_given]));
            match Folder::open(&start) {
                Ok(folder) => search.enter(&folder, &start, &folders[n_given..], last, self),
                Err(_) => search.watch(&self.base.join(joined(&folders[..n_exact])), last),
            }
        }
        search.files.sort_unstable_by(|one, other| other.cmp(one));
        search
    }

    pub(super) fn open(&self, id: &str) -> io::Result<File> {
        let path = Path::new(id);
        if self.is_inside { Folder::open(&self.base)?.file(path) } else { disk::open(path) }
    }

    /// The path; `None` for a place with a pattern in it.
    pub(super) fn exact_path(&self) -> Option<PathBuf> {
        let is_exact = self.names.iter().all(|name| matches!(name, Name::Exact(_)));
        is_exact.then(|| self.base.join(joined(&self.names)))
    }

    fn id_of(&self, path: &Path) -> Option<String> {
        let path = if self.is_inside { path.strip_prefix(&self.base).ok()? } else { path };
        path.to_str().map(str::to_owned)
    }
}

impl Search {
    fn enter(&mut self, folder: &Folder, path: &Path, folders: &[Name], last: &Name, place: &Place) {
        let Some((name, rest)) = folders.split_first() else {
            self.watch(path, last);
            for name in self.matching(folder, last) {
                self.take(folder, &path.join(&name), &name, place);
            }
            return;
        };
        if let Name::Pattern(_) = name {
            // A new folder that matches may contain a new file.
            self.watch(path, &Name::Pattern("*".to_owned()));
        }
        for name in self.matching(folder, name) {
            if self.watch_targets.len() >= MAX_FOLDERS {
                return;
            }
            let below = path.join(&name);
            if let Ok(inner) = folder.folder(Path::new(&name)) {
                self.enter(&inner, &below, rest, last, place);
            } else if rest.is_empty() && matches!(folders, [Name::Exact(_)]) {
                self.watch(&below, last);
            }
        }
    }

    /// The names in `folder` that match. Hidden ones match only if the pattern starts with a dot.
    fn matching(&mut self, folder: &Folder, name: &Name) -> Vec<String> {
        let pattern = match name {
            Name::Exact(name) => return vec![name.clone()],
            Name::Pattern(pattern) => pattern,
        };
        let mut matching = Vec::new();
        for entry in folder.entries().into_iter().flatten().flatten() {
            self.n_entries += 1;
            if self.n_entries > MAX_ENTRIES {
                break;
            }
            let Ok(name) = entry.file_name().to_str() else { continue };
            if !matches!(name, "." | "..") && disk::matches_name(pattern, name) {
                matching.push(name.to_owned());
            }
        }
        matching
    }

    fn take(&mut self, folder: &Folder, path: &Path, name: &str, place: &Place) {
        let Ok(stat) = folder.stat(name) else { return };
        // Special files are included, so that opening one reports what it is.
        if FileType::from_raw_mode(stat.st_mode) == FileType::Directory {
            return;
        }
        let millis = stat
            .st_mtime
            .saturating_mul(1000)
            .saturating_add(i64::try_from(stat.st_mtime_nsec).unwrap_or(0) / 1_000_000);
        if let Some(id) = place.id_of(path) {
            self.files.push(Found { moved_at: Timestamp(millis), id });
        }
    }

    fn watch(&mut self, folder: &Path, last: &Name) {
        let names = match last {
            Name::Exact(name) => Names::these([name]),
            Name::Pattern(pattern) => match pattern.rsplit_once('*') {
                Some((_, end)) if !end.is_empty() && !end.contains('?') => Names::Ending(end.to_owned()),
                Some(_) | None => Names::Any,
            },
        };
        let target = WatchTarget::new(folder, names, Parts::WORDS);
        if !self.watch_targets.contains(&target) {
            self.watch_targets.push(target);
        }
    }
}

/// Adds the names that one part of a place stands for. The workspace's own path is inserted literally.
fn push_names(names: &mut Vec<Name>, name: &str, workspace: &Path) -> Option<()> {
    if name == ".." {
        return None;
    }
    let is_pattern = name.contains(['*', '?']);
    if !name.contains('{') {
        names.push(if is_pattern { Name::Pattern(name.to_owned()) } else { Name::Exact(name.to_owned()) });
        return Some(());
    }
    // Combining a placeholder with a pattern would require escaping the workspace's name.
    if is_pattern {
        return None;
    }
    let folder = workspace.file_name()?.to_str()?;
    let filled = name
        .replace("{name}", folder)
        .replace("{slug}", &claude_folder_name(workspace))
        .replace("{workspace}", workspace.to_str()?);
    for part in Path::new(&filled).components() {
        match part {
            Component::Normal(part) => names.push(Name::Exact(part.to_str()?.to_owned())),
            Component::RootDir | Component::CurDir => {}
            Component::ParentDir | Component::Prefix(_) => return None,
        }
    }
    Some(())
}

fn joined(names: &[Name]) -> PathBuf {
    let text = |name: &Name| match name {
        Name::Exact(text) | Name::Pattern(text) => text.clone(),
    };
    names.iter().map(text).collect()
}
