// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/curves/module_bytes.h"
#include "tests/core/curves/random_steps.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <map>
#include <set>

namespace tidemark::tst_module_bytes {

using curves::ModuleBytes;

class TstModuleBytes : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyStateIsASumOverWhatLives()
    {
        for (unsigned seed = 1; seed <= 15; ++seed) {
            const test::RandomSteps run(seed, 90, 3);
            const replay::DeviceReplay& device = run.device();
            label::ModulePlaces places;
            std::mt19937 random(seed);
            for (std::size_t i = 0; i < device.allocations.count(); ++i) {
                const auto module = static_cast<std::uint32_t>(random() % 4);
                places.module.push_back(module == 3 ? label::ModuleId::none()
                                                    : label::ModuleId(module));
                places.layer.push_back(static_cast<std::uint16_t>(random() % 3));
            }
            for (std::uint32_t s = 0; s < device.stateCount(); ++s) {
                compare(device, run.labels, places, {s});
            }
        }
    }

private:
    static void compare(const replay::DeviceReplay& device, const label::DeviceLabels& labels,
                        const label::ModulePlaces& places, StateId state)
    {
        struct Slow {
            std::int64_t bytes = 0;
            std::uint32_t count = 0;
            std::set<std::uint16_t> layers;
            std::int64_t largest = 0;
        };
        std::map<std::pair<label::Bucket, label::ModuleId>, Slow> slow;
        for (std::size_t i = 0; i < device.allocations.count(); ++i) {
            if (!device.allocations.isLive(AllocationId(i), state)) {
                continue;
            }
            Slow& one = slow[{labels.bucket[i], places.module[i]}];
            const std::int64_t bytes = device.allocations.requested[i].value;
            one.bytes += bytes;
            ++one.count;
            one.largest = std::max(one.largest, bytes);
            if (places.layer[i] > 0) {
                one.layers.insert(places.layer[i]);
            }
        }
        const std::vector<ModuleBytes> rows = curves::moduleBytes(device, labels, places, state);
        QCOMPARE(rows.size(), slow.size());
        QVERIFY(std::ranges::is_sorted(rows, std::ranges::greater{}, &ModuleBytes::bytes));
        for (const ModuleBytes& row : rows) {
            const Slow& one = slow.at({row.bucket, row.module});
            QCOMPARE(row.bytes, one.bytes);
            QCOMPARE(row.count, one.count);
            QCOMPARE(std::size_t{row.layers}, one.layers.size());
            QCOMPARE(device.allocations.requested[row.largest.index()].value, one.largest);
        }
    }
};

TIDEMARK_TEST(TstModuleBytes)

} // namespace tidemark::tst_module_bytes

#include "tst_module_bytes.moc"
