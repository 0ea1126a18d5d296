//! The simple commands of a command line, each with its position and what the line's exit code says about it.
//! Must not run or expand anything.
//!
//! The exit code of a line is that of its last command; in a chain of `&&`, that of the first command that
//! fails. What a pipe, `;`, `||`, `&`, a condition or a loop hides stays hidden.

use super::tokens::{Token, Word, tokens};

/// Commands nested deeper than this are ignored.
const DEEPEST: u32 = 6;
/// Commands beyond this number in one line are ignored.
const MAX_COMMANDS: usize = 400;
/// How many bytes of a line are read.
pub(super) const LONGEST_LINE: usize = 16 << 10;
/// Words that open or continue a compound command, which hides the exit codes of the commands in it.
const KEYWORDS: [&str; 11] = ["if", "then", "elif", "else", "while", "until", "do", "{", "}", "done", "fi"];
/// Shells whose `-c` argument is a command line of its own.
const SHELLS: [&str; 5] = ["bash", "sh", "zsh", "dash", "ksh"];

/// A simple command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Command {
    /// Its words, without preceding assignments.
    pub(super) words: Vec<String>,
    /// The folder it runs in, relative to that of the line; `None` is that folder itself.
    pub(super) folder: Option<String>,
    /// Files that it writes by redirection.
    pub(super) writes: Vec<String>,
    /// The text of its heredoc.
    pub(super) heredoc: Option<String>,
    /// The commands that read its output, in order.
    pub(super) filters: Vec<Vec<String>>,
    /// What the line's exit code says about it.
    pub(super) reach: Reach,
    /// Whether `!` precedes it.
    pub(super) is_negated: bool,
    /// Whether a command directly after it prints its exit code.
    pub(super) prints_code: bool,
}

/// What a line's exit code says about one of its commands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Reach {
    /// Nothing.
    #[default]
    Hidden,
    /// It belongs to a chain of `&&`: 0 holds for all, any other code is that of the first failure. A single
    /// command is a chain of one.
    Chain,
}

/// One pipeline of a list, with the operator after it.
#[derive(Debug, Default)]
struct Pipeline {
    /// The commands, or the single group, of which it consists.
    parts: Vec<Part>,
    is_negated: bool,
    sign: &'static str,
    in_compound: bool,
}

#[derive(Debug)]
enum Part {
    Simple(Command),
    Group(Vec<Pipeline>),
}

/// The commands of a line, in order.
pub(super) fn commands(line: &str) -> Vec<Command> {
    let line = &line[..line.floor_char_boundary(LONGEST_LINE)];
    let mut reader = Reader { has_pipefail: false, exits_at_error: false, commands: Vec::new() };
    let list = reader.parse(line, 0);
    let mut folder = None;
    reader.flatten(list, &mut folder, true);
    reader.commands
}

struct Reader {
    has_pipefail: bool,
    exits_at_error: bool,
    commands: Vec<Command>,
}

impl Reader {
    fn parse(&mut self, line: &str, depth: u32) -> Vec<Pipeline> {
        let tokens = tokens(line);
        let mut rest = tokens.as_slice();
        self.parse_list(&mut rest, depth)
    }

    /// Parses pipelines up to a closing bracket or the end.
    fn parse_list(&mut self, rest: &mut &[Token], depth: u32) -> Vec<Pipeline> {
        let mut list = Vec::new();
        let mut pipeline = Pipeline::default();
        let mut command = Command::default();
        let mut words: Vec<&Word> = Vec::new();
        let mut n_compounds = 0_u32;
        let mut last_simple: Option<usize> = None;
        while let Some((token, after)) = rest.split_first() {
            *rest = after;
            match token {
                Token::Word(word) => take_word(word, &mut words, &mut pipeline, &mut n_compounds),
                Token::WriteTo(target) => command.writes.push(target.clone()),
                Token::Heredoc(text) => {
                    // It comes after the end of the line, and belongs to the previous command.
                    let of_last = last_simple.and_then(|at: usize| list.get_mut(at)).and_then(last_command);
                    if let Some(last) = of_last {
                        last.heredoc = Some(text.clone());
                    }
                }
                Token::Sign("(") if words.is_empty() && depth < DEEPEST => {
                    let inner = self.parse_list(rest, depth + 1);
                    pipeline.parts.push(Part::Group(inner));
                }
                Token::Sign("(") => {}
                Token::Sign(sign) => {
                    self.end_command(&mut command, &mut words, &mut pipeline, depth);
                    if *sign != "|" && !pipeline.parts.is_empty() {
                        pipeline.sign = sign;
                        pipeline.in_compound |= n_compounds > 0;
                        last_simple = Some(list.len());
                        list.push(std::mem::take(&mut pipeline));
                    }
                    if *sign == ")" && depth > 0 {
                        return list;
                    }
                }
            }
        }
        self.end_command(&mut command, &mut words, &mut pipeline, depth);
        if !pipeline.parts.is_empty() {
            pipeline.in_compound |= n_compounds > 0;
            list.push(pipeline);
        }
        list
    }

