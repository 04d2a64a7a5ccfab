// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/capture_decoder.h"

#include "core/base/language.h"
#include "core/reader/value_text.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tidemark::reader {
namespace {

using Node = ValueTree::Node;

/// Longer than an error message of torch, which names files and settings.
constexpr std::size_t kLongestCapturedText = 65536;

constexpr auto kMomentKinds = std::to_array<std::pair<std::string_view, trace::MomentKind>>({
    {"record_begin", trace::MomentKind::record_begin},
    {"forward_begin", trace::MomentKind::forward_begin},
    {"forward_end", trace::MomentKind::forward_end},
    {"backward_begin", trace::MomentKind::backward_begin},
    {"backward_end", trace::MomentKind::backward_end},
    {"optimizer_begin", trace::MomentKind::optimizer_begin},
    {"optimizer_end", trace::MomentKind::optimizer_end},
    {"phase", trace::MomentKind::phase},
    {"phase_end", trace::MomentKind::phase_end},
    {"step", trace::MomentKind::step},
    {"note", trace::MomentKind::note},
    {"dump", trace::MomentKind::dump},
});

trace::MomentKind momentKind(std::string_view name)
{
    for (const auto& [text, kind] : kMomentKinds) {
        if (text == name) {
            return kind;
        }
    }
    return trace::MomentKind::other;
}

class CaptureDecoder {
public:
    CaptureDecoder(TreeAccess& access, trace::InputNotes& notes)
        : m_access(access)
        , m_tree(access.tree())
        , m_notes(notes)
    {
    }

    std::optional<trace::Capture> decode(Node node)
    {
        if (m_tree.value(node).kind != NodeKind::dict) {
            return refuse(say("It is not a dictionary."));
        }
        const std::optional<std::int64_t> version = integer(node, "version");
        if (!version) {
            return refuse(say("It has no version."));
        }
        if (*version != trace::Capture::kVersion) {
            return refuse(say("It is version {}; this program reads version {}.", *version,
                              trace::Capture::kVersion));
        }
        facts(node);
        devices(find(node, "devices"));
        moments(find(node, "moments"));
        things(find(node, "things"));
        tensors(find(node, "tensors"));
        if (m_damage > 0) {
            m_notes.add("capture-damaged",
                        say("Ignored malformed data in the capture module's section, first \"{}\".",
                            m_first),
                        m_damage);
        }
        return std::move(m_capture);
    }

private:
    std::optional<trace::Capture> refuse(std::string_view why)
    {
        m_notes.add("capture-not-read",
                    say("Cannot use the capture module's section: {} Labels are inferred from the "
                        "trace alone.",
                        why));
        return {};
    }

    void damaged(std::string_view what)
    {
        if (m_damage++ == 0) {
            m_first = what;
        }
    }

    /// None counts as absent. O(entries).
    Node find(Node dict, std::string_view name)
    {
        if (dict.isNull() || m_tree.value(dict).kind != NodeKind::dict) {
            return {};
        }
        std::ptrdiff_t position = 0;
        ValueTree::Entry entry;
        Node found;
        while (!m_access.isOverspent() && m_tree.nextEntry(dict, position, entry)) {
            m_access.spend(1);
            const ValueTree::Value key = m_tree.value(entry.key);
            if (key.kind == NodeKind::text && key.text == name) {
                found = entry.value;
            }
        }
        if (!found.isNull() && m_tree.value(found).kind == NodeKind::nothing) {
            return {};
        }
        return found;
    }

    std::optional<std::int64_t> integer(Node dict, std::string_view name)
    {
        const Node node = find(dict, name);
        if (node.isNull()) {
            return {};
        }
        const ValueTree::Value value = m_tree.value(node);
        if (value.kind != NodeKind::integer) {
            damaged(name);
            return {};
        }
        return value.integer;
    }

    std::optional<Bytes> bytes(Node dict, std::string_view name)
    {
        const std::optional<std::int64_t> value = integer(dict, name);
        if (value && (*value < 0 || *value > kLargestSize)) {
            damaged(name);
            return {};
        }
        return value ? std::optional(Bytes{*value}) : std::nullopt;
    }

    bool boolean(Node dict, std::string_view name, bool fallback)
    {
        const Node node = find(dict, name);
        if (node.isNull()) {
            return fallback;
        }
        const ValueTree::Value value = m_tree.value(node);
        if (value.kind != NodeKind::boolean && value.kind != NodeKind::integer) {
            damaged(name);
            return fallback;
        }
        return value.integer != 0;
    }

    std::int32_t deviceIndex(std::optional<std::int64_t> value)
    {
        return static_cast<std::int32_t>(std::clamp<std::int64_t>(
            value.value_or(-1), -1, std::numeric_limits<std::int32_t>::max()));
    }

