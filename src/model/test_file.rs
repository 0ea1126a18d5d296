//! Which files contain tests, and how many tests a text defines and skips. By names and keywords only:
//! nothing is parsed.
//!
//! Meant for comparing a file with another version of itself: an error in both counts cancels out in the
//! difference.

use serde::Serialize;

/// The number of tests in a text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct TestCensus {
    /// How many tests it defines; at least 1 for an existing file.
    pub n_tests: u32,
    /// How many markers skip a test, or skip all others.
    pub n_left_out: u32,
}

/// A test file that a commit changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TestChange {
    /// The path from the top of the work tree. Untrusted text.
    pub path: String,
    /// The count before the commit; zero if the file did not exist.
    pub before: TestCensus,
    /// The count after it.
    pub after: TestCensus,
}

/// Folder names that mark a path as a test file.
const FOLDERS: [&str; 7] = ["test/", "tests/", "__tests__/", "spec/", "specs/", "testing/", "e2e/"];
/// How a line that defines a test begins.
const DEFINES: [&str; 18] = [
    "def test", "async def test", "#[test]", "#[tokio::test", "#[rstest", "#[case", "it(", "it.each(",
    "test(", "test.each(", "func Test", "@Test", "@ParameterizedTest", "[Fact", "[Theory", "[Test",
    "public function test", "TEST",
];
/// Keywords that skip a test, or skip all others.
const LEAVES_OUT: [&str; 33] = [
    "#[ignore", "mark.skip", "mark.xfail", "pytest.skip(", "pytest.importorskip(", "unittest.skip",
    "self.skipTest(", "expectedFailure", "it.skip(", "test.skip(", "describe.skip(", "context.skip(",
    "suite.skip(", "it.todo(", "test.todo(", "test.fixme(", "it.failing(", "test.failing(", "it.only(",
    "test.only(", "describe.only(", "xit(", "xdescribe(", "xtest(", "xcontext(", "t.Skip", "b.Skip",
    "@Disabled", "@Ignore", "Skip =", "markTestSkipped(", "markTestIncomplete(", "GTEST_SKIP",
];

/// True if the file at this path, relative to the top of the work tree, contains tests, judging by its name.
pub fn is_test_file(path: &str) -> bool {
    let path = path.to_ascii_lowercase();
    let name = path.rsplit('/').next().unwrap_or_default();
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    let is_code = !matches!(
        extension,
        "" | "json"
            | "toml"
            | "md"
            | "txt"
            | "snap"
            | "yaml"
            | "yml"
            | "lock"
            | "sql"
            | "csv"
            | "png"
            | "svg"
    );
    let is_named = stem.starts_with("test_")
        || [".test", ".spec", "_test", "_spec", "-test", "-spec"].iter().any(|end| stem.ends_with(end))
        || (stem.ends_with("test") || stem.ends_with("tests"))
            && matches!(extension, "java" | "kt" | "cs" | "php");
    let is_below =
        FOLDERS.iter().any(|folder| path.starts_with(folder) || path.contains(&format!("/{folder}")));
    is_code && (is_named || is_below)
}

impl TestCensus {
    /// Counts the tests in the text of a test file.
    pub fn of(text: &str) -> TestCensus {
        let lines = || text.lines().map(str::trim_start);
        let n_tests = lines().filter(|line| DEFINES.iter().any(|define| line.starts_with(define))).count();
        let is_comment =
            |line: &str| line.starts_with("//") || (line.starts_with("# ") && !line.starts_with("#["));
        let leaves_out =
            |line: &&str| !is_comment(line) && LEAVES_OUT.iter().any(|word| begins_in(line, word));
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        TestCensus { n_tests: count(n_tests.max(1)), n_left_out: count(lines().filter(leaves_out).count()) }
    }
}

/// Whether a word of the line begins with `word`: `exit(` has no `xit(` in it.
fn begins_in(line: &str, word: &str) -> bool {
    let is_inside = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| !line[..at].ends_with(is_inside))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_tests_are_known_by_their_names() {
        for path in [
            "tests/login.rs", "src/login.test.ts", "pkg/a_test.go", "app/test_login.py", "a/__tests__/b.js",
            "src/test/java/LoginTest.java", "spec/login_spec.rb",
        ] {
            assert!(is_test_file(path), "{path}");
        }
        for path in
            ["src/latest.py", "docs/testing.md", "tests/data.json", "src/contest.rs", "attestation.go"]
        {
            assert!(!is_test_file(path), "{path}");
        }
    }

    #[test]
    fn tests_and_what_leaves_them_out_are_counted() {
        let census = |text: &str| {
            let census = TestCensus::of(text);
            (census.n_tests, census.n_left_out)
        };
        assert_eq!(census("#[test]\nfn a() {}\n#[test]\n#[ignore]\nfn b() {}\n"), (2, 1));
        assert_eq!(census("def test_a(): pass\n    def test_b(self): pass\n"), (2, 0));
        assert_eq!(census("@pytest.mark.skip(reason='x')\ndef test_a(): pass\n"), (1, 1));
        assert_eq!(census("it('a', () => {})\nit.skip('b', () => {})\n"), (1, 1));
        assert_eq!(census("// it.skip('b')\n"), (1, 0));
        assert_eq!(census("sys.exit(1)\nlist.Skip(3)\n"), (1, 0));
        assert_eq!(census("func TestA(t *testing.T) {\n\tt.Skip(\"x\")\n}\n"), (1, 1));
    }
}
