#!/usr/bin/env python3
"""Writes trained weights for the product: int8 graphs, and a description with hashes.

usage: export.py WEIGHTS.pt|FOLDER SENTENCES.pt|sentences.onnx JUDGE.pt|judge.onnx CALIBRATION.json OUT_DIR [--check N]

Into OUT_DIR: lower.onnx and upper.onnx (the reader), statements.onnx (what compares statements, on lower.onnx), sentences.onnx (vectors
of texts, on the encoder's trunk), judge.onnx (whether a text helps with what is asked, likewise), reader.json with the hashes of these and of the encoder's own files, and samples.json, messages,
pairs and texts with what is found here, which the product's test reads as well.
Then the graphs are run by ONNX Runtime on N held-out messages and compared with the trained network; exit 1 when they differ by more than
quantising explains.

FOLDER is a folder with such graphs, `training/reader` for one.
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
import judge
import lives
import measure
import network
import pairs
import parse
import sentences

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "scripts"))
from graph import FLOAT, INT64, SHAPE, Constants, Graph, judge as judge_graph, sentences as sentences_graph  # noqa: E402

FORMAT = 5  # of reader.json and the graphs; a program that knows another number refuses them
FOLDER = pathlib.Path(__file__).resolve().parent / "reader"  # what the product ships
LARGEST = 15_000_000  # bytes of a graph, which lies in the repository
READER = ("lower.onnx", "upper.onnx", "statements.onnx")
SENTENCES, JUDGE = "sentences.onnx", "judge.onnx"
PAIR_SAMPLES = 4  # of each change
SAMPLES = 8  # messages of a language group that the product's test reads
FAR, FEW = 0.1, 0.02  # at most so many of the tokens' fact probabilities may differ by more than 0.1 from float
LOWER_INPUTS = {"words": (FLOAT, [*SHAPE, encoder.WIDTH]), "roles": (INT64, SHAPE), "order": (INT64, SHAPE)}
UPPER_INPUTS = {"lower": (FLOAT, [*SHAPE, encoder.WIDTH]), "order": (INT64, SHAPE)}


def order_bias(g):
    """What hides from a token what comes after its turn."""
    seen = [g.op("Unsqueeze", ["order", axes], f"order.{axes}") for axes in ("of_what_is_seen", "of_who_sees")]
    return g.op("Mul", [g.op("Cast", [g.op("Greater", seen, "is_later")], "hidden", to=FLOAT), "lowest"], "hidden.bias")


def lower_graph(w):
    g = Graph("roles")
    role = g.op("Gather", [g.const("role_vectors", w["role.weight"]), "roles"], "role")
    x = g.op("Add", [g.op("Add", ["words", role], "word_and_role"), g.positions(w["position"])], "embedded")
    x, bias = g.norm(g.rows(x), w, "norm", "embedded.norm"), order_bias(g)
    for number in range(network.LOWER):
        x = g.layer(x, bias, w, f"layer.{number}", f"l{number}")
    g.texts(x, "lower")
    return g.finished("keepsake-reader-lower", LOWER_INPUTS, {"lower": (FLOAT, [*SHAPE, encoder.WIDTH])})


def upper_graph(w, name, layers, heads):
    """Layers above the lower ones, and heads: {output: (weights, classes)}, as probabilities."""
    g = Graph("order")
    x, bias = g.rows("lower"), order_bias(g)
    for layer in layers:
        x = g.layer(x, bias, w, layer, f"l{layer.rsplit('.', 1)[1]}")
    x = g.texts(x, "top")
    for output, (key, _) in heads.items():
        score = g.head(x, w, key, output)
        g.op("Sigmoid", [score], output) if output in network.INDEPENDENT else g.op("Softmax", [score], output, axis=-1)
    return g.finished(name, UPPER_INPUTS, {output: (FLOAT, [*SHAPE, size]) for output, (_, size) in heads.items()})


def heads_of_reader():
    return {name: (f"{prefix}.{name}", size) for prefix, heads in (("head", network.TOKEN_HEADS), ("message", network.MESSAGE_HEADS))
            for name, size in heads.items()}


def heads_of_statements():
    return {name: (f"statements.head.{name}", size) for name, size in network.CHANGE.items()}


LAYERS = [f"layer.{number}" for number in range(encoder.LAYERS)]
LAYERS_OF_STATEMENTS = [f"statements.layer.{number}" for number in range(encoder.LAYERS - network.LOWER)]


def build(w):
    """The reader's graphs by file name, of a state dict of network.Reader, as numpy arrays."""
    return dict(zip(READER, (
        lower_graph(w),
        upper_graph(w, "keepsake-reader", LAYERS[network.LOWER :], heads_of_reader()),
        upper_graph(w, "keepsake-statements", LAYERS_OF_STATEMENTS, heads_of_statements()),
    )))


