#!/usr/bin/env python3
"""Fits the weights by which a context serves a message for a question, and shows what each threshold serves.

usage: fit_context.py KEEPSAKE FOLDER   (in the training environment)

FOLDER holds lives as `training/lives.py --write FOLDER` writes them: none that the sentence encoder was trained on. Each is brought into a
store of its own by the program KEEPSAKE; `search --batch --explain` then tells what spoke for the first messages of each question. A
message helps if it is marked needed or useful; harmful ones teach nothing, since only time tells them apart.

What the layers that judge make of the first of them is worked out here, with the graph in `training/reader`.

Every life is left out in turn for the tables; the weights printed last are of all together, for relevance.rs.
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

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "training"))
import data  # noqa: E402
import export  # noqa: E402
import fit_search  # noqa: E402
import judge  # noqa: E402
import lives  # noqa: E402
import sentences  # noqa: E402

CONSIDERED = 60  # FOUND_MESSAGES in relevance.rs
SERVED, JUDGED = 8, 16  # LINES_MAX and JUDGED_MAX there
PENALTY, ROUNDS = 1e-3, 400
MEANING, BEFORE, AFTER = 5, 7, 8  # places among the cues: cosines of a message, and of those right before and after it


def search_weights():
    text = fit_search.TARGET.read_text()
    return [float(x) for x in re.findall(r"-?\d+\.\d+", text[text.index("WITH_VECTORS") : text.index("WORDS_ALONE")])]


def asked(keepsake, folder, name, weights):
    """For each question: (kind, evidence, [(cues of a message, 1 helps, 0 does not, None harmful; whether needed; its number)])."""
    questions = fit_search.rows(folder / f"{name}.questions.jsonl")
    with tempfile.TemporaryDirectory() as data:
        run = lambda *args, **more: subprocess.run([keepsake, "--data-dir", data, *args], env=dict(os.environ), check=True, capture_output=True, text=True, **more).stdout
        run("import", str(folder / f"{name}.jsonl"))
        run("run-jobs", "--until-idle")
        answers = run("search", "--batch", "--explain", "-k", str(CONSIDERED), input="".join(json.dumps({"id": q["id"], "query": q["query"]}) + "\n" for q in questions))
    found = {answer["id"]: answer for answer in map(json.loads, answers.splitlines())}
    out = []
    for q in questions:
        lines = []
        for rank, (hit, cues) in enumerate(zip(found[q["id"]]["hits"], found[q["id"]]["cues"])):
            helps = None if hit in q["harmful"] else float(hit in q["evidence"] or hit in q["useful"])
            around = max(cues[BEFORE], cues[AFTER], 0.0)
            lines.append(([max(cues[MEANING], 0.0), sum(map(float.__mul__, weights, cues)), math.log1p(rank), around], helps, hit in q["evidence"], hit))
        out.append((q["kind"], len(q["evidence"]), lines))
    return out


def judged(questions, life, fitted, trunk, tokens):
    """The likeliest messages of each question, with what the graph makes of them as one more cue."""
    place, rows, out = {str(line.number): i for i, line in enumerate(life.lines)}, [], []
    for ask, (kind, evidence, lines) in zip(life.asks, questions):
        lines = sorted(lines, key=lambda line: -probability(fitted, line[0]))[:JUDGED]
        rows += judge.rows(life, ask, [place[number] for *_, number in lines], tokens)
        out.append((kind, evidence, lines))
    odds = iter([float(judge.odds(scores)) for scores in sentences.of_graph(export.FOLDER / export.JUDGE, rows, trunk)])
    return [(kind, evidence, [([*cues, next(odds)], *rest) for cues, *rest in lines]) for kind, evidence, lines in out]


def fit(lives):
    """Logistic regression by gradient descent on scaled cues: (bias, weights)."""
    items = [(line[0], line[1]) for life in lives for _, _, lines in life for line in lines if line[1] is not None]
    width = len(items[0][0])
    mean = [sum(x[k] for x, _ in items) / len(items) for k in range(width)]
    spread = [math.sqrt(sum((x[k] - mean[k]) ** 2 for x, _ in items) / len(items)) or 1.0 for k in range(width)]
    scaled = [([1.0, *((x[k] - mean[k]) / spread[k] for k in range(width))], y) for x, y in items]
    w, m, v = [0.0] * (width + 1), [0.0] * (width + 1), [0.0] * (width + 1)
    for step in range(1, ROUNDS + 1):
        gradient = [0.0, *(PENALTY * x for x in w[1:])]
        for x, y in scaled:
            off = (1 / (1 + math.exp(-sum(map(float.__mul__, w, x)))) - y) / len(scaled)
            for k, cue in enumerate(x):
                gradient[k] += off * cue
        for k, g in enumerate(gradient):
            m[k], v[k] = 0.9 * m[k] + 0.1 * g, 0.99 * v[k] + 0.01 * g * g
            w[k] -= 0.05 * (m[k] / (1 - 0.9**step)) / (math.sqrt(v[k] / (1 - 0.99**step)) + 1e-9)
    weights = [w[k + 1] / spread[k] for k in range(width)]
    return w[0] - sum(a * b for a, b in zip(weights, mean)), weights


def probability(fitted, cues):
    return 1 / (1 + math.exp(-(fitted[0] + sum(map(float.__mul__, fitted[1], cues)))))


def table(lives, fitted_of):
    """Of tasks: the share of what is needed, the share of lines that help, harmful lines, and empty tasks with more than three lines."""
    for least in (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5):
        needed = hits = served = helps = harmful = loud = tasks = lines_all = 0
        for life, fitted in zip(lives, fitted_of):
            for kind, evidence, lines in life:
                if kind != "task":
                    continue
                found = sorted(((probability(fitted, x), y, is_needed) for x, y, is_needed, *_ in lines), key=lambda one: -one[0])[:SERVED]
                found = [one for one in found if one[0] >= least]
                tasks, lines_all = tasks + 1, lines_all + len(found)
                if not evidence:
                    loud += len(found) > 3
                    continue
                needed, hits, served = needed + evidence, hits + sum(one[2] for one in found), served + len(found)
                helps, harmful = helps + sum(one[1] == 1 for one in found), harmful + sum(one[1] is None for one in found)
        print(f"  from {least:.2f}: needed {hits / needed:.2f}, lines that help {helps / max(1, served):.2f}, harmful {harmful}, "
              f"empty tasks with more than three lines {loud}, {lines_all / tasks:.1f} lines a task")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("keepsake")
    parser.add_argument("folder", type=Path)
    args = parser.parse_args()
    names = sorted(path.name.removesuffix(".questions.jsonl") for path in args.folder.glob("*.questions.jsonl"))
    if not names:
        sys.exit(f"{args.folder} holds no NAME.questions.jsonl")
    weights = search_weights()
    found = [asked(args.keepsake, args.folder, name, weights) for name in names]

    def left_out_in_turn(lives):
        return [fit([life for other, life in enumerate(lives) if other != at]) for at in range(len(lives))]

    fitted_of = left_out_in_turn(found)
    table(found, fitted_of)
    trunk, marked = sentences.Trunk(), {life.file.removesuffix(".txt"): life for life in lives.parse()[0]}
    tokens = data.Tokens(trunk.tokenizer)
    read = [judged(life, marked[name], fitted, trunk, tokens) for life, name, fitted in zip(found, names, fitted_of)]
    print("judged as well:")
    table(read, left_out_in_turn(read))
    for name, some, cues in (("OF_LINE", found, [0, 1, 2, 3]), ("OF_WORDING", found, [0]), ("OF_JUDGED", read, [0, 1, 2, 3, 4])):
        cut = [[(kind, evidence, [([x[k] for k in cues], *rest) for x, *rest in lines]) for kind, evidence, lines in life] for life in some]
        bias, fitted = fit(cut)
        print(f"{name}: bias {bias:.2f}, each {[round(w, 2) for w in fitted]}")


if __name__ == "__main__":
    main()
