// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <cstddef>

namespace tidemark {

/// Whether row i of a vocabulary's table is that of the enumeration's value i.
template <class Table, class Field>
constexpr bool isInOrder(const Table& table, Field field)
{
    for (std::size_t i = 0; i < table.size(); ++i) {
        if (static_cast<std::size_t>(table[i].*field) != i) {
            return false;
        }
    }
    return true;
}

} // namespace tidemark
