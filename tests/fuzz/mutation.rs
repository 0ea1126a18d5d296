//! Derives new inputs from old ones: bits and bytes damaged as on a disk, lines and JSON values as a hostile
//! writer would set them, and repetitions, which reveal more than linear running time.

use serde_json::Value;

#[path = "../soak/random.rs"]
mod random;

pub(crate) use random::Random;

/// The longest generated input, in bytes.
pub(crate) const LONGEST: usize = 64 << 10;

/// Characters and words that have a meaning in some format.
const WORDS: [&[u8]; 40] = [
    b"{",
    b"}",
    b"[",
    b"]",
    b"\"",
    b":",
    b",",
    b"\n",
    b"\r\n",
    b"\0",
    b"\\",
    b"\\u0000",
    b"\\ud800",
    b"//",
    b"/*",
    b"*/",
    b"<",
    b">",
    b"<![CDATA[",
    b"<testcase name=\"",
    b"<failure/>",
    b"&lt;",
    b"&#0;",
    b"null",
    b"true",
    b"1e999",
    b"-1",
    b"18446744073709551616",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"\x1b[2J",
    b"\x1b]52;c;",
    "\u{202e}".as_bytes(),
    "\u{200d}".as_bytes(),
    b"- [ ] ",
    b"```",
    b"gitdir: ",
    b"ref: refs/heads/",
    b"COMPLETE",
    b"../",
];
/// Boundary values of integer types.
const NUMBERS: [u32; 8] = [0, 1, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0x0000_0fff, 0x4000_0000, 65_536];

/// A new input derived from `seed`, possibly with parts of `other`.
pub(crate) fn mutated(random: &mut Random, seed: &[u8], other: &[u8]) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..=random.below(5) {
        mutate(random, &mut bytes, other);
        bytes.truncate(LONGEST);
    }
    bytes
}

fn mutate(random: &mut Random, bytes: &mut Vec<u8>, other: &[u8]) {
    let (begin, end) = range(random, bytes.len());
    let last = bytes.len().saturating_sub(1);
    match random.below(16) {
        0 if !bytes.is_empty() => bytes[begin.min(last)] ^= 1 << random.below(8),
        1 if !bytes.is_empty() => bytes[begin.min(last)] = random.next().to_le_bytes()[0],
        2 => drop(bytes.drain(begin..end)),
        3 => bytes.truncate(begin),
        4 | 5 => insert(bytes, begin, WORDS[random.below(WORDS.len())]),
        6 => {
            let (from, to) = range(random, other.len());
            insert(bytes, begin, &other[from..to]);
        }
        7 if bytes.len() >= 4 => {
            let at = begin.min(bytes.len() - 4);
            bytes[at..at + 4].copy_from_slice(&random.one_of(&NUMBERS).to_be_bytes());
        }
        8 | 9 => {
            // Few are very long, because those take most of the time.
            let length = if random.percent(10) { LONGEST } else { 256 << random.below(5) };
            let piece = bytes[begin..end.min(begin + 64)].to_vec();
            let n_times = length / piece.len().max(1);
            insert(bytes, end, &piece.repeat(n_times));
        }
        10 => {
            let opening = *random.one_of(&[&b"["[..], b"{\"a\":", b"<a>", b"(", b"\"", b"  - ", b"> "]);
            insert(bytes, begin, &opening.repeat(1 << random.below(14)));
        }
        11..14 => with_lines(random, bytes),
        _ => with_value(random, bytes),
    }
}

fn insert(bytes: &mut Vec<u8>, at: usize, more: &[u8]) {
    bytes.splice(at..at, more.iter().copied());
}

/// A random range of positions, short more often than not.
fn range(random: &mut Random, length: usize) -> (usize, usize) {
    let begin = random.below(length + 1);
    let most = if random.percent(80) { 64 } else { length };
    (begin, (begin + random.below(most + 1)).min(length))
}

/// Removes, repeats or moves a line.
fn with_lines(random: &mut Random, bytes: &mut Vec<u8>) {
    let mut lines: Vec<Vec<u8>> = bytes.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    if lines.is_empty() {
        return;
    }
    let (one, another) = (random.below(lines.len()), random.below(lines.len()));
    match random.below(3) {
        0 => drop(lines.remove(one)),
        1 => lines.insert(another, lines[one].clone()),
        _ => lines.swap(one, another),
    }
    *bytes = lines.concat();
}

/// Replaces a random value in the JSON of a line.
fn with_value(random: &mut Random, bytes: &mut Vec<u8>) {
    let lines: Vec<(usize, usize)> = bytes
        .split_inclusive(|byte| *byte == b'\n')
        .scan(0, |at, line| {
            *at += line.len();
            Some((*at - line.len(), *at))
        })
        .collect();
    if lines.is_empty() {
        return;
    }
    let (begin, end) = *random.one_of(&lines);
    let Some(open) = bytes[begin..end].iter().position(|byte| *byte == b'{').map(|at| begin + at) else {
        return;
    };
    let Ok(mut value) = serde_json::from_slice::<Value>(&bytes[open..end]) else { return };
    let mut place = &mut value;
    while random.percent(85) {
        let n_inside = match &*place {
            Value::Object(members) => members.len(),
            Value::Array(items) => items.len(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
        };
        if n_inside == 0 {
            break;
        }
        let at = random.below(n_inside);
        place = match place {
            Value::Object(members) => members.values_mut().nth(at).unwrap(),
            Value::Array(items) => &mut items[at],
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => break,
        };
    }
    *place = other_value(random, place);
    let mut text = serde_json::to_vec(&value).unwrap();
    text.push(b'\n');
    bytes.splice(open..end, text);
}

fn other_value(random: &mut Random, old: &Value) -> Value {
    match random.below(12) {
        0 => Value::Null,
        1 => Value::from(random.percent(50)),
        2 => Value::from(random.next()),
        3 => Value::from(-1),
        4 => Value::from(i64::MIN),
        5 => Value::from(1e300),
        6 => Value::from(""),
        7 => Value::from("\u{1b}]0;x\u{7}\u{202e}\u{0}"),
        8 => Value::from("é".repeat(1 << random.below(12))),
        9 => Value::Array(vec![old.clone(); 1 + random.below(40)]),
        10 => serde_json::json!({ "a": old, "type": old, "text": old, "id": old }),
        _ => Value::Array(Vec::new()),
    }
}
