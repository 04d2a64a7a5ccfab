// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/message/explain.h"
#include "core/message/log_findings.h"
#include "core/message/typed_message.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <cmath>

namespace tidemark::tst_typed_message {

using namespace tidemark::diagnose;

class TstTypedMessage : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void figuresOfOwnWordsAreRead_data();
    void figuresOfOwnWordsAreRead();
    void aComplaintWithoutFiguresIsOne_data();
    void aComplaintWithoutFiguresIsOne();
    void whatSaysNoSuchThingIsNone_data();
    void whatSaysNoSuchThingIsNone();
    void whatIsWishedForIsNotSo();
    void aTypedUnitMayMeanEither();
    void onlyShortTextsAreTakenForTypedOnes();
};

void TstTypedMessage::figuresOfOwnWordsAreRead_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<double>("tried");
    QTest::addColumn<double>("total");
    QTest::addColumn<double>("free");
    QTest::addColumn<double>("other"); // in use or allocated
    QTest::newRow("a sentence")
        << "CUDA OOM: tried to alloc 12GB, only 3.2GB left of 24GB. pytorch had 19.8GB allocated"
        << 12.0 << 24.0 << 3.2 << 19.8;
    QTest::newRow("a card's name") << "\"out of memory\" on my 3090 (24GB). nvidia-smi says 23.4GB "
                                      "used. Batch size 8"
                                   << 0.0 << 24.0 << 0.0 << 23.4;
    QTest::newRow("a stroke") << "memory (peak): 71.3 GiB / 79.2 GiB, OOM when allocating 9.8 GiB "
                                 "in loss.backward()"
                              << 9.8 << 79.2 << 0.0 << 71.3;
    QTest::newRow("more") << "OOM on the GPU, it used 70 GiB and wanted 12.5 GiB more" << 12.5
                          << 0.0 << 0.0 << 70.0;
    QTest::newRow("a card") << "goes OOM on a 16 GiB card, torch asked for 2 GiB" << 2.0 << 16.0
                            << 0.0 << 0.0;
}

void TstTypedMessage::figuresOfOwnWordsAreRead()
{
    QFETCH(QString, text);
    QFETCH(double, tried);
    QFETCH(double, total);
    QFETCH(double, free);
    QFETCH(double, other);
    const LogFindings findings = readLog(text.toStdString());
    QCOMPARE(findings.main, std::optional<std::size_t>(0));
    const OomMessage& m = findings.messages[0];
    const auto is = [](const std::optional<Bytes>& bytes, double wanted) {
        return wanted == 0 ? !bytes : bytes && bytes->value == std::llround(wanted * 0x1p30);
    };
    QVERIFY(is(m.tried, tried));
    QVERIFY(is(m.total, total));
    QVERIFY(is(m.free, free));
    QVERIFY(is(m.allocated ? m.allocated : m.in_use, other));
    QVERIFY(!m.is_bare);
}

void TstTypedMessage::aComplaintWithoutFiguresIsOne_data()
{
    QTest::addColumn<QString>("text");
    QTest::newRow("words") << "my training runs out of memory on the GPU after an hour";
    QTest::newRow("letters") << "OOM in backward";
    QTest::newRow("at the end") << "torchrun train.py --batch size 4 -> OOM";
}

void TstTypedMessage::aComplaintWithoutFiguresIsOne()
{
    QFETCH(QString, text);
    const auto message = readTypedMessage(text.toStdString());
    QVERIFY(message && message->is_bare);
    // Of training: what fills the GPU most often there, and no more than likely.
    const CauseFinding first = explain(text.toStdString()).causes.front();
    QCOMPARE(first.cause, Cause::activations);
    QVERIFY(first.score < 0.6 && !first.to_be_sure.empty());
}

void TstTypedMessage::whatSaysNoSuchThingIsNone_data()
{
    QTest::addColumn<QString>("text");
    QTest::newRow("a room") << "there is no room on the GPU for 3 GiB";
    QTest::newRow("advice") << "to avoid OOM on small GPUs use a batch size of 4";
    QTest::newRow("a count") << "gpu 0: num_ooms: 0";
    QTest::newRow("a host") << "the server went out of memory at night";
    QTest::newRow("a good run") << "finished on the GPU without OOM, 71.3 GiB / 79.2 GiB";
    QTest::newRow("a good end") << "Training completed. Peak memory 20 GB. No CUDA out of memory "
                                   "errors were seen.";
    QTest::newRow("a good report")
        << "I trained a 7B model on 8 A100 80GB for 3 epochs without any "
           "CUDA out of memory error. Peak memory was 61 GB. How can I "
           "make it faster?";
}

void TstTypedMessage::whatSaysNoSuchThingIsNone()
{
    QFETCH(QString, text);
    QVERIFY(!readTypedMessage(text.toStdString()));
    QVERIFY(!readLog(text.toStdString()).main);
}

/// Whoever asks how to get there has the error.
void TstTypedMessage::whatIsWishedForIsNotSo()
{
    for (const char* const text :
         {"How do I train a 7B model on one GPU without CUDA out of memory?",
          "I want to train it without any CUDA out of memory error on my RTX 3090",
          "no luck: CUDA out of memory", "There is no way around it. CUDA out of memory"}) {
        QVERIFY2(readLog(text).main.has_value(), text);
    }
    const Explanation e = explain("Training completed. No CUDA out of memory errors were seen.");
    QCOMPARE(e.causes.front().cause, Cause::none);
}

void TstTypedMessage::aTypedUnitMayMeanEither()
{
    const auto message = readTypedMessage("CUDA OOM, 3GB left");
    QVERIFY(message.has_value());
    const PrintedFigure* figure = message->figure("free");
    QVERIFY(figure != nullptr);
    QVERIFY(figure->low.value <= 3'000'000'000 && figure->high.value >= 3LL << 30);
}

void TstTypedMessage::onlyShortTextsAreTakenForTypedOnes()
{
    const std::string words = "OOM on the GPU, 3GB left\n";
    QVERIFY(readLog(words).main.has_value());
    QVERIFY(!readLog(words + std::string(5000, 'x')).main);
    // PyTorch's own words count more.
    const LogFindings both = readLog(words + "Tried to allocate 2.00 GiB. GPU has 1.5 GiB free");
    QCOMPARE(both.messages.size(), std::size_t{1});
    QCOMPARE(both.messages[0].tried->value, 2LL << 30);
}

TIDEMARK_TEST(TstTypedMessage)

} // namespace tidemark::tst_typed_message

#include "tst_typed_message.moc"
