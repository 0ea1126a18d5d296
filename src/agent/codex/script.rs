//! Reads JavaScript programs. Newer models call tools from a program they write (the free-form tool
//! `exec`), so only its source says what they do. Literal values are read; values the program computes are
//! unknown. Pure, and total: every text has a result.

use std::iter::Peekable;
use std::str::Chars;

#[derive(Debug, PartialEq, Eq)]
enum Token {
    /// A string literal; `None` if a part of it is computed.
    Text(Option<String>),
    Word(String),
    Sign(char),
}

struct Tokens<'a>(Peekable<Chars<'a>>);

impl Iterator for Tokens<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        loop {
            let first = self.0.next()?;
            return Some(match first {
                '"' | '\'' | '`' => Token::Text(self.literal(first)),
                '/' if self.0.peek() == Some(&'/') => {
                    self.0.by_ref().find(|sign| *sign == '\n');
                    continue;
                }
                _ if first.is_alphanumeric() || first == '_' || first == '$' => {
                    let mut word = String::from(first);
                    while let Some(more) =
                        self.0.next_if(|sign| sign.is_alphanumeric() || matches!(sign, '_' | '$'))
                    {
                        word.push(more);
                    }
                    Token::Word(word)
                }
                _ if first.is_whitespace() => continue,
                _ => Token::Sign(first),
            });
        }
    }
}

impl Tokens<'_> {
    /// The rest of a literal after its opening quote.
    fn literal(&mut self, quote: char) -> Option<String> {
        let mut text = Some(String::new());
        while let Some(sign) = self.0.next() {
            let sign = match sign {
                _ if sign == quote => break,
                '\\' => match self.0.next() {
                    Some('n') => '\n',
                    Some('t') => '\t',
                    Some('\n') => continue,
                    // Numeric escapes are rare in the text of a step, and count as computed.
                    Some('u' | 'x') => {
                        text = None;
                        continue;
                    }
                    Some(other) => other,
                    None => break,
                },
                '$' if quote == '`' && self.0.peek() == Some(&'{') => {
                    text = None;
                    continue;
                }
                other => other,
            };
            if let Some(text) = &mut text {
                text.push(sign);
            }
        }
        text
    }
}

/// The first literal value of `key` in an object.
pub(super) fn first_value(program: &str, key: &str) -> Option<String> {
    let mut tokens = Tokens(program.chars().peekable()).peekable();
    while let Some(token) = tokens.next() {
        if is_key(&token, key) && tokens.next_if_eq(&Token::Sign(':')).is_some() {
            return match tokens.next()? {
                Token::Text(text) => text,
                Token::Word(_) | Token::Sign(_) => None,
            };
        }
    }
    None
}

/// The steps of the last plan that is written as a literal, each with its status. `None` if there is none,
/// or a part of it is computed.
pub(super) fn plan_steps(program: &str) -> Option<Vec<(String, String)>> {
    let at = program.rfind("update_plan")?;
    let mut tokens = Tokens(program[at..].chars().peekable()).peekable();
    tokens.next();
    tokens.next_if_eq(&Token::Sign('('))?;
    let mut n_open = 1_u32;
    let mut steps = Vec::new();
    let (mut step, mut status) = (None, None);
    while let Some(token) = tokens.next() {
        match &token {
            Token::Sign('(' | '[') => n_open += 1,
            Token::Sign('{') => {
                n_open += 1;
                (step, status) = (None, None);
            }
            Token::Sign('}') => {
                n_open -= 1;
                if let (Some(step), Some(status)) = (step.take(), status.take()) {
                    steps.push((step, status));
                }
            }
            Token::Sign(')' | ']') => n_open -= 1,
            Token::Sign(_) => {}
            key @ (Token::Text(_) | Token::Word(_)) => {
                let is_step = is_key(key, "step");
                let is_used = is_step || is_key(key, "status");
                if is_used && tokens.next_if_eq(&Token::Sign(':')).is_some() {
                    let Some(Token::Text(Some(text))) = tokens.next() else { return None };
                    if is_step { step = Some(text) } else { status = Some(text) }
                }
            }
        }
        if n_open == 0 {
            return (!steps.is_empty()).then_some(steps);
        }
    }
    None
}

fn is_key(token: &Token, key: &str) -> bool {
    match token {
        Token::Word(word) | Token::Text(Some(word)) => word == key,
        Token::Text(None) | Token::Sign(_) => false,
    }
}
