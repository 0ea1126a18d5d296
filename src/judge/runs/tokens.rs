//! The words and operators of a shell command line, split as bash(1) does. Quoted parts and heredocs are
//! text. Must not expand or run anything.

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    Word(Word),
    /// `;`, `&`, `&&`, `||`, `|`, `(`, `)`; the end of a line is `;`.
    Sign(&'static str),
    /// The output is redirected to this file.
    WriteTo(String),
    /// The text of a heredoc for the previous command.
    Heredoc(String),
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Word {
    /// Its text without quotes. Expansions are left as written.
    pub(super) text: String,
    /// The command lines of the substitutions in it.
    pub(super) substitutions: Vec<String>,
    /// Whether a part of it was quoted, so that it cannot be a keyword.
    pub(super) is_quoted: bool,
}

/// The operators, longer ones before their prefixes.
const SIGNS: [(&str, &str); 11] = [
    ("&&", "&&"),
    ("||", "||"),
    (";;", ";"),
    ("|&", "|"),
    (";", ";"),
    ("&", "&"),
    ("|", "|"),
    ("(", "("),
    (")", ")"),
    ("\r\n", ";"),
    ("\n", ";"),
];

/// The tokens of a command line.
pub(super) fn tokens(line: &str) -> Vec<Token> {
    let mut lexer = Lexer { rest: line, tokens: Vec::new(), heredocs: Vec::new(), is_open_ended: false };
    while !lexer.rest.is_empty() {
        lexer.step();
    }
    lexer.tokens
}

struct Lexer<'a> {
    rest: &'a str,
    tokens: Vec<Token>,
    /// Heredocs whose text begins on the next line: the delimiter, and whether leading tabs are stripped.
    heredocs: Vec<(String, bool)>,
    /// Set once an unclosed substitution was found. No other is then searched for, so
    /// that the time stays linear.
    is_open_ended: bool,
}

impl<'a> Lexer<'a> {
    fn take(&mut self, n_bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(n_bytes.min(self.rest.len()));
        self.rest = rest;
        taken
    }

    fn step(&mut self) {
        let rest = self.rest;
        if let Some(after) = rest.strip_prefix("\\\n") {
            self.rest = after;
        } else if rest.starts_with([' ', '\t', '\r']) && !rest.starts_with("\r\n") {
            self.take(1);
        } else if rest.starts_with('#') {
            self.take(rest.find('\n').unwrap_or(rest.len()));
        } else if let Some(n) = redirection(rest) {
            self.redirect(n);
        } else if let Some((sign, meaning)) = SIGNS.iter().find(|(sign, _)| rest.starts_with(sign)) {
            self.take(sign.len());
            self.tokens.push(Token::Sign(meaning));
            if sign.ends_with('\n') {
                self.take_heredocs();
            }
        } else {
            let word = self.word();
            self.tokens.push(Token::Word(word));
        }
    }

    /// Reads a redirection whose operator takes `n` bytes.
    fn redirect(&mut self, n: usize) {
        let operator = self.take(n).trim_start_matches(|sign: char| sign.is_ascii_digit());
        self.rest = self.rest.trim_start_matches([' ', '\t']);
        match operator {
            "<<" | "<<-" => {
                let mark = self.word().text;
                self.heredocs.push((mark, operator == "<<-"));
            }
            ">" | ">>" | ">|" | "&>" | "&>>" => {
                let target = self.word().text;
                self.tokens.push(Token::WriteTo(target));
            }
            // Input, and duplicated file descriptors.
            _ => {
                self.word();
            }
        }
    }

    /// Reads the heredocs that begin here.
    fn take_heredocs(&mut self) {
        for (mark, strips_tabs) in std::mem::take(&mut self.heredocs) {
            let mut text = String::new();
            while !self.rest.is_empty() {
                let length = self.rest.find('\n').map_or(self.rest.len(), |at| at + 1);
                let line = self.take(length);
                let plain = line.trim_end_matches(['\n', '\r']);
                if plain == mark || strips_tabs && plain.trim_start_matches('\t') == mark {
                    break;
                }
                text.push_str(line);
            }
            self.tokens.push(Token::Heredoc(text));
        }
    }

