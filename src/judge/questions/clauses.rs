//! What an admission in one clause of a sentence is worth beside the other clauses: "nothing is left, but the build is
//! red" admits, "it failed before, but it passes now" does not. Must not know what a sentence is for.

use super::forms::{Form, FormSet};
use super::language::Language;
use super::lexicon::Search;
use super::{masks, normal};
use crate::judge::words;

/// What may be said of work that is not done.
const UNDONE: [Form; 3] = [Form::Admits, Form::Partial, Form::Stuck];
/// What says beside an admission that it is none.
const NO_ADMISSION: [Form; 5] =
    [Form::AdmitsNot, Form::Subordinate, Form::Condition, Form::IfTrouble, Form::IfWants];

/// What may be said of work that is left.
const LEFT: [Form; 6] =
    [Form::Admits, Form::Partial, Form::Stuck, Form::Progress, Form::Placeholder, Form::OthersWork];
/// Signs that end a part of a sentence.
const ENDS: [char; 11] = [':', ';', ',', '.', '：', '；', '，', '、', '。', '—', '–'];

/// The groups of a sentence of which a part says that nothing is left, and the rest of its words. That part names what
/// is left only to deny it. An exception is left, unless it is the person's to do.
pub(super) fn deny_what_is_left(
    text: &str,
    language: Language,
    forms: FormSet,
    search: &mut Search,
) -> Option<(FormSet, String)> {
    if !forms.has(Form::NothingLeft) {
        return None;
    }
    let lower = text.to_lowercase();
    if words::has(&lower, "excepts") {
        let left = forms.without(Form::NotARequest).with(FormSet::of(&[Form::Partial]));
        let forms = if words::has(&lower, "for_person") { forms } else { left };
        return Some((forms, text.to_owned()));
    }
    let mut read = |part: &str| {
        let normal = normal::form(part, &masks::find(part));
        search.find(language, &normal.spaced, &normal.joined)
    };
    let mut denies = |part: &&str| {
        read(part.trim_end_matches(ENDS)).has(Form::NothingLeft)
            && !words::has(&part.to_lowercase(), "limits")
    };
    let parts = text.split_inclusive(ENDS).flat_map(|part| split(part, language));
    let (denials, rest): (Vec<&str>, Vec<&str>) = parts.partition(|part| denies(part));
    if denials.is_empty() {
        return None;
    }
    let rest = rest.concat();
    let kept = read(&rest).only(&LEFT);
    let forms = LEFT.into_iter().fold(forms, FormSet::without).with(kept).with(FormSet::of(&[Form::Done]));
    Some((forms, rest))
}

/// The groups of a sentence, with those of undone work only if the clause that says so, or one behind it, does not take
/// it back. What stands before that clause takes nothing back. [`Form::AdmitsNot`] then says that an admission is none.
pub(super) fn settle(text: &str, language: Language, forms: FormSet, search: &mut Search) -> FormSet {
    if !forms.any(&UNDONE) && !forms.has(Form::Progress) {
        return forms;
    }
    let lower = text.to_lowercase();
    let mut read = |clause: &str| {
        let normal = normal::form(clause, &masks::find(clause));
        search.find(language, &normal.spaced, &normal.joined)
    };
    let mut settled = forms;
    for form in [Form::Partial, Form::Progress].into_iter().filter(|form| forms.has(*form)) {
        // What the writer gives as a reason for what it did is so now.
        let can_be_reason = form == Form::Progress && !forms.has(Form::Me);
        if is_only_aside(form, can_be_reason, &lower, text, &mut read) {
            settled = settled.without(form);
        }
    }
    if !forms.any(&UNDONE) {
        return settled;
    }
    let clauses = split(text, language);
    let found: Vec<FormSet> = match clauses[..] {
        [_] if !forms.has(Form::Admits) => vec![forms],
        _ => clauses.iter().map(|clause| of_clause(clause, &mut read)).collect(),
    };
    let is_taken_back = |form: Form, by: &[Form]| {
        // Words that reach over several clauses are in none of them.
        let last = found.iter().rposition(|clause| clause.has(form)).unwrap_or_default();
        found[last..].iter().any(|clause| clause.any(by))
    };
    // What was so before and is so still is no matter of the past.
    let goes_on = words::has(&lower, "goes_on");
    for form in UNDONE.into_iter().filter(|form| forms.has(*form) && !goes_on) {
        if is_taken_back(form, &[Form::Unconcerned]) {
            settled = settled.without(form);
        }
    }
    if forms.has(Form::Admits) {
        settled = settled.without(Form::AdmitsNot).without(Form::Subordinate);
        // "The leak is not fixed: I have not found it" needs nothing behind it.
        let begin = text.split(ENDS).next().unwrap_or_default();
        let stands_alone = begin.len() < text.len() && words::has(&begin.to_lowercase(), "not_mended") && {
            let begin = of_clause(begin, &mut read);
            begin.has(Form::Admits) && !begin.any(&NO_ADMISSION)
        };
        if !stands_alone && is_taken_back(Form::Admits, &NO_ADMISSION) {
            settled = settled.with(FormSet::of(&[Form::AdmitsNot]));
        }
    }
    settled
}

