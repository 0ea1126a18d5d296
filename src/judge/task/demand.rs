//! What one prompt asks for, by its words alone: work, an answer, nothing, or to
//! continue. Must not look at other turns.
//!
//! The two possible mistakes differ in cost. If a request for work is taken for a question, an old COMPLETE
//! stays in place although new work was never done; if a question is taken for a request, the person merely
//! has to look again. A prompt therefore asks for work unless its words clearly ask for something else.

use super::answer_only::is_told_in_words;
use super::answers::asks_for_time;
use super::phrases::{Group, PHRASES, Phrases};
use super::sentence::{Sentence, sentences};
use crate::judge::words;

/// A prompt this short names no new work, counted in words, or in characters for scripts without spaces.
const FEW_WORDS: usize = 3;
const FEW_SIGNS: usize = 8;
/// Particles and endings after which a word of change is a noun (Japanese, Korean, Chinese).
const THING_MARKS: &[&str] = &[
    "を", "の", "が", "は", "に", "と", "も", "点", "箇所", "方法", "案", "計画", "理由", "リングの", "内容",
    "履歴", "された", "した", "을", "를", "은", "는", "이", "의", "한", "만", "사항", "了",
];
/// What stands before a noun in Chinese: 的, and words that count it (最近一次提交, "the last commit").
const COUNTED: [char; 3] = ['的', '次', '个'];
/// Endings that turn it back into a request.
const WISH_MARKS: [&str; 9] =
    ["をお願い", "をして", "をする", "を行", "をやって", "もお願い", "を頼", "을해", "를해"];

/// What a prompt asks for, by its words alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ask {
    /// Nothing: thanks or a greeting.
    Nothing,
    /// Praise or an `ok`: a yes if something was asked, otherwise nothing.
    Consent,
    /// A yes or a no, as an answer.
    Reply,
    /// A no and nothing else: it settles a question and asks for no work.
    Refusal,
    /// Time to think, so that a question stays open.
    Time,
    /// To continue what was begun.
    GoOn,
    /// An answer, without any change.
    Answer,
    /// Work.
    Work {
        /// Whether the words refer back to what was done: more of the same task.
        is_more: bool,
        /// Whether the previous task is given up.
        drops: bool,
    },
}

/// What one sentence asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Thanks,
    Praise,
    Reply,
    Refusal,
    Time,
    GoOn,
    Answer,
    Work,
    /// It forbids a change and asks for nothing else.
    Forbids,
    /// Its words do not tell.
    Unknown,
}

/// What a person's prompt asks for.
pub(super) fn ask(prompt: &str) -> Ask {
    read(prompt, true)
}

/// What a custom command such as `/fix-issue 123` asks for, by the words of its name.
pub(super) fn ask_of_command(prompt: &str) -> Ask {
    let name_end = prompt.find(char::is_whitespace).unwrap_or(prompt.len());
    let (name, rest) = prompt.split_at(name_end);
    read(&(name.replace(['/', '-', '_', ':'], " ") + rest), false)
}

fn read(prompt: &str, is_typed: bool) -> Ask {
    let phrases = &PHRASES;
    let sentences = sentences(prompt);
    if sentences.is_empty() {
        // A lone symbol such as a thumbs-up consents; a lone code block is material for work.
        let has_words = prompt.chars().any(char::is_alphanumeric);
        return if has_words { Ask::Work { is_more: true, drops: false } } else { Ask::Consent };
    }
    let kinds: Vec<Kind> = sentences.iter().map(|sentence| kind(sentence, phrases)).collect();
    let has = |wanted: Kind| kinds.contains(&wanted);
    if is_told_in_words(prompt, &sentences, phrases) {
        return Ask::Answer;
    }
    let drops = sentences.iter().any(|sentence| contains(sentence, Group::Drop, phrases));
    if drops || has(Kind::Work) {
        return Ask::Work { is_more: !drops && points_back(&sentences, is_typed, phrases), drops };
    }
    if has(Kind::GoOn) {
        Ask::GoOn
    } else if has(Kind::Answer) {
        Ask::Answer
    } else if has(Kind::Unknown) {
        if has(Kind::Forbids) {
            return Ask::Answer;
        }
        Ask::Work { is_more: points_back(&sentences, is_typed, phrases), drops }
    } else if has(Kind::Time) && !has(Kind::Reply) {
        Ask::Time
    } else if has(Kind::Refusal) && !has(Kind::Reply) && !has(Kind::Forbids) {
        Ask::Refusal
    } else if has(Kind::Thanks) {
        Ask::Nothing
    } else if has(Kind::Reply) || has(Kind::Forbids) || has(Kind::Refusal) {
        Ask::Reply
    } else {
        Ask::Consent
    }
}

