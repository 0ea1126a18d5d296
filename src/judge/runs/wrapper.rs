//! Strips what only starts a tool: `env A=b`, `timeout 60`, `npx`, `uv run --directory d`, `python -m`, a
//! path before its name. What remains begins with the tool's own name. Must not know the tools.

use super::calls::VALUE_OPTIONS;
use super::script::joined;

/// Programs that run the words after their options: their names, and their options that take a value.
const STARTERS: &[(&[&str], &[&str])] = &[
    (&["env"], &["-u", "-C", "--unset", "--chdir"]),
    (&["time"], &["-f", "-o"]),
    (&["nohup"], &[]),
    (&["nice"], &["-n"]),
    (&["ionice"], &["-c", "-n"]),
    (&["sudo"], &["-u", "-g"]),
    (&["stdbuf"], &[]),
    (&["command"], &[]),
    (&["exec"], &[]),
    (&["builtin"], &[]),
    (&["setsid"], &[]),
    (&["unbuffer"], &[]),
    (&["caffeinate"], &[]),
    (&["xvfb-run"], &["-s", "-n"]),
    (&["dotenv"], &["-e", "-f"]),
    (&["dotenvx", "run"], &["-f"]),
    (&["cross-env"], &[]),
    (&["mise", "exec"], &[]),
    (&["mise", "x"], &[]),
    (&["nix", "develop"], &[]),
    (&["nix-shell"], &[]),
    (&["devbox", "run"], &[]),
    (&["corepack"], &[]),
    (&["npx"], &["-p", "--package", "-w", "--workspace"]),
    (&["bunx"], &[]),
    (&["pnpx"], &[]),
    (&["uvx"], &["--from", "--with", "-p", "--python"]),
    (&["npm", "exec"], &["-p", "--package", "-w", "--workspace"]),
    (&["pnpm", "exec"], &[]),
    (&["pnpm", "dlx"], &[]),
    (&["yarn", "exec"], &[]),
    (&["yarn", "dlx"], &[]),
    (&["bun", "x"], &[]),
    (
        &["uv", "run"],
        &["--with", "--extra", "--group", "-p", "--python", "--package", "--env-file", "--only-group"],
    ),
    (&["poetry", "run"], &[]),
    (&["pipenv", "run"], &[]),
    (&["hatch", "run"], &["-e"]),
    (&["rye", "run"], &[]),
    (&["pdm", "run"], &[]),
    (&["pixi", "run"], &["-e"]),
    (&["conda", "run"], &["-n", "-p"]),
    (&["bundle", "exec"], &[]),
    (&["fvm"], &[]),
    (&["coverage", "run"], &["--source", "--rcfile"]),
    (&["xargs"], &["-n", "-P", "-I", "-L", "-d", "-a", "-s"]),
    (&["parallel"], &["-j", "--jobs"]),
    (&["then"], &[]),
];
/// What runs a command in a container, whose name stands behind the options.
const CONTAINERS: [&[&str]; 8] = [
    &["docker", "compose", "run"],
    &["docker", "compose", "exec"],
    &["docker-compose", "run"],
    &["docker-compose", "exec"],
    &["docker", "run"],
    &["docker", "exec"],
    &["podman", "run"],
    &["podman", "exec"],
];
/// Options of these that take a value.
const CONTAINER_VALUES: [&str; 12] = [
    "-e", "--env", "--env-file", "-u", "--user", "-w", "--workdir", "-v", "--volume", "--name", "-p",
    "--network",
];
/// Starters that add words of their own to the call, which nobody sees: what runs is taken for a part.
const ADDERS: [&str; 2] = ["xargs", "parallel"];
/// Interpreters: `-m NAME`, or a script with a tool's name, runs that tool.
const INTERPRETERS: [&str; 8] = ["python", "python3", "py", "php", "ruby", "node", "bash", "sh"];
/// More programs that run a script.
const SCRIPT_RUNNERS: [&str; 12] =
    ["zsh", "pypy3", "perl", "lua", "luajit", "Rscript", "julia", "elixir", "tsx", "ts-node", "bun", "deno"];
