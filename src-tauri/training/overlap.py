#!/usr/bin/env python3
"""Fails when a line of the repository's own text stands in an evaluation set.

usage: overlap.py [EVALS]       default: ../shared/evals beside the repository

A figure on data that shaped the product is no figure. Compared are runs of eight words, case and punctuation aside, of
training text, prompts, word lists and tests with every evaluation set. Exit 1 on a match, with its place on both
sides; exit 0 and a line that says so when the folder does not exist (it is not part of the repository).
"""
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHINGLE = 8  # eight words in a row, "i've" counted as two, are not written twice by chance; seven sometimes are ("i don't know what to do")
# Without blanks between words (Chinese, Japanese, Thai) a "word" is a character, and eight of them are half a phrase.
SHINGLE_OF_CHARACTERS = 16
OURS = ("src-tauri/training/**/*", "src-tauri/crates/**/*", "src-tauri/src/**/*", "src-tauri/tests/**/*", "tests/**/*", "ui/src/**/*")
THEIRS = ("*.jsonl", "*.json", "*.txt", "*.md", "*.srt", "*.vtt", "*.eml", "*.csv", "*.py")
SKIPPED = {"README.md", "score.py", "build.py", "run.py"}  # describe a set or work on it, and are none of it
LARGEST = 20_000_000  # bytes; larger files are no text of ours

WORD = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\u0e00-\u0e7f]|[^\W_]+")
WIDE = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff\u0e00-\u0e7f]")
MARK = re.compile(r"\{[A-Za-z](?:\.[a-z]+)?[-?@]*:|\}|\s\|\s|\\n|\\")


def words(text):
    return WORD.findall(text.lower())


def shingles(text):
    """Every run of eight words, with the position of its first word."""
    found = words(text)
    for at in range(len(found) - SHINGLE + 1):
        run = found[at : at + SHINGLE]
        if sum(bool(WIDE.match(word)) for word in run) > SHINGLE // 2:
            run = found[at : at + SHINGLE_OF_CHARACTERS]
            if len(run) < SHINGLE_OF_CHARACTERS:
                continue
        yield " ".join(run)


def strings(value):
    """Every piece of prose in parsed JSON; names of fields and identifiers are none."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from strings(item)


def evaluation(folder):
    """Shingle → place, over all sets. A string of JSON is looked at on its own, so that no run crosses two messages."""
    places = {}
    for pattern in THEIRS:
        for path in sorted(folder.rglob(pattern)):
            if path.name in SKIPPED:
                continue
            for number, line in enumerate(read(path).split("\n"), 1):
                try:
                    texts = list(strings(json.loads(line))) if line.lstrip()[:1] in ("{", "[", '"') else [line]
                except ValueError:
                    texts = [line]
                for text in texts:
                    for run in shingles(text):
                        places.setdefault(run, f"{path.relative_to(folder)}:{number}")
    return places


def read(path):
    try:
        return path.read_text(encoding="utf-8") if path.stat().st_size <= LARGEST else ""
    except (UnicodeDecodeError, OSError):
        return ""


def matches(root, folder, patterns=OURS):
    """(our place, their place, words) of every line of ours that shares a shingle with a set; one a line."""
    places = evaluation(folder)
    found = []
    for path in sorted({path for pattern in patterns for path in root.glob(pattern) if path.is_file()}):
        for number, line in enumerate(read(path).split("\n"), 1):
            hit = next((run for run in shingles(MARK.sub(" ", line)) if run in places), None)
            if hit:
                found.append((f"{path.relative_to(root)}:{number}", places[hit], hit))
    return found


def main(arguments):
    folder = pathlib.Path(arguments[0]) if arguments else ROOT.parent / "shared" / "evals"
    if not folder.is_dir():
        print(f"No evaluation data at {folder}: nothing compared.")
        return 0
    found = matches(ROOT, folder)
    for ours, theirs, run in found:
        print(f"{ours}: as in {theirs}: {run!r}")
    print(f"{len(found)} lines of the repository stand in an evaluation set.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
