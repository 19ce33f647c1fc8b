#!/usr/bin/env python3
"""Calibrates a trained reader on authors held out, and measures it on others and on a set in the evaluation's format.

usage: measure.py WEIGHTS.pt|FOLDER --calibration OUT.json [--set FILE.jsonl] [--threads N]

A span found is right when it overlaps a marked one of the same label that no better span has taken (facts: any
category). Calibration turns a span's raw score s into the probability that it is right: sigmoid(a · logit(s) + b), with
a and b for each label and for English and other languages apart. Fitted on the files of data.CALIBRATION; everything
printed is measured on other authors.
"""
import argparse
import collections
import json
import math
import random
import re
import types

import numpy as np
import torch

import data
import encoder
import network
import pairs
import parse

LOW = 0.3  # a token at so much or more belongs to a span
BEGIN = 0.5  # a B at so much or more begins a new one
ENOUGH = 60  # spans that a calibration of its own needs; with fewer, a label uses both languages' together
BINS = 10
BATCH = 16  # rows at a time
GROUPS = ("english", "other")


def runner(net):
    """A function of the three inputs that answers the network's probabilities by head as arrays."""
    return torch.no_grad()(lambda *inputs: {name: x.cpu().numpy() for name, x in network.probabilities(net(*inputs)).items()})


@torch.no_grad()
def infer(net, words, tokens, examples, run=None):
    """Of each example: probabilities by head, over the whole message, and the tokens' places.

    `run` takes the network's place: a function of the three inputs that answers probabilities by head as arrays.
    """
    run = run or runner(net)
    number = {id(example): i for i, example in enumerate(examples)}
    todo = []
    for talk in data.conversations(examples):
        for start, end in data.segments(talk.turns):
            if any(at in talk.examples for at in range(start, end)):
                todo += [(talk, row) for row in data.rows(talk.turns, start, end, tokens)]
    todo.sort(key=lambda item: len(item[1].ids))
    parts = collections.defaultdict(list)
    for at in range(0, len(todo), BATCH):
        some = todo[at : at + BATCH]
        found = run(*network.collate([row for _, row in some], words))
        for k, (talk, row) in enumerate(some):
            for part in row.messages:
                if part.at in talk.examples:
                    s = slice(part.role + 1, part.role + 1 + part.length)
                    scores = {name: x[k, s] if name in network.TOKEN_HEADS else x[k, part.role] for name, x in found.items()}
                    parts[number[id(talk.examples[part.at])]].append((part, scores))
    return [join(parts[i]) for i in range(len(examples))]


def join(windows):
    """One message of its windows: tokens in two of them get the mean, the message's own the largest fact's window."""
    windows.sort(key=lambda item: item[0].first)
    if len(windows) == 1:
        return windows[0][1], windows[0][0].places
    length = windows[-1][0].first + windows[-1][0].length
    best = max((found for _, found in windows), key=lambda found: found["kind"][0])
    out, places = {name: best[name] for name in network.MESSAGE_HEADS}, [None] * length
    for name, size in network.TOKEN_HEADS.items():
        total, seen = np.zeros((length, size), np.float32), np.zeros((length, 1), np.float32)
        for part, found in windows:
            s = slice(part.first, part.first + part.length)
            total[s] += found[name]
            seen[s] += 1
            places[s] = part.places
        out[name] = total / seen
    return out, places


def runs(p, begins, places, text):
    """Lists of tokens at LOW or more, split where one begins, and at the ends of sentences, never within a word."""
    spans, current = [], None
    for i in range(len(p)):
        if p[i] < LOW:
            current = None
            continue
        gap = text[places[i - 1][1] : places[i][0]] if i else ""
        last = text[places[i - 1][1] - 1 : places[i - 1][1]] if i else ""
        within_word = i > 0 and not gap and text[places[i][0] : places[i][0] + 1].isalnum() and last.isalnum()
        ends = bool(re.search(r"[.!?;。！？]$", last) and gap) or "\n" in gap
        if current is None or (not within_word and (begins[i] > BEGIN or ends)):
            current = []
            spans.append(current)
        current.append(i)
    return spans


