# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""A pair: a recorded run, a change, and the peak of the run that made that change; and what the program says of it.

error           of the predicted peak, signed
saving_error    of the predicted saving, signed
is_met          within 5 % of the peak (15 % with checkpointing) and 20 % of the saving (or 1 % of the peak, where there is little
                to save)
in_range        whether low..high holds the truth; `width` is how wide that is beside it
false_fit       said to fit where the run did not, or in a room smaller than its true peak"""

import json
import pathlib
import tempfile

GIB = 1 << 30
PEAK_WITHIN, REMADE_WITHIN, SAVING_WITHIN, LITTLE = 0.05, 0.15, 0.20, 0.01
WORSE = 0.01
KNOWN = json.loads(pathlib.Path(__file__).with_name("known_misses.json").read_text(encoding="utf-8"))


def packed_or_not(path):
    """The file as it is, or as a packer left it."""
    return next((p for p in (path, *(path.with_name(path.name + end) for end in (".gz", ".xz"))) if p.exists()), path)


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
        self.snapshot = snapshot = packed_or_not(base)
        self.dimensions = truth.get("dimensions") or {}
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
