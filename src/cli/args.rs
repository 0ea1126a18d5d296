//! The command line, as types. The help texts are here; what the commands do is not.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use crate::agent::{Hooks, all_hooks, hooks_of};
use crate::model::{Proof, TaskKind, Timestamp};

use super::ask_args::{Asked, Decide, Mark, Probing, Verify};
use super::notices::Notices;
use super::rescue_args::{Forget, Rescue, Rescues, Restore, Trust, Undo};
use super::run_args::{Run, Stats, Wait};
use super::value_parsers::{moment, proof, task_kind};

/// Tells for each directory in which a coding agent works whether the work is really finished, what the evidence is,
/// and what is left to do.
///
/// Without a command, opens the screen on all worktrees of the current repository and on the workspaces of all agents'
/// sessions on this machine.
#[derive(Debug, Parser)]
#[command(name = "closeout", version, args_conflicts_with_subcommands = true)]
pub(super) struct Arguments {
    #[command(subcommand)]
    pub(super) command: Option<Command>,
    #[command(flatten)]
    pub(super) watch: Watch,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Open the screen (the same as without a command)
    Watch(Watch),
    /// Judge one workspace; with --ask, ask the agent itself if no other source tells
    ///
    /// Exit codes: 0 complete, 1 not complete, 2 wrong usage, 3 the verdict is ERROR (with --ask also: no question was
    /// answered), 4 no such workspace, 5 invalid configuration, 6 input or output failed, 130 Ctrl-C.
    Check(Check),
    /// Run an agent's command, check its work, tell it what is left, and run it again until it is done
    ///
    /// When the run ends, every process that it started ends with it. Its progress is stored: after a kill, the same
    /// command continues where the run was.
    ///
    /// Exit codes: 0 complete, 21 another run is active in this workspace, 30 the command cannot be run, 50 iterations used
    /// up, 51 stalled, 52 the circuit breaker is open, 53 budget spent, 54 deadline passed, 55 a question waits for an
    /// answer, 56 unreadable decisions, 130 Ctrl-C; 2 to 6 as for `check`.
    Run(Box<Run>),
    /// Ask the agent once for its status
    ///
    /// Exit codes: 0 done, by the answer or by commits, 1 not done, 20 not asked, 21 the session is busy, 23 no usable
    /// answer, 24 you said no, 30 failed, 31 timed out, 130 Ctrl-C.
    #[command(name = "ask", alias = "probe")]
    Probe(Asked),
    /// Ask the agent for a checklist with evidence
    ///
    /// Exit codes: 0 complete, 1 not complete, 20 not asked, 21 the session is busy, 23 no usable answer, 24 you said no,
    /// 30 failed, 31 timed out, 130 Ctrl-C.
    Verify(Verify),
    /// Write the decision file: the work is complete, or it is not
    Decide(Decide),
    /// Mark a workspace: your own word overrides all evidence until something appears that you have not seen
    ///
    /// Exit codes: 0 marked, 20 refused (an agent runs this, and only a person can mark); 2 to 6 as for `check`.
    Mark(Mark),
    /// Print the verdicts of this repository's worktrees, and of all agents' sessions on this machine; paths are shown
    /// instead of the sessions
    Status(Status),
    /// Answer a session's question or permission request
    ///
    /// Without a text, shows the question and the route that a reply would take, and sends nothing.
    ///
    /// Exit codes: 0 the agent or its queue has the reply, 20 refused, not sent, 21 another closeout is writing to the
    /// session, 22 not trusted, 23 outcome unknown, 24 you said no, 30 failed, 31 timed out.
    Reply(Reply),
    /// Classify an agent's last message: does it wait for an answer, is it done, did it stop half-way
    Classify(Classify),
    /// Report what closeout finds on this machine (agents, git, tmux, limits), and what needs repair
    ///
    /// Exit codes: 0 no problem, 1 something needs repair.
    Doctor(Doctor),
    /// Print the settings that apply in a workspace, and where each comes from
    ///
    /// Your own files take precedence over the workspace's; `config/default.toml` in the source explains every key.
    Config(Config),
    /// Serve the Model Context Protocol on standard input and output, so that an agent can ask what is left, and decide
    Mcp,
    /// Have the agents report what they do, as it happens
    #[command(subcommand)]
    Hook(Hook),
    /// Save uncommitted work: record all of it, show what a commit would contain, and commit it
    ///
    /// The record is complete, is stored under a hidden reference and changes nothing. The commit contains exactly what
    /// was shown, or is not made.
    ///
    /// Exit codes: 0 done, 10 saved with gaps, 11 saved but not committed (also if you said no to the commit), 12 nothing
    /// to do, 20 refused, 21 another process is doing it, 22 not trusted, 23 outcome unknown, 24 you said no before
    /// anything was saved, 30 failed, 31 timed out, 40 damage; 2 to 6 as for `check`.
    Rescue(Rescue),
    /// Undo the last rescue: restores branch and index exactly, and touches no file
    ///
    /// Exit codes: 0 done, 12 nothing to undo, 20 refused, 21 another process is doing it, 24 you said no, 30 failed,
    /// 31 timed out, 40 damage; 2 to 6 as for `check`.
    Undo(Undo),
    /// Redo the rescue that was undone last
    Redo(Undo),
    /// List the records of a repository: time, workspace, size, and whether a branch contains their work
    ///
    /// Exit code 40: the records are damaged.
    Rescues(Rescues),
    /// Write the files of a record into a folder that is new, empty, or holds a part of it
    Restore(Restore),
    /// Delete a record permanently
    Forget(Forget),
    /// Show what could run programs in a workspace (filters, hooks, your own rescue program), and trust it
    ///
    /// Trust covers exactly what was shown: after any change you are asked again.
    ///
    /// Exit codes: 0 trusted, 12 nothing to trust or to remove, 22 not trusted.
    Trust(Trust),
    /// Print what was done to workspaces, by whom, and how it ended; newest last
    Log(Log),
    /// Print statistics by agent and week: false aborts, rescues, probes, timeouts, proofs
    ///
    /// They are computed from the entries of `closeout log --all`.
    Stats(Stats),
    /// Wait until a workspace reaches one of the given states
    ///
    /// Exit codes: 0 reached, 31 not in time; 2 to 6 as for `check`.
    Wait(Wait),
    /// Print the JSON schema of everything that `--json` prints
    Schema,
    /// Print a shell completion script
    Completions {
        /// The shell
        #[arg(value_name = "SHELL", value_enum)]
        shell: Shell,
    },
    /// Print the manual page, for `man -l -`
    Man,
}

