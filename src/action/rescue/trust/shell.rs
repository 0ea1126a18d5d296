//! Finds the commands that a shell script runs, as far as its text shows. Quotes, substitutions, comments and
//! heredocs are understood; variables are not expanded.
//!
//! It must not run anything and must not decide what is safe: whatever it does not know is reported to a
//! person.

use std::collections::BTreeSet;
use std::iter::Peekable;
use std::str::Chars;

/// Commands that by themselves run nothing of the workspace: builtins, tools that only process their input,
/// git.
const HARMLESS: &str = ": [ [[ alias awk basename bg break builtin cat cd chgrp chmod chown cksum clear cmp column \
    comm continue cp curl cut date dd declare df diff dirname dirs du echo egrep exit expand export expr false fg \
    fgrep file find fmt fold getopt getopts git git-lfs gpg grep groups gzip hash head hexdump hostname iconv id \
    install jobs join jq kill let link ln local locale logger logname ls md5sum mapfile mkdir mkfifo mktemp mv nl \
    nproc numfmt od paste pathchk popd pr printenv printf ps pushd pwd read readarray readlink readonly realpath \
    return rev rm rmdir sed seq set sha1sum sha256sum shift shopt sleep sort split stat strings stty sum sync tac \
    tail tar tee test touch tput tr trap true truncate tty type typeset ulimit umask unalias uname unexpand uniq \
    unlink unset uptime users wait wc wget whereis which who whoami yes";
/// Shell keywords that can stand in front of a command.
const KEYWORDS: [&str; 12] =
    ["if", "then", "else", "elif", "while", "until", "do", "{", "}", "!", "time", "coproc"];
/// Commands that run the command in their arguments.
const WRAPPERS: [&str; 10] =
    ["command", "env", "exec", "ionice", "nice", "nohup", "stdbuf", "sudo", "timeout", "xargs"];
/// Commands that run the script in their argument.
const SHELLS: [&str; 7] = [".", "source", "sh", "bash", "dash", "ksh", "zsh"];
/// Interpreters of other languages, by name prefix: `python` also matches `python3`.
const INTERPRETERS: [&str; 7] = ["python", "node", "ruby", "perl", "php", "deno", "bun"];
/// How deep scripts in arguments (`sh -c`) are followed.
const DEEPEST: usize = 4;

/// The commands of `text` that run something unknown, as the script writes them. `is_covered` says whether a
/// word names a known file.
pub(crate) fn unknown_commands(text: &str, is_covered: &mut dyn FnMut(&str) -> bool) -> BTreeSet<String> {
    let mut unknown = BTreeSet::new();
    look_into(text, is_covered, DEEPEST, &mut unknown);
    unknown
}

/// The folders that a script changes into, as the script writes them.
pub(crate) fn entered(text: &str) -> Vec<String> {
    let commands = read(text).commands;
    let entered = commands.into_iter().filter_map(|words| match &words[..] {
        [command, folder, ..] if matches!(command.as_str(), "cd" | "pushd") => Some(folder.clone()),
        _ => None,
    });
    entered.collect()
}

fn look_into(
    text: &str,
    is_covered: &mut dyn FnMut(&str) -> bool,
    depth: usize,
    unknown: &mut BTreeSet<String>,
) {
    let Read { commands, functions } = read(text);
    for words in &commands {
        let Some((name, arguments)) = command_of(words) else { continue };
        let mut plain = arguments.iter().filter(|word| !word.starts_with('-'));
        let base = name.rsplit('/').next().unwrap_or(name);
        let is_of_system = !name.contains('/') || ["/bin/", "/usr/"].iter().any(|it| name.starts_with(it));
        if is_of_system && (functions.contains(name) || HARMLESS.split(' ').any(|it| it == base)) {
            continue;
        }
        let is_shell = SHELLS.contains(&base);
        if is_of_system && (is_shell || INTERPRETERS.iter().any(|it| base.starts_with(it))) {
            match arguments.iter().position(|word| word == "-c") {
                Some(place) if is_shell && depth > 0 => {
                    let script = arguments.get(place + 1).map_or("", String::as_str);
                    look_into(script, is_covered, depth - 1, unknown);
                }
                None if !arguments.iter().any(|word| word == "-m")
                    && plain.next().is_some_and(|it| is_covered(it)) => {}
                _ => {
                    let shown: Vec<&str> =
                        std::iter::once(name).chain(arguments.iter().take(2).map(String::as_str)).collect();
                    unknown.insert(shown.join(" "));
                }
            }
        } else if !(name.contains(['/', '$']) && is_covered(name)) {
            unknown.insert(name.to_owned());
        }
    }
}

