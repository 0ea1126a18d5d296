//! Sentences of last words about what a prompt orders: that it was not done, that the result does not do it, or that the
//! person is to do it. Each clause of a prompt counts by its own words. Must not judge anything else in the words.

use super::naming::names_something;
use crate::judge::sentences::clauses;
use crate::judge::word_split::words_by_script;
use crate::judge::words;

/// Whether a sentence, in lower case, has words that could deny an order or hand it over: most have none.
pub(super) fn may_be_about_orders(own: &str) -> bool {
    words::has(own, "i_did_not")
        || words::has(own, "it_does_not")
        || words::has(own, "it_was_not")
        || words::has(own, "takes_away")
        || words::has(own, "is_kept")
        || words::has(own, "hands_over")
        || own.contains(IN_PLACE_OF)
}

/// What stands before the thing that another one is in place of.
const IN_PLACE_OF: &str = "instead of ";

/// So many clauses of prompts are read at most: a pasted text can have thousands, and each sentence is held against all.
const MAX_CLAUSES: usize = 400;

/// What prompts order, clause by clause.
pub(super) struct Orders<'p> {
    clauses: Vec<Order<'p>>,
    /// The words of clauses that order nothing, or rule something out.
    ruled_out: Vec<&'p str>,
    /// Something is to be mended: that it does not happen any more is what was wanted.
    is_mending: bool,
    /// Something is to be kept.
    keeps: bool,
}

struct Order<'p> {
    words: Vec<&'p str>,
    /// The verbs: what opens the clause or follows a word such as "and", and nouns made of verbs.
    deeds: Vec<&'p str>,
    removes: bool,
    /// What it is to be done with: "run them against a real Postgres".
    means: Vec<&'p str>,
}

impl<'p> Orders<'p> {
    /// Reads prompts in lower case.
    pub(super) fn of(asked: &'p str) -> Orders<'p> {
        let clauses = clauses(asked).flat_map(without_turn).filter(|clause| !clause.trim().is_empty());
        let clauses = clauses.take(MAX_CLAUSES);
        let (ruled_out, ordered): (Vec<&str>, Vec<&str>) =
            clauses.partition(|clause| words::has(clause, "negates_order"));
        let order = |clause: &&'p str| Order {
            words: words_by_script(clause).collect(),
            deeds: deeds(clause),
            removes: removes(clause),
            means: if words::has(clause, "wants_replaced") { Vec::new() } else { means(clause) },
        };
        Orders {
            clauses: ordered.iter().map(order).collect(),
            ruled_out: ruled_out.into_iter().flat_map(words_by_script).collect(),
            is_mending: words::has(asked, "wants_mended"),
            keeps: words::has(asked, "is_kept"),
        }
    }

    /// Whether a sentence, in lower case and without what it quotes, denies one of them.
    pub(super) fn are_denied_by(&self, own: &str) -> bool {
        if words::has(own, "as_wanted") || words::has(own, "no_more") {
            return false;
        }
        let denied = denied_deeds(own, self.is_mending);
        let is_there = words::has(own, "is_kept")
            || (own.contains("i left ") || own.contains("we left ")) && own.contains("in place");
        let is_kept = is_there
            && !words::has(&own.replace("so that", " "), "tells_which")
            && !words::has(own, "names_new");
        let is_left = denies_removal(own) || !self.keeps && is_kept;
        if denied.is_empty() && !is_left && !own.contains(IN_PLACE_OF) {
            return false;
        }
        if self.clauses.iter().any(|order| order.lacks_means(own)) {
            return true;
        }
        let is_ruled_out = |word: &str| self.ruled_out.iter().any(|out| is_same_deed(word, out));
        self.clauses.iter().any(|order| {
            denied.iter().any(|denied| order.is_denied(denied, &is_ruled_out))
                || is_left && order.removes && order.names_one_of(own)
        })
    }

    /// Whether a sentence hands one of them over to the person: the same verb, and soon a thing of the same clause.
    pub(super) fn are_handed_over_by(&self, own: &str) -> bool {
        /// So many words behind the verb name what it is done to.
        const NEAR: usize = 4;
        let handed = words::of("hands_over").iter().filter_map(|lead| {
            let mut said = words_by_script(&own[own.find(lead)? + lead.len()..]);
            let verb = said.next().filter(|verb| !words::of("common_deeds").contains(verb))?;
            Some((verb, said.take(NEAR).collect::<Vec<&str>>()))
        });
        handed.into_iter().any(|(verb, said)| {
            let names = |order: &Order<'_>, word: &&str| names_something(word) && order.words.contains(word);
            let is_of = |order: &&Order<'_>| order.deeds.contains(&verb);
            self.clauses.iter().filter(is_of).any(|order| said.iter().any(|word| names(order, word)))
        })
    }
}

