"""What the learned readings have in common: how they are fitted, and the file that `src/judge/linear_model.rs` reads.

Each feature counts by how differently the two classes use it (the scaling of "NBSVM", Wang and Manning 2012), and then by a
logistic regression. Needs numpy, scipy and scikit-learn. The same input gives the same weights.
"""
import argparse
import bisect
import collections
import json
import struct

import numpy
from scipy.sparse import csr_matrix, diags
from sklearn.linear_model import LogisticRegression

# What is added to each feature's difference between the classes.
LEVEL = 0.8
# So many steps of a whole number make a weight of 1, up to the largest that a byte holds; and so many more one of a score.
SCALE, LARGEST, FINE = 10, 127, 16
# The buckets of features in the file, and how many bits of a feature tell it from others of its bucket.
N_BUCKETS, BITS = 1 << 12, 16


def rows(path):
    return [json.loads(line) for line in open(path, encoding="utf-8")]


def command_line(description):
    """The arguments of a trainer, and the rows that are only measured and those that are learned from."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("features")
    parser.add_argument("--write")
    arguments = parser.parse_args()
    unseen, learned = [], []
    for row in rows(arguments.features):
        (unseen if row["set"].startswith("unseen") else learned).append(row)
    return arguments, unseen, learned


def matrix(rows, known):
    """Each row has the length 1, however many features it has. Features that are not known count for the length alone."""
    values, columns, ends = [], [], [0]
    for row in rows:
        mine = [known[feature] for feature in row["features"] if feature in known]
        columns.extend(mine)
        values.extend([len(row["features"]) ** -0.5] * len(mine))
        ends.append(len(columns))
    return csr_matrix((values, columns, ends), (len(rows), len(known)))


def differences(matrix, labels, importance):
    """How differently the classes use each feature: the size of the logarithm of the ratio of its shares."""
    has = matrix > 0
    shares = []
    for label in (0, 1):
        is_of = labels == label
        times = 1 + has[is_of].T @ importance[is_of]
        shares.append(times / times.sum())
    return numpy.abs(numpy.log(shares[1] / shares[0])) + LEVEL


def fit(rows, labels, importance, strength, seen, least_weight):
    """The bias and the weights of the features by their hashes, as whole numbers. Features of fewer than `seen` rows or of a
    smaller weight are left out; `strength` is the inverse of the regularisation."""
    times = collections.Counter(feature for row in rows for feature in row["features"])
    known = {feature: place for place, feature in enumerate(sorted(f for f, n in times.items() if n >= seen))}
    labels, importance = numpy.array(labels), numpy.array(importance)
    read = matrix(rows, known)
    scale = differences(read, labels, importance)
    model = LogisticRegression(C=strength, max_iter=3000)
    model.fit(read @ diags(scale), labels, sample_weight=importance)
    weights = {feature: model.coef_[0][place] * scale[place] for feature, place in known.items()}
    rounded = {
        feature: max(-LARGEST, min(LARGEST, int(round(weight * SCALE))))
        for feature, weight in weights.items()
        if abs(weight) >= least_weight
    }
    return fine(model.intercept_[0]), {feature: weight for feature, weight in rounded.items() if weight}


def fine(score):
    return int(round(score * SCALE * FINE))


def score(row, bias, weights):
    """The score of a row, as `linear_model.rs` computes it."""
    total = sum(weights.get(feature, 0) for feature in row["features"]) * FINE
    return (total / len(row["features"]) ** 0.5 + bias) / (SCALE * FINE)


def write(path, head, weights):
    """Writes the model, with these four numbers at its head."""
    features = sorted(weights)
    begins = [bisect.bisect_left(features, bucket << BITS) for bucket in range(N_BUCKETS + 1)]
    packed = struct.pack("<4h", *head) + struct.pack(f"<{len(begins)}I", *begins)
    packed += struct.pack(f"<{len(features)}H", *(feature % (1 << BITS) for feature in features))
    packed += struct.pack(f"<{len(features)}b", *(weights[feature] for feature in features))
    with open(path, "wb") as file:
        file.write(packed)
    print(len(packed), "bytes")
