//! The wrong kind of thing in every place that the program looks at. The places are not listed here: a trace of a plain
//! run tells them, so that none can be forgotten.
//!
//! A plain run tries a few of them, other ones every day; `CLOSEOUT_TEST_SEED=number` tries those of another run.
//! `CLOSEOUT_TEST_ALL=1` tries every kind in every place, `CLOSEOUT_TEST_PLACE=text` in those whose path has that text. Both
//! also ask whether a command that ends otherwise than usual names the place.
//!
//! A command is tried only where it, or one that it needs, looks at the place.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex};

use regex::Regex;
use rustix::fs::{CWD, FileType, Mode, makedev, mknodat};

use super::{BUDGET, SECRET, World, newest_record, witness};
use crate::support::test_env::{Run, TestEnv, traces};

/// What a person does before, so that there is something of every sort to lose.
const BEFORE: [&str; 4] = ["check", "hook install", "mark quiet", "rescue -y -m first"];
/// What a person then types.
const COMMANDS: [&str; 15] = [
    "status", "check", "doctor", "config", "rescue --dry-run", "rescue -y -m work", "rescues", "undo -y",
    "restore RECORD INTO", "trust", "log", "stats", "hook install --scope project",
    "hook remove --scope project", "hook remove",
];
/// How many pairs of a place and a kind a plain run tries.
const FEW: usize = 6;

/// Parts of a name that are others in each world: ids, times, process numbers, names of temporary files.
static VARYING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"20[0-9]{6}T[0-9]{6,9}Z(-[0-9a-f]{8})?|[0-9a-f]{16,64}|(?-u:\b)[0-9a-f]{2}/[0-9a-f]{38}(?-u:\b)|-dev-shm-[0-9A-Za-z_-]+",
    )
    .unwrap()
});
/// Names that exist only while the program runs, or that are nobody's place: what git looks for in the folder it
/// stands in when it is given the name of a reference, and what is in the folder of objects under a name of its own.
static PASSING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"/work-|tmp_|\.closeout-|/\.tmp|^into|^tmp|^trace|^canary|^hostile$|^carried$|^hooks|^repo/(HEAD|refs|#)|/[0-9]+$")
        .unwrap()
});

/// The wrong kinds.
#[derive(Debug, Clone, Copy)]
enum Wrong {
    Folder,
    Fifo,
    Socket,
    LinkOut,
    LinkLoop,
    LinkNowhere,
    /// A link to a device without an end.
    Endless,
    /// As root, who can read everything, a device in its place.
    Unreadable,
    Huge,
    Garbage,
    Empty,
}

use Wrong::{
    Empty, Endless, Fifo, Folder, Garbage, Huge, LinkLoop, LinkNowhere, LinkOut, Socket, Unreadable,
};

const KINDS: [Wrong; 11] =
    [Folder, Fifo, Socket, LinkOut, LinkLoop, LinkNowhere, Endless, Unreadable, Huge, Garbage, Empty];

impl Wrong {
    fn put(self, world: &World, path: &Path) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        match self {
            Folder => fs::create_dir_all(path.join("in the way")).unwrap(),
            Fifo => drop(world.repo.fifo(path)),
            Socket => drop(UnixListener::bind(path)),
            LinkOut => symlink(world.outside("key"), path).unwrap(),
            LinkLoop => symlink(path.file_name().unwrap(), path).unwrap(),
            LinkNowhere => symlink("nowhere/at/all", path).unwrap(),
            Endless => symlink("/dev/zero", path).unwrap(),
            Unreadable if rustix::process::geteuid().is_root() => {
                mknodat(CWD, path, FileType::CharacterDevice, Mode::RUSR, makedev(1, 5)).unwrap();
            }
            Unreadable => {
                fs::write(path, "unreadable").unwrap();
                rustix::fs::chmod(path, Mode::empty()).unwrap();
            }
            Huge => fs::File::create(path).unwrap().set_len(8 << 30).unwrap(),
            Garbage => fs::write(path, [0, 255, 27, b'\n'].repeat(1000)).unwrap(),
            Empty => fs::write(path, "").unwrap(),
        }
    }
}

