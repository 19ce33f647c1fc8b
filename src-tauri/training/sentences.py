#!/usr/bin/env python3
"""Trains the sentence encoder: what is asked lies near what helps with it, and statements that say the same lie near each other.

usage: sentences.py OUT.pt [--epochs N] [--seed N] [--threads N]
       sentences.py --measure WEIGHTS.pt|sentences.onnx

It has upper layers of its own on the encoder's lower ones, which stay as they are. Two things are learnt at once. Of each life (lives/),
all asks against all messages: those that help before all others. And of statements without a question, how near they are: as near as the
teacher finds them in English (`teacher.py`), and as near as before in other languages, so that nearness keeps its meaning for
duplicates, topics and changes. Deliberately not here: the graph (`scripts/graph.py`).
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
import pairs
import parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "scripts"))
import graph  # noqa: E402

QUESTION, TEXT = "query: ", "passage: "  # as local.rs has them
PIECES = 128  # that training reads of a text
BATCH_TOKENS = 3000
RATE, CALIBRATION_RATE = 1e-4, 2e-2
WARM_UP, LOWEST = 0.1, 0.02
NEEDED, USEFUL = 1.0, 0.4  # weights
LEFT_OUT = -1.0  # of messages that harm because they are outdated: only time tells them apart. Other harmful ones do not help
SHARPNESS = 20.0  # of the ranking: the inverse temperature of cosines
POSITIVE = 5.0  # weight of a message that helps in the second loss; hundreds do not
NEARNESS = 40.0  # weight of the third loss
NEAR_BATCHES, NEAR_TEXTS, NEIGHBOURS = 5, 64, 8  # a step; texts in each, in groups of such nearest ones
ENGLISH, STATEMENTS, OTHERS = 5000, 6000, 2500  # texts whose nearness is kept: of messages, of pairs, of other languages
SAMPLES = (  # the product's test has their cosines
    ("what can Ana not eat", "Ana: no nuts for me please, last time I ended up in hospital"),
    ("what can Ana not eat", "the bus leaves at ten past eight"),
    ("Wann ist die Abgabe?", "the deadline is on the 3rd of March"),
    ("book a table for Friday", "I'd rather not sit outside, my back"),
)


class Upper(nn.Module):
    """The encoder's upper layers, the centre of all vectors, and the slope and shift that make a probability of a cosine."""

    def __init__(self):
        super().__init__()
        self.layer = nn.ModuleList(network.Layer() for _ in range(encoder.LAYERS - encoder.TRUNK_LAYERS))
        self.centre = nn.Parameter(torch.zeros(encoder.WIDTH))
        self.slope, self.shift = nn.Parameter(torch.tensor(12.0)), nn.Parameter(torch.tensor(-6.0))

    def mean(self, x, mask):
        for layer in self.layer:
            x = layer(x, mask[:, None, None, :])
        x = x.float() * mask[..., None]
        return x.sum(1) / mask.sum(1, keepdim=True)

    def forward(self, x, mask):
        return F.normalize(self.mean(x, mask) - self.centre, dim=-1)


class Trunk:
    """The encoder with its lower layers."""

    def __init__(self):
        tensors, pieces, unknown = encoder.read()
        self.net, self.words = network.start(tensors)
        self.net.requires_grad_(False).eval()
        self.tokenizer = encoder.tokenizer(pieces, unknown)
        self.halves = network.has_fast_halves()

    def upper(self):
        """The upper layers as they were before."""
        made = Upper()
        made.layer.load_state_dict(self.net.layer[encoder.TRUNK_LAYERS :].state_dict())
        return made

    def ids(self, text):
        return [encoder.CLS, *self.tokenizer.encode(text, add_special_tokens=False).ids[:PIECES], encoder.SEP]

    def embedded(self, rows):
        """(word vectors, mask) of rows of ids."""
        length = max(map(len, rows))
        ids, mask = np.full((len(rows), length), encoder.PAD), np.zeros((len(rows), length), bool)
        for i, row in enumerate(rows):
            ids[i, : len(row)], mask[i, : len(row)] = row, True
        return self.words[torch.from_numpy(ids)], torch.from_numpy(mask)

    def lower(self, rows):
        words, mask = self.embedded(rows)
        x = self.net.norm(words + self.net.position[: words.shape[1]])
        for layer in self.net.layer[: encoder.TRUNK_LAYERS]:
            x = layer(x, mask[:, None, None, :])
        return x, mask


