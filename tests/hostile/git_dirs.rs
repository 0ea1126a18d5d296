//! Git directories whose parts are links, pipes, loops or other people's.

use std::fs::{self, File};
use std::os::unix::fs::symlink;

use super::Pace::{Quick, Slow};
use super::{SECRET, Way, World};

pub(super) const WAYS: &[Way] = &[
    ("a .git file to the repository of others", Quick, |world| {
        world.write(".git", format!("gitdir: {}\n", world.outside("other/.git").display()));
    }),
    ("a .git link to the repository of others", Quick, |world| world.link(".git", "other/.git")),
    ("a .git file to itself", Quick, |world| world.write(".git", "gitdir: .git\n")),
    ("a .git file to an endless file", Quick, |world| world.write(".git", "gitdir: /dev/zero\n")),
    ("an endless .git", Quick, |world| {
        symlink("/dev/zero", world.clear(".git")).unwrap();
    }),
    (".git is a pipe", Quick, |world| world.fifo(".git")),
    ("a common folder of others", Quick, |world| {
        world.write(".git/commondir", format!("{}\n", world.outside("other/.git").display()));
    }),
    ("a common folder that is itself", Quick, |world| world.write(".git/commondir", ".\n")),
    ("worktrees in a loop", Quick, |world| {
        world.repo.git(["worktree", "add", "-q", "--no-checkout", "-b", "side", "../side"]);
        world.write(".git/worktrees/side/commondir", "../side\n");
        world.write(".git/worktrees/side/gitdir", format!("{}\n", world.at(".git").display()));
    }),
    ("worktrees that are pipes and links", Slow, |world| {
        for (name, file) in [("one", "gitdir"), ("two", "HEAD"), ("three", "commondir")] {
            for other in ["gitdir", "HEAD", "commondir"] {
                world.write(&format!(".git/worktrees/{name}/{other}"), "../..\n");
            }
            world.fifo(&format!(".git/worktrees/{name}/{file}"));
        }
        world.link(".git/worktrees/four", "other");
        world.link(".git/worktrees/five/gitdir", "key");
    }),
    ("thousands of worktrees with odd names", Slow, |world| {
        for n in 0..3000 {
            let folder = world.at(&format!(".git/worktrees/w\u{1b}[5m{n}\n"));
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("gitdir"), format!("/nowhere/{n}/.git\n")).unwrap();
        }
    }),
    ("HEAD leads outside", Quick, |world| world.link(".git/HEAD", "HEAD")),
    ("HEAD names a file outside", Quick, |world| {
        world.write(".git/HEAD", "ref: refs/../../../outside/key\n");
    }),
    ("HEAD is a pipe", Slow, |world| world.fifo(".git/HEAD")),
    ("HEAD with signs for the terminal", Quick, |world| {
        world.write(".git/HEAD", "ref: refs/heads/x\u{1b}]0;x\u{7}\u{202e}\n");
    }),
    ("branches in a circle", Quick, |world| {
        world.write(".git/refs/heads/work", "ref: refs/heads/a\n");
        world.write(".git/refs/heads/a", "ref: refs/heads/work\n");
    }),
    ("the branch leads outside", Quick, |world| world.link(".git/refs/heads/work", "heads/work")),
    ("the branch is a pipe", Slow, |world| world.fifo(".git/refs/heads/work")),
    ("the folder of branches leads outside", Quick, |world| world.link(".git/refs/heads", "heads")),
    ("the folder of references leads outside", Quick, |world| world.link(".git/refs", "")),
    ("packed references lead outside", Quick, |world| {
        world.repo.git(["pack-refs", "--all"]);
        let _ = fs::remove_file(world.at(".git/refs/heads/work"));
        fs::rename(world.at(".git/packed-refs"), world.outside("packed-refs")).unwrap();
        world.link(".git/packed-refs", "packed-refs");
    }),
    ("packed references are a private file", Quick, |world| world.link(".git/packed-refs", "key")),
    ("packed references are a pipe", Slow, |world| world.fifo(".git/packed-refs")),
    ("names of references are options", Quick, |world| {
        let id = world.repo.head();
        for name in ["--output=evil", "-x", "--upload-pack=x"] {
            world.write(&format!(".git/refs/heads/{name}"), format!("{id}\n"));
        }
        world.write(".git/HEAD", "ref: refs/heads/--output=evil\n");
    }),
    ("the logs lead outside", Quick, |world| world.link(".git/logs", "heads")),
    ("the log of HEAD leads outside", Quick, |world| world.link(".git/logs/HEAD", "key")),
    ("the logs are pipes", Slow, |world| {
        world.fifo(".git/logs/HEAD");
        world.fifo(".git/logs/refs/heads/work");
    }),
    ("every object is a pipe", Slow, |world| {
        for folder in fs::read_dir(world.at(".git/objects")).unwrap() {
            for file in fs::read_dir(folder.unwrap().path()).unwrap() {
                world.repo.fifo(&file.unwrap().path());
            }
        }
    }),
    ("a pack is a pipe", Slow, |world| {
        world.repo.git(["repack", "-q", "-a", "-d"]);
        for file in fs::read_dir(world.at(".git/objects/pack")).unwrap() {
            let path = file.unwrap().path();
            if path.extension().is_some_and(|end| end == "pack") {
                world.repo.fifo(&path);
            }
        }
    }),
    ("alternates in a loop and outside", Quick, |world| {
        let text =
            format!("{}\n../objects\n/dev\n/\n\"\\033[5m\"\n", world.outside("other/.git/objects").display());
        world.write(".git/objects/info/alternates", text);
    }),
    ("alternates are endless", Slow, |world| {
        symlink("/dev/zero", world.clear(".git/objects/info/alternates")).unwrap();
    }),
    ("alternates are a pipe", Slow, |world| world.fifo(".git/objects/info/alternates")),
    ("the index leads outside", Quick, |world| world.link(".git/index", "index")),
    ("the index of others", Quick, |world| world.link(".git/index", "other/.git/index")),
    ("the index is a pipe", Slow, |world| world.fifo(".git/index")),
    ("a huge index", Slow, |world| huge_index(world, 900 << 20)),
    ("an index that claims millions", Quick, |world| huge_index(world, 1 << 20)),
    ("locks that lead outside", Quick, |world| {
        for name in ["index.lock", "HEAD.lock", "refs/heads/work.lock", "packed-refs.lock", "config.lock"] {
            world.link(&format!(".git/{name}"), "key");
        }
    }),
    ("the folder of rules leads outside", Quick, |world| world.link(".git/info", "")),
    ("rules and attributes are pipes", Slow, |world| {
        world.fifo(".git/info/exclude");
        world.fifo(".git/info/attributes");
    }),
    ("an operation that leads outside", Quick, |world| {
        world.link(".git/rebase-merge", "");
        world.link(".git/sequencer", "other");
        world.link(".git/MERGE_HEAD", "key");
        world.link(".git/MERGE_MSG", "key");
    }),
    ("an operation that is a pipe", Slow, |world| {
        for name in ["MERGE_HEAD", "MERGE_MSG", "CHERRY_PICK_HEAD", "rebase-merge/head-name", "BISECT_LOG"] {
            world.fifo(&format!(".git/{name}"));
        }
    }),
    ("a shallow file that leads outside", Quick, |world| {
        world.link(".git/shallow", "key");
        world.link(".git/info/grafts", "key");
    }),
    ("a shallow file that is a pipe", Slow, |world| world.fifo(".git/shallow")),
    ("replaced commits", Quick, |world| {
        let id = world.repo.head();
        world.write(&format!(".git/refs/replace/{id}"), format!("{id}\n"));
        world.write(".git/refs/heads/evil", format!("{}\n", "f".repeat(40)));
    }),
    ("a table of references with a lock", Quick, |world| {
        tables(world, |world| world.link(".git/reftable/tables.list.lock", "key"));
    }),
    ("a table of references that is a pipe", Slow, |world| {
        tables(world, |world| world.fifo(".git/reftable/tables.list"));
    }),
    ("a table of references that leads outside", Quick, |world| {
        tables(world, |world| {
            world.write(".git/reftable/tables.list", "../../../outside/key\n/etc/passwd\n");
        });
    }),
];

/// An index with a header that claims four billion entries, and nothing but zeros after it.
fn huge_index(world: &World, size: u64) {
    world.write(".git/index", b"DIRC\0\0\0\x02\xff\xff\xff\xff");
    File::options().write(true).open(world.at(".git/index")).unwrap().set_len(size).unwrap();
}

/// Makes the repository anew with a table of references, then spoils it.
fn tables(world: &World, spoil: fn(&World)) {
    fs::remove_dir_all(world.at(".git")).unwrap();
    world.repo.git(["init", "-q", "-b", "work", "--ref-format=reftable"]);
    world.repo.git(["add", "b"]);
    world.repo.git(["commit", "-q", "-m", &SECRET[..3]]);
    crate::rescue::hostile::arm(&world.repo);
    spoil(world);
}
