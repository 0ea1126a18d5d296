//! The preview of a rescue: every path with its state and size, what is left out and why, the message, the
//! branch. Exactly what is shown is confirmed, or nothing.
//!
//! Only visible rows are built: a plan may have tens of thousands of paths.

mod preview;
mod rows;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::Line;

use super::field::{Field, Written};
use super::keys::{BoxAction, FIELD, MESSAGE, REFUSED, RESCUE, box_action, box_hints};
use super::message_area::{MessageArea, MessageKey};
use super::{Context, Modal, Step, page};
use crate::model::{
    Action, ActionKind, ActionOutcome, CommitAuthor, Intent, LeftOut, Response, WantedProgram, WorkspaceId,
};
use crate::present::action::label as outcome_label;
use crate::present::phrases::rescue as say;
use crate::present::sets;
use crate::ui::input::{Edited, KeyPress};
use crate::ui::keymap::{Binding, Hint, hints_of};
use crate::ui::look::TextStyle;
use crate::ui::sheet::put;
use crate::ui::steps::{Motion, scrolled_to};
use crate::ui::text;
use preview::{Asking, Writing};
use rows::Row;

pub use preview::RescueBox;

const AUTHOR: &str = "author";

impl Modal for RescueBox {
    fn workspace(&self) -> &WorkspaceId {
        &self.workspace
    }

    fn key(&mut self, press: KeyPress, context: Context<'_>) -> Step {
        if self.writing.is_some() {
            return self.key_while_writing(press, context);
        }
        let Some(action) = box_action(self.table(), press) else { return Step::stay() };
        if action != BoxAction::AskAgent && self.asking == Asking::Offered {
            self.asking = Asking::No;
        }
        if action == BoxAction::Yes && self.lacks_author_only() {
            // git knows no author for the commit, so ask for one; `y` commits afterwards.
            self.writing = Some(Writing::Author(Field::default()));
            return Step::stay();
        }
        if action != BoxAction::Tick && !self.is_offered(action, context) {
            return Step::stay();
        }
        match action {
            BoxAction::Yes if !context.is_armed => return Step::too_early(),
            BoxAction::Yes => return self.confirmed(),
            BoxAction::No => return self.leave(),
            BoxAction::Tick => return self.tick(context),
            BoxAction::Edit => {
                let draft = self.draft.take();
                let area = draft.unwrap_or_else(|| MessageArea::of(&self.chosen.message));
                self.writing = Some(Writing::Message(area));
            }
            BoxAction::Author => self.writing = Some(Writing::Author(Field::default())),
            BoxAction::AskAgent => return self.ask_agent(context),
            BoxAction::LeftOut => {
                let first = rows::first_left_out(self, context.sheet());
                self.go(first, context);
            }
            BoxAction::Target => self.next_target(),
            BoxAction::Split => self.next_split(),
            BoxAction::Hooks => self.chosen.toggle(WantedProgram::Hooks),
            BoxAction::OwnProgram => self.chosen.toggle(WantedProgram::Own),
            BoxAction::Move(step) => return self.scroll(step, context),
            BoxAction::Mark(_) | BoxAction::Send | BoxAction::Wait | BoxAction::End => {}
        }
        Step::stay()
    }

    fn scroll(&mut self, step: Motion, context: Context<'_>) -> Step {
        let n_rows = rows::n_rows(self, context.sheet());
        self.go(step.go(self.cursor, n_rows, self.n_shown(context)), context);
        Step::stay()
    }

    fn press(&mut self, at: Position, context: Context<'_>) -> Step {
        if let Some(Writing::Message(area)) = &mut self.writing {
            area.press(at, context);
            return Step::stay();
        }
        let n_pinned = self.pinned(context).len();
        if let Some(line) = usize::from(at.y).checked_sub(n_pinned) {
            let row = self.top + line;
            if row < rows::n_rows(self, context.sheet()) {
                self.go(row, context);
            }
        }
        Step::stay()
    }

    fn on_response(&mut self, response: &Response, _context: Context<'_>) -> Option<Step> {
        let Response::Action { workspace, kind: ActionKind::Messages, outcome, .. } = response else {
            return None;
        };
        if *workspace != self.workspace || self.asking != Asking::Sent {
            return None;
        }
        if let ActionOutcome::RescuePlanned(plan) = &**outcome {
            self.propose(plan);
            return Some(Step { is_new_question: true, ..Step::say(say::proposed()) });
        }
        self.asking = Asking::No;
        Some(Step::say(outcome_label(outcome)))
    }

    fn title(&self, _context: Context<'_>) -> String {
        format!("Rescue  {}", self.name)
    }

