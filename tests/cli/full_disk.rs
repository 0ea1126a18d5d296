//! No room on the disk of the state folder: nothing is done that cannot be recorded, no agent is held, a run that ends for
//! it goes on later, and each says what happened.
//!
//! The small file system is mounted in the mount namespace of a separate process and disappears when that ends. If that
//! is not possible, the test reports that it is skipped.

use std::fs;
use std::process::{Command, Stdio};

use crate::support::repo::Repo;
use crate::support::test_env::{Run, TestEnv, finish, spawn};

/// Fills the disk in its first iteration, after its work is committed.
const AGENT: &str = r#"
echo $CLOSEOUT_ITERATION >> work.txt; git add work.txt; git -c user.name=a -c user.email=a@b commit -qm work
[ -e $W/filled ] || { : > $W/filled; dd if=/dev/zero of=$CLOSEOUT_STATE_DIR/filler bs=1k 2> /dev/null; exit 0; }
mkdir -p .closeout; printf '{"decision":"complete","check_id":"%s"}' $AGENTCORE_COMPLETION_CHECK_ID > .closeout/decision.json
"#;
/// What is done in the small file system: each command with its exit code in a line behind it.
const SCRIPT: &str = r#"
mount -t tmpfs -o size=256k tmpfs $CLOSEOUT_STATE_DIR || exit 77
does() { echo "== $1"; shift; "$@" 2>&1; echo "code $?"; }
does run $C run --prompt 'Do it.' -- env W=$W CLOSEOUT_STATE_DIR=$CLOSEOUT_STATE_DIR sh $W/agent.sh
does check $C check
does mark $C mark done
does decide $C decide complete
does gate sh -c "$C hook stop --agent claude < $W/payload"
does event sh -c "$C hook event --agent claude < $W/payload"
does doctor $C doctor
rm $CLOSEOUT_STATE_DIR/filler
does resume $C run --resume
does check-again $C check
"#;

#[expect(clippy::disallowed_methods, reason = "a mount namespace belongs to a process of its own")]
fn in_a_full_state_folder(repo: &Repo, env: &TestEnv) -> Option<Run> {
    let as_root: &[&str] = if rustix::process::geteuid().is_root() { &[] } else { &["--map-root-user"] };
    let mut command = Command::new("unshare");
    command
        .args(as_root)
        .args(["--mount", "sh", "-c", SCRIPT])
        .current_dir(repo.path())
        .env_clear()
        .envs(env.variables())
        .env("C", env!("CARGO_BIN_EXE_closeout"))
        .env("W", env.at("outside"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let run = finish(spawn(&mut command));
    if run.code == 77 || run.err.contains("unshare") {
        eprintln!("SKIPPED full disk: no file system can be mounted here: {}", run.err);
        return None;
    }
    Some(run)
}

/// What a command of the script printed, with its exit code.
fn part<'a>(run: &'a Run, name: &str) -> (&'a str, i32) {
    let begin = run.out.split_once(&format!("== {name}\n")).unwrap_or_else(|| panic!("{name}: {run:?}")).1;
    let text = begin.split("== ").next().unwrap();
    let (text, code) = text.rsplit_once("code ").unwrap();
    (text, code.trim().parse().unwrap())
}

#[test]
fn what_cannot_be_recorded_is_not_done_and_a_run_goes_on_when_there_is_room() {
    let repo = Repo::new();
    let env = TestEnv::beside(&repo);
    env.configure("[gate]\nenabled = true\n");
    for folder in ["outside", "state"] {
        fs::create_dir_all(env.at(folder)).unwrap();
    }
    fs::write(env.at("outside/agent.sh"), AGENT).unwrap();
    let payload = serde_json::json!({"session_id": "s", "cwd": repo.path(), "hook_event_name": "Stop"});
    fs::write(env.at("outside/payload"), payload.to_string()).unwrap();
    let Some(run) = in_a_full_state_folder(&repo, &env) else { return };
    let (text, code) = part(&run, "run");
    assert_eq!(code, 6, "{text}");
    assert!(text.contains("No space left") && text.contains("`closeout run --resume` continues"), "{text}");
    // Who reads the lines is told as well.
    let is_end = |line: &str| {
        serde_json::from_str::<serde_json::Value>(line)
            .is_ok_and(|line| line["exit_code"] == 6 && line["error"].is_string())
    };
    assert!(text.lines().any(is_end), "{text}");
    let (text, code) = part(&run, "check");
    // The commit of the first iteration stands, and nothing says that it is all.
    assert!(code == 0 || code == 1, "{text}");
    for name in ["mark", "decide"] {
        let (text, code) = part(&run, name);
        assert_eq!(code, 30, "{name}: {text}");
        assert!(text.contains("No space left") && text.contains("nothing was done"), "{name}: {text}");
    }
    for name in ["gate", "event"] {
        assert_eq!(part(&run, name), ("", 0), "an error of ours never holds or fails an agent");
    }
    let (text, code) = part(&run, "doctor");
    assert!(code == 1 && text.contains("too little space for the state in"), "{text}");
    let (text, code) = part(&run, "resume");
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("\"is_resumed\":true") && text.contains("\"status\":\"complete\""), "{text}");
    let (text, code) = part(&run, "check-again");
    assert_eq!(code, 0, "{text}");
    assert_eq!(repo.git(["log", "--format=%s"]).matches("work").count(), 2);
}
