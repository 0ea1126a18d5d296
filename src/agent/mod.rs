//! The agents: where their sessions are on disk, and what their records say.
//!
//! An agent is one folder and one line in [`AGENTS`]. It finds the sessions on the machine, reads those of
//! a workspace, knows the command lines that probe a session or reply to it, and states what is known about
//! its screen, processes and hooks ([`Agent`]). Everything that interprets a record is pure (a fold over
//! lines); only finding and reading touch the disk. Nothing here reads the environment or the clock, and
//! nothing writes, with one exception, [`Adapter::copy_session`], or starts a program: places are
//! parameters.

mod adapter;
mod claude;
mod codex;
mod commands;
mod custom;
mod facts;
mod fields;
mod gemini;
pub mod hook_events;
pub mod hook_settings;
mod kind;
mod list;
mod opencode;
pub mod panes;
pub mod process_stat;
pub mod processes;
mod record;
mod record_text;
mod screen;
mod server;
mod subagent_records;
mod turn_tracker;

pub use adapter::{Adapter, is_news, sessions, survey};
pub use claude::{folder_name as claude_folder_name, read_transcript as read_claude_transcript};
pub use codex::read_rollout as read_codex_rollout;
pub use commands::{AgentCommand, AnswerPlace, Argument, Asking, COPY_PREFIX, Trace};
pub use facts::{AgentFolder, Facts, Hooks, Settings, Version};
pub use kind::{Agent, FoundSession, Memories, SessionsAsk, SessionsRead, Survey, SurveyAsk};
use kind::{LONGEST_SILENCE_MS, MAX_READ};
pub use list::{AGENTS, all_gates, all_hooks, built_in, facts_of, hooks_of};
pub use screen::{DrawnPrompt, EmptyBox, LongPaste, OptionDialog, PermissionKey, PermissionKeys, Typing};
pub use server::{AgentServer, ApiAnswers, ApiAsk, ApiRequest};
