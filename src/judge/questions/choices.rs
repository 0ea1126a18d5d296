//! The answers that a question offers, so that a single key can give each: the options of a list below it,
//! options in its own words (`1) … 2) …`), or yes and no in its language. Must not offer anything uncertain: a
//! person can always write.

use super::answers::{Answers, answers};
use super::language::Language;
use super::wording::{Question, inline_choices};
use crate::model::Choice;

/// The answers that a question offers, in its order. `text` is the message that contains it, and `language`
/// that of most of the message.
pub(crate) fn choices(question: &Question, text: &str, language: Language) -> Vec<Choice> {
    if !question.options.is_empty() {
        return question.options.clone();
    }
    let inside = inline_choices(&question.text);
    if !inside.is_empty() {
        return inside;
    }
    // A pair in brackets after the question mark is a sentence of its own.
    let behind = question.ranges.last().and_then(|range| text.get(range.end..)).unwrap_or_default();
    yes_and_no(&question.text, behind.lines().next().unwrap_or_default(), language)
}

/// Yes and no, if the question asks for one of them and nothing else.
fn yes_and_no(text: &str, behind: &str, language: Language) -> Vec<Choice> {
    let mut asking = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let (Some(sentence), None) = (asking.next(), asking.next()) else { return Vec::new() };
    let sentence = sentence.to_lowercase().replace('’', "'");
    let bare = |text: &str| text.trim_matches(|sign: char| " \t?？。.¿!！*_)）".contains(sign)).to_owned();
    let whole = bare(&sentence);
    // The asking part may be the last clause: "The tests pass; shall I commit?"
    let clause = bare(sentence.rsplit([',', ':', ';', '¿', '—', '，']).next().unwrap_or_default());
    let is_asked = |language: &&Answers| {
        let behind = behind.to_lowercase();
        let has_pair =
            language.pairs.iter().any(|pair| has_words(&sentence, pair) || has_words(&behind, pair));
        let is_form = [&whole, &clause].iter().any(|text| {
            language.begins.iter().any(|begin| text.starts_with(begin))
                || language.ends.iter().any(|end| text.ends_with(end))
        });
        let asks_more = language.asks_more.iter().any(|more| sentence.contains(more));
        has_pair
            || is_form && !asks_more && sentence.contains(['?', '？'])
            || is_form && !asks_more && !language.ends.is_empty()
    };
    let choice = |text: &str| Choice { label: String::new(), text: text.to_owned() };
    answers(language).find(is_asked).map_or_else(Vec::new, |found| vec![choice(found.yes), choice(found.no)])
}

/// Whether the text contains these words as whole words.
fn has_words(text: &str, words: &str) -> bool {
    let is_letter = |sign: Option<char>| sign.is_some_and(char::is_alphanumeric);
    text.match_indices(words).any(|(at, _)| {
        let is_ascii = words.is_ascii();
        !is_ascii
            || !is_letter(text[..at].chars().next_back())
                && !is_letter(text[at + words.len()..].chars().next())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::questions::{Context, classify};

    fn of(text: &str) -> Vec<(String, String)> {
        let judged = classify(text, &Context::default());
        let found =
            judged.question.map(|question| choices(&question, text, judged.language)).unwrap_or_default();
        found.into_iter().map(|choice| (choice.label, choice.text)).collect()
    }

    #[test]
    fn yes_and_no_in_the_language_of_the_question() {
        let cases = [
            ("The tests pass. Should I commit the changes?", "yes", "no"),
            ("The tests pass; shall I commit them?", "yes", "no"),
            ("Delete the old database? (y/n)", "yes", "no"),
            ("テストは通りました。コミットしてもよろしいですか？", "はい", "いいえ"),
            ("変更をコミットしますか？（はい/いいえ）", "はい", "いいえ"),
            ("Las pruebas pasan. ¿Quieres que haga el commit?", "sí", "no"),
            ("Les tests passent. Voulez-vous que je committe ?", "oui", "non"),
            ("Die Tests laufen. Soll ich die Änderungen committen?", "ja", "nein"),
            ("테스트가 통과했습니다. 커밋할까요?", "네", "아니요"),
            ("测试通过了。要我提交更改吗？", "是", "否"),
            ("Os testes passam. Quer que eu faça o commit?", "sim", "não"),
        ];
        for (text, yes, no) in cases {
            let wanted = [(String::new(), yes.to_owned()), (String::new(), no.to_owned())];
            assert_eq!(of(text), wanted, "{text}");
        }
    }

    #[test]
    fn a_question_that_asks_for_more_has_no_yes_and_no() {
        let texts = [
            "Which port should the server use?",
            "Should I keep the old format or drop it?",
            "どちらの形式にしますか？",
            "古い形式を残しますか、それとも削除しますか？",
            "¿Quieres que use MySQL o PostgreSQL?",
            "Soll ich MySQL oder PostgreSQL nehmen?",
            "어떤 형식을 사용할까요?",
            "用 MySQL 还是 PostgreSQL？",
        ];
        for text in texts {
            assert_eq!(of(text), [], "{text}");
        }
    }

    #[test]
    fn options_of_a_list_and_in_the_words_keep_their_labels() {
        let pair = |one: (&str, &str), other: (&str, &str)| {
            [(one.0.to_owned(), one.1.to_owned()), (other.0.to_owned(), other.1.to_owned())]
        };
        let list = "二つの方法があります。\n\n1. 残す\n2. 削除する\n\nどちらにしますか？";
        assert_eq!(of(list), pair(("1", "残す"), ("2", "削除する")));
        let inside = "Should I A) keep the old format, or B) drop it?";
        assert_eq!(of(inside), pair(("A", "keep the old format"), ("B", "drop it")));
        assert_eq!(of("1) 残す 2) 消す を選んでください"), pair(("1", "残す"), ("2", "消す")));
        assert_eq!(of("A) 残す B) 消す\nどちらで進めますか"), pair(("A", "残す"), ("B", "消す")));
        assert_eq!(of("1) Keep it 2) Drop it\n\nWhich one?"), pair(("1", "Keep it"), ("2", "Drop it")));
    }
}
