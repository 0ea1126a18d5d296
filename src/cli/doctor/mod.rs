//! `closeout doctor`: what closeout finds on this machine, and what to do about each problem. It must change
//! nothing, except to create closeout's own state folder, and continues if one check fails.

mod agents;
mod finding;
mod machine;

use std::thread;

use schemars::JsonSchema;
use serde::Serialize;

use crate::present::{counts, json as forms};

use super::args::Doctor;
use super::environment::Environment;
use super::exit::{Ended, Outcome};
use super::output;
use finding::{Finding, Level, Section};

/// What `--json` prints.
#[derive(Serialize, JsonSchema)]
pub(super) struct Diagnosis {
    /// The version of this form.
    version: u32,
    /// What was looked at.
    sections: Vec<Section>,
}

pub(super) fn run(environment: &Environment, doctor: &Doctor) -> Ended {
    let (closeout, config) = machine::closeout(environment);
    let mut sections = vec![closeout, machine::git(environment)];
    sections.extend(all_agents(environment));
    sections.push(machine::tmux(environment, config.as_ref()));
    sections.push(machine::watching(environment));
    sections.push(machine::terminal(environment));
    let n_problems = sections
        .iter()
        .flat_map(|section| &section.findings)
        .filter(|finding| finding.level == Level::Problem)
        .count();
    if doctor.json {
        output::print_line(&forms::line(&Diagnosis { version: forms::VERSION, sections }))?;
    } else {
        for section in &sections {
            for line in section.lines() {
                output::print_line(&line)?;
            }
        }
        let conclusion = match n_problems {
            0 => "no problems found".to_owned(),
            count => counts::problems(count),
        };
        output::print_line(&format!("\n{conclusion}"))?;
    }
    Ok(if n_problems == 0 { Outcome::Done } else { Outcome::NotComplete })
}

/// Examines all agents in parallel: each waits for its own program.
fn all_agents(environment: &Environment) -> Vec<Section> {
    let adapters = environment.adapters();
    if adapters.is_empty() {
        let finding = Finding::problem("HOME is not set, so no agent can be found", "set HOME");
        return vec![Section::new("agents", vec![finding])];
    }
    thread::scope(|scope| {
        let looks: Vec<_> = adapters
            .iter()
            .map(|adapter| {
                let look = move || agents::agent(environment, adapter);
                // If no thread can be started, this agent is examined after the others.
                thread::Builder::new().spawn_scoped(scope, look).map_err(|_| look)
            })
            .collect();
        looks
            .into_iter()
            .filter_map(|look| match look {
                Ok(look) => look.join().ok(),
                Err(look) => Some(look()),
            })
            .collect()
    })
}
