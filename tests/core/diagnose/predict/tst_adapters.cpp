// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/core/diagnose/scenarios.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <string>
#include <vector>

namespace tidemark::tst_adapters {

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
/// `native`: with C++ frames below and between those of Python, other ones for each operation.
class Model {
public:
    explicit Model(int blocks, bool native = false)
        : m_run(900 * kM)
        , m_blocks(blocks)
        , m_native(native)
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
        m_is_cast ? forwardUnderAutocast() : forward();
        backward();
        return test::predictionOf(m_run.finish(), changes);
    }
    /// `narrow`: what a block hands on has 16 bits.
    void runUnderAutocast(bool narrow)
    {
        m_is_cast = true;
        m_output = narrow ? kHidden / 2 : kHidden;
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
        m_saved.push_back(m_run.alloc(bytes, Bucket::activation, role, framed(stack)));
    }
    std::string framed(const std::string& stack)
    {
        if (!m_native) {
            return stack;
        }
        m_operation = stack == m_before ? m_operation + 1 : 0;
        m_before = stack;
        std::string text = "at::_ops::operation_" + std::to_string(m_operation) + " ??:0";
        for (const QString& frame : QString::fromStdString(stack).split(QStringLiteral("; "))) {
            text += "; " + frame.toStdString() + "; _PyEval_EvalFrameDefault ??:0";
        }
        return text;
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
            m_run.free(
                m_run.alloc(kHidden, Bucket::temporary, Role::none, framed(kLinear + block + "3")));
            keep(kHidden, block + "4"); // the sum
            norm(block + "5");
            keep(4 * kHidden, kLinear + block + "6");
            keep(4 * kHidden, "gelu /home/me/model.py:27");
            m_run.free(
                m_run.alloc(kHidden, Bucket::temporary, Role::none, framed(kLinear + block + "8")));
            keep(kHidden, block + "9");
        }
        norm("forward /home/me/model.py:30");
        keep(kLogits, kLinear + "forward /home/me/model.py:31", Role::logits);
    }
    /// A layer copies its weight, then what it reads, and works in something: small, or larger than
    /// its result.
    void cast(std::int64_t weight, std::int64_t input, std::int64_t output, const std::string& line)
    {
        keep(weight / 2, kLinear + line, Role::weight_cast);
        if (input > 0) {
            keep(input / 2, kLinear + line);
        }
        const bool is_saved = output > kHidden;
        const auto made = m_run.alloc(output / 2, is_saved ? Bucket::activation : Bucket::temporary,
                                      Role::none, framed(kLinear + line));
        const std::int64_t work = is_saved ? output : kHidden / 8;
        m_run.free(m_run.alloc(work, Bucket::temporary, Role::none, framed(kLinear + line)));
        if (is_saved) {
            m_saved.push_back(made);
        } else {
            m_run.free(made);
        }
    }
    /// The norm's result in 32 bits, which only its copies outlive.
    void castNorm(std::int64_t weight, std::int64_t output, const std::string& caller,
                  const std::string& line)
    {
        const auto made = m_run.alloc(kHidden, Bucket::temporary, Role::none, kNorm + caller);
        keep(kRows, kNorm + caller);
        keep(kRows, kNorm + caller);
        cast(weight, kHidden, output, line);
        m_run.free(made);
    }
    void forwardUnderAutocast()
    {
        m_run.phase(Phase::forward, 1);
        keep(kHidden, "embed /home/me/model.py:9");
        for (int b = 0; b < m_blocks; ++b) {
            const std::string block = "forward /home/me/model.py:2";
            castNorm(3 * kSquare, 3 * kHidden, block + "0", block + "1");
            keep(kHidden / 2, "attend /home/me/model.py:22");
            cast(kSquare, 0, kHidden, block + "3");
            keep(kHidden, block + "4");
            castNorm(kWide, 4 * kHidden, block + "5", block + "6");
            keep(2 * kHidden, "gelu /home/me/model.py:27");
            cast(kWide, 0, kHidden, block + "8");
            keep(m_output, block + "9");
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
    bool m_native;
    bool m_is_cast = false;
    std::int64_t m_output = kHidden; ///< Of a block under autocast.
    int m_operation = 0; ///< Of those that one line makes after each other.
    std::string m_before; ///< The stack of the last one.
    std::vector<HandRun::Handle> m_saved;
};

} // namespace

