//! Whether last words postpone a part of what was asked for (DESIGN.md 2.2: "deferring what a prompt names
//! is" an admission). A follow-up that the prompt agreed to, or one about something else, does not count.
//! Must not judge anything else in the words.

use std::ops::{Range, RangeInclusive};

use super::naming::{names_same, names_something};
use super::ordered::{Orders, may_be_about_orders};
use super::texts::TextRead;
use crate::judge::questions::{Finding, Kind};
use crate::judge::sentences::{bare, clauses, sentences};
use crate::judge::word_split::words_by_script;
use crate::judge::{questions, runs, words};
use crate::model::QuestionWeight;

/// What a person declined of what words ask or offer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Declined {
    Not,
    /// An offer: the answer to a question was only put off.
    Offer,
    All,
}

impl Declined {
    /// What is declined by what a person said since.
    pub(super) fn of<'p>(said: impl Iterator<Item = &'p str>) -> Declined {
        let said: Vec<String> = said.map(str::to_lowercase).collect();
        let says = |group| said.iter().any(|said| words::has(said, group));
        match (says("declines"), says("puts_answer_off")) {
            (true, _) => Declined::All,
            (false, true) => Declined::Offer,
            (false, false) => Declined::Not,
        }
    }

    pub(super) fn covers(self, weight: QuestionWeight) -> bool {
        self == Declined::All || self == Declined::Offer && weight == QuestionWeight::Offer
    }
}

/// The first sentence that postpones something that `prompts` name and no other sentence mentions, or makes an exception of
/// what they want all of. What it quotes may name something, and postpones nothing. A sentence within one of `admitted`,
/// in lower case, says for certain that something is not there; what it names may still be no matter of the prompts.
pub(super) fn deferral<'t>(text: &'t str, prompts: &[&str], admitted: &[String]) -> Option<&'t str> {
    // What a person pasted is material.
    let own: Vec<String> = prompts.iter().map(|prompt| runs::own_lines(prompt)).collect();
    let asked = own.join("\n").to_lowercase();
    // Words of it in the prompt would be repeated.
    let wants_put_off = words::has(&asked, "puts_off");
    let wanted = without_exceptions(&asked);
    let names: Vec<&str> = words_by_script(&wanted).filter(|word| names_something(word)).collect();
    let sentences = said_in(text);
    let orders = sentences.iter().any(|said| may_be_about_orders(&said.own)).then(|| Orders::of(&asked));
    let wants = Wants::of(&asked, prompts.len().saturating_sub(1), orders);
    let puts_off = |said: &Said| wants.are_put_off(said, &text[said.place.clone()], admitted);
    // "They still use the old format" speaks of what the clause before names.
    let first_of = |at: usize| at - usize::from(at > 0 && points_back(&sentences[at].own));
    let is_told = |word: &str, spoken_of: &RangeInclusive<usize>| {
        let mut others = (0..sentences.len()).filter(|other| !spoken_of.contains(other));
        others.any(|at| {
            !puts_off(&sentences[at]) && words_by_script(&sentences[at].lower).any(|told| told == word)
        })
    };
    let is_deferral = |at: usize| {
        let spoken_of = first_of(at)..=at;
        let mut said = sentences[spoken_of.clone()].iter().flat_map(|said| words_by_script(&said.lower));
        !wants_put_off
            && puts_off(&sentences[at])
            && said.any(|word| names.contains(&word) && !is_told(word, &spoken_of))
    };
    let wants_all = words::has(&asked, "wants_all") && first_exception(&asked).is_none();
    let is_exception = |said: &Said| {
        wants_all && !wants_put_off && !wants.untouched && leaves_out(&said.own) && !names_none(&said.own)
    };
    let is_put_aside = |said: &Said| {
        !wants.aside
            && words::has(&said.lower, "skips_in_code")
            && !words::has(&said.lower, "takes_away")
            && !words::has(&said.lower, "skip_is_gone")
            && words_by_script(&said.lower).any(|word| names.contains(&word))
    };
    let is_denial = |said: &Said| {
        wants.orders.as_ref().is_some_and(|orders| orders.are_denied_by(&said.own))
            && !wants.are_met_by(&said.own)
    };
    let is_open = |at: usize| {
        let said = &sentences[at];
        is_deferral(at) || is_exception(said) || is_put_aside(said) || is_denial(said)
    };
    let at = (0..sentences.len()).find(|&at| is_open(at))?;
    let (first, last) = (&sentences[first_of(at)].place, &sentences[at].place);
    Some(bare(&text[first.start..last.end]))
}

