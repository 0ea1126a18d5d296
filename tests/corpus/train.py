#!/usr/bin/env python3
"""Trains the learned part of the questions judge: the reading of single sentences (assets/questions/asks.bin) and the trees
(assets/questions/trees.bin).

    CLOSEOUT_NATURAL=FOLDER CLOSEOUT_FEATURES=FILE cargo test --lib -- --ignored write_features
    python3 tests/corpus/train.py FILE --base TREES [--write FOLDER]

FOLDER holds labelled last messages of real agents, which are other people's words and no part of the repository: those in
`fit.jsonl` were read and the rules were mended for them, all others were not; `check.jsonl` is left alone.
FILE gets one line for each message: its set, group, label, the numbers of `features.rs`, and its sentences with the features
of `ask_model.rs`. Figures and certainty come from cross-validation by repository (`group`) on the unread messages: where the
rules were mended with the messages in sight, they are right more often than they are among strangers, and trees that are
fitted and measured there trust them too much. The scores of sentences that the trees learn from come from cross-validation,
too. The last words of finished scenarios are learned from, so that no change makes them ask. The set `unseen` is measured and never learned from.
The trees of `--base` stay, and further ones are fitted to what they leave: the messages behind them need not be at hand. The
further ones change a label only if all trees together lead it by LEAD. Both tell how certain an ask or finished work is;
those of `--base` alone tell that something is unfinished, and how certain that is.
Needs numpy, scipy, scikit-learn and lightgbm. The same input gives the same trees.
"""
import argparse
import itertools
import struct

import lightgbm
import numpy

import asks_model
import linear_model

LABELS = ("AWAITING_RESPONSE", "COMPLETE", "INCOMPLETE")
SCALE = 256
# How much a message weighs, by where it comes from. Those for which the rules were mended weigh less than those that met the
# rules as a stranger's do.
WEIGHTS = {"unread": 2, "marked": 1, "read": 0.3, "worlds": 0.3, "made": 0.1}
# Messages drawn at random weigh as they occur; the others were chosen because they ask, stop or fail.
RANDOM_WEIGHT, CHOSEN_WEIGHT = 1.5, 0.75
ROUNDS = 250
# All trees together lead the label of those of `--base` by so much before they change it.
LEAD = 192
# How much the lead of all trees counts beside that of those of `--base` when it is told how certain a label is.
ALL_WEIGH = 2
# Where the numbers of `asks_model.py` stand among those of a message.
ASKS = slice(92, 96)
# From this score on a sentence asks where the rules read nothing (`ask_model.rs`).
CLEAR = 128
FOLDS = 5
PARAMETERS = dict(
    objective="multiclass", num_class=3, learning_rate=0.06, num_leaves=6, min_data_in_leaf=20,
    feature_fraction=0.3, bagging_fraction=0.7, bagging_freq=1, lambda_l2=5, seed=1, num_threads=1,
    deterministic=True, force_row_wise=True, verbose=-1,
)
# How a turn ends that delivers nothing.
CUT_ENDS = ("tool_call", "interrupted", "error", "limit")
# Labels of high certainty are right so often, and those of each kind so often; one of at least medium certainty is right so
# often at its margin. The ambiguous messages count, too.
HIGH, HIGH_OF_EACH, MEDIUM = 0.972, 0.965, 0.70
# From this margin on, the trees' label stands against a question of the rules (`correction.rs`).
SURE = 256
# So many judgements at an edge are looked at.
WINDOW = 40


def deal(rows):
    """Deals the messages out by their repositories, or by their texts where these are all from here."""
    groups = sorted({str(row.get("group") or row["id"]) for row in rows})
    numpy.random.RandomState(1).shuffle(groups)
    place = {group: number % FOLDS for number, group in enumerate(groups)}
    for row in rows:
        row["fold"] = place[str(row.get("group") or row["id"])]


def put_asks(row, weights):
    for field in ("numbers", "full"):
        row[field][ASKS] = asks_model.numbers(row, weights)


def score_sentences(rows, unseen):
    """Gives each message the scores of its sentences by weights that were fitted without it. Returns those fitted to all."""
    for number in range(FOLDS):
        weights = asks_model.fit([row for row in rows if row["fold"] != number])
        for row in rows:
            if row["fold"] == number:
                put_asks(row, weights)
    weights = asks_model.fit(rows)
    for row in unseen:
        put_asks(row, weights)
    return weights


