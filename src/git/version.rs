//! Which git this works with. Pure: it reads what git printed.

/// The least git that all of this works with. Older ones pass over `safe.bareRepository` (new in 2.38): a folder of
/// the work tree that looks like a repository could then name a program that git runs.
pub const LEAST_GIT: (u32, u32) = (2, 38);

/// The version in what `git --version` prints, like `git version 2.47.3`.
pub fn version_in(answer: &str) -> Option<(u32, u32)> {
    let is_number = |word: &&str| word.starts_with(|sign: char| sign.is_ascii_digit());
    let mut numbers = answer.split_whitespace().find(is_number)?.split('.');
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}
