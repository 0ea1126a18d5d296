//! `closeout hook stop` and the other gates: an agent that is about to stop asks whether it may, and waits
//! for the answer.
//!
//! An error of closeout's own must never block an agent: then it prints nothing (for the SDK, the answer that
//! lets the agent stop), exits with 0, and writes a line to the log.

use std::ffi::OsString;
use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::ExitCode;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use serde_json::json;

use super::event::read_payload;
use crate::agent::hook_events::gate_call;
use crate::cli::environment::Environment;
use crate::config::Flags;
use crate::engine::{EngineConfig, Judged, OneShot, Overrides, Scope, clock};
use crate::judge::gate::{GateDecision, decide, waits_for_checks, without_verdict};
use crate::model::{Action, EndingTurn, GateCall, GateEvent, GateSettings, LetGo, WorkspaceId};
use crate::present::gate::feedback;
use crate::present::json::line;
use crate::present::sets;

/// How much of the end of an agent's last message is judged, in bytes; the same as for a record.
const LONGEST_MESSAGE: usize = 256 << 10;
/// The name of an agent that does not give one.
const UNNAMED: &str = "agent";

struct Asked {
    event: GateEvent,
    agent: String,
    is_sdk: bool,
}

enum Answer {
    Hold(String),
    LetGo(LetGo),
    /// No verdict could be reached, with the reason.
    Failed(String),
}

/// Runs the gate at `event`. `arguments` are those after its name.
pub(super) fn run(event: GateEvent, arguments: &[OsString]) -> ExitCode {
    let asked = Asked::read(event, arguments);
    let answer = catch_unwind(AssertUnwindSafe(|| answer(&asked)));
    asked.tell(&answer.unwrap_or_else(|_| Answer::Failed("a defect of closeout's own".to_owned())))
}

impl Asked {
    /// Parses the arguments. Unknown ones are ignored, since a newer client may pass more.
    fn read(event: GateEvent, arguments: &[OsString]) -> Asked {
        let mut asked = Asked { event, agent: UNNAMED.to_owned(), is_sdk: false };
        let mut words = arguments.iter().filter_map(|argument| argument.to_str());
        while let Some(word) = words.next() {
            let (name, value) =
                word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
            let mut value = || value.or_else(|| words.next()).unwrap_or_default();
            match name {
                "--agent" => value().clone_into(&mut asked.agent),
                "--format" => asked.is_sdk = value() == "sdk",
                _ => {}
            }
        }
        asked
    }

    /// Prints the answer in the form that the caller understands.
    fn tell(&self, answer: &Answer) -> ExitCode {
        let mut stdout = std::io::stdout().lock();
        // An agent that does not read the answer proceeds without it.
        let mut print = |answer: serde_json::Value| {
            let _ = writeln!(stdout, "{}", line(&answer)).and_then(|()| stdout.flush());
        };
        match answer {
            Answer::Hold(reason) if self.is_sdk => {
                print(json!({"needsMoreTurns": true, "decision": "continue", "reason": reason}));
            }
            Answer::LetGo(reason) if self.is_sdk => {
                print(json!({"needsMoreTurns": false, "decision": "stop", "reason": sets::let_go(*reason)}));
            }
            Answer::Failed(reason) if self.is_sdk => {
                print(json!({"needsMoreTurns": false, "decision": "stop", "reason": reason}));
            }
            // Claude Code accepts no JSON answer to this event: exit code 2 keeps the task open, and the
            // agent reads standard error.
            Answer::Hold(reason) if self.event == GateEvent::TaskCompleted => {
                let _ = writeln!(std::io::stderr(), "{reason}");
                return ExitCode::from(2);
            }
            Answer::Hold(reason) => print(json!({"decision": "block", "reason": reason})),
            Answer::LetGo(_) | Answer::Failed(_) => {}
        }
        ExitCode::SUCCESS
    }
}

fn answer(asked: &Asked) -> Answer {
    let environment = Environment::read();
    if environment.variable("CLOSEOUT_PROBE").is_some() {
        // The session is a probe of closeout's own.
        return Answer::LetGo(LetGo::Helper);
    }
    let answer = judged(asked, &environment);
    let told = match &answer {
        Answer::Failed(reason) => Some(reason.as_str()),
        Answer::LetGo(reason) if reason.is_given_up() => Some(sets::let_go(*reason)),
        Answer::LetGo(_) | Answer::Hold(_) => None,
    };
    if let Some(reason) = told {
        environment.log_without_configuration();
        tracing::warn!("gate {} of {}: the agent may stop: {reason}", asked.event.name(), asked.agent);
    }
    answer
}

