//! Lists everything in and around a repository that could run a program, shown as commands and identified by
//! one digest over the workspace's path and every byte. A person trusts a digest, so any changed byte needs a
//! new decision.
//!
//! The digest includes the files that a command calls, the scripts that those call, and so on.
//!
//! What a script runs but is not surely understood, such as `make`, is reported, and such programs are trusted only
//! together with the current content of the tracked and new files.
//!
//! It must not run anything.

pub(super) mod copies;
pub(super) mod filters;
pub(super) mod hook_files;
pub(super) mod hooks;
pub(super) mod scripts;
pub(super) mod shell;
pub(super) mod work_files;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use crate::action::rescue::Rescuer;
use crate::action::rescue::base::whole_file::{self, file_id};
use crate::action::rescue::base::{Files, RescueError, Settings};
use crate::action::rescue::lock::WorktreeLock;
use crate::action::rescue::survey::{Untracked, listing, seen_index};
use crate::action::rescue::trust::scripts::{OwnProgram, Scripts, named_files, own_command};
use crate::git::{Git, IndexEntry, Repository, index_entries};
use crate::model::{TrustItem, TrustKind, TrustList, display_text};

pub(super) use copies::Copies;
pub(super) use hooks::Hooks;

/// The most that is read of one file, in bytes.
const FILE_CAP: u64 = 16 << 20;
/// The git settings that name a program, as `section.name`; `*` stands for anything in between.
const PROGRAMS: [&str; 43] = [
    "alias.*", "browser.*.cmd", "core.alternaterefscommand", "core.askpass", "core.attributesfile",
    "core.editor", "core.fsmonitor", "core.gitproxy", "core.hookspath", "core.pager", "core.sshcommand",
    "credential.*", "diff.external", "diff.*.command", "diff.*.textconv", "difftool.*", "filter.*.clean",
    "filter.*.process", "filter.*.required", "filter.*.smudge", "gpg.program", "gpg.*.program",
    "gpg.ssh.defaultkeycommand", "hook.*", "include.path", "includeif.*", "init.templatedir",
    "interactive.difffilter", "lfs.*", "man.*.cmd", "merge.*.driver", "mergetool.*", "pager.*",
    "remote.*.receivepack", "remote.*.uploadpack", "remote.*.vcs", "sendemail.*", "sequence.editor",
    "submodule.*.update", "tar.*.command", "trailer.*", "uploadpack.packobjectshook", "web.browser",
];
/// The settings whose commands run in filters and in hooks that are understood, as beginnings of their names.
const RUN_BY_GIT: [&str; 5] =
    ["alias.lfs", "core.fsmonitor", "filter.", "lfs.customtransfer.", "lfs.extension."];
/// What is said of a program that is not covered.
const NOT_COVERED: &str = "not covered: it is trusted only for the tracked and new files as they are now; ignored \
                           files, the git directory and what lies elsewhere are not watched";

/// The current programs of a workspace.
pub(crate) struct Programs {
    /// The list as shown to a person.
    pub(crate) list: TrustList,
    /// Whether a person trusts exactly these programs.
    pub(crate) is_trusted: bool,
    /// Whether the person's own rescue program is trusted.
    pub(crate) is_own_trusted: bool,
    /// The hooks that a commit runs, by name.
    pub(crate) hooks: BTreeMap<&'static str, PathBuf>,
    /// What they run that cannot be traced. Untrusted text.
    pub(crate) unknown: Vec<String>,
    /// Every file that was read, with its state at that time.
    pub(crate) files: Files,
    /// The files that run as copies, by the words that call them.
    called: BTreeMap<OsString, PathBuf>,
    /// The folder with everything that belongs to the hooks.
    hooks_folder: PathBuf,
    /// The person's own rescue program.
    pub(crate) own: Option<OwnProgram>,
}

/// Whether the command of a check names a file of the workspace, and so may run it.
pub fn runs_file_of(workspace: &Path, command: &[String]) -> bool {
    command.iter().any(|word| {
        let is_path = word.contains('/') || workspace.join(word).is_file();
        is_path && workspace.join(word).canonicalize().is_ok_and(|path| path.starts_with(workspace))
    })
}

