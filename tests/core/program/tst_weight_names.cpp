// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/program/weight_names.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <algorithm>

namespace tidemark::tst_weight_names {

using namespace tidemark::program;

namespace {

constexpr std::int64_t kHidden = 192;
constexpr std::int64_t kWords = 4096;

/// Weights in float32, in order of creation.
class Made {
public:
    void add(std::int64_t elements, std::int64_t count = 1, bool is_trained = true)
    {
        const std::int64_t bytes = elements * 4;
        for (std::int64_t i = 0; i < count; ++i) {
            m_set.order.push_back(bytes);
        }
        m_set.counts[bytes] += count;
        m_set.total_bytes += bytes * count;
        if (is_trained) {
            m_set.trained.insert(bytes);
        }
    }
    /// Queries and outputs are hidden wide, keys and values half as wide, feed-forward thrice.
    void addLayers(int layers, int copies = 1)
    {
        for (int layer = 0; layer < layers; ++layer) {
            add(kHidden * kHidden, copies);
            add(kHidden * kHidden / 2, 2 * copies);
            add(kHidden * kHidden, copies);
            add(3 * kHidden * kHidden, 2 * copies);
            add(kHidden, 4 * copies);
        }
    }
    [[nodiscard]] WeightNames names(bool is_order_seen)
    {
        m_set.source = Usage::weight;
        m_set.is_order_seen = is_order_seen;
        return nameWeights(m_set, readWeights(m_set, {}).front(), {});
    }

private:
    WeightSet m_set;
};

} // namespace

class TstWeightNames : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatIsMadeInOrderIsItsLayers()
    {
        // All counts are multiples of six, and thirteen vectors are two norms of six layers, too.
        Made made;
        made.add(kWords * kHidden);
        made.addLayers(3);
        made.add(kHidden);
        const WeightNames names = made.names(true);
        QCOMPARE(names.layers, 3);
        QVERIFY(names.are_layers_seen);
        QCOMPARE(names.kv_width, kHidden / 2);
        QCOMPARE(names.feed_forward, 3 * kHidden);
        QVERIFY(!made.names(false).are_layers_seen);
    }
    void momentsAmongTheWeightsAreCopies()
    {
        Made made;
        made.add(kWords * kHidden, 3);
        made.addLayers(4, 3);
        made.add(kHidden, 3);
        const WeightNames names = made.names(true);
        QCOMPARE(names.layers, 4);
        QCOMPARE(names.copies, 3);
        QCOMPARE(names.vocabulary, kWords);
    }
    void vectorsAloneMakeNoCopies()
    {
        // Two vectors of the entry and one of the exit beside four a layer: 27 in six.
        Made made;
        made.add(kWords * kHidden);
        made.add(kHidden, 2);
        made.addLayers(6);
        made.add(kHidden);
        const WeightNames names = made.names(true);
        QCOMPARE(names.layers, 6);
        QCOMPARE(names.copies, 1);
    }
    void aSquareThatAloneIsNotTrainedIsNoTable()
    {
        // A mask of 384 × 384 positions has as many elements as a table of 768 rows.
        Made made;
        made.add(kWords * kHidden);
        made.add(384 * 384, 1, false);
        made.addLayers(3);
        made.add(kHidden);
        QVERIFY(!std::ranges::count(made.names(true).once, 768));

        Made trained;
        trained.add(kWords * kHidden);
        trained.add(384 * 384);
        trained.addLayers(3);
        trained.add(kHidden);
        QVERIFY(std::ranges::count(trained.names(true).once, 768));
    }
};

TIDEMARK_TEST(TstWeightNames)

} // namespace tidemark::tst_weight_names

#include "tst_weight_names.moc"
