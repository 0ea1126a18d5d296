//! Names of environment variables: which ones a program may receive. Nothing here reads the environment.

/// The environment variables that a program may receive. A pattern matches a name exactly; a leading or
/// trailing `*` matches any prefix or suffix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VariableNames {
    /// The patterns of allowed names.
    pub allowed: &'static [&'static str],
    /// The patterns of names that are excluded all the same.
    pub except: &'static [&'static str],
}

impl VariableNames {
    /// True if the program may receive the variable `name`.
    pub fn contains(&self, name: &str) -> bool {
        let is_in = |patterns: &[&str]| patterns.iter().any(|pattern| fits(pattern, name));
        is_in(self.allowed) && !is_in(self.except)
    }
}

fn fits(pattern: &str, name: &str) -> bool {
    match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        (Some(end), _) => name.ends_with(end),
        (None, Some(start)) => name.starts_with(start),
        (None, None) => name == pattern,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_beginning_or_end_and_exceptions_win() {
        let names = VariableNames { allowed: &["A", "B_*", "*_KEY"], except: &["B_MARK", "B_OLD_*"] };
        let contained = ["A", "B_", "B_X", "X_KEY", "_KEY"];
        let others = ["", "a", "AA", "B", "XB_", "KEY", "X_KEYS", "B_MARK", "B_OLD_KEY"];
        assert_eq!(contained.map(|name| names.contains(name)), [true; 5]);
        assert_eq!(others.map(|name| names.contains(name)), [false; 9]);
    }
}