impl Rescuer {
    /// Lists what could run a program in this workspace, with the digest by which it is trusted. Runs nothing.
    ///
    /// # Errors
    /// As for [`Rescuer::record_ordered`]: the repository cannot be read.
    pub fn trust_list(&self, workspace: &Path) -> Result<TrustList, RescueError> {
        let worktree = WorktreeLock::take(self, workspace)?;
        let git = worktree.git();
        let settings = Settings::read(&git)?;
        let shadow = seen_index::shadow(&worktree.repo, &worktree.work())?;
        shadow.configure(&settings.for_shadow())?;
        let untracked = listing::untracked(&git, &shadow)?;
        let entries = index_entries(&git, &shadow, &shadow.index)?;
        Ok(self.programs(&git, &settings, &entries, &untracked)?.list)
    }

    /// Whether the check programs may run in this workspace: none of them is a workspace file, or all of them
    /// are trusted as they are.
    ///
    /// # Errors
    /// As for [`Rescuer::trust_list`].
    pub fn are_checks_trusted(&self, workspace: &Path) -> Result<bool, RescueError> {
        if !self.check_commands.iter().any(|command| runs_file_of(workspace, command)) {
            return Ok(true);
        }
        Ok(self.trusted.contains(&self.trust_list(workspace)?.digest))
    }

    /// The programs that `settings` name and that come with the files of the index and the untracked ones.
    pub(crate) fn programs(
        &self,
        git: &Git<'_>,
        settings: &Settings,
        entries: &[IndexEntry],
        untracked: &Untracked,
    ) -> Result<Programs, RescueError> {
        let mut collected = Collected::new(git.repo);
        let (all, settings) = (settings, named_programs(settings));
        let (mut words, mut scripts) = (Vec::new(), Scripts::new(git.repo));
        for (key, value) in &settings {
            words.push(value.clone());
            collected.add(TrustKind::Setting, key, value.clone(), value.as_bytes());
        }
        let value_of =
            |name: &str| settings.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value);
        let resolve = |text: &String| resolved(text, &git.repo.top, self.home.as_deref());
        let mut attribute_files = attribute_files(git.repo, entries, &untracked.paths);
        attribute_files.extend(value_of("core.attributesfile").map(resolve));
        for path in attribute_files {
            collected.add_attributes(&path)?;
        }
        let folder = value_of("core.hookspath").map_or_else(|| git.repo.common_dir.join("hooks"), resolve);
        let mut files = Files::default();
        collected.add_hooks(&folder, &mut scripts, &mut files)?;
        let is_run = |key: &str| RUN_BY_GIT.iter().any(|start| key.starts_with(start));
        for (_, value) in settings.iter().filter(|(key, _)| is_run(key)) {
            scripts.add_command(value);
        }
        let own = own_command(self, &git.repo.top);
        let (mut is_own_outside, mut own_files) = (false, BTreeMap::new());
        if let Some(own) = &own {
            is_own_outside = self.own_program.is_some() && !own.could_be_inside(git.repo);
            let shown = own.words.join(" ");
            collected.add(TrustKind::RescueProgram, &shown, String::new(), shown.as_bytes());
            if !is_own_outside {
                own_files = scripts.add_own(own);
            }
            words.extend(own.words.iter().cloned());
        }
        collected.add_checks(&self.check_commands, &mut words);
        scripts.next.extend(named_files(&words, git.repo));
        collected.add_called(&mut scripts, &mut files);
        if !collected.items.is_empty() {
            scripts.unknown.extend(self.search_path_inside(&scripts));
        }
        if !scripts.unknown.is_empty() {
            let sum = work_files::digest(&git.repo.top, all, entries, untracked);
            collected.add_unknown(&scripts.unknown, &sum);
        }
        own_files.extend(scripts.understood_calls());
        let list = collected.finish();
        let is_trusted = self.trusted.contains(&list.digest);
        Ok(Programs {
            is_trusted,
            is_own_trusted: is_trusted || is_own_outside,
            hooks: hook_files::of_commit(&folder),
            list,
            unknown: scripts.unknown.into_iter().collect(),
            files,
            called: own_files,
            hooks_folder: hook_files::whole(&folder, &git.repo.top),
            own,
        })
    }

    /// The folders of the search path that are in the workspace: any command can be a file there.
    fn search_path_inside(&self, scripts: &Scripts<'_>) -> Vec<String> {
        let path = self.program_env.iter().find(|(name, _)| name == "PATH").map(|(_, value)| value);
        let folders = path.into_iter().flat_map(std::env::split_paths);
        let is_inside = |folder: &PathBuf| scripts.is_below(&folder.canonicalize().unwrap_or(folder.clone()));
        let inside = folders.filter(is_inside);
        inside.map(|folder| format!("programs in {}", display_text::path(&folder))).collect()
    }
}

