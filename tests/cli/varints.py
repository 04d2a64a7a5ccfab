# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""Numbers in 7 bits a byte, the lowest first, as Protocol Buffers and the columns of a page have them."""


class Varints:
    """Reads `data` from `at` on."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def unsigned(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def signed(self):
        """Zigzag: 0, -1, 1, -2, ..."""
        value = self.unsigned()
        return -(value + 1) // 2 if value & 1 else value // 2

    def take(self, size):
        self.at += size
        return self.data[self.at - size:self.at]

    @property
    def is_at_end(self):
        return self.at >= len(self.data)
