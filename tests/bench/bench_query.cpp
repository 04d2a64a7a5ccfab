// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
// What asking for allocations of a whole run costs: bench_query FILE, for example one of
// tidemark_bench_file with 2,000,000 events.
#include "core/query/find.h"
#include "core/query/groups.h"
#include "core/query/order.h"
#include "core/reader/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

using namespace tidemark;

namespace {

constexpr int kRounds = 7;

double medianMs(const std::function<void()>& work)
{
    std::vector<double> times;
    for (int i = 0; i < kRounds; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        work();
        const std::chrono::duration<double, std::milli> passed =
            std::chrono::steady_clock::now() - begin;
        times.push_back(passed.count());
    }
    std::ranges::sort(times);
    return times[times.size() / 2];
}

void print(std::string_view what, std::size_t found, double ms)
{
    fmt::print("{:62} | {:9} | {:7.2f} ms\n", what, found, ms);
    std::fflush(stdout);
}

int run(const char* path)
{
    NoProgress progress;
    auto read = reader::read(path, {}, progress, {});
    if (!read.has_value()) {
        fmt::print(stderr, "{}\n", read.error().message);
        return 1;
    }
    const auto snapshot = std::make_shared<const trace::Snapshot>(std::move(read).value());
    const auto replay =
        std::make_shared<const replay::Replay>(replay::run(*snapshot, progress, {}).value());
    const auto labels = std::make_shared<const label::Labels>(
        label::apply(*snapshot, *replay, progress, {}).value());
    std::unique_ptr<const query::AllocationTable> table;
    const double made = medianMs([&] {
        table =
            std::make_unique<const query::AllocationTable>(snapshot, replay, labels, nullptr, 0);
    });
    fmt::print("{} allocations, {} stacks, {} frames\n", table->count(),
               snapshot->stacks.stackCount(), snapshot->stacks.frameCount());
    print("the table", table->count(), made);
    const auto begin = std::chrono::steady_clock::now();
    (void)table->details({});
    const std::chrono::duration<double, std::milli> passed =
        std::chrono::steady_clock::now() - begin;
    print("the places in the model, once", table->count(), passed.count());
    for (const std::string_view text :
         {"", "size>1MiB", "bucket:activation", "kept", "live@peak", "life<1ms", "step:3",
          "stack:attention", "line:model", "module:Linear", "addr:0x7f0000000000", "forward",
          "bucket:activation size>100KiB -stack:attention live@peak life<1ms step:3"}) {
        const query::Query query = query::parse(text).value();
        std::size_t found = 0;
        const double ms = medianMs([&] { found = query::find(*table, query).value().size(); });
        print(text.empty() ? "(everything)" : text, found, ms);
    }
    const std::vector<AllocationId> all = query::find(*table, {}).value();
    for (const auto by : {query::GroupBy::line, query::GroupBy::module, query::GroupBy::size,
                          query::GroupBy::bucket, query::GroupBy::step}) {
        std::size_t found = 0;
        const double ms = medianMs([&] { found = query::groups(*table, all, by).value().size(); });
        print(fmt::format("grouped by {}", query::groupById(by)), found, ms);
    }
    for (const auto key : {query::SortKey::bytes, query::SortKey::bytes_lifetime,
                           query::SortKey::line, query::SortKey::operation}) {
        const double ms =
            medianMs([&] { (void)query::sorted(*table, all, key, true).has_value(); });
        print(fmt::format("sorted by {}", query::infoOf(key).id), all.size(), ms);
    }
    return 0;
}

} // namespace

int main(int argc, char** argv)
{
    if (argc != 2) {
        fmt::print(stderr, "usage: tidemark_bench_query FILE\n");
        return 2;
    }
    return run(argv[1]);
}
