//! The preview of a rescue as text: every path with its state and size, what is left out and why, the target
//! and the messages. All foreign text must be cleaned here.

use std::fmt::Write as _;

use crate::cli::text;
use crate::model::{
    BranchPlan, CommitTarget, PlanNote, PlannedChange, PlannedPath, PlannedPrograms, PlannedSplit,
    RescuePlan, RescueRecord, ShownCommit, SplitKind, UndoDirection, UndoPlan, WantedProgram, display_text,
    quantity,
};
use crate::present::phrases::{loose, undo};
use crate::present::{action, baseline, counts, sets};

pub(super) fn preview(plan: &RescuePlan) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    text.push_str(&saved(&plan.record));
    let (included, left_out): (Vec<_>, Vec<_>) = plan.paths.iter().partition(|path| path.left_out.is_none());
    let n_bytes = included.iter().map(|path| path.size).sum();
    let _ =
        writeln!(text, "\nto be committed: {}, {}", counts::files(included.len()), quantity::size(n_bytes));
    for path in &included {
        write_path(&mut text, path);
    }
    if !left_out.is_empty() {
        let _ = writeln!(
            text,
            "\nleft out of the commit, but kept in the record: {}",
            counts::files(left_out.len())
        );
        for path in &left_out {
            write_path(&mut text, path);
        }
    }
    // Notes on programs are left to `write_programs`.
    let split = plan.split.and_then(|kind| plan.splits.iter().find(|split| split.kind == kind));
    for note in plan.notes_of(split).iter().filter(|note| !is_of_programs(note)) {
        let _ = writeln!(text, "note: {}", display_text::line(&action::note(note)));
    }
    write_programs(&mut text, &plan.programs);
    if !included.is_empty() {
        write_target(&mut text, plan);
        write_messages(&mut text, plan);
    }
    text
}

fn is_of_programs(note: &PlanNote) -> bool {
    matches!(note, PlanNote::HooksNotRun(_) | PlanNote::FiltersNotTrusted(_) | PlanNote::NotCovered(_))
}

fn write_path(text: &mut String, path: &PlannedPath) {
    let sign = baseline::planned_letter(path.change);
    let size = if path.change == PlannedChange::Deleted { String::new() } else { quantity::size(path.size) };
    let _ = write!(text, "  {sign}  {size:>7}  {}", display_text::bytes(&path.path));
    if path.is_converted {
        text.push_str("  (committed in another form: line endings, encoding or a filter)");
    }
    if let Some(reason) = path.left_out {
        let ask = if reason.can_be_asked_for() { "; --include includes it" } else { "" };
        let _ = write!(text, "  ({}{ask})", sets::left_out(reason));
    }
    text.push('\n');
}

/// The programs that could take part, whether they are trusted, and whether they will run.
fn write_programs(text: &mut String, programs: &PlannedPrograms) {
    let says = |name: &str, what: &str, is_trusted: bool, wanted: WantedProgram, flag: &str| {
        let is_wanted = programs.wanted == Some(wanted);
        let state = match (is_trusted, is_wanted) {
            (true, true) => "trusted; this runs".to_owned(),
            (true, false) => format!("trusted; runs only with {flag}"),
            (false, _) => "not trusted, does not run; `closeout trust` shows it and asks".to_owned(),
        };
        format!("{name}: {}  ({state})\n", display_text::line(what))
    };
    if !programs.filters.is_empty() {
        let names = programs.filters.join(", ");
        let state = if programs.is_trusted {
            "trusted; the contents above went through them"
        } else {
            "not trusted, their files are left out; `closeout trust` shows them and asks"
        };
        let _ = writeln!(text, "filters: {}  ({state})", display_text::line(&names));
    }
    if !programs.hooks.is_empty() {
        let names = programs.hooks.join(", ");
        text.push_str(&says("hooks", &names, programs.is_trusted, WantedProgram::Hooks, "--hooks"));
    }
    if let Some(own) = &programs.own {
        let words = own.words.join(" ");
        text.push_str(&says("rescue program", &words, own.is_trusted, WantedProgram::Own, "--own-program"));
    }
}

