// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/core/diagnose/model_run.h"

#include "core/allocator/baseline.h"
#include "core/curves/curves.h"
#include "tests/support/labelled.h"

#include <QtCore/QtGlobal>

#include <utility>

namespace tidemark::test {

using allocator::BlockUse;
using trace::Action;

/// A card that writes down what it gives and takes.
class ModelRun::Recorder final : public allocator::Driver {
public:
    Recorder(ModelRun& run, std::int64_t capacity)
        : m_run(run)
        , m_card(Bytes{capacity})
    {
    }
    std::optional<Address> allocate(Bytes size, const allocator::Home& home) override
    {
        const auto address = m_card.allocate(size, home);
        if (address) {
            m_run.event(Action::segment_alloc, *address, size.value);
        }
        return address;
    }
    bool map(Address address, Bytes size, const allocator::Home& home) override
    {
        const bool is_mapped = m_card.map(address, size, home);
        if (is_mapped) {
            m_run.event(Action::segment_map, address, size.value);
        }
        return is_mapped;
    }
    Interval<Address> reserve(Bytes unit, const allocator::Home& home) override
    {
        return m_card.reserve(unit, home);
    }
    void release(Address address, Bytes size) override
    {
        m_card.release(address, size);
        const bool expands = m_run.m_settings.expandable_segments;
        m_run.event(expands ? Action::segment_unmap : Action::segment_free, address, size.value);
    }

private:
    ModelRun& m_run;
    allocator::CapacityDriver m_card;
};

ModelRun::ModelRun(std::int64_t capacity, std::string file, std::string_view settings)
    : m_capacity(capacity)
    , m_file(std::move(file))
    , m_settings(allocator::parseSettings(settings).value())
    , m_driver(std::make_unique<Recorder>(*this, capacity))
    , m_model(m_settings, *m_driver)
{
}

ModelRun::~ModelRun() = default;

void ModelRun::event(Action action, Address address, std::int64_t bytes)
{
    trace::EventRecord record;
    record.action = action;
    record.address = address;
    record.size = {bytes};
    m_events.push_back(record);
}

ModelRun::Handle ModelRun::alloc(std::int64_t bytes)
{
    const allocator::BlockId block = m_model.allocate({{bytes}, 0, {}, false});
    if (block.isNone()) {
        qFatal("the card is too small for this test");
    }
    m_live.push_back({block, m_model.addressOf(block), bytes, true});
    event(Action::alloc, m_live.back().address, bytes);
    return m_live.size() - 1;
}

void ModelRun::free(Handle handle)
{
    Live& one = m_live[handle];
    event(Action::free_requested, one.address, one.bytes);
    m_model.completeFree(one.block);
    event(Action::free_completed, one.address, one.bytes);
    one.is_live = false;
}

void ModelRun::oom(std::int64_t bytes)
{
    if (!m_model.allocate({{bytes}, 0, {}, false}).isNone()) {
        qFatal("the request that was to fail found memory");
    }
    event(Action::oom, static_cast<Address>(m_capacity - m_model.reserved().value),
          m_model.refusal().rounded.value);
}

void ModelRun::loseEvents()
{
    m_events.clear();
}

trace::Snapshot ModelRun::snapshot() const
{
    trace::SnapshotBuilder builder;
    builder.format() = {"script", -1, "script"};
    builder.settings().present = true;
    builder.settings().conf = m_settings.text;
    builder.settings().expandable_segments = m_settings.expandable_segments;
    builder.settings().max_split_size_bytes =
        m_settings.max_split == allocator::Settings::kUnlimited ? -1 : m_settings.max_split;
    builder.ensureDevice(0);
    const FrameId frame = builder.stacks().internFrame(
        {builder.strings().intern("keep"), builder.strings().intern(m_file), 7});
    const StackId stack = builder.stacks().internStack({&frame, 1});
    for (trace::EventRecord record : m_events) {
        record.stack = stack;
        builder.addEvent(0, record);
    }
    for (const allocator::SegmentView& segment : m_model.layout()) {
        std::vector<trace::BlockRecord> blocks;
        // Of an expandable segment each mapped stretch is one of its own.
        const auto add = [&] {
            if (!blocks.empty()) {
                const trace::BlockRecord& last = blocks.back();
                const Address begin = blocks.front().address.value();
                const Address end = *last.address + static_cast<Address>(last.size.value);
                builder.addSegment({0,
                                    begin,
                                    Bytes{static_cast<std::int64_t>(end - begin)},
                                    0,
                                    segment.home.is_small,
                                    segment.is_expandable,
                                    {},
                                    {}},
                                   blocks);
                blocks.clear();
            }
        };
        for (const allocator::BlockView& from : segment.blocks) {
            if (from.use == BlockUse::unmapped) {
                add();
                continue;
            }
            trace::BlockRecord block;
            block.address = from.address;
            block.size = from.size;
            if (from.use != BlockUse::free) {
                block.requested = from.requested;
                block.state = trace::BlockState::active_allocated;
            }
            blocks.push_back(block);
        }
        add();
    }
    return std::move(builder).finish().value();
}

diagnose::Analysis ModelRun::finish() const
{
    NoProgress progress;
    diagnose::Analysis analysis = replayedAnalysis(snapshot());
    analysis.baselines = std::make_shared<const allocator::Baselines>(
        allocator::baselines(*analysis.snapshot, *analysis.replay, *analysis.block_sizes, progress,
                             {})
            .value());
    const replay::DeviceReplay& replay = analysis.replay->devices[0];
    label::Labels all;
    label::DeviceLabels& labels = all.devices.emplace_back();
    labels.reasons.push_back({"by-hand", "The test says so."});
    const std::size_t count = replay.allocations.count();
    labels.bucket.assign(count, label::Bucket::output);
    labels.role.assign(count, label::Role::none);
    labels.confidence.assign(count, 100);
    labels.reason.assign(count, 0);
    labels.phases.push_back({EventId(0U), EventId(m_events.size()), label::Phase::other, 0});
    for (const EventId e : replay.ooms) {
        labels.failed.push_back({e, label::Bucket::output, label::Role::none});
    }
    return withLabels(std::move(analysis), std::move(all));
}

diagnose::Analysis diesOfSplitBlocks(std::int64_t last, bool on_windows, bool loses_begin)
{
    constexpr std::int64_t kMebi = 1 << 20;
    ModelRun run(330 * kMebi, on_windows ? "C:\\Users\\me\\train.py" : "/home/me/train.py");
    std::vector<ModelRun::Handle> all;
    for (int i = 0; i < 3; ++i) {
        all.push_back(run.alloc(100 * kMebi));
    }
    for (const ModelRun::Handle handle : all) {
        run.free(handle);
    }
    if (loses_begin) {
        run.loseEvents();
    }
    for (int i = 0; i < 3; ++i) {
        run.alloc(60 * kMebi);
    }
    run.oom(last * kMebi);
    return run.finish();
}

diagnose::Analysis keepsSmallBlocks(std::string_view settings, int cycles)
{
    constexpr std::int64_t kMebi = 1 << 20;
    ModelRun run(64LL << 30, "/home/me/train.py", settings);
    for (int i = 0; i < cycles; ++i) {
        const ModelRun::Handle large = run.alloc(91 * kMebi);
        const ModelRun::Handle half = run.alloc(91 * kMebi / 2);
        run.alloc(2 * kMebi);
        run.free(large);
        run.free(half);
    }
    return run.finish();
}

} // namespace tidemark::test