def trained(path):
    """The state dict of layers above the trunk: of weights as they were trained, or of the graph that they were made into, but for the
    rounding of their eight bits."""
    if pathlib.Path(path).suffix != ".onnx":
        return torch.load(path, weights_only=True)
    constants = graph.Constants(path, {})
    for number in range(encoder.LAYERS - encoder.TRUNK_LAYERS):
        constants.layer(f"layer.{number}", f"l{number}")
    if "typical" in constants.found:
        constants.state["centre"] = constants.found["typical"]
    if "help.weight" in constants.found:
        constants.plain("head", "help", np.transpose)
    return {name: torch.tensor(np.ascontiguousarray(value, dtype=np.float32)) for name, value in constants.state.items()}


class Texts:
    """Texts with what the lower layers make of them, worked out once."""

    def __init__(self, trunk, texts=(), rows=None, budget=BATCH_TOKENS):
        rows = [trunk.ids(text) for text in texts] if rows is None else rows
        order = sorted(range(len(rows)), key=lambda i: len(rows[i]))
        self.count, self.batches, self.halves = len(rows), [], trunk.halves
        with torch.no_grad(), torch.autocast("cpu", torch.bfloat16, enabled=self.halves):
            while order:
                size = next((n for n in range(1, len(order)) if (n + 1) * len(rows[order[n]]) > budget), len(order))
                some, order = order[:size], order[size:]
                x, mask = trunk.lower([rows[i] for i in some])
                self.batches.append((some, x.bfloat16() if self.halves else x, mask))

    def vectors(self, upper):
        found = [None] * self.count
        for some, x, mask in self.batches:
            with torch.autocast("cpu", torch.bfloat16, enabled=self.halves):
                for i, vector in zip(some, upper(x, mask)):
                    found[i] = vector
        return torch.stack(found)


class Asked:
    """A life: its messages, what is asked, and how much each message helps."""

    def __init__(self, trunk, life):
        place = {line.number: i for i, line in enumerate(life.lines)}
        self.kinds = [ask.kind for ask in life.asks]
        self.messages = Texts(trunk, [TEXT + lives.embedded(line) for line in life.lines])
        self.asks = Texts(trunk, [QUESTION + ask.text for ask in life.asks])
        self.helps = torch.zeros(len(life.asks), len(life.lines))
        outdated = lives.outdated(life)
        for i, ask in enumerate(life.asks):
            for number, mark in ask.marks.items():
                harm = LEFT_OUT if number in outdated else 0.0
                self.helps[i, place[number]] = {"needed": NEEDED, "useful": USEFUL, "harmful": harm}[mark]

    def cosines(self, upper):
        return self.asks.vectors(upper) @ self.messages.vectors(upper).T


def ranking(cosines, helps):
    """Each message that helps before all that do not: softmax over it and them, the other ones left out."""
    scores = SHARPNESS * cosines
    others = torch.logsumexp(scores.masked_fill(helps != 0, -1e4), 1, keepdim=True)
    weight = helps.clamp(min=0)
    return ((torch.logaddexp(scores, others) - scores) * weight).sum() / weight.sum()


def calibration(cosines, helps, upper):
    """One cosine means the same whatever is asked, also where nothing helps."""
    weight = torch.where(helps < 0, 0.0, torch.where(helps > 0, POSITIVE * helps.clamp(min=0), torch.ones(())))
    found = F.binary_cross_entropy_with_logits(upper.slope * cosines + upper.shift, (helps > 0).float(), weight=weight, reduction="sum")
    return found / (2 * POSITIVE * helps.clamp(min=0).sum())


def groups(vectors, rng):
    """Indices in batches, so that near ones stand together."""
    alive, seeds, batches, batch = torch.ones(len(vectors), dtype=torch.bool), list(range(len(vectors))), [], []
    rng.shuffle(seeds)
    families = []
    for seed in seeds:
        if alive[seed]:
            left = alive.nonzero()[:, 0]
            near = left[(vectors[left] @ vectors[seed]).argsort(descending=True)[:NEIGHBOURS]]
            alive[near] = False
            families.append(near.tolist())
    rng.shuffle(families)
    for family in families:
        batch += family
        if len(batch) >= NEAR_TEXTS:
            batches.append(batch)
            batch = []
    return batches


def nearness(trunk, upper, rng):
    """Batches of texts with the nearness that they are to keep."""
    import teacher

    found = {True: [], False: []}
    for talk in data.conversations(parse.parse()[0]):
        example = next(iter(talk.examples.values()), None)
        found[example is None or example.language == "English"] += [text for _, text in talk.turns if 8 < len(text) < 400]
    statements = [text for pair in pairs.split(pairs.parse()[0])[0] if pair.language == "English" for text in (pair.earlier, pair.later)]
    english = rng.sample(found[True], ENGLISH) + rng.sample(statements, STATEMENTS)
    others = rng.sample(found[False], OTHERS)
    upper.eval()
    with torch.no_grad():
        known = [(english, teacher.Teacher()(english)), (others, Texts(trunk, [TEXT + text for text in others]).vectors(upper))]
    return [(Texts(trunk, [TEXT + texts[i] for i in batch]), vectors[batch] @ vectors[batch].T)
            for texts, vectors in known for batch in groups(vectors, rng)]


