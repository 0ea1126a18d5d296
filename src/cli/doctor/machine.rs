//! What the doctor examines besides the agents: closeout's own folders, git, tmux, the limits of watching,
//! the terminal. It must change nothing, except to create the state folder.

use std::fs;
use std::io::IsTerminal;
use std::path::Path;
use std::time::Duration;

use super::finding::{Finding, Section};
use crate::cli::environment::{Environment, is_utf8};
use crate::config::{AutoProbes, Config, Flags};
use crate::engine::clock;
use crate::evidence::git;
use crate::git::{LEAST_GIT, Repository, user_file_in_the_way, version_in};
use crate::model::{NoticeRoute, ReadProblem, display_text, quantity};
use crate::present::counts;
use crate::process::{self, Budget, End, Spec};
use crate::store::Store;

/// How long a program may take to print its version; Node programs need seconds on a cold disk.
const VERSION_LIMIT: Duration = Duration::from_secs(15);
/// Below this number of watches, a large number of worktrees would use up the system's limit.
const FEW_WATCHES: u64 = 8_192;
/// With less space, in bytes, the next record may not fit.
const LITTLE_SPACE: u64 = 64 << 10;
/// The tmux escape delay, in milliseconds, from which each press of Esc feels slow.
const SLOW_ESCAPE: u64 = 100;

/// Examines closeout itself: its configuration and its folders. Also returns the configuration, if it is valid.
pub(super) fn closeout(environment: &Environment) -> (Section, Option<Config>) {
    let sources = environment.sources(Flags::default());
    let mut findings = vec![Finding::ok(format!("closeout {}", env!("CARGO_PKG_VERSION")))];
    let config = match Config::load(&sources) {
        Ok(config) => {
            findings.push(Finding::ok("the configuration is valid"));
            Some(config)
        }
        Err(error) => {
            findings.push(Finding::problem(error.to_string(), "fix that file; nothing runs until then"));
            None
        }
    };
    findings.push(match sources.state_folder() {
        None => Finding::hint(
            "no state folder: neither HOME nor XDG_STATE_HOME is set",
            "set HOME; without it baselines are forgotten, and hooks leave nothing",
        ),
        Some(folder) => match Store::open(&folder) {
            Ok(store) => match store.free_bytes().filter(|free| *free < LITTLE_SPACE) {
                Some(free) => Finding::problem(
                    format!(
                        "too little space for the state in {}: {} free",
                        display_text::path(&folder),
                        quantity::size(free)
                    ),
                    "free some space; until then nothing is done that cannot be recorded, and no gate \
                     holds an agent back",
                ),
                None => Finding::ok(format!("state is kept in {}", display_text::path(&folder))),
            },
            Err(error) => {
                Finding::problem(error.to_string(), "make that folder yours, or set CLOSEOUT_STATE_DIR")
            }
        },
    });
    findings.extend(config.as_ref().and_then(|config| auto_probes(environment, config.auto_probes)));
    (Section::new("closeout", findings), config)
}

/// How much of the budget for automatic questions is left; `None` if they are off.
fn auto_probes(environment: &Environment, auto: AutoProbes) -> Option<Finding> {
    if !auto.is_on {
        return None;
    }
    let folder = environment.state_folder()?;
    let budget = Store::open(folder).and_then(|store| store.auto_budget(auto.per_hour, clock::now()));
    Some(match budget {
        Ok(budget) => Finding::note(format!(
            "closeout asks agents automatically (completion_check.auto_probe): {} of {} questions left this hour",
            budget.per_hour.saturating_sub(budget.n_sent),
            budget.per_hour
        )),
        Err(error) => Finding::problem(
            format!("closeout cannot ask agents automatically: {error}"),
            "remove that file; this hour's budget then starts over",
        ),
    })
}

/// Examines git, and the repository of the working directory.
pub(super) fn git(environment: &Environment) -> Section {
    let mut findings = vec![match version_of(environment, "git") {
        None => Finding::problem(
            "git is not on the PATH",
            "install git: repositories of a newer format, and large ones, cannot be read without it",
        ),
        Some(Version::Failed | Version::TookLong) => {
            Finding::problem("git does not report its version", "run `git --version`")
        }
        Some(Version::Known(version)) => git_version(version),
    }];
    findings.extend(waited_for(environment));
    findings.push(match git::worktrees(&environment.here) {
        Ok(worktrees) => {
            let worktrees = worktrees.found;
            let broken = worktrees
                .iter()
                .find_map(|worktree| worktree.problem.as_ref().map(|problem| (&worktree.path, problem)));
            match broken {
                None => Finding::ok(format!("this repository has {}", counts::worktrees(worktrees.len()))),
                Some((path, problem)) => Finding::hint(
                    format!("the worktree {} {problem}", display_text::path(path)),
                    "`git worktree prune` forgets worktrees that are gone",
                ),
            }
        }
        Err(unreadable) if unreadable.problem == ReadProblem::NoRepository => {
            Finding::note("this directory is in no repository; only agents' sessions are shown from here")
        }
        Err(unreadable) => Finding::problem(unreadable.detail, "make sure that `git status` works here"),
    });
    Section::new("git", findings)
}

