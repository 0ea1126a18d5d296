//! Hand-made plans, reports and histories for tests of the screen.

use closeout::model::{
    ActionClass, ActionEnd, ActionKind, ActionOutcome, ActionProgress, Actor, AskCost, AskPlan, AskPurpose,
    AuditEntry, BranchPlan, Checklist, ChecklistItem, CommitAuthor, CommitPath, CommitTarget, Gap,
    IgnoredFiles, ItemState, LeftOut, MessageWords, PlanNote, PlannedChange, PlannedCommit, PlannedPath,
    PlannedPrograms, PlannedSplit, ProbeAttempt, ProbeFailure, ProbeReading, ProbeRescue, ProbeWord, Receipt,
    ReceiptState, RecordTotals, RefName, RescuePlan, RescueRecord, Rescued, Response, RunningAction,
    SessionName, ShownCommit, SmartOutcome, SmartReport, SmartStatus, SplitKind, Timestamp, Trace,
    UndoDirection, UndoPlan, VerdictState, VerifyReport, WorkspaceView,
};
use closeout::ui::{self, Reaction, State};

use super::samples::commit_id;
use super::screen::{NOW, minutes_ago};

/// The reference of the record of [`plan`].
pub(crate) const RECORD: &str = "refs/closeout/rescue/payments-1f2e/20261122T043000-0a1b2c3d";

/// Sends the screen the outcome of an action.
pub(crate) fn tell(
    state: &mut State,
    views: &[WorkspaceView],
    row: usize,
    kind: ActionKind,
    outcome: ActionOutcome,
) -> Reaction {
    let workspace = views[row].id.clone();
    let is_plan = kind == ActionKind::Plan;
    ui::on_response(
        state,
        views,
        Response::Action { workspace, number: 1, kind, is_plan, outcome: Box::new(outcome) },
    )
}

/// Lets enough time pass for a person to read what is open.
pub(crate) fn read(state: &mut State) {
    ui::on_frame(state, NOW.plus_millis(-2_000));
    ui::on_input(state, NOW);
}

pub(crate) fn path(name: impl Into<Vec<u8>>, change: PlannedChange, size: u64) -> PlannedPath {
    PlannedPath {
        path: name.into(),
        change,
        size,
        left_out: None,
        is_converted: false,
        object: (change != PlannedChange::Deleted).then(|| "5e".repeat(20)),
    }
}

pub(crate) fn left_out(name: impl Into<Vec<u8>>, size: u64, why: LeftOut) -> PlannedPath {
    PlannedPath { left_out: Some(why), ..path(name, PlannedChange::Added, size) }
}

pub(crate) fn record() -> RescueRecord {
    RescueRecord {
        reference: RECORD.to_owned().into(),
        snapshot: commit_id("aaaaaaa"),
        record: commit_id("bbbbbbb"),
        n_files: 9,
        n_bytes: 314_601_234,
        is_settled: true,
        ignored: IgnoredFiles { n_files: 3, n_bytes: 81_000_000, is_more: false },
        time: Timestamp::default(),
        unchanged_millis: None,
        branch: None,
        n_disk_bytes: 0,
        gaps: Vec::new(),
        vault: None,
        notices: Vec::new(),
        totals: RecordTotals::default(),
    }
}

/// A plan with every kind of change, and something left out.
pub(crate) fn plan() -> RescuePlan {
    RescuePlan {
        record: record(),
        branch: Some(RefName::of_branch("fix/rounding")),
        head: Some(commit_id("abababa")),
        targets: vec![CommitTarget::Head],
        target: Some(CommitTarget::Head),
        paths: vec![
            left_out(".env", 120, LeftOut::Secret),
            PlannedPath { is_converted: true, ..path("Cargo.toml", PlannedChange::Modified, 842) },
            left_out("data/big.bin", 314_572_800, LeftOut::Large),
            path("src/money.rs", PlannedChange::Modified, 12_345),
            path("src/old_money.rs", PlannedChange::Deleted, 0),
            path("src/保存.rs", PlannedChange::Added, 2_048),
            left_out("vendor/lib/a.c", 4_000, LeftOut::Nested),
        ],
        message: "fix: round half to even in totals\n\nWork that codex left uncommitted.\n\n\
                  Rescued-by: closeout"
            .to_owned(),
        words: MessageWords::default(),
        refusal: None,
        splits: Vec::new(),
        split: None,
        author: Some(CommitAuthor { name: "Ada".to_owned(), mail: "ada@example.org".to_owned() }),
        notes: vec![PlanNote::HooksNotRun(vec!["pre-commit".to_owned()])],
        programs: PlannedPrograms::default(),
    }
}

/// The same plan with a detached HEAD: a new branch is offered.
pub(crate) fn plan_detached() -> RescuePlan {
    RescuePlan {
        branch: None,
        targets: vec![CommitTarget::NewBranch(RefName::of_branch("rescue/20261122T043000"))],
        target: None,
        refusal: Some("HEAD is on no branch".to_owned()),
        ..plan()
    }
}

