//! A trap in every repository that tests make: settings, hooks and filters name a program that leaves a trace in
//! the test's folder, and when the folder is deleted there must be none.
//!
//! `rescue` and `hostile` set traps of their own, with more in them. A test about programs that a repository names
//! makes no use of the trap (`WITHOUT`).

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// All of git's hooks, of the working copy and of the receiving side.
pub(crate) const HOOKS: [&str; 20] = [
    "applypatch-msg", "commit-msg", "fsmonitor-watchman", "post-applypatch", "post-checkout", "post-commit",
    "post-index-change", "post-merge", "post-rewrite", "post-update", "pre-applypatch", "pre-auto-gc",
    "pre-commit", "pre-merge-commit", "pre-push", "pre-rebase", "prepare-commit-msg",
    "reference-transaction", "sendemail-validate", "update",
];

/// Settings that name a program; `@` is replaced by the canary program.
const SETTINGS: [(&str, &str); 24] = [
    ("core.fsmonitor", "@"),
    ("core.pager", "@"),
    ("core.editor", "@"),
    ("core.askPass", "@"),
    ("core.sshCommand", "@"),
    ("core.gitProxy", "@"),
    ("core.alternateRefsCommand", "@"),
    ("pager.log", "@"),
    ("pager.status", "@"),
    ("sequence.editor", "@"),
    ("diff.external", "@"),
    ("diff.canary.textconv", "@"),
    ("diff.canary.command", "@"),
    ("merge.canary.driver", "@"),
    ("filter.canary.clean", "@"),
    ("filter.canary.smudge", "@"),
    ("filter.canary.process", "@"),
    ("gpg.program", "@"),
    ("gpg.ssh.program", "@"),
    ("commit.gpgSign", "true"),
    ("log.showSignature", "true"),
    ("credential.helper", "!@"),
    ("alias.ls-files", "!@"),
    ("alias.closeout", "!@"),
];

/// Attributes that give files of one ending to the filters, differs and drivers of the settings.
pub(crate) const ATTRIBUTES: &str = "*.canary filter=canary diff=canary merge=canary\n";
/// The same without the filters, with which changes would no longer be read in this process.
const WITHOUT_FILTERS: &str = "*.canary diff=canary merge=canary\n";

/// Tests that set their own trap, that are about programs which a repository names, or whose agent is a script that
/// uses git without care.
const WITHOUT: [&str; 16] = [
    "rescue::",
    "hostile::",
    "run::",
    "examples::",
    "cli::trust::",
    "cli::json::every_front",
    "cli::clock_back::a_run",
    "cli::full_disk::",
    "asking::probing::a_probe_that_changes",
    "asking::probing::a_trusted",
    "evidence_git::new_work::own_commits_that_were_pushed",
    "evidence_git::new_work::a_walk_that",
    "terminal::actions::a_script",
    "terminal::ends::",
    "terminal::leaving::a_panic",
    "terminal::runs::",
];

/// The file in a test's folder that says that its repositories are armed.
const ARMED: &str = "armed";
/// The file in a test's folder in which a program that ran is named.
const TRACE: &str = "programs-that-ran";

/// The settings as the text of a configuration file.
pub(crate) fn settings(program: &str) -> String {
    SETTINGS.iter().fold(String::new(), |text, (name, value)| {
        let (section, key) = name.rsplit_once('.').unwrap();
        let header = match section.split_once('.') {
            Some((section, name)) => format!("[{section} \"{name}\"]"),
            None => format!("[{section}]"),
        };
        text + &format!("{header}\n\t{key} = \"{}\"\n", value.replace('@', program))
    })
}

/// Whether the repositories of this test are armed. With a single test thread nobody knows the test's name, and
/// nothing is armed.
pub(crate) fn is_wanted() -> bool {
    let thread = std::thread::current();
    let name = thread.name().unwrap_or_default();
    name.contains("::") && !WITHOUT.iter().any(|it| name.starts_with(it))
}

/// Whether the repositories in this folder are armed.
pub(crate) fn is_armed(root: &Path) -> bool {
    root.join(ARMED).exists()
}

/// Arms the repository with this git directory, in the test's folder `root`.
pub(crate) fn arm(root: &Path, git_dir: &Path) {
    let trap = trap();
    let config = git_dir.join("config");
    // A bare repository has it elsewhere.
    let Ok(text) = fs::read_to_string(&config) else { return };
    let hooks = trap.join("hooks");
    let more = format!(
        "{}[core]\n\thooksPath = {}\n[include]\n\tpath = {}\n",
        settings(&trap.join("program").display().to_string()),
        hooks.display(),
        trap.join("carried").display()
    );
    fs::write(config, text + &more).unwrap();
    fs::create_dir_all(git_dir.join("info")).unwrap();
    let attributes = git_dir.join("info/attributes");
    let text = fs::read_to_string(&attributes).unwrap_or_default();
    fs::write(attributes, text + WITHOUT_FILTERS).unwrap();
    fs::write(root.join(ARMED), "").unwrap();
}

/// Asserts that no program ran in this folder.
pub(crate) fn assert_silent(root: &Path) {
    let text = fs::read_to_string(root.join(TRACE)).unwrap_or_default();
    assert_eq!(text, "", "a repository ran a program");
}

/// The folder with the program, the hooks and an included file. It is the same for all tests, because repositories
/// that were made once are written again elsewhere.
fn trap() -> &'static Path {
    static TRAP: OnceLock<PathBuf> = OnceLock::new();
    TRAP.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("canary");
        fs::create_dir_all(folder.join("hooks")).unwrap();
        let program = folder.join("program");
        let script = format!(
            "#!/bin/sh\nat=$PWD\nwhile [ -n \"$at\" ] && [ ! -e \"$at/{ARMED}\" ]; do at=${{at%/*}}; done\n\
             echo \"$0 $*\" >> \"${{at:-{}}}/{TRACE}\"\n",
            folder.display()
        );
        // Another process of these tests may be about to start it.
        let beside = folder.join(std::process::id().to_string());
        fs::write(&beside, script).unwrap();
        fs::set_permissions(&beside, fs::Permissions::from_mode(0o755)).unwrap();
        fs::rename(&beside, &program).unwrap();
        fs::write(&beside, settings(&program.display().to_string())).unwrap();
        fs::rename(&beside, folder.join("carried")).unwrap();
        for hook in HOOKS {
            // It may be there from another run.
            let _ = symlink(&program, folder.join("hooks").join(hook));
        }
        folder
    })
}

// Proves that the trap works: plain git sets it off, and it is seen.
#[test]
fn the_trap_of_every_repository_is_alive() {
    let repo = super::repo::Repo::new();
    if !is_armed(&repo.root()) {
        return eprintln!("SKIPPED the trap: with one test thread nothing is armed");
    }
    #[expect(clippy::disallowed_methods, reason = "git without the care of the other tests")]
    let status = std::process::Command::new(super::repo::git_program())
        .arg("status")
        .current_dir(repo.path())
        .env("HOME", repo.home())
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .status()
        .unwrap();
    assert!(status.success());
    let trace = repo.root().join(TRACE);
    assert!(fs::read_to_string(&trace).unwrap().contains("canary/program"));
    fs::remove_file(trace).unwrap();
}
