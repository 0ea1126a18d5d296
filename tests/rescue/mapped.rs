//! A program that writes through a shared mapping while a record is made: times and sizes say nothing then.

use std::fs;
use std::process::{Command, Stdio};

use closeout::action::rescue::RescueError;

use super::fixture::*;
use crate::support::repo::Repo;

/// Maps the file given to it and writes one version after the other, each in two halves, until standard input ends. Then
/// it says for how many milliseconds it stood still at most.
const WRITER: &str = "
import mmap, sys, threading, time
file = open(sys.argv[1], 'r+b')
memory = mmap.mmap(file.fileno(), 0)
half, over = len(memory) // 2, threading.Event()
threading.Thread(target=lambda: (sys.stdin.read(), over.set()), daemon=True).start()
print('ready', flush=True)
longest, last, version = 0.0, time.monotonic(), 0
while not over.is_set():
    version = (version + 1) % 250
    for begin in (0, half):
        memory[begin:begin + half] = bytes([version]) * half
        now = time.monotonic()
        longest, last = max(longest, now - last), now
        time.sleep(0.001)
print(int(longest * 1000), flush=True)
";

// C01, for a writer that no time of a file tells of.
#[test]
fn what_is_written_through_memory_is_recorded_as_one_version_or_called_unsettled() {
    use std::io::{BufRead as _, BufReader};
    const SIZE: usize = 1 << 20;
    let repo = Repo::new();
    repo.write("mapped", vec![0; SIZE]).commit("mapped");
    repo.write("other", "1\n");
    let script = repo.root().join("writer.py");
    fs::write(&script, WRITER).unwrap();
    #[expect(clippy::disallowed_methods, reason = "the writer is another process")]
    let started = Command::new("python3")
        .arg(&script)
        .arg(repo.at("mapped"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut writer) = started else { return eprintln!("SKIPPED mapped: python3 is missing") };
    let mut lines = BufReader::new(writer.stdout.take().unwrap()).lines();
    if lines.next().and_then(Result::ok).as_deref() != Some("ready") {
        return eprintln!("SKIPPED mapped: python3 cannot map a file here");
    }
    let (mut n_settled, mut mixed) = (0, Vec::new());
    for round in 0..4 {
        repo.write("other", format!("{round}\n"));
        let record = match rescuer(&repo).record(repo.path()) {
            Ok(record) if record.vault.is_none() => record,
            Ok(_) | Err(RescueError::Git { .. }) => continue,
            Err(error) => panic!("{error:?}"),
        };
        let stored = content(&repo, &record.snapshot, b"mapped").unwrap();
        assert_eq!(stored.len(), SIZE);
        if record.is_settled {
            n_settled += 1;
            mixed.extend((stored[0] != stored[SIZE - 1]).then_some(round));
        }
    }
    drop(writer.stdin.take());
    let longest: u64 = lines.next().unwrap().unwrap().parse().unwrap();
    writer.wait().unwrap();
    eprintln!("mapped: {n_settled} of 4 settled, the writer stood still for {longest} ms at most");
    // What stood still this long was on the disk like that in two readings.
    assert!(mixed.is_empty() || longest >= 15, "{mixed:?} mix two versions; {longest} ms");
}
