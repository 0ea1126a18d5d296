//! The settings of a repository that a rescue must know. They are read as text; it must not obey one that names
//! a program.

use std::collections::{BTreeMap, BTreeSet};

use crate::action::rescue::base::{RescueError, references};
use crate::git::{self, ConfigEntry, Git, Setting, Stdin, head_in_the_way, is_true};
use crate::model::{ObjectsGo, RecordNotice, display_text};

/// Settings of the section `core` that decide what is ignored and how contents are converted.
const HARMLESS: [&str; 5] = ["attributesfile", "autocrlf", "eol", "excludesfile", "checkroundtripencoding"];

/// All settings, from one answer of git: what is listed for a person to trust is what is acted on, and nobody can
/// change one in between.
#[derive(Debug, Default)]
pub(crate) struct Settings {
    /// Every setting, in git's reading order.
    pub(crate) entries: Vec<ConfigEntry>,
    /// Settings of the section `core` that the shadow adopts.
    harmless: Vec<Setting>,
    /// What keeps git from using a file of the user's, or one of rules that a setting names: what it would convert or leave
    /// out is not known then.
    pub(crate) in_the_way: Option<String>,
    /// Names of the filters that have a program configured.
    pub(crate) filters: BTreeSet<String>,
    /// Remotes to which a push would take the hidden references.
    pub(crate) mirrors: Vec<RecordNotice>,
    /// When git removes unreachable objects and unreachable reflog entries.
    pub(crate) expiry: Expiry,
    /// The filter settings as name, key and value, in git's reading order.
    pub(crate) filter_values: Vec<(String, String, String)>,
}

/// When unreachable objects expire, as the settings put it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Expiry {
    /// The value of `gc.pruneExpire`.
    pub(crate) objects: String,
    /// The value of `gc.reflogExpireUnreachable`.
    pub(crate) reflog: String,
}

impl Default for Expiry {
    fn default() -> Expiry {
        Expiry { objects: "2.weeks.ago".to_owned(), reflog: "30.days.ago".to_owned() }
    }
}

impl Expiry {
    /// When the objects of what was removed go; `was_visible` says that a reflog can have them.
    pub(crate) fn objects_go(self, was_visible: bool) -> ObjectsGo {
        let is_never = |text: &str| matches!(text, "never" | "false");
        if is_never(&self.objects) || (was_visible && is_never(&self.reflog)) {
            return ObjectsGo::Never;
        }
        ObjectsGo::WhenCollected { expiry: self.objects, reflog_expiry: was_visible.then_some(self.reflog) }
    }
}

impl Settings {
    /// Whether line endings are converted even without an attribute.
    pub(crate) fn is_converting(&self) -> bool {
        self.harmless
            .iter()
            .rev()
            .find(|(key, _)| key == "autocrlf")
            .is_some_and(|(_, value)| value != "false")
    }

    /// The settings that the shadow adopts.
    pub(crate) fn for_shadow(&self) -> Vec<Setting> {
        let modes = ("filemode".to_owned(), "true".to_owned());
        std::iter::once(modes).chain(self.harmless.iter().cloned()).collect()
    }

    /// Reads the settings. Refuses a repository that is bare.
    ///
    /// # Errors
    /// [`RescueError::Unusable`] if git cannot read them, or they say that the work tree is elsewhere.
    pub(crate) fn read(git: &Git<'_>) -> Result<Settings, RescueError> {
        let settings = Settings::read_anywhere(git)?;
        // As git does: both apply to the main worktree only; a linked worktree is where it was created.
        if git.repo.git_dir == git.repo.common_dir {
            let is_bare = settings.value("core.bare").is_some_and(is_true);
            check_work_tree(git, is_bare, settings.value("core.worktree"))?;
        }
        Ok(settings)
    }

