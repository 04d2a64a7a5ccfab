# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""One snapshot, and what tidemark-cli says about it."""

import html
import itertools
import os
import re
from typing import Any, Dict, List, Optional, Sequence, Union

from ._program import TidemarkError, answer, text
from ._types import Diagnosis, Summary, Timeline

Path = Union[str, "os.PathLike[str]"]
Columns = Dict[str, List[Any]]

# Several drawings share a notebook's page, and with it one space of names.
_drawings = itertools.count(1)


def open(path: Path, *, rules: Sequence[Path] = ()) -> "Snapshot":
    """The snapshot in a file: a pickle, JSON or a page of _memory_viz.py, also compressed or in an archive. Rules files
    correct labels, later ones win. "user@host:path" and "ssh://host/path" are on another machine, and come through its ssh.
    Raises OSError if there is no such file here; it is read when it is asked something."""
    if not _is_elsewhere(path):
        os.stat(path)
    return Snapshot(path, rules=rules)


def _is_elsewhere(path: Path) -> bool:
    """Whether tidemark-cli takes it for an address, as scp would: no file here is called so, and no slash is before its
    colon."""
    return isinstance(path, str) and re.match(r"[^/:]{2,}:.", path) is not None and not os.path.exists(path)


class Snapshot:
    """Each method reads the file once and raises TidemarkError, one sentence, where that cannot be done."""

    def __init__(self, path: Path, *, rules: Sequence[Path] = ()) -> None:
        self.path = os.fspath(path) if _is_elsewhere(path) else os.path.abspath(os.fspath(path))
        self._rules = [f"--rules={os.path.abspath(os.fspath(rule))}" for rule in rules]

    def __repr__(self) -> str:
        return f"tidemark_memory.open({self.path!r})"

    def summary(self) -> Summary:
        """Events, totals, peaks, out-of-memory events and steps of each device."""
        return answer("summary", *self._rules, self.path)

    def diagnosis(self, *, capacity: Optional[str] = None, gpus: Optional[int] = None,
                  config: Optional[Path] = None) -> Diagnosis:
        """The cause, its evidence and the fixes in cost order. capacity is what the process can get ("80GiB"), gpus how
        many can share the work, config the run's own settings (ds_config.json, YAML, a launch script)."""
        file = None if config is None else os.path.abspath(os.fspath(config))
        return answer("diagnose", *self._rules, *_options(capacity=capacity, gpus=gpus, config=file), self.path)

    def timeline(self, *, points: int = 1000, device: Optional[str] = None) -> Timeline:
        """Bytes per bucket at about so many moments, the peak and the out-of-memory events among them."""
        return answer("timeline", *self._rules, *_options(points=points, device=device), self.path)

    def allocations(self, *, at: Optional[str] = None, query: Optional[str] = None, top: Optional[int] = None,
                    device: Optional[str] = None) -> Columns:
        """Allocations as columns of equal length, which pandas.DataFrame and polars.DataFrame take.

        What lives at the peak; with at, at an event or "start", "oom", "end"; with query, those of the whole run that it
        means ("bucket:activation size>100MiB"). Largest first, the first top of each device. Lines of code and the items
        of stack, innermost first, are texts of the form "file:line function"."""
        found = answer("allocations", *self._rules, *_options(at=at, query=query, top=top, device=device), self.path)
        rows = [{"device": part["device"], **row} for part in found["devices"] for row in part.get("allocations", ())]
        names = list(dict.fromkeys(name for row in rows for name in row))
        return {name: [_cell(row.get(name)) for row in rows] for name in names}

    def svg(self, *, device: Optional[str] = None) -> str:
        """The stacked bands of each device, one SVG element each, to stand in a page."""
        drawing = text("timeline", "--svg", *self._rules, *_options(device=device), self.path)
        number = next(_drawings)
        for name in ('id="tidemark-', "url(#tidemark-"):
            drawing = drawing.replace(name, f"{name}{number}-")
        return drawing

    def _repr_html_(self) -> str:
        try:
            said, drawing = self.diagnosis()["headline"], self.svg()
        except TidemarkError as error:
            said, drawing = str(error), ""
        return ('<div style="max-width:60rem;font-family:system-ui,sans-serif">'
                f"<div><b>{html.escape(os.path.basename(self.path))}</b></div><div>{html.escape(said)}</div>"
                f"{drawing}</div>")


def _options(**options: Union[str, int, None]) -> List[str]:
    """The words that set the options that are not None. One word each: a value may begin with a dash."""
    return [f"--{name}={value}" for name, value in options.items() if value is not None]


def _is_frame(value: Any) -> bool:
    return isinstance(value, dict) and {"name", "filename", "line"} <= value.keys()


def _cell(value: Any) -> Any:
    """A value as a table takes it: frames as texts."""
    if _is_frame(value):
        return f"{value['filename']}:{value['line']} {value['name']}"
    if isinstance(value, list):
        return [_cell(item) for item in value]
    return value
