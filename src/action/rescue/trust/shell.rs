//! Reads what a shell script runs, if the script is plain enough to be sure: simple commands, pipes, lists, `if`,
//! loops and substitutions. Everything that counts as understood is on a list here. Functions, heredocs,
//! arithmetic, `case`, `cd`, and whatever else is not listed are not understood, and so is a write to any file.
//!
//! It must not run anything and must not decide what is safe: whatever it does not know is reported to a
//! person.

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
const KEYWORDS: [&str; 12] =
    ["!", "do", "done", "elif", "else", "fi", "if", "then", "until", "while", "{", "}"];
/// The shells whose language is read here.
const SHELLS: [&str; 3] = ["bash", "dash", "sh"];
/// The tests of one word: `-v` and `-R` would evaluate it.
const TESTS: [&str; 10] = ["-d", "-e", "-f", "-L", "-n", "-r", "-s", "-w", "-x", "-z"];
/// How deep substitutions and subshells are followed.
const DEEPEST: usize = 32;

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

/// What the script `text` runs; `None` if it is not one of a shell, or too intricate to tell.
pub(crate) fn read(text: &str) -> Option<Reading> {
    let is_shell = match text.strip_prefix("#!") {
        None => true,
        Some(rest) => is_shell_line(rest.lines().next().unwrap_or_default().trim()),
    };
    if !is_shell || text.contains('\0') {
        return None;
    }
    let mut reader = Reader { text, at: 0, depth: 0, reading: Reading::default() };
    reader.commands(None)?;
    reader.reading.calls.sort_by_key(|call| call.span.start);
    Some(reader.reading)
}

/// Whether the first line of a script names a shell of the system.
fn is_shell_line(line: &str) -> bool {
    let rest = line.strip_prefix("/usr/bin/").or_else(|| line.strip_prefix("/bin/"));
    match rest.map(|rest| rest.split_whitespace().collect::<Vec<_>>()).as_deref() {
        Some(["env", shell] | [shell]) => SHELLS.contains(shell),
        Some([shell, option]) => SHELLS.contains(shell) && is_option(option),
        _ => false,
    }
}

