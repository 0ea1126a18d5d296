//! Command lines of known agents, carried out with scripts in their place: what they are given, and what is
//! removed afterwards.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use closeout::action::asking::{Answer, Asked, Asker, NoAnswer};
use closeout::agent::{Adapter, Asking};
use closeout::model::SessionObservation;
use closeout::process::{Cancel, Launcher};
use rusqlite::Connection;
use tempfile::TempDir;

use crate::support::repo::Repo;

const UUID: &str = "e65ab326-4661-42e5-a0c0-2b750a0be384";
const OPENCODE_ID: &str = "ses_e00346968ffeN4ul0MwWi4Jyqi";
const COPY_ID: &str = "ses_e002ffff0ffegO335RRVg2NkcO";

/// A client that is a script, on a path of its own.
struct Client {
    repo: Repo,
    adapter: Adapter,
    session: SessionObservation,
}

impl Client {
    fn new(adapter: Adapter, session_id: &str, body: &str) -> Client {
        let repo = Repo::new();
        let bin = repo.beside("bin");
        let name = adapter.name().to_owned();
        let script = repo.script(&name, &format!("OUT={}\n{body}", repo.root().display()));
        fs::rename(script, bin.at(&name)).unwrap();
        let session = SessionObservation {
            folder: Some(repo.path().to_owned()),
            ..SessionObservation::named(name, session_id)
        };
        Client { repo, adapter, session }
    }

    fn ask(&self, asking: &Asking, record: Option<PathBuf>) -> Asked {
        let path = format!("{}:/usr/bin:/bin", self.repo.root().join("bin").display());
        let asker = Asker {
            environment: vec![("PATH".into(), path.into()), ("KEPT".into(), "yes".into())],
            launcher: Some(Launcher { program: env!("CARGO_BIN_EXE_closeout").into() }),
            time_limit: Duration::from_secs(20),
            cancel: Cancel::new(),
            record,
        };
        let command = self.adapter.command(&self.session, asking).unwrap();
        asker.ask(&self.adapter, &self.session, &command)
    }

    fn left(&self, name: &str) -> String {
        fs::read_to_string(self.repo.root().join(name)).unwrap_or_default()
    }
}

fn probe() -> Asking {
    Asking::Probe { prompt: "done?".to_owned(), model: None }
}

#[expect(clippy::unnecessary_wraps, reason = "compared with whole answers")]
fn text(text: &str) -> Result<Answer, NoAnswer> {
    Ok(Answer::Text(text.to_owned()))
}

#[test]
fn claude_gets_the_prompt_on_its_input_and_answers_in_its_object() {
    let body = r#"cat > "$OUT/prompt"; echo "$*" > "$OUT/line"; env > "$OUT/env"
echo '{"type":"result","is_error":false,"result":"x","total_cost_usd":0.25,"usage":{"input_tokens":3}}'"#;
    let client = Client::new(Adapter::named("claude", "/nowhere".into()).unwrap(), UUID, body);
    let asked = client.ask(&probe(), None);
    assert_eq!(asked.answer, text("x"), "{asked:?}");
    assert_eq!((asked.cost.micro_dollars, asked.cost.input_tokens), (Some(250_000), Some(3)));
    assert_eq!(client.left("prompt"), "done?");
    assert!(client.left("line").contains(&format!("--resume {UUID} --no-session-persistence")));
    let env = client.left("env");
    for line in ["CLOSEOUT_PROBE=1", "CLAUDE_CODE_MAX_RETRIES=1", "KEPT=yes"] {
        assert!(env.lines().any(|given| given == line), "{line}: {env}");
    }
    assert!(!env.contains("CARGO"), "{env}");
}

