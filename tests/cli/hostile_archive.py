# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""Archives that nobody packs: files that are all but a snapshot ahead of one. Each takes N and returns their bytes."""

import io
import pickle
import tarfile

from hostile_memory import small_blocks

AHEAD = 60


def _tar_of(members):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for number, content in enumerate(members):
            entry = tarfile.TarInfo(f"{number}")
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return packed.getvalue()


def torn_texts(n):
    """JSON that breaks off, each n bytes long."""
    return _tar_of([b"{\"a\": [" + b"1," * (n // 2)] * AHEAD + [pickle.dumps(small_blocks(10), protocol=4)])


def torn_pickles(n):
    """Pickles that break off, each n bytes long."""
    return _tar_of([b"\x80\x04](" + b"N" * n] * AHEAD + [pickle.dumps(small_blocks(10), protocol=4)])
