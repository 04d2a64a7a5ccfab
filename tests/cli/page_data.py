# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""What a page of a report carries for its script, read a second time (core/report/page_columns.h says how it is packed)."""

import base64
import json
import re

import varints


def of_page(page):
    return json.loads(re.search(r'<script type="application/json" id="tidemark-data">(.*?)</script>', page, re.DOTALL)[1])


def times(lane):
    """Microseconds after the first event, of each column and of the end."""
    read, time, rows = varints.Varints(base64.b64decode(lane["times"])), 0, []
    for _ in range(lane["columns"] + 1):
        time += read.unsigned()
        rows.append(time)
    assert read.at == len(read.data), "the packed times have a rest"
    return rows


def columns(lane, buckets):
    """Of each column its position, state, bytes per bucket, reserved, free in private pools, and whether it is in the trace."""
    read = varints.Varints(base64.b64decode(lane["packed"]))
    position = state = 0
    values, lives, rows = [0] * (buckets + 2), False, []
    for _ in range(lane["columns"]):
        position += read.unsigned()
        state += read.signed()
        changed = read.unsigned()
        for bit in range(buckets + 2):
            if changed >> bit & 1:
                values[bit] += read.signed()
        lives ^= bool(changed >> (buckets + 2) & 1)
        rows.append((position, state, values[:buckets], values[buckets], values[buckets + 1], lives))
    assert read.at == len(read.data), "the packed columns have a rest"
    return rows
