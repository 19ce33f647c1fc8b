#!/usr/bin/env python3
"""Writes a trained reader for the product: int8 graph, word vectors, tokeniser, and a description with hashes.

usage: export.py WEIGHTS.pt CALIBRATION.json OUT_DIR [--check N]

Into OUT_DIR: reader.onnx (int8, the reader's own weights), words.q4 (frozen word vectors), tokenizer.json, reader.json,
and samples.json, messages with the marks found here, which the product's test reads as well.
Then the graph is run by ONNX Runtime on N held-out messages and compared with the trained network; exit 1 when they
differ by more than quantising explains.

Each token has an int8 scale of its own, as in the embedding model's graph, so that what is read in a message does not
depend on the messages beside it in a batch.
"""
import argparse
import hashlib
import json
import pathlib
import random
import sys
import tempfile

import numpy as np
import torch

import data
import encoder
import measure
import network
import pairs
import parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "scripts"))
from prepare_model import FLOAT, GELU_OFFSET, INT64, Graph  # noqa: E402

FORMAT = 3  # of reader.json and the graph; a reader with another number is refused
LARGEST = 25_000_000  # bytes of reader.onnx, which lies in the repository
# Eight bits for weights and seven for activations: a pair of products (2 · 127 · 127) still fits the 16-bit sums of
# processors without VNNI, and the error is half of that of seven and eight.
WEIGHT_LEVELS, LEVELS, SIGNED_LEVELS = 127, 127, 63
PAIR_SAMPLES = 4  # of each change
SAMPLES = 8  # messages of a language group that the product's test reads
FAR, FEW = 0.1, 0.02  # at most so many of the tokens' fact probabilities may differ by more than 0.1 from float


