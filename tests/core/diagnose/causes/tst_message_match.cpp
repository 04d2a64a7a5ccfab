// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
// Whether a message and a trace are of one moment of one card.
#include "core/diagnose/causes/message_match.h"
#include "core/diagnose/diagnose.h"
#include "tests/core/diagnose/scenarios.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

namespace tidemark::tst_message_match {

using namespace tidemark::diagnose;
using label::Bucket;
using test::HandRun;
using test::kM;

namespace {

/// Dies with 400 MiB reserved, 100 of them in use, 4 free, asking for 64: the driver is asked for
/// 64.
Analysis dies(const std::string& message, std::optional<std::int64_t> total = {},
              std::optional<std::int64_t> rank = {})
{
    HandRun run(400 * kM);
    run.alloc(100 * kM, Bucket::parameter);
    run.oom(64 * kM, 4 * kM, Bucket::activation);
    if (total || rank) {
        trace::CaptureDevice device;
        device.index = 0;
        device.total = total ? std::optional(Bytes{*total}) : std::nullopt;
        run.capture().emplace();
        run.capture()->devices = {device};
        run.capture()->rank = rank;
    }
    UserInput input;
    input.message = message;
    return run.finish(input);
}

std::string messageOf(std::string_view gpu, std::string_view tried, std::string_view free,
                      std::string_view reserved = "400.00 MiB")
{
    return "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate " + std::string(tried)
        + " (GPU " + std::string(gpu) + "; 1.00 GiB total capacity; 100.00 MiB already allocated; "
        + std::string(free) + " free; " + std::string(reserved)
        + " reserved in total by PyTorch)\n";
}

std::string whyNot(const Analysis& analysis)
{
    const MessageKeys keys = messageKeysOf(analysis, 0);
    const OomMessage message = messageFor(analysis, keys).value();
    const std::string card = whyOfAnotherCard(message, keys);
    return card.empty() ? whyOfAnotherMoment(message, keys) : card;
}

} // namespace

class TstMessageMatch : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theEventsOwnMessageIsTaken()
    {
        QCOMPARE(whyNot(dies(messageOf("0", "64.00 MiB", "4.00 MiB"))), std::string());
        QCOMPARE(whyNot(dies(messageOf("0", "64.00 MiB", "4.00 MiB"), 1024 * kM, 2)),
                 std::string());
    }
    void equalFreeBytesDoNotMakeItTheSameMoment()
    {
        QCOMPARE(whyNot(dies(messageOf("0", "64.00 MiB", "9.00 MiB"))),
                 std::string("it has 9.00 MiB free, this one 4.00 MiB"));
        QCOMPARE(whyNot(dies(messageOf("0", "900.00 MiB", "4.00 MiB"))),
                 std::string("it requested 900.0 MiB, this one 64.0 MiB"));
        QCOMPARE(whyNot(dies(messageOf("0", "64.00 MiB", "4.00 MiB", "700.00 MiB"))),
                 std::string("it has 700 MiB reserved, this one 400 MiB"));
    }
    void anotherCardIsToldByItsNumberItsRankAndItsSize()
    {
        QCOMPARE(whyNot(dies(messageOf("3", "64.00 MiB", "4.00 MiB"))),
                 std::string("it names GPU 3, this is device 0"));
        QCOMPARE(whyNot(dies("[rank5]: " + messageOf("0", "64.00 MiB", "4.00 MiB"), {}, 2)),
                 std::string("it is from rank 5, this file from rank 2"));
        QCOMPARE(whyNot(dies(messageOf("0", "64.00 MiB", "4.00 MiB"), 2048 * kM)),
                 std::string("its GPU has 1.00 GiB, this one 2.00 GiB"));
    }
    void nothingIsTakenFromAnotherCard()
    {
        const std::string limited = "CUDA out of memory. Tried to allocate 64.00 MiB. GPU 3 has a "
                                    "total capacity of 1.00 GiB of which 4.00 MiB is free. 450.00 "
                                    "MiB allowed; ";
        const Diagnosis own = test::diagnosisOf(
            dies(std::string(limited).replace(limited.find("GPU 3"), 5, "GPU 0")));
        QCOMPARE(own.devices[0].capacity.value().value, 450 * kM);
        const Diagnosis other = test::diagnosisOf(dies(limited));
        QCOMPARE(other.devices[0].capacity.value().value, 404 * kM); // reserved + free of the event
        QVERIFY(other.message.has_value());
        QVERIFY(other.sum_check.find("from another GPU: it names GPU 3, this is device 0")
                != std::string::npos);
    }
    void withoutAnEventTheCapacityIsNotThatOfAnotherCard()
    {
        const auto capacityWith = [](const std::string& message) {
            HandRun run(400 * kM);
            run.alloc(100 * kM, Bucket::parameter);
            UserInput input;
            input.message = message;
            return test::deviceDiagnosisOf(run.finish(input)).capacity;
        };
        QCOMPARE(capacityWith(messageOf("0", "64.00 MiB", "4.00 MiB")).value().value, 404 * kM);
        QVERIFY(!capacityWith(messageOf("1", "64.00 MiB", "4.00 MiB")));
    }
    void ofALogOfManyRanksTheMessageOfTheEventCounts()
    {
        const std::string own = messageOf("0", "64.00 MiB", "4.00 MiB");
        const Analysis analysis = dies(messageOf("1", "2.00 MiB", "1.00 MiB") + own
                                       + messageOf("2", "64.00 MiB", "4.00 MiB"));
        const OomMessage message = messageFor(analysis, messageKeysOf(analysis, 0)).value();
        QCOMPARE(message.gpu.value(), std::int64_t{0});
        // None is: the last.
        const Analysis none =
            dies(messageOf("1", "2.00 MiB", "1.00 MiB") + messageOf("2", "64.00 MiB", "4.00 MiB"));
        QCOMPARE(messageFor(none, messageKeysOf(none, 0)).value().gpu.value(), std::int64_t{2});
    }
};

TIDEMARK_TEST(TstMessageMatch)

} // namespace tidemark::tst_message_match

#include "tst_message_match.moc"
