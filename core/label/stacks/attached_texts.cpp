// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/stacks/attached_texts.h"

#include "core/base/json_depth.h"
#include "core/base/short_text.h"
#include "core/label/stacks/stated_kinds.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace tidemark::label {
namespace {

constexpr std::string_view kOfCapture = "tidemark:";
/// Longer ones are no notes, and are not taken apart.
constexpr std::size_t kLongestNote = 4000;

} // namespace

AttachedTexts::AttachedTexts(const trace::Snapshot& snapshot, const trace::Device& device,
                             const replay::DeviceReplay& replay)
{
    std::vector<std::pair<AllocationId, StringId>> found;
    forEachAttachedText(device, replay, [&](AllocationId a, StringId text) {
        if (!snapshot.text(text).starts_with(kOfCapture)) {
            found.emplace_back(a, text);
        }
    });
    std::ranges::stable_sort(found, {}, &std::pair<AllocationId, StringId>::first);
    for (const auto& [allocation, text] : found) {
        m_allocations.push_back(allocation);
        m_texts.push_back(text);
    }
}

std::span<const StringId> AttachedTexts::of(AllocationId allocation) const
{
    const auto [first, end] = // clang 14 does not take that of std::ranges.
        std::equal_range(m_allocations.begin(), m_allocations.end(), allocation);
    return std::span(m_texts).subspan(static_cast<std::size_t>(first - m_allocations.begin()),
                                      static_cast<std::size_t>(end - first));
}

std::string AttachedTexts::wordsOf(AllocationId allocation, const trace::Snapshot& snapshot) const
{
    std::string words;
    for (const StringId text : of(allocation)) {
        words += (words.empty() ? "" : "; ") + attachedWords(snapshot.text(text));
    }
    return words;
}

std::string attachedWords(std::string_view text)
{
    using Json = nlohmann::ordered_json;
    if (!text.starts_with('{') || text.size() > kLongestNote) {
        return shortName(text);
    }
    Json note;
    try {
        note = Json::parse(text, limitJsonDepth);
    } catch (const std::exception&) {
        return shortName(text); // Braces alone make no dictionary.
    }
    std::string words;
    for (const auto& [key, value] : note.items()) {
        words += (words.empty() ? "" : ", ") + key + ": "
            + (value.is_string() ? value.get<std::string>()
                                 : value.dump(-1, ' ', false, Json::error_handler_t::replace));
    }
    return words;
}

} // namespace tidemark::label
