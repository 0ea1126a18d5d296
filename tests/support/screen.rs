//! Workspace views made by hand, and frames as text that a person can read in a snapshot.

use std::fmt::Write as _;

use closeout::model::{
    ActionKind, Activity, ActivitySource, ActivityState, Attention, Baseline, BaselineOrigin, ChangeKind,
    ChangedFile, Changes, Checklist, ChecklistItem, Choice, Claim, CommitCounts, CommitSummary, Conflict,
    Evidence, GitFacts, GitReader, Head, ItemState, LastWords, NextAction, Part, PartRole, Question,
    QuestionWeight, Rejection, Rule, SeenWorld, Source, Strength, TaskKind, Timestamp, Upstream, Verdict,
    VerdictState, Warning, WorkspaceId, WorkspaceView,
};
use closeout::ui::{self, Input, KeyCode, KeyPress, Look, Reaction, Size, State};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::{Buffer, Cell, CellWidth};
use ratatui::style::{Color, Modifier};

/// The time at which every frame is drawn.
pub(crate) const NOW: Timestamp = Timestamp(1_795_262_400_000);

/// So many minutes before [`NOW`].
pub(crate) fn minutes_ago(minutes: i64) -> Timestamp {
    NOW.plus_millis(-minutes * 60_000)
}

/// A workspace of which nothing is known yet.
pub(crate) fn unjudged(name: &str) -> WorkspaceView {
    WorkspaceView {
        id: WorkspaceId::local(format!("/srv/shop/{name}")),
        name: name.to_owned(),
        task_kind: TaskKind::Implementation,
        verdict: None,
        verdict_since: None,
        attention: None,
        agent: None,
        model: None,
        activity: Activity::unknown(),
        git: None,
        world: None,
        checklists: Vec::new(),
        last_words: None,
        prompt: None,
        problem: None,
        is_collecting: true,
        is_seen: false,
        generation: 0,
        taken_at: None,
    }
}

/// A workspace with a verdict, on a branch of its own, and otherwise bare.
pub(crate) fn judged(name: &str, state: VerdictState, rule: Rule, why: &str) -> WorkspaceView {
    let git = git_facts(&format!("feature/{name}"));
    WorkspaceView {
        verdict: Some(verdict(state, rule, why)),
        verdict_since: Some(minutes_ago(7)),
        agent: Some("claude".to_owned()),
        model: Some("claude-sonnet-4-5".to_owned()),
        world: Some(SeenWorld::of(&git)),
        git: Some(git),
        is_collecting: false,
        generation: 3,
        taken_at: Some(minutes_ago(1)),
        ..unjudged(name)
    }
}

pub(crate) fn verdict(state: VerdictState, rule: Rule, why: &str) -> Verdict {
    Verdict {
        state,
        rule,
        why: why.to_owned(),
        next_action: NextAction { kind: ActionKind::None, text: String::new() },
        parts: Vec::new(),
        conflicts: Vec::new(),
        warnings: Vec::new(),
        question: None,
        stage: 0,
        is_self_reported: false,
        so_far: None,
    }
}

pub(crate) fn git_facts(branch: &str) -> GitFacts {
    GitFacts {
        head: Head::Branch {
            name: branch.to_owned(),
            commit: "9f8e7d6c5b4a39281706f5e4d3c2b1a098765432".to_owned(),
        },
        baseline: Baseline {
            commit: Some("1a2b3c4d5e6f708192a3b4c5d6e7f80910111213".to_owned()),
            origin: BaselineOrigin::BranchPoint("main".to_owned()),
            set_at: minutes_ago(300),
            commit_time: Some(minutes_ago(600)),
        },
        commits: CommitCounts::default(),
        operation: None,
        upstream: None,
        n_stashed: 0,
        changes: Some(Changes::default()),
        reader: GitReader::InProcess,
        notes: Vec::new(),
    }
}

pub(crate) fn commit(id: &str, subject: &str, minutes: i64) -> CommitSummary {
    CommitSummary { id: id.to_owned(), subject: subject.to_owned(), at: minutes_ago(minutes) }
}

pub(crate) fn part(role: PartRole, evidence: Evidence) -> Part {
    Part { evidence, role }
}

