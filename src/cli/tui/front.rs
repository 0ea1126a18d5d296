//! What the screen shows of the world, and when it is drawn next. What an event costs here does not
//! grow with the number of workspaces, as long as it moves no row.

use std::collections::HashMap;
use std::io;

use crate::cli::notices::{Delivery, RESTORE_TITLE, Teller};
use crate::engine::{Engine, clock};
use crate::model::{Intent, Timestamp, WorkspaceId, WorkspaceView, display_text};
use crate::present;
use crate::ui::{self, Input, Size};

use super::pace::Pace;
use super::planted::Planted;
use super::terminal::Screen;

/// That a workspace is being read, and when it was, is shown when it takes so long.
const READING_MS: i64 = 200;

/// Who did nothing for so long at a terminal that is at the front may have gone away.
const AWAY_MS: i64 = 300_000;
/// The same at a terminal that does not tell whether it is at the front.
const GUESSED_MS: i64 = 30_000;
/// So many of the newest notices are kept.
const MAX_NOTICES: usize = 20;

/// What the screen shows.
pub(super) struct Front {
    state: ui::State,
    /// What happened beside the workspaces, each sentence once, the newest last.
    happened: Vec<String>,
    /// In the order of [`present::order`].
    views: Vec<WorkspaceView>,
    positions: HashMap<WorkspaceId, usize>,
    /// What the state had to do with the order when it was made.
    ordered_for: (Option<WorkspaceId>, bool),
    pace: Pace,
    frame_at: Option<Timestamp>,
    /// Whether the person leaves, since what they waited for has ended.
    is_leaving: bool,
    planted: Planted,
    /// Tells the person what they do not see; `None` without a state folder, where nobody could tell it once.
    teller: Option<Teller>,
    /// What the terminal told last of being at the front; `None` while it told nothing.
    has_focus: Option<bool>,
    /// When the person last did anything here.
    input_at: Timestamp,
}

/// What an input asks of the loop.
pub(super) enum Taken {
    /// Nothing.
    Stay,
    /// The person leaves.
    Quit,
    /// The person's editor for this text.
    Edit(String),
}

/// What a view tells that the one before did not.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum News {
    None,
    /// Only that it is, or was, read.
    Reading,
    /// Something to be seen.
    Seen,
    /// Something that can move its row.
    Moved,
    /// Another state than before, or another reason to look: a person may wait for it.
    Turned,
}

impl Front {
    /// Nothing is known yet.
    pub(super) fn new(
        mut state: ui::State,
        notices: Vec<String>,
        planted: Planted,
        teller: Option<Teller>,
    ) -> Front {
        state.notices.clone_from(&notices);
        Front {
            state,
            happened: notices,
            views: Vec::new(),
            positions: HashMap::new(),
            ordered_for: (None, false),
            pace: Pace::new(),
            frame_at: None,
            is_leaving: false,
            planted,
            teller,
            has_focus: None,
            input_at: clock::now(),
        }
    }

    /// The terminal has this size.
    pub(super) fn begin(&mut self, size: Size) {
        self.state.size = size;
    }

    /// The moment of the next frame, if one was asked for.
    pub(super) fn frame_at(&self) -> Option<Timestamp> {
        self.frame_at
    }

    /// Whether the person leaves, since what they waited for has ended.
    pub(super) fn is_leaving(&self) -> bool {
        self.is_leaving
    }

    /// Takes over what the engine knows at the end; what the person has not read of what became of their wishes, in
    /// words.
    pub(super) fn unread(mut self, engine: &mut Engine) -> Vec<String> {
        self.state.answer = None;
        self.take_world(engine);
        self.state.later.into_iter().chain(self.state.answer).collect()
    }

    /// Takes one input in.
    pub(super) fn take_input(&mut self, engine: &mut Engine, input: Input) -> Taken {
        self.input_at = clock::now();
        ui::on_input(&mut self.state, self.input_at);
        let reaction = ui::update(&mut self.state, &self.views, input);
        pass_on(engine, reaction.intents);
        self.take_world(engine);
        match reaction.edit {
            _ if reaction.is_quit => Taken::Quit,
            Some(text) => Taken::Edit(text),
            None => Taken::Stay,
        }
    }

