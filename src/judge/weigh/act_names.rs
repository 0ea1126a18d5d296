//! Whether a prompt names an act such as a push, by the words of `assets/words.toml`. Must not look at what was done.

use crate::judge::words;

/// Whether a prompt names this act.
pub(super) fn names_act(prompt: &str, act: &str) -> bool {
    let lower = prompt.to_lowercase();
    // Some names are words only behind a blank.
    let spaced = format!(" {lower}");
    match act {
        "push" => words::has(&spaced, "push"),
        "merge" => words::has(&spaced, "merge"),
        "cherry-pick" => words::has(&spaced, "cherry_pick"),
        "pull request" => words::has(&spaced, "pull_request"),
        "install" => words::has(&spaced, "install"),
        "rewrite" => words::has(&spaced, "rewrite") || undoes(&lower),
        "rebase" => words::has(&spaced, "rebase"),
        "undo" => undoes(&lower),
        "branch removal" => words::has(&lower, "removes") && is_branch(&lower),
        // Only beside the name of a branch is a checkout one of git's.
        "switch" => words::has(&lower, "switch") && (is_branch(&lower) || words::has(&lower, "trunk")),
        other => spaced.contains(other),
    }
}

/// Whether a prompt wants something taken back, or a commit dropped.
pub(super) fn takes_back(prompt: &str) -> bool {
    let lower = prompt.to_lowercase();
    undoes(&lower) || words::has(&lower, "drop")
}

/// Whether a prompt names a branch or another work tree.
pub(super) fn names_branch(prompt: &str) -> bool {
    let lower = prompt.to_lowercase();
    is_branch(&lower) || words::has(&lower, "worktree")
}

fn undoes(lower: &str) -> bool {
    words::has(lower, "undo")
}

fn is_branch(lower: &str) -> bool {
    words::has(lower, "branch")
}
