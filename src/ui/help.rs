//! The help page: keys, generated from the bindings, and signs.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use strum::VariantArray as _;

use super::keymap::{BINDINGS, Binding, FILTER_BINDINGS};
use super::look::{Look, Sign, TextStyle};
use super::state::State;
use super::{dialog, text};
use crate::model::{ActivityState, PartRole, Proof, Strength};
use crate::present::phrases::help as say;
use crate::present::{Urgency, sets};
use crate::ui::sheet::{put, put_rule};

/// From this width on, keys and signs are side by side.
const TWO_COLUMNS: u16 = 96;
const KEYS_WIDTH: usize = 18;

const EVIDENCE_WIDTH: usize = 15;

/// A part of the page: its title and its entries.
struct Section {
    title: &'static str,
    entries: Vec<Entry>,
}

struct Entry {
    what: String,
    style: TextStyle,
    /// The column in which the explanation begins.
    indent: usize,
    words: &'static str,
}

pub(super) fn draw(buffer: &mut Buffer, area: Rect, state: &State) {
    let lines = lines(state);
    let n_shown = usize::from(area.height);
    let top = state.page_top.min(lines.len().saturating_sub(n_shown));
    let n_lines = lines.len();
    put(buffer, area, lines.into_iter().skip(top));
    let filter = text::line(&state.page_filter.text);
    let place = (n_lines > n_shown).then(|| format!("{}-{} of {n_lines}", top + 1, top + n_shown));
    let filter = (!filter.is_empty()).then(|| format!("/{filter}"));
    let remark = filter.into_iter().chain(place).collect::<Vec<_>>().join("  ");
    if !remark.is_empty() && area.y > 0 {
        let above = Rect { y: area.y - 1, height: 1, ..area };
        put_rule(buffer, above, say::title(), TextStyle::Strong, &remark, state.look);
    }
}

/// The lines of the page. With a filter, only entries that contain each of its words, in themselves or in their
/// title.
pub(super) fn lines(state: &State) -> Vec<Line<'static>> {
    let look = state.look;
    let width = usize::from(state.size.width);
    let wanted = state.page_filter.text.to_lowercase();
    let wanted: Vec<&str> = wanted.split_whitespace().collect();
    let is_wide = state.size.width >= TWO_COLUMNS;
    let column = if is_wide { width / 2 } else { width };
    let shown = |sections: Vec<Section>| {
        let mut lines = Vec::new();
        for mut section in sections {
            section.entries.retain(|entry| entry.matches(section.title, &wanted));
            if section.entries.is_empty() {
                continue;
            }
            if !lines.is_empty() {
                lines.push(Line::default());
            }
            lines.push(title(section.title, look));
            lines.extend(section.entries.iter().flat_map(|entry| entry.lines(column, look)));
        }
        lines
    };
    let (left, right) = (shown(keys()), shown(signs(look)));
    let mut lines = if is_wide { beside(left, right, column) } else { below(left, right) };
    if !state.notices.is_empty() && wanted.is_empty() {
        lines.push(Line::default());
        lines.push(title(say::problems(), look));
        for notice in &state.notices {
            lines.extend(text::wrap_text(&text::line(notice), look.style(TextStyle::Plain), width, 3));
        }
    }
    if lines.is_empty() {
        let words = say::nothing_matches(text::line(&state.page_filter.text));
        lines.extend(text::wrap_text(&words, look.style(TextStyle::Faint), width, 1));
    }
    lines
}

impl Entry {
    fn word(what: impl Into<String>, indent: usize, words: &'static str) -> Entry {
        Entry { what: what.into(), style: TextStyle::Busy, indent, words }
    }

    fn sign(what: &str, style: TextStyle, words: &'static str) -> Entry {
        Entry { what: what.to_owned(), style, indent: 3, words }
    }

    fn matches(&self, title: &str, wanted: &[&str]) -> bool {
        let all = format!("{title} {} {}", self.what, self.words).to_lowercase();
        wanted.iter().all(|word| all.contains(word))
    }

    /// Wrapped behind the explanation's column; a key wider than that gets a line of its own.
    fn lines(&self, width: usize, look: Look) -> Vec<Line<'static>> {
        const MARGIN: usize = 3;
        let words = [Span::raw(self.words)];
        let indent = Span::raw(" ".repeat(MARGIN + self.indent));
        let what = Span::styled(self.what.clone(), look.style(self.style));
        let n_blanks = (MARGIN + self.indent).saturating_sub(MARGIN + text::width(&self.what));
        if n_blanks == 0 {
            let mut lines = vec![Line::from(vec![Span::raw(" ".repeat(MARGIN)), what])];
            lines.extend(text::wrap(&words, width.saturating_sub(1), &indent, &indent));
            return lines;
        }
        let mut lines = text::wrap(&words, width.saturating_sub(1), &indent, &indent);
        if let Some(first) = lines.first_mut().and_then(|line| line.spans.first_mut()) {
            *first = Span::raw(" ".repeat(MARGIN));
        }
        if let Some(first) = lines.first_mut() {
            first.spans.insert(1, what);
            first.spans.insert(2, Span::raw(" ".repeat(n_blanks)));
        }
        lines
    }
}

