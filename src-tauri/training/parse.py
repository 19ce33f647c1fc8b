#!/usr/bin/env python3
"""Reads the hand-written training text (text/*.txt, format: text/MARKING.md) into examples, one a message.

usage: parse.py --check [FILE...]           every malformed line with its reason, then counts; exit 1 if a line is malformed
       parse.py --json OUT [FILE...]        the examples, one JSON object a line
       parse.py --disagreements [FILE...]   the same words marked differently in different places

Why a strict parser: a brace too few moves a mark over half a conversation and nobody sees it. A malformed line is
reported and left out whole; it never becomes an example by guessing. Standard library only, so that it runs anywhere.
"""
import argparse
import collections
import dataclasses
import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
TEXT = HERE / "text"

# The order of each list is the order of the network's outputs; append, never insert.
CATEGORIES = {
    "i": "personal_info",
    "p": "preference",
    "e": "experience",
    "r": "relationship",
    "g": "goal",
    "s": "skill",
}
LABELS = {
    "X": "not the speaker's words",
    "C": "promise",
    "D": "decision",
    "S": "solution",
    "U": "unmet request",
    "W": "wish about how things are done",
    "T": "thanks or complaint",
}
ATTRIBUTES = (
    "name age birthday home origin job employer education health allergy diet pet possession language skill tool hobby "
    "like dislike habit opinion value partner child parent sibling friend colleague plan goal event past faith money "
    "contact other"
).split()
ROLES = {"u": "owner", "a": "assistant", "tool": "tool", "system": "system"}  # any other speaker is a person

# Headings "# German" name the language of the lines below; any other heading goes back to English.
LANGUAGES = (
    "Arabic Bengali Chinese Czech Danish Dutch Finnish French German Greek Hebrew Hindi Hungarian Indonesian Italian "
    "Japanese Korean Norwegian Polish Portuguese Romanian Russian Spanish Swahili Swedish Tagalog Thai Turkish "
    "Ukrainian Urdu Vietnamese Mixed Code-switching"
).split()
FACTS_ONLY = "# facts only"  # a file that opens so has no other marks and no attributes: nothing is learnt from their absence

MAX_DEPTH = 3  # "a quotation within it a promise within it a fact" is the deepest that means something
TURN = re.compile(r"([^:{}|]{1,40}):\s*(.*)$", re.S)
# One letter, so that `{name: 1}` in code is no mark. Code that does look like a mark is written `\{`.
MARK = re.compile(r"\{([A-Za-z])(?:\.([A-Za-z]*))?([-?@]*):")


@dataclasses.dataclass(frozen=True)
class Mark:
    """A span of a message: code points from `start` to `end`, exclusive."""

    start: int
    end: int
    label: str
    attribute: str | None = None
    negated: bool = False
    implied: bool = False
    other: bool = False

    @property
    def is_fact(self):
        return self.label in CATEGORIES

    @property
    def about_other(self):
        """Whether the fact is about somebody other than the speaker.

        A relationship fact is about the relative or friend, unless it says that there is none.
        """
        return self.other or (self.label == "r" and not self.negated)


@dataclasses.dataclass(frozen=True)
class Example:
    """One message with what stood before it."""

    file: str
    line: int
    turn: int
    role: str
    speaker: str
    text: str
    context: tuple  # (role, text) of every turn before, oldest first
    marks: tuple
    pretended: bool
    language: str
    facts_only: bool

    @property
    def facts(self):
        return [mark for mark in self.marks if mark.is_fact]


class Malformed(ValueError):
    """A line that breaks the format, with the reason."""


