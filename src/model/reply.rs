//! A reply to an agent: the plan for sending it, its content, and what became of it.

use std::fmt;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    ActionClass, ActivityState, AskedByTool, Pane, ProcessId, Question, SessionName, Timestamp, display_text,
    stable_hash,
};

/// How a reply reaches a session, and what it can be there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "fields are named for what they hold")]
pub enum ReplyChannel {
    /// Text for the agent's program, which resumes a session that is not live.
    Resume {
        program: String,
        /// It was named by the user for an agent of their own, and may do anything with the words.
        is_described: bool,
    },
    /// Words for the agent's own queue for a live session.
    Queue {
        /// The program that takes them.
        program: String,
    },
    /// The server that the session's process itself has, over loopback.
    Api {
        port: u16,
        process: ProcessId,
        /// The permission that would be answered; otherwise it takes words.
        permission: Option<ServerPermission>,
    },
    /// Typed into the tmux pane of a live session.
    Pane {
        pane: Pane,
        /// The number of the tmux server's process.
        server: u32,
        /// The agent's process in it.
        process: ProcessId,
        /// What its screen takes.
        input: PaneInput,
    },
    /// Words in a file that the agent reads.
    File { path: PathBuf },
    /// Words for the supervised run that waits for them.
    Run {
        /// The run's process.
        pid: u32,
    },
    /// In no way from here: it waits for an answer that only its own screen can be given.
    Nowhere {
        /// What its screen shows, if that is known.
        prompt: Option<ScreenPrompt>,
        /// What the user can do, beside going to its pane: a sentence each.
        next: Vec<String>,
    },
}

/// A permission that a session's own server asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ServerPermission {
    /// The server's id of it.
    pub request: String,
    /// What is asked.
    pub prompt: PermissionPrompt,
}

/// What the screen of a session takes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub enum PaneInput {
    /// Words, pasted.
    Paste {
        /// What becomes of a long text, where that is another thing than of a short one.
        long_text: Option<LongText>,
    },
    /// The key of one option of a permission.
    Permission(PermissionPrompt),
    /// The key of one option of the dialog in which the session asks.
    Option(AskedByTool),
}

/// What a screen shows that can be answered only there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub enum ScreenPrompt {
    /// A permission.
    Permission {
        /// What the agent wants to do. Untrusted text.
        what: String,
    },
    /// A dialog in which the session asks.
    Asked(AskedByTool),
}

impl ReplyChannel {
    /// The permission that the session waits for, without options if none can be sent. Then words cannot be sent.
    pub fn permission(&self) -> Option<PermissionPrompt> {
        match self {
            ReplyChannel::Api { permission, .. } => permission.as_ref().map(|asked| asked.prompt.clone()),
            ReplyChannel::Pane { input, .. } => match input {
                PaneInput::Permission(prompt) => Some(prompt.clone()),
                PaneInput::Paste { .. } | PaneInput::Option(_) => None,
            },
            ReplyChannel::Nowhere { prompt, .. } => match prompt.as_ref()? {
                ScreenPrompt::Permission { what } => {
                    Some(PermissionPrompt { what: what.clone(), options: Vec::new() })
                }
                ScreenPrompt::Asked(_) => None,
            },
            ReplyChannel::Resume { .. }
            | ReplyChannel::Queue { .. }
            | ReplyChannel::File { .. }
            | ReplyChannel::Run { .. } => None,
        }
    }

    /// The dialog in which the session asks. Then words cannot be sent.
    pub fn asked(&self) -> Option<&AskedByTool> {
        if let ReplyChannel::Pane { input: PaneInput::Option(asked), .. }
        | ReplyChannel::Nowhere { prompt: Some(ScreenPrompt::Asked(asked)), .. } = self
        {
            Some(asked)
        } else {
            None
        }
    }

    /// What becomes of a long text, where that is another thing than of a short one.
    pub fn long_text(&self) -> Option<&LongText> {
        let ReplyChannel::Pane { input: PaneInput::Paste { long_text }, .. } = self else { return None };
        long_text.as_ref()
    }

    /// What the user can do where nothing can be sent, beside going to its pane: a sentence each.
    pub fn next_steps(&self) -> &[String] {
        let ReplyChannel::Nowhere { next, .. } = self else { return &[] };
        next
    }
}

