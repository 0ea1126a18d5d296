//! What a prompt wants, beyond what kind of prompt it is: one thing or several, something new, only a commit, a check.
//! Must not look at other turns.

use super::answer_only::begins_clause;
use super::demand::{Ask, Kind, ask, contains, is_verb_in, kind};
use super::phrases::{Group, PHRASES, Phrases};
use super::sentence::{Sentence, sentences};

/// Words before a word of change that make a thing of it (Chinese).
const OWNER_MARKS: [&str; 5] = ["的", "些", "有", "部", "将"];

/// Whether a prompt asks for one thing: no second sentence asks for work, and no word or comma joins a second demand to
/// the first one.
pub(in crate::judge) fn is_one_demand(prompt: &str) -> bool {
    let sentences = sentences(prompt);
    let n_work = sentences.iter().filter(|sentence| kind(sentence, &PHRASES) == Kind::Work).count();
    let joins = |words: &[String]| {
        let starts = |at: usize, groups: &[Group]| PHRASES.starts(&words[at..], groups);
        (0..words.len()).any(|at| {
            let tells = starts(at, &[Group::Hence])
                .is_some_and(|n| starts(at + n, &[Group::Work, Group::Request]).is_none());
            starts(at, &[Group::Joint]).is_some() && !tells
        })
    };
    let is_joined = sentences.iter().any(|sentence| joins(&sentence.words));
    let goes_on = |part: &str| {
        let words: Vec<String> = part.split_whitespace().map(str::to_lowercase).collect();
        PHRASES.starts(&words, &[Group::Work]).is_some()
    };
    n_work <= 1 && !is_joined && !prompt.split([',', ';', '、', '，']).skip(1).any(goes_on)
}

/// Whether a prompt forbids changes.
pub(super) fn forbids_changes(prompt: &str) -> bool {
    sentences(prompt).iter().any(|sentence| contains(sentence, Group::NoChange, &PHRASES))
}

/// Whether a prompt asks for work or an answer, and is no thanks, consent or refusal.
pub(in crate::judge) fn wants_something(prompt: &str) -> bool {
    matches!(ask(prompt), Ask::Work { .. } | Ask::GoOn | Ask::Answer)
}

/// Whether a prompt asks for something new, and not only to commit, push or merge what is there.
pub(in crate::judge) fn wants_content(prompt: &str) -> bool {
    let phrases = &PHRASES;
    sentences(prompt).iter().any(|sentence| {
        if sentence.is_joined() {
            let text = &sentence.joined;
            let finishes = |phrase: &&str| phrases.joined(Group::Finish).any(|finish| finish == *phrase);
            // What stands behind its owner is a thing: "commit my changes".
            let is_owned = |at: usize| OWNER_MARKS.iter().any(|mark| text[..at].ends_with(mark));
            phrases.joined(Group::Work).filter(|phrase| !finishes(phrase)).any(|phrase| {
                is_verb_in(text, phrase) && text.match_indices(phrase).any(|(at, _)| !is_owned(at))
            })
        } else {
            (0..sentence.words.len()).any(|at| begins_content(&sentence.words, at, phrases))
        }
    })
}

/// Whether a prompt tells to commit, push or merge: an order, and no thing such as a commit message.
pub(in crate::judge) fn wants_finish(prompt: &str) -> bool {
    let phrases = &PHRASES;
    sentences(prompt).iter().any(|sentence| {
        let words = &sentence.words;
        let is_thing = |at: usize| words.get(at + 1).is_some_and(|next| next.starts_with("message"));
        (0..words.len()).any(|at| {
            phrases.starts(&words[at..], &[Group::Finish]).is_some()
                && begins_clause(words, at, phrases)
                && !is_thing(at)
        }) || sentence.is_joined()
            && phrases.joined(Group::Finish).any(|phrase| is_verb_in(&sentence.joined, phrase))
    })
}

