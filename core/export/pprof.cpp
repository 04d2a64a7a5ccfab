// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/export/formats.h"
#include "core/export/gzip.h"
#include "core/export/live_stacks.h"
#include "core/report/selection.h"
#include "core/report/text_tools.h"

#include <protozero/pbf_builder.hpp>
#include <protozero/pbf_writer.hpp>

#include <array>
#include <map>
#include <ostream>
#include <unordered_map>

namespace tidemark::exports {
namespace {

// Numbers of fields: github.com/google/pprof/proto/profile.proto.
namespace field {
enum Profile : protozero::pbf_tag_type {
    sample_type = 1,
    sample = 2,
    location = 4,
    function = 5,
    string_table = 6,
    time_nanos = 9,
    period_type = 11,
    comment = 13,
    default_sample_type = 14,
};
} // namespace field

/// Texts, functions and locations, each once and counted from 1; text 0 is "".
class ProfileWriter {
public:
    explicit ProfileWriter(const trace::Snapshot& snapshot)
        : m_snapshot(snapshot)
    {
        text("");
    }

    std::int64_t text(const std::string& text)
    {
        const auto [at, is_new] =
            m_texts.try_emplace(text, static_cast<std::int64_t>(m_texts.size()));
        if (is_new) {
            m_table.push_back(text);
        }
        return at->second;
    }

    std::uint64_t location(FrameId id)
    {
        const auto [at, is_new] = m_locations.try_emplace(id.value, m_last + 1);
        if (!is_new) {
            return at->second;
        }
        ++m_last;
        const Frame& frame = m_snapshot.stacks.frame(id);
        addLocation(at->second,
                    function(report::visibleText(m_snapshot.text(frame.name)),
                             report::visibleText(m_snapshot.text(frame.filename))),
                    frame.line);
        return at->second;
    }

    /// A frame that no file has.
    std::uint64_t location(const std::string& name)
    {
        const auto [at, is_new] = m_named.try_emplace(name, m_last + 1);
        if (is_new) {
            addLocation(++m_last, function(name, ""), 0);
        }
        return at->second;
    }

    void comment(const std::string& words)
    {
        m_out.add_int64(field::comment, text(words));
    }

    void sampleType(protozero::pbf_tag_type tag, const char* type, const char* unit)
    {
        protozero::pbf_writer value(m_out, tag);
        value.add_int64(1, text(type));
        value.add_int64(2, text(unit));
    }

    void sample(const std::vector<std::uint64_t>& locations, const LiveStack& live,
                const std::string& device)
    {
        protozero::pbf_writer sample(m_out, field::sample);
        sample.add_packed_uint64(1, locations.begin(), locations.end());
        const std::array<std::int64_t, 2> values{live.count, live.bytes};
        sample.add_packed_int64(2, values.begin(), values.end());
        addLabel(sample, "bucket", std::string(label::bucketId(live.bucket)));
        addLabel(sample, "device", device);
    }

    /// All of it, with the time in nanoseconds; 0: not known.
    std::string finish(std::int64_t time_ns)
    {
        m_out.add_int64(field::default_sample_type, text("inuse_space"));
        for (const std::string& text : m_table) {
            m_out.add_string(field::string_table, text);
        }
        if (time_ns > 0) {
            m_out.add_int64(field::time_nanos, time_ns);
        }
        return std::move(m_bytes);
    }

private:
    void addLabel(protozero::pbf_writer& sample, const char* key, const std::string& value)
    {
        protozero::pbf_writer label(sample, 3);
        label.add_int64(1, text(key));
        label.add_int64(2, text(value));
    }

    std::uint64_t function(const std::string& name, const std::string& file)
    {
        const auto [at, is_new] = m_functions.try_emplace({name, file}, m_functions.size() + 1);
        if (is_new) {
            protozero::pbf_writer function(m_out, field::function);
            function.add_uint64(1, at->second);
            function.add_int64(2, text(name));
            function.add_int64(3, text(name));
            function.add_int64(4, text(file));
        }
        return at->second;
    }

    void addLocation(std::uint64_t id, std::uint64_t function, std::int64_t line)
    {
        protozero::pbf_writer location(m_out, field::location);
        location.add_uint64(1, id);
        protozero::pbf_writer row(location, 4);
        row.add_uint64(1, function);
        row.add_int64(2, line);
    }

    const trace::Snapshot& m_snapshot;
    std::string m_bytes;
    protozero::pbf_writer m_out{m_bytes};
    std::vector<std::string> m_table;
    std::unordered_map<std::string, std::int64_t> m_texts;
    std::map<std::pair<std::string, std::string>, std::uint64_t> m_functions;
    std::unordered_map<std::uint32_t, std::uint64_t> m_locations;
    std::unordered_map<std::string, std::uint64_t> m_named;
    std::uint64_t m_last = 0;
};

} // namespace

Result<Done> writePprof(std::ostream& out, const Source& source)
{
    const trace::Snapshot& snapshot = *source.analysis.snapshot;
    ProfileWriter profile(snapshot);
    profile.sampleType(field::sample_type, "inuse_objects", "count");
    profile.sampleType(field::sample_type, "inuse_space", "bytes");
    if (const std::string hidden = hiddenNames(source); !hidden.empty()) {
        profile.comment(hidden);
    }
    std::int64_t time_ns = 0;
    for (const Part& part : source.parts) {
        const trace::Device& device = snapshot.devices[part.device];
        for (const LiveStack& live : liveStacks(source.analysis, part)) {
            std::vector<std::uint64_t> locations;
            for (const FrameId frame : snapshot.stacks.frames(live.stack)) {
                locations.push_back(profile.location(frame));
            }
            if (locations.empty()) {
                locations.push_back(profile.location(std::string(kNoStack)));
            }
            profile.sample(locations, live, report::deviceKey(device));
        }
        const StateId peak = peakOf(source.analysis, part);
        if (time_ns == 0 && device.events.hasTimes() && peak.value > 0) {
            time_ns = microseconds(device.events.time[peak.index() - 1]) * 1000;
        }
    }
    Result<std::string> packed = gzipped(profile.finish(time_ns));
    if (!packed.has_value()) {
        return packed.error();
    }
    out << packed.value();
    return Done{};
}

} // namespace tidemark::exports
