#!/usr/bin/env python3
"""Trains the learned correction of the questions judge (assets/questions/trees.bin).

    CLOSEOUT_NATURAL=READ CLOSEOUT_FEATURES=FILE cargo test --lib -- --ignored write_features
    CLOSEOUT_NATURAL=UNREAD CLOSEOUT_FEATURES=OTHER cargo test --lib -- --ignored write_features
    python3 tests/corpus/train.py FILE OTHER [--base TREES [--keep]] [--write assets/questions/trees.bin]

READ and UNREAD hold labelled last messages of real agents, which are other people's words and no part of the repository;
a file `check.jsonl` in them is left alone. The rules were mended for the messages in READ, and not for those in UNREAD.
FILE and OTHER get one line for each message: its set, group, label, and the numbers of `features.rs`.
Figures and certainty come from cross-validation by repository (`group`) on the unread messages: where the rules were
mended with the messages in sight, they are right more often than they are among strangers, and trees that are fitted and
measured there trust them too much.
With `--base` the trees of a file stay, and further ones are fitted to what they leave: the messages behind them need not be
at hand. With `--keep` there are no further ones, and their certainty is measured on messages that they were not fitted to.
Needs numpy and lightgbm. The same input gives the same trees.
"""
import argparse
import itertools
import json
import struct

import lightgbm
import numpy

LABELS = ("AWAITING_RESPONSE", "COMPLETE", "INCOMPLETE")
SCALE = 256
# Messages that were written for this project, among which the rules were made, weigh less than unread ones.
MADE_WEIGHT = 0.3
# Messages for which the rules were mended weigh less than those that met the rules as a stranger's do.
READ_WEIGHT, UNREAD_WEIGHT = 0.3, 2
# Messages drawn at random weigh as they occur; the others were chosen because they ask, stop or fail.
RANDOM_WEIGHT, CHOSEN_WEIGHT = 1.5, 0.75
ROUNDS = 90
PARAMETERS = dict(
    objective="multiclass", num_class=3, learning_rate=0.06, num_leaves=6, min_data_in_leaf=20,
    feature_fraction=0.3, bagging_fraction=0.7, bagging_freq=1, lambda_l2=5, seed=1, num_threads=1,
    deterministic=True, force_row_wise=True, verbose=-1,
)
# How a turn ends that delivers nothing.
CUT_ENDS = ("tool_call", "interrupted", "error", "limit")
# Labels of high certainty are right so often, those of each kind so often, and that something is unfinished so often;
# one of at least medium certainty is right so often at its margin. All messages count, the ambiguous ones too.
HIGH, HIGH_OF_EACH, HIGH_OF_UNFINISHED, MEDIUM = 0.972, 0.965, 0.985, 0.70
# From this margin on, the trees' label stands against a question of the rules (`correction.rs`).
SURE = 256
# The repositories are dealt out so many times.
SEEDS = 1
# So many judgements at an edge are looked at.
WINDOW = 40


def messages(path):
    rows = [json.loads(line) for line in open(path, encoding="utf-8")]
    natural = [row for row in rows if row["set"] == "natural"]
    made = [row for row in rows if row["set"] == "made"]
    return natural, made


def train(read, unread, made, base):
    """Each real message counts once by its text alone and, where more is known, half of it by all that is known."""
    values, labels, weights = [], [], []
    for row, times in [(row, READ_WEIGHT) for row in read] + [(row, UNREAD_WEIGHT) for row in unread]:
        known = row["full"] != row["text"]
        weight = times * (RANDOM_WEIGHT if row["random"] else CHOSEN_WEIGHT)
        for features in (row["text"], row["full"]) if known else (row["text"],):
            values.append(features)
            labels.append(LABELS.index(row["label"]))
            weights.append(weight / 2 if known else weight)
    for row in made:
        values.append(row["text"])
        labels.append(LABELS.index(row["label"]))
        weights.append(MADE_WEIGHT)
    before = numpy.array([scores(*base, features) for features in values]) / SCALE if base[0] else None
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


def judged(sums):
    best = max(range(3), key=lambda label: (sums[label], label))
    return best, sums[best] - max(sums[label] for label in range(3) if label != best)


def folds(natural, seed):
    groups = sorted({row["group"] for row in natural})
    numpy.random.RandomState(seed).shuffle(groups)
    place = {group: number % 5 for number, group in enumerate(groups)}
    return [place[row["group"]] for row in natural]


def concluded(row, field, said, margin):
    """What `label.rs` makes of the trees' judgement: some labels of the rules hold, and a cut turn delivers nothing."""
    gives_way = row["rules"] == "AWAITING_RESPONSE" and margin >= SURE
    if row["holds"] and LABELS[said] != row["rules"] and not gives_way:
        said, margin = LABELS.index(row["rules"]), 0
    if field == "full" and LABELS[said] == "COMPLETE" and row["end"] in CUT_ENDS:
        said = LABELS.index("INCOMPLETE")
    return said, margin


