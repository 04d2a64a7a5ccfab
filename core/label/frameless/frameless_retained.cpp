// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/frameless/frameless_retained.h"

#include <algorithm>
#include <optional>

namespace tidemark::label {
namespace {

/// What comes before a backward, from the first allocation that is saved for it.
class Approaching {
public:
    /// `from`: the end of the backward before; `after`: no earlier scalar counts.
    Approaching(const FramelessTrace& t, std::int64_t from, std::int64_t after,
                const BackwardSpan& next)
        : m_t(t)
        , m_next(next)
        , m_after(after)
        , m_begin(t.firstFrom(from))
        , m_end(t.firstFrom(next.first))
    {
    }

    /// The longest scalar in whose life gradients are made and nothing that is saved.
    [[nodiscard]] std::optional<BackwardSpan> find() const
    {
        constexpr std::size_t kFewSaved = 2;
        std::optional<BackwardSpan> found;
        std::size_t saved = 0;
        for (std::size_t i = m_begin; i < m_end; ++i) {
            saved += isSaved(i) ? 1U : 0U;
            const bool may_begin = m_t.isTiny(i) && m_t.birth[i] >= m_after
                && m_t.death[i] < m_next.first && saved >= kFewSaved
                && (!found || found->last < m_t.death[i]);
            if (may_begin && makesGradients(i)
                && (!found || found->last - found->first < m_t.death[i] - m_t.birth[i])) {
                found = BackwardSpan{m_t.birth[i], m_t.death[i]};
            }
        }
        return found;
    }

private:
    [[nodiscard]] bool isSaved(std::size_t i) const
    {
        return !m_t.isTiny(i) && !m_t.is_model_sized[i] && m_t.death[i] > m_next.first
            && m_t.death[i] <= m_next.last;
    }
    [[nodiscard]] bool makesGradients(std::size_t scalar) const
    {
        constexpr std::size_t kFewest = 3;
        std::size_t gradients = 0;
        for (std::size_t i = scalar + 1; i < m_end && m_t.birth[i] < m_t.death[scalar]; ++i) {
            if (m_t.isTiny(i) || m_t.death[i] < m_t.death[scalar]) {
                continue;
            }
            if (!m_t.is_model_sized[i] && m_t.death[i] > m_t.death[scalar] + kSoon) {
                return false;
            }
            gradients += m_t.is_model_sized[i] && m_t.death[i] > m_next.last ? 1U : 0U;
        }
        return gradients >= kFewest;
    }

    static constexpr std::int64_t kSoon = 4; ///< Events.

    const FramelessTrace& m_t;
    const BackwardSpan& m_next;
    std::int64_t m_after;
    std::size_t m_begin;
    std::size_t m_end;
};

} // namespace

std::vector<BackwardSpan> addRetainedBackwards(const FramelessTrace& trace,
                                               const std::vector<BackwardSpan>& spans)
{
    std::vector<BackwardSpan> all;
    std::int64_t from = 0;
    for (const BackwardSpan& span : spans) {
        // There may be more than one.
        std::int64_t after = from;
        while (const auto retained = Approaching(trace, from, after, span).find()) {
            all.push_back(*retained);
            after = retained->last;
        }
        all.push_back(span);
        from = span.last;
    }
    return all;
}

} // namespace tidemark::label
