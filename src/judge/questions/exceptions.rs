//! What a sentence leaves open in words that a list of phrases cannot hold: an exception to what passes ("all but two
//! tests pass"), and code that only throws ("it raises `NotImplementedError`"). Must not know what a sentence is for.

use crate::judge::word_split::words_in;
use crate::judge::{joined, words};
use crate::model::TextList;

/// In scripts without blanks, a number stands at most this many signs from the word that makes an exception.
const NEAR: usize = 8;
/// So many words behind a number tell what it counts.
const NOUN: usize = 4;
/// So many bytes at most lie between a word that throws and what is thrown.
const THROW: usize = 60;

/// Whether the sentence says that tests pass, but for some that it counts.
pub(super) fn excepts_some(said: &str) -> bool {
    let lower = said.to_lowercase();
    if words::has(&lower, "is_agreed") {
        return false;
    }
    if lower.chars().any(joined::is_joined) {
        return words::has(&lower, "passing_joined") && counts_joined(&lower);
    }
    if !tokens(&lower).any(is_passing) {
        return false;
    }
    let excepts = |words: TextList, is_exception: fn(&str, &str) -> bool| {
        words.iter().any(|word| {
            let found = lower.match_indices(word).map(|(at, _)| (&lower[..at], &lower[at + word.len()..]));
            found
                .filter(|(before, rest)| is_whole(before, rest))
                .any(|(before, rest)| is_exception(before, rest) && excepts_tests(rest))
        })
    };
    excepts(words::of("excepts_from_all"), |_, _| true)
        || excepts(words::of("excepts_beside"), stands_beside)
        || counts_exceptions(&lower)
}

/// Whether the sentence says that code throws that it is not implemented. What was so, is of an abstract class, or is
/// thrown at what nobody supports, is no admission.
pub(super) fn throws_unimplemented(said: &str) -> bool {
    let lower = said.to_lowercase();
    if words::has(&lower, "throws_rightly") {
        return false;
    }
    words::of("unimplemented").iter().flat_map(|name| lower.match_indices(name)).any(|(at, name)| {
        let from = lower.floor_char_boundary(at.saturating_sub(THROW));
        let to = lower.ceil_char_boundary(lower.len().min(at + name.len() + NEAR * 3));
        tokens(&lower[from..at]).any(|word| words::of("throws").contains(word))
            || words::has(&lower[from..to], "throws_joined")
    })
}

fn tokens(text: &str) -> impl Iterator<Item = &str> {
    words_in(text, &['_'])
}

fn is_passing(word: &str) -> bool {
    words::of("passing").contains(word)
}

fn is_test(word: &str) -> bool {
    words::of("counted_tests").iter().any(|test| word.starts_with(test))
}

/// Whether what stands between these parts is no part of a longer word.
fn is_whole(before: &str, rest: &str) -> bool {
    let is_letter = |sign: Option<char>| sign.is_some_and(|sign| sign.is_alphanumeric() || sign == '-');
    !is_letter(before.chars().next_back()) && !is_letter(rest.chars().next())
}

/// Whether a word that has other meanings makes an exception of what passes: "green bar two", "all tests but two pass".
fn stands_beside(before: &str, rest: &str) -> bool {
    let is_end = tokens(rest).nth(1).is_none();
    let last = tokens(before).last();
    last.is_some_and(is_test) && (is_end || tokens(clause(rest)).any(is_passing))
        || last.is_some_and(is_passing)
            && (is_end || tokens(rest).take(NOUN).any(is_test) || ends_with_ones(clause(rest)))
}

/// Whether what is counted is some of what was named: "the two slow ones".
fn ends_with_ones(rest: &str) -> bool {
    tokens(rest).take(NOUN).last() == Some("ones")
}

/// Whether exceptions are counted by that name: "with two exceptions".
fn counts_exceptions(lower: &str) -> bool {
    let tokens: Vec<&str> = tokens(lower).collect();
    tokens.windows(3).any(|three| {
        words::of("goes_with").contains(three[0])
            && is_count(three[1])
            && words::of("names_exception").contains(three[2])
    })
}

