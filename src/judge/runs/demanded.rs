//! The checks that a prompt tells an agent to run, by its words alone. The phrases of all languages stand in
//! `assets/tasks.toml`. Must not look at what was run.
//!
//! An order is the whole of a clause: a verb of running with what it runs behind it ("run the tests", "führe die Tests
//! aus") or before it ("die Tests ausführen", "テストを実行"), or the demand that checks pass ("until the tests are
//! green"). Words about running ("the tests run slowly", "do not run the tests") have no such form.

use super::Catalog;
use super::clause::{Clause, ENDS};
use super::joined_script::in_joined_script;
use super::named_check::{Demanded, KINDS, of_call, of_tool};
use crate::judge::task::phrases::{Group, PHRASES};
use crate::judge::words;
use crate::model::CheckKind;

/// Whether a list of checks ends with a clause.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ListEnd {
    No,
    /// It says that they pass.
    Passes,
    /// It says that they must.
    MustPass,
}

/// The checks that a prompt tells to run.
pub(super) fn demanded(own: &str, clauses: &[Clause], catalog: &Catalog) -> Vec<Demanded> {
    let mut found: Vec<Demanded> = Vec::new();
    let mut is_order = false;
    // Named before what is demanded of them all: "make sure that pytest and ruff check pass".
    let mut named: Vec<Demanded> = Vec::new();
    let mut is_wanted = false;
    let mut named_tests = None;
    for clause in clauses {
        let order = clause.order(is_order && !clause.joint.is_empty(), catalog).or_else(|| {
            let tests = clause.runs_them().then_some(named_tests.as_ref()).flatten()?;
            Some(Demanded::of_kind(CheckKind::Test, String::clone(tests)))
        });
        named_tests = clause.names_tests().or(named_tests);
        is_order = order.is_some();
        let is_first = named.is_empty();
        match clause.of_list(is_first, catalog) {
            Some((demanded, begin, ListEnd::No)) => {
                is_wanted = if is_first { begin > 0 } else { is_wanted };
                named.push(demanded);
            }
            Some((demanded, _, end)) if !is_first && (is_wanted || end == ListEnd::MustPass) => {
                found.append(&mut named);
                found.push(demanded);
            }
            Some((demanded, _, ListEnd::Passes)) if clause.is_criterion => found.push(demanded),
            Some(_) | None => named.clear(),
        }
        found.extend(order.map(|demanded| clause.placed(demanded)));
    }
    let parts = own.split(|sign| sign == '\n' || ENDS.contains(&sign) && sign != '.');
    found.extend(parts.flat_map(|part| in_joined_script(part, catalog)));
    found.dedup();
    found
}

impl Clause {
    /// The check that the clause orders; `continues` where it may go on with an order before it ("… and the linter").
    fn order(&self, continues: bool, catalog: &Catalog) -> Option<Demanded> {
        if PHRASES.has(&self.lower, Group::NoOrder) {
            return None;
        }
        let begin = self.behind_folder(self.after(0, &[Group::BesideOrder, Group::BeginsOrder]));
        if let Some(n_words) = self.starts(begin, Group::RunsWhat) {
            let from = self.after(begin + n_words, &[Group::BesideOrder]);
            if let Some(demanded) = self.run_with(from, catalog) {
                return Some(demanded);
            }
            return self.named_until(from, self.words.len(), catalog).map(Demanded::only_run);
        }
        if let Some(demanded) = self.used_instead(begin, catalog).or_else(|| self.next_call(begin, catalog)) {
            return Some(demanded);
        }
        if let Some(demanded) = self.checked_with(begin, catalog) {
            return Some(demanded);
        }
        let behind = self
            .find(begin, Group::IsRun)
            .and_then(|(at, _)| self.named(begin, at, catalog))
            .map(Demanded::only_run);
        let passing = || {
            let (at, n_words) = self.find(0, Group::WantsPass)?;
            let from = at + n_words;
            self.find(from, Group::Passes).and_then(|(to, _)| self.named(from, to, catalog))
        };
        behind
            .or_else(passing)
            .or_else(|| self.must_pass(begin, catalog))
            .or_else(|| if continues { self.named_until(begin, self.words.len(), catalog) } else { None })
    }

