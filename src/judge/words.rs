//! The words of `assets/words.toml`, by group. It must not know what a group means.

/// The groups: made of the file by the build.
static FILE: &[(&str, &[&str])] = &include!(concat!(env!("OUT_DIR"), "/words.rs"));

/// The words of a group; none where the file has no such group, which a test holds.
pub(super) fn of(group: &str) -> &'static [&'static str] {
    FILE.iter().find(|(name, _)| *name == group).map_or(&[], |(_, words)| words)
}

/// Whether `text` holds one of the words of a group anywhere.
pub(super) fn has(text: &str, group: &str) -> bool {
    of(group).iter().any(|word| text.contains(word))
}

#[cfg(test)]
mod tests {
    use super::FILE;

    /// A group that nobody names, or a name without its group, would be silent.
    #[test]
    fn the_groups_are_those_that_the_code_names() {
        let code = [
            include_str!("weigh/work.rs"),
            include_str!("weigh/deeds.rs"),
            include_str!("weigh/deferral.rs"),
            include_str!("weigh/spoken.rs"),
            include_str!("combine/scope.rs"),
        ]
        .concat();
        let named = |group: &str| code.contains(&format!("\"{group}\")"));
        assert!(FILE.iter().all(|(group, words)| named(group) && !words.is_empty()));
        let calls = code.matches("words::").count() - code.matches("words::{").count();
        assert_eq!(calls, FILE.len(), "each group is read in one place");
    }
}
