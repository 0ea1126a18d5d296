//! `check --probe` and `probe`: the smart check from the command line to its end.

use std::fs;
use std::path::Path;
use std::time::Duration;

use closeout::engine::clock;
use serde_json::{Value, json};

use super::{Asked, says};
use crate::support::schema::Schema;
use crate::support::test_env::{Run, finish, spawn};

const COMPLETE: &str = r#"{"status": "complete", "message": "all done"}"#;
const WAITING: &str = r#"{"status": "waiting", "agents_active": ["a1"]}"#;

/// A smart check with pauses of a second.
fn smart(asked: &Asked, more: &[&str]) -> (Run, Value) {
    let arguments = [&["check", "--probe", "--json", "--probe-interval", "1"], more].concat();
    let run = asked.env.run(asked.repo.path(), &arguments);
    let json = run.json();
    Schema::parse(&asked.env.run(".", &["schema"]).out).assert_valid(&json);
    (run, json)
}

fn summary(run: &Run, json: &Value) -> (i32, String, bool, u64, String) {
    let text = |key: &str| json[key].as_str().unwrap_or_default().to_owned();
    (
        run.code,
        text("status"),
        json["complete"].as_bool().unwrap(),
        json["probes_used"].as_u64().unwrap(),
        text("verdict"),
    )
}

fn readings(json: &Value) -> Vec<Value> {
    json["attempts"].as_array().unwrap().iter().map(|attempt| attempt["reading"].clone()).collect()
}

fn expected(
    code: i32,
    status: &str,
    is_complete: bool,
    n_probes: u64,
    verdict: &str,
) -> (i32, String, bool, u64, String) {
    (code, status.to_owned(), is_complete, n_probes, verdict.to_owned())
}

#[test]
fn an_agent_that_waits_is_asked_again_and_its_word_completes_a_clean_tree() {
    let script = format!(
        "cat > \"$TRACE/prompt\"\nif [ \"$N\" = 0 ]; then echo '{WAITING}'; else echo 'So: {COMPLETE}'; fi"
    );
    let asked = Asked::new(&script, "exit 9");
    let (run, json) = smart(&asked, &[]);
    assert_eq!(summary(&run, &json), expected(0, "nothing_to_do", true, 2, "COMPLETE"), "{run:?}");
    assert_eq!(readings(&json), [json!({"answered": "waiting"}), json!({"answered": "complete"})]);
    assert_eq!((json["waits"].as_u64(), &json["attempts"][1]["detail"]), (Some(1), &json!("all done")));
    assert_eq!(json["workspace"]["is_self_reported"], true);
    let evidence = json["workspace"]["evidence"].as_array().unwrap();
    let probe = evidence.iter().find(|evidence| evidence["source"] == "probe").unwrap();
    assert_eq!(
        (&probe["claim"], &probe["role"], &probe["rank"]),
        (&json!("YES"), &json!("decided"), &json!(9))
    );
    for line in ["probe 1/5: waiting", "waiting 1 s", "probe 2/5: complete"] {
        assert!(run.err.lines().any(|told| told.starts_with(line)), "{line}: {}", run.err);
    }
    let prompt = fs::read_to_string(asked.trace("prompt")).unwrap();
    assert!(prompt.contains("\"status\": \"complete\" or \"waiting\" or \"working\""), "{prompt}");
}