fn title(words: &'static str, look: Look) -> Line<'static> {
    Line::from(Span::styled(format!(" {words}"), look.style(TextStyle::Strong)))
}

/// The keys of the screen, of the filter and of each dialog.
fn keys() -> Vec<Section> {
    let bound = |title, bindings: &'static [Binding]| Section {
        title,
        entries: bindings
            .iter()
            .map(|binding| Entry::word(binding.keys_in_words(), KEYS_WIDTH, binding.help))
            .collect(),
    };
    let mut sections = vec![bound(say::keys(), BINDINGS), bound(say::filter_keys(), FILTER_BINDINGS)];
    sections[0].entries.push(Entry::word(say::brackets_mark(), KEYS_WIDTH, say::brackets()));
    sections.extend(dialog::help().into_iter().map(|(title, keys)| Section {
        title,
        entries: keys.into_iter().map(|(keys, help)| Entry::word(keys, KEYS_WIDTH, help)).collect(),
    }));
    sections
}

/// Every sign of the list, the changes and the checklist, with its meaning.
fn signs(look: Look) -> Vec<Section> {
    let word = |(what, words): (&str, &'static str)| Entry::word(what, EVIDENCE_WIDTH, words);
    let urgencies = Urgency::VARIANTS.iter().map(|&urgency| {
        Entry::sign(look.sign(Sign::Urgency(urgency)), TextStyle::of(urgency), sets::urgency(urgency))
    });
    let rows = [
        ("claude+1", say::row_more()),
        ("3/7", say::row_steps()),
        (look.sign(Sign::Commits), say::row_commits()),
        (look.sign(Sign::Files), say::row_files()),
        ("3m", say::row_age()),
        ("[guess]", say::row_guess()),
        (sets::activity(ActivityState::Gone), say::row_gone()),
        (sets::activity(ActivityState::Unknown), say::row_unknown()),
        (crate::present::phrases::row::auto_probe(), say::row_auto_probe()),
    ];
    let proofs = [Proof::Checked, Proof::Committed, Proof::Said, Proof::ByYou];
    let proofs = proofs.map(|proof| (look.sign(Sign::Proof(proof)), sets::proof_meaning(proof)));
    let parts =
        [PartRole::Decided, PartRole::Agrees, PartRole::Overruled, PartRole::Noted, PartRole::Rejected];
    let parts = parts.map(|role| (sets::role(role), sets::role_meaning(role)));
    let marks = [
        (sets::strength(Strength::SelfReported), say::self_reported()),
        (sets::strength(Strength::Guess), say::guess()),
        (say::vacuous_mark(), say::vacuous()),
        (say::required_mark(), say::required()),
    ];
    let files = [
        ("M ", TextStyle::Good, say::staged()),
        (" M", TextStyle::Bad, say::not_staged()),
        ("??", TextStyle::Open, say::untracked()),
        ("!!", TextStyle::Bad, say::conflict()),
        ("", TextStyle::Plain, say::letters()),
    ];
    let files = files.map(|(what, style, words)| Entry::sign(what, style, words));
    vec![
        Section { title: say::signs(), entries: urgencies.collect() },
        Section { title: say::rows(), entries: rows.into_iter().chain(proofs).map(word).collect() },
        Section { title: say::evidence(), entries: parts.into_iter().chain(marks).map(word).collect() },
        Section { title: say::changed_files(), entries: files.into_iter().collect() },
    ]
}

fn below(mut above: Vec<Line<'static>>, below: Vec<Line<'static>>) -> Vec<Line<'static>> {
    if !above.is_empty() && !below.is_empty() {
        above.push(Line::default());
    }
    above.extend(below);
    above
}

/// Merges two columns of lines.
fn beside(left: Vec<Line<'static>>, right: Vec<Line<'static>>, width: usize) -> Vec<Line<'static>> {
    let n_lines = left.len().max(right.len());
    let mut right = right.into_iter();
    let mut left = left.into_iter();
    (0..n_lines)
        .map(|_| {
            let mut line = left.next().unwrap_or_default();
            let n_missing = width.saturating_sub(text::line_width(&line));
            line.push_span(Span::raw(" ".repeat(n_missing)));
            line.spans.extend(right.next().unwrap_or_default().spans);
            line
        })
        .collect()
}
