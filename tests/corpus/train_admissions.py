#!/usr/bin/env python3
"""Trains the learned reading of admissions (assets/questions/admissions.bin).

    [CLOSEOUT_NATURAL=FOLDER] CLOSEOUT_FEATURES=FILE cargo test --lib -- --ignored write_sentences
    python3 tests/corpus/train_admissions.py FILE [--write assets/questions/admissions.bin]

FILE gets one line for each sentence of `tests/corpus/admissions/*.tsv`, of the reports in `tests/corpus/reports/*.txt`, and of
the messages in `tests/corpus/*.jsonl` (and in FOLDER, but for check.jsonl) that are labelled COMPLETE, and for each with a phrase of
an admission where something is open: its set, its message, whether it
admits something, and the hashes of its features (`admission_model.rs`). Sets whose names begin with `unseen` are measured and
never learned from.

A longer text has more sentences that could be misread, so each doubling of their number takes more to
admit; the same admission in a report of three sentences and in one of thirty is not as likely to be one.
What has a phrase of an admission needs far less, however long the text: of real sentences that have one most tell of what was mended.
`linear_model.py` says how the weights are fitted.
"""
import collections
import math

import numpy

import linear_model

# The strength of the fit: the inverse of the regularisation.
STRENGTH = 2
# How much a sentence of a whole message that is labelled COMPLETE weighs, and one of a report whose admissions are marked,
# beside one that was written by itself. The first two are what is read in life.
OF_MESSAGE, OF_REPORT = 2.5, 3
# And one of a real message that was not read, of which there are many more.
OF_UNREAD = 1
# Features of fewer sentences are left out.
SEEN = 3
# Features of a smaller weight are left out.
LEAST_WEIGHT = 0.25
# From these scores on a sentence admits, and may admit, in a text of one sentence, and what a text of twice as many adds.
ADMITS, MAY_ADMIT, DOUBLED = -0.75, -1.5, 0.35


def weight(row):
    # `looks` holds sentences of reports, too.
    is_of_report = row["in_report"] or row["set"] == "looks"
    if row["set"] == "unread":
        return OF_UNREAD
    return OF_MESSAGE if row["of_message"] else OF_REPORT if is_of_report else 1


def measure(rows, bias, weights):
    """Prints, by set, how many reports without an admission and how many with one reach each threshold."""
    reports = collections.defaultdict(list)
    for row in rows:
        reports[row["set"], row["message"]].append(row)
    best = collections.defaultdict(list)
    for (name, message), parts in reports.items():
        is_admitting = "I" in message if parts[0]["in_report"] else any(row["label"] == "1" for row in parts)
        doubled = math.floor(math.log2(len(parts) ** 8)) / 8
        highest = max(linear_model.score(row, bias, weights) for row in parts) - DOUBLED * doubled
        best[name, is_admitting].append(highest)
    for name in sorted({name for name, _ in best}):
        admitting, others = numpy.array(best[name, True]), numpy.array(best[name, False])
        for least in sorted({MAY_ADMIT, ADMITS} | {0.25 * n for n in range(-6, 4)}):
            missed, wrong = (admitting < least).sum(), (others >= least).sum()
            print(f"{name} {least:.2f}: missed {missed} of {len(admitting)}, wrong {wrong} of {len(others)}")


def main():
    arguments, unseen, learned = linear_model.command_line(__doc__)
    print(len(learned), "sentences:", dict(collections.Counter((row["set"], row["label"]) for row in learned)))
    labels = [int(row["label"]) for row in learned]
    bias, weights = linear_model.fit(learned, labels, [weight(row) for row in learned], STRENGTH, SEEN, LEAST_WEIGHT)
    print("bias", bias, "features", len(weights))
    measure(unseen, bias, weights)
    if arguments.write:
        head = [linear_model.fine(number) for number in (ADMITS, MAY_ADMIT, DOUBLED)]
        linear_model.write(arguments.write, (*head, bias), weights)


if __name__ == "__main__":
    main()
