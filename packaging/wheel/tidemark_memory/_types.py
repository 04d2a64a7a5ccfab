# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""The main fields of what tidemark-cli says as JSON. There are more; none of these goes away. All sizes are bytes."""

from typing import Any, Dict, List, Optional, TypedDict


class Peak(TypedDict):
    event: int
    time_us: Optional[int]
    requested_bytes: int
    block_bytes: int
    reserved_bytes: int
    buckets: Dict[str, int]


class OutOfMemory(TypedDict):
    event: int
    requested_bytes: int
    device_free_bytes: Optional[int]
    requested_total_bytes: int
    reserved_bytes: int
    phase: str
    step: int
    buckets: Dict[str, int]


class Step(TypedDict):
    number: int
    first_event: int
    last_event: int
    peak_event: int
    peak_requested_bytes: int
    peak_reserved_bytes: int


class Device(TypedDict):
    device: int
    kind: str
    events: int
    allocations: int
    end_requested_bytes: int
    reserved_end_bytes: int
    peak: Peak
    ooms: List[OutOfMemory]
    steps: List[Step]


class Summary(TypedDict):
    file: str
    file_bytes: int
    main_device: Optional[int]
    devices: List[Device]
    notes: List[Dict[str, Any]]


class Fix(TypedDict):
    id: str
    title: str
    status: str
    apply: str
    saves_bytes: int
    new_peak_bytes: int
    fits: Optional[bool]
    why: str
    cost: str
    how: Dict[str, str]


class Diagnosis(TypedDict):
    file: str
    device: Optional[int]  # none: a file without memory
    cause: str
    headline: str
    explanation: str
    need_bytes: int
    capacity_bytes: Optional[int]
    fixes: List[Fix]


class Point(TypedDict):
    event: int
    time_us: Optional[int]
    requested_bytes: int
    block_bytes: int
    reserved_bytes: int
    buckets: Dict[str, int]


class DevicePoints(TypedDict):
    device: int
    points: List[Point]


class Timeline(TypedDict):
    file: str
    devices: List[DevicePoints]
