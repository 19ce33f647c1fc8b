"""The reader: the encoder and its heads.

Word vectors are looked up outside and stay as they are, so that the reader's own weights are the layers and heads alone.
Of each token: O/B/I of a fact, its category, attribute and signs (negated, implied, about another), and the other labels
(several may hold). Of the message: fact, nothing or unmeant, and whether it is in English (scores of other languages lie
lower and are calibrated on their own). Of a pair of statements, the earlier one given as the turn before: whether the
later one replaces it, says the same, or both stand.
"""
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

import data
import encoder
import pairs

TOKEN_HEADS = {"tag": 3, "category": len(data.CATEGORIES), "attribute": len(data.ATTRIBUTES), "signs": len(data.SIGNS), "labels": len(data.LABELS)}
MESSAGE_HEADS = {"kind": len(data.KINDS), "language": 2, "change": len(pairs.CHANGES)}
INDEPENDENT = ("signs", "labels")  # several may hold: sigmoid; the others softmax
EPSILON = 1e-12
PARTS = ("q", "k", "v", "ao", "fi", "fo")
RARE = 3.0  # of a label's hit over its miss; at 1 and a third of the weight, five of seven labels were not learnt in two epochs


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        width = encoder.WIDTH
        for name in ("q", "k", "v", "ao"):
            setattr(self, name, nn.Linear(width, width))
        self.fi, self.fo = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.aln, self.oln = nn.LayerNorm(width, EPSILON), nn.LayerNorm(width, EPSILON)
        self.drop = nn.Dropout(0.1)

    def forward(self, x, mask):
        batch, length, width = x.shape
        query, key, value = (
            part(x).view(batch, length, encoder.HEADS, -1).transpose(1, 2) for part in (self.q, self.k, self.v)
        )
        mixed = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        x = self.aln(x + self.drop(self.ao(mixed.transpose(1, 2).reshape(batch, length, width))))
        return self.oln(x + self.drop(self.fo(F.gelu(self.fi(x)))))


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        width = encoder.WIDTH
        self.role = nn.Embedding(len(data.ROLE) + 1, width, padding_idx=0)
        self.position = nn.Parameter(torch.zeros(512, width))
        self.norm = nn.LayerNorm(width, EPSILON)
        self.layer = nn.ModuleList(Layer() for _ in range(encoder.LAYERS))
        self.drop = nn.Dropout(0.1)
        self.head = nn.ModuleDict({name: nn.Linear(width, size) for name, size in TOKEN_HEADS.items()})
        self.message = nn.ModuleDict({name: nn.Linear(2 * width, size) for name, size in MESSAGE_HEADS.items()})

    def pooled(self, words, roles, mask, inside):
        """What the layers say of the tokens, and of the message. `inside` is 1 on the tokens of the message itself."""
        x = words + self.role(roles) + self.position[: words.shape[1]]
        x = self.drop(self.norm(x))
        wide = mask[:, None, None, :].bool()
        for layer in self.layer:
            x = layer(x, wide)
        x = self.drop(x)
        mean = (x * inside[..., None]).sum(1) / inside.sum(1, keepdim=True).clamp(min=1)
        return x, torch.cat([x[:, 0], mean], 1)

    def forward(self, words, roles, mask, inside):
        """Scores before softmax or sigmoid, by head."""
        x, pooled = self.pooled(words, roles, mask, inside)
        return {name: head(x) for name, head in self.head.items()} | {name: head(pooled) for name, head in self.message.items()}