    fn word(&mut self) -> Word {
        let mut word = Word::default();
        while let Some(sign) = self.rest.chars().next() {
            match sign {
                ' ' | '\t' | '\n' | '\r' | ';' | '&' | '|' | '(' | ')' | '<' | '>' => break,
                '\'' => {
                    word.is_quoted = true;
                    self.take(1);
                    let end = self.rest.find('\'').unwrap_or(self.rest.len());
                    word.text.push_str(self.take(end));
                    self.take(1);
                }
                '"' => {
                    word.is_quoted = true;
                    self.take(1);
                    self.double_quoted(&mut word);
                }
                _ => self.piece(sign, &mut word),
            }
        }
        // Skip an operator found where a word should be, so as not to loop for ever.
        if word == Word::default()
            && !self.rest.is_empty()
            && !self.rest.starts_with([';', '&', '|', '(', ')', '\n', ' '])
        {
            self.take(self.rest.chars().next().map_or(1, char::len_utf8));
        }
        word
    }

    fn double_quoted(&mut self, word: &mut Word) {
        while let Some(sign) = self.rest.chars().next() {
            if sign == '"' {
                self.take(1);
                return;
            }
            self.piece(sign, word);
        }
    }

    /// Reads one character outside quotes, or inside double quotes.
    fn piece(&mut self, sign: char, word: &mut Word) {
        if sign == '\\' {
            self.take(1);
            let length = self.rest.chars().next().map_or(0, char::len_utf8);
            let escaped = self.take(length);
            if escaped != "\n" {
                word.text.push_str(escaped);
            }
        } else if let Some(inner) = self.substitution() {
            word.text.push_str("$()");
            word.substitutions.push(inner.to_owned());
        } else {
            word.text.push_str(self.take(sign.len_utf8()));
        }
    }

    /// The command line of a substitution that begins here.
    fn substitution(&mut self) -> Option<&'a str> {
        if self.is_open_ended {
            return None;
        }
        let rest = self.rest;
        let (inner, end, n_signs) = match rest.strip_prefix('`') {
            Some(inner) => (inner, inner.find('`'), 2),
            None => rest.strip_prefix("$(").map(|inner| (inner, closing(inner), 3))?,
        };
        self.is_open_ended = end.is_none();
        let end = end?;
        self.take(end + n_signs);
        Some(&inner[..end])
    }
}

/// The length of a redirection operator at the beginning of `text`, including its file descriptor.
fn redirection(text: &str) -> Option<usize> {
    let n_digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let after = &text[n_digits..];
    let operators = ["<<<", "<<-", "<<", "&>>", "&>", ">>", ">&", "<&", ">|", "<>", ">", "<"];
    let operator = operators.iter().find(|operator| after.starts_with(**operator))?;
    // `>(…)` and `<(…)` are words that run something.
    let is_process = matches!(*operator, "<" | ">") && after[1..].starts_with('(');
    (!is_process && (n_digits == 0 || !operator.starts_with('&'))).then_some(n_digits + operator.len())
}

/// The position of the bracket that closes one opened before `text`.
fn closing(text: &str) -> Option<usize> {
    let mut n_open = 1_u32;
    let mut quote = None;
    let mut signs = text.char_indices();
    while let Some((at, sign)) = signs.next() {
        match (sign, quote) {
            ('\\', None | Some('"')) => {
                signs.next();
            }
            ('\'' | '"', None) => quote = Some(sign),
            (_, Some(open)) if open == sign => quote = None,
            ('(', None) => n_open += 1,
            (')', None) => {
                n_open -= 1;
                if n_open == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(line: &str) -> Vec<String> {
        let show = |token: Token| match token {
            Token::Word(word) => word.text,
            Token::Sign(sign) => format!("[{sign}]"),
            Token::WriteTo(target) => format!("[>{target}]"),
            Token::Heredoc(text) => format!("[<<{}]", text.trim_end()),
        };
        tokens(line).into_iter().map(show).collect()
    }

    #[test]
    fn quotes_signs_and_redirections_are_told_apart() {
        assert_eq!(shown("a 'b; c' \"d && e\" 2>&1 >f;g"), ["a", "b; c", "d && e", "[>f]", "[;]", "g"]);
        assert_eq!(shown("a|b||c&d # e"), ["a", "[|]", "b", "[||]", "c", "[&]", "d"]);
        assert_eq!(shown("x=$(a; (b)) `c`"), ["x=$()", "$()"]);
    }

    #[test]
    fn a_heredoc_is_text() {
        assert_eq!(shown("cat <<'E' > f\ncargo test\nE\nls"), ["cat", "[>f]", "[;]", "[<<cargo test]", "ls"]);
    }

    #[test]
    fn broken_lines_come_to_an_end() {
        for line in ["'", "\"", "$(", "`", "<<", ">", "((((", "a <", "\\", "<<E\nx", "1>", "&>", "é'", "$(\""]
        {
            tokens(line);
        }
        assert!(tokens(&"$(".repeat(5_000)).len() <= 10_000);
    }
}
