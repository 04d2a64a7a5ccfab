// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/replay/replay.h"
#include "tests/support/test_main.h"
#include "tests/support/trace_script.h"

#include <fmt/format.h>

#include <QtTest/QTest>

#include <map>
#include <random>

namespace tidemark::tst_replay_oracle {

namespace {

/// A random consistent script with its totals counted while it is written: the oracle.
struct RandomScript {
    std::string text;
    std::vector<std::int64_t> totals;

    RandomScript(unsigned seed, int events)
    {
        std::mt19937 random(seed);
        std::map<std::string, std::int64_t> live;
        std::map<std::string, std::int64_t> pending;
        std::vector<std::string> free_addresses;
        std::int64_t total = 0;
        int next = 0;
        const auto pick = [&](std::map<std::string, std::int64_t>& from) {
            return std::next(from.begin(), static_cast<std::ptrdiff_t>(random() % from.size()));
        };
        const int before = static_cast<int>(random() % 5);
        for (int i = 0; i < before; ++i) {
            const auto size = static_cast<std::int64_t>(1 + random() % 5000);
            const std::string name = fmt::format("n{}", next++);
            text += fmt::format("live {} {}\n", name, size);
            live[name] = size;
            total += size;
        }
        totals.push_back(total);
        for (int i = 0; i < events; ++i) {
            const auto what = random() % 10;
            if (what < 5 || (live.empty() && pending.empty())) {
                const auto size = static_cast<std::int64_t>(1 + random() % 5000);
                const std::string name = fmt::format("n{}", next++);
                if (!free_addresses.empty() && random() % 2 == 0) {
                    text += fmt::format("{} +{} at {}\n", name, size, free_addresses.back());
                    free_addresses.pop_back();
                } else {
                    text += fmt::format("{} +{}\n", name, size);
                }
                live[name] = size;
                total += size;
                totals.push_back(total);
            } else if (what < 8 && !live.empty()) {
                const auto it = pick(live);
                text += it->first + " -\n";
                totals.push_back(total);
                total -= it->second;
                totals.push_back(total);
                free_addresses.push_back(it->first);
                live.erase(it);
            } else if (what == 8 && !live.empty()) {
                const auto it = pick(live);
                text += it->first + " -r\n";
                totals.push_back(total);
                pending.insert(*it);
                live.erase(it);
            } else if (!pending.empty()) {
                const auto it = pick(pending);
                text += it->first + " -c\n";
                total -= it->second;
                totals.push_back(total);
                free_addresses.push_back(it->first);
                pending.erase(it);
            }
        }
    }
};

} // namespace

class TstReplayOracle : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void randomScriptsReplayToTheirOwnTotals()
    {
        for (unsigned seed = 1; seed <= 200; ++seed) {
            const RandomScript script(seed, 150);
            const trace::Snapshot snapshot = test::snapshotFromScript(script.text);
            NoProgress progress;
            const replay::Replay r = replay::run(snapshot, progress, {}).value();
            const replay::DeviceReplay& device = r.devices[0];
            QVERIFY2(device.active == script.totals, fmt::format("seed {}", seed).c_str());
            QCOMPARE(device.violations, 0);
            QVERIFY(device.end_matches_segments);
            const auto peak = std::max_element(script.totals.begin(), script.totals.end());
            QCOMPARE(device.peak.index(), static_cast<std::size_t>(peak - script.totals.begin()));
        }
    }
    void everyTruncationOfATraceEndsWhereTheWholeOneDoes()
    {
        // Dropping events at the front, as the ring buffer does, must not change any later total.
        const RandomScript script(42, 120);
        const trace::Snapshot whole = test::snapshotFromScript(script.text);
        const std::size_t n = whole.devices[0].events.count();
        for (std::size_t cut = 0; cut <= n; ++cut) {
            trace::Snapshot part = test::snapshotFromScript(script.text);
            trace::Events& e = part.devices[0].events;
            const auto drop = [&](auto& column) {
                column.erase(column.begin(), column.begin() + static_cast<std::ptrdiff_t>(cut));
            };
            drop(e.action);
            drop(e.address);
            drop(e.size);
            drop(e.stream);
            drop(e.stack);
            drop(e.time);
            NoProgress progress;
            const replay::Replay r = replay::run(part, progress, {}).value();
            const std::vector<std::int64_t> expected(
                script.totals.begin() + static_cast<std::ptrdiff_t>(cut), script.totals.end());
            QVERIFY2(r.devices[0].active == expected, fmt::format("cut {}", cut).c_str());
            QCOMPARE(r.devices[0].violations, 0);
        }
    }
};

TIDEMARK_TEST(TstReplayOracle)

} // namespace tidemark::tst_replay_oracle

#include "tst_replay_oracle.moc"
