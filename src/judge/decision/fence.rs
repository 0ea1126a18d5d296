//! Rule 3: the contents of the fenced blocks of a text.
//!
//! Must not nest without a limit.

/// How many levels of fences around fences are searched.
const MAX_NESTING: usize = 4;

/// The contents of all fenced blocks in `text`. If a block contains only fences, those inside it count instead.
pub(super) fn blocks(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    collect(text, MAX_NESTING, &mut found);
    found
}

fn collect<'a>(text: &'a str, nesting: usize, found: &mut Vec<&'a str>) {
    let mut open: Option<(Fence, usize)> = None;
    let mut position = 0;
    for line in text.split_inclusive('\n') {
        let start = position;
        position += line.len();
        match open {
            None => match Fence::of(line) {
                Some(fence) => open = Some((fence, position)),
                None => found.extend(inline(line)),
            },
            Some((fence, from)) => {
                if fence.is_closed_by(line) {
                    push(text.get(from..start), nesting, found);
                    open = None;
                }
            }
        }
    }
    // An unclosed fence runs to the end of the text.
    if let Some((_, from)) = open {
        push(text.get(from..), nesting, found);
    }
}

fn push<'a>(content: Option<&'a str>, nesting: usize, found: &mut Vec<&'a str>) {
    let content = content.unwrap_or_default().trim();
    if nesting > 0 && content.lines().next().is_some_and(|line| Fence::of(line).is_some()) {
        collect(content, nesting - 1, found);
    } else {
        found.push(content);
    }
}

/// A block on one line: three backticks on either side, possibly with a language.
fn inline(line: &str) -> Option<&str> {
    let inner = line.trim().strip_prefix("```")?.strip_suffix("```")?;
    Some(inner.trim_start_matches(|c: char| c.is_ascii_alphanumeric()).trim())
}

/// The opening line of a fence.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fence {
    mark: char,
    length: usize,
}

impl Fence {
    pub(super) fn of(line: &str) -> Option<Self> {
        let line = line.trim();
        let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
        let info = line.trim_start_matches(mark);
        let length = line.len() - info.len();
        // A backtick after the fence makes it inline code (CommonMark).
        (length >= 3 && !(mark == '`' && info.contains('`'))).then_some(Self { mark, length })
    }

    pub(super) fn is_closed_by(self, line: &str) -> bool {
        let line = line.trim();
        line.len() >= self.length && line.chars().all(|c| c == self.mark)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_every_form_are_found() {
        let cases: [(&str, &[&str]); 9] = [
            ("a\n```json\n{}\n```\nb", &["{}"]),
            ("~~~\n{}\n~~~", &["{}"]),
            ("```\n1\n```\n```\n2\n```", &["1", "2"]),
            ("```json\n{}", &["{}"]),
            ("````md\n```json\n{}\n```\n````", &["{}"]),
            ("````\ntext\n```\n{}\n```\n````", &["text\n```\n{}\n```"]),
            ("  ```json\r\n  {}\r\n  ```\r\n", &["{}"]),
            ("```json {} ```", &["{}"]),
            ("no fence, ``code``", &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(blocks(text), expected, "{text}");
        }
    }
}
