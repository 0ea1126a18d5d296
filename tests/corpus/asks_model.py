"""The learned reading of single sentences: which of them the turn waits for (assets/questions/asks.bin).

It learns from sentences: each that is marked as asking in `tests/corpus/asks/*.txt`, and all sentences of messages that await
nothing. Where only a message is known to ask, the sentence that asks is found in two rounds: first the last one that the
rules read so, then the one that the first round finds likeliest; those far below it do not ask. `linear_model.py` says how
the weights are fitted.
"""
import math

import linear_model

# The strength of the fit: the inverse of the regularisation.
STRENGTH = 2
# Features of fewer sentences are left out, and those of a smaller weight.
SEEN, LEAST_WEIGHT = 3, 0.25
# How much a sentence counts, by where its message was written.
WEIGHTS = {"marked": 2, "unread": 2, "read": 1, "worlds": 1, "made": 0.3}
# A sentence that scores so much less than the highest of its message does not ask, in steps of `linear_model.fine`.
FAR = linear_model.fine(3)


def fit(rows):
    """The weights of features, from messages."""
    parts = [(row, sentence) for row in rows for sentence in row["sentences"]]
    known = [(sentence, label, WEIGHTS[row["set"]]) for row, sentence in parts if (label := first(row, sentence)) is not None]
    weights = weights_of(known)
    for row in rows:
        if is_unknown(row):
            scores = [score(sentence, weights) for sentence in row["sentences"]]
            highest = max(scores)
            for sentence, its_score in zip(row["sentences"], scores):
                is_far = its_score < highest - FAR and not sentence["reads"]
                sentence["found"] = True if its_score == highest else False if is_far else None
    known = [(sentence, label, WEIGHTS[row["set"]]) for row, sentence in parts if (label := second(sentence)) is not None]
    return weights_of(known)


def is_unknown(row):
    return bool(row["sentences"]) and row["sentences"][0]["asks"] is None


def first(row, sentence):
    """Whether a sentence asks, for the first round."""
    if not is_unknown(row):
        return sentence["asks"]
    last = [one for one in row["sentences"] if one["reads"]][-1:]
    return True if any(sentence is one for one in last) else None


def second(sentence):
    return sentence["found"] if sentence["asks"] is None else sentence["asks"]


def weights_of(known):
    sentences, labels, importance = zip(*known)
    _, weights = linear_model.fit(sentences, [int(label) for label in labels], importance, STRENGTH, SEEN, LEAST_WEIGHT)
    return weights


def score(sentence, weights):
    """The score of a sentence, as `ask_model.rs` computes it."""
    features = sentence["features"]
    total = sum(weights.get(feature, 0) for feature in features) * linear_model.FINE
    size = math.isqrt(total * total // max(1, len(features)))
    return size if total > 0 else -size


def numbers(row, weights):
    """The numbers of a message that `features.rs` makes of these scores."""
    lowest, highest = -32768, 32767
    scores = [score(sentence, weights) for sentence in row["sentences"]]
    if not scores:
        return [lowest, lowest, 0, lowest]
    most = max(range(len(scores)), key=lambda at: (scores[at], at))
    others = scores[:most] + scores[most + 1:]
    cut = lambda score: min(score, highest)
    return [cut(scores[most]), cut(max(others)) if others else lowest, len(scores) - 1 - most, cut(scores[-1])]


def write(path, weights):
    linear_model.write(path, (0, 0, 0, 0), weights)
