//! Plan files that only a prompt chooses. Their open steps are open work where the prompt wants all of the plan; where
//! it wants one step of it, or wants the plan written, they are not. Must not read plans.

use super::tasks::is_named_in;
use crate::judge::sentences::{SENTENCE_ENDS, sentences};
use crate::judge::{joined, words};
use crate::model::PlanFile;

/// So many bytes behind a name tell what of the file is meant, in scripts without blanks.
const NEAR: usize = 30;

/// Whether some of a plan was ticked off in this task: what was open in the baseline's commit, or, where the plan is in
/// none, some of what was written since the prompt.
pub(super) fn is_ticked(plan: &PlanFile, is_since_prompt: bool) -> bool {
    let mut done = plan.steps.iter().filter(|step| step.status.as_deref() == Some("done"));
    done.any(|step| match &plan.backlog[..] {
        [] => is_since_prompt,
        backlog => backlog.iter().any(|open| open.title == step.title),
    })
}

/// Whether one of these prompts wants everything done that the plan file `name` lists: it says so of the whole file or of
/// its steps, or names it as what the work follows, and some of it was ticked off.
pub(super) fn is_wanted_whole(name: &str, prompts: &[String], is_ticked: bool) -> bool {
    let is_plain = words::of("plain_documents").iter().any(|plain| file_of(name).starts_with(plain));
    prompts.iter().map(|prompt| prompt.to_lowercase()).any(|prompt| {
        let name = Named { name, prompt: &prompt, is_plain };
        name.is_written_and_wanted()
            || name.sentences().any(|part| part.wants_whole() || part.wants_steps())
            || is_ticked && !wants_one_part(&prompt) && name.sentences().any(|part| part.is_followed())
    })
}

/// Whether one of these prompts speaks of a plan, be it without its name.
pub(super) fn is_spoken_of(prompts: &[String]) -> bool {
    prompts.iter().any(|prompt| words::has(&format!(" {}", prompt.to_lowercase()), "names_plan"))
}

/// Whether this plan was made on request, to be carried out: one of these prompts wants a plan made and done, and it is called
/// one, or some of it was ticked off.
pub(super) fn is_made_to_be_done(plan: &PlanFile, prompts: &[String]) -> bool {
    let is_called_so = || words::has(&file_of(&plan.name), "called_plan");
    let is_begun = || plan.steps.iter().any(|step| step.status.as_deref() == Some("done"));
    (is_called_so() || is_begun()) && prompts.iter().any(|prompt| makes_and_does(&prompt.to_lowercase()))
}

/// Whether a prompt wants a plan made, and then carried out.
fn makes_and_does(prompt: &str) -> bool {
    let makes = |part: &&str| {
        (words::has(part, "draws_up") || words::has(part, "writes_down"))
            && words::has(&format!(" {part}"), "is_a_plan")
    };
    let mut made = sentences(prompt).flat_map(|part| part.split([',', '、', '，'])).filter(makes);
    made.any(|part| {
        let after = &prompt[part.as_ptr().addr() - prompt.as_ptr().addr()..];
        words::has(after, "carries_it_out") && !words::has(after, "puts_it_off")
    })
}

/// The last part of a path, in lower case.
fn file_of(name: &str) -> String {
    name.rsplit('/').next().unwrap_or(name).to_lowercase()
}

/// Whether a prompt speaks of one of the parts of a whole: "do the first step".
fn wants_one_part(prompt: &str) -> bool {
    sentences(prompt)
        .any(|sentence| words::has(sentence, "wants_a_part") && words::has(sentence, "names_a_part"))
}

/// Whether a prompt wants steps ticked while the work goes on.
fn ticks_as_it_goes(prompt: &str) -> bool {
    sentences(prompt).any(|sentence| words::has(sentence, "ticks_off") && words::has(sentence, "as_it_goes"))
}

/// A plan file in a prompt, which is in lower case.
struct Named<'p> {
    name: &'p str,
    prompt: &'p str,
    /// Whether it is called like a document that is a plan only beside its text.
    is_plain: bool,
}

/// A sentence that names a plan file: what stands before its path, behind it, and behind the sentence.
struct Part<'p> {
    before: String,
    after: &'p str,
    behind: &'p str,
    is_plain: bool,
}

impl<'p> Named<'p> {
    /// Whether the prompt wants a plan written first, and then carried out.
    fn is_written_and_wanted(&self) -> bool {
        let Some((before, after)) = self.prompt.split_once(&file_of(self.name)) else { return false };
        let carried = words::of("carries_it_out").iter().filter_map(|words| after.find(words)).min();
        let Some(carried) = carried else { return false };
        // In some languages the verb stands behind the name.
        let is_written = [before, &after[..carried]].iter().any(|part| words::has(part, "writes_down"));
        is_written && is_named_in(self.name, &[self.prompt.to_owned()]) && !words::has(after, "puts_it_off")
    }

