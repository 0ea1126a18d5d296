//! The agents: where their sessions are on disk, and what their records tell.
//!
//! One kind of agent is one folder and one line in [`AGENTS`]: it finds the sessions of the machine, reads
//! those of a workspace, knows the command lines by which one is asked or told something, and what is known of
//! its screen, its processes and its hooks ([`Agent`]). All that interprets a record is pure (a fold over
//! lines); only finding and reading touch the disk. Nothing here reads the environment or the clock, and
//! nothing here writes or starts anything: the places are given as parameters.

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
mod turn_tracker;

pub use adapter::{Adapter, is_news, sessions, survey};
pub use claude::{folder_name as claude_folder_name, read_transcript as read_claude_transcript};
pub use codex::read_rollout as read_codex_rollout;
pub use commands::{AgentCommand, AnswerPlace, Argument, Asking, COPY_PREFIX, Trace};
pub use facts::{AgentFolder, Facts, Hooks, Settings, Version};
pub use kind::{Agent, FoundSession, Memories, SessionsAsk, SessionsRead, Survey, SurveyAsk};
pub use list::{AGENTS, all_gates, all_hooks, built_in, facts_of, hooks_of};
pub use screen::{EmptyBox, LongPaste, OptionDialog, PermissionKey, Typing};
pub use server::{AgentServer, ApiAnswers, ApiAsk, ApiRequest};
