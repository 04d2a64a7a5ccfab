#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""explain_log.py CLI [MB...]: what `explain` of a long log costs beside reading it: a log of training steps, its ranks in
between each other, with a traceback at the end. Prints the median of five rounds of each and their ratio, which must not
grow with the log."""

import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

END = """[rank3]:   File "/env/lib/python3.11/site-packages/transformers/trainer_pt_utils.py", line 97, in nested_concat
[rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.41 GiB. GPU 3 has a total capacity of 79.10 GiB \
of which 1.02 GiB is free. Including non-PyTorch memory, this process has 78.05 GiB memory in use. Of the allocated \
memory 70.11 GiB is allocated by PyTorch, and 6.98 GiB is reserved by PyTorch but unallocated.
"""


def write_log(path, megabytes):
    drawn = random.Random(1)
    with path.open("w", encoding="utf-8") as file:
        step = 0
        while file.tell() < megabytes * 1_000_000:
            step += 1
            file.writelines(
                f"[rank{rank}]: 2026-11-28 10:{step // 60 % 60:02}:{step % 60:02} INFO step {step} "
                f"loss {drawn.random():.4f} lr 3e-4 memory allocated {drawn.uniform(60, 70):.2f} GiB tokens/s 41200\n"
                for rank in range(8))
        file.write(END)


def median_seconds(work, rounds=5):
    times = []
    for _ in range(rounds):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def main():
    program, sizes = sys.argv[1], [int(size) for size in sys.argv[2:]] or [1, 10, 100]
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder) / "train.log"
        for megabytes in sizes:
            write_log(log, megabytes)
            reading = median_seconds(lambda: log.read_text(encoding="utf-8").lower())
            explaining = median_seconds(
                lambda: subprocess.run([program, "explain", log], stdout=subprocess.DEVNULL, check=True))
            print(f"{megabytes:5} MB: read and lowered {reading:.3f} s, explain {explaining:.3f} s, "
                  f"{explaining / reading:.1f} x")


if __name__ == "__main__":
    main()