    /// Adds the words gathered so far to the pipeline as a command.
    fn end_command(
        &mut self,
        command: &mut Command,
        words: &mut Vec<&Word>,
        pipeline: &mut Pipeline,
        depth: u32,
    ) {
        let mut command = std::mem::take(command);
        let words = std::mem::take(words);
        if depth < DEEPEST {
            let inner = words.iter().flat_map(|word| &word.substitutions);
            for line in inner.take(MAX_COMMANDS) {
                let list = self.parse(line, depth + 1);
                // What a substitution runs is hidden, as if it came before a `;`.
                self.flatten_hidden(list);
            }
        }
        let n_assignments = words.iter().take_while(|word| is_assignment(&word.text)).count();
        command.words = words[n_assignments..].iter().map(|word| word.text.clone()).collect();
        if command.words.first().is_some_and(|first| matches!(first.as_str(), "for" | "case" | "select")) {
            return;
        }
        if let Some(inner) = shell_text(&command.words).filter(|_| depth < DEEPEST) {
            let list = self.parse(&inner, depth + 1);
            pipeline.parts.push(Part::Group(list));
            return;
        }
        if command.words.first().is_some_and(|first| first == "set") {
            let sets = |name: &str| command.words.iter().any(|word| word == name);
            self.has_pipefail |= sets("pipefail");
            self.exits_at_error |= command.words.iter().any(|word| {
                word.starts_with('-') && !word.starts_with("--") && word.contains('e') || word == "errexit"
            });
            return;
        }
        if !command.words.is_empty() || !command.writes.is_empty() {
            pipeline.parts.push(Part::Simple(command));
        }
    }

    fn flatten_hidden(&mut self, list: Vec<Pipeline>) {
        let mut folder = None;
        self.flatten(list, &mut folder, false);
    }

    /// Adds the commands of a list. `is_last` means that the line's exit code is that of this list.
    fn flatten(&mut self, list: Vec<Pipeline>, folder: &mut Option<String>, is_last: bool) {
        let begin = self.visible_from(&list).filter(|_| is_last);
        let retried = retried(&list).filter(|_| is_last);
        for (at, pipeline) in list.into_iter().enumerate() {
            if self.commands.len() >= MAX_COMMANDS {
                return;
            }
            let is_visible = begin.is_some_and(|begin| at >= begin) && !pipeline.in_compound
                || retried.is_some_and(|retried| at == retried);
            let has_pipe = pipeline.parts.len() > 1;
            let n_parts = pipeline.parts.len();
            let begin_of_pipe = self.commands.len();
            for (index, part) in pipeline.parts.into_iter().enumerate() {
                let is_seen = is_visible && (index + 1 == n_parts || self.has_pipefail);
                match part {
                    Part::Simple(command) => {
                        let command = Command { is_negated: pipeline.is_negated, ..command };
                        self.add(command, folder, is_seen);
                    }
                    Part::Group(inner) => {
                        let mut inside = folder.clone();
                        let is_seen = is_seen && !pipeline.is_negated;
                        self.flatten(inner, &mut inside, is_seen);
                    }
                }
            }
            if has_pipe {
                self.note_filters(begin_of_pipe);
            }
        }
    }

    /// The first pipeline of the final `&&` chain, whose exit code is that of the list; `None` if that code
    /// is hidden by `||` or `&`.
    fn visible_from(&self, list: &[Pipeline]) -> Option<usize> {
        let end = list.len().checked_sub(1)?;
        if matches!(list[end].sign, "&") {
            return None;
        }
        let mut begin = end;
        while begin > 0 {
            match list[begin - 1].sign {
                "&&" => {}
                ";" if self.exits_at_error => {}
                // `x || exit 1` fails if x fails.
                "||" if leaves(&list[begin]) => {}
                // The second try of `x || x` decides.
                "||" if are_same(&list[begin - 1], &list[begin]) => {}
                "||" => return None,
                _ => break,
            }
            begin -= 1;
        }
        Some(begin)
    }

    fn add(&mut self, mut command: Command, folder: &mut Option<String>, is_seen: bool) {
        if let Some(target) = changed_folder(&command.words) {
            *folder = joined(folder.as_deref(), target);
        }
        if let Some(at) = self.whose_code_is_printed(&command.words) {
            self.commands[at].prints_code = true;
        }
        command.reach = if is_seen { Reach::Chain } else { Reach::Hidden };
        command.folder.clone_from(folder);
        self.commands.push(command);
    }

