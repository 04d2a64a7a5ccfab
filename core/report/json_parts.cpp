// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/report/json_parts.h"

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

Json stackJson(const trace::Snapshot& snapshot, StackId stack)
{
    Json json = Json::array();
    for (const FrameId id : snapshot.stacks.frames(stack)) {
        const Frame& frame = snapshot.stacks.frame(id);
        json.push_back({{"name", snapshot.text(frame.name)},
                        {"filename", snapshot.text(frame.filename)},
                        {"line", frame.line}});
    }
    return json;
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
