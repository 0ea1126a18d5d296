//! The one table at the end.

use std::fmt;
use std::time::Duration;

use super::samples::{Samples, shown};

/// What was measured, row by row.
#[derive(Debug, Default)]
pub(crate) struct Table {
    rows: Vec<[String; 6]>,
    notes: Vec<String>,
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
        let p99 = if samples.len() > 1 { shown(samples.p99()) } else { String::new() };
        self.add([name.to_owned(), shown(samples.p50()), p99, words, ratio, goal.to_owned()]);
    }

    /// A row with one value that is no distribution.
    pub(crate) fn value(&mut self, name: &str, value: &str, goal: &str) {
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