/// Whether undone work, or work that goes on, is only in a condition of what the result does ("shows an error if the file
/// is missing"), in its reason, or in the name of what it deals with ("skips entries that are not finished yet").
fn is_only_aside(
    form: Form,
    can_be_reason: bool,
    lower: &str,
    text: &str,
    read: &mut impl FnMut(&str) -> FormSet,
) -> bool {
    if lower.len() != text.len() {
        return false;
    }
    let behind = |from: usize, group: &str| {
        words::of(group).iter().filter_map(|word| lower[from..].find(word)).min().map(|at| from + at)
    };
    let named = behind(0, "deals_with").and_then(|verb| behind(verb, "names_which"));
    let reason = behind(0, "in_reason").filter(|_| can_be_reason);
    behind(0, "under_condition").into_iter().chain(named).chain(reason).any(|begin| {
        let end = lower[begin..].find(ENDS).map_or(text.len(), |length| begin + length);
        let rest = text.get(..begin).zip(text.get(end..));
        rest.is_some_and(|(before, after)| !read(&format!("{before}{after}")).has(form))
    })
}

/// The groups of one clause. Neither "note that" nor "there is still one that" puts what it names under anything, and a
/// reason excuses what it is given for only in so many words: "I skipped it because it does not work" admits.
fn of_clause(clause: &str, read: &mut impl FnMut(&str) -> FormSet) -> FormSet {
    let lower = clause.to_lowercase();
    if lower.len() != clause.len() {
        return read(clause);
    }
    let behind = |group: &str| {
        let ends = words::of(group).iter().filter_map(|word| Some(lower.find(word)? + word.len()));
        ends.min().filter(|at| clause.is_char_boundary(*at))
    };
    let clause = behind("says_that").map_or(clause, |at| &clause[at..]);
    let lower = clause.to_lowercase();
    let whole = read(clause);
    let whole = if words::has(&lower, "not_mended") { whole.without(Form::AdmitsNot) } else { whole };
    if !whole.has(Form::Admits) {
        return whole;
    }
    let reason = words::of("gives_reason").iter().filter_map(|word| lower.find(word)).min();
    if let Some(at) = reason.filter(|at| clause.is_char_boundary(*at)) {
        let main = read(&clause[..at]);
        let excuse = read(&clause[at..]).only(&[Form::AdmitsNot]);
        if main.has(Form::Admits) {
            // That the writer could not do it excuses nothing.
            let is_excused = !words::has(&lower[at..], "writer_cannot");
            return if is_excused { main.with(excuse) } else { main };
        }
    }
    if words::has(&lower, "names_what_is_left") { whole.without(Form::Subordinate) } else { whole }
}

/// Whether the first two numbers beside each other differ: "3 of 7", not "7 of 7". No thing is the zeroth of
/// so many: "phase 0/1" names two.
pub(super) fn counts_a_part(text: &str) -> bool {
    /// So many bytes at most stand between two numbers of one count.
    const NEAR: usize = 24;
    let mut last: Option<(usize, &str)> = None;
    let mut at = 0;
    while let Some(begin) = text[at..].find(|c: char| c.is_ascii_digit()).map(|begin| at + begin) {
        let number = &text[begin..];
        let number = &number[..number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len())];
        at = begin + number.len();
        if number == "0" && is_numbered(&text[text.floor_char_boundary(begin.saturating_sub(NEAR))..begin]) {
            last = None;
            continue;
        }
        if let Some((end, before)) = last
            && begin - end <= NEAR
        {
            return before.trim_start_matches('0') != number.trim_start_matches('0');
        }
        last = Some((at, number));
    }
    false
}

