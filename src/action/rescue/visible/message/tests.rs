//! Proposed messages for tasks in English and Japanese, and the stored form of a typed message.

use super::*;
use crate::model::{PlannedChange, display_text};

const RECORD: &str = "refs/closeout/rescue/k/t";

fn change(path: &str, change: PlannedChange) -> (&[u8], PlannedChange) {
    (path.as_bytes(), change)
}

fn propose(words: &MessageFacts<'_>, changes: &[(&[u8], PlannedChange)]) -> String {
    proposed(words).message(changes)
}

fn with_trailers(message: &str, record: &str) -> String {
    MessageWords { record: record.to_owned(), ..MessageWords::default() }.with_trailers(message)
}

fn subject_of(task: &str, last_words: &str, paths: &[&str]) -> String {
    let words = MessageFacts {
        task: Some(task).filter(|it| !it.is_empty()),
        said: Some(last_words).filter(|it| !it.is_empty()),
        record: RECORD,
    };
    let changes: Vec<_> = paths.iter().map(|path| change(path, PlannedChange::Modified)).collect();
    propose(&words, &changes).lines().next().unwrap().to_owned()
}

#[test]
fn subjects_say_what_was_asked_for() {
    for (task, last_words, paths, subject) in [
        // English prompts.
        ("Fix the login error", "", &["src/auth/login.rs"][..], "fix(auth): fix the login error"),
        (
            "Please add retry logic to the HTTP client.",
            "",
            &["a.rs"],
            "feat: add retry logic to the HTTP client",
        ),
        (
            "Hi! Could you please refactor the parser? Thanks",
            "",
            &["src/parser/x.rs", "src/parser/y.rs"],
            "refactor(parser): refactor the parser",
        ),
        ("add tests for the parser", "", &["src/x.rs", "Cargo.toml"], "test: add tests for the parser"),
        ("Make it faster", "", &["x.rs"], "feat: make it faster"),
        ("the app crashes on start", "", &["x.rs"], "fix: the app crashes on start"),
        (
            "# Task\n\nImplement OAuth2 login.\n\n- with tests",
            "",
            &["x.rs", "y.rs"],
            "feat: implement OAuth2 login",
        ),
        (
            "/implement dark mode for the settings page",
            "",
            &["x.rs"],
            "chore: dark mode for the settings page",
        ),
        ("OAuth is broken", "", &["x.rs"], "fix: OAuth is broken"),
        // Only documents, only tests.
        ("Fix the typo", "", &["README.md", "docs/a.md"], "docs: fix the typo"),
        ("Cover the edge cases", "", &["tests/a.rs"], "test: cover the edge cases"),
        // Prompts that say nothing: the agent's words count if they report something done.
        (
            "continue",
            "I've added a cache to the resolver. All tests pass.",
            &["x.rs"],
            "feat: add a cache to the resolver",
        ),
        ("yes", "Done. Renamed the module to `store`.", &["x.rs"], "refactor: rename the module to store"),
        ("go on", "Should I also add tests?", &["x.rs"], "chore: change x.rs"),
        ("1", "", &["src/a/x.rs", "src/a/y.rs"], "chore: change 2 files in src/a"),
        ("", "", &["x.rs"], "chore: change x.rs"),
        // Japanese prompts.
        ("ログイン画面のエラーを修正してください", "", &["x.rs"], "fix: ログイン画面のエラーを修正"),
        ("検索機能を追加して", "", &["x.rs"], "feat: 検索機能を追加"),
        ("このバグを直してください。", "", &["x.rs"], "fix: このバグを直す"),
        ("パーサーのテストを書いて", "", &["x.rs"], "test: パーサーのテストを書く"),
        ("コードの整理をお願いします", "", &["x.rs"], "refactor: コードの整理"),
        ("続けて", "設定画面を追加しました。次に進みますか？", &["x.rs"], "feat: 設定画面を追加"),
        ("はい", "テストを実行しますか？", &["x.rs"], "chore: change x.rs"),
    ] {
        assert_eq!(subject_of(task, last_words, paths), subject, "{task}");
    }
}

