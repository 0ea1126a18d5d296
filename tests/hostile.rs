//! Clones made to harm, and every command that a person would type in one of them. A trace of the system calls
//! is the witness: nothing outside is opened for writing, nothing of the clone's is run, no command takes
//! longer than its budget.
//!
//! Each world is armed with all that `rescue::hostile` knows before it is spoiled in its own way. A plain run
//! takes a third of the worlds in which nothing waits for a time limit, and a part of the commands in each;
//! `CLOSEOUT_TEST_ALL=1` tries every command in every world, `CLOSEOUT_TEST_WORLD=name` in one.

#[path = "hostile/git_dirs.rs"]
mod git_dirs;
#[path = "hostile/places.rs"]
mod places;
#[path = "hostile/settings.rs"]
mod settings;
#[path = "hostile/trees.rs"]
mod trees;
#[path = "hostile/witness.rs"]
mod witness;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use crate::rescue::hostile::{arm, program};
use crate::support::pty::Shown;
use crate::support::repo::Repo;
use crate::support::test_env::{TestEnv, traces};
use witness::Traced;

/// The content of files outside that nothing may show or keep.
const SECRET: &str = "hunter2-not-for-anybody";
/// How long a command may take: programs that hang may cost it 6 s, git's library that hangs half of a reading (5 s), and
/// the tracing takes its time.
const BUDGET: Duration = Duration::from_secs(12);
/// Programs in the top folder that nothing may start, although `PATH` begins with `.`.
const DECOYS: [&str; 7] = ["git", "claude", "codex", "sh", "ps", "tmux", "commit-rescue.py"];

/// A way to spoil a clone. "slow" is a world in which a command waits for a time limit or reads a lot.
pub(super) type Hostility = (&'static str, Pace, fn(&World));

/// Whether a world is part of a plain run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Pace {
    Quick,
    Slow,
}

/// A hostile clone with a home, a state folder and things outside that must stay as they are.
pub(super) struct World {
    repo: Repo,
}

impl World {
    fn new() -> World {
        let repo = Repo::prepared("hostile clone", || {
            let repo = Repo::new();
            repo.write("src/a.rs", "fn a() {}\n").write("b", "1\n").commit("more");
            repo.switch("work");
            repo.write("src/a.rs", "fn a() { b() }\n")
                .write("new/deep/x", "x\n")
                .write("b", "2\n")
                .stage("b");
            let other = repo.beside("outside/other");
            other.git(["init", "-q", "-b", "main"]);
            other.write("f", "1\n").commit("theirs");
            other.write("f", "2\n");
            for name in ["key", "heads/main", "heads/work", "packed-refs", "HEAD", "index", "settings.json"] {
                repo.beside("outside").write(name, format!("{SECRET}\n"));
            }
            repo.beside("home").write(".gitconfig", "[user]\n\tname = A\n\temail = a@example.com\n");
            for folder in [".claude", ".codex", ".gemini", "config/opencode"] {
                fs::create_dir_all(repo.home().join(folder)).unwrap();
            }
            fs::create_dir(repo.root().join("tmp")).unwrap();
            repo
        });
        let program = program(&repo);
        for decoy in DECOYS {
            fs::copy(&program, repo.at(decoy)).unwrap();
        }
        arm(&repo);
        World { repo }
    }

    /// A path in the clone.
    fn at(&self, name: &str) -> PathBuf {
        self.repo.at(name)
    }

    /// A path outside the clone.
    fn outside(&self, name: &str) -> PathBuf {
        self.repo.root().join("outside").join(name)
    }

    /// The program that must not run.
    fn program(&self) -> String {
        self.repo.root().join("hostile").display().to_string()
    }

    /// Removes what is at a path of the clone and creates its folder.
    fn clear(&self, name: &str) -> PathBuf {
        let path = self.at(name);
        let _ = fs::remove_dir_all(&path).or_else(|_| fs::remove_file(&path));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        path
    }

    /// Replaces a path of the clone by a link to something outside.
    fn link(&self, name: &str, to: &str) {
        symlink(self.outside(to), self.clear(name)).unwrap();
    }

    /// Replaces a path of the clone by a named pipe.
    fn fifo(&self, name: &str) {
        let path = self.clear(name);
        self.repo.fifo(&path);
    }

    /// Replaces a path of the clone by a file.
    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.clear(name), content).unwrap();
    }

    /// Adds settings to the repository's own.
    fn configure(&self, text: &str) {
        let path = self.at(".git/config");
        let all = fs::read_to_string(&path).unwrap() + &text.replace('@', &self.program());
        fs::write(path, all).unwrap();
    }

    fn env(&self) -> TestEnv {
        let root = self.repo.root();
        TestEnv::beside(&self.repo)
            .with_variable("CLAUDE_CONFIG_DIR", root.join("home/.claude"))
            .with_variable("TMPDIR", root.join("tmp"))
            .with_variable("PATH", format!(".:{}", std::env::var("PATH").unwrap_or_default()))
    }
}

/// A command line, and the folders of the scratch folder that it may write to beside closeout's own.
struct Command {
    words: &'static str,
    may_write: &'static [&'static str],
}

/// The git directory of the clone, and of the repository whose worktree it is in some worlds.
const GIT: &[&str] = &["repo/.git", "main/.git"];

