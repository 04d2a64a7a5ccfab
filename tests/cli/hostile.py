# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""hostile.py SHAPE N OUT: snapshots as torch writes them, and archives, in shapes that no run has.

Each is well-formed, and makes what is done once per entry meet what grows with the entries. The size of the file is
proportional to N; `SHAPES` names them all.
"""

import inspect
import pickle
import sys

import hostile_archive
import hostile_memory
import hostile_program

SHAPES = {
    name: shape
    for module in (hostile_archive, hostile_memory, hostile_program)
    for name, shape in inspect.getmembers(module, inspect.isfunction)
    if shape.__module__ == module.__name__ and not name.startswith("_")
}


def write(shape, n, path):
    with open(path, "wb") as out:
        made = SHAPES[shape](n)
        if isinstance(made, bytes):  # of an archive
            out.write(made)
        else:
            pickle.dump(made, out, protocol=4)


if __name__ == "__main__":
    write(sys.argv[1], int(sys.argv[2]), sys.argv[3])
