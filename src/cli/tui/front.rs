//! The screen's copy of the world, and when it is drawn next. The cost of an event must not grow with the
//! number of workspaces unless it moves a row.

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

/// The delay, in milliseconds, until the screen shows that a workspace is being read, or when it last was.
const READING_SHOWN_AFTER_MS: i64 = 200;

/// After this long without input, in milliseconds, the person at a terminal in the foreground counts as away.
const AWAY_MS: i64 = 300_000;
/// The same for a terminal that does not report focus.
const GUESSED_MS: i64 = 30_000;
/// How many of the newest notices are kept.
const MAX_NOTICES: usize = 20;

pub(super) struct Front {
    state: ui::State,
    /// Notices that belong to no workspace, each sentence once, the newest last.
    happened: Vec<String>,
    /// Sorted by [`present::order`].
    views: Vec<WorkspaceView>,
    positions: HashMap<WorkspaceId, usize>,
    /// The state that the order was made for: the selected workspace, and whether it holds its place.
    ordered_for: (Option<WorkspaceId>, bool),
    /// The most important news that neither the order nor the state of the screen knows yet.
    unsettled: News,
    pace: Pace,
    frame_at: Option<Timestamp>,
    /// Whether to leave because what the person waited for has ended.
    is_leaving: bool,
    planted: Planted,
    /// Sends notices; `None` without a state folder, since several closeouts could then send the same one.
    teller: Option<Teller>,
    /// The last focus report of the terminal; `None` before the first.
    has_focus: Option<bool>,
    /// The time of the person's last input here.
    input_at: Timestamp,
}

/// What an input requires from the loop.
pub(super) enum Taken {
    Stay,
    Quit,
    /// Open the person's editor on this text.
    Edit(String),
}

/// How a view differs from the one before, in rising order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum News {
    None,
    /// Only when it is, or was, read.
    Reading,
    /// Something visible.
    Seen,
    /// Something that can move its row.
    Moved,
    /// Another urgency, or a new verdict after an earlier one: a person may be waiting for it.
    Turned,
}

