// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/frameless_trace.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

namespace tidemark::label {
namespace {

using trace::Action;

std::int64_t lastAllocation(const trace::Events& events)
{
    for (std::size_t i = events.count(); i-- > 0;) {
        if (events.action[i] == Action::alloc || events.action[i] == Action::oom) {
            return static_cast<std::int64_t>(i);
        }
    }
    return 0;
}

/// Sizes of what stays for good and was born before an event, sorted.
std::vector<std::int64_t> sizesThatStay(const FramelessTrace& t, std::int64_t before)
{
    std::vector<std::int64_t> sizes;
    for (std::size_t i = 0; i < t.count() && t.birth[i] < before; ++i) {
        if (t.stays(i)) {
            sizes.push_back(t.size[i]);
        }
    }
    std::ranges::sort(sizes);
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    return sizes;
}

/// What the last step of a run that was cut off still held is younger than half the trace. But a
/// model whose parameters are replaced in every step is younger, too: then all that stays counts.
std::int64_t modelIsMadeBefore(const FramelessTrace& t)
{
    constexpr std::int64_t kLittle = 20;
    constexpr std::size_t kFew = 4;
    const std::int64_t half = (t.last_event + 1) / 2;
    std::int64_t old = 0;
    std::int64_t all = 0;
    std::size_t old_count = 0; // A workspace or two are no model.
    std::size_t count = 0;
    for (std::size_t i = 0; i < t.count(); ++i) {
        const bool is_old = t.stays(i) && t.birth[i] < half;
        all += t.stays(i) ? t.size[i] : 0;
        old += is_old ? t.size[i] : 0;
        old_count += is_old ? 1U : 0U;
        count += t.stays(i) ? 1U : 0U;
    }
    return old > all / kLittle && old_count > count / kFew ? half : t.last_event + 1;
}

void setModelSized(FramelessTrace& t, std::int64_t before)
{
    const std::vector<std::int64_t> sizes = sizesThatStay(t, before);
    t.is_model_sized.clear();
    for (const std::int64_t size : t.size) {
        t.is_model_sized.push_back(std::ranges::binary_search(sizes, size));
    }
}

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
struct Candidate {
    std::int64_t first = 0;
    std::int64_t last = 0;
    double released = 0.0; ///< Weight of what was alive at its birth and freed in its life.
    std::size_t releases = 0; ///< How many those are.
    double alive = 0.0; ///< Weight of what was alive at its birth.
    double released_times = 0.0; ///< Sum of weight times the event that frees it.
    bool is_cut_off = false; ///< The trace ends within its life.

    [[nodiscard]] bool overlaps(const Candidate& other) const
    {
        return first < other.last && other.first < last;
    }
};

/// Walks the trace once and weighs, for every scalar, what is freed and made in its life.
class CandidateFinder {
public:
    explicit CandidateFinder(const FramelessTrace& trace)
        : m_t(trace)
        , m_end(static_cast<std::size_t>(trace.last_event) + 1)
        , m_weight_by_death(m_end + 1)
        , m_count_by_death(m_end + 1)
        , m_model_sized_by_death(m_end + 1)
        , m_model_sized_count_by_death(m_end + 1)
        , m_time_by_death(m_end + 1)
        , m_weight_by_birth(m_end + 1)
        , m_model_sized_before(trace.count() + 1)
    {
    }

    std::vector<Candidate> find()
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
        Candidate candidate;
        double staying_before = 0.0; ///< Weight made before it that stays and is not the model's.
    };

    static constexpr std::int64_t kShortest = 8; ///< Events.
    static constexpr std::size_t kFewReleases = 2;
    static constexpr std::size_t kManyReleases = 8; ///< Where nothing ends the backward.
    static constexpr double kReleasedShare = 0.4; ///< Of what is alive; the rest is the batch.
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

