# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""The reader of the corpus finds what its rows name, and complains where they do not hold."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import rows  # noqa: E402
import scenes  # noqa: E402

ANSWER = {"devices": [{"peak": {"buckets": {"gradient": 7}}, "steps": []}],
          "fixes": [{"id": "a", "bytes": 1}, {"id": "b", "bytes": 2}]}


def row(where, truth):
    return rows.read(f"real/x.pickle\tsummary {{}}\t{where}\t{truth}\twrong")[0]


def is_true(where, truth):
    made = row(where, truth)
    return rows.holds(made, rows.look_up(ANSWER, made.where))


class Rows(unittest.TestCase):
    def test_paths_lead_to_values(self):
        self.assertEqual(rows.look_up(ANSWER, ".devices.0.peak.buckets.gradient"), 7)
        self.assertEqual(rows.look_up(ANSWER, ".fixes.*.id"), ["a", "b"])
        self.assertEqual(rows.look_up(ANSWER, ".fixes[id=b].bytes"), [2])
        self.assertEqual(rows.look_up(ANSWER, ".fixes[id~b].bytes"), [2])
        self.assertEqual(rows.look_up(ANSWER, ".fixes.*.bytes.+"), 3)
        self.assertEqual(rows.look_up(ANSWER, ".fixes.#"), 2)
        self.assertEqual(rows.look_up(ANSWER, ".fixes[id=b].#"), 1)
        self.assertIs(rows.look_up(ANSWER, ".devices.1.peak"), rows.MISSING)

    def test_relations_hold_or_do_not(self):
        for where, truth, expected in (
                (".devices.0.peak.buckets.gradient", "= 7", True), (".devices.0.peak.buckets.gradient", "= 8", False),
                (".devices.0.peak.buckets.gradient", "<= 7", True), (".devices.0.peak.buckets.gradient", "< 7", False),
                (".fixes.*.id", "has b", True), (".fixes.*.id", "lacks b", False), (".fixes.*.id", "lacks c", True),
                (".fixes.*.bytes", ">= 1", True), (".fixes.*.bytes", ">= 2", False), (".nothing", ">= 0", False),
                (".nothing", "absent", True), (".fixes[id=c]", "absent", True), (".fixes[id=a]", "present", True),
                (".nothing", "lacks x", False), (".fixes[id=c].id", "lacks x", False), (".nothing", "!= 3", False), (".devices.0.steps.#", "= 0", True)):
            with self.subTest(f"{where} {truth}"):
                self.assertEqual(is_true(where, truth), expected)

    def test_a_line_that_is_no_row_is_named(self):
        for text in ("a\tb\tc", "a\tsummary {}\t.x\tis 3\twas", "a\tsummary {}\t.x\tabsent 3\twas", "a\tsummary {}\t.x\t=\twas",
                     "a\tsummary {}\tx\t= 3\twas"):
            with self.subTest(text), self.assertRaisesRegex(ValueError, "line 1"):
                rows.read(text)

    def test_every_scene_can_be_made(self):
        for name in scenes.SCENES:
            self.assertTrue(scenes.make(name))
        with self.assertRaises(ValueError):
            scenes.make("nothing")


unittest.main()
