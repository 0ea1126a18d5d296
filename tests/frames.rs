//! Frames: what the screen shows for given views, as pictures that a person can read, and what no
//! frame may show whatever the views hold.
//!
//! The pictures are in `tests/snapshots`; `INSTA_UPDATE=always cargo test frames` draws them anew.

mod actions;
mod intents;
mod properties;
mod reply_box;
mod sessions;
mod sizes;
mod tabs;
mod updates;

use std::sync::Arc;

use closeout::model::{
    ActivityState, Attention, Certainty, Choice, CommitCounts, Evidence, Head, LastWords, Operation, Origin,
    PartRole, Question, QuestionWeight, Rejection, Rule, Source, TaskKind, VerdictState, Warning, Why,
    WorkspaceView,
};
use closeout::present;
use closeout::ui::{self, Focus, Look};
use insta::assert_snapshot;
use ratatui::style::Color;

use crate::support::samples::{asks_in_japanese, commit_id, failing, finished, five, rescue, working};
use crate::support::screen::{
    NOW, frame, judged, last_words, minutes_ago, part, picture, press, screen, screen_of, text_of, unjudged,
};

#[test]
fn five_workspaces_on_a_small_screen() {
    let views = five();
    assert_snapshot!(picture(&frame(&screen_of(80, 24, &views), &views)));
}

#[test]
fn five_workspaces_on_a_large_screen() {
    let views = five();
    assert_snapshot!(picture(&frame(&screen_of(200, 60, &views), &views)));
}

#[test]
fn five_workspaces_on_a_tiny_screen() {
    let views = five();
    assert_snapshot!(picture(&frame(&screen_of(44, 14, &views), &views)));
}

#[test]
fn help_on_a_small_screen() {
    let views = five();
    let mut state = screen_of(80, 24, &views);
    let _ = press(&mut state, &views, "?");
    assert_snapshot!(picture(&frame(&state, &views)));
}

#[test]
fn help_on_a_large_screen() {
    let views = five();
    let mut state = screen_of(200, 60, &views);
    let _ = press(&mut state, &views, "?");
    assert_snapshot!(picture(&frame(&state, &views)));
}

#[test]
fn nothing_has_come_yet() {
    assert_snapshot!(picture(&frame(&screen(80, 24, Look::colour()), &[])));
}

#[test]
fn there_is_no_workspace() {
    assert_snapshot!(picture(&frame(&screen_of(80, 24, &[]), &[])));
}

#[test]
fn the_detail_takes_the_small_screen() {
    let views = five();
    let mut state = screen_of(80, 24, &views);
    let _ = press(&mut state, &views, "\n");
    assert_eq!(state.focus, Focus::Detail);
    assert_snapshot!(picture(&frame(&state, &views)));
}

/// Everything known of one workspace, on a screen tall enough for it.
fn detail_of(view: WorkspaceView) -> String {
    let views = [view];
    let mut state = screen_of(80, 60, &views);
    let _ = press(&mut state, &views, "\n");
    picture(&frame(&state, &views))
}

#[test]
fn detail_of_a_finished_workspace() {
    assert_snapshot!(detail_of(finished()));
}

#[test]
fn detail_of_a_question_in_japanese() {
    assert_snapshot!(detail_of(asks_in_japanese()));
}

#[test]
fn detail_of_a_rescue() {
    assert_snapshot!(detail_of(rescue()));
}

#[test]
fn detail_of_a_failing_decision() {
    assert_snapshot!(detail_of(failing()));
}

#[test]
fn detail_of_a_workspace_at_work() {
    assert_snapshot!(detail_of(working()));
}

#[test]
fn detail_of_git_in_trouble() {
    let mut view = judged(
        "repo",
        VerdictState::Error,
        Why::Unreadable(Source::Commits, Some("git does not answer".to_owned().into())),
    );
    view.reading.problems.settings = Some("not answering: polled once a minute".to_owned());
    view.task_kind = TaskKind::Report;
    let git = Arc::make_mut(view.git.as_mut().unwrap());
    git.head = Head::Detached { commit: commit_id("0123456789abcdef") };
    git.operation = Some(Operation::Rebase);
    git.n_stashed = 2;
    git.commits =
        CommitCounts { n_lost: 2, n_empty: 1, n_elsewhere: 1, is_cut: true, ..CommitCounts::default() };
    git.changes = None;
    git.notes = vec!["the history is shallow: commits before it are not known".to_owned()];
    let verdict = Arc::make_mut(view.verdict.as_mut().unwrap());
    verdict.warnings = vec![Warning::OperationInProgress, Warning::CommitsLost, Warning::DetachedWork];
    assert_snapshot!(detail_of(view));
}

