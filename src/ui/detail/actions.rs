//! Actions on the workspace: what runs, what agents answered, what happened to replies, and the history.

use ratatui::text::{Line, Span};

use crate::model::{
    ActionKind, Actor, AuditEntry, HistoryEntry, HistoryEvent, Receipt, ReceiptState, RunningAction,
    Timestamp, VerdictState, WorkspaceView,
};
use crate::present::phrases::held as say;
use crate::present::{Urgency, action, age, history, row, sets};
use crate::ui::keymap::{WorkspaceCommand, key_of};
use crate::ui::look::{Sign, TextStyle};
use crate::ui::sheet::TextLayout;
use crate::ui::{reports, text};

/// At most this many replies are shown.
const MAX_RECEIPTS: usize = 5;
/// At most this many actions are shown; the rest are counted.
const MAX_ENTRIES: usize = 40;
const AGE: usize = 5;
/// The widest name of an action or event.
const KIND: usize = 10;

/// The lines of the section on what runs now.
pub(super) fn running(view: &WorkspaceView, sheet: TextLayout) -> Vec<Line<'static>> {
    let mut lines: Vec<Line<'static>> =
        view.actions.answering.iter().flat_map(|turn| answering(turn, sheet)).collect();
    lines.extend(view.actions.running.iter().flat_map(|action| one_running(action, sheet)));
    lines
}

/// A turn in which an agent answers a reply; its program ends with closeout.
fn answering(turn: &RunningAction, sheet: TextLayout) -> Vec<Line<'static>> {
    let agent = action::answering_agent(turn);
    let lasting = age::lasting(sheet.now, turn.since);
    let message = format!("{agent} answers your reply{lasting}{}{}", sheet.look.dot(), how(turn));
    let mut lines = sheet.heading("Under way", &message).to_vec();
    if let Some(taken) = &turn.progress.taken {
        lines.extend(sheet.signed(
            Sign::Active,
            TextStyle::Busy,
            &text::line(&taken.excerpt),
            TextStyle::Plain,
        ));
    }
    lines
}

fn one_running(action: &RunningAction, sheet: TextLayout) -> Vec<Line<'static>> {
    let mut lines = sheet.heading("Under way", &title(action, sheet)).to_vec();
    let words = text::line(&action.progress.message);
    if !words.is_empty() {
        lines.extend(sheet.signed(Sign::Active, TextStyle::Busy, &words, TextStyle::Plain));
    }
    if let Some(until) = action.progress.waits_until {
        let left = until.millis_since(sheet.now).max(0);
        // Rounded up, so that the count reaches 0 only when the wait is over.
        let wait = format!("    next in {} s", (left + 999) / 1_000);
        lines.push(sheet.one(Line::from(sheet.span(wait, TextStyle::Faint))));
    }
    lines.extend(reports::attempts(&action.progress.attempts, sheet));
    lines
}

fn title(action: &RunningAction, sheet: TextLayout) -> String {
    let what = row::running(action);
    format!("{what}, {}{}{}", age::seconds(sheet.now, action.since), sheet.look.dot(), how(action))
}

/// How to end it.
fn how(action: &RunningAction) -> String {
    if action.is_cancelled {
        return "is being ended".to_owned();
    }
    format!("{} ends it", key_of(WorkspaceCommand::Cancel))
}

/// What the last smart check and the closer found.
pub(super) fn reports(view: &WorkspaceView, sheet: TextLayout) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    if let Some(report) = &view.actions.smart_check {
        lines.extend(sheet.heading(sets::title(ActionKind::Probe), &age::ago(sheet.now, report.at)));
        lines.extend(reports::smart(report, sheet));
    }
    if let Some(report) = &view.actions.verified {
        lines.extend(sheet.heading(sets::title(ActionKind::Verify), ""));
        lines.extend(reports::verified(report, sheet));
        for action in &report.pending_actions {
            lines.extend(sheet.signed(Sign::Bullet, TextStyle::Open, &text::line(action), TextStyle::Plain));
        }
        if !report.pending_actions.is_empty() {
            let key = key_of(WorkspaceCommand::Report);
            let message = format!("{key} shows them again, to reply with one");
            lines.extend(sheet.text(&message, TextStyle::Faint, 2));
        }
    }
    lines
}

/// Replies that wait for the end of a turn.
pub(super) fn held(view: &WorkspaceView, sheet: TextLayout) -> Vec<Line<'static>> {
    let key = key_of(WorkspaceCommand::Cancel);
    let mut lines = Vec::new();
    for held in &view.actions.held {
        let agent = text::line(&held.session.agent);
        let facts = [say::for_agent(agent), age::age(sheet.now, held.held_at), say::cancelled_by(&key)];
        let remark = facts.join(sheet.look.dot());
        lines.extend(sheet.heading(say::title(), &remark));
        let words = text::line(&Receipt::excerpt_of(&held.text));
        lines.extend(sheet.signed(Sign::Active, TextStyle::Busy, &words, TextStyle::Plain));
        if let Some(why) = &held.hindrance {
            lines.extend(sheet.text(&say::not_yet(text::line(why)), TextStyle::Open, 2));
        }
    }
    lines
}

