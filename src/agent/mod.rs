//! The agents: where their sessions are on disk, and what their records tell.
//!
//! One kind of agent is one variant of [`Adapter`]: it finds the sessions of the machine, reads those of
//! a workspace, and knows the command lines by which one is asked or told something. All that interprets
//! a record is pure (a fold over lines); only finding and reading touch the disk. Nothing here reads the
//! environment or the clock, and nothing here writes or starts anything: the places are given as
//! parameters.

mod adapter;
mod claude;
mod codex;
mod commands;
mod custom;
mod gemini;
pub mod hook_events;
pub mod hook_settings;
mod opencode;
pub mod panes;
pub mod process_stat;
pub mod processes;
mod record_file;
mod record_tail;
mod record_text;
mod survey;
mod typing;
mod variables;

pub use adapter::{Adapter, SessionMemory, SessionsRead, sessions};
pub use claude::{folder_name as claude_folder_name, read_transcript as read_claude_transcript};
pub use codex::read_rollout as read_codex_rollout;
pub use commands::{AgentCommand, AnswerPlace, ApiAsk, ApiRequest, Argument, Asking, COPY_PREFIX, Trace};
pub use opencode::{
    ApiAnswers as OpenCodeAnswers, is_about as api_is_about, permission_options as api_permission_options,
    read_api_answers as read_opencode_answers, waits_for as api_waits_for,
};
pub use survey::{FoundSession, Survey, SurveyAsk, SurveyMemory, is_news, survey};
pub use typing::{
    EmptyBox, LongPaste, OptionDialog, PermissionKey, Typing, hooks_tell_keys, option_dialog, permission_keys,
};
