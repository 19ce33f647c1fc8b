"""Builds the ONNX graphs of int8 networks: the shared lower layers of the encoder, and what stands on them.

A layer is BERT's. Weights have eight bits and one scale a column; activations have seven bits and one scale a token, so that a text's
result does not depend on the texts beside it in a batch. (The runtime's own dynamic quantiser has one scale for a whole batch: a
sentence's vector then has a cosine of 0.98 with itself in another batch.) A pair of products (2 · 127 · 127) fits the 16-bit sums of
processors without VNNI.

Deliberately not here: where weights come from (`prepare_model.py`, `training/`).
"""
import numpy as np

UINT8, FLOAT, INT64 = 2, 1, 7  # ONNX element types
WIDTH, HEADS = 384, 12
HEAD_WIDTH = WIDTH // HEADS
EPSILON = 1e-12
WEIGHT_LEVELS, LEVELS, SIGNED_LEVELS = 127, 127, 63
# GELU is never below -0.16998; adding this makes its output non-negative and uses all bits.
GELU_OFFSET = 0.17
PARTS = ("q", "k", "v", "ao", "fi", "fo")


class Graph:
    """Collects ONNX nodes and constants; each method answers the name of its result."""

    def __init__(self):
        self.nodes, self.constants = [], []
        zero = SIGNED_LEVELS + 1
        for name, value in {"signed_step": 1 / SIGNED_LEVELS, "unsigned_step": 1 / LEVELS, "tiny": 1e-12, "centre": zero}.items():
            self.const(name, value)
        self.const("gelu_offset", GELU_OFFSET)
        self.const("attention_scale", 1 / np.sqrt(HEAD_WIDTH))
        self.const("lowest", np.finfo(np.float32).min)
        self.const("zero_signed", zero, "uint8")
        self.const("zero_unsigned", 0, "uint8")
        for name, value in {"last_axis": [-1], "start": [0], "second": [1], "third": [2], "of_who_sees": [1, 3], "of_what_is_seen": [1, 2],
                            "split_heads": [0, 0, HEADS, HEAD_WIDTH], "join_heads": [0, 0, WIDTH]}.items():
            self.const(name, value, "int64")

    def const(self, name, value, dtype="float32"):
        from onnx import numpy_helper

        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value, dtype=dtype), name))
        return name

    def op(self, kind, inputs, out, **attributes):
        from onnx import helper

        self.nodes.append(helper.make_node(kind, inputs, [out], **attributes))
        return out

    def quantise_rows(self, x, signed):
        """x → (uint8 rows, their float scales, zero point). Signed rows are symmetric about the centre; others get GELU_OFFSET."""
        if signed:
            peak = self.op("ReduceMax", [self.op("Abs", [x], f"{x}.abs"), "last_axis"], f"{x}.max", keepdims=1)
            shifted, step, zero = x, "signed_step", "zero_signed"
        else:
            shifted = self.op("Add", [x, "gelu_offset"], f"{x}.shifted")
            peak = self.op("ReduceMax", [shifted, "last_axis"], f"{x}.max", keepdims=1)
            step, zero = "unsigned_step", "zero_unsigned"
        # The tiny constant keeps an all-zero row from dividing by zero.
        scale = self.op("Add", [self.op("Mul", [peak, step], f"{x}.step"), "tiny"], f"{x}.scale")
        rounded = self.op("Round", [self.op("Div", [shifted, scale], f"{x}.div")], f"{x}.round")
        if signed:
            rounded = self.op("Add", [rounded, "centre"], f"{x}.centred")
        return self.op("Cast", [rounded], f"{x}.u8", to=UINT8), scale, zero

    def linear(self, quantised, weight, bias, out):
        """rows · weightᵀ + bias, with one int8 scale for each output column."""
        rows, row_scale, zero = quantised
        columns = weight.T
        scale = np.abs(columns).max(axis=0) / WEIGHT_LEVELS
        levels = np.round(columns / scale)
        if zero == "zero_unsigned":
            bias = bias - GELU_OFFSET * (levels * scale).sum(axis=0)
        product = self.op("MatMulInteger", [rows, self.const(f"{out}.weight", levels, "int8"), zero], f"{out}.int")
        product = self.op("Cast", [product], f"{out}.float", to=FLOAT)
        product = self.op("Mul", [product, row_scale], f"{out}.rows")
        product = self.op("Mul", [product, self.const(f"{out}.scale", scale)], f"{out}.columns")
        return self.op("Add", [product, self.const(f"{out}.bias", bias)], out)

    def norm(self, x, w, name, out):
        inputs = [x, self.const(f"{out}.weight", w[f"{name}.weight"]), self.const(f"{out}.bias", w[f"{name}.bias"])]
        return self.op("LayerNormalization", inputs, out, axis=-1, epsilon=EPSILON)

    def layer(self, x, bias, w, p, q):
        """A layer with the weights `p`, under the names `q`; `bias` is added to attention where something is not seen."""

        def linear(rows, name):
            return self.linear(rows, w[f"{p}.{name}.weight"], w[f"{p}.{name}.bias"], f"{q}.{name}")

        rows = self.quantise_rows(x, signed=True)

        def heads(name, order):
            y = self.op("Reshape", [linear(rows, name), "split_heads"], f"{q}.{name}.split")
            return self.op("Transpose", [y], f"{q}.{name}.heads", perm=order)

        query, key, value = heads("q", [0, 2, 1, 3]), heads("k", [0, 2, 3, 1]), heads("v", [0, 2, 1, 3])
        scores = self.op("Mul", [self.op("MatMul", [query, key], f"{q}.scores"), "attention_scale"], f"{q}.scaled")
        attention = self.op("Softmax", [self.op("Add", [scores, bias], f"{q}.masked")], f"{q}.attention", axis=-1)
        y = self.op("Transpose", [self.op("MatMul", [attention, value], f"{q}.mixed")], f"{q}.back", perm=[0, 2, 1, 3])
        y = linear(self.quantise_rows(self.op("Reshape", [y, "join_heads"], f"{q}.context"), signed=True), "ao")
        x = self.norm(self.op("Add", [y, x], f"{q}.attended.sum"), w, f"{p}.aln", f"{q}.attended")
        y = self.op("Gelu", [linear(self.quantise_rows(x, signed=True), "fi")], f"{q}.gelu")
        y = linear(self.quantise_rows(y, signed=False), "fo")
        return self.norm(self.op("Add", [y, x], f"{q}.narrow.sum"), w, f"{p}.oln", f"{q}.out")

    def positions(self, table, like):
        """As many rows of the table as the input `like` has tokens."""
        count = self.op("Slice", [self.op("Shape", [like], "shape"), "second", "third"], "count")
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
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
        onnx.checker.check_model(model)
        return model.SerializeToString()


