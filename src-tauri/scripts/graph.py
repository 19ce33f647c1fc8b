"""Builds the ONNX graphs of int8 networks: the shared lower layers of the encoder, and what stands on them.

A layer is BERT's. Weights have eight bits and one scale a column; activations have seven bits and one scale a token, so that a text's
result does not depend on the texts beside it in a batch. (The runtime's own dynamic quantiser has one scale for a whole batch: a
sentence's vector then has a cosine of 0.98 with itself in another batch.) A pair of products (2 · 127 · 127) fits the 16-bit sums of
processors without VNNI.

`Constants` reads weights back out of such a graph. Deliberately not here: where weights come from (`prepare_model.py`, `training/`).
"""
import numpy as np

FLOAT, INT64 = 1, 7  # ONNX element types
WIDTH, HEADS = 384, 12
HEAD_WIDTH = WIDTH // HEADS
EPSILON = 1e-12
WEIGHT_LEVELS, LEVELS, SIGNED_LEVELS = 127, 127, 63
# GELU is never below -0.16998; adding this makes its output non-negative and uses all bits.
GELU_OFFSET = 0.17
ATTENDING = ("q", "k", "v")  # side by side in one matrix
SINGLE = ("ao", "fi", "fo")
RUNTIME = "com.microsoft"  # the domain of what only ONNX Runtime has


