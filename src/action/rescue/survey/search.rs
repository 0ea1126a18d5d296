//! Finds the names of all files: those that the index and git's lists have, those in repositories inside, and those that git
//! passes over.
//!
//! It must not read a file.

use std::collections::BTreeSet;

use crate::action::rescue::base::RescueError;
use crate::action::rescue::survey::around::ignored_around;
use crate::action::rescue::survey::inside::{InnerRules, further_inside, is_within, too_deep, unknown};
use crate::action::rescue::survey::reading::is_too_deep;
use crate::action::rescue::survey::{Untracked, WorkTree, coverage, listing, nested};
use crate::git::{Git, IndexEntry, Shadow};
use crate::model::Gap;

/// Where names are looked for.
pub(crate) struct Search<'a> {
    pub(crate) git: &'a Git<'a>,
    pub(crate) shadow: &'a Shadow,
    pub(crate) tree: &'a WorkTree,
    pub(crate) rules: &'a mut InnerRules,
}

/// The names that were found, for [`Survey`](crate::action::rescue::survey::Survey).
pub(crate) struct Names {
    pub(crate) paths: BTreeSet<Vec<u8>>,
    pub(crate) nested: BTreeSet<Vec<u8>>,
    pub(crate) hidden: BTreeSet<Vec<u8>>,
    pub(crate) ignored: BTreeSet<Vec<u8>>,
    pub(crate) gaps: Vec<Gap>,
}

impl Names {
    /// What the index and git's list name, and what is in nested repositories.
    pub(crate) fn list(
        search: &mut Search<'_>,
        entries: &[IndexEntry],
        untracked: &Untracked,
    ) -> Result<Names, RescueError> {
        let tree = search.tree;
        let warnings = untracked.warnings.iter().cloned();
        let mut names = Names {
            paths: untracked.paths.iter().cloned().collect(),
            nested: BTreeSet::new(),
            hidden: BTreeSet::new(),
            ignored: BTreeSet::new(),
            gaps: warnings.map(|reason| Gap { path: Vec::new(), reason }).collect(),
        };
        for entry in entries {
            if entry.is_gitlink() && tree.is_folder(&entry.path) {
                names.nested.insert(entry.path.clone());
            } else {
                // Includes a path where a submodule was: git does not list what is there now.
                names.paths.insert(entry.path.clone());
            }
        }
        names.nested.extend(untracked.nested.iter().cloned());
        let nested = std::mem::take(&mut names.nested);
        names.add_nested(search, nested)?;
        Ok(names)
    }

    /// Adds the repositories at these folders, with what is in them.
    fn add_nested(
        &mut self,
        search: &mut Search<'_>,
        mut folders: BTreeSet<Vec<u8>>,
    ) -> Result<(), RescueError> {
        let Search { git, shadow, tree, rules } = search;
        let (mut inside, mut ignored) = rules.find(git, shadow, tree, &folders)?;
        self.paths.append(&mut inside.paths);
        self.gaps.append(&mut inside.gaps);
        self.gaps.extend(inside.further.into_iter().map(further_inside));
        self.ignored.append(&mut ignored);
        self.name_broken(git, tree, &folders);
        self.nested.append(&mut folders);
        Ok(())
    }

    /// Turns what lies too deep into gaps.
    pub(crate) fn leave_out_deep(&mut self) {
        let is_kept =
            |path: &Vec<u8>| !is_too_deep(path.rsplitn(2, |byte| *byte == b'/').nth(1).unwrap_or(b""));
        let (kept, deep): (_, BTreeSet<_>) = std::mem::take(&mut self.paths).into_iter().partition(is_kept);
        self.paths = kept;
        self.gaps.extend(deep.into_iter().map(too_deep));
    }

