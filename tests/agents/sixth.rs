//! An agent that closeout does not know: what it needs is one implementation of the trait, and no line of `src`.

use std::path::{Path, PathBuf};

use closeout::agent::{
    self, Adapter, Agent, AgentCommand, AnswerPlace, Asking, Facts, FoundSession, Memories, SessionsAsk,
    SessionsRead, Survey, SurveyAsk, Trace,
};
use closeout::model::{AgentMessage, SessionObservation, SessionPlace, Timestamp, TurnState};
use tempfile::TempDir;

/// One file a session, named by its id: the first line is the folder, the rest is what was said last.
#[derive(Debug)]
struct Sixth;

#[derive(Default)]
struct Looks(u32);

fn files(home: &Path) -> Vec<PathBuf> {
    std::fs::read_dir(home).unwrap().map(|entry| entry.unwrap().path()).collect()
}

impl Agent for Sixth {
    fn name(&self) -> &'static str {
        "sixth"
    }

    fn facts(&self) -> &'static Facts {
        &Facts { programs: &["sixth"], ..Facts::NONE }
    }

    fn survey(&self, home: &Path, _ask: &SurveyAsk<'_>, _memory: &mut Memories) -> Survey {
        let found = files(home).into_iter().map(|record| {
            let folder = std::fs::read_to_string(&record).unwrap().lines().next().unwrap().into();
            let session_id = record.file_name().unwrap().to_str().unwrap().into();
            let place = SessionPlace { agent: self.name().to_owned(), session_id, folder, record };
            FoundSession { place, moved_at: Timestamp(1) }
        });
        Survey { found: found.collect(), ..Survey::default() }
    }

    fn sessions(&self, ask: &SessionsAsk<'_>, memory: &mut Memories) -> SessionsRead {
        let n_looks = memory.with(|looks: &mut Looks| {
            looks.0 += 1;
            looks.0
        });
        let sessions = ask.places.iter().map(|place| {
            let text = std::fs::read_to_string(&place.record).unwrap();
            let said = text.split_once('\n').unwrap().1.to_owned();
            let mut session = SessionObservation::named(self.name(), &place.session_id);
            session.turn = TurnState::Ended { at: None };
            session.last_message = Some(AgentMessage { text: said, at: None });
            session.folder = Some(place.folder.clone());
            session.usage.n_turns = Some(n_looks);
            session
        });
        SessionsRead { sessions: sessions.collect(), ..SessionsRead::default() }
    }

    fn command(&self, session: &SessionObservation, asking: &Asking) -> Option<AgentCommand> {
        let Asking::Reply { text } = asking else { return None };
        Some(AgentCommand {
            program: "sixth".to_owned(),
            arguments: vec![session.session_id.as_str().into()],
            stdin: text.clone(),
            folder: session.folder.clone()?,
            environment: Vec::new(),
            trace: Trace::InSession,
            answer: AnswerPlace::None,
        })
    }
}

#[test]
fn one_more_agent_is_found_read_and_answered_without_a_change_of_the_program() {
    let home = TempDir::new().unwrap();
    std::fs::write(home.path().join("s-1"), "/work/a\nAll done.").unwrap();
    let adapters = [Adapter::new(&Sixth, home.path().to_owned())];
    let mut memory = Memories::default();
    let survey =
        agent::survey(&adapters, &SurveyAsk { since: Timestamp(0), all_of: &[], within: None }, &mut memory);
    let places: Vec<SessionPlace> = survey.found.into_iter().map(|found| found.place).collect();
    assert_eq!(places[0].folder, Path::new("/work/a"));
    agent::sessions(&adapters, Path::new("/work/a"), &places, &mut memory);
    let read = agent::sessions(&adapters, Path::new("/work/a"), &places, &mut memory);
    let session = &read.sessions[0];
    assert_eq!((session.agent.as_str(), session.usage.n_turns), ("sixth", Some(2)), "it remembers");
    assert_eq!(session.last_message.as_ref().unwrap().text, "All done.");
    let command = adapters[0].command(session, &Asking::Reply { text: "go on".to_owned() }).unwrap();
    assert_eq!((command.program.as_str(), command.stdin.as_str()), ("sixth", "go on"));
    // What it does not say it does not have.
    assert_eq!(adapters[0].command(session, &Asking::Probe { prompt: "?".to_owned(), model: None }), None);
    assert!(!adapters[0].facts().has_traceless_probe && adapters[0].server().is_none());
    assert!(adapters[0].option_dialog(session).is_err());
}
