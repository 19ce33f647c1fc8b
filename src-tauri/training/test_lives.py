"""Tests of what reads the lives. They need nothing but Python."""
import pathlib
import tempfile
import unittest

import lives

LIFE = """# somebody
== dm Priya | 2025-02-03
1 me: hello
2 Priya: no nuts for me
== assistant | 2025-02-04
3 assistant: hello
4 Priya: nuts are fine again
5 me: I'll bring some
6 Priya: lovely, the cashews
=> 4 2
=k 6 5
=o 3
?? task | cook for Priya
! 2
x 1 3
?? question | what is there
"""


class Lives(unittest.TestCase):
    def read(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "x.txt")
            path.write_text(text, encoding="utf-8")
            return lives.parse([path])

    def test_messages_and_what_helps_with_what_is_asked(self):
        ((life,), faults) = self.read(LIFE)
        self.assertEqual(faults, [])
        self.assertEqual([(line.number, line.speaker, line.day) for line in life.lines],
                         [(1, "me", "2025-02-03"), (2, "Priya", "2025-02-03"), *((n, who, "2025-02-04") for n, who in ((3, "assistant"), (4, "Priya"), (5, "me"), (6, "Priya")))])
        self.assertEqual([(ask.kind, ask.marks) for ask in life.asks],
                         [("task", {2: "needed", 1: "harmful", 3: "harmful"}), ("question", {})])
        self.assertEqual([lives.embedded(line) for line in life.lines][:3], ["hello", "Priya: no nuts for me", "hello"])

    def test_what_a_message_makes_of_an_earlier_one(self):
        ((life,), _) = self.read(LIFE)
        self.assertEqual((life.outdated, life.kept, life.fallen, life.promises), ({(4, 2)}, {(6, 5)}, set(), {3, 5}))
        self.assertEqual(lives.turns(life, 6, 5), [("owner", "I'll bring some"), ("person", "lovely, the cashews")])
        self.assertEqual([role for role, _ in lives.turns(life, 4, 2)], ["person", "assistant", "person"])

    def test_a_life_without_asks_teaches_nothing_of_what_helps(self):
        ((life,), _), ((silent,), faults) = self.read(LIFE), self.read(LIFE[: LIFE.index("??")])
        self.assertEqual(faults, [])
        self.assertEqual(lives.asked([life, silent]), [life])

    def test_what_is_malformed_is_named(self):
        for wrong in ("! 9", "! 2\n+ 2", "9 me: too late", "?? wish | x", "nonsense"):
            self.assertTrue(self.read(f"{LIFE}{wrong}\n")[1], wrong)
        for wrong in ("=> 2 4", "=> 9 2", "=k 6", "=o 3 1", "=x 3 1"):
            self.assertTrue(self.read(LIFE.replace("=o 3", wrong))[1], wrong)

    def test_what_lies_here_is_well_formed_and_no_author_is_on_two_sides(self):
        found, faults = lives.parse()
        self.assertEqual(faults, [])
        training, held_out = lives.split(found)
        self.assertTrue(training and held_out)
        self.assertEqual(len(training) + len(held_out), len(found))


if __name__ == "__main__":
    unittest.main()