/// The name and arguments of a simple command, without keywords, assignments and wrappers.
fn command_of(words: &[String]) -> Option<(&str, &[String])> {
    let mut rest = words;
    let mut is_wrapped = false;
    loop {
        let (first, after) = rest.split_first()?;
        let word = first.as_str();
        if matches!(word, "for" | "case" | "select" | "function" | "in" | "fi" | "done" | "esac" | "]]") {
            return None;
        }
        if WRAPPERS.contains(&word.rsplit('/').next().unwrap_or(word)) {
            // `command -v` only asks where a command is.
            if after.first().is_some_and(|option| matches!(option.as_str(), "-v" | "-V")) {
                return None;
            }
            is_wrapped = true;
        } else if is_wrapped
            && (word.starts_with('-') || word.starts_with(|sign: char| sign.is_ascii_digit()))
        {
            // An option of the wrapper, or the duration of `timeout`.
        } else if !KEYWORDS.contains(&word) && !is_assignment(word) {
            return Some((word, after));
        }
        rest = after;
    }
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        let name = name.trim_end_matches('+');
        !name.is_empty() && name.chars().all(|sign| sign.is_ascii_alphanumeric() || "_[]".contains(sign))
    })
}

/// A parsed script.
#[derive(Default)]
struct Read {
    /// Its simple commands; a `$` in a word stands for a value that is not known here.
    commands: Vec<Vec<String>>,
    /// The functions that it defines.
    functions: BTreeSet<String>,
}

/// The command being read, and what ends the surrounding text.
#[derive(Default)]
struct Context {
    words: Vec<String>,
    word: Option<String>,
    is_quoted: bool,
    n_open: usize,
    end: Option<char>,
    is_redirected: bool,
}

impl Context {
    fn push(&mut self, sign: char) {
        self.word.get_or_insert_default().push(sign);
    }

    /// Whether the position is between `[[` and `]]`, where operators mean something else.
    fn is_condition(&self) -> bool {
        self.words.iter().any(|word| word == "[[") && !self.words.iter().any(|word| word == "]]")
    }

    fn end_word(&mut self) {
        if let Some(word) = self.word.take()
            && !std::mem::take(&mut self.is_redirected)
        {
            self.words.push(word);
        }
    }

    fn end_command(&mut self, commands: &mut Vec<Vec<String>>) {
        self.end_word();
        self.is_redirected = false;
        let words = std::mem::take(&mut self.words);
        if !words.is_empty() {
            commands.push(words);
        }
    }
}

fn read(text: &str) -> Read {
    let signs = text.chars().peekable();
    let mut reader = Reader {
        signs,
        read: Read::default(),
        around: Vec::new(),
        now: Context::default(),
        heredocs: Vec::new(),
        line: 0,
    };
    while let Some(sign) = reader.signs.next() {
        if !reader.quote_or_nest(sign) {
            reader.take(sign);
        }
    }
    let Reader { mut read, around, now, .. } = reader;
    for mut context in around.into_iter().chain([now]) {
        context.end_command(&mut read.commands);
    }
    read
}