#[test]
fn what_an_agent_says_beside_its_status_is_shown_and_decides_nothing() {
    let script = r#"echo '{"status": "working", "agents_active": [{"name": "docs", "doing": "writes"}, "a2"],
        "tasks_pending": ["ship"], "tasks_completed": ["parse"], "commits_made": 3, "next_action": "run the tests",
        "should_continue": true, "message": "nearly"}'"#;
    let asked = Asked::new(script, "exit 9");
    let run = asked.env.run(asked.repo.path(), &["probe", "--json"]);
    let json = run.json();
    let said = &json["attempts"][0]["said"];
    assert_eq!((run.code, &said["agents_active"]), (1, &json!(["docs (writes)", "a2"])), "{run:?}");
    let [pending, completed] = ["tasks_pending", "tasks_completed"].map(|key| &said[key]);
    assert_eq!((pending, completed), (&json!(["ship"]), &json!(["parse"])));
    assert_eq!((&said["commits_made"], &said["should_continue"]), (&json!(3), &json!(true)));
    assert_eq!(said["next_action"], "run the tests");
    let words = "nearly; still active: docs (writes), a2; left: ship; done: parse; commits by its word: 3; \
                 next: run the tests; it would go on";
    assert!(run.err.contains(words), "{}", run.err);
    // What it names as left is a point that can be sent back.
    let left = &asked.env.run(asked.repo.path(), &["check", "--json"]).workspace()["left_to_do"]["points"];
    assert_eq!((left.as_array().unwrap().len(), &left[0]["text"]), (1, &json!("ship")), "{left:#}");
}

#[test]
fn commits_settle_it_and_nobody_is_asked() {
    let asked = Asked::new(&says(COMPLETE), "exit 9");
    asked.repo.commit_file("parser.rs");
    let (run, json) = smart(&asked, &[]);
    assert_eq!(summary(&run, &json), expected(0, "commits_created", true, 0, "COMPLETE"), "{run:?}");
    assert_eq!(asked.n_started("probe"), 0);
    // Counted from another commit there is none.
    let (run, json) = smart(&asked, &["--baseline-commit", "HEAD", "--max-probes", "1"]);
    assert_eq!(summary(&run, &json), expected(0, "nothing_to_do", true, 1, "COMPLETE"), "{run:?}");
}

#[test]
fn uncommitted_work_is_recorded_committed_or_left_as_it_is_wanted() {
    for (way, code, status, is_recorded, is_rescued) in [
        ("never", 1, "timeout", false, false),
        ("ask", 1, "timeout", true, false),
        ("auto", 0, "rescued", true, true),
    ] {
        let asked = Asked::new(&says(COMPLETE), "exit 9");
        asked.repo.write("parser.rs", "fn parse() {}\n");
        let head = asked.repo.head();
        let (run, json) = smart(&asked, &["--rescue", way]);
        let verdict = if is_rescued { "COMPLETE" } else { "RESCUE_NEEDED" };
        assert_eq!(summary(&run, &json), expected(code, status, is_rescued, 1, verdict), "{way}: {run:?}");
        assert_eq!((json["rescued"].as_bool(), json["record"].is_string()), (Some(is_rescued), is_recorded));
        assert_eq!(asked.repo.head() != head, is_rescued, "{way}");
        if let Some(record) = json["record"].as_str() {
            let name = format!("{record}:parser.rs");
            assert_eq!(asked.repo.git(["show", &name]), "fn parse() {}", "{way}");
        }
        assert_eq!(fs::read_to_string(asked.repo.at("parser.rs")).unwrap(), "fn parse() {}\n");
    }
}

#[test]
fn a_trusted_rescue_program_of_the_person_commits_in_a_smart_check() {
    for flags in [&["--rescue", "auto"][..], &["--rescue", "ask"]] {
        let asked = Asked::new(&says(COMPLETE), "exit 9");
        let program = asked.repo.script("mine.sh", "cat > /dev/null; git add -A && git commit -qm 'by mine'");
        asked.configure_more(&format!("[rescue]\ncommand = [{program:?}]\n"));
        asked.repo.write("parser.rs", "fn parse() {}\n");
        let (run, json) = smart(&asked, flags);
        let is_auto = flags[1] == "auto";
        assert_eq!(json["rescued"].as_bool(), Some(is_auto), "{run:?}");
        assert_eq!(asked.repo.git(["log", "-1", "--format=%s"]).trim() == "by mine", is_auto);
        assert_eq!(json["notes"].to_string().contains("your own rescue program commits"), is_auto, "{run:?}");
    }
}

