// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/core/diagnose/hand_run.h"
#include "tests/core/diagnose/scenarios.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <vector>

namespace tidemark::tst_size_growth {

using namespace tidemark::diagnose;
using label::Bucket;
using label::Phase;
using label::Role;
using test::HandRun;
using test::kM;

namespace {

struct Shape {
    std::int64_t batch = 6;
    std::int64_t sequence = 128;
    std::int64_t heads = 8;
    std::int64_t hidden = 512;
    std::int64_t feed_forward = 2048;
    std::int64_t layers = 4;
    std::int64_t vocabulary = 8000;
    bool trains = true;
    Role matrix = Role::none; ///< As frames name them.
};

/// A decoder whose attention no frame and no role names.
class Decoder {
public:
    explicit Decoder(const Shape& shape)
        : m_shape(shape)
        , m_tokens(shape.batch * shape.sequence)
        , m_run(4096 * kM)
    {
        m_run.phase(Phase::setup, 0);
        weight(shape.vocabulary * shape.hidden);
        for (std::int64_t i = 0; i < shape.layers; ++i) {
            weight(shape.hidden);
            for (int matrix = 0; matrix < 4; ++matrix) {
                weight(shape.hidden * shape.hidden);
            }
            weight(shape.hidden);
            weight(shape.feed_forward * shape.hidden);
            weight(shape.feed_forward * shape.hidden);
        }
        weight(shape.hidden);
        weight(shape.vocabulary * shape.hidden);
        for (std::uint32_t step = 1; step <= 2; ++step) {
            forward(step);
        }
    }
    Analysis finish()
    {
        return m_run.finish();
    }

private:
    void weight(std::int64_t elements)
    {
        m_run.alloc(elements * 4, Bucket::parameter, Role::none);
    }
    void scratch(std::int64_t bytes)
    {
        m_run.free(m_run.alloc(bytes, Bucket::temporary));
    }
    void save(std::int64_t elements, Role role = Role::none)
    {
        if (m_shape.trains) {
            m_saved.push_back(m_run.alloc(elements * 4, Bucket::activation, role));
        } else {
            scratch(elements * 4);
        }
    }
    void layer()
    {
        const std::int64_t rows = m_tokens * m_shape.hidden;
        const std::int64_t scores = m_tokens * m_shape.sequence * m_shape.heads;
        save(m_tokens);
        for (int i = 0; i < 4; ++i) {
            save(rows);
        }
        scratch(m_shape.sequence * 8);
        const auto mask = m_run.alloc(m_shape.sequence * m_shape.sequence, Bucket::temporary);
        scratch(scores * 4);
        m_run.free(mask);
        save(m_tokens * m_shape.heads);
        save(scores, m_shape.matrix);
        save(rows);
        scratch(rows * 4);
        save(m_tokens);
        save(rows);
        save(m_tokens * m_shape.feed_forward);
        save(m_tokens * m_shape.feed_forward);
        scratch(rows * 4);
    }
    void forward(std::uint32_t step)
    {
        m_run.phase(m_shape.trains ? Phase::forward : Phase::inference, step);
        const auto ids = m_run.alloc(m_tokens * 8, Bucket::input);
        save(m_tokens * m_shape.hidden);
        for (std::int64_t i = 0; i < m_shape.layers; ++i) {
            layer();
        }
        save(m_tokens);
        save(m_tokens * m_shape.hidden);
        save(m_tokens * m_shape.vocabulary);
        if (m_shape.trains) {
            m_run.phase(Phase::backward, step);
        }
        while (!m_saved.empty()) {
            scratch(m_tokens * m_shape.hidden * 4);
            m_run.free(m_saved.back());
            m_saved.pop_back();
        }
        m_run.free(ids);
    }

    const Shape& m_shape;
    std::int64_t m_tokens;
    HandRun m_run;
    std::vector<HandRun::Handle> m_saved;
};

Bytes peakOf(const Shape& shape)
{
    const Analysis analysis = Decoder(shape).finish();
    const replay::DeviceReplay& replay = analysis.replay->devices[0];
    return replay.activeAt(replay.peak);
}

} // namespace

class TstSizeGrowth : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void attentionIsFoundWithoutItsName_data();
    void attentionIsFoundWithoutItsName();
    void whatIsNamedAMatrixIsOneWhateverItsSize();
    void theBatchLeavesWhatIsWithoutIt();
    void withoutATransformerTheLawIsAsBefore();
};

void TstSizeGrowth::attentionIsFoundWithoutItsName_data()
{
    QTest::addColumn<bool>("trains");
    QTest::addColumn<double>("ratio");
    QTest::newRow("training, twice as long") << true << 2.0;
    QTest::newRow("training, half as long") << true << 0.5;
    QTest::newRow("no gradients, four times as long") << false << 4.0;
}

void TstSizeGrowth::attentionIsFoundWithoutItsName()
{
    QFETCH(bool, trains);
    QFETCH(double, ratio);
    Shape shape;
    shape.trains = trains;
    const Analysis recorded = Decoder(shape).finish();
    QVERIFY(recorded.program(0).find(program::DimensionName::sequence) != nullptr);
    Shape changed = shape;
    changed.sequence = static_cast<std::int64_t>(static_cast<double>(shape.sequence) * ratio);
    const Bytes truth = peakOf(changed);
    const Prediction p =
        test::predictionOf(recorded, "sequence=" + QByteArray::number(ratio).toStdString());
    QCOMPARE(p.after_peak.value, truth.value);
    QVERIFY(p.after_low <= truth && truth <= p.after_high);
}

void TstSizeGrowth::whatIsNamedAMatrixIsOneWhateverItsSize()
{
    Shape shape;
    shape.sequence = 256;
    shape.matrix = Role::attention_matrix;
    QCOMPARE(shape.heads * shape.sequence, shape.feed_forward); // its rows are as large
    Shape changed = shape;
    changed.sequence = 512;
    const Prediction p = test::predictionOf(Decoder(shape).finish(), "sequence=2");
    QCOMPARE(p.after_peak.value, peakOf(changed).value);
}

void TstSizeGrowth::theBatchLeavesWhatIsWithoutIt()
{
    const Shape shape;
    Shape changed;
    changed.batch = 2 * shape.batch;
    const Prediction p = test::predictionOf(Decoder(shape).finish(), "micro-batch=2");
    QCOMPARE(p.after_peak.value, peakOf(changed).value);
}

void TstSizeGrowth::withoutATransformerTheLawIsAsBefore()
{
    HandRun run(256 * kM);
    run.phase(Phase::setup, 0);
    run.alloc(8 * kM, Bucket::parameter, Role::trainable);
    run.phase(Phase::forward, 1);
    const auto saved = run.alloc(32 * kM, Bucket::activation);
    run.phase(Phase::backward, 1);
    run.free(saved);
    const Analysis analysis = run.finish();
    QVERIFY(analysis.program(0).find(program::DimensionName::tokens) == nullptr);
    QCOMPARE(test::predictionOf(analysis, "sequence=0.5").after_peak.value, (8 + 16) * kM);
}

TIDEMARK_TEST(TstSizeGrowth)

} // namespace tidemark::tst_size_growth

#include "tst_size_growth.moc"