def cross_validate(read, unread, made, base):
    """For each unread message a judgement by its text, and by all that is known, of trees that did not see its
    repository."""
    out = {"text": [], "full": []}
    for seed in range(SEEDS):
        fold = folds(unread, seed)
        for number in range(5):
            seen = [row for row, at in zip(unread, fold) if at != number]
            unseen = {row["group"] for row, at in zip(unread, fold) if at == number}
            others = [row for row in read if row["group"] not in unseen]
            starts, nodes = train(others, seen, made, base)
            for row, at in zip(unread, fold):
                for field in out if at == number else ():
                    judgement = judged(scores(starts, nodes, row[field]))
                    out[field].append((row, *concluded(row, field, *judgement)))
    return out


def kept(path):
    """The trees of a file that `main` wrote: where each begins, and their nodes."""
    with open(path, "rb") as file:
        packed = file.read()
    numbers = [number for number, in struct.iter_unpack("<h", packed)]
    starts, rest = numbers[14:14 + numbers[1]], numbers[14 + numbers[1]:]
    nodes = [(rest[at] & 0xFFFF, rest[at + 1], rest[at + 2]) for at in range(0, len(rest), 3)]
    return starts, nodes


def judge(starts, nodes, unread):
    """The judgements of trees that were not fitted to these messages."""
    return {
        field: [(row, *concluded(row, field, *judged(scores(starts, nodes, row[field])))) for row in unread]
        for field in ("text", "full")
    }


def figures(pairs):
    right = sum(gold == said for gold, said in pairs)
    hit = sum(gold == said == 0 for gold, said in pairs)
    precision = hit / max(1, sum(said == 0 for _, said in pairs))
    recall = hit / max(1, sum(gold == 0 for gold, _ in pairs))
    f1 = 2 * precision * recall / max(1e-9, precision + recall)
    return f"n {len(pairs)} P {precision:.3f} R {recall:.3f} F1 {f1:.3f} three classes {right / len(pairs):.3f}"


def margins(judgements):
    """The margins with whether the label is right, greatest first."""
    return sorted(((margin, LABELS.index(row["label"]) == said) for row, said, margin in judgements), reverse=True)


def high_bounds(judgements):
    """For each label the margin from which it is of high certainty, so that the most labels are let in of which so many
    are right. What was said to be unfinished has a bound of its own, since such words of high certainty speak against
    a commit: the lowest at which so many of its labels are right."""
    steps = []
    for label in range(3):
        mine = margins(one for one in judgements if one[1] == label)
        right = numpy.cumsum([is_right for _, is_right in mine])
        ends = range(WINDOW, len(mine) + 1, 9)
        steps.append([(mine[end - 1][0], end, right[end - 1]) for end in ends if right[end - 1] >= HIGH_OF_EACH * end])
    steps[2] = [step for step in steps[2] if step[2] >= HIGH_OF_UNFINISHED * step[1]][-1:]
    most, bounds = 0, [32767] * 3
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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("read")
    parser.add_argument("unread")
    parser.add_argument("--base")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--write")
    arguments = parser.parse_args()
    read, made = messages(arguments.read)
    unread, _ = messages(arguments.unread)
    base = kept(arguments.base) if arguments.base else ([], [])
    gold = lambda row: LABELS.index(row["label"])
    rules = [(gold(row), LABELS.index(row["rules"])) for row in unread]
    print("rules alone", figures(rules))
    judged_by = judge(*base, unread) if arguments.keep else cross_validate(read, unread, made, base)
    known = judged_by["full"]
    limits = [(high, min(high, medium_bound(known, label))) for label, high in enumerate(high_bounds(known))]
    level = lambda said, margin: sum(margin >= limit for limit in limits[said])
    for field, judgements in judged_by.items():
        for what, part in (("all", judgements), ("clear", [one for one in judgements if not one[0]["ambiguous"]])):
            print(f"{field} {what:<5}", figures([(gold(row), said) for row, said, _ in part]))
            for number, name in ((2, "high"), (1, "medium"), (0, "low")):
                mine = [(gold(row), said) for row, said, margin in part if level(said, margin) == number]
                right = sum(one == other for one, other in mine)
                print(f"  {name:<6} covers {len(mine) / len(part):.3f}, right {right / max(1, len(mine)):.3f}")
            ranked = margins(part)
            shares = [(share, ranked[:len(ranked) * share // 100]) for share in range(10, 101, 10)]
            print("  right in the most certain", *(f"{share} %: {sum(ok for _, ok in top) / len(top):.3f}" for share, top in shares))
    starts, nodes = base if arguments.keep else train(read, unread, made, base)
    print(len(starts), "trees,", len(nodes), "nodes")
    if arguments.write:
        count = len(unread[0]["text"])
        head = [count, len(starts), 0, 0, 0, *(limit[0] for limit in limits), *(limit[1] for limit in limits), 0, 0, 0]
        numbers = [*head, *starts, *(number for node in nodes for number in node)]
        packed = b"".join(struct.pack("<H", number & 0xFFFF) for number in numbers)
        with open(arguments.write, "wb") as file:
            file.write(packed)
        print(len(packed), "bytes")


if __name__ == "__main__":
    main()