impl PaneInput {
    /// What the screen shows then, if it can be answered only there.
    pub fn screen_prompt(&self) -> Option<ScreenPrompt> {
        match self {
            PaneInput::Paste { .. } => None,
            PaneInput::Permission(prompt) => Some(ScreenPrompt::Permission { what: prompt.what.clone() }),
            PaneInput::Option(asked) => Some(ScreenPrompt::Asked(asked.clone())),
        }
    }
}

/// What happens with a reply, like "pasted into tmux pane %3"; empty where nothing can be sent. May hold untrusted text.
impl fmt::Display for ReplyChannel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReplyChannel::Resume { program, is_described: true } => {
                write!(f, "given to the program `{program}`")
            }
            ReplyChannel::Resume { program, is_described: false } => {
                write!(f, "given to `{program}`, which goes on with the session without a screen")
            }
            ReplyChannel::Queue { program } => write!(f, "put into the queue of `{program}`"),
            ReplyChannel::Api { port, .. } => write!(f, "by the server of its own process, on port {port}"),
            ReplyChannel::Pane { pane, input: PaneInput::Paste { .. }, .. } => {
                write!(f, "pasted into tmux pane {}", pane.id)
            }
            ReplyChannel::Pane { pane, .. } => write!(f, "typed into tmux pane {}", pane.id),
            ReplyChannel::File { path } => write!(f, "written to the file {}", display_text::path(path)),
            ReplyChannel::Run { pid } => write!(f, "handed to the supervised run of process {pid}"),
            ReplyChannel::Nowhere { .. } => Ok(()),
        }
    }
}

/// How a reply would go, as the user sees it before it is sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReplyPlan {
    /// The id of the reply that is sent by this plan. A plan sends one reply at most: what comes again with
    /// the same id was sent before.
    pub id: String,
    /// The session.
    pub session: SessionName,
    /// How it reaches the session.
    pub channel: ReplyChannel,
    /// The tmux pane that it is shown in, if one can go there.
    pub pane: Option<Pane>,
    /// What the session does.
    pub state: ActivityState,
    /// The question that it would answer.
    pub question: Option<Question>,
    /// What the user should know first, a sentence each. May hold untrusted text.
    pub warnings: Vec<String>,
    /// A reply to the same session of which it is not known whether it was sent: the user decides.
    pub unsettled: Option<Receipt>,
}

/// What an agent makes of a long text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LongText {
    /// A text is long with more lines than these,
    pub n_lines: usize,
    /// or with more characters.
    pub n_signs: usize,
    /// What becomes of it, in words.
    pub words: String,
}

/// A permission that a session waits for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PermissionPrompt {
    /// What the agent wants to do. Untrusted text.
    pub what: String,
    /// What can be answered; empty where closeout has no safe way to answer.
    pub options: Vec<PermissionOption>,
}

/// One answer to a permission prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PermissionOption {
    /// What it means, in closeout's words: "allow once", "deny".
    pub label: String,
    /// The agent's own name of it: a key, or a word of its interface.
    pub answer: String,
}

/// The content of a reply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum ReplyBody {
    /// A text.
    Text {
        /// The text, as typed.
        text: String,
    },
    /// The answer to a permission prompt: one of the plan's options.
    Permission {
        /// The option's [`PermissionOption::answer`].
        answer: String,
        /// What the prompt was about when the user confirmed ([`PermissionPrompt::what`]).
        what: String,
    },
    /// One option of a dialog with a single question.
    Option {
        /// The option's position, counting from 0.
        place: usize,
        /// Its label when the user confirmed ([`AskedOption::label`](super::AskedOption)).
        label: String,
        /// The call that asked the question ([`AskedByTool::call`]).
        call: String,
    },
}

impl ReplyPlan {
    /// True if the plan has a channel, so that something can be sent.
    pub fn has_way(&self) -> bool {
        !matches!(self.channel, ReplyChannel::Nowhere { .. })
    }

    /// What happens to this text because it is long; `None` if it is not.
    pub fn warning_of(&self, text: &str) -> Option<&str> {
        let long = self.channel.long_text()?;
        let is_long = text.lines().count() > long.n_lines || text.chars().count() > long.n_signs;
        is_long.then_some(long.words.as_str())
    }
}

/// What became of a reply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Receipt {
    /// The reply's own id: the same text sent twice has two.
    pub id: String,
    /// The session.
    pub session: SessionName,
    /// How it was sent, in words. May hold untrusted text.
    pub channel_words: String,
    /// The beginning of the text, for the user to know it again. Private: never in a log.
    pub excerpt: String,
    /// A sum of the whole text ([`Receipt::sum_of`]): a draft that has it is what was sent.
    #[serde(default)]
    pub text_sum: String,
    /// When it was sent.
    pub sent_at: Timestamp,
    /// What is known of it.
    pub state: ReceiptState,
    /// More in words: why it was refused, what the agent answered. May hold untrusted text.
    #[serde(alias = "words")]
    pub detail: Option<String>,
}

