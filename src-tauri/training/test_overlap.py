"""Tests of the comparison with evaluation text; the sets themselves are made up here."""
import contextlib
import io
import json
import pathlib
import tempfile
import unittest

import overlap

PLANTED = "My neighbour keeps eleven geese behind the old railway shed, honestly."


class Overlap(unittest.TestCase):
    def check(self, ours, theirs, expect, name="text.txt"):
        with tempfile.TemporaryDirectory() as folder:
            root, evals = pathlib.Path(folder, "repository"), pathlib.Path(folder, "evals")
            root.mkdir()
            evals.mkdir()
            (root / name).write_text(ours, encoding="utf-8")
            (evals / "set.jsonl").write_text(json.dumps({"messages": theirs}, ensure_ascii=False) + "\n", encoding="utf-8")
            found = overlap.matches(root, evals, ["**/*"])
            self.assertEqual([(ours, theirs) for ours, theirs, _ in found], expect)

    def test_a_planted_line_is_found_with_its_place(self):
        self.check(f"u: hello\nu: {PLANTED}\n", [{"text": PLANTED}], [("text.txt:2", "set.jsonl:1")])

    def test_marks_case_and_punctuation_hide_nothing(self):
        ours = "u: well {i.pet@:MY neighbour, keeps eleven} geese - behind {X:the old} railway shed\n"
        self.check(ours, [{"text": PLANTED}], [("text.txt:1", "set.jsonl:1")])

    def test_a_planted_string_of_code_is_found(self):
        self.check(f'check("{PLANTED}");\n', [{"text": PLANTED}], [("a.rs:1", "set.jsonl:1")], name="a.rs")

    def test_seven_words_in_a_row_are_no_match(self):
        self.check("neighbour keeps eleven geese behind the old\n", [{"text": PLANTED}], [])

    def test_no_run_crosses_two_messages(self):
        theirs = [{"text": "my neighbour keeps eleven"}, {"text": "geese behind the old railway shed"}]
        self.check("my neighbour keeps eleven geese behind the old\n", theirs, [])

    def test_languages_without_blanks_need_a_longer_run(self):
        sentence = "我邻居在旧铁路棚后面养了十一只鹅还有两只山羊"
        self.check(sentence[:10] + "\n", [{"text": sentence}], [])
        self.check(sentence + "\n", [{"text": sentence}], [("text.txt:1", "set.jsonl:1")])

    def test_without_evaluation_data_it_says_so_and_passes(self):
        said = io.StringIO()
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(said):
            self.assertEqual(overlap.main([f"{folder}/none"]), 0)
        self.assertIn("nothing compared", said.getvalue())


if __name__ == "__main__":
    unittest.main()
