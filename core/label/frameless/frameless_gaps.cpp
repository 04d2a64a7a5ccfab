// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/frameless/frameless_gaps.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <set>

namespace tidemark::label {

namespace {

double weightOf(std::int64_t bytes)
{
    return std::sqrt(static_cast<double>(bytes));
}

} // namespace

void FramelessGaps::learn(const std::vector<BackwardSpan>& spans)
{
    for (std::size_t i = 0; i < m_t.count(); ++i) {
        if (m_t.is_model_sized[i]) {
            m_model_sizes.push_back(m_t.size[i]);
        }
        const auto freed_in =
            std::ranges::lower_bound(spans, m_t.death[i], {}, &BackwardSpan::last);
        m_is_saved[i] = !m_t.isTiny(i) && freed_in != spans.end() && freed_in->first < m_t.death[i]
            && m_t.birth[i] < freed_in->first;
        if (m_is_saved[i]) {
            m_saved_sizes.insert(m_t.size[i]);
        }
        const auto made_in =
            std::ranges::upper_bound(spans, m_t.birth[i], {}, &BackwardSpan::first);
        if (made_in != spans.begin() && m_t.is_model_sized[i] && !m_t.isTiny(i)
            && m_t.birth[i] < std::prev(made_in)->last && std::prev(made_in)->last < m_t.death[i]) {
            m_gradient_sizes.insert(m_t.size[i]);
        }
    }
    std::ranges::sort(m_model_sizes);
}

/// Twice as large as something of the model's sizes that was made just before it.
bool FramelessGaps::pairsWithRecent(std::size_t i) const
{
    constexpr std::size_t kRecent = 3;
    for (std::size_t k = i; k-- > m_t.first_made && i - k <= kRecent;) {
        if (m_t.is_model_sized[k] && m_t.size[k] * 2 == m_t.size[i]
            && m_t.death[k] > m_t.birth[i]) {
            return true;
        }
    }
    return false;
}

bool FramelessGaps::isFractionOfModelSize(std::size_t i) const
{
    const std::int64_t size = m_t.size[i];
    const auto isOfModel = [&](std::int64_t bytes) {
        return std::ranges::binary_search(m_model_sizes, bytes);
    };
    return !m_t.is_model_sized[i] && !m_saved_sizes.contains(size)
        && (isOfModel(size * 2) || isOfModel(size * 4) || pairsWithRecent(i));
}

/// Too small to tell anything, beside what else was made.
std::vector<bool> FramelessGaps::tells(Part part) const
{
    constexpr std::int64_t kNegligible = 1024;
    std::int64_t largest = 0;
    for (std::size_t i = part.begin; i < part.end; ++i) {
        largest = std::max(largest, m_t.is_model_sized[i] ? 0 : m_t.size[i]);
    }
    std::vector<bool> tells;
    for (std::size_t i = part.begin; i < part.end; ++i) {
        tells.push_back(!m_t.isTiny(i)
                        && (m_t.is_model_sized[i] || m_t.size[i] * kNegligible >= largest));
    }
    return tells;
}

/// Optimizers make what is as large as parameters, passes mostly what is not: where the one ends
/// and the other begins, at the cut that fits most memory. Scalars go with what they follow. What
/// stays for good in the size of a gradient is state, so it lies before the cut.
std::size_t FramelessGaps::modelSizedPrefix(Part part) const
{
    const std::vector<bool> telling = tells(part);
    double score = 0.0;
    double best = 0.0;
    bool is_best = true;
    std::size_t cut = part.begin;
    for (std::size_t i = part.begin; i < part.end; ++i) {
        if (telling[i - part.begin] && !isFractionOfModelSize(i)) {
            score += m_t.is_model_sized[i] ? weightOf(m_t.size[i]) : -weightOf(m_t.size[i]);
            is_best = score >= best
                || (m_t.is_model_sized[i] && m_t.stays(i)
                    && m_gradient_sizes.contains(m_t.size[i]));
            best = is_best ? score : best;
        }
        cut = is_best ? i + 1 : cut;
    }
    return endsInOptimizer({cut, part.end}) ? part.end : cut;
}

/// Several sizes of gradients after all else: no batch follows an evaluation like that.
bool FramelessGaps::endsInOptimizer(Part part) const
{
    constexpr std::size_t kFewSizes = 3;
    constexpr std::size_t kFewest = 4;
    double score = 0.0;
    std::size_t count = 0;
    std::set<std::int64_t> sizes;
    for (std::size_t i = part.end; i-- > part.begin && score >= 0.0;) {
        if (m_t.isTiny(i) || isFractionOfModelSize(i)) {
            continue;
        }
        const bool is_gradient_sized = m_gradient_sizes.contains(m_t.size[i]);
        score += is_gradient_sized ? weightOf(m_t.size[i]) : -weightOf(m_t.size[i]);
        count += is_gradient_sized ? 1U : 0U;
        if (is_gradient_sized) {
            sizes.insert(m_t.size[i]);
        }
    }
    return count >= kFewest && sizes.size() >= kFewSizes;
}

PartMix FramelessGaps::mixOf(Part part) const
{
    const std::vector<bool> telling = tells(part);
    std::set<std::int64_t> sizes;
    std::set<std::int64_t> model_sizes;
    PartMix mix;
    for (std::size_t i = part.begin; i < part.end; ++i) {
        if (telling[i - part.begin]) {
            const bool is_passing = !m_t.is_model_sized[i] && !isFractionOfModelSize(i);
            ++mix.judged;
            mix.judged_weight += weightOf(m_t.size[i]);
            mix.passing += is_passing ? 1U : 0U;
            mix.passing_weight += is_passing ? weightOf(m_t.size[i]) : 0.0;
            (is_passing ? sizes : model_sizes).insert(m_t.size[i]);
        }
    }
    mix.sizes = sizes.size();
    mix.model_sizes = model_sizes.size();
    return mix;
}

bool FramelessGaps::hasOptimizerIn(Part part) const
{
    const std::size_t enough = m_gradient_sizes.size() > 1 ? 2 : 1; // One may be a batch.
    std::size_t found = 0;
    for (std::size_t i = part.begin; i < part.end && found < enough; ++i) {
        found += !m_t.isTiny(i) && m_t.is_model_sized[i] ? 1U : 0U;
    }
    return found >= enough;
}

/// The last group of what looks like a batch. What lies within it is work on tensors of its sizes.
Part FramelessGaps::lastBatchIn(Part part, std::int64_t ends) const
{
    constexpr std::size_t kFarApart = 32;
    const auto isLarge = [&](std::size_t i) { return isBatch(i, ends) && !m_t.isTiny(i); };
    std::size_t last = part.end;
    while (last > part.begin && !isLarge(last - 1)) {
        --last;
    }
    if (last == part.begin) {
        return {part.begin, part.begin};
    }
    const std::vector<bool> telling = tells({part.begin, last});
    std::size_t first = last - 1;
    std::set<std::int64_t> sizes{m_t.size[first]};
    std::set<std::int64_t> between;
    for (std::size_t i = first; i-- > part.begin && first - i < kFarApart;) {
        if (!isBatch(i, ends)) {
            if (telling[i - part.begin]) {
                between.insert(m_t.size[i]);
            }
            continue;
        }
        std::set<std::int64_t> alike = sizes;
        alike.insert(m_t.size[i]);
        if (isLarge(i) && std::ranges::all_of(between, [&](auto s) { return alike.contains(s); })) {
            first = i;
            sizes = std::move(alike);
        }
    }
    return {first, last};
}

/// What is made from the last memory of a pass without gradients is its result, not a batch.
bool FramelessGaps::isDerived(Part batch, std::size_t cut) const
{
    constexpr std::int64_t kSoon = 8; // Events.
    if (batch.begin <= cut || !mixOf({cut, batch.begin}).isMostlyPassing()) {
        return false;
    }
    const std::int64_t made = m_t.birth[batch.begin];
    for (std::size_t i = batch.begin; i-- > cut;) {
        if (!m_t.isTiny(i) && m_t.isPassing(i) && m_t.death[i] > made
            && m_t.death[i] <= made + kSoon) {
            return true;
        }
    }
    return false;
}

/// The batch is what outlives the backward and was made before all that is saved for it.
PassParts FramelessGaps::approach(Part gap, std::int64_t ends, bool may_derive) const
{
    std::size_t first_saved = gap.begin;
    while (first_saved < gap.end && !m_is_saved[first_saved]) {
        ++first_saved;
    }
    Part batch = lastBatchIn({gap.begin, first_saved}, ends);
    const std::size_t cut = modelSizedPrefix({gap.begin, first_saved});
    const bool is_derived = may_derive && batch.count() > 0 && isDerived(batch, cut);
    if (is_derived) {
        batch = lastBatchIn({cut, batch.begin}, ends);
    }
    if (batch.count() == 0) {
        const bool is_pass = !is_derived && mixOf({cut, first_saved}).isMostlyPassing();
        const std::size_t begin = is_pass ? first_saved : cut;
        return {{gap.begin, begin}, {begin, begin}, {begin, gap.end}, is_derived};
    }
    // What making it took, too.
    constexpr std::int64_t kSoon = 12; // Events.
    const std::vector<bool> telling = tells(gap);
    std::size_t last = batch.end;
    while (last < first_saved
           && (m_t.death[last] > ends
               || (!is_derived && !telling[last - gap.begin]
                   && m_t.death[last] <= m_t.birth[last] + kSoon))) {
        ++last;
    }
    return {{gap.begin, batch.begin}, {batch.begin, last}, {last, gap.end}, is_derived};
}

/// At the start of a pass, and gone only after it.
Part FramelessGaps::inputOf(Part pass) const
{
    constexpr std::size_t kApart = 4;
    const std::int64_t over = m_t.birth[pass.end - 1];
    std::size_t end = pass.begin;
    for (std::size_t i = pass.begin; i + 1 < pass.end && i < end + kApart; ++i) {
        end = m_t.death[i] > over ? i + 1 : end;
    }
    return {pass.begin, end};
}

/// Passes begin alike: wherever the first few sizes come up again.
std::vector<Part> FramelessGaps::passesIn(Part part) const
{
    constexpr std::size_t kAlike = 4;
    std::vector<Part> passes{part};
    for (std::size_t i = part.begin + kShortestPass; i + kAlike <= part.end; ++i) {
        const bool alike = std::equal(m_t.size.begin() + static_cast<std::ptrdiff_t>(i),
                                      m_t.size.begin() + static_cast<std::ptrdiff_t>(i + kAlike),
                                      m_t.size.begin() + static_cast<std::ptrdiff_t>(part.begin));
        if (alike && i - passes.back().begin >= kShortestPass) {
            passes.back().end = i;
            passes.push_back({i, part.end});
        }
    }
    return passes;
}

/// An inference holds little at a time; a training without the sign of its backward would hold
/// more.
bool FramelessGaps::keepsLittle(Part part) const
{
    constexpr std::size_t kAlwaysLittle = 8;
    std::vector<std::int64_t> deaths; // A heap, the soonest on top.
    std::size_t most = 0;
    for (std::size_t i = part.begin; i < part.end; ++i) {
        while (!deaths.empty() && deaths.front() < m_t.birth[i]) {
            std::ranges::pop_heap(deaths, std::greater<>());
            deaths.pop_back();
        }
        if (!m_t.isTiny(i)) {
            deaths.push_back(m_t.death[i]);
            std::ranges::push_heap(deaths, std::greater<>());
        }
        most = std::max(most, deaths.size());
    }
    return most <= kAlwaysLittle || most * 7 <= part.count();
}

} // namespace tidemark::label
