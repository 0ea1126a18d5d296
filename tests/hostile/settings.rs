//! Settings that name programs, files and folders elsewhere, and attributes that call for them.

use std::fs;

use super::Pace::{Quick, Slow};
use super::{Hostility, SECRET};

pub(super) const WAYS: &[Hostility] = &[
    ("nothing more", Quick, |_| {}),
    ("aliases for every command", Quick, |world| {
        let names = [
            "status", "diff", "rev-parse", "cat-file", "ls-files", "update-ref", "for-each-ref",
            "fast-import",
        ];
        let text = names.iter().fold("[alias]\n".to_owned(), |text, name| text + &format!("\t{name} = !@\n"));
        world.configure(&text);
    }),
    ("include of a pipe", Slow, |world| {
        world.fifo("pipe");
        world.configure("[include]\n\tpath = ../pipe\n");
    }),
    ("include of an endless file", Slow, |world| world.configure("[include]\n\tpath = /dev/zero\n")),
    ("include of itself", Quick, |world| world.configure("[include]\n\tpath = config\n")),
    ("include of a private file", Quick, |world| {
        world.configure(&format!("[include]\n\tpath = {}\n", world.outside("key").display()));
    }),
    ("a work tree elsewhere", Quick, |world| {
        world.configure(&format!("[core]\n\tworktree = {}\n", world.outside("other").display()));
    }),
    ("the work tree is the root", Quick, |world| world.configure("[core]\n\tworktree = /\n")),
    ("a work tree above", Quick, |world| world.configure("[core]\n\tworktree = ../..\n")),
    ("bare, with a work tree", Quick, |world| world.configure("[core]\n\tbare = true\n")),
    ("hooks in the work tree", Quick, |world| {
        for hook in ["pre-commit", "reference-transaction", "post-index-change", "post-checkout"] {
            world.write(&format!("tools/{hook}"), "");
            fs::copy(world.program(), world.at(&format!("tools/{hook}"))).unwrap();
        }
        world.configure("[core]\n\thooksPath = tools\n");
    }),
    ("filters that are required", Quick, |world| {
        world.write(".gitattributes", "* filter=evil\n");
        world.configure("[filter \"evil\"]\n\tclean = @\n\tsmudge = @\n\trequired = true\n");
    }),
    ("a filter with an equals sign", Quick, |world| {
        world.write(".gitattributes", "* filter=x=y diff=x=y merge=x=y\n");
        world.configure(
            "[filter \"x=y\"]\n\tclean = @\n\tprocess = @\n[diff \"x=y\"]\n\ttextconv = @\n\tcommand = @\n",
        );
    }),
    ("textconv with a cache", Quick, |world| {
        world.write(".gitattributes", "* diff=evil\n");
        world.configure("[diff \"evil\"]\n\ttextconv = @\n\tcachetextconv = true\n[diff]\n\texternal = @\n");
    }),
    ("huge settings", Slow, |world| {
        world.configure(&"[section \"name\"]\n\tkey = value\n".repeat(500_000));
    }),
    ("settings that are no text", Quick, |world| {
        let all = [&fs::read(world.at(".git/config")).unwrap()[..], b"[c\xff\x1b]0;x\x07ore\n\0\tx"].concat();
        world.write(".git/config", all);
    }),
    ("settings with signs for the terminal", Quick, |world| {
        world.configure("[\"\u{1b}]0;x\u{7}\n[branch \"work\"]\n\tremote = \u{1b}[5m\u{202e}\n");
    }),
    ("settings are a pipe", Slow, |world| world.fifo(".git/config")),
    ("settings lead outside", Quick, |world| world.link(".git/config", "key")),
    ("a promising remote with a program", Quick, |world| {
        world.configure(
            "[extensions]\n\tpartialClone = evil\n[remote \"evil\"]\n\turl = ext::@\n\tpromisor = true\n\tfetch = +refs/*:refs/*\n\
             \tuploadpack = @\n\treceivepack = @\n\tvcs = evil\n",
        );
        fs::remove_dir_all(world.at(".git/objects")).unwrap();
        fs::create_dir_all(world.at(".git/objects/pack")).unwrap();
    }),
    ("a program for alternates", Quick, |world| {
        world.configure("[core]\n\talternateRefsCommand = @\n");
        world.write(
            ".git/objects/info/alternates",
            format!("{}\n", world.outside("other/.git/objects").display()),
        );
    }),
    ("a daemon for the file system", Quick, |world| world.configure("[core]\n\tfsmonitor = true\n")),
    ("rules in a pipe", Slow, |world| {
        world.fifo("rules");
        let rules = world.at("rules").display().to_string();
        world.configure(&format!("[core]\n\texcludesFile = {rules}\n\tattributesFile = {rules}\n"));
    }),
    ("rules in a private file", Quick, |world| {
        let rules = world.outside("key").display().to_string();
        world.configure(&format!(
            "[core]\n\texcludesFile = {rules}\n\tattributesFile = {rules}\n[commit]\n\ttemplate = {rules}\n"
        ));
    }),
    ("shared with everybody", Quick, |world| {
        world.configure("[core]\n\tsharedRepository = 0777\n\tlogAllRefUpdates = always\n");
    }),
    ("signing by every program", Quick, |world| {
        world.configure(
            "[gpg]\n\tformat = ssh\n\tprogram = @\n[gpg \"ssh\"]\n\tprogram = @\n\tdefaultKeyCommand = @\n[user]\n\tsigningKey = /\n\
             [commit]\n\tgpgSign = true\n[tag]\n\tgpgSign = true\n[trailer \"x\"]\n\tcommand = @\n\tcmd = @\n",
        );
    }),
    ("an unknown format", Quick, |world| {
        world.configure("[core]\n\trepositoryFormatVersion = 1\n[extensions]\n\tevil = true\n");
    }),
    ("a name of the person from the clone", Quick, |world| {
        world.configure(&format!("[user]\n\tname = \"\u{1b}[5m{}\"\n\temail = \"<a\\nb>\"\n", &SECRET[..4]));
    }),
    ("its own configuration of closeout", Quick, |world| {
        let program = world.program();
        world.write(
            ".closeout.toml",
            format!(
                "[rescue]\ncommand = [\"{program}\"]\n[[check]]\nname = \"x\"\nrun = [\"{program}\"]\n[notify]\ncommand = [\"{program}\"]\n\
                 [checks]\nrun = true\n[gate]\nenabled = true\n"
            ),
        );
        world.write(".closeout/config.json", format!("{{\"command\": \"{program}\"}}"));
    }),
    ("configuration of closeout is a pipe", Quick, |world| {
        world.fifo(".closeout.toml");
        world.fifo(".closeout/config.json");
        world.fifo(".closeout/decision.json");
    }),
    ("configuration of closeout leads outside", Quick, |world| {
        world.link(".closeout.toml", "key");
        world.link(".closeout", "");
    }),
    ("configuration of closeout is huge", Quick, |world| {
        world.write(".closeout.toml", "a = 1\n".repeat(2_000_000));
        world.write(".closeout/decision.json", "[".repeat(3_000_000));
    }),
];
