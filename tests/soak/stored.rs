//! What git reads from a commit, compared byte for byte with the work tree.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, Result, bail, ensure};

use super::cycle_action::CycleAction;
use super::photo::WorkTree;
use super::shot::Shot;
use super::tally::Tally;
use super::world::World;

pub(crate) fn without_returns(bytes: &[u8]) -> Vec<u8> {
    String::from_utf8_lossy(bytes).replace("\r\n", "\n").into_bytes()
}

pub(crate) fn is_mode(git: &str, disk: u32) -> bool {
    match disk & 0o170_000 {
        0o120_000 => git == "120000",
        0o100_000 => git == if disk & 0o100 == 0 { "100644" } else { "100755" },
        _ => false,
    }
}

/// Mode and object id of each path.
pub(crate) fn tree(world: &World, commit: &str) -> Result<BTreeMap<Vec<u8>, (String, String)>> {
    let listed = world.git_with(&["ls-tree", "-r", "-z", "--full-tree", commit], b"")?;
    let mut tree = BTreeMap::new();
    for record in listed.split(|byte| *byte == 0).filter(|record| !record.is_empty()) {
        let tab = record.iter().position(|byte| *byte == b'\t').context("no tab")?;
        let fields: Vec<&str> = std::str::from_utf8(&record[..tab])?.split(' ').collect();
        tree.insert(record[tab + 1..].to_vec(), (fields[0].to_owned(), fields[2].to_owned()));
    }
    Ok(tree)
}

/// The contents of these objects, by id.
pub(crate) fn contents<'a>(
    world: &World,
    ids: impl Iterator<Item = &'a str>,
) -> Result<BTreeMap<String, Vec<u8>>> {
    let input = ids.flat_map(|id| [id, "\n"]).collect::<String>();
    let answer = world.git_with(&["cat-file", "--batch"], input.as_bytes())?;
    let (mut rest, mut contents) = (&answer[..], BTreeMap::new());
    while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
        let header: Vec<&str> = std::str::from_utf8(&rest[..end])?.split(' ').collect();
        let [id, "blob", size] = header[..] else { bail!("{header:?} is no content") };
        let size: usize = size.parse()?;
        contents.insert(id.to_owned(), rest[end + 1..end + 1 + size].to_vec());
        rest = &rest[end + 2 + size..];
    }
    Ok(contents)
}

/// Checks that what was reported as saved holds the work tree byte for byte.
pub(crate) fn compare_saved(
    world: &World,
    cycle_action: CycleAction,
    shot: &Shot,
    work_tree: &WorkTree,
    tally: &mut Tally,
    known: &mut BTreeSet<String>,
) -> Result<()> {
    let mut saved = shot.saved.clone();
    if let (CycleAction::Record, Some((true, reference))) = (cycle_action, &shot.outcome) {
        saved.push(reference.clone());
    }
    for reference in saved {
        let stored = tree(world, &reference)?;
        let contents = contents(world, stored.values().map(|(_, id)| &id[..]))?;
        let expected = work_tree.iter().filter(|(path, (mode, ..))| {
            let is_folder = mode & 0o170_000 == 0o040_000;
            let text = String::from_utf8_lossy(path);
            !is_folder && !text.split('/').any(|part| part == ".git")
        });
        for (path, (mode, bytes, _)) in expected {
            let Some((git_mode, id)) = stored.get(path) else {
                // Ignored files are in a record only if git tracks them.
                ensure!(path.starts_with(b"x.ign"), "{} is missing", String::from_utf8_lossy(path));
                continue;
            };
            ensure!(
                is_mode(git_mode, *mode) && contents.get(id) == Some(bytes),
                "{} is not as on the disk",
                String::from_utf8_lossy(path)
            );
        }
        for path in stored.keys() {
            ensure!(work_tree.contains_key(path), "{} is not on the disk", String::from_utf8_lossy(path));
        }
        tally.n_saved += 1;
        known.insert(reference);
    }
    Ok(())
}
