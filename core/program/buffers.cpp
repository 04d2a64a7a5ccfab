// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/program/buffers.h"

#include "core/program/constants.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>

namespace tidemark::program {
namespace {

bool hasElements(std::int64_t bytes, std::int64_t elements,
                 std::initializer_list<std::int64_t> widths)
{
    return std::ranges::any_of(widths,
                               [&](std::int64_t width) { return bytes == elements * width; });
}

/// Cosines and sines in one, apart, or of one half of a head's width; in 8 bytes as one number.
bool isRotaryTable(std::int64_t bytes, std::int64_t sequence, std::int64_t head_width)
{
    return hasElements(bytes, sequence * head_width, {2, 4, 8})
        || hasElements(bytes, sequence * head_width / 2, {2, 4});
}

bool followsSequence(std::int64_t bytes, const Solution& s)
{
    const Hypothesis best = s.best();
    if (best.sequence <= 1) {
        return false;
    }
    if (hasElements(bytes, best.sequence * best.sequence, {1, 2, 4})
        || hasElements(bytes, best.sequence, {8}) || hasElements(bytes, best.tokens, {8})) {
        return true;
    }
    if (best.heads > 1) {
        return isRotaryTable(bytes, best.sequence, s.view.hidden / best.heads);
    }
    const auto isOfWidth = [&](std::int64_t width) {
        return width < s.view.hidden && s.view.hidden % width == 0
            && isRotaryTable(bytes, best.sequence, width);
    };
    return best.heads == 0
        && (std::ranges::any_of(kMostUsualHeadWidths, isOfWidth)
            || std::ranges::any_of(kUsualHeadWidths, isOfWidth));
}

} // namespace

bool isBuffer(const WeightSize& w, const Solution& s, bool has_rows)
{
    const std::int64_t hidden = s.view.hidden;
    if (hidden <= 0 || w.element_bytes <= 0) {
        return false;
    }
    constexpr std::int64_t kCosinesAndSines = 2;
    const std::int64_t elements = w.bytes / w.element_bytes;
    const bool is_of_rows = elements % hidden == 0;
    if (w.states > 0 || (w.gradients > 0 && is_of_rows)) {
        return false;
    }
    if (has_rows && (!is_of_rows || (w.count <= kCosinesAndSines && elements != hidden))
        && followsSequence(w.bytes, s)) {
        return true;
    }
    const auto isSide = [&](std::int64_t length) {
        return s.view.factors.contains(length)
            && !(has_rows && followsSequence(length * hidden * w.element_bytes, s));
    };
    return elements < hidden && w.gradients == 0
        && w.count < std::max(s.names.layers, kCosinesAndSines + 1) && !isSide(elements);
}

} // namespace tidemark::program
