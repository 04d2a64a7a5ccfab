// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/job/summary_json.h"

#include "core/base/json_depth.h"
#include "core/base/json_optional.h"
#include "core/base/language.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

namespace tidemark::job {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::pair<DumpKind, std::string_view>, 3> kKinds{
    {{DumpKind::periodic, "periodic"}, {DumpKind::exit, "exit"}, {DumpKind::oom, "oom"}}};

Json toJson(const label::BucketBytes& bytes)
{
    Json json = Json::object();
    for (std::size_t b = 0; b < label::kBucketCount; ++b) {
        if (bytes[b] != 0) {
            json[std::string(label::bucketId(static_cast<label::Bucket>(b)))] = bytes[b];
        }
    }
    return json;
}

Json toJson(const DumpMoment& moment)
{
    const auto* const kind =
        std::ranges::find(kKinds, moment.kind, &decltype(kKinds)::value_type::first);
    return {{"step", orNull(moment.step)}, {"kind", kind->second}, {"words", moment.words}};
}

Json toJson(const RankOom& oom)
{
    return {{"event", oom.event},
            {"time_us", orNull(oom.time)},
            {"requested_bytes", oom.requested.value},
            {"device_free_bytes", orNull(oom.device_free)},
            {"active_bytes", oom.active.value},
            {"reserved_bytes", oom.reserved.value},
            {"phase", oom.phase},
            {"step", oom.step},
            {"stated_step", orNull(oom.stated_step)},
            {"went_on", oom.went_on}};
}

/// A list per column: a third of the bytes that an object per point takes.
Json toJson(const RankCurve& curve)
{
    Json events = Json::array();
    Json times = Json::array();
    Json reserved = Json::array();
    Json buckets = Json::object();
    for (std::size_t b = 0; b < label::kBucketCount; ++b) {
        const auto holds = [b](const RankCurve::Point& point) { return point.buckets[b] != 0; };
        if (std::ranges::any_of(curve.points, holds)) {
            Json& column = buckets[std::string(label::bucketId(static_cast<label::Bucket>(b)))];
            for (const RankCurve::Point& point : curve.points) {
                column.push_back(point.buckets[b]);
            }
        }
    }
    for (const RankCurve::Point& point : curve.points) {
        events.push_back(point.event);
        times.push_back(orNull(point.time));
        reserved.push_back(point.reserved.value);
    }
    return {{"events", std::move(events)},
            {"times_us", std::move(times)},
            {"reserved_bytes", std::move(reserved)},
            {"buckets", std::move(buckets)}};
}

Json toJson(const std::vector<PlaceBytes>& places)
{
    Json json = Json::array();
    for (const PlaceBytes& place : places) {
        json.push_back({place.line, place.operation, label::bucketId(place.bucket),
                        place.bytes.value, place.count});
    }
    return json;
}

// Reading: what is missing, of another kind or impossible is as if it were not said.

const Json* find(const Json& object, std::string_view key)
{
    const auto it = object.is_object() ? object.find(key) : object.end();
    return it == object.end() || it->is_null() ? nullptr : &*it;
}

/// More than any figure of a job, 256 TiB: so the sums of many ranks hold.
constexpr std::int64_t kMostFigure = std::int64_t{1} << 48;
/// The same of a time, in microseconds: the year 2112.
constexpr std::int64_t kMostTime = std::int64_t{1} << 52;

/// From −1 on, which is the start of a trace or the host.
std::optional<std::int64_t> numberUpTo(std::int64_t most, const Json* json)
{
    if (json == nullptr || !json->is_number_integer()) {
        return std::nullopt;
    }
    if (json->is_number_unsigned() && !std::in_range<std::int64_t>(json->get<std::uint64_t>())) {
        return std::nullopt;
    }
    const auto value = json->get<std::int64_t>();
    return value >= -1 && value <= most ? std::optional(value) : std::nullopt;
}

std::int64_t integer(const Json* json)
{
    return numberUpTo(kMostFigure, json).value_or(0);
}

template <class T>
std::optional<T> optionalNumber(const Json* json)
{
    const auto value = numberUpTo(kMostFigure, json);
    return value && std::in_range<T>(*value) ? std::optional(static_cast<T>(*value)) : std::nullopt;
}

std::optional<Bytes> optionalBytes(const Json* json)
{
    const auto bytes = optionalNumber<std::int64_t>(json);
    return bytes ? std::optional(Bytes{*bytes}) : std::nullopt;
}

std::optional<TimePoint> optionalTime(const Json* json)
{
    const auto time = numberUpTo(kMostTime, json);
    return time ? std::optional(TimePoint{Duration{*time}}) : std::nullopt;
}

std::string text(const Json* json)
{
    return json != nullptr && json->is_string() ? json->get<std::string>() : std::string();
}

label::BucketBytes bucketBytes(const Json* json)
{
    label::BucketBytes bytes{};
    if (json != nullptr && json->is_object()) {
        for (const auto& [id, value] : json->items()) {
            if (const auto bucket = label::bucketFromId(id)) {
                bytes[label::indexOf(*bucket)] = integer(&value);
            }
        }
    }
    return bytes;
}

DumpMoment moment(const Json* json)
{
    DumpMoment moment;
    if (json != nullptr) {
        moment.step = optionalNumber<std::int64_t>(find(*json, "step"));
        const std::string kind = text(find(*json, "kind"));
        const auto* const known =
            std::ranges::find(kKinds, kind, &decltype(kKinds)::value_type::second);
        moment.kind = known == kKinds.end() ? DumpKind::periodic : known->first;
        moment.words = text(find(*json, "words"));
    }
    return moment;
}

RankOom oomOf(const Json& json)
{
    RankOom oom;
    oom.event = integer(find(json, "event"));
    oom.time = optionalTime(find(json, "time_us"));
    oom.requested = Bytes{integer(find(json, "requested_bytes"))};
    oom.device_free = optionalBytes(find(json, "device_free_bytes"));
    const Json* const active = find(json, "active_bytes");
    oom.active = Bytes{integer(active != nullptr ? active : find(json, "requested_total_bytes"))};
    oom.reserved = Bytes{integer(find(json, "reserved_bytes"))};
    oom.phase = text(find(json, "phase"));
    oom.step = optionalNumber<std::uint32_t>(find(json, "step")).value_or(0);
    oom.stated_step = optionalNumber<std::int64_t>(find(json, "stated_step"));
    oom.went_on = find(json, "went_on") != nullptr && *find(json, "went_on") == true;
    return oom;
}

const Json& at(const Json* list, std::size_t i)
{
    static const Json kNothing;
    return list != nullptr && list->is_array() && i < list->size() ? (*list)[i] : kNothing;
}

RankCurve curveOf(const Json& json)
{
    RankCurve curve;
    const Json* const events = find(json, "events");
    const std::size_t points =
        events != nullptr && events->is_array() ? std::min(events->size(), kCurvePoints) : 0;
    curve.points.resize(points);
    for (std::size_t i = 0; i < points; ++i) {
        curve.points[i].event = integer(&at(events, i));
        curve.points[i].time = optionalTime(&at(find(json, "times_us"), i));
        curve.points[i].reserved = Bytes{integer(&at(find(json, "reserved_bytes"), i))};
    }
    if (const Json* const buckets = find(json, "buckets");
        buckets != nullptr && buckets->is_object()) {
        for (const auto& [id, column] : buckets->items()) {
            if (const auto bucket = label::bucketFromId(id)) {
                for (std::size_t i = 0; i < points; ++i) {
                    curve.points[i].buckets[label::indexOf(*bucket)] = integer(&at(&column, i));
                }
            }
        }
    }
    return curve;
}

std::vector<PlaceBytes> placesOf(const Json* json)
{
    std::vector<PlaceBytes> places;
    if (json != nullptr && json->is_array()) {
        for (const Json& row : *json) {
            if (places.size() < kMostPlaces && row.is_array() && row.size() >= 5) {
                places.push_back(
                    {text(&row[0]), text(&row[1]),
                     label::bucketFromId(text(&row[2])).value_or(label::Bucket::unknown),
                     Bytes{integer(&row[3])}, integer(&row[4])});
            }
        }
    }
    return places;
}

/// The rows of a summary for ranks.
RankSummary rowOf(const Json& json, const ParseOptions& options)
{
    RankSummary row;
    row.rank = optionalNumber<std::uint32_t>(find(json, "rank"));
    row.named_rank = optionalNumber<std::uint32_t>(find(json, "named_rank"));
    row.world_size = optionalNumber<std::uint32_t>(find(json, "world_size"));
    row.moment = moment(find(json, "moment"));
    if (const Json* const mesh = find(json, "coordinates"); mesh != nullptr && mesh->is_object()) {
        for (const auto& [axis, place] : mesh->items()) {
            row.coordinates.emplace(axis, integer(&place));
        }
    }
    row.host = text(find(json, "host"));
    row.reason = text(find(json, "reason"));
    row.failure = text(find(json, "failure"));
    row.card = text(find(json, "card"));
    row.capacity = optionalBytes(find(json, "capacity_bytes"));
    row.has_segments =
        find(json, "has_segments") == nullptr || *find(json, "has_segments") != false;
    row.is_cut_off = find(json, "is_cut_off") != nullptr && *find(json, "is_cut_off") == true;
    row.starts_in_use =
        find(json, "starts_in_use") != nullptr && *find(json, "starts_in_use") == true;
    row.first_time = optionalTime(find(json, "first_time_us"));
    row.last_time = optionalTime(find(json, "last_time_us"));
    row.steps = optionalNumber<std::uint32_t>(find(json, "steps")).value_or(0);
    row.reserved = Bytes{integer(find(json, "reserved_bytes"))};
    if (const Json* const oom = find(json, "oom")) {
        row.oom = oomOf(*oom);
    }
    row.decisive = bucketBytes(find(json, "decisive"));
    row.decisive_phase = text(find(json, "decisive_phase"));
    row.decisive_step = optionalNumber<std::uint32_t>(find(json, "decisive_step")).value_or(0);
    row.largest = bucketBytes(find(json, "largest"));
    row.at_end = bucketBytes(find(json, "at_end"));
    row.places = placesOf(find(json, "places"));
    if (const Json* const all = find(json, "dimensions"); all != nullptr && all->is_object()) {
        for (const auto& [id, value] : all->items()) {
            row.dimensions.emplace(id, integer(&value));
        }
    }
    row.parameters = integer(find(json, "parameters"));
    if (const Json* const uses = find(json, "in_use"); uses != nullptr && uses->is_array()) {
        std::ranges::transform(*uses, std::back_inserter(row.in_use),
                               [](const Json& use) { return text(&use); });
    }
    row.torch = text(find(json, "torch"));
    row.settings = text(find(json, "settings"));
    if (const Json* const curve = find(json, "curve"); curve != nullptr && options.keeps_curves) {
        row.curve = curveOf(*curve);
    }
    return row;
}

/// What an older `summary --json` says of a device; no row for one without memory or events.
std::optional<RankSummary> rowOfPlain(const Json& device, const Json& summary)
{
    RankSummary row;
    const Json* const peak = find(device, "peak");
    if (peak == nullptr || text(find(device, "kind")) == "host") {
        return std::nullopt;
    }
    if (integer(find(device, "events")) == 0 && integer(find(device, "reserved_end_bytes")) == 0) {
        return std::nullopt;
    }
    row.starts_in_use = integer(find(device, "start_requested_bytes")) > 0;
    row.reserved = Bytes{std::max(integer(find(*peak, "reserved_bytes")),
                                  integer(find(device, "reserved_end_bytes")))};
    row.decisive = bucketBytes(find(*peak, "buckets"));
    row.largest = row.decisive; // No more is known.
    row.last_time = optionalTime(find(*peak, "time_us"));
    if (const Json* const steps = find(device, "steps"); steps != nullptr && steps->is_array()) {
        row.steps = static_cast<std::uint32_t>(steps->size());
    }
    const Json* const ooms = find(device, "ooms");
    if (ooms != nullptr && ooms->is_array() && !ooms->empty()) {
        row.oom = oomOf(ooms->back());
        if (row.hasFailed()) {
            row.decisive = bucketBytes(find(ooms->back(), "buckets"));
            std::ranges::transform(row.largest, row.decisive, row.largest.begin(),
                                   [](auto x, auto y) { return std::max(x, y); });
            row.decisive_phase = row.oom->phase;
            row.decisive_step = row.oom->step;
        }
    }
    if (const Json* const capture = find(summary, "capture")) {
        row.rank = optionalNumber<std::uint32_t>(find(*capture, "rank"));
        row.world_size = optionalNumber<std::uint32_t>(find(*capture, "world_size"));
        row.reason = text(find(*capture, "reason"));
        row.torch = text(find(*capture, "torch"));
    }
    if (const Json* const settings = find(summary, "allocator_settings")) {
        row.settings = text(find(*settings, "conf"));
    }
    return row;
}

} // namespace

