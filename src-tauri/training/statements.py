#!/usr/bin/env python3
"""Teaches the layers that compare statements and messages, and leaves the reader as it is.

usage: statements.py OUT.pt --from WEIGHTS.pt|FOLDER [--anew] [--epochs N] [--seed N]
       statements.py --measure WEIGHTS.pt|FOLDER

They learn from pairs of statements (pairs/) what a later one makes of an earlier one; and from lives, which message makes which
outdated and which keeps what was promised, among others near it or right before it. Of all those pairs, some are taught: mostly those
that the weights it goes on from get wrong. What the lower layers make of each is worked out once and kept in memory, so that a pass
takes some twenty minutes on two cores. Deliberately not here: the reader (`train.py`).
"""
import argparse
import multiprocessing
import random
import sys
import time

import numpy as np
import torch
import torch.nn.functional as F

import data
import encoder
import export
import lives
import network
import pairs
import sentences

RATE, HEAD_RATE = 2e-4, 1e-3
WARM_UP, LOWEST = 0.08, 0.02  # as train.py's
TOKENS = 3300  # a batch
SHORTEST = 20  # tokens that a row counts at least in a batch, or a batch of short rows would be hundreds of them
STATEMENTS = 0.6  # of the pairs of statements, beside all of lives
NEAR, NEXT = 12, 6  # earlier messages of a life that one is compared with: the nearest, and those right before it
# Of those without a mark, so many are taught: beside a message that changes something, of promises, and of all others. Else a change is
# told by its own sound, whatever stands before it.
BESIDE, PROMISES, OTHERS = 0.8, 0.5, 0.12
# Of the pairs that are left, one is taught with this probability, and with so much more the less the weights believe what is marked; it
# counts the more the less likely it was taken, up to a limit. Nine in ten pairs are "both stand", which the weights tell at once.
TAKEN_LEAST, TAKEN_BY_FAULT, HEAVIEST = 0.1, 2.0, 4.0
SAVED_EVERY = 100  # batches
# What is taught where an author's marks say only what a message does not do: neither outdated nor kept; not outdated (of a life in which
# promises are not marked).
SETTLES = pairs.CODES.index(pairs.SETTLES)
STANDS, NOT_OUTDATED = len(pairs.CODES), len(pairs.CODES) + 1
LEAST = (0.2, 0.3, 0.5, 0.7, 0.85)  # probabilities at which is measured

REPLACES, SAME, BOTH, KEEPS = range(4)
# What each code of a target leaves possible.
POSSIBLE = {SETTLES: (REPLACES, KEEPS), STANDS: (SAME, BOTH), NOT_OUTDATED: (SAME, BOTH, KEEPS), **{i: (i,) for i in range(len(pairs.CHANGES))}}


def compared(life, near):
    """[(later, earlier)] numbers of messages that are compared: `near` are cosines of all with all."""
    found = set()
    for i in range(1, len(life.lines)):
        nearest = np.argsort(-near[i, :i])[:NEAR]
        right_before = [j for j in range(max(0, i - NEXT), i) if life.lines[j][1:3] == life.lines[i][1:3]]
        found |= {(life.lines[i].number, life.lines[j].number) for j in {*nearest.tolist(), *right_before}}
    return sorted(found)


def nearness(life):
    """The cosines of a life's messages, by the sentence encoder that lies here."""
    texts = [sentences.TEXT + lives.embedded(line) for line in life.lines]
    vectors = np.array(sentences.vectors_of_graph(export.FOLDER / export.SENTENCES, texts))
    return vectors @ vectors.T


def rows_of_life(life, tokens, rng):
    """The rows of all marked pairs of a life, and of some others."""
    settled = life.kept | life.fallen
    changing = {later for later, _ in life.outdated | settled}
    taught = {pair: REPLACES for pair in life.outdated | life.fallen} | {pair: KEEPS for pair in life.kept - life.outdated}
    for pair in compared(life, nearness(life)):
        share = BESIDE if pair[0] in changing else PROMISES if pair[1] in life.promises else OTHERS
        if pair not in taught and pair not in settled and rng.random() < share:
            taught[pair] = STANDS if life.promises else NOT_OUTDATED
    return [pairs.statement_row(lives.turns(life, *pair), tokens, change) for pair, change in sorted(taught.items())]


def change_of(row):
    return row.messages[-1].targets.change


def prepared(job):
    """[(row, how likely the weights find what it teaches)] of a life, or of pairs of statements; in a process of its own."""
    source, seed, weights = job
    torch.set_num_threads(1)
    rng = random.Random(seed)
    tensors, pieces, unknown = encoder.read()
    tokens = data.Tokens(encoder.tokenizer(pieces, unknown))
    rows = rows_of_life(source, tokens, rng) if isinstance(source, lives.Life) else rows_of_statements(source, tokens, rng)
    words = network.start(tensors)[1]
    found = pairs.infer(rows, words, export.runner_of(weights, 1).compare)
    return [(row, float(found[i, list(POSSIBLE[change_of(row)])].sum())) for i, row in enumerate(rows)]


def rows_of_statements(statements, tokens, rng):
    rows = pairs.training_rows(statements, tokens, rng)
    return rng.sample(rows, int(STATEMENTS * len(rows)))


def taken(rows, rng):
    """[(row, what it counts)] of those that are taught."""
    found = []
    for row, right in rows:
        share = min(1, TAKEN_LEAST + TAKEN_BY_FAULT * (1 - right))
        if rng.random() < share:
            found.append((row, min(HEAVIEST, 1 / share)))
    return found


