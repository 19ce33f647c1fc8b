"""Tests of layout, split, calibration and decoding. They need the packages of requirements.txt and are skipped without."""
import importlib.util
import random
import unittest

READY = all(importlib.util.find_spec(name) for name in ("numpy", "tokenizers", "torch", "onnx"))
if READY:
    import numpy as np

    import data
    import export
    import measure
    import network
    import parse


class Words:
    """A tokeniser of one token a word."""

    def encode(self, text, add_special_tokens):
        import re
        import types

        found = list(re.finditer(r"\S+", text))
        return types.SimpleNamespace(ids=[10 + i for i, _ in enumerate(found)], offsets=[match.span() for match in found])


@unittest.skipUnless(READY, "the packages of requirements.txt are not installed")
class Data(unittest.TestCase):
    def row(self, line, **options):
        return data.rows(parse.parse_line(line)[-1], data.Tokens(Words()), **options)[0]

    def test_a_message_stands_after_its_context(self):
        row = self.row("a: what pet | u: one {i.pet:old cat}")
        self.assertEqual(row.roles, [0, 2, 0, 0, 0, 1, 0, 0, 0, 0])
        self.assertEqual((row.start, list(row.tag)), (6, [0, 1, 2]))

    def test_the_opener_is_there_when_it_lies_far_back(self):
        far = self.row("u: act | a: b | u: c | a: d | u: e")
        near = self.row("a: b | u: c | a: d | u: e")
        self.assertEqual(len(far.ids) - len(near.ids), 3)

    def test_windows_cover_a_long_message_and_overlap(self):
        found = data.windows(1000)
        self.assertEqual((found[0], found[-1][1]), ((0, data.MESSAGE), 1000))
        self.assertTrue(all(after[0] < before[1] for before, after in zip(found, found[1:])))
        self.assertEqual(data.windows(0), [(0, 0)])

    def test_no_author_is_on_two_sides(self):
        files = [{example.file for example in part} for part in data.split(parse.parse()[0])]
        self.assertTrue(all(files))
        self.assertFalse(files[0] & files[1] or files[0] & files[2] or files[1] & files[2])


@unittest.skipUnless(READY, "the packages of requirements.txt are not installed")
class Measuring(unittest.TestCase):
    def test_calibration_mends_scores_that_are_too_high(self):
        rng = random.Random(1)
        true = [rng.random() for _ in range(4000)]
        right = [rng.random() < p for p in true]
        raw = [p**0.3 for p in true]
        a, b = measure.fit(raw[::2], right[::2])
        mended = [measure.apply({"fact": {"english": [a, b]}}, "fact", "english", score) for score in raw[1::2]]
        self.assertGreater(measure.expected_error(raw[1::2], right[1::2]), 0.15)
        self.assertLess(measure.expected_error(mended, right[1::2]), 0.05)

    def test_scores_that_crowd_at_the_edge_do_not_lead_to_infinity(self):
        rng = random.Random(2)
        raw = [rng.choice((0.9999, 0.999, 0.35, 0.4)) for _ in range(300)]
        right = [rng.random() < (0.7 if score > 0.9 else 0.1) for score in raw]
        a, b = measure.fit(raw, right)
        self.assertLess(abs(a) + abs(b), 10, "a whole step of Newton's leads to a cliff at 0.4")
        mended = [measure.apply({"fact": {"english": [a, b]}}, "fact", "english", score) for score in raw]
        self.assertLess(measure.expected_error(mended, right), 0.15)

    def test_two_statements_are_two_spans_and_a_word_is_never_cut(self):
        text = "I bake. I knit"
        p = np.array([0.9, 0.9, 0.9, 0.9, 0.9])
        places = [(0, 1), (2, 5), (5, 7), (8, 9), (10, 14)]
        self.assertEqual(measure.runs(p, np.array([1, 0, 1, 0, 0]), places, text), [[0, 1, 2], [3, 4]])

    def test_recall_is_taken_where_precision_still_holds(self):
        recall, threshold = measure.at_precision([0.9, 0.8, 0.7, 0.6], [True, True, False, False], 4, 0.8)
        self.assertEqual((recall, threshold), (0.5, 0.8))


@unittest.skipUnless(READY, "the packages of requirements.txt are not installed")
class Exporting(unittest.TestCase):
    def test_training_can_go_on_from_the_graph(self):
        import tempfile

        state = network.Reader().state_dict()
        with tempfile.NamedTemporaryFile(suffix=".onnx") as file:
            file.write(export.build({name: value.numpy() for name, value in state.items()}))
            file.flush()
            again = export.weights(file.name)
        self.assertEqual(state.keys(), again.keys())
        for name, value in state.items():
            rounding = float(value.abs().max()) / export.WEIGHT_LEVELS
            self.assertLessEqual(float((value - again[name]).abs().max()), rounding, name)


if __name__ == "__main__":
    unittest.main()
