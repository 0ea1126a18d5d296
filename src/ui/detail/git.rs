//! The state of git: branch, baseline, commits, unfinished operations, and the changed files.

use ratatui::text::{Line, Span};

use crate::model::{
    ChangeKind, ChangedFile, Changes, CommitCounts, CommitSummary, GitFacts, GitReader, Head, Part, Source,
    WorkspaceView,
};
use crate::present::{age, baseline, counts, reason, sets};
use crate::ui::look::TextStyle;
use crate::ui::sheet::TextLayout;
use crate::ui::text;

/// Shown if there are no facts and no source says why.
const UNKNOWN: &str = "no repository is known here";
/// The cells of a commit's id.
const ID: usize = 7;
/// At most this many of the newest commits are listed.
const MAX_COMMITS: usize = 5;
const AGE: usize = 5;

pub(super) fn lines(view: &WorkspaceView, sheet: TextLayout) -> Vec<Line<'static>> {
    let Some(git) = &view.git else {
        return unknown(view, sheet);
    };
    let mut lines = facts(git, sheet);
    match &git.changes {
        Some(changes) => lines.extend(files(changes, age::since_look(view, sheet.now), sheet)),
        None => lines.extend(sheet.heading("Changes", "not looked at yet")),
    }
    lines
}

/// Why there are no facts, according to the source.
fn unknown(view: &WorkspaceView, sheet: TextLayout) -> Vec<Line<'static>> {
    let Some(verdict) = &view.verdict else { return Vec::new() };
    let is_git = |part: &&Part| matches!(part.evidence.source, Source::Commits | Source::Changes);
    let reason = verdict.parts.iter().filter(is_git).find_map(|part| part.evidence.reasons.first());
    let Some(reason) = reason else { return sheet.heading("Git", UNKNOWN).to_vec() };
    let mut lines = sheet.heading("Git", "").to_vec();
    lines.extend(sheet.text(&text::line(&reason::label(reason)), TextStyle::Plain, 2));
    lines
}

fn facts(git: &GitFacts, sheet: TextLayout) -> Vec<Line<'static>> {
    let remark = match git.reader {
        GitReader::InProcess => "",
        GitReader::Program => "read by the git program",
    };
    let mut lines = sheet.heading("Git", remark).to_vec();
    lines.extend(sheet.labelled("branch", &branch(git)));
    lines.extend(sheet.labelled("baseline", &baseline::label(&git.baseline)));
    lines.extend(sheet.labelled("commits", &commits(&git.commits, sheet)));
    lines.extend(git.commits.newest.iter().take(MAX_COMMITS).map(|newest| commit(newest, sheet)));
    let n_named = u32::try_from(git.commits.newest.len().min(MAX_COMMITS)).unwrap_or(u32::MAX);
    if git.commits.n_new > n_named && n_named > 0 {
        lines.extend(sheet.labelled("", &format!("and {} more", git.commits.n_new - n_named)));
    }
    if let Some(operation) = git.operation {
        lines.extend(sheet.labelled("under way", &format!("{}, not ended", sets::operation(operation))));
    }
    if git.n_stashed > 0 {
        let entries = counts::stash_entries(git.n_stashed);
        lines.extend(sheet.labelled("stash", &format!("{entries} in this repository")));
    }
    lines.extend(git.notes.iter().flat_map(|note| sheet.labelled("note", &text::line(note))));
    lines
}

fn branch(git: &GitFacts) -> String {
    let head = match &git.head {
        Head::Branch { name, .. } => text::line(name),
        Head::Unborn { name } => format!("{}, without any commit", text::line(name)),
        Head::Detached { commit } => format!("none: HEAD is at {}", baseline::short(*commit)),
    };
    let Some(upstream) = &git.upstream else { return head };
    let name = text::line(&upstream.name);
    match (upstream.ahead, upstream.behind) {
        (0, 0) => format!("{head}, even with {name}"),
        (ahead, 0) => format!("{head}, {ahead} ahead of {name}"),
        (0, behind) => format!("{head}, {behind} behind {name}"),
        (ahead, behind) => format!("{head}, {ahead} ahead of and {behind} behind {name}"),
    }
}