pub(super) fn kind(sentence: &Sentence, phrases: &Phrases) -> Kind {
    use Group::{Filler, GoOn, Greeting, No, Praise, Thanks, Yes};
    let is_of = |groups: &[Group]| is_covered(sentence, groups, phrases);
    let has = |group: Group| contains(sentence, group, phrases);
    if is_of(&[Thanks, Praise, Greeting, Filler]) {
        let is_thanks = has(Thanks) || has(Greeting);
        return if is_thanks { Kind::Thanks } else { Kind::Praise };
    }
    // `Yes, thanks` is a yes if something was asked, otherwise nothing.
    if is_of(&[Thanks, Praise, Filler, Yes, No]) && has(Thanks) {
        return Kind::Praise;
    }
    if is_of(&[Filler, No]) {
        return Kind::Refusal;
    }
    if is_of(&[Praise, Filler, Yes, No]) {
        return Kind::Reply;
    }
    if asks_for_time(sentence, phrases) {
        return Kind::Time;
    }
    if is_of(&[Thanks, Praise, Filler, Yes, No, GoOn]) {
        return Kind::GoOn;
    }
    if sentence.is_joined() { joined_kind(sentence, phrases) } else { spaced_kind(sentence, phrases) }
}

/// A sentence in a script with spaces: its first verb or question word decides.
fn spaced_kind(sentence: &Sentence, phrases: &Phrases) -> Kind {
    let (words, forbids) = allowed(&sentence.words, phrases);
    let words = words.as_slice();
    let mut is_request = false;
    let mut at = 0;
    while at < words.len() {
        let rest = &words[at..];
        let starts = |group: Group| phrases.starts(rest, &[group]);
        if let Some(n) = starts(Group::Request) {
            is_request = true;
            at += n;
        } else if !is_request && starts(Group::Question).is_some() {
            // `Do the migration` has no question mark; `do you know` usually does.
            let is_work = starts(Group::Work).is_some() && !sentence.is_question;
            let is_wish = !sentence.is_question && phrases.has(rest, Group::Wish);
            return if is_work || is_wish || asks_beside(rest, phrases) { Kind::Work } else { Kind::Answer };
        } else if starts(Group::Look) >= starts(Group::Work) && starts(Group::Look).is_some() {
            return if asks_beside(rest, phrases) { Kind::Work } else { Kind::Answer };
        } else if starts(Group::Work).is_some() {
            return Kind::Work;
        } else if let Some(n) = starts(Group::Wish) {
            return if wishes_to_know(&rest[n..], phrases) { Kind::Answer } else { Kind::Work };
        } else if let Some(n) =
            phrases.starts(rest, &[Group::Addition, Group::Yes, Group::No, Group::Thanks, Group::Praise])
        {
            at += n;
        } else {
            break;
        }
    }
    if is_request || phrases.has(words, Group::Wish) {
        return Kind::Work;
    }
    // `And the README?` is a short request.
    let is_short_addition = at > 0 && words.len() <= FEW_WORDS;
    // An error that is pasted with a question mark reports a fault.
    let is_error =
        words.first().is_some_and(|word| words::of("ends_error").iter().any(|end| word.ends_with(end)));
    // "The mail goes out twice??" asks nothing, where a question begins with its verb.
    let states = words.len() > FEW_WORDS
        && words.first().is_some_and(|word| words::of("begins_statement").contains(word));
    match (sentence.is_question && !is_short_addition && !is_error && !states, forbids) {
        (true, _) => Kind::Answer,
        (false, true) => Kind::Forbids,
        (false, false) => Kind::Unknown,
    }
}

