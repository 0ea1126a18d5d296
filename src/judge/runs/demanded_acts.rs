//! What a prompt tells an agent to do outside the work tree: push, open a pull request, merge, publish, deploy, tag. By its
//! words alone; the phrases of all languages stand in `assets/tasks.toml`. Must not look at what was done.
//!
//! An order is the whole of a clause: the verb, what is sent, and where to ("push it to origin"). "Push the values into a
//! queue" has no such form, and neither has what is left to a condition: "push it if you like".

use super::Catalog;
use super::clause::{Clause, ENDS};
use crate::judge::task::phrases::{Group, PHRASES};

/// The verbs of acts.
const VERBS: [(Group, &str); 6] = [
    (Group::Merges, "merge"),
    (Group::Pushes, "push"),
    (Group::Opens, "pull request"),
    (Group::Publishes, "publish"),
    (Group::Deploys, "deploy"),
    (Group::Tags, "tag"),
];
/// What has been done, in a list of what has to hold at the end.
const DONE: [(Group, &str); 5] = [
    (Group::Pushed, "push"),
    (Group::Merged, "merge"),
    (Group::Deployed, "deploy"),
    (Group::Tagged, "tag"),
    (Group::Requested, "pull request"),
];
/// The verbs of acts in scripts without blanks, in forms that only an order has.
const JOINED_VERBS: [(Group, &str); 3] =
    [(Group::Pushes, "push"), (Group::PullRequests, "pull request"), (Group::Deploys, "deploy")];
/// What is pushed to devices, and not to a repository.
const NOTICES: [&str; 5] = ["通知", "消息", "알림", "메시지", "メッセージ"];
/// How many words before the name of an act one may stand that refuses it.
const REFUSAL_REACH: usize = 4;

/// An act that a prompt asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DemandedAct {
    /// The act, as `checks.toml` names it.
    pub act: &'static str,
    /// What the prompt calls it. Untrusted text.
    pub words: String,
}

/// The acts that a prompt asks for.
pub(super) fn acts(own: &str, clauses: &[Clause], catalog: &Catalog) -> Vec<DemandedAct> {
    let mut found = Vec::new();
    let mut is_open = false;
    // "I will tag, push and deploy on my own": the acts that follow belong to the person, too.
    let mut is_persons = false;
    for clause in clauses {
        found.extend(clause.act_done().filter(|_| clause.is_criterion));
        let leaves_open = PHRASES.has(&clause.lower, Group::LeavesOpen);
        let act = clause.act(catalog);
        is_persons = clause.persons_own_act() || is_persons && act.is_some() && !clause.begins_sentence;
        found.extend(act.filter(|_| !leaves_open && !is_open && !is_persons));
        is_open = leaves_open;
    }
    let parts = own.split(|sign| sign == '\n' || ENDS.contains(&sign) && sign != '.');
    found.extend(parts.filter_map(in_joined_script));
    found
}

/// The acts of which a prompt says that they are not to be done.
pub(super) fn refused(own: &str, clauses: &[Clause]) -> Vec<&'static str> {
    let joined: String = own.to_lowercase().split_whitespace().collect();
    let has = |group| PHRASES.joined(group).any(|phrase| joined.contains(phrase));
    let refuses_joined = has(Group::NoOrder);
    let is_refused = |(verb, _): &&(Group, &str)| {
        let verb = if *verb == Group::Opens { Group::PullRequests } else { *verb };
        clauses.iter().any(|clause| clause.refuses(verb)) || refuses_joined && has(verb)
    };
    VERBS.iter().filter(is_refused).map(|(_, act)| *act).collect()
}

impl Clause {
    /// Whether the clause says that what a phrase of this group names is not to be done.
    fn refuses(&self, group: Group) -> bool {
        let named = (0..self.lower.len()).filter(|at| self.starts(*at, group).is_some());
        named
            .into_iter()
            .any(|at| PHRASES.has(&self.lower[at.saturating_sub(REFUSAL_REACH)..at], Group::RefusesAct))
    }

