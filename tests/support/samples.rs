//! The workspaces of the main samples: finished, asking in Japanese, needing a rescue, failing, at work.

use std::sync::Arc;

use closeout::model::{
    Activity, ActivityState, AtRisk, Attention, Certainty, ChangeKind, Changes, Checklist, Choice, Claim,
    CommitCounts, CommitId, Conflict, Evidence, GitFacts, Head, ItemState, LastWords, NextAction, PartRole,
    Pointer, Question, QuestionWeight, Rejection, Rule, Source, Strength, Upstream, Verdict, VerdictState,
    Warning, Why, WorkspaceView,
};
use closeout::present;

use super::screen::{
    activity, changed, commit, item, judged, last_words, minutes_ago, not_configured, part, said,
};

/// The id of a commit that begins with these digits.
pub(crate) fn commit_id(digits: &str) -> CommitId {
    format!("{digits:0<40}").parse().unwrap()
}

/// Finished: commits, a completed plan, not yet seen.
pub(crate) fn finished() -> WorkspaceView {
    let mut view = judged(
        "docs",
        VerdictState::Complete,
        Why::Commits { n_new: 3, n_rescued: 0, agree: vec![Source::Plan] },
    );
    view.attention = Some(Attention::Finished);
    view.verdict_since = Some(minutes_ago(26));
    view.agent = Some("gemini".to_owned());
    view.model = Some("gemini-2.5-pro".to_owned());
    view.activity = activity(ActivityState::Idle, 26);
    let git = Arc::make_mut(view.git.as_mut().unwrap());
    git.head = Head::Branch { name: "docs/readme".to_owned(), commit: commit_id("e1e1e1e") };
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
    view.checklists = vec![Arc::new(Checklist {
        from: "tasks.md".to_owned(),
        items: vec![item("Write the README", ItemState::Done), item("Add a picture", ItemState::Done)],
    })];
    view.last_words = Some(last_words("All **done**. The README has a picture now.", 26).into());
    let verdict = Arc::make_mut(view.verdict.as_mut().unwrap());
    verdict.parts = vec![
        part(
            PartRole::Agrees,
            said(Source::Commits, "git", Claim::Yes, 27)
                .because("3 new commits since the baseline".to_owned()),
        ),
        part(
            PartRole::Decided,
            said(Source::Plan, "tasks.md", Claim::Yes, 26).because("2 of 2 items are done".to_owned()),
        ),
        not_configured(Source::Tests),
        not_configured(Source::Closer),
    ];
    view
}

/// Asks in Japanese, with choices, although its decision file says yes.
pub(crate) fn asks_in_japanese() -> WorkspaceView {
    let mut view = judged("search-ui", VerdictState::AwaitingResponse, Why::Rule(Rule::Asks));
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
        certainty: Certainty::High,
    };
    view.checklists = vec![Arc::new(Checklist {
        from: "claude".to_owned(),
        items: vec![
            item("画面を作る", ItemState::Done),
            item("検索APIを呼ぶ", ItemState::Done),
            item("結果を保存する", ItemState::Active),
            item("テストを書く", ItemState::Open),
        ],
    })];
    view.last_words = Some(Arc::new(LastWords {
        certainty: Some(closeout::model::Certainty::High),
        question: Some(question.clone()),
        ..last_words(
            "## 進捗\n\n画面と検索は**できました**。残りは保存だけです。\n\n\
             検索結果を保存するデータベースは、どちらを使いますか？\n\n\
             1) PostgreSQL（推奨：既存の接続を使えます）\n2) SQLite（設定が要りません）\n",
            12,
        )
    }));
    begin_search(Arc::make_mut(view.git.as_mut().unwrap()));
    ask(Arc::make_mut(view.verdict.as_mut().unwrap()), question);
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
    verdict.next_action = NextAction::Answer(Some(question.text.clone().into()));
    verdict.warnings = vec![Warning::Conflict];
    verdict.parts = vec![
        part(
            PartRole::Noted,
            said(Source::Commits, "git", Claim::Yes, 14)
                .because("2 new commits since the baseline".to_owned()),
        ),
        part(
            PartRole::Noted,
            said(Source::Changes, "git", Claim::Dirty, 1).because("2 files not committed".to_owned()),
        ),
        part(
            PartRole::Rejected,
            said(Source::Decision, ".agent/decision.json", Claim::Abstain(Rejection::Stale), 240),
        ),
        part(
            PartRole::Overruled,
            Evidence { strength: Strength::SelfReported, ..said(Source::Marker, "claude", Claim::Yes, 40) }
                .because("the output says COMPLETE".to_owned()),
        ),
        part(
            PartRole::Decided,
            Evidence {
                strength: Strength::Guess,
                // A reason that is already given is not repeated.
                pointer: Some(Box::new(Pointer {
                    place: "claude".to_owned(),
                    excerpt: Some(question.text.clone()),
                })),
                ..said(Source::LastWords, "claude", Claim::Ask, 12)
            }
            .because(question.text.clone()),
        ),
        not_configured(Source::Command),
        not_configured(Source::Tests),
        not_configured(Source::Closer),
    ];
    verdict.conflicts = vec![Conflict { yes: 3, against: 4 }];
    verdict.question = Some(question);
}