    fn remark(&self, context: Context<'_>) -> String {
        if self.asking == Asking::Sent {
            return say::asking().to_owned();
        }
        page::place(self.top, rows::n_rows(self, context.sheet()), self.n_shown(context))
    }

    fn height(&self, context: Context<'_>) -> u16 {
        let n_lines = self.pinned(context).len() + rows::n_rows(self, context.sheet());
        u16::try_from(n_lines).unwrap_or(u16::MAX)
    }

    fn draw(&self, buffer: &mut Buffer, area: Rect, context: Context<'_>) -> Option<Position> {
        let sheet = context.sheet();
        let pinned = self.pinned(context);
        let n_pinned = u16::try_from(pinned.len()).unwrap_or(u16::MAX).min(area.height);
        let inner = page::inner(area);
        let cursor = match &self.writing {
            Some(Writing::Author(field)) => Some(field.cursor(AUTHOR, sheet, inner)),
            Some(Writing::Message(area)) => area.cursor(inner, context),
            None => None,
        };
        put(buffer, inner, pinned);
        let rest = Rect { y: inner.y + n_pinned, height: inner.height - n_pinned, ..inner };
        let n_rows = rows::n_rows(self, sheet);
        let n_shown = usize::from(rest.height);
        let top = scrolled_to(self.top, self.cursor, n_rows, n_shown.max(1));
        put(buffer, rest, rows::lines(self, sheet, top, n_shown));
        if self.writing.is_none() && (top..top + n_shown).contains(&self.cursor) {
            let y = rest.y + u16::try_from(self.cursor - top).unwrap_or(u16::MAX);
            let style = ratatui::style::Style::reset().patch(context.look.style(TextStyle::Selected));
            buffer.set_style(Rect { y, height: 1, ..rest }, style);
        }
        cursor
    }

    fn hints(&self, context: Context<'_>) -> Vec<Hint> {
        match &self.writing {
            Some(Writing::Author(_)) => return hints_of(FIELD),
            Some(Writing::Message(_)) => return hints_of(MESSAGE),
            None => {}
        }
        let offered = self.table().iter().filter(|binding| self.is_offered(binding.command, context));
        page::armed(box_hints(offered), context)
    }

    fn edited(&mut self, edited: &Edited, context: Context<'_>) -> Step {
        if let Some(Writing::Message(area)) = &mut self.writing {
            area.edited(edited, context);
        }
        Step::stay()
    }

    fn paste(&mut self, pasted: &str, context: Context<'_>) -> Step {
        match &mut self.writing {
            Some(Writing::Message(area)) => area.paste(pasted, context),
            Some(Writing::Author(field)) => field.write(pasted),
            None => {}
        }
        Step::stay()
    }
}

