//! What a simple command of a script runs. Everything that counts as understood is on a list here. Must not decide what
//! is safe: what it does not know is reported to a person.

use std::collections::BTreeSet;
use std::ops::Range;

/// Commands that only read and print, whatever their arguments are.
const HARMLESS: &str = ": basename break cat cksum cmp comm continue cut date dirname echo egrep exit expr false fgrep \
    fmt fold git-lfs grep head id join ls md5sum nl od paste printenv pwd readlink realpath return rev seq \
    sha1sum sha256sum shift sleep stat tac tail tr true tty type uname wc which whoami";
/// Subcommands of git that start nothing that a repository names; `lfs` is as harmless as its settings, which are read
/// too.
const GIT: [&str; 4] = ["lfs", "rev-parse", "show-ref", "symbolic-ref"];
/// Shell keywords that can stand in front of a command.
pub(super) const KEYWORDS: [&str; 12] =
    ["!", "do", "done", "elif", "else", "fi", "if", "then", "until", "while", "{", "}"];
/// The shells whose language is read here.
pub(super) const SHELLS: [&str; 3] = ["bash", "dash", "sh"];
/// The tests of one word: `-v` and `-R` would evaluate it.
const TESTS: [&str; 10] = ["-d", "-e", "-f", "-L", "-n", "-r", "-s", "-w", "-x", "-z"];

/// What a script runs.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Reading {
    /// The files that it calls, in the order of the text.
    pub(crate) calls: Vec<Call>,
    /// What else it runs, or writes to, as the script writes it.
    pub(crate) unknown: BTreeSet<String>,
}

/// A file that a script calls by a path that its text shows.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) path: String,
    /// Where the path stands in the text.
    pub(crate) span: Range<usize>,
    /// Whether it is started itself, and not read by a shell.
    pub(crate) is_direct: bool,
}

impl Reading {
    /// Takes down what one simple command of the script `text` runs.
    pub(super) fn take_down(&mut self, text: &str, words: &[Word]) {
        let mut rest = words;
        while let [first, after @ ..] = rest
            && first.is_one_of(&KEYWORDS)
        {
            rest = after;
        }
        while let [first, after @ ..] = rest
            && text[first.span.clone()].split_once('=').is_some_and(|(name, _)| is_variable(name))
        {
            rest = after;
        }
        if let [first, after @ ..] = rest
            && first.is("exec")
        {
            rest = after;
        }
        let [name, arguments @ ..] = rest else { return };
        if !(name.is_plain() && self.is_known(name, arguments)) {
            let more = arguments.first().filter(|word| word.is_plain());
            let shown: Vec<&str> = std::iter::once(name).chain(more).map(|word| &*word.text).collect();
            self.unknown.insert(shown.join(" "));
        }
    }

    /// Whether a command is on one of the lists, or calls a file by its path.
    fn is_known(&mut self, name: &Word, arguments: &[Word]) -> bool {
        match (of_system(&name.text), arguments) {
            (shell, [option, path, ..]) if SHELLS.contains(&shell) && is_option(&option.text) => {
                option.is_plain() && self.call(path, false)
            }
            (shell, [path, ..]) if SHELLS.contains(&shell) || matches!(shell, "." | "source") => {
                self.call(path, false)
            }
            ("for", [variable, of, ..]) => variable.is_plain() && is_variable(&variable.text) && of.is("in"),
            ("command", [option, ..]) => option.is("-v"),
            ("git", [command, ..]) => command.is_one_of(&GIT),
            ("printf", [format, ..]) => !format.is_varying && !format.text.starts_with('-'),
            ("read", names) => names.iter().all(|it| it.is_plain() && (it.is("-r") || is_variable(&it.text))),
            ("set", options) => options.iter().all(|it| {
                it.is_plain() && (is_option(&it.text) || matches!(&*it.text, "-o" | "-euo" | "pipefail"))
            }),
            ("[", [of @ .., end]) => end.is("]") && is_test(of),
            ("test", of) => is_test(of),
            (path, _) if path.contains('/') => !path.starts_with("/usr/") && self.call(name, true),
            (tool, _) => HARMLESS.split_whitespace().any(|it| it == tool),
        }
    }

    /// Takes down a call of a file, if the word is a path: one without a slash is looked for elsewhere too.
    fn call(&mut self, path: &Word, is_direct: bool) -> bool {
        let is_path = path.is_plain()
            && path.text.contains('/')
            && !path.text.contains('=')
            && !path.text.starts_with('-');
        if is_path {
            self.calls.push(Call { path: path.text.clone(), span: path.span.clone(), is_direct });
        }
        is_path
    }
}

/// Whether this is an option by which a shell only says or stops more.
pub(super) fn is_option(word: &str) -> bool {
    word.strip_prefix('-').is_some_and(|rest| !rest.is_empty() && rest.chars().all(|it| "eux".contains(it)))
}

/// Whether a variable can have this name without changing what other programs do: those that they obey are in capitals.
fn is_variable(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.chars().all(|it| it.is_ascii_lowercase() || it.is_ascii_digit() || it == '_')
}

/// The name of a command of the system without its folder; any other word as it is.
fn of_system(word: &str) -> &str {
    let base = word.strip_prefix("/usr/bin/").or_else(|| word.strip_prefix("/bin/"));
    base.filter(|base| !base.contains('/')).unwrap_or(word)
}

/// One word of a command.
#[derive(Default)]
pub(super) struct Word {
    /// Without quotes; a `$` stands for a value that is not known here.
    pub(super) text: String,
    pub(super) span: Range<usize>,
    /// Whether a part of it is quoted.
    pub(super) is_quoted: bool,
    /// Whether it can become several words, or another one.
    pub(super) is_loose: bool,
    /// Whether its value is not in the text.
    pub(super) is_varying: bool,
}

impl Word {
    /// Whether it means exactly its text.
    pub(super) fn is_plain(&self) -> bool {
        !self.is_quoted && !self.is_loose
    }

    fn is(&self, text: &str) -> bool {
        self.is_plain() && self.text == text
    }

    pub(super) fn is_one_of(&self, texts: &[&str]) -> bool {
        texts.iter().any(|text| self.is(text))
    }
}

/// Whether a test evaluates none of its words as code, which shells do in a comparison of numbers.
fn is_test(words: &[Word]) -> bool {
    let words = match words {
        [not, rest @ ..] if not.is("!") => rest,
        _ => words,
    };
    match words {
        [value] => !value.is_loose,
        [test, value] => test.is_one_of(&TESTS) && !value.is_loose,
        [left, comparison, right] => comparison.is_one_of(&["=", "!="]) && !left.is_loose && !right.is_loose,
        _ => false,
    }
}