pub(crate) fn said(source: Source, name: &str, claim: Claim, minutes: i64) -> Evidence {
    Evidence::claim(source, name, claim).at(Some(minutes_ago(minutes)))
}

pub(crate) fn not_configured(source: Source) -> Part {
    part(PartRole::NotConfigured, Evidence::abstain(source, "", Rejection::NotConfigured))
}

pub(crate) fn item(title: &str, state: ItemState) -> ChecklistItem {
    ChecklistItem { title: title.to_owned(), state, evidence: None }
}

pub(crate) fn last_words(text: &str, minutes: i64) -> LastWords {
    LastWords {
        text: text.to_owned(),
        is_cut: false,
        at: Some(minutes_ago(minutes)),
        from: "claude".to_owned(),
        question: None,
    }
}

fn changed(path: &str, staged: Option<ChangeKind>, unstaged: Option<ChangeKind>) -> ChangedFile {
    ChangedFile { path: path.to_owned(), staged, unstaged }
}

fn activity(state: ActivityState, minutes: i64) -> Activity {
    Activity { state, source: ActivitySource::Transcript, since: Some(minutes_ago(minutes)), detail: None }
}

/// Finished: commits, a plan that is done, and not yet seen.
pub(crate) fn finished() -> WorkspaceView {
    let mut view = judged(
        "docs",
        VerdictState::Complete,
        Rule::YesWithCommits,
        "3 new commits since the baseline; done by plan too",
    );
    view.attention = Some(Attention::Finished);
    view.verdict_since = Some(minutes_ago(26));
    view.agent = Some("gemini".to_owned());
    view.model = Some("gemini-2.5-pro".to_owned());
    view.activity = activity(ActivityState::Idle, 26);
    let git = view.git.as_mut().unwrap();
    git.head = Head::Branch { name: "docs/readme".to_owned(), commit: "e1".repeat(20) };
    git.upstream = Some(Upstream { name: "origin/docs/readme".to_owned(), ahead: 3, behind: 0 });
    git.commits = CommitCounts {
        n_new: 3,
        n_foreign: 2,
        newest: vec![
            commit("c0ffee1", "Describe the search box", 27),
            commit("c0ffee2", "Add a picture of the list", 45),
            commit("c0ffee3", "Begin the README", 180),
        ],
        ..CommitCounts::default()
    };
    view.checklists = vec![Checklist {
        from: "tasks.md".to_owned(),
        items: vec![item("Write the README", ItemState::Done), item("Add a picture", ItemState::Done)],
    }];
    view.last_words = Some(last_words("All **done**. The README has a picture now.", 26));
    let verdict = view.verdict.as_mut().unwrap();
    verdict.parts = vec![
        part(
            PartRole::Agrees,
            said(Source::Commits, "git", Claim::Yes, 27).because("3 new commits since the baseline"),
        ),
        part(
            PartRole::Decided,
            said(Source::Plan, "tasks.md", Claim::Yes, 26).because("2 of 2 items are done"),
        ),
        not_configured(Source::Tests),
        not_configured(Source::Closer),
    ];
    view
}

/// Asks in Japanese, with choices, against a decision that says yes.
pub(crate) fn asks_in_japanese() -> WorkspaceView {
    let mut view =
        judged("search-ui", VerdictState::AwaitingResponse, Rule::Asks, "a question waits by last words");
    view.attention = Some(Attention::Asks);
    view.verdict_since = Some(minutes_ago(12));
    view.activity = activity(ActivityState::Asks, 12);
    view.prompt = Some("検索画面を追加して、結果をデータベースに保存してください。".to_owned());
    let question = Question {
        text: "検索結果を保存するデータベースは、どちらを使いますか？".to_owned(),
        choices: vec![
            Choice {
                label: "1".to_owned(), text: "PostgreSQL（推奨：既存の接続を使えます）".to_owned()
            },
            Choice { label: "2".to_owned(), text: "SQLite（設定が要りません）".to_owned() },
        ],
        weight: QuestionWeight::Blocking,
    };
    view.checklists = vec![Checklist {
        from: "claude".to_owned(),
        items: vec![
            item("画面を作る", ItemState::Done),
            item("検索APIを呼ぶ", ItemState::Done),
            item("結果を保存する", ItemState::Active),
            item("テストを書く", ItemState::Open),
        ],
    }];
    view.last_words = Some(LastWords {
        question: Some(question.clone()),
        ..last_words(
            "## 進捗\n\n画面と検索は**できました**。残りは保存だけです。\n\n\
             検索結果を保存するデータベースは、どちらを使いますか？\n\n\
             1) PostgreSQL（推奨：既存の接続を使えます）\n2) SQLite（設定が要りません）\n",
            12,
        )
    });
    begin_search(view.git.as_mut().unwrap());
    ask(view.verdict.as_mut().unwrap(), question);
    view
}

