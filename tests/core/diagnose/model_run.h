// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/allocator/caching_allocator.h"
#include "core/diagnose/analysis.h"
#include "core/trace/snapshot_builder.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::test {

/// A run that a test writes down request by request, laid out by the allocator's model on a card of
/// a given size: what a real file of that run would say.
class ModelRun {
public:
    using Handle = std::size_t;

    /// `file`: in the only frame of every stack. `settings`: as in PYTORCH_ALLOC_CONF.
    explicit ModelRun(std::int64_t capacity, std::string file = "/home/me/train.py",
                      std::string_view settings = "");
    ~ModelRun();

    Handle alloc(std::int64_t bytes);
    void free(Handle handle);
    /// A request that must fail; stops the test where it does not.
    void oom(std::int64_t bytes);
    /// The file begins here: all events so far are lost.
    void loseEvents();

    /// With the comparison with the model; no diagnosis yet. All is labelled as output.
    [[nodiscard]] diagnose::Analysis finish() const;

private:
    class Recorder;
    struct Live {
        allocator::BlockId block;
        Address address = 0;
        std::int64_t bytes = 0;
        bool is_live = true;
    };
    void event(trace::Action action, Address address, std::int64_t bytes);
    [[nodiscard]] trace::Snapshot snapshot() const;

    std::int64_t m_capacity;
    std::string m_file;
    allocator::Settings m_settings;
    std::unique_ptr<Recorder> m_driver;
    allocator::CachingAllocator m_model;
    std::vector<trace::EventRecord> m_events;
    std::vector<Live> m_live;
};

/// Three blocks of 100 MiB, free again and each split for 60 MiB; then there is no hole for
/// `last` MiB and 30 MiB are left on the card of 330 MiB.
diagnose::Analysis diesOfSplitBlocks(std::int64_t last = 100, bool on_windows = false,
                                     bool loses_begin = false);

/// Cycles of two large blocks and a small one that stays: with max_split_size_mb beside expandable
/// segments none of the freed large ones is used again. Nothing runs out.
diagnose::Analysis keepsSmallBlocks(std::string_view settings, int cycles);

} // namespace tidemark::test