/// What git would wait for, or fail on: among the user's own files, or those of the repository of the working directory.
fn waited_for(environment: &Environment) -> Vec<Finding> {
    let home = environment.variable("HOME").map(Path::new);
    let of_user = home.and_then(user_file_in_the_way);
    let of_user = of_user.map(|words| {
        Finding::problem(words, "until then git runs without your settings, and nothing is committed")
    });
    let repository = Repository::find(&environment.here).ok().flatten();
    let (program, budget) = (environment.program("git"), Budget::default());
    let hanging = repository.and_then(|repository| {
        let ask =
            git::GitAsk { program: program.as_deref(), home, ..git::GitAsk::new(clock::now(), &budget) };
        // Git comes to the rules only where it waits for nothing before.
        let words = repository.hanging_file_of_files().or_else(|| git::hanging_rules(&repository, &ask));
        words.map(|words| format!("{words}, and git waits for it"))
    });
    let hanging = hanging.map(|words| Finding::problem(words, "put a file in its place, or remove it"));
    of_user.into_iter().chain(hanging).collect()
}

fn git_version(line: String) -> Finding {
    let (major, minor) = LEAST_GIT;
    match version_in(&line) {
        Some(version) if version < LEAST_GIT => Finding::problem(
            format!(
                "{line} is older than {major}.{minor}: it may take a folder of a work tree for a \
                 repository, which could name programs to run"
            ),
            format!("install git {major}.{minor} or newer before you rescue work that you do not trust"),
        ),
        Some(_) => Finding::ok(line),
        None => Finding::hint(
            format!("git reports its version in an unknown form: {line}"),
            format!("make sure that it is {major}.{minor} or newer"),
        ),
    }
}

/// Examines tmux, which is needed to jump to an agent and to paste an answer into a live one.
pub(super) fn tmux(environment: &Environment, config: Option<&Config>) -> Section {
    let mut findings = match version_of(environment, "tmux") {
        None => vec![Finding::hint(
            "tmux is not on the PATH",
            "without it closeout cannot go to an agent's pane, nor answer Claude Code, opencode and Gemini CLI while \
             they are open; install tmux and start the agents in it",
        )],
        Some(Version::Failed | Version::TookLong) => {
            vec![Finding::hint("tmux does not run", "run `tmux -V`")]
        }
        Some(Version::Known(version)) => vec![Finding::ok(version)],
    };
    if environment.variable("TMUX").is_some() {
        findings.push(Finding::ok("this terminal is inside tmux"));
        let escape_time = run(environment, "tmux", &["show-options", "-sv", "escape-time"]);
        if let Some(millis) = escape_time.ok().and_then(|text| text.trim().parse::<u64>().ok())
            && millis > SLOW_ESCAPE
        {
            findings.push(Finding::hint(
                format!("tmux waits {millis} ms after Esc"),
                "put `set -sg escape-time 10` into ~/.tmux.conf",
            ));
        }
    }
    findings.extend(config.and_then(|config| passthrough(environment, &config.notices().ways)));
    Section::new("tmux", findings)
}

/// Whether tmux passes on notices sent as control sequences. Before 3.3 it always did and had no such option.
fn passthrough(environment: &Environment, ways: &[NoticeRoute]) -> Option<Finding> {
    environment.variable("TMUX")?;
    let is_over_ssh = ["SSH_CONNECTION", "SSH_TTY"].iter().any(|name| environment.variable(name).is_some());
    let needs_it = |way: &NoticeRoute| match way {
        NoticeRoute::Osc9 | NoticeRoute::Osc777 | NoticeRoute::Osc99 => true,
        NoticeRoute::Desktop => is_over_ssh,
        NoticeRoute::Bell | NoticeRoute::Title => false,
    };
    if !ways.iter().any(needs_it) {
        return None;
    }
    let shown = run(environment, "tmux", &["show-options", "-Apv", "allow-passthrough"]).ok()?;
    Some(match shown.trim() {
        "all" => Finding::ok("tmux passes notices on"),
        "on" => Finding::note(
            "tmux passes notices on only from visible windows; `set -g allow-passthrough all` includes the others",
        ),
        _ => Finding::hint(
            "tmux swallows the notices that `notify.ways` sends through it: allow-passthrough is off",
            "put `set -g allow-passthrough all` into ~/.tmux.conf",
        ),
    })
}

