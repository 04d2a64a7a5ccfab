// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/analysis.h"
#include "ui/models/stack_texts.h"

#include <QtCore/QString>

#include <vector>

namespace tidemark::ui {

/// What a list of allocations can be sorted by.
enum class AllocationKey : int { size, bucket, operation, line, made, freed, confidence };

/// The same ids by `key`; equal keys by size (largest first), then by age. O(n log n).
[[nodiscard]] std::vector<AllocationId>
sortedAllocations(const diagnose::Analysis& analysis, std::size_t device, const StackTexts& texts,
                  std::vector<AllocationId> ids, AllocationKey key, bool descending);

/// Those of which the bucket with its role, the operation, the line, as a list shows them, or any
/// stack frame (function or file) contains `filter`, whatever the case; all for an empty filter.
/// Each distinct stack is looked at once. O(n + frames of distinct stacks).
[[nodiscard]] std::vector<AllocationId>
filteredAllocations(const diagnose::Analysis& analysis, std::size_t device, const StackTexts& texts,
                    std::vector<AllocationId> ids, const QString& filter);

} // namespace tidemark::ui