/// Whether this is an option by which a shell only says or stops more.
fn is_option(word: &str) -> bool {
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
struct Word {
    /// Without quotes; a `$` stands for a value that is not known here.
    text: String,
    span: Range<usize>,
    /// Whether a part of it is quoted.
    is_quoted: bool,
    /// Whether it can become several words, or another one.
    is_loose: bool,
    /// Whether its value is not in the text.
    is_varying: bool,
}

impl Word {
    /// Whether it means exactly its text.
    fn is_plain(&self) -> bool {
        !self.is_quoted && !self.is_loose
    }

    fn is(&self, text: &str) -> bool {
        self.is_plain() && self.text == text
    }

    fn is_one_of(&self, texts: &[&str]) -> bool {
        texts.iter().any(|text| self.is(text))
    }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
    reading: Reading,
}

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.text.get(self.at..)?.chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let sign = self.peek()?;
        self.at += sign.len_utf8();
        Some(sign)
    }

    fn next_if(&mut self, wanted: char) -> bool {
        let is_there = self.peek() == Some(wanted);
        if is_there {
            self.at += wanted.len_utf8();
        }
        is_there
    }

    /// Reads commands up to the closing bracket `end`, or to the end of the text.
    fn commands(&mut self, end: Option<char>) -> Option<()> {
        self.depth += 1;
        let mut words: Vec<Word> = Vec::new();
        while self.depth <= DEEPEST {
            match self.peek() {
                sign if sign == end => {
                    self.next();
                    self.judge(&words);
                    self.depth -= 1;
                    return Some(());
                }
                None | Some(')') => return None,
                Some(' ' | '\t') => self.at += 1,
                Some('\\') if self.text[self.at..].starts_with("\\\n") => self.at += 2,
                Some('#') => while self.peek().is_some_and(|sign| sign != '\n') && self.next().is_some() {},
                Some('\n' | ';' | '|' | '&') => {
                    self.operator()?;
                    self.judge(&words);
                    words.clear();
                }
                Some('(') => {
                    self.next();
                    // A function, an array, or arithmetic.
                    if self.peek() == Some('(') || !words.iter().all(|word| word.is_one_of(&KEYWORDS)) {
                        return None;
                    }
                    self.commands(Some(')'))?;
                }
                Some('<' | '>') => self.redirection(&mut words)?,
                Some(_) => words.push(self.word()?),
            }
        }
        None
    }

    fn operator(&mut self) -> Option<()> {
        let is_other = match self.next()? {
            ';' => matches!(self.peek(), Some(';' | '&')),
            '|' => !self.next_if('|') && self.peek() == Some('&'),
            '&' => !self.next_if('&') && self.peek() == Some('>'),
            _ => false,
        };
        (!is_other).then_some(())
    }

    /// Reads a redirection; `words` may end with the number of its descriptor.
    fn redirection(&mut self, words: &mut Vec<Word>) -> Option<()> {
        let is_number = |word: &mut Word| {
            word.span.end == self.at && word.is_plain() && word.text.chars().all(|it| it.is_ascii_digit())
        };
        drop(words.pop_if(is_number));
        let sign = self.next()?;
        let is_append = sign == '>' && self.next_if('>');
        let is_descriptor = !is_append && self.next_if('&');
        if matches!(self.peek(), Some('<' | '>' | '|' | '&' | '(')) {
            return None;
        }
        while self.next_if(' ') || self.next_if('\t') {}
        let target = self.word().filter(|word| !word.span.is_empty())?;
        let known: &[&str] = if is_descriptor { &["1", "2", "-"] } else { &["/dev/null"] };
        if sign == '>' && !target.is_one_of(known) {
            self.reading.unknown.insert(format!("> {}", target.text));
        }
        Some(())
    }

    fn word(&mut self) -> Option<Word> {
        let start = self.at;
        let mut word = Word::default();
        while let Some(sign) = self.peek() {
            match sign {
                ' ' | '\t' | '\n' | ';' | '|' | '&' | '<' | '>' | ')' => break,
                '(' | '`' => return None,
                '$' => {
                    self.expansion(&mut word)?;
                    word.is_loose = true;
                }
                _ => {
                    self.next();
                    match sign {
                        '"' => self.quoted(&mut word)?,
                        '\'' => {
                            let length = self.text[self.at..].find('\'')?;
                            word.text.push_str(&self.text[self.at..self.at + length]);
                            word.is_quoted = true;
                            self.at += length + 1;
                        }
                        '\\' => {
                            let escaped = self.next()?;
                            word.text.extend(Some(escaped).filter(|it| *it != '\n'));
                            word.is_quoted = true;
                        }
                        _ => {
                            word.is_loose |= !(sign.is_ascii_alphanumeric() || "_./+-=:,@%!]".contains(sign));
                            word.text.push(sign);
                        }
                    }
                }
            }
        }
        word.span = start..self.at;
        word.is_loose &= !["[", "{", "}"].contains(&&self.text[word.span.clone()]);
        Some(word)
    }

    /// Reads the rest of a double-quoted text.
    fn quoted(&mut self, word: &mut Word) -> Option<()> {
        word.is_quoted = true;
        loop {
            match self.peek()? {
                '`' => return None,
                '$' => self.expansion(word)?,
                _ => match self.next()? {
                    '"' => return Some(()),
                    '\\' => match self.next()? {
                        '\n' => {}
                        escaped @ ('$' | '`' | '"' | '\\') => word.text.push(escaped),
                        other => word.text.extend(['\\', other]),
                    },
                    sign => word.text.push(sign),
                },
            }
        }
    }

    /// Reads a variable by its plain name, or a substitution.
    fn expansion(&mut self, word: &mut Word) -> Option<()> {
        let is_name = |sign: Option<char>| sign.is_some_and(|it| it.is_ascii_alphanumeric() || it == '_');
        let start = self.at;
        self.next();
        word.is_varying = true;
        match self.next()? {
            '(' if self.peek() != Some('(') => {
                self.commands(Some(')'))?;
                word.text.push('$');
                return Some(());
            }
            '{' if is_name(self.peek()) => {
                while is_name(self.peek()) {
                    self.next();
                }
                if !self.next_if('}') {
                    return None;
                }
            }
            '@' | '*' | '#' | '?' | '$' | '!' | '-' => {}
            first if is_name(Some(first)) => {
                while is_name(self.peek()) {
                    self.next();
                }
            }
            _ => return None,
        }
        word.text.push_str(&self.text[start..self.at]);
        Some(())
    }

    /// Takes down what one simple command runs.
    fn judge(&mut self, words: &[Word]) {
        let mut rest = words;
        while let [first, after @ ..] = rest
            && first.is_one_of(&KEYWORDS)
        {
            rest = after;
        }
        while let [first, after @ ..] = rest
            && self.text[first.span.clone()].split_once('=').is_some_and(|(name, _)| is_variable(name))
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
            self.reading.unknown.insert(shown.join(" "));
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
            self.reading.calls.push(Call { path: path.text.clone(), span: path.span.clone(), is_direct });
        }
        is_path
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

