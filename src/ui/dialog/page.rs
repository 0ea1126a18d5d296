//! The content of the boxes: the facts of plans and reports as lines, and the visible part of them.
//!
//! No keys and no state: a plan in, lines out. Text by agents and repositories is cleaned here.

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::Context;
use crate::model::{
    ActionKind, AskPlan, AskPurpose, BranchPlan, CheckAsk, CommitId, ConfiguredCheck, RecordCost,
    RunningAction, ShownCommit, TrustItem, TrustList, UndoDirection, UndoPlan, display_text, quantity,
};
use crate::present::phrases::{checks as say, loose, undo as of_undo};
use crate::present::{action, age, baseline, counts, sets};
use crate::ui::keymap::Hint;
use crate::ui::look::{Sign, TextStyle};
use crate::ui::sheet::TextLayout;
use crate::ui::{reflow, text};

/// At most this many files of an undo are listed; the rest are counted.
const MAX_PATHS: usize = 200;

/// An area without its outermost columns.
pub(super) fn inner(area: Rect) -> Rect {
    Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area }
}

/// `1-14 of 20`; empty if everything is visible.
pub(super) fn place(top: usize, n_lines: usize, n_shown: usize) -> String {
    if n_lines <= n_shown {
        return String::new();
    }
    let top = top.min(n_lines - n_shown);
    format!("{}-{} of {n_lines}", top + 1, top + n_shown)
}

/// The hints; the confirming key is marked as inactive until it counts.
pub(super) fn armed(mut hints: Vec<Hint>, context: Context<'_>) -> Vec<Hint> {
    for hint in &mut hints {
        hint.is_on = context.is_armed || hint.key != "y";
    }
    hints
}

pub(super) fn undo_title(plan: &UndoPlan) -> &'static str {
    match plan.way {
        UndoDirection::Undo => "Undo a rescue",
        UndoDirection::Redo => "Redo a rescue",
    }
}

pub(super) fn undo(plan: &UndoPlan, sheet: TextLayout) -> Vec<Line<'static>> {
    let n_commits = plan.commits.len();
    let n_paths: usize = plan.commits.iter().map(|commit| commit.n_paths).sum();
    let commits = counts::commits(n_commits);
    let files = counts::files(n_paths);
    let name = baseline::branch(&plan.branch);
    let first = match plan.way {
        UndoDirection::Undo => format!("Take {commits} with {files} back from {name}?"),
        UndoDirection::Redo => format!("Put {commits} with {files} on {name} again?"),
    };
    let mut lines = sheet.text(&first, TextStyle::Strong, 0);
    lines.extend(plan.commits.iter().map(|commit| shown_commit(commit, sheet)));
    let at = |commit: Option<CommitId>| commit.map_or_else(|| "no commit".to_owned(), baseline::short);
    let arrow = sheet.look.sign(Sign::Arrow);
    lines.extend(sheet.labelled("branch", &format!("{name}  {} {arrow} {}", at(plan.from), at(plan.to))));
    if let Some(record) = &plan.record {
        lines.extend(sheet.labelled("record", &text::line(record)));
    }
    if let Some(upstream) = &plan.pushed_to {
        lines.extend(sheet.text(&of_undo::pushed(text::line(upstream)), TextStyle::Bad, 0));
    }
    let last = match plan.way {
        UndoDirection::Undo => {
            "Branch and index become what they were before the rescue, and the files stay as they are. \
             It is refused if the branch or the index was changed since. The commits are kept for a redo."
        }
        UndoDirection::Redo => {
            "Branch and index become what the rescue made of them, and the files stay as they are. \
             It is refused if the branch or the index was changed since."
        }
    };
    lines.extend(sheet.text(last, TextStyle::Faint, 0));
    lines.extend(sheet.heading("Files", &plan.paths.len().to_string()));
    let names = plan.paths.iter().take(MAX_PATHS).map(|path| text::line(&display_text::bytes(path)));
    lines.extend(names.flat_map(|name| sheet.text(&name, TextStyle::Plain, 2)));
    if plan.paths.len() > MAX_PATHS {
        lines.extend(sheet.text(&format!("and {} more", plan.paths.len() - MAX_PATHS), TextStyle::Faint, 2));
    }
    lines
}

/// The branch that would be created, with the commits that only it would hold.
pub(super) fn branch(plan: &BranchPlan, sheet: TextLayout) -> Vec<Line<'static>> {
    let question = loose::question(counts::commits(plan.n_commits), baseline::branch(&plan.branch));
    let mut lines = sheet.text(&question, TextStyle::Strong, 0);
    let n_earlier = plan.n_commits - plan.commits.len();
    if n_earlier > 0 {
        lines.extend(sheet.text(&loose::earlier(n_earlier), TextStyle::Faint, 2));
    }
    lines.extend(plan.commits.iter().map(|commit| shown_commit(commit, sheet)));
    if let Some(notice) = &plan.notice {
        let words = text::line(&action::record_notice(notice));
        lines.extend(sheet.signed(Sign::Warning, TextStyle::Bad, &words, TextStyle::Open));
    }
    lines.extend(sheet.text(loose::stays(), TextStyle::Faint, 0));
    if plan.n_further > 0 {
        lines.extend(sheet.text(&loose::further(plan.n_further), TextStyle::Faint, 0));
    }
    lines
}

