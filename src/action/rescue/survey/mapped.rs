//! Which files the processes of this machine can write to through shared memory: such a write leaves times and
//! sizes as they are. It must not open any of these files.

use std::collections::BTreeSet;
use std::fs;

/// The inodes of all files that a process has mapped for shared writing. Only processes whose maps this user may
/// read are known; the inode of another file system's file costs no more than a second reading.
pub(crate) fn inodes() -> BTreeSet<u64> {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let is_process = |entry: &fs::DirEntry| {
        entry.file_name().to_str().is_some_and(|name| name.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let mut found = BTreeSet::new();
    for process in processes.filter(is_process) {
        // A process may have ended, or be another user's.
        let maps = fs::read(process.path().join("maps")).unwrap_or_default();
        found.extend(maps.split(|byte| *byte == b'\n').filter_map(written));
    }
    found
}

/// The inode in a line of `/proc/PID/maps` (proc(5)), if the mapping is shared and can be written to.
fn written(line: &[u8]) -> Option<u64> {
    let mut fields = line.split(|byte| *byte == b' ');
    let may = fields.nth(1)?;
    if may.get(1) != Some(&b'w') || may.get(3) != Some(&b's') {
        return None;
    }
    let inode = std::str::from_utf8(fields.nth(2)?).ok()?.parse().ok()?;
    (inode != 0).then_some(inode)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_shared_mappings_that_can_be_written_to_count() {
        for (line, inode) in [
            ("7f0c5a000000-7f0c5a100000 rw-s 00000000 fe:00 1234   /w/data file", Some(1234)),
            ("7f0c5a000000-7f0c5a100000 -w-s 00001000 00:1a 7 /w/d", Some(7)),
            ("7f0c5a000000-7f0c5a100000 r--s 00000000 fe:00 1234   /w/data", None),
            ("7f0c5a000000-7f0c5a100000 rw-p 00000000 fe:00 1234   /w/data", None),
            ("7f0c5a000000-7f0c5a100000 rw-s 00000000 00:00 0 ", None),
            ("7f0c5a000000", None),
            ("", None),
        ] {
            assert_eq!(written(line.as_bytes()), inode, "{line}");
        }
    }
}
