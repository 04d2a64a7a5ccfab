// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/program/program_evidence.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

namespace tidemark::tst_program_evidence {

using namespace tidemark::label;
using program::Usage;

class TstProgramEvidence : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void bucketsBecomeKinds()
    {
        DeviceLabels labels;
        labels.bucket = {Bucket::parameter, Bucket::gradient,  Bucket::activation, Bucket::kv_cache,
                         Bucket::output,    Bucket::temporary, Bucket::unknown};
        labels.confidence.assign(labels.bucket.size(), 90);
        const program::ProgramInput evidence = evidenceOf(labels, {});
        QCOMPARE(evidence.kind,
                 (std::vector{Usage::weight, Usage::gradient, Usage::saved, Usage::result,
                              Usage::result, Usage::scratch, Usage::unknown}));
    }
    void onlyWhatWasSaidIsCertain()
    {
        DeviceLabels labels;
        labels.bucket = {Bucket::parameter, Bucket::parameter};
        labels.confidence = {100, 98};
        const program::ProgramInput evidence = evidenceOf(labels, {});
        QVERIFY(evidence.isCertain(0));
        QVERIFY(!evidence.isCertain(1));
    }
    void failedRequestsAreAskedAbout()
    {
        DeviceLabels labels;
        labels.failed.push_back({EventId(1U), Bucket::activation, Role::none, 80});
        trace::Events events;
        events.size = {Bytes{512}, Bytes{4096}};
        const program::ProgramInput evidence = evidenceOf(labels, events);
        QCOMPARE(evidence.failed.size(), 1U);
        QCOMPARE(evidence.failed.front().bytes, 4096);
        QCOMPARE(evidence.failed.front().kind, Usage::saved);
    }
};

TIDEMARK_TEST(TstProgramEvidence)

} // namespace tidemark::tst_program_evidence

#include "tst_program_evidence.moc"
