//! "Did you mean …?": the known name nearest to a mistyped one.

/// Longer names get no suggestion: nobody mistypes that much, and the comparison is quadratic.
const MAX_CHARS: usize = 40;

/// The candidate nearest to `name`, if it is near enough to be meant: at most one slip for each three
/// signs, letter case apart. A slip is a sign too many, missing, wrong, or two neighbours swapped.
pub(super) fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let folded = |text: &str| -> Vec<char> { text.chars().flat_map(char::to_lowercase).collect() };
    if name.chars().nth(MAX_CHARS).is_some() {
        return None;
    }
    let name = folded(name);
    candidates
        .into_iter()
        .map(|candidate| (slips(&name, &folded(candidate)), candidate))
        .filter(|(n_slips, candidate)| *n_slips <= (candidate.chars().count() / 3).max(1))
        .min()
        .map(|(_, candidate)| candidate)
}

/// Optimal string alignment distance, row by row.
fn slips(a: &[char], b: &[char]) -> usize {
    let mut two_above: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for (row, sign) in a.iter().enumerate() {
        let mut current = vec![row + 1];
        for (column, other) in b.iter().enumerate() {
            let replaced = above[column] + usize::from(sign != other);
            let mut least = replaced.min(above[column + 1] + 1).min(current[column] + 1);
            if row > 0 && column > 0 && *sign == b[column - 1] && a[row - 1] == *other {
                least = least.min(two_above[column - 1] + 1);
            }
            current.push(least);
        }
        two_above = std::mem::replace(&mut above, current);
    }
    above[b.len()]
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

    #[test]
    fn a_swap_counts_once() {
        let signs = |text: &str| text.chars().collect::<Vec<_>>();
        assert_eq!(slips(&signs("ab"), &signs("ba")), 1);
        assert_eq!(slips(&signs(""), &signs("abc")), 3);
        assert_eq!(slips(&signs("kitten"), &signs("sitting")), 3);
    }
}