    void begin(std::size_t i)
    {
        if (i >= m_t.first_made && m_t.isTiny(i) && !m_t.stays(i)
            && m_t.death[i] - m_t.birth[i] >= kShortest) {
            const auto from = birthPlace(i);
            const auto to = static_cast<std::size_t>(m_t.death[i]);
            const auto passing = std::lround(m_count_by_death.between(from, to));
            // Activations may be as large as parameters by chance: they count where they go.
            const auto others = std::lround(m_model_sized_count_by_death.between(from, to));
            const double weight_of_others = m_model_sized_by_death.between(from, to);
            if (passing > 0) {
                m_open.emplace(i,
                               Candidate{m_t.birth[i], m_t.death[i],
                                         m_weight_by_death.between(from, to) + weight_of_others,
                                         static_cast<std::size_t>(passing + others),
                                         m_alive + weight_of_others,
                                         m_time_by_death.between(from, to)});
            }
        }
        if (i >= m_t.first_made && m_t.isTiny(i) && m_t.stays(i)
            && m_alive_count >= kManyReleases) {
            m_cut_off.push_back({i,
                                 {m_t.birth[i], m_t.last_event + 1, m_alive, m_alive_count,
                                  m_alive + m_staying, m_alive_times, true},
                                 m_staying});
        }
        if (!m_t.stays(i)) {
            change(i, 1.0);
        } else if (!m_t.is_model_sized[i]) {
            m_staying += weight(i);
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
        const double times = sign * weight(i) * static_cast<double>(m_t.death[i]);
        if (m_t.is_model_sized[i]) {
            if (!m_t.isTiny(i)) {
                m_time_by_death.add(death, times);
                m_model_sized_by_death.add(death, sign * weight(i));
                m_model_sized_count_by_death.add(death, sign);
            }
            return;
        }
        m_time_by_death.add(death, times);
        m_weight_by_death.add(death, sign * weight(i));
        m_count_by_death.add(death, sign);
        m_weight_by_birth.add(birthPlace(i), sign * weight(i));
        m_alive += sign * weight(i);
        m_alive_count = sign > 0.0 ? m_alive_count + 1 : m_alive_count - 1;
        m_alive_times += times;
    }

    [[nodiscard]] bool makesModelSized(std::size_t i, std::int64_t until) const
    {
        return !m_any_model_sized
            || m_model_sized_before[m_t.firstFrom(until)] > m_model_sized_before[i + 1];
    }

    void judge(std::size_t i, const Candidate& c)
    {
        const double left =
            m_weight_by_birth.between(birthPlace(i) + 1, static_cast<std::size_t>(c.last));
        if (c.releases >= kFewReleases && isBackward(c, left) && makesModelSized(i, c.last)) {
            m_found.push_back(c);
        }
    }

    /// The end of the trace: what is still there then was left behind.
    void judgeCutOff(const CutOff& c)
    {
        const double left = m_staying_in_all - c.staying_before;
        if (isBackward(c.candidate, left) && makesModelSized(c.allocation, c.candidate.last)) {
            m_found.push_back(c.candidate);
        }
    }

    [[nodiscard]] static bool isBackward(const Candidate& c, double left)
    {
        return c.released >= kReleasedShare * c.alive && left <= kLeftShare * c.released
            && isGradual(c);
    }

    /// A backward goes from layer to layer; what is all freed at once was an operation's.
    [[nodiscard]] static bool isGradual(const Candidate& c)
    {
        constexpr double kEarly = 0.05;
        const double mean = c.released_times / std::max(c.released, 1.0);
        return mean - static_cast<double>(c.first)
            >= kEarly * static_cast<double>(c.last - c.first);
    }

    const FramelessTrace& m_t;
    std::size_t m_end;
    RunningSums m_weight_by_death; ///< Of what is alive, by the event that frees it.
    RunningSums m_count_by_death;
    RunningSums m_model_sized_by_death; ///< Weight of what is alive and as large as a parameter.
    RunningSums m_model_sized_count_by_death;
    RunningSums m_time_by_death; ///< Weight times event.
    RunningSums m_weight_by_birth; ///< Of what is alive, by the event that made it.
    std::vector<std::size_t> m_model_sized_before; ///< Prefix sums of what is model-sized.
    bool m_any_model_sized = false;
    double m_alive = 0.0; ///< Weight of what is alive and passes.
    std::size_t m_alive_count = 0;
    double m_alive_times = 0.0; ///< Sum of weight times the event that frees it.
    double m_staying = 0.0; ///< Weight of what is alive, stays and is not the model's.
    double m_staying_in_all = 0.0;
    std::vector<CutOff> m_cut_off;
    std::unordered_map<std::size_t, Candidate> m_open;
    std::vector<Candidate> m_found;
};

/// Of candidates that overlap, such as the loss and its gradient, the one freed first of those that
/// cover nearly all.
std::vector<Candidate> chooseDisjoint(std::vector<Candidate> found)
{
    constexpr double kLeastOfBest = 0.1;
    constexpr double kNearlyAll = 0.65;
    std::ranges::sort(found, {}, &Candidate::first);
    std::vector<std::size_t> order(found.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        order[i] = i;
    }
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
        return std::pair(found[b].is_cut_off, found[a].released)
            > std::pair(found[a].is_cut_off, found[b].released);
    });
    std::map<std::int64_t, Candidate> chosen;
    const auto isTaken = [&](const Candidate& c) {
        const auto next = chosen.lower_bound(c.first);
        return (next != chosen.end() && next->second.overlaps(c))
            || (next != chosen.begin() && std::prev(next)->second.overlaps(c));
    };
    for (const std::size_t i : order) {
        const Candidate& best = found[i];
        if (best.released < kLeastOfBest * found[order.front()].released || isTaken(best)) {
            continue;
        }
        Candidate first_over = best;
        const auto consider = [&](const Candidate& c) {
            if (c.last < first_over.last && c.released >= kNearlyAll * best.released
                && c.overlaps(best) && !isTaken(c)) {
                first_over = c;
            }
        };
        // The loss is born just before its gradient, a tiny gradient of the last layer just after.
        constexpr std::size_t kNear = 64;
        const std::size_t to = std::min(found.size(), i + kNear);
        for (std::size_t k = i > kNear ? i - kNear : 0; k < to; ++k) {
            consider(found[k]);
        }
        chosen.emplace(first_over.first, first_over);
    }
    std::vector<Candidate> result;
    for (const auto& [first, candidate] : chosen) {
        result.push_back(candidate);
    }
    return result;
}

} // namespace

