//! Which files git ignores, by both readers.

use std::time::Duration;

use closeout::evidence::git::{GitAsk, GitMemory, ignored};
use closeout::model::GitReader;

use crate::support::repo::{Repo, git_program};

#[test]
fn both_readers_tell_the_same_files_that_are_there_and_ignored() {
    let repo = Repo::new();
    let program = git_program();
    let home = repo.home();
    repo.write("kept.log", "tracked before the rule").stage("kept.log");
    repo.write(".gitignore", "*.log\n.env*\n!.env.example\nbuild/\n").stage(".gitignore");
    repo.commit("rules");
    repo.write("sub/.gitignore", "local.toml\n");
    std::fs::write(repo.git_dir().join("info/exclude"), "private\n").unwrap();
    let there =
        [".env.local", ".env.example", "kept.log", "run.log", "build/a/b.js", "sub/local.toml", "private"];
    for name in there {
        repo.write(name, "x");
    }
    let mut asked: Vec<String> =
        there.iter().map(|name| repo.at(name).to_str().unwrap().to_owned()).collect();
    asked.extend([
        repo.at("gone.log").to_str().unwrap().to_owned(),
        "/elsewhere/run.log".to_owned(),
        repo.at(".git/config").to_str().unwrap().to_owned(),
        repo.path().to_str().unwrap().to_owned(),
    ]);
    for reader in [GitReader::InProcess, GitReader::Program] {
        let budget = closeout::process::Budget::new(Duration::from_secs(20));
        let ask = GitAsk {
            reader: Some(reader),
            program: Some(&program),
            home: Some(&home),
            ..GitAsk::new(repo.now(), &budget)
        };
        let memory = &mut GitMemory::default();
        let found = ignored(repo.path(), &asked, &ask, memory).unwrap();
        assert_eq!(
            found,
            [".env.local", "run.log", "build/a/b.js", "sub/local.toml", "private"],
            "{reader:?}"
        );
    }
}