    /// The same wherever the work tree is: for what is only about references and objects.
    ///
    /// # Errors
    /// [`RescueError::Unusable`] if git cannot read them.
    pub(crate) fn read_anywhere(git: &Git<'_>) -> Result<Settings, RescueError> {
        // A git that was killed says nothing about the settings.
        let output = git::config_list(git)?;
        if !output.is_success() {
            return Err(RescueError::Unusable(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
        }
        if git.repo.is_extended {
            check_extensions(git)?;
        }
        let entries = git::entries_of(&output);
        let in_the_way = git.home.and_then(git::user_file_in_the_way);
        let mut settings = Settings { in_the_way, ..Settings::default() };
        let mut mirrors = Mirrors::default();
        for ConfigEntry { key, value, .. } in &entries {
            if let Some(name) = key.strip_prefix("core.").filter(|name| HARMLESS.contains(name)) {
                settings.adopt(git, name, value);
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
        settings.mirrors = mirrors.notices();
        settings.entries = entries;
        Ok(settings)
    }

    /// Takes in a harmless setting, unless git would hang on the file that it names.
    fn adopt(&mut self, git: &Git<'_>, name: &str, value: &str) {
        match git::rule_file_in_the_way(name, value, &git.repo.top, git.home) {
            Some(words) => self.in_the_way = Some(words),
            None => self.harmless.push((name.to_owned(), value.to_owned())),
        }
    }

    /// The value that counts for a key.
    pub(crate) fn value(&self, key: &str) -> Option<&str> {
        self.entries.iter().rev().find(|entry| entry.key == key).map(|entry| &*entry.value)
    }

    /// Whether commits are to be signed.
    pub(crate) fn is_signing(&self) -> bool {
        self.value("commit.gpgsign").is_some_and(is_true)
    }

    /// Whether this is a partial clone, which could fetch missing objects.
    pub(crate) fn is_partial(&self) -> bool {
        self.entries.iter().any(|ConfigEntry { key, .. }| {
            let is_promisor = key.starts_with("remote.") && key.ends_with(".promisor");
            is_promisor || key == "extensions.partialclone"
        })
    }
}

/// Lets git look at the extensions of the repository: it lists the settings also if it can do nothing else.
fn check_extensions(git: &Git<'_>) -> Result<(), RescueError> {
    let output = git.real(["rev-parse", "--git-dir"], Stdin::Lock)?;
    if output.is_success() {
        return Ok(());
    }
    let words = String::from_utf8_lossy(&output.stderr);
    Err(RescueError::Unusable(display_text::one_spaced(&words)))
}

/// What git says where it does not even tell what HEAD points to, as for a setting with a bad value; `None` if it does, or
/// if HEAD itself is why.
pub(crate) fn bad_value(git: &Git<'_>) -> Result<Option<String>, RescueError> {
    match references::at(git, "HEAD") {
        Err(RescueError::Git { words, .. }) => {
            let is_of_head = words.is_empty() || head_in_the_way(&git.repo.git_dir).is_some();
            Ok((!is_of_head).then(|| display_text::one_spaced(&words)))
        }
        at => at.map(|_| None),
    }
}

/// Refuses a bare repository. One whose work tree is another folder has an index that is not about the files here.
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
    let (config, path) = (git.repo.common_dir.join("config"), display_text::path(&path));
    let config = display_text::path(&config);
    Err(RescueError::Unusable(format!(
        "core.worktree in {config} says that its work tree is {path}; if it is this one, `git config --unset core.worktree` \
         mends it"
    )))
}

/// The same as [`Settings::is_partial`] where nothing else of the settings is needed.
pub(crate) fn is_partial(git: &Git<'_>) -> Result<bool, RescueError> {
    let args = ["config", "--get-regexp", r"^(extensions\.partialclone|remote\..*\.promisor)$"];
    Ok(git.real(args, Stdin::Lock)?.is_success())
}

/// The settings of a remote that decide whether a push takes every reference.
#[derive(Debug, Clone, Copy, Default)]
struct Mirror {
    takes_all_anyway: bool,
    is_all: bool,
    is_without_ours: bool,
}

/// Remotes, by name, to which a push may take the hidden references.
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

    /// The notices with the way out. `--mirror` allows no refspecs, so such a remote needs equivalent refspecs
    /// instead.
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