/// `closeout watch`.
#[derive(Debug, Default, Args)]
pub(super) struct Watch {
    /// More directories to show, besides the worktrees of this repository
    #[arg(value_name = "PATH")]
    pub(super) paths: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) notify: Notices,
}

/// `closeout check`.
#[derive(Debug, Args)]
#[expect(clippy::struct_field_names, reason = "the id of a check is called `check_id` everywhere")]
pub(super) struct Check {
    /// The workspace
    #[arg(value_name = "PATH", default_value = ".")]
    pub(super) path: PathBuf,
    /// Count new work from this commit
    #[arg(long, value_name = "REV", value_parser = revision)]
    pub(super) baseline_commit: Option<String>,
    /// What the agent was asked for: IMPLEMENTATION, READ_INFO or REPORT
    #[arg(long, value_name = "KIND", value_parser = task_kind)]
    pub(super) task_kind: Option<TaskKind>,
    /// The decision file
    #[arg(long, value_name = "FILE")]
    pub(super) decision_file: Option<PathBuf>,
    /// A file with the agent's output; can be repeated
    #[arg(long = "output", value_name = "FILE")]
    pub(super) outputs: Vec<PathBuf>,
    /// The id that a decision must carry [default: `$AGENTCORE_COMPLETION_CHECK_ID`]
    #[arg(long, value_name = "ID")]
    pub(super) check_id: Option<String>,
    /// Begin to count the rounds of this workspace and check id anew first: the same open points are no longer STALLED
    #[arg(long)]
    pub(super) reset_rounds: bool,
    /// The proof that COMPLETE needs: said, committed or checked
    #[arg(long, value_name = "PROOF", value_parser = proof)]
    pub(super) require: Option<Proof>,
    /// First run the configured checks (`[[check]]`)
    #[arg(long, conflicts_with = "probe")]
    pub(super) run_checks: bool,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
    #[command(flatten)]
    pub(super) probing: Probing,
}

