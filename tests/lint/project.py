# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""What the lint scripts share: the project's files, and running a check with its own test.

Each script defines check(root) -> list of complaints, and self_test(), which builds small trees that break
each rule and asserts that check() complains. Only the standard library is used.
"""

import os
import pathlib
import sys
import tempfile

SOURCE_FOLDERS = ("core", "ui", "app", "tests", "packaging", "cmake", ".ci")
NOT_OURS = {".git", "build", "out", ".cache", "__pycache__"}


def files(root, suffixes, folders=SOURCE_FOLDERS):
    """The files below the source folders whose names end in one of `suffixes`, as relative paths, sorted."""
    found = []
    for folder in folders:
        for path, names, leaves in os.walk(root / folder):
            names[:] = sorted(set(names) - NOT_OURS)
            found += [pathlib.Path(path, leaf).relative_to(root) for leaf in leaves if leaf.endswith(tuple(suffixes))]
    return sorted(found)


def text(path):
    return path.read_text(encoding="utf-8")


def tree(contents):
    """A temporary folder holding `contents` (path -> text); use it with `with`."""
    folder = tempfile.TemporaryDirectory(prefix="tidemark-lint-")
    for path, content in contents.items():
        target = pathlib.Path(folder.name, path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content, encoding="utf-8")
    return folder


def expect(check, contents, fragment):
    """Asserts that check() on a tree complains with `fragment`, or not at all where that is None."""
    with tree(contents) as folder:
        complaints = check(pathlib.Path(folder))
    if fragment is None:
        assert not complaints, f"no complaint expected about {sorted(contents)}, got {complaints}"
    else:
        assert any(fragment in complaint for complaint in complaints), (
            f"a complaint with '{fragment}' expected about {sorted(contents)}, got {complaints}"
        )


def main(check, self_test):
    """check.py ROOT checks the project, check.py --self-test the check."""
    if sys.argv[1:] == ["--self-test"]:
        self_test()
        print("the check finds what it must find")
        return
    if len(sys.argv) != 2:
        sys.exit(f"usage: {sys.argv[0]} ROOT | --self-test")
    complaints = check(pathlib.Path(sys.argv[1]).resolve())
    for complaint in complaints:
        print(complaint)
    if complaints:
        sys.exit(f"{len(complaints)} complaint{'s' if len(complaints) > 1 else ''}")
    print("nothing to complain about")
