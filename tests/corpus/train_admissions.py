#!/usr/bin/env python3
"""Trains the learned reading of admissions (assets/questions/admissions.bin).

    [CLOSEOUT_NATURAL=FOLDER] CLOSEOUT_FEATURES=FILE cargo test --lib -- --ignored write_sentences
    python3 tests/corpus/train_admissions.py FILE [--write assets/questions/admissions.bin]

FILE gets one line for each sentence of `tests/corpus/admissions/*.tsv`, of the reports in `tests/corpus/reports/*.txt`, and of
the messages in `tests/corpus/*.jsonl` (and in FOLDER/fit.jsonl) that are labelled COMPLETE: its set, its message, whether it
admits something, and the hashes of its features (`admission_model.rs`). Sets whose names begin with `unseen` are measured and
never learned from.

Each feature counts by how differently the two classes use it (the scaling of "NBSVM", Wang and Manning 2012), and then by a
logistic regression. A longer text has more sentences that could be misread, so each doubling of their number takes more to
admit; the same admission in a report of three sentences and in one of thirty is not as likely to be one.
Needs numpy, scipy and scikit-learn. The same input gives the same weights.
"""
import argparse
import bisect
import collections
import json
import math
import struct

import numpy
from scipy.sparse import csr_matrix, diags
from sklearn.linear_model import LogisticRegression

# The strength of the fit: the inverse of the regularisation.
STRENGTH = 2
# How much a sentence of a whole message that is labelled COMPLETE weighs, and one of a report whose admissions are marked,
# beside one that was written by itself. The first two are what is read in life.
OF_MESSAGE, OF_REPORT = 2.5, 3
# What is added to each feature's difference between the classes.
LEVEL = 0.8
# Features of fewer sentences are left out.
SEEN = 3
# Features of a smaller weight are left out.
LEAST_WEIGHT = 0.25
# From these scores on a sentence admits, and may admit, in a text of one sentence, and what a text of twice as many adds.
ADMITS, MAY_ADMIT, DOUBLED = -0.75, -1.5, 0.35
# So many steps of a whole number make a weight of 1, up to the largest that a byte holds; and so many more one of a score.
SCALE, LARGEST, FINE = 10, 127, 16
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
    # `looks` holds sentences of reports, too.
    is_of_report = row["in_report"] or row["set"] == "looks"
    return OF_MESSAGE if row["of_message"] else OF_REPORT if is_of_report else 1


def differences(sentences, labels, importance):
    """How differently the classes use each feature: the size of the logarithm of the ratio of its shares."""
    has = sentences > 0
    shares = []
    for label in (0, 1):
        is_of = labels == label
        times = 1 + has[is_of].T @ importance[is_of]
        shares.append(times / times.sum())
    return numpy.abs(numpy.log(shares[1] / shares[0])) + LEVEL


def fit(rows):
    """The weights of the features by their hashes, and the bias."""
    seen = collections.Counter(feature for row in rows for feature in row["features"])
    known = {feature: place for place, feature in enumerate(sorted(f for f, times in seen.items() if times >= SEEN))}
    labels = numpy.array([int(row["label"]) for row in rows])
    importance = numpy.array([weight(row) for row in rows])
    sentences = matrix(rows, known)
    scale = differences(sentences, labels, importance)
    model = LogisticRegression(C=STRENGTH, max_iter=3000)
    model.fit(sentences @ diags(scale), labels, sample_weight=importance)
    weights = {feature: model.coef_[0][place] * scale[place] for feature, place in known.items()}
    return {feature: weight for feature, weight in weights.items() if abs(weight) >= LEAST_WEIGHT}, model.intercept_[0]


def whole(weights, bias):
    """The bias and the weights as whole numbers."""
    rounded = {f: max(-LARGEST, min(LARGEST, int(round(weight * SCALE)))) for f, weight in weights.items()}
    return fine(bias), {feature: weight for feature, weight in rounded.items() if weight}


def fine(score):
    return int(round(score * SCALE * FINE))


def score(row, bias, weights):
    """The score of a sentence, as `admission_model.rs` computes it."""
    total = sum(weights.get(feature, 0) for feature in row["features"]) * FINE
    return (total / len(row["features"]) ** 0.5 + bias) / (SCALE * FINE)


def measure(rows, bias, weights):
    """Prints, by set, how many reports without an admission and how many with one reach each threshold."""
    reports = collections.defaultdict(list)
    for row in rows:
        reports[row["set"], row["message"]].append(row)
    best = collections.defaultdict(list)
    for (name, message), parts in reports.items():
        is_admitting = "I" in message if parts[0]["in_report"] else any(row["label"] == "1" for row in parts)
        doubled = math.floor(math.log2(len(parts) ** 8)) / 8
        highest = max(score(row, bias, weights) for row in parts) - DOUBLED * doubled
        best[name, is_admitting].append(highest)
    for name in sorted({name for name, _ in best}):
        admitting, others = numpy.array(best[name, True]), numpy.array(best[name, False])
        for least in sorted({MAY_ADMIT, ADMITS} | {0.25 * n for n in range(-6, 4)}):
            missed, wrong = (admitting < least).sum(), (others >= least).sum()
            print(f"{name} {least:.2f}: missed {missed} of {len(admitting)}, wrong {wrong} of {len(others)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("features")
    parser.add_argument("--write")
    arguments = parser.parse_args()
    all_rows = rows(arguments.features)
    unseen = [row for row in all_rows if row["set"].startswith("unseen")]
    learned = [row for row in all_rows if not row["set"].startswith("unseen")]
    print(len(learned), "sentences:", dict(collections.Counter((row["set"], row["label"]) for row in learned)))
    bias, weights = whole(*fit(learned))
    print("bias", bias, "features", len(weights))
    measure(unseen, bias, weights)
    if arguments.write:
        features = sorted(weights)
        begins = [bisect.bisect_left(features, bucket << BITS) for bucket in range(N_BUCKETS + 1)]
        packed = struct.pack("<4h", fine(ADMITS), fine(MAY_ADMIT), fine(DOUBLED), bias) + struct.pack(f"<{len(begins)}I", *begins)
        packed += struct.pack(f"<{len(features)}H", *(feature % (1 << BITS) for feature in features))
        packed += struct.pack(f"<{len(features)}b", *(weights[feature] for feature in features))
        with open(arguments.write, "wb") as file:
            file.write(packed)
        print(len(packed), "bytes")


if __name__ == "__main__":
    main()