class Graph:
    """Collects ONNX nodes and constants; each method answers the name of its result. Between attention, the tokens of all texts are the
    rows of one matrix."""

    def __init__(self, like):
        """`like` is an input with a number for each token."""
        self.nodes, self.constants = [], []
        zero = SIGNED_LEVELS + 1
        for name, value in {"signed_step": 1 / SIGNED_LEVELS, "unsigned_step": 1 / LEVELS, "tiny": 1e-12, "unit": 1.0}.items():
            self.const(name, value)
        self.const("gelu_offset", GELU_OFFSET)
        self.const("attention_scale", 1 / np.sqrt(HEAD_WIDTH))
        self.const("lowest", np.finfo(np.float32).min)
        self.const("zero_signed", zero, "uint8")
        self.const("zero_unsigned", 0, "uint8")
        for name, value in {"last_axis": [-1], "start": [0], "second": [1], "third": [2], "of_who_sees": [1, 3], "of_what_is_seen": [1, 2],
                            "row": [-1, WIDTH], "token": [WIDTH], "three_heads": [len(ATTENDING), HEADS, HEAD_WIDTH],
                            "one_each": [1] * len(ATTENDING)}.items():
            self.const(name, value, "int64")
        self.op("Shape", [like], "shape")
        self.op("Concat", ["shape", "token"], "texts", axis=0)
        self.op("Concat", ["shape", "three_heads"], "split_heads", axis=0)
        count = self.op("ReduceProd", ["shape"], "rows", keepdims=1)
        for kind in ("signed", "unsigned"):
            self.op("Expand", [f"zero_{kind}", count], f"zeros_{kind}")

    def const(self, name, value, dtype="float32"):
        from onnx import numpy_helper

        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value, dtype=dtype), name))
        return name

    def op(self, kind, inputs, out, domain="", **attributes):
        from onnx import helper

        self.nodes.append(helper.make_node(kind, inputs, [out] if isinstance(out, str) else out, domain=domain, **attributes))
        return out

    def rows(self, x):
        """Texts of tokens → one matrix."""
        return self.op("Reshape", [x, "row"], f"{x}.row")

    def texts(self, x, out):
        """One matrix → texts of tokens."""
        return self.op("Reshape", [x, "texts"], out)

    def quantise_rows(self, x, signed):
        """x → (uint8 rows, their float scales, zero point). Signed rows are symmetric about the centre; others get GELU_OFFSET."""
        if signed:
            peak = self.op("ReduceMax", [self.op("Abs", [x], f"{x}.abs"), "last_axis"], f"{x}.max", keepdims=1)
            shifted, step, zero = x, "signed_step", "signed"
        else:
            shifted = self.op("Add", [x, "gelu_offset"], f"{x}.shifted")
            peak = self.op("ReduceMax", [shifted, "last_axis"], f"{x}.max", keepdims=1)
            step, zero = "unsigned_step", "unsigned"
        # The tiny constant keeps an all-zero row from dividing by zero.
        scale = self.op("Add", [self.op("Mul", [peak, step], f"{x}.step"), "tiny"], f"{x}.scale")
        by_row = self.op("Squeeze", [scale, "last_axis"], f"{x}.scale.row")
        return self.op("QuantizeLinear", [shifted, by_row, f"zeros_{zero}"], f"{x}.u8", axis=0), scale, f"zero_{zero}"

    def linear(self, quantised, linears, out):
        """rows · weightsᵀ + biases, with one int8 scale for each output column. Linears: (weight, bias), side by side."""
        rows, row_scale, zero = quantised
        scales, levels, biases = [], [], []
        for weight, bias in linears:
            columns = weight.T
            scales.append(np.abs(columns).max(axis=0) / WEIGHT_LEVELS)
            levels.append(np.round(columns / scales[-1]))
            biases.append(bias - GELU_OFFSET * (levels[-1] * scales[-1]).sum(axis=0) if zero == "zero_unsigned" else bias)
        weights = self.const(f"{out}.weight", np.concatenate(levels, axis=1), "int8")
        scale = self.const(f"{out}.scale", np.concatenate(scales))
        product = self.op("MatMulIntegerToFloat", [rows, weights, "unit", scale, zero], f"{out}.columns", RUNTIME)
        product = self.op("Mul", [product, row_scale], f"{out}.rows")
        return self.op("Add", [product, self.const(f"{out}.bias", np.concatenate(biases))], out)

    def norm(self, x, w, name, out):
        inputs = [x, self.const(f"{out}.weight", w[f"{name}.weight"]), self.const(f"{out}.bias", w[f"{name}.bias"])]
        return self.op("LayerNormalization", inputs, out, axis=-1, epsilon=EPSILON)

    def layer(self, x, bias, w, p, q):
        """A layer with the weights `p`, under the names `q`; `bias` is added to attention where something is not seen."""

        def linears(*names):
            return [(w[f"{p}.{name}.weight"], w[f"{p}.{name}.bias"]) for name in names]

        y = self.linear(self.quantise_rows(x, signed=True), linears(*ATTENDING), f"{q}.qkv")
        y = self.op("Reshape", [y, "split_heads"], f"{q}.qkv.split")
        y = self.op("Transpose", [y], f"{q}.qkv.heads", perm=[2, 0, 3, 1, 4])
        parts = self.op("Split", [y, "one_each"], [f"{q}.{name}.one" for name in ATTENDING], axis=0)
        query, key, value = (self.op("Squeeze", [part, "start"], f"{q}.{name}") for part, name in zip(parts, ATTENDING))
        key = self.op("Transpose", [key], f"{q}.k.turned", perm=[0, 1, 3, 2])
        scores = self.op("Mul", [self.op("MatMul", [query, key], f"{q}.scores"), "attention_scale"], f"{q}.scaled")
        attention = self.op("Softmax", [self.op("Add", [scores, bias], f"{q}.masked")], f"{q}.attention", axis=-1)
        y = self.op("Transpose", [self.op("MatMul", [attention, value], f"{q}.mixed")], f"{q}.context", perm=[0, 2, 1, 3])
        y = self.linear(self.quantise_rows(self.rows(y), signed=True), linears("ao"), f"{q}.ao")
        x = self.norm(self.op("Add", [y, x], f"{q}.attended.sum"), w, f"{p}.aln", f"{q}.attended")
        y = self.op("Gelu", [self.linear(self.quantise_rows(x, signed=True), linears("fi"), f"{q}.fi")], f"{q}.gelu")
        y = self.linear(self.quantise_rows(y, signed=False), linears("fo"), f"{q}.fo")
        return self.norm(self.op("Add", [y, x], f"{q}.narrow.sum"), w, f"{p}.oln", f"{q}.out")

    def positions(self, table):
        """As many rows of the table as a text has tokens."""
        count = self.op("Slice", ["shape", "second", "third"], "count")
        return self.op("Slice", [self.const("positions", table), "start", count, "start"], "position")

    def mask_bias(self, mask):
        """What hides padding from attention, of a mask (1 for a token, 0 for padding)."""
        shown = self.op("Cast", [self.op("Unsqueeze", [mask, "of_what_is_seen"], "mask.wide")], "mask.float", to=FLOAT)
        one = self.const("one", 1.0)
        return self.op("Mul", [self.op("Sub", [one, shown], "mask.hidden"), "lowest"], "mask.bias")

    def head(self, x, w, key, name):
        """A linear layer in float: heads are small, and their scores are what is calibrated."""
        product = self.op("MatMul", [x, self.const(f"{name}.weight", w[f"{key}.weight"].T)], f"{name}.product")
        return self.op("Add", [product, self.const(f"{name}.bias", w[f"{key}.bias"])], f"{name}.score")

    def finished(self, name, inputs, outputs):
        """The bytes of the model. Inputs and outputs: name → (element type, shape)."""
        import onnx
        from onnx import helper

        made = [[helper.make_tensor_value_info(key, kind, shape) for key, (kind, shape) in some.items()] for some in (inputs, outputs)]
        used = {key for node in self.nodes for key in node.input}
        constants = [constant for constant in self.constants if constant.name in used]
        graph = helper.make_graph(self.nodes, name, *made, constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20), helper.make_opsetid(RUNTIME, 1)], ir_version=9)
        onnx.checker.check_model(model)
        return model.SerializeToString()