/// The repository of [`asks_in_japanese`].
fn begin_search(git: &mut GitFacts) {
    git.commits = CommitCounts {
        n_new: 2,
        newest: vec![commit("9f8e7d6", "検索画面を追加", 14), commit("4b4a392", "Call the search API", 31)],
        ..CommitCounts::default()
    };
    git.changes = Some(Changes {
        n_staged: 1,
        n_unstaged: 1,
        n_untracked: 1,
        n_paths: 2,
        files: vec![
            changed("src/search/保存.rs", None, Some(ChangeKind::Untracked)),
            changed("src/search/mod.rs", Some(ChangeKind::Modified), Some(ChangeKind::Modified)),
        ],
        ..Changes::default()
    });
}

/// The verdict of [`asks_in_japanese`].
fn ask(verdict: &mut Verdict, question: Question) {
    verdict.next_action = NextAction { kind: ActionKind::Answer, text: format!("answer: {}", question.text) };
    verdict.warnings = vec![Warning::Conflict];
    verdict.parts = vec![
        part(
            PartRole::Noted,
            said(Source::Commits, "git", Claim::Yes, 14).because("2 new commits since the baseline"),
        ),
        part(PartRole::Noted, said(Source::Changes, "git", Claim::Dirty, 1).because("2 files not committed")),
        part(
            PartRole::Rejected,
            Evidence {
                rejection: Some(Rejection::Stale),
                ..said(Source::Decision, ".agent/decision.json", Claim::Abstain, 240)
            },
        ),
        part(
            PartRole::Overruled,
            Evidence { strength: Strength::SelfReported, ..said(Source::Marker, "claude", Claim::Yes, 40) }
                .because("the output says COMPLETE"),
        ),
        part(
            PartRole::Decided,
            Evidence { strength: Strength::Guess, ..said(Source::LastWords, "claude", Claim::Ask, 12) }
                .because(question.text.as_str()),
        ),
        not_configured(Source::Command),
        not_configured(Source::Tests),
        not_configured(Source::Closer),
    ];
    verdict.conflicts = vec![Conflict { yes: 3, against: 4 }];
    verdict.question = Some(question);
}

/// Done by its word, and nothing is committed.
pub(crate) fn rescue() -> WorkspaceView {
    let mut view = judged(
        "payments",
        VerdictState::RescueNeeded,
        Rule::YesUncommitted,
        "done by decision, but 4 paths are not committed",
    );
    view.attention = Some(Attention::Rescue);
    view.verdict_since = Some(minutes_ago(3));
    view.agent = Some("codex".to_owned());
    view.model = Some("gpt-5-codex".to_owned());
    view.activity = activity(ActivityState::Gone, 3);
    let git = view.git.as_mut().unwrap();
    git.head = Head::Branch { name: "fix/rounding".to_owned(), commit: "ab".repeat(20) };
    git.n_stashed = 1;
    git.changes = Some(Changes {
        n_staged: 1,
        n_unstaged: 2,
        n_untracked: 1,
        n_paths: 4,
        files: vec![
            changed("Cargo.toml", Some(ChangeKind::Modified), None),
            changed("src/money.rs", None, Some(ChangeKind::Modified)),
            changed("src/old_money.rs", None, Some(ChangeKind::Deleted)),
            changed("tests/rounding.rs", None, Some(ChangeKind::Untracked)),
        ],
        ..Changes::default()
    });
    let verdict = view.verdict.as_mut().unwrap();
    verdict.next_action = NextAction { kind: ActionKind::Rescue, text: "rescue 4 paths".to_owned() };
    verdict.parts = vec![
        part(
            PartRole::Decided,
            said(Source::Changes, "git", Claim::Dirty, 1).because("4 files not committed"),
        ),
        part(
            PartRole::Decided,
            said(Source::DecisionWithId, ".agent/decision.json", Claim::Yes, 3).because("all tests pass"),
        ),
    ];
    view
}

