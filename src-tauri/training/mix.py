#!/usr/bin/env python3
"""The mean of two trained readers, and the head for pairs fitted on what the layers then say.

usage: mix.py OUT.pt FIRST.pt|reader.onnx SECOND.pt SHARE [--threads N]

SHARE of the second's weights, the rest of the first's: what was learnt anew costs less of what was known. The head for
pairs has to fit the mixed layers, so it alone is trained on them, which stay as they are; strangers included.
"""
import argparse
import random

import torch
import torch.nn.functional as F

import data
import encoder
import export
import network
import pairs
import train

EPOCHS, RATE, BATCH = 60, 2e-3, 64  # of the head alone: seconds
STRANGERS = 2  # times each pair


@torch.no_grad()
def pooled(net, words, rows):
    """What the message heads see of each row."""
    out = torch.zeros(len(rows), 2 * encoder.WIDTH)
    order = sorted(range(len(rows)), key=lambda i: len(rows[i].ids))
    for at in range(0, len(order), 32):
        some = order[at : at + 32]
        out[some] = net.pooled(*network.collate([rows[i] for i in some], words))[1]
    return out


def fit(net, name, seen, wanted):
    """Trains the message head of this name alone, on what the layers say."""
    head, wanted = net.message[name], torch.tensor(wanted)
    optimizer = torch.optim.AdamW(head.parameters(), lr=RATE, weight_decay=0.05)
    for _ in range(EPOCHS):
        order = torch.randperm(len(wanted))
        for at in range(0, len(wanted), BATCH):
            i = order[at : at + BATCH]
            optimizer.zero_grad()
            F.cross_entropy(head(seen[i]), wanted[i], label_smoothing=0.05).backward()
            optimizer.step()


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("out")
    options.add_argument("first")
    options.add_argument("second")
    options.add_argument("share", type=float)
    options.add_argument("--threads", type=int, default=2)
    chosen = options.parse_args()
    torch.set_num_threads(chosen.threads)
    torch.manual_seed(train.SEED)
    rng = random.Random(train.SEED)
    tensors, pieces, unknown = encoder.read()
    tokens = data.Tokens(encoder.tokenizer(pieces, unknown))
    net, words = network.start(tensors)
    first, second = export.load(chosen.first), export.load(chosen.second)
    share = chosen.share
    state = {name: share * value + (1 - share) * first[name] if name in first else value for name, value in second.items()}
    net.load_state_dict(net.state_dict() | state)  # a head that is newer than both begins anew
    net.eval()
    known = pairs.split(pairs.parse()[0])[0]
    some = known + [pairs.turned(pair) for pair in known if pair.change != "replaces"]
    for _ in range(STRANGERS):
        some += pairs.strangers(known, rng)
    fit(net, "change", pooled(net, words, [pairs.row(pair, tokens) for pair in some]), [pairs.CHANGES.index(pair.change) for pair in some])
    torch.save(net.state_dict(), chosen.out)


if __name__ == "__main__":
    main()