    /// The check that must pass, by words that say so behind it and end the clause: "the tests must pass", and not "the
    /// tests should pass a token".
    fn must_pass(&self, begin: usize, catalog: &Catalog) -> Option<Demanded> {
        let (at, n_words) = self.demand_to_pass(begin)?;
        let is_end =
            at + n_words == self.words.len() || self.starts(at + n_words, Group::EndsOrder).is_some();
        if !is_end {
            return None;
        }
        self.named_until(begin, at, catalog)
    }

    /// Where the words begin that demand from `from` on that checks pass, and their number: "must pass", "have to be clean".
    fn demand_to_pass(&self, from: usize) -> Option<(usize, usize)> {
        (from..self.lower.len()).find_map(|at| {
            let whole = || self.starts(at, Group::MustPass);
            let two_parts = || {
                let passes = self.after(at + self.starts(at, Group::Must)?, &[Group::BetweenMust]);
                Some(passes + self.starts(passes, Group::Passes)? - at)
            };
            Some((at, whole().or_else(two_parts)?))
        })
    }

    /// The check that the clause adds to a list of checks that shall pass, where its words begin, and whether the list
    /// ends with it. The first clause (`is_first`) says before them what is wanted, or the last one that they must pass.
    fn of_list(&self, is_first: bool, catalog: &Catalog) -> Option<(Demanded, usize, ListEnd)> {
        let wants = self.find(0, Group::WantsPass).map(|(at, n_words)| at + n_words);
        // The name of a check may have such a word in it: "mvn verify".
        let begins = [Some(0), wants.filter(|_| is_first)];
        begins.into_iter().flatten().find_map(|from| {
            let must = self.demand_to_pass(from).map(|(at, _)| (at, ListEnd::MustPass));
            let end = must.or_else(|| self.find(from, Group::Passes).map(|(at, _)| (at, ListEnd::Passes)));
            let (to, end) = end.unwrap_or((self.words.len(), ListEnd::No));
            Some((self.placed(self.named_until(from, to, catalog)?), from, end))
        })
    }

    /// A check with the folder that the clause names.
    fn placed(&self, demanded: Demanded) -> Demanded {
        Demanded { folder: self.folder(), near: self.near(), ..demanded }
    }

    /// The tool that the clause wants used in the place of another: "use `tox -e py312` instead".
    fn used_instead(&self, begin: usize, catalog: &Catalog) -> Option<Demanded> {
        let from = begin + self.starts(begin, Group::Uses)?;
        let (to, _) = self.find(from, Group::Instead)?;
        of_tool(&self.words[from..to], catalog)
    }

    /// The call that is all of what comes next: "then `npm run lint` and commit".
    fn next_call(&self, begin: usize, catalog: &Catalog) -> Option<Demanded> {
        let before = begin.checked_sub(1).and_then(|at| self.lower.get(at)).unwrap_or(&self.joint);
        let comes_next = [before, &self.joint].iter().any(|word| words::of("comes_next").contains(word));
        let is_code = self.is_code.get(begin..)?.iter().all(|is_code| *is_code);
        (comes_next && is_code).then(|| of_tool(&self.words[begin..], catalog)).flatten()
    }

    /// Whether the clause wants run what was named before, with no word of how: "write tests and run them".
    fn runs_them(&self) -> bool {
        let begin = self.after(0, &[Group::BesideOrder, Group::BeginsOrder]);
        self.starts(begin, Group::RunsWhat).is_some_and(|n_words| {
            let at = begin + n_words;
            self.lower.get(at).is_some_and(|word| words::of("named_before").contains(word))
                && (at + 1 == self.lower.len() || self.starts(at + 1, Group::EndsOrder).is_some())
        })
    }

    /// The tests that the clause speaks of.
    fn names_tests(&self) -> Option<String> {
        let (at, n_words) = self.find(0, Group::Tests)?;
        Some(self.words[at..at + n_words].join(" "))
    }

    /// The tool with which the clause wants run what was named before: "write tests and run them with `pytest`".
    fn run_with(&self, from: usize, catalog: &Catalog) -> Option<Demanded> {
        words::of("named_before").contains(self.lower.get(from)?).then_some(())?;
        words::of("before_tool").contains(self.lower.get(from + 1)?).then_some(())?;
        let end = self.find(from + 2, Group::EndsOrder).map_or(self.words.len(), |(at, _)| at);
        of_tool(self.words.get(from + 2..end)?, catalog)
    }