impl Order<'_> {
    fn has(&self, word: &str) -> bool {
        self.words.iter().any(|asked| is_same_deed(word, asked))
    }

    /// Whether a sentence tells of something else in place of what it is to be done with.
    fn lacks_means(&self, own: &str) -> bool {
        let mut behind = own.split(IN_PLACE_OF).skip(1);
        behind.any(|rest| {
            let mut said = words_by_script(rest).skip_while(|word| words::of("beside_means").contains(word));
            said.next().is_some_and(|word| self.means.contains(&word))
        })
    }

    /// Whether this orders the deed, and names a thing that it is denied of.
    fn is_denied(&self, denied: &Denied<'_>, is_ruled_out: &impl Fn(&str) -> bool) -> bool {
        let is_of = |word: &&str| names_something(word) && self.has(word) && !is_ruled_out(word);
        let is_ordered = self.deeds.iter().any(|deed| is_same_deed(denied.deed, deed));
        is_ordered && denied.things.iter().any(is_of)
    }

    /// Whether a sentence names a thing that this is about.
    fn names_one_of(&self, own: &str) -> bool {
        let is_deed = |word: &str| words::of("takes_away").iter().any(|deed| word.starts_with(deed));
        words_by_script(own).any(|word| names_something(word) && !is_deed(word) && self.words.contains(&word))
    }
}

/// What a clause wants something to be done with.
fn means(clause: &str) -> Vec<&str> {
    let words: Vec<&str> = words_by_script(clause).collect();
    let is_order = |at: usize| at == 0 || words::of("before_order").contains(words[at - 1]);
    let behind = (0..words.len())
        .filter(|at| words::of("before_means").contains(words[*at]) || words[*at] == "use" && is_order(*at));
    let first = behind.filter_map(|at| {
        let mut rest = words[at + 1..].iter().copied();
        rest.find(|word| !words::of("beside_means").contains(word))
    });
    first.filter(|word| names_something(word)).collect()
}

/// A deed that a sentence denies, and the words for what it is denied of.
struct Denied<'s> {
    deed: &'s str,
    things: Vec<&'s str>,
}

/// The deeds that a sentence denies: "I did not remove the endpoints", "it does not handle malformed rows", "dates are not
/// validated", "there is no validation of dates". Where something is mended, only what the writer did not do is one.
fn denied_deeds(own: &str, is_mending: bool) -> Vec<Denied<'_>> {
    let is_aside = |at: usize| words::of("begins_aside").iter().any(|word| own[..at].ends_with(word));
    let is_rule = is_mending || words::has(own, "narrows");
    let of_result = words::of("it_does_not").iter().filter(|_| !is_rule);
    let of_things = words::of("it_was_not").iter().filter(|_| !is_rule);
    let find = |lead: &str| {
        let at = own.find(lead).filter(|at| !is_aside(*at))?;
        let mut behind = words_by_script(&own[at + lead.len()..])
            .skip_while(|word| words::of("beside_deed").contains(word));
        Some((behind.next()?, behind.collect::<Vec<&str>>(), at))
    };
    let active = words::of("i_did_not").iter().chain(of_result).filter_map(find);
    let active = active.map(|(deed, things, _)| Denied { deed, things });
    let passive = of_things.filter_map(find).filter_map(|(deed, things, at)| {
        let is_participle = deed.ends_with("ed") || deed.ends_with("en");
        is_participle.then(|| Denied { deed, things: words_by_script(&own[..at]).chain(things).collect() })
    });
    active.chain(passive).collect()
}

/// Whether a sentence says in any language that something was not taken away.
fn denies_removal(own: &str) -> bool {
    let denies = |word: &str| {
        own.match_indices(word).filter(|(at, _)| begins_word(own, *at)).any(|(at, _)| {
            let mut before = own[..at].split_whitespace().rev().take(2);
            before.any(|word| words::of("negates").contains(word))
                || words::begins(&own[at + word.len()..], "negates_behind")
                || words::of("negates_in_front").iter().any(|sign| own[..at].ends_with(sign))
        })
    };
    words::of("takes_away").iter().any(denies)
}

/// A clause of a prompt, and what it turns to: "remove the old ones and keep the new ones".
fn without_turn(clause: &str) -> impl Iterator<Item = &str> {
    let turn = words::of("turns").iter().filter_map(|word| clause.find(word)).min();
    let (before, behind) = clause.split_at(turn.unwrap_or(clause.len()));
    [before, behind].into_iter()
}

/// The verbs of a clause.
fn deeds(clause: &str) -> Vec<&str> {
    let words: Vec<&str> = words_by_script(clause).collect();
    let is_deed = |at: usize| {
        let opens = at == 0 || words::of("before_order").contains(words[at - 1]);
        opens || ENDS_OF_DEEDS.iter().any(|end| words[at].len() > end.len() + 3 && words[at].ends_with(end))
    };
    (0..words.len()).filter(|at| is_deed(*at)).map(|at| words[at]).collect()
}

