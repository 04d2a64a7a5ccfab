// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/fit/recording.h"

#include "core/base/format.h"

#include <algorithm>
#include <set>

namespace tidemark::fit {
namespace {

constexpr std::string_view kModeling = "modeling_";
constexpr std::string_view kPython = ".py";
/// Files of that name that are no family's.
constexpr std::array<std::string_view, 7> kShared{"utils",
                                                  "layers",
                                                  "outputs",
                                                  "rope_utils",
                                                  "attn_mask_utils",
                                                  "flash_attention_utils",
                                                  "gguf_pytorch_utils"};

/// "llama" of "modeling_llama.py"; empty: no family's.
std::string_view familyIn(std::string_view file)
{
    if (!file.starts_with(kModeling) || !file.ends_with(kPython)
        || file.size() <= kModeling.size() + kPython.size()) {
        return {};
    }
    const std::string_view stem =
        file.substr(kModeling.size(), file.size() - kModeling.size() - kPython.size());
    return std::ranges::find(kShared, stem) == kShared.end() ? stem : std::string_view();
}

bool hasPart(const std::vector<std::string_view>& texts, std::string_view part)
{
    return std::ranges::any_of(
        texts, [&](std::string_view text) { return text.find(part) != std::string_view::npos; });
}

} // namespace

bool namesAFamily(const trace::Snapshot& snapshot)
{
    for (std::size_t f = 0; f < snapshot.stacks.frameCount(); ++f) {
        const std::string_view file = snapshot.text(snapshot.stacks.frame(FrameId(f)).filename);
        if (!familyIn(baseName(file)).empty()) {
            return true;
        }
    }
    return false;
}

Frames::Frames(const Recording& recording)
{
    const StackPool& stacks = recording.snapshot.stacks;
    const replay::Allocations& allocations = recording.replay.allocations;
    // All that was ever allocated, once for each frame: more than 64 bits hold of a hostile file.
    std::vector<double> of_stack(stacks.stackCount());
    for (std::size_t i = 0; i < allocations.count(); ++i) {
        if (!allocations.stack[i].isNone()) {
            of_stack[allocations.stack[i].index()] +=
                static_cast<double>(allocations.requested[i].value);
        }
    }
    std::vector<double> of_frame(stacks.frameCount());
    for (std::size_t s = 0; s < of_stack.size(); ++s) {
        for (const FrameId frame :
             of_stack[s] > 0 ? stacks.frames(StackId(s)) : std::span<const FrameId>()) {
            of_frame[frame.index()] += of_stack[s];
        }
    }
    std::set<std::string_view> functions;
    std::map<std::string_view, double> files;
    for (std::size_t f = 0; f < of_frame.size(); ++f) {
        if (of_frame[f] > 0) {
            const Frame& frame = stacks.frame(FrameId(f));
            functions.insert(recording.snapshot.text(frame.name));
            files[baseName(recording.snapshot.text(frame.filename))] += of_frame[f];
        }
    }
    m_functions.assign(functions.begin(), functions.end());
    double most = 0;
    for (const auto& [file, bytes] : files) {
        m_files.push_back(file);
        if (const std::string_view family = familyIn(file); !family.empty() && bytes > most) {
            most = bytes;
            m_family = family;
        }
    }
}

bool Frames::call(std::initializer_list<std::string_view> parts) const
{
    return std::ranges::any_of(parts,
                               [&](std::string_view part) { return hasPart(m_functions, part); });
}

bool Frames::hasFile(std::string_view part) const
{
    return hasPart(m_files, part);
}

Sizes::Sizes(const Recording& recording)
{
    const replay::DeviceReplay& replay = recording.replay;
    const label::DeviceLabels& labels = recording.labels;
    std::map<std::int64_t, std::int64_t> input_counts;
    for (std::size_t i = 0; i < replay.allocations.count(); ++i) {
        const std::int64_t bytes = replay.allocations.requested[i].value;
        ++counts[bytes];
        const label::Bucket bucket = labels.bucket[i];
        if (bucket == label::Bucket::input) {
            ++input_counts[bytes];
        } else if (bucket == label::Bucket::workspace
                   && replay.allocations.isLive(AllocationId(i), replay.peak)) {
            workspace += bytes;
        }
    }
    for (const auto& [bytes, count] : input_counts) {
        inputs.push_back(bytes);
    }
    std::ranges::stable_sort(inputs, std::ranges::greater{},
                             [&](std::int64_t bytes) { return input_counts[bytes]; });
    std::map<std::uint32_t, std::int64_t> backwards;
    for (const label::PhaseSpan& span : labels.phases) {
        // A phase owns the states behind its events.
        const auto first = replay.active.begin() + span.first.value + 1;
        const auto end = replay.active.begin() + span.end.value + 1;
        std::int64_t& peak = peaks[static_cast<std::size_t>(span.phase)];
        peak = std::max(peak, first < end ? *std::max_element(first, end) : 0);
        if (span.phase == label::Phase::backward && span.step > 1) {
            micro_batches = std::max(micro_batches, ++backwards[span.step]);
        }
    }
}

std::vector<std::int64_t> valuesOf(const program::Program& program, program::DimensionName name)
{
    std::vector<std::int64_t> values;
    if (const program::Dimension* const found = program.find(name)) {
        values.push_back(found->value);
        for (const program::Alternative& other : found->alternatives) {
            values.push_back(other.value);
        }
    }
    return values;
}

std::int64_t valueOf(const program::Program& program, program::DimensionName name)
{
    const program::Dimension* const found = program.find(name);
    return found == nullptr ? 0 : found->value;
}

} // namespace tidemark::fit