class TstAdapters : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatOnlyFrozenWeightsReadGoes_data();
    void whatOnlyFrozenWeightsReadGoes();
    void layersMayBeNamed();
    void underAutocastCopiesOfWhatAdaptersReadStay_data();
    void underAutocastCopiesOfWhatAdaptersReadStay();
};

void TstAdapters::whatOnlyFrozenWeightsReadGoes_data()
{
    QTest::addColumn<int>("blocks");
    QTest::addColumn<bool>("native");
    QTest::newRow("four") << 4 << false;
    QTest::newRow("four, frames of C++") << 4 << true;
}

void TstAdapters::whatOnlyFrozenWeightsReadGoes()
{
    QFETCH(int, blocks);
    QFETCH(bool, native);
    constexpr std::int64_t kRank = 16;
    Model model(blocks, native);
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

void TstAdapters::layersMayBeNamed()
{
    constexpr std::int64_t kRank = 16;
    const Prediction usual = Model(4).predicted("lora=16");
    const Prediction all = Model(4).predicted("lora=16:all-linear");
    // The projection and the narrowing layer get adapters, too, and keep what they read.
    const std::int64_t adapters = kRank * 4 * ((256 + 256) + (256 + 4 * 256));
    QVERIFY((all.after_peak - usual.after_peak).value > 4 * (adapters + (1 + 4) * kHidden));
    QVERIFY(all.after_peak <= usual.after_high);
    QVERIFY(all.assumptions != usual.assumptions);
    // Nothing in a recording says which layer has a name: the range has all.
    const Prediction named = Model(4).predicted("lora=16:wq,wv");
    QCOMPARE(named.after_peak, usual.after_peak);
    QVERIFY(named.after_low < usual.after_low);
    QVERIFY(named.after_high >= all.after_peak);
}

void TstAdapters::underAutocastCopiesOfWhatAdaptersReadStay_data()
{
    QTest::addColumn<bool>("narrow");
    QTest::newRow("hidden state in 32 bits") << false;
    QTest::newRow("in 16") << true;
}

void TstAdapters::underAutocastCopiesOfWhatAdaptersReadStay()
{
    QFETCH(bool, narrow);
    constexpr std::int64_t kRank = 16;
    constexpr int kBlocks = 4;
    Model model(kBlocks);
    model.runUnderAutocast(narrow);
    const Prediction p = model.predicted("lora=16");
    // Frozen layers still need the copies of their weights, for the gradient of what they read; but
    // for the first, behind nothing that is trained. Of the two inputs that adapters read the
    // copies stay, with 16 numbers per row each.
    const std::int64_t adapters = kRank * 4 * ((256 + 3 * 256) + (256 + 4 * 256));
    const std::int64_t copies = (3 * kSquare + kSquare + 2 * kWide) / 2;
    const std::int64_t inputs = kHidden + kRank * kRows;
    const std::int64_t sums = narrow ? kHidden + kHidden / 2 : 2 * kHidden;
    const std::int64_t made = (3 + 4) * kHidden / 2 + sums + 4 * kRows;
    const std::int64_t before_first = 3 * kSquare / 2 + 2 * kRows;
    const std::int64_t kept =
        kBlocks * (adapters + copies + inputs + made) - before_first + 2 * kRows;
    QCOMPARE(p.after_peak.value, model.weightBytes() + 4096 * 8 + kept + 2 * kLogits);
}

TIDEMARK_TEST(TstAdapters)

} // namespace tidemark::tst_adapters

#include "tst_adapters.moc"