/// A decision file that says no, for the second time.
pub(crate) fn failing() -> WorkspaceView {
    let mut view =
        judged("importer", VerdictState::Incomplete, Rule::SaysNo, "NO by decision: 2 of 40 tests fail");
    view.verdict_since = Some(minutes_ago(64));
    view.activity = activity(ActivityState::Idle, 64);
    let verdict = view.verdict.as_mut().unwrap();
    verdict.stage = 2;
    verdict.next_action = NextAction { kind: ActionKind::Fix, text: "fix: 2 of 40 tests fail".to_owned() };
    verdict.parts = vec![
        part(
            PartRole::Decided,
            Evidence {
                is_required: true,
                ..said(Source::DecisionWithId, ".agent/decision.json", Claim::No, 64)
            }
            .because("2 of 40 tests fail")
            .because("reads_empty_file, keeps_order"),
        ),
        part(
            PartRole::Overruled,
            Evidence { is_vacuous: true, ..said(Source::Tests, "target/junit.xml", Claim::Yes, 90) }
                .because("0 tests ran"),
        ),
    ];
    verdict.conflicts = vec![Conflict { yes: 1, against: 0 }];
    view
}

/// At work.
pub(crate) fn working() -> WorkspaceView {
    let mut view =
        judged("api", VerdictState::Working, Rule::SessionWorks, "the session is at work by its own word");
    view.verdict_since = Some(minutes_ago(0));
    view.activity = Activity { detail: Some("Bash".to_owned()), ..activity(ActivityState::Working, 0) };
    view.is_seen = true;
    view.checklists = vec![Checklist {
        from: "claude".to_owned(),
        items: vec![
            item("Read the routes", ItemState::Done),
            item("Add the handler", ItemState::Active),
            item("Document it", ItemState::Open),
        ],
    }];
    let verdict = view.verdict.as_mut().unwrap();
    verdict.so_far = Some(VerdictState::Incomplete);
    verdict.next_action = NextAction { kind: ActionKind::Wait, text: "wait".to_owned() };
    view
}

/// The main story: one of each, sorted.
pub(crate) fn five() -> Vec<WorkspaceView> {
    let mut views = vec![finished(), working(), failing(), rescue(), asks_in_japanese()];
    ui::order(&mut views, &screen(80, 24, Look::colour()));
    views
}

/// A screen at the start.
pub(crate) fn screen(width: u16, height: u16, look: Look) -> State {
    State::new(Size { width, height }, look)
}

/// A screen that was given these views.
pub(crate) fn screen_of(width: u16, height: u16, views: &[WorkspaceView]) -> State {
    let mut state = screen(width, height, Look::colour());
    let _ = ui::views_changed(&mut state, views);
    state
}

/// Presses keys, each a character; a line feed is Enter, a tab Tab, `\u{1b}` Escape. What comes of
/// them is put together.
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
        all.needs_frame |= reaction.needs_frame;
    }
    all
}

/// Draws a frame.
pub(crate) fn frame(state: &State, views: &[WorkspaceView]) -> Buffer {
    let backend = TestBackend::new(state.size.width, state.size.height);
    let mut terminal = Terminal::new(backend).unwrap();
    terminal.draw(|frame| ui::draw(frame, state, views, NOW)).unwrap();
    terminal.backend().buffer().clone()
}

/// The text of a frame, then its styles in words.
pub(crate) fn picture(buffer: &Buffer) -> String {
    format!("{}\n{}", text_of(buffer).join("\n"), styles_of(buffer))
}

/// The rows of a frame, without blanks at their ends. A wide sign stands for its two cells.
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

/// A line for each row that has styles: the columns of each run, and what it looks like.
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

/// The style of each cell in words; the cell behind a wide sign has the style of the sign.
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
