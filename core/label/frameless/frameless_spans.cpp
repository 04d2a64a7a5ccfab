// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/frameless/frameless_trace.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <unordered_map>
#include <utility>

namespace tidemark::label {
namespace {

/// Sums over a range of positions that change one by one; each operation O(log positions).
class RunningSums {
public:
    explicit RunningSums(std::size_t positions)
        : m_sums(positions + 1)
    {
    }
    void add(std::size_t at, double value)
    {
        for (std::size_t i = at + 1; i < m_sums.size(); i += i & (~i + 1)) {
            m_sums[i] += value;
        }
    }
    /// Of all positions before one.
    [[nodiscard]] double before(std::size_t end) const
    {
        double sum = 0.0;
        for (std::size_t i = std::min(end, m_sums.size() - 1); i > 0; i -= i & (~i + 1)) {
            sum += m_sums[i];
        }
        return sum;
    }
    [[nodiscard]] double between(std::size_t begin, std::size_t end) const
    {
        return before(end) - before(begin);
    }

private:
    std::vector<double> m_sums;
};

/// A scalar that may be the gradient a backward starts with.
struct SpanCandidate {
    std::int64_t first = 0;
    std::int64_t last = 0;
    double released = 0.0; ///< Weight of what was alive at its birth and freed in its life.
    double staying_before = 0.0; ///< Weight made before it that stays and is not the model's.
    std::int64_t staying_count = 0; ///< How many of those are no scalars.
    bool is_cut_off = false; ///< The trace ends within its life.
    bool is_early = false; ///< It was there before the trace.
    double most_made =
        0.0; ///< Weight of what was alive at most of all that the trace made by its end.

    [[nodiscard]] bool overlaps(const SpanCandidate& other) const
    {
        return first < other.last && other.first < last;
    }
};

/// Walks the trace once and weighs, for every scalar, what is freed and made in its life.
class CandidateFinder {
public:
    /// What the spans release says nothing about other candidates.
    CandidateFinder(const FramelessTrace& trace, const std::vector<BackwardSpan>& spans)
        : m_t(trace)
        , m_is_explained(explainedBy(trace, spans))
        , m_end(static_cast<std::size_t>(trace.last_event) + 1)
        , m_weight_by_death(m_end + 1)
        , m_count_by_death(m_end + 1)
        , m_model_sized_by_death(m_end + 1)
        , m_weight_by_birth(m_end + 1)
        , m_count_by_birth(m_end + 1)
        , m_model_sized_before(trace.count() + 1)
    {
    }

    std::vector<SpanCandidate> find()
    {
        std::vector<std::size_t> by_death;
        for (std::size_t i = 0; i < m_t.count(); ++i) {
            m_any_model_sized = m_any_model_sized || (m_t.is_model_sized[i] && !m_t.isTiny(i));
            m_model_sized_before[i + 1] =
                m_model_sized_before[i] + (m_t.is_model_sized[i] && !m_t.isTiny(i) ? 1 : 0);
            if (!m_t.stays(i)) {
                by_death.push_back(i);
            } else if (!m_t.is_model_sized[i]) {
                m_staying_in_all += weight(i);
            }
        }
        std::ranges::sort(by_death, {}, [&](std::size_t i) { return m_t.death[i]; });
        std::size_t born = 0;
        for (; born < m_t.first_made; ++born) {
            begin(born);
        }
        for (std::size_t i = 0; i < m_t.first_made; ++i) {
            openIfScalar(i); // The trace may begin within its backward.
        }
        for (const std::size_t dying : by_death) {
            for (; born < m_t.count() && m_t.birth[born] < m_t.death[dying]; ++born) {
                begin(born);
            }
            end(dying);
        }
        for (const CutOff& c : m_cut_off) {
            judgeCutOff(c);
        }
        return std::move(m_found);
    }

private:
    /// A scalar that is never freed: the trace may end within its backward.
    struct CutOff {
        std::size_t allocation = 0;
        SpanCandidate candidate;
    };

    static constexpr std::size_t kManyReleases = 8; ///< Where nothing ends the backward.
    static constexpr std::size_t kSeveral = 3;
    static constexpr double kLeftShare = 0.25; ///< Of what is released.

    /// The square root tames single huge tensors: what counts is that many are released.
    [[nodiscard]] double weight(std::size_t i) const
    {
        return std::sqrt(static_cast<double>(m_t.size[i]));
    }
    [[nodiscard]] std::size_t birthPlace(std::size_t i) const
    {
        return static_cast<std::size_t>(std::max<std::int64_t>(m_t.birth[i], 0));
    }

