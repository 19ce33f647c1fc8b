#!/usr/bin/env python3
"""What somebody asks, and statements that are known: what each does for the answer (asks/MARKING.md).

usage: asks.py --check [FILE...]

Prints malformed lines and counts. Deliberately not here: what a message says (`parse.py`), what a later statement changes (`pairs.py`).
"""
import collections
import pathlib
import random
import sys

import numpy as np

import pairs

FOLDER = pathlib.Path(__file__).resolve().parent / "asks"
HELPS = ("needed", "useful", "nothing")  # the order of the network's output
SIGNS = {"!": "needed", "+": "useful", "-": "nothing"}
HELD_OUT = ("10",)  # by file, as with the text
# Beside each block, so often, one statement of another block: most that is known has nothing to do with what is asked.
STRANGERS = 3

Ask = collections.namedtuple("Ask", "file language block ask statement help")


def parse(paths=None):
    """(asks, faults) of the files: one an ask and statement, in order; `block` numbers what is asked."""
    found, faults, block = [], [], 0
    for path in sorted(paths or FOLDER.glob("*.txt")):
        language, ask = "English", None
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            sign, _, text = line.partition(" ")
            text = text.strip()
            if not line.strip():
                ask = None
            elif line.startswith("#"):
                name = line.lstrip("# ").split()[:1]
                language = name[0].rstrip(":,.") if name and name[0].rstrip(":,.") in pairs.LANGUAGES else language
            elif sign == "?" and text:
                ask, block = text, block + 1
            elif sign in SIGNS and text and ask:
                found.append(Ask(path.name, language, block, ask, text, SIGNS[sign]))
            else:
                faults.append((path.name, number, "is neither `? ask` nor, below one, `! + - statement`"))
    return found, faults


def split(asks):
    """(training, held out), by file."""
    return [a for a in asks if not a.file.startswith(HELD_OUT)], [a for a in asks if a.file.startswith(HELD_OUT)]


def row(ask, tokens):
    """The row of an ask: the statement as the message, what is asked as the turn before it. It teaches the help alone."""
    return pairs.statement_row(ask.ask, ask.statement, "owner", tokens)._replace(help=HELPS.index(ask.help))


def strangers(asks, rng):
    """Of each ask some statements of others, which hardly ever help."""
    found = []
    for first in {ask.block: ask for ask in asks}.values():
        for _ in range(STRANGERS):
            other = rng.choice(asks)
            if other.block != first.block:
                found.append(first._replace(statement=other.statement, help="nothing"))
    return found


def training_rows(asks, tokens, rng):
    """(row, the same) of each, and of strangers."""
    return [(made, made) for made in (row(ask, tokens) for ask in [*asks, *(strangers(asks, rng) if asks else [])])]


def infer(asks, words, tokens, run):
    """Probabilities of the help, one row an ask, in order; `run` as in measure.infer."""
    return pairs.infer_head("help", len(HELPS), [row(ask, tokens) for ask in asks], words, run)


def report(asks, found):
    """Prints, over thresholds of "needed or useful", how many of what is needed is kept, and how much of what is kept helps."""
    wanted = np.array([HELPS.index(ask.help) for ask in asks])
    score = 1 - found[:, HELPS.index("nothing")]
    print(f"{len(asks)} asks and statements of an author not trained on: {(found.argmax(1) == wanted).mean():.2f} right")
    for least in pairs.LEAST:
        kept = score >= least
        idle = len({a.block for a in asks} - {a.block for a, k in zip(asks, kept) if k})
        print(f"  {least}: of the needed {(kept & (wanted == 0)).sum() / max(1, (wanted == 0).sum()):.2f}, of the useful "
              f"{(kept & (wanted == 1)).sum() / max(1, (wanted == 1).sum()):.2f}; of what is kept {(kept & (wanted < 2)).sum() / max(1, kept.sum()):.2f} "
              f"helps; {idle} of {len({a.block for a in asks})} asks get nothing")


def main():
    paths = [pathlib.Path(p) for p in sys.argv[1:] if p != "--check"]
    found, faults = parse(paths or None)
    for file, number, reason in faults:
        print(f"{file}:{number}: {reason}")
    for file in sorted({a.file for a in found}):
        some = [a for a in found if a.file == file]
        counts = collections.Counter(a.help for a in some)
        print(f"{file:30} {len({a.block for a in some})} asks  " + "  ".join(f"{help_} {counts[help_]}" for help_ in HELPS))
    print(f"{len(found)} statements, {len(faults)} malformed lines")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
