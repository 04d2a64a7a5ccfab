// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/job/dump_names.h"

#include "core/base/language.h"
#include "core/job/number_meaning.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

namespace tidemark::job {
namespace {

void appendWord(std::string& text, std::string_view separator, std::string_view word)
{
    if (!text.empty() && text.back() != '/') {
        text += separator;
    }
    text += word;
}

/// Splits what is left of a path into the job's name and its moment's words, which stand behind the
/// rank or are words for moments.
void nameJob(PathReading& reading)
{
    const PathFields& fields = reading.fields;
    std::size_t folder = 0;
    bool is_behind = false;
    for (const PathItem& item : fields.items) {
        if (item.folder != folder && !is_behind) {
            for (std::string* text : {&reading.key, &reading.shown}) {
                if (!text->empty() && text->back() != '/') {
                    *text += '/';
                }
            }
        }
        folder = item.folder;
        std::string text = item.text;
        if (item.role == PathItem::Role::slot) {
            is_behind = is_behind || item.slot == reading.rank;
            if (item.slot == reading.rank || item.slot == reading.step
                || (reading.rank && fields.slots[item.slot].is_local)
                || (fields.slots[item.slot].word == SlotWord::rank
                    && fields.slots[item.slot].value == reading.name.rank)) {
                continue;
            }
            text += std::to_string(fields.slots[item.slot].value);
        }
        const bool is_neutral = item.role == PathItem::Role::neutral;
        if (item.role == PathItem::Role::moment || (is_behind && !is_neutral)) {
            appendWord(reading.words, item.is_glued ? "" : " ", text);
        } else if (!is_behind) {
            appendWord(reading.shown, item.is_glued ? "" : "_", text);
            if (!is_neutral) {
                appendWord(reading.key, item.is_glued ? "" : "_", text);
            }
        }
    }
    reading.key += reading.rank ? "*" : "";
}

/// The dumps of one job.
class NamedGroup {
public:
    NamedGroup(std::vector<PathReading>& readings, PathIndices members)
        : m_readings(readings)
        , m_members(std::move(members))
    {
    }

    void finish()
    {
        numberAcrossHosts();
        settleCoordinates();
        settleWords();
        numberDoubled();
        std::string shown;
        bool has_rank = false;
        std::optional<std::uint32_t> world;
        for (const std::size_t i : m_members) {
            const PathReading& reading = m_readings[i];
            const bool is_first = shown.empty() || reading.shown < shown;
            shown = !reading.shown.empty() && is_first ? reading.shown : shown;
            has_rank = has_rank || reading.rank;
            world = reading.fields.world_size ? reading.fields.world_size : world;
        }
        if (shown.ends_with('/')) {
            shown.pop_back();
        }
        if (has_rank) {
            appendWord(shown, " ", "rank*");
        }
        if (world) {
            appendWord(shown, " ", fmt::format("of {}", *world));
        }
        for (const std::size_t i : m_members) {
            PathReading& reading = m_readings[i];
            reading.name.group = shown;
            reading.name.host = reading.fields.host;
            reading.name.world_size = reading.fields.world_size;
            reading.name.moment = {reading.fields.step, reading.fields.kind, reading.words};
            reading.name.coordinates = std::move(reading.fields.coordinates);
        }
    }

private:
    DumpName& name(std::size_t i)
    {
        return m_readings[i].name;
    }

    /// Where hosts have the same ranks, these are ranks of a host: torchrun numbers the processes
    /// of one host after those of another. Without the hosts' order a rank of the job is not known.
    void numberAcrossHosts()
    {
        std::map<std::string, std::set<std::uint32_t>> ranks;
        std::map<std::string, std::optional<std::uint64_t>> numbers;
        for (const std::size_t i : m_members) {
            if (name(i).rank) {
                ranks[m_readings[i].fields.host].insert(*name(i).rank);
                numbers[m_readings[i].fields.host] = m_readings[i].fields.host_number;
            }
        }
        std::set<std::uint32_t> all;
        std::size_t count = 0;
        for (const auto& [host, own] : ranks) {
            all.insert(own.begin(), own.end());
            count += own.size();
        }
        if (ranks.size() < 2 || ranks.contains("") || count == all.size()) {
            return;
        }
        const std::uint32_t per_host = *all.rbegin() + 1;
        std::uint64_t first = std::numeric_limits<std::uint64_t>::max();
        bool is_known = std::ranges::any_of(
            ranks, [&](const auto& own) { return own.second.size() == per_host; });
        for (const auto& [host, number] : numbers) {
            is_known = is_known && number;
            first = std::min(first, number.value_or(0));
        }
        is_known = is_known && first <= 1;
        for (const std::size_t i : m_members) {
            if (name(i).rank && is_known) {
                const std::uint64_t before = *m_readings[i].fields.host_number - first;
                *name(i).rank += static_cast<std::uint32_t>(before * per_host);
            } else {
                name(i).rank.reset();
            }
        }
    }

