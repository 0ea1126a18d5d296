//! Sends one notice, beside the loop. It must claim the notice in the state folder first, so that only one
//! closeout sends it.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use crate::cli::environment::Environment;
use crate::model::{NoticeRoute, NoticeSettings, Timestamp, WorkspaceId, display_text};
use crate::process::{self, Launcher, Spec};
use crate::store::Store;

/// The time limit of a program that is started for a notice.
const PROGRAM_LIMIT: Duration = Duration::from_secs(10);
/// The longest question in a notice, in characters.
const LONGEST_QUESTION: usize = 200;

pub(super) struct Means {
    store: Store,
    variables: Vec<(OsString, OsString)>,
    here: PathBuf,
    launcher: Option<PathBuf>,
    search_path: Option<OsString>,
    is_in_tmux: bool,
    is_over_ssh: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Notice {
    pub(super) workspace: WorkspaceId,
    /// The short name of the workspace. Cleaned.
    pub(super) name: String,
    /// The reason, shown after the name. Cleaned.
    pub(super) why: String,
    /// The occasion's name: the same in every closeout, but different if the same thing happens again later.
    pub(super) occasion: String,
    /// The agent's question. Untrusted.
    pub(super) question: Option<String>,
    /// Whether it is recent.
    pub(super) is_news: bool,
    /// Whether the person is looking at the workspace.
    pub(super) is_seen: bool,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Delivery {
    /// To be shown: `signs` is what is written to the terminal, `line` the same as text. Cleaned.
    Notice { signs: String, line: String },
    /// A part of it failed, with the reason. Cleaned.
    Failed(String),
}

impl Means {
    pub(super) fn new(environment: &Environment, store: Store, launcher: Option<PathBuf>) -> Means {
        let has = |name: &str| environment.variable(name).is_some();
        Means {
            store,
            variables: environment.all(),
            here: environment.here.clone(),
            launcher,
            search_path: environment.variable("PATH").cloned(),
            is_in_tmux: has("TMUX"),
            is_over_ssh: has("SSH_CONNECTION") || has("SSH_TTY"),
        }
    }

    /// Claims the notice and sends it unless it was claimed before, is old, or is in front of the person.
    /// Blocks on the disk and on programs.
    pub(super) fn tell(&self, notice: &Notice, settings: &NoticeSettings, now: Timestamp) -> Vec<Delivery> {
        let why = notice.why.as_str();
        match self.store.claim_notice(&notice.workspace, &notice.occasion, why, now) {
            Ok(true) if notice.is_news && !notice.is_seen => {}
            Ok(_) => return Vec::new(),
            Err(error) => return vec![failed(&error.to_string())],
        }
        let question = notice.question.as_deref().filter(|_| settings.shows_question).map(shown);
        let why = question.as_ref().map_or_else(|| why.to_owned(), |question| format!("{why}: {question}"));
        let line = format!("{}: {why}", notice.name);
        let mut ways = settings.ways.clone();
        let mut all = Vec::new();
        if ways.contains(&NoticeRoute::Desktop) {
            if self.is_over_ssh {
                // Over ssh the desktop would show it on the wrong machine: use the terminal instead.
                ways.push(NoticeRoute::Osc9);
            } else if let Err(message) = self.on_desktop(notice, &why) {
                all.push(failed(&message));
            }
        }
        if let Some((program, arguments)) = settings.command.split_first() {
            let own = [why.as_str(), &notice.name].map(OsString::from);
            let own = own.into_iter().chain([notice.workspace.path().as_os_str().to_owned()]);
            let arguments = arguments.iter().map(OsString::from).chain(own).collect();
            if let Err(message) = self.run(program, arguments) {
                all.push(failed(&message));
            }
        }
        let signs = signs_of(&ways, &line, self.is_in_tmux);
        all.insert(0, Delivery::Notice { signs, line });
        all
    }

    /// Sends it to the desktop, escaped, since the desktop interprets markup.
    fn on_desktop(&self, notice: &Notice, why: &str) -> Result<(), String> {
        let body = why.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        let arguments = ["--app-name=closeout", "--", &notice.name, &body].map(OsString::from);
        self.run("notify-send", arguments.to_vec())
    }

    fn run(&self, program: &str, arguments: Vec<OsString>) -> Result<(), String> {
        let found = if program.contains('/') {
            Some(self.here.join(program))
        } else {
            process::find_program(program, self.search_path.as_deref())
        };
        let found = found.ok_or_else(|| format!("{program}: there is no such program"))?;
        let spec = Spec {
            env: self.variables.clone(),
            time_limit: PROGRAM_LIMIT,
            own_session: self.launcher.clone().map(|program| Launcher { program }),
            ..Spec::new(found, &self.here).args(arguments)
        };
        process::run(&spec).map(drop).map_err(|error| format!("{program}: {error}"))
    }
}

fn failed(message: &str) -> Delivery {
    Delivery::Failed(display_text::line(message).into_owned())
}

/// The agent's words, shortened to one line of a notice.
fn shown(question: &str) -> String {
    display_text::cut_after(&display_text::line(question), LONGEST_QUESTION).into_owned()
}

/// Save and restore the window's title (xterm's `CSI 22 ; 2 t` and `CSI 23 ; 2 t`).
pub(super) const SAVE_TITLE: &str = "\u{1b}[22;2t";
pub(crate) const RESTORE_TITLE: &str = "\u{1b}[23;2t";

/// The control sequences of a notice. `text` must already be cleaned.
fn signs_of(ways: &[NoticeRoute], text: &str, is_in_tmux: bool) -> String {
    // A semicolon would end a field of the sequence.
    let text = text.replace(';', ",");
    let mut signs = String::new();
    for way in ways {
        let sequence = match way {
            NoticeRoute::Bell => {
                // tmux takes a pane's bell itself, and passes it on as its user configured.
                signs.push('\u{7}');
                continue;
            }
            NoticeRoute::Title | NoticeRoute::Desktop => continue,
            NoticeRoute::Osc9 => format!("\u{1b}]9;{text}\u{7}"),
            NoticeRoute::Osc777 => format!("\u{1b}]777;notify;closeout;{text}\u{7}"),
            NoticeRoute::Osc99 => format!("\u{1b}]99;;{text}\u{1b}\\"),
        };
        if is_in_tmux {
            // Writing to a string cannot fail.
            let _ = write!(signs, "\u{1b}Ptmux;{}\u{1b}\\", sequence.replace('\u{1b}', "\u{1b}\u{1b}"));
        } else {
            signs.push_str(&sequence);
        }
    }
    signs
}

/// Sets the window's title, with the number of workspaces that need the person. tmux takes a pane's title
/// itself.
pub(super) fn title(n_in_need: usize) -> String {
    match n_in_need {
        0 => "\u{1b}]2;closeout\u{7}".to_owned(),
        1 => "\u{1b}]2;closeout: 1 needs you\u{7}".to_owned(),
        _ => format!("\u{1b}]2;closeout: {n_in_need} need you\u{7}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signs_of_each_way_and_through_tmux() {
        let all = [NoticeRoute::Bell, NoticeRoute::Osc9, NoticeRoute::Osc777, NoticeRoute::Osc99];
        let expected = "\u{7}\u{1b}]9;a,b: is finished\u{7}\u{1b}]777;notify;closeout;a,b: is finished\u{7}\
                        \u{1b}]99;;a,b: is finished\u{1b}\\";
        assert_eq!(signs_of(&all, "a;b: is finished", false), expected);
        let inside = signs_of(&[NoticeRoute::Osc99], "a: failed", true);
        assert_eq!(inside, "\u{1b}Ptmux;\u{1b}\u{1b}]99;;a: failed\u{1b}\u{1b}\\\u{1b}\\");
        assert_eq!(title(2), "\u{1b}]2;closeout: 2 need you\u{7}");
    }
}
