//! Reports and marks that several closeouts keep.

use std::sync::Mutex;
use std::thread;

use closeout::model::{KeptReports, MarkOrder, MarkSeen, Marks, Rounds, TaskKind, Timestamp, WorkspaceId};
use closeout::store::{ReportStamps, Store};

use super::store;

fn id() -> WorkspaceId {
    WorkspaceId::local("/w")
}

/// The marks after an order that a person gave who saw `before`.
fn after(before: &Marks, order: &MarkOrder) -> Marks {
    let mut after = before.clone();
    after.take(order, None, Timestamp(5), &MarkSeen::default());
    after
}

fn kept(store: &Store) -> KeptReports {
    let (mut all, n_unread) = store.reports_of(&[id()]);
    assert_eq!(n_unread, 0);
    all.remove(&id()).unwrap()
}

#[test]
fn a_mark_is_not_lost_to_a_closeout_that_did_not_see_it_and_changes_are_told_once() {
    let (_temp, store) = store();
    let stores = [(); 2].map(|()| Store::open(store.folder()).unwrap());
    let workspaces = [id(), WorkspaceId::local("/none")];
    let stamps = Mutex::new(ReportStamps::default());
    let changed = || stores[1].changed_reports(&workspaces, &stamps);
    assert_eq!(changed(), []);
    let marks = after(&Marks::default(), &MarkOrder::Done);
    let marked = KeptReports { marks: marks.clone(), ..KeptReports::default() };
    stores[0].keep_marks(&id(), &Marks::default(), &marks).unwrap();
    assert_eq!(changed(), [(id(), marked.clone())]);
    assert_eq!(changed(), []);
    stores[1].keep_reports(&id(), &KeptReports::default()).unwrap();
    assert_eq!(changed(), [(id(), marked)]);
}

#[test]
fn what_a_closeout_keeps_itself_is_not_news_to_it_unless_another_one_had_kept_something_beside() {
    let (_temp, store) = store();
    let stamps = Mutex::new(ReportStamps::default());
    let changed = || store.changed_reports(&[id()], &stamps);
    store.keep_own_reports(&id(), &KeptReports::default(), &stamps).unwrap();
    assert_eq!(changed(), []);
    let marks = after(&Marks::default(), &MarkOrder::Done);
    store.keep_marks(&id(), &Marks::default(), &marks).unwrap();
    store.keep_own_reports(&id(), &KeptReports::default(), &stamps).unwrap();
    assert_eq!(changed(), [(id(), KeptReports { marks, ..KeptReports::default() })]);
}

#[test]
fn marks_of_many_closeouts_at_once_all_hold() {
    let (_temp, store) = store();
    let point = |at: usize| MarkOrder::NotOfThisTask { point: Some(format!("point {at}")) };
    let mut orders =
        vec![MarkOrder::Done, MarkOrder::Quiet, MarkOrder::TaskKind { task_kind: TaskKind::Report }];
    orders.extend((0..5).map(point));
    thread::scope(|scope| {
        for order in &orders {
            let store = Store::open(store.folder()).unwrap();
            scope.spawn(move || {
                let before = Marks::default();
                store.keep_marks(&id(), &before, &after(&before, order)).unwrap();
            });
        }
    });
    let marks = kept(&store).marks;
    assert!(orders.iter().all(|order| marks.holds(order)), "{marks:?}");
    // Each knows what it took back; what it did not see stays.
    let quiet = after(&Marks::default(), &MarkOrder::Quiet);
    let seen = Marks { quiet: marks.quiet.clone(), ..quiet };
    let back = MarkOrder::TakeBack { order: Box::new(MarkOrder::Quiet) };
    store.keep_marks(&id(), &seen, &after(&seen, &back)).unwrap();
    let left = kept(&store).marks;
    assert!(left.quiet.is_none() && left.holds(&MarkOrder::Done) && left.not_of_task.len() == 5, "{left:?}");
}

#[test]
fn the_newer_rounds_of_each_check_stay_and_are_reset_alone() {
    let (_temp, store) = store();
    let rounds = |stage, at| Rounds { stage, changed_at: Some(Timestamp(at)), ..Rounds::default() };
    let keep = |all: &[(&str, Rounds)]| {
        let rounds = all.iter().map(|(check_id, rounds)| ((*check_id).to_owned(), rounds.clone())).collect();
        store.keep_reports(&id(), &KeptReports { rounds, ..KeptReports::default() }).unwrap();
    };
    let stages = || {
        let all = kept(&store).rounds;
        all.into_iter().map(|(check_id, rounds)| (check_id, rounds.stage)).collect::<Vec<_>>()
    };
    let told = |all: &[(&str, u8)]| {
        all.iter().map(|(check_id, stage)| ((*check_id).to_owned(), *stage)).collect::<Vec<_>>()
    };
    keep(&[("loop", rounds(2, 20)), ("other", rounds(1, 10))]);
    // A screen that knows the loop as it was, and has rounds of its own.
    keep(&[("", rounds(3, 30)), ("loop", rounds(1, 10)), ("other", rounds(2, 15))]);
    assert_eq!(stages(), told(&[("", 3), ("loop", 2), ("other", 2)]));
    store.reset_rounds(&id(), "loop", Timestamp(12)).unwrap();
    assert_eq!(stages(), told(&[("", 3), ("loop", 0), ("other", 2)]));
    // Whoever knows older ones does not bring them back, though the clock was set back meanwhile.
    keep(&[("loop", rounds(2, 20))]);
    assert_eq!(stages(), told(&[("", 3), ("loop", 0), ("other", 2)]));
    // However many checks there were, the latest stay.
    for n in 100..300 {
        keep(&[(format!("run {n}").as_str(), rounds(1, n))]);
    }
    let left: Vec<String> = stages().into_iter().map(|(check_id, _)| check_id).collect();
    assert_eq!(left, (200..300).map(|n| format!("run {n}")).collect::<Vec<_>>());
}
