//! The sessions of the workspace: what each does, how far it is, and where to find it.

use ratatui::text::{Line, Span};

use crate::model::{ActivityState, SessionView, Subagent, WorkspaceView};
use crate::present::phrases::row;
use crate::present::{Urgency, age, counts, sessions, sets};
use crate::ui::look::{Sign, TextStyle};
use crate::ui::sheet::TextLayout;
use crate::ui::text;

const INDENT: usize = 4;
/// Ended sessions are listed only among the first this many; the others are counted.
const MAX_WITH_OVER: usize = 3;
/// At most this many subagents of a session are shown; the rest are counted.
const MAX_SUBAGENTS: usize = 8;
/// A question of another session takes at most this many lines.
const MAX_QUESTION_LINES: usize = 4;
/// The cells for the model's name among the facts.
const MAX_FACT: usize = 40;

pub(super) fn lines(view: &WorkspaceView, sheet: TextLayout) -> Vec<Line<'static>> {
    if view.sessions.is_empty() {
        return Vec::new();
    }
    let remark = if view.sessions.len() > 1 { view.sessions.len().to_string() } else { String::new() };
    let mut lines = sheet.heading("Sessions", &remark).to_vec();
    let mut n_folded = 0;
    for (position, session) in sessions::listed(view) {
        if position >= MAX_WITH_OVER && sessions::is_over(session) {
            n_folded += 1;
            continue;
        }
        lines.extend(one(session, position == 0, sheet));
    }
    if n_folded > 0 {
        lines.extend(sheet.text(&format!("+{n_folded} ended"), TextStyle::Faint, 2));
    }
    if let Some(left_over) = sessions::left_over(view) {
        lines.extend(sheet.text(&left_over, TextStyle::Faint, 2));
    }
    lines
}

/// One session. Only the first one's subagents are listed; its question is shown in full above.
fn one(session: &SessionView, is_first: bool, sheet: TextLayout) -> Vec<Line<'static>> {
    let mut lines = vec![title(session, sheet)];
    lines.extend(facts(session, is_first, sheet));
    if !is_first
        && session.activity.state != ActivityState::Asks
        && let Some(question) = sessions::asked(session)
    {
        let asked = format!("asks: {}", text::line(question));
        let style = if sessions::waits(session) { TextStyle::Asks } else { TextStyle::Faint };
        lines.extend(sheet.text(&asked, style, INDENT).into_iter().take(MAX_QUESTION_LINES));
    }
    if let Some(offer) = session.offer().filter(|_| !is_first) {
        let offered = row::offers(text::line(&offer.text));
        lines.extend(sheet.text(&offered, TextStyle::Faint, INDENT).into_iter().take(MAX_QUESTION_LINES));
    }
    if is_first {
        lines.extend(subagents(&session.subagents, sheet));
    }
    lines
}

/// Sign, agent, what it does, and the source of that.
fn title(session: &SessionView, sheet: TextLayout) -> Line<'static> {
    let (sign, style) = sign(session);
    let source = sets::activity_source(session.activity.source);
    let agent = text::cut(&text::line(&session.agent), 12, sheet.look);
    let start = 4 + text::width(&agent) + 2;
    let room = sheet.width.saturating_sub(start + text::width(source) + 2);
    let doing = text::fit(&text::line(&sessions::doing(session, sheet.now)), room, sheet.look);
    sheet.one(Line::from(vec![
        Span::raw("  "),
        sheet.span(text::fit(sheet.look.sign(sign), 2, sheet.look), style),
        sheet.span(agent, TextStyle::Strong),
        Span::raw("  "),
        sheet.span(doing, if style == TextStyle::Faint { TextStyle::Plain } else { style }),
        sheet.span(format!("  {source}"), TextStyle::Faint),
    ]))
}