/// P05
#[test]
fn an_answer_that_is_not_clear_decides_nothing() {
    for (answer, reading) in [
        ("All good, I think!", "unreadable"),
        (r#"{"status":"complete"} but rather {"status":"working"}"#, "unknown_status"),
        (r#"{"status":"rm -rf"}"#, "unknown_status"),
        (r#"["complete"]"#, "unreadable"),
    ] {
        let asked = Asked::new(&says(answer), "exit 9");
        let (run, json) = smart(&asked, &["--max-probes", "1"]);
        assert_eq!(summary(&run, &json), expected(3, "probe_error", false, 1, "ERROR"), "{run:?}");
        assert_eq!(readings(&json), [json!({"failed": reading})]);
        let run = asked.env.run(asked.repo.path(), &["probe"]);
        assert_eq!(run.code, 23, "{run:?}");
    }
}

/// R6
#[test]
fn probes_used_up_in_vain_are_a_verdict_until_there_is_news() {
    for (answer, has_changes, state) in
        [(WAITING, false, "STALLED"), (WORKING, false, "STALLED"), (WORKING, true, "RESCUE_NEEDED")]
    {
        let asked = Asked::new(&says(answer), "exit 9");
        if has_changes {
            asked.repo.write("left.rs", "fn left() {}\n");
        }
        let (run, json) = smart(&asked, &["--max-probes", "2", "--rescue", "never"]);
        assert_eq!(summary(&run, &json), expected(1, "timeout", false, 2, state), "{run:?}");
        let look = || asked.env.run(asked.repo.path(), &["check", "--json"]).workspace();
        let later = look();
        assert_eq!((&later["state"], &later["rule"]), (&state.into(), &"rounds_used_up".into()));
        // Its next words are another moment.
        asked.repo.write(".mine/last.md", "I looked at the printer, too.\n");
        assert_eq!(look()["state"], "INCOMPLETE");
    }
    // A single question uses nothing up.
    let asked = Asked::new(&says(WAITING), "exit 9");
    assert_eq!(asked.env.run(asked.repo.path(), &["ask"]).code, 1);
    let later = asked.env.run(asked.repo.path(), &["check", "--json"]).workspace();
    assert_eq!(later["state"], "WAITING");
}

/// P06
#[test]
fn a_probe_that_changes_files_is_said_and_its_answer_not_used() {
    for change in
        ["echo x > new.txt", "echo x >> README", "git commit -q --allow-empty -m x", "git rm -q README"]
    {
        let script = format!(
            "export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@b\n{change}\n{}",
            says(COMPLETE)
        );
        let asked = Asked::new(&script, "exit 9");
        let (run, json) = smart(&asked, &["--rescue", "never"]);
        assert_eq!(readings(&json), [json!({"failed": "changed_files"})], "{change}: {run:?}");
        assert_eq!((json["complete"].as_bool(), asked.n_started("probe")), (Some(false), 1), "{change}");
        let words = json["attempts"][0]["detail"].as_str().unwrap();
        assert!(words.starts_with("the probe changed files: "), "{words}");
    }
    let asked = Asked::new(&format!("echo x > new.txt\n{}", says(COMPLETE)), "exit 9");
    assert_eq!(asked.env.run(asked.repo.path(), &["probe"]).code, 23);
}

/// P08, P01, P02
#[test]
fn an_agent_that_cannot_answer_has_its_reason() {
    for (script, reading, words, code) in [
        ("read answer < /dev/tty && echo complete", "client_error", "exit code", 30),
        ("echo 'no key' >&2; exit 3", "client_error", "exit code 3: no key", 30),
        ("sleep 60 & sleep 60", "timeout", "no answer within 1 s", 31),
        ("yes", "client_error", "more than 1 MiB", 30),
    ] {
        let asked = Asked::new(script, "exit 9");
        let (run, json) = smart(&asked, &["--max-probes", "1", "--probe-timeout", "1"]);
        assert_eq!(readings(&json), [json!({"failed": reading})], "{script}: {run:?}");
        let said = json["attempts"][0]["detail"].as_str().unwrap();
        assert!(said.contains(words), "{script}: {said}");
        let run = asked.env.run(asked.repo.path(), &["probe", "--timeout", "1"]);
        assert_eq!(run.code, code, "{script}: {run:?}");
    }
    let asked = Asked::new("exit 0", "exit 9");
    for (program, words) in
        [("no-such-program", "there is no program"), ("/etc/hostname", "could not be started")]
    {
        asked.configure(&format!(
            "[[agent]]\nname = \"mine\"\noutput = \".mine/*.md\"\ncommands.probe = [\"{program}\"]\n"
        ));
        let (run, json) = smart(&asked, &[]);
        assert_eq!(readings(&json), [json!({"failed": "spawn_error"})], "{run:?}");
        let said = json["attempts"][0]["detail"].as_str().unwrap();
        assert!(said.contains(words), "{said}");
        // Nothing would be another in the next round.
        assert_eq!(json["waits"].as_u64(), Some(0));
    }
}

/// R3
#[test]
fn where_something_says_no_or_yes_nobody_is_asked() {
    for (decision, code, status) in [("incomplete", 1, "not_asked"), ("complete", 0, "nothing_to_do")] {
        let asked = Asked::new(&says(COMPLETE), "exit 9");
        asked.repo.write(".closeout/decision.json", format!("{{\"decision\":\"{decision}\"}}"));
        let (run, json) = smart(&asked, &[]);
        assert_eq!((run.code, json["status"].as_str()), (code, Some(status)), "{run:?}");
        assert!(run.err.contains("the agent is not asked"), "{run:?}");
        assert_eq!(asked.n_started("probe"), 0);
    }
}

#[test]
fn a_session_that_is_at_work_is_not_disturbed() {
    let asked = Asked::new(&says(COMPLETE), "exit 9");
    asked.repo.write(".mine/status.json", r#"{"status": "working"}"#);
    let (run, json) = smart(&asked, &[]);
    assert_eq!((run.code, json["status"].as_str()), (1, Some("not_asked")), "{run:?}");
    assert_eq!((json["reason"].as_str(), asked.n_started("probe")), (Some("the session is at work"), 0));
    assert_eq!(asked.env.run(asked.repo.path(), &["probe"]).code, 21);
}

#[test]
fn ctrl_c_ends_everything_that_was_started() {
    let script =
        "sh -c 'echo $$ > \"$0/pid.new\"; mv \"$0/pid.new\" \"$0/pid\"; exec sleep 600' \"$TRACE\" & wait";
    let asked = Asked::new(script, "exit 9");
    let mut command = asked.env.command(asked.repo.path(), &["check", "--probe"]);
    let child = spawn(&mut command);
    let began = clock::now();
    while !asked.trace("pid").exists() {
        assert!(clock::now().millis_since(began) < 60_000, "the agent was never started");
        std::thread::sleep(Duration::from_millis(10));
    }
    let pid = rustix::process::Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let run = finish(child);
    assert_eq!(run.code, 130, "{run:?}");
    let sleeper = fs::read_to_string(asked.trace("pid")).unwrap();
    let proc = format!("/proc/{}", sleeper.trim());
    assert!(!Path::new(&proc).exists(), "{proc} is still there");
}

#[test]
fn a_probe_is_shown_before_it_is_sent() {
    let asked = Asked::new(&says(COMPLETE), "exit 9");
    let run = asked.env.run(asked.repo.path(), &["probe", "--dry-run"]);
    assert_eq!((run.code, asked.n_started("probe")), (0, 0), "{run:?}");
    for words in ["asks     mine", "leaves   no trace", "Is the task that you were given finished?"] {
        assert!(run.out.contains(words), "{words}: {}", run.out);
    }
    let run = asked.env.run(asked.repo.path(), &["probe"]);
    assert_eq!(run.code, 0, "{run:?}");
    // By the beginning of its session's id.
    let run = asked.env.run(asked.repo.path(), &["probe", ".mine/la", "--json"]);
    assert_eq!((run.code, &run.json()["session"]["agent"]), (0, &json!("mine")), "{run:?}");
}

/// The same rule as for `reply`: a directory, an id, or six signs of one; and nothing is guessed.
#[test]
fn a_session_is_named_by_enough_of_its_id() {
    let asked = Asked::new(&says(COMPLETE), "exit 9");
    // The id is a file's name: it is the session that is meant, not a workspace.
    let whole = asked.env.run(asked.repo.path(), &["probe", ".mine/last.md", "--dry-run"]);
    assert_eq!(whole.code, 0, "{whole:?}");
    for command in ["probe", "verify", "reply"] {
        let short = asked.env.run(asked.repo.path(), &[command, ".mine", "--json"]);
        // A directory that is there: its workspace, with one session.
        assert_ne!(short.code, 4, "{short:?}");
        let few = asked.env.run(asked.repo.path(), &[command, ".min", "--json"]);
        assert_eq!((few.code, &few.json()["exit_code"]), (4, &json!(4)), "{few:?}");
        assert!(few.err.contains("neither a directory"), "{few:?}");
    }
    asked.repo.write(".mine/later.md", "I am done.\n");
    for command in ["probe", "verify", "reply"] {
        let several = asked.env.run(asked.repo.path(), &[command, ".mine/la"]);
        assert_eq!((several.code, several.out.as_str()), (2, ""), "{several:?}");
        for id in ["mine .mine/last.md", "mine .mine/later.md"] {
            assert!(several.err.contains(id), "{id}: {several:?}");
        }
    }
    assert_eq!(asked.n_started("probe"), 1, "only the directory was asked");
}

#[test]
fn flags_that_make_no_sense_are_refused() {
    let asked = Asked::new("exit 0", "exit 9");
    for arguments in [
        &["check", "--max-probes", "3"][..],
        &["check", "--probe", "--max-probes", "21"],
        &["check", "--probe", "--probe-interval", "0"],
        &["check", "--probe", "--rescue", "maybe"],
    ] {
        assert_eq!(asked.env.run(asked.repo.path(), arguments).code, 2, "{arguments:?}");
    }
}

/// What commits there are when the smart check begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Commits {
    None,
    New,
    /// Of a rescue of before, which says nothing of the end.
    Rescued,
}

/// One way through a smart check of one probe.
#[derive(Debug, Clone, Copy)]
struct ProbeCase {
    answer: &'static str,
    has_changes: bool,
    commits: Commits,
    rescue: &'static str,
    /// Whether a commit on this branch is refused: a new one beside takes it.
    is_protected: bool,
}

/// How a smart check ends: status, complete, probes sent, whether it made a commit and says so, whether it made a
/// record.
type Ends = (&'static str, bool, u64, bool, bool);

impl ProbeCase {
    /// What the rules of the smart check make of it (`tests/vectors/smart_check.json`).
    fn ends(self) -> Ends {
        let may_commit = self.rescue == "auto" && self.answer == COMPLETE;
        let is_recorded = self.has_changes && self.rescue != "never";
        match (self.commits, self.answer, self.has_changes) {
            // 1: any commit, before anybody is asked.
            (Commits::New, _, has_changes) => ("commits_created", !has_changes, 0, false, false),
            // 2
            (_, COMPLETE, false) => ("nothing_to_do", true, 1, false, false),
            // On a protected branch the commit goes beside, and the work here is as uncommitted as before.
            (_, COMPLETE, true) if may_commit => ("rescued", !self.is_protected, 1, true, true),
            // 2, 4: a rescue that made no commit rescued nothing, and the time is up.
            (_, COMPLETE | WORKING, _) => ("timeout", false, 1, false, is_recorded),
            // 4: nobody answered.
            (_, _, _) => ("probe_error", false, 1, false, is_recorded),
        }
    }

    fn run(self) -> Ends {
        let asked = Asked::new(&says(self.answer), "exit 9");
        match self.commits {
            Commits::None => {}
            Commits::New => drop(asked.repo.commit_file("parser.rs")),
            Commits::Rescued => {
                asked.repo.write("before.rs", "fn before() {}\n");
                let run = asked.env.run(asked.repo.path(), &["rescue", "--yes"]);
                assert_eq!(run.code, 0, "{run:?}");
            }
        }
        if self.has_changes {
            asked.repo.write("left.rs", "fn left() {}\n");
        }
        if self.is_protected {
            let branch = asked.repo.git(["symbolic-ref", "--short", "HEAD"]);
            asked.configure_more(&format!("[rescue]\nprotected = [\"{branch}\"]\n"));
        }
        let (head, n_records) = (asked.repo.head(), records(&asked));
        let (run, json) = smart(&asked, &["--max-probes", "1", "--rescue", self.rescue]);
        let status = ["commits_created", "rescued", "nothing_to_do", "timeout", "probe_error"]
            .into_iter()
            .find(|status| json["status"] == *status);
        let is_complete = json["complete"].as_bool().unwrap();
        assert_eq!(run.code == 0, is_complete, "{self:?}: {run:?}");
        let beside = asked.repo.git(["for-each-ref", "--format=%(refname)", "refs/heads/rescue"]);
        assert!(beside.is_empty() || self.is_protected, "{self:?}: {beside}");
        let is_here = asked.repo.head() != head;
        let has_committed = is_here || !beside.is_empty();
        assert_eq!(
            json["notes"].to_string().contains("is protected"),
            !beside.is_empty(),
            "{self:?}: {run:?}"
        );
        assert_eq!(
            json["rescued"].as_bool(),
            Some(has_committed),
            "{self:?}: what is said is what was done: {run:?}"
        );
        let is_recorded = records(&asked) > n_records;
        assert_eq!(json["record"].is_string(), is_recorded, "{self:?}: {run:?}");
        let left = asked.repo.git(["status", "--porcelain"]);
        assert_eq!(left.contains("left.rs"), self.has_changes && !is_here, "{self:?}: {left}");
        let status = status.unwrap_or_else(|| panic!("{self:?}: {run:?}"));
        (status, is_complete, json["probes_used"].as_u64().unwrap(), has_committed, is_recorded)
    }
}

fn records(asked: &Asked) -> usize {
    asked.repo.git(["for-each-ref", "refs/closeout/rescue/"]).lines().count()
}

const WORKING: &str = r#"{"status": "working"}"#;
const UNREADABLE: &str = "All good, I think!";

fn hold_to_the_rules(answer: &'static str, ways: &[(bool, Commits, &'static str, bool)]) {
    for (has_changes, commits, rescue, is_protected) in ways.iter().copied() {
        let way = ProbeCase { answer, has_changes, commits, rescue, is_protected };
        assert_eq!(way.run(), way.ends(), "{way:?}");
    }
}

#[test]
fn a_complete_answer_is_worth_what_git_and_the_rescue_say() {
    let mut ways = vec![(false, Commits::New, "auto", false), (true, Commits::New, "auto", false)];
    for commits in [Commits::None, Commits::Rescued] {
        ways.push((false, commits, "auto", false));
        ways.extend(["never", "ask", "auto"].map(|rescue| (true, commits, rescue, false)));
        ways.push((true, commits, "auto", true));
    }
    hold_to_the_rules(COMPLETE, &ways);
}

#[test]
fn an_answer_that_is_not_complete_rescues_nothing_visible() {
    for answer in [WORKING, UNREADABLE] {
        let mut ways =
            vec![(false, Commits::Rescued, "auto", false), (true, Commits::Rescued, "auto", false)];
        ways.extend(["never", "ask", "auto"].map(|rescue| (true, Commits::None, rescue, false)));
        hold_to_the_rules(answer, &ways);
    }
}
