//! Whether last words put off a part of what was asked for (DESIGN.md 2.2: "deferring what a prompt names is" an
//! admission). A follow-up that the prompt agreed to, and one about something else, is none.

/// Words that put something off.
const PUTS_OFF: [&str; 24] = [
    "follow-up",
    "follow up",
    "followup",
    "for later",
    "later pr",
    "another pr",
    "separate pr",
    "next pr",
    "future pr",
    "separate commit",
    "next session",
    "next iteration",
    "postpone",
    "deferred",
    "i defer",
    "skipped",
    "left out",
    "out of scope",
    "not included",
    "did not include",
    "didn't include",
    "zurückgestellt",
    "für später",
    "in a later",
];
/// Words of a prompt that name nothing.
const EMPTY: [&str; 14] = [
    "with", "that", "this", "from", "into", "please", "then", "also", "when", "your", "commit", "make",
    "should", "have",
];

/// The sentence that puts off what `prompts` name and no other sentence speaks of.
pub(super) fn deferral<'t>(text: &'t str, prompts: &[&str]) -> Option<&'t str> {
    let asked = prompts.join("\n").to_lowercase();
    if PUTS_OFF.iter().any(|phrase| asked.contains(phrase)) {
        return None;
    }
    let asked: Vec<&str> =
        words(&asked).filter(|word| word.chars().count() > 3 && !EMPTY.contains(word)).collect();
    let sentences: Vec<&str> = text.split(['.', '!', '?', '\n', ';', '。']).map(str::trim).collect();
    let lower: Vec<String> = sentences.iter().map(|sentence| sentence.to_lowercase()).collect();
    let puts_off = |sentence: &str| PUTS_OFF.iter().any(|phrase| sentence.contains(phrase));
    let is_told =
        |word: &str| lower.iter().any(|other| !puts_off(other) && words(other).any(|told| told == word));
    let is_deferral = |sentence: &String| {
        puts_off(sentence) && words(sentence).any(|word| asked.contains(&word) && !is_told(word))
    };
    lower.iter().position(is_deferral).map(|at| sentences[at])
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_prompt_names_is_deferred() {
        let prompt = ["Add a login page and a logout button."];
        let text = "I added the login page. I left the logout button for a follow-up.";
        assert_eq!(deferral(text, &prompt), Some("I left the logout button for a follow-up"));
        for text in [
            "I added the login page and the logout button. Rate limiting could be a follow-up.",
            "I added the login page and the logout button. Styling of the login is left out.",
            "I added both.",
        ] {
            assert_eq!(deferral(text, &prompt), None, "{text}");
        }
        let agreed = ["Add a login page; the logout button can be a follow-up."];
        assert_eq!(deferral("I left the logout button for a follow-up.", &agreed), None);
    }
}
