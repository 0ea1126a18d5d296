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

/// For each working directory of a coding agent: is the work really finished, what is the evidence,
/// and what is left to do.
///
/// Without a command it opens the screen on all worktrees of the repository that it is started in, and on
/// the workspaces of all agents' sessions on this machine.
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
    /// Judge one workspace once; with --ask the agent is asked where nothing else tells
    ///
    /// Exit codes: 0 complete, 1 not complete, 2 wrong usage, 3 the verdict is ERROR (with --ask also: no
    /// probe was answered), 4 no such workspace, 5 wrong configuration, 6 a stream failed, 130 ended by Ctrl-C.
    Check(Check),
    /// Run an agent's command, check its work, tell it what is left, and run it again until it is done
    ///
    /// What runs, and what it leaves running, is ended with it. Where it stands is kept: the same command goes on
    /// where a run was killed. Exit codes: 0 complete, 21 another run is in this workspace, 30 it cannot be run, 50 all iterations are used up, 51
    /// stalled, 52 the circuit breaker is open, 53 budget, 54 deadline, 55 a question waits for an answer, 56 decisions cannot be read, 130
    /// ended by Ctrl-C, and 2 to 6 as those of `check`.
    Run(Box<Run>),
    /// Ask the agent once for its status
    ///
    /// Exit codes: 0 it says that it is done (or commits do), 1 it says that it is not, 20 it is not asked, 21
    /// its session is at work, 23 no usable answer, 24 you said no, 30 it failed, 31 it took too long, 130 ended
    /// by Ctrl-C.
    #[command(name = "ask", alias = "probe")]
    Probe(Asked),
    /// Ask the agent for a checklist with evidence
    ///
    /// Exit codes: 0 complete, 1 not complete, 20 it is not asked, 21 its session is at work, 23 no usable
    /// answer, 24 you said no, 30 it failed, 31 it took too long, 130 ended by Ctrl-C.
    Verify(Verify),
    /// Write the decision file: the work is complete, or it is not
    Decide(Decide),
    /// Give your own word on a workspace: it is above all evidence, and lapses with what you did not see
    ///
    /// Exit codes: 0 taken, 2 to 6 as those of `check`, 20 refused: an agent runs this, and marks are a person's.
    Mark(Mark),
    /// Print the verdicts of all worktrees of this repository, and of the paths given
    Status(Status),
    /// Answer the question of a session, or the permission that it waits for
    ///
    /// Without a text it shows the question and how a reply would go, and sends nothing. Exit codes: 0 the
    /// agent has it or its queue does, 20 refused and not sent, 21 another closeout writes to the session, 22
    /// to 31 as for all actions, 23 it is not known what became of it, 24 you said no.
    Reply(Reply),
    /// Classify the last message of an agent: does it wait for an answer, is it done, did it stop
    Classify(Classify),
    /// Say what closeout finds on this machine (agents, git, tmux, limits), and what to mend
    ///
    /// Exit codes: 0 nothing is in the way, 1 something is to be mended.
    Doctor(Doctor),
    /// Print the settings that apply in a workspace, and where each comes from
    ///
    /// Your own files come before those of the workspace; `config/default.toml` in the source explains every key.
    Config(Config),
    /// Let an agent ask what is left of its work, and decide: a server of the Model Context Protocol on standard input
    /// and output
    Mcp,
    /// Let the agents tell closeout what they do, at the moment they do it
    #[command(subcommand)]
    Hook(Hook),
    /// Save work that was never committed: record all of it, show what a commit would hold, commit it
    ///
    /// The record is complete, lies on a hidden reference and changes nothing. The commit holds exactly what
    /// was shown, or it is not made.
    ///
    /// Exit codes: 0 done, 10 saved with gaps, 11 saved and not committed (your no to the commit, too), 12
    /// nothing to do, 20 refused, 21 somebody else is at it, 22 not trusted, 23 unknown, 24 you said no before
    /// anything was saved, 30 failed, 31 took too long, 40 damage, and 2 to 6 as those of `check`.
    Rescue(Rescue),
    /// Take the last rescue back: branch and index are exactly as before, and no file is touched
    ///
    /// Exit codes: 0 done, 12 nothing to take back, 20 refused, 21 somebody else is at it, 24 you said no, 30
    /// failed, 31 took too long, 40 damage, and 2 to 6 as those of `check`.
    Undo(Undo),
    /// Make the rescue again that was taken back last
    Redo(Undo),
    /// List the records of a repository: when, what of, how large, and whether their work is in a branch
    ///
    /// Exit code 40 says that somebody or something damaged what keeps them.
    Rescues(Rescues),
    /// Write the files of a record into a new, empty folder
    Restore(Restore),
    /// Delete a record for good
    Forget(Forget),
    /// Show what could run a program in a workspace (filters, hooks, your own rescue program), and trust it
    ///
    /// Trust is in exactly what was shown: one byte more, and it is asked again. Exit codes: 0 it is trusted, 12
    /// there is nothing to trust or to take back, 22 it is not trusted.
    Trust(Trust),
    /// Print what was done to workspaces, by whom, and how it ended; the newest last
    Log(Log),
    /// Print figures: false aborts, rescues, probes, time-outs, proofs, for each agent and week
    ///
    /// They are counted from the lines of `closeout log --all`.
    Stats(Stats),
    /// Wait until a workspace has one of some states
    ///
    /// Exit codes: 0 it has, 31 it did not in time, and 2 to 6 as those of `check`.
    Wait(Wait),
    /// Print the JSON schema of everything that `--json` prints
    Schema,
    /// Print what a shell needs to complete the commands and their options
    Completions {
        /// The shell
        #[arg(value_name = "SHELL", value_enum)]
        shell: Shell,
    },
    /// Print the manual page, in the form that `man -l` reads
    Man,
}