/// Options of these that take no value, so that what stands behind them is the script.
const FLAGS: [&str; 14] = [
    "-u", "-B", "-O", "-q", "-I", "-E", "-S", "-s", "-x", "-w", "-A", "--allow-all", "--no-warnings",
    "--enable-source-maps",
];
/// Options that name the folder in which a tool works.
const FOLDER_OPTIONS: [&str; 9] = [
    "--directory", "--prefix", "--dir", "--cwd", "-C", "--manifest-path", "--project-dir", "--test-dir",
    "--rootDir",
];
/// Package runners that also start a tool by its bare name.
const BARE_RUNNERS: [&str; 8] = ["yarn", "pnpm", "bun", "npm", "uv", "deno", "turbo", "dart"];
/// The tool that a script is which its name or its folder tells to be a test.
pub(super) const TEST_FILE: &str = "test-file";
/// How the files of scripts end.
const SCRIPT_ENDS: [&str; 20] = [
    "py", "js", "mjs", "cjs", "ts", "mts", "cts", "tsx", "jsx", "rb", "pl", "t", "php", "lua", "sh", "R",
    "r", "jl", "exs", "bats",
];
/// Words in the name of a test, or of its folder.
const TEST_WORDS: [&str; 5] = ["test", "tests", "spec", "specs", "__tests__"];
/// At most this many starters are stripped.
const MAX_STARTERS: u32 = 12;

/// A call without what starts it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Call {
    /// The words; the first is the tool's name without a path.
    pub(super) words: Vec<String>,
    /// The folder it works in, relative to that of the line.
    pub(super) folder: Option<String>,
}

/// The call that `words` make in `folder`.
pub(super) fn call_of(words: &[String], folder: Option<&str>) -> Call {
    let mut call = Call { words: words.to_vec(), folder: folder.map(str::to_owned) };
    for _ in 0..MAX_STARTERS {
        call.words = without_path(std::mem::take(&mut call.words));
        if !call.take_starter() && !call.take_timeout() && !call.take_container() && !call.take_interpreter()
        {
            break;
        }
    }
    call.take_folder_options();
    call.spell_out_target();
    call
}

/// The words after a package runner that starts a tool by its bare name: `yarn jest`.
pub(super) fn bare(words: &[String]) -> Option<Vec<String>> {
    let (first, rest) = words.split_first()?;
    let mut rest = if BARE_RUNNERS.contains(&first.as_str()) { rest } else { return None };
    rest = rest.strip_prefix(&["run".to_owned()]).unwrap_or(rest);
    rest = &rest[rest.iter().take_while(|word| word.starts_with('-')).count()..];
    (!rest.is_empty()).then(|| without_path(rest.to_vec()))
}

/// The words of a script that its name or its folder tells to be a test, behind the name [`TEST_FILE`]:
/// `python tests/test_cart.py`, `node cart.test.js`, `./test_cart.rb`.
pub(super) fn test_file(words: &[String]) -> Option<Vec<String>> {
    let first = words.first()?.as_str();
    let runs_script =
        first.starts_with("python") || INTERPRETERS.contains(&first) || SCRIPT_RUNNERS.contains(&first);
    let is_passed = |word: &&String| FLAGS.contains(&word.as_str()) || *word == "run";
    let n_passed = if runs_script { 1 + words[1..].iter().take_while(is_passed).count() } else { 0 };
    let script = &words[n_passed..];
    is_test_file(script.first()?).then(|| [&[TEST_FILE.to_owned()], script].concat())
}

/// Whether a path is that of a script that its name or its folder tells to be a test.
fn is_test_file(path: &str) -> bool {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let Some((stem, _)) = name.rsplit_once('.').filter(|(_, end)| SCRIPT_ENDS.contains(end)) else {
        return false;
    };
    let is_named = stem.split(['_', '-', '.']).any(|word| TEST_WORDS.contains(&word.to_lowercase().as_str()));
    is_named
        || ["Test", "Tests", "Spec"].iter().any(|end| stem.ends_with(end))
        || folders.split('/').any(|folder| TEST_WORDS.contains(&folder))
}

