// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/fixes/size_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tidemark::diagnose {
namespace {

constexpr int kMostGpusTried = 1024;
constexpr int kMostTimes = 64; ///< The recorded size.
constexpr int kParts = 64; ///< Of the recorded size, where it has no number.
/// A knob that frees nothing at this part of its size is none of this run's.
constexpr double kTest = 1.0 / 16;

/// One value of a knob.
struct Setting {
    double ratio = 1; ///< To the recorded one; for sizes.
    std::optional<int> value; ///< Where there is a number for it.
    int turns = 1; ///< Of a micro-batch, for one recorded one.
    std::string change; ///< In `predict --apply` words.
};

/// A knob: its values in order, from the one that fits most easily on.
class Knob {
public:
    Knob(int count, std::function<Setting(int)> setting)
        : m_setting(std::move(setting))
        , m_failing(count)
        , m_count(count)
    {
    }
    [[nodiscard]] Setting at(int position) const
    {
        return m_setting(position);
    }
    [[nodiscard]] int count() const
    {
        return m_count;
    }
    /// How many of the first ones fit, once it is known.
    [[nodiscard]] int fitting() const
    {
        return m_fitting;
    }
    [[nodiscard]] bool isDone() const
    {
        return m_fitting >= m_failing;
    }
    void setFits(int position, bool fits)
    {
        if (fits) {
            m_fitting = std::max(m_fitting, position + 1);
        } else {
            m_failing = std::min(m_failing, position);
        }
    }
    /// What to ask for next: a few that cut the range into equal parts.
    [[nodiscard]] std::vector<int> nextPositions() const
    {
        static constexpr int kCuts = 4;
        std::vector<int> positions;
        for (int i = 1; i < kCuts && !isDone(); ++i) {
            const int position = m_fitting + (m_failing - m_fitting) * i / kCuts;
            if (positions.empty() || positions.back() != position) {
                positions.push_back(position);
            }
        }
        return positions;
    }

private:
    std::function<Setting(int)> m_setting;
    int m_fitting = 0; ///< All before it fit.
    int m_failing; ///< None from here on.
    int m_count;
};

/// Halves in on all knobs side by side.
void findBounds(Trials& trials, std::vector<Knob>& knobs)
{
    while (!std::ranges::all_of(knobs, &Knob::isDone) && !trials.stop().stop_requested()) {
        std::vector<std::vector<int>> positions;
        std::vector<std::string> lists;
        for (const Knob& knob : knobs) {
            positions.push_back(knob.nextPositions());
            for (const int position : positions.back()) {
                lists.push_back(knob.at(position).change);
            }
        }
        trials.prepare(lists);
        for (std::size_t k = 0; k < knobs.size(); ++k) {
            for (const int position : positions[k]) {
                const Outcome outcome = trials.outcomeOf({knobs[k].at(position).change, {}});
                knobs[k].setFits(position, outcome.fits == true);
            }
        }
    }
}

/// What a configuration names as size, if it can be one.
std::optional<int> sizeIn(const std::optional<int>& configured)
{
    static constexpr int kMost = 1 << 20;
    return configured && *configured >= 1 && *configured <= kMost ? configured : std::nullopt;
}

/// `part` of `parts` of the recorded size.
Setting sizeOf(std::string_view name, int part, int parts, bool has_number)
{
    const double ratio = static_cast<double>(part) / parts;
    return {ratio, has_number ? std::optional(part) : std::nullopt, 1,
            fmt::format("{}={:.6g}", name, ratio)};
}

/// Smaller micro-batches are those that make the recorded one in a whole number of turns, so that a
/// step sees as many samples as before; larger ones are any.
Knob microBatchKnob(const std::optional<int>& recorded)
{
    const bool known = recorded.has_value();
    const int parts = recorded.value_or(kParts);
    std::vector<int> turns;
    for (int i = parts; i > 1; --i) {
        if (!known || parts % i == 0) {
            turns.push_back(i);
        }
    }
    const int below = static_cast<int>(turns.size());
    return {below + parts * (kMostTimes - 1) + 1, [=, turns = std::move(turns)](int at) {
                if (at >= below) {
                    return sizeOf("micro-batch", parts + at - below, parts, known);
                }
                const int of_turns = turns[static_cast<std::size_t>(at)];
                const double ratio = 1.0 / of_turns;
                return Setting{ratio, known ? std::optional(parts / of_turns) : std::nullopt,
                               of_turns,
                               fmt::format("micro-batch={:.6g},accumulation={}", ratio, of_turns)};
            }};
}

Knob sequenceKnob(const std::optional<int>& recorded)
{
    const bool known = recorded.has_value();
    const int parts = recorded.value_or(kParts);
    return {parts * kMostTimes, [=](int at) { return sizeOf("sequence", at + 1, parts, known); }};
}

/// The most GPUs first.
Knob gpuKnob(int stage)
{
    return {kMostGpusTried - 1, [stage](int at) {
                const int gpus = kMostGpusTried - at;
                return Setting{1, gpus, 1, fmt::format("zero={},gpus={}", stage, gpus)};
            }};
}

/// The first position with at least that ratio. Requires that the recorded size is one of them.
int positionOf(const Knob& knob, double ratio)
{
    int smaller = -1;
    int found = knob.count() - 1;
    while (found - smaller > 1) {
        const int middle = smaller + (found - smaller) / 2;
        (knob.at(middle).ratio < ratio - 1e-9 ? smaller : found) = middle;
    }
    return found;
}

std::optional<SizeLimit> limitOf(Trials& trials, const Knob& knob)
{
    const int fitting = knob.fitting();
    if (fitting == 0 || fitting == knob.count()) {
        return std::nullopt; // None, or as large as one likes.
    }
    const Setting test = knob.at(positionOf(knob, kTest));
    if (test.ratio < 1) {
        const double before = trials.input().in.basis.before.requested.mid;
        if (trials.outcomeOf({test.change, {}}).need.requested.mid >= before) {
            return std::nullopt;
        }
    }
    const Setting largest = knob.at(fitting - 1);
    return SizeLimit{largest.ratio, largest.value, largest.change, largest.turns};
}

bool isWorthSharing(const FixInput& input)
{
    const StateBytes& states = input.in.facts.states;
    return needsFix(input.in.facts, input.in.basis)
        && (states.optimizer + states.optimizer_missing > 0 || states.gradients > 0);
}

} // namespace

