#!/usr/bin/env python3
"""Teaches the layers that compare statements, and leaves the reader as it is.

usage: statements.py OUT.pt --from WEIGHTS.pt|FOLDER [--anew] [--epochs N] [--strangers N] [--seed N]

They begin as the reader's own upper layers. What the lower ones make of each pair is worked out once and kept in memory, so that a pass
over all pairs takes five minutes on two cores. Deliberately not here: the reader (`train.py`).
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

RATE, HEAD_RATE = 2e-4, 1e-3
WARM_UP, LOWEST = 0.08, 0.02  # as train.py's
TOKENS = 3300  # a batch
SHORTEST = 20  # tokens that a row counts at least in a batch, or a batch of short rows would be hundreds of them


def batches(net, words, rows):
    """Of rows of like length: what the lower layers make of them, who sees whom, and the change at the position that tells it."""
    order = sorted(rows, key=lambda row: len(row.ids))
    at = 0
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16, enabled=torch.cpu._is_avx512_bf16_supported()):
        while at < len(order):
            some = order[at : at + max(1, TOKENS // max(SHORTEST, len(order[at].ids)))]
            at += len(some)
            inputs = network.collate(some, words)
            lower, seen = net.lower(*inputs)
            yield lower.bfloat16(), seen, network.targets(some, lower.shape[1])["change"]


def teach(net, ready, epochs, rng):
    """Trains what compares statements, alone."""
    net.requires_grad_(False)
    part = net.statements.requires_grad_(True).train()
    rates = {RATE: part.layer.parameters(), HEAD_RATE: part.head.parameters()}
    optimizer = torch.optim.AdamW([dict(params=list(some), base=rate) for rate, some in rates.items()], lr=RATE, weight_decay=0.01)
    halves = torch.cpu._is_avx512_bf16_supported()
    steps, step, began = epochs * len(ready), 0, time.monotonic()
    for epoch in range(1, epochs + 1):
        rng.shuffle(ready)
        total = 0.0
        for lower, seen, change in ready:
            step += 1
            for group in optimizer.param_groups:
                group["lr"] = group["base"] * min(1, step / (WARM_UP * steps)) * max(LOWEST, 1 - step / steps)
            with torch.autocast("cpu", torch.bfloat16, enabled=halves):
                scores = part(lower if halves else lower.float(), seen)["change"]
            loss = F.cross_entropy(scores.float().flatten(0, 1), change.flatten(), ignore_index=data.UNKNOWN, label_smoothing=0.05)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(part.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()
            total += loss.item()
        print(f"  {epoch}/{epochs} loss {total / len(ready):.3f} {time.monotonic() - began:.0f} s", flush=True)
    net.eval()


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("out")
    options.add_argument("--from", dest="first", metavar="WEIGHTS", required=True)
    options.add_argument("--anew", action="store_true", help="begin as the reader's own upper layers, and forget what was learnt")
    options.add_argument("--epochs", type=int, default=3)
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
    net.load_state_dict(net.state_dict() | weights)
    if chosen.anew or not any(name.startswith("statements.") for name in weights):
        net.statements.layer.load_state_dict(net.layer[network.LOWER :].state_dict())
    net.eval()
    rows = pairs.training_rows(pairs.split(statements)[0], data.Tokens(encoder.tokenizer(pieces, unknown)), rng, chosen.strangers)
    print(f"{len(rows)} pairs and strangers", flush=True)
    teach(net, list(batches(net, words, rows)), chosen.epochs, rng)
    torch.save(net.state_dict(), chosen.out)


if __name__ == "__main__":
    main()