/// Says it is done, but nothing is committed.
pub(crate) fn rescue() -> WorkspaceView {
    let mut view = judged(
        "payments",
        VerdictState::RescueNeeded,
        Why::Uncommitted(vec![Source::DecisionWithId], AtRisk::Files(Some(4))),
    );
    view.attention = Some(Attention::Rescue);
    view.verdict_since = Some(minutes_ago(3));
    view.agent = Some("codex".to_owned());
    view.model = Some("gpt-5-codex".to_owned());
    view.activity = activity(ActivityState::Gone, 3);
    let git = Arc::make_mut(view.git.as_mut().unwrap());
    git.head = Head::Branch { name: "fix/rounding".to_owned(), commit: commit_id("abababa") };
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
    let verdict = Arc::make_mut(view.verdict.as_mut().unwrap());
    verdict.next_action = NextAction::Rescue(Some(4));
    verdict.parts = vec![
        part(
            PartRole::Decided,
            said(Source::Changes, "git", Claim::Dirty, 1).because("4 files not committed".to_owned()),
        ),
        part(
            PartRole::Decided,
            Evidence {
                pointer: Some(Box::new(Pointer {
                    place: ".agent/decision.json".to_owned(),
                    excerpt: Some("{\"decision\":\"complete\"}".to_owned()),
                })),
                ..said(Source::DecisionWithId, ".agent/decision.json", Claim::Yes, 3)
            }
            .because("all tests pass".to_owned()),
        ),
    ];
    view
}

/// A decision file that says no for the second time.
pub(crate) fn failing() -> WorkspaceView {
    let mut view = judged(
        "importer",
        VerdictState::Incomplete,
        Why::SaysNo(vec![Source::DecisionWithId], Some("2 of 40 tests fail".to_owned().into())),
    );
    view.verdict_since = Some(minutes_ago(64));
    view.activity = activity(ActivityState::Idle, 64);
    let verdict = Arc::make_mut(view.verdict.as_mut().unwrap());
    verdict.stage = 2;
    verdict.next_action = NextAction::Fix { first: Some("2 of 40 tests fail".to_owned()), n_more: 0 };
    verdict.parts = vec![
        part(
            PartRole::Decided,
            Evidence {
                is_required: true,
                ..said(Source::DecisionWithId, ".agent/decision.json", Claim::No, 64)
            }
            .because("2 of 40 tests fail".to_owned())
            .because("reads_empty_file, keeps_order".to_owned()),
        ),
        part(
            PartRole::Overruled,
            Evidence { is_vacuous: true, ..said(Source::Tests, "target/junit.xml", Claim::Yes, 90) }
                .because("0 tests ran".to_owned()),
        ),
    ];
    verdict.conflicts = vec![Conflict { yes: 1, against: 0 }];
    view
}

/// At work.
pub(crate) fn working() -> WorkspaceView {
    let mut view = judged("api", VerdictState::Working, Why::Rule(Rule::SessionWorks));
    view.verdict_since = Some(minutes_ago(0));
    view.activity = Activity { detail: Some("Bash".to_owned()), ..activity(ActivityState::Working, 0) };
    view.is_seen = true;
    view.checklists = vec![Arc::new(Checklist {
        from: "claude".to_owned(),
        items: vec![
            item("Read the routes", ItemState::Done),
            item("Add the handler", ItemState::Active),
            item("Document it", ItemState::Open),
        ],
    })];
    let verdict = Arc::make_mut(view.verdict.as_mut().unwrap());
    verdict.so_far = Some(VerdictState::Incomplete);
    verdict.next_action = NextAction::Wait;
    view
}

/// The main scenario: one of each, sorted.
pub(crate) fn five() -> Vec<WorkspaceView> {
    let mut views = vec![finished(), working(), failing(), rescue(), asks_in_japanese()];
    present::order(&mut views, None);
    views
}
