#!/usr/bin/env python3
"""Trains the reader on text/ (files held out for calibration and test left out) and writes its weights.

usage: train.py OUT.pt [--from WEIGHTS.pt|reader.onnx] [--epochs N] [--steps N] [--share F] [--with FILE ...] [--average] [--threads N]

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
import pairs
import parse

RATE, HEAD_RATE, DECAY = 1e-4, 1e-3, 0.93
BUDGET = 1100  # tokens a batch
WARM_UP = 0.08  # of the steps
LOWEST = 0.02  # of the rate, at the end
DROPPED_CONTEXT = 0.25  # of the messages are read without context, so that a message is understood on its own too; not of
# those that are unmeant, which is often known from the context alone: without it they would teach that plain words are unmeant
SEED = 51


def groups(net):
    """Parameters with their rates."""
    found = []
    for name, parameter in net.named_parameters():
        if name.startswith(("head.", "message.", "role.")):
            rate = HEAD_RATE
        elif name.startswith("layer."):
            rate = RATE * DECAY ** (encoder.LAYERS - 1 - int(name.split(".")[1]))
        else:
            rate = RATE * DECAY**encoder.LAYERS
        found.append(dict(params=[parameter], lr=rate, base=rate, weight_decay=0.01 if parameter.ndim > 1 and rate != HEAD_RATE else 0))
    return found


def train(net, words, tokens, examples, statements=(), epochs=3, steps=None, budget=BUDGET, seed=SEED, rate=1.0):
    """Trains the network where it and the word vectors lie. `rate` times the rates above: a larger batch bears more."""
    torch.manual_seed(seed)
    rng = random.Random(seed)
    twice = [
        both
        for example in examples
        for both in zip(data.rows(example, tokens), data.rows(example, tokens, context=example.pretended), strict=True)
    ]
    twice += pairs.training_rows(list(statements), tokens, rng)
    full = [both[0] for both in twice]
    plan = [batch for _ in range(epochs) for batch in data.batches(full, budget, rng)][:steps]
    print(f"{len(examples)} messages, {len(statements)} pairs, {sum(len(row.ids) for row in full)} tokens, {len(plan)} steps", flush=True)
    optimizer = torch.optim.AdamW(groups(net), foreach=True)
    mean, began = None, time.monotonic()
    net.train()
    for step, batch in enumerate(plan, 1):
        factor = min(1, step / (WARM_UP * len(plan))) * max(LOWEST, 1 - step / len(plan))
        for group in optimizer.param_groups:
            group["lr"] = rate * group["base"] * factor
        rows = [twice[i][rng.random() < DROPPED_CONTEXT] for i in batch]
        inputs = network.collate(rows, words)
        with torch.autocast(words.device.type, torch.bfloat16):  # a third faster where the processor has it; weights and sums stay float32
            scores = net(*inputs)
        wanted = {name: x.to(words.device) for name, x in network.targets(rows, inputs[1].shape[1]).items()}
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
    options.add_argument("--average", action="store_true",
                         help="keep the mean of the weights at the beginning and at the end: what was learnt anew costs less of the rest")
    options.add_argument("--threads", type=int, default=2)
    chosen = options.parse_args()
    torch.set_num_threads(chosen.threads)
    examples, faults = parse.parse()
    statements, more_faults = pairs.parse()
    faults += more_faults
    if faults:
        raise SystemExit("\n".join(f"{file}:{number}: {reason}" for file, number, reason in faults))
    tensors, pieces, unknown = encoder.read()
    torch.manual_seed(SEED)
    net, words = network.start(tensors)
    if chosen.first:
        state = export.load(chosen.first)
        net.load_state_dict(net.state_dict() | state)  # a head that is newer than those weights begins anew
    training = data.fraction(data.split(examples)[0], chosen.share, chosen.always)
    began = {name: value.clone() for name, value in net.state_dict().items() if not chosen.first or name in state}
    train(net, words, data.Tokens(encoder.tokenizer(pieces, unknown)), training, pairs.split(statements)[0], chosen.epochs, chosen.steps, chosen.budget)
    state = net.state_dict()
    if chosen.average:
        state = {name: (value + began[name]) / 2 if name in began else value for name, value in state.items()}
    torch.save(state, chosen.out)


if __name__ == "__main__":
    main()
