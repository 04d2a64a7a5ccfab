# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""score_pairs.py TIDEMARK_CLI DATA_DIR [FOLDER...] [--check] [--markdown]: predictions against runs that made the change.

One row per pair of the modelled runs, of recordings of libraries and of further folders, in GiB and percent:
change          as applied; "+" where the run's configuration is given as well
before, after   the true requested peaks
predicted       the peak after the change; for a run that died what it would need
error, saving, range, width, bound and fits are those of pair.py
--check fails where a bound is missed, but for what known_misses.json beside this names: misses that are to be mended, each
with the error of its peak, and whether it is wrongly said to fit. These fail where they are worse than noted, and where nothing is missed any more: strike them off."""

import pathlib
import statistics
import sys

import harness
from pair import Pair

HEADER = ["pair", "change", "before", "after", "predicted", "error", "saving", "range", "width", "bound", "fits"]


def main():
    arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
    program, folder, *folders = arguments
    own = harness.data_dir(folder)
    paths = [p for f in [own / "modelled", own / "modern", *map(pathlib.Path, folders)] for p in sorted(f.glob("*.pair.json"))]
    pairs = [Pair(harness.Program(program), path) for path in paths]
    harness.print_table(HEADER, [p.row() for p in pairs], "--markdown" in sys.argv)
    missed = [words for p in pairs for words in p.complaints]
    if not pairs:
        missed.append("there are no pairs")
    widths = [p.width for p in pairs] or [0]
    print(f"\n{len(pairs)} pairs, {sum(p.is_met for p in pairs)} within the bounds, "
          f"{sum(p.in_range for p in pairs)} in their range, {sum(p.false_fit for p in pairs)} wrongly said to fit; "
          f"the ranges are {statistics.median(widths):.1%} of the true peak wide in the median, "
          f"{max(widths):.0%} at most")
    for words in missed:
        print(words)
    sys.exit(1 if missed and "--check" in sys.argv else 0)


main()