def load(path):
    """The state dict of weights as they were trained, or of the graphs that lie in a folder."""
    return weights(path) if pathlib.Path(path).is_dir() else torch.load(path, weights_only=True)


def weights(folder):
    """The state dict that graphs of `build` were made of, but for the rounding of their eight bits: to go on training from the
    weights that lie in the repository."""
    state = {}
    lower, upper, statements = (Constants(pathlib.Path(folder, name), state) for name in READER)
    state.update({"role.weight": lower.found["role_vectors"], "position": lower.found["positions"]})
    lower.plain("norm", "embedded.norm")
    for constants, layers in ((lower, LAYERS[: network.LOWER]), (upper, LAYERS[network.LOWER :]), (statements, LAYERS_OF_STATEMENTS)):
        for layer in layers:
            constants.layer(layer, f"l{layer.rsplit('.', 1)[1]}")
    for constants, heads in ((upper, heads_of_reader()), (statements, heads_of_statements())):
        for output, (key, _) in heads.items():
            constants.plain(key, output, np.transpose)
    return {name: torch.tensor(np.ascontiguousarray(value, dtype=np.float32)) for name, value in state.items()}


def description(calibration, files):
    """What a program needs to use the files, with the hash of each."""
    return {
        "format": FORMAT,
        "files": {path.name: {"sha256": hashlib.sha256(path.read_bytes()).hexdigest(), "bytes": path.stat().st_size} for path in files},
        "encoder": {"name": "multilingual-e5-small", "width": encoder.WIDTH, "pieces": encoder.PIECES, "cls": encoder.CLS,
                    "pad": encoder.PAD, "sep": encoder.SEP, "trunk_layers": encoder.TRUNK_LAYERS, "sha256": encoder.SHA256},
        "layout": {"roles": data.ROLE, "message": data.MESSAGE, "step": data.STEP, "context": data.CONTEXT, "opener": data.OPENER,
                   "turn": data.TURN, "turn_head": data.TURN_HEAD, "turns": data.TURNS, "long_bytes": data.LONG_BYTES,
                   "segment_bytes": data.SEGMENT_BYTES, "tokens": data.TOKENS},
        "outputs": {"tag": ["O", "B", "I"], "category": list(parse.CATEGORIES.values()), "attribute": list(data.ATTRIBUTES),
                    "signs": list(data.SIGNS), "labels": data.LABELS, "kind": list(data.KINDS), "language": list(measure.GROUPS),
                    "change": list(pairs.CHANGES)},
        "decoding": {"low": measure.LOW, "begin": measure.BEGIN},
        "calibration": calibration,
    }


class Runner:
    """The reader's graphs in a folder: a function of the three inputs that answers arrays by name."""

    def __init__(self, folder, threads):
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        open_ = lambda name: onnxruntime.InferenceSession(str(pathlib.Path(folder, name)), options, providers=["CPUExecutionProvider"])  # noqa: E731
        self.lower, self.upper, self.statements = (open_(name) for name in READER)

    def __call__(self, *inputs):
        return self.run(self.upper, inputs)

    def compare(self, *inputs):
        """Of rows of statements."""
        return self.run(self.statements, inputs)

    def run(self, upper, inputs):
        fed = dict(zip(("words", "roles", "order"), (x.numpy() for x in inputs)))
        (lower,) = self.lower.run(None, fed)
        names = [output.name for output in upper.get_outputs()]
        return dict(zip(names, upper.run(names, {"lower": lower, "order": fed["order"]})))


def runner_of(path, threads):
    """The same for a folder or for weights, which are made into graphs first: what is measured and calibrated is what ships. Eight bits
    a weight lower the scores of facts, so a calibration of the weights themselves is not one of the graphs."""
    if pathlib.Path(path).is_dir():
        return Runner(path, threads)
    with tempfile.TemporaryDirectory() as folder:
        for name, graph in build({name: value.numpy() for name, value in load(path).items()}).items():
            pathlib.Path(folder, name).write_bytes(graph)
        return Runner(folder, threads)


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
    chosen = [pair for change in pairs.SIGNS.values() for pair in [p for p in held_out if p.change == change][:PAIR_SAMPLES]]
    chosen += pairs.strangers(held_out, random.Random(1))[:PAIR_SAMPLES]
    turns = [[("owner", pair.earlier), ("owner", pair.later)] for pair in chosen]
    held_out = lives.split(lives.parse()[0])[1]
    infer = lambda turns: pairs.infer([pairs.statement_row(some, tokens) for some in turns], words, run.compare)  # noqa: E731
    for change, between in (("replaces", "outdated"), ("keeps", "kept")):
        some = [lives.turns(life, *pair) for life in held_out for pair in sorted(getattr(life, between))]
        surest = infer(some)[:, pairs.CHANGES.index(change)].argsort()[::-1]
        turns += [some[i] for i in surest[:PAIR_SAMPLES]]
    found = infer(turns)
    return [{"turns": some, **{change: round(float(p), 4) for change, p in zip(pairs.CHANGES, row)}} for some, row in zip(turns, found)]