/// The same plan during a merge: nothing can be committed.
pub(crate) fn plan_refused() -> RescuePlan {
    let mut plan = RescuePlan {
        targets: Vec::new(),
        target: None,
        refusal: Some("a merge is under way: end it first".to_owned()),
        ..plan()
    };
    plan.record.gaps = vec![Gap { path: b"run/socket".to_vec(), reason: "it is a socket".to_owned() }];
    plan.record.is_settled = false;
    plan
}

/// A plan that offers two commits, where git knows no author.
pub(crate) fn plan_to_split() -> RescuePlan {
    let commit = |message: &str, paths: &[&str]| PlannedCommit {
        message: message.to_owned(),
        paths: paths
            .iter()
            .map(|path| CommitPath { path: path.as_bytes().to_vec(), object: Some("5e".repeat(20)) })
            .collect(),
    };
    RescuePlan {
        splits: vec![PlannedSplit {
            kind: SplitKind::Folders,
            commits: vec![
                commit("chore: files at the top", &[".env", "Cargo.toml"]),
                commit("fix: src", &["src/money.rs", "src/old_money.rs", "src/保存.rs"]),
            ],
            n_staged_versions: 0,
        }],
        author: None,
        ..plan()
    }
}

/// A plan with this many new files.
pub(crate) fn large_plan(n_paths: usize) -> RescuePlan {
    let paths = (0..n_paths).map(|n| path(format!("src/{n:05}.rs"), PlannedChange::Added, 1_000)).collect();
    RescuePlan { paths, ..plan() }
}

pub(crate) fn rescued() -> Rescued {
    Rescued {
        record: record(),
        commits: vec![commit_id("c0ffee1")],
        branch: RefName::of_branch("fix/rounding"),
        n_paths: 4,
        notes: vec!["the commit is not signed".to_owned()],
        can_be_undone: true,
    }
}

pub(crate) fn undo_plan(way: UndoDirection) -> UndoPlan {
    UndoPlan {
        way,
        id: "7".to_owned(),
        branch: RefName::of_branch("fix/rounding"),
        from: Some(commit_id("c0ffee1")),
        to: Some(commit_id("abababa")),
        commits: vec![ShownCommit {
            commit: commit_id("c0ffee1"),
            subject: "fix: round half to even in totals".to_owned(),
            n_paths: 4,
        }],
        paths: ["Cargo.toml", "src/money.rs", "src/old_money.rs", "src/保存.rs"]
            .map(|path| path.as_bytes().to_vec())
            .into(),
        record: Some(RECORD.to_owned().into()),
        pushed_to: None,
    }
}

pub(crate) fn branch_plan() -> BranchPlan {
    let commit = |id: &str, subject: &str, n_paths| ShownCommit {
        commit: commit_id(id),
        subject: subject.to_owned(),
        n_paths,
    };
    BranchPlan {
        branch: RefName::of_branch("rescue/20260921T100000Z"),
        tip: commit_id("c0ffee1"),
        commits: vec![
            commit("decade5", "feat: parse dates with a time zone", 3),
            commit("c0ffee1", "fix: round half to even in totals", 1),
        ],
        n_commits: 2,
        n_further: 1,
        notice: None,
    }
}

pub(crate) fn session_name() -> SessionName {
    SessionName::new("codex", "0b1c2d3e-4f50")
}

pub(crate) fn ask_plan(purpose: AskPurpose) -> AskPlan {
    let command = ["codex", "exec", "resume", "0b1c2d3e-4f50", "--sandbox", "read-only", "-"];
    AskPlan {
        purpose,
        session: session_name(),
        command: command.map(str::to_owned).into(),
        trace: Trace::Copy,
        prompt:
            "Are you done? Answer with JSON only:\n{\"status\": \"complete\" | \"waiting\" | \"working\"}"
                .to_owned(),
        prompt_from: "built in".to_owned(),
        max_attempts: 5,
        interval_seconds: 30,
        timeout_seconds: 60,
        rescue: ProbeRescue::Record,
        warnings: vec!["Codex has no way to ask without a copy of the session.".to_owned()],
        options: closeout::model::AskOptions::default(),
    }
}

pub(crate) fn attempt(number: u32, reading: Option<ProbeReading>) -> ProbeAttempt {
    ProbeAttempt {
        number,
        began_at: NOW.plus_millis(-12_400),
        took_ms: reading.map(|_| 4_230),
        answer: matches!(reading, Some(ProbeReading::Answered(_)))
            .then(|| "{\"status\":\"waiting\",\"background\":1}".to_owned()),
        reading,
        said: None,
        detail: matches!(reading, Some(ProbeReading::Failed(_))).then(|| "no answer in 60 s".to_owned()),
        cost: AskCost { input_tokens: Some(21_340), output_tokens: Some(56), ..AskCost::default() },
    }
}