def train(rows, base):
    """Each real message counts once by its text alone and, where more is known, half of it by all that is known."""
    values, labels, weights = [], [], []
    for row in rows:
        known = row["full"] != row["numbers"]
        weight = WEIGHTS[row["set"]]
        if row["set"] in ("read", "unread"):
            weight *= RANDOM_WEIGHT if row["random"] else CHOSEN_WEIGHT
        for features in (row["numbers"], row["full"]) if known else (row["numbers"],):
            values.append(features)
            labels.append(LABELS.index(row["label"]))
            weights.append(weight / 2 if known else weight)
    before = numpy.array([scores(*base, features) for features in values]) / SCALE
    data = lightgbm.Dataset(numpy.array(values, dtype=float), labels, weight=weights, init_score=before)
    return whole(base, lightgbm.train(PARAMETERS, data, ROUNDS))


def whole(base, booster):
    """The trees with whole numbers, behind those of `base`: where each begins, and their nodes (feature or leaf, value,
    right child)."""
    starts, nodes = list(base[0]), list(base[1])

    def add(tree):
        at = len(nodes)
        if "leaf_value" in tree:
            nodes.append((0xFFFF, round(tree["leaf_value"] * SCALE), 0))
            return
        nodes.append(None)
        # Features are whole numbers: "at most 3.5" is "at most 3".
        threshold = int(numpy.floor(tree["threshold"]))
        add(tree["left_child"])
        right = len(nodes)
        add(tree["right_child"])
        nodes[at] = (tree["split_feature"], max(-32768, min(32767, threshold)), right)

    for tree in booster.dump_model()["tree_info"]:
        starts.append(len(nodes))
        add(tree["tree_structure"])
    return starts, nodes


def scores(starts, nodes, features):
    sums = [0, 0, 0]
    for number, node in enumerate(starts):
        while nodes[node][0] != 0xFFFF:
            feature, value, right = nodes[node]
            node = node + 1 if features[feature] <= value else right
        sums[number % 3] += nodes[node][1]
    return sums


def best(sums):
    return max(range(3), key=lambda label: (sums[label], label))


def lead(sums, label):
    return sums[label] - max(sums[other] for other in range(3) if other != label)


def judged(base, trees, features):
    """The label, its lead, its margin, and its level where the margin does not decide (2 for high certainty), as
    `correction.rs` finds them."""
    first, sums = scores(*base, features), scores(*trees, features)
    said, other = best(first), best(sums)
    is_contested = other != said and "INCOMPLETE" not in (LABELS[said], LABELS[other])
    if is_contested and sums[other] - sums[said] >= LEAD:
        return other, lead(sums, other), 0, 1
    more = 0 if LABELS[said] == "INCOMPLETE" else ALL_WEIGH * lead(sums, said)
    return said, lead(first, said), lead(first, said) + more, None


def concluded(row, field, said, ahead, margin, level):
    """What `label.rs` makes of the trees' judgement: some labels of the rules hold, it takes a sentence to ask, and a cut turn
    delivers nothing."""
    gives_way = row["rules"] == "AWAITING_RESPONSE" and ahead >= SURE
    if row["holds"] and LABELS[said] != row["rules"] and not gives_way:
        said, level = LABELS.index(row["rules"]), 1
    if LABELS[said] == "AWAITING_RESPONSE" != row["rules"] and row[field][ASKS][0] < CLEAR:
        said, level = LABELS.index(row["rules"]), 0
    if field == "full" and LABELS[said] == "COMPLETE" and row.get("end") in CUT_ENDS:
        said = LABELS.index("INCOMPLETE")
    return said, margin, level


def judge(base, trees, rows, out):
    """Adds the judgements of these trees on messages that they were not fitted to."""
    for row in rows:
        for field in out:
            out[field].append((row, *concluded(row, field, *judged(base, trees, row[field]))))


def cross_validate(rows, base):
    """For each message a judgement by its text, and by all that is known, of trees that did not see its repository."""
    out = {"numbers": [], "full": []}
    for number in range(FOLDS):
        trees = train([row for row in rows if row["fold"] != number], base)
        judge(base, trees, [row for row in rows if row["fold"] == number], out)
    return out


def kept(path):
    """The trees of a file that judge first, where each begins, and their nodes; and from where on it is of high and of medium
    certainty that something is unfinished. Further trees behind them are left out, so that they are not fitted twice."""
    with open(path, "rb") as file:
        packed = file.read()
    numbers = [number for number, in struct.iter_unpack("<h", packed)]
    starts, rest = numbers[14:14 + numbers[1]], numbers[14 + numbers[1]:]
    nodes = [(rest[at] & 0xFFFF, rest[at + 1], rest[at + 2]) for at in range(0, len(rest), 3)]
    starts, end = starts[:numbers[2]], starts[numbers[2]] if numbers[2] < len(starts) else len(nodes)
    return (starts, nodes[:end]), (numbers[7], numbers[10])


