#!/usr/bin/env python3
"""Lives: months of somebody's messages, and which of them help with what is asked (lives/MARKING.md).

usage: lives.py --check [FILE...]
       lives.py --write FOLDER

Prints malformed lines and counts; or writes those that are held out as `fit_search.py` and `fit_context.py` read them. Deliberately not
here: what a message says (`parse.py`).
"""
import collections
import json
import pathlib
import re
import sys

FOLDER = pathlib.Path(__file__).resolve().parent / "lives"
# By file, which is by author: what measures and calibrates is never trained on.
HELD_OUT = ("02", "07", "08", "12", "26", "29", "54", "61")
SIGNS = {"!": "needed", "+": "useful", "x": "harmful"}

Line = collections.namedtuple("Line", "number conversation day speaker text")
Ask = collections.namedtuple("Ask", "kind text marks")  # marks: number of a line → needed, useful or harmful
# outdated, kept, fallen: pairs (later, earlier) of numbers; promises: numbers of all promises
Life = collections.namedtuple("Life", "file lines asks outdated kept fallen promises")

CONVERSATION = re.compile(r"== (.+?) \| (\d{4}-\d\d-\d\d)$")
MESSAGE = re.compile(r"(\d+) ([^:]{1,40}): (.+)$")
ASKED = re.compile(r"\?\? (task|question) \| (.+)$")
BETWEEN = re.compile(r"=([>kfo])((?: \d+)+)$")


def role(speaker):
    return {"me": "owner", "assistant": "assistant"}.get(speaker.lower(), "person")


def parse(paths=None):
    """(lives, faults) of the files."""
    found, faults = [], []
    for path in sorted(paths or FOLDER.glob("*.txt")):
        lines, asks, conversation = {}, [], None
        between = {"outdated": set(), "kept": set(), "fallen": set(), "promises": set()}
        fault = lambda reason: faults.append((path.name, at, reason))  # noqa: E731,B023
        for at, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            text = text.strip()
            if not text or text.startswith("# "):
                continue
            if match := CONVERSATION.match(text):
                conversation = match.groups()
            elif match := BETWEEN.match(text):
                put_between(match[1], [int(n) for n in match[2].split()], lines, between, fault)
            elif match := ASKED.match(text):
                asks.append(Ask(match[1], match[2].strip(), {}))
            elif text[:1] in SIGNS and text[1:2] == " " and asks:
                for number in map(int, re.findall(r"\d+", text)):
                    if number not in lines or number in asks[-1].marks:
                        fault(f"{number} is no line, or marked twice")
                    asks[-1].marks[number] = SIGNS[text[0]]
            elif (match := MESSAGE.match(text)) and conversation and not asks and int(match[1]) not in lines:
                lines[int(match[1])] = Line(int(match[1]), *conversation, match[2], match[3])
            else:
                fault("is neither a message nor something asked")
        found.append(Life(path.name, list(lines.values()), asks, **between))
    return found, faults


def put_between(sign, numbers, lines, between, fault):
    """What one message says of earlier ones, or that a promise stays open."""
    if any(number not in lines for number in numbers) or any(number >= numbers[0] for number in numbers[1:]) or (sign == "o") != (len(numbers) == 1):
        return fault(f"{numbers} are no later message and earlier ones")
    later, *earlier = numbers
    if sign != ">":
        between["promises"] |= set(earlier or numbers)
    if sign != "o":
        between[{">": "outdated", "k": "kept", "f": "fallen"}[sign]] |= {(later, one) for one in earlier}


def asked(lives):
    """Those of which something is asked. Of the others only promises and changes are marked."""
    return [life for life in lives if life.asks]


def split(lives):
    """(training, held out), by file."""
    return [x for x in lives if not x.file.startswith(HELD_OUT)], [x for x in lives if x.file.startswith(HELD_OUT)]


def outdated(life):
    """The numbers of messages that a later one makes outdated."""
    return {earlier for _, earlier in life.outdated}


def embedded(line):
    """A message as the product embeds it (`with_speaker` in embed.rs)."""
    return f"{line.speaker}: {line.text}" if role(line.speaker) == "person" else line.text


def turns(life, later, earlier):
    """(role, text) of an earlier message, of what stands right before the later one, and of that, as they are compared."""
    place = next(i for i, line in enumerate(life.lines) if line.number == later)
    first = next(line for line in life.lines if line.number == earlier)
    found = [first, *life.lines[max(0, place - 1) : place + 1]]
    if found[1] is first or found[1][1:3] != found[-1][1:3]:  # the earlier one itself, or of another conversation
        del found[1]
    return [(role(line.speaker), line.text) for line in found]


def write(life, folder):
    """The life as Keepsake JSONL, and what is asked with the ids of the messages that help."""
    name, conversations = life.file.removesuffix(".txt"), {}
    messages = []
    for line in life.lines:
        conversation = conversations.setdefault((line.conversation, line.day), [f"c{len(conversations)}", 0])
        conversation[1] += 2  # minutes
        who = role(line.speaker)
        messages.append({
            "conversation": conversation[0], "title": line.conversation, "channel_type": "chat", "channel_id": conversation[0],
            "visibility": "private", "id": str(line.number), "time": f"{line.day}T{18 + conversation[1] // 60:02}:{conversation[1] % 60:02}:00+00:00",
            "author": "Owner" if who == "owner" else line.speaker, "author_handle": "owner" if who == "owner" else line.speaker.lower(),
            "role": who, "text": line.text,
        })
    asks = [{"id": f"{name}-{i}", "query": ask.text, "kind": ask.kind, "evidence": [str(n) for n, mark in ask.marks.items() if mark == "needed"],
             "useful": [str(n) for n, mark in ask.marks.items() if mark == "useful"],
             "harmful": [str(n) for n, mark in ask.marks.items() if mark == "harmful"]} for i, ask in enumerate(life.asks)]
    for suffix, rows in ((".jsonl", messages), (".questions.jsonl", asks)):
        pathlib.Path(folder, name + suffix).write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


def main():
    if sys.argv[1:2] == ["--write"]:
        for life in split(asked(parse()[0]))[1]:
            write(life, sys.argv[2])
        return
    found, faults = parse([pathlib.Path(p) for p in sys.argv[1:] if p != "--check"] or None)
    for file, number, reason in faults:
        print(f"{file}:{number}: {reason}")
    for life in found:
        marks = collections.Counter(mark for ask in life.asks for mark in ask.marks.values())
        between = {name: len(getattr(life, name)) for name in ("outdated", "kept", "fallen", "promises")}
        print(f"{life.file:20} {len(life.lines)} messages, {len(life.asks)} asks, {dict(marks)}, {between}")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