def batches(net, words, rows):
    """Of rows of like length: what the lower layers make of them, who sees whom, where it is told, the change, and what it counts."""
    order = sorted(rows, key=lambda item: len(item[0].ids))
    at = 0
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16, enabled=network.has_fast_halves()):
        while at < len(order):
            some = order[at : at + max(1, TOKENS // max(SHORTEST, len(order[at][0].ids)))]
            at += len(some)
            lower, seen = net.lower(*network.collate([row for row, _ in some], words))
            numbers = ([row.messages[-1].role for row, _ in some], [change_of(row) for row, _ in some], [weight for _, weight in some])
            yield lower.bfloat16(), seen, *map(torch.tensor, numbers)


def loss(scores, change, weight=None):
    """One number to make small; where a mark leaves several changes possible, their probabilities are added."""
    known = F.log_softmax(scores, -1)
    possible = torch.zeros(len(change), len(pairs.CHANGES), dtype=torch.bool)
    for code, changes in POSSIBLE.items():
        possible[:, list(changes)] |= (change == code)[:, None]
    found = -torch.logsumexp(known.masked_fill(~possible, -1e4), 1)
    return found.mean() if weight is None else (found * weight).sum() / weight.sum()


def teach(net, ready, epochs, rng, rate, save):
    """Trains what compares statements, alone; `save` is called now and then."""
    net.requires_grad_(False)
    part = net.statements.requires_grad_(True).train()
    rates = {rate: part.layer.parameters(), rate * HEAD_RATE / RATE: part.head.parameters()}
    optimizer = torch.optim.AdamW([dict(params=list(some), base=rate) for rate, some in rates.items()], lr=rate, weight_decay=0.01)
    halves = network.has_fast_halves()
    steps, step, began, total = epochs * len(ready), 0, time.monotonic(), 0.0
    for _ in range(epochs):
        rng.shuffle(ready)
        for lower, seen, role, change, weight in ready:
            step += 1
            for group in optimizer.param_groups:
                group["lr"] = group["base"] * min(1, step / (WARM_UP * steps)) * max(LOWEST, 1 - step / steps)
            with torch.autocast("cpu", torch.bfloat16, enabled=halves):
                scores = part(lower if halves else lower.float(), seen)["change"]
            found = loss(scores[torch.arange(len(role)), role].float(), change, weight)
            found.backward()
            torch.nn.utils.clip_grad_norm_(part.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()
            total += found.item()
            if step % SAVED_EVERY == 0 or step == steps:
                print(f"  {step}/{steps} loss {total / ((step - 1) % SAVED_EVERY + 1):.3f} {time.monotonic() - began:.0f} s", flush=True)
                total = 0.0
                save()
    net.eval()


def report(tokens, words, run):
    """Prints, of lives held out, which messages are found outdated and which promises settled, over thresholds."""
    outdated, settled, counts = [], [], np.zeros(2, int)
    for life in lives.split(lives.parse()[0])[1]:
        marked = life.kept | life.fallen
        counts += len(life.outdated), len(marked)
        asked = compared(life, nearness(life))
        found = pairs.infer([pairs.statement_row(lives.turns(life, *pair), tokens) for pair in asked], words, run)
        for pair, (replaces, _, _, keeps) in zip(asked, found):
            outdated.append((replaces, pair in life.outdated | life.fallen, pair in life.outdated))
            if pair[1] in life.promises:
                settled.append((replaces + keeps, pair in marked | life.outdated, pair in marked))
    for name, some, count in zip(("outdated", "settled"), (outdated, settled), counts):
        cells = []
        for least in LEAST:
            said = [(right, hit) for p, right, hit in some if p >= least]
            cells.append(f"{least}: {len(said)} said, P {np.mean([right for right, _ in said] or [0]):.2f} R {sum(hit for _, hit in said) / max(1, count):.2f}")
        print(f"{name} ({count})  " + "   ".join(cells))


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("out")
    options.add_argument("--from", dest="first", metavar="WEIGHTS")
    options.add_argument("--anew", action="store_true", help="begin as the reader's own upper layers, and forget what was learnt")
    options.add_argument("--rate", type=float, default=RATE)
    chosen = network.options(options, epochs=3)
    if not (chosen.first or chosen.measure):
        options.error("to train, say with --from which reader's layers it stands on")
    rng = random.Random(chosen.seed)
    statements, faults = pairs.parse()
    found, more = lives.parse()
    if faults + more:
        raise SystemExit("\n".join(f"{file}:{number}: {reason}" for file, number, reason in faults + more))
    tensors, pieces, unknown = encoder.read()
    net, words = network.start(tensors)
    tokens = data.Tokens(encoder.tokenizer(pieces, unknown))
    if chosen.measure:
        return report(tokens, words, export.runner_of(chosen.out, chosen.threads).compare)
    weights = export.load(chosen.first)
    net.load_state_dict(net.state_dict() | weights)
    if chosen.anew or not any(name.startswith("statements.") for name in weights):
        net.statements.layer.load_state_dict(net.layer[network.LOWER :].state_dict())
    net.eval()
    sources = [pairs.split(statements)[0], *lives.split(found)[0]]
    jobs = [(source, chosen.seed + at, chosen.first) for at, source in enumerate(sources)]
    with multiprocessing.get_context("spawn").Pool(chosen.threads) as pool:
        rows = [item for some in pool.imap(prepared, jobs) for item in some]
    some = taken(rows, rng)
    print(f"{len(rows)} pairs, {len(some)} of them taught", flush=True)
    ready = list(batches(net, words, some))
    teach(net, ready, chosen.epochs, rng, chosen.rate, lambda: torch.save(net.state_dict(), chosen.out))
    return report(tokens, words, export.runner_of(chosen.out, chosen.threads).compare)


if __name__ == "__main__":
    sys.exit(main())
