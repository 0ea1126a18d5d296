//! The rows of the preview of a rescue: remarks and the message first, then what is left out, then what is
//! committed. A row is built only when it is visible.

use std::collections::BTreeSet;

use ratatui::text::{Line, Span};

use super::preview::{self, RescueBox};
use crate::model::{
    CommitTarget, LeftOut, PlanNote, PlannedChange, PlannedCommit, PlannedPath, PlannedSplit, RefName,
    RescueRecord, display_text, quantity,
};
use crate::present::{action, age, baseline, counts, sets};
use crate::ui::look::{Sign, TextStyle};
use crate::ui::sheet::TextLayout;
use crate::ui::text;

/// At most this many lines of the message are shown; the rest are counted.
const MAX_MESSAGE: usize = 40;
/// Mark, letter and spaces before a path.
const LEAD: usize = 8;
/// The widest size.
const SIZE: usize = 8;
/// A name that its row cuts is shown in full, in at most this many lines.
const MAX_NAME_LINES: usize = 4;

#[derive(Debug, Clone)]
pub(super) enum Row {
    /// A remark or a heading.
    Words(Line<'static>),
    /// The path at this position of the plan.
    Path(usize),
}

pub(super) fn n_rows(preview: &RescueBox, sheet: TextLayout) -> usize {
    head(preview, sheet).len() + n_with_heading(preview.n_left_out) + n_with_heading(n_in(preview))
}

fn n_with_heading(n: usize) -> usize {
    if n == 0 { 0 } else { n + 1 }
}

/// How many paths the plan itself includes in the commit.
fn n_in(preview: &RescueBox) -> usize {
    preview.order.len() - preview.n_left_out
}

/// The row of the first path that is left out, if there is one.
pub(super) fn first_left_out(preview: &RescueBox, sheet: TextLayout) -> usize {
    head(preview, sheet).len() + usize::from(preview.n_left_out > 0)
}

pub(super) fn row(preview: &RescueBox, sheet: TextLayout, position: usize) -> Option<Row> {
    row_after(preview, &head(preview, sheet), sheet, position)
}

fn row_after(preview: &RescueBox, head: &[Line<'static>], sheet: TextLayout, position: usize) -> Option<Row> {
    if let Some(line) = head.get(position) {
        return Some(Row::Words(line.clone()));
    }
    let mut position = position - head.len();
    let n_left_out = preview.n_left_out;
    let rest = if preview.is_possible() { "In the commit" } else { "The rest" };
    let n_added = preview.taken_in.len();
    let added = if n_added > 0 { format!(", and {n_added} added to the commit") } else { String::new() };
    let left_out = format!("  {}{added}", n_left_out.saturating_sub(n_added));
    let n_in = n_in(preview);
    let parts =
        [("Left out", left_out, 0, n_left_out), (rest, format!("  {}", n_in + n_added), n_left_out, n_in)];
    for (title, remark, first, n) in parts.into_iter().filter(|(.., n)| *n > 0) {
        match position {
            0 => {
                let title = sheet.span(title, TextStyle::Strong);
                let remark = sheet.span(remark, TextStyle::Faint);
                return Some(Row::Words(Line::from(vec![title, remark])));
            }
            _ if position <= n => return preview.order.get(first + position - 1).copied().map(Row::Path),
            _ => position -= n + 1,
        }
    }
    None
}

/// The `n` rows from `top` on, as lines.
pub(super) fn lines(preview: &RescueBox, sheet: TextLayout, top: usize, n: usize) -> Vec<Line<'static>> {
    let head = head(preview, sheet);
    let rows = (top..top + n).map_while(|position| row_after(preview, &head, sheet, position));
    rows.map(|row| match row {
        Row::Words(line) => line,
        Row::Path(position) => path_line(preview, position, sheet),
    })
    .collect()
}

/// What the commit would be: numbers and the branch.
pub(super) fn pinned(preview: &RescueBox, sheet: TextLayout) -> Vec<Line<'static>> {
    let plan = &preview.plan;
    let refusal = plan.refusal.as_deref().map(text::line);
    if !preview.is_possible() {
        let why = refusal.unwrap_or_else(|| "there is no branch for it".to_owned());
        let message = format!("No commit can be made: {why}");
        return sheet.signed(Sign::Warning, TextStyle::Bad, &message, TextStyle::Strong);
    }
    let Some(target) = &preview.chosen.target else { return Vec::new() };
    let (mut n_files, mut n_bytes, mut n_deleted) = (0, 0_u64, 0);
    for path in preview.committed() {
        n_files += 1;
        n_bytes = n_bytes.saturating_add(path.size);
        n_deleted += usize::from(path.change == PlannedChange::Deleted);
    }
    let deleted = if n_deleted > 0 { format!(", {n_deleted} deleted") } else { String::new() };
    let size = format!("{}, {}{deleted}", counts::files(n_files), quantity::size(n_bytes));
    let place = place(plan.branch.as_ref(), target);
    let first = match preview.split() {
        _ if n_files == 0 => "Nothing to commit: everything is left out.".to_owned(),
        None => format!("Commit {size}, to {place}?"),
        Some(split) => {
            let n_commits = made(preview, split).len();
            format!("Commit {size}, as {}, to {place}?", counts::commits(n_commits))
        }
    };
    let mut lines = sheet.text(&first, TextStyle::Strong, 0);
    if *target == CommitTarget::ProtectedHead {
        lines.extend(sheet.signed(Sign::Warning, TextStyle::Bad, "The branch is protected.", TextStyle::Bad));
    } else if let Some(why) = refusal {
        lines.extend(sheet.signed(Sign::Warning, TextStyle::Open, &why, TextStyle::Plain));
    }
    if preview.chosen.author.is_none() {
        let message = "git knows no author for the commit: press a to name one.";
        lines.extend(sheet.signed(Sign::Warning, TextStyle::Bad, message, TextStyle::Open));
    }
    let left_out =
        counted(
            preview.plan.paths.iter().enumerate().filter_map(|(position, path)| {
                path.left_out.filter(|_| !preview.taken_in.contains(&position))
            }),
        );
    if let Some((n, kinds)) = left_out {
        let message = format!("{} left out: {kinds}", counts::files(n));
        lines.extend(sheet.text(&message, TextStyle::Open, 0));
    }
    let taken_in = preview.taken_in.iter().filter_map(|position| preview.plan.paths[*position].left_out);
    if let Some((n, kinds)) = counted(taken_in) {
        let message = format!("{} added by you: {kinds}", counts::files(n));
        lines.extend(sheet.signed(Sign::Warning, TextStyle::Bad, &message, TextStyle::Bad));
    }
    lines
}

