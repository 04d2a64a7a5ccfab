// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/export/export_file.h"

#include "core/base/ascii.h"
#include "core/base/file_head.h"
#include "core/base/language.h"
#include "core/base/new_file.h"
#include "core/base/output_check.h"
#include "core/export/tables.h"
#include "core/pipeline/redaction.h"
#include "core/report/selection.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace tidemark::exports {
namespace {

namespace fs = std::filesystem;

struct FormatInfo {
    std::string_view ending;
    Format format = Format::perfetto;
    OutputKind kind = OutputKind::perfetto;
};

/// A longer ending before one that it ends with.
constexpr std::array kFormats{
    FormatInfo{".pftrace", Format::perfetto, OutputKind::perfetto},
    FormatInfo{".perfetto-trace", Format::perfetto, OutputKind::perfetto},
    FormatInfo{".pb.gz", Format::pprof, OutputKind::gzip},
    FormatInfo{".speedscope.json", Format::speedscope, OutputKind::speedscope},
    FormatInfo{".folded", Format::folded, OutputKind::folded},
    FormatInfo{".sqlite", Format::sqlite, OutputKind::sqlite},
    FormatInfo{".db", Format::sqlite, OutputKind::sqlite},
    FormatInfo{".csv", Format::csv, OutputKind::table},
    FormatInfo{".pickle", Format::pickle, OutputKind::cut_pickle},
    FormatInfo{".json", Format::json, OutputKind::cut_json},
};

const FormatInfo* infoOf(Format format)
{
    return std::ranges::find(kFormats, format, &FormatInfo::format);
}

/// The events of the other devices that happened in the same time; none where there are no times.
Interval<StateId> statesDuring(const diagnose::Analysis& analysis, std::size_t device,
                               const Part& main)
{
    const trace::Events& events = analysis.snapshot->devices[device].events;
    const trace::Events& of_main = analysis.snapshot->devices[main.device].events;
    if (!events.hasTimes() || !of_main.hasTimes()) {
        return {StateId::start(), {1}};
    }
    const std::vector<std::int64_t> times = timesOf(analysis, device);
    const std::vector<std::int64_t> main_times = timesOf(analysis, main.device);
    const auto first =
        std::lower_bound(times.begin() + 1, times.end(), main_times[main.firstEvent() + 1]);
    const auto end = std::upper_bound(first, times.end(), main_times[main.last().index()]);
    const auto state = [&](auto it) {
        return StateId{static_cast<std::uint32_t>(it - times.begin() - 1)};
    };
    return {state(first), {state(end).value + 1}};
}

Result<std::vector<Part>> partsOf(const diagnose::Analysis& analysis, const Wanted& wanted)
{
    const auto devices = report::chosenDevices(analysis, wanted.device);
    if (!devices.has_value()) {
        return devices.error();
    }
    if (devices.value().empty()) {
        return Error{ErrorCode::badArgument, say("The file has no memory to write."), {}};
    }
    std::vector<Part> parts;
    for (const std::size_t d : devices.value()) {
        parts.push_back({d,
                         {StateId::start(),
                          {static_cast<std::uint32_t>(analysis.replay->devices[d].stateCount())}}});
    }
    if (!wanted.range) {
        return parts;
    }
    const std::size_t main = wanted.device ? devices.value().front() : analysis.mainDevice();
    const auto count = static_cast<std::int64_t>(analysis.snapshot->devices[main].events.count());
    if (count == 0) {
        return Error{ErrorCode::badArgument,
                     say("The trace of {} has no events; leave the range out.",
                         report::deviceName(analysis.snapshot->devices[main])),
                     {}};
    }
    const auto [first, last] = *wanted.range;
    if (first < 0 || last < first || last >= count) {
        return Error{ErrorCode::badArgument,
                     say("There is no range {}:{}; the trace of {} has events 0 to {}.", first,
                         last, report::deviceName(analysis.snapshot->devices[main]), count - 1),
                     {}};
    }
    const Part chosen{
        main, {{static_cast<std::uint32_t>(first)}, {static_cast<std::uint32_t>(last + 2)}}};
    for (Part& part : parts) {
        part.states =
            part.device == main ? chosen.states : statesDuring(analysis, part.device, chosen);
    }
    return parts;
}

Result<Done> writeToStream(std::ostream& out, const Source& source)
{
    switch (source.wanted.format) {
    case Format::perfetto:
        writePerfetto(out, source);
        break;
    case Format::pprof:
        return writePprof(out, source);
    case Format::speedscope:
        writeSpeedscope(out, source);
        break;
    case Format::folded:
        writeFolded(out, source);
        break;
    case Format::sqlite:
        return writeSqlite(out, source);
    case Format::csv:
        break;
    case Format::pickle:
    case Format::json:
        writeCut(out, source);
        break;
    }
    return Done{};
}

} // namespace

std::string hiddenNames(const Source& source)
{
    const trace::InputNote* const note =
        source.analysis.snapshot->notes.find(pipeline::kRedactedNote);
    return note == nullptr ? std::string() : note->text;
}

Result<Format> formatOf(const fs::path& file)
{
    const std::string name = lowered(file.filename().string());
    std::vector<std::string_view> endings;
    for (const FormatInfo& info : kFormats) {
        if (name.ends_with(info.ending)) {
            return info.format;
        }
        endings.push_back(info.ending);
    }
    return Error{ErrorCode::badArgument,
                 say("{}: name a file that ends with {}", file.string(),
                     fmt::format("{}", fmt::join(endings, ", "))),
                 {}};
}

Result<Done> checkExport(const fs::path& file, const Wanted& wanted,
                         std::span<const fs::path> inputs)
{
    const OutputKind kind = infoOf(wanted.format)->kind;
    if (wanted.format != Format::csv) {
        return checkOutput(file, kind, inputs);
    }
    if (wanted.table != kAllTables && tableNamed(wanted.table) == nullptr) {
        std::vector<std::string_view> names;
        for (const TableInfo& table : tables()) {
            names.push_back(table.name);
        }
        return Error{ErrorCode::badArgument,
                     say("There is no table '{}'; choose {} or {}.", wanted.table,
                         fmt::format("{}", fmt::join(names, ", ")), kAllTables),
                     {}};
    }
    for (const auto& [table, name] : csvFiles(file, wanted.table)) {
        if (Result<Done> may = checkOutput(name, kind, inputs, csvHeader(*table));
            !may.has_value()) {
            return may;
        }
    }
    return Done{};
}

Result<Done> writeExport(const fs::path& file, const diagnose::Analysis& analysis,
                         const Wanted& wanted)
{
    Result<std::vector<Part>> parts = partsOf(analysis, wanted);
    if (!parts.has_value()) {
        return parts.error();
    }
    const Source source{analysis, std::move(parts).value(), wanted};
    if (wanted.format == Format::csv) {
        const Result<Done> done = writeCsv(file, source);
        return done.has_value() ? done : writeError(done.error());
    }
    Result<NewFile> made = NewFile::create(file);
    if (!made.has_value()) {
        return writeError(made.error());
    }
    const fs::path& place = made.value().unfinished();
    const Result<Done> written = wanted.format == Format::sqlite && !place.empty()
        ? writeSqlite(place, source)
        : writeToStream(made.value().stream(), source);
    const Result<Done> done = written.has_value() ? made.value().commit() : written;
    return done.has_value() ? done : writeError(done.error());
}

} // namespace tidemark::exports