#[cfg(test)]
mod tests {
    use super::*;

    /// What is not covered in a text; `*` if the text is not understood at all.
    fn unknown(text: &str) -> Vec<String> {
        read(text).map_or_else(|| vec!["*".to_owned()], |reading| reading.unknown.into_iter().collect())
    }

    #[test]
    fn what_nobody_knows_is_told() {
        for (text, expected) in [
            ("make check", &["make check"][..]),
            ("if ! npm run lint; then exit 1; fi", &["npm run"]),
            ("exec make -C sub 2>&1 >/dev/null", &["make -C"]),
            ("A=1 env B=2 timeout 10 cargo test", &["A=1 env"]),
            ("cd scripts && ./lint.sh || exit 1", &["cd scripts"]),
            ("\"$ROOT/tools/lint\"", &["$ROOT/tools/lint"]),
            ("x=$(make -s list)", &["make -s"]),
            ("x=\"$(make -s list)\"", &["make -s"]),
            ("(task lint)", &["task lint"]),
            ("if (task lint); then exit 0; fi", &["task lint"]),
            ("python3 tools/x.py", &["python3 tools/x.py"]),
            ("bash -c 'echo done'", &["bash -c"]),
            ("sh lint.sh", &["sh lint.sh"]),
            (". \"$(dirname \"$0\")/x.sh\"", &["."]),
            ("eval \"$1\"", &["eval"]),
            ("$TOOL --check", &["$TOOL --check"]),
            ("echo $(\\make)", &["make"]),
            ("/usr/bin/make all", &["/usr/bin/make all"]),
        ] {
            assert_eq!(unknown(text), expected, "{text}");
        }
    }

    /// Ways to run what no command of the text shows; several of them ran changed code in a trusted hook.
    #[test]
    fn commands_that_run_more_than_they_show_are_told() {
        for text in [
            "trap 'sh tools/lint' EXIT",
            "awk -f tools/x.awk f",
            "sed '1e sh tools/lint' f",
            "find . -exec sh {} \\;",
            "sort --compress-program=tools/lint f",
            "tar --checkpoint-action=exec=tools/lint -cf x .",
            "PATH=\"$PWD/tools:$PATH\"",
            "PATH=tools cat f",
            "for PATH in tools; do cat f; done",
            "read PATH < f",
            "export BASH_ENV=tools/x",
            "BASH_ENV=tools/x bash tools/known.sh",
            "ENV=tools/x sh -i",
            "IFS=x",
            "git -c alias.q='!sh tools/lint' q",
            "git -c core.hooksPath=h2 checkout x",
            "git submodule foreach x",
            "git bisect run x",
            "git diff",
            "git \"$x\"",
            "git $x",
            "builtin eval x",
            "command make",
            "alias cat=make",
            "hash -p tools/x cat",
            "unset -f sh",
            "enable -f x y",
            "xargs sh",
            "printf \"$x\" y",
            "printf -v 'a[$(x)]' y",
            "read 'a[$(x)]'",
            "[ \"$x\" -eq 1 ]",
            "[ -v \"$x\" ]",
            "[ $x = y ]",
            "[ \"$x\" \"$y\" ]",
            "[[ $x -eq 1 ]]",
            "sh ./$x",
            "sh tools/*",
            "{sh,tools/x}",
            "~/x",
            "cat x > tools/lint",
            "cat x >> \"$1\"",
            "cat x >&tools/lint",
            "time make",
            "function f { :; }",
            "PATH=tools/bin",
        ] {
            let told = unknown(text);
            assert!(!told.is_empty() && told != ["*"], "{text}: {told:?}");
        }
    }