/// Whether a prompt asks for one thing that need not change anything, such as to make sure that the tests pass.
pub(in crate::judge) fn may_need_no_change(prompt: &str) -> bool {
    let phrases = &PHRASES;
    let wants = |words: &[String], at: usize| {
        begins_content(words, at, phrases) && phrases.starts(&words[at..], &[Group::Wish]).is_none()
    };
    let names_change = |sentence: &Sentence| {
        if sentence.is_joined() {
            wants_content(prompt)
        } else {
            (0..sentence.words.len()).any(|at| wants(&sentence.words, at))
        }
    };
    is_one_demand(prompt) && !sentences(prompt).iter().any(names_change)
}

/// Whether a prompt tells to commit what is there, and nothing else: neither something new nor a push.
pub(super) fn wants_only_commit(prompt: &str) -> bool {
    const COMMIT: [&str; 4] = ["commit", "コミット", "提交", "커밋"];
    let phrases = &PHRASES;
    let is_commit = |phrase: &str| COMMIT.iter().any(|commit| phrase.starts_with(commit));
    let names_other = |sentence: &Sentence| {
        let words = &sentence.words;
        (0..words.len())
            .any(|at| phrases.starts(&words[at..], &[Group::Finish]).is_some() && !is_commit(&words[at]))
            || phrases
                .joined(Group::Finish)
                .any(|phrase| sentence.joined.contains(phrase) && !is_commit(phrase))
    };
    wants_finish(prompt) && !wants_content(prompt) && !sentences(prompt).iter().any(names_other)
}

/// Whether a verb of change at `at` is about more than a commit: `write a commit message` is not.
fn begins_content(words: &[String], at: usize, phrases: &Phrases) -> bool {
    let is_verb = |at: usize, group: Group| phrases.starts(&words[at..], &[group]).is_some();
    let is_noun = |at: usize| {
        is_verb(at, Group::Finish)
            && (is_verb(at - 1, Group::Articles)
                || words[at] == "commits"
                || words.get(at + 1).is_some_and(|next| next.starts_with("message")))
    };
    // `haz commit` and `make a commit` are one verb.
    let is_part_of_it = at + 1 < words.len() && is_verb(at + 1, Group::Finish);
    begins_clause(words, at, phrases)
        && !is_part_of_it
        && is_verb(at, Group::Work)
        && !is_verb(at, Group::Finish)
        && !(at + 1..words.len()).any(is_noun)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_to_commit_or_push_is_told_from_words_about_it() {
        for prompt in [
            "Commit it.", "Looks good, push it", "Please commit and push.", "Committe es.", "コミットして。",
            "提交吧。",
        ] {
            assert!(wants_finish(prompt), "{prompt}");
        }
        for prompt in
            ["Write me a commit message.", "Thanks, that looks good.", "What does the last commit do?"]
        {
            assert!(!wants_finish(prompt), "{prompt}");
        }
    }

    #[test]
    fn only_to_commit_what_is_there_asks_for_nothing_new() {
        for prompt in [
            "Commit my changes with a good message.",
            "Write a commit message for my changes and commit them.",
            "Split my uncommitted changes into two commits.",
            "Stage everything, commit and push.",
            "Committe bitte meine Änderungen.",
            "Fais un commit de mes changements.",
            "Haz un commit de mis cambios.",
            "Haz commit de mis cambios.",
            "変更をコミットしてください。",
            "请提交我的修改。",
            "변경 사항을 커밋해 줘.",
        ] {
            assert!(!wants_content(prompt), "{prompt}");
        }
        for prompt in [
            "Add a login page and commit it.",
            "Please fix the parser, then commit.",
            "Füge eine Login-Seite hinzu und committe sie.",
            "Ajoute une page de connexion et commite.",
            "Añade una página y haz commit.",
            "ログイン画面を追加してコミットしてください。",
            "添加一个登录页面并提交。",
            "로그인 페이지를 추가하고 커밋해 줘.",
        ] {
            assert!(wants_content(prompt), "{prompt}");
        }
    }
}
