#!/usr/bin/env python3
"""Teaches the branch, which tells what a later statement makes of an earlier one, and leaves the layers as they are.

usage: branch.py OUT.pt --from WEIGHTS.pt|reader.onnx [--anew] [--epochs N] [--strangers N] [--seed N]

What the layers make of each pair is worked out once and kept in memory (some 100 KB a pair), so that a pass over all
pairs takes half a minute on two cores instead of ten. Deliberately not here: the layers (`train.py`).
"""
import argparse
import random
import time

import torch
import torch.nn.functional as F

import data
import encoder
import export
import network
import pairs

RATE, WARM_UP, LOWEST = 1e-3, 0.08, 0.02  # as train.py's for what begins anew
TOKENS = 3300  # a batch
SHORTEST = 20  # tokens that a row counts at least in a batch, or a batch of short rows would be hundreds of them


def batches(net, words, rows):
    """Of rows of like length: what the layers make of them, who sees whom, and the change at the position that tells it."""
    order = sorted(rows, key=lambda row: len(row.ids))
    at = 0
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16, enabled=torch.cpu._is_avx512_bf16_supported()):
        while at < len(order):
            some = order[at : at + max(1, TOKENS // max(SHORTEST, len(order[at].ids)))]
            at += len(some)
            inputs = network.collate(some, words)
            shown, seen = net.shown(*inputs)
            yield shown.bfloat16(), seen, network.targets(some, shown.shape[1])["change"]


def teach(net, ready, epochs, rng):
    """Trains the branch alone."""
    net.requires_grad_(False)
    net.branch.requires_grad_(True)
    net.branch.train()
    optimizer = torch.optim.AdamW(net.branch.parameters(), lr=RATE, weight_decay=0.01)
    steps, step, began = epochs * len(ready), 0, time.monotonic()
    for epoch in range(1, epochs + 1):
        rng.shuffle(ready)
        total = 0.0
        for shown, seen, change in ready:
            step += 1
            for group in optimizer.param_groups:
                group["lr"] = RATE * min(1, step / (WARM_UP * steps)) * max(LOWEST, 1 - step / steps)
            scores = net.branch(shown.float(), seen)["change"]
            loss = F.cross_entropy(scores.flatten(0, 1), change.flatten(), ignore_index=data.UNKNOWN, label_smoothing=0.05)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(net.branch.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()
            total += loss.item()
        print(f"  {epoch}/{epochs} loss {total / len(ready):.3f} {time.monotonic() - began:.0f} s", flush=True)
    net.eval()


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("out")
    options.add_argument("--from", dest="first", metavar="WEIGHTS", required=True)
    options.add_argument("--anew", action="store_true", help="forget what the branch of those weights learnt")
    options.add_argument("--epochs", type=int, default=6)
    options.add_argument("--strangers", type=int, default=2, help="beside each pair; others for another seed")
    options.add_argument("--seed", type=int, default=5)
    options.add_argument("--threads", type=int, default=2)
    chosen = options.parse_args()
    torch.set_num_threads(chosen.threads)
    torch.manual_seed(chosen.seed)
    rng = random.Random(chosen.seed)
    statements, faults = pairs.parse()
    if faults:
        raise SystemExit("\n".join(f"{file}:{number}: {reason}" for file, number, reason in faults))
    tensors, pieces, unknown = encoder.read()
    net, words = network.start(tensors)
    weights = export.load(chosen.first)
    if chosen.anew:
        weights = {name: value for name, value in weights.items() if not name.startswith("branch.")}
    net.load_state_dict(net.state_dict() | weights)  # a branch that is newer than those weights begins anew as well
    net.eval()
    rows = pairs.training_rows(pairs.split(statements)[0], data.Tokens(encoder.tokenizer(pieces, unknown)), rng, chosen.strangers)
    print(f"{len(rows)} pairs and strangers", flush=True)
    teach(net, list(batches(net, words, rows)), chosen.epochs, rng)
    torch.save(net.state_dict(), chosen.out)


if __name__ == "__main__":
    main()
