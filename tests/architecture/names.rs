//! Names that the code had and has no more, each with the name that took its place: the vocabulary stays one.
//! What the present names mean stands in the glossary of `CONTRIBUTING.md`.

use std::collections::BTreeSet;

use syn::visit::{self, Visit};

use super::source;

/// What a name is given to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// A struct, enum, trait or type alias.
    Type,
    /// A function or method.
    Function,
    /// A field of a struct or of a variant.
    Field,
    /// A file or module.
    Module,
    /// A constant: the retired name is its first word.
    Constant,
    /// A local variable or parameter.
    Local,
}

use Kind::{Constant, Field, Function, Local, Module, Type};

/// The retired names, and what stands in their place.
pub(super) const RETIRED: &[(Kind, &str, &str)] = &[
    (Type, "Act", "Action"),
    (Type, "ActKind", "ActionKind"),
    (Type, "ActMoved", "ActionProgressed"),
    (Type, "ActOutcome", "ActionOutcome"),
    (Type, "ActProgress", "ActionProgress"),
    (Type, "ActRequest", "ActionRequest"),
    (Type, "Acted", "ActionFinished"),
    (Type, "Acting", "RunningAction"),
    (Type, "Arrival", "EngineEvent"),
    (Type, "Bench", "ReplyFixture"),
    (Type, "Desk", "TestEnv"),
    (Type, "Doubts", "Dirty"),
    (Type, "Dues", "Timers"),
    (Type, "HintEffect", "WatchNews"),
    (Type, "Initiative", "AutoProbePolicy"),
    (Type, "Launch", "EngineConfig"),
    (Type, "Leave", "Permit"),
    (Type, "LiveWord", "StatusReport"),
    (Type, "Looking", "Refresher"),
    (Type, "Noticed", "WatchNews"),
    (Type, "Occasion", "Trigger"),
    (Type, "Overlay", "Overrides"),
    (Type, "Pile", "EvidenceSet"),
    (Type, "RunningAct", "RunningAction"),
    (Type, "Scales", "WeighContext"),
    (Type, "Seat", "Watch"),
    (Type, "Seen", "Current, or what was seen"),
    (Type, "Sheet", "TextLayout"),
    (Type, "Sighting", "WatchNews"),
    (Type, "Standing", "EvidenceSummary, or ProcessState"),
    (Type, "Surroundings", "CollectContext"),
    (Type, "Told", "Response"),
    (Type, "Tone", "Style"),
    (Type, "UndoWay", "Direction"),
    (Type, "WatchEvent", "WatchNews"),
    (Type, "Way", "Route"),
    (Type, "Wish", "PlannedKey"),
    (Type, "Words", "SessionFacts, or what the words say"),
    (Function, "act_moved", "progressed"),
    (Function, "action_of", "command_of"),
    (Function, "be_prompted", "on_prompt"),
    (Function, "drawn", "on_frame"),
    (Function, "drop_actions", "drop_entries"),
    (Function, "forget", "delete"),
    (Function, "get_over", "clear_error"),
    (Function, "go_on", "resume"),
    (Function, "heard", "on_input"),
    (Function, "in_words", "label, message or Display"),
    (Function, "is_look", "is_probe"),
    (Function, "leave_out", "exclude"),
    (Function, "leave_to_ask", "acquire_probe_permit"),
    (Function, "look_again", "revalidate"),
    (Function, "stumble", "on_error"),
    (Function, "take_in", "include"),
    (Function, "told", "on_response, or what is told"),
    (Function, "wanted", "on_intent, or what is wanted"),
    (Function, "words", "label, message or Display"),
    (Field, "initiative", "auto_probe_policy"),
    (Field, "overlay", "overrides"),
    (Field, "told", "responses, or what was told"),
    (Field, "told_at", "reported_at"),
    (Module, "again", "reuse"),
    (Module, "keeping", "catalogue"),
    (Module, "moving", "ref_transaction"),
    (Module, "place", "worktrees, or what is placed"),
    (Module, "saving", "record"),
    (Module, "starting", "startup"),
    (Module, "stories", "samples"),
    (Module, "told", "what is told"),
    (Module, "words", "what the words say, or present"),
    (Constant, "MOST", "MAX"),
    (Local, "doubts", "dirty"),
    (Local, "dues", "timers"),
    (Local, "heard", "what was received"),
    (Local, "initiative", "auto_probe_policy"),
    (Local, "launch", "engine_config"),
    (Local, "noticed", "effect"),
    (Local, "overlay", "overrides"),
    (Local, "pile", "evidence_set"),
    (Local, "scales", "context"),
    (Local, "surroundings", "context"),
];

/// A retired name that means another thing below this folder.
pub(super) const OTHER_MEANING: &[(&str, &str, &str)] =
    &[("src/judge/", "words", "the words of a text, as a linguist counts them")];

/// What a file calls by a retired name, each once, with what to call it.
pub(super) fn retired(file: &str, text: &str) -> Vec<String> {
    let mut found = source::read(file, text).map(|source| source.definitions.clone()).unwrap_or_default();
    found.extend(file.trim_end_matches(".rs").split('/').map(|name| (Module, name.to_owned())));
    let is_retired = |(kind, name): &(Kind, String)| {
        let word = if *kind == Constant { name.split('_').next().unwrap_or_default() } else { name.as_str() };
        let (_, _, new) = RETIRED.iter().find(|(of, old, _)| of == kind && *old == word)?;
        let is_other =
            OTHER_MEANING.iter().any(|(folder, other, _)| file.starts_with(folder) && other == name);
        (!is_other).then(|| format!("{file}: the {kind:?} `{name}` is now called {new}"))
    };
    found.iter().filter_map(is_retired).collect()
}

/// What a file defines.
pub(super) fn definitions(tree: &syn::File) -> BTreeSet<(Kind, String)> {
    let mut reader = Definitions::default();
    reader.visit_file(tree);
    reader.found
}

#[derive(Default)]
struct Definitions {
    found: BTreeSet<(Kind, String)>,
}

impl Definitions {
    fn add(&mut self, kind: Kind, name: &proc_macro2::Ident) {
        self.found.insert((kind, name.to_string()));
    }
}

impl<'ast> Visit<'ast> for Definitions {
    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        self.add(Type, &item.ident);
        visit::visit_item_struct(self, item);
    }

    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        self.add(Type, &item.ident);
        visit::visit_item_enum(self, item);
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        self.add(Type, &item.ident);
        visit::visit_item_trait(self, item);
    }

    fn visit_item_type(&mut self, item: &'ast syn::ItemType) {
        self.add(Type, &item.ident);
    }

    fn visit_item_const(&mut self, item: &'ast syn::ItemConst) {
        self.add(Constant, &item.ident);
        visit::visit_item_const(self, item);
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        self.add(Module, &item.ident);
        visit::visit_item_mod(self, item);
    }

    fn visit_signature(&mut self, signature: &'ast syn::Signature) {
        self.add(Function, &signature.ident);
        visit::visit_signature(self, signature);
    }

    fn visit_pat_ident(&mut self, pattern: &'ast syn::PatIdent) {
        self.add(Local, &pattern.ident);
        visit::visit_pat_ident(self, pattern);
    }

    fn visit_field(&mut self, field: &'ast syn::Field) {
        if let Some(name) = &field.ident {
            self.add(Field, name);
        }
        visit::visit_field(self, field);
    }
}