/// `closeout watch`.
#[derive(Debug, Default, Args)]
pub(super) struct Watch {
    /// Directories to look at beside the worktrees of this repository
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
    /// A file with the agent's output; may be given several times
    #[arg(long = "output", value_name = "FILE")]
    pub(super) outputs: Vec<PathBuf>,
    /// The id that a decision must carry [default: `$AGENTCORE_COMPLETION_CHECK_ID`]
    #[arg(long, value_name = "ID")]
    pub(super) check_id: Option<String>,
    /// How well COMPLETE has to be proven: said, committed or checked
    #[arg(long, value_name = "PROOF", value_parser = proof)]
    pub(super) require: Option<Proof>,
    /// Run the checks that are configured (`[[check]]`) first
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
    /// Directories to look at beside the worktrees of this repository
    #[arg(value_name = "PATH")]
    pub(super) paths: Vec<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
    /// Go on and print each change; with --json as JSON lines
    #[arg(long)]
    pub(super) follow: bool,
}

/// `closeout reply`.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(super) struct Reply {
    /// The workspace, or the id of a session (six signs of its beginning are enough)
    #[arg(value_name = "PATH|SESSION", default_value = ".")]
    pub(super) target: Option<String>,
    /// The words; `-` reads them from standard input
    #[arg(value_name = "TEXT", conflicts_with_all = ["allow", "deny"])]
    pub(super) text: Option<String>,
    /// The session, where a workspace has several
    #[arg(long, value_name = "ID")]
    pub(super) session: Option<String>,
    /// Give the permission that it waits for, once
    #[arg(long, conflicts_with = "deny")]
    pub(super) allow: bool,
    /// Refuse the permission that it waits for
    #[arg(long)]
    pub(super) deny: bool,
    /// Where its turn goes on, hold the words until it has ended. An open closeout, or `closeout watch --headless`, sends
    /// them then; at most once, and not if it asks something or was prompted anew
    #[arg(long, requires = "text")]
    pub(super) when_idle: bool,
    /// Send without asking
    #[arg(long)]
    pub(super) yes: bool,
    /// Wait so many seconds for the words to be seen in the session's record
    #[arg(long, value_name = "SECONDS", default_value_t = 5)]
    pub(super) wait: u32,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// `closeout classify`.
