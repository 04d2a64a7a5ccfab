// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/compare/settings.h"

#include "core/base/format.h"
#include "core/base/language.h"
#include "core/diagnose/diagnosis.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

namespace tidemark::compare {
namespace {

/// Rows that at least one of the runs says something about.
class Rows {
public:
    void add(std::string_view name, std::string a, std::string b)
    {
        if (!a.empty() || !b.empty()) {
            m_rows.push_back({std::string(translated(name)), std::move(a), std::move(b)});
        }
    }
    /// `read(side)` gives the text of one run.
    template <class Read, class Item>
    void add(std::string_view name, const Item& a, const Item& b, const Read& read)
    {
        add(name, read(a), read(b));
    }
    [[nodiscard]] std::vector<Setting> take() &&
    {
        return std::move(m_rows);
    }

private:
    std::vector<Setting> m_rows;
};

std::string flagText(const std::optional<bool>& flag)
{
    return flag ? (*flag ? say("on") : say("off")) : std::string();
}

std::string limitText(const std::optional<std::int64_t>& bytes)
{
    return !bytes ? "" : *bytes < 0 ? say("no limit") : formatBytes({*bytes});
}

std::string countText(std::int64_t count)
{
    return count == 0 ? "" : formatCount(count);
}

/// The keys whose names a program chooses, of both runs.
template <class Value, class Text>
void addNamed(Rows& rows, std::string_view prefix,
              const std::vector<std::pair<std::string, Value>>& a,
              const std::vector<std::pair<std::string, Value>>& b, const Text& text)
{
    std::map<std::string, std::pair<std::string, std::string>> values;
    for (const auto& [key, value] : a) {
        values[key].first = text(value);
    }
    for (const auto& [key, value] : b) {
        values[key].second = text(value);
    }
    for (const auto& [key, pair] : values) {
        rows.add(std::string(prefix) + key, pair.first, pair.second);
    }
}

std::string dimensionText(const Side& side, program::DimensionName name)
{
    const program::Dimension* const found = side.program.find(name);
    return found == nullptr ? "" : formatCount(found->value);
}

const diagnose::DeviceDiagnosis* diagnosisOf(const Side& side)
{
    return side.analysis.diagnosis ? &side.analysis.diagnosis->devices[side.index] : nullptr;
}

std::string recipeText(const Side& side)
{
    const diagnose::DeviceDiagnosis* const diagnosis = diagnosisOf(side);
    return diagnosis == nullptr ? "" : diagnosis->recipe.text;
}

std::string capacityText(const Side& side)
{
    const diagnose::DeviceDiagnosis* const diagnosis = diagnosisOf(side);
    return diagnosis != nullptr && diagnosis->capacity
        ? formatInterval(*diagnosis->capacity, diagnosis->mostCapacity())
        : "";
}

/// Only captures name it; fields that one file lacks say nothing about the other.
void addTorch(Rows& rows, const trace::Snapshot& a, const trace::Snapshot& b)
{
    if (a.capture && b.capture && !a.capture->torch.empty() && !b.capture->torch.empty()) {
        rows.add("torch", a.capture->torch, b.capture->torch);
    }
}

std::string yesNo(bool yes)
{
    return yes ? say("yes") : say("no");
}

std::string deviceText(const Side& side)
{
    return side.device().kind == trace::DeviceKind::host ? say("host memory")
                                                         : say("GPU {}", side.device().index);
}

void addRuns(Rows& rows, const Side& a, const RunTraits& traits_a, const Side& b,
             const RunTraits& traits_b)
{
    using program::DimensionName;
    rows.add(toSay("recipe"), a, b, recipeText);
    rows.add(toSay("precision"), traits_a, traits_b, [](const RunTraits& traits) {
        return traits.precision == Precision::unknown ? "" : nameOf(traits.precision);
    });
    auto [parameters_a, parameters_b] = parameterTexts(traits_a, traits_b);
    rows.add(toSay("parameters"), std::move(parameters_a), std::move(parameters_b));
    if (traits_a.adapters.rank != 0 || traits_b.adapters.rank != 0) {
        rows.add(toSay("adapters"), traits_a, traits_b,
                 [](const RunTraits& traits) { return nameOf(traits.adapters); });
    }
    for (const DimensionName name :
         {DimensionName::batch, DimensionName::sequence, DimensionName::tokens,
          DimensionName::hidden, DimensionName::feed_forward, DimensionName::heads,
          DimensionName::kv_heads, DimensionName::layers, DimensionName::vocabulary}) {
        rows.add(program::nameOf(name), a, b,
                 [name](const Side& side) { return dimensionText(side, name); });
    }
    rows.add(toSay("steps completed"), a, b,
             [](const Side& side) { return countText(std::ssize(side.labels().steps)); });
    rows.add(toSay("passes per step"), traits_a, traits_b,
             [](const RunTraits& traits) { return countText(traits.passes_per_step); });
    if (traits_a.has_backward || traits_b.has_backward) {
        rows.add(toSay("activations recomputed"), traits_a, traits_b,
                 [](const RunTraits& traits) { return yesNo(traits.makes_again); });
        rows.add(toSay("attention matrices kept"), traits_a, traits_b,
                 [](const RunTraits& traits) { return yesNo(traits.keeps_matrices); });
    }
    rows.add(toSay("compiled"), traits_a, traits_b,
             [](const RunTraits& traits) { return yesNo(traits.is_compiled); });
    rows.add(toSay("ran out of memory"), traits_a, traits_b,
             [](const RunTraits& traits) { return yesNo(traits.died); });
    rows.add(toSay("capacity"), a, b, capacityText);
    rows.add(toSay("device"), a, b, deviceText);
    rows.add(toSay("events recorded"), a, b,
             [](const Side& side) { return formatCount(std::ssize(side.device().events.action)); });
}

} // namespace

std::vector<Setting> allocatorSettings(const trace::Snapshot& a, const trace::Snapshot& b)
{
    Rows rows;
    const trace::AllocatorSettings& of_a = a.settings;
    const trace::AllocatorSettings& of_b = b.settings;
    addTorch(rows, a, b);
    rows.add("PYTORCH_CUDA_ALLOC_CONF", of_a.conf, of_b.conf);
    rows.add("expandable_segments", flagText(of_a.expandable_segments),
             flagText(of_b.expandable_segments));
    rows.add("max_split_size", limitText(of_a.max_split_size_bytes),
             limitText(of_b.max_split_size_bytes));
    rows.add(toSay("garbage_collection_threshold"), of_a, of_b,
             [](const trace::AllocatorSettings& s) {
                 return s.garbage_collection_threshold
                     ? fmt::format("{}", *s.garbage_collection_threshold)
                     : std::string();
             });
    addNamed(rows, "roundup_power2_divisions, MiB ", of_a.roundup_power2_divisions,
             of_b.roundup_power2_divisions, [](std::int64_t value) { return formatCount(value); });
    addNamed(rows, "", of_a.others, of_b.others, [](const std::string& value) { return value; });
    return std::move(rows).take();
}

std::vector<Setting> settingsOf(const Side& a, const RunTraits& traits_a, const Side& b,
                                const RunTraits& traits_b)
{
    Rows rows;
    addRuns(rows, a, traits_a, b, traits_b);
    std::vector<Setting> all = std::move(rows).take();
    std::ranges::move(allocatorSettings(a.snapshot(), b.snapshot()), std::back_inserter(all));
    std::stable_partition(all.begin(), all.end(),
                          [](const Setting& setting) { return setting.differs(); });
    return all;
}

} // namespace tidemark::compare