def unmark(body, facts_only=False):
    """The text of a turn without its marks, and the marks, sorted by place."""
    out, marks, open_, at = [], [], [], 0
    while at < len(body):
        char = body[at]
        if body.startswith("\\n", at):
            out.append("\n")
            at += 2
            continue
        if char == "\\" and body[at + 1 : at + 2] in ("{", "}"):
            out.append(body[at + 1])
            at += 2
            continue
        found = MARK.match(body, at)
        if found:
            check_mark(found, facts_only)
            open_.append((len(out), found))
            if sum(mark is not None for _, mark in open_) > MAX_DEPTH:
                raise Malformed(f"more than {MAX_DEPTH} marks within each other at {excerpt(body, at)}")
            at = found.end()
            continue
        if char == "{":
            open_.append((len(out), None))
        elif char == "}":
            if not open_:
                raise Malformed(f"unbalanced braces: nothing is open at {excerpt(body, at)} (a brace of the text is written \\}})")
            start, found = open_.pop()
            if found:
                marks.append(finish(out, start, found))
                at += 1
                continue
        out.append(char)
        at += 1
    if open_:
        raise Malformed(f"unbalanced braces: {len(open_)} not closed within the turn (a brace of the text is written \\{{)")
    return "".join(out), tuple(sorted(marks, key=lambda mark: (mark.start, -mark.end, mark.label)))


def check_mark(found, facts_only):
    """Raises when the head of a mark, `{letter.attribute flags:`, is not one of the format."""
    letter, attribute, flags = found.groups()
    head = found.group()
    if letter in LABELS:
        if attribute is not None or flags:
            raise Malformed(f"{head} only facts have an attribute or a sign")
        if facts_only:
            raise Malformed(f"{head} in a file of facts only")
        return
    if letter not in CATEGORIES:
        raise Malformed(f"{head} unknown letter {letter!r}")
    if attribute is None:
        if not facts_only:
            raise Malformed(f"{head} a fact without an attribute")
    elif attribute not in ATTRIBUTES:
        raise Malformed(f"{head} unknown attribute {attribute!r}")
    if len(set(flags)) != len(flags):
        raise Malformed(f"{head} the same sign twice")


def finish(out, start, found):
    """The mark whose text is everything in `out` from `start`, without blanks at its ends."""
    end = len(out)
    while start < end and out[start].isspace():
        start += 1
    while end > start and out[end - 1].isspace():
        end -= 1
    if start == end:
        raise Malformed(f"{found.group()} an empty span")
    letter, attribute, flags = found.groups()
    return Mark(start, end, letter, attribute, "-" in flags, "?" in flags, "@" in flags)


def excerpt(body, at):
    return repr(body[max(0, at - 20) : at + 20])


def parse_line(line, file="", number=0, language="English", facts_only=False):
    """The examples of one conversation; every turn of owner, person or assistant is one."""
    examples, context = [], []
    for position, raw in enumerate(line.split(" | "), 1):
        if MARK.match(raw.lstrip()):
            raise Malformed(f"a mark outside of a turn: {raw[:30]!r}")
        found = TURN.match(raw)
        if not found:
            raise Malformed(f"a turn without a speaker: {raw[:30]!r}")
        speaker, body = found[1].strip(), found[2]
        if not speaker:
            raise Malformed(f"a turn without a speaker: {raw[:30]!r}")
        role = ROLES.get(speaker, "person")
        pretended = body.startswith("~")
        text, marks = unmark(body[1:].lstrip() if pretended else body, facts_only)
        if not text.strip():
            raise Malformed(f"an empty turn of {speaker!r}")
        if role in ("assistant", "tool", "system") and any(mark.is_fact for mark in marks):
            raise Malformed(f"a fact in a turn of {role}, which has no life of its own")
        if role in ("owner", "person", "assistant"):
            examples.append(
                Example(file, number, position, role, speaker, text, tuple(context), marks, pretended, language, facts_only)
            )
        context.append((role, text))
    return examples


