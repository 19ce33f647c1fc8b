#!/usr/bin/env python3
"""How good what Keepsake proposes and finds is, as one table.

usage: bench_quality.py KEEPSAKE [EVALS]

EVALS is a folder with `extraction/` (labelled messages with run.py and score.py) and `locomo/` (conversations as Keepsake JSONL, questions
with the ids of the lines that answer them, score.py); either may be missing. Other data of the same shape does as well. Figures come
with a 95 % interval of a bootstrap over items or questions, drawn with a fixed seed, so that the same data gives the same table.
Search is measured twice: with vectors, and by words alone as before there are any.
"""

import importlib.util
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

SEED = 7
DRAWS = 1_000
HITS = 50


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
    tallies = []
    for item in items:
        total, empty, _, _ = score.score([item], by_id)
        tallies.append((total.tp, total.fp, total.fn, total.cat, empty.items, empty.items - empty.items_fp))
    total = lambda units, at: sum(unit[at] for unit in units)
    share = lambda a, b: 100 * a / b if b else float("nan")
    yield "extraction", "precision", "proposed facts that are labelled ones", len(items), interval(tallies, lambda u: share(total(u, 0), total(u, 0) + total(u, 1)))
    yield "extraction", "recall", "labelled facts that were proposed", len(items), interval(tallies, lambda u: share(total(u, 0), total(u, 0) + total(u, 2)))
    yield "extraction", "category", "found facts with the right category", len(items), interval(tallies, lambda u: share(total(u, 3), total(u, 0)))
    yield "extraction", "left empty", "items without a fact of which nothing was proposed", len(items), interval(tallies, lambda u: share(total(u, 5), total(u, 4)))


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
    parts = [(extraction, evals / "extraction"), (search, evals / "locomo")]
    parts = [(measure, folder) for measure, folder in parts if folder.is_dir()]
    if not parts:
        sys.exit(f"{evals} holds neither extraction/ nor locomo/; name a folder that does: make bench-quality EVALS=DIR")
    print(f"{'':<12} {'figure':<11} {'%':>6}  {'95 % interval':<15} {'n':>5}  what it is", flush=True)
    for measure, folder in parts:
        for group, name, meaning, count, (value, low, high) in measure(keepsake, folder):
            print(f"{group:<12} {name:<11} {value:6.1f}  {low:6.1f} – {high:<6.1f} {count:>5}  {meaning}", flush=True)
    print(f"Intervals: bootstrap over items or questions, {DRAWS} draws, seed {SEED}.")


if __name__ == "__main__":
    main()