/// A clone in which somebody has worked with closeout, and a session of each agent.
fn world() -> (World, TestEnv) {
    let world = World::new();
    let repo = world.repo.clone();
    repo.write(".closeout/decision.json", "{\"decision\":\"incomplete\",\"reasons\":[\"no\"]}\n")
        .write("tasks.md", "- [ ] more\n")
        .write("junit.xml", "<testsuite tests=\"1\" failures=\"0\"/>\n")
        .write(".closeout.toml", "[evidence]\ntest_results = [\"junit.xml\"]\n");
    let home = world.repo.beside("home");
    home.write("config/closeout/config.toml", "[judge]\noffers = \"done\"\n");
    let here = repo.path().display().to_string();
    home.write(".gemini/projects.json", format!("{{\"projects\":{{\"{here}\":\"clone\"}}}}"))
        .write(".gemini/tmp/clone/chats/session-2026-11-21T20-38-a.jsonl", "{}\n")
        .write(".codex/sessions/2026/11/21/rollout-2026-11-21T20-38-00-a.jsonl", "{}\n")
        .write(".codex/session_index.jsonl", "")
        .write(".codex/config.toml", "")
        .write(".claude.json", "{}")
        .write("config/opencode/opencode.json", "{}")
        .write("data/opencode/opencode.db", "");
    let slug: String =
        here.chars().map(|sign| if sign.is_ascii_alphanumeric() { sign } else { '-' }).collect();
    let prompt = format!(
        "{{\"type\":\"user\",\"uuid\":\"u1\",\"sessionId\":\"s\",\"cwd\":\"{here}\",\"timestamp\":\"2026-11-21T20:38:00.000Z\",\
         \"message\":{{\"role\":\"user\",\"content\":\"Write it\"}}}}\n"
    );
    home.write(&format!(".claude/projects/{slug}/s.jsonl"), prompt);
    let env = world.env();
    for words in BEFORE {
        let _ = env.run(repo.path(), &words.split(' ').collect::<Vec<_>>());
    }
    repo.write("src/a.rs", "fn a() { c() }\n").write("new/y", "y\n");
    (world, env)
}

fn words_of(words: &str, world: &World, env: &TestEnv) -> String {
    let record = if words.contains("RECORD") { newest_record(env, world.repo.path()) } else { String::new() };
    let into = world.repo.root().join("into").display().to_string();
    words.replace("RECORD", &record).replace("INTO", &into)
}

/// The path below the scratch folder, with what varies replaced.
fn general(path: &Path, root: &Path) -> Option<String> {
    let below = path.strip_prefix(root).ok()?.to_str()?;
    Some(VARYING.replace_all(below, "#").into_owned())
}

/// The places, each with the commands that look at it.
type Places = BTreeMap<String, BTreeSet<&'static str>>;
/// The exit codes of commands where nothing is in the way.
type Usual = BTreeMap<&'static str, i32>;

/// Every place that the commands look at, whether or not there is something, and the exit code of each command.
fn looked_at() -> (Places, Usual) {
    let (world, env) = world();
    let root = world.repo.root();
    let (mut places, mut codes) = (Places::new(), BTreeMap::new());
    for command in COMMANDS {
        let (code, paths) = witness::look(&env, world.repo.path(), &words_of(command, &world, &env));
        codes.insert(command, code);
        for place in paths.iter().filter_map(|path| general(path, &root)) {
            places.entry(place).or_default().insert(command);
        }
    }
    places
        .retain(|place, _| place.contains('/') && !place.starts_with("outside") && !PASSING.is_match(place));
    (places, codes)
}

/// The path of a place in this world; `None` if it has no such place.
fn find(place: &str, root: &Path) -> Option<PathBuf> {
    if !place.contains('#') {
        return Some(root.join(place));
    }
    let mut open = vec![root.to_owned()];
    while let Some(path) = open.pop() {
        if general(&path, root).as_deref() == Some(place) {
            return Some(path);
        }
        if path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir()) {
            open.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        }
    }
    None
}

/// Whether all of the places, or those that are named, are tried, and how clear the words are.
fn is_whole() -> bool {
    ["CLOSEOUT_TEST_ALL", "CLOSEOUT_TEST_PLACE"].iter().any(|name| std::env::var_os(name).is_some())
}

/// What is wrong with what a command did. `usual` is its exit code where nothing is in the way.
fn complaints(run: &Run, place: &Path, usual: i32) -> Vec<String> {
    let said = format!("{}{}", run.out, run.err);
    let mut all = Vec::new();
    if run.code == 101 || said.contains("panicked") {
        all.push(format!("panicked: {said}"));
    }
    if said.contains(SECRET) {
        all.push(format!("showed a file outside: {said}"));
    }
    if said.chars().any(|sign| sign.is_control() && sign != '\n') {
        all.push(format!("printed a control character: {said:?}"));
    }
    let names = |path: Option<&Path>| {
        path.and_then(Path::file_name).is_some_and(|name| said.contains(&*name.to_string_lossy()))
    };
    // Of a mark of an operation, of contents that are missing and of an identity that is not known, what they mean is said.
    let meanings =
        ["is in progress", "git fsck", "is missing", "is gone", "not in this repository", "user.name"];
    let is_named =
        names(Some(place)) || names(place.parent()) || meanings.iter().any(|words| said.contains(words));
    if is_whole() && run.code != usual && run.code != 0 && !is_named {
        all.push(format!("ended with {} in place of {usual} and does not name it: {said}", run.code));
    }
    all
}

/// The work tree without what the commands may change.
fn work_tree(world: &World, place: &Path) -> Vec<String> {
    let top = world.repo.path();
    let own =
        [".git", ".claude", ".codex", ".gemini", ".opencode", "opencode.json"].map(|name| top.join(name));
    let entries = fs::read_dir(top).into_iter().flatten().map(|entry| entry.unwrap().path());
    let kept = entries.filter(|path| !own.contains(path) && !place.starts_with(path));
    kept.flat_map(|path| traces(&path)).collect()
}

