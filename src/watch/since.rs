//! Finds which folders may have changed after they were read and before they were watched. Reads only file
//! times from the disk.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use crate::model::{Names, Parts, Timestamp, WatchTarget};

/// How far, in milliseconds, file times and the reader's clock may differ.
const MARGIN_MS: i64 = 1000;
/// A folder with this many entries or more counts as changed.
const MAX_ENTRIES: usize = 500;

/// The parts that may have changed since they were read at `read_at`, according to the change times of folders
/// and files. In doubt, a part counts as changed.
pub fn changed_since(targets: &[WatchTarget], read_at: Timestamp) -> Parts {
    let since = read_at.plus_millis(-MARGIN_MS);
    let changed = targets.iter().filter(|target| has_changed(target, since));
    changed.fold(Parts::empty(), |parts, target| parts | target.parts())
}

fn has_changed(target: &WatchTarget, since: Timestamp) -> bool {
    if !target.folder.is_dir() {
        // Creating and removing the folder in between changed the folder above it.
        let above = target.folder.ancestors().skip(1).find(|folder| folder.is_dir());
        return above.is_none_or(|above| is_young(above, since));
    }
    if is_young(&target.folder, since) {
        return true;
    }
    match &target.names {
        _ if target.is_arrivals_only => false,
        Names::These(names) => names.iter().any(|name| is_young(&target.folder.join(name), since)),
        Names::Any | Names::Ending(_) => {
            let Ok(entries) = fs::read_dir(&target.folder) else { return true };
            let mut n_left = MAX_ENTRIES;
            for entry in entries {
                let Ok(entry) = entry else { return true };
                n_left -= 1;
                if n_left == 0 || target.names.matches(&entry.file_name()) && is_young(&entry.path(), since) {
                    return true;
                }
            }
            false
        }
    }
}

/// Whether the entry changed since then. A symbolic link always counts: its time says nothing about its target.
fn is_young(path: &Path, since: Timestamp) -> bool {
    match path.symlink_metadata() {
        Ok(metadata) if metadata.is_symlink() => true,
        Ok(metadata) => {
            let changed_at =
                metadata.ctime().saturating_mul(1000).saturating_add(metadata.ctime_nsec() / 1_000_000);
            changed_at >= since.0
        }
        // A removal changed the folder, which is checked too.
        Err(error) => error.kind() != std::io::ErrorKind::NotFound,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The parts that count as changed if they were read `after_ms` after the last change.
    fn changed(targets: &[WatchTarget], after_ms: i64, folder: &Path) -> Parts {
        let newest = |path: &Path| path.metadata().map_or(0, |metadata| metadata.ctime() * 1000 + 1000);
        let entries = fs::read_dir(folder).unwrap().map(|entry| newest(&entry.unwrap().path()));
        let last = entries.max().unwrap_or_default().max(newest(folder));
        changed_since(targets, Timestamp(last + after_ms))
    }

    #[test]
    fn what_is_older_than_its_reading_has_not_changed() {
        let temp = tempfile::tempdir().unwrap();
        let folder = temp.path().join("folder");
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("a"), "").unwrap();
        let of = |names, parts| WatchTarget::new(&folder, names, parts);
        let targets = [
            of(Names::these(["a", "gone"]), Parts::WORDS),
            of(Names::Any, Parts::COMMITS),
            WatchTarget::new(folder.join("not/there"), Names::Any, Parts::CHECKS),
        ];
        assert_eq!(changed(&targets, 2 * MARGIN_MS, &folder), Parts::empty());
        assert_eq!(changed(&targets, -2 * MARGIN_MS, &folder), Parts::WORDS | Parts::COMMITS | Parts::CHECKS);
    }

    #[test]
    fn a_file_that_was_written_in_place_has_changed_and_one_that_nobody_asks_for_has_not() {
        let temp = tempfile::tempdir().unwrap();
        let folder = temp.path().join("folder");
        fs::create_dir(&folder).unwrap();
        for name in ["a", "b"] {
            fs::write(folder.join(name), "").unwrap();
        }
        let made = folder.metadata().unwrap();
        let made_at = made.ctime() * 1000 + made.ctime_nsec() / 1_000_000;
        while folder.join("b").metadata().unwrap().ctime() * 1000 < made_at + 2000 {
            std::thread::sleep(std::time::Duration::from_millis(50));
            fs::write(folder.join("b"), "more").unwrap();
        }
        let read_at = Timestamp(made_at + MARGIN_MS + 500);
        let of = |names| [WatchTarget::new(&folder, names, Parts::WORDS)];
        assert_eq!(changed_since(&of(Names::these(["a"])), read_at), Parts::empty());
        assert_eq!(changed_since(&of(Names::these(["b"])), read_at), Parts::WORDS);
        assert_eq!(changed_since(&of(Names::Any), read_at), Parts::WORDS);
        assert_eq!(changed_since(&of(Names::Ending("a".to_owned())), read_at), Parts::empty());
    }

    #[test]
    fn behind_a_link_everything_may_have_changed() {
        let temp = tempfile::tempdir().unwrap();
        let folder = temp.path().join("folder");
        fs::create_dir(&folder).unwrap();
        std::os::unix::fs::symlink("/etc", folder.join("link")).unwrap();
        let targets = [WatchTarget::new(&folder, Names::these(["link"]), Parts::WORDS)];
        assert_eq!(changed(&targets, 2 * MARGIN_MS, &folder), Parts::WORDS);
    }
}