    std::string shown(Node node)
    {
        std::string text = valueText(m_tree, node, kLongestCapturedText);
        m_access.spend(text.size());
        return text;
    }

    std::string text(Node dict, std::string_view name)
    {
        const Node node = find(dict, name);
        return node.isNull() ? std::string() : shown(node);
    }

    /// Calls take(item) for each item of a list; false for what is no list.
    template <class Take>
    bool items(Node list, std::string_view name, Take&& take)
    {
        if (list.isNull()) {
            return false;
        }
        const ValueTree::Value value = m_tree.value(list);
        if (value.kind != NodeKind::list) {
            damaged(name);
            return false;
        }
        for (std::int64_t i = 0; i < value.integer && !m_access.isOverspent(); ++i) {
            m_access.spend(sizeof(std::int64_t));
            take(m_tree.item(list, static_cast<std::size_t>(i)));
        }
        return true;
    }

    std::vector<std::int64_t> numbers(Node dict, std::string_view name)
    {
        std::vector<std::int64_t> column;
        const bool is_list = items(find(dict, name), name, [&](Node item) {
            const ValueTree::Value value = m_tree.value(item);
            if (value.kind != NodeKind::integer) {
                damaged(name);
            }
            column.push_back(value.kind == NodeKind::integer ? value.integer : -1);
        });
        if (!is_list) {
            damaged(name);
        }
        return column;
    }

    std::vector<std::string> texts(Node dict, std::string_view name)
    {
        std::vector<std::string> column;
        const bool is_list = items(find(dict, name), name, [&](Node item) {
            if (m_tree.value(item).kind != NodeKind::text) {
                damaged(name);
            }
            column.push_back(shown(item));
            m_access.spend(sizeof(std::string));
        });
        if (!is_list) {
            damaged(name);
        }
        return column;
    }

    /// Columns of one table have one length: the shortest counts.
    template <class... Columns>
    void level(std::string_view table, Columns&... columns)
    {
        const std::size_t shortest = std::min({columns.size()...});
        if (std::max({columns.size()...}) != shortest) {
            damaged(table);
        }
        (columns.resize(shortest), ...);
    }

    void facts(Node node)
    {
        m_capture.reason = text(node, "reason");
        m_capture.torch = text(node, "torch");
        m_capture.python = text(node, "python");
        m_capture.rank = integer(node, "rank");
        m_capture.local_rank = integer(node, "local_rank");
        m_capture.world_size = integer(node, "world_size");
        m_capture.steps = integer(node, "steps").value_or(0);
        m_capture.overhead_us = integer(node, "overhead_us");
        if (const Node error = find(node, "error"); !error.isNull()) {
            m_capture.error_type = text(error, "type");
            m_capture.error_message = text(error, "message");
        }
        if (const Node oom = find(node, "oom"); !oom.isNull()) {
            m_capture.oom = trace::CaptureOom{deviceIndex(integer(oom, "device")),
                                              bytes(oom, "requested_bytes").value_or(Bytes{}),
                                              bytes(oom, "total_bytes").value_or(Bytes{}),
                                              bytes(oom, "free_bytes").value_or(Bytes{})};
        }
        if (const Node dict = find(node, "settings"); !dict.isNull()) {
            settings(dict);
        }
        if (const Node dict = find(node, "figures"); !dict.isNull()) {
            figures(dict);
        }
        items(find(node, "warnings"), "warnings",
              [&](Node item) { m_capture.warnings.push_back(shown(item)); });
    }

    void settings(Node dict)
    {
        if (m_tree.value(dict).kind != NodeKind::dict) {
            damaged("settings");
            return;
        }
        std::ptrdiff_t position = 0;
        ValueTree::Entry entry;
        while (!m_access.isOverspent() && m_tree.nextEntry(dict, position, entry)) {
            std::string key = shown(entry.key);
            m_capture.settings.emplace_back(std::move(key), shown(entry.value));
        }
    }

    /// What the process held beside the allocator's blocks. They are names and values for people,
    /// as the settings are, and stand behind them as "N bytes".
    void figures(Node dict)
    {
        if (m_tree.value(dict).kind != NodeKind::dict) {
            damaged("figures");
            return;
        }
        std::ptrdiff_t position = 0;
        ValueTree::Entry entry;
        while (!m_access.isOverspent() && m_tree.nextEntry(dict, position, entry)) {
            const ValueTree::Value value = m_tree.value(entry.value);
            if (value.kind != NodeKind::integer || value.integer < 0
                || value.integer > kLargestSize) {
                damaged("figures");
                continue;
            }
            m_capture.settings.emplace_back(shown(entry.key),
                                            fmt::format("{} bytes", value.integer));
        }
    }

