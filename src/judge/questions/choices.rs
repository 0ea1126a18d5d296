//! The answers that a question offers, so that one key can give each: the options of a list below it, options
//! in its own words (`1) … 2) …`), or yes and no in its language. What is not certain is no choice: a person
//! can always write.

use super::inline;
use super::wording::Question;
use crate::model::Choice;

/// Yes and no in one language, and by what a question is known that asks for them.
struct YesNo {
    yes: &'static str,
    no: &'static str,
    /// The pair as a writer puts it behind a question.
    pairs: &'static [&'static str],
    /// How the asking clause begins, in lower case.
    begins: &'static [&'static str],
    /// How it ends, without its mark.
    ends: &'static [&'static str],
    /// What asks for more than yes or no.
    asks_more: &'static [&'static str],
}

const LANGUAGES: [YesNo; 7] = [
    YesNo {
        yes: "yes",
        no: "no",
        pairs: &["yes/no", "y/n", "yes or no"],
        begins: &[
            "should i ",
            "shall i ",
            "shall we ",
            "should we ",
            "do you want ",
            "would you like me ",
            "may i ",
            "can i ",
            "want me to ",
            "is it ok",
            "is that ok",
            "is this ok",
            "is that correct",
            "is this correct",
            "does that ",
            "does this ",
            "ok to ",
            "okay to ",
            "do i have ",
        ],
        ends: &[],
        asks_more: &[" or ", "which ", "what ", "how ", "where ", "when ", "who "],
    },
    YesNo {
        yes: "はい",
        no: "いいえ",
        pairs: &["はい/いいえ", "はい／いいえ", "はい・いいえ"],
        begins: &[],
        ends: &["ますか", "ましょうか", "でしょうか", "ですか"],
        asks_more: &[
            "どれ",
            "どの",
            "どちら",
            "どんな",
            "いずれ",
            "何",
            "なに",
            "いつ",
            "どこ",
            "誰",
            "だれ",
            "なぜ",
            "どう",
            "いくつ",
            "それとも",
            "または",
            "か、",
        ],
    },
    YesNo {
        yes: "sí",
        no: "no",
        pairs: &["sí/no", "si/no", "sí o no", "s/n"],
        begins: &[
            "quieres que ",
            "quiere que ",
            "deseas que ",
            "desea que ",
            "debo ",
            "puedo ",
            "procedo",
            "continúo",
            "te parece bien",
            "está bien",
        ],
        ends: &[],
        asks_more: &[" o ", "cuál", "qué ", "cómo ", "dónde", "cuándo"],
    },
    YesNo {
        yes: "oui",
        no: "non",
        pairs: &["oui/non", "oui ou non", "o/n"],
        begins: &[
            "voulez-vous que ",
            "souhaitez-vous que ",
            "veux-tu que ",
            "dois-je ",
            "puis-je ",
            "est-ce que je ",
            "faut-il ",
        ],
        ends: &[],
        asks_more: &[" ou ", "quel", "comment ", "où ", "quand "],
    },
    YesNo {
        yes: "ja",
        no: "nein",
        pairs: &["ja/nein", "j/n", "ja oder nein"],
        begins: &[
            "soll ich ",
            "sollen wir ",
            "möchten sie, dass",
            "möchtest du, dass",
            "darf ich ",
            "kann ich ",
            "ist das in ordnung",
            "ist das ok",
        ],
        ends: &[],
        asks_more: &[" oder ", "welche", " was ", " wie ", "wann ", "wo "],
    },
    YesNo {
        yes: "네",
        no: "아니요",
        pairs: &["예/아니오", "예/아니요", "네/아니요", "네/아니오"],
        begins: &[],
        ends: &["까요", "습니까", "나요"],
        asks_more: &[
            "어떤",
            "어느",
            "무엇",
            "뭐",
            "언제",
            "어디",
            "누구",
            "왜",
            "어떻게",
            "몇",
            "아니면",
            "또는",
        ],
    },
    YesNo {
        yes: "是",
        no: "否",
        pairs: &["是/否", "是/不是", "是／否"],
        begins: &["是否"],
        ends: &["吗", "么"],
        asks_more: &["还是", "哪", "什么", "怎么", "几", "谁", "为何"],
    },
];

/// The answers that a question offers, in its order.
/// `text` is the message in which it stands.
pub(crate) fn choices(question: &Question, text: &str) -> Vec<Choice> {
    if !question.options.is_empty() {
        let choice = |option: &super::wording::Choice| Choice {
            label: option.label.clone(),
            text: option.text.clone(),
        };
        return question.options.iter().map(choice).collect();
    }
    let inside = in_sentence(&question.text);
    if !inside.is_empty() {
        return inside;
    }
    // A pair in brackets behind the mark is a sentence of its own.
    let behind = question.ranges.last().and_then(|range| text.get(range.end..)).unwrap_or_default();
    yes_and_no(&question.text, behind.lines().next().unwrap_or_default())
}

/// Options in the words of the question itself.
fn in_sentence(text: &str) -> Vec<Choice> {
    let choice = |option: inline::Inline<'_>| Choice {
        label: option.label.to_owned(),
        text: trimmed(&text[option.words]),
    };
    inline::options(text).into_iter().map(choice).collect()
}

/// Without the words and marks that join one option to the next.
fn trimmed(text: &str) -> String {
    let marks = |sign: char| sign.is_whitespace() || ",;.?!/、。，；？！(（".contains(sign);
    let text = text.trim_matches(marks);
    let joined = [" or", " and", " oder", " ou", " o", "または", "还是"]
        .iter()
        .find_map(|word| text.strip_suffix(word));
    joined.unwrap_or(text).trim_matches(marks).to_owned()
}

/// Yes and no, if the question asks for one of them and nothing else.
fn yes_and_no(text: &str, behind: &str) -> Vec<Choice> {
    let mut asking = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let (Some(sentence), None) = (asking.next(), asking.next()) else { return Vec::new() };
    let sentence = sentence.to_lowercase().replace('’', "'");
    let bare = |text: &str| text.trim_matches(|sign: char| " \t?？。.¿!！*_)）".contains(sign)).to_owned();
    let whole = bare(&sentence);
    // What asks can be the last clause: "The tests pass; shall I commit?"
    let clause = bare(sentence.rsplit([',', ':', ';', '¿', '—', '，']).next().unwrap_or_default());
    let is_asked = |language: &&YesNo| {
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
    LANGUAGES.iter().find(is_asked).map_or_else(Vec::new, |found| vec![choice(found.yes), choice(found.no)])
}

/// Whether the words stand in the text as words of their own.
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
        let question = classify(text, &Context::default()).question;
        let found = question.map(|question| choices(&question, text)).unwrap_or_default();
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
    }
}
