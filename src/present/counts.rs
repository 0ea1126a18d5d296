//! Numbers with their nouns, like `3 files`. The texts themselves are in the text file.

use super::texts::counts;

counts! {
    files, files_are, files_uncommitted, commits, commits_are, new_commits, unreadable_decisions, completed_items, controls, counted_twice, ignored_files, invisible, need_you, older_sessions, open_points, points_again, points_closed, points_left, points_not_of_task,
    problems, records, sessions, stash_entries, subagents, turns, workspaces, worktrees,
}
