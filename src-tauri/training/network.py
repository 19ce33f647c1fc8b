"""The reader: the encoder and its heads.

Word vectors are looked up outside and stay as they are, so that the reader's own weights are the layers and heads alone.
Of each token: O/B/I of a fact, its category, attribute and signs (negated, implied, about another), and the other labels
(several may hold). Of a message, at the position that says who speaks: fact, nothing or unmeant, and whether it is in English
(scores of other languages lie lower and are calibrated on their own). A token sees its own message and what stands before it.

Of a statement behind an earlier one `Statements` says, where it says who speaks, whether it replaces that, says the same, both stand,
or it keeps what the earlier one promised. It has upper layers of its own on the reader's lower ones, so that it can be taught alone (decision 65).
"""
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

import data
import encoder
import pairs

CHANGE = {"change": len(pairs.CHANGES)}
LOWER = 6  # of the layers, which the reader and what compares statements share
HEAD_WIDTH = encoder.WIDTH // encoder.HEADS
TOKEN_HEADS = {"tag": 3, "category": len(data.CATEGORIES), "attribute": len(data.ATTRIBUTES), "signs": len(data.SIGNS), "labels": len(data.LABELS)}
MESSAGE_HEADS = {"kind": len(data.KINDS), "language": 2}
INDEPENDENT = ("signs", "labels")  # several may hold: sigmoid; the others softmax
EPSILON = 1e-12
RARE = 3.0  # of a label's hit over its miss; at 1 and a third of the weight, five of seven labels were not learnt in two epochs