fn is_count(word: &str) -> bool {
    let is_number =
        || word.bytes().all(|byte| byte.is_ascii_digit()) && !word.trim_start_matches('0').is_empty();
    words::of("counts_some").contains(word) || is_number()
}

/// Whether behind a word that makes an exception some tests are counted.
fn excepts_tests(rest: &str) -> bool {
    let rest = clause(rest);
    let mut words = tokens(rest).skip_while(|word| words::of("before_count").contains(word)).peekable();
    if !words.next().is_some_and(is_count) {
        return false;
    }
    let goes_on = |word: &&str| is_passing(word) || words::of("behind_count").contains(word);
    words.peek().is_none_or(goes_on) || words.take(NOUN).any(is_test) || ends_with_ones(rest)
}

/// The words up to the sign that ends their clause.
fn clause(text: &str) -> &str {
    text.split([',', ';', ':', '(', '–', '—']).next().unwrap_or_default()
}

/// Whether a number stands beside a word that makes an exception, in scripts without blanks.
fn counts_joined(lower: &str) -> bool {
    words::of("excepts_joined").iter().flat_map(|word| lower.match_indices(word)).any(|(at, word)| {
        let before = lower[..at].chars().rev().take(NEAR);
        let after = lower[at + word.len()..].chars().take(NEAR);
        let numbers = words::of("numbers_joined");
        let is_number =
            |sign: char| sign.is_ascii_digit() || numbers.iter().any(|number| number.starts_with(sign));
        before.chain(after).any(is_number)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exception_from_what_passes_is_told_by_its_count() {
        for open in [
            "All but two tests pass.",
            "All but 2 of the tests pass now.",
            "All tests but two pass.",
            "Tests are green bar two.",
            "Barring two DST cases, the suite passes.",
            "pytest is green bar two cases in test_dst.py, which trip over the new offsets.",
            "Apart from one snapshot test, everything passes.",
            "The suite passes, minus two DST cases.",
            "All tests pass save one.",
            "With two exceptions, the tests pass.",
            "The tests all pass bar the two slow ones.",
            "Tous les tests passent, à deux près.",
            "Bis auf zwei Tests ist alles grün.",
            "Alle Tests außer zweien laufen durch.",
            "Tous les tests passent sauf deux.",
            "Todos los tests menos dos pasan.",
            "Os testes passam, exceto dois.",
            "2件以外のテストはすべて通っています。",
            "除两个用例外，测试全部通过。",
            "테스트는 두 개만 빼고 모두 통과합니다.",
        ] {
            assert!(excepts_some(open), "{open}");
        }
        for whole in [
            "All tests pass.",
            "All tests pass, but one is slow.",
            "All tests pass but two of them now need Node 20.",
            "All tests pass except for the two that you told me to skip.",
            "Everything is green, and all but one warning is gone.",
            "Apart from one new dependency nothing changed, and all tests pass.",
            "All but one of the old helpers are gone, and the tests pass.",
            "We save two requests, and the tests pass.",
            "The bar is green now, and no less than two tests pass through it.",
            "All tests pass; besides, two of them are faster.",
            "Alle Tests sind grün, außer dass einer länger dauert.",
            "テストはすべて通っています。",
        ] {
            assert!(!excepts_some(whole), "{whole}");
        }
    }

    #[test]
    fn code_that_only_throws_is_not_implemented() {
        for open in [
            "I have left the branch for old orders raising `NotImplementedError`.",
            "Refunds of old orders throw 'not implemented'.",
            "`export()` panics with `todo!()` for XLSX.",
            "Alte Bestellungen werfen NotImplementedError.",
            "Les vieilles commandes lèvent NotImplementedError.",
            "旧订单的分支抛出 NotImplementedError。",
            "古い注文の分岐は NotImplementedError を投げます。",
            "오래된 주문은 NotImplementedError를 던집니다.",
        ] {
            assert!(throws_unimplemented(open), "{open}");
        }
        for whole in [
            "The base class raises NotImplementedError so that subclasses must override it.",
            "Exporting no longer throws 'not implemented'.",
            "Unsupported currencies raise a NotImplementedError.",
            "I replaced the NotImplementedError.",
            "It fixed the NotImplementedError that old orders raised.",
        ] {
            assert!(!throws_unimplemented(whole), "{whole}");
        }
    }
}