/// A commit of a plan in one line.
fn shown_commit(commit: &ShownCommit, sheet: TextLayout) -> Line<'static> {
    let files = counts::files(commit.n_paths);
    let id = baseline::short(commit.commit);
    let room = sheet.width.saturating_sub(4 + text::width(&id) + text::width(&files) + 2);
    sheet.one(Line::from(vec![
        Span::raw("  "),
        sheet.span(id, TextStyle::Faint),
        Span::raw("  "),
        Span::raw(text::fit(&text::line(&commit.subject), room, sheet.look)),
        sheet.span(format!("  {files}"), TextStyle::Faint),
    ]))
}

/// The checks that would run, each with its whole command, and what has to be trusted first.
pub(super) fn checks(
    checks: &[ConfiguredCheck],
    untrusted: Option<&TrustList>,
    sheet: TextLayout,
) -> Vec<Line<'static>> {
    let question = if untrusted.is_some() { say::trust_question() } else { say::question() };
    let mut lines = sheet.text(question, TextStyle::Strong, 0);
    if untrusted.is_some() {
        lines.extend(sheet.signed(Sign::Warning, TextStyle::Bad, say::untrusted(), TextStyle::Open));
    }
    for check in checks {
        let words = match &check.ask {
            CheckAsk::Command { command } | CheckAsk::External { command } => action::command(command),
            CheckAsk::Scope { paths, max_lines } => {
                let lines = max_lines.iter().map(say::most_lines);
                let limits: Vec<String> = paths.iter().map(|path| text::line(path)).chain(lines).collect();
                say::scope(limits.join(", "))
            }
            CheckAsk::Judge { criteria, .. } => say::judge(text::line(&criteria.join("; "))),
            CheckAsk::Plan { files } | CheckAsk::Files { files } | CheckAsk::Tests { files } => {
                say::read(text::line(&files.join(", ")))
            }
            CheckAsk::Group { of, .. } => say::group(text::line(&of.join(", "))),
        };
        lines.extend(sheet.labelled(&text::line(&check.name), &words));
    }
    if let Some(list) = untrusted {
        lines.extend(sheet.heading(say::to_trust(), &list.items.len().to_string()));
        lines.extend(list.items.iter().flat_map(|item| trust_item(item, sheet)));
    }
    lines
}

/// One thing that could run a program: what it is, its name, its content.
fn trust_item(item: &TrustItem, sheet: TextLayout) -> Vec<Line<'static>> {
    let name = format!("{}  {}", sets::trust_kind(item.kind), text::line(&item.name));
    let mut lines = sheet.text(&name, TextStyle::Plain, 2);
    let content = text::paragraphs(&item.content).filter(|line| !line.is_empty());
    lines.extend(content.flat_map(|line| sheet.text(&line, TextStyle::Faint, 4)));
    lines
}

/// What a large record would take.
pub(super) fn size(cost: RecordCost, sheet: TextLayout) -> Vec<Line<'static>> {
    let files = counts::files(cost.n_files);
    let message = format!("Record {files}, {}?", quantity::size(cost.n_bytes));
    let mut lines = sheet.text(&message, TextStyle::Strong, 0);
    lines.extend(sheet.labelled("free there", &quantity::size(cost.n_free_bytes)));
    let message = "It is copied into the repository's own store, on a hidden reference. This commits \
                   nothing: the preview follows. Ignore rules keep files out of it.";
    lines.extend(sheet.text(message, TextStyle::Faint, 0));
    lines
}

/// What ending the turn of an agent that answers a reply would end.
pub(super) fn end_turn(turn: &RunningAction, sheet: TextLayout) -> Vec<Line<'static>> {
    let agent = action::answering_agent(turn);
    let mut lines = sheet.text(&format!("End the turn of {agent}?"), TextStyle::Strong, 0);
    if let Some(taken) = &turn.progress.taken {
        lines.extend(sheet.labelled("session", &text::line(&taken.session.session_id)));
        lines.extend(sheet.labelled("your reply", &text::line(&taken.excerpt)));
    }
    lines.extend(sheet.labelled("began", &age::ago(sheet.now, turn.since)));
    let message = "Its program and everything that it started are ended in the middle of what they are \
                   doing. Files that it changed stay as they are then, and the session keeps your reply; \
                   another reply can continue it.";
    lines.extend(sheet.text(message, TextStyle::Faint, 0));
    lines
}

pub(super) fn ask_title(plan: &AskPlan) -> &'static str {
    match plan.purpose {
        AskPurpose::Probe => sets::title(ActionKind::Probe),
        AskPurpose::Verify => sets::title(ActionKind::Verify),
    }
}

pub(super) fn ask(plan: &AskPlan, sheet: TextLayout) -> Vec<Line<'static>> {
    let mut lines = sheet.text(&action::ask_question(plan), TextStyle::Strong, 0);
    for warning in &plan.warnings {
        lines.extend(sheet.signed(Sign::Warning, TextStyle::Bad, &text::line(warning), TextStyle::Open));
    }
    lines.extend(sheet.labelled("session", &text::line(&plan.session.session_id)));
    lines.extend(sheet.labelled("leaves", sets::trace(plan.trace)));
    lines.extend(sheet.labelled("costs", "tokens: the model reads the whole session, each time it is asked"));
    lines.extend(sheet.labelled("how often", &action::how_often(plan)));
    if plan.purpose == AskPurpose::Probe {
        lines.extend(sheet.labelled("at its end", sets::probe_rescue(plan.rescue)));
    }
    lines.extend(sheet.heading("Prompt", &text::line(&plan.prompt_from)));
    for paragraph in reflow::paragraphs(&plan.prompt) {
        lines.extend(sheet.text(&paragraph, TextStyle::Plain, 2));
    }
    lines.extend(sheet.heading("Command", ""));
    lines.extend(sheet.text(&action::asking_command(plan), TextStyle::Plain, 2));
    lines
}