/// Strips assignments and the first word's path. A wrapper in the project has the name of its tool.
fn without_path(mut words: Vec<String>) -> Vec<String> {
    let is_assignment = |word: &String| word.contains('=') && !word.starts_with('-') && !word.contains('/');
    let n_assignments = words.iter().take_while(|word| is_assignment(word)).count();
    words.drain(..n_assignments);
    if let Some(first) = words.first_mut() {
        let name = first.rsplit('/').next().unwrap_or_default();
        let name = name.strip_suffix(".exe").or_else(|| name.strip_suffix(".cmd")).unwrap_or(name);
        let name = match name {
            "gradlew" | "gradlew.bat" => "gradle",
            "mvnw" | "mvnd" => "mvn",
            name => name,
        };
        *first = name.to_owned();
    }
    words
}

impl Call {
    fn take_starter(&mut self) -> bool {
        let starter = STARTERS.iter().find(|(names, _)| {
            names.len() < self.words.len() && names.iter().zip(&self.words).all(|(name, word)| name == word)
        });
        let Some((names, values)) = starter else { return false };
        let mut at = names.len();
        while let Some(word) = self.words.get(at) {
            if word == "--" {
                at += 1;
                break;
            }
            let is_assignment = word.contains('=') && !word.starts_with('-');
            if !word.starts_with('-') && !is_assignment {
                break;
            }
            if matches!(word.as_str(), "-c" | "--command" | "--run") {
                at += 1;
                break;
            }
            let (name, value) = match word.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (word.as_str(), None),
            };
            let takes_next = value.is_none()
                && (values.contains(&name)
                    || FOLDER_OPTIONS.contains(&name)
                    || VALUE_OPTIONS.contains(&name) && *names != ["npx"]);
            let is_module = name == "-m" && value.is_none();
            if FOLDER_OPTIONS.contains(&name)
                && let Some(folder) = value.or_else(|| self.words.get(at + 1).cloned())
            {
                self.folder = joined(self.folder.as_deref(), &folder);
            }
            at += if takes_next { 2 } else { 1 };
            if is_module {
                break;
            }
        }
        if at >= self.words.len() {
            return false;
        }
        if ADDERS.contains(&names[0]) {
            self.words.push("*".to_owned());
        }
        self.words.drain(..at);
        true
    }

    /// Strips `docker compose run [OPTIONS] SERVICE COMMAND`.
    fn take_container(&mut self) -> bool {
        let Some(names) = CONTAINERS.iter().find(|names| {
            names.len() < self.words.len() && names.iter().zip(&self.words).all(|(name, word)| name == word)
        }) else {
            return false;
        };
        let mut at = names.len();
        while let Some(word) = self.words.get(at).filter(|word| word.starts_with('-')) {
            at += if CONTAINER_VALUES.contains(&word.as_str()) { 2 } else { 1 };
        }
        if at + 1 >= self.words.len() {
            return false;
        }
        self.words.drain(..=at);
        true
    }

    /// Strips `timeout [OPTIONS] DURATION COMMAND`.
    fn take_timeout(&mut self) -> bool {
        if !matches!(self.words.first().map(String::as_str), Some("timeout" | "gtimeout")) {
            return false;
        }
        let mut at = 1;
        while let Some(word) = self.words.get(at).filter(|word| word.starts_with('-')) {
            at += if matches!(word.as_str(), "-k" | "-s" | "--signal" | "--kill-after") { 2 } else { 1 };
        }
        if at + 1 >= self.words.len() {
            return false;
        }
        self.words.drain(..=at);
        true
    }

    /// Strips `python -m NAME`, `php artisan`, `node node_modules/.bin/jest`.
    fn take_interpreter(&mut self) -> bool {
        let Some(first) = self.words.first() else { return false };
        let is_python = first.starts_with("python");
        if !is_python && !INTERPRETERS.contains(&first.as_str()) {
            return false;
        }
        let n_options =
            self.words[1..].iter().take_while(|word| word.starts_with('-') && *word != "-m").count();
        let at = 1 + n_options;
        let at = match self.words.get(at).map(String::as_str) {
            Some("-m") if is_python || first == "py" => at + 1,
            // A script with its own name. It does not count after an option, which may
            // have taken the word as its value.
            Some(script) if n_options == 0 && !script.starts_with('-') => {
                let name = script.rsplit('/').next().unwrap_or_default();
                let is_tool = script.contains("/bin/")
                    || script.starts_with("bin/")
                    || matches!(name, "artisan" | "manage.py");
                let is_script = name.strip_suffix(".sh").is_some_and(|name| !name.is_empty());
                if !is_tool && !is_script {
                    return false;
                }
                at
            }
            _ => return false,
        };
        if at >= self.words.len() {
            return false;
        }
        self.words.drain(..at);
        // `manage.py test` keeps its name.
        true
    }

    /// Writes `nx run checkout:test` as `nx test checkout`.
    fn spell_out_target(&mut self) {
        if let [nx, run, target, ..] = &self.words[..]
            && (nx == "nx" && run == "run")
            && let Some((project, task)) = target.split_once(':')
        {
            let (project, task) = (project.to_owned(), task.to_owned());
            self.words.splice(1..3, [task, project]);
        }
    }

    /// Reads the tool's own options that name a folder.
    fn take_folder_options(&mut self) {
        let words = self.words.clone();
        for (at, word) in words.iter().enumerate().skip(1).take_while(|(_, word)| *word != "--") {
            let (name, value) = match word.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (word.as_str(), words.get(at + 1).map(String::as_str)),
            };
            if !FOLDER_OPTIONS.contains(&name) || name == "-C" && words[0] == "git" {
                continue;
            }
            let Some(value) = value else { continue };
            let folder = match value.strip_suffix("Cargo.toml") {
                Some(folder) => folder.trim_end_matches('/'),
                None => value,
            };
            self.folder = joined(self.folder.as_deref(), folder);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn called(line: &str) -> (String, Option<String>) {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        let call = call_of(&words, None);
        (call.words.join(" "), call.folder)
    }

    #[test]
    fn starters_are_taken_away() {
        for (line, left, folder) in [
            ("env A=b timeout -k 5 60 nice -n 5 ./.venv/bin/pytest -q", "pytest -q", None),
            ("corepack pnpm exec vitest run", "vitest run", None),
            ("uv run --directory api pytest", "pytest", Some("api")),
            ("uv run --with x python -m pytest a", "pytest a", None),
            ("python3 -m pytest", "pytest", None),
            ("./gradlew -p app test", "gradle -p app test", None),
            ("npx --yes jest", "jest", None),
            ("nix develop -c cargo test", "cargo test", None),
            ("python fix.py", "python fix.py", None),
            ("env", "env", None),
            ("timeout 5", "timeout 5", None),
        ] {
            assert_eq!(called(line), (left.to_owned(), folder.map(str::to_owned)), "{line}");
        }
    }

    #[test]
    fn a_script_is_a_test_by_its_name_or_its_folder() {
        let read = |line: &str| {
            let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
            test_file(&call_of(&words, None).words).map(|words| words.join(" "))
        };
        for (line, script) in [
            ("python3 -u tests/smoke.py fast", "tests/smoke.py fast"),
            ("env A=1 timeout 9 node cart.test.js", "cart.test.js"),
            ("bun run src/cart.test.ts", "src/cart.test.ts"),
            ("php src/CartTest.php", "src/CartTest.php"),
            ("./test_cart.rb", "test_cart.rb"),
        ] {
            assert_eq!(read(line), Some(format!("{TEST_FILE} {script}")), "{line}");
        }
        for line in
            ["python --seed test_seed.py fix.py", "node latest.js", "python make_tests", "cat test_a.py"]
        {
            assert_eq!(read(line), None, "{line}");
        }
    }
}