struct Reader<'t> {
    signs: Peekable<Chars<'t>>,
    read: Read,
    /// The contexts around the current substitution.
    around: Vec<Context>,
    now: Context,
    /// The end markers of heredocs that begin on the next line.
    heredocs: Vec<String>,
    /// The number of commands when the current line or `;` clause began.
    line: usize,
}

impl Reader<'_> {
    /// Handles the start or end of a quote or substitution, and quoted text. Returns false for anything else.
    fn quote_or_nest(&mut self, sign: char) -> bool {
        match sign {
            '\\' => match self.signs.next() {
                Some('\n') | None => {}
                Some(next) => self.now.push(next),
            },
            '"' => {
                self.now.is_quoted = !self.now.is_quoted;
                self.now.word.get_or_insert_default();
            }
            '$' if self.signs.next_if_eq(&'(').is_some() => {
                if self.signs.next_if_eq(&'(').is_some() {
                    self.skip_arithmetic();
                    self.now.push('$');
                } else {
                    self.nest(')');
                }
            }
            '`' if self.now.end != Some('`') => self.nest('`'),
            end if self.now.end == Some(end) && !self.now.is_quoted && self.now.n_open == 0 => {
                self.now.end_command(&mut self.read.commands);
                self.now = self.around.pop().unwrap_or_default();
            }
            _ if self.now.is_quoted => self.now.push(sign),
            '\'' => {
                self.now.word.get_or_insert_default();
                for sign in self.signs.by_ref().take_while(|sign| *sign != '\'') {
                    self.now.push(sign);
                }
            }
            _ => return false,
        }
        true
    }

    /// Enters a substitution; its result is a `$` in the surrounding word.
    fn nest(&mut self, end: char) {
        self.now.push('$');
        let inner = Context { end: Some(end), ..Context::default() };
        self.around.push(std::mem::replace(&mut self.now, inner));
    }

    /// Handles an unquoted character.
    fn take(&mut self, sign: char) {
        match sign {
            '#' if self.now.word.is_none() => while self.signs.next_if(|sign| *sign != '\n').is_some() {},
            _ if self.now.is_condition() && !sign.is_whitespace() => self.now.push(sign),
            '\n' => {
                self.now.end_command(&mut self.read.commands);
                self.line = self.read.commands.len();
                self.skip_heredocs();
            }
            '<' if self.signs.next_if_eq(&'<').is_some() => self.begin_heredoc(),
            '<' | '>' => {
                // The number of a redirected file descriptor is not a word.
                self.now.word.take_if(|word| word.chars().all(|it| it.is_ascii_digit()));
                self.now.end_word();
                while self.signs.next_if(|sign| matches!(sign, '>' | '&' | '|')).is_some() {}
                self.now.is_redirected = true;
            }
            '(' if self.now.word.is_none() && self.signs.next_if_eq(&'(').is_some() => self.skip_arithmetic(),
            '(' if self.now.word.as_ref().is_some_and(|word| word.ends_with('=')) => {
                self.signs.by_ref().take_while(|sign| *sign != ')').for_each(drop);
            }
            '(' => {
                if self.now.words.is_empty() {
                    self.read.functions.extend(self.now.word.take());
                }
                self.now.end_command(&mut self.read.commands);
                self.now.n_open += 1;
            }
            ')' if self.now.n_open > 0 => {
                self.now.end_command(&mut self.read.commands);
                self.now.n_open -= 1;
            }
            // The end of a `case` pattern: its alternatives were read as commands and are dropped.
            ')' => {
                self.now = Context { end: self.now.end, ..Context::default() };
                self.read.commands.truncate(self.line);
            }
            ';' | '&' | '|' => {
                self.now.end_command(&mut self.read.commands);
                if sign == ';' {
                    self.line = self.read.commands.len();
                }
            }
            _ if sign.is_whitespace() => self.now.end_word(),
            _ => self.now.push(sign),
        }
    }

    fn begin_heredoc(&mut self) {
        self.now.end_word();
        if self.signs.next_if_eq(&'<').is_some() {
            // A here-string, `<<<`: its word is read as usual.
            self.now.is_redirected = true;
            return;
        }
        while self.signs.next_if(|sign| " \t-'\"\\".contains(*sign)).is_some() {}
        let mut end = String::new();
        while let Some(sign) = self.signs.next_if(|sign| sign.is_alphanumeric() || *sign == '_') {
            end.push(sign);
        }
        self.signs.next_if(|sign| matches!(sign, '\'' | '"'));
        self.heredocs.push(end);
    }

    fn skip_heredocs(&mut self) {
        for end in std::mem::take(&mut self.heredocs) {
            while self.signs.peek().is_some() {
                let line: String = self.signs.by_ref().take_while(|sign| *sign != '\n').collect();
                if line.trim() == end {
                    break;
                }
            }
        }
    }

    /// Skips to after the next `))`.
    fn skip_arithmetic(&mut self) {
        while let Some(sign) = self.signs.next() {
            if sign == ')' && self.signs.next_if_eq(&')').is_some() {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unknown(text: &str) -> Vec<String> {
        unknown_commands(text, &mut |word| word.ends_with("known.sh")).into_iter().collect()
    }

    #[test]
    fn what_nobody_knows_is_told() {
        for (text, expected) in [
            ("make check", &["make"][..]),
            ("if ! npm run lint; then exit 1; fi", &["npm"]),
            ("exec make -C sub 2>&1 >/dev/null", &["make"]),
            ("A=1 env B=2 timeout 10 cargo test", &["cargo"]),
            ("cd scripts && ./lint.sh || exit 1", &["./lint.sh"]),
            ("\"$ROOT/tools/lint\"", &["$ROOT/tools/lint"]),
            ("x=$(make -s list)", &["make"]),
            ("echo \"of `make -s list`\"", &["make"]),
            ("find . -name x | xargs -n 1 eslint", &["eslint"]),
            ("python3 -m pytest", &["python3 -m pytest"]),
            ("bash -c 'make all; echo done'", &["make"]),
            ("case $1 in\n a|b) make ;;\n *) echo no ;;\nesac", &["make"]),
            ("eval \"$1\"", &["eval"]),
            ("(cd x; task lint)", &["task"]),
            ("$TOOL --check", &["$TOOL"]),
        ] {
            assert_eq!(unknown(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_known_is_not_told() {
        for text in [
            "#!/bin/sh\n# make all\necho 'make all' \"make; npm\" # npm\n",
            "check() { grep -q x \"$1\"; }\ncheck f || exit 1",
            "./known.sh && . \"$(dirname \"$0\")/known.sh\"",
            "bash -e tools/known.sh | tee log",
            "command -v git-lfs >/dev/null 2>&1 || { printf >&2 \"\\n%s\\n\" \"no make\"; exit 2; }\ngit lfs pre-push \"$@\"",
            "cat <<EOF\nmake all\nEOF\n[ -f x ] && test -n \"$(git diff --name-only)\"",
            "for f in $(git ls-files); do wc -l \"$f\"; done",
            "while read -r line; do echo \"$line\"; done < list",
            "/usr/bin/sort -u < make > npm",
            "case \"$x\" in make|npm) exit 0 ;; esac",
            "if [[ $a == (x|y) && -n $b ]]; then i=$((i + 1)); ((i++)); fi",
            "files=(make npm)\nset -- x | true",
        ] {
            assert_eq!(unknown(text), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn the_folders_that_a_script_enters_are_found() {
        assert_eq!(entered("cd scripts && ./x\n(cd \"$ROOT/deep\"; y)"), ["scripts", "$ROOT/deep"]);
    }

    #[test]
    fn any_text_is_read_to_its_end() {
        for text in ["$(", "`", "\"", "'", "<<", "<<EOF\n", ")", "((", "\\", "$(\"`'", "a)b)c("] {
            let _ = unknown(text);
        }
    }
}
