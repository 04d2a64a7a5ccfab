# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""TIDEMARK_CAPTURE=run.pickle: records whatever program runs, once it has imported torch.

tidemark_start.pth, which Python reads at its start, calls begin() where the variable is set. TIDEMARK_CAPTURE_SETTINGS
has the recorder's settings ("steps=10,12 stacks=all"). What goes wrong here is said, and never ends the program."""

import importlib.util
import os
import sys


class _Torch:
    """Stands before Python's finders until torch has been imported; then it is gone. Libraries ask whether torch is there
    long before they import it, or never do."""

    is_asking = False

    def find_spec(self, name, path=None, target=None):
        if name != "torch" or self.is_asking:
            return None
        self.is_asking = True
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self.is_asking = False
        if spec is not None and spec.loader is not None:
            run = spec.loader.exec_module

            def run_and_record(module):
                run(module)
                if self in sys.meta_path:
                    sys.meta_path.remove(self)
                    _record()

            spec.loader.exec_module = run_and_record
        return spec


def begin():
    """Once, though the wheel may be in several places that Python reads (a user's and an environment's)."""
    if not any(isinstance(finder, _Torch) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Torch())


def _record():
    try:
        import tidemark_capture

        settings = tidemark_capture.settings_of(os.environ.get("TIDEMARK_CAPTURE_SETTINGS", ""))
        tidemark_capture.record_program(os.environ["TIDEMARK_CAPTURE"], **settings)
    except Exception as error:
        print(f"tidemark_capture: nothing is recorded ({error})", file=sys.stderr)