/// The words without those that forbid a change, and whether there were any.
fn allowed(words: &[String], phrases: &Phrases) -> (Vec<String>, bool) {
    let forbidden = (0..words.len()).find(|at| phrases.starts(&words[*at..], &[Group::NoChange]).is_some());
    let Some(at) = forbidden else { return (words.to_vec(), false) };
    // "Don't change anything, just tell me …" asks for what it allows.
    let allowed = |place: usize| match words[place].as_str() {
        "but" => Some(place),
        "just" | "only" => phrases.starts(&words[place + 1..], &[Group::Look]).is_some().then_some(place + 1),
        _ => None,
    };
    let mut left = words[..at].to_vec();
    left.extend(
        (at..words.len()).find_map(allowed).into_iter().flat_map(|from| words[from..].iter().cloned()),
    );
    (left, true)
}

/// Whether a sentence that begins with a question or a request to look also asks for a change: `… and fix
/// it`. Words after `how to` do not count, since they only mention the change.
fn asks_beside(words: &[String], phrases: &Phrases) -> bool {
    let end = (0..words.len()).find(|at| phrases.starts(&words[*at..], &[Group::Embedded]).is_some());
    let words = &words[..end.unwrap_or(words.len())];
    // `Which one would you use?` asks for an opinion.
    let asks_opinion = ["which", "what", "how", "where", "who"]
        .iter()
        .any(|word| words.first().is_some_and(|first| first == word));
    (1..words.len()).any(|at| {
        if asks_opinion && words[at..].starts_with(&["would".to_owned(), "you".to_owned()]) {
            return false;
        }
        let Some(n) = phrases.starts(&words[at..], &[Group::Joint, Group::Request]) else { return false };
        let mut rest = &words[at + n..];
        while let Some(n) = phrases.starts(rest, &[Group::Joint, Group::Request, Group::Addition]) {
            if phrases.starts(rest, &[Group::Work]).is_some() {
                break;
            }
            rest = &rest[n..];
        }
        phrases.starts(rest, &[Group::Work]).is_some()
    })
}

/// Whether the wish is only to know something: `I want (you) to understand why …`.
fn wishes_to_know(after_wish: &[String], phrases: &Phrases) -> bool {
    let is_link = |word: &&String| matches!(word.as_str(), "you" | "to" | "only" | "just" | "first");
    let n_links = after_wish.iter().take_while(is_link).count();
    let rest = &after_wish[n_links..];
    phrases.starts(rest, &[Group::Look]).is_some()
        && phrases.starts(rest, &[Group::Work]).is_none()
        && !asks_beside(rest, phrases)
}

/// A sentence in a script whose phrases are found inside words.
fn joined_kind(sentence: &Sentence, phrases: &Phrases) -> Kind {
    let text = phrases.without(&sentence.joined, &[Group::NoChange]);
    let forbids = text.len() != sentence.joined.len();
    let has = |group: Group| phrases.joined(group).any(|phrase| text.contains(phrase));
    // "Still the old address, how come" complains, unless it asks with a mark.
    let complains = words::has(&text, "goes_on") && !text.ends_with('か');
    let asking = words::of("no_question").iter().fold(text.clone(), |text, word| text.split(word).collect());
    let has_question = phrases.joined(Group::Question).any(|phrase| asking.contains(phrase));
    let is_question = sentence.is_question || has_question && !complains;
    let has_spaced_work = phrases.has(&sentence.words, Group::Work) && !is_question;
    let has_work = phrases.joined(Group::Work).any(|phrase| is_verb_in(&text, phrase));
    if has_work || has_spaced_work {
        return if is_question && !has(Group::Request) && !has(Group::Wish) {
            Kind::Answer
        } else {
            Kind::Work
        };
    }
    let has_look = phrases.joined(Group::Look).any(|phrase| is_verb_in(&text, phrase));
    if has_look || is_question && !has(Group::Request) {
        Kind::Answer
    } else if has(Group::GoOn) {
        Kind::GoOn
    } else if has(Group::Request) || has(Group::Wish) {
        Kind::Work
    } else if forbids {
        Kind::Forbids
    } else {
        Kind::Unknown
    }
}

/// Whether `phrase` is used as a verb in a text. With a particle behind it, it is a noun, as in "review the
/// change"; `変更をお願いします` is a request nevertheless.
pub(super) fn is_verb_in(text: &str, phrase: &str) -> bool {
    text.match_indices(phrase).any(|(at, _)| {
        let after = &text[at + phrase.len()..];
        let is_thing =
            THING_MARKS.iter().any(|mark| after.starts_with(mark)) || text[..at].ends_with(COUNTED);
        !is_thing || WISH_MARKS.iter().any(|mark| after.starts_with(mark))
    })
}

