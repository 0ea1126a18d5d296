//! Where a change of the declared files would show: their folders, each once for each kind of part.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

use super::required_files::is_pattern;
use crate::model::{Names, Parts, WatchTarget, WorkspaceSettings};

/// More folders than these are left to the slow pass; the defaults name two.
const MOST_FOLDERS: usize = 16;

/// The folders of all files that the settings of `workspace` name, whether they exist or not.
pub(super) fn declared_folders(workspace: &Path, settings: &WorkspaceSettings) -> Vec<WatchTarget> {
    let mut folders = Folders::default();
    for name in settings.decision_file.iter().chain(&settings.outputs) {
        folders.add(workspace, name, Parts::WORDS);
    }
    let plans = settings.closer_report.iter().chain(settings.plan_files()).chain(settings.demanded_files());
    for name in plans.chain(&settings.test_results).chain(settings.checks.result_files()) {
        folders.add(workspace, name, Parts::CHECKS);
    }
    folders.into_targets()
}

/// What comes to be at the top of a work tree: it says of no part for certain that it changed, and that the tree
/// is worth a look. The folders below are not watched, they may be thousands; and a file that is written on is
/// no news here, for a build does that all the time. The default plan stands in this folder, so the watch is
/// there already.
pub(super) fn arrivals_at_top(workspace: &Path) -> WatchTarget {
    WatchTarget::new(workspace, Names::Any, Parts::empty()).arrivals()
}

/// Names by folder and part; `None` is every name.
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
        // `join("")` adds a separator at the end.
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
        let targets = self.0.into_iter().take(MOST_FOLDERS).map(|((folder, parts), names)| {
            let names = names.map_or(Names::Any, Names::These);
            WatchTarget::new(folder, names, Parts::from_bits_truncate(parts))
        });
        targets.collect()
    }
}