def figures(pairs):
    right = sum(gold == said for gold, said in pairs)
    hit = sum(gold == said == 0 for gold, said in pairs)
    precision = hit / max(1, sum(said == 0 for _, said in pairs))
    recall = hit / max(1, sum(gold == 0 for gold, _ in pairs))
    f1 = 2 * precision * recall / max(1e-9, precision + recall)
    return f"n {len(pairs)} P {precision:.3f} R {recall:.3f} F1 {f1:.3f} three classes {right / len(pairs):.3f}"


def margins(judgements):
    """The margins that decide how certain a label is, with whether it is right, greatest first."""
    decide = ((margin, LABELS.index(row["label"]) == said) for row, said, margin, level in judgements if level is None)
    return sorted(decide, reverse=True)


def high_bounds(judgements):
    """For asks and finished work the margin from which they are of high certainty, so that the most are let in of which so
    many are right."""
    steps = []
    for label in range(2):
        mine = margins(one for one in judgements if one[1] == label)
        right = numpy.cumsum([is_right for _, is_right in mine])
        ends = range(WINDOW, len(mine) + 1, 9)
        steps.append([(mine[end - 1][0], end, right[end - 1]) for end in ends if right[end - 1] >= HIGH_OF_EACH * end])
    most, bounds = 0, [32767] * 2
    for choice in itertools.product(*steps):
        covered = sum(end for _, end, _ in choice)
        if covered > most and sum(right for _, _, right in choice) >= HIGH * covered:
            most, bounds = covered, [margin for margin, _, _ in choice]
    return bounds


def medium_bound(judgements, label):
    """The margin from which a label is of medium certainty."""
    mine = margins(one for one in judgements if one[1] == label)
    for start in range(0, max(1, len(mine) - WINDOW), 5):
        part = mine[start:start + WINDOW]
        if sum(is_right for _, is_right in part) / len(part) < MEDIUM:
            return part[len(part) // 2][0]
    return 0


def of_set(judgements, name, is_clear=False):
    return [one for one in judgements if one[0]["set"] == name and not (is_clear and one[0].get("ambiguous"))]


def pairs(judgements):
    return [(LABELS.index(row["label"]), said) for row, said, *_ in judgements]


def level_of(limits, judgement):
    _, said, margin, level = judgement
    return sum(margin >= limit for limit in limits[said]) if level is None else level


def report(judged_by, limits):
    for field, judgements in judged_by.items():
        for what, part in (("all", of_set(judgements, "unread")), ("clear", of_set(judgements, "unread", True))):
            print(f"{field} {what:<5}", figures(pairs(part)))
            for number, name in ((2, "high"), (1, "medium"), (0, "low")):
                mine = [one for one in part if level_of(limits, one) == number]
                right = sum(one == other for one, other in pairs(mine))
                print(f"  {name:<6} covers {len(mine) / len(part):.3f}, right {right / max(1, len(mine)):.3f}")
            ranked = margins(part)
            shares = [(share, ranked[:len(ranked) * share // 100]) for share in range(10, 101, 10)]
            print("  right in the most certain", *(f"{share} %: {sum(ok for _, ok in top) / len(top):.3f}" for share, top in shares))
    for name in ("read", "made", "worlds", "marked", "unseen"):
        print(f"{name:<7}", figures(pairs(of_set(judged_by["numbers"], name, True))))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("features")
    parser.add_argument("--base", required=True)
    parser.add_argument("--write")
    arguments = parser.parse_args()
    rows = linear_model.rows(arguments.features)
    unseen = [row for row in rows if row["set"] == "unseen"]
    rows = [row for row in rows if row["set"] != "unseen"]
    base, unfinished = kept(arguments.base)
    deal(rows)
    weights = score_sentences(rows, unseen)
    trees, judged_by = train(rows, base), cross_validate(rows, base)
    known = of_set(judged_by["full"], "unread")
    # A question of low certainty blocks nothing, so there only real messages tell; they have few finished ones that are not.
    mixed = known + of_set(judged_by["full"], "marked")
    medium = [medium_bound(known, 0), medium_bound(mixed, 1)]
    limits = [(high, min(high, bound)) for high, bound in zip(high_bounds(known), medium)] + [unfinished]
    print("certainty begins at", limits)
    judge(base, trees, unseen, judged_by)
    report(judged_by, limits)
    starts, nodes = trees
    print(len(starts), "trees,", len(nodes), "nodes")
    if arguments.write:
        count = len(rows[0]["numbers"])
        head = [count, len(starts), len(base[0]), LEAD, 0, *(limit[0] for limit in limits), *(limit[1] for limit in limits), 0, 0, 0]
        numbers = [*head, *starts, *(number for node in nodes for number in node)]
        packed = b"".join(struct.pack("<H", number & 0xFFFF) for number in numbers)
        with open(f"{arguments.write}/trees.bin", "wb") as file:
            file.write(packed)
        print(len(packed), "bytes")
        asks_model.write(f"{arguments.write}/asks.bin", weights)


if __name__ == "__main__":
    main()
