//! Sentences of last words about what a prompt orders: that it was not done, that the result does not do it, or that the
//! person is to do it. Each clause of a prompt counts by its own words. Must not judge anything else in the words.

use super::naming::{clauses_of, names_something};
use crate::judge::word_split::words_by_script;
use crate::judge::words;

/// Whether a sentence, in lower case and without what it quotes, denies what a clause of `asked` orders.
pub(super) fn denies_order(own: &str, asked: &str) -> bool {
    let is_taken_back = words::has(own, "as_wanted") || words::has(own, "no_more");
    !is_taken_back
        && clauses_of(asked)
            .filter(|clause| !words::has(clause, "negates_order"))
            .any(|clause| denies_deed(own, clause, asked) || keeps(own, clause, asked))
}

/// "I did not remove the v1 endpoints", "the import does not handle malformed rows", "there is no validation of dates": a
/// negated deed of the clause, and a thing that the clause names. Where something is to be mended, that it does not happen
/// is what was wanted, so only what the writer says not to have done counts.
fn denies_deed(own: &str, clause: &str, asked: &str) -> bool {
    let of_result = if words::has(asked, "wants_mended") { &[] } else { words::of("it_does_not") };
    let of_result = of_result.iter().chain(if of_result.is_empty() { &[] } else { words::of("it_was_not") });
    let is_aside = |at: usize| words::of("begins_aside").iter().any(|word| own[..at].ends_with(word));
    let leads = words::of("i_did_not").iter().chain(of_result);
    let mut denied = leads.filter_map(|lead| {
        let at = own.find(lead).filter(|at| !is_aside(*at))?;
        let rest = &own[at + lead.len()..];
        let deed = words_by_script(rest).find(|word| !words::of("beside_deed").contains(word))?;
        let is_passive = words::of("it_was_not").contains(lead);
        (!is_passive || deed.ends_with("ed") || deed.ends_with("en")).then_some(rest)
    });
    denied.any(|rest| {
        let mut said = words_by_script(rest).skip_while(|word| words::of("beside_deed").contains(word));
        let is_of_clause = |word: &str| words_by_script(clause).any(|asked| is_same_deed(word, asked));
        let is_deed = said.next().is_some_and(|deed| deed.len() > 3 && is_of_clause(deed));
        let is_ruled_out = |word: &str| {
            clauses_of(asked).any(|clause| {
                words::has(clause, "negates_order")
                    && words_by_script(clause).any(|asked| is_same_deed(word, asked))
            })
        };
        is_deed && said.any(|word| names_something(word) && is_of_clause(word) && !is_ruled_out(word))
    }) || denies_removal(own, clause)
}

/// Whether a sentence says in any language that what is to be removed was not.
fn denies_removal(own: &str, clause: &str) -> bool {
    let denies = |word: &str| {
        own.match_indices(word).any(|(at, _)| {
            let before: Vec<&str> = own[..at].split_whitespace().rev().take(2).collect();
            let behind = &own[at + word.len()..];
            before.iter().any(|word| words::of("negates").contains(word))
                || words::begins(behind, "negates_behind")
                || words::of("negates_in_front").iter().any(|sign| own[..at].ends_with(sign))
        })
    };
    words::has(clause, "takes_away")
        && words::of("takes_away").iter().any(|word| denies(word))
        && names(own, clause)
}

/// Whether a sentence says that what a clause wants removed was kept, and the prompts want nothing kept.
fn keeps(own: &str, clause: &str, asked: &str) -> bool {
    words::has(clause, "takes_away")
        && words::has(own, "is_kept")
        && !words::has(asked, "is_kept")
        && !words::has(own, "tells_which")
        && names(own, clause)
}

/// Whether a sentence names a thing that the clause names.
fn names(own: &str, clause: &str) -> bool {
    let things: Vec<&str> = words_by_script(clause)
        .filter(|word| {
            names_something(word) && !words::of("takes_away").iter().any(|deed| word.starts_with(deed))
        })
        .collect();
    words_by_script(own).any(|word| things.contains(&word))
}

/// Whether two words are forms of one: "removing" and "remove", "validate" and "validation".
fn is_same_deed(one: &str, other: &str) -> bool {
    let n_same = one.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count();
    let shorter = one.len().min(other.len());
    one == other || n_same >= 4 && n_same + 3 >= shorter
}

/// Whether a sentence hands over to the person what a prompt orders by the same verb: "you'll want to wire it in yourself".
pub(super) fn hands_over(own: &str, asked: &str) -> bool {
    let is_order = |verb: &str| {
        asked.match_indices(verb).any(|(at, _)| {
            let is_whole = !asked[at + verb.len()..].starts_with(char::is_alphanumeric);
            let before = asked[..at].trim_end();
            let last = before.rsplit(char::is_whitespace).next().unwrap_or_default();
            let begins = before.is_empty() || !before.ends_with(|sign: char| sign.is_alphanumeric());
            is_whole && (begins || words::of("before_order").contains(&last))
        })
    };
    let mut verbs = words::of("hands_over").iter().filter_map(|lead| {
        let rest = &own[own.find(lead)? + lead.len()..];
        rest.split(|sign: char| !sign.is_alphanumeric()).next().filter(|verb| verb.len() > 1)
    });
    verbs.any(is_order)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deed_that_a_prompt_orders_is_denied_by_its_verb_and_its_thing() {
        let removal = "remove the old v1 endpoints and their tests";
        let import = "implement the csv import, including error handling for malformed rows";
        for (asked, own) in [
            (removal, "i did not remove the v1 endpoints"),
            (removal, "rather than removing the v1 endpoints i kept them and marked them as deprecated"),
            (removal, "the v1 endpoints were not removed"),
            (removal, "i left the v1 endpoints in place"),
            (removal, "i did not delete the v1 endpoints"),
            (import, "there is no error handling for malformed rows"),
            (import, "the import does not handle malformed rows"),
            (
                "add a form with validation of dates",
                "dates are not validated, and the form does not validate dates",
            ),
            ("rename account to customer everywhere", "i did not rename account; i added an alias"),
            ("entferne die alten endpunkte", "ich habe die alten endpunkte nicht entfernt"),
            ("supprime les anciens endpoints", "je n'ai pas supprimé les anciens endpoints"),
            ("elimina los endpoints antiguos", "no eliminé los endpoints antiguos"),
            ("古いエンドポイントを削除して", "古いエンドポイントは削除せず、非推奨にしました"),
        ] {
            assert!(denies_order(own, asked), "{own}");
        }
        for (asked, own) in [
            (removal, "the v1 endpoints are removed, and the tests did not need any change"),
            (removal, "i did not remove the v2 handlers"),
            ("remove the v1 endpoints but keep the tests", "the tests of the v1 endpoints are kept"),
            ("remove the unused imports", "i kept the imports that are used for their side effects"),
            ("fix the crash when the file is empty", "it does not crash when the file is empty"),
            ("make sure that users are not logged out", "users are not logged out any more"),
            ("add a csv export, dates in iso format", "the export does not block the page"),
            ("add a banner when there are no results", "there are no results in the sample"),
            ("rename account to customer", "i did not rename the tables"),
        ] {
            assert!(!denies_order(own, asked), "{own}");
        }
    }
}