Limits findLimits(Trials& trials)
{
    Limits limits;
    const FixInput& input = trials.input();
    if (!input.in.basis.capacity.bytes || input.in.facts.passes.empty()) {
        return limits;
    }
    const config::RunConfig* const config = input.config;
    std::vector<Knob> knobs{
        microBatchKnob(sizeIn(config != nullptr ? config->micro_batch : std::nullopt)),
        sequenceKnob(sizeIn(config != nullptr ? config->sequence : std::nullopt))};
    const auto before = fitsInto(input.in.basis.before, input.in.basis.capacity);
    for (Knob& knob : knobs) {
        knob.setFits(positionOf(knob, 1), before == true);
    }
    const bool is_shared = config != nullptr && config->zero_stage.value_or(0) > 0;
    if (isWorthSharing(input) && !is_shared) {
        for (int stage = 1; stage <= 3; ++stage) {
            knobs.push_back(gpuKnob(stage));
        }
    }
    findBounds(trials, knobs);
    limits.micro_batch = limitOf(trials, knobs[0]);
    limits.sequence = limitOf(trials, knobs[1]);
    for (std::size_t k = 2; k < knobs.size(); ++k) {
        const int fitting = knobs[k].fitting();
        limits.gpus.push_back(
            {static_cast<int>(k) - 1,
             fitting > 0 ? knobs[k].at(fitting - 1).value : std::optional<int>()});
    }
    return limits;
}

} // namespace tidemark::diagnose