/// Where a commit goes, as text.
fn place(branch: Option<&RefName>, target: &CommitTarget) -> String {
    match target {
        CommitTarget::Head | CommitTarget::ProtectedHead => branch.map(baseline::branch).unwrap_or_default(),
        CommitTarget::NewBranch(name) => format!("the new branch {}", baseline::branch(name)),
    }
}

/// The total, and the reasons, each with its number if there are several: `possible secret (1), over 10 MB (2)`.
fn counted(reasons: impl Iterator<Item = LeftOut>) -> Option<(usize, String)> {
    let mut counts: Vec<(LeftOut, usize)> = Vec::new();
    let mut n = 0;
    for why in reasons {
        n += 1;
        match counts.iter_mut().find(|(known, _)| *known == why) {
            Some((_, count)) => *count += 1,
            None => counts.push((why, 1)),
        }
    }
    let is_one = counts.len() == 1;
    let kind = |(why, count)| {
        let why = sets::left_out(why);
        if is_one { why.to_owned() } else { format!("{why} ({count})") }
    };
    let kinds: Vec<String> = counts.into_iter().map(kind).collect();
    (n > 0).then(|| (n, kinds.join(", ")))
}

/// The whole name of the path at the cursor, if its row cuts it.
pub(super) fn cut_name(preview: &RescueBox, sheet: TextLayout, cursor: usize) -> Vec<Line<'static>> {
    let Some(Row::Path(position)) = row(preview, sheet, cursor) else { return Vec::new() };
    let path = &preview.plan.paths[position];
    let name = shown(path);
    if text::width(&name) <= name_room(&note(path), sheet) {
        return Vec::new();
    }
    let mut lines = sheet.text(&name, TextStyle::Plain, 2);
    lines.truncate(MAX_NAME_LINES);
    lines
}