#[derive(Debug, Args)]
pub(super) struct Classify {
    /// The text; standard input without it, or with `-`
    #[arg(value_name = "FILE")]
    pub(super) file: Option<PathBuf>,
    /// What the agent was asked for: IMPLEMENTATION, READ_INFO or REPORT
    #[arg(long, value_name = "KIND", value_parser = task_kind, default_value = "READ_INFO")]
    pub(super) task_kind: TaskKind,
    /// Read lines of `{"id","task_kind","text"[,"request"][,"end"][,"did"]}` and print lines of `{"id","label",…}`
    #[arg(long, conflicts_with = "json")]
    pub(super) jsonl: bool,
    /// Show each sentence about which a rule spoke, with its line, its language and the phrases found in it
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
    /// Only what is not as built in
    #[arg(long)]
    pub(super) changed: bool,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// `closeout log`.
#[derive(Debug, Args)]
pub(super) struct Log {
    /// Only of the workspace at, or around, this path
    #[arg(value_name = "PATH")]
    pub(super) path: Option<PathBuf>,
    /// At most so many, the newest [default: 50; with --since all]
    #[arg(short, long, value_name = "N")]
    pub(super) number: Option<usize>,
    /// Only from this moment on: a day like 2026-11-20, a time, or how long ago, like 2h or 7d
    #[arg(long, value_name = "WHEN", value_parser = moment)]
    pub(super) since: Option<Timestamp>,
    /// Also what happened: verdicts that changed, iterations of runs, notices
    #[arg(long)]
    pub(super) all: bool,
    /// Print a JSON object a line
    #[arg(long)]
    pub(super) json: bool,
}

/// `closeout hook`.
#[derive(Debug, Subcommand)]
pub(super) enum Hook {
    /// Write down one event of an agent; agents call it with a JSON object on standard input
    ///
    /// It prints nothing and its exit code is always 0, so that it never gets in an agent's way.
    Event {
        /// The agent: claude, codex, gemini or opencode
        #[arg(long, value_name = "NAME")]
        agent: Option<String>,
    },
    /// Let an agent stop, or tell it what is left to do; agents call it with a JSON object on standard input
    ///
    /// It answers in the form of the agent's own hooks: `{"decision":"block","reason":…}` holds it back, nothing lets
    /// it stop. It holds nobody in a workspace for which the configuration does not enable `gate`, and nobody where
    /// closeout cannot judge.
    Stop(GateOptions),
    /// The same for a sub-agent that is about to report
    SubagentStop(GateOptions),
    /// The same after a tool by which an agent hands in its result (`gate.final_tools`)
    PostToolUse(GateOptions),
    /// The same for a task that is about to be ticked off: exit code 2 keeps it open
    TaskCompleted(GateOptions),
    /// The same as `stop`, for agents that call it so
    AfterAgent(GateOptions),
    /// Enter closeout's hook into the settings of the agents, and nothing else; with --gate the gate
    ///
    /// Shows what changes. What was there before is kept in the state folder, under `backups`.
    Install(HookSettings),
    /// Take closeout's hook out of the settings of the agents, and nothing else; with --gate the gate
    #[command(visible_alias = "uninstall")]
    Remove(HookSettings),
}

/// `closeout hook stop` and the other gates.
#[derive(Debug, Args)]
pub(super) struct GateOptions {
    /// The agent: claude, codex, gemini or opencode
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Answer in another form: `sdk` is `{"needsMoreTurns":true,"decision":"continue","reason":…}`
    #[arg(long, value_name = "FORM")]
    format: Option<String>,
}

/// `closeout hook install` and `closeout hook remove`.
#[derive(Debug, Args)]
pub(super) struct HookSettings {
    /// The agent: claude, codex, gemini or opencode; may be given several times [default: all whose
    /// folder is there]
    #[arg(long = "agent", value_name = "NAME", value_parser = hook_agent)]
    pub(super) agents: Vec<&'static Hooks>,
    /// The gate, by which an agent asks before it stops, in place of the hook that tells its events
    #[arg(long)]
    pub(super) gate: bool,
    /// Where it counts: for all your sessions, or in this directory only
    #[arg(long, value_name = "SCOPE", value_enum, default_value = "user")]
    pub(super) scope: HookScope,
    /// Show what would change, and change nothing
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Show each change as a diff
    #[arg(long)]
    pub(super) diff: bool,
}

/// Where a hook counts.
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