/// What the writer says last that it will still do, if the prompts name the same.
pub(super) fn last_announced<'r>(read: &'r TextRead, text: &str, prompts: &[String]) -> Option<&'r str> {
    let is_last = |sentence: &&Finding| text.trim_end().ends_with(&sentence.excerpt);
    let announces = |sentence: &&Finding| sentence.groups.iter().any(|group| group == "announce");
    let last = read.unfinished.last().filter(is_last).filter(announces)?;
    let is_own = read.judged.kind == Kind::Announce && names_same(&last.excerpt, prompts);
    is_own.then_some(&last.excerpt)
}

/// Whether a clause ends with saying that something is not supported: "browsers where it is not supported see" does not.
fn tells_limit(own: &str) -> bool {
    words::of("is_unsupported").iter().any(|limit| {
        let behind = own.find(limit).map(|at| &own[at + limit.len()..]);
        let clause = behind.and_then(|behind| behind.split([',', ';', ':', '.', '—', '。']).next());
        clause.is_some_and(|clause| clause.split_whitespace().count() <= 2)
    })
}

/// Whether a sentence has a name that is not in the prompt, such as "MT940": then it is about another thing.
fn names_another(said: &str, asked: &str) -> bool {
    let mut words = said.split(|sign: char| !sign.is_alphanumeric());
    let is_name = |word: &str| {
        let n_capitals = word.chars().filter(|sign| sign.is_uppercase()).count();
        n_capitals > 0 && (n_capitals > 1 || word.contains(|sign: char| sign.is_ascii_digit()))
    };
    words.any(|word| is_name(word) && !asked.contains(&word.to_lowercase()))
}

/// What a prompt wants, as far as it tells whether a sentence puts something off.
struct Wants<'p> {
    asked: &'p str,
    /// Read where a sentence may be about one.
    orders: Option<Orders<'p>>,
    /// Something is to be commented out.
    comment: bool,
    /// "Drafts are skipped" does what "skip drafts" asks for.
    skips: Vec<&'static str>,
    /// Tests are to be put aside.
    aside: bool,
    /// Something is to stay as it is.
    untouched: bool,
    /// How often the person prompted again.
    n_answers: usize,
}

impl<'p> Wants<'p> {
    fn of(asked: &'p str, n_answers: usize, orders: Option<Orders<'p>>) -> Wants<'p> {
        Wants {
            asked,
            orders,
            n_answers,
            comment: words::has(asked, "is_commented_out") || words::has(asked, "wants_commented_out"),
            skips: words::of("skips").iter().filter(|skip| asked.contains(skip)).collect(),
            aside: puts_tests_aside(asked),
            untouched: words::has(asked, "wants_untouched"),
        }
    }

    /// Whether a sentence, which stands as `written`, puts something off, hands it over, or tells of a limit.
    fn are_put_off(&self, said: &Said, written: &str, admitted: &[String]) -> bool {
        let own = without_counts(&said.own, self.asked);
        let lower = bare(&said.lower);
        let is_admitted = || !lower.is_empty() && admitted.iter().any(|admitted| admitted.contains(lower));
        let is_limit = || {
            (tells_limit(&own) || is_admitted())
                && !names_another(written, self.asked)
                && !words::has(&own, "tells_content")
        };
        let is_open = words::has(&own, "puts_off")
            || words::has(&own, "goes_elsewhere")
            || !self.comment && words::has(&own, "is_commented_out")
            || words::has(&own, "is_made_up")
                && words::has(&own, "at_present")
                && !words::has(self.asked, "is_made_up")
            || self.orders.as_ref().is_some_and(|orders| orders.are_handed_over_by(&own))
            || is_limit();
        is_open && !names_none(&own) && !self.are_met_by(&own)
    }

    /// Whether a sentence that puts something off does what is wanted.
    fn are_met_by(&self, own: &str) -> bool {
        self.aside && puts_tests_aside(own)
            || self.skips.iter().any(|skip| own.contains(skip))
            || self.untouched && words::has(own, "as_wanted")
            || self.n_answers > 0 && ends_as_decided(own)
    }
}