    /// The tool that a clause wants something checked with: "check the types with tsc".
    fn checked_with(&self, begin: usize, catalog: &Catalog) -> Option<Demanded> {
        words::of("checks_something").contains(self.lower.get(begin)?).then_some(())?;
        let before_tool = words::of("before_tool");
        let is_before = |word: &String| before_tool.contains(word);
        let at = self.lower.iter().rposition(is_before).filter(|at| *at > begin)?;
        let end = self.find(at + 1, Group::EndsOrder).map_or(self.words.len(), |(at, _)| at);
        of_tool(self.words.get(at + 1..end)?, catalog)
    }

    /// The check that the words from `from` on name, up to `to` or to what ends an order.
    fn named_until(&self, from: usize, to: usize, catalog: &Catalog) -> Option<Demanded> {
        let ends = |at: &usize| !self.is_code[*at] && self.starts(*at, Group::EndsOrder).is_some();
        let end = (from..self.lower.len()).find(ends).map_or(to, |at| at.min(to));
        self.named(from, end, catalog)
    }

    /// The check that the words from `from` to `to` name, all of them.
    fn named(&self, from: usize, to: usize, catalog: &Catalog) -> Option<Demanded> {
        let begin = self.after(from, &[Group::Articles]).min(to);
        let words = self.words.get(begin..to)?;
        if let Some(demanded) = of_tool(words, catalog) {
            return Some(demanded);
        }
        if self.is_code.get(begin..to).is_some_and(|words| words.iter().all(|is_code| *is_code)) {
            return of_call(words, catalog);
        }
        // "The unit tests (npm run test:unit)": what is in brackets says how.
        let mut with_call = (begin + 1..to)
            .filter(|at| KINDS.iter().any(|(group, _)| self.starts(begin, *group) == Some(at - begin)));
        if let Some(demanded) = with_call.find_map(|at| of_tool(&self.words[at..to], catalog)) {
            return Some(demanded);
        }
        let is_all = |group| self.starts(begin, group) == Some(to - begin);
        let (_, kind) = KINDS.iter().find(|(group, _)| is_all(*group))?;
        Some(Demanded::of_kind(*kind, self.words[from..to].join(" ")))
    }
}

#[cfg(test)]
mod tests {
    use crate::judge::runs::{Catalog, Demanded, Demands};

    fn demanded(prompt: &str) -> Vec<Demanded> {
        Demands::of(prompt, Catalog::built_in()).checks
    }

    fn asked(prompt: &str) -> Vec<String> {
        demanded(prompt).into_iter().map(|demanded| demanded.words).collect()
    }

    #[test]
    fn each_of_the_names_that_are_joined_is_demanded() {
        let both = ["npm run build", "npm test"];
        for prompt in [
            "フォームを追加し、`npm run build` と `npm test` が両方とも通ることを確認してからコミットしてください。",
            "添加表单,确保 `npm run build` 和 `npm test` 都通过,然后提交。",
            "양식을 추가하고, `npm run build`와 `npm test`가 모두 통과하는지 확인한 뒤 커밋해 주세요.",
        ] {
            assert_eq!(asked(prompt), both, "{prompt}");
        }
    }

