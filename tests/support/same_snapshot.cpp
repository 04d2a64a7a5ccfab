// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/support/same_snapshot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tidemark::test {
namespace {

using trace::Device;
using trace::Snapshot;

class Comparison {
public:
    Comparison(const Snapshot& a, const Snapshot& b)
        : m_a(a)
        , m_b(b)
    {
    }

    std::optional<std::string> run()
    {
        same("route", m_a.format.route, m_b.format.route);
        same("protocol", m_a.format.protocol, m_b.format.protocol);
        same("file bytes", m_a.file_bytes, m_b.file_bytes);
        same("capture", m_a.capture, m_b.capture);
        settings();
        annotations();
        notes();
        graphFields();
        otherFields();
        sources();
        if (same("device count", m_a.devices.size(), m_b.devices.size())) {
            for (std::size_t d = 0; d < m_a.devices.size() && !m_difference; ++d) {
                m_device = d;
                device(m_a.devices[d], m_b.devices[d]);
            }
        }
        return m_difference;
    }

private:
    template <class T>
    bool same(std::string_view what, const T& a, const T& b)
    {
        if (a == b) {
            return true;
        }
        differ(what);
        return false;
    }

    void differ(std::string_view what)
    {
        if (!m_difference) {
            m_difference = fmt::format("device {}: {}", m_device, what);
        }
    }

    template <class T, class Equal>
    void column(std::string_view what, const std::vector<T>& a, const std::vector<T>& b,
                Equal equal)
    {
        if (m_difference || !same(fmt::format("length of {}", what), a.size(), b.size())) {
            return;
        }
        for (std::size_t i = 0; i < a.size(); ++i) {
            if (!equal(a[i], b[i])) {
                differ(fmt::format("{} [{}]", what, i));
                return;
            }
        }
    }

    template <class T>
    void column(std::string_view what, const std::vector<T>& a, const std::vector<T>& b)
    {
        column(what, a, b, [](const T& x, const T& y) { return x == y; });
    }

    [[nodiscard]] bool sameText(StringId a, StringId b) const
    {
        return a.isNone() == b.isNone() && m_a.text(a) == m_b.text(b);
    }

    /// Each pair is compared once: a trace has few stacks and many events.
    bool sameStack(StackId a, StackId b)
    {
        if (a.isNone() || b.isNone()) {
            return a.isNone() == b.isNone();
        }
        const std::uint64_t pair = (std::uint64_t{a.value} << 32U) | b.value;
        const auto [it, is_new] = m_stacks.try_emplace(pair, false);
        if (is_new) {
            it->second =
                std::ranges::equal(m_a.stacks.frames(a), m_b.stacks.frames(b),
                                   [this](FrameId x, FrameId y) { return sameFrame(x, y); });
        }
        return it->second;
    }

    [[nodiscard]] bool sameFrame(FrameId a, FrameId b) const
    {
        const Frame& f = m_a.stacks.frame(a);
        const Frame& g = m_b.stacks.frame(b);
        return f.line == g.line && sameText(f.name, g.name) && sameText(f.filename, g.filename);
    }

    void settings()
    {
        const trace::AllocatorSettings& a = m_a.settings;
        const trace::AllocatorSettings& b = m_b.settings;
        same("settings: conf", a.conf, b.conf);
        same("settings: expandable", a.expandable_segments, b.expandable_segments);
        same("settings: split", a.max_split_size_bytes, b.max_split_size_bytes);
        same("settings: collection", a.garbage_collection_threshold,
             b.garbage_collection_threshold);
        same("settings: divisions", a.roundup_power2_divisions, b.roundup_power2_divisions);
        same("settings: others", a.others, b.others);
        same("settings: present", a.present, b.present);
    }

    void annotations()
    {
        column("annotations", m_a.annotations, m_b.annotations,
               [this](const trace::Annotation& a, const trace::Annotation& b) {
                   return sameText(a.name, b.name) && a.is_start == b.is_start
                       && a.device == b.device && a.time == b.time;
               });
    }

    void notes()
    {
        const auto listed = [](const Snapshot& s) {
            std::vector<std::string> result;
            for (const trace::InputNote& note : s.notes.all()) {
                if (note.code != "second-reader") {
                    result.push_back(fmt::format("{} {} {}", note.code, note.count, note.text));
                }
            }
            return result;
        };
        const std::vector<std::string> a = listed(m_a);
        const std::vector<std::string> b = listed(m_b);
        if (a != b) {
            differ(fmt::format("notes\n{}\n--\n{}", fmt::join(a, "\n"), fmt::join(b, "\n")));
        }
    }

