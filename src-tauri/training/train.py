#!/usr/bin/env python3
"""Trains the reader on text/ (files held out for calibration and test left out) and writes its weights.

usage: train.py OUT.pt [--from WEIGHTS.pt|FOLDER] [--epochs N] [--steps N] [--share F] [--with FILE ...] [--seed N] [--rate F] [--device D] [--threads N]

AdamW; the rate falls by 0.93 a layer towards the words, which stay frozen; warm-up, then a linear fall. Same text, seed
and number of threads give the same weights on one machine.
"""
import argparse
import random
import time

import torch

import data
import encoder
import export
import network
import parse

RATE, HEAD_RATE, DECAY = 1e-4, 1e-3, 0.93
BUDGET = 1100  # tokens a batch
WARM_UP = 0.08  # of the steps
LOWEST = 0.02  # of the rate, at the end
SEED = 51


def groups(net):
    """Parameters with their rates."""
    found = []
    for name, parameter in net.named_parameters():
        if name.startswith("statements."):  # taught alone (statements.py)
            continue
        if name.startswith(("head.", "message.", "role.")):
            rate = HEAD_RATE
        elif name.startswith("layer."):
            rate = RATE * DECAY ** (encoder.LAYERS - 1 - int(name.split(".")[1]))
        else:
            rate = RATE * DECAY**encoder.LAYERS
        found.append(dict(params=[parameter], lr=rate, base=rate, weight_decay=0.01 if parameter.ndim > 1 and rate != HEAD_RATE else 0))
    return found


def train(net, words, tokens, examples, epochs=3, steps=None, budget=BUDGET, seed=SEED, rate=1.0):
    """Trains the network where it and the word vectors lie. `rate` times the rates above: a larger batch bears more."""
    torch.manual_seed(seed)
    rng = random.Random(seed)
    talks = data.conversations(examples)
    plan = []
    for _ in range(epochs):  # cut anew each time
        rows = data.training_rows(talks, tokens, rng)
        plan += [[rows[i] for i in batch] for batch in data.batches(rows, budget, rng)]
    plan = plan[:steps]
    print(f"{len(examples)} messages, {sum(len(row.ids) for batch in plan for row in batch)} tokens, {len(plan)} steps", flush=True)
    optimizer = torch.optim.AdamW(groups(net), foreach=True)
    mean, began = None, time.monotonic()
    halves = network.has_fast_halves(words.device)
    net.train()
    for step, batch in enumerate(plan, 1):
        factor = min(1, step / (WARM_UP * len(plan))) * max(LOWEST, 1 - step / len(plan))
        for group in optimizer.param_groups:
            group["lr"] = rate * group["base"] * factor
        inputs = network.collate(batch, words)
        with torch.autocast(words.device.type, torch.bfloat16, enabled=halves):  # weights and sums stay float32
            scores = net(*inputs)
        wanted = {name: x.to(words.device) for name, x in network.targets(batch, inputs[1].shape[1]).items()}
        loss = network.loss({name: x.float() for name, x in scores.items()}, wanted)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        mean = loss.item() if mean is None else 0.98 * mean + 0.02 * loss.item()
        if step % 50 == 0 or step == len(plan):
            print(f"  {step}/{len(plan)} loss {mean:.3f} {time.monotonic() - began:.0f} s", flush=True)
    return net.eval()


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("out")
    options.add_argument("--from", dest="first", metavar="WEIGHTS", help="go on with these, for text that was written since")
    options.add_argument("--epochs", type=int, default=3)
    options.add_argument("--steps", type=int, help="stop after so many steps: to try the pipe, not to train")
    options.add_argument("--budget", type=int, default=BUDGET, help="tokens a batch")
    options.add_argument("--share", type=float, default=1.0, help="of the training text, in whole files: for the learning curve")
    options.add_argument("--with", dest="always", nargs="*", default=[], metavar="FILE", help="files that are in, whatever the share")
    options.add_argument("--seed", type=int, default=SEED, help="readers that differ in nothing else are better in the mean (mix.py)")
    options.add_argument("--rate", type=float, default=1.0, help="times the rates above: 1.7 for three times the budget")
    options.add_argument("--device", default="cpu", help="cuda, where there is a graphics card")
    options.add_argument("--threads", type=int, default=2)
    chosen = options.parse_args()
    torch.set_num_threads(chosen.threads)
    examples, faults = parse.parse()
    if faults:
        raise SystemExit("\n".join(f"{file}:{number}: {reason}" for file, number, reason in faults))
    tensors, pieces, unknown = encoder.read()
    torch.manual_seed(SEED)
    net, words = network.start(tensors)
    if chosen.first:
        net.load_state_dict(net.state_dict() | export.load(chosen.first))  # a head that is newer than those weights begins anew
    training = data.fraction(data.split(examples)[0], chosen.share, chosen.always)
    train(net.to(chosen.device), words.to(chosen.device), data.Tokens(encoder.tokenizer(pieces, unknown)), training,
          chosen.epochs, chosen.steps, chosen.budget, chosen.seed, chosen.rate)
    torch.save({name: value.cpu() for name, value in net.state_dict().items()}, chosen.out)


if __name__ == "__main__":
    main()