/// `closeout status`.
#[derive(Debug, Args)]
pub(super) struct Status {
    /// More directories to show, besides the worktrees of this repository
    #[arg(value_name = "PATH")]
    pub(super) paths: Vec<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
    /// Keep running and print each change; with --json, as JSON lines
    #[arg(long)]
    pub(super) follow: bool,
}

/// `closeout reply`.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(super) struct Reply {
    /// The workspace, or the id of a session (the first six characters suffice)
    #[arg(value_name = "PATH|SESSION", default_value = ".")]
    pub(super) target: Option<String>,
    /// The reply; `-` reads it from standard input
    #[arg(value_name = "TEXT", conflicts_with_all = ["allow", "deny"])]
    pub(super) text: Option<String>,
    /// The session, if the workspace has several
    #[arg(long, value_name = "ID")]
    pub(super) session: Option<String>,
    /// Grant the requested permission, once
    #[arg(long, conflicts_with = "deny")]
    pub(super) allow: bool,
    /// Deny the requested permission
    #[arg(long)]
    pub(super) deny: bool,
    /// While the agent works, hold the reply until the turn has ended. An open screen or `closeout watch --headless` then
    /// sends it: once at most, and not if the agent asks something or was prompted again
    #[arg(long, requires = "text")]
    pub(super) when_idle: bool,
    /// Send without asking for confirmation
    #[arg(long)]
    pub(super) yes: bool,
    /// How many seconds to wait until the reply shows up in the session's record
    #[arg(long, value_name = "SECONDS", default_value_t = 5)]
    pub(super) wait: u32,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// `closeout classify`.
