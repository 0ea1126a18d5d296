//! Whether a prompt names an act such as a push, by the words of `assets/words.toml`. Must not look at what was done.

use crate::judge::words;

/// Whether a prompt names this act.
pub(super) fn names_act(prompt: &str, act: &str) -> bool {
    let lower = prompt.to_lowercase();
    // Some names are words only behind a blank.
    let spaced = format!(" {lower}");
    let names = |names: &[&str]| names.iter().any(|name| spaced.contains(name));
    match act {
        "push" => names(words::of("push")),
        "merge" => names(words::of("merge")),
        "cherry-pick" => names(words::of("cherry_pick")),
        "pull request" => names(words::of("pull_request")),
        "install" => names(words::of("install")),
        "rewrite" => names(words::of("rewrite")) || undoes(&lower),
        "rebase" => names(words::of("rebase")),
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
