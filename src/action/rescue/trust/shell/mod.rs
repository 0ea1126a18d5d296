//! Reads what a shell script runs, if the script is plain enough to be sure: simple commands, pipes, lists, `if`,
//! loops and substitutions. What counts as understood is on the lists of [`commands`]. Functions, heredocs,
//! arithmetic, `case`, `cd`, and whatever else is not listed are not understood, and so is a write to any file.
//!
//! It must not run anything and must not decide what is safe: whatever it does not know is reported to a
//! person.

mod commands;

pub(crate) use commands::{Call, Reading};
use commands::{KEYWORDS, SHELLS, Word, is_option};

/// How deep substitutions and subshells are followed.
const DEEPEST: usize = 32;

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
                    self.reading.take_down(self.text, &words);
                    self.depth -= 1;
                    return Some(());
                }
                None | Some(')') => return None,
                Some(' ' | '\t') => self.at += 1,
                Some('\\') if self.text[self.at..].starts_with("\\\n") => self.at += 2,
                Some('#') => while self.peek().is_some_and(|sign| sign != '\n') && self.next().is_some() {},
                Some('\n' | ';' | '|' | '&') => {
                    self.operator()?;
                    self.reading.take_down(self.text, &words);
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
