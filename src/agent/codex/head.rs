//! The first line of a rollout, `session_meta`: whose it is. It holds the client's instructions (22 kB
//! in a run of 0.169.0) after the few fields that are used, so it is read only as far as they go.

use std::fmt;
use std::fs::File;
use std::io;
use std::path::PathBuf;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;

use crate::agent::record::read_range;
use crate::model::SessionOrigin;

/// So much of the begin is read, one size after the other until the fields are there, in bytes.
const STEPS: [u64; 4] = [4 << 10, 64 << 10, 1 << 20, 8 << 20];

/// What the begin of a rollout tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Head {
    /// Whose it is.
    Thread(Meta),
    /// The first line is still being written.
    Unfinished,
    /// It is no rollout, or its first line is longer than the last of [`STEPS`].
    Foreign,
}

/// Whose rollout it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Meta {
    /// The thread's id. Untrusted text.
    pub(super) id: String,
    /// The folder that it was begun in, absolute. Untrusted text.
    pub(super) folder: PathBuf,
    /// The client's version. Untrusted text.
    pub(super) version: Option<String>,
    /// How it came to be.
    pub(super) origin: SessionOrigin,
    /// True for a thread that another one or the client itself began: no session of a person.
    pub(super) is_beside: bool,
}

/// Reads the begin of a rollout.
pub(super) fn read_head(file: &File) -> io::Result<Head> {
    for step in STEPS {
        let begin = read_range(file, 0, step)?;
        let is_end = (begin.len() as u64) < step;
        let head = head_of(&begin);
        if head != Head::Unfinished || is_end {
            return Ok(head);
        }
    }
    Ok(Head::Foreign)
}

/// What the first bytes of a rollout tell.
pub(super) fn head_of(begin: &[u8]) -> Head {
    let end = begin.iter().position(|byte| *byte == b'\n');
    let line = &begin[..end.unwrap_or(begin.len())];
    if line.first().is_some_and(|byte| *byte != b'{') {
        return Head::Foreign;
    }
    let mut fields = Fields::default();
    let mut reader = serde_json::Deserializer::from_slice(line);
    let is_whole = OfLine(&mut fields).deserialize(&mut reader).is_ok();
    if is_whole || fields.is_enough {
        return fields.meta().map_or(Head::Foreign, Head::Thread);
    }
    if end.is_some() { Head::Foreign } else { Head::Unfinished }
}

/// The fields that are used.
#[derive(Debug, Default)]
struct Fields {
    kind: Option<String>,
    id: Option<String>,
    folder: Option<PathBuf>,
    version: Option<String>,
    source: Option<Value>,
    forked_from: Option<String>,
    parent: Option<String>,
    /// All were read; what follows was not looked at.
    is_enough: bool,
}

impl Fields {
    /// True when the client (0.169.0) writes none of the fields any more after these.
    fn is_full(&self) -> bool {
        self.kind.is_some()
            && self.id.is_some()
            && self.folder.is_some()
            && self.version.is_some()
            && self.source.is_some()
    }

    fn meta(self) -> Option<Meta> {
        let is_meta = self.kind.as_deref() == Some("session_meta");
        let id = self.id.filter(|id| is_meta && !id.is_empty())?;
        let folder = self.folder.filter(|folder| folder.is_absolute())?;
        let source = self.source.unwrap_or_default();
        let is_beside =
            self.parent.is_some() || source.get("subagent").is_some() || source.get("internal").is_some();
        let origin = match (self.forked_from, source.as_str()) {
            (Some(of), _) => SessionOrigin::Fork { of: Some(of) },
            (None, Some("exec")) => SessionOrigin::Headless,
            // The client's own screen says `vscode` since it works over its app server.
            (None, Some("cli" | "vscode")) => SessionOrigin::Person,
            (None, _) => SessionOrigin::Unknown,
        };
        Some(Meta { id, folder, version: self.version, origin, is_beside })
    }
}

/// Takes the line.
struct OfLine<'f>(&'f mut Fields);

/// Takes the line's payload.
struct OfPayload<'f>(&'f mut Fields);

impl<'de> DeserializeSeed<'de> for OfLine<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for OfLine<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a line of a rollout")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "type" => self.0.kind = Some(map.next_value()?),
                "payload" => map.next_value_seed(OfPayload(self.0))?,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for OfPayload<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for OfPayload<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the payload of a line")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let fields = self.0;
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "id" => fields.id = Some(map.next_value()?),
                "cwd" => fields.folder = Some(map.next_value()?),
                "cli_version" => fields.version = map.next_value()?,
                "source" => fields.source = Some(map.next_value()?),
                "forked_from_id" => fields.forked_from = map.next_value()?,
                "parent_thread_id" => fields.parent = map.next_value()?,
                "base_instructions" if fields.is_full() => {
                    fields.is_enough = true;
                    return Err(A::Error::custom("enough was read"));
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}
