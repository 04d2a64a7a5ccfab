// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/bench/synthetic_trace.h"

#include <algorithm>
#include <random>

namespace tidemark::bench {
namespace {

using label::Bucket;
using trace::Action;

constexpr std::size_t kMostActivations = 1200;
constexpr std::size_t kMostGradients = 200;
constexpr std::size_t kSlots = 1800; ///< For what comes and goes.
constexpr std::int64_t kSlotBytes = std::int64_t{32} << 20;
constexpr Address kBase = 0x7f0000000000;
constexpr std::size_t kEventsPerAllocation = 3;

/// Writes the events of steps one after another.
class Writer {
public:
    explicit Writer(const TraceShape& shape)
        : m_device(m_out.snapshot.devices.emplace_back())
        , m_random(1)
        , m_lasting(shape.lasting)
    {
        trace::Events& e = m_device.events;
        const std::size_t room = shape.events + shape.events / 8;
        e.action.reserve(room);
        e.address.reserve(room);
        e.size.reserve(room);
        e.time.reserve(room);
        m_out.bucket.reserve(room);
        for (std::size_t slot = m_lasting + kSlots; slot-- > m_lasting;) {
            m_free_slots.push_back(slot);
        }
    }

    void step(std::size_t allocations)
    {
        const std::size_t saved =
            std::clamp<std::size_t>(allocations * 3 / 10, 1, kMostActivations);
        const std::size_t gradients = std::min(allocations / 20, kMostGradients);
        const std::size_t others = allocations - std::min(allocations, saved + gradients);
        const std::size_t first = m_out.bucket.size();
        const auto number = static_cast<std::uint32_t>(m_out.steps.size() + 1);
        std::vector<Tensor> activations;
        for (std::size_t i = 0; i < saved; ++i) {
            activations.push_back(make(Bucket::activation));
            temporaries(others * (i + 1) / (2 * saved) - others * i / (2 * saved));
        }
        const std::size_t middle = m_out.bucket.size();
        std::vector<Tensor> kept;
        for (std::size_t i = 0; i < saved; ++i) {
            temporaries(others * (i + 1) / (2 * saved) - others * i / (2 * saved));
            for (std::size_t g = gradients * i / saved; g < gradients * (i + 1) / saved; ++g) {
                kept.push_back(make(Bucket::gradient));
            }
            free(activations[saved - 1 - i]);
        }
        for (const Tensor& gradient : kept) {
            free(gradient);
        }
        const std::size_t end = m_out.bucket.size();
        m_out.steps.push_back({EventId(first), EventId(end - 1)});
        m_out.phases.push_back({EventId(first), EventId(middle), label::Phase::forward, number});
        m_out.phases.push_back({EventId(middle), EventId(end), label::Phase::backward, number});
    }

    SyntheticTrace finish()
    {
        trace::Events& e = m_device.events;
        e.stream.assign(e.action.size(), 0);
        e.stack.assign(e.action.size(), StackId::none());
        trace::Segment segment;
        segment.address = kBase;
        segment.total_size = {static_cast<std::int64_t>(m_lasting + kSlots) * kSlotBytes};
        segment.block_count = static_cast<std::uint32_t>(m_lasting);
        m_device.segments.push_back(segment);
        for (std::size_t i = 0; i < m_lasting; ++i) {
            trace::Block block;
            block.address = kBase + i * static_cast<std::size_t>(kSlotBytes);
            block.requested = block.size = {randomSize()};
            block.state = trace::BlockState::active_allocated;
            m_device.blocks.push_back(block);
        }
        return std::move(m_out);
    }

private:
    struct Tensor {
        std::size_t slot = 0;
        std::int64_t size = 0;
    };

    std::int64_t randomSize() // from 512 B to 32 MiB, as many small ones as large ones
    {
        const auto doublings = static_cast<int>(m_random() % 16);
        const std::int64_t least = std::int64_t{512} << doublings;
        return least + static_cast<std::int64_t>(m_random() % static_cast<std::uint64_t>(least));
    }
    void event(Action action, Tensor tensor, Bucket bucket)
    {
        trace::Events& e = m_device.events;
        e.action.push_back(action);
        e.address.push_back(kBase + tensor.slot * static_cast<std::size_t>(kSlotBytes));
        e.size.push_back({tensor.size});
        m_time += std::chrono::microseconds(1 + m_random() % 20);
        e.time.push_back(m_time);
        m_out.bucket.push_back(bucket);
    }
    Tensor make(Bucket bucket)
    {
        const Tensor tensor{m_free_slots.back(), randomSize()};
        m_free_slots.pop_back();
        event(Action::alloc, tensor, bucket);
        return tensor;
    }
    void free(Tensor tensor)
    {
        event(Action::free_requested, tensor, Bucket::unknown);
        event(Action::free_completed, tensor, Bucket::unknown);
        m_free_slots.push_back(tensor.slot);
    }
    /// Some that live one after another and some side by side.
    void temporaries(std::size_t count)
    {
        std::vector<Tensor> live;
        for (std::size_t i = 0; i < count; ++i) {
            live.push_back(make(Bucket::temporary));
            if (live.size() == 3) {
                const auto any = live.begin() + static_cast<std::ptrdiff_t>(m_random() % 3);
                free(*any);
                live.erase(any);
            }
        }
        for (const Tensor& tensor : live) {
            free(tensor);
        }
    }

    SyntheticTrace m_out;
    trace::Device& m_device;
    std::mt19937_64 m_random;
    std::size_t m_lasting;
    TimePoint m_time{};
    std::vector<std::size_t> m_free_slots;
};

} // namespace

SyntheticTrace makeTrace(const TraceShape& shape)
{
    Writer writer(shape);
    for (std::size_t i = 0; i < shape.steps; ++i) {
        writer.step(std::max<std::size_t>(1, shape.events / shape.steps / kEventsPerAllocation));
    }
    return writer.finish();
}

label::Labels labelsOf(const SyntheticTrace& trace, const replay::Replay& replay)
{
    const replay::Allocations& all = replay.devices[0].allocations;
    label::Labels labels;
    label::DeviceLabels& device = labels.devices.emplace_back();
    device.bucket.reserve(all.count());
    const std::size_t parameters = trace.snapshot.devices[0].blocks.size() / 3;
    for (std::size_t i = 0; i < all.count(); ++i) {
        const EventId made = all.alloc_event[i];
        device.bucket.push_back(!made.isNone()       ? trace.bucket[made.index()]
                                    : i < parameters ? Bucket::parameter
                                                     : Bucket::optimizer_state);
    }
    device.role.assign(all.count(), label::Role::none);
    device.confidence.assign(all.count(), 100);
    device.reason.assign(all.count(), 0);
    device.reasons.push_back({"synthetic", "Made so."});
    device.steps = trace.steps;
    device.phases = trace.phases;
    return labels;
}

} // namespace tidemark::bench
