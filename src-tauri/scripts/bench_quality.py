#!/usr/bin/env python3
"""How good what Keepsake proposes and finds is, as one table.

usage: bench_quality.py KEEPSAKE [EVALS]

EVALS is a folder with `extraction/` (labelled messages with run.py and score.py), `locomo/` (conversations as Keepsake JSONL, questions
with the ids of the lines that answer them, observations about who speaks) and `household/` (a whole life, with score.py); any may be
missing. Other data of the same shape does as well. Figures come with a 95 % interval: of a bootstrap over items or questions, drawn with
a fixed seed, so that the same data gives the same table; of the household, whose scorer counts, of the proportion (Wilson).
Search is measured twice: with vectors, and by words alone as before there are any. How the reader's figures grow with its training text
stands in `training/curve.tsv`, where it was measured; it is printed, not measured again.
"""

import importlib.util
import collections
import json
import math
import os
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

SEED = 7
DRAWS = 1_000
HITS = 50
CURVE = Path(__file__).resolve().parents[1] / "training" / "curve.tsv"


def rows(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8-sig").splitlines() if line.strip()]


def interval(units, figure):
    """The figure over all units, and the middle 95 % of it over draws with replacement."""
    dice = random.Random(SEED)
    drawn = sorted(figure([dice.choice(units) for _ in units]) for _ in range(DRAWS))
    return figure(units), drawn[int(DRAWS * 0.025)], drawn[int(DRAWS * 0.975)]


def run(keepsake, *args, data, model=True, **more):
    environment = dict(os.environ)
    if not model:
        # An empty folder: there is no model in it.
        environment["KEEPSAKE_MODEL_DIR"] = str(Path(data) / "no-model")
    done = subprocess.run([keepsake, "--data-dir", data, *args], env=environment, capture_output=True, text=True, **more)
    if done.returncode:
        sys.exit(f"keepsake {args[0]} failed: {done.stderr.strip()[-400:]}")
    return done.stdout


def extraction(keepsake, folder):
    spec = importlib.util.spec_from_file_location("score", folder / "score.py")
    score = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(score)
    items = rows(folder / "dev.jsonl")
    done = subprocess.run([sys.executable, folder / "run.py", folder / "dev.jsonl", keepsake], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr.strip()[-400:])
    by_id = {}
    for line in filter(str.strip, done.stdout.splitlines()):
        prediction = json.loads(line)
        by_id.setdefault(prediction["id"], []).append(prediction)
    tallies, kinds = [], collections.defaultdict(list)
    for item in items:
        total, empty, _, _ = score.score([item], by_id)
        tallies.append((total.tp, total.fp, total.fn, total.cat, empty.items, empty.items - empty.items_fp))
        if item["genre"] == "multilingual":
            kinds["multilingual", "items in other languages"].append(tallies[-1])
        if item["traps"] and item["gold"]:
            kinds["mixed", "items that mix a trap and facts"].append(tallies[-1])
    total = lambda units, at: sum(unit[at] for unit in units)
    yield "extraction", "precision", "proposed facts that are labelled ones", len(items), interval(tallies, lambda u: share(total(u, 0), total(u, 0) + total(u, 1)))
    yield "extraction", "recall", "labelled facts that were proposed", len(items), interval(tallies, lambda u: share(total(u, 0), total(u, 0) + total(u, 2)))
    yield "extraction", "category", "found facts with the right category", len(items), interval(tallies, lambda u: share(total(u, 3), total(u, 0)))
    for (kind, meaning), units in kinds.items():
        yield kind, "precision", f"of {meaning}", len(units), interval(units, lambda u: share(total(u, 0), total(u, 0) + total(u, 1)))
        yield kind, "recall", f"of {meaning}", len(units), interval(units, lambda u: share(total(u, 0), total(u, 0) + total(u, 2)))
    yield "extraction", "left empty", "items without a fact of which nothing was proposed", len(items), interval(tallies, lambda u: share(total(u, 5), total(u, 4)))


def share(a, b):
    return 100 * a / b if b else float("nan")


def observations(keepsake, folder):
    """What somebody noted of the speakers: whether the line it rests on has a candidate about the right one."""
    units = []
    for path in sorted(folder.glob("*.observations.jsonl")):
        lines = (folder / path.name.replace(".observations", "")).read_text(encoding="utf-8")
        messages = [json.loads(line) for line in lines.splitlines() if line.strip()]
        with tempfile.TemporaryDirectory() as data:
            found = [json.loads(line) for line in run(keepsake, "extract", "--json", data=data, input=lines).splitlines() if line.strip()]
        noted = [(one["subject"].casefold(), set(one["evidence"])) for one in rows(path)]
        said = collections.defaultdict(set)
        for candidate in found:
            said[candidate["subject"].casefold()] |= {span["message"] for span in candidate["evidence"]}
        for subject, evidence in noted:
            units.append(("noted", bool(evidence & said[subject]), 0))
        for candidate in found:
            lies = any(subject == candidate["subject"].casefold() and any(span["message"] in evidence for span in candidate["evidence"])
                       for subject, evidence in noted)
            units.append(("candidate", lies, 0))
        units += [("message", False, 0)] * len(messages)
    of = lambda units, kind: [hit for name, hit, _ in units if name == kind]
    yield "observations", "found", "noted facts whose line has a candidate about the right person", len(of(units, "noted")), interval(
        units, lambda u: share(sum(of(u, "noted")), len(of(u, "noted"))))
    yield "observations", "on a line", "candidates that lie on a noted line", len(of(units, "candidate")), interval(
        units, lambda u: share(sum(of(u, "candidate")), len(of(u, "candidate"))))
    yield "observations", "a message", "candidates for a hundred messages", len(of(units, "message")), interval(
        units, lambda u: share(len(of(u, "candidate")), len(of(u, "message"))))


def wilson(hits, count):
    """A proportion's 95 % interval, in percent."""
    z, p = 1.96, hits / count
    middle, half = p + z * z / (2 * count), z * math.sqrt(p * (1 - p) / count + z * z / (4 * count * count))
    return tuple(max(0.0, min(100.0, 100 * (middle + side * half) / (1 + z * z / count))) for side in (-1, 1))


def household(keepsake, folder):
    """The counts that its own scorer prints, each with the interval of the proportion; what is none is printed as it stands."""
    done = subprocess.run([sys.executable, folder / "score.py", keepsake], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr.strip()[-400:])
    for line in done.stdout.splitlines():
        part, _, rest = line.partition(" | ")
        measure, _, value = rest.rpartition(" | ")
        if not measure or measure.strip() == "measure":
            continue
        counts = [(int(a), int(b)) for a, b in re.findall(r"(\d+)/(\d+)", value) if int(a) <= int(b) and int(b)]
        for name, (hits, count) in zip(("precision", "recall") if " R " in value else [""] * len(counts), counts):
            yield part.strip(), name, measure.strip(), count, (share(hits, count), *wilson(hits, count))
        if not counts:
            yield part.strip(), "", f"{measure.strip()}: {value.strip()}", 0, None


def search(keepsake, folder):
    names = sorted(path.name.removesuffix(".questions.jsonl") for path in folder.glob("*.questions.jsonl"))
    for label, with_model in (("search", True), ("words alone", False)):
        units = []
        for name in names:
            questions = rows(folder / f"{name}.questions.jsonl")
            with tempfile.TemporaryDirectory() as data:
                run(keepsake, "import", str(folder / f"{name}.jsonl"), data=data, model=with_model)
                if with_model:
                    run(keepsake, "run-jobs", "--until-idle", data=data)
                asked = "".join(json.dumps({"id": q["id"], "query": q["query"]}) + "\n" for q in questions)
                answers = run(keepsake, "search", "--batch", "-k", str(HITS), data=data, model=with_model, input=asked)
            found = {answer["id"]: answer["hits"] for answer in map(json.loads, answers.splitlines())}
            for question in questions:
                wanted = set(question["evidence"])
                units.append({k: len(wanted & set(found.get(question["id"], [])[:k])) / len(wanted) for k in (1, 5, 10, 50)})
        for k in (1, 5, 10, 50):
            yield label, f"R@{k}", f"lines that answer, among the first {k}", len(units), interval(units, lambda u: 100 * sum(x[k] for x in u) / len(u))


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__.splitlines()[2])
    keepsake, evals = sys.argv[1], Path(sys.argv[2] if len(sys.argv) == 3 else "../shared/evals")
    locomo = evals / "locomo"
    parts = [(extraction, evals / "extraction"), (observations, locomo), (search, locomo), (household, evals / "household")]
    parts = [(measure, folder) for measure, folder in parts if folder.is_dir()]
    if not parts:
        sys.exit(f"{evals} holds neither extraction/ nor locomo/ nor household/; name a folder that does: make bench-quality EVALS=DIR")
    print(f"{'':<12} {'figure':<11} {'%':>6}  {'95 % interval':<15} {'n':>5}  what it is", flush=True)
    for measure, folder in parts:
        for group, name, meaning, count, figures in measure(keepsake, folder):
            value, low, high = figures or (None, None, None)
            shown = f"{value:6.1f}  {low:6.1f} – {high:<6.1f} {count:>5}" if figures else " " * 29
            print(f"{group:<12} {name:<11} {shown}  {meaning}", flush=True)
    print(f"Intervals: bootstrap over items or questions, {DRAWS} draws, seed {SEED}; the household's of the proportion.")
    if CURVE.is_file():
        print(f"\nThe reader by the amount of its training text ({CURVE.name}, measured on authors held out):")
        print(CURVE.read_text(encoding="utf-8").expandtabs(14), end="")


if __name__ == "__main__":
    main()