struct Collected<'a> {
    repo: &'a Repository,
    items: BTreeMap<(TrustKind, String), (String, String)>,
}

impl<'a> Collected<'a> {
    fn new(repo: &'a Repository) -> Collected<'a> {
        Collected { repo, items: BTreeMap::new() }
    }

    /// Adds an item with its display text and a digest of its bytes. All contents of the same name count.
    fn add(&mut self, kind: TrustKind, name: &str, shown: String, bytes: &[u8]) {
        let sum = hex(&Sha256::digest(bytes));
        let entry = self.items.entry((kind, name.to_owned())).or_default();
        if entry.1.is_empty() {
            *entry = (shown, sum);
        } else {
            entry.0 = format!("{}\n{shown}", entry.0);
            entry.1 = format!("{} {sum}", entry.1);
        }
    }

    /// Adds the checks that run a workspace file, and appends their words to `words`.
    fn add_checks(&mut self, commands: &[Vec<String>], words: &mut Vec<String>) {
        for command in commands.iter().filter(|command| !named_files(command, self.repo).is_empty()) {
            let shown = command.join(" ");
            self.add(TrustKind::Check, &shown, String::new(), shown.as_bytes());
            words.extend(command.iter().cloned());
        }
    }

    fn add_file(&mut self, kind: TrustKind, path: &Path, content: &[u8]) {
        let mode = path.metadata().map_or(0, |metadata| metadata.mode() & 0o111);
        let sum = hex(&Sha256::digest(content));
        let shown = format!("{} bytes, sha256 {sum}", content.len());
        let bytes = [format!("{mode:o} ").as_bytes(), content].concat();
        self.add(kind, &self.name_of(path), shown, &bytes);
    }

    /// Adds the hooks, and what of them can run.
    fn add_hooks(
        &mut self,
        folder: &Path,
        scripts: &mut Scripts<'_>,
        files: &mut Files,
    ) -> Result<(), RescueError> {
        for (path, id, content) in hook_files::read(folder, &self.repo.top, FILE_CAP)? {
            if path.metadata().is_ok_and(|it| it.mode() & 0o111 != 0) {
                scripts.add(&path, &content);
            }
            self.add_file(TrustKind::Hook, &path, &content);
            files.add(&path, id, &content);
        }
        Ok(())
    }

    /// Adds the files that are called, and transitively the files that those call.
    fn add_called(&mut self, scripts: &mut Scripts<'_>, files: &mut Files) {
        while let Some(path) = scripts.next.pop_first() {
            let id = file_id(&path);
            if let Ok(Some(content)) = whole_file::read(&path, FILE_CAP) {
                scripts.add(&path, &content);
                self.add_file(TrustKind::File, &path, &content);
                files.add(&path, id, &content);
            } else {
                scripts.add_unread(&path);
            }
        }
    }

    /// Adds what is run but not understood, bound to everything that it may run, whose digest is `sum`.
    fn add_unknown(&mut self, unknown: &BTreeSet<String>, sum: &str) {
        for name in unknown {
            self.add(TrustKind::NotCovered, name, NOT_COVERED.to_owned(), sum.as_bytes());
        }
    }

    /// Adds the attribute lines that mention filters.
    fn add_attributes(&mut self, path: &Path) -> Result<(), RescueError> {
        let Ok(real) = path.canonicalize() else { return Ok(()) };
        let is_below = |folder: &Path| real.starts_with(folder);
        let is_of_git = [&self.repo.git_dir, &self.repo.common_dir].iter().any(|it| path.starts_with(it));
        if real != path && path.starts_with(&self.repo.top) && !is_of_git {
            // Git reads none through a link in the work tree.
            return Ok(());
        }
        let is_own =
            [&self.repo.top, &self.repo.git_dir, &self.repo.common_dir].iter().any(|it| is_below(it));
        let content = whole_file::read(&real, FILE_CAP)?.unwrap_or_default();
        let is_wanted = |line: &&[u8]| line.windows(6).any(|word| word == b"filter");
        let lines: Vec<&[u8]> = content.split(|byte| *byte == b'\n').filter(is_wanted).collect();
        if !lines.is_empty() {
            let bytes = lines.join(&b'\n');
            // A file elsewhere may be a private one: its lines count and are not repeated.
            let shown = if is_own {
                String::from_utf8_lossy(&bytes).into_owned()
            } else {
                format!("{} lines, sha256 {}", lines.len(), hex(&Sha256::digest(&bytes)))
            };
            self.add(TrustKind::Attribute, &self.name_of(&real), shown, &bytes);
        }
        Ok(())
    }

    /// The path relative to the top of the work tree, or unchanged if it is outside.
    fn name_of(&self, path: &Path) -> String {
        display_text::path(path.strip_prefix(&self.repo.top).unwrap_or(path))
    }

    fn finish(self) -> TrustList {
        let mut sum = Sha256::new();
        let mut add = |bytes: &[u8]| {
            sum.update(bytes.len().to_le_bytes());
            sum.update(bytes);
        };
        add(b"closeout trust 1");
        add(self.repo.top.as_os_str().as_bytes());
        let mut items = Vec::new();
        for ((kind, name), (content, of_bytes)) in self.items {
            add(format!("{kind:?}").as_bytes());
            add(name.as_bytes());
            add(of_bytes.as_bytes());
            items.push(TrustItem { kind, name, content });
        }
        TrustList { items, digest: hex(&sum.finalize()) }
    }
}

fn hex(bytes: &[u8]) -> String {
    crate::action::rescue::base::names::hex(bytes)
}

/// The settings that name programs, with their values, in git's reading order.
fn named_programs(settings: &Settings) -> Vec<(String, String)> {
    let is_named = |key: &str, value: &str| {
        PROGRAMS.iter().any(|pattern| matches(pattern, key)) && !is_our_own(key, value)
    };
    let named = settings.entries.iter().filter(|entry| is_named(&entry.key, &entry.value));
    named.map(|entry| (entry.key.clone(), entry.value.clone())).collect()
}

/// Whether our own runner sets this on the command line.
fn is_our_own(key: &str, value: &str) -> bool {
    matches!(
        (key, value),
        ("core.fsmonitor", "false")
            | ("core.hookspath", "/dev/null")
            | ("core.pager", "cat")
            | ("core.alternaterefscommand", "")
    )
}

/// Matches `section.*.name`, `section.*` or a whole key.
fn matches(pattern: &str, key: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == key,
        Some((start, end)) => {
            key.len() >= start.len() + end.len() && key.starts_with(start) && key.ends_with(end)
        }
    }
}

/// The path that a setting names.
fn resolved(text: &String, top: &Path, home: Option<&Path>) -> PathBuf {
    match (text.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => top.join(text),
    }
}

/// Every attributes file that git reads for the paths of this workspace.
fn attribute_files(repo: &Repository, entries: &[IndexEntry], untracked: &[Vec<u8>]) -> Vec<PathBuf> {
    let mut folders: BTreeSet<Vec<u8>> = BTreeSet::from([Vec::new()]);
    for path in entries.iter().map(|entry| &entry.path).chain(untracked) {
        for (place, _) in path.iter().enumerate().filter(|(_, byte)| **byte == b'/') {
            folders.insert(path[..place].to_vec());
        }
    }
    let below = |folder: &Vec<u8>| repo.top.join(std::ffi::OsStr::from_bytes(folder)).join(".gitattributes");
    let mut files: Vec<PathBuf> = folders.iter().map(below).collect();
    files.push(repo.common_dir.join("info/attributes"));
    files.into_iter().filter(|path| path.symlink_metadata().is_ok()).collect()
}
