// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/report/simulation.h"
#include "tests/core/report/hand_made_analysis.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <algorithm>
#include <string>
#include <vector>

namespace tidemark::tst_simulation_verdict {
namespace {

using namespace tidemark::report;

/// A run replayed with its own settings on a GPU of so much.
allocator::Study replayed(Bytes capacity)
{
    allocator::Study study;
    study.baseline.states_checked = 1;
    study.capacity = {capacity, capacity, allocator::CapacitySource::given};
    study.recorded.conditions.capacity = capacity;
    study.recorded.reserved_peak = kGiB;
    study.result = study.recorded;
    return study;
}

class TstSimulationVerdict : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// That a failed request would have passed says nothing of those behind it.
    void aRunThatDiedIsNotSaidToHaveEnough()
    {
        allocator::Study study = replayed(Bytes{80 * kGiB.value});
        QCOMPARE(simulationVerdict(study),
                 std::string("With the recorded settings the run has enough memory."));
        study.recorded.passed.push_back({EventId(std::size_t{7}), kGiB});
        study.result = study.recorded;
        QCOMPARE(simulationVerdict(study),
                 std::string("With the recorded settings the run gets past the failed request."));
        study.result.conditions.settings.expandable_segments = true;
        study.result.conditions.settings.text = "expandable_segments:True";
        QCOMPARE(simulationVerdict(study),
                 std::string("The recorded settings get past the failed request, and none of "
                             "those tried would reserve less."));
        study.result.reserved_peak = kGiB - kMiB;
        QCOMPARE(simulationVerdict(study),
                 std::string("The recorded settings get past the failed request; "
                             "expandable_segments:True would reserve 1.00 MiB less at the peak."));
        study.recorded.passed.clear();
        QVERIFY(simulationVerdict(study).starts_with("The recorded settings suffice"));
    }

    void twoSettingsThatDoNotGoTogetherAreSaid()
    {
        const diagnose::Analysis analysis = test::handMadeDeath();
        SimulatedDevice simulated{0, replayed(kGiB)};
        const auto warns = [&] {
            const std::vector<std::string> limits = simulationLimits(analysis, simulated);
            return std::ranges::any_of(limits, [](const std::string& limit) {
                return limit.starts_with("Unset max_split_size_mb");
            });
        };
        allocator::Settings& asked = simulated.study.result.conditions.settings;
        asked.expandable_segments = true;
        QVERIFY(!warns());
        asked.max_split = 64 * kMiB.value;
        QVERIFY(warns());
        asked.expandable_segments = false;
        QVERIFY(!warns());
    }
};

} // namespace

TIDEMARK_TEST(TstSimulationVerdict)

} // namespace tidemark::tst_simulation_verdict

#include "tst_simulation_verdict.moc"
