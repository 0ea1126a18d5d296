//! Names of environment variables, as a list of what a program may have.

/// Which variables a program may have. A name stands for itself; with a `*` at its beginning or its end
/// it stands for all that end or begin so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VariableNames {
    /// What it may have.
    pub allowed: &'static [&'static str],
    /// What it may not have all the same.
    pub except: &'static [&'static str],
}

impl VariableNames {
    /// Whether the variable `name` is among them.
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
