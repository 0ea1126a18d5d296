//! What one prompt demands beside work: checks to run, and acts outside the work tree. Must not look at what was done.

use super::Catalog;
use super::clause::{clauses, own_lines};
use super::demanded::demanded;
use super::demanded_acts::{DemandedAct, acts, refused};
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
}

impl Demands {
    /// Reads a prompt, without what it quotes and pastes.
    pub fn of(prompt: &str, catalog: &Catalog) -> Demands {
        let own = own_lines(prompt);
        let clauses = clauses(&own);
        Demands {
            checks: demanded(&own, &clauses, catalog),
            acts: acts(&own, &clauses, catalog),
            refused: refused(&own, &clauses),
        }
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
