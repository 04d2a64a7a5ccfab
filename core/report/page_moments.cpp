// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/language.h"
#include "core/curves/stack_tree.h"
#include "core/diagnose/diagnosis.h"
#include "core/label/modules/details.h"
#include "core/label/stacks/stack_text.h"
#include "core/report/label_row.h"
#include "core/report/page_data.h"
#include "core/report/page_parts.h"
#include "core/report/places.h"
#include "core/report/stacks_report.h"
#include "core/report/summary_facts.h"

#include <algorithm>
#include <map>
#include <utility>

namespace tidemark::report {
namespace {

using diagnose::Analysis;

constexpr std::size_t kMostStackFrames = 64;

struct PageMoment {
    std::string_view id;
    StateId state;
    std::string title;
};

/// The one that the diagnosis is about comes first.
std::vector<PageMoment> momentsOf(const Analysis& analysis, std::size_t device)
{
    const replay::DeviceReplay& replay = analysis.replay->devices[device];
    std::vector<PageMoment> moments;
    if (!replay.ooms.empty()) {
        moments.push_back({"oom", StateId::before(replay.ooms.back()), say("Before the OOM")});
    }
    if (moments.empty() || moments.front().state != replay.peak) {
        moments.push_back({"peak", replay.peak, say("At the peak")});
    }
    const StateId told = analysis.diagnosis->devices[device].moment.state;
    std::stable_partition(moments.begin(), moments.end(),
                          [told](const PageMoment& m) { return m.state == told; });
    return moments;
}

/// The calls with the most bytes; a call stands behind the one that it hangs under.
Json treeJson(const curves::StackTree& tree, TextPool& texts, std::size_t calls)
{
    Json name = Json::array();
    Json under = Json::array();
    Json bytes = Json::array();
    Json count = Json::array();
    Json bucket = Json::array();
    std::string library;
    std::map<std::uint32_t, std::size_t> index;
    for (const std::uint32_t n : largestCalls(tree, calls)) {
        const curves::StackNode& node = tree.nodes[n];
        const auto parent = index.find(node.parent);
        under.push_back(parent == index.end() ? -1 : static_cast<std::int64_t>(parent->second));
        index.emplace(n, name.size());
        name.push_back(texts.add(node.name));
        bytes.push_back(node.bytes);
        count.push_back(node.count);
        bucket.push_back(std::ranges::max_element(node.buckets) - node.buckets.begin());
        library += node.is_library ? '1' : '0';
    }
    const std::size_t left_out = tree.nodes.size() - 1 - name.size();
    return {{"name", std::move(name)},     {"under", std::move(under)},
            {"bytes", std::move(bytes)},   {"count", std::move(count)},
            {"bucket", std::move(bucket)}, {"library", std::move(library)},
            {"left_out", left_out}};
}

Json treesJson(const Analysis& analysis, std::size_t device, StateId state, TextPool& texts,
               std::size_t calls)
{
    Json trees = Json::array();
    for (const bool folds : {true, false}) {
        curves::StackTreeRequest request;
        request.range = {state, state};
        request.folds_libraries = folds;
        trees.push_back(
            treeJson(curves::stackTree(*analysis.snapshot, analysis.replay->devices[device],
                                       analysis.labels->devices[device], request),
                     texts, calls));
    }
    return trees;
}

/// Stacks that allocations share, each once: its lines, those that are the user's own first.
class StackPool {
public:
    StackPool(const trace::Snapshot& snapshot, TextPool& texts)
        : m_snapshot(snapshot)
        , m_texts(texts)
    {
    }
    std::int64_t add(StackId stack)
    {
        if (stack.isNone()) {
            return -1;
        }
        const auto [known, is_new] = m_index.try_emplace(stack, m_json.size());
        if (is_new) {
            m_json.push_back(linesOf(stack));
        }
        return static_cast<std::int64_t>(known->second);
    }
    Json take()
    {
        return std::move(m_json);
    }

private:
    /// [own lines, left out, line, line, …]
    Json linesOf(StackId stack)
    {
        const std::vector<FrameId> frames = label::framesForPeople(m_snapshot, stack);
        const std::size_t shown = std::min(frames.size(), kMostStackFrames);
        const auto own = std::ranges::count_if(
            frames.begin(), frames.begin() + ptrdiff_t(shown), [this](FrameId frame) {
                return label::frameOrigin(m_snapshot, frame) == label::FrameOrigin::user;
            });
        Json lines = Json::array({own, frames.size() - shown});
        for (std::size_t i = 0; i < shown; ++i) {
            lines.push_back(m_texts.add(label::frameText(m_snapshot, frames[i])));
        }
        return lines;
    }

