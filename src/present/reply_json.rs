//! How a reply would go, for scripts: the plan that the user sees, with paths as text.

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::{
    ActivityState, AskedByTool, LongText, Pane, PermissionPrompt, ProcessId, Question, Receipt, ReplyChannel,
    ReplyPlan, SessionName, display_text,
};

/// How a reply would go.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReplyPlanRow {
    /// The id of the reply that is sent by this plan. A plan sends one reply at most.
    id: String,
    /// The session.
    session: SessionName,
    /// How it reaches the session.
    channel: ChannelRow,
    /// What happens with a reply, in words; empty where nothing can be sent. May hold untrusted text.
    channel_words: String,
    /// The tmux pane that it is shown in, if one can go there.
    pane: Option<Pane>,
    /// What the session does.
    state: ActivityState,
    /// The question that it would answer.
    question: Option<Question>,
    /// The permission that the session waits for. Then words cannot be sent, only one of its options.
    permission: Option<PermissionPrompt>,
    /// The dialog in which the session asks. Then words cannot be sent, only one of its options.
    asked: Option<AskedByTool>,
    /// What the user should know first, a sentence each. May hold untrusted text.
    warnings: Vec<String>,
    /// What the user can do where nothing can be sent, beside going to its pane: a sentence each.
    next: Vec<String>,
    /// What becomes of a long text on this way, where that is another thing than of a short one.
    long_text: Option<LongText>,
    /// A reply to the same session of which it is not known whether it was sent.
    unsettled: Option<Receipt>,
}

/// How a reply reaches a session.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "kind")]
enum ChannelRow {
    /// The agent's program resumes a session that is not live.
    Resume,
    /// The agent's own queue for a live session.
    Queue,
    /// The server that the session's process itself has, over loopback.
    Api {
        /// Its port.
        port: u16,
        /// The process.
        process: ProcessId,
        /// The server's id of the permission that would be answered.
        #[serde(skip_serializing_if = "Option::is_none")]
        request: Option<String>,
    },
    /// Typed into the tmux pane of a live session.
    Pane {
        /// The pane.
        pane: Pane,
        /// The number of the tmux server's process.
        server: u32,
        /// The agent's process in it.
        process: ProcessId,
    },
    /// A file that the agent reads.
    File {
        /// Its path, as it is displayed.
        path: String,
    },
    /// Handed to the supervised run that waits for it.
    Run,
    /// In no way from here: it waits for an answer that only its own screen can be given.
    Nowhere,
}

impl ReplyPlanRow {
    /// The form of a plan.
    pub fn of(plan: &ReplyPlan) -> ReplyPlanRow {
        let plan = plan.clone();
        ReplyPlanRow {
            channel_words: plan.channel.to_string(),
            permission: plan.channel.permission(),
            asked: plan.channel.asked().cloned(),
            next: plan.channel.next_steps().to_vec(),
            long_text: plan.channel.long_text().cloned(),
            channel: ChannelRow::of(plan.channel),
            id: plan.id,
            session: plan.session,
            pane: plan.pane,
            state: plan.state,
            question: plan.question,
            warnings: plan.warnings,
            unsettled: plan.unsettled,
        }
    }
}

impl ChannelRow {
    fn of(channel: ReplyChannel) -> ChannelRow {
        match channel {
            ReplyChannel::Resume { .. } => ChannelRow::Resume,
            ReplyChannel::Queue { .. } => ChannelRow::Queue,
            ReplyChannel::Api { port, process, permission } => {
                ChannelRow::Api { port, process, request: permission.map(|asked| asked.request) }
            }
            ReplyChannel::Pane { pane, server, process, .. } => ChannelRow::Pane { pane, server, process },
            ReplyChannel::File { path } => {
                let path = path.into_os_string().into_string();
                let shown = |path: std::ffi::OsString| display_text::path(path.as_ref());
                ChannelRow::File { path: path.unwrap_or_else(shown) }
            }
            ReplyChannel::Run { .. } => ChannelRow::Run,
            ReplyChannel::Nowhere { .. } => ChannelRow::Nowhere,
        }
    }
}
