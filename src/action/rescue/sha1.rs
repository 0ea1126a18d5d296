//! SHA-1 (FIPS 180-4), fed in pieces: the ids of git's objects are computed here too, so that what
//! git says it stored is compared with what was read. It must not be used to keep anything secret.

use std::fmt::Write as _;

/// A sum in the making.
#[derive(Debug, Clone)]
pub(super) struct Sha1 {
    state: [u32; 5],
    block: [u8; 64],
    n_in_block: usize,
    n_bytes: u64,
}

impl Default for Sha1 {
    fn default() -> Sha1 {
        let state = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];
        Sha1 { state, block: [0; 64], n_in_block: 0, n_bytes: 0 }
    }
}

impl Sha1 {
    /// The sum of a blob of `size` bytes, before its content.
    pub(super) fn of_blob(size: u64) -> Sha1 {
        let mut sum = Sha1::default();
        sum.update(format!("blob {size}\0").as_bytes());
        sum
    }

    /// Adds `bytes`.
    pub(super) fn update(&mut self, mut bytes: &[u8]) {
        self.n_bytes += bytes.len() as u64;
        while !bytes.is_empty() {
            let n_taken = bytes.len().min(64 - self.n_in_block);
            let (taken, rest) = bytes.split_at(n_taken);
            self.block[self.n_in_block..self.n_in_block + n_taken].copy_from_slice(taken);
            self.n_in_block += n_taken;
            bytes = rest;
            if self.n_in_block == 64 {
                self.compress();
                self.n_in_block = 0;
            }
        }
    }

    /// The sum of what was added, as 40 hexadecimal digits.
    pub(super) fn hex(mut self) -> String {
        let n_bits = self.n_bytes * 8;
        self.update(&[0x80]);
        while self.n_in_block != 56 {
            self.update(&[0]);
        }
        self.update(&n_bits.to_be_bytes());
        self.state.iter().fold(String::new(), |mut text, word| {
            // Writing to a string cannot fail.
            let _ = write!(text, "{word:08x}");
            text
        })
    }

    #[expect(clippy::many_single_char_names, reason = "the names of the standard")]
    fn compress(&mut self) {
        let mut words = [0_u32; 80];
        for (word, bytes) in words.iter_mut().zip(self.block.chunks_exact(4)) {
            *word = bytes.iter().fold(0, |word, byte| word << 8 | u32::from(*byte));
        }
        for i in 16..80 {
            words[i] = (words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16]).rotate_left(1);
        }
        let [mut a, mut b, mut c, mut d, mut e] = self.state;
        for (i, word) in words.iter().enumerate() {
            let (mix, constant) = match i {
                0..20 => (b & c | !b & d, 0x5a82_7999),
                20..40 => (b ^ c ^ d, 0x6ed9_eba1),
                40..60 => (b & c | b & d | c & d, 0x8f1b_bcdc),
                _ => (b ^ c ^ d, 0xca62_c1d6_u32),
            };
            let next =
                a.rotate_left(5).wrapping_add(mix).wrapping_add(e).wrapping_add(constant).wrapping_add(*word);
            (e, d, c, b, a) = (d, c, b.rotate_left(30), a, next);
        }
        for (word, add) in self.state.iter_mut().zip([a, b, c, d, e]) {
            *word = word.wrapping_add(add);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Sha1;

    fn hex(bytes: &[u8]) -> String {
        let mut sum = Sha1::default();
        sum.update(bytes);
        sum.hex()
    }

    #[test]
    fn the_sums_of_the_standard_come_out() {
        assert_eq!(hex(b""), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
        assert_eq!(hex(b"abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
        assert_eq!(hex(&vec![b'a'; 1_000_000]), "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
        let mut sum = Sha1::of_blob(0);
        sum.update(b"");
        assert_eq!(sum.hex(), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
    }
}
