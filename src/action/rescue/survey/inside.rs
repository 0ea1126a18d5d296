//! Finds what is in the repositories inside this one, and what ignore rules leave out of it: their own rules, and those of
//! this one.
//!
//! It must not leave out what such a repository tracks, run git there other than in a shadow, or wait for rules that
//! nobody writes.

use std::collections::{BTreeMap, BTreeSet};

use rustix::fs::FileType;
use rustix::io::Errno;

use crate::action::rescue::base::{RescueError, Settings};
use crate::action::rescue::survey::around::{above, ignored_around, paths_of};
use crate::action::rescue::survey::{Stamp, WorkTree, broken, coverage, listing, nested, seen_index};
use crate::git::{Git, Repository, Shadow, Stdin, succeeded};
use crate::model::Gap;

/// The gap for a folder or file that lies too deep to be kept.
pub(crate) fn too_deep(path: Vec<u8>) -> Gap {
    Gap { path, reason: "it lies in too many folders for git to keep it".to_owned() }
}

/// The gap for a folder of which nothing tells what rules ignore there.
pub(crate) fn unknown(folder: &[u8], why: &str) -> Gap {
    let reason = format!("everything in it is kept, because what it ignores is unknown: {why}");
    Gap { path: folder.to_vec(), reason }
}

/// The gap for a repository further inside.
pub(crate) fn further_inside(path: Vec<u8>) -> Gap {
    Gap { path, reason: "it is a repository inside a repository inside this one".to_owned() }
}

/// What was found in one repository.
#[derive(Debug, Default)]
pub(crate) struct Inside {
    /// Every file except git's own, relative to the top of the work tree.
    pub(crate) paths: BTreeSet<Vec<u8>>,
    pub(crate) gaps: Vec<Gap>,
    /// The repositories further inside, which are not entered.
    pub(crate) further: BTreeSet<Vec<u8>>,
    /// Whether git would wait for its rules: something else stands in the place of a file.
    is_waited_for: bool,
}

impl Inside {
    /// Walks the repository at `top`.
    fn find(tree: &WorkTree, top: &[u8]) -> Inside {
        let mut inside = Inside::default();
        let mut walk = tree.walk();
        let mut left = vec![top.to_vec()];
        while let Some(folder) = left.pop() {
            let children = match walk.entries(&folder) {
                Ok(children) => children,
                Err(Errno::NAMETOOLONG) => {
                    inside.gaps.push(too_deep(folder));
                    continue;
                }
                Err(errno) => {
                    let reason = std::io::Error::from(errno).to_string();
                    inside.gaps.push(Gap { path: folder, reason });
                    continue;
                }
            };
            if folder != top && children.iter().any(|(name, _)| name == b".git") {
                inside.further.insert(folder);
                continue;
            }
            for (name, kind) in children.into_iter().filter(|(name, _)| name != b".git") {
                let path = [&folder, &b"/"[..], &name].concat();
                if kind == FileType::Directory {
                    left.push(path);
                } else {
                    let is_file = matches!(kind, FileType::RegularFile | FileType::Symlink);
                    inside.is_waited_for |= name == b".gitignore" && !is_file;
                    inside.paths.insert(path);
                }
            }
        }
        inside
    }

    /// Takes out what is in `ignored` or below it.
    fn exclude(&mut self, ignored: &BTreeSet<Vec<u8>>) {
        self.paths.retain(|path| !is_within(path, ignored));
        self.gaps.retain(|gap| !is_within(&gap.path, ignored));
        self.further.retain(|path| !is_within(path, ignored));
    }
}

/// What is left out of each repository inside. Git is asked again only where something that decides it is not as before.
#[derive(Debug, Default)]
pub(crate) struct InnerRules(BTreeMap<Vec<u8>, Answer>);

#[derive(Debug)]
struct Answer {
    asked: Asked,
    /// Files, and folders that are ignored entirely; or why that cannot be told.
    ignored: Result<BTreeSet<Vec<u8>>, String>,
}

/// What decides what is left out: the files and the repositories further inside, and in which state the rules and the index
/// were.
#[derive(Debug, PartialEq, Eq)]
struct Asked {
    paths: BTreeSet<Vec<u8>>,
    stamps: Vec<Option<Stamp>>,
}

impl Asked {
    fn of(outer: &Repository, tree: &WorkTree, folder: &[u8], inside: &Inside) -> Asked {
        let above = above(folder).map(|folder| nested::folder(&outer.top, folder).join(".gitignore"));
        let own = nested::find_own(outer, folder)
            .map(|repo| [repo.index(), repo.git_dir.join("HEAD"), repo.common_dir.join("info/exclude")]);
        let plain = above.chain(own.into_iter().flatten());
        let plain = plain.map(|path| rustix::fs::lstat(&path).ok().map(|stat| Stamp::of(&stat)));
        let rules = inside.paths.iter().filter(|path| path.ends_with(b"/.gitignore"));
        let rules = rules.map(|path| tree.stamp(path).ok().flatten());
        let paths = inside.paths.union(&inside.further).cloned().collect();
        Asked { stamps: plain.chain(rules).collect(), paths }
    }
}