    void openIfScalar(std::size_t i)
    {
        if (m_t.isTiny(i) && !m_t.stays(i)) {
            const auto from = birthPlace(i);
            const auto to = static_cast<std::size_t>(m_t.death[i]);
            const auto passing = std::lround(m_count_by_death.between(from, to));
            // Activations may be as large as parameters by chance: they count where they go. Of
            // what was there before the trace gradients may be, too.
            const bool is_early = i < m_t.first_made;
            const double weight_of_others =
                is_early ? 0.0 : m_model_sized_by_death.between(from, to);
            if (passing > 0) {
                m_open.emplace(i,
                               SpanCandidate{std::max<std::int64_t>(m_t.birth[i], 0), m_t.death[i],
                                             m_weight_by_death.between(from, to) + weight_of_others,
                                             m_staying, m_staying_count, false, is_early});
            }
        }
    }

    void begin(std::size_t i)
    {
        if (i >= m_t.first_made) {
            openIfScalar(i);
        }
        if (i >= m_t.first_made && m_t.isTiny(i) && m_t.stays(i)
            && m_alive_count >= kManyReleases) {
            m_cut_off.push_back(
                {i, {m_t.birth[i], m_t.last_event + 1, m_alive, m_staying, m_staying_count, true}});
        }
        if (!m_t.stays(i)) {
            change(i, 1.0);
        } else if (!m_t.is_model_sized[i]) {
            m_staying += weight(i);
            m_staying_count += m_t.isTiny(i) ? 0 : 1;
        }
    }

    void end(std::size_t i)
    {
        const auto open = m_open.find(i);
        if (open != m_open.end()) {
            judge(i, open->second);
            m_open.erase(open);
        }
        change(i, -1.0);
    }

    void change(std::size_t i, double sign)
    {
        const auto death = static_cast<std::size_t>(m_t.death[i]);
        if (m_t.is_model_sized[i]) {
            if (!m_t.isTiny(i) && !m_is_explained[i]) {
                m_model_sized_by_death.add(death, sign * weight(i));
            }
            return;
        }
        m_weight_by_birth.add(birthPlace(i), sign * weight(i));
        m_made_alive += i < m_t.first_made ? 0.0 : sign * weight(i);
        m_most_made = std::max(m_most_made, m_made_alive);
        if (!m_t.isTiny(i)) {
            m_count_by_birth.add(birthPlace(i), sign);
        }
        if (m_is_explained[i]) {
            return;
        }
        m_weight_by_death.add(death, sign * weight(i));
        m_count_by_death.add(death, sign);
        m_alive += sign * weight(i);
        m_alive_count = sign > 0.0 ? m_alive_count + 1 : m_alive_count - 1;
    }

    [[nodiscard]] bool makesModelSized(std::size_t i, std::int64_t until,
                                       std::size_t at_least = 1) const
    {
        return !m_any_model_sized
            || m_model_sized_before[m_t.firstFrom(until)]
            >= m_model_sized_before[std::max(i + 1, m_t.first_made)] + at_least;
    }

    void judge(std::size_t i, const SpanCandidate& c)
    {
        const std::size_t from = birthPlace(i) + 1;
        const auto to = static_cast<std::size_t>(c.last);
        const double left = m_weight_by_birth.between(from, to) + m_staying - c.staying_before;
        const bool leaves_one =
            std::lround(m_count_by_birth.between(from, to)) + m_staying_count - c.staying_count
            == 1;
        // A gradient of some rows alone is as large as nothing of the model.
        const bool is_sparse = leaves_one && makesModelSized(i, c.last, kSeveral);
        if (isBackward(c, is_sparse ? 0.0 : left) && makesModelSized(i, c.last)) {
            m_found.push_back(c);
            m_found.back().most_made = m_most_made;
        }
    }

    /// The end of the trace: what is still there then was left behind.
    void judgeCutOff(const CutOff& c)
    {
        const double left = m_staying_in_all - c.candidate.staying_before;
        if (isBackward(c.candidate, left) && makesModelSized(c.allocation, c.candidate.last)) {
            m_found.push_back(c.candidate);
        }
    }

    [[nodiscard]] static bool isBackward(const SpanCandidate& c, double left)
    {
        return left <= kLeftShare * c.released;
    }

    /// Per allocation: made before one of the spans and freed in it.
    static std::vector<bool> explainedBy(const FramelessTrace& t,
                                         const std::vector<BackwardSpan>& spans)
    {
        std::vector<bool> explained(t.count());
        for (std::size_t i = 0; i < t.count() && !spans.empty(); ++i) {
            const auto after = std::ranges::lower_bound(spans, t.death[i], {}, &BackwardSpan::last);
            explained[i] =
                after != spans.end() && t.birth[i] < after->first && after->first < t.death[i];
        }
        return explained;
    }

