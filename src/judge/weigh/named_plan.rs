//! Plan files that only a prompt chooses. Their open steps are open work where the prompt wants all of the plan; where
//! it wants one step of it, or wants the plan written, they are not. Must not read plans.

use super::tasks::is_named_in;
use crate::judge::words;

/// Signs that end a sentence; a dot does only before a blank, since it stands in names.
const ENDS: &[char] = &['\n', '!', '?', ';', '。', '！', '？', '；'];

/// Whether one of these prompts wants everything done that the plan file `name` lists.
pub(super) fn is_wanted_whole(name: &str, prompts: &[String]) -> bool {
    if prompts.iter().any(|prompt| is_written_and_wanted(name, &prompt.to_lowercase())) {
        return true;
    }
    let sentences = prompts.iter().flat_map(|prompt| prompt.split(ENDS)).flat_map(|part| part.split(". "));
    sentences.map(str::to_lowercase).any(|sentence| wants_whole(name, &sentence))
}

/// Whether one of these prompts speaks of a plan, be it without its name.
pub(super) fn is_spoken_of(prompts: &[String]) -> bool {
    prompts.iter().any(|prompt| words::has(&format!(" {}", prompt.to_lowercase()), "names_plan"))
}

/// Whether a prompt wants a plan written first, and then carried out.
fn is_written_and_wanted(name: &str, prompt: &str) -> bool {
    let file = name.rsplit('/').next().unwrap_or(name).to_lowercase();
    let Some((before, after)) = prompt.split_once(&file) else { return false };
    let carried = words::of("carries_it_out").iter().filter_map(|words| after.find(words)).min();
    let Some(carried) = carried else { return false };
    // In some languages the verb stands behind the name.
    let is_written = [before, &after[..carried]].iter().any(|part| words::has(part, "writes_down"));
    is_written && is_named_in(name, &[prompt.to_owned()]) && !words::has(after, "puts_it_off")
}

fn wants_whole(name: &str, sentence: &str) -> bool {
    let file = name.rsplit('/').next().unwrap_or(name).to_lowercase();
    let Some(at) = sentence.find(&file) else { return false };
    let before = &sentence[..at];
    let rest = sentence.replace(&file, " ");
    is_named_in(name, &[sentence.to_owned()])
        && words::has(&rest, "wants_all")
        && words::has(&format!(" {rest}"), "carries_out")
        && !words::has(&rest, "wants_a_part")
        && !rest.contains(|sign: char| sign.is_ascii_digit())
        && !words::has(before, "writes_down")
}

#[cfg(test)]
mod tests {
    use super::is_wanted_whole;

    #[test]
    fn a_prompt_wants_a_plan_done_or_not() {
        let wants = |prompt: &str| is_wanted_whole("PLAN.md", &[prompt.to_owned()]);
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
}
