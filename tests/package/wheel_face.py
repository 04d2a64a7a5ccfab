# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""wheel_face.py ROOT [TEST...]: the Python of the wheel as it is importable here, against the command line itself, and the
lines of packaging/wheel/README.md. For every Python from 3.9."""

import contextlib
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import typing
import unittest
import unittest.mock
import xml.etree.ElementTree

import tidemark_memory
from tidemark_memory import _types

ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
sys.path.append(str(ROOT / "tests/capture"))
import stand_in  # noqa: E402  what the capture module gets for torch

EXAMPLE = ROOT / "resources/example/gpt_oom.pickle"
CAPTURED = ROOT / "tests/data/captured/checkpointed.pickle.xz"
README = (ROOT / "packaging/wheel/README.md").read_text(encoding="utf-8")


def command_line(*words):
    done = subprocess.run([tidemark_memory.program(), *map(str, words)], capture_output=True, check=True, encoding="utf-8")
    return json.loads(done.stdout)


def complaints(value, kind, where):
    """What of a value is not as its type says."""
    if typing.is_typeddict(kind) if hasattr(typing, "is_typeddict") else hasattr(kind, "__total__"):
        for name, inner in typing.get_type_hints(kind).items():
            if name not in value:
                yield f"{where}.{name} is missing"
            else:
                yield from complaints(value[name], inner, f"{where}.{name}")
        return
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin is typing.Union:
        if value is not None:
            yield from complaints(value, inner[0], where)
    elif origin is list:
        if not isinstance(value, list):
            yield f"{where} is no list"
            return
        for i, item in enumerate(value):
            yield from complaints(item, inner[0], f"{where}[{i}]")
    elif origin is dict:
        if not isinstance(value, dict):
            yield f"{where} is no dictionary"
            return
        for key, item in value.items():
            yield from complaints(item, inner[1], f"{where}[{key!r}]")
    elif kind is not typing.Any and type(value) is not kind:
        yield f"{where} is {value!r}, no {kind.__name__}"


class FaceTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.snapshot = tidemark_memory.open(EXAMPLE)

    def test_answers_are_those_of_the_command_line(self):
        self.assertEqual(self.snapshot.summary(), command_line("summary", "--json", EXAMPLE))
        self.assertEqual(self.snapshot.diagnosis(), command_line("diagnose", "--json", EXAMPLE))
        self.assertEqual(self.snapshot.diagnosis(capacity="80GiB", gpus=2)["capacity_bytes"], 80 << 30)
        self.assertEqual(self.snapshot.timeline(points=30), command_line("timeline", "--json", "--points", 30, EXAMPLE))

    def test_answers_have_the_types_that_are_promised(self):
        for path in (EXAMPLE, CAPTURED):
            snapshot = tidemark_memory.open(path)
            for value, kind in ((snapshot.summary(), _types.Summary), (snapshot.diagnosis(), _types.Diagnosis),
                                (snapshot.timeline(points=50), _types.Timeline)):
                self.assertEqual(list(complaints(value, kind, kind.__name__)), [])
        self.assertEqual(list(complaints({"device": "0", "points": None}, _types.DevicePoints, "x")),
                         ["x.device is '0', no int", "x.points is no list"])

    def test_allocations_are_columns(self):
        rows = command_line("allocations", "--json", EXAMPLE)["devices"][0]["allocations"]
        columns = self.snapshot.allocations()
        self.assertEqual({len(column) for column in columns.values()}, {len(rows)})
        for name in ("requested_bytes", "bucket", "alloc_event", "where"):
            self.assertEqual(columns[name], [row[name] for row in rows])
        self.assertEqual(sum(columns["requested_bytes"]), self.snapshot.summary()["devices"][0]["peak"]["requested_bytes"])
        frame = rows[0]["stack"][0]
        self.assertEqual(columns["stack"][0][0], f"{frame['filename']}:{frame['line']} {frame['name']}")
        self.assertFalse([name for name, column in columns.items() if any(isinstance(cell, dict) for cell in column)])

    def test_allocations_by_moment_and_query(self):
        large = self.snapshot.allocations(query="bucket:activation size>100MiB")
        self.assertEqual(set(large["bucket"]), {"activation"})
        self.assertGreater(min(large["requested_bytes"]), 100 << 20)
        first = self.snapshot.allocations(at="end", top=3)
        self.assertEqual(len(first["device"]), 3)
        self.assertEqual(self.snapshot.allocations(query="no_such_word"), {})

    def test_rules_correct_labels(self):
        rules = self.folder / "-mine.json"
        largest = self.snapshot.allocations(top=1)["requested_bytes"][0]
        rules.write_text(json.dumps({"tidemark_rules": 1, "rules": [{"match": {"bytes": largest}, "bucket": "workspace"}]}),
                         encoding="utf-8")
        self.assertEqual(self.snapshot.allocations(top=1)["bucket"], ["activation"])
        corrected = tidemark_memory.open(EXAMPLE, rules=[rules])
        self.assertEqual(corrected.allocations(top=1)["bucket"], ["workspace"])
        self.assertGreater(corrected.summary()["devices"][0]["peak"]["buckets"]["workspace"], 0)

    def test_what_cannot_be_read_is_one_sentence(self):
        with self.assertRaises(FileNotFoundError):
            tidemark_memory.open(self.folder / "gone.pickle")
        path = self.folder / "-text.pickle"
        path.write_text("no snapshot", encoding="utf-8")
        broken = tidemark_memory.open(path)
        with self.assertRaises(tidemark_memory.TidemarkError) as caught:
            broken.summary()
        self.assertRegex(str(caught.exception), r"^/.*-text\.pickle: .*\.$")
        self.assertNotIn("\n", str(caught.exception))
        self.assertIn("-text.pickle", broken._repr_html_())
        with self.assertRaises(tidemark_memory.TidemarkError):
            self.snapshot.allocations(query="size>nothing")

    def test_a_program_that_does_not_start_is_one_sentence(self):
        text = self.folder / "tidemark-cli"
        text.write_bytes(b"of another machine")
        text.chmod(0o755)
        for named, why in ((self.folder / "gone", "No such file or directory"), (text, "Exec format error")):
            tidemark_memory.program.cache_clear()
            self.addCleanup(tidemark_memory.program.cache_clear)
            with unittest.mock.patch.dict(os.environ, {"TIDEMARK_CLI": str(named)}):
                with self.assertRaises(tidemark_memory.TidemarkError) as caught:
                    self.snapshot.summary()
                self.assertEqual(str(caught.exception), f"{named} does not start: {why}.")
                self.assertIn("does not start", self.snapshot._repr_html_())

    def test_files_of_another_machine(self):
        # In place of ssh: what is asked of the other machine is done on this one.
        ssh = self.folder / "ssh"
        ssh.write_text('#!/bin/sh\nfor last; do :; done\nexec sh -c "$last"\n', encoding="utf-8")
        ssh.chmod(0o755)
        path = os.pathsep.join([str(self.folder), os.environ["PATH"]])
        with unittest.mock.patch.dict(os.environ, {"PATH": path, "XDG_CACHE_HOME": str(self.folder)}):
            for address in (f"box:{EXAMPLE}", f"me@box:{EXAMPLE}", f"ssh://box{EXAMPLE}"):
                far = tidemark_memory.open(address)
                self.assertEqual(far.path, address)
                self.assertEqual(far.summary()["devices"], self.snapshot.summary()["devices"])
            with self.assertRaises(tidemark_memory.TidemarkError):
                tidemark_memory.open("box:/gone.pickle").summary()
            job = self.folder / "job"
            job.mkdir()
            for rank in range(2):
                shutil.copy(EXAMPLE, job / f"run.rank{rank}-of-2.pickle")
            with self.assertRaisesRegex(tidemark_memory.TidemarkError, "is a folder of 2 snapshots"):
                tidemark_memory.open(f"box:{job}/").summary()
        here = self.folder / "box:run.pickle"
        shutil.copy(EXAMPLE, here)
        os.chdir(self.folder)
        self.addCleanup(os.chdir, ROOT)
        self.assertEqual(tidemark_memory.open(here.name).path, str(here))

    def test_the_notebook_shows_a_drawing(self):
        path = self.folder / "<b>&run.pickle"
        shutil.copy(EXAMPLE, path)
        page = tidemark_memory.open(path)._repr_html_()
        root = xml.etree.ElementTree.fromstring(page)  # well formed, so nothing of the name is markup
        self.assertIsNone(root.find(".//b/b"))
        self.assertIn("<b>&run.pickle", "".join(root.itertext()))
        self.assertIn(self.snapshot.diagnosis()["headline"], "".join(root.itertext()))
        drawings = root.findall(".//{http://www.w3.org/2000/svg}svg")
        self.assertEqual(len(drawings), 1)
        self.assertIn("out of memory: 625 MiB requested", "".join(drawings[0].itertext()))

    def test_two_drawings_share_no_names(self):
        names = [re.findall(r'id="([^"]+)"', self.snapshot.svg()) for _ in range(2)]
        self.assertTrue(names[0])
        self.assertFalse(set(names[0]) & set(names[1]))
        drawing = self.snapshot.svg()
        self.assertLessEqual(set(re.findall(r"url\(#([^)]+)\)", drawing)), set(re.findall(r'id="([^"]+)"', drawing)))

    def test_the_capture_module_is_the_one_of_this_version(self):
        stand_in.install()
        import tidemark_capture
        module = pathlib.Path(tidemark_capture.__file__).read_bytes()
        self.assertEqual(module, (ROOT / "resources/capture/tidemark_capture.py").read_bytes())


class ReadmeTest(unittest.TestCase):
    """Every block of the README, in order, in one folder."""

    def test_all_lines_run(self):
        blocks = re.findall(r"^```(\w+)\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
        self.assertEqual([language for language, _ in blocks], ["sh", "python", "sh", "sh", "python", "python"])
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            self.assertEqual(blocks[0][1].strip(), "pip install tidemark-memory")
            self.record(blocks[1][1])
            self.assertIn("tidemark-run -o run.pickle ", blocks[2][1])  # tests/capture/test_programs.py runs it
            shutil.copy(EXAMPLE, "run.pickle")
            for line in blocks[3][1].splitlines():
                self.shell(line)
            self.assertIn("<svg", pathlib.Path("run.html").read_text(encoding="utf-8"))
            self.ask([code for _, code in blocks[4:]])

    def record(self, code):
        torch = stand_in.install()
        model = torch.nn.Module()
        optimizer = torch.optim.Optimizer(model.weights)

        def train():
            for _ in range(2):
                model(torch.Tensor(16)).backward()
                optimizer.step()
                optimizer.zero_grad()

        exec(compile(code, "README", "exec"), {"model": model, "optimizer": optimizer, "train": train})
        self.assertIsNotNone(tidemark_memory.open("run.pickle").summary()["capture"])

    def shell(self, line):
        path = os.pathsep.join([os.path.dirname(tidemark_memory.program()), os.environ.get("PATH", "")])
        done = subprocess.run(line, shell=True, capture_output=True, check=False, encoding="utf-8",
                              env={**os.environ, "PATH": path})
        self.assertEqual((done.returncode, done.stderr), (0, ""), line)

    def ask(self, codes):
        space = {}
        for code in codes:
            printed = io.StringIO()
            try:
                with contextlib.redirect_stdout(printed):
                    exec(compile(code, "README", "exec"), space)
            except ModuleNotFoundError as error:
                self.assertEqual(error.name, "pandas")
                print("pandas is not installed: its lines are left out")
                continue
            self.assertTrue(printed.getvalue().strip(), code)


if __name__ == "__main__":
    print(f"Python {sys.version.split()[0]}, {tidemark_memory.__file__}, {tidemark_memory.program()}")
    unittest.main()