fn judged(asked: &Asked, environment: &Environment) -> Answer {
    let Some(payload) = read_payload() else { return Answer::Failed("there is no payload".to_owned()) };
    let Some(call) = gate_call(asked.event, &payload) else {
        return Answer::Failed("the payload names neither a session nor a folder".to_owned());
    };
    let folder = call.folder.clone().unwrap_or_else(|| environment.here.clone());
    if !folder.is_absolute() {
        return Answer::Failed("the folder in the payload is not absolute".to_owned());
    }
    let overrides = Overrides {
        own_session: call.session_id.clone(),
        ending: ending(&call, &asked.agent),
        ..Overrides::default()
    };
    let config = environment.engine_config(Scope::One(folder.clone()), Flags::default(), overrides);
    let config = match config {
        Ok(config) => config,
        Err(failure) => return Answer::Failed(failure.to_string()),
    };
    match config.gate_settings(&folder) {
        Ok(Some((top, settings))) => within_limit(asked.agent.clone(), call, config, settings, &top),
        Ok(None) => Answer::LetGo(LetGo::NoTask),
        Err(error) => Answer::Failed(format!("the folder in the payload cannot be opened: {error}")),
    }
}

/// The ending turn, from the payload. A sub-agent's message does not end the turn of its session.
fn ending(call: &GateCall, agent: &str) -> Option<EndingTurn> {
    let message = call.last_message.as_ref().map(|text| {
        let begin = text.len().saturating_sub(LONGEST_MESSAGE);
        let begin = (begin..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
        text[begin..].to_owned()
    });
    let session_id = call.session_id.clone().filter(|_| call.event.ends_turn())?;
    Some(EndingTurn { agent: agent.to_owned(), session_id, message, prompt: call.prompt.clone() })
}

/// Judges on another thread. If that takes too long the gate fails open, and the thread ends with the process.
fn within_limit(
    agent: String,
    call: GateCall,
    config: EngineConfig,
    settings: GateSettings,
    top: &Path,
) -> Answer {
    let limit = Duration::from_millis(settings.time_limit_ms);
    let (sender, receiver) = channel();
    let workspace = WorkspaceId::local(top);
    let judging = move || sender.send(by_verdict(&agent, &call, &config, settings, &workspace));
    if let Err(error) = thread::Builder::new().spawn(judging) {
        return Answer::Failed(format!("judging could not start: {error}"));
    }
    // If the thread panics, its sender is dropped.
    receiver.recv_timeout(limit).unwrap_or_else(|_| Answer::Failed("judging took too long".to_owned()))
}

fn by_verdict(
    agent: &str,
    call: &GateCall,
    config: &EngineConfig,
    settings: GateSettings,
    workspace: &WorkspaceId,
) -> Answer {
    if let Some(reason) = without_verdict(call, &settings) {
        return Answer::LetGo(reason);
    }
    let folder = || workspace.path().display().to_string();
    let session = call.session_id.as_deref().map_or_else(folder, str::to_owned);
    let name = match call.event {
        GateEvent::Stop | GateEvent::AfterAgent => session,
        GateEvent::SubagentStop | GateEvent::PostToolUse | GateEvent::TaskCompleted => {
            format!("{session} {}", call.event.name())
        }
    };
    let key = (agent, name.as_str());
    let gate = match config.gate(settings, key, call.is_continued) {
        Ok(Some(gate)) => gate,
        Ok(None) => return Answer::Failed("there is no state folder".to_owned()),
        Err(error) => return Answer::Failed(error.to_string()),
    };
    let judged = judged_with_checks(config, call);
    if let Some((_, reason)) = judged.refused.first() {
        return Answer::Failed(format!("the folder in the payload {reason}"));
    }
    let Some(view) = judged.views.first() else { return Answer::Failed("there is no workspace".to_owned()) };
    match decide(view, call, &gate.settings, gate.row, clock::now()) {
        GateDecision::LetGo(reason) => {
            gate.pass(&view.id, agent);
            Answer::LetGo(reason)
        }
        GateDecision::Hold(held_back) => match gate.hold(&view.id, key, held_back.n_points()) {
            Ok(()) => Answer::Hold(feedback(&held_back)),
            Err(error) => {
                Answer::Failed(format!("it cannot be counted, so the agent is not held back: {error}"))
            }
        },
    }
}

/// Judges, and runs the configured checks if the verdict is waiting for them: an agent that has to go on
/// anyway need not wait for them.
fn judged_with_checks(config: &EngineConfig, call: &GateCall) -> Judged {
    let mut all = OneShot::judge(config);
    let judged = all.judged();
    let id = judged.views.first().map(|view| view.id.clone());
    let waits = judged.views.first().is_some_and(|view| waits_for_checks(view, call));
    let Some(id) = id.filter(|_| waits) else { return judged };
    // A check that could not be run is reported in its row.
    let _ = all.action(&id, Action::RunChecks { trusting: None }, &|_| {});
    all.judged()
}