fn commits(commits: &CommitCounts, sheet: TextLayout) -> String {
    let counts = [
        (commits.n_rescued, "of a rescue"),
        (commits.n_foreign, "from elsewhere"),
        (commits.n_empty, "without content"),
        (commits.n_elsewhere, "on another branch only"),
        (commits.n_lost, "no longer on a branch"),
    ];
    let new = if commits.n_new == 0 { "none new".to_owned() } else { format!("{} new", commits.n_new) };
    let others = counts.into_iter().filter(|(n, _)| *n > 0).map(|(n, kind)| format!("{n} {kind}"));
    let shown: Vec<String> = std::iter::once(new).chain(others).collect();
    let limit = if commits.is_cut { " (at least: the history was read up to a limit)" } else { "" };
    format!("{}{limit}", shown.join(sheet.look.dot()))
}

fn commit(commit: &CommitSummary, sheet: TextLayout) -> Line<'static> {
    let indent = if sheet.width >= 50 { 13 } else { 4 };
    let room = sheet.width.saturating_sub(indent + ID + 1 + AGE);
    let age = age::age(sheet.now, commit.at);
    sheet.one(Line::from(vec![
        Span::raw(" ".repeat(indent)),
        sheet.span(text::fit(&baseline::short(commit.id), ID + 1, sheet.look), TextStyle::Faint),
        Span::raw(text::fit(&text::line(&commit.subject), room, sheet.look)),
        sheet.span(format!("{age:>AGE$}"), TextStyle::Faint),
    ]))
}

/// `looked` is the age of the look at the work tree; `None` if the look is current.
fn files(changes: &Changes, looked: Option<String>, sheet: TextLayout) -> Vec<Line<'static>> {
    let remark = match looked {
        None if changes.is_clean() => "none: the work tree is clean".to_owned(),
        Some(ago) if changes.is_clean() => format!("none: the work tree was clean {ago}"),
        looked => {
            let mut counts = vec![counts::files(changes.n_paths)];
            counts.extend(looked.map(|ago| format!("read {ago}")));
            counts.extend(baseline::change_counts(&changes.counts()));
            counts.join(sheet.look.dot())
        }
    };
    let mut lines = sheet.heading("Changes", &remark).to_vec();
    lines.extend(changes.files.iter().map(|changed| file(changed, sheet)));
    let n_named = u32::try_from(changes.files.len()).unwrap_or(u32::MAX);
    if changes.n_paths > n_named {
        lines.extend(sheet.text(&format!("and {} more", changes.n_paths - n_named), TextStyle::Faint, 2));
    }
    if changes.n_evidence_files > 0 {
        let files = counts::files(changes.n_evidence_files);
        lines.extend(sheet.text(&format!("not counted: {files} of evidence"), TextStyle::Faint, 2));
    }
    lines
}

fn file(file: &ChangedFile, sheet: TextLayout) -> Line<'static> {
    let is_either = |kind| file.staged == Some(kind) || file.unstaged == Some(kind);
    let (staged, unstaged) = if is_either(ChangeKind::Conflicted) {
        (sheet.span("!", TextStyle::Bad), sheet.span("!", TextStyle::Bad))
    } else if is_either(ChangeKind::Untracked) {
        (sheet.span("?", TextStyle::Open), sheet.span("?", TextStyle::Open))
    } else {
        let letter = |kind: Option<ChangeKind>| kind.map_or(' ', baseline::change_letter).to_string();
        (sheet.span(letter(file.staged), TextStyle::Good), sheet.span(letter(file.unstaged), TextStyle::Bad))
    };
    sheet.one(Line::from(vec![
        Span::raw("  "),
        staged,
        unstaged,
        Span::raw(format!("  {}", text::line(&file.path))),
    ]))
}