/// What happened to replies, newest first.
pub(super) fn receipts(view: &WorkspaceView, sheet: TextLayout) -> Vec<Line<'static>> {
    if view.actions.receipts.is_empty() {
        return Vec::new();
    }
    let mut lines = sheet.heading("Replies", "").to_vec();
    lines.extend(
        view.actions.receipts.iter().take(MAX_RECEIPTS).flat_map(|receipt| one_receipt(receipt, sheet)),
    );
    lines
}

fn one_receipt(receipt: &Receipt, sheet: TextLayout) -> Vec<Line<'static>> {
    let (sign, style) = match receipt.state {
        ReceiptState::Consumed => (Sign::Done, TextStyle::Good),
        ReceiptState::Delivered | ReceiptState::Queued => (Sign::Active, TextStyle::Busy),
        ReceiptState::Held | ReceiptState::Unknown => (Sign::Warning, TextStyle::Open),
        ReceiptState::Refused => (Sign::Urgency(Urgency::Error), TextStyle::Bad),
    };
    let age = age::age(sheet.now, receipt.sent_at);
    let state = sets::receipt(receipt.state);
    let sign = text::fit(sheet.look.sign(sign), 4, sheet.look);
    let room = sheet.width.saturating_sub(2 + text::width(&sign) + text::width(state) + 2 + AGE);
    let mut lines = vec![sheet.one(Line::from(vec![
        Span::raw("  "),
        sheet.span(sign, style),
        sheet.span(state, style),
        Span::raw("  "),
        sheet.span(text::fit(&text::line(&receipt.excerpt), room, sheet.look), TextStyle::Plain),
        sheet.span(format!("{age:>AGE$}"), TextStyle::Faint),
    ]))];
    let channel = format!("{}: {}", text::line(&receipt.session.agent), text::line(&receipt.channel_words));
    lines.extend(sheet.text(&channel, TextStyle::Faint, 6));
    if let Some(words) = &receipt.detail {
        lines.extend(sheet.text(&text::line(words), TextStyle::Plain, 6));
    }
    lines
}

pub(super) fn history(view: &WorkspaceView, sheet: TextLayout) -> Vec<Line<'static>> {
    let mut entries: Vec<(Timestamp, Vec<Line<'static>>)> =
        view.actions.history.iter().map(|entry| (entry.at, one_entry(entry, sheet))).collect();
    entries.extend(view.actions.timeline.iter().map(|entry| (entry.at, vec![one_event(entry, sheet)])));
    if entries.is_empty() {
        return Vec::new();
    }
    entries.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
    let n_more = entries.len().saturating_sub(MAX_ENTRIES);
    let mut lines = sheet.heading("History", "").to_vec();
    lines.extend(entries.into_iter().take(MAX_ENTRIES).flat_map(|(_, lines)| lines));
    if n_more > 0 {
        let more = format!("and {n_more} more: closeout log --all");
        lines.extend(sheet.text(&more, TextStyle::Faint, 2));
    }
    lines
}

fn one_event(entry: &HistoryEntry, sheet: TextLayout) -> Line<'static> {
    let age = age::age(sheet.now, entry.at);
    let room = sheet.width.saturating_sub(2 + KIND + AGE);
    let style = match entry.what {
        HistoryEvent::Verdict { state: VerdictState::Complete, .. } => TextStyle::Good,
        HistoryEvent::Verdict { .. } => TextStyle::Plain,
        HistoryEvent::Seen { .. }
        | HistoryEvent::Iteration { .. }
        | HistoryEvent::RunEnded { .. }
        | HistoryEvent::GatePassed
        | HistoryEvent::Notice { .. } => TextStyle::Faint,
    };
    let words = sheet.look.spelled(&history::event(&entry.what));
    sheet.one(Line::from(vec![
        Span::raw("  "),
        sheet.span(text::fit(entry.what.name(), KIND, sheet.look), TextStyle::Faint),
        sheet.span(text::fit(&words, room, sheet.look), style),
        sheet.span(format!("{age:>AGE$}"), TextStyle::Faint),
    ]))
}

fn one_entry(entry: &AuditEntry, sheet: TextLayout) -> Vec<Line<'static>> {
    let (end, style) = match &entry.end {
        Some(end) if end.class.exit_code() == 0 => (sets::action_class(end.class), TextStyle::Good),
        Some(end) => (sets::action_class(end.class), TextStyle::Open),
        None => ("not ended", TextStyle::Busy),
    };
    let is_here = entry.by == Actor::Screen;
    let by = if is_here { String::new() } else { format!("  ({})", sets::actor(entry.by)) };
    let age = age::age(sheet.now, entry.at);
    let room = sheet.width.saturating_sub(2 + KIND + 2 + text::width(end) + AGE);
    let plan = text::line(&entry.plan);
    let mut lines = vec![sheet.one(Line::from(vec![
        Span::raw("  "),
        sheet.span(text::fit(entry.kind.name(), KIND, sheet.look), TextStyle::Strong),
        sheet.span(text::fit(&format!("{plan}{by}"), room, sheet.look), TextStyle::Plain),
        Span::raw("  "),
        sheet.span(end, style),
        sheet.span(format!("{age:>AGE$}"), TextStyle::Faint),
    ]))];
    if let Some(end) = entry.end.as_ref().filter(|end| !end.message.is_empty()) {
        lines.extend(sheet.text(&text::line(&end.message), TextStyle::Faint, 2 + KIND));
    }
    lines
}
