//! A world of one scenario: a repository, sessions, a clock that is now, and the verdict on all of it by the same
//! entry that `closeout check` uses.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, SystemTime};

use closeout::config::Flags;
use closeout::engine::{Overrides, clock};
use closeout::model::{BackgroundTask, HookEvent, HookKind, ProcessId, Proof, TaskKind, Timestamp};
use closeout::store::hook_log;

use super::claude::Claude;
use super::codex::Codex;
use super::commit;
use super::gemini::Gemini;
use super::opencode::Opencode;
use super::own_agent::OwnAgent;
use crate::support::repo::git_program;

const DAY: i64 = 86_400;

pub(super) struct World {
    pub(super) root: tempfile::TempDir,
    pub(super) now: i64,
    /// The name of the work tree.
    folder: String,
    /// The session of a step that names none.
    session: String,
    pub(super) claude: BTreeMap<String, Claude>,
    pub(super) codex: BTreeMap<String, Codex>,
    pub(super) opencode: BTreeMap<String, Opencode>,
    pub(super) gemini: BTreeMap<String, Gemini>,
    pub(super) own: BTreeMap<String, OwnAgent>,
    /// The text of the person's configuration.
    pub(super) config: String,
    pub(super) flags: Flags,
    pub(super) overrides: Overrides,
    /// The folders of subagents that have one of their own, relative to the work tree.
    pub(super) subagent_folders: BTreeMap<(String, usize), PathBuf>,
    /// Nothing but commits was made in the repository so far.
    pub(super) is_plain: bool,
    /// The work tree is in a temporary folder of the system.
    pub(super) is_temporary: bool,
}

