//! What a rescue must know of a repository's settings. They are read as text; none is obeyed that
//! names a program.

use std::collections::{BTreeMap, BTreeSet};

use super::error::RescueError;
use crate::git::{self, ConfigEntry, Git, Setting, Stdin, is_true};
use crate::model::{RecordNotice, display_text};

/// Settings of the section `core` that say what is ignored and how contents are converted.
const HARMLESS: [&str; 5] = ["attributesfile", "autocrlf", "eol", "excludesfile", "checkroundtripencoding"];

/// The settings.
#[derive(Debug, Default)]
pub(super) struct Settings {
    /// Of the section `core`: what the shadow takes over.
    harmless: Vec<Setting>,
    /// Names of filters for which a program is configured.
    pub(super) filters: BTreeSet<String>,
    /// Remotes to which a push takes the hidden references along.
    pub(super) mirrors: Vec<RecordNotice>,
    /// When git removes objects that nothing reaches, and entries of reflogs that no branch reaches.
    pub(super) expiry: Expiry,
    /// Name, key and value of what is configured for filters, in the order in which git reads it.
    pub(super) filter_values: Vec<(String, String, String)>,
}

/// When what nothing reaches goes, in the words of the settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Expiry {
    /// `gc.pruneExpire`.
    pub(super) objects: String,
    /// `gc.reflogExpireUnreachable`.
    pub(super) reflog: String,
}

impl Default for Expiry {
    fn default() -> Expiry {
        Expiry { objects: "2.weeks.ago".to_owned(), reflog: "30.days.ago".to_owned() }
    }
}

impl Settings {
    /// True when line ends are converted without an attribute.
    pub(super) fn is_converting(&self) -> bool {
        self.harmless
            .iter()
            .rev()
            .find(|(key, _)| key == "autocrlf")
            .is_some_and(|(_, value)| value != "false")
    }

    /// What the shadow takes over of them.
    pub(super) fn for_shadow(&self) -> Vec<Setting> {
        let modes = ("filemode".to_owned(), "true".to_owned());
        std::iter::once(modes).chain(self.harmless.iter().cloned()).collect()
    }

    /// Reads them, and refuses what has no work tree.
    pub(super) fn read(git: &Git<'_>) -> Result<Settings, RescueError> {
        let entries = git::config_entries(git)?;
        let mut settings = Settings::default();
        let mut is_bare = false;
        let mut work_tree = None;
        let mut mirrors = Mirrors::default();
        for ConfigEntry { key, value, .. } in &entries {
            if let Some(name) = key.strip_prefix("core.") {
                is_bare = if name == "bare" { is_true(value) } else { is_bare };
                if name == "worktree" {
                    work_tree = Some(value.clone());
                }
                if HARMLESS.contains(&name) {
                    settings.harmless.push((name.to_owned(), value.to_owned()));
                }
            }
            match key.as_str() {
                "gc.pruneexpire" => value.clone_into(&mut settings.expiry.objects),
                "gc.reflogexpireunreachable" => value.clone_into(&mut settings.expiry.reflog),
                _ => {}
            }
            mirrors.add(key, value);
            let program = key.strip_prefix("filter.").and_then(|rest| rest.rsplit_once('.'));
            if let Some((name, key @ ("clean" | "process" | "required"))) = program {
                settings.filters.insert(name.to_owned());
                settings.filter_values.push((name.to_owned(), key.to_owned(), value.to_owned()));
            }
        }
        // As git does: both are of the main worktree, and a linked one is where it was made.
        if git.repo.git_dir == git.repo.common_dir {
            check_work_tree(git, is_bare, work_tree.as_deref())?;
        }
        settings.mirrors = mirrors.notices();
        Ok(settings)
    }
}

/// Refuses a repository without a work tree, and one whose work tree is another folder: what lies here is not what
/// its index is about.
fn check_work_tree(git: &Git<'_>, is_bare: bool, work_tree: Option<&str>) -> Result<(), RescueError> {
    let Some(named) = work_tree else {
        if is_bare {
            return Err(RescueError::Refused("the repository is bare: it has no work tree".to_owned()));
        }
        return Ok(());
    };
    let path = git.repo.git_dir.join(named);
    if path.canonicalize().is_ok_and(|path| path == git.repo.top) {
        return Ok(());
    }
    let words = format!("core.worktree says that its work tree is {}", display_text::path(&path));
    Err(RescueError::Refused(words))
}

/// True when the repository has only a part of its objects and could fetch the others.
pub(super) fn is_partial(git: &Git<'_>) -> Result<bool, RescueError> {
    let args = ["config", "--get-regexp", r"^(extensions\.partialclone|remote\..*\.promisor)$"];
    Ok(git.real(args, Stdin::Lock)?.is_success())
}

/// A remote to which a push takes every reference along, as its settings say.
#[derive(Debug, Clone, Copy, Default)]
struct Mirror {
    takes_all_anyway: bool,
    is_all: bool,
    is_without_ours: bool,
}

/// What is to be said of remotes to which a push takes the hidden references along.
#[derive(Debug, Default)]
struct Mirrors(BTreeMap<String, Mirror>);

impl Mirrors {
    fn add(&mut self, key: &str, value: &str) {
        let Some((remote, name)) = key.strip_prefix("remote.").and_then(|rest| rest.rsplit_once('.')) else {
            return;
        };
        let mirror = self.0.entry(remote.to_owned()).or_default();
        match (name, value.trim_start_matches('+').split(':').next()) {
            ("mirror", _) => mirror.takes_all_anyway = is_true(value),
            ("push", Some("refs/*")) => mirror.is_all = true,
            ("push", Some(HIDDEN_OUT)) => mirror.is_without_ours = true,
            _ => {}
        }
    }

    /// `--mirror` takes no other words, so that such a remote needs the same said in refspecs.
    fn notices(self) -> Vec<RecordNotice> {
        let leaks = |mirror: &Mirror| mirror.takes_all_anyway || (mirror.is_all && !mirror.is_without_ours);
        let found = self.0.into_iter().filter(|(_, mirror)| leaks(mirror));
        found
            .map(|(remote, mirror)| {
                let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
                let name = if remote.chars().all(is_plain) { &remote } else { "REMOTE" };
                let remedy = if mirror.takes_all_anyway {
                    format!("git -c remote.{name}.mirror=false push {name} '+refs/*:refs/*' '{HIDDEN_OUT}'")
                } else {
                    format!("git config --add remote.{name}.push '{HIDDEN_OUT}'")
                };
                RecordNotice::MirrorRemote { remote, remedy }
            })
            .collect()
    }
}

/// The refspec that keeps the hidden references out of a push.
const HIDDEN_OUT: &str = "^refs/closeout*";
