//! Parses what the git program prints. All formats are NUL- or line-separated and made for programs. An unknown
//! record in `status` is an error, since a missed change would look clean.

use super::reader::{Commit, Entry, Ref, is_rescue};
use crate::git::{Read, trouble};
use crate::model::{ChangeKind, CommitId, ReadProblem};

/// Parses `rev-list` with the fields id, tree, parents, committer time, author time, subject, message, each
/// ended by a NUL.
pub(super) fn commits(answer: &[u8]) -> Vec<Commit> {
    let fields: Vec<&[u8]> = answer.split(|byte| *byte == 0).collect();
    fields
        .chunks_exact(7)
        .filter_map(|fields| {
            let field = |position: usize| String::from_utf8_lossy(fields[position].trim_ascii()).into_owned();
            let id = field(0).parse().ok()?;
            Some(Commit {
                id,
                tree: field(1),
                parents: field(2).split_ascii_whitespace().map(str::parse).collect::<Result<_, _>>().ok()?,
                time: field(3).parse().unwrap_or_default(),
                authored: field(4).parse().unwrap_or_default(),
                subject: field(5),
                is_rescue: is_rescue(fields[6]),
            })
        })
        .collect()
}

/// Parses `for-each-ref`; keeps the references that lead to commits.
pub(super) fn refs(answer: &[u8]) -> Vec<Ref> {
    let text = String::from_utf8_lossy(answer);
    text.lines()
        .filter_map(|line| {
            // Reference names contain no spaces.
            let fields: Vec<&str> = line.split(' ').collect();
            let &[kind, id, peeled_kind, peeled, symref, name] = fields.as_slice() else { return None };
            let commit = match (kind, peeled_kind) {
                ("commit", _) => id,
                (_, "commit") => peeled,
                _ => return None,
            };
            Some(Ref {
                name: name.to_owned(),
                commit: commit.parse().ok()?,
                target: (!symref.is_empty()).then(|| symref.to_owned()),
            })
        })
        .collect()
}

/// Parses `log -g`, newest entry first: id, time, message.
pub(super) fn log(answer: &[u8]) -> Vec<(CommitId, i64, String)> {
    let text = String::from_utf8_lossy(answer);
    let fields: Vec<&str> = text.split('\0').collect();
    fields
        .chunks_exact(3)
        .filter_map(|fields| {
            // `HEAD@{1700000000 +0000}`
            let time = fields[1].rsplit_once('{')?.1.split(' ').next()?.parse().ok()?;
            Some((fields[0].trim().parse().ok()?, time, fields[2].to_owned()))
        })
        .collect()
}

/// Parses `status --porcelain=v2 -z`.
pub(super) fn status(answer: &[u8]) -> Read<Vec<Entry>> {
    let mut entries = Vec::new();
    for record in answer.split(|byte| *byte == 0).filter(|record| !record.is_empty()) {
        let entry = match record[0] {
            b'#' | b'!' => continue,
            b'?' => record.get(2..).map(|path| Entry {
                path: path.to_vec(),
                staged: None,
                unstaged: Some(ChangeKind::Untracked),
            }),
            b'1' => tracked(record),
            // `u XY sub m1 m2 m3 mW h1 h2 h3 path`
            b'u' => record.splitn(11, |byte| *byte == b' ').nth(10).map(|path| Entry {
                path: path.to_vec(),
                staged: None,
                unstaged: Some(ChangeKind::Conflicted),
            }),
            _ => None,
        };
        entries.push(entry.ok_or_else(|| trouble(ReadProblem::Invalid, "git's status was not understood"))?);
    }
    Ok(entries)
}

/// `1 XY sub mH mI mW hH hI path`
fn tracked(record: &[u8]) -> Option<Entry> {
    let fields: Vec<&[u8]> = record.splitn(9, |byte| *byte == b' ').collect();
    let &[staged, unstaged] = *fields.get(1)? else { return None };
    let kind_of = |letter: u8| if letter == b'.' { Some(None) } else { kind(letter).map(Some) };
    Some(Entry { path: fields.get(8)?.to_vec(), staged: kind_of(staged)?, unstaged: kind_of(unstaged)? })
}

/// The kind for a status letter; `None` if the letter is unknown.
fn kind(letter: u8) -> Option<ChangeKind> {
    match letter {
        b'M' => Some(ChangeKind::Modified),
        b'T' => Some(ChangeKind::TypeChanged),
        b'A' => Some(ChangeKind::Added),
        b'D' => Some(ChangeKind::Deleted),
        b'R' | b'C' => Some(ChangeKind::Renamed),
        _ => None,
    }
}

/// Parses `cat-file --batch`: for each name, the content of a tree or nothing.
pub(super) fn trees(output: &[u8]) -> Vec<Option<Vec<u8>>> {
    let mut answers = Vec::new();
    let mut rest = output;
    while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
        let (head, behind) = (String::from_utf8_lossy(&rest[..end]), &rest[end + 1..]);
        let mut words = head.rsplit(' ');
        let size = words.next().and_then(|size| size.parse().ok());
        let found = size.and_then(|size: usize| Some((behind.get(..size)?, behind.get(size + 1..)?)));
        rest = found.map_or(behind, |(_, next)| next);
        let is_tree = words.next() == Some("tree");
        answers.push(found.filter(|_| is_tree).map(|(content, _)| content.to_vec()));
    }
    answers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_record_of_a_status_is_understood() {
        let answer = b"1 AM N... 100644 100644 100644 0 0 a b.txt\0u UU N... 1 1 1 1 0 0 0 c\0? d\n/\0! e\0";
        let entries = status(answer).unwrap();
        let entry = |path: &[u8], staged, unstaged| Entry { path: path.to_vec(), staged, unstaged };
        assert_eq!(
            entries,
            [
                entry(b"a b.txt", Some(ChangeKind::Added), Some(ChangeKind::Modified)),
                entry(b"c", None, Some(ChangeKind::Conflicted)),
                entry(b"d\n/", None, Some(ChangeKind::Untracked)),
            ]
        );
    }

    #[test]
    fn a_record_that_is_not_understood_is_never_clean() {
        for answer in [b"1 XY".as_slice(), b"9 a", b"1 .Z N... 1 1 1 0 0 a", b"u UU"] {
            assert!(status(answer).is_err(), "{answer:?}");
        }
    }
}