/// Whether words end with what is numbered.
fn is_numbered(lead: &str) -> bool {
    let lower = lead.trim_end().to_lowercase();
    words::of("numbered").iter().any(|noun| lower.ends_with(noun))
}

/// The clauses of a sentence, split before each word that sets one against another.
fn split(text: &str, language: Language) -> Vec<&str> {
    let lower = text.to_lowercase();
    if lower.len() != text.len() {
        return vec![text];
    }
    let mut begins: Vec<usize> = Vec::new();
    let is_french = language == Language::French;
    let of_french = words::of("contrasts_in_french").iter().filter(|_| is_french);
    for word in words::of("contrasts").iter().chain(of_french) {
        begins.extend(lower.match_indices(word).map(|(at, _)| at));
    }
    begins.push(0);
    begins.retain(|at| text.is_char_boundary(*at));
    begins.sort_unstable();
    // Signs alone, as before "but", belong to what follows them.
    let mut last = 0;
    begins.retain(|at| {
        let is_begin = *at == 0 || text[last..*at].contains(char::is_alphanumeric);
        if is_begin {
            last = *at;
        }
        is_begin
    });
    begins.dedup();
    let ends = begins.iter().skip(1).copied().chain([text.len()]);
    begins.iter().zip(ends).map(|(begin, end)| &text[*begin..end]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::questions::{Context, Label, classify};

    #[test]
    fn a_count_is_of_a_part_if_its_numbers_differ() {
        for part in [
            "14 of 17 endpoints", "9/12 files", "17件中14件", "Step 3: 2 of 10", "Step 1/2 is in",
            "0 of 5 pass",
        ] {
            assert!(counts_a_part(part), "{part}");
        }
        for whole in [
            "12 of 12 templates; 3 needed a helper", "all 12 templates", "none", "7", "07 of 7",
            "Phase 0/1 is in", "阶段 0/1",
        ] {
            assert!(!counts_a_part(whole), "{whole}");
        }
    }

    #[test]
    fn what_is_undone_in_a_condition_or_a_name_is_not_of_this_work() {
        let is_undone = |text: &str| {
            let judged = classify(text, &Context::default());
            judged.label == Label::Incomplete || judged.admits
        };
        for harmless in [
            "I finished the page. It shows an error if the file is missing.",
            "I finished the list. It skips entries that are not finished yet.",
            "I finished the import. The first start takes longer because the index is being built.",
            "I finished the page. It no longer fails when the server is down.",
            "I finished the page. After the fix I could not reproduce the crash any more.",
        ] {
            assert!(!is_undone(harmless), "{harmless}");
        }
        for undone in [
            "I finished the page. The list of entries is not finished yet.",
            "I finished the page. Two entries are still missing if I read the ticket right.",
            "I finished the import. The index is still being built.",
            "I finished the page. I left it empty because the texts are still missing.",
            "I stopped here because the build is still running.",
            "I finished the page. I could not reproduce the crash.",
        ] {
            assert!(is_undone(undone), "{undone}");
        }
    }

    #[test]
    fn clauses_begin_with_what_sets_them_against_others() {
        assert_eq!(
            split("It works, but slowly; it is in", Language::English),
            ["It works", ", but slowly", "; it is in"]
        );
        assert_eq!(
            split("検索は動きますが、一覧はまだです", Language::Japanese),
            ["検索は動きます", "が、一覧はまだです"]
        );
        assert_eq!(split("It works", Language::English), ["It works"]);
        assert_eq!(split("Ça marche mais lentement", Language::French), ["Ça marche", " mais lentement"]);
        assert_eq!(
            split("Não trava mais acima de 2 GB", Language::Portuguese),
            ["Não trava mais acima de 2 GB"]
        );
    }
}