#[derive(Debug, Args)]
pub(super) struct Classify {
    /// The text; without it or with `-`, standard input
    #[arg(value_name = "FILE")]
    pub(super) file: Option<PathBuf>,
    /// What the agent was asked for: IMPLEMENTATION, READ_INFO or REPORT
    #[arg(long, value_name = "KIND", value_parser = task_kind, default_value = "READ_INFO")]
    pub(super) task_kind: TaskKind,
    /// Read lines of `{"id","task_kind","text"[,"request"][,"end"][,"did"]}` and print lines of `{"id","label",…}`
    #[arg(long, conflicts_with = "json")]
    pub(super) jsonl: bool,
    /// Show each sentence that matched a rule, with its line, its language and the matching phrases
    #[arg(long)]
    pub(super) explain: bool,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// `closeout doctor`.
#[derive(Debug, Args)]
pub(super) struct Doctor {
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// `closeout config`.
#[derive(Debug, Args)]
pub(super) struct Config {
    /// The workspace
    #[arg(value_name = "PATH", default_value = ".")]
    pub(super) path: PathBuf,
    /// Only what differs from the defaults
    #[arg(long)]
    pub(super) changed: bool,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// `closeout log`.
#[derive(Debug, Args)]
pub(super) struct Log {
    /// Only entries of the workspace at this path, or around it
    #[arg(value_name = "PATH")]
    pub(super) path: Option<PathBuf>,
    /// The number of entries, the newest ones [default: 50; with --since, all]
    #[arg(short, long, value_name = "N")]
    pub(super) number: Option<usize>,
    /// Only entries since then: a day (2026-11-20), a time, or an age (2h, 7d)
    #[arg(long, value_name = "WHEN", value_parser = moment)]
    pub(super) since: Option<Timestamp>,
    /// Include changed verdicts, iterations of runs, and notices
    #[arg(long)]
    pub(super) all: bool,
    /// Print JSON lines
    #[arg(long)]
    pub(super) json: bool,
}

/// `closeout hook`.
#[derive(Debug, Subcommand)]
pub(super) enum Hook {
    /// Record an agent's hook event; agents call this with a JSON object on standard input
    ///
    /// Prints nothing and always exits with 0, so that it never gets in an agent's way.
    Event {
        /// The agent: claude, codex, gemini or opencode
        #[arg(long, value_name = "NAME")]
        agent: Option<String>,
    },
    /// Let an agent stop, or tell it what is left to do; agents call this with a JSON object on standard input
    ///
    /// Answers in the format of the agent's hooks: `{"decision":"block","reason":…}` holds the agent back, empty output
    /// lets it stop. Blocks only in workspaces for which the configuration enables `gate`, and never where closeout
    /// cannot judge.
    Stop(GateOptions),
    /// The same for a subagent that is about to report
    SubagentStop(GateOptions),
    /// The same after a tool through which an agent submits its result (`gate.final_tools`)
    PostToolUse(GateOptions),
    /// The same for a task that is about to be marked as done: exit code 2 keeps it open
    TaskCompleted(GateOptions),
    /// The same as `stop`, for agents whose hook has this name
    AfterAgent(GateOptions),
    /// Add closeout's hook to the agents' settings; with --gate, the gate
    ///
    /// Shows what changes, and leaves everything else as it is. The previous settings are kept in the state folder, under
    /// `backups`.
    Install(HookSettings),
    /// Remove closeout's hook from the agents' settings; with --gate, the gate
    #[command(visible_alias = "uninstall")]
    Remove(HookSettings),
}

/// `closeout hook stop` and the other gates.
#[derive(Debug, Args)]
pub(super) struct GateOptions {
    /// The agent: claude, codex, gemini or opencode
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Another format of the answer: `sdk` is `{"needsMoreTurns":true,"decision":"continue","reason":…}`
    #[arg(long, value_name = "FORM")]
    format: Option<String>,
}

/// `closeout hook install` and `closeout hook remove`.
#[derive(Debug, Args)]
pub(super) struct HookSettings {
    /// The agent: claude, codex, gemini or opencode; can be repeated [default: every agent whose folder exists]
    #[arg(long = "agent", value_name = "NAME", value_parser = hook_agent)]
    pub(super) agents: Vec<&'static Hooks>,
    /// The gate, which an agent asks before it stops, instead of the hook that reports events
    #[arg(long)]
    pub(super) gate: bool,
    /// Where it applies: to all your sessions, or in this directory only
    #[arg(long, value_name = "SCOPE", value_enum, default_value = "user")]
    pub(super) scope: HookScope,
    /// Only show what would change
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Show each change as a diff
    #[arg(long)]
    pub(super) diff: bool,
}

/// Where a hook applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum HookScope {
    /// For all sessions of this user
    User,
    /// For sessions in this directory
    Project,
}

fn hook_agent(name: &str) -> Result<&'static Hooks, String> {
    hooks_of(name).ok_or_else(|| {
        let names: Vec<&str> = all_hooks().map(|hooks| hooks.agent).collect();
        format!("it is one of {}", names.join(", "))
    })
}

/// Accepts what could be a revision; whether it exists is for the repository to say.
fn revision(name: &str) -> Result<String, String> {
    if name.is_empty() || name.starts_with('-') {
        return Err("a revision is not empty and does not begin with `-`".to_owned());
    }
    Ok(name.to_owned())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn a_path_alone_opens_the_screen_on_it() {
        let arguments = Arguments::try_parse_from(["closeout", "some/dir"]).unwrap();
        assert!(arguments.command.is_none());
        assert_eq!(arguments.watch.paths, [PathBuf::from("some/dir")]);
    }
}