    #[test]
    fn an_order_to_run_a_check_names_it() {
        assert_eq!(asked("Add a login page, run cargo test and commit."), ["cargo test"]);
        assert_eq!(asked("Fix it. Then run `npm test` before you commit."), ["npm test"]);
        assert_eq!(asked("Rename it and run the tests"), ["the tests"]);
        assert_eq!(asked("Rename it, then `npm run lint` and commit."), ["npm run lint"]);
        assert_eq!(asked("Benenne es um, dann `npm run lint`, dann committen."), ["npm run lint"]);
        assert_eq!(asked("It builds, then `npm run lint` hangs. Mend that."), Vec::<String>::new());
        assert_eq!(asked("Please make sure to run all tests again."), ["all tests"]);
        assert_eq!(asked("Don't forget to run pytest -q."), ["pytest -q"]);
        assert_eq!(asked("Make sure that pytest and ruff check pass, and commit."), ["pytest", "ruff check"]);
        assert_eq!(
            asked("Mend it until cargo test, cargo clippy and the build are green."),
            ["cargo test", "cargo clippy", "the build"]
        );
        assert_eq!(asked("Mend the parser, run the full test suite, commit."), ["the full test suite"]);
        assert_eq!(
            asked("Add it, run cargo test and cargo clippy, and commit."),
            ["cargo test", "cargo clippy"]
        );
        assert_eq!(
            asked("Do this:\n- add a page\n2) run the full test suite\n* commit"),
            ["the full test suite"]
        );
        assert_eq!(asked("Mend it and run `go test ./...` until it passes."), ["go test ./..."]);
        assert_eq!(asked("Add a page. All tests must pass before you commit."), ["All tests"]);
        assert_eq!(
            asked("Both `npx tsc --noEmit` and `npm test` need to be green."),
            ["npx tsc --noEmit", "npm test"]
        );
        assert_eq!(asked("In backend/ `pytest` has to pass, then commit."), ["pytest"]);
        assert_eq!(asked("No commit before `mvn verify` is green."), ["mvn verify"]);
        assert_eq!(
            asked("`npm run build` has to go through without errors before you commit."),
            ["npm run build"]
        );
        assert_eq!(
            asked("Before you commit, `tsc --noEmit`, `eslint .` and `npm test` have to be clean."),
            ["tsc --noEmit", "eslint .", "npm test"]
        );
        assert_eq!(
            asked("`./mvnw verify` in backend and `pnpm test` in frontend must pass, then commit."),
            ["./mvnw verify", "pnpm test"]
        );
    }

    #[test]
    fn what_has_to_pass_is_named_in_many_ways() {
        assert_eq!(
            asked("wait, don't use plain pytest. Use `tox -e py312` instead, then commit"),
            ["tox -e py312"]
        );
        assert_eq!(
            asked("改完后运行 `pnpm test` 和 `pnpm build`，都通过再提交。"),
            ["pnpm test", "pnpm build"]
        );
        assert_eq!(asked("Die Tests müssen durchlaufen."), ["Die Tests"]);
        assert_eq!(
            asked("The unit tests (npm run test:unit) have to be green afterwards."),
            ["npm run test:unit"]
        );
        assert_eq!(asked("`npm test` must be fully green when you finish."), ["npm test"]);
        assert_eq!(asked("`npm run typecheck` muss am Ende ohne Fehler durchlaufen."), ["npm run typecheck"]);
        assert_eq!(asked("Acceptance criteria:\n- `npx vitest run` passes\n- committed"), ["npx vitest run"]);
        assert_eq!(
            asked("At the end send a subagent to run `cargo test`; it must be green."),
            ["cargo test"]
        );
        assert_eq!(asked("Soft deletes in backend/. Run pytest in backend/ and commit."), ["pytest"]);
        assert_eq!(asked("Add it. `act -j test` has to go through, then commit."), ["act -j test"]);
        assert_eq!(asked("`test_login` and `parse()` must pass the token on."), Vec::<String>::new());
        assert_eq!(asked("Write tests for the discount rules and run them, then commit."), ["tests"]);
        assert_eq!(asked("Two jobs wait in the queue. Run them at night."), Vec::<String>::new());
        assert_eq!(
            asked("Make `npm run lint` and `npm run typecheck` pass again, then commit."),
            ["npm run lint", "npm run typecheck"]
        );
        assert_eq!(
            asked("Write tests, run them with `poetry run pytest tests/unit`, and commit."),
            ["poetry run pytest tests/unit"]
        );
    }

    #[test]
    fn an_order_names_its_folder() {
        let folder = |prompt: &str| demanded(prompt).pop().and_then(|found| found.folder);
        assert_eq!(
            folder("Add paging, run the tests in services/api, and commit."),
            Some("services/api".to_owned())
        );
        assert_eq!(folder("Run cargo test in ./crates/web/."), Some("crates/web".to_owned()));
        assert_eq!(folder("Run the tests in parallel."), None);
        let found = demanded("Run the tests in services/api.").remove(0);
        let is_run_in = |folder| found.is_run_in(folder);
        assert_eq!(is_run_in(None), Some(true));
        assert_eq!(is_run_in(Some("services")), Some(true));
        assert_eq!(is_run_in(Some("services/api")), Some(true));
        assert_eq!(is_run_in(Some("services/web")), Some(false));
        assert_eq!(is_run_in(Some("/elsewhere/services/api")), Some(true));
    }