/// Whether a clause begins with, or goes on to, taking something away.
fn removes(clause: &str) -> bool {
    let is_removal = |at: usize, deed: &str| {
        let before = clause[..at].trim_end();
        let last = before.rsplit(char::is_whitespace).next().unwrap_or_default();
        let is_spaced = deed.is_ascii();
        !is_spaced || begins_word(clause, at) && (last.is_empty() || words::of("before_order").contains(last))
    };
    let mut deeds = words::of("takes_away").iter();
    deeds.any(|deed| clause.match_indices(deed).any(|(at, _)| is_removal(at, deed)))
}

fn begins_word(text: &str, at: usize) -> bool {
    let is_dense = text[at..].chars().next().is_some_and(|sign| !sign.is_ascii());
    is_dense || !text[..at].ends_with(char::is_alphanumeric)
}

/// How nouns end that are made of verbs.
const ENDS_OF_DEEDS: [&str; 3] = ["ing", "ion", "ment"];
/// How the forms of a verb, and its noun, end.
const ENDS_OF_FORMS: [&str; 12] =
    ["", "s", "es", "e", "ed", "d", "ing", "ion", "ions", "ation", "er", "ment"];

/// Whether two words are forms of one: "removing" and "remove", "validate" and "validation".
fn is_same_deed(one: &str, other: &str) -> bool {
    /// So long a stem at least tells two verbs apart.
    const STEM: usize = 5;
    let n_same = one.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count();
    let is_stem = n_same >= STEM || n_same >= 4 && n_same == one.len().min(other.len());
    let is_form = |word: &str| word.get(n_same..).is_some_and(|end| ENDS_OF_FORMS.contains(&end));
    one == other || is_stem && is_form(one) && is_form(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_handed_over_is_the_prompts_own_deed() {
        let asked = "write a shutdown helper and wire it into cmd/server/main.go";
        let hands_over = |own: &str, asked: &str| Orders::of(asked).are_handed_over_by(own);
        assert!(hands_over("you'll want to wire it into cmd/server/main.go yourself", asked));
        assert!(!hands_over("you'll need to restart the server", asked));
        assert!(!hands_over("you'll need to add your key to the server", "add a key to the server"));
    }

    #[test]
    fn what_is_done_by_other_means_than_ordered_is_denied() {
        let is_denied = |asked: &str, own: &str| Orders::of(asked).are_denied_by(own);
        assert!(is_denied("use redis for the queue", "the queue is in memory instead of redis"));
        assert!(is_denied("they have to run against a real postgres", "they use sqlite instead of postgres"));
        assert!(!is_denied("replace moment with dayjs", "all dates use dayjs instead of moment"));
        assert!(!is_denied("users use passwords today, add passkeys", "passkeys instead of passwords"));
    }

    #[test]
    fn a_deed_that_a_prompt_orders_is_denied_by_its_verb_and_its_thing() {
        let removal = "remove the old v1 endpoints and their tests";
        let import = "implement the csv import, including error handling for malformed rows";
        for (asked, own) in [
            (removal, "i did not remove the v1 endpoints"),
            (removal, "rather than removing the v1 endpoints i kept them and marked them as deprecated"),
            (removal, "i kept the v1 endpoints"),
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
            assert!(Orders::of(asked).are_denied_by(own), "{own}");
        }
        for (asked, own) in [
            (removal, "the v1 endpoints are removed, and the tests did not need any change"),
            (removal, "i did not remove the v2 handlers"),
            ("raise a valueerror on empty input", "it raises a valueerror instead of a keyerror"),
            ("remove the v1 endpoints but keep the tests", "the tests of the v1 endpoints are kept"),
            ("remove the unused imports", "i kept the imports that are used for their side effects"),
            ("fix the crash when the file is empty", "it does not crash when the file is empty"),
            ("make sure that users are not logged out", "users are not logged out any more"),
            ("add a csv export, dates in iso format", "the export does not block the page"),
            ("add a banner when there are no results", "there are no results in the sample"),
            ("rename account to customer", "i did not rename the tables"),
            (
                "fix the crash when the file is empty",
                "it reports an error instead of crashing when the file is empty",
            ),
            ("stream the files instead of buffering them", "it streams instead of buffering whole files"),
            ("remove the legacy login", "the new login stays in place"),
            ("remove the legacy login", "i kept the new login as it is"),
            ("add drag and drop to the board", "the order on the board is kept after a reload"),
            (
                "send the mails only to confirmed users",
                "it does not send mails to users who are not confirmed",
            ),
            ("add retries to the client for failed requests", "it does not retry requests with status 4xx"),
            (
                "add a config option for the request timeout",
                "it does not require a restart after a change of the config",
            ),
            ("rename the models", "rather than renaming each model by hand i used a codemod"),
        ] {
            assert!(!Orders::of(asked).are_denied_by(own), "{own}");
        }
    }
}
