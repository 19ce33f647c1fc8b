#!/usr/bin/env python3
"""The mean vector of ordinary messages by the model of sentences that is shipped: what all talk has in common.

usage: typical.py MODEL_DIR > ../crates/models/src/typical.txt   (onnxruntime, tokenizers, numpy; `make model` makes MODEL_DIR)
"""
import random
import sys

import numpy as np
import onnxruntime
import tokenizers

import parse

MESSAGES, CHARS_MIN, CHARS_MAX, TOKENS_MAX, SEED = 1500, 21, 600, 256, 3


def main():
    folder = sys.argv[1]
    tokenizer = tokenizers.Tokenizer.from_file(f"{folder}/tokenizer.json")
    tokenizer.enable_truncation(TOKENS_MAX)
    tokenizer.no_padding()
    session = onnxruntime.InferenceSession(f"{folder}/model.onnx", providers=["CPUExecutionProvider"])
    examples = parse.parse()[0]
    random.Random(SEED).shuffle(examples)
    texts = [example.text[:CHARS_MAX] for example in examples if len(example.text) >= CHARS_MIN][:MESSAGES]
    found = []
    for text in texts:
        ids = np.array([tokenizer.encode(text).ids])
        inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        vector = session.run(None, inputs)[0][0].mean(0)
        found.append(vector / np.linalg.norm(vector))
    numbers = [f"{x:.4f}" for x in np.mean(found, 0)]
    for start in range(0, len(numbers), 16):
        print(*numbers[start : start + 16])


if __name__ == "__main__":
    main()