Json toJson(const RankSummary& row)
{
    Json mesh = Json::object();
    for (const auto& [axis, place] : row.coordinates) {
        mesh[axis] = place;
    }
    Json dimensions = Json::object();
    for (const auto& [id, value] : row.dimensions) {
        dimensions[id] = value;
    }
    return {{"rank", orNull(row.rank)},
            {"named_rank", orNull(row.named_rank)},
            {"world_size", orNull(row.world_size)},
            {"moment", toJson(row.moment)},
            {"coordinates", std::move(mesh)},
            {"host", row.host},
            {"reason", row.reason},
            {"failure", row.failure},
            {"card", row.card},
            {"capacity_bytes", orNull(row.capacity)},
            {"has_segments", row.has_segments},
            {"is_cut_off", row.is_cut_off},
            {"starts_in_use", row.starts_in_use},
            {"first_time_us", orNull(row.first_time)},
            {"last_time_us", orNull(row.last_time)},
            {"steps", row.steps},
            {"reserved_bytes", row.reserved.value},
            {"oom", row.oom ? toJson(*row.oom) : Json(nullptr)},
            {"decisive", toJson(row.decisive)},
            {"decisive_phase", row.decisive_phase},
            {"decisive_step", row.decisive_step},
            {"largest", toJson(row.largest)},
            {"at_end", toJson(row.at_end)},
            {"places", toJson(row.places)},
            {"dimensions", std::move(dimensions)},
            {"parameters", row.parameters},
            {"in_use", row.in_use},
            {"torch", row.torch},
            {"settings", row.settings},
            {"curve", toJson(row.curve)}};
}