/// What a session is told to say or do.
pub(super) enum Deed<'a> {
    Prompt(&'a str),
    /// Words that end the turn.
    Say(&'a str),
    /// Words on the way.
    Mid(&'a str),
    /// A command with its exit code and output.
    Run {
        command: &'a str,
        code: i32,
        output: &'a str,
    },
    /// A call that has not answered.
    Pending {
        tool: &'a str,
        with: &'a str,
    },
    /// A file that its tool wrote.
    Edit(&'a str),
    /// `x` or `-` and a title, for each.
    Todos(Vec<(bool, &'a str)>),
    Interrupt,
    Error {
        status: u16,
        text: &'a str,
    },
    /// A line of the client itself.
    Client(&'a str),
}

impl<'a> Deed<'a> {
    /// What a verb tells a session to say or do; `None` for a verb that does more, or something else.
    pub(super) fn of(verb: &str, words: &'a str) -> Option<Deed<'a>> {
        Some(match verb {
            "prompt" => Deed::Prompt(words),
            "say" => Deed::Say(words),
            "mid" => Deed::Mid(words),
            "client" => Deed::Client(words),
            "run" => {
                let (command, output) = words.split_once(" => ").unwrap_or((words, ""));
                let (code, command) = command.split_once(' ').unwrap();
                Deed::Run { command, code: code.parse().unwrap(), output }
            }
            "open" => {
                let (tool, with) = words.split_once(' ').unwrap_or((words, ""));
                Deed::Pending { tool, with }
            }
            "wrote" => Deed::Edit(words),
            "todos" => {
                let items = words.split('|').map(|item| item.trim().split_once(' ').unwrap());
                Deed::Todos(items.map(|(sign, title)| (sign == "x", title)).collect())
            }
            "interrupt" => Deed::Interrupt,
            "error" => {
                let (status, text) = words.split_once(' ').unwrap();
                Deed::Error { status: status.parse().unwrap(), text }
            }
            _ => return None,
        })
    }
}

impl World {
    /// A repository with one commit of a week ago, made once and copied.
    pub(super) fn new(session: &str) -> World {
        static TEMPLATE: OnceLock<(tempfile::TempDir, i64)> = OnceLock::new();
        let root = crate::support::scratch::folder();
        let now = clock::now().0 / 1000;
        let (template, _) = TEMPLATE.get_or_init(|| {
            let folder = crate::support::scratch::folder();
            git_in(folder.path(), now, &["init", "-q", "-b", "main", "--template="]);
            git_in(folder.path(), now, &["config", "user.name", "p"]);
            git_in(folder.path(), now, &["config", "user.email", "p@x"]);
            fs::create_dir_all(folder.path().join(".git/info")).unwrap();
            fs::write(folder.path().join("README.md"), "hello\n").unwrap();
            git_in(folder.path(), now - 7 * DAY, &["add", "-A"]);
            git_in(folder.path(), now - 7 * DAY, &["commit", "-q", "-m", "start"]);
            (folder, now)
        });
        let work = root.path().join("work");
        copy(template.path(), &work);
        fs::create_dir(root.path().join("home")).unwrap();
        World {
            root,
            now,
            folder: "work".to_owned(),
            session: session.to_owned(),
            claude: BTreeMap::new(),
            codex: BTreeMap::new(),
            opencode: BTreeMap::new(),
            gemini: BTreeMap::new(),
            own: BTreeMap::new(),
            subagent_folders: BTreeMap::new(),
            config: String::new(),
            flags: Flags::default(),
            overrides: Overrides::default(),
            is_plain: true,
            is_temporary: false,
        }
    }

    pub(super) fn work(&self) -> PathBuf {
        self.root.path().join(&self.folder)
    }

    pub(super) fn home(&self) -> PathBuf {
        self.root.path().join("home")
    }

    /// Takes one step.
    pub(super) fn take(&mut self, step: &str) {
        let (session, rest) = match step.split_once(": ") {
            Some((name, rest)) if name.chars().all(char::is_alphanumeric) => (name.to_owned(), rest),
            _ => (self.session.clone(), step),
        };
        let session = session.as_str();
        let (head, words) = rest.split_once(' ').unwrap_or((rest, ""));
        let (verb, ago) = head.split_once('@').unwrap_or((head, "0"));
        let ago: i64 = ago.parse().unwrap_or_else(|_| panic!("no time: {step}"));
        let at = self.now - ago;
        if let Some((number, verb)) = verb.strip_prefix("sub").and_then(|verb| verb.split_once(':')) {
            return self.take_of_subagent(session, number, verb, at, words);
        }
        if let Some(deed) = Deed::of(verb, words) {
            return self.tell(session, at, &deed);
        }
        match verb {
            "often" => self.ask_often(session, at, words),
            "sessions" => self.begin_many(at, false, words),
            "rounds" => self.begin_many(at, true, words),
            "reads" => self.read_much(session, at, words.parse().unwrap()),
            "long" => {
                let (n_kilobytes, command) = words.split_once(' ').unwrap();
                let output = "x".repeat(n_kilobytes.parse::<usize>().unwrap() << 10);
                self.tell(session, at, &Deed::Run { command, code: 0, output: &output });
            }
            "edit" => {
                let path = self.edit(Path::new(""), at, words);
                self.tell(session, at, &Deed::Edit(path));
            }
            "registry" => self.register(session, words),
            "hook" => self.hook(session, at, words),
            "shown" => {
                let work = self.work();
                let own = self.own.entry(session.to_owned()).or_insert_with(|| OwnAgent::new(&work, session));
                own.is_shown = true;
            }
            "fork" => {
                let fork = self.claude[words].fork();
                self.claude.insert(session.to_owned(), fork);
            }
            "compact" | "queued" | "dequeued" | "blocked" | "meta" | "raw" | "broken" | "tail" => {
                let work = self.work();
                let record = self.claude.entry(session.to_owned()).or_insert_with(|| Claude::new(&work));
                record.write_line_of(verb, at, words);
            }
            _ => self.change(verb, at, words),
        }
    }

    /// Writes a file of the folder `below`, and returns its path there.
    pub(super) fn edit<'w>(&self, below: &Path, at: i64, words: &'w str) -> &'w str {
        let (path, content) = words.split_once(" => ").unwrap_or((words, ""));
        let content =
            if content.is_empty() { format!("code {}\n", self.now - at) } else { content.to_owned() };
        self.write(&below.join(path).display().to_string(), &content, at);
        path
    }

    /// The same prompt and answer, a second apart: `times prompt => answer`.
    fn ask_often(&mut self, session: &str, at: i64, words: &str) {
        let (times, asked) = words.split_once(' ').unwrap();
        let (asked, answer) = asked.split_once(" => ").unwrap();
        for after in 0..times.parse().unwrap() {
            self.tell(session, at + after, &Deed::Prompt(asked));
            self.tell(session, at + after, &Deed::Say(answer));
        }
    }

    /// So many sessions, a second apart, each with this prompt and answer: `number prompt => answer`. A script prompts those
    /// that are `headless`.
    fn begin_many(&mut self, at: i64, is_headless: bool, words: &str) {
        let (number, asked) = words.split_once(' ').unwrap();
        let (asked, answer) = asked.split_once(" => ").unwrap();
        for after in 0..number.parse().unwrap() {
            let (name, at) = (format!("many{after}"), at + after);
            if is_headless {
                let message = serde_json::json!({"role": "user", "content": asked});
                let line = serde_json::json!({"type": "user", "message": message, "promptSource": "sdk", "entrypoint": "sdk-cli"});
                self.take(&format!("{name}: raw@{} {line}", self.now - at));
            } else {
                self.tell(&name, at, &Deed::Prompt(asked));
            }
            self.tell(&name, at, &Deed::Say(answer));
        }
    }

    /// Commands whose output is so many kilobytes together.
    fn read_much(&mut self, session: &str, at: i64, n_kilobytes: usize) {
        let output = "a line of a file that was read\n".repeat(3_300);
        for _ in 0..n_kilobytes / 100 {
            self.tell(session, at, &Deed::Run { command: "cat notes.txt", code: 0, output: &output });
        }
    }

    /// Changes the work tree, the configuration or the command line.
    fn change(&mut self, verb: &str, at: i64, words: &str) {
        let arrow = || words.split_once(" => ").unwrap_or((words, ""));
        self.is_plain &=
            !matches!(verb, "git" | "git?" | "sh" | "rescue" | "linked") && !words.starts_with(".git/");
        match verb {
            "write" => {
                let (path, content) = arrow();
                let is_empty = !words.contains(" => ");
                self.write(path, &if is_empty { String::new() } else { format!("{content}\n") }, at);
            }
            "append" => {
                let (path, content) = arrow();
                let before = fs::read_to_string(self.work().join(path)).unwrap_or_default();
                self.write(path, &format!("{before}{content}\n"), at);
            }
            "remove" => fs::remove_file(self.work().join(words)).unwrap(),
            "commit" if self.is_plain => commit::all(&self.work(), at, words),
            "commit" => {
                self.git(at, &["add", "-A"]);
                self.git(at, &["commit", "-q", "--allow-empty", "-m", words]);
            }
            "git" => self.git(at, &words.split(' ').collect::<Vec<_>>()),
            "git?" => drop(git_status(&self.work(), at, &words.split(' ').collect::<Vec<_>>())),
            "flag" => self.flag(words),
            "config" => self.config.extend([words, "\n"]),
            "status" => self.status(at, words),
            "touch" => set_time(&self.work().join(words), at),
            "sh" => self.shell(at, words),
            "look" => drop(self.view()),
            "temporary" => self.is_temporary = true,
            "linked" => self.link(at),
            "moved" => {
                self.git(at, &["worktree", "move", ".", &format!("../{words}")]);
                words.clone_into(&mut self.folder);
            }
            "replaced" => {
                let place = format!("../{words}");
                self.git(at, &["worktree", "add", "-q", "-b", words, &place]);
                fs::remove_dir_all(self.work()).unwrap();
                words.clone_into(&mut self.folder);
            }
            "mark" => self.mark(words),
            "rescue" => self.rescue(),
            "ran" => self.ran(at, words),
            _ => panic!("no such verb: {verb} {words}"),
        }
    }

    fn tell(&mut self, session: &str, at: i64, deed: &Deed<'_>) {
        let work = self.work();
        let name = session.to_owned();
        match agent_of(session) {
            "codex" => self.codex.entry(name).or_insert_with(|| Codex::new(&work)).tell(at, deed),
            "opencode" => self.opencode.entry(name).or_insert_with(|| Opencode::new(&work)).tell(at, deed),
            "gemini" => self.gemini.entry(name).or_insert_with(|| Gemini::new(&work)).tell(at, deed),
            "mine" => self.own.entry(name).or_insert_with(|| OwnAgent::new(&work, session)).tell(at, deed),
            _ => self.claude.entry(name).or_insert_with(|| Claude::new(&work)).tell(at, deed),
        }
    }

    /// An event of a session's hook: its kind, and `tool=`, `what=`, `reason=` to the end of the words. Its process is
    /// this one, which lives; with `dead` before the kind one that is gone.
    fn hook(&mut self, session: &str, at: i64, words: &str) {
        let (work, name) = (self.work(), session.to_owned());
        let session_id = match agent_of(session) {
            "codex" => self.codex.entry(name).or_insert_with(|| Codex::new(&work)).id.clone(),
            "opencode" => self.opencode.entry(name).or_insert_with(|| Opencode::new(&work)).id.clone(),
            "gemini" => self.gemini.entry(name).or_insert_with(|| Gemini::new(&work)).id.clone(),
            _ => self.claude.entry(name).or_insert_with(|| Claude::new(&work)).id.clone(),
        };
        let (is_dead, words) = words.strip_prefix("dead ").map_or((false, words), |rest| (true, rest));
        let (kind, rest) = words.split_once(' ').unwrap_or((words, ""));
        let kind: HookKind = serde_json::from_value(kind.into()).unwrap();
        assert!(kind != HookKind::Other, "no such event: {words}");
        let pid = std::process::id();
        let started_at = closeout::agent::process_stat::read(pid).unwrap().started_at;
        let started_at = if is_dead { started_at.saturating_sub(7) } else { started_at };
        let namespace = fs::read_link("/proc/self/ns/pid").unwrap();
        let mut event = HookEvent::new(Timestamp(at * 1000), session_id, kind);
        event.folder = Some(self.work());
        event.process = Some(ProcessId { pid, started_at });
        event.pid_namespace = namespace.into_os_string().into_string().ok();
        match rest.split_once('=') {
            Some(("tool", value)) => event.tool = Some(value.to_owned()),
            Some(("what", value)) => event.what = Some(value.to_owned()),
            Some(("reason", value)) => event.reason = Some(value.to_owned()),
            Some(("background", value)) => {
                let what = Some(value.to_owned());
                let task = BackgroundTask { id: "b1".to_owned(), what, command: None, is_subagent: false };
                event.background = Some([task].into_iter().filter(|_| !value.is_empty()).collect());
            }
            _ => assert!(rest.is_empty(), "no such field: {rest}"),
        }
        hook_log::append(&self.root.path().join("state"), agent_of(session), &event).unwrap();
    }

    /// The status file of the own agent: its word, and more in words.
    fn status(&self, at: i64, words: &str) {
        let (status, detail) = words.split_once(' ').unwrap_or((words, ""));
        let mut status = serde_json::json!({"status": status});
        if !detail.is_empty() {
            status["detail"] = detail.into();
        }
        self.write(".mine/status.json", &status.to_string(), at);
    }

    fn write(&self, path: &str, content: &str, at: i64) {
        let file = self.work().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, content).unwrap();
        set_time(&file, at);
    }

    fn git(&self, at: i64, words: &[&str]) {
        git_in(&self.work(), at, words);
    }

    /// An entry of the client's registry, of a process that lives: this one.
    fn register(&self, session: &str, words: &str) {
        let folder = self.home().join(".claude/sessions");
        fs::create_dir_all(&folder).unwrap();
        let entry = self.claude[session].entry(self.now, words);
        fs::write(folder.join(format!("{}.json", std::process::id())), entry).unwrap();
    }

    /// A line of shell, for what no other verb can do.
    fn shell(&self, at: i64, line: &str) {
        let output = run(OsStr::new("sh"), &self.work(), at, &["-ec", line]);
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    }

    /// Makes the work tree a linked one, of the repository in `main`.
    fn link(&self, at: i64) {
        let main = self.root.path().join("main");
        fs::rename(self.work(), &main).unwrap();
        git_in(&main, at, &["worktree", "add", "-q", "-b", "linked", "../work"]);
        set_time(&main.join(".git/worktrees/work/gitdir"), at);
        set_time(&main.join(".git/worktrees/work/commondir"), at);
    }

    fn flag(&mut self, words: &str) {
        let (name, value) = words.split_once(' ').unwrap();
        let path = || self.work().join(value).display().to_string();
        match name {
            "--task-kind" => self.flags.task_kind = TaskKind::from_name(value),
            "--baseline-commit" => self.flags.baseline = Some(value.to_owned()),
            "--require" => self.flags.require = Proof::from_name(value),
            "--check-id" => self.overrides.check_id = Some(value.to_owned()),
            "--output" => self.overrides.outputs.push(path()),
            "--decision-file" => self.overrides.decision_file = Some(path()),
            _ => panic!("no such flag: {words}"),
        }
    }
}

/// The agent of a session, by how its name begins; Claude Code else.
pub(super) fn agent_of(session: &str) -> &'static str {
    let names = [("codex", "codex"), ("oc", "opencode"), ("gem", "gemini"), ("own", "mine")];
    names.into_iter().find(|(begin, _)| session.starts_with(begin)).map_or("claude", |(_, agent)| agent)
}

/// Writes a record of JSON lines, as old as the youngest of them.
pub(super) fn write_record(file: &Path, lines: &[(i64, serde_json::Value)]) {
    // A line that is a string is none of JSON.
    let words = |line: &serde_json::Value| line.as_str().map_or_else(|| line.to_string(), str::to_owned);
    let text: Vec<String> = lines.iter().map(|(_, line)| words(line)).collect();
    fs::write(file, text.join("\n") + "\n").unwrap();
    set_time(file, lines.iter().map(|(at, _)| *at).max().unwrap_or_default());
}

/// Sets when a file was written last.
fn set_time(file: &Path, at: i64) {
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(at.unsigned_abs());
    fs::File::options().write(true).open(file).unwrap().set_modified(time).unwrap();
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

fn git_in(folder: &Path, at: i64, words: &[&str]) {
    let output = git_status(folder, at, words);
    assert!(output.status.success(), "git {words:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// What git prints, without refreshing the index.
pub(super) fn said_by_git(folder: &Path, words: &[&str]) -> String {
    let output = git_status(folder, 0, &[&["--no-optional-locks"], words].concat());
    String::from_utf8(output.stdout).unwrap()
}

fn git_status(folder: &Path, at: i64, words: &[&str]) -> std::process::Output {
    run(git_program().as_os_str(), folder, at, words)
}

#[expect(clippy::disallowed_methods, reason = "worlds are made by the real program")]
fn run(program: &OsStr, folder: &Path, at: i64, words: &[&str]) -> std::process::Output {
    let date = format!("@{at} +0000");
    Command::new(program)
        .args(words)
        .current_dir(folder)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_AUTHOR_DATE", &date)
        .env("GIT_COMMITTER_DATE", &date)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// A moment as records write it.
pub(super) fn iso(at: i64) -> String {
    let days = at.div_euclid(DAY);
    let seconds = at.rem_euclid(DAY);
    // The civil calendar of a day since 1970 (proleptic Gregorian).
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year + era * 400 + i64::from(month <= 2);
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.000Z")
}
