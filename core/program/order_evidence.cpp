// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/program/order_evidence.h"

#include "core/program/constants.h"

#include <algorithm>
#include <optional>
#include <set>

namespace tidemark::program {
namespace {

/// Positions of 8 bytes and the next allocation: the sequence, or 0.
std::int64_t sequenceOf(std::int64_t positions, std::int64_t next)
{
    const std::int64_t length = positions / 8;
    const bool may_be = positions % 8 == 0 && length >= kShortestSequence && length <= kMostTokens;
    return may_be && next == length * length ? length : 0;
}

/// The maxima that three allocations in a row may be: how many, and of how many elements each.
std::optional<std::pair<std::int64_t, std::int64_t>>
maximaOf(std::int64_t searched, std::int64_t values, std::int64_t indices)
{
    for (const std::int32_t element : {4, 2}) {
        const std::int64_t rows = values / element;
        if (values > 0 && values % element == 0 && indices == rows * 8 && searched % values == 0
            && searched / values >= kShortestSequence) {
            return std::pair{rows, searched / values};
        }
    }
    return std::nullopt;
}

/// Copies of biases lie between a weight's copy and the output.
bool isVector(std::int64_t bytes, const Widths& widths)
{
    return widths.contains(bytes / 2) || widths.contains(bytes / 4);
}

} // namespace

double OrderEvidence::forHeads(std::int64_t tokens, std::int64_t heads, std::int64_t sequence,
                               std::int64_t layers) const
{
    const auto found = maxima.find({tokens * heads, sequence});
    return found == maxima.end()
        ? 0
        : std::min(1.0, static_cast<double>(found->second) / static_cast<double>(layers));
}

double OrderEvidence::forSequence(std::int64_t sequence, std::int64_t layers) const
{
    const auto found = squares.find(sequence);
    return found == squares.end()
        ? 0
        : std::min(1.0, static_cast<double>(found->second) / static_cast<double>(layers));
}

double OrderEvidence::forTokens(std::int64_t tokens, const Widths& widths) const
{
    std::int64_t outputs = 0;
    std::int64_t rows = 0;
    for (const auto& [copy, next] : after_copies) {
        if (isRow(copy, tokens, 4, widths)) {
            continue;
        }
        for (const auto& [bytes, count] : next) {
            outputs += count;
            rows += isRow(bytes, tokens, 2, widths) ? count : 0;
        }
    }
    return outputs == 0 ? kUndecided : static_cast<double>(rows) / static_cast<double>(outputs);
}

bool isRow(std::int64_t bytes, std::int64_t tokens, std::int32_t element, const Widths& widths)
{
    const std::int64_t unit = tokens * element;
    const auto width = bytes % unit == 0 ? widths.find(bytes / unit) : widths.end();
    return width != widths.end() && !width->second.is_derived;
}

OrderEvidence findOrder(const Observed& o, const SizeTable& sizes, const Widths& widths)
{
    std::set<std::int64_t> copies;
    for (const NarrowCopies& of_size : sizes.narrowCopies()) {
        if (of_size.are_there) {
            copies.insert(of_size.bytes);
        }
    }
    OrderEvidence found;
    std::int64_t before = 0;
    std::int64_t before_that = 0;
    std::int64_t copy = 0; // whose output is still to come
    for (std::size_t a = 0; a < o.count(); ++a) {
        const std::int64_t bytes = o.size(a);
        if (isFixed(o.kind[a])) {
            before = 0;
            before_that = 0;
            copy = 0;
            continue;
        }
        if (const std::int64_t length = sequenceOf(before, bytes); length > 0) {
            ++found.squares[length];
        }
        if (copies.contains(bytes)) {
            copy = bytes;
        } else if (copy > 0 && !isVector(bytes, widths)) {
            ++found.after_copies[copy][bytes];
            copy = 0;
        }
        if (const auto maxima = maximaOf(before_that, before, bytes)) {
            ++found.maxima[*maxima];
        }
        before_that = before;
        before = bytes;
    }
    return found;
}

} // namespace tidemark::program
