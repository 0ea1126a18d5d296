//! Shows a result until the person closes it: an action that failed, or what a smart check or the closer found.
//! Points that the closer left open can be sent to the agent from here.

use ratatui::text::Line;

use super::keys::{BoxAction, CLOSER, REPORT, box_action, box_hints};
use super::{Context, Modal, Page, Step, Then};
use crate::model::{ActionKind, ActionProblem, SmartReport, VerifyReport, WorkspaceId, WorkspaceView};
use crate::present::{Urgency, action, sets};
use crate::ui::input::KeyPress;
use crate::ui::keymap::{Binding, Hint};
use crate::ui::look::{Sign, TextStyle};
use crate::ui::steps::scrolled_to;
use crate::ui::{reports, text};

/// A report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportBox {
    workspace: WorkspaceId,
    /// Its name, cleaned.
    name: String,
    about: About,
    top: usize,
    /// The index of the marked one among the closer's open points.
    marked: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::ui) enum About {
    /// An action failed.
    Problem(ActionKind, ActionProblem),
    Smart(Box<SmartReport>),
    Verified(Box<VerifyReport>),
}

impl Modal for ReportBox {
    fn workspace(&self) -> &WorkspaceId {
        &self.workspace
    }

    fn key(&mut self, press: KeyPress, context: Context<'_>) -> Step {
        match box_action(self.table(), press) {
            Some(BoxAction::No) => Step::close(),
            Some(BoxAction::Send) => self.send(context),
            Some(BoxAction::Move(step)) if self.pending().is_empty() => self.scroll(step, context),
            Some(BoxAction::Move(step)) => {
                self.mark(step.go(self.marked, self.pending().len(), context.n_shown()), context);
                Step::stay()
            }
            Some(_) | None => Step::stay(),
        }
    }

    fn title(&self, _context: Context<'_>) -> String {
        let what = match &self.about {
            About::Problem(kind, _) => sets::title(*kind),
            About::Smart(_) => sets::title(ActionKind::Probe),
            About::Verified(_) => sets::title(ActionKind::Verify),
        };
        format!("{what}  {}", self.name)
    }

    fn hints(&self, _context: Context<'_>) -> Vec<Hint> {
        box_hints(self.table())
    }

    fn page(&self, context: Context<'_>) -> Option<Page> {
        Some(Page { lines: self.lines(context).0, top: self.top })
    }

    fn top(&mut self) -> Option<&mut usize> {
        Some(&mut self.top)
    }
}

impl ReportBox {
    pub(in crate::ui) fn new(view: &WorkspaceView, about: About) -> ReportBox {
        ReportBox { workspace: view.id.clone(), name: text::line(&view.name), about, top: 0, marked: 0 }
    }

    /// The report as a message. Cleaned.
    pub(super) fn message(&self) -> String {
        match &self.about {
            About::Problem(kind, problem) => {
                format!("{}: {}", sets::title(*kind), action::problem_label(problem))
            }
            About::Smart(report) => action::smart(report).to_owned(),
            About::Verified(report) => action::verified(report).to_owned(),
        }
    }

    fn pending(&self) -> &[String] {
        match &self.about {
            About::Verified(report) => &report.pending_actions,
            About::Problem(..) | About::Smart(_) => &[],
        }
    }

    fn table(&self) -> &'static [Binding<BoxAction>] {
        if self.pending().is_empty() { REPORT } else { CLOSER }
    }

    fn mark(&mut self, marked: usize, context: Context<'_>) {
        self.marked = marked;
        let (lines, at) = self.lines(context);
        self.top = scrolled_to(self.top, at, lines.len(), context.n_shown());
    }

    /// Opens the reply box with the marked point in it; this sends nothing.
    fn send(&self, context: Context<'_>) -> Step {
        match self.pending().get(self.marked).filter(|_| context.view.is_some()) {
            Some(action) => Step { then: Then::Reply(action.clone()), ..Step::default() },
            None => Step::stay(),
        }
    }

    /// The lines, and the index of the one where the marked point begins.
    fn lines(&self, context: Context<'_>) -> (Vec<Line<'static>>, usize) {
        let sheet = context.sheet();
        match &self.about {
            About::Problem(_, problem) => {
                let words =
                    format!("{}: {}", sets::action_class(problem.class), text::line(&problem.message));
                let mut lines =
                    sheet.signed(Sign::Urgency(Urgency::Error), TextStyle::Bad, &words, TextStyle::Strong);
                if let Some(next) = &problem.next {
                    lines.extend(sheet.signed(
                        Sign::Arrow,
                        TextStyle::Strong,
                        &text::line(next),
                        TextStyle::Plain,
                    ));
                }
                (lines, 0)
            }
            About::Smart(report) => (reports::smart(report, sheet), 0),
            About::Verified(report) => {
                let mut lines = reports::verified(report, sheet);
                let mut at = 0;
                if !report.pending_actions.is_empty() {
                    lines.extend(sheet.heading("Left to do", ""));
                }
                for (position, action) in report.pending_actions.iter().enumerate() {
                    let is_marked = position == self.marked;
                    let (sign, style) = if is_marked {
                        (Sign::Marker, TextStyle::Strong)
                    } else {
                        (Sign::Bullet, TextStyle::Plain)
                    };
                    if is_marked {
                        at = lines.len();
                    }
                    lines.extend(sheet.signed(sign, style, &text::line(action), style));
                }
                (lines, at)
            }
        }
    }
}
