#!/usr/bin/env python3
"""The mean vector of ordinary messages by the model of sentences that is shipped: what all talk has in common.

usage: typical.py sentences.onnx > ../crates/models/src/typical.txt   (in the training environment)
"""
import pathlib
import random
import sys

import numpy as np

import parse
import sentences

MESSAGES, CHARS_MIN, CHARS_MAX, SEED = 1500, 21, 600, 3


def main():
    examples = parse.parse()[0]
    random.Random(SEED).shuffle(examples)
    texts = [example.text[:CHARS_MAX] for example in examples if len(example.text) >= CHARS_MIN][:MESSAGES]
    found = sentences.vectors_of_graph(pathlib.Path(sys.argv[1]), [sentences.TEXT + text for text in texts])
    numbers = [f"{x:.4f}" for x in np.mean(found, 0)]
    for start in range(0, len(numbers), 16):
        print(*numbers[start : start + 16])


if __name__ == "__main__":
    main()
