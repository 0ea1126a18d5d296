//! What git says of a workspace: the same cases over both readers, compared whole.

#[path = "evidence_git/case.rs"]
mod case;
#[path = "evidence_git/changes.rs"]
mod changes;
#[path = "evidence_git/hostile.rs"]
mod hostile;
#[path = "evidence_git/ignored.rs"]
mod ignored;
#[path = "evidence_git/landed.rs"]
mod landed;
#[path = "evidence_git/new_work.rs"]
mod new_work;
#[path = "evidence_git/places.rs"]
mod places;
#[path = "evidence_git/provenance.rs"]
mod provenance;
#[path = "evidence_git/submodules.rs"]
mod submodules;