    /// Whether the person says that they do an act themselves.
    fn persons_own_act(&self) -> bool {
        let begin = self.starts(0, Group::PersonsOwn);
        begin.is_some_and(|begin| VERBS.iter().any(|(verb, _)| self.starts(begin, *verb).is_some()))
    }

    /// The act that the clause says has been done.
    fn act_done(&self) -> Option<DemandedAct> {
        let (_, act) = DONE.iter().find(|(done, _)| self.starts(0, *done).is_some())?;
        Some(DemandedAct { act, words: self.words.join(" ") })
    }

    /// The act that the clause orders.
    fn act(&self, catalog: &Catalog) -> Option<DemandedAct> {
        let mut begin = self.after(0, &[Group::BesideOrder, Group::BeginsOrder]);
        if let Some(n_words) = self.starts(begin, Group::CommitsToo) {
            begin = self.after(begin + n_words, &[Group::BesideOrder]);
        }
        let told = |act, to: usize| DemandedAct { act, words: self.words[begin..to].join(" ") };
        let words = self.words.get(begin..)?;
        let is_call = words.len() > 1;
        if let Some(act) = catalog.act_of(words).filter(|_| is_call)
            && let Some((_, act)) = VERBS.iter().find(|(_, known)| *known == act)
        {
            return Some(told(act, self.words.len()));
        }
        let request = self.starts(begin, Group::PullRequests).map(|n_words| begin + n_words);
        if let Some(to) =
            request.filter(|to| self.starts(*to, Group::OpensLast) == Some(self.lower.len() - to))
        {
            return Some(told("pull request", to));
        }
        VERBS.iter().find_map(|(verb, act)| {
            let from = self.after(begin + self.starts(begin, *verb)?, &[Group::BesideOrder]);
            let to = self.sent_until(from, act)?;
            let ends = self.after(to, &[Group::BesideOrder]) == self.words.len()
                || self.starts(to, Group::EndsOrder).is_some() && self.starts(to, Group::Towards).is_none();
            ends.then(|| told(act, to))
        })
    }

    /// Where the words end that say what an act sends and where to; `None` if they are not those of such an act.
    fn sent_until(&self, from: usize, act: &str) -> Option<usize> {
        match act {
            "pull request" => Some(from + self.starts(from, Group::PullRequests)?),
            "merge" => {
                let at = from + self.starts(from, Group::Sent).unwrap_or_default();
                let to = at + self.starts(at, Group::Into)?;
                Some(to + self.starts(to, Group::Destinations)?)
            }
            "tag" => {
                let at = self.after(from, &[Group::Sent, Group::Articles]);
                let at = if self.lower.get(at).is_some_and(|word| word == "as") { at + 1 } else { at };
                let version = self.lower.get(at)?.trim_start_matches('v');
                version.starts_with(|sign: char| sign.is_ascii_digit()).then_some(at + 1)
            }
            act => {
                let named = self.starts(from, Group::Published);
                let at = from + named.or_else(|| self.starts(from, Group::Sent)).unwrap_or_default();
                let destination = self.starts(at, Group::Towards).and_then(|n_words| {
                    let to = self.after(at + n_words, &[Group::Articles]).max(at + n_words);
                    let place = |at: usize| Some(at + self.starts(at, Group::Destinations)?);
                    place(at + n_words).or_else(|| place(to))
                });
                let is_clear = act != "publish" || named.is_some() || destination.is_some();
                is_clear.then_some(destination.unwrap_or(at))
            }
        }
    }
}

/// The act that a part of a prompt orders in a script that has no blanks between words, or particles at them.
fn in_joined_script(part: &str) -> Option<DemandedAct> {
    let text: String = part.to_lowercase().split_whitespace().collect();
    let has = |group| PHRASES.joined(group).find(|phrase| text.contains(phrase));
    if has(Group::NoOrder).is_some() || NOTICES.iter().any(|notice| text.contains(notice)) {
        return None;
    }
    JOINED_VERBS
        .iter()
        .find_map(|(verb, act)| has(*verb).map(|words| DemandedAct { act, words: words.to_owned() }))
}