/// Puts the wrong thing in the place, does everything, and puts back what was there.
fn try_place(place: &str, commands: &BTreeSet<&str>, kind: Wrong, usual: &Usual) -> Vec<String> {
    let (world, env) = world();
    let root = world.repo.root();
    let Some(path) = find(place, &root) else { return Vec::new() };
    let aside = root.join("aside");
    let was_there = fs::rename(&path, &aside).is_ok();
    kind.put(&world, &path);
    let (outside, tree) = (traces(&root.join("outside")), work_tree(&world, &path));
    let mut wrong = Vec::new();
    // What is taken back and restored has to be there.
    let needs_rescue = ["undo -y", "restore RECORD INTO"].iter().any(|it| commands.contains(it));
    for command in COMMANDS {
        if !(commands.contains(command) || needs_rescue && command.starts_with("rescue -y")) {
            continue;
        }
        let words = words_of(command, &world, &env);
        #[expect(clippy::disallowed_methods, reason = "the time that it takes is what is tested")]
        let began = std::time::Instant::now();
        let run = env.run(world.repo.path(), &words.split(' ').collect::<Vec<_>>());
        let mut found = complaints(&run, &path, usual[command]);
        if began.elapsed() > BUDGET {
            found.push(format!("took {:?}", began.elapsed()));
        }
        wrong.extend(found.into_iter().map(|words| format!("{command}: {words}")));
    }
    if traces(&root.join("outside")) != outside {
        wrong.push("something outside is not as it was".to_owned());
    }
    if work_tree(&world, &path) != tree {
        wrong.push("the work tree is not as it was".to_owned());
    }
    let _ = fs::remove_dir_all(&path).or_else(|_| fs::remove_file(&path));
    if was_there {
        fs::rename(&aside, &path).unwrap();
    }
    wrong.extend(witness::secret_objects(&env, &world.at(".git/objects")));
    let listed = env.run(world.repo.path(), &["rescues", "--json"]);
    // That somebody removed references and they were put back is damage, too.
    if !matches!(listed.code, 0 | 40) || listed.out.contains("\"lost\"") {
        wrong.push(format!("afterwards, records: {listed:?}"));
    }
    wrong.into_iter().map(|words| format!("{kind:?} at {place}: {words}")).collect()
}

#[test]
fn the_wrong_kind_of_thing_in_any_place_hangs_loses_and_leaks_nothing() {
    if let Some(words) = witness::is_missing() {
        return eprintln!("SKIPPED places: {words}");
    }
    let (places, usual) = looked_at();
    assert!(places.len() > 150, "{places:?}");
    for known in [
        "repo/.git/HEAD", "repo/.git/index", "repo/tasks.md", "home/.claude/settings.json",
        "home/.config/git/attributes", "home/.gitconfig", "state/audit.jsonl",
    ] {
        assert!(places.contains_key(known), "{known} is not looked at: {places:?}");
    }
    let only = std::env::var("CLOSEOUT_TEST_PLACE").ok();
    let is_whole = is_whole();
    let pairs: Vec<(&String, &BTreeSet<&str>, Wrong)> = places
        .iter()
        .filter(|(place, _)| only.as_ref().is_none_or(|only| place.contains(only.as_str())))
        .flat_map(|(place, commands)| KINDS.map(|kind| (place, commands, kind)))
        .collect();
    // A step that has no factor in common with the number of kinds takes each of them in turn.
    let step = if is_whole { 1 } else { (pairs.len() / FEW / KINDS.len()) * KINDS.len() + 1 };
    let first = if is_whole { 0 } else { seed() % step };
    let chosen = pairs.iter().skip(first).step_by(step);
    let n_chosen = chosen.len();
    let (left, wrong) = (Mutex::new(chosen), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let Some((place, commands, kind)) = left.lock().unwrap().next() else { break };
                    let found = try_place(place, commands, *kind, &usual);
                    if is_whole {
                        eprintln!(
                            "{kind:?} at {place}: {} commands, {} findings",
                            commands.len(),
                            found.len()
                        );
                        for words in &found {
                            eprintln!("  {words}");
                        }
                    }
                    wrong.lock().unwrap().extend(found);
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    eprintln!("places: {n_chosen} of {} pairs of a place and a kind, seed {}", pairs.len(), seed());
    assert!(wrong.is_empty(), "seed {}, {} findings:\n{}", seed(), wrong.len(), wrong.join("\n"));
}

/// Chooses the pairs of a plain run: the day, unless a seed is given.
fn seed() -> usize {
    #[expect(clippy::disallowed_methods, reason = "other pairs are tried every day")]
    let now = std::time::SystemTime::now();
    let day = now.duration_since(std::time::UNIX_EPOCH).unwrap().as_secs() / (24 * 60 * 60);
    let given = std::env::var("CLOSEOUT_TEST_SEED").ok().and_then(|text| text.parse().ok());
    // Neighbours on the list are places and kinds alike.
    given.unwrap_or(usize::try_from(day).unwrap() * 7919)
}