    /// Rank 0 lies at 0 on each axis: what says otherwise is the size of one ("tp2"). Without any
    /// rank the only axis that differs numbers the processes.
    void settleCoordinates()
    {
        std::map<std::string, std::set<std::int64_t>> axes;
        std::set<std::string> sizes;
        bool has_rank = false;
        for (const std::size_t i : m_members) {
            has_rank = has_rank || name(i).rank;
            for (const auto& [axis, value] : m_readings[i].fields.coordinates) {
                axes[axis].insert(value);
                if (name(i).rank == 0U && value > 0) {
                    sizes.insert(axis);
                }
            }
        }
        std::vector<std::string> varying;
        for (const auto& [axis, values] : axes) {
            if (values.size() > 1) {
                varying.push_back(axis);
            }
        }
        for (const std::size_t i : m_members) {
            std::erase_if(m_readings[i].fields.coordinates,
                          [&](const auto& at) { return sizes.contains(at.first); });
        }
        if (has_rank || varying.size() != 1) {
            return;
        }
        for (const std::size_t i : m_members) {
            const auto at = m_readings[i].fields.coordinates.find(varying.front());
            if (at != m_readings[i].fields.coordinates.end()) {
                name(i).rank = static_cast<std::uint32_t>(at->second);
            }
        }
    }

    /// Words that differ between ranks alone are no moments.
    void settleWords()
    {
        using Who = std::pair<std::string, std::optional<std::uint32_t>>;
        std::map<Who, const std::string*> first;
        const bool differ = std::ranges::any_of(m_members, [&](std::size_t i) {
            const auto [at, is_new] =
                first.emplace(Who(m_readings[i].fields.host, name(i).rank), &m_readings[i].words);
            return !is_new && *at->second != m_readings[i].words;
        });
        for (const std::size_t i : m_members) {
            m_readings[i].words = differ ? m_readings[i].words : std::string();
        }
    }

    /// Dumps of one process whose names differ in their times alone are moments in that order; the
    /// first of a rank goes with the first of the others.
    void numberDoubled()
    {
        using Which = std::tuple<std::optional<std::int64_t>, DumpKind, std::string>;
        using Who = std::pair<std::string, std::optional<std::uint32_t>>;
        std::map<Which, std::map<Who, PathIndices>> same;
        for (const std::size_t i : m_members) {
            const PathFields& fields = m_readings[i].fields;
            if (name(i).rank) {
                same[{fields.step, fields.kind, m_readings[i].words}][{fields.host, name(i).rank}]
                    .push_back(i);
            }
        }
        for (auto& [which, ranks] : same) {
            // Of several processes the dumps are doubled, not later.
            std::erase_if(ranks, [this](const auto& dumps) { return !areInOrder(dumps.second); });
            const bool are_several = std::ranges::any_of(
                ranks, [](const auto& dumps) { return dumps.second.size() > 1; });
            for (auto& [who, dumps] : ranks) {
                std::ranges::sort(dumps, {},
                                  [this](std::size_t i) { return m_readings[i].fields.time; });
                for (std::size_t k = 0; are_several && k < dumps.size(); ++k) {
                    appendWord(m_readings[dumps[k]].words, " ", fmt::format("#{}", k + 1));
                }
            }
        }
    }
    /// Whether each has a time of its own, and all are of one process, as far as they tell.
    [[nodiscard]] bool areInOrder(const PathIndices& dumps) const
    {
        std::set<std::string> times;
        std::set<std::string> pids;
        for (const std::size_t i : dumps) {
            times.insert(m_readings[i].fields.time);
            pids.insert(m_readings[i].fields.pid);
        }
        return times.size() == dumps.size() && !times.contains("") && pids.size() == 1;
    }

