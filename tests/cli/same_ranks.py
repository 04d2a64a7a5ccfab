# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""same_ranks.py A.json B.json: whether two answers of `ranks --json` say the same of a job, whatever its files are called."""

import json
import pathlib
import sys

FILES = ("file", "against_file")


def without_files(value):
    """An answer without the names of files, and without notes, which name them, too."""
    if isinstance(value, dict):
        return {key: without_files(item) for key, item in value.items() if key not in FILES and key != "notes"}
    return [without_files(item) for item in value] if isinstance(value, list) else value


def differences(a, b):
    """The keys whose values differ, each with both of them."""
    a, b = without_files(a), without_files(b)
    return [f"{key}: {a.get(key)!r} and {b.get(key)!r}" for key in sorted(a.keys() | b.keys()) if a.get(key) != b.get(key)]


def main():
    a, b = (json.loads(pathlib.Path(name).read_text(encoding="utf-8")) for name in sys.argv[1:3])
    found = differences(a, b)
    print("\n".join(found) or f"{len(a['ranks'])} rows, the same answer: {a['sentence']}")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