/// Examines the limits of watching files and processes.
pub(super) fn watching(environment: &Environment) -> Section {
    let limit = |name: &str| -> Option<u64> {
        fs::read_to_string(Path::new("/proc/sys/fs/inotify").join(name)).ok()?.trim().parse().ok()
    };
    let mut findings = Vec::new();
    match limit("max_user_watches") {
        Some(watches) if watches < FEW_WATCHES => findings.push(Finding::hint(
            format!("the system allows {watches} watches; closeout needs about 5 per workspace"),
            "`sudo sysctl fs.inotify.max_user_watches=65536` raises it until the next reboot",
        )),
        Some(watches) => findings.push(Finding::ok(format!("the system allows {watches} watches"))),
        None => findings.push(Finding::note("the system does not say how many watches it allows")),
    }
    if let Some(instances) = limit("max_user_instances") {
        findings.push(Finding::ok(format!("and {instances} programs that watch")));
    }
    findings.push(if Path::new("/proc/self/stat").exists() {
        Finding::ok("processes can be told apart (/proc)")
    } else {
        Finding::hint(
            "there is no /proc",
            "mount it: without it closeout cannot tell whether an agent is still running",
        )
    });
    if let Some(remote) = remote_file_system(&environment.here) {
        findings.push(Finding::hint(
            format!("this directory is on {remote}, which does not report changes made on other machines"),
            "such changes show at the next slow pass; `watch.reconcile_minutes` sets how often that runs",
        ));
    }
    Section::new("watching", findings)
}

pub(super) fn terminal(environment: &Environment) -> Section {
    let text = |name: &str| environment.variable(name).and_then(|value| value.to_str()).map(str::to_owned);
    let mut findings = Vec::new();
    match text("TERM") {
        None => findings.push(Finding::problem(
            "TERM is not set",
            "set TERM to the type of your terminal, like xterm-256color",
        )),
        Some(term) if term == "dumb" => {
            findings.push(Finding::hint(
                "TERM is dumb: no colour is used", "set TERM to the type of your terminal",
            ));
        }
        Some(term) => findings.push(Finding::ok(format!("TERM is {term}"))),
    }
    let locale = environment.locale();
    let is_utf8 = locale.as_deref().is_some_and(is_utf8);
    findings.push(match locale {
        _ if is_utf8 => Finding::ok("the locale is UTF-8"),
        Some(locale) => Finding::hint(
            format!("the locale is {locale}, not UTF-8"),
            "set LANG to a UTF-8 locale like C.UTF-8, or `ui.look = \"ascii\"`",
        ),
        None => Finding::hint(
            "no locale is set",
            "set LANG to a UTF-8 locale like C.UTF-8, or `ui.look = \"ascii\"`",
        ),
    });
    if text("NO_COLOR").is_some() {
        findings.push(Finding::note("NO_COLOR is set: no colour is used"));
    }
    findings.push(if std::io::stdout().is_terminal() {
        match crossterm::terminal::size() {
            Ok((columns, rows)) if columns < 60 || rows < 15 => Finding::hint(
                format!("the terminal has {columns}x{rows}"),
                "from 80x24 on, list and detail both have room",
            ),
            Ok((columns, rows)) => Finding::ok(format!("the terminal has {columns}x{rows}")),
            Err(error) => {
                Finding::problem(format!("the terminal does not report its size: {error}"), "run `stty size`")
            }
        }
    } else {
        Finding::note("standard output is not a terminal here")
    });
    Section::new("terminal", findings)
}

/// The result of asking a program for its version.
pub(super) enum Version {
    /// The first line of its output.
    Known(String),
    /// It did not start, or failed.
    Failed,
    /// It exceeded the time limit, as on a busy machine or a cold disk.
    TookLong,
}

/// The version that a program prints; `None` if it is not on the search path.
pub(super) fn version_of(environment: &Environment, name: &str) -> Option<Version> {
    environment.program(name)?;
    let flag = if name == "tmux" { "-V" } else { "--version" };
    Some(match run(environment, name, &[flag]) {
        Ok(text) => Version::Known(text.lines().next().unwrap_or_default().trim().to_owned()),
        Err(Some(End::TimedOut)) => Version::TookLong,
        Err(_) => Version::Failed,
    })
}

/// The output of a program that succeeded; otherwise how it ended, or `None` if it was not started.
fn run(environment: &Environment, name: &str, arguments: &[&str]) -> Result<String, Option<End>> {
    let program = environment.program(name).ok_or(None)?;
    // Git reads the user's settings even for its version, and would wait for a FIFO in their place.
    let mut spec = Spec::new(program, "/")
        .args(arguments.iter().copied())
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1");
    spec.time_limit = VERSION_LIMIT;
    for variable in ["PATH", "HOME", "LANG", "TMUX", "TMPDIR"] {
        if let Some(value) = environment.variable(variable) {
            spec = spec.env(variable, value.clone());
        }
    }
    let output = process::run(&spec).map_err(|_| None)?;
    if !output.is_success() {
        return Err(Some(output.end));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The name of the file system of `path`, if it is a network file system (statfs(2)).
fn remote_file_system(path: &Path) -> Option<&'static str> {
    let kind = rustix::fs::statfs(path).ok()?.f_type;
    let names: [(i64, &str); 6] = [
        (0x6969, "NFS"),
        (0xFF53_4D42, "SMB"),
        (0xFE53_4D42, "SMB"),
        (0x0102_1997, "9P"),
        (0x6573_5546, "FUSE"),
        (0x00C3_6400, "Ceph"),
    ];
    names.into_iter().find(|(magic, _)| i128::from(kind) == i128::from(*magic)).map(|(_, name)| name)
}
