//! The words of a prompt as names that may stand in it. Both rooms that look for files in prompts read them by this, so that
//! the one finds what the other judges. Must not decide what a word names.

/// Signs beside a name that are no part of it.
const SIGNS: [char; 10] = ['"', '\'', '`', '(', ')', ',', ';', ':', '!', '?'];

/// The words of a text without the signs around them and the full stop of a sentence.
pub fn bare_words(text: &str) -> impl Iterator<Item = &str> {
    let is_sign = |sign: char| SIGNS.contains(&sign);
    text.split_whitespace().map(move |word| {
        word.trim_start_matches(is_sign).trim_end_matches(|sign| is_sign(sign) || sign == '.')
    })
}

#[cfg(test)]
mod tests {
    use super::bare_words;

    #[test]
    fn a_name_has_no_signs_around_it() {
        let words: Vec<&str> = bare_words("Write `.env.local` (and ~/.config/a.toml).").collect();
        assert_eq!(words, ["Write", ".env.local", "and", "~/.config/a.toml"]);
    }
}
