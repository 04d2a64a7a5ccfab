// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/size_limits.h"

#include "core/base/parallel.h"
#include "core/diagnose/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

namespace tidemark::diagnose {
namespace {

constexpr std::int64_t kMostGpus = 1024;
constexpr std::int64_t kMostTimes = 64; ///< The recorded size.
constexpr std::int64_t kParts = 64; ///< Of the recorded size, where it has no number.
/// A knob that frees less of the need at its smallest than this is none of this run's.
constexpr double kLeastEffect = 0.01;

/// The change for a whole number of steps of a knob.
using ApplyAt = std::function<std::string(std::int64_t)>;

class Bisection {
public:
    Bisection(const FixInput& input, const std::stop_token& stop, ApplyAt apply)
        : m_input(input)
        , m_stop(stop)
        , m_apply(std::move(apply))
    {
    }

    [[nodiscard]] bool fits(std::int64_t at) const
    {
        return !m_stop.stop_requested() && tryOut(m_input, {m_apply(at), {}}).fits == true;
    }
    /// Whether the knob moves the need at all.
    [[nodiscard]] bool matters(std::int64_t at) const
    {
        const double before = m_input.in.basis.before.requested.mid;
        return tryOut(m_input, {m_apply(at), {}}).need.requested.mid < (1 - kLeastEffect) * before;
    }
    /// The largest value that fits from 1 to `most`, searched outwards from `start`.
    [[nodiscard]] std::optional<std::int64_t> largest(std::int64_t start, std::int64_t most) const
    {
        std::int64_t good = 0;
        std::int64_t bad = most + 1;
        for (std::int64_t at = start; at >= 1 && at <= most;) {
            if (fits(at)) {
                good = at;
                at = at == most ? most + 1 : std::min(2 * at, most);
            } else {
                bad = at;
                at = good > 0 ? 0 : at / 2;
            }
            if (good > 0 && bad <= most) {
                break;
            }
        }
        while (good > 0 && bad - good > 1) {
            const std::int64_t middle = good + (bad - good) / 2;
            (fits(middle) ? good : bad) = middle;
        }
        return good > 0 ? std::optional(good) : std::nullopt;
    }
    /// The smallest value that fits from 2 to `most`.
    [[nodiscard]] std::optional<std::int64_t> smallest(std::int64_t most) const
    {
        if (!fits(most)) {
            return std::nullopt;
        }
        std::int64_t bad = 1;
        std::int64_t good = 2;
        while (good < most && !fits(good)) {
            bad = good;
            good = std::min(2 * good, most);
        }
        while (good - bad > 1) {
            const std::int64_t middle = bad + (good - bad) / 2;
            (fits(middle) ? good : bad) = middle;
        }
        return good;
    }

private:
    const FixInput& m_input;
    const std::stop_token& m_stop;
    ApplyAt m_apply;
};

std::string microBatchChange(double ratio)
{
    // What a smaller micro-batch lacks of the step, accumulation adds.
    const auto times = static_cast<int>(std::ceil(1 / ratio - 1e-6));
    return times > 1 ? fmt::format("micro-batch={:.6g},accumulation={}", ratio, times)
                     : fmt::format("micro-batch={:.6g}", ratio);
}

std::string sequenceChange(double ratio)
{
    return fmt::format("sequence={:.6g}", ratio);
}

/// The largest size of a knob of which `recorded` is the number in the configuration.
std::optional<SizeLimit> largestSize(const FixInput& input, const std::stop_token& stop,
                                     const std::optional<int>& recorded,
                                     std::string (*change)(double))
{
    const std::int64_t parts = recorded ? std::max(1, *recorded) : kParts;
    const auto ratioAt = [parts](std::int64_t at) {
        return static_cast<double>(at) / static_cast<double>(parts);
    };
    const Bisection search(input, stop, [&](std::int64_t at) { return change(ratioAt(at)); });
    const bool can_shrink = parts > 1;
    if (can_shrink && !search.matters(std::max<std::int64_t>(1, parts / 16))) {
        return std::nullopt;
    }
    const auto found = search.largest(parts, parts * kMostTimes);
    if (!found || *found == parts * kMostTimes) {
        return std::nullopt; // None, or as large as one likes.
    }
    SizeLimit limit;
    limit.ratio = ratioAt(*found);
    limit.apply = change(limit.ratio);
    if (recorded) {
        limit.value = static_cast<int>(*found);
    }
    return limit;
}

bool isWorthSharing(const FixInput& input)
{
    const StateBytes& states = input.in.facts.states;
    return runsOut(input.in.facts, input.in.basis)
        && (states.optimizer + states.optimizer_missing > 0 || states.gradients > 0);
}

} // namespace

Limits findLimits(const FixInput& input, const std::stop_token& stop)
{
    Limits limits;
    if (!input.in.basis.capacity.bytes || input.in.facts.passes.empty()) {
        return limits;
    }
    const bool has_config = input.config != nullptr;
    const bool shares =
        isWorthSharing(input) && !(has_config && input.config->zero_stage.value_or(0) > 0);
    limits.gpus.resize(shares ? 3 : 0);
    forEachInParallel(2 + limits.gpus.size(), [&](std::size_t i) {
        if (i == 0) {
            limits.micro_batch =
                largestSize(input, stop, has_config ? input.config->micro_batch : std::nullopt,
                            microBatchChange);
        } else if (i == 1) {
            limits.sequence = largestSize(
                input, stop, has_config ? input.config->sequence : std::nullopt, sequenceChange);
        } else {
            const int stage = static_cast<int>(i) - 1;
            const Bisection search(input, stop, [stage](std::int64_t gpus) {
                return fmt::format("zero={},gpus={}", stage, gpus);
            });
            const auto found = search.smallest(kMostGpus);
            limits.gpus[i - 2] = {stage,
                                  found ? std::optional(static_cast<int>(*found)) : std::nullopt};
        }
    });
    return limits;
}

} // namespace tidemark::diagnose
