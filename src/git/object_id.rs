//! The ids of git's objects in both of git's formats. They are computed here as well, so that what git
//! claims to have stored can be compared with what was read.

use sha1_checked::{Digest as _, Sha1 as Checked};
use sha2::Sha256;

use crate::model::{CommitId, hex};

/// A repository's format of object ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ObjectFormat {
    /// 40 hexadecimal digits.
    #[default]
    Sha1,
    /// 64 hexadecimal digits.
    Sha256,
}

impl ObjectFormat {
    /// The format that git calls `name` (`extensions.objectFormat`).
    pub fn named(name: &str) -> Option<ObjectFormat> {
        match name {
            "sha1" => Some(ObjectFormat::Sha1),
            "sha256" => Some(ObjectFormat::Sha256),
            _ => None,
        }
    }

    /// The length of an id in bytes.
    pub fn id_length(self) -> usize {
        match self {
            ObjectFormat::Sha1 => 20,
            ObjectFormat::Sha256 => 32,
        }
    }

    /// Starts the id of a blob of `size` bytes.
    pub fn blob(self, size: u64) -> BlobId {
        self.object("blob", size)
    }

    fn object(self, kind: &str, size: u64) -> BlobId {
        let mut id = match self {
            ObjectFormat::Sha1 => BlobId::Sha1(Box::default()),
            ObjectFormat::Sha256 => BlobId::Sha256(Sha256::new()),
        };
        id.update(format!("{kind} {size}\0").as_bytes());
        id
    }

    /// The id of a tree, given as git stores it. `None` as for [`BlobId::hex`].
    pub fn id_of_tree(self, stored: &[u8]) -> Option<String> {
        self.id_of_object("tree", stored)
    }

    /// The id of a commit, given as git stores it. `None` as for [`BlobId::hex`].
    pub fn id_of_commit(self, stored: &[u8]) -> Option<String> {
        self.id_of_object("commit", stored)
    }

    /// The id of a blob with this content. `None` as for [`BlobId::hex`].
    pub fn id_of(self, content: &[u8]) -> Option<String> {
        self.id_of_object("blob", content)
    }

    fn id_of_object(self, kind: &str, stored: &[u8]) -> Option<String> {
        let mut id = self.object(kind, stored.len() as u64);
        id.update(stored);
        id.hex()
    }

    /// The configuration by which git recognises a repository of this format.
    pub fn settings(self) -> &'static str {
        match self {
            ObjectFormat::Sha1 => "[core]\n\trepositoryFormatVersion = 0\n\tbare = false\n",
            ObjectFormat::Sha256 => {
                "[extensions]\n\tobjectFormat = sha256\n[core]\n\trepositoryFormatVersion = 1\n\tbare = false\n"
            }
        }
    }

    /// The id of the empty tree, which git knows in every repository.
    pub fn empty_tree(self) -> &'static str {
        match self {
            ObjectFormat::Sha1 => "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
            ObjectFormat::Sha256 => "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
        }
    }

    /// The null id.
    pub fn zero(self) -> String {
        "0".repeat(2 * self.id_length())
    }

    /// This id, or the null id, by which git says that there is none.
    pub fn or_zero(self, id: Option<CommitId>) -> String {
        id.map_or_else(|| self.zero(), |id| id.to_string())
    }
}

/// An id under computation.
#[derive(Debug)]
pub enum BlobId {
    /// In a repository of the default format.
    Sha1(Box<Sha1>),
    /// In a repository of the newer format.
    Sha256(Sha256),
}

impl BlobId {
    /// Adds bytes of the content.
    pub fn update(&mut self, bytes: &[u8]) {
        match self {
            BlobId::Sha1(sum) => sum.update(bytes),
            BlobId::Sha256(sum) => sum.update(bytes),
        }
    }

    /// The id in hexadecimal. `None` for content crafted to collide with another's id, which git refuses to
    /// store.
    pub fn hex(self) -> Option<String> {
        match self {
            BlobId::Sha1(sum) => sum.hex_if_safe(),
            BlobId::Sha256(sum) => Some(hex::hex(&sum.finalize())),
        }
    }
}

/// Whether this is a full object id in hexadecimal, or the null id.
pub fn is_id(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// A checksum under computation.
#[derive(Debug, Default, Clone)]
pub struct Sha1 {
    sum: Checked,
}

impl Sha1 {
    /// Adds bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.sum.update(bytes);
    }

    /// The checksum of `bytes`, as 40 hexadecimal digits.
    pub fn of(bytes: &[u8]) -> String {
        let mut sum = Sha1::default();
        sum.update(bytes);
        sum.hex()
    }

    /// The checksum, as 40 hexadecimal digits.
    pub fn hex(self) -> String {
        hex::hex(self.sum.try_finalize().hash())
    }

    /// The checksum; `None` if the input was crafted to collide with something else.
    fn hex_if_safe(self) -> Option<String> {
        let sum = self.sum.try_finalize();
        (!sum.has_collision()).then(|| hex::hex(sum.hash()))
    }
}

#[cfg(test)]
mod tests {
    use super::{ObjectFormat, Sha1};

    #[test]
    fn the_ids_are_those_that_git_gives() {
        let ids = [ObjectFormat::Sha1, ObjectFormat::Sha256].map(|format| format.id_of(b"").unwrap());
        let git = [
            "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
            "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
        ];
        assert_eq!(ids, git);
    }

    // Existing journals and reference names depend on these.
    #[test]
    fn the_sums_of_the_standard_come_out() {
        assert_eq!(Sha1::of(b""), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
        assert_eq!(Sha1::of(b"abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
        assert_eq!(Sha1::of(&vec![b'a'; 1_000_000]), "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
    }
}
