//! Hand-made workspace views, and frames as text that a person can read in a snapshot.

use std::fmt::Write as _;

use super::samples::commit_id;
use closeout::model::{
    ActionsView, Activity, ActivitySource, ActivityState, Baseline, BaselineOrigin, ChangeKind, ChangedFile,
    Changes, ChecklistItem, Claim, CommitCounts, CommitSummary, DecisionReport, Evidence, GitFacts,
    GitReader, Head, ItemState, LastWords, Marks, NextAction, Origin, Part, PartRole, ReadingView, Rejection,
    Source, TaskKind, Timestamp, Verdict, VerdictState, Why, WorkspaceId, WorkspaceView,
};
use closeout::ui::{self, Input, KeyCode, KeyPress, Look, Reaction, Size, State};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::{Buffer, Cell, CellWidth};
use ratatui::style::{Color, Modifier};

/// The time at which every frame is drawn.
pub(crate) const NOW: Timestamp = Timestamp(1_795_262_400_000);

/// The time this many minutes before [`NOW`].
pub(crate) fn minutes_ago(minutes: i64) -> Timestamp {
    NOW.plus_millis(-minutes * 60_000)
}

/// A workspace about which nothing is known yet.
pub(crate) fn unjudged(name: &str) -> WorkspaceView {
    WorkspaceView {
        id: WorkspaceId::local(format!("/srv/shop/{name}")),
        name: name.to_owned(),
        task_kind: TaskKind::Implementation,
        verdict: None,
        verdict_since: None,
        is_found_state: false,
        attention: None,
        agent: None,
        model: None,
        activity: Activity::unknown(),
        sessions: Vec::new(),
        run: None,
        run_end: None,
        git: None,
        checklists: Vec::new(),
        last_words: None,
        task: None,
        prompt: None,
        decision: DecisionReport::default(),
        actions: ActionsView::default(),
        checks: Vec::new(),
        marks: Marks::default(),
        chosen: Vec::new(),
        not_asked: None,
        reading: ReadingView { is_running: true, ..ReadingView::default() },
        is_seen: false,
    }
}

/// A workspace with a verdict, on its own branch, otherwise bare.
pub(crate) fn judged(name: &str, state: VerdictState, why: Why) -> WorkspaceView {
    let git = git_facts(&format!("feature/{name}"));
    WorkspaceView {
        verdict: Some(std::sync::Arc::new(verdict(state, why))),
        verdict_since: Some(minutes_ago(7)),
        is_found_state: true,
        agent: Some("claude".to_owned()),
        model: Some("claude-sonnet-4-5".to_owned()),
        git: Some(git.into()),
        reading: ReadingView {
            generation: 3,
            taken_at: Some(minutes_ago(1)),
            tree_at: Some(minutes_ago(1)),
            ..ReadingView::default()
        },
        ..unjudged(name)
    }
}

pub(crate) fn verdict(state: VerdictState, why: Why) -> Verdict {
    Verdict {
        state,
        why,
        next_action: NextAction::None,
        left_to_do: closeout::model::LeftToDo::default(),
        parts: Vec::new(),
        conflicts: Vec::new(),
        warnings: Vec::new(),
        loose: Vec::new(),
        question: None,
        stage: 0,
        is_self_reported: false,
        proof: None,
        degree: None,
        so_far: None,
    }
}

pub(crate) fn git_facts(branch: &str) -> GitFacts {
    GitFacts {
        tree: None,
        content: None,
        saved_on: None,
        rescued_to: None,
        head: Head::Branch {
            name: branch.to_owned(),
            commit: commit_id("9f8e7d6c5b4a39281706f5e4d3c2b1a098765432"),
        },
        baseline: Baseline {
            commit: Some(commit_id("1a2b3c4d5e6f708192a3b4c5d6e7f80910111213")),
            origin: BaselineOrigin::BranchPoint("main".to_owned()),
            set_at: minutes_ago(300),
            commit_time: Some(minutes_ago(600)),
        },
        commits: CommitCounts::default(),
        operation: None,
        upstream: None,
        n_stashed: 0,
        stashed_here: Vec::new(),
        changes: Some(Changes::default()),
        reader: GitReader::InProcess,
        notes: Vec::new(),
    }
}

pub(crate) fn commit(id: &str, subject: &str, minutes: i64) -> CommitSummary {
    CommitSummary {
        id: commit_id(id),
        subject: subject.to_owned(),
        at: minutes_ago(minutes),
        paths: None,
        written_at: Vec::new(),
        is_merged: false,
        tests: Vec::new(),
    }
}

pub(crate) fn part(role: PartRole, evidence: Evidence) -> Part {
    Part { evidence: evidence.into(), role }
}

pub(crate) fn said(source: Source, name: &str, claim: Claim, minutes: i64) -> Evidence {
    Evidence::claim(source, name, claim, Origin::File.at(minutes_ago(minutes)))
}

pub(crate) fn not_configured(source: Source) -> Part {
    part(
        PartRole::NotConfigured,
        Evidence::abstain(source, "", Rejection::NotConfigured, Origin::File.as_read()),
    )
}

pub(crate) fn item(title: &str, state: ItemState) -> ChecklistItem {
    ChecklistItem { title: title.to_owned(), state, evidence: None }
}

