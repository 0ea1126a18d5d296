//! The tabs of the detail, and the line that names them.

use ratatui::text::{Line, Span};
use strum::VariantArray;

use super::look::{Look, TextStyle};
use super::text;
use crate::model::WorkspaceView;
use crate::present::phrases::tab as say;

/// A tab of the detail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[derive(VariantArray)]
pub enum Tab {
    /// The verdict, and every source behind it.
    #[default]
    Why,
    /// The open points, which can be sent back.
    LeftToDo,
    /// The agents' answers to questions.
    Asked,
    /// Commits and uncommitted files.
    Changes,
    /// The agents' sessions.
    Sessions,
    /// The record of what was done here.
    History,
}

impl Tab {
    /// The tab with this digit.
    pub(super) fn of_digit(sign: char) -> Option<Tab> {
        let number = usize::try_from(sign.to_digit(10)?).ok()?;
        Tab::VARIANTS.get(number.checked_sub(1)?).copied()
    }

    fn label(self) -> &'static str {
        match self {
            Tab::Why => say::why(),
            Tab::LeftToDo => say::left_to_do(),
            Tab::Asked => say::asked(),
            Tab::Changes => say::changes(),
            Tab::Sessions => say::sessions(),
            Tab::History => say::history(),
        }
    }

    /// The number shown with the tab; zero where a number says nothing.
    fn n_in(self, view: &WorkspaceView) -> usize {
        match self {
            Tab::Why | Tab::Asked | Tab::History => 0,
            Tab::LeftToDo => view.verdict.iter().flat_map(|verdict| verdict.left_to_do.open()).count(),
            Tab::Changes => {
                let changes = view.git.as_ref().and_then(|git| git.changes.as_ref());
                changes.map_or(0, |changes| usize::try_from(changes.n_paths).unwrap_or(usize::MAX))
            }
            Tab::Sessions => view.sessions.len(),
        }
    }
}

/// The line of tabs in `width` cells. Where the counts do not all fit, those that say least leave first; after
/// the last of them, every tab but the selected one is reduced to its digit.
pub(super) fn bar(shown: Tab, view: Option<&WorkspaceView>, width: usize, look: Look) -> Line<'static> {
    let counted = |tab: Tab| match view.map_or(0, |view| tab.n_in(view)) {
        0 => tab.label().to_owned(),
        n => format!("{} ({n})", tab.label()),
    };
    let mut leaving = vec![Tab::Sessions, Tab::Changes, Tab::LeftToDo];
    leaving.retain(|tab| *tab != shown);
    let forms = (0..=leaving.len()).map(|n_left| {
        let words =
            |tab: Tab| if leaving[..n_left].contains(&tab) { tab.label().to_owned() } else { counted(tab) };
        line(shown, &words, look)
    });
    let fits = |line: &Line<'_>| text::line_width(line) <= width;
    let digits = |tab: Tab| if tab == shown { counted(tab) } else { String::new() };
    forms.into_iter().find(fits).unwrap_or_else(|| line(shown, &digits, look))
}

fn line(shown: Tab, words: &dyn Fn(Tab) -> String, look: Look) -> Line<'static> {
    let mut line = Line::default();
    for (at, &tab) in Tab::VARIANTS.iter().enumerate() {
        let words = words(tab);
        let label = if words.is_empty() { (at + 1).to_string() } else { format!("{} {words}", at + 1) };
        let style = if tab == shown { TextStyle::Selected } else { TextStyle::Faint };
        line.push_span(Span::raw(" "));
        line.push_span(Span::styled(label, look.style(style)));
    }
    line.push_span(Span::raw(" "));
    line
}