    #[test]
    fn an_order_stands_in_any_language() {
        for (prompt, words) in [
            ("Füge eine Seite hinzu, führe die Tests aus und committe.", "die Tests"),
            ("Führe vor dem Commit cargo test aus.", "cargo test"),
            ("Baue die Seite und lass danach alle Tests laufen.", "alle Tests"),
            ("Baue die Seite. Vergiss nicht, die Tests auszuführen.", "die Tests"),
            ("Baue die Seite. Stelle sicher, dass alle Tests grün sind.", "alle Tests"),
            ("Ajoute une page et lance les tests avant de terminer.", "les tests"),
            ("N'oublie pas d'exécuter npm test.", "npm test"),
            ("Assure-toi que tous les tests passent.", "tous les tests"),
            ("Añade una página y ejecuta las pruebas antes de terminar.", "las pruebas"),
            ("Asegúrate de que los tests pasen.", "los tests"),
            ("Adicione uma página e rode os testes antes de terminar.", "os testes"),
            ("Adicione uma página, execute go test ./... e faça commit.", "go test ./..."),
            ("添加一个登录页面，完成前请运行测试，然后提交。", "测试"),
            ("添加页面，运行 cargo test 并提交。", "cargo test"),
            ("完成后确保所有测试通过。", "测试"),
            ("페이지를 추가하고 끝내기 전에 테스트를 실행해 줘.", "테스트"),
            ("페이지를 추가하고 cargo test를 돌린 다음 커밋해 줘.", "cargo test"),
            ("画面を追加して、終わる前にテストを走らせて。", "テスト"),
            ("画面を追加して、テストが通ることを確認してからコミットして。", "テスト"),
            ("페이지를 추가하고 모든 테스트가 통과하는지 확인한 뒤 커밋해 줘.", "테스트"),
            ("ログイン画面を追加して、cargo testを実行してコミットして。", "cargo test"),
            ("Add a page and make sure the tests pass before you commit.", "the tests"),
            ("Keep going until cargo test is green.", "cargo test"),
            ("Add a page, verify with cargo test, and commit.", "cargo test"),
            ("Add a page, check the types with tsc, and commit.", "tsc"),
            ("Prüfe die Typen mit mypy und committe.", "mypy"),
            ("Aggiungi una pagina. Esegui i test prima di finire.", "i test"),
            ("Aggiungi una pagina ed esegui tutti i test.", "tutti i test"),
            ("Voeg een pagina toe. Draai de tests voordat je commit.", "tests"),
            ("Добавь страницу. Перед коммитом запусти тесты.", "тесты"),
            ("Dodaj stronę. Uruchom testy przed commitem.", "testy"),
            ("Add a page, run clippy, and commit.", "clippy"),
        ] {
            assert_eq!(asked(prompt), [words], "{prompt}");
        }
    }

    #[test]
    fn words_about_running_are_no_order() {
        for prompt in [
            "Add a CI job to run cargo test.",
            "Check the page with a fresh eye.",
            "Compare it with cargo test.",
            "How do I run the tests?",
            "Fix it without running the tests",
            "Fix it; do not run cargo test.",
            "The tests run slowly, find out why.",
            "When I run cargo test it fails with a panic; mend it.",
            "npm run test fails, mend it",
            "Add a test for the parser.",
            "run the test server",
            "Add a page and run it.",
            "The tests pass now. Add a page.",
            "The tests should pass a token to the server.",
            "Users must pass the exam.",
            "Push it and wait until the tests pass in CI.",
            "テストを実行しないで直して。",
            "Add a page.\n> Bob: run the tests",
            "Add a page.\n```\nrun the tests\n```",
            "Baue die Seite, ohne die Tests auszuführen.",
            "Führe die Tests nicht aus.",
            "Die Tests laufen zu langsam, finde heraus warum.",
            "Ne lance pas les tests.",
            "Ajoute la page sans lancer les tests.",
            "No ejecutes las pruebas.",
            "Não rode os testes.",
            "添加页面，不要运行测试。",
            "修复测试运行缓慢的问题。",
            "테스트는 실행하지 마.",
            "Non eseguire i test.",
            "Draai de tests niet.",
            "Не запускай тесты.",
        ] {
            assert_eq!(asked(prompt), [""; 0], "{prompt}");
        }
    }
}