#[test]
fn detail_of_a_workspace_that_was_not_judged() {
    assert_snapshot!(detail_of(unjudged("fresh")));
}

#[test]
fn last_words_are_rendered_as_markdown() {
    let mut view = finished();
    view.last_words =
        Some(Arc::new(LastWords { is_cut: true, ..last_words(include_str!("fixtures/last_words.md"), 26) }));
    let views = [view];
    let mut state = screen_of(80, 40, &views);
    let _ = press(&mut state, &views, "\n");
    for _ in 0..18 {
        if !text_of(&frame(&state, &views))[2].contains("Last words") {
            let _ = press(&mut state, &views, "j");
        }
    }
    assert_snapshot!(picture(&frame(&state, &views)));
}

#[test]
fn the_end_of_a_long_detail() {
    let mut view = finished();
    view.last_words = Some(last_words(&"One more line of words.\n\n".repeat(60), 26).into());
    let views = [view];
    let mut state = screen_of(80, 24, &views);
    let _ = press(&mut state, &views, "\tG");
    assert_snapshot!(picture(&frame(&state, &views)));
}

#[test]
fn a_filter_that_is_being_written() {
    let views = five();
    let mut state = screen_of(80, 24, &views);
    let _ = press(&mut state, &views, "/pay");
    assert_snapshot!(picture(&frame(&state, &views)));
}

#[test]
fn a_filter_that_is_kept() {
    let views = five();
    let mut state = screen_of(80, 24, &views);
    let _ = press(&mut state, &views, "/e\n");
    assert_snapshot!(picture(&frame(&state, &views)));
}

#[test]
fn a_filter_that_matches_nothing() {
    let views = five();
    let mut state = screen_of(80, 24, &views);
    let _ = press(&mut state, &views, "/データ消去");
    assert_snapshot!(picture(&frame(&state, &views)));
}

#[test]
fn notices_and_workspaces_with_problems() {
    let mut views = vec![rescue(), unjudged("gone"), unjudged("new")];
    views[1].reading.problems.settings = Some("the directory is gone".to_owned());
    let mut state = screen_of(80, 24, &views);
    state.notices = vec![
        "The limit of watches is reached; 2 workspaces are polled. Raise fs.inotify.max_user_watches."
            .to_owned(),
        "no-such-path: does not exist".to_owned(),
    ];
    assert_snapshot!(picture(&frame(&state, &views)));
}

#[test]
fn every_urgency_has_its_sign_and_word() {
    let mut permission = working();
    permission.name = "permission".to_owned();
    permission.attention = Some(Attention::Permission);
    permission.activity.state = ActivityState::NeedsPermission;
    permission.activity.detail = Some("Bash(git push)".to_owned());
    let mut offer =
        judged("offer", VerdictState::Complete, Why::Commits { n_new: 1, n_rescued: 0, agree: Vec::new() });
    offer.attention = Some(Attention::Offer);
    Arc::make_mut(offer.verdict.as_mut().unwrap()).question = Some(Question {
        text: "Shall I add a test for this too?".to_owned(),
        choices: Vec::<Choice>::new(),
        weight: QuestionWeight::Offer,
        certainty: Certainty::High,
    });
    let mut seen =
        judged("seen", VerdictState::Complete, Why::Commits { n_new: 1, n_rescued: 0, agree: Vec::new() });
    seen.is_seen = true;
    let mut left =
        judged("left", VerdictState::Complete, Why::Commits { n_new: 1, n_rescued: 0, agree: Vec::new() });
    Arc::make_mut(left.verdict.as_mut().unwrap()).warnings = vec![Warning::WorkAtRisk];
    Arc::make_mut(left.git.as_mut().unwrap()).changes.as_mut().unwrap().n_paths = 1;
    let mut views = vec![permission, offer, seen, left, unjudged("fresh")];
    views.extend([
        judged("stalled", VerdictState::Stalled, Why::SameAgain { n_points: 2, n_rounds: 3 }),
        judged(
            "error",
            VerdictState::Error,
            Why::Because(Rule::RunFailed, "529 overloaded".to_owned().into()),
        ),
        judged("waiting", VerdictState::Waiting, Why::Rule(Rule::Waits)),
    ]);
    views.extend(five());
    present::order(&mut views, None);
    assert_snapshot!(picture(&frame(&screen_of(120, 24, &views), &views)));
}