def upper_mean(values):
    """The mean of the upper half: a span is as sure as its sure tokens, not as its edges."""
    values = np.sort(values)[::-1]
    return float(values[: max(1, len(values) // 2)].mean())


def decode(example, found, places):
    """Spans of a message: (label, start, end, raw score, details), facts under the label "fact"."""
    spans = []
    if example.role != "assistant":
        fact = 1 - found["tag"][:, 0]
        for span in runs(fact, found["tag"][:, 1], places, example.text):
            details = {
                "category": data.CATEGORIES[int(found["category"][span].mean(0).argmax())],
                "attribute": data.ATTRIBUTES[int(found["attribute"][span].mean(0).argmax())],
                **dict(zip(data.SIGNS, (found["signs"][span].mean(0) > 0.5).tolist())),
            }
            spans.append(("fact", places[span[0]][0], places[span[-1]][1], upper_mean(fact[span]) * math.sqrt(found["kind"][0]), details))
    for k, label in enumerate(data.LABELS):
        p = found["labels"][:, k]
        for span in runs(p, np.zeros(len(p)), places, example.text) if label != "X" else whole(p):
            spans.append((label, places[span[0]][0], places[span[-1]][1], upper_mean(p[span]), {}))
    return [span for span in spans if span[2] - span[1] >= 2 and re.search(r"\w", example.text[span[1] : span[2]])]


def whole(p):
    """Runs at LOW or more, not split at sentences: a quotation has several."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], (p >= LOW).astype(int), [0]])))
    return [list(range(a, b)) for a, b in zip(edges[::2], edges[1::2])]


def group(found):
    return GROUPS[int(found["language"][1] > 0.5)]


def judge(examples, results):
    """Spans with whether they are right: (label, group, raw score, right, detail pairs), and marks missed by label and group."""
    judged, marked = [], collections.Counter()
    for example, (found, places) in zip(examples, results):
        if example.facts_only and not example.facts and example.role == "assistant":
            continue
        where = group(found)
        open_ = collections.defaultdict(list)
        for mark in example.marks:
            label = "fact" if mark.is_fact else mark.label
            if not (mark.is_fact and example.role == "assistant"):
                open_[label].append(mark)
                marked[label, where] += 1
        for label, start, end, score, details in sorted(decode(example, found, places), key=lambda span: -span[3]):
            if label != "fact" and example.facts_only:
                continue
            hit = next((mark for mark in open_[label] if start < mark.end and mark.start < end), None)
            if hit:
                open_[label].remove(hit)
            judged.append((label, where, score, hit is not None, (details, hit)))
    return judged, marked


def logit(score):
    score = min(1 - 1e-6, max(1e-6, score))
    return math.log(score / (1 - score))


def fit(scores, right, rounds=100):
    """a and b of sigmoid(a · logit(s) + b) by Newton's method; a little pull towards 1 and 0 keeps few spans from extremes.

    A step that does not lower the loss is halved: scores crowd at the edges, and a whole step leads from there to infinity.
    """
    x = np.array([[logit(score), 1.0] for score in scores])
    y, prior = np.array(right, float), np.array([1.0, 0.0])

    def loss(w):
        z = x @ w
        return (np.logaddexp(0, z) - y * z).sum() + ((w - prior) ** 2).sum() / 2

    w = prior.copy()
    for _ in range(rounds):
        p = 1 / (1 + np.exp(-np.clip(x @ w, -500, 500)))
        gradient = x.T @ (p - y) + (w - prior)
        curvature = (x * (p * (1 - p))[:, None]).T @ x + np.eye(2)
        step = np.linalg.solve(curvature, gradient)
        size = 1.0
        while size > 1e-6 and loss(w - size * step) > loss(w):
            size /= 2
        w = w - size * step
        if np.abs(size * step).max() < 1e-9:
            break
    return [round(float(value), 4) for value in w]


def calibrate(judged):
    """{label: {group: [a, b]}}"""
    out = {}
    for label in ("fact", *data.LABELS):
        ours = [item for item in judged if item[0] == label]
        out[label] = {}
        for where in GROUPS:
            some = [item for item in ours if item[1] == where]
            some = some if len(some) >= ENOUGH else ours
            out[label][where] = fit([item[2] for item in some], [item[3] for item in some]) if len(some) >= ENOUGH else [1.0, 0.0]
    return out


def apply(calibration, label, where, score):
    a, b = calibration[label][where]
    return 1 / (1 + math.exp(-(a * logit(score) + b)))


def expected_error(p, right):
    """Expected calibration error over bins of equally many spans."""
    if not p:
        return float("nan")
    order = np.argsort(p, kind="stable")
    p, right = np.array(p)[order], np.array(right, float)[order]
    return sum(len(part) * abs(p[part].mean() - right[part].mean()) for part in np.array_split(np.arange(len(p)), BINS) if len(part)) / len(p)


def at_precision(p, right, total, least):
    """(recall, threshold) where precision is at least so much."""
    order = np.argsort(-np.array(p), kind="stable")
    hits = np.cumsum(np.array(right, float)[order])
    good = [k for k in range(len(order)) if hits[k] / (k + 1) >= least]
    return (hits[good[-1]] / max(1, total), p[order[good[-1]]]) if good else (0.0, 1.0)


def interval(hits, count):
    """A proportion's 95 % interval (Wilson)."""
    if not count:
        return 0.0, 1.0
    z, p = 1.96, hits / count
    middle, half = p + z * z / (2 * count), z * math.sqrt(p * (1 - p) / count + z * z / (4 * count * count))
    return (middle - half) / (1 + z * z / count), (middle + half) / (1 + z * z / count)


def report(judged, marked, calibration):
    print("label    language   marked  found   P at 0.5 (95 %)         R at 0.5  R at P 0.8  error before  after")
    for label in ("fact", *data.LABELS):
        for where in GROUPS:
            some = [item for item in judged if item[:2] == (label, where)]
            raw, right = [item[2] for item in some], [item[3] for item in some]
            p, total = [apply(calibration, label, where, score) for score in raw], marked[label, where]
            kept = [ok for value, ok in zip(p, right) if value >= 0.5]
            low, high = interval(sum(kept), len(kept))
            recall = at_precision(p, right, total, 0.8)[0] if p else 0.0
            print(f"{label:8} {where:9} {total:7} {len(some):6}   {sum(kept) / max(1, len(kept)):.2f} ({low:.2f} to {high:.2f})"
                  f"      {sum(kept) / max(1, total):8.2f} {recall:11.2f} {expected_error(raw, right):13.3f} {expected_error(p, right):6.3f}")
    facts = [item[4] for item in judged if item[0] == "fact" and item[3]]
    with_attribute = [(details, mark) for details, mark in facts if mark.attribute]
    print(f"of {len(facts)} facts found: category right {share(d['category'] == m.label for d, m in facts)}, "
          f"attribute {share(d['attribute'] == m.attribute for d, m in with_attribute)}, "
          + ", ".join(f"{sign} {share(d[sign] == want(m) for d, m in with_attribute)}" for sign, want in
                      (("negated", lambda m: m.negated), ("implied", lambda m: m.implied), ("other", lambda m: m.about_other))))


def share(values):
    values = list(values)
    return f"{sum(values) / max(1, len(values)):.2f}"


def read_set(path):
    """(items, examples) of a set in the evaluation's format; example.item and .message name its place."""
    items, examples = [json.loads(line) for line in open(path, encoding="utf-8")], []
    for item in items:
        context = []
        for message in item["messages"]:
            if message["role"] in ("owner", "person") and message["text"].strip():
                examples.append(types.SimpleNamespace(
                    item=item["id"], message=message["id"], file=str(path), line=item["id"], subject="owner" if message["role"] == "owner" else message["speaker"],
                    role=message["role"], text=message["text"], context=tuple(context), marks=(), facts=[], facts_only=False,
                    pretended=False, language="English"))
            context.append((message["role"], message["text"]))
    return items, examples


def measure_set(path, results, items, examples, calibration):
    """Precision and recall of facts as the set's own scorer counts: one to one, a second hit of one fact is false."""
    found = collections.defaultdict(list)
    for example, (got, places) in zip(examples, results):
        for label, start, end, score, details in decode(example, got, places):
            if label == "fact":
                found[example.item].append((apply(calibration, "fact", group(got), score), example, start, end, details))
    p, right, category, total = [], [], [], 0
    for item in items:
        text = {message["id"]: message["text"] for message in item["messages"]}
        open_ = [(gold, text[gold["message"]].find(gold["quote"])) for gold in item["gold"]]
        total += len(open_)
        for value, example, start, end, details in sorted(found[item["id"]], key=lambda span: -span[0]):
            hit = next((pair for pair in open_ if pair[0]["message"] == example.message and pair[0]["subject"] == example.subject
                        and start < pair[1] + len(pair[0]["quote"]) and pair[1] < end), None)
            if hit:
                open_.remove(hit)
                category.append(parse.CATEGORIES[details["category"]] == hit[0]["category"])
            p.append(value)
            right.append(hit is not None)
    kept = [ok for value, ok in zip(p, right) if value >= 0.5]
    low, high = interval(sum(kept), len(kept))
    print(f"{path}: facts at 0.5: P {sum(kept) / max(1, len(kept)):.3f} ({low:.2f} to {high:.2f}) R {sum(kept) / max(1, total):.3f}; "
          + ", ".join(f"R at P {least} {at_precision(p, right, total, least)[0]:.2f}" for least in (0.7, 0.8, 0.85, 0.9) if p)
          + f"; category {share(category)}; calibration error {expected_error(p, right):.3f}")


def main():
    import export  # which measures what it exports

    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("weights")
    options.add_argument("--calibration", required=True, metavar="OUT")
    options.add_argument("--set", action="append", default=[], metavar="FILE")
    options.add_argument("--limit", type=int, help="so many messages of each part: to try the pipe")
    options.add_argument("--threads", type=int, default=2)
    chosen = options.parse_args()
    tensors, pieces, unknown = encoder.read()
    words = network.start(tensors)[1]
    tokens = data.Tokens(encoder.tokenizer(pieces, unknown))
    run = export.runner_of(chosen.weights, chosen.threads)
    _, held_out, test = data.split(parse.parse()[0])
    if chosen.limit:
        held_out, test = held_out[:: max(1, len(held_out) // chosen.limit)], test[:: max(1, len(test) // chosen.limit)]
    calibration = calibrate(judge(held_out, infer(None, words, tokens, held_out, run))[0])
    results = infer(None, words, tokens, test, run)
    report(*judge(test, results), calibration)
    for where in GROUPS:
        some = [group(found) == where for example, (found, _) in zip(test, results) if (example.language == "English") == (where == "english")]
        print(f"messages in {where}: {share(some)} of {len(some)} recognised as that")
    with open(chosen.calibration, "w", encoding="utf-8") as out:
        json.dump(calibration, out, indent=1)
    held_out = pairs.split(pairs.parse()[0])[1]
    if held_out:
        pairs.report(held_out, pairs.infer([pairs.row(pair, tokens) for pair in held_out], words, run.compare))
        apart = pairs.strangers(held_out, random.Random(1))
        found = pairs.infer([pairs.row(pair, tokens) for pair in apart], words, run.compare)[:, 0]
        print(f"of {len(apart)} that have nothing to do with each other are taken for a replacement: "
              + "   ".join(f"{least}: {(found >= least).sum()}" for least in pairs.LEAST))
    for path in chosen.set:
        items, examples = read_set(path)
        measure_set(path, infer(None, words, tokens, examples, run), items, examples, calibration)


if __name__ == "__main__":
    main()
