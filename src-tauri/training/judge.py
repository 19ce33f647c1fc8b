#!/usr/bin/env python3
"""Trains the layers that judge whether a message helps with what is asked, reading both together.

usage: judge.py OUT.pt --sentences SENTENCES.pt|sentences.onnx [--from WEIGHTS.pt|judge.onnx] [--epochs N] [--seed N]
       judge.py --measure WEIGHTS.pt|judge.onnx --sentences SENTENCES.pt|sentences.onnx

They stand on the encoder's lower layers, like the sentence encoder, and begin as its upper layers were. They learn from lives: of all that
is asked, the messages that help, among others that the sentence encoder finds near. What the lower layers make of each row is worked out
once and kept in memory. Deliberately not here: the graph (`scripts/graph.py`), and how a context weighs what is found
(`scripts/fit_context.py`).
"""
import argparse
import pathlib
import random
import sys
import time

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

import data
import encoder
import lives
import network
import sentences

RATE, HEAD_RATE = 2e-4, 1e-3
WARM_UP, LOWEST = 0.08, 0.02
TOKENS = 4000  # a batch
SHORTEST = 20  # tokens that a row counts at least in a batch
ASKED, PASSAGE, BEFORE = 64, 96, (12, 20)  # pieces, as local.rs has them
NEAR, NEAR_TAUGHT, FAR_TAUGHT = 40, 12, 3  # of the nearest messages that do not help, and of all others, so many are taught with each ask
DEGREES = ("no", "useful", "needed")
WEIGHTS = (1.0, 2.0, 3.0)
SMOOTHING = 0.03


class Judge(nn.Module):
    """Upper layers, and a head that is read at the first token."""

    def __init__(self):
        super().__init__()
        self.layer = nn.ModuleList(network.Layer() for _ in range(encoder.LAYERS - encoder.TRUNK_LAYERS))
        self.head = nn.Linear(encoder.WIDTH, len(DEGREES))
        self.drop = nn.Dropout(0.1)

    def forward(self, x, mask):
        for layer in self.layer:
            x = layer(x, mask[:, None, None, :])
        return self.head(self.drop(x[:, 0]).float())


def said(line):
    """A message as the product judges it (`passage` in embed.rs)."""
    return {"owner": "me: ", "assistant": "assistant: "}.get(lives.role(line.speaker), f"{line.speaker}: ") + line.text


def row(ask, before, line, tokens):
    """The pieces of what is asked, of the message before, and of the message."""
    ids = [encoder.CLS, *tokens(sentences.QUESTION + ask)[0][:ASKED], encoder.SEP]
    if before is not None:
        pieces, (head, tail) = tokens(said(before))[0], BEFORE
        ids += [*(pieces if len(pieces) <= head + tail else [*pieces[:head], *pieces[-tail:]]), encoder.SEP]
    return [*ids, *tokens(sentences.TEXT + said(line))[0][:PASSAGE], encoder.SEP]


def rows(life, ask, numbers, tokens):
    """The rows of an ask with these messages, as indices."""
    def before(i):
        return life.lines[i - 1] if i and life.lines[i - 1][1:3] == life.lines[i][1:3] else None

    return [row(ask.text, before(i), life.lines[i], tokens) for i in numbers]


def batches(trunk, some):
    """Of rows of like length: their indices, and what the lower layers make of them."""
    order = sorted(range(len(some)), key=lambda i: len(some[i]))
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16, enabled=trunk.halves):
        while order:
            count = next((n for n in range(1, len(order)) if (n + 1) * max(SHORTEST, len(some[order[n]])) > TOKENS), len(order))
            chosen, order = order[:count], order[count:]
            x, mask = trunk.lower([some[i] for i in chosen])
            yield chosen, x.bfloat16() if trunk.halves else x, mask


def taught(trunk, upper, life, tokens, rng):
    """(rows, degrees) of a life. Messages that harm because they are outdated teach nothing, since only time tells them apart."""
    with torch.no_grad():
        cosines = sentences.Asked(trunk, life).cosines(upper).float().numpy()
    place, found, outdated = {line.number: i for i, line in enumerate(life.lines)}, ([], []), lives.outdated(life)
    for ask, nearest in zip(life.asks, (-cosines).argsort(axis=1)):
        marks = {place[number]: mark for number, mark in ask.marks.items()}
        near, others = ([i for i in some if i not in marks] for some in (nearest[:NEAR].tolist(), range(len(life.lines))))
        numbers = [i for i, mark in marks.items() if mark in DEGREES or life.lines[i].number not in outdated]
        numbers += rng.sample(near, min(NEAR_TAUGHT, len(near))) + rng.sample(others, FAR_TAUGHT)
        found[0].extend(rows(life, ask, numbers, tokens))
        found[1].extend(DEGREES.index(marks[i]) if marks.get(i) in DEGREES else 0 for i in numbers)
    return found


