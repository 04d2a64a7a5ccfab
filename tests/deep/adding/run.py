# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""run.py [--edits] FOLDER [CASE...]: how many files does it take to add a word to a vocabulary?

Copies the sources to FOLDER, lets each case of the folder cases make its edits there, builds tidemark-cli and lets each case
find what it added. A case is a module with

    def add(tree): ...                      # by tree.before, tree.after and tree.german
    def find(checks, program, tree): ...    # checks and program as in tests/cli/harness.py

and fails where add() touches more files beside the catalogue of German than its MOST, or the one below. Where one has WINDOW,
the window and its tests are built, too. With --edits nothing is built: the edits alone are made and counted."""

import importlib
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SOURCES = HERE.parents[2]
sys.path[:0] = [str(SOURCES / "tests/cli"), str(HERE)]

import harness  # noqa: E402
from tree import Tree  # noqa: E402

MOST = 3


def copy_sources(to):
    """What git knows or would take; what the last call left there goes, but for its build."""
    listed = subprocess.run(
        ["git", "-C", SOURCES, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        capture_output=True, check=True).stdout.decode().split("\0")
    names = {name for name in listed if name and (SOURCES / name).is_file()}
    for path in [p for p in to.rglob("*") if p.is_file()]:
        name = path.relative_to(to)
        if name.parts[0] != "build" and str(name) not in names:
            path.unlink()
    for name in sorted(names):
        source, target = SOURCES / name, to / name
        target.parent.mkdir(parents=True, exist_ok=True)
        # A file that is as it was keeps its time, so that a second call builds little.
        if not target.is_file() or target.read_bytes() != source.read_bytes():
            shutil.copy2(source, target)
            target.touch()


def main():
    arguments = [word for word in sys.argv[1:] if word != "--edits"]
    folder = pathlib.Path(arguments[0]).resolve()
    names = arguments[1:] or sorted(path.stem for path in (HERE / "cases").glob("*.py"))
    cases = {name: importlib.import_module(f"cases.{name}") for name in names}
    checks, touched = harness.Checks(), {}
    copy_sources(folder)
    for name, case in cases.items():
        tree = Tree(folder)
        case.add(tree)
        touched[name] = sorted(tree.touched)
        most = getattr(case, "MOST", MOST)
        checks.that(len(touched[name]) <= most, f"{name} touches {len(touched[name])} files: {touched[name]}")
    if "--edits" in sys.argv:
        checks.finish()
    targets = ["tidemark-cli"]
    if any(getattr(case, "WINDOW", False) for case in cases.values()):
        targets += ["tidemark", "tidemark_test_ui"]
    subprocess.run(["packaging/setup.sh", "build", "unity", *targets], cwd=folder, check=True)
    program = harness.Program(folder / "build/unity/app/cli/tidemark-cli")
    for name, case in cases.items():
        case.find(checks, program, Tree(folder))
        print(f"{name}: {len(touched[name])} files: {', '.join(touched[name])}")
    # What the program lists is in its documents and its catalogue, too.
    for script, *arguments in (
            ("tests/cli/check_vocabularies.py", program.path, folder), ("tests/lint/check_languages.py", folder)):
        done = subprocess.run([sys.executable, "-B", folder / script, *arguments], check=False)
        checks.equal(f"exit status of {script}", done.returncode, 0)
    checks.finish()


main()