#[test]
fn five_workspaces_without_colour() {
    let views = five();
    let mut state = screen_of(80, 24, &views);
    state.look = Look::plain();
    let buffer = frame(&state, &views);
    assert!(buffer.content.iter().all(|cell| cell.fg == Color::Reset && cell.bg == Color::Reset));
    assert_snapshot!(picture(&buffer));
}

#[test]
fn five_workspaces_in_ascii() {
    let views = five();
    let mut state = screen_of(120, 40, &views);
    state.look = Look::ascii();
    assert_snapshot!(picture(&frame(&state, &views)));
}

#[test]
fn ascii_looks_use_no_other_sign_of_their_own() {
    let views = [finished(), working(), failing(), rescue(), unjudged("fresh")];
    for (width, height) in [(200, 60), (80, 24), (44, 14), (20, 4)] {
        for keys in ["", "\n", "?", "/im"] {
            let mut state = screen_of(width, height, &views);
            state.look = Look::ascii();
            let _ = press(&mut state, &views, keys);
            let shown = text_of(&frame(&state, &views)).join("\n");
            assert!(shown.is_ascii(), "at {width}x{height} after {keys:?}:\n{shown}");
        }
    }
    for views in [&[][..], &views] {
        let state = screen(80, 24, Look::ascii());
        assert!(text_of(&frame(&state, views)).join("").is_ascii());
    }
}

// T01, T02, T03
#[test]
fn hostile_strings_stay_text_in_their_place() {
    let mut escape = rescue();
    escape.name = "\u{1b}]52;c;aGk=\u{7}\u{1b}[2J".to_owned();
    escape.agent = Some("cl\u{200b}aude".to_owned());
    let git = Arc::make_mut(escape.git.as_mut().unwrap());
    git.head = Head::Branch { name: "exe.\u{202e}gpj".to_owned(), commit: commit_id("e1") };
    git.changes.as_mut().unwrap().files[0].path = "a\nb\u{9b}31m\u{2066}.rs".to_owned();
    escape.last_words = Some(
        last_words("&#27;[31m &#8238;abc [click](https://evil.example/\u{202e}x) <b>\u{1b}[1m</b>", 3).into(),
    );
    let mut long = asks_in_japanese();
    long.name = "n".repeat(10_000);
    Arc::make_mut(long.verdict.as_mut().unwrap()).question.as_mut().unwrap().text =
        format!("Z{}algo \u{1F469}\u{200D}\u{1F4BB} {}", "\u{301}".repeat(50), "長".repeat(3_000));
    let views = [long, escape];
    let mut state = screen_of(80, 40, &views);
    let _ = press(&mut state, &views, "j");
    assert_snapshot!("hostile_strings_in_the_list_and_the_detail", picture(&frame(&state, &views)));
    let _ = press(&mut state, &views, "\n\u{1b}k\n");
    assert_snapshot!("hostile_strings_in_the_whole_detail", picture(&frame(&state, &views)));
}

#[test]
fn the_same_state_size_and_time_give_the_same_frame() {
    let views = five();
    let state = screen_of(100, 30, &views);
    assert_eq!(frame(&state, &views), frame(&state, &views));
}

#[test]
fn a_thousand_workspaces_are_scrolled_to_the_selected_one() {
    let views: Vec<WorkspaceView> = (0..1_000).map(|number| unjudged(&format!("w{number:04}"))).collect();
    let mut state = screen_of(80, 24, &views);
    let _ = press(&mut state, &views, "Gkk");
    let shown = text_of(&frame(&state, &views)).join("\n");
    assert!(shown.contains("w0997") && shown.contains("w0999") && shown.contains("998 of 1000"), "{shown}");
    assert!(!shown.contains("w0500"));
}

#[test]
fn no_frame_has_a_background_colour() {
    let views = five();
    for look in [Look::colour(), Look::plain(), Look::ascii()] {
        let mut state = screen_of(200, 60, &views);
        state.look = look;
        assert!(frame(&state, &views).content.iter().all(|cell| cell.bg == Color::Reset));
    }
}

#[test]
fn ages_change_at_whole_minutes_and_only_when_shown() {
    let mut state = screen(80, 24, Look::colour());
    assert_eq!(ui::next_change(&state, &[unjudged("fresh")], NOW), None);
    let mut view = rescue();
    view.verdict_since = Some(minutes_ago(3).plus_millis(-500));
    let views = [view];
    let _ = ui::views_changed(&mut state, &views);
    // 3m becomes 4m half a second before the whole minute.
    assert_eq!(ui::next_change(&state, &views, NOW), Some(minutes_ago(-1)));
    let mut old = judged("old", VerdictState::Complete, Why::Clean(Vec::new()));
    old.verdict_since = Some(minutes_ago(150));
    old.reading.taken_at = None;
    old.reading.tree_at = None;
    assert_eq!(ui::next_change(&screen(80, 24, Look::colour()), &[old], NOW), Some(minutes_ago(-30)));
}

