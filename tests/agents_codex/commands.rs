//! The command lines. They were run by hand with the real client 0.169.0 and a scripted model.

use closeout::agent::{AgentCommand, AnswerPlace, Argument, Asking, Trace};

use super::*;

fn command(id: &str, asking: &Asking) -> Option<AgentCommand> {
    let mut session = read("statement.jsonl");
    session.session_id = id.into();
    let adapter = Adapter::named("codex", PathBuf::from("/home/user/.codex")).unwrap();
    adapter.command(&session, asking)
}

fn texts(command: &AgentCommand) -> Vec<String> {
    let text = |argument: &Argument| match argument {
        Argument::Text(text) => text.clone(),
        Argument::File(content) => format!("file of {content}"),
        Argument::RecordCopy => "copy of the record".to_owned(),
    };
    command.arguments.iter().map(text).collect()
}

#[test]
fn a_probe_is_a_fork_that_writes_nothing_and_may_change_nothing() {
    let probe =
        command(ID, &Asking::Probe { prompt: "- STATUS?\nin one line".to_owned(), model: None }).unwrap();
    let arguments = [
        "exec", "fork", "--ephemeral", "--disable", "hooks", "-c", "notify=[]", "-c",
        "sandbox_mode=\"read-only\"", "-c", "approval_policy=\"never\"", "--json", "--skip-git-repo-check",
        "--", ID, "-",
    ];
    assert_eq!(texts(&probe), arguments);
    assert_eq!(
        AgentCommand { arguments: Vec::new(), ..probe },
        AgentCommand {
            program: "codex".to_owned(),
            arguments: Vec::new(),
            stdin: "- STATUS?\nin one line".to_owned(),
            folder: PathBuf::from("/home/user/project"),
            environment: vec![("CLOSEOUT_PROBE".to_owned(), "1".into())],
            trace: Trace::Nothing,
            answer: AnswerPlace::LastAgentMessage,
        }
    );
}

#[test]
fn the_closer_gives_its_schema_as_a_file() {
    let closer = Asking::Closer { prompt: "Done?".to_owned(), schema: "{}".to_owned(), model: None };
    let closer = command(ID, &closer).unwrap();
    let arguments = texts(&closer);
    let at = arguments.iter().position(|argument| argument == "--output-schema").unwrap();
    assert_eq!(arguments[at + 1], "file of {}");
    assert_eq!((closer.trace, closer.stdin.as_str()), (Trace::Nothing, "Done?"));
}

#[test]
fn a_reply_becomes_part_of_the_session_with_its_hooks() {
    let fresh =
        Asking::Fresh { prompt: "Judge".to_owned(), schema: "{}".to_owned(), model: Some("m".to_owned()) };
    let fresh = texts(&command("", &fresh).unwrap());
    assert_eq!(fresh[..2], ["exec", "--ephemeral"], "no thread is named: {fresh:?}");
    assert!(
        fresh.ends_with(&["-m", "m", "--json", "--skip-git-repo-check", "--", "-"].map(str::to_owned)),
        "{fresh:?}"
    );
    let reply = command(ID, &Asking::Reply { text: "Take the first.".to_owned() }).unwrap();
    assert_eq!(texts(&reply), ["exec", "resume", "--json", "--skip-git-repo-check", "--", ID, "-"]);
    assert_eq!((reply.trace, reply.stdin.as_str()), (Trace::InSession, "Take the first."));
}

#[test]
fn queued_words_are_one_argument_whatever_they_begin_with() {
    let queue = |text: &str| command(ID, &Asking::Queue { text: text.to_owned() });
    let queued = queue("--resume it").unwrap();
    assert_eq!(
        texts(&queued),
        ["queue".to_owned(), format!("--thread={ID}"), "--message=--resume it".to_owned()]
    );
    assert_eq!((queued.answer, queued.stdin.as_str()), (AnswerPlace::None, ""));
    assert!(queue(&"x".repeat(200_000)).is_none());
    assert!(queue("a\0b").is_none());
}

#[test]
fn an_id_that_is_no_threads_is_never_an_argument() {
    let asking = Asking::Reply { text: "x".to_owned() };
    let names = [
        "", "--last", "../../x", "my name", "01a1ffc5-a1bc-7ca2-8767-ad8301777ffg",
        "01a1ffc5a1bc-7ca2-8767-ad8301777ff0a",
    ];
    for id in names {
        assert_eq!(command(id, &asking), None, "{id}");
    }
}

#[test]
fn a_version_that_was_not_tried_is_not_claimed() {
    let adapter = Adapter::named("codex", PathBuf::from("/home/user/.codex")).unwrap();
    assert!(adapter.facts().knows_version("0.169.0"));
    assert!(
        !adapter.facts().knows_version("0.170.0")
            && !adapter.facts().knows_version("")
            && !adapter.facts().knows_version("0.169")
    );
}