    void devices(Node list)
    {
        items(list, "devices", [&](Node item) {
            const std::optional<std::int64_t> index = integer(item, "index");
            if (!index) {
                damaged("devices");
                return;
            }
            trace::CaptureDevice device;
            device.index = deviceIndex(index);
            device.name = text(item, "name");
            device.total = bytes(item, "total_bytes");
            device.free = bytes(item, "free_bytes");
            device.reserved = bytes(item, "reserved_bytes");
            device.capacity = bytes(item, "capacity_bytes");
            device.limit = bytes(item, "fraction_bytes");
            device.operations = integer(item, "operations");
            device.epoch = integer(item, "epoch").value_or(0);
            device.is_exact = boolean(item, "is_exact", true);
            device.overflowed = boolean(item, "overflowed", false);
            m_access.spend(sizeof(device));
            m_capture.devices.push_back(std::move(device));
        });
    }

    void moments(Node dict)
    {
        trace::CaptureMoments& m = m_capture.moments;
        const std::vector<std::string> kinds = texts(dict, "kind");
        m.name = texts(dict, "name");
        m.step = numbers(dict, "step");
        m.time_us = numbers(dict, "time_us");
        m.marker_bytes = numbers(dict, "marker_bytes");
        for (const std::string& kind : kinds) {
            m.kind.push_back(momentKind(kind));
        }
        level("moments", m.kind, m.name, m.step, m.time_us, m.marker_bytes);
        items(find(dict, "clocks"), "clocks", [&](Node item) {
            trace::CaptureClock clock;
            clock.device = deviceIndex(integer(item, "device"));
            clock.operations = numbers(item, "operations");
            clock.epoch = numbers(item, "epoch");
            if (clock.operations.size() != m.count() || clock.epoch.size() != m.count()) {
                damaged("clocks");
                clock.operations.resize(m.count(), -1);
                clock.epoch.resize(m.count(), -1);
            }
            m_access.spend(m.count() * 2 * sizeof(std::int64_t));
            m_capture.clocks.push_back(std::move(clock));
        });
    }

    void things(Node dict)
    {
        std::vector<std::string> bucket = texts(dict, "bucket");
        std::vector<std::string> role = texts(dict, "role");
        std::vector<std::string> name = texts(dict, "name");
        std::vector<std::string> shape = texts(dict, "shape");
        std::vector<std::string> dtype = texts(dict, "dtype");
        level("things", bucket, role, name, shape, dtype);
        for (std::size_t i = 0; i < bucket.size(); ++i) {
            m_capture.things.push_back({std::move(bucket[i]), std::move(role[i]),
                                        std::move(name[i]), std::move(shape[i]),
                                        std::move(dtype[i])});
        }
    }

    void tensors(Node dict)
    {
        std::vector<std::int64_t> moment = numbers(dict, "moment");
        std::vector<std::int64_t> thing = numbers(dict, "thing");
        std::vector<std::int64_t> device = numbers(dict, "device");
        std::vector<std::int64_t> address = numbers(dict, "address");
        std::vector<std::int64_t> size = numbers(dict, "bytes");
        level("tensors", moment, thing, device, address, size);
        trace::CaptureTensors& t = m_capture.tensors;
        const auto isIndex = [](std::int64_t i, std::size_t count) {
            return i >= 0 && static_cast<std::uint64_t>(i) < count;
        };
        for (std::size_t i = 0; i < moment.size(); ++i) {
            if (!isIndex(moment[i], m_capture.moments.count())
                || !isIndex(thing[i], m_capture.things.size()) || size[i] < 0
                || size[i] > kLargestSize) {
                damaged("tensors");
                continue;
            }
            t.moment.push_back(static_cast<std::uint32_t>(moment[i]));
            t.thing.push_back(static_cast<std::uint32_t>(thing[i]));
            t.device.push_back(deviceIndex(device[i]));
            t.address.push_back(static_cast<Address>(address[i]));
            t.bytes.push_back(Bytes{size[i]});
        }
    }

    TreeAccess& m_access;
    ValueTree& m_tree;
    trace::InputNotes& m_notes;
    trace::Capture m_capture;
    std::int64_t m_damage = 0;
    std::string m_first; ///< Name of what was damaged first.
};

} // namespace

std::optional<trace::Capture> decodeCapture(TreeAccess& access, ValueTree::Node node,
                                            trace::InputNotes& notes)
{
    return CaptureDecoder(access, notes).decode(node);
}

} // namespace tidemark::reader
