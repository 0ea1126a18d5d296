//! Plain readers of git's files for tests, using nothing but `std::fs`. They share no code with closeout, so
//! that its answers are compared with an independent source, and they start no process. They return `None` for
//! anything they do not understand; the caller then asks git.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The text of a regular file. Anything else fails, because reading a pipe would block.
fn text(path: &Path) -> std::io::Result<String> {
    if path.metadata()?.is_file() {
        fs::read_to_string(path)
    } else {
        Err(std::io::ErrorKind::InvalidInput.into())
    }
}

/// The git directory of the work tree at `top`, and the directory that its worktrees share.
pub(crate) fn git_dirs(top: &Path) -> Option<(PathBuf, PathBuf)> {
    let dot_git = top.join(".git");
    let kind = dot_git.symlink_metadata().ok()?;
    let git_dir = if kind.is_dir() {
        dot_git
    } else if kind.is_file() {
        let text = text(&dot_git).ok()?;
        top.join(text.strip_prefix("gitdir: ")?.trim_end_matches('\n'))
    } else {
        return None;
    };
    let git_dir = git_dir.canonicalize().ok()?;
    let common_dir = match text(&git_dir.join("commondir")) {
        Ok(text) => git_dir.join(text.trim_end_matches('\n')).canonicalize().ok()?,
        Err(_) => git_dir.clone(),
    };
    common_dir.join("refs").is_dir().then_some((git_dir, common_dir))
}

/// Every reference below `refs/` with its content: an id, or `ref: ` and the name of another reference.
pub(crate) fn references(git_dir: &Path, common_dir: &Path) -> Option<BTreeMap<String, String>> {
    if common_dir.join("reftable").exists() {
        return None;
    }
    let packed = match text(&common_dir.join("packed-refs")) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(_) => return None,
    };
    let entries = packed.lines().filter(|line| !line.starts_with(['#', '^']));
    let mut found: BTreeMap<String, String> = entries
        .map(|line| line.split_once(' ').map(|(id, name)| (name.to_owned(), id.to_owned())))
        .collect::<Option<_>>()?;
    add_loose(common_dir, "refs", &mut found)?;
    if git_dir != common_dir {
        // References of this worktree alone: `refs/bisect`, `refs/worktree`, `refs/rewritten`.
        add_loose(git_dir, "refs", &mut found)?;
    }
    Some(found)
}

fn add_loose(git_dir: &Path, name: &str, found: &mut BTreeMap<String, String>) -> Option<()> {
    let folder = match fs::read_dir(git_dir.join(name)) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Some(()),
        folder => folder.ok()?,
    };
    for entry in folder {
        let entry = entry.ok()?;
        let name = format!("{name}/{}", entry.file_name().to_str()?);
        if entry.file_type().ok()?.is_dir() {
            add_loose(git_dir, &name, found)?;
        } else if entry.path().extension().is_none_or(|end| end != "lock") {
            found.insert(name, text(&entry.path()).ok()?.trim_end_matches('\n').to_owned());
        }
    }
    Some(())
}

/// The commit of HEAD; `None` also before the first commit.
pub(crate) fn head(git_dir: &Path, common_dir: &Path) -> Option<String> {
    let is_id =
        |text: &str| matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let mut text = text(&git_dir.join("HEAD")).ok()?.trim_end_matches('\n').to_owned();
    let references = references(git_dir, common_dir)?;
    for _ in 0..5 {
        if is_id(&text) {
            return Some(text);
        }
        text.clone_from(references.get(text.strip_prefix("ref: ")?)?);
    }
    None
}
