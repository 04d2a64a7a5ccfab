// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/label/labels.h"
#include "core/replay/replay.h"
#include "tests/support/trace_script.h"

#include <fmt/format.h>

#include <random>
#include <string>
#include <vector>

namespace tidemark::test {

/// A random trace with random phases in random steps, and its replay.
struct RandomSteps {
    trace::Snapshot snapshot;
    replay::Replay replay;
    label::DeviceLabels labels;

    RandomSteps(unsigned seed, int events, std::uint32_t steps)
        : snapshot(test::snapshotFromScript(script(seed, events)))
    {
        NoProgress progress;
        replay = replay::run(snapshot, progress, {}).value();
        std::mt19937 random(seed + 1000);
        for (std::size_t i = 0; i < device().allocations.count(); ++i) {
            labels.bucket.push_back(label::bucketAt(random() % label::kBucketCount));
            labels.role.push_back(label::Role::none);
        }
        cut(random, steps);
    }
    [[nodiscard]] const replay::DeviceReplay& device() const
    {
        return replay.devices[0];
    }

private:
    static std::string script(unsigned seed, int events)
    {
        std::mt19937 random(seed);
        std::string script = "stack s0 = a /m.py:1\nstack s1 = b /m.py:2\nstack s2 = c /m.py:3\n"
                             "live old 5000 @s1\n";
        std::vector<int> live;
        for (int i = 0; i < events; ++i) {
            if (live.size() < 2 || random() % 20 < 11) {
                script += fmt::format("n{} +{} @s{}\n", i, 1 + random() % 9000, random() % 3);
                live.push_back(i);
            } else {
                const std::size_t k = random() % live.size();
                script += fmt::format("n{} -\n", live[k]);
                live.erase(live.begin() + static_cast<std::ptrdiff_t>(k));
            }
        }
        return script;
    }
    /// Cuts the trace into phases of one to nine events; every few of them a step begins.
    void cut(std::mt19937& random, std::uint32_t steps)
    {
        const auto events = static_cast<std::uint32_t>(snapshot.devices[0].events.count());
        std::uint32_t step = 0;
        for (std::uint32_t first = 0; first < events;) {
            const std::uint32_t end =
                std::min(events, first + 1 + static_cast<std::uint32_t>(random() % 9));
            const bool is_new_step = first > 0 && first * steps / events >= step && step < steps;
            if (is_new_step) {
                ++step;
                labels.steps.push_back({EventId(first), EventId(end - 1)});
            }
            if (step > 0) {
                labels.steps.back().last_event = EventId(end - 1);
            }
            labels.phases.push_back({EventId(first), EventId(end),
                                     static_cast<label::Phase>(random() % label::kPhaseCount),
                                     step});
            first = end;
        }
    }
};

} // namespace tidemark::test
