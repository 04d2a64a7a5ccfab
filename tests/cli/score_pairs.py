# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""score_pairs.py TIDEMARK_CLI DATA_DIR [FOLDER...] [--check] [--markdown]: predictions against runs that made the change.

One row per pair of the data folder's modelled runs, of its recordings of libraries and of further folders, in GiB and percent:
change          as applied; "+" where the run's configuration is given as well
before, after   the true requested peaks
predicted       the peak after the change; for a run that died what it would need
error           of the prediction, signed
saving          the predicted saving beside the true one, signed error
range, width    whether low..high holds the truth, and how wide it is beside that
bound           within 5 % of the peak (15 % with checkpointing) and 20 % of the saving (or 1 % of the peak, where there
                is little to save)
fits            as predicted: never `true` where the run did not fit, nor in a room smaller than its true peak
--check fails where a bound is missed, but for what known_misses.json beside this names: misses that are to be mended, each
with the error of its peak, and whether it is wrongly said to fit. These fail where they are worse than noted, and where nothing is missed any more: strike them off."""

import json
import pathlib
import statistics
import sys
import tempfile

import harness

GIB = 1 << 30
PEAK_WITHIN, REMADE_WITHIN, SAVING_WITHIN, LITTLE = 0.05, 0.15, 0.20, 0.01
WORSE = 0.01
KNOWN = json.loads(pathlib.Path(__file__).with_name("known_misses.json").read_text(encoding="utf-8"))


class Pair:
    """A pair and what is said of it."""

    def __init__(self, program, path):
        self.name = path.name.removesuffix(".pair.json")
        truth = json.loads(path.read_text(encoding="utf-8"))
        self.change = truth["apply"]
        self.true_before, self.true_after = truth["peak_requested_before"], truth["peak_requested_after"]
        self.died = "capacity" in truth
        self.config = truth.get("config")
        base = path.with_name(truth.get("base", self.name) + ".pickle")
        snapshot = base if base.exists() else base.with_name(base.name + ".gz")
        said = self._predict(program, snapshot)
        kind = "need_bytes" if self.died else "peak_requested_bytes"
        self.before, self.after = said["before"][kind], said["after"][kind]
        low, high = ("need_low_bytes", "need_high_bytes") if self.died else ("low_bytes", "high_bytes")
        self.in_range = said["after"][low] <= self.true_after <= said["after"][high]
        self.width = (said["after"][high] - said["after"][low]) / self.true_after
        self.fits = said["fits"]
        too_small = self._predict(program, snapshot, "--capacity", self.true_after - 1)["fits"]
        self.false_fit = too_small is True or (self.died and self.fits is True and not truth["fits_after"])

    def _predict(self, program, snapshot, *options):
        with tempfile.TemporaryDirectory() as folder:
            if self.config:
                path = pathlib.Path(folder) / "config.yaml"
                path.write_text(self.config, encoding="utf-8")
                options = *options, "--config", path
            answer = program.json("predict", snapshot, "--apply", self.change, *options)
        return max(answer["devices"], key=lambda d: d["before"]["peak_requested_bytes"])

    @property
    def error(self):
        return self.after / self.true_after - 1

    @property
    def true_saving(self):
        return self.true_before - self.true_after

    @property
    def saving_error(self):
        return (self.before - self.after) / self.true_saving - 1 if self.true_saving else 0.0

    @property
    def is_met(self):
        within = REMADE_WITHIN if "checkpointing" in self.change else PEAK_WITHIN
        missed = abs(self.before - self.after - self.true_saving)
        little = missed <= LITTLE * self.true_before
        return abs(self.error) <= within and (little or abs(self.saving_error) <= SAVING_WITHIN)

    @property
    def misses(self):
        return ([f"{self.name}: a bound is missed"] if not self.is_met else []) + \
               ([f"{self.name}: said to fit and does not"] if self.false_fit else []) + \
               ([f"{self.name}: the truth is outside the range"] if not self.in_range else [])

    @property
    def complaints(self):
        """What --check fails for."""
        if self.name not in KNOWN:
            return self.misses
        noted = KNOWN[self.name]["error"]
        if not self.misses:
            return [f"{self.name}: nothing is missed any more, strike it off known_misses.json"]
        said_to_fit = self.false_fit and not KNOWN[self.name].get("said_to_fit")
        if said_to_fit or abs(self.error) > abs(noted) + WORSE:
            return [f"{self.name}: {self.error:+.1%}, worse than the {noted:+.1%} of known_misses.json", *self.misses]
        return []

    def row(self):
        fits = {True: "yes", False: "no", None: "?"}[self.fits] if self.died else ""
        return [self.name, self.change + (" +" if self.config else ""), f"{self.true_before / GIB:.3f}", f"{self.true_after / GIB:.3f}",
                f"{self.after / GIB:.3f}", f"{self.error:+.1%}", f"{self.saving_error:+.1%}",
                "in" if self.in_range else "OUT", f"{self.width:.0%}",
                ("met" if self.is_met else "MISSED") + (" known" if self.name in KNOWN else ""),
                fits + (" WRONG" if self.false_fit else "")]


HEADER = ["pair", "change", "before", "after", "predicted", "error", "saving", "range", "width", "bound", "fits"]


def main():
    arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
    program, folder, *folders = arguments
    own = harness.data_dir(folder) / "snapshots"
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