/// Everything that a person would try, in this order. The screen comes in between.
const COMMANDS: [Command; 10] = [
    Command { words: "status --json", may_write: &[] },
    Command { words: "check", may_write: &[] },
    Command { words: "doctor", may_write: &[] },
    Command { words: "rescue --dry-run", may_write: GIT },
    Command { words: witness::SCREEN, may_write: &[] },
    Command { words: "rescue -y -m work", may_write: GIT },
    Command { words: "undo -y", may_write: GIT },
    Command { words: "restore RECORD INTO", may_write: &["into"] },
    Command { words: "hook install", may_write: &["home"] },
    Command {
        words: "hook install --scope project",
        may_write: &[
            "home", "repo/.claude", "repo/.codex", "repo/.gemini", "repo/.opencode", "repo/opencode.json",
        ],
    },
];

/// What was wrong in a world, and what each command did.
type Tried = (Vec<String>, Vec<Traced>);

/// Spoils a clone and tries the commands. `part` selects a third of them.
fn try_world((name, _, spoil): &Hostility, part: Option<usize>) -> Tried {
    let world = World::new();
    spoil(&world);
    let root = world.repo.root();
    let outside = traces(&root.join("outside"));
    let (mut wrong, mut all) = (Vec::new(), Vec::new());
    let env = world.env();
    for (number, command) in COMMANDS.iter().enumerate() {
        if part.is_some_and(|part| number % 3 != part % 3) {
            continue;
        }
        let home = traces(&world.repo.home());
        let words = command.words.replace("RECORD", &newest_record(&env, world.repo.path()));
        let words = words.replace("INTO", &root.join("into").display().to_string());
        let traced = witness::run(&env, world.repo.path(), &words);
        let always = ["state", "tmp", "home/cache", "home/state"];
        let may_write: Vec<PathBuf> =
            always.iter().chain(command.may_write).map(|it| root.join(it)).collect();
        let complaints = traced.complaints(&may_write);
        wrong.extend(complaints.into_iter().map(|words| format!("{name}: {}: {words}", command.words)));
        if !command.may_write.contains(&"home") && traces(&world.repo.home()) != home {
            wrong.push(format!("{name}: {}: the home folder is not as it was", command.words));
        }
        all.push(traced);
    }
    if traces(&root.join("outside")) != outside {
        wrong.push(format!("{name}: something outside is not as it was"));
    }
    if root.join("canary").exists() {
        wrong.push(format!("{name}: the clone ran a program"));
    }
    wrong.extend(
        witness::secret_objects(&env, &world.at(".git/objects")).map(|words| format!("{name}: {words}")),
    );
    (wrong, all)
}

/// The reference of the newest record, or a name that no record has.
fn newest_record(env: &TestEnv, here: &Path) -> String {
    let listed = env.run(here, &["rescues", "--json"]);
    let found: Option<serde_json::Value> = serde_json::from_str(&listed.out).ok();
    let reference = found.and_then(|all| all["records"][0]["reference"].as_str().map(str::to_owned));
    reference.unwrap_or_else(|| "none".to_owned())
}

fn is_judged(shown: &Shown) -> bool {
    !shown.list().is_empty() && shown.list().iter().all(|(state, _)| *state != "READING")
}

#[test]
fn nothing_outside_is_touched_and_nothing_of_the_clone_runs() {
    if let Some(words) = witness::is_missing() {
        return eprintln!("SKIPPED hostile clones: {words}");
    }
    let is_whole = std::env::var_os("CLOSEOUT_TEST_ALL").is_some();
    let only = std::env::var("CLOSEOUT_TEST_WORLD").ok();
    let all: Vec<Hostility> = [settings::WAYS, git_dirs::WAYS, trees::WAYS].concat();
    assert!(all.len() >= 50, "{}", all.len());
    let chosen: Vec<Hostility> = all
        .into_iter()
        .filter(|(name, pace, _)| match &only {
            Some(only) => name.contains(only.as_str()),
            None => is_whole || *pace == Pace::Quick,
        })
        .enumerate()
        .filter(|(number, _)| is_whole || only.is_some() || number % 3 == 0)
        .map(|(_, way)| way)
        .collect();
    let (left, tried) = (Mutex::new(chosen.iter().enumerate()), Mutex::new(Vec::<Tried>::new()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let Some((number, way)) = left.lock().unwrap().next() else { break };
                    let part = (!is_whole && only.is_none()).then_some(number);
                    let one = try_world(way, part);
                    if part.is_none() {
                        eprintln!(
                            "{}: {}",
                            way.0,
                            one.1.iter().map(Traced::summary).collect::<Vec<_>>().join(", ")
                        );
                    }
                    tried.lock().unwrap().push(one);
                }
            });
        }
    });
    let tried = tried.into_inner().unwrap();
    let n_commands: usize = tried.iter().map(|(_, all)| all.len()).sum();
    let longest = tried.iter().flat_map(|(_, all)| all).map(|it| it.took).max();
    eprintln!("hostile: {} clones, {n_commands} commands, the longest {longest:?}", tried.len());
    let wrong: Vec<&str> = tried.iter().flat_map(|(wrong, _)| wrong).map(String::as_str).collect();
    assert!(wrong.is_empty(), "{} findings:\n{}", wrong.len(), wrong.join("\n"));
}
