// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/label/labels.h"
#include "tests/support/trace_script.h"

#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>

namespace tidemark::test {

using namespace label;

inline constexpr int kLayers = 5;

/// A program that allocates without leaving a stack, and writes down what everything is for.
class Program {
public:
    void now(Phase phase)
    {
        m_phase = phase;
    }
    void make(const std::string& name, std::int64_t size, Bucket bucket)
    {
        m_text += fmt::format("{} +{}\n", name, size);
        m_made[m_events] = {m_phase, bucket};
        ++m_events;
    }
    void drop(const std::string& name)
    {
        m_text += fmt::format("{} -\n", name);
        m_events += 2;
    }
    void fail(std::int64_t size)
    {
        m_text += fmt::format("oom {} free=1K\n", size);
        ++m_events;
    }

    void makeModel()
    {
        now(Phase::setup);
        for (int i = 0; i < kLayers; ++i) {
            make(fmt::format("p{}", i), parameterBytes(i), Bucket::parameter);
        }
    }
    void makeState(const char* prefix)
    {
        for (int i = 0; i < kLayers; ++i) {
            make(fmt::format("{}{}", prefix, i), parameterBytes(i), Bucket::optimizer_state);
        }
    }
    /// A batch takes the place of the one before it.
    void takeBatch(std::int64_t size)
    {
        now(Phase::input);
        make(fmt::format("x{}", ++m_batch), 20'500 * size, Bucket::input);
        if (m_batch > 1) {
            drop(fmt::format("x{}", m_batch - 1));
        }
    }
    void forward(std::int64_t batch)
    {
        now(Phase::forward);
        for (int i = 0; i < kLayers; ++i) {
            make("t", 30'000 * batch, Bucket::temporary);
            make(fmt::format("a{}", i), (50'000 + i) * batch, Bucket::activation);
            drop("t");
        }
        make(fmt::format("loss{}", ++m_losses), 4, Bucket::activation);
        if (m_losses > 1) {
            drop(fmt::format("loss{}", m_losses - 1));
        }
    }
    void backward(std::int64_t batch, bool adds)
    {
        now(Phase::backward);
        make("root", 4, Bucket::temporary);
        for (int i = kLayers; i-- > 0;) {
            make(fmt::format("ga{}", i), (50'000 + i) * batch, Bucket::temporary);
            make(adds ? "add" : fmt::format("g{}", i), parameterBytes(i),
                 adds ? Bucket::temporary : Bucket::gradient);
            if (adds) {
                drop("add");
            }
            drop(fmt::format("ga{}", i));
            drop(fmt::format("a{}", i));
        }
        drop("root");
    }
    void optimize(bool makes_state)
    {
        now(Phase::optimizer);
        if (makes_state) {
            makeState("m");
            makeState("v");
        }
        for (int i = 0; i < kLayers; ++i) {
            make("u", parameterBytes(i), Bucket::temporary);
            drop("u");
        }
        for (int i = 0; i < kLayers; ++i) {
            drop(fmt::format("g{}", i));
        }
    }
    void train(std::int64_t batch, bool makes_state, int micro_batches = 1)
    {
        for (int i = 0; i < micro_batches; ++i) {
            takeBatch(batch);
            forward(batch);
            backward(batch, i > 0);
        }
        optimize(makes_state);
    }
    void passWithoutGradients(std::int64_t batch, Phase phase)
    {
        takeBatch(batch);
        now(phase);
        for (int i = 0; i < kLayers; ++i) {
            make(fmt::format("e{}", i), (50'000 + i) * batch, Bucket::temporary);
            make("t", 30'000 * batch, Bucket::temporary);
            drop("t");
            if (i > 0) {
                drop(fmt::format("e{}", i - 1));
            }
        }
        drop(fmt::format("e{}", kLayers - 1));
    }

    /// What the labels say otherwise than it was, in words; empty where all is right.
    [[nodiscard]] std::string mistakes() const
    {
        const Labelled l(m_text);
        const replay::Allocations& all = l.replay.devices[0].allocations;
        std::string words;
        for (std::size_t i = 0; i < all.count(); ++i) {
            const std::size_t event = all.alloc_event[i].index();
            const auto& [phase, bucket] = m_made.at(event);
            const Phase found = l.device().phaseAt(all.alloc_event[i])->phase;
            // Where all else is given back in time, a scalar's bucket matters to nobody.
            const bool is_scalar = all.requested[i].value == 4;
            if (found != phase || (l.device().bucket[i] != bucket && !is_scalar)) {
                words +=
                    fmt::format("event {}: {} in {} called {} in {}\n", event, bucketId(bucket),
                                phaseId(phase), bucketId(l.device().bucket[i]), phaseId(found));
            }
        }
        return words;
    }

    struct Labelled {
        trace::Snapshot snapshot;
        replay::Replay replay;
        Labels labels;

        explicit Labelled(const std::string& text)
            : snapshot(test::snapshotFromScript(text))
        {
            NoProgress progress;
            replay = replay::run(snapshot, progress, {}).value();
            labels = apply(snapshot, replay, progress, {}).value();
        }
        [[nodiscard]] const DeviceLabels& device() const
        {
            return labels.devices[0];
        }
    };
    [[nodiscard]] Labelled labelled() const
    {
        return Labelled(m_text);
    }

    static std::int64_t parameterBytes(int layer)
    {
        return 40'000 + 8'000 * layer;
    }

private:
    std::string m_text;
    std::size_t m_events = 0;
    Phase m_phase = Phase::setup;
    std::map<std::size_t, std::pair<Phase, Bucket>> m_made; ///< By event.
    int m_batch = 0;
    int m_losses = 0;
};

} // namespace tidemark::test
