// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/stacks/stated_kinds.h"

#include "core/base/ascii.h"
#include "resources/rules/stated_names.json.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <unordered_map>

namespace tidemark::label {
namespace {

StackKind kindFromName(const std::string& name)
{
    if (name == "optimizer") {
        return StackKind::optimizer;
    }
    if (name == "data") {
        return StackKind::data;
    }
    if (name == "forward") {
        return StackKind::forward;
    }
    if (name == "backward") {
        return StackKind::backward;
    }
    throw std::logic_error("stated_names.json names an unknown kind: " + name);
}

/// The names and what they stand for; read once.
struct StatedNames {
    std::vector<std::pair<std::string, StackKind>> annotations;
    std::vector<std::pair<std::string, Bucket>> metadata;

    StatedNames()
    {
        const auto doc = nlohmann::json::parse(resources::statedNamesJson());
        for (const auto& rule : doc.at("annotations")) {
            annotations.emplace_back(rule.at("name").get<std::string>(),
                                     kindFromName(rule.at("kind").get<std::string>()));
        }
        for (const auto& rule : doc.at("metadata")) {
            const auto bucket = bucketFromId(rule.at("bucket").get<std::string>());
            metadata.emplace_back(rule.at("has").get<std::string>(), bucket.value());
        }
    }
    static const StatedNames& builtin()
    {
        static const StatedNames names;
        return names;
    }
};

/// The scopes that are open while one walks along their ends; the innermost that tells decides.
/// Each end O(1), however deep they lie in each other.
class OpenScopes {
public:
    explicit OpenScopes(const trace::Snapshot& snapshot)
        : m_snapshot(snapshot)
    {
    }
    void pass(StringId name, bool is_start)
    {
        std::vector<std::size_t>& of_name = m_open[name];
        if (is_start) {
            of_name.push_back(m_is_open.size());
            if (const StackKind kind = kindOf(name); kind != StackKind::none) {
                m_telling.emplace_back(m_is_open.size(), kind);
            }
            m_is_open.push_back(true);
        } else if (!of_name.empty()) { // An end without a beginning says nothing.
            m_is_open[of_name.back()] = false;
            of_name.pop_back();
        }
        while (!m_telling.empty() && !m_is_open[m_telling.back().first]) {
            m_telling.pop_back();
        }
    }
    [[nodiscard]] StackKind kind() const
    {
        return m_telling.empty() ? StackKind::none : m_telling.back().second;
    }

private:
    StackKind kindOf(StringId name)
    {
        const auto [known, is_new] = m_known.try_emplace(name, StackKind::none);
        if (is_new) {
            known->second = kindOfAnnotation(m_snapshot.text(name)).value_or(StackKind::none);
        }
        return known->second;
    }

    const trace::Snapshot& m_snapshot;
    std::vector<bool> m_is_open; ///< Of every scope that began, in that order.
    std::unordered_map<StringId, std::vector<std::size_t>> m_open; ///< By name, innermost last.
    /// Those that tell; some that are not the last may be over.
    std::vector<std::pair<std::size_t, StackKind>> m_telling;
    std::unordered_map<StringId, StackKind> m_known;
};

template <class Place>
StackKind kindAt(const std::vector<std::pair<Place, StackKind>>& changes, Place place)
{
    const auto after =
        std::ranges::upper_bound(changes, place, {}, &std::pair<Place, StackKind>::first);
    return after == changes.begin() ? StackKind::none : std::prev(after)->second;
}

} // namespace

std::optional<StackKind> kindOfAnnotation(std::string_view name)
{
    constexpr std::string_view kFrills = "# \t";
    const std::size_t begin = name.find_first_not_of(kFrills);
    if (begin == std::string_view::npos) {
        return std::nullopt;
    }
    const std::string plain =
        lowered(name.substr(begin, name.find_last_not_of(kFrills) + 1 - begin));
    const auto& rules = StatedNames::builtin().annotations;
    const auto rule =
        std::ranges::find_if(rules, [&](const auto& r) { return matchesPattern(r.first, plain); });
    return rule == rules.end() ? std::nullopt : std::optional(rule->second);
}

std::optional<Bucket> bucketOfMetadata(std::string_view text)
{
    const std::string lower = lowered(text);
    const auto& rules = StatedNames::builtin().metadata;
    const auto rule = std::ranges::find_if(
        rules, [&](const auto& r) { return lower.find(r.first) != std::string::npos; });
    return rule == rules.end() ? std::nullopt : std::optional(rule->second);
}

void forEachAttachedText(const trace::Device& device, const replay::DeviceReplay& replay,
                         const std::function<void(AllocationId, StringId)>& visit)
{
    const trace::Events& events = device.events;
    const replay::Allocations& all = replay.allocations;
    if (events.user_metadata.empty()) {
        return;
    }
    std::map<Address, AllocationId> live;
    for (std::size_t i = 0; i < all.count() && all.begin[i] == StateId::start(); ++i) {
        live[all.address[i]] = AllocationId(i);
    }
    for (std::size_t e = 0; e < events.count(); ++e) {
        const AllocationId own = replay.event_allocation[e];
        const StringId text = events.user_metadata[e];
        if (events.action[e] == trace::Action::alloc && !own.isNone()) {
            live[events.address[e]] = own;
            if (!text.isNone()) {
                visit(own, text);
            }
        } else if (events.action[e] == trace::Action::annotate && !text.isNone()) {
            const auto it = live.find(events.address[e]);
            if (it != live.end() && all.isLive(it->second, StateId::after(EventId(e)))) {
                visit(it->second, text);
            }
        }
    }
}

StatedTimes::StatedTimes(const trace::Snapshot& snapshot)
{
    OpenScopes scopes(snapshot);
    std::vector<trace::Annotation> ends = snapshot.annotations;
    std::ranges::stable_sort(ends, {}, &trace::Annotation::time);
    m_changes.reserve(ends.size());
    for (const trace::Annotation& end : ends) {
        scopes.pass(end.name, end.is_start);
        m_changes.emplace_back(end.time, scopes.kind());
    }
}

StackKind StatedTimes::at(TimePoint time) const
{
    return kindAt(m_changes, time);
}

StatedKinds::StatedKinds(const trace::Snapshot& snapshot, const trace::Device& device,
                         const StatedTimes& times)
    : m_events(device.events)
    , m_times(times)
{
    OpenScopes markers(snapshot); // Of mid-2024 builds: one frame, the file being the name.
    for (std::size_t i = 0; i < m_events.count(); ++i) {
        if (m_events.action[i] != trace::Action::user_defined || m_events.stack[i].isNone()) {
            continue;
        }
        const auto frames = snapshot.stacks.frames(m_events.stack[i]);
        if (!frames.empty()) {
            const Frame& frame = snapshot.stacks.frame(frames.front());
            markers.pass(frame.filename, snapshot.text(frame.name) != "END");
            m_by_event.emplace_back(EventId(i), markers.kind());
        }
    }
}

StackKind StatedKinds::at(EventId event) const
{
    if (!m_events.forward_frames.empty() && !m_events.forward_frames[event.index()].isNone()) {
        return StackKind::backward;
    }
    const StackKind marked = m_by_event.empty() ? StackKind::none : kindAt(m_by_event, event);
    if (marked != StackKind::none || !m_events.hasTimes()) {
        return marked;
    }
    return m_times.at(m_events.time[event.index()]);
}

} // namespace tidemark::label
