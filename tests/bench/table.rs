//! The one table at the end, and the file by which two runs are compared.

use std::collections::BTreeMap;
use std::time::Duration;
use std::{fmt, fs};

use anyhow::Result;
use serde::{Deserialize, Serialize};

use super::samples::{Samples, shown};

/// What was measured, row by row.
#[derive(Debug, Default)]
pub(crate) struct Table {
    rows: Vec<[String; 6]>,
    notes: Vec<String>,
    figures: BTreeMap<String, Figure>,
}

/// A row in the file.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Figure {
    /// What was measured, as it is shown.
    shown: String,
    /// The median and the 99th percentile, in nanoseconds.
    p50_ns: Option<u64>,
    p99_ns: Option<u64>,
    /// The median of the reference of the same run.
    reference_ns: Option<u64>,
    goal: String,
}

fn nanos(span: Duration) -> Option<u64> {
    u64::try_from(span.as_nanos()).ok()
}

/// What a row is compared with.
#[derive(Debug, Clone)]
pub(crate) struct Reference {
    words: String,
    took: Duration,
}

impl Reference {
    /// Something else that took so long in the same run.
    pub(crate) fn new(words: &str, samples: &Samples) -> Reference {
        Reference { words: words.to_owned(), took: samples.p50() }
    }
}

impl Table {
    /// A row of times. The ratio is that of the medians.
    pub(crate) fn times(&mut self, name: &str, samples: &Samples, reference: Option<&Reference>, goal: &str) {
        let ratio = reference.map_or_else(String::new, |reference| {
            format!("{:.2}", samples.p50().as_secs_f64() / reference.took.as_secs_f64())
        });
        let words = reference
            .map_or_else(String::new, |reference| format!("{} {}", reference.words, shown(reference.took)));
        let figure = Figure {
            shown: shown(samples.p50()),
            p50_ns: nanos(samples.p50()),
            p99_ns: nanos(samples.p99()),
            reference_ns: reference.and_then(|reference| nanos(reference.took)),
            goal: goal.to_owned(),
        };
        self.figures.insert(name.to_owned(), figure);
        let p99 = if samples.len() > 1 { shown(samples.p99()) } else { String::new() };
        self.add([name.to_owned(), shown(samples.p50()), p99, words, ratio, goal.to_owned()]);
    }

    /// A row with one value that is no distribution.
    pub(crate) fn value(&mut self, name: &str, value: &str, goal: &str) {
        let figure = Figure { shown: value.to_owned(), goal: goal.to_owned(), ..Figure::default() };
        self.figures.insert(name.to_owned(), figure);
        self.add([
            name.to_owned(),
            value.to_owned(),
            String::new(),
            String::new(),
            String::new(),
            goal.to_owned(),
        ]);
    }

    /// A sentence under the table.
    pub(crate) fn note(&mut self, note: String) {
        println!("  note: {note}");
        self.notes.push(note);
    }

    /// Writes the figures to `file`, as JSON.
    pub(crate) fn write(&self, file: &str) -> Result<()> {
        Ok(fs::write(file, serde_json::to_vec_pretty(&self.figures)?)?)
    }

    /// The rows beside those of an earlier run: what it took then, what it takes now, and how that is to it. The last
    /// ratio is of the ratios to the references, which a busy machine changes less.
    pub(crate) fn compare(&self, file: &str) -> Result<String> {
        use std::fmt::Write as _;
        let before: BTreeMap<String, Figure> = serde_json::from_slice(&fs::read(file)?)?;
        let ratio = |now: Option<u64>, then: Option<u64>| match (now, then) {
            (Some(now), Some(then @ 1..)) => {
                Some(Duration::from_nanos(now).div_duration_f64(Duration::from_nanos(then)))
            }
            _ => None,
        };
        let told = |ratio: Option<f64>| ratio.map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.2}"));
        let mut text = String::new();
        for (name, now) in &self.figures {
            let Some(then) = before.get(name) else { continue };
            let times = ratio(now.p50_ns, then.p50_ns);
            let (to_now, to_then) =
                (ratio(now.p50_ns, now.reference_ns), ratio(then.p50_ns, then.reference_ns));
            let of_ratios = to_now.zip(to_then).map(|(now, then)| now / then);
            let _ = writeln!(
                text,
                "{name}: {} -> {}, {} times, {} by the reference",
                then.shown,
                now.shown,
                told(times),
                told(of_ratios)
            );
        }
        Ok(text)
    }

    fn add(&mut self, row: [String; 6]) {
        println!("  {}: {} {} {} {} (goal {})", row[0], row[1], row[2], row[3], row[4], row[5]);
        self.rows.push(row);
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let head = ["", "p50", "p99", "reference", "ratio", "goal"].map(str::to_owned);
        let lines: Vec<&[String; 6]> = std::iter::once(&head).chain(&self.rows).collect();
        let widths: Vec<usize> = (0..6)
            .map(|column| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0))
            .collect();
        for (number, line) in lines.iter().enumerate() {
            for (cell, width) in line.iter().zip(&widths) {
                write!(f, "| {cell:<width$} ")?;
            }
            writeln!(f, "|")?;
            if number == 0 {
                for width in &widths {
                    write!(f, "|{}", "-".repeat(width + 2))?;
                }
                writeln!(f, "|")?;
            }
        }
        for note in &self.notes {
            writeln!(f, "note: {note}")?;
        }
        Ok(())
    }
}