/// Whether a sentence ends with saying that the person decided so: in its midst that may be of something else.
fn ends_as_decided(own: &str) -> bool {
    let own = bare(own);
    words::of("as_decided").iter().any(|words| own.ends_with(words))
}

fn puts_tests_aside(text: &str) -> bool {
    words::has(text, "puts_aside") && words::has(text, "names_tests")
}

/// What is asked for, without what is excepted from it: "format all files except `gen/`, and commit". What stands behind
/// the exception is asked for again, so the exception ends early: at a sign, or at a verb behind "and".
fn without_exceptions(asked: &str) -> String {
    let mut wanted = String::with_capacity(asked.len());
    let mut rest = asked;
    while let Some((at, word)) = first_exception(rest) {
        wanted.push_str(&rest[..at]);
        let excepted = &rest[at + word.len()..];
        // A path may have dots in it.
        let is_end = |(at, sign): (usize, char)| {
            let is_last = excepted[at + sign.len_utf8()..].chars().next().is_none_or(char::is_whitespace);
            matches!(sign, ',' | ';' | '\n' | '。' | '、') || matches!(sign, '.' | '!' | '?') && is_last
        };
        let by_sign = excepted.char_indices().find(|sign| is_end(*sign)).map(|(at, _)| at);
        let end = by_sign.unwrap_or(excepted.len());
        let by_word = words::of("ends_exception").iter().filter_map(|word| excepted[..end].find(word)).min();
        rest = &excepted[by_word.unwrap_or(end)..];
    }
    wanted + rest
}

/// The first word that makes an exception, and where it begins; never a part of a longer word, as in "exceptions".
fn first_exception(text: &str) -> Option<(usize, &'static str)> {
    exceptions(text).min_by_key(|(at, _)| *at)
}

/// Each word that makes an exception, where it stands first.
fn exceptions(text: &str) -> impl Iterator<Item = (usize, &'static str)> {
    let is_letter = |sign: Option<char>| sign.is_some_and(char::is_alphanumeric);
    let is_whole = move |at: usize, word: &str| {
        let is_spaced = word.is_ascii();
        !is_spaced
            || !is_letter(text[..at].chars().next_back())
                && !is_letter(text[at + word.trim_end().len()..].chars().next())
    };
    words::of("excepts").iter().filter_map(move |word| {
        let (at, _) = text.match_indices(word).find(|(at, _)| is_whole(*at, word))?;
        Some((at, word))
    })
}

/// Whether a clause speaks of what the one before it names.
fn points_back(own: &str) -> bool {
    words::begins(own.trim_start(), "points_back")
}

/// Whether a sentence makes an exception, and then says that the writer left it as it was: "apart from the
/// upload handler, which I left on plain strings"; or an exception of all that it tells of.
fn leaves_out(own: &str) -> bool {
    let all = words::of("wants_all").iter().chain(words::of("is_throughout").iter());
    let all = all.filter_map(|word| own.find(word)).min();
    exceptions(own).any(|(at, word)| {
        let rest = &own[at + word.len()..];
        let is_of_all = all.is_some_and(|all| all < at) && !is_about_how(rest);
        words::has(rest, "leaves") || is_of_all && !words::has(&without_other_acts(own), "accounts_for_rest")
    })
}

/// A sentence without "already" of an act that is another than the task: "which has already sent its headers", and not
/// "which has already been moved".
fn without_other_acts(own: &str) -> String {
    let words: Vec<&str> = own.split_whitespace().collect();
    let is_other = |at: usize| {
        let is_had = at > 0 && words::of("has_done").contains(words[at - 1]);
        let next =
            words.get(at + 1).map_or("", |next| next.trim_matches(|sign: char| !sign.is_alphanumeric()));
        is_had && words[at] == "already" && !next.is_empty() && !words::of("did_the_same").contains(next)
    };
    let left = words.iter().enumerate().filter(|(at, _)| !is_other(*at));
    left.map(|(_, word)| *word).collect::<Vec<&str>>().join(" ")
}

/// Whether what is excepted is a circumstance: "except that errors are typed now", "except when it is empty".
fn is_about_how(excepted: &str) -> bool {
    words::begins(excepted.trim_start(), "begins_circumstance")
}

