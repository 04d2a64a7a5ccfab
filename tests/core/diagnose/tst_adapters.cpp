// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/core/diagnose/scenarios.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <string>
#include <vector>

using namespace tidemark;
using namespace tidemark::diagnose;
using label::Bucket;
using label::Phase;
using label::Role;
using test::HandRun;
using test::kM;

namespace {

// A hidden state of 256 numbers in 32 bits, 4096 rows, 4096 words.
constexpr std::int64_t kVector = 256 * 4;
constexpr std::int64_t kSquare = 256 * kVector;
constexpr std::int64_t kWide = 4 * kSquare;
constexpr std::int64_t kWords = 4096 * kVector;
constexpr std::int64_t kHidden = 4096 * kVector; // 4 MiB
constexpr std::int64_t kLogits = 4096 * 4096 * 4; // 64 MiB
constexpr std::int64_t kRows = 4096 * 4; // One number per row.

const std::string kLinear = "forward /site-packages/torch/nn/modules/linear.py:114; ";
const std::string kNorm = "layer_norm /site-packages/torch/nn/functional.py:2515; ";

/// One step of SGD with momentum of a model with so many blocks: a norm, queries, keys and values
/// in one, the projection; a norm, what widens and what narrows.
class Model {
public:
    explicit Model(int blocks)
        : m_run(900 * kM)
        , m_blocks(blocks)
    {
        m_run.phase(Phase::setup, 0);
        weights([&](std::int64_t bytes) {
            m_run.alloc(bytes, Bucket::parameter, Role::trainable, "__init__ /home/me/model.py:5");
        });
    }
    [[nodiscard]] Prediction predicted(const char* changes)
    {
        m_run.phase(Phase::input, 1);
        m_run.alloc(4096 * 8, Bucket::input);
        forward();
        backward();
        return test::predictionOf(m_run.finish(), changes);
    }
    [[nodiscard]] std::int64_t weightBytes() const
    {
        std::int64_t sum = 0;
        weights([&](std::int64_t bytes) { sum += bytes; });
        return sum;
    }

private:
    template <class Each>
    void weights(const Each& each) const
    {
        each(kWords);
        for (int b = 0; b < m_blocks; ++b) {
            for (const std::int64_t bytes :
                 {kVector, kVector, 3 * kSquare, kSquare, kVector, kVector, kWide, kWide}) {
                each(bytes);
            }
        }
        each(kVector);
        each(kVector);
        each(kWords);
    }
    void keep(std::int64_t bytes, const std::string& stack, Role role = Role::none)
    {
        m_saved.push_back(m_run.alloc(bytes, Bucket::activation, role, stack));
    }
    void norm(const std::string& caller)
    {
        keep(kHidden, kNorm + caller);
        keep(kRows, kNorm + caller);
        keep(kRows, kNorm + caller);
    }
    void forward()
    {
        m_run.phase(Phase::forward, 1);
        keep(kHidden, "embed /home/me/model.py:9");
        for (int b = 0; b < m_blocks; ++b) {
            const std::string block = "forward /home/me/model.py:2";
            norm(block + "0");
            keep(3 * kHidden, kLinear + block + "1"); // queries, keys and values
            keep(kHidden, "attend /home/me/model.py:22"); // what the projection reads
            m_run.free(m_run.alloc(kHidden, Bucket::temporary, Role::none, kLinear + block + "3"));
            keep(kHidden, block + "4"); // the sum
            norm(block + "5");
            keep(4 * kHidden, kLinear + block + "6");
            keep(4 * kHidden, "gelu /home/me/model.py:27");
            m_run.free(m_run.alloc(kHidden, Bucket::temporary, Role::none, kLinear + block + "8"));
            keep(kHidden, block + "9");
        }
        norm("forward /home/me/model.py:30");
        keep(kLogits, kLinear + "forward /home/me/model.py:31", Role::logits);
    }
    void backward()
    {
        m_run.phase(Phase::backward, 1);
        m_run.free(m_run.alloc(kLogits, Bucket::temporary, Role::none, ""));
        for (; !m_saved.empty(); m_saved.pop_back()) {
            m_run.free(m_saved.back());
        }
        m_run.phase(Phase::optimizer, 1);
        m_run.free(m_run.alloc(512, Bucket::temporary));
    }

    HandRun m_run;
    int m_blocks;
    std::vector<HandRun::Handle> m_saved;
};

} // namespace

class TstAdapters : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatOnlyFrozenWeightsReadGoes_data();
    void whatOnlyFrozenWeightsReadGoes();
};

void TstAdapters::whatOnlyFrozenWeightsReadGoes_data()
{
    QTest::addColumn<int>("blocks");
    QTest::newRow("one block") << 1;
    QTest::newRow("four") << 4;
}

void TstAdapters::whatOnlyFrozenWeightsReadGoes()
{
    QFETCH(int, blocks);
    constexpr std::int64_t kRank = 16;
    Model model(blocks);
    const Prediction p = model.predicted("lora=16");
    // Adapters on what reads a norm's result keep that, and 16 numbers per row of it between their
    // two matrices. What the projection, the narrowing layer and the head read goes, and the
    // embedding's result with its first norm's, but for what the first adapter reads.
    const std::int64_t adapters = kRank * 4 * ((256 + 3 * 256) + (256 + 4 * 256));
    const std::int64_t inner = 2 * kRank * kRows;
    const std::int64_t per_block = (1 + 3 + 1 + 1 + 4 + 1) * kHidden + 4 * kRows + inner;
    const std::int64_t kept = blocks * (adapters + per_block) + 2 * kRows; // of the last norm
    QCOMPARE(p.after_peak.value, model.weightBytes() + 4096 * 8 + kept + 2 * kLogits);
}

TIDEMARK_TEST(TstAdapters)
#include "tst_adapters.moc"