fn sign(session: &SessionView) -> (Sign, TextStyle) {
    match session.activity.state {
        ActivityState::Working => (Sign::Urgency(Urgency::Working), TextStyle::Busy),
        ActivityState::Background => (Sign::Urgency(Urgency::Waiting), TextStyle::Busy),
        ActivityState::NeedsPermission => (Sign::Urgency(Urgency::Permission), TextStyle::Asks),
        ActivityState::Asks => (Sign::Urgency(Urgency::Asks), TextStyle::Asks),
        ActivityState::Idle if sessions::waits(session) => (Sign::Urgency(Urgency::Asks), TextStyle::Asks),
        ActivityState::Gone if session.activity.detail.as_deref() != Some("ended") => {
            (Sign::Urgency(Urgency::Error), TextStyle::Bad)
        }
        ActivityState::Idle | ActivityState::Gone | ActivityState::Unknown => {
            (Sign::Bullet, TextStyle::Faint)
        }
    }
}

/// Other facts, without ages: as many lines as needed, no fact broken.
fn facts(session: &SessionView, is_first: bool, sheet: TextLayout) -> Vec<Line<'static>> {
    let cleaned = |words: &str| text::cut(&text::line(words), MAX_FACT, sheet.look);
    let todos = session.todos.as_ref().map(|todos| {
        let active = todos.active.as_deref().map(|title| format!(" {}", cleaned(title))).unwrap_or_default();
        format!("todos {}{active}", sessions::progress(todos))
    });
    let folded = (!session.subagents.is_empty() && !is_first).then(|| sessions::subagents(session));
    let facts = [
        session.name.as_deref().map(|name| format!("\"{}\"", cleaned(name))),
        todos,
        folded,
        session.model.as_deref().map(cleaned),
        sessions::context(session).map(|context| format!("context {context}")),
        session.usage.n_turns.map(counts::turns),
        sessions::origin(&session.origin).map(|origin| cleaned(&origin)),
        session.pane.as_ref().map(|pane| format!("pane {}", cleaned(&pane.id))),
        session.process.map(|process| format!("pid {}", process.pid)),
        session.version.as_deref().map(|version| format!("version {}", cleaned(version))),
    ];
    let room = sheet.width.saturating_sub(INDENT);
    let mut lines: Vec<String> = Vec::new();
    for fact in facts.into_iter().flatten().filter(|fact| !fact.is_empty()) {
        let dot = sheet.look.dot();
        match lines.last_mut() {
            Some(line) if text::width(line) + text::width(dot) + text::width(&fact) <= room => {
                line.push_str(dot);
                line.push_str(&fact);
            }
            Some(_) | None => lines.push(fact),
        }
    }
    let blanks = " ".repeat(INDENT);
    lines
        .into_iter()
        .map(|line| sheet.one(Line::from(sheet.span(format!("{blanks}{line}"), TextStyle::Faint))))
        .collect()
}

fn subagents(subagents: &[Subagent], sheet: TextLayout) -> Vec<Line<'static>> {
    let mut lines: Vec<Line<'static>> = subagents
        .iter()
        .take(MAX_SUBAGENTS)
        .map(|subagent| {
            let what = subagent.what.as_deref().map_or_else(|| "a subagent".to_owned(), text::line);
            let age = subagent.moved_at.map(|at| age::age(sheet.now, at)).unwrap_or_default();
            let room = sheet.width.saturating_sub(INDENT + 2 + 6);
            sheet.one(Line::from(vec![
                Span::raw(" ".repeat(INDENT)),
                sheet.span(text::fit(sheet.look.sign(Sign::Bullet), 2, sheet.look), TextStyle::Busy),
                Span::raw(text::fit(&what, room, sheet.look)),
                sheet.span(format!("  {age:>4}"), TextStyle::Faint),
            ]))
        })
        .collect();
    if subagents.len() > MAX_SUBAGENTS {
        let more = format!("and {} more subagents", subagents.len() - MAX_SUBAGENTS);
        lines.extend(sheet.text(&more, TextStyle::Faint, INDENT));
    }
    lines
}
