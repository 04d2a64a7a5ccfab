// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/snapshot_decoder.h"

#include "core/base/language.h"
#include "core/reader/capture_decoder.h"
#include "core/reader/root_shape.h"
#include "core/reader/settings_decoder.h"
#include "core/reader/sources_decoder.h"

#include <algorithm>
#include <limits>
#include <string_view>

namespace tidemark::reader {
namespace {

/// One event in the columns that all files fill.
constexpr std::uint64_t kEventBytes = 45;

} // namespace

SnapshotDecoder::SnapshotDecoder(ValueTree& tree, trace::SnapshotBuilder& builder,
                                 const ReaderLimits& limits, ProgressSink& progress,
                                 const std::stop_token& stop)
    : m_tree(tree)
    , m_access(tree, builder.strings())
    , m_builder(builder)
    , m_stacks(m_access, builder.strings(), builder.stacks())
    , m_forward(m_access, builder.strings())
    , m_events(m_access, m_stacks, m_forward, builder.strings())
    , m_segments(m_access, m_stacks, m_forward)
    , m_limits(limits)
    , m_progress(progress)
    , m_stop(stop)
{
}

void SnapshotDecoder::setInputBytes(std::uint64_t bytes)
{
    m_access.allow(m_limits.valueMemory(bytes));
}

void SnapshotDecoder::event(Node entry, std::int32_t device)
{
    // What is refused in the end takes no memory until then.
    const bool is_too_far = device >= 0 && !checkDevices(static_cast<std::size_t>(device) + 1);
    if (!is_too_far && checkCost()) {
        addEvent(entry, device);
    }
}

void SnapshotDecoder::addEvent(Node entry, std::int32_t device)
{
    m_access.spend(kEventBytes);
    m_builder.addEvent(device, m_events.decode(entry));
    m_access.oddities().settleEntry(
        device, [&](Place, std::size_t) { return m_builder.eventCount(device) - 1; });
}

Result<Done> SnapshotDecoder::finish(Node root)
{
    m_progress.report("decoding", 0.0);
    const std::optional<Parts> parts = findParts(root);
    if (!parts) {
        return Error{ErrorCode::notASnapshot,
                     say("This is {}, not a memory snapshot; open the file that "
                         "torch.cuda.memory._dump_snapshot wrote.",
                         describeRoot(m_tree, root))};
    }
    if (m_error) {
        return *m_error;
    }
    countItems(*parts);
    if (!parts->settings.isNull()) {
        decodeSettings(m_access, parts->settings, m_builder.settings());
    }
    const bool completed = deviceTraces(parts->device_traces) && hostTrace(parts->host_traces)
        && segments(parts->segments, {})
        && segments(parts->host_segments, trace::SnapshotBuilder::kHostDevice)
        && annotations(parts->annotations);
    if (!completed || !checkCost()) {
        return *m_error;
    }
    m_builder.fx() = m_stacks.fx();
    m_access.oddities().finish(m_builder.fx().size(), m_builder.notes(), m_builder.otherFields());
    return Done{};
}

bool SnapshotDecoder::fail(ErrorCode code, std::string message)
{
    m_error = Error{code, std::move(message)};
    return false;
}

bool SnapshotDecoder::checkDevices(std::size_t count)
{
    return count <= m_limits.max_devices
        || fail(ErrorCode::tooLarge,
                say("The file names more than {} devices; no machine has so many, so "
                    "Tidemark refuses it.",
                    m_limits.max_devices));
}

bool SnapshotDecoder::checkCost()
{
    return !m_access.isOverspent()
        || fail(
            ErrorCode::tooLarge,
            say("The file repeats the same values so often that they need far more memory than a "
                "snapshot of its size can; Tidemark refuses it."));
}

/// Nothing when this is not a snapshot.
std::optional<SnapshotDecoder::Parts> SnapshotDecoder::findParts(Node root)
{
    const ValueTree::Value value = m_tree.value(root);
    Parts parts;
    if (value.kind == NodeKind::list) {
        // torch.cuda.memory_snapshot() and the oldest dumps: the segments alone.
        if (value.integer > 0 && !isSegment(m_tree.item(root, 0))) {
            return {};
        }
        parts.segments = root;
        noteNoTraces();
        return parts;
    }
    if (value.kind != NodeKind::dict || !hasSnapshotKey(root)) {
        return {};
    }
    m_access.forEachEntry(root, Place::top, [&](Key key, Node node) { part(key, node, parts); });
    m_access.oddities().settleEntry(0, [](Place, std::size_t) { return std::uint64_t{0}; });
    if (parts.segments.isNull()) {
        m_builder.notes().add("no-segments",
                              say("No segments: memory allocated at the dump is unknown."));
    }
    if (parts.device_traces.isNull()) {
        noteNoTraces();
    }
    return parts;
}

void SnapshotDecoder::noteNoTraces()
{
    m_builder.notes().add("no-traces",
                          say("No trace, only the state at the dump; to see what led to it, record "
                              "with torch.cuda.memory._record_memory_history()."));
}

bool SnapshotDecoder::isSegment(Node node)
{
    if (m_tree.value(node).kind != NodeKind::dict) {
        return false;
    }
    std::ptrdiff_t position = 0;
    ValueTree::Entry entry;
    while (m_tree.nextEntry(node, position, entry)) {
        const ValueTree::Value key = m_tree.value(entry.key);
        if (key.kind == NodeKind::text && (key.text == "blocks" || key.text == "total_size")) {
            return true;
        }
    }
    return false;
}

/// Whether the root has a list of segments or traces.
bool SnapshotDecoder::hasSnapshotKey(Node root)
{
    std::ptrdiff_t position = 0;
    ValueTree::Entry entry;
    while (m_tree.nextEntry(root, position, entry)) {
        const ValueTree::Value key = m_tree.value(entry.key);
        if (key.kind == NodeKind::text && (key.text == "segments" || key.text == "device_traces")
            && m_tree.value(entry.value).kind == NodeKind::list) {
            return true;
        }
    }
    return false;
}

void SnapshotDecoder::part(Key key, Node node, Parts& parts)
{
    switch (key) {
    case Key::segments:
        parts.segments = listPart(key, node);
        break;
    case Key::device_traces:
        parts.device_traces = listPart(key, node);
        break;
    case Key::external_annotations:
        parts.annotations = listPart(key, node);
        break;
    case Key::host_segments:
        parts.host_segments = listPart(key, node);
        break;
    case Key::host_traces:
        parts.host_traces = listPart(key, node);
        break;
    case Key::allocator_settings:
        parts.settings = m_tree.value(node).kind == NodeKind::dict ? node : Node();
        if (parts.settings.isNull()) {
            m_access.noteWrong(Place::top, key);
        }
        break;
    case Key::tidemark:
        m_builder.capture() = decodeCapture(m_access, node, m_builder.notes());
        break;
    case Key::source_code:
        m_builder.sources() = decodeSources(m_access, node);
        break;
    default:
        m_access.noteUnknown(Place::top, key, node);
    }
}

ValueTree::Node SnapshotDecoder::listPart(Key key, Node node)
{
    if (m_tree.value(node).kind == NodeKind::list) {
        return node;
    }
    m_access.noteWrong(Place::top, key);
    return {};
}

std::size_t SnapshotDecoder::sizeOf(Node list)
{
    return list.isNull() ? 0 : m_access.listSize(list);
}

void SnapshotDecoder::countItems(const Parts& parts)
{
    m_items = sizeOf(parts.segments) + sizeOf(parts.host_segments) + sizeOf(parts.annotations)
        + sizeOf(parts.host_traces);
    for (std::size_t d = 0; d < sizeOf(parts.device_traces); ++d) {
        m_items += sizeOf(m_tree.item(parts.device_traces, d));
    }
}

/// Once per item; false when a stop is asked for or the file needs too much.
bool SnapshotDecoder::goOn()
{
    if (!checkCost()) {
        return false;
    }
    if (++m_done % kStopCheckStride != 0) {
        return true;
    }
    m_progress.report("decoding", static_cast<double>(m_done) / static_cast<double>(m_items));
    return !m_stop.stop_requested() || fail(ErrorCode::cancelled, say("Reading was cancelled."));
}

bool SnapshotDecoder::deviceTraces(Node traces)
{
    const std::size_t count = sizeOf(traces);
    if (!checkDevices(count)) {
        return false;
    }
    for (std::size_t d = 0; d < count; ++d) {
        const auto device = static_cast<std::int32_t>(d);
        const Node trace = m_tree.item(traces, d);
        m_builder.ensureDevice(device);
        m_devices.insert(device);
        if (m_tree.value(trace).kind != NodeKind::list) {
            m_access.noteWrong(Place::top, Key::device_traces);
        } else if (!events(trace, device)) {
            return false;
        }
    }
    return true;
}

bool SnapshotDecoder::hostTrace(Node trace)
{
    if (sizeOf(trace) == 0) {
        return true;
    }
    m_builder.ensureDevice(trace::SnapshotBuilder::kHostDevice, trace::DeviceKind::host);
    return events(trace, trace::SnapshotBuilder::kHostDevice);
}

bool SnapshotDecoder::events(Node trace, std::int32_t device)
{
    const std::size_t count = m_access.listSize(trace);
    m_builder.reserveEvents(device, count);
    for (std::size_t i = 0; i < count; ++i) {
        addEvent(m_tree.item(trace, i), device);
        if (!goOn()) {
            return false;
        }
    }
    return true;
}

/// `device`: where all of them belong; nothing when each says it itself.
bool SnapshotDecoder::segments(Node list, std::optional<std::int32_t> device)
{
    for (std::size_t i = 0; i < sizeOf(list); ++i) {
        const Node node = m_tree.item(list, i);
        if (m_tree.value(node).kind != NodeKind::dict) {
            m_access.noteWrong(Place::segment, Key::unknown);
        } else {
            m_access.spend(sizeof(trace::Segment));
            m_segments.decode(node);
            trace::SegmentRecord segment = m_segments.segment();
            segment.device = device.value_or(segment.device);
            m_devices.insert(segment.device);
            m_segments.settle(segment.device);
            m_builder.addSegment(segment, m_segments.blocks());
        }
        if (!checkDevices(m_devices.size()) || !goOn()) {
            return false;
        }
    }
    return true;
}

bool SnapshotDecoder::annotations(Node list)
{
    for (std::size_t i = 0; i < sizeOf(list); ++i) {
        annotation(m_tree.item(list, i), i);
        if (!goOn()) {
            return false;
        }
    }
    return true;
}

void SnapshotDecoder::annotation(Node node, std::size_t number)
{
    trace::Annotation record;
    m_access.forEachEntry(node, Place::annotation, [&](Key key, Node value) {
        switch (key) {
        case Key::name:
            record.name = m_access.textId(value, Place::annotation, key)
                              .value_or(m_builder.strings().intern(""));
            break;
        case Key::stage: {
            const std::string_view stage =
                m_access.text(value, Place::annotation, key).value_or("");
            record.is_start = stage != "END";
            if (stage != "END" && stage != "START") {
                m_access.noteWrong(Place::annotation, key);
            }
            break;
        }
        case Key::device:
            record.device = static_cast<std::int32_t>(std::clamp<std::int64_t>(
                m_access.integer(value, Place::annotation, key).value_or(0), -1,
                std::numeric_limits<std::int32_t>::max()));
            break;
        case Key::time_us:
            record.time = m_access.time(value, Place::annotation, key).value_or(TimePoint());
            break;
        default:
            m_access.noteUnknown(Place::annotation, key, value);
        }
    });
    m_access.spend(sizeof(trace::Annotation));
    m_access.oddities().settleEntry(record.device, [&](Place, std::size_t) { return number; });
    if (record.name.isNone()) {
        m_access.noteMissing(Place::annotation, Key::name);
        return;
    }
    m_builder.addAnnotation(record);
}

} // namespace tidemark::reader
