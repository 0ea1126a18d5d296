//! Figures on real last messages, which are other people's words and no part of the repository: by language, kind,
//! certainty and length, by repository, and how often a label of each certainty is right.
//!
//!     CLOSEOUT_NATURAL=DIR cargo test --locked --test tests -- --ignored --nocapture corpus::natural
//!
//! DIR holds files of JSON lines with `text`, `label`, `lang`, `kind`, `group` (whose repository) and, where they are
//! known, `request`, `end`, `did` and `ambiguous`. The repositories are as independent as strangers' are, so the
//! spread over five parts of them says how far a figure may be off. The trees were fitted to one such file: what
//! they reach on repositories that they never saw is printed by `train.py`.

use std::collections::BTreeMap;
use std::path::Path;

use closeout::judge::questions::{self, Context, ContextRecord};
use serde::Deserialize;

use super::{Figures, name};

/// The messages are split into so many parts by repository.
const PARTS: u32 = 5;

#[derive(Deserialize)]
struct Natural {
    text: String,
    label: String,
    lang: String,
    kind: String,
    group: String,
    #[serde(flatten)]
    known: ContextRecord,
    #[serde(default)]
    ambiguous: bool,
}

impl Natural {
    fn length(&self) -> &'static str {
        match self.text.len() {
            0..300 => "length below 300",
            300..1000 => "length below 1,000",
            1000..3000 => "length below 3,000",
            _ => "length from 3,000",
        }
    }

    /// The part that the message's repository belongs to, the same in every run.
    fn part(&self) -> String {
        let sum = self.group.bytes().fold(0_u32, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
        format!("part {} of the repositories", sum % PARTS + 1)
    }
}

/// Prints the figures of one file, by the text alone or with all that is known. Returns those of the whole.
fn measure(path: &Path, with_record: bool) -> Figures {
    let text = std::fs::read_to_string(path).unwrap();
    let (mut whole, mut clear) = (Figures::default(), Figures::default());
    let mut groups: BTreeMap<String, Figures> = BTreeMap::new();
    for line in text.lines() {
        let message: Natural = serde_json::from_str(line).unwrap();
        let context = if with_record { message.known.context() } else { Context::default() };
        let judged = questions::classify(&message.text, &context);
        let said = name(judged.label);
        whole.add(&message.label, said);
        if !message.ambiguous {
            clear.add(&message.label, said);
        }
        let certainty = format!("certainty {:?}", judged.certainty).to_lowercase();
        let said_as = format!("{certainty} {}", said.to_lowercase());
        let names = [
            format!("lang {}", message.lang),
            format!("kind {}", message.kind),
            message.length().to_owned(),
            message.part(),
            certainty,
            said_as,
        ];
        for name in names {
            groups.entry(name).or_default().add(&message.label, said);
        }
    }
    let what = if with_record { "with its record" } else { "by the text alone" };
    println!("\n{} {what}", path.file_name().unwrap().to_string_lossy());
    for (name, figures) in [("all", whole), ("clear", clear)]
        .map(|(name, figures)| (name.to_owned(), figures))
        .into_iter()
        .chain(groups)
    {
        let share = 100.0 * f64::from(figures.all) / f64::from(whole.all.max(1));
        println!(
            "  {name:<34} n {:>4} ({share:>5.1} %)  F1 {:.3}  P {:.3}  R {:.3}  right {:.3}",
            figures.all,
            figures.f1(),
            figures.precision(),
            figures.recall(),
            figures.accuracy()
        );
    }
    whole
}

#[test]
#[ignore = "needs CLOSEOUT_NATURAL, a folder of messages that are no part of the repository"]
fn figures_on_real_messages() {
    let folder =
        std::env::var_os("CLOSEOUT_NATURAL").expect("CLOSEOUT_NATURAL names the folder of the messages");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
    files.sort();
    assert!(!files.is_empty(), "no file of JSON lines is there");
    for path in files {
        for with_record in [false, true] {
            let figures = measure(&path, with_record);
            assert!(figures.f1() >= 0.85 && figures.accuracy() >= 0.85, "{}", path.display());
        }
    }
}