bool looksLikeSummary(std::string_view beginning)
{
    const auto skip = [&beginning](std::string_view bytes) {
        beginning.remove_prefix(std::min(beginning.find_first_not_of(bytes), beginning.size()));
    };
    const auto takes = [&beginning](std::string_view text) {
        const bool is_there = beginning.starts_with(text);
        beginning.remove_prefix(is_there ? text.size() : 0);
        return is_there;
    };
    constexpr std::string_view kBlank = " \t\r\n";
    skip(" \t\r\n\xEF\xBB\xBF");
    bool is_one = takes("{");
    skip(kBlank);
    is_one = is_one && takes("\"file\"");
    skip(" \t\r\n:");
    is_one = is_one && takes("\"");
    while (is_one && !beginning.empty() && beginning.front() != '"') {
        beginning.remove_prefix(
            std::min<std::size_t>(beginning[0] == '\\' ? 2 : 1, beginning.size()));
    }
    takes("\"");
    skip(" \t\r\n,");
    // The summary of a broken file has its error in the format's place.
    return is_one && (takes("\"format\"") || takes("\"error\""));
}

Result<std::vector<RankSummary>> parseSummary(std::string_view line, const DumpName& name,
                                              const ParseOptions& options)
{
    const Error damaged{ErrorCode::damaged,
                        say("It is not a complete output of 'tidemark-cli summary --json'."),
                        {}};
    Json summary;
    try {
        summary = Json::parse(line, limitJsonDepth, false);
    } catch (const JsonTooDeep&) {
        return damaged;
    }
    const Json* const devices = find(summary, "devices");
    std::vector<RankSummary> rows;
    const std::string file = text(find(summary, "file"));
    if (const Json* const error = find(summary, "error"); error != nullptr && devices == nullptr) {
        RankSummary row;
        row.file = file;
        row.error = text(error);
        applyName(row, name);
        rows.push_back(std::move(row));
        return rows;
    }
    if (devices == nullptr || !devices->is_array()) {
        return damaged;
    }
    for (const Json& device : *devices) {
        const Json* const ours = find(device, "for_ranks");
        std::optional<RankSummary> row =
            ours != nullptr ? rowOf(*ours, options) : rowOfPlain(device, summary);
        if (!row) {
            continue;
        }
        row->file = file;
        row->device = optionalNumber<std::int32_t>(find(device, "device")).value_or(0);
        row->events = integer(find(device, "events"));
        if (const Json* const peak = find(device, "peak")) {
            row->peak = Bytes{integer(find(*peak, "requested_bytes"))};
        }
        rows.push_back(std::move(*row));
    }
    for (RankSummary& row : rows) {
        if (rows.size() > 1 && !row.rank && !name.rank && row.device >= 0) {
            row.rank = static_cast<std::uint32_t>(row.device);
        }
        applyName(row, name);
    }
    return rows;
}

} // namespace tidemark::job