    const FramelessTrace& m_t;
    std::vector<bool> m_is_explained;
    std::size_t m_end;
    RunningSums m_weight_by_death; ///< Of what is alive, by the event that frees it.
    RunningSums m_count_by_death;
    RunningSums m_model_sized_by_death; ///< Weight of what is alive and as large as a parameter.
    RunningSums m_weight_by_birth; ///< Of what is alive, by the event that made it.
    RunningSums m_count_by_birth; ///< Without scalars.
    std::vector<std::size_t> m_model_sized_before; ///< Prefix sums of what is model-sized.
    bool m_any_model_sized = false;
    double m_alive = 0.0; ///< Weight of what is alive and passes.
    std::size_t m_alive_count = 0;
    double m_made_alive = 0.0; ///< Of that, what the trace made.
    double m_most_made = 0.0;
    double m_staying = 0.0; ///< Weight of what is alive, stays and is not the model's.
    std::int64_t m_staying_count = 0; ///< Of those, without scalars.
    double m_staying_in_all = 0.0;
    std::vector<CutOff> m_cut_off;
    std::unordered_map<std::size_t, SpanCandidate> m_open;
    std::vector<SpanCandidate> m_found;
};

/// Of candidates that overlap, such as the loss and its gradient, the one freed first of those that
/// cover nearly all. None that releases less than a tenth of the best one, here or in an earlier
/// choice.
class Chooser {
public:
    void choose(std::vector<SpanCandidate> found);

    [[nodiscard]] std::vector<BackwardSpan> spans() const
    {
        std::vector<BackwardSpan> spans;
        for (const auto& [first, candidate] : m_chosen) {
            spans.push_back({candidate.first, candidate.last});
        }
        return spans;
    }

private:
    [[nodiscard]] bool isTaken(const SpanCandidate& c) const
    {
        const auto next = m_chosen.lower_bound(c.first);
        return (next != m_chosen.end() && next->second.overlaps(c))
            || (next != m_chosen.begin() && std::prev(next)->second.overlaps(c));
    }

    std::map<std::int64_t, SpanCandidate> m_chosen;
    double m_best = 0.0; ///< Released by the best one.
};

void Chooser::choose(std::vector<SpanCandidate> found)
{
    constexpr double kLeastOfBest = 0.1;
    constexpr double kMadeShare = 0.8;
    // What lives through a forward of the trace saw it make as much as another backward releases.
    double most = 0.0;
    for (const SpanCandidate& c : found) {
        most = std::max(most, c.is_early ? 0.0 : c.released);
    }
    std::erase_if(found, [&](const SpanCandidate& c) {
        return c.is_early && c.most_made > kMadeShare * std::max(most, c.released);
    });
    constexpr double kNearlyAll = 0.65;
    constexpr double kNearlyAllEarly = 0.9;
    std::ranges::sort(found, {}, &SpanCandidate::first);
    std::vector<std::size_t> order(found.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        order[i] = i;
    }
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
        return std::pair(found[b].is_cut_off, found[a].released)
            > std::pair(found[a].is_cut_off, found[b].released);
    });
    m_best = m_best > 0.0 || found.empty() ? m_best : found[order.front()].released;
    for (const std::size_t i : order) {
        const SpanCandidate& best = found[i];
        if (best.released < kLeastOfBest * m_best || isTaken(best)) {
            continue;
        }
        SpanCandidate first_over = best;
        const auto consider = [&](const SpanCandidate& c) {
            // Saved scalars go in the middle of a backward.
            const double share = best.is_early ? kNearlyAllEarly : kNearlyAll;
            if (c.is_early == best.is_early && c.last < first_over.last
                && c.released >= share * best.released && c.overlaps(best) && !isTaken(c)) {
                first_over = c;
            }
        };
        // The loss is born just before its gradient, a tiny gradient of the last layer just after.
        constexpr std::size_t kNear = 64;
        const std::size_t to = std::min(found.size(), i + kNear);
        for (std::size_t k = i > kNear ? i - kNear : 0; k < to; ++k) {
            consider(found[k]);
        }
        m_chosen.emplace(first_over.first, first_over);
    }
}

} // namespace

std::vector<BackwardSpan> findBackwardSpans(const FramelessTrace& trace)
{
    Chooser chooser;
    chooser.choose(CandidateFinder(trace, {}).find());
    const std::vector<BackwardSpan> first = chooser.spans();
    if (!first.empty()) {
        chooser.choose(CandidateFinder(trace, first).find());
    }
    return chooser.spans();
}

} // namespace tidemark::label
