// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/query/bands.h"

#include "core/base/format.h"
#include "core/base/language.h"
#include "core/base/progress.h"
#include "core/query/groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>
#include <utility>

namespace tidemark::query {
namespace {

struct BandWord {
    std::string_view id;
    std::string_view name;
};
constexpr std::array<BandWord, kBandByCount> kWords{{{"bucket", toSay("bucket")},
                                                     {"module", toSay("module")},
                                                     {"stack", toSay("line of code")},
                                                     {"size", toSay("size")},
                                                     {"lifetime", toSay("lifetime")},
                                                     {"stream", toSay("stream")},
                                                     {"pool", toSay("pool")}}};

/// Up to this request the caching allocator takes a block from the small pool. Source: kSmallSize
/// in c10/cuda/CUDACachingAllocator.cpp, torch 2.11.
constexpr std::int64_t kSmallRequest = std::int64_t{1} << 20;

/// Lower ends of the classes, the largest first; below the last lies one more.
constexpr std::array<std::int64_t, 5> kSizes{std::int64_t{1} << 30, std::int64_t{100} << 20,
                                             std::int64_t{10} << 20, std::int64_t{1} << 20,
                                             std::int64_t{64} << 10};
/// Microseconds.
constexpr std::array<std::int64_t, 5> kTimes{10'000'000, 1'000'000, 100'000, 10'000, 1'000};
constexpr std::array<std::int64_t, 4> kEvents{10'000, 1'000, 100, 10};

/// The class of a value, 0 for the largest.
template <std::size_t N>
std::int64_t classOf(const std::array<std::int64_t, N>& ends, std::int64_t value)
{
    const auto end = std::ranges::find_if(ends, [value](std::int64_t e) { return value >= e; });
    return end - ends.begin();
}

template <std::size_t N, class Text>
std::string className(const std::array<std::int64_t, N>& ends, std::int64_t number,
                      const Text& text)
{
    const auto i = static_cast<std::size_t>(number);
    if (i == 0) {
        return say("{} and more", text(ends[0]));
    }
    return i == N ? say("below {}", text(ends[N - 1]))
                  : say("{} to {}", text(ends[i]), text(ends[i - 1]));
}

std::string roundBytes(std::int64_t bytes)
{
    constexpr std::array<std::string_view, 4> kUnits{"B", "KiB", "MiB", "GiB"};
    std::size_t unit = 0;
    while (bytes >= 1024 && unit + 1 < kUnits.size()) {
        bytes /= 1024;
        ++unit;
    }
    return fmt::format("{} {}", bytes, kUnits[unit]);
}

std::string roundTime(std::int64_t microseconds)
{
    return microseconds >= 1'000'000 ? fmt::format("{} s", microseconds / 1'000'000)
                                     : say("{} ms", microseconds / 1'000);
}

/// Says what group an allocation belongs to, and what the group is called.
class Grouper {
public:
    Grouper(const AllocationTable& table, BandBy by, std::shared_ptr<const label::Details> details)
        : m_table(table)
        , m_by(by)
        , m_details(std::move(details))
    {
    }
    /// Whether its groups have an order of their own.
    [[nodiscard]] bool isOrdered() const
    {
        return m_by == BandBy::bucket || m_by == BandBy::size || m_by == BandBy::lifetime;
    }
    [[nodiscard]] std::int64_t keyOf(AllocationId a)
    {
        const replay::Allocations& all = m_table.replay().allocations;
        switch (m_by) {
        case BandBy::bucket:
            return static_cast<std::int64_t>(label::indexOf(m_table.labels().bucket[a.index()]));
        case BandBy::module:
            return m_details->devices[m_table.deviceIndex()].modules.module[a.index()].value;
        case BandBy::stack:
            return m_table.line(a);
        case BandBy::size:
            return classOf(kSizes, m_table.bytes(a).value);
        case BandBy::lifetime:
            if (m_table.isKept(a)) {
                return 0;
            }
            return 1
                + (m_table.hasTimes() ? classOf(kTimes, m_table.lifetime(a))
                                      : classOf(kEvents, m_table.lifetimeInEvents(a)));
        case BandBy::stream:
            // The file's numbers are pointers: the first one met is stream 0, as in the memory map.
            return m_streams.try_emplace(all.stream[a.index()], m_streams.size()).first->second;
        case BandBy::pool: {
            const trace::PoolId pool = all.pool.empty() ? trace::PoolId{} : all.pool[a.index()];
            if (pool.isPrivate()) {
                return 2 + m_pools.try_emplace(pool, m_pools.size()).first->second;
            }
            return m_table.bytes(a).value <= kSmallRequest ? 1 : 0;
        }
        }
        return 0;
    }
    [[nodiscard]] std::string nameOf(std::int64_t key) const
    {
        switch (m_by) {
        case BandBy::bucket:
            return std::string(label::bucketName(label::bucketAt(static_cast<std::size_t>(key))));
        case BandBy::module: {
            const label::ModuleId module(static_cast<std::uint32_t>(key));
            return module.isNone() ? say("No module") : m_details->paths.path(module).text();
        }
        case BandBy::stack: {
            const std::string& line = m_table.lineText(static_cast<LineNumber>(key));
            return line.empty() ? say("No stack recorded") : line;
        }
        case BandBy::size:
            return className(kSizes, key, roundBytes);
        case BandBy::lifetime:
            if (key == 0) {
                return say("Until the end");
            }
            return m_table.hasTimes() ? className(kTimes, key - 1, roundTime)
                                      : className(kEvents, key - 1, [](std::int64_t n) {
                                            return say("{} events", formatCount(n));
                                        });
        case BandBy::stream:
            return say("Stream {}", key);
        case BandBy::pool:
            return key == 0 ? say("Large blocks")
                : key == 1  ? say("Small blocks")
                            : say("Private pool {}", key - 1);
        }
        return {};
    }

private:
    const AllocationTable& m_table;
    BandBy m_by;
    std::shared_ptr<const label::Details> m_details;
    std::unordered_map<std::uint64_t, std::int64_t> m_streams;
    std::map<trace::PoolId, std::int64_t> m_pools;
};

} // namespace

std::optional<BandBy> bandByFromId(std::string_view id)
{
    const auto found = std::ranges::find(kWords, id, &BandWord::id);
    return found == kWords.end() ? std::nullopt
                                 : std::optional(static_cast<BandBy>(found - kWords.begin()));
}

std::string_view bandById(BandBy by)
{
    return kWords[static_cast<std::size_t>(by)].id;
}

std::string_view bandByName(BandBy by)
{
    return translated(kWords[static_cast<std::size_t>(by)].name);
}

Result<Bands> bands(const AllocationTable& table, BandBy by, const std::stop_token& stop)
{
    std::shared_ptr<const label::Details> details;
    if (by == BandBy::module) {
        details = table.details(stop);
        if (details == nullptr) {
            return groupingStopped();
        }
    }
    Grouper grouper(table, by, std::move(details));
    const replay::Allocations& all = table.replay().allocations;
    std::unordered_map<std::int64_t, double> areas;
    std::vector<std::int64_t> keys;
    keys.reserve(all.count());
    for (std::size_t i = 0; i < all.count(); ++i) {
        if (i % kStopCheckStride == 0 && stop.stop_requested()) {
            return groupingStopped();
        }
        const AllocationId a(i);
        keys.push_back(grouper.keyOf(a));
        areas[keys.back()] += static_cast<double>(table.bytes(a).value)
            * static_cast<double>(table.lifetimeInEvents(a));
    }
    std::vector<std::pair<std::int64_t, double>> order(areas.begin(), areas.end());
    std::ranges::sort(order, [&](const auto& x, const auto& y) {
        return grouper.isOrdered() || x.second == y.second ? x.first < y.first
                                                           : x.second > y.second;
    });
    Bands result;
    result.by = by;
    std::unordered_map<std::int64_t, label::Bucket> band_of;
    const std::size_t most = by == BandBy::bucket ? label::kBucketCount : kMostBands;
    const std::size_t own = order.size() <= most ? order.size() : most - 1;
    for (std::size_t i = 0; i < order.size(); ++i) {
        band_of[order[i].first] = label::bucketAt(std::min(i, own));
        if (i < own) {
            result.names.push_back(grouper.nameOf(order[i].first));
        }
    }
    if (own < order.size()) {
        result.other = own;
        result.names.push_back(say("Other ({})", formatCount(std::int64_t(order.size() - own))));
    }
    result.of.reserve(keys.size());
    for (const std::int64_t key : keys) {
        result.of.push_back(band_of[key]);
    }
    return result;
}

} // namespace tidemark::query
