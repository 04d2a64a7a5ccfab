#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""Makes a long recording of a short one: one of its steps, after which just as much is live as before, again and again.

    tests/bench/repeat_steps.py TIDEMARK_CLI IN.pickle OUT.pickle EVENTS

Only for files of one's own: it unpickles them.
"""

import json
import pickle
import subprocess
import sys


def live_after(events):
    live = {}
    for event in events:
        if event["action"] == "alloc":
            live[event["addr"]] = event["size"]
        elif event["action"] == "free_completed":
            live.pop(event["addr"], None)
    return live


def main():
    cli, source, target, wanted = *sys.argv[1:4], int(sys.argv[4])
    summary = json.loads(subprocess.run([cli, "summary", "--json", source], capture_output=True, check=True).stdout)
    ends = [step["last_event"] + 1 for step in summary["devices"][0]["steps"]]
    with open(source, "rb") as file:
        snapshot = pickle.load(file)
    events = snapshot["device_traces"][0]
    pairs = [(a, b) for a, b in zip(ends, ends[1:]) if live_after(events[:a]) == live_after(events[:b])]
    if not pairs:
        sys.exit("no step leaves as much as it finds")
    begin, end = pairs[-1]
    again = [event for event in events[begin:end] if not event["action"].startswith("segment")]
    count = max(0, wanted - len(events)) // len(again)
    long = events[:end] + again * count + events[end:]
    snapshot["device_traces"][0] = [{**event, "time_us": 1_700_000_000_000_000 + 10 * i} for i, event in enumerate(long)]
    with open(target, "wb") as file:
        pickle.dump(snapshot, file, 4)
    print(f"{len(long)} events, a step of {len(again)} repeated {count} times")


if __name__ == "__main__":
    main()
