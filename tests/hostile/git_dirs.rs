//! Git directories whose parts are links, pipes, loops or other people's.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::Path;

use super::Pace::{Quick, Slow};
use super::{Hostility, SECRET, World};

pub(super) const WAYS: &[Hostility] = &[
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
    ("the objects lead outside", Quick, |world| lead_out(world, ".git/objects")),
    ("the packs lead outside", Quick, |world| lead_out(world, ".git/objects/pack")),
    ("folders of objects lead outside", Quick, |world| {
        for folder in fs::read_dir(world.at(".git/objects")).unwrap() {
            let name = folder.unwrap().file_name().into_string().unwrap();
            if name.len() == 2 {
                lead_out(world, &format!(".git/objects/{name}"));
            }
        }
        // Free names too: git would make the folder of a new object there.
        for n in 0..256 {
            let name = format!(".git/objects/{n:02x}");
            if world.at(&name).symlink_metadata().is_err() {
                world.link(&name, "");
            }
        }
    }),
    ("closeout's own references lead outside", Quick, |world| world.link(".git/refs/closeout", "heads")),
    ("closeout's own records lead outside", Quick, |world| {
        world.link(".git/refs/closeout/rescue", "heads");
        world.link(".git/refs/closeout/visible", "heads");
    }),
    ("logs of closeout's own references lead outside", Quick, |world| {
        world.configure("[core]\n\tlogAllRefUpdates = always\n");
        world.link(".git/logs/refs/closeout", "heads");
    }),
    ("the log of the branch leads outside", Quick, |world| world.link(".git/logs/refs/heads/work", "key")),
    ("the logs of branches lead outside", Quick, |world| world.link(".git/logs/refs/heads", "heads")),
    ("logs have a second name outside", Quick, |world| {
        for name in ["logs/HEAD", "logs/refs/heads/work"] {
            let name = format!(".git/{name}");
            fs::hard_link(world.outside("key"), world.clear(&name)).unwrap();
        }
    }),
    ("everything has a second name outside", Quick, |world| {
        world.repo.git(["repack", "-q", "-a", "-d"]);
        world.repo.git(["pack-refs", "--all"]);
        second_names(&world.at(".git"), &world.outside("names"));
    }),
    ("a table of references is outside", Quick, |world| {
        tables(world, |world| lead_out(world, ".git/reftable"));
    }),
    ("the list of a table of references is outside", Quick, |world| {
        tables(world, |world| lead_out(world, ".git/reftable/tables.list"));
    }),
    ("an empty .git above a trap", Quick, |world| {
        fs::rename(world.at(".git"), world.repo.root().join(".git")).unwrap();
        fs::create_dir(world.at(".git")).unwrap();
    }),
    ("an empty .git with links to another repository", Quick, |world| {
        let _ = fs::remove_dir_all(world.at(".git"));
        for name in ["HEAD", "config", "objects", "refs", "logs", "index", "info", "hooks", "packed-refs"] {
            world.link(&format!(".git/{name}"), &format!("other/.git/{name}"));
        }
    }),
    ("a work tree as git-new-workdir makes it", Quick, |world| {
        let _ = fs::remove_dir_all(world.at(".git"));
        for name in ["config", "objects", "refs", "logs/refs", "info", "hooks", "packed-refs"] {
            world.link(&format!(".git/{name}"), &format!("other/.git/{name}"));
        }
        for name in ["HEAD", "index"] {
            fs::copy(world.outside("other/.git").join(name), world.clear(&format!(".git/{name}"))).unwrap();
        }
    }),
    ("a worktree with links of its own", Quick, |world| {
        worktree(world);
        let own = world.repo.root().join("main/.git/worktrees/clone");
        for (name, to) in [("index", "key"), ("logs/HEAD", "key"), ("refs", "heads")] {
            let _ = fs::remove_file(own.join(name));
            symlink(world.outside(to), own.join(name)).unwrap();
        }
    }),
    ("a worktree whose shared folder has links", Quick, |world| {
        worktree(world);
        let shared = world.repo.root().join("main/.git");
        for name in ["objects/pack", "refs/heads", "logs"] {
            let (path, to) = (shared.join(name), world.outside("moved").join(name));
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            fs::rename(&path, &to).unwrap();
            symlink(&to, &path).unwrap();
        }
    }),
    ("a common folder by a link", Quick, |world| {
        world.link(".git/commondir", "key");
    }),
    ("objects are borrowed from outside", Quick, |world| {
        let from = world.at(".git/objects");
        let to = world.outside("store");
        fs::rename(&from, &to).unwrap();
        fs::create_dir_all(from.join("info")).unwrap();
        fs::create_dir(from.join("pack")).unwrap();
        fs::write(from.join("info/alternates"), format!("{}\n", to.display())).unwrap();
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

/// Moves a path of the clone outside and puts a link in its place.
fn lead_out(world: &World, name: &str) {
    let to = world.outside("moved").join(name);
    fs::create_dir_all(to.parent().unwrap()).unwrap();
    fs::rename(world.at(name), &to).unwrap();
    symlink(&to, world.at(name)).unwrap();
}

/// Gives every file below `folder` a second name below `to`.
fn second_names(folder: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(folder).unwrap() {
        let (path, name) = {
            let entry = entry.unwrap();
            (entry.path(), entry.file_name())
        };
        if path.is_dir() {
            second_names(&path, &to.join(name));
        } else {
            fs::hard_link(&path, to.join(name)).unwrap();
        }
    }
}

/// Makes the clone a linked worktree of a repository beside it.
fn worktree(world: &World) {
    let main = world.repo.root().join("main");
    fs::create_dir(&main).unwrap();
    fs::rename(world.at(".git"), main.join(".git")).unwrap();
    let own = main.join(".git/worktrees/clone");
    fs::create_dir_all(own.join("logs")).unwrap();
    for (name, text) in [
        ("HEAD", "ref: refs/heads/side\n".to_owned()),
        ("commondir", "../..\n".to_owned()),
        ("gitdir", format!("{}\n", world.at(".git").display())),
    ] {
        fs::write(own.join(name), text).unwrap();
    }
    fs::copy(main.join(".git/index"), own.join("index")).unwrap();
    fs::copy(main.join(".git/refs/heads/work"), main.join(".git/refs/heads/side")).unwrap();
    fs::write(world.at(".git"), format!("gitdir: {}\n", own.display())).unwrap();
}

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