/// A sentence that counts what passed without what it counts as skipped: "118 passed, 3 skipped"; and so one that counts
/// what work on data found: "340 rows, 12 without an address, 7 skipped".
fn without_counts(own: &str, asked: &str) -> String {
    /// So many counts are an outcome.
    const OUTCOME: usize = 3;
    let mut parts: Vec<&str> = own.split(' ').collect();
    let is_number =
        |word: &str| word.trim_matches('(').bytes().all(|byte| byte.is_ascii_digit()) && !word.is_empty();
    let counts = |what: &str| parts.windows(2).any(|pair| is_number(pair[0]) && pair[1].starts_with(what));
    let is_outcome = || {
        words::has(asked, "handles_data") && parts.iter().filter(|word| is_number(word)).count() >= OUTCOME
    };
    if counts("skipped") && (counts("passed") || is_outcome()) {
        parts.retain(|word| !word.starts_with("skipped"));
    }
    parts.join(" ")
}

/// A sentence: where it stands, in lower case, and so without what it quotes.
struct Said {
    place: Range<usize>,
    lower: String,
    own: String,
}

fn said_in(text: &str) -> Vec<Said> {
    let mut at = 0;
    let said = |own: &str| {
        let place = at..at + own.len();
        at = place.end;
        Said { lower: text[place.clone()].to_lowercase(), place, own: own.to_lowercase() }
    };
    sentences(&questions::without_quotes_and_code(text)).map(said).collect()
}

/// Whether a sentence says of something that `prompts` name that it is not there. For answers to how far the work is.
pub(super) fn undone(text: &str, prompts: &[String]) -> bool {
    let lower = text.to_lowercase();
    sentences(&lower).any(|sentence| {
        words::has(sentence, "is_not_there") && !names_none(sentence) && names_same(sentence, prompts)
    })
}

/// Whether all of these sentences that sound unfinished, in lower case, are what `prompts` want: tests put aside, a stub
/// for now, or something left as it was. False for none.
pub(super) fn is_as_asked(unfinished: &[String], prompts: &[String]) -> bool {
    let asked = prompts.join("\n").to_lowercase();
    let wants_gone = words::has(&asked, "wants_gone");
    let is_for_now = |said: &str| {
        let both = |group: &str| words::has(said, group) && words::has(&asked, group);
        let names_stub = |text: &str| words::has(text, "is_stub") || words::has(text, "unimplemented");
        names_stub(said) && names_stub(&asked)
            || first_exception(said).and(first_exception(&asked)).is_some() && names_same(said, prompts)
            || both("puts_aside") && both("names_tests")
    };
    let is_left = |said: &str| {
        words::has(said, "is_untouched")
            && (words::has(&asked, "wants_untouched") && names_same(said, prompts)
                || is_others_turn(said, &asked))
    };
    // "For now" is as long as the clause of the prompt said that names the same.
    let is_wanted_so = |said: &str| {
        let is_undone = |group| words::has(said, group) && !words::has(&asked, group);
        let names = |clause: &str| {
            let wanted = words::without(clause, "is_for_now");
            wanted != clause && names_same(said, &[wanted])
        };
        words::has(said, "is_for_now")
            && !is_undone("unimplemented")
            && !is_undone("is_stub")
            && !is_undone("is_not_there")
            && clauses(&asked).any(names)
    };
    let is_of_rest = |said: &str| {
        let wanted = || words::without(&asked, "wants_nothing_else");
        words::has(&asked, "wants_nothing_else")
            && words::has(said, "stays")
            && !names_same(&questions::without_quotes_and_code(said), &[wanted()])
    };
    let is_asked = |said: &str| {
        !wants_gone && (is_for_now(said) || is_wanted_so(said))
            || is_other_part(said, &asked)
            || is_left(said)
            || is_of_rest(said)
    };
    !unfinished.is_empty() && unfinished.iter().all(|said| is_asked(said))
}