/// A smart check between two of its rounds.
pub(crate) fn running_probe() -> RunningAction {
    let answered = ProbeReading::Answered(ProbeWord::Waiting);
    RunningAction {
        number: 4,
        kind: ActionKind::Probe,
        since: NOW.plus_millis(-75_300),
        progress: ActionProgress {
            message: "waits, then asks codex again".to_owned(),
            attempts: vec![
                attempt(1, Some(ProbeReading::Failed(ProbeFailure::Timeout))),
                attempt(2, Some(answered)),
            ],
            waits_until: Some(NOW.plus_millis(21_500)),
            taken: None,
        },
        is_cancelled: false,
        is_automatic: false,
        is_plan: false,
    }
}

/// An agent that is answering a reply.
pub(crate) fn running_turn() -> RunningAction {
    let taken = Receipt {
        id: "r-1".to_owned(),
        session: session_name(),
        channel_words: "given to `codex`".to_owned(),
        excerpt: "use the second way".to_owned(),
        text_sum: Receipt::sum_of("use the second way"),
        sent_at: minutes_ago(7),
        state: ReceiptState::Consumed,
        detail: None,
    };
    RunningAction {
        number: 9,
        kind: ActionKind::Reply,
        since: minutes_ago(7),
        progress: ActionProgress {
            message: "its agent is working on the answer".to_owned(),
            taken: Some(Box::new(taken)),
            ..ActionProgress::default()
        },
        is_cancelled: false,
        is_automatic: false,
        is_plan: false,
    }
}

pub(crate) fn smart_report() -> SmartReport {
    SmartReport {
        session: Some(session_name()),
        at: minutes_ago(2),
        outcome: SmartOutcome {
            status: SmartStatus::Timeout,
            complete: false,
            probes_used: 2,
            waits: 1,
            rescued: false,
            verdict: VerdictState::Incomplete,
            changes_left: Some(true),
        },
        attempts: running_probe().progress.attempts,
        record: Some(RECORD.to_owned().into()),
        notes: vec!["the copy of the session could not be deleted".to_owned()],
        is_single: false,
    }
}

pub(crate) fn verify_report() -> VerifyReport {
    let item = |title: &str, state, evidence: &str| ChecklistItem {
        title: title.to_owned(),
        state,
        evidence: Some(evidence.to_owned()),
    };
    VerifyReport {
        session: session_name(),
        at: minutes_ago(2),
        round: 2,
        is_complete: false,
        confidence_percent: Some(85),
        checklist: Checklist {
            from: "closer".to_owned(),
            items: vec![
                item(
                    "Totals are rounded half to even",
                    ItemState::Done,
                    "src/money.rs:41, test `rounds_half`",
                ),
                item("変更履歴に書く", ItemState::Open, "CHANGELOG.md has no entry"),
            ],
        },
        pending_actions: vec![
            "Add an entry to CHANGELOG.md".to_owned(),
            "丸めのテストを追加してください。".to_owned(),
        ],
        summary: Some("The code is done; its documentation is not.".to_owned()),
        error: None,
        n_attempts: 2,
        cost: AskCost::default(),
        notes: Vec::new(),
        asked_of: None,
        prompt_used: String::new(),
    }
}

pub(crate) fn receipt(state: ReceiptState) -> Receipt {
    Receipt {
        id: "r1".to_owned(),
        session: session_name(),
        channel_words: "pasted into tmux pane %3".to_owned(),
        excerpt: "2 でお願いします。".to_owned(),
        text_sum: Receipt::sum_of("2 でお願いします。"),
        sent_at: minutes_ago(4),
        state,
        detail: matches!(state, ReceiptState::Unknown).then(|| "closeout was ended while it sent".to_owned()),
    }
}

pub(crate) fn history(view: &WorkspaceView) -> Vec<AuditEntry> {
    let entry = |id: &str, minutes, kind, by, plan: &str, end: Option<(ActionClass, &str)>| AuditEntry {
        id: id.to_owned(),
        at: minutes_ago(minutes),
        by,
        workspace: view.id.clone(),
        kind,
        plan: plan.to_owned(),
        agent: None,
        end: end.map(|(class, words)| ActionEnd {
            at: minutes_ago(minutes),
            class,
            message: words.to_owned(),
            count: None,
        }),
        decided: None,
    };
    vec![
        entry("3", 1, ActionKind::Undo, Actor::Screen, "1 commit of fix/rounding", None),
        entry(
            "2",
            9,
            ActionKind::Rescue,
            Actor::Screen,
            "4 files to fix/rounding",
            Some((ActionClass::Done, "commit c0ffee1")),
        ),
        entry(
            "1",
            70,
            ActionKind::Record,
            Actor::Command,
            "9 files",
            Some((ActionClass::SavedGaps, "1 gap: run/socket")),
        ),
    ]
}