#[cfg(test)]
mod tests {
    use crate::judge::runs::{Catalog, Demands, demanded_acts};

    fn asked(prompts: &[&str]) -> Vec<(&'static str, String)> {
        let demands: Vec<Demands> =
            prompts.iter().map(|prompt| Demands::of(prompt, Catalog::built_in())).collect();
        let found = demanded_acts(demands.iter());
        found.into_iter().map(|found| (found.act, found.words.clone())).collect()
    }

    #[test]
    fn an_order_to_act_names_the_act() {
        for (prompt, act) in [
            ("Add a login page, commit and push.", "push"),
            ("Fix the typo, commit it and push to origin.", "push"),
            ("Commit & push when you are done", "push"),
            ("Mend it. Then `git push origin main`.", "push"),
            ("Fix it and push your branch to the remote, please", "push"),
            ("Pushe es auf origin.", "push"),
            ("Committe und pushe das.", "push"),
            ("Corrige ça, puis pousse la branche.", "push"),
            ("Corrige o bug e faça o push.", "push"),
            ("修复登录问题，提交并推送。", "push"),
            ("ログインを直してコミットし、プッシュしてください。", "push"),
            ("고치고 커밋한 뒤 푸시해 주세요.", "push"),
            ("Fix the leak and open a PR.", "pull request"),
            ("Then create a pull request against main with a summary", "pull request"),
            ("直したらPRを出してください", "pull request"),
            ("Bump the version and publish it to npm.", "publish"),
            ("Publish the crate.", "publish"),
            ("Fix the header and deploy it to staging.", "deploy"),
            ("Tag it as v1.4.0", "tag"),
            ("Fix it, commit, and tag the release v2.0.1 when that's in.", "tag"),
            ("Behebe es und dann einen PR aufmachen.", "pull request"),
            ("Definition of Done\n* [ ] tests pass\n* [ ] pushed to origin/main", "push"),
            ("Commit it, and then merge the branch into main.", "merge"),
            ("Bump the version, commit, and tag the commit v1.4.0.", "tag"),
        ] {
            let found: Vec<&str> = asked(&[prompt]).iter().map(|(act, _)| *act).collect();
            assert_eq!(found, [act], "{prompt}");
        }
        assert_eq!(
            asked(&["Commit, push to origin and open a draft PR."]),
            [("push", "push to origin".to_owned()), ("pull request", "open a draft PR".to_owned())]
        );
    }

    #[test]
    fn what_only_speaks_of_an_act_orders_none() {
        for prompt in [
            "Merge main into this branch.",
            "Merge the two lists into one.",
            "Push the new values into the queue.",
            "Push it onto the stack in parse().",
            "Don't push.",
            "Commit, but do not push.",
            "Push it if you like.",
            "If all is green, push.",
            "Before you push, run the tests.",
            "Add push notifications and commit.",
            "The button should publish the event.",
            "Publish an event when an order ships.",
            "Explain how to push to a fork.",
            "Open a file and read it.",
            "Create a print view.",
            "Deploy scripts should retry.",
            "Tag the images with their size.",
            "注文が発送されたら通知をプッシュしてください。",
            "推送は不要です。",
            "I will push it myself.",
            "I will tag, push and deploy on my own.",
            "Commit. I'll push, tag and publish it.",
            "Make the push button red.",
            "Push to a Redis list.",
        ] {
            assert_eq!(asked(&[prompt]), [], "{prompt}");
        }
    }

    #[test]
    fn a_later_prompt_takes_an_act_back() {
        assert_eq!(asked(&["Fix it and push.", "Wait, don't push it yet."]), []);
        assert_eq!(asked(&["Fix it, don't push.", "Ok, push it."]).len(), 1);
        assert_eq!(asked(&["I'll tag it and deploy, you commit and push."]).len(), 1);
        for prompt in ["I'll merge it into main. Push.", "I will deploy.\nPush."] {
            assert_eq!(asked(&[prompt]).len(), 1, "{prompt}");
        }
        assert_eq!(asked(&["Fix it and open a PR.", "No PR needed, just commit."]), []);
    }
}