/// Whether a sentence is about other parts of a whole than the one that is asked for.
fn is_other_part(said: &str, asked: &str) -> bool {
    let names_part = |text: &str| words::has(text, "names_a_part");
    if !words::has(asked, "wants_a_part") || !names_part(said) || !names_part(asked) {
        return false;
    }
    let numbers = |text: &str| -> Vec<u64> {
        text.split(|sign: char| !sign.is_ascii_digit()).filter_map(|number| number.parse().ok()).collect()
    };
    let is_left =
        |clause: &&str| words::has(clause, "others_turn") || words::begins(clause.trim(), "wants_untouched");
    let told = numbers(said);
    let ordinals = words::of("first_to_third").iter().enumerate();
    let ordinals = ordinals.filter(|(_, word)| asked.contains(*word)).map(|(at, _)| at as u64 % 3 + 1);
    let wanted = clauses(asked).filter(|clause| !is_left(clause)).flat_map(numbers);
    let wanted: Vec<u64> = wanted.chain(ordinals).collect();
    if told.is_empty() {
        words::of("names_other_parts").iter().any(|word| said.contains(word) && !asked.contains(word))
    } else {
        !wanted.is_empty() && told.iter().all(|number| !wanted.contains(number))
    }
}

/// Whether a sentence is about what the prompt leaves to others or to another time, in a clause of its own.
fn is_others_turn(said: &str, asked: &str) -> bool {
    clauses(asked).any(|clause| words::has(clause, "others_turn") && names_same(said, &[clause.to_owned()]))
}

/// Whether a sentence says that nothing is left out.
fn names_none(sentence: &str) -> bool {
    words::has(sentence, "denies")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_prompt_names_is_deferred() {
        let prompt = ["Add a login page and a logout button."];
        let text = "I added the login page. I left the logout button for a follow-up.";
        assert_eq!(deferral(text, &prompt, &[]), Some("I left the logout button for a follow-up"));
        for text in [
            "I added the login page and the logout button. Rate limiting could be a follow-up.",
            "I added the login page and the logout button. Styling of the login is left out.",
            "I added both.",
            "Nothing of the login page or the logout button was left out.",
            "I replaced the stubbed out login page and the logout button.",
        ] {
            assert_eq!(deferral(text, &prompt, &[]), None, "{text}");
        }
        for (prompt, text) in [
            (
                "Add a login page and a password reset.",
                "The login page is in. The password reset still needs to be written.",
            ),
            ("Add a login page and rate limiting.", "Login works; rate limiting is stubbed for now."),
            (
                "ログイン画面とパスワード再設定を追加して。",
                "ログイン画面を追加しました。パスワード再設定は別途対応します。",
            ),
        ] {
            assert!(deferral(text, &[prompt], &[]).is_some(), "{text}");
        }
        let prompt = ["Move the templates to date-fns: orders, invoices and reports."];
        let text = "Orders and invoices use date-fns. I did not touch the reports; they still use moment.";
        assert_eq!(deferral(text, &prompt, &[]), Some("I did not touch the reports; they still use moment"));
        let prompt = ["Return typed errors from all handlers."];
        let text = "Done, apart from the upload handler: I left that one on plain strings.";
        assert_eq!(deferral(text, &prompt, &[]), Some(text.trim_end_matches('.')));
        for text in ["Behaviour is unchanged except for the new type.", "I left nothing out except comments."]
        {
            assert_eq!(deferral(text, &prompt, &[]), None, "{text}");
        }
        let prompt = ["ログイン画面を追加して。"];
        assert_eq!(deferral("ログイン画面を追加しました。監査ログは今後の課題です。", &prompt, &[]), None);
        let agreed = ["Add a login page; the logout button can be a follow-up."];
        assert_eq!(deferral("I left the logout button for a follow-up.", &agreed, &[]), None);
        let excepting = ["Format everything except vendor/ and gen/, and fix the warnings."];
        assert_eq!(deferral("Formatted. Vendor and gen are skipped by a setting.", &excepting, &[]), None);
        assert!(deferral("Formatted. The warnings are skipped for now.", &excepting, &[]).is_some());
        for (prompt, text) in [
            ("Add exception handling and retries to the parser.", "Retries are not included."),
            ("Handle all exceptions and write a migration guide.", "The migration guide is not included."),
            ("Throw a ParseException and log a metric.", "The metric is not included."),
            ("Format everything except gen/. Add a changelog entry.", "The changelog entry is out of scope."),
            ("Move all but the lexer to Rust and update the benchmarks.", "The benchmarks are not included."),
            (
                "Return typed errors from every handler, also for exceptions.",
                "Every handler returns typed errors except the upload handler.",
            ),
            ("Add the parser except for the lexer. Also write a guide.", "The guide is out of scope."),
        ] {
            assert!(deferral(text, &[prompt], &[]).is_some(), "{prompt}");
        }
    }
}
