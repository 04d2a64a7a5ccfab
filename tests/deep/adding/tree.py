# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""A copy of the sources that a case edits; it notes which files it touches."""

import json
import os
import subprocess

import harness


class Tree:
    def __init__(self, root):
        self.root = root
        self.touched = set()

    def before(self, name, text, added):
        """Puts `added` before the only place that has `text`."""
        self._edit(name, text, added + text)

    def after(self, name, text, added):
        self._edit(name, text, text + added)

    def new(self, name, text):
        assert not (self.root / name).exists(), f"{name} is there already"
        (self.root / name).write_text(text, encoding="utf-8")
        self.touched.add(name)

    def _edit(self, name, text, edited):
        path = self.root / name
        whole = path.read_text(encoding="utf-8")
        assert whole.count(text) == 1, f"{name} has {text!r} {whole.count(text)} times"
        path.write_text(whole.replace(text, edited), encoding="utf-8")
        self.touched.add(name)

    def german(self, texts):
        """Translations by their English, which are not counted."""
        path = self.root / "resources/languages/de.json"
        catalogue = json.loads(path.read_text(encoding="utf-8"))
        catalogue["texts"].update(texts)
        path.write_text(json.dumps(catalogue, indent=2, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8")

    def example(self):
        """A recording with two steps that ran out in backward."""
        return self.root / "tests/data/cases/gpt_oom_backward.pickle"

    def window(self):
        return harness.Program(self.root / "build/unity/app/tidemark/tidemark")

    def ui_test(self, *words, write=False):
        """Runs a test of the window, of which "function:row" is a row; its exit status. `write`: what it compares it writes."""
        environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", **({"TIDEMARK_WRITE": "1"} if write else {})}
        return subprocess.run([self.root / "build/unity/tests/ui/tidemark_test_ui", *words], env=environment, check=False).returncode

    def rules(self, *rules):
        """A file of rules about labels, for --rules."""
        path = self.root / "build/adding.rules.json"
        path.write_text(json.dumps({"tidemark_rules": 1, "rules": rules}), encoding="utf-8")
        return path