impl InnerRules {
    /// What is in the repositories at `folders`, without what rules ignore, which is returned too.
    pub(crate) fn find(
        &mut self,
        git: &Git<'_>,
        shadow: &Shadow,
        tree: &WorkTree,
        folders: &BTreeSet<Vec<u8>>,
    ) -> Result<(Inside, BTreeSet<Vec<u8>>), RescueError> {
        let found: Vec<(&[u8], Inside)> =
            folders.iter().map(|folder| (&folder[..], Inside::find(tree, folder))).collect();
        self.ask(git, shadow, tree, &found)?;
        let (mut all, mut left_out) = (Inside::default(), BTreeSet::new());
        for (folder, mut inside) in found {
            match self.0.get(folder).map(|answer| &answer.ignored) {
                Some(Ok(ignored)) => {
                    inside.exclude(ignored);
                    left_out.extend(ignored.iter().cloned());
                }
                Some(Err(why)) => inside.gaps.push(unknown(folder, why)),
                None => {}
            }
            all.paths.append(&mut inside.paths);
            all.gaps.append(&mut inside.gaps);
            all.further.append(&mut inside.further);
        }
        Ok((all, left_out))
    }

    fn ask(
        &mut self,
        git: &Git<'_>,
        shadow: &Shadow,
        tree: &WorkTree,
        found: &[(&[u8], Inside)],
    ) -> Result<(), RescueError> {
        if !shadow.lists_untracked {
            return Ok(());
        }
        let mut new = Vec::new();
        for (folder, inside) in found {
            if inside.is_waited_for {
                self.0.remove(*folder);
                continue;
            }
            let asked = Asked::of(git.repo, tree, folder, inside);
            if self.0.get(*folder).is_none_or(|answer| answer.asked != asked) {
                new.push((*folder, asked));
            }
        }
        if new.is_empty() {
            return Ok(());
        }
        let names = new.iter().flat_map(|(folder, asked)| {
            [*folder].into_iter().chain(asked.paths.iter().map(|path| &path[..]))
        });
        let around = ignored_around(git, shadow, names).map_err(|error| error.to_string());
        for (folder, asked) in new {
            let ignored = match &around {
                Ok(_) if nested::find(&git.repo.top, folder).is_none() => {
                    broken::ignored(git, shadow, folder, &asked.paths).map_err(|error| error.to_string())
                }
                Ok(around) => ignored_in(git, shadow, folder, around).map_err(|error| error.to_string()),
                Err(why) => Err(why.clone()),
            };
            git.check_cancelled()?;
            self.0.insert(folder.to_vec(), Answer { asked, ignored });
        }
        Ok(())
    }
}

/// What is ignored in the repository at `folder`: nothing in one that is not its own, of which nothing tells what it tracks.
fn ignored_in(
    git: &Git<'_>,
    shadow: &Shadow,
    folder: &[u8],
    around: &BTreeSet<Vec<u8>>,
) -> Result<BTreeSet<Vec<u8>>, RescueError> {
    let Some(repo) = nested::find_own(git.repo, folder) else { return Ok(BTreeSet::new()) };
    let inner = Inner::open(git, &repo, shadow)?;
    let below = [folder, b"/"].concat();
    let by_others = around.range(below.clone()..).take_while(|path| path.starts_with(&below)).cloned();
    // A submodule is tracked, whatever rules say of its folder.
    let mut by_others: BTreeSet<Vec<u8>> =
        if around.contains(folder) { BTreeSet::new() } else { by_others.collect() };
    let placed = |path: &[u8]| [&below, path].concat();
    let mut ignored: BTreeSet<Vec<u8>> = inner.ignored()?.iter().map(|path| placed(path)).collect();
    by_others.retain(|path| !is_within(path, &ignored));
    if !by_others.is_empty() {
        for path in inner.tracked()? {
            by_others.remove(&placed(&path));
        }
    }
    ignored.append(&mut by_others);
    Ok(ignored)
}

/// A repository inside, with a shadow of its own.
struct Inner<'a> {
    git: Git<'a>,
    shadow: Shadow,
}

impl<'a> Inner<'a> {
    fn open(git: &'a Git<'_>, repo: &'a Repository, outer: &Shadow) -> Result<Inner<'a>, RescueError> {
        repo.check(true)?;
        let git = git.on(repo);
        let shadow = seen_index::shadow(repo, &outer.file("inside"))?;
        shadow.configure(&Settings::read(&git)?.for_shadow())?;
        // Then nothing tells what it tracks, unless it is new.
        if shadow.raw_index.is_none() && (repo.index().is_symlink() || listing::head(&git)?.commit.is_some())
        {
            return Err(RescueError::Failed("it has no index that can be used".to_owned()));
        }
        Ok(Inner { git, shadow })
    }

    fn ignored(&self) -> Result<BTreeSet<Vec<u8>>, RescueError> {
        coverage::ignored(&self.git, &self.shadow)
    }

    fn tracked(&self) -> Result<Vec<Vec<u8>>, RescueError> {
        let listed = self.git.shadowed(&self.shadow, ["ls-files", "-z"], Stdin::Lock)?;
        let listed = succeeded("ls-files", listed)?.stdout;
        Ok(paths_of(&listed).map(<[u8]>::to_vec).collect())
    }
}

/// Whether a path is one of `folders` or below one.
pub(crate) fn is_within(path: &[u8], folders: &BTreeSet<Vec<u8>>) -> bool {
    folders.contains(path) || listing::folders(path).any(|folder| folders.contains(folder))
}
