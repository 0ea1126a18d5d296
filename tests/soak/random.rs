//! Reproducible random numbers: `SplitMix64` (Steele, Lea, Flood 2014).

/// A random number generator.
pub(crate) struct Random(u64);

impl Random {
    /// The generator for one world of a seed.
    pub(crate) fn new(seed: u64, world: u64) -> Random {
        let mut random = Random(seed ^ world.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        random.next();
        random
    }

    /// The next number, over the whole range of `u64`.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end.max(1) as u64).unwrap_or(0)
    }

    /// True with this probability in percent.
    pub(crate) fn percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// A random element.
    pub(crate) fn one_of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }
}
