# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""PyTorch GPU memory snapshots: what filled the GPU, when, why, and which change would have fitted.

    import tidemark_memory
    snapshot = tidemark_memory.open("run.pickle")
    print(snapshot.diagnosis()["headline"])
"""

from importlib.metadata import version as _version

from ._program import TidemarkError, program
from ._snapshot import Snapshot, open
from ._types import Diagnosis, Summary, Timeline

__version__ = _version("tidemark-memory")
__all__ = ["Diagnosis", "Snapshot", "Summary", "TidemarkError", "Timeline", "open", "program"]