/// What a person must know first, and the message.
fn head(preview: &RescueBox, sheet: TextLayout) -> Vec<Line<'static>> {
    let plan = &preview.plan;
    let record = &plan.record;
    let mut lines = Vec::new();
    if preview.is_possible() {
        lines.extend(notes(preview, sheet));
    } else {
        let words = "The work is recorded anyway. To get its files: closeout restore RECORD INTO";
        lines.extend(sheet.text(words, TextStyle::Plain, 0));
    }
    lines.extend(preview::gaps(&preview.plan.record, sheet));
    for known in &record.notices {
        let style = if known.is_damage() { TextStyle::Bad } else { TextStyle::Open };
        lines.extend(sheet.signed(
            Sign::Warning,
            style,
            &text::line(&action::record_notice(known)),
            TextStyle::Plain,
        ));
    }
    let n_converted = preview.committed().filter(|path| path.is_converted).count();
    if n_converted > 0 {
        let files = counts::files_are(n_converted);
        let words =
            format!("{files} committed in another form than on disk (line endings, encoding, filter).");
        lines.extend(sheet.signed(Sign::Warning, TextStyle::Open, &words, TextStyle::Plain));
    }
    if preview.is_possible() {
        match preview.split() {
            Some(split) => lines.extend(commits(preview, split, sheet)),
            None if preview.writes_message() => {}
            None => lines.extend(message(preview, sheet)),
        }
        if let Some(author) = &preview.chosen.author {
            let author = format!("{} <{}>", text::line(&author.name), text::line(&author.mail));
            lines.extend(sheet.labelled("author", &author));
        }
        lines.extend(preview::programs(&plan.programs, preview.chosen.wanted, sheet));
    }
    if let Some(head) = plan.head {
        lines.extend(sheet.labelled("on top of", &baseline::short(head)));
    }
    let size = format!("{}, {}", counts::files(record.n_files), quantity::size(record.n_bytes));
    let recorded = format!("the whole work tree: {size}, safe whatever you choose");
    lines.extend(sheet.labelled("recorded", &recorded));
    if record.ignored.n_files > 0 {
        let more = if record.ignored.is_more { "more than " } else { "" };
        let files = counts::ignored_files(record.ignored.n_files);
        let size = quantity::size(record.ignored.n_bytes);
        lines.extend(sheet.labelled("not in it", &format!("{more}{files}, {size}")));
    }
    // The message of the commit names the record too, and the paths are to be seen on a small screen.
    let is_named = preview.is_possible() && preview.chosen.message.contains(&*record.reference);
    lines.extend(kept(record, is_named, sheet));
    lines
}

/// Where the record is, unless it is named elsewhere, its age if it was not made now, and how many records there are.
fn kept(record: &RescueRecord, is_named: bool, sheet: TextLayout) -> Vec<Line<'static>> {
    let all = record.totals;
    let disk = quantity::size(all.n_disk_bytes);
    let facts = [
        (!is_named).then(|| text::line(&record.reference)),
        record
            .unchanged_millis
            .map(|millis| format!("made {} ago; nothing has changed since", age::span(millis))),
        (all.n_records > 1).then(|| format!("{} records kept here, {disk} on the disk", all.n_records)),
    ];
    let labels = std::iter::once("record").chain(std::iter::repeat(""));
    labels.zip(facts.into_iter().flatten()).flat_map(|(label, fact)| sheet.labelled(label, &fact)).collect()
}

/// The notes that are true of the commits as chosen.
fn notes(preview: &RescueBox, sheet: TextLayout) -> Vec<Line<'static>> {
    let is_true =
        |note: &&PlanNote| preview.chosen.wanted.is_none() || !matches!(note, PlanNote::HooksNotRun(_));
    let notes = preview.plan.notes_of(preview.split());
    let notes = notes.iter().filter(is_true).map(|note| text::line(&action::note(note)));
    notes.flat_map(|note| sheet.signed(Sign::Warning, TextStyle::Open, &note, TextStyle::Plain)).collect()
}

