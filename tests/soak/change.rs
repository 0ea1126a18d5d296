//! Random changes as a person or an agent makes them. A change that is impossible in the current state is
//! skipped, but still drawn, so that the sequence stays reproducible.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::time::{Duration, SystemTime};

use anyhow::Result;

use super::random::Random;
use super::world::{NAMES, World};

/// Makes one change.
pub(crate) fn make(world: &World, random: &mut Random) -> Result<()> {
    let name = *random.one_of(&NAMES);
    let other = *random.one_of(&NAMES);
    let (number, kind) = (random.next(), random.below(26));
    let path = world.top().join(name);
    let content = content(name, number);
    match kind {
        0..7 => world.write(name, &content)?,
        7 => {
            // Staged in one version, with another in the file.
            world.write(name, &content)?;
            world.try_git(&["add", "--", name])?;
            world.write(name, &[&content[..], b"and more\n"].concat())?;
        }
        8 | 9 => drop(world.try_git(&["add", "--", name])?),
        10 => drop(world.try_git(&["add", "-A"])?),
        11 => drop(world.try_git(&["add", "-N", "--", name])?),
        12 => drop(world.try_git(&["rm", "-q", "--cached", "--", name])?),
        13 | 14 => remove(world, name),
        15 => drop(fs::rename(&path, world.top().join(other))),
        16 => drop(world.try_git(&["mv", "--", name, other])?),
        17 => {
            let mode = if number.is_multiple_of(2) { 0o755 } else { 0o644 };
            if path.is_file() && !path.is_symlink() {
                fs::set_permissions(&path, fs::Permissions::from_mode(mode))?;
            }
        }
        18 => {
            remove(world, name);
            let target = ["nowhere", "/etc/hostname", "src", "a"][random.below(4)];
            drop(std::os::unix::fs::symlink(target, &path));
        }
        19 => {
            // A folder replaces a file.
            if path.is_file() {
                remove(world, name);
                world.write(&format!("{name}/inner"), &content)?;
            }
        }
        20 => world.write(["secret/.env", "key.pem", "node_modules/x/y.js"][random.below(3)], &content)?,
        21 => {
            let flag = if number.is_multiple_of(2) { "--assume-unchanged" } else { "--no-assume-unchanged" };
            world.try_git(&["update-index", flag, "--", name])?;
        }
        22 => old_time(&path, number),
        23 => drop(world.try_git(&["status"])?),
        24 => drop(world.try_git(&["commit", "-q", "-m", "agent"])?),
        _ => rare(world, number)?,
    }
    Ok(())
}

fn rare(world: &World, number: u64) -> Result<()> {
    match number % 5 {
        0 => drop(world.try_git(&["pack-refs", "--all"])?),
        1 => drop(world.try_git(&["gc", "-q", "--prune=now"])?),
        2 => {
            world.write("nested/file", b"nested\n")?;
            world.try_git(&["init", "-q", "nested"])?;
        }
        3 => drop(world.try_git(&["tag", &format!("t{number}")])?),
        _ => drop(world.try_git(&["commit", "-q", "--amend", "-m", "amended"])?),
    }
    Ok(())
}

fn content(name: &str, number: u64) -> Vec<u8> {
    match number % 8 {
        0 => Vec::new(),
        1 => number.to_le_bytes().repeat(2000),
        2 => format!("{name}\r\nwith\r\n{number}\r\n").into_bytes(),
        _ => format!("{name}\n{number}\n").into_bytes(),
    }
}

fn remove(world: &World, name: &str) {
    let path = world.top().join(name);
    // One of the two calls is right, or nothing is there.
    let _ = fs::remove_file(&path);
    let _ = fs::remove_dir_all(&path);
}

fn old_time(path: &std::path::Path, number: u64) {
    let time = SystemTime::UNIX_EPOCH + Duration::new(1_600_000_000 + number % 1_000_000, 5);
    if path.is_file()
        && !path.is_symlink()
        && let Ok(file) = fs::File::options().write(true).open(path)
    {
        // If the time cannot be set, nothing changes.
        let _ = file.set_modified(time);
    }
}
