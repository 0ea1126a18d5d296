//! The words of `assets/words.toml`, by group. Must not know what a group means.

use crate::model::{TextList, TextMap};

/// The list of each group, generated from the file by the build script.
#[expect(clippy::unreadable_literal, reason = "a table that only the build writes")]
static FILE: TextMap = include!(concat!(env!("OUT_DIR"), "/words.rs"));

/// The words of a group. A missing group is empty; a test checks that every group named in code exists.
pub(super) fn of(group: &str) -> TextList {
    FILE.get(group).map(TextList::of).unwrap_or_default()
}

/// Whether `text` contains any word of the group, even inside another word.
pub(super) fn has(text: &str, group: &str) -> bool {
    of(group).iter().any(|word| text.contains(word))
}

/// The text with a blank in place of each word of the group.
pub(super) fn without(text: &str, group: &str) -> String {
    of(group).iter().fold(text.to_owned(), |text, word| text.replace(word, " "))
}

/// Whether `text` begins with a word of the group, or with a part of a longer one.
pub(super) fn begins(text: &str, group: &str) -> bool {
    of(group).iter().any(|word| text.starts_with(word))
}

#[cfg(test)]
mod tests {
    use super::FILE;

    /// Neither a group that no code names nor a name without a group would be noticed at run time.
    #[test]
    fn the_groups_are_those_that_the_code_names() {
        let code = [
            include_str!("decision/voice.rs"),
            include_str!("questions/admission.rs"),
            include_str!("questions/clauses.rs"),
            include_str!("questions/exceptions.rs"),
            include_str!("runs/clause.rs"),
            include_str!("runs/demanded.rs"),
            include_str!("runs/joined_script.rs"),
            include_str!("runs/mention.rs"),
            include_str!("runs/mod.rs"),
            include_str!("runs/run.rs"),
            include_str!("task/answer_only.rs"),
            include_str!("weigh/act_names.rs"),
            include_str!("weigh/bounds.rs"),
            include_str!("weigh/work.rs"),
            include_str!("weigh/runs.rs"),
            include_str!("weigh/deeds.rs"),
            include_str!("weigh/deferral.rs"),
            include_str!("weigh/naming.rs"),
            include_str!("weigh/ordered.rs"),
            include_str!("weigh/ordered_files.rs"),
            include_str!("weigh/demanded_acts.rs"),
            include_str!("weigh/demanded_checks.rs"),
            include_str!("weigh/spoken.rs"),
            include_str!("weigh/tasks.rs"),
            include_str!("weigh/told_done.rs"),
            include_str!("weigh/untouched.rs"),
            include_str!("weigh/named_plan.rs"),
            include_str!("combine/scope.rs"),
            include_str!("task/demand.rs"),
            include_str!("task/mod.rs"),
        ]
        .map(|text: &str| text.split("#[cfg(test)]").next().unwrap_or_default())
        .concat();
        let named = |group: &str| code.contains(&format!("\"{group}\")"));
        assert!(FILE.iter().all(|(group, words)| named(group) && !words.is_empty()));
        // A group is the second argument, or the only one of the functions and closures that find it.
        let by_argument = code.split(", \"").skip(1);
        let by_name = ["::of(\"", "behind(\"", "both(\"", "says(\""];
        let by_name = by_name.iter().flat_map(|call| code.split(call).skip(1));
        let called = by_argument.chain(by_name).filter_map(|rest| rest.split_once("\")"));
        let groups = called.map(|(group, _)| group);
        let is_word = |group: &&str| group.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
        for name in groups.filter(is_word) {
            assert!(FILE.get(name).is_some(), "no group {name}");
        }
    }
}
