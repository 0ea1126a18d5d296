//! Patterns for names and paths, in which `*`, `?` and `**` stand for what is not told. Matching takes time proportional
//! to the product of the lengths.

/// A pattern for a whole path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PathPattern(Vec<Part>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    /// Any number of folders, including none.
    Folders,
    /// A name like this one ([`is_like`]).
    Like(String),
    /// A name by its letters.
    Exactly(Vec<u8>),
}

impl PathPattern {
    /// Adds a folder or a name: `**` matches any number of folders, including none, anything else a name that is like
    /// it.
    pub fn push(&mut self, part: &str) {
        self.0.push(if part == "**" { Part::Folders } else { Part::Like(part.to_owned()) });
    }

    /// Adds all names of a path by their letters.
    pub fn push_exactly(&mut self, path: &[u8]) {
        self.0.extend(names(path).map(|name| Part::Exactly(name.to_vec())));
    }

    /// Whether the pattern matches the path.
    pub fn matches(&self, path: &[u8]) -> bool {
        let names: Vec<&[u8]> = names(path).collect();
        is_match(&self.0, &names, |part| *part == Part::Folders, Part::is_of)
    }
}

impl Part {
    fn is_of(&self, name: &&[u8]) -> bool {
        match self {
            Part::Folders => false,
            Part::Like(pattern) => is_like(pattern, name),
            Part::Exactly(exact) => exact == name,
        }
    }
}

fn names(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    path.split(|byte| *byte == b'/').filter(|name| !name.is_empty())
}

/// Whether a name matches a pattern in which `*` stands for any characters and `?` for one. A byte that is no UTF-8
/// counts as a character.
pub fn is_like(pattern: &str, name: &[u8]) -> bool {
    let is_one = |sign: &&[u8], found: &&[u8]| *sign == b"?" || sign == found;
    is_match(&characters(pattern.as_bytes()), &characters(name), |sign| *sign == b"*", is_one)
}

fn characters(text: &[u8]) -> Vec<&[u8]> {
    let of_chunk = |chunk: std::str::Utf8Chunk<'_>| {
        chunk.valid().chars().map(char::len_utf8).chain(chunk.invalid().iter().map(|_| 1)).collect::<Vec<_>>()
    };
    let mut rest = text;
    let lengths = text.utf8_chunks().flat_map(of_chunk);
    lengths.map_while(|length| rest.split_off(..length)).collect()
}

/// Whether a pattern with stars, each of which stands for any number of items, matches all items.
fn is_match<P, I>(
    pattern: &[P],
    items: &[I],
    is_star: impl Fn(&P) -> bool,
    is_one: impl Fn(&P, &I) -> bool,
) -> bool {
    let (mut at_pattern, mut at_item) = (0, 0);
    // Where to resume after the last star, which then matches one more item.
    let mut star: Option<(usize, usize)> = None;
    while at_item < items.len() {
        match pattern.get(at_pattern) {
            Some(part) if is_star(part) => {
                star = Some((at_pattern, at_item));
                at_pattern += 1;
            }
            Some(part) if is_one(part, &items[at_item]) => {
                at_pattern += 1;
                at_item += 1;
            }
            Some(_) | None => {
                let Some((after, taken)) = star else { return false };
                star = Some((after, taken + 1));
                at_pattern = after + 1;
                at_item = taken + 1;
            }
        }
    }
    pattern[at_pattern..].iter().all(is_star)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_and_question_marks_stand_for_characters() {
        let matching = [
            ("", ""),
            ("a*", "a"),
            ("*b*", "abc"),
            ("a*c*e", "abcde"),
            ("?-作業", "é-作業"),
            ("**", "abc"),
            ("a+b.t(x", "a+b.t(x"),
        ];
        for (pattern, name) in matching {
            assert!(is_like(pattern, name.as_bytes()), "{pattern} {name}");
        }
        for (pattern, name) in [("a", ""), ("?", ""), ("?", "ab"), ("a*c", "abcd"), ("a.b", "axb")] {
            assert!(!is_like(pattern, name.as_bytes()), "{pattern} {name}");
        }
        assert!(is_like("a??", b"a\xff\xc3") && is_like("*z", b"\xff\xc3z") && !is_like("a?", b"a\xff\xff"));
    }

    // What a search that tries every split would take years for.
    #[test]
    fn many_stars_take_no_longer_than_the_product_of_the_lengths() {
        assert!(!is_like(&"a*".repeat(200), "a".repeat(5_000).replace("aaaa", "aab").as_bytes()));
        let mut pattern = PathPattern::default();
        for part in ["**", "a"].repeat(100) {
            pattern.push(part);
        }
        pattern.push("z");
        assert!(!pattern.matches("a/".repeat(2_000).as_bytes()));
    }
}