def start(tensors):
    """(a reader with the encoder's weights, the table of word vectors)."""
    net, width = Reader(), encoder.WIDTH
    words = torch.tensor(tensors["emb.word"].reshape(encoder.PIECES, width))
    state = net.state_dict()

    def put(name, key):
        state[name] = torch.tensor(np.array(tensors[key])).reshape(state[name].shape)

    put("position", "emb.pos")
    state["position"] = state["position"] + torch.tensor(tensors["emb.type"][:width].copy())  # one kind of segment: a constant
    put("norm.weight", "emb.ln.w"), put("norm.bias", "emb.ln.b")
    for number in range(encoder.LAYERS):
        for part in (*PARTS, "aln", "oln"):
            put(f"layer.{number}.{part}.weight", f"l{number}.{part}.w")
            put(f"layer.{number}.{part}.bias", f"l{number}.{part}.b")
    state["role.weight"] = torch.randn(state["role.weight"].shape, generator=torch.Generator().manual_seed(1)) * words.std()
    state["role.weight"][0] = 0
    net.load_state_dict(state)
    return net, words


def collate(rows, words):
    """The four inputs of rows, padded to the longest, where the word vectors lie (processor or graphics card)."""
    length, count = max(len(row.ids) for row in rows), len(rows)
    ids = torch.full((count, length), encoder.PAD)
    roles, mask = torch.zeros(count, length, dtype=torch.long), torch.zeros(count, length, dtype=torch.long)
    inside = torch.zeros(count, length)
    for i, row in enumerate(rows):
        size = len(row.ids)
        ids[i, :size], roles[i, :size], mask[i, :size] = torch.tensor(row.ids), torch.tensor(row.roles), 1
        inside[i, row.start : row.start + len(row.tag)] = 1
    ids, roles, mask, inside = (x.to(words.device) for x in (ids, roles, mask, inside))
    return words[ids] * ((roles == 0) & (mask == 1))[..., None], roles, mask, inside


def targets(rows, length):
    """Targets by head, padded with what teaches nothing."""
    count = len(rows)
    out = {name: torch.full((count, length), data.UNKNOWN) for name in ("tag", "category", "attribute")}
    out |= {name: torch.full((count, length, TOKEN_HEADS[name]), -1.0) for name in INDEPENDENT}
    for i, row in enumerate(rows):
        s = slice(row.start, row.start + len(row.tag))
        for name in ("tag", "category", "attribute", *INDEPENDENT):
            out[name][i, s] = torch.tensor(getattr(row, name), dtype=out[name].dtype)
    for name in MESSAGE_HEADS:
        out[name] = torch.tensor([getattr(row, name) for row in rows])
    return out


def loss(scores, wanted):
    """One number to make small. The weights of tag, category, labels and kind are those of a first experiment; the others were not tuned."""
    count = len(wanted["kind"])
    tag = F.cross_entropy(scores["tag"].flatten(0, 1), wanted["tag"].flatten(), reduction="none", label_smoothing=0.02, ignore_index=data.UNKNOWN)
    known = (wanted["tag"] != data.UNKNOWN).sum(1).clamp(min=1)
    total = (tag.view(count, -1).sum(1) / known.float().sqrt() / 3).mean()  # between weighting tokens and messages alike
    for name in ("category", "attribute"):
        if (wanted[name] >= 0).any():
            total = total + 0.3 * F.cross_entropy(scores[name].flatten(0, 1), wanted[name].flatten(), ignore_index=data.UNKNOWN)
    # Few tokens bear a label: a hit weighs RARE times a miss, or the rarer labels are never learnt. Calibration takes it back.
    for name, weight, rare in (("signs", 0.3, 1.0), ("labels", 6.0, RARE)):
        known = wanted[name] >= 0
        if known.any():
            hit = torch.tensor(rare, device=wanted[name].device)
            total = total + weight * F.binary_cross_entropy_with_logits(scores[name][known], wanted[name][known], pos_weight=hit)
    for name, weight in (("kind", 0.5), ("language", 0.3), ("change", 0.5)):
        if (wanted[name] >= 0).any():  # a batch may hold messages alone, or pairs
            total = total + weight * F.cross_entropy(scores[name], wanted[name], label_smoothing=0.05, ignore_index=data.UNKNOWN)
    return total


def probabilities(scores):
    return {name: x.sigmoid() if name in INDEPENDENT else x.softmax(-1) for name, x in scores.items()}