def parse_file(path):
    """The examples of a file and its faults as (line, reason)."""
    examples, faults = [], []
    language, facts_only = "English", False
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        line = line.strip("\r")
        if line.strip() == FACTS_ONLY:
            facts_only = True
        elif line.startswith("#"):
            first = (re.findall(r"[A-Za-z-]+", line) or [""])[0]
            language = first if first in LANGUAGES else "English"
        elif line.strip():
            try:
                examples += parse_line(line, path.name, number, language, facts_only)
            except Malformed as fault:
                faults.append((number, str(fault)))
    return examples, faults


def paths(names=()):
    return [pathlib.Path(name) for name in names] or sorted(TEXT.glob("*.txt"))


def parse(names=()):
    """Examples of all files, or of those named, and faults as (file, line, reason)."""
    examples, faults = [], []
    for path in paths(names):
        found, wrong = parse_file(path)
        examples += found
        faults += [(path.name, number, reason) for number, reason in wrong]
    return examples, faults


def counts(examples):
    """What there is of each file, label, attribute and language, as printed text."""
    lines = ["file                            messages  with facts  facts  other marks  unmeant"]
    by_file = collections.defaultdict(list)
    for example in examples:
        by_file[example.file].append(example)
    for name, rows in [*sorted(by_file.items()), ("all", examples)]:
        facts = sum(len(row.facts) for row in rows)
        others = sum(len(row.marks) for row in rows) - facts
        with_facts = sum(bool(row.facts) for row in rows)
        unmeant = sum(row.pretended for row in rows)
        lines.append(f"{name:30} {len(rows):9} {with_facts:11} {facts:6} {others:12} {unmeant:8}")
    marks = [mark for example in examples for mark in example.marks]
    facts = [mark for mark in marks if mark.is_fact]
    for title, seen in (
        ("label", collections.Counter(mark.label for mark in marks)),
        ("attribute", collections.Counter(mark.attribute or "(none)" for mark in facts)),
        ("sign", collections.Counter(sign for m in facts for sign in ("-" * m.negated, "?" * m.implied, "@" * m.other) if sign)),
        ("messages by language", collections.Counter(example.language for example in examples)),
    ):
        lines.append(f"{title}: " + ", ".join(f"{name} {number}" for name, number in seen.most_common()))
    return "\n".join(lines)


def disagreements(examples):
    """Words that carry different marks in different places: (words, {"i.pet": [places]}), most places first.

    By form only: the whole span is equal, case and punctuation aside. It finds a rule applied in two ways, not every case.
    """
    seen = collections.defaultdict(lambda: collections.defaultdict(list))
    for example in examples:
        for mark in example.facts:
            if mark.attribute:
                words = " ".join(re.findall(r"\w+", example.text[mark.start : mark.end].lower()))
                name = f"{mark.label}.{mark.attribute}{'-' * mark.negated}"
                seen[words][name].append(f"{example.file}:{example.line}")
    found = [(words, dict(names)) for words, names in seen.items() if len(names) > 1]
    return sorted(found, key=lambda item: (-sum(map(len, item[1].values())), item[0]))


def main(arguments=None):
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    mode = options.add_mutually_exclusive_group(required=True)
    mode.add_argument("--check", action="store_true")
    mode.add_argument("--disagreements", action="store_true")
    mode.add_argument("--json", metavar="OUT")
    options.add_argument("files", nargs="*")
    chosen = options.parse_args(arguments)
    examples, faults = parse(chosen.files)
    for file, number, reason in faults:
        print(f"{file}:{number}: {reason}", file=sys.stderr if chosen.json else sys.stdout)
    if chosen.json:
        with open(chosen.json, "w", encoding="utf-8") as out:
            for example in examples:
                out.write(json.dumps(dataclasses.asdict(example), ensure_ascii=False) + "\n")
    elif chosen.disagreements:
        for words, names in disagreements(examples):
            print(f"{words}: " + "; ".join(f"{name} in {', '.join(places)}" for name, places in sorted(names.items())))
    else:
        print(counts(examples))
        print(f"{len(faults)} malformed lines")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
