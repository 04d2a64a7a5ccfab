// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/string_pool.h"
#include "core/trace/snapshot.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace tidemark::reader {

/// Entries under unknown keys, a bounded number of them: the first ones by place, device, item, key
/// and value, in whatever order they come. Not more than twice that many are held at a time.
class OtherFields {
public:
    explicit OtherFields(const StringPool& strings, std::size_t limit = kLimit)
        : m_strings(strings)
        , m_limit(limit)
    {
    }

    /// O(1) amortised, O(log limit) per field kept.
    void add(const trace::OtherField& field);
    /// All that is kept, sorted.
    [[nodiscard]] std::vector<trace::OtherField> take();

    static constexpr std::size_t kLimit = 100'000;

private:
    [[nodiscard]] bool isBefore(const trace::OtherField& a, const trace::OtherField& b) const;
    void prune();

    const StringPool& m_strings;
    std::size_t m_limit;
    std::vector<trace::OtherField> m_fields;
    std::optional<trace::OtherField> m_first_dropped; ///< Nothing from here on is kept.
};

} // namespace tidemark::reader