SHAPE = ["batch", "tokens"]
HIDDEN = {"hidden": (FLOAT, [*SHAPE, WIDTH]), "mask": (INT64, SHAPE)}


def trunk(w, layers):
    """The encoder's first layers. Inputs: `words` (vectors of the tokens) and `mask`; output: `hidden`."""
    g = Graph()
    x = g.op("Add", ["words", g.positions(w["position"], "mask")], "embedded")
    x, bias = g.norm(x, w, "norm", "embedded.norm"), g.mask_bias("mask")
    for number in range(layers):
        x = g.layer(x, bias, w, f"layer.{number}", f"l{number}")
    g.op("Identity", [x], "hidden")
    inputs = {"words": (FLOAT, [*SHAPE, WIDTH]), "mask": (INT64, SHAPE)}
    return g.finished("keepsake-trunk", inputs, {"hidden": (FLOAT, [*SHAPE, WIDTH])})


def upper(g, w):
    """The layers `layer.0` and so on of `w` above the trunk."""
    x, bias = "hidden", g.mask_bias("mask")
    count = len({name.split(".")[1] for name in w if name.startswith("layer.")})
    for number in range(count):
        x = g.layer(x, bias, w, f"layer.{number}", f"l{number}")
    return x


def sentences(w):
    """A text's vector: the mean over its tokens less `centre`, of length 1. Inputs as `HIDDEN`; output: `vector`."""
    g = Graph()
    x = upper(g, w)
    shown = g.op("Cast", [g.op("Unsqueeze", ["mask", "last_axis"], "mask.tall")], "mask.weight", to=FLOAT)
    total = g.op("ReduceSum", [g.op("Mul", [x, shown], "shown"), "second"], "sum", keepdims=0)
    count = g.op("ReduceSum", [shown, "second"], "tokens", keepdims=0)
    apart = g.op("Sub", [g.op("Div", [total, count], "mean"), g.const("typical", w["centre"])], "apart")
    length = g.op("ReduceL2", [apart, "last_axis"], "length", keepdims=1)
    g.op("Div", [apart, g.op("Add", [length, "tiny"], "length.safe")], "vector")
    return g.finished("keepsake-sentences", HIDDEN, {"vector": (FLOAT, ["batch", WIDTH])})


def statements(w, outputs):
    """What is told of a text at its first token: {name: how many classes}, as probabilities. Inputs as `HIDDEN`."""
    g = Graph()
    x = upper(g, w)
    first = g.op("Squeeze", [g.op("Slice", [x, "start", "second", "second"], "first"), "second"], "first.flat")
    for name in outputs:
        g.op("Softmax", [g.head(first, w, f"head.{name}", name)], name, axis=-1)
    return g.finished("keepsake-statements", HIDDEN, {name: (FLOAT, ["batch", size]) for name, size in outputs.items()})