def sentence_samples(path, graph, tokens):
    """Questions and texts with the cosine and the judgement that the graphs find."""
    texts = [before + text for pair in sentences.SAMPLES for before, text in zip((sentences.QUESTION, sentences.TEXT), pair)]
    vectors = sentences.vectors_of_graph(path, texts)
    cosines = [float(a @ b) for a, b in zip(vectors[::2], vectors[1::2])]
    rows = [[encoder.CLS, *tokens(sentences.QUESTION + question)[0], encoder.SEP, *tokens(sentences.TEXT + text)[0], encoder.SEP]
            for question, text in sentences.SAMPLES]
    judged = [float(judge.odds(scores)) for scores in sentences.of_graph(graph, rows)]
    return [{"question": question, "text": text, "cosine": round(cosine, 4), "judged": round(odds, 4)}
            for (question, text), cosine, odds in zip(sentences.SAMPLES, cosines, judged)]


def arrays(path):
    """A state dict, as numpy arrays."""
    return {name: value.numpy() for name, value in torch.load(path, weights_only=True).items()}


def compare(run, net, words, tokens, examples):
    """Prints how far the graphs are from the network; false when that is too far."""
    ours, theirs = (measure.infer(net, words, tokens, examples, run=how) for how in (None, run))
    for name in heads_of_reader():
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
    options.add_argument("sentences")
    options.add_argument("judge")
    options.add_argument("calibration")
    options.add_argument("out", type=pathlib.Path)
    options.add_argument("--check", type=int, default=200, metavar="N")
    options.add_argument("--threads", type=int, default=2)
    chosen = options.parse_args()
    torch.set_num_threads(chosen.threads)
    tensors, pieces, unknown = encoder.read()
    net, words = network.start(tensors)
    net.load_state_dict(load(chosen.weights))
    net.eval()
    made = encoder.tokenizer(pieces, unknown)
    chosen.out.mkdir(parents=True, exist_ok=True)
    graphs = build({name: value.numpy() for name, value in net.state_dict().items()})
    for name, given, graph in ((SENTENCES, chosen.sentences, sentences_graph), (JUDGE, chosen.judge, judge_graph)):
        path = pathlib.Path(given)
        graphs[name] = path.read_bytes() if path.suffix == ".onnx" else graph(arrays(path))
    files = graphs | {"words.q4": tensors[encoder.PACKED], "tokenizer.json": encoder.tokenizer_json(pieces, unknown).encode("utf-8")}
    for name, content in files.items():
        (chosen.out / name).write_bytes(content)
    calibration = json.loads(pathlib.Path(chosen.calibration).read_text(encoding="utf-8"))
    written = json.dumps(description(calibration, [chosen.out / name for name in files]), ensure_ascii=False, indent=1)
    (chosen.out / "reader.json").write_text(written + "\n", encoding="utf-8")
    print("  ".join(f"{name} {len(content) / 1e6:.1f} MB" for name, content in graphs.items()))
    test = data.split(parse.parse()[0])[2]
    run, tokens = Runner(chosen.out, chosen.threads), data.Tokens(made)
    found = {"messages": samples(test, run, words, tokens, calibration), "pairs": pair_samples(run, words, tokens),
             "sentences": sentence_samples(chosen.out / SENTENCES, chosen.out / JUDGE, tokens)}
    lines = (f'"{name}": [\n' + ",\n".join(json.dumps(one, ensure_ascii=False) for one in some) + "\n]" for name, some in found.items())
    (chosen.out / "samples.json").write_text("{" + ",\n".join(lines) + "}\n", encoding="utf-8")
    same = compare(run, net, words, tokens, test[:: max(1, len(test) // chosen.check)])
    large = [name for name, content in graphs.items() if len(content) > LARGEST]
    if large:
        print(f"{', '.join(large)} is larger than {LARGEST} bytes.")
    return 0 if same and not large else 1


if __name__ == "__main__":
    sys.exit(main())