    #[test]
    fn what_is_not_plain_is_not_understood() {
        for text in [
            "sh() { :; }; unset -f sh; sh tools/lint", "cat <<EOF\n$(sh tools/lint)\nEOF", "cat <<< x",
            "case $1 in\n a|b) make ;;\n esac", "echo $((a[$(x)]))", "((a[$(x)]))", "echo `make`",
            "echo \"`make`\"", "echo ${x:-$(make)}", "echo ${x@P}", "echo \"${x:-y}\"", "$'sh' x",
            "$\"sh\" x", "echo $[1]", "a=(x y)", "cat <(make)", "cat >(make)", "make &> f", "make |& cat",
            "make >| f", "#!/usr/bin/env python3\nprint(1)", "#!/bin/zsh\necho", "#!sh\necho",
            "#!tools/sh\necho", "#!/bin/bash --rcfile\necho", "\0", "echo 'x", "echo \"x", "(echo", "echo)",
            "echo \\",
        ] {
            assert_eq!(unknown(text), ["*"], "{text}");
        }
        assert_eq!(unknown(&"$(".repeat(100_000)), ["*"]);
        assert_eq!(unknown(&"(echo x; ".repeat(100_000)), ["*"]);
    }

    #[test]
    fn what_is_known_is_not_told() {
        for text in [
            "#!/bin/sh\n# make all\necho 'make all' \"make; npm\" # npm\n",
            "./known.sh && . tools/known.sh && exec sh -eu ./known.sh a b",
            "bash -e tools/known.sh | cat",
            "command -v git-lfs >/dev/null 2>&1 || { printf >&2 \"\\n%s\\n\" \"no make\"; exit 2; }\ngit lfs pre-push \"$@\"",
            "#!/usr/bin/env bash\nset -euo pipefail\nif [ -n \"$(git rev-parse HEAD)\" ]; then exit 0; else exit 1; fi",
            "for f in $(git rev-parse --all); do wc -l \"$f\"; done",
            "while read -r line; do echo \"$line\"; done < list",
            "/usr/bin/head -n 1 < make; exec 1>&2",
            "name=$(cat x) other=1\n[ \"$name\" != y ] && ! test -f x || exit $?",
            "cat \\\n  make",
            "(echo x; (echo y)) & echo ${x} $1 $# \"$@\"",
        ] {
            assert_eq!(unknown(text), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn calls_are_found_where_they_stand() {
        let text = "echo a; ./a.sh $(. /b/c) | bash -e d/e.sh; if sh x/../y; then exec ./z; fi";
        let calls = read(text).unwrap().calls;
        let found: Vec<_> = calls.iter().map(|call| (&*call.path, call.is_direct)).collect();
        let expected =
            [("./a.sh", true), ("/b/c", false), ("d/e.sh", false), ("x/../y", false), ("./z", true)];
        assert_eq!(found, expected);
        assert!(calls.iter().all(|call| text[call.span.clone()] == call.path));
    }

    #[test]
    fn any_text_is_read_to_its_end() {
        for text in
            ["$(", "`", "\"", "'", "<<", "<<EOF\n", ")", "((", "\\", "$(\"`'", "a)b)c(", ">", "é$", "2>é"]
        {
            let _ = unknown(text);
        }
    }
}