// V09
#[test]
fn a_subject_is_never_wider_than_72_columns_and_has_no_unsafe_signs() {
    let long = "word ".repeat(50);
    let wide = "長い説明".repeat(40);
    let joined = "👩‍👩‍👧‍👦".repeat(40);
    for task in [
        long.as_str(),
        &wide,
        &joined,
        "fix \u{1b}[31mthe\u{1b}[0m error\u{202e}\u{200b}",
        &"x".repeat(1 << 20),
        "add\u{7}\u{0} bells",
        "\u{300}\u{300}\u{300}",
        "e\u{301}".repeat(200).as_str(),
        "--- -- - #",
    ] {
        let subject = subject_of(task, task, &["src/quite_a_long_folder/x.rs"]);
        assert!(subject.width() <= COLUMNS, "{} columns: {subject}", subject.width());
        assert!(!subject.chars().any(display_text::is_unsafe), "{subject:?}");
        assert!(!subject.chars().any(char::is_control), "{subject:?}");
        assert!(subject.split_once(": ").is_some_and(|(_, it)| !it.is_empty()), "{subject:?}");
    }
}

#[test]
fn a_message_has_the_words_the_paths_and_the_trailers() {
    let words = MessageFacts {
        task: Some("Fix the resolver"),
        said: Some(
            "I fixed the resolver and it now retries three times before it gives up on a host that \
                          does not answer.\n\n```rust\nfn x() {}\n```",
        ),
        record: RECORD,
    };
    let changes = [
        change("src/resolver.rs", PlannedChange::Modified),
        change("src/new.rs", PlannedChange::Added),
        change("old\n.rs", PlannedChange::Deleted),
    ];
    let expected = [
        "fix: fix the resolver",
        "",
        "I fixed the resolver and it now retries three times before it gives up",
        "on a host that does not answer.",
        "",
        "- change src/resolver.rs",
        "- add src/new.rs",
        "- delete old␊.rs",
        "",
        "Rescued-by: closeout",
        "Rescue-record: refs/closeout/rescue/k/t",
        "",
    ]
    .join("\n");
    assert_eq!(propose(&words, &changes), expected);
}

#[test]
fn nothing_that_looks_like_a_key_gets_into_a_message() {
    let key = "gh".to_owned() + "p_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";
    let words = MessageFacts {
        task: Some(&format!("use the token {key}")),
        said: Some(&format!("I added the token {key}")),
        record: RECORD,
    };
    let message = propose(&words, &[change("x", PlannedChange::Added)]);
    assert!(!message.contains(&key), "{message}");
    assert!(message.starts_with("chore: add x\n"));
}

// V09
#[test]
fn a_typed_message_is_kept_but_for_controls() {
    let typed = "# not a comment\n-x\n\nbody\u{1b}[31m\u{0} 日本語\t\u{202e}\r\n";
    assert_eq!(stored(typed).unwrap(), "# not a comment\n-x\n\nbody[31m 日本語\t\u{202e}\n");
    let large = "a line\n".repeat(200_000);
    assert_eq!(stored(&large).unwrap(), large);
    assert!(with_trailers(&large, RECORD).starts_with(large.trim_end()));
    assert!(stored(" \n\t\u{1b}\n").is_err());
}

#[test]
fn trailers_join_those_that_are_there() {
    assert_eq!(
        with_trailers("fix: x\n\nSigned-off-by: A <a@b>", RECORD),
        "fix: x\n\nSigned-off-by: A <a@b>\nRescued-by: closeout\nRescue-record: refs/closeout/rescue/k/t\n"
    );
    assert_eq!(
        with_trailers("fix: x\n", RECORD),
        "fix: x\n\nRescued-by: closeout\nRescue-record: refs/closeout/rescue/k/t\n"
    );
}
