//! Texts cut into sentences and clauses by their signs alone. Must not know what they say, nor the structure of Markdown:
//! `questions/document.rs` reads that.

/// Signs that end a sentence.
pub(in crate::judge) const SENTENCE_ENDS: &[char] = &['.', '!', '?', ';', '\n', '。', '！', '？', '；'];
/// Signs that end a clause within a sentence.
const CLAUSE_ENDS: &[char] = &[',', ':', '、', '，', '：'];
/// Signs that may stand between the sign that ends a sentence and the blank behind it: `**Done.** The rest …`.
const CLOSERS: &[char] = &['*', '_', '`', '"', '\'', ')', ']', '”', '’'];

/// The sentences of a text, each with what ends it.
pub(in crate::judge) fn sentences(text: &str) -> impl Iterator<Item = &str> {
    parts(text, SENTENCE_ENDS)
}

/// The clauses of a text, each with what ends it.
pub(in crate::judge) fn clauses(text: &str) -> impl Iterator<Item = &str> {
    sentences(text).flat_map(|sentence| parts(sentence, CLAUSE_ENDS))
}

/// A sentence or clause without the blanks around it and the signs that end it.
pub(in crate::judge) fn bare(part: &str) -> &str {
    let is_end =
        |sign: char| sign.is_whitespace() || SENTENCE_ENDS.contains(&sign) || CLAUSE_ENDS.contains(&sign);
    part.trim_start().trim_end_matches(is_end)
}

/// The parts of a text that `ends` end. ASCII signs end one only before a blank, since they stand in names and numbers.
fn parts<'t>(text: &'t str, ends: &'static [char]) -> impl Iterator<Item = &'t str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let end = |(at, sign): (usize, char)| {
            let behind = &rest[at + sign.len_utf8()..];
            ends.contains(&sign)
                .then(|| closers(sign, behind))
                .flatten()
                .map(|length| at + sign.len_utf8() + length)
        };
        let end = rest.char_indices().find_map(end).unwrap_or(rest.len());
        let (part, next) = rest.split_at(end);
        rest = next;
        (!part.is_empty()).then_some(part)
    })
}

/// How many bytes behind a sign belong to its sentence still; `None` if it ends none.
fn closers(sign: char, behind: &str) -> Option<usize> {
    if !sign.is_ascii_punctuation() {
        return Some(0);
    }
    let next = behind.trim_start_matches(CLOSERS);
    next.chars().next().is_none_or(char::is_whitespace).then(|| behind.len() - next.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_end_at_signs_before_a_blank() {
        let text = "Use v1.2 of `a.rs`. **Done.** The rest (all of it!) waits\nSee x?y=1; 完了。次";
        let found: Vec<&str> = sentences(text).map(bare).collect();
        let expected =
            ["Use v1.2 of `a.rs`", "**Done.**", "The rest (all of it!)", "waits", "See x?y=1", "完了", "次"];
        assert_eq!(found, expected);
        assert_eq!(sentences(text).collect::<String>(), text);
    }

    #[test]
    fn clauses_end_at_commas_and_colons_too() {
        let text = "At 10:30, with 1,000 rows: none、次，そして";
        let found: Vec<&str> = clauses(text).map(bare).collect();
        assert_eq!(found, ["At 10:30", "with 1,000 rows", "none", "次", "そして"]);
        assert_eq!(clauses(text).collect::<String>(), text);
    }
}
