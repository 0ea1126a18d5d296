//! A tool for `tests/corpus/train.py`: the language files as a stranger's message meets them, without the phrases, and
//! the alternatives in phrases, that the messages of one repository alone have ever shown. Trees and certainty that
//! are measured with them say what to expect of repositories that nobody has seen. Must not judge.

#[cfg(test)]
pub(super) mod tests {
    use std::collections::BTreeSet;
    use std::ops::Range;
    use std::path::{Path, PathBuf};

    use serde_json::Value;
    use strum::VariantArray as _;

    use crate::judge::questions::building::Builder;
    use crate::judge::questions::document::Document;
    use crate::judge::questions::forms::{Form, FormSet};
    use crate::judge::questions::language::Language;
    use crate::judge::questions::language_file::LanguageFile;
    use crate::judge::questions::network::Network;
    use crate::judge::questions::notation::{self, Spacing};
    use crate::judge::questions::walk::Walk;
    use crate::judge::questions::writing;

    /// Messages that were written for this project count as one more repository.
    const MADE: [&str; 7] = ["dev", "own", "fresh-a", "fresh-b", "fresh-c", "fresh-d", "variants"];

    /// A sentence with the repository that it is from; empty for those made here.
    struct Source {
        group: String,
        spaced: String,
        joined: String,
    }

    /// The files of labelled messages in the folder that `CLOSEOUT_NATURAL` names, but for those that only measure.
    pub(in crate::judge::questions) fn natural_files() -> Vec<PathBuf> {
        let folder = std::env::var_os("CLOSEOUT_NATURAL").unwrap();
        let mut files: Vec<_> =
            std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.retain(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
        files.retain(|path| path.file_stem() != Some("check".as_ref()));
        files.sort();
        files
    }

    /// The sentences of all messages, by language.
    fn sentences(natural: Vec<PathBuf>) -> Vec<Vec<Source>> {
        let made = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
        let files = MADE.iter().map(|name| made.join(name).with_extension("jsonl"));
        let mut out: Vec<Vec<Source>> = Language::VARIANTS.iter().map(|_| Vec::new()).collect();
        for file in files.chain(natural) {
            for line in std::fs::read_to_string(file).unwrap().lines() {
                let message: Value = serde_json::from_str(line).unwrap();
                let group = message["group"].as_str().unwrap_or_default();
                for sentence in Document::read(message["text"].as_str().unwrap()).sentences {
                    let (spaced, joined) = (sentence.normal.spaced, sentence.normal.joined);
                    out[sentence.language as usize].push(Source { group: group.to_owned(), spaced, joined });
                }
            }
        }
        out
    }

    /// Which of the sentences have the phrase; `None` if it cannot be read.
    fn having<'s>(phrase: &str, words: Spacing, among: &[&'s Source]) -> Option<Vec<&'s Source>> {
        let mut builder = Builder::new();
        notation::add(&mut builder, phrase, words, FormSet::of(&[Form::Direct])).ok()?;
        let written = writing::write(&builder.finish()).ok()?;
        let network = Network::read(&written);
        let mut walk = Walk::default();
        let found = |source: &&&Source| {
            let found = match words {
                Spacing::Spaced => walk.words(&network, &source.spaced),
                Spacing::Joined => {
                    let simple = crate::judge::questions::han::simplified(&source.joined);
                    let simple = simple.map_or(FormSet::EMPTY, |simple| walk.characters(&network, &simple));
                    walk.characters(&network, &source.joined).with(simple)
                }
            };
            found != FormSet::EMPTY
        };
        Some(among.iter().filter(found).copied().collect())
    }

    /// Whether all of the sentences are from one repository, and that is not this one.
    fn are_of_one_repository(sources: &[&Source]) -> bool {
        let groups: BTreeSet<&str> = sources.iter().map(|source| source.group.as_str()).collect();
        groups.len() == 1 && !groups.contains("")
    }

    /// Each alternative of a phrase: its bytes, and the phrase with this one alone in its brackets.
    fn alternatives(phrase: &str) -> Vec<(Range<usize>, String)> {
        let (mut out, mut open): (Vec<_>, Vec<Vec<usize>>) = (Vec::new(), Vec::new());
        let mut bytes = phrase.bytes().enumerate();
        while let Some((at, byte)) = bytes.next() {
            match byte {
                b'\\' => drop(bytes.next()),
                b'(' => open.push(vec![at]),
                b'|' => open.iter_mut().last().into_iter().for_each(|bars| bars.push(at)),
                b')' => {
                    let Some(mut bars) = open.pop() else { continue };
                    bars.push(at);
                    let parts = bars.windows(2).filter(|part| bars.len() > 2 && part[0] + 1 < part[1]);
                    out.extend(parts.map(|part| {
                        let own = &phrase[part[0] + 1..part[1]];
                        (part[0] + 1..part[1], format!("{}{own}{}", &phrase[..=bars[0]], &phrase[at..]))
                    }));
                }
                _ => {}
            }
        }
        out
    }

    /// The phrase without what only one repository shows; `None` if nothing is left of it.
    fn reduced(phrase: &str, words: Spacing, all: &[&Source]) -> Option<String> {
        let Some(sources) = having(phrase, words, all) else { return Some(phrase.to_owned()) };
        if are_of_one_repository(&sources) {
            return None;
        }
        let mut cut: Vec<Range<usize>> = alternatives(phrase)
            .into_iter()
            .filter(|(_, alone)| {
                having(alone, words, &sources).is_some_and(|own| are_of_one_repository(&own))
            })
            .map(|(range, _)| range)
            .collect();
        cut.sort_by_key(|range| std::cmp::Reverse(range.start));
        let mut left = phrase.to_owned();
        for Range { start, end } in cut {
            // The bar goes too: the one before, or that after the first alternative.
            let (from, to) = if left[..start].ends_with('|') { (start - 1, end) } else { (start, end + 1) };
            if left.is_char_boundary(to.min(left.len())) {
                left.replace_range(from..to.min(left.len()), "");
            }
        }
        Some(left)
    }

    #[test]
    #[ignore = "a tool: it needs the natural messages, which are no part of the repository"]
    fn write_the_languages_as_strangers_meet_them() {
        let out = PathBuf::from(std::env::var_os("CLOSEOUT_STRANGERS").unwrap());
        let sentences = sentences(natural_files());
        for language in Language::VARIANTS {
            let name = format!("{}.toml", language.code());
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/lang").join(&name);
            let text = std::fs::read_to_string(path).unwrap();
            let words = toml::from_str::<LanguageFile>(&text).unwrap().words;
            let all: Vec<&Source> = sentences[*language as usize].iter().collect();
            let mut file: toml::Table = toml::from_str(&text).unwrap();
            for (_, group) in file["forms"].as_table_mut().unwrap() {
                let group = group.as_table_mut().unwrap();
                let Some(phrases) = group.get_mut("phrases").and_then(toml::Value::as_array_mut) else {
                    continue;
                };
                *phrases = phrases
                    .iter()
                    .filter_map(|phrase| {
                        reduced(phrase.as_str().unwrap(), words, &all).map(toml::Value::String)
                    })
                    .collect();
            }
            std::fs::write(out.join(name), toml::to_string(&file).unwrap()).unwrap();
        }
    }
}
