"""From conversations to what the network sees: the layout of a segment, targets, the split by author.

Layout, in tokens:  CLS [ROLE opener SEP] (ROLE turn)* SEP (ROLE message)*

A segment is some messages in a row that are read at once. Nothing looks ahead: a token sees its own message and what stands
before it, so a message reads alike whatever follows, and is read once. What stands before the segment is context: the turns
right before it, shortened, and the opener, the conversation's first turn, when it lies further back: it often says that what
follows is a play. ROLE is one position without a word: its vector is zero, its number in `roles` says who speaks, and what
holds of a message as a whole is read there. Where segments begin depends on the lengths of what was said before alone.
"""
import collections
import random

import numpy as np

import encoder
import parse

ROLE = {"owner": 1, "assistant": 2, "person": 3, "system": 4, "tool": 5}  # 0: a word
MESSAGE = 224  # tokens of a long message in one window
STEP = 160  # from window to window; what is cut at an end of one has 32 tokens on both sides in the other
CONTEXT = 64  # tokens of the turns before a segment, together: they are read again with it, and cost as much as its own
OPENER = 24  # tokens of the opening turn
TURN, TURN_HEAD = 32, 12  # tokens of one turn before; a longer one keeps its first 12 and its last 20
TURNS = 4  # turns before a segment
LONG_BYTES = 600  # of a message that is read on its own, in windows; 9 of 10 are shorter
SEGMENT_BYTES = 700  # of the messages of a segment, together: some 175 tokens; longer ones cost more a token, shorter ones more context
TOKENS = 512  # positions that the encoder has; a segment of dense writing that is longer goes on in another row

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
TEST = ("00-early-2", "03", "21", "31", "38", "41", "77")  # 77: whose an account is

# All turns of an assistant with a mark, and every fourth without: most say nothing, and there are many.
ASSISTANT_SHARE = 4

# One row of the network: ids, roles, which message each token belongs to (`order`: what sees a token has the same or a larger
# one), and the messages that are read in it.
Row = collections.namedtuple("Row", "ids roles order messages")
# A message in a row: its place in the conversation, the position of its ROLE, how many tokens follow it, their places in the
# text, the index of the first of them among the message's own, and what it teaches (or nothing).
Part = collections.namedtuple("Part", "at role length places first targets")
# `change`: what a statement makes of the one before it (pairs.py); of messages it is unknown.
Targets = collections.namedtuple("Targets", "tag category attribute signs labels kind language change")


def split(examples):
    """(training, calibration, test) of the examples, by file."""
    parts = [], [], []
    for example in examples:
        part = 2 if example.file.startswith(TEST) else 1 if example.file.startswith(CALIBRATION) else 0
        parts[part].append(example)
    return parts


Conversation = collections.namedtuple("Conversation", "turns examples")  # (role, text) of each turn; the example of each turn that has one


def conversations(examples):
    """Examples by the conversation that they stand in."""
    found = {}
    for example in examples:
        key = (example.file, example.line)
        if key not in found or len(found[key].turns) <= len(example.context):
            turns = [*example.context, (example.role, example.text)]
            found[key] = Conversation(turns, found[key].examples if key in found else {})
        found[key].examples[len(example.context)] = example
    return list(found.values())


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


class Filling:
    """A row that is being filled."""

    def __init__(self):
        self.ids, self.roles, self.order, self.messages = [encoder.CLS], [0], [0], []

    def put(self, ids, role=None):
        """Tokens of the turn that is open, or of a new one."""
        if role is not None:
            self.ids.append(encoder.PAD), self.roles.append(ROLE[role]), self.order.append(self.order[-1] + 1)
        self.ids += ids
        self.roles += [0] * len(ids)
        self.order += [self.order[-1]] * len(ids)

    def message(self, at, role, ids, places, first=0, targets=None):
        self.put([], role)
        self.messages.append(Part(at, len(self.ids) - 1, len(ids), places, first, targets))
        self.put(ids)

    def row(self):
        return Row(self.ids, self.roles, self.order, self.messages)


def head(turns, tokens):
    """A row with everything before a segment."""
    row = Filling()
    shown, length = [], 0
    for role, text in reversed(turns[-TURNS:] if turns else []):
        words = tokens(text)[0]
        if len(words) > TURN:
            words = words[:TURN_HEAD] + words[TURN_HEAD - TURN :]
        if length + len(words) + 1 > CONTEXT:
            break
        length += len(words) + 1
        shown.append((role, words))
    if len(turns) > len(shown):
        role, text = turns[0]
        row.put(tokens(text)[0][:OPENER], role)
        row.put([encoder.SEP])
    for role, words in reversed(shown):
        row.put(words, role)
    row.put([encoder.SEP])
    return row