    std::vector<PathReading>& m_readings;
    PathIndices m_members;
};

/// Whether the ranks of these jobs are those of the hosts of one: each names ranks of its host
/// alone
/// ("local_rank"), or each has the next n of the job's ranks, as torchrun numbers them.
bool areHosts(const std::vector<PathReading>& readings, const std::vector<const PathIndices*>& jobs)
{
    std::set<std::uint32_t> all;
    bool are_local = true;
    std::size_t per_host = 0;
    for (const PathIndices* const job : jobs) {
        std::set<std::uint32_t> own;
        for (const std::size_t i : *job) {
            const PathReading& reading = readings[i];
            const Slot& slot = reading.fields.slots[*reading.rank];
            are_local = are_local && slot.is_local && slot.word == SlotWord::rank;
            if (!reading.fields.host.empty()) {
                return false;
            }
            own.insert(*reading.name.rank);
        }
        per_host = per_host == 0 ? own.size() : per_host;
        const bool is_block = own.size() == per_host && *own.begin() % per_host == 0
            && *own.rbegin() - *own.begin() + 1 == per_host && !all.contains(*own.begin());
        per_host = is_block ? per_host : 1;
        all.insert(own.begin(), own.end());
    }
    return are_local
        || (per_host > 1 && all.size() == per_host * jobs.size()
            && *all.rbegin() + 1 == all.size());
}

/// Puts jobs together that are the hosts of one, and differ in one part of the path.
void mergeHosts(std::vector<PathReading>& readings, std::map<std::string, PathIndices>& jobs)
{
    constexpr std::size_t kMostParts = 4;
    std::map<std::string, std::map<std::string, std::string>> masked; // → the part → the key.
    for (const auto& [key, members] : jobs) {
        std::size_t end = key.ends_with('*') ? key.size() - 1 : std::string::npos;
        for (std::size_t part = 0; part < kMostParts && end != std::string::npos; ++part) {
            const std::size_t slash = end == 0 ? std::string::npos : key.rfind('/', end - 1);
            const std::size_t begin = slash == std::string::npos ? 0 : slash + 1;
            if (end > begin) {
                masked[key.substr(0, begin) + '*' + key.substr(end)].emplace(
                    key.substr(begin, end - begin), key);
            }
            end = slash;
        }
    }
    for (const auto& [mask, parts] : masked) {
        std::vector<const PathIndices*> found;
        for (const auto& [part, key] : parts) {
            const auto job = jobs.find(key);
            if (job != jobs.end()) {
                found.push_back(&job->second);
            }
        }
        if (found.size() < 2 || found.size() != parts.size() || !areHosts(readings, found)) {
            continue;
        }
        PathIndices all;
        for (const auto& [part, key] : parts) {
            for (const std::size_t i : jobs.at(key)) {
                readings[i].fields.host = part;
                readings[i].shown = mask.substr(0, mask.size() - 1);
                all.push_back(i);
            }
            jobs.erase(key);
        }
        jobs.emplace(mask + '*', std::move(all));
    }
}

/// A job has one number of ranks: where files contradict they are of several jobs.
void splitByWorld(std::vector<PathReading>& readings, const PathIndices& members)
{
    std::map<std::optional<std::uint32_t>, PathIndices> worlds;
    for (const std::size_t i : members) {
        worlds[readings[i].fields.world_size].push_back(i);
    }
    const std::size_t stated = worlds.size() - worlds.count(std::nullopt);
    if (stated < 2) {
        NamedGroup(readings, members).finish();
        return;
    }
    for (const auto& [world, own] : worlds) {
        NamedGroup(readings, own).finish();
    }
}

} // namespace

std::strong_ordering operator<=>(const DumpMoment& a, const DumpMoment& b)
{
    // What is written at the end without its step comes after all steps.
    const auto key = [](const DumpMoment& moment) {
        constexpr auto kLast = std::numeric_limits<std::int64_t>::max();
        return std::tuple(moment.step.value_or(moment.kind == DumpKind::periodic ? -1 : kLast),
                          moment.kind, std::string_view(moment.words), moment.step.has_value());
    };
    return key(a) <=> key(b);
}

std::string DumpMoment::text() const
{
    std::string text = step ? say("step {}", *step) : std::string();
    const auto add = [&](const std::string& word) { text += (text.empty() ? "" : ", ") + word; };
    if (!words.empty()) {
        add(words);
    }
    if (kind != DumpKind::periodic) {
        add(kind == DumpKind::oom ? say("out of memory") : say("exit"));
    }
    return text;
}

DumpMoment momentOf(std::string_view text)
{
    const PathFields fields = readFields(text);
    DumpMoment moment{fields.step, fields.kind, {}};
    for (const PathItem& item : fields.items) {
        std::string word = item.text;
        if (item.role == PathItem::Role::slot) {
            word += std::to_string(fields.slots[item.slot].value);
        }
        appendWord(moment.words, item.is_glued ? "" : " ", word);
    }
    return moment;
}

std::vector<DumpName> nameDumps(std::span<const std::string> paths)
{
    std::vector<PathReading> readings(paths.size());
    std::map<std::string, PathIndices> families;
    for (std::size_t i = 0; i < paths.size(); ++i) {
        readings[i].fields = readFields(paths[i]);
        families[familyKey(readings[i].fields)].push_back(i);
    }
    for (const auto& [key, members] : families) {
        findRanks(readings, members);
    }
    std::map<std::string, PathIndices> jobs;
    for (std::size_t i = 0; i < readings.size(); ++i) {
        nameJob(readings[i]);
        jobs[readings[i].key].push_back(i);
    }
    mergeHosts(readings, jobs);
    for (const auto& [key, members] : jobs) {
        splitByWorld(readings, members);
    }
    std::vector<DumpName> names;
    names.reserve(readings.size());
    for (PathReading& reading : readings) {
        names.push_back(std::move(reading.name));
    }
    return names;
}

} // namespace tidemark::job
