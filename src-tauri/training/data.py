"""From examples to what the network sees: the layout of a message in its context, windows, targets, the split by author.

Layout, in tokens:  CLS [ROLE opener SEP] (ROLE turn)* SEP ROLE message SEP

The opener, the conversation's first turn, is there when it lies further back than the turns shown: it often says that
what follows is a play. ROLE is one position without a word: its vector is zero and its number in `roles` says who
speaks. A message longer than a window is read in windows that overlap.
"""
import collections
import random

import numpy as np

import encoder
import parse

ROLE = {"owner": 1, "assistant": 2, "person": 3, "system": 4, "tool": 5}  # 0: a word
MESSAGE = 224  # tokens of the message in one window; 99 of 100 messages are shorter
STEP = 160  # from window to window; what is cut at an end of one has 32 tokens on both sides in the other
CONTEXT = 110  # tokens of the turns before, together
OPENER = 30  # tokens of the opening turn
TURN, TURN_HEAD = 40, 14  # tokens of one turn before; a longer one keeps its first 14 and its last 26
TURNS = 3  # turns before

CATEGORIES = list(parse.CATEGORIES)
LABELS = list(parse.LABELS)
ATTRIBUTES = parse.ATTRIBUTES
KINDS = ("fact", "nothing", "unmeant")
SIGNS = ("negated", "implied", "other")
SHORTEST = 27  # tokens that a row counts at least in a batch, or a batch of one-word messages would be hundreds of them
UNKNOWN = -100  # a target that teaches nothing

# By file, which is by author: neighbouring lines of a file are often pairs, and a split by line would learn the test.
# Each part has English of several kinds, every label and a file of languages (07, 41; the larger ones stay for
# training). The languages' files repeat situations, so figures for languages are a little too good.
CALIBRATION = ("02", "07", "11", "26", "42")
TEST = ("00-early-2", "03", "21", "31", "38", "41")

# All turns of an assistant with a mark, and every fourth without: most say nothing, and there are many.
ASSISTANT_SHARE = 4

# `change`: what a statement makes of the one before it (pairs.py); of messages it is unknown.
Row = collections.namedtuple(
    "Row", "ids roles start tag category attribute signs labels kind language offsets first change", defaults=(UNKNOWN,)
)

# What `head` needs of a message that is a statement alone.
Statement = collections.namedtuple("Statement", "role context text")


def split(examples):
    """(training, calibration, test) of the examples, by file."""
    parts = [], [], []
    for number, example in enumerate(examples):
        if example.role == "assistant" and not example.marks and number % ASSISTANT_SHARE:
            continue
        part = 2 if example.file.startswith(TEST) else 1 if example.file.startswith(CALIBRATION) else 0
        parts[part].append(example)
    return parts


class Tokens:
    """Ids and places (code points) of a text's tokens, remembered: a turn is context of several messages."""

    def __init__(self, tokenizer):
        self.tokenizer, self.known = tokenizer, {}

    def __call__(self, text):
        if text not in self.known:
            found, places = self.tokenizer.encode(text, add_special_tokens=False), []
            for start, end in found.offsets:
                while start < end and text[start].isspace():  # the blank that a piece carries is not part of it
                    start += 1
                places.append((start, end))
            self.known[text] = (found.ids, places)
        return self.known[text]


def head(example, tokens, context=True):
    """(ids, roles) of everything before the message."""
    ids, roles = [encoder.CLS], [0]

    def turn(role, words):
        return [encoder.PAD, *words], [ROLE[role], *[0] * len(words)]

    before_ids, before_roles = [], []
    if context:
        if len(example.context) > TURNS:
            role, text = example.context[0]
            more = turn(role, tokens(text)[0][:OPENER])
            ids, roles = ids + more[0] + [encoder.SEP], roles + more[1] + [0]
        for role, text in reversed(example.context[-TURNS:]):
            words = tokens(text)[0]
            if len(words) > TURN:
                words = words[:TURN_HEAD] + words[TURN_HEAD - TURN :]
            if len(before_ids) + len(words) + 1 > CONTEXT:
                break
            more = turn(role, words)
            before_ids, before_roles = more[0] + before_ids, more[1] + before_roles
    ids, roles = ids + before_ids + [encoder.SEP], roles + before_roles + [0]
    return ids + [encoder.PAD], roles + [ROLE[example.role]]


def windows(length):
    """(start, end) of the windows over a message of so many tokens; one even for an empty message."""
    at, found = 0, []
    while True:
        found.append((at, min(length, at + MESSAGE)))
        if at + MESSAGE >= length:
            return found
        at += STEP


def rows(example, tokens, context=True):
    """One row a window of the message."""
    before_ids, before_roles = head(example, tokens, context)
    ids, places = tokens(example.text)
    count = len(ids)
    tag, category, attribute = np.zeros(count, int), np.full(count, UNKNOWN), np.full(count, UNKNOWN)
    signs, labels = np.full((count, len(SIGNS)), -1.0), np.zeros((count, len(LABELS)))
    if example.facts_only:
        labels[:] = -1
    for mark in example.marks:
        inside = [i for i, (start, end) in enumerate(places) if start < mark.end and mark.start < end]
        if mark.label in parse.LABELS:
            labels[inside, LABELS.index(mark.label)] = 1
            continue
        for number, i in enumerate(inside):
            tag[i] = 1 if number == 0 else 2
            category[i] = CATEGORIES.index(mark.label)
            if mark.attribute:
                attribute[i] = ATTRIBUTES.index(mark.attribute)
                signs[i] = [mark.negated, mark.implied, mark.about_other]
    kind = 0 if example.facts else 2 if example.pretended else 1
    language = 0 if example.language == "English" else 1
    found = []
    for start, end in windows(count):
        s = slice(start, end)
        # A window without the fact that the message has is no "fact" window.
        here = kind if kind or tag[s].any() else 1
        found.append(
            Row(before_ids + ids[s] + [encoder.SEP], before_roles + [0] * (end - start + 1), len(before_ids), tag[s], category[s],
                attribute[s], signs[s], labels[s], here, language, places[s], start)
        )
    return found


def batches(found, budget, rng):
    """Lists of indices of rows of like length, at most `budget` tokens a batch, in random order."""
    order, out, largest = list(range(len(found))), [], budget // SHORTEST
    rng.shuffle(order)
    for chunk in range(0, len(order), 1500):
        batch = []
        for i in sorted(order[chunk : chunk + 1500], key=lambda i: len(found[i].ids)):
            if batch and ((len(batch) + 1) * len(found[i].ids) > budget or len(batch) >= largest):
                out.append(batch)
                batch = []
            batch.append(i)
        if batch:
            out.append(batch)
    rng.shuffle(out)
    return out


def fraction(examples, share, always=(), seed=1):
    """So much of the examples, whole files in a fixed random order, those that begin with `always` first: for the learning curve."""
    files = sorted({example.file for example in examples})
    random.Random(seed).shuffle(files)
    files.sort(key=lambda file: not file.startswith(tuple(always)))
    kept, wanted = [], share * len(examples)
    for file in files:
        if len(kept) >= wanted and not file.startswith(tuple(always)):
            break
        kept += [example for example in examples if example.file == file]
    return kept