    fn sentences(&self) -> impl Iterator<Item = Part<'p>> {
        let (name, prompt, is_plain) = (self.name, self.prompt, self.is_plain);
        let (path, file) = (name.to_lowercase(), file_of(name));
        sentences(prompt).filter_map(move |sentence| {
            let named = if sentence.contains(&path) { &path } else { &file };
            let (before, after) = sentence.split_once(named.as_str())?;
            let end = after.as_ptr().addr() + after.len() - prompt.as_ptr().addr();
            let behind = prompt.get(end..).unwrap_or_default();
            let before = format!(" {before}");
            is_named_in(name, &[sentence.to_owned()]).then_some(Part { before, after, behind, is_plain })
        })
    }
}

impl Part<'_> {
    /// The sentence without the path.
    fn rest(&self) -> String {
        let rest = format!("{} {}", self.before, self.after);
        let each = words::of("each_of_all").iter();
        each.fold(rest, |rest, each| rest.replace(each, " all "))
    }

    /// Whether a part of the plan is named, or the file is what is to be written.
    fn is_part_or_written(&self, rest: &str) -> bool {
        Self::names_a_part(rest) || self.is_of_text(rest) || self.is_edited() && !self.is_source()
    }

    fn names_a_part(rest: &str) -> bool {
        words::has(rest, "wants_a_part") || rest.contains(|sign: char| sign.is_ascii_digit())
    }

    /// Whether the prompt is about the text of the file.
    fn is_of_text(&self, rest: &str) -> bool {
        words::has(rest, "edits_text") || self.is_plain && !self.names_steps()
    }

    fn is_edited(&self) -> bool {
        words::has(&self.before, "writes_down") || words::has(&self.before, "handles_file")
    }

    /// Whether the file is named as what something else follows.
    fn is_source(&self) -> bool {
        let lead = self.lead().replace('(', " ");
        words::of("leads_to_source").iter().any(|words| lead.ends_with(words))
    }

    fn wants_whole(&self) -> bool {
        let rest = self.rest();
        words::has(&rest, "wants_all") && words::has(&rest, "carries_out") && !self.is_part_or_written(&rest)
    }

    /// Whether its steps are to be carried out, or it is: "implement the steps of X", "the plan is in X. Carry it out."
    fn wants_steps(&self) -> bool {
        let rest = self.rest();
        let verb = self.lead();
        let after = self.after.trim_start_matches(['`', '"', '\'', '*', ')', ']']);
        let is_object = words::of("does_file").iter().any(|words| verb.ends_with(words))
            || words::begins(after, "does_file_last")
            || self.is_taken_up()
            || [self.after, self.behind].iter().any(|part| ticks_as_it_goes(part));
        let is_carried_out = || {
            let is_put_off =
                || words::has(self.behind, "puts_it_off") || words::has(self.after, "puts_it_off");
            words::has(&rest, "carries_out")
                || words::has(&rest, "follows")
                || [self.after, self.behind].iter().any(|part| words::has(part, "carries_it_out"))
                    && !is_put_off()
        };
        (is_object || self.names_steps() && is_carried_out()) && !self.is_part_or_written(&rest)
    }

    /// Whether the next sentence wants done what the file lists: "docs/cutover.md has what must change. Work through it."
    fn is_taken_up(&self) -> bool {
        let behind = self
            .behind
            .trim_start_matches(|sign: char| SENTENCE_ENDS.contains(&sign) || " )`".contains(sign));
        let next = sentences(behind).next().unwrap_or_default();
        let leads = words::of("before_takes_up").iter();
        let next = leads.fold(next, |next, lead| next.strip_prefix(lead).unwrap_or(next));
        words::begins(next, "takes_it_up") && !words::has(next, "puts_it_off")
    }

    /// Whether the work follows the file. What is only edited or ticked there is followed by nothing.
    fn is_followed(&self) -> bool {
        let rest = self.rest();
        let is_only_ticked = words::has(&rest, "ticks_off") && !words::has(&rest, "as_it_goes");
        !Self::names_a_part(&rest)
            && !self.is_of_text(&rest)
            && (self.is_source() || !self.is_edited() && !is_only_ticked)
    }

    /// Whether a plan or its steps are named before the path, or right behind it.
    fn names_steps(&self) -> bool {
        let behind = &self.after[..self.after.floor_char_boundary(NEAR)];
        let names = |part: &str| words::has(part, "names_plan") || words::has(part, "names_steps");
        names(&self.before) || behind.contains(joined::is_joined) && names(behind)
    }

    /// What stands before the path, without the signs around it.
    fn lead(&self) -> &str {
        self.before.trim_end_matches(['`', '@', '"', '\'', '*', '(', '[', ' ', '/', '.'])
    }
}

#[cfg(test)]
mod tests {
    use super::{is_wanted_whole, makes_and_does};