    const trace::Snapshot& m_snapshot;
    TextPool& m_texts;
    std::map<StackId, std::size_t> m_index;
    Json m_json = Json::array();
};

/// What a list says of allocations, column by column.
class AllocationColumns {
public:
    AllocationColumns(const Analysis& analysis, std::size_t device, TextPool& texts)
        : m_analysis(analysis)
        , m_device(device)
        , m_texts(texts)
        , m_places(analysis)
        , m_details(label::findDetails(*analysis.snapshot, *analysis.replay, *analysis.labels,
                                       analysis.programs.get()))
        , m_stacks(*analysis.snapshot, texts)
    {
    }

    void add(AllocationId id, std::uint32_t moments)
    {
        const LabelRow row = labelRow(m_analysis, m_device, id);
        const label::DeviceLabels& labels = m_analysis.labels->devices[m_device];
        const StackId stack = m_analysis.replay->devices[m_device].allocations.stack[id.index()];
        const Place& place = m_places.of(m_device, id);
        put("size", row.requested.value);
        put("bucket", label::indexOf(labels.bucket[id.index()]));
        put("made", row.alloc_event.value_or(-1));
        put("gone", row.free_event.value_or(-1));
        put("at", moments);
        put("sure", row.confidence);
        put("where", m_texts.add(place.text));
        put("caller", m_texts.add(place.caller));
        put("role", m_texts.add(label::roleWords(labels.role[id.index()])));
        put("what", m_texts.add(label::operationText(*m_analysis.snapshot, stack)));
        put("module", m_texts.add(m_details.moduleText(m_device, id)));
        put("reason", m_texts.add(row.why()));
        put("stack", m_stacks.add(stack));
    }
    Json take()
    {
        for (const char* name : {"size", "bucket", "made", "gone", "at", "sure", "where", "caller",
                                 "role", "what", "module", "reason", "stack"}) {
            if (!m_columns.contains(name)) {
                m_columns[name] = Json::array();
            }
        }
        m_columns["stacks"] = m_stacks.take();
        return std::move(m_columns);
    }

private:
    template <class Value>
    void put(const char* name, Value value)
    {
        m_columns[name].push_back(value);
    }

    const Analysis& m_analysis;
    std::size_t m_device;
    TextPool& m_texts;
    Places m_places;
    label::Details m_details;
    StackPool m_stacks;
    Json m_columns = Json::object();
};

} // namespace

std::size_t TextPool::add(std::string_view text)
{
    const auto [known, is_new] = m_index.try_emplace(visibleText(text), m_texts.size());
    if (is_new) {
        m_texts.push_back(known->first);
    }
    return known->second;
}

void addMoments(Json& page, const Analysis& analysis, std::size_t device, TextPool& texts,
                const ListLimits& limits)
{
    const replay::DeviceReplay& replay = analysis.replay->devices[device];
    Json moments = Json::array();
    std::map<AllocationId, std::uint32_t> listed; // with the moments of which it is one
    std::uint32_t bit = 1;
    for (const PageMoment& moment : momentsOf(analysis, device)) {
        const std::vector<AllocationId> live = replay::liveAt(replay, moment.state);
        const std::size_t shown = std::min(live.size(), limits.allocations);
        Bytes left_out{};
        for (std::size_t i = 0; i < live.size(); ++i) {
            if (i < shown) {
                listed[live[i]] |= bit;
            } else {
                left_out += replay.allocations.requested[live[i].index()];
            }
        }
        moments.push_back(
            {{"id", moment.id},
             {"title", moment.title},
             {"when", momentText(analysis, device, moment.state)},
             {"state", moment.state.value},
             {"bytes", replay.activeAt(moment.state).value},
             {"count", live.size()},
             {"left_out", live.size() - shown},
             {"left_out_bytes", left_out.value},
             {"trees", treesJson(analysis, device, moment.state, texts, limits.calls)}});
        bit <<= 1U;
    }
    AllocationColumns columns(analysis, device, texts);
    for (const auto& [id, at] : listed) {
        columns.add(id, at);
    }
    page["moments"] = std::move(moments);
    page["allocations"] = columns.take();
}

} // namespace tidemark::report
