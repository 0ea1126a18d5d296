#!/usr/bin/env python3
"""Trains the learned reading of what a prompt demands (assets/demands.bin).

    CLOSEOUT_FEATURES=FILE cargo test --lib -- --ignored write_mentions
    python3 tests/corpus/train_demands.py FILE [--write assets/demands.bin]

FILE gets one line for each prompt of `tests/corpus/demands/*.txt` and one for each thing that one of its sentences mentions: its
set, its prompt, what the prompt demands, what is mentioned, whether it is demanded there, and the hashes of its features
(`learned_demand.rs`). Sets whose names begin with `unseen` are measured and never learned from.
"""
import collections

import linear_model

# The strength of the fit: the inverse of the regularisation.
STRENGTH = 10
# Features of fewer mentions are left out, and those of a smaller weight.
SEEN, LEAST_WEIGHT = 2, 0.25
# What is run in the work tree.
CHECKS = {"test", "lint", "types", "build", "call"}
# From this score on a mention is a demand.
DEMANDS = -0.1


def compared(found, wanted):
    """What was found and is not wanted, and what is wanted and was not found. A command is any check: people do not agree
    what it checks."""
    is_called = any(called for _, called in found)
    extra = {name for name, called in found if name not in wanted and not (called and wanted & CHECKS)}
    missed = {name for name in wanted - {name for name, _ in found} if not (is_called and name in CHECKS)}
    return extra, missed


def measure(rows, bias, weights):
    """Prints, by set and threshold, how many labels of prompts were found and how many of those found are right; how many of
    the prompts with a demand have one missed, and how many of the others have one found."""
    prompts = collections.defaultdict(list)
    for row in rows:
        prompts[row["set"], row["prompt"]].append(row)
    sets = sorted({name for name, _ in prompts})
    scores = {id(row): linear_model.score(row, bias, weights) for row in rows if row["features"]}
    for name in sets + ["all"]:
        for least in [None] + sorted({DEMANDS} | {0.25 * n for n in range(-4, 3)}):
            right = wrong = missing = n_demanding = n_missed = n_others = n_nagged = 0
            for (own, _), parts in prompts.items():
                if name not in (own, "all"):
                    continue
                wanted = set(parts[0]["labels"])
                if least is None:
                    found = {(row["found"], row["is_called"]) for row in parts if row["found"] and not row["features"]}
                else:
                    found = {(row["found"], row["is_called"]) for row in parts if scores.get(id(row), -9) >= least}
                extra, missed = compared(found, wanted)
                right, wrong, missing = right + len(found) - len(extra), wrong + len(extra), missing + len(missed)
                if wanted:
                    n_demanding, n_missed = n_demanding + 1, n_missed + bool(missed)
                else:
                    n_others, n_nagged = n_others + 1, n_nagged + bool(extra)
            precision, recall = right / max(1, right + wrong), right / max(1, right + missing)
            print(
                f"{name} {'program' if least is None else f'{least:.2f}'}: precision {precision:.2f}, recall {recall:.2f}; "
                f"missed {n_missed} of {n_demanding}, wrong {n_nagged} of {n_others}"
            )


def main():
    arguments, unseen, learned = linear_model.command_line(__doc__)
    learned = [row for row in learned if row["features"]]
    labels = [int(row["is_demand"]) for row in learned]
    print(len(learned), "mentions,", sum(labels), "demanded")
    bias, weights = linear_model.fit(learned, labels, [1] * len(learned), STRENGTH, SEEN, LEAST_WEIGHT)
    print("bias", bias, "features", len(weights))
    measure(unseen, bias, weights)
    if arguments.write:
        linear_model.write(arguments.write, (linear_model.fine(DEMANDS), 0, 0, bias), weights)


if __name__ == "__main__":
    main()