/// What is known of a reply. A closed set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReceiptState {
    /// The agent's own interface took it.
    Delivered,
    /// It waits in the agent's own queue.
    Queued,
    /// It was typed, and the agent has not shown that it took it.
    Held,
    /// It was not sent.
    Refused,
    /// It stands in the agent's record.
    Consumed,
    /// It may have been sent.
    Unknown,
}

/// The maximum length of a reply's excerpt, in characters. Shorter than what is kept of a prompt, so that a
/// prompt can be recognised by it.
const LONGEST_EXCERPT: usize = 160;
/// Marks a text that was cut.
const CUT: char = '…';

impl Receipt {
    /// The beginning of a text, as stored in a receipt.
    pub fn excerpt_of(text: &str) -> String {
        display_text::cut_after(&display_text::one_spaced(text), LONGEST_EXCERPT).into_owned()
    }

    /// The hash of a text, as stored in a receipt.
    pub fn sum_of(text: &str) -> String {
        format!("{:032x}", stable_hash(text.as_bytes()))
    }

    /// True if exactly this text was sent.
    pub fn is_of(&self, text: &str) -> bool {
        self.text_sum == Receipt::sum_of(text)
    }

    /// True if the session's newest prompt is this reply, judging by its beginning and its time. `prompt` may
    /// be shortened. The same words typed later by the user are mistaken for the reply.
    pub fn is_shown_by(&self, prompt: &str, prompted_at: Timestamp) -> bool {
        let shown = display_text::one_spaced(prompt);
        let is_same = match (self.excerpt.strip_suffix(CUT), shown.strip_suffix(CUT)) {
            (Some(begin), _) => shown.starts_with(begin),
            (None, Some(begin)) => !begin.is_empty() && self.excerpt.starts_with(begin),
            (None, None) => shown == self.excerpt,
        };
        prompted_at >= self.sent_at && is_same && !self.excerpt.is_empty()
    }
}

impl ReceiptState {
    /// True if more can still become known about a reply in this state.
    pub fn is_open(self) -> bool {
        match self {
            ReceiptState::Delivered | ReceiptState::Queued | ReceiptState::Held | ReceiptState::Unknown => {
                true
            }
            ReceiptState::Refused | ReceiptState::Consumed => false,
        }
    }

    /// How an action ends that leaves a reply in this state.
    pub fn class(self) -> ActionClass {
        match self {
            ReceiptState::Delivered | ReceiptState::Queued | ReceiptState::Consumed => ActionClass::Done,
            ReceiptState::Refused => ActionClass::Refused,
            ReceiptState::Held | ReceiptState::Unknown => ActionClass::Unknown,
        }
    }
}

/// A reply that is being written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Draft {
    /// The session.
    pub session: SessionName,
    /// The text so far. Private.
    pub text: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn receipt(text: &str) -> Receipt {
        Receipt {
            id: "r".to_owned(),
            session: SessionName::new("claude", "s"),
            channel_words: String::new(),
            excerpt: Receipt::excerpt_of(text),
            text_sum: Receipt::sum_of(text),
            sent_at: Timestamp(1000),
            state: ReceiptState::Held,
            detail: None,
        }
    }

    #[test]
    fn a_reply_is_known_by_its_words_and_its_time() {
        let long = "wort ".repeat(60);
        let cut = |text: &str| text.chars().take(200).chain(['…']).collect::<String>();
        let cases = [
            ("2", "2", 1000, true),
            ("2", "2", 999, false),
            ("2", "20", 2000, false),
            ("はい", " はい\n", 2000, true),
            ("a\nb  c", "a b c", 2000, true),
            (long.as_str(), &cut(&long), 2000, true),
            (long.as_str(), long.trim(), 2000, true),
            (long.as_str(), "wort wort", 2000, false),
            ("", "", 2000, false),
            ("yes", "…", 2000, false),
            ("yes", "yes, and more", 2000, false),
        ];
        for (text, prompt, at, wanted) in cases {
            let told = receipt(text).is_shown_by(prompt, Timestamp(at));
            assert_eq!(told, wanted, "{text:?} {prompt:?} {at}");
        }
    }
}
