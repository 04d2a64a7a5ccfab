# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""read_perfetto.py TRACE PEAK_BYTES: Perfetto's own definitions read every packet, and the counters reach the peak. Where its trace
processor can be fetched, SQL over the trace says the same."""

import sys

from perfetto.protos.perfetto.trace import perfetto_trace_pb2

trace = perfetto_trace_pb2.Trace()
with open(sys.argv[1], "rb") as file:
    trace.ParseFromString(file.read())
tracks = {packet.track_descriptor.uuid: packet.track_descriptor for packet in trace.packet if packet.HasField("track_descriptor")}
peaks = {}
for packet in trace.packet:
    event = packet.track_event
    if packet.HasField("track_event") and event.type == event.TYPE_COUNTER:
        peaks[event.track_uuid] = max(peaks.get(event.track_uuid, 0), event.counter_value)
    assert not packet.FindInitializationErrors()
total = sum(value for uuid, value in peaks.items() if tracks[uuid].name == "allocated")
assert total == int(sys.argv[2]), f"the counters reach {total}, not {sys.argv[2]}"
try:
    from perfetto.trace_processor import TraceProcessor
    processor = TraceProcessor(trace=sys.argv[1])
except Exception as error:  # pylint: disable=broad-except
    print(f"Perfetto's trace processor cannot be had here: {error}")
    sys.exit(0)
rows = processor.query("SELECT name, max(value) AS most FROM counter JOIN counter_track ON track_id = counter_track.id GROUP BY name")
found = {row.name: row.most for row in rows}
assert found.get("allocated") == total, f"the trace processor has {found}"
errors = [(row.name, row.value) for row in processor.query("SELECT name, value FROM stats WHERE severity = 'error' AND value > 0")]
assert not errors, f"the trace processor complains: {errors}"
