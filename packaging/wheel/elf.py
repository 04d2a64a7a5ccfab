# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""What a program needs of the system, by its ELF headers (System V ABI; the note by the Linux Standard Base)."""

import struct

X86_64 = 62
PT_DYNAMIC, PT_INTERP, PT_NOTE = 2, 3, 4
DT_NEEDED = 1


def _segments(data):
    """[(type, bytes)] of the program headers."""
    if data[:6] != b"\x7fELF\x02\x01" or struct.unpack_from("<H", data, 18)[0] != X86_64:
        raise SystemExit("The program is none for Linux on x86-64.")
    begin, = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<HH", data, 54)
    for i in range(count):
        kind, _, offset, _, _, length = struct.unpack_from("<IIQQQQ", data, begin + i * size)
        yield kind, data[offset:offset + length]


def is_static(data):
    """Whether it needs no dynamic linker and no library."""
    for kind, content in _segments(data):
        if kind == PT_INTERP:
            return False
        if kind == PT_DYNAMIC and any(tag == DT_NEEDED for tag, _ in struct.iter_unpack("<QQ", content)):
            return False
    return True


def oldest_kernel(data):
    """The oldest Linux that its C library starts on, as (3, 2, 0); None where it does not say."""
    for kind, content in _segments(data):
        at = 0
        while kind == PT_NOTE and at + 12 <= len(content):
            name_size, size, note = struct.unpack_from("<III", content, at)
            name_end = at + 12 + (name_size + 3) // 4 * 4
            if content[at + 12:at + 12 + name_size] == b"GNU\0" and note == 1 and size >= 16:
                system, *version = struct.unpack_from("<IIII", content, name_end)
                return tuple(version) if system == 0 else None
            at = name_end + (size + 3) // 4 * 4
    return None


def platform_tags(data):
    """The tags of a wheel that holds this program. A static one needs no C library of the system, so it runs wherever
    the kernel is new enough, beside glibc and musl alike; manylinux_2_17 stands for kernels from 3.10 (PEP 599, 600).
    A dynamic one belongs to the machine it was built on."""
    kernel = oldest_kernel(data)
    if not is_static(data) or kernel is None or kernel > (3, 10, 0):
        return ["linux_x86_64"]
    return ["manylinux2014_x86_64", "manylinux_2_17_x86_64", "musllinux_1_1_x86_64"]