/// Whether a sentence consists of phrases from `groups` only.
fn is_covered(sentence: &Sentence, groups: &[Group], phrases: &Phrases) -> bool {
    if sentence.is_joined() {
        return phrases.without(&sentence.joined, groups).is_empty();
    }
    let mut rest = sentence.words.as_slice();
    while !rest.is_empty() {
        let Some(n) = phrases.starts(rest, groups) else { return false };
        rest = &rest[n..];
    }
    !sentence.words.is_empty()
}

pub(super) fn contains(sentence: &Sentence, group: Group, phrases: &Phrases) -> bool {
    phrases.has(&sentence.words, group)
        || sentence.is_joined() && phrases.joined(group).any(|phrase| sentence.joined.contains(phrase))
}

/// Whether a request refers back to what was asked or done before, so that it is more of the same task.
fn points_back(sentences: &[Sentence], is_typed: bool, phrases: &Phrases) -> bool {
    let Some(first) = sentences.first() else { return true };
    let n_words: usize = sentences.iter().map(|sentence| sentence.words.len()).sum();
    let n_signs: usize = sentences.iter().map(|sentence| sentence.joined.chars().count()).sum();
    let is_short = if first.is_joined() { n_signs <= FEW_SIGNS } else { n_words <= FEW_WORDS };
    let begins_so = |group: Group| {
        phrases.starts(&first.words, &[group]).is_some()
            || first.is_joined() && phrases.joined(group).any(|phrase| first.joined.starts_with(phrase))
    };
    is_typed && is_short
        || begins_so(Group::Addition)
        || begins_so(Group::GoOn)
        || begins_so(Group::Finish)
        || first.is_joined() && contains(first, Group::Finish, phrases)
        || sentences.iter().any(|sentence| {
            contains(sentence, Group::Repair, phrases) || points_at_something(sentence, phrases)
        })
}

/// Recognises short references such as `fix that` and `it fails`.
fn points_at_something(sentence: &Sentence, phrases: &Phrases) -> bool {
    let words = &sentence.words;
    let points = |at: usize| phrases.starts(&words[at..], &[Group::PointsAt]).is_some();
    // "Add a footer and commit it" points at the footer.
    let ends = |at: usize| at > FEW_WORDS && phrases.starts(&words[at..], &[Group::Finish]).is_some();
    let is_pointed_at = |at: usize| {
        let verb = phrases.starts(&words[at..], &[Group::Work, Group::Look]);
        verb.is_some_and(|n| at + n < words.len() && points(at + n)) && !ends(at)
    };
    !words.is_empty() && points(0)
        || (0..words.len()).any(is_pointed_at)
        || sentence.is_joined()
            && phrases.joined(Group::PointsAt).any(|phrase| sentence.joined.contains(phrase))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_for_the_person_are_an_answer() {
        for prompt in [
            "Write me a commit message for adding a login page.",
            "Draft a tweet about the new search.",
            "Please draft an email to the team about the release",
            "Formuliere mir eine Mail an das Team über die neue Suche.",
            "Which of the two libraries would you use here, and why?",
        ] {
            assert_eq!(ask(prompt), Ask::Answer, "{prompt}");
        }
        for prompt in [
            "Write an email validator.",
            "Draft a tweet about it and commit it.",
            "Draft the announcement in docs/announcement.md.",
            "Write me a parser for mails.",
            "Send a mail when an order is shipped.",
            "Would you use the first library here?",
        ] {
            assert!(matches!(ask(prompt), Ask::Work { .. }), "{prompt}");
        }
    }

    /// Prompts that people typed after finished work, by what they ask for: `tests/corpus/second_prompts.tsv`.
    #[test]
    fn second_prompts_ask_for_what_people_meant() {
        let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/second_prompts.tsv");
        let text = std::fs::read_to_string(file).unwrap();
        let mut wrong = Vec::new();
        for line in text.lines() {
            let [label, _, prompt] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
            let is_meant = match ask(prompt) {
                Ask::Nothing | Ask::Consent | Ask::Time | Ask::Refusal => label == "NOTHING",
                Ask::Answer => label == "ANSWER",
                Ask::Work { .. } | Ask::GoOn | Ask::Reply => label == "WORK",
            };
            if !is_meant {
                wrong.push(line);
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}
