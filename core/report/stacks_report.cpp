// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/report/stacks_report.h"

#include "core/base/format.h"
#include "core/base/language.h"
#include "core/report/json_parts.h"
#include "core/report/summary_facts.h"
#include "core/report/text_tools.h"

#include <fmt/format.h>

#include <queue>

#include <algorithm>
#include <map>

namespace tidemark::report {
namespace {

using curves::StackMeasure;
using curves::StackNode;
using curves::StackTree;
using diagnose::Analysis;

std::string_view measureId(StackMeasure measure)
{
    switch (measure) {
    case StackMeasure::live:
        return "live";
    case StackMeasure::allocated:
        return "allocated";
    case StackMeasure::kept:
        return "kept";
    case StackMeasure::grown:
        return "grown";
    }
    return "";
}

std::string rangeText(const Analysis& analysis, const DeviceStacks& one, StackMeasure measure)
{
    const std::string last = momentText(analysis, one.device, one.range.end);
    const std::string first = momentText(analysis, one.device, one.range.begin);
    switch (measure) {
    case StackMeasure::live:
        return say("live at {}", last);
    case StackMeasure::allocated:
        return say("allocated from {} to {}", first, last);
    case StackMeasure::kept:
        return say("allocated from {} to {} and kept", first, last);
    case StackMeasure::grown:
        return say("grown from {} to {}", first, last);
    }
    return {};
}

} // namespace

std::vector<std::uint32_t> largestCalls(const StackTree& tree, std::size_t top)
{
    const auto is_smaller = [&tree](std::uint32_t a, std::uint32_t b) {
        return tree.nodes[a].bytes != tree.nodes[b].bytes
            ? tree.nodes[a].bytes < tree.nodes[b].bytes
            : a > b;
    };
    std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, decltype(is_smaller)> open(
        is_smaller, tree.nodes[0].children);
    std::vector<bool> is_taken(tree.nodes.size());
    for (std::size_t taken = 0; taken < top && !open.empty(); ++taken) {
        const std::uint32_t node = open.top();
        open.pop();
        is_taken[node] = true;
        for (const std::uint32_t child : tree.nodes[node].children) {
            open.push(child);
        }
    }
    std::vector<std::uint32_t> order;
    std::vector<std::uint32_t> ahead(tree.nodes[0].children.rbegin(),
                                     tree.nodes[0].children.rend());
    while (!ahead.empty()) {
        const std::uint32_t node = ahead.back();
        ahead.pop_back();
        if (is_taken[node]) {
            order.push_back(node);
            ahead.insert(ahead.end(), tree.nodes[node].children.rbegin(),
                         tree.nodes[node].children.rend());
        }
    }
    return order;
}

Result<std::vector<DeviceStacks>> stackTrees(const Analysis& analysis, const StacksQuery& query)
{
    const auto devices = chosenDevices(analysis, query.device);
    if (!devices.has_value()) {
        return devices.error();
    }
    std::vector<DeviceStacks> stacks;
    std::vector<std::size_t> looked;
    for (const std::size_t d : devices.value()) {
        if (!query.device && analysis.snapshot->devices[d].isEmpty()) {
            continue;
        }
        looked.push_back(d);
        const replay::DeviceReplay& replay = analysis.replay->devices[d];
        const auto last = stateAt(replay, query.at);
        const auto first =
            query.request.measure == StackMeasure::live ? last : stateAt(replay, query.from);
        if (!last || !first) {
            continue;
        }
        if (*last < *first) {
            return Error{ErrorCode::badArgument,
                         say("--from is after --at; give the earlier moment first."),
                         {}};
        }
        curves::StackTreeRequest request = query.request;
        request.range = {*first, *last};
        stacks.push_back(
            {d, request.range,
             curves::stackTree(*analysis.snapshot, replay, analysis.labels->devices[d], request)});
    }
    if (stacks.empty() && !looked.empty()) {
        const bool has_last = std::ranges::any_of(looked, [&](std::size_t d) {
            return stateAt(analysis.replay->devices[d], query.at).has_value();
        });
        return noSuchMoment(analysis, looked, has_last ? query.from : query.at);
    }
    return stacks;
}

Json stacksJson(const Analysis& analysis, const std::vector<DeviceStacks>& stacks,
                const StacksQuery& query)
{
    Json devices = Json::array();
    for (const DeviceStacks& one : stacks) {
        Json calls = Json::array();
        std::map<std::uint32_t, std::size_t> index;
        for (const std::uint32_t n : largestCalls(one.tree, query.top)) {
            const StackNode& node = one.tree.nodes[n];
            index.emplace(n, calls.size());
            const auto parent = index.find(node.parent);
            calls.push_back(
                {{"name", node.name},
                 {"under", parent == index.end() ? Json(nullptr) : Json(parent->second)},
                 {"bytes", node.bytes},
                 {"count", node.count},
                 {"is_library", node.is_library},
                 {"buckets", bucketsJson(node.buckets)}});
        }
        devices.push_back({{"device", analysis.snapshot->devices[one.device].index},
                           {"measure", measureId(query.request.measure)},
                           {"from_event", one.range.begin.eventNumber()},
                           {"event", one.range.end.eventNumber()},
                           {"bytes", one.tree.nodes[0].bytes},
                           {"count", one.tree.nodes[0].count},
                           {"calls_found", one.tree.nodes.size() - 1},
                           {"calls", std::move(calls)}});
    }
    return {{"file", fileJson(analysis)}, {"devices", std::move(devices)}};
}

Document stacksDocument(const Analysis& analysis, const std::vector<DeviceStacks>& stacks,
                        const StacksQuery& query)
{
    Document document{analysis.file.filename().string(), {}};
    for (const DeviceStacks& one : stacks) {
        const StackTree& tree = one.tree;
        Section section{deviceName(analysis.snapshot->devices[one.device]), {}};
        section.blocks.emplace_back(Paragraph{
            say("{} in {} allocations, {}", Bytes{tree.nodes[0].bytes},
                formatCount(tree.nodes[0].count), rangeText(analysis, one, query.request.measure)),
            Emphasis::lead});
        std::vector<std::size_t> depth(tree.nodes.size());
        Code lines;
        const auto all = static_cast<double>(std::max<std::int64_t>(1, tree.nodes[0].bytes));
        const std::vector<std::uint32_t> calls = largestCalls(tree, query.top);
        for (const std::uint32_t n : calls) {
            const StackNode& node = tree.nodes[n];
            depth[n] = node.parent == 0 ? 0 : depth[node.parent] + 1;
            // Recursions would run out of the page.
            const std::size_t indent = 2 * std::min<std::size_t>(depth[n], 24);
            lines.lines.push_back(fmt::format(
                "{:>5}  {:>10}  {}{}", formatPercent(static_cast<double>(node.bytes) / all),
                formatBytes({node.bytes}), std::string(indent, ' '), visibleText(node.name)));
        }
        if (!lines.lines.empty()) {
            section.blocks.emplace_back(std::move(lines));
        }
        if (calls.size() + 1 < tree.nodes.size()) {
            section.blocks.emplace_back(Paragraph{
                say("{} smaller calls are not shown; raise --top.",
                    formatCount(static_cast<std::int64_t>(tree.nodes.size() - 1 - calls.size()))),
                Emphasis::quiet});
        }
        document.sections.push_back(std::move(section));
    }
    return document;
}

std::string visibleLines(std::string_view lines)
{
    std::string text;
    for (std::size_t begin = 0; begin < lines.size();) {
        const std::size_t end = std::min(lines.find('\n', begin), lines.size());
        text += visibleText(lines.substr(begin, end - begin)) + '\n';
        begin = end + 1;
    }
    return text;
}

} // namespace tidemark::report
