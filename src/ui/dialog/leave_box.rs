//! The box that asks what to do with running actions when a person leaves: wait for them, end them, or stay. It
//! remains open until none is running, and then the program ends.
//!
//! It ends nothing itself, and shows the progress of each action as the views report it.

use ratatui::text::{Line, Span};

use super::keys::{BoxAction, LEAVE};
use super::{Context, Modal, Page, Step, Then};
use crate::model::{ActionKind, Intent, RunningAction, WorkspaceId, WorkspaceView};
use crate::present::{action, age, row};
use crate::ui::input::KeyPress;
use crate::ui::keymap::{Hint, command_of, hints_of};
use crate::ui::look::TextStyle;
use crate::ui::sheet::TextLayout;
use crate::ui::text;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Decided {
    Nothing,
    /// Running actions are waited for.
    Wait,
    /// Running actions are ended.
    End,
}

/// The box.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeaveBox {
    /// The first workspace in which something runs.
    workspace: WorkspaceId,
    decided: Decided,
}

impl Modal for LeaveBox {
    fn workspace(&self) -> &WorkspaceId {
        &self.workspace
    }

    fn key(&mut self, press: KeyPress, context: Context<'_>) -> Step {
        match command_of(LEAVE, press) {
            Some(BoxAction::Wait) => {
                self.decided = Decided::Wait;
                self.left(context)
            }
            Some(BoxAction::End) if context.is_armed => self.end(context),
            Some(BoxAction::End) => Step::too_early(),
            Some(BoxAction::No) => Step::close(),
            Some(_) | None => Step::stay(),
        }
    }

    fn title(&self, _context: Context<'_>) -> String {
        "Leave".to_owned()
    }

    fn hints(&self, context: Context<'_>) -> Vec<Hint> {
        let mut hints = hints_of(LEAVE);
        for hint in &mut hints {
            hint.is_on = match hint.key.as_str() {
                "q" => self.decided == Decided::Nothing,
                "x" => self.decided != Decided::End && context.is_armed,
                _ => true,
            };
        }
        hints
    }

    fn page(&self, context: Context<'_>) -> Option<Page> {
        Some(Page::of(self.lines(context)))
    }
}

impl LeaveBox {
    /// A box for the running actions; `None` if leaving would cut nothing off.
    pub(in crate::ui) fn new(views: &[WorkspaceView]) -> Option<LeaveBox> {
        let (view, _) = running(views).next()?;
        Some(LeaveBox { workspace: view.id.clone(), decided: Decided::Nothing })
    }

    /// Whether the program ends now: the user decided it, and nothing is running.
    pub(in crate::ui) fn is_over(&self, views: &[WorkspaceView]) -> bool {
        self.decided != Decided::Nothing && running(views).next().is_none()
    }

    /// Ctrl-C: ends the running actions; a second one leaves without waiting.
    pub(in crate::ui) fn interrupt(&mut self, context: Context<'_>) -> Step {
        if self.decided == Decided::End { Step { is_quit: true, ..Step::stay() } } else { self.end(context) }
    }

    fn end(&mut self, context: Context<'_>) -> Step {
        self.decided = Decided::End;
        let cancel = |(view, action): (&WorkspaceView, &RunningAction)| Intent::CancelAction {
            workspace: view.id.clone(),
            number: action.number,
        };
        let intents = running(context.views).map(cancel).collect();
        Step { intents, ..self.left(context) }
    }

    fn left(&self, context: Context<'_>) -> Step {
        Step { is_quit: self.is_over(context.views), then: Then::Stay, ..Step::default() }
    }

    fn lines(&self, context: Context<'_>) -> Vec<Line<'static>> {
        let sheet = context.sheet();
        let shown = context.n_shown().saturating_sub(1).max(1);
        let mut lines: Vec<_> =
            running(context.views).take(shown).map(|(view, action)| line(view, action, sheet)).collect();
        let message = match (self.decided, lines.is_empty()) {
            (Decided::Nothing, true) => "Nothing is running now.",
            (Decided::Nothing, false) => "What should happen to it?",
            (Decided::Wait, _) => "closeout quits when it has ended.",
            (Decided::End, _) => "It is being ended; closeout quits then.",
        };
        lines.extend(sheet.text(message, TextStyle::Strong, 0));
        lines
    }
}

/// The running actions that leaving would cut off, including turns in which agents answer a reply. A plan that
/// changes nothing is no loss, nor is an action that no person asked for.
fn running(views: &[WorkspaceView]) -> impl Iterator<Item = (&WorkspaceView, &RunningAction)> {
    let runs = views.iter().flat_map(|view| view.actions.under_way().map(move |action| (view, action)));
    runs.filter(|(_, action)| action.kind != ActionKind::Plan && !action.is_automatic)
}

fn line(view: &WorkspaceView, action: &RunningAction, sheet: TextLayout) -> Line<'static> {
    let words = text::line(&action.progress.message);
    let words = if words.is_empty() { String::new() } else { format!(": {words}") };
    let doing = match &action.progress.taken {
        Some(taken) => {
            let agent = action::answering_agent(action);
            let reply = text::line(&taken.excerpt);
            format!("{agent} answers your reply{}: {reply}", age::lasting(sheet.now, action.since))
        }
        None => {
            format!("{}{words}, {}", row::running(action), age::seconds(sheet.now, action.since))
        }
    };
    let name = text::line(&view.name);
    let room = sheet.width.saturating_sub(text::width(&name) + 4);
    sheet.one(Line::from(vec![
        Span::raw("  "),
        sheet.span(name, TextStyle::Strong),
        Span::raw("  "),
        Span::raw(text::cut(&doing, room, sheet.look)),
    ]))
}
