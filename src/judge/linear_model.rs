//! A linear model over features that are known by their hashes, in whole numbers, so that the same text is read alike
//! everywhere. Must not know what a feature is or what a score means.

/// How many bytes precede the places of the buckets.
const HEAD: usize = 8;
/// How many steps of the numbers in the head are one of a weight.
const FINE: i64 = 16;
/// A feature has 28 bits, of which the first twelve name its bucket.
const N_BUCKETS: usize = 1 << 12;
/// How many bytes precede the features.
const INDEX: usize = HEAD + (N_BUCKETS + 1) * 4;

/// A model as `tests/corpus/linear_model.py` writes it. All numbers are little-endian: four of 16 bits, of which the model's
/// owner knows the meaning; then, for each bucket of features, the place of its first one with 32 bits, and the number of
/// features; then what tells a feature from others of its bucket with 16 bits each, in order; then a signed byte for the
/// weight of each.
#[derive(Clone, Copy)]
pub(super) struct LinearModel(pub(super) &'static [u8]);

impl LinearModel {
    /// The number at a place of the head, in sixteenths of a weight.
    pub(super) fn number(self, place: usize) -> i64 {
        self.0.get(place * 2..place * 2 + 2).map_or(0, |it| i64::from(i16::from_le_bytes([it[0], it[1]])))
    }

    /// The score of a text with these features.
    pub(super) fn score(self, features: &[u32]) -> Score {
        let sum = features.iter().filter_map(|feature| self.weight(*feature)).sum::<i64>() * FINE;
        Score { sum, n_features: i64::try_from(features.len()).unwrap_or(i64::MAX) }
    }

    /// The weight of a feature that the model knows.
    fn weight(self, feature: u32) -> Option<i64> {
        let (index, _) = self.0.get(HEAD..INDEX)?.as_chunks::<4>();
        let begin_of = |bucket: usize| usize::try_from(u32::from_le_bytes(*index.get(bucket)?)).ok();
        let bucket = usize::try_from(feature >> 16).ok()?;
        let (begin, end, n_features) = (begin_of(bucket)?, begin_of(bucket + 1)?, begin_of(N_BUCKETS)?);
        let (features, weights) = self.0.get(INDEX..)?.split_at_checked(n_features * 2)?;
        let [low, high, ..] = feature.to_le_bytes();
        let bucket = features.as_chunks::<2>().0.get(begin..end)?;
        let at = bucket.iter().position(|it| *it == [low, high])?;
        Some(i64::from(weights.get(begin + at)?.cast_signed()))
    }
}

/// The sum of the weights of a text's features over the root of their number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Score {
    /// The sum, in sixteenths of a weight.
    sum: i64,
    n_features: i64,
}

impl Score {
    /// Whether it is at least so high, in sixteenths of a weight.
    pub(super) fn reaches(self, least: i64) -> bool {
        // Both sides are squared instead.
        self.sum.signum() * self.sum * self.sum >= least.signum() * least * least * self.n_features
    }

    /// Its square, with its sign.
    pub(super) fn squared(self) -> i64 {
        self.sum.signum() * self.sum * self.sum / self.n_features.max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_models_are_whole_and_small() {
        for (model, n_least) in [
            (LinearModel(include_bytes!("../../assets/questions/admissions.bin")), 10_000),
            (LinearModel(include_bytes!("../../assets/questions/asks.bin")), 10_000),
            (LinearModel(include_bytes!("../../assets/demands.bin")), 10_000),
        ] {
            let begins: Vec<u32> =
                model.0[HEAD..INDEX].as_chunks::<4>().0.iter().map(|it| u32::from_le_bytes(*it)).collect();
            let n_features = usize::try_from(begins[N_BUCKETS]).unwrap();
            assert_eq!(model.0.len(), INDEX + n_features * 3);
            assert!(n_features > n_least && model.0.len() < 500_000, "{n_features}");
            assert!(begins.is_sorted() && begins[0] == 0);
            assert_eq!(model.score(&[]).squared(), 0);
        }
    }
}
