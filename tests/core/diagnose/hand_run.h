// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/analysis.h"
#include "core/trace/snapshot_builder.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::test {

inline constexpr std::int64_t kM = 1 << 20;

/// A run written down by a test, event by event, with its labels: what the diagnosis gets to see
/// does not depend on how well labels are found. One segment, filled first fit.
class HandRun {
public:
    using Handle = std::size_t;

    explicit HandRun(std::int64_t reserved_bytes);

    /// `stack` is "function file.py:line", several separated by "; ", innermost first; empty: none.
    Handle alloc(std::int64_t bytes, label::Bucket bucket, label::Role role = label::Role::none,
                 std::string_view stack = "make /home/me/train.py:1");
    /// Was allocated before the recording began, and stays.
    void there(std::int64_t bytes, label::Bucket bucket);
    void free(Handle handle);
    void phase(label::Phase phase, std::uint32_t step);
    /// How sure the labels are of what is allocated from now on, percent.
    void confidence(std::uint8_t percent)
    {
        m_confidence = percent;
    }
    /// A segment of a private pool, reserved from the start and never used.
    void privatePool(std::int64_t bytes)
    {
        m_pool = bytes;
    }
    /// A segment apart from all else comes, is never used, and goes back from `stack`.
    void giveBackSegment(std::int64_t bytes, std::string_view stack);
    /// The failed request, labelled as if it had succeeded.
    void oom(std::int64_t bytes, std::int64_t device_free, label::Bucket bucket,
             label::Role role = label::Role::none, std::string_view stack = "");
    trace::AllocatorSettings& settings()
    {
        return m_settings;
    }
    /// What the capture module puts beside the snapshot.
    std::optional<trace::Capture>& capture()
    {
        return m_capture;
    }

    /// Replay, block sizes, labels and curves; no diagnosis yet.
    [[nodiscard]] diagnose::Analysis finish(diagnose::UserInput input = {});

private:
    static constexpr std::uint32_t kBefore = 0xFFFFFFFFU;
    struct Item {
        Address address = 0;
        std::int64_t bytes = 0;
        std::uint32_t event = 0; ///< `kBefore`: before the recording.
        label::Bucket bucket{};
        label::Role role{};
        std::string stack;
        std::uint8_t confidence = 100;
        bool live = true;
    };
    struct Event {
        trace::Action action{};
        Address address = 0;
        std::int64_t bytes = 0;
        std::string stack;
    };
    struct Mark {
        std::uint32_t event = 0;
        label::Phase phase{};
        std::uint32_t step = 0;
    };
    Address place(std::int64_t bytes);
    void giveBack();
    void addSegment(trace::SnapshotBuilder& builder, Address begin, Address end) const;
    [[nodiscard]] trace::Snapshot snapshot() const;
    [[nodiscard]] label::DeviceLabels labels(const replay::DeviceReplay& replay) const;

    std::int64_t m_reserved; ///< The first segment's size.
    std::int64_t m_beyond = 0; ///< The second one's.
    std::int64_t m_pool = 0;
    bool m_given_back = false;
    std::vector<Item> m_items;
    std::vector<Event> m_events;
    std::vector<Mark> m_marks;
    label::FailedRequest m_failed;
    std::uint8_t m_confidence = 100;
    trace::AllocatorSettings m_settings;
    std::optional<trace::Capture> m_capture;
};

/// A small transformer as its allocations: per block a norm, an attention matrix and an output;
/// logits; two states per weight. Sizes in bytes.
struct ModelShape {
    int layers = 4;
    std::int64_t weight = 8 * kM; ///< Per block.
    std::int64_t hidden = 16 * kM;
    std::int64_t attention = 32 * kM;
    std::int64_t logits = 24 * kM;
    double batch = 1; ///< Factor on everything that follows the batch.
    double state_copies = 2;
    bool keep_gradients = false; ///< Gradients stay from step to step.
    bool keeps_seed = false; ///< So does the gradient of the loss itself, until the step is done.
    bool checkpoints = false; ///< Blocks are made again in backward.
    bool foreach_lists = false; ///< The optimizer makes a list of temporaries as long as the model.
};

/// Weights, then whole training steps, or the beginning of one.
class HandTraining {
public:
    HandTraining(HandRun& run, ModelShape shape);

    void step(); ///< A whole one.
    void forward(
        int layers = -1); ///< Of the next step; fewer blocks than there are: cut off, no logits.
    void backward(int layers = -1); ///< Fewer blocks: cut off.
    void optimizer();
    ModelShape& shape()
    {
        return m_shape;
    }
    [[nodiscard]] std::uint32_t stepNumber() const
    {
        return m_step;
    }
    [[nodiscard]] std::int64_t scaled(std::int64_t bytes) const;

private:
    struct Block {
        HandRun::Handle norm{};
        HandRun::Handle attention{};
        HandRun::Handle output{};
    };
    HandRun& m_run;
    ModelShape m_shape;
    std::uint32_t m_step = 0;
    HandRun::Handle m_input{};
    HandRun::Handle m_logits{};
    std::vector<Block> m_blocks;
    std::vector<HandRun::Handle> m_gradients;
    std::vector<HandRun::Handle> m_states;
};

} // namespace tidemark::test