def build(w):
    """The graph of a state dict of network.Reader, as numpy arrays."""
    import onnx
    from onnx import helper

    g, width = Graph(WEIGHT_LEVELS), encoder.WIDTH
    # The graph's names are those of eight bits.
    zero = SIGNED_LEVELS + 1
    for name, value in {"one_127th": 1 / SIGNED_LEVELS, "one_255th": 1 / LEVELS, "tiny": 1e-12, "float_128": zero}.items():
        g.const(name, value)
    g.const("gelu_offset", GELU_OFFSET)
    g.const("attention_scale", 1 / np.sqrt(network.HEAD_WIDTH))
    g.const("lowest", np.finfo(np.float32).min)
    g.const("zero_128", zero, "uint8")
    g.const("zero_0", 0, "uint8")
    for name, value in {
        "last_axis": [-1],
        "start": [0],
        "second": [1],
        "third": [2],
        "of_who_sees": [1, 3],
        "of_what_is_seen": [1, 2],
    }.items():
        g.const(name, value, "int64")
    for size in (width, network.BRANCH_WIDTH):
        g.const(f"split_heads.{size}", [0, 0, size // network.HEAD_WIDTH, network.HEAD_WIDTH], "int64")
        g.const(f"join_heads.{size}", [0, 0, size], "int64")

    def norm(x, name, out):
        inputs = [x, g.const(f"{out}.weight", w[f"{name}.weight"]), g.const(f"{out}.bias", w[f"{name}.bias"])]
        return g.op("LayerNormalization", inputs, out, axis=-1, epsilon=network.EPSILON)

    role = g.op("Gather", [g.const("role_vectors", w["role.weight"]), "roles"], "role")
    count = g.op("Slice", [g.op("Shape", ["roles"], "shape"), "second", "third"], "count")
    position = g.op("Slice", [g.const("positions", w["position"]), "start", count, "start"], "position")
    x = g.op("Add", [g.op("Add", ["words", role], "word_and_role"), position], "embedded")
    x = norm(x, "norm", "embedded.norm")
    seen = [g.op("Unsqueeze", ["order", axes], f"order.{axes}") for axes in ("of_what_is_seen", "of_who_sees")]
    hidden = g.op("Cast", [g.op("Greater", seen, "is_later")], "hidden", to=FLOAT)
    bias = g.op("Mul", [hidden, "lowest"], "hidden.bias")

    def layer(x, p, q, size):
        def linear(rows, name):
            return g.linear(rows, w[f"{p}.{name}.weight"], w[f"{p}.{name}.bias"], f"{q}.{name}")

        rows = g.quantise_rows(x, signed=True)

        def heads(name, order):
            y = g.op("Reshape", [linear(rows, name), f"split_heads.{size}"], f"{q}.{name}.split")
            return g.op("Transpose", [y], f"{q}.{name}.heads", perm=order)

        query, key, value = heads("q", [0, 2, 1, 3]), heads("k", [0, 2, 3, 1]), heads("v", [0, 2, 1, 3])
        scores = g.op("Mul", [g.op("MatMul", [query, key], f"{q}.scores"), "attention_scale"], f"{q}.scaled")
        attention = g.op("Softmax", [g.op("Add", [scores, bias], f"{q}.masked")], f"{q}.attention", axis=-1)
        y = g.op("Transpose", [g.op("MatMul", [attention, value], f"{q}.mixed")], f"{q}.back", perm=[0, 2, 1, 3])
        y = linear(g.quantise_rows(g.op("Reshape", [y, f"join_heads.{size}"], f"{q}.context"), signed=True), "ao")
        x = norm(g.op("Add", [y, x], f"{q}.attended.sum"), f"{p}.aln", f"{q}.attended")
        y = g.op("Gelu", [linear(g.quantise_rows(x, signed=True), "fi")], f"{q}.gelu")
        y = linear(g.quantise_rows(y, signed=False), "fo")
        return norm(g.op("Add", [y, x], f"{q}.narrow.sum"), f"{p}.oln", f"{q}.out")

    shown = []
    for number in range(encoder.LAYERS):
        x = layer(x, f"layer.{number}", f"l{number}", width)
        shown += [x] if number in network.BRANCH_SEES else []
    y = g.quantise_rows(g.op("Concat", shown, "branch.shown", axis=-1), signed=True)
    y = norm(g.linear(y, w["branch.narrow.weight"], w["branch.narrow.bias"], "branch.narrow"), "branch.norm", "branch.narrow.norm")
    for number in range(network.BRANCH_LAYERS):
        y = layer(y, f"branch.layer.{number}", f"b{number}", network.BRANCH_WIDTH)

    # The heads stay float: they are small, and their scores are what is calibrated.
    def scored(x, name, key):
        product = g.op("MatMul", [x, g.const(f"{key}.weight", w[f"{key}.weight"].T)], f"{name}.product")
        return g.op("Add", [product, g.const(f"{key}.bias", w[f"{key}.bias"])], f"{name}.score")

    for prefix, heads in (("head", network.TOKEN_HEADS), ("message", network.MESSAGE_HEADS)):
        for name in heads:
            score = scored(y, name, f"branch.head.{name}") if name in network.BRANCH else scored(x, name, f"{prefix}.{name}")
            if name in network.INDEPENDENT:
                g.op("Sigmoid", [score], name)
            else:
                g.op("Softmax", [score], name, axis=-1)

    shape = ["batch", "tokens"]
    inputs = [
        helper.make_tensor_value_info("words", FLOAT, [*shape, width]),
        helper.make_tensor_value_info("roles", INT64, shape),
        helper.make_tensor_value_info("order", INT64, shape),
    ]
    sizes = network.TOKEN_HEADS | network.MESSAGE_HEADS
    outputs = [helper.make_tensor_value_info(name, FLOAT, [*shape, size]) for name, size in sizes.items()]
    graph = helper.make_graph(g.nodes, "keepsake-reader", inputs, outputs, g.constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
    onnx.checker.check_model(model)
    return model.SerializeToString()


def load(path):
    """The state dict of weights as they were trained, or of the graph that lies here."""
    return weights(path) if str(path).endswith(".onnx") else torch.load(path, weights_only=True)


def weights(path):
    """The state dict that a graph of `build` was made of, but for the rounding of its eight bits: to go on training from the
    weights that lie in the repository."""
    import onnx
    from onnx import numpy_helper

    found = {constant.name: numpy_helper.to_array(constant) for constant in onnx.load(str(path)).graph.initializer}
    state = {"role.weight": found["role_vectors"], "position": found["positions"]}

    def linear(name, key, shift=0.0):
        if f"{key}.weight" in found:  # a part may be newer than the graph
            columns = found[f"{key}.weight"].astype(np.float32) * found[f"{key}.scale"]
            state.update({f"{name}.weight": columns.T, f"{name}.bias": found[f"{key}.bias"] + shift * columns.sum(axis=0)})

    def plain(name, key, turn=lambda x: x):
        if f"{key}.weight" in found:
            state.update({f"{name}.weight": turn(found[f"{key}.weight"]), f"{name}.bias": found[f"{key}.bias"]})

    plain("norm", "embedded.norm"), plain("branch.norm", "branch.narrow.norm"), linear("branch.narrow", "branch.narrow")
    layers = [(f"layer.{number}", f"l{number}") for number in range(encoder.LAYERS)]
    for name, key in layers + [(f"branch.layer.{number}", f"b{number}") for number in range(network.BRANCH_LAYERS)]:
        plain(f"{name}.aln", f"{key}.attended"), plain(f"{name}.oln", f"{key}.out")
        for part in network.PARTS:  # the input of `fo` is shifted to be unsigned, and the shift is in the bias
            linear(f"{name}.{part}", f"{key}.{part}", GELU_OFFSET if part == "fo" else 0.0)
    for name in (*(f"head.{name}" for name in network.TOKEN_HEADS), *(f"message.{name}" for name in network.MESSAGE_HEADS if name not in network.BRANCH),
                 *(f"branch.head.{name}" for name in network.BRANCH)):
        plain(name, name, np.transpose)
    return {name: torch.tensor(np.ascontiguousarray(value, dtype=np.float32)) for name, value in state.items()}


def description(calibration, files):
    """What a program needs to use the files, with the hash of each."""
    return {
        "format": FORMAT,
        "files": {path.name: {"sha256": hashlib.sha256(path.read_bytes()).hexdigest(), "bytes": path.stat().st_size} for path in files},
        "encoder": {"name": "multilingual-e5-small", "width": encoder.WIDTH, "pieces": encoder.PIECES, "cls": encoder.CLS,
                    "pad": encoder.PAD, "sep": encoder.SEP, "sha256": encoder.SHA256},
        "layout": {"roles": data.ROLE, "message": data.MESSAGE, "step": data.STEP, "context": data.CONTEXT, "opener": data.OPENER,
                   "turn": data.TURN, "turn_head": data.TURN_HEAD, "turns": data.TURNS, "long_bytes": data.LONG_BYTES,
                   "segment_bytes": data.SEGMENT_BYTES, "tokens": data.TOKENS},
        "outputs": {"tag": ["O", "B", "I"], "category": list(parse.CATEGORIES.values()), "attribute": list(data.ATTRIBUTES),
                    "signs": list(data.SIGNS), "labels": data.LABELS, "kind": list(data.KINDS), "language": list(measure.GROUPS),
                    "change": list(pairs.CHANGES)},
        "decoding": {"low": measure.LOW, "begin": measure.BEGIN},
        "calibration": calibration,
    }


def runner(path, threads):
    """(names of the outputs, a function of the three inputs that answers them by name) of the graph."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]

    def run(*inputs):
        fed = dict(zip(("words", "roles", "order"), (x.numpy() for x in inputs)))
        return dict(zip(names, session.run(names, fed)))

    return names, run


def runner_of(path, threads):
    """The same for a graph or for weights, which are made into a graph first: what is measured and calibrated is what ships. Eight bits
    a weight lower the scores of facts, so a calibration of the weights themselves is not one of the graph."""
    if str(path).endswith(".onnx"):
        return runner(path, threads)[1]
    with tempfile.TemporaryDirectory() as folder:
        graph = pathlib.Path(folder, "reader.onnx")
        graph.write_bytes(build({name: value.numpy() for name, value in load(path).items()}))
        return runner(graph, threads)[1]


def samples(examples, run, words, tokens, calibration):
    """Messages in their context with the marks that this code finds, for the product's own test: some of each language group, and the longest."""
    chosen = sorted(examples, key=lambda e: -len(e.text))[:2]
    for is_english in (True, False):
        some = [e for e in examples if (e.language == "English") == is_english and e.marks and len(e.context) > 1]
        chosen += some[:: max(1, len(some) // SAMPLES)][:SAMPLES]
    found = []
    for example, (scores, places) in zip(chosen, measure.infer(None, words, tokens, chosen, run=run)):
        marks = []
        for label, start, end, score, details in measure.decode(example, scores, places):
            p = measure.apply(calibration, label, measure.group(scores), score)
            marks.append({"label": label, "start": start, "end": end, "p": round(p, 4), **details})
            if label == "fact":
                marks[-1]["category"] = parse.CATEGORIES[details["category"]]
        turns = [[role, text] for role, text in (*example.context, (example.role, example.text))]
        found.append({"turns": turns, "marks": sorted(marks, key=lambda m: (m["start"], m["label"] != "fact", m["end"]))})
    return found


def pair_samples(run, words, tokens):
    """Pairs of statements with what this code makes of them, some of each change and some that have nothing to do with each other."""
    held_out = pairs.split(pairs.parse()[0])[1]
    chosen = [pair for change in pairs.CHANGES for pair in [p for p in held_out if p.change == change][:PAIR_SAMPLES]]
    chosen += pairs.strangers(held_out, random.Random(1))[:PAIR_SAMPLES]
    found = pairs.infer(chosen, words, tokens, run)
    return [
        {"earlier": pair.earlier, "later": pair.later, **{change: round(float(p), 4) for change, p in zip(pairs.CHANGES, row)}}
        for pair, row in zip(chosen, found)
    ]


def compare(path, net, words, tokens, examples, threads):
    """Prints how far the graph is from the network; false when that is too far."""
    names, run = runner(path, threads)
    ours, theirs = (measure.infer(net, words, tokens, examples, run=how) for how in (None, run))
    for name in names:
        gaps = np.concatenate([np.abs(a[0][name] - b[0][name]).ravel() for a, b in zip(ours, theirs)])
        print(f"{name}: mean difference {gaps.mean():.4f}, 99 of 100 below {np.quantile(gaps, 0.99):.4f}, largest {gaps.max():.4f}")
    facts = np.concatenate([np.abs(a[0]["tag"][:, 0] - b[0]["tag"][:, 0]) for a, b in zip(ours, theirs)])
    far = float((facts > FAR).mean())
    # Alone and with others in a batch a message must read alike.
    talks = [[*example.context, (example.role, example.text)] for example in examples[:8]]
    rows = [data.rows(turns, *data.segments(turns)[-1], tokens)[-1] for turns in talks]
    together, alone = run(*network.collate(rows, words)), run(*network.collate(rows[:1], words))
    gap = float(np.abs(together["tag"][0, : len(rows[0].ids)] - alone["tag"][0]).max())
    print(f"fact probabilities of {len(facts)} tokens: {far:.4f} differ by more than {FAR}; in a batch and alone: {gap:.5f}")
    return far <= FEW and gap < 1e-3


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("weights")
    options.add_argument("calibration")
    options.add_argument("out", type=pathlib.Path)
    options.add_argument("--check", type=int, default=200, metavar="N")
    options.add_argument("--threads", type=int, default=2)
    chosen = options.parse_args()
    torch.set_num_threads(chosen.threads)
    tensors, pieces, unknown = encoder.read()
    net, words = network.start(tensors)
    net.load_state_dict(torch.load(chosen.weights, weights_only=True))
    net.eval()
    made = encoder.tokenizer(pieces, unknown)
    chosen.out.mkdir(parents=True, exist_ok=True)
    graph, table, tokenizer = (chosen.out / name for name in ("reader.onnx", "words.q4", "tokenizer.json"))
    graph.write_bytes(build({name: value.numpy() for name, value in net.state_dict().items()}))
    table.write_bytes(tensors[encoder.PACKED])
    tokenizer.write_text(encoder.tokenizer_json(pieces, unknown), encoding="utf-8")
    calibration = json.loads(pathlib.Path(chosen.calibration).read_text(encoding="utf-8"))
    written = json.dumps(description(calibration, (graph, table, tokenizer)), ensure_ascii=False, indent=1)
    (chosen.out / "reader.json").write_text(written + "\n", encoding="utf-8")
    size = graph.stat().st_size
    print(f"{graph}: {size / 1e6:.1f} MB")
    test = data.split(parse.parse()[0])[2]
    sampled = samples(test, runner(graph, chosen.threads)[1], words, data.Tokens(made), calibration)
    paired = pair_samples(runner(graph, chosen.threads)[1], words, data.Tokens(made))
    lines = (",\n".join(json.dumps(sample, ensure_ascii=False) for sample in some) for some in (sampled, paired))
    text = '{"messages": [\n%s\n],\n"pairs": [\n%s\n]}\n' % tuple(lines)
    (chosen.out / "samples.json").write_text(text, encoding="utf-8")
    same = compare(graph, net, words, data.Tokens(made), test[:: max(1, len(test) // chosen.check)], chosen.threads)
    if size > LARGEST:
        print(f"reader.onnx is larger than {LARGEST} bytes.")
    return 0 if same and size <= LARGEST else 1


if __name__ == "__main__":
    sys.exit(main())
