//! Asking agents and deciding, by the built program and scripted agents that are real processes: the smart
//! check, the closer, decision files.

mod answers;
mod clients;
mod closer;
mod deciding;
mod evidence;
mod messages;
mod probing;

use std::fs;
use std::path::PathBuf;

use crate::support::repo::Repo;
use crate::support::test_env::TestEnv;

/// A repository in which an agent of the person's own has a session, and the env beside it. What the agent
/// answers is a script.
pub(crate) struct Asked {
    pub(crate) repo: Repo,
    pub(crate) env: TestEnv,
}

impl Asked {
    /// The agent answers a probe with the shell script `probe`, and a query of the closer with `query`. `$TRACE`
    /// is a folder outside of the workspace, and `$N` how often it was asked before.
    pub(crate) fn new(probe: &str, query: &str) -> Asked {
        let repo = Repo::unborn();
        // Not a branch that is protected by its name.
        repo.git(["symbolic-ref", "HEAD", "refs/heads/work"]);
        repo.write(".gitignore", ".mine/\n").write("README", "hello\n").commit("first");
        for (key, value) in [("user.name", "Ada"), ("user.email", "ada@example.org")] {
            repo.git(["config", key, value]);
        }
        repo.write(".mine/last.md", "I looked at the parser.\n");
        let trace = repo.root().join("trace");
        fs::create_dir(&trace).unwrap();
        let script = |name: &str, body: &str| {
            let count = format!(
                "TRACE={trace}\nN=$(cat \"$TRACE/{name}\" 2>/dev/null || echo 0)\necho $((N + 1)) > \"$TRACE/{name}\"\n",
                trace = trace.display()
            );
            repo.script(name, &format!("{count}{body}"))
        };
        let asked = Asked { env: TestEnv::beside(&repo), repo: repo.clone() };
        asked.configure(&format!(
            "[[agent]]\nname = \"mine\"\noutput = \".mine/*.md\"\nstatus_file = \".mine/status.json\"\n\
             commands.probe = [{:?}]\ncommands.query = [{:?}, \"{{schema_file}}\"]\n",
            script("probe", probe),
            script("query", query),
        ));
        // The task begins now: the baseline is this commit.
        let _ = asked.env.run(asked.repo.path(), &["check"]);
        asked
    }

    /// The person's own configuration.
    pub(crate) fn configure(&self, text: &str) {
        let folder = self.repo.home().join("config/closeout");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("config.toml"), text).unwrap();
    }

    /// The same with more of it.
    pub(crate) fn configure_more(&self, text: &str) {
        let file = self.repo.home().join("config/closeout/config.toml");
        let before = fs::read_to_string(&file).unwrap();
        fs::write(file, format!("{before}{text}")).unwrap();
    }

    /// How often a script was started.
    pub(crate) fn n_started(&self, name: &str) -> u32 {
        fs::read_to_string(self.trace(name)).map_or(0, |count| count.trim().parse().unwrap())
    }

    /// A file that scripts leave outside of the workspace.
    pub(crate) fn trace(&self, name: &str) -> PathBuf {
        self.repo.root().join("trace").join(name)
    }
}

/// A script that answers with this text.
pub(crate) fn says(text: &str) -> String {
    format!("cat > /dev/null\ncat <<'END'\n{text}\nEND")
}
