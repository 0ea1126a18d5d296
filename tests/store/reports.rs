//! Reports and marks that several closeouts keep.

use closeout::model::{KeptReports, MarkOrder, MarkSeen, Marks, Timestamp, WorkspaceId};
use closeout::store::{ReportStamps, Store};

use super::store;

#[test]
fn a_mark_is_not_lost_to_a_closeout_that_did_not_see_it_and_changes_are_told_once() {
    let (_temp, store) = store();
    let stores = [(); 2].map(|()| Store::open(store.folder()).unwrap());
    let workspaces = [WorkspaceId::local("/w"), WorkspaceId::local("/none")];
    let mut stamps = ReportStamps::default();
    let mut changed = || stores[1].changed_reports(&workspaces, &mut stamps);
    assert_eq!(changed(), []);
    let mut marks = Marks::default();
    marks.take(&MarkOrder::Done, None, Timestamp(5), &MarkSeen::default());
    let marked = KeptReports { marks, ..KeptReports::default() };
    stores[0].keep_reports(&workspaces[0], &marked).unwrap();
    assert_eq!(changed(), [(workspaces[0].clone(), marked.clone())]);
    assert_eq!(changed(), []);
    stores[1].keep_reports(&workspaces[0], &KeptReports::default()).unwrap();
    assert_eq!(changed(), [(workspaces[0].clone(), marked)]);
}
