// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/curves/phase_peaks.h"
#include "tests/core/curves/random_steps.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <map>

namespace tidemark::tst_phase_peaks {

using curves::PhasePeak;
using label::Phase;

namespace {

/// The slow way: every state asks which span its last event lies in.
std::map<std::pair<std::uint32_t, Phase>, PhasePeak> slowPeaks(const replay::DeviceReplay& replay,
                                                               const replay::BlockTotals& blocks,
                                                               const label::DeviceLabels& labels,
                                                               bool by_step)
{
    std::map<std::pair<std::uint32_t, Phase>, PhasePeak> peaks;
    for (std::uint32_t s = 1; s < replay.stateCount(); ++s) {
        for (const label::PhaseSpan& span : labels.phases) {
            if (s - 1 < span.first.value || s - 1 >= span.end.value) {
                continue;
            }
            const std::uint32_t step = by_step ? span.step : 0;
            PhasePeak now{span.phase,
                          step,
                          {{s}, replay.active[s]},
                          {{s}, blocks.lower[s]},
                          blocks.upper[s],
                          {{s}, replay.reserved[s]}};
            const auto [it, is_new] = peaks.try_emplace({step, span.phase}, now);
            PhasePeak& peak = it->second;
            if (now.requested.bytes > peak.requested.bytes) {
                peak.requested = now.requested;
            }
            if (now.blocks.bytes > peak.blocks.bytes) {
                peak.blocks = now.blocks;
                peak.blocks_upper = now.blocks_upper;
            }
            if (now.reserved.bytes > peak.reserved.bytes) {
                peak.reserved = now.reserved;
            }
        }
    }
    return peaks;
}

} // namespace

class TstPhasePeaks : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyPhaseHasTheLargestOfItsStates()
    {
        for (unsigned seed = 1; seed <= 30; ++seed) {
            const test::RandomSteps run(seed, 150, 1 + seed % 7);
            const auto sizes = replay::blockSizeBounds(run.snapshot, run.replay);
            const replay::BlockTotals blocks = replay::blockTotals(run.device(), sizes[0]);
            const curves::PhasePeaks peaks = curves::phasePeaks(run.device(), blocks, run.labels);
            const auto by_step = slowPeaks(run.device(), blocks, run.labels, true);
            QCOMPARE(peaks.by_step.size(), by_step.size());
            for (const PhasePeak& peak : peaks.by_step) {
                QVERIFY(peak == by_step.at({peak.step, peak.phase}));
            }
            const auto by_phase = slowPeaks(run.device(), blocks, run.labels, false);
            QCOMPARE(peaks.by_phase.size(), by_phase.size());
            for (const PhasePeak& peak : peaks.by_phase) {
                QVERIFY(peak == by_phase.at({0, peak.phase}));
            }
            QVERIFY(std::ranges::is_sorted(peaks.by_step, {}, &PhasePeak::step));
            QVERIFY(std::ranges::is_sorted(peaks.by_phase, {}, &PhasePeak::phase));
        }
    }
    void withoutPhasesThereAreNone()
    {
        const trace::Snapshot snapshot = test::snapshotFromScript("live w 512\n");
        NoProgress progress;
        const replay::Replay r = replay::run(snapshot, progress, {}).value();
        const auto sizes = replay::blockSizeBounds(snapshot, r);
        const curves::PhasePeaks peaks =
            curves::phasePeaks(r.devices[0], replay::blockTotals(r.devices[0], sizes[0]), {});
        QVERIFY(peaks.by_step.empty() && peaks.by_phase.empty());
    }
};

TIDEMARK_TEST(TstPhasePeaks)

} // namespace tidemark::tst_phase_peaks

#include "tst_phase_peaks.moc"
