//! "Did you mean …?": the known name nearest to a mistyped one.

/// Longer names get no suggestion: nobody mistypes that much, and the comparison is quadratic.
const MAX_CHARS: usize = 40;

/// The candidate closest to `name`, if it is close enough to be meant: at most one mistake per three
/// characters, ignoring case. A mistake is an extra, missing or wrong character, or two neighbours swapped.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if name.chars().nth(MAX_CHARS).is_some() {
        return None;
    }
    let name = name.to_lowercase();
    candidates
        .into_iter()
        .map(|candidate| (strsim::osa_distance(&name, &candidate.to_lowercase()), candidate))
        .filter(|(n_slips, candidate)| *n_slips <= (candidate.chars().count() / 3).max(1))
        .min()
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_slip_is_seen_through() {
        let names = ["stall_stage", "offers", "look"];
        assert_eq!(nearest("stal_stage", names), Some("stall_stage"));
        assert_eq!(nearest("offesr", names), Some("offers"));
        assert_eq!(nearest("Look", names), Some("look"));
        assert_eq!(nearest("REPROT", ["REPORT"]), Some("REPORT"));
        assert_eq!(nearest("colour", names), None);
    }
}