    /// Adds what git did not list, and tells whether there was anything. Ignore rules are asked again after the search, so
    /// that ignored files that appear meanwhile are not added.
    pub(crate) fn add_unlisted(&mut self, search: &mut Search<'_>) -> Result<bool, RescueError> {
        let Search { git, shadow, tree, .. } = *search;
        let mut ignored = coverage::ignored(git, shadow)?;
        let mut unlisted = coverage::unlisted(tree, &self.paths, &self.nested, &ignored);
        let plain = self.taken_for_plain(search, std::mem::take(&mut unlisted.plain), &ignored)?;
        if !unlisted.paths.is_empty() || !unlisted.nested.is_empty() {
            ignored = coverage::ignored(git, shadow)?;
            unlisted.paths.retain(|path| !is_within(path, &ignored));
        }
        let is_anything = !unlisted.is_empty() || !plain.is_empty();
        unlisted.nested.retain(|folder| !ignored.contains(folder));
        self.add_nested(search, unlisted.nested)?;
        self.paths.extend(unlisted.paths);
        for (path, reason) in unlisted.unread {
            // Git reported it too, in words from which no path can be told for sure.
            let reported = listing::not_opened(&path);
            self.gaps.retain(|gap| !gap.path.is_empty() || !gap.reason.starts_with(&reported));
            self.gaps.push(Gap { path, reason });
        }
        self.gaps.extend(unlisted.too_deep.into_iter().map(too_deep));
        ignored.retain(|path| !is_within(path, &plain));
        self.ignored.append(&mut ignored);
        self.add_plain(search, &plain)?;
        Ok(is_anything)
    }

    /// The repositories inside of which git lists the files as if they were plain folders, since they are broken or this
    /// repository tracks files there: those of `met`, and what only rules inside make an ignored folder. All of them, if git
    /// does not tell.
    fn taken_for_plain(
        &mut self,
        search: &Search<'_>,
        mut met: BTreeSet<Vec<u8>>,
        ignored: &BTreeSet<Vec<u8>>,
    ) -> Result<BTreeSet<Vec<u8>>, RescueError> {
        let Search { git, shadow, tree, .. } = search;
        let is_new = |folder: &&Vec<u8>| !is_within(folder, &self.nested) && is_repository(tree, folder);
        met.extend(ignored.iter().filter(is_new).cloned());
        if !met.is_empty() && shadow.lists_untracked {
            match ignored_around(git, shadow, met.iter().map(|folder| &folder[..])) {
                Ok(around) => met.retain(|folder| !is_within(folder, &around)),
                Err(error) => {
                    git.check_cancelled()?;
                    let why = error.to_string();
                    self.gaps.extend(met.iter().map(|folder| unknown(folder, &why)));
                }
            }
        }
        Ok(met)
    }

    /// Adds what git passes over in repositories that it takes for plain folders: their rules say nothing of what they
    /// track themselves.
    fn add_plain(&mut self, search: &mut Search<'_>, folders: &BTreeSet<Vec<u8>>) -> Result<(), RescueError> {
        let Search { git, shadow, tree, rules } = search;
        let (inside, mut ignored) = rules.find(git, shadow, tree, folders)?;
        for path in inside.paths {
            if self.paths.insert(path.clone()) {
                self.hidden.insert(path);
            }
        }
        // One further inside is walked itself where git listed it as a repository, or as a plain folder.
        let further = inside.further.into_iter();
        let further = further.filter(|path| !self.nested.contains(path) && !folders.contains(path));
        let gaps: Vec<Gap> = inside.gaps.into_iter().chain(further.map(further_inside)).collect();
        for gap in gaps {
            if !self.gaps.contains(&gap) {
                self.gaps.push(gap);
            }
        }
        self.ignored.append(&mut ignored);
        self.name_broken(git, tree, folders);
        Ok(())
    }

    /// Reports folders whose git directory is broken or not theirs: their files are kept as plain files.
    fn name_broken(&mut self, git: &Git<'_>, tree: &WorkTree, folders: &BTreeSet<Vec<u8>>) {
        for folder in folders.iter().filter(|folder| is_repository(tree, folder)) {
            if let Some(why) = nested::unused(git.repo, folder) {
                let reason = format!("its git directory {why}; its files are kept as plain files");
                self.gaps.push(Gap { path: folder.clone(), reason });
            }
        }
    }
}

/// Whether something stands at the place of a git directory in this folder.
fn is_repository(tree: &WorkTree, folder: &[u8]) -> bool {
    matches!(tree.stamp(&[folder, b"/.git"].concat()), Ok(Some(_)))
}