#[test]
fn a_clean_tree_is_told_with_the_age_of_the_look_at_it() {
    let shown = |tree_at| {
        let mut view = judged("docs", VerdictState::Complete, Why::Clean(vec![Source::Decision]));
        view.reading.tree_at = tree_at;
        let clean = Evidence::abstain(Source::Changes, "git", Rejection::Vacuous, Origin::Git.as_read())
            .because("the tree is clean".to_owned());
        Arc::make_mut(view.verdict.as_mut().unwrap()).parts = vec![part(PartRole::Noted, clean)];
        let views = [view];
        let mut state = screen_of(200, 60, &views);
        let mut rows = text_of(&frame(&state, &views));
        let next = ui::next_change(&state, &views, NOW);
        let _ = press(&mut state, &views, "4");
        rows.extend(text_of(&frame(&state, &views)).into_iter().filter(|row| row.contains("Changes ")));
        let rows = rows.iter().filter(|row| row.contains("tree"));
        let rows: Vec<String> =
            rows.map(|row| row.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
        (rows, next)
    };
    let fresh = NOW.plus_millis(-2_000);
    let (rows, next) = shown(Some(fresh));
    assert_eq!(
        rows,
        [
            "▌ the decision says it is done, and the tree is clean │ ✔ COMPLETE for 7m",
            "│ the decision says it is done, and the tree is clean",
            "│ noted ABSTAIN changes git the tree is clean now",
            "│ Changes none: the work tree is clean",
        ]
    );
    assert_eq!(next, Some(NOW.plus_millis(5_000)));
    let old = NOW.plus_millis(-50_000);
    assert_eq!(shown(Some(old)).0[3], "│ Changes none: the work tree was clean just now");
    let (rows, next) = shown(Some(minutes_ago(2)));
    assert_eq!(
        rows,
        [
            "▌ the decision says it is done, and the tree was clean 2m ago │ ✔ COMPLETE for 7m",
            "│ the decision says it is done, and the tree was clean 2m ago",
            "│ noted ABSTAIN changes git the tree was clean 2m",
            "│ Changes none: the work tree was clean 2m ago",
        ]
    );
    assert_eq!(next, Some(minutes_ago(-1)));
}

#[test]
fn every_picture_belongs_to_a_test() {
    let tests = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let source = concat!(
        include_str!("frames.rs"),
        include_str!("frames/sessions.rs"),
        include_str!("frames/actions.rs"),
        include_str!("frames/reply_box.rs"),
        include_str!("frames/tabs.rs")
    );
    let sizes = include_str!("frames/sizes.rs");
    let folders = [tests.join("snapshots"), tests.join("frames/snapshots")];
    let names = folders.iter().flat_map(|folder| std::fs::read_dir(folder).unwrap());
    let names = names.map(|entry| entry.unwrap().file_name());
    let pictures: Vec<String> = names
        .filter_map(|name| {
            let name = name.to_string_lossy().into_owned();
            let name = name.strip_prefix("tests__frames__")?.strip_suffix(".snap")?;
            let modules = ["sessions__", "actions__", "reply_box__", "tabs__", "sizes__"];
            Some(modules.iter().find_map(|module| name.strip_prefix(module)).unwrap_or(name).to_owned())
        })
        .collect();
    assert!(pictures.len() > 20);
    for picture in pictures {
        // Those of the tabs are named by tab and size.
        let is_tab = picture.starts_with("tab_") && source.contains("\"tab_{}_{width}x{height}\"");
        // Those of every size are named by what they show and the size.
        let of_size = ["44x14", "80x24", "120x40", "200x60"]
            .iter()
            .find_map(|size| picture.strip_suffix(*size)?.strip_suffix('_'));
        let is_sized = of_size.is_some_and(|name| {
            sizes.contains(&format!("(\"{name}\", "))
                || sizes.contains(&format!("\"{name}_{{width}}x{{height}}\""))
        });
        let is_used = source.contains(&format!("fn {picture}()"))
            || source.contains(&format!("\"{picture}\""))
            || is_tab
            || is_sized;
        assert!(is_used, "no test draws {picture}");
    }
}
