//! SHA-1, computed incrementally, with the collision detection that git itself uses. It must not be used to
//! protect secrets.

use sha1_checked::{Digest as _, Sha1 as Checked};

use crate::model::hex;

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
    pub fn hex_if_safe(self) -> Option<String> {
        let sum = self.sum.try_finalize();
        (!sum.has_collision()).then(|| hex::hex(sum.hash()))
    }
}

#[cfg(test)]
mod tests {
    use super::Sha1;

    // Existing journals and reference names depend on these.
    #[test]
    fn the_sums_of_the_standard_come_out() {
        assert_eq!(Sha1::of(b""), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
        assert_eq!(Sha1::of(b"abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
        assert_eq!(Sha1::of(&vec![b'a'; 1_000_000]), "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
    }
}
