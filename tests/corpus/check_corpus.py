# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""check_corpus.py TIDEMARK_CLI DATA_DIR [TEXT]: nothing that was once said wrongly is said again.

Reads once_wrong.tsv beside it: the rows about tests/data, or those about other people's recordings; with TEXT only the rows in which it occurs, and what each is now."""

import json
import pathlib
import re
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "cli"))

import harness  # noqa: E402
import rows  # noqa: E402
import scenes  # noqa: E402


class Inputs:
    """Finds the file of a row; scenes are made once."""

    def __init__(self, data, folder):
        self._data, self._folder = data, pathlib.Path(folder)

    def path(self, name):
        if name.startswith("scene:"):
            return self._made(name, lambda: scenes.make(name.removeprefix("scene:")))
        if name.startswith("cut:"):
            _, size, whole = name.split(":", 2)
            return self._made(name, lambda: self.path(whole).read_bytes()[:int(size)])
        return self._data / name

    def _made(self, name, make):
        path = self._folder / f"{re.sub('[^a-z0-9]+', '_', name)}.pickle"
        if not path.is_file():
            path.write_bytes(make())
        return path


class Answers:
    """What the program says of an input; asked once per command."""

    def __init__(self, program, inputs):
        self._program, self._inputs, self._known = program, inputs, {}

    def value(self, row):
        """What stands where the row looks, or a ValueError where the program gave no answer."""
        is_stream = row.where in rows.STREAMS
        key = (row.input, row.command, is_stream)
        if key not in self._known:
            self._known[key] = self._ask(row, is_stream)
        answer = self._known[key]
        return answer[row.where] if is_stream else rows.look_up(answer, row.where)

    def _ask(self, row, is_stream):
        path = str(self._inputs.path(row.input))
        arguments = [word.replace("{}", path) for word in row.command.split()]
        if not is_stream:
            arguments.insert(1, "--json")
        done = self._program.run(*arguments)
        if is_stream:
            return {"stdout": done.stdout, "stderr": done.stderr, "exit": done.returncode}
        if done.returncode != 0:
            raise ValueError(done.stderr.strip() or f"exit {done.returncode}")
        return json.loads(done.stdout)


def main():
    program, data = harness.Program(sys.argv[1]), harness.data_dir(sys.argv[2])
    wanted = sys.argv[3] if len(sys.argv) > 3 else ""
    checks = harness.Checks()
    with tempfile.TemporaryDirectory() as folder:
        inputs = Inputs(data, folder)
        answers = Answers(program, inputs)
        for row in rows.read((HERE / "once_wrong.tsv").read_text(encoding="utf-8")):
            if wanted not in str(row) or row.is_of_others != harness.is_of_others():
                continue
            try:
                value = answers.value(row)
            except (ValueError, OSError) as error:
                checks.that(False, f"{row}: {error}")
                continue
            shown = "nothing" if value is rows.MISSING else rows.plain(value)[:300]
            if wanted:
                print(f"{row}\n    is {shown}")
            checks.that(rows.holds(row, value), f"{row}\n    is {shown}; once: {row.was}")
    checks.finish()


main()
