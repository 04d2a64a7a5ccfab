// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/query/allocation_table.h"

#include "core/label/stacks/forward_lines.h"
#include "core/label/stacks/stack_text.h"
#include "core/program/expression.h"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>

namespace tidemark::query {
namespace {

constexpr std::uint32_t kNoSpan = std::numeric_limits<std::uint32_t>::max();

std::string textOf(const program::SizeUse& use)
{
    std::string text;
    for (const program::Expression& one : use.expressions) {
        text.append(text.empty() ? "" : "  or  ").append(program::textOf(one));
    }
    return text;
}

} // namespace

AllocationTable::AllocationTable(std::shared_ptr<const trace::Snapshot> snapshot,
                                 std::shared_ptr<const replay::Replay> replay,
                                 std::shared_ptr<const label::Labels> labels,
                                 std::shared_ptr<const std::vector<program::Program>> programs,
                                 std::size_t device)
    : m_snapshot(std::move(snapshot))
    , m_replay(std::move(replay))
    , m_labels(std::move(labels))
    , m_programs(std::move(programs))
    , m_device(device)
    , m_file(std::make_shared<OfFile>(*m_snapshot))
{
    findSpans();
    findLines();
}

AllocationTable::AllocationTable(const AllocationTable& other, std::size_t device)
    : m_snapshot(other.m_snapshot)
    , m_replay(other.m_replay)
    , m_labels(other.m_labels)
    , m_programs(other.m_programs)
    , m_device(device)
    , m_file(other.m_file)
{
    findSpans();
    findLines();
}

/// Allocations are ordered by when they begin, so one walk along the spans finds them all.
void AllocationTable::findSpans()
{
    const std::vector<EventId>& made = replay().allocations.alloc_event;
    const std::vector<label::PhaseSpan>& spans = labels().phases;
    m_span.assign(made.size(), kNoSpan);
    std::size_t span = 0;
    for (std::size_t i = 0; i < made.size(); ++i) {
        if (made[i].isNone() || spans.empty()) {
            continue;
        }
        if (made[i] < spans[span].first) {
            span = 0; // A trace that contradicts itself.
        }
        while (span + 1 < spans.size() && made[i] >= spans[span].end) {
            ++span;
        }
        m_span[i] = static_cast<std::uint32_t>(span);
    }
}

/// A line per stack, and one per text about the forward pass where a stack tells nothing.
void AllocationTable::findLines()
{
    std::unordered_map<std::string, LineNumber> numbers;
    const auto numberOf = [&](std::string text) {
        const auto [known, is_new] =
            numbers.try_emplace(std::move(text), static_cast<LineNumber>(m_lines.size()));
        if (is_new) {
            m_lines.push_back(known->first);
        }
        return known->second;
    };
    numberOf({});
    const replay::Allocations& all = replay().allocations;
    std::unordered_map<StackId, LineNumber> of_stack;
    std::unordered_map<StringId, LineNumber> of_forward;
    m_line.reserve(all.count());
    for (std::size_t i = 0; i < all.count(); ++i) {
        const auto [known, is_new] = of_stack.try_emplace(all.stack[i]);
        if (is_new) {
            const FrameId shown = m_file->finder.of(*m_snapshot, all.stack[i]).shown;
            known->second = numberOf(label::frameText(*m_snapshot, shown));
        }
        const StringId forward = known->second == 0
            ? label::forwardFramesOf(device(), all, AllocationId(i))
            : StringId::none();
        if (forward.isNone()) {
            m_line.push_back(known->second);
            continue;
        }
        const auto [said, is_first] = of_forward.try_emplace(forward);
        if (is_first) {
            said->second = numberOf(label::forwardLineText(m_snapshot->text(forward)));
        }
        m_line.push_back(said->second);
    }
}

double AllocationTable::shareOfPeak(Bytes peak_bytes) const
{
    const Bytes all = replay().activeAt(replay().peak);
    return all.value > 0 ? static_cast<double>(peak_bytes.value) / static_cast<double>(all.value)
                         : 0;
}

std::optional<label::Phase> AllocationTable::phase(AllocationId a) const
{
    const std::uint32_t span = m_span[a.index()];
    return span == kNoSpan ? std::nullopt : std::optional(labels().phases[span].phase);
}

std::uint32_t AllocationTable::step(AllocationId a) const
{
    const std::uint32_t span = m_span[a.index()];
    return span == kNoSpan ? 0 : labels().phases[span].step;
}

std::size_t AllocationTable::sizeUse(AllocationId a) const
{
    const auto* program = this->program();
    return program != nullptr && a.index() < program->size_of.size()
        ? program->size_of[a.index()]
        : std::numeric_limits<std::size_t>::max();
}

std::string AllocationTable::expression(AllocationId a) const
{
    const std::size_t use = sizeUse(a);
    const auto* program = this->program();
    return program != nullptr && use < program->sizes.size() ? textOf(program->sizes[use])
                                                             : std::string();
}

std::vector<std::string> AllocationTable::expressionsBySize() const
{
    std::vector<std::string> texts;
    if (const auto* program = this->program()) {
        for (const program::SizeUse& use : program->sizes) {
            texts.push_back(textOf(use));
        }
    }
    return texts;
}

const program::Program* AllocationTable::program() const
{
    return m_programs && m_device < m_programs->size() ? &(*m_programs)[m_device] : nullptr;
}

std::shared_ptr<const label::Details> AllocationTable::details(const std::stop_token& stop) const
{
    const std::scoped_lock lock(m_file->mutex);
    if (!m_file->details) {
        auto found = std::make_shared<const label::Details>(
            label::findDetails(*m_snapshot, *m_replay, *m_labels, m_programs.get(), stop));
        if (stop.stop_requested()) {
            return nullptr;
        }
        m_file->details = std::move(found);
    }
    return m_file->details;
}

std::shared_ptr<const label::Details> AllocationTable::knownDetails() const
{
    const std::unique_lock lock(m_file->mutex, std::try_to_lock);
    return lock.owns_lock() ? m_file->details : nullptr;
}

} // namespace tidemark::query
