//! What the trainers' tools read: the corpora's files, the marks in them, and the last words of the scenarios. For tests only.

pub(super) use tests::{files, folder, open_worlds, stem, unmarked, worlds};

#[cfg(test)]
mod tests {
    use std::fs;
    use std::ops::Range;
    use std::path::{Path, PathBuf};

    /// The folder of a path from the repository's root.
    pub(in crate::judge::questions) fn folder(path: &str) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
    }

    /// The files of a folder that end so, in order.
    pub(in crate::judge::questions) fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
        let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.retain(|path| path.extension().is_some_and(|it| it == extension));
        files.sort();
        files
    }

    /// The name of a file without its extension.
    pub(in crate::judge::questions) fn stem(path: &Path) -> String {
        path.file_stem().unwrap().to_string_lossy().into_owned()
    }

    /// A text without the marks `⟦` and `⟧`, and the places that they marked.
    pub(in crate::judge::questions) fn unmarked(marked: &str) -> (String, Vec<Range<usize>>) {
        let (mut text, mut marks, mut begin) = (String::new(), Vec::new(), 0);
        for character in marked.chars() {
            match character {
                '⟦' => begin = text.len(),
                '⟧' => marks.push(begin..text.len()),
                _ => text.push(character),
            }
        }
        (text, marks)
    }

    /// The last words of the scenarios in which all is done, or would be, were it committed.
    pub(in crate::judge::questions) fn worlds() -> Vec<String> {
        last_words(&["COMPLETE", "RESCUE_NEEDED"])
    }

    /// The last words of the scenarios in which something is open.
    pub(in crate::judge::questions) fn open_worlds() -> Vec<String> {
        last_words(&["INCOMPLETE"])
    }

    /// The last words of the scenarios that end in one of these states.
    fn last_words(states: &[&str]) -> Vec<String> {
        let mut said = Vec::new();
        for path in files(&folder("tests/scenarios"), "toml") {
            let file: toml::Table = fs::read_to_string(&path).unwrap().parse().unwrap();
            let all = file.get("scenario").and_then(toml::Value::as_array);
            for world in all
                .into_iter()
                .flatten()
                .filter(|world| world["expect"].as_str().is_some_and(|state| states.contains(&state)))
            {
                let steps = world.get("steps").and_then(toml::Value::as_array).into_iter().flatten();
                let said_last = steps.filter_map(toml::Value::as_str).rfind(|step| step.contains("say@"));
                let words = said_last.and_then(|step| step.split_once("say@")?.1.split_once(' '));
                let words = words.filter(|(_, words)| !words.starts_with('{'));
                said.extend(words.map(|(_, words)| words.to_owned()));
            }
        }
        said.sort();
        said.dedup();
        said
    }
}