    // Both are sorted by frame ids, which follow from the order of reading.
    void graphFields()
    {
        lines("fx", [](const Snapshot& s) {
            std::vector<std::string> result;
            for (const trace::FrameFx& fx : s.fx) {
                result.push_back(fmt::format("{}: {} / {} / {} / {} / {}", frameText(s, fx.frame),
                                             text(s, fx.op), text(s, fx.name), text(s, fx.target),
                                             text(s, fx.original_trace), text(s, fx.info)));
            }
            return result;
        });
    }

    void otherFields()
    {
        lines("other fields", [](const Snapshot& s) {
            std::vector<std::string> result;
            for (const trace::OtherField& f : s.other_fields) {
                const std::string item = f.place == trace::Place::frame
                    ? frameText(s, FrameId(static_cast<std::uint32_t>(f.item)))
                    : fmt::format("{}", f.item);
                result.push_back(fmt::format("{} {} {}: {} = {}", static_cast<int>(f.place),
                                             f.device, item, text(s, f.key), text(s, f.value)));
            }
            return result;
        });
    }

    void sources()
    {
        lines("sources", [](const Snapshot& s) {
            std::vector<std::string> result;
            for (const trace::SourceFile& file : s.sources) {
                result.push_back(file.name + "\n" + file.text);
            }
            return result;
        });
    }

    template <class Lines>
    void lines(std::string_view what, Lines linesOf)
    {
        std::vector<std::string> a = linesOf(m_a);
        std::vector<std::string> b = linesOf(m_b);
        std::ranges::sort(a);
        std::ranges::sort(b);
        column(what, a, b);
    }

    static std::string text(const Snapshot& s, StringId id)
    {
        return id.isNone() ? "(none)" : std::string(s.text(id));
    }

    static std::string frameText(const Snapshot& s, FrameId id)
    {
        const Frame& frame = s.stacks.frame(id);
        return fmt::format("{} {}:{}", s.text(frame.name), s.text(frame.filename), frame.line);
    }

    void device(const Device& a, const Device& b)
    {
        same("index", a.index, b.index);
        same("kind", a.kind, b.kind);
        events(a.events, b.events);
        const auto stack = [this](StackId x, StackId y) { return sameStack(x, y); };
        column("blocks", a.blocks, b.blocks, [&](const trace::Block& x, const trace::Block& y) {
            return x.address == y.address && x.size == y.size && x.requested == y.requested
                && x.state == y.state && stack(x.stack, y.stack)
                && sameText(x.forward_frames, y.forward_frames);
        });
        column("segments", a.segments, b.segments,
               [&](const trace::Segment& x, const trace::Segment& y) {
                   return x.address == y.address && x.total_size == y.total_size
                       && x.stream == y.stream && x.is_small_pool == y.is_small_pool
                       && x.is_expandable == y.is_expandable && x.pool == y.pool
                       && x.first_block == y.first_block && x.block_count == y.block_count
                       && stack(x.stack, y.stack) && sameText(x.forward_frames, y.forward_frames);
               });
    }

    void events(const trace::Events& a, const trace::Events& b)
    {
        const auto text = [this](StringId x, StringId y) { return sameText(x, y); };
        column("action", a.action, b.action);
        column("address", a.address, b.address);
        column("size", a.size, b.size);
        column("stream", a.stream, b.stream);
        column("stack", a.stack, b.stack, [this](StackId x, StackId y) { return sameStack(x, y); });
        column("time", a.time, b.time);
        column("pool", a.pool, b.pool);
        column("user_metadata", a.user_metadata, b.user_metadata, text);
        column("compile_context", a.compile_context, b.compile_context, text);
        column("category", a.category, b.category, text);
        column("forward_frames", a.forward_frames, b.forward_frames, text);
        column("internal_metadata", a.internal_metadata, b.internal_metadata, text);
        column("other names", a.other_names, b.other_names, [&](const auto& x, const auto& y) {
            return x.first == y.first && sameText(x.second, y.second);
        });
    }

    const Snapshot& m_a;
    const Snapshot& m_b;
    std::size_t m_device = 0;
    std::optional<std::string> m_difference;
    std::unordered_map<std::uint64_t, bool> m_stacks;
};

} // namespace

std::optional<std::string> firstDifference(const trace::Snapshot& a, const trace::Snapshot& b)
{
    return Comparison(a, b).run();
}

} // namespace tidemark::test
