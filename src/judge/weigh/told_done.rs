//! Whether last words say that what a prompt asks for is so, in the prompt's own verb: "align the icons" and "the icons
//! are aligned". Must not look for what is unfinished.

use super::naming::names_something;
use crate::judge::word_split::words_in;
use crate::judge::{joined, words};

/// The fewest signs that a verb has without its ending.
const STEM: usize = 3;
/// So many words at most stand between a word that says that something is so and what it tells.
const NEAR: usize = 4;

/// Whether a sentence of the text says so.
pub(super) fn tells_done(text: &str, prompts: &[String]) -> bool {
    let asked = prompts.join("\n").to_lowercase();
    let named: Vec<&str> = words_in(&asked, &['\'']).filter(|word| names_something(word)).collect();
    let lower = text.to_lowercase();
    let lines = lower.split_inclusive(['\n', '!', '?', ';', '。']);
    let mut sentences = lines.flat_map(|part| part.split_inclusive(". "));
    sentences.any(|sentence| {
        !sentence.trim_end().ends_with('?')
            && (sentence.split([',', ':', '(']).any(|clause| is_told(clause, &named))
                || is_told_joined(sentence, &asked))
    })
}

/// Whether a clause says that something is as one of these words of a prompt has it.
fn is_told(clause: &str, named: &[&str]) -> bool {
    let said: Vec<&str> = words_in(clause, &['\'']).collect();
    let denies = |word: &&str| word.ends_with("n't") || words::of("says_it_is_not").contains(word);
    !said.iter().any(denies)
        && (0..said.len()).any(|at| {
            let before = &said[at.saturating_sub(NEAR)..at];
            let is_so = is_said_of(before);
            // "Ich habe die Symbole ausgerichtet": in some languages what was done stands at the end.
            let is_done = is_so || at == 0 || before.iter().any(|word| words::of("did_it").contains(word));
            is_so && named.contains(&said[at])
                || is_done && named.iter().any(|word| stems(word).any(|stem| is_participle(said[at], stem)))
        })
}

/// Whether the last of these words say that something is what follows: "is", "have all been".
fn is_said_of(before: &[&str]) -> bool {
    let is_so = |word: &&&str| words::of("says_it_is").contains(word);
    let mut back =
        before.iter().rev().skip_while(|word| !is_so(word) && words::of("beside_is").contains(word));
    back.next().is_some_and(|word| is_so(&word))
}

/// Whether a word is the participle of a verb with this stem: it adds an ending, doubles the last sign before one, or has
/// "ge" before the stem or behind a prefix.
fn is_participle(word: &str, stem: &str) -> bool {
    let is_ending = |rest: &str| {
        let doubled = stem.chars().next_back().and_then(|last| rest.strip_prefix(last));
        let is_known = |rest: &str| words::of("ends_participle").contains(rest);
        is_known(rest) || doubled.is_some_and(is_known)
    };
    let of_stem = |word: &str| word.strip_prefix(stem).is_some_and(is_ending);
    let behind_ge =
        |word: &str| word.match_indices("ge").any(|(at, ge)| at <= NEAR && of_stem(&word[at + ge.len()..]));
    of_stem(word) || behind_ge(word)
}

/// A word of a prompt, and what is left of it without each ending that an order may have.
fn stems(word: &str) -> impl Iterator<Item = &str> {
    let without = words::of("ends_order_verb").iter().filter_map(move |end| word.strip_suffix(end));
    std::iter::once(word).chain(without).filter(|stem| stem.chars().count() >= STEM)
}

/// Whether a sentence says, in a script without blanks, that what a word of the prompts names was done.
fn is_told_joined(sentence: &str, asked: &str) -> bool {
    let places: Vec<(usize, char)> = asked.char_indices().collect();
    let pairs = places.windows(2).filter(|pair| pair.iter().all(|(_, sign)| is_noun(*sign)));
    let mut pairs = pairs.map(|pair| &asked[pair[0].0..pair[1].0 + pair[1].1.len_utf8()]);
    pairs.any(|pair| {
        sentence.match_indices(pair).any(|(at, pair)| {
            let (before, after) = (&sentence[..at], &sentence[at + pair.len()..]);
            words::begins(after, "done_behind")
                || words::of("done_before").iter().any(|word| before.ends_with(word))
        })
    })
}

/// Whether a sign is of a verb's own part: no ending and no particle.
fn is_noun(sign: char) -> bool {
    joined::is_joined(sign) && !matches!(sign, '\u{3040}'..='\u{309f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_in_the_prompts_verb_says_that_it_is_done() {
        for (prompt, text) in [
            ("Align the icons in the toolbar.", "The icons are aligned on the baseline."),
            ("Align the icons in the toolbar.", "I've aligned the icons."),
            ("Sort the imports.", "All imports are now sorted."),
            ("Shorten the error messages.", "I shortened the messages."),
            ("Center the logo.", "The logo is centered."),
            ("Deduplicate the addresses.", "The list has been deduplicated."),
            ("Simplify the parser.", "The parser is simplified."),
            ("Trim the names.", "Trimmed all names."),
            ("Make the header sticky.", "The header is sticky now."),
            ("Sortiere die Importe.", "Die Importe sind sortiert."),
            ("Richte die Symbole aus.", "Die Symbole sind ausgerichtet."),
            ("Kürze die Meldungen.", "Ich habe die Meldungen gekürzt."),
            ("Aligne les icônes.", "Les icônes sont alignées."),
            ("Trie les imports.", "J'ai trié les imports."),
            ("Ordena los imports.", "Los imports están ordenados."),
            ("Alinhe os ícones.", "Os ícones estão alinhados."),
            ("アイコンを整列して。", "アイコンを整列しました。"),
            ("对齐图标。", "图标已对齐。"),
            ("아이콘을 정렬해줘.", "아이콘을 정렬했습니다."),
        ] {
            assert!(tells_done(text, &[prompt.to_owned()]), "{prompt} {text}");
        }
        for (prompt, text) in [
            ("Align the icons in the toolbar.", "The icons should be aligned."),
            ("Align the icons in the toolbar.", "The icons are not aligned."),
            ("Align the icons in the toolbar.", "The icons will be aligned next."),
            ("Align the icons in the toolbar.", "Are the icons aligned?"),
            ("Align the icons in the toolbar.", "The toolbar is in bar.css."),
            ("Align the icons in the toolbar.", "I looked at the icons."),
            ("Sortiere die Importe.", "Die Importe sind noch nicht sortiert."),
            ("对齐图标。", "我来对齐图标。"),
        ] {
            assert!(!tells_done(text, &[prompt.to_owned()]), "{prompt} {text}");
        }
    }
}
