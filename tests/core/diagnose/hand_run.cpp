// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/core/diagnose/hand_run.h"

#include "core/label/program/program_evidence.h"
#include "core/trace/snapshot_builder.h"
#include "tests/support/labelled.h"

#include <QtCore/QtGlobal>

#include <algorithm>
#include <cmath>
#include <sstream>

namespace tidemark::test {
namespace {

using label::Bucket;
using label::Phase;
using label::Role;
using trace::Action;

constexpr Address kBase = 0x100000000;

std::int64_t blockOf(std::int64_t bytes)
{
    return (bytes + 511) / 512 * 512;
}

StackId internStack(trace::SnapshotBuilder& builder, const std::string& text)
{
    if (text.empty()) {
        return StackId::none();
    }
    std::vector<FrameId> frames;
    std::istringstream list(text);
    std::string part;
    while (std::getline(list, part, ';')) {
        std::istringstream words(part);
        std::string function;
        std::string place;
        words >> function >> place;
        const std::size_t colon = place.rfind(':');
        frames.push_back(builder.stacks().internFrame(
            {builder.strings().intern(function), builder.strings().intern(place.substr(0, colon)),
             static_cast<std::int32_t>(std::stoi(place.substr(colon + 1)))}));
    }
    return builder.stacks().internStack(frames);
}

} // namespace

HandRun::HandRun(std::int64_t reserved_bytes)
    : m_reserved(reserved_bytes)
{
    m_settings.present = true;
    m_settings.expandable_segments = false;
    m_failed.event = EventId::none();
}

Address HandRun::place(std::int64_t bytes)
{
    std::map<Address, std::int64_t> live;
    for (const Item& item : m_items) {
        if (item.live) {
            live[item.address] = blockOf(item.bytes);
        }
    }
    Address at = kBase;
    for (const auto& [address, size] : live) {
        if (static_cast<std::int64_t>(address - at) >= blockOf(bytes)) {
            return at;
        }
        at = address + static_cast<Address>(size);
    }
    const std::int64_t end = static_cast<std::int64_t>(at - kBase) + blockOf(bytes);
    if (end > m_reserved && m_given_back) {
        qFatal("the hand-written run does not fit into its segment");
    }
    m_beyond = std::max(m_beyond, end - m_reserved);
    return at;
}

void HandRun::giveBack()
{
    for (const Item& item : m_items) {
        const auto end = static_cast<std::int64_t>(item.address - kBase) + blockOf(item.bytes);
        if (item.live && end > m_reserved) {
            qFatal("something is live beyond the first segment, which ends at %lld, to %lld",
                   static_cast<long long>(m_reserved), static_cast<long long>(end));
        }
    }
    m_given_back = true;
    if (m_beyond > 0) {
        m_events.push_back(
            {Action::segment_free, kBase + static_cast<Address>(m_reserved), m_beyond, ""});
    }
}

HandRun::Handle HandRun::alloc(std::int64_t bytes, Bucket bucket, Role role, std::string_view stack)
{
    const Address address = place(bytes);
    m_items.push_back({address, bytes, static_cast<std::uint32_t>(m_events.size()), bucket, role,
                       std::string(stack), m_confidence, true});
    m_events.push_back({Action::alloc, address, bytes, std::string(stack)});
    return m_items.size() - 1;
}

void HandRun::there(std::int64_t bytes, Bucket bucket)
{
    m_items.push_back({place(bytes), bytes, kBefore, bucket, Role::none, "", m_confidence, true});
}

void HandRun::free(Handle handle)
{
    Item& item = m_items.at(handle);
    item.live = false;
    m_events.push_back({Action::free_requested, item.address, item.bytes, ""});
    m_events.push_back({Action::free_completed, item.address, item.bytes, ""});
}

void HandRun::phase(Phase phase, std::uint32_t step)
{
    m_marks.push_back({static_cast<std::uint32_t>(m_events.size()), phase, step});
}

void HandRun::oom(std::int64_t bytes, std::int64_t device_free, Bucket bucket, Role role,
                  std::string_view stack)
{
    giveBack();
    m_failed = {EventId(m_events.size()), bucket, role, m_confidence};
    m_events.push_back(
        {Action::oom, static_cast<Address>(device_free), blockOf(bytes), std::string(stack)});
}

void HandRun::giveBackSegment(std::int64_t bytes, std::string_view stack)
{
    constexpr Address kApart = kBase + (Address{1} << 44);
    m_events.push_back({Action::segment_alloc, kApart, bytes, ""});
    m_events.push_back({Action::segment_free, kApart, bytes, std::string(stack)});
}

trace::Snapshot HandRun::snapshot() const
{
    trace::SnapshotBuilder builder;
    builder.format() = {"script", -1, "script"};
    builder.settings() = m_settings;
    builder.capture() = m_capture;
    builder.ensureDevice(0);
    for (const Event& e : m_events) {
        trace::EventRecord record;
        record.action = e.action;
        record.address = e.address;
        record.size = {e.bytes};
        record.stack = internStack(builder, e.stack);
        builder.addEvent(0, record);
    }
    const Address first_end = kBase + static_cast<Address>(m_reserved);
    addSegment(builder, kBase,
               m_given_back || m_beyond == 0 ? first_end
                                             : first_end + static_cast<Address>(m_beyond));
    if (m_pool > 0) {
        constexpr Address kFar = kBase + (Address{1} << 40);
        trace::BlockRecord hole;
        hole.address = kFar;
        hole.size = {m_pool};
        builder.addSegment({0, kFar, {m_pool}, 0, false, false, {1, 0}, {}}, std::span(&hole, 1));
    }
    return std::move(builder).finish().value();
}

void HandRun::addSegment(trace::SnapshotBuilder& builder, Address begin, Address end) const
{
    std::vector<const Item*> live;
    for (const Item& item : m_items) {
        if (item.live) {
            live.push_back(&item);
        }
    }
    std::ranges::sort(live, {}, &Item::address);
    std::vector<trace::BlockRecord> blocks;
    Address at = begin;
    const auto addHole = [&](Address until) {
        if (until > at) {
            trace::BlockRecord hole;
            hole.address = at;
            hole.size = {static_cast<std::int64_t>(until - at)};
            blocks.push_back(hole);
        }
    };
    for (const Item* item : live) {
        addHole(item->address);
        trace::BlockRecord block;
        block.address = item->address;
        block.size = {blockOf(item->bytes)};
        block.requested = Bytes{item->bytes};
        block.state = trace::BlockState::active_allocated;
        block.stack = internStack(builder, item->stack);
        blocks.push_back(block);
        at = item->address + static_cast<Address>(blockOf(item->bytes));
    }
    addHole(end);
    builder.addSegment(
        {0, begin, {static_cast<std::int64_t>(end - begin)}, 0, false, false, {}, {}}, blocks);
}

label::DeviceLabels HandRun::labels(const replay::DeviceReplay& replay) const
{
    label::DeviceLabels labels;
    labels.reasons.push_back({"by-hand", "The test says so."});
    std::map<std::uint32_t, const Item*> by_event;
    std::map<Address, const Item*> before;
    for (const Item& item : m_items) {
        if (item.event == kBefore) {
            before[item.address] = &item;
        } else {
            by_event[item.event] = &item;
        }
    }
    for (std::size_t i = 0; i < replay.allocations.count(); ++i) {
        const EventId event = replay.allocations.alloc_event[i];
        const Item& item =
            event.isNone() ? *before.at(replay.allocations.address[i]) : *by_event.at(event.value);
        labels.bucket.push_back(item.bucket);
        labels.role.push_back(item.role);
        labels.confidence.push_back(item.confidence);
        labels.reason.push_back(0);
    }
    const auto end = static_cast<std::uint32_t>(m_events.size());
    for (std::size_t k = 0; k < m_marks.size(); ++k) {
        const std::uint32_t until = k + 1 < m_marks.size() ? m_marks[k + 1].event : end;
        if (m_marks[k].event == until) {
            continue;
        }
        labels.phases.push_back(
            {EventId(m_marks[k].event), EventId(until), m_marks[k].phase, m_marks[k].step});
        const std::uint32_t step = m_marks[k].step;
        if (step > labels.steps.size()) {
            labels.steps.push_back({EventId(m_marks[k].event), EventId(until - 1)});
        } else if (step > 0) {
            labels.steps[step - 1].last_event = EventId(until - 1);
        }
    }
    if (!m_failed.event.isNone()) {
        labels.failed.push_back(m_failed);
    }
    return labels;
}

diagnose::Analysis HandRun::finish(diagnose::UserInput input)
{
    diagnose::Analysis analysis = replayedAnalysis(snapshot());
    analysis.input = std::move(input);
    label::Labels all;
    all.devices.push_back(labels(analysis.replay->devices[0]));
    analysis.programs = std::make_shared<const std::vector<program::Program>>(
        label::findPrograms(*analysis.snapshot, *analysis.replay, all));
    return withLabels(std::move(analysis), std::move(all));
}

HandTraining::HandTraining(HandRun& run, ModelShape shape)
    : m_run(run)
    , m_shape(shape)
{
    m_run.phase(Phase::setup, 0);
    for (int i = 0; i < m_shape.layers; ++i) {
        m_run.alloc(m_shape.weight, Bucket::parameter, Role::trainable,
                    "__init__ /home/me/model.py:5");
    }
}

std::int64_t HandTraining::scaled(std::int64_t bytes) const
{
    return std::llround(static_cast<double>(bytes) * m_shape.batch);
}

void HandTraining::forward(int layers)
{
    ++m_step;
    m_run.phase(Phase::input, m_step);
    m_input = m_run.alloc(scaled(64 << 10), Bucket::input, Role::none, "load /home/me/data.py:9");
    m_run.phase(Phase::forward, m_step);
    m_blocks.clear();
    const int count = layers < 0 ? m_shape.layers : layers;
    for (int i = 0; i < count; ++i) {
        Block b;
        b.norm = m_run.alloc(scaled(m_shape.hidden), Bucket::activation, Role::none,
                             "layer_norm /site-packages/torch/nn/functional.py:2515; forward "
                             "/home/me/model.py:30");
        b.attention =
            m_run.alloc(scaled(m_shape.attention), Bucket::activation, Role::attention_matrix,
                        "softmax /site-packages/torch/nn/functional.py:1841; forward "
                        "/home/me/model.py:24");
        b.output = m_run.alloc(scaled(m_shape.hidden), Bucket::activation, Role::none,
                               "forward /home/me/model.py:31");
        m_blocks.push_back(b);
    }
    if (layers < 0 || layers == m_shape.layers) {
        m_logits = m_run.alloc(scaled(m_shape.logits), Bucket::activation, Role::logits,
                               "forward /home/me/model.py:40");
    }
}

void HandTraining::backward(int layers)
{
    m_run.phase(Phase::backward, m_step);
    if (m_shape.keeps_seed) {
        m_gradients.push_back(m_run.alloc(64, Bucket::gradient, Role::none, ""));
    }
    const auto gradient =
        m_run.alloc(scaled(m_shape.logits), Bucket::temporary, Role::activation_gradient, "");
    m_run.free(m_logits);
    m_run.free(gradient);
    const int count = layers < 0 ? m_shape.layers : layers;
    for (int i = 0; i < count; ++i) {
        const Block& b = m_blocks[m_blocks.size() - 1 - static_cast<std::size_t>(i)];
        const auto work = m_run.alloc(
            scaled(m_shape.attention), Bucket::temporary, Role::activation_gradient,
            m_shape.checkpoints ? "unpack_hook /site-packages/torch/utils/checkpoint.py:9" : "");
        m_run.free(b.attention);
        m_run.free(work);
        m_run.free(b.norm);
        m_run.free(b.output);
        if (!m_shape.keep_gradients || m_step == 1) {
            m_gradients.push_back(m_run.alloc(m_shape.weight, Bucket::gradient, Role::none, ""));
        }
    }
    if (layers < 0) {
        m_run.free(m_input);
    }
}

void HandTraining::optimizer()
{
    m_run.phase(Phase::optimizer, m_step);
    if (m_states.empty() && m_shape.state_copies > 0) {
        for (int i = 0; i < m_shape.layers; ++i) {
            const auto bytes =
                std::llround(static_cast<double>(m_shape.weight) * m_shape.state_copies / 2);
            for (int k = 0; k < 2; ++k) {
                m_states.push_back(m_run.alloc(bytes, Bucket::optimizer_state, Role::none,
                                               "step /site-packages/torch/optim/adamw.py:147"));
            }
        }
    }
    const std::string stack = m_shape.foreach_lists
        ? "_multi_tensor_adamw /site-packages/torch/optim/adamw.py:300; step "
          "/site-packages/torch/optim/adamw.py:160"
        : "_single_tensor_adamw /site-packages/torch/optim/adamw.py:200; step "
          "/site-packages/torch/optim/adamw.py:160";
    std::vector<HandRun::Handle> work;
    for (int i = 0; i < (m_shape.foreach_lists ? m_shape.layers : 1); ++i) {
        work.push_back(
            m_run.alloc(m_shape.weight, Bucket::temporary, Role::optimizer_transient, stack));
    }
    for (const auto handle : work) {
        m_run.free(handle);
    }
    if (!m_shape.keep_gradients) {
        for (const auto handle : m_gradients) {
            m_run.free(handle);
        }
        m_gradients.clear();
    }
}

void HandTraining::step()
{
    forward();
    backward();
    optimizer();
}

} // namespace tidemark::test
