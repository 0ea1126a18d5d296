//! Patterns of paths, as a person writes them: `*` and `?` match within one folder, `**` matches any number of folders, and
//! a folder includes everything below it. Must not look at a disk.

use regex::bytes::RegexSet;

/// Patterns of paths that are relative to one folder. Matching takes time linear in the length of the path.
#[derive(Debug, Clone, Default)]
pub struct PathPatterns(RegexSet);

impl PathPatterns {
    /// Parses patterns.
    ///
    /// # Errors
    /// Together they are too long.
    pub fn parse(patterns: &[String]) -> Result<PathPatterns, regex::Error> {
        RegexSet::new(patterns.iter().map(|pattern| rule(pattern))).map(PathPatterns)
    }

    /// Whether one of the patterns matches the path, which ends in a slash if it is a whole folder.
    pub fn matches(&self, path: &[u8]) -> bool {
        self.0.is_match(path)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Translates a pattern to a regex.
fn rule(pattern: &str) -> String {
    let mut rule = String::from("(?s)^");
    let pattern = pattern.trim_start_matches("./");
    let folders: Vec<&str> = pattern.split('/').filter(|name| !name.is_empty()).collect();
    for (at, folder) in folders.iter().enumerate() {
        if *folder == "**" {
            rule.push_str("(?-u:.*/)?");
            continue;
        }
        push_name(&mut rule, folder);
        if at + 1 < folders.len() {
            rule.push('/');
        }
    }
    rule.push_str(if folders.last() == Some(&"**") { "(?-u:.*)$" } else { "(?-u:/.*)?$" });
    rule
}

/// Adds the pattern of a name, which need not be UTF-8, to a regex.
pub fn push_name(rule: &mut String, name: &str) {
    for sign in name.chars() {
        match sign {
            '*' => rule.push_str("(?-u:[^/]*)"),
            '?' => rule.push_str("[^/]"),
            _ => rule.push_str(&regex::escape(sign.encode_utf8(&mut [0; 4]))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_matches_within_folders_and_a_folder_all_below_it() {
        let is_match = |pattern: &str, path: &str| {
            PathPatterns::parse(&[pattern.to_owned()]).unwrap().matches(path.as_bytes())
        };
        for (pattern, path) in [
            ("src", "src/a/b.rs"),
            ("src", "src/"),
            ("src/", "src/a.rs"),
            ("./src/**", "src/a/b.rs"),
            ("src/**", "src/"),
            ("src/*.rs", "src/b.rs"),
            ("**/*.md", "a/b/c.md"),
            ("**/*.md", "c.md"),
            ("**", "a"),
            ("*", ".hidden"),
            ("**/*.log", "a/.b/x.log"),
            ("a/**/b/*.snap", "a/c/b/d/b/x.snap"),
            ("**/dist/**/x?", "a/dist/b/xy"),
            ("a+b.txt", "a+b.txt"),
            ("l?gs", "l\u{f6}gs"),
        ] {
            assert!(is_match(pattern, path), "{pattern} {path}");
        }
        assert!(PathPatterns::parse(&["logs/*.txt".to_owned()]).unwrap().matches(b"logs/\xff.txt"));
        for (pattern, path) in [
            ("src", "src2/a.rs"),
            ("src/*.rs", "src/a/b.rs"),
            ("docs/**", "src/docs/a.md"),
            ("src/**", "src"),
            ("Cargo.lock", "a/Cargo.lock"),
            ("**/*.log", "x.logs"),
            ("a/**/b", "a/c"),
            ("logs/*/x", "logs/x"),
        ] {
            assert!(!is_match(pattern, path), "{pattern} {path}");
        }
    }
}