    /// Takes over what the engine knows by now, and asks for a frame if that is to be seen.
    pub(super) fn take_world(&mut self, engine: &mut Engine) {
        let changes = engine.take_changes();
        let mut news = News::None;
        if self.take_notices(engine) || self.state.is_loaded != engine.is_discovered() {
            news = News::Seen;
        }
        if self.state.n_older != engine.n_older_sessions() {
            self.state.n_older = engine.n_older_sessions();
            news = News::Seen;
        }
        let now = clock::now();
        if let Some(teller) = &mut self.teller {
            changes.removed.iter().for_each(|id| teller.remove(id));
            changes.views.iter().for_each(|view| teller.take(view, now));
        }
        for view in changes.views {
            news = news.max(self.take_view(view));
        }
        if !changes.removed.is_empty() {
            self.views.retain(|view| !changes.removed.contains(&view.id));
            news = news.max(News::Moved);
        }
        if news >= News::Seen && engine.is_discovered() {
            if news >= News::Moved || !self.is_ordered() {
                self.order();
            }
            let reaction = ui::views_changed(&mut self.state, &self.views);
            self.is_leaving |= reaction.is_quit;
            pass_on(engine, reaction.intents);
        }
        // An answer is about the workspaces as they are since it came.
        for told in changes.told {
            let reaction = ui::told(&mut self.state, &self.views, told);
            pass_on(engine, reaction.intents);
            news = news.max(News::Seen);
        }
        match news {
            News::None => {}
            News::Reading => self.ask_for_frame(now.plus_millis(READING_MS)),
            News::Seen | News::Moved => self.ask_for_frame(self.pace.next(now)),
            News::Turned => self.ask_for_frame(self.pace.next_urgent(now)),
        }
    }

    /// Takes over what went wrong beside the workspaces; true when that is news. Refused paths are a
    /// state and stand as long as they are refused.
    fn take_notices(&mut self, engine: &mut Engine) -> bool {
        keep(&mut self.happened, engine.take_notices());
        let refused = engine.refused().iter();
        let notices: Vec<String> = self
            .happened
            .iter()
            .rev()
            .cloned()
            .chain(refused.map(|(path, reason)| format!("{} {reason}", display_text::path(path))))
            .collect();
        let is_news = notices != self.state.notices;
        self.state.notices = notices;
        is_news
    }

    fn take_view(&mut self, view: WorkspaceView) -> News {
        let Some(known) = self.positions.get(&view.id).and_then(|position| self.views.get_mut(*position))
        else {
            self.positions.insert(view.id.clone(), self.views.len());
            self.views.push(view);
            return News::Moved;
        };
        known.generation = view.generation;
        known.is_collecting = view.is_collecting;
        known.taken_at = view.taken_at;
        known.tree_at = view.tree_at;
        if *known == view {
            return News::Reading;
        }
        let is_judged = known.verdict.is_some();
        let news = match (place(known), place(&view)) {
            (before, after) if is_judged && (&before.0, before.1) != (&after.0, after.1) => News::Turned,
            (before, after) if before != after => News::Moved,
            _ => News::Seen,
        };
        *known = view;
        news
    }

    fn is_ordered(&self) -> bool {
        self.ordered_for.0 == self.state.selected && self.ordered_for.1 == self.state.holds_place
    }

    fn order(&mut self) {
        present::order(&mut self.views, self.state.held());
        self.ordered_for = (self.state.selected.clone(), self.state.holds_place);
        self.positions.clear();
        self.positions
            .extend(self.views.iter().enumerate().map(|(position, view)| (view.id.clone(), position)));
    }

    fn ask_for_frame(&mut self, at: Timestamp) {
        self.frame_at = Some(self.frame_at.map_or(at, |before| before.min(at)));
    }

    /// The terminal came to the front, or went to the back.
    pub(super) fn focus(&mut self, is_in_front: bool) {
        self.has_focus = Some(is_in_front);
    }

