#!/usr/bin/env python3
"""Pairs of statements of one person: what the later one makes of the earlier (pairs/MARKING.md).

usage: pairs.py --check [FILE...]

Prints malformed lines and counts. Deliberately not here: what a message says (`parse.py`).
"""
import collections
import pathlib
import random
import sys

import numpy as np

FOLDER = pathlib.Path(__file__).resolve().parent / "pairs"
CHANGES = ("replaces", "same", "both", "keeps")  # the order of the network's output; that a promise is kept is learnt from lives alone
SIGNS = {">": "replaces", "=": "same", "+": "both"}
# Pairs of promises were marked before "keeps" was told apart, so `>` says there that a promise is settled: kept, or fallen away.
OF_PROMISES, SETTLES = ("14", "21"), "settles"
CODES = (*CHANGES, SETTLES)  # what is taught, as a number
HELD_OUT = ("10",)  # by file, as with the text
# Beside each, so often, its later statement after one that has nothing to do with it. Written pairs are near each other, and a network
# that saw no others tells a change by the sound of the later statement alone ("sold it this morning"): without them, one in nine
# of unrelated pairs was a replacement.
STRANGERS = 1

LEAST = (0.4, 0.5, 0.6, 0.7, 0.8, 0.9)  # probabilities at which is measured

Pair = collections.namedtuple("Pair", "file language change earlier later")


def parse(paths=None):
    """(pairs, faults) of the files."""
    found, faults = [], []
    for path in sorted(paths or FOLDER.glob("*.txt")):
        language = "English"
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if not line.strip():
                continue
            if line.startswith("#"):
                name = line.lstrip("# ").split()[:1]
                language = name[0].rstrip(":,.") if name and name[0][0].isupper() and name[0].rstrip(":,.") in LANGUAGES else language
                continue
            sign, _, rest = line.partition(" ")
            earlier, arrow, later = rest.partition(" => ")
            if sign not in SIGNS or not arrow or not earlier.strip() or not later.strip() or " => " in later:
                faults.append((path.name, number, "is not `SIGN earlier => later`"))
                continue
            change = SETTLES if sign == ">" and path.name.startswith(OF_PROMISES) else SIGNS[sign]
            found.append(Pair(path.name, language, change, earlier.strip(), later.strip()))
    return found, faults


LANGUAGES = frozenset(
    "English German French Spanish Italian Portuguese Dutch Polish Swedish Turkish Japanese Russian Mixed".split()
)


def split(pairs):
    """(training, held out), by file."""
    return [p for p in pairs if not p.file.startswith(HELD_OUT)], [p for p in pairs if p.file.startswith(HELD_OUT)]


def turned(pair):
    """The pair the other way round, where that means the same."""
    return pair if pair.change in ("replaces", SETTLES) else pair._replace(earlier=pair.later, later=pair.earlier)


def statement_row(turns, tokens, change=None):
    """The row of the last of some turns, (role, text) each; what it makes of the first is all that it teaches."""
    import data

    targets = None
    if change is not None:
        count = min(len(tokens(turns[-1][1])[0]), data.MESSAGE)
        nothing = np.full(count, data.UNKNOWN)
        targets = data.Targets(nothing, nothing, nothing, np.full((count, len(data.SIGNS)), -1.0), np.full((count, len(data.LABELS)), -1.0),
                               data.UNKNOWN, data.UNKNOWN, change)
    return data.rows(turns, len(turns) - 1, len(turns), tokens, lambda at, window: targets)[0]


def row(pair, tokens, role="owner"):
    """The row of a pair: the later statement as the message, the earlier one as the turn before it. It teaches the change alone."""
    return statement_row([(role, pair.earlier), (role, pair.later)], tokens, CODES.index(pair.change))


def strangers(pairs, rng):
    """Each later statement after one of another pair: both stand."""
    others = [rng.choice(pairs) for _ in pairs]
    return [
        pair._replace(change="both", earlier=rng.choice((other.earlier, other.later)))
        for pair, other in zip(pairs, others)
        if other is not pair
    ]


def training_rows(pairs, tokens, rng):
    """The row of each pair, turned round or not, said by the owner or by others; and of strangers."""
    some = [turned(pair) if rng.random() < 0.5 else pair for pair in pairs]
    for _ in range(STRANGERS if pairs else 0):
        some += strangers(list(pairs), rng)
    return [row(pair, tokens, rng.choice(("owner", "owner", "person"))) for pair in some]


def infer(rows, words, run):
    """Probabilities of the changes of each row, in order; `run` of the graphs compares (`export.Runner.compare`)."""
    import network

    todo = sorted(enumerate(rows), key=lambda item: len(item[1].ids))
    out = np.zeros((len(rows), len(CHANGES)), np.float32)
    for at in range(0, len(todo), 32):
        some = todo[at : at + 32]
        found = run(*network.collate([row for _, row in some], words))["change"]
        out[[i for i, _ in some]] = [found[k, row.messages[0].role] for k, (_, row) in enumerate(some)]
    return out


def report(pairs, found):
    """Prints, of each change, precision and recall over thresholds."""
    wanted = np.array([CHANGES.index(pair.change) for pair in pairs])
    print(f"{len(pairs)} pairs of authors not trained on: {(found.argmax(1) == wanted).mean():.2f} right")
    for k, change in enumerate(CHANGES[:3]):
        cells = []
        for least in LEAST:
            said = found[:, k] >= least
            hits = (said & (wanted == k)).sum()
            cells.append(f"{least}: P {hits / max(1, said.sum()):.2f} R {hits / max(1, (wanted == k).sum()):.2f}")
        print(f"{change:9} ({(wanted == k).sum()})  " + "   ".join(cells))


def main():
    paths = [pathlib.Path(p) for p in sys.argv[1:] if p != "--check"]
    found, faults = parse(paths or None)
    for file, number, reason in faults:
        print(f"{file}:{number}: {reason}")
    for file in sorted({p.file for p in found}):
        counts = collections.Counter(p.change for p in found if p.file == file)
        print(f"{file:30} " + "  ".join(f"{change} {counts[change]}" for change in (*SIGNS.values(), SETTLES)))
    print(f"{len(found)} pairs, {len(faults)} malformed lines")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