#[test]
fn codex_gets_its_schema_in_a_file_that_is_gone_afterwards() {
    let body = r#"cat > /dev/null
while [ $# -gt 0 ]; do
  if [ "$1" = --output-schema ]; then
    cat "$2" > "$OUT/schema"; stat -c %a "$2" > "$OUT/mode"; echo "$2" > "$OUT/file"
  fi
  shift
done
echo '{"type":"item.completed","item":{"type":"agent_message","text":"x"}}'"#;
    let client = Client::new(
        Adapter::named("codex", "/nowhere".into()).unwrap(),
        "01a1ffc5-a4d7-7dc1-9890-5bab1b017cfc",
        body,
    );
    let asking = Asking::Closer {
        prompt: "done?".to_owned(),
        schema: "{\"type\":\"object\"}".to_owned(),
        model: None,
    };
    let asked = client.ask(&asking, None);
    assert_eq!(asked.answer, text("x"), "{asked:?}");
    assert_eq!(
        (client.left("schema").as_str(), client.left("mode").trim()),
        ("{\"type\":\"object\"}", "600")
    );
    assert!(!client.left("file").is_empty() && !Path::new(client.left("file").trim()).exists());
}

/// A data folder of opencode with the sessions of real runs, and with a copy if `with_copy`.
fn opencode_data(with_copy: bool) -> (TempDir, Adapter) {
    let folder = crate::support::scratch::folder();
    let rows = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/agents/opencode/opencode-db.sql");
    let owner = Connection::open(folder.path().join("opencode.db")).unwrap();
    owner.execute_batch(&fs::read_to_string(rows).unwrap()).unwrap();
    if with_copy {
        let sql = "INSERT INTO session (id, project_id, slug, directory, title, version, time_created, \
                   time_updated) VALUES (?1, 'global', 's', '/', 'x (fork #1)', '1.18.33', 1, 1)";
        owner.execute(sql, [COPY_ID]).unwrap();
    }
    let adapter = Adapter::named("opencode", folder.path().to_owned()).unwrap();
    (folder, adapter)
}

/// The script in the place of opencode: says what it was given, and tells these events.
fn opencode_body(events: &str) -> String {
    format!(
        "if [ \"$1\" = session ]; then\n  echo \"$*\" >> \"$OUT/deleted\"\n  \
         exit \"$(cat \"$OUT/code\" 2>/dev/null || echo 0)\"\nfi\ncat > /dev/null\n\
         echo \"$OPENCODE_DB\" > \"$OUT/file\"; cp \"$OPENCODE_DB\" \"$OUT/copy\"; \
         stat -c %a \"$OPENCODE_DB\" > \"$OUT/mode\"; echo \"$OPENCODE_PERMISSION\" > \"$OUT/may\"\n{events}"
    )
}

fn opencode_event(id: &str) -> String {
    format!("echo '{{\"type\":\"text\",\"sessionID\":\"{id}\",\"part\":{{\"text\":\"x\"}}}}'\n")
}

#[test]
fn opencode_gets_a_database_of_its_own_that_is_gone_afterwards() {
    let (data, adapter) = opencode_data(false);
    let database = data.path().join("opencode.db");
    let before = fs::read(&database).unwrap();
    let client = Client::new(adapter, OPENCODE_ID, &opencode_body(&opencode_event(COPY_ID)));
    let asked = client.ask(&probe(), Some(database.clone()));
    assert_eq!((asked.answer, asked.notes), (text("x"), vec![]));
    assert_eq!((client.left("mode").trim(), client.left("may").trim()), ("600", r#"{"*":"deny"}"#));
    let given = client.left("file");
    let given = Path::new(given.trim());
    assert!(given.extension().is_some_and(|it| it == "db") && !given.exists(), "{given:?}");
    let copy = Connection::open(client.repo.root().join("copy")).unwrap();
    let ids: String = copy.query_row("SELECT group_concat(id) FROM session", [], |row| row.get(0)).unwrap();
    assert_eq!(ids, OPENCODE_ID);
    assert_eq!((client.left("deleted").as_str(), fs::read(&database).unwrap()), ("", before));
    // Without a session to copy nothing is started.
    let client = Client::new(client.adapter, "ses_gone", &opencode_body(""));
    let asked = client.ask(&probe(), Some(database));
    assert!(matches!(asked.answer, Err(NoAnswer::NotStarted(_))), "{asked:?}");
    assert_eq!(client.left("file"), "");
}

/// A client that does not know the variable makes its copy in the person's own database.
#[test]
fn the_copy_that_opencode_made_among_the_persons_sessions_is_deleted_and_no_other() {
    let (_data, adapter) = opencode_data(true);
    let client = Client::new(adapter.clone(), OPENCODE_ID, &opencode_body(&opencode_event(COPY_ID)));
    let asked = client.ask(&probe(), None);
    assert_eq!((asked.answer, asked.notes.len()), (text("x"), 0));
    assert_eq!(client.left("deleted"), format!("session delete {COPY_ID}\n"));
    // What cannot be deleted is said.
    fs::write(client.repo.root().join("code"), "4").unwrap();
    let asked = client.ask(&probe(), None);
    assert_eq!(asked.notes, ["a copy of the session stays in the records of opencode: exit code 4"]);
    // The session itself, events of two sessions, an id that is none: nothing is deleted.
    let two = format!("{}{}", opencode_event(COPY_ID), opencode_event(OPENCODE_ID));
    let none = "echo '{\"type\":\"text\",\"part\":{\"text\":\"x\"}}'".to_owned();
    for events in [opencode_event(OPENCODE_ID), two, opencode_event("--all"), none] {
        let client = Client::new(adapter.clone(), OPENCODE_ID, &opencode_body(&events));
        let asked = client.ask(&probe(), None);
        assert_eq!((asked.notes.len(), client.left("deleted").as_str()), (0, ""), "{events}");
    }
}

#[test]
fn gemini_gets_a_copy_of_the_record() {
    let body = r#"if [ "$1" = --delete-session ]; then echo "$2" > "$OUT/deleted"; exit; fi
cat > /dev/null; cat "$2" > "$OUT/copy"; echo "$2" > "$OUT/file"
echo '{"session_id":"47352845-8a8c-49cd-86a4-29088423769e","response":"x"}'"#;
    let client = Client::new(Adapter::named("gemini", "/nowhere".into()).unwrap(), UUID, body);
    let record = client.repo.root().join("record.jsonl");
    fs::write(&record, "{\"a\":1}\n").unwrap();
    let asked = client.ask(&probe(), Some(record.clone()));
    assert_eq!(asked.answer, text("x"), "{asked:?}");
    assert_eq!([client.left("copy"), client.left("record.jsonl")], ["{\"a\":1}\n", "{\"a\":1}\n"]);
    let copy = client.left("file");
    let name = Path::new(copy.trim()).file_name().unwrap().to_str().unwrap();
    assert!(name.starts_with("closeout-copy-") && !Path::new(copy.trim()).exists(), "{copy}");
    assert_eq!(client.left("deleted"), "47352845-8a8c-49cd-86a4-29088423769e\n");
    // Without a record, or with a link in its place, nothing is started.
    fs::remove_file(&record).unwrap();
    std::os::unix::fs::symlink("/etc/hostname", &record).unwrap();
    for record in [None, Some(record)] {
        let asked = client.ask(&probe(), record);
        assert!(matches!(asked.answer, Err(NoAnswer::NotStarted(_))), "{asked:?}");
    }
}
