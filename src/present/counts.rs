//! Numbers with what they count, as `3 files`.

use super::texts::counts;

counts! {
    files, files_are, files_uncommitted, commits, controls, counted_twice, ignored_files, invisible, need_you, older_sessions, open_points, points_again, points_closed, points_left, points_not_of_task,
    problems, records, sessions, stash_entries, subagents, turns, workspaces, worktrees,
}
