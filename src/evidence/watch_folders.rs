//! Where changes to the declared files would show: their folders, once for each combination of parts.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

use super::required_files::is_pattern;
use crate::model::{Names, Parts, WatchTarget, WorkspaceSettings};

/// How many folders are watched; the defaults name two. The slow pass covers the rest.
const MAX_FOLDERS: usize = 16;

/// The folders of all files named in the settings of `workspace`, and of those `named` in prompts, whether or not they exist.
pub(super) fn declared_folders<'a>(
    workspace: &Path,
    settings: &'a WorkspaceSettings,
    named: impl Iterator<Item = &'a String>,
) -> Vec<WatchTarget> {
    let mut folders = Folders::default();
    for name in settings.decision_file.iter().chain(&settings.outputs) {
        folders.add(workspace, name, Parts::WORDS);
    }
    let plans = settings.closer_report.iter().chain(settings.plan_files());
    for name in plans
        .chain(named)
        .chain(settings.demanded_files())
        .chain(&settings.test_results)
        .chain(settings.checks.result_files())
    {
        folders.add(workspace, name, Parts::CHECKS);
    }
    folders.into_targets()
}

/// Watches for new entries at the top of a work tree. One does not mean for certain that any part changed,
/// only that the tree is worth a look. The folders below are not watched, since there may be thousands, and
/// writes to existing files are ignored, since a build makes them all the time. The default plan is in this
/// folder, so it is watched anyway.
pub(super) fn arrivals_at_top(workspace: &Path) -> WatchTarget {
    WatchTarget::new(workspace, Names::Any, Parts::empty()).arrivals()
}

/// Names by folder and parts; `None` stands for every name.
#[derive(Default)]
struct Folders(BTreeMap<(PathBuf, u8), Option<BTreeSet<OsString>>>);

impl Folders {
    fn add(&mut self, workspace: &Path, name: &str, parts: Parts) {
        let path = Path::new(name);
        if path.components().any(|component| component == Component::ParentDir) {
            return;
        }
        let fixed: PathBuf = path
            .components()
            .take_while(|component| component.as_os_str().to_str().is_some_and(|part| !is_pattern(part)))
            .filter(|component| *component != Component::CurDir)
            .collect();
        let is_whole = !is_pattern(name);
        let (folder, entry) = match (is_whole, fixed.parent(), fixed.file_name()) {
            (true, Some(folder), Some(entry)) => (workspace.join(folder), Some(entry.to_owned())),
            (true, _, _) => return,
            (false, _, _) => (workspace.join(&fixed), None),
        };
        // `join("")` appends a separator.
        let folder: PathBuf = folder.components().collect();
        let names = self.0.entry((folder, parts.bits())).or_insert_with(|| Some(BTreeSet::new()));
        match entry {
            Some(entry) => {
                if let Some(names) = names {
                    names.insert(entry);
                }
            }
            None => *names = None,
        }
    }

    fn into_targets(self) -> Vec<WatchTarget> {
        let targets = self.0.into_iter().take(MAX_FOLDERS).map(|((folder, parts), names)| {
            let names = names.map_or(Names::Any, Names::these);
            WatchTarget::new(folder, names, Parts::from_bits_truncate(parts))
        });
        targets.collect()
    }
}
