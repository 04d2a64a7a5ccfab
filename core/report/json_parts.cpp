// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/report/json_parts.h"

#include "core/base/short_text.h"
#include "core/report/text_tools.h"

namespace tidemark::report {

std::string toString(const Json& json)
{
    return escapeJsonControls(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

Json bucketsJson(const label::BucketBytes& buckets)
{
    Json json = Json::object();
    for (std::size_t i = 0; i < label::kBucketCount; ++i) {
        json[std::string(label::bucketId(label::bucketAt(i)))] = buckets[i];
    }
    return json;
}

namespace {

/// Frames of a row: more than any program has. Deeper stacks, which recursion makes, keep both
/// ends.
constexpr std::size_t kMostFrames = 512;
constexpr std::size_t kOutermost = 64;

Json frameJson(const trace::Snapshot& snapshot, FrameId id)
{
    if (id.isNone()) {
        return nullptr;
    }
    const Frame& frame = snapshot.stacks.frame(id);
    return {{"name", shortName(snapshot.text(frame.name))},
            {"filename", shortName(snapshot.text(frame.filename))},
            {"line", frame.line}};
}

} // namespace

void addStack(Json& row, const trace::Snapshot& snapshot, StackId stack)
{
    const std::span<const FrameId> frames = snapshot.stacks.frames(stack);
    Json json = Json::array();
    const auto add = [&](std::span<const FrameId> part) {
        for (const FrameId id : part) {
            json.push_back(frameJson(snapshot, id));
        }
    };
    if (frames.size() <= kMostFrames) {
        add(frames);
        row["stack"] = std::move(json);
        return;
    }
    add(frames.first(kMostFrames - kOutermost));
    add(frames.last(kOutermost));
    row["stack"] = std::move(json);
    row["stack_frames_left_out"] = frames.size() - kMostFrames;
}

void addPlace(Json& row, const trace::Snapshot& snapshot, const Place& place)
{
    row["where"] = place.text.empty() ? Json(nullptr) : Json(place.text);
    row["model_line"] = frameJson(snapshot, place.lines.model);
    row["user_line"] = frameJson(snapshot, place.lines.user);
}

Json timeJson(const trace::Device& device, StateId state)
{
    if (state == StateId::start() || !device.events.hasTimes()) {
        return nullptr;
    }
    return microseconds(device.events.time[state.index() - 1]);
}

Json rowJson(const LabelRow& row)
{
    Json json = {{"alloc_event", orNull(row.alloc_event)},
                 {"free_requested_event", orNull(row.free_requested_event)},
                 {"free_event", orNull(row.free_event)},
                 {"address", row.address},
                 {"requested_bytes", row.requested.value},
                 {"block_bytes", orNull(row.block())}};
    if (!row.block()) {
        json["block_bytes_low"] = row.block_low.value;
        json["block_bytes_high"] = row.block_high.value;
    }
    json["bucket"] = row.bucket;
    json["role"] = row.role.empty() ? Json(nullptr) : Json(row.role);
    json["confidence"] = row.confidence;
    json["reason"] = row.reasonText();
    return json;
}

Json fileJson(const diagnose::Analysis& analysis)
{
    return analysis.file.string();
}

} // namespace tidemark::report
