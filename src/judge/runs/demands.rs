//! What one prompt demands beside work: checks to run, and acts outside the work tree. Must not look at what was done.

use super::Catalog;
use super::clause::{clauses, own_words};
use super::demanded::demanded;
use super::demanded_acts::{DemandedAct, acts, refused};
use super::learned_demand::{self, Candidate};
use super::mention::Subject;
use super::named_check::Demanded;

/// What one prompt demands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Demands {
    /// The checks that it tells to run.
    pub checks: Vec<Demanded>,
    /// The acts that it asks for.
    acts: Vec<DemandedAct>,
    /// The acts that it says are not to be done, as `checks.toml` names them.
    refused: Vec<&'static str>,
    /// The acts that it mentions, demanded or not.
    mentioned: Vec<&'static str>,
}

impl Demands {
    /// Reads a prompt, without what it quotes and pastes.
    pub fn of(prompt: &str, catalog: &Catalog) -> Demands {
        // The agent itself says whether a goal is reached.
        let own = if prompt.trim_start().starts_with("/goal") { String::new() } else { own_words(prompt) };
        let clauses = clauses(&own);
        let mut demands = Demands {
            checks: demanded(&own, &clauses, catalog),
            acts: acts(&own, &clauses, catalog),
            refused: refused(&own, &clauses),
            mentioned: Vec::new(),
        };
        demands.learn(&own, catalog);
        demands
    }

    /// Whether it mentions this act.
    pub fn mentions(&self, act: &str) -> bool {
        self.mentioned.contains(&act)
    }

    /// The acts that it asks for, as `checks.toml` names them.
    #[cfg(test)]
    pub(super) fn acts(&self) -> impl Iterator<Item = &'static str> {
        self.acts.iter().map(|demanded| demanded.act)
    }

    /// Adds what no order names and is demanded by what was learned.
    fn learn(&mut self, own: &str, catalog: &Catalog) {
        let n_ordered = self.checks.len();
        for sentence in learned_demand::sentences(own) {
            let candidates = learned_demand::candidates(&sentence, catalog);
            self.mentioned.extend(candidates.iter().filter_map(|candidate| candidate.subject.act()));
            // "Lint must be clean (`make check` does it)": the command in brackets is what is demanded.
            let has_command_in_brackets = candidates.iter().any(|candidate| {
                let call = candidate.mentions.iter().find(|mention| mention.call.is_some());
                call.is_some_and(|call| sentence.text[..call.range.start].ends_with('('))
            });
            let demanded = candidates.iter().filter(|candidate| candidate.is_demanded());
            for mention in demanded.flat_map(Candidate::demanded) {
                let words = mention.words(sentence.text);
                if let Subject::Act(act) = mention.subject {
                    if !self.refused.contains(&act) && self.acts.iter().all(|known| known.act != act) {
                        self.acts.push(DemandedAct { act, words });
                    }
                    continue;
                }
                let is_ordered = |known: &Demanded| {
                    known.words.contains(&words)
                        || known.kind(catalog).map_or(Subject::Call, Subject::Check) == mention.subject
                };
                let is_said_by_command = mention.call.is_none() && has_command_in_brackets;
                if !is_said_by_command && !self.checks[..n_ordered].iter().any(is_ordered) {
                    self.checks.extend(mention.demanded(&words));
                }
            }
        }
        self.checks.dedup();
    }
}

/// The acts that the prompts of a task ask for, the oldest first, and that no later one takes back.
pub fn demanded_acts<'d>(prompts: impl Iterator<Item = &'d Demands>) -> Vec<&'d DemandedAct> {
    let mut demanded: Vec<&DemandedAct> = Vec::new();
    for prompt in prompts {
        demanded.retain(|known| !prompt.refused.contains(&known.act));
        for found in &prompt.acts {
            if demanded.iter().all(|known| known.act != found.act) {
                demanded.push(found);
            }
        }
    }
    demanded
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is demanded: checks in the prompt's words, and acts by their names.
    fn demanded(prompt: &str) -> Vec<String> {
        let demands = Demands::of(prompt, Catalog::built_in());
        let acts = demands.acts().map(str::to_owned).collect::<Vec<_>>();
        demands.checks.into_iter().map(|demanded| demanded.words).chain(acts).collect()
    }

    #[test]
    fn demands_are_read_in_words_that_no_order_has() {
        for (prompt, expected) in [
            ("Fix the rounding. I want to see green tests when I'm back.", vec!["green tests"]),
            ("Rename the flag, and don't come back before tsc is happy.", vec!["tsc"]),
            (
                "Fix the rounding and commit. I want everything green, and get it onto origin.",
                vec!["“I want everything green”", "push"],
            ),
            (
                "When you're through I expect both `pytest tests/api` and `npm test` to come out clean.",
                vec!["pytest tests/api", "npm test"],
            ),
            ("Extract the helper. Once everything works, put up a PR.", vec!["pull request"]),
            ("Bereinige das Modul, der Linter darf am Ende nichts mehr melden.", vec!["Linter"]),
            ("Corrige el cálculo y déjalo desplegado en staging.", vec!["deploy"]),
            ("登録画面を直して、テストが全部通る状態にしておいてください。", vec!["テスト"]),
            ("改一下分页逻辑，改完跑一遍测试。", vec!["测试"]),
        ] {
            assert_eq!(demanded(prompt), expected, "{prompt}");
        }
    }

    #[test]
    fn mentions_demand_nothing() {
        for prompt in [
            "Send a mail when an order ships, with a test, and commit it.",
            "The deploy script prints the wrong region. Fix the message, nothing else.",
            "Build the dashboard with mock data for now and commit it.",
            "Die Tests laufen lokal, aber die Pipeline ist rot. Woran liegt das?",
            "Merge the two helpers into one and commit.",
            "/goal all tests pass",
        ] {
            assert_eq!(demanded(prompt), Vec::<String>::new(), "{prompt}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(words in proptest::collection::vec("\\PC{0,12}|[`\"„「『\\-*#\n 。.]{1,4}|npm test|İtests|Kpush|打TAG|テスト|- \\[ \\]", 0..24)) {
            let _ = demanded(&words.concat());
            let _ = demanded(&words.join(" "));
        }
    }

    #[test]
    fn a_command_in_brackets_is_what_is_demanded() {
        let prompt = "Sort the imports. Lint has to be clean (`make check` does it), then commit.";
        assert_eq!(demanded(prompt), ["make check"]);
    }
}
