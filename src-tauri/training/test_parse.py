"""Tests of the parser; run by `python3 -m unittest` in this folder."""
import pathlib
import tempfile
import unittest

import parse


def marked(line, **options):
    """Of each message of a line: its text and its marks as (words, label, attribute)."""
    rows = parse.parse_line(line, **options)
    return [(row.text, [(row.text[m.start : m.end], m.label, m.attribute) for m in row.marks]) for row in rows]


class Reading(unittest.TestCase):
    def check(self, line, expect, **options):
        self.assertEqual(marked(line, **options), expect)

    def test_a_fact_keeps_its_place(self):
        self.check("u: hi, {i.home:I live in Hull}.", [("hi, I live in Hull.", [("I live in Hull", "i", "home")])])

    def test_marks_may_stand_within_each_other(self):
        self.check("u: {C:I'll bring {i.pet:my dog}}", [("I'll bring my dog", [("I'll bring my dog", "C", None), ("my dog", "i", "pet")])])

    def test_a_line_break_is_one_character(self):
        self.check("u: so\\n{X:hello}", [("so\nhello", [("hello", "X", None)])])

    def test_braces_of_code_are_text(self):
        self.check('u: {"a": {}} and \\{a:1\\}', [('{"a": {}} and {a:1}', [])])

    def test_blanks_at_the_ends_are_not_part_of_a_span(self):
        self.check("u: {T: that worked } ok", [(" that worked  ok", [("that worked", "T", None)])])

    def test_a_bar_without_blanks_splits_no_turn(self):
        self.check("u: ls|wc", [("ls|wc", [])])

    def test_a_file_of_facts_only_needs_no_attribute(self):
        self.check("u: {i:44, divorced}", [("44, divorced", [("44, divorced", "i", None)])], facts_only=True)

    def test_signs_are_read_in_any_order(self):
        mark = parse.parse_line("u: {i.job?-@:he gave up driving}")[0].marks[0]
        self.assertEqual((mark.negated, mark.implied, mark.about_other), (True, True, True))

    def test_a_relative_is_somebody_else_and_having_none_is_the_speaker(self):
        rows = parse.parse_line("u: {r.child:my son is six}, {r.sibling-:no brothers}")
        self.assertEqual([mark.about_other for mark in rows[0].marks], [True, False])

    def test_every_turn_before_is_context_and_a_tool_is_no_example(self):
        rows = parse.parse_line("u: one | tool: two | Kim: ~three")
        self.assertEqual([(row.role, row.speaker, row.pretended) for row in rows], [("owner", "u", False), ("person", "Kim", True)])
        self.assertEqual(rows[1].context, (("owner", "one"), ("tool", "two")))


class Faults(unittest.TestCase):
    def check(self, line, reason, **options):
        with self.assertRaisesRegex(parse.Malformed, reason):
            parse.parse_line(line, **options)

    def test_a_mark_that_does_not_end(self):
        self.check("u: {i.home:I live in Hull | a: ok", "unbalanced braces")

    def test_a_brace_that_closes_nothing(self):
        self.check("u: I live in Hull}", "unbalanced braces")

    def test_an_unknown_letter(self):
        self.check("u: {q.home:I live in Hull}", "unknown letter 'q'")

    def test_an_unknown_attribute(self):
        self.check("u: {i.house:I live in Hull}", "unknown attribute 'house'")

    def test_a_fact_without_an_attribute(self):
        self.check("u: {i:I live in Hull}", "without an attribute")

    def test_an_attribute_on_what_is_no_fact(self):
        self.check("u: {C.plan:I'll come}", "only facts have an attribute")

    def test_an_empty_span(self):
        self.check("u: well {i.home: } yes", "an empty span")

    def test_a_mark_outside_of_a_turn(self):
        self.check("{i.home:u: I live in Hull}", "outside of a turn")
        self.check("u: hi | {X:a: hello}", "outside of a turn")

    def test_four_marks_within_each_other(self):
        self.check("u: {X:{C:{W:{i.pet:a dog}}}}", "more than 3")
        self.assertEqual(len(parse.parse_line("u: {X:{C:{i.pet:a dog}}}")[0].marks), 3)

    def test_a_turn_without_a_speaker(self):
        self.check("hello there", "without a speaker")

    def test_a_turn_without_words(self):
        self.check("u: hi | a: ", "an empty turn")

    def test_a_fact_of_an_assistant(self):
        self.check("a: {i.home:I live in Hull}", "no life of its own")

    def test_the_same_sign_twice(self):
        self.check("u: {i.home--:not in Hull}", "same sign twice")


class Files(unittest.TestCase):
    def read(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "01-a.txt"
            path.write_text(text, encoding="utf-8")
            return parse.parse_file(path)

    def test_a_heading_names_the_language_until_the_next(self):
        examples, _ = self.read("u: hi\n# German\nu: hallo\n# Kit, 17, school\nu: hey\n")
        self.assertEqual([row.language for row in examples], ["English", "German", "English"])

    def test_a_fault_is_named_by_its_line_and_the_others_are_read(self):
        examples, faults = self.read("u: hi\n\nu: {x.y:no}\nu: bye\n")
        self.assertEqual([row.line for row in examples], [1, 4])
        self.assertEqual([number for number, _ in faults], [3])

    def test_equal_words_with_two_marks_are_a_disagreement(self):
        examples, _ = self.read("u: {p.hobby:I knit}\nu: {s.skill:i knit!}\nu: {i.job:I bake}\nu: {i.job:I bake}\n")
        self.assertEqual([words for words, _ in parse.disagreements(examples)], ["i knit"])

    def test_the_text_of_the_repository_is_well_formed(self):
        examples, faults = parse.parse()
        self.assertEqual(faults, [])
        self.assertGreater(len(examples), 30_000)


if __name__ == "__main__":
    unittest.main()