    /// The workspace that the person has before their eyes, as far as can be told.
    fn looked_at(&self, now: Timestamp) -> Option<&WorkspaceId> {
        let longest = match self.has_focus {
            Some(true) => AWAY_MS,
            Some(false) => return None,
            None => GUESSED_MS,
        };
        self.state.selected.as_ref().filter(|_| now.millis_since(self.input_at) < longest)
    }

    /// When a notice is due.
    pub(super) fn notice_at(&self) -> Option<Timestamp> {
        let now = clock::now();
        self.teller.as_ref().and_then(|teller| teller.due_at(self.looked_at(now), now))
    }

    /// What came of a notice; it never comes where nobody tells.
    pub(super) async fn next_delivery(&mut self) -> Delivery {
        match &mut self.teller {
            Some(teller) => teller.next_delivery().await,
            None => std::future::pending().await,
        }
    }

    /// Tells what came of a notice.
    pub(super) fn tell(&mut self, told: Delivery) -> io::Result<()> {
        match told {
            Delivery::Notice { signs, .. } => Screen::tell(&signs),
            Delivery::Failed(words) => {
                keep(&mut self.happened, vec![words]);
                self.ask_for_frame(clock::now());
                Ok(())
            }
        }
    }

    /// Has the notices told that are due, and the title of the window be what it has to be.
    pub(super) fn tell_due(&mut self) -> io::Result<()> {
        let now = clock::now();
        let looked_at = self.looked_at(now).cloned();
        let Some(teller) = &mut self.teller else { return Ok(()) };
        teller.tell_due(looked_at.as_ref(), now);
        teller.new_title().map_or(Ok(()), |title| Screen::tell(&title))
    }

    /// Gives the title of the window back.
    pub(super) fn restore_title(&self) -> io::Result<()> {
        let has_title = self.teller.as_ref().is_some_and(Teller::has_title);
        if has_title { Screen::tell(RESTORE_TITLE) } else { Ok(()) }
    }

    /// Draws if the world asked for a frame and its moment has come.
    pub(super) fn draw_if_due(&mut self, screen: &mut Screen) -> io::Result<()> {
        let now = clock::now();
        if self.frame_at.is_some_and(|frame_at| frame_at <= now) {
            self.pace.drew(now);
            self.draw(screen)?;
        }
        Ok(())
    }

    /// Draws now.
    pub(super) fn draw(&mut self, screen: &mut Screen) -> io::Result<()> {
        let now = clock::now();
        screen.terminal.draw(|frame| {
            ui::draw(frame, &self.state, &self.views, now);
            self.planted.strike();
        })?;
        ui::on_frame(&mut self.state, now);
        self.frame_at = ui::next_change(&self.state, &self.views, now);
        Ok(())
    }
}

/// What the place of a row in the list depends on.
fn place(view: &WorkspaceView) -> (present::Urgency, Option<Timestamp>, bool, &str) {
    let changes = view.git.as_ref().and_then(|git| git.changes.as_ref());
    let is_clean = changes.is_none_or(|changes| changes.n_paths == 0);
    (present::Urgency::of(view), view.verdict_since, is_clean, &view.name)
}

fn pass_on(engine: &mut Engine, intents: Vec<Intent>) {
    for intent in intents {
        engine.want(intent);
    }
}

/// Takes new notices in: each sentence stands once, and only the last ones are kept.
fn keep(happened: &mut Vec<String>, notices: Vec<String>) {
    for notice in notices {
        happened.retain(|known| *known != notice);
        happened.push(notice);
    }
    let n_beyond = happened.len().saturating_sub(MAX_NOTICES);
    happened.drain(..n_beyond);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_notices_are_kept_each_once() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<String>>();
        let mut happened = words("a b c");
        keep(&mut happened, words("b d d"));
        assert_eq!(happened, words("a c b d"));
        keep(&mut happened, (0..100).map(|number| number.to_string()).collect());
        assert_eq!((happened.len(), happened[0].as_str(), happened[19].as_str()), (20, "80", "99"));
    }
}