impl RescueBox {
    fn table(&self) -> &'static [Binding<BoxAction>] {
        if self.is_possible() { RESCUE } else { REFUSED }
    }

    /// Whether a key does something in this plan, at the row of the cursor.
    fn is_offered(&self, action: BoxAction, context: Context<'_>) -> bool {
        let programs = &self.plan.programs;
        match action {
            // What is confirmed meanwhile could not begin.
            BoxAction::Yes if self.asking == Asking::Sent => false,
            BoxAction::Yes => self.can_commit() || self.lacks_author_only(),
            BoxAction::AskAgent => context.view.is_some_and(|view| !view.sessions.is_empty()),
            BoxAction::Target => self.plan.targets.len() > 1,
            BoxAction::Split => !self.chosen.splits.is_empty(),
            BoxAction::Author => self.chosen.author.is_none() || self.plan.author.is_none(),
            BoxAction::Hooks => programs.is_trusted && !programs.hooks.is_empty(),
            BoxAction::OwnProgram => programs.own.as_ref().is_some_and(|own| own.is_trusted),
            BoxAction::Tick => match rows::row(self, context.sheet(), self.cursor) {
                Some(Row::Path(position)) => {
                    self.plan.paths[position].left_out.is_some_and(LeftOut::can_be_asked_for)
                }
                Some(Row::Words(_)) | None => false,
            },
            BoxAction::Edit => self.split().is_none(),
            BoxAction::LeftOut => self.n_left_out > 0,
            BoxAction::No
            | BoxAction::Mark(_)
            | BoxAction::Send
            | BoxAction::Wait
            | BoxAction::End
            | BoxAction::Move(_) => true,
        }
    }

    fn confirmed(&self) -> Step {
        let action = Action::Rescue { plan: Box::new(self.chosen_plan()) };
        Step::want(Intent::Action { workspace: self.workspace.clone(), action: Box::new(action) })
    }

    /// Asks the agent at the second press: the first tells what it costs.
    fn ask_agent(&mut self, context: Context<'_>) -> Step {
        match self.asking {
            Asking::No => {
                self.asking = Asking::Offered;
                let agent = context.view.and_then(|view| view.sessions.first()).map(|session| &session.agent);
                let agent = agent.map_or_else(String::new, |agent| text::line(agent));
                Step { is_new_question: true, ..Step::say(say::ask_agent(agent)) }
            }
            Asking::Offered if !context.is_armed => Step::too_early(),
            Asking::Offered => {
                self.asking = Asking::Sent;
                let action = Box::new(Action::AskMessages { plan: Box::new(self.chosen_plan()), with: None });
                let workspace = self.workspace.clone();
                Step { intents: vec![Intent::Action { workspace, action }], ..Step::say(say::asking()) }
            }
            Asking::Sent => Step::say(say::asking()),
        }
    }

    fn leave(&self) -> Step {
        Step { answer: Some(self.not_committed()), ..Step::close() }
    }

    /// Where the work is as long as nothing is confirmed.
    pub(super) fn not_committed(&self) -> String {
        let reference = text::line(&self.plan.record.reference);
        format!("Nothing was committed. The record of the work is kept: {reference}")
    }

    fn tick(&mut self, context: Context<'_>) -> Step {
        let Some(Row::Path(position)) = rows::row(self, context.sheet(), self.cursor) else {
            return Step::stay();
        };
        match self.plan.paths[position].left_out {
            None => Step::stay(),
            Some(why) if why.can_be_asked_for() => {
                let mut plan = self.chosen_plan();
                let is_in = !self.taken_in.remove(&position);
                if is_in {
                    self.taken_in.insert(position);
                }
                plan.choose_paths(|paths| paths[position].left_out = (!is_in).then_some(why));
                // Messages that the person wrote stay as they were.
                (self.chosen.message, self.chosen.splits) = (plan.message, plan.splits);
                Step::stay()
            }
            Some(why) => {
                let why = sets::left_out(why);
                Step::say(format!("It cannot be in the commit ({why}). The record has what could be read."))
            }
        }
    }

    /// How many rows are visible below the pinned lines.
    fn n_shown(&self, context: Context<'_>) -> usize {
        let n_pinned = self.pinned(context).len();
        usize::from(context.room.height).saturating_sub(n_pinned).max(1)
    }

    fn go(&mut self, cursor: usize, context: Context<'_>) {
        self.cursor = cursor;
        let n_rows = rows::n_rows(self, context.sheet());
        self.top = scrolled_to(self.top, self.cursor, n_rows, self.n_shown(context));
    }

    /// The lines that are always visible: what is confirmed, or what is being written.
    fn pinned(&self, context: Context<'_>) -> Vec<Line<'static>> {
        let sheet = context.sheet();
        match &self.writing {
            Some(Writing::Author(field)) => {
                let mut lines = field.lines(AUTHOR, sheet);
                lines.extend(sheet.text(say::author_form(), TextStyle::Faint, 0));
                lines
            }
            Some(Writing::Message(area)) => area.lines(context),
            None => {
                let mut lines = rows::pinned(self, sheet);
                lines.extend(rows::cut_name(self, sheet, self.cursor));
                // On the smallest screen, one line is left for the rest.
                lines.truncate(usize::from(context.room.height).saturating_sub(1).max(1));
                lines
            }
        }
    }

    fn key_while_writing(&mut self, press: KeyPress, context: Context<'_>) -> Step {
        match &mut self.writing {
            Some(Writing::Author(field)) => {
                let written = field.key(press);
                let text = field.text();
                self.written(written, &text)
            }
            Some(Writing::Message(area)) => {
                let key = area.key(press, context);
                self.key_in_message(key)
            }
            None => Step::stay(),
        }
    }

    fn written(&mut self, written: Written, text: &str) -> Step {
        match written {
            Written::More => return Step::stay(),
            Written::Left => {}
            Written::Kept => match text.parse::<CommitAuthor>().ok() {
                Some(author) => self.chosen.author = Some(author),
                None => return Step::say(say::author_form()),
            },
        }
        self.writing = None;
        Step::stay()
    }

    fn key_in_message(&mut self, key: MessageKey) -> Step {
        if key == MessageKey::More {
            return Step::stay();
        }
        let Some(Writing::Message(area)) = self.writing.take() else { return Step::stay() };
        match key {
            MessageKey::Kept => area.text().clone_into(&mut self.chosen.message),
            MessageKey::Left if area.text() != self.chosen.message => {
                self.draft = Some(area);
                return Step::say("The message is unchanged; e continues with what you wrote.");
            }
            MessageKey::Left => {}
            MessageKey::More | MessageKey::Editor => {
                let edit = Some(area.text().to_owned());
                self.writing = Some(Writing::Message(area));
                return Step { edit, ..Step::stay() };
            }
        }
        Step::stay()
    }
}