/// The commits of a split that contain chosen paths, each with its number of files. The others are not made.
fn made<'p>(preview: &'p RescueBox, split: &'p PlannedSplit) -> Vec<(&'p PlannedCommit, usize)> {
    let is_in: BTreeSet<&[u8]> = preview.committed().map(|path| path.path.as_slice()).collect();
    let n_paths = |commit: &PlannedCommit| {
        commit.paths.iter().filter(|path| is_in.contains(path.path.as_slice())).count()
    };
    split.commits.iter().map(|commit| (commit, n_paths(commit))).filter(|(_, n_paths)| *n_paths > 0).collect()
}

fn commits(preview: &RescueBox, split: &PlannedSplit, sheet: TextLayout) -> Vec<Line<'static>> {
    let made = made(preview, split).into_iter().take(MAX_MESSAGE).enumerate();
    let commit = |(position, (commit, n_paths)): (usize, (&PlannedCommit, usize))| {
        let subject = text::line(commit.message.lines().next().unwrap_or_default());
        let words = format!("{subject}  ({})", counts::files(n_paths));
        sheet.labelled(&format!("commit {}", position + 1), &words)
    };
    made.flat_map(commit).collect()
}

fn message(preview: &RescueBox, sheet: TextLayout) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    for (position, paragraph) in text::paragraphs(&preview.chosen.message).enumerate() {
        let label = if position == 0 { "message" } else { "" };
        lines.extend(sheet.labelled(label, &paragraph));
    }
    if lines.is_empty() {
        lines.extend(sheet.labelled("message", "(empty)"));
    }
    if lines.len() > MAX_MESSAGE {
        let n_more = lines.len() - MAX_MESSAGE;
        lines.truncate(MAX_MESSAGE);
        lines.extend(sheet.labelled("", &format!("and {n_more} more lines")));
    }
    lines
}

fn shown(path: &PlannedPath) -> String {
    text::line(&display_text::bytes(&path.path))
}

/// The note about a path, beside its name and size.
fn note(path: &PlannedPath) -> String {
    match (path.left_out, path.is_converted) {
        (Some(why), _) => format!("  {}", sets::left_out(why)),
        (None, true) => "  converted".to_owned(),
        (None, false) => String::new(),
    }
}

/// The cells for the name.
fn name_room(note: &str, sheet: TextLayout) -> usize {
    sheet.width.saturating_sub(LEAD + SIZE + 2 + text::width(note)).max(8)
}

/// `  [ ] A  .env   120 B  secret`: mark, letter, name, size, reason.
fn path_line(preview: &RescueBox, position: usize, sheet: TextLayout) -> Line<'static> {
    let path = &preview.plan.paths[position];
    let is_taken_in = preview.taken_in.contains(&position);
    let mark = match path.left_out {
        None => "   ",
        Some(_) if is_taken_in => "[x]",
        Some(why) if why.can_be_asked_for() && preview.is_possible() => "[ ]",
        Some(_) => " - ",
    };
    let style = match path.left_out {
        Some(_) if is_taken_in => TextStyle::Bad,
        Some(_) => TextStyle::Faint,
        None => TextStyle::Plain,
    };
    let note = text::cut(&note(path), sheet.width / 2, sheet.look);
    let size = match path.change {
        PlannedChange::Deleted => String::new(),
        PlannedChange::Added | PlannedChange::Modified => quantity::size(path.size),
    };
    let name = text::fit(&shown(path), name_room(&note, sheet), sheet.look);
    sheet.one(Line::from(vec![
        sheet.span(format!("{mark} "), TextStyle::Strong),
        sheet.span(format!("{}  ", baseline::planned_letter(path.change)), letter_tone(path.change)),
        Span::raw(" "),
        sheet.span(name, style),
        sheet.span(format!("  {size:>SIZE$}"), TextStyle::Faint),
        sheet.span(note, TextStyle::Open),
    ]))
}

fn letter_tone(change: PlannedChange) -> TextStyle {
    match change {
        PlannedChange::Added => TextStyle::Good,
        PlannedChange::Modified => TextStyle::Open,
        PlannedChange::Deleted => TextStyle::Bad,
    }
}
