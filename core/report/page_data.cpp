// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/report/page_data.h"

#include "core/base/digest.h"
#include "core/base/language.h"
#include "core/diagnose/diagnosis.h"
#include "core/projection/shared_axis.h"
#include "core/projection/timeline_shapes.h"
#include "core/report/colours.h"
#include "core/report/job_curves.h"
#include "core/report/job_parts.h"
#include "core/report/page_columns.h"
#include "core/report/page_parts.h"
#include "core/report/summary_facts.h"
#include "core/report/svg_timeline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <span>
#include <utility>

namespace tidemark::report {
namespace {

using diagnose::Analysis;

constexpr std::size_t kMostPhases = 8'000;
constexpr std::size_t kMostOoms = 500; ///< The last ones; the page looks at each with each.
constexpr int kJobColumns = 1'200;

Json pageOf(std::string_view kind, Interval<double> extent, std::string_view unit)
{
    Json buckets = Json::array();
    for (std::size_t i = 0; i < label::kBucketCount; ++i) {
        const label::Bucket bucket = label::bucketAt(i);
        buckets.push_back({{"id", label::bucketId(bucket)},
                           {"name", label::bucketName(bucket)},
                           {"what", translated(label::infoOf(bucket).what)},
                           {"colour", bucketColour(bucket)}});
    }
    Json phases = Json::array();
    for (const label::PhaseInfo& info : label::kPhases) {
        phases.push_back({{"name", label::phaseNoun(info.phase)}, {"colour", info.colour}});
    }
    return {
        {"version", 1},
        {"kind", kind},
        {"axis", unit},
        {"extent", {std::llround(extent.begin), std::llround(extent.end)}},
        {"marks", {std::string(1, language().decimal_mark), std::string(1, language().group_mark)}},
        {"buckets", std::move(buckets)},
        {"phases", std::move(phases)},
        {"words", pageWords()}};
}

/// When the columns begin, in microseconds after the first event; nothing in a file without times.
void addTimes(Json& lane, const PageColumns& columns, const trace::Device& device)
{
    if (!projection::AxisMap::hasTimes(device) || device.events.count() == 0) {
        return;
    }
    const projection::AxisMap clock(device, projection::Axis::time);
    std::vector<std::int64_t> times;
    times.reserve(columns.positions.size() + 1);
    for (const std::int64_t position : columns.positions) {
        times.push_back(std::llround(clock.toX(StateId{static_cast<std::uint32_t>(position)})));
    }
    times.push_back(std::llround(clock.extent().end));
    lane["times"] = base64(packedRises(times));
}

void addColumns(Json& lane, const PageColumns& columns)
{
    lane["columns"] = columns.count;
    lane["packed"] = base64(columns.bytes);
    lane["stride"] = columns.stride;
    Json exact = Json::array();
    for (const Interval<std::int64_t>& part : columns.exact) {
        exact.push_back({part.begin, part.end});
    }
    lane["exact"] = std::move(exact);
}

/// [phase, first x, end x, step], one after another; of very many spans those of 8,000 columns.
Json phasesJson(const label::DeviceLabels& labels, const projection::AxisMap& axis,
                Interval<double> extent)
{
    Json spans = Json::array();
    if (labels.phases.size() <= kMostPhases) {
        for (const label::PhaseSpan& span : labels.phases) {
            spans.insert(
                spans.end(),
                {static_cast<int>(span.phase), std::llround(axis.toX(StateId::before(span.first))),
                 std::llround(axis.toX(StateId::before(span.end))), labels.numbers.of(span.step)});
        }
        return spans;
    }
    const double width = (extent.end - extent.begin) / static_cast<double>(kMostPhases);
    const auto at = [&](std::size_t column) {
        return std::llround(extent.begin + width * static_cast<double>(column));
    };
    for (const projection::PhaseInterval& part :
         phaseIntervals(labels, axis, extent, kMostPhases)) {
        spans.insert(spans.end(), {static_cast<int>(part.phase), at(part.begin), at(part.end), 0});
    }
    return spans;
}

Json laneJson(const Analysis& analysis, std::size_t device, const projection::AxisMap& axis,
              Interval<double> extent, const ColumnLimits& limits = {})
{
    const replay::DeviceReplay& replay = analysis.replay->devices[device];
    const trace::Events& events = analysis.snapshot->devices[device].events;
    const diagnose::DeviceDiagnosis& diagnosis = analysis.diagnosis->devices[device];
    const label::DeviceLabels& labels = analysis.labels->devices[device];
    std::vector<double> near{axis.toX(replay.peak)};
    Json ooms = Json::array();
    for (const EventId oom : std::span(replay.ooms).last(std::min(replay.ooms.size(), kMostOoms))) {
        const StateId state = StateId::before(oom);
        ooms.push_back({{"x", axis.toX(state)},
                        {"state", state.value},
                        {"asked", events.size[oom.index()].value},
                        {"free", nullptr},
                        {"phase", phaseText(labels, StateId::after(oom))}});
        if (const auto free = events.deviceFree(oom)) {
            ooms.back()["free"] = free->value;
        }
    }
    if (!replay.ooms.empty()) {
        near.push_back(axis.toX(StateId::before(replay.ooms.back())));
    }
    Json lane{{"name", analysis.file.filename().string()},
              {"words", timelineSentence(analysis, device)},
              {"top", timelineTop(analysis, device).value},
              {"capacity", nullptr},
              {"peak",
               {{"x", axis.toX(replay.peak)},
                {"state", replay.peak.value},
                {"bytes", replay.activeAt(replay.peak).value}}},
              {"ooms", std::move(ooms)},
              {"phases", phasesJson(labels, axis, extent)}};
    if (diagnosis.capacity) {
        lane["capacity"] = diagnosis.capacity->value;
    }
    const PageColumns columns =
        pageColumns(analysis.curves->devices[device], axis, extent, near, limits);
    addColumns(lane, columns);
    if (axis.axis() == projection::Axis::event) {
        addTimes(lane, columns, analysis.snapshot->devices[device]);
    }
    return lane;
}

/// From the first state to behind the last one.
Interval<double> extentOf(const projection::AxisMap& axis)
{
    return {std::floor(axis.extent().begin), std::ceil(axis.extent().end) + 1};
}

/// The other devices with memory, the highest peaks first; together about as much as the main one.
void addOthers(Json& page, const Analysis& analysis, std::size_t main, TextPool& texts)
{
    std::vector<std::size_t> others;
    for (std::size_t d = 0; d < analysis.diagnosis->devices.size(); ++d) {
        if (d != main && !analysis.snapshot->devices[d].isEmpty()) {
            others.push_back(d);
        }
    }
    if (others.empty()) {
        return;
    }
    const auto peakOf = [&](std::size_t d) {
        return analysis.replay->devices[d].activeAt(analysis.replay->devices[d].peak);
    };
    std::ranges::stable_sort(others,
                             [&](std::size_t a, std::size_t b) { return peakOf(b) < peakOf(a); });
    const std::size_t shown = std::min(others.size(), kPageDevices - 1);
    const auto share = static_cast<std::int64_t>(shown + 1);
    const ColumnLimits columns{ColumnLimits().most_exact / 2 / share, ColumnLimits().coarse / share,
                               ColumnLimits().exact_around / share};
    const ListLimits lists{kPageAllocations / 2 / (shown + 1), kPageCalls / 2 / (shown + 1)};
    page["device"] = deviceName(analysis.snapshot->devices[main]);
    page["devices_left_out"] = others.size() - shown;
    page["devices"] = Json::array();
    for (std::size_t i = 0; i < shown; ++i) {
        const trace::Device& source = analysis.snapshot->devices[others[i]];
        const projection::AxisMap axis(source, projection::Axis::event);
        const Interval<double> extent = extentOf(axis);
        Json device{{"device", deviceName(source)},
                    {"extent", {std::llround(extent.begin), std::llround(extent.end)}},
                    {"lanes", Json::array({laneJson(analysis, others[i], axis, extent, columns)})}};
        addMoments(device, analysis, others[i], texts, lists);
        page["devices"].push_back(std::move(device));
    }
}

std::string written(Json page, const TextPool& texts)
{
    page["texts"] = texts.texts();
    return toString(page);
}

} // namespace

std::string pageData(const Analysis& analysis)
{
    if (analysis.deviceCount() == 0) {
        return {};
    }
    const std::size_t device = analysis.mainDevice();
    const trace::Device& source = analysis.snapshot->devices[device];
    if (source.isEmpty() || device >= analysis.diagnosis->devices.size()) {
        return {};
    }
    const projection::AxisMap axis(source, projection::Axis::event);
    Json page = pageOf("run", extentOf(axis), "event");
    page["lanes"] = Json::array({laneJson(analysis, device, axis, extentOf(axis))});
    TextPool texts;
    addMoments(page, analysis, device, texts);
    addOthers(page, analysis, device, texts);
    return written(std::move(page), texts);
}

std::string pageData(const Analysis& a, const Analysis& b, const compare::Difference& difference,
                     const Letters& letters)
{
    const std::array<const Analysis*, 2> runs{&a, &b};
    const std::array devices{difference.headline.device_a, difference.headline.device_b};
    std::vector<std::pair<StateId, StateId>> matched;
    for (const compare::MatchedMoment& moment : difference.moments) {
        matched.emplace_back(moment.a, moment.b);
    }
    const projection::SharedAxis shared =
        projection::shareAxis(matched, a.replay->devices[devices[0]].lastState(),
                              b.replay->devices[devices[1]].lastState());
    const std::array axes{projection::AxisMap(a.snapshot->devices[devices[0]], shared.a),
                          projection::AxisMap(b.snapshot->devices[devices[1]], shared.b)};
    const Interval<double> extent{std::min(extentOf(axes[0]).begin, extentOf(axes[1]).begin),
                                  std::max(extentOf(axes[0]).end, extentOf(axes[1]).end)};
    Json page = pageOf("pair", extent, "shared");
    page["lanes"] = Json::array();
    for (std::size_t i = 0; i < runs.size(); ++i) {
        Json lane = laneJson(*runs[i], devices[i], axes[i], extent);
        lane["letter"] = letters[i];
        lane["colour"] = runColour(i);
        page["lanes"].push_back(std::move(lane));
    }
    return written(std::move(page), {});
}

std::string pageData(const job::Job& job)
{
    const std::vector<std::size_t> rows = drawnRows(job);
    if (rows.empty()) {
        return {};
    }
    const JobAxis axis = jobAxis(job, rows);
    Json page = pageOf("job", {0, kJobColumns}, axis.is_time ? "time" : "event");
    page["ends"] = {axis.beginText(), axis.endText()};
    page["length"] = std::llround(axis.extent.end - axis.extent.begin);
    page["lanes"] = Json::array();
    for (const std::size_t index : rows) {
        const job::RankSummary& row = job.rows[index];
        PageColumns columns;
        ColumnPacker packer;
        std::int64_t position = 0;
        for (const projection::TimelineColumn& column : columnsOf(row, axis, kJobColumns)) {
            packer.add(position++, column);
        }
        columns.bytes = packer.packed();
        columns.count = packer.count();
        Json lane{{"name", rankName(job, index)},
                  {"words", row.failure},
                  {"top", axis.top.value},
                  {"capacity", nullptr},
                  {"peak", {{"bytes", row.peak.value}}},
                  {"is_median", job.median == index},
                  {"is_first", job.first && job.first->row == index && !job.first->others.empty()},
                  {"ooms", Json::array()},
                  {"phases", Json::array()}};
        if (row.capacity) {
            lane["capacity"] = row.capacity->value;
        }
        if (const std::optional<double> at = oomAt(row, axis)) {
            lane["ooms"].push_back({{"x", *at * kJobColumns},
                                    {"asked", row.oom->requested.value},
                                    {"free", nullptr},
                                    {"phase", ""}});
        }
        addColumns(lane, columns);
        page["lanes"].push_back(std::move(lane));
    }
    return written(std::move(page), {});
}

} // namespace tidemark::report
