//! Finds the last JSON object with a given key in any text, in one pass.
//!
//! Must not recurse (the text controls the nesting) or read any part of the text over and over.
//!
//! Outside an object, everything is prose and quotes mean nothing. Inside one, the scan follows the JSON
//! grammar; at the first error it gives up all open objects, since the error is inside each of them. Because
//! a stray quote may have swallowed the start of a real object, the scan then returns to the inside of the
//! last string. A string contains no unescaped quote, so an object that starts inside it fails immediately,
//! and no byte is read more than a few times.

/// What may come next in an open object or list.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Expects {
    KeyOrEnd,
    Key,
    Colon,
    Value,
    ValueOrEnd,
    CommaOrEnd,
}

/// An open object or list.
struct Open {
    start: usize,
    is_object: bool,
    expects: Expects,
    /// Whether the key just read is the wanted one.
    is_wanted_key: bool,
    has_wanted_key: bool,
}

impl Open {
    fn object(start: usize) -> Self {
        Self {
            start,
            is_object: true,
            expects: Expects::KeyOrEnd,
            is_wanted_key: false,
            has_wanted_key: false,
        }
    }

    fn list(start: usize) -> Self {
        Self {
            start,
            is_object: false,
            expects: Expects::ValueOrEnd,
            is_wanted_key: false,
            has_wanted_key: false,
        }
    }
}

/// The text violates the grammar.
struct Broken;

struct Scan<'a> {
    text: &'a str,
    key: &'a str,
    position: usize,
    open: Vec<Open>,
    last_string: Option<usize>,
    found: Option<(usize, usize)>,
}

/// The text of the last complete object with `key` on its first level; `None` if a later one is broken.
pub(super) fn last_object_with<'a>(text: &'a str, key: &'a str) -> Option<&'a str> {
    let mut scan = Scan { text, key, position: 0, open: Vec::new(), last_string: None, found: None };
    loop {
        if scan.open.is_empty() {
            let Some(next) = text.get(scan.position..).and_then(|rest| rest.find('{')) else { break };
            scan.open.push(Open::object(scan.position + next));
            scan.position += next + 1;
            scan.last_string = None;
        } else if scan.step().is_err() {
            scan.give_up();
        }
    }
    let (start, end) = scan.found?;
    text.get(start..end)
}

impl Scan<'_> {
    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.position).copied()
    }

    fn skip_while(&mut self, is_skipped: impl Fn(u8) -> bool) {
        while self.byte().is_some_and(&is_skipped) {
            self.position += 1;
        }
    }

    fn step(&mut self) -> Result<(), Broken> {
        self.skip_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'));
        let byte = self.byte().ok_or(Broken)?;
        let expects = self.open.last().ok_or(Broken)?.expects;
        match (expects, byte) {
            (Expects::KeyOrEnd | Expects::Key, b'"') => self.read_key(),
            (Expects::Colon, b':') => {
                self.position += 1;
                let open = self.open.last_mut().ok_or(Broken)?;
                open.has_wanted_key |= open.is_wanted_key;
                open.expects = Expects::Value;
                Ok(())
            }
            (Expects::KeyOrEnd | Expects::CommaOrEnd, b'}') => self.close(true),
            (Expects::ValueOrEnd | Expects::CommaOrEnd, b']') => self.close(false),
            (Expects::CommaOrEnd, b',') => {
                self.position += 1;
                let open = self.open.last_mut().ok_or(Broken)?;
                open.expects = if open.is_object { Expects::Key } else { Expects::Value };
                Ok(())
            }
            (Expects::Value | Expects::ValueOrEnd, byte) => self.read_value(byte),
            (Expects::KeyOrEnd | Expects::Key | Expects::Colon | Expects::CommaOrEnd, _) => Err(Broken),
        }
    }

    fn read_key(&mut self) -> Result<(), Broken> {
        let start = self.position + 1;
        self.read_string()?;
        let raw = self.text.get(start..self.position - 1).unwrap_or_default();
        // A key may be written with escapes; a character takes at most 12 bytes of them.
        let is_wanted_key = raw == self.key
            || raw.contains('\\')
                && raw.len() <= self.key.len() * 12
                && serde_json::from_str::<String>(&format!("\"{raw}\"")).is_ok_and(|key| key == self.key);
        let open = self.open.last_mut().ok_or(Broken)?;
        open.is_wanted_key = is_wanted_key;
        open.expects = Expects::Colon;
        Ok(())
    }

    fn read_value(&mut self, first: u8) -> Result<(), Broken> {
        if first == b'{' || first == b'[' {
            let opened = if first == b'{' { Open::object(self.position) } else { Open::list(self.position) };
            self.open.push(opened);
            self.position += 1;
            return Ok(());
        }
        if first == b'"' {
            self.read_string()?;
        } else if first == b'-' || first.is_ascii_digit() {
            self.skip_while(|byte| matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9'));
        } else {
            let rest = self.text.as_bytes().get(self.position..).unwrap_or_default();
            let literal =
                ["true", "false", "null"].into_iter().find(|word| rest.starts_with(word.as_bytes()));
            self.position += literal.ok_or(Broken)?.len();
        }
        self.value_is_read();
        Ok(())
    }

    fn read_string(&mut self) -> Result<(), Broken> {
        self.last_string = Some(self.position);
        self.position += 1;
        loop {
            match self.byte().ok_or(Broken)? {
                b'"' => {
                    self.position += 1;
                    return Ok(());
                }
                b'\\' => self.position += 2,
                0..=0x1f => return Err(Broken),
                _ => self.position += 1,
            }
        }
    }

    fn close(&mut self, is_object: bool) -> Result<(), Broken> {
        if self.open.last().is_none_or(|open| open.is_object != is_object) {
            return Err(Broken);
        }
        self.position += 1;
        if let Some(closed) = self.open.pop()
            && closed.has_wanted_key
        {
            self.found = Some((closed.start, self.position));
        }
        self.value_is_read();
        Ok(())
    }

    fn value_is_read(&mut self) {
        if let Some(open) = self.open.last_mut() {
            open.expects = Expects::CommaOrEnd;
        }
    }

    fn give_up(&mut self) {
        if self.open.iter().any(|open| open.has_wanted_key) {
            self.found = None;
        }
        self.open.clear();
        if let Some(start) = self.last_string.take() {
            self.position = start + 1;
        }
        // Skipping an escape may have ended in the middle of a character.
        while self.position < self.text.len() && !self.text.is_char_boundary(self.position) {
            self.position += 1;
        }
    }
}