class Layer(nn.Module):
    def __init__(self, width=encoder.WIDTH):
        super().__init__()
        for name in ("q", "k", "v", "ao"):
            setattr(self, name, nn.Linear(width, width))
        self.fi, self.fo = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.aln, self.oln = nn.LayerNorm(width, EPSILON), nn.LayerNorm(width, EPSILON)
        self.drop = nn.Dropout(0.1)

    def forward(self, x, seen):
        batch, length, width = x.shape
        query, key, value = (
            part(x).view(batch, length, width // HEAD_WIDTH, HEAD_WIDTH).transpose(1, 2) for part in (self.q, self.k, self.v)
        )
        mixed = F.scaled_dot_product_attention(query, key, value, attn_mask=seen)
        x = self.aln(x + self.drop(self.ao(mixed.transpose(1, 2).reshape(batch, length, width))))
        return self.oln(x + self.drop(self.fo(F.gelu(self.fi(x)))))


class Statements(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.ModuleList(Layer() for _ in range(encoder.LAYERS - LOWER))
        self.head = nn.ModuleDict({name: nn.Linear(encoder.WIDTH, size) for name, size in CHANGE.items()})
        self.drop = nn.Dropout(0.1)

    def forward(self, x, seen):
        for layer in self.layer:
            x = layer(x, seen)
        return {name: head(self.drop(x)) for name, head in self.head.items()}


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
        self.message = nn.ModuleDict({name: nn.Linear(width, size) for name, size in MESSAGE_HEADS.items()})
        self.statements = Statements()

    def forward(self, words, roles, order):
        """Scores before softmax or sigmoid, by head, of every token; those of a message are meant at its role alone."""
        x, seen = self.lower(words, roles, order)
        for layer in self.layer[LOWER:]:
            x = layer(x, seen)
        x = self.drop(x)
        return {name: head(x) for heads in (self.head, self.message) for name, head in heads.items()}

    def lower(self, words, roles, order):
        """(what the lower layers make of every token, which token sees which)."""
        x = words + self.role(roles) + self.position[: words.shape[1]]
        x = self.drop(self.norm(x))
        seen = order[:, None, None, :] <= order[:, None, :, None]
        for layer in self.layer[:LOWER]:
            x = layer(x, seen)
        return x, seen

    def compared(self, words, roles, order):
        """The scores of changes of every token, meant at the role of the later statement."""
        return self.statements(*self.lower(words, roles, order))


def start(tensors):
    """(a reader with the encoder's weights, the table of word vectors)."""
    net, width = Reader(), encoder.WIDTH
    words = torch.tensor(tensors["emb.word"].reshape(encoder.PIECES, width))
    state = net.state_dict()
    state |= {name: torch.tensor(np.array(value)).reshape(state[name].shape) for name, value in encoder.state(tensors).items()}
    state["role.weight"] = torch.randn(state["role.weight"].shape, generator=torch.Generator().manual_seed(1)) * words.std()
    state["role.weight"][0] = 0
    net.load_state_dict(state)
    return net, words


PADDING = 1_000_000  # order of what pads a row: nothing but padding sees it


def collate(rows, words):
    """The three inputs of rows, padded to the longest, where the word vectors lie (processor or graphics card)."""
    length, count = max(len(row.ids) for row in rows), len(rows)
    ids, roles, order = np.full((count, length), encoder.PAD), np.zeros((count, length), int), np.full((count, length), PADDING)
    for i, row in enumerate(rows):
        size = len(row.ids)
        ids[i, :size], roles[i, :size], order[i, :size] = row.ids, row.roles, row.order
    ids, roles, order = (torch.from_numpy(x).to(words.device) for x in (ids, roles, order))
    return words[ids] * ((roles == 0) & (order < PADDING))[..., None], roles, order


def targets(rows, length):
    """Targets by head, with what teaches nothing everywhere else; `weight` is what a token of `tag` counts."""
    shape = (len(rows), length)
    out = {name: np.full(shape, data.UNKNOWN) for name in ("tag", "category", "attribute", *MESSAGE_HEADS)}
    out |= {name: np.full((*shape, TOKEN_HEADS[name]), -1.0, np.float32) for name in INDEPENDENT}
    out["weight"] = np.zeros(shape, np.float32)
    for i, row in enumerate(rows):
        for part in row.messages:
            if part.targets is None:
                continue
            s = slice(part.role + 1, part.role + 1 + part.length)
            for name in ("tag", "category", "attribute", *INDEPENDENT):
                out[name][i, s] = getattr(part.targets, name)
            for name in MESSAGE_HEADS:
                out[name][i, part.role] = getattr(part.targets, name)
            out["weight"][i, s] = max(1, part.length) ** -0.5  # between weighting tokens and messages alike
    return {name: torch.from_numpy(value) for name, value in out.items()}


def loss(scores, wanted):
    """One number to make small. The weights of tag, category, labels and kind are those of a first experiment; the others were not tuned."""
    messages = (wanted["kind"] >= 0).sum().clamp(min=1)
    tag = F.cross_entropy(scores["tag"].flatten(0, 1), wanted["tag"].flatten(), reduction="none", label_smoothing=0.02, ignore_index=data.UNKNOWN)
    total = (tag * wanted["weight"].flatten()).sum() / messages / 3
    for name, weight, smoothing in (("category", 0.3, 0), ("attribute", 0.3, 0), ("kind", 0.5, 0.05), ("language", 0.3, 0.05)):
        known = wanted[name].flatten()
        found = F.cross_entropy(scores[name].flatten(0, 1), known, reduction="none", label_smoothing=smoothing, ignore_index=data.UNKNOWN)
        total = total + weight * mean(found, known >= 0)
    # Few tokens bear a label: a hit weighs RARE times a miss, or the rarer labels are never learnt. Calibration takes it back.
    for name, weight, rare in (("signs", 0.3, 1.0), ("labels", 6.0, RARE)):
        hit = torch.tensor(rare, device=scores[name].device)
        found = F.binary_cross_entropy_with_logits(scores[name], wanted[name].clamp(min=0), pos_weight=hit, reduction="none")
        total = total + weight * mean(found, wanted[name] >= 0)
    return total


def mean(values, counts):
    """Over those that count; a batch may hold none."""
    return (values * counts).sum() / counts.sum().clamp(min=1)


def probabilities(scores):
    return {name: x.sigmoid() if name in INDEPENDENT else x.softmax(-1) for name, x in scores.items()}


def has_fast_halves(device="cpu"):
    """Whether bfloat16 is faster than float32: on a graphics card and with AMX. With AVX-512 alone it takes twice as long."""
    return torch.device(device).type != "cpu" or torch.cpu._is_amx_tile_supported()


def options(parser, epochs):
    """Parses the arguments, with those that all training on two cores has in common, and sets the threads and the seed."""
    parser.add_argument("--measure", action="store_true", help="measure these weights and train nothing")
    parser.add_argument("--epochs", type=int, default=epochs)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    chosen = parser.parse_args()
    torch.set_num_threads(chosen.threads)
    torch.manual_seed(chosen.seed)
    return chosen