impl Front {
    /// A screen on which nothing is known yet.
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
            unsettled: News::None,
            pace: Pace::new(),
            frame_at: None,
            is_leaving: false,
            planted,
            teller,
            has_focus: None,
            input_at: clock::now(),
        }
    }

    pub(super) fn begin(&mut self, size: Size) {
        self.state.size = size;
    }

    /// The time of the next frame, if one is due.
    pub(super) fn frame_at(&self) -> Option<Timestamp> {
        self.frame_at
    }

    pub(super) fn is_leaving(&self) -> bool {
        self.is_leaving
    }

    /// Takes the engine's final changes; returns the answers to the person's intents that they have not read
    /// yet.
    pub(super) fn unread(mut self, engine: &mut Engine) -> Vec<String> {
        self.state.answer = None;
        self.state.is_over = true;
        self.take_world(engine);
        self.settle(engine);
        self.state.later.into_iter().chain(self.state.answer).collect()
    }

    pub(super) fn take_input(&mut self, engine: &mut Engine, input: Input) -> Taken {
        self.input_at = clock::now();
        self.settle(engine);
        ui::on_input(&mut self.state, self.input_at);
        let reaction = ui::update(&mut self.state, &self.views, input);
        pass_on(engine, reaction.intents);
        self.take_world(engine);
        self.settle(engine);
        match reaction.edit {
            _ if reaction.is_quit => Taken::Quit,
            Some(text) => Taken::Edit(text),
            None => Taken::Stay,
        }
    }

    /// Takes the engine's changes, and requests a frame if they are visible.
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
        let is_new = |view: &&WorkspaceView| !self.positions.contains_key(&view.id);
        self.views.reserve_exact(changes.views.iter().filter(is_new).count());
        for view in changes.views {
            news = news.max(self.take_view(view));
        }
        if !changes.removed.is_empty() {
            self.views.retain(|view| !changes.removed.contains(&view.id));
            news = news.max(News::Moved);
        }
        self.unsettled = self.unsettled.max(news);
        // Rows that went leave holes in the positions, and an answer refers to the workspaces as they are since it
        // arrived.
        if !changes.removed.is_empty() || !changes.responses.is_empty() {
            self.settle(engine);
        }
        for response in changes.responses {
            let reaction = ui::on_response(&mut self.state, &self.views, response);
            pass_on(engine, reaction.intents);
            news = news.max(News::Seen);
        }
        match news {
            News::None => {}
            News::Reading => self.ask_for_frame(now.plus_millis(READING_SHOWN_AFTER_MS)),
            News::Seen | News::Moved => self.ask_for_frame(self.pace.next(now)),
            News::Turned => self.ask_for_frame(self.pace.next_urgent(now)),
        }
    }

    /// Orders the rows, and applies them to the state of the screen. Many changes come between two frames, so it is done
    /// once for all of them: before a frame, and before whatever refers to the rows.
    fn settle(&mut self, engine: &mut Engine) {
        if self.unsettled < News::Seen || !engine.is_discovered() {
            return;
        }
        if std::mem::replace(&mut self.unsettled, News::None) >= News::Moved || !self.is_ordered() {
            self.order();
        }
        let reaction = ui::views_changed(&mut self.state, &self.views);
        self.is_leaving |= reaction.is_quit;
        pass_on(engine, reaction.intents);
    }

    /// Updates the notices; true if they changed. Refused paths and the problems of the last survey are a state, shown
    /// for as long as it lasts.
    fn take_notices(&mut self, engine: &mut Engine) -> bool {
        keep(&mut self.happened, engine.take_notices());
        let refused = engine.refused().iter();
        let notices: Vec<String> = self
            .happened
            .iter()
            .rev()
            .chain(engine.problems())
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
        known.reading = view.reading.with_problems_of(&known.reading);
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

    pub(super) fn focus(&mut self, is_in_front: bool) {
        self.has_focus = Some(is_in_front);
    }

    /// The workspace the person is looking at, as far as can be told.
    fn looked_at(&self, now: Timestamp) -> Option<&WorkspaceId> {
        let longest = match self.has_focus {
            Some(true) => AWAY_MS,
            Some(false) => return None,
            None => GUESSED_MS,
        };
        self.state.selected.as_ref().filter(|_| now.millis_since(self.input_at) < longest)
    }

    pub(super) fn notice_at(&self) -> Option<Timestamp> {
        let now = clock::now();
        self.teller.as_ref().and_then(|teller| teller.due_at(self.looked_at(now), now))
    }

    /// Waits for the result of a notice; pending forever without a teller.
    pub(super) async fn next_delivery(&mut self) -> Delivery {
        match &mut self.teller {
            Some(teller) => teller.next_delivery().await,
            None => std::future::pending().await,
        }
    }

    /// Writes a notice to the terminal, or shows why it failed.
    pub(super) fn tell(&mut self, delivery: Delivery) -> io::Result<()> {
        match delivery {
            Delivery::Notice { signs, .. } => Screen::tell(&signs),
            Delivery::Failed(message) => {
                keep(&mut self.happened, vec![message]);
                self.ask_for_frame(clock::now());
                Ok(())
            }
        }
    }

    /// Sends the notices that are due, and updates the window's title.
    pub(super) fn tell_due(&mut self) -> io::Result<()> {
        let now = clock::now();
        let looked_at = self.looked_at(now).cloned();
        let Some(teller) = &mut self.teller else { return Ok(()) };
        teller.tell_due(looked_at.as_ref(), now);
        teller.new_title().map_or(Ok(()), |title| Screen::tell(&title))
    }

    pub(super) fn restore_title(&self) -> io::Result<()> {
        let has_title = self.teller.as_ref().is_some_and(Teller::has_title);
        if has_title { Screen::tell(RESTORE_TITLE) } else { Ok(()) }
    }

    /// Draws if a requested frame is due.
    pub(super) fn draw_if_due(&mut self, engine: &mut Engine, screen: &mut Screen) -> io::Result<()> {
        let now = clock::now();
        if self.frame_at.is_some_and(|frame_at| frame_at <= now) {
            self.settle(engine);
            self.pace.drew(now);
            self.draw(screen)?;
        }
        Ok(())
    }

    pub(super) fn draw(&mut self, screen: &mut Screen) -> io::Result<()> {
        let now = clock::now();
        let mut length = None;
        screen.terminal.draw(|frame| {
            length = ui::draw(frame, &self.state, &self.views, now);
            self.planted.strike();
        })?;
        self.state.detail_length = length;
        ui::on_frame(&mut self.state, now);
        self.frame_at = ui::next_change(&self.state, &self.views, now);
        Ok(())
    }
}

/// What determines the place of a row in the list.
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

/// Adds notices: each sentence appears once, and only the newest are kept.
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