fn write_target(text: &mut String, plan: &RescuePlan) {
    let branch = plan.target_branch().map(baseline::branch).unwrap_or_default();
    let message = match &plan.target {
        Some(CommitTarget::Head | CommitTarget::ProtectedHead) => format!("on branch {branch}"),
        Some(CommitTarget::NewBranch(_)) => {
            format!("on the new branch {branch}; HEAD, index and work tree stay")
        }
        None => String::new(),
    };
    if !message.is_empty() {
        let _ = writeln!(text, "\n{message}");
    }
    if let Some(why) = plan.why_elsewhere() {
        let _ = writeln!(text, "why: {}", display_text::line(why));
    }
    match (&plan.author, &plan.target) {
        (Some(author), Some(_)) => {
            let name = display_text::line(&author.name);
            let _ = writeln!(text, "by {name} <{}>", display_text::line(&author.mail));
        }
        (None, Some(_)) => text.push_str("no author yet: git knows no name; give --author \"Name <mail>\"\n"),
        (_, None) => {}
    }
}

fn write_messages(text: &mut String, plan: &RescuePlan) {
    let split = plan.split.and_then(|kind| plan.splits.iter().find(|split| split.kind == kind));
    let Some(split) = split else {
        let _ = writeln!(text, "\nmessage");
        write_message(text, &plan.message);
        return;
    };
    for (number, commit) in split.commits.iter().enumerate() {
        let _ = writeln!(text, "\ncommit {}: {}", number + 1, counts::files(commit.paths.len()));
        write_message(text, &commit.message);
    }
}

fn write_message(text: &mut String, message: &str) {
    for line in message.lines() {
        let _ = writeln!(text, "  | {}", display_text::line(line));
    }
}

/// The splits that the plan offers.
pub(super) fn split_words(splits: &[PlannedSplit]) -> String {
    let words = |split: &PlannedSplit| {
        let name = match split.kind {
            SplitKind::Staged => "staged",
            SplitKind::Folders => "folders",
            SplitKind::Agent => "agent",
        };
        format!("{name} ({} commits)", split.commits.len())
    };
    splits.iter().map(words).collect::<Vec<_>>().join(", ")
}

/// The preview of an undo or a redo.
pub(super) fn undo_preview(plan: &UndoPlan) -> String {
    let verb = match plan.way {
        UndoDirection::Undo => "to be taken back",
        UndoDirection::Redo => "to be made again",
    };
    let mut text = format!("{verb} on {}:\n", baseline::branch(&plan.branch));
    write_commits(&mut text, &plan.commits);
    if plan.way == UndoDirection::Undo {
        text.push_str("the files in the work tree stay as they are; the commit is kept for a redo\n");
    }
    if let Some(upstream) = &plan.pushed_to {
        let _ = writeln!(text, "note: {}", undo::pushed(display_text::line(upstream)));
    }
    text
}

/// The preview of a branch for commits that none holds.
pub(super) fn branch_preview(plan: &BranchPlan) -> String {
    let mut text = loose::preview(counts::commits(plan.n_commits), baseline::branch(&plan.branch));
    text.push('\n');
    let n_earlier = plan.n_commits - plan.commits.len();
    if n_earlier > 0 {
        let _ = writeln!(text, "  {}", loose::earlier(n_earlier));
    }
    write_commits(&mut text, &plan.commits);
    if let Some(notice) = &plan.notice {
        let _ = writeln!(text, "note: {}", display_text::line(&action::record_notice(notice)));
    }
    let _ = writeln!(text, "{}", loose::stays());
    if plan.n_further > 0 {
        let _ = writeln!(text, "note: {}", loose::further(plan.n_further));
    }
    text
}

fn write_commits(text: &mut String, commits: &[ShownCommit]) {
    for commit in commits {
        let id = baseline::short(commit.commit);
        let subject = display_text::line(&commit.subject);
        let _ = writeln!(text, "  {id}  {subject}  ({})", counts::files(commit.n_paths));
    }
}

/// Where a record is, how much it holds, how old it is if it already existed, its gaps, and what to know about its
/// place. In lines.
pub(super) fn saved(record: &RescueRecord) -> String {
    let again = match record.unchanged_millis {
        Some(_) => format!(" (made {}; nothing has changed since)", text::local_minute(record.time)),
        None => String::new(),
    };
    let mut text = format!(
        "saved in {}: {}, {}{again}\n",
        display_text::line(&record.reference),
        counts::files(record.n_files),
        quantity::size(record.n_bytes)
    );
    for gap in &record.gaps {
        let path =
            if gap.path.is_empty() { String::new() } else { format!("{}: ", display_text::bytes(&gap.path)) };
        let _ = writeln!(text, "  gap  {path}{}", display_text::line(&gap.reason));
    }
    for notice in &record.notices {
        let _ = writeln!(text, "note: {}", display_text::line(&action::record_notice(notice)));
    }
    text
}
