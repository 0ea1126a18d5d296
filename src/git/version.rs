//! Which git versions are supported. Pure: it parses what git printed.

/// The oldest git version supported. Older ones ignore `safe.bareRepository` (new in 2.38), so a folder in
/// the work tree that looks like a repository could name a program for git to run.
pub const LEAST_GIT: (u32, u32) = (2, 38);

/// The version in the output of `git --version`, such as `git version 2.47.3`.
pub fn version_in(answer: &str) -> Option<(u32, u32)> {
    let is_number = |word: &&str| word.starts_with(|sign: char| sign.is_ascii_digit());
    let mut numbers = answer.split_whitespace().find(is_number)?.split('.');
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}