std::size_t FramelessTrace::firstFrom(std::int64_t event) const
{
    return static_cast<std::size_t>(std::ranges::lower_bound(birth, event) - birth.begin());
}

FramelessTrace framelessTrace(const trace::Events& events, const replay::DeviceReplay& replay)
{
    FramelessTrace t;
    const replay::Allocations& all = replay.allocations;
    t.last_event = lastAllocation(events);
    for (std::size_t i = 0; i < all.count(); ++i) {
        t.birth.push_back(static_cast<std::int64_t>(all.begin[i].index()) - 1);
        const auto freed = static_cast<std::int64_t>(all.end[i].index()) - 1;
        t.death.push_back(freed > t.last_event ? FramelessTrace::kNever : freed);
        t.size.push_back(all.requested[i].value);
    }
    t.first_made = t.firstFrom(0);
    setModelSized(t, modelIsMadeBefore(t));
    return t;
}

std::size_t FramelessTrace::dropLateModelSizes()
{
    constexpr std::size_t kApart = 16;
    std::size_t end = first_made;
    for (std::size_t i = first_made; i < count() && i < end + kApart; ++i) {
        end = stays(i) ? i + 1 : end;
    }
    setModelSized(*this, end < count() ? birth[end] : last_event + 1);
    return end;
}

std::vector<BackwardSpan> findBackwardSpans(const FramelessTrace& trace)
{
    std::vector<BackwardSpan> spans;
    for (const Candidate& c : chooseDisjoint(CandidateFinder(trace).find())) {
        spans.push_back({c.first, c.last});
    }
    return spans;
}

} // namespace tidemark::label