pub(crate) fn last_words(text: &str, minutes: i64) -> LastWords {
    LastWords {
        certainty: Some(closeout::model::Certainty::High),
        text: text.to_owned(),
        is_cut: false,
        at: Some(minutes_ago(minutes)),
        from: "claude".to_owned(),
        question: None,
    }
}

pub(crate) fn changed(path: &str, staged: Option<ChangeKind>, unstaged: Option<ChangeKind>) -> ChangedFile {
    ChangedFile { path: path.to_owned(), staged, unstaged }
}

pub(crate) fn activity(state: ActivityState, minutes: i64) -> Activity {
    Activity { state, source: ActivitySource::Transcript, since: Some(minutes_ago(minutes)), detail: None }
}

/// A screen in its initial state.
pub(crate) fn screen(width: u16, height: u16, look: Look) -> State {
    State::new(Size { width, height }, look)
}

/// A screen that has received these views.
pub(crate) fn screen_of(width: u16, height: u16, views: &[WorkspaceView]) -> State {
    let mut state = screen(width, height, Look::colour());
    let _ = ui::views_changed(&mut state, views);
    state
}

/// The same after the person has seen the selected row.
pub(crate) fn seen_screen_of(width: u16, height: u16, views: &[WorkspaceView]) -> State {
    let mut state = screen_of(width, height, views);
    let _ = press(&mut state, views, "g");
    state
}

/// Presses keys, one per character: a line feed is Enter, a tab is Tab, `\u{1b}` is Escape. Returns the
/// combined reactions.
pub(crate) fn press(state: &mut State, views: &[WorkspaceView], keys: &str) -> Reaction {
    let mut all = Reaction::default();
    for sign in keys.chars() {
        let press = match sign {
            '\n' => KeyPress::plain(KeyCode::Enter),
            '\t' => KeyPress::plain(KeyCode::Tab),
            '\u{1b}' => KeyPress::plain(KeyCode::Esc),
            sign => KeyPress::char(sign),
        };
        let reaction = ui::update(state, views, Input::Key(press));
        all.intents.extend(reaction.intents);
        all.is_quit |= reaction.is_quit;
    }
    all
}

/// Draws a frame.
pub(crate) fn frame(state: &State, views: &[WorkspaceView]) -> Buffer {
    let backend = TestBackend::new(state.size.width, state.size.height);
    let mut terminal = Terminal::new(backend).unwrap();
    terminal.draw(|frame| drop(ui::draw(frame, state, views, NOW))).unwrap();
    terminal.backend().buffer().clone()
}

/// The text of a frame, followed by its styles in words.
pub(crate) fn picture(buffer: &Buffer) -> String {
    format!("{}\n{}", text_of(buffer).join("\n"), styles_of(buffer))
}

/// The rows of a frame, without trailing spaces. A wide character stands for its two cells.
pub(crate) fn text_of(buffer: &Buffer) -> Vec<String> {
    rows(buffer)
        .map(|row| {
            let mut line = String::new();
            let mut n_covered = 0;
            for cell in row {
                if n_covered > 0 {
                    n_covered -= 1;
                    continue;
                }
                line.push_str(cell.symbol());
                n_covered = cell.symbol().cell_width().saturating_sub(1);
            }
            line.trim_end().to_owned()
        })
        .collect()
}

/// One line for each styled row: the columns of each run and its style.
fn styles_of(buffer: &Buffer) -> String {
    let mut shown = String::new();
    for (y, row) in rows(buffer).enumerate() {
        let styles = styles_of_row(row);
        let mut runs = Vec::new();
        let mut x = 0;
        for run in styles.chunk_by(|left, right| left == right) {
            let cells = &row[x..x + run.len()];
            let is_visible = cells.iter().any(|cell| cell.symbol() != " ") || run[0].contains("reversed");
            if !run[0].is_empty() && is_visible {
                runs.push(format!("{x}-{} {}", x + run.len() - 1, run[0]));
            }
            x += run.len();
        }
        if !runs.is_empty() {
            writeln!(shown, "{y:>2}: {}", runs.join(", ")).unwrap();
        }
    }
    shown
}

/// The style of each cell in words; the cell behind a wide character has that character's style.
fn styles_of_row(row: &[Cell]) -> Vec<String> {
    let mut styles: Vec<String> = Vec::with_capacity(row.len());
    for (x, cell) in row.iter().enumerate() {
        let is_covered = x > 0 && row[x - 1].symbol().cell_width() == 2;
        let style = if is_covered { styles[x - 1].clone() } else { style_in_words(cell) };
        styles.push(style);
    }
    styles
}

fn rows(buffer: &Buffer) -> impl Iterator<Item = &[Cell]> {
    buffer.content.chunks(usize::from(buffer.area.width.max(1)))
}

fn style_in_words(cell: &Cell) -> String {
    let mut words = Vec::new();
    if cell.fg != Color::Reset {
        words.push(cell.fg.to_string().to_lowercase());
    }
    if cell.bg != Color::Reset {
        words.push(format!("on {}", cell.bg.to_string().to_lowercase()));
    }
    words.extend(cell.modifier.iter_names().map(|(name, _): (&str, Modifier)| name.to_lowercase()));
    words.join(" ")
}
