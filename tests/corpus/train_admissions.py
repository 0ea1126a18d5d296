#!/usr/bin/env python3
"""Trains the learned reading of admissions (assets/questions/admissions.bin).

    [CLOSEOUT_NATURAL=FOLDER] CLOSEOUT_FEATURES=FILE cargo test --lib -- --ignored write_sentences
    python3 tests/corpus/train_admissions.py FILE [--write assets/questions/admissions.bin]

FILE gets one line for each sentence of `tests/corpus/admissions/*.tsv` and each sentence of the messages in
`tests/corpus/*.jsonl` (and in FOLDER/fit.jsonl) that are labelled COMPLETE: its set, whether it admits something, and the
hashes of its features (`admission_model.rs`). Sentences of whole messages are no surer than their message's label and weigh
less. Sets whose names begin with `unseen` are measured and never learned from.
Needs numpy, scipy and scikit-learn. The same input gives the same weights.
"""
import argparse
import bisect
import collections
import json
import struct

import numpy
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

# The strength of the fit: the inverse of the regularisation.
STRENGTH = 40
# How much a sentence of a whole message weighs, beside one that was labelled by itself.
OF_MESSAGE = 0.6
# Features of fewer sentences are left out.
SEEN = 3
# Features of a smaller weight are left out.
LEAST_WEIGHT = 0.4
# A sentence admits from this likelihood on.
LIKELY = 0.75
# So many steps of a whole number make a weight of 1, up to the largest that a byte holds.
SCALE, LARGEST = 8, 127
# The buckets of features in the file, and how many bits of a feature tell it from others of its bucket.
N_BUCKETS, BITS = 1 << 12, 16


def rows(path):
    return [json.loads(line) for line in open(path, encoding="utf-8")]


def matrix(rows, known):
    """Each sentence has the length 1, however long it is. Features that are not known count for the length alone."""
    values, columns, ends = [], [], [0]
    for row in rows:
        mine = [known[feature] for feature in row["features"] if feature in known]
        columns.extend(mine)
        values.extend([len(row["features"]) ** -0.5] * len(mine))
        ends.append(len(columns))
    return csr_matrix((values, columns, ends), (len(rows), len(known)))


def weight(row):
    return OF_MESSAGE if row["of_message"] else 1


def fit(rows):
    """The weights of the features by their hashes, and the bias."""
    seen = collections.Counter(feature for row in rows for feature in row["features"])
    known = {feature: place for place, feature in enumerate(sorted(f for f, times in seen.items() if times >= SEEN))}
    labels = [int(row["label"]) for row in rows]
    model = LogisticRegression(C=STRENGTH, max_iter=3000)
    model.fit(matrix(rows, known), labels, sample_weight=[weight(row) for row in rows])
    weights = {feature: model.coef_[0][place] for feature, place in known.items()}
    return {feature: weight for feature, weight in weights.items() if abs(weight) >= LEAST_WEIGHT}, model.intercept_[0]


def whole(weights, bias):
    """The threshold, the bias and the weights as whole numbers of one scale."""
    likely = int(round(numpy.log(LIKELY / (1 - LIKELY)) * SCALE))
    rounded = {f: max(-LARGEST, min(LARGEST, int(round(weight * SCALE)))) for f, weight in weights.items()}
    return likely, int(round(bias * SCALE)), rounded


def reaches(row, least, weights):
    total = sum(weights.get(feature, 0) for feature in row["features"])
    return total >= least * len(row["features"]) ** 0.5


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("features")
    parser.add_argument("--write")
    arguments = parser.parse_args()
    all_rows = rows(arguments.features)
    unseen = [row for row in all_rows if row["set"].startswith("unseen")]
    learned = [row for row in all_rows if not row["set"].startswith("unseen")]
    print(len(learned), "sentences:", dict(collections.Counter((row["set"], row["label"]) for row in learned)))
    likely, bias, weights = whole(*fit(learned))
    print("threshold", likely, "bias", bias, "features", len(weights))
    for name in sorted({row["set"] for row in unseen}):
        mine = [row for row in unseen if row["set"] == name]
        all_of, others = sum(row["label"] == "1" for row in mine), sum(row["label"] == "0" for row in mine)
        said = [row["label"] for row in mine if reaches(row, likely - bias, weights)]
        right = said.count("1")
        print(f"{name}: precision {right / max(1, len(said)):.3f}, recall {right / all_of:.3f}, wrong {len(said) - right} of {others}")
    if arguments.write:
        features = sorted(weights)
        begins = [bisect.bisect_left(features, bucket << BITS) for bucket in range(N_BUCKETS + 1)]
        packed = struct.pack("<hh", likely, bias) + struct.pack(f"<{len(begins)}I", *begins)
        packed += struct.pack(f"<{len(features)}H", *(feature % (1 << BITS) for feature in features))
        packed += struct.pack(f"<{len(features)}b", *(weights[feature] for feature in features))
        with open(arguments.write, "wb") as file:
            file.write(packed)
        print(len(packed), "bytes")


if __name__ == "__main__":
    main()