    #[test]
    fn a_prompt_wants_a_plan_done_or_not() {
        let wants = |prompt: &str| is_wanted_whole("PLAN.md", &[prompt.to_owned()], false);
        for prompt in [
            "Do everything in PLAN.md and commit.",
            "Work through PLAN.md and write tests for each step.",
            "Do all steps of PLAN.md.",
            "Please implement all of the plan in `PLAN.md`.",
            "Setze alles aus PLAN.md um.",
            "PLAN.mdの項目をすべて実装して",
            "Write a plan into PLAN.md, carry it out, and commit.",
            "Schreib einen Plan nach PLAN.md und setze ihn dann um.",
            "PLAN.mdに計画を書いて、それを実装して",
        ] {
            assert!(wants(prompt), "{prompt}");
        }
        for prompt in [
            "Do step 3 of PLAN.md.",
            "Do everything in phase two of PLAN.md.",
            "Write all steps into PLAN.md.",
            "Write a plan into PLAN.md. Don't implement it yet.",
            "Write a plan into PLAN.md; I will carry it out.",
            "Read PLAN.md. Then add all the exports.",
            "Take the next open step of PLAN.md and do all of it.",
            "Do everything in MYPLAN.md",
            "Move all dates in PLAN.md by a month.",
            "Translate everything in PLAN.md.",
        ] {
            assert!(!wants(prompt), "{prompt}");
        }
    }

    #[test]
    fn a_plan_is_made_to_be_done_or_only_made() {
        for prompt in [
            "Give the bills an export. Make yourself a plan first, then carry it out and commit.",
            "Write down a checklist, work through it, and commit.",
            "Mach dir zuerst einen Plan, setz ihn dann um und committe.",
            "Fais-toi un plan, exécute-le et commite.",
        ] {
            assert!(makes_and_does(&prompt.to_lowercase()), "{prompt}");
        }
        for prompt in [
            "Make a plan for the export. Don't implement it yet.",
            "Write a plan for the export.",
            "Add the export as the plan says.",
        ] {
            assert!(!makes_and_does(&prompt.to_lowercase()), "{prompt}");
        }
    }

    #[test]
    fn a_plan_may_be_called_anything() {
        let wants = |name: &str, prompt: &str, ticked| is_wanted_whole(name, &[prompt.to_owned()], ticked);
        for prompt in [
            "Work through docs/rollout.md and commit. Tick the boxes as you go.",
            "Do everything in docs/rollout.md.",
            "Implement the steps of docs/rollout.md and commit.",
            "The plan is in docs/rollout.md. Carry it out and commit.",
            "Tick off every item in docs/rollout.md.",
            "Implement @docs/rollout.md, please.",
            "Follow the checklist in docs/rollout.md.",
            "docs/rollout.md has what must change before we switch. Work through it and commit.",
            "docs/rollout.md is all that the client asked for. Get through that list, please.",
            "In docs/rollout.md steht, was noch zu tun ist. Arbeite sie ab und committe.",
            "docs/rollout.md dit ce qui doit changer. Traite-les tous.",
            "Setze die Schritte aus docs/rollout.md um.",
            "Implémente les étapes de docs/rollout.md.",
            "Ejecuta los pasos de docs/rollout.md.",
            "docs/rollout.mdの手順を実行して",
            "执行 docs/rollout.md 里的步骤",
            "docs/rollout.md의 단계를 수행해줘",
        ] {
            assert!(wants("docs/rollout.md", prompt, false), "{prompt}");
        }
        for prompt in [
            "Add a note on proxies to docs/rollout.md.",
            "Fix the typos in docs/rollout.md.",
            "Go through docs/rollout.md and fix all typos.",
            "Roll out the schema. See docs/rollout.md.",
            "Do step 2 of docs/rollout.md.",
            "Tick what is done in docs/rollout.md.",
            "The plan is in docs/rollout.md. Don't implement it yet.",
            "Move docs/rollout.md to notes/ and fix all links to it.",
            "docs/rollout.md has what must change. We will work through it next week.",
            "docs/rollout.md has what must change. Don't work through it yet.",
            "Read docs/rollout.md. Then tell me what to do about it.",
        ] {
            assert!(!wants("docs/rollout.md", prompt, false), "{prompt}");
        }
        for prompt in [
            "Roll out the schema as described in docs/rollout.md.",
            "Roll out the schema. See docs/rollout.md.",
            "Führe die Umstellung gemäß docs/rollout.md durch.",
        ] {
            assert!(wants("docs/rollout.md", prompt, true), "{prompt}");
        }
        for prompt in [
            "Add dark mode and tick it off in docs/rollout.md.",
            "Update docs/rollout.md.",
            "Read docs/rollout.md. Then do the first step.",
            "Tick what is done in docs/rollout.md.",
        ] {
            assert!(!wants("docs/rollout.md", prompt, true), "{prompt}");
        }
        let readme = |prompt| wants("README.md", prompt, false);
        assert!(readme("Work through the checklist in README.md."));
        assert!(!readme("Go through README.md and implement all examples again."));
        assert!(!readme("Implement everything that README.md promises."));
    }
}