def windows(length):
    """(start, end) of the windows over a message of so many tokens; one even for an empty message."""
    at, found = 0, []
    while True:
        found.append((at, min(length, at + MESSAGE)))
        if at + MESSAGE >= length:
            return found
        at += STEP


def segments(turns):
    """(start, end) of the segments of a conversation, by the lengths of its turns."""
    found, start, size = [], 0, 0
    for at, (_, text) in enumerate(turns):
        more = len(text.encode("utf-8", "surrogatepass"))
        if at > start and (more > LONG_BYTES or size + more > SEGMENT_BYTES or size > LONG_BYTES):
            found.append((start, at))
            start, size = at, 0
        size += more
    if turns:
        found.append((start, len(turns)))
    return found


def rows(turns, start, end, tokens, targets=None):
    """The rows of a segment; `targets` gives what the message at a place teaches, by window."""
    targets = targets or (lambda at, window: None)
    role, text = turns[start]
    if end == start + 1:
        ids, places = tokens(text)
        found = []
        for a, b in windows(len(ids)):
            row = head(turns[:start], tokens)
            row.message(start, role, ids[a:b], places[a:b], a, targets(start, slice(a, b)))
            found.append(row.row())
        return found
    row, found = head(turns[:start], tokens), []
    for at in range(start, end):
        role, text = turns[at]
        ids, places = tokens(text)
        if len(ids) > MESSAGE:  # dense writing: it has more tokens than its bytes let one think
            return [*([*found, row.row()] if row.messages else found), *rows(turns, at, at + 1, tokens, targets),
                    *(rows(turns, at + 1, end, tokens, targets) if at + 1 < end else [])]
        if len(row.ids) + 1 + len(ids) > TOKENS:
            found.append(row.row())
            row = head(turns[:at], tokens)
        row.message(at, role, ids, places, 0, targets(at, slice(0, len(ids))))
    return [*found, row.row()]


def targets_of(example, tokens):
    """A function of a window of the example's message that answers what it teaches."""
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

    def of(window):
        # A window without the fact that the message has is no "fact" window.
        here = kind if kind or tag[window].any() else 1
        return Targets(tag[window], category[window], attribute[window], signs[window], labels[window], here, language, UNKNOWN)

    return of


WHOLE, CUT = 0.55, 0.8  # of the conversations: read from their beginning, and up to here cut somewhere; the rest a message at a time
AFTER_ANOTHER = 0.3  # of the conversations that are read whole stand behind another one, as talk goes on to something else


def training_rows(talks, tokens, rng):
    """Rows of all conversations, read in ways that the product reads them: from the beginning, from the middle on, alone."""
    found = []
    earnest = [talk for talk in talks if not any(example.pretended for example in talk.examples.values())]
    for talk in talks:
        teaches = {}
        for at, example in talk.examples.items():
            # Most turns of an assistant without a mark say nothing, and there are many.
            if example.marks or example.role != "assistant" or rng.random() < 1 / ASSISTANT_SHARE:
                teaches[at] = targets_of(example, tokens)
        turns, way = list(talk.turns), rng.random()
        if way < CUT:
            cuts, offset = [0], 0
            if way >= WHOLE and len(turns) > 1:
                cuts.append(rng.randrange(1, len(turns)))
            elif rng.random() < AFTER_ANOTHER and earnest:
                before = rng.choice(earnest).turns[-2 * TURNS :]
                turns, offset = [*before, *turns], len(before)
                cuts = rng.choice(([0], [0, offset]))
            targets = lambda at, window: teaches[at - offset](window) if at - offset in teaches else None  # noqa: E731
            for a, b in zip(cuts, [*cuts[1:], len(turns)]):
                for start, end in segments(turns[a:b]):
                    found += [row for row in rows(turns, a + start, a + end, tokens, targets) if any(part.targets for part in row.messages)]
        else:
            for at, of in teaches.items():
                # What is unmeant is often known from the context alone: without it, it would teach that plain words are unmeant.
                alone = [turns[at]] if not talk.examples[at].pretended else turns[: at + 1]
                place = len(alone) - 1
                found += rows(alone, place, place + 1, tokens, lambda _, window, of=of: of(window))
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
