//! How a text falls into words. Must not know what a word means.

/// The words of a text: runs of letters, digits and the signs in `inner`.
pub(super) fn words_in<'t>(text: &'t str, inner: &'static [char]) -> impl Iterator<Item = &'t str> {
    let is_between = |sign: char| !sign.is_alphanumeric() && !inner.contains(&sign);
    text.split(is_between).filter(|word| !word.is_empty())
}

/// How a script separates its words.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Script {
    /// With spaces.
    Spaced,
    /// Only by a change of script.
    Han,
    Katakana,
    /// Endings and particles, which name nothing.
    Hiragana,
}

fn script(sign: char) -> Script {
    match sign {
        '\u{3040}'..='\u{309f}' => Script::Hiragana,
        '\u{30a0}'..='\u{30ff}' => Script::Katakana,
        '\u{3400}'..='\u{9fff}' => Script::Han,
        _ => Script::Spaced,
    }
}

/// Whether a word is of a script that separates its words with spaces.
pub(super) fn is_spaced(word: &str) -> bool {
    word.chars().next().is_none_or(|sign| script(sign) == Script::Spaced)
}

/// The words of a text, also where only a change of script separates them.
pub(super) fn words_by_script(text: &str) -> impl Iterator<Item = &str> {
    let runs = text.split(|c: char| !c.is_alphanumeric() && c != 'ー').flat_map(|run| {
        let mut begin = 0;
        let signs = run.char_indices().zip(run.chars().skip(1));
        let ends: Vec<usize> = signs
            .filter(|((_, sign), next)| script(*sign) != script(*next))
            .map(|((at, sign), _)| at + sign.len_utf8())
            .chain([run.len()])
            .collect();
        ends.into_iter().filter_map(move |end| {
            let word = run.get(begin..end);
            begin = end;
            word
        })
    });
    runs.filter(|word| word.chars().next().is_some_and(|sign| script(sign) != Script::Hiragana))
}