def train(trunk, upper, training, epochs, rng):
    near = nearness(trunk, upper, rng)
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16, enabled=trunk.halves):
        means = [upper.mean(x, mask) for life in training[:4] for _, x, mask in life.messages.batches]
        upper.centre.copy_(torch.cat(means).mean(0))
    upper.train()
    optimizer = torch.optim.AdamW([
        dict(params=[*upper.layer.parameters(), upper.centre], base=RATE), dict(params=[upper.slope, upper.shift], base=CALIBRATION_RATE),
    ], lr=RATE, weight_decay=0.01)
    steps, step, turn, began = epochs * len(training), 0, 0, time.monotonic()
    for epoch in range(1, epochs + 1):
        rng.shuffle(training)
        total = np.zeros(3)
        for life in training:
            step += 1
            for group in optimizer.param_groups:
                group["lr"] = group["base"] * min(1, step / (WARM_UP * steps)) * max(LOWEST, 1 - step / steps)
            cosines = life.cosines(upper)
            losses = [ranking(cosines, life.helps), calibration(cosines, life.helps, upper), torch.zeros(())]
            for _ in range(NEAR_BATCHES):
                texts, wanted = near[turn % len(near)]
                turn += 1
                vectors = texts.vectors(upper)
                losses[2] = losses[2] + ((vectors @ vectors.T - wanted) ** 2).mean() / NEAR_BATCHES
            (losses[0] + losses[1] + NEARNESS * losses[2]).backward()
            nn.utils.clip_grad_norm_(upper.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()
            total += [loss.item() for loss in losses]
        print(f"  {epoch}/{epochs} ranking {total[0] / len(training):.3f} calibration {total[1] / len(training):.3f} "
              f"nearness {total[2] / len(training):.4f} {time.monotonic() - began:.0f} s", flush=True)
    upper.eval()


@torch.no_grad()
def report(cosines_of, held_out):
    """Prints, of lives held out, what share of the needed messages is among the first, and which cosine serves how much."""
    for kind in ("task", "question"):
        first, served = {5: [], 8: [], 24: []}, []
        for life in held_out:
            cosines = cosines_of(life)
            for i in (i for i, of in enumerate(life.kinds) if of == kind):
                needed = set((life.helps[i] == NEEDED).nonzero()[:, 0].tolist())
                order = cosines[i].argsort(descending=True).tolist()
                if needed:
                    for k, shares in first.items():
                        shares.append(len(needed & set(order[:k])) / min(k, len(needed)))
                served += [(float(cosines[i, k]), float(life.helps[i, k])) for k in order[:8]]
        print(f"{kind:9} needed among the first: " + "  ".join(f"{k}: {np.mean(shares):.2f}" for k, shares in first.items()))
        cells = []
        for least in (0.3, 0.4, 0.5, 0.6):
            kept = [helps for cosine, helps in served if cosine >= least]
            cells.append(f"{least}: {len(kept)} served, {np.mean([helps > 0 for helps in kept] or [0]):.2f} help")
        print("          of the first eight, from a cosine of " + "; ".join(cells), flush=True)


def vectors_of_graph(path, texts):
    """What the exported graph makes of texts (with their prefix), as arrays."""
    trunk = Trunk()
    return of_graph(path, [trunk.ids(text) for text in texts], trunk)


def of_graph(path, rows, trunk=None):
    """What a graph on the lower layers makes of rows of ids, as arrays."""
    import onnxruntime

    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    found = [None] * len(rows)
    for some, hidden, mask in Texts(trunk or Trunk(), rows=rows).batches:
        for i, numbers in zip(some, session.run(None, {"hidden": hidden.float().numpy(), "mask": mask.long().numpy()})[0]):
            found[i] = numbers
    return found


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("out")
    chosen = network.options(options, epochs=5)
    found, faults = lives.parse()
    if faults:
        raise SystemExit("\n".join(f"{file}:{number}: {reason}" for file, number, reason in faults))
    trunk = Trunk()
    training, held_out = ([Asked(trunk, life) for life in some] for some in lives.split(lives.asked(found)))
    upper = trunk.upper()
    if chosen.measure:
        upper.load_state_dict(upper.state_dict() | trained(chosen.out))
        upper.eval()
    else:
        train(trunk, upper, training, chosen.epochs, random.Random(chosen.seed))
        torch.save(upper.state_dict(), pathlib.Path(chosen.out))
    report(lambda life: life.cosines(upper), held_out)


if __name__ == "__main__":
    sys.exit(main())
