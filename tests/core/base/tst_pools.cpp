// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/max_pyramid.h"
#include "core/base/stack_pool.h"
#include "core/base/string_pool.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <algorithm>
#include <random>

using namespace tidemark;

class TstPools : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void equalTextsShareAnIdAndViewsStayValid()
    {
        StringPool pool;
        const StringId a = pool.intern("forward");
        const std::string_view view = pool.text(a);
        for (int i = 0; i < 10000; ++i) {
            (void)pool.intern(std::to_string(i));
        }
        QCOMPARE(pool.intern("forward").value, a.value);
        QVERIFY(view.data() == pool.text(a).data());
        QVERIFY(pool.find("never").isNone());
        QVERIFY(pool.text(StringId::none()).empty());
    }
    void equalStacksShareAnIdWhateverListTheyCameFrom()
    {
        StackPool pool;
        const FrameId f = pool.internFrame({StringId(1U), StringId(2U), 3});
        const FrameId g = pool.internFrame({StringId(1U), StringId(2U), 4});
        QVERIFY(f != g);
        QCOMPARE(pool.internFrame({StringId(1U), StringId(2U), 3}).value, f.value);
        const std::vector<FrameId> one{f, g};
        const std::vector<FrameId> other{g, f};
        const StackId s = pool.internStack(one);
        QCOMPARE(pool.internStack(std::vector<FrameId>{f, g}).value, s.value);
        QVERIFY(pool.internStack(other) != s);
        QVERIFY(std::ranges::equal(pool.frames(s), one));
        QVERIFY(pool.frames(StackId::none()).empty());
        QVERIFY(pool.internStack({}) != StackId::none());
    }
    void thePyramidFindsTheFirstLargestLikeAScan()
    {
        std::mt19937 random(7);
        for (const std::size_t n : {1UL, 63UL, 64UL, 65UL, 4095UL, 4096UL, 4097UL, 20000UL}) {
            std::vector<std::int64_t> series(n);
            for (auto& v : series) {
                v = static_cast<std::int64_t>(random() % 50);
            }
            const MaxPyramid pyramid(series);
            for (int i = 0; i < 300; ++i) {
                std::size_t a = random() % n;
                std::size_t b = random() % n;
                if (a > b) {
                    std::swap(a, b);
                }
                const auto scan =
                    std::max_element(series.begin() + static_cast<std::ptrdiff_t>(a),
                                     series.begin() + static_cast<std::ptrdiff_t>(b) + 1);
                QCOMPARE(pyramid.argMax(series, {a, b + 1}),
                         static_cast<std::size_t>(scan - series.begin()));
            }
        }
    }
};

TIDEMARK_TEST(TstPools)
#include "tst_pools.moc"
