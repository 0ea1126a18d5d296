//! Work trees: links at each component, pipes in each place, repositories inside, names and depths.

use std::fs::{self, File};
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use rustix::fs::{Mode, OFlags, mkdirat, openat};

use super::Pace::{Quick, Slow};
use super::{Hostility, World};

pub(super) const WAYS: &[Hostility] = &[
    ("links in the place of files", Quick, |world| {
        world.link("b", "key");
        world.link("new/deep/x", "key");
        for (n, to) in ["/dev/zero", "/proc/self/environ", "/proc/self/mem", "link0", "/"].iter().enumerate()
        {
            symlink(to, world.at(&format!("link{n}"))).unwrap();
        }
    }),
    ("links in the place of folders", Quick, |world| {
        world.link("src", "");
        world.link("new", "other");
        symlink(".", world.at("loop")).unwrap();
    }),
    ("pipes in the place of files", Quick, |world| {
        for name in ["b", "src/a.rs", "new/pipe", "README", "TODO.md", "plan.md", ".closeout/plan.json"] {
            world.fifo(name);
        }
    }),
    ("rules in the work tree are pipes", Slow, |world| {
        for name in [
            ".gitignore", "src/.gitignore", ".gitattributes", "new/.gitattributes", ".gitmodules", ".mailmap",
        ] {
            world.fifo(name);
        }
    }),
    ("rules in the work tree lead outside", Quick, |world| {
        for name in [".gitignore", "src/.gitignore", ".gitattributes", ".gitmodules", ".mailmap"] {
            world.link(name, "key");
        }
    }),
    ("settings of agents lead outside", Quick, |world| {
        world.link(".claude/settings.json", "settings.json");
        world.link(".claude/settings.local.json", "settings.json");
        world.link(".codex", "");
        world.link(".gemini/settings.json", "settings.json");
        world.link(".opencode", "");
        world.link("opencode.json", "settings.json");
    }),
    ("the folder of an agent's settings leads outside", Quick, |world| {
        world.link(".claude", "");
        world.link(".gemini", "other");
    }),
    ("settings of agents are pipes", Quick, |world| {
        for name in [
            ".claude/settings.json", ".claude/settings.local.json", ".codex/hooks.json",
            ".codex/config.toml", ".gemini/settings.json", "opencode.json",
        ] {
            world.fifo(name);
        }
    }),
    ("settings of agents are huge and deep", Quick, |world| {
        world.write(".claude/settings.json", format!("{{\"hooks\": {}", "[".repeat(2_000_000)));
        world.write(".gemini/settings.json", " ".repeat(20_000_000));
    }),
    ("hooks of agents that name programs", Quick, |world| {
        let program = world.program();
        let hooks = format!(
            "{{\"hooks\":{{\"Stop\":[{{\"hooks\":[{{\"type\":\"command\",\"command\":\"{program}\"}}]}}]}},\"apiKeyHelper\":\"{program}\",\
             \"statusLine\":{{\"type\":\"command\",\"command\":\"{program}\"}}}}"
        );
        world.write(".claude/settings.json", &hooks);
        world.write(".gemini/settings.json", &hooks);
    }),
    ("reports of tests are pipes, links and bombs", Quick, |world| {
        world.fifo("target/nextest/default/junit.xml");
        world.link("junit.xml", "key");
        world.link("test-results", "");
        let bomb = (0..9).fold("<!DOCTYPE t [<!ENTITY a0 \"ha\">".to_owned(), |text, n| {
            text + &format!("<!ENTITY a{} \"{}\">", n + 1, format!("&a{n};").repeat(10))
        });
        world.write(
            "build/test-results/test/TEST-x.xml",
            format!("{bomb}]><testsuite name=\"&a9;\"></testsuite>"),
        );
        world.write("report.xml", "<a>".repeat(500_000));
    }),
    ("a thousand folders in each other", Quick, |world| deep(world, 1000)),
    ("five thousand folders in each other", Slow, |world| deep(world, 5000)),
    ("twenty thousand folders beside each other", Slow, |world| {
        for n in 0..20_000 {
            fs::create_dir_all(world.at(&format!("wide/{n}"))).unwrap();
        }
        world.write("wide/1/f", "1\n");
    }),
    ("names that are options, patterns and signs for the terminal", Quick, |world| {
        for name in [
            "-rf", "--output=x", ":(exclude)b", "*", "a\nb", "\u{1b}]0;x\u{7}", "\u{202e}txt",
            "'; touch x; '", "$(@)", "a\tb\"c\\",
        ] {
            world.write(name, "1\n");
        }
        let raw = std::ffi::OsString::from_vec(b"\xff\xfe\x9b5m".to_vec());
        fs::write(world.repo.path().join(raw), "1\n").unwrap();
    }),
    ("names that git refuses", Quick, |world| {
        for name in [".GIT/config", "git~1", ".git /x", "sub/.git\u{200c}/config", "con/aux"] {
            world.write(name, "[core]\n\tfsmonitor = evil\n");
        }
    }),
    ("a huge file", Slow, |world| {
        world.write("huge", "");
        File::options().write(true).open(world.at("huge")).unwrap().set_len(40 << 30).unwrap();
    }),
    ("a repository inside with every trap", Quick, |world| {
        nested(world, "nested");
        world.fifo("nested/.git/info/exclude");
        world.link("nested/.git/logs", "heads");
    }),
    ("a repository inside whose references lead outside", Quick, |world| {
        nested(world, "nested");
        world.link("nested/.git/refs", "");
        world.write("nested/.git/HEAD", "ref: refs/key\n");
    }),
    ("a repository inside that is all pipes", Slow, |world| {
        nested(world, "nested");
        for name in ["HEAD", "config", "index", "packed-refs", "refs/heads/main", "commondir"] {
            world.fifo(&format!("nested/.git/{name}"));
        }
    }),
    ("repositories inside that are those of others", Quick, |world| {
        world.write("one/.git", format!("gitdir: {}\n", world.outside("other/.git").display()));
        world.link("two/.git", "other/.git");
        world.write("three/.git", "gitdir: ../three/.git\n");
        world.write("four/.git", "gitdir: ../.git\n");
        for name in ["one", "two", "three", "four"] {
            world.write(&format!("{name}/f"), "1\n");
        }
    }),
    ("a repository in the place of a file", Quick, |world| {
        fs::remove_file(world.at("b")).unwrap();
        nested(world, "b");
    }),
    ("a bare repository inside", Quick, |world| {
        world.repo.git(["init", "-q", "--bare", "bare"]);
        fs::write(
            world.at("bare/config"),
            format!("[core]\n\tbare = true\n\tfsmonitor = {}\n", world.program()),
        )
        .unwrap();
    }),
    ("repositories in each other", Slow, |world| {
        let mut name = String::new();
        for _ in 0..12 {
            name += "n/";
            nested(world, &name);
        }
    }),
    ("submodules of others and with programs", Quick, |world| {
        world.write(
            ".gitmodules",
            format!(
                "[submodule \"../../x\"]\n\tpath = sub\n\turl = ext::{0}\n\tupdate = !{0}\n[submodule \"y\"]\n\tpath = src\n\turl = --upload-pack={0}\n\
                 [submodule \"z\"]\n\tpath = ../outside/other\n\turl = .\n",
                world.program()
            ),
        );
        let id = world.repo.head();
        world.repo.git(["update-index", "--add", "--cacheinfo", &format!("160000,{id},sub")]);
        world.write("sub/.git", "gitdir: ../../outside/other/.git\n");
        world.link(".git/modules", "other");
    }),
    ("an unreadable tree", Quick, |world| {
        for name in ["new", "src"] {
            fs::set_permissions(world.at(name), fs::Permissions::from_mode(0o000)).unwrap();
        }
    }),
    ("rules against everything", Quick, |world| world.write(".gitignore", "*\n!*/\n".repeat(20_000))),
    ("rules that are slow to match", Slow, |world| {
        world.write(".gitignore", format!("{}b\n", "**/a*a*".repeat(40)).repeat(200));
        for n in 0..200 {
            world.write(&format!("{}/{n}", "a".repeat(200)), "");
        }
    }),
];

/// An armed repository with work of its own.
fn nested(world: &World, name: &str) {
    let inner = world.repo.beside(&format!("repo/{name}"));
    inner.git(["init", "-q", "-b", "main"]);
    inner.write("inside", "1\n");
    crate::rescue::hostile::arm(&inner);
}

fn deep(world: &World, n_folders: usize) {
    let mut folder = rustix::fs::open(world.repo.path(), OFlags::PATH, Mode::empty()).unwrap();
    for _ in 0..n_folders {
        mkdirat(&folder, "d", Mode::from_raw_mode(0o755)).unwrap();
        folder = openat(&folder, "d", OFlags::PATH, Mode::empty()).unwrap();
    }
    let flags = OFlags::CREATE | OFlags::WRONLY;
    rustix::io::write(openat(&folder, "f", flags, Mode::from_raw_mode(0o644)).unwrap(), b"deep\n").unwrap();
}