def teach(judge, ready, epochs, rng, halves):
    rates = {RATE: judge.layer.parameters(), HEAD_RATE: judge.head.parameters()}
    optimizer = torch.optim.AdamW([dict(params=list(some), base=rate) for rate, some in rates.items()], lr=RATE, weight_decay=0.01)
    steps, step, began = epochs * len(ready), 0, time.monotonic()
    judge.train()
    for epoch in range(1, epochs + 1):
        rng.shuffle(ready)
        total = 0.0
        for x, mask, degrees in ready:
            step += 1
            for group in optimizer.param_groups:
                group["lr"] = group["base"] * min(1, step / (WARM_UP * steps)) * max(LOWEST, 1 - step / steps)
            with torch.autocast("cpu", torch.bfloat16, enabled=halves):
                scores = judge(x, mask)
            loss = F.cross_entropy(scores.float(), degrees, weight=torch.tensor(WEIGHTS), label_smoothing=SMOOTHING)
            loss.backward()
            nn.utils.clip_grad_norm_(judge.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()
            total += loss.item()
        print(f"  {epoch}/{epochs} loss {total / len(ready):.3f} {time.monotonic() - began:.0f} s", flush=True)
    judge.eval()


def odds(scores):
    """The logarithm of the odds that a message helps, as the product has it."""
    return np.logaddexp(scores[..., 1], scores[..., 2]) - scores[..., 0]


@torch.no_grad()
def log_odds(judge, trunk, some):
    """How likely each row's message helps."""
    found = np.zeros(len(some))
    for chosen, x, mask in batches(trunk, some):
        with torch.autocast("cpu", torch.bfloat16, enabled=trunk.halves):
            found[chosen] = odds(judge(x, mask).float().numpy())
    return found


def report(judge, trunk, upper, held_out, tokens):
    """Prints, of lives held out, what share of the needed messages is among the first of the nearest: by the cosine, and judged as well."""
    first = {(kind, how): [] for kind in ("task", "question") for how in ("cosine", "judged", "both")}
    for life in held_out:
        with torch.no_grad():
            cosines = sentences.Asked(trunk, life).cosines(upper).float().numpy()
        place = {line.number: i for i, line in enumerate(life.lines)}
        for ask, cosine in zip(life.asks, cosines):
            needed = {place[number] for number, mark in ask.marks.items() if mark == "needed"}
            if not needed:
                continue
            nearest = (-cosine).argsort()[:NEAR]
            judged = log_odds(judge, trunk, rows(life, ask, nearest.tolist(), tokens))
            for how, scores in {"cosine": cosine[nearest], "judged": judged, "both": judged + 8 * cosine[nearest]}.items():
                best = set(nearest[(-scores).argsort()[:5]].tolist())
                first[ask.kind, how].append(len(best & needed) / min(5, len(needed)))
    for kind in ("task", "question"):
        print(f"{kind:9} needed among the first five: " + "  ".join(f"{how} {np.mean(first[kind, how]):.2f}" for how in ("cosine", "judged", "both")))


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("out")
    options.add_argument("--sentences", required=True, metavar="WEIGHTS", help="the sentence encoder that finds what is near")
    options.add_argument("--from", dest="first", metavar="WEIGHTS")
    chosen = network.options(options, epochs=2)
    rng = random.Random(chosen.seed)
    found, faults = lives.parse()
    if faults:
        raise SystemExit("\n".join(f"{file}:{number}: {reason}" for file, number, reason in faults))
    training, held_out = lives.split(lives.asked(found))
    trunk, upper, judge = sentences.Trunk(), sentences.Upper(), Judge()
    tokens = data.Tokens(trunk.tokenizer)
    upper.load_state_dict(upper.state_dict() | sentences.trained(chosen.sentences))
    upper.eval()
    first = chosen.out if chosen.measure else chosen.first
    if first:
        judge.load_state_dict(sentences.trained(first))
        judge.eval()
    else:
        judge.layer.load_state_dict(trunk.upper().layer.state_dict())
    if not chosen.measure:
        some, degrees = [], []
        for life in training:
            more = taught(trunk, upper, life, tokens, rng)
            some += more[0]
            degrees += more[1]
        print(f"{len(some)} rows", flush=True)
        ready = [(x, mask, torch.tensor([degrees[i] for i in numbers])) for numbers, x, mask in batches(trunk, some)]
        teach(judge, ready, chosen.epochs, rng, trunk.halves)
        torch.save(judge.state_dict(), pathlib.Path(chosen.out))
    report(judge, trunk, upper, held_out, tokens)


if __name__ == "__main__":
    sys.exit(main())
