//! The help page: keys, made from the bindings, and the signs.

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

/// From this width on keys and signs stand side by side.
const TWO_COLUMNS: u16 = 96;
const KEYS_WIDTH: usize = 18;

const EVIDENCE_WIDTH: usize = 15;

/// Draws the page.
pub(super) fn draw(buffer: &mut Buffer, area: Rect, state: &State) {
    let lines = lines(state);
    let n_shown = usize::from(area.height);
    let top = state.page_top.min(lines.len().saturating_sub(n_shown));
    let is_all = lines.len() <= n_shown;
    let n_lines = lines.len();
    put(buffer, area, lines.into_iter().skip(top));
    if !is_all && area.y > 0 {
        let remark = format!("{}-{} of {n_lines}", top + 1, top + n_shown);
        let above = Rect { y: area.y - 1, height: 1, ..area };
        put_rule(buffer, above, say::title(), TextStyle::Strong, &remark, state.look);
    }
}

/// All lines of the page.
pub(super) fn lines(state: &State) -> Vec<Line<'static>> {
    let look = state.look;
    let width = usize::from(state.size.width);
    let mut left = section(say::keys(), BINDINGS, look);
    left.push(Line::default());
    left.extend(section(say::filter_keys(), FILTER_BINDINGS, look));
    for (words, keys) in dialog::help() {
        left.push(Line::default());
        left.push(title(words, look));
        left.extend(keys.iter().map(|(keys, help)| key_line(keys, help, look)));
    }
    let right = signs(look);
    let mut lines = if state.size.width >= TWO_COLUMNS {
        beside(left, right, width / 2, look)
    } else {
        left.push(Line::default());
        left.extend(right);
        left
    };
    if !state.notices.is_empty() {
        lines.push(Line::default());
        lines.push(title(say::problems(), look));
        for notice in &state.notices {
            lines.extend(text::wrap_text(&text::line(notice), look.style(TextStyle::Plain), width, 3));
        }
    }
    lines.into_iter().map(|line| text::cut_line(line, width, look)).collect()
}

fn title(words: &'static str, look: Look) -> Line<'static> {
    Line::from(Span::styled(format!(" {words}"), look.style(TextStyle::Strong)))
}

fn section(words: &'static str, bindings: &[Binding], look: Look) -> Vec<Line<'static>> {
    let mut lines = vec![title(words, look)];
    lines.extend(bindings.iter().map(|binding| key_line(&binding.keys_in_words(), binding.help, look)));
    lines
}

fn key_line(keys: &str, help: &'static str, look: Look) -> Line<'static> {
    Line::from(vec![
        Span::raw("   "),
        Span::styled(text::fit(keys, KEYS_WIDTH, look), look.style(TextStyle::Busy)),
        Span::raw(help),
    ])
}

/// Every sign of the list, the changes and the checklist, with what it says.
fn signs(look: Look) -> Vec<Line<'static>> {
    let mut lines = vec![title(say::signs(), look)];
    lines.extend(Urgency::VARIANTS.iter().map(|&urgency| {
        sign_line(look.sign(Sign::Urgency(urgency)), TextStyle::of(urgency), sets::urgency(urgency), look)
    }));
    lines.push(Line::default());
    lines.push(title(say::rows(), look));
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
    lines.extend(rows.map(|row| word_line(row, look)));
    let proofs = [Proof::Checked, Proof::Committed, Proof::Said, Proof::ByYou];
    lines.extend(
        proofs.map(|proof| word_line((look.sign(Sign::Proof(proof)), sets::proof_meaning(proof)), look)),
    );
    lines.push(Line::default());
    lines.push(title(say::evidence(), look));
    let parts =
        [PartRole::Decided, PartRole::Agrees, PartRole::Overruled, PartRole::Noted, PartRole::Rejected];
    lines.extend(parts.map(|role| word_line((sets::role(role), sets::role_meaning(role)), look)));
    let marks = [
        (sets::strength(Strength::SelfReported), say::self_reported()),
        (sets::strength(Strength::Guess), say::guess()),
        (say::vacuous_mark(), say::vacuous()),
        (say::required_mark(), say::required()),
    ];
    lines.extend(marks.map(|mark| word_line(mark, look)));
    lines.push(Line::default());
    lines.push(title(say::changed_files(), look));
    lines.push(sign_line("M ", TextStyle::Good, say::staged(), look));
    lines.push(sign_line(" M", TextStyle::Bad, say::not_staged(), look));
    lines.push(sign_line("??", TextStyle::Open, say::untracked(), look));
    lines.push(sign_line("!!", TextStyle::Bad, say::conflict(), look));
    lines.push(Line::from(Span::styled(format!("      {}", say::letters()), look.style(TextStyle::Faint))));
    lines
}

fn word_line((word, meaning): (&str, &'static str), look: Look) -> Line<'static> {
    Line::from(vec![
        Span::raw("   "),
        Span::styled(text::fit(word, EVIDENCE_WIDTH, look), look.style(TextStyle::Busy)),
        Span::raw(meaning),
    ])
}

fn sign_line(sign: &'static str, style: TextStyle, words: &'static str, look: Look) -> Line<'static> {
    Line::from(vec![
        Span::raw("   "),
        Span::styled(text::fit(sign, 3, look), look.style(style)),
        Span::raw(words),
    ])
}

/// Two columns of lines as one.
fn beside(
    left: Vec<Line<'static>>,
    right: Vec<Line<'static>>,
    width: usize,
    look: Look,
) -> Vec<Line<'static>> {
    let n_lines = left.len().max(right.len());
    let mut right = right.into_iter();
    let mut left = left.into_iter();
    (0..n_lines)
        .map(|_| {
            let mut line = text::cut_line(left.next().unwrap_or_default(), width, look);
            let n_missing = width.saturating_sub(text::line_width(&line));
            line.push_span(Span::raw(" ".repeat(n_missing)));
            line.spans.extend(right.next().unwrap_or_default().spans);
            line
        })
        .collect()
}
