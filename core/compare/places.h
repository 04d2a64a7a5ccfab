// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/id.h"
#include "core/trace/snapshot.h"

#include <cstddef>
#include <vector>

namespace tidemark::compare {

/// A place in a program that two recordings have in common.
using PlaceId = Id<struct PlaceTag>;

/// What each stack of two snapshots is called in both: the innermost functions of the model and of
/// the libraries it uses, and torch's innermost one ("linear"). Who called the model, files,
/// folders and lines do not count, nor does how torch passes a call on: so a place stays the same
/// where lines moved, folders were renamed or torch is another one. Where no Python is recorded the
/// node of autograd counts.
class Places {
public:
    /// O(frames of all stacks · log stacks).
    Places(const trace::Snapshot& a, const trace::Snapshot& b);

    /// None: no stack, or none that tells a place.
    [[nodiscard]] PlaceId inA(StackId stack) const
    {
        return stack.isNone() ? PlaceId::none() : m_a[stack.index()];
    }
    [[nodiscard]] PlaceId inB(StackId stack) const
    {
        return stack.isNone() ? PlaceId::none() : m_b[stack.index()];
    }
    [[nodiscard]] std::size_t count() const
    {
        return m_count;
    }

private:
    std::vector<PlaceId> m_a;
    std::vector<PlaceId> m_b;
    std::size_t m_count = 0;
};

} // namespace tidemark::compare
