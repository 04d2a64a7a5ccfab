// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/export/formats.h"
#include "core/export/live_stacks.h"
#include "core/report/json.h"
#include "core/report/selection.h"
#include "core/report/text_tools.h"

#include <algorithm>
#include <ostream>
#include <ranges>
#include <unordered_map>

namespace tidemark::exports {
namespace {

/// Frames as speedscope lists them, each once.
class FrameTable {
public:
    explicit FrameTable(const trace::Snapshot& snapshot)
        : m_snapshot(snapshot)
    {
    }
    std::size_t of(FrameId id)
    {
        const auto [at, is_new] = m_index.try_emplace(id.value, m_frames.size());
        if (is_new) {
            const Frame& frame = m_snapshot.stacks.frame(id);
            report::Json json = {{"name", frameText(m_snapshot, frame)},
                                 {"file", report::visibleText(m_snapshot.text(frame.filename))}};
            if (frame.line > 0) {
                json["line"] = frame.line;
            }
            m_frames.push_back(std::move(json));
        }
        return at->second;
    }
    std::size_t named(const std::string& name)
    {
        const auto [at, is_new] = m_named.try_emplace(name, m_frames.size());
        if (is_new) {
            m_frames.push_back({{"name", name}});
        }
        return at->second;
    }
    [[nodiscard]] report::Json take()
    {
        return std::move(m_frames);
    }

private:
    const trace::Snapshot& m_snapshot;
    report::Json m_frames = report::Json::array();
    std::unordered_map<std::uint32_t, std::size_t> m_index;
    std::unordered_map<std::string, std::size_t> m_named;
};

/// Neither what separates frames nor what ends a line.
std::string foldedText(std::string text)
{
    std::ranges::replace(text, ';', ':');
    return text;
}

} // namespace

void writeSpeedscope(std::ostream& out, const Source& source)
{
    const trace::Snapshot& snapshot = *source.analysis.snapshot;
    FrameTable frames(snapshot);
    report::Json profiles = report::Json::array();
    for (const Part& part : source.parts) {
        report::Json samples = report::Json::array();
        report::Json weights = report::Json::array();
        std::int64_t total = 0;
        for (const LiveStack& live : liveStacks(source.analysis, part)) {
            report::Json sample = report::Json::array();
            sample.push_back(frames.named(std::string(label::bucketId(live.bucket))));
            const auto stack = snapshot.stacks.frames(live.stack);
            for (std::size_t i = stack.size(); i-- > 0;) {
                sample.push_back(frames.of(stack[i]));
            }
            if (stack.empty()) {
                sample.push_back(frames.named(kNoStack));
            }
            samples.push_back(std::move(sample));
            weights.push_back(live.bytes);
            total += live.bytes;
        }
        profiles.push_back({{"type", "sampled"},
                            {"name", report::deviceKey(snapshot.devices[part.device])},
                            {"unit", "bytes"},
                            {"startValue", 0},
                            {"endValue", total},
                            {"samples", std::move(samples)},
                            {"weights", std::move(weights)}});
    }
    std::string name = source.analysis.file.filename().string();
    if (const std::string hidden = hiddenNames(source); !hidden.empty()) {
        name += " · " + hidden;
    }
    out << report::toString({{"$schema", "https://www.speedscope.app/file-format-schema.json"},
                             {"shared", {{"frames", frames.take()}}},
                             {"profiles", std::move(profiles)},
                             {"name", report::visibleText(name)},
                             {"activeProfileIndex", 0},
                             {"exporter", "tidemark " + source.wanted.version}})
        << '\n';
}

void writeFolded(std::ostream& out, const Source& source)
{
    const trace::Snapshot& snapshot = *source.analysis.snapshot;
    for (const Part& part : source.parts) {
        for (const LiveStack& live : liveStacks(source.analysis, part)) {
            out << foldedText(report::deviceKey(snapshot.devices[part.device])) << ';'
                << label::bucketId(live.bucket);
            const auto stack = snapshot.stacks.frames(live.stack);
            for (std::size_t i = stack.size(); i-- > 0;) {
                out << ';' << foldedText(frameText(snapshot, snapshot.stacks.frame(stack[i])));
            }
            if (stack.empty()) {
                out << ';' << kNoStack;
            }
            out << ' ' << live.bytes << '\n';
        }
    }
}

} // namespace tidemark::exports
