"""Tests of layout, split, calibration and decoding. They need the packages of requirements.txt and are skipped without."""
import importlib.util
import pathlib
import random
import unittest
import unittest.mock

READY = all(importlib.util.find_spec(name) for name in ("numpy", "tokenizers", "torch", "onnx"))
if READY:
    import numpy as np

    import data
    import export
    import measure
    import network
    import parse
    from graph import WEIGHT_LEVELS


class Words:
    """A tokeniser of one token a word."""

    def encode(self, text, add_special_tokens):
        import re
        import types

        found = list(re.finditer(r"\S+", text))
        return types.SimpleNamespace(ids=[10 + i for i, _ in enumerate(found)], offsets=[match.span() for match in found])


@unittest.skipUnless(READY, "the packages of requirements.txt are not installed")
class Data(unittest.TestCase):
    def rows(self, line, start=0):
        talk = data.conversations(parse.parse_line(line))[0]
        tokens = data.Tokens(Words())
        teaches = {at: data.targets_of(example, tokens) for at, example in talk.examples.items()}
        return data.rows(talk.turns, start, len(talk.turns), tokens, lambda at, window: teaches[at](window))

    def test_messages_of_a_segment_stand_in_one_row_and_none_sees_what_follows(self):
        (row,) = self.rows("a: what pet | u: one {i.pet:old cat}")
        self.assertEqual(row.roles, [0, 0, 2, 0, 0, 1, 0, 0, 0])
        self.assertEqual(row.order, [0, 0, 1, 1, 1, 2, 2, 2, 2])
        self.assertEqual([(part.role, part.length) for part in row.messages], [(2, 2), (5, 3)])
        self.assertEqual(list(row.messages[1].targets.tag), [0, 1, 2])

    def test_what_stands_before_a_segment_is_context(self):
        (row,) = self.rows("a: what pet | u: one {i.pet:old cat}", 1)
        self.assertEqual((row.roles, [part.at for part in row.messages]), ([0, 2, 0, 0, 0, 1, 0, 0, 0], [1]))

    def test_the_opener_is_there_when_it_lies_far_back(self):
        far = self.rows("u: act | " + "a: b | u: c | " * 2 + "u: e", 5)[0]
        near = self.rows("a: b | u: c | a: b | u: c | u: e", 4)[0]
        self.assertEqual(len(far.ids) - len(near.ids), 3)

    def test_segments_begin_where_what_was_said_before_makes_them_begin(self):
        turns = [("owner", "x" * size) for size in (400, 250, 300, 2000, 10, 10)]
        self.assertEqual(data.segments(turns), [(0, 2), (2, 3), (3, 4), (4, 6)])
        for end in range(len(turns)):
            self.assertEqual([start for start, _ in data.segments(turns[:end])], [start for start, _ in data.segments(turns) if start < end])

    def test_a_segment_of_dense_writing_goes_on_in_another_row(self):
        with unittest.mock.patch.object(data, "TOKENS", 120):
            found = self.rows(" | ".join(f"u: {'a ' * 39}b" for _ in range(5)))
        self.assertTrue(len(found) > 1 and all(len(row.ids) <= 120 for row in found))
        self.assertEqual([part.at for row in found for part in row.messages], [0, 1, 2, 3, 4])

    def test_a_message_reads_alike_whatever_follows(self):
        import torch

        torch.manual_seed(1)
        net, words = network.Reader().eval(), torch.randn(600, 384)
        turns = [("owner", "i live here"), ("assistant", "and since when"), ("owner", "since may")]
        tokens = data.Tokens(Words())
        long, short = (data.rows(turns[:end], 0, end, tokens)[0] for end in (3, 2))
        with torch.no_grad():
            scores = net(*network.collate([long, short], words))
        size = len(short.ids)
        for name, found in scores.items():
            self.assertLess(float((found[0, :size] - found[1, :size]).abs().max()), 1e-5, name)

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
        with tempfile.TemporaryDirectory() as folder:
            for name, graph in export.build({name: value.numpy() for name, value in state.items()}).items():
                pathlib.Path(folder, name).write_bytes(graph)
            again = export.weights(folder)
        self.assertEqual(state.keys(), again.keys())
        for name, value in state.items():
            rounding = float(value.abs().max()) / WEIGHT_LEVELS
            self.assertLessEqual(float((value - again[name]).abs().max()), rounding, name)


@unittest.skipUnless(READY, "the packages of requirements.txt are not installed")
class Statements(unittest.TestCase):
    def test_where_a_mark_leaves_it_open_any_of_the_possible_changes_is_right(self):
        import statements
        import torch

        sure = lambda change: torch.full((1, 4), -20.0).index_fill(1, torch.tensor([change]), 20.0)  # noqa: E731
        loss = lambda said, taught: statements.loss(sure(said), torch.tensor([taught])).item()  # noqa: E731
        right = {said: [taught for taught in sorted(statements.POSSIBLE) if loss(said, taught) < 0.1] for said in range(4)}
        self.assertEqual(right[statements.REPLACES], [statements.REPLACES, statements.SETTLES])
        self.assertEqual(right[statements.SAME], [statements.SAME, statements.STANDS, statements.NOT_OUTDATED])
        self.assertEqual(right[statements.BOTH], [statements.BOTH, statements.STANDS, statements.NOT_OUTDATED])
        self.assertEqual(right[statements.KEEPS], [statements.KEEPS, statements.SETTLES, statements.NOT_OUTDATED])


@unittest.skipUnless(READY, "the packages of requirements.txt are not installed")
class Sentences(unittest.TestCase):
    def losses(self, helps, other, harmful):
        import torch

        import sentences

        upper = sentences.Upper()
        cosines, marks = torch.tensor([[helps, other, harmful]]), torch.tensor([[1.0, 0.0, -1.0]])
        return [float(sentences.ranking(cosines, marks)), float(sentences.calibration(cosines, marks, upper))]

    def test_what_helps_is_to_be_nearer_and_what_is_harmful_teaches_nothing(self):
        for near, far in zip(self.losses(0.8, 0.1, 0.5), self.losses(0.2, 0.1, 0.5)):
            self.assertLess(near, far)
        for near, far in zip(self.losses(0.5, 0.6, 0.5), self.losses(0.5, 0.1, 0.5)):
            self.assertGreater(near, far)
        self.assertEqual(self.losses(0.5, 0.1, 0.9), self.losses(0.5, 0.1, 0.0))

    def test_near_texts_stand_in_one_batch(self):
        import torch

        import sentences

        generator = torch.Generator().manual_seed(1)
        centres = torch.nn.functional.normalize(torch.randn(40, 384, generator=generator), dim=-1)
        vectors = torch.nn.functional.normalize(centres.repeat_interleave(8, 0) + 0.01 * torch.randn(320, 384, generator=generator), dim=-1)
        for batch in sentences.groups(vectors, random.Random(1)):
            self.assertEqual(len(batch), sentences.NEAR_TEXTS)
            self.assertEqual(len({i // 8 for i in batch}), sentences.NEAR_TEXTS // 8)


if __name__ == "__main__":
    unittest.main()
