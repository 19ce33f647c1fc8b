#!/usr/bin/env python3
"""Fits the weights by which search orders messages, from questions with known answers.

usage: fit_search.py KEEPSAKE FOLDER [--write]

FOLDER holds pairs NAME.jsonl (Keepsake JSONL) and NAME.questions.jsonl, one object a line with "id", "query" and "evidence" (ids of
messages), such as `training/lives.py --write FOLDER` writes. A question without evidence teaches nothing. Each conversation is brought into a store of its own by the program KEEPSAKE, with its vectors; `search --batch --explain`
then tells what spoke for each candidate. The weights make the evidence likely among the candidates (a softmax over each question, with
a penalty on large weights), once with vectors and once by words alone.

Every conversation is first left out in turn: weights fitted on the others are tried on it, and those are the figures that are printed.
Then all are fitted together, and with --write they replace src-tauri/crates/retrieval/src/weights.rs. Nothing of the data is kept.
Only Python's own library is used; a fit takes some minutes.
"""

import argparse
import json
import math
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

CANDIDATES = 200  # as many as the program reads for one question
PENALTY = 0.02
ROUNDS = 250
TARGET = Path(__file__).resolve().parents[1] / "crates" / "retrieval" / "src" / "weights.rs"


def rows(path):
    return [json.loads(line) for line in path.read_text().splitlines() if line.strip()]


def candidates(keepsake, folder, name, with_vectors):
    """For each question: the ids found, their cues, and the ids wanted."""
    environment = dict(os.environ)
    if not with_vectors:
        environment["KEEPSAKE_MODEL_DIR"] = "/nonexistent"
    questions = rows(folder / f"{name}.questions.jsonl")
    asked = "".join(json.dumps({"id": q["id"], "query": q["query"]}) + "\n" for q in questions)
    with tempfile.TemporaryDirectory() as data:
        run = lambda *args, **more: subprocess.run([keepsake, "--data-dir", data, *args], env=environment, check=True, capture_output=True, text=True, **more).stdout
        run("import", str(folder / f"{name}.jsonl"))
        if with_vectors:
            run("run-jobs", "--until-idle")
        answers = run("search", "--batch", "--explain", "-k", str(CANDIDATES), input=asked)
    found = {a["id"]: a for a in map(json.loads, answers.splitlines())}
    return [(found[q["id"]]["hits"], found[q["id"]]["cues"], set(q["evidence"])) for q in questions if q["evidence"]]


def fit(folds):
    """Adam on the mean negative log-likelihood of the evidence; cues are scaled to a common spread first."""
    items = []
    for hits, cues, wanted in (item for fold in folds for item in fold):
        target = [1.0 if hit in wanted else 0.0 for hit in hits]
        total = sum(target)
        if total:
            items.append((cues, [t / total for t in target]))
    width = len(items[0][0][0])
    count = sum(len(cues) for cues, _ in items)
    mean = [sum(c[k] for cues, _ in items for c in cues) / count for k in range(width)]
    spread = [math.sqrt(sum((c[k] - mean[k]) ** 2 for cues, _ in items for c in cues) / count) for k in range(width)]
    used = [k for k in range(width) if spread[k] > 1e-6]
    scaled = [([[c[k] / spread[k] for k in used] for c in cues], target) for cues, target in items]
    weights, m, v = [0.0] * len(used), [0.0] * len(used), [0.0] * len(used)
    for step in range(1, ROUNDS + 1):
        gradient = [PENALTY * w for w in weights]
        for cues, target in scaled:
            scores = [sum(map(float.__mul__, weights, c)) for c in cues]
            top = max(scores)
            likely = [math.exp(s - top) for s in scores]
            total = sum(likely)
            for c, p, t in zip(cues, likely, target):
                off = p / total - t
                if abs(off) > 1e-4:
                    share = off / len(scaled)
                    for k, x in enumerate(c):
                        gradient[k] += share * x
        rate = 0.1 if step < ROUNDS * 0.6 else 0.02
        for k, g in enumerate(gradient):
            m[k] = 0.9 * m[k] + 0.1 * g
            v[k] = 0.99 * v[k] + 0.01 * g * g
            weights[k] -= rate * (m[k] / (1 - 0.9**step)) / (math.sqrt(v[k] / (1 - 0.99**step)) + 1e-9)
    full = [0.0] * width
    for k, w in zip(used, weights):
        full[k] = w / spread[k]
    return full


def recall(fold, weights, k):
    shares = []
    for hits, cues, wanted in fold:
        order = sorted(range(len(hits)), key=lambda i: -sum(w * x for w, x in zip(weights, cues[i])))
        shares.append(len(wanted & {hits[i] for i in order[:k]}) / min(k, len(wanted)))
    return shares


def rust(name, weights):
    lines = ",\n".join("    " + ", ".join(f"{w:.3f}" for w in weights[at : at + 8]) for at in range(0, len(weights), 8))
    return f"pub(crate) const {name}: [f32; {len(weights)}] = [\n{lines},\n];\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("keepsake")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    names = sorted(path.name.removesuffix(".questions.jsonl") for path in args.folder.glob("*.questions.jsonl"))
    if not names:
        sys.exit(f"{args.folder} holds no NAME.questions.jsonl")
    fitted = {}
    for label, with_vectors in (("WITH_VECTORS", True), ("WORDS_ALONE", False)):
        folds = [candidates(args.keepsake, args.folder, name, with_vectors) for name in names]
        print(f"{label}: fraction of evidence found, each conversation by weights fitted on the others")
        everything = {k: [] for k in (1, 5, 10, 50)}
        for at, name in enumerate(names):
            weights = fit([fold for other, fold in enumerate(folds) if other != at] or folds)
            shares = {k: recall(folds[at], weights, k) for k in everything}
            for k, found in shares.items():
                everything[k].extend(found)
            print(f"  {name:<12}", "  ".join(f"R@{k} {100 * sum(s) / len(s):.1f}" for k, s in shares.items()), flush=True)
        print(f"  {'all':<12}", "  ".join(f"R@{k} {100 * sum(s) / len(s):.1f}" for k, s in everything.items()), flush=True)
        fitted[label] = fit(folds)
    if args.write:
        version = int(re.search(r"VERSION: u32 = (\d+)", TARGET.read_text()).group(1)) + 1
        head = TARGET.read_text().split("/// Grows")[0]
        text = f"{head}/// Grows with every fit that is kept.\npub const VERSION: u32 = {version};\n\n"
        TARGET.write_text(text + "\n".join(rust(name, weights) for name, weights in fitted.items()))
        subprocess.run(["rustfmt", "--config", "max_width=130", "--edition", "2024", str(TARGET)], check=False)
        print(f"wrote version {version} to {TARGET}")


if __name__ == "__main__":
    main()