SHAPE = ["batch", "tokens"]
HIDDEN = {"hidden": (FLOAT, [*SHAPE, WIDTH]), "mask": (INT64, SHAPE)}


def trunk(w, layers):
    """The encoder's first layers. Inputs: `words` (vectors of the tokens) and `mask`; output: `hidden`."""
    g = Graph("mask")
    x = g.op("Add", ["words", g.positions(w["position"])], "embedded")
    x, bias = g.norm(g.rows(x), w, "norm", "embedded.norm"), g.mask_bias("mask")
    for number in range(layers):
        x = g.layer(x, bias, w, f"layer.{number}", f"l{number}")
    g.texts(x, "hidden")
    inputs = {"words": (FLOAT, [*SHAPE, WIDTH]), "mask": (INT64, SHAPE)}
    return g.finished("keepsake-trunk", inputs, {"hidden": (FLOAT, [*SHAPE, WIDTH])})


def upper(g, w):
    """The layers `layer.0` and so on of `w` above the trunk."""
    x, bias = g.rows("hidden"), g.mask_bias("mask")
    count = len({name.split(".")[1] for name in w if name.startswith("layer.")})
    for number in range(count):
        x = g.layer(x, bias, w, f"layer.{number}", f"l{number}")
    return g.texts(x, "top")


def sentences(w):
    """A text's vector: the mean over its tokens less `centre`, of length 1. Inputs as `HIDDEN`; output: `vector`."""
    g = Graph("mask")
    x = upper(g, w)
    shown = g.op("Cast", [g.op("Unsqueeze", ["mask", "last_axis"], "mask.tall")], "mask.weight", to=FLOAT)
    total = g.op("ReduceSum", [g.op("Mul", [x, shown], "shown"), "second"], "sum", keepdims=0)
    count = g.op("ReduceSum", [shown, "second"], "tokens", keepdims=0)
    apart = g.op("Sub", [g.op("Div", [total, count], "mean"), g.const("typical", w["centre"])], "apart")
    length = g.op("ReduceL2", [apart, "last_axis"], "length", keepdims=1)
    g.op("Div", [apart, g.op("Add", [length, "tiny"], "length.safe")], "vector")
    return g.finished("keepsake-sentences", HIDDEN, {"vector": (FLOAT, ["batch", WIDTH])})


def judge(w):
    """How well it fits that a passage does not help with what is asked before it, is useful, or is needed. Inputs as `HIDDEN`; output:
    `helps`, three scores that are read at the first token."""
    g = Graph("mask")
    first = g.op("Slice", [upper(g, w), "start", "second", "second"], "first")
    g.op("Squeeze", [g.head(first, w, "head", "help"), "second"], "helps")
    return g.finished("keepsake-judge", HIDDEN, {"helps": (FLOAT, ["batch", len(w["head.bias"])])})


class Constants:
    """The constants of a graph, put into a state dict."""

    def __init__(self, path, state):
        import onnx
        from onnx import numpy_helper

        self.found = {constant.name: numpy_helper.to_array(constant) for constant in onnx.load(str(path)).graph.initializer}
        self.state = state

    def linears(self, names, key, shift=0.0):
        columns = self.found[f"{key}.weight"].astype(np.float32) * self.found[f"{key}.scale"]
        biases = self.found[f"{key}.bias"] + shift * columns.sum(axis=0)
        for name, some, bias in zip(names, np.split(columns, len(names), axis=1), np.split(biases, len(names))):
            self.state.update({f"{name}.weight": some.T, f"{name}.bias": bias})

    def plain(self, name, key, turn=lambda x: x):
        self.state.update({f"{name}.weight": turn(self.found[f"{key}.weight"]), f"{name}.bias": self.found[f"{key}.bias"]})

    def layer(self, name, key):
        self.plain(f"{name}.aln", f"{key}.attended"), self.plain(f"{name}.oln", f"{key}.out")
        self.linears([f"{name}.{part}" for part in ATTENDING], f"{key}.qkv")
        for part in SINGLE:  # the input of `fo` is shifted to be unsigned, and the shift is in the bias
            self.linears([f"{name}.{part}"], f"{key}.{part}", GELU_OFFSET if part == "fo" else 0.0)