    /// The command whose exit code `echo $?` prints: the last one; with
    /// `PIPESTATUS[0]`, the first of the preceding pipe.
    fn whose_code_is_printed(&self, words: &[String]) -> Option<usize> {
        let is_echo = matches!(words.first().map(String::as_str), Some("echo" | "printf"));
        let has = |text: &str| words.iter().any(|word| word.contains(text));
        let last = self.commands.len().checked_sub(1).filter(|_| is_echo)?;
        if has("${PIPESTATUS[0]}") || has("${pipestatus[1]}") {
            let is_of_pipe = |at: &usize| self.commands[*at].filters.len() == last - at;
            return (0..=last).rev().take_while(is_of_pipe).last();
        }
        has("$?").then_some(last)
    }

    /// Marks the commands from `begin` on as one pipe: each is read by those after it.
    fn note_filters(&mut self, begin: usize) {
        let words: Vec<Vec<String>> =
            self.commands[begin..].iter().map(|command| command.words.clone()).collect();
        for (index, command) in self.commands[begin..].iter_mut().enumerate() {
            command.filters.extend(words[index + 1..].iter().cloned());
        }
    }
}

/// Takes a word. Keywords at the beginning of a command open and close compound commands.
fn take_word<'w>(word: &'w Word, words: &mut Vec<&'w Word>, pipeline: &mut Pipeline, n_compounds: &mut u32) {
    let is_first = words.is_empty() && !word.is_quoted;
    match word.text.as_str() {
        "!" if is_first => pipeline.is_negated = true,
        "if" | "while" | "until" | "{" if is_first => *n_compounds += 1,
        "for" | "case" | "select" if is_first => {
            *n_compounds += 1;
            words.push(word);
        }
        "fi" | "done" | "esac" | "}" if is_first => {
            *n_compounds = n_compounds.saturating_sub(1);
            pipeline.in_compound = true;
        }
        text if is_first && KEYWORDS.contains(&text) => pipeline.in_compound = true,
        _ => words.push(word),
    }
}

fn last_command(pipeline: &mut Pipeline) -> Option<&mut Command> {
    match pipeline.parts.first_mut()? {
        Part::Simple(command) => Some(command),
        Part::Group(list) => list.last_mut().and_then(last_command),
    }
}

/// Whether two pipelines are the same simple command.
fn are_same(one: &Pipeline, other: &Pipeline) -> bool {
    match (&one.parts[..], &other.parts[..]) {
        ([Part::Simple(one)], [Part::Simple(other)]) => one.words == other.words,
        _ => false,
    }
}

/// The pipeline that a loop at the end of a list repeats until it passes, whose exit code is then that of the loop:
/// `for n in 1 2 3; do make test && break; done`.
fn retried(list: &[Pipeline]) -> Option<usize> {
    let [.., tried, end] = list else { return None };
    let is_break = matches!(&end.parts[..], [Part::Simple(command)] if command.words == ["break"]);
    (is_break && tried.sign == "&&" && tried.in_compound && end.in_compound).then(|| list.len() - 2)
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && !name.starts_with(|sign: char| sign.is_ascii_digit())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
}

/// Whether a pipeline only exits with a code other than 0.
fn leaves(pipeline: &Pipeline) -> bool {
    let [Part::Simple(command)] = pipeline.parts.as_slice() else { return false };
    match command.words.first().map(String::as_str) {
        Some("false") => true,
        Some("exit" | "return") => command.words.get(1).is_none_or(|code| code != "0"),
        _ => false,
    }
}

/// The command line that a shell is given with `-c`.
fn shell_text(words: &[String]) -> Option<String> {
    let shell = words.first()?.rsplit('/').next()?;
    if !SHELLS.contains(&shell) {
        return None;
    }
    let at = words
        .iter()
        .position(|word| word.starts_with('-') && !word.starts_with("--") && word.ends_with('c'))?;
    words.get(at + 1).cloned()
}

fn changed_folder(words: &[String]) -> Option<&str> {
    match words.first().map(String::as_str) {
        Some("cd" | "pushd") => words.iter().skip(1).find(|word| !word.starts_with('-')).map(String::as_str),
        _ => None,
    }
}

/// The path `to` relative to `folder`, with `.` and `..` resolved where possible. `None` is the folder in
/// which the line began.
pub(in crate::judge) fn joined(folder: Option<&str>, to: &str) -> Option<String> {
    let is_absolute = to.starts_with(['/', '~', '$']);
    let mut parts: Vec<&str> = if is_absolute {
        Vec::new()
    } else {
        folder.into_iter().flat_map(|folder| folder.split('/')).collect()
    };
    for part in to.split('/') {
        match part {
            "." => {}
            "" if !parts.is_empty() || !is_absolute => {}
            ".." if parts.last().is_some_and(|last| !matches!(*last, ".." | "" | "~")) => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    let path = parts.join("/");
    (!path.is_empty()).then_some(path)
}
